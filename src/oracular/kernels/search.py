"""The exact search, compiled: branch and bound over states, for every cost table.

Costs are given as rises (`costs.py`): making guess number c + 1 at a state costs `rise[c, s]` for every secret
s of the state, so V(S, c) = rise[c](S) + the least, over all guesses, of the sum of V(part, c + 1) over the parts that
the guess leaves. The secret that the guess finds leaves no part.

What makes it fast:

1. The counting bound. One secret of a part can be found by its first guess, b by the second, b² by the third, if no
   guess leaves more than b parts. The i-th secret of a part, by falling rises, therefore costs at least what is due up
   to its level. One pass over a guess's answers gives the bound of the guess (`_pass_over`), and the least of these
   over all guesses bounds the state (`quick_bound`). If no part has more than two secrets, the bound is the cost.
2. Tables of states. A state that is expanded gets a table of its own: a row for each guess that splits it, a column
   for each of its secrets. The row holds the number of the part that each secret falls into, numbered by first
   occurrence, so guesses that split the state alike have equal rows, and only one of them is listed. What splits a
   state alike splits its subsets alike, so parts draw on the shorter list. Their tables fit into the cache, and stand
   there column by column: so many rows are compared with each instruction (`_count_repeats`).
3. All parts of a guess get their quick bounds, small ones first, before any part is expanded.
4. A state is only asked whether it costs less than a target: what the best guess of the state above leaves for it. At
   the root the target rises in steps, so that there is a bound at any time; no good tree is needed beforehand.

Which rows stand for others: of guesses that split a state alike, the one that finds a secret, otherwise the first. In
hard mode none does, since they constrain later guesses differently. With symmetries, a guess is tried only if no
symmetry that keeps all earlier guesses takes it to one with a lower number (`_is_first_of_orbit`).

For proofs: every bound stored in the memo is the least over all guesses of what the guess costs by bounds of its parts,
which are closed forms, counting bounds, or bounds stored before. Equal rows, dominated rows and orbits are not part of
that argument: each skipped guess costs at least as much as the one that stands for it. So `search/proofs.py` can expand
any stored bound into lemmas by looking at every guess again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inlined, inner
from oracular.kernels.guessing import HARD, POSSIBLE, GuessingTable, meets, next_demand
from oracular.kernels.search_memo import EXACT, NUMBER_BITS, find, store

LEVELS = 8
"""The counting bound looks this many guesses ahead; secrets that it cannot place by then cost no more than the last."""

NO_BOUND = (1 << 62) - 1
"""The same as in `costs.py`."""

FINISHED, LIMIT, STOPPED, MEMO_FULL, NO_ROOM = 0, 1, 2, 3, 4
"""Why a search ended: with a result; at its limit of states; by the flag; the memo, or the space, should grow."""

DOWN, DONE, SAME = 11, 12, 13
"""Where the search goes next: to a part, to the next guess, or on with the parts of the same guess."""

SIZE, COLUMN, DEMAND, KEPT_AT, KEPT, TARGET, BRANCHES, LABELS_AT, INTS_AT, SUMS_AT, ROWS, STRIDE = range(12)
BASE, LOW, BEST, CHOSEN, WAITING, LABELS_TOP, INTS_TOP, SUMS_TOP, ROW, TOTAL, LEFT, ITEM, FOLLOWERS = range(12, 25)
FIELDS = 25
"""What a frame holds of a state on the stack.

Its secrets, the guess number as a column of the costs, and the hard-mode constraint; where the symmetries that keep all
earlier guesses are listed, and how many; the cost that a tree must stay below; how many parts a guess leaves at most;
where its arrays begin in the arenas; how many rows its table lists, and has room for. Then what the search finds: what
all its secrets pay now; the least bound of the guesses refuted; the best cost and guess; how many rows wait; where
the arenas are free; and of the guess being tried its row, the total of its bounds, how many parts were not settled and
how many of them are, and how many symmetries keep this guess too.
"""

OPEN, SEEN, SETTLED = 0, 1, 2
"""What is known of a part: what counting gives; the least bound over its guesses, or more; its least cost."""

LANES = 64
"""This many rows are looked at together."""

BY_PAIRS = 40
"""The secrets of states of up to this size are compared by pairs, see `_count_repeats`."""

ANSWERS = 256
"""A byte has as many values."""

ROOT = -1
"""In place of a number of symmetries: no guess was made yet, and all symmetries of the game hold."""


class SearchGame(NamedTuple):
    """A game and its costs as the search reads them. Guesses are numbered by the search, most parts first.

    Attributes:
        columns: the answers to all guesses, one secret after the other, uint8 [secrets * guesses].
        hits: the secret that each guess finds, or -1, int32 [guesses].
        kinds: how many answers each guess can get, int32 [guesses].
        finder: the guess that finds each secret, int32 [secrets].
        numbers: 0, 1, 2, ..., as many as there are guesses or secrets, int32.
        rise: int64 [columns, secrets].
        later: what a secret of a part pays that is found so many guesses after the part's first one, without the
            rise of the first: [c, k] is the sum of the rises of columns c + 2 to c + 1 + k, int64 [columns,
            LEVELS + 1, secrets].
        rest: the sum of the rises of all columns from this one on, int64 [columns, secrets].
        aligned: whether every column falls with the secrets' numbers; only then ranks are the same at all levels.
        keys: each secret's share of a state's key in the memo, uint64 [secrets, 2].
        guessing: the rule of guessing.
        openings: 1 for the first guess of each orbit under all symmetries, uint8 [guesses].
        group: symmetries, as permutations of the guesses, int32 [elements, guesses].
        group_from: those that keep guess g are group_from[g] up to group_from[g + 1], int64 [guesses + 1].
    """

    columns: NDArray[np.uint8]
    hits: NDArray[np.int32]
    kinds: NDArray[np.int32]
    finder: NDArray[np.int32]
    numbers: NDArray[np.int32]
    rise: NDArray[np.int64]
    later: NDArray[np.int64]
    rest: NDArray[np.int64]
    aligned: bool
    keys: NDArray[np.uint64]
    guessing: GuessingTable
    openings: NDArray[np.uint8]
    group: NDArray[np.int32]
    group_from: NDArray[np.int64]


class SearchSpace(NamedTuple):
    """Working space. Three arenas hold the tables of the states on the stack; the rest is scratch of one function.

    Attributes:
        labels, ints, sums: the arenas; each state takes room behind its parent's.
        cell: the rank of the last secret with each answer, above a base that moves on with every row [answers].
        size: of the parts of one row.
        slot, slot_tick: the table in which equal rows are found.
        offsets: where the columns of the secrets at hand begin.
        repeats, same, bits: for a block of rows, [LANES] and [4, LANES].
        salt: a random number for each place in a state; a row's hash is a sum of products with them.
        where, where_tick: the place of a secret of the parent in the state at hand.
        level: at how many guesses after the first one the secret of each rank is found at the earliest.
        more: `SearchGame.later` of the secrets at hand, [LEVELS + 1, secrets].
        order: positions by falling rises.
        late: what is due for secrets that are not the first of their part, at least, by the number of parts.
        tick: the base of `cell`, and the ticks of `slot_tick` and `where_tick`.
        frames: the stack, [depth, FIELDS].
        limits: of states, of slots of the memo in use, of its pool.
        status: why the search ended.
        lower: the bound proved so far, for whoever reports progress.
        stop: turns to 1 when the search is to end.
    """

    labels: NDArray[np.uint8]
    ints: NDArray[np.int32]
    sums: NDArray[np.int64]
    cell: NDArray[np.int64]
    size: NDArray[np.int32]
    slot: NDArray[np.int32]
    slot_tick: NDArray[np.int64]
    offsets: NDArray[np.int64]
    repeats: NDArray[np.int32]
    same: NDArray[np.uint8]
    bits: NDArray[np.uint64]
    salt: NDArray[np.uint64]
    where: NDArray[np.int32]
    where_tick: NDArray[np.int64]
    level: NDArray[np.int64]
    more: NDArray[np.int64]
    order: NDArray[np.int32]
    late: NDArray[np.int64]
    tick: NDArray[np.int64]
    frames: NDArray[np.int64]
    limits: NDArray[np.int64]
    status: NDArray[np.int64]
    lower: NDArray[np.int64]
    stop: NDArray[np.uint8]


@inlined
def _answer(game, guess, secret):
    """Return the answer to a guess for a secret."""
    return game.columns[np.int64(secret) * game.hits.shape[0] + guess]


@entry_point
def closed_form(game, state, size, column):
    """Return the least cost of one to three secrets, and the secret to guess first; -1 if that takes a search.

    Of three, a secret that splits the other two is best; without one, guessing a secret and then the dearer of the
    others. A guess that is none of the three splits them all at best: a search is needed only if that may be better.
    """
    rise = game.rise
    last = rise.shape[0] - 1
    second, third = min(column + 1, last), min(column + 2, last)
    a = state[0]
    if size == 1:
        return rise[column, a], a
    b = state[1]
    if size == 2:
        now = rise[column, a] + rise[column, b]
        if rise[second, b] <= rise[second, a]:
            return now + rise[second, b], a
        return now + rise[second, a], b
    now = rise[column, a] + rise[column, b] + rise[column, state[2]]
    then = rise[second, a] + rise[second, b] + rise[second, state[2]]
    best, chosen = NO_BOUND, np.int32(-1)
    for place in range(3):
        first, other, another = state[place], state[(place + 1) % 3], state[(place + 2) % 3]
        cost = now + then - rise[second, first]
        guess = game.finder[first]
        if _answer(game, guess, other) == _answer(game, guess, another):
            cost += min(rise[third, other], rise[third, another])
        if cost < best:
            best, chosen = cost, first
    if best > now + then and game.guessing.rule != POSSIBLE:
        return now + then, np.int32(-1)
    return best, chosen


@inlined
def _set_levels(game, space, state, size, column, branches):
    """Set the level of each rank, and what the state's secrets pay at each level; return how many levels there are.

    `state` has its secrets, `space.order` gets their positions by falling rises of the second guess from now.
    """
    level, order, more = space.level, space.order, space.more
    deepest, first, room = 0, 0, 1
    most = LEVELS if game.aligned else 1
    for rank in range(size):
        if rank == first + room and deepest < most:
            deepest, first = deepest + 1, rank
            room = max(room * branches, 1)
        level[rank] = deepest
        order[rank] = rank
    if not game.aligned:
        later = game.later[column, 1]
        for rank in range(1, size):
            place, key = rank, later[state[rank]]
            while place > 0 and later[state[order[place - 1]]] < key:
                order[place] = order[place - 1]
                place -= 1
            order[place] = rank
    for depth in range(1, deepest + 1):
        for rank in range(size):
            more[depth, rank] = game.later[column, depth, state[order[rank]]]


@inlined
def _pass_over(space, labels, row, size, cost, best):
    """Return a bound on a guess and the highest rank in any part; it stops once the bound is above the best.

    `space.offsets` says where the columns of the state's secrets begin, by falling rises; `cost` is what the guess
    costs if it leaves single secrets only.
    """
    cell, level, more = space.cell, space.level, space.more
    base = space.tick[0] + 1
    highest = np.int64(0)
    for index in range(size):
        answer = labels[np.uint64(space.offsets[index] + row)]  # unsigned: no check for places counted from the end
        rank = cell[answer] + 1
        if rank <= base:
            cell[answer] = base
        else:
            cell[answer] = rank
            rank -= base
            highest = max(highest, rank)
            cost += more[level[rank], index]
            if cost > best:
                break
    space.tick[0] = base + size + 1
    return cost, highest


@inlined
def _count_repeats(space, labels, first, end, size):
    """Count the secrets that are not the first of their part, for a block of rows, in `space.repeats`.

    Each pair of secrets is compared in all rows of the block side by side, many with each instruction. For up to 40
    secrets that is three to ten times as fast as going through one row after the other.
    """
    repeats, same, count = space.repeats, space.same, end - first
    for lane in range(count):
        repeats[lane] = 0
    for index in range(1, size):
        at = space.offsets[index] + first
        for lane in range(count):
            same[lane] = 0
        for before in range(index):
            other = space.offsets[before] + first
            for lane in range(count):
                same[lane] |= np.uint8(labels[np.uint64(at + lane)] == labels[np.uint64(other + lane)])
        for lane in range(count):
            repeats[lane] += same[lane]


@inlined
def _count_by_bits(space, labels, first, end, size):
    """Do what `_count_repeats` does for states of any size: a bit for each answer of each row, four words of them."""
    repeats, bits, count = space.repeats, space.bits, end - first
    for word in range(4):
        for lane in range(count):
            bits[word, lane] = 0
    for index in range(size):
        at = space.offsets[index] + first
        for lane in range(count):
            label = np.uint64(labels[np.uint64(at + lane)])
            bit, word = np.uint64(1) << (label & np.uint64(63)), label >> np.uint64(6)
            bits[0, lane] |= bit if word == np.uint64(0) else np.uint64(0)
            bits[1, lane] |= bit if word == np.uint64(1) else np.uint64(0)
            bits[2, lane] |= bit if word == np.uint64(2) else np.uint64(0)
            bits[3, lane] |= bit if word == np.uint64(3) else np.uint64(0)
    for lane in range(count):
        repeats[lane] = size
    for word in range(4):
        for lane in range(count):
            repeats[lane] -= _ones(bits[word, lane])


@inlined
def _ones(word):
    """Return how many bits of a word are 1."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int32((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def _key_of(game, state, size):
    first, second = np.uint64(0), np.uint64(0)
    for index in range(size):
        first ^= game.keys[state[index], 0]
        second ^= game.keys[state[index], 1]
    return first, second


@inner
def _quick_bound(
    game, memo, space, labels, at, count, stride, guess, hit, kinds, ids, positions, size, column, demand, branches, top
):
    """Return the least bound over a table's guesses at some of its secrets, whether it is exact, and its guess.

    Arguments that need a word:
        labels, at, count, stride: the table has `count` rows; its first column begins there, the next `stride` later.
        guess, hit, kinds: of each row, the guess, the position that it finds, or -1, and how many parts it makes of
            the table's secrets.
        ids: the table's secrets.
        positions: those of the state, sorted.
        top: where `space.ints` is free.
    """
    last = game.rise.shape[0] - 1
    after = min(column + 1, last)
    state = space.ints[top : top + size]
    for index in range(size):
        state[index] = ids[positions[index]]
    _set_levels(game, space, state, size, column, branches)
    space.tick[1] += 1
    tick = space.tick[1]
    cost, most = np.int64(0), np.int64(0)
    for index in range(size):
        secret = state[index]
        cost += game.rise[column, secret] + game.rise[after, secret]
        most = max(most, game.rise[after, secret])
        space.where_tick[positions[index]] = tick
        space.offsets[index] = at + np.int64(positions[space.order[index]]) * stride
    # With k parts, all but k secrets are found after the first guess of their part.
    late = space.late
    late[size] = 0
    for parts in range(size - 1, -1, -1):
        late[parts] = late[parts + 1] + (space.more[1, parts] if parts > 0 else 0)
    best, exact, chosen = NO_BOUND, False, np.int32(-1)
    rule, shallow = game.guessing.rule, space.level[size - 1] <= 1
    done = False
    for first in range(0, count, LANES):
        end = min(first + LANES, count)
        if shallow and size <= BY_PAIRS:
            _count_repeats(space, labels, first, end, size)
        elif shallow:
            _count_by_bits(space, labels, first, end, size)
        for row in range(first, end):
            parts = size - space.repeats[row - first] if shallow else min(kinds[row], size)
            least = cost + late[parts]
            if least - most > best:
                continue
            found = hit[row]
            start = cost
            if found >= 0 and space.where_tick[found] == tick:
                start -= game.rise[after, ids[found]]
            elif rule == POSSIBLE:
                continue
            least = start + late[parts]
            if least > best or (least == best and exact):
                continue
            bound, highest = _pass_over(space, labels, row, size, start, best)
            if bound > best or (bound == best and (exact or highest > 1)):
                continue
            if rule == HARD and not meets(game.guessing.letters, demand, guess[row]):
                continue
            best, exact, chosen = bound, highest <= 1, guess[row]
            if exact and best == cost - most:  # no guess is better than finding the dearest and leaving single secrets
                done = True
                break
        if done:
            break
    first_key, second_key = _key_of(game, state, size)
    context = (demand << NUMBER_BITS) | column
    store(memo, context, first_key, second_key, state, best, EXACT if exact else 1, chosen)
    return best, exact, chosen


@inlined
def _in_order(space, labels, at, size, cost):
    """Return the bound of a row that was just written, if its secrets do not stand by falling rises."""
    cell, due = space.cell, space.more[1]
    base = space.tick[0] + 1
    for place in range(size):
        label = labels[at + space.order[place]]
        cost += due[place] if cell[label] == base else np.int64(0)
        cell[label] = base
    space.tick[0] = base
    return cost


@inner
def _expand(
    game, space, source, at, count, stride, guess, hit, ids, positions, size, column, demand, above, symmetric,
    labels_at, ints_at, sums_at,
):  # fmt: skip
    """Build the table of a state from that of its parent; return its rows, the most parts, and whether it has room.

    The state's table goes to the tops of the arenas: `size` secrets, then guess, position found, whether all parts have
    two secrets at most, and how many parts there are, of each row; the bounds of the rows; and the labels, column by
    column. `above` bounds the parts that any guess leaves of the parent.
    """
    if (
        labels_at + 2 * count * size > space.labels.shape[0]
        or ints_at + size + 4 * count > space.ints.shape[0]
        or sums_at + count > space.sums.shape[0]
    ):
        return 0, 0, False
    last = game.rise.shape[0] - 1
    after = min(column + 1, last)
    state = space.ints[ints_at : ints_at + size]
    new_guess = space.ints[ints_at + size : ints_at + size + count]
    new_hit = space.ints[ints_at + size + count : ints_at + size + 2 * count]
    whole = space.ints[ints_at + size + 2 * count : ints_at + size + 3 * count]
    new_kinds = space.ints[ints_at + size + 3 * count : ints_at + size + 4 * count]
    bounds = space.sums[sums_at : sums_at + count]
    space.tick[1] += 1
    space.tick[2] += 1
    tick, rule, mask = space.tick[1], game.guessing.rule, space.slot.shape[0] - 1
    cost = np.int64(0)
    for index in range(size):
        secret = ids[positions[index]]
        state[index] = secret
        cost += game.rise[column, secret] + game.rise[after, secret]
        space.where[positions[index]] = index
        space.where_tick[positions[index]] = tick
        space.offsets[index] = at + np.int64(positions[index]) * stride
    _set_levels(game, space, state, size, column, above)
    cell, in_part, level, more, labels = space.cell, space.size, space.level, space.more, space.labels
    kept, most_parts = 0, 0
    written = labels_at + count * size  # row by row first, in which equal rows are found quickly
    shallow, due = level[size - 1] <= 1, more[1]
    for row in range(count):
        found = hit[row]
        if found >= 0 and space.where_tick[found] == tick:
            found = space.where[found]
        elif rule == POSSIBLE:
            continue
        else:
            found = np.int32(-1)
        if rule == HARD and not meets(game.guessing.letters, demand, guess[row]):
            continue
        base = space.tick[0] + 1
        new_at = written + kept * size
        parts, highest, bound = 0, 0, cost
        sign = np.uint64(0)
        if shallow:  # the same as below, without branches that the processor cannot foresee
            for index in range(size):
                answer = source[np.uint64(space.offsets[index] + row)]
                part = cell[answer] - base
                new = part < 0
                part = parts if new else part
                parts += 1 if new else 0
                rank = 0 if new else in_part[part] + 1
                bound += np.int64(0) if new else due[index]
                cell[answer] = base + part
                in_part[part] = rank
                highest = max(highest, rank)
                labels[new_at + index] = part
                sign += np.uint64(part + 1) * space.salt[index]
        else:
            for index in range(size):
                answer = source[np.uint64(space.offsets[index] + row)]
                part = cell[answer] - base
                if part < 0:
                    cell[answer] = base + parts
                    in_part[parts] = 0
                    part = parts
                    parts += 1
                else:
                    rank = in_part[part] + 1
                    in_part[part] = rank
                    highest = max(highest, rank)
                    bound += more[level[rank], index]
                labels[new_at + index] = part
                sign += np.uint64(part + 1) * space.salt[index]
        space.tick[0] = base + parts
        if parts < 2:
            continue
        if not game.aligned:
            bound = _in_order(space, labels, new_at, size, cost)
        place = kept
        if rule != HARD:
            sign ^= sign >> np.uint64(32)
            slot = np.int64(sign & np.uint64(mask))
            while space.slot_tick[slot] == space.tick[2]:
                other = space.slot[slot]
                alike = True
                begin = written + other * size
                for index in range(size):
                    if labels[begin + index] != labels[new_at + index]:
                        alike = False
                        break
                if alike and found < 0 and (new_hit[other] < 0 or not symmetric):
                    place = -1
                    break
                if alike and found >= 0 and new_hit[other] < 0 and not symmetric:
                    place = other
                    break
                slot = (slot + 1) & mask
            if place == kept:
                space.slot_tick[slot] = space.tick[2]
                space.slot[slot] = kept
        if place < 0:
            continue
        if found >= 0:
            bound -= game.rise[after, state[found]]
        new_guess[place], new_hit[place], whole[place], bounds[place] = guess[row], found, highest <= 1, bound
        new_kinds[place] = parts
        most_parts = max(most_parts, parts - 1 if found >= 0 else parts)
        if place == kept:
            kept += 1
    for index in range(size):
        begin = labels_at + index * kept
        for row in range(kept):
            labels[begin + row] = labels[written + row * size + index]
    return kept, most_parts, True


@inner
def _sift(heap, count, place, bounds):
    """Restore a heap of rows, the least bound on top and then the first row, from a place down."""
    row = heap[place]
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        other = child + 1
        if other < count and (
            bounds[heap[other]] < bounds[heap[child]]
            or (bounds[heap[other]] == bounds[heap[child]] and heap[other] < heap[child])
        ):
            child = other
        below = heap[child]
        if bounds[row] < bounds[below] or (bounds[row] == bounds[below] and row < below):
            break
        heap[place] = below
        place = child
    heap[place] = row


@inlined
def _is_first_of_orbit(game, elements, count, guess):
    """Say whether no symmetry that keeps all earlier guesses takes this guess to one with a lower number."""
    if count == ROOT:
        return game.openings[guess] != 0
    for index in range(count):
        if game.group[elements[index], guess] < guess:
            return False
    return True


@inner
def _counted(game, state, size, column, branches):
    """Return the counting bound of a state after `column` guesses, if no guess leaves more parts than `branches`."""
    last = game.rise.shape[0] - 1
    total, heaviest = np.int64(0), np.int64(0)
    level, room, left = 0, max(branches, 1), 1
    for index in range(size):
        if left == 0 and level < LEVELS:
            level += 1
            left = room
            room *= max(branches, 1)
        left -= 1
        secret = state[index]
        total += game.rise[column, secret]
        if game.aligned:
            for ahead in range(1, level + 1):
                total += game.rise[min(column + ahead, last), secret]
        else:
            then = game.rise[min(column + 1, last), secret]
            total += then
            heaviest = max(heaviest, then)
    return total - heaviest


@inlined
def _cut_short(memo, space):
    """Return why the search must end before another state is expanded, or `FINISHED` if it may go on."""
    if space.stop[0]:
        return STOPPED
    if memo.used[2] >= space.limits[0]:
        return LIMIT
    pool_is_full = memo.pool.shape[0] > 0 and memo.used[3] >= space.limits[2]
    if pool_is_full and space.limits[1] == NO_BOUND:  # it may not grow: start over, which loses time but no bound
        memo.size[:] = 0
        memo.used[1] += memo.used[0]
        memo.used[0] = memo.used[3] = 0
    elif pool_is_full or memo.used[0] >= space.limits[1]:
        return MEMO_FULL
    return FINISHED


@inlined
def _known_bound(game, memo, part, size, column, demand, branches):
    """Return a bound on a part without looking at its guesses, and what it is: `OPEN`, `SEEN` or `SETTLED`."""
    if size <= 3:
        cost, secret = closed_form(game, part, size, column)
        if secret >= 0:
            return cost, SETTLED
    left = np.int64(0)
    for index in range(size):
        left += game.rest[column, part[index]]
    if left == 0:
        return np.int64(0), SETTLED
    first, second = _key_of(game, part, size)
    slot = find(memo, (demand << NUMBER_BITS) | column, first, second, part)
    if slot >= 0:
        return memo.lower[slot], SETTLED if memo.plies[slot] == EXACT else SEEN
    return _counted(game, part, size, column, branches), OPEN


@inlined
def _arrays_of(space, frame):
    """Return the arrays of a state on the stack: its table, then what the search keeps while it tries a guess.

    They are: secrets; guess, position found, whether all parts have two secrets at most, and how many parts there are,
    by row; the rows that wait, as a heap; positions and secrets by part; start, size, what is known, and order of
    the parts.
    """
    size, rows, stride, at = frame[SIZE], frame[ROWS], frame[STRIDE], frame[INTS_AT]
    parts, ints = min(size, ANSWERS), space.ints
    state, at = ints[at : at + size], at + size
    guess, hit = ints[at : at + rows], ints[at + stride : at + stride + rows]
    whole, kinds = ints[at + 2 * stride : at + 2 * stride + rows], ints[at + 3 * stride : at + 3 * stride + rows]
    at += 4 * stride
    heap, at = ints[at : at + rows], at + rows
    positions, members, at = ints[at : at + size], ints[at + size : at + 2 * size], at + 2 * size
    begins, sizes = ints[at : at + parts], ints[at + parts : at + 2 * parts]
    known, order = ints[at + 2 * parts : at + 3 * parts], ints[at + 3 * parts : at + 4 * parts]
    return state, guess, hit, whole, kinds, heap, positions, members, begins, sizes, known, order


@inlined
def _sums_of(space, frame):
    """Return the bounds of a state's rows, and the bounds and constraints of the parts of the guess being tried."""
    at, stride, parts = frame[SUMS_AT], frame[STRIDE], min(frame[SIZE], ANSWERS)
    sums = space.sums
    part = at + stride
    return sums[at : at + frame[ROWS]], sums[part : part + parts], sums[part + parts : part + 2 * parts]


@inlined
def _enter(game, space, frame):
    """Begin to search a state whose table is built; return whether the arenas have room for that."""
    size, rows, parts = frame[SIZE], frame[ROWS], min(frame[SIZE], ANSWERS)
    frame[LABELS_TOP] = frame[LABELS_AT] + rows * size
    frame[SUMS_TOP] = frame[SUMS_AT] + frame[STRIDE] + 2 * parts
    frame[INTS_TOP] = frame[INTS_AT] + size + 4 * frame[STRIDE] + rows + 2 * size + 4 * parts
    group = game.group.shape[0] if frame[KEPT] == ROOT else frame[KEPT]
    if frame[INTS_TOP] + max(group, 2 * size) > space.ints.shape[0] or frame[SUMS_TOP] > space.sums.shape[0]:
        return False
    state, _, _, _, _, heap, _, _, _, _, _, _ = _arrays_of(space, frame)
    bounds, _, _ = _sums_of(space, frame)
    base, low, waiting = np.int64(0), NO_BOUND, 0
    for index in range(size):
        base += game.rise[frame[COLUMN], state[index]]
    for row in range(rows):
        if bounds[row] < frame[TARGET]:
            heap[waiting] = row
            waiting += 1
        else:
            low = min(low, bounds[row])
    for place in range(waiting // 2 - 1, -1, -1):
        _sift(heap, waiting, place, bounds)
    frame[BASE], frame[LOW], frame[WAITING] = base, low, waiting
    frame[BEST], frame[CHOSEN] = frame[TARGET], -1
    return True


@inlined
def _split(game, memo, space, frame, row):
    """Split a state by the guess of a row, with what is known of its parts; return the total of their bounds.

    The parts that are not settled are put in order, small ones first.
    """
    state, guess, hit, _, _, _, positions, members, begins, sizes, known, order = _arrays_of(space, frame)
    _, bounds, demands = _sums_of(space, frame)
    size, at = frame[SIZE], frame[LABELS_AT] + row
    parts, end = 0, 0
    for index in range(size):
        part = space.labels[at + index * frame[ROWS]]
        if part == parts:  # they are numbered by first occurrence
            sizes[part] = 0
            parts += 1
        sizes[part] += 1
    for part in range(parts):
        begins[part] = end
        end += sizes[part]
        sizes[part] = 0
    for index in range(size):
        part = space.labels[at + index * frame[ROWS]]
        place = begins[part] + sizes[part]
        positions[place], members[place] = index, state[index]
        sizes[part] += 1
    column = min(frame[COLUMN] + 1, game.rise.shape[0] - 1)
    total, left = frame[BASE], 0
    for part in range(parts):
        begin, count = begins[part], sizes[part]
        if positions[begin] == hit[row]:
            continue
        demands[part] = frame[DEMAND]
        if game.guessing.rule == HARD:
            answer = _answer(game, guess[row], members[begin])
            table = game.guessing
            demands[part] = next_demand(table.letters, table.colours, frame[DEMAND], guess[row], answer)
        bound, what = _known_bound(
            game, memo, members[begin : begin + count], count, column, demands[part], frame[BRANCHES]
        )
        bounds[part], known[part] = bound, what
        total += bound
        if what != SETTLED:
            place = left
            while place > 0 and sizes[order[place - 1]] > count:
                order[place] = order[place - 1]
                place -= 1
            order[place] = part
            left += 1
    frame[LEFT] = left
    return total


@inlined
def _next_guess(game, memo, space, frame):
    """Take the next guess whose parts must be searched and split the state by it; return whether there is one.

    Guesses that bounds settle or refute on the way are dealt with.
    """
    state, guess, hit, whole, kinds, heap, positions, _, begins, sizes, known, order = _arrays_of(space, frame)
    row_bounds, bounds, demands = _sums_of(space, frame)
    kept = frame[KEPT]
    column = min(frame[COLUMN] + 1, game.rise.shape[0] - 1)
    elements = space.ints[frame[KEPT_AT] : frame[KEPT_AT] + max(kept, 0)]
    while frame[WAITING] > 0:
        row = heap[0]
        if row_bounds[row] >= frame[BEST]:
            frame[LOW] = min(frame[LOW], row_bounds[row])
            return False
        frame[WAITING] -= 1
        if frame[WAITING] > 0:
            heap[0] = heap[frame[WAITING]]
            _sift(heap, frame[WAITING], 0, row_bounds)
        if kept != 0 and not _is_first_of_orbit(game, elements, kept, guess[row]):
            continue
        if whole[row]:
            frame[BEST], frame[CHOSEN] = row_bounds[row], guess[row]
            continue
        total = _split(game, memo, space, frame, row)
        for item in range(frame[LEFT]):
            part = order[item]
            if total >= frame[BEST]:
                break
            if known[part] != OPEN:
                continue
            begin, count = begins[part], sizes[part]
            bound, exact, _ = _quick_bound(
                game, memo, space, space.labels, frame[LABELS_AT], frame[ROWS], frame[ROWS], guess, hit, kinds,
                state, positions[begin : begin + count], count, column, demands[part], frame[BRANCHES],
                frame[INTS_TOP],
            )  # fmt: skip
            total += max(bound - bounds[part], 0)
            bounds[part] = max(bound, bounds[part])
            if exact:
                known[part] = SETTLED
        if total < frame[BEST]:
            frame[TOTAL], frame[ROW], frame[ITEM], frame[FOLLOWERS] = total, row, 0, 0
            if kept != 0:
                frame[FOLLOWERS] = _followers(game, space.ints, frame[KEPT_AT], kept, guess[row], frame[INTS_TOP])
            return True
        frame[LOW] = min(frame[LOW], total)
    return False


@inlined
def _next_part(game, space, frame, child):
    """Set up the next part of the guess being tried as the child; return `DOWN`, `DONE` if none is left, or `NO_ROOM`.

    If none is left, the guess is the best so far or refuted.
    """
    state, guess, hit, _, _, _, positions, _, begins, sizes, known, order = _arrays_of(space, frame)
    _, bounds, demands = _sums_of(space, frame)
    column = min(frame[COLUMN] + 1, game.rise.shape[0] - 1)
    while frame[ITEM] < frame[LEFT] and known[order[frame[ITEM]]] == SETTLED:
        frame[ITEM] += 1
    if frame[TOTAL] >= frame[BEST]:
        frame[LOW] = min(frame[LOW], frame[TOTAL])
        return DONE
    if frame[ITEM] == frame[LEFT]:
        frame[BEST], frame[CHOSEN] = frame[TOTAL], guess[frame[ROW]]
        return DONE
    part = order[frame[ITEM]]
    begin, count = np.int64(begins[part]), np.int64(sizes[part])
    followers = frame[FOLLOWERS]
    at = frame[INTS_TOP] + followers
    rows, branches, fits = _expand(
        game, space, space.labels, frame[LABELS_AT], frame[ROWS], frame[ROWS], guess, hit, state,
        positions[begin : begin + count], count, column, demands[part], frame[BRANCHES], followers != 0,
        frame[LABELS_TOP], at, frame[SUMS_TOP],
    )  # fmt: skip
    if not fits:
        return NO_ROOM
    child[SIZE], child[ROWS], child[STRIDE] = count, rows, frame[ROWS]
    child[COLUMN], child[DEMAND], child[BRANCHES] = column, demands[part], min(frame[BRANCHES], branches)
    child[KEPT_AT], child[KEPT] = frame[INTS_TOP], followers
    child[LABELS_AT], child[INTS_AT], child[SUMS_AT] = frame[LABELS_TOP], at, frame[SUMS_TOP]
    child[TARGET] = frame[BEST] - (frame[TOTAL] - bounds[part])
    return DOWN


@inlined
def _raise_part(space, frame, bound):
    """Raise the bound of the part that was searched: it is settled, or its guess is refuted."""
    _, _, _, _, _, _, _, _, _, _, known, order = _arrays_of(space, frame)
    _, bounds, _ = _sums_of(space, frame)
    part = order[frame[ITEM]]
    frame[TOTAL] += max(bound - bounds[part], 0)
    bounds[part] = max(bound, bounds[part])
    known[part] = SETTLED


@inlined
def _leave(game, memo, space, frame):
    """Store what the search of a state has proved, and return it: its least cost, or a bound that meets the target."""
    state, _, _, _, _, _, _, _, _, _, _, _ = _arrays_of(space, frame)
    first, second = _key_of(game, state, frame[SIZE])
    exact = frame[CHOSEN] >= 0
    bound = frame[BEST] if exact else frame[LOW]
    plies = EXACT if exact else 1
    store(
        memo,
        (frame[DEMAND] << NUMBER_BITS) | frame[COLUMN],
        first,
        second,
        state,
        bound,
        plies,
        np.int32(frame[CHOSEN]),
    )
    return bound, exact


@inlined
def _improve(game, memo, space):
    """Search the state of the first frame; return its least cost and True, or a bound that meets the target and False.

    If the search was cut short (`space.status`), the result means nothing.
    """
    frames, depth, what = space.frames, 0, DOWN
    while True:
        frame = frames[depth]
        if what == DOWN:  # a state that was just come to
            space.status[0] = _cut_short(memo, space)
            if space.status[0] != FINISHED:
                break
            memo.used[2] += 1
            if not _enter(game, space, frame):
                space.status[0] = NO_ROOM
                break
            what = DONE
        else:
            what = _next_part(game, space, frame, frames[depth + 1])
            if what == NO_ROOM:
                space.status[0] = NO_ROOM
                break
            if what == DOWN:
                depth += 1
        if what == DONE:
            if _next_guess(game, memo, space, frame):
                what = SAME
                continue
            bound, exact = _leave(game, memo, space, frame)
            if depth == 0:
                return bound, exact
            depth -= 1
            _raise_part(space, frames[depth], bound)
            what = SAME
    return np.int64(0), False


@inlined
def _followers(game, ints, kept_at, kept, guess, place):
    """List the symmetries that keep one more guess, and return how many there are."""
    count = 0
    if kept == ROOT:
        for element in range(game.group_from[guess], game.group_from[guess + 1]):
            ints[place + count] = element
            count += 1
        return count
    for index in range(kept):
        element = ints[kept_at + index]
        if game.group[element, guess] == guess:
            ints[place + count] = element
            count += 1
    return count


@entry_point
def best_guess(game, memo, state, column, demand):
    """Return the best guess at a state if a closed form or the memo has it, or -1."""
    size = state.shape[0]
    if size <= 3:
        _, secret = closed_form(game, state, size, column)
        if secret >= 0:
            return np.int64(game.finder[secret])
    first, second = _key_of(game, state, size)
    slot = find(memo, (demand << NUMBER_BITS) | column, first, second, state)
    return np.int64(memo.guess[slot]) if slot >= 0 and memo.plies[slot] == EXACT else -1


@entry_point
def search_state(game, memo, space, state, column, demand, opening, branches, lower, target, step):
    """Return a bound on a state's least cost, whether it is exact, and if so the best guess, or -1.

    The bound is exact or reaches the target. The guess of a state that costs nothing is -1.

    If the search was cut short, `space.status` says why, and the bound is what was proved by then. What the memo has
    by then is not searched again by the next call.

    Arguments that need a word:
        state: its secrets, sorted, two or more.
        opening: the guess made before, whose symmetries are used; -1 if the state is the whole game, -2 for none.
        branches: how many answers do not end the game.
        lower: a bound known before.
        step: by how much the target rises if it is not met.
    """
    space.status[0] = FINISHED
    space.lower[0] = lower
    size = state.shape[0]
    bound, what = _known_bound(game, memo, state, size, column, demand, branches)
    if what == SETTLED:
        return bound, True, best_guess(game, memo, state, column, demand)
    guesses = game.hits.shape[0]
    positions = space.ints[:size]
    for index in range(size):
        positions[index] = state[index]
    if what != SEEN:
        if 3 * size > space.ints.shape[0]:
            space.status[0] = NO_ROOM
            return lower, False, -1
        looked, exact, guess = _quick_bound(
            game, memo, space, game.columns, 0, guesses, guesses, game.numbers, game.hits, game.kinds, game.numbers,
            positions, size, column, demand, branches, size,
        )  # fmt: skip
        bound = max(bound, looked)
        if exact:
            return looked, True, guess
    lower = max(lower, bound)
    space.lower[0] = lower
    if lower >= target:
        return lower, False, -1
    kept, kept_at = 0, size
    if opening == -1:
        kept = ROOT if game.group.shape[0] > 0 else 0
    elif opening >= 0:
        kept = game.group_from[opening + 1] - game.group_from[opening]
        if size + kept > space.ints.shape[0]:
            space.status[0] = NO_ROOM
            return lower, False, -1
        for index in range(kept):
            space.ints[kept_at + index] = game.group_from[opening] + index
    place = size + max(kept, 0)
    rows, most_parts, fits = _expand(
        game, space, game.columns, 0, guesses, guesses, game.numbers, game.hits, game.numbers, positions, size, column,
        demand, branches, kept != 0, 0, place, 0,
    )  # fmt: skip
    if not fits:
        space.status[0] = NO_ROOM
        return lower, False, -1
    frame = space.frames[0]
    frame[SIZE], frame[ROWS], frame[STRIDE] = size, rows, guesses
    frame[COLUMN], frame[DEMAND], frame[BRANCHES] = column, demand, min(branches, most_parts)
    frame[KEPT_AT], frame[KEPT] = kept_at, kept
    frame[LABELS_AT], frame[INTS_AT], frame[SUMS_AT] = 0, place, 0
    while lower < target:
        frame[TARGET] = min(target, lower + step)
        bound, exact = _improve(game, memo, space)
        if space.status[0] != FINISHED:
            return lower, False, -1
        if exact:
            return bound, True, frame[CHOSEN]
        lower = max(lower, bound)
        space.lower[0] = lower
    return lower, False, -1


@entry_point
def arrange(table, guesses, secrets, columns):
    """Write a table of answers [guesses, secrets] into `columns` as `SearchGame` has it, in another order of both."""
    count = len(guesses)
    for first in range(0, count, LANES):  # so few rows stay in the cache
        end = min(first + LANES, count)
        for index in range(len(secrets)):
            at, secret = index * count, secrets[index]
            for place in range(first, end):
                columns[np.uint64(at + place)] = table[np.uint64(guesses[place]), np.uint64(secret)]


@entry_point
def count_answers(table, kinds):
    """Set how many answers each guess of a table [guesses, secrets] can get."""
    for guess in range(len(table)):
        first, second, third, fourth = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
        for secret in range(table.shape[1]):
            answer = table[guess, secret]
            bit = np.uint64(1) << np.uint64(answer & 63)
            if answer < 64:
                first |= bit
            elif answer < 128:
                second |= bit
            elif answer < 192:
                third |= bit
            else:
                fourth |= bit
        kinds[guess] = _ones(first) + _ones(second) + _ones(third) + _ones(fourth)
