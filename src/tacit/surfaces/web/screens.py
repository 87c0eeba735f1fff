"""The screens: routes that turn the views into pages, and acts of a person into changes.

Every text from the store is hostile and is escaped by the templates; only pictures, which escape for themselves, are marked as safe. An act
answers with the piece of the page that it changed, so that fifty judgements need one page load.
"""

from __future__ import annotations

import os
from functools import partial
from urllib.parse import parse_qsl, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.routing import Route

from tacit.core.errors import TacitError, UsageError
from tacit.surfaces.web import acts, plots, views
from tacit.surfaces.web.home import home
from tacit.surfaces.web.jobs import Jobs, backtested, tended
from tacit.surfaces.web.schema import from_query, number, one_of, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from markupsafe import Markup
    from starlette.requests import Request
    from starlette.responses import Response

    from tacit.app import Memories
    from tacit.surfaces.drawn import Drawn
    from tacit.surfaces.web.security import Keys
    from tacit.surfaces.web.server import Desk

HERE = os.path.dirname(__file__)
ASSETS = os.path.join(HERE, "static")
SCREENS = (
    ("/", "Home"), ("/inbox", "Inbox"), ("/lessons", "Lessons"), ("/search", "Search"), ("/page", "Page"), ("/runs", "Runs"),
    ("/effect", "Effect"), ("/pairs", "Pairs"), ("/profiles", "Profiles"), ("/health", "Health"),
)  # fmt: skip
PAIRS = ("merge", "contradiction")
PER_PAGE = 50


class Pages:
    """Renders templates, with what every page needs."""

    def __init__(self, keys: Keys) -> None:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        self._keys = keys
        self._jinja = Environment(
            loader=FileSystemLoader(os.path.join(HERE, "templates")), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True,
        )  # fmt: skip
        self._jinja.filters |= {"day": _day, "moment": _moment, "percent": _percent, "signed": _signed, "plain": _plain}
        self._jinja.globals |= {"screens": SCREENS, "plots": plots, "link": _link, "picture": _picture}

    def render(self, template: str, status: int = 200, **shown: Any) -> HTMLResponse:
        """A page, or a piece of one."""
        html = self._jinja.get_template(template).render(shown, csrf=self._keys.csrf)
        return HTMLResponse(html, status_code=status)


def screens(desk: Desk, keys: Keys) -> list[Route]:
    """All routes of the screens."""
    pages = Pages(keys)

    def screen(path: str, template: str, view: Callable[[Memories, dict[str, Any]], dict[str, Any]], query: Mapping[str, Any]) -> Route:
        async def answer(request: Request) -> Response:
            try:
                asked = from_query(query, dict(request.query_params)) | dict(request.path_params)
                shown = await run_in_threadpool(partial(_seen, desk, view, asked))
            except TacitError as error:
                return pages.render("error.html", status=404 if error.exit_code == 3 else 400, error=error, here=path)
            return pages.render(template, **shown, here=path, asked=dict.fromkeys(query, "") | asked)

        return Route(path, answer, methods=["GET"])

    def act(path: str, change: Callable[[Memories, dict[str, str]], dict[str, Any]], template: str) -> Route:
        async def answer(request: Request) -> Response:
            try:
                asked = await _form(request) | dict(request.path_params)
                shown = await run_in_threadpool(partial(_seen, desk, change, asked))
            except TacitError as error:
                return pages.render("_error.html", status=422, error=error)
            if "to" in shown and not request.headers.get("hx-request"):
                return RedirectResponse(shown["to"], status_code=303)
            return pages.render(template, **shown)

        return Route(path, answer, methods=["POST"])

    jobs = Jobs(desk)

    def job(path: str, name: str, work: Callable[[dict[str, str]], Any]) -> Route:
        async def answer(request: Request) -> Response:
            try:
                started = jobs.start(name, work(await _form(request)))
            except TacitError as error:
                return pages.render("_error.html", status=422, error=error)
            return pages.render("_job.html", job=started)

        return Route(path, answer, methods=["POST"])

    async def lines(request: Request) -> Response:
        try:
            return StreamingResponse(jobs.events(request.path_params["id"]), media_type="text/event-stream")
        except TacitError as error:
            return pages.render("_error.html", status=404, error=error)

    async def journal(request: Request) -> Response:
        last = request.headers.get("last-event-id", "")
        return StreamingResponse(jobs.journal(int(last) if last.isdigit() else -1), media_type="text/event-stream")

    return [
        job("/act/tend", "tend", lambda _: tended),
        job("/act/backtest", "backtest", _profiles_asked),
        Route("/events/journal", journal, methods=["GET"]),
        Route("/events/{id}", lines, methods=["GET"]),
        screen("/", "home.html", home, {}),
        screen("/inbox", "inbox.html", inbox, {**PAGED, "kind": text(40)}),
        screen("/lessons", "lessons.html", lessons, LESSONS),
        screen("/lessons/{id}", "lesson.html", lambda m, asked: views.memory(m, asked["id"]), {}),
        screen("/search", "search.html", search, {"q": {**text(2_000), "default": ""}}),
        screen("/page", "page.html", lambda m, _: views.page(m), {}),
        screen("/runs", "runs.html", views.runs, {"limit": number(1, 100, 25), "offset": number(0, 100_000, 0)}),
        screen("/runs/{id}", "run.html", lambda m, asked: views.run(m, asked["id"]), {}),
        screen("/effect", "effect.html", effect, {"offset": number(0, 1_000_000, 0)}),
        screen("/pairs", "pairs.html", pairs, {}),
        screen("/profiles", "profiles.html", views.profiles, {}),
        screen("/profiles/{name}", "profile.html", views.profile, {}),
        screen("/health", "health.html", views.health, {"verify": {**one_of("yes", "no"), "default": "no"}}),
        act("/act/proposals/{id}", acts.judge, "_done.html"),
        act("/act/proposals/{id}/reopen", acts.reopen, "_proposal.html"),
        act("/act/lessons/{id}", acts.change, "_note.html"),
        act("/act/page/{id}", acts.page_line, "_line.html"),
        act("/act/undo", acts.undo, "_note.html"),
        act("/act/profile/{name}", acts.use_profile, "_note.html"),
    ]


def _profiles_asked(form: dict[str, str]) -> Any:
    return backtested([views.builtin(name).name for name in form.get("profiles", "default").split()][:5])


def _seen(desk: Desk, view: Callable[[Memories, Any], dict[str, Any]], asked: Any) -> dict[str, Any]:
    with desk.memories() as memories:
        return view(memories, asked)


async def _form(request: Request) -> dict[str, str]:
    raw = await request.body()
    try:
        return dict(parse_qsl(raw.decode("utf-8"), keep_blank_values=True, max_num_fields=50))
    except ValueError as error:
        raise UsageError(f"The form cannot be read: {error}.") from None


PAGED = {"limit": number(1, 200, PER_PAGE), "offset": number(0, 10_000_000, 0)}
LESSONS = {
    **PAGED, "state": text(20), "kind": text(40), "category": text(80), "trust": text(20), "verdict": text(20), "gate": text(20),
    "tag": text(80), "text": text(200), "sort": {**text(20), "default": "new"}, "archived": {"type": "boolean"},
}  # fmt: skip


def inbox(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """What waits for a judgement; where nothing does, what to do first."""
    found = views.inbox(desk, asked)
    return {**found, "overview": None if found["proposals"] else views.overview(desk)}


def lessons(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Lessons by their facets, with the words that the facets have here."""
    from tacit.core.errors import UsageError as Off
    from tacit.stores.sql_rows import SORTS

    if asked["sort"] not in SORTS:
        raise Off(f"{asked['sort']!r} is no order.", f"One of: {', '.join(SORTS)}.")
    plain = {name: at for name, at in asked.items() if at != ""}
    return {**views.memories(desk, {"archived": False, **plain}), "facets": views.facets(desk), "sorts": SORTS}


def search(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """The playground: what a question finds, and why in this order."""
    nothing: dict[str, Any] = {"hits": [], "dropped": [], "budget": None}
    found = views.recall(desk, {"q": asked["q"], "limit": 30, "held": True, "stale": True}) if asked["q"].strip() else nothing
    return {**found, "peak": max((hit["score"] for hit in found["hits"]), default=1.0)}


def effect(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """The whole memory and its lessons, a page at a time: first those that are measured."""
    found = views.effect(desk)
    ordered = sorted(found["lessons"], key=lambda each: not each["measured"])
    rows = ordered[asked["offset"] : asked["offset"] + PER_PAGE]
    return {**found, "lessons": rows, "total": len(found["lessons"]), "offset": asked["offset"], "per_page": PER_PAGE}


def pairs(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Lessons that say the same, or the opposite."""
    waiting = desk.store.proposals(desk.project_id, kinds=PAIRS) if desk.project_id else []
    return {"proposals": [views.proposal(desk, each) for each in waiting], "merged": views.merged(desk)}


def _link(asked: Mapping[str, Any], offset: int) -> str:
    """The same question, further on."""
    return "?" + urlencode({name: at for name, at in asked.items() if at != "" and name != "id"} | {"offset": max(0, offset)})


def _picture(of: Drawn) -> Markup:
    """A picture as it is: the one thing here that is not escaped by a template, because its module has done so."""
    from markupsafe import Markup

    return Markup(of.picture)


def _day(at: str | None) -> str:
    return (at or "")[:10] or "–"


def _moment(at: str | None) -> str:
    return (at or "")[:16].replace("T", " ") or "–"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _signed(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:+.2f}".replace("-", "−")


def _plain(at: Any) -> str:
    """A profile's value as a person writes it."""
    if isinstance(at, bool):
        return "yes" if at else "no"
    if isinstance(at, (list, tuple)):
        return ", ".join(str(each) for each in at) or "(none)"
    return "–" if at is None else str(at) or "(empty)"
