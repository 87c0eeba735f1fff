"""The four states of a lesson, and which moves between them are legal: written here and nowhere else.

waiting   not told: too few sessions, or a reason that a person must see
active    told where it matters
doubted   not told, and one question asks why
gone      dropped, replaced, faded or erased: `closed_by` and `superseded_by` say which

An origin's own word for where a lesson stands is its stage (`stage_of`): kept in `extra`, written and read by that
origin's class alone.
"""

from __future__ import annotations

from tacit.core.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.lesson import Lesson

STATES = WAITING, ACTIVE, DOUBTED, GONE = ("waiting", "active", "doubted", "gone")
UNDOUBTED = (
    WAITING,
    ACTIVE,
)  # may rise or fade by itself; what a cap in per cent of the memory counts
KEPT = (WAITING, ACTIVE, DOUBTED)  # still here: listed, swept, matched

RUNS = 2  # independent runs that make a lesson credible: one-offs are noise
MIN_UNITS = 20  # no belief counts before so many settled units
EXPOSURE = 10  # runs that could have met or used a lesson before its silence counts

ENDING_VERDICTS = ("harms",)  # verdicts after which a lesson is no longer given

LEGAL: dict[str, tuple[str, ...]] = {
    WAITING: (ACTIVE, DOUBTED, GONE),
    ACTIVE: (WAITING, DOUBTED, GONE),
    DOUBTED: (ACTIVE, GONE),
    GONE: (WAITING, DOUBTED),  # met again: the history is kept, the lesson starts over
}

# By hand, under their own verb, from every state; the states each may lead to.
ADMINISTRATIVE: dict[str, tuple[str, ...]] = {
    "forget": (GONE,),
    "merge": (GONE,),
    "erase": (GONE,),
    "undo": STATES,
    "unmerge": STATES,
    "sync": STATES,
}

STAGE = "stage"  # in a lesson's extra: where it stands in its origin's own words


def is_legal(state: str, to: str, verb: str = "move") -> bool:
    """Whether a lesson may go there; for administrative verbs, whether the verb leads there."""
    if verb in ADMINISTRATIVE:
        return state in LEGAL and to in ADMINISTRATIVE[verb]
    return to in LEGAL.get(state, ())


def barred(memory: Lesson, projects: Sequence[str]) -> str:
    """Why a memory may never be given to an agent, whatever is asked; empty if it may. The last wall before every
    prompt: whoever found a memory asks here."""
    if memory.project not in projects:
        return "another project"
    if memory.state != ACTIVE:
        return memory.state
    if memory.gate != "allow":
        return memory.gate
    if memory.verdict in ENDING_VERDICTS:
        return f"verdict {memory.verdict}"
    if memory.superseded_by:
        return "replaced"
    return "" if memory.text.strip() else "empty"


# -- stages: an origin's own words ----------------------------------------------------------------------

BEFORE = "stage before"  # in a lesson's extra: the stage it had before this one


def record_of(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """A lesson's own fields as its source wrote them, without the stages it came to here."""
    return {name: field for name, field in (extra or {}).items() if name not in (STAGE, BEFORE)}


def stage_of(memory: Lesson, stages: Mapping[str, str]) -> str:
    """Where a lesson stands in the words of these stages (stage → state). What anybody else did to it since its
    stage was set shows in its state: the first stage that means that state."""
    kept = (memory.extra or {}).get(STAGE, "")
    if stages.get(kept) == memory.state or is_suspended(memory, stages):
        return str(kept)
    if memory.superseded_by and stages.get(REPLACED) == memory.state:
        return REPLACED
    return next(stage for stage, state in stages.items() if state == memory.state)


REPLACED = "superseded"


def took_out(memory: Lesson) -> bool:
    """Whether somebody or something sent it away, where it did not fade and nothing replaced it."""
    return memory.state == GONE and memory.closed_by != "silence" and not memory.superseded_by


def faded(memory: Lesson) -> bool:
    """Whether it left by silence alone."""
    return memory.state == GONE and memory.closed_by == "silence" and not memory.superseded_by


def stage_before(memory: Lesson, stages: Mapping[str, str]) -> str:
    """The stage it had before the one it has; empty where nobody knows."""
    extra = memory.extra or {}
    kept = str(extra.get(STAGE, ""))
    if kept in stages and kept != stage_of(memory, stages):
        return kept
    return str(extra.get(BEFORE, ""))


def is_suspended(memory: Lesson, stages: Mapping[str, str]) -> bool:
    """Whether it stands where it would be told, and waits only for what the gate asks."""
    kept = (memory.extra or {}).get(STAGE, "")
    return memory.gate != "allow" and memory.state == WAITING and stages.get(kept) == ACTIVE


def let_in(memory: Lesson, stages: Mapping[str, str], why: str = "") -> Lesson:
    """A held lesson that the gate holds no longer: told again where it was told before."""
    state = ACTIVE if is_suspended(memory, stages) else memory.state
    return replace(memory, gate="allow", gate_reason=why, state=state)


def meant(word: str, stages: Mapping[str, str]) -> str:
    """The stage that a word stands for: itself, or the first one of a state."""
    return word if word in stages else next(stage for stage, at in stages.items() if at == word)


def at_stage(memory: Lesson, stage: str, stages: Mapping[str, str]) -> Lesson:
    """A lesson at a stage, its state what that stage means; what the gate holds waits there."""
    stage = meant(stage, stages)
    state = stages[stage]
    if state == ACTIVE and memory.gate != "allow":
        state = WAITING
    was = stage_of(memory, stages)
    extra = dict(memory.extra or {})
    if stages.keys() - set(STATES):
        extra |= {STAGE: stage} | ({BEFORE: was} if was != stage else {})
    return replace(memory, state=state, extra=extra or None)
