"""Guesses worth trying at a state, each with a lower bound: the compiled exact search's view one ply ahead.

Guesses that split the state alike are one guess, guesses that split nothing are none, and what is dropped here stays
dropped for every state below: a split that is the same (or no split) of a set is so of its subsets. A guess that
singles a secret out without finding it gives way to the one that finds it, where no symmetry is in use (with symmetry
the guess kept must be the first by number, or the two reductions could each drop the other's choice).

Where only possible secrets may be guessed, the state's own are the guesses. In hard mode those that meet the demand
are, and no guess stands for another: they split the state alike, yet ask different things of what follows.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import inner
from oracular.kernels.exact.bounds import outside_bound, set_thresholds
from oracular.kernels.exact.tables import NO_BOUND, ExpansionSpace, Frames, Table
from oracular.kernels.exact.types import Bounds, Counts
from oracular.kernels.guessing import HARD, POSSIBLE, meets

FINDS = np.int64(1)
"""That a guess finds a secret, as a variable: written out, it would be compiled for a second time."""

GUESSES_BETWEEN_LOOKS = 32
"""While a state is expanded, the flag that stops the search is looked at after so many guesses."""


@inner
def heap_push(keys: Bounds, guesses: Counts, count: int, key: int, guess: int) -> None:
    """Put one more item into the heap of `count` items."""
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if keys[above] < key or (keys[above] == key and guesses[above] < guess):
            break
        keys[place] = keys[above]
        guesses[place] = guesses[above]
        place = above
    keys[place] = key
    guesses[place] = guess


@inner
def heap_drop(keys: Bounds, guesses: Counts, count: int) -> None:
    """Take the least of `count` items off the heap."""
    last = count - 1
    key = keys[last]
    guess = guesses[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        right = below + 1
        if right < last and (
            keys[right] < keys[below] or (keys[right] == keys[below] and guesses[right] < guesses[below])
        ):
            below = right
        if key < keys[below] or (key == keys[below] and guess < guesses[below]):
            break
        keys[place] = keys[below]
        guesses[place] = guesses[below]
        place = below
    keys[place] = key
    guesses[place] = guess


@inner
def same_split(table: Table, space: ExpansionSpace, state: Counts, size: int, guess: int, other: int) -> bool:
    """Tell whether the second guess splits no part that the first one leaves: if so both ways, they split alike."""
    row = table.answers[guess]
    other_row = table.answers[other]
    for index in range(size):
        space.other[row[state[index]]] = -1
    for index in range(size):
        answer = row[state[index]]
        if space.other[answer] < 0:
            space.other[answer] = other_row[state[index]]
        elif space.other[answer] != other_row[state[index]]:
            return False
    return True


@inner
def is_first_of_orbit(table: Table, frames: Frames, depth: int, guess: int) -> bool:
    """Tell whether no symmetry that keeps all earlier guesses in place takes this guess to one with a lower number."""
    if depth == 1:
        return frames.element_count[1] <= 1 or table.openings[guess] != 0
    for index in range(frames.element_count[depth]):
        if table.group[frames.elements[depth, index], guess] < guess:
            return False
    return True


@inner
def consider(table: Table, frames: Frames, depth: int, guess: int, bound: int, biggest: int, finds: int) -> None:
    """Take a guess with its bound as the new best, into the heap, or as refuted."""
    if bound >= frames.best[depth]:
        frames.low[depth] = min(frames.low[depth], bound)
    elif biggest <= 2:
        # parts of one or two secrets: the bound is the total itself, whether or not an image of the guess was seen
        frames.best[depth] = bound
        frames.best_guess[depth] = guess
        frames.best_exact[depth] = 1
    elif is_first_of_orbit(table, frames, depth, guess):
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
    frames.low[depth] = min(frames.low[depth], outside)
    for index in range(size):
        if space.biggest[index] > 2:
            consider(table, frames, depth, table.finder[state[index]], space.bound[index], space.biggest[index], FINDS)
    frames.list_frame[depth] = frames.list_frame[depth - 1]
    for answer in range(frames.thresholds.shape[1]):
        for level in range(frames.thresholds.shape[2]):
            frames.thresholds[depth, answer, level] = frames.thresholds[depth - 1, answer, level]
    return True


@inner
def place_in_list(
    table: Table,
    frames: Frames,
    space: ExpansionSpace,
    depth: int,
    state: Counts,
    size: int,
    guess: int,
    sign: int,
    finds: bool,
    count: int,
) -> int:
    """Return where in the frame's list of `count` splits a guess belongs, or -1 where one that is there stands for it.

    A split that is not there yet belongs at the end. The sign is the same for guesses that split the state alike.
    """
    symmetric = frames.element_count[depth] > 1
    listed = frames.listed[depth]
    tick = space.tick[0]
    mask = space.slot_sign.shape[0] - 1
    sign ^= sign >> np.uint64(31)
    slot = np.int64(sign & np.uint64(mask))
    while space.slot_tick[slot] == tick:
        if space.slot_sign[slot] == sign:
            candidate = space.slot_item[slot]
            # two guesses that each find a secret find different ones, and neither stands for the other
            if space.finds[candidate] != 0:
                alike = not finds and not symmetric
            else:
                alike = not finds or not symmetric
            if (
                alike
                and same_split(table, space, state, size, guess, listed[candidate])
                and same_split(table, space, state, size, listed[candidate], guess)
            ):
                return candidate if finds and not space.finds[candidate] else -1
        slot = (slot + 1) & mask
    space.slot_tick[slot] = tick
    space.slot_sign[slot] = sign
    space.slot_item[slot] = count
    return count


@inner
def list_splits(table: Table, frames: Frames, space: ExpansionSpace, depth: int, state: Counts, size: int) -> int:
    """List all different splits, with bounds and caps, and return the most parts that any guess makes."""
    symmetric = frames.element_count[depth] > 1
    weight = frames.weight[depth]
    source = frames.listed[frames.list_frame[depth - 1]]
    rule = table.guessing.rule
    source_count = size if rule == POSSIBLE else frames.list_count[frames.list_frame[depth - 1]]
    listed = frames.listed[depth]
    space.tick[0] += 1
    space.caps[:] = 0
    branches = 0
    count = 0
    for item in range(source_count):
        if item % GUESSES_BETWEEN_LOOKS == 0 and space.stop[0]:
            break
        guess = table.finder[state[item]] if rule == POSSIBLE else source[item]
        if rule == HARD and not meets(table.guessing.letters, frames.demand[depth], guess):
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
            if symmetric:
                sign ^= np.uint64(0x5851F42D4C957F2D)
        twin = count
        if rule != HARD:
            twin = place_in_list(table, frames, space, depth, state, size, guess, sign, finds, count)
        if twin < 0:
            continue
        count = max(count, twin + 1)
        listed[twin] = guess
        space.bound[twin] = bound
        space.biggest[twin] = biggest
        space.finds[twin] = finds
    frames.list_count[depth] = count
    frames.list_frame[depth] = depth
    return branches


@inner
def expand(table: Table, frames: Frames, space: ExpansionSpace, depth: int) -> None:
    """Put the frame's guesses into its heap and set its bounds and best from what one ply shows.

    Where it is stopped, the frame is to be expanded anew.
    """
    size = frames.size[depth]
    state = frames.parts[depth - 1, frames.start[depth] : frames.start[depth] + size]
    frames.best[depth] = frames.cutoff[depth]
    frames.best_guess[depth] = -1
    frames.best_exact[depth] = 0
    frames.low[depth] = NO_BOUND
    frames.heap_count[depth] = 0
    if table.guessing.rule != POSSIBLE and 2 * size <= frames.list_count[frames.list_frame[depth - 1]]:
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
