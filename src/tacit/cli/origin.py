"""origin: verbs of the system that this project is like, as it calls them, and of its nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from tacit.cli.audit import audit_verb
from tacit.cli.journal import log_verb
from tacit.cli.page import page_verb
from tacit.cli.tend import tend_verb
from tacit.cli.verb import Answer, Asked, Cli, Verbs, arg, did_you_mean, opt, verb
from tacit.cli.words import memory_line, table
from tacit.core.errors import UsageError
from tacit.hosts import run_in_shell
from tacit.learn import correcting, queries
from tacit.lesson import memory_json
from tacit.screens.passing import lesson_meant
from tacit.screens.wording import standing_words


@verb("forget", "take out lessons by id, origin or all, reversibly (drop: by number)")
@arg("id", metavar="ID", required=False)
@opt("--origin", metavar="ORIGIN", help="everything that came from this document or stream")
@opt("--all", is_flag=True, help="everything in this project")
@opt("--reason", metavar="REASON")
@opt("--dry-run", is_flag=True)
def forget_verb(args: Asked, cli: Cli) -> Answer:
    if args.all and (args.id or args.origin):
        raise UsageError(
            "tacit origin forget --all takes no id and no origin.",
            "It takes out everything in this project.",
        )
    origin, reason = args.origin or "", args.reason or ""
    with cli.open(args, create=False) as memories:
        id = lesson_meant(memories, args.id or "")
        if args.dry_run:
            every = queries.listed(
                memories, equal={"origin": origin} if origin else {}, limit=1_000_000
            )
            found = every if args.all or origin else [memories.get(id)]
            told = f"would forget {len(found)}:\n" + table([memory_line(m) for m in found])
            return Answer({"memories": [memory_json(m) for m in found], "dry_run": True}, told)
        gone = (
            correcting.clear(memories, reason=reason)
            if args.all
            else correcting.forget(memories, id, origin=origin, reason=reason)
        )
    named = (
        "" if args.all else f": {', '.join(m.id for m in gone[:8])}{' …' if len(gone) > 8 else ''}"
    )
    what = f"--origin {origin}" if origin else "ID, each" if args.all else gone[0].id
    return Answer(
        {"memories": [memory_json(m) for m in gone]},
        f"forgot {len(gone)}{named}; back with tacit undo {what}",
    )


@verb("feedback", "say that a lesson helped, was wrong or is outdated")
@arg("id", metavar="ID")
@opt("--helped", "word", flag_value="helped", help="a signal, never a verdict")
@opt("--wrong", "word", flag_value="wrong", help="evidence against its text")
@opt("--outdated", "word", flag_value="outdated", help="it sinks until it is met again")
@opt("--run", metavar="RUN")
@opt("--reason", metavar="REASON")
def feedback_verb(args: Asked, cli: Cli) -> Answer:
    if not args.word:
        raise UsageError("tacit origin feedback: --helped, --wrong or --outdated?")
    with cli.open(args, create=False) as memories:
        run = args.run or run_in_shell(cli.env)
        memory = correcting.feedback(
            memories, args.id, args.word, run=run, reason=args.reason or ""
        )
        said, against = standing_words(memory, memories.profile), memory.tally.contradicted
        counts = args.word == "helped" or correcting.may_change(memories, memory)
        note = f"kept as a doubt: it stands on more than an agent's word. {memories.actor.how}"
    told = f"noted: {args.word}. {memory.id} is now: {said.words}"
    told += f"; {against} spoke against it so far" if against else ""
    return Answer(memory_json(memory), told, warnings=[] if counts else [note])


_VERBS = (tend_verb, page_verb, log_verb, audit_verb, forget_verb, feedback_verb)
OWN = {each.name or "": each for each in _VERBS}


class Origin(Verbs):
    """Its verbs are those of the project's way of remembering; each stands for a line of ours."""

    def said(self, ctx: click.Context, args: Sequence[str] = ()) -> Mapping[str, str]:
        """The verbs of the system that this project is like."""
        cli: Cli = ctx.obj
        shared: dict[str, Any] = dict.fromkeys(("store", "project", "like", "by", "yes"))
        for word, value in zip(args, [*args[1:], ""]):
            name, _, attached = word.removeprefix("--").partition("=")
            if word.startswith("--") and name in ("store", "project", "like"):
                shared[name] = attached or value
        with cli.open(Asked(**{**shared, **cli.shared}), create=False) as memories:
            return memories.profile.verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(OWN)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return OWN.get(name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        first, *rest = args
        line = [first]
        if first not in OWN:
            line = self._need_verbs(ctx, rest).get(first, "").split()
            if not line:
                self.unknown(ctx, first)
        if line[0] in OWN:
            return line[0], OWN[line[0]], [*line[1:], *rest]
        found: Any = ctx.find_root().command
        while isinstance(found, click.Group):
            found, line = found.get_command(ctx, line[0]), line[1:]
        return found.name, found, [*line, *rest]

    def alone(self, ctx: click.Context) -> Answer:
        verbs = self._need_verbs(ctx)
        rows = [[name, f"tacit {_whole(line)}"] for name, line in verbs.items()]
        return Answer({"verbs": dict(verbs)}, table(rows, ("tacit origin", "is")))

    def unknown(self, ctx: click.Context, word: str) -> NoReturn:
        near = did_you_mean(word, self._need_verbs(ctx), "tacit origin lists them.")
        raise UsageError(f"There is no verb {word!r} here.", near)

    def _need_verbs(self, ctx: click.Context, args: Sequence[str] = ()) -> Mapping[str, str]:
        verbs = self.said(ctx, args)
        if not verbs:
            raise UsageError(
                "This project is like no origin, so there are no verbs of one.",
                "tacit init --like NAME makes it like one.",
            )
        return verbs


def _whole(line: str) -> str:
    """A line of ours as it is typed."""
    return f"origin {line}" if line.split()[0] in OWN else line


origin = Origin("origin", does="verbs of the system that this project is like, as it calls them")
