"""The desk in a real browser: its four screens on half a year's life and on 100,000 lessons, words said by click, and the tab key.

Needs Chromium and `playwright`, `axe-playwright-python`: `make test-desk` brings the packages and runs this; elsewhere it is skipped, and
says so. `TACIT_SHOTS=FOLDER` keeps screenshots in light, dark and phone width.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the desk's tests speak to it with httpx")
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
from tests.verbs import open as open_memories  # noqa: E402

from tacit.serve.desk.security import Keys, host_names  # noqa: E402
from tacit.serve.desk.server import Desk, application  # noqa: E402
from tacit.testing import signed  # noqa: E402

SHOTS = os.environ.get("TACIT_SHOTS", "")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
FORMS = (("light", 1200), ("dark", 1200), ("light", 390), ("dark", 390))


@pytest.fixture
def desk(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The link of a desk of half a year's life, and the ids of what its screens are about."""
    ids = lived(str(folder), sessions=int(os.environ.get("TACIT_DESK_SESSIONS", "100")))
    (other := folder.parent / "other-project").mkdir()
    with open_memories(cwd=str(other)) as memories:
        memories.add("Seed the other database first.", kind="rule")
    process = subprocess.Popen(
        [sys.executable, "-m", "tacit", "desk", "--port", "0", "--quiet"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stdout
    yield process.stdout.readline().strip(), ids
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
        self.base, self.wrong = base, list[str]()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._asked)

    def _heard(self, said: Any) -> None:
        if said.type == "error":
            self.wrong.append(said.text)

    def _asked(self, asked: Any) -> None:
        if not asked.url.startswith((self.base, "data:")):
            self.wrong.append(asked.url)

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


def fits(page: Any) -> bool:
    """Whether a page is no wider than its window."""
    wide = "() => document.documentElement.scrollWidth <= window.innerWidth + 1"
    return bool(page.evaluate(wide))


def test_four_screens_are_readable_and_reached_by_the_tab_key(
    desk: tuple[str, dict[str, str]], browser: Any
) -> None:
    """In light, dark and on a phone; nothing serious for axe, nothing from elsewhere, no text that became a page's own."""
    link, ids = desk
    base = link.partition("/?")[0]
    first = Watched(browser, base)
    first.page.goto(link)
    assert "key=" not in first.page.url
    cookies = first.page.context.cookies()
    screens = {
        "home": "/",
        "lesson": f"/lessons/{ids['edited']}",
        "hostile": f"/lessons/{ids['hostile']}",
        "session": f"/runs/{ids['run']}",
        "proof": "/proof",
    }
    for scheme, width in FORMS:
        window = {"width": width, "height": 900}
        seen = Watched(browser, base, color_scheme=scheme, viewport=window)
        seen.page.context.add_cookies(cookies)
        for name, path in screens.items():
            page = seen.to(path)
            if name == "proof":
                page.locator("table.effects").wait_for()  # once it is reckoned
            assert page.locator("h1").count() == 1, name
            assert fits(page) and serious(page) == [] and page.title() != "owned", name
            if (scheme, width) == FORMS[0]:
                assert unreached(page) == [], name
            if SHOTS:
                file = Path(SHOTS) / f"desk-{name}-{scheme}-{width}.png"
                page.screenshot(path=str(file), full_page=name in ("home", "session"))
        assert seen.wrong == []


def test_a_person_looks_after_memory(desk: tuple[str, dict[str, str]], browser: Any) -> None:
    """Rows kept, dropped, brought back and reworded; a lesson pinned and its story read; another project and back."""
    link, ids = desk
    seen = Watched(browser, link.partition("/?")[0], viewport={"width": 1200, "height": 900})
    page = seen.page
    page.goto(link)
    rows, done = page.locator(".problem"), page.locator(".done")
    assert rows.count() >= 5 and rows.first.locator(".number").inner_text() == "1"
    page.get_by_role("button", name="Keep row 1", exact=True).click()
    assert "it is your word now" in done.inner_text()
    page.get_by_role("button", name="Drop row 2", exact=True).click()
    assert "dropped" in done.inner_text()
    done.get_by_role("button", name="Take it back").click()
    assert "took back" in done.inner_text()
    page.locator(".problem", has=page.get_by_label("Keep row 3", exact=True)).locator(
        "summary"
    ).click()
    page.get_by_label("Better words").locator("visible=true").fill("Say it in better words.")
    page.get_by_role("button", name="Keep with these words").locator("visible=true").click()
    assert "Say it in better words." in done.inner_text()
    seen.to(f"/lessons/{ids['edited']}")
    page.get_by_role("button", name="Pin", exact=True).click()
    assert "always given" in done.inner_text() and "/lessons/" in page.url
    page.locator(".story a").first.click()
    assert "/runs/" in page.url and page.locator("h1").count() == 1
    seen.to("/")
    first = page.locator("h1").inner_text()
    for there in ("other-project", first):
        page.locator("details.switch summary").click()
        page.get_by_role("link", name=there, exact=True).click()
        assert page.locator("h1").inner_text() == there
    assert seen.wrong == []


def unreached(page: Any) -> list[str]:
    """What one could click and the tab key never comes to."""
    clicked = "a[href], button, input:not([type=hidden]), select, textarea, summary"
    page.evaluate("() => { window.reached = new Set(); document.body.focus(); }")
    many = page.evaluate(f"() => document.querySelectorAll('{clicked}').length")
    for _ in range(many + 40):
        page.keyboard.press("Tab")
        page.evaluate("() => window.reached.add(document.activeElement)")
    return list(
        page.evaluate(
            "() => [...document.querySelectorAll('main a[href], main button, main summary')]"
            ".filter((each) => each.checkVisibility() && !window.reached.has(each))"
            ".map((each) => each.outerHTML.slice(0, 80))"
        )
    )


GROWTH = 3.0  # what a screen may cost in a large store, over its cost in a small one


def client(env: dict[str, str]) -> Any:
    """The real application on a store, without a socket."""
    keys, folder = Keys("once"), os.path.join(env["HOME"], "work")

    def opened(project: str = "") -> Any:
        return open_memories(env=env, cwd=folder, create=False, project=project or None)

    app = application(Desk(opened), keys, host_names("127.0.0.1", 8477))
    app._too_much = lambda headers: None  # type: ignore[method-assign]  # the rate is not what is measured
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://127.0.0.1:8477",
        headers={"cookie": f"tacit_desk={keys.session}"},
    )


def test_a_hundred_thousand_lessons_and_ten_thousand_runs(tmp_path: Path) -> None:
    """Every screen costs at most three times what it costs with a thousand of each, in CPU time, by the median of interleaved requests."""
    large = int(os.environ.get("TACIT_DESK_LARGE", "100000"))
    homes, given = [], []
    for name, lessons, runs in (("small", 1_000, 1_000), ("large", large, 10_000)):
        home = tmp_path / name
        (home / "work").mkdir(parents=True)
        named = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "USER": "sam"}
        homes.append(signed({**os.environ, **named}))
        with open_memories(env=homes[-1], cwd=str(home / "work")) as memories:
            crowded(memories, lessons=lessons, runs=runs)
            given.append(memories.list(sort="old", limit=1)[0].id)

    async def costs() -> dict[str, tuple[float, float]]:
        pair = [client(home) for home in homes]
        for asked in pair:  # what the whole memory spared is reckoned beside the requests
            while "Being reckoned" in (await asked.get("/proof")).text:
                await asyncio.sleep(0.5)
        found = {}
        for screen in ("/", "/lessons/ID", "/runs/many-7", "/proof"):
            spent: list[list[float]] = [[], []]
            for _ in range(7):
                for at, asked in enumerate(pair):
                    began = time.process_time()
                    answer = await asked.get(screen.replace("ID", given[at]))
                    assert answer.status_code == 200, (screen, answer.text[:300])
                    spent[at].append(time.process_time() - began)
            few, many = (1000 * statistics.median(each[1:]) for each in spent)
            found[screen] = (few, many)
        return found

    found = asyncio.run(costs())
    for screen, (few, many) in found.items():
        print(f"{screen:28} {few:7.1f} ms {many:7.1f} ms  {many / few:.2f}x")
    assert {screen: cost for screen, cost in found.items() if cost[1] > GROWTH * cost[0]} == {}
