"""Whatever lies in a run's folder is loaded, or refused in one sentence that names the file, with nothing touched.

Most cases renew all checksums after the change, as an attacker would.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracular
from oracular import Mixture, OracularError, load_run

from conftest import files_below
from forging import (
    CHECKPOINT,
    HISTORY,
    MANIFEST,
    checkpoint_of,
    edit_arrays,
    places,
    renew,
    seal,
    with_value,
    without,
)

OWN = ["cab", "fix", "hum", "jot", "zed", "ace", "bad", "fed"]
SOLVERS = ("fictitious-play", "regret-matching", "double-oracle", "exact")
ONE_THREAD = oracular.Resources(threads=1)


def _manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / MANIFEST).read_bytes())


def _resumed(folder: Path, solver: str | None = None) -> oracular.Solution:
    """Return the solution after some more steps."""
    game = oracular.game("jotto-3", OWN)
    solver = solver or _manifest(folder)["solver"]
    return oracular.solve(game, solver=solver, iterations=5, out=folder, resume=True, resources=ONE_THREAD)


@pytest.fixture(scope="module")
def originals(tmp_path_factory) -> dict[str, Path]:
    """A small run of every solver."""
    folder = tmp_path_factory.mktemp("originals")
    own = oracular.game("jotto-3", OWN)
    for solver in SOLVERS:
        settings = {"room": 1 << 12} if solver in ("regret-matching", "double-oracle") else {}
        steps = 1 if solver == "exact" else 3  # after three it has its proof, and needs nothing else
        oracular.solve(
            own, solver=solver, iterations=steps, out=folder / solver, settings=settings, resources=ONE_THREAD
        )
    return {solver: folder / solver for solver in SOLVERS}


@pytest.fixture
def copy_of(originals, tmp_path) -> Callable[[str], Path]:
    return lambda solver: shutil.copytree(originals[solver], tmp_path / "run", dirs_exist_ok=True)


def _refused(folder: Path, match: str) -> None:
    """Check that loading and resuming the run are each refused in one sentence, with nothing touched."""
    before = files_below(folder.parent)
    solver = "fictitious-play"
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        if (folder / MANIFEST).is_file():
            solver = _manifest(folder)["solver"]
    for use in (lambda: load_run(folder), lambda: _resumed(folder, solver)):
        with pytest.raises(OracularError, match=match) as caught:
            use()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600
    assert files_below(folder.parent) == before


def _refused_or_sound(folder: Path) -> bool:
    """Load the run and resume it; if it is not refused in a sentence, its guarantee must be that of its trees."""
    try:
        for solution in (load_run(folder), _resumed(folder)):
            guesser = solution.guesser
            assert Mixture(list(guesser.oracles), guesser.weights).guarantee == solution.guarantee > 0
    except OracularError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
        return True
    return False


VALUES = [None, True, -1, 10**30, 1.5, 1e999, "x", "1e99999999", [], [[]], {}, {"x": 1}]
"""Values of other types and sizes than any that are meant."""


@pytest.mark.parametrize("solver", ["fictitious-play", "exact"])
@pytest.mark.parametrize("part", [CHECKPOINT, MANIFEST, HISTORY])
def test_any_value_anywhere_is_accepted_or_refused_in_a_sentence(originals, solver, part, tmp_path):
    original = originals[solver]
    if part == CHECKPOINT:
        data: Any = checkpoint_of(original)
    elif part == MANIFEST:
        data = _manifest(original)
    else:
        data = [json.loads(line) for line in (original / HISTORY).read_bytes().splitlines()]
    rng = np.random.default_rng(7)
    folder = tmp_path / "run"
    for path in places(data):
        drawn = [with_value(data, path, VALUES[i]) for i in rng.permutation(len(VALUES))[:2]]
        for value in [without(data, path), *drawn]:
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
            _refused_or_sound(folder)
            shutil.rmtree(folder)


FALSE_STATES: dict[str, list[tuple[tuple[Any, ...], Any]]] = {
    "fictitious-play": [
        (("position", "weights", 0), 7),
        (("position", "depth_totals", 0), -1),
        (("position", "depth_totals", 0), 10**9),
        (("position", "iteration"), 10**9),
        (("best", "iteration"), 99),
        (("best", "standing", "self_play"), 1e999),
        (("position", "weights"), [1] * 9),
        (("position", "weights"), [10**18] * 8),
    ],
    "exact": [
        *(
            (("equilibrium", "trees", 0), tree)
            for tree in ([], [1, 2], [0, -1, 0], [0, -1, 0, 0, 0, 0] * 100)  # no nodes, half a node, too few, too many
        ),
        *(
            (("equilibrium", "trees", 0, place), value)
            for place, value in ((0, 99), (0, -1), (4, 5), (4, -1), (5, 300))
        ),
        (("equilibrium", "trees", 0, 5), 3),
        (("equilibrium", "refuting"), [[0, -1, 0]]),
        (("equilibrium", "center"), [0] * 8),
        (("equilibrium", "center"), [2**61] * 8),
        (("equilibrium", "lower"), "1e99999999"),
        (("equilibrium", "lower"), "9"),
        (("equilibrium", "steps"), 99),
        (("equilibrium", "effort"), 0),
        (("equilibrium", "attempted"), 1e999),
        (("equilibrium", "basis", 0), [1]),
        (("equilibrium", "basis", 0, 0), 9),
        (("equilibrium", "basis"), [[], [0]]),
        (("equilibrium", "chances"), [0.0]),
        (("equilibrium", "chances"), [0.0] * 8),
        (("equilibrium", "chances", 1), -5.0),
        (("equilibrium", "proof"), {}),
    ],
}
"""Values of the right type in the state of a solver that contradict its history or its game."""


@pytest.mark.parametrize("solver", FALSE_STATES)
def test_a_state_that_contradicts_its_history_is_refused(copy_of, solver):
    run = copy_of(solver)
    honest = checkpoint_of(run)
    for path, value in FALSE_STATES[solver]:
        body = {**honest, "solver": with_value(honest["solver"], path, value)}
        seal(run, json.dumps(body).replace("Infinity", "1e999"))
        _refused(run, "run")


def test_tied_secrets_that_do_not_exist_are_refused(copy_of):
    run = copy_of("fictitious-play")
    lines = (run / HISTORY).read_text().splitlines()
    for tied in ([8], [-1], [1, 1], [2, 1], [], [2**40], [0.5], None, [True], "0"):
        false = [*lines[:2], json.dumps({**json.loads(lines[2]), "hider_response": tied}), *lines[3:]]
        (run / HISTORY).write_text("\n".join(false) + "\n")
        renew(run, checkpoint_of(run))
        _refused(run, "history")


def test_a_proof_that_proves_nothing_is_refused(tmp_path):
    run = tmp_path / "run"
    assert oracular.solve("mastermind-2x3", solver="exact", out=run).closed
    honest = checkpoint_of(run)
    for path, value in [
        (("upper",), "2"),
        (("lower",), "1e99999999"),
        *((("shares", 0), share) for share in ("2", "1/0", "-1")),
        *((("weights", 0), weight) for weight in ("10000000000000000000000", "x")),
        (("weights",), []),
        (("trees",), []),
        (("trees", 0, 0), 99),
    ]:
        body = json.loads(json.dumps(honest))
        body["solver"]["equilibrium"]["proof"] = with_value(body["solver"]["equilibrium"]["proof"], path, value)
        seal(run, json.dumps(body))
        with pytest.raises(OracularError, match="run"):
            load_run(run)


def _damaged(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield an array with other numbers, types and shapes."""
    yield from (array + 1, array * 0, array - array.max() - 1, np.roll(array, 1), array.astype(np.float64), array[None])
    if array.ndim:
        yield from (array[::-1].copy(), array[:-1], np.append(array, array[-1:], axis=0), array[:0])
        for value in (np.iinfo(array.dtype).max, np.iinfo(array.dtype).min):
            changed = array.copy()
            changed.reshape(-1)[len(changed.reshape(-1)) // 2] = value
            yield changed


@pytest.mark.parametrize("solver", ["regret-matching", "double-oracle"])
def test_damaged_arrays_are_refused_or_harmless(copy_of, solver):
    run = copy_of(solver)
    with np.load(next(run.glob("arrays-*.npz"))) as kept:
        arrays = dict(kept)
    refused = 0
    for name, array in arrays.items():
        if array.dtype.kind not in "iu":
            continue
        for damaged in _damaged(array):
            if np.array_equal(damaged, array) and damaged.dtype == array.dtype:
                continue
            edit_arrays(run, lambda found, name=name, damaged=damaged: found.update({name: damaged}))
            refused += _refused_or_sound(run)
            shutil.rmtree(run)
            copy_of(solver)
        edit_arrays(run, lambda found, name=name: found.pop(name))
        _refused(run, "run")
        shutil.rmtree(run)
        copy_of(solver)
    assert refused > 4 * len(arrays)


@pytest.mark.parametrize("name", [CHECKPOINT, MANIFEST, HISTORY, "words.txt"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_pipe_is_not_waited_for(copy_of, name, solver):
    run = copy_of(solver)
    (run / name).unlink()
    os.mkfifo(run / name)
    _refused(run, name)


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
    whole = "".join(lines)
    more = (lines[-1], "[" * 100_000 + "\n", "null\n", "\n")
    for text in (whole[:-1], "".join(lines[:-1]), "".join(reversed(lines)), "", *(whole + end for end in more)):
        (run / HISTORY).write_text(text)
        renew(run, body)
        _refused(run, "history")


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/hostname", "notes.txt", "arrays-1.npz/../../x", "", ".", "arrays-x.npz"]
)
def test_a_checkpoint_names_only_the_files_of_a_run(copy_of, name):
    run = copy_of("fictitious-play")
    body = checkpoint_of(run)
    data = (run / name).read_bytes() if (run / name).is_file() else b""
    body["files"][name] = {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    seal(run, json.dumps(body))
    _refused(run, "damaged")


@pytest.mark.parametrize(
    "own_lists", [["../../x"], ["words", "words"], ["manifest"], "words", [1], {"words": 1}, None, []]
)
def test_lists_of_other_names_are_refused(copy_of, own_lists):
    run = copy_of("fictitious-play")
    (run / MANIFEST).write_text(json.dumps({**_manifest(run), "own_lists": own_lists}))
    renew(run, checkpoint_of(run))
    _refused(run, MANIFEST if own_lists != [] else "damaged")


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


def test_a_file_larger_than_memory_is_not_read(copy_of):
    run = copy_of("fictitious-play")
    body = checkpoint_of(run)
    with (run / HISTORY).open("ab") as file:
        file.truncate(1 << 43)
    body["files"][HISTORY]["length"] = 1 << 43
    seal(run, json.dumps(body))
    with pytest.raises(OracularError, match=HISTORY):
        load_run(run)


def test_an_unknown_name_of_a_game_gets_a_short_sentence(copy_of):
    run = copy_of("fictitious-play")
    manifest = _manifest(run)
    for name in ("x" * 100_000, "\ud800", "wordle\n", "jotto-" + "9" * 4000, "mastermind-9x9"):
        (run / MANIFEST).write_text(json.dumps({**manifest, "game": name}))
        renew(run, checkpoint_of(run))
        _refused(run, ".")


@pytest.mark.parametrize("solver", ["fictitious-play", "regret-matching", "exact"])
def test_a_run_of_the_first_format_is_still_read(solver, tmp_path):
    kept = Path(__file__).parent / "of_format_1" / solver
    own, before = oracular.game("jotto-3", OWN), files_below(kept)
    again = oracular.solve(own, solver=solver, iterations=3, resources=ONE_THREAD)
    solution = load_run(kept)
    longer = _resumed(shutil.copytree(kept, tmp_path / "run"))
    if solver == "exact":  # its steps have changed since, and the value has not
        assert longer.closed and longer.guarantee == again.guarantee == Fraction(127, 47)
    else:
        assert (solution.guarantee, solution.history) == (again.guarantee, again.history)
        assert longer.history == oracular.solve(own, solver=solver, iterations=5, resources=ONE_THREAD).history
    assert files_below(kept) == before
