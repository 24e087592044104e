"""Nothing imports from its right, and compiled code is in `kernels` alone."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import oracular

from conftest import module_at

imports = module_at(Path(__file__).parent.parent / "tools" / "draw_imports.py")

LISTENING = {"compiling.py": {"numba.core.event"}}
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


def test_no_public_name_hides_a_module():
    modules = {path.stem if path.suffix else path.name for path in imports.SOURCE.iterdir()}
    assert not modules & set(oracular.__all__)
    assert all(not inspect.ismodule(getattr(oracular, name)) for name in oracular.__all__)


@pytest.mark.parametrize("name", ["fictitious_play", "regret_matching", "reweighting", "solver"])
def test_solvers_of_any_problem_know_no_guessing(name):
    folders = imports.imported_folders(imports.SOURCE / "solvers" / f"{name}.py")
    assert not folders & {"games", "strategies", "responses", "bounds", "play"}
