"""review: what waits for somebody's word, and the word itself."""

from __future__ import annotations

from tacit.core.errors import NotFound, UsageError
from tacit.core.states import ACTIVE
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.words import one_line, table, width
from tacit.surfaces.views import proposal_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.app import Memories
    from tacit.core.memory import Memory
    from tacit.core.proposal import Proposal
    from tacit.learn.review import Reviewed

VERBS = ("list", "show", "approve", "edit", "reject", "merge", "unmerge", "open", "close", "clear")
OUTCOMES = ("reinstate", "keep", "weaken", "supersede", "archive", "reject", "decay")
QUOTED = 5  # pieces of evidence that are shown with what they say


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verb", nargs="?", default="list", choices=VERBS, help="what to do; without it: list")
    parser.add_argument("id", nargs="?", default="", help="a memory or a proposal")
    parser.add_argument("other", nargs="?", default="", help="merge, approve of a contradiction: the memory that stays")
    parser.add_argument(
        "--as", "--role", dest="role", metavar="ROLE", default="person", help="the role you sign for, for example design_authority"
    )
    parser.add_argument("--to", default="", help="approve, close: the state it should go to")
    parser.add_argument("--outcome", choices=OUTCOMES, help="close: what the review came to")
    parser.add_argument("--into", default="", help="close --outcome supersede: the memory that takes its place")
    parser.add_argument("--text", default="", help="edit, close: the better wording")
    parser.add_argument("--reason", default="", help="why; it is kept in the journal")
    parser.add_argument("--all", action="store_true", help="list: decided ones too; clear: also what has not expired")
    parser.add_argument("--staged", action="store_true", help="list, approve, clear: what `tacit learn --stage` staged")
    parser.epilog = (
        "examples:\n"
        "  tacit review                                    what waits for you\n"
        "  tacit review approve k3v9                       let a held lesson in, or a lesson rise\n"
        "  tacit review approve mem-task-014-1 --to canonical --as design_authority\n"
        "  tacit review open k3v9 --reason 'misled two tasks'\n"
        "  tacit review close k3v9 --outcome reinstate --text 'Retry with backoff, at most five times.'\n"
        "  tacit review close k3v9 --outcome weaken --reason 'only true for the old queue'\n"
        "  tacit review approve 7f2c m2p4                  of two lessons that contradict each other m2p4 stays\n"
        "  tacit review merge k3v9 m2p4                    k3v9 goes into m2p4; unmerge takes it back"
    )


def _review(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:
        if args.staged and not args.id:
            return _staging(memories, args.verb)
        if args.verb == "list":
            return _list(memories, args.all)
        if args.verb != "clear" and not args.id:
            raise UsageError(f"tacit review {args.verb}: of what?", "Name a memory or a proposal: tacit review list")
        if args.verb == "show":
            return _show(memories, args.id)
        if args.verb == "merge" and not (args.other or args.into):
            raise UsageError("tacit review merge: into what?", "tacit review merge THIS INTO_THAT")
        if args.verb == "edit" and not args.text:
            raise UsageError("tacit review edit: to what?", "Give --text.")
        done = memories.review(
            args.id, args.verb, role=args.role, to=args.to, outcome=args.outcome or "", into=args.other or args.into,
            text=args.text, reason=args.reason, every=args.all,
        )  # fmt: skip
        if isinstance(done, int):
            return Answer({"closed": done}, f"{done} proposals closed; their memories keep their states")
        return Answer(_json(done), _told(done))


def _staging(memories: Memories, verb: str) -> Answer:
    """The staging area as a whole: looked at, promoted as far as it passes validation, or emptied."""
    from tacit.core.staging import staging_status

    stage = memories.staging
    if verb == "approve":
        memories.need_person("Approving")
        promoted, skipped = stage.promote()
        left = stage.stats()
        told = f"{promoted} promoted, {skipped} skipped, {left.rejected} rejected by validation"
        return Answer({"promoted": promoted, "skipped": skipped, "staging": dict(left.__dict__)}, told)
    if verb == "clear":
        memories.need_person("Clearing")
        gone = stage.clear()
        return Answer({"cleared": gone}, f"{gone} cleared; what is met again is staged again")
    if verb != "list":
        raise UsageError(f"tacit review {verb} --staged: of what?", "list, approve and clear work on the whole area.")
    found = [(staging_status(memory), memory) for memory in stage.listed()]
    rows = [
        [memory.id, status, memory.kind, one_line(memory.gate_reason if status == "rejected" else "", 44), one_line(memory.text, 60)]
        for status, memory in found
    ]  # fmt: skip
    data = [
        {"id": m.id, "status": status, "kind": m.kind, "task_type": m.task_type, "text": m.text,
         "confidence": m.tally.confidence, "reason": m.gate_reason if status == "rejected" else None}
        for status, m in found
    ]  # fmt: skip
    heads = ("id", "status", "kind", "reason", "lesson")
    return Answer(
        {"staged": data, "stats": dict(stage.stats().__dict__)}, table(rows, heads) if rows else "nothing is staged"
    )


def _json(done: Reviewed) -> dict[str, Any]:
    return {**done.__dict__, "waits_for": done.waits_for or None, "proposal": done.proposal or None}


def _told(done: Reviewed) -> str:
    if done.waits_for:
        return f"{done.memory} stays {done.state}: your word is kept, it still needs {done.waits_for}"
    moved = f"{done.was} → {done.state}" if done.was != done.state else done.state
    return f"{done.memory}  {moved}: {done.reason}"


def _list(memories: Memories, everything: bool) -> Answer:
    waiting = memories.proposals(state="" if everything else "open")
    under, held = _in_question(memories)
    refused = memories.refused()
    text = [_listed(waiting)] if waiting else []
    for title, found in (("under review", under), ("held by the gate", held)):
        if found:
            room = max(30, (width() - 30) // 2)
            listed = [[m.id, m.kind, one_line(m.text, room), one_line(m.gate_reason, room)] for m in found]
            text += [f"{title}:", table(listed)]
    heard, best = memories.worth_a_look()
    nothing = "" if text else "nothing waits for your decision"
    for title, looked in (("heard from you, on trial until you confirm it", heard), ("best candidates, not in force", best)):
        if looked:
            listed = [[m.id, m.kind, what, one_line(m.text, max(30, width() - 60))] for m, what in looked]
            text += [f"{title} (tacit review approve ID):", table(listed)]
    if nothing and text:
        text.insert(0, nothing)
    return Answer(
        {
            "heard": [memory.id for memory, _ in heard],
            "candidates": [memory.id for memory, _ in best],
            "proposals": [proposal_json(each) for each in waiting],
            "under_review": [memory.id for memory in under],
            "held": [memory.id for memory in held],
            "why_held": {memory.id: memory.gate_reason for memory in held},
            "refused": refused,
        },
        "\n".join(text) or "nothing waits for you",
        warnings=refused,
    )


def _listed(waiting: Sequence[Proposal]) -> str:
    """Proposals as a table; columns that would be empty leave their room to the reason."""
    columns = {
        "proposal": [each.id for each in waiting],
        "kind": [each.kind for each in waiting],
        "memory": [each.memory for each in waiting],
        "to": [_goal(each) for each in waiting],
        "approved by": [_signed(each) if each.approvals else "" for each in waiting],
    }
    shown = {head: cells for head, cells in columns.items() if any(cells)}
    room = width() - sum(max(len(head), *map(len, cells)) + 2 for head, cells in shown.items())
    reasons = [one_line(each.reason, max(30, room)) for each in waiting]
    return table([list(row) for row in zip(*shown.values(), reasons)], (*shown, "why"))


def _in_question(memories: Memories) -> tuple[list[Memory], list[Memory]]:
    under = memories.list(states=("under_review",), limit=50)
    held = memories.list(states=ACTIVE, equal={"gate": "hold"}, limit=50)
    held += memories.list(states=("candidate",), equal={"gate": "quarantine"}, limit=50)
    return under, held


def _goal(proposal: Proposal) -> str:
    return str((proposal.payload or {}).get("to", "")) + (f" ({proposal.state})" if proposal.state != "open" else "")


def _signed(proposal: Proposal) -> str:
    return ", ".join(name if role == "person" else f"{name} ({role})" for name, role in proposal.approvals) or "-"


def _show(memories: Memories, id: str) -> Answer:
    from tacit.core.memory import as_json

    try:
        memory = memories.get(id)
    except NotFound:
        found = [each for each in memories.proposals(state="") if each.id.startswith(id.lower())]
        if len(found) != 1:
            raise
        return _show_proposal(memories, found[0])
    waiting = [each for each in memories.proposals() if each.memory == memory.id]
    told = _evidence(memories, memory)
    lines = [f"{memory.id}  {memory.state}, gate {memory.gate}: {one_line(memory.text, width() - 30)}", *_quoted(told)]
    lines += [f"  {each.id}  {each.kind} → {_goal(each)}, approved by {_signed(each)}: {each.reason}" for each in waiting]
    lines.append(f"  tacit why {memory.id} tells what would move it")
    data = {"memory": as_json(memory), "evidence": told, "proposals": [proposal_json(each) for each in waiting]}
    return Answer(data, "\n".join(lines))


def _show_proposal(memories: Memories, proposal: Proposal) -> Answer:
    payload = proposal.payload or {}
    named = [memories.get(str(id)) for id in (proposal.memory, payload.get("other"), *payload.get("memories", ())) if id]
    lines = [f"{proposal.id}  {proposal.kind} ({proposal.state}): {proposal.reason}"]
    facts = {
        "to": _goal(proposal),
        "needs": ", ".join(map(str, payload.get("needs", ()))),
        "text": str(payload.get("text") or ""),
        "instead": "; ".join(f"{name}: {field}" for name, field in payload.get("fields", {}).items()),
        "line": str(payload.get("quote") or ""),
        "patch": str(payload.get("patch") or ""),
        "sessions": ", ".join(map(str, payload.get("runs", ()))),
        "approved": _signed(proposal),
        "expires": proposal.expires_at[:10] if proposal.state == "open" else "",
        "decided": f"{proposal.decided_at[:10]} by {proposal.decided_by}: {proposal.decision}" if proposal.decided_at else "",
    }
    lines += [f"  {name:<9} {one_line(fact, width() - 14)}" for name, fact in facts.items() if fact]
    told: list[dict[str, Any]] = []
    for memory in named:
        mine = _evidence(memories, memory)
        lines += [f"  {'memory':<9} {memory.id} ({memory.state}): {one_line(memory.text, width() - 40)}", *_quoted(mine)]
        told += mine
    return Answer({**proposal_json(proposal), "evidence": told}, "\n".join(lines))


def _evidence(memories: Memories, memory: Memory) -> list[dict[str, Any]]:
    """What speaks for and against a memory, newest first, in its own words."""
    rows = sorted(memories.store.evidence(memory.id), key=lambda row: row.at, reverse=True)
    names = ("stance", "run", "by", "tier", "place", "quote", "at")
    return [{"memory": memory.id, **{name: row.__dict__[name] for name in names}} for row in rows]


def _quoted(told: Sequence[Mapping[str, Any]]) -> list[str]:
    quoted = [each for each in told if each["quote"]]
    lines = [
        f"    {each['stance']}, {each['by'] or '?'} ({each['tier']}) {each['at'][:10]}: “{one_line(each['quote'], 160)}”"
        for each in quoted[:QUOTED]
    ]
    more = len(told) - len(lines)
    return [*lines, f"    and {more} more without words or older"] if more > 0 else lines


COMMANDS = {"review": (_declare, _review)}
