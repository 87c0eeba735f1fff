"""What the commits of an issue of the house took away, and what stands: make house.

    python bench/house.py [--issue 23]

Lines of Python added and deleted, summed over the commits with the trailer `House: N` (git log --numstat, moves found), then today's lines
per folder beside their ceiling in tests/house_ceiling.txt.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = {  # the package, the other distributions, tests of all, campaigns
    "src": ("src",),
    "distributions": ("distributions/*/src",),
    "tests": ("tests", "distributions/*/tests", "distributions/conftest.py"),
    "bench": ("bench",),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--issue", type=int, default=23)
    issue = parser.parse_args().issue
    # %x00 stands before each commit; a path that was moved is `a/{b => c}/d.py`
    log = [
        "git",
        "log",
        "-M",
        "--numstat",
        "--format=%x00%(trailers:key=House,valueonly,separator=%x2C)",
    ]
    told = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    commits, added, deleted = 0, Counter[str](), Counter[str]()
    for each in told.split("\0"):
        head, _, rows = each.partition("\n")
        if str(issue) not in head.split(","):
            continue
        commits += 1
        for more, fewer, path in re.findall(r"^(\d+)\t(\d+)\t(.+\.py\}?)$", rows, re.M):
            path = re.sub(r"\{?([^{}]*) => ([^{}]*)\}?", r"\2", path)
            place = "tests" if "/tests/" in path else path.split("/")[0]
            added[place] += int(more)
            deleted[place] += int(fewer)
    ceilings = dict(
        line.split()[:2]
        for line in (ROOT / "tests" / "house_ceiling.txt").read_text().splitlines()
        if line[:1].isalpha()
    )
    print(f"{commits} commits with the trailer House: {issue}; lines of Python")
    print("| | added | deleted | net | today | ceiling |\n|---|---|---|---|---|---|")
    for place, folders in PLACES.items():
        files = {
            file
            for each in folders
            for found in ROOT.glob(each)
            for file in (found, *found.rglob("*.py"))
        }
        today = sum(file.read_bytes().count(b"\n") for file in files if file.suffix == ".py")
        net = added[place] - deleted[place]
        print(
            f"| {place} | {added[place]} | {deleted[place]} | {net:+} | {today} | {ceilings.get(place, '')} |"
        )


if __name__ == "__main__":
    main()
