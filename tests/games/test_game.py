"""Jotto's rules, histories, and states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracular import game, paper
from oracular.errors import (
    FinishedGameError,
    HistoryError,
    InconsistentHistoryError,
    UnknownGameError,
    WordListError,
)


def test_giant_and_pecan_have_two_letters_in_common(jotto):
    five = jotto(5)
    giant, pecan = five.guess_index("giant"), five.guess_index("pecan")
    assert five.labels[five.table[giant, pecan]] == "2"


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


def test_a_block_of_answers_is_a_part_of_the_table(jotto):
    four = jotto(4)
    guesses, secrets = np.array([3, 900, 1], dtype=np.int32), np.array([0, 77], dtype=np.int32)
    assert (four.answers(guesses, secrets) == four.table[np.ix_(guesses, secrets)]).all()


def test_the_order_of_guesses_does_not_matter_to_the_state(jotto):
    five = jotto(5)
    there = five.possible_after("giant:2 pecan:3")
    back = five.possible_after([("pecan", 3), ("giant", 2)])
    assert 0 < len(there) < len(five.secrets)
    assert (there == back).all()


def test_no_history_leaves_every_word(jotto):
    assert len(jotto(5).possible_after("")) == 2833


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
def test_a_history_written_out_reads_back_the_same(jotto, data):
    three = jotto(3)
    turns = data.draw(
        st.lists(st.tuples(st.integers(0, len(three.guesses) - 1), st.integers(0, len(three.labels) - 1)), max_size=4)
    )
    assert three.parse_history(three.format_history(turns)) == tuple(turns)


@given(data=st.data())
def test_the_secret_is_always_possible_after_its_own_answers(jotto, data):
    three = jotto(3)
    secret = data.draw(st.integers(0, len(three.secrets) - 1))
    guesses = [g for g in data.draw(st.lists(st.integers(0, len(three.guesses) - 1), max_size=5)) if g != secret]
    history = [(three.guesses[guess], three.labels[three.table[guess, secret]]) for guess in guesses]
    assert secret in three.possible_after(history)


def test_a_game_may_be_played_with_ones_own_words():
    own = game("jotto-3", ["cab", "dog", "fix", "god", "lee"])
    assert own.secrets == ("cab", "fix")  # dog and god are anagrams, lee repeats a letter


@pytest.mark.parametrize("name", ["chess", "jott", "jotto-", "jotto-x", "jotto-0", "jotto-27", "jotto-5-blue", ""])
def test_an_unknown_game_is_told_so(name):
    with pytest.raises(UnknownGameError, match="is not a game"):
        game(name)


def test_a_list_without_a_playable_word_is_told_so():
    with pytest.raises(WordListError, match="has no word of 5 letters: its 2 words have 3 letters"):
        game("jotto-5", ["cab", "dog"])
