"""How the axes of all pictures look: plain numbers at the ticks, and legends beside the curves, never over them.

Matplotlib is imported by whoever draws; here only its objects are handled.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from oracular.report import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

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


def plain_log(axis: Axis, values: Iterable[float]) -> None:
    """Give a logarithmic axis plain ticks: powers of ten, with twice and five times them where these are few."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    given = [value for value in values if value > 0]
    least, most = min(given), max(given)
    ticks = powers_of_ten(least / 10, most * 10)
    if most / least < 100:
        ticks = [factor * tick for tick in ticks for factor in (1, 2, 5)]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_locator(
        FixedLocator([n * tick for tick in powers_of_ten(least / 10, most * 10) for n in range(2, 10)])
    )
    axis.set_minor_formatter(NullFormatter())


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
    axes.grid(visible=True, which="major", color=palette.GRID, linewidth=0.6)
    axes.set_axisbelow(True)


def legend_below(axes: Axes, **options: Any) -> None:
    """Put the legend below the axes, where no curve is."""
    from matplotlib.transforms import ScaledTranslation

    below = axes.transAxes + ScaledTranslation(0, -BELOW_AXES, axes.figure.dpi_scale_trans)
    axes.legend(
        loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, frameon=False, borderaxespad=0, **options
    )
