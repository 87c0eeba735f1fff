"""Which commands a lesson may recommend by imitation: the repository's own, and nothing else.

A cure is a command that an agent ran and that then worked, in two runs. Where a page told both agents to run it, the lesson outlives the
page. What nobody should learn so has no end (`hazard` lists what it knows), so what may be learned is listed instead: the repository's own
targets and checkers, its package manager's install from the project's files, and what only looks. Everything else waits for a person's yes,
with the command that it waits for; Tacit's own commands always do.

    why_not_own("npm ci") == ""
    why_not_own("cpanm Evil::Setup") == "`cpanm Evil::Setup` is no command of this repository"
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from tacit.learn.command import Command, commands
from tacit.learn.hazard import hazard_of

_LONGEST = 60  # characters of a command in a reason

# Program -> what it may be told first; "" is nothing at all, "*" a target that the repository names itself.
_OWN: dict[str, frozenset[str]] = {
    program: frozenset(words.split())
    for program, words in {
        "make": "*", "gmake": "*", "just": "*", "rake": "*", "tox": "*", "nox": "*", "ninja": "*", "gradle": "*", "gradlew": "*", "mvn": "*",
        "mvnw": "*", "npm": "run run-script test t ci install start build", "pnpm": "run test install i build lint typecheck format check start",
        "yarn": "run test install build lint typecheck format check start", "bun": "run test install i build",
        "cargo": "build b check c test t fmt clippy doc bench clean fetch fix nextest generate-lockfile package",
        "go": "build test vet fmt generate mod clean", "dotnet": "build test restore format clean", "mix": "test compile deps.get format ecto.migrate",
        "composer": "install dump-autoload test", "bundle": "install check", "swift": "build test", "flutter": "test analyze",
        "uv": "sync lock", "poetry": "install lock check", "pdm": "install sync lock", "mise": "run install task tasks r", "task": "*",
        "pre-commit": "run", "pytest": "*", "ruff": "*", "black": "*", "mypy": "*", "isort": "*", "flake8": "*", "pyright": "*", "tsc": "*",
        "vue-tsc": "*", "eslint": "*", "prettier": "*", "biome": "*", "stylelint": "*", "vitest": "*", "jest": "*", "mocha": "*",
        "playwright": "test", "cypress": "run", "prisma": "generate validate format", "markdownlint": "*", "markdownlint-cli2": "*",
        "golangci-lint": "run fmt", "gofmt": "*", "gofumpt": "*", "goimports": "*", "rustfmt": "*", "shellcheck": "*", "shfmt": "*",
        "deno": "fmt lint test check", "stack": "build test", "cabal": "build test", "rebar3": "compile eunit ct", "zig": "build test",
        "buf": "generate lint format", "sqlc": "generate", "terraform": "fmt validate", "cmake": "--build", "ctest": "*", "alembic": "upgrade",
    }.items()
}  # fmt: skip
# From the project's files: nothing is named behind it.
_INSTALLS = frozenset("install i ci sync fetch restore deps.get lock".split())
# How many words stand before the command that such a program runs: … exec, run.
_RUNS_OWN = {"npx": 1, "bunx": 1, **dict.fromkeys(("uv", "poetry", "pdm", "bundle", "pnpm", "yarn", "hatch"), 2)}
_GIT = frozenset("fetch pull add restore stash switch checkout submodule lfs rebase merge".split())
_COMPOSE = frozenset("up down build start stop restart ps logs".split())
_SCRIPT = re.compile(r"(?:\./)?(?:bin|scripts?|tools?|hack|ci|dev)/[\w./-]+|\./(?:gradlew|mvnw)")
# An argument that leaves the repository, names an address, a plug-in or another file of settings, or sets what a runner is made of.
_LEAVES = re.compile(r"(?:^|[=:,])(?:/|~|\.\.)|://|[`$;&|<>]|^@|^git\+|\w@\w")
_STEERS = re.compile(
    r"-(?:C|I|P|c|p|f|u|e|r|eval|exec|D\S*)$|--[\w-]*(?:verif|trust|insecure|unsafe|remote|sandbox)[\w-]*|--(?:no|disable|skip|bypass)-[\w-]*(?:sign|secur|integrity|isolat|hook|script|audit)[\w-]*|--(?:file|config\S*|init-script|settings|project|prefix|plugin|plugins-\S+|rcfile|require|import"
    r"|loader|resolve-plugins\S*|rulesdir|manifest-path|target-dir|directory|makefile|justfile|root|cwd|dir|toolexec|exec|overlay"
    r"|config-file|registry|index-url|find-links|repository|global|userconfig|scripts?-\S+|ignore-scripts|allow-(?!dirty|staged)\S+)(?:=|$)"
    r"|(?:SHELL|CC|CXX|PATH|LD|AR|PYTHON|NODE|\w*FLAGS|\w*OPTS|\w*OPTIONS)="
)
_PLAIN_SETTING = re.compile(r"[A-Z][A-Z0-9_]*=(?:true|false|1|0|test|testing|development|ci)", re.IGNORECASE)
_PACKAGE = re.compile(r"(?:@[\w-]+/)?[\w.-]+")  # of the repository, as its manager calls it
_OWN_FILE = re.compile(r"(?:\./)?[\w-][\w./-]*\.(?:txt|in|lock|toml)")


def why_not_own(command: str) -> str:
    """Why a person is asked before a lesson recommends this command; empty where it is the repository's own."""
    calls = list(commands(command))
    if calls and not hazard_of(command) and all(map(_is_own, calls)):
        return ""
    return f"`{command[:_LONGEST]}` is no command of this repository"


def _is_own(call: Command) -> bool:
    if not all(map(_PLAIN_SETTING.fullmatch, call.env)):
        return False
    words = list(call.bare)
    if len(words) > 3 and words[1] in ("--filter", "-F", "--workspace", "-w") and _PACKAGE.fullmatch(words[2]):
        words = [words[0], *words[3:]]
    if not words or any(_LEAVES.search(word) for word in words[1:]):
        return False
    return words[0] == "cd" or (call.looks and words[0] in _LOOKING) or _runs(words)


_LOOKING = frozenset(
    "ls cat head tail sed awk grep rg find wc sort uniq cut tr diff stat file tree jq od xxd pwd which echo git test true".split()
)


def _runs(words: list[str]) -> bool:
    program, rest = words[0].rsplit("/", 1)[-1] if words[0] in ("./gradlew", "./mvnw") else words[0], words[1:]
    plain = [word for word in rest if not word.startswith("-")]
    first = plain[0] if plain else ""
    if {program, first} & {"tsc", "vue-tsc", "cargo"}:  # one of the repository's own settings or packages
        rest = [word for word in rest if word not in ("-p", "--project")]
    if any(map(_STEERS.match, rest)) and not program.startswith(("pip", "python")):
        return False
    if program in ("pnpm", "yarn", "bun") and ":" in first:
        return True  # a script that the project's own file names
    if program in ("bash", "sh", "python", "python3", "node", "ruby"):
        return _interprets(program, rest)
    if _SCRIPT.fullmatch(program) and "/" in program:
        return True
    if program in ("pip", "pip3"):
        return first == "install" and _from_files(rest[rest.index("install") + 1 :])
    if program == "docker":
        told = (plain[1:2] or [""])[0]
        inside = rest[rest.index(told) + 2 :] if told in ("exec", "run") else []  # behind the name of a service
        return rest[:1] == ["compose"] and (told in _COMPOSE or (bool(inside) and _runs(inside)))
    if program == "gh":  # what only looks
        sends = any(re.match(r"-[XfF]|--(?:method|field|raw-field|input|hostname|web)", word) for word in rest)
        return not sends and (first == "api" or (plain[1:2] or [""])[0] in ("view", "list", "status", "diff", "checks"))
    if program == "git":
        return first in _GIT and all(
            word in ("origin", "update", "pop", "main", "master", "install") for word in plain[1:]
        )
    if (
        program in _RUNS_OWN
        and rest[_RUNS_OWN[program] - 1 :]
        and (program in ("npx", "bunx") or first in ("run", "exec"))
    ):
        behind = rest[_RUNS_OWN[program] - 1 :]
        if program in ("npx", "bunx", "uv", "bundle") or first == "exec":
            return _runs(behind) and behind[0] not in ("npm", "pnpm", "yarn", "bun", "pip", "uv")
        if program in ("hatch", "poetry", "pdm") and len(behind) > 1:
            return _runs(behind)
        return True  # a script that the project's own file names
    allowed = _OWN.get(program)
    if allowed is None:
        return False
    if first in _INSTALLS or (program == "yarn" and not plain):
        return (first in allowed or program == "yarn") and len(plain) <= 1
    if program == "go" and first == "mod":
        return plain[1:2] in (["tidy"], ["download"], ["vendor"], ["verify"]) and len(plain) == 2
    return "*" in allowed or first in allowed or (rest[:1] != [] and rest[0] in allowed)


def scripts_of(command: str) -> list[str]:
    """The scripts of a repository, by their paths, that a command runs or is given."""
    words = (word for call in commands(command) for word in call.bare)
    return [word for word in words if _SCRIPT.fullmatch(word)]


def _interprets(program: str, rest: list[str]) -> bool:
    if program.startswith("python") and rest[:1] == ["-m"]:
        return _runs(rest[1:]) if len(rest) > 1 else False
    if not rest or rest[0].startswith("-"):
        return rest in ([], ["--version"])
    return bool(_SCRIPT.fullmatch(rest[0])) or rest[0] == "manage.py"


def _from_files(words: list[str]) -> bool:
    """Whether an install names files of the project only."""
    left = iter(words)
    for word in left:
        if word in ("-r", "--requirement", "-c", "--constraint"):
            if not _OWN_FILE.fullmatch(next(left, "")):
                return False
        elif word in ("-e", "--editable"):
            if not re.fullmatch(r"\.(?:\[[\w,-]+\])?", next(left, "")):
                return False
        elif not re.fullmatch(r"\.(?:\[[\w,-]+\])?|-q|--quiet|--upgrade|-U|--no-deps", word):
            return False
    return bool(words)


_SPAN = re.compile(r"`([^`\n]{2,400})`")
_A_PROGRAM = re.compile(
    r"(?:[A-Z_][A-Z0-9_]*=\S+\s+)*(?!//|\S+ :?= )(?:[a-z./~][\w./+-]*|\d+[a-z][\w./+-]*|[A-Z](?=\s)|[A-Z][a-z]+-[A-Z]\w+)(?:\s+\S.*)?"
)
_SENTENCE = frozenset("is are was were the how because which that".split())  # no program is given these in plain words
_RUN = re.compile(r"\b(?:run|running|execute|invoke|call|start|launch|type)\s+(?:\w+\s+)?$", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no|without|instead of|rather than|than|avoid)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_A_TOOL = re.compile(r"[A-Z][A-Za-z]+\s|mcp__|apply_patch\b")  # a call of another tool than the shell
# of a class or a module: code, no program
_A_MEMBER = re.compile(r"\w+(?:\.(?!(?:sh|py|js|mjs|ts|rb|pl|ps1|bat|exe)$)\w+)+")


def told_to_run(text: str, ran: Sequence[str], but: str = "") -> list[str]:
    """The commands that a lesson tells somebody to run and whose programs these lines ran, with code marks and without: what is learned by
    imitation. Lines that were cut count as far as they can be read, and those of other tools not at all."""
    calls = [call for line in ran if not _A_TOOL.match(line) for call in commands(_to_quote(line.partition("<<")[0]))]
    programs = {call.words[0] for call in calls}
    named = [each for each in advised(text, but) if any(call.words[0] in programs for call in commands(each))]
    return [*named, *_bare(text, calls)]


def advised(text: str, but: str = "") -> list[str]:
    """The commands that a lesson tells somebody to run: what stands in code marks and has arguments, or stands behind "run"; not what it
    warns of, nor the command that the lesson is about (`but`)."""
    found = []
    for span in _SPAN.finditer(text):
        before, command = text[max(0, span.start() - 40) : span.start()], span[1].strip()
        if not _A_PROGRAM.fullmatch(command) or _NOT.search(before) or command == but:
            continue
        if " " in command or (_RUN.search(before) and not _A_MEMBER.fullmatch(command)):
            found.append(command)
    return found


def _bare(text: str, calls: Sequence[Command]) -> Iterator[str]:
    """Those of these calls that stand in a text without code marks, and are not warned of."""
    plain = " ".join(_SPAN.sub(" ", text).split())
    words = {word.rstrip(".,;:") for word in plain.split()}
    for call in calls:
        command = " ".join((*(each for each in call.env if each in plain), *call.words))
        by_name = len(command) > 3 and command in words and not command.isalpha()
        at = plain.find(command) if " " in command or by_name else -1
        said = command.replace(" ", "").isalpha() and not _SENTENCE.isdisjoint(call.words)
        program = _A_PROGRAM.fullmatch(" ".join(call.words))
        if at >= 0 and not said and program and not _NOT.search(plain[max(0, at - 40) : at]):
            yield command


def _to_quote(line: str) -> str:
    """A line as far as it can be read: to the first quote, where one was cut off inside."""
    try:
        shlex.split(line)
    except ValueError:
        return re.split("[\"']", line)[0]
    return line
