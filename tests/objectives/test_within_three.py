"""What is found within three guesses in a game of many answers: every opening and second guess, against a slow twin."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import oracular as package
from oracular import Game, best_response, load_run, solve
from oracular.errors import RunError
from oracular.evaluation import exact_dot
from oracular.solvers.openings_problem import OpeningsProblem

from forging import HISTORY, edit_arrays
from random_games import game_of_table

ANSWERS, SECRETS, GUESSES = 70, 200, 210
"""The fewest secrets, and more answers than the fewest, with which openings are looked at one by one."""


def game_of_many_answers(seed: int) -> Game:
    """Return a game in which most guesses get one of a few answers, as in Wordle."""
    rng = np.random.default_rng(seed)
    table = np.minimum(rng.geometric(0.25, (GUESSES, SECRETS)), ANSWERS - 1)
    table[rng.permutation(GUESSES)[:SECRETS], np.arange(SECRETS)] = 0
    table[0] = 1 if 0 not in table[0] else table[0]
    return game_of_table(table.tolist(), ANSWERS, 0)


def short_wordle(rule: str = "") -> Game:
    """Return Wordle with a few words of four letters."""
    words = package.game("wordle-4").guesses
    some = words[:: len(words) // SECRETS]
    return package.game(f"wordle-4{rule}", secrets=some, guesses=some)


def weights_of(seed: int) -> np.ndarray:
    """Return weights with zeros and ties among them."""
    return np.random.default_rng(seed).integers(0, 6, SECRETS)


def most_found(game: Game, weights: np.ndarray) -> int:
    """Return the most weight that any tree finds within three guesses: the heaviest secret after any two answers."""
    order, best, rows = np.argsort(weights, kind="stable"), 0, np.arange(len(game.guesses))[:, None]
    answers = len(game.labels)
    for row in game.table:
        heaviest = np.zeros((len(game.guesses), answers, answers), np.int64)
        heaviest[rows, row[order], game.table[:, order]] = weights[order]  # of equal places the last one stays
        best = max(best, int(heaviest.sum(axis=2).max(axis=0).sum()))
    return best


@pytest.mark.parametrize("seed", range(3))
def test_no_tree_finds_more_and_the_best_one_finds_as_much(seed) -> None:
    game, weights = game_of_many_answers(seed), weights_of(seed)
    best = best_response(game, weights, objective="within-3", threads=1)
    most = most_found(game, weights)
    assert best.proved and best.lower == Fraction(most, int(weights.sum())) and best.upper == best.lower
    assert int(weights[best.tree.depths() <= 3].sum()) == most
    assert best.states == 0 < best.openings <= GUESSES
    shared = best_response(game, weights, objective="within-3", threads=2)
    assert (shared.lower, shared.tree.to_list()) == (best.lower, best.tree.to_list())
    for cut in (
        best_response(game, weights, objective="within-3", time_limit=1e-9),
        best_response(game, weights, objective="within-3", stop=lambda: True),
        best_response(game, weights, objective="within-3", node_limit=5),
    ):
        assert cut.lower <= best.lower <= cut.upper


def test_on_the_command_line_openings_are_not_called_states(oracular, tmp_path) -> None:
    words = short_wordle().guesses
    (tmp_path / "own.txt").write_text("\n".join(words))
    command = ("respond", "wordle-4", "--secrets", "own.txt", "--guesses", "own.txt", "--objective", "within-3")
    data = json.loads(oracular(*command, "--json").out)
    assert data["proved"] and data["states"] == 0 < data["openings_searched"] <= len(words)
    assert "openings searched" in (text := oracular(*command).out) and "states searched" not in text
    data = json.loads(oracular(*command, "--states", 100, "--json").out)
    assert data["states"] > 0 == data["openings_searched"]


@pytest.mark.parametrize("solver", ["regret-matching", "double-oracle"])
def test_a_solver_holds_its_bounds_and_ends_on_the_same_bits_after_breaks(solver, tmp_path) -> None:
    game = short_wordle()
    asked = {"solver": solver, "objective": "within-3"}
    whole = solve(game, **asked, iterations=20, out=tmp_path / "whole")
    for steps in (1, 9, 20):
        again = solve(game, **asked, iterations=steps, out=tmp_path / "broken", resume=steps > 1)
    assert (tmp_path / "whole" / HISTORY).read_bytes() == (tmp_path / "broken" / HISTORY).read_bytes()
    assert again.guarantee == whole.guarantee == load_run(tmp_path / "whole").lower
    against = best_response(game, whole.hider, objective="within-3")
    assert whole.guarantee <= against.upper <= whole.guarantee + Fraction(1, 5)
    assert package.certify(tmp_path / "whole").upper == Fraction(
        most_found(game, np.ones(len(game.secrets), int)), len(game.secrets)
    )


def test_responses_are_best_responses_and_deviations_what_a_tree_loses() -> None:
    game = game_of_many_answers(7)
    problem = OpeningsProblem(game)
    for seed in range(4):
        weights = weights_of(seed)
        response = problem.respond(weights)
        total, most = int(weights.sum()), most_found(game, weights)
        assert np.array_equal(response.payoffs, response.strategy.depths() > 3)
        lost = exact_dot(weights, problem.deviation(weights))
        assert total - most <= exact_dot(weights, response.payoffs) <= lost + (seed > 0) * total
        assert total - most <= lost and (seed > 0 or lost == exact_dot(weights, response.payoffs))
        other = weights_of(seed + 50)
        assert other.sum() - most_found(game, other) <= exact_dot(other, problem.deviation(other))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("openings", lambda array: np.append(array[:-1], array[0])),
        ("openings", lambda array: array + 10**6),
        ("openings", lambda array: array[:0]),
        ("second_guesses", lambda array: array + 10**6),
        ("second_guesses", lambda array: array[:, :, ::-1]),
        ("second_guesses", lambda array: array[:, :200]),
    ],
)
def test_damaged_openings_are_refused(tmp_path, name: str, damage) -> None:
    game, asked = game_of_many_answers(5), {"solver": "regret-matching", "objective": "within-3"}
    solve(game, **asked, iterations=1, out=tmp_path / "run")

    def change(arrays: dict[str, np.ndarray]) -> None:
        arrays[name] = damage(arrays[name])

    edit_arrays(tmp_path / "run", change)
    with pytest.raises(RunError):
        solve(game, **asked, iterations=2, out=tmp_path / "run", resume=True)


@pytest.mark.parametrize("rule", ["-hard", "-possible"])
def test_a_game_with_a_rule_of_guessing_is_searched_state_by_state(rule) -> None:
    game = short_wordle(rule)
    response = best_response(game, [1] * len(game.secrets), objective="within-3", time_limit=0.2)
    assert response.openings == 0
