"""`oracular respond GAME`: the guesser's best response to a hider, proved."""

from __future__ import annotations

from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from oracular.cli.arguments import bound_names, described_objective, measured, named_hider, objective_option
from oracular.cli.output import (
    Interrupted,
    cluster_options,
    command_line,
    connected,
    json_option,
    lists_given,
    lists_options,
    path_option,
    print_next,
    print_of_game,
    progress_line,
    proof_data,
    proof_option,
    proof_pairs,
)
from oracular.system.files import counted

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.objectives import Objective
    from oracular.runs.whole_response import WholeResponse
    from oracular.search.best_response import BestResponse
    from oracular.search.proofs import WrittenProof
    from oracular.search.trees import SearchProgress
    from oracular.strategies.hider import Hider
    from oracular.system.control import Control


@click.command(epilog="Example: oracular respond mastermind-4x6 --hider uniform --exact --time 60")
@click.argument("game_name", metavar="GAME")
@click.option(
    "--hider",
    default="uniform",
    metavar="uniform|FILE|RUN",
    help="The opponent: the uniform hider, a file of one whole number a secret, or a run's [default: uniform].",
)
@click.option(
    "--opening",
    metavar="WORD[,WORD…]",
    help="Compare only trees that begin with this guess, or with these, one after the other [default: any guess].",
)
@click.option(
    "--exact/--greedy", default=True, help="Search for the best tree, or take the greedy one [default: exact]."
)
@click.option(
    "--time",
    "seconds",
    type=float,
    metavar="SECONDS",
    help="Stop after this many seconds [default: when it is proved].",
)
@click.option(
    "--states",
    type=int,
    metavar="N",
    help="Stop after this many states; the result is then always the same.",
)
@path_option("--out", "FOLDER", "Search opening by opening and keep what is proved here: the same command goes on.")
@click.option(
    "--threads",
    type=int,
    metavar="N",
    help="Threads: with --opening parts of it, with --out openings searched at a time [default: one for each core].",
)
@objective_option
@proof_option
@cluster_options
@lists_options
@json_option
def respond(
    game_name: str,
    hider: str,
    opening: str | None,
    objective: str | None,
    exact: bool,
    seconds: float | None,
    states: int | None,
    out: Path | None,
    threads: int | None,
    proof: Path | None,
    cluster: str | None,
    workers: int | None,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Find the guesser's best response, with proof.

    Stopped early, it gives the best tree found and a proved bound on what any tree can do. With --objective worst the
    tree needs the fewest guesses for its worst secret, whether or not the hider ever hides it, and of such trees the
    fewest on average. With --opening it is the best of the trees that begin with that guess, or with those guesses
    whatever the answers, which is proved far sooner than the best of all. With --out each opening is asked whether it
    can begin a better tree than the best known, what is proved is kept, and Ctrl-C loses nothing. With --proof the
    result is written to a file that a short program checks independently (docs/verify.md); nothing is written if it
    cannot be proved.
    """
    import oracular
    from oracular.runs.folder import Run, is_run
    from oracular.system.control import Control, interrupts

    _check_together(cluster, opening, states, exact, out)
    game = oracular.game(game_name, **lists)
    weights = named_hider(game, hider)
    if objective is None and is_run(Path(hider)):  # a run knows its objective
        chosen = Run.open(Path(hider), with_history=False).objective(game)
    else:
        chosen = oracular.objective("mean" if objective is None else objective, game)
    _check_proof(proof, chosen, cluster, exact, out, opening)
    if cluster is not None and not chosen.is_mean:
        raise click.UsageError("a cluster searches for the mean alone: leave out --cluster, or give --objective mean")
    if out is not None and not chosen.is_mean:
        raise click.UsageError("a search that is kept is for the mean: leave out --out, or give --objective mean")
    if (out, cluster, workers) != (None, None, None):
        words = lists_given(lists)
        with connected(cluster, workers) as connection:
            _respond_by_openings(weights, hider, out, seconds, threads, connection, as_json, words)
        return
    with progress_line(game.name) as line, interrupts() as interrupted:
        response = oracular.best_response(
            game,
            weights,
            opening=None if opening is None else opening.split(","),
            objective=chosen,
            exact=exact,
            threads=threads,
            time_limit=seconds,
            node_limit=states,
            watcher=lambda search: line(_stands(search)),
            stop=interrupted,
        )
        written = _written_proof(proof, response, Control(cancelled=interrupted, on_report=line))
        stopped = interrupted()
    openings = response.opening or [response.tree.guess(game.all_secrets)]
    first = ",".join(game.guesses[guess] for guess in openings)
    total = response.hider.total
    best = "a best response" if opening is None else f"the best that begins with {first}"
    most = int(response.tree.depths().max())
    mean = {"mean": str(response.mean), "mean_lower": str(response.mean_lower)} if chosen.is_worst else {}
    sequence = len(response.opening) > 1 and chosen.is_mean and game.guessing.is_any
    data = {
        "hider": hider,
        "objective": chosen.name,
        "lower": str(response.lower),
        "upper": str(response.upper),
        "proved": response.proved,
        "cluster": None,
        "opening": first,
        "opening_given": opening is not None,
        "most_guesses": most,
        **mean,
        **({"left_out": response.left_out} if sequence else {}),
        "states": response.states,
        "openings_searched": response.openings,
        "total_weight": total,
        **proof_data(written, proof),
    }
    searched = ("openings", response.openings) if response.openings else ("states", response.states)
    pairs = {
        "hider": f"{hider}, weights that add up to {total:,}",
        **({} if chosen.is_mean else {"objective": described_objective(chosen)}),
        **_figures(response),
        "proved": f"yes: the tree is {best}" if response.proved else "no: the truth lies between",
        "opening": first if opening is None else f"{first}, as asked",
        **({"every guess made": _all_made(response)} if sequence else {}),
        "most guesses": f"{most}, whichever the secret",
        f"{searched[0]} searched": f"{searched[1]:,}",
        **proof_pairs(written, proof),
    }
    print_of_game(as_json, game, data, pairs)
    if stopped:
        raise Interrupted(f"what was found by then holds{'' if proof is None else ', but no proof was written'}")
    if proof is not None:
        print_next(as_json, "verify", proof)
        return
    own = ["--hider", hider, *([] if opening is None else ["--opening", opening])]
    own += [*([] if objective is None else ["--objective", objective]), *lists_given(lists)]
    if not exact:
        print_next(as_json, "respond", game_name, *own, "--exact", "--time", "60")
    elif hider == "uniform" or not is_run(Path(hider)):
        print_next(as_json, "play", game_name, *lists_given(lists))
    else:
        print_next(as_json, "evaluate", hider)


def _check_together(
    cluster: str | None, opening: str | None, states: int | None, exact: bool, out: Path | None
) -> None:
    """Raise an error where options are given that do not go together."""
    if cluster is not None and (states is not None or not exact):
        raise click.UsageError(
            "a cluster searches exactly, and until it is proved or the time is up: leave out "
            f"{'--states' if states is not None else '--greedy'}"
        )
    if cluster is not None and opening is not None:
        raise click.UsageError("one opening is searched on this machine alone: leave out --cluster")
    if out is not None and (states is not None or opening is not None or not exact):
        wrong = "--states" if states is not None else "--opening" if opening is not None else "--greedy"
        raise click.UsageError(f"a search that is kept is exact and over all openings: leave out --out or {wrong}")


def _check_proof(
    path: Path | None, objective: Objective, cluster: str | None, exact: bool, out: Path | None, opening: str | None
) -> None:
    """Raise an error if a proof cannot be written, before the search."""
    if path is None:
        return
    if cluster is not None or out is not None or not exact:
        wrong = "--cluster" if cluster is not None else "--out" if out is not None else "--greedy"
        raise click.UsageError(f"a proof is written after an exact search on this machine: leave out {wrong}")
    if opening is not None and "," in opening:
        raise click.UsageError("a proof file has an opening of one guess at most: leave out --proof, or give one guess")
    from oracular.search.proofs import check_path, check_provable

    check_provable(objective)
    check_path(path)


def _written_proof(path: Path | None, response: BestResponse, control: Control[str]) -> WrittenProof | None:
    """Return the proof that was written, or None if none was asked for or it was interrupted."""
    if path is None or control.cancelled():
        return None
    from oracular.search.proofs import write_proof
    from oracular.system.control import Stopped

    losses = sorted(response.objective.loss(bound) for bound in (response.lower, response.upper))
    try:
        return write_proof(
            path, response.hider, response.objective, (losses[0], losses[1]), [response.tree],
            opening=response.opening[0] if response.opening else None, control=control,
        )  # fmt: skip
    except Stopped:
        return None


def _stands(search: SearchProgress) -> str:
    """Return where a search stands, in words."""
    work = counted(search.openings, "opening") if search.openings else counted(search.states, "state")
    return f"{search.lower:.4f} ≤ best ≤ {search.upper:.4f}, {work}"


def _figures(response: BestResponse) -> dict[str, str]:
    """Return what the best tree found is worth, and the bound on any tree, in words."""
    objective, total = response.objective, response.hider.total
    tree, bound = (response.upper, response.lower) if objective.less_is_better else (response.lower, response.upper)
    _, name = bound_names(objective)
    if objective.is_mean:
        texts = {at: f"{float(at):.6f} expected guesses = {at * total} in all" for at in (tree, bound)}
    else:
        texts = {at: measured(at, objective, 6) for at in (tree, bound)}
    figures = {name: f"{texts[bound]} (proved)", "best tree": f"{texts[tree]} (exact)"}
    if response.mean is not None and response.mean_lower is not None:
        least = "" if response.mean == response.mean_lower else f", none below {float(response.mean_lower):.6f}: proved"
        figures["mean"] = f"{float(response.mean):.6f} expected guesses = {response.mean * total} in all (exact{least})"
    return figures


def _all_made(response: BestResponse) -> str:
    """Return what the tree would need if it made the guesses of its opening even where they eliminate nothing."""
    guesses = response.upper + Fraction(response.left_out, response.hider.total)
    return f"{float(guesses):.6f} expected guesses = {guesses * response.hider.total} in all, with those left out too"


def _respond_by_openings(
    hider: Hider,
    named: str,
    out: Path | None,
    seconds: float | None,
    threads: int | None,
    cluster: Cluster | None,
    as_json: bool,
    lists: list[str],
) -> None:
    """Search for the best response opening by opening, and print its bounds.

    Args:
        hider: the opponent.
        named: how the hider was given.
        out: the folder in which the search is kept; None for none.
        seconds: how long to search; None for as long as it takes.
        threads: how many openings to search at a time, if it is given.
        cluster: the workers that search, if there are any.
        as_json: whether to print JSON.
        lists: the options for the user's own word lists, as they were given.
    """
    from oracular.runs.whole_response import whole_response
    from oracular.system.control import interrupts

    game, total = hider.game, hider.total
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="oracular-"))) if out is None else out
        line, interrupted = stack.enter_context(progress_line(game.name)), stack.enter_context(interrupts())

        def progress(at: WholeResponse) -> None:
            refuted = f"{at.refuted:,} of {at.openings:,} openings refuted"
            line(f"{float(at.lower):.4f} ≤ best ≤ {float(at.upper):.4f}, {refuted}")

        found = whole_response(
            hider,
            folder,
            threads=threads,
            cluster=cluster,
            time_limit=seconds,
            stop=interrupted,
            progress=progress,
        )
    reported = None if cluster is None else cluster.reported
    first = game.guesses[found.tree.guess(game.all_secrets)]
    most = int(found.tree.depths().max())
    words = reported or found.lower_check.words
    data = {
        "hider": named,
        "objective": "mean",
        "lower": str(found.lower),
        "upper": str(found.upper),
        "proved": found.proved and reported is None,
        "lower_is": words,
        "cluster": None if cluster is None else cluster.trust,
        "opening": first,
        "opening_given": False,
        "most_guesses": most,
        "openings": found.openings,
        "refuted": found.refuted,
        "stopped": found.stopped,
        "seconds": found.seconds,
        "total_weight": total,
    }
    if found.lower != found.upper:
        verdict = "no: the truth lies between"
    elif data["proved"]:
        verdict = "yes: the tree is a best response"
    else:
        verdict = f"not by this call alone: that the tree is a best response is {words}"
    pairs = {
        "hider": f"{named}, weights that add up to {total:,}",
        "lower bound": f"{float(found.lower):.6f} expected guesses = {found.lower * total} in all ({words})",
        "best tree": f"{float(found.upper):.6f} expected guesses = {found.upper * total} in all (exact)",
        "proved": verdict,
        "opening": first,
        "most guesses": f"{most}, whichever the secret",
        "openings": f"{found.refuted:,} of {found.openings:,} begin no better tree",
    }
    print_of_game(as_json, game, data, pairs)
    again = ["respond", game.name, "--hider", named, *([] if out is None else ["--out", str(out)]), *lists]
    if found.stopped == "interrupted":
        kept = f"what is proved is kept, go on with: {command_line(*again)}"
        raise Interrupted("what was found by then holds" if out is None else kept)
    if found.stopped != "finished" and out is not None:
        print_next(as_json, *again)
    elif data["proved"] or out is None:
        print_next(as_json, "play", game.name, *lists)
    else:
        print_next(as_json, "verify", out)
