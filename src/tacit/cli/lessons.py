"""add, edit, undo: what a person does with lessons by hand."""

from __future__ import annotations

import json
import sys
from typing import Any

from tacit.cli.listing import typed
from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, lesson_argument, opt, verb
from tacit.cli.words import one_line
from tacit.core.errors import NotFound, TacitError, UsageError, numbered
from tacit.core.standing import is_confirmed
from tacit.core.states import WAITING as WAITS
from tacit.learn import correcting, reviewing
from tacit.lesson import HEARSAY, SCOPES, SEVERITIES, Lesson, memory_json
from tacit.memory import Memory as Memories
from tacit.screens.moments import when_told
from tacit.screens.numbers import (
    COLUMNS,
    names_to_type,
    remember_numbers,
    seen_whole,
)
from tacit.screens.passing import (
    change_meant,
    lesson_meant,
    meant,
    question_meant,
    still_there,
    yours_now,
)
from tacit.screens.selection import (
    is_given,
    numbered_as,
)
from tacit.screens.wording import standing_words

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
