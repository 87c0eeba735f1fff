"""ArcheFlow: skills/memory/SKILL.md, first and second edition, item by item."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from book import Item, Place, chapter, differs

from tacit.core import clock

SCRIPT = Path(__file__).parents[3] / "examples" / "archeflow-memory.sh"
EXAMPLES = [
    '{"id":"m-001","ts":"2026-04-03T14:00:00Z","run_id":"2026-04-03-der-huster","type":"pattern","source":"guardian","description":"Timeline references must match story start day","frequency":2,"severity":"bug","domain":"writing","tags":["continuity","timeline"],"last_seen_run":"2026-04-03-der-huster","runs_since_last_seen":0}',
    '{"id":"m-002","ts":"2026-04-03T15:00:00Z","run_id":"2026-04-03-der-huster","type":"preference","source":"user_feedback","description":"User prefers single bundled PR over many small ones","frequency":1,"severity":"info","domain":"general","tags":["workflow"],"last_seen_run":"","runs_since_last_seen":0}',
    '{"id":"m-003","ts":"2026-04-04T10:00:00Z","run_id":"2026-04-04-auth-fix","type":"archetype_hint","source":"sage","description":"Voice drift most common in long monologue passages","frequency":3,"severity":"warning","domain":"writing","tags":["voice","prose"],"archetype":"story-sage","last_seen_run":"2026-04-04-auth-fix","runs_since_last_seen":0}',
    '{"id":"m-004","ts":"2026-04-04T11:00:00Z","run_id":"2026-04-04-auth-fix","type":"anti_pattern","source":"maker","description":"Splitting auth middleware into per-route handlers causes duplication","frequency":1,"severity":"warning","domain":"code","tags":["auth","middleware"],"last_seen_run":"2026-04-04-auth-fix","runs_since_last_seen":0}',
]
NULLS = "Missing null checks in API response handlers"
TWICE = "Twice met, then never again anywhere"
FIXED = ("fix.applied", {"source": "guardian", "finding": NULLS, "file": "a.py"})


def finding(text: str, severity: str = "WARNING", **fields: Any) -> dict[str, Any]:
    return {
        "location": "src/a.py:1",
        "severity": severity,
        "category": "quality",
        "description": text,
        **fields,
    }


def events(
    run: str, found: dict[str, list[dict[str, Any]]], *more: tuple[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """A run's events: who found what, and what else happened."""
    told: list[tuple[str, str | None, dict[str, Any]]] = [
        ("run.start", None, {"task": "Improve it", "domain": "code"})
    ]
    for who, findings in found.items():
        told.append(
            ("review.verdict", who, {"archetype": who, "verdict": "changes", "findings": findings})
        )
    told += [(kind, "maker", data) for kind, data in more]
    told += [("run.complete", None, {"status": "completed"})]
    times = [clock.now() if run == "r9" else f"2026-05-04T10:{n:02d}:00Z" for n in range(len(told))]
    names = ("ts", "run_id", "seq", "type", "agent", "data")
    return [dict(zip(names, (times[n], run, n, *event))) for n, event in enumerate(told)]


def log(
    at: Place, run: str, found: dict[str, list[dict[str, Any]]], *more: tuple[str, dict[str, Any]]
) -> str:
    return str(at.write(f".archeflow/events/{run}.jsonl", events(run, found, *more)))


def learn(
    at: Place, run: str, *found: dict[str, Any], more: tuple[tuple[str, dict[str, Any]], ...] = ()
) -> None:
    at.memories.learn(log(at, run, {"guardian": list(found)}, *more), domain="code")
    at.memories.tend(run=run, only="sweep")


def lesson(text: str, frequency: int = 2, **fields: Any) -> dict[str, Any]:
    base = {
        "description": text,
        "frequency": frequency,
        "domain": "code",
        "tags": [],
        "archetype": None,
    }
    return {**json.loads(EXAMPLES[0]), **base, **fields}


def lessons(at: Place, words: str = "") -> list[Any]:
    return [row for row in at.rows("archeflow") if words in row["description"]]


def bring(at: Place, *lessons: dict[str, Any]) -> None:
    rows = [
        {**each, "id": f"m-{n:03d}"} if each["id"] == "m-001" else each
        for n, each in enumerate(lessons, 1)
    ]
    at.memories.import_(
        str(at.write(".archeflow/memory/lessons.jsonl", rows)), format="archeflow", trust="user"
    )


def given(at: Place, domain: str = "code", agent: str = "", run: str = "") -> list[str]:
    told = at.memories.inject(domain=domain, agent=agent, run=run, repeat=True).markdown
    return [line[2:] for line in told.splitlines() if line.startswith("- ")]


@chapter("archeflow", "Storage")
def storage(at: Place) -> Iterator[Item]:
    folder = at.write(".archeflow/memory/lessons.jsonl", "\n".join(EXAMPLES) + "\n").parent
    at.cli("data", "import", str(folder), "--trust", "user")
    code, _, _ = at.cli("data", "export", "--format", "archeflow", "--out", str(at.folder / "out"))
    out = at.folder / "out" / "lessons.jsonl"
    rows = out.read_text("utf-8").splitlines()
    yield "lessons.jsonl, one JSON line a lesson, in and out", code == 0 and len(rows) == 4
    yield "the document's four rows go in and out byte for byte", rows == EXAMPLES
    at.memories.forget("m-004")
    yield "archive.jsonl", [row["id"] for row in at.rows("archeflow", "archive")] == ["m-004"]
    at.memories.inject(domain="writing", run="r-9")
    yield "audit.jsonl", [row["run_id"] for row in at.rows("archeflow", "audit")] == ["r-9"]
    kept = len(at.memories.log()) >= 5
    yield differs(
        "append-only: nothing is lost, decay preserves all data", kept, "The file is an export"
    )


@chapter("archeflow", "Lesson types")
def types(at: Place) -> Iterator[Item]:
    drift = "Sage misses voice drift in long monologue passages"
    shadow = (
        "shadow.detected",
        {"archetype": "sage", "shadow": "voice drift", "description": drift},
    )
    broken = (
        "wiggum.break",
        {"reason": "Splitting the auth middleware into per-route handlers was tried and failed"},
    )
    hint = finding("Sage catches voice drift in monologues", type="archetype_hint")
    learn(at, "r1", finding(NULLS), hint, more=(shadow, broken))
    at.memories.add("User prefers single bundled PR over many small ones", kind="preference")
    at.memories.add("Global state in tests breaks them at random", kind="anti_pattern")
    kinds = [row["type"] for row in at.rows("archeflow")]
    yield "pattern, auto-detected", "pattern" in kinds
    yield "preference, by hand", "preference" in kinds
    hints = [row for row in lessons(at) if row["type"] == "archetype_hint" and row["archetype"]]
    yield "archetype_hint, auto-detected, for its archetype", hints != []
    yield "anti_pattern, by hand and auto", kinds.count("anti_pattern") >= 2


@chapter("archeflow", "Lesson fields")
def fields(at: Place) -> Iterator[Item]:
    learn(at, "r1", finding(NULLS, "CRITICAL", category="security"))
    first = at.rows("archeflow")[0]
    at.memories.add("User prefers single bundled PR")
    ids = [row["id"] for row in at.rows("archeflow")]
    yield "id: m-NNN, monotonically increasing", ids == ["m-001", "m-002"]
    at.memories.forget("m-002")
    at.memories.add("Answer in German")
    again = lessons(at)[-1]["id"] == "m-003"
    yield differs(
        "a number is not used again after its lesson left", again, "Numbers are never used again"
    )
    learn(at, "r2", finding("null checks missing in API handlers", category="security"))
    second = at.rows("archeflow")[0]
    yield (
        "ts: created, or rewritten when it was met again",
        second["ts"] >= first["ts"] and len(second["ts"]) == 20,
    )
    yield "run_id: the run that made it", second["run_id"] == "r1"
    sources = (first["source"], lessons(at)[-1]["source"])
    yield "source: archetype or user_feedback", sources == ("guardian", "user_feedback")
    whole = {"description": NULLS, "frequency": 2, "domain": "code", "archetype": None}
    for name, value in {**whole, "last_seen_run": "r2", "runs_since_last_seen": 0}.items():
        yield f"{name}", second[name] == value
    yield (
        "tags: keywords for matching",
        second["tags"] == ["missing", "null", "checks", "response", "handlers"],
    )
    own = (at.memories.get("m-001").severity, first["severity"]) == ("bug", "critical")
    yield differs(
        "severity: bug, warning, info or recommendation", own, "Its reviewers' own severities"
    )
    bad = [
        '{"id":"m-050","description":"half a row"',
        "not json",
        json.dumps(lesson("A good row", id="m-060")),
    ]
    bad.append('{"id":"m-061","description":"odd","frequency":"many"}')
    report = at.memories.import_(
        str(at.write("odd.jsonl", "\n".join(bad) + "\n")), format="archeflow", trust="user"
    )[0]
    held = (
        report.skipped >= 2 and len(report.kept) >= 1 and all(each.place for each in report.faults)
    )
    yield "odd or broken rows are named with their line, the rest is kept", held


@chapter("archeflow", "Auto-Detection")
def detection(at: Place) -> Iterator[Item]:
    path = log(
        at,
        "r1",
        {"guardian": [finding(NULLS)], "sage": [finding("Names of the tests say nothing")]},
    )
    code, _, _ = at.cli("learn", path, "--format", "archeflow", "--domain", "code")
    yield "extraction is one command after run.complete", code == 0
    yield (
        "all review.verdict events are read",
        {row["source"] for row in at.rows("archeflow")} == {"guardian", "sage"},
    )
    before = at.rows("archeflow")[0]
    learn(at, "r2", finding("NULL-checks: missing in (API) handlers!"))
    row = at.rows("archeflow")[0]
    yield "keywords: lower case, punctuation stripped, description and tags", row["frequency"] == 2
    learn(at, "r3", finding("Missing null colour depth"))
    yield "a match from 50 % overlap on", at.rows("archeflow")[0]["frequency"] == 3
    learn(at, "r4", finding("null checks"))
    short = lessons(at)[0]["frequency"] == 3
    why = "Two words are not half of a long text"
    yield differs("a finding of two words is measured against the longer text", short, why)
    worker = "Retry loops need a limit and backoff in the mail worker"
    bring(
        at,
        lesson("Retry loops need backoff in the queue worker", id="m-101"),
        lesson(worker, id="m-102"),
    )
    learn(at, "r5", finding(f"{worker} process"))
    counts = {row["id"]: row["frequency"] for row in at.rows("archeflow")}
    best = (counts["m-101"], counts["m-102"]) == (2, 3)
    yield differs("of several matches the best is taken", best, "The best match, not the first")
    learn(at, "r6", finding("Session cookie lacks the secure flag", category="security"))
    learn(at, "r7", finding("Session cookie lacks the secure flag", category="testing"))
    yield "same category needed; an unknown one blocks nothing", len(lessons(at, "cookie")) == 2
    yield "match: frequency + 1", row["frequency"] == before["frequency"] + 1
    yield "match: ts is now", row["ts"] >= before["ts"]
    yield "match: last_seen_run is this run", row["last_seen_run"] == "r2"
    yield "match: runs_since_last_seen is 0", row["runs_since_last_seen"] == 0


@chapter("archeflow", "Promotion")
def promotion(at: Place) -> Iterator[Item]:
    consider, maybe = (
        ("Consider a shorter name for this", "INFO"),
        ("Maybe add a comment here too", "recommendation"),
    )
    learn(at, "r1", finding("Dead code in the importer"), finding(*consider), finding(*maybe))
    counts = [row["frequency"] for row in lessons(at)]
    yield "no match and severity of WARNING or above: a candidate of frequency 1", counts == [1]
    yield "INFO and recommendation make no lesson", len(counts) == 1
    both = {"guardian": [finding(NULLS)], "sage": [finding("API handlers missing null checks")]}
    path = str(at.write("two.jsonl", events("r2", both)))
    at.memories.learn(path)
    again = at.memories.learn(path)[0]
    held = again.already and [row["frequency"] for row in lessons(at, "null")] == [1]
    why = "A run does not promote itself"
    yield differs("two reviewers of one run, and the same run again, are one sighting", held, why)
    yield "seen in one run only it stays at 1 and is not injected", given(at) == []
    learn(at, "r3", finding("Importer has dead code"))
    yield (
        "active from frequency 2, in the second run",
        given(at) == ["Dead code in the importer [seen 2x, guardian]"],
    )


@chapter("archeflow", "Injection")
def injection(at: Place) -> Iterator[Item]:
    bring(
        at,
        lesson("Code lesson of the queue", 3),
        lesson("Writing lesson of the plot", 2, domain="writing"),
        lesson("General lesson of the team", 4, domain="general"),
        lesson("Hint for the sage only", 2, archetype="sage", type="archetype_hint"),
        lesson("Once only, so far, in the parser", 1),
        lesson("Universal lesson of prose", 5, domain="writing"),
        lesson("Small pull requests please", 1, type="preference", domain="general"),
        lesson("Another code lesson in the cache", 3),
    )
    code, told = given(at), " ".join(given(at, "code", "guardian"))

    def has(words: str, *whose: str) -> bool:
        return any(words in line for line in (given(at, *whose) if whose else code))

    yield "domain: exact match or general", has("queue") and not has("plot") and has("team")
    own = has("sage") and "Hint for the sage" not in told and "queue" in told
    yield "archetype: an optional filter", own
    yield "only lessons of frequency 2 and more", not has("Once only")
    yield "preferences skip the threshold", has("Small pull requests")
    order = [int(line.split("[seen ")[1].split("x")[0]) for line in code]
    same = ("Code lesson of the queue", "Another code lesson in the cache")
    ties = [code.index(f"{name} [seen 3x, guardian]") for name in same]
    held = order == sorted(order, reverse=True) and ties[0] < ties[1]
    yield "sorted by frequency, ties in the file's order", held
    yield (
        "frequency of 5 and more: whatever domain and archetype",
        has("Universal", "code", "guardian"),
    )
    whole = at.memories.inject(domain="writing", repeat=True).markdown
    head = "## Known Issues (from past runs)\n- Universal lesson of prose [seen 5x, guardian]\n"
    yield "the heading and the line of the format", whole.startswith(head)
    bring(
        at,
        *(
            lesson(f"Lesson about subject{n} of area{n} in layer{n}", 2, id=f"m-2{n:02d}")
            for n in range(12)
        ),
    )
    yield "at most ten lessons", len(given(at)) == 10
    call = ("inject", "--domain", "code", "--run", "run-1")
    yield "before spawning: a call for the domain, for Explorer and Creator", bool(at.cli(*call)[1])
    first, second = (at.cli(*call, "--agent", who)[1] for who in ("guardian", "sage"))
    held = "Code lesson" in first and "Hint for the sage" in second
    yield "reviewers of the same run get their own lessons, by the call the how-to prints", held
    empty = at.another("empty")
    yield (
        "nothing to say: empty, and no error",
        empty.cli("inject", "--domain", "code")[:2] == (0, ""),
    )
    empty.close()


@chapter("archeflow", "Decay")
def decay(at: Place) -> Iterator[Item]:
    learn(at, "r0", finding(NULLS))
    seen = at.rows("archeflow")[0]["runs_since_last_seen"]
    path = at.write("quiet.jsonl", events("q0", {"guardian": []}))
    at.cli("learn", str(path), "--format", "archeflow")
    one = at.rows("archeflow")[0]["runs_since_last_seen"]
    yield "decay after each run.complete, inside learn, or by hand", one == 1
    yield "unseen: one more; seen in this run: none", seen == 0
    bring(
        at,
        lesson("A lesson that was met five times long ago", 5, id="m-205"),
        lesson(TWICE, 2, id="m-206"),
    )
    at.memories.add("User prefers single bundled PR")
    found = {}
    for number in range(1, 51):
        at.memories.tend(run=f"run-{number}", only="sweep")
        found[number] = {
            row["id"]: (row["frequency"], row["runs_since_last_seen"])
            for row in at.rows("archeflow")
        }
    ten = (found[9]["m-205"], found[10]["m-205"]) == ((5, 9), (4, 0))
    yield "at ten: frequency - 1 and the counter back to 0", ten
    gone = [row["id"] for row in at.rows("archeflow", "archive")]
    moved = "m-206" in gone and "m-206" not in found[20]
    yield "at frequency 0: moved to archive.jsonl and gone from lessons.jsonl", moved
    last = "m-205" in found[49] and "m-205" not in found[50]
    yield "seen 5 times it survives 50 runs: alive after 49, archived after 50", last
    stays = any(row["type"] == "preference" for row in lessons(at))
    yield differs("preferences do not fade", stays, "Preferences stay")
    learn(at, "r9", finding("Twice met, then never again, anywhere at all"))
    back = lessons(at, "Twice met")
    yield "archived by silence and met again: active with its history", len(back) == 1


@chapter("archeflow", "Manual management")
def commands(at: Place) -> Iterator[Item]:
    said = "User prefers single bundled PR over many small ones"
    at.cli("add", said)
    yield (
        "add: a preference of frequency 1, injected at once",
        given(at) == [f"{said} [seen 1x, user_feedback]"],
    )
    head, row = (line.split()[:4] for line in at.cli("list")[1].splitlines()[:2])
    held = (head, row) == (
        ["id", "freq", "kind", "domain"],
        ["m-001", "1", "preference", "general"],
    )
    yield "list: id, freq, type, domain, description", held
    at.cli("add", "Answer in German")
    code, _, _ = at.cli("origin", "forget", "m-002")
    gone = [row["id"] for row in at.rows("archeflow", "archive")]
    yield "forget ID: to the archive whatever its frequency", (code, gone) == (0, ["m-002"])
    learn(at, "r1", finding(NULLS))
    yield "a lesson has its number from birth on", at.memories.list()[0].alias == "m-003"
    yield "an unknown id is an error", at.cli("origin", "forget", "m-999")[0] == 3


@chapter("archeflow", "Integration points")
def script(at: Place) -> Iterator[Item]:
    able = shutil.which("jq") and shutil.which("bash")
    flow = at.another("flow")
    folder, runs = flow.folder, at.folder / "flow" / "flow.db"
    path = log(flow, "r1", {"guardian": [finding(NULLS)]}, FIXED)
    log(flow, "r2", {"sage": [finding("API handlers missing null checks")]})
    flow.write(
        ".archeflow/events/index.jsonl",
        [{"run_id": "r1", "status": "completed", "task": "t", "ts": ""}],
    )

    def sh(*args: str) -> tuple[int, str, str]:
        if not able:  # the original needs them too
            return 0, "", ""
        import os

        signed = f"{sys.executable} -m tacit --by ada --yes"
        given = {
            "cwd": folder,
            "env": {**os.environ, "TACIT": signed, "TACIT_STORE": str(runs)},
            "capture_output": True,
        }
        if not runs.exists():
            subprocess.run([*signed.split(), "init", "--like", "archeflow"], check=True, **given)
        done = subprocess.run([str(SCRIPT), *args], text=True, timeout=120, **given)
        return done.returncode, done.stdout, done.stderr

    yield "script: extract", "1 new candidates" in sh("extract", path)[2] or not able
    yield "script: add", sh("add", "preference", "Answer in German")[0] == 0
    told = sh("inject", "code", "", "--audit", "r3")[1]
    held = "Answer in German [seen 1x, user_feedback]" in told or not able
    yield "script: inject DOMAIN ARCHETYPE --audit RUN", held
    yield "script: decay", "Decay complete" in sh("decay")[2] or not able
    yield "script: list", "m-001" in sh("list")[1] or not able
    yield "script: forget", sh("forget", "m-002")[0] == 0
    yield "script: audit-check", sh("audit-check", "r3")[0] == 0
    yield "script: regression-check", sh("regression-check", "r2")[0] == 1 or not able


@chapter("archeflow", "Audit trail")
def audit(at: Place) -> Iterator[Item]:
    bring(at, lesson(NULLS, 3), lesson("Chart colours fail the contrast rule", 2))
    given(at, "code", "guardian", "r1")
    row = at.rows("archeflow", "audit")[0]
    found = (row["domain"], row["archetype"], row["lesson_count"], len(row["lessons_injected"]))
    yield (
        "inject with a run writes a row: domain, archetype, ids, count",
        found == ("code", "guardian", 2, 2),
    )
    path = log(at, "r1", {"guardian": [finding("null checks missing in API response handlers")]})
    at.memories.check(path)
    told = {each["lesson_id"]: each["effectiveness"] for each in at.rows("archeflow", "audit")[1:]}
    held = told == {"m-001": "ineffective", "m-002": "helpful"}
    yield "audit-check: no finding is helpful, a matching one ineffective, from 30 % on", held
    count = len(at.rows("archeflow", "audit"))
    at.memories.check(path)
    yield (
        "audit-check twice says the same and adds nothing",
        len(at.rows("archeflow", "audit")) == count,
    )
    at.write(
        ".archeflow/events/index.jsonl",
        [{"run_id": "r0", "status": "completed", "task": "t", "ts": ""}],
    )
    log(at, "r0", {}, FIXED)
    yield (
        "regression-check: a fix of the run before that came back",
        len(at.memories.regressions(path)) == 1,
    )


@chapter("archeflow", "Design principles")
def principles(at: Place) -> Iterator[Item]:
    yield "graceful: no file, no error, no block", at.cli("inject", "--domain", "code")[0] == 0
    cheap = at.memories.profile.match.matcher == "overlap"
    yield "cheap: keywords, no embedding, no service", cheap
    yield "bounded: ten lessons a prompt", at.memories.profile.budget.deep == 10
