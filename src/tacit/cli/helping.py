"""help: the verbs by what one wants to do, one verb's own options, and the words of the screens."""

from __future__ import annotations

import click

from tacit.cli.verb import SHARED, Answer, Asked, Cli, Verbs, arg, did_you_mean, two_columns, verb
from tacit.cli.words import paint, wrapped
from tacit.core.errors import UsageError
from tacit.screens.wording import WORDS

TOPICS = ("words", "options", "all")


@verb("help", "verbs by what you want to do; help VERB, help words")
@arg("topics", nargs=-1, required=False, metavar="TOPIC", help=f"a verb, {', '.join(TOPICS)}")
def help_verb(args: Asked, cli: Cli) -> Answer:
    topic = " ".join(args.topics).replace("_", "-")
    text = _topic(topic, cli)
    return Answer({"topic": topic or None, "text": text}, text)


def _topic(topic: str, cli: Cli) -> str:
    if topic == "words":
        return _words(cli)
    if topic == "options":
        return options_help()
    top = click.get_current_context().find_root().command
    assert isinstance(top, Verbs)
    return usage_of(topic if topic != "all" else "", top, cli)


def usage_of(topic: str, top: Verbs, cli: Cli) -> str:
    """The help of a verb, spelled with its words; of nothing that of all."""
    ctx = click.Context(top, info_name="tacit", obj=cli)
    found: click.Command = top
    for word in topic.split():
        under = found.get_command(ctx, word) if isinstance(found, Verbs) else None
        if under is None:
            known = [*found.list_commands(ctx), *TOPICS] if isinstance(found, Verbs) else TOPICS
            near = did_you_mean(word, known, "tacit help lists them.")
            raise UsageError(f"tacit help {topic}: there is no such topic.", near)
        found, ctx = under, click.Context(under, info_name=word, parent=ctx, obj=cli)
    return found.get_help(ctx).rstrip()


def options_help() -> str:
    """The options of every verb."""
    rows = [(f"{name} {value}".strip(), told) for name, value, told in SHARED]
    return "\n".join(["Before or behind every verb:", *two_columns(rows)])


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
