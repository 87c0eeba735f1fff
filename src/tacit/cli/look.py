"""why: where a lesson comes from, what came of it, what would change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tacit.cli.review import proposal_shown
from tacit.cli.verb import Answer, Asked, Cli, lesson_argument, opt, verb
from tacit.cli.words import WIDEST, hung, one_line, paint, parts_line, table, wrapped
from tacit.core.errors import numbered
from tacit.core.links import CONFIRMED, FIRED, Mark
from tacit.core.profile import Profile
from tacit.hosts import run_in_shell
from tacit.learn import queries
from tacit.lesson import Lesson, met_in
from tacit.replay import replaying
from tacit.screens.moments import moment_words
from tacit.screens.numbers import is_number, seen_whole
from tacit.screens.passing import lesson_meant, meant, question_meant
from tacit.screens.quoted import last_said
from tacit.screens.selection import is_given, need_seen
from tacit.screens.views import why_json
from tacit.screens.wording import (
    ALWAYS,
    BY_NOTICE,
    IN_FILES,
    TESTED,
    TOLD,
    YOURS,
    ahead,
    came_up,
    change_lines,
    held_words,
    seen,
    standing_words,
    subject_words,
)
from tacit.trial.statement import reached_in

UNMEASURED = "Not measured yet."  # what is said of a lesson without a single outcome
_CUT_FROM = 110  # characters of a complaint from which on its end is missing
SHOWN = 5  # pieces of evidence, and changes, that are shown; thirty alike hide the answer


@verb(
    "why",
    "where a lesson comes from, what came of it, what would change it",
    end="""examples:
  tacit why 3f9
  tacit why 3f9 --for 'migration fails on a fresh database'""",
    long=True,
)
@lesson_argument
@opt("--full", is_flag=True, help="also inner states, every piece of evidence, the whole journal")
@opt("--for", "question", default="", metavar="QUESTION", help="also its score for a question")
def why_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        asked = question_meant(memories, meant(memories, args.id))
        if asked is not None and not asked.memory:
            return proposal_shown(memories, cli, asked)
        id, run = lesson_meant(memories, args.id), run_in_shell(cli.env)
        found = queries.why(memories, id, args.question, run=run)
        memory, store = found.memory, memories.store
        need_seen(memories, memory)
        fired = any(mark.signal == FIRED for mark in store.marks(memory=memory.id))
        effects = memories.effect(memory.id) if found.uses or fired else None
        known = next((each.known for each in effects.lessons), None) if effects else None
        replays = replaying.replayed(memories, memory.id)
        profile, at_starts = memories.profile, queries.is_told_at_starts(memories, memory)
        if cli.out.isatty() and not cli.json:
            seen_whole(memories, memory.id)
        said = last_said(memories, found.evidence, [one for one, _ in found.met], memory.text)
        rows = {found.runs[run]: store.run(run) for run in found.runs}
    data = why_json(found, args.question)
    data["met"] = [{**each, "last": said.get(each["mark"])} for each in data["met"]]
    data["days"] = {run: row.started_at[:10] for run, row in rows.items() if row}
    measured = known if known and found.uses else None
    data["effect"] = measured.sentence if measured else None
    data["quotes"] = [list(quote) for quote in measured.quotes] if measured else []
    held = (effects.guards, effects.checks) if effects else ()
    data["guard"] = " ".join(each.sentence for each in held if each) or None
    data["replays"] = replays
    data["standing"] = standing_words(memory, profile).words
    data["told"] = moment_words(memory, at_starts, 99) if is_given(memory) else None
    return Answer(data, "\n".join(_lines(cli, memory, data, profile, args)))


def _lines(
    cli: Cli, memory: Lesson, data: dict[str, Any], profile: Profile, args: Asked
) -> Iterator[str]:
    yield from [*wrapped(memory.text or "(erased)", 0, WIDEST), ""]
    yield from _standing(cli, memory, data, profile, args.id)
    yield from _origin(cli, memory, data, args.full, args.id)
    came = [_uses(data)] if data["uses"] else []
    came += [f"  {day} “{words}”" for day, words in data["quotes"]]
    came += [data["guard"]] if data["guard"] else []
    for each in data["replays"]:
        came.append(f"Done again in pairs on {each['day']}: {each['sentence']}")
    if came:
        yield from ("", paint(cli, "bold", "What came of it"))
        yield from (line for said in came for line in hung("  ", said, WIDEST))
    yield from ("", paint(cli, "bold", "What would change it"))
    next_step = ahead(memory, profile, data["next"], bool(data["replays"]))
    if args.id.isdecimal():
        next_step = next_step.replace(f" {memory.id}", f" {args.id}")
    yield from hung("  ", next_step, WIDEST)
    if args.full:
        yield from _inner(cli, memory, data)
    elif data["score"]["question"]:
        yield from _score(cli, data["score"])
    else:
        yield from _history(cli, data["journal"], args.id)


def _standing(
    cli: Cli, memory: Lesson, data: dict[str, Any], profile: Profile, name: str
) -> Iterator[str]:
    """How it stands, when it is told, and what the control group says, unless how it stands has said so already."""
    said = standing_words(memory, profile)
    signer = f", signed by {data['signer']}" if data["signer"] else ""
    given = f", {TOLD}" if said.words.startswith(TESTED) else ""
    called = paint(cli, "id", f"{name} ({memory.id})" if is_number(name) else memory.id)
    met = came_up(memory) or seen(memory)
    yield f"{called}  {paint(cli, said.tone, said.words)}{given}, {memory.kind}, {met}{signer}"
    if data["told"]:
        yield from wrapped(f"Told {data['told']}.", 0, WIDEST)
    sure = said.words in (YOURS, ALWAYS, IN_FILES)
    if not sure and data["effect"] not in (None, UNMEASURED):
        yield from wrapped(data["effect"], 0, WIDEST)
    if memory.gate != "allow" and memory.gate_reason:
        yield from wrapped(f"Not told: {held_words(memory.gate_reason)}", 0, WIDEST)
    if memory.about:
        yield from wrapped(subject_words(memory), 0, WIDEST)


def _origin(cli: Cli, memory: Lesson, data: dict[str, Any], full: bool, name: str) -> Iterator[str]:
    """Where it comes from."""
    met = {at: where for at in ("task", "place") if (where := met_in(memory, at))}
    if not (data["evidence"] or met):
        return
    yield from ("", paint(cli, "bold", "Where it comes from"))
    yield from (f"  {at} {one_line(where, 200)}" for at, where in met.items())
    short = [*_met(data["met"]), *_sightings(data["evidence"], bool(data["met"]), data["days"])]
    told = [_sighting(row) for row in data["evidence"]] if full else short[:SHOWN]
    yield from (line for each in told for line in each)
    if len(short) > SHOWN and not full:
        yield f"  and {len(short) - SHOWN} more: tacit why {name} --full"


def _history(cli: Cli, journal: Sequence[Mapping[str, Any]], name: str) -> Iterator[str]:
    yield from ("", paint(cli, "bold", "Its history"))
    # the same on the same day is one
    changes = list(dict.fromkeys((entry["at"][:10], *change_lines(entry)) for entry in journal))
    yield table([[f"  {day}", *rest] for day, *rest in changes[-SHOWN:]])
    more = f"{len(changes) - SHOWN} earlier, " if len(changes) > SHOWN else ""
    yield paint(cli, "quiet", f"  {more}reasons and inner states: tacit why {name} --full")


def _met(failures: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """What was noticed, as it was recognised: how many sessions met it, and what the last of them said."""
    for each in failures:
        lines = hung("  ", f"{numbered(each['sessions'], 'session')}: {each['said']}", WIDEST)
        if last := each["last"]:
            where = f"{last['day']}, session {last['session'][:8]}"
            lines += hung("    ", f"{where}: `{last['command']}` said “{last['line']}”", WIDEST)
        yield lines
    if len(failures) > 1:
        yield ["  (a session may have met more than one of these)"]


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
    against_first = sorted(alike.items(), key=lambda at: (at[0][0] == "supports", -len(at[1])))
    for (stance, quote, by), rows in against_first:
        runs = sorted({row["run"] for row in rows if row["run"]})
        last = max([days.get(run, "") for run in runs] + [""]) or rows[0]["at"][:10]
        where = f"session {one_line(runs[0], 40)} of {last}" if runs else f"by hand, {last}"
        if len(runs) > 1:
            where = f"{numbered(len(runs), 'session')}, the last of {last}"
        against = "" if stance == "supports" else "against it: "
        reader = "heard by the model that reads"
        who = f", {reader if by == 'reader' else by}" if by and by != BY_NOTICE else ""
        if by == BY_NOTICE:  # behind what was noticed stands what it was recognised as
            quote = quote.rpartition(": ")[0] or quote
            quote = f"{quote.rpartition(' ')[0]} …" if len(quote) > _CUT_FROM else quote
        quoted = hung("    ", f"“{one_line(quote, 300)}”", WIDEST) if quote else []
        found.setdefault(f"  {against}{where}{who}", []).extend(quoted)
    return [[head, *quoted] for head, quoted in found.items()]


def _sighting(row: dict[str, Any]) -> list[str]:
    where = f"{row['run'] or '(no run)'} {row['place']}"
    told = f"  {row['stance']} {where} by {row['by'] or '?'} ({row['tier']}) {row['at'][:10]}"
    quote = one_line(row["quote"], 200)
    said = f"    recognised: {quote}" if row["by"] == BY_NOTICE else f"    “{quote}”"
    return [told, said] if row["quote"] else [told]


def _uses(data: dict[str, Any]) -> str:
    """Given so often, left out so often, and of the sessions that came to its moment, in how many its problem came."""
    given = {use["unit"] for use in data["uses"] if use["arm"] != "withheld"}
    out = len({use["unit"] for use in data["uses"]} - given)
    marks = [Mark(**mark) for mark in data["marks"] if mark["unit"] in given]
    last = {mark.unit: mark for mark in marks if mark.signal == "outcome"}
    back = sum(mark.value == "occurred" for mark in last.values())
    reached = reached_in(last.values(), marks)
    came = f"its problem came back in {back} of the {reached} that came to its moment"
    said = [f"given in {numbered(len(given), 'session')}"]
    if given:
        said.append(came if reached else "none is known to have come to its moment yet")
    return "; ".join([*said, *([f"left out in {out} to compare"] if out else [])])


def _inner(cli: Cli, memory: Lesson, data: dict[str, Any]) -> Iterator[str]:
    """What programs and the curious want: states, trust, arms, the whole journal."""
    yield from ("", paint(cli, "bold", "Inner states"))
    gate = memory.gate + (f" ({memory.gate_reason})" if memory.gate_reason else "")
    trust = f"trust {memory.trust}, {gate}, verdict {memory.verdict}, class {memory.klass}"
    yield from (f"  state {memory.state}, {trust}", f"  ladder: {data['next']}")
    if arms := Counter(use["arm"] for use in data["uses"]):
        yield f"  uses: {', '.join(f'{n} {arm}' for arm, n in arms.items())}"
    yield from _score(cli, data["score"])
    entries = []
    for entry in data["journal"]:
        before, after = entry["before"] or {}, entry["after"] or {}
        to = (
            f"{before.get('state', '')} → {after['state']}: " if before and "state" in after else ""
        )
        told = [f"  {entry['id']}", entry["at"][:19].replace("T", " "), entry["verb"], entry["by"]]
        entries.append([*told, to + one_line(entry["reason"], 400)])
    yield from ("", paint(cli, "bold", "Journal"), table(entries))


def _score(cli: Cli, score: dict[str, Any]) -> list[str]:
    if score["question"]:
        head = f"Its score for “{one_line(score['question'], 60)}”"
        told = f"{score['score']:.3g} = {parts_line(score)}"
    else:
        head, told = "In every score of it", parts_line({**score, "fits": {"what fits": 1}})
    return ["", paint(cli, "bold", head), "  " + told]
