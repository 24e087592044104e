"""The double oracle: smooth play on the kept responses, and responses that look for the secrets that weigh most."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular.costs import Costs
from oracular.kernels.smooth_play import DOUBLINGS, play_smoothly
from oracular.objectives import within
from oracular.planner.planner import Planner
from oracular.runs.solution import make_solver
from oracular.solvers.double_oracle import DoubleOracle
from oracular.solvers.openings_problem import OpeningsProblem
from oracular.system.control import DeadlinePassed


def smooth_twin(depths: np.ndarray, regrets: np.ndarray, sharpness: float, rounds: int) -> tuple[np.ndarray, ...]:
    """Return what `play_smoothly` does, written out in the slow way: regrets, mixture, hider."""

    def answer(play):
        expected = play @ depths
        shares = np.maximum(0.0, 1.0 - sharpness * (expected.max() - expected) / 2**DOUBLINGS) ** (2**DOUBLINGS)
        return shares / shares.sum()

    def normal(shares):
        return shares / shares.sum() if shares.sum() > 0 else np.full(len(shares), 1 / len(shares))

    play, average = normal(regrets), np.zeros(len(depths))
    for count in range(1, rounds + 1):
        costs = depths @ answer(play)
        gains = play @ costs - costs
        regrets = np.maximum(0.0, regrets + gains)
        play = normal(np.maximum(0.0, regrets + gains))
        average += count * play
    average /= average.sum()
    return regrets, average, answer(average)


@pytest.mark.parametrize(("trees", "secrets", "seed"), [(1, 1, 0), (3, 7, 1), (6, 16, 2), (9, 43, 3)])
def test_smooth_play_is_that_of_its_slow_twin(trees, secrets, seed):
    rng = np.random.default_rng(seed)
    depths, regrets = rng.integers(1, 9, (trees, secrets)).astype(np.float32), rng.random(trees)
    played = play_smoothly(depths, regrets, 5.0, 20)
    for ours, slow in zip(played, smooth_twin(depths.astype(float), regrets, 5.0, 20), strict=True):
        assert ours == pytest.approx(slow, abs=1e-9)


def test_smooth_play_prefers_what_costs_most_and_mixes_against_it():
    depths = np.array([[1, 4, 2], [4, 1, 2]], np.float32)  # either tree is bad for one of two secrets
    played = play_smoothly(depths, np.zeros(2), 10.0, 500)
    assert played.mixture == pytest.approx([0.5, 0.5], abs=1e-3)
    assert played.hider[0] == pytest.approx(played.hider[1], abs=0.02)
    assert played.hider[2] < played.hider[0] / 10


def narrow(game: oracular.Game, seek: int) -> Planner:
    """Return a planner that tries a single guess at each state, and looks for heavy secrets or not."""
    return Planner(game, width=1, large_width=1, root_width=1, small=0, seek=seek)


def test_a_secret_that_has_grown_heavy_is_looked_for(jotto):
    game = jotto(3)
    weights = np.ones(len(game.secrets), dtype=np.int64)
    plain, seeking = narrow(game, 0), narrow(game, 4)
    for planner in (plain, seeking):
        planner.respond(Costs.mean(weights))
    hard = int(np.argmax(plain.respond(Costs.mean(weights)).depths()))
    weights[hard] = len(weights)
    assert plain.respond(Costs.mean(weights)).depths()[hard] > 1  # at later visits it tries nothing new
    found = [int(seeking.respond(Costs.mean(weights)).depths()[hard]) for _ in range(2)]
    assert found[-1] == 1
    costs = [int(weights @ planner.respond(Costs.mean(weights)).depths()) for planner in (seeking, plain)]
    assert costs[0] < costs[1]


def test_a_secret_of_middling_weight_is_left_alone_by_some_guess(jotto):
    game = jotto(3)
    weights = np.ones(len(game.secrets), dtype=np.int64)
    plain, seeking = narrow(game, 0), narrow(game, 16)
    for planner in (plain, seeking):
        planner.respond(Costs.mean(weights))
    hard = int(np.argmax(plain.respond(Costs.mean(weights)).depths()))
    weights[hard] = len(weights) // 8
    for _ in range(4):
        seeking.respond(Costs.mean(weights))
    assert seeking.respond(Costs.mean(weights)).depths()[hard] < plain.respond(Costs.mean(weights)).depths()[hard]


PROBLEMS = {
    "planned": lambda game: make_solver("double-oracle", game, {"explore_every": 2}),
    "planned within two guesses": lambda game: make_solver("double-oracle", game, {}, objective=within(2)),
    "by openings": lambda game: DoubleOracle(OpeningsProblem(game)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_step_that_is_cut_off_while_both_sides_play_leaves_no_trace(name, jotto, monkeypatch):
    """By then the response has been found, and a problem may remember that it was asked."""
    whole, cut, resumed = (PROBLEMS[name](jotto(2)) for _ in range(3))
    history = [whole.step() for _ in range(6)]
    assert [cut.step() for _ in range(3)] == history[:3]
    before = {key: array.copy() for key, array in cut.arrays().items()}

    def no_time(*_):
        raise DeadlinePassed

    with monkeypatch.context() as patched, pytest.raises(DeadlinePassed):
        patched.setattr("oracular.kernels.smooth_play.play_smoothly", no_time)
        cut.step()
    after = cut.arrays()
    assert after.keys() == before.keys() and all(np.array_equal(after[key], before[key]) for key in before)
    resumed.restore(cut.checkpoint(), after, history[:3])
    for solver in (cut, resumed):
        assert [solver.step() for _ in range(3)] == history[3:]
        for key, array in solver.arrays().items():
            assert np.array_equal(array, whole.arrays()[key]), key
