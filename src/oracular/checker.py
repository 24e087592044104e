"""Checks a proof about a guessing game: `python checker.py FILE`. It needs Python and NumPy, and nothing else.

This file is all that a sceptic has to read. It does not know how a proof was found. It builds the game by its own rules
and checks every step of the proof by the rules below.

The game
--------
One side hides a secret s. The other makes guesses g and learns the answer A(g, s). Each secret has one guess that finds
it: the answer FOUND, which no other guess gets. A *state* is the set S of the secrets that fit the answers so far. A
guess splits S into *parts*, one for each answer but FOUND. Some rules forbid guesses: with `possible`, only a secret of
S may be guessed; in Wordle's hard mode a guess must satisfy a *constraint* h, which the answers so far imply.

Costs
-----
Finding s at guess t (t = 1, 2, ...) costs

    sum over j = 0 .. t-1 of rise[min(j, last), s],    where rise >= 0 and `last` is the last row.

If `rise` is a single row of ones, the cost is the number of guesses. Rows 0 .. 0 (k of them), 1, 0 cost 1 if the secret
is not found within k guesses. The hider has weights w[s] >= 0, and R[j, s] = w[s] rise[j, s]. A state that is reached
after m guesses is at *column* c = min(m, last). From there on, a guesser who finds s after t more guesses pays the sum
of R[min(c+j, last), s] over j < t. V(S, c, h) is the least that any guesser pays for all secrets of S together.

Lower bounds
------------
A lemma (S, c, h, b) says V(S, c, h) >= b. It holds if every allowed guess that splits S (or finds the only secret of S)
costs at least b. Making a guess costs the sum of R[c, s] over S, and each part P that it leaves costs V(P, c+1, h'),
where h' is the new constraint. Two bounds on V(P, c+1, h') may be used: another lemma about exactly (P, c+1, h'), and
the counting bound. P has fewer secrets than S, so lemmas never depend on each other in a circle, in whatever order they
are listed.

A guess that leaves S whole can be skipped. Whoever makes it can leave it out and make the guesses after it one turn
earlier: as no rise is negative, no secret costs more, and fewer answers only weaken the constraint.

*The counting bound.* At most b answers other than FOUND exist. Within d guesses a guesser can find at most
C(d) = 1 + b + ... + b^(d-1) secrets: one for each sequence of fewer than d answers. So at least n - C(d) of the n
secrets of P are not found within d guesses, and each of these pays the rise of guess d + 1. The sum of the n - C(d)
smallest rises of guess d + 1, over d = 0, 1, 2, ..., is therefore a lower bound on V(P, c, h), whatever h is. If the
secrets are sorted by rise, the largest first, the secrets of rank C(d), C(d) + 1, ... (from 0) pay.

*Symmetries.* A symmetry permutes the guesses (g -> pg) and the secrets (s -> qs) so that pg finds qs exactly if g finds
s, pg distinguishes qs and qs' exactly if g distinguishes s and s', and rise[j, qs] = rise[j, s] and w[qs] = w[s]. It
takes trees to trees of the same cost. So if it takes S to itself, the guesses g and pg cost the same at S, and only the
least guess of each orbit has to be checked. The checker uses the symmetries that the file lists, after it has tested
each. They are not allowed in hard mode, whose constraints they need not preserve.

*The claim* is the lemma about the start: all secrets, column 0, no constraint. It may be limited to some openings; then
only these are checked as first guesses.

Upper bounds
------------
A tree is the list of its guesses, state by state: first the guess at a state, then everything below its first part,
then everything below the next. Parts are in the order of their least secret. States of one secret are left out, since
their secret is guessed. The checker plays the tree against all secrets, which gives the exact cost of each. A
*response* is one tree, whose cost against the hider is the sum of w[s] times the cost of s. A *mixture* draws a tree by
its share. Its guarantee is the largest expected cost of any secret. The guesser may first draw one of all products of
the listed symmetries: then all secrets of an orbit are treated alike, and the expected cost is the average over them.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
import zlib
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np

FORMAT = "oracular proof 1"
MOST_BYTES = 1 << 30
"""A file that would unpack to more is refused."""

MOST_TOTAL = 1 << 60
"""All costs together stay below this, so that sums fit into 64 bits."""

CELLS = 1 << 18
"""Lemmas are checked together in groups of about this many (lemma, guess) pairs."""


class Refused(Exception):  # noqa: N818 - the name says what happens to the proof
    """The file proves nothing; the message says why."""


MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, MemoryError)
"""What a file that makes no sense may lead to."""


def require(holds: Any, reason: str) -> None:
    """Refuse the proof unless this holds."""
    if not holds:
        raise Refused(reason)


# Rules: the answers of each game, [guesses, secrets].


def letters_of(words: list[str]) -> np.ndarray:
    """Return the characters of words of equal length as numbers [words, letters]."""
    require(words and all(len(word) == len(words[0]) > 0 for word in words), "the words are not of one length")
    require(len(set(words)) == len(words), "a word is listed twice")
    return np.array([[ord(character) for character in word] for word in words], np.int32)


def common_letters(guesses: np.ndarray, secrets: np.ndarray) -> np.ndarray:
    """Return how many letters a guess and a secret share, wherever they stand; repeated letters count repeatedly."""
    shared = np.zeros((len(guesses), len(secrets)), np.int16)
    for letter in np.unique(guesses):
        shared += np.minimum((guesses == letter).sum(1)[:, None], (secrets == letter).sum(1)).astype(np.int16)
    return shared


def jotto(guesses: np.ndarray, secrets: np.ndarray) -> tuple[np.ndarray, int]:
    """Return Jotto's answers, the number of common letters, and FOUND, which only the secret itself is answered."""
    found = guesses.shape[1] + 1
    same = (guesses[:, None] == secrets).all(axis=2)
    return np.where(same, found, common_letters(guesses, secrets)), found


def black_and_white(guesses: np.ndarray, secrets: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the answers of Mastermind and of Bulls and Cows: equal places, and further common symbols."""
    pegs = guesses.shape[1]
    black = sum((guesses[:, None, peg] == secrets[:, peg]).astype(np.int16) for peg in range(pegs))
    return black * (pegs + 1) + common_letters(guesses, secrets) - black, pegs * (pegs + 1)


def colours(guesses: np.ndarray, secrets: np.ndarray) -> tuple[np.ndarray, int]:
    """Return Wordle's answers in base 3, the first letter's colour last: 0 grey, 1 yellow, 2 green.

    A letter in its place is green. Of the others, the first ones are yellow, as many as the secret has more of this
    letter than are green. So a letter is yellow if the secret has it more often than it is green, or stands further
    ahead in the guess.
    """
    length = guesses.shape[1]
    held = {letter: (secrets == letter).sum(axis=1).astype(np.int8) for letter in np.unique(guesses).tolist()}
    answers = np.zeros((len(guesses), len(secrets)), np.int16)
    for row, guess in enumerate(guesses.tolist()):
        green = [secrets[:, place] == letter for place, letter in enumerate(guess)]
        for place, letter in enumerate(guess):
            earlier = guess[:place].count(letter)
            later = [green[other] for other in range(place + 1, length) if guess[other] == letter]
            left = held[letter] - earlier - sum(later)
            answers[row] += np.where(green[place], 2, left > 0).astype(np.int16) * np.int16(3**place)
    return answers, 3**length - 1


class ProofGame:
    """A game with its costs, as a file describes it.

    Attributes:
        answers: A(g, s) [secrets, guesses]; FOUND is `found`.
        branches: how many answers there are besides FOUND.
        rise: what a secret costs more for each guess [columns, secrets]; `cost` is R, `rise` times the weights.
    """

    def __init__(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        described = header["game"]
        rules, self.allowed = described["rules"], described.get("allowed", "any")
        require(self.allowed in ("any", "possible", "hard"), f"unknown rule for guesses: {self.allowed!r}")
        require(self.allowed != "hard" or rules == "wordle", "only Wordle has a hard mode")
        if rules == "table":
            table = arrays["table"].astype(np.int16)
            self.found, self.guesses = int(described["found"]), [f"#{index}" for index in range(len(table))]
            kind = f"a table of answers, which the file calls {described['name']!r}"
        else:
            if rules in ("mastermind", "bulls"):
                symbols, pegs = range(1, described["symbols"] + 1), described["pegs"]
                codes = product(symbols, repeat=pegs) if rules == "mastermind" else permutations(symbols, pegs)
                self.guesses = secrets = ["".join(chr(ord("0") + symbol) for symbol in code) for code in codes]
                kind = f"{rules}, {pegs} places, {described['symbols']} symbols"
            else:
                self.guesses, secrets = described["guesses"], described["secrets"]
                kind = f"{rules}, words with sha256 {words_sha256(self.guesses, secrets)}"
            answer = {"jotto": jotto, "wordle": colours}.get(rules, black_and_white)
            require(rules in ("jotto", "wordle", "mastermind", "bulls"), f"unknown rules: {rules!r}")
            self.letters = letters_of(self.guesses)
            table, self.found = answer(self.letters, letters_of(secrets))
        require(table.ndim == 2 and 0 <= table.min() <= table.max() < 256, "answers are numbers from 0 to 255")
        finds = table == self.found
        require((finds.sum(0) == 1).all() and finds.sum(1).max() == 1, "each secret needs one guess of its own")
        self.answers = np.ascontiguousarray(table.T.astype(np.uint8))
        self.width = max(int(table.max()), self.found) + 1
        self.branches = max(1, sum(bool((table == answer).any()) for answer in range(self.width)) - 1)
        secrets_count = len(self.answers)
        require(secrets_count < 1 << 16, "at most 65,535 secrets are possible")
        require(all(type(n) is int for row in [header["weights"], *header["rise"]] for n in row), "not whole numbers")
        self.weights, self.rise = np.array(header["weights"], np.int64), np.array(header["rise"], np.int64)
        if self.rise.ndim == 2 and self.rise.shape[1] == 1:  # one number for all secrets
            self.rise = np.repeat(self.rise, secrets_count, axis=1)
        require(self.rise.ndim == 2 and self.rise.shape[1] == secrets_count, "a rise is needed for each secret")
        require(self.weights.shape == (secrets_count,), "a weight is needed for each secret")
        require(min(self.rise.min(), self.weights.min()) >= 0 < self.weights.sum(), "a weight or a rise is below zero")
        largest = sum(map(int, self.weights)) * sum(map(int, self.rise.max(axis=1)))
        require(largest * (secrets_count + 3) < MOST_TOTAL, "the weights are too large")
        self.cost, self.last = self.weights * self.rise, len(self.rise) - 1
        self.unit = int(self.weights.sum())
        self.name = f"{kind}: {secrets_count:,} secrets, {len(table):,} guesses"
        self.everything = np.arange(secrets_count, dtype=np.int32)
        self.free = bytes(2 * self.letters.shape[1]) if self.allowed == "hard" else b""

    def payers(self, size: int, column: int) -> list[tuple[int, np.ndarray]]:
        """Return, for each column of the costs, how often it is paid by the secret of each rank in `size` secrets.

        This is the counting bound: guess d + 1 is paid by the ranks from C(d) on.
        """
        times: dict[int, np.ndarray] = {}
        found, room, guess = 0, 1, column
        while found < size:
            at = min(guess, self.last)
            times.setdefault(at, np.zeros(size, np.int64))[found:] += 1
            found, room, guess = found + room, room * self.branches, guess + 1
        return [(at, ranks) for at, ranks in times.items() if self.cost[at].any()]

    def counted(self, states: np.ndarray, column: int) -> np.ndarray:
        """Return the counting bounds [states] of states of one size [states, secrets]."""
        bounds = np.zeros(len(states), np.int64)
        for at, times in self.payers(states.shape[1], column):
            bounds += np.sort(self.cost[at][states], axis=1)[:, ::-1] @ times
        return bounds

    def guess_costs(self, states: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what each guess costs at least by counting, and whether it splits the state [states, guesses].

        The states, of one size, are at this column. A guess costs the sum of R[column] and the counting bounds of its
        parts, where a secret's rank is that among the secrets with the same answer.
        """
        count, size = states.shape
        guesses = self.answers.shape[1]
        start = np.arange(count * guesses) * self.width
        costs = np.repeat(self.cost[column][states].sum(axis=1), guesses)
        for at, times in self.payers(size, min(column + 1, self.last)):
            order = np.argsort(-self.cost[at][states], axis=1, kind="stable")
            seen = np.zeros(count * guesses * self.width, np.uint16)
            for state in np.take_along_axis(states, order, axis=1).T:
                answers = self.answers[state].ravel()
                place = start + answers
                rank = seen[place]
                seen[place] = rank + 1
                costs += np.repeat(self.cost[at][state], guesses) * times[rank] * (answers != self.found)
        first = self.answers[states[:, 0]]
        whole = first != self.found
        for state in states.T[1:]:
            whole &= self.answers[state] == first
        splits = ~whole
        if self.allowed == "possible":
            for row, state in enumerate(states):
                splits[row] &= (self.answers[state] == self.found).any(axis=0)
        return costs.reshape(count, guesses), splits

    def parts(self, state: np.ndarray, guess: int) -> list[tuple[int, np.ndarray]]:
        """Return the answers to a guess at a state, FOUND left out, each with its part."""
        answers = self.answers[state, guess]
        order = np.argsort(answers, kind="stable")
        answers, state = answers[order], state[order]
        ends = [0, *(np.flatnonzero(answers[1:] != answers[:-1]) + 1).tolist(), len(state)]
        parts = [(int(answers[start]), state[start:end]) for start, end in pairwise(ends)]
        return [part for part in parts if part[0] != self.found]

    # Hard mode: a constraint has the letter that must stand at each place (0: any), then the letters that must be used,
    # sorted, as often as they must be used. Greys and the places of yellow letters do not matter.

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - there is one game
    def after(self, constraint: bytes, guess: int, answer: int) -> bytes:
        """Return the constraint after one more guess and its answer."""
        if self.allowed != "hard":
            return b""
        length = self.letters.shape[1]
        marks = [answer // 3**place % 3 for place in range(length)]
        word = self.letters[guess].tolist()
        places = [letter if mark == 2 else old for letter, mark, old in zip(word, marks, constraint, strict=False)]
        used = Counter(letter for letter in constraint[length:] if letter)
        used |= Counter(letter for letter, mark in zip(word, marks, strict=True) if mark)  # the larger of both numbers
        return bytes(places) + bytes(sorted(used.elements())).ljust(length, b"\0")

    @lru_cache(maxsize=1 << 12)  # noqa: B019
    def satisfying(self, constraint: bytes) -> np.ndarray:
        """Return which guesses satisfy a constraint [guesses]."""
        fits = np.ones(len(self.guesses), bool)
        if self.allowed == "hard":
            length = self.letters.shape[1]
            for place, letter in enumerate(constraint[:length]):
                fits &= (self.letters[:, place] == letter) | (letter == 0)
            for letter, times in Counter(constraint[length:]).items():
                fits &= ((self.letters == letter).sum(axis=1) >= times) | (letter == 0)
        return fits


def words_sha256(guesses: list[str], secrets: list[str]) -> str:
    """Return the hash of the secrets, and of the guesses after an empty line if they are others; one word a line."""
    lines = secrets if guesses == secrets else [*secrets, "", *guesses]
    return hashlib.sha256("".join(f"{word}\n" for word in lines).encode()).hexdigest()


# Symmetries


def first_alike(table: np.ndarray) -> np.ndarray:
    """Return for each entry of a row the place of the first entry equal to it: this describes the row's partition."""
    result = np.zeros(table.shape, np.int32)
    for row, values in enumerate(table):
        _, first, which = np.unique(values, return_index=True, return_inverse=True)
        result[row] = first[which]
    return result


def check_symmetry(game: ProofGame, guesses: np.ndarray, secrets: np.ndarray) -> None:
    """Refuse the proof unless these permutations, g -> guesses[g] and s -> secrets[s], are a symmetry."""
    table = game.answers.T
    for images, size in ((guesses, table.shape[0]), (secrets, table.shape[1])):
        require(np.array_equal(np.sort(images), np.arange(size)), "a symmetry is not a permutation")
    require(game.allowed != "hard", "symmetries are not allowed in hard mode")
    moved = table[np.ix_(guesses, secrets)]
    require(((moved == game.found) == (table == game.found)).all(), "a symmetry changes what a guess finds")
    alike = np.array_equal(moved, table) or np.array_equal(first_alike(moved), first_alike(table))
    require(alike, "a symmetry changes what a guess distinguishes")
    require((game.rise[:, secrets] == game.rise).all(), "a symmetry changes the costs")
    require((game.weights[secrets] == game.weights).all(), "a symmetry changes the weights")


def orbits(size: int, permutations_: list[np.ndarray]) -> np.ndarray:
    """Return the least element that products of the permutations take each element to or from [size]."""
    least = np.arange(size)
    while True:
        before = least.copy()
        for images in permutations_:
            low = np.minimum(least, least[images])
            np.minimum.at(low, images, low)
            least = low
        if np.array_equal(before, least):
            return least


# Lower bounds


class Lemmas:
    """The lemmas of a file: what each adds to the counting bound of its state."""

    def __init__(self, game: ProofGame, arrays: dict[str, np.ndarray], symmetries: list[tuple[np.ndarray, np.ndarray]]):
        self.game, self.symmetries = game, symmetries
        sizes, columns = arrays["sizes"].astype(np.int64), arrays["columns"].astype(np.int64)
        bounds = arrays["bounds"].astype(np.int64)
        numbers = np.cumsum(arrays["states"], dtype=np.uint16).astype(np.int32)  # the file holds their differences
        require(len(sizes) == len(columns) == len(bounds), "the lemmas are incomplete")
        require(len(sizes) == 0 or 1 <= sizes.min() <= sizes.max() <= len(game.everything), "a lemma has a wrong size")
        require(len(numbers) == sizes.sum(), "the lemmas are incomplete")
        require(len(sizes) == 0 or 0 <= columns.min() <= columns.max() <= game.last, "a lemma is at no column")
        require(len(numbers) == 0 or numbers.max() < len(game.everything), "a lemma is about a secret that is none")
        require(len(bounds) == 0 or 0 <= bounds.min() <= bounds.max() < MOST_TOTAL, "a bound is out of range")
        if game.free:
            require(arrays["constraints"].shape == (len(sizes), len(game.free)), "the constraints are incomplete")
            constraints = [bytes(row.tolist()) for row in arrays["constraints"]]
        else:
            constraints = [b""] * len(sizes)
        starts = np.cumsum(sizes) - sizes
        self.groups = []
        self.gains: dict[tuple[int, bytes, bytes], int] = {}
        for size, column in sorted(set(zip(sizes.tolist(), columns.tolist(), strict=True))):
            members = np.flatnonzero((sizes == size) & (columns == column))
            states = numbers[starts[members][:, None] + np.arange(size)]
            require((np.diff(states, axis=1) > 0).all(), "the secrets of a lemma are not sorted")
            own = [constraints[member] for member in members]
            self.groups.append((column, states, own, bounds[members]))
            gains = (bounds[members] - game.counted(states, column)).tolist()
            for state, constraint, gain in zip(states, own, gains, strict=True):
                self.gains[column, constraint, state.tobytes()] = gain

    def check(self) -> None:
        """Refuse the proof unless every lemma follows from smaller ones."""
        together = max(1, CELLS // self.game.answers.shape[1])
        for column, states, constraints, bounds in self.groups:
            for start in range(0, len(states), together):
                chosen = slice(start, start + together)
                self.check_alike(column, states[chosen], constraints[chosen], bounds[chosen])

    def check_alike(
        self,
        column: int,
        states: np.ndarray,
        constraints: list[bytes],
        bounds: np.ndarray,
        openings: np.ndarray | None = None,
    ) -> None:
        """Refuse the proof unless these lemmas, of one size and column, hold; of the first guess, for some openings."""
        costs, checked = self.game.guess_costs(states, column)
        checked &= np.array([self.game.satisfying(constraint) for constraint in constraints])
        if openings is not None:
            checked &= openings
        for row, guess in np.argwhere(checked & (costs < bounds[:, None])).tolist():
            state, constraint = states[row], constraints[row]
            if openings is None and self.orbit(state.tobytes())[guess] < guess:
                continue
            missing = int(bounds[row] - costs[row, guess])
            if self.gain(state, column, constraint, guess, missing) < missing:
                first = " ".join(map(str, state[:8].tolist())) + (" ..." if len(state) > 8 else "")
                raise Refused(
                    f"guess {self.game.guesses[guess]} may cost less than {bounds[row]} at the state of "
                    f"{len(state)} secrets {first}"
                )

    def gain(self, state: np.ndarray, column: int, constraint: bytes, guess: int, missing: int) -> int:
        """Return by how much lemmas raise the cost of a guess, or enough of it."""
        total, after = 0, min(column + 1, self.game.last)
        for answer, part in self.game.parts(state, guess):
            then = self.game.after(constraint, guess, answer)
            total += max(0, self.gains.get((after, then, part.tobytes()), 0))
            if total >= missing:
                break
        return total

    @lru_cache(maxsize=64)  # noqa: B019
    def orbit(self, state: bytes) -> np.ndarray:
        """Return the orbit of each guess, by its least guess, under the symmetries that keep a state [guesses].

        The least guess of an orbit is checked, so the others need not be.
        """
        secrets = np.frombuffer(state, np.int32)
        if not self.symmetries:
            return np.arange(self.game.answers.shape[1])
        keep = [guesses for guesses, images in self.symmetries if np.array_equal(np.sort(images[secrets]), secrets)]
        return orbits(self.game.answers.shape[1], keep)


# Upper bounds


def tree_costs(game: ProofGame, tree: np.ndarray) -> np.ndarray:
    """Return what finding each secret costs, without weights [secrets]."""
    found_at = np.zeros(len(game.everything), np.int64)
    guesses = iter(tree.tolist())
    pending = [(game.everything, 1, game.free)]
    while pending:
        state, turn, constraint = pending.pop()
        if len(state) == 1:
            found_at[state] = turn
            continue
        guess = next(guesses, -1)
        require(0 <= guess < game.answers.shape[1], "a tree is incomplete")
        allowed = game.satisfying(constraint)[guess]
        if game.allowed == "possible":
            allowed = (game.answers[state, guess] == game.found).any()
        require(allowed, "a tree makes a guess that is not allowed")
        found_at[state[game.answers[state, guess] == game.found]] = turn
        parts = sorted(game.parts(state, guess), key=lambda part: int(part[1][0]))
        require(not parts or len(parts[0][1]) < len(state), "a tree makes a guess that leaves all secrets")
        for answer, part in reversed(parts):
            pending.append((part, turn + 1, game.after(constraint, guess, answer)))
    require(next(guesses, None) is None, "a tree has too many guesses")
    paid = np.cumsum(game.rise, axis=0)
    at = np.minimum(found_at, len(paid)) - 1
    result: np.ndarray = paid[at, game.everything] + (found_at - at - 1) * game.rise[-1]
    return result


def guaranteed(game: ProofGame, costs: list[np.ndarray], shares: list[Fraction], orbit: np.ndarray) -> Fraction:
    """Return the largest expected cost of a secret, if trees of these costs are drawn by their shares."""
    require(len(costs) == len(shares) > 0 and min(shares) >= 0 and sum(shares) == 1, "the shares do not add up to 1")
    expected: dict[int, list[Fraction]] = {}
    for secret, representative in enumerate(orbit.tolist()):
        paid = [share * int(tree[secret]) for share, tree in zip(shares, costs, strict=True)]
        expected.setdefault(representative, []).append(sum(paid, Fraction(0)))
    return max(sum(values, Fraction(0)) / len(values) for values in expected.values())


# Files


def read(path: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header of a file and its arrays."""
    try:
        with zipfile.ZipFile(path) as archive:
            require(sum(member.file_size for member in archive.infolist()) < MOST_BYTES, "the file is too large")
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(arrays["header"].tobytes())
        require(header["format"] == FORMAT, f"not a proof of the format {FORMAT!r}")
    except (ValueError, KeyError, TypeError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise Refused(f"not a proof file ({error})") from None
    return header, arrays


def check(path: str) -> dict[str, Any]:
    """Return what a file proves, or raise `Refused`.

    The result has the game's name, the hider's total weight, and what is proved: `lower` (with its `openings`),
    `response`, `guarantee`; each is an expected cost.
    """
    header, arrays = read(path)
    try:
        return check_all(header, arrays)
    except MALFORMED as error:
        raise Refused(f"the file is malformed ({type(error).__name__}: {error})") from None


def check_all(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return what a proof proves, given the contents of its file."""
    game = ProofGame(header, arrays)
    guesses, secrets = game.answers.shape[1], len(game.everything)
    rows = arrays.get("symmetries", np.zeros((0, guesses + secrets), np.int32)).astype(np.int32)
    require(rows.ndim == 2 and rows.shape[1] == guesses + secrets, "the symmetries are incomplete")
    symmetries = [(row[:guesses], row[guesses:]) for row in rows]
    for symmetry in symmetries:
        check_symmetry(game, *symmetry)
    result: dict[str, Any] = {"game": game.name, "allowed": game.allowed, "weights": game.weights, "unit": game.unit}
    result |= {"rise": game.rise, "lemmas": len(arrays.get("sizes", ()))}
    if "lower" in header:
        bound, openings = int(header["lower"]["bound"]), header["lower"].get("openings")
        require(abs(bound) < MOST_TOTAL, "a bound is too large")
        mask = None
        if openings is not None:
            require(openings and all(0 <= opening < guesses for opening in openings), "an opening is not a guess")
            splits = game.guess_costs(game.everything[None], 0)[1][0]
            require(splits[openings].all(), "an opening is forbidden or eliminates nothing")
            mask = np.isin(np.arange(guesses), openings)
            result["openings"] = [game.guesses[opening] for opening in openings]
        lemmas = Lemmas(game, arrays, symmetries)
        lemmas.check()
        lemmas.check_alike(0, game.everything[None], [game.free], np.array([bound]), mask)
        result["lower"] = Fraction(bound, game.unit)
    if "upper" in header:
        ends = np.cumsum(arrays["tree_sizes"].astype(np.int64))
        require(len(ends) and ends[-1] == len(arrays["trees"]), "the trees are incomplete")
        costs = [tree_costs(game, tree) for tree in np.split(arrays["trees"], ends[:-1])]
        if header["upper"]["kind"] == "response":
            proved = Fraction(int(sum(map(int, costs[0] * game.weights))), game.unit)
        else:
            shares = [Fraction(share) for share in header["upper"]["shares"]]
            orbit = orbits(secrets, [images for _, images in symmetries])
            proved = guaranteed(game, costs, shares, orbit)
        require(proved <= Fraction(header["upper"]["bound"]), f"the trees cost {proved}, not the bound claimed")
        result["response" if header["upper"]["kind"] == "response" else "guarantee"] = proved
    return result


def described_costs(rise: np.ndarray) -> str:
    """Return what finding a secret costs, in words."""
    if (rise != rise[:, :1]).any():
        return "given for each secret and guess by the file"
    paid = np.cumsum(rise[:, 0]).tolist()
    if len(paid) == 1:
        return "the number of guesses" if paid == [1] else f"{paid[0]} for each guess"
    if paid[-1] == paid[-2] == 1 and not any(paid[:-2]):
        return f"1 if the secret is not found within {len(paid) - 2} guesses"
    return f"{', '.join(map(str, paid[:-1]))} at guess 1, 2, ..., and {rise[-1, 0]} for each guess more"


def number(value: Fraction) -> str:
    """Return a fraction, with decimals."""
    return f"{value} = {float(value):.6f}"


def described(result: dict[str, Any]) -> dict[str, str]:
    """Return what `check` found, in words."""
    even = "all equal" if len(set(result["weights"].tolist())) == 1 else "as in the file"
    rules = {"any": "any", "possible": "only those that may be the secret", "hard": "as in Wordle's hard mode"}
    lines = {"game": result["game"], "guesses": rules[result["allowed"]], "cost": described_costs(result["rise"])}
    lines["hider"] = f"weights {even}, {result['unit']} in all"
    if "lower" in result:
        whose = f"every guesser who begins with {' or '.join(result['openings'])}" if "openings" in result else ""
        whose = whose or "every guesser"
        lines["lower"] = f"{whose} pays at least {number(result['lower'])} ({result['lemmas']:,} lemmas)"
    if "response" in result:
        lines["upper"] = f"a tree pays {number(result['response'])} against this hider"
    if "guarantee" in result:
        lines["upper"] = f"a mixture of trees pays at most {number(result['guarantee'])} for any secret"
    if result.get("lower") == result.get("response", result.get("guarantee", ())):
        lines["conclusion"] = "the bounds are equal" + (": this is the game's value" * ("guarantee" in result))
    return lines


def main(arguments: list[str]) -> int:
    """Check the files named, print what each proves, and return the exit code: 0 if all of them are accepted."""
    if not arguments:
        print("usage: python checker.py FILE ...")
        return 2
    accepted = True
    for path in arguments:
        try:
            result = check(path)
        except (Refused, OSError) as error:
            print(f"{path}: REFUSED: {error}")
            accepted = False
            continue
        print(f"{path}: ACCEPTED")
        for name, words in described(result).items():
            print(f"  {name:<10} {words}")
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
