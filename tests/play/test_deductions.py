"""What the answers prove: the sheet's letters, and which single answer explains a contradiction."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular.errors import InconsistentHistoryError
from oracular.play.deductions import corrections, is_consistent, sheet

GAME = oracular.game(
    "jotto-3", words=["cat", "dog", "ego", "fix", "hum", "pix", "zoa", "wry", "pal", "gem", "sum", "bed"]
)
TURNS = st.lists(st.tuples(st.sampled_from(GAME.guesses), st.sampled_from(GAME.labels[:-1])), min_size=1, max_size=4)


def possible(turns) -> list[str]:
    return [word for word in GAME.secrets if all(str(len(set(word) & set(guess))) == answer for guess, answer in turns)]


@given(TURNS)
def test_the_sheet_says_of_each_letter_what_all_possible_words_say(turns):
    words = possible(turns)
    if not words:
        with pytest.raises(InconsistentHistoryError):
            sheet(GAME, turns)
        return
    seen = sheet(GAME, turns)
    assert seen.words == tuple(words) and seen.left == len(words)
    for letter, mark in seen.symbols.items():
        having = sum(letter in word for word in words)
        assert mark == ("in" if having == len(words) else "open" if having else "out")


@given(TURNS)
def test_corrections_are_just_the_single_changes_that_make_the_answers_agree(turns):
    assert is_consistent(GAME, turns) == bool(possible(turns))
    expected = set()
    if not possible(turns):
        for turn, label in product(range(len(turns)), GAME.labels):
            changed = [(g, label if n == turn else a) for n, (g, a) in enumerate(turns)]
            if possible(changed) and (label != GAME.labels[GAME.found] or turn == len(turns) - 1):
                expected.add((turn, label))
    found = {(c.turn, label) for c in corrections(GAME, turns) for label in c.could_be}
    assert found == expected


def test_a_found_word_leaves_nothing_open():
    seen = sheet(GAME, "ego:0 cat:3")
    assert seen.words == ("cat",) and {a for a, mark in seen.symbols.items() if mark == "in"} == set("cat")
    assert "open" not in seen.symbols.values()


def test_colours_and_digits_have_a_sheet_too():
    game = oracular.game("mastermind-2x3")
    assert set(sheet(game, "").symbols.values()) == {"open"}
    assert len(sheet(game, "").symbols) == 3
