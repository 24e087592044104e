"""The dictionary is the paper's, word for word, and a user's own file is read with care."""

from __future__ import annotations

import pytest

from oracular.errors import WordListError
from oracular.games.words import playable_words, read_words, sha256_of_words, twl06

PAPER_LISTS = {
    2: (51, "3b86000b5b6b0cff789f76da83e48de3fbd7dd7817029d07ab7365d761c5caee"),
    3: (421, "4fab1e8b49b29f605117280b508266c55ce1e247555e1f20aee00a56227242c0"),
    4: (1373, "68c4a65d2296bc3507aff8176ba5f5191f69448b0f5351b63bc232df3367178c"),
    5: (2833, "4957ad105827139810129dc21492557c39f1ca5d8bb7910c028a56872939f428"),
}


def test_the_dictionary_is_twl06():
    assert len(twl06()) == 178_691


@pytest.mark.parametrize("letters", PAPER_LISTS)
def test_the_playable_words_are_the_papers(letters):
    words = playable_words(twl06(), letters)
    assert (len(words), sha256_of_words(words)) == PAPER_LISTS[letters]


def test_a_word_with_a_repeated_letter_or_an_anagram_is_not_playable():
    assert playable_words(["giant", "hello", "pecan", "rates", "stare"], 5) == ("giant", "pecan")


def test_an_anagram_with_the_same_letters_counts_even_where_it_repeats_none():
    assert playable_words(["ab", "ba", "cd"], 2) == ("cd",)


def test_a_word_file_is_read_sorted_lower_case_and_without_repeats(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfPecan\r\n\r\n giant \npecan\n")
    assert read_words(path) == ("giant", "pecan")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"\x7fELF\x00\x01", "not a text file"),
        (b"\xff\xfe\xfa\xfb", "not a text file"),
        ("giant\nтанго\n".encode(), r"line 2: 'танго' is not one word of the letters a to z"),
        (b"giant pecan\n", "line 1: 'giant pecan' is not one word"),
        (b"it's\n", "line 1"),
    ],
)
def test_a_word_file_that_will_not_do_is_told_why(tmp_path, content, complaint):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(WordListError, match=complaint):
        read_words(path)


def test_a_missing_word_file_and_a_folder_are_told_apart(tmp_path):
    with pytest.raises(WordListError, match="does not exist"):
        read_words(tmp_path / "nowhere.txt")
    with pytest.raises(WordListError, match="is a folder"):
        read_words(tmp_path)
