"""Whether watching wins: duels of the duel player against the one-sided player, on the same deals in both roles.

    python benchmarks/duels.py jotto-5 --games 2000 --seed 1

    python benchmarks/duels.py jotto-5 --dealt

    python benchmarks/duels.py jotto-5 --chances --games 1000 --seed 2

The one-sided player hides and guesses with the strategies that are best where one side guesses alone: a secret and a
tree are drawn, and it never looks at the other side. The duel player is the computer of `oracular play --mode duel`.
It hides as it does there: by the race strategy of its role where one comes with the package. With `--dealt` it hides
as the one-sided player does, so that guessing alone is compared. A deal is what is drawn: for the secret of whoever
begins, for the secret of the other, and for each player's guesses. Each deal is played twice, with the players changed
round, so that no player has the better draw.

The rate's interval is that of the mean, over deals, of the duel player's share of a deal's two duels: 1.96 times the
standard error. So what both duels of a deal have in common is no part of it.

Most of what is left is luck, and how much of it was luck is known here. How soon the one-sided player would find is
drawn, and so is which answer a guess gets; after each draw the duel player's prospects are better or worse than they
were on average over all that might have been drawn, by a simple estimate from the number of guesses and secrets left.
The second estimate is the rate less the sum of these differences. Each of them is zero on average whatever the duel
player does and however rough the estimate of prospects is, since what is drawn is drawn from known strategies. So the
second estimate has the same expectation as the rate, and a narrower interval.

With `--chances` the duel player plays against itself. Each side hides by the race strategy of its role, and both sides'
chances to win are estimated at random positions. The table compares them with who won. Every position of every duel is
taken with the same probability: a fixed number for each duel would favour short duels, whose secrets are easy to find.
All standard errors are clustered by duel, since the positions of a duel have one outcome. Those of the rows are of
right chances: in a row whose positions were all won, the outcomes alone would show no error at all.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from oracular.planner.planner import branching, missed_shares
from oracular.play.deductions import answer_to
from oracular.play.duel import DuelView, duel_guess, duel_half
from oracular.play.duel_model import Turns, duel_model
from oracular.play.opponent import Opponent, matchup_by_name
from oracular.system.files import counted
from oracular.system.memory import cached_on

REPORTED_AFTER = 100
"""After this many deals the figures so far are printed."""

POSITIONS = 0.25
"""The probability that the chances are estimated at a position."""


GUESSES_LEFT = 12
"""Prospects are estimated for up to so many guesses left."""


class Outcome(NamedTuple):
    """One duel.

    Attributes:
        won: whether the duel player won.
        begins: whether it began.
        times: the processor time of each of its moves in seconds.
        luck: by how much what was drawn raised its prospects; NaN where that is not known.
    """

    won: bool
    begins: bool
    times: list[float]
    luck: float = math.nan


def secret_of(half: Opponent, draw: int, seat: bool, hides_for_race: bool) -> str:
    """Return what is hidden by whoever begins (True) or the other: as the one-sided player hides or for the race."""
    hider = duel_half(half, begins=seat).hider if hides_for_race else half.hider
    return hider.sample(np.random.default_rng([draw, 3, seat]))


def play(half: Opponent, own: str, other: str, begins: bool, draw: int, dealt: bool) -> Outcome:
    """Return a duel in which the duel player holds one secret and the one-sided player the other."""
    game, sought = half.game, half if dealt else duel_half(half, begins=begins)
    own_draw = int(np.random.default_rng([draw, 1]).integers(2**62))
    one_sided = half.guesser.new_game(np.random.default_rng([draw, 2]))
    turns: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    times: list[float] = []
    duel_player_moves = begins
    while True:
        if duel_player_moves:
            start = time.thread_time()
            guess = duel_guess(DuelView(half, sought, turns, others, own, begins), own_draw)
            times.append(time.thread_time() - start)
            turns = (*turns, (guess, answer_to(game, guess, other)))
        else:
            guess = one_sided.guess(others)
            others = (*others, (guess, answer_to(game, guess, own)))
        if guess == (other if duel_player_moves else own):
            break
        duel_player_moves = not duel_player_moves
    odds = odds_of(half, dealt)
    if odds is None:
        return Outcome(duel_player_moves, begins, times)
    needed = int(one_sided.oracles[0].depths()[game.secrets.index(own)])
    last = needed if begins else needed - 1  # the last guess at which the duel player still wins
    luck = odds.luck_of_draw(last, begins) + odds.luck_of_answers([guess for guess, _ in turns], other, last)
    return Outcome(duel_player_moves, begins, times, luck)


class Odds(NamedTuple):
    """What is known of the draws of a duel with the one-sided player.

    Attributes:
        found: how likely the one-sided player needs 0, 1, 2, ... guesses at most, where it hides itself [guesses].
        mean: what `found` is on average at the last guess at which a side still wins that begins (True) or not.
        missed: a rough estimate of how likely somebody with so many guesses left misses one of so many secrets.
    """

    half: Opponent
    found: NDArray[np.float64]
    mean: dict[bool, float]
    missed: NDArray[np.float64]

    def luck_of_draw(self, last: int, begins: bool) -> float:
        """Return how much better than on average it is that this guess is the last at which the duel player wins."""
        return float(self.found[last]) - self.mean[begins]

    def luck_of_answers(self, guesses: list[str], other: str, last: int) -> float:
        """Return how much better than on average the answers to some guesses were, taken together."""
        game, luck = self.half.game, 0.0
        state, secret = game.all_secrets, game.secrets.index(other)
        for place, guess in enumerate(guesses[:last]):
            row = game.table[game.guess_index(guess)]
            answers, weights = row[state], self.half.hider.probabilities[state]
            sizes = np.bincount(answers)[answers]
            missed = self.missed[min(last - place, len(self.missed)) - 1, sizes]
            hopes = np.where(answers == game.found, 1.0, 1 - missed)
            luck += float(hopes[state == secret][0] - hopes @ weights / weights.sum())
            state = state[answers == row[secret]]
        return luck


def odds_of(half: Opponent, dealt: bool) -> Odds | None:
    """Return what is known of the draws, as the duel player hides in play or by dealt secrets; None if nothing is."""
    return cached_on(half, f"odds_{dealt}", lambda: _odds(half, dealt))


def _odds(half: Opponent, dealt: bool) -> Odds | None:
    pool = duel_model(half).pool
    if pool is None or duel_model(half).game is not half.game:
        return None

    def needed(hider: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how likely the one-sided player needs 0, 1, 2, ... guesses [guesses]."""
        shares = pool.shares[:, None] * hider
        return np.bincount(pool.depths.ravel(), weights=shares.ravel(), minlength=256).astype(np.float64)

    found = np.cumsum(needed(half.hider.probabilities))
    mean = {}
    for begins in (True, False):
        hider = half.hider if dealt else duel_half(half, begins=begins).hider
        sought = needed(hider.probabilities)
        mean[begins] = float(sought @ found if begins else sought[1:] @ found[:-1])
    secrets = len(half.game.secrets)
    return Odds(half, found, mean, missed_shares(branching(half.game), secrets, GUESSES_LEFT) / 4096)


def play_deal(name: str, number: int, seed: int, dealt: bool) -> list[Outcome]:
    """Return both duels of a deal."""
    half = matchup_by_name(name).guessing
    draw = int(np.random.default_rng([seed, number]).integers(2**62))
    outcomes = []
    for begins in (True, False):
        own, other = secret_of(half, draw, begins, not dealt), secret_of(half, draw, not begins, False)
        outcomes.append(play(half, own, other, begins, draw, dealt))
    return outcomes


class Forecast(NamedTuple):
    """Both sides' estimated chances at a position of a duel, and which side won it.

    Attributes:
        duel: the number of the duel.
        next_side: the chance of the side that makes the next guess.
        other_side: the chance of the other side.
        won: whether the side won that made the next guess.
        turns: the guesses and answers of whoever began and of the other.
    """

    duel: int
    next_side: float
    other_side: float
    won: bool
    turns: tuple[Turns, Turns]


def forecasts_of_duel(name: str, number: int, seed: int, share: float) -> list[Forecast]:
    """Return both sides' chances at some positions of a duel of the duel player against itself."""
    half = matchup_by_name(name).guessing
    hiding = [duel_half(half, begins=begins) for begins in (True, False)]
    rng = np.random.default_rng([seed, number])
    secrets = [side.hider.draw(rng) for side in hiding]
    draws = [int(rng.integers(2**62)) for _ in hiding]
    turns: list[Turns] = [(), ()]

    def view(side: int, turns: Sequence[Turns]) -> DuelView:
        return DuelView(hiding[1 - side], hiding[side], turns[side], turns[1 - side], secrets[side], side == 0)

    passed: list[tuple[Turns, Turns]] = []
    while not any(made and made[-1][0] == secrets[1 - side] for side, made in enumerate(turns)):
        side = len(passed) % 2
        passed.append((turns[0], turns[1]))
        guess = duel_guess(view(side, turns), draws[side])
        turns[side] = (*turns[side], (guess, answer_to(half.game, guess, secrets[1 - side])))
    chosen = np.flatnonzero(rng.random(len(passed)) < share).tolist()
    forecasts = []
    for place in chosen:
        chances = [view(side, passed[place]).chance()[0] for side in (place % 2, 1 - place % 2)]
        won = (len(passed) - 1 - place) % 2 == 0
        forecasts.append(Forecast(number, *chances, won, passed[place]))
    return forecasts


def clustered(values: NDArray[np.float64], duels: NDArray[np.int64]) -> tuple[float, float]:
    """Return the mean of some values, and its standard error where those of a duel belong together."""
    mean = float(values.mean())
    sums = np.bincount(duels, weights=values - mean)
    return mean, math.sqrt(float((sums**2).sum())) / len(values)


def error_if_right(chances: NDArray[np.float64], first: NDArray[np.bool_], duels: NDArray[np.int64]) -> float:
    """Return the standard error of how often some positions are won if these are the chances.

    All positions of a duel have one outcome, so those of one side are won together, and those of the other lost.
    """
    deviations = np.where(first, 1, -1) * np.sqrt(np.maximum(0.0, chances * (1 - chances)))
    return math.sqrt(float((np.bincount(duels, weights=deviations) ** 2).sum())) / len(chances)


def calibration(name: str, duels: list[list[Forecast]]) -> dict[str, object]:
    """Return how the chances of some duels agree with their outcomes; both sides of a position count."""
    positions = [forecast for duel in duels for forecast in duel]
    number = np.array([forecast.duel for forecast in positions])
    mine, other, won = (
        np.array([float(forecast[column]) for forecast in positions])
        for column in (Forecast._fields.index(field) for field in ("next_side", "other_side", "won"))
    )
    chances, wins, of_duel = np.append(mine, other), np.append(won, 1 - won), np.append(number, number)
    is_first = np.array([len(forecast.turns[0]) == len(forecast.turns[1]) for forecast in positions])
    first = np.append(is_first, ~is_first)
    place = np.minimum(9, (10 * chances).astype(np.int64))
    deciles = []
    for decile in np.unique(place).tolist():
        at = place == decile
        predicted, share = float(chances[at].mean()), float(wins[at].mean())
        error = error_if_right(chances[at], first[at], of_duel[at])
        deciles.append((decile, int(at.sum()), predicted, share, predicted - share, error))
    return {
        "game": name,
        "duels": len(duels),
        "positions": len(positions),
        "sum": clustered(mine + other, number),
        "bias": clustered(chances - wins, of_duel),
        "bias_next_side": clustered(mine - won, number),
        "brier": clustered((chances - wins) ** 2, of_duel),
        "brier_of_a_half": 0.25,
        "deciles": deciles,
    }


def print_calibration(figures: dict[str, Any], seed: int) -> None:
    """Print the table of how chances agree with outcomes."""
    print(
        f"{figures['game']}: chances at {figures['positions']:,} positions of {figures['duels']:,} duels of the duel "
        f"player against itself (seed {seed})"
    )
    total, error = figures["sum"]
    print(f"  the chances of both sides sum to {total:.4f} (standard error {error:.4f}, by duel)")
    for words, (bias, error) in (
        ("of both sides", figures["bias"]),
        ("of the side that guesses next", figures["bias_next_side"]),
    ):
        low, high = bias - 1.96 * error, bias + 1.96 * error
        print(f"  predicted less won, {words}: {bias:+.4f}, 95% interval {low:+.4f} to {high:+.4f}")
    brier, error = figures["brier"]
    print(f"  Brier score {brier:.4f} (standard error {error:.4f}); a constant chance of one half has 0.2500")
    print("  chance      positions  predicted   won   difference / standard error")
    for decile, count, predicted, wins, difference, error in figures["deciles"]:
        ratio = f"{difference / error:+.1f}" if error else "-"
        print(f"  {decile / 10:.1f} to {decile / 10 + 0.1:.1f} {count:10,} {predicted:10.3f} {wins:7.3f} {ratio:>10}")


def interval(shares: list[float]) -> tuple[float, float, float]:
    """Return the mean of some shares, and its 95% interval."""
    mean = statistics.fmean(shares)
    error = 1.96 * statistics.stdev(shares) / math.sqrt(len(shares)) if len(shares) > 1 else math.inf
    return mean, mean - error, mean + error


def summary(name: str, deals: list[list[Outcome]], dealt: bool) -> dict[str, object]:
    """Return the figures of some deals."""
    games = [outcome for deal in deals for outcome in deal]
    rate, lower, upper = interval([statistics.fmean(outcome.won for outcome in deal) for deal in deals])
    times = sorted(seconds for outcome in games for seconds in outcome.times)
    first, second = (statistics.fmean(o.won for o in games if o.begins == begins) for begins in (True, False))
    less_luck = [statistics.fmean(outcome.won - outcome.luck for outcome in deal) for deal in deals]
    adjusted = (None,) * 3 if math.isnan(less_luck[0]) else interval(less_luck)
    return {
        "game": name,
        "duels": len(games),
        "secrets": "dealt" if dealt else "own",
        "wins": sum(outcome.won for outcome in games),
        "rate": rate,
        "lower": lower,
        "upper": upper,
        "adjusted_rate": adjusted[0],
        "adjusted_lower": adjusted[1],
        "adjusted_upper": adjusted[2],
        "rate_as_first": first,
        "rate_as_second": second,
        "median_ms": 1e3 * statistics.median(times),
        "p95_ms": 1e3 * times[int(0.95 * (len(times) - 1))],
    }


Played = TypeVar("Played")


def collected(deals: Iterable[list[Played]], figures: Callable[[list[list[Played]]], object]) -> list[list[Played]]:
    """Return the deals as a list; the figures so far are printed on stderr now and then."""
    played: list[list[Played]] = []
    for deal in deals:
        played.append(deal)
        if len(played) % REPORTED_AFTER == 0:
            print(json.dumps(figures(played)), file=sys.stderr, flush=True)
    return played


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("game", nargs="?", default="jotto-5")
    parser.add_argument("--games", type=int, default=2000, help="how many duels, two for each deal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dealt", action="store_true", help="both hide alike: guessing alone is compared")
    parser.add_argument("--chances", action="store_true", help="compare the chances to win with who won")
    parser.add_argument(
        "--processes", type=int, default=1, help="processes that share the deals; they change no figure"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    play: Callable[..., list[Any]] = forecasts_of_duel if asked.chances else play_deal
    count = asked.games if asked.chances else max(1, asked.games // 2)
    last = POSITIONS if asked.chances else asked.dealt
    tasks = [asked.game] * count, range(count), [asked.seed] * count, [last] * count

    def figures_of(deals: list[list[Any]]) -> dict[str, object]:
        return calibration(asked.game, deals) if asked.chances else summary(asked.game, deals, asked.dealt)

    if asked.processes == 1:
        deals = collected(map(play, *tasks), figures_of)
    else:
        with ProcessPoolExecutor(asked.processes) as pool:
            deals = collected(pool.map(play, *tasks, chunksize=4), figures_of)
    figures = figures_of(deals)
    if asked.json:
        print(json.dumps(figures))
        return
    if asked.chances:
        print_calibration(figures, asked.seed)
        return
    print(
        f"{asked.game}: the duel player won {figures['wins']} of {counted(int(str(figures['duels'])), 'duel')} "
        f"against the one-sided player ({len(deals)} deals in both roles, seed {asked.seed})"
    )
    hiding = "both hide by the one-sided strategy" if asked.dealt else "each hides as it does in play"
    print(f"  method: {hiding}; every deal is played twice, with the players changed round")
    print(f"  rate {figures['rate']:.4f}, 95% interval {figures['lower']:.4f} to {figures['upper']:.4f} (over deals)")
    if figures["adjusted_rate"] is not None:
        print(
            f"  less the luck of the draws: rate {figures['adjusted_rate']:.4f}, 95% interval "
            f"{figures['adjusted_lower']:.4f} to {figures['adjusted_upper']:.4f}"
        )
    print(f"  as first mover {figures['rate_as_first']:.4f}, as second mover {figures['rate_as_second']:.4f}")
    print(
        f"  a move: median {figures['median_ms']:.0f} ms, 95th percentile {figures['p95_ms']:.0f} ms of processor time "
        f"(load {os.getloadavg()[0]:.1f})"
    )


if __name__ == "__main__":
    main()
