"""The notebook of the tutorial runs from top to bottom, and shows what is recorded in it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from conftest import module_at
from documents import ROOT

NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"


def test_the_notebook_shows_what_is_recorded():
    command = [sys.executable, ROOT / "tools" / "run_tutorial.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_notebook_solves_plots_and_plays_and_has_its_outputs():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert all(part in code for part in ("oracular.solve", "plt.show", "player.guess"))
    assert all(cell["outputs"] for cell in cells if cell["cell_type"] == "code")


def test_lines_of_code_fit_a_block_of_the_site():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in "".join(cell["source"]).splitlines()]
    assert [line for line in lines if len(line) > 87] == []


def test_another_output_is_noticed():
    nbformat = pytest.importorskip("nbformat")
    tool = module_at(ROOT / "tools" / "run_tutorial.py")
    recorded, changed = (nbformat.read(NOTEBOOK, as_version=4) for _ in range(2))
    assert tool.differences(recorded, changed) == []
    outputs = next(cell.outputs for cell in changed.cells if cell.get("outputs"))
    outputs[0]["text"] = "something else"
    (complaint,) = tool.differences(recorded, changed)
    assert "something else" in complaint
