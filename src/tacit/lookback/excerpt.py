"""A run without its steps: its problems, what they cost, and what it says. All that a look back
keeps of it.

A problem is what noticing says it is (`learn/failures`): its signature, how often it was met, and
the calls and minutes until the same thing passed. What the host's own tools refuse is counted and
is no problem of the project. Runs of one lineage, a session with its resumptions, forks and
sub-agents, are joined: they are one sighting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tacit.core import clock
from tacit.core.run import FAILURE, Incident, Run
from tacit.core.value import replace, value
from tacit.learn.failures import notice
from tacit.learn.floor import standing
from tacit.lesson import sound_text
from tacit.reading.echo import strip_echo
from tacit.safety.redact import private, redact
from tacit.safety.screen import screened
from tacit.words.diagnose import is_news, said_of

EARLIEST, LATEST = (
    clock.seconds("2000-01-01"),
    clock.seconds("2100-01-01"),
)  # other times are a broken clock's
_LONGEST = 220  # characters of a text that is shown


@value
class Home:
    """The project of a run."""

    key: str  # equal for the same project
    name: str
    path: str = ""


@value
class Spent:
    """What was spent between failures and overcoming them. Each call counts for one problem
    only, so sums are true."""

    calls: int = 0
    seconds: float = 0.0
    tokens: int | None = None  # new ones, without cache reads; None where the host recorded none


@value
class Trouble:
    """One problem in one session."""

    key: str  # equal for the same problem of a project
    label: str  # for people, redacted
    failed: int = 1  # calls
    spent: Spent = Spent()
    nature: str = ""  # as `words/diagnose.py` says; what is no news counts as the work in hand


@value
class Excerpt:
    """What is kept of a run."""

    unit: str
    home: Home
    started: float  # Unix time; 0 where the host recorded none
    ended: float
    troubles: tuple[Trouble, ...] = ()
    said: tuple[str, ...] = ()  # standing sentences that the person typed, redacted
    tool_calls: int = 0
    failed_calls: int = 0
    passed_over: int = 0  # of the failed ones: the host's own protocol
    noticed: tuple[Incident, ...] = ()
    runs: frozenset[tuple[str, str]] = frozenset()  # host and its own id of each run that is in it
    apart: bool = False  # a sub-agent's own file: it repeats nothing of its session's


def home_by_folder(run: Run) -> Home:
    """The project of a run by the text of its folder alone."""
    folder = run.cwd or run.project or run.path.replace("\\", "/").rpartition("/")[0]
    return Home(folder, folder.rstrip("/").rpartition("/")[2] or folder or "unknown", folder)


def excerpt(run: Run, home: Home) -> Excerpt:
    """A run without its steps: its problems and their cost, and what it says."""
    run = strip_echo(run, ())
    noticed = notice(run)
    calls = [step for step in run.steps if step.tool and step.role != "system"]
    said = tuple(_said(run))
    troubles = tuple(_troubles(run, noticed, len(calls)))
    if run.outcome == "failure" and not troubles:
        told = run.task_id or run.task
        troubles = (
            Trouble(
                f"task\n{told or run.id}", safe_excerpt(f"the run failed: {told or run.id}"), 0
            ),
        )
    started = _moment(run.started_at)
    return Excerpt(
        unit=f"{run.host} {run.lineage or run.root or run.id}",
        home=home,
        started=started,
        ended=max(started, _moment(run.ended_at)),
        troubles=troubles,
        said=said,
        tool_calls=len(calls),
        failed_calls=sum(bool(step.error) and not step.interrupted for step in calls)
        + sum(each.count for each in noticed if each.soft),
        passed_over=sum(each.count for each in noticed if each.nature == "host"),
        noticed=noticed,
        runs=frozenset([(run.host, run.id)]),
        apart=bool(run.agent and run.root),
    )


def _moment(text: str) -> float:
    """A time as the host wrote it; 0 where it wrote none, or one in which there were no agents."""
    at = clock.seconds(text)
    return at if EARLIEST <= at < LATEST else 0.0


def _troubles(run: Run, noticed: Sequence[Incident], calls: int) -> Iterator[Trouble]:
    """Each problem of the run with its cost."""
    cost = run.cost
    fresh = (cost.input + cost.output + cost.cache_write) / calls if cost and calls else None
    for each in noticed:
        if each.kind == FAILURE and each.nature != "host" and each.family != "silent":
            tokens = None if fresh is None else round(fresh * each.calls)
            yield Trouble(
                each.mark,
                safe_excerpt(_label(each)),
                each.count,
                Spent(each.calls, float(each.seconds), tokens),
                each.nature if is_news(each) else "work",
            )


def _label(of: Incident) -> str:
    return f"{of.program}: {said_of(of) or of.line or of.mark}"


def _said(run: Run) -> Iterator[str]:
    for finding in standing(run):
        text = redact(private(sound_text(finding.text))).text
        if screened(text).clean:
            yield text


def safe_excerpt(text: str, limit: int = _LONGEST) -> str:
    """A text for people: secrets out, one line, nothing that a terminal obeys, cut."""
    safe = redact(private(sound_text(text))).text
    flat = " ".join("".join(c if c.isprintable() else " " for c in safe).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


# --- one session --------------------------------------------------------------------------------------------------------


def sessions(excerpts: Iterable[Excerpt]) -> list[Excerpt]:
    """Runs of one unit as one, in the order they began; those without a time first, as they
    came."""
    units: dict[str, Excerpt] = {}
    for each in excerpts:
        units[each.unit] = _joined(units[each.unit], each) if each.unit in units else each
    return sorted(units.values(), key=lambda each: each.started)


def _joined(one: Excerpt, other: Excerpt) -> Excerpt:
    # A resumed session repeats the records of the one before it: of two counts of the same thing
    # the larger holds both.
    both = _add if one.apart or other.apart else max
    first, second = (other, one) if 0 < other.started < one.started else (one, other)
    troubles = {each.key: each for each in first.troubles}
    for each in second.troubles:
        known = troubles.get(each.key)
        troubles[each.key] = each if known is None else _met_twice(known, each, both is _add)
    said = dict.fromkeys((*first.said, *second.said))
    return replace(
        first,
        ended=max(one.ended, other.ended),
        troubles=tuple(troubles.values()),
        said=tuple(said),
        noticed=tuple(
            {(each.kind, each.mark): each for each in (*second.noticed, *first.noticed)}.values()
        ),
        tool_calls=both(one.tool_calls, other.tool_calls),
        failed_calls=both(one.failed_calls, other.failed_calls),
        passed_over=both(one.passed_over, other.passed_over),
        runs=one.runs | other.runs,
        apart=one.apart and other.apart,
    )


def _add(one: int, other: int) -> int:
    return one + other


def _met_twice(one: Trouble, other: Trouble, apart: bool) -> Trouble:
    if apart:
        return replace(one, failed=one.failed + other.failed, spent=plus(one.spent, other.spent))
    return max(one, other, key=lambda each: (each.spent.calls, each.failed))


def median(spent: Sequence[Spent]) -> Spent:
    """What one of several expenses typically comes to: each figure's median. A sum is ruled by
    the one that ran away."""
    if not spent:
        return Spent()
    known = sorted(each.tokens for each in spent if each.tokens is not None)
    calls, seconds = sorted(each.calls for each in spent), sorted(each.seconds for each in spent)
    return Spent(
        calls[(len(calls) - 1) // 2],
        seconds[(len(seconds) - 1) // 2],
        known[(len(known) - 1) // 2] if known else None,
    )


def plus(one: Spent, other: Spent) -> Spent:
    """Two expenses together."""
    known = [tokens for tokens in (one.tokens, other.tokens) if tokens is not None]
    return Spent(
        one.calls + other.calls, one.seconds + other.seconds, sum(known) if known else None
    )
