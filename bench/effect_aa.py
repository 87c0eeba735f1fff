"""The coin tossed anew over real sessions, which no lesson can have touched: whatever is called is called wrongly.

    python -m bench.effect_aa DATA [--tosses 20] [--out FILE]

DATA is a folder of packs of projects (`index.json` with `file` and `real`). A lesson here is a failure's signature that two
sessions of a project met; from the third session on it meets every session of that project, at one of the moments of that
session (three subjects a moment). Whether its problem came, and at what loss, is what the recorded session says: nobody was
told anything, so the arm can have changed nothing. Each toss has a key of its own; verdicts are looked at after every session.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from tacit.core.run import Run
from tacit.hosts import formats
from tacit.hosts.source import FileSource
from tacit.learn.occurrences import failed_with, occurrences
from tacit.origins import named
from tacit.trial.coin import INJECTED, rate_for, tossed
from tacit.trial.evalue import (
    GRADES,
    HARMS,
    HELPS,
    NOT_YET_KNOWN,
    Purse,
    Trial,
    grade_of,
)
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.pooled import pooled

AT_ONCE = 3  # subjects that a moment is about
BAR = math.log(40.0)
RATE = named("default").trial.rate


def projects(data: Path) -> Iterator[tuple[str, list[Run]]]:
    """Each project's real sessions, in order of time."""
    for index in sorted(data.glob("**/index.json")):
        runs: list[Run] = []
        for each in json.loads(index.read_text()):
            if not isinstance(each, dict) or not each.get("real", True) or "file" not in each:
                continue
            try:
                runs += [*formats.read(FileSource(str(index.parent / each["file"])))][:1]
            except Exception as error:  # a file that is no transcript is counted, not hidden
                print(f"left out: {each['file']}: {error}", file=sys.stderr)
        if runs:
            yield index.parent.name, sorted(runs, key=lambda run: run.started_at)


def losses_of(runs: list[Run]) -> dict[str, dict[int, float]]:
    """For each failure that two sessions met: the sessions after the second, with what it cost there, 0 where it did
    not come."""
    met: dict[str, list[int]] = {}
    for n, run in enumerate(runs):
        marks = {mark for step in run.steps for mark in failed_with(step, run.cwd)}
        for mark in marks:
            met.setdefault(mark, []).append(n)
    found: dict[str, dict[int, float]] = {}
    for mark, where in met.items():
        if len(where) < 2:
            continue
        later = dict.fromkeys(range(where[1] + 1, len(runs)), 0.0)
        for n in set(where) & later.keys():
            later[n] = min(1.0, sum(each.loss for each in occurrences(runs[n], mark)))
        if later:
            found[mark] = later
    return found


def aa(project: str, losses: dict[str, dict[int, float]], toss: int) -> tuple[int, int, str, int]:
    """Lessons, those that were ever called, what was said of them together, and coins; of one toss."""
    key = f"{project} {toss}".encode()
    purses = {mark: Purse() for mark in losses}
    said: dict[str, str] = {}
    trials: list[Trial] = []
    for n in sorted({n for each in losses.values() for n in each}):
        here = [mark for mark in sorted(losses) if n in losses[mark]]
        for at in range(0, len(here), AT_ONCE):
            some = here[at : at + AT_ONCE]
            word = {mark: said.get(mark, NOT_YET_KNOWN) for mark in some}
            rates = {m: rate_for(own="", verdict=word[m], rate=RATE).value for m in some}
            for mark, coin in tossed(key, f"{n} {at}", rates).items():
                loss = losses[mark][n]
                outcome = OCCURRED if loss else NOT_OCCURRED
                trial = Trial(
                    f"{project} {n}",
                    mark,
                    mark,
                    coin.probability,
                    coin.arm,
                    outcome,
                    moment=str(at),
                    loss=loss or 1.0,
                )
                trials.append(trial)
                purses[mark].add(coin.probability, coin.arm == INJECTED, grade_of(trial) / GRADES)
                for side, claim in (("help", HELPS), ("harm", HARMS)):
                    if purses[mark].log_e(side) >= BAR:
                        said.setdefault(mark, claim)
    return len(losses), len(said), pooled(trials).word, len(trials)


def wilson(n: int, of: int, z: float = 1.96) -> str:
    """A share with its 95 % interval."""
    p = n / of
    middle, half = p + z * z / (2 * of), z * ((p * (1 - p) + z * z / (4 * of)) / of) ** 0.5
    low, high = ((middle + sign * half) / (1 + z * z / of) for sign in (-1, 1))
    return f"{n} of {of} = {100 * p:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("data", type=Path)
    ask.add_argument("--tosses", type=int, default=20)
    given = ask.parse_args()
    sessions = lessons = called = claims = memories = coins = 0
    for project, runs in projects(given.data):
        losses = losses_of(runs)
        sessions += len(runs)
        if not losses:
            continue
        mine = [aa(project, losses, toss) for toss in range(given.tosses)]
        lessons += sum(each[0] for each in mine)
        called += sum(each[1] for each in mine)
        claims += sum(each[2] != NOT_YET_KNOWN for each in mine)
        coins += sum(each[3] for each in mine)
        memories += len(mine)
        print(f"{project}: {len(runs)} sessions, {len(losses)} lessons", flush=True)
    if not lessons:
        print("No failure came again in these sessions.")
        return 1
    print(f"\n{sessions} sessions, {given.tosses} tosses, {coins:,} coins.")
    print(f"False verdicts: {wilson(called, lessons)} lessons.")
    print(f"False claims about the lessons together: {wilson(claims, memories)} memories.")
    z, p = 1.96, called / lessons
    low = (p + z * z / (2 * lessons)) - z * ((p * (1 - p) + z * z / (4 * lessons)) / lessons) ** 0.5
    return int(low / (1 + z * z / lessons) > 0.05)


if __name__ == "__main__":
    sys.exit(main())
