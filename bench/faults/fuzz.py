"""Strange input at every door: each format's reader, hooks' JSON, profiles, configuration, import, lesson lines, arguments.

Formats come from the registry, so that a new one is a door by itself. Where atheris is installed it leads by coverage, with
our mutations among its own and the words of the program's text as its dictionary; elsewhere an input that makes a door
behave in a way not seen before is kept and mutated further. A door may answer, or raise an error of ours with a
message; anything else is a crash, kept in `corpus.zip` as `DOOR/crash-…` and replayed by the test suite for ever.

    python bench/faults/fuzz.py [--minutes 10] [--points EXECUTIONS] [--only DOOR]     all doors in turn, one batch each, or one
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import io
import json
import os
import pkgutil
import random
import signal
import string
import subprocess
import sys
import time
import traceback
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import corpus
from common import campaign, frozen_source, taken

from tacit.learn import correcting
from tacit.testing import signed

SECONDS = 20.0  # a batch
SLOW = {
    "learn": 4,
    "import-markdown": 3,
    "arguments": 2,
}  # doors that get so many times the time
# bytes that a slow door is given at most; a bullet is a lesson, and thousands say no more
LONGEST = {"import-markdown": 500, "learn": 2500}
HANG = 20  # seconds after which an input counts as a crash
KEPT = 40  # inputs a door's corpus grows to
# a file's name tells some formats what it is
NAMES = (
    "x.jsonl",
    "x.json",
    "x.md",
    "x.yaml",
    "x.csv",
    "x.traj",
    "chat.history.md",
)
BEHIND = {  # the rooms that are watched for coverage behind a door
    "read": ("tacit.hosts",),
    "import": ("tacit.hosts",),
    "learn": ("tacit.hosts", "tacit.learn"),
    "hook": ("tacit.hooks.main", "tacit.hooks", "tacit.hosts"),
    "config": ("tacit.core.config",),
    "add": ("tacit.core.edits", "tacit.lesson", "tacit.cli.lessons"),
    "arguments": ("tacit.cli",),
    "sync": ("tacit.sync",),
}
# verbs that wait for somebody, or have a door of their own
QUIET = {"worker", "hook", "serve", "mcp", "demo", "inject"}

Door = Callable[[bytes], Any]


class Hang(BaseException):
    """An input that takes too long."""


def doors(home: Path) -> dict[str, Door]:
    """Every door, each a function of bytes; what it returns tells one behaviour from another."""
    sys.path.insert(0, str(frozen_source()))
    env = signed(
        {
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "USER": "ada",
            "TACIT_NO_WORKER": "1",
        }
    )
    work = home / "work"
    work.mkdir(parents=True, exist_ok=True)

    from tacit.hosts import formats
    from tacit.hosts.source import BytesSource
    from tacit.memory import open as open_memories

    memories = open_memories(env=env, cwd=str(work))
    memories.add("Run make migrate before the tests.", kind="rule")
    found: dict[str, Door] = {}

    def reader(name: str) -> Door:
        def read(raw: bytes) -> Any:
            module, called = formats.get(name), NAMES[zlib.crc32(raw) % len(NAMES)]
            sure = round(float(module.detect(BytesSource(raw, called))), 1)
            runs = list(module.read(BytesSource(raw, called)))
            return sure, [
                (
                    min(len(run.steps), 5),
                    run.outcome,
                    bool(run.findings),
                    run.reading
                    and min(sum(v for v in run.reading.__dict__.values() if isinstance(v, int)), 9),
                )
                for run in runs[:3]
            ]

        return read

    found |= {
        f"read-{name}": reader(name)
        for name in formats.FORMATS
        if hasattr(formats.get(name), "read")
    }
    for name in formats.exchanging():
        found[f"import-{name}"] = lambda raw, name=name: [
            (report.__class__.__name__, len(repr(report)) // 50)
            for report in memories.import_(BytesSource(raw, "x.json"), format=name, dry_run=True)
        ]
    found["learn"] = lambda raw: [
        len(repr(each)) // 100 for each in memories.learn(BytesSource(raw, "x.jsonl"), dry_run=True)
    ]
    found["sync"] = lambda raw: _sync(raw, memories)
    found["hook"] = lambda raw: _hook(raw, env, work)
    found["config"] = lambda raw: _config(raw, env)
    found["add"] = lambda raw: _add(raw, memories)
    found["arguments"] = lambda raw: _arguments(raw, env, work)
    return found


def _hook(raw: bytes, env: dict[str, str], work: Path) -> Any:
    from tacit.hooks.main import EVENTS, respond

    name = EVENTS[raw[0] % len(EVENTS)] if raw else "prompt"
    payload = json.loads(raw[1:].decode("utf-8", "replace"))
    if isinstance(payload, dict):
        payload.setdefault("cwd", str(work))
    try:
        return name, len(respond(name, payload, env)) // 50
    except UnicodeEncodeError:
        return name, "a path or id that no system can spell: the hook stays silent"


def _sync(raw: bytes, memories: Any) -> Any:
    """A machine's file as it is, every other line with a signer, so that what stands behind the signatures is met too."""
    from tacit.core.value import replace
    from tacit.sync.line import Line, items_in
    from tacit.sync.shelf import Shelf

    items = [*items_in(raw, "m1")]
    lines = [each for each in items if isinstance(each, Line)]
    signed = [replace(line, signer=("ann@team", "")[n % 2]) for n, line in enumerate(lines)]
    done = Shelf(memories.work, "m1").take(signed, dry_run=True)
    return (
        sorted({type(each).__name__ for each in items}),
        min(len(lines), 5),
        [each.what for each in done.told],
        len(done.refused),
        done.asked,
    )


def _config(raw: bytes, env: dict[str, str]) -> Any:
    import tomllib

    from tacit.core.config import settle

    tree = tomllib.loads(raw.decode("utf-8"))
    settled = settle(tree, tree, env)
    return len(settled.by_key), len(settled.left_out)


def _add(raw: bytes, memories: Any) -> Any:
    from tacit.cli.lessons import _lesson

    return correcting.add_many(memories, [_lesson(raw.decode("utf-8", "surrogateescape"), {})])[
        0
    ].state


def _arguments(raw: bytes, env: dict[str, str], work: Path) -> Any:
    from tacit.cli import called, first_word
    from tacit.cli.verb import Cli

    args = [
        word for word in raw.decode("utf-8", "surrogateescape").split("\0") if word != "--follow"
    ][:12]
    if not args or first_word(args) in QUIET or "-" in args:
        return None
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = called(args, Cli(env, out, out))
        except SystemExit as left:
            code = left.code  # --help
    if code not in (0, 1, 2, 3, 4, 5):
        raise AssertionError(f"exit code {code}")
    return first_word(args), code


def seeds(door: str) -> list[bytes]:
    """What a door was built for, to begin with, and whatever the corpus has grown to."""
    return [raw for _, raw in sorted(corpus.inputs(door).items())] + [
        raw.encode() for raw in _STARTS.get(door, _LINES)
    ]


_LINES = [
    '{"type":"user","permissionMode":"default","sessionId":"s1","uuid":"u1","timestamp":"2026-11-01T10:00:00Z","cwd":"/x","message":{"role":"user","content":"From now on always use tabs."}}\n'
    '{"type":"assistant","sessionId":"s1","uuid":"u2","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}\n'
    '{"type":"user","sessionId":"s1","uuid":"u3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Error: no","is_error":true}]}}\n',
    '{"ts":"2026-11-01T10:00:00Z","type":"run.start","run_id":"r1","data":{"task":"x"}}\n{"type":"review.verdict","run_id":"r1","data":{"findings":[{"severity":"bug","description":"race"}]}}\n',
    '{"id":"m-001","ts":"2026-11-01T10:00:00Z","type":"pattern","source":"guardian","description":"check locks","frequency":2,"severity":"bug"}\n',
    '{"version":1,"patterns":[{"id":"p1","type":"success","description":"x","confidence":0.5,"effectiveness":{"uses":1}}]}',
    '{"schema":1,"id":"r","steps":[{"role":"user","text":"hi"}],"findings":[{"text":"a lesson"}]}',
    "# Memory\n\n## Rules\n\n- Always run make migrate.\n",
    '{"observations":[{"text":"x","category":"jc:rules-conventions"}]}',
]
_STARTS = {
    "hook": [
        chr(n)
        + '{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"the tests fail","transcript_path":"","source":"startup","error":"x","agent_type":"a"}'
        for n in range(7)
    ],
    "config": ['ignore = ["a", "b"]\nreceipt = true\n[model]\nurl = "http://x"\n'],
    "add": [
        '{"text": "a lesson", "kind": "rule", "tags": ["a"], "scope": "project", "severity": "bug", "extra": {"a": 1}, "alias": "m-1", "run": "r", "at": "2026-11-01"}',
        '"plain"',
    ],
    "arguments": [
        "list\0--json\0--limit\x005",
        "add\0a lesson\0--kind\0rule\0--tag\0t",
        "show\0x",
        "why\0x",
        "log\0--tail\x003",
        "doctor\0--json",
        "backup\0--list",
        "restore\0x",
        "config\0show",
        "schema\0run",
        "recall\0the tests",
        "effect",
        "audit",
        "review\0list",
        "import\0x",
        "export\0--format\0neutral",
        "pause\x001h",
        "projects",
        "undo\x001",
        "edit\0x\0text",
        "forget\0x",
        "pin\0x",
        "feedback\0x\0--helped",
        "--json\0status",
        "tend\0--dry-run",
        "page",
        "lookback",
    ],
}


def mutated(raw: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The input, changed in one to four ways."""
    out = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(out) + 1)
        way = rng.randrange(9)
        if way == 0 and out:
            out[at % len(out)] ^= 1 << rng.randrange(8)
        elif way == 1:
            out[at:at] = rng.choice(_ODD)
        elif way == 2:
            del out[at : at + rng.randint(1, 30)]
        elif way == 3:
            end = at + rng.randint(1, 60)
            out[at:at] = out[at:end] * rng.choice((1, 1, 2, 50))
        elif way == 4 and others:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            out[at:] = other[start : start + 2000]
        elif way == 5:
            out[at:at] = "".join(rng.choices(string.printable, k=rng.randint(1, 8))).encode()
        elif way == 6:
            _swap_value(out, rng)
        elif way == 7 and out:
            del out[at:]
        else:
            lines = bytes(out).splitlines(keepends=True)
            rng.shuffle(lines)
            out = bytearray(b"".join(lines))
    return bytes(out[:20_000])


def _swap_value(out: bytearray, rng: random.Random) -> None:
    """One JSON value in place of another: a number for a text, a list for an object."""
    places = [n for n in range(len(out)) if out[n : n + 1] in b":,["]
    if places:
        start = rng.choice(places) + 1
        end = start
        while end < len(out) and out[end : end + 1] not in b",}]\n":
            end += 1
        out[start:end] = rng.choice(
            (
                b"null",
                b"-1",
                b"1e999",
                b"[]",
                b"{}",
                b'""',
                b"true",
                b"0.5",
                b'"\\ud800"',
                b"[[[[]]]]",
                b'{"a":{}}',
                b"99999999999999999999",
            )
        )


_ODD = [
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "\u202e\u200b\ufeff".encode(),
    b"\x1b[31m",
    b"'",
    b'"',
    b"\\",
    b"\r\n",
    b"{",
    b"}",
    b"[" * 50,
    b"NaN",
    b"1e400",
    b"-0",
    b"\\u0000",
    b"../" * 5,
    b"%s%n",
    b"$(id)",
    "é".encode("latin-1"),
    "日本語".encode(),
    b"x" * 5000,
    b"2026-99-99T99:99:99Z",
    b"--",
    b"=",
    b"--json",
    b"\t",
]


def behaviour(door: Door, raw: bytes) -> tuple[str, str]:
    """(what it did, the traceback if it crashed)."""
    import tacit
    from tacit.core.errors import TacitError

    # not any path with our name in it: a clone is called tacit as well
    package = os.path.dirname(os.path.abspath(tacit.__file__))

    def late(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(HANG)
    try:
        return f"answered {door(raw)!r}"[:300], ""
    except TacitError as error:
        return (
            f"{type(error).__name__} {error.message[:25]}",
            "" if error.message else "an error without a message",
        )
    except (UnicodeDecodeError, ValueError) as error:
        # The doors of JSON and TOML are guarded by their caller; only its own parsing may raise here.
        where = traceback.extract_tb(error.__traceback__)
        if any(frame.name in ("_hook", "_config") for frame in where) and not where[
            -1
        ].filename.startswith(package + os.sep):
            return f"not JSON or TOML: {type(error).__name__}", ""
        return "crash", traceback.format_exc()
    except Hang:
        return "hang", f"took more than {HANG} seconds"
    except Exception:
        return "crash", traceback.format_exc()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Tally:
    """What a door did with its inputs."""

    def __init__(self, door: Door, longest: int) -> None:
        self.door, self.longest = door, longest
        self.seen: set[str] = set()
        self.executions = 0
        self.crashes: dict[str, bytes] = {}

    def tried(self, raw: bytes) -> bool:
        """Try an input; whether the door did something new."""
        raw = raw[: self.longest]
        self.executions += 1
        did, crashed = behaviour(self.door, raw)
        if crashed:
            self.crashes.setdefault(
                crashed.strip().splitlines()[-1][:120] + " @ " + _place(crashed), raw
            )
            return False
        is_new = did not in self.seen
        self.seen.add(did)
        return is_new


def batch(
    seed: int,
    place: Path,
    seconds: float = SECONDS,
    only: str = "",
    grow: bool = True,
    engine: str = "",
) -> dict[str, Any]:
    """One door for a while; the next seed is the next door, and every other round is led by coverage."""
    names = sorted(doors(place / "doors"))
    turn, which = divmod(seed - 1, len(names))
    name = only or names[which]
    seconds *= SLOW.get(name, 1)
    engine = engine or (
        "atheris" if turn % 2 == 0 and importlib.util.find_spec("atheris") else "own"
    )
    out = place / "found.json"
    done = subprocess.run(
        [
            sys.executable,
            __file__,
            "--inside",
            engine,
            name,
            str(seed),
            str(seconds),
            str(place / "at"),
            str(out),
        ],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds * 10 + 300,
    )
    if not out.exists():
        return {
            "executions": 0,
            "door": name,
            "engine": engine,
            "crashes": [],
            "failures": [f"{name}: broke off: {done.stderr[-600:]}"],
        }
    found = json.loads(out.read_text())
    crashes = {what: bytes.fromhex(raw) for what, raw in found.pop("crashes").items()}
    new = [bytes.fromhex(raw) for raw in found.pop("new")]
    if grow:
        _grow(name, new, crashes)
    told = {
        "executions": found["executions"],
        "door": name,
        "engine": engine,
        "behaviours": found["behaviours"],
        "seconds": seconds,
    }
    return {
        **told,
        "crashes": sorted(crashes),
        "failures": [f"{name}: {each}" for each in sorted(crashes)][:20],
    }


def inside(engine: str, name: str, seed: int, seconds: float, home: Path, out: Path) -> None:
    """A process of its own, which an input may break: fuzz one door, write down what came of it."""
    home.mkdir(parents=True, exist_ok=True)
    if engine == "atheris":
        _instrumented(name)
    tally = Tally(doors(home)[name], LONGEST.get(name, 20_000))
    os.chdir(home)
    fuzz = _led_by_coverage if engine == "atheris" else _led_by_behaviour
    fuzz(tally, seeds(name), random.Random(seed), seconds, home, out)


def _note(tally: Tally, new: list[bytes], out: Path) -> None:
    found = {
        "executions": tally.executions,
        "behaviours": len(tally.seen),
        "new": [raw.hex() for raw in new],
    }
    out.write_text(
        json.dumps({**found, "crashes": {what: raw.hex() for what, raw in tally.crashes.items()}})
    )


def _led_by_behaviour(
    tally: Tally, begin: list[bytes], rng: random.Random, seconds: float, _home: Path, out: Path
) -> None:
    queue, new, end = list(begin), [], time.monotonic() + seconds
    while time.monotonic() < end:
        raw = queue.pop() if queue else mutated(rng.choice(begin), begin, rng)
        if tally.tried(raw) and tally.executions > len(begin) and len(begin) < 400:
            begin.append(raw)
            new.append(raw)
    _note(tally, new, out)


def _instrumented(door: str) -> None:
    """Load the rooms behind a door with counters in their branches."""
    atheris = importlib.import_module("atheris")
    sys.path.insert(0, str(frozen_source()))
    rooms = BEHIND.get(door.partition("-")[0], ())
    with atheris.instrument_imports(include=list(rooms), enable_loader_override=False):
        for room in rooms:
            module = importlib.import_module(room)
            for each in pkgutil.walk_packages(getattr(module, "__path__", ()), room + "."):
                with contextlib.suppress(ImportError):
                    importlib.import_module(each.name)


def _led_by_coverage(
    tally: Tally, begin: list[bytes], rng: random.Random, seconds: float, home: Path, out: Path
) -> None:
    atheris = importlib.import_module("atheris")
    started, grown = home / "started", home / "grown"
    for folder in (started, grown):
        folder.mkdir()
    for raw in begin:
        (started / sha256(raw).hexdigest()).write_bytes(raw)
    (home / "words").write_text("".join(f'"{word}"\n' for word in _words()))
    end = time.monotonic() + seconds

    def tried(raw: bytes) -> None:
        if time.monotonic() >= end:
            kept = sorted((path.read_bytes() for path in grown.iterdir()), key=len)
            _note(tally, rng.sample(kept, len(kept)), out)
            os._exit(0)
        tally.tried(raw)

    def changed(raw: bytes, most: int, seed: int) -> bytes:
        choice = random.Random(seed)
        ours = mutated(raw, begin, choice) if choice.random() < 0.5 else atheris.Mutate(raw, most)
        return bytes(ours[:most])

    options = [
        "-timeout=0",
        "-rss_limit_mb=4096",
        "-max_len=4096",
        f"-seed={rng.randrange(1, 1 << 31)}",
        f"-dict={home / 'words'}",
        "-verbosity=0",
    ]
    atheris.Setup(["fuzz", *options, str(grown), str(started)], tried, custom_mutator=changed)
    atheris.Fuzz()


def _words() -> list[str]:
    """The short literals of the program: names of fields, events and keys, for whichever door."""
    found: set[str] = set()
    for path in sorted((Path(frozen_source()) / "tacit").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and 2 < len(node.value) < 24
            ):
                found.add(node.value)
    return sorted(
        word
        for word in found
        if word.isascii() and word.replace("_", "").replace(".", "").replace("-", "").isalnum()
    )


def _place(trace: str) -> str:
    lines = [line.strip() for line in trace.splitlines() if "/tacit/" in line and "line" in line]
    return lines[-1].rsplit("/tacit/", 1)[-1].replace('"', "") if lines else "?"


def _grow(name: str, new: list[bytes], crashes: dict[str, bytes]) -> None:
    def edit(every: dict[str, bytes]) -> None:
        room = KEPT - sum(each.startswith(f"{name}/kept-") for each in every)
        every.update(
            (corpus.named(name, "kept", raw), raw)
            for raw in [each for each in new if len(each) < 3000][: max(0, room)]
        )
        every.update((corpus.named(name, "crash", raw), raw) for raw in crashes.values())

    corpus.change(edit)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(
            sys.argv[2],
            sys.argv[3],
            int(sys.argv[4]),
            float(sys.argv[5]),
            Path(sys.argv[6]),
            Path(sys.argv[7]),
        )
        sys.exit(0)
    sys.exit(campaign("fuzz", batch, "executions", 1_000_000_000, **taken("--only")))
