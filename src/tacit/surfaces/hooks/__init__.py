"""A host's events: what an agent is told at its turns, and which transcripts wait to be learned.

`tacit hook EVENT` is started by the host for each prompt, so three things rule here. It is light: nothing is loaded that
the event does not need, and everything slow is queued for the worker. It is silent: whatever fails, the agent goes on
as if Tacit were not there (exit 0, nothing printed), and the failure is counted in the store. It speaks once: an event
has a key, an answer is recorded under it before it is printed, and hosts that fire a hook twice get one answer.

What hosts say and want to hear differs; a dialect, one module per host, turns a payload into an `Event` and an answer into
the host's words. A host whose transcripts nobody documents is captured: what its events say is written down (`capture`)
and read like a transcript. A hook never makes a store, and never the row of a project: whoever has not asked for Tacit
has none.
"""

from __future__ import annotations

import os
import sys

from tacit.core.value import dumps, loads, replace
from tacit.hosts import host_of, speaker
from tacit.hosts.dialect import HookAnswer, Insisted, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.app import Memories
    from tacit.hosts.dialect import Event
    from tacit.worker import LearnJob

EVENTS = (
    "session-start",
    "prompt",
    "subagent-start",
    "step",
    "before-call",
    "before-command",
    "before-file",
    "tool-failure",
    "pre-compact",
    "stop",
    "session-end",
)
USAGE = "usage: tacit hook EVENT [--host HOST] [--store FILE] < payload.json"
NEED_TEXT = ("prompt", "before-command", "tool-failure")
_LARGEST = 32 * 1024 * 1024  # bytes of a payload; a longer one is no prompt
_RECORD_WITHIN = 0.15  # seconds for what an agent waits for (design §4)
QUEUE_WITHIN = 1.0  # seconds for what nobody waits for, but hosts end their hooks; then the worker does the waiting
# seconds after a turn before its transcript is read: the next turn may follow at once, and the file lags
DEBOUNCE = 15.0
# seconds after a start; who has not told of a turn's end by then may be dead, and else is read again at that end
DIED = 1800.0
REPEATED_WITHIN = 10.0  # seconds in which the same start of a session is a second copy of the hook, not a second start
# What a hook needs of the user's configuration, with the defaults of `core.config`, which need not be loaded for them.
SETTINGS: dict[str, Any] = {
    "ignore": (),
    "receipt": True,
    "budget": "auto",
    "learns": True,
    "gives": True,
}

HELP = """\
Answers a host's event: reads the host's JSON on standard input, prints what its agent should know.
`tacit connect claude-code` registers it; you need not call it yourself.

It prints nothing and exits with 0 where there is nothing to say, and whenever something fails;
TACIT_DEBUG=1 says why on standard error. TACIT_OFF=1 silences it, `tacit config pause` for a while.

example:
  echo '{"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"}' \\
    | tacit hook session-start
"""


def main(argv: Sequence[str], env: Mapping[str, str] | None = None) -> int:
    """Answer one event. 0, also where something failed: a hook must not disturb its host; 2 for an answer that wants it."""
    seen = os.environ if env is None else env
    try:
        if "--help" in argv or "-h" in argv or os.isatty(0):
            _write(f"{USAGE}\n\n{HELP}\nevents: {', '.join(EVENTS)}\n")
            return 0
        name, options = _arguments(argv)
        answer = respond(
            name, _payload(), seen, host=options.get("--host", ""), store=options.get("--store", "")
        )
        if answer:
            _write(answer + "\n")
            return 2 if isinstance(answer, Insisted) else 0
    except Exception as error:
        if seen.get("TACIT_DEBUG"):
            sys.stderr.write(f"tacit hook: {type(error).__name__}: {error}\n")
    return 0


def _arguments(argv: Sequence[str]) -> tuple[str, dict[str, str]]:
    name, options, words = "", {}, iter(argv)
    for word in words:
        option, equals, given = word.partition("=")
        if option in ("--host", "--store"):
            options[option] = given if equals else next(words, "")
        elif not word.startswith("-"):
            name = word
    return name, options


def _payload() -> Any:
    # Read to its end also where nothing will be said: a host that finds its pipe closed may call that an error.
    raw = b""
    while len(raw) <= _LARGEST and (more := os.read(0, 1 << 16)):
        raw += more
    return loads(raw.decode("utf-8", "replace")) if len(raw) <= _LARGEST else None


def _write(text: str) -> None:
    raw = text.encode("utf-8", "replace")
    while raw:
        raw = raw[os.write(1, raw) :]


def respond(
    name: str, payload: Any, env: Mapping[str, str], *, host: str = "", store: str = ""
) -> str:
    """What to print for an event; empty for nothing. Whatever is given stands in the store by then."""
    return respond_and_tell(name, payload, env, host=host, store=store)[0]


def respond_and_tell(
    name: str, payload: Any, env: Mapping[str, str], *, host: str = "", store: str = ""
) -> tuple[str, HookAnswer]:
    """The same, and what was said before the host's words were put around it."""
    nothing = HookAnswer()
    if (
        env.get("TACIT_OFF", "") not in ("", "0")
        or env.get("TACIT_MODEL_CALL")
        or not isinstance(payload, dict)
    ):
        return "", nothing
    speaks = speaker(host_of(payload, host))
    event: Event | None = speaks.read(name, payload, env) if speaks else None
    if event is None:
        return "", nothing
    if event.name == "tool-failure":
        event = replace(event, line=line_of(payload))
    fired: list[Any] = []
    alone = event.name == "before-call"  # the host hears a decision here, and notes elsewhere
    if (alone or event.name in ("before-command", "before-file")) and not event.captured:
        fired = (
            _fired(event, payload, store, env)
            if event.name in getattr(speaks, "DECIDES", ())
            else []
        )
        if not fired and (alone or not _is_spoken_of(event, store, env)):
            return "", nothing
    from tacit.app import open, store_path
    from tacit.safety.files import LONGEST_PATH

    path = store_path(store or None, env)
    if len(event.folder) > LONGEST_PATH or not os.path.exists(path):
        return "", nothing
    memories = open(path, env=env, cwd=event.folder, create=False, wait=_RECORD_WITHIN)
    memories.store.hurry()
    try:
        told = HookAnswer() if alone else _handle(memories, event)
        if fired:
            from tacit.surfaces.hooks.guarding import decided

            told = decided(memories, event, fired, speaks.DECIDES[event.name], told)
        return speaks.write(
            event, told
        ) if told.context or told.message or told.decision else "", told
    except Exception:
        _count_failure(memories)
        raise
    finally:
        memories.close()


def _is_spoken_of(event: Event, store: str, env: Mapping[str, str]) -> bool:
    """Whether any lesson may be about this command or file: asked of a small file, since the store is much to open for nothing."""
    from tacit.hooks.select import calls_of, telling_in
    from tacit.stores.places import is_spoken_of, store_path

    if event.name == "before-command":
        words = [call[0] for call in calls_of(event.text)]
    else:
        words = [path.replace("\\", "/").rpartition("/")[2] for path in event.files]
        words += telling_in(event.text)
    path = store_path(store or None, env)
    return "://" in path or is_spoken_of(path, words)


def _fired(
    event: Event, payload: Mapping[str, Any], store: str, env: Mapping[str, str]
) -> list[Any]:
    """The guards that fire on this call, by a small file: none where no guard is armed, or nothing that it reads makes sense."""
    from tacit.stores.places import store_path

    path = store_path(store or None, env)
    if not os.path.exists(f"{path}.guards") or payload.get("tool_name") == "Read":
        return []  # reading is free
    try:
        from tacit.guards.armed import concerned
        from tacit.safety.files import LONGEST_PATH

        if len(event.folder) > LONGEST_PATH:
            return []
        calls = [("", file) for file in event.files] or [(event.text, "")]
        return [
            each
            for line, file in calls
            for each in concerned(path, event.session, event.folder, line, file)
        ]
    except Exception:
        return []  # a broken guard is a note


def _handle(memories: Memories, event: Event) -> HookAnswer:
    from tacit.core import clock

    if memories.store.meta("paused_until") > clock.now():
        return HookAnswer()
    chosen = settings(memories)
    if chosen["ignore"]:
        from tacit.core.config import is_ignored

        if is_ignored(event.folder, chosen["ignore"], memories.env):
            return HookAnswer()
    if chosen.get("unlearned"):
        from tacit.core.config import is_ignored

        learns = chosen["learns"] and not is_ignored(
            event.folder, chosen["unlearned"], memories.env
        )
        chosen = {**chosen, "learns": learns}
    if event.captured:
        event = _captured(memories, event)
    if event.name in ("stop", "pre-compact", "session-end"):
        if chosen["learns"]:
            _remember(memories, event)
        elif event.captured and event.name == "session-end":  # it served this session alone
            from tacit.stores.places import remove_captured

            remove_captured(memories.store.path, [event.session])
        return _at_end(memories, event) if event.name == "stop" else HookAnswer()
    asked = (
        event.step.get("text", "") if event.step and event.step["role"] == "user" else event.text
    )
    if event.name in ("prompt", "step") and asked[:5].casefold() == "tacit":
        from tacit.surfaces.hooks.words import (
            noted,
        )  # whether a person typed it the transcript will say

        if word := noted(memories, event, asked):
            return word
    if event.name == "session-start":
        return _begin(memories, event, chosen)
    late = ""
    if event.emptied or (
        event.catches_up and memories.project is not None and _is_unmet(memories, event)
    ):
        again = "compact" if event.emptied else ""
        late = _inject(
            memories,
            replace(
                event, name="session-start", source=again, text="", error="", line="", files=()
            ),
            chosen,
        )
    return HookAnswer(late + (_inject(memories, event, chosen) if event.name != "step" else ""))


def _captured(memories: Memories, event: Event) -> Event:
    """The event of a host without a readable transcript, after what it says was written down."""
    from tacit.surfaces.hooks.capture import keep

    if memories.project_id:
        # Two hooks of one session may take their host for another: the first one's word counts.
        known = memories.store.find_run(memories.project_id, event.session)
        event = replace(event, host=known.host) if known else event
    if event.step and event.step.get("typed"):
        from tacit.hosts import shell_mark

        if shell_mark(memories.env, event.session):  # an agent's shell tells it: nobody typed there
            event = replace(event, step={**event.step, "typed": False})
    return keep(memories.store.path, event)


def _begin(memories: Memories, event: Event, chosen: Mapping[str, Any]) -> HookAnswer:
    """A session starts: its agent's command line learns which run it is in, and the last one's receipt is shown."""
    from tacit.worker import start_if_due

    _name_run(event)
    _name_session(memories, event)
    if chosen["learns"]:
        _watch(memories, event)
    _ask_the_team(memories, event)
    start_if_due(
        memories.store, memories.env
    )  # what could not be learned before may be possible now
    context = "" if event.dropped else _inject(memories, replace(event, text="", files=()), chosen)
    if event.text and not event.dropped:  # a start that comes with its prompt is both moments
        context += _inject(memories, replace(event, key=f"{event.key} prompt"), chosen)
    fresh = event.source in ("", "startup", "clear", "new")
    if not fresh or not event.shows:
        return HookAnswer(context)
    from tacit.surfaces.hooks.words import left_out, receipt

    lines = (left_out(memories, chosen), receipt(memories) if chosen["receipt"] else "")
    return HookAnswer(context, "\n".join(filter(None, lines)))


def _ask_the_team(memories: Memories, event: Event) -> None:
    """Have the worker ask the server what a team told meanwhile, where this project is shared through one. Hooks never ask it."""
    project = memories.project_id
    if '"with": "postgres' in (memories.store.meta(f"sync:{project}") if project else ""):
        with memories.store.write() as tx:
            said = {"folder": memories.folder}
            tx.enqueue("sync", f"sync:{project}", project, said, memories.now(), "")


def _name_run(event: Event) -> None:
    """Tell the commands of this session which run they belong to, so that `tacit` there acts as its agent."""
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


def _name_session(memories: Memories, event: Event) -> None:
    """Tell the host's other children, an MCP server for instance, which session this process serves now."""
    from tacit.core import clock
    from tacit.core.errors import Unavailable
    from tacit.surfaces.session import note

    try:
        note(
            memories.store,
            event.session,
            clock.now(),
            host=event.host,
            folder=event.folder,
            wait=_RECORD_WITHIN,
        )
    except Unavailable:
        pass  # they do without; what they are told then belongs to no run


def _watch(memories: Memories, event: Event) -> None:
    """Queue a session at its start: a host that dies in its first turn tells of no end, and its transcript is there all the same."""
    from tacit.core.errors import Unavailable
    from tacit.worker import enqueue

    if (
        event.transcript
        and memories.project_id
        and not _is_emptied(event)
        and not _is_replay(memories, event)
    ):
        try:
            enqueue(
                memories.store,
                _learn_job(memories, event, False),
                later=DIED,
                wait=_RECORD_WITHIN,
                once=True,
            )
            _have_kept(memories, event)
        except Unavailable:
            pass  # the end of its first turn queues it


def _have_kept(memories: Memories, event: Event) -> None:
    """Write down what is checked out, and have the worker keep the work tree, so that this session can be replayed."""
    from tacit.core import clock
    from tacit.stores.identity import head_commit

    place = memories.place
    fresh = place.kind == "git" and event.source in ("", "startup", "clear")
    if head := head_commit(place.git_dir, place.common_dir) if fresh else "":
        said = {
            "host": event.host,
            "session": event.session,
            "path": event.transcript,
            "folder": event.folder,
        }
        said["head"] = head
        with memories.store.write(wait=_RECORD_WITHIN) as tx:
            tx.enqueue(
                "keep",
                f"keep:{event.host}:{event.session}",
                memories.project_id,
                said,
                clock.now(),
                "",
            )


def _is_replay(memories: Memories, event: Event) -> bool:
    """Whether `tacit replay` runs this session: it is given its lesson like any other, and is never learned."""
    from tacit.core.rows import REPLAY_FOLDER

    return bool(memories.env.get("TACIT_REPLAY")) or REPLAY_FOLDER in event.folder


_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


def _inject(memories: Memories, event: Event, chosen: Mapping[str, Any]) -> str:
    if (
        memories.project is None
        or not chosen["gives"]
        or (event.name in NEED_TEXT and not event.text)
    ):
        return ""
    failed, running = event.name == "tool-failure", event.name == "before-command"
    touched = event.name == "before-file"
    moment = (
        failed or running or touched
    )  # a few lines each, whatever was chosen for starts and prompts
    compacted = _is_emptied(event)
    if event.transcript and not event.root and _is_unmet(memories, event):
        if event.source in ("resume", "fork") and not os.path.exists(event.transcript):
            return ""  # it holds what its parent was told, and whose child it is will be known at its first prompt
        event = replace(event, root=_parent(memories, event))
    injection = memories.inject(
        "" if failed or running else event.text,  # of a file: what of it is about to change
        run=event.session,
        host=event.host,
        root=event.root,
        model=event.model,
        surface="hook:compact" if compacted else f"hook:{event.name}",
        event=_key(memories, event),
        budget="" if moment else str(chosen["budget"]).replace("auto", ""),
        # After a compaction the notes are gone from the agent's context. They are given again, as they were assigned.
        repeat=compacted,
        files=event.files,
        errors=(event.text,) if failed else (event.error,) if event.error else (),
        command=event.text if running else event.line,
        touched=touched,
        agent=event.agent,
        main=not (event.context or event.agent),
        context=event.context,
    )
    return injection.markdown if injection.injected else ""


def _is_unmet(memories: Memories, event: Event) -> bool:
    from tacit.core.rows import run_id

    return memories.store.run(run_id(memories.project_id, event.host, event.session)) is None


def _parent(memories: Memories, event: Event) -> str:
    """The session whose coins a forked one has, if the store knows it."""
    from tacit.core.rows import run_id
    from tacit.surfaces.session import copied_from

    for session in copied_from(event.transcript, event.session):
        row = memories.store.run(run_id(memories.project_id, event.host, session))
        first = memories.store.run(row.root) if row else None
        if first:
            return first.foreign_id
    return ""


def _is_emptied(event: Event) -> bool:
    """Whether this context has just lost what it was told."""
    return event.source == "compact" or (event.source == "resume" and event.forgets)


def _key(memories: Memories, event: Event) -> str:
    """The event's key. A start has no id of its own: earlier ones on the same surface tell two starts apart."""
    if event.name != "session-start":
        return event.key
    from tacit.core import clock
    from tacit.core.rows import run_id

    surface = "hook:compact" if _is_emptied(event) else "hook:session-start"
    unit = run_id(memories.project_id, event.host, event.root or event.session)
    soon = clock.seconds(clock.now()) - REPEATED_WITHIN
    before = [
        row
        for row in memories.store.injections(unit)
        if row[0] == surface and clock.seconds(row[3]) < soon
    ]
    return f"{event.key} {len(before)}"


def _at_end(memories: Memories, event: Event) -> HookAnswer:
    if not memories.store.meta(f"checks:{memories.project_id}"):
        return HookAnswer()
    from tacit.surfaces.hooks.finishing import at_end

    return at_end(memories, event)


def _remember(memories: Memories, event: Event) -> HookAnswer:
    """Queue the transcript and see to it that somebody reads it."""
    from tacit.core.errors import StoreBusy
    from tacit.worker import enqueue, start

    if not event.transcript or _is_replay(memories, event):
        return HookAnswer()
    over = event.name == "session-end"
    job = _learn_job(memories, event, over)
    try:
        enqueue(memories.store, job, later=0.0 if over else DEBOUNCE, wait=QUEUE_WITHIN)
    except StoreBusy:
        start(memories.store.path, memories.env, job)
        return HookAnswer()
    start(memories.store.path, memories.env)
    return HookAnswer()


def _learn_job(memories: Memories, event: Event, over: bool) -> LearnJob:
    from tacit.hosts import shell_mark, surroundings
    from tacit.worker import LearnJob

    named, marked = memories.env.get("TACIT_PROJECT", ""), shell_mark(memories.env, event.session)
    format = "neutral" if event.captured else event.host
    return LearnJob(
        event.host,
        event.session,
        event.transcript,
        event.folder,
        memories.project_id,
        named,
        over,
        format,
        marked,
        surroundings(memories.env),
    )


def _count_failure(memories: Memories) -> None:
    from tacit.core import clock

    try:
        with memories.store.write(wait=_RECORD_WITHIN) as tx:
            tx.count("", "hook_failure", clock.now())
    except Exception:
        pass  # a store that cannot be written cannot count either; `doctor` finds out why


# -- the user's configuration, without a TOML parser --------------------------------------------------------------------


def settings(memories: Memories) -> Mapping[str, Any]:
    """What the user has set, of the keys in SETTINGS. Files are read once and kept compiled in the store until they change."""
    from tacit.app import config_path

    files = (config_path(memories.env), os.path.join(memories.place.root, ".tacit", "config.toml"))
    stamp = " ".join(map(_stamp, files))
    here = any(memories.env.get(f"TACIT_{key.upper()}") for key in SETTINGS)
    if not here and not stamp.strip():
        return SETTINGS
    from tacit.core.errors import StoreBusy

    key = f"config:{memories.project_id}"
    compiled = memories.store.meta(key)
    known: dict[str, Any] = loads(compiled) if compiled and not here else {}
    if known.get("stamp") == stamp and "left_out" in known and "unlearned" in known:
        return known
    found = memories.settled()
    fresh = {
        "stamp": stamp,
        "left_out": found.left_out,
        "unlearned": found.unlearned,
        **{name: found.by_key[name].value for name in SETTINGS},
    }
    if not here:
        try:
            with memories.store.write(wait=_RECORD_WITHIN) as tx:
                tx.put_meta(key, dumps(fresh))
        except StoreBusy:
            pass  # the next hook reads the files again
    return fresh


def _stamp(path: str) -> str:
    try:
        return "{0.st_mtime_ns}:{0.st_size}".format(os.stat(path))
    except OSError:
        return ""
