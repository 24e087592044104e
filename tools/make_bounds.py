"""Prove lower bounds of shipped strategies by the uniform hider, and write what is proved into their files.

The bounds of openings are kept in runs/bounds while they are raised, so it goes on where it was stopped, and a bound
only ever rises. With `--target` every opening is asked for so much and no more. What is written into the package: the
bound of every opening with how many guesses deep it was searched, the least of them as the lower bound, and what it
took to prove them. What an earlier call has kept is taken as it is: `oracular verify` proves all of it again.

With `--published` nothing is searched. What `oracular published --write` has proved and recorded against the uniform
hider (docs/published.json) is written into the package, with the command that proves it again.

    python tools/make_bounds.py jotto-3 --target 6.65
    python tools/make_bounds.py jotto-4 jotto-5 --seconds 3600
    python tools/make_bounds.py wordle bulls-4x10 --published
"""

from __future__ import annotations

import argparse
import importlib.resources
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import oracular
from oracular.cli.output import SolvingDisplay
from oracular.report.published import ROWS
from oracular.search.best_response import start_for_mean
from oracular.search.lower_bound import LowerBound, ThreadSearcher, add_from_file, write_bounds
from oracular.search.openings import OpeningBound, warm_up
from oracular.search.trees import search_threads
from oracular.strategies.hider import hider_uniform
from oracular.strategies.shipped import ENDING, HiderBound, Shipped, write_strategies
from oracular.system import files
from oracular.system.control import UNLIMITED, Deadline, interrupts

SECONDS_BETWEEN_SAVES = 60.0

PUBLISHED = Path(__file__).resolve().parent.parent / "docs" / "published.json"
"""What `oracular published --write` has recorded."""


@dataclass
class Proof:
    """A lower bound in the making, and where it is kept."""

    strategies: Shipped
    folder: Path
    bound: LowerBound = field(init=False)
    core_seconds: float = 0.0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.bound = LowerBound(hider_uniform(self.strategies.game))
        known = recorded_of_uniform(self.strategies)
        if known is not None and known.effort:  # an earlier search had other bounds to as many plies
            self.bound.add_recorded({row[0]: OpeningBound(row[1], row[0], row[2]) for row in known.proof})
        add_from_file(self.bound, self.path)
        if self.effort.exists():
            self.core_seconds = float(json.loads(self.effort.read_text(encoding="utf-8"))["core_seconds"])
        self.bound.add_tree(self._best_known())

    @property
    def path(self) -> Path:
        """Where the bounds of openings are kept."""
        return self.folder / "bounds.json"

    @property
    def effort(self) -> Path:
        """Where it is kept how long the proof took."""
        return self.folder / "effort.json"

    def _best_known(self) -> int:
        """Return the total of the best tree known, which is planned for once."""
        kept = self.folder / "tree.json"
        if not kept.exists():
            hider = self.bound.hider
            depths = start_for_mean(hider, UNLIMITED).depths()
            files.write_whole(kept, json.dumps({"total": int(hider.weights @ depths)}).encode())
        return int(json.loads(kept.read_text(encoding="utf-8"))["total"])

    def save(self) -> None:
        """Keep what is proved so far."""
        write_bounds(self.path, self.bound.hider, self.bound.openings)
        files.write_whole(self.effort, json.dumps({"core_seconds": round(self.core_seconds, 1)}).encode())

    def raise_bound(
        self, threads: int, deadline: Deadline, stop: Callable[[], bool], tell: Callable[[str], None]
    ) -> None:
        """Raise the bound until the deadline or the target, saving now and then."""
        saved = time.monotonic()
        before = self.core_seconds - time.process_time()

        def progress(bound: LowerBound) -> None:
            nonlocal saved
            now = time.monotonic()
            self.core_seconds = before + time.process_time()
            left = sum(known.bound < bound.target for known in bound.openings.values())
            tell(
                f"{float(bound.value):.4f} ≤ value, {bound.game.guesses[bound.weakest.opening]}; {left:,} openings left"
            )
            if now - saved > SECONDS_BETWEEN_SAVES:
                saved = now
                self.save()

        self.bound.by_two_guesses(None, threads, deadline, stop, progress)
        self.bound.improve(ThreadSearcher(self.bound.hider, threads), deadline, stop, progress)
        self.save()

    def written(self, command: str) -> Shipped:
        """Return the strategies with what is proved now."""
        rows = [[known.opening, known.bound, known.plies] for known in self.bound.openings.values()]
        effort = {"command": command, "device": "CPU", "core_seconds": round(self.core_seconds)}
        return self.strategies.with_bound(HiderBound(self.bound.value, "uniform", sorted(rows), effort))


def recorded_of_uniform(strategies: Shipped) -> HiderBound | None:
    """Return the lower bound that is recorded of the uniform hider, or None."""
    return next((bound for bound in strategies.lower_bounds if bound.hider == "uniform"), None)


def published_bound(name: str) -> HiderBound:
    """Return what docs/published.json records of the uniform hider of a game, and how to prove it again."""
    row = next(row for row in ROWS if row.name == f"{name}-mean")
    figure = json.loads(PUBLISHED.read_text(encoding="utf-8"))[row.name]
    seconds = round(figure["seconds"] * figure["cores"])
    effort = {"command": row.command, "device": "CPU", "core_seconds": seconds}
    return HiderBound(Fraction(figure["lower"]), "uniform", effort=effort)


def write_better(strategies: Shipped, better: Shipped, data: Path) -> None:
    """Write strategies with a new bound of the uniform hider if it is better than the one that was recorded."""
    known, new = recorded_of_uniform(strategies), recorded_of_uniform(better)
    if new is not None and (known is None or new.value > known.value):
        write_strategies(data / f"{strategies.game.name}{ENDING}", better)


def main() -> None:
    """Raise the bounds of the games that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--target", help="the lower bound that is asked for, in guesses: 6.7 or 2821/421")
    parser.add_argument("--seconds", type=int, help="how long to work on each game at most")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--runs", type=Path, default=Path("runs/bounds"))
    parser.add_argument("--published", action="store_true", help="only write what docs/published.json records")
    arguments = parser.parse_args()
    data = Path(str(importlib.resources.files("oracular.strategies.data")))
    threads = search_threads(arguments.threads)
    with SolvingDisplay() as display, interrupts() as pressed:
        for name in arguments.games:
            line = display.add(name)
            line("loading compiled code (the first time: compiling it)")
            strategies = oracular.load(name)
            if arguments.published:
                known = published_bound(name)
                write_better(strategies, strategies.with_bound(known), data)
                line.done(f"{float(known.value):.4f} ≤ value, by {known.effort['command']}")
                continue
            proof = Proof(strategies, arguments.runs / name)
            warm_up(proof.bound.hider)
            if arguments.target is not None:
                proof.bound.target = math.ceil(Fraction(arguments.target) * proof.bound.hider.total)
            proof.raise_bound(threads, Deadline.after(arguments.seconds), pressed, line)
            options = {"--target": arguments.target, "--seconds": arguments.seconds}
            given = "".join(f" {option} {value}" for option, value in options.items() if value is not None)
            write_better(strategies, proof.written(f"python tools/make_bounds.py {name}{given}"), data)
            line.done(f"{float(proof.bound.value):.4f} ≤ value, {proof.core_seconds:,.0f} core seconds")
            if pressed():
                break


if __name__ == "__main__":
    main()
