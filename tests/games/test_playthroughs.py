"""A whole game of each kind, written out for people and compared to the letter.

To write the files again after a change that is meant: `python tests/games/test_playthroughs.py`.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import oracular

FOLDER = Path(__file__).parent / "playthroughs"
PLAYED = {
    "jotto-2": "xi",
    "jotto-3": "fox",
    "jotto-4": "quiz",
    "jotto-5": "amped",
    "jotto-5-repeats": "hello",
    "jotto-5-anagrams": "stare",
    "jotto-5-repeats-anagrams": "geese",
    "mastermind-4x6": "4251",
    "bulls-4x10": "9305",
    "wordle": "crane",
    "wordle-twl06": "crane",
}


def playthrough(name: str, secret: str) -> str:
    """Return the text of a game in which the benchmark guesser looks for a secret."""
    game = oracular.game(name)
    guesser = oracular.guesser_gbr_uniform(game)
    hidden = np.array([game.secret_of_guess[game.guess_index(secret)]], dtype=np.int32)
    lines = [
        f"game: {game.name}",
        f"secrets: {len(game.secrets)}, guesses: {len(game.guesses)}",
        f"states: about 10^{len(game.secrets) * math.log10(2):.0f}",
        f"answers: {' '.join(game.labels)} ({game.labels[game.found]} ends the game)",
        f"words sha256: {game.words_sha256}",
        f"hidden: {secret}, found by GuesserGBRUniform",
        "",
    ]
    possible, answer, turn = game.all_secrets, -1, 0
    while answer != game.found:
        turn += 1
        guess = guesser.guess(possible)
        replies = game.answers(np.array([guess], dtype=np.int32), possible)[0]
        parts = np.bincount(replies, minlength=len(game.labels))
        answer = int(game.answers(np.array([guess], dtype=np.int32), hidden)[0, 0])
        split = " ".join(f"{label}:{size}" for label, size in zip(game.labels, parts, strict=True) if size)
        lines.append(f"{turn}. {len(possible)} possible, guess {game.guesses[guess]}, splits them {split}")
        lines.append(f"   answer {game.labels[answer]}")
        possible = game.narrow(possible, (guess, answer))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", PLAYED)
def test_a_game_goes_as_it_is_written_down(name):
    assert playthrough(name, PLAYED[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name, secret in PLAYED.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(name, secret), encoding="utf-8")
