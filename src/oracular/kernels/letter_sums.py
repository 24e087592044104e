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

import numpy as np

from oracular.kernels.answers import answer_to
from oracular.kernels.compiling import inner

FEW_BITS = 10
"""Up to this many secrets, each set of them has its cost written down: 1,024 sets at most."""

PIECE = 64
"""Secrets that are the bits of one number."""

PIECE_WORK = 44
"""About how many look-ups of an answer a guess takes against 64 secrets."""

QUICKER = 3
"""Looking up an answer, many at once (`quick_scan.py`), is this many times faster than one step of a sum over sets."""


@inner
def subsets_pay(answers, size):
    """Return whether a state of this size is scored faster by subsets than from the table or by bits."""
    guesses = answers.guesses
    if answers.subset_count == 0:
        return False
    otherwise = size // QUICKER if answers.by_secret.size else (size + PIECE - 1) // PIECE * PIECE_WORK
    return answers.secret_subsets.shape[1] * (guesses + size) < otherwise * guesses


@inner
def set_token_words(answers, members, words):
    """Fill `words` [tokens]: for each token the members (64 at most) that have it, as bits."""
    words[: answers.token_count] = 0
    for a in range(len(members)):
        guess = answers.finder[members[a]]
        for k in range(answers.letters):
            words[answers.tokens[guess, k]] |= np.int64(1) << a


@inner
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


@inner
def set_byte_sums(values, byte_sums):
    """Fill `byte_sums` [8, 256]: the packed sum of each set of eight secrets that stand side by side, 64 at most."""
    for byte in range((len(values) + 7) // 8):
        row = byte_sums[byte]
        row[0] = 0
        for bit in range(8):
            half = 1 << bit
            place = 8 * byte + bit
            value = values[place] if place < len(values) else np.int64(0)
            for lower in range(half):
                row[half + lower] = row[lower] + value


@inner
def _in_common(answers, words, guess):
    """Return how many tokens each secret of a piece has in common with a guess, in binary: five words of its digits."""
    tokens = answers.tokens
    b0 = words[tokens[guess, 0]]
    b1 = np.int64(0)
    b2 = np.int64(0)
    b3 = np.int64(0)
    b4 = np.int64(0)
    for k in range(tokens.shape[1] // 2):
        x = words[tokens[guess, 2 * k + 1]]
        y = words[tokens[guess, 2 * k + 2]]
        half = b0 ^ x
        carry = (b0 & x) | (half & y)
        b0 = half ^ y
        more = b1 & carry
        b1 ^= carry
        carry = b2 & more
        b2 ^= more
        if answers.letters > 7:
            more = b3 & carry
            b3 ^= carry
            b4 ^= more
    return b0, b1, b2, b3, b4


@inner
def few_costs(answers, size, start, stop, words, few, costs):
    """Fill `costs` for a block of guesses and a state of up to ten secrets."""
    everyone = (np.int64(1) << size) - 1
    for i in range(start, stop):
        b0, b1, b2, b3, b4 = _in_common(answers, words, i)
        if answers.letters <= 7:
            low = ~b2
            cost = few[everyone & ~(b0 | b1 | b2)] + few[b0 & ~b1 & low] + few[b1 & ~b0 & low] + few[b0 & b1 & low]
            if b2 != 0:
                cost += few[b2 & ~b0 & ~b1] + few[b2 & b0 & ~b1]
                if answers.letters > 5:
                    cost += few[b2 & b1 & ~b0] + few[b2 & b1 & b0]
        else:
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


@inner
def add_bit_sums(answers, size, start, stop, words, byte_sums, sums):
    """Add to `sums` [answers, block] what a piece of up to 64 secrets gives, for every answer but 0."""
    bytes_used = (size + 7) // 8
    letters = answers.letters
    for i in range(start, stop):
        b0, b1, b2, b3, b4 = _in_common(answers, words, i)
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
                sums[answer, i - start] += total


@inner
def bit_sums(answers, members, values, start, stop, words, byte_sums, sums):
    """Fill `sums` [answers, block] by bits."""
    block = stop - start
    sums[:, :block] = 0
    for first in range(0, len(members), PIECE):
        size = min(PIECE, len(members) - first)
        if len(members) > PIECE:  # a single piece has been made ready for all blocks
            set_token_words(answers, members[first : first + size], words)
            set_byte_sums(values[first : first + size], byte_sums)
        add_bit_sums(answers, size, start, stop, words, byte_sums, sums)
    everything = np.int64(0)
    for a in range(len(members)):
        everything += values[a]
    rest = sums[0]
    rest[:block] = everything
    for answer in range(1, answers.letters + 1):
        given = sums[answer]
        for i in range(block):
            rest[i] -= given[i]


@inner
def add_to_subsets(answers, members, values, of_subset):
    """Add the members' packed values to F, of every set of their tokens [subsets]."""
    for a in range(len(members)):
        row = answers.secret_subsets[members[a]]
        for k in range(len(row)):
            of_subset[row[k]] += values[a]


@inner
def clear_subsets(answers, members, of_subset):
    """Set F to zero again where the members have changed it."""
    for a in range(len(members)):
        row = answers.secret_subsets[members[a]]
        for k in range(len(row)):
            of_subset[row[k]] = 0


@inner
def subset_sums(answers, start, stop, of_subset, sums):
    """Fill `sums` [answers, block] by sums over the sets of each guess's tokens."""
    block, letters, ends = stop - start, answers.letters, answers.subset_ends
    sums[:, :block] = 0
    for size in range(letters + 1):
        out = sums[size]
        for place in range(ends[size], ends[size + 1]):
            subsets = answers.guess_subsets[place, start:stop]
            for i in range(block):
                out[i] += of_subset[np.uint32(subsets[i])]
    for least in range(letters):  # the inversion, by differences: Pascal's triangle turned round
        for size in range(letters - 1, least - 1, -1):
            fewer, more = sums[size], sums[size + 1]
            for i in range(block):
                fewer[i] -= more[i]


@inner
def set_finders_apart(answers, members, values, start, stop, sums):
    """Take each member's own guess out of the answer of its anagrams, if these get another answer than the word."""
    if answers.found == answers.letters:
        return
    for a in range(len(members)):
        guess = answers.finder[members[a]]
        if start <= guess < stop:
            sums[answers.letters, guess - start] -= values[a]
            sums[answers.found, guess - start] += values[a]


@inner
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
