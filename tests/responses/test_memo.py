"""No bound depends on how many states the exact search remembers, nor on states that look alike to its memo."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular import best_response
from oracular.search import states


def weak_keys(secrets: int) -> np.ndarray:
    """Return keys of a few bits, so that many belong to several states."""
    keys = np.zeros((secrets, 2), np.uint64)
    keys[:, 0] = np.random.default_rng(7).integers(0, 1 << 12, secrets)
    return keys


@pytest.mark.parametrize(
    ("name", "few"), [("mastermind-3x5", 1 << 3), ("mastermind-3x6", 1 << 5)]
)  # a key has 128 bits
def test_no_optimum_depends_on_the_memo(name, few, monkeypatch):
    game = oracular.game(name)
    hiders = [np.random.default_rng(seed).integers(1, 9, len(game.secrets)) for seed in (2, 3)]
    expected = [best_response(game, weights) for weights in hiders]
    assert all(response.proved for response in expected)
    for slots in (few, 2 * few):
        monkeypatch.setattr(states, "MEMO_SLOTS", slots)
        for weights, whole in zip(hiders, expected, strict=True):
            small = best_response(game, weights)
            assert (small.lower, small.upper) == (whole.lower, whole.upper)
            assert small.states > whole.states  # it has forgotten some
    monkeypatch.undo()
    monkeypatch.setattr(states, "state_keys", weak_keys)
    if len(game.secrets) > 128:  # else the key is the state
        alike = best_response(game, hiders[0])
        assert (alike.lower, alike.upper) == (expected[0].lower, expected[0].upper)
