"""Write docs/results.md from the runs: the paper's table with ours, the bounds, the leaderboards, and the race.

It needs the runs of `oracular table` and the race of the solvers; `make results` makes them first. With `--only` it
writes some sections and leaves the others as they are:

    python tools/results.py --only "Bounds on the value of each game" "Who beats whom"

The tables of shipped strategies in README.md and docs/race.md, between their marks, are written as well.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from oracular.cli.output import Line, SolvingDisplay
from oracular.errors import OracularError, RunError, SettingsError
from oracular.games.names import EVERYDAY
from oracular.report.picture import from_zero_across, values_up
from oracular.report.tables import FOOTNOTES, LABELS, cells
from oracular.runs.solution import load_run
from oracular.runs.table import Leaderboard, PaperRun, figures, leaderboard, paper_rows
from oracular.strategies.race import RaceStrategies, load_race, race_games
from oracular.strategies.shipped import CODE_GAMES, FAMILIAR_GAMES, JOTTO_GAMES, SHIPPED_GAMES, Shipped, load
from oracular.system.files import quoted

CHANCES = Path(__file__).resolve().parent.parent / "docs" / "chances.json"
"""What `tools/make_chances.py` has recorded."""

RACE, ORACLES = "Guarantee over time, by solver", "What each oracle needs against a uniform hider"
MEASURED = {RACE: "race.json", ORACLES: "oracles.json"}
"""What the benchmarks write that `make race` runs, by the section that it is for."""

INTRODUCTION = """\
# Results

`make results` writes this page from the runs; do not edit it. It first solves the paper's games and races the solvers
if necessary.

Every number has a status. A *guarantee* and a *payoff* are exact. A *lower bound* is recorded: it was proved when the
strategies were made, and [`oracular verify`](verify.md) proves it again. An *epsilon* is measured as in the paper, with
the greedy response, and is not a bound. [What was tried](tried.md) explains which ideas led here.
"""


def write_results(runs: Path, out: Path, line: Line, only: Sequence[str] = ()) -> Path:
    """Write results.md and its picture into a folder, from the runs, and return the page's path.

    Args:
        runs: the folder of the runs.
        out: the folder of the page.
        line: shows how it comes along.
        only: the sections to write; the others stay as they are. By default all are written.
    """
    path = out / "results.md"
    measured = {title: _measured(runs / name) for title, name in MEASURED.items() if not only or title in only}
    shipped = [load(name) for name in SHIPPED_GAMES + FAMILIAR_GAMES]

    def boards() -> str:
        parts = [_NOTE_ON_BOARDS]
        for name in (strategy.game.name for strategy in shipped if strategy.game.name in JOTTO_GAMES):
            line(f"leaderboard of {name}")  # the paper has no run of other games
            parts.append(_board(leaderboard(name, runs / "table", line)))
        return "\n".join(parts)

    def race() -> str:
        rows = measured[RACE]
        picture = f"![The race of the solvers]({draw_race(rows, out).name})\n"
        return "\n".join([_NOTE_ON_RACE, _race(rows), picture])

    sections: dict[str, Callable[[], str]] = {
        "The paper's Table 1, and ours": lambda: _table(runs / "table"),
        "Bounds on the value of each game": lambda: "\n".join([bounds(shipped), NOTE_ON_BOUNDS, proofs(shipped)]),
        "The chance within a few guesses": lambda: f"{NOTE_ON_CHANCES}\n{chances(_measured(CHANCES))}",
        "Who beats whom": boards,
        "The blind race": lambda: f"{NOTE_ON_BLIND_RACE}\n{blind_races([load_race(name) for name in race_games()])}",
        RACE: race,
        ORACLES: lambda: _oracles(measured[ORACLES]),
        "How the shipped strategies were made": lambda: _made(shipped),
    }
    if unknown := set(only) - set(sections):
        raise SettingsError(f"the page has no section {quoted(min(unknown))}: choose from {', '.join(sections)}")
    kept = _sections_of(path) if only else {}
    texts = {title: make() if title in only or not only else kept[title] for title, make in sections.items()}
    page = [INTRODUCTION, *(f"## {title}\n\n{text}" for title, text in texts.items())]
    path.write_text("\n".join(page), encoding="utf-8")
    return path


def _sections_of(path: Path) -> dict[str, str]:
    """Return the sections of a page that was written before, by their titles."""
    _, *sections = path.read_text(encoding="utf-8").split("\n## ")
    return dict(section.split("\n\n", 1) for section in sections)


def _measured(path: Path) -> list[dict[str, Any]]:
    """Return the rows that a benchmark has written."""
    if not path.is_file():
        maker = "python tools/make_chances.py" if path == CHANCES else "make race"
        raise RunError(f"{quoted(path)} is missing: make it with '{maker}', then try again")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _oracles(rows: list[dict[str, Any]]) -> str:
    games = sorted({row["game"] for row in rows})
    found = {(row["oracle"], row["game"]): row for row in rows}
    body = []
    for oracle in dict.fromkeys(row["oracle"] for row in rows):
        cells_of = [found[oracle, name] for name in games]
        body.append([oracle, *(f"{cell['average']:.4f} ({cell['seconds']:.2g} s)" for cell in cells_of)])
    return _markdown(["average guesses (seconds)", *games], body)


def _table(folder: Path) -> str:
    """Return Table 1 as Markdown, from the runs of `oracular table`."""
    rows = []
    for letters, published in paper_rows().items():
        run = PaperRun.below(folder, letters)
        rows.append({**figures(load_run(run.folder)), "paper": published})
    head = ["", *(f"{row['letters']} letters: {who}" for row in rows for who in ("paper", "ours"))]
    body = [[label, *(cell for row in rows for cell in cells(key, row))] for key, label in LABELS.items()]
    notes = FOOTNOTES.replace("\n", "  \n")  # two spaces end a line in Markdown
    return f"{_markdown(head, body)}\n{notes}\n"


def bounds(shipped: list[Shipped]) -> str:
    """Return the table of what is known of the value of each game."""
    paper = paper_rows()
    body = []
    for strategy in shipped:
        name = strategy.game.name
        estimate = f"{paper[int(name.removeprefix('jotto-'))]['self_play']:.3f}" if name in JOTTO_GAMES else ""
        gap = float(strategy.guarantee - strategy.lower)
        body.append(
            [
                name,
                estimate,
                f"{float(strategy.lower):.4f} ({strategy.best_bound.hider} hider)",
                f"{float(strategy.guarantee):.4f}",
                "settled" if gap == 0 else f"{gap:.4f}",
            ]
        )
    head = ["game", "paper's estimate", "recorded lower bound", "proved upper bound (our guarantee)", "gap"]
    return _markdown(head, body)


NOTE_ON_BOUNDS = """\
The `familiar` games hide only [familiar words](words.md#familiar-words) and allow all words as guesses.

The next table has the cost of the lower bounds that were proved against the uniform hider
([how](design.md#how-a-lower-bound-is-proved)). If the bounds of all openings are recorded, each opening was searched to
the given number of plies, and the bound is the least of their totals. The time is the sum over all cores.
"""


def proofs(shipped: list[Shipped]) -> str:
    """Return the table of how the lower bounds of uniform hiders were proved."""
    body = []
    for strategy in shipped:
        bound = strategy.best_bound
        if bound.hider != "uniform" or not bound.effort:
            continue
        plies = [row[2] for row in bound.proof]
        secrets, minutes = len(strategy.game.secrets), bound.effort["core_seconds"] / 60
        body.append(
            [
                strategy.game.name,
                f"{int(bound.value * secrets):,}/{secrets:,}",
                f"{len(plies):,}" if plies else "",
                f"{min(plies)} to {max(plies)}" if plies else "",
                f"`{bound.effort['command']}`",
                bound.effort["device"],
                f"{minutes:,.0f} min" if minutes >= 10 else f"{minutes:.1f} min",
            ]
        )
    return _markdown(["game", "lower bound", "openings", "plies", "command", "device", "core time"], body)


NOTE_ON_CHANCES = """\
Here the guesser wins by finding the secret within k guesses ([objectives](objectives.md)). The guarantee is exact: a
mixture of trees that wins at least this often against every hider. The upper bound is proved: a hider against which no
guesser wins more often. Guarantees are rounded down and bounds up. `python tools/make_chances.py` computes both; for
any game, use `oracular solve wordle --solver double-oracle --objective within-3 --time 600 --out RUN` and `oracular
certify RUN --hider run`.
"""


def chances(rows: list[dict[str, Any]]) -> str:
    """Return the table of the chances within a few guesses."""
    body = []
    for row in rows:
        lower, upper = Fraction(row["lower"]), Fraction(row["upper"])
        proved = upper < 1 or lower == upper
        body.append(
            [
                row["game"],
                row["objective"].removeprefix("within-"),
                f"{math.floor(lower * 10_000) / 10_000:.4f}",
                f"{math.ceil(upper * 10_000) / 10_000:.4f}" if proved else "1, none was proved",
                f"{float(upper - lower):.4f}" if proved else "",
                f"{row['steps']:,} steps, {row['seconds']:,} s",
                f"{row['proof_seconds']:,} s" if proved else "",
                row["date"],
            ]
        )
    head = ["game", "guesses", "the guesser's guarantee", "proved upper bound", "gap", "solved in", "proved in", "on"]
    return _markdown(head, body)


NOTE_ON_BLIND_RACE = """\
Both players hide a secret and guess in turn, and the first to find the other's wins ([the race](race.md)). It is blind:
neither side's guesses depend on the other's. *Gains* are how much more often the best deviation found wins, for the
first and for the second mover: exact if marked, otherwise measured and not a bound. *One-sided* means that both sides
play the strategies of the tables above.
"""


def blind_races(races: list[RaceStrategies]) -> str:
    """Return the table of the blind race."""
    body = []
    for race in races:
        figures = race.recorded
        body.append(
            [
                race.game.name,
                f"{figures.first_mover_wins:.4f}",
                f"{figures.epsilon_first:.4f}, {figures.epsilon_second:.4f}{' (exact)' * figures.exact}",
                f"{figures.one_sided_first_mover_wins:.4f}",
                f"{figures.one_sided_epsilon_first:.4f}, {figures.one_sided_epsilon_second:.4f}",
                f"{len(race.first.trees):,}, {len(race.second.trees):,}",
            ]
        )
    head = ["game", "first mover wins", "gains", "first mover wins, one-sided", "gains, one-sided", "trees"]
    return _markdown(head, body)


_NOTE_ON_RACE = """\
All solvers ran on one machine, for 60 seconds each and the time to conclude. All curves start at the same zero: the
moment solving starts, with what one greedy tree guarantees. *Ties to possible* chooses, among equally good guesses, one
that may be the secret. *Re-optimized* (in the picture: weighed anew) is the best mixture of the last 400 trees of that
run. Regret matching+ plays against planned trees; its curve is the plain average of its steps, and at the end its trees
are re-optimized. The exact solver was stopped early; it is for small games, so it is not used for five letters.
"""

_NOTE_ON_BOARDS = """\
Expected guesses, exact: hiders maximize, guessers minimize. A guesser's worst case is its guarantee. A hider's worst
case lies between a lower bound on what any guesser needs and the best response found.
"""


def _board(board: Leaderboard) -> str:
    body = []
    for hider, row, lower, found in zip(board.hiders, board.payoffs, board.lowers, board.found, strict=True):
        worst = f"{float(lower.value):.3f} to {float(found):.3f}"
        body.append([hider, *(f"{float(value):.3f}" for value in row), worst])
    body.append(["**worst case**", *(f"**{float(value):.3f}**" for value in board.guarantees), ""])
    head = ["hider \\ guesser", *board.guessers, "hider's worst case"]
    return f"### {board.game.name}\n\n{_markdown(head, body)}"


def shown_games() -> list[str]:
    """Return the games of the README's table: of code games only those that most people know."""
    return [name for name in SHIPPED_GAMES if name not in CODE_GAMES or name in EVERYDAY.values()]


def strategies_table() -> str:
    """Return the README's table of shipped strategies."""
    body = []
    for name in shown_games():
        shipped = load(name)
        estimate = f"{paper_rows()[int(name.removeprefix('jotto-'))]['self_play']:.3f}" if name in JOTTO_GAMES else ""
        gap = shipped.guarantee - shipped.lower
        body.append(
            [
                name,
                estimate,
                f"**{float(shipped.guarantee):.4f}**",
                f"{float(shipped.lower):.4f} ({shipped.best_bound.hider} hider)",
                "settled" if gap == 0 else f"{float(gap):.3f}",
            ]
        )
    return _markdown(
        ["game", "the paper's estimate", "our guarantee (proved upper bound)", "recorded lower bound", "gap"], body
    )


def with_table(text: str, mark: str, table: str) -> str:
    """Return a page with a table between two marks."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->\n"
    before, rest = text.split(begin)
    return f"{before}{begin}{table}{end}{rest.split(end)[1]}"


def write_tables(out: Path) -> None:
    """Write the tables of the README and of the page on the race again, if they are there, from the package's data."""
    races = blind_races([load_race(name) for name in race_games()])
    for page, mark, table in (
        (out.parent / "README.md", "strategies", strategies_table()),
        (out / "race.md", "races", races),
    ):
        if page.exists():
            page.write_text(with_table(page.read_text(encoding="utf-8"), mark, table), encoding="utf-8")


def _race(rows: list[dict[str, Any]]) -> str:
    body = [
        [row["game"], row["solver"], f"{row['steps']:,}", f"{row['seconds']:.0f}", f"{row['points'][-1][1]:.4f}"]
        for row in rows
    ]
    return _markdown(["game", "solver", "steps", "seconds", "guarantee"], body)


SOLVERS = {
    "fictitious play": ("#0072b2", "-"),
    "fictitious play, ties to possible": ("#009e73", "-"),
    "fictitious play, re-optimized": ("#009e73", ":"),
    "regret matching+": ("#882255", "-"),
    "exact": ("#d05000", "--"),
}
"""The colour and the pattern of the line of each way to solve."""

OTHER_SOLVERS = (("#6b6b6b", "-."), ("#000000", ":"))
"""Colours and patterns for what `SOLVERS` does not name, in turn."""


def of_solver(name: str, others: list[str]) -> tuple[str, str]:
    """Return the colour and the pattern of a solver's line; `others` are all names that may have none of their own."""
    if name in SOLVERS:
        return SOLVERS[name]
    unknown = [other for other in others if other not in SOLVERS]
    return OTHER_SOLVERS[unknown.index(name) % len(OTHER_SOLVERS)]


def draw_race(rows: list[dict[str, Any]], out: Path) -> Path:
    """Draw the guarantee over time for each solver, a panel for each game, and return the picture's path."""
    path = out / "race.png"
    race_figure(rows).savefig(path, dpi=130)
    return path


def race_figure(rows: list[dict[str, Any]]) -> Figure:
    """Return the picture of a race: a guarantee holds from the moment it was reached, and the dot is where it ended."""
    games = sorted({row["game"] for row in rows})
    titles = list(dict.fromkeys(row["solver"] for row in rows))
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    handles = {}
    for axes, name in zip(figure.subplots(1, len(games), squeeze=False)[0], games, strict=True):
        shown = [row for row in rows if row["game"] == name]
        for row in shown:
            seconds, guarantees = zip(*row["points"], strict=True)
            colour, pattern = of_solver(row["solver"], titles)
            style = {"color": colour, "linestyle": pattern, "drawstyle": "steps-post", "label": row["solver"]}
            if len(seconds) == 1:  # no race but a single result
                style |= {"linestyle": "none", "marker": "x", "markersize": 7}
            (handles[row["solver"]],) = axes.plot(seconds, guarantees, **style)
            if len(seconds) > 1:
                axes.plot(seconds[-1], guarantees[-1], "o", color=colour, markersize=5, gid="end")
        from_zero_across(axes, "seconds of solving", 0.1, max(row["points"][-1][0] for row in shown))
        values_up(axes, [value for row in shown for _, value in row["points"]])
        axes.set(ylabel="guarantee (expected guesses)", title=name)
    legend = [handles[title] for title in titles]
    figure.legend(legend, titles, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _made(shipped: list[Shipped]) -> str:
    body = []
    for strategy in shipped:
        made_by = {key: value for key, value in strategy.made_by.items() if not isinstance(value, dict)}
        how = ", ".join(f"{key} {value}" for key, value in made_by.items())
        body.append([strategy.game.name, f"{len(strategy.guesser.oracles):,}", how])
    return _markdown(["game", "trees", "made by"], body)


def _markdown(head: list[str], body: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the page and print its path; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the page of results from the runs.")
    parser.add_argument("--runs", type=Path, default=Path("runs"), metavar="DIR", help="the runs [runs]")
    parser.add_argument("--out", type=Path, default=Path("docs"), metavar="DIR", help="where to write [docs]")
    parser.add_argument("--only", nargs="+", default=[], metavar="TITLE", help="write only these sections")
    given = parser.parse_args(arguments)
    try:
        with SolvingDisplay() as display:
            line = display.add("results")
            line("reading the runs")
            print(write_results(given.runs, given.out, line, given.only))
        write_tables(given.out)
    except OracularError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
