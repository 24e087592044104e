"""Guesses worth trying at a state, each with a lower bound: the compiled exact search's view one ply ahead."""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import inner
from oracular.kernels.exact.bounds import outside_bound, set_thresholds
from oracular.kernels.exact.frames import clear_frame, refute, secrets_of
from oracular.kernels.exact.heaps import heap_push
from oracular.kernels.exact.splits import (
    GUESSES_BETWEEN_LOOKS,
    begin_list,
    end_list,
    guess_to_list,
    inherit_list,
    is_first_of_orbit,
    is_settled,
    keep_split,
    list_above,
    own_guesses_may_do,
)
from oracular.kernels.exact.tables import ExpansionSpace, Frames, Table
from oracular.kernels.exact.types import Counts

FINDS = np.int64(1)
"""That a guess finds a secret, as a variable: written out, it would be compiled for a second time."""


@inner
def consider(table: Table, frames: Frames, depth: int, guess: int, bound: int, biggest: int, finds: int) -> None:
    """Take a guess with its bound as the new best, into the heap, or as refuted."""
    # with parts of one or two secrets the bound is the total itself, whether or not an image of the guess was seen
    if not is_settled(frames, depth, guess, bound, biggest <= 2) and is_first_of_orbit(table, frames, depth, guess):
        key = 2 * bound + 1 - finds
        heap_push(frames.heap_key[depth], frames.heap_guess[depth], frames.heap_count[depth], key, guess)
        frames.heap_count[depth] += 1


@inner
def try_own_guesses(table: Table, frames: Frames, space: ExpansionSpace, depth: int, state: Counts, size: int) -> bool:
    """Tell whether the state's own secrets are the only guesses that can matter; if so they have been considered.

    Every other guess finds nobody at once, so where the best so far is no worse than that allows, none need be tried.
    """
    weight = frames.weight[depth]
    outside = outside_bound(table, state, size, space.count.shape[0] - 1)
    for index in range(size):
        if space.stop[0]:
            return True
        guess = table.finder[state[index]]
        row = table.answers[guess]
        bound = 3 * weight - 2 * table.weights[state[index]]
        biggest = np.int64(0)
        for place in range(size):
            answer = row[state[place]]
            if space.count[answer] == 0 and place != index:
                bound -= table.weights[state[place]]
            space.count[answer] += 1
            biggest = max(biggest, space.count[answer])
        for place in range(size):
            space.count[row[state[place]]] = 0
        space.bound[index] = bound
        space.biggest[index] = biggest
        if biggest <= 2:
            consider(table, frames, depth, guess, bound, biggest, FINDS)
    if frames.best[depth] > outside:
        return False
    refute(frames, depth, outside)
    for index in range(size):
        if space.biggest[index] > 2:
            consider(table, frames, depth, table.finder[state[index]], space.bound[index], space.biggest[index], FINDS)
    inherit_list(frames, depth)
    return True


@inner
def list_splits(table: Table, frames: Frames, space: ExpansionSpace, depth: int, state: Counts, size: int) -> int:
    """List all different splits, with bounds and caps, and return the most parts that any guess makes."""
    weight = frames.weight[depth]
    source = list_above(frames, depth)
    demand = frames.demand[depth]
    branches = 0
    count = 0
    for item in range(begin_list(table, frames, space, depth, size)):
        if item % GUESSES_BETWEEN_LOOKS == 0 and space.stop[0]:
            break
        guess = guess_to_list(table, source, demand, state, item)
        if guess < 0:
            continue
        row = table.answers[guess]
        parts = 0
        sign = np.uint64(size)
        bound = 3 * weight
        for place in range(size):
            secret = state[place]
            answer = row[secret]
            if space.count[answer] == 0:
                space.touched[parts] = answer
                space.label[answer] = parts + 1
                parts += 1
                bound -= table.weights[secret]
            space.count[answer] += 1
            sign = (sign ^ np.uint64(space.label[answer])) * np.uint64(0x9E3779B97F4A7C15)
        finds = space.count[table.found] > 0
        biggest = np.int64(0)
        for index in range(parts):
            answer = space.touched[index]
            if answer != table.found:
                biggest = max(biggest, space.count[answer])
                space.caps[answer] = max(space.caps[answer], space.count[answer])
            space.count[answer] = 0
        if parts == 1:
            continue
        branches = max(branches, parts - 1 if finds else parts)
        if finds:
            for place in range(size):
                if row[state[place]] == table.found:
                    bound -= table.weights[state[place]]
                    break
        place = keep_split(table, frames, space, depth, state, size, guess, sign, finds, count, bound, biggest)
        count = max(count, place + 1)
    end_list(frames, depth, count)
    return branches


@inner
def expand(table: Table, frames: Frames, space: ExpansionSpace, depth: int) -> None:
    """Put the frame's guesses into its heap and set its bounds and best from what one ply shows.

    Where it is stopped, the frame is to be expanded anew.
    """
    size = frames.size[depth]
    state = secrets_of(frames, depth)
    clear_frame(frames, depth)
    if own_guesses_may_do(table, frames, depth, size):
        if try_own_guesses(table, frames, space, depth, state, size):
            return
    branches = list_splits(table, frames, space, depth, state, size)
    set_thresholds(frames, space, depth, branches)
    weight = frames.weight[depth]
    for item in range(frames.list_count[depth]):
        if item % GUESSES_BETWEEN_LOOKS == 0 and space.stop[0]:
            return
        guess = frames.listed[depth, item]
        bound = space.bound[item]
        biggest = space.biggest[item]
        if bound < frames.best[depth] and biggest > branches + 1:
            row = table.answers[guess]
            bound = weight
            for place in range(size):
                secret = state[place]
                answer = row[secret]
                if answer != table.found:
                    bound += table.weights[secret] * space.rank_depth[answer, space.count[answer]]
                    space.count[answer] += 1
            for place in range(size):
                space.count[row[state[place]]] = 0
        consider(table, frames, depth, guess, bound, biggest, space.finds[item])
