"""A check at the end of the work through the whole: typed by a person, tried on past sessions, spoken once at the host's stop, and down again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

from tacit.core.errors import Refused
from tacit.hooks import main as hooks

LESSON = "Run the tests before you say that you are done."
FORM = "ran make test after src/*.py"


class Session:
    """A session of Claude Code whose transcript is written as the host writes it."""

    def __init__(self, folder: Path, name: str = "s1", entry: str = "cli") -> None:
        self.folder, self.name, self.entry, self.rows = folder, name, entry, 0
        self.path = folder / f"{name}.jsonl"

    def _row(self, kind: str, content: Any, **more: Any) -> None:
        self.rows += 1
        row = {
            "type": kind,
            "uuid": f"{self.name}-{self.rows}",
            "sessionId": self.name,
            "cwd": str(self.folder),
            "entrypoint": self.entry,
            "userType": "external",
            "version": "2.1.200",
            "timestamp": f"2026-11-19T09:{self.rows:02}:00.000Z",
            "message": {"role": kind, "content": content},
            **more,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def says(self, text: str) -> Session:
        self._row("user", text, promptSource="typed", permissionMode="default")
        return self

    def calls(self, tool: str, given: dict[str, Any], output: str, failed: bool = False) -> Session:
        id = f"toolu_{self.rows}"
        self._row("assistant", [{"type": "tool_use", "id": id, "name": tool, "input": given}])
        result = {"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}
        self._row("user", [result])
        return self

    def writes(self, path: str, text: str = "x") -> Session:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        given = {"file_path": str(file), "content": text}
        return self.calls("Write", given, f"File created successfully at: {file}")

    def stops(self, **env: str) -> dict[str, Any]:
        """What the host hears at the end of the turn."""
        payload = {
            "session_id": self.name,
            "cwd": str(self.folder),
            "hook_event_name": "Stop",
            "transcript_path": str(self.path),
        }
        said = hooks.respond("stop", payload, {**os.environ, **env}, host="claude-code")
        answer: dict[str, Any] = json.loads(said) if said else {}
        return answer


@pytest.fixture(autouse=True)
def _no_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACIT_COIN", "never")
    monkeypatch.delenv("CI", raising=False)


def _armed(form: str = FORM) -> str:
    with verbs.open(by="ada", yes=True) as memories:
        lesson = memories.add(LESSON).id
        memories.arm_check(lesson, form)
        return lesson


def test_an_agent_is_sent_back_once_and_the_second_time_its_person_hears(folder: Path) -> None:
    lesson = _armed()
    session = Session(folder).says("add a field").writes("src/a.py")
    first = session.stops()
    assert first["decision"] == "block" and "`make test` did not run" in first["reason"]
    second = session.stops()
    assert "decision" not in second and lesson in second["systemMessage"]
    session.calls("Bash", {"command": "make test"}, "12 passed")
    assert session.stops() == {}
    session.says("and another").writes("src/b.py")
    assert session.stops()["decision"] == "block", "a new turn is a new message"


def test_all_that_is_not_so_is_one_message_and_nobody_is_sent_back_twice(folder: Path) -> None:
    first = _armed()
    with verbs.open(by="ada", yes=True) as memories:
        other = memories.add("Each change of the code is told in the changelog.").id
        memories.arm_check(other, "with src/*.py: CHANGELOG.md")
    session = Session(folder).says("add a field").writes("src/a.py")
    said = session.stops()["reason"]
    assert "`make test` did not run" in said and "CHANGELOG.md did not" in said
    session.calls("Bash", {"command": "make test"}, "12 passed")
    again = session.stops()
    assert "decision" not in again
    assert other in again["systemMessage"] and first not in again["systemMessage"]


def test_what_is_so_is_silent(folder: Path) -> None:
    _armed()
    done = Session(folder).says("add it").writes("src/a.py")
    assert done.calls("Bash", {"command": "make test"}, "ok").stops() == {}
    assert Session(folder, "s2").says("explain it").stops() == {}


@pytest.mark.parametrize(("entry", "env"), [("sdk-cli", {}), ("cli", {"CI": "true"})])
def test_a_program_and_ci_are_left_alone_unless_asked_for(
    folder: Path, entry: str, env: dict[str, str]
) -> None:
    _armed()
    session = Session(folder, entry=entry).says("add it").writes("src/a.py")
    assert session.stops(**env) == {}
    assert session.stops(**env, TACIT_CHECKS="always")["decision"] == "block"


def test_what_cannot_be_told_is_silent_and_a_broken_transcript_too(folder: Path) -> None:
    _armed()
    session = Session(folder).says("add it").writes("src/a.py")
    session.calls("Bash", {"command": "make test | tail -3"}, "12 passed")
    assert session.stops() == {}
    session.path.write_text("{ not a transcript", encoding="utf-8")
    assert session.stops() == {}
    session.path.unlink()
    assert session.stops() == {}


def test_a_file_is_looked_up_where_the_session_wrote_it(folder: Path) -> None:
    _armed("holds *.json: key meta.author")
    session = Session(folder).says("write the report").writes("out/a.json", '{"meta": {}}')
    assert "the key meta.author is missing" in session.stops()["reason"]


def test_only_a_person_arms_one_and_it_is_off_with_a_word(folder: Path, tacit: Any) -> None:
    lesson = _armed()
    shell = {**os.environ, "CLAUDECODE": "1"}
    with verbs.open(by="", env=shell) as memories, pytest.raises(Refused):
        memories.arm_check(lesson, FORM)
    listed = tacit("guard", "--json").data["checks"]
    assert [row["lesson"] for row in listed] == [lesson]
    with verbs.open(by="ada", yes=True) as memories:
        memories.disarm_check(lesson)
    assert Session(folder).says("add it").writes("src/a.py").stops() == {}


def test_effect_tells_how_often_it_was_kept_where_it_was_sent_back_and_where_only_told(
    folder: Path, tacit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the coin of lessons: in some sessions the message is held out, and the end is looked up alike."""
    lesson = _armed()
    monkeypatch.delenv("TACIT_COIN")
    seen: list[bool] = []
    while len(seen) < 6 or len(set(seen)) < 2:  # until both arms were met
        session = Session(folder, f"t{len(seen)}").says(f"add field {len(seen)}")
        session.writes("src/a.py", f"field {len(seen)}")
        seen.append(session.stops().get("decision") == "block")
        if seen[-1]:
            session.calls("Bash", {"command": "make test"}, "12 passed")
        with verbs.open() as memories:
            memories.learn(str(session.path), over=True)
    told, back = seen.count(False), seen.count(True)
    wanted = f"sessions that were only told 0 of {told}, sent back {back} of {back};"
    for said in (tacit("effect", lesson).out, tacit("why", lesson).out):
        assert wanted in " ".join(said.split()), said


def test_a_lesson_that_was_dropped_checks_nothing(folder: Path) -> None:
    lesson = _armed()
    with verbs.open(by="ada", yes=True) as memories:
        memories.forget(lesson)
    assert Session(folder).says("add it").writes("src/a.py").stops() == {}


def test_at_a_terminal_it_is_tried_before_it_is_armed(folder: Path, tacit: Any) -> None:
    with verbs.open(by="ada", yes=True) as memories:
        lesson = memories.add(LESSON).id
    tried = tacit("guard", "try", lesson, "--when-done", FORM)
    assert tried.code == 0 and "Would not have spoken in 0 sessions." in tried.out
    assert tacit("guard", "check", lesson).code == 2
    assert tacit("guard", "check", lesson, "--when-done", "run it all").code == 2
    assert tacit("guard", "check", lesson, "--when-done", FORM).code == 0
