"""A host's event: what an agent is told at its turns, and which transcripts wait to be learned.

`tacit hook EVENT` is started by the host for each prompt, so three things rule here. It is light: nothing is loaded that
the event does not need, and everything slow is queued for the worker. It is silent: whatever fails, the agent goes on as
if Tacit were not there (exit 0, nothing printed), and the failure is counted in the store. It speaks once: an event has a
key, an answer is recorded under it before it is printed, and hosts that fire a hook twice get one answer.

What hosts say and want to hear differs; a dialect, one module per host, turns a payload into an `Event` and an answer
into the host's words. A host whose transcripts nobody documents is captured: what its events say is written down
(`capture`) and read like a transcript. A hook never makes a store, and never the row of a project: whoever has not asked
for Tacit has none.
"""

from __future__ import annotations

import os
import sys

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.value import loads, replace
from tacit.hooks.events import AskingRun, Query, is_emptied
from tacit.hosts import host_of, speaker
from tacit.hosts.dialect import HookAnswer, Insisted
from tacit.place.folders import is_spoken_of, store_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.hooks.record import Store
    from tacit.hosts.dialect import Event
    from tacit.memory import Memory as Memories
    from tacit.store.moments import Project

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
HELP = """\
Answers a host's event: reads the host's JSON on standard input, prints what its agent should know.
`tacit connect claude-code` registers it; you need not call it yourself.

It prints nothing and exits with 0 where there is nothing to say, and whenever something fails;
TACIT_DEBUG=1 says why on standard error. TACIT_OFF=1 silences it, `tacit config pause` for a while.

example:
  echo '{"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"}' \\
    | tacit hook session-start
"""
NEED_TEXT = ("prompt", "before-command", "tool-failure")
LARGEST = 32 * 1024 * 1024  # bytes of a payload; a longer one is no prompt
WITHIN = 0.15  # seconds for what an agent waits for
LONGEST_PATH = 4096  # of a folder; a longer one is none
REPEATED_WITHIN = 10.0  # seconds in which the same start of a session is a second copy of the hook, not a second start
PLAIN = "default"  # the way of remembering whose hooks choose by plain selection


class Hook:
    """One event of a host, and what it is answered from."""

    __slots__ = ("env", "event", "git_dir", "project", "root", "settings", "store")

    def __init__(
        self,
        store: Store,
        event: Event,
        env: Mapping[str, str],
        place: tuple[Project | None, str, str],
        settings: Mapping[str, Any],
    ) -> None:
        self.store, self.event, self.env, self.settings = store, event, env, settings
        self.project, self.root, self.git_dir = place

    @property
    def project_id(self) -> str:
        """The project's id; empty where nothing was ever kept for it."""
        return self.project.id if self.project else ""

    def session_id(self, name: str) -> str:
        """The store's name of a session of this host."""
        return short_hash("run", self.project_id, self.event.host, name)


def main(argv: Sequence[str], env: Mapping[str, str] | None = None) -> int:
    """Answer one event. 0, also where something failed: a hook must not disturb its host; 2 for an answer that wants it."""
    seen = os.environ if env is None else env
    try:
        if "--help" in argv or "-h" in argv or os.isatty(0):
            _write(f"{USAGE}\n\n{HELP}\nevents: {', '.join(EVENTS)}\n")
            return 0
        name, options = "", {"--host": "", "--store": ""}
        words = iter(argv)
        for word in words:
            option, equals, given = word.partition("=")
            if option in options:
                options[option] = given if equals else next(words, "")
            elif not word.startswith("-"):
                name = word
        said = respond(name, _payload(), seen, host=options["--host"], store=options["--store"])
        if said:
            _write(said + "\n")
            return 2 if isinstance(said, Insisted) else 0
    except Exception as error:
        if seen.get("TACIT_DEBUG"):
            sys.stderr.write(f"tacit hook: {type(error).__name__}: {error}\n")
    return 0


def _payload() -> Any:
    # Read to its end also where nothing will be said: a host that finds its pipe closed may call that an error.
    raw = b""
    while len(raw) <= LARGEST and (more := os.read(0, 1 << 16)):
        raw += more
    return loads(raw.decode("utf-8", "replace")) if len(raw) <= LARGEST else None


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
    off = env.get("TACIT_OFF", "") not in ("", "0") or env.get("TACIT_MODEL_CALL")
    if off or not isinstance(payload, dict):
        return "", nothing
    speaks = speaker(host_of(payload, host))
    event: Event | None = speaks.read(name, payload, env) if speaks else None
    if event is None:
        return "", nothing
    path = store_path(store or None, env)
    fired: Sequence[Any] = ()
    alone = event.name == "before-call"  # the host hears a decision here, and notes elsewhere
    if (alone or event.name in ("before-command", "before-file")) and not event.captured:
        if event.name in getattr(speaks, "DECIDES", ()):
            fired = _fired(path, event, payload)
        if not fired and (alone or not _may_be_known(path, event)):
            return "", nothing
    if len(event.folder) > LONGEST_PATH or not os.path.exists(path):
        return "", nothing
    if event.name == "tool-failure":
        from tacit.hosts.dialect import line_of

        event = replace(event, line=line_of(payload))
    told = nothing if alone else _answered(path, event, env)
    if fired:
        from tacit.hooks.before_call import decided

        with _whole(path, event, env) as memories:
            told = decided(memories, event, fired, speaks.DECIDES[event.name], told)
    speaking = told.context or told.message or told.decision
    return speaks.write(event, told) if speaking else "", told


def _may_be_known(path: str, event: Event) -> bool:
    """Whether any lesson may be about this command or file: asked of a small file, since the store is much to open for nothing."""
    if "://" in path:
        return True
    from tacit.hooks.select import calls_of, telling_in

    if event.name == "before-command":
        return is_spoken_of(path, [call[0] for call in calls_of(event.text)])
    names = [each.replace("\\", "/").rpartition("/")[2] for each in event.files]
    return is_spoken_of(path, [*names, *telling_in(event.text)])


def _fired(path: str, event: Event, payload: Mapping[str, Any]) -> Sequence[Any]:
    """The guards that fire on this call, by a small file: none where no guard is armed, or nothing that it reads makes sense."""
    if not os.path.exists(f"{path}.guards") or payload.get("tool_name") == "Read":
        return ()  # reading is free
    if len(event.folder) > LONGEST_PATH:
        return ()
    try:
        from tacit.guards.armed import concerned

        calls = [("", file) for file in event.files] or [(event.text, "")]
        return [
            each
            for line, file in calls
            for each in concerned(path, event.session, event.folder, line, file)
        ]
    except Exception:
        return ()  # a broken guard is a note


def _whole(path: str, event: Event, env: Mapping[str, str]) -> Memories:
    """The whole library, for what seldom happens."""
    from tacit.memory import open

    return open(path, env=env, cwd=event.folder, create=False, wait=WITHIN)


def _answered(path: str, event: Event, env: Mapping[str, str]) -> HookAnswer:
    """What there is to say at an event; a failure is counted, and travels on."""
    from tacit.store import moments

    store = moments.opened(path, WITHIN)
    try:
        if moments.meta(store, "paused_until") > clock.now():
            return HookAnswer()
        from tacit.hooks.place import project_here, settings

        place = project_here(store, event.folder, env)
        chosen = settings(store, place[0].id if place[0] else "", place[1], env)
        return _said(Hook(store, event, env, place, chosen))
    except Exception:
        try:
            with store.write(wait=WITHIN) as tx:
                moments.count(tx, "", "hook_failure", clock.now())
        except Exception:
            pass  # a store that cannot be written cannot count either; `doctor` finds out why
        raise
    finally:
        store.close()


def _said(hook: Hook) -> HookAnswer:
    event, learns = hook.event, hook.settings["learns"]
    if hook.settings["ignore"] or hook.settings.get("unlearned"):
        from tacit.core.config import is_ignored

        if is_ignored(event.folder, hook.settings["ignore"], hook.env):
            return HookAnswer()
        unlearned = hook.settings.get("unlearned", ())
        learns = learns and not is_ignored(event.folder, unlearned, hook.env)
        hook.settings = {**hook.settings, "learns": learns}
    if event.captured:
        event = hook.event = _captured(hook)
    if event.name in ("stop", "pre-compact", "session-end"):
        return _ended(hook)
    typed = event.text
    if event.step and event.step["role"] == "user":
        typed = event.step.get("text", "")
    if event.name in ("prompt", "step") and typed[:5].casefold() == "tacit":
        from tacit.screens.typed import noted  # whether a person typed it the transcript will say

        with _whole(hook.store.path, event, hook.env) as memories:
            if word := noted(memories, event, typed):
                return word
    if event.name == "session-start":
        return _began(hook)
    late = ""
    if event.emptied or (event.catches_up and hook.project and _is_unmet(hook)):
        again = "compact" if event.emptied else ""
        start = {"name": "session-start", "source": again, "text": "", "error": "", "line": ""}
        late = told_at(hook, replace(event, **start, files=()))
    return HookAnswer(late + (told_at(hook, event) if event.name != "step" else ""))


def _captured(hook: Hook) -> Event:
    """The event of a host without a readable transcript, after what it says was written down."""
    from tacit.hooks.capture import keep
    from tacit.hosts import shell_mark
    from tacit.store import moments

    event = hook.event
    if hook.project:
        # Two hooks of one session may take their host for another: the first one's word counts.
        id = moments.session_named(hook.store, hook.project.id, event.session)
        known = moments.session(hook.store, id) if id else None
        event = replace(event, host=known[0]) if known else event
    if event.step and event.step.get("typed") and shell_mark(hook.env, event.session):
        # an agent's shell tells it: nobody typed there
        event = replace(event, step={**event.step, "typed": False})
    return keep(hook.store.path, event)


def _began(hook: Hook) -> HookAnswer:
    """What a start tells its agent and its person."""
    from tacit.hooks.sessions import begun, said_at_start

    event = hook.event
    begun(hook)
    context = "" if event.dropped else told_at(hook, replace(event, text="", files=()))
    if event.text and not event.dropped:  # a start that comes with its prompt is both moments
        context += told_at(hook, replace(event, key=f"{event.key} prompt"))
    if event.source not in ("", "startup", "clear", "new") or not event.shows:
        return HookAnswer(context)
    return HookAnswer(context, said_at_start(hook))


def _ended(hook: Hook) -> HookAnswer:
    """The end of a turn, of a session, or of what a context holds: its transcript is queued."""
    from tacit.hooks.sessions import remember
    from tacit.store import moments

    event = hook.event
    if hook.settings["learns"]:
        remember(hook)
    elif event.captured and event.name == "session-end":  # it served this session alone
        from tacit.place.folders import remove_captured

        remove_captured(hook.store.path, [event.session])
    if event.name != "stop" or not moments.meta(hook.store, f"checks:{hook.project_id}"):
        return HookAnswer()
    from tacit.hooks.at_end import at_end

    with _whole(hook.store.path, event, hook.env) as memories:
        return at_end(memories, event)


def told_at(hook: Hook, event: Event) -> str:
    """What an agent is told at a moment; recorded by then."""
    project, failed = hook.project, event.name == "tool-failure"
    running, touched = event.name == "before-command", event.name == "before-file"
    if not project or not hook.settings["gives"] or (event.name in NEED_TEXT and not event.text):
        return ""
    emptied, root = is_emptied(event), event.root
    if event.transcript and not root and _is_unmet(hook):
        if event.source in ("resume", "fork") and not os.path.exists(event.transcript):
            # it holds what its parent was told, and whose child it is will be known at its first prompt
            return ""
        from tacit.hooks.sessions import parent_of

        root = parent_of(hook)
    query = Query(
        task="" if failed or running else event.text,  # of a file: what of it is about to change
        files=event.files,
        errors=(event.text,) if failed else (event.error,) if event.error else (),
        command=event.text if running else event.line,
        touched=touched,
        agent=event.agent,
        main=not (event.context or event.agent),
    )
    asking = AskingRun(
        event.session,
        event.host,
        root,
        event.model,
        "hook:compact" if emptied else f"hook:{event.name}",
        _key(hook, event, root),
        event.context,
    )
    # After a compaction the notes are gone from the agent's context. They are given again, as they were assigned.
    return _told(hook, project, query, asking, emptied)


def _told(hook: Hook, project: Project, query: Query, asking: AskingRun, repeat: bool) -> str:
    if project.profile != PLAIN or project.values:
        with _whole(hook.store.path, hook.event, hook.env) as memories:
            asked = {**query.__dict__, **asking.__dict__}
            from tacit.hooks.recalling import inject

            given = inject(memories, asked.pop("task"), **asked, repeat=repeat)
    else:
        from tacit.hooks.record import tell

        given = tell(
            hook.store,
            project,
            query,
            asking,
            now=clock.now(),
            trial=hook.env.get("TACIT_COIN") != "never",
            repeat=repeat,
            exists=lambda path: os.path.lexists(os.path.join(hook.root, path)),
        )
    return given.markdown if given.injected else ""


def _is_unmet(hook: Hook) -> bool:
    from tacit.store import moments

    return moments.session(hook.store, hook.session_id(hook.event.session)) is None


def _key(hook: Hook, event: Event, root: str) -> str:
    """The event's key. A start has no id of its own: earlier ones on the same surface tell two starts apart."""
    if event.name != "session-start":
        return event.key
    from tacit.store import moments

    surface = "hook:compact" if is_emptied(event) else "hook:session-start"
    soon = clock.seconds(clock.now()) - REPEATED_WITHIN
    group = hook.session_id(root or event.session)
    before = [
        each
        for each in moments.delivered(hook.store, group)
        if each.surface == surface and clock.seconds(each.at) < soon
    ]
    return f"{event.key} {len(before)}"
