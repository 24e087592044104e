"""What a search over all openings has kept in its folder is proved again from that folder alone."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import oracular as package
from oracular import Hider
from oracular.errors import RunError
from oracular.runs import whole_response as whole_response_module
from oracular.runs.kept_search import BOUNDS, HIDER, TREE
from oracular.runs.verify import verify
from oracular.runs.whole_response import whole_response
from oracular.system.files import sealed, unsealed


def edit(path, change):
    """Change the data of a file of a search, and renew the checksum."""
    data = unsealed(path.read_bytes())
    change(data)
    path.write_bytes(sealed(data))


@pytest.fixture
def folder(tmp_path):
    weights = np.random.default_rng(5).integers(1, 30, 51)
    whole_response(Hider(package.game("jotto-2"), weights), tmp_path / "search", threads=1)
    return tmp_path / "search"


def test_a_finished_search_is_proved_again_as_the_best_response(folder):
    weights = np.random.default_rng(5).integers(1, 30, 51)
    best = package.best_response(package.game("jotto-2"), weights)
    for target in (folder, folder / TREE, folder / BOUNDS, folder / HIDER):
        again = verify(target)
        assert (again.kind, again.settled, again.game.name) == ("search", True, "jotto-2")
        assert again.lower.value == again.upper.value == best.upper and list(again.bounds) == ["given"]
        assert again.conclusion == f"proved again: best response = {float(best.upper):.6f}"


def test_a_search_that_was_stopped_is_proved_again_as_far_as_it_came(tmp_path):
    folder, asked = tmp_path / "search", itertools.count()
    uniform = package.hider_uniform(package.game("jotto-2"))
    found = whole_response(uniform, folder, threads=1, stop=lambda: next(asked) >= 5)
    assert found.lower < found.upper
    again = verify(folder)
    assert again.proved and not again.settled and list(again.bounds) == ["uniform"]
    assert (again.lower.value, again.upper.value) == (found.lower, found.upper)


def test_forged_and_damaged_files_are_refused(folder):
    kept = {name: (folder / name).read_bytes() for name in (HIDER, TREE, BOUNDS)}
    for name, content in kept.items():
        (folder / name).write_bytes(content.replace(b"1", b"2"))
        with pytest.raises(RunError, match=f"{name}' is damaged or was edited"):
            verify(folder)
        (folder / name).write_bytes(content)

    def claim_more(data):
        weakest = min(row[1] for row in data["openings"])
        for row in data["openings"]:
            row[1] += 60 * (row[1] > weakest)

    edit(folder / BOUNDS, claim_more)
    with pytest.raises(RunError, match="than can be proved again"):
        verify(folder)
    (folder / BOUNDS).write_bytes(kept[BOUNDS])
    edit(folder / HIDER, lambda data: data["weights"].reverse())
    for command in (verify, lambda path: whole_response(package.hider_uniform(package.game("jotto-2")), path)):
        with pytest.raises(RunError, match="another game or against another hider"):
            command(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"game": 5},
        {"game": "mastermind-2x2"},
        {"weights": [1.5] * 51},
        {"weights": [-1] * 51},
        {"weights": [1]},
        {"weights": None},
        {"own_lists": {"path": ["ab"]}},
        {"own_lists": {"words": "ab"}},
        {"own_lists": []},
        {"words_sha256": None},
    ],
)
def test_a_file_that_names_no_hider_is_refused_with_a_sentence(folder, change):
    edit(folder / HIDER, lambda data: data.update(change))
    with pytest.raises(RunError, match=r"is damaged or was edited|with other words"):
        verify(folder)


def test_a_folder_of_an_earlier_version_says_what_writes_the_missing_file(oracular, tmp_path):
    command = ("respond", "mastermind-2x4", "--out", "search")
    oracular(*command)
    (tmp_path / "search" / HIDER).unlink()
    outcome = oracular("verify", "search")
    assert outcome.code == 2 and "call 'oracular respond' again with the same game and folder" in outcome.err
    oracular(*command)
    assert oracular("verify", "search").code == 0


def test_a_search_with_words_of_ones_own_needs_no_list_beside_it(oracular, tmp_path):
    (tmp_path / "own.txt").write_text("cat\ndog\nowl\nhen\n")
    oracular("respond", "jotto-3", "--words", "own.txt", "--out", "search")
    (tmp_path / "own.txt").unlink()
    again = json.loads(oracular("verify", "search", "--json").out)
    assert again["proved"] and again["kind"] == "search"
    outcome = oracular("verify", "search", "--words", "own.txt")
    assert outcome.code == 2 and "leave --words out" in outcome.err


def test_the_next_step_is_true(oracular, tmp_path, monkeypatch):
    command, play = ("respond", "mastermind-2x4", "--out", "search"), "next  oracular play mastermind-2x4\n"
    assert oracular(*command).out.endswith(play)
    outcome = oracular("verify", "search")
    assert "kind         search: search\n" in outcome.out and outcome.out.endswith(play)
    monkeypatch.setattr(whole_response_module._Search, "recheck", lambda *_: None)
    assert oracular(*command).out.endswith("next  oracular verify search\n")  # it shows what is recorded
    (tmp_path / "search" / TREE).unlink()
    outcome = oracular("verify", "search")
    assert outcome.code == 2 and "go on with it first" in outcome.err
