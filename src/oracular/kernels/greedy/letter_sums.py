"""Compiled sums by answer for games with tokens, without a look at each pair of guess and secret.

Two ways, by the size of a state:

*Bits.* Up to 64 secrets are the bits of a word. For each token the secrets that have it are one such word; adding up
the words of a guess's tokens bit by bit, as circuits add, gives the number of common letters of all secrets at once;
the secrets with answer j are again a word, whose weight is looked up eight bits at a time. Larger states are cut
into pieces of 64.

*Subsets.* Let F(T) be the packed weight and count of the secrets that have all tokens of a set T. Then

    N_k = sum over T in g, |T| = k, of F(T)  =  sum over secrets s of C(|g & s|, k) value(s),

since a secret that has j tokens in common with g has C(j, k) of g's sets of size k. What gives answer j follows by
inversion: the sum over k >= j of (-1)^(k-j) C(k, j) N_k. A guess of five letters takes 32 steps whatever the state's
size. On the way numbers may pass 64 bits; they come back, since whole numbers are added modulo 2^64 and the end fits.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numba import njit

from oracular.kernels.answers import answer_to

FEW_BITS = 10
"""Up to this many secrets, each set of them has its cost written down: 1,024 sets at most."""

PIECE = 64
"""Secrets that are the bits of one number."""

PIECE_WORK = 44
"""About how many look-ups of an answer a guess takes against 64 secrets."""

QUICKER = 3
"""A look-up of an answer, many at once (`quick_scan.py`), is so many times faster than one step of a sum over sets."""


@njit(cache=True, nogil=True)
def subsets_pay(answers, size, guesses):
    """Tell whether a state of this size is scored faster by subsets than from the table or by bits."""
    if answers.subset_count == 0:
        return False
    otherwise = size // QUICKER if answers.by_secret.size else (size + PIECE - 1) // PIECE * PIECE_WORK
    return answers.secret_subsets.shape[1] * (guesses + size) < otherwise * guesses


@njit(cache=True, nogil=True)
def set_token_words(answers, members, words):
    """Fill `words` [tokens]: for each token the members (64 at most) that have it, as bits."""
    words[: answers.token_count] = 0
    for a in range(len(members)):
        guess = answers.finder[members[a]]
        for k in range(answers.letters):
            words[answers.tokens[guess, k]] |= np.int64(1) << a


@njit(cache=True, nogil=True)
def set_few_costs(values, size, shift, few):
    """Fill `few` [2^size]: the cost of each set of up to ten secrets that get one answer."""
    few[0] = 0
    for a in range(size):
        half = 1 << a
        for lower in range(half):
            few[half + lower] = few[lower] + values[a]
    counts = (np.int64(1) << shift) - 1
    for subset in range(1 << size):
        few[subset] = (few[subset] >> shift) * (few[subset] & counts)


@njit(cache=True, nogil=True)
def set_byte_sums(values, first, size, bytes_sums):
    """Fill `bytes_sums` [8, 256]: the packed sum of each set of eight secrets that stand side by side."""
    for byte in range((size + 7) // 8):
        row = bytes_sums[byte]
        row[0] = 0
        for bit in range(8):
            half = 1 << bit
            place = 8 * byte + bit
            value = values[first + place] if place < size else 0
            for lower in range(half):
                row[half + lower] = row[lower] + value


@njit(cache=True, nogil=True)
def few_costs(answers, size, start, stop, words, few, costs):
    """Fill `costs` for a block of guesses and a state of up to ten secrets."""
    everyone = (np.int64(1) << size) - 1
    tokens = answers.tokens
    pairs = tokens.shape[1] // 2
    for i in range(start, stop):
        b0 = words[tokens[i, 0]]
        b1 = np.int64(0)
        b2 = np.int64(0)
        b3 = np.int64(0)
        b4 = np.int64(0)
        if answers.letters <= 7:
            for k in range(pairs):
                x = words[tokens[i, 2 * k + 1]]
                y = words[tokens[i, 2 * k + 2]]
                half = b0 ^ x
                carry = (b0 & x) | (half & y)
                b0 = half ^ y
                b2 |= b1 & carry
                b1 ^= carry
            low = ~b2
            cost = few[everyone & ~(b0 | b1 | b2)] + few[b0 & ~b1 & low] + few[b1 & ~b0 & low] + few[b0 & b1 & low]
            if b2 != 0:
                cost += few[b2 & ~b0 & ~b1] + few[b2 & b0 & ~b1]
                if answers.letters > 5:
                    cost += few[b2 & b1 & ~b0] + few[b2 & b1 & b0]
        else:
            for k in range(pairs):
                x = words[tokens[i, 2 * k + 1]]
                y = words[tokens[i, 2 * k + 2]]
                half = b0 ^ x
                carry = (b0 & x) | (half & y)
                b0 = half ^ y
                more = b1 & carry
                b1 ^= carry
                carry = b2 & more
                b2 ^= more
                more = b3 & carry
                b3 ^= carry
                b4 ^= more
            cost = np.int64(0)
            for answer in range(answers.letters + 1):
                same = everyone
                same &= b0 if answer & 1 else ~b0
                same &= b1 if answer & 2 else ~b1
                same &= b2 if answer & 4 else ~b2
                same &= b3 if answer & 8 else ~b3
                same &= b4 if answer & 16 else ~b4
                cost += few[same]
        costs[i - start] = cost


@njit(cache=True, nogil=True)
def add_bit_sums(answers, size, start, stop, words, byte_sums, sums):
    """Add to `sums` [block, answers] what a piece of up to 64 secrets gives, for every answer but 0."""
    tokens = answers.tokens
    pairs = tokens.shape[1] // 2
    bytes_used = (size + 7) // 8
    letters = answers.letters
    for i in range(start, stop):
        b0 = words[tokens[i, 0]]
        b1 = np.int64(0)
        b2 = np.int64(0)
        b3 = np.int64(0)
        b4 = np.int64(0)
        for k in range(pairs):
            x = words[tokens[i, 2 * k + 1]]
            y = words[tokens[i, 2 * k + 2]]
            half = b0 ^ x
            carry = (b0 & x) | (half & y)
            b0 = half ^ y
            more = b1 & carry
            b1 ^= carry
            carry = b2 & more
            b2 ^= more
            if letters > 7:
                more = b3 & carry
                b3 ^= carry
                b4 ^= more
        for answer in range(1, letters + 1):
            same = b0 if answer & 1 else ~b0
            same &= b1 if answer & 2 else ~b1
            same &= b2 if answer & 4 else ~b2
            if letters > 7:
                same &= b3 if answer & 8 else ~b3
                same &= b4 if answer & 16 else ~b4
            if same != 0:
                total = byte_sums[0, same & 255]
                for byte in range(1, bytes_used):
                    same >>= 8
                    total += byte_sums[byte, same & 255]
                sums[i - start, answer] += total


@njit(cache=True, nogil=True)
def bit_sums(answers, members, values, all_values, start, stop, words, byte_sums, sums):
    """Fill `sums` [block, answers] by bits; `all_values` is the packed sum over all members."""
    sums[: stop - start] = 0
    for first in range(0, len(members), PIECE):
        size = min(PIECE, len(members) - first)
        if len(members) > PIECE:  # a single piece has been made ready for all blocks
            set_token_words(answers, members[first : first + size], words)
            set_byte_sums(values, first, size, byte_sums)
        add_bit_sums(answers, size, start, stop, words, byte_sums, sums)
    for i in range(stop - start):
        rest = all_values
        for answer in range(1, answers.letters + 1):
            rest -= sums[i, answer]
        sums[i, 0] = rest


@njit(cache=True, nogil=True)
def add_to_subsets(answers, members, values, of_subset):
    """Add the members' packed values to F, of every set of their tokens [subsets]."""
    for a in range(len(members)):
        row = answers.secret_subsets[members[a]]
        for k in range(len(row)):
            of_subset[row[k]] += values[a]


@njit(cache=True, nogil=True)
def clear_subsets(answers, members, of_subset):
    """Set F to zero again where the members have changed it."""
    for a in range(len(members)):
        row = answers.secret_subsets[members[a]]
        for k in range(len(row)):
            of_subset[row[k]] = 0


def _subset_sums_of(letters):
    """Return the function that does the work of `subset_sums` for words of a length, its loops unrolled."""
    ends = tuple(sum(comb(letters, size) for size in range(upto)) for upto in range(letters + 2))
    first, second, third, fourth, fifth, sixth = (ends + (ends[-1],) * 6)[1:7]
    width = ends[-1]

    @njit(cache=True, nogil=True)
    def subset_sums_of_length(subsets, start, stop, of_subset, sums):
        for i in range(start, stop):
            row = subsets[i]
            out = sums[i - start]
            out[0] = of_subset[np.uint32(row[0])]
            total = np.int64(0)
            for k in range(first, second):
                total += of_subset[np.uint32(row[k])]
            out[1] = total
            if letters >= 2:
                total = np.int64(0)
                for k in range(second, third):
                    total += of_subset[np.uint32(row[k])]
                out[2] = total
            if letters >= 3:
                total = np.int64(0)
                for k in range(third, fourth):
                    total += of_subset[np.uint32(row[k])]
                out[3] = total
            if letters >= 4:
                total = np.int64(0)
                for k in range(fourth, fifth):
                    total += of_subset[np.uint32(row[k])]
                out[4] = total
            if letters >= 5:
                total = np.int64(0)
                for k in range(fifth, sixth):
                    total += of_subset[np.uint32(row[k])]
                out[5] = total
            if letters >= 6:
                out[6] = of_subset[np.uint32(row[width - 1])]
            for least in range(letters):  # the inversion, by differences: Pascal's triangle turned round
                for size in range(letters - 1, least - 1, -1):
                    out[size] -= out[size + 1]

    return subset_sums_of_length


_of_two, _of_three, _of_four, _of_five, _of_six = (_subset_sums_of(letters) for letters in range(2, 7))


@njit(cache=True, nogil=True)
def subset_sums(answers, start, stop, of_subset, sums):
    """Fill `sums` [block, answers] by sums over the sets of each guess's tokens."""
    sums[: stop - start] = 0
    if answers.letters == 2:
        _of_two(answers.guess_subsets, start, stop, of_subset, sums)
    elif answers.letters == 3:
        _of_three(answers.guess_subsets, start, stop, of_subset, sums)
    elif answers.letters == 4:
        _of_four(answers.guess_subsets, start, stop, of_subset, sums)
    elif answers.letters == 5:
        _of_five(answers.guess_subsets, start, stop, of_subset, sums)
    else:
        _of_six(answers.guess_subsets, start, stop, of_subset, sums)


@njit(cache=True, nogil=True)
def set_finders_apart(answers, members, values, start, stop, sums):
    """Take each member's own guess out of the answer of its anagrams, where anagrams are told apart."""
    if answers.found == answers.letters:
        return
    for a in range(len(members)):
        guess = answers.finder[members[a]]
        if start <= guess < stop:
            sums[guess - start, answers.letters] -= values[a]
            sums[guess - start, answers.found] += values[a]


@njit(cache=True, nogil=True)
def set_few_finders_apart(answers, members, values, start, stop, shift, costs):
    """Put right the costs of the members' own guesses in the same way, at a state of few secrets."""
    if answers.found == answers.letters:
        return
    for a in range(len(members)):
        guess = answers.finder[members[a]]
        if start <= guess < stop:
            cost = np.int64(0)
            for b in range(len(members)):
                for c in range(len(members)):
                    if answer_to(answers, guess, members[b]) == answer_to(answers, guess, members[c]):
                        cost += values[b] >> shift
            costs[guess - start] = cost
