"""What a guard answers before a call: a question to the person or a refusal, the lesson as its reason, the way out in it.

Asked only where a guard's condition holds. It counts as the store has it: armed by a person, its lesson in force in the words it was
armed with. A question is tossed against a note by the coin of lessons. What cannot be recorded is not said, and whatever fails here
leaves the call alone.
"""

from __future__ import annotations

from tacit.core import clock
from tacit.core.links import FIRED, GUARD_ASKED, REFUSED, TOLD, Mark
from tacit.core.rows import REPLAY_FOLDER, run_id
from tacit.core.states import ACTIVE
from tacit.core.value import loads, replace, value
from tacit.guards.armed import GUARDS
from tacit.guards.condition import ASK, REFUSE, call_key, guard_json
from tacit.safety.one_line import plain_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.guards.condition import Guard
    from tacit.hosts.dialect import Event, HookAnswer
    from tacit.memory import Memory as Memories

    Fired = tuple[str, Guard, str]  # project, guard, reason

_ARMS = {ASK: GUARD_ASKED, REFUSE: REFUSED}
_GUARD_WITHIN = 0.15  # seconds (design §4)


@value
class Decision:
    """What the host is told to do with a call."""

    what: str = ""  # ASK, REFUSE; empty: nothing
    reason: str = ""


def decided(
    memories: Memories, event: Event, fired: Sequence[Fired], can: Sequence[str], told: HookAnswer
) -> HookAnswer:
    """What is said, with what guards say of the call; what was said already stands whatever becomes of them."""
    try:
        if (
            memories.store.meta("paused_until") > clock.now()
            or memories.env.get("TACIT_REPLAY")
            or REPLAY_FOLDER in event.folder
        ):
            return told
        decision = _decide(memories, event, fired, can)
        return replace(told, decision=decision.what, reason=decision.reason)
    except Exception:
        return told  # a broken guard is a note


def _decide(
    memories: Memories, event: Event, candidates: Sequence[Fired], can: Sequence[str]
) -> Decision:
    """The decision about a call that guards fire on: the strictest of them, as far as the host `can`; the firing is recorded first."""
    from tacit.trial.coin import WITHHELD, assign

    project = memories.project
    if project is None:
        return Decision()
    kept = loads(memories.store.meta(GUARDS + project.id) or "{}")
    armed = [
        (guard, reason)
        for of, guard, reason in candidates
        if of == project.id
        and kept.get(guard.lesson, {}).get("guard") == guard_json(guard)
        and _is_in_force(memories, guard)
    ]
    if not armed:
        return Decision()
    guard, reason = max(armed, key=lambda each: each[0].step == REFUSE)
    step = guard.step if guard.step in can else ""
    rate = 0.0
    if guard.step == ASK and step and memories.env.get("TACIT_COIN") != "never":
        rate = memories.profile.trial.rate
        unit = run_id(project.id, event.host, event.root or event.session)
        step = (
            ""
            if assign(project.trial_key, unit, f"guard {guard.lesson}", rate).arm == WITHHELD
            else step
        )
    arm = _ARMS.get(step, TOLD)
    _record(memories, event, guard, reason, arm, rate)
    return Decision(step, _reason(guard, reason, kept[guard.lesson])) if step else Decision()


def _is_in_force(memories: Memories, guard: Guard) -> bool:
    found = memories.store.memories([guard.lesson])
    if not found or found[0].state != ACTIVE or found[0].gate != "allow":
        return False
    return bool(found[0].text == guard.text)


def _record(
    memories: Memories, event: Event, guard: Guard, reason: str, arm: str, rate: float
) -> None:
    project = memories.project_id
    unit = run_id(project, event.host, event.root or event.session)
    call = call_key(event.files[0] if event.files else event.text)
    mark = Mark(
        guard.lesson,
        unit,
        project,
        FIRED,
        arm,
        rate,
        run=run_id(project, event.host, event.session),
        surface=reason,
        reason=f"{event.key} {call}",
        at=clock.now(),
    )
    with memories.store.write(wait=_GUARD_WITHIN) as tx:
        if not any(
            each.signal == FIRED and each.reason == mark.reason
            for each in tx.marks(memory=guard.lesson)
        ):
            tx.add_mark(mark)


def _reason(guard: Guard, why: str, kept: dict[str, str]) -> str:
    """The lesson with the way out; how to end the guard is the person's to read, and no agent's shell may do it."""
    ways = guard.instead.split("; ")
    way = next(
        (each for each in ways if each.startswith(why)), "" if len(ways) > 1 else guard.instead
    )
    way = f" Instead: {plain_line(way.removeprefix(f'{why}: '), 200)}." if way else ""
    ends = f"Guard on {plain_line(why, 120)}, armed by {plain_line(str(kept.get('by', 'you')), 40)} on {str(kept.get('at', ''))[:10]}"
    return f"{plain_line(guard.text)}{way} ({ends}; the person ends it with: tacit guard off {guard.lesson})"
