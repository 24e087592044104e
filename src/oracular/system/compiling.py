"""One line on stderr when the command `oracular` has to compile code: that takes long, and nothing else is seen.

Numba tells whoever listens that it compiles; what it reads from disk it does not tell. To listen one must load it,
which takes most of the time that a command needs to start, and many commands do not need it. So the listener is put in
place at the moment when the kernels are loaded.
"""

from __future__ import annotations

import sys
from contextlib import suppress

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
