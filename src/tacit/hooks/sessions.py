"""A session begins and ends: it is named to whoever else serves it, queued to be learned, and its person told what is theirs."""

from __future__ import annotations

from tacit.core import clock
from tacit.core.errors import StoreBusy, Unavailable
from tacit.core.rows import REPLAY_FOLDER
from tacit.core.value import dumps, loads
from tacit.hooks.events import is_emptied
from tacit.hooks.session import copied_from, note
from tacit.hooks.start_worker import LearnJob, enqueue, start, start_if_due
from tacit.hosts import shell_mark, surroundings
from tacit.store import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.hooks.main import Hook

WITHIN = 0.15  # seconds for what an agent waits for
QUEUE_WITHIN = 1.0  # seconds for what nobody waits for, but hosts end their hooks; then the worker does the waiting
# seconds after a turn before its transcript is read: the next turn may follow at once, and the file lags
DEBOUNCE = 15.0
# seconds after a start; who has not told of a turn's end by then may be dead, and else is read again at that end
DIED = 1800.0
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


def begun(hook: Hook) -> None:
    """A session starts: its agent's command line learns which it is, and whoever should know of it is asked for."""
    event, store = hook.event, hook.store
    _name_for_commands(hook)
    try:
        how = {"host": event.host, "folder": event.folder, "wait": WITHIN}
        note(store, event.session, clock.now(), **how)  # type: ignore[arg-type]
    except Unavailable:
        pass  # who serves it does without; what is told there then belongs to no session
    if hook.settings["learns"]:
        _watch(hook)
    if hook.project and '"with": "postgres' in moments.meta(store, f"sync:{hook.project.id}"):
        # The worker asks the server what a team told meanwhile; hooks never do.
        with store.write(wait=WITHIN) as tx:
            said, key = {"folder": event.folder}, f"sync:{hook.project.id}"
            moments.enqueue(tx, "sync", key, hook.project.id, said, clock.now())
    start_if_due(store, hook.env)  # what could not be learned before may be possible now


def _name_for_commands(hook: Hook) -> None:
    """Tell the commands of this session which it is, so that `tacit` there acts as its agent."""
    event = hook.event
    if not event.env_file or event.session.strip(_NAME):
        return
    line = f"export TACIT_RUN='{event.session}'\n"
    try:
        with open(event.env_file, "a+", encoding="utf-8") as file:
            file.seek(0)
            if line not in file.read():
                file.write(line)
    except (OSError, UnicodeError):
        pass  # the session works without; its `tacit` calls are known by the host's own marker


def _watch(hook: Hook) -> None:
    """Queue a session at its start: a host that dies in its first turn tells of no end, and its transcript is there all the same."""
    event = hook.event
    if not event.transcript or not hook.project or is_emptied(event) or is_replay(hook):
        return
    try:
        enqueue(hook.store, _job(hook, False), later=DIED, wait=WITHIN, once=True)
        if hook.git_dir and event.source in ("", "startup", "clear"):
            _have_kept(hook)
    except Unavailable:
        pass  # the end of its first turn queues it


def _have_kept(hook: Hook) -> None:
    """Write down what is checked out, and have the worker keep the work tree, so that this session can be replayed."""
    from tacit.place.identity import head_commit, locate

    event, place = hook.event, locate(hook.event.folder, hook.env)
    if place.kind == "git" and (head := head_commit(place.git_dir, place.common_dir)):
        said = {"host": event.host, "session": event.session, "path": event.transcript}
        said |= {"folder": event.folder, "head": head}
        key = f"keep:{event.host}:{event.session}"
        with hook.store.write(wait=WITHIN) as tx:
            moments.enqueue(tx, "keep", key, hook.project_id, said, clock.now())


def is_replay(hook: Hook) -> bool:
    """Whether `tacit replay` runs this session: it is given its lesson like any other, and is never learned."""
    return bool(hook.env.get("TACIT_REPLAY")) or REPLAY_FOLDER in hook.event.folder


def parent_of(hook: Hook) -> str:
    """The session whose coins a forked one has, if the store knows it."""
    event = hook.event
    for name in copied_from(event.transcript, event.session):
        row = moments.session(hook.store, hook.session_id(name))
        first = moments.session(hook.store, row[2]) if row else None
        if first:
            return first[1]
    return ""


def remember(hook: Hook) -> None:
    """Queue the transcript and see to it that somebody reads it."""
    if not hook.event.transcript or is_replay(hook):
        return
    over = hook.event.name == "session-end"
    job = _job(hook, over)
    try:
        enqueue(hook.store, job, later=0.0 if over else DEBOUNCE, wait=QUEUE_WITHIN)
    except StoreBusy:
        start(hook.store.path, hook.env, job)
        return
    start(hook.store.path, hook.env)


def _job(hook: Hook, over: bool) -> LearnJob:
    event = hook.event
    return LearnJob(
        event.host,
        event.session,
        event.transcript,
        event.folder,
        hook.project_id,
        hook.env.get("TACIT_PROJECT", ""),
        over,
        "neutral" if event.captured else event.host,
        shell_mark(hook.env, event.session),
        surroundings(hook.env),
    )


def said_at_start(hook: Hook) -> str:
    """What a person is told at a start: settings that do not count, and what the worker noted of the last session."""
    lines = (_left_out(hook), _receipt(hook) if hook.settings["receipt"] else "")
    return "\n".join(filter(None, lines))


def _receipt(hook: Hook) -> str:
    """What the worker noted of this project's last session, told once."""
    key = f"receipt:{hook.project_id}"
    if not hook.project or not moments.meta(hook.store, key).partition("\t")[2]:
        return ""
    with hook.store.write(wait=WITHIN) as tx:
        unit, _, rest = moments.meta(tx, key).partition("\t")
        line = rest.partition("\t")[0]
        moments.put_meta(tx, key, f"{unit}\t")
    return f"tacit, last session: {line}" if line else ""


def _left_out(hook: Hook) -> str:
    """What of the settings here does not count, told once for each version of the files; of a variable at each start."""
    from tacit.safety.one_line import plain_line

    left = hook.settings.get("left_out", ())
    if asked := [each for each in left if each.startswith("TACIT_IGNORE:")]:
        return f"tacit: {plain_line(asked[0], 300)}"
    key = f"config:{hook.project_id}"
    compiled = moments.meta(hook.store, key)
    if '"left_out": ["' not in compiled or '"told": true' in compiled:
        return ""
    known = loads(compiled)
    with hook.store.write(wait=WITHIN) as tx:
        moments.put_meta(tx, key, dumps({**known, "told": True}))
    more = "; tacit doctor tells the rest" if len(known["left_out"]) > 1 else ""
    return f"tacit: {plain_line(known['left_out'][0], 300)}{more}"
