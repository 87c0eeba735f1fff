"""add, list, show, edit, pin, forget, erase, undo: what a person does with lessons by hand."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, did_you_mean, lesson_argument, opt, verb
from tacit.cli.words import (
    WIDEST,
    WITHHELD_HERE,
    heads,
    hung,
    memory_line,
    one_line,
    paint,
    table,
)
from tacit.core import clock
from tacit.core.errors import NotFound, TacitError, UsageError, many_of, numbered
from tacit.core.profile import Profile
from tacit.core.standing import is_confirmed, is_product_detail
from tacit.core.states import ACTIVE, DOUBTED, KEPT, STATES, stage_of
from tacit.core.states import WAITING as WAITS
from tacit.core.value import replace
from tacit.hosts import run_in_shell
from tacit.learn import correcting, queries, reviewing
from tacit.lesson import HEARSAY, SCOPES, SEVERITIES, Lesson, memory_json
from tacit.memory import Memory as Memories
from tacit.screens.numbers import COLUMNS, fits, names_to_type, remember_numbers, seen_whole
from tacit.screens.one_screen import listed_words, moment_words
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
    said_again,
    shelf,
)
from tacit.screens.wording import standing_words, topic_words
from tacit.store.reads import SORTS

_FIRST, _FOR_PEOPLE = 50, 200  # lessons of a list, where nobody says how many
_FACETS = (
    "kind",
    "category",
    "domain",
    "agent",
    "task_type",
    "scope",
    "tags",
    "paths",
    "about",
    "severity",
    "source",
)


def facets(run: Any) -> Any:
    """What a lesson may be filed by."""
    for each in reversed(
        (
            opt("--kind", metavar="KIND", help="what kind of lesson"),
            opt("--category", metavar="CATEGORY"),
            opt("--domain", metavar="DOMAIN"),
            opt("--agent", metavar="AGENT", help="the agent or role it is for"),
            opt("--task-type", metavar="TASK_TYPE"),
            opt("--scope", type=OneOf(SCOPES)),
            opt("--tag", "tags", metavar="TAG", multiple=True, help="may be repeated"),
            opt(
                "--path",
                "paths",
                metavar="PATH",
                multiple=True,
                help="a file it is about; repeated",
            ),
            opt(
                "--about",
                metavar="SUBJECT",
                help="its topic, then names: 'tag merging; merge_tags'; * for a way of working",
            ),
            opt("--severity", type=OneOf(SEVERITIES[::-1])),
            opt("--source", metavar="SOURCE", help="who said it"),
        )
    ):
        run = each(run)
    return run


@verb(
    "add",
    "keep a lesson",
    end="""example:
  tacit add 'Run make migrate before the tests.' --kind command --tag db""",
)
@arg(
    "text",
    metavar="TEXT",
    help="the lesson; - reads JSON Lines from standard input, one answer per line",
)
@facets
@opt("--trust", type=OneOf(HEARSAY), help="whose words these are, if not your own")
@opt("--run", metavar="RUN", help="the run it was learned in")
@opt(
    "--task",
    metavar="TASK",
    help="the text of the task it was met in: asked again, it is recognised",
)
@opt(
    "--group",
    metavar="GROUP",
    help=(
        "what it stands in a row with, such as a conversation: neighbours are evidence for each "
        "other"
    ),
)
@opt("--place", metavar="PLACE", help="where it was said or met: a file and line, a ticket, a page")
def add_verb(args: Asked, cli: Cli) -> Answer:
    facets = {
        name: getattr(args, name)
        for name in (*_FACETS, "trust", "run", "task", "group", "place")
        if getattr(args, name)
    }
    with cli.open(args) as memories:
        if args.text == "-":
            return _add_lines(memories, facets, cli)
        memory = memories.add(args.text, **facets)
        said, runs = standing_words(memory, memories.profile).words, memories.profile.trust.runs
        at_terminal = cli.out.isatty() and not cli.json
        names = names_to_type(memories, {memory.id: memory.text}) if at_terminal else {}
        name = names.get(memory.id, memory.id)
        said += (
            f", told {moment_words(memory, queries.is_told_at_starts(memories, memory))}"
            if is_given(memory)
            else ""
        )
    told = (
        f"kept {name}, {said} (tacit undo {name} takes it back): {one_line(memory.text, COLUMNS)}"
    )
    return Answer(memory_json(memory), told, warnings=_notes(memory, runs))


def _notes(memory: Lesson, runs: int) -> list[str]:
    notes = []
    if "[redacted:" in memory.text:
        notes.append("what looks like a secret was redacted before anything was written")
    if memory.state == WAITS:
        wanted = f"{numbered(runs, 'independent session')} {'says' if runs == 1 else 'say'} so, or a person does"
        approve = f"tacit review approve {memory.alias or memory.id}"
        notes.append(
            f"it waits: an agent's own claim is not given to others before {wanted}; at a terminal: {approve}"
        )
    return notes


def _add_lines(memories: Any, facets: dict[str, Any], cli: Cli) -> Answer:
    """One JSON object or text a line in, one answer a line out; a bad line is answered, not fatal."""
    failed = 0
    for number, raw in enumerate(sys.stdin.buffer, 1):
        line = raw.decode("utf-8", "surrogateescape").strip()
        if not line:
            continue
        try:
            memory = correcting.add_many(memories, [_lesson(line, facets)])[0]
            answer: dict[str, Any] = {
                "ok": True,
                "line": number,
                "id": memory.id,
                "state": memory.state,
            }
        except TacitError as error:
            failed += 1
            answer = {"ok": False, "line": number, "error": error.json}
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
    "the lessons: in force, waiting, all",
    end="""What is in force comes first; what is much the same stands below it by its number, with --all by
itself. tacit help words says what stands beside a lesson.

examples:
  tacit list --kind preference
  tacit list --waiting --sort seen --limit 10""",
    long=True,
)
@opt("--in-force", is_flag=True, help="only what agents are given")
@opt(
    "--waiting",
    is_flag=True,
    apart_from="--in-force",
    help="only what is not given yet: it needs your word, or another session that meets it",
)
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
@opt(
    "--state",
    type=OneOf(STATES),
    metavar="STATE",
    multiple=True,
    help="an inner state, as --json names it",
)
@opt("--sort", type=OneOf(SORTS), default="new", metavar="BY", help=", ".join(SORTS))
@opt("--limit", type=int, metavar="N", help=f"{_FOR_PEOPLE}; with --json {_FIRST}")
@opt("--all-projects", is_flag=True)
def list_verb(args: Asked, cli: Cli) -> Answer:
    equal = {
        name: getattr(args, name)
        for name in ("kind", "domain", "agent", "category", "scope", "origin")
        if getattr(args, name)
    }
    with cli.open(args, create=False) as memories:
        profile = memories.profile
        since = moment(args.since)
        at_terminal = cli.out.isatty() and not cli.json
        limit = max(0, (_FIRST if cli.json else _FOR_PEOPLE) if args.limit is None else args.limit)
        states = tuple(
            args.state
            or (
                ()
                if args.archived
                else _NOT_GIVEN
                if args.waiting
                else (ACTIVE,)
                if args.in_force
                else KEPT
            )
        )

        def some(wanted: tuple[str, ...], most: int, gate: str = "") -> list[Lesson]:
            facts = {**equal, "gate": gate} if gate else equal
            return queries.listed(
                memories,
                states=wanted,
                archived=args.archived,
                everywhere=args.all_projects,
                equal=facts,
                tag=args.tag or "",
                since=since,
                text=args.text or "",
                sort=args.sort,
                limit=most,
            )

        if args.state or args.archived or "standing" not in profile.columns:
            found = some(states, limit)
        else:  # what is in force comes first, however old it is
            others = tuple(each for each in states if each != ACTIVE)
            found = [] if args.waiting else some((ACTIVE,), limit)
            found += some(others, limit - len(found)) if others else []
        if args.in_force:
            found = [each for each in found if is_given(each)]
        if args.waiting:
            found = [each for each in found if shelf(each) in (YOUR_WORD, WAITING)]
        names = queries.signers(memories, found)
        found = [as_seen(memories, each) for each in found]
        hidden = queries.withheld_in(memories, run_in_shell(cli.env))
        unknown = _unknown(memories, args, equal) if not found else ""
        nothing = (
            "" if found or not (args.waiting or args.in_force) else _none(memories, args.waiting)
        )
        asked = asked_about(memories)
        every = whole = not (
            equal or args.tag or args.since or args.text or args.state or args.archived
        )
        apart = (
            _apart(found, asked)
            if at_terminal and whole and not (args.waiting or args.all_projects)
            else set()
        )
        by_shelf = [
            each.id
            for at in _TITLES
            for each in sorted(found, key=is_product_detail)
            if shelf(each, asked) == at and each.id not in apart
        ]
        fits_here = [each.id for each in found if fits(each.text)]
        by_shelf = [id for id in by_shelf if id in fits_here]
        numbers = remember_numbers(memories, by_shelf, unseen=by_shelf) if at_terminal else {}
        same = _same(found, asked, numbers) if numbers and whole else {}
        below = {id for ids in same.values() for id in ids}
        remember_numbers(memories, [id for id in by_shelf if id in numbers and id not in below])
        else_asked = counted(memories).needs_word - sum(
            shelf(each, asked) == YOUR_WORD for each in found
        )
    # Inside a run a list must not tell what its coin withholds; whoever wants it names it, and that is noted.
    found = [
        replace(each, text=WITHHELD_HERE) if each.id in hidden else each
        for each in found
        if not (args.text and each.id in hidden)
    ]
    data = {"memories": [_signed(memory, names) for memory in found], "count": len(found)}
    if not found:
        several = many_of(profile.words.memory)
        asks = f"no {several} here yet; {numbered(else_asked, 'question')} for you: tacit review"
        if every:
            return Answer(
                data, nothing or (asks if else_asked > 0 else NOTHING_HERE.format(several))
            )
        return Answer(data, f"no {several} here match" + (f": {unknown}" if unknown else ""))
    more = (
        numbered(else_asked, "question") + " more about these lessons or your files: tacit review"
    )
    every = every and else_asked > 0 and not (args.in_force or args.all_projects)
    told = _listed(cli, found, profile, names, limit, asked, numbers, same, apart)
    return Answer(data, f"{told}\n\n{more}" if every else told)


def _same(
    found: Sequence[Lesson], asked: Sequence[str], numbers: Mapping[str, int]
) -> dict[str, list[str]]:
    """What says the same as another that is given, by the one that is shown."""
    given = sorted(
        (each for each in found if shelf(each, asked) == IN_FORCE),
        key=lambda each: numbers.get(each.id, 0),
    )
    details = [each for each in given if is_product_detail(each)]
    return {**said_again([each for each in given if each not in details]), **said_again(details)}


def _apart(found: Sequence[Lesson], asked: Sequence[str]) -> set[str]:
    """What few read beside lessons in force: what nobody is told, and what one session settled about the product."""
    given = [each for each in found if shelf(each, asked) == IN_FORCE]
    details = [each for each in given if is_product_detail(each)]
    waiting = [each for each in found if shelf(each, asked) == WAITING]
    return {each.id for each in (*details, *waiting)} if len(details) < len(given) else set()


def _none(memories: Memories, waiting: bool) -> str:
    """What is here instead, where nothing waits or nothing is in force; empty where there is nothing at all."""
    count = counted(memories)
    where = (
        "tacit review"
        if count.needs_word
        else "tacit list"
        if count.in_force
        else "tacit list --waiting"
    )
    here = (
        f"; {counted_words(count)}: {where}"
        if count.in_force or count.waiting or count.needs_word
        else ""
    )
    return f"no lesson {'waits' if waiting else 'is in force'} here{here}" if here else ""


NOTHING_HERE = "no {} here: tacit learn takes in past sessions, tacit add 'TEXT' keeps one; tacit list --all shows what was taken out"
_NOT_GIVEN = (WAITS, DOUBTED)  # what somebody may still decide on
_TITLES = {
    IN_FORCE: "In force, each given where it fits",
    YOUR_WORD: "Needs your word: tacit review",
    WAITING: "Waiting for another session, or your word",
    ENDED: "Given no more",
    GONE: "Gone",
}
_TOPICS = 12  # of decisions, by name
_DETAILS = "Decisions about the product, each told when it comes up"


def _listed(
    cli: Cli,
    found: list[Lesson],
    profile: Profile,
    names: dict[str, str],
    limit: int,
    asked: Sequence[str] = (),
    numbers: Mapping[str, int] | None = None,
    same: Mapping[str, Sequence[str]] | None = None,
    apart: Collection[str] = (),
) -> str:
    """Lessons under what people ask first: is it given? A profile with columns of its own has them; at a terminal they have numbers. What
    is the `same` as another stands below it by its number; what is kept `apart` is only counted."""
    columns, words = (
        [each for each in profile.columns if each != "id" or not numbers],
        profile.words,
    )
    if "standing" not in columns:
        return table(
            [
                memory_line(
                    each,
                    columns,
                    names.get(each.id, ""),
                    stage=stage_of(each, profile.stages),
                )
                for each in found
            ],
            heads(columns, words.memory),
        )
    lines: list[str] = []
    for at, title in _TITLES.items():
        on_shelf = [each for each in found if shelf(each, asked) == at]
        details = [each for each in on_shelf if at == IN_FORCE and is_product_detail(each)]
        for head, some in (
            (title, [each for each in on_shelf if each not in details]),
            (_DETAILS, details),
        ):
            if not some:
                continue
            lines += [""] if lines else []
            if some[0].id in apart and at == WAITING:
                lines += [paint(cli, "bold", f"{head} ({len(some)}): tacit list --waiting")]
                continue
            if some[0].id in apart:
                about = Counter(topic_words(each.about) or "the product" for each in some)
                topics = "; ".join(
                    f"{each} ({n})" if n > 1 else each for each, n in about.most_common(_TOPICS)
                )
                topics += f"; and {len(about) - _TOPICS} more" if len(about) > _TOPICS else ""
                lines += [paint(cli, "bold", f"{head} ({len(some)}): tacit list --kind decision")]
                lines += hung("  ", f"About {topics}.", WIDEST)
                continue
            some.sort(
                key=lambda each: (
                    (numbers or {}).get(each.id, 0) if numbers else not is_confirmed(each)
                )
            )
            here = {each.id for each in some}
            below = {id for one, ids in (same or {}).items() if one in here for id in ids}
            rows: list[list[str]] = []
            for each in some:
                said, first = (
                    listed_words(each, profile),
                    [str(numbers.get(each.id, each.id))] if numbers else [],
                )
                line = memory_line(
                    each,
                    columns,
                    names.get(each.id, ""),
                    paint(cli, said.tone, said.words),
                    stage_of(each, profile.stages),
                )
                rows += [[*first, *line]] if each.id not in below else []
                if others := [(numbers or {}).get(id, id) for id in (same or {}).get(each.id, ())]:
                    rows.append(
                        [
                            *[""] * len(line),
                            f"(much the same: {', '.join(sorted(map(str, others)))})",
                        ]
                    )
            beside = f", {len(below)} of them below another" if below else ""
            lines += [
                paint(cli, "bold", f"{head} ({len(some)}{beside})"),
                table(rows, before=2, flow=True),
            ]
    more = (
        [paint(cli, "quiet", f"the first {limit}; --limit N shows more")]
        if len(found) == limit
        else []
    )
    return "\n".join([*lines, *more])


def _unknown(memories: Memories, args: Asked, equal: dict[str, str]) -> str:
    """A word that stands nowhere here, with the one that was perhaps meant. A kind that the profile does not know is an error."""
    kinds = list(memories.profile.kinds)
    scopes = (
        [project.id for project in memories.store.projects()]
        if args.all_projects
        else memories.scopes
    )
    for name, word in equal.items():
        rows = memories.store.counted(scopes, (name,)) if name in _COUNTED else []
        here = sorted({str(row[0]) for row in rows if row[0]})
        known = (
            sorted({*kinds, *here}) if name == "kind" else [*SCOPES] if name == "scope" else here
        )
        if word in known or not (known or name in _COUNTED):
            continue
        if name in ("kind", "scope"):
            raise UsageError(f"tacit list: there is no {name} {word!r}.", did_you_mean(word, known))
        near = did_you_mean(word, known, " ") if known else " "
        return f"there is no {name} {word!r}. {near}".strip()
    return ""


_COUNTED = ("kind", "category", "domain", "agent", "scope")


def _signed(memory: Lesson, names: dict[str, str]) -> dict[str, Any]:
    return {**memory_json(memory), **({"signer": names[memory.id]} if memory.id in names else {})}


def moment(text: str | None) -> str:
    """A time as typed: ISO, or so many days or hours ago."""
    if not text:
        return ""
    if text[-1] in "dhm" and text[:-1].isdigit():
        return clock.stamp(
            time.time() - int(text[:-1]) * {"d": 86400, "h": 3600, "m": 60}[text[-1]]
        )
    if not clock.seconds(text):
        raise UsageError(
            f"{text!r} is not a time.", "Give 2026-11-01, 2026-11-01T12:00:00Z, 7d or 12h."
        )
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
    fields = {
        name: getattr(args, name)
        for name in ("text", *_FACETS)
        if getattr(args, name) not in (None, [])
    }
    if not fields:
        raise UsageError("Edit what?", "Give a text, or facets such as --kind or --tag.")
    with cli.open(args, create=False) as memories:
        found = still_there(memories, lesson_meant(memories, args.id))
        if "text" in fields and not correcting.may_change(memories, found):
            proposal = correcting.propose_edit(
                memories, found.id, fields["text"], reason=args.reason or ""
            )
            told = f"proposed {proposal.id}: {found.id} stays as it is until a person decides (tacit review show {proposal.id})"
            return Answer({**memory_json(found), "proposal": proposal.id}, told)
        memory = memories.edit(found.id, reason=args.reason or "", typo=args.typo, **fields)
        if memory.id != found.id:
            told = f"{found.id} stays as it is; your words are {memory.id}, a lesson that waits: {one_line(memory.text, COLUMNS)}"
            return Answer(memory_json(memory), told)
        seen_whole(memories, memory.id)
        did = f"changed (tacit undo {args.id} takes it back)"
        did = yours_now(memories, found, "reworded", args.id) if is_confirmed(memory) else did
    return Answer(memory_json(memory), f"{args.id}: {did}: {one_line(memory.text, COLUMNS)}")


@verb("undo", "take back a change", long=True)
@arg(
    "what",
    metavar="N|ID",
    required=False,
    help=(
        "a lesson's number on the screens: your last change of it; its id: its last change; an "
        "answered question's id"
    ),
)
@opt("--entry", metavar="N", help="an entry of tacit why --full by its number")
@opt("--from", "origin", metavar="SOURCE", help="all that was dropped with --from SOURCE")
def undo_verb(args: Asked, cli: Cli) -> Answer:
    if not (args.what or args.entry or args.origin):
        raise UsageError(
            "Undo what?",
            "Give a lesson's number or id, --entry N of tacit why --full, or --from SOURCE.",
        )
    with cli.open(args, create=False) as memories:
        what = change_meant(memories, args.entry or args.what or "", bool(args.entry))
        numbered = meant(memories, args.what) if args.what and what != args.what else ""
        try:
            back, profile = (
                correcting.undo(memories, what, origin=args.origin or ""),
                memories.profile,
            )
        except NotFound as unknown:
            try:
                found = reviewing.reopen(memories, what)  # a question that was answered
            except NotFound:
                raise unknown from None
            found = question_meant(memories, found.id) or found
            remember_numbers(memories, [numbered_as(found)], instead=numbered)
            told = (
                f"took back: {args.what} waits for your answer again: {one_line(found.reason, 400)}"
            )
            return Answer({"proposal": found.id}, told)
        seen_whole(memories, *(each.id for each in back))
    if not back:
        raise NotFound("There is nothing to take back.", "tacit why ID shows its history.")
    typed = args.what if len(back) == 1 and (args.what or "").isdecimal() else ""
    said = [
        f"took back; {typed or m.id} is {standing_words(m, profile).words}: {one_line(m.text, COLUMNS)}"
        for m in back
    ]
    return Answer({"memories": [memory_json(m) for m in back]}, "\n".join(said))
