"""Power loss: what a disk may hold after the power went, from writes recorded as they happened.

One `tacit add -` runs under strace, which records every write, sync, truncation, rename and removal of the store's
files, and every acknowledgement on standard output, in one order. Then the power goes at random points: what was synced
is there; of what was not, whole writes are lost, sectors of 512 bytes are torn out, and later ones survive earlier ones.
Each image is opened as a store of its own: every write acknowledged before the point must be there, nothing may be
there that was not at least in flight, and everything must verify.

    python bench/faults/power.py --points 500

Negative controls: synchronous=NORMAL, and a keeper that replaces a JSON file by temporary file and rename.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from common import campaign, command, frozen_source, new_home, store_of, surroundings, tacit

SECTOR = 512
IMAGES = 50  # of one recording
LINES = 150  # enough for the log to be folded back in between
CALLS = "pwrite64,write,fsync,fdatasync,ftruncate,unlink,unlinkat,rename,renameat,renameat2"

# What a keeper without a database would do: whole file, temporary name, rename, no sync.
NAIVE = """
import json, os, sys
kept = []
for line in sys.stdin:
    kept.append(json.loads(line))
    with open("kept.json.tmp", "w") as file: file.write(json.dumps(kept).ljust(2000))
    os.rename("kept.json.tmp", "kept.json")
    os.write(1, b'{"ok": true}\\n')
"""


def record(home: Path, folder: Path, fault: str = "", count: int = LINES) -> list[tuple[Any, ...]]:
    """The events of one writer: ("write", file, offset, bytes), ("sync", file), ("cut", file, size), ("gone", file), ("named", old, new), ("said", n)."""
    trace = home / "trace"
    argv = [sys.executable, "-c", NAIVE] if fault == "rename" else command("add", "-", fault=fault)
    lines = "".join(f'"lesson {n} {"x" * (n * 37 % 900)}"\n' for n in range(1, count + 1))
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-y",
            "-xx",
            "-s",
            "1000000",
            "-e",
            f"trace={CALLS}",
            "-o",
            str(trace),
            *argv,
        ],
        input=lines,
        capture_output=True,
        text=True,
        cwd=folder if fault == "rename" else home / "work",
        env=surroundings(home),
        timeout=300,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    return list(_events(trace, folder))


def _events(trace: Path, folder: Path) -> Any:
    inside = str(folder) + "/"
    with trace.open(errors="replace") as lines:
        yield from _read(lines, inside)


def _read(lines: Any, inside: str) -> Any:
    said = 0
    for line in lines:
        call = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+|\?)", line)
        if not call or call[3].startswith("-"):
            continue
        name, args = call[1], call[2]
        target = re.match(r"(\d+)<([^>]*)>", args)
        path = _plain(target[2]) if target else ""
        if name in ("pwrite64", "write") and target:
            quoted = re.search(r'"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?, (\d+)(?:, (\d+))?', args)
            if not quoted:
                continue
            raw = bytes.fromhex(quoted[1].replace("\\x", ""))
            if target[1] == "1":
                for _ in range(raw.count(b"\n")):
                    said += 1
                    yield ("said", said)
            elif path.startswith(inside):
                yield ("write", path[len(inside) :], int(quoted[3]) if quoted[3] else -1, raw)
        elif name in ("fsync", "fdatasync") and path.startswith(inside):
            yield ("sync", path[len(inside) :])
        elif name == "ftruncate" and path.startswith(inside):
            yield ("cut", path[len(inside) :], int(args.rsplit(",", 1)[1]))
        elif name.startswith(("unlink", "rename")):
            names = [
                os.path.join(inside, _plain(each))
                for each in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', args)
            ]
            names = [each[len(inside) :] for each in names if each.startswith(inside)]
            if name.startswith("unlink") and names:
                yield ("gone", names[0])
            elif len(names) == 2:
                yield ("named", names[0], names[1])


def _plain(quoted: str) -> str:
    return (
        bytes.fromhex(quoted.replace("\\x", "")).decode("utf-8", "replace")
        if quoted.startswith("\\x")
        else quoted
    )


def image(
    before: dict[str, bytes], events: list[tuple[Any, ...]], cut: int, rng: random.Random
) -> dict[str, bytes]:
    """The files as a disk may hold them if the power went just before event `cut`."""
    synced: dict[str, int] = {}
    for at, event in enumerate(events[:cut]):
        if event[0] == "sync":
            synced[event[1]] = at
    way = rng.choice(("lost", "torn", "reordered"))
    files = {name: bytearray(raw) for name, raw in before.items()}
    cursor: dict[str, int] = {}
    for at, event in enumerate(events[:cut]):
        name = event[1]
        safe = at < synced.get(name, -1)
        if event[0] == "write":
            offset = event[2] if event[2] >= 0 else cursor.get(name, 0)
            cursor[name] = offset + len(event[3])
            # A rename carries its file's fate along: what was written under the old name was synced under it or not at all.
            _put(files.setdefault(name, bytearray()), offset, event[3], "all" if safe else way, rng)
        elif event[0] == "cut":
            if safe or rng.random() < 0.5:
                del files.setdefault(name, bytearray())[event[2] :]
            cursor[name] = min(cursor.get(name, 0), event[2])
        elif event[0] == "gone":
            if rng.random() < 0.5 or any(
                later[1] == name for later in events[at + 1 : cut] if later[0] == "sync"
            ):
                files.pop(name, None)
            cursor.pop(name, None)
        elif event[0] == "named":
            files[event[2]] = files.pop(name, bytearray())
            cursor.pop(name, None)
    return {name: bytes(raw) for name, raw in files.items()}


def _put(file: bytearray, offset: int, raw: bytes, way: str, rng: random.Random) -> None:
    if way == "lost" and rng.random() < 0.9:
        return
    if way == "reordered" and rng.random() < 0.5:
        return
    whole = way == "all" or (way == "reordered" and rng.random() < 0.7)
    if len(file) < offset + len(raw):
        file.extend(bytes(offset + len(raw) - len(file)))
    start = 0
    while start < len(raw):
        end = min(len(raw), (offset + start) // SECTOR * SECTOR + SECTOR - offset)
        if whole or rng.random() < 0.5:
            file[offset + start : offset + end] = raw[start:end]
        start = end


VERIFY = """
import json, sys
from tacit.store.writes import open_store
from tacit.store.check import check
for place in sys.stdin.read().split():
    try:
        with open_store(place, create=False) as store:
            faults = [str(f) for f in check(store).faults][:3]
            texts = [r[0] for r in store.rows("SELECT text FROM lesson")]
        print(json.dumps({"faults": faults, "texts": texts}), flush=True)
    except Exception as error:
        print(json.dumps({"faults": [f"{type(error).__name__}: {error}"], "texts": []}), flush=True)
"""


def batch(
    seed: int, place: Path, images: int = IMAGES, fault: str = "", lines: int = LINES
) -> dict[str, Any]:
    """One recording, many ways to lose power."""
    rng = random.Random(seed)
    home = new_home(place)
    folder = store_of(home).parent
    folder.mkdir(parents=True)
    if fault != "rename":
        tacit(home, "init")
        tacit(home, "add", "lesson 0 ")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    events = record(home, folder, fault, lines)
    told = [at for at, event in enumerate(events) if event[0] == "said"]
    places: list[tuple[Path, int]] = []
    for n in range(images):
        # Half of the points just after an acknowledgement, where a promise is youngest.
        cut = rng.choice(told) + 1 if rng.random() < 0.5 else rng.randrange(1, len(events) + 1)
        here = place / f"image-{n}"
        here.mkdir()
        for name, raw in image(before, events, cut, rng).items():
            if not name.endswith("-shm"):
                (here / name).write_bytes(raw)
        places.append((here, max((e[1] for e in events[:cut] if e[0] == "said"), default=0)))
    failures = _naive(places) if fault == "rename" else _verify(places, place)
    for here, _ in places:
        shutil.rmtree(here)
    return {
        "images": images,
        "events": len(events),
        "syncs": sum(e[0] == "sync" for e in events),
        "acknowledged": lines,
        "failures": failures[:20],
    }


def _verify(places: list[tuple[Path, int]], home: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", VERIFY],
        input="\n".join(str(here / "tacit.db") for here, _ in places),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(frozen_source())},
        timeout=600,
    )
    wrong: list[str] = []
    for n, ((_, said), line) in enumerate(zip(places, done.stdout.splitlines())):
        found = json.loads(line)
        wrong += [f"image {n}: {fault}" for fault in found["faults"]]
        kept = sorted(int(text.split()[1]) for text in found["texts"])
        if kept not in (list(range(said + 1)), list(range(said + 2))):
            gone = sorted(set(range(said + 1)) - set(kept))
            wrong.append(f"image {n}: {said} acknowledged, {len(kept) - 1} there, gone: {gone[:5]}")
    if len(done.stdout.splitlines()) != len(places):
        wrong.append(f"verification broke off: {done.stderr[-300:]}")
    return wrong


def _naive(places: list[tuple[Path, int]]) -> list[str]:
    wrong = []
    for n, (here, said) in enumerate(places):
        try:
            kept = len(json.loads((here / "kept.json").read_text().strip("\0")))
        except (OSError, ValueError):
            kept = 0
        if kept < said:
            wrong.append(f"image {n}: {said} acknowledged, {kept} there")
    return wrong


if __name__ == "__main__":
    sys.exit(campaign("power", batch, "images", 500))
