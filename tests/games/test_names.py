"""Games by names as people write them, and what is said of a name that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import OracularError
from oracular.errors import UnknownGameError, WordListError
from oracular.games.names import canonical_name

NEAR = {
    "JOTTO-3": "jotto-3",
    "jotto5": "jotto-5",
    "Jotto 5": "jotto-5",
    " jotto_5\n": "jotto-5",
    "jotto – 12": "jotto-12",
    "jotto5familiar": "jotto-5-familiar",
    "Jotto 5 familiar repeats": "jotto-5-repeats-familiar",
    "jotto-5-anagrams-repeats": "jotto-5-repeats-anagrams",
    "mastermind4x6": "mastermind-4x6",
    "Mastermind 4 x 6": "mastermind-4x6",
    "mastermind-4-6": "mastermind-4x6",
    "MASTERMIND 4×6": "mastermind-4x6",
    "Bulls and Cows 4x10": "bulls-4x10",
    "WORDLE": "wordle",
    "wordle 5": "wordle",
    "Wordle hard mode": "wordle-hard",
    "wordle-hard-mode": "wordle-hard",
    "wordle TWL06 hard": "wordle-twl06-hard",
    "wordle4possible": "wordle-4-possible",
    "jotto-5-familiar-repeats possible": "jotto-5-repeats-familiar-possible",
    "Mastermind 4x6 possible": "mastermind-4x6-possible",
    "jotto": "jotto-5-repeats-anagrams-familiar",
    "Mastermind": "mastermind-4x6",
    "bulls": "bulls-4x10",
    "Bulls and Cows": "bulls-4x10",
}

MISTYPED = {
    "wordl": "wordle",
    "wrodle": "wordle",
    "wordle-": "wordle",
    "joto-5": "jotto-5",
    "joto-5-repeat": "jotto-5-repeats",
    "jotto-5-familar": "jotto-5-familiar",
    "joto": "jotto-5-repeats-anagrams-familiar",
    "mastermnd-5x7": "mastermind-5x7",
    "bulls & cows": "bulls-4x10",
    "wordle-hrad": "wordle-hard",
    "wordl-hard": "wordle-hard",
    "wordle-twl6": "wordle-twl06",
    "jotto-5-posible": "jotto-5-possible",
    "mastermind-4x6-posible": "mastermind-4x6-possible",
}


@pytest.mark.parametrize("written", NEAR)
def test_a_game_is_found_however_its_name_is_written(written):
    assert canonical_name(written) == NEAR[written]
    if "12" not in written:
        assert oracular.game(written).name == NEAR[written]


@pytest.mark.parametrize("written", MISTYPED)
def test_a_mistyped_name_is_told_which_game_may_be_meant(written):
    with pytest.raises(UnknownGameError) as caught:
        oracular.game(written)
    assert str(caught.value) == f"{written!r} is not a game: did you mean {MISTYPED[written]!r}?"
    assert caught.value.meant == MISTYPED[written]


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("chess", "choose one like jotto-5, wordle"),
        ("", "choose one like"),
        ("x" * 10_000, "choose one like"),
        ("jotto-" + "5" * 10_000, "choose one like"),
        ("jotto-x", "write jotto-N"),
        ("jotto-1-2", "write jotto-N"),
        ("jotto-0", "like 'jotto-5', and -repeats, -anagrams, -familiar behind it where wanted$"),
        ("jotto-55", "write jotto-N"),
        ("wordle 12", "write 'wordle'"),
        ("mastermind-4x6-familiar", "write pegs x colours"),
        ("wordle-hard-possible", "a game has one rule of guessing, so write 'wordle-hard' or 'wordle-possible'$"),
        ("jotto 5 possible hard", "a game has one rule of guessing, so write 'jotto-5-possible'$"),
        ("jotto-5-hard", "only Wordle has a hard mode, others have 'jotto-5-possible'$"),
    ],
)
def test_a_name_that_is_none_is_told_what_names_are_like(written, sentence):
    with pytest.raises(UnknownGameError, match=sentence) as caught:
        oracular.game(written)
    assert caught.value.meant is None and len(str(caught.value)) < 250


@given(st.text(max_size=20) | st.from_regex(r"[a-z]{3,6}[-_ ]?[0-9]{0,2}x?[0-9]{0,2}[-a-z]{0,9}", fullmatch=True))
def test_any_text_is_a_name_that_reads_itself_or_an_error(text):
    try:
        name = canonical_name(text)
    except OracularError as error:
        assert "is not a game: " in str(error)
        assert getattr(error, "meant", None) is None or canonical_name(error.meant) == error.meant
    else:
        assert canonical_name(name) == name


def test_a_list_that_a_game_does_not_take_is_told_before_the_list_is_read():
    takes = {
        "jotto-5": r"it takes words \(--words FILE\)",
        "mastermind-4x6": "its codes follow from its name, so leave the list out",
    }
    for name, remedy in takes.items():
        with pytest.raises(WordListError, match=f"{name} takes no list of secrets: {remedy}$"):
            oracular.game(name, secrets="none.txt")
    with pytest.raises(WordListError, match=r"it takes secrets and guesses \(--secrets FILE, --guesses FILE\)$"):
        oracular.game("wordle", words="none.txt")
