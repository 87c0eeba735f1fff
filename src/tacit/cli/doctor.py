"""doctor: does everything verify, does the memory do what it should, and what should somebody mend?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apsw

from tacit.cli.connect import standing_notes
from tacit.cli.data import repaired
from tacit.cli.setup import compile_bytecode
from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.cli.words import hung, one_line, paint
from tacit.core import clock
from tacit.core.errors import numbered
from tacit.learn import figures, queries, readers
from tacit.learn.learning import unreadable_instructions
from tacit.learn.queries import Checkup
from tacit.memory import Memory as Memories
from tacit.screens.selection import Counted, counted, counted_words
from tacit.screens.views import for_you, picked
from tacit.screens.wording import EVENTS_COUNTED
from tacit.store import safekeeping
from tacit.store.failures import commonest
from tacit.store.jobs import failed as failed_jobs
from tacit.store.redact_again import RedactedAgain
from tacit.sync import team
from tacit.trial.effect import OUT_OF_BALANCE

FAULTS = 50  # shown one by one
# Rows by what people call them; the others are for --json.
_SOUND = {
    "memory": "lessons",
    "journal": "changes",
    "evidence": "sightings",
    "run": "sessions",
    "use": "uses",
    "incident": "incidents",
}
# why a model gave no answer that could be used, as its failures are counted
_REFUSALS = {
    "exit": "its program ended with an error (over a limit, say)",
    "timeout": "no answer in time",
    "garbage": "an answer in another form",
    "refused": "it refused",
    "budget": "the day's tokens were used up",
    "dead": "it could not be started or reached",
    "paused": "left alone after failures",
}
_MODEL = {
    "model.calls": "calls",
    "model.tokens.in": "tokens sent",
    "model.tokens.out": "tokens received",
}


@verb(
    "doctor",
    "verify the store; what is wrong in your instruction files",
    end="""Without --repair nothing is changed.

examples:
  tacit doctor
  tacit doctor --repair""",
    long=True,
)
@opt(
    "--repair",
    is_flag=True,
    help="put the newest sound backup in the place of a damaged store, which is kept",
)
@opt("--exam", is_flag=True, help="have the model that reads sessions take its exam now")
def doctor_verb(args: Asked, cli: Cli) -> Answer:
    if args.repair:
        return repaired(args, cli)
    if args.exam:
        with cli.open(args, create=False) as memories:
            said = readers.retake_exam(memories)
        return Answer({"exam": said}, said)
    with cli.open(args, create=False) as memories:
        found = queries.health(memories)
        sound, kept = found.health.is_sound, safekeeping.backups(memories)
        again = safekeeping.redact_again(memories) if sound else None
        notes = [*_notes(cli, memories), *_again(again, len(kept), safekeeping.folder_of(memories))]
        trials = memories.effect() if sound else None  # figures from a damaged store would mislead
        count = counted(memories) if sound else None
        noticed = commonest(memories.store, memories.project_id) if sound else []
        waiting, yours = failed_jobs(memories.store), for_you(memories) if sound else []
        reads = readers.reading_notes(memories)
        if sound and memories.profile.name != "default":
            since = clock.after_days(memories.now(), -7)
            errors = [f"{each['job']}: {each['error']}" for each in waiting]
            notes += figures.alarms(memories, figures.statistics(memories, since, errors))
    if trials and trials.out_of_balance:
        notes.append(OUT_OF_BALANCE)
    faults, free = [fault.__dict__ for fault in found.health.faults], _free(found.store)
    data = {
        **picked(found, "store schema bytes queue"),
        "free_bytes": free,
        "sound": sound,
        "faults": faults,
        "checked": found.health.checked,
        "events": found.counters,
        "bytecode": compile_bytecode(),
        "backups": [each.name for each in kept],
        "redacted_again": again.__dict__ if again else None,
        "unsettled_uses": trials.unsettled if trials else None,
        "unknown_outcomes": trials.unknown if trials else None,
        "arms_in_balance": not trials.out_of_balance if trials else None,
        "sqlite": str(apsw.sqlite_lib_version()),
        "noticed": noticed,
        "for_you": yours,
    }
    memory = _memory(count, found.counters, waiting) + reads
    if trials and trials.unsettled:
        many = numbered(trials.unsettled, "use")
        memory.append(f"{many} of lessons in sessions that are not over")
    if trials and trials.unknown:
        memory.append(f"of {numbered(trials.unknown, 'use')} nothing could tell what came")
    lines = [paint(cli, "bold", "Store"), *_store(cli, found, free, faults)]
    lines += ["", paint(cli, "bold", "Memory"), *_indented(memory)] if memory else []
    text = "\n".join([*lines, *_wrong(cli, yours)])
    return Answer(data, text, code=5 if faults else 0, warnings=notes)


def _notes(cli: Cli, memories: Memories) -> Iterator[str]:
    """What keeps the memory from doing what it should."""
    yield from safekeeping.safety_notes(memories)
    yield from memories.settled().left_out
    yield from team.refused(memories)
    yield from readers.unread(memories)
    yield from unreadable_instructions(memories.place.root)
    yield from standing_notes(memories.place.root, cli.env)


def _again(found: RedactedAgain | None, kept: int, folder: str) -> list[str]:
    """What today's rules took out of what was written under older ones."""
    if not found or not (found.rows or found.files):
        return []
    held = f"{numbered(found.rows, 'row')} and {numbered(found.files, 'file')}"
    older = f"; {numbered(kept, 'older backup')} in {folder} may hold it still" if kept else ""
    return [f"the rules for secrets are new: {held} held one, which was taken out{older}"]


def _store(cli: Cli, found: Checkup, free: int, faults: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where it is, what it holds, and whether it is whole."""
    lines = _indented([f"{found.store} ({size(found.bytes)}; {size(free)} free)"])
    if not faults:
        rows = [(n, _SOUND[name]) for name, n in found.health.checked.items() if name in _SOUND]
        checked = ", ".join(f"{n:,} {name}" for n, name in rows if n)
        whole = _indented([f"everything verifies: {checked or 'it is empty'}"])
        return lines + [paint(cli, "good", line) for line in whole]
    shown = [f"  {each['kind']} {each['id']}: {each['detail']}" for each in faults[:FAULTS]]
    mends = "nothing was changed. tacit doctor --repair puts the newest sound backup in its place"
    lines += [paint(cli, "bad", line) for line in shown]
    return [*lines, f"  {numbered(len(faults), 'fault')}; {mends}"]


def _memory(
    count: Counted | None, events: Mapping[str, int], waiting: Sequence[Mapping[str, Any]]
) -> list[str]:
    """How lessons stand, what could not be learned, what a model was asked, and what else was counted."""
    lines = [counted_words(count) + (": tacit review" if count.needs_word else "")] if count else []
    lines += [f"not learned: {each['job']}: {one_line(each['error'], 120)}" for each in waiting[:5]]
    asked = [f"{events[name]:,} {said}" for name, said in _MODEL.items() if events.get(name)]
    failed = "model.failures."
    why = [
        f"{_REFUSALS.get(name.removeprefix(failed), name)} {n:,}x"
        for name, n in events.items()
        if name.startswith(failed) and n
    ]
    asked += [f"failed or left out: {', '.join(why)}"] if why else []
    lines += [f"model: {', '.join(asked)}"] if asked else []
    others = ((name, n) for name, n in events.items() if not name.startswith("model."))
    return lines + [
        f"{n:,} {EVENTS_COUNTED.get(name, name.replace('_', ' '))}" for name, n in others
    ]


def _wrong(cli: Cli, yours: Sequence[Mapping[str, Any]]) -> list[str]:
    """What only the person can mend, each with how it might read."""
    lines = ["", paint(cli, "wait", "For you")] if yours else []
    for each in yours:
        better = f" Suggested: {each['patch']}" if each["patch"] else ""
        lines += hung("  - ", one_line(each["text"] + better, 600))
        closes = f"    tacit review approve {each['proposal']} closes this"
        lines.append(paint(cli, "quiet", closes))
    return lines


def _indented(lines: Sequence[str]) -> list[str]:
    return [line for told in lines for line in hung("  ", told)]


def size(n: int) -> str:
    """So many bytes, as people say it."""
    for unit, many in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= many:
            return f"{n / many:,.1f} {unit}" if n < 100 * many else f"{n / many:,.0f} {unit}"
    return f"{n} bytes"


def _free(path: str) -> int:
    try:
        disk = os.statvfs(os.path.dirname(os.path.abspath(path)))
        return disk.f_bavail * disk.f_frsize
    except OSError:
        return 0
