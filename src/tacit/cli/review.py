"""review: what waits for somebody's word, and the word itself; keep, drop: the same in passing, by the numbers of the screens or by ids.

To keep makes a lesson the person's word, or answers a question with yes; to drop takes a lesson out, reversibly, or answers no. A number
that was never shown means nothing: nobody's word is guessed at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.cli.staging import staging
from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import hung, one_line, paint, wrapped
from tacit.core.errors import NotFound, UsageError, numbered
from tacit.core.profile import Profile
from tacit.core.proposal import Proposal, new_words
from tacit.core.standing import is_product_detail, replay_command
from tacit.core.value import replace
from tacit.learn import reviewing
from tacit.lesson import Lesson, memory_json
from tacit.memory import Memory as Memories
from tacit.screens.numbers import (
    COLUMNS,
    fits,
    need_same_words,
    remember_numbers,
    words_of,
)
from tacit.screens.one_screen import came_up
from tacit.screens.passing import meant, question_meant
from tacit.screens.selection import (
    IN_FORCE,
    as_seen,
    asked_about,
    need_seen,
    numbered_as,
    shelf,
    unasked,
    worth_a_replay,
)
from tacit.screens.views import picked, proposal_json
from tacit.screens.wording import (
    BY_NOTICE,
    MOVED,
    decided,
    held_words,
    question,
    seen,
    standing_words,
)
from tacit.sync import team

if TYPE_CHECKING:
    from tacit.learn.review import Reviewed

_QUOTED = 5  # pieces of evidence that are shown with what they say


@verb(
    "review",
    "what waits for your word: approve, reject, merge",
    end="""examples:
  tacit review                                    what waits for you
  tacit review approve k3v9                       let a held lesson in, or a lesson rise
  tacit review approve mem-task-014-1 --to canonical --as design_authority
  tacit review open k3v9 --reason 'misled two tasks'
  tacit review close k3v9 --outcome reinstate --text 'Retry with backoff, at most five times.'
  tacit review close k3v9 --outcome weaken --reason 'only true for the old queue'
  tacit review approve 7f2c m2p4                  of two lessons that contradict each other m2p4 stays
  tacit review merge k3v9 m2p4                    k3v9 goes into m2p4; unmerge takes it back""",
    long=True,
)
@arg(
    "verb",
    type=OneOf(
        ("list", "show", "approve", "edit", "reject", "merge", "unmerge", "open", "close", "clear")
    ),
    default="list",
    required=False,
    help="what to do; without it: list",
)
@arg("id", default="", required=False, help="a memory or a proposal")
@arg(
    "other",
    default="",
    required=False,
    help="merge, approve of a contradiction: the memory that stays",
)
@opt(
    "--as",
    "--role",
    "role",
    default="person",
    metavar="ROLE",
    help="the role you sign for, for example design_authority",
)
@opt("--to", default="", metavar="TO", help="approve, close: the state it should go to")
@opt(
    "--outcome",
    type=OneOf(("reinstate", "keep", "weaken", "supersede", "archive", "reject", "decay")),
    help="close: what the review came to",
)
@opt(
    "--into",
    default="",
    metavar="INTO",
    help="close --outcome supersede: the memory that takes its place",
)
@opt("--text", default="", metavar="TEXT", help="edit, close: the better wording")
@opt("--reason", default="", metavar="REASON", help="why; it is kept in the journal")
@opt("--all", is_flag=True, help="list: decided ones too; clear: also what has not expired")
@opt("--staged", is_flag=True, help="list, approve, clear: what `tacit learn --stage` staged")
def review_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if args.staged and not args.id:
            return staging(memories, args.verb)
        if args.verb == "list":
            return _list(memories, cli, args.all)
        if args.verb != "clear" and not args.id:
            raise UsageError(
                f"tacit review {args.verb}: of what?",
                "Name a memory or a proposal: tacit review list",
            )
        if args.verb == "show":
            return _show(memories, cli, args.id)
        if args.verb == "merge" and not (args.other or args.into):
            raise UsageError("tacit review merge: into what?", "tacit review merge THIS INTO_THAT")
        if args.verb == "edit" and not args.text:
            raise UsageError("tacit review edit: to what?", "Give --text.")
        id = meant(memories, args.id)
        asked = question_meant(memories, id) if args.id.isdigit() else None
        if args.verb == "approve":
            need_same_words(memories, args.id, id)
        done = reviewing.review(
            memories,
            asked.id if asked else id,
            args.verb,
            role=args.role,
            to=args.to,
            outcome=args.outcome or "",
            into=args.other or args.into,
            text=args.text,
            reason=args.reason,
            every=args.all,
        )
        if isinstance(done, int):
            return Answer(
                {"closed": done},
                f"{numbered(done, 'question')} closed; what they are about stays as it is",
            )
        data = {
            **done.__dict__,
            "waits_for": done.waits_for or None,
            "proposal": done.proposal or None,
        }
        return Answer(data, _decision_words(done, memories.profile))


def _decision_words(done: Reviewed, profile: Profile) -> str:
    """What came of a decision; a profile with states of its own is told in its words."""
    if not done.memory:
        return done.reason
    plain = "standing" in profile.columns
    if done.waits_for:
        now = decided(done.state, done.state) if plain else f"stays {done.state}"
        return f"{done.memory} {now}: your word is kept, it still needs {done.waits_for}"
    if plain:
        return f"{done.memory}  {decided(done.was, done.state)}: {done.reason}"
    return f"{done.memory}  {f'{done.was} → {done.state}' if done.was != done.state else done.state}: {done.reason}"


def _list(memories: Memories, cli: Cli, everything: bool) -> Answer:
    waiting = reviewing.proposals(memories, state="" if everything else "open")
    under, held = (
        sorted((as_seen(memories, each) for each in unasked(memories, kind)), key=is_product_detail)
        for kind in ("review", "held")
    )
    waiting = [_as_seen(memories, each) for each in waiting]
    refused, doubtful = team.refused(memories), worth_a_replay(memories)
    about = asked_about(memories)  # what is asked about stands with its question
    look = (
        [each for each in some if each.id not in about] for some in reviewing.worth_a_look(memories)
    )
    heard, best = ([(each, came_up(each)) for each in some] for some in look)
    rows = [each.id for some in (heard, best, doubtful) for each, _ in some]
    named = _Names(
        memories, cli, [*map(numbered_as, waiting), *(each.id for each in (*under, *held)), *rows]
    )
    lines: list[str] = []
    for each in waiting:
        of = memories.store.memories([each.memory]) if each.memory else []
        of = [as_seen(memories, one) for one in of]
        lines += [
            *_card(cli, each, of[0] if of else None, named),
            "",
        ]
    title = f"In question: given to nobody until you decide (tacit review close {named.any} --outcome keep|archive|…)"
    lines += _group(cli, title, _stands(under), named)
    ask = f"tacit keep {named.any}, or drop"
    lines += _group(
        cli, f"Need your word before an agent is given them ({ask})", _stands(held), named
    )
    nothing = "" if lines else "nothing waits for your decision"
    lines += _group(
        cli, f"Heard from you and in force; your yes makes it your word ({ask})", heard, named
    )
    title = f"Waiting for another session, the best first; your yes puts one in force ({ask})"
    lines += _group(cli, title, best, named)
    title = f"A replay of past tasks tells in a night what the coins cannot yet ({replay_command('ID')})"
    lines += _group(cli, title, doubtful, _Names(memories, cli, ()))
    if nothing and lines:
        lines = [nothing, "", *lines]
    return Answer(
        {
            "heard": [memory.id for memory, _ in heard],
            "replay": [memory.id for memory, _ in doubtful],
            "candidates": [memory.id for memory, _ in best],
            "proposals": [proposal_json(each) for each in waiting],
            "doubted": [memory.id for memory in under],
            "held": [memory.id for memory in held],
            "why_held": {memory.id: memory.gate_reason for memory in held},
            "refused": refused,
        },
        "\n".join(lines).rstrip() or "nothing waits for you",
        warnings=refused,
    )


def _as_seen(memories: Memories, asked: Proposal) -> Proposal:
    """A question as whoever looks may see it: an agent reads no words that its yes would put in force and the gate holds."""
    if memories.actor.is_person or not reviewing.takes_more_than_a_number(memories, asked.id):
        return asked
    return replace(asked, reason="waits for a person, who reads it", payload={})


class _Names:
    """What a person types for a row: at a terminal the number that it has on every screen, elsewhere its id."""

    def __init__(self, memories: Memories, cli: Cli, ids: Sequence[str]) -> None:
        at_terminal = cli.out.isatty() and not cli.json
        whole = [id for id in ids if at_terminal and fits(words_of(memories, id))]
        known = remember_numbers(memories, whole) if whole else {}
        self.numbers = {id: known[id] for id in whole if id in known}
        self.any = "N" if self.numbers else "ID"

    def __getitem__(self, id: str) -> str:
        return str(self.numbers.get(id, id))


def _card(cli: Cli, each: Proposal, about: Lesson | None, names: _Names | None = None) -> list[str]:
    """A question with what it is about and what to type."""
    payload, name = (
        each.payload or {},
        names[numbered_as(each)] if names and names.numbers else each.id,
    )
    closed = f" ({each.state})" if each.state != "open" else ""
    waits = about is not None and shelf(about) != IN_FORCE and each.kind == "promote"
    asks = question("confirm" if waits else each.kind, payload)
    lines = [
        f"{paint(cli, 'id', name)}  {paint(cli, 'wait' if not closed else 'quiet', asks)}{closed}"
    ]
    if about is not None:
        lines += hung("  ", one_line(about.text, COLUMNS))
    why, _, quote = each.reason.partition("; from: ")
    why = f"{held_words(why)}; from: {quote}" if quote else each.reason
    lines += [paint(cli, "quiet", f"  {line}") for line in wrapped(one_line(why, 600), 2)]
    if would := new_words(each):
        lines += hung("  ", f"would read: {one_line(would, COLUMNS)}")
    if payload.get("gate", "allow") != "allow":
        lines += hung("  ", f"kept at a terminal only: {held_words(payload['gate_reason'])}")
    signed = ", ".join(
        who if role == "person" else f"{who} ({role})" for who, role in each.approvals
    )
    lines += [f"  approved so far by {signed}"] if signed else []
    if not closed:
        lines += [paint(cli, "quiet", f"  {line}") for line in _answers(each, name)]
    return lines


def _answers(each: Proposal, name: str) -> list[str]:
    """What to type."""
    if each.kind == "notice":
        return [f"done, or known: tacit keep {name}"]
    if each.kind == "contradiction":
        return [f"tacit review approve {name} THE_ONE_THAT_STAYS", f"tacit drop {name}"]
    return [f"tacit keep {name} · tacit drop {name}"]


def _group(cli: Cli, title: str, found: Sequence[tuple[Lesson, str]], names: _Names) -> list[str]:
    """Lessons that wait, each whole, with what is to be known of it."""
    if not found:
        return []
    lines = [paint(cli, "bold", line) for line in wrapped(title)]
    for memory, what in found:
        name, (first, *rest) = names[memory.id], wrapped(one_line(memory.text, COLUMNS), 6)
        lines += [f"{paint(cli, 'id', f'{name:>4}')}  {first}", *(f"      {line}" for line in rest)]
        lines += [paint(cli, "quiet", f"      {line}") for line in wrapped(what, 6)]
    return [*lines, ""]


def _stands(found: Iterable[Lesson]) -> list[tuple[Lesson, str]]:
    return [(each, held_words(each.gate_reason) or f"{each.kind}, {seen(each)}") for each in found]


def _show(memories: Memories, cli: Cli, id: str) -> Answer:
    try:
        memory = memories.get(id)
    except NotFound:
        found = [
            each
            for each in reviewing.proposals(memories, state="")
            if each.id.startswith(id.lower())
        ]
        if len(found) != 1:
            raise
        return proposal_shown(memories, cli, found[0])
    need_seen(memories, memory)
    waiting = [
        _as_seen(memories, each)
        for each in reviewing.proposals(memories)
        if each.memory == memory.id
    ]
    told = _evidence(memories, memory)
    lines = [*_lesson(cli, memories, memory, told), ""]
    lines += [line for each in waiting for line in (*_card(cli, each, None), "")]
    lines.append(f"tacit why {memory.id} tells what would change it")
    data = {
        "memory": memory_json(memory),
        "evidence": told,
        "proposals": [proposal_json(each) for each in waiting],
    }
    return Answer(data, "\n".join(lines))


def _lesson(
    cli: Cli, memories: Memories, memory: Lesson, told: Sequence[Mapping[str, Any]]
) -> list[str]:
    said = standing_words(memory, memories.profile)
    lines = [
        f"{paint(cli, 'id', memory.id)}  {paint(cli, said.tone, said.words)}, {memory.kind}, {seen(memory)}"
    ]
    lines += hung("  ", one_line(memory.text, COLUMNS))
    if memory.gate != "allow" and memory.gate_reason:
        lines += hung("  ", f"not given: {held_words(memory.gate_reason)}")
    return [*lines, *_quoted(told)]


def proposal_shown(memories: Memories, cli: Cli, proposal: Proposal) -> Answer:
    proposal = _as_seen(memories, proposal)
    payload = proposal.payload or {}
    named = [
        as_seen(memories, memories.get(str(id)))
        for id in (proposal.memory, payload.get("other"), *payload.get("memories", ()))
        if id
    ]
    runs = [
        row.foreign_id if (row := memories.store.run(run)) else run
        for run in map(str, payload.get("runs", ()))
    ]
    lines = _card(cli, proposal, None, _Names(memories, cli, [numbered_as(proposal)]))
    facts = {
        "would be": MOVED.get(to := str(payload.get("to", "")), to),
        "needs": ", ".join(map(str, payload.get("needs", ()))),
        "instead": "; ".join(
            f"{name}: {field}" for name, field in payload.get("fields", {}).items()
        ),
        "it says": str(payload.get("quote") or ""),
        "suggested": str(payload.get("patch") or ""),
        "sessions": f"{payload.get('count', len(runs))}, the last: {', '.join(runs[-5:])}"
        if runs
        else "",
        "asked until": proposal.expires_at[:10] if proposal.state == "open" else "",
        "decided": f"{day} by {proposal.decided_by}: {proposal.decision}"
        if (day := proposal.decided_at[:10])
        else "",
    }
    for name, fact in facts.items():
        if fact:
            lines += hung(f"  {name:<12} ", one_line(fact, 600))
    told: list[dict[str, Any]] = []
    person = memories.actor.is_person
    for memory in named:
        mine = _evidence(memories, memory) if memory.gate == "allow" or person else []
        lines += ["", *_lesson(cli, memories, memory, mine)]
        told += mine
    return Answer({**proposal_json(proposal), "evidence": told}, "\n".join(lines))


def _evidence(memories: Memories, memory: Lesson) -> list[dict[str, Any]]:
    """What speaks for and against a memory, newest first, in its own words."""
    rows = sorted(memories.store.evidence(memory.id), key=lambda row: row.at, reverse=True)
    return [
        picked(row, "memory", "stance", "run", "by", "tier", "place", "quote", "at") for row in rows
    ]


def _quoted(told: Sequence[Mapping[str, Any]]) -> list[str]:
    quoted = [each for each in told if each["quote"]]
    lines: list[str] = []
    for each in quoted[:_QUOTED]:
        against = "" if each["stance"] == "supports" else "against it, "
        quote = one_line(each["quote"], 300)
        words = f"recognised: {quote}" if each["by"] == BY_NOTICE else f"“{quote}”"
        lines += hung("    ", f"{against}{each['by'] or 'somebody'}, {each['at'][:10]}: {words}")
    more = len(told) - len(quoted[:_QUOTED])
    return (
        [*lines, f"    and {numbered(more, 'more sighting')}, older or without words"]
        if more > 0
        else lines
    )
