"""`oracular games`, what can be played, and `oracular show`, what a game is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from oracular.cli.output import (
    json_option,
    lists_given,
    lists_options,
    print_json,
    print_next,
    print_result,
    result_console,
)

RULES_IN_WORDS = {
    "hard": "what was revealed must be used (hard mode)",
    "possible": "only what may still be the secret",
}


@click.command(epilog="Example: oracular show jotto-5")
@click.argument("game_name", metavar="GAME")
@lists_options
@json_option
def show(game_name: str, as_json: bool, **lists: Path | None) -> None:
    """Show a game: words, answers, states, opening.

    The opening is the first guess of the benchmark guesser, which is greedy against a uniform hider. Of strategies that
    come with the package the guarantee is worked out again from the trees; their lower bound is the best that their
    file records, whichever hider it comes from.
    """
    import oracular
    from oracular.cli.advice import some_words
    from oracular.games.notation import enumerated
    from oracular.games.offensive import inoffensive
    from oracular.strategies.shipped import has_shipped

    game = oracular.game(game_name, **lists)
    opening = game.guesses[oracular.guesser_gbr_uniform(game).guess(game.all_secrets)]
    shipped = oracular.load(game_name) if has_shipped(game_name) and not any(lists.values()) else None
    exponent = len(game.secrets) * math.log10(2)  # a state is a subset of the secrets
    data: dict[str, Any] = {
        "game": game.name,
        "secrets": len(game.secrets),
        "guesses": len(game.guesses),
        "rule_of_guessing": game.guessing.rule,
        "answers": list(game.labels),
        "words_sha256": game.words_sha256,
        "states_log10": exponent,
        "opening": opening,
        "shipped": None,
    }
    pairs = {
        "game": game.name,
        "secrets": _counted_words(game.secrets),
        "guesses": _counted_words(game.guesses if game.guessing.rule != "possible" else game.secrets),
        **({} if game.guessing.is_any else {"rule of guessing": RULES_IN_WORDS[game.guessing.rule]}),
        "answers": f"{enumerated(game.labels, ' ')}; {game.labels[game.found]} ends the game",
        "states": f"about 10^{exponent:.0f}",
        "opening guess": f"{some_words(inoffensive([opening]), 1)} (greedy against a uniform hider)",
        "own lists": ", ".join(f"{name}: {path}" for name, path in lists.items() if path) or "none",
    }
    if shipped is not None:
        lower, upper, hider = float(shipped.lower), float(shipped.guarantee), shipped.best_bound.hider
        data["shipped"] = {
            "guarantee": upper,
            "lower": lower,
            "guarantee_exact": str(shipped.guarantee),
            "lower_exact": str(shipped.lower),
            "guarantee_is": "proved",
            "lower_is": "recorded",
            "lower_hider": hider,
        }
        pairs["shipped"] = (
            f"{lower:.4f} ≤ value ≤ {upper:.4f} (upper bound proved; lower bound from the {hider} hider, recorded: "
            f"'oracular verify {game.name}' proves it again)"
        )
    print_result(as_json, data, {**pairs, "words sha256": game.words_sha256})
    print_next(as_json, "play", game_name, *lists_given(lists))


def _counted_words(words: Sequence[str]) -> str:
    """Return how many words there are, and the first and the last that may be shown."""
    from oracular.games.offensive import inoffensive

    shown = inoffensive(words)
    return f"{len(words):,}" + (f", from {shown[0]} to {shown[-1]}" if shown else "")


RULES = {
    "jotto-N": "N letters, all different, no anagrams in the list",
    "-repeats": "letters may repeat, and count as often",
    "-anagrams": "anagrams allowed; only the word itself is found",
    "-familiar": "hides words that people know; all may be guessed",
    "wordle": "marks for letters in place, elsewhere, or not there",
    "wordle-twl06": "with words of TWL06, the commonest hidden; so is wordle-N",
    "mastermind-PxC": "P pegs of C colours; black and white pegs",
    "bulls-PxD": "P different digits out of D; bulls and cows",
    "-possible": "behind any name: only what may be the secret is guessed",
    "-hard": "behind wordle: what was revealed must be used (hard mode)",
}
"""What the parts of names mean."""


@click.command(epilog="Example: oracular games")
@json_option
def games(as_json: bool) -> None:
    """List the games that can be played."""
    from oracular.games.names import EVERYDAY, EXAMPLES, game
    from oracular.report.tables import print_rows

    listed = [game(name) for name in EXAMPLES]
    if as_json:
        print_json(
            [
                {"game": g.name, "secrets": len(g.secrets), "guesses": len(g.guesses), "answers": len(g.labels)}
                for g in listed
            ]
        )
        return
    cells = [[g.name, f"{len(g.secrets):,}", f"{len(g.guesses):,}", f"{len(g.labels)}"] for g in listed]
    rules = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    rules.add_column(no_wrap=True)
    rules.add_column(style="dim")
    for part, meaning in RULES.items():
        rules.add_row(part, meaning)
    console = result_console()
    print_rows(console, ("game",), ("secrets", "guesses", "answers"), cells)
    console.print()
    console.print(rules)
    console.print(
        "\nJotto has the words of TWL06, Wordle the lists of the original game; --words FILE (Jotto), --secrets FILE "
        "and --guesses FILE (Wordle) play with your own.",
        style="dim",
    )
    console.print(f"\nNew here? The Jotto that people know is {EVERYDAY['jotto']}.")
    print_next(as_json, "play", "jotto")
