"""One scenario on one program: a home and a project of its own, its sessions, and what they came to.

Judged by two things only: the requests that reached the model, and what `tacit` itself answers afterwards.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp import Editor
from model import Model, Request
from programs import Program, Turn
from terminal import Terminal

from tacit.testing import signed

ROOT = Path(__file__).resolve().parents[2]
TACIT = str(Path(sys.executable).with_name("tacit"))
# seconds for a session: a machine that others use too, and a program that takes half a minute to its first request
PATIENCE = 600.0
AT_TERMINAL = 400.0

# What becomes of the program that a host was told to call (`"tacit": "gone"` needs no text).
BROKEN = {
    "broken": "#!/opt/no/such/python\n",
    "hanging": "#!/bin/sh\nexec sleep 600\n",
    "garbage": "#!/bin/sh\necho '}{ no JSON'\necho 'Traceback: no module' >&2\nexit 1\n",
}

PYTEST = """#!/bin/sh
# Fails as a suite does whose tables are not there, until `make db` was called.
# It stays a moment after its last word, as a suite does: a pseudo-terminal whose program is gone at once may lose what it said.
if [ -e .db-up ]; then echo "3 passed in 0.12s"; sleep 1; exit 0; fi
echo 'E   psycopg.errors.UndefinedTable: relation "orders" does not exist' >&2
echo "1 failed in 0.31s" >&2
sleep 1
exit 1
"""


@dataclass
class Session:
    """What one session came to."""

    id: str = ""
    code: int | None = 0
    out: str = ""
    requests: list[Request] = field(default_factory=list)

    def of(self, track: str) -> list[Request]:
        """Its requests that offered tools, of one track."""
        return [each for each in self.requests if each.tools and each.track == track]


class World:
    """A home, a project and an environment that know nothing of the person who runs this."""

    def __init__(self, folder: Path, model: Model, env: dict[str, str] | None = None) -> None:
        self.folder, self.model = folder, model
        self.lesson = ""  # the one that was kept last
        self.home, self.project = folder / "home", folder / "shop"
        self.numbers: dict[str, int] = {}  # that lessons had on the last screen
        self.home.mkdir(parents=True)
        (self.project / "bin").mkdir(parents=True)
        (self.project / "tests").mkdir()
        (self.project / "bin" / "pytest").write_text(PYTEST)
        (self.project / "bin" / "pytest").chmod(0o755)
        (self.project / "Makefile").write_text("db:\n\t@touch .db-up && echo 'database is up'\n")
        (self.project / "tests" / "test_orders.py").write_text("def test_orders():\n    pass\n")
        self.program = (
            folder / "tools" / "tacit"
        )  # what hosts are told to call: a link that a scenario may break
        self.program.parent.mkdir()
        self.program.symlink_to(TACIT)
        node = os.path.dirname(shutil.which("node") or "/usr/bin/node")
        self.env = {
            "PATH": os.pathsep.join(
                [os.path.dirname(TACIT), node, "/usr/local/bin", "/usr/bin", "/bin"]
            ),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TACIT_WORKER_IDLE": "2",
            **(env or {}),
        }
        for line in (
            ["init", "-q"],
            ["add", "-A"],
            ["-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "-qm", "shop"],
        ):
            subprocess.run(
                ["git", *line], cwd=self.project, env=self.env, check=True, capture_output=True
            )
        # of who runs our own commands; the hosts and what they start have none
        self.key = signed({**self.env, "USER": "ada"})["TACIT_KEY"]

    def tacit(self, *args: str, check: bool = True) -> Any:
        """What `tacit` answers the person, as JSON."""
        env = {**self.env, "USER": "ada", "TACIT_KEY": self.key}
        done = subprocess.run(
            [str(self.program) if self.program.is_symlink() else TACIT, *args, "--json"],
            cwd=self.project,
            env=env,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        answer = json.loads(done.stdout or "{}")
        if check and not answer.get("ok"):
            raise AssertionError(f"tacit {' '.join(args)}: {done.stdout}{done.stderr}")
        return answer.get("data") or {}

    def said(self, *args: str) -> str:
        """What `tacit` tells a person."""
        done = subprocess.run(
            [TACIT, *args],
            cwd=self.project,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return done.stdout + done.stderr

    def settle(self) -> None:
        """Wait until what the hooks queued was learned: by the worker that they started, or by us after it."""
        end = time.monotonic() + 150
        while not self.tacit("worker", "--now").get("alone") and time.monotonic() < end:
            time.sleep(0.3)


def run(program: Program, world: World, told: dict[str, Any], before: Sequence[Session]) -> Session:
    """One session of a scenario."""
    (world.project / ".db-up").unlink(missing_ok=True)
    if state := told.get("tacit"):
        world.program.unlink(missing_ok=True)
        if state in BROKEN:
            world.program.write_text(BROKEN[state])
            world.program.chmod(0o755)
    for words in told.get("first", ()):
        world.tacit(*(word.replace("{lesson}", world.lesson) for word in words))
    told = _numbered(world, told)
    told = json.loads(json.dumps(told).replace("{project}", str(world.project)))
    world.env.update(told.get("env", {}))
    world.model.play(told.get("script", {}))
    drive = (
        _typed
        if told.get("typed")
        else _records
        if told.get("records")
        else _edited
        if told.get("acp")
        else None
    )
    session = drive(program, world, told) if drive else call(program, world, told, before)
    session.requests = world.model.seen(tools=False)
    world.settle()
    return session


def _numbered(world: World, told: dict[str, Any]) -> dict[str, Any]:
    """The same session with `{n:TEXT}` as the number that a lesson had on the first screen; numbers stay what they were."""
    said = json.dumps(told)
    if "{n:" in said and not world.numbers:
        world.said()  # a person looks: what a program reads has no numbers that count
        screen = world.tacit()["screen"]
        world.numbers = {
            row["hears"] or row["problem"]: row["number"]
            for row in (*screen["told"], *screen["new"])
        }

    def number(found: re.Match[str]) -> str:
        return str(next(n for text, n in world.numbers.items() if found[1] in text))

    again: dict[str, Any] = json.loads(re.sub(r"\{n:([^}]+)\}", number, said))
    return again


def call(
    program: Program, world: World, told: dict[str, Any], before: Sequence[Session]
) -> Session:
    """A session that is handed its prompt and ends by itself."""
    goes_on = before[-1].id if told.get("resume") or told.get("fork") else ""
    turn = Turn(told["prompt"], goes_on, bool(told.get("fork")), tuple(told.get("flags", ())))
    argv = [program.path, *program.print(turn)]
    try:
        done = subprocess.run(
            argv,
            cwd=world.project,
            env=world.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired as late:
        return Session(
            code=None, out=f"did not end within {PATIENCE:g} s: {late.stdout or ''}"[:2000]
        )
    return Session(
        _session_id(program, world, done.stdout),
        done.returncode,
        (done.stdout + done.stderr)[-4000:],
    )


def _session_id(program: Program, world: World, out: str) -> str:
    found = re.search(r'"(?:session_id|thread_id|sessionID)"\s*:\s*"([^"]+)"', out)
    if found:
        return found.group(1)
    runs = world.tacit("origin", "audit", check=False).get("runs", [])
    return str(runs[0]["run"]) if runs else ""


def _typed(program: Program, world: World, told: dict[str, Any]) -> Session:
    """A session at a terminal: each line is typed when the one before it was answered."""
    assert program.typed is not None
    screen = Terminal([program.path, *program.typed()], world.env, world.project)
    try:
        if not screen.wait(program.ready_at, AT_TERMINAL):
            return Session(code=None, out=f"no prompt: {screen.text[-1500:]}")
        screen.wait(lambda: False, 2.0)
        keys = list(told.get("press", ()))
        for line in (program.compact if line == "/compact" else line for line in told["typed"]):
            asked = len(world.model.seen())
            shown = len(screen.raw)
            queued = ""
            # {"before": words before it, "paste": text, "type": words behind it, "queue": what is typed while it works}
            if isinstance(line, dict):
                screen.type(line.get("before", ""), enter=False)
                if "paste" in line:
                    screen.paste(line["paste"])
                line, queued = line["type"], line.get("queue", "")
            screen.type(line)
            if queued:
                screen.wait(lambda asked=asked: len(world.model.seen()) > asked, AT_TERMINAL)
                screen.wait(lambda: False, 2.0)
                screen.type(queued)
            if line.startswith("/"):
                screen.wait(lambda shown=shown: len(screen.raw) > shown + 500, 15)
                screen.wait(lambda: False, 5.0)
            elif not screen.wait(
                lambda asked=asked: _pressed(screen, keys) or _answered(world.model, asked),
                AT_TERMINAL,
            ):
                return Session(code=None, out=f"no answer to {line!r}: {screen.text[-1500:]}")
            screen.wait(lambda: False, 2.5)
        left = screen.close(("\x03", "\x03", "\x03"), 45.0) if told.get("ends", True) else None
        if left is None:
            screen.kill()
        return Session(code=0 if left in (True, None) else None, out=screen.text[-2000:])
    except BaseException:
        screen.kill()
        raise


def _records(program: Program, world: World, told: dict[str, Any]) -> Session:
    """The session before, learned again as another one whose records differ in what is told: {"records": [[old, new], …]}."""
    written = max(_transcripts(world), key=lambda path: path.stat().st_mtime)
    text = written.read_text()
    [old] = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", written.stem)
    new = str(uuid.uuid4())
    for one, other in ([old, new], *told["records"]):
        text = text.replace(one, other)
    other_file = written.with_name(written.name.replace(old, new))
    other_file.write_text(text)
    os.utime(other_file, (1, 1))  # the real one stays the last
    world.tacit("learn", str(other_file))
    return Session(id=new)


def _transcripts(world: World) -> list[Path]:
    return [
        each
        for name in (".claude/projects", ".codex/sessions")
        for each in (world.home / name).rglob("*.jsonl")
    ]


def _edited(program: Program, world: World, told: dict[str, Any]) -> Session:
    """A session in an editor, through the Agent Client Protocol."""
    editor = Editor(program.acp, world.env, world.project)
    try:
        return Session(editor.converse(world.project, told["acp"], PATIENCE))
    finally:
        editor.close()


def _pressed(screen: Terminal, keys: list[list[str]]) -> bool:
    """Answer what the program asks at its screen, in the order in which it does: [what stands there, what is pressed]; whether that ended the turn."""
    if keys and re.search(keys[0][0], screen.text):
        screen.wait(lambda: False, 1.0)
        key = keys.pop(0)[1]
        os.write(screen.fd, key.encode())
        return key == "\x1b" and not screen.wait(lambda: False, 3.0)  # a no ends the turn
    return False


def _answered(model: Model, asked: int) -> bool:
    """Whether the turn that was asked for is over: something came in, and the last step of its track ended a turn."""
    seen = model.seen("main")
    if len(model.seen()) <= asked or not seen:
        return False
    steps, last = model.script.get("main", []), seen[-1]
    step = steps[last.step] if last.step < len(steps) else {"say": ""}
    return set(step) <= {"say", "usage"}


# -- what is expected --------------------------------------------------------------------------------------------------


def faults(
    world: World,
    sessions: Sequence[Session],
    expected: Iterable[dict[str, Any]],
    can: frozenset[str],
) -> list[str]:
    """What is not as the scenario says, one line each; of what a program cannot, nothing is expected."""
    found = []
    for each in expected:
        if each.get("needs", "print") not in can:
            continue
        kind = next(name for name in CHECKS if name in each)
        fault = CHECKS[kind](world, sessions, each)
        if fault:
            found.append(fault)
    return found


def _told(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"told": text, "session": 1, "track": "main", "in": "first" | "every" | "last" | "none"}: what stood in its requests."""
    track = each.get("track", "main")
    requests = sessions[each.get("session", len(sessions) - 1)].of(track)
    where = each.get("in", "every")
    if not requests:
        return f"no request of {track}"
    holds = [_flat(each["told"]) in _flat(request.text) for request in requests]
    right = {
        "first": holds[0],
        "every": all(holds),
        "last": holds[-1],
        "any": any(holds),
        "none": not any(holds),
    }[where]
    return (
        ""
        if right
        else f"“{each['told']}” in {sum(holds)} of {len(holds)} requests of {track}, wanted: {where}"
    )


def _flat(text: str) -> str:
    for escaped, plain in (
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
        ("&quot;", '"'),
        ("&#39;", "'"),
    ):
        text = text.replace(escaped, plain)
    return " ".join(text.split())


def _lesson(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"lesson": text, "count": 1, "seen": 1, "state": "waiting"}: what `tacit list` has."""
    listed = world.tacit("list", "--limit", "100")["memories"]
    fits = [memory for memory in listed if each["lesson"].lower() in memory["text"].lower()]
    wanted = each.get("count", 1)
    if (len(fits) < 1) if wanted == "some" else (len(fits) != wanted):
        return f"{len(fits)} lessons with “{each['lesson']}”, wanted {wanted}: {[memory['text'] for memory in listed]}"
    for name in ("state", "seen", "trust"):
        if (
            name in each
            and fits
            and fits[0].get(name, (fits[0].get("tally") or {}).get(name)) != each[name]
        ):
            return f"“{each['lesson']}”: {name} is {fits[0].get(name, (fits[0].get('tally') or {}).get(name))}, wanted {each[name]}"
    return ""


def _runs(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"runs": 2, "settled": 2}: runs that are known, and those that were seen to end."""
    known = world.tacit("origin", "audit")["runs"]
    settled = [run for run in known if run["settled_at"]]
    if len(known) != each["runs"]:
        return f"{len(known)} runs known, wanted {each['runs']}"
    if len(settled) < each.get("settled", 0):
        return f"{len(settled)} of {len(known)} runs settled, wanted {each['settled']}"
    return ""


def _outcome(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"outcome": "unknown", "of": text}: what the last run says of a lesson's problem."""
    for run in world.tacit("origin", "audit")["runs"]:
        for lesson in run["lessons"]:
            if each["of"].lower() in lesson["text"].lower():
                return (
                    ""
                    if lesson["outcome"] == each["outcome"]
                    else f"outcome of “{each['of']}”: {lesson['outcome']}, wanted {each['outcome']}"
                )
    return f"no run was assigned “{each['of']}”"


def _tools(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"tools": "recall"}: a tool that the model was offered."""
    offered = {
        name for session in sessions for request in session.requests for name in request.tools
    }
    return (
        ""
        if any(name.endswith(each["tools"]) for name in offered)
        else f"no tool {each['tools']} was offered"
    )


def _noticed(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"noticed": text, "lineages": 1}: a failure that `tacit doctor` has, and in how many independent runs it was met."""
    found = {row["signature"]: row["lineages"] for row in world.tacit("doctor")["noticed"]}
    met = [n for signature, n in found.items() if each["noticed"] in signature]
    return (
        ""
        if met == [each["lineages"]]
        else f"noticed “{each['noticed']}” in {met} lineages, wanted {each['lineages']}: {found}"
    )


def _asked(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"asked": 2, "session": 1, "quiet": ["hook"]}: so many requests reached the model at least, and nothing of this stood on the screen."""
    session = sessions[each.get("session", len(sessions) - 1)]
    loud = [word for word in each.get("quiet", ()) if word.lower() in session.out.lower()]
    if len(session.of("main")) < each["asked"]:
        return f"{len(session.of('main'))} requests reached the model, wanted {each['asked']}: {session.out[-300:]}"
    return f"the screen says {loud[0]}: {session.out[-400:]}" if loud else ""


def _most(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"most": 4, "session": 1}: so many requests reached the model and no more: nobody was sent back a second time."""
    asked = len(sessions[each.get("session", len(sessions) - 1)].of("main"))
    return (
        ""
        if asked <= each["most"]
        else f"{asked} requests reached the model, at most {each['most']} wanted"
    )


def _word(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"word": text, "in_force": true, "gone": true, "by": name}: what became of a lesson, and whose word its last change was."""
    [found] = [
        one for one in world.tacit("list", "--all")["memories"] if each["word"] in one["text"]
    ]
    [last] = world.tacit("origin", "log", "--memory", found["id"], "--tail", "1")["entries"]
    stands = {
        "in_force": found["state"] == "active",
        "gone": found["state"] == "gone",
        "by": last.get("by"),
    }
    wrong = [name for name in stands if name in each and stands[name] != each[name]]
    return (
        f"“{each['word']}” is {found['state']}, its last change by {stands['by']}: {last}"
        if wrong
        else ""
    )


def _fired(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"fired": {"refused": 1, "obeyed": 1}}: what `tacit guard` has of the firings of the guards, and what became of them."""
    listed = world.tacit("guard")
    found = listed["armed"][0]["firings"] if listed["armed"] else {}
    return "" if found == each["fired"] else f"firings {found}, wanted {each['fired']}"


def _page(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"page": text}: what a reader is shown of the last session."""
    shown = world.said(
        "learn",
        "--dry-run",
        "--show",
        str(max(_transcripts(world), key=lambda path: path.stat().st_mtime)),
    )
    return (
        ""
        if each["page"] in shown
        else f"the reader's page has no “{each['page']}”: {shown[-600:]}"
    )


def _made(world: World, sessions: Sequence[Session], each: dict[str, Any]) -> str:
    """{"made": ".db-up", "is": true}: whether a call ran that makes a file."""
    there = (world.project / each["made"]).exists()
    return "" if there == each["is"] else f"{each['made']} is {'there' if there else 'not there'}"


CHECKS = {
    "page": _page,
    "fired": _fired,
    "made": _made,
    "word": _word,
    "asked": _asked,
    "most": _most,
    "noticed": _noticed,
    "told": _told,
    "lesson": _lesson,
    "runs": _runs,
    "outcome": _outcome,
    "tools": _tools,
}
