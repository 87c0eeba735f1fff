"""doctor: does everything verify, does the memory do what it should, and what should somebody mend?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from tacit.cli.connect import standing_notes
from tacit.cli.copies import repaired
from tacit.cli.health import (
    doctor_lines,
    event_in_words,
)
from tacit.cli.health import figures_json as figures_json
from tacit.cli.health import seen as figures_of
from tacit.cli.setup import compile_bytecode
from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.cli.words import hung, one_line, paint
from tacit.core import clock
from tacit.core.errors import numbered
from tacit.learn import queries, readers
from tacit.learn.figures import alarms as alarms_in
from tacit.learn.learning import unreadable_instructions
from tacit.learn.queries import Checkup
from tacit.screens.selection import counted
from tacit.screens.views import for_you, picked
from tacit.store import safekeeping
from tacit.store.failures import commonest
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
@opt("--alarm", is_flag=True, help="exit with 1 where something asks for attention")
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
        free = _free(found.store)
        notes = [
            *safekeeping.safety_notes(memories),
            *memories.settled().left_out,
            *team.refused(memories),
            *readers.unread(memories),
        ]
        notes += [
            *unreadable_instructions(memories.place.root),
            *standing_notes(memories.place.root, cli.env),
        ]
        kept = [each.name for each in safekeeping.backups(memories)]
        sound, profile = found.health.is_sound, memories.profile
        again = safekeeping.redact_again(memories) if sound else None
        notes += _again(again, len(kept), safekeeping.folder_of(memories))
        trials = memories.effect() if sound else None  # figures from a damaged store would mislead
        figures = figures_of(memories, clock.after_days(memories.now(), -7)) if sound else None
        count = counted(memories) if sound else None
        noticed = commonest(memories.store, memories.project_id) if sound else []
        reads = readers.reading_notes(memories)
        yours = for_you(memories) if sound else []
        alarms = [*(alarms_in(memories, figures) if figures else ())]
    if trials and trials.out_of_balance:
        notes.append(OUT_OF_BALANCE)
    compiled = compile_bytecode()
    faults = [fault.__dict__ for fault in found.health.faults]
    data = {
        **picked(found, "store schema bytes"),
        "free_bytes": free,
        "sound": sound,
        "faults": faults,
        "checked": found.health.checked,
        "queue": found.queue,
        "events": found.counters,
        "bytecode": compiled,
        "backups": kept,
        "redacted_again": again.__dict__ if again else None,
        "unsettled_uses": trials.unsettled if trials else None,
        "unknown_outcomes": trials.unknown if trials else None,
        "arms_in_balance": not trials.out_of_balance if trials else None,
        "sqlite": str(apsw.sqlite_lib_version()),
        "week": figures_json(figures) if figures else None,
        "noticed": noticed,
        "alarms": list(alarms),
        "for_you": yours,
    }
    lines = [paint(cli, "bold", "Store"), *_store(cli, found, free, faults)]
    memory = [*(doctor_lines(figures, profile, count) if figures and count else []), *reads]
    if trials and trials.unsettled:
        memory.append(
            f"{numbered(trials.unsettled, 'use')} of lessons in sessions that are not over"
        )
    if trials and trials.unknown:
        memory.append(f"of {numbered(trials.unknown, 'use')} nothing could tell what came")
    memory += [event_in_words(name, n) for name, n in found.counters.items()]
    lines += ["", paint(cli, "bold", "Memory"), *_indented(memory)] if memory else []
    lines += _wrong(cli, yours)
    code = 5 if faults else int(bool(args.alarm and alarms))
    return Answer(data, "\n".join(lines), code=code, warnings=[*notes, *alarms])


def _again(found: RedactedAgain | None, kept: int, folder: str) -> list[str]:
    """What today's rules took out of what was written under older ones."""
    if not found or not (found.rows or found.files):
        return []
    told = f"the rules for secrets are new: {numbered(found.rows, 'row')} and {numbered(found.files, 'file')} held one"
    older = f"; {numbered(kept, 'older backup')} in {folder} may hold it still" if kept else ""
    return [f"{told}, which was taken out{older}"]


def _store(cli: Cli, found: Checkup, free: int, faults: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where it is, what it holds, and whether it is whole."""
    checked = ", ".join(
        f"{n:,} {_SOUND[name]}" for name, n in found.health.checked.items() if n and name in _SOUND
    )
    lines = _indented([f"{found.store} ({size(found.bytes)}; {size(free)} free)"])
    lines += [
        paint(cli, "bad", f"  {fault['kind']} {fault['id']}: {fault['detail']}")
        for fault in faults[:FAULTS]
    ]
    if faults:
        mends = (
            "nothing was changed. tacit doctor --repair puts the newest sound backup in its place"
        )
        return [*lines, f"  {numbered(len(faults), 'fault')}; {mends}"]
    return [
        *lines,
        *(
            paint(cli, "good", line)
            for line in _indented([f"everything verifies: {checked or 'it is empty'}"])
        ),
    ]


def _wrong(cli: Cli, yours: Sequence[Mapping[str, Any]]) -> list[str]:
    """What only the person can mend, each with how it might read."""
    lines: list[str] = []
    for each in yours:
        better = f" Suggested: {each['patch']}" if each["patch"] else ""
        lines += hung("  - ", one_line(each["text"] + better, 600))
        lines.append(
            paint(cli, "quiet", f"    tacit review approve {each['proposal']} closes this")
        )
    return ["", paint(cli, "wait", "For you"), *lines] if lines else []


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
