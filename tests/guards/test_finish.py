"""Checks at the end of the work as pure values: what the four forms say of a session, and their record on past ones."""

from __future__ import annotations

import json

import pytest

from tacit.core.errors import UsageError
from tacit.core.run import Step
from tacit.guards.finish import (
    BROKEN,
    KEPT,
    MOOT,
    UNDECIDED,
    check_from,
    check_json,
    check_of,
    judged,
    sentence,
    work_of,
)
from tacit.guards.finish_history import finish_record
from tacit.guards.history import MOOT as LEFT
from tacit.guards.history import RIGHT, WRONG
from tacit.testing import run, say, tool, user

FOLDER = "/home/ann/shop"


def wrote(path: str, text: str = "x", output: str = "The file has been updated.") -> Step:
    """A file written by the host's own tool."""
    given = {"file_path": f"{FOLDER}/{path}", "content": text}
    return Step("tool", path, tool="Write", input=given, output=output, files=(f"{FOLDER}/{path}",))


def new(path: str, text: str = "x") -> Step:
    """A file that was not there before."""
    return wrote(path, text, "File created successfully")


def edited(path: str, old: str, new: str) -> Step:
    """A part of a file replaced."""
    given = {"file_path": f"{FOLDER}/{path}", "old_string": old, "new_string": new}
    return Step("tool", path, tool="Edit", input=given, output="ok", files=(f"{FOLDER}/{path}",))


def end_of(form: str, *steps: Step, disk: dict[str, str] | None = None) -> tuple[str, str]:
    """What becomes of a check after these steps, and what the agent is told."""
    held = disk or {}
    found = judged(check_of(form), work_of(run("r", *steps, cwd=FOLDER)), held.get)
    return found.word, found.said


RAN_TEST = "ran make test after src/*.py"


@pytest.mark.parametrize(
    ("steps", "word"),
    [
        ([wrote("README.md"), tool("ls")], MOOT),
        ([wrote("src/a.py")], BROKEN),
        ([wrote("src/a.py"), tool("make test")], KEPT),
        ([wrote("src/a.py"), tool("cd app && FOO=1 make test")], KEPT),
        ([tool("make test"), wrote("src/a.py")], BROKEN),
        ([wrote("src/a.py"), tool("make test", error="exit 2"), tool("ls")], BROKEN),
        ([wrote("src/a.py"), tool("make test && git add .")], KEPT),
        ([wrote("src/a.py"), tool("make test || true")], UNDECIDED),
        ([wrote("src/a.py"), tool("make test | tail -3")], UNDECIDED),
        ([wrote("src/a.py"), tool("make test; ls")], UNDECIDED),
        ([wrote("src/a.py"), tool("make test &")], UNDECIDED),
        ([wrote("src/a.py"), tool("make test && make lint", error="exit 1")], UNDECIDED),
        ([tool("echo 'x' > src/a.py")], BROKEN),
        ([wrote("src/deep/a.py")], MOOT),
    ],
)
def test_a_command_that_ran_is_one_that_the_record_shows_to_have_passed(
    steps: list[Step], word: str
) -> None:
    assert end_of(RAN_TEST, *steps)[0] == word


def test_a_background_job_and_a_stopped_call_tell_nothing() -> None:
    given = {"command": "make test", "run_in_background": True}
    job = Step("tool", "b", tool="Bash", input=given, output="started", status=0)
    stopped = Step("tool", "s", tool="Bash", input={"command": "make test"}, interrupted=True)
    assert end_of("ran make test", wrote("a.py"), job)[0] == UNDECIDED
    assert end_of("ran make test", wrote("a.py"), stopped)[0] == UNDECIDED


def test_what_is_said_names_the_file_and_what_to_do() -> None:
    assert end_of(RAN_TEST, wrote("src/a.py"))[1] == (
        "`make test` did not run since src/a.py changed: run it"
    )
    assert "CHANGELOG.md did not" in end_of("with src/**: CHANGELOG.md", wrote("src/b/c.py"))[1]


def test_where_this_changed_that_changes_too() -> None:
    form = "with src/**/*.py: CHANGELOG.md"
    assert end_of(form, wrote("docs/a.md"))[0] == MOOT
    assert end_of(form, wrote("src/x/a.py"), wrote("CHANGELOG.md"))[0] == KEPT
    assert end_of(form, wrote("src/x/a.py"), tool("echo '- x' >> CHANGELOG.md"))[0] == KEPT
    assert end_of(form, wrote("src/x/a.py"))[0] == BROKEN


def test_a_file_that_is_to_be_left_alone() -> None:
    assert end_of("not package-lock.json", wrote("a/package-lock.json"))[0] == BROKEN
    assert end_of("not package-lock.json", wrote("package.json"))[0] == MOOT


@pytest.mark.parametrize(
    ("form", "path", "text", "word"),
    [
        ("holds *.json: key meta.author", "a.json", '{"meta": {"author": "m"}}', KEPT),
        ("holds *.json: key meta.author", "a.json", '{"meta": {}}', BROKEN),
        ("holds *.json: key tasks.id", "a.json", '{"tasks": [{"id": 1}]}', KEPT),
        ("holds *.json: key meta", "a.json", "{ not json", UNDECIDED),
        ("holds *.md: key status", "a.md", "---\nstatus: done\n---\n# A", KEPT),
        ("holds *.md: key status", "a.md", "# A\nstatus: done", BROKEN),
        ("holds *: key status", "a.bin", "\0\1", UNDECIDED),
        ("holds *.json: time due", "a.json", '[{"due": "2026-03-16T09:30:00+08:00"}]', KEPT),
        ("holds *.json: time due", "a.json", '[{"due": "2026-03-16 09:30"}]', BROKEN),
        ("holds *.json: time due", "a.json", '{"other": 1}', UNDECIDED),
        ("holds out/*: name {date}_{snake}.{any}", "out/20260323_ci_report.json", "", KEPT),
        ("holds out/*: name {date}_{snake}.{any}", "out/CiReport.json", "", BROKEN),
    ],
)
def test_what_a_written_file_holds(form: str, path: str, text: str, word: str) -> None:
    assert end_of(form, new(path, text))[0] == word


def test_a_file_that_was_there_is_not_named_anew_and_new_is_what_was_made() -> None:
    named, keyed = "holds out/*: name {date}_{snake}.{any}", "holds new *.json: key meta"
    assert end_of(named, wrote("out/CiReport.json"))[0] == KEPT
    assert end_of(keyed, wrote("a.json"))[0] == KEPT
    assert end_of(keyed, new("a.json", "{}"))[0] == BROKEN
    assert end_of(keyed, tool("echo '{}' > a.json"))[0] == UNDECIDED, "was it there before?"


def test_times_by_several_names() -> None:
    form = "holds *.json: time due, *_at"
    assert end_of(form, new("a.json", '{"sent_at": "2026-03-16 09:30"}'))[0] == BROKEN
    good = '{"sent_at": ["2026-03-16T09:30:00+08:00"], "due": "2026-03-16T10:00:00Z", "at": 1}'
    assert end_of(form, new("a.json", good))[0] == KEPT


def test_a_copy_is_wanted_of_what_was_there_before() -> None:
    form = "holds *.json: copy .bak"
    assert end_of(form, new("a.json"))[0] == KEPT
    assert end_of(form, wrote("a.json"))[0] == BROKEN
    assert end_of(form, tool("cp a.json a.json.bak"), wrote("a.json"))[0] == KEPT
    assert end_of(form, wrote("a.json"), disk={"a.json.bak": "old"})[0] == KEPT
    assert end_of(form, new("a.json"), wrote("a.json"))[0] == KEPT


def test_what_the_record_does_not_hold_is_looked_up_on_disk() -> None:
    step = edited("a.json", "1", "2")
    assert end_of("holds *.json: key b", step)[0] == UNDECIDED
    assert end_of("holds *.json: key b", step, disk={"a.json": '{"b": 2}'})[0] == KEPT
    whole = (new("a.json", '{"b": 1}'), step)
    assert end_of("holds *.json: key b", *whole)[0] == KEPT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ran",
        "ran sh -c 'make && make test'",
        "ran make test | tail",
        "with src: ",
        "holds *.json: has meta",
        "holds *: name {moon}",
        "not",
        "never push",
    ],
)
def test_what_is_none_of_the_four_forms_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError) as error:
        check_of(text)
    assert error.value.hint


@pytest.mark.parametrize(
    "text",
    [
        RAN_TEST,
        "ran uv run pytest",
        "with src/*.py: CHANGELOG.md",
        "holds *.md: copy .bak",
        "not package-lock.json, yarn.lock",
    ],
)
def test_a_check_is_kept_as_it_was_typed(text: str) -> None:
    check = check_of(text)
    assert check_from(json.loads(json.dumps(check_json(check)))) == check
    assert sentence(check)


def test_its_record_is_judged_by_what_the_person_typed_next() -> None:
    asked = run("a", user("add a field"), wrote("src/a.py"), user("run the tests"), cwd=FOLDER)
    went_on = run("b", user("add it"), wrote("src/a.py"), user("now the docs"), cwd=FOLDER)
    unasked = run(
        "c", user("add it"), wrote("src/a.py"), user("ok"), tool("make test"), say("done")
    )
    ended = run("d", user("add it"), wrote("src/a.py"), say("done"), cwd=FOLDER)
    clean = run("e", user("add it"), wrote("src/a.py"), tool("make test"), cwd=FOLDER)
    unasked = run("c", *unasked.steps, cwd=FOLDER)
    found = finish_record(check_of(RAN_TEST), [asked, went_on, unasked, ended, clean])
    assert [each.verdict for each in found.spoken] == [RIGHT, WRONG, LEFT, LEFT]
    assert found.said == "Would have spoken in 4 of 5 sessions: 1 right, 1 wrong, 2 moot."
