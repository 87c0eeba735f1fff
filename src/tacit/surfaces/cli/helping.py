"""help and version: commands by what one wants to do, one command's own options, and the words of the first screens.

Also the parser of a command: it shows only what is the command's own, and a word that is nearly right is answered with the right one.
"""

from __future__ import annotations

from tacit.core.errors import UsageError
from tacit.surfaces.cli import COMMANDS as VERBS
from tacit.surfaces.cli import GROUPS, Answer, Cli
from tacit.surfaces.cli.words import paint, table, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, NoReturn

# What people type who know other programs.
MEANT = {
    "ls": "list", "search": "recall", "find": "recall", "query": "recall", "remove": "forget", "rm": "forget", "delete": "forget",
    "new": "add", "remember": "add", "note": "add", "revert": "undo", "history": "log", "explain": "why", "inbox": "review",
    "approve": "review", "reject": "review", "install": "connect", "setup": "connect", "disconnect": "connect", "web": "serve",
    "ui": "serve", "desk": "serve", "check": "doctor", "repair": "doctor", "verify": "doctor", "settings": "config", "stop": "pause",
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
EXAMPLES = """  tacit lookback               what past sessions would have taught
  tacit connect claude-code    from the next session on it is in the prompt
  tacit why ID                 where a lesson comes from, and what came of it"""
TOPICS = ("words", "options", "all")


# -- the parser of one command -----------------------------------------------------------------------------------------------------


def parser_of(verb: str, declare: Callable[[argparse.ArgumentParser], None]) -> argparse.ArgumentParser:
    """The parser of a command. The options that every command has are obeyed and not listed."""
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UsageError(f"{self.prog}: {message}.", f"tacit help {verb}")

        def _check_value(self, action: argparse.Action, value: Any) -> None:
            if action.choices is not None and value not in action.choices:
                name = "/".join(action.option_strings) or action.metavar or action.dest
                raise UsageError(f"{self.prog}: {name} cannot be {value!r}.", nearest(value, action.choices))

        def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
            found, unknown = self.parse_known_args(args, namespace)
            if unknown:
                options = [name for name in self._option_string_actions if name.startswith("--")]
                near = nearest(unknown[0].split("=")[0], options, f"tacit help {verb}")
                raise UsageError(f"{self.prog}: it does not take {unknown[0]}.", near)
            return found

        def format_help(self) -> str:
            self.usage = self.usage or _usage(self)
            return super().format_help()

    parser = Parser(
        prog=f"tacit {verb}",
        description=VERBS[verb][1][:1].upper() + VERBS[verb][1][1:] + ".",
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
    import argparse

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


def nearest(word: str, among: Iterable[Any], otherwise: str = "") -> str:
    """Which of these was meant; where that is not clear, what there is."""
    from difflib import get_close_matches

    every = [str(each) for each in among]
    near = get_close_matches(str(word).lower(), every, 1, 0.6)
    return f"Did you mean {near[0]}?" if near else otherwise or f"One of {', '.join(every)}."


def nearest_command(word: str) -> str:
    """The command that was meant."""
    if word in MEANT:
        return f"Did you mean tacit {MEANT[word]}?"
    return nearest(word, VERBS, "tacit help lists them.").replace("Did you mean ", "Did you mean tacit ")


# -- help ---------------------------------------------------------------------------------------------------------------------------


def _declare_help(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", default="", metavar="TOPIC", help=f"a command, {', '.join(GROUPS)}, {', '.join(TOPICS)}")


def _help(args: argparse.Namespace, cli: Cli) -> Answer:
    topic = args.topic.replace("_", "-")
    if topic in VERBS:
        text = usage_of(topic)
    elif topic == "words":
        text = _words(cli)
    elif topic == "options":
        text = table([[f"  {name}", told] for name, told in OPTIONS], ("  For every command", ""))
    elif topic in GROUPS:
        text = "\n".join(_group(cli, topic))
    elif topic in ("", "all"):
        text = overview(cli, everything=topic == "all")
    else:
        raise UsageError(f"tacit help {topic}: there is no such topic.", nearest(topic, [*VERBS, *GROUPS, *TOPICS], nearest_command(topic)))
    return Answer({"topic": topic or None, "text": text}, text)


def overview(cli: Cli, *, everything: bool = False) -> str:
    """The commands in their groups."""
    lines = [f"{paint(cli, 'bold', 'tacit')}: memory that proves it helps", ""]
    lines += [*wrapped("Bare tacit shows what is in force here and what it did this week. Commands, by what you want to do:"), ""]
    for name in GROUPS:
        lines += [*_group(cli, name), ""]
    if everything:
        grouped = {verb for _, verbs in GROUPS.values() for verb in verbs}
        lines += [paint(cli, "bold", "Plumbing"), *(_line(verb) for verb in VERBS if verb not in grouped), ""]
    lines += ["tacit help COMMAND · help words: what the screens say · help options · help all", "", "For example:", EXAMPLES]
    return "\n".join(lines)


def _group(cli: Cli, name: str) -> list[str]:
    title, verbs = GROUPS[name]
    return [paint(cli, "bold", title), *(_line(verb) for verb in verbs)]


def _line(verb: str) -> str:
    first, *rest = wrapped(VERBS[verb][1], 15)
    return "\n".join([f"  {verb:<12} {first}", *(f"  {'':<12} {line}" for line in rest)])


def usage_of(verb: str) -> str:
    """A command's help: what it does, its own options, examples."""
    module = __import__(f"tacit.surfaces.cli.{VERBS[verb][0]}", fromlist=["COMMANDS"])
    if verb not in getattr(module, "COMMANDS", {}):
        return str(module.USAGE).rstrip()
    return parser_of(verb, module.COMMANDS[verb][0]).format_help().rstrip()


def _words(cli: Cli) -> str:
    from tacit.surfaces.wording import WORDS

    lines = ["What stands beside a lesson, and what it means:", ""]
    for word, meaning in WORDS.items():
        first, *rest = wrapped(meaning, 6)
        lines += [f"  {paint(cli, 'bold', word)}", f"    {first}", *(f"    {line}" for line in rest)]
    told = "A session is one piece of work of an agent with all its retries and sub-agents. docs/concepts.md has the inner states."
    lines += ["", *wrapped(told)]
    return "\n".join(lines)


def _declare_nothing(parser: argparse.ArgumentParser) -> None:
    pass


def _version(args: argparse.Namespace, cli: Cli) -> Answer:
    from tacit import __version__

    return Answer({"version": __version__}, f"tacit {__version__}")


COMMANDS = {"help": (_declare_help, _help), "version": (_declare_nothing, _version)}
