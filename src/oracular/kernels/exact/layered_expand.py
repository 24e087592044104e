"""Guesses worth trying at a state of the layered search, each with a lower bound one ply ahead.

Which guesses can be dropped is as in `splits.py`: costs never fall with the guess number, so a guess that finds a
secret is no worse than one that only singles it out, and one that splits nothing is never needed. Of guesses with the
same bound, which are many where only late guesses cost anything, the one that splits most evenly is tried first.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import inner
from oracular.kernels.exact.bounds import set_thresholds
from oracular.kernels.exact.frames import clear_frame, refute, secrets_of
from oracular.kernels.exact.heaps import scored_push
from oracular.kernels.exact.layered_bounds import outside_cost
from oracular.kernels.exact.layered_tables import CostTable, LayeredSpace
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
from oracular.kernels.exact.tables import ExpansionSpace, Frames
from oracular.kernels.exact.types import Counts


@inner
def consider_guess(
    table: CostTable,
    frames: Frames,
    layered: LayeredSpace,
    depth: int,
    guess: int,
    bound: int,
    score: int,
    whole: bool,
) -> None:
    """Take a guess with its bound, which may be the whole cost, as the new best, into the heap, or as refuted."""
    if not is_settled(frames, depth, guess, bound, whole) and is_first_of_orbit(table, frames, depth, guess):
        scored_push(
            frames.heap_key[depth],
            layered.score[depth],
            frames.heap_guess[depth],
            frames.heap_count[depth],
            bound,
            score,
            guess,
        )
        frames.heap_count[depth] += 1


@inner
def try_own(
    table: CostTable, frames: Frames, space: ExpansionSpace, layered: LayeredSpace, depth: int, state: Counts, size: int
) -> bool:
    """Tell whether the state's own secrets are the only guesses that can matter; if so they have been considered.

    Every other guess finds nobody at once, so where the best so far is no worse than that allows, none need be tried.
    """
    column = depth - 1
    now = table.costs[column]
    after = table.costs[column + 1]
    later = table.costs[column + 2]
    whole_anyway = column + 3 == table.costs.shape[0]
    outside = outside_cost(table, layered, state, size, column, space.count.shape[0] - 1)
    latest = np.int64(0)
    for place in range(size):
        latest += later[state[place]]
    for index in range(size):
        if space.stop[0]:
            return True
        one = state[index]
        row = table.answers[table.finder[one]]
        for place in range(size):
            answer = row[state[place]]
            space.count[answer] += 1
            layered.gain[answer] = max(layered.gain[answer], later[state[place]] - after[state[place]])
        bound = latest - (after[one] - now[one])
        biggest = np.int64(0)
        score = np.int64(0)
        for place in range(size):
            answer = row[state[place]]
            if space.count[answer] > 0:
                biggest = max(biggest, space.count[answer])
                score += space.count[answer] * space.count[answer]
                bound -= layered.gain[answer]
                space.count[answer] = 0
                layered.gain[answer] = 0
        space.bound[index] = bound
        space.biggest[index] = biggest
        layered.score_of[index] = 2 * score
        if biggest <= 2 or whole_anyway:
            consider_guess(table, frames, layered, depth, table.finder[one], bound, 2 * score, True)
    if frames.best[depth] > outside:
        return False
    refute(frames, depth, outside)
    if not whole_anyway:
        for index in range(size):
            if space.biggest[index] > 2:
                guess = table.finder[state[index]]
                consider_guess(table, frames, layered, depth, guess, space.bound[index], layered.score_of[index], False)
    inherit_list(frames, depth)
    return True


@inner
def list_guesses(
    table: CostTable, frames: Frames, space: ExpansionSpace, layered: LayeredSpace, depth: int, state: Counts, size: int
) -> int:
    """List all different splits, with bounds, scores and caps, and return the most parts that any guess makes."""
    column = depth - 1
    now = table.costs[column]
    after = table.costs[column + 1]
    later = table.costs[column + 2]
    source = list_above(frames, depth)
    demand = frames.demand[depth]
    branches = 0
    count = 0
    latest = np.int64(0)
    for place in range(size):
        latest += later[state[place]]
    for item in range(begin_list(table, frames, space, depth, size)):
        if item % GUESSES_BETWEEN_LOOKS == 0 and space.stop[0]:
            break
        guess = guess_to_list(table, source, demand, state, item)
        if guess < 0:
            continue
        row = table.answers[guess]
        parts = 0
        sign = np.uint64(size)
        found_at = -1
        for place in range(size):
            secret = state[place]
            answer = row[secret]
            if space.count[answer] == 0:
                space.touched[parts] = answer
                space.label[answer] = parts + 1
                parts += 1
                layered.gain[answer] = 0
                if answer == table.found:
                    found_at = secret
            space.count[answer] += 1
            layered.gain[answer] = max(layered.gain[answer], later[secret] - after[secret])
            sign = (sign ^ np.uint64(space.label[answer])) * np.uint64(0x9E3779B97F4A7C15)
        finds = found_at >= 0
        bound = latest
        biggest = np.int64(0)
        score = np.int64(0)
        for index in range(parts):
            answer = space.touched[index]
            amount = space.count[answer]
            bound -= layered.gain[answer]
            layered.gain[answer] = 0
            score += amount * amount
            if answer != table.found:
                biggest = max(biggest, amount)
                space.caps[answer] = max(space.caps[answer], amount)
            space.count[answer] = 0
        if parts == 1:
            continue
        branches = max(branches, parts - 1 if finds else parts)
        if finds:
            bound -= after[found_at] - now[found_at]
        place = keep_split(table, frames, space, depth, state, size, guess, sign, finds, count, bound, biggest)
        if place >= 0:
            layered.score_of[place] = 2 * score + (0 if finds else 1)
            count = max(count, place + 1)
    end_list(frames, depth, count)
    return branches


@inner
def expand_layered(table: CostTable, frames: Frames, space: ExpansionSpace, layered: LayeredSpace, depth: int) -> None:
    """Put the frame's guesses into its heap and set its bounds and best from what one ply shows.

    Where it is stopped, the frame is to be expanded anew.
    """
    size = frames.size[depth]
    state = secrets_of(frames, depth)
    column = depth - 1
    last = table.costs.shape[0] - 1
    clear_frame(frames, depth)
    if own_guesses_may_do(table, frames, depth, size):
        if try_own(table, frames, space, layered, depth, state, size):
            return
    branches = list_guesses(table, frames, space, layered, depth, state, size)
    set_thresholds(frames, space, depth, branches)
    for item in range(frames.list_count[depth]):
        if item % GUESSES_BETWEEN_LOOKS == 0 and space.stop[0]:
            return
        guess = frames.listed[depth, item]
        bound = space.bound[item]
        biggest = space.biggest[item]
        whole = biggest <= 2 or column + 2 == last
        if not whole and table.ordered and bound < frames.best[depth] and biggest > branches + 1:
            row = table.answers[guess]
            bound = np.int64(0)
            for place in range(size):
                secret = state[place]
                answer = row[secret]
                if answer == table.found:
                    bound += table.costs[column, secret]
                else:
                    ahead = np.int64(space.rank_depth[answer, space.count[answer]])
                    bound += table.costs[min(column + ahead, last), secret]
                    space.count[answer] += 1
            for place in range(size):
                space.count[row[state[place]]] = 0
        consider_guess(table, frames, layered, depth, guess, bound, layered.score_of[item], whole)
