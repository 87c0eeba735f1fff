"""The desk as an ASGI application: each request opens the memories in a thread of its own, acts, and closes them.

A connection belongs to one thread, and a store that was restored or learned into meanwhile is the one that is read.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, cookie_parser
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tacit import __version__
from tacit.app import Memories
from tacit.core.errors import Damaged, NotFound, Refused, TacitError, Unavailable, UsageError
from tacit.surfaces.web.api import ENDPOINTS, Endpoint
from tacit.surfaces.web.schema import checked, from_query
from tacit.surfaces.web.screens import ASSETS, Pages, screens
from tacit.surfaces.web.security import PROJECT_COOKIE, Guard, Keys

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

STATUS: tuple[tuple[type[TacitError], int], ...] = (
    (UsageError, 400),
    (NotFound, 404),
    (Unavailable, 503),
    (Damaged, 503),
    (Refused, 409),
    (TacitError, 409),
)


CHOSEN_PROJECT: ContextVar[str] = ContextVar(
    "chosen_project", default=""
)  # the project that this request is about


class Desk:
    """Where the memories come from, and who acts. `opened` takes the id of a project, or none for the one the desk was started in."""

    def __init__(self, opened: Callable[..., Memories]) -> None:
        self._opened = opened

    @contextmanager
    def memories(self, project: str = "") -> Iterator[Memories]:
        """The memories, for one request; pages are written by tend and the command line, never from here."""
        with self._open(project or CHOSEN_PROJECT.get()) as found:
            found.publishes = False
            yield found

    def ask(self, view: Callable[[Memories, Any], Any], asked: Any) -> Any:
        """What a view of the memories has to say."""
        with self.memories() as memories:
            return view(memories, asked)

    def _open(self, project: str) -> Memories:
        try:
            return self._opened(project) if project else self._opened()
        except NotFound:
            return self._opened()  # it is not kept any more


class _Chosen:
    """Which project a browser looks at: its cookie says so, for this request and the threads that serve it."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        cookies = HTTPConnection(scope).headers.get("cookie", "") if scope["type"] == "http" else ""
        said = cookie_parser(cookies).get(PROJECT_COOKIE, "")
        CHOSEN_PROJECT.set(said if said.isalnum() and len(said) <= 32 else "")
        await self.app(scope, receive, send)


def application(desk: Desk, keys: Keys, hosts: frozenset[str], *, secure: bool = False) -> Guard:
    """The whole desk, behind its guard."""
    routes = [
        *(
            Route(f"/api/v1{each.path}", _endpoint(desk, each), methods=[each.method])
            for each in ENDPOINTS
        ),
        Route("/api/v1/openapi.json", lambda _: JSONResponse(document()), methods=["GET"]),
        *screens(desk, keys),
        Mount("/static", StaticFiles(directory=ASSETS)),
    ]
    pages = Pages(keys)

    def not_there(request: Request, error: HTTPException) -> Response:
        if request.url.path.startswith("/api/") or request.method != "GET":
            return _http_error(request, error)
        told = NotFound(
            f"There is no page {request.url.path[:80]}.",
            "Home, Inbox, Lessons and Sessions are above.",
        )
        return pages.render("error.html", status=error.status_code, error=told, here="")

    handlers: Any = {HTTPException: not_there, Exception: _unforeseen}
    return Guard(
        _Chosen(Starlette(routes=routes, exception_handlers=handlers)), keys, hosts, secure=secure
    )


def _endpoint(desk: Desk, each: Endpoint) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def answer(request: Request) -> JSONResponse:
        try:
            asked = from_query(each.query or {}, dict(request.query_params)) | dict(
                request.path_params
            )
            if each.body is not None:
                asked |= checked(each.body, await _json(request))
            data = await run_in_threadpool(partial(desk.ask, each.act, asked))
        except TacitError as error:
            return failed(error)
        return JSONResponse({"ok": True, "schema": 1, "data": data, "warnings": []})

    return answer


async def _json(request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "The body must be JSON.")
    raw = await request.body()
    try:
        return json.loads(raw or b"{}")
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The body is not JSON: {error}.") from None


def failed(error: TacitError) -> JSONResponse:
    """An error in the envelope, with the status that fits it."""
    return _refusal(next(status for kind, status in STATUS if isinstance(error, kind)), error.json)


def _refusal(
    status: int, told: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"ok": False, "error": told}, status_code=status, headers=headers)


def _http_error(request: Request, error: HTTPException) -> JSONResponse:
    told = {
        "code": "http",
        "message": f"{error.detail}",
        "hint": "GET /api/v1/openapi.json tells what there is.",
    }
    return _refusal(error.status_code, told, error.headers)


def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    message, hint = (
        f"A bug of ours: {type(error).__name__}.",
        "Please report it with the log of tacit desk.",
    )
    return _refusal(500, {"code": "failed", "message": message, "hint": hint})


# -- the API's own description, made from the table of its endpoints -----------------------------------------------------


REFUSALS = {
    400: "The call is off",
    401: "Who is it?",
    403: "Not from a page of the desk, or not a person's to decide",
    404: "There is none",
    405: "Not done here",
    409: "A rule says no",
    413: "Too much at once",
    415: "Not JSON",
    421: "Another name",
    429: "Too often",
    503: "Busy; nothing is lost",
}


def document(base: str = "/api/v1") -> dict[str, Any]:
    """OpenAPI 3.1: what stands in `openapi.json`, and a path for each endpoint."""
    with open(os.path.join(os.path.dirname(__file__), "openapi.json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    found["info"]["version"] = __version__
    for each in ENDPOINTS:
        found["paths"].setdefault(base + each.path, {})[each.method.lower()] = _operation(each)
    return found


def _operation(each: Endpoint) -> dict[str, Any]:
    places = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        }
        for name in re.findall(r"{(\w+)}", each.path)
    ]
    asked = [
        {"name": name, "in": "query", "schema": dict(field)}
        for name, field in (each.query or {}).items()
    ]
    answers: dict[str, Any] = {"200": _content("Done", "Answer")}
    answers |= {str(status): _content(told, "Error") for status, told in REFUSALS.items()}
    operation: dict[str, Any] = {
        "summary": each.does,
        "parameters": [*places, *asked],
        "responses": answers,
    }
    if each.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": dict(each.body)}},
        }
    return operation


def _content(told: str, name: str) -> dict[str, Any]:
    return {
        "description": told,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}},
    }
