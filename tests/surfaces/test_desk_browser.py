"""The desk in a real browser: every screen on 5,000 lessons, fifty judgements by key, an undo, a page line, a search.

Needs Chromium and `playwright`, `axe-playwright-python`, `schemathesis`: `make test-desk` brings the packages and runs this; elsewhere it is
skipped, and says so. `TACIT_SHOTS=FOLDER` keeps screenshots in light, dark and phone width.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="make test-desk brings playwright")
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="make test-desk brings axe-core"
)
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine"),
]

from tests.surfaces.desk_world import crowded, lived  # noqa: E402
from tests.terminals import ask  # noqa: E402

from tacit.app import open as open_memories  # noqa: E402
from tacit.testing import finding, run, signed  # noqa: E402

SHOTS = os.environ.get("TACIT_SHOTS", "")
LESSONS = int(os.environ.get("TACIT_DESK_LESSONS", "5000"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SUBJECTS = (
    "The importer",
    "Login tests",
    "The payment client",
    "CI on macOS",
    "Database migrations",
    "The nightly export",
    "Docker builds",
)
FAULTS = (
    "fails when the cache is cold",
    "hangs while two workers share a port",
    "returns 500 because LANG is unset",
    "needs the protos first",
)
LESSON = (
    "API handlers return 500 because the response of the payment service is not checked for null"
)


@pytest.fixture
def desk(folder: Path) -> Iterator[str]:
    """The address of a desk with 5,000 lessons, thirty proposals, thirty that the gate holds, and a lesson on trial."""
    with open_memories() as memories:
        texts = [f"{SUBJECTS[n % 7]} {FAULTS[n % 4]} (case {n})" for n in range(LESSONS)]
        # No rules: a person's standing ways of working come first at every start, and 1,700 of them leave no room for a lesson on trial.
        memories.add_many(
            [
                {"text": text, "kind": ("pitfall", "fact", "fix")[n % 3]}
                for n, text in enumerate(texts)
            ]
        )
        for memory in memories.list(sort="old", limit=30):
            ask(
                memories,
                "edit",
                "says what to do",
                memory.id,
                text=f"{memory.text}, so start it twice",
                was=memory.text,
            )
        for n in range(30):
            text = f"Clear the cache of module {n} before you deploy it"
            memories.learn(
                run(
                    f"held-{n}",
                    finding(
                        f"held-{n}",
                        text,
                        kind="pitfall",
                        tier="quoted",
                        by="web",
                        quote=f"a page said so, {n}",
                    ),
                )
            )
        for n in (1, 2):
            memories.learn(run(f"first-{n}", finding(f"first-{n}", LESSON, kind="pitfall")))
        for n in range(12):
            memories.inject("payment service", run=f"t{n}", host="neutral")
            said = (finding(f"t{n}", LESSON, kind="pitfall"),) if n % 3 == 0 else ()
            memories.learn(
                run(f"t{n}", *said, outcome="success", extra={"instruments": ["review"]})
            )
        memories.add(
            "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">",
            kind="rule",
        )
    yield from served(folder)


def served(folder: Path) -> Iterator[str]:
    """The link of a desk, while it is needed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tacit", "serve", "--port", "0", "--quiet"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stdout
    link = process.stdout.readline().strip()
    yield link
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:  # a busy machine; the store does not mind
        process.kill()
        process.wait()
    process.stdout.close()


@pytest.fixture
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


class Watched:
    """A page, and everything that should not happen on it."""

    def __init__(self, browser: Any, base: str, **context: Any) -> None:
        self.page = browser.new_context(**context).new_page()
        self.wrong: list[str] = []
        self.page.on(
            "console", lambda said: self.wrong.append(said.text) if said.type == "error" else None
        )
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "request",
            lambda asked: (
                None if asked.url.startswith((base, "data:")) else self.wrong.append(asked.url)
            ),
        )
        self.base = base

    def to(self, path: str) -> Any:
        answer = self.page.goto(self.base + path)
        assert answer.status == 200, path
        return self.page


def serious(page: Any) -> list[str]:
    """What axe-core finds that keeps people out."""
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:120]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def test_a_person_looks_after_memory(desk: str, browser: Any) -> None:
    """Every screen, fifty judgements in one page load, one undo, a page line, an effect plot, a search; nothing serious, nothing foreign."""
    base = desk.partition("/?")[0]
    seen = Watched(browser, base, viewport={"width": 1200, "height": 900})
    page = seen.page
    page.goto(desk)
    assert "key=" not in page.url
    lesson = None
    with open_memories() as memories:
        lesson = next(memory.id for memory in memories.list(limit=500) if memory.text == LESSON)
    screens = (
        "/",
        "/inbox",
        "/lessons",
        f"/lessons/{lesson}",
        "/search?q=importer+cache",
        "/page",
        "/runs",
        "/runs/t3",
        "/effect",
        "/pairs",
        "/health?verify=yes",
    )
    for path in screens:
        seen.to(path)
        assert page.locator("h1").count() == 1, path
        assert serious(page) == [], path
    seen.to("/inbox")
    for n in range(50):
        page.keyboard.press("r" if n % 5 == 0 else "a")
        page.locator(".card.done").nth(n).wait_for()
    assert page.locator(".card.done").count() == 50
    for left in (49, 48):  # one after the other
        page.keyboard.press("u")
        page.wait_for_function(f"() => document.querySelectorAll('.card.done').length === {left}")
    assert (
        page.locator("#said").inner_text() == "taken back"
        and page.locator("#count").inner_text() == "12"
    )
    seen.to("/page")
    line = page.locator(".lines li").first
    line.get_by_role("button").click()
    page.get_by_role("button", name="Take it off").first.wait_for()
    seen.to(f"/lessons/{lesson}")
    told = page.locator("section[aria-labelledby=h-effect]")
    assert (
        "its problem came in" in told.inner_text() and told.locator("figure svg.pic").count() == 1
    )
    seen.to("/search?q=login+tests+cache")
    page.locator(".hits details summary").first.click()
    assert page.locator(".parts tr").first.is_visible()
    seen.to("/lessons?text=script")
    assert page.locator(".lessons a.text", has_text="<script>").count() == 1
    assert page.title() != "owned"
    assert seen.wrong == []
    with open_memories() as memories:
        made = {
            verb: len(memories.log(verb=verb, by="ada", limit=1000))
            for verb in ("edit", "approve", "undo")
        }
        decided = {
            state: len(memories.proposals(state=state))
            for state in ("approved", "rejected", "open")
        }
    assert decided == {"approved": 24, "rejected": 6, "open": 0}
    assert made["edit"] == 24 and made["approve"] >= 16 and made["undo"] >= 2


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 390), ("dark", 390)]
)
def test_it_is_readable_in_light_dark_and_on_a_phone(
    desk: str, browser: Any, scheme: str, width: int
) -> None:
    """No screen is wider than its window, and colours hold their contrast."""
    base = desk.partition("/?")[0]
    seen = Watched(browser, base, color_scheme=scheme, viewport={"width": width, "height": 860})
    seen.page.goto(desk)
    with open_memories() as memories:
        lesson = next(memory.id for memory in memories.list(limit=500) if memory.text == LESSON)
    screens = {
        "home": "/",
        "inbox": "/inbox?kind=held",
        "proposals": "/inbox",
        "lessons": "/lessons",
        "lesson": f"/lessons/{lesson}",
        "search": "/search?q=cache",
        "page": "/page",
        "runs": "/runs",
        "run": "/runs/t3",
        "effect": "/effect",
        "pairs": "/pairs",
        "health": "/health",
    }
    for name, path in screens.items():
        page = seen.to(path)
        assert page.evaluate(
            "() => document.documentElement.scrollWidth <= window.innerWidth + 1"
        ), name
        assert serious(page) == [], name
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"{name}-{scheme}-{width}.png"))
    assert seen.wrong == []


@pytest.fixture
def lived_in(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a desk of half a year's life, and the ids of what its screens are about."""
    ids = lived(str(folder), sessions=int(os.environ.get("TACIT_DESK_SESSIONS", "100")))
    (other := folder.parent / "other-project").mkdir()
    with open_memories(cwd=str(other)) as memories:
        memories.add("Seed the other database first.", kind="rule")
    yield from ((link, ids) for link in served(folder))


def test_home_lesson_run_and_what_is_shared(
    lived_in: tuple[str, dict[str, str]], browser: Any, tmp_path: Path
) -> None:
    """Pictures with titles; every link and button reached by the tab key; one shared file that loads nothing; nothing serious for axe."""
    link, ids = lived_in
    base = link.partition("/?")[0]
    first = Watched(browser, base)
    first.page.goto(link)
    cookies = first.page.context.cookies()
    for scheme, width in (("light", 1200), ("dark", 1200), ("light", 390), ("dark", 390)):
        seen = Watched(
            browser,
            base,
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
            accept_downloads=True,
        )
        seen.page.context.add_cookies(cookies)
        looked_at(seen, ids, f"{scheme}-{width}", tab=(scheme, width) == ("light", 1200))
        switched(seen)
        for name, path in (
            ("report", "/share/report?days=30"),
            ("shared-lesson", f"/share/lessons/{ids['hostile']}"),
        ):
            with seen.page.expect_download() as waiting:
                seen.page.evaluate(
                    "(path) => { const a = document.createElement('a'); a.href = path; a.download = ''; a.click(); }",
                    path,
                )
            file = tmp_path / f"{name}.html"
            waiting.value.save_as(str(file))
            alone = Watched(
                browser,
                f"file://{tmp_path}",
                color_scheme=scheme,
                viewport={"width": width, "height": 900},
            )
            alone.page.goto(f"file://{file}")
            assert (
                fits(alone.page) and serious(alone.page) == [] and alone.page.title() != "owned"
            ), name
            # its style is let in
            assert (
                alone.page.evaluate(
                    "() => getComputedStyle(document.querySelector('ul, ol')).listStyleType"
                )
                == "none"
            )
            if SHOTS:
                alone.page.screenshot(
                    path=str(Path(SHOTS) / f"{name}-{scheme}-{width}.png"), full_page=True
                )
            assert alone.wrong == []
        assert seen.wrong == []


def looked_at(seen: Watched, ids: dict[str, str], mode: str, *, tab: bool) -> None:
    """Home, a lesson, a run and their lists."""
    screens = {
        "home": "/",
        "lesson": f"/lessons/{ids['edited']}",
        "run": f"/runs/{ids['run']}",
        "lessons": "/lessons",
        "runs": "/runs",
        "cost": "/cost",
    }
    for name, path in screens.items():
        page = seen.to(path)
        if name == "home":
            assert (
                page.locator(".problem").count() >= 5
                and page.locator(".problem .number").first.inner_text() == "1"
            )
        if name == "cost":
            page.locator("#t-spared figure svg").wait_for()
            assert page.locator("svg.pic").count() >= 4
        assert fits(page) and serious(page) == [] and page.title() != "owned", (name, mode)
        titled = "() => [...document.querySelectorAll('svg.pic')].every((svg) => svg.querySelector('title') && svg.querySelector('desc'))"
        assert page.evaluate(titled), name
        if tab:
            assert unreached(page) == [], name
        if SHOTS:
            page.screenshot(
                path=str(Path(SHOTS) / f"desk-{name}-{mode}.png"), full_page=name in ("home", "run")
            )


def switched(seen: Watched) -> None:
    """From one project to another and back, by what stands in the bar."""
    page = seen.to("/")
    first = page.locator("h1").inner_text()
    for there in ("other-project", first):
        page.locator("details.switch summary").first.click()
        page.get_by_role("link", name=there, exact=True).click()
        page.wait_for_function(
            "(name) => document.querySelector('h1').innerText === name", arg=there
        )
    assert page.locator(".problem").count() >= 5


def fits(page: Any) -> bool:
    """Whether a page is no wider than its window."""
    return bool(
        page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth + 1")
    )


def unreached(page: Any) -> list[str]:
    """What one could click and the tab key never comes to."""
    page.evaluate("() => { window.reached = new Set(); document.body.focus(); }")
    many = page.evaluate(
        "() => document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary').length"
    )
    for _ in range(many + 40):
        page.keyboard.press("Tab")
        page.evaluate("() => window.reached.add(document.activeElement)")
    return list(
        page.evaluate(
            "() => [...document.querySelectorAll('main a[href], main button, main summary')]"
            ".filter((each) => each.checkVisibility() && !window.reached.has(each)).map((each) => each.outerHTML.slice(0, 80))"
        )
    )


GROWTH = 3.0  # what a screen may cost in a large store, over its cost in a small one


def test_a_hundred_thousand_lessons_and_ten_thousand_runs(tmp_path: Path) -> None:
    """Every screen costs at most three times what it costs with a thousand of each, in CPU time, by the median of interleaved requests."""
    import asyncio
    import statistics
    import time

    from bench.desk import client

    homes = {}
    for name, lessons, runs in (
        ("small", 1_000, 1_000),
        ("large", int(os.environ.get("TACIT_DESK_LARGE", "100000")), 10_000),
    ):
        home = tmp_path / name
        (home / "work").mkdir(parents=True)
        homes[name] = signed(
            {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "USER": "sam"}
        )
        with open_memories(env=homes[name], cwd=str(home / "work")) as memories:
            crowded(memories, lessons=lessons, runs=runs)

    async def costs() -> dict[str, tuple[float, float]]:
        pairs = [client(homes[name]) for name in ("small", "large")]
        given = []
        for name in ("small", "large"):
            with open_memories(
                env=homes[name], cwd=os.path.join(homes[name]["HOME"], "work")
            ) as memories:
                given.append(
                    (
                        memories.list(sort="old", limit=1)[0].id,
                        memories.list(sort="new", limit=500)[-1].id,
                    )
                )
        for asked, _ in pairs:  # what the whole memory spared is reckoned beside the requests
            while "Being reckoned" in (await asked.get("/effect")).text:
                await asyncio.sleep(0.5)
        found = {}
        for screen in (
            "/",
            "/inbox",
            "/lessons",
            "/lessons?show=in-force",
            "/lessons?behind=FAR",
            "/lessons?sort=seen",
            "/lessons/ID",
            "/runs",
            "/runs?behind=many-500",
            "/runs/many-7",
            "/effect",
            "/health",
        ):
            spent: list[list[float]] = [[], []]
            for _ in range(7):
                for at, (asked, _) in enumerate(pairs):
                    began = time.process_time()
                    answer = await asked.get(
                        screen.replace("ID", given[at][0]).replace("FAR", given[at][1])
                    )
                    assert answer.status_code == 200, (screen, answer.text[:300])
                    spent[at].append(time.process_time() - began)
            found[screen] = (
                1000 * statistics.median(spent[0][1:]),
                1000 * statistics.median(spent[1][1:]),
            )
        return found

    found = asyncio.run(costs())
    for screen, (few, many) in found.items():
        print(f"{screen:28} {few:7.1f} ms {many:7.1f} ms  {many / few:.2f}x")
    assert {screen: cost for screen, cost in found.items() if cost[1] > GROWTH * cost[0]} == {}


def test_no_call_breaks_the_api(desk: str, folder: Path, alone: Path) -> None:
    """schemathesis makes calls from the OpenAPI document; none of them is a server error or leaves the described shape."""
    pytest.importorskip("schemathesis", reason="make test-desk brings schemathesis")
    base = desk.partition("/?")[0]
    token = (alone / "data" / "tacit" / "desk-token").read_text().strip()
    done = subprocess.run(
        [
            shutil.which("st") or str(Path(sys.executable).parent / "st"),
            "run",
            f"{base}/api/v1/openapi.json",
            "--header",
            f"Authorization: Bearer {token}",
            "--checks",
            "not_a_server_error,response_schema_conformance",
            "--max-examples",
            "15",
            "--rate-limit",
            "150/s",
            "--request-timeout",
            "60",
            "--phases",
            "examples,coverage,fuzzing",
            "--seed",
            "7",
        ],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=900,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout[-3000:]
