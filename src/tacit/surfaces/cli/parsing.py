"""The parser of a command: it shows only what is the command's own, and a word that is nearly right is answered with the right one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from tacit.core.errors import UsageError

# What people type who know other programs.
OTHER_NAMES = {
    "ls": "list", "search": "recall", "find": "recall", "query": "recall", "remove": "forget", "rm": "forget", "delete": "forget",
    "new": "add", "remember": "add", "note": "add", "revert": "undo", "history": "log", "explain": "why", "inbox": "review",
    "approve": "review", "reject": "review", "install": "connect", "setup": "connect", "disconnect": "connect", "web": "desk",
    "ui": "desk", "browser": "desk", "uninstall": "leave",
    "check": "doctor", "repair": "doctor", "verify": "doctor", "settings": "config", "stop": "pause",
    "push": "sync", "pull": "sync", "share": "sync", "stat": "stats", "impact": "effect", "info": "status",
}  # fmt: skip

OPTIONS = (
    ("--store FILE", "another store: a file, or postgresql://…"),
    ("--project NAME", "another project: id, name or folder"),
    ("--profile NAME", "another way of remembering"),
    ("--by NAME", "the person in whose name this is done"),
    ("--yes", "do not ask"),
    ("--json", "one JSON document on stdout"),
    ("--quiet", "no notes on stderr"),
    ("--strict", "fail instead of staying silent"),
)


def parser_of(verb: str, does: str, declare: Callable[[argparse.ArgumentParser], None]) -> argparse.ArgumentParser:
    """The parser of a command. The options that every command has are obeyed and not listed."""

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UsageError(f"{self.prog}: {message}.", f"tacit help {verb}")

        def _check_value(self, action: argparse.Action, value: Any) -> None:
            if action.choices is not None and value not in action.choices:
                name = "/".join(action.option_strings) or action.metavar or action.dest
                raise UsageError(f"{self.prog}: {name} cannot be {value!r}.", did_you_mean(value, action.choices))

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
        prog=f"tacit {verb}",
        description=does[:1].upper() + does[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    for option, _ in OPTIONS:
        name, _, metavar = option.partition(" ")
        if metavar:
            parser.add_argument(name, metavar=metavar, help=argparse.SUPPRESS)
        else:
            parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
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
        name = str(action.metavar or (f"{{{'|'.join(map(str, action.choices))}}}" if action.choices else action.dest))
        name = name if len(name) < 60 else action.dest.upper()
        words.append({"?": f"[{name}]", "*": f"[{name} …]", "+": f"{name} …"}.get(str(action.nargs), name))
    return " ".join([*words, *(["[options]"] if options else [])])


def did_you_mean(word: str, among: Iterable[Any], otherwise: str = "") -> str:
    """Which of these was meant; where that is not clear, what there is."""
    every = [str(each) for each in among]
    near = get_close_matches(str(word).lower(), every, 1, 0.6)
    return f"Did you mean {near[0]}?" if near else otherwise or f"One of {', '.join(every)}."


def nearest_command(word: str, commands: Iterable[str]) -> str:
    """The command that was meant."""
    if word in OTHER_NAMES:
        return f"Did you mean tacit {OTHER_NAMES[word]}?"
    return did_you_mean(word, commands, "tacit help lists them.").replace("Did you mean ", "Did you mean tacit ")
