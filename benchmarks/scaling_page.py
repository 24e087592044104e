"""docs/scaling.md and its pictures, from the figures that scaling.py measured; no number in them is typed by hand."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from oracular.games.table import TABLE_BESIDE_TOKENS
from oracular.report.picture import GRID, legend_below, plain, plain_linear, powers_of_ten

MILLION = 1_000_000
THOUSAND = 1_000
TIME = "#0072b2"
PART_OF_TIME = "#d05000"
MEMORY = "#882255"
BYTES_A_SECRET = 12
"""What a secret and its weight take on their way to a worker."""

PAGE = """\
# Scaling

How time and memory grow with words, letters and workers. `make scaling` writes this page from
[scaling.json](scaling.json). Every number was measured on a machine with {cores} cores (Python {python}, load
{load:.1f} at the start), or is computed from such numbers as described. Times are processor times of one thread for one
full greedy tree, built from scratch against a non-uniform hider: the median of up to five trees. Memory is the peak of
a process that does nothing else.

## Words

The words are random subsets, with a fixed seed, of the 65,780 sets of five letters.

![Time and memory by words](scaling-words.png)

{words_table}

{left_out}Above 16,384 words no table of answers is built: a tree then takes longer, and a process needs less memory.
This is the step in both pictures. Fitted to the sizes above that step, time grows like the number of words to the power
of **{time_power:.2f}**. Memory, beyond the {base_memory:.0f} MiB of a process with a small game and no tree, grows like
the power of **{memory_power:.2f}**. The opening, a single state of all words, takes {opening_share:.0%} of the largest
tree.

## Letters

The table shows {fixed_words:,} random words of each length, and all playable words of the dictionary.

![Time by letters](scaling-letters.png)

{letters_table}

## Workers

This is one tree of {spread_words:,} words on a local cluster (`benchmarks/cluster.py`), with the same result as
without. Wall time depends on the load of the machine. The processor time of the busiest process does not: it is the
wall time at best, if every process had a core to itself. The answers of workers that the program did not start are
checked: about one in sixteen is recomputed in the meantime ([security model](security.md#a-cluster)).

![Time by workers](scaling-workers.png)

{workers_table}

## A million words and a thousand cores, extrapolated

This table assumes that the code does not change, and that the fitted powers hold from {largest:,} to a million words:

| | one core | a thousand cores |
| --- | --- | --- |
| one tree | {million_time} | {million_spread} |
| of which the opening, which one core scores | {million_opening} | {million_opening} |
| the 1,000 trees of a short fictitious play | {million_run} | {million_run_spread} |
| memory of every process | {million_memory} | {million_memory} |
| sent for a level of a tree, at {bytes_a_secret} bytes a secret | | {million_traffic} |

The thousand cores are assumed to take the time of the opening plus a thousandth of the rest: the ideal case, in which
every core is busy to the end.

What would have to change, most important first:

{changes}
"""


def power(rows: list[dict[str, Any]], key: str, less: float = 0.0) -> tuple[float, float]:
    """Return a and b of the best fit key = a words^b, by least squares of logarithms over the sizes without a table."""
    larger = [row for row in rows if row["words"] ** 2 > TABLE_BESIDE_TOKENS] or rows
    points = [(math.log(row["words"]), math.log(row[key] - less)) for row in larger if row[key] and row[key] > less]
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    return math.exp(mean_y - slope * mean_x), slope


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for size, unit in ((86400 * 365, "years"), (86400, "days"), (3600, "hours"), (60, "minutes"), (1, "s")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{1000 * seconds:,.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def size(count: float) -> str:
    """Return a number of bytes in the unit that suits it."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table, its numbers to the right."""
    lines = [f"| {' | '.join(header)} |", f"|{' ---: |' * len(header)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def million(figures: dict[str, Any]) -> dict[str, float]:
    """Return what a million words would take, by the fitted powers."""
    rows = figures["words"]
    base = min(row["memory_before"] for row in rows)
    (a, b), (c, d) = power(rows, "seconds"), power(rows, "memory", less=base)
    e, f = power(rows, "opening_seconds")
    tree, opening = a * MILLION**b, e * MILLION**f
    return {
        "base": base,
        "time_power": b,
        "memory_power": d,
        "tree": tree,
        "opening": min(opening, tree),
        "spread": min(opening, tree) + max(tree - opening, 0) / THOUSAND,
        "memory": base + c * MILLION**d,
    }


def changes(of: dict[str, float]) -> str:
    """Return what stands in the way of a million words, judged by the numbers."""
    points = []
    if of["memory"] > 64 * 2**30:
        points.append(
            f"**Memory.** {size(of['memory'])} per process is more than machines have: answers must be computed where "
            "they are needed (`Game.answers` returns any block of them) instead of being stored in a table, or a "
            "worker must store only the rows of its own states."
        )
    if of["opening"] > of["spread"] / 4:
        points.append(
            f"**The opening.** It takes {duration(of['opening'])} of the {duration(of['spread'])}, on one core, while "
            "the others wait: its guesses must be shared out in ranges; the best of the ranges wins, the first one "
            "among equals."
        )
    points += [
        f"**The tree itself.** {duration(of['tree'])} of one core for every step is most of the cost, and most of that "
        "is repeated work: a step changes the weights of few words, and below every state that contains none of them "
        "the tree is unchanged. Workers that kept states between steps would only compute the others.",
        "**Batches.** A driver that gives each worker eight batches has to handle 8,000 of them at each step for a "
        "thousand cores, a few milliseconds each. A second layer of drivers, one per rack, would share that work.",
        "**Words.** English does not have a million words; sets of letters or codes of Mastermind do.",
    ]
    return "\n".join(
        textwrap.fill(f"{number}. {point}", 118, subsequent_indent="   ")
        for number, point in enumerate(points, start=1)
    )


def draw(figures: dict[str, Any], docs: Path) -> None:
    """Draw the three pictures."""
    drawn = {"words": words_figure(figures), "letters": letters_figure(figures), "workers": workers_figure(figures)}
    for name, figure in drawn.items():
        figure.savefig(docs / f"scaling-{name}.png", dpi=130)


def words_figure(figures: dict[str, Any]) -> Figure:
    """Return the picture of time and memory by words."""
    rows = figures["words"]
    timed = [row for row in rows if row["opening_seconds"]]
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    _curve(left, rows, "words", "seconds", TIME, "o-", "one tree")
    _curve(left, timed, "words", "opening_seconds", PART_OF_TIME, "s--", "its opening")
    left.set(xlabel="words", ylabel="seconds of one core", title="Time by words")
    _curve(right, rows, "words", "memory", MEMORY, "o-", "peak of the process", 1 / 2**20)
    right.set(xlabel="words", ylabel="MiB", title="Memory by words")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        plain_log(axes.xaxis, [row["words"] for row in rows])
        _finish(axes)
    return figure


def letters_figure(figures: dict[str, Any]) -> Figure:
    """Return the picture of time by letters."""
    figure = Figure(figsize=(5, 3.8), layout="constrained")
    axes = figure.subplots()
    for dictionary, colour, mark in ((False, TIME, "o-"), (True, PART_OF_TIME, "s--")):
        chosen = [row for row in figures["letters"] if row["dictionary"] is dictionary]
        label = "the dictionary's words" if dictionary else f"{chosen[0]['words']:,} random words"
        _curve(axes, chosen, "letters", "seconds", colour, mark, label)
    axes.set(xlabel="letters", ylabel="seconds of one core", title="Time by letters", yscale="log")
    plain_linear(axes.xaxis, whole=True)
    _finish(axes)
    return figure


def workers_figure(figures: dict[str, Any]) -> Figure:
    """Return the picture of time by workers."""
    spread = figures["workers"]["rows"]
    figure = Figure(figsize=(5, 3.8), layout="constrained")
    axes = figure.subplots()
    places = range(len(spread))
    wall, busiest = [row["seconds"] for row in spread], [max(row["cpu"]) for row in spread]
    axes.bar([place - 0.2 for place in places], wall, 0.4, color=TIME, label="wall time")
    axes.bar([place + 0.2 for place in places], busiest, 0.4, color=PART_OF_TIME, label="busiest process")
    axes.set(xlabel="workers", ylabel="seconds", title=f"A tree of {figures['workers']['words']:,} words")
    axes.set_xticks(list(places), ["none" if not row["workers"] else str(row["workers"]) for row in spread])
    plain_linear(axes.yaxis)
    legend_below(axes)
    return figure


def plain_log(axis: Axis, values: Iterable[float]) -> None:
    """Give a logarithmic axis plain ticks: powers of ten, with twice and five times them where these are few."""
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


def _curve(
    axes: Axes, rows: list[dict[str, Any]], x: str, y: str, colour: str, mark: str, label: str, unit: float = 1
) -> None:
    """Draw one column of some rows over another."""
    axes.plot([row[x] for row in rows], [unit * row[y] for row in rows], mark, color=colour, label=label)


def _finish(axes: Axes) -> None:
    """Give axes whose height is logarithmic their ticks, a grid and a legend."""
    plain_log(axes.yaxis, [float(value) for line in axes.lines for value in line.get_ydata()])
    axes.grid(visible=True, color=GRID, linewidth=0.6)
    legend_below(axes)


def page(figures: dict[str, Any]) -> str:
    """Return the page."""
    rows, spread = figures["words"], figures["workers"]["rows"]
    of, last, alone = million(figures), figures["words"][-1], figures["workers"]["rows"][0]
    words_rows = [
        [
            f"{row['words']:,}",
            duration(row["seconds"]),
            f"{1e6 * row['seconds'] / row['words']:.1f} µs",
            duration(row["opening_seconds"]) if row["opening_seconds"] else "",
            size(row["memory"]),
        ]
        for row in rows
    ]
    by_letters: dict[int, dict[bool, dict[str, Any]]] = {}
    for row in figures["letters"]:
        by_letters.setdefault(row["letters"], {})[row["dictionary"]] = row
    letters_rows = [
        [
            str(letters),
            *(duration(pair[False]["seconds"]) if False in pair else "–",),
            *((f"{pair[True]['words']:,}", duration(pair[True]["seconds"])) if True in pair else ("–", "–")),
        ]
        for letters, pair in by_letters.items()
    ]
    workers_rows = [
        [
            str(row["workers"]) if row["workers"] else "none: one thread here",
            duration(row["seconds"]),
            f"{alone['seconds'] / row['seconds']:.2f}",
            duration(max(row["cpu"])),
            f"{max(alone['cpu']) / max(row['cpu']):.2f}",
            size(max(row["peak_memory"])),
        ]
        for row in spread
    ]
    left_out = "".join(f"Left out: {text}.\n" for text in figures["left_out"])
    return PAGE.format(
        **figures["machine"],
        words_table=table(["words", "one tree", "per word", "its opening", "memory"], words_rows),
        left_out=left_out + "\n" if left_out else "",
        time_power=of["time_power"],
        memory_power=of["memory_power"],
        base_memory=of["base"] / 2**20,
        opening_share=(last["opening_seconds"] or 0) / last["seconds"],
        fixed_words=next(row["words"] for row in figures["letters"] if not row["dictionary"]),
        letters_table=table(["letters", "random words", "dictionary's words", "their tree"], letters_rows),
        spread_words=figures["workers"]["words"],
        workers_table=table(
            ["workers", "wall time", "speed-up", "busiest process", "speed-up at best", "memory of a process"],
            workers_rows,
        ),
        largest=last["words"],
        million_time=duration(of["tree"]),
        million_spread=duration(of["spread"]),
        million_opening=duration(of["opening"]),
        million_run=duration(THOUSAND * of["tree"]),
        million_run_spread=duration(THOUSAND * of["spread"]),
        million_memory=size(of["memory"]),
        million_traffic=size(MILLION * BYTES_A_SECRET),
        bytes_a_secret=BYTES_A_SECRET,
        changes=changes(of),
    )


def write_page(figures: dict[str, Any], docs: Path) -> None:
    """Write the page and its pictures."""
    draw(figures, docs)
    (docs / "scaling.md").write_text(page(figures), encoding="utf-8")
