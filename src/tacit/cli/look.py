"""log, why, reindex, projects, config: looking, never changing what is remembered."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.app import Memories, config_path, store_path
from tacit.app.opened import acting, keys_path
from tacit.app.settings import settings_at
from tacit.cli import Answer, Cli
from tacit.cli.lessons import moment
from tacit.cli.parsing import declared, did_you_mean
from tacit.cli.review import proposal_shown
from tacit.cli.settings_file import set_keys
from tacit.cli.words import (
    WIDEST,
    entry_line,
    hung,
    one_line,
    paint,
    parts_line,
    table,
    wrapped,
)
from tacit.core.config import CONFIG_KEYS, settle
from tacit.core.errors import Refused, UsageError, numbered
from tacit.core.journal import Entry
from tacit.core.links import CONFIRMED, FIRED, Mark
from tacit.core.memory import Memory, met_in
from tacit.core.profile import Profile
from tacit.hosts import run_in_shell
from tacit.screens.numbers import is_number, seen_whole
from tacit.screens.one_screen import came_up, moment_words
from tacit.screens.passing import lesson_meant, meant, question_meant
from tacit.screens.quoted import last_said
from tacit.screens.selection import is_given, need_seen
from tacit.screens.views import entry_json, picked, why_json
from tacit.screens.wording import (
    BY_NOTICE,
    ahead,
    change_lines,
    held_words,
    seen,
    standing_words,
    subject_words,
)
from tacit.stores import counts, places
from tacit.stores.identity import locate
from tacit.trial.statement import reached_in

UNMEASURED = "Not measured yet."  # what `prove` says of a lesson without a single outcome
_CUT_FROM = 110  # characters of a complaint from which on its end is missing
SIGHTINGS = 5  # pieces of evidence that are shown; thirty alike hide the answer
CHANGES_SHOWN = 5  # changes likewise


# -- log -----------------------------------------------------------------------------------------


def _log(args: argparse.Namespace, cli: Cli) -> Answer:
    if args.note:
        with cli.open(args) as memories:
            entry = memories.note(args.note, reason=args.reason or "")
        return Answer(entry_json(entry), f"noted: {one_line(entry.reason, 100)}")
    with cli.open(args, create=False) as memories:
        memory = memories.store.resolve(args.memory, memories.project_id) if args.memory else ""
        found = memories.log(
            memory=memory,
            verb=args.verb or "",
            by=args.by or "",
            run=args.run or "",
            since=moment(args.since),
            newest=True,
            limit=max(0, args.tail),
            everywhere=args.all_projects,
        )[::-1]
        if args.follow:
            return _follow(memories, found, cli)
    text = table([*map(entry_line, found)]) or "the journal has no such entry"
    return Answer({"entries": [*map(entry_json, found)]}, text)


def _follow(memories: Memories, found: list[Entry], cli: Cli) -> Answer:
    last = 0
    while True:
        for entry in found:
            last = max(last, entry.id)
            said = (
                json.dumps(entry_json(entry), ensure_ascii=False)
                if cli.json
                else "  ".join(entry_line(entry))
            )
            cli.out.write(f"{said}\n")
        cli.out.flush()
        time.sleep(0.5)
        found = memories.log(after=last)


# -- why -----------------------------------------------------------------------------------------


def _why(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        asked = question_meant(memories, meant(memories, args.id))
        if asked is not None and not asked.memory:
            return proposal_shown(memories, cli, asked)
        found = memories.why(
            lesson_meant(memories, args.id), args.question, run=run_in_shell(cli.env)
        )
        need_seen(memories, found.memory)
        fired = any(mark.signal == FIRED for mark in memories.store.marks(memory=found.memory.id))
        effects = memories.effect(found.memory.id) if found.uses or fired else None
        known = next((each.known for each in effects.lessons), None) if effects else None
        replays = memories.replayed(found.memory.id)
        profile, at_starts = memories.profile, memories.is_told_at_starts(found.memory)
        if cli.out.isatty() and not cli.json:
            seen_whole(memories, found.memory.id)
        said = last_said(memories, found.evidence, [one for one, _ in found.met], found.memory.text)
        days = {
            found.runs[run]: row.started_at[:10]
            for run in found.runs
            if (row := memories.store.run(run))
        }
    data = why_json(found, args.question)
    data["met"] = [{**each, "last": said.get(each["mark"])} for each in data["met"]]
    data["days"] = days
    data["effect"] = known.sentence if known and found.uses else None
    data["quotes"] = [list(quote) for quote in known.quotes] if known and found.uses else []
    data["guard"] = effects.guards.sentence if effects and effects.guards else None
    data["replays"] = replays
    data["standing"] = standing_words(found.memory, profile).words
    data["told"] = moment_words(found.memory, at_starts, 99) if is_given(found.memory) else None
    return Answer(data, _why_text(cli, found.memory, data, profile, args))


def _why_text(
    cli: Cli, memory: Memory, data: dict[str, Any], profile: Profile, args: argparse.Namespace
) -> str:
    said, full, name = standing_words(memory, profile), args.full, args.id
    lines = [*wrapped(memory.text or "(erased)", 0, 118), ""]
    signer = f", signed by {data['signer']}" if data["signer"] else ""
    words = "in force" if said.words == "found once" else said.words
    given = ", in force" if said.words.startswith("on trial") else ""
    met = came_up(memory) or seen(memory)
    called = paint(cli, "id", f"{name} ({memory.id})" if is_number(name) else memory.id)
    lines.append(f"{called}  {paint(cli, said.tone, words)}{given}, {memory.kind}, {met}{signer}")
    lines += wrapped(f"Told {data['told']}.", 0, 118) if data["told"] else []
    # what the control group says, unless how it stands has said so already
    known = said.words in ("your word", "always given", "in your files") or data["effect"] in (
        None,
        UNMEASURED,
    )
    lines += [] if known else wrapped(data["effect"], 0, 118)
    if memory.gate != "allow" and memory.gate_reason:
        lines += wrapped(f"Not given: {held_words(memory.gate_reason)}", 0, 118)
    if memory.about:
        lines += wrapped(subject_words(memory), 0, 118)
    if data["gone"]:
        lines.append(f"names what is gone, and is ranked lower for it: {', '.join(data['gone'])}")
    places = [
        f"  {name} {one_line(where, 200)}"
        for name in ("task", "place")
        if (where := met_in(memory, name))
    ]
    if data["evidence"] or places:
        lines += ["", paint(cli, "bold", "Where it comes from"), *places]
        short = [*_met(data["met"]), *_sightings(data["evidence"], bool(data["met"]), data["days"])]
        told = [_sighting(row) for row in data["evidence"]] if full else short
        lines += [line for each in told[: None if full else SIGHTINGS] for line in each]
        if len(told) > SIGHTINGS and not full:
            lines.append(f"  and {len(told) - SIGHTINGS} more: tacit why {name} --full")
    came = [_uses(data)] if data["uses"] else []
    came += [f"  {day} “{words}”" for day, words in data["quotes"]]
    came += [data["guard"]] if data["guard"] else []
    came += [
        f"Done again in pairs on {each['day']}: {each['sentence']}" for each in data["replays"]
    ]
    if came:
        lines += [
            "",
            paint(cli, "bold", "What came of it"),
            *(line for said in came for line in hung("  ", said, WIDEST)),
        ]
    lines += ["", paint(cli, "bold", "What would change it")]
    next_step = ahead(memory, profile, data["next"], bool(data["replays"]))
    next_step = next_step.replace(f" {memory.id}", f" {name}") if name.isdecimal() else next_step
    lines += hung("  ", next_step, WIDEST)
    if full or data["score"]["question"]:
        lines += _inner(cli, memory, data) if full else _score(cli, data["score"])
        return "\n".join(lines)
    journal = data["journal"]
    lines += ["", paint(cli, "bold", "Its history")]
    # the same on the same day is one
    changes = list(dict.fromkeys((entry["at"][:10], *change_lines(entry)) for entry in journal))
    lines += [table([[f"  {day}", *rest] for day, *rest in changes[-CHANGES_SHOWN:]])]
    more = f"{len(changes) - CHANGES_SHOWN} earlier, " if len(changes) > CHANGES_SHOWN else ""
    return "\n".join(
        [*lines, paint(cli, "quiet", f"  {more}reasons and inner states: tacit why {name} --full")]
    )


def _met(failures: Sequence[dict[str, Any]]) -> list[list[str]]:
    """What was noticed, as it was recognised: how many sessions met it, and what the last of them said."""
    found = []
    for each in failures:
        lines = hung("  ", f"{numbered(each['sessions'], 'session')}: {each['said']}", WIDEST)
        if last := each["last"]:
            said = f"{last['day']}, session {last['session'][:8]}: `{last['command']}` said “{last['line']}”"
            lines += hung("    ", said, WIDEST)
        found.append(lines)
    return (
        [*found, ["  (a session may have met more than one of these)"]]
        if len(failures) > 1
        else found
    )


def _sightings(
    evidence: Sequence[dict[str, Any]], counted: bool, days: Mapping[str, str]
) -> list[list[str]]:
    """What speaks for it and against it, the same words once, with how many sessions said so; what is `counted` by its failures is not
    told again."""
    alike: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in evidence:
        if row["signal"] != CONFIRMED and not (counted and row["by"] == BY_NOTICE):
            alike.setdefault((row["stance"], row["quote"], row["by"]), []).append(row)
    found: dict[str, list[str]] = {}
    for (stance, quote, by), rows in sorted(
        alike.items(), key=lambda each: (each[0][0] == "supports", -len(each[1]))
    ):
        runs = sorted({row["run"] for row in rows if row["run"]})
        last = max([days.get(run, "") for run in runs] + [""]) or rows[0]["at"][:10]
        where = f"session {one_line(runs[0], 40)} of {last}" if runs else f"by hand, {last}"
        where = f"{numbered(len(runs), 'session')}, the last of {last}" if len(runs) > 1 else where
        against = "" if stance == "supports" else "against it: "
        who = (
            f", {'heard by the model that reads' if by == 'reader' else by}"
            if by and by != "notice"
            else ""
        )
        # behind what was noticed stands what it was recognised as, and a long one was cut
        words = quote.rpartition(": ")[0] or quote if by == BY_NOTICE else quote
        words = (
            f"{words.rpartition(' ')[0]} …" if by == BY_NOTICE and len(words) > _CUT_FROM else words
        )
        quoted = hung("    ", f"“{one_line(words, 300)}”", WIDEST) if quote else []
        found.setdefault(f"  {against}{where}{who}", []).extend(quoted)
    return [[head, *quoted] for head, quoted in found.items()]


def _sighting(row: dict[str, Any]) -> list[str]:
    told = f"  {row['stance']} {row['run'] or '(no run)'} {row['place']} by {row['by'] or '?'} ({row['tier']}) {row['at'][:10]}"
    quote = one_line(row["quote"], 200)
    said = f"recognised: {quote}" if row["by"] == BY_NOTICE else f"“{quote}”"
    return [told, f"    {said}"] if row["quote"] else [told]


def _uses(data: dict[str, Any]) -> str:
    """Given so often, left out so often, and of the sessions that came to its moment, in how many its problem came."""
    given = {use["unit"] for use in data["uses"] if use["arm"] != "withheld"}
    out = len({use["unit"] for use in data["uses"]} - given)
    marks = [Mark(**mark) for mark in data["marks"] if mark["unit"] in given]
    last = {mark.unit: mark for mark in marks if mark.signal == "outcome"}
    back = sum(mark.value == "occurred" for mark in last.values())
    reached = reached_in(last.values(), marks)
    came = f"; its problem came back in {back} of the {reached} that came to its moment"
    came = came if reached else "; none is known to have come to its moment yet"
    told_of = f"given in {numbered(len(given), 'session')}{came if given else ''}"
    return told_of + (f"; left out in {out} to compare" if out else "")


def _inner(cli: Cli, memory: Memory, data: dict[str, Any]) -> list[str]:
    """What programs and the curious want: states, trust, arms, the whole journal."""
    lines = ["", paint(cli, "bold", "Inner states")]
    gate = memory.gate + (f" ({memory.gate_reason})" if memory.gate_reason else "")
    lines.append(
        f"  state {memory.state}, trust {memory.trust}, {gate}, verdict {memory.verdict}, class {memory.klass}"
    )
    lines.append(f"  ladder: {data['next']}")
    if data["early_confidence"] is not None:
        lines.append(
            f"  early confidence {data['early_confidence']:g}: by how many runs met it, before anything was measured"
        )
    arms: dict[str, int] = {}
    for use in data["uses"]:
        arms[use["arm"]] = arms.get(use["arm"], 0) + 1
    lines += [f"  uses: {', '.join(f'{n} {arm}' for arm, n in arms.items())}"] if arms else []
    entries = []
    for entry in data["journal"]:
        before, after = entry["before"] or {}, entry["after"] or {}
        moved = (
            f"{before.get('state', '')} → {after['state']}: " if before and "state" in after else ""
        )
        told = [f"  {entry['id']}", entry["at"][:19].replace("T", " "), entry["verb"], entry["by"]]
        entries.append([*told, moved + one_line(entry["reason"], 400)])
    return [*lines, *_score(cli, data["score"]), "", paint(cli, "bold", "Journal"), table(entries)]


def _score(cli: Cli, score: dict[str, Any]) -> list[str]:
    if score["question"]:
        head, told = (
            f"Its score for “{one_line(score['question'], 60)}”",
            f"{score['score']:.3g} = {parts_line(score)}",
        )
    else:
        head, told = (
            "In every score of it",
            parts_line({"fits": {"what fits": 1}, "known": score["known"]}),
        )
    return ["", paint(cli, "bold", head), "  " + told]


# -- reindex ---------------------------------------------------------------------------------


def _reindex(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        n = memories.reindex()
    return Answer({"memories": n}, f"rebuilt full text and counts of {numbered(n, 'lesson')}")


# -- projects, config -------------------------------------------------------------------


def _projects(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        here = memories.project_id
        sizes = counts.memories_by_project(memories.store)
        found: list[dict[str, Any]] = [
            {
                **picked(p, "id name"),
                "root": p.root or None,
                "remote": p.remote or None,
                "memories": sizes.get(p.id, 0),
                "runs": p.run_seq,
                "here": p.id == here,
            }
            for p in memories.store.projects()
        ]
    shown = [p for p in found if p["memories"] or p["id"] not in SHARED_BY]
    named = [["*" if p["here"] else " ", p["id"], SHARED_BY.get(p["id"], p["name"])] for p in shown]
    rows = [
        [*at, str(p["memories"]), str(p["runs"]), p["root"] or p["remote"] or ""]
        for at, p in zip(named, shown)
    ]
    return Answer(
        {"projects": found}, table(rows, (" ", "id", "name", "lessons", "sessions", "where"))
    )


# rows of their own, told of once they hold something
SHARED_BY = {"@global": "every project", "@agent": "one agent, everywhere"}


def _key(args: argparse.Namespace, cli: Cli) -> Answer:
    """A key for a program, or the names of those there are."""
    path = keys_path(cli.env)
    if not args.name:
        found = sorted(set(places.key_names(path).values()))
        return Answer(
            {"names": found}, "\n".join(found) or "no keys yet: tacit config key NAME makes one"
        )
    cli.need_person(args, "Making a key")
    if args.off:
        gone = places.take_back(args.name, path)
        return Answer(
            {"name": args.name, "taken_back": gone},
            f"{numbered(gone, 'key')} of {args.name} taken back",
        )
    key = places.make(args.name, path)
    told = (
        f"{key}\n\nIt is shown this once. The program sets TACIT_KEY to it and acts as {args.name}."
    )
    return Answer({"name": args.name, "key": key}, told)


def _set(args: argparse.Namespace, cli: Cli) -> Answer:
    """One setting in the user's own file, as its person."""
    path, name = config_path(cli.env), args.name
    if name not in CONFIG_KEYS or args.value is None:
        found = (
            f"{name!r} is not a setting" if name not in CONFIG_KEYS else f"{name} is set to what?"
        )
        raise UsageError(
            f"tacit config set: {found}.",
            did_you_mean(name, [*CONFIG_KEYS]) or "tacit config shows all of them.",
        )
    who = acting(cli.env, args.by or "", args.yes)
    if not who.is_person:
        raise Refused(f"Your settings are a person's word; {who.reason}.", who.how)
    default, said = CONFIG_KEYS[name][0], args.value
    new: Any = (
        tuple(each.strip() for each in said.split(",") if each.strip())
        if isinstance(default, tuple)
        else said
    )
    if isinstance(default, bool) and said.lower() in ("yes", "no", "true", "false"):
        new = said.lower() in ("yes", "true")
    elif isinstance(default, int) and said.isdecimal():
        new = int(said)
    table_name, _, key = name.rpartition(".")
    settle(
        {table_name: {key: new}} if table_name else {key: new}, {}, {}, user_path=path
    )  # what is wrong is said here
    set_keys(path, table_name, {key: [*new] if isinstance(new, tuple) else new})
    asks = (
        "; tacit lookback asks about the sessions that are there" if name == "reader.hosts" else ""
    )
    return Answer(
        {"setting": name, "value": new, "file": path}, f"{name} = {said}, in {path}{asks}"
    )


def _config(args: argparse.Namespace, cli: Cli) -> Answer:
    if args.what in ("key", "set"):
        return _key(args, cli) if args.what == "key" else _set(args, cli)
    path = config_path(cli.env)
    if args.what == "path":
        return Answer({"path": path}, path)
    root = locate(os.getcwd(), cli.env).root
    settled = settings_at(root, path, cli.env)
    found = settled.by_key
    data: dict[str, dict[str, Any]] = {
        key: {"value": s.value, "source": s.source, "meaning": CONFIG_KEYS[key][2]}
        for key, s in found.items()
    }
    data["store"]["value"] = store_path(args.store or str(found["store"].value) or None, cli.env)
    rows = [
        [
            key,
            one_line(str(d["value"]) if d["value"] not in ("", ()) else "-", 60),
            os.path.basename(str(d["source"])),
        ]
        for key, d in data.items()
    ]
    return Answer(
        {"settings": data, "file": path},
        table(rows, ("setting", "value", "from")),
        warnings=list(settled.left_out),
    )


COMMANDS = declared(
    {
        "log": _log,
        "why": _why,
        "reindex": _reindex,
        "projects": _projects,
        "config": _config,
    }
)
