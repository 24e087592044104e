"""Bounds of openings by every second guess: against a slow twin, and never above what any tree needs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Game, Hider
from oracular.games.table import MANY_ANSWERS
from oracular.search.costs import Costs
from oracular.search.lower_bound import LowerBound
from oracular.search.openings import OpeningBound
from oracular.search.two_guesses import SortedGuesses, two_guess_bounds
from oracular.system.control import Control, Deadline

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


def test_a_lower_bound_takes_them_in_where_answers_are_many():
    game = oracular.game("wordle-3")
    assert len(game.labels) <= MANY_ANSWERS
    bound = LowerBound(oracular.hider_uniform(game))
    before = bound.value
    bound.by_two_guesses()
    assert bound.value == before  # few answers: a search proves more


def test_no_opening_is_asked_for_more_than_a_known_tree_needs_or_was_recorded(monkeypatch):
    monkeypatch.setattr("oracular.search.lower_bound.MANY_ANSWERS", 4)
    hider = oracular.hider_uniform(oracular.game("mastermind-2x4"))
    free, bound = LowerBound(hider), LowerBound(hider)
    free.by_two_guesses()
    least = free.weakest.bound
    bound.add_tree(least)
    counted = {known.opening: known.bound for known in bound.openings.values()}
    bound.by_two_guesses()
    assert {o: k.bound for o, k in bound.openings.items()} == {o: max(least, b) for o, b in counted.items()}
    asked = []
    monkeypatch.setattr(
        "oracular.search.lower_bound.two_guess_bounds", lambda *_, enough, **__: iter(asked.append(enough) or ())
    )
    bound.by_two_guesses(sorted(bound.openings)[:2])
    assert asked == [max(bound.openings[opening].bound for opening in sorted(bound.openings)[:2])]


def test_recorded_bounds_are_proved_again_by_them(monkeypatch):
    monkeypatch.setattr("oracular.search.lower_bound.MANY_ANSWERS", 4)
    game = oracular.game("mastermind-2x4")
    first = LowerBound(oracular.hider_uniform(game))
    first.by_two_guesses()
    assert all(known.plies == 2 for known in first.openings.values())
    second = LowerBound(first.hider)
    second.add_recorded(first.openings)
    assert second.recorded
    second.by_two_guesses(sorted(second.recorded))
    assert not second.recorded and second.value == first.value
    false = {o: OpeningBound(known.bound + 1, o, 2) for o, known in first.openings.items()}
    third = LowerBound(first.hider)
    third.add_recorded(false)
    third.by_two_guesses(sorted(third.recorded))
    assert third.recorded == set(false)


def test_a_recheck_asks_for_shallow_bounds_alone_in_an_order_nobody_can_foresee_and_leaves_time(monkeypatch):
    monkeypatch.setattr("oracular.search.lower_bound.MANY_ANSWERS", 1)
    first = LowerBound(oracular.hider_uniform(oracular.game("jotto-2")))
    first.by_two_guesses()
    assert len(first.openings) > 50
    deeper = set(list(first.openings)[::3])
    known = {o: OpeningBound(k.bound, o, 3 if o in deeper else 2) for o, k in first.openings.items()}
    orders, moments = [], []

    def asked(_game, _costs, openings, *, control, **_):
        orders.append(list(openings))
        moments.append(control.deadline.left)
        return iter(())

    monkeypatch.setattr("oracular.search.lower_bound.two_guess_bounds", asked)
    for _ in range(2):
        bound = LowerBound(first.hider)
        bound.add_recorded(known)
        shallow = bound.recorded - deeper
        assert bound.recorded & deeper
        assert bound.recheck(deadline=Deadline.after(3600)) is None and not bound.recorded
        assert sorted(orders[-1]) == sorted(shallow) and moments[-1] <= 1800
    assert orders[0] != orders[1]
