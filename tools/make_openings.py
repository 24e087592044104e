"""Write `strategies/data/openings.json`: openings that take a second or more to value, so that advice comes at once.

With names of games behind it (`python tools/make_openings.py wordle`) only their openings are worked out again.
"""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

import oracular
from oracular.play.adviser import Adviser
from oracular.play.openings import FILE, fingerprint
from oracular.play.opponent import opponent

GAMES = (
    "jotto-5", "jotto-5-familiar", "jotto-5-repeats", "jotto-5-anagrams", "jotto-5-repeats-anagrams",
    "jotto-5-repeats-familiar", "jotto-5-anagrams-familiar", "jotto-5-repeats-anagrams-familiar",
    "jotto-4-repeats-anagrams-familiar", "bulls-4x10", "wordle", "wordle-twl06", "wordle-hard", "wordle-possible",
    "jotto-5-possible", "jotto-5-repeats-anagrams-familiar-possible",
)  # fmt: skip


def main() -> None:
    """Value the openings and write the file."""
    names = sys.argv[1:] or GAMES
    if unknown := set(names) - set(GAMES):
        sys.exit(f"no openings are kept of {', '.join(sorted(unknown))}: add them to GAMES")
    path = Path(str(files("oracular.strategies.data").joinpath(FILE)))
    before = json.loads(path.read_text(encoding="utf-8"))
    kept = {key: entry for key, entry in before.items() if entry["game"] in set(GAMES) - set(names)}
    for name in names:
        computer = opponent(oracular.game(name))
        for hider in (computer.hider, oracular.hider_uniform(computer.game)):
            asked = Adviser(computer.game, hider)
            tried = asked.valued(computer.game.all_secrets, asked.likely(computer.game.all_secrets))
            kept[fingerprint(hider, asked.settings)] = {
                "game": name,
                "tried": [[candidate.guess, str(candidate.expected)] for candidate in tried],
            }
        print(f"{name}: {computer.game.guesses[tried[0].guess]} {float(tried[0].expected):.4f}")
    ordered = dict(sorted(kept.items(), key=lambda item: GAMES.index(item[1]["game"])))
    path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
