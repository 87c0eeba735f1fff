"""stats and report, and what doctor says of the memory itself: is it well, and what should somebody look at?"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit import __version__
from tacit.app import Memories, data_folder
from tacit.core import clock
from tacit.core.errors import numbered
from tacit.core.profile import Profile
from tacit.stores.cache import MOST_WAITING, OLDEST_DAYS
from tacit.stores.check import counts
from tacit.stores.counts import runs_known
from tacit.stores.incidents import commonest
from tacit.stores.queue import failed_jobs
from tacit.stores.rebuild_cache import cache_faults
from tacit.stores.sql import Store
from tacit.surfaces import sharing
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.lessons import moment
from tacit.surfaces.cli.parsing import declared
from tacit.surfaces.cli.words import one_line, table
from tacit.surfaces.one_screen import OneScreen, ProblemRow, one_screen, screen_json
from tacit.surfaces.selection import Counted, counted, counted_words
from tacit.surfaces.views import cache_json, for_you
from tacit.surfaces.weekly_figures import spared
from tacit.surfaces.wording import CLOSED_WORDS, EVENTS_COUNTED, WHOSE

if TYPE_CHECKING:
    from tacit.tend.stats import Figures


def _stats(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        found = seen(memories, moment(args.since))
        store, project = memories.store, memories.project_id
        sealed = store.sealed(project)
        kinds = {"journal": "journal", "evidence": "evidence", "uses": "use"}
        totals = {"memories": sum(found.states.values())} | {
            name: sealed.get(at, 0) for name, at in kinds.items()
        }
        totals["runs"] = runs_known(store, project)
        columns, noticed, count = (
            counts(store, project),
            commonest(store, project),
            counted(memories),
        )
    proposals = {
        "proposals": sum(found.proposals.values()),
        "proposals_by_kind": dict(found.proposals),
    }
    data = {**figures_json(found), **columns, **totals, **proposals, "noticed": noticed}
    return Answer(data, table(_rows(found, columns, totals, count), flow=True))


_KEPT = (("evidence", "sighting"), ("uses", "use"), ("journal", "change"))


def _rows(
    found: Figures,
    columns: Mapping[str, Mapping[str, int]],
    totals: Mapping[str, int],
    count: Counted,
) -> list[list[str]]:
    """The same for people; the inner words are in --json."""
    kept = sum(columns["state"].values())
    rows = [
        ["lessons", f"{kept:,}: {counted_words(count)}" if kept else "none yet"],
        ["kinds", _counts(columns["kind"])],
        ["given", _counts(columns["category"])],
        ["from", _counts(columns["trust"], WHOSE)],
        ["does it help?", _counts(columns["verdict"])],
        ["sessions", f"{totals['runs']:,} learned"],
        ["kept of them", ", ".join(numbered(totals[name], one) for name, one in _KEPT)],
        [
            "findings",
            f"{found.findings:,}, {found.fallback_rate:.1%} could not be judged"
            if found.findings
            else "",
        ],
        ["waiting", _waiting(found, count)],
        [
            "of age",
            f"{found.stale:,} of {found.active:,} not met for long, {found.gone:,} name what is gone, {found.merged:,} joined",
        ],
        ["model", _model(found.model) if found.model else "none"],
        ["counted", "; ".join(event_in_words(name, n) for name, n in found.events.items())],
        ["last tended", found.tended[:16].replace("T", " ") or "never"],
    ]
    return [row for row in rows if row[1] not in ("-", "")]


def _report(args: argparse.Namespace, cli: Cli) -> Answer:
    if args.html is not None or args.team:
        return _page(args, cli)
    with cli.open(args, create=False) as memories:
        found = seen(memories, moment(args.since))
        told = memories.alarms(found)
        prevented = _prevented(memories)
        yours, screen = for_you(memories), one_screen(memories, since=moment(args.since))
    data = {**figures_json(found), "prevented": prevented, "alarms": list(told)}
    data |= {"for_you": yours, "screen": screen_json(screen)}
    return Answer(
        data, _markdown(found, screen, prevented, told, yours), code=1 if args.alarm and told else 0
    )


def _page(args: argparse.Namespace, cli: Cli) -> Answer:
    """The same as one file for a browser."""
    from tacit.surfaces.cli.settings_file import written

    with cli.open(args, create=False) as memories:
        since, at = moment(args.since), memories.now()
        page = sharing.report(memories, since, team=args.team, version=__version__)
        alarms = memories.alarms(seen(memories, since)) if args.alarm else ()
        name = memories.project.name if memories.project else "no project"
    path = written(args.html or _own_place(cli.env, name, at), page)
    data = {"html": path, "since": since, "team": args.team, "alarms": list(alarms)}
    return Answer(data, f"report written: {path}", code=1 if alarms else 0)


def _own_place(env: Mapping[str, str], project: str, at: str) -> str:
    """Where a report goes that nobody named a file for: beside the store, so that it lands in no repository."""
    folder = os.path.join(data_folder(env), "reports")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return os.path.join(
        folder,
        f"{re.sub(r'[^A-Za-z0-9._-]+', '-', project).strip('-.') or 'report'}-{at[:10]}.html",
    )


def _prevented(memories: Memories) -> dict[str, Any]:
    """What the control group says of the whole memory, as JSON."""
    found = memories.effect()
    told = spared(found)
    span = {"low": found.whole.low, "high": found.whole.high} if told.is_known else {}
    per_run = found.whole.per_run if told.is_known else None
    return {
        "per_run": per_run,
        **span,
        "units": told.units,
        "told": told.told,
        "headline": found.headline,
    }


def seen(memories: Memories, since: str) -> Figures:
    """The figures of this project, with the worker's failures."""
    waiting = [
        f"{each['job']}: {one_line(each['error'], 120)}" for each in failed_jobs(memories.near)
    ]
    return memories.statistics(since, waiting)


def figures_json(found: Figures) -> dict[str, Any]:
    """Figures for --json."""
    plain = {name: dict(at) if isinstance(at, dict) else at for name, at in found.__dict__.items()}
    return {
        **plain,
        "fallback_rate": round(found.fallback_rate, 4),
        "stale_share": round(found.stale_share, 4),
    }


def doctor_lines(found: Figures, profile: Profile, count: Counted) -> list[str]:
    """What doctor tells of the memory, beside the store's soundness."""
    gone = f", {found.gone} name what is gone" if found.gone else ""
    tended = found.tended[:16].replace("T", " ") or "never"
    closed = [
        f"{n:,} {CLOSED_WORDS[state]}"
        for state, n in found.states.items()
        if n and state in CLOSED_WORDS
    ]
    lessons = ", ".join([counted_words(count), *closed])  # by how people say they stand
    lines = [f"{lessons}{gone}", f"{_waiting(found, count)}; last tended: {tended}"]
    if "standing" not in profile.columns:  # a ladder of its own is told in its own words
        lines += [f"{id} did not rise: {why}" for id, why in found.stuck[:3]]
    lines += [f"not learned: {failure}" for failure in found.failures[:5]]
    if found.model:
        lines.append(f"model: {_model(found.model)}")
    told = [_tier(name, at) for name, at in found.tiers.items() if at["decided"]]
    return [*lines, f"decided without you: {'; '.join(told)}"] if told else lines


# why a model gave no answer that could be used, as its failures are counted
_REFUSALS = {
    "exit": "its program ended with an error (over a limit, say)",
    "timeout": "no answer in time",
    "garbage": "an answer in another form",
    "refused": "it refused",
    "budget": "the day's or month's tokens were used up",
    "dead": "it could not be started or reached",
    "paused": "left alone after failures",
}


def _model(counted: Mapping[str, int]) -> str:
    """What a model was asked and what became of it."""
    named = {
        "model.calls": "calls",
        "model.tokens.in": "tokens sent",
        "model.tokens.out": "tokens received",
    }
    why = {
        name.removeprefix("model.failures."): n
        for name, n in counted.items()
        if name.startswith("model.failures.") and n
    }
    reasons = ", ".join(f"{_REFUSALS.get(name, name)} {n:,}x" for name, n in why.items())
    told = [f"{counted[name]:,} {said}" for name, said in named.items() if counted.get(name)]
    return (
        ", ".join([*told, *([f"failed or left out: {reasons}"] if why else [])]) or "not asked yet"
    )


def checked_cache(near: Store) -> dict[str, Any] | None:
    """The same, with whatever does not verify in it."""
    told = cache_json(near)
    return told and {**told, "faults": [fault.__dict__ for fault in cache_faults(near)]}


def cache_lines(cache: Mapping[str, Any], head: str = "cache: ") -> list[str]:
    """The same for people."""
    lines = [
        f"{head}{numbered(cache['lessons'], 'lesson')} of {numbered(cache['projects'], 'project')}, fetched {_ago(cache['refreshed_at'])};"
        f" {numbered(cache['outbox'], 'record waits', 'records wait')} to be carried, last {_ago(cache['carried_at'])}"
    ]
    return [
        *lines,
        f"  {cache['path']}",
        *(
            [f"  the last attempt, {_ago(cache['tried_at'])}: {cache['error']}"]
            if cache["error"]
            else []
        ),
    ]


def cache_alarms(cache: Mapping[str, Any] | None) -> list[str]:
    """What should not stay so."""
    if cache is None:
        return []
    told = []
    age = clock.days_between(cache["refreshed_at"], clock.now())
    if age > 1:
        told.append(
            f"the cache was last brought in step {age:.0f} days ago; after {OLDEST_DAYS:.0f} days hooks give nothing"
        )
    if cache["outbox"] > MOST_WAITING / 2:
        told.append(
            f"{numbered(cache['outbox'], 'record waits', 'records wait')} for the server; at {MOST_WAITING:,} hooks give nothing"
        )
    if cache["faults"]:
        told.append(
            f"{numbered(len(cache['faults']), 'fault')} in the cache; tacit doctor --repair makes it anew and carries it again"
        )
    if cache["left"]:
        told.append(
            f"{numbered(cache['left'], 'record')} not taken by the server; once you may write: tacit doctor --repair"
        )
    return told


def cache_alone(near: Memories, away: str) -> Answer:
    """What doctor can tell while the server does not answer."""
    with near:
        cache = checked_cache(near.store)
    assert cache is not None
    lines = [
        away,
        "hooks go on from this machine's cache; nothing was verified",
        *cache_lines(cache),
    ]
    data = {"store": cache["path"], "sound": None, "server": away, "cache": cache}
    return Answer(data, "\n".join(lines), code=4, warnings=cache_alarms(cache))


def _ago(at: str) -> str:
    """How long ago a time was, as one says it."""
    if not at:
        return "never"
    seconds = max(0.0, clock.seconds(clock.now()) - clock.seconds(at))
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


def _tier(name: str, at: Mapping[str, Any]) -> str:
    agreed = f"{at['agreed']} of the last {at['last']} as people and outcomes had it"
    agreed = agreed if at["last"] else "nothing came of them yet"
    return f"{name} decided {at['decided']} ({agreed}), {'alone' if at['autonomous'] else 'as advice only'}"


def _markdown(
    found: Figures,
    screen: OneScreen,
    prevented: Mapping[str, Any],
    alarms: Sequence[str],
    yours: Sequence[Mapping[str, Any]],
) -> str:
    """The one screen as a page of Markdown, with what was spared and spent, and what asks for attention."""
    lines = [f"# {screen.project or 'no project yet'}: {found.since[:10]} to {found.at[:10]}", ""]
    lines += [f"{screen.stands}. {screen.week}".strip(), "", f"- **Spared** {prevented['told']}"]
    lines += [
        f"  - {line.strip()}"
        for line in prevented.get("headline", ())
        if line.strip() != prevented["told"]
    ]
    spent = found.model.get("model.tokens.in", 0) + found.model.get("model.tokens.out", 0)
    lines.append(f"- **Tokens** {found.tokens:,} given to agents, {spent:,} spent on models")
    if found.harmful:
        lines.append(f"- **Harmful** {numbered(len(found.harmful), 'lesson')}")
        lines += [f"  - {id} {one_line(text, 80)}" for id, text in found.harmful[:3]]
    titles = (
        ("What agents hear", screen.told),
        *screen.shelves,
        ("Came back, nothing known yet", screen.unknown),
    )
    for title, rows in titles:
        lines += ["", f"## {title}", "", *map(_row_line, rows)] if rows else []
    mended = [
        each["line"] for each in yours if each["line"]
    ]  # what only the person can mend, where one line would do
    lines += ["", "## Lines to mend", ""] if mended else []
    lines += [
        f"- {each['file']}, line {each['number']}, would read: {one_line(each['after'], 600)}"
        for each in mended
    ]
    look = (
        ["**Look at:**", *(f"- {alarm}" for alarm in alarms)]
        if alarms
        else ["Nothing else asks for attention."]
    )
    return "\n".join([*lines, "", *look])


def _row_line(row: ProblemRow) -> str:
    """One problem or wish, as an item of a list."""
    hears = f" → {one_line(row.arrow, 700)}" if row.arrow else ""
    since = f" (since then {row.since} came back{' ✓' if row.proven else ''})" if row.since else ""
    stands = f" ({row.stands})" if row.stands else ""
    cost = f" · {row.cost}" if row.cost else ""
    return f"- {one_line(row.problem, 300)}{cost}{hears}{stands}{since}"


def _waiting(found: Figures, count: Counted) -> str:
    days = numbered(round(found.oldest), "day") if found.proposals and found.oldest >= 1 else ""
    oldest = f" (the oldest for {days})" if days else ""
    return f"{numbered(count.needs_word, 'question')} for you{oldest}{': tacit review' if count.needs_word else ''}"


def _counts(found: Mapping[str, int], words: Mapping[str, str] | None = None) -> str:
    """So many of each; what stands under one word is added up."""
    told: dict[str, int] = {}
    for name, n in found.items():
        word = (words or {}).get(name, name) or "of no kind"
        told[word] = told.get(word, 0) + n
    return ", ".join(f"{n:,} {word}" for word, n in told.items() if n) or "-"


def event_in_words(name: str, n: int) -> str:
    """A counted event in words; one that has none here by its name."""
    return (
        f"{n:,} {EVENTS_COUNTED[name]}"
        if name in EVENTS_COUNTED
        else f"{name.replace('_', ' ')}: {n:,}"
    )


COMMANDS = declared({"stats": _stats, "report": _report})
