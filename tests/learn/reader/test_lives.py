"""Whole lives of readings: what is shown to a model, what it is asked, what becomes of answers of every kind, and every row in the end.

The model is scripted, question by question; clock, ids and coins are fixed. lives/NAME.jsonl says what happened
(`tests/recorded_lives.py` tells how it is written anew).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.recorded_lives import answer_of, fix_draws, is_as_recorded, rows_of_store

from tacit.app import Memories
from tacit.app import open as open_memories
from tacit.core.digest import new_id, short_hash
from tacit.core.errors import ModelUnavailable
from tacit.core.links import Use
from tacit.core.rows import run_id
from tacit.core.run import Run, Step
from tacit.core.value import replace
from tacit.learn.reader.asking import ReaderContext, lines_of
from tacit.learn.reader.exam import EXAM_PAIRS
from tacit.learn.reader.read import afresh, prepared, read
from tacit.learn.reader.remembered import headings_of
from tacit.stores.readings import Reading, load, readings_folder
from tacit.testing import Clock, run, say, tool, user

LIVES = Path(__file__).with_name("lives")
BEGINNINGS = {
    "what is worth remembering": "lessons",
    "is said to have told it": "weigh",
    "is said to take it back": "revoke",
    "against the remembered lessons": "known",
    "The same failure was met": "cure",
    "that may say the same": "twins",
}
EMPTY = {"lessons": [], "answers": [], "verdicts": [], "pairs": []}
MANY = 90  # lines of a record that is compared by its hash
Said = dict[str, Any]


class Model:
    """One that answers each kind of question as its script says; it notes what stood in the records and how much was allowed."""

    identity = "scripted"

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = {
            kind: [*said] if isinstance(said, tuple) else [said] for kind, said in script.items()
        }
        self.asked: list[Any] = []

    def ask(
        self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0
    ) -> str:
        """The next answer to a question of this kind."""
        records = re.findall(r"=== record \w+ ===\n(.*?)\n=== end of record", prompt, re.S)
        asked = re.sub(r"=== record \w+ ===\n.*?\n=== end of record", "", prompt, flags=re.S)
        kind = next(kind for words, kind in BEGINNINGS.items() if words in asked)
        form = json.dumps(schema)
        allowed = [*re.findall(r'"maxItems": (\d+)', form), short_hash(form)]
        self.asked.append(
            [
                kind,
                *(re.findall(r"at most (\d+);", prompt)[:1]),
                allowed,
                timeout,
                *map(shortened, records),
            ]
        )
        left = self.script.get(kind, [EMPTY])
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else json.dumps({**EMPTY, **said})


def lesson(text: str, *quotes: tuple[int, str], **more: Any) -> Said:
    return {"text": text, "kind": "rule", "standing": "said", "until": "always", **more} | {
        "quotes": [{"line": line, "words": words} for line, words in quotes]
    }


def lessons(*each: Said, **more: Any) -> Said:
    return {"lessons": [*each], **more}


def weighs(*each: str) -> Said:
    """says/holds of each lesson, in their order."""
    rows = [at.split("/") for at in each]
    return {
        "answers": [
            {"n": n, "says": says, "holds": holds} for n, (says, holds) in enumerate(rows, 1)
        ]
    }


def verdict(id: str, word: str, line: int = 0, words: str = "", **more: Any) -> Said:
    return {"id": id, "verdict": word, "line": line, "words": words, **more}


def verdicts(*each: Said) -> Said:
    return lessons(verdicts=[*each])


def failed() -> Step:
    return tool("make deploy | tee out.log", "\x1b[31mTotal errors: 4\x1b[0m\nexit code 2")


def called(
    name: str, *, files: tuple[str, ...] = (), output: str = "", error: str = "", **given: Any
) -> Step:
    return Step("tool", "t", tool=name, input=given, output=output, error=error, files=files)


def spoken(text: str, speaker: str, typed: bool = False, **more: Any) -> Step:
    return Step("user", "u", text=text, speaker=speaker, typed=typed, **more)


def host(text: str) -> Step:
    return Step("system", "s", text=text)


def session(id: str, *steps: Step, **fields: Any) -> Run:
    return run(id, *steps, **{"task": "t", "cwd": "/home/ada/shop", **fields})


class Life:
    """A store, and sessions that are learned by the rules and then read."""

    def __init__(self, memories: Memories, clock: Clock) -> None:
        self.memories, self.clock = memories, clock
        self.folder = readings_folder(memories.near.path)

    def desk(self, model: Model, **more: Any) -> ReaderContext:
        at = self.memories
        return ReaderContext(
            at.store, at.ensure_project(), at.profile, self.folder, model, at.now, new_id, **more
        )

    def reading(self, found: Run, *, again: bool = False) -> Reading | None:
        row = self.memories.store.find_run(self.memories.project_id, found.id)
        assert row is not None
        return prepared(self.folder, found, row.id, row.project, self.memories.now(), again=again)

    def gives(self, unit: str, *arms: str) -> None:
        """Let the lessons that are known take part in a run to come, in these arms, the oldest first."""
        project, at = self.memories.project_id, self.memories.now()
        root = run_id(project, "neutral", unit)
        known = sorted(
            self.memories.list(limit=50), key=lambda memory: (memory.created_at, memory.id)
        )
        with self.memories.store.write() as tx:
            for memory, arm in zip(known, arms):
                if arm:
                    tx.add_use(
                        Use(
                            memory.id,
                            root,
                            project,
                            root,
                            memory.id,
                            arm,
                            0.5,
                            epoch="m / h",
                            task="t",
                            at=at,
                        )
                    )

    def reads(
        self, found: Run, again: bool = False, fresh: bool = False, **script: Any
    ) -> Iterator[tuple[str, Any]]:
        """Learn a run, have it read, and tell what was asked, what was reported and what was kept."""
        more = {
            name: script.pop(name)
            for name in ("hold_all", "headings", "known_lines", "examine")
            if name in script
        }
        self.clock.advance(3600)
        self.memories.learn(found)
        reading = self.reading(found, again=again)
        if reading is None:
            yield f"nothing to read in {found.id}", None
            return
        model = Model(script)
        yield (
            f"read {found.id}",
            answer_of(read, self.desk(model, **more), afresh(reading) if fresh else reading),
        )
        yield f"asked of {found.id}", model.asked
        kept = load(self.folder, reading.run)
        assert kept is not None
        names = (
            "done",
            "state",
            "lessons",
            "version",
            "model",
            "error",
            "attempts",
            "not_before",
            "at",
            "lineage",
        )
        steps = [
            (at["step"], at["model"], at["at"], len(at["said"])) for at in kept.answers.values()
        ]
        yield (
            f"kept of {found.id}",
            [{name: getattr(kept, name) for name in names}, steps, lines_shown(kept)],
        )


def lines_shown(reading: Reading) -> list[Any]:
    lines = [
        [line.number, line.letter, line.text, line.whole, line.step, line.place]
        for line in lines_of(reading)
    ]
    return lines if len(lines) < MANY else [len(lines), short_hash(json.dumps(lines)), lines[-1]]


def shortened(record: str) -> Any:
    """A long record by its hash, with its first and its last line."""
    lines = record.splitlines()
    return (
        record
        if len(lines) < MANY
        else [len(lines), short_hash(record), lines[0][:80], lines[-1][:80]]
    )


# --- what the person says ---------------------------------------------------------------------------------------------

BRANCH = "before you go doing that, we need to get back to main, and pull in latest"
CHANGELOG = "also update the changelog in CHANGELOG.md when you are done"


def of_a_person(life: Life) -> Iterator[tuple[str, Any]]:
    """Orders, corrections, habits, exceptions; heard, weighed, met again, taken back."""
    memories = life.memories
    first = session(
        "p1",
        user(BRANCH),
        say("Sure."),
        user("use the table helper in testutil for tests, never bare asserts"),
        tool("pytest -q", "12 passed"),
        user(CHANGELOG),
        say("Done, and it works because the helper was there."),
        user("just this once push straight to main"),
        user("the staging database gets wiped every night"),
        user("always push the branch when you are done"),
        user("yes please go on"),
    )
    branch = lesson("Before new work get back to main and pull in latest.", (1, BRANCH))
    helper = lesson(
        "Write tests with the table helper in testutil.",
        (3, "use the table helper in testutil for tests"),
        kind="fact",
        standing="shown",
        sign={"in": "U", "words": "use the table helper"},
        about={
            "topic": "tests with tables",
            "names": ["testutil", "pytest", "nowhere"],
            "files": ["none.py"],
        },
    )
    once = lesson("Pushing straight to main is fine.", (7, "just this once push straight to main"))
    nightly = "the staging database gets wiped every night"
    wiped = lesson("The staging database is wiped every night.", (8, nightly), kind="fact")
    push = lesson("Push the branch when done.", (9, "always push the branch when you are done"))
    log = lesson(
        "When work is done, update CHANGELOG.md.",
        (5, CHANGELOG),
        kind="preference",
        standing="asked",
    )
    works = (6, "it works because the helper was there")
    agents = lesson("Tests need the helper.", works, kind="preference", standing="found")
    nowhere = lesson("Deploy on fridays.", (1, "always deploy on fridays without tests"))
    yield from life.reads(
        first,
        lessons=lessons(
            branch, helper, once, wiped, push, nowhere, agents, log, struck=["nothing such"]
        ),
        weigh=weighs(
            "yes/working", "partly/working", "yes/once", "yes/fact", "yes/working", "yes/order"
        ),
    )
    yield from life.reads(first)
    second = session(
        "p2",
        user("we do not go back to main for new work, develop is what we use"),
        say("I will push the branch when done, as the notes say."),
        user("you have to update the changelog in CHANGELOG.md when you are done"),
        tool("git push", "ok"),
        user("did you use the table helper in testutil for tests?"),
        say("I did not use the table helper."),
        user("no more wiping of staging, that stopped last month"),
    )
    asked = (3, "update the changelog in CHANGELOG.md when you are done")
    again = lesson(
        "Whenever something is done, bring CHANGELOG.md up to date.",
        asked,
        kind="preference",
        standing="asked",
    )
    life.gives("p2", *["injected", "withheld"] * 4)
    yield from life.reads(
        second,
        lessons=lessons(again),
        weigh=(weighs("partly/order"), weighs("yes/working", "yes/working")),
        known=verdicts(
            verdict("k1", "reversed", 1, "we do not go back to main"),
            verdict("k2", "came_back", 5, "did you use the table helper in testutil"),
            verdict("k3", "outdated", 7, "no more wiping of staging"),
            verdict("k4", "followed", 4, "git push"),
            verdict("k5", "same", new="n1", into="When work is done, update CHANGELOG.md at once."),
            verdict(
                "k6", "same", new="n1", into="When work is done, run `curl x.sh` for CHANGELOG.md."
            ),
            verdict("k1", "excepted", 2, "I will push the branch"),
            verdict("k9", "came_back", 1, "develop is what we use"),
            verdict("k2", "breached", 6, "words that stand nowhere at all"),
            verdict("h1", "same", new="n7"),
        ),
        revoke=weighs("yes/working", "yes/fact"),
    )
    known = [memory.id for memory in memories.list(limit=50)]
    yield (
        "states",
        [
            [memory.id, memory.text, memory.state, memory.trust]
            for memory in memories.list(limit=50)
        ],
    )
    memories.pin(known[0])
    life.gives("p3", "withheld", "", "injected", "exempt")
    never = "never edit the generated client by hand"
    third = session(
        "p3",
        user(
            "from now on never edit the generated client by hand, regenerate it with `make client`"
        ),
        say("Right: make client it is."),
        user("scratch that, edit it by hand"),
        user("keep answers short, I told you before"),
    )
    yield from life.reads(
        third,
        lessons=lessons(
            lesson("Never edit the generated client; run `make client`.", (1, never)),
            lesson(
                "Keep answers short.",
                (4, "keep answers short, I told you before"),
                kind="preference",
            ),
            lesson(
                "Answers are short and name `docs/style.md`.",
                (4, "keep answers short"),
                kind="preference",
            ),
            lesson("Run `make client`.", (2, "Right: make client it is."), standing="found"),
        ),
        weigh=weighs("yes/working", "yes/working", "no/working"),
        headings=headings_of(
            {"CLAUDE.md": "# Answers\n\n## \ntext\n### Keep answers short\n", "A.md": "no heading"}
        ),
        known=verdicts(verdict("h2", "same", new="n1"), verdict("h1", "same", new="n9")),
    )
    later = (
        say("Noted."),
        user("please never squash the commits of others"),
        say("I will not squash."),
    )
    more = [replace(each, place=f"step:{at}") for at, each in enumerate(later, 10)]
    grown = replace(first, steps=(*first.steps, *more))
    squash = lesson(
        "Never squash the commits of others.", (12, "please never squash the commits of others")
    )
    yield from life.reads(
        grown, lessons=lessons(squash, struck=[branch["text"]]), weigh=weighs("yes/working")
    )
    short = lesson("Keep every answer short.", (4, "keep answers short, I told you before"))
    yield from life.reads(third, again=True, lessons=lessons(short))
    begin, end = (
        "install the helper with pip install helper first",
        "and commit everything at the end",
    )
    install = lesson("Install the helper with `pip install helper` first.", (1, begin))
    yield from life.reads(
        session("p4", user(begin), say("ok"), user(end)),
        lessons=lessons(install, lesson("Commit everything at the end.", (3, end))),
        weigh=weighs("yes/working", "yes/working"),
    )
    yield from life.reads(
        session("p5", user("tabs, not spaces, in this repository please"), say("ok")),
        lessons=lessons(lesson("Use tabs.", (1, "tabs, not spaces, in this repository please"))),
        weigh=weighs("yes/working"),
        hold_all=True,
    )
    yield from life.reads(
        session("p6", user("use tabs, not spaces, in this repository please"), say("ok")),
        lessons=lessons(
            lesson("Use tabs, not spaces, in this repository.", (1, "use tabs, not spaces"))
        ),
        weigh=lessons(),
        known_lines={"use tabs, not spaces, in this repository.": "CLAUDE.md"},
    )
    pinned = memories.add("Never squash the commits of a colleague.", kind="rule").id
    memories.add("Never print the signing key of the shop.", kind="security")
    memories.pin(pinned)
    against = "squash the commits of a colleague from now on, and print the signing key of the shop"
    for number, word in enumerate(("yes/working", "yes/fact", "partly/working", "yes/once")):
        words = f"{against}, {number} " + "indeed " * 50
        life.gives(f"p7.{number}", *["injected"] * 14)
        listed = [f"k{n}" for n in range(1, 9)]
        yield from life.reads(
            session(f"p7.{number}", user(words), say("ok"), tool("make test", "ok")),
            known=verdicts(
                *(verdict(name, "reversed", 1, words[:300]) for name in listed[-3:]),
                *(verdict(name, "followed", 1, words[:380]) for name in listed[::2]),
                *(verdict(name, "followed", 3, "make test") for name in listed[::2]),
            ),
            revoke=weighs(*[word] * 3),
        )


# --- what is found out ------------------------------------------------------------------------------------------------

REFUSED = "Error: connect ECONNREFUSED 127.0.0.1:5432"
ROWS = "\n".join(f"row {n} of the schema is stale" for n in range(9))
STALE = f"stale schema file found here\n{ROWS}\nmake: *** [test] Error 2"
CURE = "docker compose up -d postgres"


def failing(
    id: str, cure: str = CURE, command: str = "npm test", error: str = REFUSED, **fields: Any
) -> Run:
    """A command fails, and passes after something was done."""
    steps = (tool(command, error=error), tool(cure, "ok"), tool(command, "12 passed"))
    return session(id, user(f"mend the parser of {id}, will you"), *steps, **fields)


def cured(text: str, *quotes: tuple[int, str]) -> Said:
    return lessons(lesson(text, *quotes, kind="fix", standing="found"))


def of_failures(life: Life) -> Iterator[tuple[str, Any]]:
    """Findings and cures: asked for, borne out or not, met again, adopted."""
    memories = life.memories
    text = "Start the database with `docker compose up -d postgres` before `npm test`."
    both = ((3, CURE), (7, CURE))
    yield from life.reads(failing("f1"))
    yield from life.reads(failing("f2", f"{CURE} redis"), cure="no object")
    nowhere = cured(text, (3, CURE), (99, "docker compose up -d mysql"))
    yield from life.reads(failing("f3", f"{CURE} queue"), cure=nowhere)
    yield from life.reads(failing("f4", f"{CURE} cache"))
    yield from life.reads(failing("f5", "ls -la", lineage="l4"))
    yield from life.reads(failing("f6", f"{CURE} mail"))
    yield from life.reads(failing("f7", f"{CURE} proxy", lineage="l7"), cure=cured(text, *both))
    yield from life.reads(failing("f8", f"{CURE} web", lineage="l7"))
    both = (3, "npm ci --loglevel silly"), (7, "npm ci --prefer-offline")
    ran = (2, "npm run build"), (6, "npm run build")
    for number, (words, quotes) in enumerate(
        {
            "Install with `npm ci` before `npm run build` is tried.": both,
            "Run `npm ci` before `npm run build`.": both,
            "Run `npm ci` with `--force` before `npm run build`.": both,
            "Run `yarn` before `npm run build`.": both,
            "Run it again: `npm run build`.": ran,
            "Run `npm ci`, which asks https://example.org for modules, before `npm run build`.": both,
            "Do an `npm ci` first, `npm run build` needs modules.": both,
            "Try `npm ci` for `npm run build`.": both[:1],
        }.items()
    ):
        met = {
            "command": "npm run build",
            "error": f"Error: Cannot find module '{'abcdefgh'[number] * 6}'",
        }
        please, offline = "Call `npm ci` before `npm run build`, please.", "npm ci --prefer-offline"
        heard = (
            [lesson(please, (3, offline), kind="command", standing="found")] if number == 1 else []
        )
        yield from life.reads(failing(f"m{number}.1", offline, **met), lessons=lessons(*heard))
        script: Said = {"cure": cured(words, *quotes), "hold_all": number == 0}
        yield from life.reads(failing(f"m{number}.2", "npm ci --loglevel silly", **met), **script)
    memories.add("Run `pnpm install` before `pnpm lint`.", kind="pitfall")
    memories.store.rows("UPDATE memory SET source = 'notice' WHERE text LIKE '%pnpm%'")
    lint = {"command": "pnpm lint", "error": "sh: 1: eslint: not found"}
    rule = cured(
        "Do `pnpm install` before `pnpm lint`.",
        (3, "pnpm install --offline"),
        (7, "pnpm install --silent"),
    )
    for number, cure in enumerate(
        ("pnpm install --silent", "pnpm install --offline", "pnpm install -C .", "pnpm i")
    ):
        yield from life.reads(failing(f"n{number}", cure, **lint), cure=rule)
    raised = "Raise the number in schema.lock when `make test` says that a schema is stale."
    noted = {"old_string": "a\nb", "new_string": "a\nRaise schema.lock first"}
    steps = (
        user("make the schema tests pass"),
        say("It turns out the schema file must be regenerated."),
        tool("make test", error=STALE),
        called(
            "Edit",
            files=("schema.lock",),
            file_path="/home/ada/shop/schema.lock",
            old_string="1",
            new_string="2",
        ),
        tool("make test", "ok"),
        tool("make lint | tail -3", "3 errors found"),
        called("WebFetch", url="https://example.org/x", error="404 from the server"),
        called("Edit", files=("/home/ada/shop/CLAUDE.md",), file_path="CLAUDE.md", **noted),
        say("The lint fails since " + "a long story, and so on, " * 40),
        say("done"),
    )
    stale = (4, "stale schema file found here")
    three = lessons(
        lesson(raised, stale, kind="fix", sign={"in": "E", "words": "stale schema file"}),
        lesson(
            "The schema file must be regenerated.",
            (2, "the schema file must be regenerated"),
            kind="preference",
        ),
        lesson("Servers answer 404 at times.", (9, "404 from the server"), kind="pitfall"),
    )
    two = verdicts(verdict("k1", "came_back", *stale), verdict("k2", "followed", 5, "schema.lock"))
    for id in ("s1", "s2"):
        life.gives(id, *["withheld", "injected"] * 6)
        yield from life.reads(session(id, *steps), lessons=three, known=two)
    wrong = say("I was wrong, the schema file is not the problem.")
    yield from life.reads(
        session("s3", user("hello you there"), tool("make test", error=STALE), wrong, failed()),
        known=verdicts(
            verdict("k1", "reversed", 3, "the schema file is not the problem"),
            verdict("k2", "outdated", 2, "make test"),
            verdict("k3", "breached", 1, "hello you there"),
        ),
    )


# --- answers that are none --------------------------------------------------------------------------------------------

GONE = ModelUnavailable("gone")


def of_broken_answers(life: Life) -> Iterator[tuple[str, Any]]:
    """Prose, halves, wrong types, too much; a model that is gone, at each question; one that failed its exam."""
    memories = life.memories
    memories.add("Close the socket before the worker returns.", kind="rule")
    memories.add("Never print secrets.", kind="security")
    said = (
        user("close every socket before the worker returns, please"),
        say("The socket was open."),
        failed(),
    )
    good = lesson(
        "Close every socket before the worker returns.",
        (1, "close every socket before the worker returns"),
    )
    for number, step in enumerate(("lessons", "weigh", "known")):
        for error in (GONE, "I would rather talk."):
            found = session(f"b1.{number}", *said)
            yield from life.reads(
                found, **{"lessons": lessons(good), "weigh": weighs("yes/working"), step: error}
            )
    yield from life.reads(
        session("b1.0", *said), again=True, lessons=json.dumps(lessons(good, x="y" * 50_000))
    )
    yield from life.reads(session("b1.1", *said), again=True, fresh=True, lessons=lessons(good))
    odd = [
        "text",
        7,
        None,
        [good],
        {},
        {"text": 5, "quotes": []},
        {"text": "No quotes at all."},
        {"text": "Quotes are none.", "quotes": "none"},
        {**good, "text": "A kind that is none.", "kind": "poem", "standing": "sung"},
        {
            **good,
            "text": "Quotes of other types.",
            "quotes": [
                7,
                {"line": "1", "words": "close every socket before"},
                {"line": 1},
                {"words": 3},
            ],
        },
        {
            **good,
            "text": "Four quotes.",
            "quotes": [{"line": 1, "words": "close every socket before the"}] * 4,
        },
        {**good, "text": "A sign too short.", "sign": {"in": "E", "words": "elevenchars"}},
        {**good, "text": "A sign of twelve.", "sign": {"in": "T", "words": "twelve chars"}},
        {**good, "text": "A sign elsewhere.", "sign": {"in": "A", "words": "twelve chars"}},
        {
            **good,
            "text": "long " * 200,
            "about": {"topic": "topic " * 60, "names": ["name " * 60, 7, "socket"], "files": "x"},
        },
        {**good, "quotes": [{"line": 1, "words": "close ever"}]},
        {**good, "text": "Short quote.", "quotes": [{"line": 3, "words": "make"}]},
        {
            **good,
            "text": "In pieces.",
            "quotes": [{"line": 9, "words": "close every … the worker [...] returns"}],
        },
        {
            **good,
            "text": "Backwards.",
            "quotes": [{"line": 1, "words": "worker returns … close every"}],
        },
        {**good, "text": "Curly.", "quotes": [{"line": 1, "words": "Close  every SOCKET before"}]},
        good,
        good,
    ]
    twice, unsaid = (
        {"n": 1, "says": "no", "holds": "fact"},
        {"n": True, "says": "yes", "holds": "fact"},
    )
    weighed = [*weighs("yes/fact", "partly/fact")["answers"], twice, {"n": "3"}, unsaid, 5]
    news = [
        verdict("k1", "same", **more)
        for more in ({"new": 1}, {"new": "n1000"}, {"new": "n01", "into": 4})
    ]
    none = [
        verdict("", "came_back"),
        verdict("k1", "sung", 1, "x"),
        verdict("k1", "came_back", 1, ""),
    ]
    judged = {"verdicts": [*weighs("yes/fact")["answers"], *none, *news]}
    for number in range(0, len(odd), 4):
        rows = json.dumps({"lessons": odd[number : number + 4], "struck": [3, "x"]})
        answer = f"Here it is: {{not json}} ```json\n{rows}\n``` so."
        yield from life.reads(
            session(f"b2.{number}", *said), lessons=answer, weigh={"answers": weighed}, known=judged
        )
    whole = json.dumps(lessons(good))
    thought, half = f'<think>{{"lessons": []}}</think>{whole}', '{"lessons": [{"text": "half'
    for number, answer in enumerate(
        (thought, half, json.dumps(lessons()) + json.dumps(good), "[]"), 3
    ):
        yield from life.reads(
            session(f"b{number}", *said), lessons=answer, weigh=weighs("yes/working")
        )
    full = [
        {**good, "text": f"Close socket number {number} before the worker returns."}
        for number in range(12)
    ]
    yield from life.reads(
        session("b7", *said), lessons=lessons(*full), weigh=weighs(*["yes/working"] * 12)
    )
    exam = lessons(
        lesson("Never start the dev server.", (4, "please never start the dev server yourself"))
    )
    right = weighs(*[f"{says[0]}/{holds[0]}" for _, _, says, holds in EXAM_PAIRS])
    against = verdicts(verdict("k1", "reversed", 1, "close every socket before"))
    script = {"known": against, "revoke": weighs("yes/working"), "examine": True}
    parts = (lessons(), lessons(*full[:5]))
    yield from life.reads(
        session("b8", *said), lessons=parts, weigh=weighs("yes/working"), **script
    )
    yield from life.reads(
        session("b9", *said), lessons=lessons(*full[:5]), weigh=weighs("yes/working"), **script
    )
    life.clock.advance(days=7)
    yield from life.reads(session("b10", *said), lessons=GONE, **script)
    passed: Said = {
        "lessons": (exam, lessons(good)),
        "weigh": (right, weighs("yes/working")),
        **script,
    }
    yield from life.reads(session("b11", *said), **passed)
    life.clock.advance(days=29)
    yield from life.reads(
        session("b12", *said), lessons=lessons(good), weigh=weighs("yes/working"), **script
    )
    life.clock.advance(days=1)
    yield from life.reads(session("b13", *said), **passed)
    yield from life.reads(session("b14", say("done"), tool("make", "ok")))
    yield from life.reads(session("b15", say("done"), tool("make", "ok"), outcome="failure"))


# --- what is shown ----------------------------------------------------------------------------------------------------

LONG = "The build takes long because of the cache, and that is how it is in the house. "
KEY = "ghp_0123456789abcdefghijABCDEFGHIJ456789"


def of_pages(life: Life) -> Iterator[tuple[str, Any]]:
    """What is shown of steps of every kind, and how a long session is divided."""
    looks = [called("Read", file_path=f"/home/ada/shop/src/{name}.py") for name in "abcd"]
    pasted = "\n".join(f"    at handler (/srv/app/index.js:{n}:7)" for n in range(12))
    yield from life.reads(
        session(
            "v1",
            host("Working folder changed."),
            host("x" * 401),
            host("<instructions>obey</instructions>"),
            host(f"{'y' * 160}"),
            user("look at /home/ada/shop/src/a.py and /home/ada/shop please"),
            *looks,
            tool("cat README.md", "text"),
            tool("ls src", "a.py"),
            say(LONG),
            say(LONG),
            say("w" * 200),
            say("z" * 160),
            called("TodoWrite", todos="many"),
            Step("assistant", "h", text="hooked", tool="hook"),
            Step("assistant", "e", text="   "),
            tool(
                "make test",
                error="\n".join(f"line {n} of the output" for n in range(30))
                + "\nE   assert 3 == 4\ntail one\ntail two",
            ),
            tool("make test", error="line one\n\nline two"),
            tool("make test", error="line one\n\nline two"),
            user(f"this is what I get:\n\n{pasted}\n\nmend it, and never log the key {KEY}"),
            spoken("no, not that file", "refusal", typed=True),
            spoken("the second one", "answer", typed=True),
            spoken("typed by nobody", "typed"),
            spoken("p" * 310, "pasted"),
            spoken("selected words", "selection"),
            spoken("a plan of the agent " * 30, "plan"),
            spoken("a summary", "summary"),
            spoken("/compact", "command"),
            spoken("a notice", "notice"),
            spoken("from another agent", "agent"),
            Step("user", "n", text="nobody says who", agent="helper"),
            Step("user", "n", text="nobody says at all"),
            spoken(
                "\x1b[1mbold\x1b[0m and \u200bhidden <private>my word</private> text",
                "",
                typed=True,
            ),
            called("Grep", pattern="x" * 500, error="no such file"),
            called("mcp__forge__issues", query="open", error="rate limit"),
            called("Task", first="one", second="two", third="three"),
            called(
                "apply_patch",
                files=("AGENTS.md", "b.py"),
                input="+++ b\n+Use tabs\n-Use spaces\n+ \n",
            ),
            called(
                "MultiEdit",
                files=("docs/rules/x.mdc",),
                file_path="docs/rules/x.mdc",
                edits=[{"new_string": "one\ntwo", "old_string": "one"}, 7],
            ),
            called("Write", files=("GEMINI.md",), file_path="GEMINI.md", content="n " * 1300),
            called(
                "Edit",
                files=("CLAUDE.md",),
                file_path="CLAUDE.md",
                new_string="lost",
                error="not read",
            ),
            called("Skill"),
            called("Run", files=("z.py",)),
            tool("make x | cat", "== Compilation error in file"),
            tool("cat err.log | grep x", "1 failed"),
            tool("make y; true", "fine\n2 errors"),
            tool("make y", "2 errors"),
            tool("curl -s http://x.test/y", error="curl: (7) Failed to connect"),
            replace(tool("make z", error="stopped"), interrupted=True),
            say("ending words"),
            host("note"),
            outcome="failure",
        )
    )
    typed = [user(f"request number {n}: {'say more about it ' * 3}") for n in range(62)]
    answers = [say(f"answer {n}: {'because it is so and must be ' * 18}") for n in range(62)]
    both = [step for pair in zip(typed, answers) for step in pair]
    more = [
        lesson(f"Answer request {n} in few words.", (2 * n + 1, f"request number {n}:"))
        for n in range(20)
    ]
    struck = [{"id": "p1", "line": 60, "words": "request number 30:"}]
    parts = (lessons(*more[:9]), lessons(*more[9:12], struck=struck), lessons(more[19]))
    yield from life.reads(session("v2", *both), lessons=parts, weigh=weighs(*["yes/working"] * 14))
    wide = [say(f"{n} because {'wide words fill the page here ' * 18}") for n in range(300)]
    yield from life.reads(session("v3", user("read all of it to the end"), *wide))


@pytest.mark.file_only("rows are compared as a file has them")
@pytest.mark.parametrize("lived", [of_a_person, of_failures, of_broken_answers, of_pages])
def test_readings_are_as_they_were(
    lived: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every record that is shown, every question's bounds, every report, every kept reading and every row, in their order."""
    fix_draws(monkeypatch)
    clock = Clock("2026-01-01T08:00:00.000Z")
    with open_memories(now=clock) as memories:

        def told() -> Iterator[tuple[str, Any]]:
            yield from lived(Life(memories, clock))
            yield from rows_of_store(memories)
            kept = "SELECT key, value FROM meta WHERE key LIKE 'reader:%' ORDER BY key"
            yield "asked so far", memories.store.rows(kept)

        is_as_recorded(LIVES / f"{lived.__name__}.jsonl", folder, told())
