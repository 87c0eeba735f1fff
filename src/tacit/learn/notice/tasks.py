"""The project's own task that a call runs, whatever runs it.

Projects name their tasks alike (`test`, `lint:fix`, `api:generate`) and run them in many ways: by a task runner, as a package manager's
script, as a script of the repository. Who knows the name knows what the call is for, whatever else the runner can do.
"""

from __future__ import annotations

import re

from tacit.learn import shell

# The task is the first plain word behind these …
_FIRST = shell.word_set(
    "make gmake just task rake invoke inv poe gradle nx turbo composer run-s run-p npm-run-all earthly doit nox"
)
# … or behind one of these words.
_BEHIND = {
    program: frozenset(words.split())
    for program, words in {
        "mise": "run r", "moon": "run", "nx": "run", "turbo": "run", "lerna": "run", "composer": "run run-script", "deno": "task",
        "cargo": "make xtask", "php": "artisan", "hatch": "run", "pdm": "run", "rye": "run", "pipenv": "run", "poetry": "run", "uv": "run",
        "rush": "run", "melos": "run", "lein": "run",
    }.items()
}  # fmt: skip
# `pnpm codegen`, `mise lint`
_SHORTHAND = shell.word_set("test lint build check ci format fmt typecheck e2e codegen generate verify")
_RUN_SCRIPTS = shell.word_set("hatch pdm rye pipenv")  # `hatch run lint:all`: what is no program is a script
_SCRIPT_FOLDERS = shell.word_set("script scripts bin tools tool hack ci dev build .ci")
_WITHIN = frozenset((program, "compose", how) for program in ("docker", "podman") for how in ("run", "exec"))


def task_of(call: shell.Call) -> str:
    """The name of the project's task that a call runs; empty where it runs a program."""
    words = shell.proper(call)
    program, plain = words[0], [word for word in _plain(words[1:]) if not word.startswith("<")]
    front = call.words[: max(0, len(call.words) - len(words))]
    if front and front[0] in _RUN_SCRIPTS and ":" in program:
        return program
    if program in shell.SCRIPT_RUNNERS:
        return _package_script(call, plain)
    if plain and plain[0] in _BEHIND.get(program, ()):
        name = plain[1] if len(plain) > 1 else ""
    elif program in _FIRST or (plain and plain[0] in _SHORTHAND and program == "mise"):
        name = plain[0] if plain else ""
    else:
        script = script_of(call)
        return re.sub(r"\.\w+$", "", script.rpartition("/")[2]) if script else ""
    if program in ("nx", "moon", "gradle"):
        name = name.rpartition(":")[2]  # web:test
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name.lstrip("+"))  # testDebugUnitTest, +test


def script_of(call: shell.Call) -> str:
    """The script of the repository that a call runs, as spelled; empty where it runs none."""
    words = shell.proper(call)
    spelled = shell.bare(call.words[max(0, len(call.words) - len(words))])
    if words[0] in shell.INTERPRETERS and len(words) > 1:
        spelled = words[1]
    parts = spelled.removeprefix("./").split("/")
    if spelled.startswith(("/", "~", "$", "-")) or "*" in spelled:
        return ""
    own = parts[0] in _SCRIPT_FOLDERS and len(parts) > 1
    return (
        spelled if own or (spelled.startswith("./") and len(parts) == 1 and parts[0] not in ("gradlew", "mvnw")) else ""
    )


def inner(call: shell.Call) -> shell.Call | None:
    """The command that a call runs in a container of the project: `docker compose exec web pytest`."""
    words = shell.proper(call)
    if tuple(words[:3]) not in _WITHIN:
        return None
    plain = 3
    while plain < len(words) and words[plain].startswith("-"):
        plain += (
            2 if words[plain] in ("-e", "--env", "-u", "--user", "-w", "--workdir", "--index", "--name", "-v") else 1
        )
    return shell.Call(tuple(words[plain + 1 :])) if len(words) > plain + 1 else None


def _package_script(call: shell.Call, plain: list[str]) -> str:
    head = shell.key(call)
    if head[1:2] == ("run",):
        return head[2] if len(head) > 2 else ""
    if plain[:1] == ["workspace"]:
        plain = [word for word in plain[2:] if word != "run"]
        return plain[0] if plain else ""
    name = head[1] if len(head) > 1 else ""
    return name if ":" in name or name in _SHORTHAND - {"ci"} else ""  # `npm ci` installs


def _plain(words: list[str]) -> list[str]:
    plain: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in (
            "-C",
            "-f",
            "--file",
            "--directory",
            "--manifest-path",
            "--cwd",
            "--filter",
            "-F",
            "--prefix",
            "-t",
            "--target",
        ):
            skip = word not in ("-t", "--target")
        elif not word.startswith("-") and "=" not in word:
            plain.append(word)
    return plain
