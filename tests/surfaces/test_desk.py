"""The desk: who may speak to it, what its four screens show, and that a person's acts are those of the command line."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the desk needs the extra web")
pytest.importorskip("jinja2", reason="the desk needs the extra web")
httpx = pytest.importorskip("httpx", reason="the desk's tests speak to it with httpx")

from tests.surfaces.desk_world import HOSTILE, lived  # noqa: E402
from tests.terminals import ask  # noqa: E402
from tests.verbs import Memories  # noqa: E402
from tests.verbs import open as open_memories  # noqa: E402

from tacit.core.errors import TacitError  # noqa: E402
from tacit.serve.desk import effects, screens  # noqa: E402
from tacit.serve.desk.security import Keys, host_names, refused, served  # noqa: E402
from tacit.serve.desk.server import Desk, application  # noqa: E402
from tacit.testing import finding, run, tool  # noqa: E402

HOST = "127.0.0.1:8477"
LINK = "once" * 8
XSS = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Client:
    """A browser without eyes: the real application, no socket."""

    def __init__(self, **headers: str) -> None:
        import asyncio

        keys = Keys(LINK)
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

    def act(self, path: str, **form: str) -> str:
        """A form that is sent: the page that it leads to, or the error it was answered with."""
        answer = self("POST", path, data={"csrf": self.csrf, **form})
        if answer.status_code == 303:
            answer = self("GET", answer.headers["location"])
            assert answer.status_code == 200
        else:
            assert answer.status_code == 422, answer.text
        return unescape(answer.text)

    def close(self) -> None:
        self._loop.close()


@pytest.fixture
def browser(folder: Path) -> Iterator[Client]:
    client = Client()
    client.headers = {"cookie": client.cookie, "origin": f"http://{HOST}"}
    yield client
    client.close()


def words_beside(browser: Client, path: str, act: str) -> str:
    """What a form carries of the words that stand beside its button."""
    form = browser("GET", path).text.partition(f'action="{act}"')[2]
    return form.partition('name="words" value="')[2].partition('"')[0]


def said_of(browser: Client, path: str, act: str, do: str, **form: str) -> str:
    """A click on a form's button, as the page holds it."""
    return browser.act(act, do=do, words=words_beside(browser, path, act), **form)


def teach(text: str = "Run make migrate before the tests.", **facets: Any) -> str:
    with open_memories() as memories:
        return memories.add(text, **facets).id


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
        ("GET", {"authorization": "Bearer anything"}, 401),
        ("GET", {"cookie": "tacit_desk=wrong"}, 401),
        ("GET", {"host": "evil.example", "cookie": "OURS"}, 421),
        ("GET", {"origin": "http://evil.example", "cookie": "OURS"}, 403),
        ("GET", {"cookie": "OURS"}, None),
        ("POST", {"cookie": "OURS"}, None),
        ("POST", {"cookie": "OURS", "sec-fetch-site": "same-site"}, 403),
        ("POST", {"cookie": "OURS", "sec-fetch-site": "cross-site"}, 403),
        ("POST", {"cookie": "OURS", "origin": "null"}, 403),
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
    ],
)
def test_who_may_speak(method: str, headers: dict[str, str], status: int | None) -> None:
    """Names, origins and the cookie that the link gave."""
    keys = Keys(LINK)
    given = {"host": HOST, **headers}
    given = {k: v.replace("OURS", f"tacit_desk={keys.session}") for k, v in given.items()}
    why = refused(method, "/", given, host_names("127.0.0.1", 8477), keys)
    assert (why.status if why else None) == status


def test_a_link_opens_once_and_leaves_a_strict_cookie(folder: Path) -> None:
    """The word of the link is not the cookie, and does not work twice."""
    client = Client()
    first = client("GET", f"/?key={LINK}")
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and LINK not in cookie
    assert client("GET", f"/?key={LINK}").status_code == 401
    assert client("GET", "/", headers={"cookie": cookie.partition(";")[0]}).status_code == 200
    client.close()


def test_no_link_leads_away(folder: Path) -> None:
    """A path with two slashes is a path here; no two desks have the same secrets."""
    client = Client()
    assert Keys(LINK).session != Keys(LINK).session and Keys(LINK).csrf != Keys(LINK).csrf
    first = client("GET", f"http://{HOST}//evil.example/?key={LINK}")
    assert (first.status_code, first.headers["location"]) == (303, "/evil.example/")
    client.close()


def test_a_change_needs_the_word_that_only_our_pages_know(browser: Client) -> None:
    """Without it, or with another, nothing is changed; and a form leads to no other site."""
    id = teach()
    for form in ({"do": "drop"}, {"do": "drop", "csrf": "wrong"}):
        answer = browser("POST", f"/act/lessons/{id}", data=form)
        assert answer.status_code == 422 and "does not come from a page" in answer.text
    with open_memories() as memories:
        assert memories.get(id).state == "active"
    form = {"do": "pin", "csrf": browser.csrf, "back": "//evil.example/"}
    assert browser("POST", f"/act/lessons/{id}", data=form).headers["location"] == "/"


def test_every_answer_carries_the_policy(browser: Client) -> None:
    """Also refusals; and no page holds a script or a style of its own."""
    teach()
    for answer in (
        browser("GET", "/"),
        browser("GET", "/", headers={"cookie": "no"}),
        browser("GET", "/static/desk.css"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src" not in policy
        assert "unsafe" not in policy and "access-control-allow-origin" not in answer.headers
    assert not re.search(r"<script|\sstyle=|\son\w+=", browser("GET", "/").text)


def test_a_body_that_is_too_large_is_not_read(browser: Client) -> None:
    """By its length, before anything else."""
    assert browser("POST", "/act/rows/x", content=b"x" * (2 << 20)).status_code == 413


def test_a_flood_is_slowed_down(browser: Client) -> None:
    """A person never meets it; a script that forgot to stop does."""
    browser.app.clock = lambda: browser.app._at
    answers = {browser("GET", "/static/icon.svg").status_code for _ in range(405)}
    assert answers == {200, 429}


def test_no_address_beyond_this_machine_by_accident() -> None:
    for host in ("0.0.0.0", "192.0.2.7", "::"):
        with pytest.raises(TacitError, match="in the clear"), served(host, 80, [], ""):
            pass


# -- screens ---------------------------------------------------------------------------------------------------------------


def test_an_empty_project_says_what_to_do_first(browser: Client) -> None:
    with open_memories() as memories:
        memories.ensure_project()
    assert "tacit connect" in browser("GET", "/").text
    assert "No lesson was ever given" in browser("GET", "/proof").text


def test_hostile_text_is_shown_as_text(browser: Client) -> None:
    """On every screen that shows it; right-to-left texts too."""
    id, other = teach(XSS), hold()
    teach("‮" + "א" * 300)
    with open_memories() as memories:
        memories.edit(other, category=XSS, text=f"{XSS} of a held lesson")
        told = finding("<b>r</b>", f"{XSS} was seen", kind="pitfall", quote=XSS)
        memories.learn(run("<b>r</b>", told, task=XSS))
    paths = ("/", "/proof", "/runs/%3Cb%3Er%3C%2Fb%3E", f"/lessons/{id}", f"/lessons/{other}")
    for path in paths:
        html = browser("GET", path).text
        assert "<script>alert" not in html and "<img src=x" not in html and "<b>r" not in html, path
    assert "&lt;script&gt;alert(1)" in browser("GET", f"/lessons/{id}").text


def test_what_is_approved_is_read_in_the_order_in_which_it_is_told(
    browser: Client, tacit: Any
) -> None:
    """Characters that do not show, or turn others round, stand as their numbers; as JSON they are the same, escaped."""
    text = "Never \u202ehsup\u202c; use \u2066make\u2069 \x9b31m and \U000e0041 ✔\ufe0f."
    id = teach(text)
    seen = browser("GET", f"/lessons/{id}").text
    assert "⟨U+202E⟩hsup⟨U+202C⟩" in seen and "⟨U+009B⟩31m" in seen and "✔\ufe0f" in seen
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x80-\x9f\U000e0000-\U000e0fff]", seen)
    line = tacit("why", id, "--json").out
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x80-\x9f\U000e0000-\U000e0fff]", line)
    assert json.loads(line)["data"]["memory"]["text"] == text


def test_a_lesson_of_100_kb_fits_on_every_screen(browser: Client) -> None:
    """Its beginning where others stand beside it, all of it on its own screen."""
    ids = [teach(f"{XSS} {n} " + "a long tail of words " * 5_000, kind="rule") for n in range(3)]
    assert len(browser("GET", "/").text) < 100_000
    assert len(browser("GET", f"/lessons/{ids[1]}").text) > 100_000
    assert len(said_of(browser, "/", f"/act/rows/{ids[0]}", "drop")) < 100_000
    assert (
        "✓ keep" not in browser("GET", "/").text
    )  # what is not shown whole is kept on its own screen


def test_home_is_the_one_screen(browser: Client, folder: Path) -> None:
    """What agents hear and what came of it; the line of a file that is wrong; a lesson's life and a session's record in words."""
    ids = lived(str(folder), weeks=4, sessions=8)
    page = browser("GET", "/").text
    assert "CLAUDE.md:12: replace" in page and "What agents hear" in page and "since then" in page
    assert HOSTILE not in page and HOSTILE not in browser("GET", f"/lessons/{ids['hostile']}").text
    told = browser("GET", f"/lessons/{ids['lesson']}").text
    assert "A session met it" in told and "failed again, exit status 1" in told
    session = browser("GET", "/runs/s7").text
    assert "Lessons given" in session and "Learned from it" in session
    proof = browser("GET", "/proof").text
    assert f'href="/lessons/{ids["lesson"]}"' in proof and "Problems a session, with it" in proof


def test_a_row_is_kept_dropped_and_reworded_where_it_stands(browser: Client) -> None:
    """The same words as at the terminal, in the person's name, and each taken back by a click; what is no word is refused."""
    kept, gone, other = (
        teach("The importer drops rows with umlauts"),
        teach("Use port 5433"),
        teach("Run make seed"),
    )
    page = browser("GET", "/").text
    assert "Use port 5433" in page and f'action="/act/rows/{gone}"' in page
    before = words_beside(browser, "/", f"/act/rows/{kept}")
    with open_memories() as memories:
        memories.edit(kept, text="The importer keeps rows with umlauts")
    for words in (before, ""):
        told = browser.act(f"/act/rows/{kept}", do="keep", words=words)
        assert "its words changed since" in told
    assert "it is your word now" in said_of(browser, "/", f"/act/rows/{kept}", "keep")
    dropped = said_of(browser, "/", f"/act/rows/{gone}", "drop")
    assert "dropped: Use port 5433" in dropped and f'action="/act/undo/{gone}"' in dropped
    assert "Use port 5433" not in browser("GET", "/").text  # said once
    assert "took back: Use port 5433" in browser.act(f"/act/undo/{gone}")
    assert "Use port 5433" in browser("GET", "/").text
    assert "Run make seed-all" in browser.act(
        f"/act/rows/{other}", do="edit", text="Run make seed-all"
    )
    with open_memories() as memories:
        assert memories.get(other).text == "Run make seed-all"
    assert "is no word about a row" in browser.act(f"/act/rows/{kept}", do="burn")


def test_a_question_is_answered_and_waits_again(browser: Client) -> None:
    """A yes closes what had to be mended outside; taken back, the question waits."""
    with open_memories() as memories:
        ask(memories, "notice", "The tea is missing.", id="pq")
    assert "The tea is missing." in browser("GET", "/").text
    assert "The tea is missing." in said_of(browser, "/", "/act/rows/pq", "keep")
    with open_memories() as memories:
        assert memories.proposals() == []
    assert "waits for your answer again" in browser.act("/act/undo/pq")
    with open_memories() as memories:
        assert [each.id for each in memories.proposals()] == ["pq"]


def test_desk_and_command_line_leave_the_same_journal(browser: Client, tacit: Any) -> None:
    """The same acts on two lessons, one by each: verbs, reasons, persons and changes are equal."""
    here, there = hold(1), hold(2)
    words = "Clear the cache first"
    for do, reason, more in (
        ("keep", "seen it", {}),
        ("pin", "always", {}),
        ("edit", "shorter", {"text": words}),
        ("drop", "gone", {}),
    ):
        own, act = f"/lessons/{here}", f"/act/lessons/{here}"
        said_of(browser, own, act, do, reason=reason, back=own, **more)
    for args in (
        ("review", "approve", there, "--reason", "seen it"),
        ("keep", there, "--always", "--reason", "always"),
        ("edit", there, words, "--reason", "shorter"),
        ("drop", there, "--reason", "gone"),
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
            for e in tacit("origin", "log", "--memory", id, "--json").data["entries"]
        ]
        for id in (here, there)
    ]
    assert told[0] == told[1]
    assert len(told[0]) > 4


def test_an_error_is_said_and_changes_nothing(browser: Client) -> None:
    """A word that does not exist, a lesson that does not, nothing to take back, words that are none."""
    id = teach()
    assert "cannot be done with a lesson" in browser.act(f"/act/lessons/{id}", do="erase")
    assert "nothing" in browser.act("/act/rows/nothing", do="keep")
    assert "nothing" in browser.act("/act/undo/nothing")
    assert "Edit to what?" in browser.act(f"/act/lessons/{id}", do="edit", text=" ")
    assert "is longer than" in browser.act(f"/act/lessons/{id}", do="edit", text="x" * 20_001)
    with open_memories() as memories:
        assert [entry.verb for entry in memories.log(memory=id)] == ["add"]


@pytest.mark.parametrize("path", ["/nowhere", "/lessons/nothing", "/runs/nothing", "/api/v1/x"])
def test_what_is_not_there_is_a_page_for_people(browser: Client, path: str) -> None:
    answer = browser("GET", path)
    assert answer.status_code == 404 and "<nav" in answer.text and "There is no" in answer.text


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
    """A lesson's story and the lessons by effect: every one once."""
    with open_memories() as memories:
        for n in range(12):
            told = finding(f"r-{n}", "The importer drops rows", kind="pitfall", quote=f"quote {n}")
            memories.learn(run(f"r-{n}", told))
        for n in range(5):
            memories.add(f"Before release {n} run make seed-{n}", kind="rule")
        memories.inject("the importer before release", run="given", host="neutral")
        met = next(
            each.id for each in memories.list(limit=50) if each.text.startswith("The importer")
        )
        known = {each.memory.id for each in memories.effect().lessons}
    monkeypatch.setattr(screens, "STORY_LINES", 5)
    monkeypatch.setattr(screens, "PER_PAGE", 2)
    monkeypatch.setattr(effects, "PATIENCE", 20.0)
    whole = "".join(pages(browser, f"/lessons/{met}"))
    assert re.findall(r"<blockquote>quote (\d+)<", whole) == [str(n) for n in reversed(range(12))]
    shown = re.findall(r'<td><a href="/lessons/(\w+)"', "".join(pages(browser, "/proof")))
    assert len(shown) == len(set(shown)) and set(shown) == known and len(known) > 2


def test_a_session_says_what_failed_in_it(browser: Client) -> None:
    """Sessions were empty pages though the store knew their failures."""
    failed = tool("npm run test", error="Error: Cannot find module 'left-pad'")
    with open_memories() as memories:
        memories.learn(run("s1", failed, tool("npm ci"), tool("npm run test", "ok")), over=True)
    page = browser("GET", "/runs/s1").text
    assert "left-pad" in page and "got over by a command: npm ci" in page


INNER = r"\b(provisional|exempt|settled|arm|arms|unit|units|candidate|canonical|under review|withheld|injected)\b"


def test_first_screens_speak_plainly(browser: Client) -> None:
    """No word that only the docs explain, on what somebody sees first."""
    lesson, held = teach(), hold()
    with open_memories() as memories:
        memories.inject("migrate", run="r9", host="neutral")
        memories.learn(
            run("r9", finding("r9", "The importer drops rows", kind="pitfall"), outcome="success")
        )
    for path in ("/", f"/lessons/{lesson}", f"/lessons/{held}", "/runs/r9"):
        page = browser("GET", path)
        shown = re.sub(r"<[^>]+>", " ", page.text.partition("<main")[2].partition("</main>")[0])
        found = re.findall(INNER, shown, re.I)
        assert page.status_code == 200 and not found, (path, found)


def test_what_takes_long_is_reckoned_beside_the_requests(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proof that is opened before the figure is there says so and asks again; the older one is shown while a newer is made."""
    teach()
    go, whole = threading.Event(), Memories.effect

    def slow(memories: Memories, id: str = "") -> Any:
        go.wait(20)
        return whole(memories, id)

    monkeypatch.setattr(Memories, "effect", slow)
    monkeypatch.setattr(effects, "PATIENCE", 0.01)
    page = browser("GET", "/proof").text
    assert "Being reckoned" in page and 'http-equiv="refresh"' in page
    go.set()
    monkeypatch.setattr(effects, "PATIENCE", 20.0)
    assert "Being reckoned" not in browser("GET", "/proof").text
    teach("Another one, so that the figure is of an older store")
    assert "Being reckoned" not in browser("GET", "/proof").text


def test_another_project_is_one_click_away(browser: Client, tmp_path: Path) -> None:
    """Both stand in the switch; a project that is gone is nobody's error."""
    teach("A lesson of the first project")
    other = tmp_path / "second"
    other.mkdir()
    with open_memories(cwd=str(other)) as memories:
        id = memories.add("A lesson of the second project").project
    home = browser("GET", "/").text
    assert f'href="/project/{id}"' in home and "@global" not in home
    answer = browser("GET", f"/project/{id}")
    cookie = f"{browser.cookie}; tacit-project={id}"
    there = browser("GET", "/", headers={"cookie": cookie}).text
    assert answer.status_code == 303 and "second project" in there and "first project" not in there
    gone = f"{browser.cookie}; tacit-project=nothinghere1"
    assert browser("GET", "/", headers={"cookie": gone}).status_code == 200
