"""The second look at a session: when it is asked for, what it shows, and how far what it finds goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.app import Memories
from tacit.app import open as open_memories
from tacit.core.digest import new_id
from tacit.core.run import Run, Step
from tacit.learn.reader import ReaderContext, findings, prepared, prompt, read
from tacit.learn.reader.check import was_done
from tacit.learn.reader.render import NOTE, NOTED, page_text, rendered
from tacit.stores.readings import readings_folder
from tacit.testing import Scripted, run, say, tool, user

NOTED_LINE = "Run `make codegen` after every change of the schema."


def edit(path: str, new: str, old: str = "", **more: Any) -> Step:
    return Step(
        "tool", "p", tool="Edit", input={"file_path": path, "new_string": new, "old_string": old}, files=(path,), **more
    )


def lines_of(*steps: Step) -> Any:
    return rendered(run("r1", *steps)).lines


def test_a_quiet_session_is_not_asked_again() -> None:
    assert findings.why_asked(lines_of(user("add a field"), say("Done."), tool("make test"))) == ""


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([tool(f"make {name}", error=f"{name} broke") for name in ("a", "b", "c")], "3 failures"),
        ([say(f"The cause of {n} is the cache.") for n in range(6)], "6 times a cause was given"),
        ([edit("docs/AGENTS.md", NOTED_LINE)], "an instruction file was changed"),
    ],
)
def test_where_finding_out_cost_something(steps: list[Step], why: str) -> None:
    assert findings.why_asked(lines_of(user("go"), *steps)) == why


def test_what_was_added_to_an_instruction_file_is_kept_whole_and_bounded() -> None:
    """The first question shows the call as ever; the second what the team chose to remember."""
    old = "# Rules of the house\nUse tabs, and write the commit's subject in the imperative, as the others are."
    (line,) = lines_of(edit("sub/CLAUDE.md", f"{old}\n{NOTED_LINE}", old))
    assert line.text == f"Edit sub/CLAUDE.md {' '.join(old.split())}"[:110] + " …"
    assert line.whole.endswith(f"{NOTE}{NOTED_LINE}")
    (shown,) = findings.finding_lines([line])
    assert NOTED_LINE in shown.text and shown.number == line.number
    (long,) = lines_of(edit("CLAUDE.md", "word " * 9000))
    assert len(long.whole.partition(NOTE)[2]) <= NOTED


def test_other_files_and_failed_edits_are_no_notes() -> None:
    assert not any(
        NOTE in line.whole
        for line in lines_of(edit("src/claude.py", NOTED_LINE), edit("CLAUDE.md", NOTED_LINE, error="no match"))
    )


def test_a_patch_of_an_instruction_file_is_a_note() -> None:
    patch = f"*** Update File: AGENTS.md\n@@\n-old\n+{NOTED_LINE}\n"
    (line,) = lines_of(Step("tool", "p", tool="apply_patch", input={"input": patch}, files=("AGENTS.md",)))
    assert line.whole.endswith(f"{NOTE}{NOTED_LINE}") and "old" not in line.whole.partition(NOTE)[2]


def test_secrets_in_a_note_are_scrubbed() -> None:
    (line,) = lines_of(edit("CLAUDE.md", "token ghp_16C7e42F292c6912E7710c838347Ae178B4a"))
    assert "ghp_" not in line.whole


def test_it_shows_less_and_wider() -> None:
    long = "The cause is that the schema is read only at the start, " + "so nothing changes " * 40
    lines = lines_of(
        user("fix it"), say("Looking around."), tool("make one"), tool("make test", error="stale schema"), say(long),
        edit("src/schema.py", "reload()"), tool("make test", "ok"), tool("make three"), say("Done."),
    )  # fmt: skip
    shown = findings.finding_lines(lines)
    assert [line.letter for line in shown] == ["U", "T", "E", "A", "T", "T", "A"]
    assert {line.number for line in shown} < {line.number for line in lines}
    cause = next(line for line in shown if line.text.startswith("The cause"))
    assert len(cause.text) > len(next(line for line in lines if line.number == cause.number).text)
    assert any("reload()" in line.text for line in shown)


def test_a_note_is_no_evidence_that_something_was_done() -> None:
    """Whoever writes a command into an instruction file has not run it."""
    assert not was_done("Run `make codegen`.", lines_of(edit("CLAUDE.md", NOTED_LINE)))
    assert was_done("Run `make codegen`.", lines_of(tool("make codegen")))


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    with open_memories() as opened:
        yield opened


def asked(memories: Memories, found: Run, *answers: str, advises: str = "") -> tuple[Any, list[str]]:
    memories.learn(found)
    row = memories.store.find_run(memories.project_id, found.id)
    assert row is not None
    model = Scripted(*answers)
    place = readings_folder(memories.near.path)
    desk = ReaderContext(
        memories.store, memories.ensure_project(), memories.profile, place, model, memories.now, new_id, advises=advises
    )
    reading = prepared(place, found, row.id, row.project, memories.now())
    assert reading is not None
    return read(desk, reading), model.asked


SESSION = run(
    "r1",
    user("fix the build"),
    *(tool(f"make {n}", error=f"{n} broke") for n in "abc"),
    say("The schema is read only at the start."),
    task="t",
)
LESSON = {
    "text": "The schema is read only at the start: restart after changing it.", "kind": "pitfall", "standing": "said",
    "quotes": [{"line": 1, "words": "fix the build"}, {"line": 8, "words": "The schema is read only at the start."}],
}  # fmt: skip


def answer(*lessons: Any) -> str:
    return json.dumps({"lessons": [*lessons], "answers": [], "verdicts": []})


def test_what_was_found_out_waits_and_is_nobodys_word(memories: Memories) -> None:
    """Also where the model calls it said, with a line of the person: it is not weighed, and not the person's."""
    _, prompts = asked(memories, SESSION, answer(), answer(LESSON), answer())
    assert "Write down what it found out" in prompts[1] and "is said to have told it" not in "".join(prompts)
    (memory,) = [each for each in memories.list(limit=10) if each.text == LESSON["text"]]
    assert (memory.state, memory.trust, memory.extra["word"]) == ("candidate", "agent", "found")


def test_what_was_heard_before_is_named_and_not_taken_twice(memories: Memories) -> None:
    heard = {**LESSON, "standing": "found"}
    report, prompts = asked(memories, SESSION, answer(heard), answer(heard), answer())
    assert LESSON["text"] in prompts[1] and len(report.new) == 1


def test_who_failed_its_exam_is_not_asked(memories: Memories) -> None:
    """Nor once more for what had no room in a full answer."""
    full = answer(
        *(
            {**LESSON, "text": f"{n}: restart after changing the schema.", "quotes": LESSON["quotes"][1:]}
            for n in range(5)
        )
    )
    _, prompts = asked(memories, SESSION, full, advises="it hears nothing")
    assert len(prompts) == 1


def test_its_prompt_stands_apart_from_the_first(memories: Memories) -> None:
    lines = rendered(SESSION).lines
    assert prompt.prompt_name(prompt.findings_question(lines, 5)) != prompt.prompt_name(prompt.lessons(lines, 5))
    assert page_text(findings.finding_lines(lines)) in prompt.findings_question(
        findings.finding_lines(lines), 5, ["a", "b"]
    )


def test_every_file_that_a_host_loads_is_an_instruction_file() -> None:
    """What a session adds to one is shown in full; a new host's files must not be left out of it."""
    from tacit.hosts import every_host
    from tacit.learn.reader.render import noted

    named = {file.replace("*", "style") for host in every_host().values() for file in (*host.instructions, *host.pages)}
    assert {"CLAUDE.md", "AGENTS.md", "GEMINI.md"} <= named
    assert [file for file in sorted(named) if not noted(edit(f"/repo/{file}", NOTED_LINE))] == []
