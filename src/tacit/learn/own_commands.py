"""Which commands a lesson may recommend by imitation: the repository's own, and nothing else.

A cure is a command that an agent ran and that then worked, in two runs. Where a page told both agents to run it, the lesson outlives the
page. What nobody should learn so has no end (`hazard` lists what it knows), so what may be learned is listed instead: the repository's own
targets and checkers, its package manager's install from the project's files, and what only looks,
with options and variables that are listed (own_commands.txt). Everything else waits for a person's yes,
with the command that it waits for; Tacit's own commands always do.

    why_not_own("npm ci") == ""
    why_not_own("cpanm Evil::Setup") == "`cpanm Evil::Setup` is no command of this repository"
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence

from tacit.core.tables import Tables
from tacit.learn.command import Command, commands
from tacit.learn.hazard import CODE_SPAN, SHOWN_CHARS, hazard_of
from tacit.stores.git import ask_git

_tables = Tables(__file__)


def _by_program(table: str) -> dict[str, frozenset[str]]:
    rows = _tables.named(table).items()
    return {
        program: frozenset(words.split())
        for programs, words in rows
        for program in programs.split()
    }


_OWN, _HARMLESS_OF, _HARMLESS = _by_program("OWN"), _by_program("LETTERS"), _tables.words("OPTIONS")
_INSTALLS, _GIT, _COMPOSE = (_tables.words(name) for name in ("INSTALLS", "GIT", "COMPOSE"))
_LOOKING = _tables.words("LOOKING")
_PLAIN_SETTING = re.compile(
    rf"(?:{'|'.join(_tables.words('VARIABLES'))})=(?:[\w./:,+][\w./:,+-]*)?"
)
_BY_NAME = ("npx", "bunx")  # run what the project has
_RUNS_OWN = ("uv", "poetry", "pdm", "bundle", "pnpm", "yarn", "hatch")  # … behind exec or run
_PACKAGERS = ("npm", "pnpm", "yarn", "bun", "pip", "uv")
_SCRIPT = re.compile(r"(?:\./)?(?:bin|scripts?|tools?|hack|ci|dev)/[\w./-]+|\./(?:gradlew|mvnw)")
# An argument that leaves the repository, names an address, or is more than a word.
_LEAVES = re.compile(r"(?:^|[=:,])(?:/|~|\.\.)|://|[`$;&|<>]|^@|^git\+|\w@\w")
_PACKAGE = re.compile(r"(?:@[\w-]+/)?[\w.-]+")  # of the repository, as its manager calls it
_OWN_FILE = re.compile(r"(?:\./)?[\w-][\w./-]*\.(?:txt|in|lock|toml)")
_OWN_BRANCH = re.compile(r"origin(?:/(?:main|master))?|main|master|HEAD|update|pop|install")
_A_NUMBER = re.compile(r"-[jn]?\d+")


def why_not_own(command: str, holds: Callable[[str], bool] = lambda text: False) -> str:
    """Why a person is asked before a lesson recommends this command; empty where it is the repository's own. `holds` says whether a
    tracked file has a text: it may run the whole command, or set a variable so."""
    calls = list(commands(command))
    if (calls and not hazard_of(command) and all(_is_own(call, holds) for call in calls)) or holds(
        command
    ):
        return ""
    return f"`{command[:SHOWN_CHARS]}` is no command of this repository"


def _is_own(call: Command, holds: Callable[[str], bool]) -> bool:
    words = list(call.bare)
    if (
        len(words) > 3
        and words[1] in ("--filter", "-F", "--workspace", "-w")
        and _PACKAGE.fullmatch(words[2])
    ):
        words = [words[0], *words[3:]]
    set_ = [*call.env, *(word for word in words[1:] if "=" in word and not word.startswith("-"))]
    if not all(_PLAIN_SETTING.fullmatch(each) or holds(each) for each in set_):
        return False
    if not words or any(_LEAVES.search(word) for word in words[1:]):
        return False
    if words[0] == "cd":
        return True
    return (call.looks and _only_known(words[0], words[1:])) or _runs(words)


def _only_known(program: str, rest: Sequence[str]) -> bool:
    """Whether a program is known and is given options only that are listed for it or for all."""
    known, looks = _HARMLESS | _HARMLESS_OF.get(program, frozenset()), program in _LOOKING
    options = [word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"]
    return (looks or program in _HARMLESS_OF or program in _OWN) and all(
        each in known or _A_NUMBER.fullmatch(each) or (looks and not each.startswith("--"))
        for each in options
    )


def _runs(words: list[str]) -> bool:
    program, rest = (
        words[0].rsplit("/", 1)[-1] if words[0] in ("./gradlew", "./mvnw") else words[0],
        words[1:],
    )
    plain = [word for word in rest if not word.startswith("-")]
    first, second = (*plain, "", "")[:2]
    if program in _BY_NAME or (program in _RUNS_OWN and rest[:1] in (["exec"], ["run"])):
        behind = rest if program in _BY_NAME else rest[1:]
        if program in ("hatch", "poetry", "pdm") and len(behind) == 1:
            return True  # a script that the project's own file names
        if program not in ("pnpm", "yarn") or first == "exec":
            return bool(behind) and behind[0] not in _PACKAGERS and _runs(behind)
    if program in ("bash", "sh", "python", "python3", "node", "ruby"):
        return _interprets(program, rest)
    if program == "docker" and rest[:1] == ["compose"] and rest[1:2] in (["exec"], ["run"]):
        return bool(rest[3:]) and _runs(rest[3:])  # behind the name of a service
    if _SCRIPT.fullmatch(program) and "/" in program:
        return all(word in _HARMLESS for word in rest if word.startswith("-"))
    if not _only_known(program, rest):
        return False
    if program in ("pip", "pip3"):
        return first == "install" and _from_files(rest[rest.index("install") + 1 :])
    if program == "docker":
        return rest[:1] == ["compose"] and second in _COMPOSE
    if program == "gh":  # what only looks
        return first == "api" or second in ("view", "list", "status", "diff", "checks")
    if program == "git":
        return first in _GIT and all(map(_OWN_BRANCH.fullmatch, plain[1:]))
    if program in ("pnpm", "yarn", "bun") and ":" in first:
        return True  # a script that the project's own file names
    allowed = _OWN.get(program)
    if allowed is None:
        return False
    if first in _INSTALLS or (program == "yarn" and not plain):
        return (first in allowed or program == "yarn") and len(plain) <= 1
    if program == "go" and first == "mod":
        return second in ("tidy", "download", "vendor", "verify") and len(plain) == 2
    return "*" in allowed or first in allowed or rest[:1] == [*allowed]


def scripts_of(command: str) -> list[str]:
    """The scripts of a repository, by their paths, that a command runs or is given."""
    words = (word for call in commands(command) for word in call.bare)
    return [word for word in words if _SCRIPT.fullmatch(word)]


def _interprets(program: str, rest: list[str]) -> bool:
    if program.startswith("python") and rest[:1] == ["-m"]:
        return _runs(rest[1:]) if len(rest) > 1 else False
    if not rest or rest[0].startswith("-"):
        return rest in ([], ["--version"])
    own = bool(_SCRIPT.fullmatch(rest[0])) or rest[0] == "manage.py"
    return own and all(word in _HARMLESS for word in rest if word.startswith("-"))


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


_A_PROGRAM = _tables.pattern("_A_PROGRAM")
_SENTENCE_WORDS = _tables.words("SENTENCE_WORDS")
_RUN = re.compile(
    r"\b(?:run|running|execute|invoke|call|start|launch|type)\s+(?:\w+\s+)?$", re.IGNORECASE
)
_NOT = re.compile(
    r"\b(?:not|never|no|without|instead of|rather than|than|avoid)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
# A command of which a lesson only says that it does not work: nothing to imitate.
_SAID_TO_FAIL = _tables.pattern("_SAID_TO_FAIL", re.I)
_A_TOOL = _tables.pattern("_A_TOOL")
# of a class or a module: code, no program
_A_MEMBER = re.compile(r"\w+(?:\.(?!(?:sh|py|js|mjs|ts|rb|pl|ps1|bat|exe)$)\w+)+")


def advised(text: str, but: str = "", ran: Collection[str] = ()) -> list[str]:
    """The commands that a lesson tells somebody to run: what stands in code marks and has arguments, or stands behind "run"; not what it
    warns of, nor the command that the lesson is about (`but`). A name with a capital is a program's where it `ran`."""
    found = []
    for span in CODE_SPAN.finditer(text):
        before, command = text[max(0, span.start() - 40) : span.start()], span[1].strip()
        fails = _SAID_TO_FAIL.match(text, span.end()) and not _RUN.search(before)
        program = _A_PROGRAM.fullmatch(command) or any(
            call.words[0] in ran for call in commands(command)
        )
        if not program or _NOT.search(before) or fails or command == but:
            continue
        if " " in command or (_RUN.search(before) and not _A_MEMBER.fullmatch(command)):
            found.append(command)
    return found


def tracked_files(folder: str) -> Callable[[str], bool]:
    """Whether the repository around a folder tracks a path at HEAD; nothing is tracked where there is none."""
    top = (
        ask_git(folder, "rev-parse", "--show-toplevel")
        if folder and os.path.isdir(folder)
        else None
    )
    root = top.stdout.strip() if top is not None and not top.returncode else ""
    listed = (
        ask_git(root, "ls-tree", "-r", "-z", "--name-only", "HEAD", timeout=20.0) if root else None
    )
    names = (
        frozenset(listed.stdout.split("\0")) - {""}
        if listed is not None and not listed.returncode
        else frozenset()
    )

    def tracked(path: str) -> bool:
        if not names:
            return False
        plain = path.replace("\\", "/")
        if os.path.isabs(plain):
            inside = os.path.relpath(plain, root or folder)
            return inside in names
        return (
            os.path.normpath(plain) in names
            or os.path.normpath(os.path.join(os.path.relpath(folder, root or folder), plain))
            in names
        )

    return tracked


def strange_script(commands: Sequence[str], folder: str) -> str:
    """Why a person is asked about commands that are the repository's own by their looks: one runs a script that lies in its folder and
    that nobody committed; empty where none does."""
    for command in commands if folder else ():
        lying = [
            path for path in scripts_of(command) if os.path.lexists(os.path.join(folder, path))
        ]
        if lying and not all(map(tracked_files(folder), lying)):
            return f"`{command[:60]}` runs a script that the repository does not hold"
    return ""
