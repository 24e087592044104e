"""What the compiled engine knows of a game: its table of answers, or the letters that its words are made of.

In Jotto the answer to a guess is the number of letters that two words have in common. With a *token* for each letter
and how often it has occurred in the word so far (the first `a`, the second `a`, …), a word is a set of tokens, and the
common letters of two words, repeated ones too, are the size of their intersection. From tokens a large state is scored
many times faster than from the table (`letter_sums.py`), a small one somewhat slower: so a game with tokens has a table
while that is small, and needs none when it is large.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.games.table import TABLE_BESIDE_TOKENS
from oracular.kernels.compiling import inner
from oracular.system.control import NEVER, Deadline

BITS = 64
LETTERS_FOR_SUBSETS = range(2, 7)
"""Words of more letters have too many subsets of letters for sums over them to pay."""


class Answers(NamedTuple):
    """The answers of a game as kernels read them: its table, its tokens, or both; what is not there is empty.

    Attributes:
        by_secret: the answers, uint8 [secrets, guesses].
        finder: the guess that finds each secret, int32 [secrets].
        tokens: the tokens of each guess, uint16 [guesses, letters, padded to an odd number by a token of no word].
        guess_bits: the same as bits, int64 [planes, guesses].
        secret_bits: the tokens of the secrets as bits, int64 [planes, secrets].
        guess_subsets: a number for each set of tokens of each guess, small sets first, int32 [2^letters, guesses].
        secret_subsets: the same for the secrets, int32 [secrets, 2^letters].
        subset_ends: where the sets of each size begin, and the last of them end, int32 [letters + 2].
        subset_count: how many numbers there are; 0 where sums over subsets do not pay.
        token_count: how many tokens there are, the padding included.
        letters: the length of a word; 0 without tokens.
        found: the answer that ends the game.
        width: the number of answers, padded to a power of two.
        guesses: the number of guesses.
    """

    by_secret: NDArray[np.uint8]
    finder: NDArray[np.int32]
    tokens: NDArray[np.uint16]
    guess_bits: NDArray[np.int64]
    secret_bits: NDArray[np.int64]
    guess_subsets: NDArray[np.int32]
    secret_subsets: NDArray[np.int32]
    subset_ends: NDArray[np.int32]
    subset_count: int
    token_count: int
    letters: int
    found: int
    width: int
    guesses: int


@inner
def _ones(bits):
    """Return the number of ones in a 64-bit number; compilers know this sum and make one instruction of it."""
    x = np.uint64(bits)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def answer_to(answers, guess, secret):
    """Return the answer to a guess where a secret is hidden."""
    if answers.by_secret.size:
        return np.int64(answers.by_secret[secret, guess])
    common = np.int64(0)
    for plane in range(answers.guess_bits.shape[0]):
        common += _ones(answers.guess_bits[plane, guess] & answers.secret_bits[plane, secret])
    if common == answers.letters and answers.found != answers.letters and answers.finder[secret] == guess:
        common = np.int64(answers.found)
    return common


@inner
def fill_replies(answers, guess, members, replies):
    """Fill `replies` [members] with the answers to a guess."""
    if answers.by_secret.size:
        by_secret = answers.by_secret
        for a in range(len(members)):
            replies[a] = by_secret[members[a], guess]
        return
    replies[: len(members)] = 0
    for plane in range(answers.guess_bits.shape[0]):
        bits, secret_bits = answers.guess_bits[plane, guess], answers.secret_bits[plane]
        for a in range(len(members)):
            replies[a] += _ones(bits & secret_bits[members[a]])
    if answers.found != answers.letters:
        finder = answers.finder
        for a in range(len(members)):
            if finder[members[a]] == guess:
                replies[a] = answers.found


def answers_of(game: Game, table_limit: int | None = None, deadline: Deadline = NEVER) -> Answers:
    """Return what the kernels need of a game: tokens where it has them, and its table unless that is too large then.

    Args:
        game: the game.
        table_limit: the largest table, in bytes, beside tokens; a quarter of a gigabyte unless given.
        deadline: when to give up with `DeadlinePassed`.
    """
    limit = TABLE_BESIDE_TOKENS if table_limit is None else table_limit
    finder, tokens = game.guess_of_secret, game.tokens
    no_numbers = np.zeros((0, 0), np.int32)
    answers = Answers(
        by_secret=np.zeros((0, 0), np.uint8),
        finder=finder if finder.flags.writeable else finder.copy(),
        tokens=np.zeros((0, 0), np.uint16),
        guess_bits=np.zeros((0, 0), np.int64),
        secret_bits=np.zeros((0, 0), np.int64),
        guess_subsets=no_numbers,
        secret_subsets=no_numbers,
        subset_ends=no_numbers.ravel(),
        subset_count=0,
        token_count=0,
        letters=0,
        found=game.found,
        width=1 << (len(game.labels) - 1).bit_length(),
        guesses=len(game.guesses),
    )
    deadline.check()
    if tokens is None or len(finder) * len(tokens) <= limit:
        answers = answers._replace(by_secret=_own(game.by_secret))
        deadline.check()
    return answers if tokens is None else _with_tokens(answers, tokens, deadline)


def _with_tokens(answers: Answers, tokens: NDArray[np.uint16], deadline: Deadline) -> Answers:
    """Return the answers with all that follows from the tokens of each guess."""
    finder, letters = answers.finder, tokens.shape[1]
    none = int(tokens.max()) + 1
    padded = np.full((len(tokens), letters | 1), none, np.uint16)
    padded[:, :letters] = tokens
    bits = _as_bits(tokens, none)
    answers = answers._replace(
        tokens=padded,
        guess_bits=bits,
        secret_bits=np.ascontiguousarray(bits[:, finder]),
        token_count=none + 1,
        letters=letters,
    )
    deadline.check()
    if letters not in LETTERS_FOR_SUBSETS:
        return answers
    subsets, count = _numbered_subsets(tokens, deadline)
    return answers._replace(
        guess_subsets=np.ascontiguousarray(subsets.T),
        secret_subsets=subsets[finder],
        subset_ends=np.cumsum([0, *(comb(letters, size) for size in range(letters + 1))], dtype=np.int32),
        subset_count=count,
    )


def _own(table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a table that may be written: kernels are compiled for such alone."""
    return table if table.flags.writeable else table.copy()


def _as_bits(tokens: NDArray[np.uint16], count: int) -> NDArray[np.int64]:
    """Return each word's tokens as bits [planes, words]."""
    planes = np.zeros(((count + BITS - 1) // BITS, len(tokens)), np.uint64)
    for column in tokens.T:
        plane, bit = np.divmod(column.astype(np.uint64), np.uint64(BITS))
        planes[plane.astype(np.int64), np.arange(len(tokens))] |= np.uint64(1) << bit
    return planes.view(np.int64)


def _numbered_subsets(tokens: NDArray[np.uint16], deadline: Deadline) -> tuple[NDArray[np.int32], int]:
    """Return a number for each set of tokens of each word [words, 2^letters], and how many numbers there are."""
    letters = tokens.shape[1]
    base = int(tokens.max()) + 2  # a set is written as a number in this base, its tokens in order
    digits = np.sort(tokens.astype(np.int64), axis=1) + 1
    numbers = np.zeros((len(tokens), 1 << letters), np.int32)
    count, column = 0, 0
    for size in range(letters + 1):
        chosen = list(combinations(range(letters), size))
        codes = np.zeros((len(tokens), len(chosen)), np.int64)
        for place in range(size):
            codes = codes * base + digits[:, [subset[place] for subset in chosen]]
        deadline.check()
        known, numbered = np.unique(codes, return_inverse=True)
        numbers[:, column : column + len(chosen)] = count + numbered.reshape(codes.shape)
        count, column = count + len(known), column + len(chosen)
        deadline.check()
    return numbers, count
