"""guard: a lesson that code can check, as a question or a lock before a call, with its record on past sessions."""

from __future__ import annotations

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

_SHOWN = 3  # examples of each verdict
_STEPS = {"ask": "asks you", "refuse": "refuses the call"}


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
@opt("--before", metavar="FORM", help="on which command or edit it speaks, before that is made")
@opt("--when-done", metavar="FORM", help="what must be so when the agent ends its work")
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
            raise UsageError(
                f"tacit guard {args.what} wants a lesson.",
                f"tacit guard {args.what} ID; tacit list shows ids.",
            )
        if args.what == "off":
            return _off(memories, args.lesson)
        form, end = args.before or "", args.when_done or ""
        if args.what == "try" and not (form or end):
            form, end = _proposed(memories, args.lesson)
        if end or args.what == "check":
            return _check(args, cli, memories, end)
        guarding.guard_for(memories, args.lesson, form)  # before sessions are read for nothing
        sessions = _with_progress(cli, past_sessions(memories, args.days))
        if args.what == "try":
            guard, record = guarding.try_guard(memories, args.lesson, sessions, form)
            return Answer(_data(guard, record), _shown(guard, record, form))
        armed = guarding.arm_guard(
            memories, args.lesson, args.what, sessions, form=form, anyway=args.anyway
        )
        lines = (
            f"{armed.guard.lesson} {_STEPS[armed.guard.step]} from now on: {one_line(armed.guard.text, 200)}",
            f"It {says(armed.guard)}. {armed.record}",
            f"Only tell it again: tacit guard off {armed.guard.lesson}",
        )
        return Answer(
            {"lesson": armed.guard.lesson, "step": armed.guard.step, "record": armed.record},
            "\n".join(lines),
        )


def _proposed(memories: Memories, lesson: str) -> tuple[str, str]:
    """The form that the reader proposes for a lesson, for the call or for the end of the work; it is asked
    where somebody may be."""
    known = guarding.proposed_form(memories, memories.get(lesson))
    if known is None and (ask := guarding.reader_asks(memories)):
        guarding.propose_forms(memories, [memories.get(lesson)], ask)
        known = guarding.proposed_form(memories, memories.get(lesson))
    if known is None:
        return "", ""
    return ("", known.text) if known.end else (known.text, "")


def _check(args: Asked, cli: Cli, memories: Memories, form: str) -> Answer:
    """Try, or arm, what must be so at the end of the work."""
    if not form or args.what not in ("try", "check"):
        raise UsageError(
            "A check needs its form: tacit guard check ID --when-done FORM.",
            "Try it first: tacit guard try ID --when-done 'ran make test after src/*.py'",
        )
    check_of(form)  # before sessions are read for nothing
    sessions = _with_progress(cli, past_sessions(memories, args.days))
    if args.what == "try":
        check, record = finishing.try_check(memories, args.lesson, form, sessions)
        lines = [f"At the end of the work: {sentence(check)}.", record.said]
        lines += [
            f"  {each.verdict:5} {each.at[:10]}  {one_line(each.said, 90)}\n        {one_line(each.why, 120)}"
            for each in record.spoken[: 3 * _SHOWN]
        ]
        lines.append(f"From now on: tacit guard check {args.lesson} --when-done '{form}'")
        spoken = [dict(each.__dict__) for each in record.spoken]
        counts = {each: record.count(each) for each in (RIGHT, WRONG, MOOT)}
        data = {"says": sentence(check), "sessions": record.sessions, **counts, "spoken": spoken}
        return Answer(data, "\n".join(lines))
    armed = finishing.arm_check(memories, args.lesson, form, sessions)
    lines = [
        f"At the end of the work: {sentence(armed.check)}. {armed.record}",
        "Where it is not so the agent is sent back once in a turn; then you hear of it.",
        f"Only tell it again: tacit guard off {armed.lesson}",
    ]
    return Answer({"lesson": armed.lesson, "says": sentence(armed.check)}, "\n".join(lines))


def _off(memories: Memories, lesson: str) -> Answer:
    """A guard and a check of a lesson, each a note again."""
    armed = [each for each in finishing.checks(memories) if each.lesson == memories.get(lesson).id]
    if armed:
        off = finishing.disarm_check(memories, lesson)
        id, text = off.lesson, off.text
    if not armed or any(each.guard.lesson == armed[0].lesson for each in guarding.guards(memories)):
        guard = guarding.disarm_guard(memories, lesson)[0].guard
        id, text = guard.lesson, guard.text
    return Answer({"lesson": id, "step": "off"}, f"{id} is a note again: {one_line(text, 200)}")


def _with_progress(cli: Cli, sessions: list[Source]) -> Any:
    for n, each in enumerate(sessions):
        cli.progress(f"session {n + 1} of {len(sessions)}")
        yield each
    cli.progress()


def _list(memories: Memories) -> Answer:
    armed, could, checks = (
        guarding.guards(memories),
        guarding.guardable(memories),
        finishing.checks(memories),
    )
    lines = [
        f"{each.guard.lesson}  {_STEPS[each.guard.step]}: {one_line(each.guard.text, 140)}\n    {says(each.guard)}. {each.record}"
        for each in armed
    ]
    lines += [
        f"{each.lesson}  checked at the end of the work: {one_line(each.text, 120)}\n    {sentence(each.check)}. {each.record}"
        for each in checks
    ]
    if could:
        lines += [
            "" if lines else "No guard is armed.",
            "Lessons that code could check (tacit guard try ID):",
        ]
        lines += [f"{each.lesson}  {one_line(each.text, 140)}\n    {says(each)}" for each in could]
    text = "\n".join(lines) or "No guard is armed."
    rows = [
        {
            **picked(each.guard, "lesson step text"),
            "says": says(each.guard),
            **picked(each, "by at record"),
            "firings": dict(each.firings),
        }
        for each in armed
    ]
    return Answer(
        {
            "armed": rows,
            "checks": [
                {**picked(each, "lesson text by at record"), "says": sentence(each.check)}
                for each in checks
            ],
            "could": [{**picked(each, "lesson text"), "says": says(each)} for each in could],
        },
        text,
    )


def _data(guard: Guard, record: Record) -> dict[str, Any]:
    firings = [
        {name: at for name, at in each.__dict__.items() if name != "work"}
        for each in record.firings
    ]
    counts = {each: record.count(each) for each in (RIGHT, WRONG, MOOT)}
    return {
        "lesson": guard.lesson,
        "text": guard.text,
        "says": says(guard),
        "sessions": record.sessions,
        **counts,
        "unseen": record.unseen,
        "offered": offered(record),
        "firings": firings,
    }


def _shown(guard: Guard, record: Record, form: str) -> str:
    lines = [one_line(guard.text, 200), f"As a guard it {says(guard)}.", record.said]
    for verdict in (RIGHT, WRONG, MOOT):
        some = [each for each in record.firings if each.verdict == verdict]
        lines += [
            f"  {verdict:5} {each.at[:10]}  {one_line(each.call, 90)}\n        {one_line(each.why, 120)}"
            for each in some[:_SHOWN]
        ]
    if record.unseen:
        lines.append(
            f"{record.unseen} command lines could not be read by a guard (here-documents, sh -c, substitutions):"
            " it would not have fired there."
        )
    step, how = offered(record), f"{guard.lesson} --before '{form}'"
    if step:
        lines.append(f"Enough to {step}: tacit guard {step} {how}")
    else:
        lines.append(f"Not enough for a question: {why_not_offered(record)}. It stays a note.")
    return "\n".join(lines)
