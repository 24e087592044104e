"""The memo of the exact search compares whole states and what is beside them: no two are ever taken for one."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular.errors import SettingsError
from oracular.kernels.compiling import entry_point
from oracular.kernels.exact.memo import copy_into, find, store
from oracular.kernels.exact.tables import EXACT, new_memo
from oracular.responses import exact_search
from oracular.responses.deepening import exact_response
from oracular.responses.exact_search import WeightedGame
from oracular.system.control import NEVER


@entry_point
def store_state(memo, aside, first, second, state, lower, plies, guess):
    store(memo, aside, first, second, state, lower, plies, guess)


def weak_keys(secrets: int, bits: int = 3) -> np.ndarray:
    """Return keys of a few bits, so that most keys belong to many states."""
    keys = np.zeros((secrets, 2), np.uint64)
    keys[:, 0] = np.random.default_rng(7).integers(0, 1 << bits, secrets)
    return keys


@pytest.mark.parametrize(("slots", "pool"), [(8, 100_000), (64, 100_000), (1024, 100_000), (1024, 2000)])
def test_what_is_found_is_what_was_stored_of_this_very_state(slots, pool):
    rng = np.random.default_rng(slots)
    secrets = 200
    keys, memo, twin = weak_keys(secrets), new_memo(slots, pool), {}
    states = [np.sort(rng.choice(secrets, rng.integers(4, 12), replace=False)).astype(np.int32) for _ in range(120)]
    hits = 0
    for number in range(2000):
        if number == 1000:
            larger = new_memo(2 * slots, 2 * pool)
            assert copy_into(memo, larger, np.arange(secrets, dtype=np.int32), NEVER.flag)
            memo = larger
        state = states[rng.integers(len(states))]
        first, second = np.bitwise_xor.reduce(keys[state], axis=0)
        aside = int(rng.integers(3))
        slot = find(memo, aside, first, second, state)
        if slot >= 0:
            hits += 1
            assert (memo.lower[slot], memo.plies[slot], memo.guess[slot]) in twin[aside, *state]
        lower, plies, guess = (int(rng.integers(1, 99)), int(rng.choice([0, 1, 5, EXACT])), number)
        known = twin.setdefault((aside, *state), set())
        known |= {(max(lower, before), *rest) for before, *rest in known}  # a bound rises, the rest may stay
        known |= {(max(lower, before), plies, guess) for before, *_ in known} | {(lower, plies, guess)}
        store_state(memo, aside, first, second, state, lower, plies, guess)
    assert hits > 20


def test_states_of_one_key_do_not_change_the_optimum(monkeypatch):
    game = oracular.game("mastermind-3x6")  # 216 secrets: more than a key has bits
    weights = np.ones(216, dtype=np.int64)
    monkeypatch.setattr(exact_search, "state_keys", lambda secrets: weak_keys(secrets, 12))
    response = exact_response(WeightedGame(game, weights))
    assert response.lower == response.upper == 854


@pytest.mark.parametrize("slots", [0, 1, 4, 7, 12, 100, -8])
def test_a_memo_of_slots_that_its_search_would_overrun_is_refused(slots):
    with pytest.raises(SettingsError, match="give a power of two, 8 or more"):
        new_memo(slots, 0)
