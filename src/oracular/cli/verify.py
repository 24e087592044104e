"""`oracular verify`: a certificate of an equilibrium, checked from the game's table alone."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.output import json_option, lists_options, print_json, print_pairs


@click.command(epilog="Example: oracular verify docs/certificates/jotto-2.json")
@click.argument("path", metavar="FILE|DIR", type=click.Path(path_type=Path))
@lists_options
@json_option
def verify(path: Path, as_json: bool, **lists: Path | None) -> None:
    """Check a certificate of an equilibrium.

    The upper bound is worked out again from the trees, the lower bound by an exact best response to the hider's
    weights. FILE is a certificate; for a run's folder DIR its certificate.json is checked.
    """
    import oracular
    from oracular.runs import Run
    from oracular.solvers.certificate import read_certificate, verify_certificate

    game_name, sha256, certificate = read_certificate(path / "certificate.json" if path.is_dir() else path)
    game = Run.open(path).game() if path.is_dir() else oracular.game(game_name, **lists)
    verify_certificate(game, sha256, certificate)
    if as_json:
        print_json(
            {
                "game": game.name,
                "lower": str(certificate.lower),
                "upper": str(certificate.upper),
                "proved": certificate.complete,
                "valid": True,
            }
        )
        return
    print_pairs(
        {
            "game": f"{game.name}, {len(game.secrets):,} secrets",
            "lower": f"{certificate.lower} = {float(certificate.lower):.9f} (proved)",
            "upper": f"{certificate.upper} = {float(certificate.upper):.9f} (proved)",
            "trees": f"{len(certificate.trees)} in the guesser's mixture",
            "certificate": "valid: it proves the value of the game" if certificate.complete else "valid, with a gap",
        }
    )
