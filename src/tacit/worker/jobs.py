"""What a worker does with one job: learn a transcript, read a session that could not be read, keep a work tree; and leave its receipt."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core import clock, states
from tacit.core.canary import NOT_READ
from tacit.core.config import is_ignored
from tacit.core.errors import TacitError, Unavailable
from tacit.core.rows import RunRow
from tacit.core.run import Run
from tacit.core.states import UNDOUBTED
from tacit.core.value import replace, value
from tacit.hosts import formats, surroundings
from tacit.hosts.places import is_hosts_own
from tacit.hosts.source import FileSource, Source
from tacit.learn import learning, looking
from tacit.lesson import Lesson
from tacit.memory import Memory as Memories
from tacit.replay.starts import note_start
from tacit.safety.one_line import plain_line
from tacit.screens.numbers import ROWS, digest_of_lesson, kept_as_text, read_shown
from tacit.screens.selection import counted_in
from tacit.screens.typed import fulfilled
from tacit.store.counts import heard_in, recent
from tacit.store.jobs import Job, sessions_to_read
from tacit.store.moments import enqueue
from tacit.store.readings import WAITING
from tacit.sync import team
from tacit.trial.outcome import has_problem

if TYPE_CHECKING:
    from tacit.store.reads import Store

HEARD_QUOTES, HEARD_CHARS = 2, 90  # quotes in a receipt, and characters of each
NEW_LESSONS, NEW_CHARS = 3, 200  # lessons, and characters of each; a longer one has no number there
ELSEWHERE_IN = 60.0  # seconds until a session is looked at again that another environment reads
ELSEWHERE = "it is read in its own project's environment"
LOOKS_WAIT, LOOKS_BACKOFF = 2.0, 3600.0  # seconds until a look's turn, and after a model was away
LOOKS_FOR_FILE = (
    3  # at a transcript that is not there; a session in which nothing was asked never writes one
)


@value
class Done:
    """What came of one look at a transcript."""

    skipped: str = ""  # why nothing was learned, as a counter's name
    missing: bool = False  # not there yet
    again_in: float = 0.0  # seconds, for a session that is not over
    waits: str = ""  # why a session could not be read yet …
    until: str = ""  # … and when it is tried again
    learns: bool = True  # False: a job beside the learning


def done_by(store: Store, env: Mapping[str, str], job: Job) -> Done:
    """One job, by its kind."""
    if job.kind == "read":
        read = look_at_all if job.payload.get("looks") else read_session
        return read(store, env, job)
    if job.kind == "sync":
        home = Memories(store, env, str(job.payload["folder"]), job.project)
        team.sync_by_itself(home)
        return Done(learns=False)
    return (
        keep_tree_of(store, env, job) if job.kind == "keep" else learn_transcript(store, env, job)
    )


def learn_transcript(store: Store, env: Mapping[str, str], job: Job) -> Done:
    """Learn a transcript, and leave its receipt."""
    said = job.payload
    path, folder = str(said["path"]), str(said["folder"])
    named = job.project or str(said.get("named") or "")
    settled = Memories(store, env, folder, named).settled()
    if is_ignored(folder, (*settled.by_key["ignore"].value, *settled.unlearned), env):
        return Done("job_ignored")
    here = Memories(store, env, folder, named)
    known = store.find_run(here.project_id, str(said["session"])) if here.project_id else None
    if not os.path.exists(path):
        if known and known.learned_at:
            return Done()  # learned before its host deleted it
        return Done(missing=True) if job.attempts < LOOKS_FOR_FILE else Done("transcript_missing")
    # All of a session belongs to the project that its hooks spoke for, wherever its agent went.
    home = Memories(store, env, folder, here.ensure_project().id)
    over = bool(said.get("over")) or _had_ended(known, path)
    format = str(said.get("format") or said["host"])
    by_place = bool(
        said.get("marked")
    )  # an agent's shell named it: it counts only where its host keeps sessions
    home.reads_in = str(said.get("surroundings") or "") or surroundings(env)
    learned = learning.learn(
        home,
        _source(path, format, str(said["session"])),
        format=format,
        over=over,
        by_place=by_place,
    )
    undone: list[str] = []
    if (
        store.meta(f"word:{said['session']}")
        and not by_place
        and is_hosts_own(path, str(said["host"]), env, folder)
    ):
        undone = fulfilled(
            home, str(said["session"]), _runs_of(path, format, str(said["session"])), over
        )
    runs = [
        run for each in learned if (run := store.find_run(home.project_id, each.run)) is not None
    ]
    for run in runs:
        if over and not run.settled_at:
            # a run that was given nothing has nothing to settle, and is over all the same
            with store.write() as tx:
                tx.put_run(replace(run, complete=True, settled_at=clock.now()))
        if over or run.settled_at:
            leave_receipt(store, run, undone)
    if over:
        want_looks(home, home.reads_in)
        team.sync_by_itself(home)
    open_ended = not over and any(not run.settled_at for run in runs)
    return Done(again_in=home.profile.learn.settle_hours * 3600 + 60 if open_ended else 0.0)


def _runs_of(path: str, format: str, session: str) -> list[Run]:
    """The runs of one session, as its transcript tells them."""
    source = _source(path, format, session)
    found = formats.read(FileSource(source) if isinstance(source, str) else source, format)
    return [run for run in found if run.id == session]


def _source(path: str, format: str, session: str) -> str | Source:
    """What to read: the file, or of one that holds many sessions this one."""
    one_session: Callable[[str, str], Source] | None = getattr(
        formats.get(format), "one_session", None
    )
    return one_session(path, session) if one_session else path


def read_session(store: Store, env: Mapping[str, str], job: Job) -> Done:
    """Read a session that was learned; its receipt then tells what the reader found, too."""
    wanted = str(job.payload.get("surroundings") or "")
    if wanted and wanted != surroundings(env):
        return Done(
            waits=ELSEWHERE,
            until=clock.stamp(time.time() + ELSEWHERE_IN),
        )
    run = str(job.payload["run"])
    home = Memories(store, env, str(job.payload["folder"]), job.project)
    reading = learning.read_on(home, run)
    if reading is not None and reading.state == WAITING:
        return Done(waits=reading.error or "not read yet", until=reading.not_before)
    if reading is not None and (row := store.run(run)) is not None:
        leave_receipt(store, row)
    want_looks(home, wanted)
    return Done(learns=False)


def want_looks(home: Memories, where: str) -> None:
    """Have the whole project looked at where enough came since it was; behind every session that waits to be read."""
    if not looking.looks_due(home):
        return
    asked = {"looks": True, "folder": home.folder, "surroundings": where}
    with home.store.write() as tx:
        enqueue(tx, "read", f"looks:{home.project_id}", home.project_id, asked, clock.now())


def look_at_all(store: Store, env: Mapping[str, str], job: Job) -> Done:
    """Ask one look that is due; the next one later, and none while a session waits to be read."""
    wanted = str(job.payload.get("surroundings") or "")
    if wanted and wanted != surroundings(env):
        return Done(waits=ELSEWHERE, until=clock.stamp(time.time() + ELSEWHERE_IN))
    if sessions_to_read(store, clock.now()):
        return Done(again_in=LOOKS_WAIT, learns=False)
    home = Memories(store, env, str(job.payload["folder"]), job.project)
    due = looking.looks_due(home)
    try:
        if due:
            looking.look(home, due[0])
    except Unavailable as error:
        return Done(waits=error.message, until=clock.stamp(time.time() + LOOKS_BACKOFF))
    return Done(again_in=LOOKS_WAIT if due[1:] else 0.0, learns=False)


def keep_tree_of(store: Store, env: Mapping[str, str], job: Job) -> Done:
    """Keep the work tree of a session that just began; one that cannot be kept is no failure of the worker's."""
    said = job.payload
    memories = Memories(store, env, str(said["folder"]), job.project)
    try:
        note_start(memories, str(said["session"]), str(said["host"]), str(said["head"]))
    except (TacitError, OSError):
        return Done("tree_not_kept", learns=False)
    return Done(learns=False)


def _had_ended(run: RunRow | None, path: str) -> bool:
    """Whether a session was over when it was last learned, and has written nothing since: hooks may come late."""
    return (
        run is not None
        and bool(run.settled_at)
        and os.stat(path).st_mtime <= clock.seconds(run.settled_at) + 1.0
    )


# -- the receipt of a session: one line for the person, at the start of their next one ------------------------------------
#
# What was learned comes first, numbered, so that `tacit keep 1` can follow; then what was given and came of it, without zeros, what was
# kept of the person's own words, and how much waits for their word. It goes by the channel that the host shows to its user and not to its
# model; what is held is not shown.


def leave_receipt(store: Store, run: RunRow, undone: Sequence[str] = ()) -> None:
    """One line for the start of the next session, for the person alone: what they typed and could not be done, counts, and what was kept of
    their own words. A session whose receipt was shown gets no second one."""
    uses, heard = store.uses(unit=run.root), heard_in(store, run.project, run.id)
    unheard = any(
        f"{NOT_READ}{run.host} " in name for name in recent(store, NOT_READ, run.learned_at[:10])
    )
    if not uses and not heard and not unheard and not undone and not _new(store, run):
        return
    given = store.memories([use.memory for use in uses if use.arm != "withheld"])
    withheld = sum(use.arm == "withheld" for use in uses)
    shown = {memory.id: memory for memory in given}
    cited, back = set(), {}
    for mark in store.marks(unit=run.root):
        memory = shown.get(mark.memory)
        if memory is not None and mark.signal == "cited":
            cited.add(memory.id)
        elif memory is not None and mark.signal == "outcome" and has_problem(memory):
            back[memory.id] = mark.value == "occurred"  # settled again, the last word stands
    new = _new(store, run)
    figures = (
        (len(given), "given"),
        (withheld, "left out"),
        (len(cited), "cited"),
        (sum(back.values()), "came back"),
    )
    said = [", ".join(f"{word} {n}" for n, word in figures if n)]  # no zeros
    said += [
        heard_line([] if new else heard, counted_in(store, run.project).needs_word).removeprefix(
            "; "
        )
    ]
    said += [f"what you say in {run.host} may go unheard (tacit doctor)"] if unheard else []
    key, rows = f"receipt:{run.project}", f"{ROWS}:{run.project}"
    with store.write() as tx:
        unit, _, waiting = tx.meta(key).partition("\t")
        if unit != run.root or waiting:
            whole = [each.id for each in new if len(each.text) <= NEW_CHARS]
            words = {each.id: digest_of_lesson(each.text) for each in new if each.id in whole}
            shown = read_shown(tx.meta(rows)).with_rows(whole).with_words(words)
            told = [*undone, _learned(new, shown.numbers, whole), *said]
            line = "; ".join(filter(None, told)) or "nothing new"
            tx.put_meta(rows, kept_as_text(shown))
            tx.put_meta(key, f"{run.root}\t{line}")


def _new(store: Store, run: RunRow) -> list[Lesson]:
    """The lessons that a session brought and that nobody holds back, what agents are given first."""
    ids = dict.fromkeys(each.memory for each in store.findings(run=run.id) if each.memory)
    found = [
        each
        for each in store.memories(list(ids))
        if each.gate == "allow" and each.created_at >= run.learned_at
    ]
    fresh = [each for each in found if each.state in UNDOUBTED and each.tally.seen <= 1]
    return sorted(fresh, key=lambda each: each.state == states.WAITING)[:NEW_LESSONS]


def _learned(new: Sequence[Lesson], shown: Mapping[str, int], whole: Sequence[str]) -> str:
    """What is new; what stands there whole has a number."""
    told = " · ".join(
        f"{shown[each.id]} {plain_line(each.text, NEW_CHARS)}"
        if each.id in whole
        else plain_line(each.text, NEW_CHARS)
        for each in new
    )
    how = f" (tacit keep {shown[whole[0]]}, tacit drop {shown[whole[0]]})" if whole else ""
    return f"learned {told}{how}" if told else ""


def heard_line(heard: Sequence[str], waiting: int) -> str:
    """What was kept of a person's words, and how much waits for theirs; nothing that anybody else has said."""
    kept = [f"“{plain_line(quote, HEARD_CHARS)}”" for quote in heard[:HEARD_QUOTES]]
    more = f" and {len(heard) - HEARD_QUOTES} more" if len(heard) > HEARD_QUOTES else ""
    said = f"; kept {', '.join(kept)}{more}" if kept else ""
    return said + (
        f"; {waiting} {'waits' if waiting == 1 else 'wait'} for you (tacit review)"
        if waiting
        else ""
    )
