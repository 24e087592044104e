"""A picture of a run: what each side could gain and the bounds, step by step, and the hider's probabilities.

Colours come from `py`; ticks have plain numbers. Nothing is written over a curve: legends are below their axes,
the likeliest secrets beside them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import MissingExtraError, RunError, install_command
from oracular.games.offensive import is_offensive
from oracular.runs.race import RaceSolution
from oracular.runs.solution import Solution
from oracular.system.files import counted, quoted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


HIDER = "#d05000"
GUESSER = "#0072b2"
GUARANTEE = "#882255"
SELF_PLAY = "#009e73"
LOWER_BOUND = "#000000"
UNIFORM = "#6b6b6b"
BEST = "#000000"
GRID = "#d8d8d8"

NAMED_SECRETS = 8
LONGEST_NAME = 40
LONGEST_SECRET = 14

SIDES = (("first", "first mover", HIDER), ("second", "second mover", GUESSER))


def draw(solution: Solution | RaceSolution, path: Path) -> Path:
    """Write the picture of a run, and return its path, with an ending if none was given."""
    if path.name not in ("", "..") and not path.suffix:
        path = path.with_name(path.name + ".png")
    if not path.parent.is_dir() or path.is_dir():
        raise RunError(f"picture {quoted(path)} is a folder or in none that exists: choose another --out")
    figure = run_figure(solution) if isinstance(solution, Solution) else race_figure(solution)
    try:
        figure.savefig(path, dpi=130)
    except (ValueError, OSError) as error:
        raise RunError(f"picture {quoted(path)} cannot be written ({error}): choose another --out") from None
    return path


def _new_figure() -> Figure:
    """Return an empty figure, or raise an error if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise MissingExtraError(f"pictures need matplotlib: {install_command('oracular[plot]')}") from None
    return Figure(figsize=(13, 4.6), layout=ConstrainedLayoutEngine(w_pad=0.1, wspace=0.04))


def race_figure(solution: RaceSolution) -> Figure:
    """Return the picture of a race as a figure of matplotlib."""
    figure = _new_figure()
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
    plot_curve(chances, chance, SELF_PLAY, "first mover wins")
    label = f"at the end: {figures.first_mover_wins:.3f}"
    chances.axhline(figures.first_mover_wins, color=BEST, linewidth=1.1, linestyle="-.", label=label)
    chances.set(title="The first mover's chance", ylabel="chance to win")
    steps_across(chances, solution.iterations)
    values_up(chances, [*chance.tolist(), figures.first_mover_wins])
    legend_below(chances)
    for name, label, colour in SIDES:
        shares = np.sort(getattr(solution, name).hider.probabilities)[::-1]
        secrets.stairs(100 * shares, np.arange(len(shares) + 1) + 0.5, color=colour, linewidth=1.4, label=label)
    secrets.axhline(100 / len(shares), color=UNIFORM, linewidth=0.9, linestyle="--", label="uniform")
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


def run_figure(solution: Solution) -> Figure:
    """Return the picture of a solution as a figure of matplotlib, which a notebook shows by itself."""
    figure = _new_figure()
    gains, values, secrets = figure.subplots(1, 3)
    kind = [(key, np.float64) for key in vars(solution.standing)]
    rows = (tuple(record[key] for key, _ in kind) for record in solution.history)
    figures = np.fromiter(rows, dtype=kind, count=len(solution.history))
    column = {key: figures[key] for key, _ in kind}
    _draw_gains(gains, column, solution)
    _draw_values(values, column, solution)
    _draw_hider(secrets, solution)
    for axes in figure.axes:
        journal_style(axes)
    figure.suptitle(title(solution))
    return figure


def title(solution: Solution) -> str:
    """Return the picture's title: the game, if its words are a user's own, any other objective, solver and steps."""
    game = solution.problem.game
    own = ["own words"] if game is not None and game.own_lists else []
    solver, count = solution.settings["solver"].replace("-", " "), counted(solution.iterations, "step")
    objective = [] if solution.objective.is_mean else [solution.objective.name]
    return ", ".join([_cut(solution.problem.name, LONGEST_NAME), *own, *objective, solver, count])


def _cut(text: str, most: int) -> str:
    """Return a text of at most so many characters, on one line, and with nothing that matplotlib reads as a formula."""
    text = " ".join(text.replace("$", "").split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _cut_inside(text: str) -> str:
    """Return a secret that is not too long for the list: its beginning and its end."""
    text, half = _cut(text, len(text) + 1), LONGEST_SECRET // 2
    return text if len(text) <= LONGEST_SECRET else f"{text[: half - 1]}…{text[-half:]}"


def plot_curve(axes: Axes, curve: NDArray[Any], colour: str, label: str) -> None:
    """Draw one curve over the steps, with each of its points marked where they are few."""
    marker = "o" if len(curve) <= FEW + 1 else ""
    axes.plot(
        np.arange(len(curve)), curve, color=colour, label=label, marker=marker, markersize=3.5, linewidth=1.4, zorder=3
    )


def _mark_solution(axes: Axes, solution: Solution, value: float, name: str, what: str = "") -> None:
    """Mark how the solution stands: by a dot on the curve of its step, or else by a level across the axes.

    The strategies of a step may be weighed anew at the end. They then are on no curve.
    """
    best = solution.best_iteration
    record = solution.history[best]
    if all(record[key] == figure for key, figure in vars(solution.standing).items()):
        label = f"{name} at step {best:,}{what}"
        axes.plot(
            best,
            value,
            "o",
            color=BEST,
            markersize=5.5,
            label=label,
            zorder=5,
            gid="best",
            linestyle="none",
            clip_on=False,
        )
    else:
        label = f"{name}, weighed anew at the end{what}"
        axes.axhline(value, color=BEST, label=label, gid="best", linewidth=1.1, linestyle="-.", zorder=2)


def _draw_gains(axes: Axes, column: dict[str, NDArray[Any]], solution: Solution) -> None:
    """Draw both players' epsilons.

    Where the guesser's deviation is only greedy, it may be worse than what the guesser plays. Since nobody need
    deviate, that is a gain of 0, and the legend says so.
    """
    hider, guesser = _sides(solution)
    if solution.problem.game is not None and solution.settings["solver"] != "exact":
        guesser += ", by its greedy answer" if solution.objective.is_mean else ", by the best answer known"
        if column["epsilon_guesser"].min() < -NOTHING:
            guesser += "\n(0: that answer is no better)"
    curves = {name: np.maximum(column[f"epsilon_{name}"], 0.0) for name in ("hider", "guesser")}
    plot_curve(axes, curves["hider"], HIDER, hider)
    plot_curve(axes, curves["guesser"], GUESSER, guesser)
    _mark_solution(axes, solution, solution.epsilon, f"ε = {solution.epsilon:.3f}", f"\n({solution.epsilon_is})")
    axes.set(title="What each side could gain")
    steps_across(axes, solution.iterations)
    gains_up(axes, _unit(solution), [*curves["hider"].tolist(), *curves["guesser"].tolist(), solution.epsilon])
    legend_below(axes)


def _draw_values(axes: Axes, column: dict[str, NDArray[Any]], solution: Solution) -> None:
    """Draw the guarantee beside the self-play value, and what no guesser can do better than where that is known.

    Where more is better, the guarantee is below self-play and the bound above.
    """
    best = float(solution.standing.guarantee)
    shown = [*column["guarantee"].tolist(), *column["self_play"].tolist(), best]
    ends = ("upper", "lower") if solution.objective.less_is_better else ("lower", "upper")
    plot_curve(axes, column["guarantee"], GUARANTEE, f"guarantee ({ends[0]} bound)")
    plot_curve(axes, column["self_play"], SELF_PLAY, "self-play")
    if solution.bound is not None:
        bound = float(solution.bound)
        shown.append(bound)
        label = f"{ends[1]} bound {bound:.3f}"
        axes.axhline(bound, color=LOWER_BOUND, linewidth=0.9, linestyle="--", label=label)
    _mark_solution(axes, solution, best, f"guarantee {best:.3f}")
    axes.set(title=_payoff_name(solution), ylabel=_unit(solution))
    steps_across(axes, solution.iterations)
    values_up(axes, shown)
    legend_below(axes)


def _draw_hider(axes: Axes, solution: Solution) -> None:
    """Draw the small side's probabilities, the likeliest first, and beside them what the likeliest are called."""
    probabilities = solution.weights / solution.weights.sum()
    order = np.argsort(-probabilities, kind="stable")
    percent = 100 * probabilities[order].astype(np.float64)
    edges = np.arange(len(percent) + 1) + 0.5
    hider = _sides(solution)[0]
    axes.stairs(percent, edges, fill=True, color=HIDER, alpha=0.18)
    axes.stairs(percent, edges, color=HIDER, linewidth=1.4, label=hider)
    axes.axhline(100 / len(percent), color=UNIFORM, linewidth=0.9, linestyle="--", label="uniform")
    axes.text(
        1.03,
        1.0,
        _likeliest(solution, order, probabilities),
        transform=axes.transAxes,
        va="top",
        family="monospace",
        fontsize=8,
        linespacing=1.5,
    )
    noun = "pure strategies" if solution.problem.game is None else "secrets"
    axes.set(xlabel=f"{noun}, likeliest first", ylabel="probability (%)", title=f"The {hider}'s probabilities")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, 1.06 * float(percent[0]))
    plain_linear(axes.xaxis, whole=True)
    plain_linear(axes.yaxis)
    legend_below(axes)


def _likeliest(solution: Solution, order: NDArray[Any], probabilities: NDArray[Any]) -> str:
    """Return the likeliest pure strategies of the small side that can be shown to anybody, a line each."""
    game = solution.problem.game
    names = (str(place) if game is None else game.secrets[place] for place in order)
    shown = [(name, place) for name, place in zip(names, order, strict=True) if not is_offensive(name)]
    rows = [(_cut_inside(name), 100 * float(probabilities[place])) for name, place in shown[:NAMED_SECRETS]]
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:<{width}} {share:6.2f}%" for name, share in rows)


def _sides(solution: Solution) -> tuple[str, str]:
    """Return what the small side and the large side are called."""
    return ("small side", "large side") if solution.problem.game is None else ("hider", "guesser")


def _unit(solution: Solution) -> str:
    """Return what payoffs are counted in."""
    if solution.problem.game is None:
        return "payoff"
    return "guesses" if solution.objective.is_mean else "utility" if solution.objective.name == "table" else "chance"


def _payoff_name(solution: Solution) -> str:
    """Return what is expected of the two sides, as the title of a picture."""
    phrase = solution.objective.phrase()
    return "Expected payoff" if solution.problem.game is None else phrase[0].upper() + phrase[1:]


FEW = 10
"""Up to so many steps every point is marked."""

ALL_NAMED = 6
"""Up to so many steps each has its number at the axis."""

DECADES = 3
"""How far below its largest value an axis of gains goes in powers of ten; what is smaller lies linearly near zero."""

NO_GAIN = 0.1
"""How high an axis of gains is where nobody has any."""

NOTHING = 1e-9
"""A gain below this is rounding."""

LEAST_SPAN = 0.02
"""An axis of values spans at least this much, so that rounding does not look like news."""

BELOW_AXES = 40 / 72
"""How many inches below the axes a legend begins: below the ticks' labels and the axis's name."""


def plain(value: float, _: object = None) -> str:
    """Return a number as people write it: 0.001, 1, 10,000; never as a power of ten."""
    if abs(value) < 5e-13:
        return "0"
    text = f"{value:,.12g}" if abs(value) >= 1 else f"{value:.12f}".rstrip("0")
    return text.replace("-", "\N{MINUS SIGN}")


def powers_of_ten(least: float, most: float) -> list[float]:
    """Return the powers of ten from about the least to about the most of two positive numbers."""
    return [
        float(f"1e{exponent}")
        for exponent in range(math.ceil(math.log10(least) - 1e-9), math.floor(math.log10(most) + 1e-9) + 1)
    ]


def plain_linear(axis: Axis, whole: bool = False) -> None:
    """Give a linear axis plain ticks, at whole numbers if that is asked for."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=6, integer=whole, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(plain))


def steps_across(axes: Axes, last: int) -> None:
    """Lay steps from 0, the start, along the axes: by powers of ten from the first on, however many they are."""
    from matplotlib.ticker import FixedLocator

    from_zero_across(axes, "steps (log scale)", 1, max(last, 1))
    if last <= ALL_NAMED:
        axes.xaxis.set_major_locator(FixedLocator(list(range(last + 1))))


def from_zero_across(axes: Axes, name: str, least: float, last: float) -> None:
    """Lay numbers from 0 along the axes: linearly up to the least one of interest, then by powers of ten."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    axes.set_xlabel(name)
    axes.set_xscale("symlog", linthresh=least, linscale=0.4)
    powers = powers_of_ten(least, last)
    between = [n * power for power in powers for n in range(2, 10) if n * power <= last]
    ticks = [0.0, *powers] + ([] if last >= 100 * least else [n for n in between if n / least in (2, 5, 20, 50)])
    axes.xaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.xaxis.set_minor_locator(FixedLocator(between))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(-0.25 * least, last * 1.25)


def gains_up(axes: Axes, unit: str, values: Sequence[float]) -> None:
    """Lay gains, which are never negative, up the axes: by powers of ten, and linearly from zero to the least of them.

    It is so however large they are, and the name of the axis says it.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    sizes = [value for value in values if value > NOTHING] or [NO_GAIN]
    most = max(sizes)
    linear = _round_below(min(max(min(sizes), most / 10**DECADES), most / 10))
    axes.set_yscale("symlog", linthresh=linear, linscale=0.6)
    powers = powers_of_ten(linear, most * 10)
    between = [n * power for power in powers_of_ten(linear / 10, most * 10) for n in range(2, 10) if n * power > linear]
    ticks = powers if most >= 100 * linear else [n * power for power in powers for n in (1, 3)]
    axes.yaxis.set_major_locator(FixedLocator([0.0, *ticks]))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.yaxis.set_minor_locator(FixedLocator(between))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(-0.15 * linear, 1.6 * most)
    axes.set_ylabel(f"{unit} (log scale above {plain(linear)})")


def _round_below(value: float) -> float:
    """Return the largest of the numbers 1, 2 and 5 times a power of ten that is no more than a positive number."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    return power * max(factor for factor in (1, 2, 5) if factor * power <= value * (1 + 1e-9))


def values_up(axes: Axes, values: Sequence[float]) -> None:
    """Lay values up the axes, linearly, over all of them and some room."""
    least, most = min(values), max(values)
    room = max(0.06 * (most - least), (LEAST_SPAN - (most - least)) / 2)
    axes.set_ylim(least - room, most + room)
    plain_linear(axes.yaxis)


def journal_style(axes: Axes) -> None:
    """Leave the axes two of their four lines, and put a faint grid behind the curves."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def legend_below(axes: Axes, **options: Any) -> None:
    """Put the legend below the axes, where no curve is."""
    from matplotlib.transforms import ScaledTranslation

    below = axes.transAxes + ScaledTranslation(0, -BELOW_AXES, axes.figure.dpi_scale_trans)
    axes.legend(
        loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, frameon=False, borderaxespad=0, **options
    )
