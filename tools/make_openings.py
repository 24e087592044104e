"""Write `strategies/data/openings.json`: openings that take a second or more to value, so that advice comes at once.

With names of games behind it (`python tools/make_openings.py wordle`) only their openings are worked out again. For
Wordle with equal chances the values are proved, which takes minutes.
"""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

import oracular
from oracular.play.adviser import FILE, Adviser, ValuedGuess, fingerprint, is_uniform
from oracular.play.opponent import opponent

GAMES = (
    "jotto-5", "jotto-5-familiar", "jotto-5-repeats", "jotto-5-anagrams", "jotto-5-repeats-anagrams",
    "jotto-5-repeats-familiar", "jotto-5-anagrams-familiar", "jotto-5-repeats-anagrams-familiar",
    "jotto-4-repeats-anagrams-familiar", "bulls-4x10", "wordle", "wordle-twl06", "wordle-hard", "wordle-possible",
    "jotto-5-possible", "jotto-5-repeats-anagrams-familiar-possible",
)  # fmt: skip

PROVED = ("wordle", "wordle-hard")
"""Games whose openings are searched to the end, against the hider with equal chances."""

STATES = 100_000
"""A search of an opening ends after this many states. CRATE takes 16,830 in `wordle`."""


def proved(tried: list[ValuedGuess], hider: oracular.Hider) -> list[ValuedGuess]:
    """Return openings with the values of their best trees, the best first; exact if the search came to its end."""
    valued = []
    for one in tried:
        response = oracular.best_response(hider.game, hider, opening=one.guess, node_limit=STATES)
        expected = min(one.expected, response.upper)
        valued.append(ValuedGuess(one.guess, expected, response.proved))
        print(f"{hider.game.guesses[one.guess]}: {expected}{' proved' * response.proved}", flush=True)
    return sorted(valued, key=lambda one: one.expected)


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
            if name in PROVED and is_uniform(hider):
                tried = proved(tried, hider)
            kept[fingerprint(hider, asked.settings)] = {
                "game": name,
                "tried": [[candidate.guess, str(candidate.expected)] for candidate in tried],
                "exact": [candidate.guess for candidate in tried if candidate.exact],
            }
        print(f"{name}: {computer.game.guesses[tried[0].guess]} {float(tried[0].expected):.4f}")
    ordered = dict(sorted(kept.items(), key=lambda item: GAMES.index(item[1]["game"])))
    path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
