"""joelclaw: skills/memory-system/SKILL.md, item by item."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from book import Item, Place, chapter, differs, time_at

from tacit.core import clock
from tacit.core.errors import Unavailable
from tacit.hosts.source import BytesSource
from tacit.origins.applied import echoed
from tacit.origins.joelclaw.triage import Suggested, by_rules, question
from tacit.origins.levels import level_for
from tacit.origins.likeness import choose_same
from tacit.origins.origin import stage
from tacit.origins.rewrite import reworded
from tacit.words.prepared import MatchSettings, prepare

FACT = "The gateway keeps its lock in /var/run/gateway.lock until the worker restarts"
ANSWER = """<observations><segment><narrative>Looked into the gateway.</narrative><facts>
- 🔴 [gate=allow confidence=0.92 category=jc:operations reason=durable_fix] Restarting the gateway clears the stuck lock file
- 🟡 [gate=hold confidence=0.5 reason=ambiguous] The deploy window might move to Thursday
- 🟢 [gate=discard confidence=0.8 reason=chatter] Thanks and talk to you tomorrow
</facts></segment></observations>"""


def submitted(
    text: str, category: str = "jc:operations", session: str = "s-1", **fields: Any
) -> bytes:
    data = {
        "observation": text,
        "category": category,
        "source": "pi-session",
        "session_id": session,
        **fields,
    }
    return json.dumps({"name": "memory/observation.submitted", "data": data}).encode()


def send(
    at: Place, text: str, category: str = "jc:operations", session: str = "s-1", **fields: Any
) -> Any:
    return at.memories.learn(
        BytesSource(submitted(text, category, session, **fields)), format="joelclaw"
    )[0]


def read(at: Place, text: str, name: str = "a.xml") -> Any:
    return at.memories.learn(BytesSource(text.encode(), name), format="joelclaw")[0]


def facts(at: Place, *lines: str, name: str = "a.xml") -> Any:
    told = "".join(f"- 🟡 {line}\n" for line in lines)
    return read(
        at,
        f"<observations><segment><narrative></narrative><facts>\n{told}</facts></segment></observations>",
        name,
    )


def texts(at: Place) -> set[str]:
    return {each.text for each in at.memories.list(limit=100)}


def document(id: str, text: str, days: float = 0, **fields: Any) -> dict[str, Any]:
    made = clock.seconds(clock.now()) - days * clock.DAY
    return {
        "id": id,
        "session_id": "s-1",
        "source": "pi",
        "timestamp": int(made),
        "updated_at": clock.stamp(made),
        "observation": text,
        "observation_type": "segment_fact",
        "embedding": [0.1, 0.2],
        "write_verdict": "allow",
        "write_confidence": 0.9,
        "write_reason": "durable",
        "write_gate_version": "v1",
        "write_gate_fallback": False,
        "category_id": "jc:operations",
        "category_confidence": 0.8,
        "category_source": "llm",
        "taxonomy_version": "v1",
        "merged_count": 1,
        "recall_count": 0,
        "retrieval_priority": 0.0,
        "stale": False,
        "stale_tagged_at": "",
        "superseded_by": "",
        "supersedes": [],
        "last_used_at": "",
        **fields,
    }


def keep(at: Place, *documents: dict[str, Any]) -> Any:
    raw = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in documents).encode()
    return at.memories.import_(
        BytesSource(raw, "memory_observations.jsonl"), format="joelclaw", trust="user"
    )[0]


class Model:
    """Says what it is told to, and remembers what it was asked."""

    identity = "scripted"

    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, list[str]()

    def ask(self, prompt: str, *, schema: Any = None, timeout: float = 60.0) -> str:
        self.asked.append(prompt)
        said = self.answer(prompt) if callable(self.answer) else self.answer
        if isinstance(said, Exception):
            raise said
        return str(said)


def with_model(at: Place, model: Model | None) -> None:
    at.memories.model = lambda step: model  # type: ignore[method-assign]


@chapter("joelclaw", "Canonical flow")
def flow(at: Place) -> Iterator[Item]:
    read(at, ANSWER)
    read(at, "- 🔴 Never restart the worker during a payout run\n", "b.md")
    send(at, FACT)
    yield (
        "sessions → observe: the observer's XML, lines with marks, JSON events",
        len(texts(at)) >= 4,
    )
    reads = "read" in at.memories.profile.model.steps
    yield "observe by a model: the reader is asked about each session", reads
    asked = "next month" in question([Suggested("p", "Patterns", FACT)], ["Patterns"])
    yield "the guiding filter, true and useful next month, in what models are asked", asked


@chapter("joelclaw", "Write gate")
def gate(at: Place) -> Iterator[Item]:
    read(at, ANSWER)
    kept, held = (
        "Restarting the gateway clears the stuck lock file",
        "The deploy window might move to Thursday",
    )
    found = {
        hit.memory.text
        for hit in at.memories.recall("gateway lock file deploy window Thursday").hits
    }
    yield "allow: kept and recalled", kept in found
    more = {
        hit.memory.text
        for hit in at.memories.recall("deploy window move Thursday", include_held=True).hits
    }
    yield (
        "hold: kept, not recalled unless asked for",
        held in texts(at) and held not in found and held in more,
    )
    yield "discard: not kept", not any("talk to you tomorrow" in text for text in texts(at))
    count = len(texts(at))
    facts(at, "ok then")
    yield "under 12 characters: discarded", len(texts(at)) == count
    facts(at, "<toolCall><name>bash</name><arguments>ls</arguments></toolCall>", name="b.xml")
    yield "raw tool traces: discarded", len(texts(at)) == count
    facts(at, "Replace the second paragraph with a shorter one", name="c.xml")
    yield "replace X with Y: discarded", len(texts(at)) == count
    send(at, "cd /srv/app\ngit pull --rebase\nnpm ci")
    send(at, "```bash\nrm -rf build\n```")
    yield "command dumps, plain and fenced: discarded", len(texts(at)) == count
    facts(
        at,
        "&lt;id&gt;toolu_01ABC&lt;/id&gt; The payout import needs the columns parameter",
        name="d.xml",
    )
    kept = "The payout import needs the columns parameter" in texts(at)
    yield "an encoded tool id goes, the fact behind it stays", kept
    count = len(texts(at))
    facts(
        at,
        "The user asked me to look at the logs today",
        "I discovered that the logs are long",
        name="e.xml",
    )
    yield (
        "a transcript is no observation: 'the user asked me to', 'I discovered that'",
        len(texts(at)) == count,
    )
    send(at, "ADR-0082 makes Typesense the only vector store")
    send(at, "Payouts are slower than anybody would like them to be")
    sure = {
        each.text[:3]: (each.extra or {}).get("write_confidence")
        for each in at.memories.list(limit=50)
    }
    held = (sure["ADR"], sure["Pay"]) == (0.65, 0.35)
    yield "ADR ids, paths and commands bias to allow: they make an observation surer", held
    facts(at, "[gate=maybe] The cache is warmed at seven in the morning", name="f.xml")
    (odd,) = [
        each.extra or {} for each in at.memories.list(limit=50) if "warmed at seven" in each.text
    ]
    held = odd["write_gate_fallback"] is True and odd["write_confidence"] == 0.35
    yield "an annotation that cannot be parsed: write_gate_fallback", held
    other = at.another("rate")
    for n in range(30):
        facts(other, f"Fact number {n} of area{n} without any annotation at all", name=f"n{n}.xml")
    alarms = other.memories.alarms(other.memories.statistics("2000-01-01T00:00:00.000Z"))
    yield (
        "a high fallback rate raises an alarm",
        any("could not be judged" in each for each in map(str, alarms)),
    )
    other.close()
    good = at.another("good")
    for n in range(30):
        send(good, f"Fact number {n} of area{n} in /srv/area{n}.conf", session=f"s-{n}")
    quiet = good.memories.alarms(good.memories.statistics("2000-01-01T00:00:00.000Z"))
    yield (
        "submitted observations are no fallbacks",
        not any("could not be judged" in each for each in map(str, quiet)),
    )
    good.close()


@chapter("joelclaw", "Vector store schema")
def schema(at: Place) -> Iterator[Item]:
    came = document("0b7e1b9e-1111-4222-8333-444455556666", FACT)
    keep(at, came)
    line = at.memories.export("joelclaw").splitlines()[0]
    out = json.loads(line)
    for name in (
        "id",
        "session_id",
        "source",
        "timestamp",
        "updated_at",
        "observation",
        "observation_type",
        "write_verdict",
        "write_confidence",
        "write_reason",
        "write_gate_version",
        "write_gate_fallback",
        "category_id",
        "category_confidence",
        "category_source",
        "taxonomy_version",
        "merged_count",
        "recall_count",
        "retrieval_priority",
        "stale",
        "stale_tagged_at",
        "superseded_by",
        "supersedes",
        "last_used_at",
    ):
        yield f"field {name}", out[name] == came[name]
    yield "field embedding: goes out as it came", out["embedding"] == came["embedding"]
    held = (
        line == json.dumps(came, ensure_ascii=False, separators=(",", ":"))
        or json.loads(line) == came
    )
    yield "documents go in and out byte for byte", held
    own = os.path.isfile(at.memories.store.path)
    yield differs(
        "the Typesense collection memory_observations", own, "SQLite instead of Typesense"
    )


@chapter("joelclaw", "Category taxonomy")
def taxonomy(at: Place) -> Iterator[Item]:
    said = {
        "jc:preferences": "Joel likes a calm tone and prefers terse commits",
        "jc:rules-conventions": "Hard rule: migrations must always be reversible",
        "jc:system-architecture": "The topology follows the pattern of the design",
        "jc:operations": "Restart the worker after each deploy of the gateway",
        "jc:memory-system": "Typesense recall counts an echo and a fizzle",
        "jc:projects": "The epic ships in the second milestone of the roadmap",
        "jc:people-relationships": "Meeting with the new contact by email",
    }
    facts(at, *(f"[gate=allow] {text}" for text in said.values()))
    filed = {each.text: each.category for each in at.memories.list(limit=50)}
    for name, text in said.items():
        yield f"{name}", filed.get(text) == name
    facts(
        at,
        "[gate=allow category=ops] The roadmap of the project is a milestone of epics",
        name="b.xml",
    )
    named = {
        each.category for each in at.memories.list(limit=50) if "milestone of epics" in each.text
    }
    yield "a named category or alias wins, else the keywords", named == {"jc:operations"}
    words = ("Bring a ruler to the workshop on Monday", "Fizzle and echo are words of it")
    facts(at, *(f"[gate=allow] {text}" for text in words), name="c.xml")
    filed = {
        each.text: (each.extra or {})["category_source"] for each in at.memories.list(limit=50)
    }
    held = [filed[text] for text in words] == ["fallback", "rules"]
    yield "the keyword lists are whole, and words are not found inside others", held


@chapter("joelclaw", "Retrieval pipeline")
def retrieval(at: Place) -> Iterator[Item]:
    profile = at.memories.profile
    jobs = [f"The import job number{n} reads the ledger of region{n}" for n in range(20)]
    ids = [f"00000000-0000-4000-8000-0000000000{n:02d}" for n in range(20)]
    keep(
        at,
        *(document(id, text, days=0 if n else 30) for n, (id, text) in enumerate(zip(ids, jobs))),
    )
    asks, balanced = (
        "why does the ledger import stall so often",
        level_for(profile, "balanced", "x"),
    )
    better, slow = Model("ledger import region stall"), Model(Unavailable("too slow"))
    told = reworded(asks, profile.query, balanced, lambda: better)
    held = (
        "ledger import region stall" in (told.words, told.question)
        and at.memories.model("rewrite") is None
    )
    yield "query rewrite by a fast model, where one is named", held
    held = profile.query.rewrite_timeout_s == 6.0 and len(at.memories.recall(asks).hits) > 0
    held = held and reworded(asks, profile.query, balanced, lambda: slow).question == asks
    yield "a hard timeout, and fail-open to the question itself", held
    better.asked.clear()
    lean = reworded(asks, profile.query, level_for(profile, "lean", "x"), lambda: better)
    yield "no rewrite in lean", (lean.question, better.asked) == (asks, [])
    hits = at.memories.recall("import job number0 ledger region0", limit=1).hits
    (old,) = [hit for hit in hits if "number0" in hit.memory.text]
    product = old.parts["raw"] * old.parts["decay"] * old.parts["use"]
    held = abs(old.parts["decay"] - 0.7408) < 0.01 and abs(old.score - product) < 1e-6
    yield "final = raw × exp(-0.01 × days)", held
    told = at.cli("recall", "import job number0 ledger region0", "--explain", "--limit", "1")[1]
    yield "--explain shows the product as one", "decay" in told and " + decay" not in told
    with time_at(clock.now()):
        tape = "The very old archive tape of the billing robot"
        keep(at, document("00000000-0000-4000-8000-0000000000aa", tape, days=100))
        at.memories.tend(only="sweep")
        plain = at.memories.recall("archive tape billing robot").hits
        stale = at.memories.recall("archive tape billing robot", include_stale=True).hits
    yield (
        "stale ones get less, and are dropped unless asked for",
        plain == () and stale[0].parts["stale"] == 0.5,
    )
    deep = at.memories.inject("import job ledger region", budget="deep").injected
    yield "results are capped before injection", len(deep) == 10
    yield (
        "budget lean: 2-3",
        len(at.memories.recall("import job ledger region", budget="lean").hits) in (2, 3),
    )
    yield (
        "budget balanced: 5-7, the default",
        len(at.memories.recall("import job ledger region").hits) in (5, 6, 7),
    )
    auto = [
        level_for(profile, "auto", text).applied
        for text in ("ledger region", "why does the import stall")
    ]
    yield "budget auto: by the question's complexity", auto == ["balanced", "deep"]
    yield (
        "budget deep: 10-15",
        len(at.memories.recall("import job ledger region", budget=" Deep ").hits) == 10,
    )
    yield (
        "--limit",
        at.cli("recall", "import job ledger region", "--limit", "4", "--raw")[1].count("\n") == 4,
    )
    yield (
        "--category",
        at.cli("recall", "ledger", "--category", "jc:memory-system", "--raw")[1] == "",
    )
    raw = at.cli("recall", "import job number3 region3", "--limit", "1", "--raw")[1]
    yield "--raw", raw.startswith("The import job")
    yield "--include-held", at.cli("recall", "ledger", "--include-held", "--raw")[0] == 0


@chapter("joelclaw", "Reflection cycle")
def reflection(at: Place) -> Iterator[Item]:
    line = (
        "- (2025-11-02) **Retries** — the queue retries three times, then parks the job in `dead/`"
    )
    at.write("MEMORY.md", f"# Memory\n\nKept by hand.\n\n## Patterns\n{line}\n")
    at.memories.import_(str(at.folder / "MEMORY.md"), trust="user")
    at.memories.keep_page("MEMORY.md")
    at.memories.page()
    good = [
        "ADR-0082 makes Typesense the only vector store",
        FACT,
        "`pnpm -r build` fails without packages/sdk/dist",
    ]
    for text in good:
        send(at, text, "jc:system-architecture" if "ADR" in text else "jc:operations")
    send(at, "Joel prefers one bundled pull request over many", "jc:preferences")
    send(at, "Payouts take longer at the end of a quarter", "jc:operations")
    done = at.memories.tend()
    page = (at.folder / "MEMORY.md").read_text("utf-8")
    yield (
        "observe → reflect → propose: an allowed observation is proposed",
        len(done.of("triage").proposals) == 5,
    )
    yield (
        "tier 1 auto-promote: dated, concrete, without an opinion",
        all(text in page for text in good),
    )

    def judged(text: str, page: tuple[str, ...] = (), waiting: tuple[Suggested, ...] = ()) -> Any:
        return by_rules(Suggested("a", "Patterns", text), page, waiting)

    rejected = [judged("Add entries for the new gateway").action, judged(FACT, (FACT,)).action] == [
        "reject"
    ] * 2
    yield "tier 1 auto-reject: an editor's instruction, a leaked bullet, a duplicate", rejected
    both = judged(f"{FACT} again", (), (Suggested("b", "Patterns", FACT),))
    yield (
        "tier 1 auto-merge: the longer of two stays",
        both.action == "merge" and both.merge_with == "b",
    )
    other = at.another("two")
    other.memories.keep_page("MEMORY.md")
    model = Model(
        lambda prompt: (
            json.dumps(
                {
                    "decisions": [
                        {
                            "id": row["id"],
                            "action": "promote",
                            "entry": row["text"],
                            "section": row["section"],
                            "reason": "so",
                        }
                        for row in json.loads(prompt[prompt.rindex("\n\n[") :])
                    ]
                }
            )
            if "suggested for a page" in prompt
            else "{}"
        )
    )
    with_model(other, model)
    send(other, "Payouts take longer at the end of a quarter")
    send(other, "Reports of the quarter list payouts by region")
    other.memories.tend()
    once = sum("suggested for a page" in each for each in model.asked) == 1
    held = once and "Payouts take longer" in (other.folder / "MEMORY.md").read_text("utf-8")
    yield "tier 2: a model, in batches, for what rules leave open", held
    other.close()
    proposed = [each for each in at.memories.proposals() if each.kind == "page" and each.memory]
    waiting = {at.memories.get(each.memory).text: each.id for each in proposed}
    at.memories.review(waiting["Joel prefers one bundled pull request over many"], "approve")
    at.memories.review(waiting["Payouts take longer at the end of a quarter"], "reject")
    at.memories.tend()
    after = (at.folder / "MEMORY.md").read_text("utf-8")
    held = "one bundled pull request" in after and "Payouts take longer" not in after
    yield "tier 3: a person promotes, edits or rejects", held
    at.write("MEMORY.md", after.replace("three times", "four times"))
    at.memories.import_(str(at.folder / "MEMORY.md"), trust="user")
    edited = any("four times" in text for text in texts(at))
    held = at.memories.profile.page.max_lines == 180 and edited and "Kept by hand." in after
    yield "MEMORY.md is small and curated: 180 lines, what a person edits is taken in", held
    yield "raw observations are never appended", "Payouts take longer at the end" not in after


@chapter("joelclaw", "Nightly maintenance")
def nightly(at: Place) -> Iterator[Item]:
    line = "- (2024-01-12) **Payouts** — the payout import needs the columns parameter"
    at.memories.import_(str(at.write("MEMORY.md", f"## Patterns\n{line}\n")), trust="user")
    fresh = at.memories.tend(only="sweep").stale == ()
    held = fresh and len(at.memories.recall("payout import columns parameter").hits) == 1
    yield "a curated line is not stale, however old", held
    keep(
        at,
        document(
            "00000000-0000-4000-8000-000000000001",
            "The nightly export job writes the ledger file to the cold store",
            days=3,
        ),
        document(
            "00000000-0000-4000-8000-000000000002",
            "The nightly export job writes the ledger file to the cold store.",
            days=1,
        ),
    )
    at.memories.tend(only="merge")
    merged = [each for each in at.memories.list(archived=True, limit=20) if each.superseded_by]
    yield "dedup sweep, with a chain of supersession", len(merged) == 1
    test = ("x", prepare("The backup of test runs at noon on Monday"))
    two = choose_same(
        prepare("The backup of prod runs at noon on Monday"), [test], MatchSettings(threshold=0.85)
    )
    why = "Likeness is not blind to what differs"
    yield differs(
        "texts of 85 % that differ in a word with a meaning stay apart", two.id == "", why
    )
    fax, telex = (
        "Ninety days old and never recalled, about the fax",
        "A year old and never recalled, about the telex",
    )
    id = "00000000-0000-4000-8000-00000000000"
    keep(at, document(f"{id}3", fax, days=120), document(f"{id}4", telex, days=400))
    at.memories.tend(only="sweep")
    at.memories.tend(only="sweep")
    found = {each.text: each for each in at.memories.list(archived=True, limit=20)}
    yield "stale: old and never recalled", bool(found[fax].stale_at)
    decayed = stage(found[telex]) == "decayed"
    yield "pruned conservatively: very old stale ones decay, and can come back", decayed
    told = at.memories.statistics("2000-01-01T00:00:00.000Z")
    held = (
        told.active > 0
        and told.merged >= 1
        and told.stale >= 1
        and "jc:operations" in told.categories
    )
    yield "stats: counts, merges, stale, categories", held
    at.memories.tend()
    every = "SELECT * FROM lesson ORDER BY id"
    before = at.memories.store.rows(every), len(at.memories.log())
    at.memories.tend()
    after = at.memories.store.rows(every), len(at.memories.log())
    yield "idempotent: a second night changes nothing", before == after


@chapter("joelclaw", "Writing observations")
def writing(at: Place) -> Iterator[Item]:
    for text in (
        "Stripe reports need `payment_metadata[product]` in columns",
        "The deploy key lives in /etc/deploy/key.pem",
        "ADR-0094 governs the write gate",
    ):
        said = submitted(text, "jc:projects", tags=["stripe", "payout"]).decode()
        at.cli("learn", "-", "--format", "joelclaw", stdin=said)
    found = at.memories.list(limit=10)
    yield "memory/observation.submitted: the observation", len(found) == 3
    yield "its category", {each.category for each in found} == {"jc:projects"}
    yield "its source", {each.source for each in found} == {"pi-session"}
    yield "its tags", {each.tags for each in found} == {("stripe", "payout")}
    yield (
        "one send per observation, fired in a loop: all are kept",
        len({each.text for each in found}) == 3,
    )


@chapter("joelclaw", "Operations commands")
def operations(at: Place) -> Iterator[Item]:
    send(at, FACT)
    code, _, _ = at.cli(
        "origin", "log", "--note", "raised the recall budget", "--reason", "research week"
    )
    yield "slog write: a change, and why", code == 0
    out = at.cli("origin", "log", "--tail", "50")[1]
    yield "slog tail --count 50", "raised the recall budget (research week)" in out and "add" in out
    send(at, "I discovered that nothing is here to be kept at all")
    rows = at.memories.store.rows(
        "SELECT extra ->> '$.outcome', coalesce(extra ->> '$.reason', '') FROM evidence WHERE measure = 'note:finding' ORDER BY at"
    )
    yield (
        "no silent failure: every transition leaves a word",
        all(reason for _, reason in rows) and len(rows) == 2,
    )
    mine = "alpha bravo charlie delta echos foxtrot golfs hotel india juliet"
    assert not echoed(mine, "alpha delta golfs") and echoed(
        mine, "alpha delta golfs hotel"
    )  # exactly 30 % is none
