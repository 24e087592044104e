"""The rules of each game, against plain Python written straight from how people play it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from oracular import Game, Symmetry, game
from oracular.errors import GameTooLargeError, HistoryError, SettingsError, UnknownGameError, WordListError


def common_letters(guess: str, secret: str) -> str:
    return str((Counter(guess) & Counter(secret)).total())


def black_and_white(guess: str, secret: str) -> str:
    black = sum(a == b for a, b in zip(guess, secret, strict=True))
    return f"{black}.{(Counter(guess) & Counter(secret)).total() - black}"


def colours(guess: str, secret: str) -> str:
    left = Counter(s for g, s in zip(guess, secret, strict=True) if g != s)
    shown = []
    for g, s in zip(guess, secret, strict=True):
        if g == s:
            shown.append("g")
        elif left[g]:
            left[g] -= 1
            shown.append("y")
        else:
            shown.append("-")
    return "".join(shown)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("jotto-3", common_letters),
        ("jotto-5-repeats", common_letters),
        ("jotto-3-anagrams", lambda g, s: "found" if g == s else common_letters(g, s)),
        ("jotto-5-repeats-anagrams", lambda g, s: "found" if g == s else common_letters(g, s)),
        ("mastermind-4x6", black_and_white),
        ("mastermind-3x10", black_and_white),
        ("bulls-4x7", black_and_white),
        ("wordle", colours),
        ("wordle-4", colours),
    ],
)
def test_answers_are_what_people_would_give(name, answer):
    played = game(name)
    rng = np.random.default_rng(7)
    guesses = rng.integers(0, len(played.guesses), 60).astype(np.int32)
    secrets = rng.integers(0, len(played.secrets), 50).astype(np.int32)
    given = played.answers(guesses, secrets)  # other tests hold that the table is made of such blocks
    for guess, row in zip(guesses, given, strict=True):
        for secret, shown in zip(secrets, row, strict=True):
            expected = answer(played.guesses[guess], played.secrets[secret])
            assert played.labels[shown] == expected, (played.guesses[guess], played.secrets[secret])


@pytest.mark.parametrize(
    ("variant", "counts"),
    [("", [51, 421, 1373, 2833]), ("-repeats", [53, 497, 1887, 4928])],
)
def test_jottos_variants_have_the_known_numbers_of_words(variant, counts):
    assert [len(game(f"jotto-{letters}{variant}").secrets) for letters in (2, 3, 4, 5)] == counts


@pytest.mark.parametrize(
    ("name", "word", "sentence"),
    [
        ("jotto-5", "hello", "'hello' repeats a letter, which jotto-5 does not allow: jotto-5-repeats takes it"),
        ("jotto-5", "stare", "has an anagram .* jotto-5-anagrams takes it"),
        ("jotto-5", "crane", "has an anagram .* jotto-5-anagrams takes it"),
        ("jotto-5", "geese", "jotto-5-repeats takes it"),
        ("jotto-5", "asset", "repeats a letter and has an anagram .*: jotto-5-repeats-anagrams takes it"),
        ("jotto-5-repeats", "stare", "jotto-5-repeats-anagrams takes it"),
        ("jotto-5-anagrams", "hello", "jotto-5-repeats-anagrams takes it"),
        ("jotto-5", "cat", "'cat' has 3 letters: jotto-5 takes words of 5"),
        ("jotto-5", "qwxyz", "is not in the word list of jotto-5"),
        ("mastermind-4x6", "1237", "'1237' is not a code: give 4 colours from 1 to 6"),
        ("bulls-4x10", "1123", "give 4 different digits from 0 to 9"),
        ("wordle", "cat", "'cat' has 3 letters: guess words of 5"),
        ("wordle", "qwxyz", "is not in the list"),
    ],
)
def test_a_word_that_the_rules_refuse_is_told_why_and_where_it_may_be_played(name, word, sentence):
    with pytest.raises(HistoryError, match=sentence):
        game(name).guess_index(word)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mastermind-4x1", "has a colour count of 1: give 2 to 35"),
        ("mastermind-4x0", "has a colour count of 0"),
        ("mastermind-0x6", "has 0 pegs"),
        ("mastermind-4", "write pegs x colours"),
        ("mastermind-ax6", "write pegs x colours"),
        ("bulls-5x4", "has 5 places for 4 different digits"),
        ("bulls-4", "write places x digits"),
        ("wordle-6", "more than 256 answers"),
        ("wordle-", "is not a game"),
        ("jotto-5-plurals", "-familiar behind it where wanted"),
    ],
)
def test_a_size_that_cannot_be_is_refused(name, sentence):
    with pytest.raises(UnknownGameError, match=sentence):
        game(name)


@pytest.mark.parametrize("name", ["mastermind-8x9", "mastermind-12x35", "bulls-10x36"])
def test_a_game_too_large_is_refused_before_anything_is_allocated(name):
    with pytest.raises(GameTooLargeError, match="GiB"):
        game(name)


def test_a_list_that_the_game_does_not_take_is_refused():
    with pytest.raises(WordListError, match="takes no list of words"):
        game("wordle", ["crane"])
    with pytest.raises(WordListError, match="takes no list of secrets"):
        game("jotto-5", secrets=["crane"])
    with pytest.raises(WordListError, match="has no word of 5 letters: its only word has 3 letters"):
        game("wordle", secrets=["cat"])


def _same(guess: str, secret: str) -> bool:
    return guess == secret


@pytest.mark.parametrize(
    ("secrets", "guesses", "answer", "sentence"),
    [
        ([], ["a"], _same, "has no secret"),
        (["a", "a"], ["a"], _same, "a text twice"),
        (["a", "b"], ["a"], _same, "'b' of game 'own' is not among the guesses: give first the secrets"),
        (["a", "b"], ["a", "b"], lambda g, s: "x", "no other guess"),
        (["a", "b"], ["a", "b"], lambda g, s: g + s, "alike"),
        ([str(n) for n in range(20)], [str(n) for n in range(20)], lambda g, s: int(g) * 20 + int(s), "400 answers"),
    ],
)
def test_answers_that_make_no_game_are_refused(secrets, guesses, answer, sentence):
    with pytest.raises(SettingsError, match=sentence):
        Game.from_function(secrets, guesses, answer)


def test_a_symmetry_that_changes_answers_is_refused():
    swap = np.array([1, 0, 2], dtype=np.int32)
    with pytest.raises(SettingsError, match="a symmetry of game 'own' changes its answers"):
        Game.from_function("abc", "abc", lambda g, s: "yes" if g == s else g < s, symmetries=[Symmetry(swap, swap)])
