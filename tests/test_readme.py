"""What the README shows is true: its Python is run as doctests, its commands are run in order."""

from __future__ import annotations

import doctest
import io
import json
import re
import shlex
from pathlib import Path

import pytest

import oracular as oracular_package
from oracular.cli.main import cli
from oracular.strategies.shipped import SHIPPED_GAMES

from conftest import module_at

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_examples_give_what_they_show():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (failed, tried > 5) == (0, True)


LINES = [line.partition("#") for line in README.splitlines() if line.startswith("oracular ")]
LONG = [command for command, _, note in LINES if "minute" in note]
SHORT = [command for command, _, note in LINES if "minute" not in note and "until Ctrl-C" not in note]


def _run_all(commands, oracular, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())  # nobody types: a game that is begun is left at once
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    for command in commands:
        outcome = oracular(*shlex.split(command)[1:])
        assert outcome.code == 0, (command, outcome.err)


def test_the_commands_work_in_the_order_they_are_shown(oracular, tmp_path, monkeypatch):
    assert len(SHORT) >= len(cli.commands)
    _run_all(SHORT, oracular, tmp_path, monkeypatch)


@pytest.mark.slow
def test_the_commands_that_take_a_minute_work_too(oracular, tmp_path, monkeypatch):
    assert LONG
    _run_all(LONG, oracular, tmp_path, monkeypatch)


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_is_in_the_readme(command):
    assert re.search(rf"^oracular {command}\b", README, flags=re.MULTILINE)


def test_every_file_that_the_documents_link_to_exists():
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), (document.name, target)


def test_the_table_of_strategies_is_that_of_the_shipped_ones():
    module = module_at(ROOT / "tools" / "readme_table.py")
    assert module.BEGIN + module.table() + module.END in README


def test_the_page_on_scaling_was_written_from_its_figures():
    module = module_at(ROOT / "benchmarks" / "scaling_page.py")
    figures = json.loads((ROOT / "docs" / "scaling.json").read_text(encoding="utf-8"))
    assert module.page(figures) == (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def test_the_page_of_results_was_written_by_its_command():
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    for name in SHIPPED_GAMES:
        shipped = oracular_package.load(name)
        assert f"{float(shipped.lower):.4f}" in page and f"{float(shipped.guarantee):.4f}" in page
