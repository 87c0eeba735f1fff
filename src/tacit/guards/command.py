"""A command line as a guard reads it: its simple commands, or nothing at all.

The grammar is small, and what does not fit it is *not seen*: here-documents (but for a commit message), substitutions,
functions, loops, conditions. What a shell is given as a literal line (`sh -c '…'`) is read like the line itself.
"""

from __future__ import annotations

from tacit.core.shell_line import CONTENT, simple_commands, unquoted
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 4_000  # characters of a line; a longer one is a script
_NOT_SEEN = frozenset(
    "fish pwsh powershell cmd source . alias function ssh xargs parallel su"
    " if then else elif fi for while until do done case esac select [[".split()
)
# What runs a line that stands in its arguments: behind `-c`, for `eval` all of them.
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "script"))
_OPENING = ("{", "!")  # before a command of a group, or one whose failure is wanted
# In front of a program, with their options: said or unsaid, it is the same command.
WRAPPERS = {
    "sudo": "-ugCh",
    "env": "-uC",
    "time": "-fo",
    "nice": "-n",
    "nohup": "",
    "command": "",
    "timeout": "-sk",
    "stdbuf": "-ioe",
    "exec": "-a",
    "builtin": "",
    "setsid": "",
    "ionice": "-cnp",
    "chrt": "",
    "taskset": "",
    "doas": "-uC",
    "caffeinate": "-tw",
}
_TAKES_ONE = ("timeout", "chrt", "taskset")  # a word of their own, before the program's


@value
class Command:
    """One simple command: the words of its call."""

    words: tuple[str, ...]
    wrappers: tuple[str, ...] = ()  # what stands in front of it: `timeout`, `sudo`

    @property
    def program(self) -> str:
        """The program's plain name."""
        return _name(self.words[0])


def read(line: str) -> tuple[Command, ...] | None:
    """The simple commands of a line in their order; None where it is not seen."""
    if line not in _READ_LINES:
        if len(_READ_LINES) > _KEPT:
            _READ_LINES.clear()
        _READ_LINES[line] = _read(line)
    return _READ_LINES[line]


_KEPT = 20_000
# a record asks for the same lines guard by guard
_READ_LINES: dict[str, tuple[Command, ...] | None] = {}


def _read(line: str) -> tuple[Command, ...] | None:
    if len(line) >= _LONGEST or "\0" in line:
        return None
    parts = _parts(line)
    if parts is None:
        return None
    found: list[Command] = []
    for words in parts:
        plain, wrappers = _proper(words)
        if plain is None:
            return None
        given = _line_in(plain)
        inside = _read(given) if given is not None else ()
        if inside is None:
            return None
        found += inside
        if plain and given is None and plain[0] not in ("cd", "pushd"):
            found.append(Command(tuple(plain), wrappers))
    return tuple(found)


def _line_in(words: Sequence[str]) -> str | None:
    """The line that a shell is given as an argument; empty where it is given none that can be read."""
    name = _name(words[0]) if words else ""
    if name == "eval":
        return " ".join(words[1:])
    if name not in _SHELLS:
        return None
    for at, word in enumerate(words[1:-1], 1):
        if word[:1] == "-" and word[1:2] != "-" and "c" in word:
            return words[at + 1]
    return None


def _proper(words: Sequence[str]) -> tuple[list[str] | None, tuple[str, ...]]:
    """The words of a call without assignments and wrappers in front, and those; None where they run what cannot be read."""
    left = list(words)
    wrappers: tuple[str, ...] = ()
    while left:
        word = left[0]
        name = _name(word)
        if "=" in word and word.partition("=")[0].replace("_", "a").isalnum():
            left = left[1:]
        elif name in WRAPPERS:
            left, wrappers = left[1:], (*wrappers, name)
            while left and left[0].startswith("-"):
                takes = len(left[0]) == 2 and left[0][1] in WRAPPERS[name]
                left = left[2:] if takes else left[1:]
            if name in _TAKES_ONE:
                left = left[1:]
        else:
            return None if name in _NOT_SEEN or word.startswith(("$", CONTENT)) else left, wrappers
    return left, wrappers


def _name(word: str) -> str:
    """A program's plain name, without its folder and without Windows' ending."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _parts(line: str) -> list[list[str]] | None:
    """The words between the operators of a line; None where the grammar ends."""
    parts = []
    for words, _, after, inline, *_ in simple_commands(line):
        plain = [unquoted(word) for word in words]
        # a word right before a bracket defines a function, or fills a list
        if inline or after == "(" or None in plain:
            return None
        while plain and plain[0] in _OPENING:
            del plain[0]
        if plain == ["}"]:
            continue
        if "{" in plain or "}" in plain:
            return None
        parts.append([word for word in plain if word is not None])
    return parts


def fits(pattern: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a call is what a pattern says: its plain words lead the call's in their order, its
    options stand anywhere."""
    plain = [word for word in pattern if word[:1] != "-"]
    if not plain or _name(words[0]) != plain[0]:
        return False
    at = 1
    for wanted in plain[1:]:
        while (
            at < len(words)
            and words[at] != wanted
            and (_is_option(words[at]) or _is_option(words[at - 1]))
        ):
            at += 1
        if at >= len(words) or words[at] != wanted:
            return False
        at += 1
    return all(
        any(_is_met(each, words, at) for each in _spellings(plain, word))
        for word in pattern
        if word[:1] == "-"
    )


# Other spellings of the options that people forbid: a letter, what is left of a long one, and for a
# push a plus before the name of a branch.
PLUS = "+"
_SAME: dict[tuple[str, ...], tuple[str, ...]] = {
    ("git", "push", "--force"): ("-f", "--forc", "--for", PLUS),
    ("git", "push", "-f"): ("--force", "--forc", "--for", PLUS),
    ("git", "push", "--delete"): ("-d", "--delet", "--dele", "--del"),
    ("git", "push", "-d"): ("--delete", "--delet", "--dele", "--del"),
    ("git", "commit", "--no-verify"): ("-n", "--no-verif", "--no-veri", "--no-ver"),
    ("git", "commit", "-n"): ("--no-verify", "--no-verif", "--no-veri", "--no-ver"),
    ("git", "push", "--no-verify"): ("--no-verif", "--no-veri", "--no-ver"),
    ("git", "commit", "--amend"): ("--amen", "--ame", "--am"),
    ("git", "commit", "--all"): ("-a",),
    ("git", "commit", "-a"): ("--all",),
    ("git", "add", "--all"): ("-A",),
    ("git", "add", "-A"): ("--all",),
    ("git", "clean", "--force"): ("-f",),
    ("git", "clean", "-f"): ("--force",),
    ("git", "reset", "--hard"): ("--har", "--ha"),
    ("gh", "pr", "--draft"): ("-d",),
    ("npm", "install", "--global"): ("-g",),
    ("npm", "install", "-g"): ("--global",),
}


def _spellings(plain: Sequence[str], option: str) -> tuple[str, ...]:
    """An option as it may be written for that command."""
    return (option, *_SAME.get((*plain[:2], option), ()))


def _is_met(wanted: str, words: Sequence[str], at: int) -> bool:
    if wanted == PLUS:
        return any(word[:1] == PLUS and len(word) > 1 for word in words[at:])
    return any(_is_same(wanted, word) for word in words[1:])


def _is_option(word: str) -> bool:
    return word.startswith("-") and word not in ("-", "--")


def _is_same(option: str, word: str) -> bool:
    if word == option or word.startswith(f"{option}="):
        return True
    # a letter among few: `-an` holds `-n`, `-name` does not
    short = (
        len(option) == 2
        and word[:1] == "-"
        and word[:2] != "--"
        and len(word) < 5
        and word[1:].isalpha()
    )
    return short and option[1] in word[1:]
