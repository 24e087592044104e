"""Run docs/tutorial.ipynb and record its outputs in it; with --check, compare them with those recorded instead.

Texts must be the same. Of pictures only their number and places are compared, since how letters are drawn differs from
machine to machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "docs" / "tutorial.ipynb"
SECONDS_A_CELL = 300


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of running it now, in an empty folder, with nothing of a user's settings."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "MPLCONFIGDIR"):
            os.environ[name] = str(Path(folder) / name.lower())
        os.environ.pop("MPLBACKEND", None)  # notebooks show pictures by a backend of their own
        client = NotebookClient(
            notebook, timeout=SECONDS_A_CELL, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was run: that changes every time
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def shown(notebook: Any) -> list[list[str]]:
    """Return what each cell of a notebook shows: its texts, and `picture` for each picture."""
    return [[_shown(output) for output in cell.get("outputs", [])] for cell in notebook.cells]


def _shown(output: Any) -> str:
    data = output.get("data", {})
    return "picture" if "image/png" in data else str(output.get("text") or data.get("text/plain"))


def differences(recorded: Any, now: Any) -> list[str]:
    """Return a sentence for each cell that shows something else than is recorded."""
    pairs = enumerate(zip(shown(recorded), shown(now), strict=True), start=1)
    return [f"cell {number} shows {new}, but {old} is recorded" for number, (old, new) in pairs if old != new]


def main(arguments: list[str] | None = None) -> int:
    """Run the notebook, record or compare; return the exit code."""
    import nbformat

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--notebook", type=Path, default=NOTEBOOK, metavar="FILE", help="[docs/tutorial.ipynb]")
    given = parser.parse_args(arguments)
    now = executed(given.notebook)
    if given.check:
        found = differences(nbformat.read(given.notebook, as_version=4), now)
        for sentence in found:
            print(f"error: {sentence}: run 'python tools/run_tutorial.py' to record it", file=sys.stderr)
        return 2 if found else 0
    given.notebook.write_text(nbformat.writes(now) + "\n", encoding="utf-8")
    print(given.notebook)
    return 0


if __name__ == "__main__":
    sys.exit(main())
