"""The HTTP interface, route by route; the work behind each route is done elsewhere.

Moves are plain functions, which FastAPI runs on threads of its own. What takes longer is handed to a `WorkerPool`. So
are the moves of a duel, in which the computer works out the chances of both sides.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from oracular.play.match import Match
from oracular.play.wording import DEFAULT_GAME, check_word
from oracular.web import advice, matches, schemas
from oracular.web.catalogue import TITLES, game_card, listed_matchup, word_note
from oracular.web.errors import RequestError
from oracular.web.matches import MatchAccess
from oracular.web.schemas import MatchView, Move, error_responses
from oracular.web.settings import Settings
from oracular.web.store import Store
from oracular.web.visitors import Visitor, visitor_of
from oracular.web.workers import WorkerPool

COOKIE = "oracular"
YEAR = 365 * 24 * 3600

LOG = logging.getLogger("oracular.web")
LEADERBOARD_SECONDS = 600.0
"""How long a leaderboard that could not be worked out is not tried again."""

HEALTH_SECONDS = 1.0
"""How long `/api/health` waits for the database."""


@dataclass(eq=False)
class Services:
    """What the routes of one server share.

    Attributes:
        background: a thread for slow work that no request waits for.
        counter: a thread that counts the matches, so that `/api/health` does not wait for other requests.
        count: the latest count of matches, perhaps still to come.
        failures: when the leaderboard of a game could not be worked out, on the clock of the settings.
        stopping: set once the server is to stop.
    """

    settings: Settings
    store: Store
    workers: WorkerPool
    background: WorkerPool
    counter: ThreadPoolExecutor
    count: asyncio.Future[int] | None = None
    ready: bool = False
    failures: dict[str, float] = field(default_factory=dict)
    stopping: threading.Event = field(default_factory=threading.Event)

    def leaderboard(self, game: str) -> Future[schemas.LeaderboardView] | None:
        """Return a future for who beats whom in a game; None for a while after it could not be worked out."""
        failed = self.failures.get(game)
        if failed is not None and self.settings.clock() < failed + LEADERBOARD_SECONDS:
            return None
        return self.background.submit(("leaderboard", game), partial(self._work_out, game), always=True)

    def _work_out(self, game: str) -> schemas.LeaderboardView:
        """Return who beats whom; where that fails, log why and note when, so that nobody waits for it."""
        try:
            view = advice.leaderboard_view(game, self.settings.runs)
        except Exception:
            self.failures[game] = self.settings.clock()
            LOG.exception("the leaderboard of %s could not be worked out", game)
            raise
        self.failures.pop(game, None)
        return view

    def stop(self) -> None:
        """Refuse everybody who waits for something that takes a while."""
        self.stopping.set()
        self.workers.stop()
        self.background.stop()


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


async def _visitor(request: Request) -> Visitor:
    services: Services = request.app.state.services
    token = request.cookies.get(COOKIE)
    return visitor_of(request.client, token if matches.is_token(token) else None, services.settings)


ServicesDep = Annotated[Services, Depends(_services)]
VisitorDep = Annotated[Visitor, Depends(_visitor)]
MatchId = Annotated[str, Path(description="The address of a match.", max_length=200)]
WordText = Annotated[str, Path(description="A word or code.", max_length=schemas.LONGEST_WORD)]
GameName = Annotated[str, Path(description="The name of a game.", max_length=200)]

LOOK_ERRORS = error_responses(404, 409, 413, 422, 503)
MOVE_ERRORS = error_responses(403, 404, 408, 409, 413, 415, 422, 503)

router = APIRouter(prefix="/api")


@router.get("/games", responses=error_responses(413))
def games() -> schemas.GameList:
    """Return the games that can be played."""
    return schemas.GameList(games=[game_card(name) for name in TITLES])


@router.get("/games/{game}/words/{word}", responses=error_responses(404, 413, 422))
def word(game: GameName, word: WordText) -> schemas.WordView:
    """Return whether a word may be guessed and hidden in a game, and if not, why."""
    check = check_word(listed_matchup(game), word)
    return schemas.WordView(word=check.word, may_guess=check.may_guess, may_hide=check.may_hide, note=word_note(check))


@router.get("/daily", responses=error_responses(413))
def daily(services: ServicesDep) -> schemas.DailyView:
    """Return the daily game of today; it is begun as a match with `daily`."""
    return schemas.DailyView(date=services.settings.today().isoformat(), game=game_card(DEFAULT_GAME))


@router.get("/health", responses=error_responses(413, 503))
async def health(services: ServicesDep) -> schemas.Health:
    """Return how many matches the server keeps, or what is wrong with it."""
    if services.count is None or services.count.done():
        services.count = asyncio.get_running_loop().run_in_executor(services.counter, services.store.count)
    try:
        count = await asyncio.wait_for(asyncio.shield(services.count), HEALTH_SECONDS)
    except TimeoutError:
        raise RequestError(503, "the database does not answer: check its disk") from None
    return schemas.Health(matches=count, most_matches=services.settings.max_matches, ready=services.ready)


@router.post("/matches", status_code=201, responses=error_responses(403, 404, 408, 413, 415, 422, 429, 503))
async def begin(
    body: schemas.NewMatch, request: Request, response: Response, services: ServicesDep, visitor: VisitorDep
) -> MatchView:
    """Begin a match, or the daily game; the browser that begins it is its owner."""
    owner = matches.new_token() if visitor.token is None else visitor.token
    start = partial(_begun, services, body, owner, visitor.address)
    if body.mode == "duel":
        access = await services.workers.run(object(), start, visitor, is_move=True)
    else:
        access = await run_in_threadpool(start)
    secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
    response.set_cookie(COOKIE, owner, max_age=YEAR, path="/", httponly=True, samesite="strict", secure=secure)
    return access.view


def _begun(services: Services, body: schemas.NewMatch, owner: str, address: str | None) -> MatchAccess:
    if body.daily:
        return matches.begin_daily(services.store, services.settings.today(), owner, address)
    assert body.game is not None and body.mode is not None  # as the schema makes sure
    return matches.begin(services.store, body.game, body.mode, body.word, owner, address, body.begins)


@router.get("/matches/{match_id}", responses=LOOK_ERRORS)
def look(match_id: MatchId, services: ServicesDep, visitor: VisitorDep) -> MatchView:
    """Return a match as this browser may see it."""
    return matches.look(services.store, match_id, visitor.token).view


@router.get("/matches/{match_id}/game", responses=LOOK_ERRORS)
def game_of_match(match_id: MatchId, services: ServicesDep, visitor: VisitorDep) -> schemas.GameCard:
    """Return the description of a match's game, with the words that the match is played with."""
    return matches.look(services.store, match_id, visitor.token).card


def _move(
    services: Services, match_id: str, visitor: Visitor, move: Move | None, to: Callable[[Match], Match]
) -> MatchView:
    access = matches.look(services.store, match_id, visitor.token)
    return matches.move(services.store, access, move.version if move else None, to).view


@router.post("/matches/{match_id}/guess", responses=error_responses(429) | MOVE_ERRORS)
async def guess(match_id: MatchId, body: schemas.Guess, services: ServicesDep, visitor: VisitorDep) -> MatchView:
    """Guess a word (guess, duel)."""

    def guessed(access: MatchAccess) -> MatchView:
        return matches.move(services.store, access, body.version, lambda match: match.guess(body.guess)).view

    def guessed_at_once() -> MatchView | MatchAccess:
        access = matches.look(services.store, match_id, visitor.token)
        return access if access.is_owner and access.match.mode == "duel" else guessed(access)

    made = await run_in_threadpool(guessed_at_once)
    if isinstance(made, MatchView):
        return made
    return await services.workers.run(object(), partial(guessed, made), visitor, is_move=True)


@router.post("/matches/{match_id}/answer", responses=MOVE_ERRORS)
def answer(match_id: MatchId, body: schemas.Answer, services: ServicesDep, visitor: VisitorDep) -> MatchView:
    """Answer the computer's guess (hide)."""
    return _move(services, match_id, visitor, body, lambda match: match.answer(body.answer))


@router.post("/matches/{match_id}/amend", responses=MOVE_ERRORS)
def amend(match_id: MatchId, body: schemas.Amendment, services: ServicesDep, visitor: VisitorDep) -> MatchView:
    """Change an earlier answer (hide)."""
    return _move(services, match_id, visitor, body, lambda match: match.amend(body.turn, body.answer))


@router.post("/matches/{match_id}/undo", responses=MOVE_ERRORS)
def undo(match_id: MatchId, services: ServicesDep, visitor: VisitorDep, body: Move | None = None) -> MatchView:
    """Take the last move back."""
    return _move(services, match_id, visitor, body, lambda match: match.undo())


@router.post("/matches/{match_id}/tell", responses=MOVE_ERRORS)
def tell(match_id: MatchId, body: schemas.Telling, services: ServicesDep, visitor: VisitorDep) -> MatchView:
    """Tell the word that you had in mind, which ends the match (hide)."""
    return _move(services, match_id, visitor, body, lambda match: match.tell(body.word))


@router.post("/matches/{match_id}/give-up", responses=MOVE_ERRORS)
def give_up(match_id: MatchId, services: ServicesDep, visitor: VisitorDep, body: Move | None = None) -> MatchView:
    """End the match and see the secret."""
    return _move(services, match_id, visitor, body, lambda match: match.give_up())


@router.get("/matches/{match_id}/sheet", responses=LOOK_ERRORS)
def sheet(match_id: MatchId, services: ServicesDep, visitor: VisitorDep) -> schemas.SheetView:
    """Return what the answers so far prove."""
    return advice.sheet_view(matches.look(services.store, match_id, visitor.token).match)


@router.get("/matches/{match_id}/hint", responses=error_responses(403, 429) | LOOK_ERRORS)
async def hint(match_id: MatchId, services: ServicesDep, visitor: VisitorDep) -> schemas.AdviceView:
    """Return what to guess next; for the owner alone."""
    access = await run_in_threadpool(matches.look, services.store, match_id, visitor.token)
    access.require_owner()
    return await advice.hint(services.workers, access.match, visitor)


@router.get("/matches/{match_id}/chance", responses=error_responses(403, 429) | LOOK_ERRORS)
async def chance(match_id: MatchId, services: ServicesDep, visitor: VisitorDep) -> schemas.ChanceView:
    """Return how likely you are to win a duel in progress, an estimate; for the owner alone."""
    access = await run_in_threadpool(matches.look, services.store, match_id, visitor.token)
    access.require_owner()
    return await advice.chance(services.workers, access.match, visitor)


@router.get("/matches/{match_id}/review", responses=error_responses(429) | LOOK_ERRORS)
async def review(match_id: MatchId, services: ServicesDep, visitor: VisitorDep) -> schemas.ReviewView:
    """Return what each guess of a finished match cost and what was luck: your guesses, or the computer's if you hid."""
    access = await run_in_threadpool(matches.look, services.store, match_id, visitor.token)
    match = access.match
    if match.result is None:
        raise RequestError(409, "the game is not over: finish it first, or give up")
    if match.mode == "hide" and match.result != "found":
        message = "the computer did not find your secret, so its guesses cannot be reviewed: play to the end"
        raise RequestError(409, message)
    return await services.workers.run((match_id, access.stored.version), partial(advice.review_view, match), visitor)


HISTORY_ERRORS: dict[int | str, dict[str, Any]] = {
    422: {
        "model": schemas.ContradictionView,
        "description": "The history is not what the game takes, or contradicts itself.",
    }
}


@router.post("/suggest", responses=error_responses(403, 404, 408, 413, 415, 429, 503) | HISTORY_ERRORS)
async def suggest(body: schemas.SuggestRequest, services: ServicesDep, visitor: VisitorDep) -> schemas.AdviceView:
    """Return advice for a game that is played elsewhere."""
    return await advice.suggest(services.workers, body, visitor)


@router.get("/solved/{game}", responses=error_responses(404, 413, 422, 429, 503))
async def solved_game(game: GameName, services: ServicesDep, visitor: VisitorDep) -> schemas.SolvedView:
    """Return what is known of a solved game; its leaderboard may be pending."""
    await run_in_threadpool(listed_matchup, game)
    view = await services.workers.run(("solved", game), partial(advice.solved_view, game), visitor)
    if not view.game.shipped:
        return view
    leaderboard = services.leaderboard(game)
    if leaderboard is None or (leaderboard.done() and (leaderboard.cancelled() or leaderboard.exception())):
        return view.model_copy(update={"trouble": "Who beats whom could not be worked out: look again later."})
    return view.model_copy(update={"leaderboard": leaderboard.result()} if leaderboard.done() else {"pending": True})
