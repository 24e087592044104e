"""The dictionary is the paper's, word for word, and a user's own file is read with care."""

from __future__ import annotations

import codecs
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular.errors import WordListError, WordListWarning
from oracular.games.words import TWL06_SHA256, decoded, playable_words, read_word_list, sha256_of_words, sifted, twl06

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


def test_a_word_file_is_read_sorted_lower_case_and_without_repeats(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfPecan\r\n\r\n giant \npecan\n")
    assert read_word_list(path).words == ("giant", "pecan")


READINGS = {
    "blank lines and comments": (b"# my list\n\ngiant\n  # more\npecan # a nut\n", ["giant", "pecan"], ""),
    "lines of Windows, and its mark": (b"\xef\xbb\xbfgiant\r\npecan\r\n", ["giant", "pecan"], ""),
    "the end of a file of DOS": (b"giant\r\npecan\r\n\x1a", ["giant", "pecan"], ""),
    "UTF-16": ("giant\r\npecan\r\n".encode("utf-16"), ["giant", "pecan"], ""),
    "UTF-16, the other way round": (codecs.BOM_UTF16_BE + "giant\n".encode("utf-16-be"), ["giant"], ""),
    "capitals": (b"GIANT\nPecan\n", ["giant", "pecan"], ""),
    "frequencies after tabs": (b"giant\t1234\npecan\t5.6e3\n", ["giant", "pecan"], ""),
    "frequencies after commas": (b'"giant",1234\n"pecan",17%\n', ["giant", "pecan"], ""),
    "frequencies after spaces": (b"giant 1234\npecan 56\n", ["giant", "pecan"], ""),
    "ranks": (b"1;giant;0.5\n2;pecan;0.25\n", ["giant", "pecan"], ""),
    "a list of a program": (b'"giant",\n"pecan",\n', ["giant", "pecan"], ""),
    "a table with a header": (
        b"word,count\ngiant,3\n",
        ["giant"],
        "left out 1 of 2 lines: 1 with more than one word (word,count)",
    ),
    "accents": (
        "café\ngiant\nnaïve\nłódź\nstraße\n".encode(),
        ["cafe", "giant", "lodz", "naive", "strasse"],
        "took 4 words without accents (café as cafe, naïve as naive, …)",
    ),
    "accents written apart": ("cafe\u0301\n".encode(), ["cafe"], "took 1 word without accents (cafe\u0301 as cafe)"),
    "Latin-1": (
        "café\ngiant\n".encode("latin-1"),
        ["cafe", "giant"],
        "took 1 word without accents (café as cafe); read it as Windows-1252 (Latin-1), since it is not UTF-8",
    ),
    "proper names": (
        b"giant\npecan\nParis\nzebra\n",
        ["giant", "paris", "pecan", "zebra"],
        "took 1 word with a capital letter as any other (Paris)",
    ),
    "everything else": (
        "cat's\ndog’s\ncow´s\nx-ray\nr2d2\n42\nтанго\netc.\ngiant pecan\ngiant\n".encode(),
        ["giant"],
        "left out 9 of 10 lines: 3 with an apostrophe (cat's, dog’s, …), 2 with digits (r2d2, 42), "
        "1 with a hyphen (x-ray), 1 with other letters than a to z (танго), 1 with other signs (etc.), "
        "1 with more than one word (giant pecan)",
    ),
}


@pytest.mark.parametrize(("content", "words", "note"), READINGS.values(), ids=READINGS)
def test_a_word_file_of_the_world_is_read_and_what_is_left_out_is_named(tmp_path, content, words, note):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    read = read_word_list(path)
    assert (list(read.words), read.note.partition("words.txt': ")[2]) == (words, note)
    assert read_word_list(path).words == read.words


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"# soon\n", "has comments only"),
        (b"\x7fELF\x00\x01", "not a text file"),
        (b"\xff\xfe\xfa", "not a text file"),
        ("giant\n".encode("utf-16-le"), "looks like UTF-16 without its mark: save it as UTF-8"),
        ("танго\n".encode(), r"its only line was left out, 1 with other letters than a to z \(танго\)"),
        (b"giant pecan\n", r"leaves no word: its only line was left out, 1 with more than one word \(giant pecan\)"),
        (
            b"it's\ndog's\nr2\n",
            r"all 3 lines were left out, 2 with an apostrophe \(it's, dog's\), 1 with digits \(r2\)",
        ),
    ],
)
def test_a_word_file_that_will_not_do_is_told_why(tmp_path, content, complaint):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(WordListError, match=complaint):
        read_word_list(path)


@given(st.lists(st.text(max_size=12), max_size=8), st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]))
def test_whatever_is_in_a_file_its_words_are_plain_and_every_line_is_taken_or_counted(lines, encoding):
    data = "\n".join(lines).encode(encoding, errors="ignore")
    if (read := decoded(data)) is None:
        return
    found = sifted(read[0].splitlines())
    assert all(re.fullmatch("[a-z]+", word) for word in found.words)
    assert len(found.words) <= found.lines - sum(map(len, found.left_out.values()))
    assert len(found.note) < 700


def test_a_clean_list_makes_the_game_it_always_made(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join(twl06()), encoding="utf-8")
    assert sha256_of_words(read_word_list(path).words) == TWL06_SHA256
    with pytest.warns(WordListWarning, match=r"for jotto-3 left out .* of another length \(aa, aah"):
        own = oracular.game("jotto-3", path)
    assert own.words_sha256 == oracular.game("jotto-3").words_sha256


def test_a_game_with_a_list_that_is_not_clean_comes_with_a_warning(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# mine\ncab\nfix\nit's\ncafé\n", encoding="utf-8")
    for source in (path, path.read_text(encoding="utf-8").splitlines()):
        with pytest.warns(WordListWarning, match=r"left out 1 of 4 lines: 1 with an apostrophe \(it's\)"):
            game = oracular.game("jotto-3", source)
        assert game.secrets == ("cab", "fix")


@pytest.mark.parametrize("command", ["show", "solve", "respond", "suggest", "sweep"])
def test_every_command_tells_once_what_was_left_out(request, tmp_path, command):
    command_line = request.getfixturevalue("oracular")  # the name is the package's here
    (tmp_path / "own.txt").write_text("cab\nfix\nhum\njot\nit's\n", encoding="utf-8")
    more = {"solve": ["--iterations", "1"], "suggest": ["cab:0"], "sweep": ["jotto-3-repeats", "--iterations", "1"]}
    outcome = command_line(command, "jotto-3", *more.get(command, []), "--words", "own.txt")
    assert outcome.code == 0, outcome.err
    notes = [line for line in outcome.err.splitlines() if line.startswith("note:")]
    assert notes == ["note: word file 'own.txt': left out 1 of 5 lines: 1 with an apostrophe (it's)"]
    assert "note:" not in outcome.out


LEFT_OUT = {
    (
        "jotto-3",
        "words",
    ): "2 of another length (ab, zebra), 1 with a repeated letter (ebb), 2 with an anagram in it (dog, god)",
    ("jotto-3-repeats", "words"): "2 of another length (ab, zebra), 2 with an anagram in it (dog, god)",
    ("jotto-3-repeats-anagrams", "words"): "2 of another length (ab, zebra)",
    ("wordle-3", "secrets"): "2 of another length (ab, zebra)",
    ("wordle-3", "guesses"): "2 of another length (ab, zebra)",
}


@pytest.mark.parametrize(("name", "option"), LEFT_OUT)
def test_words_that_a_game_cannot_use_are_left_out_counted_and_named(tmp_path, name, option):
    path = tmp_path / "mixed.txt"
    path.write_text("ab\ncab\ndog\nebb\nfix\ngod\nit's\nzebra\n", encoding="utf-8")
    with pytest.warns(WordListWarning) as told:
        game = oracular.game(name, **{option: path})
    assert len(told) == 1 and str(told[0].message).endswith(f"(it's); for {name} left out {LEFT_OUT[name, option]}")
    assert {"cab", "fix"} <= set(game.guesses) and "zebra" not in game.guesses
    assert oracular.game(name, **{option: ["ab", "cab", "fix"]}).guesses  # a list in memory was made for its game


@pytest.mark.parametrize("name", ["wordle", "wordle-twl06", "wordle-3", "wordle-hard"])
def test_a_list_of_guesses_says_what_may_be_guessed_besides_the_secrets(name):
    usual = oracular.game(name)
    word = "qqqqq"[: len(usual.secrets[0])]
    own = oracular.game(name, guesses=[word, usual.secrets[0]])
    assert own.secrets == usual.secrets
    assert own.guesses == tuple(sorted([*usual.secrets, word]))
    again = oracular.game(name, **own.own_lists)  # as runs and workers make it again
    assert again.is_same(own) and not own.is_same(usual)


def test_a_list_of_secrets_leaves_what_may_be_guessed():
    own = oracular.game("wordle", secrets=["crane", "zzzzz"])
    assert own.secrets == ("crane", "zzzzz")
    assert own.guesses == (*oracular.game("wordle").guesses, "zzzzz")


@pytest.mark.parametrize(
    ("name", "option", "sentence"),
    [
        ("jotto-5", "words", "mixed.txt' has no word of 5 letters: its 4 words have 3 to 6 letters, so choose another"),
        (
            "wordle",
            "secrets",
            "mixed.txt' has no word of 5 letters: its 4 words have 3 to 6 letters, so choose another",
        ),
        (
            "jotto-3",
            "words",
            "mixed.txt': every word of 3 letters in the list repeats a letter or has an anagram, which",
        ),
    ],
)
def test_a_file_that_leaves_no_word_for_a_game_is_named(tmp_path, name, option, sentence):
    path = tmp_path / "mixed.txt"
    path.write_text("dog\nebb\ngod\nzebras\n", encoding="utf-8")
    with pytest.raises(WordListError, match=re.escape(sentence)):
        oracular.game(name, **{option: path})


def test_an_address_is_not_taken_for_a_file():
    with pytest.raises(
        WordListError, match=r"'https://example\.com/x\.txt' is an address, and none is fetched: download"
    ):
        oracular.game("jotto-5", "https://example.com/x.txt")


def test_a_missing_word_file_and_a_folder_are_told_apart(tmp_path):
    with pytest.raises(WordListError, match="does not exist"):
        read_word_list(tmp_path / "nowhere.txt")
    with pytest.raises(WordListError, match="is a folder"):
        read_word_list(tmp_path)
