"""Refused requests: every one is answered with a status and one sentence, as `{"error": …}`.

That holds for what the routes refuse, what the library says of bad input, and what FastAPI says of a body that does not
fit or of a path that does not exist. The one exception is a person who strays to an address where no page is: they get
the page, which says so.
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

MAX_MESSAGE = 300
NOT_JSON = "the body is not valid JSON: send an object as described"

MESSAGES = {
    404: "there is nothing at this address: see /api/openapi.json for what there is",
    405: "this address does not take this kind of request: see /api/openapi.json for what it takes",
}


class RequestError(Exception):
    """A request that is refused.

    Attributes:
        retry_after: after how many seconds to try again, for the statuses 429 and 503.
        details: further fields of the reply.
    """

    def __init__(self, status: int, message: str, retry_after: int = 60, **details: Any) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after
        self.details = details


def error_response(status: int, message: str, headers: dict[str, str] | None = None, **details: Any) -> JSONResponse:
    """Return the reply to a request that is refused."""
    plain = message.encode("utf-8", "replace").decode()  # a lone surrogate, quoted from the input, cannot be sent
    shown = plain if len(plain) <= MAX_MESSAGE else f"{plain[:MAX_MESSAGE]}…"
    return JSONResponse({"error": shown, **details}, status, headers=headers)


def add_handlers(app: FastAPI, missing_page: Callable[[Request], Response | None]) -> None:
    """Have every exception that FastAPI handles answered with `error_response`.

    `missing_page` returns the page for a person at an address that does not exist, or None for a program.
    """

    @app.exception_handler(RequestError)
    async def _refused(_: Request, error: RequestError) -> JSONResponse:
        headers = {"Retry-After": str(error.retry_after)} if error.status in (429, 503) else None
        return error_response(error.status, error.message, headers, **error.details)

    @app.exception_handler(OracularError)
    async def _bad_input(_: Request, error: OracularError) -> JSONResponse:
        status = 409 if isinstance(error, MoveError) else 404 if isinstance(error, UnknownGameError) else 422
        return error_response(status, str(error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        page = missing_page(request) if error.status_code == 404 else None
        if page is not None:
            return page
        if error.status_code == 400:  # FastAPI's status for a body that cannot be parsed at all
            return error_response(422, NOT_JSON)
        headers = dict(error.headers) if error.headers else None
        return error_response(error.status_code, MESSAGES.get(error.status_code, str(error.detail)), headers)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(422, _validation_message(error))


def _validation_message(error: RequestValidationError) -> str:
    """Return what is wrong with a body, in one sentence that names the field."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return NOT_JSON
    where = ".".join(str(part) for part in first["loc"][1:])
    reason = str(first["msg"]).removeprefix("Value error, ")
    reason = reason[:1].lower() + reason[1:]
    return f"{where or 'the body'}: {reason}: see /api/openapi.json for what this address takes"
