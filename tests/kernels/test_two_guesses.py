"""Bounds of openings by every second guess: against a slow twin, and never above what any tree needs."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Game, Hider
from oracular.costs import Costs
from oracular.errors import RunError
from oracular.runs.verify import verify
from oracular.search.two_guesses import SortedGuesses, two_guess_bounds
from oracular.system.control import Control, Deadline

from forging import edit_bounds
from how_many import examples
from objective_twin import least_cost
from random_games import random_games, weights_for


def split(game: Game, guess: int, state: list[int]) -> list[list[int]]:
    """Return the parts that a guess leaves, without the secret that it finds."""
    row = game.table[guess]
    return [[s for s in state if row[s] == a] for a in sorted({*row[state].tolist()} - {game.found})]


def bounds_of(hider: Hider, openings: Sequence[int], **how: Any) -> dict[int, int]:
    """Return the bounds of openings by every second guess, for the mean."""
    return dict(two_guess_bounds(hider.game, Costs.mean(hider.weights), list(openings), **how))


def slow_bound(game: Game, weights: np.ndarray, opening: int) -> int:
    """Return the bound by every second guess, written out."""

    def least(part):
        if len(part) == 1:
            return int(weights[part[0]])
        whole = int(weights[part].sum())
        if len(part) == 2:
            return whole + int(weights[part].min())
        return whole + min(
            sum(int(2 * weights[rest].sum() - weights[rest].max()) for rest in split(game, guess, part))
            for guess in range(len(game.guesses))
        )

    everything = list(range(len(game.secrets)))
    return int(weights.sum()) + sum(least(part) for part in split(game, opening, everything))


@examples(8, 30)
@given(data=st.data())
def test_the_bounds_are_those_of_the_slow_twin_and_hold(data):
    game = data.draw(random_games(most_secrets=9))
    hider = Hider(game, data.draw(weights_for(game)) + 1)
    bounds = bounds_of(hider, range(len(game.guesses)))
    assert bounds == {opening: slow_bound(game, hider.weights, opening) for opening in range(len(game.guesses))}
    best = oracular.best_response(game, hider.weights)
    assert min(bounds.values()) <= best.upper * hider.total


def test_no_more_is_asked_for_than_enough_and_threads_change_nothing(jotto):
    hider = oracular.hider_uniform(jotto(3))
    openings = list(range(60))
    bounds = bounds_of(hider, openings)
    middle = sorted(bounds.values())[30]
    assert bounds_of(hider, openings, enough=middle) == {o: min(b, middle) for o, b in bounds.items()}
    assert bounds_of(hider, openings, threads=3) == bounds


def test_it_ends_if_it_is_cancelled_or_the_time_is_over(jotto):
    hider = oracular.hider_uniform(jotto(3))
    assert len(bounds_of(hider, range(100), control=Control(cancelled=lambda: True))) < 100
    assert bounds_of(hider, range(100), control=Control(Deadline.after(-1))) == {}
    assert bounds_of(hider, range(100), control=Control(Deadline.after(3600))).keys() == set(range(100))


def test_what_was_handed_out_before_ends_with_whoever_asked(jotto, monkeypatch):
    ended = []

    def kernel(*given):
        batch, stop = given[6], given[-1]
        latest = time.monotonic() + 20
        while batch[0] != first and not stop[0] and time.monotonic() < latest:
            pass
        ended.append(batch[0] == first or bool(stop[0]))
        return len(batch) if batch[0] == first else 0

    monkeypatch.setattr("oracular.kernels.two_guesses.second_guesses", kernel)
    game = jotto(2)
    first = SortedGuesses.of(game).places[0]
    bounds = two_guess_bounds(game, Costs.mean(np.ones(51, np.int64)), list(range(50)), threads=2)
    assert next(bounds)[0] == 0
    bounds.close()
    assert ended and all(ended)


@examples(8, 30)
@given(data=st.data())
def test_they_hold_for_any_costs(data):
    game = data.draw(random_games(most_secrets=8))
    secrets = len(game.secrets)
    columns = data.draw(st.integers(1, 5))
    rise = np.array(data.draw(st.lists(st.lists(st.integers(0, 5), min_size=secrets, max_size=secrets),
                                       min_size=columns, max_size=columns)), np.int64)  # fmt: skip
    costs = Costs(rise, np.ones(secrets, np.int64))
    least = least_cost(game, [np.cumsum([rise[min(j, columns - 1), s] for j in range(secrets + 4)]).tolist()
                              for s in range(secrets)])  # fmt: skip
    assert min(bound for _, bound in two_guess_bounds(game, costs, list(range(len(game.guesses))))) <= least


def test_recorded_bounds_are_proved_again_by_them_and_false_ones_refused(tmp_path):
    words = oracular.game("wordle-4").guesses[::70]
    game = oracular.game("wordle-4", secrets=words, guesses=words)
    run = tmp_path / "run"
    oracular.solve(game, iterations=2, out=run)
    asked = iter(range(10**9))
    bounds = oracular.certify(run, threads=1, stop=lambda: next(asked) > 8)
    kept = {
        row[0]: row for row in json.loads((run / "certification-uniform.json").read_text().splitlines()[1])["openings"]
    }
    assert any(plies == 2 for _, _, plies in kept.values())
    assert min(row[1] for row in kept.values()) == bounds.lower * len(words)
    checked = verify(run)
    assert checked.lower.proved and checked.lower.value == bounds.lower

    def claim_more(rows):
        for row in rows:
            row[1] += row[2] > 1

    edit_bounds(run, claim_more)
    with pytest.raises(RunError, match="than can be proved again"):
        verify(run)
