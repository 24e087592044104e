"""Strategies, certificates and hiders that are damaged or malicious get one sentence, never a traceback or a hang."""

from __future__ import annotations

import importlib.resources
import json
import lzma
from pathlib import Path

import pytest

import oracular
from oracular.errors import RunError
from oracular.strategies.shipped import ENDING, read_strategies

CERTIFICATE = Path(__file__).parent.parent.parent / "docs" / "certificates" / "jotto-2.json"
SOURCE = importlib.resources.files("oracular.strategies.data").joinpath(f"jotto-2{ENDING}").read_bytes()
HEAD, BODY = SOURCE.split(b"\n", 1)


def _with_head(**changes):
    head = json.loads(HEAD) | changes
    return json.dumps(head).encode() + b"\n" + BODY


def _with_facts(**changes):
    return _with_head(facts=json.loads(HEAD)["facts"] | changes)


def _with_body(content):
    return HEAD + b"\n" + lzma.compress(content)


def _lengths(change):
    lengths = json.loads(HEAD)["lengths"]
    change(lengths)
    return _with_head(lengths=lengths)


def _weights(change):
    weights = json.loads(HEAD)["weights"]
    change(weights)
    return _with_head(weights=weights)


BOUND = {"value": "2", "hider": "uniform", "proof": [], "effort": {}}

DAMAGED_STRATEGIES = {
    "nothing": b"",
    "no line": b"{}",
    "deeply nested": b"[" * 200_000 + b"\n" + BODY,
    "a list": b"[1]\n" + BODY,
    "a number": b"7\n" + BODY,
    "no format": b"{}\n" + BODY,
    "another format": _with_head(format=2),
    "a format of another type": _with_head(format=[]),
    "no facts": _with_head(facts=None),
    "facts that are a list": _with_head(facts=[]),
    "a game of another type": _with_head(game=5),
    "no weights": _with_head(weights=[]),
    "weights of another type": _with_head(weights="12"),
    "weights that are true": _weights(lambda weights: weights.__setitem__(0, True)),
    "a negative weight": _weights(lambda weights: weights.__setitem__(0, -1)),
    "a huge weight": _weights(lambda weights: weights.__setitem__(0, 10**3000)),
    "a real weight": _weights(lambda weights: weights.__setitem__(0, 0.5)),
    "one weight too few": _weights(lambda weights: weights.pop()),
    "no lengths": _with_head(lengths=[]),
    "flat lengths": _with_head(lengths=[1, 2]),
    "lengths of another type": _with_head(lengths=[["1", "2"]]),
    "a negative length": _lengths(lambda lengths: lengths[0].__setitem__(0, -4)),
    "a huge length": _lengths(lambda lengths: lengths[0].__setitem__(1, 10**18)),
    "a length beyond 64 bits": _lengths(lambda lengths: lengths[0].__setitem__(1, 10**30)),
    "a length too long by one": _lengths(lambda lengths: lengths[0].__setitem__(1, lengths[0][1] + 1)),
    "a body that goes on": SOURCE + b"more",
    "a body cut short": SOURCE[:-40],
    "a body of another length": _with_body(b"12345"),
    "a body that unpacks to far more": HEAD + b"\n" + lzma.compress(bytes(30_000_000), preset=0),
    "no hider": _with_facts(hider=None),
    "a hider of texts": _with_facts(hider=["1"] * 51),
    "a hider of too few": _with_facts(hider=[1] * 50),
    "a hider of booleans": _with_facts(hider=[True] * 51),
    "a guarantee in decimals": _with_facts(guarantee="1e99999999"),
    "a lower bound in decimals": _with_facts(lower="1e99999999"),
    "a lower bound of zero over zero": _with_facts(lower="0/0"),
    "an unknown hider": _with_facts(lower_hider=["uniform"]),
    "no lower bounds": _with_facts(lower_bounds=[]),
    "lower bounds of another type": _with_facts(lower_bounds={"value": "3"}),
    "two lower bounds of one hider": _with_facts(lower_bounds=[BOUND, BOUND]),
    "a lower bound of nobody": _with_facts(lower_bounds=[BOUND | {"hider": "nobody"}]),
    "a lower bound with an effort that is a text": _with_facts(lower_bounds=[BOUND | {"effort": "much"}]),
    "a lower bound above one of its openings": _with_facts(lower_bounds=[BOUND | {"proof": [[0, 50, 2]]}]),
    "a proof of another type": _with_facts(proof={"a": 1}),
    "a proof of booleans": _with_facts(proof=[[True, 1, 2]]),
    "a history of texts": _with_facts(history=[["a", "b", "c"]]),
    "no account of how it was made": _with_facts(made_by=None),
}


def test_the_same_file_undamaged_is_read(jotto, tmp_path):
    (tmp_path / "whole.strategy").write_bytes(_with_head())
    assert read_strategies(tmp_path / "whole.strategy", jotto(2)).guarantee == oracular.load("jotto-2").lower


@pytest.mark.parametrize("name", DAMAGED_STRATEGIES)
def test_a_damaged_strategy_is_refused_in_a_sentence(jotto, tmp_path, name):
    path = tmp_path / "damaged.strategy"
    path.write_bytes(DAMAGED_STRATEGIES[name])
    with pytest.raises(RunError, match=r"damaged|format"):
        read_strategies(path, jotto(2))


def test_a_strategy_that_unpacks_to_no_tree_is_refused(jotto, tmp_path):
    path = tmp_path / "damaged.strategy"
    data = bytearray(lzma.decompress(BODY))
    data[-2:] = b"\xff\xff"  # a guess that there is not
    path.write_bytes(_with_body(bytes(data)))
    with pytest.raises(RunError, match="damaged"):
        _ = read_strategies(path, jotto(2)).guarantee


def test_a_guarantee_that_the_trees_do_not_keep_is_refused(jotto, tmp_path):
    path = tmp_path / "forged.strategy"
    path.write_bytes(_with_facts(guarantee="1"))
    with pytest.raises(RunError, match="guarantee"):
        _ = read_strategies(path, jotto(2)).guarantee


def _certificate(**changes):
    return json.dumps(json.loads(CERTIFICATE.read_text()) | changes)


def _changed(name, change):
    value = json.loads(CERTIFICATE.read_text())[name]
    change(value)
    return _certificate(**{name: value})


DAMAGED_CERTIFICATES = {
    "deeply nested": "[" * 200_000,
    "a list": "[1, 2]",
    "a number": "1",
    "a game of another type": _certificate(game=[]),
    "a game that nobody knows": _certificate(game="chess"),
    "a lower bound that never ends": _certificate(lower="1e99999999"),
    "a lower bound of nothing": _certificate(lower=None),
    "a lower bound above the upper": _certificate(lower="7", upper="6"),
    "an upper bound that is not kept": _certificate(lower="1", upper="2"),
    "weights that are no numbers": _changed("weights", lambda weights: weights.__setitem__(0, "x")),
    "a weight of many digits": _changed("weights", lambda weights: weights.__setitem__(0, "9" * 3000)),
    "a fraction of a weight": _changed("weights", lambda weights: weights.__setitem__(0, "1/2")),
    "too few weights": _changed("weights", lambda weights: weights.pop()),
    "too few shares": _changed("shares", lambda shares: shares.pop()),
    "no shares and no trees": _certificate(shares=[], trees=[]),
    "shares of thousands of digits": _certificate(
        shares=[f"1/1{2 * k + 1:03999}" for k in range(300)], trees=json.loads(CERTIFICATE.read_text())["trees"] * 6
    ),
    "an empty tree": _changed("trees", lambda trees: trees.__setitem__(0, [])),
    "a tree that is a number": _changed("trees", lambda trees: trees.__setitem__(0, 5)),
    "a tree cut short": _changed("trees", lambda trees: trees[0].pop()),
    "a tree without its last node": _changed("trees", lambda trees: trees.__setitem__(0, trees[0][:-3])),
    "a tree of reals": _changed("trees", lambda trees: trees[0].__setitem__(0, 0.5)),
    "a tree of booleans": _changed("trees", lambda trees: trees[0].__setitem__(0, True)),
    "a guess that there is not": _changed("trees", lambda trees: trees[0].__setitem__(0, 51)),
    "a guess below zero": _changed("trees", lambda trees: trees[0].__setitem__(0, -1)),
    "a guess beyond 64 bits": _changed("trees", lambda trees: trees[0].__setitem__(0, 10**30)),
    "an answer beyond a byte": _changed("trees", lambda trees: trees[0].__setitem__(5, 300)),
    "a node that is its own parent": _changed("trees", lambda trees: trees[0].__setitem__(4, 1)),
    "a parent below zero": _changed("trees", lambda trees: trees[0].__setitem__(4, -5)),
    "a parent that comes later": _changed("trees", lambda trees: trees[0].__setitem__(4, 9)),
}


@pytest.mark.parametrize("name", DAMAGED_CERTIFICATES)
def test_a_damaged_certificate_is_refused_in_a_sentence(oracular, tmp_path, name):
    (tmp_path / "certificate.json").write_text(DAMAGED_CERTIFICATES[name])
    outcome = oracular("verify", "certificate.json", "--time", "20")
    assert outcome.code == 2 and outcome.out == ""
    assert outcome.err.startswith("error: ") and outcome.err.count("\n") == 1
    assert len(outcome.err) < 400


@pytest.mark.parametrize("content", ["1 2", "x", "1e5", "9" * 5000, "-1 " * 51, ""])
def test_a_hider_file_that_holds_no_weights_is_refused(oracular, tmp_path, content):
    (tmp_path / "weights.txt").write_text(content)
    outcome = oracular("respond", "jotto-2", "--hider", "weights.txt")
    assert outcome.code == 2 and outcome.err.count("\n") == 1
