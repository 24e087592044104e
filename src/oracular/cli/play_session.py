"""A match in the terminal: reads what a person types, makes the moves and prints what came of them.

Lines are read through a function and printed on a console, so that tests can supply both. A session ends when the
match does, when the person quits, or at the end of the input (`EOFError`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oracular.cli import play_screen as screen
from oracular.cli.advice_tables import advice_table, noun_of, print_review
from oracular.errors import OracularError
from oracular.system.files import quoted

if TYPE_CHECKING:
    from rich.console import Console

    from oracular.play.match import Match
    from oracular.play.opponent import Matchup, Mode

ReadLine = Callable[[str], str]
"""Returns the line that a person types after a prompt; raises `EOFError` at the end of the input."""

HINTS = 5
ALIASES = {"?": "sheet", "giveup": "give up", "give-up": "give up", "exit": "quit"}
"""Other ways to write the commands."""


@dataclass
class Session:
    """One match that one person plays in the terminal."""

    ask: ReadLine
    console: Console
    match: Match
    has_quit: bool = False

    def run(self) -> Match:
        """Return the match after it was played to the end, or until the person quit."""
        self._say(*screen.opening_lines(self.match))
        if self.match.mode == "duel" and self.match.computers:
            self._say(screen.turn_line(1, *self.match.computers[0], who="the computer's"))
        while self.match.result is None and not self.has_quit:
            self._handle(" ".join(self.ask(self._prompt()).split()))
        if self.match.result is not None:
            self._say("", *screen.result_lines(self.match))
            self._offer_review()
        return self.match

    def _say(self, *lines: str) -> None:
        for line in lines:
            self.console.print(line, markup=False)

    def _working(self) -> AbstractContextManager[object]:
        return self.console.status("working it out (the first time takes longer: code is compiled)")

    def _prompt(self) -> str:
        match = self.match
        if match.to_move == "amend":
            return "change> "
        if match.to_move == "answer":
            return f"{screen.turn_line(len(match.computers) + 1, match.pending or '', '')}"
        return f"guess {len(match.yours) + 1}> "

    def _handle(self, text: str) -> None:
        """Carry out a line that was typed; an error is printed as one sentence and costs no move."""
        try:
            command = self._command(text)
            if command is not None:
                self._execute(*command)
            elif text:
                self._move(text)
        except OracularError as error:
            self._say(str(error))

    def _command(self, text: str) -> tuple[str, str] | None:
        """Return the command that was typed and its argument, or None where the text is a move.

        A word that is both a command and a guess is taken as the command, so that asking for help never costs a guess.
        It is guessed by typing `guess` before it.
        """
        typed = text.lower().removeprefix("/")
        known = screen.commands_of(self.match.mode)
        if typed in ALIASES and (text.startswith("/") or typed not in self.match.matchup.game.guesses):
            typed = ALIASES[typed]
        if typed in known:
            return typed, ""
        if typed.startswith("change ") and "change" in known:
            return "change", typed.removeprefix("change ")
        if typed in screen.COMMANDS:
            raise OracularError(f"{quoted(typed)} is not a command of this way to play: type help for a list")
        if text.startswith("/"):
            raise OracularError(f"{quoted(text)} is not a command: type help for a list")
        return None

    def _execute(self, command: str, rest: str) -> None:
        """Carry out a command."""
        if command == "help":
            self._say(*screen.help_lines(self.match))
        elif command == "sheet":
            self._say(*screen.sheet_lines(self.match))
        elif command == "words":
            opponent, turns = self.match.main_half
            self._say(screen.words_line(opponent.game, turns))
        elif command == "hint":
            self._hint()
        elif command == "undo":
            self.match = self.match.undo()
            self._say("The last move is taken back.")
        elif command == "change":
            self._change(rest)
        elif command == "give up":
            self.match = self.match.give_up()
        else:
            self.has_quit = True

    def _move(self, text: str) -> None:
        """Make the person's move and print what came of it."""
        if self.match.to_move == "amend":
            self._change(text)
        elif self.match.to_move == "answer":
            self.match = self.match.answer(_written_answer(text))
            self._show_contradiction()
        else:
            before, self.match = self.match, self.match.guess(text.lower().removeprefix("guess "))
            number = len(self.match.yours)
            self._say(screen.turn_line(number, *self.match.yours[-1], who="yours" if before.mode == "duel" else ""))
            for later in range(len(before.computers), len(self.match.computers)):
                self._say(screen.turn_line(later + 1, *self.match.computers[later], who="the computer's"))

    def _change(self, text: str) -> None:
        """Change an earlier answer; `2 4` changes the answer to guess 2 into 4."""
        number, _, label = text.partition(" ")
        if not re.fullmatch(r"\d{1,6}", number, flags=re.ASCII) or not label:
            raise OracularError(f"{quoted(text)} is not a number and an answer: write it like '2 1'")
        self.match = self.match.amend(int(number) - 1, _written_answer(label))
        self._show_contradiction()

    def _show_contradiction(self) -> None:
        if self.match.to_move == "amend":
            self._say(*screen.contradiction_lines(self.match))

    def _hint(self) -> None:
        """Print the best guesses."""
        from oracular.play.advice import advise

        opponent, turns = self.match.main_half
        with self._working():
            advice = advise(opponent.game, turns, opponent.hider, HINTS)
        self.console.print(advice_table(advice, len(opponent.game.labels)))
        self._say(advice.note)

    def _offer_review(self) -> None:
        """Offer a review, and print it if the person wants it."""
        from oracular.play.review import review

        opponent, turns = self.match.main_half
        hides = self.match.mode == "hide"
        if not turns or (hides and self.match.result != "found"):
            return
        whose = "the computer's guesses" if hides else "your guesses"
        if self.ask(f"Review {whose}? [y/N] ").strip().lower() not in ("y", "yes"):
            return
        try:
            with self._working():
                result = review(opponent.game, turns, self.match.secret, opponent.hider)
        except OracularError as error:
            self._say(str(error))
            return
        print_review(self.console, result)


def _written_answer(text: str) -> str:
    """Return an answer as games write it; `1 2` and `1,2` also stand for one black and two white pegs."""
    return re.sub(r"^(\d+)\s*[ ,.]\s*(\d+)$", r"\1.\2", text)


def ask_mode(ask: ReadLine, say: Callable[[str], None]) -> Mode:
    """Return the mode that a person chooses by number or by name."""
    from oracular.play.opponent import MODES

    for number, mode in enumerate(MODES, start=1):
        say(f"  {number}  {mode:<6} {screen.MODE_TEXTS[mode]}")
    while True:
        text = ask("Which way? ").strip().lower()
        for number, mode in enumerate(MODES, start=1):
            if text in (str(number), mode):
                return mode
        say(f"{quoted(text)} is not a way to play: type 1, 2 or 3")


def begin(ask: ReadLine, say: Callable[[str], None], matchup: Matchup, mode: Mode, seed: int | None) -> Match:
    """Return a new match; for a duel, ask for the person's word until it is one that may be hidden."""
    import numpy as np

    from oracular.play.match import new_match

    say(f"{matchup.game.name}. {matchup.lists}")
    say(matchup.description(mode))
    if mode != "duel":
        return new_match(matchup, mode, rng=np.random.default_rng(seed))
    noun = noun_of(matchup.guessing.game)
    say(f"Type the {noun} that the computer is to find. It is used to answer its guesses and for nothing else.")
    while True:
        word = ask(f"your {noun}> ").strip()
        try:
            if word.lower() in screen.COMMANDS:
                raise OracularError(f"{quoted(word)} is a command, and there is nothing to do yet: hide another {noun}")
            return new_match(matchup, mode, own=word, rng=np.random.default_rng(seed))
        except OracularError as error:
            say(str(error))
