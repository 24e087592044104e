"""The compiled exact search for costs that depend on the guess number: as `search.py`, state by state and guess number.

A state's value depends on the number of the guess that is made at it, which is the depth of its frame. So the memo
keeps a state once for each guess number at which it comes up. Costs stop rising at the last column: a state there, or
one guess before, has a formula, and so has one of which nothing is left to win or lose.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import entry_point, inner
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
from oracular.kernels.exact.heaps import scored_drop, scored_push
from oracular.kernels.exact.layered_bounds import counted_cost, last_cost, small_cost
from oracular.kernels.exact.layered_expand import expand_layered
from oracular.kernels.exact.layered_tables import CostTable, LayeredSpace
from oracular.kernels.exact.tables import ExpansionSpace, Frames, Memo
from oracular.kernels.guessing import POSSIBLE


@inner
def bound_part(
    table: CostTable,
    memo: Memo,
    frames: Frames,
    layered: LayeredSpace,
    depth: int,
    part: int,
    answer: int,
) -> int:
    """Set the bound of a part, and return what it is: `WHOLE`, `OPEN` or `DEEP`."""
    length = frames.part_size[depth, part]
    secrets = secrets_of_part(frames, depth, part)
    last = table.costs.shape[0] - 1
    if frames.part_weight[depth, part] == 0:
        total = np.int64(0)
        for place in range(length):
            total += table.costs[last, secrets[place]]
        frames.part_bound[depth, part] = total
        return WHOLE
    if depth + 1 == last:
        frames.part_bound[depth, part] = last_cost(table, secrets, length)
        return WHOLE
    least = np.int64(0)
    if length <= 3:
        cost, _, known = small_cost(table, secrets, length, depth)
        if known or table.guessing.rule == POSSIBLE:
            frames.part_bound[depth, part] = cost
            return WHOLE
        for place in range(length):  # a guess that is none of the three, but tells them apart, may be better
            least += table.costs[depth + 1, secrets[place]]
    least = max(least, counted_cost(table, layered, secrets, length, depth, frames.thresholds[depth, answer]))
    least, status = known_of_part(memo, frames, depth, part, depth + 1, secrets, least)
    frames.part_bound[depth, part] = least
    return status


@inner
def split_layered(
    table: CostTable,
    memo: Memo,
    frames: Frames,
    space: ExpansionSpace,
    layered: LayeredSpace,
    depth: int,
    guess: int,
) -> None:
    """Group the frame's secrets by the guess's answers, each part with its key, its bound and what it can still win."""
    size = frames.size[depth]
    state = secrets_of(frames, depth)
    row = table.answers[guess]
    latest = table.costs[table.costs.shape[0] - 1]
    after = table.costs[depth]
    parts = new_parts(frames, space, depth, row, table.found)
    total = np.int64(0)
    for place in range(size):
        secret = state[place]
        answer = row[secret]
        if answer == table.found:
            total = table.costs[depth - 1, secret]
        else:
            part = space.label[answer]
            put_into_part(table, frames, depth, part, secret, latest[secret] - after[secret])
    try_guess(table, frames, space, depth, guess, parts)
    exact = 1
    for part in range(parts):
        status = bound_part(table, memo, frames, layered, depth, part, space.touched[part])
        frames.part_open[depth, part] = status == OPEN
        if status == DEEP:
            exact = 0
        total += frames.part_bound[depth, part]
    frames.total[depth] = total
    frames.total_exact[depth] = exact


@inner
def next_layered(
    table: CostTable, memo: Memo, frames: Frames, space: ExpansionSpace, layered: LayeredSpace, depth: int
) -> bool:
    """Tell whether there is a guess to go into; it has been split. If not, the frame is finished, or was stopped."""
    keys = frames.heap_key[depth]
    scores = layered.score[depth]
    guesses = frames.heap_guess[depth]
    while frames.heap_count[depth] > 0:
        if space.stop[0]:
            frames.guess[depth] = BETWEEN_GUESSES
            return False
        key = keys[0]
        score = scores[0]
        guess = guesses[0]
        if key >= frames.best[depth]:
            refute(frames, depth, key)
            break
        scored_drop(keys, scores, guesses, frames.heap_count[depth])
        frames.heap_count[depth] -= 1
        split_layered(table, memo, frames, space, layered, depth, guess)
        total = frames.total[depth]
        if total >= frames.best[depth]:
            refute(frames, depth, total)
        elif frames.heap_count[depth] > 0 and keys[0] < total:
            scored_push(keys, scores, guesses, frames.heap_count[depth], total, score, guess)
            frames.heap_count[depth] += 1
        else:
            return True
    frames.heap_count[depth] = 0
    return False


@entry_point
def run_layered(
    table: CostTable,
    memo: Memo,
    frames: Frames,
    space: ExpansionSpace,
    layered: LayeredSpace,
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
            expand_layered(table, frames, space, layered, depth)
            if space.stop[0]:
                return MORE
            memo.used[2] += 1
            going_in = next_layered(table, memo, frames, space, layered, depth)
        elif frames.guess[depth] == BETWEEN_GUESSES:
            frames.guess[depth] = UNEXPANDED  # as it was after the expansion, when no guess had been tried
            going_in = next_layered(table, memo, frames, space, layered, depth)
        else:
            # a guess is being tried: is it refuted, complete, or has it parts left to search?
            going_in = not is_refuted(frames, depth) or next_layered(table, memo, frames, space, layered, depth)
        if going_in:
            go_into(table, frames, depth)
        elif frames.guess[depth] != BETWEEN_GUESSES:
            finish(memo, frames, depth, depth, base)
