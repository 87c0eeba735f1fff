"""The store's promises, tried: what was acknowledged is there, whoever dies, whenever the power goes, however full the disk.

    python bench/store.py faults            # 127 points: 64 kills, 32 power cuts, 31 steps of a full disk
    python bench/store.py speed             # budgets, to a million lessons: SIZES=1000,100000,1000000

A kill is `kill -9` of one of sixteen processes that write and read one store. A power cut is an image of the files as a
disk may hold them: every write and sync of a writer is recorded with strace, and of what was not synced whole writes are
lost, sectors torn and later ones kept before earlier ones. A full disk is a small tmpfs with so many blocks left.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "bench"), str(ROOT / "bench" / "faults")]

from power import CALLS, _events, image  # noqa: E402

from tacit.core.journal import Hand  # noqa: E402
from tacit.core.links import Evidence  # noqa: E402
from tacit.core.rows import Project  # noqa: E402
from tacit.hooks.search import Search  # noqa: E402
from tacit.lesson import Lesson  # noqa: E402
from tacit.store import backup, search  # noqa: E402
from tacit.store.file import size_of  # noqa: E402
from tacit.store.reads import Store  # noqa: E402
from tacit.store.spoken import put_common  # noqa: E402
from tacit.store.writes import Transaction, open_store  # noqa: E402
from texts import Writer  # noqa: E402

PROCESSES = 16
KILLS, CUTS, STEPS = 64, 32, 31
PATIENCE = 60.0  # seconds for a process to write its first word
HOME = "work"  # the project
BLOCK = 4096
WRITTEN = 50_000  # lessons that are written one by one
HAND = Hand("bench", "2026-01-01T00:00:00.000Z")
PROJECT = Project(HOME, HOME, "", "", "", "", b"", 0, HAND.at)

# What one process does, by its kind, until it is killed; each acknowledged act is a line that it prints.
WORKER = """
import os, sys, time
kind, number, path, late = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:] == ["late"]
from tacit.core.clock import now
from tacit.core.edits import undone
from tacit.core.journal import Hand
from tacit.core.links import Evidence, Use
from tacit.core.value import replace
from tacit.lesson import Lesson
from tacit.store.moments import enqueue
from tacit.store.writes import open_store
def said(word):
    os.write(1, f"{word}\\n".encode())
with open_store(path, create=False) as store:
    for n in range(1, 100000):
        hand = Hand(f"writer {number}", now())
        if kind == "add":
            if late: said(n)
            with store.write() as tx:
                made = Lesson(f"a-{number}-{n}", "work", f"writer {number} lesson {n}")
                tx.apply(hand.change(None, made, "add", ""))
                tx.add_evidence(Evidence(made.id, "work", f"s{number}", f"s{number}", at=hand.at))
                enqueue(tx, "learn", f"{number}-{n}", "work", {}, hand.at)
                if late: os._exit(9)
            if not late: said(n)
        elif kind == "change":
            with store.write() as tx:
                was = tx.get("shared")
                later = replace(was, extra={"writer": number, "n": n})
                entry = tx.apply(hand.change(was, later, "edit", ""))
                if n % 3 == 0: tx.apply(undone(tx.get("shared"), entry, [], hand))
            said(n)
        elif kind == "deliver":
            with store.write() as tx:
                unit = f"d{number} {n}"
                tx.add_use(Use("shared", unit, "work", f"d{number}", "", "injected", 0.1, at=hand.at))
            said(n)
        else:
            with store.write() if n % 5 == 0 else store as at:
                counted = "SELECT (SELECT count(*) FROM lesson), (SELECT count(*) FROM journal WHERE verb = 'add')"
                lessons, entries = at.rows(counted)[0]
                matched = at.rows("SELECT count(*) FROM lesson_fts WHERE lesson_fts MATCH 'writer'")
            if lessons != entries: said(f"seen: {lessons} lessons, {entries} entries")
            if kind == "read" and n % 5: store = open_store(path, create=False)
"""
KINDS = {"add": 8, "change": 3, "deliver": 2, "read": 3}


def surroundings() -> dict[str, str]:
    """The environment of a process under test: this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}


def made(path: str) -> None:
    """A store with the lesson that all change."""
    with open_store(path) as store, store.write() as tx:
        tx.put_project(PROJECT)
        _added(tx, Lesson("shared", HOME, "What all writers change."))


def _added(tx: Transaction, lesson: Lesson) -> None:
    tx.apply(HAND.change(None, lesson, "add", ""))


class Process:
    """One process at work on the store."""

    def __init__(self, folder: Path, path: str, kind: str, number: int, mistake: str = "") -> None:
        self.kind, self.number = kind, number
        self.out, self.err = folder / f"out-{number}", folder / f"err-{number}"
        argv = [sys.executable, "-c", WORKER, kind, str(number), path, mistake]
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(argv, stdout=out, stderr=err, env=surroundings())
        # Most of a short life is the interpreter's start: a writer dies a moment after its first word.
        self.began = time.monotonic()
        early = kind == "read" or random.random() < 0.1
        self.dies_at = self.began + (random.uniform(0.3, 3.0) if early else PATIENCE)

    def is_due(self) -> bool:
        """Whether its time has come."""
        now = time.monotonic()
        if self.dies_at == self.began + PATIENCE and self.out.stat().st_size:
            self.dies_at = now + random.uniform(0.0, 1.0)
        return now > self.dies_at

    def said(self) -> list[str]:
        """The whole lines it printed."""
        return self.out.read_text().split("\n")[:-1]


def killed(
    folder: Path, kills: int, processes: int = PROCESSES, seed: int = 1, mistake: str = ""
) -> dict[str, Any]:
    """So many kills of processes at work; then what was acknowledged is counted.

    With the mistake `late` they acknowledge first and die before they commit: a count that misses it counts nothing.
    """
    random.seed(seed)
    path = str(folder / "tacit.db")
    made(path)
    every: list[Process] = []
    alive: list[Process] = []
    wrong: list[str] = []
    dead = 0
    while dead < kills:
        while len(alive) < processes:
            kind = random.choices(list(KINDS), list(KINDS.values()))[0]
            alive.append(Process(folder, path, kind, len(every), mistake))
            every.append(alive[-1])
        time.sleep(0.01)
        for each in list(alive):
            if each.process.poll() is not None:
                wrong.append(
                    f"{each.kind} {each.number} ended by itself: {each.err.read_text()[-300:]}"
                )
                alive.remove(each)
                dead += 1
            elif each.is_due():
                each.process.send_signal(signal.SIGKILL)
                each.process.wait()
                alive.remove(each)
                dead += 1
    for each in alive:
        each.process.kill()
        each.process.wait()
    with open_store(path, create=False) as store:
        wrong += [f"damaged: {fault}" for fault in backup.faults(store)]
        for each in every:
            wrong += _reckoned(store, each)
    acknowledged = sum(len(each.said()) for each in every if each.kind != "read")
    return {"points": dead, "processes": len(every), "acknowledged": acknowledged, "wrong": wrong}


def _reckoned(store: Store, each: Process) -> list[str]:
    """What a process acknowledged and is not there, and what is there that it never began."""
    said, by = each.said(), f"writer {each.number}"
    told = each.err.read_text().strip()
    wrong = [f"{each.kind} {each.number}: {told.splitlines()[-1]}"] if told else []
    if each.kind == "read":
        return wrong + said
    asked = {
        "add": ("SELECT count(*) FROM lesson WHERE by = ?", by),
        "change": ("SELECT count(*) FROM journal WHERE verb = 'edit' AND by = ?", by),
        "deliver": ("SELECT count(*) FROM delivery WHERE session = ?", f"d{each.number}"),
    }
    found = store.rows(*asked[each.kind])[0][0]
    if found not in (len(said), len(said) + 1):
        wrong.append(f"{each.kind} {each.number}: {len(said)} acknowledged, {found} there")
    if each.kind == "add":
        whole = store.rows(
            "SELECT count(*) FROM lesson l JOIN journal j ON j.lesson = l.id"
            " JOIN evidence e ON e.lesson = l.id JOIN job q ON q.key = substr(l.id, 3)"
            " WHERE l.by = ?",
            by,
        )[0][0]
        wrong += [f"add {each.number}: {found} there, {whole} whole"] if whole != found else []
    return wrong


def cut(folder: Path, cuts: int, seed: int = 1, *, careless: bool = False) -> dict[str, Any]:
    """So many images of a disk whose power went while a writer was at work."""
    chance = random.Random(seed)
    place = folder / "disk"
    place.mkdir()
    path = str(place / "tacit.db")
    made(path)
    before = {each.name: each.read_bytes() for each in place.iterdir()}
    events = _recorded(folder, place, path, 60, careless)
    told = [at for at, event in enumerate(events) if event[0] == "said"]
    wrong = []
    for n in range(cuts):
        # Half of the points just after an acknowledgement, where a promise is youngest.
        at = chance.choice(told) + 1 if n % 2 else chance.randrange(1, len(events) + 1)
        here = folder / f"image-{n}"
        here.mkdir()
        for name, raw in image(before, events, at, chance).items():
            if not name.endswith("-shm"):
                (here / name).write_bytes(raw)
        said = max((event[1] for event in events[:at] if event[0] == "said"), default=0)
        wrong += [f"image {n}: {each}" for each in _image_faults(str(here / "tacit.db"), said)]
        shutil.rmtree(here)
    return {"points": cuts, "acknowledged": len(told), "wrong": wrong}


def _recorded(folder: Path, place: Path, path: str, many: int, careless: bool) -> list[Any]:
    code = WORKER.replace("range(1, 100000)", f"range(1, {many + 1})")
    if careless:
        code = code.replace(
            "    for n in", '    store.rows("PRAGMA synchronous = OFF")\n    for n in'
        )
    watch = ["strace", "-f", "-y", "-xx", "-s", "1000000", "-e", f"trace={CALLS}"]
    argv = [*watch, "-o", str(folder / "trace"), sys.executable, "-c", code, "add", "0", path]
    done = subprocess.run(argv, capture_output=True, text=True, env=surroundings())
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    return list(_events(folder / "trace", place))


def _image_faults(path: str, said: int) -> list[str]:
    try:
        with open_store(path, create=False) as store:
            wrong = [f"damaged: {fault}" for fault in backup.faults(store)]
            kept = store.one("SELECT count(*) FROM lesson")[0] - 1
            entries = store.rows("SELECT count(*) FROM journal")[0][0] - 1
            vouched = store.rows("SELECT count(*) FROM evidence")[0][0]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    if kept not in (said, said + 1) or not kept == entries == vouched:
        wrong.append(f"{said} acknowledged, {kept} there, {entries} entries, {vouched} vouched")
    return wrong


def filled(folder: Path, steps: int) -> dict[str, Any]:
    """A disk with fewer and fewer blocks left: what was refused is not there, the rest is, and reading goes on."""
    argv = ["unshare", "-rm", sys.executable, __file__, "inside", str(folder), str(steps)]
    done = subprocess.run(argv, capture_output=True, text=True, env=surroundings())
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        return {"points": steps, "wrong": [f"broke off: {done.stderr[-400:]}"]}


def inside(folder: Path, steps: int) -> dict[str, Any]:
    """What happens on the small disk."""
    disk = folder / "small"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(disk)], check=True)
    path, filler = str(disk / "tacit.db"), disk / "filler"
    made(path)
    kept, refused, wrong = ["shared"], 0, list[str]()
    for free in range(steps):
        _fill(filler, free)
        for n in range(6):
            id = f"full-{free}-{n}"
            try:
                _add(path, id)
                kept.append(id)
            except Exception as error:
                refused += 1
                if type(error).__name__ != "StoreReadOnly":
                    wrong.append(f"{free} blocks free: {type(error).__name__}: {error}")
        wrong += [f"{free} blocks free: {each}" for each in _there(path, kept)]
        filler.unlink()
        _add(path, f"again-{free}")
        kept.append(f"again-{free}")
    with open_store(path) as store:
        wrong += backup.faults(store)
    return {"points": steps, "kept": len(kept), "refused": refused, "wrong": wrong}


def _add(path: str, id: str) -> None:
    with open_store(path) as store, store.write() as tx:
        _added(tx, Lesson(id, HOME, f"A lesson called {id}. {'x' * 3000}"))


def _there(path: str, kept: list[str]) -> list[str]:
    try:
        with open_store(path) as store:
            found = {id for (id,) in store.rows("SELECT id FROM lesson")}
    except Exception as error:
        return [f"reading: {type(error).__name__}: {error}"]
    return [f"lost or too many: {found ^ set(kept)}"] if found != set(kept) else []


def _fill(filler: Path, free: int) -> None:
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, BLOCK):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                pass
        file.truncate(max(0, file.tell() // BLOCK - free) * BLOCK)


# --- budgets


def built(folder: Path, size: int) -> str:
    """A store with so many lessons, made without waiting for the disk.

    What is beyond fifty thousand are the first ones once more, each with its own number in its text.
    """
    path, building = str(folder / f"lessons-{size}.db"), str(folder / "building.db")
    if os.path.exists(path):
        return path
    for end in ("", "-wal", "-shm"):
        Path(building + end).unlink(missing_ok=True)
    if size > WRITTEN:
        shutil.copyfile(built(folder, WRITTEN), building)
    with open_store(building) as store:
        for pragma in ("journal_mode = MEMORY", "synchronous = OFF", "cache_size = -300000"):
            store.rows(f"PRAGMA {pragma}")
        if size > WRITTEN:
            for copy in range(1, -(-size // WRITTEN)):
                with store.write() as tx:
                    _again(tx, copy, min(WRITTEN, size - copy * WRITTEN))
        else:
            _written(store, size)
        counted = search.common_words(store)
        with store.write() as tx:
            put_common(tx, "", "word", counted)
        store.rows("PRAGMA journal_mode = WAL")
    os.rename(building, path)
    return path


def _written(store: Store, size: int) -> None:
    writer = Writer(1)
    for start in range(0, size, 10_000):
        with store.write() as tx:
            if not start:
                tx.put_project(PROJECT)
            for n in range(start, min(start + 10_000, size)):
                _added(tx, _lesson(writer, f"l{n}"))
                tx.add_evidence(Evidence(f"l{n}", HOME, f"s{n % 999}", f"s{n % 999}", at=HAND.at))


def _again(tx: Transaction, copy: int, many: int) -> None:
    for table, changed in (
        ("lesson", {"id": "id || '-' || ?", "text": "text || ' ' || id || ?"}),
        ("journal", {"lesson": "lesson || '-' || ?"}),
        ("evidence", {"lesson": "lesson || '-' || ?"}),
    ):
        names = [row[0] for row in tx.rows("SELECT name FROM pragma_table_info(?)", table)]
        told = [f'"{name}"' for name in names if name != "n"]
        taken = [changed.get(name, f'"{name}"') for name in names if name != "n"]
        tx.rows(
            f"INSERT INTO {table} ({', '.join(told)}) SELECT {', '.join(taken)} FROM {table}"
            " ORDER BY n LIMIT ?",
            *([copy] * len(changed)),
            many,
        )


def _lesson(writer: Writer, id: str) -> Lesson:
    told = writer.lesson()
    return Lesson(id, HOME, str(told["text"]), state="active", trust="observed")


def speed(folder: Path, sizes: list[int], rounds: int = 40) -> list[tuple[str, float, float]]:
    """Budgets: what, the figure, the most it may be."""
    paths = [built(folder, size) for size in sizes]
    found = [
        (
            f"bytes of a lesson with its entry and one piece of evidence, {sizes[-1]:,}",
            size_of(paths[-1]) / sizes[-1],
            3000.0,
        )
    ]
    stores = [open_store(path) for path in paths]
    asked = Writer(77)
    questions = [str(asked.lesson()["text"])[:120] for _ in range(rounds)]
    for store in stores:
        store.rows("PRAGMA cache_size = -20000")
    recall = _compared(
        stores, [lambda store, n: _recall(store, questions[n])] * len(stores), rounds
    )
    at = {size: spent for size, spent in zip(sizes, recall)}
    large = max(size for size in sizes if size <= 100_000)
    found.append((f"recall, {large:,} over {sizes[0]:,}", at[large] / at[sizes[0]], 5.0))
    found += [(f"recall, {size:,} lessons, ms", 1000 * spent, 0.0) for size, spent in at.items()]
    copies = []
    for path in paths:
        shutil.copyfile(path, f"{path}.add")
        copies.append(open_store(f"{path}.add"))
    added = _compared(copies, [_durable] * len(copies), 5 * rounds)
    found.append((f"durable add, {sizes[-1]:,} over {sizes[0]:,}", added[-1] / added[0], 1.5))
    found += [(f"durable add, {s:,} lessons, ms", 1000 * t, 0.0) for s, t in zip(sizes, added)]
    for store in (*stores, *copies):
        store.close()
    found.append(("durable add: syncs of each", _syncs(folder, paths[0]), 1.0))
    for size, path in zip(sizes, paths):
        cost = _prompt_cost(f"{path}.add", questions[0], rounds // 2)
        most = 3.0 if size <= 100_000 else 0.0
        found.append((f"a prompt asked and recorded, {size:,}, over python -c pass", cost, most))
    for path in paths:
        os.unlink(f"{path}.add")
    return found


def _compared(stores: list[Store], acts: list[Any], rounds: int) -> list[float]:
    """The median CPU seconds of an act on each store, in turns."""
    spent: list[list[float]] = [[] for _ in stores]
    for n in range(rounds):
        for at, (store, act) in enumerate(zip(stores, acts)):
            begun = time.process_time()
            act(store, n)
            spent[at].append(time.process_time() - begun)
    return [statistics.median(each[3:]) for each in spent]


def _recall(store: Store, question: str) -> None:
    assert Search(search.FullText(store, [HOME], True), question).best(10)


def _durable(store: Store, n: int) -> None:
    with store.write() as tx:
        id = f"added-{n}"
        _added(tx, Lesson(id, HOME, f"Lesson {n} of the one who counts.", state="active"))


# What a hook asks of the store at a prompt, without choosing and wording.
PROMPT = """
import sys
from tacit.hooks.search import Search
from tacit.store import moments, search
from tacit.store.file import open_store
with open_store(sys.argv[1], create=False) as store:
    found = Search(search.FullText(store, ["work"], True), sys.argv[2]).best(10)
    told = moments.candidates(store, [each.n for each in found[:3]])
    assert told
    with store.write() as tx:
        at = {"project": "work", "session": "s", "group": "g", "surface": "prompt", "task": "",
              "given": [each.id for each in told], "held": [], "left": {}, "event": "e",
              "tokens": 9, "at": "2026-01-01T00:00:00.000Z"}
        moments.record(tx, at, [
            {"lesson": each.id, "recorded": False, "instrument": "", "eligible": False, "marks": [],
             "arm": "injected", "probability": 0.1, "family": each.id} for each in told
        ])
"""


def _prompt_cost(path: str, question: str, rounds: int) -> float:
    """CPU of a fresh process that asks and records, over that of an empty one, in turns."""
    spent: dict[str, list[float]] = {"pass": [], PROMPT: []}
    for _ in range(rounds):
        for code, times in spent.items():
            process = subprocess.Popen(
                [sys.executable, "-c", code, path, question], env=surroundings()
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            if status:
                raise RuntimeError("the prompt failed")
            times.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(spent[PROMPT]) / statistics.median(spent["pass"])


def _syncs(folder: Path, path: str) -> float:
    """How often ten more adds ask the disk to write."""
    counts = []
    for many in (2, 12):
        copy = str(folder / "syncs.db")
        shutil.copyfile(path, copy)
        code = WORKER.replace("range(1, 100000)", f"range(1, {many + 1})")
        log = folder / "syncs"
        watch = ["strace", "-f", "-e", "trace=fsync,fdatasync,msync", "-o", str(log)]
        argv = [*watch, sys.executable, "-c", code, "add", "0", copy]
        subprocess.run(argv, check=True, capture_output=True, env=surroundings())
        counts.append(log.read_text().count("sync("))
        os.unlink(copy)
    return (counts[1] - counts[0]) / 10


def faults() -> int:
    """All 127 points."""
    failed = 0
    for name, act, points in (
        ("kill", killed, KILLS),
        ("power", cut, CUTS),
        ("full", filled, STEPS),
    ):
        with tempfile.TemporaryDirectory(prefix="tacit-store-") as place:
            begun = time.monotonic()
            found = act(Path(place), points)
        failed += len(found["wrong"])
        print(
            name, json.dumps({**found, "seconds": round(time.monotonic() - begun, 1)}), flush=True
        )
    return min(failed, 1)


def main(argv: list[str]) -> int:
    if argv[:1] == ["inside"]:
        print(json.dumps(inside(Path(argv[1]), int(argv[2]))))
        return 0
    if argv == ["faults"]:
        return faults()
    if argv == ["speed"]:
        sizes = [int(each) for each in os.environ.get("SIZES", "1000,100000,1000000").split(",")]
        folder = ROOT / ".bench" / "store"
        folder.mkdir(parents=True, exist_ok=True)
        missed = 0
        for what, figure, most in speed(folder, sizes):
            missed += bool(most and figure > most)
            print(f"{what:80} {figure:10.2f}" + (f"   ≤ {most:g}" if most else ""), flush=True)
        return min(missed, 1)
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
