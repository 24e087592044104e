"""Whoever lacks something is told a command that installs it into the right environment, in any shell."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from oracular.errors import install_command

SOURCE = Path(__file__).parent.parent.parent / "src" / "oracular"


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Give a function that makes an environment's folder of programs; the program then seems to run in it."""

    def make(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for program in ("python", "pip"):
            (folder / program).touch(mode=0o755)
        monkeypatch.setattr(sys, "executable", str(folder / "python"))
        return folder

    return make


def test_an_activated_environment_has_its_own_pip(environment, monkeypatch):
    monkeypatch.setenv("PATH", str(environment("mine")))
    assert install_command("oracular[web]") == 'pip install "oracular[web]"'


@pytest.mark.parametrize(("name", "quote"), [("mine", ""), ("mine too", '"')])
def test_elsewhere_its_python_is_named(environment, monkeypatch, tmp_path, name, quote):
    monkeypatch.setenv("PATH", str(environment("other")))
    environment(name)
    python = f"{quote}{tmp_path / name / 'python'}{quote}"
    assert install_command("oracular[web]") == f'{python} -m pip install "oracular[web]"'
    monkeypatch.setenv("PATH", "")
    assert install_command("oracular[web]") == f'{python} -m pip install "oracular[web]"'


def test_every_sentence_about_installing_is_made_by_it():
    for path in SOURCE.rglob("*.py"):
        if path.name != "errors.py":
            for line in path.read_text(encoding="utf-8").splitlines():
                assert "pip install" not in line or re.search(r'`pip install "oracular\[', line), (path.name, line)
