"""Changing a run's files and renewing their checksums, as somebody would who means harm."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CHECKPOINT, HISTORY, MANIFEST = "checkpoint.json", "history.jsonl", "manifest.json"
OBJECTIVE, CERTIFICATE, STRATEGIES = "objective.json", "certificate.json", "strategies.race"
"""The files of a run."""


def checkpoint_of(folder: Path) -> dict[str, Any]:
    """Return what a run's checkpoint says."""
    return json.loads((folder / CHECKPOINT).read_bytes())["checkpoint"]


def seal(folder: Path, text: str) -> None:
    """Write a checkpoint with a good checksum around any text."""
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    (folder / CHECKPOINT).write_text(f'{{"sha256": "{sha256}", "checkpoint":\n{text}\n}}\n')


def renew(folder: Path, body: dict[str, Any]) -> None:
    """Write a checkpoint whose promises are true of the files as they are."""
    for name in body["files"]:
        data = (folder / name).read_bytes()
        body["files"][name] = {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    seal(folder, json.dumps(body))


def edit_checkpoint(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a run's checkpoint, and renew its checksum."""
    body = checkpoint_of(folder)
    change(body)
    seal(folder, json.dumps(body))


def edit_arrays(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a run's arrays, and renew all checksums."""
    body = checkpoint_of(folder)
    (path,) = [folder / name for name in body["files"] if name.endswith(".npz")]
    with np.load(path) as kept:
        arrays = dict(kept)
    change(arrays)
    np.savez(path, **arrays)
    renew(folder, body)


def edit_bounds(folder: Path, change: Callable[[list[Any]], None], hider: str = "uniform") -> None:
    """Change the rows of a file of bounds, and renew its checksum."""
    path = folder / f"certification-{hider}.json"
    data = json.loads(path.read_text().splitlines()[1])
    change(data["openings"])
    body = json.dumps(data)
    path.write_text(f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value below this one; of long lists, the first two and the last."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*path, key))
    if isinstance(value, list):
        for index in sorted({0, 1, len(value) - 1} & set(range(len(value)))):
            found += places(value[index], (*path, index))
    return found


def with_value(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy with another value at a place."""
    copied = json.loads(json.dumps(value))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copied


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """Return a copy without what is at a place."""
    copied = json.loads(json.dumps(value))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return copied
