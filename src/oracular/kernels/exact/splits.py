"""The guesses of a state that split it in different ways, listed for both compiled exact searches.

Guesses that split the state alike are one guess, guesses that split nothing are none, and what is dropped here stays
dropped for every state below: a split that is the same (or no split) of a set is so of its subsets. A guess that
singles a secret out without finding it gives way to the one that finds it, where no symmetry is in use (with symmetry
the guess kept must be the first by number, or the two reductions could each drop the other's choice).

Where only possible secrets may be guessed, the state's own are the guesses. In hard mode those that meet the demand
are, and no guess stands for another: they split the state alike, yet ask different things of what follows.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import inlined, inner
from oracular.kernels.exact.frames import refute, take_as_best
from oracular.kernels.exact.layered_tables import CostTable
from oracular.kernels.exact.tables import ExpansionSpace, Frames, Table
from oracular.kernels.exact.types import Counts
from oracular.kernels.guessing import HARD, POSSIBLE, meets

GUESSES_BETWEEN_LOOKS = 32
"""While a state is expanded, the flag that stops the search is looked at after so many guesses."""


@inner
def same_split(
    table: Table | CostTable, space: ExpansionSpace, state: Counts, size: int, guess: int, other: int
) -> bool:
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
def is_first_of_orbit(table: Table | CostTable, frames: Frames, depth: int, guess: int) -> bool:
    """Tell whether no symmetry that keeps all earlier guesses in place takes this guess to one with a lower number."""
    if depth == 1:
        return frames.element_count[1] <= 1 or table.openings[guess] != 0
    for index in range(frames.element_count[depth]):
        if table.group[frames.elements[depth, index], guess] < guess:
            return False
    return True


@inlined
def is_settled(frames: Frames, depth: int, guess: int, bound: int, whole: bool) -> bool:
    """Tell whether a guess need not be tried: it is refuted or, its bound being the whole total, the new best."""
    if bound >= frames.best[depth]:
        refute(frames, depth, bound)
        return True
    if whole:
        take_as_best(frames, depth, guess, bound, 1)
        return True
    return False


@inlined
def own_guesses_may_do(table: Table | CostTable, frames: Frames, depth: int, size: int) -> bool:
    """Tell whether a state has so few secrets that their own guesses are to be tried before all others."""
    return table.guessing.rule != POSSIBLE and 2 * size <= frames.list_count[frames.list_frame[depth - 1]]


@inlined
def inherit_list(frames: Frames, depth: int) -> None:
    """Let a frame that lists no splits of its own have the list and the thresholds of the frame above."""
    frames.list_frame[depth] = frames.list_frame[depth - 1]
    for answer in range(frames.thresholds.shape[1]):
        for level in range(frames.thresholds.shape[2]):
            frames.thresholds[depth, answer, level] = frames.thresholds[depth - 1, answer, level]


@inlined
def begin_list(table: Table | CostTable, frames: Frames, space: ExpansionSpace, depth: int, size: int) -> int:
    """Return how many guesses are to be looked at for a frame's list, which is empty now."""
    space.tick[0] += 1
    space.caps[:] = 0
    return size if table.guessing.rule == POSSIBLE else frames.list_count[frames.list_frame[depth - 1]]


@inlined
def guess_to_list(table: Table | CostTable, source: Counts, demand: int, state: Counts, item: int) -> int:
    """Return the guess to be looked at next, of the list above (`source`) or the state's own, or -1 where forbidden."""
    guess = table.finder[state[item]] if table.guessing.rule == POSSIBLE else source[item]
    if table.guessing.rule == HARD and not meets(table.guessing.letters, demand, guess):
        return np.int32(-1)
    return guess


@inlined
def list_above(frames: Frames, depth: int) -> Counts:
    """Return the list that a frame draws on; as many of it count as `begin_list` says."""
    return frames.listed[frames.list_frame[depth - 1]]


@inner
def place_in_list(
    table: Table | CostTable,
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
    if finds and symmetric:
        sign ^= np.uint64(0x5851F42D4C957F2D)
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


@inlined
def keep_split(
    table: Table | CostTable,
    frames: Frames,
    space: ExpansionSpace,
    depth: int,
    state: Counts,
    size: int,
    guess: int,
    sign: int,
    finds: bool,
    count: int,
    bound: int,
    biggest: int,
) -> int:
    """Return the place that a guess gets in the frame's list of `count` splits, or -1 where another stands for it.

    With it are kept its bound, its largest part, and whether it finds a secret.
    """
    place = count
    if table.guessing.rule != HARD:
        place = place_in_list(table, frames, space, depth, state, size, guess, sign, finds, count)
    if place >= 0:
        frames.listed[depth, place] = guess
        space.bound[place] = bound
        space.biggest[place] = biggest
        space.finds[place] = finds
    return place


@inlined
def end_list(frames: Frames, depth: int, count: int) -> None:
    """Let the frame's list of `count` splits be the one that the frames below draw on."""
    frames.list_count[depth] = count
    frames.list_frame[depth] = depth
