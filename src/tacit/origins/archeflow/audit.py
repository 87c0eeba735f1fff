"""ArcheFlow's two audits, under their own names: was a lesson repeated in spite of being given, and did a fix come undone?

Both go by keywords, as the origin does, and neither is a verdict: "helpful" says only that no finding repeated the
lesson, which is also what happens when the topic never came up. What a lesson does, the control group tells (`effect`).
Each finding is asked by itself; the original pooled the words of all findings of a run, and found repetitions that no
finding held.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tacit.core.links import Mark
from tacit.core.rows import run_id
from tacit.core.value import value
from tacit.origins.likeness import keywords
from tacit.store.reads import WorkContext

if TYPE_CHECKING:
    from tacit.core.run import Run
    from tacit.store.reads import Store

HELPFUL, INEFFECTIVE = "helpful", "ineffective"
REPEATS = 0.3  # of a lesson's words that a finding holds which repeats its problem (ArcheFlow)


@value
class Checked:
    """Whether a run repeated the problem of one lesson that it was given."""

    memory: str
    text: str
    signal: str  # helpful or ineffective
    overlap: int  # per cent of the lesson's keywords that the nearest finding holds


@value
class Regression:
    """A finding that was fixed in the run before and is back."""

    fixed: str
    run: str  # the run it was fixed in
    finding: str

    @property
    def sentence(self) -> str:
        """As ArcheFlow prints it, on one line."""
        fixed, finding = " ".join(self.fixed.split()), " ".join(self.finding.split())
        return f'REGRESSION: "{fixed}" (fixed in {self.run}) reappeared as "{finding}"'


def _check(
    lessons: Iterable[tuple[str, str]], findings: Sequence[str], threshold: float
) -> list[Checked]:
    """Each given lesson, (id, text), against every finding of the run: a matching one makes it ineffective."""
    return [_checked(id, text, findings, threshold) for id, text in lessons]


def _checked(id: str, text: str, findings: Sequence[str], threshold: float) -> Checked:
    overlap = max((overlap_of(text, finding) for finding in findings), default=0)
    return Checked(id, text, INEFFECTIVE if overlap >= 100 * threshold else HELPFUL, overlap)


def regressions(
    fixes: Iterable[str], findings: Sequence[str], run: str, threshold: float = 0.5
) -> list[Regression]:
    """Fixed findings that a later run holds again, each with the finding that holds most of it."""
    found = []
    for fixed in dict.fromkeys(fixes):
        nearest = max(findings, key=lambda finding: overlap_of(fixed, finding), default="")
        if nearest and overlap_of(fixed, nearest) >= 100 * threshold:
            found.append(Regression(fixed, run, nearest))
    return found


def overlap_of(text: str, other: str) -> int:
    """Whole per cent of a text's keywords that another holds, rounded down."""
    mine = keywords(text)
    return 100 * len(mine & keywords(other)) // len(mine) if mine else 0


def check_run(work: WorkContext, run: Run) -> list[Checked]:
    """Check every lesson that a run was given against its findings, and write the result down; once, however often asked."""
    store, project, at = work.store, work.project.id, work.now()
    row = store.run(run_id(project, run.host, run.id)) or store.find_run(project, run.id)
    if row is None:
        return []
    uses = [use.memory for use in store.uses(unit=row.root) if use.arm != "withheld"]
    given = {memory.id: memory.text for memory in store.memories(_in_order(store, row.root, uses))}
    found = _check(given.items(), [finding.text for finding in run.findings], REPEATS)
    with work.write() as tx:
        known = {(mark.memory, mark.signal) for mark in tx.marks(unit=row.root)}
        for each in found:
            if (each.memory, each.signal) not in known:
                tx.add_mark(
                    Mark(
                        each.memory,
                        row.root,
                        project,
                        each.signal,
                        str(each.overlap),
                        run=row.id,
                        surface="audit",
                        reason=each.text,
                        at=at,
                    )
                )
    return found


def _in_order(store: Store, unit: str, uses: Sequence[str]) -> list[str]:
    """Lessons in the order in which they were given."""
    given = [id for each in store.tellings(unit) for id in each.given]
    return list(dict.fromkeys(id for id in (*given, *uses) if id in set(uses)))
