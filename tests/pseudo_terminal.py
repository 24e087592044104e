"""A process in a real pseudo-terminal, whose screen is read and whose keys are pressed."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

CTRL_C, CTRL_D = "\x03", "\x04"


class Terminal:
    """A process in a pseudo-terminal of 80 columns, whose screen output is collected."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._master, slave = pty.openpty()
        environment = {**os.environ, "COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CONTROLLED, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""

    def read_until(self, pattern: str, seconds: float = 60) -> None:
        """Read what is shown until the pattern has been seen."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.seen):
            assert time.monotonic() < deadline, f"{pattern!r} was not shown: {self.seen[-2000:]!r}"
            self._read(0.2)

    def press(self, keys: str) -> None:
        """Press some keys; what is shown is then looked at from here on."""
        self.seen = ""
        os.write(self._master, keys.encode())

    def type(self, line: str, then: str) -> str:
        """Type a line, wait until a pattern is shown after it, and return what has been."""
        self.press(f"{line}\r")
        self.read_until(then)
        return self.seen

    def finish(self, keys: str = "", seconds: float = 60) -> int:
        """Read to the end and return the exit code; keys are pressed until it ends, as a person would."""
        deadline = time.monotonic() + seconds
        pressed = -1.0
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"the process did not end: {self.seen[-2000:]!r}")
            if keys and time.monotonic() > pressed + 3:  # what is typed before the line is read may be lost
                pressed = time.monotonic()
                self.press(keys)
            self._read(0.1)
        self._read(0.1)
        os.close(self._master)
        return self.process.returncode

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if ready:
            try:
                self.seen += os.read(self._master, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                return


_CONTROLLED = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches the process as a signal
from oracular.cli.main import main
sys.exit(main())
"""
