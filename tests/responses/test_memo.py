"""A memo at its cap goes on keeping states, and no bound depends on how large it is."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular.games.symmetry import no_symmetry
from oracular.kernels.exact.memo import NUMBER_BITS, find
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.compiled_search import make_room
from oracular.responses.exact_search import ExactSearch, WeightedGame
from oracular.search.exact_bounds import opening_bound
from oracular.search.letters import TotalBound
from oracular.search.openings import different_openings
from oracular.system.control import NEVER

SLOTS = 64


@pytest.fixture
def hider():
    game = oracular.game("mastermind-3x6")
    return oracular.Hider(game, np.random.default_rng(3).integers(1, 9, len(game.secrets)))


def new_search(hider, slots: int) -> ExactSearch:
    every = no_symmetry(len(hider.game.guesses))
    return ExactSearch(WeightedGame(hider.game, hider.weights, every), slots, NEVER)


def bound_of(search: ExactSearch, opening: int, plies: int, *, sharing: bool = True) -> TotalBound:
    return opening_bound(search, opening, plies, NO_BOUND, lambda: None, sharing=sharing)


def kept(search: ExactSearch) -> dict[bytes, tuple[int, int, int]]:
    """Return what the memo has, by state, after a look that each of them is found."""
    memo, states = search.memo, {}
    for slot in np.flatnonzero(memo.size):
        state = memo.pool[memo.start[slot] : memo.start[slot] + memo.size[slot]].copy()
        assert find(memo, 0 << NUMBER_BITS, *search.key(state), state) == slot
        states[state.tobytes()] = (int(memo.lower[slot]), int(memo.plies[slot]), int(memo.guess[slot]))
    assert len(states) == memo.used[0]
    return states


def test_a_memo_shared_by_many_openings_keeps_states_of_the_last_one(hider):
    search = new_search(hider, SLOTS)
    for opening in different_openings(hider)[:12]:
        before, nodes = kept(search), search.nodes
        bound_of(search, opening, 4)
        assert search.nodes >= nodes and len(search.memo.size) == SLOTS
        assert kept(search).keys() - before.keys()
    assert search.memo.used[1] > SLOTS  # it was full more than once


@pytest.mark.parametrize("name", ["mastermind-3x5", "mastermind-3x6"])
def test_no_optimum_depends_on_the_size_of_the_memo(name):
    game = oracular.game(name)
    for seed in (2, 3, 5):
        hider = oracular.Hider(game, np.random.default_rng(seed).integers(1, 9, len(game.secrets)))
        searches = [new_search(hider, slots) for slots in (16, SLOTS, 1 << 16)]
        for opening in (0, 1, 2, 6, 7, 8):
            bounds = {bound_of(search, opening, 5) for search in searches}
            assert len(bounds) == 1 and bounds.pop().exact


def test_room_is_made_by_dropping_what_nobody_refers_to_or_everything(hider):
    search = new_search(hider, SLOTS)
    bound_of(search, 0, 3, sharing=False)
    memo, stopped = search.memo, np.ones(1, np.uint8)
    slots = np.flatnonzero(memo.size)
    assert len(slots) > 10
    memo.size[slots[::3]] = 0
    memo.used[0] -= len(slots[::3])
    live, nodes = int(memo.size.sum()), search.nodes
    states = [memo.pool[memo.start[s] : memo.start[s] + memo.size[s]].tolist() for s in np.flatnonzero(memo.size)]
    make_room(memo, stopped)
    make_room(memo, NEVER.flag)
    assert memo.used[3] == live and search.nodes == nodes
    assert states == [
        memo.pool[memo.start[s] : memo.start[s] + memo.size[s]].tolist() for s in np.flatnonzero(memo.size)
    ]
    make_room(memo._replace(pool=memo.pool[:live]), NEVER.flag)
    assert not memo.size.any() and memo.used[0] == memo.used[3] == 0 and search.nodes == nodes
