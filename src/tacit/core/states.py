"""The states of a lesson, what each group of them means, and which moves between them are legal: written here and nowhere else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.core.memory import Memory

STATES = (
    "candidate",
    "provisional",
    "stable",
    "canonical",
    "under_review",
    "decayed",
    "superseded",
    "archived",
    "rejected",
)
INJECTABLE = (
    "provisional",
    "stable",
    "canonical",
)  # nothing in another state is ever given to a run
ACTIVE = ("candidate", *INJECTABLE)  # may still rise; what a cap in per cent of the memory counts
OPEN = (*ACTIVE, "under_review", "decayed")  # still here: listed, swept, matched
CLOSED = (
    "superseded",
    "archived",
    "rejected",
)  # taken out; only `undo`, or meeting it again, brings it back

RUNS = 2  # independent runs that make a lesson credible: one-offs are noise
MIN_UNITS = 20  # no belief counts before so many settled units
EXPOSURE = 10  # runs that could have met or used a lesson before its silence counts

ENDING_VERDICTS = ("harms",)  # verdicts after which a lesson is no longer given

# Beyond what a governed lifecycle needs:
#   under_review → superseded, archived      outcomes of a review
#   candidate, provisional, stable → archived  a count falls to 0; a person may put away what makes no difference
#   provisional → superseded                 a lesson corrected before it was proven
#   stable → provisional                     believed helpful once, and no longer
#   decayed, archived, rejected → candidate  met again: the history is kept, the lesson starts over
LEGAL: dict[str, tuple[str, ...]] = {
    "candidate": ("provisional", "rejected", "under_review", "archived"),
    "provisional": ("stable", "rejected", "under_review", "decayed", "superseded", "archived"),
    "stable": ("canonical", "provisional", "under_review", "decayed", "superseded", "archived"),
    "canonical": ("under_review", "decayed", "superseded", "archived"),
    "under_review": (
        "provisional",
        "stable",
        "canonical",
        "rejected",
        "decayed",
        "superseded",
        "archived",
    ),
    "decayed": ("archived", "under_review", "candidate"),
    "superseded": ("archived",),
    "archived": ("candidate",),
    "rejected": ("candidate",),
}

# By hand, under their own verb, from every state; the states each may lead to.
ADMINISTRATIVE: dict[str, tuple[str, ...]] = {
    "forget": ("archived",),
    "merge": ("superseded",),
    "erase": ("rejected",),
    "undo": STATES,
    "unmerge": STATES,
    "sync": STATES,
}


def is_legal(state: str, to: str, verb: str = "move") -> bool:
    """Whether any profile could make this move; for administrative verbs, whether the verb leads there."""
    if verb in ADMINISTRATIVE:
        return state in LEGAL and to in ADMINISTRATIVE[verb]
    return to in LEGAL.get(state, ())


def barred(memory: Memory, projects: Sequence[str]) -> str:
    """Why a memory may never be given to an agent, whatever is asked; empty if it may. The last wall before every
    prompt: whoever found a memory asks here."""
    if memory.project not in projects:
        return "another project"
    if memory.state not in INJECTABLE:
        return memory.state
    if memory.gate != "allow":
        return memory.gate
    if memory.verdict in ENDING_VERDICTS:
        return f"verdict {memory.verdict}"
    if memory.superseded_by:
        return "superseded"
    return "" if memory.text.strip() else "empty"
