"""The words that people know: which are hidden in a familiar game, and that of earlier versions."""

from __future__ import annotations

from importlib.resources import files

import pytest

import oracular
from oracular.errors import UnknownGameError, WordListError
from oracular.games.offensive import is_offensive
from oracular.games.words import familiar_words

from forging import checkpoint_of, renew

FORMER_5_SHA256 = "a4ef6fa8aba3dbc1ff8e9fc3532baf011b93b9352f2a11feddc06ea71d3bf8a0"
"""The hash of the words of `jotto-5-familiar` in earlier versions."""


def hidden(letters: int) -> set[str]:
    return set(oracular.game(f"jotto-{letters}-repeats-anagrams-familiar").secrets)


def test_words_that_people_do_not_know_and_names_are_not_in_it():
    assert not {"diffs", "scart", "resid", "totes", "amiga", "pedro", "lipid"} & hidden(5)
    assert not {"etas", "dorp", "ruth", "java"} & hidden(4) and not {"qua", "joe", "ley", "eds"} & hidden(3)


def test_words_that_everybody_knows_are_in_it():
    assert {"table", "house", "green", "email", "donut", "worse"} <= hidden(5)
    assert {"word", "blog", "typo", "best", "news"} <= hidden(4) and {"cat", "dog", "app", "fax"} <= hidden(3)
    assert len(hidden(5)) > 2000 and len(hidden(4)) > 1400 and len(hidden(3)) > 400


@pytest.mark.parametrize("letters", [3, 4, 5])
def test_no_inflected_form_is_hidden(letters):
    known = familiar_words()
    plurals = {word for word in hidden(letters) if word.endswith("s") and word[:-1] in known}
    assert plurals <= {"hers", "news", "odds", "ours", "yours"}
    pasts = {word for word in hidden(letters) if word.endswith("ed") and {word[:-1], word[:-2]} & known}
    assert pasts <= {"bed", "red", "wed", "feed", "heed", "reed", "seed", "shed", "weed", "famed", "tweed"}
    assert not {"aging", "doing", "going", "lying", "using", "vying"} & hidden(letters)


def test_no_word_of_it_offends():
    assert not any(map(is_offensive, familiar_words()))


def test_the_licences_of_the_list_are_shipped_beside_it():
    notice = files("oracular.games").joinpath("familiar.md").read_text(encoding="utf-8")
    assert "Copyright 2000-2018 by Kevin Atkinson" in notice and "WordNet 1.6 Copyright 1997 by Princeton" in notice
    assert "Geoff Kuenning" in notice


def test_the_words_of_earlier_versions_have_a_name():
    game = oracular.game("Jotto 5 frequent")
    assert game.name == "jotto-5-frequent" and len(game.secrets) == 689 and game.words_sha256 == FORMER_5_SHA256
    with pytest.raises(UnknownGameError):
        oracular.game("jotto-5-familiar-frequent")
    with pytest.raises(WordListError, match="is frequent: leave -frequent out"):
        oracular.game("jotto-5-frequent", words=["zarfs"])


@pytest.mark.parametrize("name", ["jotto-3-familiar", "jotto-3-familiar-possible"])
def test_a_run_of_an_earlier_version_is_read_and_goes_on_with_its_words(name, tmp_path):
    present = name.replace("familiar", "frequent")
    oracular.solve(present, iterations=3, out=tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace(present, name))  # as it was called when it was begun
    renew(tmp_path, checkpoint_of(tmp_path))
    run = oracular.load_run(tmp_path)
    assert run.game.name == present and "eds" in run.game.secrets
    again = oracular.solve(run.game, iterations=5, out=tmp_path, resume=True)
    assert again.iterations == 5
