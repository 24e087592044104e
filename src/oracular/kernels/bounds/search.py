"""The compiled search for lower bounds: what a state costs at least, looked at to k guesses.

The bound of a state to one guess is the least score of a guess (`counting.py`); to k guesses it is

    B_k(state) = size + min over guesses of the sum over answers of B_{k-1}(what the answer leaves),

over guesses that tell some of its secrets apart. It never falls as k grows, and it is never above the optimum. Asked
for a target, the search returns min(target, B_k): the same number whatever the order, the memo or the threads. That is
far cheaper than B_k itself, since a guess is given up once its parts reach the target together. What they are short of
it is asked of them in proportion to their bounds, first to one guess, then to more: to ask all of it of the first part
would be to ask for more than it has, and the search of such a part is never cut off.

Results are returned as twice the bound, plus 1 if it is known to be the optimum.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.bounds.counting import least_total, score_guesses
from oracular.kernels.bounds.memo import known_bound, remember
from oracular.kernels.bounds.tables import BUCKETS, NOTHING
from oracular.kernels.bounds.views import view_of_secrets, view_within
from oracular.kernels.compiling import entry_point, inlined, inner

PAUSED, SEARCHED = -1, -2
"""What stands for the bound of a state whose search has paused, and of one that is being searched."""

FEW = 2
"""States of at most so many secrets cost the same whatever they are: 1 and 3 guesses."""

OWN_VIEW = 3
"""A state that is searched to so many guesses or more has a view of its own, if that is smaller."""


@inner
def order_guesses(views, frames, level, least):
    """List the guesses with a score below the target, those with the least first, and return how many there are.

    Of several with the same score the first in the game comes first, whichever view the state is seen in. So not only
    the bound of a state is always the same, but also the guess that reaches it, and whether it is known as the optimum.
    """
    view = frames.in_view[level]
    rising = views.rising[view]
    guesses = views.shape[view, 3]
    target = frames.target[level]
    score = frames.score[level]
    order = frames.order[level]
    buckets = frames.buckets
    for bucket in range(BUCKETS + 1):
        buckets[bucket] = 0
    for number in range(guesses):
        guess = rising[number]
        if score[guess] < target:
            buckets[min(score[guess] - least, BUCKETS - 1) + 1] += 1
    for bucket in range(BUCKETS):
        buckets[bucket + 1] += buckets[bucket]
    for number in range(guesses):
        guess = rising[number]
        if score[guess] < target:
            bucket = min(score[guess] - least, BUCKETS - 1)
            order[buckets[bucket]] = guess
            buckets[bucket] += 1
    return buckets[BUCKETS - 1]


@inner
def split(board, views, frames, level, guess):
    """Set up the parts that a guess makes of a level's state, with the bounds that counting gives them."""
    view = frames.in_view[level]
    words = views.shape[view, 1]
    guesses = views.shape[view, 2]
    for word in range(words):
        rest = frames.state[level, word]
        for answer in range(1, board.count):
            mask = views.masks[view, ((answer - 1) * words + word) * guesses + guess]
            frames.parts[level, answer, word] = frames.state[level, word] & mask
            rest &= ~mask
        frames.parts[level, 0, word] = rest
    if guess < views.shape[view, 0]:  # what it finds has no part
        frames.parts[level, 0, guess >> 6] &= ~(np.uint64(1) << np.uint64(guess & 63))
    parts = 0
    for answer in range(board.count):
        size = np.int64(frames.counts[level, answer, guess])
        frames.part_size[level, answer] = size
        frames.part_bound[level, answer] = least_total(frames, level, size)
        frames.part_settled[level, answer] = size <= FEW
        if size > FEW:
            place = parts
            while place > 0 and frames.part_size[level, frames.part[level, place - 1]] < size:
                frames.part[level, place] = frames.part[level, place - 1]
                place -= 1
            frames.part[level, place] = answer
            parts += 1
    frames.part_count[level] = parts


@inlined
def enter(views, frames, level):
    """Put the part of a level that is being asked on the level below."""
    answer = frames.answer[level]
    view = frames.in_view[level]
    for word in range(views.shape[view, 1]):
        frames.state[level + 1, word] = frames.parts[level, answer, word]
    frames.in_view[level + 1] = view
    frames.size[level + 1] = frames.part_size[level, answer]
    frames.plies[level + 1] = frames.depth[level]
    frames.target[level + 1] = frames.asked[level]


@inlined
def open_parts(frames, level):
    """Open the parts of a level whose bounds may rise if they are looked at to one guess more."""
    for place in range(frames.part_count[level]):
        answer = frames.part[level, place]
        frames.part_open[level, answer] = 1 - frames.part_settled[level, answer]


@inlined
def take_answer(frames, level, found):
    """Take in what was found of the part of a level that was asked for a bound."""
    answer = frames.answer[level]
    gain = max(np.int64(0), (found >> 1) - frames.part_bound[level, answer])
    frames.part_bound[level, answer] += gain
    frames.total[level] += gain
    frames.part_settled[level, answer] |= found & 1
    if (found >> 1) < frames.asked[level] or found & 1:
        frames.part_open[level, answer] = 0


@inlined
def ask_of_part(frames, level, answer):
    """Set what is to be asked of a part: its share of what the guess is short of the best so far, or all of that."""
    short = frames.best[level] - frames.total[level]
    bound = frames.part_bound[level, answer]
    if frames.turn[level] == 0 and frames.depth[level] > 1:
        weight = np.int64(0)
        for place in range(frames.part_count[level]):
            other = frames.part[level, place]
            if frames.part_open[level, other]:
                weight += frames.part_bound[level, other]
        short = (short * bound + weight - 1) // weight
    frames.answer[level] = answer
    frames.asked[level] = bound + short


@inlined
def next_guess(board, views, frames, level):
    """Tell whether a level has another guess to try; it has been split, and none of its parts asked."""
    if frames.total[level] < frames.best[level]:  # the last one is the best so far
        frames.best[level] = frames.total[level]
        frames.settled[level] = 1
        for answer in range(board.count):
            frames.settled[level] &= frames.part_settled[level, answer]
    while frames.tried[level] < frames.tries[level]:
        guess = frames.order[level, frames.tried[level]]
        frames.tried[level] += 1
        if frames.score[level, guess] < frames.best[level]:
            frames.total[level] = frames.score[level, guess]
            split(board, views, frames, level, guess)
            open_parts(frames, level)
            frames.depth[level] = 1
            frames.turn[level] = 0
            frames.place[level] = 0
            return True
    return False


@inlined
def next_part(frames, level):
    """Tell whether a level has another part to ask: it is set which, for what bound, and to how many guesses.

    To each number of guesses there are two turns: first each open part is asked for a share of what is missing, then
    for all of it. To one guess a part's whole bound is worked out anyway.
    """
    while frames.total[level] < frames.best[level] and frames.depth[level] < frames.plies[level]:
        if frames.place[level] == frames.part_count[level]:
            frames.place[level] = 0
            frames.turn[level] += 1
            if frames.turn[level] == 2 or frames.depth[level] == 1:
                frames.turn[level] = 0
                frames.depth[level] += 1
                open_parts(frames, level)
            continue
        answer = frames.part[level, frames.place[level]]
        frames.place[level] += 1
        if frames.part_open[level, answer]:
            ask_of_part(frames, level, answer)
            return True
    return False


@inlined
def worth_a_view(views, frames, level):
    """Tell whether the state of a level is to have a view of its own."""
    view = frames.in_view[level]
    size = frames.size[level]
    words_saved = views.shape[view, 1] - ((size + 63) >> 6)
    if frames.plies[level] >= OWN_VIEW:
        return words_saved > 0 or 4 * size < 3 * views.shape[view, 0]
    return frames.tries[level] * words_saved > size


@inlined
def begin(board, views, frames, shallow, deep, level):
    """Return the bound of a level's state where it needs no search, or `SEARCHED` where guesses are to be tried."""
    plies = frames.plies[level]
    target = frames.target[level]
    if plies > 1:
        frames.work[0] -= views.shape[frames.in_view[level], 0]
        known = known_bound(shallow if plies == 2 else deep, views, frames, level, plies, target)
        if known != NOTHING:
            return known
    while True:
        found = score_guesses(views, frames, level, board.count)
        if (found >> 1) >= target:
            return 2 * target
        if plies == 1 or found & 1:
            return found
        frames.tries[level] = order_guesses(views, frames, level, found >> 1)
        if not worth_a_view(views, frames, level):
            break
        frames.work[0] -= frames.size[level] * views.shape[frames.in_view[level], 2]
        view_within(board, views, frames, level)  # which numbers the guesses anew
    frames.tried[level] = 0
    frames.best[level] = target
    frames.total[level] = target
    frames.settled[level] = 0
    return np.int64(SEARCHED)


@inlined
def end(views, frames, shallow, deep, level):
    """Return the bound of a level's state, all of whose guesses were tried, and remember it."""
    plies = frames.plies[level]
    best = frames.best[level]
    found = 2 * best + (frames.settled[level] if best < frames.target[level] else np.int64(0))
    remember(shallow if plies == 2 else deep, views, frames, level, plies, frames.target[level], found)
    return found


@entry_point
def begin_search(board, views, frames, secrets, plies, target):
    """Set up the search of a state to so many guesses, for a bound that is cut at the target.

    Args:
        board: the game.
        views: room for views, and `frames` for states, at `plies + 1` levels or more.
        frames: see `views`.
        secrets: the state, three secrets or more in rising order, int32 [secrets].
        plies: to how many guesses.
        target: at which to cut the bound.
    """
    view_of_secrets(board, views, frames, secrets)
    frames.plies[0] = plies
    frames.target[0] = target
    frames.level[0] = 0


@entry_point
def go_on(board, views, frames, shallow, deep, work):
    """Return twice the bound of the state that is searched, plus 1 if it is the optimum, or `PAUSED` after some work.

    Args:
        board: the game.
        views: as they were set up or left, and so are the `frames`.
        frames: see `views`.
        shallow: the memo of states that are searched to two guesses.
        deep: the memo of states that are searched to more.
        work: how much to do before it pauses; to score one guess by one word of masks is about 1.
    """
    frames.work[0] = work
    level = frames.level[0]
    while frames.work[0] > 0:
        found = begin(board, views, frames, shallow, deep, level)
        while True:
            if found == SEARCHED:
                if next_part(frames, level):
                    break
                if next_guess(board, views, frames, level):
                    continue
                found = end(views, frames, shallow, deep, level)
            if level == 0:
                return found
            level -= 1
            take_answer(frames, level, found)
            found = np.int64(SEARCHED)
        enter(views, frames, level)
        level += 1
    frames.level[0] = level
    return np.int64(PAUSED)
