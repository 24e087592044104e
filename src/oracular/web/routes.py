"""The HTTP interface, route by route; the work behind each route is done elsewhere.

Moves are plain functions, which FastAPI runs on threads of its own. What takes longer is handed to a `WorkerPool`. So
are the moves of a duel, in which the computer works out the chances of both sides. A request reads its match once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from oracular.play.match import Match
from oracular.play.wording import DEFAULT_GAME, check_word
from oracular.web import advice, matches, schemas
from oracular.web.guard import RequestError, Visitor, WorkerPool, visitor_of
from oracular.web.matches import TITLES, MatchAccess, game_card, listed_matchup, word_note
from oracular.web.schemas import MatchView, Move, error_responses
from oracular.web.settings import Settings
from oracular.web.store import Store

COOKIE = "oracular"
YEAR = 365 * 24 * 3600

LOG = logging.getLogger("oracular.web")
LEADERBOARD_SECONDS = 600.0
"""How long a leaderboard that could not be worked out is not tried again."""


@dataclass(eq=False)
class Services:
    """What the routes of one server share.

    Attributes:
        background: a thread for slow work that no request waits for.
        leaderboards: who beats whom in a game, perhaps still to come, None if it could not be worked out; and when that
            was begun, on the clock of the settings.
        ready: whether everything is loaded.
    """

    settings: Settings
    store: Store
    workers: WorkerPool
    background: ThreadPoolExecutor
    leaderboards: dict[str, tuple[float, asyncio.Future[schemas.LeaderboardView | None]]] = field(default_factory=dict)
    ready: bool = False

    def leaderboard(self, game: str) -> asyncio.Future[schemas.LeaderboardView | None]:
        """Return a future for who beats whom in a game; one that failed is tried again after some time."""
        now = self.settings.clock()
        begun, board = self.leaderboards.get(game, (now, None))
        if board is None or (board.done() and board.result() is None and now >= begun + LEADERBOARD_SECONDS):
            work = partial(_leaderboard, game, self.settings)
            board = asyncio.get_running_loop().run_in_executor(self.background, work)
            self.leaderboards[game] = now, board
        return board


def _leaderboard(game: str, settings: Settings) -> schemas.LeaderboardView | None:
    try:
        return advice.leaderboard_view(game, settings.runs)
    except Exception:
        LOG.exception("the leaderboard of %s could not be worked out", game)
        return None


MatchId = Annotated[str, Path(description="The address of a match.", max_length=200)]
WordText = Annotated[str, Path(description="A word or code.", max_length=schemas.LONGEST_WORD)]
GameName = Annotated[str, Path(description="The name of a game.", max_length=200)]


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


ServicesDep = Annotated[Services, Depends(_services)]


async def _visitor(request: Request, services: ServicesDep) -> Visitor:
    token = request.cookies.get(COOKIE)
    return visitor_of(request.client, token if matches.is_token(token) else None, services.settings)


VisitorDep = Annotated[Visitor, Depends(_visitor)]


def _access(match_id: MatchId, services: ServicesDep, visitor: VisitorDep) -> MatchAccess:
    return matches.look(services.store, match_id, visitor.token)


MatchDep = Annotated[MatchAccess, Depends(_access)]

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
def health(services: ServicesDep) -> schemas.Health:
    """Return how many matches the server keeps, or what is wrong with it."""
    most = services.settings.max_matches
    return schemas.Health(matches=services.store.count(), most_matches=most, ready=services.ready)


@router.post("/matches", status_code=201, responses=error_responses(403, 404, 408, 413, 415, 422, 429, 503))
async def begin(
    body: schemas.NewMatch, request: Request, response: Response, services: ServicesDep, visitor: VisitorDep
) -> MatchView:
    """Begin a match, or the daily game; the browser that begins it is its owner."""
    owner = matches.new_token() if visitor.token is None else visitor.token
    start = partial(_begun, services, body, owner, visitor.address)
    if body.mode == "duel":
        access = await services.workers.move(start, visitor)
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
def look(access: MatchDep) -> MatchView:
    """Return a match as this browser may see it."""
    return access.view


@router.get("/matches/{match_id}/game", responses=LOOK_ERRORS)
def game_of_match(access: MatchDep) -> schemas.GameCard:
    """Return the description of a match's game, with the words that the match is played with."""
    return access.card


def _move(services: Services, access: MatchAccess, move: Move | None, to: Callable[[Match], Match]) -> MatchView:
    return matches.move(services.store, access, move.version if move else None, to).view


@router.post("/matches/{match_id}/guess", responses=error_responses(429) | MOVE_ERRORS)
async def guess(access: MatchDep, body: schemas.Guess, services: ServicesDep, visitor: VisitorDep) -> MatchView:
    """Guess a word (guess, duel)."""
    make = partial(_move, services, access, body, lambda match: match.guess(body.guess))
    if access.is_owner and access.match.mode == "duel":
        return await services.workers.move(make, visitor)
    return await run_in_threadpool(make)


@router.post("/matches/{match_id}/answer", responses=MOVE_ERRORS)
def answer(access: MatchDep, body: schemas.Answer, services: ServicesDep) -> MatchView:
    """Answer the computer's guess (hide)."""
    return _move(services, access, body, lambda match: match.answer(body.answer))


@router.post("/matches/{match_id}/amend", responses=MOVE_ERRORS)
def amend(access: MatchDep, body: schemas.Amendment, services: ServicesDep) -> MatchView:
    """Change an earlier answer (hide)."""
    return _move(services, access, body, lambda match: match.amend(body.turn, body.answer))


@router.post("/matches/{match_id}/undo", responses=MOVE_ERRORS)
def undo(access: MatchDep, services: ServicesDep, body: Move | None = None) -> MatchView:
    """Take the last move back."""
    return _move(services, access, body, lambda match: match.undo())


@router.post("/matches/{match_id}/tell", responses=MOVE_ERRORS)
def tell(access: MatchDep, body: schemas.Telling, services: ServicesDep) -> MatchView:
    """Tell the word that you had in mind, which ends the match (hide)."""
    return _move(services, access, body, lambda match: match.tell(body.word))


@router.post("/matches/{match_id}/give-up", responses=MOVE_ERRORS)
def give_up(access: MatchDep, services: ServicesDep, body: Move | None = None) -> MatchView:
    """End the match and see the secret."""
    return _move(services, access, body, lambda match: match.give_up())


@router.get("/matches/{match_id}/sheet", responses=LOOK_ERRORS)
def sheet(access: MatchDep) -> schemas.SheetView:
    """Return what the answers so far prove."""
    return advice.sheet_view(access.match)


@router.get("/matches/{match_id}/hint", responses=error_responses(403, 429) | LOOK_ERRORS)
async def hint(access: MatchDep, services: ServicesDep, visitor: VisitorDep) -> schemas.AdviceView:
    """Return what to guess next; for the owner alone."""
    access.require_owner()
    return await advice.hint(services.workers, access.match, visitor)


@router.get("/matches/{match_id}/chance", responses=error_responses(403, 429) | LOOK_ERRORS)
async def chance(access: MatchDep, services: ServicesDep, visitor: VisitorDep) -> schemas.ChanceView:
    """Return how likely you are to win a duel in progress, an estimate; for the owner alone."""
    access.require_owner()
    return await advice.chance(services.workers, access.match, visitor)


@router.get("/matches/{match_id}/review", responses=error_responses(429) | LOOK_ERRORS)
async def review(access: MatchDep, services: ServicesDep, visitor: VisitorDep) -> schemas.ReviewView:
    """Return what each guess of a finished match cost and what was luck: your guesses, or the computer's if you hid."""
    match = access.match
    if match.result is None:
        raise RequestError(409, "the game is not over: finish it first, or give up")
    if match.mode == "hide" and match.result != "found":
        message = "the computer did not find your secret, so its guesses cannot be reviewed: play to the end"
        raise RequestError(409, message)
    key = (access.stored.id, access.stored.version)
    return await services.workers.advise(key, partial(advice.review_view, match), visitor)


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
    view = await services.workers.advise(("solved", game), partial(advice.solved_view, game), visitor)
    if not view.game.shipped:
        return view
    leaderboard = services.leaderboard(game)
    if not leaderboard.done():
        return view.model_copy(update={"pending": True})
    if leaderboard.result() is None:
        return view.model_copy(update={"trouble": "Who beats whom could not be worked out: look again later."})
    return view.model_copy(update={"leaderboard": leaderboard.result()})
