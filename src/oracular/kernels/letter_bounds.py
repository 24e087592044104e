"""The compiled search for lower bounds in letter games: what a state costs at least, looked at to k guesses.

Every secret weighs the same here and answers are few, so what a state costs is a whole number that depends on its
secrets alone. States are bits (`letter_views.py`), and the results below do not depend on order, memo or threads.

The bound to one guess is the *counting bound*. Of a state of n secrets let guess g give answer a to c_a(g) of them, and
let h(g) be 1 if g may be the secret, else 0. Whatever the guesser does, at most C_d secrets of any part of the state
are found within d guesses:

    C_0 = 0,   C_1 = 1,   C_{d+1} = max over g of  h(g) + sum over a of min(c_a(g), C_d).

Proof by induction: say g comes first. It finds h(g) secrets. Of what answer a leaves, which is at most c_a(g) secrets
and again a part of the state, at most C_d are found within the d guesses that follow. In a part of the state g has
smaller counts, and so no larger a sum. The maximum is over all of the sum, not over each answer by itself: a guess that
leaves much for one answer leaves little for others.

A secret that is not found within d guesses costs a guess more, for each d. So m secrets of the state cost at least
f(m) = sum over d >= 0 of max(0, m - C_d) guesses in all, and the *score*

    n + sum over a of f(c_a(g))

is a lower bound on what the state costs if g comes next. The bound to one guess is the least score; to k guesses it is

    B_k(state) = size + min over guesses of the sum over answers of B_{k-1}(what the answer leaves),

over guesses that distinguish some of its secrets. It never falls as k grows, and it is never above the optimum.

Given a target, the search returns min(target, B_k): the same number whatever was searched before. That is far cheaper
than B_k itself, since a guess is abandoned once its parts reach the target together. What they are short of it is asked
of them in proportion to their bounds, first to one guess, then to more: to ask all of it of the first part would be to
ask for more than it has, and the search of such a part is never cut off.

In the memo a state is found by a hash of its secrets and then compared with them one by one, so no bound rests on a
hash. An entry is for a state and a number of guesses, and is never used for another number: a bound to k guesses stays
one certain number, whatever was searched before.

Results are returned as twice the bound, plus 1 if it is known to be the optimum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import intrinsic

from oracular.kernels.compiling import entry_point, inlined, inner
from oracular.kernels.letter_views import (
    BUCKET,
    DEPTHS,
    MULTIPLIER,
    NEVER,
    NOTHING,
    SCORES,
    view_of_secrets,
    view_within,
)

PAUSED = -1
"""Returned for the bound of a state whose search has paused."""

FEW = 2
"""States of at most this many secrets cost the same whatever they are: 1 and 3 guesses."""

_SEARCHED = -2
"""Stands for the bound of a state that is being searched."""

_OWN_VIEW = 3
"""A state that is searched to this many guesses or more has a view of its own, if that is smaller."""

_AT_LEAST, _WHOLE, _SETTLED = 0, 1, 2
"""What a bound in a memo is: one that the state reaches; the whole bound to its guesses; the optimum itself."""


def _popcount(typing_context, word):
    """Return the type and the code of a function that counts the bits set in a whole number."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return word(word), generate


_bit_count: Any = intrinsic(_popcount)


@inlined
def _mark_findable(views, frames, level):
    """Mark the guesses that may be the secret in a level's state, in `frames.finds`."""
    view = frames.in_view[level]
    finds = frames.finds
    for guess in range(views.shape[view, 2]):
        finds[guess] = 0
    for word in range(views.shape[view, 1]):
        bits = frames.state[level, word]
        marks = finds[64 * word : min(64 * word + 64, views.shape[view, 0])]
        for place in range(len(marks)):
            marks[place] = np.uint16((bits >> np.uint64(place)) & np.uint64(1))


@inlined
def _count_answers(views, frames, level, answers):
    """Fill the level's counts: how many secrets of its state each guess gives each answer."""
    _mark_findable(views, frames, level)
    view = frames.in_view[level]
    words = views.shape[view, 1]
    guesses = views.shape[view, 2]
    size = np.uint16(frames.size[level])
    finds = frames.finds
    rest = frames.counts[level, 0]
    for guess in range(guesses):
        rest[guess] = np.uint16(size - finds[guess])
    for answer in range(1, answers):
        count = frames.counts[level, answer]
        for word in range(words):
            begin = ((answer - 1) * words + word) * guesses
            masks = views.masks[view, begin : begin + guesses]
            bits = frames.state[level, word]
            if word == 0:
                for guess in range(guesses):
                    count[guess] = np.uint16(_bit_count(masks[guess] & bits))
            else:
                for guess in range(guesses):
                    count[guess] = np.uint16(count[guess] + _bit_count(masks[guess] & bits))
        for guess in range(guesses):
            rest[guess] = np.uint16(rest[guess] - count[guess])


def _scores_by(answers):
    """Return the function that fills scores by this many answers or fewer: a loop of fixed length runs twice as fast.

    It returns the least score, twice, plus 1 if it is the optimum: if its guess leaves no part of three or more.
    """

    @inner
    def fill_scores(counts, finds, score, within, guesses, size):
        for guess in range(guesses):
            score[guess] = np.uint16(size + size - finds[guess])
        found = np.uint16(1)
        within[0] = 0
        within[1] = 1
        for depth in range(2, DEPTHS + 2):
            most = np.uint16(0)
            for guess in range(guesses):
                by_now = finds[guess]
                for answer in range(answers):
                    by_now = np.uint16(by_now + min(counts[answer, guess], found))
                score[guess] = np.uint16(score[guess] + size - by_now)
                most = max(most, by_now)
            found = most
            if depth <= DEPTHS:
                within[depth] = found
            if found >= size:
                break
        for after in range(depth + 1, DEPTHS + 1):
            within[after] = size
        least = np.uint16(NEVER)
        least_settled = np.uint16(NEVER)
        for guess in range(guesses):
            largest = np.uint16(0)
            for answer in range(answers):
                largest = max(largest, counts[answer, guess])
            value = np.uint16(NEVER) if largest == size else score[guess]
            score[guess] = value
            least = min(least, value)
            least_settled = min(least_settled, value if largest <= 2 else np.uint16(NEVER))
        return 2 * np.int64(least) + np.int64(least_settled == least)

    return fill_scores


_scores_by_3, _scores_by_4, _scores_by_5, _scores_by_8 = _scores_by(3), _scores_by(4), _scores_by(5), _scores_by(8)


@inlined
def _score_guesses(views, frames, level, answers):
    """Fill the level's scores, and return the least of them, twice, plus 1 if it is the optimum of the state."""
    _count_answers(views, frames, level, answers)
    guesses = views.shape[frames.in_view[level], 2]
    frames.scored[0] += 1
    frames.work[0] -= guesses * (views.shape[frames.in_view[level], 1] + 4)
    size = np.uint16(frames.size[level])
    counts = frames.counts[level]  # those of answers that the game does not have are always 0
    score = frames.score[level]
    within = frames.within[level]
    if answers <= 3:
        return _scores_by_3(counts, frames.finds, score, within, guesses, size)
    if answers == 4:
        return _scores_by_4(counts, frames.finds, score, within, guesses, size)
    if answers == 5:
        return _scores_by_5(counts, frames.finds, score, within, guesses, size)
    return _scores_by_8(counts, frames.finds, score, within, guesses, size)


@inlined
def _least_total(frames, level, secrets):
    """Return f(m): what this many secrets of a level's state cost at least, by its counts."""
    total = np.int64(0)
    for depth in range(DEPTHS + 1):
        left = secrets - frames.within[level, depth]
        if left <= 0:
            break
        total += left
    return total


@inner
def _list_members(views, frames, level):
    """List the secrets of a level's state in `frames.members`, and set the level's key."""
    view = frames.in_view[level]
    key = np.uint64(frames.size[level])
    count = 0
    for place in range(views.shape[view, 0]):
        if (frames.state[level, place >> 6] >> np.uint64(place & 63)) & np.uint64(1):
            secret = views.secrets[view, place]
            frames.members[count] = secret
            count += 1
            key = (key ^ np.uint64(secret)) * MULTIPLIER
            key ^= key >> np.uint64(29)
    frames.key[level] = key


@inner
def _find(memo, frames, level, plies):
    """Return the slot of the state whose secrets are listed, searched to this many guesses, or `NOTHING`."""
    size = frames.size[level]
    key = frames.key[level]
    mask = np.int64(len(memo.pool) - 1)
    first = (key >> np.uint64(8)) & np.uint64(len(memo.key) - BUCKET)
    for slot in range(first, first + np.uint64(BUCKET)):
        start = memo.start[slot]
        if memo.key[slot] != key or memo.plies[slot] != plies or memo.size[slot] != size:
            continue
        if start == NOTHING or start < memo.written[0] - len(memo.pool):
            continue
        place = 0
        while place < size and memo.pool[(start + place) & mask] == frames.members[place]:
            place += 1
        if place == size:
            return np.int64(slot)
    return np.int64(NOTHING)


@inner
def _known_bound(memo, views, frames, level, plies, target):
    """Return twice the bound of a level's state, cut at the target, plus 1 if it is the optimum; or `NOTHING`."""
    _list_members(views, frames, level)
    slot = _find(memo, frames, level, plies)
    if slot == NOTHING:
        return np.int64(NOTHING)
    bound = np.int64(memo.bound[slot])
    if bound >= target:
        return 2 * target
    if memo.kind[slot] == _AT_LEAST:
        return np.int64(NOTHING)
    return 2 * bound + np.int64(memo.kind[slot] == _SETTLED)


@inner
def _remember(memo, views, frames, level, plies, target, found):
    """Remember what a search found of a level's state: twice the bound, plus 1 if it is the optimum."""
    bound = found >> 1
    kind = _SETTLED if found & 1 else _WHOLE if bound < target else _AT_LEAST
    _list_members(views, frames, level)
    slot = _find(memo, frames, level, plies)
    if slot == NOTHING:
        size = frames.size[level]
        if size > len(memo.pool):
            return
        first = np.int64((frames.key[level] >> np.uint64(8)) & np.uint64(len(memo.key) - BUCKET))
        slot = first
        for other in range(first + 1, first + BUCKET):
            if memo.start[other] < memo.start[slot]:
                slot = other
        start = memo.written[0]
        for place in range(size):
            memo.pool[(start + place) & np.int64(len(memo.pool) - 1)] = frames.members[place]
        memo.written[0] += size
        memo.key[slot] = frames.key[level]
        memo.start[slot] = start
        memo.size[slot] = size
        memo.plies[slot] = plies
        memo.bound[slot] = 0
        memo.kind[slot] = _AT_LEAST
    if bound >= memo.bound[slot]:
        memo.bound[slot] = bound
        memo.kind[slot] = max(memo.kind[slot], kind)


@inner
def _order_guesses(views, frames, level, least):
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
    for bucket in range(SCORES + 1):
        buckets[bucket] = 0
    for number in range(guesses):
        guess = rising[number]
        if score[guess] < target:
            buckets[min(score[guess] - least, SCORES - 1) + 1] += 1
    for bucket in range(SCORES):
        buckets[bucket + 1] += buckets[bucket]
    for number in range(guesses):
        guess = rising[number]
        if score[guess] < target:
            bucket = min(score[guess] - least, SCORES - 1)
            order[buckets[bucket]] = guess
            buckets[bucket] += 1
    return buckets[SCORES - 1]


@inner
def _split(board, views, frames, level, guess):
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
        frames.part_bound[level, answer] = _least_total(frames, level, size)
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
def _enter(views, frames, level):
    """Put the part of a level that must be searched on the level below."""
    answer = frames.answer[level]
    view = frames.in_view[level]
    for word in range(views.shape[view, 1]):
        frames.state[level + 1, word] = frames.parts[level, answer, word]
    frames.in_view[level + 1] = view
    frames.size[level + 1] = frames.part_size[level, answer]
    frames.plies[level + 1] = frames.depth[level]
    frames.target[level + 1] = frames.asked[level]


@inlined
def _open_parts(frames, level):
    """Open the parts of a level whose bounds may rise if they are searched to one guess more."""
    for place in range(frames.part_count[level]):
        answer = frames.part[level, place]
        frames.part_open[level, answer] = 1 - frames.part_settled[level, answer]


@inlined
def _take_answer(frames, level, found):
    """Add what was found of the part of a level that was searched."""
    answer = frames.answer[level]
    gain = max(np.int64(0), (found >> 1) - frames.part_bound[level, answer])
    frames.part_bound[level, answer] += gain
    frames.total[level] += gain
    frames.part_settled[level, answer] |= found & 1
    if (found >> 1) < frames.asked[level] or found & 1:
        frames.part_open[level, answer] = 0


@inlined
def _ask_of_part(frames, level, answer):
    """Set the target of a part: its share of what the guess is short of the best so far, or all of that."""
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
def _next_guess(board, views, frames, level):
    """Return whether a level has another guess to try; it has been split, and none of its parts searched."""
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
            _split(board, views, frames, level, guess)
            _open_parts(frames, level)
            frames.depth[level] = 1
            frames.turn[level] = 0
            frames.place[level] = 0
            return True
    return False


@inlined
def _next_part(frames, level):
    """Return whether a level has another part to search; it is set which, for what bound, and to how many guesses.

    To each number of guesses there are two turns: first each open part is searched for a share of what is missing, then
    for all of it. To one guess a part's whole bound is worked out anyway.
    """
    while frames.total[level] < frames.best[level] and frames.depth[level] < frames.plies[level]:
        if frames.place[level] == frames.part_count[level]:
            frames.place[level] = 0
            frames.turn[level] += 1
            if frames.turn[level] == 2 or frames.depth[level] == 1:
                frames.turn[level] = 0
                frames.depth[level] += 1
                _open_parts(frames, level)
            continue
        answer = frames.part[level, frames.place[level]]
        frames.place[level] += 1
        if frames.part_open[level, answer]:
            _ask_of_part(frames, level, answer)
            return True
    return False


@inlined
def _worth_a_view(views, frames, level):
    """Return whether the state of a level is to have a view of its own."""
    view = frames.in_view[level]
    size = frames.size[level]
    words_saved = views.shape[view, 1] - ((size + 63) >> 6)
    if frames.plies[level] >= _OWN_VIEW:
        return words_saved > 0 or 4 * size < 3 * views.shape[view, 0]
    return frames.tries[level] * words_saved > size


@inlined
def _begin(board, views, frames, shallow, deep, level):
    """Return the bound of a level's state if it needs no search, or `_SEARCHED` if guesses must be tried."""
    plies = frames.plies[level]
    target = frames.target[level]
    if plies > 1:
        frames.work[0] -= views.shape[frames.in_view[level], 0]
        known = _known_bound(shallow if plies == 2 else deep, views, frames, level, plies, target)
        if known != NOTHING:
            return known
    while True:
        found = _score_guesses(views, frames, level, board.count)
        if (found >> 1) >= target:
            return 2 * target
        if plies == 1 or found & 1:
            return found
        frames.tries[level] = _order_guesses(views, frames, level, found >> 1)
        if not _worth_a_view(views, frames, level):
            break
        frames.work[0] -= frames.size[level] * views.shape[frames.in_view[level], 2]
        view_within(board, views, frames, level)  # which renumbers the guesses
    frames.tried[level] = 0
    frames.best[level] = target
    frames.total[level] = target
    frames.settled[level] = 0
    return np.int64(_SEARCHED)


@inlined
def _end(views, frames, shallow, deep, level):
    """Return the bound of a level's state, all of whose guesses were tried, and remember it."""
    plies = frames.plies[level]
    best = frames.best[level]
    found = 2 * best + (frames.settled[level] if best < frames.target[level] else np.int64(0))
    _remember(shallow if plies == 2 else deep, views, frames, level, plies, frames.target[level], found)
    return found


@entry_point
def begin_search(board, views, frames, secrets, plies, target):
    """Set up the search of a state to this many guesses, for a bound that is cut at the target.

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
        found = _begin(board, views, frames, shallow, deep, level)
        while True:
            if found == _SEARCHED:
                if _next_part(frames, level):
                    break
                if _next_guess(board, views, frames, level):
                    continue
                found = _end(views, frames, shallow, deep, level)
            if level == 0:
                return found
            level -= 1
            _take_answer(frames, level, found)
            found = np.int64(_SEARCHED)
        _enter(views, frames, level)
        level += 1
    frames.level[0] = level
    return np.int64(PAUSED)
