"""A row of guesses is a whole tree of its game, or it is refused: nothing that is in it is believed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular.errors import SettingsError
from oracular.kernels.trees import unpack_tree
from oracular.strategies.compact_tree import CompactTree, compact, replayed_depths
from oracular.strategies.file import save_mixture

from random_games import random_games


def test_the_depths_of_a_row_are_those_of_the_oracle_it_was_made_of(jotto):
    oracle = oracular.guesser_gbr_uniform(jotto(3), "possible")
    row = compact(oracle).guesses
    assert np.array_equal(replayed_depths(jotto(3), row), oracle.depths())
    assert np.array_equal(replayed_depths(jotto(3), row.astype(np.int64)), oracle.depths())


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: row[:-1],
        lambda row: np.append(row, row[0]),
        lambda row: np.append(row, np.zeros(100_000, dtype=np.int32)),
        lambda row: row[:0],
        lambda row: row - row[0] - 1,
        lambda row: row + 51,
        lambda row: row.astype(np.int64) + (1 << 32),
        lambda row: row.astype(np.float64),
        lambda row: row.astype(str),
        lambda row: row.reshape(1, -1),
        lambda row: np.full(100_000, row[0]),
        lambda row: np.array(3),
    ],
)
def test_a_row_that_is_no_tree_is_refused(jotto, damage):
    two = jotto(2)
    row = damage(compact(oracular.guesser_gbr_uniform(two)).guesses)
    with pytest.raises(SettingsError, match=r"no tree of jotto-2|no row of guesses"):
        replayed_depths(two, row)
    with pytest.raises(SettingsError, match=r"no tree of jotto-2|no row of guesses"):
        CompactTree(two, row).depths()


@given(data=st.data())
def test_any_row_at_all_is_played_to_the_end_or_refused(data):
    game = data.draw(random_games())
    row = np.array(data.draw(st.lists(st.integers(-2, len(game.guesses) + 1), max_size=30)), dtype=np.int64)
    try:
        depths = replayed_depths(game, row)
    except SettingsError:
        return
    assert depths.min() >= 1 and depths.max() <= len(game.secrets)


@given(data=st.data())
def test_any_codes_and_guesses_at_all_are_unpacked_to_a_tree_or_refused(data):
    game = data.draw(random_games())
    codes = np.array(data.draw(st.lists(st.integers(0, 255), max_size=12)), dtype=np.uint8)
    written = np.array(data.draw(st.lists(st.integers(0, 2**16 - 1), max_size=12)), dtype=np.uint16)
    if data.draw(st.booleans()):
        codes, written = codes & 3, written % len(game.guesses)
    guesses, depths = np.zeros(len(codes) + len(written), np.int32), np.zeros(len(game.secrets), np.int32)
    used = unpack_tree(game.by_secret, game.guess_of_secret, game.found, codes, written, guesses, depths)
    assert used < 0 or np.array_equal(replayed_depths(game, guesses[:used]), depths)


def test_what_is_no_tree_is_not_saved_as_one(jotto, tmp_path):
    row = compact(oracular.guesser_gbr_uniform(jotto(2))).guesses
    for damaged in (row[:-1], np.append(row, row[0]), row + 51, np.full(200, row[0])):
        with pytest.raises(SettingsError, match="no tree of jotto-2"):
            save_mixture(tmp_path / "strategy", jotto(2), [CompactTree(jotto(2), damaged)], [1], {})
    assert not (tmp_path / "strategy").exists()


def test_the_tree_of_a_single_secret_has_no_guess():
    game = oracular.Game.from_function(["a"], ["a", "b"], lambda guess, secret: guess == secret)
    assert replayed_depths(game, np.zeros(0, dtype=np.int32)).tolist() == [1]
    assert replayed_depths(game, np.zeros(0)).tolist() == [1]
