"""The planner: scans against a slow twin, trees against the exact optimum of small games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Game, Tree
from oracular.costs import Costs
from oracular.kernels.compiling import entry_point
from oracular.kernels.guessing import guessing_table
from oracular.kernels.scoring import ScoredGame, best_guesses, new_scan_space
from oracular.planner.planner import SCORES, Planner, score_of_name

from how_many import examples
from objective_twin import least_cost
from random_games import random_games, weights_for
from ruled_twin import mean_costs


@entry_point
def scan_state(scored, space, state, values, kept, keys):
    return best_guesses(scored, space, state, values, kept, keys, 0)


def scan(
    game: Game, weights: np.ndarray, state: np.ndarray, name: str, ties: int, want: int, answers: int
) -> list[int]:
    """Return the best guesses of a state as the kernel finds them; the number of answers decides how it adds up."""
    score = score_of_name(name, len(game.secrets))
    shift = len(game.secrets).bit_length()
    values = ((weights[state] << shift) | 1).astype(np.int32)
    kept, keys = np.zeros(want, np.int32), np.zeros(want, np.int64)
    scored = ScoredGame(
        np.array(game.table.T, order="C"), game.guess_of_secret, game.found, answers, shift, score.table,
        score.found_value, ties, guessing_table(game),
    )  # fmt: skip
    count = scan_state(scored, new_scan_space(answers), state, values, kept, keys)
    return kept[:count].tolist()


def slow_scan(game: Game, weights: np.ndarray, state: np.ndarray, name: str, ties: int, want: int) -> list[int]:
    """Return the same, worked out the long way."""
    score = score_of_name(name, len(game.secrets))
    keys = []
    for guess, row in enumerate(game.table):
        replies = row[state]
        cost, finds = 0, False
        for answer in np.unique(replies):
            part = weights[state[replies == answer]]
            finds = finds or answer == game.found
            worth = score.found_value if answer == game.found else int(score.table[len(part)])
            cost += int(part.sum()) * worth
        if finds or len(np.unique(replies)) > 1:
            keys.append((2 * cost + (ties if not finds else 0), guess, replies))
    keys.sort(key=lambda entry: entry[:2])
    chosen: list[tuple[int, int, np.ndarray]] = []
    for key, guess, replies in keys:
        alike = [same_parts(replies, other, game.found) for other_key, _, other in chosen if other_key == key]
        if want == 1 or not any(alike):
            chosen.append((key, guess, replies))
    return [guess for _, guess, _ in chosen[:want]]


def same_parts(replies: np.ndarray, others: np.ndarray, found: int) -> bool:
    """Tell whether two rows of replies find the same secret and split the rest alike."""
    return np.array_equal(replies == found, others == found) and _first_seen(replies) == _first_seen(others)


def _first_seen(replies: np.ndarray) -> list[int]:
    """Return the replies renamed in the order in which they are first seen."""
    seen: dict[int, int] = {}
    return [seen.setdefault(int(reply), len(seen)) for reply in replies]


@given(data=st.data(), game=random_games(), name=st.sampled_from(sorted(SCORES)), ties=st.integers(0, 1))
@examples(20, 60)
def test_the_scan_finds_what_the_long_way_finds(data: st.DataObject, game: Game, name: str, ties: int) -> None:
    weights = data.draw(weights_for(game))
    secrets = data.draw(st.lists(st.sampled_from(range(len(game.secrets))), min_size=1, unique=True))
    state = np.array(sorted(secrets), dtype=np.int32)
    want = data.draw(st.integers(1, 5))
    if len(state) > 1:
        expected = slow_scan(game, weights, state, name, ties, want)
        for answers in (len(game.labels), 16):
            assert scan(game, weights, state, name, ties, want, answers) == expected


@given(data=st.data(), game=random_games(most_secrets=8))
@examples(20, 60)
def test_a_planner_that_tries_everything_finds_the_best_tree(data: st.DataObject, game: Game) -> None:
    planner = Planner(game, width=64, small=100, small_width=64, root_width=64, room=1 << 14)
    for _ in range(2):  # the second weights meet a graph that knows the first
        weights = data.draw(weights_for(game))
        tree = planner.respond(Costs.mean(weights))
        assert int(weights @ tree.depths()) == least_cost(game, mean_costs(weights))
        assert np.array_equal(Tree(game, tree.guesses).depths(), tree.depths())
        planner.tidy(1000)


def test_lookahead_beats_the_greedy_tree() -> None:
    game = oracular.game("jotto-4")
    planner = Planner(game)
    weights = planner.rounded(np.ones(len(game.secrets)))
    greedy = planner.respond(Costs.mean(weights), widen=False).depths().mean()
    assert greedy < 6.9
    assert planner.respond(Costs.mean(weights)).depths().mean() < 6.76


def test_the_same_questions_get_the_same_trees() -> None:
    game = oracular.game("jotto-3")
    rng = np.random.default_rng(3)
    asked = [rng.random(len(game.secrets)) for _ in range(4)]
    first, second = Planner(game), Planner(game)
    for shares in asked:
        one = first.respond(Costs.mean(first.rounded(shares)), explorations=1)
        other = second.respond(Costs.mean(second.rounded(shares)), explorations=1)
        assert np.array_equal(one.guesses, other.guesses)


def test_tidying_forgets_nothing_that_is_still_wanted() -> None:
    game = oracular.game("jotto-3")
    planner = Planner(game)
    rng = np.random.default_rng(5)
    asked = [planner.rounded(rng.random(len(game.secrets))) for _ in range(5)]
    for weights in asked:
        planner.respond(Costs.mean(weights))
    before = [int(weights @ planner.respond(Costs.mean(weights), widen=False).depths()) for weights in asked]
    planner.tidy(1000)
    assert [int(weights @ planner.respond(Costs.mean(weights), widen=False).depths()) for weights in asked] == before


def test_weights_that_are_too_large_are_refused() -> None:
    game = oracular.game("jotto-2")
    with pytest.raises(oracular.OracularError, match="sum to at most"):
        Planner(game).respond(Costs.mean(np.full(len(game.secrets), 1 << 30)))
