"""`oracular certify RUN`, which proves bounds on the value, and `oracular verify`, which proves recorded ones again."""

from __future__ import annotations

import zipfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracular.cli.arguments import ExactNumber, bound_names, described_objective, measured
from oracular.cli.output import (
    Interrupted,
    cluster_options,
    command_line,
    connected,
    described,
    json_option,
    lists_given,
    lists_options,
    print_next,
    print_of_game,
    print_result,
    progress_line,
)
from oracular.errors import RunError
from oracular.system import files
from oracular.system.files import counted

if TYPE_CHECKING:
    from oracular.runs.certify import Bounds, WhichHider
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
    help="Stop after this many seconds [default: when all is proved again].",
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

    FILE may also be a proof, written with --proof by respond or solve. The independent checker checks all of it.
    """
    if is_proof(target):
        if seconds is not None or threads is not None or lists_given(lists):
            raise click.UsageError(
                "a proof file holds its words, and one thread checks all of it: leave out --time, --threads and word "
                "lists"
            )
        _check_proof(target, as_json)
        return
    from oracular.runs.verify import verify as prove_again
    from oracular.system.control import interrupts

    with progress_line("verify") as line, interrupts() as interrupted:
        result = prove_again(target, lists=lists, threads=threads, time_limit=seconds, stop=interrupted, progress=line)
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


def is_proof(target: str) -> bool:
    """Return whether this names a file that is packed as a proof is."""
    path = Path(target)
    if not files.is_file(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "header.npy" in archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def _check_proof(target: str, as_json: bool) -> None:
    """Check a proof file and print what it proves."""
    from oracular import checker

    with progress_line("verify", "checking the proof"):
        try:
            result = checker.check(target)
        except checker.Refused as error:
            raise RunError(f"{files.quoted(target)} proves nothing ({error}): write it again with --proof") from None
        except OSError as error:
            raise RunError(f"{files.quoted(target)} cannot be read ({error.strerror}): give a proof file") from None
    bounds: dict[str, Any] = {name: str(result[name]) for name in ("lower", "response", "guarantee") if name in result}
    data: dict[str, Any] = {
        "kind": "proof",
        "game": result["game"],
        "openings": result.get("openings"),
        "lemmas": result["lemmas"],
        "total_weight": result["unit"],
        **bounds,
        "valid": True,
    }
    print_result(as_json, data, {**checker.described(result), "verified": "every step of the proof was checked"})
    print_next(as_json, "games")


def _print_next_of_search(as_json: bool, result: Verification, target: Path) -> None:
    """Print the next step after a search was proved again, where its words and hider need no file of the user's."""
    name, folder = result.game.name, target if target.is_dir() else target.parent
    if result.game.own_lists:
        return
    if result.settled or not result.proved:
        print_next(as_json, "play", name)
    elif "uniform" in result.bounds:
        print_next(as_json, "respond", name, "--out", folder)


@click.command(epilog="Example: oracular certify runs/mine --time 600")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--time", "seconds", type=float, default=600.0, metavar="SECONDS", help="How long to search [default: 600]."
)
@click.option(
    "--target",
    type=ExactNumber(),
    metavar="GUESSES",
    help="Stop as soon as the lower bound reaches this value.",
)
@click.option(
    "--hider",
    type=click.Choice(["uniform", "run"]),
    default="uniform",
    show_default=True,
    help="Whose strategy gives the lower bound.",
)
@click.option(
    "--threads",
    type=int,
    metavar="N",
    help="Openings searched at a time [default: as many as there are cores and memory for].",
)
@cluster_options
@json_option
def certify(
    folder: Path,
    seconds: float,
    target: Fraction | None,
    hider: WhichHider,
    threads: int | None,
    cluster: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Prove bounds on the value of a run's game.

    The upper bound is the guarantee of the run's guesser. The lower bound is on what any guesser needs against a
    hider, proved by branch and bound. What is proved is kept in the run's folder: the next call goes on from there, and
    the bound only rises.

    A sample of what an earlier call kept is proved again, and the rest is called recorded; 'oracular verify RUN' proves
    all of it again.

    Of a run for another objective than the mean, the bound against the hider is that of one exact search, in that
    objective, and nothing of it is kept.
    """
    from oracular.runs.certify import certify as prove
    from oracular.search.openings import PROVED

    with connected(cluster, workers) as connection, progress_line("certify") as line:

        def progress(bounds: Bounds) -> None:
            line(
                f"{float(bounds.lower):.4f} ≤ value ≤ {float(bounds.upper):.4f}; weakest: {bounds.opening}, "
                f"{counted(bounds.plies or 0, 'guess', 'guesses')} deep"
            )

        bounds = prove(
            folder,
            hider=hider,
            threads=threads,
            cluster=connection,
            time_limit=seconds,
            target=target,
            progress=progress,
        )
    reported = None if connection is None else connection.reported
    bound_is, guarantee_is = reported or bounds.bound_check.words, bounds.guarantee_check.words
    objective = bounds.objective
    guaranteed, other = bound_names(objective)
    lower_is, upper_is = (bound_is, guarantee_is) if objective.less_is_better else (guarantee_is, bound_is)
    gap = float(bounds.upper - bounds.lower)
    data = {
        "objective": objective.name,
        "lower": str(bounds.lower),
        "upper": str(bounds.upper),
        "proved": bounds.proved and reported is None,
        "cluster": None if connection is None else connection.trust,
        "gap": gap,
        "hider": bounds.hider,
        "weakest_opening": bounds.opening if objective.is_mean else None,
        "plies": bounds.plies,
        "seconds": bounds.seconds,
        "lower_is": lower_is,
        "upper_is": upper_is,
        "stopped": bounds.stopped,
    }
    against = f"{measured(bounds.bound_check.value, objective, 6)} against the {bounds.hider} hider ({bound_is})"
    guarantee = f"{measured(bounds.guarantee_check.value, objective, 6)}, the guesser's guarantee ({guarantee_is})"
    pairs = {other: against, guaranteed: guarantee, "gap": f"{gap:.6f}"}
    if objective.is_mean:
        depth = "to the end" if bounds.plies == PROVED else f"{counted(bounds.plies or 0, 'guess', 'guesses')} deep"
        pairs["weakest"] = f"{bounds.opening}, searched {depth}"
    else:
        opening = f"{bounds.opening}, of the best tree"
        pairs = {"objective": described_objective(objective), **pairs, "opening": opening}
    if target is not None:
        pairs["target"] = f"{float(target):.6f}, {'reached' if bounds.lower >= target else 'not reached'}"
    print_of_game(as_json, bounds.game, data, pairs)
    given = [] if hider == "uniform" else ["--hider", hider]
    if bounds.stopped == "interrupted":
        again = command_line("certify", folder, *given)
        raise Interrupted(f"{'what is proved is kept, go on' if objective.is_mean else 'begin again'} with: {again}")
    if bounds.proved or bounds.stopped in ("finished", "target"):
        print_next(as_json, "verify", folder)
    else:
        print_next(as_json, "certify", folder, "--time", f"{seconds:g}", *given)  # goes on from here
