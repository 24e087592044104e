"""Ctrl-C at any moment is one line and exit code 130, from the first module that is loaded on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from oracular.system.starting import is_command

HOOK = '''
import os, signal, sys

class Presses:
    """Presses Ctrl-C when a module is looked for."""

    def find_spec(self, name, path=None, target=None):
        if name == os.environ["PRESS_AT"]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Presses())
'''


def _pressed(tmp_path: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with Ctrl-C pressed at the moment when a module is loaded."""
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PRESS_AT": module}
    signal_before = signal.getsignal(signal.SIGINT)
    assert signal_before is not signal.SIG_IGN  # a child would inherit that
    return subprocess.run(
        [sys.executable, "-m", "oracular", *arguments],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("module", ["numpy", "oracular.cli.solve", "oracular.cli.main", "click", "rich.progress"])
def test_ctrl_c_while_loading_is_one_line(tmp_path, module):
    done = _pressed(tmp_path, module, "games")
    assert (done.returncode, done.stderr, done.stdout) == (130, "interrupted\n", "")


def test_ctrl_c_before_a_solver_is_loaded_is_one_line(tmp_path):
    done = _pressed(tmp_path, "oracular.kernels.greedy", "solve", "jotto-2", "--iterations", "5", "--out", "run")
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("interrupted")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["python", "/usr/bin/oracular", "games"], True),
        (["python", "-X", "dev", "-m", "oracular", "games"], True),
        (["python", "-m", "oracular.cli.main"], True),
        (["python", "-m", "pytest", "oracular"], False),
        (["python", "-c", "import oracular"], False),
        (["python", "script.py", "oracular"], False),
        (["python"], False),
        ([], False),
    ],
)
def test_only_the_command_answers_for_itself(words, expected):
    assert is_command(words) is expected
