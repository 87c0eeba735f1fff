"""add, list, edit, undo: what a person does with lessons by hand."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, did_you_mean, lesson_argument, opt, verb
from tacit.cli.words import WITHHELD_HERE, heads, memory_line, one_line, paint, table
from tacit.core import clock
from tacit.core.errors import NotFound, TacitError, UsageError, many_of, numbered
from tacit.core.standing import is_confirmed, is_product_detail
from tacit.core.states import ACTIVE, DOUBTED, KEPT, STATES, stage_of
from tacit.core.states import WAITING as WAITS
from tacit.core.value import replace
from tacit.hosts import run_in_shell
from tacit.learn import correcting, queries, reviewing
from tacit.lesson import HEARSAY, SCOPES, SEVERITIES, Lesson, memory_json
from tacit.memory import Memory as Memories
from tacit.screens.moments import when_told
from tacit.screens.numbers import (
    COLUMNS,
    fits,
    names_to_type,
    remember_numbers,
    seen_whole,
)
from tacit.screens.one_screen import listed_words
from tacit.screens.passing import (
    change_meant,
    lesson_meant,
    meant,
    question_meant,
    still_there,
    yours_now,
)
from tacit.screens.selection import (
    ENDED,
    GONE,
    IN_FORCE,
    WAITING,
    YOUR_WORD,
    as_seen,
    asked_about,
    counted,
    counted_words,
    is_given,
    numbered_as,
    shelf,
)
from tacit.screens.wording import standing_words
from tacit.store.reads import SORTS

MOST, MOST_JSON = 200, 50  # lessons of a list, where nobody says how many
TITLES = {
    IN_FORCE: "Told to agents, each where it fits",
    YOUR_WORD: "Waits for you: tacit review",
    WAITING: "Seen once, not told yet: another session, or your word",
    ENDED: "Given no more",
    GONE: "Gone",
}
FACETS = (
    opt("--kind", metavar="KIND", help="what kind of lesson"),
    opt("--category", metavar="CATEGORY"),
    opt("--domain", metavar="DOMAIN"),
    opt("--agent", metavar="AGENT", help="the agent or role it is for"),
    opt("--task-type", metavar="TASK_TYPE"),
    opt("--scope", type=OneOf(SCOPES)),
    opt("--tag", "tags", metavar="TAG", multiple=True, help="may be repeated"),
    opt("--path", "paths", metavar="PATH", multiple=True, help="a file it is about; repeated"),
    opt(
        "--about",
        metavar="SUBJECT",
        help="its topic, then names: 'tag merging; merge_tags'; * for a way of working",
    ),
    opt("--severity", type=OneOf(SEVERITIES[::-1])),
    opt("--source", metavar="SOURCE", help="who said it"),
)
EDITED = "kind category domain agent task_type scope tags paths about severity source".split()
ADDED = [*EDITED, "trust", "run", "task", "group", "place"]


def facets(run: Any) -> Any:
    """What a lesson may be filed by."""
    for each in reversed(FACETS):
        run = each(run)
    return run


def typed(args: Asked, names: Sequence[str]) -> dict[str, Any]:
    """What was said of these."""
    return {name: at for name in names if (at := getattr(args, name))}


@verb(
    "add",
    "keep a lesson",
    end="""example:
  tacit add 'Run make migrate before the tests.' --kind command --tag db""",
)
@arg("text", metavar="TEXT", help="the lesson; - reads JSON Lines, one answer per line")
@facets
@opt("--trust", type=OneOf(HEARSAY), help="whose words these are, if not your own")
@opt("--run", metavar="RUN", help="the run it was learned in")
@opt("--task", metavar="TASK", help="the text of the task it was met in")
@opt("--group", metavar="GROUP", help="what it stands in a row with, such as a conversation")
@opt("--place", metavar="PLACE", help="where it was said or met: a file and line, a ticket, a page")
def add_verb(args: Asked, cli: Cli) -> Answer:
    said = typed(args, ADDED)
    with cli.open(args) as memories:
        if args.text == "-":
            return _add_lines(memories, said, cli)
        memory = memories.add(args.text, **said)
        at_terminal = cli.out.isatty() and not cli.json
        names = names_to_type(memories, {memory.id: memory.text}) if at_terminal else {}
        name, how = names.get(memory.id, memory.id), standing_words(memory, memories.profile).words
        if is_given(memory):
            how += f", told {when_told(memories, memory)}"
        runs = memories.profile.trust.runs
    text = one_line(memory.text, COLUMNS)
    told = f"kept {name}, {how} (tacit undo {name} takes it back): {text}"
    return Answer(memory_json(memory), told, warnings=_notes(memory, runs))


def _notes(memory: Lesson, runs: int) -> list[str]:
    notes = []
    if "[redacted:" in memory.text:
        notes.append("what looks like a secret was redacted before anything was written")
    if memory.state == WAITS:
        many = f"{numbered(runs, 'independent session')} {'says' if runs == 1 else 'say'} so"
        notes.append(
            f"it waits: an agent's own claim is not given to others before {many}, or a person"
            f" does; at a terminal: tacit review approve {memory.alias or memory.id}"
        )
    return notes


def _add_lines(memories: Memories, facets: dict[str, Any], cli: Cli) -> Answer:
    """One JSON object or text a line in, one answer a line out; a bad line is answered, not fatal."""
    failed = 0
    for number, raw in enumerate(sys.stdin.buffer, 1):
        line = raw.decode("utf-8", "surrogateescape").strip()
        if not line:
            continue
        answer: dict[str, Any] = {"ok": True, "line": number}
        try:
            memory = correcting.add_many(memories, [_lesson(line, facets)])[0]
            answer |= {"id": memory.id, "state": memory.state}
        except TacitError as error:
            failed += 1
            answer |= {"ok": False, "error": error.json}
        cli.out.write(json.dumps(answer, ensure_ascii=False) + "\n")
        cli.out.flush()
    return Answer(code=1 if failed else 0, printed=True)


def _lesson(line: str, facets: dict[str, Any]) -> dict[str, Any]:
    try:
        lesson = json.loads(line)
    except ValueError as error:
        raise UsageError(f"The line is not JSON: {error}.", '{"text": "…", "kind": "…"}') from None
    if isinstance(lesson, str):
        lesson = {"text": lesson}
    if not isinstance(lesson, dict):
        raise UsageError("The line is neither an object nor a text.", '{"text": "…", "kind": "…"}')
    return {**facets, **lesson}


@verb(
    "list",
    "the lessons: told to agents, waiting, all",
    end="""What agents are told comes first. tacit help words says what stands beside a lesson.

examples:
  tacit list --kind preference
  tacit list --waiting --sort seen --limit 10""",
    long=True,
)
@opt("--in-force", is_flag=True, help="only what agents are told")
@opt("--waiting", is_flag=True, apart_from="--in-force", help="only what is not told yet")
@opt(
    "--all",
    "--archived",
    "archived",
    is_flag=True,
    apart_from="--waiting",
    help="also what has faded or was taken out",
)
@opt("--kind", metavar="WORD")
@opt("--domain", metavar="WORD")
@opt("--agent", metavar="WORD")
@opt("--category", metavar="WORD")
@opt("--tag", metavar="WORD")
@opt("--scope", metavar="WORD")
@opt("--origin", metavar="WORD")
@opt("--text", metavar="TEXT", help="holds this text")
@opt("--since", metavar="SINCE", help="changed since: 2026-11-01, or 7d, 12h")
@opt("--state", type=OneOf(STATES), metavar="STATE", multiple=True, help="as --json names it")
@opt("--sort", type=OneOf(SORTS), default="new", metavar="BY", help=", ".join(SORTS))
@opt("--limit", type=int, metavar="N", help=f"{MOST}; with --json {MOST_JSON}")
@opt("--all-projects", is_flag=True)
def list_verb(args: Asked, cli: Cli) -> Answer:
    equal = typed(args, ("kind", "domain", "agent", "category", "scope", "origin"))
    limit = (MOST_JSON if cli.json else MOST) if args.limit is None else max(0, args.limit)
    with cli.open(args, create=False) as memories:
        profile, hidden = memories.profile, queries.withheld_in(memories, run_in_shell(cli.env))
        found = _found(memories, args, equal, limit)
        names, asked = queries.signers(memories, found), asked_about(memories)
        found = [as_seen(memories, each) for each in found]
        numbers: dict[str, int] = {}
        if cli.out.isatty() and not cli.json:
            ids = [each.id for each in _in_order(found, asked) if fits(each.text)]
            numbers = remember_numbers(memories, ids)
        nothing = "" if found else _nothing(memories, args, equal)
        mine = sum(shelf(each, asked) == YOUR_WORD for each in found)
        more = counted(memories).needs_word - mine
    # a list in a run tells nothing that its coin withholds; to name one is noted
    found = [
        replace(each, text=WITHHELD_HERE) if each.id in hidden else each
        for each in found
        if not (args.text and each.id in hidden)
    ]
    lessons = [
        {**memory_json(each), **({"signer": names[each.id]} if each.id in names else {})}
        for each in found
    ]
    data = {"memories": lessons, "count": len(found)}
    if not found:
        return Answer(data, nothing)
    if "standing" in profile.columns:
        lines = _by_shelf(cli, found, memories, names, asked, numbers)
    else:
        rows = [
            memory_line(each, profile.columns, names.get(each.id, ""), stage=_stage(each, profile))
            for each in found
        ]
        lines = [table(rows, heads(profile.columns, profile.words.memory))]
    if len(found) == limit:
        lines.append(paint(cli, "quiet", f"the first {limit}; --limit N shows more"))
    whole = not (_narrowed(args, equal) or args.in_force or args.all_projects)
    if whole and more > 0:
        also = f"{numbered(more, 'question')} more about these lessons or your files: tacit review"
        lines += ["", also]
    return Answer(data, "\n".join(lines))


def _stage(memory: Lesson, profile: Any) -> str:
    return stage_of(memory, profile.stages)


def _narrowed(args: Asked, equal: dict[str, str]) -> bool:
    """Whether only some lessons were asked for."""
    return bool(equal or args.tag or args.since or args.text or args.state or args.archived)


def _found(memories: Memories, args: Asked, equal: dict[str, str], limit: int) -> list[Lesson]:
    """The lessons that were asked for; what is in force comes first, however old it is."""

    def some(states: tuple[str, ...], most: int) -> list[Lesson]:
        return memories.lessons(
            states=states,
            gone=args.archived,
            everywhere=args.all_projects,
            equal=equal,
            tag=args.tag or "",
            since=moment(args.since),
            text=args.text or "",
            sort=args.sort,
            limit=most,
        )

    if args.state or args.archived or "standing" not in memories.profile.columns:
        return some(tuple(args.state), limit)
    if args.in_force:
        return [each for each in some((ACTIVE,), limit) if is_given(each)]
    if args.waiting:
        return [each for each in some((WAITS, DOUBTED), limit) if shelf(each) != ENDED]
    found = some((ACTIVE,), limit)
    return found + some(tuple(each for each in KEPT if each != ACTIVE), limit - len(found))


def _in_order(found: Sequence[Lesson], asked: Sequence[str]) -> list[Lesson]:
    """Lessons as a screen shows them: by shelf, what one session settled about the product last."""
    shelves = [*TITLES]
    return sorted(
        found,
        key=lambda each: (
            shelves.index(shelf(each, asked)),
            is_product_detail(each),
            not is_confirmed(each),
        ),
    )


def _by_shelf(
    cli: Cli,
    found: Sequence[Lesson],
    memories: Memories,
    names: dict[str, str],
    asked: Sequence[str],
    numbers: dict[str, int],
) -> list[str]:
    """Lessons under what people ask first: is it given? At a terminal they have numbers."""
    profile, lines = memories.profile, list[str]()
    columns = [each for each in profile.columns if each != "id" or not numbers]
    for at, title in TITLES.items():
        rows = []
        for each in _in_order([one for one in found if shelf(one, asked) == at], asked):
            said = listed_words(each, profile)
            how, stage = paint(cli, said.tone, said.words), _stage(each, profile)
            line = memory_line(each, columns, names.get(each.id, ""), how, stage)
            rows.append([str(numbers.get(each.id, each.id)), *line] if numbers else line)
        if rows:
            head = paint(cli, "bold", f"{title} ({len(rows)})")
            lines += [*([""] if lines else []), head, table(rows, before=2, flow=True)]
    return lines


def _nothing(memories: Memories, args: Asked, equal: dict[str, str]) -> str:
    """Why nothing is listed, and what is here instead."""
    unknown, count = _unknown(memories, args, equal), counted(memories)
    several = many_of(memories.profile.words.memory)
    if unknown or _narrowed(args, equal):
        return f"no {several} here match" + (f": {unknown}" if unknown else "")
    if (args.waiting or args.in_force) and (count.in_force or count.waiting or count.needs_word):
        where = "tacit review" if count.needs_word else "tacit list"
        wanted = "waits" if args.waiting else "is told"
        return f"no lesson {wanted} here; {counted_words(count)}: {where}"
    if count.needs_word:
        return (
            f"no {several} here yet; {numbered(count.needs_word, 'question')} for you: tacit review"
        )
    return (
        f"no {several} here: tacit learn takes in past sessions, tacit add 'TEXT' keeps one;"
        " tacit list --all shows what was taken out"
    )


def _unknown(memories: Memories, args: Asked, equal: dict[str, str]) -> str:
    """A word that stands nowhere here, with the one that was perhaps meant; an unknown kind is an error."""
    scopes = (
        [project.id for project in memories.store.projects()]
        if args.all_projects
        else memories.scopes
    )
    for name in ("kind", "category", "domain", "agent", "scope"):
        word = equal.get(name)
        if not word:
            continue
        here = {str(row[0]) for row in memories.store.counted(scopes, (name,)) if row[0]}
        known = sorted(
            {"kind": {*memories.profile.kinds, *here}, "scope": {*SCOPES}}.get(name, here)
        )
        if word in known:
            continue
        if name in ("kind", "scope"):
            raise UsageError(f"tacit list: there is no {name} {word!r}.", did_you_mean(word, known))
        near = did_you_mean(word, known, " ") if known else ""
        return f"there is no {name} {word!r}. {near}".strip()
    return ""


def moment(text: str | None) -> str:
    """A time as typed: ISO, or so many days or hours ago."""
    if not text:
        return ""
    if text[-1] in "dhm" and text[:-1].isdigit():
        seconds = int(text[:-1]) * {"d": 86400, "h": 3600, "m": 60}[text[-1]]
        return clock.stamp(time.time() - seconds)
    if not clock.seconds(text):
        how = "Give 2026-11-01, 2026-11-01T12:00:00Z, 7d or 12h."
        raise UsageError(f"{text!r} is not a time.", how)
    return text


@verb(
    "edit",
    "correct a lesson",
    end="""example:
  tacit edit 7k3q 'Run make migrate before the tests, and after a pull.' --tag db""",
)
@lesson_argument
@arg("text", metavar="TEXT", required=False, help="the corrected text")
@facets
@opt("--typo", is_flag=True, help="only the spelling: what was measured of it stays")
@opt("--reason", metavar="REASON")
def edit_verb(args: Asked, cli: Cli) -> Answer:
    said = {name: getattr(args, name) for name in ("text", *EDITED)}
    fields = {name: at for name, at in said.items() if at not in (None, [])}
    if not fields:
        raise UsageError("Edit what?", "Give a text, or facets such as --kind or --tag.")
    reason = args.reason or ""
    with cli.open(args, create=False) as memories:
        found = still_there(memories, lesson_meant(memories, args.id))
        if "text" in fields and not correcting.may_change(memories, found):
            asks = correcting.propose_edit(memories, found.id, fields["text"], reason=reason)
            told = f"proposed {asks.id}: {found.id} stays as it is until a person decides"
            told += f" (tacit review show {asks.id})"
            return Answer({**memory_json(found), "proposal": asks.id}, told)
        memory = memories.edit(found.id, reason=reason, typo=args.typo, **fields)
        text = one_line(memory.text, COLUMNS)
        if memory.id != found.id:
            told = f"{found.id} stays as it is; your words are {memory.id}, a lesson that waits"
            return Answer(memory_json(memory), f"{told}: {text}")
        seen_whole(memories, memory.id)
        did = f"changed (tacit undo {args.id} takes it back)"
        if is_confirmed(memory):
            did = yours_now(memories, found, "reworded", args.id)
    return Answer(memory_json(memory), f"{args.id}: {did}: {text}")


@verb("undo", "take back a change", long=True)
@arg("what", metavar="N|ID", required=False, help="a lesson, or a question that was answered")
@opt("--entry", metavar="N", help="an entry of tacit why --full by its number")
@opt("--from", "origin", metavar="SOURCE", help="all that was dropped with --from SOURCE")
def undo_verb(args: Asked, cli: Cli) -> Answer:
    if not (args.what or args.entry or args.origin):
        how = "Give a lesson's number or id, --entry N of tacit why --full, or --from SOURCE."
        raise UsageError("Undo what?", how)
    with cli.open(args, create=False) as memories:
        what = change_meant(memories, args.entry or args.what or "", bool(args.entry))
        try:
            back = memories.undo(what, source=args.origin or "")
        except NotFound as unknown:
            return _asked_again(memories, args.what, what, unknown)
        seen_whole(memories, *(each.id for each in back))
        if not back:
            raise NotFound("There is nothing to take back.", "tacit why ID shows its history.")
        name = args.what if len(back) == 1 and (args.what or "").isdecimal() else ""
        said = [
            f"took back; {name or each.id} is {standing_words(each, memories.profile).words}:"
            f" {one_line(each.text, COLUMNS)}"
            for each in back
        ]
    return Answer({"memories": [memory_json(each) for each in back]}, "\n".join(said))


def _asked_again(memories: Memories, typed: str, what: str, unknown: NotFound) -> Answer:
    """Let a question that was answered wait again."""
    number = meant(memories, typed) if typed and what != typed else ""
    try:
        found = reviewing.reopen(memories, what)
    except NotFound:
        raise unknown from None
    found = question_meant(memories, found.id) or found
    remember_numbers(memories, [numbered_as(found)], instead=number)
    told = f"took back: {typed} waits for your answer again: {one_line(found.reason, 400)}"
    return Answer({"proposal": found.id}, told)
