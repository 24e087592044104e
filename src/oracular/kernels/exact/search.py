"""The compiled exact search: branch and bound over states, on a stack of its own, in slices of so many states.

A state's bound to k plies is the least, over the guesses, of the state's weight plus its parts' bounds to k - 1 plies,
a part's bound to 0 plies being the counting bound or what the memo has. To `EXACT` plies it is the optimum. A guess
is given up as soon as its bound reaches the best so far; a part is searched only up to what the other parts leave it.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.exact.bounds import part_counting_bound, small_total
from oracular.kernels.exact.expand import expand, heap_drop, heap_push
from oracular.kernels.exact.memo import find, put_beside, store
from oracular.kernels.exact.tables import EXACT, ExpansionSpace, Frames, Memo, Table
from oracular.kernels.exact.types import Bytes
from oracular.kernels.guessing import HARD, next_demand

OVER, MORE, FULL = 0, 1, 2
"""Why a slice ended: the search is over; its states are used up, or it was stopped; the memo should grow."""

ANY_NUMBER = np.int64(0)
"""The guess number beside a state where it does not matter, as a variable: written out, it would be compiled again."""

UNEXPANDED, BETWEEN_GUESSES = -1, -2
"""What stands for the guess of a frame that is to be expanded, and of one that was stopped before its next guess."""


@inner
def new_parts(frames: Frames, space: ExpansionSpace, depth: int, row: Bytes, found: int) -> int:
    """Return how many parts a guess makes of the frame's secrets; each has its place, and nothing in it yet.

    The row has the guess's answer to each secret. The part of each answer is in `space.label`.
    """
    size = frames.size[depth]
    state = frames.parts[depth - 1, frames.start[depth] : frames.start[depth] + size]
    count = space.count
    parts = 0
    for place in range(size):
        answer = row[state[place]]
        if answer != found:
            if count[answer] == 0:
                space.touched[parts] = answer
                space.label[answer] = parts
                parts += 1
            count[answer] += 1
    start = 0
    for part in range(parts):
        answer = space.touched[part]
        frames.part_start[depth, part] = start
        frames.part_size[depth, part] = 0
        frames.part_weight[depth, part] = 0
        frames.part_keys[depth, part, 0] = 0
        frames.part_keys[depth, part, 1] = 0
        start += count[answer]
        count[answer] = 0
    return parts


@inner
def set_demands(table: Table, frames: Frames, space: ExpansionSpace, depth: int, guess: int, parts: int) -> None:
    """Set what is asked of the next guess in each part that a guess makes, where the game makes demands."""
    guessing = table.guessing
    if guessing.rule == HARD:
        for part in range(parts):
            frames.part_demand[depth, part] = next_demand(
                guessing.letters, guessing.colours, frames.demand[depth], guess, space.touched[part]
            )


@inner
def split(table: Table, memo: Memo, frames: Frames, space: ExpansionSpace, depth: int, guess: int) -> None:
    """Group the frame's secrets by the guess's answers, each part with its weight, key and bound."""
    size = frames.size[depth]
    state = frames.parts[depth - 1, frames.start[depth] : frames.start[depth] + size]
    row = table.answers[guess]
    parts = new_parts(frames, space, depth, row, table.found)
    for place in range(size):
        secret = state[place]
        answer = row[secret]
        if answer != table.found:
            part = space.label[answer]
            frames.parts[depth, frames.part_start[depth, part] + frames.part_size[depth, part]] = secret
            frames.part_size[depth, part] += 1
            frames.part_weight[depth, part] += table.weights[secret]
            frames.part_keys[depth, part, 0] ^= table.keys[secret, 0]
            frames.part_keys[depth, part, 1] ^= table.keys[secret, 1]
    set_demands(table, frames, space, depth, guess, parts)
    frames.guess[depth] = guess
    frames.part_count[depth] = parts
    total = frames.weight[depth]
    exact = 1
    for part in range(parts):
        start = frames.part_start[depth, part]
        length = frames.part_size[depth, part]
        secrets = frames.parts[depth, start : start + length]
        still_open = 0
        if length <= 3:
            bound = small_total(table, secrets, length)[0]
        elif frames.part_weight[depth, part] == 0:
            bound = np.int64(0)
        else:
            bound = part_counting_bound(table, secrets, length, frames.thresholds[depth, space.touched[part]])
            still_open = 1
            aside = put_beside(ANY_NUMBER, frames.part_demand[depth, part])
            slot = find(memo, aside, frames.part_keys[depth, part, 0], frames.part_keys[depth, part, 1], secrets)
            if slot >= 0:
                bound = max(bound, memo.lower[slot])
                if memo.plies[slot] == EXACT:
                    still_open = 0
                elif memo.plies[slot] >= frames.plies[depth] - 1:
                    # as deep as asked: nothing to search, yet not the optimum
                    still_open = 0
                    exact = 0
            if still_open and (frames.plies[depth] <= 1 or depth + 2 >= frames.size.shape[0]):
                still_open = 0
                exact = 0
        frames.part_bound[depth, part] = bound
        frames.part_open[depth, part] = still_open
        total += bound
    frames.total[depth] = total
    frames.total_exact[depth] = exact


@inner
def next_guess(table: Table, memo: Memo, frames: Frames, space: ExpansionSpace, depth: int) -> bool:
    """Tell whether there is a guess to go into; it has been split. If not, the frame is finished, or was stopped."""
    keys = frames.heap_key[depth]
    guesses = frames.heap_guess[depth]
    while frames.heap_count[depth] > 0:
        if space.stop[0]:
            frames.guess[depth] = BETWEEN_GUESSES
            return False
        key = keys[0]
        guess = guesses[0]
        if (key >> 1) >= frames.best[depth]:
            frames.low[depth] = min(frames.low[depth], key >> 1)
            break
        heap_drop(keys, guesses, frames.heap_count[depth])
        frames.heap_count[depth] -= 1
        split(table, memo, frames, space, depth, guess)
        total = frames.total[depth]
        if total >= frames.best[depth]:
            frames.low[depth] = min(frames.low[depth], total)
        elif frames.heap_count[depth] > 0 and (keys[0] >> 1) < total:
            heap_push(keys, guesses, frames.heap_count[depth], 2 * total + (key & 1), guess)
            frames.heap_count[depth] += 1
        else:
            return True
    frames.heap_count[depth] = 0
    return False


@inner
def descend(table: Table, frames: Frames, depth: int) -> None:
    """Make the smallest open part of the guess being tried the next frame."""
    chosen = -1
    for part in range(frames.part_count[depth]):
        if frames.part_open[depth, part] and (
            chosen < 0 or frames.part_size[depth, part] < frames.part_size[depth, chosen]
        ):
            chosen = part
    below = depth + 1
    frames.part_at[depth] = chosen
    frames.start[below] = frames.part_start[depth, chosen]
    frames.size[below] = frames.part_size[depth, chosen]
    frames.weight[below] = frames.part_weight[depth, chosen]
    frames.demand[below] = frames.part_demand[depth, chosen]
    frames.keys[below, 0] = frames.part_keys[depth, chosen, 0]
    frames.keys[below, 1] = frames.part_keys[depth, chosen, 1]
    frames.plies[below] = frames.plies[depth] - 1 if frames.plies[depth] < EXACT else EXACT
    frames.cutoff[below] = frames.best[depth] - frames.total[depth] + frames.part_bound[depth, chosen]
    guess = frames.guess[depth]
    count = 0
    if depth == 1:
        if frames.element_count[1] > 1:
            for element in range(table.group_from[guess], table.group_from[guess + 1]):
                frames.elements[below, count] = element
                count += 1
    elif frames.element_count[depth] > 1:
        for index in range(frames.element_count[depth]):
            element = frames.elements[depth, index]
            if table.group[element, guess] == guess:
                frames.elements[below, count] = element
                count += 1
    frames.element_count[below] = count
    frames.depth[0] = below


@inner
def go_into(table: Table, frames: Frames, depth: int) -> None:
    """Go on with an open part of the guess being tried, or take the guess as the best where none is open."""
    any_open = False
    for part in range(frames.part_count[depth]):
        if frames.part_open[depth, part]:
            any_open = True
    if any_open:
        descend(table, frames, depth)
        frames.guess[depth + 1] = UNEXPANDED
    else:
        frames.best[depth] = frames.total[depth]
        frames.best_guess[depth] = frames.guess[depth]
        frames.best_exact[depth] = frames.total_exact[depth]


@entry_point
def run(
    table: Table,
    memo: Memo,
    frames: Frames,
    space: ExpansionSpace,
    base: int,
    states: int,
    growth: int,
    pool_growth: int,
) -> int:
    """Return why the slice ended: after `states` states, or with `growth` states or `pool_growth` secrets in the memo.

    The caller sets up the frame above `base` as `UNEXPANDED`. A search that was stopped goes on as if it had not been.
    """
    last = memo.used[2] + states
    while True:
        depth = frames.depth[0]
        if depth == base:
            return OVER
        if space.stop[0]:
            return MORE
        if frames.guess[depth] == UNEXPANDED:
            if memo.used[2] >= last:
                return MORE
            if memo.used[0] >= growth or (memo.pool.shape[0] > 0 and memo.used[3] >= pool_growth):
                return FULL
            memo.used[2] += 1
            expand(table, frames, space, depth)
            if space.stop[0]:
                memo.used[2] -= 1
                return MORE
            going_in = next_guess(table, memo, frames, space, depth)
        elif frames.guess[depth] == BETWEEN_GUESSES:
            frames.guess[depth] = UNEXPANDED  # as it was after the expansion, when no guess had been tried
            going_in = next_guess(table, memo, frames, space, depth)
        else:
            # a guess is being tried: is it refuted, complete, or has it parts left to search?
            going_in = True
            if frames.total[depth] >= frames.best[depth]:
                frames.low[depth] = min(frames.low[depth], frames.total[depth])
                going_in = next_guess(table, memo, frames, space, depth)
        if going_in:
            go_into(table, frames, depth)
        elif frames.guess[depth] != BETWEEN_GUESSES:
            finish(memo, frames, depth, ANY_NUMBER, base)


@inner
def finish(memo: Memo, frames: Frames, depth: int, number: int, base: int) -> None:
    """Write the frame's result into the memo and its parent, which is the frame to go on with, but for frame `base`."""
    improved = frames.best[depth] < frames.cutoff[depth]
    exact = improved and frames.best_exact[depth] != 0
    value = frames.best[depth] if improved else frames.low[depth]
    plies = 0
    if exact:
        plies = EXACT
    elif improved and frames.plies[depth] < EXACT:
        plies = frames.plies[depth]
    state = frames.parts[depth - 1, frames.start[depth] : frames.start[depth] + frames.size[depth]]
    aside = put_beside(number, frames.demand[depth])
    store(memo, aside, frames.keys[depth, 0], frames.keys[depth, 1], state, value, plies, frames.best_guess[depth])
    frames.depth[0] = depth - 1
    above = depth - 1
    if above > base:
        part = frames.part_at[above]
        frames.total[above] += max(value - frames.part_bound[above, part], 0)
        frames.part_bound[above, part] = max(value, frames.part_bound[above, part])
        frames.part_open[above, part] = 0
        if not exact:
            frames.total_exact[above] = 0
