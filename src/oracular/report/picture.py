"""A picture of a run: its epsilons and bounds over time, and the hider's probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oracular.errors import MissingExtraError, RunError
from oracular.runs.solution import Solution
from oracular.system.files import quoted
from oracular.system.installing import install_command

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED_WORDS = 8
HIDER_COLOUR, GUESSER_COLOUR, GREY = "#c2452d", "#2d6cc2", "#777777"


def draw_run(solution: Solution, path: Path) -> Path:
    """Draw a solution's history and its hider's probabilities, and return the picture's path."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(f"pictures need matplotlib: {install_command('oracular[plot]')}") from None
    path = path if path.suffix else path.with_name(path.name + ".png")
    if not path.parent.is_dir() or path.is_dir():
        raise RunError(f"picture {quoted(path)} is a folder or in none that exists: choose another --out")
    figure = Figure(figsize=(13, 4.2), layout="constrained")
    epsilons, values, words = figure.subplots(1, 3)
    iterations = np.arange(1, len(solution.history) + 1)
    column = {key: np.array([record[key] for record in solution.history]) for key in vars(solution.standing)}
    _draw_epsilons(epsilons, iterations, column, solution)
    _draw_values(values, iterations, column, solution)
    _draw_hider(words, solution)
    figure.suptitle(
        f"{solution.game.name}: {len(solution.game.secrets):,} secrets, {solution.iterations:,} iterations of "
        f"{', '.join(f'{key} {value}' if key != 'solver' else value for key, value in solution.settings.items())}"
    )
    try:
        figure.savefig(path, dpi=130)
    except (ValueError, OSError) as error:
        raise RunError(f"picture {quoted(path)} cannot be written ({error}): choose another --out") from None
    return path


def _draw_epsilons(axes: Axes, iterations: Any, column: dict[str, Any], solution: Solution) -> None:
    """Draw both players' epsilons; the guesser's may be negative, since its deviation is only greedy."""
    axes.plot(iterations, column["epsilon_hider"], color=HIDER_COLOUR, label="hider")
    axes.plot(iterations, column["epsilon_guesser"], color=GUESSER_COLOUR, label="guesser (greedy deviation)")
    axes.axvline(solution.best_iteration + 1, color=GREY, linewidth=0.8, linestyle=":")
    best = f"ε = {solution.epsilon:.3f} at t* = {solution.best_iteration}"
    axes.plot(solution.best_iteration + 1, solution.epsilon, "o", color="black", markersize=4, label=best)
    axes.set(xscale="log", xlabel="iteration t + 1", ylabel="guesses", title="what each side could gain (epsilon)")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.legend(frameon=False)


def _draw_values(axes: Axes, iterations: Any, column: dict[str, Any], solution: Solution) -> None:
    """Draw the guesser's guarantee above the self-play value; the value of the game is below the guarantee."""
    axes.plot(iterations, column["guarantee"], color=HIDER_COLOUR, label="guarantee (upper bound on the value)")
    axes.plot(iterations, column["self_play"], color=GUESSER_COLOUR, label="self-play")
    axes.fill_between(iterations, column["self_play"], column["guarantee"], color=GREY, alpha=0.12)
    axes.axvline(solution.best_iteration + 1, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(xscale="log", xlabel="iteration t + 1", ylabel="expected guesses", title="guarantee and self-play")
    axes.legend(frameon=False)


def _draw_hider(axes: Axes, solution: Solution) -> None:
    """Draw the hider's probabilities, with the likeliest secrets first, and the uniform one beside them."""
    order = np.argsort(-solution.hider.weights, kind="stable")
    ranked = solution.hider.probabilities[order]
    ranks = np.arange(1, len(ranked) + 1)
    axes.step(ranks, 100 * ranked, where="mid", color=HIDER_COLOUR)
    axes.fill_between(ranks, 100 * ranked, step="mid", color=HIDER_COLOUR, alpha=0.15)
    axes.axhline(100 / len(ranked), color=GREY, linewidth=0.8, linestyle="--", label="uniform")
    likeliest = "\n".join(
        f"{solution.game.secrets[secret]}  {100 * solution.hider.probabilities[secret]:.2f}%"
        for secret in order[:NAMED_WORDS]
    )
    axes.text(0.97, 0.80, likeliest, transform=axes.transAxes, ha="right", va="top", family="monospace", fontsize=8)
    axes.set(xlabel="secrets, likeliest first", ylabel="probability (%)", title="where the hider's probability lies")
    axes.set_xlim(0.5, len(ranked) + 0.5)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, loc="upper right")
