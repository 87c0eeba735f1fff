"""The parser of a command: it shows only what is the command's own, and a word that is nearly right is answered with the right one.

What our commands take stands in `commands.txt`, as their help tells it.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NoReturn

from tacit.core.errors import UsageError

if TYPE_CHECKING:
    from tacit.cli import Answer, Cli

Declare = Callable[[argparse.ArgumentParser], None]
Run = Callable[[argparse.Namespace, "Cli"], "Answer"]
_TYPES = {"int": int, "float": float, "lower": str.lower}
# One line of it: `[paths PATH …]`, `--limit N:int=30`, `--html [FILE]`, `--week as since=7d`.
_ARGUMENT = re.compile(
    r"(?P<either>or )?\[?(?P<names>--[\w-]+(?: --[\w-]+)*|\w+)"
    r"(?: \[?(?P<metavar>'[^']*'|[A-Z][^\s{=]*?))?(?: \{(?P<choices>[^}]+)\})?(?::(?P<type>int|float|lower))?"
    r"(?:=(?P<default>[^\s\]]*))?(?P<many> …)?\]?(?P<required> required)?(?: as (?P<dest>\w+)(?:=(?P<sets>\w+))?)?"
)

_HEAD = re.compile(r"^== ([\w-]+)(?: (\w+): (.*))?$", re.MULTILINE)


@cache
def _sections() -> dict[str, tuple[tuple[str, str], list[str], str]]:
    """Of each section its command's module with what it does, the lines of its arguments, and the end of its help."""
    with open(os.path.join(os.path.dirname(__file__), "commands.txt"), encoding="utf-8") as file:
        _, *parts = _HEAD.split(file.read())
    found = {}
    for name, of, does, body in zip(*(parts[n::4] for n in range(4))):
        arguments, _, end = body.partition("\n\n")
        found[name] = (of, does), arguments.strip("\n").splitlines(), end.strip("\n")
    return found


COMMANDS = {
    verb: about for verb, (about, _, _) in _sections().items() if about[0]
}  # module, one line
_GLOBAL, _OTHER_NAMES = (
    _sections()["every-command"][1],
    _sections()["other-names"][1],
)
OPTIONS = tuple(
    (option, does.strip()) for option, _, does in (line.partition("  ") for line in _GLOBAL)
)


def declared(runs: Mapping[str, Run], **values: Any) -> dict[str, tuple[Declare, Run]]:
    """A module's commands: what declares the arguments of each, as `commands.txt` has them with
    these values, and what runs it.
    """
    return {verb: (partial(_declare, verb, values), run) for verb, run in runs.items()}


def end_of_help(verb: str, **values: Any) -> str:
    """What stands below a command's arguments."""
    return _section(verb, values)[1]


def _declare(verb: str, values: Mapping[str, Any], parser: argparse.ArgumentParser) -> None:
    lines, end = _section(verb, values)
    parser.epilog = end or None
    _add(lines, parser)


def _section(verb: str, values: Mapping[str, Any]) -> tuple[list[str], str]:
    """The lines of a command's arguments, with those of other sections where it says so, and the end of its help."""
    _, rows, end = _sections()[verb]
    lines: list[str] = []
    for row in rows:
        others, below = (
            _section(row.removeprefix("also "), {}) if row.startswith("also ") else ([row], "")
        )
        lines += others
        end = end or below
    for name, value in values.items():
        told = f"{{{'|'.join(value)}}}" if isinstance(value, (tuple, list)) else str(value)
        end, *lines = (text.replace(f"{{{name}}}", told) for text in (end, *lines))
    return lines, end


def _add(lines: Sequence[str], parser: argparse.ArgumentParser, *, hidden: bool = False) -> None:
    into: Any = parser
    for n, line in enumerate(lines):
        told, _, does = line.partition("  ")
        match = _ARGUMENT.fullmatch(told)
        assert match, line
        if not match["either"]:
            others = "".join(lines[n + 1 : n + 2]).startswith("or ")
            into = (
                parser.add_mutually_exclusive_group(required=bool(match["required"]))
                if others
                else parser
            )
        names, facts = _argument(match)
        does = argparse.SUPPRESS if hidden or does.strip() == "(hidden)" else does.strip()
        into.add_argument(*names, help=does or None, **facts)


def _argument(match: re.Match[str]) -> tuple[list[str], dict[str, Any]]:
    """What `add_argument` is told of a line."""
    names, choices = match["names"].split(), match["choices"]
    is_option, is_optional, is_many = names[0].startswith("-"), "[" in match[0], bool(match["many"])
    said = {"dest": match["dest"], "metavar": match["metavar"], "default": match["default"]}
    said |= {"type": _TYPES.get(match["type"]), "choices": choices and choices.split("|")}
    facts = {name: value for name, value in said.items() if value is not None}
    if is_option and not facts.keys() & {"metavar", "choices", "default"}:  # a flag
        sets = {"yes": True, "no": False}.get(match["sets"], match["sets"])
        return names, facts | (
            {"action": "store_true"} if sets is None else {"action": "store_const", "const": sets}
        )
    if is_option:
        facts |= {"required": True} if match["required"] else {}
        facts |= (
            {"action": "append", "default": []}
            if is_many
            else {"nargs": "?", "const": ""}
            if is_optional
            else {}
        )
    elif is_optional or is_many:
        facts["nargs"] = "+" if not is_optional else "*" if is_many else "?"
    return names, facts


def parser_of(verb: str, does: str, declare: Declare) -> argparse.ArgumentParser:
    """The parser of a command. The options that every command has are obeyed and not listed."""

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UsageError(f"{self.prog}: {message}.", f"tacit help {verb}")

        def _check_value(self, action: argparse.Action, value: Any) -> None:
            if action.choices is not None and value not in action.choices:
                name = "/".join(action.option_strings) or action.metavar or action.dest
                raise UsageError(
                    f"{self.prog}: {name} cannot be {value!r}.", did_you_mean(value, action.choices)
                )

        def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
            found, unknown = self.parse_known_args(args, namespace)
            if unknown:
                options = [name for name in self._option_string_actions if name.startswith("--")]
                near = did_you_mean(unknown[0].split("=")[0], options, f"tacit help {verb}")
                raise UsageError(f"{self.prog}: it does not take {unknown[0]}.", near)
            return found

        def format_help(self) -> str:
            self.usage = self.usage or _usage(self)
            return super().format_help()

    parser = Parser(
        prog=f"tacit {spoken(verb)}",
        description=does[:1].upper() + does[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    _add(_GLOBAL, parser, hidden=True)
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    declare(parser)
    return parser


def _usage(parser: argparse.ArgumentParser) -> str:
    """The command with what it is about; its options are below, one by one."""
    words, options = [parser.prog], False
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        if action.option_strings:
            options = True
            continue
        name = str(
            action.metavar
            or (f"{{{'|'.join(map(str, action.choices))}}}" if action.choices else action.dest)
        )
        name = name if len(name) < 60 else action.dest.upper()
        words.append(
            {"?": f"[{name}]", "*": f"[{name} …]", "+": f"{name} …"}.get(str(action.nargs), name)
        )
    return " ".join([*words, *(["[options]"] if options else [])])


def did_you_mean(word: str, among: Iterable[Any], otherwise: str = "") -> str:
    """Which of these was meant; where that is not clear, what there is."""
    every = [str(each) for each in among]
    near = get_close_matches(str(word).lower(), every, 1, 0.6)
    return f"Did you mean {near[0]}?" if near else otherwise or f"One of {', '.join(every)}."


def nearest_command(word: str, commands: Iterable[str]) -> str:
    """The command that was meant; people type the words of programs that they know."""
    known = (line.partition(": ") for line in _OTHER_NAMES)
    if ours := next((ours for ours, _, words in known if word in words.split()), ""):
        return f"Did you mean tacit {ours}?"
    if f"data-{word}" in COMMANDS:
        return f"It is tacit data {word}."
    spelled = (spoken(each) for each in commands)
    return did_you_mean(spoken(word), spelled, "tacit help lists them.").replace(
        "Did you mean ", "Did you mean tacit "
    )


def spoken(verb: str) -> str:
    """A command as it is typed: `data export`."""
    return verb.replace("data-", "data ", 1)
