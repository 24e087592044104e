"""Draw docs/imports.svg: how the folders of the package import each other; run by `make pictures`.

The folders stand in their order. An arc leads from a folder back to one that it imports, so no arc may lead to the
right. The more modules of a folder import the other, the thicker the arc.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "oracular"
PICTURE = ROOT / "docs" / "imports.svg"

ORDER = (
    "errors system settings paper checker games kernels strategies objectives costs evaluation problem planner "
    "search cluster solvers runs play report web cli"
).split()
"""The folders and single modules of the package; each imports only from itself and from its left."""

STEP, MARGIN = 54, 56
"""Pixels between two folders, and beside the outer ones."""

FLATNESS = 0.6
"""The height of an arc as a part of half its width."""

BASE = 32 + round(FLATNESS * STEP * (len(ORDER) - 1) / 2)
"""Pixels from the top to the row of folders: the widest arc fits above it."""

COMMON = ("errors", "system")
"""Nearly all folders import these; the arcs to them are drawn in a pale grey."""


def modules() -> list[Path]:
    """Return the modules of the package, but for `__init__.py` and `__main__.py` at the top."""
    found = SOURCE.rglob("*.py")
    return sorted(path for path in found if path.parent != SOURCE or not path.name.startswith("__"))


def folder_of(path: Path) -> str:
    """Return the name in ORDER that a module belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Return the dotted names of all modules that a module imports, at the top or inside its functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "oracular"}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def imported_folders(path: Path) -> set[str]:
    """Return the names in ORDER that a module imports from, its own included."""
    parts = [name.split(".") for name in imported(path)]
    return {part[1] for part in parts if part[0] == "oracular" and len(part) > 1}


def arcs() -> Counter[tuple[str, str]]:
    """Return for each pair of folders how many modules of the first import from the second."""
    pairs = ((folder_of(path), other) for path in modules() for other in imported_folders(path))
    return Counter(pair for pair in pairs if pair[0] != pair[1])


def drawing() -> str:
    """Return the picture as SVG."""
    width, height = 2 * MARGIN + STEP * (len(ORDER) - 1), BASE + 116
    place = {name: MARGIN + STEP * index for index, name in enumerate(ORDER)}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="14">',
        "<title>How the folders of oracular import each other: arrows lead to what is imported</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
    ]
    found = arcs()
    for importing, other in sorted(found, key=lambda pair: (pair[1] not in COMMON, place[pair[1]], place[pair[0]])):
        colour = "hsl(210, 10%, 82%)" if other in COMMON else _colour(importing)
        lines += _arc(place[importing], place[other], found[importing, other], colour)
    for name, x in place.items():
        lines.append(f'<circle cx="{x}" cy="{BASE}" r="8" fill="{_colour(name)}" stroke="#ffffff" stroke-width="2"/>')
        lines.append(
            f'<text x="{x + 4}" y="{BASE + 26}" text-anchor="end" fill="#24292f" '
            f'transform="rotate(-45 {x + 4} {BASE + 26})">{name}</text>'
        )
    caption = (
        "An arrow leads to what is imported, in the colour of the folder that imports it. None leads to the right."
    )
    lines.append(f'<text x="{width / 2:.0f}" y="{height - 14}" text-anchor="middle" fill="#57606a">{caption}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _arc(start: int, end: int, count: int, colour: str) -> list[str]:
    """Return an arc with an arrowhead at its end; longer arcs meet a folder further out, so that few of them cross."""
    reach = abs(start - end) / (STEP * (len(ORDER) - 1))
    begin, tip = start - 7 + 7 * reach, end + 7 - 7 * reach
    radius = (begin - tip) / 2
    top = BASE - 9
    thickness = 1 + 0.5 * min(count - 1, 5)
    curve = f"M{begin:.1f} {top} A{radius:.1f} {radius * FLATNESS:.1f} 0 0 0 {tip:.1f} {top - 5}"
    return [
        f'<path d="{curve}" fill="none" stroke="{colour}" stroke-opacity="0.6" stroke-width="{thickness:.1f}"/>',
        f'<path d="M{tip:.1f} {top + 1} l-3.5 -7 h7 z" fill="{colour}"/>',
    ]


def _colour(name: str) -> str:
    """Return the colour of a folder, from blue at the left over violet to red at the right."""
    share = ORDER.index(name) / (len(ORDER) - 1)
    return f"hsl({200 + 180 * share:.0f}, 60%, {42 - 4 * share:.0f}%)"


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(drawing(), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
