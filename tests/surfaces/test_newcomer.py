"""What newcomers stumbled over, each once: docs/howto/first-minutes.md tells of them."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tacit as package
from tacit.core.errors import UsageError
from tacit.core.plural import numbered
from tacit.core.proposal import Proposal, reason_now
from tacit.formats.source import FileSource
from tacit.learn.hazard import kind_of
from tacit.learn.tell.order import as_order
from tacit.learn.tell.person import ForPerson, as_proposal, asked_before, is_asked
from tacit.learn.tell.requests import Request
from tacit.stores.vanished import moved_to, outermost
from tacit.surfaces import standalone
from tacit.surfaces.cli import Cli, _main, words
from tacit.surfaces.cli.moved import gone_folders
from tacit.surfaces.cli.past import _not_learned, transcripts
from tacit.surfaces.cli.reading import nobody_reads
from tacit.surfaces.outlook import looked
from tacit.testing import signed

SOURCES = Path(package.__file__).parent


class Terminal(io.StringIO):
    """A person's terminal, with what they type."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def person(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Surroundings of somebody who may decide."""
    return signed(dict(os.environ))


def called(env: dict[str, str], *args: str, answers: str = "", monkeypatch: pytest.MonkeyPatch | None = None) -> tuple[str, str]:
    """What a command prints, and what it says beside that; with answers at a terminal."""
    out, err = io.StringIO(), Terminal() if monkeypatch else io.StringIO()
    if monkeypatch:
        monkeypatch.setattr("sys.stdin", Terminal(answers))
    assert _main([*args], Cli(env, out, err)) == 0, err.getvalue()
    return out.getvalue(), err.getvalue()


def session(name: str, cwd: str, *files: str) -> Path:
    """A session of Claude Code in its own folder, that edited some files."""
    calls = [{"type": "tool_use", "id": f"t{n}", "name": "Edit", "input": {"file_path": f"{cwd}/{file}"}} for n, file in enumerate(files)]
    base = {"sessionId": name, "cwd": cwd, "version": "2.1.0", "userType": "external"}
    lines = [
        {"type": "user", **base, "uuid": f"u{name}", "timestamp": "2026-07-10T10:00:00.000Z", "message": {"role": "user", "content": "always run make seed first"}},
        {"type": "assistant", **base, "uuid": f"a{name}", "timestamp": "2026-07-10T10:01:00.000Z", "message": {"role": "assistant", "content": calls or [{"type": "text", "text": "ok"}]}},
    ]  # fmt: skip
    path = Path(os.environ["HOME"]) / ".claude" / "projects" / re.sub(r"\W", "-", cwd) / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def shop(folder: Path) -> Iterator[Path]:
    """A repository that was elsewhere when its sessions were written."""
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "src").mkdir()
    (folder / "src" / "shop.py").write_text("")
    session("s1", "/gone/code/store", "src/shop.py")
    session("s2", "/gone/code/store/src", "shop.py")
    session("s3", "/gone/other", "src/else.rs")
    yield folder


# -- a repository that moved ----------------------------------------------------------------------------------------------------


def test_a_moved_repository_is_asked_about_and_remembered(shop: Path, person: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parts are one question, with what speaks for it; a yes is kept, and other folders that are gone stay out."""
    out, err = called(person, "learn", answers="y\nn\n", monkeypatch=monkeypatch)
    assert "2 sessions are of /gone/code/store, which is gone; 1 of the 1 files they name are here." in err
    assert err.count("Are they of") == 1 and "learned 2 sessions" in out
    assert "1 session of a folder that is gone, left out" in err
    with package.open(create=False) as memories:
        assert memories.was_at() == ["/gone/code/store"] and len(memories.store.projects()) == 3  # two of them are not projects
        assert [each.path for each in transcripts(memories.place, person, "claude-code", 36500, was=memories.was_at())]
    session("s4", "/gone/code/store/docs")
    assert "learned 1 session" in called(person, "learn")[0]


def test_without_a_terminal_a_moved_repository_is_named(shop: Path, person: dict[str, str]) -> None:
    """Nothing is mixed unasked; the note says what to type, and that works."""
    out, err = called(person, "learn")
    assert "learned 0 sessions" in out and "If it was this project before it moved: tacit learn --moved-from /gone/code/store" in err
    out, err = called(person, "learn", "--moved-from", "/gone/code/store")
    assert "learned 2 sessions" in out and "moved-from" not in err
    with package.open(create=False, env=person) as memories, pytest.raises(UsageError, match="of a folder that is gone"):
        memories.moved_from(str(shop))


def test_an_agent_may_not_say_where_a_project_was(shop: Path) -> None:
    """Whose sessions these are is a person's word."""
    err = io.StringIO()
    agent = {name: word for name, word in os.environ.items() if name != "TACIT_KEY"}
    assert _main(["learn", "--moved-from", "/gone/code/store"], Cli({**agent, "CLAUDECODE": "1"}, io.StringIO(), err)) == 1
    assert "is a person's word" in err.getvalue()


def test_a_file_of_many_folders_is_no_folders(shop: Path, person: dict[str, str]) -> None:
    """opencode keeps all sessions in one database: what it names first is not where they were."""
    path = shop / "opencode.db"
    path.write_text('{"cwd":"/gone/code/store"}')
    with package.open(env=person) as memories:
        assert gone_folders([FileSource(str(path))], memories.place, {}) == {}
        path = path.rename(shop / "one.jsonl")
        assert list(gone_folders([FileSource(str(path))], memories.place, {})) == ["/gone/code/store"]


def test_folders_above_one_another() -> None:
    """The nearest that somebody named; of those that are gone the outermost."""
    assert moved_to("/a/b/c", {"/a": "p1", "/a/b": "p2"}) == "p2" and moved_to("/x", {"/a": "p1"}) == ""
    assert outermost(["/a/b", "/a/b/c", "/ab"]) == {"/a/b": "/a/b", "/a/b/c": "/a/b", "/ab": "/ab"}


# -- connecting -----------------------------------------------------------------------------------------------------------------


def test_connect_says_what_to_do_where_nobody_reads() -> None:
    """Whether it was wished for or not; a host without a program of its own says so."""
    told = nobody_reads("claude-code", "/c.toml", True)
    assert "claude is not on your PATH" in told and "[model]" in told and told.endswith("tacit connect claude-code --read")
    assert "rules alone" in nobody_reads("gemini", "/c.toml", False) and "no program of its own" in nobody_reads("gemini", "/c.toml", False)


def test_connect_offers_no_session_twice(shop: Path, person: dict[str, str]) -> None:
    """What was learned and has not changed since is not to be learned; what has grown is."""
    path = session("s9", str(shop))
    with package.open(env=person) as memories:
        every = transcripts(memories.place, person, "claude-code", 36500)
        assert _not_learned(memories, every) == (every, 0) and len(every) == 1
        memories.learn(str(path), format="claude-code")
        assert _not_learned(memories, every) == ([], 1)
        os.utime(path, (2e9, 2e9))
        assert _not_learned(memories, every) == (every, 0)


# -- what only the person is told -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "order"),
    [
        ("ok lets get back to main", "Get back to main."),
        ("ok can we get back to main?", "Get back to main."),
        ("can you give me a short PR description", "Give me a short PR description."),
        ("Also update the ReleaseNotes with the recent changes", "Update the ReleaseNotes with the recent changes."),
        ("commit and update changelog", "Commit and update changelog."),
        ("Could you please run the tests for me?", "Run the tests."),
        ("great, I want you to use pnpm", "Use pnpm."),
        ("is there a test for this?", "Is there a test for this?"),
        ("Next steps are listed in todo.md", "Next steps are listed in todo.md."),
        ("can you?", "Can you?"),
        ("Get back to main.", "Get back to main."),
    ],
)
def test_a_request_becomes_an_order(typed: str, order: str) -> None:
    """The same words without what made them a request of that moment; a second time changes nothing."""
    assert as_order(typed) == order and as_order(order) == order


def asked(count: int, sessions: int, *said: str) -> ForPerson:
    text = f"In {count} of {sessions} sessions you asked “{said[0]}”. Make it a standing order?"
    order = Request(said[0], (), (), ()).order
    return ForPerson("request", f"request {said[0]}", text, count, sessions, ("r1",), lesson=said[0], order=order, wordings=said[1:])


def test_an_approved_request_reads_as_an_order(person: dict[str, str], folder: Path) -> None:
    """Its quotes stay as they were typed. One from before there were orders is worded when it is approved."""
    with package.open(env=person) as memories:
        project = memories.ensure_project().id
        new = as_proposal(asked(3, 20, "can you update the changelog?"), project, memories.now(), None)
        old = Proposal("p-old", project, "request", "You asked.", "learn", memories.now(), payload={"text": "please run the linter", "runs": []})
        assert new is not None
        with memories.store.write() as tx:
            tx.put_proposal(new)
            tx.put_proposal(old)
        assert "would read: Without being asked each time: update the changelog." in called(person, "review")[0]
        memories.review(new.id)
        memories.review(old.id)
        assert {each.text for each in memories.list()} == {"Without being asked each time: update the changelog.", "Run the linter."}
    assert asked_before(asked(4, 30, "update the changelog", "can you update the changelog?"), [new]) == [new]
    assert not is_asked("run the linter", asked(3, 20, "can you update the changelog?"))


def test_sessions_are_counted_out_of_all_there_are_now(person: dict[str, str]) -> None:
    """What was asked in 3 of 20 sessions was asked in 3 of 75 by now, on every screen."""
    proposal = as_proposal(asked(3, 20, "update the changelog"), "p", "2026-01-01T00:00:00.000Z", None)
    assert proposal is not None
    assert reason_now(proposal, 75).startswith("In 3 of 75 sessions") and reason_now(proposal, 20) == reason_now(proposal, 0) == proposal.reason
    from tacit.testing import run

    with package.open(env=person) as memories:
        for n in range(2):
            memories.learn(run(f"r{n}"))
        held = as_proposal(asked(1, 1, "update the changelog"), memories.ensure_project().id, memories.now(), None)
        with memories.store.write() as tx:
            tx.put_proposal(held)  # type: ignore[arg-type]
        assert memories.proposals()[0].reason.startswith("In 1 of 2 sessions")
    assert "In 1 of 2 sessions" in called(person, "status")[0] and "In 1 of 2 sessions" in called(person, "review")[0]


def test_an_unknown_project_shows_nobody_elses_question(person: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on the first screen nor in the report."""
    with package.open(env=person) as memories:
        told = Proposal("p1", memories.ensure_project().id, "request", "You asked for tea.", "learn", memories.now(), payload={"text": "tea"})
        with memories.store.write() as tx:
            tx.put_proposal(told)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for args in ((), ("report",), ("review",)):
        assert "tea" not in called(person, *args)[0]
    assert "0 questions for you" in called(person, "report")[0]


def test_a_request_is_not_wrong_in_a_file(person: dict[str, str]) -> None:
    """It has a heading of its own, on the page that is forwarded and on the desk's home."""
    with package.open(env=person) as memories:
        project, at = memories.ensure_project().id, memories.now()
        with memories.store.write() as tx:
            tx.put_proposal(Proposal("p1", project, "request", "You asked for tea.", "learn", at, payload={"text": "tea", "order": "Make tea.", "count": 1}))
            tx.put_proposal(Proposal("p2", project, "notice", "The kettle is broken.", "learn", at, payload={"count": 5}))
        found = looked(memories).for_you
    mended, wanted = (standalone._fixes("x", "T", [each for each in found if (each["kind"] == "request") is yes]) for yes in (False, True))
    assert "kettle" in mended and "tea" not in mended
    assert "Would read: Make tea." in wanted and "Seen in 1 session." in wanted and "kettle" not in wanted


def test_reading_the_past_mixes_no_projects(shop: Path, person: dict[str, str]) -> None:
    """A session of a folder that is gone is read for its project or for none; what waits is not counted as read."""
    from tacit.app import config_path
    from tacit.surfaces.cli.reading import read_past

    config = Path(config_path(person))
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[reader]\nby = "model"\n[model]\ncommand = "false"\n')
    session("s9", str(shop))
    with package.open(env=person) as memories:
        paths = [("claude-code", str(path)) for path in sorted((Path(os.environ["HOME"]) / ".claude" / "projects").rglob("*.jsonl"))]
        said = read_past(Cli(person, io.StringIO(), io.StringIO()), memories, paths, yes=True)
        assert said["read"] + said["waiting"] == 1 and len(said["notes"]) == 2
        assert [row.foreign_id for row in memories.store.runs(memories.project_id, limit=9)] == ["s9"]


def test_an_empty_list_says_what_to_do(person: dict[str, str], folder: Path) -> None:
    """It is no answer to a question that nobody asked."""
    with package.open(env=person) as memories:
        memories.ensure_project()
    assert "tacit learn takes in past sessions" in called(person, "list")[0]
    assert called(person, "list", "--text", "tea")[0].startswith("no lessons here match")


# -- smaller stumbles -----------------------------------------------------------------------------------------------------------


def test_plain_lines_are_imported(person: dict[str, str], folder: Path) -> None:
    """Lines with a text and perhaps a kind are lessons; what has other fields is somebody else's format."""
    file = folder / "mine.jsonl"
    file.write_text('{"text": "Use uv.", "kind": "rule"}\n{"text": "Run make seed first."}\n')
    called(person, "import", str(file), "--trust", "user")
    with package.open(env=person) as memories:
        assert {(each.text, each.kind) for each in memories.list()} == {("Use uv.", "rule"), ("Run make seed first.", "fact")}
    file.write_text('{"text": "Use uv.", "colour": "red"}\n')
    err = io.StringIO()
    assert _main(["import", str(file)], Cli(person, io.StringIO(), err)) == 2 and "no format knows memories like these" in err.getvalue()


def test_a_session_that_brings_a_lesson_does_not_say_it_found_none(person: dict[str, str], folder: Path) -> None:
    """A lesson worded from what several sessions met is no finding of the last one."""
    path = session("s1", str(folder))
    out, _ = called(person, "learn", str(path))
    assert "new lessons" in out and "found" not in out
    assert "known already" in called(person, "learn", str(path))[0]


def test_looking_at_remotes_needs_nobodys_word() -> None:
    """`git remote -v` names what is there; adding one decides where things go."""
    assert kind_of("git remote -v") == kind_of("git remote") == kind_of("git remote show origin") == ""
    assert kind_of("git remote add evil git@example.com:x") and kind_of("git remote set-url origin x")


def test_a_painted_cell_that_is_cut_shows_no_codes() -> None:
    """On a narrow screen."""
    cut = words._fitted([["k3v9", "\x1b[32mon trial (3 of 20 sessions)\x1b[0m", "Run make seed before the tests of the importer."]], 40)
    assert cut[0][1].startswith("on tr") and "[32m" not in cut[0][1] and cut[0][1].endswith("…")


def test_a_column_that_says_nothing_takes_no_room() -> None:
    """As before the first outcome: the lessons themselves need it."""
    assert words.filled([["k3", "-", "", "Run it."]], ("id", "sessions", "more", "lesson")) == ([["k3", "Run it."]], ["id", "lesson"])


def test_one_is_one() -> None:
    """No screen counts “1 lessons”: a number before a plural goes through `numbered`, unless it is a total or a measure."""
    assert [numbered(n, "session") for n in (0, 1, 2, 12000)] == ["0 sessions", "1 session", "2 sessions", "12,000 sessions"]
    counted = "lessons|sessions|questions|faults|keys|rows|records|projects|uses|runs|pairs|backups|sightings|changes"
    plural = re.compile(r"(?<!of )(?<!of the )(?<!last )\{[^{}]*\}\}? (?:new |more )?(?:" + counted + r")\b")
    told: list[Any] = []
    for path in sorted([*(SOURCES / "surfaces").rglob("*.py"), *(SOURCES / "surfaces").rglob("*.html"), *(SOURCES / "lookback").rglob("*.py")]):
        told += [(path.name, line.strip()) for line in path.read_text().splitlines() if plural.search(line) and not ALWAYS_MANY.search(line)]
    assert told == []


# Shown only where there are several, or a measure.
ALWAYS_MANY = re.compile(r"len\(runs\) > 1|done\.seen > 1|whole\.units|found\.units|units\} runs with|at most \{of\.budget\}|f\"over \{units\}|\{unsettled \}|unsettled\}\}|unsettled\b")
