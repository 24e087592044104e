"""Openings searched by a GPU, emulated: the same file of bounds as by threads, which a lost device leaves whole."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracular import Game, best_response, game, solve
from oracular.bounds.file import read_bounds
from oracular.bounds.gpu import searcher
from oracular.bounds.gpu.evaluator import DeviceEvaluator, Shape
from oracular.bounds.gpu.searcher import DeviceSearcher
from oracular.bounds.lower_bound import LowerBound
from oracular.bounds.search import ThreadSearcher
from oracular.errors import DeviceError, SettingsError
from oracular.runs.certify import certify
from oracular.runs.layout import bounds_file
from oracular.strategies.hider import Hider, hider_uniform

from how_many import examples
from random_games import letter_games

SHAPE = Shape(threads=64, each=1, letters=4, answers=5, blocks=1)
FILE = bounds_file("uniform")


@pytest.fixture
def words(jotto) -> Game:
    return game("jotto-2", jotto(2).secrets[::2])


@pytest.fixture
def run(words, tmp_path) -> Path:
    solve(words, iterations=5, out=tmp_path / "run")
    return tmp_path / "run"


@given(data=st.data())
@settings(examples(6, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_openings_one_after_another_have_the_bounds_of_threads(data, emulated) -> None:
    letters = data.draw(letter_games(14))
    weights = [data.draw(st.sampled_from((0, 7))) for _ in letters.secrets]
    weights[:2] = 7, 7
    hider, with_tree = Hider(letters, np.array(weights)), data.draw(st.booleans())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searcher, "DeviceEvaluator", lambda board: DeviceEvaluator(board, SHAPE))
        found = []
        for search in (ThreadSearcher(hider, 1), DeviceSearcher(hider, 1)):
            bound = LowerBound(hider)
            if with_tree:
                bound.add_tree(int(best_response(letters, hider).upper * hider.total))
            bound.improve(search)
            found.append(bound)
    assert found[0].openings == found[1].openings
    assert found[0].finished and found[1].finished


def test_the_file_of_bounds_is_the_same_from_both(run, words, emulated) -> None:
    optimum = best_response(words, hider_uniform(words)).upper
    target = optimum - Fraction(1, 100)
    written = []
    for device in ("cpu", "gpu", "auto"):
        bounds = certify(run, device=device, target=target)
        assert (bounds.device, bounds.stopped) == ("cpu" if device == "cpu" else "gpu", "target")
        assert target <= bounds.lower <= optimum
        written.append((run / FILE).read_bytes())
        (run / FILE).unlink()
    assert written[0] == written[1] == written[2]


def test_a_lost_device_costs_only_what_it_was_working_on(run, words, emulated) -> None:
    optimum = best_response(words, hider_uniform(words)).upper
    certify(run, device="cpu", target=optimum - Fraction(1, 4))
    hider = hider_uniform(words)
    before = read_bounds(run / FILE, hider)
    others = {path.name: path.read_bytes() for path in run.iterdir() if path.name != FILE}
    emulated.FAILS_AT = 10
    with pytest.raises(DeviceError, match="cudaErrorIllegalAddress"):
        certify(run, device="gpu")
    after = read_bounds(run / FILE, hider)
    assert all(after[opening].bound >= known.bound for opening, known in before.items())
    assert sum(bound.bound for bound in after.values()) > sum(bound.bound for bound in before.values())
    assert {path.name: path.read_bytes() for path in run.iterdir() if path.name != FILE} == others
    assert certify(run, device="cpu").lower == optimum


def test_what_a_gpu_does_not_serve_is_told_and_auto_takes_the_processor(run, words, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    solve(game("mastermind-2x3"), iterations=5, out=tmp_path / "pegs")
    solve(words, iterations=5, objective="within-3", solver="regret-matching", out=tmp_path / "quick")
    with pytest.raises(DeviceError, match="CuPy, which is not installed"):
        certify(run, device="gpu")
    with pytest.raises(SettingsError, match="of games like jotto-5 alone, not of mastermind-2x3"):
        certify(tmp_path / "pegs", device="gpu")
    with pytest.raises(SettingsError, match="choose the uniform hider"):
        certify(run, hider="run", device="gpu")
    with pytest.raises(SettingsError, match="on the mean alone, and the run is for within-3"):
        certify(tmp_path / "quick", device="gpu")
    with pytest.raises(SettingsError, match="device 'tpu' is not one"):
        certify(run, device="tpu")
    for folder in (run, tmp_path / "pegs", tmp_path / "quick"):
        assert certify(folder, device="auto", time_limit=5).device == "cpu"


def test_the_command_says_in_one_sentence_that_there_is_no_gpu(run, oracular, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    said = oracular("certify", run, "--device", "gpu")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: a GPU needs CuPy") and said.err.count("\n") == 1


def test_the_command_tells_which_device_it_took(run, oracular, emulated) -> None:
    assert json.loads(oracular("certify", run, "--device", "gpu", "--json").out)["device"] == "gpu"
    assert "by a GPU" in oracular("certify", run, "--device", "auto").out
    assert json.loads(oracular("certify", run, "--device", "cpu", "--json").out)["device"] == "cpu"
