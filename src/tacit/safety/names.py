"""The names of a lesson: those that act when somebody does as it says, and those that only point.

*Act*: a command with its words and options, a package, an image, an address, an assignment. *Point*: a path, an
identifier, a figure. A plain word or an option acts with its program, written `program … word`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tacit.safety.shell import calls

Programs = Mapping[str, frozenset[str]]  # each program a session called, with the words behind it

_ASSIGNMENT = re.compile(r"(?<![\w-])[A-Za-z_]\w*=[^\s`'\",;]*[^\s`'\",;.)]")
_ADDRESS = re.compile(
    r"\b(?:https?|ssh|git)(?:://|@)[^\s`'\",;)]+|\b(?:\d{1,3}\.){3}\d{1,3}\b"
    r"|(?<![\w@/.-])(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|jp|example|sh|app|ai|cloud)\b"
    r"(?:/[^\s`'\",;)]*)?",
    re.I,
)
_LOOPBACK = re.compile(r"(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1)(?::\d+)?/?$")
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_PACKAGE = re.compile(r"(?<![\w/])@[\w-]+/[\w.-]+(?:@[\w.^~-]+)?|\b[\w-]+@v?\d[\w.]*")
_INSTALLED = re.compile(
    r"(\S*)\s*\b(?:install|npx|uvx|bunx|pipx|npm i|add)\s+(?:-[^\s`]+\s+)*(`?[a-z@][\w@./-]+`?)",
    re.I,
)
# What stands before *install* and *add* where they are words of a sentence and no command.
_OF_A_SENTENCE = frozenset(
    "to and or must should can may will would do does not never always first then please you we they"
    " it also only just by before after when if the a on with".split()
)
_INSTALLS = re.compile(r"\b(?:install|add|npx|uvx|bunx|dlx|get)\b")
_POINTING = re.compile(
    r"(?<![\w@])[\w.~-]*(?:/[\w.*<>{}-]+)+/?|\b[\w-]+\.(?:\w{1,5}\b)(?!\.\w)|\b\w+_\w+\b"
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b\w+-\w[\w-]*\b|\b\d[\d.,:]*\d\b|\b\d{2,}\b"
    r"|\b[A-Z]{2,}\d*\b|\b\w+(?:::|\.)\w+\(?\)?"
)
SPAN = re.compile(r"`([^`]+)`|“([^”]+)”|\"([^\"]+)\"")
_STANDS_FOR = re.compile(r"<[a-z][^<>`=\n]{0,40}>")
_FILLER = re.compile(r"[…<>{}*]|\.\.\.|^[A-Z]{1,}$|^['\"]|^N$")
_PROGRAM = re.compile(r"[a-z][\w.+-]*|[./~][\w./-]+")
HYPHENATED = re.compile(r"[A-Z]?[a-z]+-[a-z]+(?:-[a-z]+)?")


# Dashes and dots that only look like ours.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"
_DOTS = "\u2024\u3002\ufe52\uff0e\uff61\u06d4\u0701\ua4f8"
_LIKE_OURS = {**dict.fromkeys(map(ord, _DASHES), "-"), **dict.fromkeys(map(ord, _DOTS), ".")}


def plain(text: str) -> str:
    """A text in the letters that it is read as: composed forms, dashes and dots that only look like
    ours."""
    return unicodedata.normalize("NFKC", text.translate(_LIKE_OURS)).translate(_LIKE_OURS)


@dataclass(frozen=True, slots=True)
class Names:
    """What a lesson names."""

    acting: tuple[str, ...]
    pointing: tuple[str, ...]
    brought: tuple[str, ...] = ()  # of the acting: packages, addresses, assignments


def has(text: str, name: str) -> bool:
    """Whether a name stands in a text as a whole, whatever its case."""
    low, want = text.casefold(), name.casefold()
    at = low.find(want) if want else -1
    while at >= 0:
        before, after = low[at - 1 : at], low[at + len(want) : at + len(want) + 1]
        joined = (before.isalnum() and want[0].isalnum()) or (
            after.isalnum() and want[-1].isalnum()
        )
        if not joined:
            return True
        at = low.find(want, at + 1)
    return False


def _is_command(run: tuple[str, ...]) -> bool:
    """Whether words in code marks are a command though nobody called their program: they have an
    option, or they install."""
    return any(word[:1] == "-" for word in run[1:]) or bool(_INSTALLS.search(" ".join(run)))


def commands_in(text: str, programs: Programs) -> list[str]:
    """The commands that a lesson names: marked ones, and unmarked words as a call of the session
    began with."""
    found: list[str] = []
    for span in SPAN.finditer(text):
        for call in calls(next(filter(None, span.groups()))):
            run = call.run
            if len(run) < 2 or not _PROGRAM.fullmatch(run[0]):
                continue
            if run[0] in programs or (span[1] and _is_command(run)):
                found.append(" ".join(call.words))
    tokens = re.sub(r"`[^`]*`", " ¦ ", text).split()
    for at, token in enumerate(tokens[:-1]):
        known = programs.get(token)
        if known is None or tokens[at + 1].strip(",;:.") not in known:
            continue
        end = at + 1
        while end < len(tokens) and (
            tokens[end].strip(",;:.") in known or re.match(r"-|.*[/@_=]", tokens[end])
        ):
            end += 1
            if tokens[end - 1][-1:] in ",;:.":
                break
        found.append(" ".join(word.strip(",;:.") for word in tokens[at:end]))
    return list(dict.fromkeys(found))


def names_in(text: str, programs: Programs) -> Names:
    """Every name of a lesson. What is marked as code is one, and `<what stands for something>` is none."""
    text = _STANDS_FOR.sub("…", text)
    brought = _brought(text)
    commands = commands_in(text, programs)
    acting = _parted([*brought, *_of_commands(text, commands)])
    bare = _ADDRESS.sub(" ", text)
    inside = " ".join(commands)
    marked = (span[1] for span in SPAN.finditer(text) if span[1] and span[1] not in inside)
    pointing = (found.rstrip(".,;:") for found in (*_POINTING.findall(bare), *marked))
    return Names(
        tuple(dict.fromkeys(acting)),
        tuple(dict.fromkeys(name for name in pointing if _points(name, acting))),
        tuple(dict.fromkeys(_parted(brought))),
    )


def _points(name: str, acting: list[str]) -> bool:
    told = name in acting or name.startswith("/dev/") or any(name in each for each in acting)
    return bool(name) and not told and not _FILLER.search(name.strip("/"))


def _brought(text: str) -> list[str]:
    """What comes from elsewhere: packages and images, addresses, assignments, what is installed."""
    installed = (
        name.strip("`")
        for before, name in _INSTALLED.findall(text)
        if re.search(r"[@/.\d`-]", name)
        or (before[-1:].isalnum() and before.casefold() not in _OF_A_SENTENCE)
    )
    return [
        *_ADDRESS.findall(text),
        *_ASSIGNMENT.findall(text),
        *_PACKAGE.findall(text),
        *installed,
    ]


def _of_commands(text: str, commands: list[str]) -> list[str]:
    inside = " ".join(commands)
    found = [option for option in OPTION.findall(text) if not has(inside, option)]
    for command in commands:
        found += _of_command(command)
    return found


def _of_command(command: str) -> Iterator[str]:
    """The names of a command: each word and option with the program before it."""
    first = next(calls(command), None)
    behind = (first.run if first else ())[:1]
    words = [word.strip("'\"(),;") for word in command.split()]
    program = words[0]
    for word in words:
        option = word.partition("=")[0]
        if (word,) == behind:
            program = word
        plain = word != program and re.fullmatch(r"[a-z][a-z-]*", word)
        if OPTION.fullmatch(option) or (plain and not _INSTALLS.search(command)):
            yield f"{program} … {option}"
        elif word != "--":
            yield word


def _parted(found: list[str]) -> list[str]:
    """Assignments as their name and their values; what stands for anything is no name."""
    parts: list[str] = []
    for name in found:
        if re.match(r"[A-Za-z_]\w*=", name):
            key, _, value = name.partition("=")
            values = re.split(r"[:;]", value.strip("\"'"))
            parts += [key, *(each for each in values if each and not each.startswith("$"))]
        else:
            parts.append(name.strip("\"'"))
    return [
        name.rstrip(".,;:")
        for name in parts
        if name
        and (" … " in name or not _FILLER.search(name))
        and re.search(r"\w{2}|^-\w", name)
        and not _LOOPBACK.match(name)
    ]
