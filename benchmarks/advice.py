"""How long a suggestion takes the processor, on one thread: at the opening, and at the states of random play.

In random play half the guesses are words that may be the secret, half are any words; secrets are the computer's.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import oracular
from oracular.play.advice import advise
from oracular.play.adviser import Adviser
from oracular.play.opponent import opponent
from oracular.system.files import duration

GAMES = {"jotto-5": 60, "wordle": 30, "mastermind-4x6": 60, "bulls-4x10": 20}
"""Games, and how many of each are played."""


def states(asked: Adviser, games: int, rng: np.random.Generator) -> list[list[tuple[str, str]]]:
    """Return the histories of some games of random play, the opening left out."""
    game, histories = asked.game, []
    for _ in range(games):
        secret = game.secrets.index(asked.hider.sample(rng))
        history: list[tuple[str, str]] = []
        while True:
            possible = game.possible_after(history)
            likely = rng.random() < 0.5
            guess = int(game.guess_of_secret[rng.choice(possible)]) if likely else int(rng.integers(len(game.guesses)))
            answer = int(game.by_secret[secret, guess])
            if answer == game.found:
                break
            history = [*history, (game.guesses[guess], game.labels[answer])]
            histories.append(history)
    return histories


def main() -> None:
    for name in sys.argv[1:] or GAMES:
        computer = opponent(oracular.game(name))
        asked = Adviser(computer.game, computer.hider)
        asked.valued(asked.game.all_secrets[:9], np.zeros(1, dtype=np.int32))  # load the compiled code
        start = time.thread_time()
        opening = asked.valued(asked.game.all_secrets, asked.likely(asked.game.all_secrets))
        taken = time.thread_time() - start
        print(f"{name}: the opening, {asked.game.guesses[opening[0].guess]}, takes {duration(taken)}")
        times, sizes = [], []
        for history in states(asked, GAMES.get(name, 20), np.random.default_rng(1)):
            start = time.thread_time()
            sizes.append(advise(asked.game, history, asked.hider).left)
            times.append(time.thread_time() - start)
        spans = [duration(float(np.quantile(times, share))) for share in (0.5, 0.9, 1)]
        print(f"  {len(times)} later states: median {spans[0]}, nine in ten {spans[1]}, longest {spans[2]}")
        for least, most in ((1, 20), (21, 100), (101, 300), (301, 1000), (1001, 10_000)):
            some = [taken for taken, size in zip(times, sizes, strict=True) if least <= size <= most]
            if some:
                print(f"  {least} to {most} left: median {duration(float(np.median(some)))} over {len(some)} states")


if __name__ == "__main__":
    main()
