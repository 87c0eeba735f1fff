"""log, why, reindex, projects, config: looking, never changing what is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.cli.review import proposal_shown
from tacit.cli.verb import Answer, Asked, Cli, lesson_argument, opt, verb
from tacit.cli.words import (
    WIDEST,
    hung,
    one_line,
    paint,
    parts_line,
    table,
    wrapped,
)
from tacit.core.errors import numbered
from tacit.core.links import CONFIRMED, FIRED, Mark
from tacit.core.profile import Profile
from tacit.hosts import run_in_shell
from tacit.learn import queries
from tacit.lesson import Lesson, met_in
from tacit.replay import replaying
from tacit.screens.numbers import is_number, seen_whole
from tacit.screens.one_screen import came_up, moment_words
from tacit.screens.passing import lesson_meant, meant, question_meant
from tacit.screens.quoted import last_said
from tacit.screens.selection import is_given, need_seen
from tacit.screens.views import why_json
from tacit.screens.wording import (
    BY_NOTICE,
    ahead,
    change_lines,
    held_words,
    seen,
    standing_words,
    subject_words,
)
from tacit.trial.statement import reached_in

UNMEASURED = "Not measured yet."  # what `prove` says of a lesson without a single outcome
_CUT_FROM = 110  # characters of a complaint from which on its end is missing
SIGHTINGS = 5  # pieces of evidence that are shown; thirty alike hide the answer
CHANGES_SHOWN = 5  # changes likewise


@verb(
    "why",
    "where a lesson comes from, what came of it, what would change it",
    end="""examples:
  tacit why 3f9
  tacit why 3f9 --for 'migration fails on a fresh database'""",
    long=True,
)
@lesson_argument
@opt(
    "--full",
    is_flag=True,
    help="also inner states, the parts of its score, every use and the whole journal",
)
@opt(
    "--for",
    "question",
    default="",
    metavar="QUESTION",
    help="also the parts of its score for a question",
)
def why_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        asked = question_meant(memories, meant(memories, args.id))
        if asked is not None and not asked.memory:
            return proposal_shown(memories, cli, asked)
        found = queries.why(
            memories, lesson_meant(memories, args.id), args.question, run=run_in_shell(cli.env)
        )
        need_seen(memories, found.memory)
        fired = any(mark.signal == FIRED for mark in memories.store.marks(memory=found.memory.id))
        effects = memories.effect(found.memory.id) if found.uses or fired else None
        known = next((each.known for each in effects.lessons), None) if effects else None
        replays = replaying.replayed(memories, found.memory.id)
        profile, at_starts = memories.profile, queries.is_told_at_starts(memories, found.memory)
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
    held = (effects.guards, effects.checks) if effects else ()
    data["guard"] = " ".join(each.sentence for each in held if each) or None
    data["replays"] = replays
    data["standing"] = standing_words(found.memory, profile).words
    data["told"] = moment_words(found.memory, at_starts, 99) if is_given(found.memory) else None
    return Answer(data, _why_text(cli, found.memory, data, profile, args))


def _why_text(cli: Cli, memory: Lesson, data: dict[str, Any], profile: Profile, args: Asked) -> str:
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


def _inner(cli: Cli, memory: Lesson, data: dict[str, Any]) -> list[str]:
    """What programs and the curious want: states, trust, arms, the whole journal."""
    lines = ["", paint(cli, "bold", "Inner states")]
    gate = memory.gate + (f" ({memory.gate_reason})" if memory.gate_reason else "")
    lines.append(
        f"  state {memory.state}, trust {memory.trust}, {gate}, verdict {memory.verdict}, class {memory.klass}"
    )
    lines.append(f"  ladder: {data['next']}")
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
