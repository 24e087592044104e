"""Numbers with their nouns: `1 secret`, `2,833 secrets`."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 word`, `2,833 words`; the plural is given where it takes more than an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or f'{noun}s'}"
