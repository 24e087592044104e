"""The house is in order: nothing imports from its right, and compiled code stays in its room."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import oracular

SOURCE = Path(__file__).parent.parent / "src" / "oracular"
ORDER = (
    "errors system settings paper games kernels strategies evaluation problem responses bounds cluster solvers runs "
    "play report web cli"
).split()
MODULES = [path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or not path.name.startswith("__")]


def _room(module: str) -> int:
    return ORDER.index(module.split(".")[1])


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "oracular"}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_its_left(path):
    room = ORDER.index(path.relative_to(SOURCE).parts[0].removesuffix(".py"))
    for name in _imported(path):
        if name.startswith("oracular."):
            assert _room(name) <= room, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_kernels_are_compiled(path):
    names = {name.split(".")[0] for name in _imported(path)}
    assert path.relative_to(SOURCE).parts[0] == "kernels" or "numba" not in names


def test_no_public_name_hides_a_module():
    modules = {path.stem if path.suffix else path.name for path in SOURCE.iterdir()}
    assert not modules & set(oracular.__all__)
    assert all(not inspect.ismodule(getattr(oracular, name)) for name in oracular.__all__)


@pytest.mark.parametrize("name", ["fictitious_play", "regret_matching", "reweighting", "solver"])
def test_solvers_of_any_problem_know_no_guessing(name):
    rooms = {
        imported.split(".")[1] for imported in _imported(SOURCE / "solvers" / f"{name}.py") if "oracular." in imported
    }
    assert not rooms & {"games", "strategies", "responses", "bounds", "play"}
