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
from oracular.cli.games import advice_table, print_duel_review, print_review
from oracular.cli.play_screen import turn_text
from oracular.errors import OracularError, UnknownGameError
from oracular.games.names import EVERYDAY, canonical_name
from oracular.system.files import quoted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from oracular.play.match import Match, Side
    from oracular.play.opponent import Matchup, Mode


HINTS = 5
ALIASES = {
    "?": "help",
    "giveup": "give up",
    "give-up": "give up",
    "exit": "quit",
    "q": "quit",
    "not in list": "tell",
    "not in your list": "tell",
    "my word is not in your list": "tell",
}
"""Other ways to write the commands."""


@dataclass
class Session:
    """One match that one person plays.

    Attributes:
        ask: reads a line.
        console: where all is printed.
        match: how the match stands.
        again: whether it follows another one, so that the rules are known.
        at_terminal: whether a person types, who may be asked what a file with moves does not expect.
        has_quit: whether the person left before the end.
        shows_chance: whether the person's chance to win a duel is shown after each turn.
        explained_chance: whether it was said what that figure means.
    """

    ask: ReadLine
    console: Console
    match: Match
    again: bool = False
    at_terminal: bool = False
    has_quit: bool = False
    shows_chance: bool = False
    explained_chance: bool = False

    def run(self) -> Match:
        """Return the match after it was played to the end, or until the person quit."""
        self._say(*screen.opening_lines(self.match, self.again))
        self._show_turns(0, 0)
        self._show_chance()
        while self.match.result is None and not self.has_quit:
            self._handle(" ".join(self.ask(screen.prompt_of(self.match)).split()))
        if self.match.result is not None:
            self._say("", *screen.result_lines(self.match))
            self._share()
            self._offer_review()
        return self.match

    def _say(self, *lines: str | Text) -> None:
        for line in lines:
            self.console.print(line, markup=False)

    def _working(self) -> AbstractContextManager[object]:
        return self.console.status("working it out (the first time takes longer: code is compiled)")

    def _show_turns(self, yours: int, computers: int) -> None:
        """Print the guesses after the first so many of each side, the person's first; in `hide` they are known."""
        match = self.match
        if match.mode == "hide":
            return
        duel = match.mode == "duel"
        for turns, known, who in ((match.yours, yours, "yours"), (match.computers, computers, "the computer's")):
            for number, turn in enumerate(turns[known:], start=known + 1):
                self._say(turn_text(match.matchup.game, number, *turn, self.console, who if duel else ""))

    def _show_chance(self) -> None:
        """Print how likely the person is to win, where that is switched on and the duel goes on.

        What the figure means is said once. Where there is none, that is said and it is switched off.
        """
        from oracular.play.duel_review import winning_chance

        if not self.shows_chance or self.match.result is not None:
            return
        try:
            with self._working():
                chance = winning_chance(self.match)
        except OracularError as error:
            self.shows_chance = False
            self._say(str(error))
            return
        self._say(screen.chance_line(chance, self.console))
        if not self.explained_chance:
            self._say(chance.note)
        self.explained_chance = True

    def _share(self) -> None:
        """Print the result to share, where the person guessed."""
        from oracular.play.wording import share_text

        text = share_text(self.match) if self.match.yours else None
        if text is not None:
            self._say("", "To share:")
            self.console.print(text, markup=False, soft_wrap=True)  # to be copied as it is
            self._say("")

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
        known = screen.commands_of(self.match)
        if typed in ALIASES and (text.startswith("/") or typed not in self.match.matchup.game.guesses):
            typed = ALIASES[typed]
        if typed in known:
            return typed, ""
        first, _, rest = typed.partition(" ")
        if first in screen.HIDING and first in known:
            return first, rest
        if typed in screen.COMMANDS and typed not in self.match.matchup.game.guesses:
            if typed == "undo":
                return typed, ""  # the match says why nothing is taken back
            raise OracularError(f"{quoted(typed)} is not a command of this way to play: type help for a list")
        if text.startswith("/"):
            raise OracularError(f"{quoted(text)} is not a command: type help for a list")
        return None

    def _execute(self, command: str, rest: str) -> None:
        """Carry out a command."""
        if command == "help":
            self._say(*screen.help_lines(self.match))
        elif command == "sheet":
            self._say(*screen.sheet_lines(self.match, self.console))
        elif command == "words":
            opponent, turns = self.match.main_half
            self._say(screen.words_line(opponent.game, turns))
        elif command == "hint":
            self._hint()
        elif command == "chance":
            self._switch_chance()
        elif command == "undo":
            self.match = self.match.undo()
            self._say("The last move is taken back.")
            self._show_chance()
        elif command == "change":
            self._change(rest)
        elif command == "check":
            self._check(rest)
        elif command == "tell":
            self.match = self.match.tell(rest or self.ask(f"your {self.match.matchup.game.noun} was: "))
        elif command == "give up":
            self.match = self.match.give_up()
        else:
            self.has_quit = True

    def _switch_chance(self) -> None:
        """Show the chance to win from now on, or no longer."""
        self.shows_chance = not self.shows_chance
        if not self.shows_chance:
            self._say("It is not shown now.")
        elif self.match.matchup.may_be_valued:
            self._say("Your chance to win is shown after each turn.")
        self._show_chance()

    def _move(self, text: str) -> None:
        """Make the person's move and print what came of it."""
        if self.match.to_move == "amend":
            self._change(text)
        elif self.match.to_move == "answer":
            self.match = self.match.answer(self._meant_answer(text))
            if self.match.matchup.game.family != "jotto":  # so that a person sees how it was read
                game, turns = self.match.matchup.guessing.game, self.match.computers
                self._say(turn_text(game, len(turns), *turns[-1], self.console))
            self._show_contradiction()
        else:
            before, guess = self.match, text.lower().removeprefix("guess ")
            if not before.matchup.game.guesses[0].isalpha():
                guess = re.sub(r"[\s,]+", "", guess)  # codes may be written as 1 1 2 2
            self.match = before.guess(guess)
            self._show_turns(len(before.yours), len(before.computers))
            self._show_chance()

    def _meant_answer(self, text: str) -> str:
        """Return the answer that a person means, who may count all letters where the guess is the word itself."""
        game, guess = self.match.matchup.guessing.game, self.match.pending or ""
        if not self.at_terminal or text != str(len(guess)) or "found" not in game.labels:
            return text
        question = f"All {text} letters: is {guess.upper()} your word?"
        return "found" if says_yes(self.ask, self._say, question, True) else text

    def _check(self, word: str) -> None:
        """Say whether a word is in the list that the computer guesses from."""
        from oracular.play.wording import check_word

        if not word:
            game = self.match.matchup.guessing.game
            raise OracularError(f"there is no {game.noun} to check: write it like 'check {game.example_guess}'")
        self._say(screen.word_line(self.match.matchup, check_word(self.match.matchup, word)))

    def _change(self, text: str) -> None:
        """Change an earlier answer; `2 4` changes the answer to guess 2 into 4."""
        number, _, label = text.partition(" ")
        if not re.fullmatch(r"\d{1,6}", number, flags=re.ASCII) or not label:
            what = f"{quoted(text)} is not" if text else "change needs"
            example = screen.change_example(self.match)
            raise OracularError(f"{what} the number of a guess and its right answer: write it like 'change {example}'")
        self.match = self.match.amend(int(number) - 1, label)
        self._show_contradiction()

    def _show_contradiction(self) -> None:
        if self.match.to_move == "amend":
            self._say(*screen.contradiction_lines(self.match))

    def _hint(self) -> None:
        """Print the best guesses."""
        from oracular.play.advice import NOT_TO_BE_FIRST, advise

        opponent, turns = self.match.main_half
        with self._working():
            advice = advise(opponent.game, turns, opponent.hider, HINTS)
        self.console.print(advice_table(advice, len(opponent.game.labels), self.console.width))
        self._say(advice.assumption, f"{advice.note} {NOT_TO_BE_FIRST}" if self.match.mode == "duel" else advice.note)

    def _offer_review(self) -> None:
        """Offer a review, and print it if the person wants it."""
        from oracular.play.duel_review import duel_review_of
        from oracular.play.review import review

        opponent, turns = self.match.main_half
        hides = self.match.mode == "hide"
        if not turns or (hides and self.match.result != "found"):
            return
        whose = "the computer's guesses" if hides else "your guesses"
        whose += " and find the turning point" if self.match.mode == "duel" and self.match.matchup.may_be_valued else ""
        if not says_yes(self.ask, self._say, f"Review {whose}?", False):
            return
        try:
            with self._working():
                result = review(opponent.game, turns, self.match.secret, opponent.hider, only_allowed=not hides)
                duel = duel_review_of(self.match)
        except OracularError as error:
            self._say(str(error))
            return
        if duel is not None:
            print_duel_review(self.console, duel)
        print_review(self.console, result)


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
