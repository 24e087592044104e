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
from contextlib import suppress
from types import FrameType

KERNELS = "oracular.kernels"
ONCE = "note: compiling code; this is done once and may take a minute or two"
EACH_TIME = (
    "note: compiling code, which takes a minute or two each time, since it cannot be saved: "
    "set NUMBA_CACHE_DIR to a folder that you can write to"
)


class _AtLoading:
    """Asked by Python where each module is, it never knows; when it is asked for the kernels it begins to listen."""

    def __init__(self) -> None:
        self._listening = False

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Return None: other finders know where the module is."""
        if name == KERNELS and not self._listening:
            self._listening = True
            _listen()


def tell_when_compiling() -> None:
    """Print a line on stderr once this process compiles code, before it does."""
    sys.meta_path.insert(0, _AtLoading())


def _listen() -> None:
    """Have Numba say when it compiles."""
    from numba.core.event import Event, Listener, register

    class Teller(Listener):
        """Prints a line at the first start."""

        told = False

        def on_start(self, _: Event) -> None:
            if not self.told:
                self.told = True
                saved = getattr(sys.modules.get(KERNELS), "CACHE_FOLDER", None)
                with suppress(OSError, ValueError):  # nobody reads it
                    print(EACH_TIME if saved is None else ONCE, file=sys.stderr, flush=True)

        def on_end(self, _: Event) -> None:
            pass

    register("numba:compile", Teller())  # type: ignore[no-untyped-call]


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
