"""The symmetries that are left after an opening, listed."""

from itertools import permutations

import numpy as np
import pytest

from oracular import game, hider_uniform
from oracular.games.symmetry import closure, plan_openings
from oracular.system.control import NEVER


def moves(*images: int) -> np.ndarray:
    return np.array(images, dtype=np.int32)


def test_a_swap_and_a_turn_make_all_permutations():
    listed = closure([moves(1, 0, 2, 3, 4), moves(1, 2, 3, 4, 0)], 120, NEVER)
    assert sorted(map(tuple, listed.tolist())) == sorted(permutations(range(5)))
    assert listed[0].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("seed", range(20))
def test_a_group_holds_what_its_elements_make_of_one_another(seed):
    rng = np.random.default_rng(seed)
    generators = [rng.permutation(6).astype(np.int32) for _ in range(2)]
    generators.append(moves(0, 1, 3, 2, 4, 5))
    listed = closure(generators, 720, NEVER)
    elements = {tuple(element) for element in listed.tolist()}
    assert len(elements) == len(listed)
    assert {tuple(generator) for generator in map(np.ndarray.tolist, generators)} <= elements
    assert {tuple(one[other].tolist()) for one in generators for other in listed} == elements


def test_all_symmetries_that_keep_the_opening_of_bulls_and_cows_are_used():
    bulls = game("bulls-4x8")
    plan = plan_openings(bulls, hider_uniform(bulls).weights)
    assert plan.openings.sum() == 1
    assert len(plan.group) == 24 * 24  # places are exchanged with their digits, and the four other digits freely
    assert (plan.group[:, 0] == 0).all()
