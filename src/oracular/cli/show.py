"""`oracular show GAME`: what a game is made of."""

from __future__ import annotations

import math
from pathlib import Path

import click

from oracular.cli.output import json_option, print_json, print_pairs, words_option


@click.command(epilog="Example: oracular show jotto-5")
@click.argument("game_name", metavar="GAME")
@words_option
@json_option
def show(game_name: str, words: Path | None, as_json: bool) -> None:
    """Show a game: words, answers, states, opening.

    The opening is the first guess of the benchmark guesser, which is greedy against a uniform hider.
    """
    import oracular

    game = oracular.game(game_name, words)
    opening = game.guesses[oracular.guesser_gbr_uniform(game).guess(game.all_secrets)]
    exponent = len(game.secrets) * math.log10(2)  # a state is a subset of the secrets
    if as_json:
        print_json(
            {
                "game": game.name,
                "secrets": len(game.secrets),
                "guesses": len(game.guesses),
                "answers": list(game.labels),
                "words_sha256": game.words_sha256,
                "states_log10": exponent,
                "opening": opening,
            }
        )
        return
    print_pairs(
        {
            "game": game.name,
            "secrets": f"{len(game.secrets):,} words, from {game.secrets[0]} to {game.secrets[-1]}",
            "guesses": f"{len(game.guesses):,} words",
            "answers": f"{' '.join(game.labels)}; {game.labels[game.found]} ends the game",
            "states": f"about 10^{exponent:.0f}",
            "opening guess": f"{opening} (greedy against a uniform hider)",
            "word list": words.name if words else "TWL06",
            "words sha256": game.words_sha256,
        }
    )
