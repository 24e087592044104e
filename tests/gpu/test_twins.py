"""The GPU against the processor, on a real device: the same whole numbers for the same units of work.

`make test-gpu` runs these. The tests in `tests/emulated` do the same with an emulated device, at smaller sizes.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracular
from device_tasks import answers_of, tasks_of
from oracular.bounds.batches import ALL_OF_IT, BatchSearch, Unit
from oracular.bounds.gpu.evaluator import DeviceEvaluator
from oracular.bounds.letters import board_of
from oracular.bounds.uniform import UniformSearch
from oracular.errors import DeviceError
from oracular.runs.certify import certify
from oracular.runs.layout import bounds_file
from oracular.strategies.hider import Hider, hider_uniform
from oracular.system.device import open_device

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def device() -> None:
    """Skip where there is no GPU, and say why."""
    try:
        open_device()
    except DeviceError as error:
        pytest.skip(str(error))


def nothing() -> None:
    """Watch a search without ending it."""


@pytest.mark.parametrize(("name", "largest", "plies"), [("jotto-3", 200, 4), ("jotto-4", 100, 3), ("jotto-5", 80, 3)])
@pytest.mark.parametrize("work", [1, 1 << 21])
def test_states_have_the_bounds_of_the_compiled_search(name, largest, plies, work) -> None:
    """They do, too, where every launch is cut off after one state."""
    game = oracular.game(name)
    hider, random = hider_uniform(game), np.random.default_rng(15)
    compiled, device = UniformSearch(hider), DeviceEvaluator(board_of(hider))
    device._work = work
    sizes = random.integers(3, largest if work > 1 else 12, 300)
    states = [np.sort(random.choice(len(game.secrets), size, replace=False)).astype(np.int32) for size in sizes]
    deep = random.integers(1, plies + 1, len(states)).tolist()
    whole = [compiled.state_bound(state, k, ALL_OF_IT, nothing) for state, k in zip(states, deep, strict=True)]
    assert answers_of(device, tasks_of(states, deep, [ALL_OF_IT] * len(states))) == whole
    targets = [max(1, bound.total + random.integers(-3, 2)) for bound in whole]
    known = [compiled.state_bound(*unit, nothing) for unit in zip(states, deep, targets, strict=True)]
    assert answers_of(device, tasks_of(states, deep, targets)) == known


@pytest.mark.parametrize(("name", "plies", "openings"), [("jotto-3", 4, 40), ("jotto-4", 3, 20), ("jotto-5", 3, 8)])
def test_openings_have_the_bounds_of_the_compiled_search(name, plies, openings) -> None:
    hider = hider_uniform(oracular.game(name))
    compiled, search = UniformSearch(hider), BatchSearch(board_of(hider), DeviceEvaluator(board_of(hider)))
    units = [
        Unit(opening, deep, ALL_OF_IT)
        for opening in range(0, len(hider.game.guesses), len(hider.game.guesses) // openings)
        for deep in range(2, plies + 1)
    ]
    assert search.answers(units) == {unit: compiled.opening_bound(*unit, nothing) for unit in units}


def test_some_secrets_of_three_letters_deep_enough_for_the_optimum() -> None:
    game = oracular.game("jotto-3")
    weights = np.zeros(len(game.secrets), np.int64)
    weights[::20] = 3
    hider = Hider(game, weights)
    compiled, search = UniformSearch(hider), BatchSearch(board_of(hider), DeviceEvaluator(board_of(hider)))
    units = [Unit(opening, plies, ALL_OF_IT) for opening in range(0, len(game.guesses), 50) for plies in (4, 6, 9)]
    found = search.answers(units)
    assert found == {unit: compiled.opening_bound(*unit, nothing) for unit in units}
    assert any(bound.exact for bound in found.values())


def test_the_file_of_bounds_is_the_same_from_both(tmp_path: Path) -> None:
    oracular.solve(oracular.game("jotto-3"), iterations=20, out=tmp_path / "run")
    path, written = tmp_path / "run" / bounds_file("uniform"), []
    for device in ("cpu", "gpu"):
        bounds = certify(tmp_path / "run", device=device, target=Fraction(2550, 421))
        assert (bounds.device, bounds.stopped) == (device, "target")
        written.append(path.read_bytes())
        path.unlink()
    assert written[0] == written[1]
