"""Damage done to files on purpose, as plain data: what was done can be printed, kept in the corpus and done again.

An edit is a dictionary with the name of a `file` (or a pattern, `arrays-*.npz`), its `kind`, and what to do:

    bytes   {"at": 10, "remove": 3, "insert": "ff00"}          of any file; inserted so many "times", once by default
    json    {"path": ["files", 0], "value": ...}               of a JSON file; without a value the entry is removed
    line    {"number": 2, "path": [...], "value": ...}         of a JSON line in a file of lines
    array   {"name": "child", "index": 5, "value": 7}          of an array in an .npz file; or its "dtype" or "shape";
            {"name": "child", "all": 7} for all of its values, {"name": "child", "removed": true} to take it away

The checksums that a run keeps of its own files are renewed afterwards, so that what is behind them is reached.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

Edit = dict[str, Any]

NASTY: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 255, 256, 2**31, 2**32 - 1, 2**63 - 1, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308,
    "", "x", "0", "1/0", "1e99999999", "1/2", "-3", "999", "../../x", "/etc/passwd", "jotto-5", "é\ud800", [], {}, [[]],
    [0] * 1000, {"a": 1}, [[[[[[[[]]]]]]]],
]  # fmt: skip

CHECKPOINT, HISTORY = "checkpoint.json", "history.jsonl"


def random_edit(folder: Path, rng: random.Random) -> Edit:
    """Return an edit that can be done to one of the files in a folder."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    path = rng.choice(files)
    kinds = {".json": ["bytes", "json", "json", "json"], ".jsonl": ["bytes", "line", "line"], ".npz": ["array"]}
    kind = rng.choice(["bytes", "line", "line"] if is_bounds(path) else kinds.get(path.suffix, ["bytes"]))
    edit: Edit = {"file": path.name, "kind": kind}
    if kind == "bytes":
        size = path.stat().st_size
        inserted = bytes(rng.choice(b'\0\n"[]{}:,019-ae\xff\x80') for _ in range(rng.choice([0, 1, 1, 2, 8])))
        return edit | {"at": rng.randrange(size + 1), "remove": rng.choice([0, 1, 1, 3, 50]), "insert": inserted.hex()}
    if kind == "array":
        return edit | _array_edit(path, rng)
    if kind == "line":
        lines = path.read_text(encoding="utf-8").splitlines()
        if not lines:
            return edit | {"kind": "bytes", "at": 0, "remove": 0, "insert": b"{}\n".hex()}
        edit["number"] = 1 if is_bounds(path) else rng.randrange(len(lines))
        data = json.loads(lines[edit["number"]])
    else:
        data = json.loads(path.read_bytes())
        data = data.get("checkpoint", data)
    edit["path"] = _random_path(data, rng)
    return edit if rng.random() < 0.15 else edit | {"value": rng.choice(NASTY)}


def is_bounds(path: Path) -> bool:
    """Tell whether a file keeps bounds: a line with a checksum, and one of JSON."""
    return path.name.startswith("certification-")


def _random_path(data: Any, rng: random.Random) -> list[str | int]:
    """Return the way to some value inside, deep ones as likely as shallow ones."""
    path: list[str | int] = []
    while isinstance(data, dict | list) and data and (not path or rng.random() < 0.8):
        step = rng.choice(sorted(data)) if isinstance(data, dict) else rng.randrange(len(data))
        path.append(step)
        data = data[step]
    return path


def _array_edit(path: Path, rng: random.Random) -> Edit:
    with np.load(path) as kept:
        name = rng.choice(sorted(kept.files))
        array = kept[name]
    edit: Edit = {"name": name}
    chance = rng.random()
    if chance < 0.05:
        return edit | {"dtype": rng.choice(["float64", "int8", "U5", "bool", "complex128", "int64", "uint64"])}
    if chance < 0.12:
        return edit | {"shape": rng.choice([[0], [1], [array.size, 1], [max(array.size - 1, 0)], [array.size + 1], []])}
    if chance < 0.15 or not array.size:
        return edit | {"removed": True}
    value = rng.choice([0, 1, -1, 2, array.size, int(array.flat[0]), 2**15, 2**31 - 1, -(2**31), 2**62, 10**10])
    return edit | {"index": rng.randrange(array.size), "value": value}


def apply_edits(folder: Path, edits: list[Edit]) -> None:
    """Do the edits to the files of a folder and renew the checksums of a run."""
    for edit in edits:
        for path in folder.glob(edit["file"]):
            EDITORS[edit["kind"]](path, edit)
    if (folder / CHECKPOINT).is_file():
        _renew_checkpoint(folder)
    for path in folder.glob("certification-*.json"):
        _renew_bounds(path)


def _edit_bytes(path: Path, edit: Edit) -> None:
    data = path.read_bytes()
    at = edit["at"]
    path.write_bytes(data[:at] + bytes.fromhex(edit["insert"]) * edit.get("times", 1) + data[at + edit["remove"] :])


def _edited(data: Any, edit: Edit) -> Any:
    """Return data with one value inside changed or removed."""
    if not edit["path"]:
        return edit.get("value")
    place = data
    for step in edit["path"][:-1]:
        place = place[step]
    last = edit["path"][-1]
    if "value" in edit:
        place[last] = edit["value"]
    else:
        del place[last]
    return data


def _edit_json(path: Path, edit: Edit) -> None:
    try:
        data = json.loads(path.read_bytes())
        body = data["checkpoint"] if path.name == CHECKPOINT else data
        body = _edited(body, edit)
    except (ValueError, KeyError, IndexError, TypeError):
        return  # an earlier edit has changed the shape
    path.write_text(json.dumps({"checkpoint": body} if path.name == CHECKPOINT else body), encoding="utf-8")


def _edit_line(path: Path, edit: Edit) -> None:
    lines = path.read_bytes().splitlines()
    try:
        lines[edit["number"]] = json.dumps(_edited(json.loads(lines[edit["number"]]), edit)).encode()
    except (ValueError, KeyError, IndexError, TypeError):
        return
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def _edit_array(path: Path, edit: Edit) -> None:
    with np.load(path) as kept:
        arrays = dict(kept)
    array = arrays.pop(edit["name"])
    if "dtype" in edit:
        arrays[edit["name"]] = array.astype(edit["dtype"])
    elif "shape" in edit:
        arrays[edit["name"]] = np.resize(array, edit["shape"])
    elif "all" in edit:
        arrays[edit["name"]] = np.full_like(array, _fitting(edit["all"], array.dtype))
    elif "value" in edit:
        changed = array.copy()
        changed.flat[edit["index"]] = _fitting(edit["value"], array.dtype)
        arrays[edit["name"]] = changed
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    path.write_bytes(buffer.getvalue())


def _fitting(value: int, kind: np.dtype[Any]) -> int:
    """Return the number of a kind that is nearest to a value."""
    if not np.issubdtype(kind, np.integer):
        return value
    return min(max(value, int(np.iinfo(kind).min)), int(np.iinfo(kind).max))


EDITORS = {"bytes": _edit_bytes, "json": _edit_json, "line": _edit_line, "array": _edit_array}


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _renew_checkpoint(folder: Path) -> None:
    """Write the checksums of all files of a run anew, as somebody would who wants to be believed."""
    path = folder / CHECKPOINT
    try:
        body = json.loads(path.read_bytes())["checkpoint"]
        for name, promise in body["files"].items():
            if (folder / name).is_file() and isinstance(promise, dict):
                data = (folder / name).read_bytes()
                promise |= {"length": len(data), "sha256": _sum(data)}
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return
    text = json.dumps(body)
    path.write_text(f'{{"sha256": "{_sum(text.encode())}", "checkpoint":\n{text}\n}}\n', encoding="utf-8")


def _renew_bounds(path: Path) -> None:
    """Write the checksum in the first line of a file of bounds anew."""
    _, _, body = path.read_bytes().partition(b"\n")
    body = body.removesuffix(b"\n")
    path.write_bytes(_sum(body).encode() + b"\n" + body + b"\n")
