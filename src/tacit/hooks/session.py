"""Which session a child process of a host serves, of which host, in which folder.

A host tells its hooks the session, and its MCP servers nothing; a server that came with a plugin may even start in the plugin's folder.
Both are its children: the hook at the start of a session notes the session under its parent's process id (behind the shell that the
host runs it in), and a server looks whether one of its own ancestors was noted, after that ancestor began (ids are used again). A host
that starts another session in the same process says so by a new start.

Whose lines a transcript repeats: a forked session holds what its parent was told, so it has its parent's coins. A host that forks copies
the parent's lines into a new file under a new id, and leaves nothing but the ids of the messages to tell where they came from. Asked only
of a session that the store has not met: siblings are looked through once.
"""

from __future__ import annotations

import os

from tacit.core import clock
from tacit.core.value import dumps, loads
from tacit.safety.files import head_of
from tacit.store import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tacit.hooks.record import Store

SESSIONS_KEY = "sessions"
_MOST = 50  # processes that are remembered; each is one host at work
SIBLINGS = 40  # files beside a transcript that are looked at, the newest first
_HEAD = 16_384  # bytes of each; a session's first message stands there
CLOCK_SLACK = 3.0  # seconds by which two clocks of one machine may be read apart


def note(
    store: Store,
    session: str,
    at: str,
    *,
    host: str = "",
    folder: str = "",
    wait: float,
    process: int = 0,
) -> None:
    """Remember that this session runs in our parent's process."""
    name = str(process or host_process())
    before = loads(moments.meta(store, SESSIONS_KEY) or "{}").get(name, [""])
    if [before[0], *before[2:]] == [session, host, folder]:
        return
    with store.write(wait=wait) as tx:
        known = loads(moments.meta(tx, SESSIONS_KEY) or "{}")
        known.pop(name, None)
        known[name] = (session, at, host, folder)
        moments.put_meta(tx, SESSIONS_KEY, dumps(dict([*known.items()][-_MOST:])))


def host_process() -> int:
    """The process that called a hook: our parent, or what started the shell that only runs our line."""
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/cmdline", "rb") as file:
            called = file.read(4096)
        return (
            (_of_proc(parent) or (parent, 0.0))[0]
            if b"hook" in called and b"tacit" in called
            else parent
        )
    except OSError:
        above, called = _ps("ppid=,command=", parent).lstrip().encode().partition(b" ")[::2]
        return (
            int(above) if b"hook" in called and b"tacit" in called and above.isdigit() else parent
        )


def served_by(store: Store, ancestors: Sequence[tuple[int, float]]) -> tuple[str, str, str]:
    """The session that the nearest of these processes serves, its host and its folder; empty where none was noted."""
    known = loads(moments.meta(store, SESSIONS_KEY) or "{}")
    for process, began in ancestors:
        # an older note ends after the second
        session, at, host, folder = [*known.get(str(process), ("", "")), "", ""][:4]
        if session and clock.seconds(at) >= began - CLOCK_SLACK:
            return str(session), str(host), str(folder)
    return "", "", ""


def ancestors(process: int = 0, most: int = 6) -> list[tuple[int, float]]:
    """The processes that started this one, nearest first, each with the time it began."""
    found: list[tuple[int, float]] = []
    at = process or os.getppid()
    while at > 1 and len(found) < most:
        told = _of_proc(at) or _of_ps(at)
        if told is None:
            break
        above, age = told
        found.append((at, clock.seconds(clock.now()) - age))
        at = above
    return found


def _of_proc(process: int) -> tuple[int, float] | None:
    """A process's parent and age in seconds, where the system keeps such files; small containers have no ps."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        with open("/proc/uptime", "rb") as file:
            up = float(file.read().split()[0])
        return int(fields[1]), up - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def _of_ps(process: int) -> tuple[int, float] | None:
    try:
        above, age = _ps("ppid=,etime=", process).split()
        return int(above), _seconds(age)
    except ValueError:
        return None


def _ps(columns: str, process: int) -> str:
    import subprocess

    try:
        return subprocess.run(
            ["ps", "-o", columns, "-p", str(process)], capture_output=True, text=True, timeout=5
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _seconds(age: str) -> float:
    """[[days-]hours:]minutes:seconds, as ps tells it."""
    days, _, rest = age.rpartition("-")
    total = int(days or 0) * 24
    parts = [0, 0, *map(int, rest.split(":"))][-3:]
    return float(((total + parts[0]) * 60 + parts[1]) * 60 + parts[2])


def copied_from(transcript: str, session: str) -> Iterator[str]:
    """The sessions whose first message a transcript repeats, the newest first; none for a session of its own, or one with no answer yet."""
    head = head_of(transcript, _HEAD)
    first = _first(head)
    if not first or b'"type":"assistant"' not in head.replace(b'": "', b'":"'):
        return
    folder = os.path.dirname(transcript)
    try:
        beside = [
            entry
            for entry in os.scandir(folder)
            if entry.name.endswith(".jsonl") and entry.path != transcript
        ]
        beside.sort(key=lambda entry: -entry.stat().st_mtime)
    except OSError:
        return
    for entry in beside[:SIBLINGS]:
        if (
            _first(head_of(entry.path, _HEAD)) == first
            and (name := entry.name[: -len(".jsonl")]) != session
        ):
            yield name


def _first(head: bytes) -> bytes:
    """The id of the first message."""
    at = head.replace(b'"uuid": "', b'"uuid":"')
    begin = at.find(b'"uuid":"')
    return at[begin + 8 : at.find(b'"', begin + 8)] if begin >= 0 else b""
