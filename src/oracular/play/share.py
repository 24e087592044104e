"""The result of a match as a text to share: one line a guess, and no letter of any word.

    Jotto 16 Nov 2026: found in 3
    ●●○○○ 2
    ●●●○○ 3
    ●●●●●

A filled circle stands for a common letter in Jotto, a coloured square for a letter in Wordle, a peg in Mastermind, a
bull or a cow in Bulls and Cows.
"""

from __future__ import annotations

from datetime import date

from oracular.games.game import Game
from oracular.games.jotto import CommonLetters
from oracular.games.wordle import Colours
from oracular.play.match import Match
from oracular.play.titles import short_title_of
from oracular.system.counting import counted

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
SQUARES = {"g": "🟩", "y": "🟨", "-": "⬜"}
PEGS = {"mastermind": ("⚫", "⚪"), "bulls": ("🐂", "🐄")}


def share_text(match: Match) -> str | None:
    """Return the result of a match in which the person guessed; None where it is not over, or only the computer did."""
    if match.result is None or match.mode == "hide":
        return None
    game = match.matchup.game
    lines = [_line(game, answer) for _, answer in match.yours]
    return "\n".join([f"{_title(match)}: {_outcome(match)}", *lines])


def _title(match: Match) -> str:
    """Return which game it was, and of which day."""
    title = short_title_of(match.matchup.game.name)
    if match.daily is not None:
        day = date.fromisoformat(match.daily)
        return f"{title} {day.day} {MONTHS[day.month - 1]} {day.year}"
    return f"{title} duel" if match.mode == "duel" else title


def _outcome(match: Match) -> str:
    """Return how the match ended, in a few words."""
    made = len(match.yours)
    guesses, computers = (counted(len(turns), "guess", "guesses") for turns in (match.yours, match.computers))
    texts = {
        "found": f"found in {made}" if match.rows is None else f"found in {made} of {match.rows}",
        "lost": f"not found in {made}",
        "given up": f"given up after {guesses}",
        "you": f"I won in {guesses}",
        "computer": f"the computer won in {computers}",
    }
    taken_back = f" ({match.undone} taken back)" if match.undone else ""
    return texts[match.result or "given up"] + taken_back


def _line(game: Game, answer: str) -> str:
    """Return an answer as symbols."""
    found, size = game.labels[game.found], len(game.guesses[0])
    if isinstance(game.rules, CommonLetters):
        common = size if answer == found else int(answer)
        return "●" * size if answer == found else f"{'●' * common}{'○' * (size - common)} {answer}"
    if isinstance(game.rules, Colours):
        return "".join(SQUARES[mark] for mark in answer)
    pegs = PEGS.get(game.family)
    if pegs is None:
        return answer
    in_place, elsewhere = (int(count) for count in answer.split("."))
    return f"{pegs[0] * in_place}{pegs[1] * elsewhere}{'➖' * (size - in_place - elsewhere)}"
