"""What the two compiled exact searches do alike with the frames of their stack.

A guess being tried has parts: what each answer leaves. A part has a bound, and is open while that may rise. The search
goes down into the smallest open part; once none is open, the guess is the best so far. As soon as the bounds come to
the best total so far, the guess is refuted.

Short functions are compiled into their callers: handing all of these arrays to a function takes longer than they do.
"""

from __future__ import annotations

from oracular.kernels.compiling import inlined, inner
from oracular.kernels.exact.layered_tables import CostTable
from oracular.kernels.exact.memo import context_of, find, store
from oracular.kernels.exact.tables import EXACT, NO_BOUND, ExpansionSpace, Frames, Memo, Table
from oracular.kernels.exact.types import Bytes, Counts
from oracular.kernels.guessing import HARD, next_demand

OVER, MORE, FULL = 0, 1, 2
"""Why a slice ended: the search is over; its states are used up, or it was stopped; the memo should grow."""

UNEXPANDED, BETWEEN_GUESSES = -1, -2
"""What stands for the guess of a frame that is to be expanded, and of one that was stopped before its next guess."""

WHOLE, OPEN, DEEP = 0, 1, 2
"""What the bound of a part is: the whole total; a bound that may still rise; or as deep as was asked for."""


@inlined
def secrets_of(frames: Frames, depth: int) -> Counts:
    """Return the secrets of a frame's state."""
    return frames.parts[depth - 1, frames.start[depth] : frames.start[depth] + frames.size[depth]]


@inlined
def secrets_of_part(frames: Frames, depth: int, part: int) -> Counts:
    """Return the secrets of a part that the guess being tried makes."""
    start = frames.part_start[depth, part]
    return frames.parts[depth, start : start + frames.part_size[depth, part]]


@inlined
def why_ended(memo: Memo, last: int, growth: int, pool_growth: int) -> int:
    """Return why a slice is to end before the next state is expanded, or `OVER` where it may go on."""
    if memo.used[2] >= last:
        return MORE
    if memo.used[0] >= growth or (memo.pool.shape[0] > 0 and memo.used[3] >= pool_growth):
        return FULL
    return OVER


@inlined
def clear_frame(frames: Frames, depth: int) -> None:
    """Forget what was found out about a frame's state, which is to be expanded."""
    frames.best[depth] = frames.cutoff[depth]
    frames.best_guess[depth] = -1
    frames.best_exact[depth] = 0
    frames.low[depth] = NO_BOUND
    frames.heap_count[depth] = 0


@inlined
def refute(frames: Frames, depth: int, bound: int) -> None:
    """Give up a guess with this bound, which is no better than the best so far."""
    frames.low[depth] = min(frames.low[depth], bound)


@inlined
def take_as_best(frames: Frames, depth: int, guess: int, total: int, exact: int) -> None:
    """Make a guess the best of the frame so far."""
    frames.best[depth] = total
    frames.best_guess[depth] = guess
    frames.best_exact[depth] = exact


@inlined
def is_refuted(frames: Frames, depth: int) -> bool:
    """Tell whether the bounds of the parts come to the best total so far; if so, the guess is given up."""
    if frames.total[depth] >= frames.best[depth]:
        refute(frames, depth, frames.total[depth])
        return True
    return False


@inner
def new_parts(frames: Frames, space: ExpansionSpace, depth: int, row: Bytes, found: int) -> int:
    """Return how many parts a guess makes of the frame's secrets; each has its place, and nothing in it yet.

    The row has the guess's answer to each secret. The part of each answer is in `space.label`.
    """
    size = frames.size[depth]
    state = secrets_of(frames, depth)
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


@inlined
def put_into_part(table: Table | CostTable, frames: Frames, depth: int, part: int, secret: int, weight: int) -> None:
    """Put one more secret into a part."""
    frames.parts[depth, frames.part_start[depth, part] + frames.part_size[depth, part]] = secret
    frames.part_size[depth, part] += 1
    frames.part_weight[depth, part] += weight
    frames.part_keys[depth, part, 0] ^= table.keys[secret, 0]
    frames.part_keys[depth, part, 1] ^= table.keys[secret, 1]


@inlined
def try_guess(
    table: Table | CostTable, frames: Frames, space: ExpansionSpace, depth: int, guess: int, parts: int
) -> None:
    """Make a guess the one being tried, with what hard mode asks of the next guess in each of its parts."""
    guessing = table.guessing
    if guessing.rule == HARD:
        for part in range(parts):
            frames.part_demand[depth, part] = next_demand(
                guessing.letters, guessing.colours, frames.demand[depth], guess, space.touched[part]
            )
    frames.guess[depth] = guess
    frames.part_count[depth] = parts


@inlined
def known_of_part(
    memo: Memo, frames: Frames, depth: int, part: int, number: int, secrets: Counts, bound: int
) -> tuple[int, int]:
    """Return the bound of a part, raised to what the memo has, and what it is: `WHOLE`, `OPEN` or `DEEP`.

    The number is that of the next guess, where it matters. A part is not open either where the stack ends.
    """
    context = context_of(number, frames.part_demand[depth, part])
    slot = find(memo, context, frames.part_keys[depth, part, 0], frames.part_keys[depth, part, 1], secrets)
    if slot >= 0:
        bound = max(bound, memo.lower[slot])
        if memo.plies[slot] == EXACT:
            return bound, WHOLE
        if memo.plies[slot] >= frames.plies[depth] - 1:
            return bound, DEEP
    if frames.plies[depth] <= 1 or depth + 2 >= frames.size.shape[0]:
        return bound, DEEP
    return bound, OPEN


@inner
def descend(table: Table | CostTable, frames: Frames, depth: int) -> None:
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
def go_into(table: Table | CostTable, frames: Frames, depth: int) -> None:
    """Go on with an open part of the guess being tried, or take the guess as the best where none is open."""
    any_open = False
    for part in range(frames.part_count[depth]):
        if frames.part_open[depth, part]:
            any_open = True
    if any_open:
        descend(table, frames, depth)
        frames.guess[depth + 1] = UNEXPANDED
    else:
        take_as_best(frames, depth, frames.guess[depth], frames.total[depth], frames.total_exact[depth])


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
    context = context_of(number, frames.demand[depth])
    keys = frames.keys[depth]
    store(memo, context, keys[0], keys[1], secrets_of(frames, depth), value, plies, frames.best_guess[depth])
    frames.depth[0] = depth - 1
    above = depth - 1
    if above > base:
        part = frames.part_at[above]
        frames.total[above] += max(value - frames.part_bound[above, part], 0)
        frames.part_bound[above, part] = max(value, frames.part_bound[above, part])
        frames.part_open[above, part] = 0
        if not exact:
            frames.total_exact[above] = 0
