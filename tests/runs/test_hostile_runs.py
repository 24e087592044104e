"""Whatever lies in a run's folder, it is loaded or refused in one sentence that names the file; nothing is touched.

Most cases renew all checksums after the change, as somebody would who means harm.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracular
from oracular.errors import OracularError, RunError
from oracular.runs.drive import load_run
from oracular.runs.folder import CHECKPOINT, HISTORY, MANIFEST, Run, files_of
from oracular.runs.writer import write_files

from conftest import files_below
from forging import checkpoint_of, places, renew, seal, with_value, without

OWN = ["cab", "fix", "hum", "jot", "zed", "ace", "bad", "fed"]
SOLVERS = ("fictitious-play", "regret-matching", "exact")


@pytest.fixture(scope="module")
def originals(tmp_path_factory) -> dict[str, Path]:
    """A small run of every solver."""
    folder = tmp_path_factory.mktemp("originals")
    own = oracular.game("jotto-3", OWN)
    for solver in SOLVERS:
        oracular.solve(own, solver=solver, iterations=3, out=folder / solver, resources=oracular.Resources(threads=1))
    return {solver: folder / solver for solver in SOLVERS}


@pytest.fixture
def copy_of(originals, tmp_path) -> Callable[[str], Path]:
    return lambda solver: shutil.copytree(originals[solver], tmp_path / "run")


def _refused(folder: Path, match: str) -> None:
    """Check that each way of using the run is refused in one sentence, with nothing touched."""
    before = files_below(folder.parent)
    solver = "fictitious-play"
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        if (folder / MANIFEST).is_file():
            solver = json.loads((folder / MANIFEST).read_bytes())["solver"]
    own = oracular.game("jotto-3", OWN)
    for use in (
        lambda: load_run(folder),
        lambda: oracular.solve(
            own, solver=solver, iterations=5, out=folder, resume=True, resources=oracular.Resources(threads=1)
        ),
    ):
        with pytest.raises(OracularError, match=match) as caught:
            use()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600
    assert files_below(folder.parent) == before


VALUES = [None, True, -1, 10**30, 1.5, 1e999, "x", "1e99999999", [], [[]], {}, {"x": 1}]
"""What may stand where something else is meant."""


def _tried(folder: Path) -> None:
    """Load the run and go on with it: it may be refused in a sentence, and nothing else may happen."""
    own = oracular.game("jotto-3", OWN)
    try:
        solution = load_run(folder)
        assert solution.guarantee > 0
        manifest = Run.open(folder).manifest
        oracular.solve(
            own,
            solver=manifest["solver"],
            iterations=5,
            out=folder,
            resume=True,
            resources=oracular.Resources(threads=1),
        )
    except OracularError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 600


@pytest.mark.parametrize("solver", ["fictitious-play", "exact"])
@pytest.mark.parametrize("part", [CHECKPOINT, MANIFEST, HISTORY])
def test_any_value_anywhere_is_taken_or_refused_in_a_sentence(originals, solver, part, tmp_path):
    original = originals[solver]
    if part == CHECKPOINT:
        data: Any = checkpoint_of(original)
    elif part == MANIFEST:
        data = json.loads((original / MANIFEST).read_bytes())
    else:
        data = [json.loads(line) for line in (original / HISTORY).read_bytes().splitlines()]
    rng = np.random.default_rng(7)
    changed = []
    for path in places(data):
        changed.append(without(data, path))
        changed += [with_value(data, path, VALUES[i]) for i in rng.permutation(len(VALUES))[:2]]
    folder = tmp_path / "run"
    for value in changed:
        shutil.copytree(original, folder)
        if part == MANIFEST:
            (folder / MANIFEST).write_text(json.dumps(value))
        elif part == HISTORY:
            (folder / HISTORY).write_text("".join(json.dumps(record) + "\n" for record in value))
        body = value if part == CHECKPOINT else checkpoint_of(folder)
        try:
            renew(folder, body)
        except (OSError, KeyError, TypeError, AttributeError):
            seal(folder, json.dumps(body))
        _tried(folder)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", [CHECKPOINT, MANIFEST, HISTORY, "words.txt"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_pipe_is_not_waited_for(copy_of, name, solver):
    run = copy_of(solver)
    (run / name).unlink()
    os.mkfifo(run / name)
    _refused(run, name)


@pytest.mark.parametrize("name", [CHECKPOINT, MANIFEST, HISTORY])
def test_an_endless_file_is_not_read(copy_of, name):
    run = copy_of("fictitious-play")
    (run / name).unlink()
    (run / name).symlink_to("/dev/zero")
    with pytest.raises(RunError, match=name):
        load_run(run)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 300 + "]" * 300, "null", "1", '"x"', ""])
def test_json_of_any_shape_is_refused_in_a_sentence(copy_of, text):
    run = copy_of("fictitious-play")
    body = checkpoint_of(run)
    seal(run, text)
    _refused(run, CHECKPOINT)
    (run / MANIFEST).write_text(text)
    renew(run, body)
    _refused(run, MANIFEST)


def test_a_history_of_any_shape_is_refused_in_a_sentence(copy_of):
    run = copy_of("fictitious-play")
    body = checkpoint_of(run)
    lines = (run / HISTORY).read_text().splitlines(keepends=True)
    for text in (
        "".join(lines)[:-1],
        "".join(lines[:-1]),
        "".join(lines + lines[-1:]),
        "".join(reversed(lines)),
        "".join(lines) + "[" * 100_000 + "\n",
        "".join(lines) + "null\n",
        "".join(lines) + "\n",
        "",
    ):
        (run / HISTORY).write_text(text)
        renew(run, body)
        _refused(run, "history")


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/hostname", "notes.txt", "arrays-1.npz/../../x", "", ".", "words.txt"]
)
def test_a_checkpoint_names_none_but_the_files_of_a_run(copy_of, name, originals):
    run = copy_of("fictitious-play")
    body = checkpoint_of(run)
    if name == "words.txt":  # a list that the manifest does not tell of
        manifest = json.loads((run / MANIFEST).read_bytes())
        (run / MANIFEST).write_text(json.dumps({**manifest, "own_lists": []}))
        renew(run, body)
    else:
        data = (run / name).read_bytes() if (run / name).is_file() else b""
        body["files"][name] = {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        seal(run, json.dumps(body))
    _refused(run, "damaged")
    with pytest.raises(RunError):
        files_of(run)


@pytest.mark.parametrize("name", ["../x", "sub/x", "notes.txt", "/tmp/x", "..", ""])
def test_no_other_file_is_written_on_a_worker(originals, tmp_path, name):
    before = files_below(tmp_path)
    with pytest.raises(RunError, match="no file of a run"):
        write_files(tmp_path / "run", {**files_of(originals["exact"]), name: b"stray"})
    assert files_below(tmp_path) == before
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("own_lists", [["../../x"], ["words", "words"], ["manifest"], "words", [1], {"words": 1}, None])
def test_lists_of_other_names_are_refused(copy_of, own_lists):
    run = copy_of("fictitious-play")
    manifest = json.loads((run / MANIFEST).read_bytes())
    (run / MANIFEST).write_text(json.dumps({**manifest, "own_lists": own_lists}))
    renew(run, checkpoint_of(run))
    _refused(run, MANIFEST)


def _npz(arrays: dict[str, np.ndarray], pickled: bool = False, compressed: bool = False) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, allow_pickle=pickled, **arrays)
    return buffer.getvalue()


def _header(shape: str, dtype: str = "<i8", body: bytes = b"") -> bytes:
    """Return a .npz with one array whose header says anything."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    member = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + body
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("iteration.npy", member)
    return buffer.getvalue()


BAD_ARRAYS = {
    "not an archive": b"PK\x05\x06",
    "an empty file": b"",
    "no array in it": _npz({}),
    "objects": _npz({"iteration": np.array([{"a": 1}], dtype=object)}, pickled=True),
    "compressed zeros": _npz({"iteration": np.zeros(10_000_000, dtype=np.int8)}, compressed=True),
    "more declared than there is": _header("(1000000000000,)"),
    "dimensions below zero": _header("(-1, -8)", body=bytes(64)),
    "endless dimensions": _header(f"(0, {10**30})"),
    "a shape of texts": _header("('a',)"),
    "texts": _header("(1,)", "<U4", bytes(16)),
    "a header that is code": _header("__import__('os').getpid()"),
    "a deep header": _header("(" * 90),
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_bad_arrays_are_refused_before_they_are_read(copy_of, case):
    run = copy_of("regret-matching")
    arrays = next(run.glob("arrays-*.npz"))
    arrays.write_bytes(BAD_ARRAYS[case])
    renew(run, checkpoint_of(run))
    _refused(run, arrays.name)


def test_arrays_of_another_name_are_no_arrays(copy_of):
    run = copy_of("regret-matching")
    arrays = next(run.glob("arrays-*.npz"))
    arrays.rename(run / "arrays-x.npz")
    body = checkpoint_of(run)
    body["files"]["arrays-x.npz"] = body["files"].pop(arrays.name)
    seal(run, json.dumps(body))
    _refused(run, CHECKPOINT)


def test_two_sets_of_arrays_are_one_too_many(copy_of):
    run = copy_of("regret-matching")
    arrays = next(run.glob("arrays-*.npz"))
    shutil.copy(arrays, run / "arrays-1.npz")
    body = checkpoint_of(run)
    body["files"]["arrays-1.npz"] = body["files"][arrays.name]
    seal(run, json.dumps(body))
    _refused(run, CHECKPOINT)


def test_a_promise_of_more_bytes_than_there_is_memory_is_not_followed(copy_of):
    run = copy_of("fictitious-play")
    body = checkpoint_of(run)
    with (run / HISTORY).open("ab") as file:
        file.truncate(1 << 43)
    body["files"][HISTORY]["length"] = 1 << 43
    seal(run, json.dumps(body))
    with pytest.raises(RunError, match=HISTORY):
        load_run(run)


def test_a_game_that_no_name_stands_for_is_told_in_a_short_sentence(copy_of):
    run = copy_of("fictitious-play")
    manifest = json.loads((run / MANIFEST).read_bytes())
    for name in ("x" * 100_000, "\ud800", "wordle\n", "jotto-" + "9" * 4000, "mastermind-9x9"):
        (run / MANIFEST).write_text(json.dumps({**manifest, "game": name}))
        renew(run, checkpoint_of(run))
        with pytest.raises(OracularError) as caught:
            load_run(run)
        assert len(str(caught.value)) < 600
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("position", "weights", 0), 7),
        (("position", "depth_totals", 0), -1),
        (("position", "depth_totals", 0), 10**9),
        (("position", "iteration"), 10**9),
        (("best", "iteration"), 99),
        (("best", "standing", "self_play"), 1e999),
        (("position", "weights"), [1] * 9),
        (("position", "weights"), [10**18] * 8),
    ],
    ids=str,
)
def test_a_position_that_does_not_follow_from_the_history_is_refused(copy_of, path, value):
    run = copy_of("fictitious-play")
    body = checkpoint_of(run)
    body["solver"] = with_value(body["solver"], path, value)
    seal(run, json.dumps(body))
    _refused(run, "run")


@pytest.mark.parametrize("tied", [[8], [-1], [1, 1], [2, 1], [], [2**40], [0.5], None, [True], "0"], ids=str)
def test_tied_secrets_that_there_are_not_are_refused(copy_of, tied):
    run = copy_of("fictitious-play")
    lines = (run / HISTORY).read_text().splitlines()
    lines[2] = json.dumps({**json.loads(lines[2]), "hider_response": tied})
    (run / HISTORY).write_text("\n".join(lines) + "\n")
    renew(run, checkpoint_of(run))
    _refused(run, "history")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("trees", 0), []),
        (("trees", 0), [1, 2]),
        (("trees", 0, 0), 99),
        (("trees", 0, 0), -1),
        (("trees", 0, 4), 5),
        (("trees", 0, 4), -1),
        (("trees", 0, 5), 300),
        (("trees", 0, 5), 3),
        (("trees", 0), [0, -1, 0]),
        (("trees", 0), [0, -1, 0, 0, 0, 0] * 100),
        (("refuting",), [[0, -1, 0]]),
        (("center",), [0] * 8),
        (("center",), [2**61] * 8),
        (("lower",), "1e99999999"),
        (("lower",), "9"),
        (("steps",), 99),
        (("effort",), 0),
        (("attempted",), 1e999),
        (("basis", 0), [1]),
        (("basis", 0, 0), 9),
        (("basis",), [[], [0]]),
        (("chances",), [0.0]),
        (("chances", 1), 1e999),
        (("chances", 1), -5.0),
        (("proof",), {}),
    ],
    ids=str,
)
def test_a_state_of_the_exact_solver_that_is_none_is_refused(copy_of, path, value):
    run = copy_of("exact")
    body = checkpoint_of(run)
    body["solver"]["equilibrium"] = with_value(body["solver"]["equilibrium"], path, value)
    seal(run, json.dumps(body).replace("Infinity", "1e999"))
    _refused(run, "run")


def test_a_tree_that_guesses_the_same_twice_is_refused(copy_of):
    run = copy_of("exact")
    body = checkpoint_of(run)
    numbers = body["solver"]["equilibrium"]["trees"][0]
    nodes = [numbers[place : place + 3] for place in range(0, len(numbers), 3)]
    inner = next(k for k, (_, parent, _) in enumerate(nodes) if parent == 0 and any(p == k for _, p, _ in nodes))
    longer = [nodes[0], [nodes[0][0], 0, nodes[inner][2]]]  # the opening again, before the node that has nodes below
    for number, (guess, parent, answer) in enumerate(nodes[1:], start=1):
        longer.append([guess, 1 if number == inner else parent + (parent > 0), answer])
    body["solver"]["equilibrium"]["trees"][0] = [number for node in longer for number in node]
    seal(run, json.dumps(body))
    _refused(run, "eliminates nothing")


def test_chances_that_make_no_tree_are_refused(copy_of):
    run = copy_of("exact")
    body = checkpoint_of(run)
    chances = body["solver"]["equilibrium"]["chances"]
    body["solver"]["equilibrium"]["chances"] = [0.0] * len(chances)
    seal(run, json.dumps(body))
    _refused(run, "run")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("upper",), "2"),
        (("lower",), "1e99999999"),
        (("shares", 0), "2"),
        (("shares", 0), "1/0"),
        (("shares", 0), "-1"),
        (("weights", 0), "10000000000000000000000"),
        (("weights", 0), "x"),
        (("weights",), []),
        (("trees",), []),
        (("trees", 0, 0), 99),
    ],
    ids=str,
)
def test_a_proof_that_proves_nothing_is_refused(tmp_path, path, value):
    run = tmp_path / "run"
    solution = oracular.solve("mastermind-2x3", solver="exact", out=run)
    assert solution.closed
    body = checkpoint_of(run)
    body["solver"]["equilibrium"]["proof"] = with_value(body["solver"]["equilibrium"]["proof"], path, value)
    seal(run, json.dumps(body))
    with pytest.raises(RunError, match="run"):
        load_run(run)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_run_of_the_first_format_is_still_read(solver, tmp_path):
    kept = Path(__file__).parent / "of_format_1" / solver
    own = oracular.game("jotto-3", OWN)
    again = oracular.solve(own, solver=solver, iterations=3, resources=oracular.Resources(threads=1))
    before = files_below(kept)
    solution = load_run(kept)
    assert solution.guarantee == again.guarantee
    assert solution.history == again.history
    assert files_below(kept) == before
    run = shutil.copytree(kept, tmp_path / "run")
    longer = oracular.solve(
        own, solver=solver, iterations=6, out=run, resume=True, resources=oracular.Resources(threads=1)
    )
    assert (
        longer.history
        == oracular.solve(own, solver=solver, iterations=6, resources=oracular.Resources(threads=1)).history
    )
