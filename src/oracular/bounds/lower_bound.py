"""A lower bound on what any guesser needs against a hider, proved opening by opening.

Every tree begins with some opening, so the least of the openings' bounds holds for all trees. The opening with the
least bound is always the next to be searched a ply deeper. So all work goes where the bound is weakest, and the bound
never falls.

Where a tree is known, no opening is asked for more than the tree needs: either it begins a better tree, or it does
not. Most openings show that at once. On the way there are rungs below the tree's total that every opening is brought to
before any is asked for more, since a bound for all of them is what counts if the time is short.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from oracular.bounds.opening import PROVED, OpeningBound, counting_bounds
from oracular.bounds.search import OpeningSearcher, ThreadSearcher, prove_again
from oracular.bounds.uniform import is_uniform
from oracular.games.game import Game
from oracular.games.table import MANY_ANSWERS
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.limits import check_fits_search
from oracular.search.costs import Costs
from oracular.search.two_guesses import two_guess_bounds
from oracular.strategies.hider import Hider
from oracular.system.control import NEVER, Control, Deadline, ShouldStop, ShowProgress, never_stop, show_nothing

LEFT_AT_RUNG = Fraction(1, 8)
"""At the one rung so much is left of the distance from the first bound to the tree's total.

One that is closer to the total takes as long to reach as the total itself.
"""

LEFT_AT_EACH_RUNG = Fraction(7, 8)
"""Against a uniform hider each rung leaves so much of the distance at the one before: there it grows step by step."""


class RefutedBoundError(Exception):
    """A bound that was recorded for an opening and is false."""

    def __init__(self, opening: int) -> None:
        self.opening = opening


class LowerBound:
    """A lower bound on what any guesser needs against one hider; `improve` raises it.

    Raises `DeadlinePassed` if there is no time to bound every opening by counting, which is the least there must be.

    Attributes:
        openings: the bound of each opening, by the opening.
        recorded: the openings whose bound comes from a file or from others and is not proved here yet.
        best_total: the least total of a tree that is known, or of an opening that is proved; NO_BOUND where none is.
        best: the opening that was proved to reach it, where a search found it; else None.
        target: the total that every opening is to be brought to, where no more is asked for; NO_BOUND otherwise.
        sharing: whether what is proved of one opening may be made use of for the next; then, of several openings that
            are proved to be best, the first is found.
    """

    def __init__(self, hider: Hider, deadline: Deadline = NEVER, *, sharing: bool = False) -> None:
        check_fits_search(hider)
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
        """Whether the bound is the optimum: no opening can begin a better tree than what is known."""
        return self.weakest.plies == PROVED or not any(map(self.is_open, self.openings.values()))

    def asked_of(self, opening: int) -> int:
        """Return the bound at which an opening need not be searched further."""
        before = self.sharing and self.best is not None and opening < self.best
        return self.best_total + 1 if before else self.best_total

    def is_open(self, known: OpeningBound) -> bool:
        """Tell whether an opening may still begin a better tree than any known."""
        return known.plies != PROVED and known.bound < self.asked_of(known.opening)

    def ceiling(self, known: OpeningBound) -> int:
        """Return the bound at which the search of an opening ends: the next rung above its bound, or the target."""
        if self.target != NO_BOUND or self.best_total == NO_BOUND:
            return min(self.target, self.asked_of(known.opening))
        above = (rung for rung in self._rungs() if rung > known.bound)
        return next(above, self.asked_of(known.opening))

    def _rungs(self) -> Iterator[int]:
        """Yield the rungs between the first bound and what a known tree needs."""
        distance = Fraction(self.best_total - self._first)
        distance *= LEFT_AT_EACH_RUNG if self._step_by_step else LEFT_AT_RUNG
        while distance >= 1:
            yield self.best_total - int(distance)
            distance *= LEFT_AT_EACH_RUNG if self._step_by_step else 0

    def add_tree(self, total: int) -> None:
        """Take in that some tree has this total."""
        if total < self.best_total:
            self.best_total, self.best = total, None

    def add_recorded(self, known: Mapping[int, OpeningBound]) -> None:
        """Take in recorded bounds of openings where they are better; they count as recorded until proved again.

        Raises ValueError if an opening is not one of this game's, or if a bound is impossible. Nothing is taken in
        then.
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
        half of the time for it. What is left is searched for.
        """
        shallow = [opening for opening in sorted(self.recorded) if self.openings[opening].plies <= 2]
        random.SystemRandom().shuffle(shallow)
        if shallow:
            self.by_two_guesses(shallow, threads, deadline.or_after(deadline.left / 2), stop)
        entries = [self.openings[opening] for opening in self.recorded]
        proved, refuted = prove_again(self.hider, entries, threads, deadline, stop, progress, sharing=self.sharing)
        self.recorded -= proved
        for opening in sorted(proved):
            self._take_optimum(self.openings[opening])
        return refuted

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
