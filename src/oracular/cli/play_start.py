"""How a match in the terminal begins: which game, which way to play, and the person's word in a duel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from oracular.errors import OracularError, UnknownGameError
from oracular.games.names import EVERYDAY, canonical_name
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.play.match import Match, Side
    from oracular.play.opponent import Matchup, Mode

ReadLine = Callable[[str], str]
"""Returns the line that a person types after a prompt; raises `EOFError` at the end of the input."""

Say = Callable[[str], None]

OFFERED = {
    EVERYDAY["jotto"]: ("Jotto", "a word, by the letters in common"),
    EVERYDAY["wordle"]: ("Wordle", "a word, by coloured letters"),
    EVERYDAY["mastermind"]: ("Mastermind", "a code of four colours"),
    EVERYDAY["bulls"]: ("Bulls and Cows", "a code of four different digits"),
    "jotto-5": ("Jotto, strict", "no letter twice, no anagrams"),
    "jotto-3": ("Jotto, 3 letters", "the same, quicker"),
}
"""The games that a person who names none is asked to choose from, the first by default."""

GAME_HELP = (
    f"Type a number from 1 to {len(OFFERED)}, or a name such as jotto-4, wordle-hard or mastermind-5x8 ('oracular "
    "games' lists more). Enter alone is Jotto, quit leaves."
)

HELPING = ("?", "/?", "help", "/help")
LEAVING = ("q", "quit", "/quit", "exit")
"""What is typed for help and to leave, wherever a person is asked for something."""

MODE_TEXTS = {
    "guess": "the computer hides a {noun}, you guess it",
    "hide": "you hold a {noun} in mind, the computer guesses and you answer",
    "duel": "both at once, turn by turn; whoever finds the other's first wins",
}


def meant_game_name(ask: ReadLine | None, say: Say, text: str) -> str:
    """Return the game that a person means; a mistyped name is asked about, where there is anybody to ask."""
    try:
        return canonical_name(text)
    except UnknownGameError as error:
        if ask is None or error.meant is None:
            raise
        if not says_yes(ask, say, str(error), True):
            raise
        return canonical_name(error.meant)


def says_yes(ask: ReadLine, say: Say, question: str, usual: bool) -> bool:
    """Return whether a person says yes; Enter is what is usual, and what is neither yes nor no is asked again."""
    while True:
        text = asked(ask, say, f"{question} [{'Y/n' if usual else 'y/N'}] ", "Type y for yes, n for no, or quit.")
        if text.lower() in ("", "y", "yes", "n", "no"):
            return usual if not text else text.lower() in ("y", "yes")
        say(f"{quoted(text)} is neither yes nor no: type y or n")


def asked(ask: ReadLine, say: Say, prompt: str, explanation: str) -> str:
    """Return the line that a person types; help is given here, and leaving is the end of the input."""
    while True:
        text = ask(prompt).strip()
        if text.lower() in LEAVING:
            raise EOFError
        if text.lower() not in HELPING:
            return text
        say(explanation)


def ask_game(ask: ReadLine, say: Say) -> str:
    """Return the name of the game that a person chooses, by number or by name; Enter is the first."""
    say("Which game?")
    for number, (title, text) in enumerate(OFFERED.values(), start=1):
        say(f"  {number}  {title:<16}  {text}")
    while True:
        text = asked(ask, say, "a number or a name (Enter for Jotto): ", GAME_HELP)
        if not text:
            return next(iter(OFFERED))
        if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= len(OFFERED):
            return list(OFFERED)[int(text) - 1]
        try:
            return canonical_name(text)
        except OracularError as error:
            say(str(error))


def ask_mode(ask: ReadLine, say: Say, noun: str) -> Mode:
    """Return the way to play that a person chooses, by number or by name; Enter is to guess."""
    from oracular.play.opponent import MODES

    say("Which way?")
    for number, mode in enumerate(MODES, start=1):
        say(f"  {number}  {mode:<6} {MODE_TEXTS[mode].format(noun=noun)}")
    while True:
        text = asked(ask, say, "a number or a name (Enter to guess): ", "Type 1, 2 or 3, or quit to leave.").lower()
        for number, mode in enumerate(MODES, start=1):
            if text in (str(number), mode) or (not text and mode == "guess"):
                return mode
        say(f"{quoted(text)} is not a way to play: type 1, 2 or 3")


def begin(
    ask: ReadLine, say: Say, matchup: Matchup, mode: Mode, seed: int | list[int] | None, begins: Side | None = None
) -> Match:
    """Return a new match; for a duel, ask for the person's word until it is one that may be hidden.

    Who begins a duel is drawn where it is not given, and said before the word is asked for.
    """
    import numpy as np

    from oracular.cli.play_screen import COMMANDS, size_of, word_line
    from oracular.play.match import drawn_beginner, new_match
    from oracular.play.wording import check_word

    if mode != "duel":
        return new_match(matchup, mode, rng=np.random.default_rng(seed))
    noun, size = matchup.game.noun, size_of(matchup.guessing.game)
    begins = begins or drawn_beginner(np.random.default_rng(seed))
    say(f"{'You begin' if begins == 'you' else 'The computer begins'} this duel.")
    explanation = f"Type a {noun} of your own ({size}); the computer guesses it while you guess its own. Or quit."
    say(f"Type the {noun} that the computer is to find. It is used to answer its guesses and for nothing else.")
    while True:
        word = asked(ask, say, f"the {noun} you hide ({size}): ", explanation)
        try:
            if word.lower() in COMMANDS:
                raise OracularError(f"{quoted(word)} is a command, and there is nothing to do yet: hide another {noun}")
            check = check_word(matchup, word)
            if not check.may_hide:
                raise OracularError(word_line(matchup, check))
            return new_match(matchup, mode, own=word, rng=np.random.default_rng(seed), begins=begins)
        except OracularError as error:
            say(str(error))
