"""Jotto's rules, histories, and states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracular import paper
from oracular.errors import (
    FinishedGameError,
    HistoryError,
    InconsistentHistoryError,
)


@pytest.mark.parametrize("letters", [2, 3])
def test_the_table_is_the_papers_count_of_common_letters(jotto, letters):
    small = jotto(letters)
    expected = [[paper.num_comm_letts(guess, secret) for secret in small.secrets] for guess in small.guesses]
    assert small.table.tolist() == expected


@pytest.mark.parametrize("letters", [2, 3, 4, 5])
def test_answers_are_symmetric_and_only_the_word_itself_has_all_letters(jotto, letters):
    table = jotto(letters).table
    assert (table == table.T).all()
    assert ((table == letters) == np.eye(len(table), dtype=bool)).all()


def test_the_order_of_guesses_does_not_matter_to_the_state(jotto):
    five = jotto(5)
    there = five.possible_after("giant:2 pecan:3")
    back = five.possible_after([("pecan", 3), ("giant", 2)])
    assert 0 < len(there) < len(five.secrets)
    assert (there == back).all()


def test_a_finished_game_is_told_apart_from_an_inconsistent_history(jotto):
    five = jotto(5)
    with pytest.raises(FinishedGameError, match="ended the game at guess 2"):
        five.possible_after("giant:1 doyen:5")
    with pytest.raises(InconsistentHistoryError, match="'giant:1' contradicts 'giant:4'"):
        five.possible_after("giant:4 giant:1")


@pytest.mark.parametrize(
    ("history", "complaint"),
    [
        ("zzzzz:1", "'zzzzz' is not in the word list of jotto-5"),
        ("giant:6", "'6' is not an answer here"),
        ("giant:-1", "'-1' is not an answer"),
        ("giant", "write it like 'giant:2'"),
        ("giant:", "write it like 'giant:2'"),
        ("doyen:5 giant:2", "'doyen:5' ended the game, yet 'giant:2' follows"),
    ],
)
def test_a_history_that_cannot_be_read_is_told_why(jotto, history, complaint):
    with pytest.raises(HistoryError, match=complaint):
        jotto(5).possible_after(history)


@given(data=st.data())
def test_the_secret_is_always_possible_after_its_own_answers(jotto, data):
    three = jotto(3)
    secret = data.draw(st.integers(0, len(three.secrets) - 1))
    guesses = [g for g in data.draw(st.lists(st.integers(0, len(three.guesses) - 1), max_size=5)) if g != secret]
    history = [(three.guesses[guess], three.labels[three.table[guess, secret]]) for guess in guesses]
    assert secret in three.possible_after(history)
