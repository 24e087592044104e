"""A lower bound on what any guesser needs against a hider, proved opening by opening.

Every tree begins with some opening, so the least of the openings' bounds holds for all trees. The opening with the
least bound is always the next to be searched a ply deeper. So all work goes where the bound is weakest, and the bound
never falls.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from oracular.bounds.opening import PROVED, OpeningBound, counting_bounds
from oracular.bounds.search import OpeningSearcher, ThreadSearcher, prove_again
from oracular.games.game import Game
from oracular.responses.limits import check_fits_search
from oracular.strategies.hider import Hider
from oracular.system.deadline import NEVER, Deadline
from oracular.system.progress import ShouldStop, ShowProgress, never_stop, show_nothing


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
    """

    def __init__(self, hider: Hider, deadline: Deadline = NEVER) -> None:
        check_fits_search(hider)
        self.hider = hider
        counted = counting_bounds(hider, deadline)
        self.openings = {opening: OpeningBound(bound, opening, 1) for opening, bound in counted.items()}
        self.recorded: set[int] = set()

    @property
    def game(self) -> Game:
        """The game."""
        return self.hider.game

    @property
    def weakest(self) -> OpeningBound:
        """The opening with the least bound, which is the bound on all trees."""
        return min(self.openings.values())

    @property
    def value(self) -> Fraction:
        """The lower bound in expected guesses; it is proved here if no opening is `recorded`."""
        return Fraction(self.weakest.bound, self.hider.total)

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
                self.openings[opening] = theirs
                self.recorded.add(opening)

    def recheck(
        self,
        threads: int = 1,
        deadline: Deadline = NEVER,
        stop: ShouldStop = never_stop,
        progress: ShowProgress = show_nothing,
    ) -> OpeningBound | None:
        """Prove recorded bounds again, in random order, and return one that is false if any is found.

        In a game of many answers most are proved by every second guess; the rest are searched for.
        """
        self.by_two_guesses(sorted(self.recorded), threads, deadline, stop)
        entries = [self.openings[opening] for opening in self.recorded]
        proved, refuted = prove_again(self.hider, entries, threads, deadline, stop, progress)
        self.recorded -= proved
        return refuted

    def improve(
        self,
        searcher: OpeningSearcher | None = None,
        deadline: Deadline = NEVER,
        stop: ShouldStop = never_stop,
        progress: Callable[[LowerBound], None] | None = None,
    ) -> None:
        """Raise the bound until it is the optimum, the deadline has passed, or `stop` returns True.

        One thread of this process searches the openings, unless a searcher is given, which is closed at the end.
        """
        unproved = {opening for opening in self.recorded if self.openings[opening].plies == PROVED}
        heap = sorted(
            OpeningBound(known.bound, known.opening, 1) if known.opening in unproved else known
            for known in self.openings.values()
            if known.plies != PROVED or known.opening in unproved  # a recorded optimum is searched from the start
        )
        running = 0
        with searcher or ThreadSearcher(self.hider, 1) as searching:
            while not deadline.passed and not stop():
                if self.weakest.plies == PROVED and self.weakest.opening not in unproved:
                    break
                while heap and running < searching.workers:
                    searching.begin(heapq.heappop(heap), deadline)
                    running += 1
                for better in searching.finished(timeout=min(0.1, deadline.left)):
                    running -= 1
                    self._take(better, searching.trusted)
                    if better.plies == PROVED:
                        unproved.discard(better.opening)
                    else:
                        heapq.heappush(heap, better)
                if progress is not None:
                    progress(self)

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
        self.openings[better.opening] = max(known, better, key=lambda bound: (bound.bound, bound.plies))

    def by_two_guesses(
        self,
        openings: Sequence[int] | None = None,
        threads: int = 1,
        deadline: Deadline = NEVER,
        stop: ShouldStop = never_stop,
        progress: Callable[[LowerBound], None] | None = None,
    ) -> None:
        """Raise the bounds of openings by every second guess, the weakest first, in a game of many answers.

        They are those given, or all that were bounded by counting alone. A recorded bound that is reached is proved.
        """
        from oracular.bounds.two_guesses import MANY_ANSWERS, two_guess_bounds

        if len(self.game.labels) <= MANY_ANSWERS:
            return
        weakest_first = [known.opening for known in sorted(self.openings.values()) if known.plies == 1]
        asked = weakest_first if openings is None else list(openings)

        def take(found: Mapping[int, int]) -> bool:
            for opening, bound in found.items():
                known = self.openings[opening]
                if known.plies != PROVED and bound >= known.bound:
                    self.recorded.discard(opening)
                    self._take(OpeningBound(bound, opening, max(known.plies, 2)), trusted=True)
            if progress is not None:
                progress(self)
            return not stop()

        two_guess_bounds(self.hider, asked, threads=threads, deadline=deadline, go_on=take)
