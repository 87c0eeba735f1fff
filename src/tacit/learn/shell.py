"""How a shell line reads: which simple commands it holds, which one it is about, and how to say that in a lesson.

A lesson names a command, never a dump. So a line is cut into calls (`cd`, pipes into `tail`, redirections,
here-documents and environment noise fall away), the call the line is about is found, and two lines are "the same
command" when program and subcommand agree: `npm test` and `npm test -- --runInBand`, `pytest -q` and `uv run pytest`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.core.programs import LOOKING_COMMANDS
from tacit.core.run import Step
from tacit.core.shell_line import bare, simple_commands
from tacit.core.tables import Tables
from tacit.core.value import value
from tacit.guard.redact import redact

_tables = Tables(__file__)


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is easier to read as text."""
    return frozenset(text.split())


LONGEST_LINE = 4000  # a longer command is a script; its first part says what it is about
LONGEST_SHOWN = 110  # of a command inside a lesson
# words in one argument, or arguments that are plain words one after the other: a sentence, not part of the command
PROSE = 4
LONGEST_WORD = 48  # a longer quoted argument is content (a message, a query), not part of the command

# Tools that run a command of a POSIX shell. PowerShell and cmd have another grammar: `core.canary` says that they are not read.
SHELL_TOOLS = re.compile(r"bash|(?<!power)shell|terminal|exec_command|run_command|execute_command|^sh$", re.I)
COMMAND_KEYS = ("command", "cmd", "script", "commandLine", "CommandLine")

NEUTRAL = _tables.words("NEUTRAL")
LOOKING = _tables.words("LOOKING")
# In front of the command proper: said or unsaid, it is the same command.
WRAPPERS = word_set("sudo env time nohup nice command exec xvfb-run stdbuf caffeinate doas ionice builtin")
WRAPPERS_WITH_VALUE = frozenset({"timeout", "gtimeout"})
RUNNERS = tuple(
    tuple(words.split())
    for words in (
        "uv run", "poetry run", "pipenv run", "hatch run", "pdm run", "rye run", "pipx run", "conda run", "bundle exec",
        "pnpm exec", "npm exec", "yarn exec", "pnpm dlx", "yarn dlx", "npx", "bunx", "uvx", "mise x", "mise exec",
    )
)  # fmt: skip
RUNNER_VALUES = frozenset({"--with", "-p", "--package", "--extra", "--group", "-n"})
INTERPRETERS = word_set("python node ruby bash sh zsh perl php deno bun tsx ts-node Rscript julia lua")
SUBCOMMANDS = _tables.words("SUBCOMMANDS")
TWO_DEEP = frozenset(
    tuple(words.split())
    for words in (
        "npm run", "pnpm run", "yarn run", "bun run", "docker compose", "uv pip", "gh pr", "gh issue", "gh run",
        "gh api", "go mod", "pnpm -r", "deno task", "yarn workspace", "git stash", "git worktree", "git config",
        "aws s3", "dotnet ef", "hatch env", "mise run", "moon run", "nx run", "turbo run",
    )
)  # fmt: skip
SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
# `pnpm dev` is `pnpm run dev`.
RUN_SHORTHAND = word_set("test start dev build lint format typecheck check serve watch preview")
OPTIONS_WITH_VALUE = ("-C", "-f", "-p", "-n", "--file", "--manifest-path", "--directory")
WORKSPACE_OPTIONS = ("--filter", "-F", "--prefix", "-C", "--dir", "-w", "--workspace", "--cwd")

SPOKEN_ENV = _tables.pattern("SPOKEN_ENV")
USUAL_BRANCHES = ("", "main", "master", "HEAD", "develop")  # worth naming; any other is of the moment


@value
class Call:
    """One simple command of a line."""

    words: tuple[str, ...]  # as spelled, without assignments and redirections
    env: tuple[str, ...] = ()  # assignments in front
    piped: bool = False  # something reads its output, so its own exit status was lost
    fed: bool = False  # it reads another call's output
    inline: bool = False  # it reads a here-document: a script of the moment
    writes: tuple[str, ...] = ()  # files its output goes to
    folder: str = ""  # the folder that a `cd` before it in the same line went to


def command_of(step: Step) -> str:
    """The shell line a step ran; empty for steps of other tools."""
    if not step.tool or step.input is None or not SHELL_TOOLS.search(step.tool):
        return ""
    return _line_of(step.input)


def _line_of(arguments: Mapping[str, Any]) -> str:
    """The shell line in a tool's arguments, whatever the host calls it."""
    for key in COMMAND_KEYS:
        said = arguments.get(key)
        if isinstance(said, str):
            return said.strip()
        if isinstance(said, (list, tuple)) and said:
            words = [str(word) for word in said]
            return words[2].strip() if len(words) == 3 and words[1] in ("-c", "-lc", "-ic") else " ".join(words).strip()
    return ""


def calls(line: str) -> tuple[Call, ...]:
    """The simple commands of a line, in order."""
    found: list[Call] = []
    folder = ""
    for words, before, after, inline, writes in simple_commands(line[:LONGEST_LINE]):
        env, rest = _assignments(words) if "=" in words[0] else ([], words)
        if not rest:
            continue
        call = Call(tuple(rest), tuple(env), after in ("|", "|&"), before in ("|", "|&"), inline, tuple(writes), folder)
        found.append(call)
        if len(rest) > 1 and bare(rest[0]) in ("cd", "pushd"):
            folder = bare(rest[1])
    return tuple(found)


def main_call(line: str) -> Call | None:
    """The call a line is about: the last that does something; else the last that looks; None where nothing does."""
    looking: Call | None = None
    for call in reversed(calls(line)):
        head = key(call)[0]
        if head in NEUTRAL:
            continue
        if looks(call) or (call.fed and head in ("xargs", "sh", "bash")):
            looking = looking or call
            continue
        return call
    return looking


def key(call: Call) -> tuple[str, ...]:
    """What makes two calls the same command: program, subcommand and, for an interpreter, its script."""
    words = proper(call)
    program, rest = words[0], words[1:]
    if program in INTERPRETERS:
        target = next((w for w in rest if not w.startswith("-") or w in ("-c", "-e", "-", "-lc", "-ic")), "")
        if program == "python" and target.endswith("manage.py"):
            return (program, "manage.py", *_plain(rest[rest.index(target) + 1 :])[:1])
        if program in SCRIPT_RUNNERS:
            return _scripted(program, rest)
        return (program, "-c" if call.inline or target.startswith("-") else target)
    if program in SCRIPT_RUNNERS:
        return _scripted(program, rest)
    if program in SUBCOMMANDS:
        plain = _plain(rest)
        # `gh api repos/…` asks for one page of many
        deep = (program, *plain[:1]) in TWO_DEEP and "/" not in "".join(plain[1:2])
        depth = 2 if deep else 1
        return (program, *plain[:depth])
    return (program,)


def proper(call: Call) -> list[str]:
    """A call's bare words without wrappers, runners, `python -m`, and the program's folder and version."""
    words = [bare(word) for word in call.words]
    while len(words) > 1 and (words[0] in WRAPPERS or words[0] in WRAPPERS_WITH_VALUE):
        timed = words[0] in WRAPPERS_WITH_VALUE
        words = words[1:]
        while len(words) > 1 and (words[0][:1] == "-" or "=" in words[0] or (timed and words[0][:1].isdigit())):
            words = words[1:]
    for runner in RUNNERS:
        if tuple(words[: len(runner)]) == runner:
            rest = words[len(runner) :]
            if runner[0] == "mise" and "--" in rest[:-1]:  # mise x tool@version -- command
                rest = rest[rest.index("--") + 1 :]
            while len(rest) > 1 and rest[0].startswith("-"):
                rest = rest[2:] if rest[0] in RUNNER_VALUES and len(rest) > 2 else rest[1:]
            if rest and rest[0] not in NEUTRAL:  # `hatch run test` runs a script of that name
                words = rest
            break
    program = words[0].rsplit("/", 1)[-1] or words[0]
    if program in NEUTRAL and words[0][:1] not in "/~$":
        program = words[0]  # `bin/test` is the project's, not the shell's
    program = re.sub(r"^(python|pip|ruby|node|perl|php)[\d.]+$", r"\1", program)
    program = {"gradlew": "gradle", "mvnw": "mvn", "docker-compose": "docker", "nodejs": "node"}.get(program, program)
    if words[0].endswith("docker-compose"):
        words[1:1] = ["compose"]
    if program == "python" and len(words) > 2 and words[1] == "-m":
        return words[2:]
    return [program, *words[1:]]


def looks(call: Call) -> bool:
    """The call only reads; its failure teaches nothing."""
    if call.words[0] == "command" and "-v" in call.words[1:2]:
        return True
    words = proper(call)
    program = words[0]
    if program in LOOKING:
        return True
    if program == "sed":
        return not any(word.startswith(("-i", "--in-place")) for word in words)
    if program == "xargs":
        return any(word in LOOKING for word in words[1:])
    if program in INTERPRETERS and any(word in ("--version", "-V", "-v") for word in words[1:2]):
        return True
    if words[1:] in (["--version"], ["-v"], ["-V"], ["version"], ["--help"], ["-h"], ["help"]):
        return True
    said = _plain(words[1:])[:1] or words[1:2]
    if program == "gh":
        return any(word in ("view", "list", "status", "diff", "checks") for word in words[1:4])
    if program == "bd":
        return any(word in ("show", "list", "ready", "stats", "blocked") for word in said)
    return any(word in LOOKING_COMMANDS.get(program, ()) for word in said)


def displayed_call(call: Call, cwd: str = "", branch: str = "") -> str:
    """The call as a lesson names it: one line, without redirections and content, paths relative to the project."""
    words = []
    for word in (*[e for e in call.env if SPOKEN_ENV.match(e)], *call.words):
        inner = bare(word)
        prose = inner.count(" ") >= PROSE - 1 or inner.count("_") + inner.count("-") >= 2 * PROSE
        if "\n" in word or prose or (len(inner) > LONGEST_WORD and (word[:1] in "\"'$`" or " " in inner)):
            words.append("…")
        else:
            words.append(_masked(word, cwd, branch))
    plain = 0
    for place, word in enumerate(words):
        plain = plain + 1 if word.isalpha() and word.islower() else 0
        if plain > PROSE:
            words[place:] = ["…"]
            break
    # `-m …` is content, whatever its length: a lesson must not carry the message of one commit.
    messages = proper(call)[0] in ("git", "bd", "gh", "glab", "jj", "hg", "svn")
    for place in range(1, len(words) if messages else 0):
        if words[place - 1] in ("-m", "--message", "--title", "--body", "--description", "-am") and words[place] != "…":
            words[place] = "…"
    # before it is cut: half a secret is known by nothing
    text = redact(_CONTENT.sub(r"\1=…", " ".join(words)).replace("`", "'")).text
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1].rstrip() + "…"


_CONTENT = re.compile(r"(--?(?:m|message|title|body|description|reason))=(?:\"[^\"]*\"|'[^']*'|\S+)")


def relative(path: str, cwd: str) -> str:
    """A path as the project sees it."""
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return re.sub(r"^(?:/home/[^/]+|/Users/[^/]+|/root)(?=/)", "~", path)


def _masked(word: str, cwd: str, branch: str) -> str:
    if cwd:
        word = word.replace(cwd.rstrip("/") + "/", "").replace(cwd.rstrip("/"), ".")
    word = re.sub(r"(?:/home/|/Users/)[^/\s]+(?=/)", "~", word)
    if branch not in USUAL_BRANCHES:
        word = word.replace(branch, "<branch>")
    return word


def _scripted(program: str, rest: list[str]) -> tuple[str, ...]:
    plain = _plain(rest, WORKSPACE_OPTIONS)
    if plain[:1] in (["run"], ["run-script"]):
        return (program, "run", *plain[1:2])
    if plain[:1] == ["t"]:
        return (program, "run", "test")
    if plain and plain[0] in RUN_SHORTHAND:
        return (program, "run", plain[0])
    if not plain and program == "yarn":
        return (program, "install")
    if plain[:1] in (["i"], ["ci"], ["install"]):
        # `npm ci` and `npm install` are one command to a lesson; `npm install left-pad` is another.
        return (program, "install", *(["+"] if len(plain) > 1 else []))
    return (program, *plain[:1])


def _plain(words: list[str], with_values: tuple[str, ...] = OPTIONS_WITH_VALUE) -> list[str]:
    """Words that are neither options nor values of options that take one."""
    plain: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in with_values:
            skip = True
        elif not word.startswith("-"):
            plain.append(word)
    return plain


def _assignments(words: list[str]) -> tuple[list[str], list[str]]:
    at = 0
    while at < len(words) and re.match(r"[A-Za-z_]\w*\+?=", words[at]):
        at += 1
    return words[:at], words[at:]
