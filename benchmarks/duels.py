"""Whether watching wins: duels of the duel player against the one-sided player, on the same deals in both roles.

    python benchmarks/duels.py jotto-5 --games 2000 --seed 1

    python benchmarks/duels.py jotto-5 --dealt

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
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.play.duel import DuelView, duel_guess, duel_half
from oracular.play.duel_model import duel_model
from oracular.play.match import answer_to
from oracular.play.opponent import Opponent, matchup_by_name
from oracular.responses.planned_layers import branching, missed_shares
from oracular.system.caching import kept_with
from oracular.system.counting import counted

TOLD_AFTER = 100
"""After so many deals the figures so far are told."""


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
    game = half.game
    own_draw = int(np.random.default_rng([draw, 1]).integers(2**62))
    one_sided = half.guesser.new_game(np.random.default_rng([draw, 2]))
    turns: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    times: list[float] = []
    duel_player_moves = begins
    while True:
        if duel_player_moves:
            start = time.thread_time()
            guess = duel_guess(DuelView(half, half, turns, others, own, begins), own_draw)
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
    return kept_with(half, f"odds_{dealt}", lambda: _odds(half, dealt))


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


def collected(asked: argparse.Namespace, deals: Iterable[list[Outcome]]) -> list[list[Outcome]]:
    """Return the deals as a list; how it stands is told on stderr now and then."""
    played: list[list[Outcome]] = []
    for deal in deals:
        played.append(deal)
        if len(played) % TOLD_AFTER == 0:
            print(json.dumps(summary(asked.game, played, asked.dealt)), file=sys.stderr, flush=True)
    return played


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("game", nargs="?", default="jotto-5")
    parser.add_argument("--games", type=int, default=2000, help="how many duels, two for each deal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dealt", action="store_true", help="both hide alike: guessing alone is compared")
    parser.add_argument(
        "--processes", type=int, default=1, help="processes that share the deals; they change no figure"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    numbers = range(max(1, asked.games // 2))
    tasks = [asked.game] * len(numbers), numbers, [asked.seed] * len(numbers), [asked.dealt] * len(numbers)
    if asked.processes == 1:
        deals = collected(asked, map(play_deal, *tasks))
    else:
        with ProcessPoolExecutor(asked.processes) as pool:
            deals = collected(asked, pool.map(play_deal, *tasks, chunksize=4))
    figures = summary(asked.game, deals, asked.dealt)
    if asked.json:
        print(json.dumps(figures))
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
