"""Compiled building of a greedy tree that starts from the trees before it.

Fictitious play adds weight to a few secrets at a time. At a state that holds none of them nothing changes, nor
anywhere below it; so the states of earlier trees are kept (`state_cache.py`) with the weights they were seen with, and
a state is looked at again only where some member's weight is another now (`incremental_level.py`).

A state that a guess tells wholly apart is settled: while all weights are above zero no guess costs less, so it need
never be looked at again.

The loop over levels stands here twice: the one for any thread releases the GIL and never enters Numba's thread layer.

As in `greedy_tree.py` a tree is built level by level, and a level's work is dealt out to threads in tasks whose results
do not depend on each other. The tree is that of `greedy_tree.py`, guess for guess.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from oracular.kernels.answers import Answers
from oracular.kernels.greedy.incremental_level import choose_level, keep_levels, plan_level, score_level
from oracular.kernels.greedy.scoring import Scratch, pack_for
from oracular.kernels.greedy.shortlists import is_listed
from oracular.kernels.greedy.state_cache import MEMBERS, STATES, TICK, Cache, make_room
from oracular.kernels.greedy.tree import checked_depths


@njit(cache=True, nogil=True)
def _grown(log, states):
    """Return the log, with room for as many rows more."""
    if log[0, 0] + states <= len(log):
        return log
    larger = np.empty((2 * len(log) + states, 4), np.int64)
    larger[: log[0, 0]] = log[: log[0, 0]]
    return larger


@njit(cache=True, nogil=True)
def _depths_serial(answers, cache, weights, packed, ties, shift, room):
    """Return the depths [secrets], worked out on the calling thread.

    The states of a level have no secret in common, so there are at most as many as secrets; the log grows as need be.
    """
    secrets = len(answers.finder)
    depths = np.zeros(secrets, np.int32)
    order, next_order = np.arange(secrets).astype(np.int32), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    log = np.ones((1024, 4), np.int64)
    states, depth = 1, 0
    while states > 0 and depth < secrets:
        depth += 1
        planned, lists, _ = plan_level(answers, cache, weights, order, bounds, states, depth, ties, 1, depths)
        score_level(0, 1, planned, lists, answers, packed, order, bounds, ties, shift, room)
        log = _grown(log, states)
        states = choose_level(
            answers, cache, weights, order, bounds, states, planned, lists, depth, ties, depths,
            next_order, next_bounds, log,
        )  # fmt: skip
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    if states == 0:
        keep_levels(cache, weights, depths, log)
    return depths


@njit(cache=True, parallel=True)
def _score_on_lanes(lanes, planned, lists, answers, packed, order, bounds, ties, shift, room):
    """Fill in what comes of every task of a level."""
    for lane in prange(lanes):
        score_level(lane, lanes, planned, lists, answers, packed, order, bounds, ties, shift, room)


@njit(cache=True)
def _depths_parallel(answers, cache, weights, packed, ties, shift, room, lanes):
    """Return the depths [secrets], levels with much work on `lanes` threads; from the main thread only."""
    secrets = len(answers.finder)
    depths = np.zeros(secrets, np.int32)
    order, next_order = np.arange(secrets).astype(np.int32), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    log = np.ones((1024, 4), np.int64)
    states, depth = 1, 0
    while states > 0 and depth < secrets:
        depth += 1
        planned, lists, used = plan_level(answers, cache, weights, order, bounds, states, depth, ties, lanes, depths)
        if used == 1:
            score_level(0, 1, planned, lists, answers, packed, order, bounds, ties, shift, room)
        else:
            _score_on_lanes(lanes, planned, lists, answers, packed, order, bounds, ties, shift, room)
        log = _grown(log, states)
        states = choose_level(
            answers, cache, weights, order, bounds, states, planned, lists, depth, ties, depths,
            next_order, next_bounds, log,
        )  # fmt: skip
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    if states == 0:
        keep_levels(cache, weights, depths, log)
    return depths


def next_tree_depths(
    answers: Answers, cache: Cache, room: Scratch, weights: NDArray[np.int64], ties: int, threads: int = 1
) -> NDArray[np.int32]:
    """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

    Args:
        answers: the game.
        cache: what is kept of earlier trees of the same game and rule for ties; this tree is added to it.
        room: what `new_scratch` gave for as many threads or more.
        weights: the hider's whole-number weights [secrets].
        ties: TIES_FIRST or TIES_POSSIBLE.
        threads: how many may work; more than one only from the main thread.
    """
    packed, shift = pack_for(answers, weights)
    cache.numbers[TICK] += 1
    make_room(cache)
    if threads == 1:
        depths = _depths_serial(answers, cache, weights, packed, ties, shift, room)
    else:
        numba.set_num_threads(threads)
        depths = _depths_parallel(answers, cache, weights, packed, ties, shift, room, threads)
    return checked_depths(depths)


def has_lists(answers: Answers) -> bool:
    """Tell whether large states of this game have lists: not where answers are many, whose counts are not at hand."""
    return bool(is_listed(answers, len(answers.finder)))


def kept_numbers(cache: Cache) -> tuple[int, int, int]:
    """Return how many states, members of states, and lists of best guesses are kept."""
    return int(cache.numbers[STATES]), int(cache.numbers[MEMBERS]), int((cache.owner >= 0).sum())
