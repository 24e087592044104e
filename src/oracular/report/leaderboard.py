"""Who beats whom: every hider against every guesser, exact, with the worst case of each.

The benchmark is the paper's (section 3), the paper's strategies are a run of its method with its iteration counts, and
ours are the shipped ones. A guesser's worst case is its guarantee, exact. A hider's worst case is not known exactly:
below stands a proved bound (by counting, where nothing better is kept), above it the best response that was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from oracular.errors import RunError
from oracular.evaluation import payoff
from oracular.game import Game
from oracular.games import game as game_of_name
from oracular.report.table import SolvingLine, paper_rows, solve_row
from oracular.responses.benchmark import guesser_gbr_uniform, hider_uniform
from oracular.responses.greedy import GreedyOracle
from oracular.runs import is_run
from oracular.shipped import has_shipped, load
from oracular.solve import Solution, load_run
from oracular.strategy import Hider, Mixture, pure


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The table of payoffs, with both sides' worst cases.

    Attributes:
        game: the game.
        hiders: their names, from top to bottom.
        guessers: their names, from left to right.
        payoffs: expected guesses, exact [hiders][guessers].
        guarantees: each guesser's worst case, exact [guessers].
        proved: a proved lower bound on what any guesser needs against each hider [hiders].
        found: the least that any response found needs against each hider, exact for that response [hiders].
    """

    game: Game
    hiders: list[str]
    guessers: list[str]
    payoffs: list[list[Fraction]]
    guarantees: list[Fraction]
    proved: list[Fraction]
    found: list[Fraction]

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
                name: {"proved_lower": float(proved), "best_response_found": float(found)}
                for name, proved, found in zip(self.hiders, self.proved, self.found, strict=True)
            },
        }


def leaderboard(name: str, runs: Path, line: SolvingLine, solving: bool = True) -> Leaderboard:
    """Return the leaderboard of a game; the paper's run is taken from `runs`.

    Args:
        name: the game.
        runs: where the paper's run is.
        line: where progress is shown.
        solving: whether the paper's run is made where it is missing; otherwise it is left out then.
    """
    game = game_of_name(name)
    from oracular.responses.certification import Certification  # it loads the compiled search

    hiders: dict[str, Hider] = {"benchmark": hider_uniform(game)}
    guessers: dict[str, Mixture] = {"benchmark": pure(guesser_gbr_uniform(game))}
    proved: dict[str, Fraction] = {}
    letters = int(name.removeprefix("jotto-")) if name.removeprefix("jotto-").isdigit() else None
    if letters in paper_rows() and (solving or _has_paper_run(letters, runs)):
        paper = _paper_run(letters, runs, line)
        hiders["paper"], guessers["paper"] = paper.hider, paper.guesser
    if has_shipped(name):
        ours = load(name)
        hiders["ours"], guessers["ours"] = ours.hider, ours.guesser
        proved["benchmark" if ours.lower_hider == "uniform" else "ours"] = ours.lower
    payoffs = [[payoff(hider, guesser) for guesser in guessers.values()] for hider in hiders.values()]
    found = []
    for row, hider in zip(payoffs, hiders.values(), strict=True):
        line.note("responding to the hiders")
        greedy = payoff(hider, GreedyOracle.against(hider, ties="possible"))
        found.append(min(*row, greedy))
    by_counting = [Certification(hider).lower for hider in hiders.values()]
    return Leaderboard(
        game=game,
        hiders=list(hiders),
        guessers=list(guessers),
        payoffs=payoffs,
        guarantees=[guesser.guarantee for guesser in guessers.values()],
        proved=[max(proved.get(name, counted), counted) for name, counted in zip(hiders, by_counting, strict=True)],
        found=found,
    )


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


def _paper_run(letters: int, runs: Path, line: SolvingLine) -> Solution:
    """Return the run that `oracular table` makes for this length, made or finished now where need be."""
    folder, iterations = _paper_folder(letters, runs)
    if not is_run(folder) or load_run(folder).iterations < iterations:
        solve_row(letters, iterations, runs, fresh=False, threads=None, line=line)
    solution = load_run(folder)
    if solution.iterations != iterations:
        raise RunError(f"the run in {str(folder)!r} was interrupted: finish it with 'oracular table', then try again")
    return solution


def render(board: Leaderboard, console: Console) -> None:
    """Print the leaderboard."""
    table = Table(title=f"{board.game.name}: expected guesses, hiders against guessers", title_justify="left", box=None)
    table.add_column("hider \\ guesser", no_wrap=True)
    for guesser in board.guessers:
        table.add_column(guesser, justify="right")
    table.add_column("worst case", justify="right", no_wrap=True)
    for hider, row, proved, found in zip(board.hiders, board.payoffs, board.proved, board.found, strict=True):
        worst = f"{float(proved):.3f} to {float(found):.3f}"
        table.add_row(hider, *(f"{float(value):.3f}" for value in row), worst)
    table.add_row("worst case", *(f"{float(value):.3f}" for value in board.guarantees), "", style="bold")
    console.print(table)
    console.print(
        "Payoffs and guessers' worst cases are exact. A hider's worst case lies between what is proved of any guesser\n"
        "and the best response found. Hiders want more, guessers less.",
        style="dim",
    )
