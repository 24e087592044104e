"""The HTTP interface, route by route; what each does is done elsewhere.

Moves are plain functions, which FastAPI runs on threads of its own; what takes longer is handed to a `Thinker`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from oracular.play.match import Match
from oracular.web.advice import AdviceDesk, review_view, sheet_view
from oracular.web.matches import Matches, is_token, new_token
from oracular.web.offered import TITLES, card, offered_table
from oracular.web.refusals import Refusal
from oracular.web.schemas import (
    AdviceView,
    Amendment,
    Answer,
    Board,
    Contradiction,
    GameList,
    Guess,
    Health,
    MatchView,
    Move,
    NewMatch,
    Question,
    ReviewView,
    SheetView,
    SolvedView,
    problems,
)
from oracular.web.settings import Settings
from oracular.web.solved import board, solved
from oracular.web.thinking import Thinker
from oracular.web.visitors import Visitor, visitor_of

COOKIE = "oracular"
YEAR = 365 * 24 * 3600

SECONDS_FOR_HEALTH = 1.0
"""How long the database may take to say how many matches there are."""


@dataclass(eq=False)
class House:
    """What the routes of one server share.

    Attributes:
        settings: how the server is set up.
        matches: the matches.
        desk: where advice is given.
        thinker: where advice and reviews are worked out.
        background: where slow work is done that nobody should have to wait for.
        counter: a thread that counts the matches, so that whoever asks how the server is need not wait for others.
        counting: the count that was asked for last.
        ready: whether everything has been made ready.
    """

    settings: Settings
    matches: Matches
    desk: AdviceDesk
    thinker: Thinker
    background: Thinker
    counter: ThreadPoolExecutor
    counting: asyncio.Future[int] | None = None
    ready: bool = False

    def board_of(self, game: str) -> Future[Board]:
        """Return who beats whom in a game, in the making or made."""
        work = partial(board, game, self.settings.runs)
        return self.background.ask(("board", game), work, patient=True)

    def stop(self) -> None:
        """Turn everybody away who waits for something that takes a while."""
        self.thinker.stop()
        self.background.stop()


async def _house(request: Request) -> House:
    house: House = request.app.state.house
    return house


async def _token(request: Request) -> str | None:
    return request.cookies.get(COOKIE)


async def _visitor(request: Request) -> Visitor:
    house: House = request.app.state.house
    token = request.cookies.get(COOKIE)
    return visitor_of(request.client, token if is_token(token) else None, house.settings)


TheHouse = Annotated[House, Depends(_house)]
Token = Annotated[str | None, Depends(_token)]
Who = Annotated[Visitor, Depends(_visitor)]
MatchId = Annotated[str, Path(description="The address of a match.", max_length=200)]
GameName = Annotated[str, Path(description="The name of a game.", max_length=200)]

LOOKING = problems(404, 409, 413, 422, 503)
MOVING = problems(403, 404, 408, 409, 413, 415, 422, 503)

router = APIRouter(prefix="/api")


@router.get("/games", responses=problems(413))
def games() -> GameList:
    """Return the games that can be played."""
    return GameList(games=[card(name) for name in TITLES])


@router.get("/health", responses=problems(413, 503))
async def health(house: TheHouse) -> Health:
    """Return how full the house is, or what is wrong with it; nobody else's request is waited for."""
    if house.counting is None or house.counting.done():
        house.counting = asyncio.get_running_loop().run_in_executor(house.counter, house.matches.count)
    try:
        count = await asyncio.wait_for(asyncio.shield(house.counting), SECONDS_FOR_HEALTH)
    except TimeoutError:
        raise Refusal(503, "the database does not answer: see to its disk") from None
    return Health(matches=count, most_matches=house.settings.most_matches, ready=house.ready)


@router.post("/matches", status_code=201, responses=problems(403, 404, 408, 413, 415, 422, 429, 503))
def begin(body: NewMatch, request: Request, response: Response, house: TheHouse, who: Who) -> MatchView:
    """Begin a match; the browser that does is its owner."""
    owner = new_token() if who.token is None else who.token
    seat = house.matches.begin(body.game, body.mode, body.word, owner, who.address)
    secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
    response.set_cookie(COOKIE, owner, max_age=YEAR, path="/", httponly=True, samesite="strict", secure=secure)
    return seat.view


@router.get("/matches/{match_id}", responses=LOOKING)
def look(match_id: MatchId, house: TheHouse, token: Token) -> MatchView:
    """Return a match as this browser may see it."""
    return house.matches.look(match_id, token).view


def _move(house: House, match_id: str, token: str | None, move: Move | None, to: Callable[[Match], Match]) -> MatchView:
    return house.matches.move(match_id, token, move.version if move else None, to).view


@router.post("/matches/{match_id}/guess", responses=MOVING)
def guess(match_id: MatchId, body: Guess, house: TheHouse, token: Token) -> MatchView:
    """Guess a word (guess, duel)."""
    return _move(house, match_id, token, body, lambda match: match.guess(body.guess))


@router.post("/matches/{match_id}/answer", responses=MOVING)
def answer(match_id: MatchId, body: Answer, house: TheHouse, token: Token) -> MatchView:
    """Answer the computer's guess (hide)."""
    return _move(house, match_id, token, body, lambda match: match.answer(body.answer))


@router.post("/matches/{match_id}/amend", responses=MOVING)
def amend(match_id: MatchId, body: Amendment, house: TheHouse, token: Token) -> MatchView:
    """Change an earlier answer (hide)."""
    return _move(house, match_id, token, body, lambda match: match.amend(body.turn, body.answer))


@router.post("/matches/{match_id}/undo", responses=MOVING)
def undo(match_id: MatchId, house: TheHouse, token: Token, body: Move | None = None) -> MatchView:
    """Take the last move back."""
    return _move(house, match_id, token, body, lambda match: match.undo())


@router.post("/matches/{match_id}/give-up", responses=MOVING)
def give_up(match_id: MatchId, house: TheHouse, token: Token, body: Move | None = None) -> MatchView:
    """End the match and see the secret."""
    return _move(house, match_id, token, body, lambda match: match.give_up())


@router.get("/matches/{match_id}/sheet", responses=LOOKING)
def sheet(match_id: MatchId, house: TheHouse, token: Token) -> SheetView:
    """Return what the answers so far prove."""
    return sheet_view(house.matches.look(match_id, token).match)


@router.get("/matches/{match_id}/hint", responses=problems(403, 429) | LOOKING)
async def hint(match_id: MatchId, house: TheHouse, who: Who) -> AdviceView:
    """Return what to guess next; for the owner alone."""
    seat = await run_in_threadpool(house.matches.look, match_id, who.token)
    seat.expect_owner()
    return await house.desk.hint(seat.match, who)


@router.get("/matches/{match_id}/review", responses=problems(429) | LOOKING)
async def review(match_id: MatchId, house: TheHouse, who: Who) -> ReviewView:
    """Return a finished match guess by guess, what each was worth and what was luck; where you hid, the computer's."""
    seat = await run_in_threadpool(house.matches.look, match_id, who.token)
    match = seat.match
    if match.result is None:
        raise Refusal(409, "the game is not over: finish it first, or give up")
    if match.mode == "hide" and match.result != "found":
        raise Refusal(409, "the computer did not find your secret, so its guesses cannot be reviewed: play to the end")
    return await house.thinker.think((match_id, seat.stored.version), partial(review_view, match), who)


Unsuitable: dict[int | str, dict[str, Any]] = {
    422: {"model": Contradiction, "description": "The history is not what the game takes, or contradicts itself."}
}


@router.post("/suggest", responses=problems(403, 404, 408, 413, 415, 429, 503) | Unsuitable)
async def suggest(body: Question, house: TheHouse, who: Who) -> AdviceView:
    """Return advice for a game that is played elsewhere."""
    return await house.desk.suggest(body, who)


@router.get("/solved/{game}", responses=problems(404, 413, 422, 429, 503))
async def solved_game(game: GameName, house: TheHouse, who: Who) -> SolvedView:
    """Return what is known of a solved game; who beats whom in it may be pending."""
    await run_in_threadpool(offered_table, game)
    known = await house.thinker.think(("solved", game), partial(solved, game), who)
    if not known.game.shipped:
        return known
    made = house.board_of(game)
    return known.model_copy(update={"leaderboard": made.result()} if made.done() else {"pending": True})
