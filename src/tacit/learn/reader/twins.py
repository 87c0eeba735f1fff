"""Two lessons of one session that say the same: one is written, whoever heard the other.

Lessons of one answer are compared with each other, and with the sentences that the rules took over as they were typed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.core.profile import Profile
from tacit.core.rows import FindingRow
from tacit.core.run import Finding
from tacit.core.value import replace
from tacit.learn.reader.check import Checked
from tacit.learn.reader.decide import Decided
from tacit.words.match import compare, shares_half
from tacit.words.prepared import prepare

_RANK = ("said", "shown", "agreed", "asked", "found")  # whose words stay of two that say the same


def are_alike(one: str, other: str, profile: Profile) -> bool:
    """Whether words alone say that two lessons are one."""
    found = compare(prepare(one), prepare(other))
    return not found.blocked and found.score >= profile.match.threshold and found.doubt <= profile.match.doubt


def without_twins(
    heard: Sequence[tuple[Checked, Decided]], alike: Callable[[str, str], bool]
) -> list[tuple[Checked, Decided]]:
    """The same lessons; of those that say the same only the one with the best word is still one."""
    found = [*heard]
    order = sorted(
        (at for at, (_, each) in enumerate(heard) if each.word), key=lambda at: (_RANK.index(heard[at][1].word), at)
    )
    kept: list[int] = []
    for at in order:
        checked, decided = heard[at]
        twin = next((one for one in kept if alike(heard[one][1].text, decided.text)), None)
        if twin is None:
            kept.append(at)
        else:
            found[at] = checked, replace(decided, word="", reason=f"says the same as: {heard[twin][1].text}")
    return found


def typed_as_it_stands(finding: Finding, rows: Sequence[FindingRow]) -> str:
    """The lesson that the rules made of the very line that a finding quotes, as it was typed; empty where they made none."""
    place = finding.place.partition("#")[0]
    raw = (
        row
        for row in rows
        if row.memory
        and row.extractor != finding.extractor
        and row.by == "user"
        and row.place.partition("#")[0] == place
    )
    return next(
        (row.memory for row in raw if shares_half(finding.text, row.text) or shares_half(row.text, finding.text)), ""
    )
