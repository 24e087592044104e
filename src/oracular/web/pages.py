"""The page: the addresses that all show `index.html`, and the files it is made of under `/page/`."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oracular.web.errors import MESSAGES, RequestError

FOLDER = Path(__file__).parent / "page"
ADDRESSES = ("/", "/match/{match_id}", "/solved", "/solved/{game}", "/suggest")
FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", flags=re.ASCII)
MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Set here, since the machine's own table could name types with which browsers refuse to run the page."""


def page_file(request: Request) -> Response:
    """Return a file of the page, or status 304 where the browser has it already."""
    name = request.path_params.get("name", "index.html")
    path = FOLDER / name
    if FILE_NAME.fullmatch(name) is None or not path.is_file():
        raise RequestError(404, MESSAGES[404])
    content = path.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=MEDIA_TYPES.get(path.suffix, "application/octet-stream"))


def missing_page(request: Request) -> Response | None:
    """Return the page with status 404 for a person at an address that does not exist; None for a program."""
    asked_for_data = request.url.path.lstrip("/").partition("/")[0] in ("api", "page")
    if asked_for_data or request.method not in ("GET", "HEAD"):
        return None
    return Response((FOLDER / "index.html").read_bytes(), 404, media_type=MEDIA_TYPES[".html"])


def page_routes() -> list[Route]:
    """Return the routes of the page."""
    pages = [Route(address, page_file, methods=["GET"]) for address in ADDRESSES]
    return [*pages, Route("/page/{name}", page_file, methods=["GET"])]
