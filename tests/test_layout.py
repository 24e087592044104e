"""Nothing imports from its right, and compiled code is in `kernels` alone."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import oracular

from conftest import module_at

imports = module_at(Path(__file__).parent.parent / "tools" / "draw_imports.py")

LISTENING = {"starting.py": {"numba.core.event"}}
"""What is taken from Numba outside the kernels: that it tells when it compiles."""

every_module = pytest.mark.parametrize(
    "path", imports.modules(), ids=lambda path: str(path.relative_to(imports.SOURCE))
)


@every_module
def test_a_module_imports_only_from_its_left(path):
    place = imports.ORDER.index(imports.folder_of(path))
    for folder in imports.imported_folders(path):
        assert imports.ORDER.index(folder) <= place, f"{path.name} imports from {folder}"


@every_module
def test_only_kernels_are_compiled(path):
    of_numba = {name for name in imports.imported(path) if name.split(".")[0] == "numba"}
    assert imports.folder_of(path) == "kernels" or of_numba <= LISTENING.get(path.name, set())


def test_every_folder_has_its_place():
    assert {imports.folder_of(path) for path in imports.modules()} == set(imports.ORDER)


def test_the_picture_of_the_imports_is_up_to_date():
    """If not, `python tools/draw_imports.py` draws it again."""
    assert imports.PICTURE.read_text(encoding="utf-8") == imports.drawing()


def test_no_two_classes_have_the_same_name():
    names = Counter(
        node.name
        for path in imports.modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_no_public_name_hides_a_module():
    modules = {path.stem if path.suffix else path.name for path in imports.SOURCE.iterdir()}
    assert not modules & set(oracular.__all__)
    assert all(not inspect.ismodule(getattr(oracular, name)) for name in oracular.__all__)


@pytest.mark.parametrize("name", ["fictitious_play", "regret_matching", "solver"])
def test_solvers_of_any_problem_know_no_guessing(name):
    folders = imports.imported_folders(imports.SOURCE / "solvers" / f"{name}.py")
    assert not folders & {"games", "strategies", "planner", "search", "play"}


def test_the_public_names_are_those_that_type_checkers_see():
    """They stand in three places: for type checkers, in `__all__`, and where each is loaded from."""
    tree = ast.parse((imports.SOURCE / "__init__.py").read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == {name: f"oracular.{module}" for name, module in oracular._HOME.items()}
    assert sorted({*seen, "__version__"}) == sorted(oracular.__all__)
    assert set(oracular.__all__) <= set(dir(oracular))


def test_a_name_that_is_not_there_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'gane'"):
        _ = oracular.gane


def test_the_package_loads_nothing_before_it_is_used():
    loaded = (
        "import sys, oracular; sys.exit(any(name in sys.modules for name in ('numba', 'numpy', 'click', 'highspy')))"
    )
    subprocess.run([sys.executable, "-c", loaded], check=True)


def test_sources_that_are_not_installed_have_no_version(monkeypatch):
    def version(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert oracular._version() == "0+unknown"
