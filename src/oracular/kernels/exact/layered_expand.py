"""Guesses worth trying at a state of the layered search, each with a lower bound one ply ahead.

Which guesses can be dropped is as in `expand.py`: costs never fall with the guess number, so a guess that finds a
secret is no worse than one that only singles it out, and one that splits nothing is never needed. Of guesses with the
same bound, which are many where only late guesses cost anything, the one that splits most evenly is tried first.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import inner
from oracular.kernels.exact.bounds import set_thresholds
from oracular.kernels.exact.expand import GUESSES_BETWEEN_LOOKS, is_first_of_orbit, place_in_list
from oracular.kernels.exact.layered_bounds import outside_cost
from oracular.kernels.exact.layered_tables import CostTable, LayeredSpace
from oracular.kernels.exact.tables import NO_BOUND, ExpansionSpace, Frames
from oracular.kernels.exact.types import Bounds, Counts
from oracular.kernels.guessing import HARD, POSSIBLE, meets


@inner
def comes_first(key: int, score: int, guess: int, other_key: int, other_score: int, other_guess: int) -> bool:
    """Tell whether the first of two guesses is to be tried before the other."""
    if key != other_key:
        return key < other_key
    if score != other_score:
        return score < other_score
    return guess < other_guess


@inner
def push_guess(keys: Bounds, scores: Bounds, guesses: Counts, count: int, key: int, score: int, guess: int) -> None:
    """Put one more guess into the heap of `count` guesses."""
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if not comes_first(key, score, guess, keys[above], scores[above], guesses[above]):
            break
        keys[place] = keys[above]
        scores[place] = scores[above]
        guesses[place] = guesses[above]
        place = above
    keys[place] = key
    scores[place] = score
    guesses[place] = guess


@inner
def drop_guess(keys: Bounds, scores: Bounds, guesses: Counts, count: int) -> None:
    """Take the first of `count` guesses off the heap."""
    last = count - 1
    key = keys[last]
    score = scores[last]
    guess = guesses[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        right = below + 1
        if right < last and comes_first(
            keys[right], scores[right], guesses[right], keys[below], scores[below], guesses[below]
        ):
            below = right
        if comes_first(key, score, guess, keys[below], scores[below], guesses[below]):
            break
        keys[place] = keys[below]
        scores[place] = scores[below]
        guesses[place] = guesses[below]
        place = below
    keys[place] = key
    scores[place] = score
    guesses[place] = guess


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
    if bound >= frames.best[depth]:
        frames.low[depth] = min(frames.low[depth], bound)
    elif whole:
        frames.best[depth] = bound
        frames.best_guess[depth] = guess
        frames.best_exact[depth] = 1
    elif is_first_of_orbit(table, frames, depth, guess):
        push_guess(
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
    frames.low[depth] = min(frames.low[depth], outside)
    if not whole_anyway:
        for index in range(size):
            if space.biggest[index] > 2:
                guess = table.finder[state[index]]
                consider_guess(table, frames, layered, depth, guess, space.bound[index], layered.score_of[index], False)
    frames.list_frame[depth] = frames.list_frame[depth - 1]
    for answer in range(frames.thresholds.shape[1]):
        for level in range(frames.thresholds.shape[2]):
            frames.thresholds[depth, answer, level] = frames.thresholds[depth - 1, answer, level]
    return True


@inner
def list_guesses(
    table: CostTable, frames: Frames, space: ExpansionSpace, layered: LayeredSpace, depth: int, state: Counts, size: int
) -> int:
    """List all different splits, with bounds, scores and caps, and return the most parts that any guess makes."""
    symmetric = frames.element_count[depth] > 1
    column = depth - 1
    now = table.costs[column]
    after = table.costs[column + 1]
    later = table.costs[column + 2]
    source = frames.listed[frames.list_frame[depth - 1]]
    rule = table.guessing.rule
    source_count = size if rule == POSSIBLE else frames.list_count[frames.list_frame[depth - 1]]
    listed = frames.listed[depth]
    space.tick[0] += 1
    space.caps[:] = 0
    branches = 0
    count = 0
    latest = np.int64(0)
    for place in range(size):
        latest += later[state[place]]
    for item in range(source_count):
        if item % GUESSES_BETWEEN_LOOKS == 0 and space.stop[0]:
            break
        guess = table.finder[state[item]] if rule == POSSIBLE else source[item]
        if rule == HARD and not meets(table.guessing.letters, frames.demand[depth], guess):
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
        layered.score_of[twin] = 2 * score + (0 if finds else 1)
    frames.list_count[depth] = count
    frames.list_frame[depth] = depth
    return branches


@inner
def expand_layered(table: CostTable, frames: Frames, space: ExpansionSpace, layered: LayeredSpace, depth: int) -> None:
    """Put the frame's guesses into its heap and set its bounds and best from what one ply shows.

    Where it is stopped, the frame is to be expanded anew.
    """
    size = frames.size[depth]
    state = frames.parts[depth - 1, frames.start[depth] : frames.start[depth] + size]
    column = depth - 1
    last = table.costs.shape[0] - 1
    frames.best[depth] = frames.cutoff[depth]
    frames.best_guess[depth] = -1
    frames.best_exact[depth] = 0
    frames.low[depth] = NO_BOUND
    frames.heap_count[depth] = 0
    if table.guessing.rule != POSSIBLE and 2 * size <= frames.list_count[frames.list_frame[depth - 1]]:
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
