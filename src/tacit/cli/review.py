"""review: what waits for somebody's word, and the word itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.cli.verb import Answer, Asked, Cli, OneOf, arg, opt, verb
from tacit.cli.words import hung, one_line, paint, table, wrapped
from tacit.core.errors import NotFound, UsageError, numbered
from tacit.core.proposal import Proposal, new_words, staging_status
from tacit.core.standing import is_product_detail, replay_command
from tacit.core.value import replace
from tacit.learn import correcting, reviewing
from tacit.lesson import Lesson, memory_json
from tacit.memory import Memory as Memories
from tacit.origins import tending
from tacit.screens.numbers import COLUMNS, fits, need_same_words, remember_numbers, words_of
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
    came_up,
    decided,
    held_words,
    question,
    seen,
    standing_words,
)
from tacit.sync import team

if TYPE_CHECKING:
    from tacit.learn.review import Reviewed

QUOTED = 5  # pieces of evidence that are shown with what they say
VERBS = "list show approve edit reject merge unmerge open close clear".split()
OUTCOMES = "reinstate keep weaken supersede archive reject decay".split()


@verb(
    "review",
    "what waits for you: approve, reject, merge",
    end="""examples:
  tacit review                                    what waits for you
  tacit review approve k3v9                       let a held lesson in, or a lesson rise
  tacit review approve mem-task-014-1 --to canonical --as design_authority
  tacit review open k3v9 --reason 'misled two tasks'
  tacit review close k3v9 --outcome reinstate --text 'Retry with backoff, at most five times.'
  tacit review merge k3v9 m2p4                    k3v9 goes into m2p4; unmerge takes it back""",
    long=True,
)
@arg("verb", type=OneOf(VERBS), default="list", required=False, help="without it: list")
@arg("id", default="", required=False, help="a lesson or a question")
@arg("other", default="", required=False, help="merge: the one that stays")
@opt("--as", "--role", "role", default="person", metavar="ROLE", help="the role you sign for")
@opt("--to", default="", metavar="TO", help="approve, close: the state it should go to")
@opt("--outcome", type=OneOf(OUTCOMES), help="close: what the review came to")
@opt("--into", default="", metavar="INTO", help="close: the lesson that takes its place")
@opt("--text", default="", metavar="TEXT", help="edit, close: the better wording")
@opt("--reason", default="", metavar="REASON", help="why; it is kept in the journal")
@opt("--all", is_flag=True, help="list: decided ones too; clear: also what has not expired")
@opt("--staged", is_flag=True, help="list, approve, clear: what `tacit learn --stage` staged")
def review_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if args.staged and not args.id:
            return _staging(memories, args.verb)
        if args.verb == "list":
            return _list(memories, cli, args.all)
        if args.verb != "clear" and not args.id:
            how = "Name a lesson or a question: tacit review list"
            raise UsageError(f"tacit review {args.verb}: of what?", how)
        if args.verb == "show":
            return _show(memories, cli, args.id)
        if args.verb == "merge" and not (args.other or args.into):
            raise UsageError("tacit review merge: into what?", "tacit review merge THIS INTO_THAT")
        if args.verb == "edit" and not args.text:
            raise UsageError("tacit review edit: to what?", "Give --text.")
        return _decide(memories, args)


def _decide(memories: Memories, args: Asked) -> Answer:
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
        told = f"{numbered(done, 'question')} closed; what they are about stays as it is"
        return Answer({"closed": done}, told)
    nothing = {"waits_for": done.waits_for or None, "proposal": done.proposal or None}
    return Answer({**done.__dict__, **nothing}, _came_of(done, memories))


def _came_of(done: Reviewed, memories: Memories) -> str:
    """What came of a decision; an origin with states of its own is told in its words."""
    plain = "standing" in memories.profile.columns
    if not done.memory:
        return done.reason
    if done.waits_for:
        now = decided(done.state, done.state) if plain else f"stays {done.state}"
        return f"{done.memory} {now}: your word is kept, it still needs {done.waits_for}"
    moved = f"{done.was} → {done.state}" if done.was != done.state else done.state
    return f"{done.memory}  {decided(done.was, done.state) if plain else moved}: {done.reason}"


class _Names:
    """What a person types for a row: at a terminal the number that it has on every screen, else its id."""

    def __init__(self, memories: Memories, cli: Cli, ids: Sequence[str]) -> None:
        at_terminal = cli.out.isatty() and not cli.json
        whole = [id for id in ids if at_terminal and fits(words_of(memories, id))]
        known = remember_numbers(memories, whole) if whole else {}
        self.numbers = {id: known[id] for id in whole if id in known}
        self.any = "N" if self.numbers else "ID"

    def __getitem__(self, id: str) -> str:
        return str(self.numbers.get(id, id))

    def of(self, asked: Proposal) -> str:
        return self[numbered_as(asked)] if self.numbers else asked.id


def _list(memories: Memories, cli: Cli, everything: bool) -> Answer:
    waiting = [
        _as_seen(memories, each)
        for each in reviewing.proposals(memories, state="" if everything else "open")
    ]
    under, held = (
        sorted((as_seen(memories, each) for each in unasked(memories, kind)), key=is_product_detail)
        for kind in ("review", "held")
    )
    about = asked_about(memories)  # what is asked about stands with its question
    heard, best = (
        [(each, came_up(each)) for each in some if each.id not in about]
        for some in reviewing.worth_a_look(memories)
    )
    doubtful, refused = worth_a_replay(memories), team.refused(memories)
    rows = [each.id for some in (heard, best, doubtful) for each, _ in some]
    ids = [*map(numbered_as, waiting), *(each.id for each in (*under, *held)), *rows]
    named = _Names(memories, cli, ids)
    lines: list[str] = []
    for asked in waiting:
        of = memories.store.memories([asked.memory]) if asked.memory else []
        of = [as_seen(memories, one) for one in of]
        lines += [*_card(cli, asked, of[0] if of else None, named.of(asked)), ""]
    close, ask = (
        f"tacit review close {named.any} --outcome keep|archive|…",
        f"tacit keep {named.any}, or drop",
    )
    asks = [
        (f"Contradicted: told to nobody until you decide ({close})", _stands(under)),
        (f"Wait for you before an agent is told them ({ask})", _stands(held)),
    ]
    offers = [
        (f"Heard from you and told to agents; your yes makes it your word ({ask})", heard),
        (f"Seen once, not told yet, the best first; your yes tells one ({ask})", best),
        (
            "A replay of past tasks tells in a night what the coins cannot yet"
            f" ({replay_command('ID')})",
            doubtful,
        ),
    ]
    for title, some in asks:
        lines += _group(cli, title, some, named)
    nothing = not lines
    for title, some in offers:
        lines += _group(cli, title, some, named)
    if nothing:
        lines = ["nothing waits for your decision", "", *lines] if lines else []
    data = {
        "heard": [memory.id for memory, _ in heard],
        "replay": [memory.id for memory, _ in doubtful],
        "candidates": [memory.id for memory, _ in best],
        "proposals": [proposal_json(each) for each in waiting],
        "doubted": [memory.id for memory in under],
        "held": [memory.id for memory in held],
        "why_held": {memory.id: memory.gate_reason for memory in held},
        "refused": refused,
    }
    return Answer(data, "\n".join(lines).rstrip() or "nothing waits for you", warnings=refused)


def _as_seen(memories: Memories, asked: Proposal) -> Proposal:
    """A question as whoever looks may see it: an agent reads no words that its yes would put in force and the gate holds."""
    if memories.actor.is_person or not correcting.takes_more_than_a_number(memories, asked.id):
        return asked
    return replace(asked, reason="waits for a person, who reads it", payload={})


def _card(cli: Cli, asked: Proposal, about: Lesson | None, name: str) -> list[str]:
    """A question with what it is about and what to type."""
    payload, is_open = asked.payload or {}, asked.state == "open"
    waits = about is not None and shelf(about) != IN_FORCE and asked.kind == "promote"
    title = question("confirm" if waits else asked.kind, payload)
    head = f"{paint(cli, 'id', name)}  {paint(cli, 'wait' if is_open else 'quiet', title)}"
    lines = [head if is_open else f"{head} ({asked.state})"]
    if about is not None:
        lines += hung("  ", one_line(about.text, COLUMNS))
    why, _, quote = asked.reason.partition("; from: ")
    why = f"{held_words(why)}; from: {quote}" if quote else asked.reason
    lines += [paint(cli, "quiet", f"  {line}") for line in wrapped(one_line(why, 600), 2)]
    if would := new_words(asked):
        lines += hung("  ", f"would read: {one_line(would, COLUMNS)}")
    if payload.get("gate", "allow") != "allow":
        lines += hung("  ", f"kept at a terminal only: {held_words(payload['gate_reason'])}")
    if asked.approvals:
        signed = (who if role == "person" else f"{who} ({role})" for who, role in asked.approvals)
        lines.append(f"  approved so far by {', '.join(signed)}")
    if is_open:
        how = f"tacit keep {name} · tacit drop {name}"
        if asked.kind == "notice":
            how = f"done, or known: tacit keep {name}"
        lines.append(paint(cli, "quiet", f"  {how}"))
    return lines


def _group(cli: Cli, title: str, found: Sequence[tuple[Lesson, str]], names: _Names) -> list[str]:
    """Lessons that wait, each whole, with what is to be known of it."""
    lines = [paint(cli, "bold", line) for line in wrapped(title)] if found else []
    for memory, what in found:
        lines += hung(f"{names[memory.id]:>4}  ", one_line(memory.text, COLUMNS))
        lines += [paint(cli, "quiet", f"      {line}") for line in wrapped(what, 6)]
    return [*lines, ""] if found else []


def _stands(found: Iterable[Lesson]) -> list[tuple[Lesson, str]]:
    return [(each, held_words(each.gate_reason) or f"{each.kind}, {seen(each)}") for each in found]


def _show(memories: Memories, cli: Cli, id: str) -> Answer:
    try:
        memory = memories.get(id)
    except NotFound:
        every = reviewing.proposals(memories, state="")
        found = [each for each in every if each.id.startswith(id.lower())]
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
    for each in waiting:
        lines += [*_card(cli, each, None, each.id), ""]
    lines.append(f"tacit why {memory.id} tells what would change it")
    asked = [proposal_json(each) for each in waiting]
    data = {"memory": memory_json(memory), "evidence": told, "proposals": asked}
    return Answer(data, "\n".join(lines))


def _lesson(
    cli: Cli, memories: Memories, memory: Lesson, told: Sequence[Mapping[str, Any]]
) -> list[str]:
    said = standing_words(memory, memories.profile)
    stands = f"{paint(cli, said.tone, said.words)}, {memory.kind}, {seen(memory)}"
    lines = [f"{paint(cli, 'id', memory.id)}  {stands}"]
    lines += hung("  ", one_line(memory.text, COLUMNS))
    if memory.gate != "allow" and memory.gate_reason:
        lines += hung("  ", f"not told: {held_words(memory.gate_reason)}")
    quoted = [each for each in told if each["quote"]][:QUOTED]
    for each in quoted:
        quote = one_line(each["quote"], 300)
        words = f"recognised: {quote}" if each["by"] == BY_NOTICE else f"“{quote}”"
        who = f"{each['by'] or 'somebody'}, {each['at'][:10]}"
        lines += hung(
            "    ", f"{'' if each['stance'] == 'supports' else 'against it, '}{who}: {words}"
        )
    if more := len(told) - len(quoted):
        lines.append(f"    and {numbered(more, 'more sighting')}, older or without words")
    return lines


def proposal_shown(memories: Memories, cli: Cli, asked: Proposal) -> Answer:
    """A question, whole, with the lessons that it is about and what speaks for them."""
    asked = _as_seen(memories, asked)
    payload = asked.payload or {}
    runs = [
        row.foreign_id if (row := memories.store.run(run)) else run
        for run in map(str, payload.get("runs", ()))
    ]
    name = _Names(memories, cli, [numbered_as(asked)]).of(asked)
    lines = _card(cli, asked, None, name)
    instead = (f"{name}: {field}" for name, field in payload.get("fields", {}).items())
    facts = {
        "would be": MOVED.get(to := str(payload.get("to", "")), to),
        "needs": ", ".join(map(str, payload.get("needs", ()))),
        "instead": "; ".join(instead),
        "it says": str(payload.get("quote") or ""),
        "suggested": str(payload.get("patch") or ""),
        "sessions": f"{payload.get('count', len(runs))}, the last: {', '.join(runs[-5:])}"
        if runs
        else "",
        "asked until": asked.expires_at[:10] if asked.state == "open" else "",
        "decided": f"{asked.decided_at[:10]} by {asked.decided_by}: {asked.decision}"
        if asked.decided_at
        else "",
    }
    for name, fact in facts.items():
        lines += hung(f"  {name:<12} ", one_line(fact, 600)) if fact else []
    told: list[dict[str, Any]] = []
    for id in (asked.memory, payload.get("other"), *payload.get("memories", ())):
        if id:
            memory = as_seen(memories, memories.get(str(id)))
            shown = memory.gate == "allow" or memories.actor.is_person
            mine = _evidence(memories, memory) if shown else []
            lines += ["", *_lesson(cli, memories, memory, mine)]
            told += mine
    return Answer({**proposal_json(asked), "evidence": told}, "\n".join(lines))


def _evidence(memories: Memories, memory: Lesson) -> list[dict[str, Any]]:
    """What speaks for and against a lesson, newest first, in its own words."""
    rows = sorted(memories.store.evidence(memory.id), key=lambda row: row.at, reverse=True)
    return [picked(row, "memory stance run by", "tier", "place quote at") for row in rows]


def _staging(memories: Memories, verb: str) -> Answer:
    """What an origin staged as a whole: looked at, promoted as far as it passes validation, or emptied."""
    stage = tending.staging(memories)
    if verb == "approve":
        memories.need_person("Approving")
        promoted, skipped = stage.promote()
        left = stage.stats()
        told = f"{promoted} promoted, {skipped} skipped, {left.rejected} rejected by validation"
        data = {"promoted": promoted, "skipped": skipped, "staging": dict(left.__dict__)}
        return Answer(data, told)
    if verb == "clear":
        memories.need_person("Clearing")
        gone = stage.clear()
        return Answer({"cleared": gone}, f"{gone} cleared; what is met again is staged again")
    if verb != "list":
        how = "list, approve and clear work on the whole area."
        raise UsageError(f"tacit review {verb} --staged: of what?", how)
    staged = []
    for each in stage.listed():
        status = staging_status(each)
        reason = each.gate_reason if status == "rejected" else None
        one = {"id": each.id, "status": status, **picked(each, "kind task_type text")}
        staged.append({**one, "confidence": each.tally.confidence, "reason": reason})
    rows = []
    for one in staged:
        why, text = one_line(one["reason"] or "", 44), one_line(one["text"], 60)
        rows.append([one["id"], one["status"], one["kind"], why, text])
    shown = table(rows, ("id", "status", "kind", "reason", "lesson"))
    data = {"staged": staged, "stats": dict(stage.stats().__dict__)}
    return Answer(data, shown if rows else "nothing is staged")
