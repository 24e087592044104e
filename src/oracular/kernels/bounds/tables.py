"""Arrays that the compiled search for lower bounds works on: views of states, frames of the search, memos.

A *view* shows a state of n secrets as bits. For each guess and each answer but the first it has a mask of the secrets
that are answered so; the first answer is given to whatever is left. The first n guesses of a view are those that find
its secrets, in their order; the others are guesses that tell some of them apart, one for each way to do so.

Every array has a size that follows from the game and the number of guesses to be searched, so nothing is ever written
past an end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LANES = 32
"""The guesses of a view are filled up to a multiple of this, so that loops over them need no remainder."""

DEPTHS = 16
"""Guesses that the counting bound tells apart; secrets beyond count as found with the next one."""

MOST_SECRETS = 0xFFFF // (DEPTHS + 2)
"""A state has no more secrets than this: the score of a guess is at most `DEPTHS + 2` a secret, in 16 bits."""

MOST_GUESSES = 0xFFFF
MOST_ANSWERS = 8
"""Answers that do not end the game; there are no more than this."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""What hashes of states and of guesses are multiplied with at each step."""

BUCKET = 4
"""A memo has a state in one of so many slots, one behind the other."""


class UniformBoard(NamedTuple):
    """The game: its answers, those that do not end it numbered from 0.

    answers: uint8[secrets, guesses], where the answer that ends the game is as good as any other number
    finder: int32[secrets], the guess that finds each secret
    count: how many answers do not end the game
    """

    answers: NDArray[np.uint8]
    finder: NDArray[np.int32]
    count: int


class Views(NamedTuple):
    """Views, one for each level of the search.

    masks: uint64[levels, room], of each view [answer - 1, word, guess] in one row
    secrets: int32[levels, secrets], which secret each bit stands for, in rising order
    shape: int64[levels, 4], the secrets, the words of a mask, the guesses, filled up, and how many there are without
    rising: int32[levels, guesses], the guesses in the order in which the game numbers them
    raw: uint64[room], masks of a view in the making, before guesses that do as others are left out
    signs: uint64[guesses], a hash of each guess's masks there
    slots: int32[slots], guesses by their hashes
    picked: int32[guesses], the guesses that the view is to have
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


class UniformFrames(NamedTuple):
    """What the search knows at each of its levels: a state, the guesses to be tried there, and the parts of one.

    state: uint64[levels, words], in the bits of the level's view
    in_view: int64[levels], the view whose bits the state is in
    size: int64[levels], how many secrets the state has
    key: uint64[levels], a hash of its secrets
    counts: uint16[levels, MOST_ANSWERS, guesses], how many secrets each guess gives each answer
    finds: uint16[guesses], 1 where a guess may be the secret
    score: uint16[levels, guesses], the bound of each guess to one guess more, or `NEVER` where it tells nothing apart
    within: int64[levels, DEPTHS + 1], how many secrets are found within so many guesses at most
    order: int32[levels, guesses], the guesses to be tried
    plies: int64[levels], to how many guesses the state is searched, like all below of that shape
    target: at which its bound is cut
    best: the least total of a guess so far, or the target
    settled: 1 where it is the optimum of its guess
    tries: how many guesses are to be tried, and `tried` how many were begun with
    total: the bound of the guess being tried
    depth: to how many guesses its parts are being searched
    turn: 0 while each part is asked for a share of what is missing, 1 while it is asked for all of it
    place: which part is asked next
    answer: the part being asked, and `asked` the bound it was asked for
    parts: uint64[levels, answers, words], what the answers of the guess being tried leave
    part_count: int64[levels], how many of them have three secrets or more
    part: int64[levels, answers], the answers of those, the largest first
    part_size: int64[levels, answers]
    part_bound: int64[levels, answers]
    part_settled: int64[levels, answers], 1 where the bound is the optimum
    part_open: int64[levels, answers], 1 where the bound may rise as deep as is being looked
    members: int32[secrets], working space
    buckets: int64[BUCKETS + 1], working space
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
    parts: NDArray[np.uint64]
    part_count: NDArray[np.int64]
    part: NDArray[np.int64]
    part_size: NDArray[np.int64]
    part_bound: NDArray[np.int64]
    part_settled: NDArray[np.int64]
    part_open: NDArray[np.int64]
    members: NDArray[np.int32]
    buckets: NDArray[np.int64]
    scored: NDArray[np.int64]
    work: NDArray[np.int64]
    level: NDArray[np.int64]


class UniformMemo(NamedTuple):
    """Bounds of states that were searched; where there is no room left, the oldest are forgotten.

    key: uint64[slots], a hash of each state
    start: int64[slots], how many secrets had been written when the state's were, or `NOTHING`
    size: int32[slots], how many secrets it has
    plies: int32[slots], to how many guesses it was searched
    bound: int32[slots]
    told: int32[slots], what the bound is: `AT_LEAST`, `WHOLE` or `SETTLED`
    pool: uint16[a power of two], the secrets of the states, written in a circle
    written: int64[1], how many secrets were ever written
    """

    key: NDArray[np.uint64]
    start: NDArray[np.int64]
    size: NDArray[np.int32]
    plies: NDArray[np.int32]
    bound: NDArray[np.int32]
    told: NDArray[np.int32]
    pool: NDArray[np.uint16]
    written: NDArray[np.int64]


NOTHING = -1
AT_LEAST, WHOLE, SETTLED = 0, 1, 2
"""What a bound in a memo is: one that the state reaches; the whole bound to so many guesses; the optimum itself."""

NEVER = 0xFFFF
"""The score of a guess that is never tried."""

BUCKETS = 256
"""Scores that are told apart when guesses are put in order; all above count as one."""


def new_views(guesses: int, secrets: int, answers: int, levels: int) -> Views:
    """Return room for the views of states of at most so many secrets, at so many levels."""
    padded = filled_up(guesses)
    room = (answers - 1) * words_of(secrets) * padded
    return Views(
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


def new_frames(guesses: int, secrets: int, answers: int, levels: int) -> UniformFrames:
    """Return empty frames for a search at so many levels."""
    padded, words = filled_up(guesses), words_of(secrets)

    def scalars() -> NDArray[np.int64]:
        return np.zeros(levels, np.int64)

    def by_answer() -> NDArray[np.int64]:
        return np.zeros((levels, answers), np.int64)

    return UniformFrames(
        state=np.zeros((levels, words), np.uint64),
        in_view=scalars(),
        size=scalars(),
        key=np.zeros(levels, np.uint64),
        counts=np.zeros((levels, MOST_ANSWERS, padded), np.uint16),
        finds=np.zeros(padded, np.uint16),
        score=np.zeros((levels, padded), np.uint16),
        within=np.zeros((levels, DEPTHS + 1), np.int64),
        order=np.zeros((levels, padded), np.int32),
        plies=scalars(),
        target=scalars(),
        best=scalars(),
        settled=scalars(),
        tries=scalars(),
        tried=scalars(),
        total=scalars(),
        depth=scalars(),
        turn=scalars(),
        place=scalars(),
        answer=scalars(),
        asked=scalars(),
        parts=np.zeros((levels, answers, words), np.uint64),
        part_count=scalars(),
        part=by_answer(),
        part_size=by_answer(),
        part_bound=by_answer(),
        part_settled=by_answer(),
        part_open=by_answer(),
        members=np.zeros(secrets, np.int32),
        buckets=np.zeros(BUCKETS + 1, np.int64),
        scored=np.zeros(1, np.int64),
        work=np.zeros(1, np.int64),
        level=np.zeros(1, np.int64),
    )


def new_memo(slots: int, pool: int) -> UniformMemo:
    """Return an empty memo for so many states with so many secrets in all; both are rounded up to powers of two."""
    slots = 1 << (max(slots, BUCKET) - 1).bit_length()
    return UniformMemo(
        key=np.zeros(slots, np.uint64),
        start=np.full(slots, NOTHING, np.int64),
        size=np.zeros(slots, np.int32),
        plies=np.zeros(slots, np.int32),
        bound=np.zeros(slots, np.int32),
        told=np.zeros(slots, np.int32),
        pool=np.zeros(1 << (max(pool, 1) - 1).bit_length(), np.uint16),
        written=np.zeros(1, np.int64),
    )


def words_of(secrets: int) -> int:
    """Return how many words of 64 bits hold a bit for each secret."""
    return (secrets + 63) // 64


def filled_up(guesses: int) -> int:
    """Return the number of guesses, filled up to a multiple of `LANES`."""
    return (guesses + LANES - 1) // LANES * LANES
