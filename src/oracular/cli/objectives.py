"""Objectives as the command line names them, and figures in them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from oracular.objectives import Objective

objective_option = click.option(
    "--objective",
    metavar="mean|within-K|worst|FILE",
    help="What the guesser is worth: its expected guesses, its chance to find the secret within K guesses, the guesses "
    "that always suffice, or a table of utilities in a file [default: mean].",
)


def unit_of(objective: Objective) -> str:
    """Return what figures in an objective are, behind a number."""
    return "guesses" if objective.less_is_better else objective.phrase()


def measured(value: Fraction | float, objective: Objective, digits: int = 4) -> str:
    """Return a figure in an objective with its unit; numbers of guesses that always suffice are whole."""
    figure = f"{float(value):.{digits}f}"
    return f"{value} {unit_of(objective)}" if objective.is_worst else f"{figure} {unit_of(objective)}"


def described_objective(objective: Objective) -> str:
    """Return an objective in a few words."""
    return f"{objective.name}: {objective.phrase()}, {'less' if objective.less_is_better else 'more'} is better"


def bound_names(objective: Objective) -> tuple[str, str]:
    """Return what the guesser's guarantee, and the bound that a hider proves, are on the value of the game."""
    return ("upper bound", "lower bound") if objective.less_is_better else ("lower bound", "upper bound")
