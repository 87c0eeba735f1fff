"""A simple command of a shell line, read once: its program, the project's task that it runs, what
it is for, the form that two runs share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from tacit.core.programs import LOOKING_COMMANDS, SERVING_COMMANDS, SERVING_PROGRAMS
from tacit.core.run import Step
from tacit.core.shell_line import bare, simple_commands
from tacit.core.tables import Tables
from tacit.safety.redact import redact

LONGEST_LINE = 4000  # a longer command is a script; its first part says what it is about
LONGEST_SHOWN = 110  # of a command inside a lesson
_PROSE_WORDS = 4  # words in one argument, or plain words one after the other: a sentence, not part of the command
_LONGEST_WORD = (
    48  # a longer quoted argument is content (a message, a query), not part of the command
)
_LINES = 4096  # that are kept as read: a run is gone through by several readers

# Tools that run a command of a POSIX shell. PowerShell and cmd have another grammar: `core.canary`
# says that they are not read.
_SHELL_TOOLS = re.compile(
    r"bash|(?<!power)shell|terminal|exec_command|run_command|execute_command|^sh$", re.I
)
_COMMAND_KEYS = ("command", "cmd", "script", "commandLine", "CommandLine")

_tables = Tables(__file__)
NEUTRAL, LOOKING_PROGRAMS, SUBCOMMANDS = (
    _tables.words(name) for name in ("NEUTRAL", "LOOKING", "SUBCOMMANDS")
)
FRONT_PROGRAMS = frozenset(
    "sudo env time nohup nice command exec xvfb-run stdbuf caffeinate doas ionice builtin".split()
)
_WRAPPERS_WITH_VALUE = frozenset({"timeout", "gtimeout"})
_RUNNERS = tuple(tuple(line.split()) for line in _tables.lines("RUNNERS"))
_RUNNER_VALUES = frozenset({"--with", "-p", "--package", "--extra", "--group", "-n"})
INTERPRETERS = frozenset(
    "python node ruby bash sh zsh perl php deno bun tsx ts-node Rscript julia lua".split()
)
_SPELLED = {"gradlew": "gradle", "mvnw": "mvn", "docker-compose": "docker", "nodejs": "node"}
_TWO_DEEP = {
    tuple(words.split()) for line in _tables.lines("TWO_DEEP") for words in line.split(",")
}
SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
# `pnpm dev` is `pnpm run dev`.
_RUN_SHORTHAND = frozenset(
    "test start dev build lint format typecheck check serve watch preview".split()
)
_OPTIONS_WITH_VALUE = ("-C", "-f", "-p", "-n", "--file", "--manifest-path", "--directory")
_WORKSPACE_OPTIONS = ("--filter", "-F", "--prefix", "-C", "--dir", "-w", "--workspace", "--cwd")
_TASK_OPTIONS = (
    "-C",
    "-f",
    "--file",
    "--directory",
    "--manifest-path",
    "--cwd",
    "--filter",
    "-F",
    "--prefix",
)
_SPOKEN_ENV = _tables.pattern("SPOKEN_ENV")
# worth naming; any other is of the moment
_USUAL_BRANCHES = ("", "main", "master", "HEAD", "develop")
_MESSAGES = ("-m", "--message", "--title", "--body", "--description", "-am")
_CONTENT = re.compile(
    r"(--?(?:m|message|title|body|description|reason))=(?:\"[^\"]*\"|'[^']*'|\S+)"
)

_TASK_FIRST = _tables.words("TASK_FIRST")
_TASK_BEHIND = {program: words.split() for program, words in _tables.rows("TASK_BEHIND")}
# `pnpm codegen`, `mise lint`
_TASK_SHORTHAND = frozenset(
    "test lint build check ci format fmt typecheck e2e codegen generate verify".split()
)
# `hatch run lint:all`: what is no program is a script
_RUN_SCRIPTS = ("hatch", "pdm", "rye", "pipenv")
_SCRIPT_FOLDERS = frozenset("script scripts bin tools tool hack ci dev build .ci".split())
_CONTAINERS = {
    (program, "compose", how) for program in ("docker", "podman") for how in ("run", "exec")
}
_CONTAINER_OPTIONS = ("-e", "--env", "-u", "--user", "-w", "--workdir", "--index", "--name", "-v")

_TASK_NAMES = tuple((purpose, re.compile(named)) for purpose, named in _tables.rows("TASK_NAMES"))
_FIXES = re.compile(
    r"--(?:fix|write|apply)\b|[:_-](?:fix|write)\b"
)  # a linter that mends what it finds
# asks whether
_CHECKS_FORMAT = frozenset(
    "--check --check-formatted --diff -d -l --list-different --dry-run --list".split()
)
_RUNS_NOTHING = frozenset(
    "--help --version -h -V --list --list-tests --collect-only --no-run -n --dry-run".split()
)
_SHOWS = (["--version"], ["-v"], ["-V"], ["version"], ["--help"], ["-h"], ["help"])


class _Read(NamedTuple):
    """One simple command of a line, as the line has it."""

    words: tuple[str, ...]  # as spelled, without assignments and redirections
    env: tuple[str, ...] = ()  # assignments in front
    piped: bool = False  # something reads its output, so its own exit status was lost
    fed: bool = False  # it reads another's output
    inline: bool = False  # it reads a here-document: a script of the moment
    writes: tuple[str, ...] = ()  # files its output goes to
    folder: str = ""  # the folder that a `cd` before it in the same line went to


class Command(_Read):
    """One simple command, with what follows from its words; each is found once, when it is asked
    for."""

    @cached_property
    def bare(self) -> tuple[str, ...]:
        """The words without the quotes around them."""
        return tuple(bare(word) for word in self.words)

    @cached_property
    def proper(self) -> list[str]:
        """The bare words without wrappers, runners, `python -m`, and the program's folder and
        version."""
        words = list(self.bare)
        while len(words) > 1 and (words[0] in FRONT_PROGRAMS or words[0] in _WRAPPERS_WITH_VALUE):
            timed = words[0] in _WRAPPERS_WITH_VALUE
            words = words[1:]
            while len(words) > 1 and (
                words[0][:1] == "-" or "=" in words[0] or (timed and words[0][:1].isdigit())
            ):
                words = words[1:]
        for runner in _RUNNERS:
            if tuple(words[: len(runner)]) == runner:
                rest = words[len(runner) :]
                if runner[0] == "mise" and "--" in rest[:-1]:  # mise x tool@version -- command
                    rest = rest[rest.index("--") + 1 :]
                while len(rest) > 1 and rest[0].startswith("-"):
                    rest = rest[2:] if rest[0] in _RUNNER_VALUES and len(rest) > 2 else rest[1:]
                if rest and rest[0] not in NEUTRAL:  # `hatch run test` runs a script of that name
                    words = rest
                break
        program = words[0].rsplit("/", 1)[-1] or words[0]
        if program in NEUTRAL and words[0][:1] not in "/~$":
            program = words[0]  # `bin/test` is the project's, not the shell's
        program = re.sub(r"^(python|pip|ruby|node|perl|php)[\d.]+$", r"\1", program)
        if words[0].endswith("docker-compose"):
            words[1:1] = ["compose"]
        if program == "python" and len(words) > 2 and words[1] == "-m":
            return words[2:]
        return [_SPELLED.get(program, program), *words[1:]]

    @property
    def program(self) -> str:
        return self.proper[0]

    @property
    def front(self) -> int:
        """How many words stand before the program: wrappers and runners."""
        return len(self.words) - len(self.proper)

    @cached_property
    def key(self) -> tuple[str, ...]:
        """What makes two the same command: program, subcommand and, for an interpreter, its
        script."""
        program, rest = self.proper[0], self.proper[1:]
        if program in SCRIPT_RUNNERS:
            return _scripted(program, _plain(rest, _WORKSPACE_OPTIONS))
        if program in INTERPRETERS:
            target = next(
                (w for w in rest if not w.startswith("-") or w in ("-c", "-e", "-", "-lc", "-ic")),
                "",
            )
            if program == "python" and target.endswith("manage.py"):
                return (program, "manage.py", *_plain(rest[rest.index(target) + 1 :])[:1])
            return (program, "-c" if self.inline or target.startswith("-") else target)
        if program in SUBCOMMANDS:
            plain = _plain(rest)
            # `gh api repos/…` asks for one page of many
            deep = (program, *plain[:1]) in _TWO_DEEP and "/" not in "".join(plain[1:2])
            return (program, *plain[: 2 if deep else 1])
        return (program,)

    @property
    def called(self) -> str:
        """The key as a person would say it."""
        return " ".join(self.key)

    @cached_property
    def looks(self) -> bool:
        """It only reads; its failure teaches nothing."""
        words, program = self.proper, self.program
        if program in LOOKING_PROGRAMS or (self.words[0] == "command" and "-v" in self.words[1:2]):
            return True
        if program == "sed":
            return not any(word.startswith(("-i", "--in-place")) for word in words)
        if program == "xargs":
            return any(word in LOOKING_PROGRAMS for word in words[1:])
        if words[1:] in _SHOWS or (program in INTERPRETERS and words[1:2] in _SHOWS[:3]):
            return True
        said = _plain(words[1:])[:1] or words[1:2]
        if program == "gh":
            return any(word in ("view", "list", "status", "diff", "checks") for word in words[1:4])
        if program == "bd":
            return any(word in ("show", "list", "ready", "stats", "blocked") for word in said)
        return any(word in LOOKING_COMMANDS.get(program, ()) for word in said)

    @property
    def neutral(self) -> bool:
        """It only sets the scene."""
        return self.key[0] in NEUTRAL

    @property
    def acts(self) -> bool:
        """It does something."""
        return not self.looks and not self.neutral

    @cached_property
    def within(self) -> Command | None:
        """The command that it runs in a container of the project: `docker compose exec web
        pytest`."""
        words = self.proper
        if tuple(words[:3]) not in _CONTAINERS:
            return None
        plain = 3
        while plain < len(words) and words[plain].startswith("-"):
            plain += 2 if words[plain] in _CONTAINER_OPTIONS else 1
        return Command(tuple(words[plain + 1 :])) if len(words) > plain + 1 else None

    @cached_property
    def task(self) -> str:
        """The name of the project's task that it runs; empty where it runs a program."""
        program = self.program
        plain = [
            word
            for word in _plain(self.proper[1:], _TASK_OPTIONS)
            if "=" not in word and word[:1] != "<"
        ]
        if self.front > 0 and self.words[0] in _RUN_SCRIPTS and ":" in program:
            return program
        if program in SCRIPT_RUNNERS:
            if self.key[1:2] == ("run",):
                return "".join(self.key[2:3])
            if plain[:1] == ["workspace"]:
                return next((word for word in plain[2:] if word != "run"), "")
            name = "".join(self.key[1:2])
            return (
                name if ":" in name or name in _TASK_SHORTHAND - {"ci"} else ""
            )  # `npm ci` installs
        if plain and plain[0] in _TASK_BEHIND.get(program, ()):
            name = "".join(plain[1:2])
        elif program in _TASK_FIRST or (
            plain and plain[0] in _TASK_SHORTHAND and program == "mise"
        ):
            name = "".join(plain[:1])
        else:
            return re.sub(r"\.\w+$", "", self.script.rpartition("/")[2])
        if program in ("nx", "moon", "gradle"):
            name = name.rpartition(":")[2]  # web:test
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name.lstrip("+"))  # testDebugUnitTest, +test

    @cached_property
    def script(self) -> str:
        """The script of the repository that it runs, as spelled; empty where it runs none."""
        spelled = self.bare[max(0, self.front)]
        if self.program in INTERPRETERS and len(self.proper) > 1:
            spelled = self.proper[1]
        parts = spelled.removeprefix("./").split("/")
        if spelled.startswith(("/", "~", "$", "-")) or "*" in spelled:
            return ""
        own = parts[0] in _SCRIPT_FOLDERS and len(parts) > 1
        here = spelled.startswith("./") and len(parts) == 1 and parts[0] not in ("gradlew", "mvnw")
        return spelled if own or here else ""

    @cached_property
    def purpose(self) -> str:
        """What it is for (test, build, lint, format, typecheck, check, generate, run, install,
        migrate); empty for all else, or nothing."""
        if self.within is not None:
            return self.within.purpose
        words, served = self.proper, self._served
        if (
            self.inline
            or self.looks
            or _RUNS_NOTHING.intersection(words)
            or "version" in words[1:2]
        ):
            return ""
        if served == "test" and words[:2] == ["go", "test"] and "-c" in words:
            return ""  # compiles
        if served == "lint" and self.fixes:
            return "format"
        return "" if self.checks_format else served

    @property
    def fixes(self) -> bool:
        """It mends what it finds."""
        return bool(_FIXES.search(" ".join(self.proper)))

    @property
    def checks_format(self) -> bool:
        """It asks a formatter whether all is well: it fails like a linter, and formats nothing."""
        return self._served == "format" and not _CHECKS_FORMAT.isdisjoint(self.proper)

    @property
    def is_check(self) -> bool:
        """It only asks whether all is well: its success cures nothing."""
        asks = self.purpose in ("test", "lint", "typecheck", "build", "check")
        return asks and not _FIXES.search(" ".join(self.words))

    @cached_property
    def _served(self) -> str:
        program, words = self.key[0], self.proper
        if self.key in SERVING_COMMANDS:
            return SERVING_COMMANDS[self.key]
        if self.task:
            return next((purpose for purpose, named in _TASK_NAMES if named.search(self.task)), "")
        if program in SCRIPT_RUNNERS:
            return "install" if self.key[1:] == ("install",) else ""
        if program in ("make", "gmake"):
            return "" if words[1:] and not words[1].startswith("-") else "build"
        if program == "pip" and self.key[1:2] == ("install",):
            own = any(
                word == "." or word.startswith(("-r", "-e", "./", ".[")) for word in words[2:]
            )
            return "install" if own else ""
        # `vite` alone serves, `vite build` builds
        alone = "" if program in ("next", "vite") else SERVING_PROGRAMS.get(program, "")
        return SERVING_COMMANDS.get((program, *words[1:2]), "") or alone

    def is_like(self, other: Command) -> bool:
        """Whether two are attempts at the same thing: the same command, or one with a word in
        front of it."""
        return self.key == other.key or any(
            len(longer.words) > 1
            and len(shorter.key) > 1
            and longer.without_first.key == shorter.key
            for longer, shorter in ((self, other), (other, self))
        )

    @cached_property
    def without_first(self) -> Command:
        """The command that is left without the first word."""
        return Command(self.words[1:], *self[1:])

    def place(self, standing: str, cwd: str) -> str:
        """The folder it ran in, below the project's root; "/" where it lies elsewhere."""
        return folder_below(self.folder, cwd) if self.folder else standing

    def displayed(self, cwd: str = "", branch: str = "") -> str:
        """As a lesson names it: one line, without redirections and content, paths relative to
        the project."""
        words = []
        for word in (*[each for each in self.env if _SPOKEN_ENV.match(each)], *self.words):
            inner = bare(word)
            prose = (
                inner.count(" ") >= _PROSE_WORDS - 1
                or inner.count("_") + inner.count("-") >= 2 * _PROSE_WORDS
            )
            long = len(inner) > _LONGEST_WORD and (word[:1] in "\"'$`" or " " in inner)
            words.append("…" if "\n" in word or prose or long else _masked(word, cwd, branch))
        plain = 0
        for place, word in enumerate(words):
            plain = plain + 1 if word.isalpha() and word.islower() else 0
            if plain > _PROSE_WORDS:
                words[place:] = ["…"]
                break
        # `-m …` is content, whatever its length: a lesson must not carry the message of one commit.
        if self.program in ("git", "bd", "gh", "glab", "jj", "hg", "svn"):
            for place in range(1, len(words)):
                words[place] = "…" if words[place - 1] in _MESSAGES else words[place]
        # before it is cut: half a secret is known by nothing
        text = redact(_CONTENT.sub(r"\1=…", " ".join(words)).replace("`", "'")).text
        return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1].rstrip() + "…"


def line_of(step: Step) -> str:
    """The shell line a step ran, whatever the host calls it; empty for steps of other tools."""
    if not step.tool or step.input is None or not _SHELL_TOOLS.search(step.tool):
        return ""
    given: Mapping[str, Any] = step.input
    for key in _COMMAND_KEYS:
        said = given.get(key)
        if isinstance(said, str):
            return said.strip()
        if isinstance(said, (list, tuple)) and said:
            words = [str(word) for word in said]
            return (
                words[2].strip()
                if len(words) == 3 and words[1] in ("-c", "-lc", "-ic")
                else " ".join(words).strip()
            )
    return ""


@lru_cache(maxsize=_LINES)
def commands(line: str) -> tuple[Command, ...]:
    """The simple commands of a line, in order."""
    found: list[Command] = []
    folder = ""
    for words, before, after, inline, writes, _ in simple_commands(line[:LONGEST_LINE]):
        at = 0
        while at < len(words) and re.match(r"[A-Za-z_]\w*\+?=", words[at]):
            at += 1
        env, rest = tuple(words[:at]), tuple(words[at:])
        if not rest:
            continue
        found.append(
            Command(
                rest,
                env,
                after in ("|", "|&"),
                before in ("|", "|&"),
                inline,
                tuple(writes),
                folder,
            )
        )
        if len(rest) > 1 and bare(rest[0]) in ("cd", "pushd"):
            folder = bare(rest[1])
    return tuple(found)


def main_command(line: str) -> Command | None:
    """What a line is about: the last that does something; else the last that looks; None where
    nothing does."""
    looking: Command | None = None
    for each in reversed(commands(line)):
        if each.neutral:
            continue
        if not each.looks and not (each.fed and each.key[0] in ("xargs", "sh", "bash")):
            return each
        looking = looking or each
    return looking


def folder_below(path: str, cwd: str) -> str:
    """A folder below the project's root; "/" where it lies elsewhere."""
    plain = relative(path, cwd) if path.rstrip("/") not in ("", ".", cwd.rstrip("/")) else ""
    plain = plain.removeprefix("./").rstrip("/")
    return "/" if plain.startswith(("/", "~", "$", "..", '"', "'")) else plain


def relative(path: str, cwd: str) -> str:
    """A path as the project sees it."""
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return re.sub(r"^(?:/home/[^/]+|/Users/[^/]+|/root)(?=/)", "~", path)


def _masked(word: str, cwd: str, branch: str) -> str:
    if cwd:
        word = word.replace(cwd.rstrip("/") + "/", "").replace(cwd.rstrip("/"), ".")
    word = re.sub(r"(?:/home/|/Users/)[^/\s]+(?=/)", "~", word)
    return word if branch in _USUAL_BRANCHES else word.replace(branch, "<branch>")


def _scripted(program: str, plain: list[str]) -> tuple[str, ...]:
    if plain[:1] in (["run"], ["run-script"]):
        return (program, "run", *plain[1:2])
    if plain[:1] == ["t"]:
        return (program, "run", "test")
    if plain and plain[0] in _RUN_SHORTHAND:
        return (program, "run", plain[0])
    if not plain and program == "yarn":
        return (program, "install")
    if plain[:1] in (["i"], ["ci"], ["install"]):
        # `npm ci` and `npm install` are one command to a lesson; `npm install left-pad` is another.
        return (program, "install", *(["+"] if len(plain) > 1 else []))
    return (program, *plain[:1])


def _plain(words: list[str], with_values: tuple[str, ...] = _OPTIONS_WITH_VALUE) -> list[str]:
    """Words that are neither options nor values of options that take one."""
    plain: list[str] = []
    skip = False
    for word in words:
        skip, skipped = not skip and word in with_values, skip
        if not skipped and not word.startswith("-"):
            plain.append(word)
    return plain
