"""A lower bound on what any guesser needs against a hider, proved opening by opening.

Every tree begins with some opening, so the least of the openings' bounds holds for all trees. The opening with the
least bound is always the next to be searched one ply further. So all work goes where the bound is weakest, and the
bound never falls.

If a tree is known, no opening is searched beyond what the tree needs: either it begins a better tree, or it does not.
Most openings show that at once. On the way there are targets below the tree's total that every opening is brought to
before any is searched further, since a bound for all of them is what counts if the time is short.

Bounds can be kept in a file. Its checksum shows whether it was damaged. It proves none of the bounds, so all of them
count as recorded until they are proved again.
"""

from __future__ import annotations

import hashlib
import heapq
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from oracular.costs import NO_BOUND, Costs
from oracular.errors import RunError
from oracular.games.game import Game
from oracular.games.table import MANY_ANSWERS
from oracular.search.letters import is_uniform
from oracular.search.openings import (
    PROVED,
    OpeningBound,
    OpeningSearch,
    counting_bounds,
    deepened,
    holds,
    search_of,
)
from oracular.search.two_guesses import two_guess_bounds
from oracular.strategies.hider import Hider
from oracular.strategies.shipped import ProofRow
from oracular.system import files
from oracular.system.control import (
    NEVER,
    UNLIMITED,
    Control,
    Deadline,
    ShouldStop,
    ShowProgress,
    Stopped,
    Threads,
    never_stop,
    show_nothing,
)
from oracular.system.files import not_written, quoted, sealed, unsealed

LEFT_AT_TARGET = Fraction(1, 8)
"""At the one target on the way this part is left of the distance from the first bound to the tree's total.

A target that is closer to the total takes as long to reach as the total itself.
"""

LEFT_AT_EACH_TARGET = Fraction(7, 8)
"""Against a uniform hider each target leaves this part of the distance at the one before: there it grows in steps."""

FIRST_TRY = 0.5
"""Seconds for the first attempt to prove an opening again; if that is too little, all others are tried first."""


class RefutedBoundError(Exception):
    """A bound that was recorded for an opening and is false."""

    def __init__(self, opening: int) -> None:
        self.opening = opening


class OpeningSearcher(AbstractContextManager["OpeningSearcher"], Protocol):
    """Searches openings one ply deeper, several at a time: on threads of this process, or on a cluster."""

    @property
    def workers(self) -> int:
        """How many openings can be searched at a time."""

    @property
    def trusted(self) -> bool:
        """Whether the bounds count as proved by this process."""

    def begin(self, known: OpeningBound, deadline: Deadline, ceiling: int = NO_BOUND) -> None:
        """Begin to search an opening one ply deeper than its known bound, until the deadline or the ceiling at most."""

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds finished since the last call, waiting up to `timeout` seconds for the first."""


class ThreadSearcher:
    """Searches openings on threads of this process; with `sharing` what is proved of one opening is used for the next.

    After it was closed it can be opened again, and its searches still know what they have proved.
    """

    trusted = True

    def __init__(self, hider: Hider, threads: int, *, sharing: bool = False) -> None:
        self.hider, self.workers, self.sharing = hider, threads, sharing
        self._free: deque[OpeningSearch] = deque()
        self._setup = threading.Lock()  # what the searches have in common is worked out once
        self._pool: Threads[OpeningBound | None]

    def __enter__(self) -> ThreadSearcher:
        self._pool = Threads(self.workers, UNLIMITED)
        return self

    def __exit__(self, *raised: object) -> None:
        self._pool.__exit__(*raised)

    def begin(self, known: OpeningBound, deadline: Deadline, ceiling: int = NO_BOUND) -> None:
        """Begin to search an opening one ply deeper than its known bound, until the deadline or the ceiling at most."""
        self._pool.submit(self._deepen, known, deadline, ceiling)

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds finished since the last call, waiting up to `timeout` seconds for the first."""
        return [bound for bound in self._pool.finished(timeout) if bound is not None]

    def _deepen(self, known: OpeningBound, deadline: Deadline, ceiling: int) -> OpeningBound | None:
        try:
            with self.taken(deadline) as search:
                return deepened(search, known, deadline, self._pool.control.cancelled, ceiling)
        except Stopped:
            return None

    @contextmanager
    def taken(self, deadline: Deadline) -> Iterator[OpeningSearch]:
        """Yield a search that nobody else uses meanwhile, or raise `DeadlinePassed`."""
        deadline.check()
        try:
            search = self._free.pop()
        except IndexError:
            with self._setup:
                search = search_of(self.hider, deadline, sharing=self.sharing)
        try:
            yield search
        finally:
            self._free.append(search)


class LowerBound:
    """A lower bound on what any guesser needs against one hider; `improve` raises it.

    Raises `DeadlinePassed` if there is no time to bound every opening by counting, which is the least there must be.

    Attributes:
        openings: the bound of each opening, by the opening.
        recorded: the openings whose bound comes from a file or from others and is not proved here yet.
        best_total: the least total of a tree that is known, or of an opening proved; NO_BOUND if there is no tree.
        best: the opening that was proved to reach it, if a search found it; else None.
        target: the total at which the search of every opening ends; NO_BOUND for none.
        sharing: whether what is proved of one opening may be used for the next; then, of several openings that are
            proved to be best, the first is found.
    """

    def __init__(self, hider: Hider, deadline: Deadline = NEVER, *, sharing: bool = False) -> None:
        Costs.mean(hider.weights)  # refuses weights that are too large
        self.hider = hider
        counted = counting_bounds(hider, deadline)
        self.openings = {opening: OpeningBound(bound, opening, 1) for opening, bound in counted.items()}
        self._least = sorted(self.openings.values())  # a heap of all that ever stood in `openings`
        self.recorded: set[int] = set()
        self.best_total = NO_BOUND
        self.best: int | None = None
        self.target = NO_BOUND
        self.sharing = sharing
        self._first = self.weakest.bound
        self._step_by_step = is_uniform(hider) and not sharing

    @property
    def game(self) -> Game:
        """The game."""
        return self.hider.game

    @property
    def weakest(self) -> OpeningBound:
        """The opening with the least bound, which is the bound on all trees."""
        while self.openings[self._least[0].opening] != self._least[0]:  # it has risen since
            heapq.heappop(self._least)
        return self._least[0]

    @property
    def value(self) -> Fraction:
        """The lower bound in expected guesses; it is proved here if no opening is `recorded`."""
        return Fraction(self.lower, self.hider.total)

    @property
    def lower(self) -> int:
        """The bound on the total of all trees; above what a tree is known to need, a recorded one must be false."""
        return self.weakest.bound

    @property
    def finished(self) -> bool:
        """Whether the bound is the optimum: no opening can begin a better tree than the one known."""
        return self.weakest.plies == PROVED or not any(map(self.is_open, self.openings.values()))

    def asked_of(self, opening: int) -> int:
        """Return the bound at which an opening need not be searched further."""
        before = self.sharing and self.best is not None and opening < self.best
        return self.best_total + 1 if before else self.best_total

    def is_open(self, known: OpeningBound) -> bool:
        """Return whether an opening may still begin a better tree than any known."""
        return known.plies != PROVED and known.bound < self.asked_of(known.opening)

    def ceiling(self, known: OpeningBound) -> int:
        """Return the bound at which the search of an opening ends: the next target above its bound, or the last one."""
        if self.target != NO_BOUND or self.best_total == NO_BOUND:
            return min(self.target, self.asked_of(known.opening))
        above = (target for target in self._targets() if target > known.bound)
        return next(above, self.asked_of(known.opening))

    def _targets(self) -> Iterator[int]:
        """Yield the targets between the first bound and what a known tree needs."""
        distance = Fraction(self.best_total - self._first)
        distance *= LEFT_AT_EACH_TARGET if self._step_by_step else LEFT_AT_TARGET
        while distance >= 1:
            yield self.best_total - int(distance)
            distance *= LEFT_AT_EACH_TARGET if self._step_by_step else 0

    def add_tree(self, total: int) -> None:
        """Use that some tree has this total."""
        if total < self.best_total:
            self.best_total, self.best = total, None

    def add_recorded(self, known: Mapping[int, OpeningBound]) -> None:
        """Add recorded bounds of openings that are better; they count as recorded until proved again.

        Raises ValueError if an opening is not one of this game's, or if a bound is impossible. Nothing is added then.
        """
        most = self.hider.total * len(self.game.secrets)
        for opening, theirs in known.items():
            ours = self.openings.get(opening)
            possible = theirs.opening == opening and 0 < theirs.bound <= most
            deep = 1 <= theirs.plies <= len(self.game.secrets) + 2 or theirs.plies == PROVED
            if ours is None or not possible or not deep:
                raise ValueError(f"opening {opening}")
            if theirs.plies == 1 and ours.plies == 1 and theirs.bound > ours.bound:
                raise ValueError(f"opening {opening}")
        for opening, theirs in known.items():
            if (theirs.bound, theirs.plies) > (self.openings[opening].bound, self.openings[opening].plies):
                self._set(theirs)
                self.recorded.add(opening)

    def recheck(
        self,
        threads: int = 1,
        deadline: Deadline = NEVER,
        stop: ShouldStop = never_stop,
        progress: ShowProgress = show_nothing,
    ) -> OpeningBound | None:
        """Prove recorded bounds again, in random order, and return one that is false if any is found.

        In a game of many answers every second guess is the quickest proof of bounds of at most two plies, so these have
        half of the time for it. The rest is searched for.
        """
        shallow = [opening for opening in sorted(self.recorded) if self.openings[opening].plies <= 2]
        random.SystemRandom().shuffle(shallow)
        if shallow:
            self.by_two_guesses(shallow, threads, deadline.or_after(deadline.left / 2), stop)
        proved, refuted = self._proved_again(threads, Control(deadline, stop, progress))
        self.recorded -= proved
        for opening in sorted(proved):
            self._take_optimum(self.openings[opening])
        return refuted

    def _proved_again(self, threads: int, control: Control[str]) -> tuple[set[int], OpeningBound | None]:
        """Return the openings whose recorded bounds were proved again, and a bound that is false if any is.

        The order comes from the system's own randomness, so it can't be foreseen which bounds will be rechecked.
        Openings that take long are put off.
        """
        order = [self.openings[opening] for opening in self.recorded]
        random.SystemRandom().shuffle(order)
        waiting = deque((known, FIRST_TRY) for known in order)
        searcher, proved = ThreadSearcher(self.hider, threads, sharing=self.sharing), set[int]()

        def attempt(known: OpeningBound, seconds: float) -> tuple[OpeningBound, float, bool | None]:
            try:
                with searcher.taken(control.deadline) as search:
                    until = control.deadline.or_after(seconds)
                    return known, seconds, holds(search, known, until, pool.control.cancelled)
            except Stopped:
                return known, seconds, None

        with Threads[tuple[OpeningBound, float, "bool | None"]](threads, control) as pool:
            while (waiting or pool.running) and not control.ended:
                while waiting and pool.running < threads:
                    pool.submit(attempt, *waiting.popleft())
                for known, seconds, outcome in pool.finished():
                    if outcome is None:
                        waiting.append((known, 8 * seconds))
                    elif outcome:
                        proved.add(known.opening)
                    else:
                        return proved, known
                control.report(f"proving openings again: {len(proved):,} of {len(order):,}")
        return proved, None

    def improve(
        self,
        searcher: OpeningSearcher | None = None,
        deadline: Deadline = NEVER,
        stop: ShouldStop = never_stop,
        progress: Callable[[LowerBound], None] | None = None,
    ) -> None:
        """Raise the bound until it is the optimum or the target, the deadline has passed, or `stop` returns True.

        One thread of this process searches the openings, unless a searcher is given, which is closed at the end.
        """
        unproved = {opening for opening in self.recorded if self.openings[opening].plies == PROVED}
        heap = sorted(
            OpeningBound(known.bound, known.opening, 1) if known.opening in unproved else known
            for known in self.openings.values()
            if known.plies != PROVED or known.opening in unproved  # a recorded optimum is searched from the start
        )
        running = 0
        with searcher or ThreadSearcher(self.hider, 1, sharing=self.sharing) as searching:
            while not deadline.passed and not stop():
                if self.weakest.plies == PROVED and self.weakest.opening not in unproved:
                    break
                while heap and running < searching.workers:
                    known = heapq.heappop(heap)
                    if self.is_open(known) and known.bound < self.target:
                        searching.begin(known, deadline, self.ceiling(known))
                        running += 1
                if not running:
                    break
                for better in searching.finished(timeout=min(0.1, deadline.left)):
                    running -= 1
                    self._take(better, searching.trusted)
                    if better.plies == PROVED:
                        unproved.discard(better.opening)
                    else:
                        heapq.heappush(heap, better)
                if progress is not None:
                    progress(self)

    def _set(self, known: OpeningBound) -> None:
        """Make this the bound of its opening."""
        self.openings[known.opening] = known
        heapq.heappush(self._least, known)

    def _take(self, better: OpeningBound, trusted: bool) -> None:
        """Take in the bound that a search found for an opening; without trust in the search it counts as recorded."""
        known = self.openings[better.opening]
        if better.plies == PROVED and (
            better.bound < known.bound or (known.plies == PROVED and better.bound > known.bound)
        ):
            raise RefutedBoundError(better.opening)
        if not trusted:
            self.recorded.add(better.opening)
        elif better.bound > known.bound or better.plies == PROVED:
            self.recorded.discard(better.opening)
        self._set(max(known, better, key=lambda bound: (bound.bound, bound.plies)))
        if trusted:
            self._take_optimum(better)

    def _take_optimum(self, known: OpeningBound) -> None:
        """Take in that a tree with this opening has the opening's bound as its total, where that is proved."""
        if known.plies == PROVED and known.bound < self.asked_of(known.opening):
            self.best_total, self.best = known.bound, known.opening

    def by_two_guesses(
        self,
        openings: Sequence[int] | None = None,
        threads: int = 1,
        deadline: Deadline = NEVER,
        stop: ShouldStop = never_stop,
        progress: Callable[[LowerBound], None] | None = None,
    ) -> None:
        """Raise the bounds of openings by every second guess, the weakest first, in a game of many answers.

        They are those given, or all that were bounded by counting alone. A recorded bound that is reached is proved. No
        more is asked for than the largest bound of those given, or than a known tree needs.
        """
        if len(self.game.labels) <= MANY_ANSWERS:  # a search to two guesses is as quick there, and proves more
            return
        weakest_first = [known.opening for known in sorted(self.openings.values()) if known.plies == 1]
        asked = weakest_first if openings is None else list(openings)
        enough = self.best_total if openings is None else max((self.openings[one].bound for one in asked), default=0)

        control: Control[object] = Control(deadline, stop)
        costs = Costs.mean(self.hider.weights)
        for opening, bound in two_guess_bounds(
            self.game, costs, asked, enough=enough, threads=threads, control=control
        ):
            known = self.openings[opening]
            if known.plies != PROVED and bound >= known.bound:
                self.recorded.discard(opening)
                self._take(OpeningBound(bound, opening, max(known.plies, 2)), trusted=True)
            if progress is not None:
                progress(self)


def add_from_file(bound: LowerBound, path: Path) -> bool:
    """Add the bounds that a file records for this hider; return whether there are any."""
    known = read_bounds(path, bound.hider)
    try:
        bound.add_recorded(known)
    except ValueError:
        raise _damaged(path) from None
    return bool(known)


def write_bounds(path: Path, hider: Hider, openings: Mapping[int, OpeningBound]) -> None:
    """Replace the file as a whole by these bounds of openings against a hider."""
    rows = [[known.opening, known.bound, known.plies] for known in openings.values()]
    data = sealed({"weights_sha256": weights_sha256(hider), "openings": rows})
    try:
        try:
            files.write_whole(path, data)
        except FileNotFoundError:  # a solver working in the folder may have removed the temporary file
            files.write_whole(path, data)
    except OSError as error:
        raise not_written(path, error) from None


def weights_sha256(hider: Hider) -> str:
    """Return the hash of a hider's weights and game."""
    game = hider.game
    known_by = (game.name, game.words_sha256, game.answers_sha256, *[game.untold_rule] * bool(game.untold_rule))
    text = " ".join(map(str, (*known_by, *hider.weights.tolist())))
    return hashlib.sha256(text.encode()).hexdigest()


def read_bounds(path: Path, hider: Hider) -> dict[int, OpeningBound]:
    """Return the bounds that a file records, or none if it is missing or holds those of other weights."""
    try:
        data = unsealed(files.read_bytes(path, files.MOST_SEALED_BYTES))
        rows = files.read_as(list[ProofRow], data["openings"])
        if len({opening for opening, _, _ in rows}) != len(rows):
            raise ValueError("an opening is listed twice")
        sha256 = data["weights_sha256"]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RunError(f"{quoted(path)} cannot be read ({error.strerror}): fix that, then try again") from None
    except (ValueError, KeyError, TypeError):
        raise _damaged(path) from None
    if sha256 != weights_sha256(hider):
        return {}  # the run went on after the file was written, and its hider changed
    return {opening: OpeningBound(bound, opening, plies) for opening, bound, plies in rows}


def _damaged(path: Path) -> RunError:
    return RunError(f"{quoted(path)} is damaged or was edited: remove it to prove its bounds again")
