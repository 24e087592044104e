"""Whatever is given, and however long: an error quotes no more of it than a person reads."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular import Game, OracularError, review
from oracular.planner.planner import score_of_name
from oracular.play.match import new_match
from oracular.play.opponent import matchup_by_name
from oracular.runs.sweep import parse_settings, plan

LONG = "x" * 100_000
PAIR = (LONG, LONG + "y")


def own_game(secrets=("a", "b"), guesses=("a", "b"), answer=lambda guess, secret: guess == secret, name="own"):
    return Game.from_function(secrets, guesses, answer, name=name)


CALLS = {
    "a game": lambda folder: oracular.game(LONG),
    "a variant of Jotto": lambda folder: oracular.game(f"jotto-{LONG}"),
    "a variant of Wordle": lambda folder: oracular.game(f"wordle-{LONG}"),
    "a variant of Mastermind": lambda folder: oracular.game(f"mastermind-{LONG}"),
    "a variant of bulls": lambda folder: oracular.game(f"bulls-{LONG}"),
    "a word of Wordle": lambda folder: oracular.game("wordle", secrets=[LONG]),
    "a word file": lambda folder: oracular.game("jotto-5", folder / LONG),
    "a guess": lambda folder: oracular.game("jotto-2").guess_index(LONG),
    "an answer": lambda folder: oracular.game("jotto-2").answer_index(LONG),
    "a turn": lambda folder: oracular.game("jotto-2").possible_after(LONG),
    "a history": lambda folder: oracular.game("jotto-2").possible_after("ab:2 " + "ab:1 " * 20_000),
    "the name of an own game": lambda folder: own_game(secrets=(), name=LONG),
    "a secret of an own game": lambda folder: own_game(secrets=(LONG,)),
    "answers of an own game": lambda folder: own_game(answer=lambda guess, secret: "same", name=LONG),
    "a guess of an own game": lambda folder: own_game(PAIR, PAIR).guess_index("z"),
    "a review": lambda folder: review(own_game(PAIR, PAIR), [(LONG, False)], LONG, None),
    "a solver": lambda folder: oracular.solve("jotto-2", solver=LONG, out=folder / "run"),
    "ties": lambda folder: oracular.solve("jotto-2", out=folder / "run", settings={"ties": LONG}),
    "an engine": lambda folder: oracular.solve(
        "jotto-2", out=folder / "run", resources=oracular.Resources(engine=LONG)
    ),
    "iterations": lambda folder: oracular.solve("jotto-2", iterations=LONG, out=folder / "run"),
    "an epsilon": lambda folder: oracular.solve("jotto-2", epsilon=LONG, out=folder / "run"),
    "a time": lambda folder: oracular.solve("jotto-2", time_limit=LONG, out=folder / "run"),
    "threads": lambda folder: oracular.solve("jotto-2", out=folder / "run", resources=oracular.Resources(threads=LONG)),
    "a limit of states": lambda folder: oracular.best_response(own_game(), np.ones(2, int), node_limit=LONG),
    "a score": lambda folder: score_of_name(LONG, 10),
    "a way to play": lambda folder: new_match(matchup_by_name("jotto-2"), LONG),
    "a solver of a sweep": lambda folder: plan([own_game()], [LONG], {}, folder / "sweep"),
    "a setting of a sweep": lambda folder: plan([own_game()], ["fictitious-play"], {LONG: ["1"]}, folder / "sweep"),
    "a written setting": lambda folder: parse_settings([LONG]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_error_quotes_no_more_than_a_person_reads(call, tmp_path):
    with pytest.raises(OracularError) as raised:
        call(tmp_path)
    assert len(str(raised.value)) < 500
    assert list(tmp_path.iterdir()) == []
