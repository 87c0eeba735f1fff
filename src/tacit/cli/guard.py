"""guard: a lesson that code can check, as a question or a lock before a call, with its record on past sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import one_line
from tacit.core.errors import UsageError
from tacit.guards import finishing, guarding
from tacit.guards.condition import Guard, says
from tacit.guards.finish import check_of, sentence
from tacit.guards.history import MOOT, RIGHT, WRONG, Record, offered, why_not_offered
from tacit.hosts.source import Source
from tacit.memory import Memory as Memories
from tacit.screens.past import PAST_DAYS, past_sessions
from tacit.screens.views import picked

SHOWN = 3  # examples of each verdict
STEPS = {"ask": "asks you", "refuse": "refuses the call"}


@verb(
    "guard",
    "a lesson as a question or a lock before a call",
    end="""examples:
  tacit guard                what is armed, and which lessons could be
  tacit guard try ID         the form your reader proposes, and what it would have done in past sessions
  tacit guard try ID --before 'git commit: first make test'
  tacit guard ask ID --before 'npm install: instead pnpm install'    ask me before such a call
  tacit guard refuse ID --before 'git push --force'                  refuse such a call
  tacit guard off ID         only tell it again
  tacit guard try ID --when-done 'ran make test after src/*.py'
  tacit guard check ID --when-done 'with src/*.py: CHANGELOG.md'    send the agent back once""",
    long=True,
)
@arg(
    "what",
    type=OneOf(("list", "try", "ask", "refuse", "check", "off")),
    default="list",
    required=False,
    help="what to do (default: list)",
)
@arg("lesson", default="", metavar="ID", required=False, help="the lesson")
@opt("--before", default="", metavar="FORM", help="on which command or edit it speaks")
@opt("--when-done", default="", metavar="FORM", help="what must be so when the agent ends its work")
@opt("--anyway", is_flag=True, help="use it although its record is too thin, or not good enough")
@opt(
    "--days",
    type=int,
    default=PAST_DAYS,
    metavar="DAYS",
    help=f"how far back sessions are looked at (default: {PAST_DAYS})",
)
def guard_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if args.what == "list":
            return _list(memories)
        if not args.lesson:
            how = f"tacit guard {args.what} ID; tacit list shows ids."
            raise UsageError(f"tacit guard {args.what} wants a lesson.", how)
        if args.what == "off":
            return _off(memories, args.lesson)
        form, end = args.before, args.when_done
        if args.what == "try" and not (form or end):
            form, end = _proposed(memories, args.lesson)
        sessions = _watched(cli, past_sessions(memories, args.days))
        if end or args.what == "check":
            return _check(memories, args.what, args.lesson, end, sessions)
        guarding.guard_for(memories, args.lesson, form)  # before sessions are read for nothing
        if args.what == "try":
            guard, record = guarding.try_guard(memories, args.lesson, sessions, form)
            return _tried(guard, record, form)
        armed = guarding.arm_guard(
            memories, args.lesson, args.what, sessions, form=form, anyway=args.anyway
        )
    id, text = armed.guard.lesson, one_line(armed.guard.text, 200)
    told = f"{id} {STEPS[armed.guard.step]} from now on: {text}\nIt {says(armed.guard)}."
    told += f" {armed.record}\nOnly tell it again: tacit guard off {id}"
    return Answer({"lesson": id, "step": armed.guard.step, "record": armed.record}, told)


def _watched(cli: Cli, sessions: list[Source]) -> Iterator[Source]:
    for n, each in enumerate(sessions, 1):
        cli.progress(f"session {n} of {len(sessions)}")
        yield each
    cli.progress()


def _proposed(memories: Memories, lesson: str) -> tuple[str, str]:
    """The form that the reader proposes, for the call or for the end of the work; it is asked where somebody may be."""
    known = guarding.proposed_form(memories, memories.get(lesson))
    if known is None and (ask := guarding.reader_asks(memories)):
        guarding.propose_forms(memories, [memories.get(lesson)], ask)
        known = guarding.proposed_form(memories, memories.get(lesson))
    if known is None:
        return "", ""
    return ("", known.text) if known.end else (known.text, "")


def _check(
    memories: Memories, what: str, lesson: str, form: str, sessions: Iterable[Source]
) -> Answer:
    """Try, or arm, what must be so at the end of the work."""
    if not form or what not in ("try", "check"):
        raise UsageError(
            "A check needs its form: tacit guard check ID --when-done FORM.",
            "Try it first: tacit guard try ID --when-done 'ran make test after src/*.py'",
        )
    check_of(form)  # before sessions are read for nothing
    if what == "try":
        check, record = finishing.try_check(memories, lesson, form, sessions)
        lines = [f"At the end of the work: {sentence(check)}.", record.said]
        lines += [_example(each, each.said) for each in record.spoken[: 3 * SHOWN]]
        lines.append(f"From now on: tacit guard check {lesson} --when-done '{form}'")
        data = {"says": sentence(check), **_counts(record)}
        data["spoken"] = [dict(each.__dict__) for each in record.spoken]
        return Answer(data, "\n".join(lines))
    armed = finishing.arm_check(memories, lesson, form, sessions)
    told = f"At the end of the work: {sentence(armed.check)}. {armed.record}\n"
    told += "Where it is not so the agent is sent back once in a turn; then you hear of it.\n"
    told += f"Only tell it again: tacit guard off {armed.lesson}"
    return Answer({"lesson": armed.lesson, "says": sentence(armed.check)}, told)


def _off(memories: Memories, lesson: str) -> Answer:
    """A guard and a check of a lesson, each a note again."""
    id = memories.get(lesson).id
    checked = any(each.lesson == id for each in finishing.checks(memories))
    if checked:
        finishing.disarm_check(memories, id)
    if not checked or any(each.guard.lesson == id for each in guarding.guards(memories)):
        guarding.disarm_guard(memories, id)
    text = one_line(memories.get(id).text, 200)
    return Answer({"lesson": id, "step": "off"}, f"{id} is a note again: {text}")


def _list(memories: Memories) -> Answer:
    armed, could = guarding.guards(memories), guarding.guardable(memories)
    checks = finishing.checks(memories)
    rows = []
    lines = []
    for each in armed:
        guard = each.guard
        facts = {**picked(guard, "lesson step text"), "says": says(guard)}
        rows.append({**facts, **picked(each, "by at record"), "firings": dict(each.firings)})
        lines.append(f"{guard.lesson}  {STEPS[guard.step]}: {one_line(guard.text, 140)}")
        lines.append(f"    {says(guard)}. {each.record}")
    for check in checks:
        text = one_line(check.text, 120)
        lines.append(f"{check.lesson}  checked at the end of the work: {text}")
        lines.append(f"    {sentence(check.check)}. {check.record}")
    lines = lines or ["No guard is armed."]
    if could:
        lines += ["", "Lessons that code could check (tacit guard try ID):"]
    for one in could:
        lines += [f"{one.lesson}  {one_line(one.text, 140)}", f"    {says(one)}"]
    ends = [
        {**picked(each, "lesson text by at record"), "says": sentence(each.check)}
        for each in checks
    ]
    more = [{**picked(each, "lesson text"), "says": says(each)} for each in could]
    return Answer({"armed": rows, "checks": ends, "could": more}, "\n".join(lines))


def _counts(record: Any) -> dict[str, Any]:
    counts = {each: record.count(each) for each in (RIGHT, WRONG, MOOT)}
    return {"sessions": record.sessions, **counts}


def _example(each: Any, what: str) -> str:
    return f"  {each.verdict:5} {each.at[:10]}  {one_line(what, 90)}\n        {one_line(each.why, 120)}"


def _tried(guard: Guard, record: Record, form: str) -> Answer:
    """What a guard would have done in past sessions, and whether that is enough to use it."""
    lines = [one_line(guard.text, 200), f"As a guard it {says(guard)}.", record.said]
    for verdict in (RIGHT, WRONG, MOOT):
        some = [each for each in record.firings if each.verdict == verdict]
        lines += [_example(each, each.call) for each in some[:SHOWN]]
    if record.unseen:
        lines.append(
            f"{record.unseen} command lines could not be read by a guard (here-documents, sh -c,"
            " substitutions): it would not have fired there."
        )
    if step := offered(record):
        lines.append(f"Enough to {step}: tacit guard {step} {guard.lesson} --before '{form}'")
    else:
        lines.append(f"Not enough for a question: {why_not_offered(record)}. It stays a note.")
    firings = [
        {name: at for name, at in each.__dict__.items() if name != "work"}
        for each in record.firings
    ]
    data = {**picked(guard, "lesson text"), "says": says(guard), **_counts(record)}
    data |= {"unseen": record.unseen, "offered": offered(record), "firings": firings}
    return Answer(data, "\n".join(lines))
