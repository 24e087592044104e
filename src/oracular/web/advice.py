"""Advice and reviews over the wire: worked out by the library, once for each state that is asked about."""

from __future__ import annotations

from functools import partial

from fastapi.concurrency import run_in_threadpool

from oracular.errors import FinishedGameError, InconsistentHistoryError
from oracular.games.game import Game, History
from oracular.play.advice import WORDS_SHOWN, advise
from oracular.play.contradiction import corrections
from oracular.play.match import Match
from oracular.play.opponent import Opponent
from oracular.play.review import review
from oracular.play.sheet import sheet, symbols_of
from oracular.responses.benchmark import hider_uniform
from oracular.strategies.hider import Hider
from oracular.web.offered import offered_table
from oracular.web.refusals import Refusal
from oracular.web.schemas import (
    MOST_TURNS,
    AdviceView,
    Question,
    ReviewView,
    SheetView,
)
from oracular.web.thinking import Thinker
from oracular.web.visitors import Visitor

SUGGESTIONS = 10


class AdviceDesk:
    """Where advice is given, and remembered by game, hider and state."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker

    async def hint(self, match: Match, who: Visitor) -> AdviceView:
        """Return advice on a match in progress; it follows from the answers so far, whatever the secret is."""
        if match.mode == "hide":
            raise Refusal(409, "you hide in this match and the computer guesses: there is nothing to advise")
        if match.result is not None:
            raise Refusal(409, "the game is over: look at its review")
        opponent = match.table.hiding
        return await self._advice(opponent, opponent.game.parse_history(match.yours), "shipped", who)

    async def suggest(self, question: Question, who: Visitor) -> AdviceView:
        """Return advice on a game that is played elsewhere, or which of its answers may be wrong."""
        opponent, turns = await run_in_threadpool(_read, question)
        game = opponent.game
        if turns and turns[-1][1] == game.found:
            return _nothing_to_advise(game.guesses[turns[-1][0]])
        return await self._advice(opponent, turns, question.hider, who)

    def prepare(self, name: str) -> None:
        """Have the opening advice of a game worked out, and wait for it."""
        opponent = offered_table(name).hiding
        self._thinker.ask((name, "shipped", ()), partial(_advice, opponent, (), "shipped"), patient=True).result()

    async def _advice(self, opponent: Opponent, turns: History, hider: str, who: Visitor) -> AdviceView:
        key = (opponent.game.name, hider, tuple(sorted(set(turns))))  # the order of the turns does not matter
        return await self._thinker.think(key, partial(_advice, opponent, turns, hider), who)


def _read(question: Question) -> tuple[Opponent, History]:
    """Return the game and the history of a question, or say what is wrong with it."""
    opponent = offered_table(question.game).hiding
    game, written = opponent.game, question.history
    turns = game.parse_history(written if isinstance(written, str) else [(t.guess, t.answer) for t in written])
    if len(turns) > MOST_TURNS:
        raise Refusal(422, f"history: there are more than {MOST_TURNS} turns: give fewer")
    try:
        game.possible_after(_written(game, turns))
    except FinishedGameError:
        pass  # as good an end of a history as any
    except InconsistentHistoryError as error:
        wrong = corrections(game, _written(game, turns))
        raise Refusal(422, str(error), corrections=[vars(c) | {"could_be": list(c.could_be)} for c in wrong]) from None
    return opponent, turns


def _written(game: Game, turns: History) -> list[tuple[str, str]]:
    return [(game.guesses[guess], game.labels[answer]) for guess, answer in turns]


def _advice(opponent: Opponent, turns: History, hider: str) -> AdviceView:
    """Return advice at a state, worked out now."""
    game = opponent.game
    against: Hider = opponent.hider if hider == "shipped" else hider_uniform(game)
    advice = advise(game, _written(game, turns), against, count=SUGGESTIONS)
    return AdviceView.model_validate(advice.to_record())


def _nothing_to_advise(word: str) -> AdviceView:
    """Return what there is to say of a game that is over."""
    note = "The game is over: the secret was found."
    return AdviceView(finished=True, left=1, words=[word], suggestions=[], oracle=None, hider=None, note=note)


def sheet_view(match: Match) -> SheetView:
    """Return what the answers of a match prove: of the computer's secret, or, where the person hides, of theirs."""
    game = match.table.guessing.game if match.mode == "hide" else match.table.hiding.game
    turns = match.computers if match.mode == "hide" else match.yours
    try:
        state = sheet(game, turns)
    except InconsistentHistoryError:
        return SheetView(left=0, words=[], symbols=dict.fromkeys(symbols_of(game), "open"))
    return SheetView(left=state.left, words=list(state.words[:WORDS_SHOWN]), symbols=dict(state.symbols))


def review_view(match: Match) -> ReviewView:
    """Return the guesses of a finished match, worked out now: the person's, or the computer's where the person hid."""
    if match.mode == "hide":
        opponent, turns, secret = match.table.guessing, match.computers, match.computers[-1][0]
    else:
        assert match.secret is not None
        opponent, turns, secret = match.table.hiding, match.yours, match.secret
    result = review(opponent.game, turns, secret, opponent.hider)
    return ReviewView.model_validate(result.to_record())
