"""The worked examples of docs/internals/extending: each is applied to a copy of the tree, works there, touches as few places as the page says, and is taken back."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tacit as package

ROOT = Path(package.__file__).parents[2]
PAGES = ROOT / "docs" / "internals" / "extending"
spec = importlib.util.spec_from_file_location("extending_apply", PAGES / "apply.py")
assert spec and spec.loader
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)


class Tree:
    """A copy of the tree that examples are applied to."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # Compiled files come along: they are known by their source's time, which the copy keeps.
        shutil.copytree(ROOT / "src" / "tacit", root / "src" / "tacit")
        for page in ("docs/desk.md",):
            (root / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / page, root / page)

    def content(self) -> dict[str, str]:
        files = (
            path
            for path in self.root.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        )
        return {
            str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        }

    def run(self, code: str) -> str:
        """What a script prints that runs with this tree's Tacit."""
        env = {**os.environ, "PYTHONPATH": str(self.root / "src"), "TACIT_NO_WORKER": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.rstrip()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("tree"))


@pytest.fixture
def applied(tree: Tree, folder: Path, request: pytest.FixtureRequest) -> Any:
    """Apply a page's example and return the tree; it is taken back at the end, and nothing stays behind."""
    before = tree.content()
    page = (PAGES / f"{request.param}.md").read_text(encoding="utf-8")
    touched = example.apply(page, tree.root)
    assert set(touched) == {name for name, at in tree.content().items() if before.get(name) != at}
    new = {
        str(Path(name).parent)
        for name in touched
        if not any(old.startswith(f"{Path(name).parent}/") for old in before)
    }
    new.discard("docs/howto")  # which the copy left out
    tree.places = {
        next((each for each in new if name.startswith(f"{each}/")), name) for name in touched
    }  # type: ignore[attr-defined]
    yield tree
    example.apply(page, tree.root, revert=True)
    assert tree.content() == before


def test_an_example_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    """Nor does one of which only a part fits; and what is applied twice is refused."""
    (tmp_path / "a.py").write_text("one\ntwo\n")
    block = "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+ONE\n{}```\n"
    with pytest.raises(example.DoesNotApply, match="0 times"):
        example.apply(
            block.format("--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-three\n+THREE\n"), tmp_path
        )
    assert (tmp_path / "a.py").read_text() == "one\ntwo\n"
    assert example.apply(
        block.format("--- /dev/null\n+++ b/c/d.py\n@@ -0,0 +1 @@\n+new\n"), tmp_path
    ) == [
        "a.py",
        "c/d.py",
    ]
    assert (tmp_path / "a.py").read_text() + (
        tmp_path / "c" / "d.py"
    ).read_text() == "ONE\ntwo\nnew\n"
    with pytest.raises(example.DoesNotApply):
        example.apply(block.format(""), tmp_path)


def test_a_migration_takes_the_next_free_number(tmp_path: Path) -> None:
    """Somebody else's may have come in between; taken back is the last one."""
    for folder, numbers in (("sqlite/migrations", (98, 99)), ("postgres/schema", (7,))):
        place = tmp_path / "src" / "tacit" / "stores" / folder
        place.mkdir(parents=True)
        for number in numbers:
            (place / f"{number:04d}.sql").touch()
    page = (PAGES / "column.md").read_text(encoding="utf-8")
    forth, back = (
        example.changes(example.renumbered(page, tmp_path, revert)) for revert in (False, True)
    )
    assert {Path(name).name for name in forth} >= {"0100.sql", "0008.sql"} and {
        Path(name).name for name in back
    } >= {
        "0099.sql",
        "0007.sql",
    }
    assert [
        "SCHEMA = 99 " in before and "SCHEMA = 100 " in after
        for before, after in forth["src/tacit/stores/sqlite/__init__.py"]
    ] == [True]


def test_the_table_counts_what_the_examples_touch() -> None:
    """docs/internals/extending/README.md says for each page what its test below finds."""
    import re

    told = {
        page: int(count)
        for count, page in re.findall(
            r"^\| .+ \| (\d): .+ \| \[(\w+)\]\(\w+\.md\) \|$",
            (PAGES / "README.md").read_text(),
            re.M,
        )
    }
    assert told == {"host": 3, "extractor": 3, "column": 4, "screen": 4, "promotion": 1, "key": 3}


@pytest.mark.parametrize("applied", ["host"], indirect=True)
def test_a_host(applied: Any, folder: Path) -> None:
    """Its session is learned, its prompt answered in its shape, `connect` writes its settings and fires its events, its shell is no person's."""
    assert applied.places == {
        "src/tacit/hosts/acme",
        "src/tacit/hosts/__init__.py",
        "docs/howto/acme.md",
    }
    said = applied.run(
        """
import json, os, pathlib
from tacit.app import open
from tacit.app.opened import acting
from tacit.surfaces.cli import main
from tacit.surfaces.hooks import respond

here, home = str(pathlib.Path.cwd()), pathlib.Path(os.environ["HOME"])
log = home / ".acme" / "sessions" / "s1.jsonl"
log.parent.mkdir(parents=True)
at = "2026-11-01T10:00:0{}Z".format
lines = [
    {"acmeSession": "s1", "folder": here},
    {"who": "person", "text": "Add the migration.", "at": at(1)},
    {"who": "shell", "command": "make test", "exit": 2, "output": "no such table: orders", "at": at(2)},
    {"who": "person", "text": "In this repo always run make migrate before the tests.", "at": at(3)},
]
log.write_text("".join(json.dumps(line) + "\\n" for line in lines))
with open() as memories:
    memories.learn(str(log))
    print([memory.text for memory in memories.list()], memories.store.find_run(memories.project_id, "s1").host)
asked = {"acmeSession": "s2", "folder": here, "prompt": "run make migrate and the tests"}
print("make migrate" in respond("prompt", asked, os.environ, host="acme"))
print(acting({**os.environ, "ACME_AGENT": "1"}).tier)
main(["connect", "acme", "--user", "--yes"])
print([*json.loads((home / ".acme" / "hooks.json").read_text())["hooks"]])
"""
    ).splitlines()
    assert said[:3] == [
        "['In this repo always run make migrate before the tests.'] acme",
        "True",
        "agent",
    ]
    assert any(line.startswith("self-test: 2 of 2 events answered") for line in said)
    assert said[-1] == "['beforePrompt', 'afterSession']"


@pytest.mark.parametrize("applied", ["extractor"], indirect=True)
def test_an_extractor(applied: Any) -> None:
    """Its lesson comes out of a run, in the agent's tier; the profile switches it off."""
    assert applied.places == {
        "src/tacit/learn/notes.py",
        "src/tacit/learn/extract.py",
        "src/tacit/profiles/default.toml",
    }
    said = applied.run(
        """
import pathlib
from tacit.app import open
from tacit.testing import run, say, user

pathlib.Path("off.toml").write_text('extends = "default"\\n[extract.extractors.note]\\non = false\\n')
for number, profile in enumerate((None, "off.toml")):
    with open(f"{number}.db", profile=profile) as memories:
        memories.learn(run("r1", user("Fix the totals."), say("Done.\\nLesson: the fixtures of the checkout are stale until make seed was run.")))
        print([(memory.text, memory.trust) for memory in memories.list()])
"""
    )
    assert (
        said == "[('the fixtures of the checkout are stale until make seed was run.', 'agent')]\n[]"
    )


@pytest.mark.parametrize("applied", ["column"], indirect=True)
def test_a_column(applied: Any, folder: Path) -> None:
    """Written, read back, exported and imported; a store and a bundle of before open; one with it asks an older Tacit's user to upgrade."""
    from tacit.app import open
    from tacit.core.errors import StoreNewer

    assert len(applied.places) == 4
    assert {"src/tacit/core/memory.py", "src/tacit/stores/sqlite/__init__.py"} < applied.places
    with open("before.db") as memories:
        memories.add("Run make migrate before the tests.", kind="rule")
        memories.export_bundle("before.zip")
    said = applied.run(
        """
import json, pathlib
from tacit.app import open

def told(memories):
    assert memories.health().health.is_sound, memories.health().health.faults
    return sorted((memory.text[:9], memory.ticket) for memory in memories.list())

pathlib.Path("new.jsonl").write_text(json.dumps({"text": "The order total is rounded once.", "ticket": "OPS-12", "kind": "fact"}) + "\\n")
with open("before.db", by="ada", yes=True) as memories:
    print(told(memories))
    memories.import_("new.jsonl", format="jsonl", trust="user")
    print(told(memories))
    memories.export_bundle("after.zip")
    for name in ("json", "jsonl", "csv"):
        pathlib.Path(f"after.{name}").write_text(memories.export(name))
for number, name in enumerate(("before.zip", "after.zip", "after.json", "after.jsonl", "after.csv")):
    with open(f"{number}.db", by="ada", yes=True) as memories:
        memories.import_(name, trust="user")
        print(name, told(memories))
with open("before.db", by="ada", yes=True) as memories:
    gone = next(memory.id for memory in memories.list() if memory.ticket)
    memories.erase(gone)
    print(memories.store.get(gone).ticket == "", told(memories))
"""
    ).splitlines()
    without, with_it = "[('Run make ', '')]", "[('Run make ', ''), ('The order', 'OPS-12')]"
    assert said == [
        without,
        with_it,
        f"before.zip {without}",
        *(f"after.{name} {with_it}" for name in ("zip", "json", "jsonl", "csv")),
        f"True {without}",
    ]
    with (
        open("older.db", by="ada", yes=True) as memories,
        pytest.raises(StoreNewer, match="columns that this version does not know"),
    ):
        memories.import_("after.zip", trust="user")


@pytest.mark.parametrize("applied", ["screen"], indirect=True)
def test_a_screen(applied: Any) -> None:
    """It answers, counts, and stands in the navigation."""
    pytest.importorskip("starlette", reason="the desk needs the extra web")
    pytest.importorskip("jinja2", reason="the desk needs the extra web")
    pytest.importorskip("httpx", reason="the desk is asked with httpx")
    web = "src/tacit/surfaces/web"
    assert applied.places == {
        f"{web}/views.py",
        f"{web}/screens.py",
        f"{web}/templates/kinds.html",
        "docs/desk.md",
    }
    said = applied.run(
        """
import asyncio, httpx
from tacit.app import open
from tacit.surfaces.web.security import Keys, host_names
from tacit.surfaces.web.server import Desk, application

with open(by="ada", yes=True) as memories:
    memories.add_many([{"text": "Run make migrate before the tests.", "kind": "rule"}, {"text": "Totals are in cents.", "kind": "rule"}])
keys = Keys("t" * 64, link="once" * 8, whose={}.get)
desk = application(Desk(open), keys, host_names("127.0.0.1", 8477))

async def ask():
    async with httpx.AsyncClient(transport=httpx.ASGITransport(desk), base_url="http://127.0.0.1:8477") as browser:
        return await browser.get("/kinds", headers={"cookie": f"tacit_desk={keys.session}"})

answer = asyncio.run(ask())
print(answer.status_code, answer.text)
"""
    )
    assert said.startswith("200 ")
    assert '<td><a href="/lessons?kind=rule">rule</a></td><td>2</td><td>2</td>' in said
    assert "<title>Kinds" in said and ">Kinds</a>" in said


@pytest.mark.parametrize("applied", ["promotion"], indirect=True)
def test_promotion(applied: Any) -> None:
    """A reviewer's security problem is given at first sight, with its reason; another kind waits as before."""
    assert applied.places == {"src/tacit/profiles/default.toml"}
    said = applied.run(
        """
from tacit.app import open

with open() as memories:
    with memories.run(task="review the login", run="r1", instruments=("reviewer",)) as run:
        run.finding("The session cookie of the login lacks HttpOnly.", by="reviewer", kind="security")
        run.finding("The totals of the checkout are rounded twice.", by="reviewer", kind="pitfall")
    print(sorted((memory.kind, memory.state, memories.why(memory.id).journal[-1].reason) for memory in memories.list()))
"""
    )
    moved = '"a security problem that more than an agent\'s word speaks for"'
    waits = "'outright: the word of a reviewer, a test or CI'"
    assert said == f"[('pitfall', 'candidate', {waits}), ('security', 'provisional', {moved})]"


@pytest.mark.parametrize("applied", ["key"], indirect=True)
def test_a_key(applied: Any) -> None:
    """A session that was broken off is over after an hour; one that is quiet, after six."""
    assert applied.places == {
        "src/tacit/core/profile_upkeep.py",
        "src/tacit/profiles/default.toml",
        "src/tacit/learn/session.py",
    }
    said = applied.run(
        """
from types import SimpleNamespace
from tacit import profiles
from tacit.learn.session import Findings

def over(outcome, hours):
    run = SimpleNamespace(ended_at="2026-03-01T10:00:00.000Z", complete=False, outcome=outcome, steps=("a",))
    at = f"2026-03-01T{10 + hours:02}:00:00.000Z"
    me = SimpleNamespace(run=run, at=at, row=SimpleNamespace(complete=False), profile=profiles.load("default"))
    return Findings.is_over(me)

print([over(*each) for each in (("aborted", 2), ("unknown", 2), ("unknown", 7))])
"""
    )
    assert said == "[True, False, True]"
