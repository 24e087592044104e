"""What is known of a solved game: recorded bounds, what the hider does, how solving converged, who beats whom."""

from __future__ import annotations

from pathlib import Path

from oracular.games.offensive import is_offensive
from oracular.runs.leaderboard import leaderboard
from oracular.strategies.hider import Hider
from oracular.strategies.race_file import has_race, load_race
from oracular.strategies.shipped import Shipped, has_shipped, load
from oracular.web.catalogue import game_card
from oracular.web.schemas import HIDDEN_SHOWN, BoundsView, HiddenWord, LeaderboardView, RaceView, SolvedView


def solved_view(name: str) -> SolvedView:
    """Return everything about a game but its leaderboard, which takes long to compute."""
    card = game_card(name)
    if not has_shipped(name):
        return SolvedView(game=card, bounds=None, hider=None, letters=None, history=None, leaderboard=None)
    shipped = load(name)
    weights = shipped.hider.weights[shipped.hider.weights > 0]
    side = "lower" if shipped.made_by.get("solver") == "exact" else "best_response_found"
    history = [{"iteration": int(step), "guarantee": upper, side: hider} for step, upper, hider in shipped.history]
    return SolvedView(
        game=card,
        bounds=_bounds(shipped),
        hider=_likeliest_secrets(shipped.hider),
        equally_likely=len(weights) if (weights == weights[0]).all() else None,
        letters=_letter_probabilities(shipped.hider),
        history=history or None,
        race=_race(name),
        leaderboard=None,
    )


def leaderboard_view(name: str, runs: Path) -> LeaderboardView:
    """Return who beats whom, as floats; a run of the paper's method is included where the folder `runs` has one."""
    table = leaderboard(name, runs, solving=False)
    return LeaderboardView(
        guessers=table.guessers,
        hiders=table.hiders,
        payoffs=[[float(value) for value in row] for row in table.payoffs],
        guarantees=[float(value) for value in table.guarantees],
        guessers_are=[check.words for check in table.uppers],
    )


def _bounds(shipped: Shipped) -> BoundsView:
    """Return the recorded bounds on the value, and how to prove them again."""
    again = f"Recorded with the strategies; 'oracular verify {shipped.game.name}' proves it again."
    if shipped.lower == shipped.recorded_guarantee:
        note = f"The value of the game, in expected guesses: both bounds are equal. {again}"
    else:
        uniform = shipped.best_bound.hider == "uniform"
        whose = f"hides every {shipped.game.noun} with equal chances" if uniform else "plays our strategy"
        note = (
            "Expected guesses: our guesser needs no more than the upper bound whatever is hidden, and no "
            f"guesser needs fewer than the lower bound against a hider who {whose}. {again}"
        )
    return BoundsView(lower=float(shipped.lower), upper=float(shipped.recorded_guarantee), note=note)


def _race(name: str) -> RaceView | None:
    """Return what is recorded of the race of a game; None where no strategies for it come with the package."""
    if not has_race(name):
        return None
    kept = load_race(name).recorded
    return RaceView(
        first_mover_wins=kept.first_mover_wins,
        epsilon_first=kept.epsilon_first,
        epsilon_second=kept.epsilon_second,
        one_sided_epsilon_first=kept.one_sided_epsilon_first,
        one_sided_epsilon_second=kept.one_sided_epsilon_second,
        note="Measured for the blind race, in which neither side watches the other, and no bound: better play may not "
        f"have been found. 'oracular race {name} --show --verify' measures it again.",
    )


def _likeliest_secrets(hider: Hider) -> list[HiddenWord]:
    """Return the likeliest secrets, the likeliest first; those that are never hidden or offend are left out."""
    chances = zip(hider.game.secrets, hider.probabilities.tolist(), strict=True)
    shown = [(word, chance) for word, chance in chances if chance > 0 and not is_offensive(word)]
    ranked = sorted(shown, key=lambda pair: (-pair[1], pair[0]))[:HIDDEN_SHOWN]
    return [HiddenWord(word=word, probability=chance) for word, chance in ranked]


def _letter_probabilities(hider: Hider) -> dict[str, float]:
    """Return how likely each letter is to be in the secret."""
    chances = dict.fromkeys(sorted(set("".join(hider.game.secrets))), 0.0)
    for word, chance in zip(hider.game.secrets, hider.probabilities.tolist(), strict=True):
        for letter in set(word):
            chances[letter] += chance
    return chances
