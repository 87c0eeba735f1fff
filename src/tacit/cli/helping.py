"""help: the verbs by what one wants to do, one verb's own options, and the words of the screens."""

from __future__ import annotations

import click

from tacit.cli.verb import SHARED, Answer, Asked, Cli, Verbs, arg, did_you_mean, verb
from tacit.core.errors import UsageError
from tacit.screens.wording import WORDS

TOPICS = ("words", "options")


@verb("help", "verbs by what you want to do; help VERB, help words")
@arg("topics", nargs=-1, required=False, metavar="TOPIC", help=f"a verb, {' or '.join(TOPICS)}")
def help_verb(args: Asked, cli: Cli) -> Answer:
    topic = " ".join(args.topics)
    top = click.get_current_context().find_root().command
    assert isinstance(top, Verbs)
    if topic == "words":
        text = _rows("What stands beside a lesson, and what it means", [*WORDS.items()])
    elif topic == "options":
        rows = [(f"{name} {value}".strip(), told) for name, value, told in SHARED]
        text = _rows("Before or behind every verb", rows)
    else:
        text = usage_of(topic, top, cli)
    return Answer({"topic": topic or None, "text": text}, text)


def _rows(title: str, rows: list[tuple[str, str]]) -> str:
    formatter = click.HelpFormatter(max_width=100)
    with formatter.section(title):
        formatter.write_dl(rows, col_max=40)
    return formatter.getvalue().rstrip()


def usage_of(topic: str, top: Verbs, cli: Cli) -> str:
    """The help of a verb, spelled with its words; of nothing that of all."""
    found: click.Command = top
    ctx = click.Context(top, info_name="tacit", obj=cli, max_content_width=100)
    for word in topic.split():
        under = found.get_command(ctx, word) if isinstance(found, Verbs) else None
        if under is None:
            known = [*found.list_commands(ctx), *TOPICS] if isinstance(found, Verbs) else TOPICS
            near = did_you_mean(word, known, "tacit help lists them.")
            raise UsageError(f"tacit help {topic}: there is no such topic.", near)
        found = under
        ctx = click.Context(under, info_name=word, parent=ctx, obj=cli, **under.context_settings)
    return found.get_help(ctx).rstrip()
