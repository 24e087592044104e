"""The kernel for lower bounds, emulated: the same numbers as the compiled search, in whatever order threads run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device_tasks import answers_of, tasks_of
from oracular.bounds.batches import ALL_OF_IT, BatchSearch, Unit
from oracular.bounds.gpu import evaluator
from oracular.bounds.gpu.evaluator import DeviceEvaluator, Shape
from oracular.bounds.letters import board_of
from oracular.bounds.uniform import UniformSearch
from oracular.kernels.bounds.tables import new_memo
from oracular.strategies.hider import hider_uniform

from how_many import examples
from random_games import letter_games

SHAPE = Shape(threads=64, each=1, letters=4, answers=5, blocks=1)
"""Of all random games, so that the kernel is compiled once for them."""


def nothing() -> None:
    """Watch a search without ending it."""


@given(data=st.data())
@settings(examples(15, 300), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_states_have_the_bounds_of_the_compiled_search(data: st.DataObject, emulated) -> None:
    """Where threads run in any order, memos are small, and each launch does next to nothing."""
    game = data.draw(letter_games())
    emulated.SCHEDULE = data.draw(st.integers(0, 9))
    emulated.FREE_MEMORY = data.draw(st.sampled_from((1 << 10, 4 << 20)))
    hider, memo = hider_uniform(game), new_memo(64, 256)
    compiled, device = UniformSearch(hider, memo, memo), DeviceEvaluator(board_of(hider), SHAPE)
    device._work = data.draw(st.sampled_from((1, 100, 1 << 20)))
    some = st.sets(st.sampled_from(range(len(game.secrets))), min_size=3).map(sorted)
    states = [np.array(state, np.int32) for state in data.draw(st.lists(some, min_size=1, max_size=8))]
    plies = [data.draw(st.integers(1, 6)) for _ in states]
    targets = []
    for state, deep in zip(states, plies, strict=True):
        known = compiled.state_bound(state, deep, ALL_OF_IT, nothing).total
        targets.append(data.draw(st.sampled_from((known - 1, known, known + 1, ALL_OF_IT))))
    known = [compiled.state_bound(*unit, nothing) for unit in zip(states, plies, targets, strict=True)]
    assert answers_of(device, tasks_of(states, plies, targets)) == known


def test_openings_of_jotto_have_the_bounds_of_the_compiled_search(jotto, emulated, monkeypatch) -> None:
    monkeypatch.setattr(evaluator, "TASKS_AT_A_TIME", 50)
    for letters, units in ((2, [(5, 4, ALL_OF_IT), (20, 4, 281)]), (3, [(5, 2, ALL_OF_IT), (100, 3, 2600)])):
        hider = hider_uniform(jotto(letters))
        compiled = UniformSearch(hider)
        search = BatchSearch(board_of(hider), DeviceEvaluator(board_of(hider)))
        assert search.answers(Unit(*unit) for unit in units) == {
            unit: compiled.opening_bound(*unit, nothing) for unit in units
        }


def test_what_was_begun_can_be_dropped(jotto, emulated) -> None:
    hider = hider_uniform(jotto(2))
    compiled, device = UniformSearch(hider), DeviceEvaluator(board_of(hider))
    state = np.arange(20, dtype=np.int32)
    device._work = 1
    device.add(tasks_of([state] * 5, [4] * 5, [ALL_OF_IT] * 5))
    assert not len(device.take(0.0).tickets)
    device.forget()
    device._work = 1 << 20
    assert answers_of(device, tasks_of([state], [2], [ALL_OF_IT])) == [
        compiled.state_bound(state, 2, ALL_OF_IT, nothing)
    ]


def test_every_game_that_is_allowed_fits_on_a_device() -> None:
    """The constants of each game are such that one thread has what its registers can hold."""
    for guesses, letters in ((50, 2), (421, 3), (2833, 5), (24 << 10, 8)):
        board = type("Board", (), {"tokens": np.zeros((guesses, letters)), "letters": letters, "count": letters})()
        shape = Shape.of(board)
        assert shape.guesses >= guesses and shape.each <= 24 and shape.threads <= 1024
        assert shape.shared_bytes(evaluator.MOST_PLIES, 3640, 60) < 64 << 10


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="CUDA's compiler nvcc is not there")
def test_the_source_is_cuda(tmp_path: Path) -> None:
    constants = {"THREADS": 128, "EACH": 4, "LETTERS": 3, "ANSWERS": 3, "BLOCKS": 8}
    defined = [f"-D{name}={value}" for name, value in constants.items()]
    command = ["nvcc", "-std=c++17", "-Werror", "all-warnings", "-ptx", *defined, "-o", tmp_path / "search.ptx"]
    subprocess.run([*command, evaluator.SOURCE], check=True)
    assert ".entry search_states" in (tmp_path / "search.ptx").read_text(encoding="utf-8")
