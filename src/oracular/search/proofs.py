"""Proof files, as `checker.py` reads them: extraction of lemmas from the search, and writing.

A lemma says that a state costs at least b, whatever is guessed there. Extraction goes down from the claim. At each
lemma it lists the guesses that the counting bound does not refute, and for each of these it picks parts whose lemmas
make up the difference. Those lemmas are extracted in turn; they are about fewer secrets, so the largest come first.
The search is only asked how much a part costs. None of its pruning rules has to be checked or trusted: if a bound were
wrong, some guess could not be refuted, and no file would be written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular import checker
from oracular.costs import Costs, fits_search
from oracular.errors import OracularError, SettingsError
from oracular.games.game import Game
from oracular.games.guessing import FREE, written_demand
from oracular.games.symmetry import RANDOM_ELEMENTS, orbits, random_elements, stabiliser
from oracular.objectives import Objective
from oracular.search.states import StateSearch, search_table
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system import files
from oracular.system.control import UNLIMITED, Control, Threads

Arrays: TypeAlias = dict[str, NDArray[Any]]
Key: TypeAlias = tuple[int, bytes, bytes]
"""A state as the checker names it: its column, constraint, and secrets (int32, sorted, as bytes)."""

KEPT_STABILISERS = 8
"""This many random elements of an opening's stabiliser nearly always generate all of it."""

MOST_SECRETS = 1 << 16
"""A file numbers secrets and guesses in 16 bits."""


class NotProvedError(OracularError):
    """A bound that cannot be proved by lemmas."""


class StateBounds(Protocol):
    """What the extraction asks of the search."""

    def bound(self, secrets: NDArray[np.int32], column: int, constraint: int, target: int) -> int:
        """Return a lower bound on what a state costs: at least the target, or the exact cost if that is less."""


@dataclass(frozen=True)
class _ExactBounds:
    """The bounds of the exact search, which may know nothing of a file's last columns if they are alike."""

    search: StateSearch
    control: Control[object]

    def bound(self, secrets: NDArray[np.int32], column: int, constraint: int, target: int) -> int:
        """Return a lower bound on what a state costs, or raise `Stopped`."""
        column = min(column, self.search.table.costs.last)
        proved = self.search.bound(secrets, column, constraint, target=target).cost
        self.control.check()  # a search that was stopped may have proved less than there is
        return proved


class _CompiledGame(checker.ProofGame):
    """The checker's game, its guesses scored by compiled code."""

    def guess_costs(self, states: NDArray[np.int32], column: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what the checker's method does."""
        from oracular.kernels.guess_costs import guess_costs

        count, size = states.shape
        states = np.ascontiguousarray(states, np.int32)
        payers = self.payers(size, min(column + 1, self.last))
        ordered = np.empty((len(payers), count, size), np.int32)
        paid, times = np.empty((len(payers), count, size), np.int64), np.empty((len(payers), size), np.int64)
        for place, (at, ranks) in enumerate(payers):
            order = np.argsort(-self.cost[at][states], axis=1, kind="stable")
            ordered[place] = np.take_along_axis(states, order, axis=1)
            paid[place], times[place] = self.cost[at][ordered[place]], ranks
        costs = np.empty((count, self.answers.shape[1]), np.int64)
        splits = np.empty(costs.shape, np.uint8)
        start = self.cost[column][states].sum(axis=1)
        guess_costs(self.answers, self.found, self.width, states, start, ordered, paid, times, costs, splits)
        allowed = splits.astype(bool)
        if self.allowed == "possible":
            allowed &= (self.answers[states] == self.found).any(axis=1)
        return costs, allowed

    @cached_property
    def finder(self) -> NDArray[np.intp]:
        """The guess that finds each secret [secrets]."""
        found: NDArray[np.intp] = (self.answers == self.found).argmax(axis=1)
        return found

    def least_cost(self, part: NDArray[np.int32], column: int, guesses: NDArray[np.intp] | None) -> int:
        """Return the least cost by counting of these guesses at a state, or of all; the rule must allow them."""
        from oracular.kernels.guess_costs import guess_costs

        size = len(part)
        answers = self.answers[part] if guesses is None else self.answers[part[:, None], guesses]
        payers = self.payers(size, min(column + 1, self.last))
        ordered = np.empty((len(payers), 1, size), np.int32)
        paid, times = np.empty((len(payers), 1, size), np.int64), np.empty((len(payers), size), np.int64)
        for place, (at, ranks) in enumerate(payers):
            own = self.cost[at][part]
            ordered[place, 0] = np.argsort(-own, kind="stable")
            paid[place, 0], times[place] = own[ordered[place, 0]], ranks
        costs = np.empty((1, answers.shape[1]), np.int64)
        splits = np.empty(costs.shape, np.uint8)
        state, start = np.arange(size, dtype=np.int32)[None], self.cost[column][part].sum(keepdims=True)
        guess_costs(answers, self.found, self.width, state, start, ordered, paid, times, costs, splits)
        return int(costs[splits > 0].min())


class Proof:
    """A proof file being written: a game with its costs and weights, and the claims proved so far."""

    def __init__(self, game: Game, costs: Costs, rise: NDArray[np.int64], *, symmetric: bool = True) -> None:
        """Begin a proof about a game.

        Args:
            game: the game.
            costs: what finding each secret costs, weights included.
            rise: the same without the weights [columns, secrets].
            symmetric: whether to use those symmetries of the game that keep costs and weights.
        """
        if max(len(game.guesses), len(game.secrets)) > MOST_SECRETS - 1:
            raise NotProvedError(f"{game.name} is too large for a proof file: at most 65,535 guesses are possible")
        self.game = game
        described, self.arrays = _described(game)
        alike = bool((rise == rise[:, :1]).all())
        self.header: dict[str, Any] = {"format": checker.FORMAT, "game": described}
        self.header |= {"weights": costs.weights.tolist(), "rise": (rise[:, :1] if alike else rise).tolist()}
        self._checked = _CompiledGame(self.header, self.arrays)
        self._symmetries = _symmetries(game, costs) if symmetric and game.guessing.rule != "hard" else []
        if self._symmetries:
            rows = [np.concatenate([guesses, secrets]) for guesses, secrets in self._symmetries]
            self.arrays["symmetries"] = np.array(rows).astype(np.uint16)

    def add_lower(
        self,
        bound: int,
        search: StateBounds,
        openings: Sequence[int] | None = None,
        control: Control[str] = UNLIMITED,
    ) -> int:
        """Return the number of lemmas that prove that every tree, or every one with these openings, costs the bound."""
        extraction = _Extraction(self._checked, search, self._symmetries, control)
        lemmas = extraction.extract(bound, openings)
        self.header["lower"] = {"bound": bound, **({} if openings is None else {"openings": list(openings)})}
        self.arrays |= _lemma_arrays(lemmas, len(self._checked.free))
        return len(lemmas)

    def add_response(self, tree: Tree) -> Fraction:
        """Return what a tree costs against the hider, which the file then claims."""
        row = self._written(tree)
        total = int(sum(map(int, checker.tree_costs(self._checked, row) * self._checked.weights)))
        return self._add_upper({"kind": "response"}, [row], Fraction(total, self._checked.unit))

    def add_mixture(self, trees: Sequence[Tree], shares: Sequence[Fraction]) -> Fraction:
        """Return what a mixture of trees costs at most, which the file then claims."""
        rows = [self._written(tree) for tree in trees]
        orbit = checker.orbits(len(self._checked.everything), [secrets for _, secrets in self._symmetries])
        costs = [checker.tree_costs(self._checked, row) for row in rows]
        proved = checker.guaranteed(self._checked, costs, list(shares), orbit)
        return self._add_upper({"kind": "mixture", "shares": list(map(str, shares))}, rows, proved)

    def _add_upper(self, kind: dict[str, Any], rows: list[NDArray[np.uint16]], bound: Fraction) -> Fraction:
        self.header["upper"] = {**kind, "bound": str(bound)}
        self.arrays["tree_sizes"] = np.array([len(row) for row in rows], np.uint32)
        self.arrays["trees"] = np.concatenate(rows)
        return bound

    def _written(self, tree: Tree) -> NDArray[np.uint16]:
        """Return a tree's guesses in the checker's order: parts by their least secret."""
        guess_at = {visit.state.astype(np.int32).tobytes(): visit.guess for visit in tree.visits()}
        guesses: list[int] = []
        pending = [self._checked.everything]
        while pending:
            state = pending.pop()
            if len(state) > 1:
                guess = guess_at[state.tobytes()]
                guesses.append(guess)
                parts = [part for _, part in self._checked.parts(state, guess)]
                pending += sorted(parts, key=lambda part: -int(part[0]))
        return np.array(guesses, np.uint16)

    def to_bytes(self) -> bytes:
        """Return the contents of the file."""
        header = json.dumps(self.header, separators=(",", ":")).encode()
        buffer = BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, header=np.frombuffer(header, np.uint8), **self.arrays)
        return buffer.getvalue()

    def write(self, path: Path) -> int:
        """Return the size in bytes of the file, which is written whole or not at all."""
        data = self.to_bytes()
        files.write_whole(path, data)
        return len(data)


@dataclass(frozen=True)
class WrittenProof:
    """A proof file that was written.

    Attributes:
        lower: every guesser pays at least this expected loss.
        upper: the tree or the mixture of trees pays this, or at most this.
        lemmas: how many there are.
        size: in bytes.
    """

    lower: Fraction
    upper: Fraction
    lemmas: int
    size: int


def write_proof(
    path: Path,
    hider: Hider,
    objective: Objective,
    bounds: tuple[Fraction, Fraction],
    trees: Sequence[Tree],
    shares: Sequence[Fraction] | None = None,
    *,
    opening: int | None = None,
    control: Control[str] = UNLIMITED,
) -> WrittenProof:
    """Return what was written to a proof file: a lower bound against a hider, and trees as the upper side.

    Nothing is written if either bound cannot be proved (`NotProvedError`), or if the control ends the work (`Stopped`).

    Args:
        path: the file.
        hider: the hider, whose weights the lower bound holds for.
        objective: what the guesser is worth; `worst` is not an expected loss, so it is refused.
        bounds: the lower and the upper bound to be proved, as expected losses.
        trees: one tree, whose cost against the hider is claimed, or those of a mixture.
        shares: how often each tree of a mixture is drawn; None for one tree.
        opening: the guess that the lower bound assumes, or None for all guesses.
        control: when to end, and where to report progress.
    """
    check_provable(objective)
    check_path(path)
    game, (lower, upper) = hider.game, bounds
    if not fits_search(hider.weights.tolist(), objective):
        raise NotProvedError("the hider's weights are too large for a proof file: no proof was written")
    costs = Costs.against(hider.weights, objective)
    rise = Costs.against(np.ones(len(game.secrets), np.int64), objective).rise
    bound = lower * hider.total
    with Threads[int](1, control) as threads:  # compiled code cannot be interrupted from its own thread

        def extracted() -> int:
            own = threads.control
            search = StateSearch(search_table(game, costs, own.deadline), own.deadline)
            openings = None if opening is None else [opening]
            following = Control(own.deadline, own.cancelled, control.on_report)
            goal = -(-bound.numerator // bound.denominator)
            return proof.add_lower(goal, _ExactBounds(search, own), openings, following)

        try:
            proof = Proof(game, costs, rise)
        except checker.Refused as error:
            raise NotProvedError(f"{game.name} does not fit into a proof file: {error}") from None
        control.report("proof: searching the largest states", always=True)
        threads.submit(extracted)
        found: list[int] = []
        while threads.running:
            found += threads.finished()
    reached = proof.add_response(trees[0]) if shares is None else proof.add_mixture(trees, shares)
    if reached > upper:
        raise NotProvedError(f"the trees cost {float(reached):.6f}, not {float(upper):.6f}: no proof was written")
    data = proof.to_bytes()
    control.check()
    control.report(f"proof: writing {len(data) / 1e6:.2f} MB", always=True)
    try:
        files.write_whole(path, data)
    except OSError as error:
        raise files.not_written(path, error) from None
    return WrittenProof(Fraction(int(proof.header["lower"]["bound"]), hider.total), reached, found[0], len(data))


def check_provable(objective: Objective) -> None:
    """Raise an error unless proof files can state this objective."""
    if objective.is_worst:
        raise SettingsError(
            "a proof file states an expected loss, and the worst case is none: give --objective within-K, whose "
            "proof shows that K guesses do not suffice, or leave --proof out"
        )


def check_path(path: Path) -> None:
    """Raise an error if a proof file cannot be written to this path, before a long search."""
    if path.is_dir():
        raise SettingsError(f"{files.quoted(path)} is a folder: give the name of a file for the proof")
    if not path.absolute().parent.is_dir():
        raise SettingsError(f"the folder of {files.quoted(path)} does not exist: create it, or give another path")


def _described(game: Game) -> tuple[dict[str, Any], Arrays]:
    """Return a game as a header describes it, and the arrays that belong to it.

    The checker builds games of codes and the original Wordle by itself. Words of TWL06 may not be copied, and a custom
    game has rules of its own: their files carry the table of answers.
    """
    described: dict[str, Any] = {"name": game.name, "allowed": game.guessing.rule}
    if game.family in ("mastermind", "bulls"):
        pegs, _, symbols = game.name.split("-")[1].partition("x")
        return {**described, "rules": game.family, "pegs": int(pegs), "symbols": int(symbols)}, {}
    if game.family == "wordle" and (game.own_lists or not game.name.startswith("wordle-twl06")):
        words = {"guesses": list(game.guesses), "secrets": list(game.secrets)}
        return {**described, "rules": "wordle", **words}, {}
    hashes = {"words_sha256": game.words_sha256, "answers_sha256": game.answers_sha256}
    return {**described, "rules": "table", "found": game.found, **hashes}, {"table": game.table}


def _symmetries(game: Game, costs: Costs) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Return symmetries of the game that keep the costs: generators, and some that keep an opening in place."""
    kept = [
        symmetry
        for symmetry in game.checked_symmetries
        if np.array_equal(costs.rise[:, symmetry.secrets], costs.rise)
        and np.array_equal(costs.weights[symmetry.secrets], costs.weights)
    ]
    if not kept:
        return []
    generators = [symmetry.guesses.astype(np.int32) for symmetry in kept]
    deadline = UNLIMITED.deadline
    pool = random_elements(generators, np.random.default_rng(RANDOM_ELEMENTS), deadline)
    elements = list(generators)
    for opening in np.unique(orbits(len(game.guesses), generators)):
        elements += stabiliser(pool, generators, int(opening), deadline)[:KEPT_STABILISERS]
    distinct = {element.tobytes(): element.astype(np.int32) for element in elements}.values()
    return [(guesses, game.secret_of_guess[guesses[game.guess_of_secret]].astype(np.int32)) for guesses in distinct]


class _Extraction:
    """The lemmas that a claim needs, from the largest states to the smallest.

    Attributes:
        targets: by the number of secrets, what each lemma has to prove.
    """

    def __init__(
        self,
        game: _CompiledGame,
        search: StateBounds,
        symmetries: list[tuple[NDArray[np.int32], NDArray[np.int32]]],
        control: Control[str],
    ) -> None:
        self.game, self.search, self.control = game, search, control
        self.symmetries = checker.Lemmas(game, _lemma_arrays([], len(game.free)), symmetries)
        self.targets: list[dict[Key, int]] = [{} for _ in range(len(game.everything) + 1)]
        self._counted: dict[Key, int] = {}
        self._one_look: dict[Key, int] = {}
        self._demands: dict[bytes, int] = {b"": FREE, game.free: FREE}

    def extract(self, bound: int, openings: Sequence[int] | None) -> list[tuple[Key, int]]:
        """Return the lemmas, largest first."""
        everything = self.game.everything
        mask = None if openings is None else np.isin(np.arange(self.game.answers.shape[1]), openings)
        self._expand(everything[None], 0, [self.game.free], [bound], mask)
        lemmas: list[tuple[Key, int]] = []
        secrets = 0
        together = max(1, checker.CELLS // self.game.answers.shape[1])
        for size in range(len(everything), 2, -1):
            targets = self.targets[size]
            by_column: dict[int, list[Key]] = {}
            for key in targets:
                by_column.setdefault(key[0], []).append(key)
            for column, keys in by_column.items():
                for start in range(0, len(keys), together):
                    some = keys[start : start + together]
                    states = np.frombuffer(b"".join(key[2] for key in some), np.int32).reshape(len(some), size)
                    self._expand(states, column, [key[1] for key in some], [targets[key] for key in some])
                    megabytes = (secrets + size * start + 3 * len(lemmas)) / 1e6
                    self.control.report(
                        f"proof: {len(lemmas) + start:,} lemmas down to {size} secrets, about {megabytes:.1f} MB"
                    )
            lemmas += targets.items()
            secrets += size * len(targets)
        return lemmas

    def _expand(
        self,
        states: NDArray[np.int32],
        column: int,
        constraints: list[bytes],
        targets: list[int],
        openings: NDArray[np.bool_] | None = None,
    ) -> None:
        """Add the lemmas that lemmas about these states, of one size and column, need."""
        costs, guesses = self.game.guess_costs(states, column)
        guesses &= np.array([self.game.satisfying(constraint) for constraint in constraints])
        if openings is not None:
            guesses &= openings
        wanted = np.array(targets)
        for row, guess in np.argwhere(guesses & (costs < wanted[:, None])).tolist():
            self.control.check()
            if openings is not None or self.symmetries.orbit(states[row].tobytes())[guess] >= guess:
                self._refute(states[row], column, constraints[row], guess, int(wanted[row] - costs[row, guess]))

    def _refute(self, state: NDArray[np.int32], column: int, constraint: bytes, guess: int, missing: int) -> None:
        """Add lemmas about parts of a guess that raise its cost by what is missing.

        Lemmas that are needed anyway come first. Next come lemmas that need no others, since one look ahead proves
        them, the fewest that do. Only then is the search asked, about small parts first.
        """
        parts: list[tuple[Key, NDArray[np.int32]]] = []
        for answer, part in self.game.parts(state, guess):
            if len(part) > 2:  # of one or two secrets the counting bound is exact
                key = (min(column + 1, self.game.last), self.game.after(constraint, guess, answer), part.tobytes())
                missing -= self._known(key, part) - self._counting(key, part)
                if missing <= 0:
                    return
                parts.append((key, part))
        gains = []
        for key, part in sorted(parts, key=lambda one: len(one[1])):
            gain = self._look(key, part) - self._known(key, part)
            if gain >= missing:
                self.targets[len(part)][key] = self._known(key, part) + gain
                return
            gains.append((gain, key, part))
        for gain, key, part in sorted(gains, key=lambda one: (-one[0], len(one[2]))):
            if gain > 0:
                self.targets[len(part)][key] = self._known(key, part) + gain
                missing -= gain
            if missing <= 0:
                return
        for key, part in sorted(parts, key=lambda one: len(one[1])):
            known = self._known(key, part)
            proved = self.search.bound(part, key[0], self._demand(key[1]), known + missing)
            if proved > known:
                self.targets[len(part)][key] = min(proved, known + missing)
                missing -= proved - known
            if missing <= 0:
                return
        raise NotProvedError(
            f"{self.game.guesses[guess]} costs {missing} less than the bound to be proved at a state of {len(state)} "
            "secrets: claim less"
        )

    def _known(self, key: Key, part: NDArray[np.int32]) -> int:
        """Return what counting says a part costs, or a lemma that is needed anyway."""
        return self.targets[len(part)].get(key, 0) or self._counting(key, part)

    def _counting(self, key: Key, part: NDArray[np.int32]) -> int:
        if key not in self._counted:
            self._counted[key] = int(self.game.counted(part[None], key[0])[0])
        return self._counted[key]

    def _look(self, key: Key, part: NDArray[np.int32]) -> int:
        """Return what the best guess costs by counting: a lemma about this needs no others."""
        if key not in self._one_look:
            game, (column, constraint, _) = self.game, key
            least = game.least_cost(part, column, game.finder[part])
            # any other guess finds nothing, so all secrets pay for the next guess too: mostly it need not be looked at
            all_pay = int(game.cost[column][part].sum() + game.cost[min(column + 1, game.last)][part].sum())
            if game.allowed != "possible" and least > all_pay:
                others = np.flatnonzero(game.satisfying(constraint)) if game.allowed == "hard" else None
                least = game.least_cost(part, column, others)
            self._one_look[key] = least
        return self._one_look[key]

    def _demand(self, constraint: bytes) -> int:
        """Return the checker's constraint as the search writes it."""
        if constraint not in self._demands:
            length = len(constraint) // 2
            letters = [letter and letter - ord("a") + 1 for letter in constraint]
            places = {place: letter for place, letter in enumerate(letters[:length]) if letter}
            needed = Counter(letter for letter in letters[length:] if letter)
            self._demands[constraint] = written_demand(places, needed)
        return self._demands[constraint]


def _lemma_arrays(lemmas: list[tuple[Key, int]], constraint: int) -> Arrays:
    """Return the arrays of a file that hold these lemmas; constraints have this many bytes."""
    named = [((len(key[2]), *key), np.frombuffer(key[2], np.int32), bound) for key, bound in lemmas]
    named.sort(key=lambda one: (one[0][:3], one[1].tolist()))
    numbers = np.concatenate([np.zeros(0, np.int32), *(state for _, state, _ in named)]).astype(np.uint16)
    bounds = np.array([bound for _, _, bound in named], np.int64)
    arrays: Arrays = {
        "sizes": np.array([len(state) for _, state, _ in named], np.uint16),
        "columns": np.array([key[1] for key, _, _ in named], np.uint16),
        "bounds": bounds.astype(np.uint32) if bounds.max(initial=0) < 1 << 32 else bounds,
        "states": np.diff(numbers, prepend=np.uint16(0)),
    }
    if constraint:
        rows = [list(key[2]) for key, _, _ in named]
        arrays["constraints"] = np.array(rows, np.uint8).reshape(len(rows), constraint)
    return arrays
