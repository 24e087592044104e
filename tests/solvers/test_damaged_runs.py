"""Nothing that a regret-matching run is restored from is believed: damage is a sentence, never a crash."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular
from oracular.errors import RunError
from oracular.runs.make_solver import make_solver
from oracular.solvers.regret_matching import RegretMatching
from oracular.strategies.oracle import Mixture


@pytest.fixture(scope="module")
def kept():
    """Give the state of a run of two-letter Jotto, with a graph that has been tidied and one secret of every kind."""
    game = oracular.game("jotto-2")
    solver = fresh(game)
    history = [solver.step() for _ in range(6)]
    solver.problem.planner.tidy(2)
    history += [solver.step() for _ in range(3)]
    solver.conclude()
    return game, solver.checkpoint(), solver.arrays(), history


def fresh(game) -> RegretMatching:
    return make_solver("regret-matching", game, {"room": 1 << 17, "width": 4, "root_width": 4})


def test_what_was_kept_is_taken_up_and_gone_on_with_to_the_same_bits(kept):
    game, checkpoint, arrays, history = kept
    one, other = fresh(game), fresh(game)
    one.restore(checkpoint, arrays, history)
    other.restore(checkpoint, {name: array.copy() for name, array in arrays.items()}, history)
    assert one.step() == other.step()


DAMAGE = {
    "node_begin": lambda a: a + 10**10,
    "edge_next": lambda a: a * 0,
    "edge_begin": lambda a: a[::-1].copy(),
    "child": lambda a: a + 1,
    "members": lambda a: np.roll(a, 1),
    "node_size": lambda a: a + 1,
    "node_edge": lambda a: np.full_like(a, 10**6),
    "node_best": lambda a: np.full_like(a, -1),
    "node_name": lambda a: a ^ 1,
    "node_kind": lambda a: a ^ 15,
    "node_visits": lambda a: a - 1,
    "node_round": lambda a: a + 10**6,
    "edge_guess": lambda a: a + 51,
    "edge_round": lambda a: a + 10**6,
    "counters": lambda a: a + 1,
    "root": lambda a: a + 1,
    "iteration": lambda a: a + 1,
    "regrets": lambda a: a + 1,
    "weights": lambda a: a + 1,
    "hider_totals": lambda a: a * 0,
    "depth_totals": lambda a: a + 1,
    "tree_guesses": lambda a: np.roll(a, 1),
    "tree_ends": lambda a: a[::-1].copy(),
    "tree_depths": lambda a: a + 1,
}


def test_all_that_is_kept_is_tried(kept):
    assert kept[2].keys() - {"node_value"} == DAMAGE.keys()  # values are worked out anew before they are read


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_of_any_array_is_a_sentence(kept, name):
    game, checkpoint, arrays, history = kept
    array = arrays[name]
    hurt = [DAMAGE[name](array), array.astype(np.float64), array[..., None], array[None, None]]
    if array.ndim:
        hurt += [array[:-1], np.append(array, array[-1:], axis=0), array[:0]]
    for damaged in hurt:
        solver = fresh(game)
        with pytest.raises(RunError, match="the arrays of the run are damaged") as complaint:
            solver.restore(checkpoint, {**arrays, name: damaged}, history)
        assert "\n" not in str(complaint.value)
    with pytest.raises(RunError, match=f"{name} is missing"):
        fresh(game).restore(checkpoint, {key: value for key, value in arrays.items() if key != name}, history)


@pytest.mark.parametrize(
    "weights", [[], [1], [0] * 9, [-1] * 9, [1.5] * 9, ["1"] * 9, [10**30] * 9, [True] * 9, {"a": 1}, 7, "all"]
)
def test_a_mixture_that_is_none_of_the_trees_is_refused(kept, weights):
    game, _, arrays, history = kept
    with pytest.raises((RunError, ValueError), match=r"not one weight for each tree|mixture_weights"):
        fresh(game).restore({"mixture_weights": weights}, arrays, history)


def test_a_checkpoint_without_a_mixture_is_refused(kept):
    game, _, arrays, history = kept
    with pytest.raises(ValueError, match="missing required field `mixture_weights`"):
        fresh(game).restore({}, arrays, history)


@settings(max_examples=100)
@given(data=st.data())
def test_any_change_of_one_number_is_found_out_or_does_no_harm(kept, data):
    game, checkpoint, arrays, history = kept
    name = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[name].copy()
    flat = array.reshape(-1)
    place = data.draw(st.integers(0, len(flat) - 1))
    limits = np.iinfo(array.dtype)
    near = st.integers(max(int(flat[place]) - 3, limits.min), min(int(flat[place]) + 3, limits.max))
    flat[place] = data.draw(st.one_of(near, st.integers(limits.min, limits.max)))
    solver = fresh(game)
    try:
        solver.restore(checkpoint, {**arrays, name: array}, history)
    except RunError:
        return
    solver.step()  # whatever passed can be continued
    guesser = solver.outcome().mix
    assert guesser.guarantee == Mixture(guesser.oracles, guesser.weights).guarantee


def test_arrays_of_another_game_or_a_larger_room_are_refused(kept):
    _, checkpoint, arrays, history = kept
    with pytest.raises(RunError, match="damaged"):
        fresh(oracular.game("mastermind-2x3")).restore(checkpoint, arrays, history)
    small = make_solver("regret-matching", kept[0], {"room": 153})
    with pytest.raises(RunError, match="there is room for"):
        small.restore(checkpoint, arrays, history)
