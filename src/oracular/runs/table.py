"""The runs of the paper's Table 1, and the table's figures for any solution."""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular import paper
from oracular.costs import Costs, fits_search
from oracular.errors import OutOfTimeError, RunError
from oracular.evaluation import exact_dot, payoff
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.objectives import mean
from oracular.planner.start import load_planner
from oracular.runs.drive import Limits, Progress, solve
from oracular.runs.folder import discard, is_run
from oracular.runs.solution import Resources, Solution, load_run
from oracular.runs.verify import Recheck, checked_openings, verify_guarantee, verify_strategies, warm_up_for_shipped
from oracular.search.best_response import least_cost_tree
from oracular.search.trees import search_threads
from oracular.strategies.greedy import GreedyEngine, guesser_gbr_uniform
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture
from oracular.strategies.shipped import Shipped, has_shipped, load
from oracular.system.control import NEVER, Control, Deadline, DeadlinePassed, check_seconds, ignored
from oracular.system.files import counted, parse_json, quoted, read_as, read_bytes, write_whole
from oracular.system.memory import check_threads

MOST_WORDS_IN_FLOATS = 8000
"""With more words than this, the paper's own algorithms, in floats, would take hours."""


def paper_rows() -> dict[int, dict[str, float]]:
    """Return the paper's own Table 1, a row for each number of letters."""
    text = files("oracular.runs").joinpath("paper_table1.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    whole = {"letters", "words", "iterations"}
    return {
        int(row["letters"]): {key: int(value) if key in whole else float(value) for key, value in row.items()}
        for row in rows
    }


def is_papers_game(game: Game) -> bool:
    """Return whether the paper's own algorithms, in floats, can play the game: plain Jotto that is not too large."""
    return re.fullmatch(r"jotto-\d+", game.name) is not None and len(game.secrets) <= MOST_WORDS_IN_FLOATS


def benchmark_guesser_by(game: Game, deadline: Deadline) -> Mixture:
    """Return the benchmark's guesser, its tree played through, or raise `DeadlinePassed`."""
    oracle = guesser_gbr_uniform(game)
    return Mixture([oracle], [1], oracle.engine.depths(oracle.weights, deadline).astype(np.int64))


class _SavedBenchmark(TypedDict):
    """A benchmark as plain data, with what it was made for."""

    depths: list[Annotated[int, Meta(ge=1, le=1 << 20)]]
    self_play: float
    epsilon: float
    version: str
    words_sha256: str


@dataclass(frozen=True, eq=False)
class TableBenchmark:
    """The benchmark of a game.

    Attributes:
        depths: how many guesses its guesser needs for each secret, in exact numbers [secrets].
        self_play: its guesses against itself; in the paper's games by the paper's algorithm in floats.
        epsilon: its epsilon, worked out in the same way.
    """

    depths: NDArray[np.int64]
    self_play: float
    epsilon: float

    @classmethod
    def of(cls, game: Game, deadline: Deadline = NEVER) -> TableBenchmark:
        """Return the benchmark of a game, or raise `DeadlinePassed`."""
        depths = benchmark_guesser_by(game, deadline).depth_totals
        if is_papers_game(game):
            played = paper.benchmark(game.secrets, deadline)
            return cls(depths, played.self_play, played.epsilon)
        return cls(depths, float(depths.mean()), float(depths.max() - depths.mean()))

    @classmethod
    def saved(cls, game: Game, path: Path, *, fresh: bool = False) -> TableBenchmark:
        """Return the benchmark of a game from a file of this version; else work it out and write the file."""
        made_for = {"version": version("oracular"), "words_sha256": game.words_sha256}
        with suppress(OSError, ValueError, KeyError, TypeError):
            data: _SavedBenchmark = read_as(_SavedBenchmark, parse_json(read_bytes(path)))
            depths = np.array(data["depths"], np.int64)
            if not fresh and made_for.items() <= data.items() and len(depths) == len(game.secrets):
                return cls(depths, data["self_play"], data["epsilon"])
        found = cls.of(game)
        figures = {"depths": found.depths.tolist(), "self_play": found.self_play, "epsilon": found.epsilon}
        with suppress(OSError):  # it is worked out again the next time
            write_whole(path, json.dumps(made_for | figures).encode())
        return found


def figures(solution: Solution, deadline: Deadline = NEVER, benchmark: TableBenchmark | None = None) -> dict[str, Any]:
    """Return the figures of Table 1 for a solution, by the column names of the paper's table.

    Raises `DeadlinePassed` if there is no time to play against the benchmark.
    """
    game = solution.game
    benchmark = benchmark or TableBenchmark.of(game, deadline)
    hider_payoff = exact_dot(solution.hider.weights, benchmark.depths) / solution.hider.total
    guesser_payoff = -float(payoff(hider_uniform(game), solution.guesser))
    return {
        "letters": len(game.secrets[0]) if game.name.startswith("jotto-") else None,
        "words": len(game.secrets),
        "hider_vs_benchmark": hider_payoff,
        "guesser_vs_benchmark": guesser_payoff,
        "overall_vs_benchmark": (hider_payoff + guesser_payoff) / 2,
        "benchmark_self_play": benchmark.self_play,
        "self_play": solution.standing.self_play,
        "benchmark_epsilon": benchmark.epsilon,
        "epsilon": solution.epsilon,
        "iterations": solution.iterations,
        "minutes_per_iteration": solution.seconds_per_iteration / 60,
        "seconds_per_iteration": solution.seconds_per_iteration,
        "guarantee": float(solution.guarantee),
    }


@dataclass(frozen=True)
class PaperRun:
    """A run of the paper's method that is kept for its table."""

    letters: int
    iterations: int
    folder: Path

    @classmethod
    def below(cls, folder: Path, letters: int, iterations: int | None = None) -> PaperRun:
        """Return the run below a folder for a number of letters, by default with the paper's iterations."""
        count = int(paper_rows()[letters]["iterations"]) if iterations is None else iterations
        return cls(letters, count, folder / f"jotto-{letters}-{count}")

    @classmethod
    def of_game(cls, name: str, folder: Path) -> PaperRun | None:
        """Return the paper's run of a game below a folder, or None if the game is not in the paper's table."""
        letters = next((letters for letters in paper_rows() if name == f"jotto-{letters}"), None)
        return None if letters is None else cls.below(folder, letters)

    def finished(self) -> Solution | None:
        """Return the run that is kept, or None if it is missing, damaged or not finished."""
        try:
            solution = load_run(self.folder) if is_run(self.folder) else None
        except RunError:
            return None
        if solution is None or not solution.objective.is_mean:
            return None
        ended = solution.iterations == self.iterations and solution.stopped is not None
        return solution if ended and solution.settings.get("ties") == "first" else None

    def solve(
        self,
        threads: int | None = None,
        seconds: float | None = None,
        progress: Callable[[Progress | str], None] = ignored,
    ) -> Solution | None:
        """Return the finished run, made now or resumed; None if the user interrupts or the time is up first."""
        progress("loading compiled code (the first time: compiling it)")
        game = game_of_name(f"jotto-{self.letters}")
        solution = solve(
            game,
            iterations=self.iterations,
            time_limit=seconds,
            out=self.folder,
            resume=is_run(self.folder),
            settings={"ties": "first"},
            resources=Resources(threads=threads),
            progress=progress,
        )
        if solution.stopped in ("interrupted", "time"):
            return None
        if solution.iterations != self.iterations:
            raise RunError(
                f"{quoted(self.folder)} holds a run of {counted(solution.iterations, 'iteration')}, not of "
                f"{self.iterations:,}: make it again with 'oracular table --fresh', or choose another folder"
            )
        return solution


def table_row(
    run: PaperRun,
    fresh: bool = False,
    threads: int | None = None,
    progress: Callable[[Progress | str], None] = ignored,
) -> dict[str, Any] | None:
    """Return a row of the table with the paper's own beside it, or None if the user interrupts.

    The run is made now, or resumed where it is kept. One that is kept and finished is only read: its guarantee is as
    it is recorded.
    """
    Limits(iterations=run.iterations)  # bad settings are refused before anything is removed
    check_threads(threads)
    if fresh and is_run(run.folder):
        discard(run.folder)
    kept = is_run(run.folder)
    solution = run.finished() or run.solve(threads, progress=progress)
    if solution is None:
        return None
    progress("the benchmark in floats (paper.py)")
    benchmark = TableBenchmark.saved(solution.game, run.folder.with_name(f"benchmark-{run.letters}.json"), fresh=fresh)
    return {
        **figures(solution, benchmark=benchmark),
        "guarantee_is": "recorded" if kept else "proved",
        "paper": paper_rows()[run.letters],
    }


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
        if searching and fits_search(hider.weights.tolist(), mean()):
            until = deadline if deadline == NEVER else deadline.or_after(deadline.left * SEARCHING_SHARE)
            states = max(1, SEARCH_WORK // (len(game.guesses) * len(game.secrets)))
            found = least_cost_tree(hider, Costs.mean(hider.weights), Control(until), states=states)
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
    name: str,
    runs: Path,
    progress: Callable[[Progress | str], None] = ignored,
    *,
    solving: bool = True,
    time_limit: float | None = None,
) -> Leaderboard:
    """Return the leaderboard of a game.

    Ctrl-C while the paper's run is made leaves it on disk, and is raised as `KeyboardInterrupt`.

    Args:
        name: the game.
        runs: the folder of the paper's runs.
        progress: called at most ten times a second, with a step of the paper's run or a few words.
        solving: whether to make the paper's run if it is missing, and to prove again what files record. If not, the
            paper's strategies are left out unless their run is there.
        time_limit: how many seconds to take. By default the paper's run is solved to the end, and lower bounds are
            proved again for RECHECK_SECONDS.
    """
    check_seconds(time_limit)
    ours = load(name) if has_shipped(name) else None
    game = game_of_name(name) if ours is None else ours.game  # one game has one table
    GreedyEngine(game).warm_up()  # loading and compiling are not counted
    warm_up_for_shipped()
    if solving:
        load_planner(game)
    deadline = Deadline.after(time_limit)
    progress("responding to the hiders")
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
        paper = _solved(run, in_time, progress)
        if paper is None:
            left_out.append(f"The paper's run of {run.iterations:,} iterations is not finished yet and left out.")
    if paper is not None:
        upper = verify_guarantee(paper, Control(in_time if solving else Deadline.after(0.0), on_report=progress))
        try:
            entries["paper"] = _Entry.of(paper.hider, paper.guesser, deadline, upper, searching=solving)
        except DeadlinePassed:
            left_out.append("The paper's run is left out, since there was no time to respond to it.")
    if ours is not None:
        rechecking = deadline.or_after(RECHECK_SECONDS) if solving else None
        for hider, lower in _shipped_lowers(ours, rechecking, progress).items():
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
    from oracular.search.lower_bound import LowerBound  # it loads the compiled search

    try:
        return checked_openings(LowerBound(hider, deadline))
    except DeadlinePassed:
        total = Costs.mean(hider.weights).counted(len(hider.game.labels) - 1)
        return Recheck(Fraction(total, hider.total), 1, 1, "searches")


def _solved(run: PaperRun, deadline: Deadline, progress: Callable[[Progress | str], None]) -> Solution | None:
    """Return the paper's run, made or resumed now, or None if the time is up first."""
    if deadline.passed:
        return None
    try:
        seconds = None if deadline == NEVER else max(LEAST_SECONDS, deadline.left)
        solution = run.solve(seconds=seconds, progress=progress)
    except OutOfTimeError:  # there was no time even for the first step
        return None
    if solution is None and load_run(run.folder).stopped == "interrupted":
        raise KeyboardInterrupt
    return solution


def _shipped_lowers(
    ours: Shipped, deadline: Deadline | None, progress: Callable[[Progress | str], None]
) -> dict[str, Recheck]:
    """Return the lower bounds of our strategies by hider, proved again until a deadline; without one, only recorded."""
    if deadline is not None:
        return verify_strategies(ours, search_threads(None), Control(deadline, on_report=progress)).bounds
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
