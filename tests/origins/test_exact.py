"""Each origin's behaviours that were once not exact, tried as their users would: a command line, their own files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from callers import CALLERS, PERSON, SCRIPT, SYSTEMS, Ended, World, write_logs

from tacit.origins.ralph import checksum

pytestmark = [pytest.mark.process]


def chosen(folder: Path, system: str) -> World:
    """A repository whose person has chosen an origin."""
    world = World(folder)
    assert world.tacit(PERSON, "init", "--like", system, stdin="y\n").code == 0
    return world


def put(world: World, name: str, content: Any) -> str:
    """A file of theirs, with its folders; its name from the top of the repository."""
    path = world.repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return name


# --- files and logs that are not sound, all four ---------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_cannot_be_read_is_never_a_success(system: str, tmp_path: Path) -> None:
    """A cut or an empty file is named with its fault, and the status is not 0, format given or not."""
    world = chosen(tmp_path, system)
    for name, content in (("cut.jsonl", '{"ts":"2026'), ("empty.jsonl", "")):
        put(world, name, content)
        for verb in (["learn"], ["data", "import", "--trust", "user"]):
            for named in ([], ["--format", system]):
                done = world.tacit(PERSON, *verb, name, *named)
                their_own = system == "ralph" and "import" in verb and named
                assert done.code == (5 if their_own else 2), done
                assert name in done.err, done


def test_words_that_are_no_observation_are_refused(tmp_path: Path) -> None:
    done = chosen(tmp_path, "joelclaw").tacit(
        SCRIPT, "learn", "-", "--format", "joelclaw", stdin="not json"
    )
    assert (done.code, "standard input" in done.err) == (2, True), done


def test_a_log_that_was_refused_counts_for_nothing_later(tmp_path: Path) -> None:
    """Two logs that came with the repository and one run of one's own are one run: ArcheFlow asks for two."""
    world = chosen(tmp_path, "archeflow")
    theirs = write_logs("archeflow", world.repo)
    world.git("add", "-A")
    world.git("commit", "-qm", "theirs")
    world.tacit(SCRIPT, "learn", *theirs)
    mine = write_logs("archeflow", world.repo, name="mine")
    told = []
    for path in mine:
        world.tacit(SCRIPT, "learn", path)
        told.append(world.tacit(SCRIPT, "inject", "--domain", "code", "--agent", "guardian").out)
    assert told[0] == ""
    assert "[seen 2x, guardian]" in told[1]
    assert world.tacit(PERSON, "learn", "--as", "ann", *theirs).code == 0
    told = [world.tacit(SCRIPT, "inject", "--domain", "code", "--agent", "guardian").out]
    assert "[seen 4x, guardian]" in told[0]


def test_one_pass_archives_in_the_order_of_the_log(tmp_path: Path) -> None:
    """The same files give the same files: ids are drawn anew each time, and order nothing."""
    world = chosen(tmp_path, "archeflow")
    rows = [
        {
            "id": f"m-{number:03}",
            "ts": "2026-04-01T00:00:00Z",
            "type": "pattern",
            "source": "guardian",
            "description": f"{word} is not checked before it is used",
            "frequency": 1,
            "domain": "code",
            "runs_since_last_seen": 9,
        }
        for number, word in enumerate("token header cursor timeout locale quota".split(), 1)
    ]
    path = put(world, "lessons.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert world.tacit(PERSON, "data", "import", path, "--trust", "user").code == 0
    world.tacit(SCRIPT, "learn", write_logs("archeflow", world.repo)[0])
    archive = world.tacit(
        SCRIPT, "data", "export", "--format", "archeflow", "--part", "archive"
    ).out
    assert [json.loads(line)["id"] for line in archive.splitlines()] == [row["id"] for row in rows]


# --- ArcheFlow's drop-in ----------------------------------------------------------------------------------------------

DROP_IN = ["bash", str(Path(__file__).parents[2] / "examples" / "archeflow-memory.sh")]


@pytest.mark.parametrize("caller", CALLERS)
def test_the_drop_in_passes_a_refusal_on(caller: str, tmp_path: Path) -> None:
    world = chosen(tmp_path, "archeflow")
    done = world.run(caller, [*DROP_IN, "extract", "nofile.jsonl"])
    assert (done.code, "There is no file or folder nofile.jsonl." in done.err) == (3, True), done
    done = world.run(caller, [*DROP_IN, "add", "bogus_type", "x"])
    assert (done.code, "bogus_type" in done.err, "jq:" in done.err) == (2, True, False), done


def test_the_drop_in_says_nothing_beside_the_lessons(tmp_path: Path) -> None:
    world = chosen(tmp_path, "archeflow")
    for path in write_logs("archeflow", world.repo):
        world.tacit(SCRIPT, "learn", path)
    at_terminal = [
        "script",
        "-qec",
        " ".join([*DROP_IN, "inject", "code", "guardian"]),
        "/dev/null",
    ]
    done = world.run(SCRIPT, at_terminal)
    assert done.out.replace("\r", "").splitlines() == [
        "## Known Issues (from past runs)",
        "- Missing null checks in API response handlers [seen 2x, guardian]",
    ]


# --- Ralph ------------------------------------------------------------------------------------------------------------


def staged(number: int, **fields: Any) -> dict[str, Any]:
    """A staged learning; a field that is None is missing."""
    learning = {
        "type": "strategy",
        "taskType": "test-fix",
        "content": {"description": f"Approach number {number} is right", "effectiveness": 0.9},
        "confidence": 0.8,
        "sourceLoops": ["l-1"],
        "successRate": 0.9,
        **fields,
    }
    learning = {name: at for name, at in learning.items() if at is not None}
    return {"id": f"stage-7-{number}", "learning": learning, "status": "pending"}


def test_validation_sees_what_was_written_not_what_was_mended(tmp_path: Path) -> None:
    world = chosen(tmp_path, "ralph")
    rows = [
        staged(0),
        staged(1, type="wisdom"),
        staged(2, confidence=1.5),
        staged(3, confidence=-0.1),
        staged(4, confidence="high"),
        staged(5, successRate=2),
        staged(6, taskType=None),
        staged(7, type=None),
    ]
    store = {"version": "1.0.0", "checksum": checksum(rows), "staged": rows}
    path = put(world, ".aiwg/knowledge/staging.json", store)
    world.tacit(PERSON, "data", "import", path, "--trust", "user")
    done = world.tacit(PERSON, "review", "approve", "--staged", stdin="y\n")
    assert "1 promoted, 0 skipped, 7 rejected by validation" in done.out
    exported = json.loads(
        world.tacit(SCRIPT, "data", "export", "--format", "ralph", "--part", "staging").out
    )
    assert [each.get("rejectionReason") for each in exported["staged"]] == [
        "Invalid type: wisdom",
        *["Confidence must be between 0 and 1"] * 3,
        "Success rate must be between 0 and 1",
        *["Missing required fields (type, taskType, content)"] * 2,
    ]
    assert (
        json.loads(world.tacit(SCRIPT, "data", "export", "--format", "ralph").out)["stats"][
            "totalLearnings"
        ]
        == 1
    )


def loop(world: World, number: int, errors: list[str]) -> str:
    """A finished loop whose iterations all failed."""
    rounds = [
        {"number": n, "status": "failed", "duration": 1000, "analysis": {"errors": [error]}}
        for n, error in enumerate(errors, 1)
    ]
    state = {"loopId": f"loop-{number}", "objective": "Fix failing tests", "status": "completed"}
    return put(world, f".aiwg/ralph-external/l{number}.json", {**state, "iterations": rounds})


@pytest.mark.parametrize("caller", CALLERS)
def test_a_refused_pattern_rises_when_a_later_loop_bears_it_out(
    caller: str, tmp_path: Path
) -> None:
    world = chosen(tmp_path, "ralph")
    syntax = "SyntaxError: unexpected token"
    others = [f"A failure of quite another kind: {word}" for word in "abcdefgh"]
    world.tacit(caller, "learn", loop(world, 1, [syntax, syntax, *others]))
    assert "Syntax errors" not in world.tacit(SCRIPT, "inject", "--task", "Fix tests").out
    world.tacit(caller, "learn", loop(world, 2, [syntax] * 3))
    assert "Avoid: Syntax errors" in world.tacit(SCRIPT, "inject", "--task", "Fix tests").out


def test_the_screen_tells_what_was_refused_and_a_running_loop_teaches_nothing(
    tmp_path: Path,
) -> None:
    world = chosen(tmp_path, "ralph")
    others = [f"A failure of quite another kind: {word}" for word in "abcdefgh"]
    path = loop(world, 1, ["SyntaxError: x", "SyntaxError: y", *others])
    state = json.loads((world.repo / path).read_text())
    put(world, path, {**state, "status": "running"})
    done = world.tacit(SCRIPT, "learn", path)
    assert ("0 new lessons\n" in done.out, "when it is over" in done.err) == (True, True), done
    put(world, path, state)
    assert "0 new lessons, 1 refused by validation" in world.tacit(SCRIPT, "learn", path).out


def test_a_loop_without_prompts_is_no_sign_of_a_changed_host(tmp_path: Path) -> None:
    world = chosen(tmp_path, "ralph")
    for path in (*write_logs("ralph", world.repo), *write_logs("ralph", world.repo, name="s")):
        world.tacit(SCRIPT, "learn", path)
    assert "unknown version" not in world.tacit(PERSON).err


# --- geas -------------------------------------------------------------------------------------------------------------


def exported(world: World, part: str) -> list[dict[str, Any]]:
    """The records of a part of geas's files."""
    assert world.tacit(SCRIPT, "data", "export", "--format", "geas", "--out", "out").code == 0
    found = sorted((world.repo / "out").glob(part))
    return [json.loads(line) for path in found for line in _documents(path)]


def _documents(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]


@pytest.mark.parametrize("caller", CALLERS)
def test_an_application_log_names_the_agent_that_got_the_packet(
    caller: str, tmp_path: Path
) -> None:
    world = chosen(tmp_path, "geas")
    for path in write_logs("geas", world.repo):
        world.tacit(caller, "learn", path)
    asked = (
        "--run",
        "m-1/s-1",
        "--agent",
        "qa_engineer",
        "--task",
        "Check the API response handlers",
    )
    assert "mem-r-1-1" in world.tacit(caller, "inject", *asked).out
    text = "Add null checks to the handlers of every API response"
    world.tacit(caller, "learn", write_logs("geas", world.repo, text, name="s")[0])
    assert [log["applied_by_type"] for log in exported(world, "memory/logs/*.json")] == [
        "qa_engineer"
    ]


def test_a_candidate_can_be_kept_for_want_of_evidence(tmp_path: Path) -> None:
    world = chosen(tmp_path, "geas")
    world.tacit(SCRIPT, "learn", write_logs("geas", world.repo)[0])
    done = world.tacit(PERSON, "review", "close", "mem-r-1-1", "--outcome", "keep")
    assert done.code == 0, done
    assert [each["decision"] for each in exported(world, "memory/reviews/*.json")] == ["keep"]
    assert "candidate" in world.tacit(PERSON, "list").out


def test_a_review_that_weakens_is_no_promotion(tmp_path: Path) -> None:
    world = chosen(tmp_path, "geas")
    stands = {
        "version": "1.0",
        "memory_id": "mem-t-1",
        "memory_type": "project_rule",
        "state": "canonical",
        "scope": "project",
        "title": "Deploys need a changelog entry",
        "summary": "Deploys need a changelog entry",
        "evidence_refs": ["a", "b"],
    }
    path = put(world, ".geas/memory/entries/mem-t-1.json", stands)
    assert world.tacit(PERSON, "data", "import", path, "--trust", "user").code == 0
    for asked in (["open", "mem-t-1"], ["close", "mem-t-1", "--outcome", "weaken"]):
        assert world.tacit(PERSON, "review", *asked).code == 0
    assert [each["decision"] for each in exported(world, "memory/reviews/*.json")] == ["weaken"]
    assert exported(world, "state/events.jsonl") == []


# --- joelclaw ---------------------------------------------------------------------------------------------------------


def submit(world: World, caller: str, observation: str, **more: Any) -> Ended:
    """One observation on standard input."""
    event = json.dumps({"observation": observation, **more})
    return world.tacit(caller, "learn", "-", "--format", "joelclaw", stdin=event)


@pytest.mark.parametrize("caller", CALLERS[1:])
def test_a_tool_trace_is_discarded_whatever_stands_beside_it(caller: str, tmp_path: Path) -> None:
    world = chosen(tmp_path, "joelclaw")
    submit(world, caller, "<toolCall>rm -rf build</toolCall> the build folder was removed by hand")
    answer = (
        "- 🔴 [gate=allow confidence=0.9] &lt;toolCall&gt;ls&lt;/toolCall&gt; jobs.db is locked"
    )
    path = put(world, "answer.xml", f"<observations><facts>\n{answer}\n</facts></observations>")
    world.tacit(caller, "learn", path, "--format", "joelclaw")
    assert json.loads(world.tacit(PERSON, "list", "--json").out)["data"]["memories"] == []


def test_a_discard_leaves_a_trace_and_a_night_its_figures(tmp_path: Path) -> None:
    world = chosen(tmp_path, "joelclaw")
    assert "1 discarded: a tool trace" in submit(world, SCRIPT, "<toolCall>ls</toolCall> ok").err
    submit(world, SCRIPT, "The queue keeps its jobs in packages/queue/jobs.db", category="ops")
    assert "1 active" in world.tacit(PERSON, "origin", "tend").out
    assert "gate_discard" in world.tacit(PERSON, "doctor", "--json").out


def test_an_unknown_category_is_refused_by_name(tmp_path: Path) -> None:
    world = chosen(tmp_path, "joelclaw")
    done = submit(world, SCRIPT, "The queue keeps its jobs in jobs.db", category="jc:nonsense")
    assert (done.code, "'jc:nonsense'" in done.err, "jc:operations" in done.err) == (2, True, True)


@pytest.fixture
def observed() -> Callable[..., dict[str, Any]]:
    """An observation of joelclaw's store, five months old."""

    def document(id: str, **more: Any) -> dict[str, Any]:
        return {
            "id": id,
            "observation": f"The gateway {id} keeps its lock in /var/run/{id}.lock",
            "timestamp": 1_781_000_000 - 150 * 86400,
            "write_verdict": "allow",
            "write_confidence": 0.9,
            "category_id": "jc:operations",
            **more,
        }

    return document


def test_stale_is_what_was_never_recalled(
    tmp_path: Path, observed: Callable[..., dict[str, Any]]
) -> None:
    """What joelclaw itself counted as recalled is neither marked by a night nor dropped by recall."""
    world = chosen(tmp_path, "joelclaw")
    rows = [observed("often", recall_count=25), observed("never", recall_count=0)]
    path = put(world, "memory_observations.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert world.tacit(PERSON, "data", "import", path, "--trust", "user").code == 0
    for _ in range(2):
        found = world.tacit(SCRIPT, "recall", "where does the gateway keep its lock?").out
        assert "often.lock" in found and "never.lock" not in found
        night = world.tacit(PERSON, "origin", "tend").out
    assert "often" not in night
