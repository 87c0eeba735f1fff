"""A command as a model: no shell, no repository, no recursion, and nothing left running."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from tacit.core.errors import ModelUnavailable
from tacit.reading.models.command import ModelCommand, surroundings

PYTHON = shlex.quote(sys.executable)


def command(code: str) -> ModelCommand:
    return ModelCommand(f"{PYTHON} -c {shlex.quote(code)}", os.environ)


def failure(code: str, timeout: float = 20.0) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        command(code).answer("hello", None, timeout)
    return caught.value


def test_it_reads_the_prompt_and_its_words_are_the_answer() -> None:
    """Whatever characters both hold; the first line says whose question it is."""
    assert (
        command("import sys; print(sys.stdin.read().upper(), end='')")
        .answer("grüße; $HOME `x`", None, 20.0)
        .text
        == "[TACIT ASKS]\nGRÜSSE; $HOME `X`"
    )


def test_no_shell_is_between(tmp_path: Path) -> None:
    """Words are words: nothing expands, nothing is chained."""
    mark = tmp_path / "mark"
    with pytest.raises(ModelUnavailable) as caught:
        ModelCommand(f"false; touch {mark}", os.environ).answer("hello", None, 20.0)
    assert caught.value.why == "dead" and not mark.exists()


def test_it_runs_in_an_empty_folder_that_is_gone_afterwards() -> None:
    """A repository's settings are somebody else's."""
    folder, held = (
        command("import os; print(os.getcwd()); print(os.listdir('.'))")
        .answer("", None, 20.0)
        .text.split()
    )
    assert held == "[]" and not os.path.exists(folder) and folder != os.getcwd()


def test_its_environment_is_the_user_s_without_the_session() -> None:
    """Our hooks are silent inside, and it does not take itself for the agent's child; how it reaches its model stays."""
    env = {
        "PATH": "/bin",
        "TACIT_RUN": "r",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SSE_PORT": "1",
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "CLAUDE_CODE_USE_BEDROCK": "1",
    }
    assert surroundings(env) == {
        "CLAUDE_CODE_MAX_RETRIES": "2",  # refused, it says why within our time
        "PATH": "/bin",
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "TACIT_MODEL_CALL": "1",
    }


def test_inside_its_call_no_model_is_asked() -> None:
    """The marker ends the recursion."""
    from tacit.core.config import settle
    from tacit.reading.models import chosen

    settings = settle({"model": {"command": "cat"}}, {}, {}).by_key
    assert chosen(settings, {"TACIT_MODEL_CALL": "1"}, None) is None  # type: ignore[arg-type]
    assert chosen(settings, {}, None) is not None  # type: ignore[arg-type]


def test_a_repository_cannot_name_a_model() -> None:
    """Only the user's own file and environment do."""
    from tacit.core.config import settle

    theirs = {
        "model": {"command": "evil", "url": "http://evil", "key_env": "AWS_SECRET_ACCESS_KEY"}
    }
    found = settle({}, theirs, {})
    assert [found.by_key[key].value for key in ("model.command", "model.url", "model.key_env")] == [
        "",
        "",
        "",
    ]
    assert len(found.left_out) == 3


def test_a_host_s_environment_cannot_name_a_model_for_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository's settings can make a host set variables; where the key is, stays."""
    from tacit.hooks import start_worker as worker

    gone = (
        "TACIT_MODEL_COMMAND",
        "TACIT_MODEL_URL",
        "TACIT_MODEL_KEY_ENV",
        "TACIT_MODEL_CALL",
        "CLAUDECODE",
    )
    stays = {"EXAMPLE_API_KEY": "k", "TACIT_STORE": "s"}
    handed: list[dict[str, str]] = []
    monkeypatch.setattr(worker, "spawned", lambda words, env, held: handed.append(env))
    assert worker.start(str(tmp_path / "tacit.db"), {**dict.fromkeys(gone, "x"), **stays})
    assert handed == [stays]


def test_when_the_time_is_over_the_whole_group_ends(tmp_path: Path) -> None:
    """Also a child that holds the output open."""
    pid = tmp_path / "pid"
    program = (
        tmp_path / "model.sh"
    )  # no interpreter: on a busy machine two of them took longer than their time
    program.write_text(f"sleep 600 & echo $! > {pid}; sleep 600\n")
    with pytest.raises(ModelUnavailable) as caught:
        ModelCommand(f"sh {program}", os.environ).answer("hello", None, 3.0)
    assert caught.value.why == "timeout"
    for _ in range(1000):
        if not _lives(int(pid.read_text())):
            return
        time.sleep(0.05)
    raise AssertionError("the child lives")


def _lives(pid: int) -> bool:
    try:
        return (
            b") Z" not in Path(f"/proc/{pid}/stat").read_bytes()
            if os.path.exists("/proc")
            else os.kill(pid, 0) is None
        )
    except (OSError, ProcessLookupError):
        return False


def test_failures_have_names() -> None:
    """An exit status, an endless answer, a command that is not there."""
    told = failure(
        "import sys; sys.stderr.write('first\\npassword=hunter2hunter2\\n'); sys.exit(3)"
    )
    assert told.why == "exit" and "3" in told.message and "hunter2" not in told.message
    assert failure("while True: print('x' * 100000)").why == "too_large"
    with pytest.raises(ModelUnavailable) as caught:
        ModelCommand("no-such-command-here", {}).answer("hello", None, 1.0)
    assert caught.value.why == "dead"
    with pytest.raises(ModelUnavailable):
        ModelCommand("'unbalanced", {}).answer("hello", None, 1.0)


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        ("Not logged in · Please run /login", "start the program once and log in"),
        ("API Error: Request rejected (429) · rate limited", "it is tried again later"),
        (
            '{"type":"result","is_error":true,"result":"API Error: 401 invalid key"}',
            "start the program once and log in",
        ),
    ],
)
def test_a_reason_on_standard_output_is_told_with_its_mend(said: str, mend: str) -> None:
    """Hosts' programs say there why they could not answer, and nothing on standard error."""
    told = failure(f"import sys; print({said!r}); sys.exit(1)").message
    assert mend in told and "no word" not in told and "{" not in told
    assert "no word" in failure("import sys; sys.exit(1)").message


def test_an_answer_in_a_hosts_json_counts_its_thinking() -> None:
    """The answer is its `result`; tokens are as the host counts them, with what the model thought."""
    told = {
        "type": "result",
        "is_error": False,
        "result": "[]",
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 20, "output_tokens": 900},
    }
    reply = command(f"import json; print(json.dumps({told!r}))").answer("hello", None, 20.0)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("[]", 25, 900)
    plain = command("print('{\"lessons\": []}')").answer("hello", None, 20.0)
    assert (plain.text.strip(), plain.tokens_out) == ('{"lessons": []}', -1)


def test_another_model_or_another_build_is_another_reader(tmp_path: Path) -> None:
    """So the exam of one vouches for no other."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {"PATH": str(tmp_path)}
    first = ModelCommand("claude -p --model haiku", env).identity
    assert (
        first
        == ModelCommand("claude -p --model haiku", env).identity
        != ModelCommand("claude -p --model opus", env).identity
    )
    assert "haiku" in first and first.startswith("the command claude")
    program.write_text("#!/bin/sh\n# another version\n")
    assert ModelCommand("claude -p --model haiku", env).identity != first
    assert ModelCommand("llm", env).identity == "the command llm"
