"""Write the README's table of shipped strategies again, from the package's data; run by `make results`."""

from __future__ import annotations

from pathlib import Path

import oracular
from oracular.games.names import EVERYDAY
from oracular.runs.paper_table import paper_rows
from oracular.strategies.shipped import CODE_GAMES, JOTTO_GAMES, SHIPPED_GAMES

BEGIN, END = "<!-- strategies -->\n", "<!-- /strategies -->\n"


def shown_games() -> list[str]:
    """Return the games of the table: of code games only those that most people know."""
    return [name for name in SHIPPED_GAMES if name not in CODE_GAMES or name in EVERYDAY.values()]


def table() -> str:
    """Return the table in Markdown."""
    lines = [
        "| game | the paper's estimate | our guarantee (proved upper bound) | recorded lower bound | gap |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in shown_games():
        shipped = oracular.load(name)
        estimate = f"{paper_rows()[int(name.removeprefix('jotto-'))]['self_play']:.3f}" if name in JOTTO_GAMES else ""
        gap = shipped.guarantee - shipped.lower
        lines.append(
            f"| {name} | {estimate} | **{float(shipped.guarantee):.4f}** | "
            f"{float(shipped.lower):.4f} ({shipped.best_bound.hider} hider) | "
            f"{'settled' if gap == 0 else f'{float(gap):.3f}'} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Replace what stands between the two marks of the README."""
    path = Path(__file__).parent.parent / "README.md"
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
