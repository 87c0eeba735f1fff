"""Sheets for judges who know neither product nor reader, and what their labels say.

A sheet is a Markdown file whose questions begin with a key; its labels are one JSON object, key to word, in NAME.labels.json beside it, those
of a second judge in NAME.labels.2.json. Texts stand in an order that says nothing.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bench.looks.figures import answered, at_start, projects
from bench.looks.walk import LESSONS, Step, left, lessons_in, named, place_of, standing

from tacit.learn.looked import Brought
from tacit.reading.asked import Item, failing
from tacit.reading.failures import met

SAMPLE = 60  # counted sessions' lines
SIGNS = 3  # lines that bear a sign which a judge sees of each
TRUTH = {"habits": ("repeated.jsonl", "occurrences"), "failures": ("failures.jsonl", "sessions")}
LETTERS = """For each line one letter, the first question answered yes decides:
d harmful or wrong: following it literally would do damage, or it is false.
c noise: no lesson at all (one task's step, a one-off request, a status, a host's protocol).
e too specific: a lesson, but not usable as worded.
b trivial: the agent would have known or done it anyway.
a useful: everything else.
"""
DELIVERED = """Each block is a moment: numbered notes that an agent could have had then, and below them what its person said or what failed in the session that followed.
For each key answer with the numbers of the notes that cover it, separated by blanks, or "none". A note covers a request if an agent shown it would plausibly have done, said or offered that by itself; it covers a failure if whoever follows it would not have met it and would have got what was wanted. The same topic without the point is none.
"""
SHOWS = "For each key: does the typed line show the habit? yes or no.\n"
MEETS = "For each key: is the failing command an instance of the very failure the cure is about? yes or no.\n"
TIDIED = """Each block is a change that a tidying of lessons would make. For each key: is it rightly so? yes or no.
same: the numbered lessons would be replaced by the one sentence below them. Yes if whoever is given that sentence alone knows everything that each of them tells (steps, conditions, names, exceptions, reasons), it adds nothing, and it is one thing told in one case.
replaced: the earlier lesson would be taken out for the later one. Yes if the later orders otherwise about the very same thing, so that the earlier is no longer so. No if both can be true or the later only adds.
over: yes if the lesson by its own words ended with its task. unclear: yes if a stranger could not act on it.
"""


@dataclass(frozen=True)
class Moment:
    """One thing that came again, with what stood before it."""

    key: str
    look: str
    project: str
    told: str  # what a judge reads of it
    start: tuple[Item, ...]  # what would have been told
    rest: tuple[Item, ...]  # what stood beside it
    gone: tuple[Item, ...]  # what an answer had dropped by then

    def notes(self) -> list[Item]:
        """Everything a judge sees, in an order that says nothing."""
        return sorted((*self.start, *self.rest, *self.gone), key=lambda item: _key(item.text))


def write(data: Path, out: Path) -> None:
    """All sheets of what was answered."""
    folder = out / "sheets"
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, list[str]] = {}
    shown: list[tuple[str, str]] = []
    for project in projects(data, out):
        for look in TRUTH:
            steps = answered(data, project, look, out)
            if not steps:
                continue
            pages[f"{project}.{look}.delivered"] = [
                DELIVERED,
                *_blocks(data, project, look, out, steps),
            ]
            ever = _ever(steps)
            lines = [f"{_key(project, item.text)} {item.text}" for item in ever]
            pages[f"{project}.{look}.letters"] = [LETTERS, *sorted(lines)]
            if look == "habits":
                shown += _shows(data, project, out, steps[-1])
            else:
                pages[f"{project}.signs"] = [MEETS, *_meets(data, project, out, steps)]
        if blocks := list(_changes(data, project, out)):
            pages[f"{project}.tidy"] = [TIDIED, *(text for _, _, text in blocks)]
    random.Random(1).shuffle(shown)
    pages["habits.shown"] = [SHOWS, *(text for _, text in shown[:SAMPLE])]
    for name, parts in pages.items():
        (folder / f"{name}.md").write_text("\n".join(parts) + "\n")
    print(f"{len(pages)} sheets in {folder}")


def _changes(data: Path, project: str, out: Path) -> Iterator[tuple[str, str, str]]:
    """What tidying would change: the verdict, the key, and what a judge reads of it."""
    steps = answered(data, project, "tidy", out)
    text = {each.id: each.text for each in lessons_in(out / project / LESSONS)} if steps else {}
    for step in steps:
        for same in step.answer.same:
            old = [f"{n}. {text[id]}" for n, id in enumerate((*same.goes, same.stays), 1)]
            key = _key(project, "same", *old, same.text)
            yield "same", key, "\n".join(["", "## same", *old, f"{key} becomes: {same.text}"])
            text[same.stays] = same.text
        for each in step.answer.out:
            key = _key(project, each.verdict, text[each.id], text.get(each.by, ""))
            lines = ["", f"## {each.verdict}", f"1. {text[each.id]}"]
            lines += [f"2. (later) {text[each.by]}"] if each.by else []
            yield each.verdict, key, "\n".join([*lines, f"{key} 1 is {each.verdict}"])


def moments(
    data: Path, project: str, look: str, out: Path, steps: Sequence[Step]
) -> Iterator[Moment]:
    """Each occurrence of the keys after its first, in a session of another lineage than those before."""
    file, field = TRUTH[look]
    place = place_of(data, project) / "truth" / file
    sessions = left(data, project, out)
    own_name = named(project, out)
    number = {each.session: at for at, each in enumerate(sessions, 1)}
    person = {each.session: each.person for each in sessions}
    group = {each.session: each.group for each in sessions}
    texts: dict[str, Item] = {}
    for row in map(json.loads, place.read_text().splitlines()) if place.exists() else ():
        met_in: set[str] = set()
        for each in row[field]:
            session = own_name.get(each["session"], "")
            if session not in number or group[session] in met_in:
                continue
            first = not met_in
            met_in.add(group[session])
            if first:
                continue
            answer, dropped = standing(steps, number[session])
            for step in steps:
                if step.number < number[session]:
                    texts |= {item.id: item for item in step.answer.items}
            items = [
                item for item in (answer.items if answer else ()) if _for(item, person[session])
            ]
            start = at_start(items) if look == "habits" else items
            told = (
                f"said: {row['meaning']} (typed: {each['quote'][:200]})"
                if look == "habits"
                else f"failed: {row['signature']} (what helps: {row['cure']})"
            )
            yield Moment(
                _key(project, look, told, session),
                look,
                project,
                told,
                tuple(start),
                tuple(item for item in items if item not in start),
                tuple(texts[id] for id in sorted(dropped) if id in texts),
            )


def show(data: Path, out: Path) -> None:
    """What the judges' labels say."""
    folder = out / "sheets"
    for judge in ("labels", "labels.2"):
        labels: dict[str, str] = {}
        for file in sorted(folder.glob(f"*.{judge}.json")):
            if judge == "labels.2" or not file.name.endswith(".labels.2.json"):
                labels |= {key: str(said) for key, said in json.loads(file.read_text()).items()}
        if not labels:
            continue
        print(f"{judge}: {len(labels)} labels")
        for look in TRUTH:
            _delivered(data, out, look, labels)
        for look in TRUTH:
            keys = {
                _key(project, item.text)
                for project in projects(data, out)
                for item in _ever(answered(data, project, look, out))
            }
            print(f"  {look}: {dict(Counter(labels[key][:1] for key in keys if key in labels))}")
        changes = [each for project in projects(data, out) for each in _changes(data, project, out)]
        for verdicts in (("same", "replaced"), ("over", "unclear")):
            keys = [key for verdict, key, _ in changes if verdict in verdicts and key in labels]
            yes = sum(labels[key].lower().startswith("y") for key in keys)
            print(f"  tidy, {' or '.join(verdicts)}: {_rate(yes, len(keys)) if keys else 'none'}")
        for name in ("habits.shown", *(f"{p}.signs" for p in projects(data, out))):
            sheet = folder / f"{name}.md"
            keys = _keys(sheet.read_text()) if sheet.exists() else []
            yes = [labels[key].lower().startswith("y") for key in keys if key in labels]
            if yes:
                print(f"  {name}: {_rate(sum(yes), len(yes))} yes")


def _delivered(data: Path, out: Path, look: str, labels: dict[str, str]) -> None:
    for project in projects(data, out):
        steps = answered(data, project, look, out)
        told = known = lost = count = through = 0
        held = _held(data, project, look, out, steps)
        for each in moments(data, project, look, out, steps) if steps else ():
            if each.key not in labels:
                continue
            count += 1
            notes = each.notes()
            covers = [
                notes[int(word) - 1]
                for word in labels[each.key].replace(",", " ").split()
                if word.isdigit() and 0 < int(word) <= len(notes)
            ]
            told += any(item in each.start for item in covers)
            through += any(item in each.start and item.id not in held for item in covers)
            known += any(item in each.start + each.rest for item in covers)
            lost += bool(covers) and all(item in each.gone for item in covers)
        if count:
            print(
                f"  {project} {look}: {_rate(told, count)} delivered, {known} stood, {lost} dropped and needed"
            )
            every = len(_ever(steps))
            print(f"    the gate holds {len(held)} of {every}; with it {through} are delivered")


def _held(data: Path, project: str, look: str, out: Path, steps: Sequence[Step]) -> set[str]:
    """What the product would have wait for a person's yes, of all that ever stood."""
    sessions = {each.session: each for each in left(data, project, out)}
    gate = Brought(None, look, sessions, None)  # type: ignore[arg-type]
    return {item.id for item in _ever(steps) if gate.asked_of(item).outcome != "allow"}


def _rate(yes: int, of: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    share, z = yes / of, 1.96
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return f"{yes} of {of} = {share:.2f} [{middle - half:.2f}, {middle + half:.2f}]"


def _blocks(data: Path, project: str, look: str, out: Path, steps: Sequence[Step]) -> Iterator[str]:
    """The moments of a sheet; those with the same notes stand below them together."""
    told: dict[tuple[str, ...], list[str]] = {}
    for each in moments(data, project, look, out, steps):
        notes = tuple(f"{number}. {item.text}" for number, item in enumerate(each.notes(), 1))
        told.setdefault(notes, []).append(f"{each.key} {each.told}")
    for notes, keys in told.items():
        yield "\n".join(["", "## moment", *(notes or ["(no notes)"]), "", *keys])


def _ever(steps: Sequence[Step]) -> list[Item]:
    """Every item that ever stood, in its last wording."""
    found: dict[str, Item] = {}
    for step in steps:
        found |= {item.id: item for item in step.answer.items}
    return list(found.values())


def _shows(data: Path, project: str, out: Path, last: Step) -> list[tuple[str, str]]:
    """Each line that counts a session for a habit of the last answer."""
    typed = {each.session: each.typed for each in left(data, project, out)}
    found = []
    for item in last.answer.items:
        for cite in item.cites:
            whole = next(
                (one.text for one in typed[cite.session] if cite.words.split("…")[0] in one.text),
                cite.words,
            )
            key = _key(project, item.text, cite.session)
            found.append((key, f"{key} habit: {item.text} | typed: {whole[:400]}"))
    return found


def _meets(data: Path, project: str, out: Path, steps: Sequence[Step]) -> list[str]:
    """Of each sign the first failing commands of later sessions that bear it."""
    found = []
    for item in _ever(steps):
        first = next(step.number for step in steps if item.id in {i.id for i in step.answer.items})
        later = [
            failing(failed)
            for each in left(data, project, out)[first:]
            for failed in each.failed
            if item.sign and met(item.sign, failing(failed))
        ]
        for line in dict.fromkeys(later[:SIGNS]):
            found.append(
                f"{_key(project, item.text, line)} cure: {item.text} | failed: {line[:400]}"
            )
    return found


def _for(item: Item, person: str) -> bool:
    """Whether a habit is this person's, or several people's."""
    people = {cite.person for cite in item.cites}
    return len(people) > 1 or person in people or not person or bool(item.program)


def _key(*parts: str) -> str:
    return "k" + sha256("\n".join(parts).encode()).hexdigest()[:9]


def _keys(sheet: str) -> list[str]:
    first = (line.split(" ", 1)[0] for line in sheet.splitlines())
    return [word for word in first if word.startswith("k") and len(word) == 10]
