"""`oracular respond GAME --out FOLDER`: a search over all openings that can be resumed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oracular.cli.output import Interrupted, command_line, connected, print_next, print_of_game, progress_line

if TYPE_CHECKING:
    from oracular.runs.whole_response import WholeResponse
    from oracular.strategies.hider import Hider


def respond_in_folder(
    hider: Hider,
    named: str,
    folder: Path,
    seconds: float | None,
    threads: int | None,
    cluster: tuple[str | None, int | None],
    as_json: bool,
    again: list[str | Path],
    lists: list[str],
) -> None:
    """Search for the best response in a folder, and print what is known of it.

    Args:
        hider: whom to respond to.
        named: how the hider was given.
        folder: where the search is kept.
        seconds: how long to search; None for as long as it takes.
        threads: how many openings to search at a time, if it is given.
        cluster: the address of a cluster, and how many workers to start, where these are given.
        as_json: whether to print JSON.
        again: the words of the command that goes on from here.
        lists: the options for the user's own word lists, as they were given.
    """
    from oracular.runs.limits import interrupts
    from oracular.runs.whole_response import whole_response

    game, total = hider.game, hider.total
    with connected(*cluster) as connection, progress_line(game.name) as line, interrupts() as interrupted:

        def progress(at: WholeResponse) -> None:
            refuted = f"{at.refuted:,} of {at.openings:,} openings refuted"
            line.note(f"{float(at.lower):.4f} ≤ best ≤ {float(at.upper):.4f}, {refuted}")

        found = whole_response(
            hider,
            folder,
            threads=threads,
            cluster=connection,
            time_limit=seconds,
            stop=interrupted,
            progress=progress,
        )
    reported = None if connection is None else connection.reported
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
        "cluster": None if connection is None else connection.trust,
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
    if found.stopped == "interrupted":
        raise Interrupted(f"what is proved is kept, go on with: {command_line(*again)}")
    if found.stopped != "finished":
        print_next(as_json, *again)
    elif data["proved"]:
        print_next(as_json, "play", game.name, *lists)
    else:
        print_next(as_json, "verify", folder)
