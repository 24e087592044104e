"""Any problem that answers weights is solved, kept on disk, resumed and stopped like a guessing game."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import oracular
from oracular.errors import OutOfTimeError, RunError, SettingsError
from oracular.planner.planner import Planner
from oracular.solvers.guessing_problems import ExactProblem, PlannedProblem
from oracular.strategies.greedy import GreedyEngine

from objective_twin import matrix_value


class MatrixGame:
    """A game by its whole table of payoffs: what the solvers find can be compared with what is known."""

    exact = True

    def __init__(self, payoffs: list[list[int]], identity: str = "matrix") -> None:
        self.table = np.array(payoffs, dtype=np.int64)  # [large, small]
        self.size, self.identity = self.table.shape[1], identity
        self.largest_payoff = max(1, int(abs(self.table).max()))

    def respond(self, weights: NDArray[np.int64]) -> oracular.Response:
        row = int((self.table @ weights).argmin())
        return oracular.Response(self.table[row], row)

    def save(self, strategy: int) -> int:
        return strategy

    def load(self, data: int) -> int:
        if type(data) is not int or not 0 <= data < len(self.table):
            raise ValueError("no row of the table")
        return data


ROCK_PAPER_SCISSORS = [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
SOLVERS = ("fictitious-play", "regret-matching", "double-oracle")


@pytest.mark.parametrize("solver", SOLVERS)
def test_rock_paper_scissors_is_worth_nothing(solver):
    solution = oracular.solve(MatrixGame(ROCK_PAPER_SCISSORS), solver=solver, iterations=600)
    assert solution.lower <= 0 <= solution.upper
    assert solution.upper - solution.lower < 0.1
    assert solution.epsilon == max(solution.standing.epsilon_hider, solution.standing.epsilon_guesser)


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_bounds_hold_the_value_of_any_matrix_game(solver, data):
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    number = st.integers(-1000, 1000)
    table = data.draw(st.lists(st.lists(number, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    solution = oracular.solve(MatrixGame(table), solver=solver, iterations=30)
    assert solution.lower <= solution.upper
    weights = np.array(solution.weights, dtype=object)
    answer = min(Fraction(int(sum(weights * row)), int(sum(weights))) for row in np.array(table, dtype=object))
    assert answer <= solution.upper
    assert solution.lower <= matrix_value(table) + 1e-6 and matrix_value(table) - 1e-6 <= solution.upper
    mixed = sum(
        share * np.array(table[row]) for row, share in zip(solution.mix.strategies, solution.mix.weights, strict=True)
    )
    assert Fraction(int(mixed.max()), solution.mix.total) == solution.upper


def test_the_double_oracle_solves_every_small_matrix_game_within_60_steps():
    rng = np.random.default_rng(12)
    for _ in range(100):
        table = rng.integers(-5, 6, rng.integers(1, 7, 2)).tolist()
        solution = oracular.solve(MatrixGame(table), solver="double-oracle", iterations=60)
        assert solution.upper - solution.lower < 1e-5, table
        assert solution.lower - 1e-9 <= matrix_value(table) <= solution.upper + 1e-9, table


def test_the_double_oracle_ends_by_itself_at_the_exact_value():
    """Answers to the smooth small side alone never bring in what this equilibrium needs."""
    table = [[5, 0, -2], [5, 2, 1], [-2, 5, 0], [-2, 2, 3]]
    solution = oracular.solve(MatrixGame(table), solver="double-oracle", iterations=1000)
    assert solution.lower == solution.upper == Fraction(10, 9)
    assert solution.stopped == "finished" and solution.iterations < 20


def test_more_steps_of_the_double_oracle_never_make_its_bounds_worse():
    rng = np.random.default_rng(3)
    table = rng.integers(-50, 51, (30, 20)).tolist()
    lowest, highest = -math.inf, math.inf
    for steps in range(1, 60):
        solution = oracular.solve(MatrixGame(table), solver="double-oracle", iterations=steps)
        assert solution.lower >= lowest and solution.upper <= highest, steps
        lowest, highest = solution.lower, solution.upper


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("table", [[[0, 1], [1, 0]], ROCK_PAPER_SCISSORS, [[5, -3, 2], [-4, 6, 1], [3, 2, -7]]])
def test_the_weights_that_come_back_prove_the_lower_bound(solver, table, tmp_path):
    problem = MatrixGame(table)
    solution = oracular.solve(problem, solver=solver, iterations=40, out=tmp_path / "run")
    for found in (solution, oracular.load_run(tmp_path / "run", problem)):
        weights = np.array(found.weights, dtype=object)
        assert min(Fraction(int(sum(weights * row)), int(sum(weights))) for row in problem.table) == found.lower
        assert found.standing.guarantee - found.standing.epsilon_hider == pytest.approx(found.standing.self_play)
        assert found.epsilon <= float(found.upper - found.lower) + 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_responses_that_are_wrongly_called_exact_are_found_out(solver):
    class Careless(MatrixGame):
        asked = 0

        def respond(self, weights):
            self.asked += 1
            return super().respond(weights) if self.asked > 1 else oracular.Response(self.table[0], 0)  # the worst one

    with pytest.raises(SettingsError, match="is above the upper bound"):
        oracular.solve(Careless([[9, 8], [1, 2], [2, 1]]), solver=solver, iterations=300)


@pytest.mark.parametrize("solver", ["regret-matching", "double-oracle"])
def test_bounds_hold_where_payoffs_are_as_large_as_they_may_be(solver):
    largest = 1 << 32
    game = MatrixGame([[largest, -largest, 0], [-largest, largest, 0], [0, 0, largest]])
    solution = oracular.solve(game, solver=solver, iterations=100)
    value = matrix_value((game.table / largest).tolist())
    assert solution.lower / largest <= value + 1e-6
    assert solution.upper / largest >= value - 1e-6


def test_a_run_of_a_problem_is_not_read_for_longer_than_the_time_given(tmp_path, monkeypatch):
    table = [[5, 5, -2, -2], [0, 2, 5, 2], [-2, 1, 0, 3]]
    oracular.solve(MatrixGame(table), iterations=20, out=tmp_path / "run")
    loaded: list[int] = []

    class Late(MatrixGame):
        def load(self, data: int) -> int:
            if not loaded:
                monkeypatch.setattr(time, "monotonic", lambda: math.inf)
            loaded.append(data)
            return super().load(data)

    with pytest.raises(OutOfTimeError, match="was read: give more time"):
        oracular.solve(Late(table), iterations=30, time_limit=600, out=tmp_path / "run", resume=True)
    assert len(loaded) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_strategies_that_come_back_are_those_that_respond_gave(solver):
    class Objects(MatrixGame):
        def respond(self, weights):
            given.append(object())
            return oracular.Response(self.table[0], given[-1])

        def save(self, strategy):
            return 0

    given: list[object] = []
    solution = oracular.solve(Objects([[2, 1]]), solver=solver, iterations=3)
    assert all(strategy in given for strategy in solution.mix.strategies)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_run_that_is_resumed_ends_on_the_same_bits(tmp_path, solver):
    problem = MatrixGame([[5, -3, 2], [-4, 6, 1], [3, 2, -7], [0, 1, 4]])
    whole = oracular.solve(problem, solver=solver, iterations=40)
    oracular.solve(problem, solver=solver, iterations=15, out=tmp_path / "run")
    again = oracular.solve(problem, solver=solver, iterations=40, out=tmp_path / "run", resume=True)
    assert again.history == whole.history
    for solution in (again, oracular.load_run(tmp_path / "run", problem)):
        assert (solution.lower, solution.upper) == (whole.lower, whole.upper)
        assert solution.mix.strategies == whole.mix.strategies
        assert np.array_equal(solution.weights, whole.weights)


@pytest.mark.parametrize("solver", SOLVERS)
def test_strategies_that_cannot_be_loaded_are_an_error_of_the_run(tmp_path, solver):
    oracular.solve(MatrixGame([[2, -1], [-1, 1]]), solver=solver, iterations=3, out=tmp_path / "run")
    with pytest.raises(RunError, match="no row of the table"):
        oracular.load_run(tmp_path / "run", MatrixGame([[2, -1]]))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_run_belongs_to_its_problem(tmp_path, solver):
    oracular.solve(MatrixGame(ROCK_PAPER_SCISSORS), solver=solver, iterations=3, out=tmp_path / "run")
    other = MatrixGame(ROCK_PAPER_SCISSORS, identity="another")
    for use in (
        lambda: oracular.solve(other, solver=solver, iterations=5, out=tmp_path / "run", resume=True),
        lambda: oracular.load_run(tmp_path / "run", other),
        lambda: oracular.load_run(tmp_path / "run"),
        lambda: oracular.load_run(tmp_path / "run", oracular.game("jotto-2")),
    ):
        with pytest.raises(RunError, match="run"):
            use()


def test_ctrl_c_and_limits_work_as_for_any_game(every_step):
    problem = MatrixGame([[2, -1], [-1, 1]])
    seen = []
    solution = oracular.solve(problem, iterations=1000, progress=seen.append, stop=lambda: len(seen) >= 5)
    assert solution.stopped == "interrupted"
    assert [step.iteration for step in seen] == [0, 1, 2, 3, 4]
    assert oracular.solve(problem, epsilon=0.2).stopped == "epsilon"


def test_a_solved_problem_ends_by_itself():
    certain = MatrixGame([[3, 4], [2, 2]])  # whatever is hidden, the second row pays 2
    solution = oracular.solve(certain, iterations=100)
    assert solution.stopped == "finished" and solution.lower == solution.upper == 2 and solution.closed


class Wrong(MatrixGame):
    def __init__(self, answer, **changes) -> None:
        super().__init__(ROCK_PAPER_SCISSORS)
        self.answer = answer
        vars(self).update(changes)

    def respond(self, weights):
        return oracular.Response(self.answer, None)


@pytest.mark.parametrize(
    ("problem", "complaint"),
    [
        (object(), "has no exact, identity"),
        (7, "neither a game nor a problem"),
        (Wrong([0, 0, 0], size=0), "size 0 of the problem"),
        (Wrong([0, 0, 0], size="3"), "size '3' of the problem"),
        (Wrong([0, 0, 0], largest_payoff=1.5), "largest_payoff 1.5 of the problem"),
        (Wrong([0, 0, 0], identity=""), "identity"),
        (Wrong([0, 0, 0], exact="no"), "exact 'no' of the problem is neither True nor False"),
        (Wrong([0, 0, 0], exact=1), "exact 1 of the problem"),
        (Wrong([0.5, 0, 0]), "give 3 whole numbers"),
        (Wrong([0, 0]), "give 3 whole numbers"),
        (Wrong([0, 0, 9]), "largest_payoff is 1"),
    ],
)
def test_a_problem_that_will_not_do_is_refused_in_a_sentence(problem, complaint):
    with pytest.raises(SettingsError, match=complaint):
        oracular.solve(problem, iterations=2)


def test_what_respond_or_save_must_not_give_is_named():
    class Odd(MatrixGame):
        def respond(self, weights):
            return [0, 0, 0], 1

    with pytest.raises(SettingsError, match=r"give oracular\.Response"):
        oracular.solve(Odd(ROCK_PAPER_SCISSORS), iterations=2)


NESTED: list[object] = []
for _ in range(100_000):
    NESTED = [NESTED]


@pytest.mark.parametrize("saved", [{1, 2}, math.nan, {"share": [math.inf]}, -math.inf, [{1: 2}], NESTED])
@pytest.mark.parametrize("solver", SOLVERS)
def test_what_no_file_can_hold_is_refused_when_it_is_saved(saved, solver, tmp_path):
    odd = MatrixGame(ROCK_PAPER_SCISSORS)
    odd.save = lambda strategy: saved
    with pytest.raises(SettingsError, match="which no file can hold"):
        oracular.solve(odd, solver=solver, iterations=2, out=tmp_path / "run")


def test_settings_and_solvers_for_guessing_games_are_refused():
    problem = MatrixGame(ROCK_PAPER_SCISSORS)
    for options, complaint in (
        ({"solver": "exact"}, "is for guessing games"),
        ({"settings": {"ties": "first"}}, "has no setting 'ties'"),
        ({"solver": "regret-matching", "settings": {"width": 3}}, "choose among most_trees, head_start"),
        ({"resources": oracular.Resources(engine="scratch")}, "leave engine and memory out"),
    ):
        with pytest.raises(SettingsError, match=complaint):
            oracular.solve(problem, iterations=2, **options)
    game = oracular.game("mastermind-2x3")
    planned = PlannedProblem(Planner(game, width=4), GreedyEngine(game))
    with pytest.raises(SettingsError, match="the problem has width '4', not '5': leave the setting out"):
        oracular.solve(planned, solver="regret-matching", iterations=2, settings={"width": 5})


def test_a_solution_of_a_problem_has_no_hider():
    solution = oracular.solve(MatrixGame(ROCK_PAPER_SCISSORS), iterations=2)
    with pytest.raises(SettingsError, match="no guessing game"):
        _ = solution.hider
    assert solution.mix.draw(np.random.default_rng(1)) in (0, 1, 2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_exact_responses_bound_the_value_of_a_guessing_game_from_both_sides(solver, tmp_path):
    game = oracular.game("mastermind-2x3")
    value = oracular.solve(game, solver="exact").lower
    solution = oracular.solve(ExactProblem(game), solver=solver, iterations=30, out=tmp_path / "run")
    assert solution.lower <= value <= solution.upper
    again = oracular.load_run(tmp_path / "run", ExactProblem(game))
    assert (again.lower, again.upper) == (solution.lower, solution.upper)
    assert again.guesser.guarantee == solution.upper


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_run_of_exact_responses_is_not_taken_for_a_run_of_the_game(solver, tmp_path):
    game = oracular.game("mastermind-2x3")
    oracular.solve(ExactProblem(game), solver=solver, iterations=5, out=tmp_path / "run")
    for use in (
        lambda: oracular.load_run(tmp_path / "run"),
        lambda: oracular.load_run(tmp_path / "run", game),
        lambda: oracular.solve(game, solver=solver, iterations=9, out=tmp_path / "run", resume=True),
    ):
        with pytest.raises(RunError, match="run"):
            use()
