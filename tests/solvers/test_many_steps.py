"""Iterations that are made in one go are those that are made one by one, to the last bit, wherever they are cut off."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular.errors import SettingsError
from oracular.evaluation import exact_dot, exact_dots, standing, standings
from oracular.kernels.greedy.state_cache import STATES, TICK
from oracular.responses.greedy import GreedyEngine, IncrementalTrees
from oracular.responses.problems import GreedyProblem
from oracular.runs.make_solver import make_solver
from oracular.solvers.fictitious_play import UNIT, FictitiousPlay, Position
from oracular.system.deadline import Deadline, DeadlinePassed

from how_many import examples
from random_games import random_games

MEMORIES = [None, 400, 1000, 4000, 1_000_000]
"""What the incremental engine may keep; None stands for trees from scratch."""


def new_solver(
    game: oracular.Game, ties: str = "first", memory: int | None = 10**7, threads: int = 1
) -> FictitiousPlay:
    engine = GreedyEngine(game, ties, threads)
    return FictitiousPlay(GreedyProblem(engine, None if memory is None else IncrementalTrees(engine, memory)))


def state_of(solver: FictitiousPlay, history: list[dict]) -> tuple:
    """All that a solver holds with the records of its steps, as plain data."""
    outcome = solver.outcome(history)
    return (
        solver.checkpoint(),
        history,
        outcome.weights.tolist(),
        outcome.mix.depth_totals.tolist(),
        len(outcome.mix.oracles),
    )


def one_by_one(solver: FictitiousPlay, most: int, small_enough: float) -> list[dict]:
    """Make up to so many steps, each by itself; stop at the first whose epsilon is small enough."""
    records = []
    for _ in range(most):
        records.append(solver.step())
        if max(records[-1]["epsilon_hider"], records[-1]["epsilon_guesser"]) <= small_enough:
            break
    return records


@examples(60, 300)
@given(data=st.data(), ties=st.sampled_from(["first", "possible"]), memory=st.sampled_from(MEMORIES))
def test_any_numbers_of_steps_in_one_go_lead_where_single_steps_lead(data, ties, memory):
    game = data.draw(random_games())
    twin, solver = new_solver(game, ties, None), new_solver(game, ties, memory)
    history: list[dict] = []
    twins: list[dict] = []
    for _ in range(data.draw(st.integers(1, 5))):
        most = data.draw(st.integers(1, 40))
        small_enough = data.draw(st.sampled_from([-math.inf, -math.inf, 0.0, 0.05, 0.3, 1.0]))
        made = []
        while len(made) < most and not (made and solver.position.standing.epsilon <= small_enough):
            made += solver.steps(most - len(made), small_enough)  # fewer at a time where the room is small
        history, twins = history + made, twins + one_by_one(twin, most, small_enough)
        assert state_of(solver, history) == state_of(twin, twins)
        if data.draw(st.booleans()):  # interrupted and gone on with
            kept, history = json.loads(json.dumps(solver.checkpoint())), json.loads(json.dumps(history))
            solver = new_solver(game, ties, memory)
            solver.restore(kept, {}, history)


@pytest.mark.parametrize("ties", ["first", "possible"])
@pytest.mark.parametrize("memory", [None, 200_000, 10**8])
def test_hundreds_of_iterations_in_one_go_are_single_steps(jotto, ties, memory):
    twin, solver = new_solver(jotto(3), ties), new_solver(jotto(3), ties, memory)
    made = []
    while len(made) < 250:
        made += solver.steps(250 - len(made))
    assert state_of(solver, made) == state_of(twin, one_by_one(twin, 250, -math.inf))


def test_threads_share_large_levels_between_the_iterations(jotto):
    twin, solver = new_solver(jotto(4)), new_solver(jotto(4), threads=2)
    assert solver.problem.engine.lanes == 2
    made = solver.steps(12)
    assert state_of(solver, made) == state_of(twin, one_by_one(twin, 12, -math.inf))


@pytest.mark.slow
@pytest.mark.parametrize(("letters", "iterations"), [(2, 20_000), (4, 300), (5, 100)])
def test_longer_runs_in_one_go_are_single_steps(jotto, letters, iterations):
    twin, solver = new_solver(jotto(letters)), new_solver(jotto(letters), threads=2)
    made = []
    while len(made) < iterations:
        made += solver.steps(iterations - len(made))
    assert state_of(solver, made) == state_of(twin, one_by_one(twin, iterations, -math.inf))


def raised_after(solver: FictitiousPlay, trees: int) -> Deadline:
    """Return a deadline whose flag the engine itself raises: it is part of its count of trees."""
    numbers = solver.problem.builder._cache.numbers
    numbers[TICK] = 256 - trees - 1
    deadline = Deadline()
    vars(deadline)["flag"] = numbers[TICK : TICK + 1].astype("<i8", copy=False).view(np.uint8)[1:2]
    return deadline


def lists_of_last_tree(solver: FictitiousPlay) -> list[bool]:
    """Tell of each kept state that the last tree visited whether it has a list of best guesses."""
    cache = solver.problem.builder._cache
    states = cache.numbers[STATES]
    return (cache.row[:states][cache.visited[:states] == cache.numbers[TICK]] >= 0).tolist()


@pytest.mark.parametrize("trees", [1, 2, 7, 39])
def test_a_deadline_in_the_middle_leaves_what_was_finished(jotto, trees):
    twin, solver = new_solver(jotto(3)), new_solver(jotto(3))
    deadline = raised_after(solver, trees)
    made, twins = solver.steps(40, deadline=deadline), one_by_one(twin, trees, -math.inf)
    assert state_of(solver, made) == state_of(twin, twins)
    visited = lists_of_last_tree(solver)
    assert visited and not any(visited)  # the tree that was given up may have changed them
    with pytest.raises(DeadlinePassed):
        solver.steps(40, deadline=deadline)
    assert state_of(solver, made) == state_of(twin, twins)
    assert solver.steps(40) == one_by_one(twin, 40, -math.inf)
    assert any(lists_of_last_tree(solver))


def test_a_deadline_before_the_first_tree_leaves_nothing(jotto):
    solver = new_solver(jotto(2))
    with pytest.raises(DeadlinePassed):
        solver.steps(10, deadline=Deadline(0.0))
    assert (solver.iteration, solver.position) == (-1, None)


def test_iterations_end_early_where_earlier_trees_take_up_the_memory(jotto):
    twin, solver = new_solver(jotto(3)), new_solver(jotto(3), memory=60_000)
    lengths, made = [], []
    while len(made) < 60:
        made += (records := solver.steps(60 - len(made)))
        lengths.append(len(records))
    assert len(lengths) > 2
    assert made == one_by_one(twin, 60, -math.inf)


def test_weights_that_grow_too_large_are_told_of_at_the_same_iteration():
    names = "abc"
    game = oracular.Game.from_function(names, names, lambda guess, secret: "=" if guess == secret else guess < secret)
    most = 2**60 // 4  # what three weights may sum to
    weights = np.array([most - 5 * UNIT, UNIT, 0], dtype=np.int64)
    solvers = new_solver(game), new_solver(game)
    now = standing(weights, np.array([3, 3, 3]), 1, np.array([3, 3, 3]))
    for solver in solvers:
        solver.position = solver.best_position = Position(0, weights, np.array([3, 3, 3]), now)
    made: list[list[dict]] = [[], []]
    with pytest.raises(SettingsError, match="scale them down"):
        while True:
            made[0] += solvers[0].steps(100)
    with pytest.raises(SettingsError, match="scale them down"):
        while True:
            made[1].append(solvers[1].step())
    assert made[0] == made[1] and len(made[0]) >= 2


@pytest.mark.parametrize("name", ["jotto-2-possible", "wordle-2-hard"])
def test_games_with_a_rule_of_guessing_are_played_one_step_at_a_time(name):
    twin, solver = (make_solver("fictitious-play", oracular.game(name), {}) for _ in range(2))
    assert [solver.steps(5) for _ in range(3)] == [[twin.step()] for _ in range(3)]


large = st.integers(0, 2**40) | st.integers(0, 9)


@examples(100, 300)
@given(data=st.data(), rows=st.integers(1, 4), size=st.integers(1, 6), count=st.integers(1, 10**7))
def test_figures_of_many_rows_are_those_of_each(data, rows, size, count):
    def drawn(elements: st.SearchStrategy[int]) -> np.ndarray:
        numbers = data.draw(st.lists(elements, min_size=rows * size, max_size=rows * size))
        return np.array(numbers, dtype=np.int64).reshape(rows, size)

    weights, totals, depths = drawn(large) + 1, drawn(large), drawn(st.integers(0, 1000))
    for one, other in ((weights, totals), (weights, depths), (weights << 12, totals)):
        assert exact_dots(one, other) == [exact_dot(*row) for row in zip(one, other, strict=True)]
    assert standings(weights, totals, count, depths) == [
        standing(weights[row], totals[row], count + row, depths[row]) for row in range(rows)
    ]
