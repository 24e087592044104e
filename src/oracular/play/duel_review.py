"""How likely each side of a duel is to win, and a review: the person's chance before and after each guess.

A side knows its own secret and both sides' guesses and answers (`duel.DuelView`), so its chance is the same for every
secret that the other side may have. Both sides' guesses are drawn from one model (`duel_model`): the other side's until
it finds this side's secret, and this side's until it finds any secret that the other side may have, each as likely as
the hider's strategy makes it. The draws are seeded: the same position gives the same figure.

In a review each chance is what the person could know at that moment. The turning point is the guess that changed it
most in favour of the side that won, or most of all if nobody won; the guess that ended the duel only if no other
changed it much. It is named only if it changed the chance by more than any other guess beyond the margins of these
estimates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from oracular.errors import HistoryError, MoveError
from oracular.games.game import HistoryLike
from oracular.play.duel import DuelView
from oracular.play.duel_model import Turns
from oracular.play.match import Match, Result, Side
from oracular.play.opponent import Matchup, Opponent
from oracular.play.review import check_allowed, states_of, turns_of
from oracular.system.files import counted


@dataclass(frozen=True)
class Chance:
    """An estimate of how likely one side of a duel is to win.

    Attributes:
        chance: the estimate.
        margin: half a 95% interval, since it is drawn at random; 0 once the duel is over.
        over: whether the duel is over.
    """

    chance: float
    margin: float
    over: bool = False

    @property
    def note(self) -> str:
        """What the figure means, in sentences for people."""
        if self.over:
            return "The duel is over."
        return (
            "An estimate from what you may know, if both guess well from here on. Its random playouts leave a "
            f"margin of {points(self.margin)}."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the chance as plain data."""
        return {"chance": self.chance, "margin": self.margin, "note": self.note}


def points(margin: float) -> str:
    """Return a margin of chances as people say it: `2 percentage points`, never less than one."""
    return counted(max(1, math.ceil(100 * margin)), "percentage point")


def winning_chance(match: Match) -> Chance:
    """Return how likely the person is to win a duel, from what the person may know; 1 or 0 once it is over.

    A person who has given up has lost.
    """
    if match.mode != "duel":
        raise MoveError("only a duel has a winning chance: begin one")
    if match.result is not None:
        return Chance(float(match.result == "you"), 0.0, over=True)
    return chance_of(match.view("you"))


def chance_of(view: DuelView) -> Chance:
    """Return how likely the side whose view this is is to win."""
    if not view.may_be_valued:
        name = view.seeking.game.name
        raise MoveError(f"{name} is too large for an estimate of the chance to win: play on without it")
    chance, error = view.chance()
    return Chance(chance, 1.96 * error)


LEAST_TURN = 0.05
"""A guess that changed the chance by less than this is no turning point."""


@dataclass(frozen=True)
class DuelTurn:
    """A guess in a duel, by the person or the computer, with the person's chance to win before and after it.

    The margin is half a 95% interval of the difference.
    """

    side: Side
    guess: str
    answer: str
    before: float
    after: float
    margin: float


@dataclass(frozen=True)
class DuelReview:
    """The chances of the person in a duel, guess by guess: estimates, none of them with a larger margin than this.

    The turning point is the place of a turn, or None if no single guess changed most.
    """

    turns: list[DuelTurn]
    turning_point: int | None
    margin: float

    @property
    def note(self) -> str:
        """What the figures mean, in sentences for people."""
        return (
            "Estimates of your chance to win from what you could know at each moment, if both guess well from there on."
            f" Their random playouts leave a margin of {points(self.margin)}."
        )

    @property
    def turning_sentence(self) -> str:
        """Which guess was the turning point, in a sentence."""
        if self.turning_point is None:
            return "There was no single turning point."
        turn = self.turns[self.turning_point]
        number = sum(one.side == turn.side for one in self.turns[: self.turning_point + 1])
        whose = "your" if turn.side == "you" else "the computer's"
        went = "rose" if turn.after > turn.before else "fell"
        return (
            f"The turning point was {whose} guess {number}, {turn.guess.upper()}: your chance {went} from "
            f"{chance_words(turn.before)} to {chance_words(turn.after)}."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the review as plain data."""
        turns = [vars(turn) for turn in self.turns]
        return vars(self) | {"turns": turns, "turning_sentence": self.turning_sentence, "note": self.note}


def chance_words(chance: float) -> str:
    """Return a chance as people say it: `57%`; what is not certain is never called 0% or 100%."""
    if 0 < chance < 0.01:
        return "less than 1%"
    if 0.99 < chance < 1:
        return "more than 99%"
    return f"{100 * chance:.0f}%"


def chance_figure(chance: float) -> str:
    """Return the same as short as a table wants it: `57%`, `<1%`."""
    return chance_words(chance).replace("less than ", "<").replace("more than ", ">")


def duel_review_of(match: Match) -> DuelReview | None:
    """Return the review of a match where it is a duel whose chances can be worked out, otherwise None."""
    return review_duel(match) if match.mode == "duel" and match.matchup.may_be_valued else None


def review_duel(match: Match) -> DuelReview:
    """Return how the person's chance to win a duel changed, guess by guess; the duel need not be finished."""
    made: dict[Side, int] = {"you": 0, "computer": 0}
    found = {side: half.game.labels[half.game.found] for side, half in _halves(match).items()}
    before = _chance_after(match, made)
    turns, margin = [], before.margin
    for side, guess, answer in match.in_order:
        made[side] += 1
        ended = answer == found[side]
        after = Chance(float(side == "you"), 0.0, over=True) if ended else _chance_after(match, made)
        margin = max(margin, after.margin)
        change = math.hypot(before.margin, after.margin)
        turns.append(DuelTurn(side, guess, answer, before.chance, after.chance, change))
        before = after
        if ended:
            break  # in a duel of an earlier version a last reply may follow
    return DuelReview(turns, turning_point(turns, match.result), margin)


def recorded_duel(
    matchup: Matchup, yours: HistoryLike, theirs: HistoryLike, secret: str, own: str, begins: Side | None = None
) -> Match:
    """Return a duel that was played elsewhere, by one person against the computer or another person.

    Args:
        matchup: the two halves of the duel.
        yours: the guesses of the person whose chances are wanted, with their answers.
        theirs: the guesses of the other side, with their answers.
        secret: the secret of the other side.
        own: the secret of the person.
        begins: who began; it may be left out where the numbers of guesses tell.

    Raises:
        HistoryError: an answer does not fit a secret, a guess was not allowed, or the turns cannot have been made in
            turn.
    """
    turns: dict[Side, Turns] = {}
    found: dict[Side, bool] = {}
    histories: dict[Side, tuple[Opponent, HistoryLike, str]] = {
        "you": (matchup.hiding, yours, secret),
        "computer": (matchup.guessing, theirs, own),
    }
    words = {}
    for side, (half, history, sought) in histories.items():
        parsed = turns_of(half.game, history, sought)
        words[side], states = states_of(half.game, parsed, sought)
        check_allowed(half.game, parsed, states)
        turns[side] = tuple((half.game.guesses[guess], half.game.labels[answer]) for guess, answer in parsed)
        found[side] = bool(parsed) and parsed[-1][1] == half.game.found
    ahead = len(turns["you"]) - len(turns["computer"])
    order: Side = begins or ("computer" if ahead < 0 or (ahead == 0 and found["you"]) else "you")
    last: Side = "you" if (order == "you") == (ahead != 0) else "computer"
    fits = ahead in ((0, 1) if order == "you" else (0, -1))
    if not fits or any(found[side] and side != last for side in found):
        made = f"{len(turns['you'])} guesses of yours and {len(turns['computer'])} of the other side"
        raise HistoryError(f"{made} are not by turns until one secret was found: check both, and who began")
    result: Result | None = last if found[last] else "given up"
    return Match(
        matchup,
        "duel",
        secret=words["you"],
        own=words["computer"],
        starter=order,
        yours=turns["you"],
        computers=turns["computer"],
        result=result,
    )


def _halves(match: Match) -> dict[Side, Opponent]:
    """Return the half of the match in which each side guesses."""
    return {"you": match.matchup.hiding, "computer": match.matchup.guessing}


def _chance_after(match: Match, made: dict[Side, int]) -> Chance:
    """Return the person's chance after so many guesses of each side, from what the person knew then."""
    earlier = replace(match, yours=match.yours[: made["you"]], computers=match.computers[: made["computer"]])
    return chance_of(earlier.view("you"))


def turning_point(turns: list[DuelTurn], result: Result | None) -> int | None:
    """Return the turn that changed the chance most in favour of the winner; None if no single one did.

    If nobody has won, it is the turn that changed it most. The guess that ended the duel is left out, unless no other
    changed much: everybody knows that it did.
    """
    sign = {"you": 1, "computer": -1}.get(result or "")
    changes = [(turn.after - turn.before) * sign if sign else abs(turn.after - turn.before) for turn in turns]
    for considered in (changes[:-1] if sign else [], changes):
        if considered and max(considered) >= LEAST_TURN:
            place = considered.index(max(considered))
            if all(
                considered[place] - change > math.hypot(turns[place].margin, turns[other].margin)
                for other, change in enumerate(considered)
                if other != place
            ):
                return place if considered[place] > turns[place].margin else None
            return None
    return None
