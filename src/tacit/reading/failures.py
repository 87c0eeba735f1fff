"""What fails here: what all failing commands of a project together say will go wrong again, and
what to do instead.

A cure names the lines that show it, and a literal sign by which its failure is met again. A name
that no line holds is invented, and a sign that stands in many different failures is none. What
fails alike stands in a question once; what a cure already meets is nothing new; and of the cures
that stand only those are shown that the new failures have to do with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from tacit.reading.asked import (
    BYTES_A_TOKEN,
    LONGEST_TEXT,
    NOT_SEEN,
    ROOM,
    Answer,
    Cite,
    Item,
    Shown,
    Struck,
    cited,
    cut,
    enough_came,
    failed_lines,
    failing,
    last_answer,
    question,
    sessions_named,
    strange_names,
    taken_in,
    text_of,
)
from tacit.reading.check import comparable
from tacit.reading.record import Failed, Left, folded
from tacit.words.diagnose import WORDLESS

MOST_CURES = 12  # of an answer
SHORTEST_SIGN = 8  # characters
OTHER_FAILURES = 3  # different failures, beside those it is named with, that a sign may stand in
# characters shown of a command, of the line that tells its failure, of the call that passed
NEW_PIECES, SEEN_PIECES = (100, 100, 80), (50, 70, 50)
SEEN_ROOM = 500  # tokens for what an earlier question showed: a new failure may be its second time
MOST_SHOWN = 8  # cures that stand, in a question
FEWEST_UNMET = 2  # sessions with a failure that no cure meets, before it is asked again
SHARED = 24  # characters with which both calls begin before the second is shown without them


@dataclass(frozen=True)
class Alike:
    """Commands that failed alike: the newest stands for all, the newest that something passed
    after where one is."""

    shown: Shown
    failed: Failed
    lines: tuple[Shown, ...]
    cure: str = ""  # that meets them by its sign

    @property
    def told(self) -> str:
        """What tells it, for comparing; empty where it failed without a word."""
        return "" if self.failed.told == WORDLESS else folded(self.failed.told)

    def printed(self, pieces: tuple[int, int, int]) -> str:
        """As a question shows it."""
        command, told, passed = pieces
        times = f" ×{len(self.lines)}" if len(self.lines) > 1 else ""
        return (
            f"{self.shown.name}{times} {cut(self.failed.command, command)}"
            f" ! {cut(self.failed.told, told)} -> {_passed(self.failed, passed)}"
        )


def _passed(failed: Failed, most: int) -> str:
    """The call that passed, without the beginning that it shares with the one that failed."""
    if not failed.passed or failed.passed == failed.command:
        return "=" if failed.passed else NOT_SEEN
    pairs = zip(failed.command, failed.passed, strict=False)
    shared = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
    begins = failed.passed.rfind(" ", 0, shared) + 1 if shared > SHARED else 0
    return cut(f"…{failed.passed[begins:]}" if begins else failed.passed, most)


def alike(lines: Iterable[Shown], cures: Sequence[Item] = ()) -> list[Alike]:
    """Failing commands by how they fail: by the cure that meets them, else by program and what
    tells it."""
    signs = {each.id: comparable(each.sign) for each in cures if each.sign}
    kinds: dict[tuple[str, ...], list[tuple[Shown, Failed]]] = {}
    for line in lines:
        if line.failed:
            kinds.setdefault(_kind(line.failed, signs), []).append((line, line.failed))
    return [
        Alike(
            *next((pair for pair in reversed(pairs) if pair[1].passed), pairs[-1]),
            tuple(line for line, _ in pairs),
            cure,
        )
        for (cure, *_), pairs in kinds.items()
    ]


def _kind(failed: Failed, signs: Mapping[str, str]) -> tuple[str, ...]:
    whole = comparable(failing(failed))
    cure = next((id for id, sign in signs.items() if sign in whole), "")
    if cure:
        return (cure,)
    told = failed.told if failed.told != WORDLESS else failed.command
    return ("", failed.program, folded(told))


def is_due(sessions: Sequence[Left], last: Sequence[Item], fresh: frozenset[str]) -> bool:
    """Whether enough failed since the last question, and in two sessions something that no cure
    meets."""
    lines = failed_lines(sessions)
    unmet = [line for each in alike(lines, last) if not each.cure for line in each.lines]
    groups = {line.group for line in unmet if line.session in fresh}
    return enough_came(lines, fresh) and len(groups) >= FEWEST_UNMET


def ask(
    sessions: Sequence[Left],
    last: Sequence[Item],
    fresh: frozenset[str],
    dropped: Sequence[str] = (),
) -> str:
    """The question over all failing commands; `fresh` are the sessions that no question has
    shown yet, `dropped` what a person took out."""
    lines = failed_lines(sessions)
    kinds = alike(lines, last)
    new = [each for each in kinds if any(line.session in fresh for line in each.lines)]
    cures = concerned(last, new)
    ids = {item.id for item in cures}
    new = [each for each in new if not each.cure or each.cure in ids]
    cited = {comparable(cite.words) for item in last for cite in item.cites}
    seen = [
        each
        for each in kinds
        if each not in new
        and not each.cure
        and _is_near(each, new)
        and not any(comparable(failing(line.failed)) in cited for line in each.lines if line.failed)
    ]
    rows = _newest({each: each.printed(NEW_PIECES) for each in new}, ROOM)
    rows |= _newest({each: each.printed(SEEN_PIECES) for each in seen}, SEEN_ROOM)
    place = {line.name: at for at, line in enumerate(lines)}
    order = sorted(rows, key=lambda each: place[each.shown.name])
    known = [
        f"{item.id} (sign: {item.sign or 'none yet'}; {sessions_named(item, sessions)}) {item.text}"
        for item in cures
    ]
    return question(
        "failures",
        last=last_answer("failures", known, dropped),
        lines="\n".join(rows[each] for each in order) or "(none)",
    )


def concerned(cures: Sequence[Item], new: Sequence[Alike]) -> list[Item]:
    """The cures that new failures have to do with: those that they meet, then those of their
    programs, the newest first."""
    signs = {each.cure for each in new}
    programs = {each.failed.program for each in new}
    near = [item for item in cures if item.id in signs or item.program in programs]
    near = sorted(reversed(near), key=lambda item: item.id not in signs)
    kept = {item.id for item in near[:MOST_SHOWN]}
    return [item for item in cures if item.id in kept]


def _is_near(seen: Alike, new: Sequence[Alike]) -> bool:
    """Whether what was shown before has a program or its words in common with something new."""
    return any(
        seen.failed.program == each.failed.program or (seen.told and seen.told == each.told)
        for each in new
    )


def _newest(rows: dict[Alike, str], room: int) -> dict[Alike, str]:
    """The last of these rows, as many as fit into so many tokens."""
    kept, left = {}, room * BYTES_A_TOKEN
    for each, row in reversed(rows.items()):
        left -= len(row.encode()) + 1
        if left < 0:
            break
        kept[each] = row
    return kept


def check(
    said: str, sessions: Sequence[Left], last: Sequence[Item], taken: Sequence[str] = ()
) -> Answer:
    """What of an answer holds: at most twelve, each with a line at least, and a sign where it is
    one."""
    lines = failed_lines(sessions)
    kin = {line.name: each.lines for each in alike(lines, last) for line in each.lines}
    return taken_in(
        said,
        "cures",
        MOST_CURES,
        last,
        lambda row, before: _cure(row, before, {line.name: line for line in lines}, kin),
        taken,
    )


def _cure(
    row: Mapping[str, object],
    before: Item | None,
    lines: Mapping[str, Shown],
    kin: Mapping[str, Sequence[Shown]],
) -> tuple[Item | None, list[Struck], str]:
    """One cure of an answer, what of its lines and its sign was struck, and why it is none."""
    text = text_of(row, "text") or (before.text if before else "")
    shown, struck = cited(row, lines, words=False)
    cites = dict.fromkeys(before.cites if before else ())
    cites |= dict.fromkeys(
        Cite(line.session, line.group, failing(line.failed), line.person)
        for one in shown
        for line in kin[one.name]  # what failed alike stood in the question once
        if line.failed
    )
    sign = text_of(row, "sign") or (before.sign if before else "")
    if sign and (why := no_sign(sign, [*cites], lines.values())):
        struck.append(Struck(sign, why))
        sign = before.sign if before else ""
    program = next((line.failed.program for line in shown if line.failed), "")
    item = Item(
        before.id if before else "",
        text,
        tuple(cites),
        sign=sign,
        program=program or (before.program if before else ""),
    )
    mended = before is None or text != before.text
    strange = strange_names(text, (line.whole for line in lines.values())) if mended else []
    why = ""
    if not text:
        why = "no text"
    elif len(text.split()) > LONGEST_TEXT:
        why = "too long"
    elif not cites:
        why = "no line shows it"
    elif strange:
        why = f"no line holds {strange[0]}"
    return (None if why else item), struck, why


def no_sign(sign: str, cites: Sequence[Cite], lines: Iterable[Shown]) -> str:
    """Why a text is no sign of the failures it is named with; empty where it is one."""
    if len(sign) < SHORTEST_SIGN:
        return "a sign has eight characters"
    named = {comparable(cite.words) for cite in cites}
    if not any(met(sign, line) for line in named):
        return "the sign stands in no line that was named"
    told = {
        comparable(failing(line.failed)): folded(line.failed.told) for line in lines if line.failed
    }
    known = {told[each] for each in named if each in told}
    others = {said for each, said in told.items() if each not in named and met(sign, each)}
    if len(others - known) > max(OTHER_FAILURES, len(named)):
        return "the sign stands in many different failures"
    return ""


def met(sign: str, line: str) -> bool:
    """Whether a failing command, with what it said, bears a sign."""
    return comparable(sign) in comparable(line)
