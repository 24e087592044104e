"""Advice, sheets and reviews as replies; advice is computed once for each state and cached."""

from __future__ import annotations

from functools import partial

from fastapi.concurrency import run_in_threadpool

from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError
from oracular.games.game import Game, History
from oracular.games.offensive import inoffensive
from oracular.objectives import objective
from oracular.play.advice import NOT_TO_BE_FIRST, WORDS_SHOWN, advise
from oracular.play.aims import check_aim
from oracular.play.chances import winning_chance
from oracular.play.deductions import corrections, sheet, symbols_of, unlisted_words
from oracular.play.duel_review import duel_review_of
from oracular.play.match import Match
from oracular.play.opponent import Opponent
from oracular.play.review import review
from oracular.strategies.hider import hider_uniform
from oracular.web.catalogue import listed_matchup
from oracular.web.errors import RequestError
from oracular.web.schemas import MAX_TURNS, AdviceView, ChanceView, ReviewView, SheetView, SuggestRequest
from oracular.web.visitors import Visitor
from oracular.web.workers import WorkerPool

SUGGESTIONS = 10


class AdviceService:
    """Advice that is computed on worker threads and cached by game, hider and state."""

    def __init__(self, workers: WorkerPool) -> None:
        self._workers = workers

    async def hint(self, match: Match, visitor: Visitor) -> AdviceView:
        """Return advice on a match in progress; it follows from the answers alone, whatever the secret is."""
        if match.mode == "hide":
            raise RequestError(409, "you hide in this match and the computer guesses: there is nothing to advise")
        if match.result is not None:
            raise RequestError(409, "the game is over: look at its review")
        opponent, turns = match.main_half
        view = await self._advice(opponent, opponent.game.parse_history(turns), _hiding(match), visitor)
        return view.model_copy(update={"note": f"{view.note} {NOT_TO_BE_FIRST}"}) if match.mode == "duel" else view

    async def chance(self, match: Match, visitor: Visitor) -> ChanceView:
        """Return how likely the person is to win a duel in progress; it follows from what the person may know."""
        if match.mode != "duel":
            raise RequestError(409, "only a duel is won or lost: there is no chance to tell of")
        if match.result is not None:
            raise RequestError(409, "the game is over: look at its review")
        key = ("chance", match.matchup.game.name, match.own, match.starter, match.yours, match.computers)
        return await self._workers.run(key, partial(_chance, match), visitor)

    async def suggest(self, request: SuggestRequest, visitor: Visitor) -> AdviceView:
        """Return advice on a game that is played elsewhere; raise an error where its answers contradict each other."""
        opponent, turns, finished = await run_in_threadpool(_parse, request)
        game = opponent.game
        if finished:
            word, note = game.guesses[turns[-1][0]], "The game is over: the secret was found."
            return AdviceView(
                finished=True, left=1, words=[word], objective=request.objective, suggestions=[], note=note
            )
        check_aim(objective(request.objective, game), len(turns))
        return await self._advice(opponent, turns, request.hider, visitor, request.objective)

    def prepare(self, name: str) -> None:
        """Compute the opening advice of a game, and wait for it."""
        opponent = listed_matchup(name).hiding
        self._workers.submit((name, "shipped", ()), partial(_compute, opponent, (), "shipped"), always=True).result()

    async def _advice(
        self, opponent: Opponent, turns: History, hider: str, visitor: Visitor, aim: str = "mean"
    ) -> AdviceView:
        key: tuple[object, ...] = (opponent.game.name, hider, tuple(sorted(set(turns))))  # their order does not matter
        if aim != "mean":
            key = (*key, aim, len(turns))
        return await self._workers.run(key, partial(_compute, opponent, turns, hider, aim), visitor)


def _hiding(match: Match) -> str:
    """Return how the computer hides in a match, as a part of the key of advice."""
    return f"duel that {match.starter} began" if match.mode == "duel" else "shipped"


def _parse(request: SuggestRequest) -> tuple[Opponent, History, bool]:
    """Return the opponent and the history of a request for advice, and whether the game is over.

    If they make no sense, an error is raised.
    """
    opponent = listed_matchup(request.game).hiding
    game, given = opponent.game, request.history
    try:
        turns = game.parse_history(given if isinstance(given, str) else [(turn.guess, turn.answer) for turn in given])
    except HistoryError as error:
        raise RequestError(422, str(error)) from None
    if len(turns) > MAX_TURNS:
        raise RequestError(422, f"history: there are more than {MAX_TURNS} turns: give fewer")
    try:
        game.possible_after(_as_text(game, turns))
    except FinishedGameError:
        return opponent, turns, True
    except InconsistentHistoryError as error:
        if unlisted_words(game, _as_text(game, turns)):
            return opponent, turns, turns[-1][1] == game.found
        wrong = [vars(correction) for correction in corrections(game, _as_text(game, turns))]
        raise RequestError(422, str(error), corrections=wrong) from None
    return opponent, turns, False


def _as_text(game: Game, turns: History) -> list[tuple[str, str]]:
    return [(game.guesses[guess], game.labels[answer]) for guess, answer in turns]


def _compute(opponent: Opponent, turns: History, hider: str, aim: str = "mean") -> AdviceView:
    """Return advice at a state."""
    game = opponent.game
    assumed = hider_uniform(game) if hider == "uniform" else opponent.hider
    advice = advise(game, _as_text(game, turns), assumed, SUGGESTIONS, aim)
    return AdviceView.model_validate(advice.to_record())


def _chance(match: Match) -> ChanceView:
    return ChanceView.model_validate(winning_chance(match).to_record())


def sheet_view(match: Match) -> SheetView:
    """Return what the answers of a match prove of the computer's secret or, where the person hides, of theirs."""
    opponent, turns = match.main_half
    try:
        state = sheet(opponent.game, turns)
    except InconsistentHistoryError:
        return SheetView(left=0, words=[], symbols=dict.fromkeys(symbols_of(opponent.game), "open"))
    return SheetView(left=state.left, words=inoffensive(state.words)[:WORDS_SHOWN], symbols=dict(state.symbols))


def review_view(match: Match) -> ReviewView:
    """Return the review of a finished match: of the person's guesses or, where the person hid, of the computer's."""
    opponent, turns = match.main_half
    result = review(opponent.game, turns, match.secret, opponent.hider, only_allowed=match.mode != "hide")
    duel = duel_review_of(match)
    return ReviewView.model_validate(result.to_record() | {"duel": None if duel is None else duel.to_record()})
