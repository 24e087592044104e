"""In a real terminal: progress is shown while work goes on, Ctrl-C stops it in good order, and the hint goes on."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

pytest.importorskip("pty", reason="this system has no pseudo-terminals")

from pseudo_terminal import Terminal


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


@pytest.mark.parametrize(
    "command",
    ["games", pytest.param("show jotto-2 --json", marks=pytest.mark.slow), "table --letters 2 --iterations 5"],
)
def test_output_may_be_cut_off_by_whoever_reads_it(command, tmp_path):
    line = f"{shlex.quote(sys.executable)} -m oracular {command} | true; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=False, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


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
