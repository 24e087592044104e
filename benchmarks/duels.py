"""Whether watching wins: duels of the duel player against the one-sided player, on the same deals in both roles.

    python benchmarks/duels.py jotto-5 --games 2000 --seed 1

The one-sided player hides and guesses with the strategies that are best where one side guesses alone: a secret and a
tree are drawn, and it never looks at the other side. The duel player is the computer of `oracular play --mode duel`.
A deal is a secret for whoever begins, one for the other, both drawn as the one-sided player hides, and what each
player draws besides. Each deal is played twice, with the players changed round, so that no player has the better
secret. With `--own-secrets` the duel player hides as it does in play instead; the one-sided player's secret stays.

The rate's interval is that of the mean, over deals, of the duel player's share of a deal's two duels: 1.96 times the
standard error. So what both duels of a deal have in common is no part of it.

Most of what is left is luck of the deal: a secret that is easy to find, a tree of the other side that is quick. So a
second estimate compares each duel with the chance that a one-sided player would have had in the duel player's place,
exact over all its trees, with the same secrets and the same draw of the other side. Over both roles these chances are
one half on average, since both seats draw alike; the estimate is one half plus the mean of what the duel player won
beyond them, which has the same expectation as the rate and a narrower interval. It needs dealt secrets.
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

from oracular.play.duel import DuelView, duel_guess, duel_half
from oracular.play.duel_model import duel_model
from oracular.play.match import answer_to
from oracular.play.opponent import Opponent, matchup_by_name
from oracular.system.counting import counted

TOLD_AFTER = 100
"""After so many deals the figures so far are told."""


class Outcome(NamedTuple):
    """One duel.

    Attributes:
        won: whether the duel player won.
        begins: whether it began.
        times: the processor time of each of its moves in seconds.
        par: the chance that a one-sided player would have had in its place; NaN where that is not known.
    """

    won: bool
    begins: bool
    times: list[float]
    par: float = math.nan


def secret_of(opponent: Opponent, rng: np.random.Generator, begins: bool | None = None) -> str:
    """Return a secret: as the one-sided player hides or, in the role that is given, as the duel player does."""
    hider = opponent.hider if begins is None else duel_half(opponent, begins=begins).hider
    return hider.draw(rng)


def play(half: Opponent, own: str, other: str, begins: bool, seed: int) -> Outcome:
    """Return a duel in which the duel player holds one secret and the one-sided player the other."""
    game = half.game
    draw = int(np.random.default_rng([seed, 1]).integers(2**62))
    one_sided = half.guesser.new_game(np.random.default_rng([seed, 2]))
    turns: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    times: list[float] = []
    duel_player_moves = begins
    while True:
        if duel_player_moves:
            start = time.thread_time()
            guess = duel_guess(DuelView(half, half, turns, others, own, begins), draw)
            times.append(time.thread_time() - start)
            if guess == other:
                return Outcome(True, begins, times)
            turns = (*turns, (guess, answer_to(game, guess, other)))
        else:
            guess = one_sided.guess(others)
            if guess == own:
                return Outcome(False, begins, times)
            others = (*others, (guess, answer_to(game, guess, own)))
        duel_player_moves = not duel_player_moves


def par_of(half: Opponent, own: str, other: str, begins: bool, seed: int) -> float:
    """Return the chance of a one-sided player in the duel player's place, over all trees that it may draw."""
    pool = duel_model(half).pool
    one_sided = half.guesser.new_game(np.random.default_rng([seed, 2]))
    if pool is None:
        return math.nan
    needed = int(one_sided.oracles[0].depths()[half.game.secrets.index(own)])
    depths = pool.depths[:, half.game.secrets.index(other)]
    return float(pool.shares[depths <= needed if begins else depths < needed].sum())


def play_deal(name: str, number: int, seed: int, own_secrets: bool) -> list[Outcome]:
    """Return both duels of a deal."""
    half = matchup_by_name(name).guessing
    rng = np.random.default_rng([seed, number])
    secrets = {True: secret_of(half, rng), False: secret_of(half, rng)}  # of whoever begins, and of the other
    seeds = int(rng.integers(2**62))
    outcomes = []
    for begins in (True, False):
        own = secret_of(half, np.random.default_rng([seeds, 3]), begins) if own_secrets else secrets[begins]
        outcome = play(half, own, secrets[not begins], begins, seeds)
        outcomes.append(outcome._replace(par=par_of(half, own, secrets[not begins], begins, seeds)))
    return outcomes


def interval(shares: list[float]) -> tuple[float, float, float]:
    """Return the mean of some shares, and its 95% interval."""
    mean = statistics.fmean(shares)
    error = 1.96 * statistics.stdev(shares) / math.sqrt(len(shares)) if len(shares) > 1 else math.inf
    return mean, mean - error, mean + error


def summary(name: str, deals: list[list[Outcome]], own_secrets: bool) -> dict[str, object]:
    """Return the figures of some deals."""
    games = [outcome for deal in deals for outcome in deal]
    rate, lower, upper = interval([statistics.fmean(outcome.won for outcome in deal) for deal in deals])
    times = sorted(seconds for outcome in games for seconds in outcome.times)
    first, second = (statistics.fmean(o.won for o in games if o.begins == begins) for begins in (True, False))
    beyond = [statistics.fmean(outcome.won - outcome.par for outcome in deal) + 0.5 for deal in deals]
    adjusted = (None,) * 3 if own_secrets or math.isnan(beyond[0]) else interval(beyond)
    return {
        "game": name,
        "duels": len(games),
        "secrets": "own" if own_secrets else "dealt",
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
            print(json.dumps(summary(asked.game, played, asked.own_secrets)), file=sys.stderr, flush=True)
    return played


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("game", nargs="?", default="jotto-5")
    parser.add_argument("--games", type=int, default=2000, help="how many duels, two for each deal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own-secrets", action="store_true", help="the duel player hides as it does in play")
    parser.add_argument(
        "--processes", type=int, default=1, help="processes that share the deals; they change no figure"
    )
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    numbers = range(max(1, asked.games // 2))
    tasks = [asked.game] * len(numbers), numbers, [asked.seed] * len(numbers), [asked.own_secrets] * len(numbers)
    if asked.processes == 1:
        deals = collected(asked, map(play_deal, *tasks))
    else:
        with ProcessPoolExecutor(asked.processes) as pool:
            deals = collected(asked, pool.map(play_deal, *tasks, chunksize=4))
    figures = summary(asked.game, deals, asked.own_secrets)
    if asked.json:
        print(json.dumps(figures))
        return
    print(
        f"{asked.game}: the duel player won {figures['wins']} of {counted(int(str(figures['duels'])), 'duel')} "
        f"({figures['secrets']} secrets, {len(deals)} deals in both roles, seed {asked.seed}) "
        "against the one-sided player"
    )
    print(
        f"  rate {figures['rate']:.4f}, 95% interval {figures['lower']:.4f} to {figures['upper']:.4f} (paired by deal)"
    )
    if figures["adjusted_rate"] is not None:
        print(
            f"  less the luck of the deal: rate {figures['adjusted_rate']:.4f}, 95% interval "
            f"{figures['adjusted_lower']:.4f} to {figures['adjusted_upper']:.4f}"
        )
    print(f"  as first mover {figures['rate_as_first']:.4f}, as second mover {figures['rate_as_second']:.4f}")
    print(
        f"  a move: median {figures['median_ms']:.0f} ms, 95th percentile {figures['p95_ms']:.0f} ms of processor time "
        f"(load {os.getloadavg()[0]:.1f})"
    )


if __name__ == "__main__":
    main()
