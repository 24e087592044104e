"""A match between a person and the computer, move by move.

A match is immutable: each move returns a new one. It can be written as plain data (`to_record`) and read back. There
are three modes:

- `guess`: the computer hides a secret drawn from its strategy, and the person guesses.
- `hide`: the person holds a secret in mind and gives the answers. The computer guesses with one oracle drawn at the
  start.
- `duel`: both at once, turn by turn. Whoever finds the other's secret first wins at once: there is no last reply and
  no draw. Who begins is said or drawn; in a series it alternates (`Match.next_begins`). The computer watches both
  sides (`play/duel.py`). The person's secret is used only to answer its guesses: `Match.view` leaves it out.

After each move of the person the computer moves at once, so it is always the person's turn while a match is in
progress. A duel's `result` is then `you`, `computer` or `given up`, and `in_order` has the guesses of both as they
were made.

In Wordle a person who guesses alone has six rows: after six wrong guesses the match is lost. There, and in the daily
game, no guess can be taken back. A person who hides may tell the secret at any time, which ends the match: `told` then
says whether the computer could have found it.

Words that offend are not shown by the computer of its own accord: a secret or a guess of that kind is drawn again.

Where the computer hides, the match has a commitment from the start: the SHA-256 hash of a random salt and the secret.
The salt is shown with the secret once the match is over, so anybody can check that the secret was never changed.

The daily game has one secret for everybody on one day, which does not come again within a year. Secrets are drawn from
the hider's strategy, with a seed that follows from the date alone, so the daily game is the same wherever this version
of the package plays it. Years are counted as 366 days from day 1 of the calendar. The secrets are dealt into two
halves, which take turns year by year, and a year's secrets are drawn from its half without putting any back: so it
takes more than a year until a secret can come again, and nothing of earlier years has to be remembered. If a game has
too few secrets for that, all of them come in turn, always in the same order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from oracular.errors import HistoryError, MoveError
from oracular.games.game import Game
from oracular.games.offensive import is_offensive
from oracular.play.deductions import (
    Correction,
    Told,
    answer_to,
    corrections,
    is_consistent,
    telling_word,
    told_secret,
    unlisted_words,
)
from oracular.play.duel import DuelView, duel_guess, duel_half
from oracular.play.duel_model import Turns
from oracular.play.opponent import MODES, Matchup, Mode, Opponent, matchup_by_name, presentable_guess
from oracular.play.wording import DEFAULT_GAME
from oracular.strategies.hider import Hider, draw_index
from oracular.system.files import quoted

Side: TypeAlias = Literal["you", "computer"]
Result: TypeAlias = Literal["found", "you", "computer", "given up", "lost", "told"]
Task: TypeAlias = Literal["guess", "answer", "amend"]


@dataclass(frozen=True)
class Match:
    """Where a match stands.

    Attributes:
        secret: the computer's secret (guess, duel).
        own: the person's secret (duel; in `hide` once it was told).
        draw: the seed that fixes which oracle of its mixture the computer drew (hide, duel).
        starter: who begins (duel).
        yours: the person's guesses and their answers.
        computers: the computer's guesses and their answers.
        pending: the computer's guess that waits for an answer (hide).
        result: how the match ended, or None while it is in progress.
        undone: how many moves were taken back.
        daily: the date of the daily game that this is, like `2026-11-16`; None for any other match.
        salt: random text that is hashed with the secret; None where the computer hides nothing, and in a match of an
            earlier version.
    """

    matchup: Matchup
    mode: Mode
    secret: str | None = None
    own: str | None = None
    draw: int | None = None
    starter: Side | None = None
    yours: Turns = ()
    computers: Turns = ()
    pending: str | None = None
    result: Result | None = None
    undone: int = 0
    daily: str | None = None
    salt: str | None = None

    @property
    def opening(self) -> str | None:
        """The text that the commitment is the hash of: salt, space, secret. It is secret until the match is over."""
        return None if self.salt is None or self.secret is None else f"{self.salt} {self.secret}"

    @property
    def commitment(self) -> str | None:
        """The SHA-256 hash of `opening`, in hexadecimal; it does not change while the match is played."""
        return None if self.opening is None else hashlib.sha256(self.opening.encode()).hexdigest()

    @property
    def to_move(self) -> Task | None:
        """What the person has to do next; None where the match is over."""
        if self.result is not None:
            return None
        if self.mode != "hide":
            return "guess"
        return "amend" if self.pending is None else "answer"

    @property
    def next_begins(self) -> Side:
        """Who begins the next duel of the same players: the other one."""
        return "computer" if self.starter == "you" else "you"

    @property
    def in_order(self) -> list[tuple[Side, str, str]]:
        """The guesses of both sides of a duel in the order of play: who guessed, what, and the answer."""
        sides: list[Side] = ["you", "computer"] if self.starter == "you" else ["computer", "you"]
        turns = {"you": self.yours, "computer": self.computers}
        rounds = zip_longest(*(turns[side] for side in sides))
        return [(side, *turn) for both in rounds for side, turn in zip(sides, both, strict=True) if turn]

    def view(self, side: Side) -> DuelView:
        """Return what one side of a duel knows while it is in progress: the other's secret is not in it."""
        seeking, sought = duel_half(self.matchup.hiding, begins=self.starter == "computer"), self.matchup.guessing
        turns, others, own = self.yours, self.computers, self.own
        if side == "computer":
            seeking, sought, turns, others, own = sought, seeking, others, turns, self.secret
        if self.mode != "duel" or own is None:
            raise MoveError("only a duel is seen from two sides: begin one")
        return DuelView(seeking, sought, turns, others, own, begins=self.starter == side)

    @property
    def main_half(self) -> tuple[Opponent, Turns]:
        """The opponent and the guesses that sheets and reviews are about: the person's, or in `hide` the computer's.

        In a duel the opponent hides as it does there.
        """
        if self.mode == "hide":
            return self.matchup.guessing, self.computers
        if self.mode == "duel":
            return self.view("you").seeking, self.yours
        return self.matchup.hiding, self.yours

    @property
    def rows(self) -> int | None:
        """How many guesses the person has; None where there is no such limit."""
        return self.matchup.rows if self.mode == "guess" else None

    @property
    def told(self) -> Told | None:
        """Whether the computer could have found the secret that was told (hide); None where none was."""
        if self.result != "told" or self.own is None:
            return None
        return told_secret(self.matchup.guessing.game, self.computers, self.own)

    @property
    def contradiction(self) -> list[Correction]:
        """The answers that may be the mistake, where the person's answers contradict each other."""
        return corrections(self.matchup.guessing.game, self.computers) if self.to_move == "amend" else []

    @property
    def unlisted(self) -> list[str]:
        """The words that no one hides here and that give all the person's answers, where no secret does."""
        return unlisted_words(self.matchup.guessing.game, self.computers) if self.to_move == "amend" else []

    def guess(self, word: str) -> Match:
        """Return the match after the person's guess and, in a duel, the computer's turn.

        A guess that the game does not allow is a `HistoryError` that says why, and changes nothing.
        """
        self._expect("guess")
        game = self.matchup.hiding.game
        assert self.secret is not None
        word = game.guesses[game.guess_index(word)]
        check_allowed(game, self.yours, word)
        after = replace(self, yours=(*self.yours, (word, answer_to(self.matchup.hiding.game, word, self.secret))))
        if self.mode == "guess":
            lost = self.rows is not None and len(after.yours) >= self.rows
            return replace(after, result="found" if after._you_found else "lost" if lost else None)
        return replace(after, result="you") if after._you_found else after._computer_turn()

    def answer(self, label: str) -> Match:
        """Return the match after the person's answer to the computer's guess."""
        self._expect("answer")
        assert self.pending is not None
        game = self.matchup.guessing.game
        label = _label(game, self.pending, label)
        after = replace(self, computers=(*self.computers, (self.pending, label)), pending=None)
        return after._continue()

    def amend(self, turn: int, label: str) -> Match:
        """Return the match with another answer to one of the computer's guesses, which are counted from 0."""
        if self.mode != "hide" or self.result is not None or not 0 <= turn < len(self.computers):
            raise MoveError(f"there is no answer {turn + 1} to change: change one that you gave")
        game = self.matchup.guessing.game
        label = _label(game, self.computers[turn][0], label)
        if label == game.labels[game.found] and turn < len(self.computers) - 1:
            raise MoveError(
                f"{quoted(label)} would have ended the game at guess {turn + 1}: undo the turns after it first"
            )
        changed = (*self.computers[:turn], (self.computers[turn][0], label), *self.computers[turn + 1 :])
        return replace(self, computers=changed, pending=None)._continue()

    @property
    def guesses_count(self) -> bool:
        """Whether each guess counts, so that none is taken back: in the daily game, and where rows are limited."""
        return self.daily is not None or self.rows is not None

    @property
    def may_undo(self) -> bool:
        """Whether there is a move that may be taken back now."""
        return self.result is None and not self.guesses_count and bool(self._moves)

    @property
    def _moves(self) -> Turns:
        """The guesses with which the person's moves, guesses or answers, were made."""
        return self.computers if self.mode == "hide" else self.yours

    def undo(self) -> Match:
        """Return the match with the person's last guess or answer taken back."""
        self._require_open()
        if self.guesses_count:
            where = "the daily game" if self.rows is None else f"a game of {self.rows} guesses"
            raise MoveError(f"each guess counts in {where}, so none can be taken back: guess on, or give up")
        if not self._moves:
            raise MoveError("there is no move to take back: make one first")
        before = replace(self, undone=self.undone + 1)
        if self.mode == "hide":
            earlier, (guess, _) = self.computers[:-1], self.computers[-1]
            # an earlier answer that was amended may still contradict the others
            consistent = is_consistent(self.matchup.guessing.game, earlier)
            return replace(before, computers=earlier, pending=guess if consistent else None)
        return replace(before, yours=self.yours[:-1], computers=self.computers[:-1])

    def give_up(self) -> Match:
        """Return the match after the person has given up."""
        self._require_open()
        return replace(self, pending=None, result="given up")

    def tell(self, word: str) -> Match:
        """Return the match after the person who hides has told the secret; it need not be one that the game has."""
        self._require_open()
        if self.mode != "hide":
            raise MoveError("only a person who hides can tell the secret: guess on, or give up")
        word = telling_word(self.matchup.guessing.game, word)
        return replace(self, own=word, pending=None, result="told")

    def to_record(self) -> dict[str, Any]:
        """Return the match as plain data, without the matchup."""
        kept = {key: value for key, value in vars(self).items() if key != "matchup"}
        return kept | {
            "yours": [list(turn) for turn in self.yours],
            "computers": [list(turn) for turn in self.computers],
        }

    @classmethod
    def from_record(cls, matchup: Matchup, record: dict[str, Any]) -> Match:
        """Return the match that `to_record` wrote.

        In earlier versions a duel gave both sides equal turns. One in progress goes on by the rule of today; one that
        ended in a draw is refused. A game of the same name may have had other words then, or other rules: a match in
        which there is a word that the game does not have, or a guess of the person's that it does not allow, is a
        `HistoryError`.
        """
        turns = {key: tuple((guess, answer) for guess, answer in record[key]) for key in ("yours", "computers")}
        _check_words(matchup, record, turns)
        if record["mode"] == "duel":
            record = record | {"result": _result_by_rule(matchup, record, turns)}
        match = cls(matchup, **(record | turns))
        if not (_has_valid_fields(match) and _has_true_answers(match) and _has_valid_result(match)):
            raise HistoryError("this match was changed after it was saved: begin a new one")
        return match

    @property
    def _you_found(self) -> bool:
        return _has_found(self.matchup.hiding.game, self.yours)

    @property
    def _computer_found(self) -> bool:
        return _has_found(self.matchup.guessing.game, self.computers)

    def _require_open(self) -> None:
        """Raise `MoveError` where the match is over."""
        if self.result is not None:
            raise MoveError("the game is over: begin a new one")

    def _expect(self, task: Task) -> None:
        """Raise `MoveError` unless this is what the person has to do next."""
        self._require_open()
        if self.to_move == task:
            return
        if self.to_move == "amend":
            raise MoveError("your answers contradict each other: change one of them, or undo the last")
        remedy = "guess a word" if self.to_move == "guess" else f"answer {quoted(self.pending)}"
        raise MoveError(f"you cannot {task} now: {remedy}")

    def _computer_turn(self) -> Match:
        """Return the match after the computer's turn in a duel; the person's secret gives the answer and no more."""
        assert self.own is not None and self.draw is not None
        guess = duel_guess(self.view("computer"), self.draw)
        answer = answer_to(self.matchup.guessing.game, guess, self.own)
        after = replace(self, computers=(*self.computers, (guess, answer)))
        return replace(after, result="computer") if after._computer_found else after

    def _computer_guess(self) -> str:
        """Return the computer's next guess where it guesses alone: that of its oracle after the answers so far."""
        game, guesser = self.matchup.guessing.game, self.matchup.guessing.guesser
        possible = game.possible_after(self.computers, only_allowed=False)  # an answer may have been amended
        demand = game.demand_after(game.parse_history(self.computers))
        assert self.draw is not None
        return game.guesses[presentable_guess(game, guesser, possible, self.draw, demand)]

    def _continue(self) -> Match:
        """Return the match with the computer's next guess, or ended if it has found the secret.

        Where the answers contradict each other the match is returned as it is: the person has to amend one.
        """
        if not is_consistent(self.matchup.guessing.game, self.computers):
            return self
        if self._computer_found:
            return replace(self, result="found")
        return replace(self, pending=self._computer_guess())


def _label(game: Game, guess: str, given: str) -> str:
    """Return an answer as the game writes it; all letters in common end the game if no other secret has them."""
    return game.labels[game.counted_as_found(game.guess_index(guess), game.answer_index(given))[1]]


def _check_words(matchup: Matchup, record: dict[str, Any], turns: dict[str, Turns]) -> None:
    """Raise `HistoryError` where a match that was stored has words or guesses that its game does not take."""
    game, sought = matchup.hiding.game, matchup.guessing.game
    sought.parse_history(turns["computers"])
    hidden = [(game, record["secret"])] if record["secret"] is not None else []
    for where, word in [*hidden, *([(sought, record["own"])] if record["mode"] == "duel" else [])]:
        if where.secret_of_guess[where.guess_index(word)] < 0:
            raise HistoryError(f"{quoted(word)} may not be hidden in {where.name}: begin a new match")
    game.parse_history(turns["yours"])
    for number, (guess, _) in enumerate(turns["yours"] if not game.guessing.is_any else ()):
        check_allowed(game, turns["yours"][:number], guess)


def _has_valid_fields(match: Match) -> bool:
    """Return whether each field of a match that was stored has a value that the moves of a game can give it.

    A date that is not one is a `ValueError`.
    """
    texts = (match.secret, match.own, match.pending, match.daily, match.salt)
    turns = (*match.yours, *match.computers)
    needs_no_draw = match.draw is None and (match.mode == "guess" or match.result is not None)
    starters: tuple[Side | None, ...] = get_args(Side) if match.mode == "duel" else (None,)
    return (
        match.mode in MODES
        and match.starter in starters
        and match.result in (None, *get_args(Result))
        and all(isinstance(text, str | None) for text in texts)
        and all(isinstance(guess, str) and isinstance(answer, str) for guess, answer in turns)
        and not (match.computers if match.mode == "guess" else match.yours if match.mode == "hide" else ())
        and (match.secret is None) == (match.mode == "hide")
        and (match.own is None) == (match.mode == "guess" or (match.mode == "hide" and match.result != "told"))
        and (match.daily is None or (match.mode == "guess" and date.fromisoformat(match.daily) is not None))
        and (match.pending is None or (match.mode == "hide" and match.pending in match.matchup.guessing.game.guesses))
        and (needs_no_draw or (type(match.draw) is int and 0 <= match.draw < 2**62))
        and type(match.undone) is int
        and match.undone >= 0
    )


def _has_true_answers(match: Match) -> bool:
    """Return whether the answers of a match that was stored are those of its secrets; a person's own are not known."""
    halves = [(match.matchup.hiding.game, match.yours, match.secret)]
    halves += [(match.matchup.guessing.game, match.computers, match.own)] if match.mode == "duel" else []
    return all(
        secret is None or all(answer == answer_to(game, guess, secret) for guess, answer in turns)
        for game, turns, secret in halves
    )


def _has_valid_result(match: Match) -> bool:
    """Return whether a match that was stored has ended as its guesses say, or was ended by the person."""
    sides: tuple[tuple[Game, Turns, Result], ...] = (
        (match.matchup.hiding.game, match.yours, "you" if match.mode == "duel" else "found"),
        (match.matchup.guessing.game, match.computers, "computer" if match.mode == "duel" else "found"),
    )
    if any(_has_found(game, turns[: end + 1]) for game, turns, _ in sides for end in range(len(turns) - 1)):
        return False
    ended = [result for game, turns, result in sides if _has_found(game, turns)]
    if ended:
        return [match.result] == ended
    ends: dict[Mode, Result] = {"guess": "lost", "hide": "told"}
    return match.result in (None, "given up", ends.get(match.mode))


def _result_by_rule(matchup: Matchup, record: dict[str, Any], turns: dict[str, Turns]) -> Result | None:
    """Return the result of a duel that was stored: a computer that has found the secret has won at once."""
    if record["result"] == "draw":
        raise MoveError("this duel ended in a draw, as it could in an earlier version: begin a new one")
    if record["result"] is None and _has_found(matchup.guessing.game, turns["computers"]):
        return "computer"
    return cast("Result | None", record["result"])


def _has_found(game: Game, turns: Turns) -> bool:
    """Return whether the last guess found the secret."""
    return bool(turns) and turns[-1][1] == game.labels[game.found]


def check_allowed(game: Game, turns: Turns, word: str) -> None:
    """Raise `HistoryError` where the game does not allow a guess after these turns; it says why."""
    if game.guessing.is_any:
        return
    possible = game.possible_after(turns, only_allowed=False)
    if against := game.reason_against(game.guess_index(word), game.parse_history(turns), possible):
        raise HistoryError(against)


def drawn_beginner(rng: np.random.Generator) -> Side:
    """Return who begins a duel, by lot: the first draw of a new match."""
    return "you" if rng.integers(2) else "computer"


def new_match(
    matchup: Matchup,
    mode: Mode,
    own: str | None = None,
    rng: np.random.Generator | None = None,
    daily: str | None = None,
    begins: Side | None = None,
) -> Match:
    """Return a new match; the person's `own` secret is given in a duel and only there.

    The computer's secret and its oracle are drawn, by default unpredictably, and so is who begins a duel where that is
    not given. The date of a daily game is noted in the match.
    """
    rng = rng or np.random.default_rng()
    if begins not in (None, *get_args(Side)):
        raise MoveError(f"{quoted(begins)} cannot begin: choose one of {', '.join(get_args(Side))}")
    if mode not in MODES:
        raise MoveError(f"{quoted(mode)} is not a way to play: choose one of {', '.join(MODES)}")
    if (own is not None) != (mode == "duel"):
        raise MoveError("a duel needs your secret, and no other way to play takes one: give it in a duel only")
    if begins is not None and mode != "duel":
        raise MoveError("only in a duel either side can begin: say who begins in a duel only")
    match = Match(matchup, mode, daily=daily)
    if mode == "guess":
        return replace(match, secret=matchup.hiding.hider.draw(rng), salt=_drawn_salt(rng))
    if mode == "hide":
        return replace(match, draw=int(rng.integers(2**62)))._continue()
    assert own is not None
    game = matchup.guessing.game
    index = game.guess_index(own)
    if game.secret_of_guess[index] < 0:
        raise HistoryError(f"{quoted(own)} may be guessed but not hidden in {game.name}: hide one of its secrets")
    drawn = drawn_beginner(rng)
    starter = begins or drawn
    match = replace(
        match,
        own=game.guesses[index],
        starter=starter,
        secret=duel_half(matchup.hiding, begins=starter == "computer").hider.draw(rng),
        draw=int(rng.integers(2**62)),
        salt=_drawn_salt(rng),
    )
    return match._computer_turn() if starter == "computer" else match


def _drawn_salt(rng: np.random.Generator) -> str:
    """Return 128 random bits: too many to try, so the commitment does not give the secret away."""
    return rng.bytes(16).hex()


YEAR = 366
"""How many days have different secrets, at least, in a game that has as many."""


def today() -> date:
    """Return the date at Greenwich, so that the daily game is the same everywhere."""
    return datetime.now(UTC).date()


def daily_match(day: date, matchup: Matchup | None = None) -> Match:
    """Return the daily game of a date, of which nothing is played yet."""
    matchup = matchup or matchup_by_name(DEFAULT_GAME)
    salt = hashlib.sha256(f"the salt of the daily game of {day.isoformat()}".encode()).hexdigest()[:32]
    return Match(matchup, "guess", secret=_secret_of(matchup.hiding.hider, day), daily=day.isoformat(), salt=salt)


def _secret_of(hider: Hider, day: date) -> str:
    """Return the daily secret of a date."""
    weighted = [place for place, weight in enumerate(hider.weights) if weight]
    places = [place for place in weighted if not is_offensive(hider.game.secrets[place])] or weighted
    chances = tuple((hider.game.secrets[place], int(hider.weights[place])) for place in places)
    if len(places) < 2 * YEAR:
        return _drawn(chances, len(places), 0)[day.toordinal() % len(places)]
    year, number = divmod(day.toordinal(), YEAR)
    return _drawn(chances[year % 2 :: 2], YEAR, year)[number]


@lru_cache(maxsize=8)
def _drawn(chances: tuple[tuple[str, int], ...], count: int, year: int) -> list[str]:
    """Return the secrets of a year in order, drawn by weight and without repeats."""
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(f"the daily games of {year}".encode()).digest()[:16]))
    left, weights = [word for word, _ in chances], [weight for _, weight in chances]
    secrets = []
    for _ in range(count):
        drawn = draw_index(weights, rng)
        weights.pop(drawn)
        secrets.append(left.pop(drawn))
    return secrets
