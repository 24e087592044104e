"""Solve games for the chance within a few guesses, prove what can be proved, and record it for docs/results.md.

Each game is solved by the double oracle, and its own hider bounds what any guesser can do. The runs are kept, and gone
on with when this is run again. `make results` then writes the page.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import oracular
from oracular.cli.output import Line, SolvingDisplay
from oracular.errors import OracularError
from oracular.runs.certify import certify
from oracular.runs.folder import is_run

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "docs" / "chances.json"
SOLVER = "double-oracle"


def solved(game: str, guesses: int, given: argparse.Namespace, line: Line) -> dict[str, Any]:
    """Return what is recorded of a game that is solved within so many guesses, as plain data."""
    folder, objective = given.runs / f"{game}-within-{guesses}", f"within-{guesses}"
    line("loading compiled code (the first time: compiling it)")
    solution = oracular.solve(
        game,
        solver=SOLVER,
        objective=objective,
        iterations=given.iterations,
        time_limit=given.seconds if given.iterations is None else None,
        out=folder,
        resume=is_run(folder),
        progress=line,
    )
    line("proving a bound")
    bounds = certify(folder, hider="run", time_limit=given.proof)
    line.done(f"from {float(bounds.lower):.4f} to {float(bounds.upper):.4f}")
    return {
        "game": game,
        "objective": objective,
        "lower": str(bounds.lower),
        "upper": str(bounds.upper),
        "steps": solution.iterations + 1,
        "seconds": round(solution.seconds),
        "proof_seconds": round(bounds.seconds),
        "date": datetime.now(UTC).date().isoformat(),
    }


def record(row: dict[str, Any], path: Path) -> None:
    """Write a row into the file of what is recorded, in the place of one of the same game and objective.

    Both hold, so where an earlier one has a better bound, it is kept with how it was found.
    """
    rows = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    kept = {(known["game"], known["objective"]): known for known in rows}
    before = kept.get((row["game"], row["objective"]), row)
    if Fraction(before["lower"]) > Fraction(row["lower"]):
        row |= {name: before[name] for name in ("lower", "steps", "seconds")}
    if Fraction(before["upper"]) < Fraction(row["upper"]):
        row |= {name: before[name] for name in ("upper", "proof_seconds")}
    kept[row["game"], row["objective"]] = row
    path.write_text(json.dumps([kept[key] for key in sorted(kept)], indent=2) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Solve the games that are asked for, and record what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["wordle"])
    parser.add_argument("--within", nargs="+", type=int, default=[3, 4], metavar="K", help="guesses [3 4]")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each run [600]")
    parser.add_argument("--iterations", type=int, metavar="T", help="stop after iteration T, not after seconds")
    parser.add_argument("--proof", type=float, default=600.0, help="seconds for each proof [600]")
    parser.add_argument("--runs", type=Path, default=Path("runs/chances"))
    parser.add_argument("--out", type=Path, default=RECORDED, help="the file to write [docs/chances.json]")
    given = parser.parse_args(arguments)
    with SolvingDisplay() as display:
        for game in given.games:
            for guesses in given.within:
                line = display.add(f"{game} within {guesses}")
                try:
                    row = solved(game, guesses, given, line)
                except OracularError as error:
                    parser.error(str(error))
                record(row, given.out)


if __name__ == "__main__":
    main()
