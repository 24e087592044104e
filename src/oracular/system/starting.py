"""What the command `oracular` needs before anything else: an answer to Ctrl-C, and a word when code is compiled.

Ctrl-C while it starts and ends gives one line on stderr, never a traceback.

Loading the package takes some tenths of a second, and Ctrl-C in that time would show a traceback of imports. So the
package imports this module first, which installs a signal handler; the command line removes it once everything is
loaded. In a program that merely imports the package nothing is installed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from oracular.system.compiling import tell_when_compiling

INTERRUPTED = 130
COMMAND = "oracular"
WITH_A_VALUE = ("-X", "-W", "--check-hash-based-pycs")
"""Options of the Python interpreter that are followed by a value."""


def is_command(arguments: Sequence[str]) -> bool:
    """Return whether a process with these arguments, the interpreter's name first, is the command `oracular`."""
    words = iter(arguments[1:])
    for word in words:
        if word == "-m":
            return next(words, "").split(".")[0] == COMMAND
        if word in WITH_A_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            name = word.replace("\\", "/").rsplit("/", 1)[-1]
            return name.removesuffix(".exe").removesuffix("-script.py") == COMMAND
    return False


def _exit(_signal: int, _frame: FrameType | None) -> None:
    """End the process at once: there is nothing to clean up yet."""
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` again: the command is loaded and catches it."""
    if signal.getsignal(signal.SIGINT) is _exit:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_interrupt() -> None:
    """Let Ctrl-C do nothing, since the command is about to end."""
    if is_command(sys.orig_argv):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if is_command(sys.orig_argv):
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)
    tell_when_compiling()
