"""The pages of the documentation as the tests see them: fenced blocks, commands, links and headings."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^ *```(?P<language>[^\n`]*)\n(?P<body>.*?)^ *```$", flags=re.DOTALL | re.MULTILINE)
LONG = ("minute",)
"""What the comment of a command says that takes too long for every day."""
NEVER_RUN = ("until Ctrl-C", "needs a scheduler")
"""What the comment of a command says that does not end by itself, or needs other machines."""
INSTALLING = ("pip ", "python3 -m venv", ". .venv")
"""How the lines begin that `tests/test_installation.py` runs."""


@dataclass(frozen=True)
class Command:
    """A command of a shell block, and its comment: behind it, or on the lines above it."""

    line: str
    comment: str

    @property
    def is_long(self) -> bool:
        return any(mark in self.comment for mark in LONG)

    @property
    def is_run_here(self) -> bool:
        return not self.line.startswith((*INSTALLING, "make ")) and not any(mark in self.comment for mark in NEVER_RUN)


@dataclass(frozen=True)
class Document:
    """A page: its path, and its text in Markdown."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return FENCE.sub("", self.text)

    def blocks(self, language: str) -> list[str]:
        return [match["body"] for match in FENCE.finditer(self.text) if match["language"].strip() == language]

    @property
    def commands(self) -> list[Command]:
        found, above = [], ""
        for line in "".join(self.blocks("sh")).replace("\\\n", " ").splitlines():
            command, _, comment = (part.strip() for part in f" {line} ".partition(" # "))
            if command:
                found.append(Command(command, f"{above} {comment}".strip()))
            above = f"{above} {comment}" if comment and not command else ""
        return found

    @property
    def headings(self) -> list[str]:
        """The names of its headings in links, as GitHub makes them."""
        titles = re.findall(r"^#{1,6} (.+)$", self.prose, flags=re.MULTILINE)
        return [re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles]

    @property
    def links(self) -> list[str]:
        return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", self.prose))


def document(path: Path) -> Document:
    """Return a page; of a notebook, its texts."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return Document(path, text)


PAGES = [
    document(path)
    for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs" / "tutorial.ipynb")
]
