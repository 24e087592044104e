"""In Jotto a person may guess every word of the dictionary, whatever the rules let anybody hide."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import advise, hider_uniform, review
from oracular.errors import HistoryError, SettingsError
from oracular.games.jotto import solved_game, widened
from oracular.games.words import twl06
from oracular.play.match import new_match
from oracular.play.opponent import matchup

RULES = ["jotto-3", "jotto-3-repeats", "jotto-3-anagrams", "jotto-3-repeats-anagrams", "jotto-3-familiar"]
three = widened(oracular.game("jotto-3"))


@pytest.mark.parametrize("name", RULES)
def test_all_words_of_that_length_may_be_guessed_and_only_a_secret_is_found(name):
    narrow = oracular.game(name)
    wide = widened(narrow)
    assert wide.guesses == tuple(word for word in twl06() if len(word) == 3)
    assert (wide.name, wide.secrets, wide.labels, wide.found) == (
        narrow.name,
        narrow.secrets,
        narrow.labels,
        narrow.found,
    )
    assert solved_game(wide) is narrow and widened(narrow) is wide and widened(wide) is wide
    assert (wide.by_secret is narrow.by_secret) == (wide.guesses == narrow.guesses)
    shared = np.array([wide.guess_index(word) for word in narrow.guesses], dtype=np.int32)
    assert (wide.answers(shared, wide.all_secrets) == narrow.table).all()
    table = wide.answers(np.arange(len(wide.guesses), dtype=np.int32), wide.all_secrets)
    found = {(wide.guesses[guess], wide.secrets[secret]) for guess, secret in np.argwhere(table == wide.found)}
    assert found == {(word, word) for word in wide.secrets}


@given(guess=st.sampled_from(three.guesses), secret=st.sampled_from(three.secrets))
def test_the_answer_is_how_many_letters_are_in_common(guess, secret):
    turn = [three.guess_index(guess)], [three.secrets.index(secret)]
    answer = three.answers(*(np.array(part, dtype=np.int32) for part in turn))[0, 0]
    assert answer == (Counter(guess) & Counter(secret)).total()


def test_a_list_of_ones_own_is_the_dictionary_then():
    own = matchup(oracular.game("jotto-3", words=["cat", "act", "dog", "eye", "fix"]))
    assert own.game.secrets == ("dog", "fix") and own.game.guesses == ("act", "cat", "dog", "eye", "fix")
    match = new_match(own, "guess", rng=np.random.default_rng(1)).guess("eye")
    assert match.yours[0][0] == "eye"
    with pytest.raises(HistoryError, match="'cow' is not in your word list: guess another word of 3 letters"):
        match.guess("cow")


def test_advice_and_reviews_take_such_words_whichever_way_the_game_is_given():
    game = oracular.game("jotto-3")
    by_name, by_game, by_hider = (
        advise("jotto-3", "eye:1 tap:0"),
        advise(game, "eye:1 tap:0"),
        advise(game, "eye:1 tap:0", hider_uniform(game)),
    )
    assert by_name == by_game == by_hider
    words = [
        w for w in game.secrets if "e" in w or "y" in w if len({"e", "y"} & set(w)) == 1 and not set("tap") & set(w)
    ]
    assert by_name.left == len(words)
    assert all(suggestion.guess in game.guesses for suggestion in by_name.suggestions)
    result = review(game, "eye:1 tap:0 ego:1", secret="fez")
    assert [turn.guess for turn in result.turns] == ["eye", "tap", "ego"] and result.turns[0].cost > 0
    with pytest.raises(HistoryError, match="repeats a letter"):
        review(game, "tap:0", secret="eye")
    with pytest.raises(SettingsError, match="give one of the same game"):
        advise(game, "", hider_uniform(oracular.game("jotto-2")))
