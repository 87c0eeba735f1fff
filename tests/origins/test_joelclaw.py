"""joelclaw, by its vectors and by its document: gate, taxonomy, observer, fading recall, trust pass, echo, triage, page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.app import Memories
from tacit.core.match import MATCHERS, prepare
from tacit.core.memory import Memory, Tally
from tacit.core.profile import changed
from tacit.core.profile_toml import standard
from tacit.core.run import Finding, Run, Step
from tacit.core.value import replace
from tacit.formats import joelclaw
from tacit.formats.source import BytesSource
from tacit.learn.apply import echoed
from tacit.learn.classify import category_of
from tacit.learn.gate import GateRules, joelclaw_gate
from tacit.learn.observe import parse_observer, sanitize_text, sanitize_transcript
from tacit.recall.budget import level_for
from tacit.recall.query import Query, asked
from tacit.recall.rank import Facts, Ranked, ordered, showing, unfit
from tacit.recall.rewrite import is_enabled, skipped
from tacit.tend.page import append, lines
from tacit.tend.triage import Suggested, page_line

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
    "budget": "the profile of a query is part of an answer",
    "budget_limits": "the number of hits is part of an answer",
    "rewrite_skip": "a question is rewritten before anything is searched",
    "echo": "a text against a text",
    "dedup_similarity": "a text against a text",
    "triage": "a suggestion is judged before it is a line",
    "memory_md_append": "the page is a file",
}
PROFILE = standard("joelclaw")


class Notebook:
    """joelclaw's memory of one project."""

    def __init__(self, folder: Path) -> None:
        self.memories = tacit.open(str(folder / "joelclaw.db"), profile="joelclaw", cwd=str(folder), by="joel", yes=True)

    def learn(self, *facts: str, run: str = "s-1", **fields: Any) -> list[Memory]:
        """What comes of a session that said these facts."""
        findings = tuple(Finding(run, f"fact:{n}", fact, by="observer", tier="agent", **fields) for n, fact in enumerate(facts))
        return self.of(self.memories.learn(Run(run, "joelclaw", findings=findings, complete=True)))

    def read(self, text: str, name: str = "answer.xml") -> list[Memory]:
        """What comes of a file of observations."""
        return self.of(self.memories.learn(BytesSource(text.encode(), name), format="joelclaw"))

    def of(self, learned: Any) -> list[Memory]:
        return [self.memories.get(id) for each in learned for id in each.new]

    def keep(self, *documents: dict[str, Any], trust: str = "user") -> Any:
        """Import observation documents."""
        raw = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in documents).encode()
        return self.memories.import_(BytesSource(raw, "memory_observations.jsonl"), format="joelclaw", trust=trust)[0]

    def documents(self) -> dict[str, dict[str, Any]]:
        """What is exported, by id."""
        return {each["id"]: each for each in map(json.loads, self.memories.export("joelclaw").splitlines())}


@pytest.fixture
def book(folder: Path) -> Iterator[Notebook]:
    book = Notebook(folder)
    yield book
    book.memories.close()


# --- vectors ------------------------------------------------------------------------------------------------------------


def write_gate(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    said = joelclaw_gate(Finding("s", "1", given["fact"]), GateRules(unknown="allow"))
    hint = {"hintedCategoryId": said.category} if said.category else {}
    return {
        "observation": said.text,
        "writeVerdict": said.outcome,
        "writeConfidence": said.confidence,
        "writeReason": said.reason,
        "writeGateVersion": said.version,
        "writeGateFallback": said.fallback,
        **hint,
    }


def category(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    made = book.learn(given["text"])
    if not made:  # nothing is kept of a blank text
        filed = category_of(given["text"], PROFILE.categories)
        return {"categoryId": filed.category, "categoryConfidence": filed.confidence, "categorySource": filed.source, "taxonomyVersion": filed.version}  # fmt: skip
    return _filed(made[0])


def _filed(memory: Memory) -> dict[str, Any]:
    told = memory.extra or {}
    assert told["category_id"] == memory.category
    return {
        "categoryId": memory.category,
        "categoryConfidence": told["category_confidence"],
        "categorySource": told["category_source"],
        "taxonomyVersion": told["taxonomy_version"],
    }


def category_alias(given: dict[str, Any], book: Notebook) -> str | None:
    made = book.learn("Something to be filed under a category", category=given["category"])[0]
    return made.category if (made.extra or {})["category_source"] == "llm" else None


def observation_items(given: dict[str, Any], book: Notebook) -> list[dict[str, Any]]:
    """The answer as the model would have written it, learned; everything but the time stands with each memory."""
    parsed = given["parsed"]
    segments = "".join(
        f"<segment><narrative>{each['narrative']}</narrative><facts>\n" + "\n".join(f"- {fact}" for fact in each["facts"]) + "\n</facts></segment>"
        for each in parsed["segments"]
    )
    made = book.read(f"<observations>{segments or parsed['observations']}</observations>")
    return [
        {
            "observationType": told["observation_type"],
            "observation": memory.text,
            "writeVerdict": told["write_verdict"],
            "writeConfidence": told["write_confidence"],
            "writeReason": told["write_reason"],
            "writeGateVersion": told["write_gate_version"],
            "writeGateFallback": told["write_gate_fallback"],
            **_filed(memory),
        }
        for memory in made
        for told in [memory.extra or {}]
    ]


def observer(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    said = parse_observer(given["raw"])
    return {
        "observations": said.observations,
        "segments": [{"narrative": each.narrative, "facts": list(each.facts)} for each in said.segments],
        "currentTask": said.current_task,
        "suggestedResponse": said.suggested_response,
        "parsed": said.parsed,
    }


class Hit:
    """A candidate, as a store would find it."""

    channel, words = "text", ""

    def __init__(self, memory: Memory, n: int) -> None:
        self.memory, self.n = memory, n


def _hits(documents: list[dict[str, Any]]) -> list[Hit]:
    """Documents as import reads them, their counts folded."""
    raw = "".join(json.dumps(each) + "\n" for each in documents).encode()
    rows = [each for each in joelclaw.memories(BytesSource(raw, "x.jsonl")) if isinstance(each, joelclaw.Row)]
    assert len(rows) == len(documents)
    return [
        Hit(replace(row.memory, id=row.alias, tally=Tally(signals={each.signal: each.amount for each in row.openings})), n)
        for n, row in enumerate(rows)
    ]


def _ranked(hits: list[Hit], raw: dict[str, float], now: str) -> list[Ranked]:
    """Ranked with the server's raw scores in place of ours."""
    profile = changed(PROFILE, {"rank.meaning": 1.0})
    return ordered("decay", hits, asked(Query(task="billing queue"), profile), profile, Facts(now, meaning=raw))


def _raw(hits: list[dict[str, Any]]) -> dict[str, float]:
    """The server's score: fused ranks, or its text match on its own scale."""
    return {
        each["document"]["id"]: each["hybrid_search_info"]["rank_fusion_score"]
        if "hybrid_search_info" in each
        else min(1.0, each["text_match_info"]["score"] / 1.7e18)
        for each in hits
    }


def time_decay_rank(given: dict[str, Any], book: Notebook) -> list[dict[str, Any]]:
    ranked = _ranked(_hits([each["document"] for each in given["hits"]]), _raw(given["hits"]), given["now"])
    return [{"id": each.memory.id, "raw": each.parts["raw"], "usage_boost": each.parts["use"], "final": each.score} for each in ranked]


def stale_downweight(given: dict[str, Any], book: Notebook) -> list[dict[str, Any]]:
    documents = [{"id": each["id"], "observation": "Something about the billing queue", **each["payload"]} for each in given["results"]]
    ranked = _ranked(_hits(documents), {each["id"]: each["score"] for each in given["results"]}, given["now"])
    return [{"id": each.memory.id, "final": each.score} for each in ranked[: PROFILE.budget.cap]]


REASONS = {
    "too short": "too_short", "stale": "stale_tagged", "never recalled": "stale_age", "hold": "held_by_write_gate",
    "discard": "discarded_by_write_gate", "rejected": "discarded_by_write_gate",
}  # fmt: skip


def trust_pass(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    """Ranked first, then dropped with a reason; whatever happens, nothing that was dropped is kept."""
    hits = _hits([each["document"] for each in given["hits"]])
    wanted, held = asked(Query(task="billing queue"), PROFILE), bool(given["options"].get("includeHold"))
    kept, dropped = [], []
    for each in _ranked(hits, _raw(given["hits"]), given["now"]):
        _, why = showing(each.memory, wanted, PROFILE, held, False, True)
        why = why or unfit(each.memory, wanted, PROFILE, given["now"])
        if not why and (each.score <= 0 or each.score < given["min_score"]):
            why = "below_min_score"
        if why:
            dropped.append({"id": each.memory.id, "reasons": [REASONS.get(why, why)]})
        else:
            kept.append(each.memory.id)
    return {"kept": kept, "dropped": dropped}


def budget(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    level = level_for(PROFILE, given["budget"], given["query"])
    return {"requested": level.requested, "applied": level.applied, "reason": level.reason, "rewriteEnabled": is_enabled(level)}


def budget_limits(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    at = ("lean", "balanced", "deep").index(given["budget"])
    return {"maxInject": level_for(PROFILE, given["budget"], "").most, "fetchMultiplier": PROFILE.budget.fetch[at]}


def echo_update(given: dict[str, Any], book: Notebook) -> dict[str, Any]:
    """A session that was given these memories and answered."""
    wanted = given["memories"]
    assert len(book.keep(*wanted).kept) == len(wanted)
    step = Step("assistant", "1", text=given["response"])
    book.memories.learn(Run("s-9", "joelclaw", steps=(step,), complete=True, extra={"given": [each["id"] for each in wanted]}))
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

    page = [line.text for line in lines(given["memory_markdown"])]
    said = page_line(suggested(given["proposal"]), page, [suggested(each) for each in given["pending"]], PROFILE.triage)
    words = {"promote": "auto-promote", "reject": "auto-reject", "merge": "auto-merge", "review": "needs-review"}
    return {"action": words[said.action], "reason": said.reason, **({"mergeWith": said.merge_with} if said.merge_with else {})}


def similarity(given: dict[str, Any], book: Notebook) -> float:
    return MATCHERS[PROFILE.match.matcher](prepare(given["a"]), prepare(given["b"]), None).score


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
    "echo": lambda given, book: echoed(given["observation"], given["response"], PROFILE.signals),
    "echo_fizzle_update": echo_update,
    "dedup_similarity": similarity,
    "triage": triage,
    "memory_md_append": lambda given, book: append(given["markdown"], given["section"], given["bullet"]),
}


def test_vector(vector: Vector, check: Callable[..., None], book: Notebook) -> None:
    """Every vector that follows the document holds."""
    check(vector, lambda driver: driver(vector.input, book))
