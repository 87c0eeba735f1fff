"""joelclaw, by its vectors and by its document: gate, taxonomy, observer, fading recall, trust pass, echo, triage, page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

from tacit.core import clock
from tacit.core.run import Finding, Run, Step
from tacit.core.value import replace
from tacit.hooks.answer import showing
from tacit.hooks.events import Query
from tacit.hosts.source import BytesSource
from tacit.learn.block import section_of
from tacit.learn.gate import GateRules
from tacit.lesson import Lesson, Tally
from tacit.origins import named
from tacit.origins.applied import echoed
from tacit.origins.filing import category_of
from tacit.origins.gates import annotation
from tacit.origins.joelclaw import observations as joelclaw
from tacit.origins.joelclaw.page import append
from tacit.origins.joelclaw.triage import Suggested, by_rules
from tacit.origins.levels import FETCH, by_length, level_for
from tacit.origins.likeness import MATCHERS
from tacit.origins.observer import parse_observer, sanitize_text, sanitize_transcript
from tacit.origins.origin import stage
from tacit.origins.ranked import Ranked, asked, unfit
from tacit.origins.ranking import decayed
from tacit.origins.rewrite import is_enabled, skipped
from tacit.words.prepared import prepare

from .conftest import Vector

SYSTEM = "joelclaw"
RAW = "the raw scores are those of its search server"
DIRECT = {
    "write_gate": "what is discarded leaves no text behind to compare",
    "sanitize_text": "a text on its way to the model is no memory yet",
    "sanitize_transcript": "a transcript on its way to the model is no memory yet",
    "parse_observer": "the model's answer is read before anything is kept",
    "time_decay_rank": RAW,
    "stale_downweight": RAW,
    "trust_pass": RAW,
    "budget_limits": "the number of hits is part of an answer",
    "rewrite_skip": "a question is rewritten before anything is searched",
    "echo": "a text against a text",
    "dedup_similarity": "a text against a text",
    "triage": "a suggestion is judged before it is a line",
    "memory_md_append": "the page is a file",
}
PROFILE = named("joelclaw")


class Notebook:
    """joelclaw's memory of one project."""

    def __init__(self, folder: Path) -> None:
        self.memories = verbs.open(
            str(folder / "joelclaw.db"), profile="joelclaw", cwd=str(folder), by="joel", yes=True
        )

    def learn(self, *facts: str, run: str = "s-1", **fields: Any) -> list[Lesson]:
        """What comes of a session that said these facts."""
        told = {"run": run, "by": "observer", "tier": "agent", **fields}
        findings = tuple(
            Finding(place=f"fact:{n}", text=fact, **told) for n, fact in enumerate(facts)
        )
        return self.of(self.memories.learn(Run(run, "joelclaw", findings=findings, complete=True)))

    def read(self, text: str, name: str = "answer.xml") -> list[Lesson]:
        """What comes of a file of observations."""
        return self.of(self.memories.learn(BytesSource(text.encode(), name), format="joelclaw"))

    def of(self, learned: Any) -> list[Lesson]:
        return [self.memories.get(id) for each in learned for id in each.new]

    def keep(self, *documents: dict[str, Any], trust: str = "user") -> Any:
        """Import observation documents."""
        raw = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in documents).encode()
        return self.memories.import_(
            BytesSource(raw, "memory_observations.jsonl"), format="joelclaw", trust=trust
        )[0]

    def documents(self) -> dict[str, dict[str, Any]]:
        """What is exported, by id."""
        return {
            each["id"]: each
            for each in map(json.loads, self.memories.export("joelclaw").splitlines())
        }


@pytest.fixture
def book(folder: Path) -> Iterator[Notebook]:
    book = Notebook(folder)
    yield book
    assert book.memories.health().health.faults == ()  # whatever was done, the store verifies
    book.memories.close()


# --- vectors ------------------------------------------------------------------------------------------------------------


def write_gate(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    said = annotation(Finding("s", "1", given["fact"]), GateRules(unknown="allow"))
    names = (
        "observation",
        "writeVerdict",
        "writeConfidence",
        "writeReason",
        "writeGateVersion",
        "writeGateFallback",
    )
    told = (said.text, said.outcome, said.confidence, said.reason, said.version, said.fallback)
    return {
        **dict(zip(names, told)),
        **({"hintedCategoryId": said.category} if said.category else {}),
    }


def category(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    made = book.learn(given["text"])
    if not made:  # nothing is kept of a blank text
        filed = category_of(given["text"], PROFILE.categories)
        return {
            "categoryId": filed.category,
            "categoryConfidence": filed.confidence,
            "categorySource": filed.source,
            "taxonomyVersion": filed.version,
        }
    return _filed(made[0])


def _filed(memory: Lesson) -> dict[str, Any]:
    told = memory.extra or {}
    assert told["category_id"] == memory.category
    return {
        "categoryId": memory.category,
        **_camel(told, "category_confidence", "category_source", "taxonomy_version"),
    }


def _camel(told: dict[str, Any], *names: str) -> dict[str, Any]:
    """These of a document's fields, by the names that the original's code has for them."""
    return {re.sub(r"_(\w)", lambda at: at[1].upper(), name): told[name] for name in names}


def category_alias(given: dict[str, Any], book: Notebook) -> str | None:
    made = book.learn("Something to be filed under a category", category=given["category"])[0]
    return made.category if (made.extra or {})["category_source"] == "llm" else None


def observation_items(given: dict[str, Any], book: Notebook) -> list[dict[str, Any]]:
    """The answer as the model would have written it, learned; everything but the time stands with each memory."""
    parsed = given["parsed"]
    segments = "".join(
        f"<segment><narrative>{each['narrative']}</narrative><facts>\n"
        + "\n".join(f"- {fact}" for fact in each["facts"])
        + "\n</facts></segment>"
        for each in parsed["segments"]
    )
    made = book.read(f"<observations>{segments or parsed['observations']}</observations>")
    gate = (
        "write_verdict",
        "write_confidence",
        "write_reason",
        "write_gate_version",
        "write_gate_fallback",
    )
    return [
        {
            "observation": memory.text,
            **_camel(memory.extra or {}, "observation_type", *gate),
            **_filed(memory),
        }
        for memory in made
    ]


def observer(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    said = parse_observer(given["raw"])
    return {
        "observations": said.observations,
        "segments": [
            {"narrative": each.narrative, "facts": list(each.facts)} for each in said.segments
        ],
        "currentTask": said.current_task,
        "suggestedResponse": said.suggested_response,
        "parsed": said.parsed,
    }


class Hit:
    """A candidate, as a store would find it."""

    channel, words = "text", ""

    def __init__(self, memory: Lesson, n: int) -> None:
        self.memory, self.n = memory, n


def _hits(documents: list[dict[str, Any]]) -> list[Hit]:
    """Documents as import reads them, their counts folded."""
    raw = "".join(json.dumps(each) + "\n" for each in documents).encode()
    rows = [
        each
        for each in joelclaw.memories(BytesSource(raw, "x.jsonl"))
        if isinstance(each, joelclaw.Row)
    ]
    assert len(rows) == len(documents)
    signals = [{each.signal: each.amount for each in row.openings} for row in rows]
    memories = [
        replace(row.memory, id=row.alias, tally=Tally(signals=at)) for row, at in zip(rows, signals)
    ]
    return [Hit(memory, n) for n, memory in enumerate(memories)]


def _ranked(hits: list[Hit], raw: dict[str, float], now: str) -> list[Ranked]:
    """Ranked with the server's raw scores in place of ours."""
    found = [decayed(hit, raw.get(hit.memory.id, 0.0), now) for hit in hits]
    return sorted(found, key=lambda each: -each.score)


def _raw(hits: list[dict[str, Any]]) -> dict[str, float]:
    """The server's score: fused ranks, or its text match on its own scale."""
    return {
        each["document"]["id"]: each["hybrid_search_info"]["rank_fusion_score"]
        if "hybrid_search_info" in each
        else min(1.0, each["text_match_info"]["score"] / 1.7e18)
        for each in hits
    }


def time_decay_rank(given: dict[str, Any], book: Notebook) -> list[dict[str, Any]]:
    ranked = _ranked(
        _hits([each["document"] for each in given["hits"]]), _raw(given["hits"]), given["now"]
    )
    return [
        {
            "id": each.memory.id,
            "raw": each.parts["raw"],
            "usage_boost": each.parts["use"],
            "final": each.score,
        }
        for each in ranked
    ]


def stale_downweight(given: dict[str, Any], book: Notebook) -> list[dict[str, Any]]:
    told = {"observation": "Something about the billing queue"}
    documents = [{"id": each["id"], **told, **each["payload"]} for each in given["results"]]
    ranked = _ranked(
        _hits(documents), {each["id"]: each["score"] for each in given["results"]}, given["now"]
    )
    return [{"id": each.memory.id, "final": each.score} for each in ranked[: PROFILE.budget.deep]]


REASONS = {
    "too short": "too_short",
    "stale": "stale_tagged",
    "never recalled": "stale_age",
    "hold": "held_by_write_gate",
    "discard": "discarded_by_write_gate",
    "rejected": "discarded_by_write_gate",
}


def trust_pass(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    """Ranked first, then dropped with a reason; whatever happens, nothing that was dropped is kept."""
    hits = _hits([each["document"] for each in given["hits"]])
    wanted, held = (
        asked(Query(task="billing queue")),
        bool(given["options"].get("includeHold")),
    )
    kept, dropped = [], []
    for each in _ranked(hits, _raw(given["hits"]), given["now"]):
        _, why = showing(each.memory, wanted.query, held, False, True)
        why = why or unfit(each.memory, wanted, PROFILE, given["now"])
        if not why and (each.score <= 0 or each.score < given["min_score"]):
            why = "below_min_score"
        if why:
            dropped.append({"id": each.memory.id, "reasons": [REASONS.get(why, why)]})
        else:
            kept.append(each.memory.id)
    return {"kept": kept, "dropped": dropped}


def budget(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    book.memories.ensure_project()
    level = book.memories.recall(given["query"], budget=given["budget"]).level
    assert level is not None
    told = {"requested": level.requested, "applied": level.applied, "reason": level.reason}
    return {**told, "rewriteEnabled": is_enabled(level)}


def budget_limits(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    at = ("lean", "balanced", "deep").index(given["budget"])
    return {"maxInject": level_for(PROFILE, given["budget"], "").most, "fetchMultiplier": FETCH[at]}


def echo_update(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    """A session that was given these memories and answered."""
    wanted = given["memories"]
    assert len(book.keep(*wanted).kept) == len(wanted)
    answered(book, *(each["id"] for each in wanted), answer=given["response"])
    kept = book.documents()
    signals = [book.memories.get(each["id"]).tally.signals or {} for each in wanted]
    return {
        "echoes": sum(int(each.get("echo", 0)) for each in signals),
        "fizzles": sum(int(each.get("fizzle", 0)) for each in signals),
        "docs": [{name: kept[each["id"]][name] for name in each} for each in wanted],
    }


def triage(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    def suggested(each: dict[str, str]) -> Suggested:
        return Suggested(each["id"], each["section"], each["change"])

    page = [line.strip() for line in given["memory_markdown"].splitlines() if line[:2] == "- "]
    pending = [suggested(each) for each in given["pending"]]
    said = by_rules(suggested(given["proposal"]), page, pending)
    words = {
        "promote": "auto-promote",
        "reject": "auto-reject",
        "merge": "auto-merge",
        "review": "needs-review",
    }
    told = {"action": words[said.action], "reason": said.reason}
    return {**told, "mergeWith": said.merge_with} if said.merge_with else told


def similarity(given: dict[str, Any], book: Notebook) -> float:
    return MATCHERS[PROFILE.match.matcher](prepare(given["a"]), prepare(given["b"])).score


DRIVERS: dict[str, Callable[[dict[str, Any], Notebook], Any]] = {
    "write_gate": write_gate,
    "category": category,
    "category_alias": category_alias,
    "observation_items": observation_items,
    "parse_observer": observer,
    "sanitize_text": lambda given, book: sanitize_text(given["text"]),
    "sanitize_transcript": lambda given, book: sanitize_transcript(given["transcript"]),
    "time_decay_rank": time_decay_rank,
    "stale_downweight": stale_downweight,
    "trust_pass": trust_pass,
    "budget": budget,
    "budget_limits": budget_limits,
    "rewrite_skip": lambda given, book: skipped(given["query"], PROFILE.query) or None,
    "echo": lambda given, book: echoed(given["observation"], given["response"]),
    "echo_fizzle_update": echo_update,
    "dedup_similarity": similarity,
    "triage": triage,
    "memory_md_append": lambda given, book: append(
        given["markdown"], given["section"], given["bullet"]
    ),
}


def test_vector(vector: Vector, check: Callable[..., None], book: Notebook) -> None:
    """Every vector that follows the document holds."""
    check(vector, lambda driver: driver(vector.input, book))


# --- its fourteen defects, which must not return (origins §2.10) ------------------------------------------------------------

FACT = "Restarting the gateway clears the stuck lock file in /var/run"


def day(days: float) -> int:
    """A unix time so many days ago."""
    return int(clock.seconds(clock.now()) - days * 86400)


def answered(book: Notebook, *ids: str, answer: str = "", run: str = "s-9") -> None:
    """A session that was told these observations, and answered."""
    steps = (Step("assistant", "1", text=answer),)
    book.memories.learn(
        Run(run, "joelclaw", steps=steps, complete=True, extra={"given": list(ids)})
    )


def test_defect_1_duplicates_are_found_on_the_way_in(book: Notebook) -> None:
    """A broken pattern made every text one token: "text" and "text!" were two observations."""
    book.learn(f"[gate=allow] {FACT}", run="s-1")
    book.learn(f"[gate=allow] {FACT}!", run="s-2")
    (memory,) = book.memories.list(limit=9)
    assert memory.tally.seen == 2


def test_defect_2_seconds_are_not_milliseconds() -> None:
    """A day old, a memory scored 1e-89; it is 1 % down."""
    seconds, milliseconds = (joelclaw._time(at) for at in (1773057600, 1773057600000))
    assert seconds == milliseconds == "2026-03-09T12:00:00.000Z"
    hits = _hits([{"id": "a", "observation": FACT, "timestamp": 1773057600}])
    assert _ranked(hits, {"a": 1.0}, "2026-03-10T12:00:00Z")[0].score == pytest.approx(
        0.99, abs=1e-4
    )


def test_defect_6_an_ignored_memory_is_not_a_recalled_one(book: Notebook) -> None:
    """A fizzle raised the recall count and took off the stale mark."""
    used = {"recall_count": 3, "stale": True, "retrieval_priority": 0.2}
    book.keep({"id": "a", "observation": FACT, "timestamp": day(120), **used})
    for run, answer, wanted in (
        (
            "s-9",
            "The chart is blue now.",
            {"recall_count": 3, "stale": True, "retrieval_priority": 0.15},
        ),
        ("s-10", f"Right: {FACT}", {"recall_count": 4, "stale": False, "retrieval_priority": 0.25}),
    ):
        answered(book, "a", answer=answer, run=run)
        assert {name: book.documents()["a"][name] for name in wanted} == wanted


def test_defect_7_a_later_discard_hides_nothing(book: Notebook) -> None:
    """A paraphrase judged discard overwrote the verdict of a fact that was allowed; narratives were all let in."""
    book.learn(f"[gate=allow confidence=0.9] {FACT}", run="s-1")
    book.learn(f"[gate=discard confidence=0.9] {FACT}!", run="s-2")
    (memory,) = book.memories.list(limit=9)
    assert (memory.gate, memory.state, (memory.extra or {})["write_verdict"]) == (
        "allow",
        "active",
        "allow",
    )
    narrative = "<narrative>We talked about lunch and the weather.</narrative>"
    assert (
        book.read(f"<observations><segment>{narrative}<facts>\n</facts></segment></observations>")
        == []
    )


def judged(
    text: str,
    page: Sequence[str] = (),
    waiting: Sequence[Suggested] = (),
    section: str = "Patterns",
) -> Any:
    """What the rules say of a line that is suggested for the page."""
    return by_rules(Suggested("n", section, text), page, waiting)


def test_defect_8_an_opposite_conclusion_is_no_duplicate() -> None:
    """Only the first hundred characters were compared."""
    head = "When the nightly reconciliation finds an unmatched ledger row older than three days in the archive table"
    assert judged(f"{head}, NEVER delete it", [f"- {head}, delete it at once"]).action == "review"


def test_a_command_is_a_reference() -> None:
    """Its document asks for an ADR, a path or a command; a command says what the line is about without backticks too."""
    for line in (
        "kubectl drains a node first",
        "Redis-cli blocks for five seconds",
        "Node pools are drained first",
        "The queue is read by redis-cli alone",
    ):
        assert judged(f"(2026-03-02) {line}").action == "promote"
    for line in ("The git-like log is kept for a week", "Pipes are drained first"):
        assert judged(f"(2026-03-02) {line}").action == "review"


def test_a_dated_line_of_the_page_is_compared_without_its_date() -> None:
    """A fact said again is the same, dated or not; another date inside a text makes another text. The nearest line is named."""
    said = (
        "Bun 1 is used for every package of the workspace, as its lock file says, and by all of CI"
    )
    for text, alike in (("Bun 1 is used", 100), (f"(2026-03-02) {said}", 87)):
        line = f"- (2026-01-12) {text.removeprefix('(2026-03-02) ')}"
        assert judged(text, [f"{line} too", line]).reason.endswith(f"({alike}% similar)")
    assert judged("(2026-03-02) Port is 6379", ["- (2025-11-19) Port is 6379"]).action == "reject"
    assert judged("Old API (2026-02-02)", ["- Old API (2025-01-09)"]).action == "review"


def test_defect_10_an_unknown_section_is_the_inbox() -> None:
    """Joel, Conventions and Miller Hooks were filed under Hard Rules, in another place under Patterns."""
    names = ("Joel", "Conventions", "Miller Hooks", "Billing")
    put = [Lesson("m", "p", "x", extra={"section": name}) for name in names]
    found = [section_of(each, PROFILE.page) for each in put]
    assert found == ["Joel", "Conventions", "Miller Hooks", "Inbox"]


def test_defect_13_a_sweep_touches_what_is_due_and_a_merge_can_be_taken_back(
    book: Notebook,
) -> None:
    """Every record older than ninety days was tagged anew each night; no merge could be undone."""
    head = {"timestamp": day(100), "category_id": "jc:projects"}
    book.keep(*({"id": id, "observation": f"{FACT} on host {id}", **head} for id in ("one", "two")))
    assert [len(book.memories.tend().stale) for _ in range(2)] == [2, 0]
    one, two = book.memories.get("one"), book.memories.get("two")
    book.memories.review("one", "merge", into="two")
    now, merged = book.memories.get("one"), book.memories.get("two")
    assert (stage(now), merged.tally.seen, merged.supersedes) == ("superseded", 2, (one.id,))
    book.memories.review("one", "unmerge")
    assert (book.memories.get("one").state, book.memories.get("two").tally.seen) == (
        one.state,
        two.tally.seen,
    )


# --- its page ---------------------------------------------------------------------------------------------------------------


def test_a_page_that_was_kept_by_hand_goes_on(book: Notebook, folder: Path) -> None:
    """Every line stays as it stands, whatever its shape; what is promoted stands at the end of its section, dated and titled."""
    page = folder / "MEMORY.md"
    page.write_text(
        "# Memory\n\nOurs.\n\n## Hard Rules\n- (2026-03-10) **Never force push** — it breaks: the hook reads main\n- Plain\n\n## Billing\n- (2026-02-01) Invoices are final\n"
    )
    book.memories.import_("MEMORY.md", trust="user")
    book.memories.keep_page("MEMORY.md")
    book.memories.page()
    for text, day in ((f"{FACT}: restart it", "11"), ("Queue depth: alert above 500", "12")):
        book.memories.put_on_page(
            book.memories.add(text, category="jc:operations", at=f"2026-03-{day}T00:00:00Z").id
        )
    book.memories.page()
    assert [line.partition(" <!--")[0] for line in page.read_text().splitlines()] == [
        "# Memory",
        "",
        "Ours.",
        "",
        "## Hard Rules",
        "- (2026-03-10) **Never force push** — it breaks: the hook reads main",
        "- Plain",
        "",
        "## Billing",
        "- (2026-02-01) Invoices are final",
        "",
        "## Patterns",
        "- (2026-03-11) Restarting the gateway clears the stuck lock file in /var/run: restart it",
        "- (2026-03-12) **Queue depth** — alert above 500",
    ]
    assert all(
        line.endswith("-->") for line in page.read_text().splitlines() if line.startswith("- ")
    )


def test_a_proposal_is_marked_after_the_page_is_written(book: Notebook, folder: Path) -> None:
    """batch-review deleted first and wrote then: a crash between lost the proposal. Here a page that cannot be written loses nothing."""
    memories = book.memories
    memories.keep_page("MEMORY.md")
    memories.pin(memories.add("Rotate keys monthly.").id)
    memories.tend()
    (waiting,) = memories.proposals()
    (folder / "MEMORY.md").mkdir()
    memories.review(waiting.id)
    assert memories.get(waiting.memory).on_page
    (folder / "MEMORY.md").rmdir()
    memories.tend()
    assert "Rotate keys monthly." in (folder / "MEMORY.md").read_text()
    assert [each.state for each in memories.proposals(state="")] == ["approved"]


# --- a journey --------------------------------------------------------------------------------------------------------------


def test_journey(folder: Path, tacit: Any) -> None:
    """Three sessions learned, an observation recalled in joelclaw's words, echoed, gone stale, exported and read back by hand."""
    held = "Das Größenlimit könnte am Donnerstag wechseln"
    db = ("--store", str(folder / "j.db"), "--like", "joelclaw", "--by", "joel", "--yes")
    kept = f"- 🔴 [gate=allow confidence=0.92 category=ops reason=durable_fix] {FACT}"
    left = "- 🟢 [gate=discard confidence=0.8] Thanks and talk to you tomorrow"
    once = [kept, f"- 🟡 [gate=hold confidence=0.5 reason=ambiguous] {held}", left]
    for n in range(3):
        text = "<observations><segment><narrative>n</narrative><facts>\n" + "\n".join(
            once if n == 0 else [kept]
        )
        (folder / f"session-{n}.xml").write_text(
            f"{text}\n</facts></segment></observations>", encoding="utf-8"
        )
        assert tacit("learn", f"session-{n}.xml", *db).code == 0
    listed = {each["text"]: each for each in tacit("list", "--json", *db).data["memories"]}
    assert {text: (each["state"], each["gate"], each["seen"]) for text, each in listed.items()} == {
        FACT: ("active", "allow", 3),
        held: ("waiting", "hold", 1),
    }

    assert (
        tacit("inject", "--task", "the gateway hangs on its lock file", "--run", "s-7", *db).out
        == f"- {FACT}\n"
    )
    assert (
        tacit("review", "approve", listed[held]["id"], "--json", *db).data["state"] == "provisional"
    )

    documents = [
        json.loads(line)
        for line in tacit("data", "export", "--format", "joelclaw", *db).out.splitlines()
    ]
    fact = next(each for each in documents if each["observation"] == FACT)
    wanted = {
        "write_verdict": "allow",
        "write_confidence": 0.92,
        "write_reason": "durable_fix",
        "write_gate_fallback": False,
        "category_id": "jc:operations",
        "category_source": "llm",
        "merged_count": 2,
        "stale": False,
        "observation_type": "segment_fact",
    }
    assert {name: fact[name] for name in wanted} == wanted
    assert [each["observation"] for each in documents if "tomorrow" in each["observation"]] == []

    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in documents)
    (folder / "memory_observations.jsonl").write_text(lines, encoding="utf-8")
    again = ("--store", str(folder / "again.db"), "--like", "joelclaw", "--by", "joel", "--yes")
    assert tacit("data", "import", "memory_observations.jsonl", "--trust", "user", *again).code == 0
    assert [
        json.loads(line)
        for line in tacit("data", "export", "--format", "joelclaw", *again).out.splitlines()
    ] == documents


# --- rules of its documents that a walk found not kept


def test_blanks_make_no_question_longer() -> None:
    """Auto is deep for more than 90 characters of a question, its blanks normalised."""
    padded = "where is" + " " * 100 + "the lock"
    assert by_length(padded)[0] == "balanced"
    assert by_length("where  is the lock  and   who has it")[0] == "deep"


@pytest.mark.parametrize(
    "label", ["Commands run:", "Commands run", "## Commands executed", "**Steps**"]
)
def test_a_label_before_commands_is_no_fact(label: str) -> None:
    assert sanitize_text(f"{label}\ngit pull --rebase\nnpm ci") is None


def test_a_plain_line_before_commands_is_one() -> None:
    said = "The lock outlives its worker\nrm -f /var/run/worker.lock"
    assert sanitize_text(said) == said


def test_where_a_command_goes_its_fence_goes() -> None:
    """A fence that held nothing else is no line of a transcript; one that still holds something stays."""
    said = "Assistant: Mended.\n```sh\nnpm ci\n```\nAssistant: It needs\n```\nthe lock file\n```"
    assert (
        sanitize_transcript(said)
        == "Assistant: Mended.\nAssistant: It needs\n```\nthe lock file\n```"
    )


@pytest.mark.parametrize(
    ("text", "promoted"),
    [
        ("(2026-03-02) pnpm -r build fails without a clean dist folder", True),
        ("(2026-03-02) git push --force is blocked on main", True),
        ("(2026-03-02) Docker containers are slow on old laptops", False),
        ("(2026-03-02) They make good progress and go home early", False),
    ],
)
def test_something_to_run_is_a_reference_without_backticks(text: str, promoted: bool) -> None:
    assert (judged(text).action == "promote") is promoted


def test_a_section_is_looked_up_without_its_blanks() -> None:
    text = "(2026-03-02) ADR-0099 moves state into packages/state/store.ts"
    assert judged(text, section="  Patterns ").action == "promote"


def test_twelve_characters_are_counted_with_single_blanks() -> None:
    """What is padded says no more for it."""
    short = Lesson("m", "p", "port" + " " * 9 + "6379", state="active")
    assert unfit(short, asked(Query("port")), PROFILE, clock.now()) == "too short"
