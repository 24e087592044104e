"""A match in the terminal: reads what a person types, makes the moves and prints what came of them.

Lines are read through a function and printed on a console, so that tests can supply both. A session ends when the
match does, when the person quits, or at the end of the input (`EOFError`). What is printed (prompts, the sheet, the
words left, the result) is made as lines of text, in the second half of this file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from rich.text import Text

from oracular.cli.games import NO_SINGLE_ONE, advice_table, print_duel_review, print_review, some_words
from oracular.errors import OracularError, UnknownGameError
from oracular.games.names import EVERYDAY, canonical_name
from oracular.system.files import counted, quoted

if TYPE_CHECKING:
    from rich.console import Console

    from oracular.games.game import Game, HistoryLike
    from oracular.play.duel_review import Chance
    from oracular.play.match import Match, Side
    from oracular.play.opponent import Matchup, Mode
    from oracular.play.wording import WordCheck


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
        self._say(*opening_lines(self.match, self.again))
        self._show_turns(0, 0)
        self._show_chance()
        while self.match.result is None and not self.has_quit:
            self._handle(" ".join(self.ask(prompt_of(self.match)).split()))
        if self.match.result is not None:
            self._say("", *result_lines(self.match))
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
        self._say(chance_line(chance, self.console))
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
        known = commands_of(self.match)
        if typed in ALIASES and (text.startswith("/") or typed not in self.match.matchup.game.guesses):
            typed = ALIASES[typed]
        if typed in known:
            return typed, ""
        first, _, rest = typed.partition(" ")
        if first in HIDING and first in known:
            return first, rest
        if typed in COMMANDS and typed not in self.match.matchup.game.guesses:
            if typed == "undo":
                return typed, ""  # the match says why nothing is taken back
            raise OracularError(f"{quoted(typed)} is not a command of this way to play: type help for a list")
        if text.startswith("/"):
            raise OracularError(f"{quoted(text)} is not a command: type help for a list")
        return None

    def _execute(self, command: str, rest: str) -> None:
        """Carry out a command."""
        if command == "help":
            self._say(*help_lines(self.match))
        elif command == "sheet":
            self._say(*sheet_lines(self.match, self.console))
        elif command == "words":
            opponent, turns = self.match.main_half
            self._say(words_line(opponent.game, turns))
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
        self._say(word_line(self.match.matchup, check_word(self.match.matchup, word)))

    def _change(self, text: str) -> None:
        """Change an earlier answer; `2 4` changes the answer to guess 2 into 4."""
        number, _, label = text.partition(" ")
        if not re.fullmatch(r"\d{1,6}", number, flags=re.ASCII) or not label:
            what = f"{quoted(text)} is not" if text else "change needs"
            example = change_example(self.match)
            raise OracularError(f"{what} the number of a guess and its right answer: write it like 'change {example}'")
        self.match = self.match.amend(int(number) - 1, label)
        self._show_contradiction()

    def _show_contradiction(self) -> None:
        if self.match.to_move == "amend":
            self._say(*contradiction_lines(self.match))

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


Lines: TypeAlias = "list[str | Text]"

COMMANDS = {
    "hint": "the best guesses here, and how many each should take to the end",
    "sheet": "the guesses so far, and what is certain of each {symbol}",
    "words": "what is still possible",
    "chance": "show or hide your chance to win, after each turn",
    "undo": "take the last move back",
    "change": "change N ANSWER: another answer to the computer's guess N",
    "check": "check {NOUN}: whether a {noun} is in the computer's list",
    "tell": "tell {NOUN}: my {noun} is not in your list; this ends the game",
    "give up": "end the game",
    "help": "this list (or ?)",
    "quit": "leave",
}

HIDING = ("change", "check", "tell")
"""The commands of a person who hides; `hint` is for one who guesses."""

MARK_STYLES = {"in": "green", "out": "dim", "open": ""}
MAX_WORDS = 80
BAR = 10
"""How long the bar of a chance is."""


def commands_of(match: Match) -> list[str]:
    """Return the commands of a way to play; where each guess counts none is taken back."""
    left_out = {"hint"} if match.mode == "hide" else {*HIDING, *(["undo"] if match.guesses_count else [])}
    left_out |= set() if match.mode == "duel" else {"chance"}
    return [name for name in COMMANDS if name not in left_out]


def size_of(game: Game) -> str:
    """Return how long a guess is, in a few words: `5 letters`."""
    size, family = len(game.guesses[0]), game.family
    symbols = sorted({symbol for guess in (game.guesses[0], game.guesses[-1]) for symbol in guess})
    if family == "mastermind":
        return f"{size} colours, {symbols[0]} to {symbols[-1]}"
    if family == "bulls":
        return f"{size} different digits"
    return f"{size} letters"


def answer_example(game: Game) -> str:
    """Return which answers there are, as short as a prompt wants it."""
    from oracular.games.game import WrittenRules

    if isinstance(game.rules, WrittenRules):
        return f"like {game.rules.example}"
    size = len(game.guesses[0])
    return f"0-{size}, or found" if "found" in game.labels else f"0-{size}"


def prompt_of(match: Match) -> str:
    """Return what the person is asked for."""
    if match.to_move == "amend":
        return f"number and answer (like {change_example(match)}), undo, or tell: "
    if match.to_move == "answer":
        return f"your answer to {(match.pending or '').upper()} ({answer_example(match.matchup.guessing.game)}): "
    row = f" {len(match.yours) + 1} of {match.rows}" if match.rows is not None else ""
    return f"your guess{row} ({size_of(match.matchup.game)}): "


def opening_lines(match: Match, again: bool = False) -> Lines:
    """Return which game it is and what the person has to do first; all that is known already is left out."""
    from oracular.play.wording import title_of

    matchup, noun = match.matchup, match.matchup.game.noun
    day = f" of {match.daily}" if match.daily else ""
    lines: Lines = [f"{title_of(matchup.game.name)}{day} ({matchup.game.name})"]
    hidden = f"Hold one of {len(matchup.guessing.game.secrets):,} {noun}s in mind, and answer each guess."
    rows = f" You have {match.rows} guesses." if match.rows is not None else ""
    keeps = " The computer keeps to the rule of guessing." if matchup.rule else ""
    lines.append(f"{hidden}{keeps}" if match.mode == "hide" else f"{matchup.summary}{rows}")
    if match.mode == "duel":
        first = "You begin" if match.starter == "you" else "The computer began"
        lines.append(f"{first}. Whoever finds the other's {noun} first wins at once.")
        lines.append(f"Of your {noun} the computer sees the answers and nothing else.")
    if again:
        return ["", *lines, ""]
    return [*lines, matchup.description(match.mode), *answer_lines(matchup.game), "Type ? for help.", ""]


def answer_lines(game: Game) -> Lines:
    """Return how answers are to be read, with an example."""
    from oracular.play.wording import explained_answer

    example = explained_answer(game)
    return [f"Answers: {game.reading}.", *([example] if example else [])]


def chance_line(chance: Chance, console: Console) -> str:
    """Return the person's chance to win a duel as a line with a bar."""
    from oracular.play.duel_review import chance_figure

    figure, bar = chance_figure(chance.chance), chance_bar(chance.chance, console)
    about = "about " if figure[0].isdigit() else ""
    return f"your chance to win: {about}{figure} {bar}"


def chance_bar(chance: float, console: Console) -> str:
    """Return a chance as a bar, in signs that the terminal can show."""
    filled = round(BAR * chance)
    full, empty = ("#", "-") if console.options.ascii_only else ("█", "░")
    return full * filled + empty * (BAR - filled)


def sheet_lines(match: Match, console: Console) -> Lines:
    """Return the sheet: guesses with answers, what is certain of each letter, how many words are left."""
    from oracular.play.deductions import sheet

    opponent, turns = match.main_half
    game = opponent.game
    if match.mode == "duel":
        lines: Lines = [*_columns(match)]
    else:
        lines = [turn_text(game, number, *turn, console) for number, turn in enumerate(turns, start=1)]
    if match.to_move == "amend":
        return [*lines, "The answers contradict each other: nothing can be deduced from them."]
    known = sheet(game, turns)
    for mark, style in MARK_STYLES.items():
        symbols = [symbol for symbol in known.symbols if known.symbols[symbol] == mark]
        lines.append(Text(f"{mark:>5}: ").append(" ".join(symbols) or "-", style))
    return [*lines, f"{counted(known.left, game.noun)} left."]


def _columns(match: Match) -> list[str]:
    """Return both sides' guesses of a duel, side by side."""
    game = match.matchup.game
    mine, theirs = (
        [f"{guess}  {answer_words(game, answer)}" for guess, answer in turns]
        for turns in (match.yours, match.computers)
    )
    width = max(map(len, ["you", *mine]))
    lines = [f"     {'you':<{width}}   the computer, for {match.own}"]
    for number, (left, right) in enumerate(zip_longest(mine, theirs, fillvalue=""), start=1):
        lines.append(f"{number:>3}  {left:<{width}}   {right}".rstrip())
    return lines


def words_line(game: Game, history: HistoryLike) -> str:
    """Return the words that are still possible, those that offend left out."""
    from oracular.games.offensive import inoffensive

    words = [game.secrets[index] for index in game.possible_after(history, only_allowed=False)]
    return f"{counted(len(words), game.noun)} left: {some_words(inoffensive(words), len(words), MAX_WORDS)}"


def word_line(matchup: Matchup, check: WordCheck) -> str:
    """Return what is to be said of a word: may it be hidden, and if the rules forbid it, which game takes it."""
    from oracular.games.jotto import jotto_rules, variant_name
    from oracular.games.names import split_rule, with_rule

    free, rule = split_rule(matchup.game.name)
    rules = jotto_rules(free)
    if rules is None or not check.broken:
        return check.note()
    repeats, anagrams = rules.repeats or "repeats" in check.broken, rules.anagrams or "anagrams" in check.broken
    return check.note(f"play {with_rule(variant_name(rules.letters, repeats, anagrams, rules.familiar), rule)}")


def contradiction_lines(match: Match) -> Lines:
    """Return a message that the answers contradict each other, which single one may be wrong, and the ways out."""
    found, noun, others = match.contradiction, match.matchup.guessing.game.noun, match.unlisted
    if found:
        heading = f"Your answers contradict each other: no {noun} gives them all. One of these, changed, will do:"
        lines = [f"{c.turn + 1:>3}  {c.guess}  {c.answer}, which could be {c.choices}" for c in found]
        if len(match.computers) == 1:
            heading = f"No {noun} of the list gives this answer:"
    else:
        heading = f"Your answers contradict each other: no {noun} gives them all, and {NO_SINGLE_ONE}."
        lines = [f"{number:>3}  {guess}  {answer}" for number, (guess, answer) in enumerate(match.computers, start=1)]
    if others:
        fit = "this other word does" if len(others) == 1 else "these other words do"
        listed = some_words([word.upper() for word in others], len(others))
        heading = f"No {noun} that the computer hides fits your answers, but {fit}: {listed}"
        lines = ["If one answer is wrong instead:", *lines] if found else []
    return [
        heading,
        *lines,
        f"Type the number and the right answer, like {change_example(match)}, or undo.",
        f"My {noun} is not in your list? Type tell and the {noun}.",
    ]


def change_example(match: Match) -> str:
    """Return how the answer to an earlier guess is changed, such as `2 1`: by one that would do, where it is known."""
    for correction in match.contradiction if match.to_move == "amend" else ():
        return f"{correction.turn + 1} {correction.choices.partition(' ')[0]}"
    game, last = match.matchup.guessing.game, len(match.computers) or 1
    given = match.computers[-1][1] if match.computers else None
    return f"{last} {next(label for label in game.labels if label != given)}"


def result_lines(match: Match) -> Lines:
    """Return how a match ended."""
    rounds, noun = max(len(match.yours), len(match.computers)), match.matchup.game.noun
    guesses = counted(rounds, "guess", "guesses")
    if match.result == "told":
        assert match.told is not None
        lines: Lines = [match.told.note]
        for mistake in match.told.mistakes if len(match.told.mistakes) > 1 else ():
            lines.append(f"{mistake.turn + 1:>3}  {mistake.guess}  {mistake.given}, which should be {mistake.right}")
    elif match.result == "lost":
        lines = [f"Not found in {guesses}: the game is lost."]
    elif match.result == "given up":
        lines = ["The game is given up."]
    elif match.mode == "guess":
        lines = [f"Found in {guesses}."]
    elif match.mode == "hide":
        lines = [f"The computer found {match.computers[-1][0]} in {guesses}."]
    else:
        won, made = match.result == "you", len(match.yours if match.result == "you" else match.computers)
        winner = f"You win: you found its {noun}" if won else f"The computer wins: it found your {noun}"
        lines = [f"{winner} first, in {counted(made, 'guess', 'guesses')}."]
    if match.secret is not None:
        lines.append(f"The computer's {noun} was {match.secret}.")
    if match.undone:
        lines.append(f"Moves taken back: {match.undone}.")
    return lines


def help_lines(match: Match) -> Lines:
    """Return the commands that can be typed, and the answers of the game."""
    game = match.main_half[0].game
    lines: Lines = ["Type an answer, or:" if match.mode == "hide" else f"Type a guess ({size_of(game)}), or:"]
    if match.to_move == "amend":
        lines = [f"Type the number of a guess and its right answer, like {change_example(match)}, or:"]
    noun, symbol = game.noun, {"mastermind": "colour", "bulls": "digit"}.get(game.family, "letter")
    for name in commands_of(match):
        lines.append(f"  {name:<9} {COMMANDS[name].format(noun=noun, NOUN=noun.upper(), symbol=symbol)}")
    both = [name for name in commands_of(match) if match.mode != "hide" and name in game.guesses]
    if both:
        lines.append(f"To guess the word {' or '.join(both)}, type: guess {both[0]}")
    if match.mode == "duel":
        lines.append(f"Whoever finds the other's {noun} first wins at once. Who begins alternates.")
    lines += [match.matchup.rule] if match.matchup.rule else []
    lines += answer_lines(game)
    return [*lines, f"To answer, give {game.ways_to_answer}."] if match.mode == "hide" else lines


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
