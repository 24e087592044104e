"""Every hider against every guesser, with the worst case of each.

The benchmark is the paper's (section 3), the paper's strategies are a run of its method with its iteration counts, and
ours are the shipped ones. A guesser's worst case is its guarantee, worked out again from its trees. A hider's worst
case lies between a lower bound and the best response known, and each is the best of all that there is. Responses are
every guesser in the table, every tree of our strategies by itself, and what a search of limited length finds. Lower
bounds come from counting, from that search, and from the file of our strategies. A figure from a file is called
recorded, unless there was time to work it out again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from oracular.errors import OutOfTimeError
from oracular.evaluation import exact_dot, payoff
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.responses.exact import mean_response
from oracular.responses.greedy import GreedyEngine
from oracular.responses.limits import SearchLimits, counting_bound, fits_search, search_threads
from oracular.responses.planned_start import load_planner
from oracular.runs.drive import load_run
from oracular.runs.paper_table import PaperRun, benchmark_guesser_by
from oracular.runs.progress_line import ProgressLine
from oracular.runs.recheck import Recheck, checked_openings, recheck_guarantee
from oracular.runs.solution import Solution
from oracular.runs.verify import VerifyControl, verify_strategies, warm_up_for_shipped
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture
from oracular.strategies.shipped import Shipped, has_shipped, load
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed, check_seconds

RECHECK_SECONDS = 5.0
"""How long lower bounds are proved again if no time is given."""

SEARCHING_SHARE = 0.1
"""The part of a limited time that the search for a response to one hider may take."""

SEARCH_WORK = 1 << 33
"""The answers that the search for a response to one hider may look up, if all its states are as large as can be."""

WHOSE = {"benchmark": "the benchmark's", "paper": "the paper's", "ours": "our"}
"""Whose strategies they are, before a noun."""

LEAST_SECONDS = 0.01
"""The least time that is given to the paper's run, since a limit of 0 is refused."""


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The table of payoffs, with both sides' worst cases.

    Attributes:
        payoffs: expected guesses, exact [hiders][guessers].
        lowers: a lower bound on what any guesser needs against each hider [hiders].
        found: the least that any response found needs against each hider, exact for that response [hiders].
        uppers: the guarantees again, with how much of each was worked out here [guessers].
        left_out: what is missing and why, in a sentence each, or nothing.
    """

    game: Game
    hiders: list[str]
    guessers: list[str]
    payoffs: list[list[Fraction]]
    guarantees: list[Fraction]
    lowers: list[Recheck]
    found: list[Fraction]
    uppers: list[Recheck]
    left_out: str = ""

    @property
    def recorded(self) -> list[str]:
        """The figures that were not worked out again in full, each in a few words."""
        named = {f"{WHOSE[name]} guarantee": check for name, check in zip(self.guessers, self.uppers, strict=True)}
        for name, check in zip(self.hiders, self.lowers, strict=True):
            named[f"lower bound against {WHOSE[name]} hider"] = check
        return [f"{what}: {check.words}" for what, check in named.items() if not check.proved]

    def as_data(self) -> dict[str, Any]:
        """Return the leaderboard as plain data."""

        def by_guesser(values: Iterable[Any]) -> dict[str, Any]:
            return dict(zip(self.guessers, values, strict=True))

        rows = dict(zip(self.hiders, self.payoffs, strict=True))
        return {
            "game": self.game.name,
            "payoffs": {hider: by_guesser(map(float, row)) for hider, row in rows.items()},
            "payoffs_exact": {hider: by_guesser(map(str, row)) for hider, row in rows.items()},
            "guarantees": by_guesser(map(float, self.guarantees)),
            "hider_worst_case": {
                name: {
                    "proved_lower" if lower.proved else "recorded_lower": float(lower.value),
                    "lower_is": lower.words,
                    "best_response_found": float(found),
                }
                for name, lower, found in zip(self.hiders, self.lowers, self.found, strict=True)
            },
            "guarantees_are": by_guesser(check.words for check in self.uppers),
            "left_out": self.left_out,
        }


@dataclass(frozen=True, eq=False)
class _Entry:
    """A pair of strategies, with the worst case of each.

    Attributes:
        response: what the best response found for the hider's weights needs.
    """

    hider: Hider
    guesser: Mixture
    upper: Recheck
    lower: Recheck
    response: Fraction

    @classmethod
    def of(
        cls, hider: Hider, guesser: Mixture, deadline: Deadline, upper: Recheck | None = None, *, searching: bool = True
    ) -> _Entry:
        """Return the entry of two strategies; the guarantee is worked out from all trees unless it is given.

        A response is searched for in a part of the time, if at all; the greedy one is always there. Raises
        `DeadlinePassed` if there is no time to read the trees, or to build the greedy one.
        """
        trees, game = len(guesser.oracles), hider.game
        game.prepare(deadline, identity=True)
        guesser.added_up(deadline)
        greedy = GreedyEngine(game, "possible").depths(hider.weights, deadline)
        least, lower = exact_dot(hider.weights, greedy.astype(np.int64)), _counted(hider, deadline)
        if searching and fits_search(hider.total, len(game.secrets)):
            until = deadline if deadline == NEVER else deadline.or_after(deadline.left * SEARCHING_SHARE)
            states = max(1, SEARCH_WORK // (len(game.guesses) * len(game.secrets)))
            limits = SearchLimits(until, states=states)
            found = mean_response(hider, limits, lambda _: None, None, search_threads(None))
            least = min(least, found.upper)
            searched = Recheck(Fraction(found.lower, hider.total), 1, 1, "searches")
            lower = max(lower, searched, key=lambda check: check.value)
        return cls(
            hider=hider,
            guesser=guesser,
            upper=upper or Recheck(guesser.guarantee, trees, trees, "trees"),
            lower=lower,
            response=Fraction(least, hider.total),
        )


def leaderboard(
    name: str, runs: Path, line: ProgressLine | None = None, *, solving: bool = True, time_limit: float | None = None
) -> Leaderboard:
    """Return the leaderboard of a game.

    Ctrl-C while the paper's run is made leaves it on disk, and is raised as `KeyboardInterrupt`.

    Args:
        name: the game.
        runs: the folder of the paper's runs.
        line: shows how it comes along.
        solving: whether to make the paper's run if it is missing, and to prove again what files record. If not, the
            paper's strategies are left out unless their run is there.
        time_limit: how many seconds to take. By default the paper's run is solved to the end, and lower bounds are
            proved again for RECHECK_SECONDS.
    """
    check_seconds(time_limit)
    line = line or ProgressLine()
    ours = load(name) if has_shipped(name) else None
    game = game_of_name(name) if ours is None else ours.game  # one game has one table
    GreedyEngine(game).warm_up()  # loading and compiling are not counted
    warm_up_for_shipped()
    if solving:
        load_planner(game)
    deadline = Deadline.after(time_limit)
    line.note("responding to the hiders")
    began = time.monotonic()
    try:
        game.prepare(deadline)
        guesser = benchmark_guesser_by(game, deadline)
        entries = {"benchmark": _Entry.of(hider_uniform(game), guesser, deadline, searching=solving)}
    except DeadlinePassed:
        raise OutOfTimeError(f"the time given was over before the benchmark of {name} was played: give more") from None
    left_out = []
    if ours is not None:
        try:
            entries["ours"] = _Entry.of(ours.hider, ours.guesser, deadline, searching=solving)
        except DeadlinePassed:
            ours = None
            left_out.append("Our strategies are left out, since there was no time to read their trees.")
    in_time = deadline.later(began - time.monotonic())  # the paper's entry will take no longer than these
    run = PaperRun.of_game(name, runs)
    paper = None if run is None else run.finished()
    if run is not None and paper is None and solving:
        paper = _solved(run, in_time, line)
        if paper is None:
            left_out.append(f"The paper's run of {run.iterations:,} iterations is not finished yet and left out.")
    if paper is not None:
        upper = recheck_guarantee(paper, in_time if solving else Deadline.after(0.0), progress=line.note)
        try:
            entries["paper"] = _Entry.of(paper.hider, paper.guesser, deadline, upper, searching=solving)
        except DeadlinePassed:
            left_out.append("The paper's run is left out, since there was no time to respond to it.")
    if ours is not None:
        rechecking = deadline.or_after(RECHECK_SECONDS) if solving else None
        for hider, lower in _shipped_lowers(ours, rechecking, line).items():
            whose = "benchmark" if hider == "uniform" else "ours"
            better = max(entries[whose].lower, lower, key=lambda check: check.value)
            entries[whose] = replace(entries[whose], lower=better)
        for whose, least in _best_trees(ours.guesser, entries, deadline).items():
            entries[whose] = replace(entries[whose], response=min(entries[whose].response, least))
    names: list[str] = [named for named in WHOSE if named in entries]
    pairs = [entries[named] for named in names]
    payoffs = [[payoff(row.hider, column.guesser) for column in pairs] for row in pairs]
    return Leaderboard(
        game=game,
        hiders=names,
        guessers=names,
        payoffs=payoffs,
        guarantees=[entry.upper.value for entry in pairs],
        lowers=[entry.lower for entry in pairs],
        found=[min(*row, entry.response) for row, entry in zip(payoffs, pairs, strict=True)],
        uppers=[entry.upper for entry in pairs],
        left_out=" ".join(left_out),
    )


def _counted(hider: Hider, deadline: Deadline) -> Recheck:
    """Return what any guesser needs by counting: for each opening, or for all at once if the time is up first."""
    from oracular.bounds.lower_bound import LowerBound  # it loads the compiled search

    try:
        return checked_openings(LowerBound(hider, deadline))
    except DeadlinePassed:
        total = counting_bound(hider.weights, len(hider.game.labels) - 1)
        return Recheck(Fraction(total, hider.total), 1, 1, "searches")


def _solved(run: PaperRun, deadline: Deadline, line: ProgressLine) -> Solution | None:
    """Return the paper's run, made or resumed now, or None if the time is up first."""
    if deadline.passed:
        return None
    try:
        solution = run.solve(seconds=None if deadline == NEVER else max(LEAST_SECONDS, deadline.left), line=line)
    except OutOfTimeError:  # there was no time even for the first step
        return None
    if solution is None and load_run(run.folder).stopped == "interrupted":
        raise KeyboardInterrupt
    return solution


def _shipped_lowers(ours: Shipped, deadline: Deadline | None, line: ProgressLine) -> dict[str, Recheck]:
    """Return the lower bounds of our strategies by hider, proved again until a deadline; without one, only recorded."""
    if deadline is not None:
        return verify_strategies(ours, VerifyControl(search_threads(None), deadline, progress=line.note)).bounds
    return {bound.hider: Recheck(bound.value, 0, max(1, len(bound.proof)), "openings") for bound in ours.lower_bounds}


def _best_trees(guesser: Mixture, entries: Mapping[str, _Entry], deadline: Deadline) -> dict[str, Fraction]:
    """Return what the best single tree of a mixture needs against each hider, of those read by a deadline."""
    least: dict[str, Fraction] = {}
    with suppress(DeadlinePassed):
        for depths, _ in guesser.weighed_depths(deadline):
            for name, entry in entries.items():
                needs = Fraction(exact_dot(entry.hider.weights, depths.astype(np.int64)), entry.hider.total)
                least[name] = min(needs, least.get(name, needs))
    return least
