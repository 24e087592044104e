"""Signs beyond ASCII on terminals that cannot show them.

Our texts have a few such signs: footnote marks, ≤, ε, dashes. Each has an equivalent in ASCII here. Tables are laid
out with the equivalents (`translated`), so that columns stay aligned; whatever else is written to a stream, a word of a
user's included, is replaced as it is encoded (`ERRORS`). Nothing becomes a question mark.
"""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata
from functools import cache

ERRORS = "oracular.ascii"
"""The name of the error handler that writes a sign in ASCII where an encoding does not have it."""

IN_ASCII = {
    "¹": "(1)", "²": "(2)", "³": "(3)", "⁴": "(4)", "⁵": "(5)",
    "≤": "<=", "≥": ">=", "≈": "~", "×": "x", "·": "-", "µ": "u", "μ": "u",
    "ε": "eps", "Δ": "delta", "∞": "inf", "½": "1/2",
    "–": "-", "—": "-", "−": "-", "…": "...", "→": "->", "←": "<-", "↑": "^", "↓": "v", "•": "*",
    "‘": "'", "’": "'", "“": '"', "”": '"', "\N{NO-BREAK SPACE}": " ", "\N{THIN SPACE}": " ",
    "✓": "yes", "✗": "no", "●": "*", "○": "o", "█": "#", "▏": "|",
    "🟩": "g", "🟨": "y", "⬛": "-", "⬜": "-", "🟥": "r", "🟦": "b",
    "⚫": "b", "⚪": "w", "🐂": "b", "🐄": "c", "➖": "-",
}  # fmt: skip
"""What is written in place of the signs that our texts have."""

_TABLE = str.maketrans(IN_ASCII)
_OURS = "¹²³⁴≤ε–…"
"""Where an encoding lacks any of these, texts are laid out in ASCII."""


@cache
def shows_everything(encoding: str) -> bool:
    """Tell whether a terminal of this encoding can show the signs of our texts."""
    try:
        _OURS.encode(encoding)
    except (LookupError, UnicodeError):
        return False
    return True


def translated(text: str, encoding: str) -> str:
    """Return a text as a terminal of this encoding can show it."""
    return text if shows_everything(encoding) else text.translate(_TABLE)


def replace_what_cannot_be_shown() -> None:
    """Have the standard streams write in ASCII what their encoding does not have."""
    codecs.register_error(ERRORS, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Return the ASCII for what an encoding does not have, and where to go on: an error handler of `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_sign, error.object[error.start : error.end])), error.end


def _sign(sign: str) -> str:
    """Return one sign in ASCII: its equivalent, its letter without the accent, or else its number."""
    if sign in IN_ASCII:
        return IN_ASCII[sign]
    letter = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return letter or sign.encode("ascii", "backslashreplace").decode()
