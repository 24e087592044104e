"""Proof files as the commands write them: what the exact search finds is proved to the checker, and nothing more."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracular
from oracular import checker
from oracular.cli.main import main
from oracular.costs import Costs
from oracular.search.proofs import NotProvedError, write_proof
from oracular.strategies.hider import Hider

from how_many import count
from objective_twin import seeded_weights
from proof_twin import BruteForce, is_accepted, random_game


def test_what_the_search_finds_in_random_games_is_accepted_and_larger_claims_refused(tmp_path):
    for seed in range(count(100, 300)):
        rng = random.Random(seed)
        game, path = random_game(rng), tmp_path / f"{seed}.proof"
        objective = oracular.objective(rng.choice(("mean", "mean", "within-1", "within-2", "within-3")), game)
        secrets = len(game.secrets)
        weights = seeded_weights(rng, secrets) if rng.random() < 0.7 else np.ones(secrets, np.int64)
        hider = Hider(game, weights)
        best = oracular.best_response(game, hider, objective=objective)
        lower, upper = sorted(objective.loss(bound) for bound in (best.lower, best.upper))
        write_proof(path, hider, objective, (lower, upper), [best.tree])
        header, arrays = checker.read(str(path))
        result = checker.check_all(header, arrays)
        least = Fraction(BruteForce(header, arrays).claim(), hider.total)
        assert result["lower"] == result["response"] == lower == least, seed
        header["lower"]["bound"] += 1
        assert not is_accepted((header, arrays)), seed
        header["lower"]["bound"] -= 1
        header["upper"]["bound"] = str(least - Fraction(1, 2 * hider.total))
        assert not is_accepted((header, arrays)), seed
        too_much = tmp_path / "too-much.proof"
        with pytest.raises(NotProvedError):
            write_proof(too_much, hider, objective, (least + Fraction(1, hider.total), upper), [best.tree])
        assert not too_much.exists()


@pytest.mark.parametrize("objective", ["mean", "within-2"])
@pytest.mark.parametrize("name", ["mastermind-2x3", "bulls-2x4", "mastermind-3x2"])
def test_an_equilibrium_is_proved_from_both_sides(name, objective, tmp_path, capsys):
    path = tmp_path / "equal.proof"
    command = ["solve", name, "--solver", "exact", "--objective", objective, "--out", str(tmp_path / "run")]
    assert main([*command, "--proof", str(path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    result = checker.check(str(path))
    assert result["lower"] == result["guarantee"]
    value = oracular.objective(objective, oracular.game(name)).value(result["lower"])
    assert Fraction(printed["lower"]) == value == Fraction(printed["upper"])


def test_a_response_with_an_opening_is_proved_and_verified(tmp_path, capsys):
    path = tmp_path / "opening.proof"
    assert main(["respond", "mastermind-3x3", "--opening", "112", "--proof", str(path)]) == 0
    printed = capsys.readouterr().out
    assert f"next  oracular verify {path}" in printed
    assert main(["verify", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "every guesser who begins with 112 pays at least" in printed
    assert "the bounds are equal" in printed
    assert main(["verify", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["kind"], data["openings"], data["valid"]) == ("proof", ["112"], True)
    assert data["lower"] == data["response"]


def test_a_forged_file_is_an_error_of_verify(tmp_path, capsys):
    path = tmp_path / "forged.proof"
    assert main(["respond", "mastermind-2x3", "--proof", str(path)]) == 0
    header, arrays = checker.read(str(path))
    header["lower"]["bound"] += 1
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
    assert main(["verify", str(path)]) == 2
    assert "proves nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("respond mastermind-2x3 --greedy", "leave out --greedy"),
        ("respond mastermind-2x3 --out search", "leave out --out"),
        ("respond mastermind-2x3 --objective worst", "within-K"),
        ("solve mastermind-2x3", "add --solver exact"),
    ],
)
def test_what_cannot_be_proved_is_said_before_the_search(command, reason, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "--proof", "some.proof"]) == 2
    assert reason in capsys.readouterr().err
    assert not Path("some.proof").exists()


@pytest.mark.parametrize(("path", "reason"), [(".", "is a folder"), ("missing/some.proof", "does not exist")])
def test_a_path_that_cannot_be_written_is_refused_before_the_search(path, reason, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["respond", "mastermind-2x3", "--proof", path]) == 2
    assert reason in capsys.readouterr().err


def test_an_interrupted_extraction_writes_nothing(tmp_path):
    from oracular.system.control import Control, Stopped

    game, path = oracular.game("mastermind-3x3"), tmp_path / "some.proof"
    best = oracular.best_response(game, np.ones(27, np.int64))
    bounds = best.lower, best.upper
    with pytest.raises(Stopped):
        write_proof(path, best.hider, best.objective, bounds, [best.tree], control=Control(cancelled=lambda: True))
    assert not path.exists()


def test_a_mixture_worse_than_claimed_is_not_written(tmp_path):
    game, path = oracular.game("mastermind-2x3"), tmp_path / "some.proof"
    best = oracular.best_response(game, np.ones(9, np.int64))
    with pytest.raises(NotProvedError, match="the trees cost"):
        write_proof(path, best.hider, best.objective, (best.lower, best.lower), [best.tree], [Fraction(1)])
    assert Costs.mean(best.hider.weights).total(best.tree.depths()) == best.upper * 9
    assert not path.exists()
