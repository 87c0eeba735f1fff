"""One flipped bit in a page of the store, a thousand times: what is noticed, what is mended, what is listed as lost.

A store with rows in every table is copied, one bit is turned in one page, and a reader that knows the truth compares
everything a person or an agent could see. A flip that changes any of it must be reported by the doctor; then `doctor
--repair` must bring it back, or list it. Beside it stands what SQLite's own integrity_check would have noticed.
Half of the copies have a backup from before the last third of the rows, half have none.

    python bench/faults/flips.py --points 1000
"""

from __future__ import annotations

import atexit
import functools
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import campaign, frozen_source, new_home, store_of, surroundings, tacit, transcript
from kill import PROFILE

FLIPS = 50
STORE = 4  # batches that share one
PAGE = 4096

# Runs in a process of its own, many flips at once: opening a store in ours would be opening it while we write to it.
LOOK = """
import json, os, shutil, sys
import apsw
from tacit.core.errors import TacitError
from tacit.stores.check import check, rule_of
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.repair import repair
from tacit.stores.tables import BY_NAME
TRUTH = [t for t in BY_NAME if t not in ("tally", "queue", "injection", "counter", "seal")]  # those carry no hash of their own
def seen(path):
    "Everything a reader could see: truth rows, tallies to nine places, and what full text finds; None where it cannot be read."
    try:
        with open_store(path, create=False) as store:
            rows = {t: sorted(map(repr, store.rows(f"SELECT * FROM {t}"))) for t in TRUTH if t not in ("meta", "memory")}
            told = ", ".join(c[0] for c in store.rows("SELECT name FROM pragma_table_info('memory')") if c[0] != "words")  # only full text sees those
            rows["memory"] = sorted(map(repr, store.rows(f"SELECT {told} FROM memory")))
            rows["tally"] = sorted(map(repr, store.rows("SELECT memory, signal, project, round(amount, 9), at FROM tally")))
            rows["meta"] = sorted(map(repr, store.rows("SELECT * FROM meta WHERE key <> 'repaired'")))
            words = {w for m in store.rows("SELECT text FROM memory") for w in m[0].split() if w.isalnum()}
            rows["find"] = [(w, [r[0] for r in store.rows('SELECT rowid FROM memory_fts WHERE memory_fts MATCH :w', w=f'"{w}"')]) for w in sorted(words)]
            return rows
    except (TacitError, ValueError, TypeError, AttributeError, apsw.Error) as error:
        return None
def only(rows):
    return {t: rows[t] for t in rows if t not in ("tally", "find")} if rows else None
if sys.argv[2:] == ["blind"]:  # the control: a doctor that asks SQLite and nobody else
    from types import SimpleNamespace
    def check(store, rule=None): return SimpleNamespace(faults=[r[0] for r in store.rows("PRAGMA integrity_check(5)") if r[0] != "ok"])
good = seen(sys.argv[1])
for line in sys.stdin:
    job = json.loads(line)
    path = job["path"]
    with open(path, "r+b") as file:
        file.seek(job["at"]); byte = file.read(1)[0]; file.seek(job["at"]); file.write(bytes([byte ^ (1 << job["bit"])]))
    was = seen(path)
    try:
        with open_store(path, create=False) as store:
            native = [r[0] for r in store.rows("PRAGMA integrity_check(5)")] != ["ok"]
    except Exception: native = True
    try:
        with open_store(path, create=False) as store:
            faults = [list(f.__dict__.values()) for f in check(store, rule=rule_of(store)).faults]
    except TacitError as error: faults = [["file", path, error.message]]
    except Exception as error: faults = [["crash", type(error).__name__, str(error)]]
    differs = [f"{t}: {next((r for r in good[t] if r not in was[t]), '')} became {next((r for r in was[t] if r not in good[t]), 'nothing')}"[:600] for t in good if was and was[t] != good[t]]
    out = {"changed": was != good, "differs": differs[:2], "native": native, "reported": bool(faults), "faults": faults[:2]}
    if faults:
        try:
            done = repair(path, job["backups"])
            now = seen(path)
            missing = {t: [r for r in good[t] if r not in set((now or {}).get(t, []))] for t in good if t not in ("find", "tally")} if only(now) != only(good) else {}
            out |= {"whole": now == good, "truth whole": only(now) == only(good), "lost": [list(l.__dict__.values()) for l in done.lost], "missing": {t: len(r) for t, r in missing.items() if r}}
            with open_store(path, create=False) as store: out["sound"] = not check(store, rule=rule_of(store)).faults
        except Exception as error:
            out |= {"whole": False, "lost": [], "sound": False, "repair failed": f"{type(error).__name__}: {error}"}
    print(json.dumps(out), flush=True)
"""


@functools.cache
def kept(which: int) -> tuple[Path, Path]:
    """The store of some batches: making one takes as long as twenty flips."""
    folder = tempfile.mkdtemp(prefix=f"tacit-flips-store-{which}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return made(Path(folder))


def made(place: Path) -> tuple[Path, Path]:
    """A store with rows in every truth table, and the folder with a backup of two thirds of it."""
    home = new_home(place)
    (home / "work" / ".git").mkdir()  # so that there is something to sync with
    (home / "short.toml").write_text(PROFILE)
    tacit(home, "init")
    tacit(home, "profile", "use", str(home / "short.toml"), "--by", "ada", "--yes")
    lines = "".join(
        json.dumps(
            {
                "text": f"lesson {n} about zebra{n} in src/app/user_{n}.py",
                "tags": [f"t{n}"],
                "run": f"r{n % 5}",
                "alias": f"m-{n:03d}",
            }
        )
        + "\n"
        for n in range(24)
    )
    tacit(home, "add", "-", stdin=lines)
    for n in range(3):
        _session(home, n, "a lesson about zebra3 and tests")
    tacit(home, "learn", "--as", "ann", "--stage", str(transcript(home, 8)))
    listed = json.loads(tacit(home, "list", "--json").stdout)["data"]["memories"]
    # erased, it leaves a tombstone where it was found
    learned = next(m["id"] for m in listed if "tool-zebra" in m["text"])
    ids = [m["id"] for m in listed if m["id"] != learned]
    tacit(home, "edit", ids[0], "a corrected lesson")
    tacit(home, "pin", ids[1])
    tacit(home, "erase", learned, "--by", "ada", "--yes")
    tacit(home, "sync")
    tacit(home, "backup")
    for n in range(3, 5):
        _session(home, n, "a lesson about zebra7 and tests")
    tacit(home, "learn", "--as", "ann", "--stage", str(transcript(home, 9)))
    tacit(home, "add", "-", stdin="".join(f'"late lesson {n} about yak{n}"\n' for n in range(12)))
    tacit(home, "edit", ids[5], "a lesson corrected late")
    tacit(home, "forget", ids[6])
    tacit(home, "feedback", ids[0], "--wrong")
    tacit(home, "sync")
    _need_rows(store_of(home))
    return store_of(home), next((home / "data" / "tacit" / "backups").iterdir())


def _need_rows(store: Path) -> None:
    """Every truth table has something to damage."""
    code = """
import apsw, sys
from tacit.stores.tables import BY_NAME
c = apsw.Connection(sys.argv[1])
print(*[t for t in BY_NAME if t not in ("counter",) and not c.execute(f"SELECT count(*) FROM {t}").fetchall()[0][0]])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(store)],
        capture_output=True,
        text=True,
        env=surroundings(store.parent),
    )
    if done.stdout.strip() or done.returncode:
        raise RuntimeError(f"tables without rows: {done.stdout}{done.stderr[-300:]}")


def _session(home: Path, number: int, task: str) -> None:
    """A run that is given lessons, then learned, so that what it was given is settled, and a sweep after it."""
    path = transcript(home, number)
    tacit(home, "inject", "--run", path.stem, "--task", task)
    tacit(home, "learn", "--as", "ann", str(path))
    tacit(home, "tend", "--run", f"tended-{number}")


def batch(
    seed: int,
    place: Path,
    flips: int = FLIPS,
    fault: str = "",
    of: tuple[Path, Path] | None = None,
    word: bytes = b"",
) -> dict[str, Any]:
    """So many copies, each with one bit turned; `of` a store that is made already, and there only in this `word`."""
    rng = random.Random(seed)
    store, backups = of or kept(seed // STORE)
    pages = store.stat().st_size // PAGE
    raw = store.read_bytes()
    jobs = []
    for n in range(flips):
        here = place / f"flip-{n}"
        (here / "backups").mkdir(parents=True)
        shutil.copy(store, here / "tacit.db")
        with_backup = n % 2 == 0
        if with_backup:
            for each in backups.iterdir():
                if each.is_file():
                    shutil.copy(each, here / "backups")
        page = (seed * flips + n) % pages  # every page in turn
        used = [at for at in range(page * PAGE, (page + 1) * PAGE) if raw[at]] or [page * PAGE]
        at = (
            raw.index(word) if word else rng.choice(used)
        )  # where something stands; free space changes nothing
        jobs.append(
            {
                "path": str(here / "tacit.db"),
                "backups": str(here / "backups"),
                "at": at,
                "bit": rng.randrange(8),
                "backup": with_backup,
            }
        )
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(store), *([fault] if fault else [])],
        input="".join(json.dumps(job) + "\n" for job in jobs),
        capture_output=True,
        text=True,
        env={**surroundings(place), "PYTHONPATH": str(frozen_source())},
        timeout=1200,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    failures = [f"broke off: {done.stderr[-400:]}"] if len(found) != len(jobs) else []
    for job, out in zip(jobs, found):
        told = f"seed {seed} byte {job['at']} bit {job['bit']} {'with' if job['backup'] else 'without'} backup: "
        if out["changed"] and not out["reported"]:
            failures.append(told + f"changed what a reader sees, not reported: {out['differs']}")
        if out["reported"] and not out["sound"]:
            failures.append(
                told + f"not sound after repair: {out.get('repair failed')} {out['faults']}"
            )
        elif out["reported"] and not out["truth whole"] and not out["lost"]:
            failures.append(
                told + f"truth missing and not listed: {out['missing']} {out['faults']}"
            )
    changed = [out for out in found if out["changed"]]
    return {
        "flips": flips,
        "pages": pages,
        "changed": len(changed),
        "reported": sum(o["reported"] for o in changed),
        "integrity_check alone": sum(o["native"] for o in changed),
        "reported, nothing changed": sum(o["reported"] and not o["changed"] for o in found),
        "mended whole": sum(o.get("truth whole", False) for o in changed),
        "with losses, listed": sum(bool(o.get("lost")) for o in changed),
        "with backup": [
            sum(o["changed"] for o, j in zip(found, jobs) if j["backup"]),
            sum(
                o["changed"] and o.get("truth whole", False)
                for o, j in zip(found, jobs)
                if j["backup"]
            ),
        ],
        "without": [
            sum(o["changed"] for o, j in zip(found, jobs) if not j["backup"]),
            sum(
                o["changed"] and o.get("truth whole", False)
                for o, j in zip(found, jobs)
                if not j["backup"]
            ),
        ],
        "failures": failures[:20],
    }


if __name__ == "__main__":
    sys.exit(campaign("flips", batch, "flips", 1000))
