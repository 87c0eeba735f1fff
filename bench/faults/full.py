"""A full disk, at every step of 4 KiB: nothing is lost, readers read, hooks answer or stay silent, writing resumes.

The home lies on a small tmpfs of its own (a user namespace, no privileges needed) and is filled until so many blocks are
free. Then a lesson is added, listed, asked for by a hook. What was acknowledged must be there; what a hook printed must
be recorded; reading must always work; and when the space is back, so does writing.

    python bench/faults/full.py --points 96
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
from common import campaign, doctor, frozen_source, new_home, store_of, tacit, texts

from tacit.testing import signed

BLOCK = 4096
STEPS = 16  # a batch
LIMIT = 30.0  # seconds; a hook's own limit is 0.15 for recording, the rest is a loaded machine


def batch(seed: int, place: Path, steps: int = STEPS, fault: str = "") -> dict[str, Any]:
    """The next steps, in a namespace of their own."""
    frozen_source()
    first = (seed - 1) * steps
    done = subprocess.run(
        [
            "unshare",
            "-rm",
            sys.executable,
            __file__,
            "--inside",
            str(place),
            str(first),
            str(first + steps),
            fault,
        ],
        capture_output=True,
        text=True,
        timeout=1800,
    )
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        return {"steps": steps, "failures": [f"broke off: {done.stderr[-500:]}"]}


def inside(place: Path, first: int, last: int, fault: str = "") -> dict[str, Any]:
    """What happens on the small disk."""
    disk = place / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(disk)], check=True)
    home = new_home(disk)
    tacit(home, "init")
    tacit(home, "add", "Run make migrate before the tests.", "--kind", "rule")
    failures: list[str] = []
    kept = ["Run make migrate before the tests."]
    tallies = {"kept": 0, "refused": 0, "hooks answered": 0, "hooks silent": 0}
    for free in range(first, last):
        if (
            free % 2
        ):  # every other time as after a crash: the log is there, its shared memory is not
            _crash(home)
        _fill(disk, free)
        text = f"a lesson with {free} blocks free"
        added = tacit(home, "add", text, "--json", fault=fault)
        listed = tacit(home, "list", "--json")
        began = time.monotonic()
        payload = {
            "session_id": f"s{free}",
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(home / "work"),
            "prompt": "run the tests before migrate",
            "transcript_path": "",
        }
        hooked = tacit(home, "hook", "prompt", stdin=json.dumps(payload))
        took = time.monotonic() - began
        (disk / "filler").unlink()
        told = f"{free} blocks free: "
        for ran in (added, listed, hooked):
            if "Traceback" in ran.stderr:
                failures.append(told + ran.stderr.strip().splitlines()[-1])
        if added.returncode == 0:
            kept.append(text)
            tallies["kept"] += 1
        else:
            tallies["refused"] += 1
            if added.returncode != 4:
                failures.append(told + f"add ended with {added.returncode}: {added.stdout[-200:]}")
        if listed.returncode or kept[0] not in listed.stdout:
            failures.append(
                told
                + f"list ended with {listed.returncode}: {listed.stdout[-200:]}{listed.stderr[-200:]}"
            )
        if hooked.returncode or took > LIMIT:
            failures.append(told + f"the hook ended with {hooked.returncode} after {took:.1f} s")
        answered = bool(hooked.stdout.strip())
        tallies["hooks answered" if answered else "hooks silent"] += 1
        recorded = _recorded(home, f"s{free}")
        if answered and not recorded:
            failures.append(told + "the hook printed what it had not recorded")
        again = tacit(home, "add", f"space is back {free}", "--json")
        if again.returncode:
            failures.append(
                told + f"writing did not resume: {again.stdout[-200:]}{again.stderr[-200:]}"
            )
        kept.append(f"space is back {free}")
    health = doctor(home)
    if not health["sound"]:
        failures.append(f"doctor: {health['faults'][:3]}")
    there = texts(home)
    failures += [f"lost: {text}" for text in kept if text not in there]
    return {"steps": last - first, "from": first, **tallies, "failures": failures[:20]}


def _fill(disk: Path, free: int) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            pass
        size = file.tell()
        try:
            while True:
                size += file.write(bytes(BLOCK))
        except OSError:
            pass
        file.truncate(max(0, file.tell() // BLOCK * BLOCK - free * BLOCK))


def _crash(home: Path) -> None:
    code = "import os, sys; from tacit import open; m = open(); m.store.write().__enter__().put_meta('crashed', sys.argv[1]); m.store._cursor.execute('COMMIT'); os._exit(0)"
    env = signed(
        {
            **os.environ,
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "data"),
            "PYTHONPATH": str(frozen_source()),
        }
    )
    subprocess.run(
        [sys.executable, "-c", code, str(time.time())], cwd=home / "work", env=env, check=True
    )
    shm = Path(str(store_of(home)) + "-shm")
    if shm.exists():
        shm.unlink()


def _recorded(home: Path, session: str) -> bool:
    connection = apsw.Connection(str(store_of(home)))
    try:
        sql = "SELECT count(*) FROM delivery d JOIN session s ON s.id = d.session WHERE s.name = ?"
        return bool(connection.execute(sql, (session,)).fetchall()[0][0])
    finally:
        connection.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        print(
            json.dumps(inside(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]))
        )
        sys.exit(0)
    if not shutil.which("unshare"):
        sys.exit("unshare is not here; tests/faults/test_harness.py does it with RLIMIT_FSIZE")
    sys.exit(campaign("full", batch, "steps", 96))
