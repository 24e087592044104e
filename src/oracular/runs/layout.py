"""What the files of a run are called and what must be in them; `folder.py` says what becomes of them.

A file may have been written by anybody, with a good checksum. So each is checked before anything is made of it: which
names there are, which fields with which types, how deep and how large. Whatever is wrong is a `ValueError` that says
so in a few words, for the sentence that names the file.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, TypedDict

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular.evaluation import standing_of_solver
from oracular.objectives import WITHIN, Objective
from oracular.settings import SETTINGS, check_settings
from oracular.system.files import Real, Sha256, Whole, parse_json, quoted, read_as

MANIFEST = "manifest.json"
HISTORY = "history.jsonl"
CHECKPOINT = "checkpoint.json"
CERTIFICATE = "certificate.json"
OBJECTIVE = "objective.json"
CERTIFYING = "certification.lock"
PICTURE = "plot.png"
STRATEGIES = "strategies.race"
LISTS = ("words", "secrets", "guesses")
ARRAYS_FILE = re.compile(r"arrays-[0-9]{1,18}\.npz", flags=re.ASCII)
FORMAT = 1

FOR_NO_OTHER_OBJECTIVE = ("fictitious-play", "race")
"""The solvers that have no choice of objectives."""

TABLE = "table"
"""What a manifest calls a table of utilities."""

MOST_OF_MANIFEST = 1 << 20
MOST_OF_CHECKPOINT = 1 << 30
"""What the two files may hold at most that are read before anything is known of them, in bytes."""

MOST_DEPTH = 12
"""How deep lists and objects may lie in each other."""

MOST_NUMBER = 1 << 62
"""Lengths, counts and settings are at most this."""

_SEALED = re.compile(rb'\{"sha256": "([0-9a-f]{64})", "checkpoint":\n(.*)\n\}\n', flags=re.DOTALL)


def bounds_file(hider: str) -> str:
    """Return the name of the file in a run's folder that keeps the bounds against a hider, `uniform` or `run`."""
    return f"certification-{hider}.json"


class Promise(TypedDict):
    """What a checkpoint says of another file."""

    length: Whole
    sha256: Sha256


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint says.

    Attributes:
        files: of each other file its committed length and checksum.
        solver: the solver's state, or None before the first checkpoint with a step.
        seconds: how long solving has taken so far.
        stopped: why the run stopped, or None where it was cut off.
    """

    files: dict[str, Promise]
    solver: dict[str, Any] | None
    seconds: Annotated[float, Meta(ge=0)]
    stopped: Annotated[str, Meta(max_length=60)] | None


def list_file(name: str) -> str:
    """Return what the file of a word list of one's own is called."""
    return f"{name}.txt"


def objective_files(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the file that keeps the objective of a run, where it is a table of utilities."""
    return (OBJECTIVE,) if manifest.get("objective") == TABLE else ()


def is_name(name: object) -> bool:
    """Tell whether a file of this name can be part of a run."""
    fixed = (MANIFEST, HISTORY, CHECKPOINT, CERTIFICATE, OBJECTIVE, *map(list_file, LISTS))
    return isinstance(name, str) and (name in fixed or is_arrays(name))


def is_arrays(name: str) -> bool:
    """Tell whether this is what a file of arrays is called."""
    return ARRAYS_FILE.fullmatch(name) is not None


def promise(data: bytes) -> Promise:
    """Return what a checkpoint says of a file."""
    return {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def write_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Return a checkpoint as bytes, with its own checksum."""
    text = json.dumps(vars(checkpoint))
    return f'{{"sha256": "{hashlib.sha256(text.encode()).hexdigest()}", "checkpoint":\n{text}\n}}\n'.encode()


def read_checkpoint(data: bytes) -> Checkpoint:
    """Return what a checkpoint says, its checksum verified and its fields checked."""
    sealed = _SEALED.fullmatch(data)
    if sealed is None or hashlib.sha256(sealed[2]).hexdigest() != sealed[1].decode():
        raise ValueError("its checksum is wrong")
    checkpoint: Checkpoint = read_as(Checkpoint, _json(sealed[2]))
    names = checkpoint.files.keys()
    if not names >= {MANIFEST, HISTORY} or not all(map(is_name, names)) or names & {CHECKPOINT, CERTIFICATE}:
        raise ValueError("it names other files than those of a run")
    if sum(map(is_arrays, names)) > 1:
        raise ValueError("it names two files of arrays")
    if checkpoint.files[MANIFEST]["length"] > MOST_OF_MANIFEST:
        raise ValueError("its manifest is too long")
    return checkpoint


class _Format(TypedDict):
    """What a manifest of any version says."""

    format: Whole


class _Manifest(TypedDict):
    """The fields of every manifest."""

    own_lists: list[Literal["words", "secrets", "guesses"]]
    solver: str
    settings: dict[str, Any]
    versions: dict[str, Annotated[str, Meta(max_length=200)]]


class _GameManifest(_Manifest):
    """The fields of a guessing game's."""

    game: Annotated[str, Meta(max_length=1000)]
    words_sha256: Sha256
    answers_sha256: Sha256


class _ProblemManifest(_Manifest):
    """The fields of a problem's."""

    problem: Annotated[str, Meta(max_length=1000)]


def read_format(data: bytes) -> tuple[dict[str, Any], int]:
    """Return what a manifest says, unchecked yet, and which format it is of."""
    manifest = _json(data)
    return manifest, read_as(_Format, manifest)["format"]


def check_manifest(manifest: dict[str, Any]) -> None:
    """Raise an error unless the manifest has all its fields, each of the right type."""
    read_as(_ProblemManifest if "problem" in manifest else _GameManifest, manifest)
    if len(set(manifest["own_lists"])) < len(manifest["own_lists"]):
        raise ValueError("own_lists names a list twice")
    if manifest["solver"] not in SETTINGS:
        raise ValueError("its solver is none that there is")
    if "objective" in manifest:
        name = manifest["objective"]
        if not isinstance(name, str) or (name != TABLE and WITHIN.fullmatch(name) is None):
            raise ValueError("its objective is none that a run can have")
        if "problem" in manifest or manifest["solver"] in FOR_NO_OTHER_OBJECTIVE:
            raise ValueError("its solver and problem have no objective")
    if "problem" not in manifest:  # a problem of one's own may have settings of its own
        check_settings(manifest["solver"], manifest["settings"])


def figures_of(solver: str) -> tuple[str, ...]:
    """Return the figures that every record of a solver's history has."""
    return tuple(entry.name for entry in fields(standing_of_solver(solver)))


def read_records(data: bytes, first: int, figures: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the records of some whole lines of a history: numbered from the first on, each with its figures."""
    records = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=first):
        record = read_as(dict[str, Any], _json(line))
        if type(record.get("iteration")) is not int or record["iteration"] != number:
            raise ValueError(f"line {number + 1} is not of iteration {number}")
        read_as(dict[str, Real], {name: record.get(name) for name in figures})
        records.append(record)
    return records


def write_arrays(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return arrays by name as the bytes of a file, not compressed."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def read_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays that `write_arrays` wrote; what is declared must be there byte by byte before it is read."""
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if not members or sum(member.file_size for member in members) > len(data):
                raise ValueError("nothing in it, or more than there is room for")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if member.compress_type != zipfile.ZIP_STORED or not name.isidentifier() or name in arrays:
                    raise ValueError("not as it is written")
                arrays[name] = _array(archive.read(member))
    except Exception as error:  # an archive of anybody's may raise anything in the libraries that read it
        raise ValueError("it holds no plain arrays") from error
    return arrays


def _array(data: bytes) -> NDArray[Any]:
    """Return the array of one member, after a look at what its header declares."""
    member = io.BytesIO(data)
    if np.lib.format.read_magic(member) != (1, 0):
        raise ValueError("not as it is written")
    shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    if dtype.kind not in "biuf" or len(shape) > 4 or any(not 0 <= size <= len(data) for size in shape):
        raise ValueError("not numbers")
    if math.prod(shape) * dtype.itemsize != len(data) - member.tell():
        raise ValueError("another size than declared")
    member.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
    return array


def _json(data: bytes) -> Any:
    """Return what a JSON text says, unless things lie too deep in it."""
    value = parse_json(data)
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        containers = [outer for outer in level if isinstance(outer, list | dict)]
        level = [inner for outer in containers for inner in (outer.values() if isinstance(outer, dict) else outer)]
    if containers:
        raise ValueError("things lie too deep in it")
    return value


def named_objective(objective: Objective) -> str:
    """Return what an objective is called in a sentence."""
    return "a table of utilities" if objective.name == TABLE else quoted(objective.name)
