"""Long runs: their memory is bounded, they are read without their history, and a finished one is never written to."""

from __future__ import annotations

import inspect
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import oracular as package
from oracular import load_run
from oracular.cli.main import cli
from oracular.errors import RunError
from oracular.runs import format as histories
from oracular.runs.format import SHORT, lines
from oracular.runs.verify import verify_guarantee
from oracular.system.control import Control, Deadline

from forging import HISTORY, checkpoint_of, renew

ONE_THREAD = package.Resources(threads=1)
LONG = 8000
"""So many iterations of jotto-2 make a history that is not short."""

PEAK = """
import json, resource, sys
import oracular
arguments = json.loads(sys.argv[1])
def solved(iterations, **more):
    oracular.solve("jotto-2", resources=oracular.Resources(threads=1, **arguments), iterations=iterations, **more)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
"""


def peak(script: str, folder: Path, **resources: object) -> list[int]:
    """Return the peaks of resident memory, in bytes, that a script prints."""
    command = [sys.executable, "-c", PEAK + script, json.dumps(resources)]
    ended = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True)
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def long_run(tmp_path_factory) -> Path:
    """A run whose history is not short."""
    folder = tmp_path_factory.mktemp("long") / "run"
    package.solve("jotto-2", iterations=LONG, out=folder, resources=ONE_THREAD)
    assert (folder / HISTORY).stat().st_size > SHORT
    return folder


@pytest.fixture
def pages_read(monkeypatch) -> list[int]:
    """The first record of each page of a history that is read."""
    read: list[int] = []
    before = histories._read_records

    def counted(data: bytes, first: int, figures: tuple[str, ...]) -> list[dict]:
        read.append(first)
        return before(data, first, figures)

    monkeypatch.setattr(histories, "_read_records", counted)
    return read


@pytest.mark.parametrize("out", ["None", "'run'"])
def test_many_iterations_take_no_more_memory_than_few(tmp_path, out):
    script = f"print(json.dumps([solved(2000), solved(60_000, out={out})]))"
    few, many = peak(script, tmp_path, engine="scratch")
    assert many - few < 20_000_000, "an iteration in memory takes 700 bytes, which is 42 MB"


@pytest.mark.slow
@pytest.mark.parametrize("limit", [500_000_000, 1_000_000_000])
def test_a_limit_of_memory_holds(tmp_path, limit):
    idle = "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10"
    script = f"idle = {idle}\nprint(json.dumps([idle, solved(400_000)]))"
    idle, reached = peak(script, tmp_path, memory=limit)
    assert reached - idle < 1.1 * limit


@pytest.mark.parametrize("room", [None, SHORT + (1 << 16)])
def test_a_run_without_a_folder_is_not_lost_where_the_disk_is_full(long_run, tmp_path, monkeypatch, room):
    """It ends with the trees and records of its last iteration; there is no disk at all, or a little room on it."""
    if room is None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
        solution = package.solve("jotto-2", iterations=LONG, resources=ONE_THREAD)
    else:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
        try:
            solution = package.solve("jotto-2", iterations=LONG, resources=ONE_THREAD)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert solution.stopped == "full disk" and 0 < solution.iterations < LONG
    assert list(solution.history) == load_run(long_run).history[: solution.iterations + 1]
    assert sum(solution.guesser.weights) == solution.best_iteration + 1
    assert package.payoff(solution.hider, solution.guesser) == package.evaluate(solution).self_play


def test_a_history_on_disk_is_the_list_of_its_records(long_run):
    kept = load_run(long_run).history
    whole = list(package.solve("jotto-2", iterations=LONG, resources=ONE_THREAD).history)
    assert len(kept) == LONG + 1 and kept == whole and whole == kept
    for places in (slice(-3, None), slice(None, None, 100), slice(1020, 1030), slice(5, 5)):
        assert kept[places] == whole[places]
    assert [kept[place] for place in (0, 1, -1, LONG // 2)] == [whole[place] for place in (0, 1, -1, LONG // 2)]
    assert kept != [*whole[:-1], {}] and kept != whole[:-1]
    with pytest.raises(IndexError):
        kept[LONG + 1]


def test_a_long_run_is_loaded_and_resumed_without_its_history(long_run, pages_read, tmp_path):
    assert load_run(long_run).iterations == LONG
    assert len(pages_read) <= 4, "the last page, and those of the last position and of the best"
    run = shutil.copytree(long_run, tmp_path / "run")
    pages_read.clear()
    longer = package.solve("jotto-2", iterations=LONG + 200, out=run, resume=True, resources=ONE_THREAD)
    assert len(pages_read) <= 4
    whole = package.solve("jotto-2", iterations=LONG + 200, resources=ONE_THREAD)
    assert longer.history == whole.history and longer.guarantee == whole.guarantee
    assert (longer.guesser.oracles[-1].weights == whole.guesser.oracles[-1].weights).all()
    shutil.rmtree(run)
    assert longer.history == whole.history, "a solution outlives its folder"


def test_the_trees_of_a_long_run_are_those_of_its_history(long_run):
    solution = load_run(long_run)
    assert verify_guarantee(solution, Control(Deadline.after(0.0))).words.startswith("recorded; 0 of")
    oracles = solution.guesser.oracles
    for place, oracle in enumerate(oracles):
        if place % 999 == 0:
            assert (oracle.weights == oracle.weights).all()
    assert (oracles[-1].weights == solution.hider.weights).all()


def test_a_long_history_with_a_false_record_is_found_out_where_it_is_read(long_run, tmp_path):
    run = shutil.copytree(long_run, tmp_path / "run")
    written = (run / HISTORY).read_bytes().splitlines(keepends=True)
    for number, false in ((3000, b'{"iteration": 3000}\n'), (3000, written[2999]), (3001, b"null\n")):
        (run / HISTORY).write_bytes(b"".join([*written[:number], false, *written[number + 1 :]]))
        renew(run, checkpoint_of(run))
        solution = load_run(run)
        with pytest.raises(RunError, match="history") as caught:
            list(solution.history)
        assert "\n" not in str(caught.value)
        with pytest.raises(RunError, match="history"):
            verify_guarantee(solution)
    other = json.loads(written[3000])
    other["hider_response"] = [(other["hider_response"][0] + 1) % 51]
    (run / HISTORY).write_bytes(b"".join([*written[:3000], lines([other]), *written[3001:]]))
    renew(run, checkpoint_of(run))
    with pytest.raises(RunError, match="contradicts itself"):
        verify_guarantee(load_run(run))


def state(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return the files in a folder, with when each was written and which file it is."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.iterdir()}


@pytest.mark.parametrize("solver", ["fictitious-play", "regret-matching", "double-oracle", "exact"])
def test_a_finished_run_is_not_written_to(oracular, tmp_path, solver):
    arguments = ("solve", "mastermind-2x3", "--solver", solver, "--iterations", "6", "--out", "run")
    assert oracular(*arguments).code == 0
    before, seconds = state(tmp_path / "run"), load_run("run").seconds
    again = json.loads(oracular(*arguments, "--resume", "--json").out)
    assert again["seconds"] == seconds
    for command in ("evaluate", "verify"):
        assert oracular(command, "run").code == 0
    assert state(tmp_path / "run") == before


def test_the_table_says_the_same_however_often_it_is_printed(oracular, tmp_path, pages_read):
    call = ("table", "--letters", "2", "3", "--iterations", "60", "--json")
    first, before = json.loads(oracular(*call).out), state(tmp_path / "runs/table/jotto-2-60")
    for _ in range(2):
        again = json.loads(oracular(*call).out)
        assert [row.pop("guarantee_is") for row in again] == ["recorded", "recorded"]
        assert again == [{name: row[name] for name in row if name != "guarantee_is"} for row in first]
    assert state(tmp_path / "runs/table/jotto-2-60") == before


def test_evaluate_gives_the_figures_of_the_command(oracular, tmp_path):
    package.solve("jotto-2", iterations=60, out=tmp_path / "run")
    printed = json.loads(oracular("evaluate", "run", "--json").out)
    for worth in (package.evaluate(tmp_path / "run"), package.evaluate(load_run(tmp_path / "run"))):
        assert worth.table is not None and worth.table.items() <= printed.items()
        assert float(worth.guarantee) == printed["guarantee"] and float(worth.self_play) == printed["self_play"]
    (default,) = [option.default for option in cli.commands["evaluate"].params if option.name == "seconds"]
    assert inspect.signature(package.evaluate).parameters["time_limit"].default == default


NOT_A_BOUND = "measured with the greedy response, not a bound"


def test_wherever_an_epsilon_is_printed_its_line_says_what_it_is(oracular, tmp_path):
    outputs = [
        oracular("solve", "jotto-2", "--iterations", "20", "--out", "run").out,
        oracular("evaluate", "run").out,
        repr(load_run(tmp_path / "run")),
    ]
    for output in outputs:
        text = " ".join(output.split())
        assert text.count("epsilon") == text.count(NOT_A_BOUND) > 0
    table = oracular("table", "--letters", "2", "--iterations", "20").out
    assert [line for line in table.splitlines() if "epsilon" in line and "not a bound" not in line] == []
    exact = package.solve("mastermind-2x3", solver="exact")
    assert "neither side can gain more" in repr(exact)
    chance = package.solve("mastermind-2x3", solver="regret-matching", objective="within-2", iterations=2)
    assert "measured with the best response known, not a bound" in repr(chance)
