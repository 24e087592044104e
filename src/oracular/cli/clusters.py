"""The options of commands that can spread their work over a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from oracular.cli.output import Command

if TYPE_CHECKING:
    from oracular.cluster import Cluster


def cluster_options(command: Command) -> Command:
    """Add the options for a cluster to a command."""
    command = click.option(
        "--workers",
        type=int,
        metavar="N",
        help="Processes of a local cluster [one a core]; they never change a result.",
    )(command)
    return click.option(
        "--cluster",
        metavar="local|ADDRESS",
        help="Spread the work over Dask workers: 'local' ones, or those of a scheduler, tls://host:8786 or tcp://host:8786.",
    )(command)


@contextmanager
def connected(cluster: str | None, workers: int | None) -> Iterator[Cluster | None]:
    """Yield the cluster that is asked for, or None if none is."""
    if cluster is None:
        if workers is not None:
            raise click.UsageError("--workers is for a cluster: add --cluster local")
        yield None
        return
    from oracular.cluster import check_address, connect, exposure

    check_address(cluster, workers)
    if (warning := exposure(cluster)) is not None:
        click.echo(f"note: {warning}", err=True)
    with connect(cluster, workers) as connection:
        yield connection
