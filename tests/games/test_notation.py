"""Answers in every way that people write them: each is read as the label that it stands for, and as no other."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracular import Game, game
from oracular.cli.play_session import answer_example
from oracular.errors import HistoryError
from oracular.games.notation import FOUND_WORDS, read_marks, read_pegs

WORDLE = game("wordle-4", secrets=["crab", "slab"])
MASTERMIND = game("mastermind-4x6")
BULLS = game("bulls-4x10")
LONG = game("mastermind-10x2")

SQUARES = [
    dict(zip("-yg", signs, strict=True))
    for signs in ("-yg", "_YG", ".yg", "byg", "XYG", "012", "⬛🟨🟩", "⬜🟨🟩", "⬛🟦🟧", "–yg", "−yg", "０１２")
]

PEG_WAYS = {
    "counts": lambda black, white, names: f"{black}.{white}",
    "with a space": lambda black, white, names: f"{black} {white}",
    "with a comma": lambda black, white, names: f"{black}, {white}",
    "letters": lambda black, white, names: f"{black}{names[0][0]}{white}{names[1][0]}",
    "letters before counts": lambda black, white, names: f"{names[0][0]}{black}{names[1][0]}{white}",
    "capitals": lambda black, white, names: f"{black}{names[0][0]} {white}{names[1][0]}".upper(),
    "the other way round": lambda black, white, names: f"{white}{names[1][0]}{black}{names[0][0]}",
    "words": lambda black, white, names: f"{black} {names[0]}s and {white} {names[1]}{'s' * (white != 1)}",
    "A and B": lambda black, white, names: f"{black}A{white}B",
    "pegs": lambda black, white, names: "⚫" * black + "⚪️" * white or "0",
    "pegs as they are shared": lambda black, white, names: (
        ("⚫" if "black" in names else "🐂") * black + ("⚪" if "black" in names else "🐄") * white + "➖"
    ),
    "pegs by letter": lambda black, white, names: names[0][0] * black + names[1][0] * white or "0",
    "without the zero": lambda black, white, names: (
        "".join(f"{count}{name[0]}" for count, name in zip((black, white), names, strict=True) if count) or "0"
    ),
}


@pytest.mark.parametrize("way", SQUARES, ids=lambda way: "".join(way.values()))
def test_every_answer_of_wordle_is_read_in_every_notation(way):
    for index, label in enumerate(WORDLE.labels):
        written = "".join(way[mark] for mark in label)
        assert WORDLE.answer_index(written) == index
        assert WORDLE.parse_history(f"crab:{written}") == ((WORDLE.guess_index("crab"), index),)


@pytest.mark.parametrize("way", PEG_WAYS)
@pytest.mark.parametrize(
    ("of", "names"),
    [(MASTERMIND, ("black", "white")), (BULLS, ("bull", "cow")), (LONG, ("black", "white"))],
    ids=["mastermind", "bulls", "ten pegs"],
)
def test_every_answer_in_pegs_is_read_in_every_notation(of, names, way):
    for index, label in enumerate(of.labels):
        black, white = map(int, label.split("."))
        written = PEG_WAYS[way](black, white, names)
        assert of.answer_index(written) == index, written


@pytest.mark.parametrize("name", [f"{family}-{pegs}x12" for family in ("mastermind", "bulls") for pegs in (1, 2, 3)])
def test_the_ways_to_answer_that_are_offered_are_answers(name):
    of = game(name)
    offered = re.findall(r"'([^']+)'", of.ways_to_answer)
    assert len({of.answer_index(way) for way in offered}) == 1 and len(offered) == 3
    assert of.answer_index(answer_example(of).removeprefix("like ")) == of.answer_index(offered[0])


def test_two_counts_may_have_a_comma_in_a_history():
    for written in ("1122:1,1 1233:0,2", "1122:1,1, 1233:0,2", "1122:b1w1,1233：0，2"):
        assert MASTERMIND.format_history(MASTERMIND.parse_history(written)) == "1122:1.1 1233:0.2", written
    two = game("jotto-2")
    assert two.format_history(two.parse_history("of:0,ai:1")) == "of:0 ai:1"


@pytest.mark.parametrize(
    ("of", "example"),
    [(game("jotto-5"), "giant:2"), (game("jotto-3"), "hen:1"), (MASTERMIND, "1234:1b2w"), (WORDLE, "milk:gy--")],
)
def test_examples_are_from_the_game(of, example):
    with pytest.raises(HistoryError, match=f"write it like '{example}'$"):
        of.parse_history("nothing")
    assert of.parse_history(example)


def test_two_digits_side_by_side_are_two_counts_where_they_cannot_be_one():
    for index, label in enumerate(MASTERMIND.labels):
        assert MASTERMIND.answer_index(label.replace(".", "")) == index
    with pytest.raises(HistoryError):
        LONG.answer_index("10")  # ten, or one and none


@given(st.text(max_size=12))
def test_no_text_is_read_as_something_else(text):
    for of in (WORDLE, MASTERMIND, BULLS):
        try:
            label = of.labels[of.answer_index(text)]
        except HistoryError as error:
            assert "give " in str(error)
        else:
            read = read_marks(text, 4) if of is WORDLE else read_pegs(text, 4, of.rules.names)
            assert label == read or text.strip().lower() in FOUND_WORDS


@pytest.mark.parametrize("word", ["found", "Yes", "CORRECT"])
def test_yes_says_that_it_is_found_in_every_game(word):
    for of in (WORDLE, MASTERMIND, BULLS, game("jotto-2"), game("jotto-3-anagrams")):
        assert of.answer_index(word) == of.found


@pytest.mark.parametrize(
    ("of", "text", "sentence"),
    [
        (game("jotto-2"), "3", "'3' is not an answer here: give one of 0, 1, 2"),
        (game("jotto-3-anagrams"), "y", "give one of 0, 1, 2, 3, found"),
        (WORDLE, "ggg", "'ggg' is not an answer here: give 4 marks, g for .* like 'gy--'; '2100' or coloured"),
        (WORDLE, "gggr", "give 4 marks"),
        (MASTERMIND, "3b1w", "'3b1w' is not an answer here: give the blacks and whites of at most 4"),
        (MASTERMIND, "2", "like '1b2w' or '1.2' or '12'"),
        (MASTERMIND, "1c", "like '1b2w'"),
        (BULLS, "2w", "give the bulls and cows of at most 4 in all, like '1b2c' or '1.2' or '12'"),
        (game("mastermind-2x6"), "1b1w", r"at most 2 in all, like '0b1w' or '0\.1' or '01'$"),
        (game("mastermind-1x6"), "1b1w", r"at most 1 in all, like '0b0w' or '0\.0' or '00'$"),
        (LONG, "12", "like '1b2w' or '1.2'$"),
    ],
)
def test_what_is_no_answer_is_told_how_answers_are_written(of, text, sentence):
    with pytest.raises(HistoryError, match=sentence):
        of.answer_index(text)


@pytest.mark.parametrize(
    "history", ["of:0 ai:1", "of:0, ai:1", "of: 0  ai : 1", "of=0 ai=1", "of 0 ai 1", [("of", 0), ["ai", "1"]]]
)
def test_histories_are_read_as_people_write_them(history):
    two = game("jotto-2")
    assert two.format_history(two.parse_history(history)) == "of:0 ai:1"


PUNCTUATED = st.text("ab01:=.,>-+", min_size=1, max_size=4)


@given(st.data())
def test_histories_of_games_whose_texts_have_punctuation_read_back(data):
    texts = data.draw(st.lists(PUNCTUATED, min_size=2, max_size=5, unique=True))
    answers = data.draw(st.lists(PUNCTUATED, min_size=2, max_size=5, unique=True))
    own = Game.from_function(texts, texts, lambda guess, secret: answers[guess != secret])
    history = data.draw(st.lists(st.tuples(st.sampled_from(range(len(texts))), st.sampled_from((0, 1))), max_size=3))
    pairs = [f"{guess}:{label}" for guess in texts for label in own.labels]
    assume(len(set(pairs)) == len(pairs))  # else what is written may be read in two ways
    assert own.parse_history(own.format_history(history)) == tuple(history)


def test_a_sign_of_equality_stands_for_a_colon_only_where_there_is_none():
    own = Game.from_function(["a=1", "b=2"], ["a=1", "b=2"], lambda guess, secret: ("=", "4:>=")[guess == secret])
    for written in ("a=1:= b=2:4:>=", "A=1:=  B=2:4:>="):
        assert own.format_history(own.parse_history(written)) == "a=1:= b=2:4:>="


@pytest.mark.parametrize(
    "history", ["of", "of:0 ai", "of:0 1", ":0", "of:", "of 0 ai", 5, None, [5], [("of",)], [(1, 2)]]
)
def test_what_is_no_history_is_told_how_one_is_written(history):
    with pytest.raises(HistoryError, match=r"is not a guess and its answer: (write it|give pairs) like"):
        game("jotto-2").parse_history(history)
