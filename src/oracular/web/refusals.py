"""How a request is turned down: a status and one sentence, always as `{"error": …}`.

Whatever goes wrong, the reply has this form: what the routes refuse, what the library says of bad input, what FastAPI
says of a body that does not fit or of a path that is not there. Only a person who strays to an address where no page
is gets the page instead, which says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response

from oracular.errors import MoveError, OracularError, UnknownGameError

LONGEST_QUOTE = 300

SENTENCES = {
    404: "there is nothing at this address: see /api/openapi.json for what there is",
    405: "this address does not take this kind of request: see /api/openapi.json for what it takes",
}


class Refusal(Exception):  # noqa: N818 - the server is well; the request is turned down
    """A request that is turned down.

    Attributes:
        status: the HTTP status.
        sentence: what was wrong, and the remedy.
        retry: after how many seconds to try again, where that helps.
        more: what stands beside the sentence.
    """

    def __init__(self, status: int, sentence: str, retry: int = 60, **more: Any) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.retry = retry
        self.more = more


def refusal(status: int, sentence: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    """Return the reply that turns a request down."""
    plain = sentence.encode("utf-8", "replace").decode()  # half a character, quoted from the input, cannot be sent
    shown = plain if len(plain) <= LONGEST_QUOTE else f"{plain[:LONGEST_QUOTE]}…"
    return JSONResponse({"error": shown, **more}, status, headers=headers)


def status_of(error: OracularError) -> int:
    """Return the status that says what kind of error of the library this is."""
    return 409 if isinstance(error, MoveError) else 404 if isinstance(error, UnknownGameError) else 422


def add_handlers(app: FastAPI, missing_page: Callable[[Request], Response | None]) -> None:
    """Have every error that FastAPI knows of told in the one form.

    Args:
        app: the application.
        missing_page: gives what a person is shown where nothing is; nothing where a program asks.
    """

    @app.exception_handler(Refusal)
    async def _refused(_: Request, error: Refusal) -> JSONResponse:
        headers = {"Retry-After": str(error.retry)} if error.status in (429, 503) else None
        return refusal(error.status, error.sentence, headers, **error.more)

    @app.exception_handler(OracularError)
    async def _bad_input(_: Request, error: OracularError) -> JSONResponse:
        return refusal(status_of(error), str(error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        page = missing_page(request) if error.status_code == 404 else None
        if page is not None:
            return page
        if error.status_code == 400:  # how FastAPI answers a body that it cannot read at all
            return refusal(422, "the body is not JSON that can be read: send an object as described")
        headers = dict(error.headers) if error.headers else None
        return refusal(error.status_code, SENTENCES.get(error.status_code, str(error.detail)), headers)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return refusal(422, _sentence(error))


def _sentence(error: RequestValidationError) -> str:
    """Return what is wrong with a body, in one sentence that names the field."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return "the body is not JSON that can be read: send an object as described"
    where = ".".join(str(part) for part in first["loc"][1:])
    reason = str(first["msg"]).removeprefix("Value error, ")
    reason = reason[:1].lower() + reason[1:]
    return f"{where or 'the body'}: {reason}: see /api/openapi.json for what this address takes"
