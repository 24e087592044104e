"""Where the compiled lower bounds for letter games keep a game, its states as bits, and the stack of the search.

A *view* shows a state of n secrets as bits, 64 to a word. For each guess and each answer but the first it has a mask of
the secrets that get this answer; the first answer goes to all others. So how a guess splits any part of the state is
a bitwise "and" and a popcount for each answer. The first n guesses of a view are those that find its secrets, in their
order: whether guess g < n may be the secret is bit g of a state. The others are guesses that distinguish some of the
secrets, one for each way to do so. Of two guesses that may not be the secret and split the state alike, the one that
comes first in the game is kept, and a guess that answers all secrets alike is left out: neither changes any bound.

The invariant behind bounds that do not depend on the order of work: a state's own view is the same whichever larger
view it was made from, and `rising` lists the guesses of any view as the game numbers them. So guesses are tried in the
same order whether a state has a view of its own or is a part of a larger one.

Masks are stored [answer - 1, word, guess] in one row, guesses last, since all loops run over guesses: these loops have
no branch and compilers turn them into vector instructions. They are padded to a multiple of `LANES` guesses.

Every array has a size that follows from the game and the depth of the search, so nothing is written past an end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import inner

LANES = 32
"""The guesses of a view are padded to a multiple of this, so that loops over them have no remainder."""

DEPTHS = 16
"""Guesses that the counting bound counts one by one; all secrets left after them count as found with the next."""

MOST_SECRETS = 0xFFFF // (DEPTHS + 2)
"""A state has no more secrets than this: the score of a guess is at most `DEPTHS + 2` a secret, in 16 bits."""

MOST_GUESSES = 0xFFFF
MOST_ANSWERS = 8
"""The most answers that do not end the game."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Hashes of states and of guesses are multiplied by this at each step."""

BUCKET = 4
"""A memo has a state in one of this many slots, one behind the other."""

NOTHING = -1

NEVER = 0xFFFF
"""The score of a guess that is never tried."""

SCORES = 256
"""Scores that are distinguished when guesses are sorted; all above count as one."""


class LetterBoard(NamedTuple):
    """The game, with the answers that do not end it numbered from 0.

    answers: uint8[secrets, guesses]; for the answer that ends the game any number will do
    finder: int32[secrets], the guess that finds each secret
    count: how many answers do not end the game
    """

    answers: NDArray[np.uint8]
    finder: NDArray[np.int32]
    count: int


class LetterViews(NamedTuple):
    """Views, one for each level of the search.

    masks: uint64[levels, room], of each view [answer - 1, word, guess] in one row
    secrets: int32[levels, secrets], which secret each bit stands for, in rising order
    shape: int64[levels, 4]: secrets, words of a mask, guesses with padding, guesses without
    rising: int32[levels, guesses], the guesses in the order in which the game numbers them
    raw: uint64[room], masks of a view being built, before guesses that split like others are left out
    signs: uint64[guesses], a hash of each guess's masks there
    slots: int32[slots], guesses by their hashes
    picked: int32[guesses], the guesses that the view will have
    places: int32[guesses], where the view has each guess, or `NOTHING`
    """

    masks: NDArray[np.uint64]
    secrets: NDArray[np.int32]
    shape: NDArray[np.int64]
    rising: NDArray[np.int32]
    raw: NDArray[np.uint64]
    signs: NDArray[np.uint64]
    slots: NDArray[np.int32]
    picked: NDArray[np.int32]
    places: NDArray[np.int32]


class LetterFrames(NamedTuple):
    """What the search knows at each of its levels: a state, the guesses to try there, and the parts of one of them.

    state: uint64[levels, words], in the bits of the level's view
    in_view: int64[levels], the view whose bits the state is in
    size: int64[levels], how many secrets the state has
    key: uint64[levels], a hash of its secrets
    counts: uint16[levels, MOST_ANSWERS, guesses], how many secrets each guess gives each answer
    finds: uint16[guesses], 1 if a guess may be the secret
    score: uint16[levels, guesses], the bound of each guess to one guess more, or `NEVER` if it distinguishes nothing
    within: int64[levels, DEPTHS + 1], how many secrets can be found within 0, 1, 2, … guesses at most
    order: int32[levels, guesses], the guesses to try
    plies: int64[levels], to how many guesses the state is searched; all below up to `part_count` have this shape
    target: the bound is cut at this
    best: the least total of a guess so far, or the target
    settled: 1 if it is the optimum of its guess
    tries: how many guesses there are to try, of which `tried` have been begun with
    total: the bound of the guess that is being tried
    depth: to how many guesses its parts are being searched
    turn: 0 while each part is searched for a share of what is missing, 1 while it is searched for all of it
    place: which part comes next
    answer: the part that is being searched, for the bound `asked`
    part_count: how many parts of the guess that is being tried have three secrets or more
    part: int64[levels, answers], the answers of those parts, the largest first
    part_size, part_bound: int64[levels, answers]
    part_settled: int64[levels, answers], 1 if the bound is the optimum
    part_open: int64[levels, answers], 1 if the bound may still rise at this depth
    parts: uint64[levels, answers, words], what the answers of the guess being tried leave
    members: int32[secrets], working space
    buckets: int64[SCORES + 1], working space
    scored: int64[1], how many states had their guesses scored
    work: int64[1], how much may still be done before the search pauses
    level: int64[1], where it has paused
    """

    state: NDArray[np.uint64]
    in_view: NDArray[np.int64]
    size: NDArray[np.int64]
    key: NDArray[np.uint64]
    counts: NDArray[np.uint16]
    finds: NDArray[np.uint16]
    score: NDArray[np.uint16]
    within: NDArray[np.int64]
    order: NDArray[np.int32]
    plies: NDArray[np.int64]
    target: NDArray[np.int64]
    best: NDArray[np.int64]
    settled: NDArray[np.int64]
    tries: NDArray[np.int64]
    tried: NDArray[np.int64]
    total: NDArray[np.int64]
    depth: NDArray[np.int64]
    turn: NDArray[np.int64]
    place: NDArray[np.int64]
    answer: NDArray[np.int64]
    asked: NDArray[np.int64]
    part_count: NDArray[np.int64]
    part: NDArray[np.int64]
    part_size: NDArray[np.int64]
    part_bound: NDArray[np.int64]
    part_settled: NDArray[np.int64]
    part_open: NDArray[np.int64]
    parts: NDArray[np.uint64]
    members: NDArray[np.int32]
    buckets: NDArray[np.int64]
    scored: NDArray[np.int64]
    work: NDArray[np.int64]
    level: NDArray[np.int64]


class LetterMemo(NamedTuple):
    """Bounds of states that were searched; if there is no room left, the oldest are forgotten.

    key: uint64[slots], a hash of each state
    start: int64[slots], how many secrets had been written when the state's were, or `NOTHING`
    size: int32[slots], how many secrets it has
    plies: int32[slots], to how many guesses it was searched
    bound: int32[slots]
    kind: int32[slots], what the bound is (see `letter_bounds`)
    pool: uint16[a power of two], the secrets of the states, written in a circle
    written: int64[1], how many secrets were ever written
    """

    key: NDArray[np.uint64]
    start: NDArray[np.int64]
    size: NDArray[np.int32]
    plies: NDArray[np.int32]
    bound: NDArray[np.int32]
    kind: NDArray[np.int32]
    pool: NDArray[np.uint16]
    written: NDArray[np.int64]


def new_views(guesses: int, secrets: int, answers: int, levels: int) -> LetterViews:
    """Return room for the views of states of at most this many secrets, at this many levels."""
    padded = _padded(guesses)
    room = (answers - 1) * _words_of(secrets) * padded
    return LetterViews(
        masks=np.zeros((levels, room), np.uint64),
        secrets=np.zeros((levels, secrets), np.int32),
        shape=np.zeros((levels, 4), np.int64),
        rising=np.zeros((levels, padded), np.int32),
        raw=np.zeros(room, np.uint64),
        signs=np.zeros(padded, np.uint64),
        slots=np.zeros(1 << max(4, (2 * padded - 1).bit_length()), np.int32),
        picked=np.zeros(padded, np.int32),
        places=np.zeros(padded, np.int32),
    )


def new_frames(guesses: int, secrets: int, answers: int, levels: int) -> LetterFrames:
    """Return empty frames for a search at this many levels."""
    padded, words = _padded(guesses), _words_of(secrets)
    arrays: dict[str, NDArray[Any]] = {name: np.zeros(levels, np.int64) for name in LetterFrames._fields}
    arrays |= {
        "state": np.zeros((levels, words), np.uint64),
        "key": np.zeros(levels, np.uint64),
        "counts": np.zeros((levels, MOST_ANSWERS, padded), np.uint16),
        "finds": np.zeros(padded, np.uint16),
        "score": np.zeros((levels, padded), np.uint16),
        "within": np.zeros((levels, DEPTHS + 1), np.int64),
        "order": np.zeros((levels, padded), np.int32),
        "parts": np.zeros((levels, answers, words), np.uint64),
        "members": np.zeros(secrets, np.int32),
        "buckets": np.zeros(SCORES + 1, np.int64),
        "scored": np.zeros(1, np.int64),
        "work": np.zeros(1, np.int64),
        "level": np.zeros(1, np.int64),
    }
    by_answer = ("part", "part_size", "part_bound", "part_settled", "part_open")
    arrays |= {name: np.zeros((levels, answers), np.int64) for name in by_answer}
    return LetterFrames(**arrays)


def new_memo(slots: int, pool: int) -> LetterMemo:
    """Return an empty memo for this many states with `pool` secrets in all; both are rounded up to powers of two."""
    slots = 1 << (max(slots, BUCKET) - 1).bit_length()
    return LetterMemo(
        key=np.zeros(slots, np.uint64),
        start=np.full(slots, NOTHING, np.int64),
        size=np.zeros(slots, np.int32),
        plies=np.zeros(slots, np.int32),
        bound=np.zeros(slots, np.int32),
        kind=np.zeros(slots, np.int32),
        pool=np.zeros(1 << (max(pool, 1) - 1).bit_length(), np.uint16),
        written=np.zeros(1, np.int64),
    )


def _words_of(secrets: int) -> int:
    """Return how many words of 64 bits hold a bit for each secret."""
    return (secrets + 63) // 64


def _padded(guesses: int) -> int:
    """Return the number of guesses, padded to a multiple of `LANES`."""
    return (guesses + LANES - 1) // LANES * LANES


@inner
def view_of_secrets(board, views, frames, secrets):
    """Make level 0 show a state, given as its secrets in rising order."""
    guesses = board.answers.shape[1]
    size = len(secrets)
    words = (size + 63) >> 6
    _clear(views.raw, (board.count - 1) * words * guesses)
    for place in range(size):
        row = board.answers[secrets[place]]
        bit = np.uint64(1) << np.uint64(place & 63)
        for answer in range(1, board.count):
            begin = ((answer - 1) * words + (place >> 6)) * guesses
            masks = views.raw[begin : begin + guesses]
            for guess in range(guesses):
                masks[guess] |= bit if row[guess] == answer else np.uint64(0)
        views.secrets[0, place] = secrets[place]
        frames.members[place] = board.finder[secrets[place]]
    frames.size[0] = size
    for guess in range(guesses):
        views.rising[0, guess] = guess
    _fill_view(board, views, frames, 0, guesses, views.rising[0], guesses)


@inner
def view_within(board, views, frames, level):
    """Give a level a view of its own, which shows its state alone instead of all of a larger one."""
    above = frames.in_view[level]
    guesses = views.shape[above, 2]
    above_words = views.shape[above, 1]
    size = frames.size[level]
    words = (size + 63) >> 6
    _clear(views.raw, (board.count - 1) * words * guesses)
    place = 0
    for old in range(views.shape[above, 0]):
        from_bit = np.uint64(old & 63)
        if (frames.state[level, old >> 6] >> from_bit) & np.uint64(1) == 0:
            continue
        to_bit = np.uint64(place & 63)
        for answer in range(1, board.count):
            begin = ((answer - 1) * above_words + (old >> 6)) * guesses
            source = views.masks[above, begin : begin + guesses]
            begin = ((answer - 1) * words + (place >> 6)) * guesses
            masks = views.raw[begin : begin + guesses]
            for guess in range(guesses):
                masks[guess] |= ((source[guess] >> from_bit) & np.uint64(1)) << to_bit
        views.secrets[level, place] = views.secrets[above, old]
        frames.members[place] = old
        place += 1
    _fill_view(board, views, frames, level, guesses, views.rising[above], views.shape[above, 3])


@inner
def _clear(raw, count):
    """Set the first `count` words to 0."""
    for place in range(count):
        raw[place] = 0


@inner
def _fill_view(board, views, frames, level, guesses, rising, count):
    """Fill the view of a level from the raw masks of its guesses; `frames.members` find its secrets.

    The first `count` of `rising` are the guesses in the order of their numbers; the rest are padding.
    """
    size = frames.size[level]
    words = (size + 63) >> 6
    masks_each = (board.count - 1) * words
    for word in range(words):
        left = size - 64 * word
        frames.state[level, word] = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
    _sign_guesses(views, masks_each, guesses)
    for place in range(size):
        views.picked[place] = frames.members[place]
        views.signs[frames.members[place]] = 0
    picked = _pick_others(views, frames.state[level], words, board.count, guesses, size, rising, count)
    padded = (picked + LANES - 1) // LANES * LANES
    masks = views.masks[level]
    for row in range(masks_each):
        begin = row * padded
        for place in range(picked):
            masks[begin + place] = views.raw[row * guesses + views.picked[place]]
        for place in range(picked, padded):
            masks[begin + place] = 0
    views.shape[level, 0] = size
    views.shape[level, 1] = words
    views.shape[level, 2] = padded
    views.shape[level, 3] = picked
    _list_in_order(views, level, picked, guesses, rising, count)
    frames.in_view[level] = level


@inner
def _list_in_order(views, level, picked, guesses, rising, count):
    """List the guesses that were picked for the view of a level in the order of their numbers."""
    places = views.places
    for guess in range(guesses):
        places[guess] = NOTHING
    for place in range(picked):
        places[views.picked[place]] = place
    listed = 0
    for number in range(count):
        place = places[rising[number]]
        if place != NOTHING:
            views.rising[level, listed] = place
            listed += 1


@inner
def _sign_guesses(views, masks_each, guesses):
    """Fill in a hash of every guess's raw masks, never 0."""
    signs = views.signs
    for guess in range(guesses):
        signs[guess] = 0
    for row in range(masks_each):
        masks = views.raw[row * guesses : (row + 1) * guesses]
        for guess in range(guesses):
            sign = (signs[guess] ^ masks[guess]) * MULTIPLIER
            signs[guess] = sign ^ (sign >> np.uint64(32))
    for guess in range(guesses):
        signs[guess] |= np.uint64(1)


@inner
def _pick_others(views, whole, words, answers, guesses, picked, rising, count):
    """Pick guesses worth trying, of those not yet taken (with sign 0), and return how many are picked in all."""
    slots = views.slots
    last = 1
    while last < 2 * guesses:
        last *= 2
    for slot in range(last):
        slots[slot] = -1
    last -= 1
    for number in range(count):
        guess = rising[number]
        sign = views.signs[guess]
        if sign == 0 or not _splits(views.raw, whole, words, answers, guesses, guess):
            continue
        slot = (sign >> np.uint64(20)) & np.uint64(last)
        while slots[slot] >= 0 and not _same(views, (answers - 1) * words, guesses, guess, slots[slot]):
            slot = (slot + np.uint64(1)) & np.uint64(last)
        if slots[slot] < 0:
            slots[slot] = guess
            views.picked[picked] = guess
            picked += 1
    return picked


@inner
def _splits(raw, whole, words, answers, guesses, guess):
    """Return whether a guess has different answers to the secrets of the whole state."""
    kinds = 0
    for answer in range(1, answers):
        for word in range(words):
            if raw[((answer - 1) * words + word) * guesses + guess] != 0:
                kinds += 1
                break
    if kinds != 1:
        return kinds > 1
    for word in range(words):  # one answer besides the first: does any secret get the first?
        mask = np.uint64(0)
        for answer in range(1, answers):
            mask |= raw[((answer - 1) * words + word) * guesses + guess]
        if mask != whole[word]:
            return True
    return False


@inner
def _same(views, masks_each, guesses, guess, other):
    """Return whether two guesses have the same raw masks: hashes may be equal by chance."""
    if views.signs[guess] != views.signs[other]:
        return False
    row = 0
    while row < masks_each and views.raw[row * guesses + guess] == views.raw[row * guesses + other]:
        row += 1
    return row == masks_each
