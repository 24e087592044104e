"""Advice with another aim than the mean: it says what play is worth, and no play is worth more than the best."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from oracular import Game, Hider, Objective, advise
from oracular.errors import SettingsError
from oracular.objectives import table, within

from random_games import game_of_table


def small_game(rng: np.random.Generator) -> Game:
    """Return a random game of nine secrets, which other guesses tell apart better."""
    answers = rng.integers(1, 4, (14, 9))
    answers[np.arange(9), np.arange(9)] = 0
    return game_of_table(answers.tolist(), 4, 0)


def best_value(game: Game, hider: Hider, aim: Objective, state: tuple[int, ...], made: int) -> Fraction:
    """Return what the best play from a state is worth, by trying every guess everywhere."""
    losses = aim.losses_in(game)
    weights = hider.weights.tolist()

    def loss(secret: int, guess_number: int) -> int:
        return weights[secret] * int(losses[secret, min(guess_number, losses.shape[1]) - 1])

    @cache
    def least(state: tuple[int, ...], made: int) -> int:
        if made >= losses.shape[1]:
            return sum(loss(secret, made + 1) for secret in state)
        return min(after(guess, state, made) for guess in range(len(game.guesses)))

    def after(guess: int, state: tuple[int, ...], made: int) -> int:
        parts: dict[int, list[int]] = {}
        for secret in state:
            parts.setdefault(int(game.table[guess, secret]), []).append(secret)
        total = sum(loss(secret, made + 1) for secret in parts.pop(game.found, []))
        return total + sum(least(tuple(part), made + 1) for part in parts.values())

    return aim.value(Fraction(least(state, made), sum(weights[secret] for secret in state)))


@pytest.mark.parametrize("seed", range(12))
def test_the_first_suggestion_is_worth_what_the_best_play_is_in_small_games(seed):
    rng = np.random.default_rng(seed)
    game = small_game(rng)
    hider = Hider(game, rng.integers(1, 9, len(game.secrets)))
    falling = sorted((int(value) for value in rng.integers(0, 9, 4)), reverse=True)
    for aim in (within(2), within(3), table(falling)):
        advice = advise(game, "", hider, 50, aim)
        best = best_value(game, hider, aim, tuple(range(len(game.secrets))), 0)
        values = [suggestion.value for suggestion in advice.suggestions]
        assert values == sorted(values, reverse=True) and advice.objective == aim.name
        assert values[0] == pytest.approx(float(best), abs=1e-6)


def test_guesses_that_were_made_count_and_a_table_says_the_same_as_within():
    name, history = "jotto-3", "cab:0 foe:1"
    by_limit = [advise(name, history, None, 5, f"within-{limit}").suggestions[0].value for limit in range(3, 9)]
    assert by_limit == sorted(by_limit) and 0 < by_limit[0] < 0.1 and by_limit[-1] > 0.5
    one = advise(name, history, None, 5, "within-5").to_record()
    assert one["objective"] == "within-5" and "within 5 guesses, the guesses that were made counting" in one["note"]
    other = advise(name, history, None, 5, table([1] * 5 + [0])).to_record()
    assert one["suggestions"] == other["suggestions"]
    assert any(suggestion["possible"] for suggestion in one["suggestions"])
    plain = advise(name, history).to_record()
    assert plain["objective"] == "mean"
    assert all(suggestion["value"] == suggestion["expected"] for suggestion in plain["suggestions"])


@pytest.mark.parametrize(
    ("aim", "history", "why"),
    [
        ("worst", "", "cannot aim at the worst case"),
        ("within-2", "cab:0 foe:1", "2 guesses are made, so none is left for within-2: aim at more guesses"),
        ("within-0", "", "is no objective"),
        ("soon", "", "'soon' is no objective and no file"),
    ],
)
def test_what_cannot_be_aimed_at_is_refused_in_a_sentence(oracular, aim, history, why):
    with pytest.raises(SettingsError, match=why):
        advise("jotto-3", history, None, 5, aim)
    refused = oracular("suggest", "jotto-3", *history.split(), "--objective", aim)
    assert refused.code == 2 and why in refused.err and refused.err.count("\n") == 1


def test_the_command_line_aims_and_says_so(oracular, tmp_path):
    shown = oracular("suggest", "jotto-3", "cab:0", "foe:1", "--objective", "within-5", "--count", "3")
    assert shown.code == 0 and "within 5" in " ".join(shown.out.split()) and "%" in shown.out
    assert "--objective within-5" in shown.out.splitlines()[-1], "the next step aims at the same"
    told = json.loads(oracular("suggest", "jotto-3", "cab:0", "foe:1", "--objective", "within-5", "--json").out)
    assert told["objective"] == "within-5" and 0 < told["suggestions"][0]["value"] < 1
    (tmp_path / "table.json").write_text('{"utilities": [1, 1, 1, 1, 1, 0]}')
    table_too = json.loads(
        oracular("suggest", "jotto-3", "cab:0", "foe:1", "--objective", str(tmp_path / "table.json"), "--json").out
    )
    assert table_too["objective"] == "table" and table_too["suggestions"] == told["suggestions"]
