"""The screens: routes that turn the views into pages, and acts of a person into changes.

Every text from the store is hostile and is escaped by the templates; only pictures, which escape for themselves, are marked as safe. An act
answers with the piece of the page that it changed, so that fifty judgements need one page load.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.routing import Route

from tacit import __version__
from tacit.app import Memories
from tacit.core import clock
from tacit.core.errors import TacitError, UsageError
from tacit.surfaces import pictures, sharing, weekly_figures
from tacit.surfaces.numbers import digest_of, remember_numbers
from tacit.surfaces.one_screen import one_screen
from tacit.surfaces.pictures import compact
from tacit.surfaces.views import effect_json, overview
from tacit.surfaces.web import acts, lesson_screens, views
from tacit.surfaces.web.jobs import EffectCache, Jobs, KnownEffect, tended
from tacit.surfaces.web.schema import from_query, number, one_of, text
from tacit.surfaces.web.security import PROJECT_COOKIE, Keys
from tacit.surfaces.weekly_figures import BADGES
from tacit.surfaces.wording import MOVED, standing_words

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tacit.surfaces.web.server import Desk


def home(desk: Memories) -> dict[str, Any]:
    """The list that bare `tacit` shows, with its words on the row."""
    found = one_screen(desk)
    remember_numbers(desk, [row.id for row in found.rows if row.number])
    return {"found": found, "words": {row.id: digest_of(desk, row.id) for row in found.rows}}


def home_figures(desk: Memories, known: KnownEffect) -> dict[str, Any]:
    """Pictures and tokens; `known` is what the whole memory spared, as far as it was reckoned."""
    found = weekly_figures.looked(desk)
    spared = weekly_figures.drawn_spared(
        weekly_figures.spared(known.found) if known.found else None
    )
    consumed = [
        weekly_figures.tokens_by_week(found),
        weekly_figures.cost(found),
        weekly_figures.hosts(found),
    ]
    shown = {
        "found": found,
        "in_force": weekly_figures.drawn_in_force(found),
        "spared": spared,
        "consumed": consumed,
    }
    return {**shown, "is_pending": known.found is None}


ASSETS = os.path.join(sharing.WEB, "static")
# What else there is, behind one click.
MORE = (
    ("/effect", "How do we know"),
    ("/cost", "Tokens and cost"),
    ("/search", "Search"),
    ("/page", "Page"),
    ("/pairs", "Pairs"),
    ("/guards", "Guards"),
    ("/health", "Health"),
)
TABS = (
    ("/", "Home"),
    ("/inbox", "Inbox"),
    ("/lessons", "Lessons"),
    ("/runs", "Sessions"),
)
PAIR_KINDS = ("merge", "contradiction")
PER_PAGE = 50


class Pages:
    """Renders templates, with what every page needs."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._jinja = sharing.templates()
        self._jinja.filters |= {
            "day": lambda at: (at or "")[:10] or "–",
            "moment": lambda at: (at or "")[:16].replace("T", " ") or "–",
            "percent": lambda share: "–" if share is None else f"{share:.0%}",
            "signed": lambda figure: "–" if figure is None else f"{figure:+.2f}".replace("-", "−"),
        }
        # a picture is the one thing that no template escapes: its module has done so
        shown = {"plots": pictures, "link": _link, "picture": Markup, "compact": compact}
        self._jinja.globals |= {
            "screens": TABS,
            "other_screens": MORE,
            "kinds": BADGES,
            "moved": MOVED,
            **shown,
        }

    def render(self, template: str, status: int = 200, **shown: Any) -> HTMLResponse:
        """A page, or a piece of one."""
        html = self._jinja.get_template(template).render(shown, csrf=self._keys.csrf)
        return HTMLResponse(html, status_code=status)


def screens(desk: Desk, keys: Keys) -> list[Route]:
    """All routes of the screens."""
    pages = Pages(keys)

    def look(
        path: str,
        query: Mapping[str, Any],
        view: Callable[[Memories, Any], Any],
        shown: Callable[[Any, Any], Response],
    ) -> Route:
        async def answer(request: Request) -> Response:
            try:
                asked = from_query(query, dict(request.query_params)) | dict(request.path_params)
                return shown(await run_in_threadpool(partial(desk.ask, view, asked)), asked)
            except TacitError as error:
                return pages.render(
                    "error.html",
                    status=404 if error.exit_code == 3 else 400,
                    error=error,
                    here=path,
                )

        return Route(path, answer, methods=["GET"])

    def screen(
        path: str, template: str, view: Callable[[Memories, Any], Any], query: Mapping[str, Any]
    ) -> Route:
        def shown(found: Any, asked: Any) -> Response:
            return pages.render(
                template, **found, here=path, asked=dict.fromkeys(query, "") | asked
            )

        return look(path, query, _with_projects(view), shown)

    def share(
        path: str, name: str, page: Callable[[Memories, Any], str], query: Mapping[str, Any]
    ) -> Route:
        heads = {"content-disposition": f'attachment; filename="{name}"'}
        return look(path, query, page, lambda html, _: HTMLResponse(html, headers=heads))

    def act(
        path: str, change: Callable[[Memories, dict[str, str]], dict[str, Any]], template: str
    ) -> Route:
        async def answer(request: Request) -> Response:
            try:
                asked = await _form(request) | dict(request.path_params)
                shown = await run_in_threadpool(partial(desk.ask, change, asked))
            except TacitError as error:
                return pages.render("_error.html", status=422, error=error)
            if "to" in shown and not request.headers.get("hx-request"):
                return RedirectResponse(shown["to"], status_code=303)
            return pages.render(template, **shown)

        return Route(path, answer, methods=["POST"])

    jobs, effects = Jobs(desk), EffectCache(desk)

    async def lines(request: Request) -> Response:
        try:
            return StreamingResponse(
                jobs.events(request.path_params["id"]), media_type="text/event-stream"
            )
        except TacitError as error:
            return pages.render("_error.html", status=404, error=error)

    async def journal(request: Request) -> Response:
        last = request.headers.get("last-event-id", "")
        return StreamingResponse(
            jobs.journal(int(last) if last.isdigit() else -1), media_type="text/event-stream"
        )

    async def choose(request: Request) -> Response:
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            PROJECT_COOKIE, request.path_params["id"][:32], samesite="strict", httponly=True
        )
        return answer

    return [
        act("/act/tend", lambda m, _: {"job": jobs.start("tend", tended)}, "_job.html"),
        Route("/events/journal", journal, methods=["GET"]),
        Route("/events/{id}", lines, methods=["GET"]),
        Route("/project/{id}", choose, methods=["GET"]),
        screen("/", "home.html", lambda m, _: home(m), {}),
        screen("/cost", "cost.html", lambda m, _: home_figures(m, effects.effect(m)), {}),
        screen("/inbox", "inbox.html", inbox, {**PAGED_QUERY, "kind": text(40)}),
        screen("/lessons", "lessons.html", lesson_screens.lessons_screen, LESSONS_QUERY),
        screen("/lessons/{id}", "lesson.html", lesson_screens.lesson, {"behind": text(200)}),
        screen("/search", "search.html", search, {"q": {**text(2_000), "default": ""}}),
        screen("/page", "page.html", lambda m, _: views.page(m), {}),
        screen(
            "/runs",
            "runs.html",
            lesson_screens.runs,
            {"limit": number(1, 100, 25), "behind": text(400)},
        ),
        screen("/runs/{id}", "run.html", lesson_screens.run_screen, {}),
        screen(
            "/effect",
            "effect.html",
            lambda m, asked: effect(effects.effect(m), asked),
            {"behind": text(64)},
        ),
        screen("/pairs", "pairs.html", pairs, {}),
        screen("/guards", "guards.html", acts.guards_screen, {"tried": text(40)}),
        screen(
            "/health",
            "health.html",
            views.health,
            {"verify": {**one_of("yes", "no"), "default": "no"}},
        ),
        share("/share/report", "tacit-report.html", shared_report, REPORT_QUERY),
        share("/share/lessons/{id}", "tacit-lesson.html", shared_lesson, {}),
        act("/act/rows/{id}", acts.row_word, "_row_done.html"),
        act("/act/proposals/{id}", acts.judge, "_done.html"),
        act("/act/proposals/{id}/reopen", acts.reopen, "_proposal.html"),
        act("/act/lessons/{id}", acts.change, "_note.html"),
        act("/act/guards/{id}", acts.guard, "_note.html"),
        act("/act/page/{id}", acts.page_line, "_line.html"),
        act("/act/undo", acts.undo, "_note.html"),
    ]


def shared_report(desk: Memories, asked: dict[str, Any]) -> str:
    """A report of the last days as one file."""
    since = clock.after_days(desk.now(), -asked["days"])
    return sharing.report(desk, since, team=asked.get("team", False), version=__version__)


def shared_lesson(desk: Memories, asked: dict[str, Any]) -> str:
    """One lesson as one file."""
    return sharing.shared_lesson(desk, asked["id"], version=__version__)


def _with_projects(
    view: Callable[[Memories, Any], dict[str, Any]],
) -> Callable[[Memories, Any], dict[str, Any]]:
    """A view, and the projects of this store to switch between."""

    def shown(memories: Memories, asked: Any) -> dict[str, Any]:
        every = sorted(
            (
                (each.id, each.name)
                for each in memories.store.projects()
                if not each.id.startswith("@")
            ),
            key=lambda each: each[1].lower(),
        )
        return {**view(memories, asked), "projects": every, "chosen": memories.project_id}

    return shown


async def _form(request: Request) -> dict[str, str]:
    raw = await request.body()
    try:
        return dict(parse_qsl(raw.decode("utf-8"), keep_blank_values=True, max_num_fields=50))
    except ValueError as error:
        raise UsageError(f"The form cannot be read: {error}.") from None


REPORT_QUERY = {"days": number(1, 366, 7), "team": {"type": "boolean"}}
PAGED_QUERY = {"limit": number(1, 200, PER_PAGE), "behind": text(64)}
LESSONS_QUERY = {
    **PAGED_QUERY,
    "show": text(20),
    "state": text(20),
    "kind": text(40),
    "category": text(80),
    "trust": text(20),
    "verdict": text(20),
    "gate": text(20),
    "tag": text(80),
    "text": text(200),
    "sort": {**text(20), "default": "new"},
    "archived": {"type": "boolean"},
}


def inbox(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """What waits for a judgement, and what was refused of late; where nothing waits, what to do first."""
    found = views.inbox(desk, asked)
    return {
        **found,
        "refused": desk.refused(),
        "overview": None if found["proposals"] else overview(desk),
    }


def search(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """The playground: what a question finds, and why in this order."""
    found: dict[str, Any] = {"hits": [], "dropped": [], "budget": None}
    if asked["q"].strip():
        found = views.recall(desk, {"q": asked["q"], "limit": 30, "held": True, "stale": True})
    known = {each.id: each for each in desk.store.memories([hit["id"] for hit in found["hits"]])}
    hits = [
        {**hit, "stands": standing_words(known[hit["id"]], desk.profile)} for hit in found["hits"]
    ]
    return {**found, "hits": hits, "peak": max((hit["score"] for hit in hits), default=1.0)}


def effect(known: KnownEffect, asked: dict[str, Any]) -> dict[str, Any]:
    """The whole memory and its lessons, a page at a time: first those that are measured."""
    if known.found is None:
        return {"is_pending": True, "is_old": False, "total": 0}
    found = effect_json(known.found)
    ordered = sorted(found["lessons"], key=lambda each: not each["measured"])
    first = next((n + 1 for n, each in enumerate(ordered) if each["id"] == asked.get("behind")), 0)
    rows = ordered[first : first + PER_PAGE]
    more = rows[-1]["id"] if len(ordered) > first + PER_PAGE else ""
    paged = {
        "lessons": rows,
        "total": len(ordered),
        "more": more,
        "behind": asked.get("behind", ""),
    }
    return {**found, **paged, "is_pending": False, "is_old": not known.is_current}


def pairs(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Lessons that say the same, or the opposite."""
    waiting = desk.store.proposals(desk.project_id, kinds=PAIR_KINDS) if desk.project_id else []
    return {
        "proposals": [views.proposal(desk, each) for each in waiting],
        "merged": views.merged_lessons(desk),
    }


def _link(asked: Mapping[str, Any], behind: str) -> str:
    """The same question, behind the last that was shown; without one, from the beginning."""
    plain = {name: str(at).lower() if isinstance(at, bool) else at for name, at in asked.items()}
    kept = {name: at for name, at in plain.items() if at != "" and name not in ("id", "behind")}
    return "?" + urlencode(kept | ({"behind": behind} if behind else {}))
