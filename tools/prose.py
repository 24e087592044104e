#!/usr/bin/env python3
"""Finds phrases that are hard to read: `python tools/prose.py [FILE or FOLDER ...]`, by default the whole project.

Each phrase has a plainer replacement. `ALLOWED` lists the places where such a phrase is the right one.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PHRASES = {
    r"\bso (many|much|high|long|few|large)\b(?! (that|as))": "n, this many, this value",
    r"\b(told|tells|tell)\b": "report, print, return, distinguish, say whether",
    r"(?-i:\bis (none|no) (that|such|one)\b|\bis none\b)": "is not a, is invalid",
    r"\banew\b": "again, rebuilt, re-optimized",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bgiven up\b": "pruned, abandoned",
    r"\bthe making\b|\bmaking ready\b": "setup",
    r"\bone's own\b": "your own, custom",
    r"\bforetell\w*|\bforetold\b": "estimate",
    r"(?<!beats )\bwhom\b": "rephrase",
    r"\bnobody (has|is|can|uses|knows)\b": "rephrase",
    r"\bwhat (is|was|holds|there is) (kept|asked|told|known|left)\b": "name the thing",
    r"\b(is|are) to be\b": "must be, should be",
    r"\bby far\b|\bfor want of\b|\bat hand\b": "rephrase",
    r"\bin good order\b|\bslips\b": "cleanly",
    r"\bwhere there (is|are) (none|no)\b": "if there is no",
    r"\bgoes? on with\b": "continue",
}
"""Patterns of phrases, case ignored, and what to write instead."""

ALLOWED = {
    "docs/play.md": r"`tell( crane)?`",
    "docs/http.md": r"`told`|/tell`",
    "docs/results.md": r"in the picture: weighed anew",
}
"""By path: a pattern of text in which a phrase is right, such as the name of a command."""

CHECKED = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile", "mkdocs.yml",
    "docs", "examples",
)  # fmt: skip
"""What is checked by default, relative to the root."""

SUFFIXES = (".py", ".md", ".js", ".html", ".css", ".yml", ".toml", "")
SKIPPED = {ROOT / "tools" / "prose.py", ROOT / "docs" / "javascripts" / "iframe-worker.js"}
"""This file names the phrases, and the other is not ours."""


def files_in(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the text files at these paths, and in these folders, in order."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix in SUFFIXES and file not in SKIPPED:
                yield file


def findings(file: Path) -> Iterator[str]:
    """Yield a line for each phrase in a file: place, phrase, and what to write instead."""
    name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else str(file)
    allowed = ALLOWED.get(name)
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        text = re.sub(allowed, "", line) if allowed else line
        for pattern, instead in PHRASES.items():
            for found in re.finditer(pattern, text, re.IGNORECASE):
                yield f"{name}:{number}: '{found.group(0)}': {instead}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print all findings; return 1 if there are any."""
    parser = argparse.ArgumentParser(description="Find phrases that are hard to read.")
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders; by default all text of the project")
    paths = [path.resolve() for path in parser.parse_args(arguments).paths] or [ROOT / name for name in CHECKED]
    found = [finding for file in files_in(paths) for finding in findings(file)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
