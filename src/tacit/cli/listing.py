"""list: the lessons, in force, waiting, all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, did_you_mean, opt, verb
from tacit.cli.words import WITHHELD_HERE, heads, memory_line, paint, table
from tacit.core import clock
from tacit.core.errors import UsageError, many_of, numbered
from tacit.core.standing import is_confirmed, is_product_detail
from tacit.core.states import ACTIVE, DOUBTED, KEPT, STATES, stage_of
from tacit.core.states import WAITING as WAITS
from tacit.core.value import replace
from tacit.hosts import run_in_shell
from tacit.lesson import SCOPES, Lesson, memory_json
from tacit.memory import Memory as Memories
from tacit.screens.numbers import (
    fits,
    remember_numbers,
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
    shelf,
)
from tacit.screens.wording import listed_words
from tacit.store.lookups import signers, withheld_in
from tacit.store.reads import SORTS

MOST, MOST_JSON = 200, 50  # lessons of a list, where nobody says how many
TITLES = {
    IN_FORCE: "Told to agents, each where it fits",
    YOUR_WORD: "Waits for you: tacit review",
    WAITING: "Seen once, not told yet: another session, or your word",
    ENDED: "Given no more",
    GONE: "Gone",
}


def typed(args: Asked, names: Sequence[str]) -> dict[str, Any]:
    """What was said of these."""
    return {name: at for name in names if (at := getattr(args, name))}


@verb(
    "list",
    "the lessons: told to agents, waiting, all",
    end="""What agents are told comes first. tacit help words says what stands beside a lesson.

examples:
  tacit list --kind preference
  tacit list --waiting --sort seen --limit 10
  tacit list --as-of 7d""",
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
@opt("--as-of", metavar="TIME", help="as they stood then: 2026-11-01, or 7d, 12h")
def list_verb(args: Asked, cli: Cli) -> Answer:
    equal = typed(args, ("kind", "domain", "agent", "category", "scope", "origin"))
    limit = (MOST_JSON if cli.json else MOST) if args.limit is None else max(0, args.limit)
    with cli.open(args, create=False) as memories:
        profile, hidden = (
            memories.profile,
            withheld_in(memories.store, memories.project_id, run_in_shell(cli.env)),
        )
        found = _found(memories, args, equal, limit)
        names, asked = signers(memories.store, found), asked_about(memories)
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
    return bool(
        equal or args.tag or args.since or args.text or args.state or args.archived or args.as_of
    )


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
            as_of=instant(args.as_of),
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


def instant(text: str | None) -> str:
    """A time as the journal writes it; a bare date is the end of its day."""
    told = moment(text)
    if not told:
        return ""
    return f"{told}T23:59:59.999Z" if len(told) == 10 else clock.stamp(clock.seconds(told))
