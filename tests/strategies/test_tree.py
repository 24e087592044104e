"""A row of guesses is a whole tree of its game, or it is refused: nothing that is in it is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Game, Tree
from oracular.errors import SettingsError
from oracular.kernels.trees import unpack_tree
from oracular.strategies.tree import tree_by, tree_of

from random_games import random_games


@st.composite
def random_trees(draw: st.DrawFn) -> Tree:
    """Draw a tree of a random game: at every state one of the guesses that tell its secrets apart."""
    game = draw(random_games())

    def choose(state: np.ndarray, demand: int) -> int:
        answers = game.table[:, state]
        return int(draw(st.sampled_from(np.flatnonzero((answers != answers[:, :1]).any(axis=1)).tolist())))

    return tree_by(game, choose)


def slow_depths(tree: Tree) -> list[int]:
    """Return how many guesses each secret takes, by playing the tree for one secret after the other."""
    game, depths = tree.game, []
    for secret in game.all_secrets:
        possible, guesses = game.all_secrets, 1
        while (answer := int(game.table[guess := tree.guess(possible), secret])) != game.found:
            possible, guesses = game.narrow(possible, (guess, answer)), guesses + 1
        depths.append(guesses)
    return depths


def test_the_depths_of_a_tree_are_those_of_the_oracle_it_was_made_of(jotto):
    oracle = oracular.guesser_gbr_uniform(jotto(3), "possible")
    tree = tree_of(oracle)
    assert np.array_equal(tree.depths(), oracle.depths())
    assert np.array_equal(Tree(jotto(3), tree.guesses.astype(np.int64)).depths(), oracle.depths())


@given(tree=random_trees())
def test_the_depths_of_any_tree_are_what_playing_it_takes(tree):
    assert tree.depths().tolist() == slow_depths(tree)


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
        lambda row: row.astype("m8[s]"),
        lambda row: row.astype(object),
        lambda row: row.reshape(1, -1),
        lambda row: np.full(100_000, row[0]),
        lambda row: np.array(3),
    ],
)
def test_a_row_that_is_no_tree_is_refused(jotto, damage):
    two = jotto(2)
    row = damage(tree_of(oracular.guesser_gbr_uniform(two)).guesses)
    for use in (Tree.depths, Tree.to_list):
        with pytest.raises(SettingsError, match=r"no tree of jotto-2|no row of guesses"):
            use(Tree(two, row))


@given(data=st.data())
def test_any_row_at_all_is_played_to_the_end_or_refused(data):
    game = data.draw(random_games())
    row = np.array(data.draw(st.lists(st.integers(-2, len(game.guesses) + 1), max_size=30)), dtype=np.int64)
    possible = np.array(sorted(data.draw(st.sets(st.sampled_from(game.all_secrets.tolist()), min_size=1))), np.int32)
    try:
        Tree(game, row).guess(possible)
        depths = Tree(game, row).depths()
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
    guesses, depths, whole = unpack_tree(game.table, game.found, game.guess_of_secret, codes, written)
    assert not whole or np.array_equal(Tree(game, guesses).depths(), depths)


def single_secret() -> Game:
    return oracular.Game.from_function(["a"], ["a", "b"], lambda guess, secret: guess == secret)


def test_the_tree_of_a_single_secret_has_no_guess():
    game = single_secret()
    for row in (np.zeros(0, dtype=np.int32), np.zeros(0)):
        tree = Tree(game, row)
        assert tree.depths().tolist() == [1]
        assert tree.guess(game.all_secrets) == 0
        assert tree.to_list() == [0, -1, 0]
    assert Tree.from_list(game, [0, -1, 0]).guesses.tolist() == []
    with pytest.raises(ValueError, match="eliminates nothing"):
        Tree.from_list(game, [1, -1, 0])


def test_off_its_path_the_fallback_is_asked_and_nowhere_else(jotto):
    two = jotto(2)
    tree = tree_of(oracular.guesser_gbr_uniform(two))
    asked = []

    class Fallback:
        game = two

        def guess(self, possible):
            asked.append(possible)
            return 7

        def depths(self):
            raise AssertionError("a tree has depths of its own")

    with_fallback = replace(tree, fallback=Fallback())
    for visit in tree.visits():
        assert with_fallback.guess(visit.state) == tree.guess(visit.state) == visit.guess
    assert np.array_equal(with_fallback.depths(), tree.depths()) and not asked
    assert with_fallback.guess(np.array([1, 5, 9, 33], dtype=np.int32)) == 7
    assert [state.tolist() for state in asked] == [[1, 5, 9, 33]]


@given(tree=random_trees())
def test_a_tree_written_out_reads_back_the_same(tree):
    numbers = tree.to_list()
    again = Tree.from_list(tree.game, numbers)
    assert np.array_equal(again.guesses, tree.guesses)
    assert again.to_list() == numbers


def test_the_nodes_of_a_tree_are_numbered_from_the_last_answer_on():
    game = oracular.Game.from_function("abc", "abc", lambda guess, secret: (guess > secret) - (guess < secret))
    tree = Tree(game, np.array([1], dtype=np.int32))  # first b; then a, whose answer is 2, before c, whose answer is 0
    assert [game.labels[answer] for answer in game.table[1]] == ["1", "0", "-1"]
    answer_of_a, answer_of_c = int(game.table[1, 0]), int(game.table[1, 2])
    assert answer_of_a > answer_of_c
    assert tree.to_list() == [1, -1, 0, 0, 0, answer_of_a, 2, 0, answer_of_c]


@given(data=st.data())
def test_any_numbers_at_all_are_a_tree_or_refused(data):
    tree = data.draw(random_trees())
    numbers = tree.to_list()
    for _ in range(data.draw(st.integers(1, 3))):
        numbers[data.draw(st.integers(0, len(numbers) - 1))] = data.draw(
            st.one_of(st.integers(-2, 9), st.just(300), st.just(10**30))
        )
    numbers = numbers[: data.draw(st.integers(0, len(numbers)))] if data.draw(st.booleans()) else numbers
    try:
        found = Tree.from_list(tree.game, numbers)
    except ValueError:
        return
    assert found.depths().tolist() == slow_depths(found)


@pytest.mark.parametrize("numbers", [[], [0], [True, -1, 0], [0.0, -1, 0], "", None, {}, [[0, -1, 0]], [51, -1, 0]])
def test_what_is_no_list_of_nodes_is_refused(jotto, numbers):
    with pytest.raises(ValueError, match="tree"):
        Tree.from_list(jotto(2), numbers)


def test_a_node_that_no_secret_leads_to_is_refused(jotto):
    numbers = tree_of(oracular.guesser_gbr_uniform(jotto(2))).to_list()
    with pytest.raises(ValueError, match="no secret leads to"):
        Tree.from_list(jotto(2), [*numbers, 0, 0, 77])


def test_an_oracle_that_gets_nowhere_has_no_tree(jotto):
    class Stuck:
        game = jotto(2)

        def guess(self, possible):
            return 0

    with pytest.raises(SettingsError, match="eliminates nothing"):
        tree_of(Stuck())
