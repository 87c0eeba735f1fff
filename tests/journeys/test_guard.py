"""A guard through the whole: tried on past sessions, armed by a person, asked about before a call, recorded, and down again."""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

from tacit.core.errors import Refused
from tacit.guards.armed import concerned, guards_path
from tacit.hooks import main as hooks
from tacit.store.check import check
from tacit.testing import run, tool, user

HOST = runpy.run_path(str(Path(__file__).parent / "data" / "host.py"))
TEXT = "Run `pnpm install`, not `npm install`."
FORM = "npm install: instead pnpm install"
CALL = "npm install left-pad"
BAD, GOOD = tool(CALL, error="npm: command not found"), tool(CALL, output="added 1 package")


def _past(count: int, *, failed: int) -> list[Any]:
    """Sessions in which the call was made; it failed in so many of them."""
    return [
        run(f"p{n}", user("set it up"), BAD if n < failed else GOOD, user("now the page"))
        for n in range(count)
    ]


def _session(name: str, folder: Path, step: Any = None) -> Any:
    """One of them as a host has it here."""
    return run(
        name,
        user("set it up"),
        step or BAD,
        user("now the page"),
        host="claude-code",
        cwd=str(folder),
    )


def _sessions(folder: Path, told: int, before: int) -> list[Any]:
    """Those that were told of it, and others."""
    return [
        _session(name, folder)
        for name in (*(f"g{n}" for n in range(told)), *(f"b{n}" for n in range(before)))
    ]


def _learned(name: str, step: Any, folder: Path) -> None:
    with verbs.open() as memories:
        memories.learn(_session(name, folder, step), over=True)


def _armed(step: str = "ask", text: str = TEXT, form: str = FORM, **named: Any) -> tuple[str, str]:
    with verbs.open(by="ada", yes=True) as memories:
        lesson = memories.add(text)
        memories.arm_guard(lesson.id, step, _past(12, failed=12), form=form, **named)
        memories.store.tidy()
        return lesson.id, memories.store.path


def _before(folder: Path, call: str = CALL, session: str = "s1", **more: Any) -> dict[str, Any]:
    """What Claude Code is answered before a call."""
    payload = {
        "session_id": session,
        "cwd": str(folder),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_use_id": f"{session} {call}",
        "tool_input": {"command": call},
        **more,
    }
    said = hooks.respond("before-command", payload, dict(os.environ), host="claude-code")
    answer: dict[str, Any] = json.loads(said)["hookSpecificOutput"] if said else {}
    return answer


def _asked(folder: Path, **named: Any) -> list[str]:
    return [
        _before(folder, session=f"s{n}", **named).get("permissionDecision", "") for n in range(40)
    ]


def test_a_guard_asks_with_the_lesson_and_the_way_out(folder: Path) -> None:
    lesson, _ = _armed()
    answers = [_before(folder, session=f"s{n}") for n in range(40)]
    asked = [each for each in answers if each.get("permissionDecision") == "ask"]
    assert 15 < len(asked) < 38, "a question is tossed against a note"
    said = asked[0]["permissionDecisionReason"]
    assert (
        said.startswith(TEXT)
        and "Instead: pnpm install." in said
        and f"tacit guard off {lesson}" in said
    )
    assert not any(_asked(folder, call="pnpm install"))


def test_the_same_event_twice_is_one_firing(folder: Path) -> None:
    lesson, _ = _armed("refuse")
    assert _before(folder)["permissionDecision"] == _before(folder)["permissionDecision"] == "deny"
    with verbs.open() as memories:
        assert [
            mark.value for mark in memories.store.marks(memory=lesson) if mark.signal == "fired"
        ] == ["refused"]


def test_a_refusal_has_no_coin_and_ends_with_a_word(folder: Path) -> None:
    lesson, path = _armed("refuse")
    assert set(_asked(folder)) == {"deny"}
    with verbs.open(by="ada", yes=True) as memories:
        memories.disarm_guard(lesson)
        assert memories.guards() == []
    assert not os.path.exists(guards_path(path)) and set(_asked(folder)) == {""}


def test_its_record_comes_first(folder: Path) -> None:
    with verbs.open(by="ada", yes=True) as memories:
        lesson = memories.add(TEXT)
        with pytest.raises(Refused, match="Would not have fired"):
            memories.arm_guard(lesson.id, "ask", form=FORM)
        with pytest.raises(Refused, match=r"3 right, 2 wrong, 0 moot\. 3 of 5 were right"):
            memories.arm_guard(lesson.id, "ask", _past(5, failed=3), form=FORM)
        with pytest.raises(Refused, match="A refusal needs 10"):
            memories.arm_guard(lesson.id, "refuse", _past(5, failed=4), form=FORM)
        few = memories.arm_guard(lesson.id, "ask", _past(5, failed=4), form=FORM)
        assert few.guard.step == "ask"
        more = memories.arm_guard(lesson.id, "refuse", form=FORM, anyway=True)
        assert [more.guard.step] == [each.guard.step for each in memories.guards()] == ["refuse"]


def test_nobody_but_a_person_arms_or_disarms(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson, _ = _armed()
    monkeypatch.setenv("CLAUDECODE", "1")
    with verbs.open() as memories:
        with pytest.raises(Refused):
            memories.arm_guard(lesson, "refuse", _past(12, failed=12), form=FORM)
        with pytest.raises(Refused):
            memories.disarm_guard(lesson)


def test_what_became_of_a_firing_is_kept_and_two_overruled_end_it(folder: Path) -> None:
    lesson, _ = _armed("refuse")
    ran, denied = tool(CALL, output="ok"), tool(CALL, error="Hook denied: … tacit guard off x …")
    for n, step in enumerate((denied, ran, ran)):
        assert _before(folder, session=f"t{n}")
        _learned(f"t{n}", step, folder)
        with verbs.open() as memories:
            ended = [
                mark
                for mark in memories.store.marks(memory=lesson)
                if mark.signal == "firing ended"
            ]
            kept = [(mark.value, mark.reason) for mark in ended]
            armed = [each.guard.lesson for each in memories.guards()]
        assert kept == [("obeyed", ""), ("overruled", "wrong"), ("overruled", "wrong")][: n + 1]
        assert armed == ([lesson] if n < 2 else [])


def test_why_and_effect_tell_how_often_it_came_back_told_asked_and_refused(
    folder: Path, tacit: Any
) -> None:
    lesson, _ = _armed()
    seen: list[bool] = []
    while len(seen) < 6 or len(set(seen)) < 2:  # the coin decides: go on until both arms were met
        name = f"t{len(seen)}"
        seen.append(_before(folder, session=name).get("permissionDecision") == "ask")
        error = "Hook denied: … tacit guard off x" if seen[-1] else "npm: command not found"
        _learned(name, tool(CALL, error=error), folder)
    told, asked = seen.count(False), seen.count(True)
    for said in (tacit("why", lesson).out, tacit("effect", lesson).out, tacit("effect").out):
        line = f"came back in sessions that were told {told} of {told}, asked 0 of {asked};"
        assert line in " ".join(said.split()), said


@pytest.mark.parametrize("broken", ["", "{", "[1]", '[{"v": 1}]', "throws", "hangs"])
def test_a_broken_guard_stops_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    _, path = _armed("refuse")
    if broken == "throws":
        monkeypatch.setattr("tacit.guards.armed.fires", lambda *_: 1 / 0)
    elif broken == "hangs":
        os.unlink(guards_path(path))
        os.mkfifo(guards_path(path))  # whoever opens it waits for a writer
    else:
        Path(guards_path(path)).write_text(broken)
    assert set(_asked(folder)) == {""}


def test_a_guard_that_somebody_wrote_into_the_file_stops_nothing(folder: Path) -> None:
    """The file decides nothing: what it names counts as the store has it."""
    _, path = _armed()
    rows = json.loads(Path(guards_path(path)).read_text())
    Path(guards_path(path)).write_text(
        json.dumps([{**rows[0], "step": "refuse"}, {**rows[0], "on": {"calls": [["make"]]}}])
    )
    assert set(_asked(folder)) | set(_asked(folder, call="make all")) == {""}


def test_a_lesson_out_of_force_guards_nothing(folder: Path) -> None:
    lesson, _ = _armed("refuse")
    with verbs.open(by="ada", yes=True) as memories:
        memories.forget(lesson)
    assert set(_asked(folder)) == {""}


def test_an_order_is_remembered_within_a_session(folder: Path) -> None:
    order = "Run `make test` before `git commit`."
    _armed("refuse", order, "git commit: first make test", anyway=True)
    commit = "git commit -m x"
    assert _before(folder, commit)["permissionDecision"] == "deny"
    assert "permissionDecision" not in _before(folder, "make test")
    assert "permissionDecision" not in _before(folder, commit, tool_use_id="2")
    assert _before(folder, commit, tool_use_id="3")["permissionDecision"] == "deny"
    assert _before(folder, commit, session="other")["permissionDecision"] == "deny"


def test_a_file_is_guarded_against_changes_and_not_against_reading(folder: Path) -> None:
    _armed("refuse", "Never edit `src/gen/*.ts`.", "edit src/gen/*.ts", anyway=True)
    file = {"tool_input": {"file_path": f"{folder}/src/gen/a.ts", "old_string": "x"}}
    assert _before(folder, tool_name="Edit", **file)["permissionDecision"] == "deny"
    assert "permissionDecision" not in _before(folder, tool_name="Read", **file)


def test_another_project_is_left_alone(folder: Path, tmp_path: Path) -> None:
    _armed("refuse")
    other = tmp_path / "other"
    other.mkdir()
    assert set(_asked(other)) == {""}


def test_a_silent_hook_loads_no_guard(folder: Path) -> None:
    """Without an armed guard nothing of this is loaded; with one the store stays closed where none concerns the call."""
    _, path = _armed()
    assert concerned(path, "s", str(folder), "cargo build", "") == []


def test_the_command_line(folder: Path, alone: Path, tacit: Any) -> None:
    host = HOST["Host"](folder, alone)
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": CALL}}
    failed = "Exit code 127\nnpm: command not found"
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": failed}
    said: list[tuple[str, Any]] = [("user", "set it up"), ("assistant", [call]), ("user", [result])]
    for name in (f"c{n}" for n in range(6)):
        for role, content in said:
            head = {
                "sessionId": name,
                "cwd": str(folder),
                "timestamp": "$NOW",
                "version": "2.1.325",
                "type": role,
            }
            host.write(name, {**head, "message": {"role": role, "content": content}})
    lesson = tacit("add", TEXT, "--json").data["id"]
    assert tacit("guard", "try", lesson).code == 1, "nobody reads here, and no form was typed"
    tried = tacit("guard", "try", lesson, "--before", FORM)
    assert "Would have fired 6 times in 6 sessions: 6 right, 0 wrong, 0 moot." in tried.out
    assert "Enough to ask" in tried.out
    assert tacit("guard", "refuse", lesson, "--before", FORM).code == 1
    assert "asks you from now on" in tacit("guard", "ask", lesson, "--before", FORM).out
    assert tacit("guard", "--json").data["armed"][0]["lesson"] == lesson
    assert "is a note again" in tacit("guard", "off", lesson).out
    assert "No guard is armed." in tacit("guard").out
    assert tacit("guard", "try").code == 2


def test_a_store_with_firings_is_sound(folder: Path) -> None:
    """What is counted on at the hook is what folding all rows gives."""
    _armed()
    _asked(folder)
    with verbs.open() as memories:
        assert list(check(memories.store).faults) == []
