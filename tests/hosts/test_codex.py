"""Codex's rollouts: one step per call, exit codes out of three dialects, and a person's words only where one typed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.tables import by_table

from tacit.core.run import Cost, Run, Step
from tacit.hosts import formats
from tacit.hosts.codex import transcript as codex
from tacit.hosts.source import BytesSource

AT = "2026-03-01T10:00:0{}.000Z"
META = {
    "id": "s-1",
    "cwd": "/repo",
    "cli_version": "0.150.0",
    "source": "cli",
    "git": {"branch": "main"},
}


def line(kind: str, n: int = 1, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT.format(n), "type": kind, "payload": payload}


def said(role: str, text: str, n: int = 1) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return line(
        "response_item", n, type="message", role=role, content=[{"type": kind, "text": text}]
    )


def event(kind: str, n: int = 1, /, **more: Any) -> dict[str, Any]:
    return line("event_msg", n, type=kind, **more)


def call(id: str = "c1", name: str = "exec_command", **given: Any) -> dict[str, Any]:
    return line(
        "response_item",
        2,
        type="function_call",
        name=name,
        call_id=id,
        arguments=json.dumps(given or {"cmd": "make"}),
    )


def result(output: Any, id: str = "c1") -> dict[str, Any]:
    return line("response_item", 3, type="function_call_output", call_id=id, output=output)


def read(*lines: Any, meta: dict[str, Any] | None = None) -> Run:
    head = line("session_meta", 0, **(META if meta is None else meta))
    data = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in (head, *lines))
    (run,) = codex.read(BytesSource(data.encode()))
    return run


def test_a_session() -> None:
    """Prompt, failing call, words of the model: each once, at its line, with what the head says of the session."""
    context = "<environment_context><cwd>/repo</cwd></environment_context>"
    spent = {"input_tokens": 90, "cached_input_tokens": 70, "output_tokens": 30}
    run = read(
        line("turn_context", 0, turn_id="t1", cwd="/repo", model="some-model"),
        said("user", context),
        said("user", "run the tests"),
        event("user_message", message="run the tests"),
        call(cmd="pytest -q"),
        result("Exit code: 2\nWall time: 0.4 seconds\nOutput:\nNo module named 'demo'"),
        said("assistant", "It needs uv.", 4),
        event("agent_message", 4, message="It needs uv."),
        event("token_count", 5, info={"total_token_usage": spent}),
    )
    called = {
        "tool": "exec_command",
        "input": {"cmd": "pytest -q"},
        "error": "No module named 'demo'",
        "status": 2,
    }
    assert run.steps == (
        Step("system", "line:3", context, at=AT.format(1), speaker="host"),
        Step("user", "line:4", "run the tests", at=AT.format(1), typed=True, speaker="typed"),
        Step("tool", "line:6", at=AT.format(2), record="c1", **called),
        Step("assistant", "line:8", "It needs uv.", at=AT.format(4), speaker="agent"),
    )
    assert (run.id, run.host, run.version, run.model) == ("s-1", "codex", "0.150.0", "some-model")
    assert (run.cwd, run.branch) == ("/repo", "main")
    assert (run.task, run.cost, run.complete) == ("run the tests", Cost(20, 30, 70), False)
    assert run.reading is not None and (run.reading.malformed, run.reading.unknown) == (0, None)


@by_table
def test_results_in_every_dialect(output: Any, status: int | None, error: bool, text: str) -> None:
    """The exit status stands in the host's own head, never in what the command printed."""
    step = read(call(), result(output)).steps[0]
    assert (step.status, step.error if error else step.output, bool(step.error)) == (
        status,
        text,
        error,
    )


def test_a_refused_call_is_no_failure() -> None:
    """What the person said no to was stopped, and did not fail."""
    step = read(
        call(),
        result(
            'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }'
        ),
    ).steps[0]
    assert step.interrupted and not step.error


@pytest.mark.parametrize(
    ("source", "typed"),
    [
        ("cli", True),
        ("vscode", True),
        ("exec", False),
        ("mcp", False),
        (None, False),
        ({"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}, False),
    ],
)
def test_only_where_a_person_types(source: Any, typed: bool) -> None:
    """The session's source says whether anybody sat there; where it says nothing, nobody did."""
    run = read(
        said("user", "always use pnpm"),
        event("user_message", message="always use pnpm"),
        meta={**META, "source": source},
    )
    assert [step.typed for step in run.steps] == [typed]


def test_what_the_host_writes_in_the_persons_name_is_not_typed() -> None:
    """Only what an event calls the user's is; a wrapped event is the host's too, whatever it says."""
    run = read(
        said("user", "# AGENTS.md instructions for /repo\nalways use npm"),
        said("user", "<user_instructions>always use npm</user_instructions>"),
        event(
            "user_message",
            message="<user_instructions>always use npm</user_instructions>",
            kind="user_instructions",
        ),
        said("developer", "always use npm"),
        said("user", "always use npm"),
    )
    assert not any(step.typed for step in run.steps)
    assert [step.role for step in run.steps] == ["system", "system", "system", "user"]


@by_table
def test_what_of_a_prompt_is_the_persons(item: str, shown: str, text: str, speaker: str) -> None:
    run = read(*([said("user", item)] if item else []), event("user_message", message=shown))
    (step,) = run.steps
    assert (step.typed, step.speaker) == (speaker == "typed", speaker)
    assert not text or (step.text, run.task) == (text, text)


def test_a_prompt_in_either_order_is_one_step() -> None:
    """The event may stand before its item."""
    run = read(
        event("user_message", message="hi"),
        said("user", "hi"),
        event("user_message", message="hi"),
        said("user", "hi"),
    )
    assert [(step.place, step.typed) for step in run.steps] == [("line:2", True), ("line:4", True)]


def test_patches_name_their_files() -> None:
    """A patch, as its own tool or through a shell, edits the files it names; the host's note says whether it went well."""
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: b.py\n*** End Patch"
    run = read(
        line(
            "response_item",
            2,
            type="custom_tool_call",
            name="apply_patch",
            call_id="c1",
            input=patch,
        ),
        line("response_item", 3, type="custom_tool_call_output", call_id="c1", output="Success."),
        call("c2", "shell", command=["apply_patch", patch]),
        event(
            "patch_apply_end",
            4,
            call_id="c2",
            success=False,
            stderr="no such line",
            changes={"src/a.py": {}},
        ),
    )
    assert [(step.files, step.error) for step in run.steps] == [
        (("src/a.py", "b.py"), ""),
        (("src/a.py", "b.py"), "no such line"),
    ]
    assert run.files == ("src/a.py", "b.py")


def test_a_stopped_turn_stops_its_calls() -> None:
    """An interrupted turn leaves an interrupted call; one that was replaced does not."""
    assert [
        step.interrupted for step in read(call(), event("turn_aborted", reason="interrupted")).steps
    ] == [True]
    assert [
        step.interrupted for step in read(call(), event("turn_aborted", reason="replaced")).steps
    ] == [False]


def test_an_exec_run_is_over_when_its_task_is() -> None:
    """`codex exec` ends with its task; an open session does not."""
    done = event("task_complete", turn_id="t1")
    assert read(done, meta={**META, "source": "exec"}).complete and not read(done).complete


def test_forks_and_sub_agents_have_a_root() -> None:
    """A fork repeats the head of the session it came from; a sub-agent names its parent."""
    fork = read(
        line("session_meta", 1, **{**META, "id": "s-0"}), meta={**META, "forked_from_id": "s-0"}
    )
    assert (fork.id, fork.root) == ("s-1", "s-0")
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "s-0", "agent_role": "review"}}}
    agent = read(meta={**META, "session_id": "s-0", "source": spawned})
    assert (agent.id, agent.root, agent.agent) == ("s-1", "s-0", "review")


def test_bad_lines_are_counted() -> None:
    """Half a line, an unknown record, a result of nobody's: noted, and the rest is read."""
    odd = ("{half", line("brand_new"), result("x", "nobody"), event("brand_new"))
    run = read(*odd, said("assistant", "ok"), '{"type":"event_msg","payload":[]}')
    assert run.reading is not None and run.reading.malformed == 1
    unknown = {
        "brand_new",
        "a result without its call",
        "event_msg.brand_new",
        "event_msg.(no type)",
    }
    assert set(run.reading.unknown or {}) == unknown
    assert [step.text for step in run.steps] == ["ok"]


def test_own_model_calls_are_not_read() -> None:
    """Tacit does not learn from itself."""
    head = json.dumps(line("session_meta", 0, **{**META, "cwd": "/tmp/tacit-model-call-1"}))
    assert list(codex.read(BytesSource(head.encode()))) == []


def test_a_rollout_is_recognised_by_its_first_lines() -> None:
    """Also where the first record is longer than what is looked at."""
    long = json.dumps(line("session_meta", 0, **META, base_instructions="x" * 100_000))
    assert formats.detect(BytesSource(long.encode())) == "codex"
    assert (
        formats.detect(BytesSource(json.dumps(event("user_message", message="x")).encode()))
        == "codex"
    )


def completed(kind: str, id: str, **more: Any) -> dict[str, Any]:
    """An item as 0.166 writes it beside the model's own."""
    return event("item_completed", 1, item={"type": kind, "id": id, **more})


def started(trigger: str) -> dict[str, Any]:
    return event("task_started", 1, turn_attribution={"turn_trigger": trigger})


def user_item(text: str, provenance: str = "user") -> dict[str, Any]:
    about = {"content_item_metadata": [{"provenance": {"type": provenance}}]}
    item = said("user", text)
    item["payload"] |= {"id": "msg_1", "internal_chat_message_metadata_passthrough": about}
    return item


@pytest.mark.parametrize(
    ("trigger", "source", "provenance", "typed"),
    [
        ("user", "vscode", "user", True),
        ("user", "cli", "user", True),
        ("exec", "exec", "user", False),
        ("automation", "vscode", "user", False),
        ("user", "exec", "user", False),
        ("user", "cli", "agent", False),
    ],
)
def test_a_prompt_of_0_166_is_an_item(
    trigger: str, source: str, provenance: str, typed: bool
) -> None:
    """A turn that a person set off, in a session that is typed into; the item may stand in either form."""
    shown = completed(
        "UserMessage", "i1", client_id="k1", content=[{"type": "text", "text": "use pnpm, not npm"}]
    )
    lines = [
        started(trigger),
        user_item("use pnpm, not npm", provenance),
        *([shown] if provenance == "user" else []),
    ]
    run = read(*lines, meta={**META, "source": source, "cli_version": "0.166.0"})
    (step,) = run.steps
    assert step.typed is typed and (step.speaker == "typed") is typed
    assert not typed or step.record == "k1"


def test_an_answer_as_item_and_as_message_is_one_step() -> None:
    """0.166 shows the model's words before it writes them down."""
    item = said("assistant", "It needs uv.")
    item["payload"]["id"] = "msg_2"
    run = read(
        completed("AgentMessage", "msg_2", content=[{"type": "Text", "text": "It needs uv."}]), item
    )
    assert [(step.text, step.record) for step in run.steps] == [("It needs uv.", "msg_2")]


@pytest.mark.parametrize("after", [False, True])
def test_an_exit_code_beside_the_answer(after: bool) -> None:
    """The host's own note of how a command ended counts, before or after what the model saw of it."""
    ended = completed(
        "CommandExecution", "c1", exit_code=7, status="failed", aggregated_output="no such table"
    )
    answered = result("no such table")
    run = read(call(), *((answered, ended) if after else (ended, answered)))
    assert [(step.status, step.error) for step in run.steps] == [(7, "no such table")]


def script(text: str, id: str = "c1") -> dict[str, Any]:
    return line("response_item", 2, type="custom_tool_call", name="exec", call_id=id, input=text)


def printed(*texts: str, id: str = "c1", head: str = "Script completed") -> dict[str, Any]:
    blocks = [{"type": "input_text", "text": f"{head}\nWall time 0.1 seconds\nOutput:\n"}]
    blocks += [{"type": "input_text", "text": text} for text in texts]
    return line("response_item", 3, type="custom_tool_call_output", call_id=id, output=blocks)


def test_a_script_that_runs_one_command_is_that_command() -> None:
    """Arguments are read out of the script, whatever quotes it uses; nothing is run."""
    run = read(
        script(
            'const r = await tools.exec_command({cmd:"make \\"a b\\"\\n", workdir: \'/repo\', n: 5}); text(r.output)'
        ),
        printed("done"),
    )
    (step,) = run.steps
    assert (step.tool, step.input) == (
        "exec_command",
        {"cmd": 'make "a b"\n', "workdir": "/repo", "n": 5},
    )
    assert (step.output, step.status) == ("done", None)


@by_table
def test_the_exit_code_that_a_script_prints(
    prints: str, texts: list[str], status: int | None, output: str, error: str
) -> None:
    """The host's own result, as JSON or by a template, has the code."""
    run = read(
        script(f'const r = await tools.exec_command({{cmd:"make"}}); {prints}'), printed(*texts)
    )
    (step,) = run.steps
    assert (step.status, step.output, step.error) == (status, output, error)


def test_a_script_that_fails() -> None:
    """A tool that refuses makes the script fail; the files of its patch are known."""
    patch = 'const p = "*** Begin Patch\\n*** Update File: src/a.rs\\n"; text(await tools.apply_patch(p))'
    failed = line(
        "response_item",
        3,
        type="custom_tool_call_output",
        call_id="c1",
        output="Script failed\nWall time 0.0 seconds\nOutput:\nScript error:\napply_patch verification failed: lines",
    )
    (step,) = read(script(patch), failed).steps
    assert (step.tool, step.files, step.error) == (
        "apply_patch",
        ("src/a.rs",),
        "apply_patch verification failed: lines",
    )


def test_later_output_belongs_to_its_command() -> None:
    """Polls of a running process or script are no steps of their own: the command gets their output and the exit code."""
    head = "Chunk ID: a\nWall time: 1 seconds\n"
    polled = read(
        call(cmd="make test"),
        result(head + "Process running with session ID 77\nOutput:\ncompiling"),
        call("c2", "write_stdin", session_id=77, chars=""),
        result(head + "Process running with session ID 77\nOutput:\nlinking", "c2"),
        call("c3", "write_stdin", session_id=77, chars=""),
        result(head + "Process exited with code 2\nOutput:\nboom", "c3"),
    )
    assert [(step.tool, step.status, step.error) for step in polled.steps] == [
        ("exec_command", 2, "compiling\nlinking\nboom")
    ]
    waited = read(
        script('const r = await tools.exec_command({cmd:"make test"}); text(JSON.stringify(r))'),
        printed(head="Script running with cell ID 5"),
        call("c2", "wait", cell_id="5"),
        line(
            "response_item",
            3,
            type="function_call_output",
            call_id="c2",
            output=printed('{"chunk_id":"a","exit_code":1,"output":"boom"}')["payload"]["output"],
        ),
    )
    assert [(step.tool, step.status, step.error) for step in waited.steps] == [
        ("exec_command", 1, "boom")
    ]
    typed = read(
        call(cmd="psql"),
        result(head + "Process running with session ID 77\nOutput:\n"),
        call("c2", "write_stdin", session_id=77, chars="select 1;\n"),
        result(head + "Process running with session ID 77\nOutput:\n1", "c2"),
    )
    assert [step.tool for step in typed.steps] == ["exec_command", "write_stdin"]


def test_a_fork_of_a_fork_has_the_oldest_lineage() -> None:
    """A forked file repeats the heads of those it came from, the oldest last."""
    heads = [line("session_meta", 1, **{**META, "id": id}) for id in ("s-1", "s-0")]
    assert read(*heads, meta={**META, "id": "s-2", "forked_from_id": "s-1"}).lineage == "s-0"
    assert read(heads[1], meta={**META, "forked_from_id": "s-0"}).lineage == "s-0"
    assert read(line("session_meta", 1, **META)).lineage == ""


def test_the_commit_it_began_at() -> None:
    """`tacit replay` begins there again."""
    run = read(
        said("user", "go"), meta={**META, "git": {"commit_hash": "2d6c2f3ad269", "branch": "main"}}
    )
    assert (run.commit, run.branch, run.changed) == ("2d6c2f3ad269", "main", ())


def test_a_sub_agents_copy_of_its_parents_words_is_unsure() -> None:
    """They were typed there; here they are shown, in case it is the only record, and are no second time. Its own task is the agent's."""
    parent, fork, later = (
        "019d7d08-0000-7000-8000-000000000001",
        "019d7e2f-0000-7000-8000-000000000002",
        "019d7e30-0000-7000-8000-3",
    )
    spawned = {
        "subagent": {
            "thread_spawn": {"parent_thread_id": parent, "depth": 1, "agent_role": "explorer"}
        }
    }
    lines = [line("session_meta", 0, id=parent, source="cli")]
    for turn, text in ((parent, "always use uv here"), (later, "Review the parser.")):
        lines += [
            event("task_started", turn_id=turn),
            said("user", text),
            event("user_message", message=text),
        ]
    run = read(*lines, meta={"id": fork, "forked_from_id": parent, "source": spawned})
    assert [(step.text, step.speaker, step.typed) for step in run.steps] == [
        ("always use uv here", "unsure", False),
        ("Review the parser.", "", False),
    ]
