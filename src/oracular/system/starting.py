"""How the command `oracular` starts and ends: Ctrl-C is one line from the first moment to the last.

Loading the package takes some tenths of a second, and whoever presses Ctrl-C meanwhile is not to see how far it came.
Where the process is the command, this module, which the package loads before all others, answers for that time; then
the command line takes over. A program that imports the package keeps its own way to be interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

COMMAND = "oracular"
WITH_A_VALUE = ("-X", "-W", "--check-hash-based-pycs")
"""Options of Python that are followed by a value."""


def is_command(written: Sequence[str]) -> bool:
    """Tell whether a process that was started with these words is the command."""
    words = iter(written[1:])
    for word in words:
        if word == "-m":
            return next(words, "").split(".")[0] == COMMAND
        if word in WITH_A_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            name = word.replace("\\", "/").rsplit("/", 1)[-1]
            return name.removesuffix(".exe").removesuffix("-script.py") == COMMAND
    return False


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """End the process at once: nothing has been begun yet."""
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def answer_while_loading() -> None:
    """Answer Ctrl-C until the command line takes over."""
    if is_command(sys.orig_argv) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def hand_over() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` again: everything is loaded, and somebody catches it."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def end() -> None:
    """Let Ctrl-C do nothing any more where the process is the command: it is about to end."""
    if is_command(sys.orig_argv):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


answer_while_loading()
