"""A review adds up: the guesses made are the value at the start, plus what was given away, less what was luck."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular
from oracular import Game, Hider, review
from oracular.errors import HistoryError
from oracular.play.adviser import Adviser
from oracular.play.opponent import opponent

from random_games import random_games, weights_for


def played(game: Game, secret: int, guesses: list[int]) -> list[tuple[str, str]]:
    """Return the history of these guesses, up to the one that finds the secret."""
    history = []
    for guess in guesses:
        answer = int(game.table[guess, secret])
        history.append((game.guesses[guess], game.labels[answer]))
        if answer == game.found:
            break
    return history


@given(data=st.data(), game=random_games())
@settings(max_examples=120)
def test_guesses_made_are_start_plus_cost_less_luck(data, game):
    hider = Hider(game, data.draw(weights_for(game)))
    secret = data.draw(st.integers(0, len(game.secrets) - 1))
    guesses = data.draw(st.lists(st.integers(0, len(game.guesses) - 1), max_size=6))
    history = played(game, secret, guesses)
    seen = review(game, history, game.secrets[secret], hider)
    assert seen.guesses == len(history) == len(seen.turns)
    assert seen.guesses + seen.to_come == pytest.approx(seen.start + seen.cost - seen.luck, abs=1e-9)
    assert seen.cost == pytest.approx(sum(turn.cost for turn in seen.turns), abs=1e-9)
    assert seen.luck == pytest.approx(sum(turn.luck for turn in seen.turns), abs=1e-9)
    assert seen.finished == (bool(history) and history[-1][1] == game.labels[game.found])
    assert seen.to_come == 0 if seen.finished else seen.to_come >= 1
    asked = Adviser(game, hider)
    for number, turn in enumerate(seen.turns):
        state = game.possible_after(history[:number])
        assert turn.cost >= 0
        assert turn.left_before == len(state)
        assert turn.expected == float(asked.value(state, game.guess_index(turn.guess)).expected)
        assert turn.best_expected == float(asked.value(state, game.guess_index(turn.best)).expected)
        assert turn.best_expected <= min(float(tried.expected) for tried in asked.candidates(state))


def test_all_letters_in_common_with_the_secret_itself_end_the_game():
    name, history = "jotto-4-repeats-anagrams", "lynx:0 mite:4"
    seen = review(name, history, "mite")
    assert seen == review(name, "lynx:0 mite:found") == review(name, "lynx:0 mite:found", "MITE")
    assert seen.finished and seen.turns[-1].answer == "found" and seen.turns[-1].left_after == 1
    anagram = review(name, history, "time")
    assert not anagram.finished and anagram.turns[-1].answer == "4"
    with pytest.raises(HistoryError, match="the answer is '4'"):
        review(name, "lynx:0 mite:found", "time")


def test_few_secrets_left_are_reviewed_exactly():
    seen = review("wordle", "crane:-y--- shout:-yyy- furor:-g-gg", "humor")
    assert [turn.exact for turn in seen.turns] == [False, False, True]
    assert seen.turns[1].best == "shout" and seen.turns[1].cost == 0
    assert "exact" in seen.note and seen.to_record()["assumption"] == seen.assumption


def test_a_whole_game_of_jotto_5():
    shipped = opponent(oracular.game("jotto-5"))
    seen = review(shipped.game, "giant:2 PECAN:2 doyen:2 vixen:5", "Vixen", shipped.hider)
    assert (seen.secret, seen.finished, seen.guesses) == ("vixen", True, 4)
    assert seen.start + seen.cost - seen.luck == pytest.approx(4, abs=1e-9)
    assert seen.luck > 2  # four guesses is lucky
    assert seen.to_record()["turns"][0]["left_before"] == 2833
    assert [turn.left_after for turn in seen.turns][-1] == 1


def test_a_game_that_was_not_finished_says_so(jotto):
    seen = review(jotto(2), "ai:0", "of", oracular.hider_uniform(jotto(2)))
    assert not seen.finished and seen.to_come > 1
    assert "was not finished" in seen.note


@pytest.mark.parametrize(
    ("history", "secret", "sentence"),
    [
        ("ai:1", "of", "'ai:1' does not fit the secret 'of': the answer is '0', so change it or the secret"),
        ("ai:0 of:1", "of", "'of:1' does not fit the secret 'of': the answer is '2'"),
        ("of:2 ai:0", "of", "'of:2' ended the game, yet 'ai:0' follows: remove one or the other"),
        ("ai:0", "xx", "'xx' is not in the word list of jotto-2"),
    ],
)
def test_what_cannot_be_is_reported(jotto, history, secret, sentence):
    with pytest.raises(HistoryError) as raised:
        review(jotto(2), history, secret, oracular.hider_uniform(jotto(2)))
    assert sentence in str(raised.value)


def test_a_word_that_may_be_guessed_but_not_hidden_is_no_secret():
    game = oracular.game("jotto-4-familiar")
    obscure = next(word for word in game.guesses if word not in game.secrets)
    with pytest.raises(HistoryError, match="may be guessed but not hidden"):
        review(game, "", obscure, oracular.hider_uniform(game))


def test_the_secret_of_a_finished_game_and_the_hider_need_not_be_given(jotto):
    game = oracular.game("jotto-5")
    history = "giant:2 pecan:2 doyen:2 vixen:5"
    seen = review("jotto-5", history)
    assert seen == review(game, history, "vixen", oracular.hider_uniform(game))
    assert seen.assumption == "Assumes that all secrets are equally likely."
    by_computer = review("jotto-5", history, hider=oracular.load("jotto-5").hider)
    assert by_computer.assumption.startswith("Assumes that the computer chose the secret with care")
    assert [turn.left_before for turn in seen.turns] == [2833, 868, 306, 104]
    with pytest.raises(HistoryError, match="was not found in this game, so it is not known: give the secret"):
        review(jotto(2), "ai:0")
    with pytest.raises(HistoryError, match="was not found"):
        review(jotto(2), "")
