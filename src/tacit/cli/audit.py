"""audit: what a run was given, and what came back, in an origin's own measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import WITHHELD_HERE, one_line, table, width, wrapped
from tacit.core.errors import UsageError
from tacit.core.value import replace
from tacit.hosts import run_in_shell
from tacit.learn import queries
from tacit.origins import knowing
from tacit.screens.views import audit_json
from tacit.screens.wording import CAME
from tacit.trial import proving
from tacit.trial.audit import by_subject

if TYPE_CHECKING:
    from tacit.trial.audit import GivenLesson

_SHORT = 8  # characters of a session's id at least


@verb(
    "audit",
    "what a run was given, and what came back",
    end="""With --check or --fail-on, RUN may also be the run's own file.

example:
  tacit origin audit events/r7.jsonl --fail-on regression""",
    long=True,
)
@arg(
    "run",
    metavar="RUN",
    required=False,
    help="a session's id or its beginning; without it the latest, a line each",
)
@opt("--check", is_flag=True, help="which given lessons did a finding repeat?")
@opt(
    "--fail-on",
    type=OneOf(("regression",)),
    help="exit 1 if a finding undoes a fix of the run before",
)
def audit_verb(args: Asked, cli: Cli) -> Answer:
    if args.check or args.fail_on:
        return _origins_audit(args, cli)
    with cli.open(args, create=False) as memories:
        found = proving.audit(memories, args.run or "")
        hidden = queries.withheld_in(memories, run_in_shell(cli.env))
        headline = [] if args.run else [proving.said_again(memories).sentence]
    for n, each in enumerate(found):
        lessons = (
            replace(one, text=WITHHELD_HERE) if one.memory in hidden else one
            for one in each.lessons
        )
        found[n] = replace(each, lessons=tuple(lessons))
    data: dict[str, Any] = {"runs": [audit_json(each) for each in found]}
    if not args.run:
        data["headline"] = headline
        lines = [line for said in headline for line in wrapped(said, 0, 118)]
        short = telling_length([each.run.foreign_id for each in found])
        rows = [
            [
                each.run.foreign_id[:short],
                each.run.started_at[:16].replace("T", " "),
                *_came(each.lessons),
                one_line(each.run.task, 200),
            ]
            for each in found
        ]
        if not rows:
            return Answer(data, "no session is known here yet")
        heads = ("session", "started", "given", "left out", "came back", "task")
        lines += [
            *([""] if lines else []),
            table(rows, heads),
            "",
            "tacit origin audit SESSION tells which lessons",
        ]
        return Answer(data, "\n".join(lines))
    [one] = found
    given, out, back = _came(one.lessons)
    lines = [*wrapped(f"{one.run.foreign_id}: {one_line(one.run.task, 200)}"), ""]
    if not one.lessons:
        return Answer(
            data, "\n".join([*lines, "No lesson was given to this session, and none left out."])
        )
    lines += [
        *wrapped(
            f"{given} given, {out} left out to compare; of those given the problem of {back} came back."
        ),
        "",
    ]
    rows = [
        [
            each.memory,
            "left out" if each.arm == "withheld" else "given",
            CAME.get(each.outcome, each.outcome) + (", cited" if each.cited else ""),
            one_line(each.text, 400),
        ]
        for each in one.lessons
    ]
    lines.append(table(rows, ("id", "lesson was", "its problem", "lesson"), flow=True))
    quoted = [
        f"{each.memory} came back: “{each.quote}”"
        for each in one.lessons
        if each.quote and each.memory not in hidden
    ]
    lines += ["", *(line for said in quoted for line in wrapped(said, 2, 118))] if quoted else []
    return Answer(data, "\n".join(lines))


def telling_length(ids: Sequence[str]) -> int:
    """How many characters tell these sessions apart, to be said to `tacit origin audit`: some hosts' ids begin with the time."""
    many = len(set(ids))
    return next(
        (
            n
            for n in range(_SHORT, max(map(len, ids), default=_SHORT))
            if len({id[:n] for id in ids}) == many
        ),
        1 << 10,
    )


def _came(lessons: Sequence[GivenLesson]) -> tuple[str, str, str]:
    """How many subjects were given, how many left out, and of how many lessons the problem came back."""
    given, out = by_subject(lessons)
    back = sum(each.outcome == "occurred" for each in lessons if each.arm != "withheld")
    return str(given), str(out), str(back)


def _origins_audit(args: Asked, cli: Cli) -> Answer:
    """An origin's own measures of one run: lessons that a finding repeated, fixes that came undone."""
    if not args.run:
        raise UsageError("Audit which run?", "Give its id or its file.")
    with cli.open(args, create=bool(args.fail_on)) as memories:
        back = knowing.regressions(memories, args.run) if args.fail_on else []
        checked = knowing.check(memories, args.run) if args.check else []
        names = {each.memory: memories.get(each.memory).alias or each.memory for each in checked}
    data = {
        "checks": [{**each.__dict__, "name": names[each.memory]} for each in checked],
        "regressions": [{**each.__dict__, "sentence": each.sentence} for each in back],
    }
    lines = [each.sentence for each in back]
    lines += [
        f"{each.signal:<11} {each.overlap:>3} %  {names[each.memory]}  {one_line(each.text, max(20, width() - 34))}"
        for each in checked
    ]
    return Answer(data, "\n".join(lines), code=1 if back else 0)
