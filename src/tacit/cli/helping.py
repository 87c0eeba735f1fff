"""help and version: commands by what one wants to do, one command's own options, and the words of the first screens."""

from __future__ import annotations

import argparse

from tacit import __version__
from tacit.cli import GROUPS, Answer, Cli, module_of_command
from tacit.cli.parsing import COMMANDS as VERBS
from tacit.cli.parsing import (
    OPTIONS,
    declared,
    did_you_mean,
    end_of_help,
    nearest_command,
    parser_of,
    spoken,
)
from tacit.cli.words import hung, paint, table, wrapped
from tacit.core.errors import UsageError
from tacit.screens.wording import WORDS

TOPICS = ("words", "options", "all")


# -- help ---------------------------------------------------------------------------------------------------------------------------


def _help(args: argparse.Namespace, cli: Cli) -> Answer:
    topic = "-".join(args.topics).replace("_", "-")
    if topic == "words":
        text = _words(cli)
    elif topic == "options":
        text = table([[f"  {name}", told] for name, told in OPTIONS], ("  For every command", ""))
    elif topic in GROUPS:
        text = "\n".join(_group(cli, topic))
    elif topic in ("", "all"):
        text = _overview(cli, everything=topic == "all")
    elif topic in VERBS:
        text = usage_of(topic)
    elif topic == "data":
        text = "\n".join(_line(verb, VERBS[verb][1]) for verb in VERBS if verb.startswith("data-"))
    else:
        near = did_you_mean(topic, [*VERBS, *GROUPS, *TOPICS], nearest_command(topic, VERBS))
        raise UsageError(f"tacit help {topic}: there is no such topic.", near)
    return Answer({"topic": topic or None, "text": text}, text)


def _overview(cli: Cli, *, everything: bool = False) -> str:
    """The commands in their groups."""
    lines = [
        f"{paint(cli, 'bold', 'tacit')}: memory that proves it helps. Bare tacit is the screen to come back to.",
        "",
    ]
    for name in GROUPS:
        lines += [*_group(cli, name), ""]
    if everything:
        grouped = {verb for _, verbs in GROUPS.values() for verb in verbs}
        rest = {verb: does for verb, (_, does) in VERBS.items() if verb not in grouped}
        lines += [
            paint(cli, "bold", "The rest"),
            *(_line(verb, does) for verb, does in rest.items()),
            "",
        ]
    return "\n".join(
        [*lines, "tacit help COMMAND · help words: what the screens say · help options · help all"]
    )


def _group(cli: Cli, name: str) -> list[str]:
    title, verbs = GROUPS[name]
    return [paint(cli, "bold", title), *(_line(verb, VERBS[verb][1]) for verb in verbs)]


def _line(verb: str, does: str) -> str:
    return "\n".join(hung(f"  {spoken(verb):<12} ", does))


def usage_of(verb: str) -> str:
    """A command's help: what it does, its own options, examples."""
    module, does = module_of_command(verb)
    if verb not in getattr(module, "COMMANDS", {}):
        return end_of_help(verb)
    return parser_of(verb, does, module.COMMANDS[verb][0]).format_help().rstrip()


def _words(cli: Cli) -> str:
    lines = ["What stands beside a lesson, and what it means:", ""]
    for word, meaning in WORDS.items():
        first, *rest = wrapped(meaning, 6)
        lines += [
            f"  {paint(cli, 'bold', word)}",
            f"    {first}",
            *(f"    {line}" for line in rest),
        ]
    told = "A session is one run of an agent with all its retries, resumptions and sub-agents. docs/concepts.md has the inner states."
    lines += ["", *wrapped(told)]
    return "\n".join(lines)


def _version(args: argparse.Namespace, cli: Cli) -> Answer:
    return Answer({"version": __version__}, f"tacit {__version__}")


COMMANDS = declared({"help": _help, "version": _version}, TOPICS=", ".join((*GROUPS, *TOPICS)))
