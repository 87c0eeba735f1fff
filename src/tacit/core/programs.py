"""Which programs a command line runs, and whether a lesson is about one of them.

Asked before every shell call of an agent, so it is cheap and plain: no shell grammar, only where a command begins. Programs that look
and change nothing have no lesson worth a moment; of words that are also English ("make", "go") only code counts.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.core.memory import Memory

ABOUT = "about"  # in a noticed lesson's own fields: command -> the parts of its text that are about it
_LONGEST = 4_000  # characters of a command line that are looked at: what is written into files by it names no program
LOOKING = frozenset(
    "[ : ! do done elif else esac fi for function if in then until while case local return break continue read let eval trap"
    " awk basename cat cd clear column cut date dirname du echo env export false file find grep head hostname id jq less ls"
    " mkdir more printenv printf ps pwd readlink realpath rg sed set sleep sort source stat tail tee test time touch tr tree true type"
    " uname uniq wait wc which whoami xargs yes".split()
)
# In front of a program: themselves, their options, and for some one argument.
WRAPPERS = frozenset("sudo env time nice nohup timeout exec command npx pnpx bunx uvx stdbuf".split())
RUNNERS = {
    "uv": "run",
    "poetry": "run",
    "pdm": "run",
    "pipenv": "run",
    "bundle": "exec",
    "python": "-m",
    "python3": "-m",
    "pnpm": "exec",
}
# Programs of many commands: a lesson about `git stash` is none about `git commit`.
MANY_COMMANDS = frozenset(
    "apt apt-get aws az brew bun bundle cargo composer deno docker docker-compose dotnet gcloud gh git glab go gradle gradlew helm"
    " just kubectl make mix mvn npm nx pip pip3 pnpm podman poetry rails systemctl terraform uv yarn".split()
)
NESTED = ("aws", "az", "gcloud", "gh", "glab")  # and those whose commands have commands
_VALUED = (
    "--filter",
    "-F",
    "-C",
    "-c",
    "--dir",
    "--cwd",
    "--prefix",
    "--workspace",
)  # options before a command that take a word
ENGLISH = frozenset(
    "at bash cc code dd go just kill link make man node open php play python run serve sh split tar test top watch".split()
)


def programs(line: str) -> tuple[str, ...]:
    """The programs that a command line runs, by their plain names; none that only look."""
    found = []
    for part in _parts(line[:_LONGEST]):
        name = _program(part.split())
        if name and name not in LOOKING:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _parts(line: str) -> list[str]:
    line = line.partition("<<")[0]  # what is written into a file or a message runs nothing
    for quote in ("'", '"'):
        if quote in line and ("\n" in line or "|" in line):
            line = quote.join(part for at, part in enumerate(line.split(quote)) if at % 2 == 0 or not _is_text(part))
    for mark in ("&&", "||", ";", "|", "&", "(", ")", "{", "}"):
        line = line.replace(mark, "\n")
    return line.split("\n")


def _is_text(quoted: str) -> bool:
    """Whether a quoted word runs nothing: a message of several lines, or the pattern of a search (`"SIWE|401"`)."""
    return "\n" in quoted or ("|" in quoted and " | " not in quoted and "||" not in quoted)


def _program(words: list[str]) -> str:
    at = 0
    while at < len(words):
        word = words[at].strip("'\"")
        name = word.rpartition("/")[2]
        ahead = words[at + 1] if at + 1 < len(words) else ""
        if RUNNERS.get(name) == ahead and ahead:
            at += 2
        elif name in WRAPPERS or "=" in word.partition("/")[0] or word.startswith("-") or word[:1].isdigit():
            at += 1
        else:
            return (
                name
                if name.strip("._-+").replace("-", "").replace("_", "").replace(".", "").replace("+", "").isalnum()
                else ""
            )
    return ""


def part_about(memory: Memory, line: str, names: tuple[str, ...]) -> str:
    """What a lesson says of the programs that a line runs; empty where that is nothing.

    A lesson from noticing knows the commands it is about, and which of its parts; any other speaks of a program in code or, where the name
    is no English word, anywhere. A command's own lesson says how to call it, which whoever calls it knows.
    """
    if memory.klass in ("command", "estimate"):
        return ""
    known = memory.extra.get(ABOUT) if memory.extra else None
    if isinstance(known, dict):
        parts: dict[str, None] = {}
        for program, some in known.items():
            if runs_command(line, program):
                if not some or (len(known) == 1 and not any(part in memory.text for part in some)):
                    return memory.text  # all of it, or a person worded it anew
                parts.update(dict.fromkeys(part for part in some if part in memory.text))
        lead, colon, _ = memory.text.partition(": ")
        return f"{lead}{colon}{', '.join(parts)}." if parts else ""
    spans = memory.text.split("`")[1::2]
    if any(runs_command(line, head) for span in spans if (head := head_of(span))):
        return memory.text
    if any(head_of(span) for span in spans) and all(name in MANY_COMMANDS for name in names):
        return ""  # it says which command, and this is another
    words = {word.strip(".,;:!?\"'()[]").lower() for word in memory.text.split()}
    return memory.text if any(name in words for name in names if name not in ENGLISH) else ""


def head_of(command: str) -> str:
    """What tells a command from others: its program, and of a program with many commands which of them; empty where it runs none."""
    for part in _parts(command[:_LONGEST]):
        words = part.split()
        name = _program(words)
        if name and name not in LOOKING:
            if name not in MANY_COMMANDS:
                return name
            spoken = [word.strip("'\"").rpartition("/")[2] for word in words]
            rest = [word for word in _bare(words[spoken.index(name) + 1 :]) if not word.startswith("-")]
            deep = bool(rest) and (name in NESTED or rest[0] in ("run", "exec", "compose"))
            return f"{name} {' '.join(rest[: 1 + deep])}" if rest else ""
    return ""


def _bare(rest: list[str]) -> list[str]:
    """What follows a program, from its command on: `--filter web build` is `build`."""
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        at += 2 if rest[at] in _VALUED else 1
    return rest[at:]


def runs_command(line: str, command: str) -> bool:
    """Whether a line runs a command, whatever options and arguments follow; `npm test` is `npm run test`."""
    spelled = {command, command.replace(" run ", " ", 1)}
    for part in _parts(line[:_LONGEST]):
        words = part.split()
        name = _program(words)
        if not name:
            continue
        spoken = [word.strip("'\"").rpartition("/")[2] for word in words]
        at = spoken.index(name)
        if command in spoken[:at]:
            return True  # in front of another program: `timeout 60 make`
        called = " ".join((name, *_bare(words[at + 1 :]))) + " "
        if any(called.startswith(f"{each} ") for each in spelled):
            return True
    return False


_DEFINES = frozenset(
    "def class function fn func const let var interface type struct enum trait impl module macro".split()
)


def defined_names(code: str) -> list[str]:
    """The names that a piece of code defines."""
    words = "".join(char if char.isalnum() or char == "_" else " " for char in code[:_LONGEST]).split()
    return list(dict.fromkeys(after for before, after in pairwise(words) if before in _DEFINES))
