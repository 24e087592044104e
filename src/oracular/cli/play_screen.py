"""What a match looks like in a terminal: the sheet, the words left and the result, as lines of text."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from oracular.cli.advice_tables import NO_SINGLE_ONE, counted, noun_of, some_words

if TYPE_CHECKING:
    from oracular.games.game import Game, HistoryLike
    from oracular.play.match import Match

MODE_TEXTS = {
    "guess": "the computer hides a word, you guess it",
    "hide": "you hold a word in mind, the computer guesses and you answer",
    "duel": "both at once, turn by turn",
}

COMMANDS = {
    "hint": "the best guesses here, with what each is expected to need",
    "sheet": "the guesses so far, and what is certain of each letter, digit or colour (or ?)",
    "words": "what is still possible",
    "undo": "take the last move back",
    "change": "change N ANSWER: another answer to the computer's guess N",
    "give up": "end the game",
    "help": "this list",
    "quit": "leave",
}

MAX_WORDS = 80


def commands_of(mode: str) -> dict[str, str]:
    """Return the commands of a mode, each with what it does."""
    left_out = {"hint"} if mode == "hide" else {"change"}
    return {name: text for name, text in COMMANDS.items() if name not in left_out}


def opening_lines(match: Match) -> list[str]:
    """Return what the person has to do first."""
    matchup, noun = match.matchup, noun_of(match.matchup.game)
    lines = []
    if match.mode == "guess":
        lines.append(f"The computer has hidden its {noun}. Type a guess, or help. {answers_line(matchup.game)}")
    if match.mode == "hide":
        lines += [
            f"Hold one of {len(matchup.guessing.game.secrets):,} {noun}s in mind and answer each guess, or type help.",
            answers_line(matchup.guessing.game),
        ]
    if match.mode == "duel":
        first = "You begin" if match.starter == "you" else "The computer begins"
        lines += [
            f"The computer has hidden its {noun}. Of yours it sees the answers and nothing else, and it plays for "
            "fewest expected guesses.",
            f"{first}: that was drawn. Both have equal turns. Type a guess, or help. {answers_line(matchup.game)}",
        ]
    return lines


def answers_line(game: Game) -> str:
    """Return which answers a game has."""
    from oracular.games.game import enumerated

    found = game.labels[game.found]
    return f"Answers of {game.name}: {enumerated(game.labels)} ({game.reading}); {found} says that it is found."


def turn_line(number: int, guess: str, answer: str, who: str = "") -> str:
    """Return one guess as a line of the sheet."""
    return f"{number:>3}  {guess}  {answer}{f'  ({who})' if who else ''}"


def sheet_lines(match: Match) -> list[str]:
    """Return the sheet: guesses with answers, what is certain of each letter, how many words are left."""
    from oracular.play.deductions import sheet

    opponent, turns = match.main_half
    game = opponent.game
    lines = _columns(match) if match.mode == "duel" else [turn_line(n, *turn) for n, turn in enumerate(turns, start=1)]
    if match.to_move == "amend":
        return [*lines, "The answers contradict each other: nothing can be deduced from them."]
    known = sheet(game, turns)
    for mark in ("in", "out", "open"):
        symbols = [symbol for symbol in known.symbols if known.symbols[symbol] == mark]
        lines.append(f"{mark:>5}: {' '.join(symbols) or '-'}")
    return [*lines, f"{counted(known.left, noun_of(game))} left."]


def _columns(match: Match) -> list[str]:
    """Return both sides' guesses of a duel, side by side."""
    mine, theirs = (["  ".join(turn) for turn in turns] for turns in (match.yours, match.computers))
    width = max(map(len, ["you", *mine]))
    lines = [f"     {'you':<{width}}   the computer, for {match.own}"]
    for number, (left, right) in enumerate(zip_longest(mine, theirs, fillvalue=""), start=1):
        lines.append(f"{number:>3}  {left:<{width}}   {right}".rstrip())
    return lines


def words_line(game: Game, history: HistoryLike) -> str:
    """Return the words that are still possible."""
    words = tuple(game.secrets[index] for index in game.possible_after(history))
    return f"{counted(len(words), noun_of(game))} left: {some_words(words, MAX_WORDS)}"


def contradiction_lines(match: Match) -> list[str]:
    """Return a message that the answers contradict each other, and which single one may be wrong."""
    found, noun = match.contradiction, noun_of(match.matchup.guessing.game)
    if not found:
        return [
            f"Your answers contradict each other: no {noun} gives them all, and {NO_SINGLE_ONE}.",
            *[turn_line(n, *turn) for n, turn in enumerate(match.computers, start=1)],
            "Type a number and another answer, like 2 1, or undo.",
        ]
    lines = [f"Your answers contradict each other: no {noun} gives them all. One of these, changed, makes them agree:"]
    for correction in found:
        could_be = " or ".join(correction.could_be)
        lines.append(
            turn_line(correction.turn + 1, correction.guess, f"{correction.answer}, which could be {could_be}")
        )
    example = f"{found[0].turn + 1} {found[0].could_be[0]}"
    return [*lines, f"Type the number and the answer, like {example}, or undo."]


def result_lines(match: Match) -> list[str]:
    """Return how a match ended."""
    rounds, noun = max(len(match.yours), len(match.computers)), noun_of(match.matchup.game)
    guesses = "guess" if rounds == 1 else "guesses"
    if match.result == "given up":
        lines = ["The game is given up."]
    elif match.mode == "guess":
        lines = [f"Found in {rounds} {guesses}."]
    elif match.mode == "hide":
        lines = [f"The computer found {match.computers[-1][0]} in {rounds} {guesses}."]
    else:
        whose = {"you": f"You win: you found its {noun}", "computer": f"The computer wins: it found your {noun}"}
        lines = [f"{whose.get(match.result or '', f'A draw: both {noun}s were found')} in round {rounds}."]
    if match.secret is not None:
        lines.append(f"The computer's {noun} was {match.secret}.")
    if match.undone:
        lines.append(f"Moves taken back: {match.undone}.")
    return lines


def help_lines(match: Match) -> list[str]:
    """Return the commands that can be typed, and the answers of the game."""
    game = match.main_half[0].game
    lines = ["Type an answer, or:" if match.mode == "hide" else "Type a guess, or:"]
    lines += [f"  {name:<9} {text}" for name, text in commands_of(match.mode).items()]
    both = [name for name in commands_of(match.mode) if match.mode != "hide" and name in game.guesses]
    if both:
        lines.append(f"To guess the word {' or '.join(both)}, type: guess {both[0]}")
    return [*lines, answers_line(game)]
