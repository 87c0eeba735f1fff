"""Can whoever judges a session for the trial tell whether it was given the lesson? Scripted runs, half given and half withheld.

    python bench/effect_blind.py make FOLDER [--runs 200] [--seed N]     sheet.txt for a guesser, key.json apart from it
    python bench/effect_blind.py guess FOLDER                            a classifier of words, ten-fold cross-validation; and one that knows this script
    python bench/effect_blind.py score FOLDER ANSWERS                    what a reader of the sheet answered: a line `number g|w` each

Each run is written as Claude Code writes it, read by the product's own format and rendered as the reader gets it for the question about remembered
lessons: notes between fences taken out, lines of the agent that hand a remembered lesson back masked. Every run is told some of the other lessons, so that
notes as such say nothing. What the problem does is the same in both arms (a world without an effect): all that can tell the arm is what leaks. Agents
that were told quote the note, name its id, paraphrase it in fewer and fewer words, say that a note said so, or say nothing; those that were not come upon the same thing by
themselves as often as agents do. Bound: the arm is told in at most 60 of 100.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from tacit import formats  # noqa: E402
from tacit.formats.source import FileSource  # noqa: E402
from tacit.learn.reader.render import page_text, rendered, without  # noqa: E402
from tacit.testing import Clock  # noqa: E402

BOUND = 0.60
# id, the lesson, the call that meets it, its failure, the cure, and how a told agent might put it in its own words.
LESSONS = (
    (
        "q7hm2k9x4d1b",
        "Run `make migrate` before `make check`; otherwise the database has no relation `orders`.",
        "make check",
        'psycopg.errors.UndefinedTable: relation "orders" does not exist',
        "make migrate",
        "Migrating first, since make check needs the orders relation",
    ),
    (
        "b3xw8f6p0n5c",
        "Start the tests with `bun run test`, not with `npm test`, which does not know the path aliases.",
        "npm test",
        "Error: Cannot find module '@/lib/money'",
        "bun run test",
        "I use bun for the tests because npm cannot resolve the aliases",
    ),
    (
        "k1vz5r2j9t8m",
        "Generate the client with `task proto` after a change to a .proto file, before compiling.",
        "go build ./...",
        "undefined: pb.NewLedgerClient",
        "task proto",
        "The protobuf client has to be regenerated before the build",
    ),
    (
        "w6ds0y4h7g3q",
        "Set `TZ=UTC` when running the report tests; in local time the ledger closes a day late.",
        "pytest -q tests/reports",
        "AssertionError: assert '2026-03-31' == '2026-04-01'",
        "TZ=UTC pytest -q tests/reports",
        "Report tests need UTC, otherwise dates shift by a day",
    ),
    (
        "n9cp4b1t6x2k",
        "Use `gh api graphql` for review threads; `gh pr view --json reviewThreads` is an unknown field.",
        "gh pr view --json reviewThreads",
        'Unknown JSON field: "reviewThreads"',
        "gh api graphql -f query=@threads.graphql",
        "Review threads come from the GraphQL API, gh pr view does not have them",
    ),
    (
        "z2mj8s5k3w7v",
        "Format with `ruff format src` before committing: the hook rejects what is not formatted.",
        "git commit -m 'Mend totals'",
        "ruff format....Failed - hook id: ruff-format",
        "ruff format src",
        "Formatting before the commit so that the hook passes",
    ),
)
# Freer ways of handing a note back, written after the rules of masking and never used to make them.
FREER = {
    "q7hm2k9x4d1b": (
        "Good to know that the schema is not there yet; I take care of that before anything else.",
        "I bring the database up to date first this time.",
        "Known trap here: the tables.",
        "Before the check I make sure that the schema is current.",
    ),
    "b3xw8f6p0n5c": (
        "npm is the wrong runner in this repository, so bun it is.",
        "The alias problem is a known one; I avoid npm.",
        "Going with bun right away.",
        "I was told that npm trips over the imports, so I skip it.",
    ),
    "k1vz5r2j9t8m": (
        "Code generation comes before the compiler here.",
        "I regenerate the stubs up front, to be safe.",
        "The generated code may be stale, which is a known trap.",
        "First the generator, then the build.",
    ),
    "w6ds0y4h7g3q": (
        "Time zones have caused trouble with this suite before, so I pin mine.",
        "These dates depend on the machine; I set the zone explicitly.",
        "I know that this suite is sensitive to local time.",
        "UTC, to be on the safe side.",
    ),
    "n9cp4b1t6x2k": (
        "The view command has no such field, so I ask GraphQL directly.",
        "I skip gh pr view this time.",
        "Threads need the other API, as is known here.",
        "GraphQL is the way for threads.",
    ),
    "z2mj8s5k3w7v": (
        "The pre-commit hook is strict about style, so I tidy up before.",
        "I format now to save a round trip.",
        "A clean format spares me the rejected commit.",
        "Style first, then the commit.",
    ),
}
# how an agent puts what it came upon by itself
ALONE = (
    "The Makefile says so: {}",
    "From the README: {}",
    "Reading the config, I see why: {}",
    "Hm. {}",
    "{}",
)
TASKS = (
    "the totals of invoices are off by a cent",
    "add a filter by tenant to the list of orders",
    "the nightly export stops at the first empty row",
    "show the refund date beside the amount",
    "the search forgets the page when one goes back",
    "rename the field `due` to `due_on` everywhere",
)
SAYS = (
    "I look at the code first.",
    "The change is small; two files are concerned.",
    "Now the tests.",
    "That was the cause: the sum was rounded twice.",
    "Done; the checks pass.",
    "I read the module and its callers.",
    "Next I adapt the test.",
    "The remaining call sites look fine.",
)
Row = dict[str, Any]


class Session:
    """A transcript that grows line by line."""

    def __init__(self, id: str) -> None:
        self.id, self.rows, self.clock = id, list[Row](), Clock()

    def add(self, **row: Any) -> None:
        self.rows.append(
            {
                **row,
                "uuid": f"{self.id}-{len(self.rows)}",
                "sessionId": self.id,
                "timestamp": self.clock.advance(7),
                "version": "2.1.325",
                "entrypoint": "cli",
                "cwd": "/w",
            }
        )

    def typed(self, text: str) -> None:
        self.add(
            type="user",
            permissionMode="default",
            promptSource="typed",
            message={"role": "user", "content": text},
        )

    def says(self, text: str) -> None:
        self.add(
            type="assistant",
            message={
                "id": f"m{len(self.rows)}",
                "role": "assistant",
                "content": [{"type": "text", "text": text}],
            },
        )

    def calls(self, command: str, error: str = "") -> None:
        at = f"t{len(self.rows)}"
        self.add(
            type="assistant",
            message={
                "id": f"m{at}",
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": at, "name": "Bash", "input": {"command": command}}
                ],
            },
        )
        told = f"Exit code 1\n{error}" if error else "ok"
        block = {"type": "tool_result", "tool_use_id": at, "content": told, "is_error": bool(error)}
        self.add(
            type="user",
            message={"role": "user", "content": [block]},
            toolUseResult=f"Error: {told}" if error else {"stdout": told},
        )

    def told(self, ids: list[str]) -> None:
        lines = [f"- [{id}] {text} (seen 3x, observed)" for id, text, *_ in LESSONS if id in ids]
        note = "\n".join(
            [
                '<tacit-notes id="x1">',
                "Notes from past runs of this project: records, not instructions.",
                *lines,
                '</tacit-notes id="x1">',
            ]
        )
        self.add(
            type="attachment",
            attachment={
                "type": "hook_additional_context",
                "hookName": "SessionStart",
                "content": [note],
            },
        )


def lived(number: int, dice: random.Random) -> tuple[Session, int, bool]:
    """One session, the lesson that it is asked about, and whether it was given."""
    asked, given = dice.randrange(len(LESSONS)), dice.random() < 0.5
    others = [n for n in range(len(LESSONS)) if n != asked]
    ids = [LESSONS[n][0] for n in others if dice.random() < 0.6] + (
        [LESSONS[asked][0]] if given else []
    )
    session = Session(f"run-{number}")
    if ids:
        session.told(ids)
    session.typed(dice.choice(TASKS))
    session.says(dice.choice(SAYS))
    busy = [*dice.sample(others, 2), asked]
    dice.shuffle(busy)
    for n in busy:
        id, text, call, error, cure, own = LESSONS[n]
        if id in ids:
            echo(session, id, text, own, dice)
        elif (
            dice.random() < 0.15
        ):  # it comes upon it by itself: it stands in a file, or the agent knows the tool
            session.says(dice.choice(ALONE).format(dice.choice((f"{own}.", *FREER[id]))))
        session.calls(f"cat src/part{dice.randrange(9)}.py")
        if dice.random() < 0.5:
            session.calls(call, error)
            if dice.random() < 0.7:
                session.calls(cure)
                session.calls(call)
        elif dice.random() < 0.5:
            session.calls(cure)
            session.calls(call)
        session.says(dice.choice(SAYS))
    session.typed(dice.choice(("thanks", "ok, commit it", "why is that?", "good")))
    session.says(dice.choice(SAYS))
    return session, asked, given


def echo(session: Session, id: str, text: str, own: str, dice: random.Random) -> None:
    """How an agent hands a note back, if at all."""
    if dice.random() < 0.6:
        session.says(dice.choice(forms(id, text, own)))
    if dice.random() < 0.1:
        session.calls(f"tacit show {id}")


def forms(id: str, text: str, own: str) -> tuple[str, ...]:
    """Every way of it: word for word, in its own words, by its id, in the first few words, freely."""
    plain, words = text.replace("`", ""), own.split()
    return (
        *FREER[id],
        f"From the notes: {plain}",
        f"As the project notes say, {plain[0].lower()}{plain[1:]}",
        f"{own}.",
        f"According to my notes: {own[0].lower()}{own[1:]}.",
        f"Noted [{id}].",
        f"I keep in mind: {' '.join(plain.split()[:6])}.",
        f"{' '.join(words[:4])}.",
    )


def shown(session: Session, folder: str) -> str:
    """The record as it stands in the question about remembered lessons."""
    path = Path(folder) / f"{session.id}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in session.rows))
    [run] = formats.read(FileSource(str(path)))
    return page_text(without(rendered(run), [text for _, text, *_ in LESSONS]).lines)


def make(folder: Path, runs: int, seed: int) -> None:
    dice = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    key, sheet = {}, list[str]()
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(1, runs + 1):
            session, asked, given = lived(number, dice)
            key[str(number)] = {
                "asked": asked,
                "given": given,
                "record": (record := shown(session, scratch)),
            }
            sheet.append(f"== {number} · was it given: {LESSONS[asked][1]}\n{record}\n")
    (folder / "key.json").write_text(json.dumps(key))
    (folder / "sheet.txt").write_text("\n".join(sheet))
    print(f"{runs} runs, {sum(row['given'] for row in key.values())} given: {folder}/sheet.txt")


def features(record: str, asked: int) -> Counter[str]:
    """Words, pairs of words with their letter, and both once more beside the lesson that is asked about."""
    found: Counter[str] = Counter()
    for line in record.splitlines():
        _, letter, *rest = line.split(" ", 2)
        told = re.findall(r"[\w./=-]+", rest[0].lower()) if rest else []
        for each in (*told, *(f"{a} {b}" for a, b in pairwise(told))):
            found[f"{letter} {each}"] = 1
            found[f"{asked} {letter} {each}"] = 1
    return found


def guess(folder: Path) -> float:
    """Naive Bayes over presence, ten folds; ties and unseen words say nothing."""
    key = json.loads((folder / "key.json").read_text())
    rows = [(features(row["record"], row["asked"]), row["given"]) for row in key.values()]
    right = 0
    for fold in range(10):
        train = [row for n, row in enumerate(rows) if n % 10 != fold]
        seen = {
            arm: Counter(name for found, given in train if given is arm for name in found)
            for arm in (True, False)
        }
        count = {arm: sum(given is arm for _, given in train) for arm in (True, False)}
        for found, given in (row for n, row in enumerate(rows) if n % 10 == fold):
            odds = log(count[True] / count[False])
            for name in found:
                if seen[True][name] + seen[False][name] >= 3:
                    odds += log((seen[True][name] + 0.5) / (count[True] + 1)) - log(
                        (seen[False][name] + 0.5) / (count[False] + 1)
                    )
            right += (odds > 0) is given
    informed = by_heart(list(key.values()))
    print(
        f"classifier of words, ten folds: the arm of {right} of {len(rows)} runs told ({right / len(rows):.0%}); bound {BOUND:.0%}"
    )
    print(
        f"one that knows this script by heart: {informed} of {len(rows)} ({informed / len(rows):.0%}); bound {BOUND:.0%}"
    )
    return max(right, informed) / len(rows)


def by_heart(rows: list[Row]) -> int:
    """Right guesses of one that knows every way in which an agent here hands a note back, and looks for gaps in the numbers before a lesson's calls.

    Where nothing shows, it may choose the better answer afterwards: an upper bound.
    """
    shows = [(_gives_away(row["record"], row["asked"]), row["given"]) for row in rows]
    rest = [given for shown, given in shows if not shown]
    return sum(given for shown, given in shows if shown) + max(sum(rest), len(rest) - sum(rest))


def _gives_away(record: str, asked: int) -> bool:
    id, text, call, _, cure, own = LESSONS[asked]
    lines = [line.split(" ", 2) for line in record.splitlines()]
    said = [words for _, letter, words in lines if letter == "A"]
    if any(each in said for each in forms(id, text, own)) or any(
        id in words for *_, words in lines
    ):
        return True
    gaps = [at for at in range(1, len(lines)) if int(lines[at][0]) > int(lines[at - 1][0]) + 1]
    return any(words in (call, cure) for at in gaps for _, _, words in lines[at : at + 3])


def score(folder: Path, answers: Path) -> float:
    key = json.loads((folder / "key.json").read_text())
    said = dict(line.split()[:2] for line in answers.read_text().splitlines() if line.strip())
    right = sum(
        (said.get(number, "") == "g") is row["given"]
        for number, row in key.items()
        if number in said
    )
    print(
        f"reader of the sheet: the arm of {right} of {len(said)} runs told ({right / len(said):.0%}); bound {BOUND:.0%}"
    )
    return right / len(said)


def main() -> int:
    ask = argparse.ArgumentParser(description="Does the reader's rendering tell the arm?")
    ask.add_argument("step", choices=["make", "guess", "score"])
    ask.add_argument("folder", type=Path)
    ask.add_argument("answers", type=Path, nargs="?")
    ask.add_argument("--runs", type=int, default=200)
    ask.add_argument("--seed", type=int, default=20261116)
    given = ask.parse_args()
    if given.step == "make":
        make(given.folder, given.runs, given.seed)
        return 0
    share = guess(given.folder) if given.step == "guess" else score(given.folder, given.answers)
    return 0 if share <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
