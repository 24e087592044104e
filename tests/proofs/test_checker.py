"""The checker accepts what is true and proved, and no file that contains a false lemma or claim."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracular
from oracular import checker
from oracular.costs import Costs
from oracular.search.proofs import NotProvedError, Proof
from oracular.strategies.tree import tree_of

from how_many import count
from objective_twin import seeded_weights
from proof_twin import (
    BruteBounds,
    BruteForce,
    Contents,
    forgery,
    is_accepted,
    is_true,
    random_game,
    random_rise,
)  # fmt: skip


def random_proof(rng: random.Random) -> tuple[Contents, int]:
    """Return the contents of a file that claims the least cost of a random game, and that cost."""
    game = random_game(rng)
    secrets = len(game.secrets)
    rise = random_rise(rng, secrets)
    weights = seeded_weights(rng, secrets) if rng.random() < 0.7 else np.ones(secrets, np.int64)
    proof = Proof(game, Costs(rise * weights, weights), rise)
    contents = (proof.header, proof.arrays)
    brute = BruteForce(*contents)
    splitting = [
        guess
        for guess, row in enumerate(brute.answers)
        if brute.is_allowed(guess, brute.everything, brute.free) and (len(set(row)) > 1 or row[0] == brute.found)
    ]
    openings = sorted(rng.sample(splitting, min(2, len(splitting)))) if rng.random() < 0.3 else None
    least = brute.claim(openings)
    proof.add_lower(least, BruteBounds(contents, game), openings)
    return contents, least


def test_proofs_of_random_games_are_accepted_and_larger_claims_refused():
    for seed in range(count(60, 300)):
        contents, least = random_proof(random.Random(seed))
        header, arrays = contents
        assert checker.check_all(header, arrays)["lower"] == Fraction(least, sum(header["weights"])), seed
        header["lower"]["bound"] += 1
        assert not is_accepted(contents), seed


def test_no_forged_proof_is_accepted():
    forged = 0
    for seed in range(count(25, 250)):
        rng = random.Random(seed)
        contents, _ = random_proof(rng)
        for number in range(20):
            changed = forgery(contents, rng)
            try:
                honest = is_true(changed)
            except (ValueError, LookupError, TypeError, OverflowError):
                honest = False
            if not honest:
                forged += 1
                assert not is_accepted(changed), (seed, number)
    assert forged > count(100, 1000)


@pytest.mark.parametrize("seed", range(40))
def test_what_trees_cost_is_accepted_and_no_smaller_claim_or_damaged_tree(seed):
    rng = random.Random(seed)
    game = random_game(rng)
    secrets = len(game.secrets)
    rise, weights = random_rise(rng, secrets), seeded_weights(rng, secrets)
    trees = [tree_of(oracular.guesser_gbr_uniform(game, ties)) for ties in ("first", "possible")]
    paid = [
        [sum(int(rise[min(j, len(rise) - 1), s]) for j in range(depth)) for s, depth in enumerate(tree.depths())]
        for tree in trees
    ]
    shares, proof = [Fraction(1, 3), Fraction(2, 3)], Proof(game, Costs(rise * weights, weights), rise, symmetric=False)
    response = Fraction(sum(int(w) * cost for w, cost in zip(weights, paid[0], strict=True)), int(weights.sum()))
    guarantee = max(sum(share * cost for share, cost in zip(shares, each, strict=True)) for each in np.transpose(paid))
    for name, upper, claim in (
        ("response", response, lambda: proof.add_response(trees[0])),
        ("guarantee", guarantee, lambda: proof.add_mixture(trees, shares)),
    ):
        assert claim() == upper == checker.check_all(proof.header, proof.arrays)[name]
        damaged = [({"upper": proof.header["upper"] | {"bound": str(upper - Fraction(1, 10**6))}}, {})]
        damaged.append(({}, {"tree_sizes": proof.arrays["tree_sizes"] + 1}))
        damaged.append(({}, {"trees": np.append(proof.arrays["trees"], np.uint16(0))}))
        if len(proof.arrays["trees"]):
            damaged.append(({}, {"trees": proof.arrays["trees"][:-1]}))
            damaged.append(({}, {"trees": np.full_like(proof.arrays["trees"], len(game.guesses))}))
        if name == "guarantee":
            for wrong in (["1/3", "1/3"], ["1"], ["4/3", "-1/3"]):
                damaged.append(({"upper": proof.header["upper"] | {"shares": wrong}}, {}))
        for header, arrays in damaged:
            assert not is_accepted((proof.header | header, proof.arrays | arrays)), (header, arrays)


def test_what_is_not_true_cannot_be_extracted():
    game = oracular.game("mastermind-2x3")
    ones = np.ones((1, 9), np.int64)
    proof = Proof(game, Costs.mean(ones[0]), ones)
    search = BruteBounds((proof.header, proof.arrays), game)
    with pytest.raises(NotProvedError, match="claim less"):
        proof.add_lower(BruteForce(proof.header, proof.arrays).claim() + 1, search)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bounds": np.array([-(1 << 63)])}, "out of range"),
        ({"states": np.array([0, 1, 0], np.uint16)}, "not sorted"),
        ({"states": np.array([0, 1, 9], np.uint16)}, "a secret that is none"),
        ({name: np.array([1 << 62] * 4) for name in ("sizes", "columns", "bounds")}, "wrong size"),
        ({"states": np.array([0, 1], np.uint16)}, "incomplete"),
    ],
    ids=["a bound below zero", "a secret twice", "no such secret", "sizes that wrap round", "too few states"],
)
def test_a_malformed_lemma_is_refused(changes, reason):
    ones = np.ones((1, 9), np.int64)
    proof = Proof(oracular.game("mastermind-2x3"), Costs.mean(ones[0]), ones)
    lemma = {"sizes": np.array([3]), "columns": np.array([0]), "states": np.array([0, 1, 1], np.uint16)}
    contents = {**proof.arrays, **lemma, "bounds": np.array([3]), **changes}
    with pytest.raises(checker.Refused, match=reason):
        checker.check_all(proof.header | {"lower": {"bound": 0}}, contents)


def test_an_opening_that_eliminates_nothing_proves_nothing():
    table = np.array([[2, 0, 1], [0, 2, 1], [0, 1, 2], [0, 0, 0]], np.uint8)
    header = {
        "format": checker.FORMAT,
        "game": {"name": "own", "rules": "table", "allowed": "any", "found": 2},
        "weights": [1, 1, 1],
        "rise": [[1]],
        "lower": {"bound": 1000, "openings": [3]},
    }
    empty = {"sizes": np.zeros(0), "columns": np.zeros(0), "bounds": np.zeros(0), "states": np.zeros(0, np.uint16)}
    with pytest.raises(checker.Refused, match="eliminates nothing"):
        checker.check_all(header, {"table": table, **empty})


def test_the_checker_imports_only_numpy_and_the_standard_library():
    text = Path(checker.__file__).read_text(encoding="utf-8")
    imported = {line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported - {"__future__"} <= set(sys.stdlib_module_names) | {"numpy"}


def test_the_checker_runs_by_itself(tmp_path):
    contents, least = random_proof(random.Random(2))
    path = tmp_path / "some.proof"
    header = np.frombuffer(json.dumps(contents[0]).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez_compressed(file, header=header, **contents[1])
    command = [sys.executable, "-I", checker.__file__]
    accepted = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    assert accepted.returncode == 0
    assert f"pays at least {Fraction(least, sum(contents[0]['weights']))} =" in accepted.stdout
    path.write_bytes(path.read_bytes()[:-40])
    refused = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "REFUSED: not a proof file" in refused.stdout
