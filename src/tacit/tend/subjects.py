"""Subjects for lessons that were kept before lessons had any: by rules, once, a portion at a time."""

from __future__ import annotations

from tacit.core.journal import change
from tacit.core.states import OPEN
from tacit.core.value import replace
from tacit.tend.context import Context
from tacit.words.subject import subject_by_rules

_PORTION = 200  # lessons of one transaction: others get their turn in between
_MARK = "subjects"


def give_subjects(context: Context) -> int:
    """Say of every lesson what it is about, as far as rules can tell; how many got a subject."""
    if context.mark(_MARK) or not context.profile.budget.start_tokens:
        return 0
    given, last, project = 0, "", context.project.id
    while portion := context.store.select([project], states=OPEN, sort="old", limit=_PORTION, behind=last):
        last = portion[-1].id
        with context.write() as tx:
            for memory in portion:
                quotes = [row.quote for row in context.store.evidence(memory.id) if row.quote]
                about = "" if memory.about else subject_by_rules(memory, quotes)
                if about:
                    given += 1
                    told = "what it is about, told by its words"
                    tx.apply(
                        change(
                            memory,
                            replace(memory, about=about),
                            verb="subject",
                            by=context.by,
                            reason=told,
                            at=context.now(),
                        )
                    )
                else:
                    tx.reword(memory.id)  # its files and tags find it from now on
    with context.write() as tx:
        context.put_mark(tx, _MARK, "given")
    return given
