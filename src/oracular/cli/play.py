"""`oracular play [GAME]`: matches against the computer, in the terminal."""

from __future__ import annotations

import contextlib
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from rich.console import Console

from oracular.cli.arguments import GameText
from oracular.cli.output import familiar_option, game_of_options, json_option, lists_options, print_json, result_console

if TYPE_CHECKING:
    from oracular.cli.play_session import Say
    from oracular.play.match import Match, Side
    from oracular.play.opponent import Matchup, Mode

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
    from oracular.play.opponent import matchup

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
        pair = _daily_matchup() if daily else matchup(game_of_options(name, familiar, lists))
        name = pair.game.name
        chosen = cast("Mode", mode or ("guess" if daily else ask_mode(reader, say, pair.game.noun)))
        for given, value in (("--begins", begins), ("--chance", chance)):
            if value and chosen != "duel":
                raise SettingsError(f"{given} is for a duel: leave it out, or play with --mode duel")
        match = _daily_match(pair) if daily else begin(reader, say, pair, chosen, seed, begins)
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


def _daily_matchup() -> Matchup:
    from oracular.play.opponent import matchup_by_name
    from oracular.play.wording import DEFAULT_GAME

    return matchup_by_name(DEFAULT_GAME)


def _daily_match(pair: Matchup) -> Match:
    from oracular.play.match import daily_match, today

    return daily_match(today(), pair)


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
    """Tell whether a person types the input."""
    return sys.stdin is not None and sys.stdin.isatty()
