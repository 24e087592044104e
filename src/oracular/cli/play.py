"""`oracular play [GAME]`, matches against the computer in the terminal, and `oracular serve`, in a browser."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from rich.console import Console

from oracular.cli.arguments import GameText
from oracular.cli.output import (
    familiar_option,
    game_of_options,
    json_option,
    lists_options,
    path_option,
    print_json,
    result_console,
)
from oracular.errors import MissingExtraError, SettingsError, install_command
from oracular.web.settings import DATABASE, IDLE_HOURS, MAX_MATCHES

if TYPE_CHECKING:
    from oracular.cli.play_session import Say
    from oracular.play.match import Side
    from oracular.play.opponent import Mode


PLAIN_WIDTH = 100  # where the output is not a terminal


@click.command(epilog="Example: oracular play, or oracular play jotto-5 --mode guess")
@click.argument("words_of_name", metavar="[GAME]", nargs=-1, type=GameText())
@click.option(
    "--mode", type=click.Choice(["guess", "hide", "duel"]), help="You guess, you hide, or both at once [asked for]."
)
@click.option(
    "--begins", type=click.Choice(["you", "computer"]), help="Who begins the first duel; then by turns [drawn]."
)
@click.option("--chance", is_flag=True, help="Show your chance to win in a duel, after each turn.")
@click.option("--daily", is_flag=True, help="The Jotto of the day: the same word for everybody.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Fixes what the computer draws [drawn anew].")
@familiar_option
@lists_options
@json_option
def play(
    words_of_name: tuple[str, ...],
    mode: str | None,
    begins: Side | None,
    chance: bool,
    daily: bool,
    seed: int | None,
    familiar: bool,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Play against the computer.

    GAME is a name such as jotto-5, wordle or mastermind; without one you are asked which. The computer plays the
    strategies that come with the package where there are some. With --json the match is printed at the end as JSON and
    the conversation goes to stderr.
    """
    from oracular.cli.play_session import Session, ask_mode, begin, says_yes
    from oracular.errors import SettingsError
    from oracular.play.match import daily_match, today
    from oracular.play.opponent import matchup, matchup_by_name

    if daily:
        chosen_too = {
            " ".join(words_of_name): bool(words_of_name),
            f"--mode {mode}": mode not in (None, "guess"),
            "--seed": seed is not None,
            "--familiar": familiar,
            **{f"--{name}": path is not None for name, path in lists.items()},
        }
        if extra := " and ".join(text for text, given in chosen_too.items() if given):
            raise SettingsError(
                f"--daily is the same game of Jotto for everybody: leave {extra} out, or play without --daily"
            )
    console = result_console(as_json, PLAIN_WIDTH)
    reader = Reader(console)
    name, match = None, None

    def say(line: str) -> None:
        console.print(line, markup=False)

    try:
        name = _named(reader, say, words_of_name, daily)
        pair = matchup_by_name(name) if daily else matchup(game_of_options(name, familiar, lists))
        name = pair.game.name
        chosen = cast("Mode", mode or ("guess" if daily else ask_mode(reader, say, pair.game.noun)))
        for given, value in (("--begins", begins), ("--chance", chance)):
            if value and chosen != "duel":
                raise SettingsError(f"{given} is for a duel: leave it out, or play with --mode duel")
        match = daily_match(today(), pair) if daily else begin(reader, say, pair, chosen, seed, begins)
        for again in count(1):
            session = Session(reader, console, match, again > 1, reader.typed, shows_chance=chance)
            try:
                session.run()
            finally:
                match, chance = session.match, session.shows_chance
            if as_json or session.has_quit or not reader.typed or not says_yes(reader, say, "Play again?", True):
                break
            following = match.next_begins if match.starter else None
            match = begin(reader, say, pair, chosen, None if seed is None else [seed, again], following)
    except EOFError:
        console.print()
    except KeyboardInterrupt:
        console.print()
        raise
    if as_json:
        print_json({"game": name} | (match.to_record() if match else {"result": None}))


def _named(reader: Reader, say: Say, words: tuple[str, ...], daily: bool) -> str:
    """Return the name of the game: as it was given, or as the person chooses."""
    from oracular.cli.play_session import ask_game, meant_game_name
    from oracular.play.wording import DEFAULT_GAME

    if daily:
        return DEFAULT_GAME
    return meant_game_name(reader if reader.typed else None, say, " ".join(words)) if words else ask_game(reader, say)


class Reader:
    """Reads lines from a terminal, with its editing keys, or from a pipe; the lines of a pipe are echoed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        if _typed():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - gives input() its editing keys

    @property
    def typed(self) -> bool:
        """Whether a person types the input, who may be asked what nobody need answer."""
        return _typed()

    def __call__(self, prompt: str) -> str:
        """Return the next line; raise `EOFError` at the end."""
        if _typed() and not self._console.stderr:
            return input(prompt)
        self._console.print(prompt, end="", markup=False)
        line = "" if sys.stdin is None else sys.stdin.readline()  # it is None where it was closed from the start
        if not line:
            raise EOFError
        if not _typed():
            self._console.print(line.rstrip("\n"), markup=False)
        return line


def _typed() -> bool:
    """Return whether a person types the input."""
    return sys.stdin is not None and sys.stdin.isatty()


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
