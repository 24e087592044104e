"""In a real terminal: progress is shown while work goes on, Ctrl-C stops it in good order, and the hint goes on."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")


class Terminal:
    """A process in a pseudo-terminal of 80 columns, whose screen output is collected."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._master, slave = pty.openpty()
        environment = {**os.environ, "COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "oracular", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""

    def read_until(self, pattern: str, seconds: float = 120) -> None:
        """Read what is shown until the pattern has been seen."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.seen):
            assert time.monotonic() < deadline, f"{pattern!r} was not shown: {self.seen[-2000:]!r}"
            self._read(0.2)

    def finish(self) -> int:
        """Read to the end and return the exit code."""
        while self.process.poll() is None:
            self._read(0.1)
        self._read(0.1)
        return self.process.returncode

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if ready:
            try:
                self.seen += os.read(self._master, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                return


def test_progress_is_shown_and_ctrl_c_leads_to_a_command_that_goes_on(tmp_path):
    terminal = Terminal("solve", "jotto-3", "--iterations", "900000", "--out", "a run", cwd=tmp_path)
    terminal.read_until(r"t \d+ .*ε \d\.\d+")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.finish() == 130
    hint = re.search(r"go on with: (oracular .*--resume)", " ".join(terminal.seen.split()))
    assert hint, terminal.seen[-1000:]
    command = shlex.split(hint[1])
    assert command[command.index("--iterations") + 1] == "900000"
    stopped_at = json.loads((tmp_path / "a run" / "history.jsonl").read_text().splitlines()[-1])["iteration"]
    command[command.index("--iterations") + 1] = str(stopped_at + 5)
    resumed = subprocess.run(
        [sys.executable, "-m", *command, "--json"], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert json.loads(resumed.stdout)["iterations"] == stopped_at + 5


def test_a_table_that_is_interrupted_says_that_the_same_command_goes_on(tmp_path):
    terminal = Terminal("table", "--letters", "3", "--iterations", "900000", cwd=tmp_path)
    terminal.read_until(r"t \d+ .*ε \d\.\d+")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.finish() == 130
    assert "the same command goes on from here" in terminal.seen.splitlines()[-1]


def test_output_may_be_cut_off_by_whoever_reads_it(tmp_path):
    for command in ("games", "show jotto-2 --json", "table --letters 2 --iterations 5"):
        line = f"{shlex.quote(sys.executable)} -m oracular {command} | true; exit ${{PIPESTATUS[0]}}"
        ended = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=False, text=True)
        assert (ended.returncode, ended.stderr) == (0, ""), command


def test_a_terminal_that_cannot_show_every_letter_gets_the_table_all_the_same(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(
        [sys.executable, "-m", "oracular", "table", "--letters", "2", "--iterations", "5"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0
    assert b"7.652" in ended.stdout
