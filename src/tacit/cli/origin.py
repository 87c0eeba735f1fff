"""origin: verbs of the system that this project is like, as it calls them, and of its nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from tacit.cli.night import log_verb, tend_verb
from tacit.cli.page import page_verb
from tacit.cli.verb import Answer, Asked, Cli, OneOf, Verbs, arg, did_you_mean, opt, verb
from tacit.cli.words import WITHHELD_HERE, one_line, table, width, wrapped
from tacit.core.errors import UsageError
from tacit.core.value import replace
from tacit.hosts import run_in_shell
from tacit.learn import correcting
from tacit.lesson import memory_json
from tacit.memory import Memory as Memories
from tacit.origins import knowing
from tacit.screens.passing import lesson_meant
from tacit.screens.views import audit_json
from tacit.screens.wording import CAME, standing_words
from tacit.store.lookups import withheld_in
from tacit.trial import proving
from tacit.trial.audit import by_subject

if TYPE_CHECKING:
    from tacit.trial.audit import GivenLesson, RunAudit

WIDE = 118


@verb(
    "audit",
    "what a run was given, and what came back",
    end="""With --check or --fail-on, RUN may also be the run's own file.

example:
  tacit origin audit events/r7.jsonl --fail-on regression""",
    long=True,
)
@arg("run", default="", metavar="RUN", required=False, help="a session; without it the latest")
@opt("--check", is_flag=True, help="which given lessons did a finding repeat?")
@opt("--fail-on", type=OneOf(("regression",)), help="exit 1 if a finding undoes an earlier fix")
def audit_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=bool(args.fail_on)) as memories:
        if args.check or args.fail_on:
            return _held_against(memories, args)
        found = proving.audit(memories, args.run)
        hidden = withheld_in(memories.store, memories.project_id, run_in_shell(cli.env))
        headline = [] if args.run else [proving.said_again(memories).sentence]
    for n, each in enumerate(found):
        lessons = (
            replace(one, text=WITHHELD_HERE, quote="") if one.memory in hidden else one
            for one in each.lessons
        )
        found[n] = replace(each, lessons=tuple(lessons))
    data: dict[str, Any] = {"runs": [audit_json(each) for each in found]}
    if args.run:
        return Answer(data, "\n".join(_run_lines(found[0])))
    data["headline"] = headline
    rows = []
    for each in found:
        at, task = each.run.started_at[:16].replace("T", " "), one_line(each.run.task, 200)
        rows.append([each.run.foreign_id, at, *_came(each.lessons), task])
    if not rows:
        return Answer(data, "no session is known here yet")
    shown = table(rows, ("session", "started", "given", "left out", "came back", "task"))
    lines = [*wrapped(headline[0], 0, WIDE), "", shown, ""]
    return Answer(data, "\n".join([*lines, "tacit origin audit SESSION tells which lessons"]))


def _run_lines(one: RunAudit) -> list[str]:
    lines = [*wrapped(f"{one.run.foreign_id}: {one_line(one.run.task, 200)}"), ""]
    if not one.lessons:
        return [*lines, "No lesson was given to this session, and none left out."]
    given, out, back = _came(one.lessons)
    told = (
        f"{given} given, {out} left out to compare; of those given the problem of {back} came back."
    )
    rows = []
    for each in one.lessons:
        was = "left out" if each.arm == "withheld" else "given"
        came = CAME.get(each.outcome, each.outcome) + (", cited" if each.cited else "")
        rows.append([each.memory, was, came, one_line(each.text, 400)])
    lines += [
        *wrapped(told),
        "",
        table(rows, ("id", "lesson was", "its problem", "lesson"), flow=True),
    ]
    for each in one.lessons:
        if each.quote:
            lines += ["", *wrapped(f"{each.memory} came back: “{each.quote}”", 2, WIDE)]
    return lines


def _came(lessons: Sequence[GivenLesson]) -> tuple[str, str, str]:
    """How many subjects were given, how many left out, and of how many lessons the problem came back."""
    given, out = by_subject(lessons)
    back = sum(each.outcome == "occurred" for each in lessons if each.arm != "withheld")
    return str(given), str(out), str(back)


def _held_against(memories: Memories, args: Asked) -> Answer:
    """An origin's own measures of one run: lessons that a finding repeated, fixes that came undone."""
    if not args.run:
        raise UsageError("Audit which run?", "Give its id or its file.")
    back = knowing.regressions(memories, args.run) if args.fail_on else []
    checked = knowing.check(memories, args.run) if args.check else []
    names = {each.memory: memories.get(each.memory).alias or each.memory for each in checked}
    lines = [each.sentence for each in back]
    for each in checked:
        text = one_line(each.text, max(20, width() - 34))
        lines.append(f"{each.signal:<11} {each.overlap:>3} %  {names[each.memory]}  {text}")
    checks = [{**each.__dict__, "name": names[each.memory]} for each in checked]
    undone = [{**each.__dict__, "sentence": each.sentence} for each in back]
    data = {"checks": checks, "regressions": undone}
    return Answer(data, "\n".join(lines), code=1 if back else 0)


@verb("forget", "take out lessons by id, origin or all, reversibly (drop: by number)")
@arg("id", default="", metavar="ID", required=False)
@opt("--origin", default="", metavar="ORIGIN", help="all that came from this document or stream")
@opt("--all", is_flag=True, help="everything in this project")
@opt("--reason", default="", metavar="REASON")
def forget_verb(args: Asked, cli: Cli) -> Answer:
    if args.all and (args.id or args.origin):
        how = "It takes out everything in this project."
        raise UsageError("tacit origin forget --all takes no id and no origin.", how)
    with cli.open(args, create=False) as memories:
        if args.all:
            gone = correcting.clear(memories, reason=args.reason)
        else:
            id = lesson_meant(memories, args.id)
            gone = memories.drop(id, source=args.origin, reason=args.reason)
    what = f"--from {args.origin}" if args.origin else "ID, each" if args.all else gone[0].id
    told = f"forgot {len(gone)}; back with tacit undo {what}"
    return Answer({"memories": [memory_json(each) for each in gone]}, told)


@verb("feedback", "say that a lesson helped, was wrong or is outdated")
@arg("id", metavar="ID")
@opt("--helped", "word", flag_value="helped", help="a signal, never a verdict")
@opt("--wrong", "word", flag_value="wrong", help="evidence against its text")
@opt("--outdated", "word", flag_value="outdated", help="it sinks until it is met again")
@opt("--run", default="", metavar="RUN")
@opt("--reason", default="", metavar="REASON")
def feedback_verb(args: Asked, cli: Cli) -> Answer:
    if not args.word:
        raise UsageError("tacit origin feedback: --helped, --wrong or --outdated?")
    with cli.open(args, create=False) as memories:
        run = args.run or run_in_shell(cli.env)
        memory = correcting.feedback(memories, args.id, args.word, run=run, reason=args.reason)
        told = f"noted: {args.word}. {memory.id} is now: "
        told += standing_words(memory, memories.profile).words
        counts = args.word == "helped" or correcting.may_change(memories, memory)
        note = f"kept as a doubt: it stands on more than an agent's word. {memories.actor.how}"
    if memory.tally.contradicted:
        told += f"; {memory.tally.contradicted} spoke against it so far"
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
            verbs = memories.profile.verbs
        if not verbs:
            how = "tacit init --like NAME makes it like one."
            raise UsageError("This project is like no origin, so there are no verbs of one.", how)
        return verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(OWN)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return OWN.get(name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        first, *rest = args
        line = [first]
        if first not in OWN:
            line = self.said(ctx, rest).get(first, "").split()
            if not line:
                self.unknown(ctx, first)
        if line[0] in OWN:
            return line[0], OWN[line[0]], [*line[1:], *rest]
        found: Any = ctx.find_root().command
        while isinstance(found, click.Group):
            found, line = found.get_command(ctx, line[0]), line[1:]
        return found.name, found, [*line, *rest]

    def alone(self, ctx: click.Context) -> Answer:
        verbs = self.said(ctx)
        rows = []
        for name, line in verbs.items():
            ours = f"origin {line}" if line.split()[0] in OWN else line
            rows.append([name, f"tacit {ours}"])
        return Answer({"verbs": dict(verbs)}, table(rows, ("tacit origin", "is")))

    def unknown(self, ctx: click.Context, word: str) -> NoReturn:
        near = did_you_mean(word, self.said(ctx), "tacit origin lists them.")
        raise UsageError(f"There is no verb {word!r} here.", near)


origin = Origin("origin", does="verbs of the system that this project is like, as it calls them")
