"""The guess that small states of letter games are given, many guesses at a time, is the best to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular.kernels.answers import answers_of
from oracular.kernels.greedy.objective import objective_of
from oracular.kernels.greedy.quick_scan import MOST_QUICK
from oracular.kernels.greedy.scoring import TABLE_QUICK, Scorer, best_guess, new_buffers, way_to_score
from oracular.system.control import NEVER


def best_by_counting(table: np.ndarray, finder: np.ndarray, weights: list[int], members: np.ndarray, ties: int) -> int:
    """Return the first guess with the least key, added up in whole numbers of any size."""
    of_members = [weights[s] for s in members] if any(weights[s] for s in members) else [1] * len(members)
    own = {int(finder[s]) for s in members}
    best = None
    for guess, row in enumerate(table[:, members].tolist()):
        cost = sum(w * row.count(answer) for w, answer in zip(of_members, row, strict=True))
        key = 2 * cost + (ties and guess not in own)
        best = (key, guess) if best is None or key < best[0] else best
    assert best is not None
    return best[1]


@pytest.mark.parametrize("name", ["jotto-3", "jotto-2-repeats-anagrams", "jotto-5"])
@pytest.mark.parametrize("largest", [1, 5, 2**20, 2**40])
@pytest.mark.parametrize("ties", [0, 1])
def test_the_best_guess_is_that_of_counting(name, largest, ties):
    rng = np.random.default_rng(largest + ties)
    game = oracular.game(name)
    if len(game.secrets) > 500:
        game = oracular.game(name, rng.choice(np.array(game.secrets), 300, replace=False).tolist())
    answers = answers_of(game)
    buffers, quick = new_buffers(answers), 0
    for size in [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 21, 40, 64]:
        weights = rng.integers(0, largest, len(game.secrets), endpoint=True)
        weights[rng.random(len(weights)) < 0.3] = 0
        members = np.sort(rng.choice(len(weights), min(size, len(weights)), replace=False)).astype(np.int32)
        scorer = Scorer(answers, objective_of(answers, weights, ties), buffers, NEVER.flag)
        guess = best_guess(scorer, members, 0, answers.guesses)
        assert guess == best_by_counting(game.table, game.guess_of_secret, weights.tolist(), members, ties)
        quick += way_to_score(answers, len(members)) == TABLE_QUICK
    assert quick >= 5


def test_a_range_of_guesses_gives_the_best_in_it():
    game = oracular.game("jotto-3")
    answers, rng = answers_of(game), np.random.default_rng(1)
    weights = rng.integers(1, 2**30, len(game.secrets))
    scorer = Scorer(answers, objective_of(answers, weights, 0), new_buffers(answers), NEVER.flag)
    for size in (2, 3, 6, 12):
        members = np.sort(rng.choice(len(weights), size, replace=False)).astype(np.int32)
        for start, stop in ((0, 421), (0, 1), (17, 300), (420, 421)):
            guess = best_guess(scorer, members, start, stop)
            part = best_by_counting(game.table[start:stop], game.guess_of_secret, weights.tolist(), members, 0)
            told_apart = len(set(game.table[start + part, members].tolist())) > 1
            assert guess == start + part or (size == 2 and guess == -1 and not told_apart)


@pytest.mark.parametrize("size", [MOST_QUICK, MOST_QUICK - 1, 90])
def test_the_largest_quick_state_has_room_for_its_counts(size):
    words = oracular.game("jotto-7").guesses[::9]  # too long for sums over sets of letters to be faster
    game = oracular.game("jotto-7", words)
    answers, rng = answers_of(game), np.random.default_rng(4)
    members = np.sort(rng.choice(len(game.secrets), size, replace=False)).astype(np.int32)
    weights = np.zeros(len(game.secrets), dtype=np.int64)
    weights[members] = 2**41 + rng.integers(0, 2**30, size)
    assert way_to_score(answers, size) == TABLE_QUICK
    scorer = Scorer(answers, objective_of(answers, weights, 0), new_buffers(answers), NEVER.flag)
    guess = best_guess(scorer, members, 0, 400)
    assert guess == best_by_counting(game.table[:400], game.guess_of_secret, weights.tolist(), members, 0)


def test_no_larger_state_is_scored_this_way():
    answers = answers_of(oracular.game("jotto-7", oracular.game("jotto-7").guesses[::9]))
    assert way_to_score(answers, MOST_QUICK) == TABLE_QUICK
    assert way_to_score(answers, MOST_QUICK + 1) != TABLE_QUICK
