"""Compiled scoring of a state: which guesses are best by a score that is a table over counts.

The score of a guess at a state is what the parts it leaves would cost. If A_j is the weight and c_j the number of the
secrets that give answer j, it is

    sum over answers j other than the one that ends the game of A_j f(c_j)  +  f_found times the guess's own weight.

Everything is a whole number, so a score is exact whatever the order of summing.

*The planner and lookahead* (`best_guesses`) want the best few guesses by any table f: fixed-point logarithms, expected
depths, shares not found in time. Weight and count of a secret share one 32-bit number. Games of few answers are added
up answer by answer with plain comparisons, sixteen guesses to a vector instruction; games of many answers by touching
only the sums that occur.

*The greedy guesser* (`scan`, Algorithms GuesserGBR to NumElims) wants the best guess by the paper's score alone. The
paper guesses the word that eliminates most words in expectation. With n possible secrets of total weight W that is

    sum_j (A_j / W) (n - c_j)  =  n - (1/W) sum_j A_j c_j,

so the best guess has the least *cost* sum_j A_j c_j: f(c) = c and f_found = 1. A sum of products needs no table, and
weight and count travel in one 64-bit number (`packing.py`), since fictitious play's weights grow without end. Guesses
are scored in blocks whose sums stay in the first-level cache. If words have tokens, the sums come from
`letter_sums.py`; otherwise from the rows of the table that belong to the possible secrets, from left to right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.answers import Answers, answer_to
from oracular.kernels.compiling import allocating_entry_point, entry_point, inlined, inner
from oracular.kernels.greedy_cache import LISTED, clear_list, list_block, new_lists
from oracular.kernels.guessing import ANY, HARD, GuessingTable, list_allowed, next_demand
from oracular.kernels.letter_sums import (
    FEW_BITS,
    PIECE,
    add_to_subsets,
    bit_sums,
    clear_subsets,
    few_costs,
    set_byte_sums,
    set_few_costs,
    set_few_finders_apart,
    set_finders_apart,
    set_token_words,
    subset_sums,
    subsets_pay,
)
from oracular.kernels.packing import TIES_POSSIBLE, WORST, GreedyObjective, packed_values
from oracular.kernels.quick_scan import AT_ONCE, MOST_QUICK, QUICK_BLOCK, first_that_tells_apart, quick_scan

SCAN_BLOCK = 512
"""Guesses whose costs are worked out together: their sums stay in the first-level cache."""

FEW_ANSWERS = 8
"""Up to this many answers, comparing with each of them is faster than adding at an index."""


class ScoredGame(NamedTuple):
    """A game as the kernels read it, and the score that its guesses are compared by.

    Attributes:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret, int32 [secrets].
        found: the answer that ends the game.
        answers: how many answers there are.
        shift: the bits that hold a count, beside a weight.
        table: f, what a unit of weight costs in a part by the number of secrets in it, int64 [secrets + 1].
        found_value: what a unit of weight costs that is found at once.
        ties: 0 where the first in dictionary order goes first of equal scores, 1 where possible secrets do.
        guessing: which guesses are allowed at a state.
    """

    by_secret: NDArray[np.uint8]
    guess_of_secret: NDArray[np.int32]
    found: int
    answers: int
    shift: int
    table: NDArray[np.int64]
    found_value: int
    ties: int
    guessing: GuessingTable


class ScanSpace(NamedTuple):
    """Working space of a scan, and what stops it.

    Attributes:
        sums: packed weights and counts by answer, int32 [answers, SCAN_BLOCK]; all zero between scans if not every
            guess is allowed.
        touched: the same by guess, all zero between scans, int32 [SCAN_BLOCK, 256]; only where answers are many.
        costs: int64 [SCAN_BLOCK].
        meets: all -1 between scans, int16 [256].
        met_by: likewise, int16 [256].
        listed: the allowed guesses of a block, int32 [SCAN_BLOCK]; only where not all are allowed.
        stop: turns from 0 to 1 when the scan must stop (`Deadline.flag`), uint8 [1].
    """

    sums: NDArray[np.int32]
    touched: NDArray[np.int32]
    costs: NDArray[np.int64]
    meets: NDArray[np.int16]
    met_by: NDArray[np.int16]
    listed: NDArray[np.int32]
    stop: NDArray[np.uint8]


def new_scan_space(answers: int) -> ScanSpace:
    """Return working space for a game of this many answers, which nothing stops."""
    return ScanSpace(
        sums=np.zeros((answers, SCAN_BLOCK), np.int32),
        touched=np.zeros((SCAN_BLOCK, 256) if answers > FEW_ANSWERS else (1, 1), np.int32),
        costs=np.zeros(SCAN_BLOCK, np.int64),
        meets=np.full(256, -1, np.int16),
        met_by=np.full(256, -1, np.int16),
        listed=np.zeros(SCAN_BLOCK, np.int32),
        stop=np.zeros(1, np.uint8),
    )


@inner
def _add_up_by_comparing(game, sums, members, values, start, end):
    """Fill `sums` [answers, block] with the packed weight and count of each answer."""
    width = end - start
    total = np.int32(0)
    for a in range(len(members)):
        total += values[a]
    rest = 1 if game.found == 0 else 0  # this answer's sum is what all others leave of the total
    sums[rest, :width] = total
    for answer in range(game.answers):
        if answer in (rest, game.found):
            continue
        line = sums[answer]
        line[:width] = 0
        wanted = np.uint8(answer)
        for a in range(len(members)):
            row = game.by_secret[members[a], start:end]
            value = values[a]
            for i in range(width):
                line[i] += value if row[i] == wanted else np.int32(0)
        for i in range(width):
            sums[rest, i] -= line[i]


@inner
def _costs_by_comparing(game, space, members, values, start, end):
    """Fill `space.costs` for a block of guesses in a game of few answers."""
    sums, costs, table = space.sums, space.costs, game.table
    shift = np.int32(game.shift)
    _add_up_by_comparing(game, sums, members, values, start, end)
    width = end - start
    rest = 1 if game.found == 0 else 0
    for a in range(len(members)):
        guess = game.guess_of_secret[members[a]]
        if start <= guess < end:
            sums[rest, guess - start] -= values[a]
    mask = (np.int32(1) << shift) - np.int32(1)
    costs[:width] = 0
    for answer in range(game.answers):
        if answer == game.found:
            continue
        line = sums[answer]
        for i in range(width):
            costs[i] += np.int64(line[i] >> shift) * table[line[i] & mask]


@inner
def _costs_by_touching(game, space, members, values, start, end):
    """Fill `space.costs` for a block of guesses in a game of many answers."""
    touched, costs, table = space.touched, space.costs, game.table
    shift = np.int32(game.shift)
    mask = (np.int32(1) << shift) - np.int32(1)
    width = end - start
    costs[:width] = 0
    for a in range(len(members)):
        row = game.by_secret[members[a], start:end]
        for i in range(width):
            before = touched[i, row[i]]
            after = before + values[a]
            touched[i, row[i]] = after
            if row[i] != game.found:
                costs[i] += np.int64(after >> shift) * table[after & mask]
                costs[i] -= np.int64(before >> shift) * table[before & mask]
    for a in range(len(members)):
        row = game.by_secret[members[a], start:end]
        for i in range(width):
            touched[i, row[i]] = 0


@inner
def _same_split(game, space, members, guess, other):
    """Return whether two guesses find the same secret, if any, and split the rest alike, whatever the answers are."""
    by_secret, meets, met_by = game.by_secret, space.meets, space.met_by
    same = True
    filled = 0
    for a in range(len(members)):
        mine, theirs = by_secret[members[a], guess], by_secret[members[a], other]
        if meets[mine] < 0 and met_by[theirs] < 0:
            meets[mine], met_by[theirs] = theirs, mine
        filled = a
        if meets[mine] != theirs or (mine == game.found) != (theirs == game.found):
            same = False
            break
    for a in range(filled + 1):
        meets[by_secret[members[a], guess]] = -1
        met_by[by_secret[members[a], other]] = -1
    return same


@entry_point
def splits(by_secret, members, guess, found):
    """Return whether a guess splits the secrets: whether not all of them stay together."""
    first = by_secret[members[0], guess]
    if first == found:
        return True
    for a in range(1, len(members)):
        if by_secret[members[a], guess] != first:
            return True
    return False


@inner
def _same_demands(game, members, demand, guess, other):
    """Return whether two guesses that split a state alike set the same constraint for the guesses that follow.

    Where a part has no more than two secrets nothing is asked: each of them is allowed, and nothing is better.
    """
    letters, colours, by_secret = game.guessing.letters, game.guessing.colours, game.by_secret
    for a in range(len(members)):
        mine, theirs = by_secret[members[a], guess], by_secret[members[a], other]
        if next_demand(letters, colours, demand, guess, mine) != next_demand(letters, colours, demand, other, theirs):
            together = 0
            for b in range(len(members)):
                together += by_secret[members[b], guess] == mine
            if together > 2:
                return False
    return True


@inner
def _keep(game, space, members, guess, key, kept, keys, count, demand):
    """Put a guess among the kept ones, in order, unless it says nothing new; return how many are kept."""
    if not splits(game.by_secret, members, guess, game.found):
        return count
    place = count
    while place > 0 and keys[place - 1] > key:
        place -= 1
    other = place - 1
    while other >= 0 and keys[other] == key:
        same = len(kept) > 1 and _same_split(game, space, members, guess, kept[other])
        if same and (game.guessing.rule != HARD or _same_demands(game, members, demand, guess, kept[other])):
            return count
        other -= 1
    last = min(count, len(kept) - 1)
    for i in range(last, place, -1):
        keys[i], kept[i] = keys[i - 1], kept[i - 1]
    keys[place], kept[place] = key, guess
    return last + 1


@inner
def _costs_of_listed(game, space, members, values, width):
    """Fill `space.costs` with the keys of the first guesses listed."""
    sums, costs, listed, table = space.sums, space.costs, space.listed, game.table
    shift = np.int32(game.shift)
    mask = (np.int32(1) << shift) - np.int32(1)
    costs[:width] = game.ties
    for a in range(len(members)):
        row = game.by_secret[members[a]]
        found_key = 2 * game.found_value * np.int64(values[a] >> shift) - game.ties
        for i in range(width):
            answer = row[listed[i]]
            if answer == game.found:
                costs[i] += found_key
                continue
            before = sums[answer, i]
            after = before + values[a]
            sums[answer, i] = after
            costs[i] += 2 * np.int64(after >> shift) * table[after & mask]
            costs[i] -= 2 * np.int64(before >> shift) * table[before & mask]
    for a in range(len(members)):
        row = game.by_secret[members[a]]
        for i in range(width):
            sums[row[listed[i]], i] = 0


@inner
def _best_allowed(game, space, members, values, kept, keys, demand):
    """Return what `best_guesses` returns, where not every guess is allowed."""
    count, want, start = np.int64(0), len(kept), 0
    costs, listed, guesses = space.costs, space.listed, game.by_secret.shape[1]
    while True:
        width, start = list_allowed(game.guessing, game.guess_of_secret, guesses, members, demand, start, listed)
        _costs_of_listed(game, space, members, values, width)
        for i in range(width):
            if count < want or costs[i] < keys[want - 1]:
                count = _keep(game, space, members, listed[i], costs[i], kept, keys, count, demand)
        if width < len(listed) or space.stop[0]:
            return count


@inner
def best_guesses(game, space, members, values, kept, keys, demand):
    """Return how many guesses were found, at most as many as `kept` holds: the best by score, no two with one split.

    `kept` and `keys` get them, best first; equal scores keep the dictionary's order. A key is twice the score, plus
    one if ties go to possible secrets and the guess isn't one. A scan that is stopped gives the best so far.

    Args:
        game: the game and the score.
        space: working space; see `ScanSpace`.
        members: the possible secrets, two or more, sorted.
        values: weight << shift | 1 of each of them, int32.
        kept: gets the guesses, int32.
        keys: gets their keys, int64.
        demand: the constraint on the guess; only allowed guesses are found.
    """
    if game.guessing.rule != ANY:
        return _best_allowed(game, space, members, values, kept, keys, demand)
    count, want = np.int64(0), len(kept)
    costs, guesses, shift = space.costs, game.by_secret.shape[1], np.int32(game.shift)
    for start in range(0, guesses, SCAN_BLOCK):
        if space.stop[0]:
            break
        end = min(start + SCAN_BLOCK, guesses)
        if game.answers <= FEW_ANSWERS:
            _costs_by_comparing(game, space, members, values, start, end)
        else:
            _costs_by_touching(game, space, members, values, start, end)
        for i in range(end - start):
            costs[i] = 2 * costs[i] + game.ties
        for a in range(len(members)):
            guess = game.guess_of_secret[members[a]]
            if start <= guess < end:
                costs[guess - start] += 2 * game.found_value * np.int64(values[a] >> shift) - game.ties
        limit = keys[want - 1] if count == want else WORST
        for i in range(end - start):
            if costs[i] < limit:
                count = _keep(game, space, members, start + i, costs[i], kept, keys, count, demand)
                limit = keys[want - 1] if count == want else WORST
    return count


BLOCK = 256
"""Guesses scored at a time: with 8 answers their sums take 16 KB."""

FEW = 7
"""Up to this many secrets, comparing them pair by pair beats adding up by answer."""

MOST_ADDED_UP = 32
"""With more answers than this, most of them unused, clearing and adding up all of them would take longest."""


@inner
def _costs_by_pairs(by_secret, values, members, start, stop, shift, costs):
    """Fill `costs` for a block of guesses, for a state of few secrets.

    sum_j A_j c_j counts each secret's weight once for every secret with the same answer, itself included: so it is W
    plus the weight of both for each pair with the same answer.
    """
    total = np.int64(0)
    for a in range(len(members)):
        total += values[a] >> shift
    costs[: stop - start] = total
    for a in range(1, len(members)):
        row_a = by_secret[members[a], start:stop]
        for b in range(a):
            row_b = by_secret[members[b], start:stop]
            both = (values[a] >> shift) + (values[b] >> shift)
            for i in range(stop - start):
                costs[i] += both if row_a[i] == row_b[i] else 0


@inner
def _sums_by_answer(by_secret, values, members, start, stop, sums):
    """Fill `sums` for a block of guesses, adding up packed weight and count of each answer."""
    last_answer = np.uint8(sums.shape[1] - 1)  # the width is a power of two; the mask lets the compiler know
    sums[: stop - start] = 0
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        value = values[a]
        for i in range(stop - start):
            sums[i, row[i] & last_answer] += value


@inner
def _costs_of_sums(sums, block, shift, costs):
    """Fill `costs` from packed sums [block, answers]."""
    counts = (np.int64(1) << shift) - 1
    for i in range(block):
        cost = np.int64(0)
        for answer in range(sums.shape[1]):
            both = sums[i, answer]
            cost += (both >> shift) * (both & counts)
        costs[i] = cost


@inner
def _costs_of_letter_sums(sums, block, shift, costs):
    """Fill `costs` from packed sums [answers, block]."""
    counts = (np.int64(1) << shift) - 1
    costs[:block] = 0
    for answer in range(len(sums)):
        given = sums[answer]
        for i in range(block):
            costs[i] += (given[i] >> shift) * (given[i] & counts)


@inner
def _greedy_costs_by_touching(by_secret, values, members, start, stop, shift, sums, costs):
    """Fill `costs` for a block of guesses in a game of many answers, most of which no secret gives.

    A secret of weight w that joins c others of weight A at an answer raises A c to (A + w)(c + 1), that is by
    A + w (c + 1). Only the sums that were touched are cleared again, so `sums` must be all zero before and is after.
    """
    last_answer = np.uint8(sums.shape[1] - 1)
    counts = (np.int64(1) << shift) - 1
    costs[: stop - start] = 0
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        value = values[a]
        weight = value >> shift
        for i in range(stop - start):
            before = sums[i, row[i] & last_answer]
            costs[i] += (before >> shift) + weight * ((before & counts) + 1)
            sums[i, row[i] & last_answer] = before + value
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        for i in range(stop - start):
            sums[i, row[i] & last_answer] = 0


class ScoreBuffers(NamedTuple):
    """The working memory of one thread that scores states.

    It holds what every tree needs and no more: with two arrays more, which only rules of guessing take, the incremental
    engine was 15% slower, since all of it is passed to every call.

    Attributes:
        values: packed values of a state's members [secrets].
        sums: packed sums from the table, int64 [BLOCK, answers]; all zero between two states where answers are many.
        letter_sums: the same from tokens, int64 [answers, BLOCK].
        costs: int64 [BLOCK].
        words: for each token the members that have it, as bits, int64 [tokens].
        few: the costs of the sets of few secrets, int64 [2^FEW_BITS].
        byte_sums: int64 [8, 256].
        of_subset: packed sums of the sets of tokens, int64 [subsets], all zero between two states.
        of_answer: packed sums of one guess, int64 [answers], all zero between two guesses.
        quick_members: the members of a small state, int32 [MOST_QUICK + AT_ONCE].
        quick_steps: their weights in steps, uint32 [MOST_QUICK + AT_ONCE].
        quick_sums: uint32 [answers, QUICK_BLOCK].
        quick_bounds: uint32 [QUICK_BLOCK].
    """

    values: NDArray[np.int64]
    sums: NDArray[np.int64]
    letter_sums: NDArray[np.int64]
    costs: NDArray[np.int64]
    words: NDArray[np.int64]
    few: NDArray[np.int64]
    byte_sums: NDArray[np.int64]
    of_subset: NDArray[np.int64]
    of_answer: NDArray[np.int64]
    quick_members: NDArray[np.int32]
    quick_steps: NDArray[np.uint32]
    quick_sums: NDArray[np.uint32]
    quick_bounds: NDArray[np.uint32]


def new_buffers(answers: Answers) -> ScoreBuffers:
    """Return the buffers that one thread needs to score the states of a game."""
    return ScoreBuffers(
        values=np.empty(len(answers.finder), np.int64),
        sums=np.zeros((BLOCK, answers.width), np.int64),
        letter_sums=np.empty((answers.width if answers.letters else 0, BLOCK), np.int64),
        costs=np.empty(BLOCK, np.int64),
        words=np.empty(answers.token_count, np.int64),
        few=np.empty(1 << FEW_BITS, np.int64),
        byte_sums=np.empty((PIECE // 8, 256), np.int64),
        of_subset=np.zeros(answers.subset_count, np.int64),
        of_answer=np.zeros(answers.width, np.int64),
        quick_members=np.empty(MOST_QUICK + AT_ONCE, np.int32),
        quick_steps=np.empty(MOST_QUICK + AT_ONCE, np.uint32),
        quick_sums=np.empty((answers.width, QUICK_BLOCK), np.uint32),
        quick_bounds=np.empty(QUICK_BLOCK, np.uint32),
    )


class Scorer(NamedTuple):
    """All that scoring a state takes beside the state.

    Attributes:
        answers: the game.
        objective: what guesses are compared by.
        buffers: this thread's.
        flag: uint8 [1], raised when time is up: what a scan gives then says nothing.
    """

    answers: Answers
    objective: GreedyObjective
    buffers: ScoreBuffers
    flag: NDArray[np.uint8]


TABLE_PAIRS, TABLE_TOUCHING, TABLE_QUICK, LETTERS_FEW, TABLE_SUMS, LETTERS_BITS, LETTERS_SUBSETS = range(7)
"""The ways to score a state; from TABLE_SUMS on, those that give the sums of each answer."""


@entry_point
def way_to_score(answers, size):
    """Return the fastest way to score all guesses at a state of this size."""
    if subsets_pay(answers, size):
        return LETTERS_SUBSETS
    if answers.by_secret.size:
        if answers.letters and size <= MOST_QUICK:
            return TABLE_QUICK
        if size <= FEW:
            return TABLE_PAIRS
        return TABLE_TOUCHING if answers.width > MOST_ADDED_UP else TABLE_SUMS
    return LETTERS_FEW if size <= FEW_BITS else LETTERS_BITS


@entry_point
def is_listed(answers, size):
    """Return whether states of this size have lists: if all guesses are scored in a way that gives the counts."""
    return size > LISTED and way_to_score(answers, size) >= TABLE_SUMS


@inlined
def prepare(scorer, members, way):
    """Make ready what all blocks of guesses at a state share, and return the total weight."""
    answers, shift, buffers = scorer.answers, scorer.objective.shift, scorer.buffers
    total = packed_values(scorer.objective.packed, members, shift, buffers.values)
    if way == LETTERS_FEW:
        set_token_words(answers, members, buffers.words)
        set_few_costs(buffers.values, len(members), shift, buffers.few)
    elif way == LETTERS_BITS and len(members) <= PIECE:
        set_token_words(answers, members, buffers.words)
        set_byte_sums(buffers.values[: len(members)], buffers.byte_sums)
    elif way == LETTERS_SUBSETS:
        add_to_subsets(answers, members, buffers.values, buffers.of_subset)
    return total


@inlined
def fill_costs(scorer, members, start, stop, way):
    """Fill the costs of a block of guesses, and their sums in the ways that use them."""
    answers, shift, buffers = scorer.answers, scorer.objective.shift, scorer.buffers
    values, sums, letter_sums, costs = buffers.values, buffers.sums, buffers.letter_sums, buffers.costs
    if way == LETTERS_FEW:
        few_costs(answers, len(members), start, stop, buffers.words, buffers.few, costs)
        set_few_finders_apart(answers, members, values, start, stop, shift, costs)
    elif way == TABLE_PAIRS:
        _costs_by_pairs(answers.by_secret, values, members, start, stop, shift, costs)
    elif way == TABLE_TOUCHING:
        _greedy_costs_by_touching(answers.by_secret, values, members, start, stop, shift, sums, costs)
    elif way == TABLE_SUMS:
        _sums_by_answer(answers.by_secret, values, members, start, stop, sums)
        _costs_of_sums(sums, stop - start, shift, costs)
    else:
        if way == LETTERS_BITS:
            bit_sums(answers, members, values, start, stop, buffers.words, buffers.byte_sums, letter_sums)
        else:
            subset_sums(answers, start, stop, buffers.of_subset, letter_sums)
        set_finders_apart(answers, members, values, start, stop, letter_sums)
        _costs_of_letter_sums(letter_sums, stop - start, shift, costs)


@inlined
def finish(scorer, members, way):
    """Leave the buffers as `prepare` found them."""
    if way == LETTERS_SUBSETS:
        clear_subsets(scorer.answers, members, scorer.buffers.of_subset)


@inlined
def best_in_block(scorer, members, start, stop, best_key, best_guess):
    """Return the better of the best guess so far and of a block whose costs are filled in, with its key.

    A guess's key is twice its cost, plus one if ties go to possible secrets and this guess isn't one; the first
    guess with the least key is the best. The costs become keys.
    """
    finder, ties, costs = scorer.answers.finder, scorer.objective.ties, scorer.buffers.costs
    for i in range(stop - start):
        costs[i] = 2 * costs[i] + ties
    if ties == TIES_POSSIBLE:
        for a in range(len(members)):
            guess = finder[members[a]]
            if start <= guess < stop:
                costs[guess - start] -= 1
    for i in range(stop - start):
        if costs[i] < best_key:
            best_key = costs[i]
            best_guess = np.int64(start + i)
    return best_key, best_guess


@inlined
def _scan_two(scorer, members, start, stop):
    """Return the key and the index of the first guess from `start` to `stop` that distinguishes two secrets."""
    answers, objective = scorer.answers, scorer.objective
    total = packed_values(objective.packed, members, objective.shift, scorer.buffers.values)
    if objective.ties == TIES_POSSIBLE:  # either distinguishes the two
        guess = np.int64(min(answers.finder[members[0]], answers.finder[members[1]]))
    else:
        guess = first_that_tells_apart(answers.by_secret, members[0], members[1], start, stop)
    return (2 * total, guess) if start <= guess < stop else (WORST, np.int64(-1))


@entry_point
def scan(scorer, members, start, stop, lists, row):
    """Return the key and the index of the best guess from `start` to `stop` at a state of two secrets or more.

    The guesses that cost least are put into a list, or into none if `row` is -1. Then the scan ends early at a guess
    that distinguishes all the secrets.
    """
    if len(members) == 2 and (scorer.objective.ties == TIES_POSSIBLE or scorer.answers.by_secret.size):
        return _scan_two(scorer, members, start, stop)
    way = way_to_score(scorer.answers, len(members))
    total = prepare(scorer, members, way)
    if way == TABLE_QUICK:
        return quick_scan(scorer, members, total, start, stop)
    best_key, best_guess = WORST, np.int64(-1)
    if row >= 0:
        clear_list(lists, row)
    for block_start in range(start, stop, BLOCK):
        block_stop = min(block_start + BLOCK, stop)
        fill_costs(scorer, members, block_start, block_stop, way)
        if row >= 0:
            list_block(scorer, block_start, block_stop, way > TABLE_SUMS, lists, row)
        best_key, best_guess = best_in_block(scorer, members, block_start, block_stop, best_key, best_guess)
        if scorer.flag[0] or (row < 0 and best_key == 2 * total):
            break
    finish(scorer, members, way)
    return best_key, best_guess


@inner
def _fill_row(answers, listed, replies, secret, count):
    """Fill `replies` with the answers to the first guesses listed if a secret is hidden."""
    if answers.by_secret.size:
        row = answers.by_secret[secret]
        for i in range(count):
            replies[i] = row[listed[i]]
    else:
        for i in range(count):
            replies[i] = answer_to(answers, listed[i], secret)


@inner
def _fill_keys(scorer, members, listed, replies, count):
    """Fill the costs of the first guesses listed with their keys, adding up as `_greedy_costs_by_touching` does."""
    answers, objective, buffers = scorer.answers, scorer.objective, scorer.buffers
    values, sums, keys = buffers.values, buffers.sums, buffers.costs
    shift, ties, found = objective.shift, objective.ties, answers.found
    counts = (np.int64(1) << shift) - 1
    keys[:count] = ties
    for a in range(len(members)):
        _fill_row(answers, listed, replies, members[a], count)
        value = values[a]
        weight = value >> shift
        for i in range(count):
            answer = replies[i]
            before = sums[i, answer]
            keys[i] += 2 * ((before >> shift) + weight * ((before & counts) + 1))
            sums[i, answer] = before + value
            if answer == found:
                keys[i] -= ties
    for a in range(len(members)):
        _fill_row(answers, listed, replies, members[a], count)
        for i in range(count):
            sums[i, replies[i]] = 0


@allocating_entry_point
def best_allowed(scorer, guessing, members, demand):
    """Return the allowed guess with the least key at a state of two secrets or more, the first of equals."""
    answers, keys = scorer.answers, scorer.buffers.costs
    listed, replies = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.uint8)
    total = packed_values(scorer.objective.packed, members, scorer.objective.shift, scorer.buffers.values)
    best_key, best, start = WORST, np.int64(-1), 0
    while True:
        count, start = list_allowed(guessing, answers.finder, answers.guesses, members, demand, start, listed)
        _fill_keys(scorer, members, listed, replies, count)
        for i in range(count):
            guess = np.int64(listed[i])
            if keys[i] < best_key or (keys[i] == best_key and guess < best):
                best_key, best = keys[i], guess
        told_apart = best_key == 2 * total and guessing.rule == HARD  # those are listed in order
        if count < BLOCK or told_apart or scorer.flag[0]:
            return best


NO_LISTS = new_lists(0, 1)


def best_guess(scorer: Scorer, members: NDArray[np.int32], start: int = 0, stop: int | None = None) -> int:
    """Return the best guess from `start` to `stop` at a state of two secrets or more."""
    stop = scorer.answers.guesses if stop is None else stop
    return int(scan(scorer, members, start, stop, NO_LISTS, -1)[1])
