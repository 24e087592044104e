"""`oracular plot DIR`: a picture of a run."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.output import json_option, path_option, print_json, print_next


@click.command(epilog="Example: oracular plot runs/jotto-5-fictitious-play")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@path_option("--out", "FILE", "The picture: .png, .svg or .pdf [default: DIR/plot.png].")
@json_option
def plot(folder: Path, out: Path | None, as_json: bool) -> None:
    """Draw a picture of a run.

    It shows both epsilons, the guarantee and the self-play value over iterations, and where the hider's probability
    lies; of a run of the blind race what each player could gain, the first mover's chance, and what both hide.
    """
    import oracular
    from oracular.report.picture import draw_race, draw_run
    from oracular.runs.layout import PICTURE
    from oracular.runs.race import is_race, load_race_run

    race, place = load_race_run(folder) if is_race(folder) else None, folder / PICTURE if out is None else out
    picture = draw_run(oracular.load_run(folder), place) if race is None else draw_race(race, place)
    if as_json:
        print_json({"picture": str(picture)})
    else:
        click.echo(picture)
    if race is None:
        print_next(as_json, "guess", folder)
    else:
        print_next(as_json, "race", race.game.name, "--show", "--out", folder)
