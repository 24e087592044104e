"""What the documentation shows is true: its Python is run and compared, its commands are run in their order."""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from oracular.cli.main import cli

from documents import FENCE, PAGES, ROOT, Command, Document

KNOWN_LANGUAGES = {"", "nginx", "powershell", "python", "sh", "text"}


def pages_with(some) -> list:
    return [pytest.param(page, id=page.name) for page in PAGES if some(page)]


@pytest.mark.parametrize("page", pages_with(lambda page: re.search(r"^>>> ", page.text, flags=re.MULTILINE)))
def test_the_python_examples_give_what_they_show(page: Document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(page.path), module_relative=False, encoding="utf-8")
    assert (failed, tried > 1) == (0, True)


def run_all(commands: list[Command], oracular, tmp_path: Path, monkeypatch) -> None:
    """Run commands in an empty folder that shows `docs` and `examples` of the checkout."""
    monkeypatch.setattr("sys.stdin", io.StringIO())  # nobody types: a game that is begun is left at once
    for folder in ("docs", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        if command.line.startswith("oracular "):
            outcome = oracular(*shlex.split(command.line)[1:])
            assert outcome.code == 0, (command.line, outcome.err)
        else:
            subprocess.run(["bash", "-c", command.line], check=True, cwd=tmp_path, env=os.environ | {"PATH": path})


def usual(page: Document) -> list[Command]:
    return [command for command in page.commands if command.is_run_here and not command.is_long]


@pytest.mark.usefixtures("short_table")
@pytest.mark.parametrize("page", pages_with(usual))
def test_the_commands_work_in_the_order_they_are_shown(page: Document, oracular, tmp_path, monkeypatch):
    run_all(usual(page), oracular, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with(lambda page: any(command.is_long for command in page.commands)))
def test_the_commands_that_take_a_minute_work_too(page: Document, oracular, tmp_path, monkeypatch):
    """They may need what stands before them on their page."""
    run_all([command for command in page.commands if command.is_run_here], oracular, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with(lambda page: page.name == "docs/cluster.md"))
def test_programs_without_a_prompt_run(page: Document, tmp_path):
    for program in page.blocks("python"):
        body = "\n".join(f"    {line}" for line in program.splitlines())
        file = tmp_path / "program.py"
        file.write_text(f'if __name__ == "__main__":\n{body}\n', encoding="utf-8")
        subprocess.run([sys.executable, file], check=True, cwd=tmp_path)


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_is_run_by_a_page(command):
    lines = [shown.line for page in PAGES for shown in page.commands]
    assert any(line == f"oracular {command}" or line.startswith(f"oracular {command} ") for line in lines)


def test_make_knows_every_target_that_a_page_names():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for page in PAGES:
        inline = re.findall(r"`make ([a-z-]+)", page.prose)
        lines = [command.line.split()[1] for command in page.commands if command.line.startswith("make ")]
        assert set(inline + lines) <= set(targets), page.name


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_commands_stand_in_shell_blocks(page: Document):
    """A command in a block of another kind would not be run."""
    assert {match["language"].strip() for match in FENCE.finditer(page.text)} <= KNOWN_LANGUAGES
    assert not re.findall(r"^\s+oracular [a-z]+ .*$", page.prose, flags=re.MULTILINE)
    assert not any(re.match(r"\s*oracular [a-z]+ ", line) for block in page.blocks("") for line in block.splitlines())


@pytest.mark.parametrize("page", pages_with(lambda page: FENCE.search(page.text)))
def test_lines_of_code_fit_a_block_of_the_site(page: Document):
    """It has room for 87 columns in a window of 1280 pixels."""
    assert [line for match in FENCE.finditer(page.text) for line in match["body"].splitlines() if len(line) > 87] == []


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])
def test_commands_named_in_sentences_exist_with_their_options(page: Document):
    for named in re.findall(r"`oracular ([a-z][^`]*)`", page.prose):
        name, *rest = named.split()
        if name == "COMMAND":
            continue
        assert name in cli.commands, named
        of_command = [(*parameter.opts, *parameter.secondary_opts) for parameter in cli.commands[name].params]
        known = {option for options in of_command for option in options} | {"--help"}
        assert {word for word in rest if word.startswith("--")} <= known, named
