"""Bounds of openings by questions that are answered in batches: the same as those of the compiled search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular.bounds import batches, letters, uniform
from oracular.bounds.batches import BatchSearch, Bounds, Tasks, Unit
from oracular.bounds.letters import LetterBoard, board_of
from oracular.bounds.uniform import UniformSearch
from oracular.errors import SettingsError
from oracular.kernels.bounds import search as kernel
from oracular.kernels.bounds import tables
from oracular.kernels.bounds.tables import new_memo
from oracular.strategies.hider import Hider, hider_uniform

from how_many import examples
from random_games import letter_games


def nothing() -> None:
    """Watch a search without ending it."""


class CompiledEvaluator:
    """Answers by the compiled search, a few tasks at a time, the last of them first."""

    most_plies = 20

    def __init__(self, search: UniformSearch, at_a_time: int = 7) -> None:
        self.search, self.at_a_time = search, at_a_time
        self.queue: list[tuple[int, np.ndarray, int, int]] = []

    def add(self, tasks: Tasks) -> None:
        for number, ticket in enumerate(tasks.tickets.tolist()):
            state = tasks.members[tasks.ends[number] : tasks.ends[number + 1]].astype(np.int32)
            assert len(state) > letters.FEW
            self.queue.append((ticket, state, int(tasks.plies[number]), int(tasks.targets[number])))

    def take(self, timeout: float) -> Bounds:
        some, self.queue = self.queue[-self.at_a_time :], self.queue[: -self.at_a_time]
        found = [self.search.state_bound(*task[1:], nothing) for task in some]
        tickets = np.array([task[0] for task in some], np.int32)
        return Bounds(
            tickets, np.array([f.total for f in found], np.int32), np.array([f.exact for f in found], np.bool_)
        )


@given(st.data())
@examples(15, 300)
def test_openings_have_the_bounds_of_the_compiled_search(data: st.DataObject) -> None:
    game = data.draw(letter_games(20))
    hidden = data.draw(st.sets(st.integers(0, len(game.secrets) - 1), min_size=2).map(sorted))
    weights = np.zeros(len(game.secrets), np.int64)
    weights[hidden] = 5
    hider, memo = Hider(game, weights), new_memo(64, 256)
    compiled = UniformSearch(hider, memo, memo)
    units = []
    for opening in range(0, len(game.guesses), 3):
        for plies in (2, 3, 4, 5):
            known = compiled.opening_bound(opening, plies, batches.ALL_OF_IT, nothing).total
            units += [Unit(opening, plies, known + more) for more in (-2, 0, 1)]
    found = BatchSearch(board_of(hider), CompiledEvaluator(compiled)).answers(units)
    assert found == {unit: compiled.opening_bound(*unit, nothing) for unit in units}


def test_an_opening_of_three_letters_has_the_bound_of_the_compiled_search(jotto, monkeypatch) -> None:
    monkeypatch.setattr(batches, "REMEMBERED", 100)  # and what is forgotten is asked again
    hider = hider_uniform(jotto(3))
    compiled = UniformSearch(hider)
    units = [Unit(opening, 4, 1 << 40) for opening in (5, 100)] + [Unit(300, 4, 2600), Unit(5, 3, 2599)]
    found = BatchSearch(board_of(hider), CompiledEvaluator(compiled, 1000)).answers(units)
    assert found == {unit: compiled.opening_bound(*unit, nothing) for unit in units}


def test_the_numbers_are_those_of_the_kernels() -> None:
    """They stand in two places, so that batches need no compiled code."""
    assert (letters.DEPTHS, letters.MOST_SECRETS) == (tables.DEPTHS, tables.MOST_SECRETS)
    assert letters.MOST_PAIRS == uniform.MOST_PAIRS
    assert (letters.FEW, letters.STEPS, letters.MOST_ANSWERS) == (kernel.FEW, tables.BUCKETS - 1, tables.MOST_ANSWERS)


@pytest.mark.parametrize("name", ["jotto-2", "jotto-4-familiar", "jotto-5-repeats-anagrams-familiar"])
def test_the_answers_of_a_board_are_those_of_the_game(name) -> None:
    game = oracular.game(name)
    board = board_of(hider_uniform(game))
    assert board.count == len(game.labels) - 1
    assert board.answers.shape == game.table.shape


def test_other_games_and_hiders_are_refused_in_one_sentence() -> None:
    for name in ("mastermind-2x3", "jotto-2-possible"):
        with pytest.raises(SettingsError, match=f"not of {name}"):
            board_of(hider_uniform(oracular.game(name)))
    game = oracular.game("jotto-2")
    with pytest.raises(SettingsError, match="choose the uniform hider"):
        board_of(Hider(game, np.arange(len(game.secrets))))


def test_a_board_that_is_none_is_refused() -> None:
    tokens, finder = np.array([[0, 1], [0, 2], [1, 2]], np.uint8), np.array([0, 2], np.int32)
    assert LetterBoard(tokens, finder).answers.tolist() == [[255, 1], [1, 1], [1, 255]]
    for bad in (
        (tokens.astype(np.int64), finder),
        (tokens[:, 0], finder),
        (tokens[:0], finder),
        (tokens, finder[:1]),
        (np.zeros((3, 2), np.uint8), finder),
        (tokens, np.array([0, 0], np.int32)),
        (tokens, np.array([0, 3], np.int32)),
        (tokens + np.uint8(253), finder),
        (np.tile(tokens, (8000, 1)), np.arange(3000, dtype=np.int32)),
        (np.arange(36, dtype=np.uint8).reshape(4, 9), finder),
    ):
        with pytest.raises(ValueError):
            LetterBoard(*bad)
