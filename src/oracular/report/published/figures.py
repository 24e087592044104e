"""The figures of the page on disk: what was found for each row, in JSON beside the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oracular.errors import SettingsError
from oracular.report.published.comparing import Finding, verdict
from oracular.report.published.rows import ROWS, Row
from oracular.system.files import (
    check_number,
    check_object,
    check_whole,
    parse_fraction,
    parse_json,
    quoted,
    read_bytes,
)

MOST_BYTES = 1 << 20
"""A larger file is not one of these."""

Findings = Mapping[str, Finding]
"""What was found, by the names of the rows."""


def command(row: Row, found: Finding | None) -> str:
    """Return the command that works out our figure alone; for as long as it took, if the search did not end."""
    return row.command if found is None or found.proved else f"{row.command} --time {found.seconds:.0f}"


def as_data(row: Row, found: Finding | None) -> dict[str, Any]:
    """Return a row with what was found as plain data."""
    data: dict[str, Any] = {
        "name": row.name,
        "game": row.game,
        "quantity": row.quantity.value,
        "opening": row.opening or None,
        "published": None if row.published is None else str(row.published),
        "printed": row.printed,
        "source": row.source.full,
        "long": row.is_long,
        "command": command(row, found),
    }
    if found is not None:
        data |= {
            "lower": str(found.lower),
            "upper": str(found.upper),
            "proved": found.proved,
            "verdict": verdict(row, found).value,
            "seconds": found.seconds,
        }
    return data


def read_figures(path: Path) -> dict[str, Finding]:
    """Return the figures that a file holds, or none where there is no file; each is checked, none is proved by that.

    Rows that are no more are left out.
    """
    if not path.exists():
        return {}
    known = {row.name for row in ROWS}
    try:
        entries = check_object(parse_json(read_bytes(path, MOST_BYTES)), "the file", ())
        return {name: _finding(entry) for name, entry in entries.items() if name in known}
    except (ValueError, OSError) as error:
        raise SettingsError(
            f"{quoted(path)} holds no figures of this page ({error}): remove it, or restore it"
        ) from None


def _finding(entry: object) -> Finding:
    """Return a figure from a file, checked."""
    fields = check_object(entry, "a figure", ("lower", "upper", "seconds", "cores"))
    low, high = parse_fraction(fields["lower"]), parse_fraction(fields["upper"])
    if not 0 < low <= high:
        raise ValueError("bounds that cross")
    target = fields.get("target")
    seconds = float(check_number(fields["seconds"], "seconds", 0.0, 1e9))
    cores = check_whole(fields["cores"], "cores", 1, 1 << 20)
    return Finding(low, high, seconds, cores, None if target is None else parse_fraction(target))


def written_figures(findings: Findings) -> bytes:
    """Return figures as the content of their file, a line for each row."""
    lines = []
    for row in ROWS:
        if (found := findings.get(row.name)) is not None:
            entry: dict[str, Any] = {"lower": str(found.lower), "upper": str(found.upper)}
            entry |= {"seconds": found.seconds, "cores": found.cores}
            if found.target is not None:
                entry["target"] = str(found.target)
            lines.append(f"{json.dumps(row.name)}: {json.dumps(entry)}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def merged(before: Findings, now: Findings) -> dict[str, Finding]:
    """Return the figures of before and of now: of a row that has both, the better of each bound."""
    return {**before, **{name: found.after(before[name]) if name in before else found for name, found in now.items()}}
