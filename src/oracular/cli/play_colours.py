"""Guesses and their answers as lines of a terminal: tiles for Wordle, pegs for Mastermind, plain text for the others.

Colours only repeat what letters and numbers say, so nothing is lost where there are none: in a file, under `NO_COLOR`,
or on a terminal without colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from oracular.games.game import Game

TILES = {"g": "bold black on green", "y": "bold black on yellow", "-": "bold white on bright_black"}
PEGS = ("white on red", "black on green", "black on yellow", "white on blue", "white on magenta", "black on cyan")
"""The styles of Mastermind's first colours; further ones are plain."""


def has_colours(console: Console) -> bool:
    """Tell whether a console shows colours."""
    return console.is_terminal and console.color_system is not None and not console.no_color


def answer_words(game: Game, label: str) -> str:
    """Return an answer as people say it: `1 black, 2 white` for `1.2`, other labels as they are."""
    from oracular.games.codes import BlackAndWhite

    if not isinstance(game.rules, BlackAndWhite):
        return label
    counts = [int(count) for count in label.split(".")]
    plural = game.family == "bulls"
    return ", ".join(f"{n} {name}{'s' * (plural and n != 1)}" for n, name in zip(counts, game.rules.names, strict=True))


def turn_text(game: Game, number: int, guess: str, answer: str, console: Console, who: str = "") -> Text:
    """Return one guess and its answer as a line, in colour where the console shows colours."""
    line = Text(f"{number:>3}  ")
    line.append_text(_guess_text(game, guess, answer, has_colours(console)))
    line.append("  ")
    line.append_text(_answer_text(game, answer, console))
    return line.append(f"  ({who})" if who else "")


def _guess_text(game: Game, guess: str, answer: str, colours: bool) -> Text:
    """Return a guess as tiles or pegs; as plain text where there are no colours or the game has none."""
    family, text = game.family, Text()
    if not colours or family not in ("wordle", "mastermind"):
        return Text(guess)
    for place, symbol in enumerate(guess):
        if family == "wordle":
            text.append(f" {symbol.upper()} ", TILES[answer[place]])
        else:
            index = "123456".find(symbol)
            text.append(f" {symbol} ", PEGS[index] if index >= 0 else "")
    return text


def _answer_text(game: Game, answer: str, console: Console) -> Text:
    """Return an answer in words, after Mastermind's black and white pegs where the console can show them."""
    words = Text(answer_words(game, answer))
    if game.family != "mastermind" or not has_colours(console) or console.options.ascii_only:
        return words
    black, white = (int(count) for count in answer.split("."))
    pegs = Text("●" * black + "○" * white + " " * (len(game.secrets[0]) - black - white), "bold")
    return pegs.append("  ").append_text(words)
