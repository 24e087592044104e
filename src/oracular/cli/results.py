"""`oracular results`: docs/results.md, written from the runs."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.output import SolvingDisplay, json_option, print_json


@click.command(epilog="Example: oracular results --runs runs --out docs")
@click.option("--runs", type=click.Path(path_type=Path), default=Path("runs"), metavar="DIR", help="The runs [runs].")
@click.option("--out", type=click.Path(path_type=Path), default=Path("docs"), metavar="DIR", help="Where to [docs].")
@json_option
def results(runs: Path, out: Path, as_json: bool) -> None:
    """Write the page of results from the runs.

    It needs the runs of `oracular table` and the race of the solvers: `make results` makes them first.
    """
    from oracular.report.results import write_results

    with SolvingDisplay() as display:
        line = display.add("results")
        line.note("reading the runs")
        page = write_results(runs, out, line)
    if as_json:
        print_json({"page": str(page)})
    else:
        click.echo(page)
