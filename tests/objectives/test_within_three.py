"""What is found within three guesses: against a plain recursion over all trees, on random small games."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular import Game
from oracular.errors import RunError
from oracular.evaluation import exact_dot
from oracular.kernels import two_guesses
from oracular.objectives import within
from oracular.responses.costed_search import CostedGame
from oracular.responses.limits import stopping
from oracular.responses.openings import OpeningsProblem
from oracular.search.exact_bounds import proved_bound
from oracular.search.two_guesses import SortedGuesses, is_swept, most_within_three
from oracular.solvers.double_oracle import DoubleOracle
from oracular.solvers.regret_matching import RegretMatching
from oracular.solvers.solver import Solver
from oracular.system.control import NEVER, Deadline, DeadlinePassed

from objective_twin import depth_vectors, least_cost, seeded_game, seeded_weights


def most_found(game: Game, weights: np.ndarray) -> int:
    """Return the most weight that any tree finds within three guesses, by brute force."""
    costs = [[0, 0, 0, weight] for weight in weights.tolist()]
    return int(weights.sum()) - least_cost(game, costs)


def test_no_tree_finds_more_and_the_best_one_finds_as_much() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        game = seeded_game(rng, 11)
        weights = seeded_weights(rng, len(game.secrets))
        most = most_found(game, weights)
        found = most_within_three(game, weights)
        assert found.upper == most
        if len(game.secrets) > 1:
            assert found.tree is not None and found.lower == most
            assert int(weights[found.tree.depths() <= 3].sum()) == most


@pytest.mark.parametrize("name", ["wordle-hard", "wordle-possible"])
def test_games_with_a_rule_of_guessing_keep_the_search_of_all_states(name: str) -> None:
    assert is_swept(oracular.game("wordle"), within(3)) and not is_swept(oracular.game("wordle"), within(4))
    assert not is_swept(oracular.game(name), within(3))


def test_best_responses_and_proved_bounds_are_found_so_where_a_game_has_many_answers(monkeypatch) -> None:
    for module in ("oracular.search.two_guesses", "oracular.search.exact_bounds"):
        monkeypatch.setattr(f"{module}.is_swept", lambda game, objective: objective.name == "within-3")
    for seed in range(12):
        rng = random.Random(seed)
        game = seeded_game(rng, 11)
        weights = seeded_weights(rng, len(game.secrets))
        most = Fraction(most_found(game, weights), int(weights.sum()))
        best = oracular.best_response(game, weights, objective="within-3")
        assert best.proved and best.lower == most
        assert proved_bound(game, weights.astype(object) * 3**40, within(3))[0] <= 1 - most
        assert proved_bound(game, weights, within(3))[0] == 1 - most


def test_threads_change_nothing_and_what_there_was_no_time_for_is_no_bound(jotto) -> None:
    game = jotto(3)
    weights = np.arange(len(game.secrets), dtype=np.int64) % 7
    found, shared = (most_within_three(game, weights, threads=threads) for threads in (1, 2))
    assert (found.upper, found.lower) == (shared.upper, shared.lower) and found.upper == found.lower
    assert found.tree is not None and shared.tree is not None
    assert np.array_equal(found.tree.guesses, shared.tree.guesses)
    for cut in (
        most_within_three(game, weights, deadline=Deadline.after(-1)),
        most_within_three(game, weights, progress=stopping(lambda: True)),
    ):
        assert found.upper <= cut.upper <= weights.sum()


def test_openings_that_are_worked_out_are_not_called_states(oracular, monkeypatch) -> None:
    monkeypatch.setattr("oracular.search.two_guesses.is_swept", lambda *_: True)
    command = ("respond", "mastermind-2x3", "--objective", "within-3")
    data = json.loads(oracular(*command, "--json").out)
    assert data["states"] == 0 < data["openings_searched"] <= 9
    assert "openings searched" in (text := oracular(*command).out) and "states searched" not in text
    data = json.loads(oracular(*command, "--states", 100, "--json").out)
    assert data["states"] > 0 == data["openings_searched"]
    assert "states searched" in (text := oracular(*command, "--states", 100).out) and "openings searched" not in text


def test_no_more_threads_sweep_the_openings_than_are_asked_for(monkeypatch, tmp_path) -> None:
    asked: list[int] = []

    def swept(_guesses: object, _weights: object, _known: object, threads: int, _control: object) -> None:
        asked.append(threads)

    for module in ("oracular.search.two_guesses", "oracular.search.exact_bounds"):
        monkeypatch.setattr(f"{module}.is_swept", lambda game, objective: objective.name == "within-3")
    game = oracular.game("mastermind-2x3")
    oracular.solve(game, solver="regret-matching", iterations=2, objective="within-3", out=tmp_path / "run")
    monkeypatch.setattr("oracular.search.two_guesses.warm_up", lambda: None)
    monkeypatch.setattr("oracular.search.two_guesses._sweep", swept)
    monkeypatch.setattr("oracular.system.memory.usable_cores", lambda: 7)
    for threads in (None, 1):
        oracular.best_response(game, np.ones(9, int), objective="within-3", threads=threads)
        oracular.certify(tmp_path / "run", threads=threads, time_limit=60)
    proved_bound(game, np.ones(9, int), within(3))
    assert asked == [7, 7, 1, 1, 7]


def test_what_counting_proves_holds_before_any_opening_is_looked_at(jotto, monkeypatch) -> None:
    monkeypatch.setattr("oracular.search.exact_bounds.is_swept", lambda *_: True)
    monkeypatch.setattr("oracular.search.two_guesses.is_swept", lambda *_: True)
    game = jotto(3)
    weights = np.ones(len(game.secrets), np.int64)
    least = CostedGame.against(game, weights, within(3)).least
    assert proved_bound(game, weights, within(3), Deadline.after(-1)) == (Fraction(least, 421), None) and least > 0
    cut = oracular.best_response(game, weights, objective="within-3", time_limit=1e-9)
    assert cut.upper == 1 - Fraction(least, 421)
    monkeypatch.setattr("oracular.kernels.two_guesses.second_guesses", lambda *_: 0)
    guesses = SortedGuesses.of(game)
    found = most_within_three(game, weights)
    assert found.upper == guesses.counted(weights, guesses.most_parts).max() < 421 and found.tree is None


def test_nothing_is_compiled_a_second_time_for_the_weights_of_a_hider(monkeypatch) -> None:
    compiled = [getattr(two_guesses, name) for name in ("openings_by_counting", "second_guesses")]
    monkeypatch.setattr("oracular.search.two_guesses.is_swept", lambda *_: True)
    assert oracular.best_response(oracular.game("mastermind-2x3"), np.ones(9, int), objective="within-3").proved
    kinds = [kind for kernel in compiled for signature in kernel.signatures for kind in signature]
    arrays = [kind for kind in kinds if hasattr(kind, "layout")]
    assert arrays and all(kind.mutable for kind in arrays)


def solvers_of(game: Game) -> list[Solver]:
    return [RegretMatching(OpeningsProblem(game)), DoubleOracle(OpeningsProblem(game))]


def test_responses_are_best_responses_and_deviations_what_they_lose(jotto) -> None:
    game = jotto(2)
    rng = np.random.default_rng(1)
    for _ in range(5):
        problem = OpeningsProblem(game)
        weights = rng.integers(1, 100, len(game.secrets))
        response = problem.respond(weights)
        lost = exact_dot(weights, problem.deviation(weights))
        assert exact_dot(weights, response.payoffs) == lost
        assert weights.sum() - lost == most_within_three(game, weights).upper  # all openings are looked at, at first
        again = problem.respond(weights[::-1].copy())  # then only the best of those that are kept
        assert exact_dot(weights[::-1], again.payoffs) <= exact_dot(weights[::-1], response.payoffs)


def test_deviations_are_what_a_tree_loses_where_many_weights_are_zero() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        game = seeded_game(rng, 12)
        first, second = (np.array([rng.choice([0, 0, 1, 5, 9]) for _ in game.secrets], np.int64) for _ in range(2))
        first[0], second[-1] = 1, 1
        if len(game.secrets) == 1:
            continue
        problem = OpeningsProblem(game)
        problem.respond(first)
        losses = problem.deviation(second)
        assert second.sum() - exact_dot(second, losses) <= most_found(game, second)
        _, values, chosen = problem._looked_at(second, problem.openings, problem.seconds, NEVER, in_full=False)
        for opening, guesses, value in zip(problem.openings, chosen, values, strict=True):
            tree = problem.sorted.tree(second, int(opening), guesses)
            lost = problem._losses(second, int(opening), guesses)
            assert np.array_equal(lost, problem.objective.payoffs(tree.depths()))
            assert value <= second.sum() - exact_dot(second, lost)


@pytest.mark.parametrize("number", range(2))
def test_solvers_come_near_the_value_of_a_tiny_game(number: int) -> None:
    game = seeded_game(random.Random(41), 7)
    losses = np.array([[int(depth > 3) for depth in depths] for depths in depth_vectors(game)])
    exact = oracular.solve(game, solver="exact", objective=within(3))
    solver = solvers_of(game)[number]
    for _ in range(80):
        solver.step()
    solver.conclude()
    outcome = solver.outcome()
    totals = sum(
        weight * (tree.depths() > 3) for tree, weight in zip(outcome.mix.oracles, outcome.mix.weights, strict=True)
    )
    reached = 1 - Fraction(int(totals.max()), outcome.mix.total)
    held = 1 - Fraction(int((losses @ outcome.weights).min()), int(outcome.weights.sum()))
    assert reached <= exact.lower <= held and held - reached <= Fraction(1, 5)


@pytest.mark.parametrize("number", range(2))
def test_a_run_goes_on_after_a_break_as_if_there_had_been_none(jotto, number: int) -> None:
    game = jotto(2)
    whole, broken = solvers_of(game)[number], solvers_of(game)[number]
    history = []
    for step in range(20):
        if step == 9:
            kept = broken.checkpoint(), broken.arrays()
            broken = solvers_of(game)[number]
            broken.restore(*kept, history)
        history.append(broken.step())
        assert whole.step() == history[-1]


def test_what_compiled_code_did_not_come_to_is_taken_for_nothing(jotto) -> None:
    problem = OpeningsProblem(jotto(2))
    weights = np.ones(51, dtype=np.int64)
    problem.respond(weights)
    told = Deadline()  # the clock never ends it, the flag does
    told.flag.fill(1)
    for work in (
        lambda: problem.sorted.counted(weights, problem.sorted.most_parts, told),
        lambda: problem.deviation(weights, told),
        lambda: problem._looked_at(weights, problem.openings, problem.seconds, told),
    ):
        with pytest.raises(DeadlinePassed):
            work()


def test_the_table_is_turned_round_by_the_deadline(jotto) -> None:
    begun, fresh = OpeningsProblem(jotto(2)), OpeningsProblem(jotto(2))
    weights = np.ones(51, dtype=np.int64)
    begun.respond(weights)
    fresh.openings, fresh.seconds = begun.openings, begun.seconds
    for work in (fresh.respond, fresh.deviation):
        with pytest.raises(DeadlinePassed):
            work(weights, Deadline.after(-1))
        assert "sorted" not in vars(fresh)
    assert np.array_equal(fresh.deviation(weights), begun.deviation(weights))


def test_a_response_that_is_cut_off_leaves_no_trace(jotto) -> None:
    problem = OpeningsProblem(jotto(2))
    weights = np.ones(51, dtype=np.int64)
    problem.respond(weights)
    before = problem.openings, problem.seconds
    with pytest.raises(DeadlinePassed):
        problem.respond(weights, Deadline.after(-1))
    assert (problem.openings, problem.seconds) == before and problem.responses == 1


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
def test_damaged_openings_are_refused(jotto, name: str, damage) -> None:
    solver = solvers_of(jotto(2))[0]
    solver.step()
    arrays = solver.arrays()
    with pytest.raises(RunError):
        solvers_of(jotto(2))[0].restore(solver.checkpoint(), arrays | {name: damage(arrays[name])}, [])


def test_the_most_parts_of_a_guess_bound_what_is_found(jotto) -> None:
    guesses = SortedGuesses.of(jotto(3))
    weights = np.ones(len(guesses.game.secrets), np.int64)
    assert guesses.counted(weights, guesses.most_parts).max() >= most_within_three(guesses.game, weights).upper
    assert np.array_equal(guesses.guesses[guesses.places], np.arange(len(guesses.guesses)))
