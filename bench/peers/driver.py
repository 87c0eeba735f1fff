"""Runs one peer in the environment it is installed in; `compare.py` starts it.

driver.py MODULE FOLDER fill COUNT         keep so many lessons
driver.py MODULE FOLDER cold QUERY         open, ask once, leave
driver.py MODULE FOLDER write NAME COUNT   keep lessons one by one, tell what was acknowledged and what went wrong
driver.py MODULE FOLDER count              how many there are
driver.py MODULE FOLDER serve              ask or add what stdin says, line by line, and tell the CPU time of each
"""

from __future__ import annotations

import importlib
import os
import sys


def main(module: str, folder: str, action: str, *rest: str) -> None:
    os.makedirs(folder, exist_ok=True)
    peer = importlib.import_module(module).Peer(folder)
    if action == "cold":
        print(len(peer.search(rest[0], 10)))
    else:
        {"fill": fill, "write": write, "count": count, "serve": serve}[action](peer, *rest)
    peer.close()


def fill(peer, many: str) -> None:  # type: ignore[no-untyped-def]
    sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    from texts import Writer

    writer = Writer(1)
    peer.fill([str(writer.lesson()["text"]) for _ in range(int(many))])


def write(peer, name: str, many: str) -> None:  # type: ignore[no-untyped-def]
    import json

    kept, wrong = 0, {}
    for number in range(int(many)):
        try:
            peer.add(
                f"Lesson {number} of writer {name}: {name}{number} needs the lock of {number * 7919 % 1009}."
            )
            kept += 1
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            wrong[said] = wrong.get(said, 0) + 1
    print(json.dumps([kept, wrong]))


def count(peer) -> None:  # type: ignore[no-untyped-def]
    print(peer.count())


def serve(peer) -> None:  # type: ignore[no-untyped-def]
    import json
    import time

    print("ready", flush=True)
    for line in sys.stdin:
        what, text = json.loads(line)
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        found = peer.search(text, 10) if what == "search" else peer.add(text)
        spent = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
        print(json.dumps([*spent, found if what == "search" else []]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
