"""Files of every format that the package reads, small and whole, and the commands that read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import oracular
from oracular.objectives import table

WORDS = "ace act aid arc bad bed bid cab cat cod dab doc fab fib fox".split()


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        make: writes a sample into an empty folder.
        commands: the command lines that read it, given the folder.
        value: the value of the sample's game, where it is not the game of 15 words.
    """

    make: Callable[[Path], None]
    commands: Callable[[Path], list[list[str]]]
    value: Fraction | None = None


def small_game(folder: Path) -> oracular.Game:
    """Return a game of 15 words of one's own, whose list lies beside the sample."""
    path = folder.parent / "own.txt"
    path.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return oracular.game("jotto-3", words=WORDS)


UTILITIES = {"ace": [2, 1], "others": [1, "1/3", 0.25]}


def _run(solver: str, steps: int, utilities: dict[str, list[Any]] | None = None) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        settings = {"room": 4096} if solver == "regret-matching" else {}
        game = small_game(folder)
        objective = None if utilities is None else table(utilities, game)
        oracular.solve(game, solver=solver, objective=objective, iterations=steps, out=folder, settings=settings)

    return make


def _reading_of_a_run(folder: Path) -> list[list[str]]:
    path = str(folder)
    return [
        ["evaluate", path, "--json"],
        ["verify", path, "--json"],
        ["guess", path, "ace:1", "--game-seed", "1"],
        ["solve", "jotto-3", "--words", str(folder / "words.txt"), "--out", path, "--resume", "--iterations", "9"],
    ]


def _bounds(folder: Path) -> None:
    from oracular import certify

    _run("fictitious-play", 3)(folder)
    certify(folder, time_limit=60.0, threads=1)  # it is done long before


def _certificate(folder: Path) -> None:
    whole = folder.parent / "whole"
    _run("exact", 50)(whole)
    folder.mkdir()
    (folder / "certificate.json").write_bytes((whole / "certificate.json").read_bytes())


def _strategy(folder: Path) -> None:
    folder.mkdir()
    shipped = Path(oracular.__file__).parent / "strategies" / "data" / "jotto-2.strategy"
    (folder / "jotto-2.strategy").write_bytes(shipped.read_bytes())


def _texts(folder: Path) -> None:
    folder.mkdir()
    (folder / "words.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    (folder / "hider.txt").write_text("3 " * len(WORDS), encoding="utf-8")
    (folder / "objective.json").write_text(json.dumps({"utilities": UTILITIES}), encoding="utf-8")
    (folder / "history.txt").write_text("ace:1 bid:0", encoding="utf-8")


def _reading_of_texts(folder: Path) -> list[list[str]]:
    words = str(folder / "words.txt")
    history = (folder / "history.txt").read_bytes().decode("utf-8", "surrogateescape")
    return [
        ["show", "jotto-3", "--words", words],
        ["suggest", "jotto-3", history, "--words", words],
        ["respond", "jotto-3", "--words", words, "--hider", str(folder / "hider.txt"), "--states", "50"],
        ["respond", "jotto-3", "--words", words, "--objective", str(folder / "objective.json"), "--states", "50"],
    ]


FORMATS = {
    "fictitious-play run": Format(_run("fictitious-play", 6), _reading_of_a_run),
    "regret-matching run": Format(_run("regret-matching", 6), _reading_of_a_run),
    "exact run": Format(_run("exact", 3), _reading_of_a_run),
    "regret-matching run for a table": Format(_run("regret-matching", 6, UTILITIES), _reading_of_a_run),
    "exact run for a table": Format(_run("exact", 3, UTILITIES), _reading_of_a_run),
    "bounds": Format(
        _bounds, lambda folder: [["certify", str(folder), "--time", "0.1", "--json"], ["verify", str(folder), "--json"]]
    ),
    "certificate": Format(
        _certificate,
        lambda folder: [
            ["verify", str(folder / "certificate.json"), "--words", str(folder.parent.parent / "own.txt"), "--json"]
        ],
    ),
    "strategy": Format(
        _strategy,
        lambda folder: [["verify", str(folder / "jotto-2.strategy"), "--json"]],
        Fraction(60882015, 10367053),
    ),
    "texts": Format(_texts, _reading_of_texts),
}
