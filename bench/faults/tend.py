"""kill -9 at random points of `tacit tend` against a slow model: `python bench/faults/tend.py [--points 200]`.

A home with lessons to merge, to archive and to reflect on, a page, and an endpoint in this process that takes its time and counts what it is asked.
Tend is killed and started again until it ends by itself. Then the store must be what a pass that nobody killed leaves of the same home: the same lessons in the
same states, the same proposals, the same page. No question may have been asked again but those that were in flight when it was killed. At last two passes and eight
learners work in it at once: nobody may hear of an error, and every learned run is there.
"""

from __future__ import annotations

import collections
import hashlib
import json
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from common import (
    campaign,
    command,
    doctor,
    new_home,
    store_of,
    surroundings,
    tacit,
    texts,
    transcript,
)

SLOW = 0.4  # seconds the endpoint takes
LEARNERS = 8
PREPARE = """
import sys, tacit
from tacit.core.clock import after_days, now
store, work = sys.argv[1:]
agent = tacit.open(store, cwd=work, env={"HOME": work, "TACIT_RUN": "r1"})
old = after_days(now(), -120)
agent.add_many([{"text": f"The parser{n} drops field{n} when table{n} is empty", "kind": "pitfall", "at": old} for n in range(30)])
for n in range(20):
    agent.add(f"The worker{n} leaks handle{n} when queue{n} is full", kind="pitfall")
    agent.add(f"The worker{n} leaks the handle{n} when queue{n} is full", kind="pitfall")
agent.close()
ada = tacit.open(store, cwd=work, env={"HOME": work, "USER": "ada"}, by="ada", yes=True)
for n in range(40):
    ada.add(f"The importer{n} skips rows when cache{n} is cold, as everybody here knows by now", kind="pitfall")
for memory in ada.list(limit=5):
    ada.put_on_page(memory.id)
ada.keep_page("MEMORY.md")
"""


class Endpoint:
    """A slow model that counts its questions."""

    def __init__(self) -> None:
        self.asked: collections.Counter[str] = collections.Counter()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                if not raw:
                    return  # whoever asked was killed before it had said what
                prompt = json.loads(raw)["messages"][-1]["content"]
                outer.asked[hashlib.sha256(prompt.encode()).hexdigest()] += 1
                time.sleep(SLOW)
                content = json.dumps(outer.answer(prompt))
                body = json.dumps(
                    {
                        "choices": [{"message": {"content": content}}],
                        "usage": {"prompt_tokens": 9, "completion_tokens": 9},
                    }
                )
                try:
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body.encode())
                except OSError:
                    pass  # whoever asked was killed

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def answer(self, prompt: str) -> Any:
        """Sharper words for every lesson it is shown that rambles; no judgement on lines for the page; nothing to add to a learned run."""
        if "suggestions" not in prompt and "decisions" not in prompt:
            return {"findings": []}
        listed = json.loads(
            next(line for line in reversed(prompt.splitlines()) if line.startswith("["))
        )
        if "suggestions" not in prompt:
            return {
                "decisions": [
                    {"id": each["id"], "action": "needs-review", "reason": "not sure"}
                    for each in listed
                ]
            }
        wordy = [each for each in listed if ", as everybody" in each["text"]]
        return {
            "suggestions": [
                {
                    "lessons": [e["id"]],
                    "text": e["text"].split(", as everybody")[0],
                    "reason": "shorter",
                }
                for e in wordy
            ]
        }

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def prepared(place: Path, endpoint: Endpoint) -> Path:
    """A home with much to tend."""
    home = new_home(place)
    (home / ".config" / "tacit").mkdir(parents=True, exist_ok=True)
    (home / ".config" / "tacit" / "config.toml").write_text(
        f'[model]\nurl = "{endpoint.url}"\nname = "slow"\n'
    )
    store_of(home).parent.mkdir(parents=True)
    subprocess.run(
        ["git", "init", "-q", str(home / "work")], check=True
    )  # the project's id goes along when the home is copied
    subprocess.run(
        [sys.executable, "-c", PREPARE, str(store_of(home)), str(home / "work")],
        check=True,
        env=surroundings(home),
        cwd=home / "work",
    )
    return home


def batch(seed: int, place: Path, kills: int = 25) -> dict[str, Any]:
    """One home, tended to its end through many deaths, beside one that nobody killed."""
    dice, endpoint = random.Random(seed), Endpoint()
    try:
        home = prepared(place, endpoint)
        calm = place / "calm"
        shutil.copytree(home, calm)
        began = time.monotonic()
        tend(calm, passes=1)
        usual = time.monotonic() - began
        tend(calm)
        once, endpoint.asked = endpoint.asked, collections.Counter()
        killed, wrong = 0, []
        for _ in range(kills):
            died = struck(home, dice.uniform(0.05, 0.4) * usual)
            killed += died
            wrong += half_written(home)
            if not died:
                break
        tend(home)
        wrong += compared(home, calm)
        again = sum(endpoint.asked.values()) - len(endpoint.asked)
        if again > killed:
            wrong.append(f"{again} questions were asked again in {killed} kills")
        if set(once) - set(endpoint.asked) and not killed:
            wrong.append("a question was never asked")
        asked = sum(endpoint.asked.values())
        wrong += beside(home)
        return {
            "kills": max(1, killed),
            "asked": asked,
            "asked again": again,
            "at once": 2 + LEARNERS,
            "failures": wrong,
        }
    finally:
        endpoint.close()


def tend(home: Path, passes: int = 4) -> None:
    """Passes until one finds nothing left, as nights would."""
    for _ in range(passes):
        done = tacit(home, "tend", "--json")
        if done.returncode:
            raise SystemExit(f"tend failed: {done.stdout[-500:]}{done.stderr[-500:]}")


def beside(home: Path) -> list[str]:
    """Two passes and eight learners at once."""
    files = [transcript(home, number) for number in range(LEARNERS)]
    calls = [("tend",), ("tend",), *(("learn", str(file)) for file in files)]
    at_once = [
        subprocess.Popen(
            command(*call, "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=home / "work",
            env=surroundings(home),
        )
        for call in calls
    ]
    wrong = []
    for call, process in zip(calls, at_once):
        out, err = process.communicate(timeout=300)
        if process.returncode or not json.loads(out)["ok"]:
            wrong.append(f"{call[0]} beside others: {out[-200:]}{err[-200:]}")
    said = texts(home)
    lost = [n for n in range(LEARNERS) if not any(f"tool-zebra{n} " in text for text in said)]
    wrong += [f"learned beside others and not there: {lost}"] if lost else []
    return wrong + [f"doctor, after all at once: {fault}" for fault in doctor(home)["faults"][:2]]


def struck(home: Path, after: float) -> bool:
    """One pass, killed after so many seconds; whether it was still alive then."""
    with (home / "out").open("wb") as out:
        process = subprocess.Popen(
            command("tend", "--json"),
            stdout=out,
            stderr=out,
            cwd=home / "work",
            env=surroundings(home),
        )
    try:
        process.wait(after)
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True


def half_written(home: Path) -> list[str]:
    """The page is whole or not there."""
    page = home / "work" / "MEMORY.md"
    if not page.exists():
        return []
    text = page.read_text()
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    return (
        []
        if text.endswith("\n") and all(line.endswith("-->") for line in lines)
        else [f"the page is half written: {text[-80:]!r}"]
    )


def compared(home: Path, calm: Path) -> list[str]:
    """Both homes, by what their stores hold and their pages say."""
    wrong = [f"doctor: {fault}" for each in (home, calm) for fault in doctor(each)["faults"][:2]]
    mine, theirs = told(home), told(calm)
    for name in mine:
        if mine[name] != theirs[name]:
            wrong.append(f"{name} differ: {str(mine[name])[:200]} / {str(theirs[name])[:200]}")
    pages = [
        page.read_text() if page.exists() else ""
        for page in (home / "work" / "MEMORY.md", calm / "work" / "MEMORY.md")
    ]
    return wrong + ([] if pages[0] == pages[1] != "" else ["the pages differ, or there is none"])


def told(home: Path) -> dict[str, Any]:
    """States, how often each memory moved, merged and was suggested anew; read by a process of its own."""
    code = """
import apsw, json, sys
c = apsw.Connection(sys.argv[1])
print(json.dumps({
    "states": sorted(c.execute("SELECT id, state, merged FROM memory")),
    "entries": sorted(c.execute("SELECT memory, verb, count(*) FROM journal GROUP BY 1, 2")),
    "proposals": sorted(c.execute("SELECT kind, memory, state, count(*) FROM proposal GROUP BY 1, 2, 3")),
    "evidence": sorted(c.execute("SELECT memory, sum(amount) FROM evidence GROUP BY 1")),
}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(store_of(home))],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(campaign("tend", batch, "kills", 200))
