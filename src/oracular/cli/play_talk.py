"""The conversation of a match: what a person types, and what is said to it.

It reads through a function and shows on a console, whichever these are, and ends when the match does, when the person
leaves, or when there is nothing more to read (`EOFError`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oracular.cli import play_screen as screen
from oracular.cli.advice_tables import advice_table, noun_of, print_review
from oracular.errors import OracularError
from oracular.system.files import quoted

if TYPE_CHECKING:
    from rich.console import Console

    from oracular.play.match import Match
    from oracular.play.opponent import Mode, Table

Ask = Callable[[str], str]
"""Gives what a person types after a prompt; raises `EOFError` where nothing more comes."""

HINTS = 5
ALIASES = {"?": "sheet", "giveup": "give up", "give-up": "give up", "exit": "quit"}
"""Other ways to write the commands."""


@dataclass
class Talk:
    """A conversation with one person about one match.

    Attributes:
        ask: reads a line.
        console: where all of it is shown.
        match: where the match stands.
        left: whether the person has left before the end.
    """

    ask: Ask
    console: Console
    match: Match
    left: bool = field(default=False)

    def run(self) -> Match:
        """Play to the end, or until the person leaves; return the match as it is then."""
        self._say(*screen.opening_lines(self.match))
        if self.match.mode == "duel" and self.match.computers:
            self._say(screen.turn_line(1, *self.match.computers[0], who="the computer's"))
        while self.match.result is None and not self.left:
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
        """Do what was typed; whatever is wrong with it is told in one sentence and costs nothing."""
        try:
            command = self._command(text)
            if command is not None:
                self._obey(*command)
            elif text:
                self._move(text)
        except OracularError as error:
            self._say(str(error))

    def _command(self, text: str) -> tuple[str, str] | None:
        """Return the command that was typed and what follows it, or None where it is a move.

        A command always does what it says, so that asking for help never costs a guess; a word of the game that is a
        command as well is guessed with `guess` before it.
        """
        typed = text.lower().removeprefix("/")
        known = screen.commands_of(self.match.mode)
        if typed in ALIASES and (text.startswith("/") or typed not in self.match.table.game.guesses):
            typed = ALIASES[typed]
        if typed in known:
            return typed, ""
        if typed.startswith("change ") and "change" in known:
            return "change", typed.removeprefix("change ")
        if typed in screen.COMMANDS:
            raise OracularError(f"{quoted(typed)} is not for this way to play: type help for what is")
        if text.startswith("/"):
            raise OracularError(f"{quoted(text)} is not a command: type help for a list")
        return None

    def _obey(self, command: str, rest: str) -> None:
        """Carry a command out."""
        game, turns = screen.guesses_of(self.match)
        if command == "help":
            self._say(*screen.help_lines(self.match))
        elif command == "sheet":
            self._say(*screen.sheet_lines(self.match))
        elif command == "words":
            self._say(screen.words_line(game, turns))
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
            self.left = True

    def _move(self, text: str) -> None:
        """Make the person's move and say what came of it."""
        if self.match.to_move == "amend":
            self._change(text)
        elif self.match.to_move == "answer":
            self.match = self.match.answer(_written_answer(text))
            self._tell_contradiction()
        else:
            before, self.match = self.match, self.match.guess(text.lower().removeprefix("guess "))
            number = len(self.match.yours)
            self._say(screen.turn_line(number, *self.match.yours[-1], who="yours" if before.mode == "duel" else ""))
            for later in range(len(before.computers), len(self.match.computers)):
                self._say(screen.turn_line(later + 1, *self.match.computers[later], who="the computer's"))

    def _change(self, text: str) -> None:
        """Change an earlier answer: `2 4`."""
        number, _, label = text.partition(" ")
        if not re.fullmatch(r"\d{1,6}", number, flags=re.ASCII) or not label:
            raise OracularError(f"{quoted(text)} is not a number and an answer: write it like '2 1'")
        self.match = self.match.amend(int(number) - 1, _written_answer(label))
        self._tell_contradiction()

    def _tell_contradiction(self) -> None:
        if self.match.to_move == "amend":
            self._say(*screen.contradiction_lines(self.match))

    def _hint(self) -> None:
        """Show the best guesses."""
        from oracular.play.advice import advise

        game, turns = screen.guesses_of(self.match)
        with self._working():
            advice = advise(game, turns, self.match.table.hiding.hider, HINTS)
        self.console.print(advice_table(advice, len(game.labels)))
        self._say(advice.note)

    def _offer_review(self) -> None:
        """Offer a look back and show it where it is wanted."""
        from oracular.play.review import review

        game, turns = screen.guesses_of(self.match)
        secret = self.match.computers[-1][0] if self.match.mode == "hide" and turns else self.match.secret
        if not turns or secret is None or (self.match.mode == "hide" and self.match.result != "found"):
            return
        whose = "the computer's guesses" if self.match.mode == "hide" else "your guesses"
        if self.ask(f"Review {whose}? [y/N] ").strip().lower() not in ("y", "yes"):
            return
        side = self.match.table.guessing if self.match.mode == "hide" else self.match.table.hiding
        try:
            with self._working():
                seen = review(game, turns, secret, side.hider)
        except OracularError as error:
            self._say(str(error))
            return
        print_review(self.console, seen)


def _written_answer(text: str) -> str:
    """Return an answer as games write it: black and white pegs may be typed with a space or a comma between."""
    return re.sub(r"^(\d+)\s*[ ,.]\s*(\d+)$", r"\1.\2", text)


def ask_way(ask: Ask, say: Callable[[str], None]) -> Mode:
    """Return the way to play that a person chooses, by number or by name."""
    from oracular.play.opponent import MODES

    for number, way in enumerate(MODES, start=1):
        say(f"  {number}  {way:<6} {screen.WAYS[way]}")
    while True:
        text = ask("Which way? ").strip().lower()
        for number, way in enumerate(MODES, start=1):
            if text in (str(number), way):
                return way
        say(f"{quoted(text)} is not a way to play: type 1, 2 or 3")


def begin(ask: Ask, say: Callable[[str], None], table: Table, mode: Mode, seed: int | None) -> Match:
    """Return a new match; for a duel the person's word is asked for until it is one that may be hidden."""
    import numpy as np

    from oracular.play.match import new_match

    for line in screen.table_lines(table, mode):
        say(line)
    if mode != "duel":
        return new_match(table, mode, rng=np.random.default_rng(seed))
    noun = noun_of(table.guessing.game)
    say(f"Type the {noun} that the computer is to find. It is used to answer its guesses and for nothing else.")
    while True:
        word = ask(f"your {noun}> ").strip()
        try:
            if word.lower() in screen.COMMANDS:
                raise OracularError(f"{quoted(word)} is a command, and there is nothing to do yet: hide another {noun}")
            return new_match(table, mode, own=word, rng=np.random.default_rng(seed))
        except OracularError as error:
            say(str(error))
