"""The compiled exact search: branch and bound over states, on a stack of its own, in slices of so many states.

A state's bound to k plies is the least, over the guesses, of the state's weight plus its parts' bounds to k - 1 plies,
a part's bound to 0 plies being the counting bound or what the memo has. To `EXACT` plies it is the optimum. A guess
is given up as soon as its bound reaches the best so far; a part is searched only up to what the other parts leave it.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.exact.bounds import part_counting_bound, small_total
from oracular.kernels.exact.expand import expand
from oracular.kernels.exact.frames import (
    BETWEEN_GUESSES,
    DEEP,
    MORE,
    OPEN,
    OVER,
    UNEXPANDED,
    WHOLE,
    finish,
    go_into,
    is_refuted,
    known_of_part,
    new_parts,
    put_into_part,
    refute,
    secrets_of,
    secrets_of_part,
    try_guess,
    why_ended,
)
from oracular.kernels.exact.heaps import heap_drop, heap_push
from oracular.kernels.exact.tables import ExpansionSpace, Frames, Memo, Table

ANY_NUMBER = np.int64(0)
"""The guess number of a state where it does not matter, as a variable: written out, it would be compiled again."""


@inner
def split(table: Table, memo: Memo, frames: Frames, space: ExpansionSpace, depth: int, guess: int) -> None:
    """Group the frame's secrets by the guess's answers, each part with its weight, key and bound."""
    size = frames.size[depth]
    state = secrets_of(frames, depth)
    row = table.answers[guess]
    parts = new_parts(frames, space, depth, row, table.found)
    for place in range(size):
        secret = state[place]
        answer = row[secret]
        if answer != table.found:
            part = space.label[answer]
            put_into_part(table, frames, depth, part, secret, table.weights[secret])
    try_guess(table, frames, space, depth, guess, parts)
    total = frames.weight[depth]
    exact = 1
    for part in range(parts):
        length = frames.part_size[depth, part]
        secrets = secrets_of_part(frames, depth, part)
        status = WHOLE
        if length <= 3:
            bound = small_total(table, secrets, length)[0]
        elif frames.part_weight[depth, part] == 0:
            bound = np.int64(0)
        else:
            bound = part_counting_bound(table, secrets, length, frames.thresholds[depth, space.touched[part]])
            bound, status = known_of_part(memo, frames, depth, part, ANY_NUMBER, secrets, bound)
        frames.part_bound[depth, part] = bound
        frames.part_open[depth, part] = status == OPEN
        if status == DEEP:
            exact = 0
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
            refute(frames, depth, key >> 1)
            break
        heap_drop(keys, guesses, frames.heap_count[depth])
        frames.heap_count[depth] -= 1
        split(table, memo, frames, space, depth, guess)
        total = frames.total[depth]
        if total >= frames.best[depth]:
            refute(frames, depth, total)
        elif frames.heap_count[depth] > 0 and (keys[0] >> 1) < total:
            heap_push(keys, guesses, frames.heap_count[depth], 2 * total + (key & 1), guess)
            frames.heap_count[depth] += 1
        else:
            return True
    frames.heap_count[depth] = 0
    return False


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
            ended = why_ended(memo, last, growth, pool_growth)
            if ended != OVER:
                return ended
            expand(table, frames, space, depth)
            if space.stop[0]:
                return MORE
            memo.used[2] += 1
            going_in = next_guess(table, memo, frames, space, depth)
        elif frames.guess[depth] == BETWEEN_GUESSES:
            frames.guess[depth] = UNEXPANDED  # as it was after the expansion, when no guess had been tried
            going_in = next_guess(table, memo, frames, space, depth)
        else:
            # a guess is being tried: is it refuted, complete, or has it parts left to search?
            going_in = not is_refuted(frames, depth) or next_guess(table, memo, frames, space, depth)
        if going_in:
            go_into(table, frames, depth)
        elif frames.guess[depth] != BETWEEN_GUESSES:
            finish(memo, frames, depth, ANY_NUMBER, base)
