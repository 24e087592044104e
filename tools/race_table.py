"""Write the table of the blind race in docs/race.md again, from the package's data; run by `make results`."""

from __future__ import annotations

from pathlib import Path

from results import blind_races

from oracular.strategies.race_file import load_race, race_games

BEGIN, END = "<!-- races -->\n", "<!-- /races -->\n"


def page(text: str) -> str:
    """Return the page with the table between its two marks."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{blind_races([load_race(name) for name in race_games()])}{END}{after}"


def main() -> None:
    """Replace what stands between the two marks of the page."""
    path = Path(__file__).parent.parent / "docs" / "race.md"
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
