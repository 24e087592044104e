"""What can go wrong through no fault of the program.

Every error here is a sentence that quotes the input, says what is wrong with it and what to do instead. The command
line prints that sentence and exits with code 2; nothing on disk has been touched by then.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


class OracularError(ValueError):
    """Bad input or a file that cannot be used: the message names it and the remedy."""


class UnknownGameError(OracularError):
    """A game's name that no family of games answers to, and the game that may have been meant, where one is near."""

    def __init__(self, message: str, meant: str | None = None) -> None:
        super().__init__(message)
        self.meant = meant


class GameTooLargeError(OracularError):
    """A game whose table of answers would not fit into memory."""


class NotEnoughMemoryError(OracularError):
    """A run that needs more memory than there is, or than it may take."""


class WordListError(OracularError):
    """A word list that is missing, unreadable or has no playable word."""


class WordListWarning(UserWarning):
    """Lines of a word list that were left out or changed: the message counts and names them."""


class HistoryError(OracularError):
    """A history of guesses and answers that cannot be read."""


class InconsistentHistoryError(HistoryError):
    """A history that is well written but leaves no secret possible."""


class FinishedGameError(HistoryError):
    """A history in which the secret has been found: there is nothing left to guess."""


class MoveError(OracularError):
    """A move in a match that cannot be made now."""


class SettingsError(OracularError):
    """A setting outside its range, or settings that exclude each other."""


class OutOfTimeError(OracularError):
    """A limited time that was over before there was anything to show for it."""


class RunError(OracularError):
    """A run's folder that is missing, damaged, in the way or of another game."""


class MissingExtraError(OracularError):
    """A feature whose optional dependencies are not installed."""


class ClusterError(OracularError):
    """A cluster that cannot be used: a bad address, nothing that answers, no workers, or workers of another kind."""


class ClusterLostError(ClusterError):
    """A cluster that was lost in the middle of the work; what was on disk by then is good to go on from."""


class FalseAnswerError(OracularError):
    """An answer of a cluster's worker that is not true, so that nothing which rests on its workers can be trusted."""


def install_command(requirement: str) -> str:
    """Return the command that installs a requirement into the environment that runs this program.

    `pip install` works from a checkout as well as from a wheel: pip sees that the package is there and adds what the
    extra needs. If the shell's pip belongs to another environment, this one's Python is named in full, as for somebody
    who calls `.venv/bin/oracular` without activating the environment. Double quotes suit every shell.

    Args:
        requirement: what is missing, such as `oracular[web]`.
    """
    python, pip = Path(sys.executable), shutil.which("pip")
    if pip is not None and Path(pip).absolute().parent == python.absolute().parent:
        return f'pip install "{requirement}"'
    path = f'"{python}"' if " " in str(python) else str(python)
    return f'{path} -m pip install "{requirement}"'
