"""Limits: where a run ends, that it ends there again after a break, and that a time holds."""

from __future__ import annotations

import hashlib
import time

import numpy as np
import pytest

import oracular
from oracular import Game, load_run, solve
from oracular.errors import OutOfTimeError, SettingsError
from oracular.runs.solution import SOLVERS
from oracular.runs.sweep import plan, sweep
from oracular.system.control import Deadline, DeadlinePassed


def small_game(secrets: int = 12, name: str = "small") -> Game:
    """A game of numbers, answered by how they share digits: small, and worth some steps to every solver."""
    words = [f"{number:03d}" for number in range(0, secrets * 7, 7)]
    return Game.from_function(
        words, words, lambda g, s: "=" if g == s else sum(a == b for a, b in zip(g, s, strict=True)), name=name
    )


class PassesAfter(Deadline):
    """A deadline that passes after it has been asked so often: the same every time."""

    @classmethod
    def questions(cls, number: int) -> PassesAfter:
        deadline = cls(0.0)
        object.__setattr__(deadline, "rest", number)
        return deadline

    @property
    def left(self) -> float:
        rest = self.rest  # type: ignore[attr-defined]
        object.__setattr__(self, "rest", rest - 1)
        return 1e6 if rest > 0 else 0.0

    def later(self, seconds: float) -> PassesAfter:
        return self


def test_a_run_that_is_interrupted_ends_where_it_would_have_ended(tmp_path):
    game = oracular.game("jotto-2")
    whole = solve(game, solver="regret-matching", epsilon=0.5)
    assert whole.iterations >= 3
    steps = 0

    def few() -> bool:
        nonlocal steps
        steps += 1
        return steps > 2

    folder = tmp_path / "run"
    solve(game, solver="regret-matching", epsilon=0.5, out=folder, stop=few)
    while True:
        steps = 0
        again = solve(game, solver="regret-matching", epsilon=0.5, out=folder, resume=True, stop=few)
        if again.stopped != "interrupted":
            break
    assert (again.iterations, again.stopped, again.history) == (whole.iterations, "epsilon", whole.history)
    assert again.standing == whole.standing and again.guarantee == whole.guarantee


@pytest.mark.parametrize("solver", SOLVERS)
def test_whoever_is_asked_a_run_is_done_where_its_driver_ended_it(tmp_path, solver):
    game = small_game()
    limits = {"epsilon": 0.5, "iterations": 60}
    runs = plan([game], [solver], {}, tmp_path, **limits)
    rows = sweep(runs)
    assert rows is not None and runs[0].finished() is not None
    before = {path.name: path.read_bytes() for path in runs[0].folder.iterdir()}
    assert sweep(plan([game], [solver], {}, tmp_path, **limits)) == rows
    assert {path.name: path.read_bytes() for path in runs[0].folder.iterdir()} == before
    assert load_run(runs[0].folder, game).iterations == rows[0]["iterations"]


def test_a_time_too_short_for_the_first_step_is_told_and_leaves_nothing(tmp_path):
    game = oracular.game("jotto-4")
    began = time.monotonic()
    with pytest.raises(OutOfTimeError, match=r"the 0\.2 seconds given were over before the solver exact"):
        solve(game, solver="exact", time_limit=0.2, out=tmp_path / "run")
    assert time.monotonic() - began < 60
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["mastermind-3x4", "jotto-2"])
def test_a_game_that_could_not_be_prepared_in_time_is_prepared_later_all_the_same(name, monkeypatch):
    monkeypatch.setattr("oracular.games.table.ROWS_A_PIECE", 7)
    whole, cut = oracular.game(name), oracular.game(name)
    cuts = 0
    while True:
        try:
            cut.prepare(PassesAfter.questions(cuts), identity=True)
            break
        except DeadlinePassed:
            cuts += 1
    assert cuts > len(cut.guesses) // 7  # what was finished is kept
    table = whole.answers(np.arange(len(whole.guesses), dtype=np.int32), whole.all_secrets)
    for array, expected in ((cut.table, table), (cut.by_secret, table.T), (whole.by_secret, table.T)):
        assert np.array_equal(array, expected) and array.flags.c_contiguous
    assert not cut.table.flags.writeable and cut.by_secret.flags.writeable
    assert cut.answers_sha256 == whole.answers_sha256 == hashlib.sha256(table.tobytes()).hexdigest()
    assert cut.checked_symmetries == cut.symmetries


BAD_LIMITS = {
    "iterations": [True, 0, -1, 1.5, "3", 10**4000 * -1],
    "epsilon": [float("nan"), float("inf"), -0.1, True, "1"],
    "time_limit": [float("nan"), float("inf"), 0, -1, True, "1"],
    "resources": [oracular.Resources(threads=number) for number in (True, 0, -1, 1.5, 10**9)],
}


@pytest.mark.parametrize("name", BAD_LIMITS)
def test_bad_limits_are_told_before_anything_is_written(name, tmp_path):
    for value in BAD_LIMITS[name]:
        with pytest.raises(SettingsError, match=r"asked for: give") as told:
            solve("jotto-2", out=tmp_path / "run", **{name: value})
        assert len(str(told.value)) < 200
    assert list(tmp_path.iterdir()) == []
