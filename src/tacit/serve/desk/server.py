"""The desk as an ASGI application: each request opens the memories in a thread of its own, acts, and closes them.

A connection belongs to one thread, and a store that was restored or learned into meanwhile is the one that is read. Every text from
the store is hostile, and the templates escape every one. Pages hold no script: an act is a form, and its answer another page.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tacit.core.errors import NotFound, Refused, TacitError, UsageError, numbered
from tacit.memory import Memory as Memories
from tacit.safety.one_line import named_hidden
from tacit.screens.timeline import short
from tacit.serve.desk import acts, screens
from tacit.serve.desk.effects import EffectCache
from tacit.serve.desk.security import PROJECT_COOKIE, Guard, Keys

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    Look = Callable[[Memories, dict[str, str]], dict[str, Any]]
    Act = Callable[[Memories, dict[str, str]], acts.Done]

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST_WORD = 20_000  # characters of one field, of a form or of an address


class Desk:
    """Where the memories come from, and who acts. `opened` takes the id of a project, or none for the one the desk was started in."""

    def __init__(self, opened: Callable[..., Memories]) -> None:
        self._opened = opened

    @contextmanager
    def memories(self, project: str = "") -> Iterator[Memories]:
        """The memories, for one request; pages are written by tend and the command line, never from here."""
        with self._open(project) as found:
            found.publishes = False
            yield found

    def ask(self, view: Callable[[Memories, Any], Any], asked: Any, project: str) -> Any:
        """What a view of the memories has to say."""
        with self.memories(project) as memories:
            return view(memories, asked)

    def _open(self, project: str) -> Memories:
        try:
            return self._opened(project) if project else self._opened()
        except NotFound:
            return self._opened()  # it is not kept any more


class Pages:
    """Renders templates, with what every page needs; what was done is said once, on the next page that is shown."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self.done: acts.Done | None = None
        self._jinja = Environment(
            loader=FileSystemLoader(os.path.join(HERE, "templates")),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_seen_as_it_is,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._jinja.filters |= {
            "numbered": numbered,
            "short": short,
            "day": lambda at: (at or "")[:10] or "–",
            "moment": lambda at: (at or "")[:16].replace("T", " ") or "–",
            "percent": lambda share: "–" if share is None else f"{share:.0%}",
            "signed": lambda figure: "–" if figure is None else f"{figure:+.2f}".replace("-", "−"),
        }

    def render(self, template: str, status: int = 200, **shown: Any) -> HTMLResponse:
        """A page."""
        done, self.done = self.done, None
        beside = {"projects": (), "chosen": "", "done": done, "csrf": self._keys.csrf}
        html = self._jinja.get_template(template).render(beside | shown)
        return HTMLResponse(html, status_code=status)


def _seen_as_it_is(said: Any) -> Any:
    """What a person approves is read in the order in which it is told: nothing hidden turns it round."""
    return named_hidden(said) if type(said) is str else said


def application(desk: Desk, keys: Keys, hosts: frozenset[str], *, secure: bool = False) -> Guard:
    """The whole desk, behind its guard."""
    pages, effects = Pages(keys), EffectCache(desk.memories)

    def screen(path: str, template: str, view: Look) -> Route:
        def seen(memories: Memories, asked: dict[str, str]) -> dict[str, Any]:
            return {**view(memories, asked), **screens.projects(memories), "here": path}

        async def answer(request: Request) -> Response:
            asked = dict(request.query_params) | request.path_params
            try:
                shown = await run_in_threadpool(partial(desk.ask, seen, asked, chosen(request)))
            except TacitError as error:
                status = 404 if error.exit_code == 3 else 400
                return pages.render("error.html", status=status, error=error, here="")
            return pages.render(template, **shown)

        return Route(path, answer, methods=["GET"])

    def act(path: str, change: Act) -> Route:
        async def answer(request: Request) -> Response:
            try:
                form = await _form(request)
                _from_our_page(form, keys)
                asked = form | request.path_params
                done = await run_in_threadpool(partial(desk.ask, change, asked, chosen(request)))
            except TacitError as error:
                return pages.render("error.html", status=422, error=error, here="")
            pages.done = done
            # back to where the form stood: a lesson's own screen, or Home
            to = form.get("back", "")
            return RedirectResponse(to if to.startswith("/lessons/") else "/", status_code=303)

        return Route(path, answer, methods=["POST"])

    async def choose(request: Request) -> Response:
        answer = RedirectResponse("/", status_code=303)
        id = request.path_params["id"][:32]
        answer.set_cookie(PROJECT_COOKIE, id, samesite="strict", httponly=True)
        return answer

    def proof(memories: Memories, asked: dict[str, str]) -> dict[str, Any]:
        return screens.proof(effects.effect(memories), asked.get("behind", ""))

    def not_there(request: Request, error: HTTPException) -> Response:
        told = NotFound(f"There is no page {request.url.path[:80]}.", "Home and Proof stand above.")
        return pages.render("error.html", status=error.status_code, error=told, here="")

    routes = [
        screen("/", "home.html", lambda m, _: screens.home(m)),
        screen(
            "/lessons/{id}",
            "lesson.html",
            lambda m, asked: screens.lesson(m, asked["id"], asked.get("behind", "")),
        ),
        screen("/runs/{id}", "session.html", lambda m, asked: screens.session(m, asked["id"])),
        screen("/proof", "proof.html", proof),
        act("/act/rows/{id}", _row),
        act("/act/lessons/{id}", _lesson),
        act("/act/undo/{id}", lambda m, asked: acts.undo(m, asked["id"])),
        Route("/project/{id}", choose, methods=["GET"]),
        Mount("/static", StaticFiles(directory=os.path.join(HERE, "static"))),
    ]
    handlers: Any = {HTTPException: not_there, Exception: _unforeseen}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), keys, hosts, secure=secure)


def _row(memories: Memories, asked: dict[str, str]) -> acts.Done:
    do, text = asked.get("do", ""), asked.get("text", "")
    return acts.row_word(memories, asked["id"], do, text, _words_shown(asked))


def _lesson(memories: Memories, asked: dict[str, str]) -> acts.Done:
    do, text, reason = (asked.get(name, "") for name in ("do", "text", "reason"))
    return acts.lesson_word(memories, asked["id"], do, text, reason, _words_shown(asked))


def _words_shown(asked: dict[str, str]) -> str:
    """The digest of the words that stood beside a form's button: a yes without any is to nothing that was shown."""
    return asked.get("words") or "none"


def chosen(request: Request) -> str:
    """Which project a browser looks at: its cookie says so; nothing hangs on it."""
    said = request.cookies.get(PROJECT_COOKIE, "")
    return said if said.isalnum() and len(said) <= 32 else ""


async def _form(request: Request) -> dict[str, str]:
    raw = await request.body()
    try:
        form = dict(parse_qsl(raw.decode("utf-8"), keep_blank_values=True, max_num_fields=50))
    except ValueError as error:
        raise UsageError(f"The form cannot be read: {error}.") from None
    for name, text in form.items():
        if len(text) > LONGEST_WORD:
            raise UsageError(f"{name[:40]!r} is longer than {LONGEST_WORD:,} characters.")
    return form


def _from_our_page(form: dict[str, str], keys: Keys) -> None:
    """Refuse a form that does not hold the word that only our own pages know."""
    if not hmac.compare_digest(form.get("csrf", "").encode(), keys.csrf.encode()):
        raise Refused(
            "This change does not come from a page of the desk.", "Reload the page and try again."
        )


def _unforeseen(request: Request, error: Exception) -> Response:
    said = f"A bug of ours: {type(error).__name__}. Please report it with the log of tacit desk.\n"
    return PlainTextResponse(said, status_code=500)
