"""With a cluster and without: the same bits."""

from __future__ import annotations

import json

import numpy as np
import pytest

import oracular as package
from oracular import Hider
from oracular.cluster import trees
from oracular.runs.whole_response import whole_response

FEW_WORDS = "\n".join(package.game("jotto-3").secrets[::14]) + "\n"


HARD = package.game("wordle-hard", secrets=package.game("wordle").secrets[::9])


@pytest.mark.parametrize("name", ["jotto-2", "jotto-3", "jotto-3-anagrams", "mastermind-4x6", "wordle-hard"])
@pytest.mark.parametrize("ties", ["first", "possible"])
def test_a_tree_is_the_same_whoever_builds_its_parts(connected, monkeypatch, name, ties):
    monkeypatch.setattr(trees, "LEAST_LOOKUPS", 1)  # small games are divided as well
    game = HARD if name == "wordle-hard" else package.game(name)
    there, here = (
        package.solve(game, iterations=4, settings={"ties": ties}, resources=package.Resources(cluster=cluster))
        for cluster in (connected, None)
    )
    assert there.history == here.history and there.guarantee == here.guarantee


def test_a_run_is_the_same_and_may_change_between_cluster_and_none(shared, oracular, tmp_path):
    assert oracular("solve", "jotto-3", "--iterations", "12", "--out", "here").code == 0
    begun = oracular("solve", "jotto-3", "--iterations", "5", "--out", "there", "--cluster", shared.address)
    assert begun.code == 0
    assert oracular("solve", "jotto-3", "--iterations", "8", "--out", "there", "--resume").code == 0
    again = ("--iterations", "12", "--out", "there", "--resume", "--cluster", shared.address)
    assert oracular("solve", "jotto-3", *again).code == 0
    assert (tmp_path / "here/history.jsonl").read_bytes() == (tmp_path / "there/history.jsonl").read_bytes()


def test_words_of_ones_own_reach_the_workers(shared, oracular, tmp_path):
    (tmp_path / "own.txt").write_text(FEW_WORDS)
    common = ("solve", "jotto-3", "--words", "own.txt", "--iterations", "6", "--out")
    assert oracular(*common, "here").code == 0
    assert oracular(*common, "there", "--cluster", shared.address).code == 0
    assert (tmp_path / "here/history.jsonl").read_bytes() == (tmp_path / "there/history.jsonl").read_bytes()


@pytest.mark.parametrize("name", ["jotto-3", "mastermind-2x4"])
def test_a_best_response_that_is_proved_has_the_same_value(shared, oracular, tmp_path, name):
    (tmp_path / "own.txt").write_text(FEW_WORDS)
    words = ("--words", "own.txt") if name == "jotto-3" else ()
    here, there = (
        json.loads(oracular("respond", name, *words, *cluster, "--json").out)
        for cluster in ((), ("--cluster", shared.address))
    )
    assert here["proved"] and there["lower"] == there["upper"]
    assert (here["lower"], here["upper"]) == (there["lower"], there["upper"])


def test_a_search_that_is_stopped_proves_what_it_can(connected, jotto, tmp_path, every_step):
    seen = []
    hider = package.hider_uniform(jotto(3))
    response = whole_response(
        hider, tmp_path / "search", cluster=connected, stop=lambda: len(seen) >= 2, progress=seen.append
    )
    assert response.stopped == "interrupted" and 5 < response.lower < 6.8 < response.upper < 7.2


def test_a_search_in_a_folder_ends_on_the_same_tree(connected, tmp_path):
    game = package.game("jotto-3", FEW_WORDS.split())
    hider = Hider(game, np.random.default_rng(2).integers(0, 9, len(game.secrets)))
    here = whole_response(hider, tmp_path / "here", threads=1)
    there = whole_response(hider, tmp_path / "there", cluster=connected)
    assert here.stopped == there.stopped == "finished"
    assert here.lower == here.upper == there.lower == there.upper == package.best_response(game, hider).upper
    assert here.proved and here.tree.to_list() == there.tree.to_list()


def test_certify_proves_the_same(shared, oracular, tmp_path):
    (tmp_path / "own.txt").write_text(FEW_WORDS)
    oracular("solve", "jotto-3", "--words", "own.txt", "--iterations", "3", "--out", "run")
    there = json.loads(oracular("certify", "run", "--time", "60", "--cluster", shared.address, "--json").out)
    (tmp_path / "run/certification-uniform.json").unlink()
    here = json.loads(oracular("certify", "run", "--time", "60", "--json").out)
    same = ("lower", "upper", "hider")
    assert [here[key] for key in same] == [there[key] for key in same]


def test_a_sweep_is_the_same_and_is_made_once(shared, oracular, tmp_path):
    common = ("sweep", "jotto-2", "mastermind-2x3", "--solver", "fictitious-play", "--solver", "regret-matching")
    common += ("--set", "ties=first,possible", "--iterations", "9", "--json", "--out")
    here = json.loads(oracular(*common, "here").out)
    there = json.loads(oracular(*common, "there", "--cluster", shared.address).out)
    assert len(here) == len(there) == 6
    clocks = {"seconds", "out"}
    for one, other in zip(here, there, strict=True):
        assert {k: v for k, v in one.items() if k not in clocks} == {k: v for k, v in other.items() if k not in clocks}
    for run in (tmp_path / "here").iterdir():
        assert (run / "history.jsonl").read_bytes() == (tmp_path / "there" / run.name / "history.jsonl").read_bytes()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "there").rglob("*.json*")}
    assert json.loads(oracular(*common, "there", "--cluster", shared.address).out) == there
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "there").rglob("*.json*")} == before


def test_a_sweep_to_an_epsilon_ends_and_ends_where_it_would_without_a_cluster(shared, oracular, monkeypatch):
    monkeypatch.setattr("oracular.runs.sweep.FIRST_SITTING", 1e-6)  # a step a sitting: as many breaks as can be
    monkeypatch.setattr("oracular.runs.sweep.LONGEST_SITTING", 1e-6)
    common = ("sweep", "jotto-2", "--solver", "regret-matching", "--epsilon", "1.0", "--json", "--out")
    (here,) = json.loads(oracular(*common, "here").out)
    (there,) = json.loads(oracular(*common, "there", "--cluster", shared.address).out)
    assert here["iterations"] > 1
    clocks = {"seconds", "out"}
    assert {k: v for k, v in here.items() if k not in clocks} == {k: v for k, v in there.items() if k not in clocks}


def test_a_local_cluster_needs_no_scheduler(oracular, tmp_path):
    outcome = oracular("solve", "jotto-2", "--iterations", "4", "--out", "run", "--cluster", "local", "--workers", "1")
    assert (outcome.code, outcome.err) == (0, "")
    assert package.load_run(tmp_path / "run").history == package.solve("jotto-2", iterations=4).history
