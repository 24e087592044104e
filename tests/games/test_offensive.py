"""The list of words that the computer never shows: what is in it, and what is not."""

from __future__ import annotations

import pytest

from oracular.games.offensive import inoffensive, is_offensive, offensive_words
from oracular.games.wordle import original_list
from oracular.games.words import twl06


def test_the_list_holds_words_of_the_dictionary():
    assert len(offensive_words()) > 500 and offensive_words() <= {*twl06(), *original_list("guesses")}


@pytest.mark.parametrize(
    "word", "shit SHITS fucked cunt kike spics wetback raped twats bitchy sluts ass golliwog pansies perv".split()
)
def test_slurs_and_obscenities_are_in_it_with_their_forms(word):
    assert is_offensive(word)


@pytest.mark.parametrize(
    "word",
    "cocky assay asset title dike grape therapist snigger niggle scrap spice gay japan crane hello shag slag".split(),
)
def test_ordinary_words_are_not(word):
    assert not is_offensive(word)


def test_words_to_be_shown_keep_their_order():
    assert inoffensive(["zebra", "shits", "apple"]) == ["zebra", "apple"]
