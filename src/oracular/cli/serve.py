"""`oracular serve`: play in a browser."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import click

from oracular.cli.output import json_option, path_option, print_json
from oracular.errors import MissingExtraError, SettingsError, install_command
from oracular.web.settings import DATABASE, IDLE_HOURS, MAX_MATCHES

NEEDED = ("fastapi", "uvicorn")


@click.command(epilog="Example: oracular serve --port 8080, then open http://127.0.0.1:8080/")
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="HOST",
    help="The address to listen at [default: 127.0.0.1, this machine alone].",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    metavar="N",
    help="The port, or 0 for a free one [default: 8000].",
)
@path_option("--database", "FILE", f"Where matches are kept; they outlast a restart [default: {DATABASE}].", DATABASE)
@click.option(
    "--most-matches",
    type=int,
    default=MAX_MATCHES,
    metavar="N",
    help=f"How many matches are kept at once [default: {MAX_MATCHES}].",
)
@click.option(
    "--rest",
    type=float,
    default=IDLE_HOURS,
    metavar="HOURS",
    help=f"A match is forgotten after this many hours without a move [default: {IDLE_HOURS:g}].",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="ADDRESS",
    help="An address such as https://games.example that a proxy serves this server at; may be given again.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="The address of a proxy, such as 127.0.0.1, whose X-Forwarded-For is believed; may be given again.",
)
@json_option
def serve(
    host: str,
    port: int,
    database: Path,
    most_matches: int,
    rest: float,
    origins: tuple[str, ...],
    proxies: tuple[str, ...],
    as_json: bool,
) -> None:
    """Serve the game to browsers until Ctrl-C.

    Games in progress are kept in the database and go on after a restart. With --json the address is printed as JSON,
    and nothing else.
    """
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise MissingExtraError(f"serving needs FastAPI and uvicorn: {install_command('oracular[web]')}")
    from oracular.web.app import allowed_hosts, bound_socket
    from oracular.web.app import serve as serve_until_stopped
    from oracular.web.settings import Settings

    if not rest > 0:
        raise SettingsError(f"a rest of {rest:g} hours asked for: give a time above 0")
    settings = Settings(
        database=database, max_matches=most_matches, idle_seconds=rest * 3600, origins=origins, proxies=proxies
    )
    listener = bound_socket(host, port)
    settings = replace(settings, hosts=allowed_hosts(listener, host, origins))

    def announce(address: str) -> None:
        if as_json:
            print_json({"address": address, "database": str(database), "most_matches": most_matches, "rest": rest})
        else:
            click.echo(f"serving at {address} (Ctrl-C stops; matches are kept in {database})")

    def say(text: str) -> None:
        if not as_json:
            click.echo(text)

    serve_until_stopped(settings, listener, announce, say)
    say("stopped: games in progress are kept")
