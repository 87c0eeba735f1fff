"""The desk: who may speak to it, what its API says, and that a person's acts are those of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the desk needs the extra web")
pytest.importorskip("jinja2", reason="the desk needs the extra web")
httpx = pytest.importorskip("httpx", reason="the desk's tests speak to it with httpx")

from tests.terminals import ask, put_as  # noqa: E402

from tacit.app import open as open_memories  # noqa: E402
from tacit.core.clock import now  # noqa: E402
from tacit.core.errors import TacitError  # noqa: E402
from tacit.surfaces.web.security import Keys, host_names, refused, served, token_at  # noqa: E402
from tacit.surfaces.web.server import Desk, application, document  # noqa: E402
from tacit.testing import finding, run, tool  # noqa: E402

TOKEN = "t" * 64
KEY = "a program's"  # with which it acts in a name
HOST = "127.0.0.1:8477"
XSS = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Client:
    """A browser without eyes: the real application, no socket."""

    def __init__(self, **headers: str) -> None:
        import asyncio

        keys = Keys(TOKEN, link="once" * 8, whose={KEY: "ada"}.get)  # type: ignore[arg-type]
        self.app = application(
            Desk(lambda project=None: open_memories(project=project)),
            keys,
            host_names("127.0.0.1", 8477),
        )
        self.csrf = keys.csrf
        self.cookie = f"tacit_desk={keys.session}"
        self.headers = headers
        self._loop = asyncio.new_event_loop()

    def __call__(self, method: str, path: str, **more: Any) -> Any:
        async def ask() -> Any:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
                return await client.request(
                    method, path, headers={**self.headers, **more.pop("headers", {})}, **more
                )

        return self._loop.run_until_complete(ask())

    def close(self) -> None:
        self._loop.close()


@pytest.fixture
def api(folder: Path) -> Iterator[Client]:
    client = Client(**{"authorization": f"Bearer {TOKEN}", "x-tacit-key": KEY})
    yield client
    client.close()


@pytest.fixture
def browser(folder: Path) -> Iterator[Client]:
    client = Client()
    client.headers = {
        "cookie": client.cookie,
        "x-csrf-token": client.csrf,
        "origin": f"http://{HOST}",
    }
    yield client
    client.close()


def teach(text: str = "Run make migrate before the tests.", **facets: Any) -> str:
    with open_memories() as memories:
        return memories.add(text, **facets).id


def words_beside(browser: Client, path: str, act: str) -> str:
    """What a form carries of the words that stand beside its button."""
    form = browser("GET", path).text.partition(f'hx-post="{act}"')[2]
    return form.partition('name="words" value="')[2].partition('"')[0]


def hold(number: int = 1) -> str:
    """A lesson that waits for a person's word."""
    with open_memories() as memories:
        text = f"Clear the cache of module {number} before you deploy it"
        told = finding(
            f"r{number}", text, kind="pitfall", tier="quoted", by="web", quote="said a page"
        )
        memories.learn(run(f"r{number}", told))
        return next(memory.id for memory in memories.list(limit=500) if memory.text == text)


# -- who may speak ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 401),
        ("GET", {"authorization": "Bearer wrong"}, 401),
        ("GET", {"cookie": "tacit_desk=wrong"}, 401),
        ("GET", {"host": "evil.example", "authorization": f"Bearer {TOKEN}"}, 421),
        ("GET", {"origin": "http://evil.example", "authorization": f"Bearer {TOKEN}"}, 403),
        ("GET", {"authorization": f"Bearer {TOKEN}"}, None),
        ("POST", {"authorization": f"Bearer {TOKEN}"}, 403),
        ("POST", {"authorization": f"Bearer {TOKEN}", "x-tacit-key": "nobody's"}, 403),
        ("POST", {"authorization": f"Bearer {TOKEN}", "x-tacit-key": KEY}, None),
        ("POST", {"cookie": "OURS"}, 403),
        ("POST", {"cookie": "OURS", "x-csrf-token": "wrong"}, 403),
        ("POST", {"cookie": "OURS", "x-csrf-token": "CSRF", "sec-fetch-site": "cross-site"}, 403),
        (
            "GET",
            {"cookie": "OURS", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
            403,
        ),
        (
            "GET",
            {"cookie": "OURS", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
            None,
        ),
        ("POST", {"cookie": "OURS", "x-csrf-token": "CSRF"}, None),
        ("POST", {"cookie": "OURS", "x-csrf-token": "CSRF", "origin": "null"}, 403),
    ],
)
def test_who_may_speak(method: str, headers: dict[str, str], status: int | None) -> None:
    """Names, origins, secrets and the word only our pages know."""
    keys = Keys(TOKEN, whose={KEY: "ada"}.get)  # type: ignore[arg-type]
    given = {"host": HOST, **headers}
    given = {
        k: v.replace("OURS", f"tacit_desk={keys.session}").replace("CSRF", keys.csrf)
        for k, v in given.items()
    }
    why = refused(method, "/api/v1/overview", given, host_names("127.0.0.1", 8477), keys)
    assert (why.status if why else None) == status


def test_a_link_opens_once_and_leaves_a_strict_cookie(folder: Path) -> None:
    """The word of the link is neither the cookie nor the token, and does not work twice."""
    client = Client()
    first = client("GET", f"/?key={'once' * 8}")
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and TOKEN not in cookie
    assert client("GET", f"/?key={'once' * 8}").status_code == 401
    assert client("GET", "/", headers={"cookie": cookie.partition(";")[0]}).status_code == 200
    client.close()


def test_the_token_opens_no_browser_and_no_link_leads_away(folder: Path) -> None:
    """Whoever reads the token's file cannot make the cookie of it; a path with two slashes is a path here."""
    client = Client()
    assert client("GET", f"/?key={TOKEN}").status_code == 401
    assert Keys(TOKEN).session != Keys(TOKEN).session and Keys(TOKEN).csrf != Keys(TOKEN).csrf
    first = client("GET", f"http://{HOST}//evil.example/?key={'once' * 8}")
    assert (first.status_code, first.headers["location"]) == (303, "/evil.example/")
    client.close()


def test_every_answer_carries_the_policy(api: Client) -> None:
    """Also refusals; and no script or style stands inside a page."""
    teach()
    for answer in (
        api("GET", "/"),
        api("GET", "/", headers={"authorization": "no"}),
        api("GET", "/static/desk.js"),
    ):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers
    html = api("GET", "/").text
    assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son\w+=", html)


def test_a_body_that_is_too_large_is_not_read(api: Client) -> None:
    """By its length, before anything else."""
    answer = api(
        "POST",
        "/api/v1/memories",
        content=b"x" * (2 << 20),
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 413


def test_a_flood_is_slowed_down(folder: Path) -> None:
    """A person never meets it; a script that forgot to stop does."""
    client = Client(authorization=f"Bearer {TOKEN}")
    client.app.clock = lambda: client.app._at
    answers = {client("GET", "/static/icon.svg").status_code for _ in range(405)}
    assert answers == {200, 429}
    client.close()


# -- screens ---------------------------------------------------------------------------------------------------------------


def test_an_empty_project_says_what_to_do_first(browser: Client) -> None:
    """Every screen of a store with nothing in it."""
    with open_memories() as memories:
        memories.ensure_project()
    assert "tacit connect" in browser("GET", "/").text
    for path in (
        "/lessons",
        "/search",
        "/page",
        "/runs",
        "/effect",
        "/pairs",
        "/guards",
        "/health?verify=yes",
    ):
        assert browser("GET", path).status_code == 200, path


def test_a_guard_is_tried_armed_and_ended_at_the_desk(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record first, then the step that the record is enough for, then only told again; the same as by `tacit guard`."""
    past = [run(f"p{n}", tool("npm install", error="npm: command not found")) for n in range(6)]
    monkeypatch.setattr("tacit.surfaces.web.acts.past_sessions", lambda _: past)
    id = teach("Run `pnpm install`, not `npm install`.")
    assert f"/guards?tried={id}" in browser("GET", "/guards").text
    tried = unescape(browser("GET", f"/guards?tried={id}").text)
    assert (
        "6 right, 0 wrong, 0 moot" in tried
        and "Ask me before it" in tried
        and "Refuse it" not in tried
    )
    assert browser("POST", f"/act/guards/{id}", data={"do": "refuse"}).status_code == 422, (
        "its record is not enough"
    )
    assert browser("POST", f"/act/guards/{id}", data={"do": "ask"}).status_code < 400
    assert "asks you; fires before `npm install`" in unescape(browser("GET", "/guards").text)
    assert browser("POST", f"/act/guards/{id}", data={"do": "off"}).status_code < 400
    assert "No guard is armed." in browser("GET", "/guards").text


def test_hostile_text_is_shown_as_text(browser: Client) -> None:
    """On every screen that shows it; right-to-left texts too."""
    id, other = teach(XSS), hold()
    teach("‮" + "א" * 300)
    with open_memories() as memories:
        memories.edit(other, category=XSS, text=f"{XSS} of a held lesson")
        memories.learn(
            run(
                "<b>r</b>",
                finding("<b>r</b>", f"{XSS} was seen", kind="pitfall", quote=XSS),
                task=XSS,
            )
        )
    lists, own = (
        "/ /inbox /lessons /search?q=alert /page /runs /runs/%3Cb%3Er%3C%2Fb%3E /health",
        (id, other),
    )
    for path in (*lists.split(), *(f"/lessons/{each}" for each in own)):
        html = browser("GET", path).text
        assert "<script>alert" not in html and "<img src=x" not in html and "<b>r" not in html, path
    assert "&lt;script&gt;alert(1)" in browser("GET", f"/lessons/{id}").text


def test_a_lesson_of_100_kb_fits_on_every_screen(browser: Client) -> None:
    """Its beginning where others stand beside it, all of it on its own screen."""
    ids = [teach(f"{XSS} {n} " + "a long tail of words " * 5_000, kind="rule") for n in range(3)]
    with open_memories() as memories, memories.store.write() as tx:
        held = tx.get(ids[0])
        put_as(tx, held, "gate", now(), "sam", "too long", gate="hold")
    for path in (
        "/",
        "/inbox",
        "/lessons",
        "/search?q=tail",
        "/page",
        f"/lessons/{ids[1]}",
        "/health",
    ):
        html = browser("GET", path).text
        assert "<script>alert" not in html, path
        whole = path.endswith(ids[1])
        assert (len(html) > 100_000) is whole, (path, len(html))
    assert "edit it on its own screen" in browser("GET", "/inbox").text
    words = words_beside(browser, f"/lessons/{ids[0]}", f"/act/lessons/{ids[0]}")
    yes = {"decision": "approve", "words": words}
    done = browser("POST", f"/act/proposals/{ids[0]}", data=yes)
    assert "approved" in done.text and len(done.text) < 5_000


def test_nothing_is_erased_from_here(api: Client) -> None:
    """Erasing is for good, and asks at a terminal."""
    id = teach()
    assert not [path for path in document()["paths"] if "erase" in path]
    assert api("POST", f"/api/v1/memories/{id}/erase", json={}).status_code == 404
    assert api("DELETE", f"/api/v1/memories/{id}").status_code == 405


def test_a_judgement_and_its_undo(browser: Client) -> None:
    """Approved by a click, taken back by another: the lesson stands where it stood, and waits again."""
    id = hold()
    assert id in browser("GET", "/inbox").text
    yes = {"decision": "approve", "words": words_beside(browser, "/inbox", f"/act/proposals/{id}")}
    done = browser("POST", f"/act/proposals/{id}", data=yes)
    assert "approved" in done.text
    with open_memories() as memories:
        assert memories.get(id).state == "provisional"
    entries = re.search(r'name="entries" value="([\d ]+)"', done.text)
    assert entries
    back = browser("POST", f"/act/proposals/{id}/reopen", data={"entries": entries[1]})
    assert 'class="card proposal"' in back.text
    with open_memories() as memories:
        assert (memories.get(id).state, memories.get(id).gate) == ("candidate", "hold")


def test_desk_and_command_line_leave_the_same_journal(browser: Client, tacit: Any) -> None:
    """The same acts on two lessons, one by each: verbs, reasons, persons and changes are equal."""
    here, there = hold(1), hold(2)
    words = words_beside(browser, "/inbox", f"/act/proposals/{here}")
    yes = {"decision": "approve", "reason": "seen it", "words": words}
    browser("POST", f"/act/proposals/{here}", data=yes)
    browser("POST", f"/act/lessons/{here}", data={"do": "pin", "reason": "always"})
    browser(
        "POST",
        f"/act/lessons/{here}",
        data={"do": "edit", "text": "Clear the cache first", "reason": "shorter"},
    )
    browser("POST", f"/act/lessons/{here}", data={"do": "forget", "reason": "gone"})
    for args in (
        ("review", "approve", there, "--reason", "seen it"),
        ("pin", there, "--reason", "always"),
        ("edit", there, "Clear the cache first", "--reason", "shorter"),
        ("forget", there, "--reason", "gone"),
    ):
        assert tacit(*args).code == 0, args
    told = [
        # Two entries of one millisecond do not both change the time.
        [
            (
                e["verb"],
                e["by"],
                e["reason"].replace(id, "ID"),
                sorted({*e["after"]} - {"updated_at"}),
            )
            for e in tacit("log", "--memory", id, "--json").data["entries"]
        ]
        for id in (here, there)
    ]
    assert told[0] == told[1]
    assert len(told[0]) > 4


def test_an_error_is_said_and_changes_nothing(browser: Client) -> None:
    """A judgement that does not exist, a lesson that does not, an undo that came too late."""
    id = hold()
    assert browser("POST", f"/act/proposals/{id}", data={"decision": "explode"}).status_code == 422
    assert (
        browser("POST", "/act/proposals/nothing", data={"decision": "approve"}).status_code == 422
    )
    assert browser("POST", "/act/undo", data={"entry": "999999"}).status_code == 422
    assert browser("GET", "/lessons/nothing").status_code == 404


def test_a_job_tells_its_progress(browser: Client) -> None:
    """Tend, started by a click, says each step and its end as server-sent events; a second one waits its turn."""
    teach()
    started = browser("POST", "/act/tend")
    path = re.search(r'data-events="([^"]+)"', started.text)
    assert path
    told = browser("GET", path[1]).text
    assert "event: line" in told and "sweep" in told
    assert told.rstrip().splitlines()[-2:] == ["event: over", 'data: "tend"']
    assert browser("GET", "/events/nothing").status_code == 404


# -- API -------------------------------------------------------------------------------------------------------------------


def test_the_api_speaks_in_the_envelope(api: Client) -> None:
    """Keep, correct, pin, forget, undo; errors with their hint."""
    kept = api("POST", "/api/v1/memories", json={"text": "Use pnpm.", "kind": "preference"}).json()
    assert kept["ok"] and kept["schema"] == 1
    id = kept["data"]["id"]
    edited = api("PATCH", f"/api/v1/memories/{id}", json={"text": "Use pnpm, not npm."}).json()
    assert edited["data"]["text"] == "Use pnpm, not npm."
    assert api("POST", f"/api/v1/memories/{id}/pin", json={"on": True}).json()["data"]["pinned"]
    assert (
        api("POST", f"/api/v1/memories/{id}/forget", json={}).json()["data"]["memories"][0]["state"]
        == "archived"
    )
    assert (
        api("POST", "/api/v1/undo", json={"memory": id}).json()["data"]["memories"][0]["state"]
        != "archived"
    )
    whole = api("GET", f"/api/v1/memories/{id}").json()["data"]
    assert [entry["verb"] for entry in whole["journal"]][-1] == "add"
    missing = api("GET", "/api/v1/memories/nothing")
    assert (missing.status_code, missing.json()["ok"]) == (404, False)
    assert missing.json()["error"]["hint"]


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", "/api/v1/memories?limit=0", {}, 400),
        ("GET", "/api/v1/memories?limit=x", {}, 400),
        ("GET", "/api/v1/memories?unknown=1", {}, 400),
        ("GET", "/api/v1/memories?state=loud", {}, 400),
        ("POST", "/api/v1/memories", {"json": {}}, 400),
        ("POST", "/api/v1/memories", {"json": {"text": ""}}, 400),
        ("POST", "/api/v1/memories", {"json": {"text": "a", "more": 1}}, 400),
        ("POST", "/api/v1/memories", {"json": ["text"]}, 400),
        (
            "POST",
            "/api/v1/memories",
            {"content": b"{", "headers": {"content-type": "application/json"}},
            400,
        ),
        ("POST", "/api/v1/memories", {"content": b"text=a"}, 415),
        ("POST", "/api/v1/undo", {"json": {"entry": True}}, 400),
        ("GET", "/api/v1/profiles/..%2F..%2Fetc%2Fpasswd", {}, 404),
        ("DELETE", "/api/v1/memories", {}, 405),
        ("GET", "/api/v1/nothing", {}, 404),
    ],
)
def test_bad_calls_are_told_why(
    api: Client, method: str, path: str, more: dict[str, Any], status: int
) -> None:
    """With a code, a message and nothing changed."""
    teach()
    answer = api(method, path, **more)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


def test_lists_are_paged(api: Client) -> None:
    """Page after page gives every lesson once."""
    with open_memories() as memories:
        memories.add_many([f"lesson number {n}" for n in range(25)])
    seen: list[str] = []
    more, offset = True, 0
    while more:
        part = api("GET", f"/api/v1/memories?limit=10&offset={offset}").json()["data"]
        seen += [memory["id"] for memory in part["memories"]]
        more, offset = part["more"], offset + 10
    assert len(seen) == len(set(seen)) == part["total"] == 25


def test_the_inbox_counts_each_question_once(browser: Client, api: Client) -> None:
    """Proposals, lessons under review, held ones: page after page each of them once, and as many as it says; one with a proposal is not repeated."""
    held = [hold(n) for n in range(1, 8)]
    with open_memories() as memories:
        under = [memories.add(f"Restart worker {n} by hand").id for n in range(3)]
        for id in under:
            memories.review(id, "open", reason="is it so?")
        for id in (held[0], under[0]):
            ask(memories, "edit", "shorter", id, text="shorter")
    for kind, waiting in (("", 10), ("held", 6), ("review", 2), ("edit", 2)):
        seen: list[str] = []
        for page in pages(browser, f"/inbox?kind={kind}&limit=3"):
            seen += re.findall(r'id="p-(\w+)"', page.partition('id="look"')[0])
            assert f'data-n="{waiting}">{waiting}<' in page, (kind, len(seen))
        assert len(seen) == len(set(seen)) == waiting, kind
    assert api("GET", "/api/v1/proposals?kind=edit&limit=1").json()["data"]["total"] == 2


def pages(browser: Client, first: str) -> Iterator[str]:
    """A list from its first page on, as long as a page names a next one."""
    place, path = first.partition("?")[0], first
    for _ in range(50):
        page = browser("GET", path)
        assert page.status_code == 200, page.text
        yield page.text
        more = re.search(r'href="(\?[^"]*)" rel="next"', page.text)
        if not more:
            return
        path = place + unescape(more.group(1))
    raise AssertionError("a list without an end")


def test_lists_go_on_behind_what_was_shown(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lessons in any order, runs, and a lesson's story: every one once, also where something new came in between."""
    with open_memories() as memories:
        memories.add_many(
            {"text": f"Lesson {n} of many", "kind": ("rule", "fix")[n % 2]} for n in range(23)
        )
        lesson = memories.list(limit=1)[0].id
        for n in range(12):
            told = finding(
                f"run-{n}", "The importer drops rows", kind="pitfall", quote=f"quote {n}"
            )
            memories.learn(run(f"run-{n}", told))
        met = next(
            each.id for each in memories.list(limit=50) if each.text.startswith("The importer")
        )
    monkeypatch.setattr("tacit.surfaces.web.lesson_screens.STORY_LINES", 5)
    for sort in ("new", "kind", "seen"):
        seen: list[str] = []
        for page in pages(browser, f"/lessons?sort={sort}&limit=7"):
            seen += re.findall(r'<a class="text" href="/lessons/(\w+)">Lesson', page)
            if sort == "new":
                teach(f"Newer than page {len(seen)}")
        assert len(seen) == len(set(seen)) == 23, sort
    assert lesson in seen
    runs = [
        name
        for page in pages(browser, "/runs?limit=5")
        for name in re.findall(r'href="/runs/(run-\d+)"', page)
    ]
    assert runs == [f"run-{n}" for n in reversed(range(12))]
    whole = "".join(pages(browser, f"/lessons/{met}"))
    assert re.findall(r"<blockquote>quote (\d+)<", whole) == [str(n) for n in reversed(range(12))]


INNER = r"\b(provisional|exempt|settled|arm|arms|unit|units|candidate|canonical|under review|withheld|injected)\b"


def test_first_screens_speak_plainly(browser: Client) -> None:
    """No word that only the docs explain, on what somebody sees first."""
    lesson, held = teach(), hold()
    with open_memories() as memories:
        memories.inject("migrate", run="r9", host="neutral")
        memories.learn(
            run("r9", finding("r9", "The importer drops rows", kind="pitfall"), outcome="success")
        )
    for path in (
        "/",
        "/inbox",
        "/lessons",
        f"/lessons/{lesson}",
        f"/lessons/{held}",
        "/runs",
        "/runs/r9",
    ):
        page = browser("GET", path)
        shown = re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2].partition("</main>")[0])
        assert page.status_code == 200 and not re.findall(INNER, shown, re.I), (
            path,
            re.findall(INNER, shown, re.I),
        )


def test_home_shows_pictures_and_what_is_wrong_in_files(browser: Client, folder: Path) -> None:
    """With a control group and half a year's figures; a hostile text is text; the line of the file stands as it is and as it would."""
    from tests.surfaces.desk_world import HOSTILE, lived

    ids = lived(str(folder), weeks=4, sessions=8)
    page, figures = browser("GET", "/").text, browser("GET", "/cost").text
    assert {"in-force-t", "tokens-t", "cost-t", "hosts-t"} <= set(
        re.findall(r'<title id="([\w-]+)"', figures)
    )
    assert "CLAUDE.md:12: replace" in page and "claude-opus-4-5 in claude-code" in figures
    assert "What agents hear" in page and "since then" in page
    assert HOSTILE not in page and HOSTILE not in browser("GET", f"/lessons/{ids['hostile']}").text
    told = browser("GET", f"/lessons/{ids['lesson']}").text
    assert 'aria-labelledby="story-t story-d"' in told
    assert "A session met it" in told
    assert "failed again, exit status 1" in told
    run_page = browser("GET", "/runs/s7").text
    assert "Left out, to compare" in run_page and "Lessons given" in run_page


def test_a_share_button_exports_one_file(browser: Client) -> None:
    """A lesson and a report, for download, with a policy of their own."""
    id = teach(XSS)
    for path in (f"/share/lessons/{id}", "/share/report", "/share/report?days=30&team=true"):
        answer = browser("GET", path)
        assert (
            answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]
        ), path
        assert "<script" not in answer.text and "default-src &#39;none&#39;" in answer.text
        assert "lessons" not in path or path in browser("GET", f"/lessons/{id}").text
    assert browser("GET", "/share/lessons/nothing").status_code == 404


def test_what_takes_long_is_reckoned_beside_the_requests(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that is opened before the figure is there says so and asks again; the older one is shown while a newer is made."""
    import threading

    from tacit.app import Memories
    from tacit.surfaces.web import jobs as reckoned

    teach()
    go, whole = threading.Event(), Memories.effect

    def slow(memories: Memories, id: str = "") -> Any:
        go.wait(20)
        return whole(memories, id)

    monkeypatch.setattr(Memories, "effect", slow)
    monkeypatch.setattr(reckoned, "PATIENCE", 0.01)
    page = browser("GET", "/cost").text
    assert "Being reckoned" in page and 'hx-trigger="load delay:2s"' in page
    assert "Being reckoned" in browser("GET", "/effect").text
    go.set()
    monkeypatch.setattr(reckoned, "PATIENCE", 20.0)
    assert "Being reckoned" not in browser("GET", "/cost").text
    teach("Another one, so that the figure is of an older store")
    assert "Being reckoned" not in browser("GET", "/cost").text


def test_the_inbox_shows_what_was_refused(browser: Client) -> None:
    """What pretended to be the person's stands where they look, and nothing where nothing was."""
    from tacit.core.clock import now as time_now
    from tacit.core.run import FORGED, PREFIX

    assert 'id="refused"' not in browser("GET", "/inbox").text
    with open_memories() as memories, memories.store.write() as tx:
        tx.count("", PREFIX + FORGED, time_now())
    page = browser("GET", "/inbox").text
    assert 'id="refused"' in page and "refused 1x: something printed imitates the host" in page


def test_the_document_names_every_endpoint(api: Client) -> None:
    """And each of them answers something other than 'not found' or a bug to an empty call."""
    teach()
    for path, methods in document()["paths"].items():
        for method in methods:
            answer = api(
                method.upper(), path.replace("{id}", "x").replace("{name}", "geas"), json={}
            )
            assert answer.status_code < 500, (method, path, answer.text)


def test_a_row_is_kept_dropped_and_reworded_where_it_stands(browser: Client) -> None:
    """The same words as at the terminal, in the person's name; what is no word is refused."""
    kept, gone, other = (
        teach("The importer drops rows with umlauts"),
        teach("Use port 5433"),
        teach("Run make seed"),
    )
    page = browser("GET", "/").text
    assert "Use port 5433" in page and f'hx-post="/act/rows/{gone}"' in page
    words = {id: words_beside(browser, "/", f"/act/rows/{id}") for id in (kept, gone)}
    with open_memories() as memories:
        memories.edit(kept, text="The importer keeps rows with umlauts")
    keep = {"do": "keep", "words": words[kept]}
    refused = browser("POST", f"/act/rows/{kept}", data=keep)
    assert refused.status_code == 422 and "its words changed since" in refused.text
    assert browser("POST", f"/act/rows/{kept}", data={"do": "keep"}).status_code == 422
    keep["words"] = words_beside(browser, "/", f"/act/rows/{kept}")
    assert "your word" in browser("POST", f"/act/rows/{kept}", data=keep).text
    drop = {"do": "drop", "words": words[gone]}
    assert "dropped" in browser("POST", f"/act/rows/{gone}", data=drop).text
    reworded = browser(
        "POST", f"/act/rows/{other}", data={"do": "edit", "text": "Run make seed-all"}
    )
    assert "Run make seed-all" in reworded.text
    assert browser("POST", f"/act/rows/{kept}", data={"do": "burn"}).status_code == 422
    assert "Use port 5433" not in browser("GET", "/").text


def test_another_project_is_one_click_away(browser: Client, tmp_path: Path) -> None:
    """Both stand in the switch; a project that is gone is nobody's error."""
    teach("A lesson of the first project")
    other = tmp_path / "second"
    other.mkdir()
    with open_memories(cwd=str(other)) as memories:
        id = memories.add("A lesson of the second project").project
    assert (
        f'href="/project/{id}"' in browser("GET", "/").text
        and "@global" not in browser("GET", "/").text
    )
    answer = browser("GET", f"/project/{id}")
    there = browser("GET", "/", headers={"cookie": f"{browser.cookie}; tacit-project={id}"}).text
    assert answer.status_code == 303 and "second project" in there and "first project" not in there
    assert (
        browser(
            "GET", "/", headers={"cookie": f"{browser.cookie}; tacit-project=nothinghere1"}
        ).status_code
        == 200
    )


def test_what_is_not_there_is_a_page_for_people(browser: Client) -> None:
    """And JSON for programs."""
    assert (
        browser("GET", "/nowhere").status_code == 404 and "<nav" in browser("GET", "/nowhere").text
    )
    assert "application/json" in browser("GET", "/api/v1/nowhere").headers["content-type"]


def test_a_session_says_what_failed_in_it(browser: Client) -> None:
    """Sessions were empty pages though the store knew their failures."""
    failed = tool("npm run test", error="Error: Cannot find module 'left-pad'")
    with open_memories() as memories:
        memories.learn(run("s1", failed, tool("npm ci"), tool("npm run test", "ok")), over=True)
    page = browser("GET", "/runs/s1").text
    assert "left-pad" in page and "got over by a command: npm ci" in page
    assert "1 failure" in browser("GET", "/runs").text


def test_what_would_be_unsafe_is_not_served(tmp_path: Path) -> None:
    """No address beyond this machine by accident, no token that others can read or guess; a token is made once."""
    for host in ("0.0.0.0", "192.0.2.7", "::"):
        with pytest.raises(TacitError, match="in the clear"), served(host, 80, [], ""):
            pass
    file = tmp_path / "new" / "token"
    token = token_at(str(file))
    assert token == token_at(str(file)) and len(token) == 64
    file.chmod(0o644)
    with pytest.raises(TacitError, match="Others may read"):
        token_at(str(file))
    file.chmod(0o600)
    file.write_text("short")
    with pytest.raises(TacitError, match="too short"):
        token_at(str(file))
    (tmp_path / "link").symlink_to(file)
    with pytest.raises(TacitError, match="cannot be read"):
        token_at(str(tmp_path / "link"))
