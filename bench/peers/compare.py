"""Tacit beside what people would install instead: `make bench-peers/compare`.

Each peer lives in an environment of its own under the cache folder, all of them and Tacit on one interpreter. The same seeded lessons go into each; what is
measured runs in turns. Peers that want an embedder get the static one of `embedder.py`, and nothing is fetched when they run. A peer that cannot run is
named with the reason. A dated result and a plot go to bench/results/.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from measure import Spent, Table, dated, log, nice, run, surroundings  # noqa: E402
from plot import bars  # noqa: E402
from stores import cache  # noqa: E402
from texts import Writer  # noqa: E402

OURS = "tacit"
# name: (module of the adapter, what to install beside it, its distribution)
PEERS = {
    OURS: ("ours", os.path.dirname(os.path.dirname(HERE)), "tacit"),
    "langgraph": (
        "langgraph_store",
        "langgraph-checkpoint-sqlite==3.1.2",
        "langgraph-checkpoint-sqlite",
    ),
    "chroma": ("chroma_collection", "chromadb==1.5.9", "chromadb"),
    "mem0": ("mem0_memory", "mem0ai==2.2.1", "mem0ai"),
    "mcp-memory": ("mcp_memory", "mcp-memory-service==12.2.0", "mcp-memory-service"),
}
WEIGHTS = "wordllama==0.4.0.post1"
WRITERS, WRITES = 2, 100


class Peer:
    """A peer in its environment, with a store of its own."""

    def __init__(self, name: str, python: str, folder: str) -> None:
        self.name, self.python = name, python
        self.module, _, self.distribution = PEERS[name]
        self.store = os.path.join(folder, "store")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "USER": "bench",
            "TACIT_BENCH_WEIGHTS": os.path.join(cache(), "peers", "weights"),
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
        }

    def do(self, *action: str, store: str = "") -> Spent:
        return run(self.command(*action, store=store), self.env)

    def command(self, *action: str, store: str = "") -> list[str]:
        return [
            self.python,
            os.path.join(HERE, "driver.py"),
            self.module,
            store or self.store,
            *action,
        ]

    def version(self) -> str:
        asked = f"import importlib.metadata as m; print(m.version({self.distribution!r}))"
        return run([self.python, "-c", asked], self.env).out.decode().strip()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=11, help="fresh processes of each, in turns")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--out", default=dated("peers"))
    args = parser.parse_args()
    nice()
    peers, absent = ready()
    for peer in list(peers):
        try:
            fill(peer, args.memories)
        except RuntimeError as error:
            absent[peer.name] = str(error).strip().splitlines()[-1][:200]
            peers.remove(peer)
    prompts = questions(args.memories, args.queries)
    cold, floor = measure_cold(peers, prompts, args.rounds)
    disk = {peer.name: size_of(peer.store) / args.memories for peer in peers}
    warm, added, same = measure_warm(peers, prompts)
    shared = {peer.name: two_writers(peer) for peer in peers}
    report(args, peers, absent, floor, cold, warm, added, same, disk, shared)
    return 0 if judged(peers, cold, warm, shared).held else 1


# --- environments


def ready() -> tuple[list[Peer], dict[str, str]]:
    """The peers that could be installed, and why the others could not."""
    python = interpreter()
    weights(python)
    peers, absent = [], {}
    for name, (_, wanted, _) in PEERS.items():
        folder = os.path.join(cache(), "peers", name)
        own = os.path.join(folder, "env", "bin", "python")
        try:
            if name == OURS or not os.path.exists(os.path.join(folder, "ready")):
                install(python, folder, own, wanted, again=name == OURS)
            peers.append(Peer(name, own, folder))
        except subprocess.CalledProcessError as error:
            absent[name] = f"pip: {(error.stderr or '').strip().splitlines()[-1][:200]}"
    return peers, absent


def interpreter() -> str:
    """An interpreter whose sqlite3 loads extensions: two of the peers need one, so all get it."""
    asked = (
        "import sqlite3, sys; sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"
    )
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if os.path.exists(python) and not subprocess.run([python, "-c", asked]).returncode:
            return python
    return sys.executable


def install(python: str, folder: str, own: str, wanted: str, again: bool) -> None:
    log(f"installing {os.path.basename(folder)} …")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(own):
        subprocess.run(
            [python, "-m", "venv", os.path.join(folder, "env")],
            check=True,
            capture_output=True,
            text=True,
        )
    pip = [
        "nice",
        "-n",
        "10",
        own,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    others = [] if again else ["numpy", "tokenizers"]
    subprocess.run([*pip, wanted, *others], check=True, capture_output=True, text=True)
    if again:  # the tree as it is now, not as it was when the environment was made
        subprocess.run(
            [*pip, "--force-reinstall", "--no-deps", wanted],
            check=True,
            capture_output=True,
            text=True,
        )
    subprocess.run(
        [own, "-m", "compileall", "-q", os.path.join(folder, "env", "lib")], capture_output=True
    )
    with open(os.path.join(folder, "ready"), "w"):
        pass


def weights(python: str) -> None:
    """The embedder's files, out of the wheel that carries them."""
    folder = os.path.join(cache(), "peers", "weights")
    if not os.path.exists(os.path.join(folder, "wordllama")):
        subprocess.run(
            [python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WEIGHTS],
            check=True,
            capture_output=True,
            text=True,
        )
        with zipfile.ZipFile(glob.glob(os.path.join(folder, "*.whl"))[0]) as wheel:
            wheel.extractall(folder)


# --- what is measured


def fill(peer: Peer, memories: int) -> None:
    """The same lessons in every store: kept between calls, but for our own, which is made by the code as it is now."""
    done = os.path.join(os.path.dirname(peer.store), f"filled-{memories}")
    if peer.name != OURS and os.path.exists(done):
        return
    for each in glob.glob(os.path.join(os.path.dirname(peer.store), "filled-*")):
        os.unlink(each)
    shutil.rmtree(peer.store, ignore_errors=True)
    log(f"filling {peer.name} …")
    spent = peer.do("fill", str(memories))
    log(f"  {spent.cpu:.0f} s of CPU")
    with open(done, "w"):
        pass


def questions(memories: int, many: int) -> list[str]:
    """Prompts about lessons that are there."""
    writer = Writer(1)
    lessons = [str(writer.lesson()["text"]) for _ in range(memories)]
    return [Writer(7 + n).prompt(lessons[n * len(lessons) // many]) for n in range(many)]


def measure_cold(
    peers: list[Peer], prompts: list[str], rounds: int
) -> tuple[dict[str, list[Spent]], float]:
    """A fresh process each: import, open, one question. Our command besides, as a person types it."""
    found: dict[str, list[Spent]] = {}
    floors = []
    ours = peers[0]
    for number in range(rounds + 1):
        prompt = prompts[number % len(prompts)]
        turn: dict[str, Callable[[], Spent]] = {
            peer.name: (lambda peer=peer: peer.do("cold", prompt)) for peer in peers
        }  # type: ignore[misc]
        turn["tacit recall (command)"] = lambda: command(ours, prompt)
        bare = run([ours.python, "-c", "pass"], ours.env)
        for name, ask in turn.items():
            spent = ask()
            if number:  # the first reads files from the disk
                found.setdefault(name, []).append(spent)
        floors.append(bare.cpu)
    return found, statistics.median(floors)


def command(ours: Peer, prompt: str) -> Spent:
    program = os.path.join(os.path.dirname(ours.python), "tacit")
    where = {
        "TACIT_STORE": os.path.join(ours.store, "tacit.db"),
        "TACIT_PROJECT": "bench",
        "XDG_DATA_HOME": ours.store,
        "HOME": ours.store,
    }
    return run([program, "recall", "--limit", "10", prompt], {**ours.env, **where})


def measure_warm(
    peers: list[Peer], prompts: list[str]
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Milliseconds of CPU for one question and for one durable add in a running process, peer by peer in turns; and how often the lesson that a
    prompt was made from is among the ten."""
    for peer in peers:  # adding is measured, too: on a copy
        shutil.rmtree(peer.store + "-copy", ignore_errors=True)
        shutil.copytree(peer.store, peer.store + "-copy")
    serving = {
        peer.name: subprocess.Popen(
            peer.command("serve", store=peer.store + "-copy"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=peer.env,
            text=True,
        )
        for peer in peers
    }
    for child in serving.values():
        while _line(child) != "ready\n":
            pass
    asked: dict[str, list[float]] = {name: [] for name in serving}
    added: dict[str, list[float]] = {name: [] for name in serving}
    found: dict[str, list[bool]] = {name: [] for name in serving}
    writer = Writer(2)
    lessons = [str(writer.lesson()["text"]) for _ in range(len(prompts))]
    for number, prompt in enumerate(prompts):
        for name, child in serving.items():
            cpu, _, texts = _told(child, "search", prompt)
            if number >= 5:
                asked[name].append(cpu / 1e6)
            found[name].append(any(_about(text, prompt) for text in texts))
    for number, text in enumerate(lessons):
        for name, child in serving.items():
            cpu, _, _ = _told(child, "add", text)
            if number >= 5:
                added[name].append(cpu / 1e6)
    for child in serving.values():
        assert child.stdin
        child.stdin.close()
        child.wait()

    def middle(of: Mapping[str, list[float]]) -> dict[str, float]:
        return {name: statistics.median(each) for name, each in of.items()}

    return (
        middle(asked),
        middle(added),
        {name: sum(each) / len(each) for name, each in found.items()},
    )


def _about(text: str, prompt: str) -> bool:
    """Whether a prompt was made from this lesson: it carries seven of its words, and few lessons share so many."""
    shared = prompt.split(": ", 1)[1].split(" please check")[0].split()
    return all(word in text for word in shared)


def _told(child: subprocess.Popen[str], what: str, text: str) -> tuple[int, int, list[str]]:
    assert child.stdin
    child.stdin.write(json.dumps([what, text]) + "\n")
    child.stdin.flush()
    while not (line := _line(child)).startswith("["):
        pass
    cpu, wall, found = json.loads(line)
    return cpu, wall, found


def _line(child: subprocess.Popen[str]) -> str:
    assert child.stdout
    if not (line := child.stdout.readline()):
        raise RuntimeError(f"{child.args!r} ended early")
    return line


def size_of(folder: str) -> int:
    return sum(
        os.path.getsize(os.path.join(at, name))
        for at, _, names in os.walk(folder)
        for name in names
    )


def two_writers(peer: Peer) -> tuple[int, int, dict[str, int]]:
    """(acknowledged, found afterwards, what went wrong) when two processes write one new store at once."""
    store = peer.store + "-shared"
    shutil.rmtree(store, ignore_errors=True)
    before = int(
        peer.do("count", store=store).out.split()[-1]
    )  # makes the store, so that the two do not race for that
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    writers = [
        subprocess.Popen(
            peer.command("write", f"w{n}", str(WRITES), store=store), env=peer.env, **pipe
        )  # type: ignore[call-overload]
        for n in range(WRITERS)
    ]
    kept, wrong = 0, dict[str, int]()
    for child in writers:
        out, err = child.communicate()
        last = (out.strip().splitlines() or [""])[-1]
        told, faults = (
            json.loads(last)
            if last.startswith("[")
            else (0, {(err.strip().splitlines() or ["ended"])[-1][:120]: WRITES})
        )
        kept += told
        for said, times in faults.items():
            wrong[said] = wrong.get(said, 0) + times
    return kept, int(peer.do("count", store=store).out.split()[-1]) - before, wrong


# --- what is told


def judged(
    peers: list[Peer],
    cold: Mapping[str, list[Spent]],
    warm: Mapping[str, float],
    shared: Mapping[str, tuple[int, int, dict[str, int]]],
) -> Table:
    """What we ask of ourselves."""
    costs = {peer.name: statistics.median(each.cpu for each in cold[peer.name]) for peer in peers}
    others = [cost for name, cost in costs.items() if name != OURS]
    table = Table()
    mine = costs[OURS]
    table.at_most("cold recall, of the cheapest peer's", mine / min(others), 0.5)
    table.add(
        "cold recall, below the peers' median by",
        "≥ 5x",
        f"{statistics.median(others) / mine:.1f}x",
        statistics.median(others) >= 5 * mine,
    )
    table.at_most(
        "warm recall, of the fastest peer's",
        warm[OURS] / min(cost for name, cost in warm.items() if name != OURS),
        1,
    )
    kept, found, wrong = shared[OURS]
    table.add(
        "two writers: kept, found, refused",
        "all, all, 0",
        f"{kept}, {found}, {sum(wrong.values())}",
        kept == found == WRITERS * WRITES,
    )
    return table


def report(
    args: argparse.Namespace,
    peers: list[Peer],
    absent: Mapping[str, str],
    floor: float,
    cold: Mapping[str, list[Spent]],
    warm: Mapping[str, float],
    added: Mapping[str, float],
    same: Mapping[str, float],
    disk: Mapping[str, float],
    shared: Mapping[str, tuple[int, int, dict[str, int]]],
) -> None:
    """The table of all peers, what we ask of ourselves, and the plot."""
    rows = [
        "| | version | cold recall, CPU | of a bare interpreter | on the wall | warm recall, CPU | lesson found | durable add, CPU | bytes a memory | two writers |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, spent in cold.items():
        cpu, wall = (
            statistics.median(each.cpu for each in spent),
            statistics.median(each.wall for each in spent),
        )
        line = f"{cpu * 1000:,.0f} ms | {cpu / floor:.1f}x | {wall * 1000:,.0f} ms"
        if name in warm:
            peer = next(each for each in peers if each.name == name)
            line = f"{peer.version()} | {line} | {warm[name]:.2f} ms | {same[name]:.0%} | {added[name]:.2f} ms | {disk[name]:,.0f} | {_shared(shared[name])}"
        else:
            line = f" | {line} | | | | |"
        rows.append(f"| {name} | {line} |")
    rows += [f"| {name} | cannot run here: {why} | | | | | | | | |" for name, why in absent.items()]
    own = judged(peers, cold, warm, shared).markdown()
    picture = os.path.splitext(args.out)[0] + ".svg"
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(
            f"# Peers, {os.path.basename(args.out)[:10]}\n\n`make bench-peers/compare` · {args.memories:,} lessons · {surroundings()}\n\n"
            + "\n".join(rows)
            + f"\n\n![plot]({os.path.basename(picture)})\n\n{own}\n{NOTES.format(rounds=args.rounds, queries=args.queries)}"
        )
    costs = {
        name: statistics.median(each.cpu for each in spent) * 1000
        for name, spent in cold.items()
        if name in warm
    }
    with open(picture, "w", encoding="utf-8") as file:
        file.write(
            bars(
                f"Tacit and its peers at {args.memories:,} lessons",
                {"cold recall": costs, "warm recall": warm, "durable add": added},
                "ms of CPU",
            )
        )


def _shared(told: tuple[int, int, dict[str, int]]) -> str:
    kept, found, wrong = told
    said = f"{kept} of {WRITERS * WRITES} acknowledged, {kept - found} of them lost"
    return said + "".join(
        f"; {times}x {why.replace('|', '/').replace(cache(), '…')}" for why, times in wrong.items()
    )


NOTES = """Cold recall: a fresh process imports, opens and asks once; medians of {rounds} rounds in turns, in the order of the table. Warm recall: {queries} different
prompts of some fifteen words, one at a time, in a running process. Lesson found: the lesson that a prompt was made from is among the ten. Durable
add: one lesson at a time in a running process. Embedding a text is part of the peers' figures wherever they embed; Tacit's default embeds nothing. Two
writers: two processes write 100 lessons each to one new store.
"""


if __name__ == "__main__":
    sys.exit(main())
