"""A picture of a run of the blind race: what each player could gain, the first mover's chance, and what both hide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from oracular.errors import MissingExtraError
from oracular.report import palette
from oracular.report.axes import gains_up, journal_style, legend_below, plain_linear, steps_across, values_up
from oracular.report.picture import plot_curve, saved
from oracular.runs.race import RaceSolution
from oracular.system.counting import counted
from oracular.system.installing import install_command

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES = (("first", "first mover", palette.HIDER), ("second", "second mover", palette.GUESSER))


def draw_race(solution: RaceSolution, path: Path) -> Path:
    """Draw a run of the blind race, and return the picture's path."""
    return saved(lambda: race_figure(solution), path)


def race_figure(solution: RaceSolution) -> Figure:
    """Return the picture of a race as a figure of matplotlib."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise MissingExtraError(f"pictures need matplotlib: {install_command('oracular[plot]')}") from None
    figure = Figure(figsize=(13, 4.6), layout=ConstrainedLayoutEngine(w_pad=0.1, wspace=0.04))
    gains, chances, secrets = figure.subplots(1, 3)
    history, figures = solution.history, solution.figures
    shown = []
    for name, label, colour in SIDES:
        curve = np.maximum([record[f"epsilon_{name}"] for record in history], 0.0)
        plot_curve(gains, curve, colour, f"{label}, with recent trees")
        end = getattr(figures, f"epsilon_{name}")
        gains.axhline(
            end, color=colour, linewidth=1.1, linestyle="-.", label=f"{label}, measured at the end: {end:.3f}"
        )
        shown += [*curve.tolist(), end]
    gains.set(title="What each player could gain")
    steps_across(gains, solution.iterations)
    gains_up(gains, "chance to win", shown)
    legend_below(gains)
    chance = np.array([record["first_mover_wins"] for record in history])
    plot_curve(chances, chance, palette.SELF_PLAY, "first mover wins")
    label = f"at the end: {figures.first_mover_wins:.3f}"
    chances.axhline(figures.first_mover_wins, color=palette.BEST, linewidth=1.1, linestyle="-.", label=label)
    chances.set(title="The first mover's chance", ylabel="chance to win")
    steps_across(chances, solution.iterations)
    values_up(chances, [*chance.tolist(), figures.first_mover_wins])
    legend_below(chances)
    for name, label, colour in SIDES:
        shares = np.sort(getattr(solution, name).hider.probabilities)[::-1]
        secrets.stairs(100 * shares, np.arange(len(shares) + 1) + 0.5, color=colour, linewidth=1.4, label=label)
    secrets.axhline(100 / len(shares), color=palette.UNIFORM, linewidth=0.9, linestyle="--", label="uniform")
    secrets.set(xlabel="secrets, likeliest first", ylabel="probability (%)", title="What both hide")
    secrets.set_ylim(bottom=0)
    plain_linear(secrets.xaxis, whole=True)
    plain_linear(secrets.yaxis)
    legend_below(secrets)
    for axes in figure.axes:
        journal_style(axes)
    own = ", own words" if solution.game.own_lists else ""
    figure.suptitle(f"{solution.game.name}{own}, blind race, {counted(solution.iterations + 1, 'step')}")
    return figure
