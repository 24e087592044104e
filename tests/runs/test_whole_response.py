"""A search over all openings in a folder finds the best response, and goes on where it was stopped."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular as package
from oracular import Hider
from oracular.errors import RunError
from oracular.runs import whole_response as module
from oracular.runs.kept_search import BOUNDS, LOCK, TREE
from oracular.runs.whole_response import whole_response
from oracular.search.lower_bound import LowerBound
from oracular.search.openings import PROVED, OpeningBound, counting_bounds, holds, search_of
from oracular.system import files
from oracular.system.control import NEVER, never_stop
from oracular.system.files import sealed, unsealed

from random_games import random_games, weights_for


def after(calls: int):
    """Return what answers True from the call after so many on."""
    left = [calls]

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    return stop


@pytest.fixture
def hider() -> Hider:
    weights = np.random.default_rng(5).integers(1, 30, 51)
    return Hider(package.game("jotto-2"), weights)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    weights = np.random.default_rng(5).integers(1, 30, 51)
    return whole_response(
        Hider(package.game("jotto-2"), weights), tmp_path_factory.mktemp("whole") / "search", threads=1
    )


@settings(max_examples=15)
@given(data=st.data())
def test_it_is_the_best_response(tmp_path_factory, data):
    game = data.draw(random_games(most_secrets=9))
    hider = Hider(game, data.draw(weights_for(game)))
    found = whole_response(hider, tmp_path_factory.mktemp("search"), threads=1)
    best = package.best_response(game, hider)
    assert found.proved and found.stopped == "finished" and found.refuted == found.openings
    assert found.lower == found.upper == best.upper
    assert found.upper == Fraction(int(hider.weights @ found.tree.depths()), hider.total)


def test_a_search_that_is_stopped_again_and_again_ends_on_the_same_tree(whole, hider, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "RECHECK_SECONDS", 0.05)
    assert whole.proved
    stopped, lowers = 0, []
    while True:
        part = whole_response(hider, tmp_path / "search", threads=1, stop=after(4 << stopped))
        lowers.append(part.lower)
        if part.stopped == "finished":
            break
        assert part.stopped == "interrupted" and part.lower <= whole.upper <= part.upper
        stopped += 1
    assert stopped > 1 and lowers == sorted(lowers)
    assert part.lower == part.upper == whole.upper
    assert part.tree.to_list() == whole.tree.to_list()
    assert not part.lower_check.proved or part.proved  # what only a file says is not called proved
    again = whole_response(hider, tmp_path / "search", threads=1)
    assert again.stopped == "finished" and again.tree.to_list() == whole.tree.to_list()


def test_two_threads_end_on_the_same_tree(whole, hider, tmp_path):
    two = whole_response(hider, tmp_path / "search", threads=2)
    assert two.proved and two.upper == whole.upper and two.tree.to_list() == whole.tree.to_list()


def test_no_opening_is_asked_for_more_than_the_best_tree_needs():
    hider = package.hider_uniform(package.game("mastermind-3x4"))
    bound = LowerBound(hider)
    bound.add_tree(206)
    bound.improve()
    assert bound.finished and bound.lower == 206
    assert all(known.bound == 206 or (known.bound > 206 and known.plies == 1) for known in bound.openings.values())
    without = LowerBound(hider)
    without.improve()
    assert without.finished and without.value == bound.value


@settings(max_examples=15)
@given(data=st.data(), sharing=st.booleans())
def test_bounds_hold_up_to_the_optimum_and_no_further(data, sharing):
    game = data.draw(random_games(most_secrets=9))
    hider = Hider(game, data.draw(weights_for(game)))
    search = search_of(hider, NEVER, exact=True, sharing=sharing)
    for opening, counted in counting_bounds(hider).items():
        best = int(package.best_response(game, hider, opening=opening).upper * hider.total)
        for plies in (2, 3, PROVED):
            for bound, true in ((best, True), (best + 1, False), (counted, plies != PROVED or counted == best)):
                known = OpeningBound(bound, opening, plies)
                held = holds(search, known, NEVER, never_stop)
                assert held <= true and (held == true or (plies < PROVED and not sharing)), known


def test_folders_that_do_not_fit_are_refused(hider, tmp_path):
    folder = tmp_path / "search"
    whole_response(hider, folder, threads=1, stop=after(5))
    with pytest.raises(RunError, match="another game or against another hider"):
        whole_response(package.hider_uniform(hider.game), folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="holds something else than a search"):
        whole_response(hider, tmp_path / "other")
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == ["notes.txt"]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RunError, match="cannot be written"):
        whole_response(hider, tmp_path / "file")


def test_one_process_at_a_time_works_in_a_folder(hider, tmp_path):
    folder = tmp_path / "search"
    whole_response(hider, folder, threads=1, stop=after(5))
    descriptor = files.open_to_write(folder / LOCK, make=True)
    try:
        with (
            files.locked(descriptor),
            pytest.raises(RunError, match=r"another process is working on the search in .*: wait for it"),
        ):
            whole_response(hider, folder, threads=1)
    finally:
        files.close(descriptor)
    assert whole_response(hider, folder, threads=1).stopped == "finished"


def test_damaged_and_forged_files_are_refused(hider, tmp_path, monkeypatch):
    folder = tmp_path / "search"
    whole_response(hider, folder, threads=1)
    for name in (TREE, BOUNDS):
        kept = (folder / name).read_bytes()
        (folder / name).write_bytes(kept.replace(b"1", b"2"))
        with pytest.raises(RunError, match="is damaged or was edited"):
            whole_response(hider, folder)
        (folder / name).write_bytes(kept)
    data = unsealed((folder / BOUNDS).read_bytes())
    data["openings"] = [[opening, bound + 3000, plies] for opening, bound, plies in data["openings"]]
    (folder / BOUNDS).write_bytes(sealed(data))
    with pytest.raises(RunError, match="than can be proved again"):
        whole_response(hider, folder)


def test_on_the_command_line(oracular, tmp_path):
    arguments = ("respond", "mastermind-2x4", "--out", tmp_path / "search")
    first, second = (json.loads(oracular(*arguments, "--json").out) for _ in range(2))
    assert first["proved"] and first["stopped"] == "finished" and first["lower"] == first["upper"] == "45/16"
    assert (second["lower"], second["upper"], second["opening"]) == (first["lower"], first["upper"], first["opening"])
    (tmp_path / "own.txt").write_text("cat\ndog\nowl\nhen\n")
    words = ("jotto-3", "--words", "own.txt")
    assert oracular("respond", *words, "--out", "own").out.endswith("next  oracular play jotto-3 --words own.txt\n")
    for wrong in (("--opening", "11"), ("--greedy",), ("--states", "5"), ("--objective", "worst")):
        outcome = oracular(*arguments, *wrong)
        assert outcome.code == 2 and "leave out --out" in outcome.err
    outcome = oracular("respond", "mastermind-2x4", "--opening", "99")
    assert outcome.code == 2 and outcome.err.count("\n") == 1 and "99" in outcome.err
    with_opening = json.loads(oracular("respond", "mastermind-2x4", "--opening", "12", "--json").out)
    assert with_opening["proved"] and with_opening["opening"] == "12" and with_opening["opening_given"]
