"""Who beats whom: every hider against every guesser, exact, with the worst case of each.

The benchmark is the paper's (section 3), the paper's strategies are a run of its method with its iteration counts, and
ours are the shipped ones. A guesser's worst case is its guarantee, worked out again from its trees. A hider's worst
case is not known exactly: below stands a lower bound (by counting, where nothing better is kept), above it the best
response that was found. What comes from a file and was not worked out again in time is called recorded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from oracular.errors import RunError
from oracular.evaluation import payoff
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.report.table import SolvingLine, paper_rows, solve_row
from oracular.responses.benchmark import guesser_gbr_uniform, hider_uniform
from oracular.responses.greedy import GreedyOracle
from oracular.runs.certify import lower_of, search_threads
from oracular.runs.drive import load_run
from oracular.runs.folder import is_run
from oracular.runs.recheck import Recheck, recheck_guarantee
from oracular.runs.solution import Solution
from oracular.runs.verify import verify_strategies
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture, pure
from oracular.strategies.shipped import has_shipped, load
from oracular.system.deadline import NEVER, Deadline, check_seconds
from oracular.system.files import quoted

RECHECK_SECONDS = 5.0
"""How long lower bounds are proved again where no time is given."""

MOMENT = 0.01


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The table of payoffs, with both sides' worst cases.

    Attributes:
        game: the game.
        hiders: their names, from top to bottom.
        guessers: their names, from left to right.
        payoffs: expected guesses, exact [hiders][guessers].
        guarantees: each guesser's worst case, exact [guessers].
        lowers: a lower bound on what any guesser needs against each hider, and how far it is proved [hiders].
        found: the least that any response found needs against each hider, exact for that response [hiders].
        uppers: how far each guarantee was worked out again [guessers].
        left_out: what is missing, and why, in a sentence; or nothing.
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
        """What was not worked out again in full, a phrase for each."""
        named = [(f"{name}'s guarantee", check) for name, check in zip(self.guessers, self.uppers, strict=True)]
        named += [
            (f"lower bound against the {name} hider", check)
            for name, check in zip(self.hiders, self.lowers, strict=True)
        ]
        return [f"{what}: {check.words}" for what, check in named if not check.proved]

    def as_data(self) -> dict[str, Any]:
        """Return the leaderboard as plain data."""
        return {
            "game": self.game.name,
            "payoffs": {
                hider: {guesser: float(value) for guesser, value in zip(self.guessers, row, strict=True)}
                for hider, row in zip(self.hiders, self.payoffs, strict=True)
            },
            "payoffs_exact": {
                hider: {guesser: str(value) for guesser, value in zip(self.guessers, row, strict=True)}
                for hider, row in zip(self.hiders, self.payoffs, strict=True)
            },
            "guarantees": {name: float(value) for name, value in zip(self.guessers, self.guarantees, strict=True)},
            "hider_worst_case": {
                name: {
                    "proved_lower" if lower.proved else "recorded_lower": float(lower.value),
                    "lower_is": lower.words,
                    "best_response_found": float(found),
                }
                for name, lower, found in zip(self.hiders, self.lowers, self.found, strict=True)
            },
            "guarantees_are": {name: check.words for name, check in zip(self.guessers, self.uppers, strict=True)},
            "left_out": self.left_out,
        }


def leaderboard(
    name: str, runs: Path, line: SolvingLine, solving: bool = True, seconds: float | None = None
) -> Leaderboard:
    """Return the leaderboard of a game; the paper's run is taken from `runs`.

    Args:
        name: the game.
        runs: where the paper's run is.
        line: where progress is shown.
        solving: whether the paper's run is made where it is missing, and what files say is proved again; otherwise the
            run is left out then, and the rest is recorded.
        seconds: how long to take, beyond the few seconds that the table itself takes; without it, what is missing is
            solved to the end, and RECHECK_SECONDS are taken to prove lower bounds again.
    """
    check_seconds(seconds)
    deadline = Deadline.after(seconds)
    game = game_of_name(name)
    hiders: dict[str, Hider] = {"benchmark": hider_uniform(game)}
    guessers: dict[str, Mixture] = {"benchmark": pure(guesser_gbr_uniform(game))}
    ours = load(name) if has_shipped(name) else None
    if ours is not None:
        hiders["ours"], guessers["ours"] = ours.hider, ours.guesser
    began = time.monotonic()
    uppers = {named: _all_trees(guesser) for named, guesser in guessers.items()}
    faced = {named: _faced(hider, line) for named, hider in hiders.items()}
    taken = time.monotonic() - began  # the paper's strategies will take no longer
    left_out, paper = "", None
    letters = int(name.removeprefix("jotto-")) if name.removeprefix("jotto-").isdigit() else None
    if letters in paper_rows() and (solving or _has_paper_run(letters, runs)):
        paper = _paper_run(letters, runs, line, deadline.later(-taken))
        if paper is None:
            iterations = _paper_folder(letters, runs)[1]
            left_out = f"The paper's run of {iterations:,} iterations is not finished yet and left out."
    if paper is not None:
        hiders["paper"], guessers["paper"] = paper.hider, paper.guesser
        faced["paper"] = _faced(paper.hider, line)
        uppers["paper"] = recheck_guarantee(
            paper,
            deadline.later(-taken) if solving else Deadline.after(0.0),
            told=lambda done, of: line.note(f"building the paper's trees again: {done:,} of {of:,}"),
        )
    if ours is not None:
        whose = "benchmark" if ours.lower_hider == "uniform" else "ours"
        lower = Recheck(ours.lower, 0, max(1, len(ours.proof)), "openings" if ours.proof else "searches")
        if solving:
            lower = (
                verify_strategies(ours, deadline.or_after(RECHECK_SECONDS), search_threads(None), told=line.note).lower
                or lower
            )
        greedy, counted = faced[whose]
        faced[whose] = greedy, max(counted, lower, key=lambda check: check.value)
    order: list[str] = [named for named in ("benchmark", "paper", "ours") if named in hiders]
    payoffs = [[payoff(hiders[hider], guessers[guesser]) for guesser in order] for hider in order]
    return Leaderboard(
        game=game,
        hiders=order,
        guessers=order,
        payoffs=payoffs,
        guarantees=[uppers[named].value for named in order],
        lowers=[faced[named][1] for named in order],
        found=[min(*row, faced[named][0]) for row, named in zip(payoffs, order, strict=True)],
        uppers=[uppers[named] for named in order],
        left_out=left_out,
    )


def _faced(hider: Hider, line: SolvingLine) -> tuple[Fraction, Recheck]:
    """Return what the greedy response needs against a hider, and what any guesser needs by counting."""
    from oracular.bounds.search import Certification  # it loads the compiled search

    line.note("responding to the hiders")
    return payoff(hider, GreedyOracle.against(hider, ties="possible")), lower_of(Certification(hider))


def _all_trees(guesser: Mixture) -> Recheck:
    """Return the guarantee of a guesser that is worked out from its trees in any case."""
    trees = len(guesser.oracles)
    return Recheck(guesser.guarantee, trees, trees, "trees")


def _paper_folder(letters: int, runs: Path) -> tuple[Path, int]:
    """Return where the paper's run of this length is, and how many iterations it has."""
    iterations = int(paper_rows()[letters]["iterations"])
    return runs / f"jotto-{letters}-{iterations}", iterations


def _has_paper_run(letters: int, runs: Path) -> bool:
    """Tell whether the paper's run of this length lies there, finished and whole."""
    folder, iterations = _paper_folder(letters, runs)
    try:
        return is_run(folder) and load_run(folder).iterations == iterations
    except RunError:
        return False


def _paper_run(letters: int, runs: Path, line: SolvingLine, deadline: Deadline) -> Solution | None:
    """Return the run that `oracular table` makes for this length, made or finished now; None where the time is up.

    Ctrl-C leaves what is made on disk, and interrupts all the rest as well.
    """
    folder, iterations = _paper_folder(letters, runs)
    if not is_run(folder) or load_run(folder).iterations < iterations:
        seconds = None if deadline == NEVER else max(MOMENT, deadline.left)
        row = solve_row(letters, iterations, runs, fresh=False, threads=None, line=line, seconds=seconds)
        if row is None and load_run(folder).stopped == "interrupted":
            raise KeyboardInterrupt
        if row is None:
            return None
    solution = load_run(folder)
    if solution.iterations != iterations:
        raise RunError(
            f"{quoted(folder)} holds a run of {solution.iterations} iterations, not of {iterations}: "
            "name another folder with --runs"
        )
    return solution


def render(board: Leaderboard, console: Console) -> None:
    """Print the leaderboard."""
    table = Table(title=f"{board.game.name}: expected guesses, hiders against guessers", title_justify="left", box=None)
    table.add_column("hider \\ guesser", no_wrap=True)
    for guesser in board.guessers:
        table.add_column(guesser, justify="right")
    table.add_column("worst case", justify="right", no_wrap=True)
    for hider, row, lower, found in zip(board.hiders, board.payoffs, board.lowers, board.found, strict=True):
        worst = f"{float(lower.value):.3f} to {float(found):.3f}"
        table.add_row(hider, *(f"{float(value):.3f}" for value in row), worst)
    table.add_row("worst case", *(f"{float(value):.3f}" for value in board.guarantees), "", style="bold")
    console.print(table)
    console.print(
        "Payoffs and guessers' worst cases are exact, unless called recorded. A hider's worst case lies between\n"
        "what any guesser needs and the best response found. Hiders want more, guessers less.",
        style="dim",
    )
    for sentence in [f"{phrase[0].upper()}{phrase[1:]}." for phrase in board.recorded] + [board.left_out]:
        if sentence:
            console.print(sentence, style="dim", highlight=False)
