"""Who reads finished sessions, asked once at `connect` with the price from the user's own; and reading what lies there already."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from tacit.core.errors import Refused, TacitError
from tacit.core.plural import numbered
from tacit.core.value import value
from tacit.surfaces.cli.settings_file import check_writable, read_settings, write_settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tacit.app import Memories
    from tacit.formats.source import Source
    from tacit.surfaces.cli import Cli

NOBODY = "nobody"  # a no that is remembered
SAMPLE = 20  # sessions, the last ones, from which the price is told
OVERHEAD = 5_000  # tokens of the questions themselves, and of the lessons that a session is held against
TWICE = 2  # a session is shown for its lessons, and again beside what is remembered
ANSWERS = 900  # tokens
# dollars a million tokens: the list price of the small model that claude-code reads with, Nov 2026
PRICE_IN, PRICE_OUT = 1.0, 5.0


@value
class Price:
    """What reading costs, from the user's own sessions."""

    sessions: int
    tokens: int  # in the middle
    total: int

    @property
    def cents(self) -> float:
        """Of the middle one, at list price."""
        return (self.tokens * PRICE_IN + ANSWERS * PRICE_OUT) / 1e4

    def __str__(self) -> str:
        return f"about {self.tokens:,} tokens a session in the middle of your last {self.sessions}, {self.cents:.1f} ct at list price"


def price(memories: Memories, host: str, paths: Sequence[str | Source]) -> Price | None:
    """What reading some sessions would take; None where there are none to tell by. Nobody is asked for it."""
    sizes: list[int] = []
    for path in paths:
        try:
            sizes += [TWICE * tokens + OVERHEAD for _, _, tokens in memories.rendered(path, host)]
        except (TacitError, OSError):
            continue
    return Price(len(sizes), sorted(sizes)[len(sizes) // 2], sum(sizes)) if sizes else None


def offer_reader(cli: Cli, memories: Memories, host: str, paths: Sequence[str | Source], wish: bool | None) -> str:
    """Ask once whether finished sessions are to be read, and remember the answer; a line for people. `wish` is an answer already given.

    Off without a yes: where nobody can be asked nothing is written down.
    """
    from tacit.app import config_path

    if memories.settings()["reader.by"].value and wish is None:
        return ""
    by = reader_for(memories, host)
    if not by:
        return nobody_reads(host, config_path(cli.env), bool(wish)) if wish is not False else ""
    cost = price(memories, host, paths[-SAMPLE:])
    who = (
        f"{host}'s own program ({memories.settings()['reader.model'].value}, no tools)"
        if by == host
        else "the model you named"
    )
    told = f" ({cost})" if cost else ""
    path = config_path(cli.env)
    if wish is None:
        if not may_ask(cli):
            return f"sessions are not read by a model: tacit connect {host} --read allows it{told}"
        wish = asked(cli, f"Have finished sessions read by {who}{told}? [y/N] ")
    remember(path, by if wish else NOBODY)
    done = f"finished sessions are read by {who}{told}" if wish else "no model reads your sessions"
    return f"{done}; reader.by in {path} says so"


def nobody_reads(host: str, path: str, wished: bool) -> str:
    """What to do where no program is found that could read: rules alone hear little of what people say."""
    from tacit.hosts import readers

    command = readers().get(host, "").split()
    lacks = f"{command[0]} is not on your PATH" if command else f"{host} has no program of its own that reads"
    head = "nobody can read your sessions yet" if wished else "sessions are learned by rules alone, no model reads them"
    return (
        f"{head}: {lacks}, and {path} names no model. Either put it there, or write two lines into that file,"
        f' [model] and command = "a program that answers a prompt on its standard input" (or url = …, docs/models.md);'
        f" then: tacit connect {host} --read"
    )


def reader_for(memories: Memories, host: str) -> str:
    """Who could read this host's sessions: its own program where it qualifies and is here, else a model that the user named."""
    from tacit.hosts import readers

    settings, command = memories.settings(), readers().get(host, "")
    if command and shutil.which(command.split()[0], path=memories.env.get("PATH")):
        return host
    return "model" if settings["model.url"].value or settings["model.command"].value else ""


def remember(path: str, by: str) -> None:
    """Write who reads into the user's own file, whatever else stands there."""
    import tomllib

    file = read_settings(path)
    check_writable(file)
    lines = file.text.splitlines()
    stands = next((at for at, line in enumerate(lines) if line.strip() == "[reader]"), None)
    if stands is None:
        lines += [*([""] if lines and lines[-1] else []), "[reader]", f'by = "{by}"']
    else:
        end = next((at for at in range(stands + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
        kept = [line for line in lines[stands + 1 : end] if line.split("=")[0].strip() != "by"]
        lines[stands + 1 : end] = [f'by = "{by}"', *kept]
    text = "\n".join(lines) + "\n"
    if tomllib.loads(text).get("reader", {}).get("by") != by:
        raise Refused(f"{path} cannot be changed safely.", f'Write it yourself: [reader] by = "{by}".')
    write_settings(file, text)


def read_past(cli: Cli, memories: Memories, paths: Sequence[tuple[str, str]], *, yes: bool) -> dict[str, Any]:
    """Learn and read past sessions (host and path), oldest first: what it takes is said first, what was read is not read again."""
    from tacit.formats.source import FileSource
    from tacit.surfaces.cli.moved import Asked

    if str(memories.settings()["reader.by"].value) in ("", NOBODY):
        raise Refused(
            "Nobody reads here.",
            "tacit connect claude-code --read allows its own program; docs/models.md tells of others.",
        )
    costs = [each for host, path in paths if (each := price(memories, host, [path])) is not None]
    total = sum(each.total for each in costs)
    daily = int(memories.settings()["model.daily_tokens"].value)
    said: dict[str, Any] = {"sessions": len(costs), "tokens": total, "read": 0, "lessons": 0, "waiting": 0}
    told = f"{numbered(len(costs), 'session')}, about {total:,} tokens"
    if total > daily:
        told += f", {numbered(-(-total // daily), 'day')} at model.daily_tokens = {daily:,}"
    if not costs or not (yes or (may_ask(cli) and asked(cli, f"Read {told}? [y/N] "))):
        return {**said, "told": told}
    whose = Asked(cli, False, memories, [FileSource(path) for _, path in paths])
    for number, (host, path) in enumerate(paths, 1):
        cli.progress(f"  {number}/{len(paths)} {os.path.basename(path)}")
        try:
            found = memories.learn(path, format=host, over=True, apart=whose)
        except (TacitError, OSError):
            continue
        waits = sum(any("not read yet" in note for note in each.warnings) for each in found)
        said["read"] += len(found) - waits
        said["lessons"] += sum(len(each.new) for each in found)
        said["waiting"] += waits
    cli.progress()
    return {**said, "told": told, "notes": whose.notes()}


def may_ask(cli: Cli) -> bool:
    """Whether somebody sits there who can answer."""
    return cli.can_ask


def asked(cli: Cli, question: str) -> bool:
    """A person's yes."""
    return cli.ask(question)
