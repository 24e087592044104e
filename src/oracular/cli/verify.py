"""`oracular verify`: runs, searches, bounds, certificates, strategies, proved again from the game's table alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from oracular.cli.objectives import bound_names, described_objective, measured
from oracular.cli.output import (
    Interrupted,
    described,
    json_option,
    lists_given,
    lists_options,
    print_next,
    print_result,
    progress_line,
)
from oracular.system.counting import counted

if TYPE_CHECKING:
    from oracular.runs.verify import Verification


@click.command(
    epilog="Example: oracular verify runs/mine, or oracular verify jotto-5 --time 60, or oracular verify "
    "docs/certificates/jotto-2.json"
)
@click.argument("target", metavar="RUN|FILE|GAME")
@click.option(
    "--time",
    "seconds",
    type=float,
    metavar="SECONDS",
    help="Stop after so many seconds [default: when all is proved again].",
)
@click.option(
    "--threads",
    type=int,
    metavar="N",
    help="Openings searched at a time [default: as many as there are cores and memory for].",
)
@lists_options
@json_option
def verify(target: str, seconds: float | None, threads: int | None, as_json: bool, **lists: Path | None) -> None:
    """Prove again what a run, a search or a file says.

    RUN is a run's folder, of any solver; its bounds and its certificate are checked with it. It may also be the folder
    of a search over all openings (respond --out), of which every opening is proved again. FILE is a certificate, a file
    of bounds in its folder, or a .strategy file. GAME is a game whose strategies come with the package.

    A guarantee is worked out from the trees, a lower bound by exact search. What is not proved again in the time given
    is called recorded, with how much of it was re-checked. Anything that is false is an error with exit code 2.
    """
    from oracular.runs.limits import interrupts
    from oracular.runs.verify import verify as prove_again

    with progress_line("verify") as line, interrupts() as interrupted:
        result = prove_again(
            target, lists=lists, threads=threads, time_limit=seconds, stop=interrupted, progress=line.note
        )
        stopped = interrupted() and not result.proved
    lower, upper, guarantee, objective = result.lower, result.upper, result.guarantee, result.objective
    guaranteed, other = bound_names(objective)
    checks = {}
    pairs = {"game": described(result.game), "kind": f"{result.kind}: {target}"}
    if not objective.is_mean:
        pairs["objective"] = described_objective(objective)
    if guarantee is not None:
        checks[guaranteed.removesuffix(" bound")] = guarantee.as_data()
        trees = counted(guarantee.of, "tree")
        pairs[guaranteed] = f"{measured(guarantee.value, objective, 6)}, from {trees} ({guarantee.words})"
    whose = {"run": "the run's", "uniform": "the uniform", "shipped": "the shipped", "given": "the given"}
    for hider, check in result.bounds.items():
        checks[f"{other.removesuffix(' bound')}, {hider} hider"] = check.as_data()
        name = other if len(result.bounds) == 1 else f"{other}, {hider}"
        pairs[name] = f"{measured(check.value, objective, 6)} against {whose[hider]} hider ({check.words})"
    data = {
        "kind": result.kind,
        "game": result.game.name,
        "words_sha256": result.game.words_sha256,
        "objective": objective.name,
        "lower": None if lower is None else str(lower.value),
        "upper": None if upper is None else str(upper.value),
        "proved": result.settled,
        "valid": True,
        "all_proved_again": result.proved,
        "checks": checks,
        "conclusion": result.conclusion,
    }
    print_result(as_json, data, {**pairs, "verified": result.conclusion})
    if stopped:
        raise Interrupted("what was re-checked by then holds")
    if result.kind == "run":
        print_next(as_json, "guess", target)
    elif result.kind == "search":
        _print_next_of_search(as_json, result, Path(target))
    else:
        print_next(as_json, "play", result.game.name, *lists_given(lists))


def _print_next_of_search(as_json: bool, result: Verification, target: Path) -> None:
    """Print the next step after a search was proved again, where its words and hider need no file of the user's."""
    name, folder = result.game.name, target if target.is_dir() else target.parent
    if result.game.own_lists:
        return
    if result.settled or not result.proved:
        print_next(as_json, "play", name)
    elif "uniform" in result.bounds:
        print_next(as_json, "respond", name, "--out", folder)
