"""What is known of a solved game: recorded bounds, what the hider does, how solving went, who beats whom."""

from __future__ import annotations

from pathlib import Path

from oracular.games.game import Game
from oracular.runs.leaderboard import leaderboard
from oracular.runs.limits import Progress
from oracular.strategies.hider import Hider
from oracular.strategies.shipped import Shipped, has_shipped, load
from oracular.web.offered import card
from oracular.web.schemas import HIDDEN_SHOWN, Board, Bounds, HiddenWord, SolvedView


class Unwatched:
    """A line of progress that nobody reads."""

    def __call__(self, step: Progress) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""

    def done(self, text: str) -> None:
        """Show nothing."""


def solved(name: str) -> SolvedView:
    """Return what is known at once of an offered game: all but who beats whom."""
    if not has_shipped(name):
        return SolvedView(game=card(name), bounds=None, hider=None, letters=None, history=None, leaderboard=None)
    shipped = load(name)
    return SolvedView(
        game=card(name),
        bounds=bounds(shipped),
        hider=likeliest(shipped.hider),
        letters=letters(shipped.game, shipped.hider),
        history=closing_in(shipped) or None,
        leaderboard=None,
    )


def bounds(shipped: Shipped) -> Bounds:
    """Return what is recorded of the value, and how to prove it again."""
    again = f"Recorded with the strategies; 'oracular verify {shipped.game.name}' proves it again."
    if shipped.lower == shipped.recorded_guarantee:
        note = f"The value of the game, in expected guesses: both bounds are equal. {again}"
    else:
        whose = "hides every word with equal chances" if shipped.lower_hider == "uniform" else "plays our strategy"
        note = (
            "Expected guesses: our guesser needs no more than the upper bound whatever is hidden, and no "
            f"guesser needs fewer than the lower bound against a hider who {whose}. {again}"
        )
    return Bounds(lower=float(shipped.lower), upper=float(shipped.recorded_guarantee), note=note)


def closing_in(shipped: Shipped) -> list[dict[str, float]]:
    """Return how the bounds closed in, a row for each step that was kept."""
    side = "lower" if shipped.made_by.get("solver") == "exact" else "best_response_found"
    return [{"iteration": int(step), "guarantee": upper, side: hider} for step, upper, hider in shipped.history]


def likeliest(hider: Hider) -> list[HiddenWord]:
    """Return the likeliest secrets, the likeliest first; those that are never hidden are left out."""
    chances = zip(hider.game.secrets, hider.probabilities.tolist(), strict=True)
    ranked = sorted(chances, key=lambda pair: (-pair[1], pair[0]))[:HIDDEN_SHOWN]
    return [HiddenWord(word=word, probability=chance) for word, chance in ranked if chance > 0]


def letters(game: Game, hider: Hider) -> dict[str, float]:
    """Return how likely each letter is in the secret."""
    chances = dict.fromkeys(sorted(set("".join(game.secrets))), 0.0)
    for word, chance in zip(game.secrets, hider.probabilities.tolist(), strict=True):
        for letter in set(word):
            chances[letter] += chance
    return chances


def board(name: str, runs: Path) -> Board:
    """Return who beats whom, rounded to floats; a run of the paper's method is counted in where `runs` holds one."""
    table = leaderboard(name, runs, Unwatched(), solving=False)
    return Board(
        guessers=table.guessers,
        hiders=table.hiders,
        payoffs=[[float(value) for value in row] for row in table.payoffs],
        guarantees=[float(value) for value in table.guarantees],
        guessers_are=[check.words for check in table.uppers],
    )
