"""Channels that an attacker tried who had read the docs: names that are sentences, shapes of records nobody writes, folders and variables that lead elsewhere.

Each plants the forty quiet lessons (`texts`), forty as a person speaks (`PLANTED`), or both, in its n-th run; `bench/redteam.py` asks what comes through.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from redteam_hosts import AT, CANARY, PLANTED

AGENT = {"CLAUDECODE": "1", "TACIT_KEY": ""}


def _typed(text: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "permissionMode": "default",
        "promptSource": "typed",
        "message": {"role": "user", "content": text},
        **more,
    }


def _call(id: str, tool: str, **given: Any) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {
            "id": f"m-{id}",
            "model": "claude-x",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": tool, "input": given}],
        },
    }


def _result(id: str, text: str, failed: bool = False) -> dict[str, Any]:
    told: Any = f"Error: {text}" if failed else {"stdout": text, "stderr": "", "interrupted": False}
    return {
        "type": "user",
        "toolUseResult": told,
        "message": {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
            ],
        },
    }


def _shell(id: str, command: str, output: str = "ok", failed: bool = False) -> list[dict[str, Any]]:
    return [
        _call(id, "Bash", command=command),
        _result(id, f"Exit code 1\n{output}" if failed else output, failed),
    ]


def _cured(k: int, error: str, command: str = "", cure: str = "make setup") -> list[dict[str, Any]]:
    return [
        *_shell(f"a{k}", command or f"make check{k}", error, True),
        *_shell(f"b{k}", cure),
        *_shell(f"c{k}", command or f"make check{k}"),
    ]


def _session(world: Any, n: int, records: Iterator[list[dict[str, Any]]]) -> None:
    world.claude(n, [_typed(CANARY), *(each for some in records for each in some)])


def _snake(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _camel(text: str) -> str:
    return "".join(word.capitalize() for word in re.findall("[A-Za-z0-9]+", text))


def _lines(rows: Any) -> str:
    return "\n".join(map(json.dumps, rows)) + "\n"


def by_class_names(texts: tuple[str, ...], world: Any, n: int) -> None:
    """The class of an error is a sentence in CamelCase, whole and cut to nine words."""
    _session(
        world,
        n,
        (
            _cured(k, f"{_camel(text if k % 2 else ' '.join(text.split()[:9]))}Error: x")
            for k, text in enumerate(texts)
        ),
    )


def by_identifiers(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Modules, programs, variables, files, targets and tests whose names are sentences."""
    forms = (
        "ModuleNotFoundError: No module named '{}'",
        "bash: {}: command not found",
        "KeyError: '{}'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'docs/{}.md'",
        "make: *** No rule to make target '{}'.  Stop.",
        "FAILED tests/test_a.py::test_{} - AssertionError",
    )
    _session(
        world,
        n,
        (
            _cured(
                k,
                forms[k % len(forms)].format(_snake(text)),
                f"pytest tests/test_{_snake(text)}.py" if k % 3 == 0 else "",
                f"make {_snake(text)}" if k % 3 == 1 else "make setup",
            )
            for k, text in enumerate(texts)
        ),
    )


def by_paths(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Folders one word each, dotted modules, files with spaces in their names."""
    forms = (
        "FileNotFoundError: [Errno 2] No such file or directory: '{}'",
        "ModuleNotFoundError: No module named '{}'",
        "ENOENT: no such file or directory, open '{}'",
    )
    spelled = (
        lambda text: _snake(text).replace("_", "/"),
        lambda text: _snake(text).replace("_", "."),
        lambda text: text,
    )
    _session(
        world,
        n,
        (_cured(k, forms[k % 3].format(spelled[k % 3](text))) for k, text in enumerate(texts)),
    )


def by_cure_words(texts: tuple[str, ...], world: Any, n: int) -> None:
    """The cure carries it as an argument, a comment, a variable, a here-document."""
    forms = (
        "make setup NOTE='{}'",
        "make setup # {}",
        "NOTE='{}' make setup",
        "make setup <<EOF\n{}\nEOF",
        "echo '{}' && make setup",
    )
    _session(
        world,
        n,
        (
            _cured(
                k,
                "ModuleNotFoundError: No module named 'yaml'",
                cure=forms[k % len(forms)].format(text),
            )
            for k, text in enumerate(texts)
        ),
    )


def by_tool_names(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Tools, servers, arguments and keys of JSON that are sentences, failing three times."""
    names = (lambda text: _snake(text), lambda text: f"mcp__{_snake(text)}__run", lambda text: text)
    _session(
        world,
        n,
        (
            [
                _call(f"t{k}-{m}", names[k % 3](text), **{text: text}),
                _result(f"t{k}-{m}", json.dumps({text: {"error": text}}), True),
            ]
            for k, text in enumerate(texts)
            for m in range(3)
        ),
    )


def by_tasks(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Runs whose task, branch, agent, model and title say it, around one cured error."""
    for k, text in enumerate(texts):
        at = {"type": "step", "tool": "shell"}
        rows = [
            {
                "type": "run",
                "id": f"t{n}-{k}",
                "cwd": str(world.repo),
                "task": text,
                "branch": _snake(text),
                "agent": text,
                "model": text,
                "title": text,
            },
            {
                **at,
                "input": {"command": "make check"},
                "error": "ModuleNotFoundError: No module named 'yaml'",
                "status": 1,
            },
            {**at, "input": {"command": "make setup"}, "output": "ok"},
            {**at, "input": {"command": "make check"}, "output": "ok"},
            {"type": "end", "outcome": "success"},
        ]
        world.tacit("learn", "-", "--format", "neutral", "--as", "ada", given=_lines(rows))


def by_shapes(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Records in shapes that the host does not write: a source of another type, kinds nobody knows, an answer that calls itself a prompt."""
    sources: tuple[Any, ...] = (
        "Typed",
        "typed ",
        "voice",
        ["typed"],
        {"typed": 1},
        True,
        None,
        "suggestion",
        "auto",
        "sdk",
    )
    records = [
        _typed(text, promptSource=sources[k % len(sources)]) for k, text in enumerate(PLANTED)
    ]
    records += [
        {**_typed(text), "type": kind}
        for text in PLANTED
        for kind in ("human", "prompt", "User", "user_prompt", "assistant")
    ]
    records += [
        {**_typed(text), "entrypoint": entry}
        for text in PLANTED
        for entry in ("sdk-ts", "mcp", "claude-desktop", "github-action", "Cli")
    ]
    world.claude(n, [_typed(CANARY), *records])


def by_blocks(texts: tuple[str, ...], world: Any, n: int) -> None:
    """A prompt beside a result in one record; documents, search results and their titles in a prompt."""

    def one(k: int, text: str) -> list[dict[str, Any]]:
        beside = [
            {"type": "tool_result", "tool_use_id": f"b{k}", "content": "ok"},
            {"type": "text", "text": text},
        ]
        page = [
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": text},
                "title": text,
                "context": text,
            },
            {"type": "search_result", "content": [{"type": "text", "text": text}]},
            {"type": "text", "text": f"look at this ({k})"},
        ]
        return [
            _call(f"b{k}", "Bash", command="cat x"),
            {**_typed(beside), "toolUseResult": {"stdout": text}},
            _typed(page),
        ]

    _session(world, n, (one(k, text) for k, text in enumerate(PLANTED)))


def by_subagent_files(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Sub-agents' own files in the host's folder, with the marks of typing."""
    base, id = (
        world.home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(world.repo)),
        f"0000000{n}-0000-4000-8000-000000000000",
    )
    world.claude(n, [_typed(CANARY)])
    for at, extra in (
        (base / id / "subagents" / f"agent-{n}abc.jsonl", {"agentId": "abc"}),
        (base / f"agent-{n}def.jsonl", {"agentId": "def", "isSidechain": True}),
        (base / f"agent-{n}xyz.jsonl", {}),
    ):
        at.parent.mkdir(parents=True, exist_ok=True)
        common = {
            "sessionId": id,
            "cwd": str(world.repo),
            "version": "2.1.240",
            "timestamp": AT.format(day=n + 1),
            **extra,
        }
        at.write_text(
            _lines(
                {**common, "uuid": f"{at.stem}{k}", **_typed(text)}
                for k, text in enumerate(PLANTED)
            ),
            encoding="utf-8",
        )
        world.tacit("learn", str(at), "--over")


def by_elsewhere(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Sessions of the repository: by a path that leads through the host's folder, by a link that lies there, in a folder that a variable calls the host's."""
    base = world.home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(world.repo))
    base.mkdir(parents=True, exist_ok=True)
    world.claude(n, [_typed(text) for text in PLANTED], world.repo / "sessions")
    (path,) = (world.repo / "sessions").glob(f"0000000{n}-*")
    world.tacit("learn", os.path.join(base, *[".."] * 4, "repo", "sessions", path.name), "--over")
    link = base / f"1{path.name[1:]}"
    link.symlink_to(path)
    world.tacit("learn", str(link), "--over")
    world.claude(n, [_typed(text) for text in PLANTED], world.repo / ".cc" / "projects" / "x")
    for session in (world.repo / ".cc").rglob("*.jsonl"):
        world.tacit(
            "learn",
            str(session),
            "--over",
            env={
                "CLAUDE_CONFIG_DIR": str(world.repo / ".cc"),
                "CODEX_HOME": str(world.repo / ".cc"),
            },
        )


def by_variables(texts: tuple[str, ...], world: Any, n: int) -> None:
    """An agent's shell with every variable that might make it somebody: `--as`, names, profiles."""
    env = {
        **AGENT,
        "TACIT_RUN": f"e{n}",
        "TACIT_BY": "ada",
        "USER": "ada",
    }
    for text in texts[:10]:
        world.tacit("add", text, "--by", "ada", env=env)
    rows = [
        {"type": "run", "id": f"v{n}", "cwd": str(world.repo)},
        *({"type": "step", "role": "user", "text": text, "typed": True} for text in PLANTED),
    ]
    world.tacit("learn", "-", "--format", "neutral", "--as", "ada", given=_lines(rows), env=env)
    found = _lines([{"type": "run", "id": f"r{n}"}, *_reviewed(texts)])
    world.tacit("learn", "-", "--format", "neutral", given=found, env=env)
    world.tacit("learn", "-", "--format", "neutral", "--over", given=found)


def _reviewed(texts: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"type": "finding", "text": text, "by": "reviewer"} for text in texts]


def by_marks(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Our own marks imitated by letters that only look like them."""
    for text in texts[:20]:
        world.tacit(
            "add",
            f"{text} (s\u0435\u0435n 41\u0445, us\u0435r) \ufe63 [7k3q9m2x0hd1]",
            env={**AGENT, "TACIT_RUN": f"m{n}"},
        )
    rows = [
        {"type": "run", "id": f"m{n}", "cwd": str(world.repo)},
        *(
            {"type": "finding", "text": f"{text} \u2768seen 41\u00d7, user\u2769", "by": "user"}
            for text in texts[20:]
        ),
    ]
    world.tacit("learn", "-", "--format", "neutral", given=_lines(rows))


def by_store(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Somebody else's store, in which everything is their own word: in each format of ours."""
    from tacit.testing import signed

    with tempfile.TemporaryDirectory() as folder:
        theirs = {
            "HOME": folder,
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_CONFIG_HOME": f"{folder}/config",
            "USER": "eve",
        }
        env = {**theirs, **signed({**os.environ, **theirs})}
        for text in texts:
            world.tacit("add", text, "--kind", "rule", "--by", "eve", "--yes", env=env)
        for form, name in (("jsonl", "x.jsonl"), ("csv", "x.csv")):
            world.tacit(
                "data", "export", "--format", form, "--out", str(world.repo / f"{n}{name}"), env=env
            )
    for path in sorted(world.repo.glob(f"{n}x.*")):
        world.tacit("data", "import", str(path))


def by_pages(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Instruction files of every host with our own marks and ids in them, before the page is written and the store tended."""
    for name in (
        "CLAUDE.md",
        "AGENTS.md",
        "MEMORY.md",
        ".tacit/MEMORY.md",
        "GEMINI.md",
        ".cursor/rules/a.mdc",
        ".github/copilot-instructions.md",
    ):
        world.write(
            name,
            "<!-- tacit -->\n"
            + "\n".join(f"- [{k:012}] {text} (seen 9x, user)" for k, text in enumerate(texts))
            + "\n<!-- /tacit -->\n",
        )
    world.claude(n, [_typed(CANARY)])
    world.tacit("origin", "tend", "--by", "ada", "--yes")
    world.tacit("origin", "page", "--by", "ada", "--yes")


def by_codex_shapes(texts: tuple[str, ...], world: Any, n: int) -> None:
    """Codex: items that nobody typed in the shape of those that somebody did."""

    def one(text: str) -> list[dict[str, Any]]:
        said = {"type": "message", "role": "user"}
        return [
            {**said, "content": [{"type": "input_text", "text": text}], "phase": "steer"},
            {**said, "content": [{"type": "output_text", "text": text}]},
            {
                **said,
                "content": [{"type": "input_text", "text": f"<turn_aborted>{text}</turn_aborted>"}],
            },
            {"type": "agent_message", "message": text},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]},
            {"type": "custom_tool_call_output", "call_id": "x", "output": text},
            {"type": "user_message", "message": text, "kind": "plain"},
            {"type": "web_search_call", "action": {"query": text}},
        ]

    world.codex(n, [item for text in PLANTED for item in one(text)])


MORE_CHANNELS: dict[str, Callable[[tuple[str, ...], Any, int], None]] = {
    "names: classes of errors that are sentences": by_class_names,
    "names: modules, programs, variables, targets, tests": by_identifiers,
    "names: paths one word a folder, dotted, with spaces": by_paths,
    "names: tools, MCP servers, keys of JSON": by_tool_names,
    "names: tasks, branches, agents, models": by_tasks,
    "cures: arguments, comments, here-documents": by_cure_words,
    "claude-code: records in shapes nobody writes": by_shapes,
    "claude-code: documents, a prompt beside a result": by_blocks,
    "claude-code: sub-agents' own files with marks of typing": by_subagent_files,
    "places: links, `..`, a variable that names the repository": by_elsewhere,
    "agent's shell: every variable, `--as`, `--by`": by_variables,
    "marks: imitated by letters that look alike": by_marks,
    "import: files of another's store": by_store,
    "page: our marks in every instruction file": by_pages,
    "codex: items in shapes nobody typed": by_codex_shapes,
}
