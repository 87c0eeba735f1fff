"""LangGraph's long-term store on Tacit: documents by namespace and key, and Tacit's own lessons beside them.

    from tacit_frameworks.langgraph import TacitStore

    graph = builder.compile(store=TacitStore(memories))

What a graph puts is kept as a candidate with an agent's trust: redacted, screened, in the journal, found by `recall`, taken
back with `tacit forget`, given to runs of others only after a person's word. What runs have taught stands under the namespace
`("lessons", …)`: a search there with a query asks Tacit's whole memory, within the assignments of the run if one is named.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tacit_frameworks import as_agent, missing_framework

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        validate_op_namespace,
    )
except ImportError as error:
    raise missing_framework("langgraph", error) from None

from tacit.app import Memories
from tacit.core.errors import NotFound
from tacit.core.memory import Memory
from tacit.guard.redact import redact

_LESSONS = "lessons"  # the namespace of what runs have taught
CATEGORY = "langgraph"  # under which documents are filed
_TEXTS = (
    "text",
    "content",
    "memory",
    "data",
    "value",
)  # fields that hold a document's words, the first that does


class TacitStore(BaseStore):
    """A `BaseStore` over one project's memories. `run` names the run whose agents ask."""

    __slots__ = ("_memories", "_run")

    def __init__(self, memories: Memories, *, run: str = "") -> None:
        self._memories = memories
        self._run = run

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """All operations in order; what is asked sees the store as it was before what is put."""
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        with as_agent(self._memories) as memories:
            desk = _Desk(memories, self._run)
            for op in ops:
                validate_op_namespace(op)
                if isinstance(op, PutOp):
                    puts[op.namespace, op.key] = op
                    results.append(None)
                else:
                    results.append(desk.asked(op))
            for op in puts.values():
                desk.put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread: the store is synchronous."""
        return await asyncio.to_thread(self.batch, list(ops))


class _Desk:
    """One batch's conversation with the memories."""

    def __init__(self, memories: Memories, run: str) -> None:
        self._memories = memories
        self._run = run

    def asked(self, op: Any) -> Result:
        if isinstance(op, GetOp):
            return self._get(op.namespace, op.key)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"Unknown operation type: {type(op)}")

    def put(self, op: Any) -> None:
        """Keep, rewrite or take out a document. What a person approved is never rewritten: the new words start anew."""
        old = self._document(op.namespace, op.key)
        if op.value is None:
            if old is not None:
                self._memories.forget(old.id, reason="deleted by the graph")
            return
        value = _clean(dict(op.value))
        extra = {"namespace": [*op.namespace], "key": op.key, "value": value}
        if op.index is False:
            extra["index"] = False
        text = _text(value)
        if old is not None and old.state == "candidate":
            self._memories.rewrite(old.id, text, extra, reason="put again by the graph")
        else:
            self._memories.add(
                text, category=CATEGORY, origin=_origin(op.namespace, op.key), extra=extra
            )

    def _documents(self) -> list[Memory]:
        if self._memories.project is None:
            return []
        kept = self._memories.list(equal={"category": CATEGORY}, sort="old", limit=-1)
        newest = {
            (_namespace(memory), _key(memory)): memory
            for memory in kept
            if "key" in (memory.extra or {})
        }
        return [*newest.values()]

    def _document(self, namespace: tuple[str, ...], key: str) -> Memory | None:
        if self._memories.project is None:
            return None
        found = self._memories.list(
            equal={"category": CATEGORY, "origin": _origin(namespace, key)}, limit=1
        )
        return found[0] if found else None

    def _get(self, namespace: tuple[str, ...], key: str) -> Any:
        found = self._document(namespace, key)
        if found is None and namespace[:1] == (_LESSONS,):
            try:
                lesson = self._memories.get(key)
            except NotFound:
                return None
            hidden = lesson.gate == "quarantine" or lesson.id in self._memories.withheld_in(
                self._run
            )
            found = None if hidden or _namespace(lesson) != namespace else lesson
        return Item(**_fields(found)) if found is not None else None

    def _search(self, op: Any) -> list[Any]:
        prefix = tuple(op.namespace_prefix)
        if op.query:
            most = min(1000, 50 + 5 * (op.offset + op.limit))
            hits = self._memories.recall(
                op.query, run=self._run, surface="langgraph", limit=most, min_score=0.0
            ).hits
            found: list[tuple[Memory, float | None]] = [
                (hit.memory, hit.score) for hit in hits if _is_indexed(hit.memory)
            ]
        else:
            found = [(memory, None) for memory in self._documents()]
        kept = [
            SearchItem(**_fields(memory), score=score)
            for memory, score in found
            if _namespace(memory)[: len(prefix)] == prefix
            and _fits(_value(memory), op.filter or {})
        ]
        return kept[op.offset : op.offset + op.limit]

    def _namespaces(self, op: Any) -> list[tuple[str, ...]]:
        every = {_namespace(memory) for memory in self._documents()}
        kept = [
            each
            for each in every
            if all(_matches(rule, each) for rule in op.match_conditions or ())
        ]
        if op.max_depth is not None:
            kept = [*{each[: op.max_depth] for each in kept}]
        return sorted(kept)[op.offset : op.offset + op.limit]


def _origin(namespace: tuple[str, ...], key: str) -> str:
    return "langgraph:" + json.dumps([*namespace, key], ensure_ascii=False)


def _namespace(memory: Memory) -> tuple[str, ...]:
    """Where a memory stands: a document where it was put, a lesson under its domain."""
    extra = memory.extra or {}
    if memory.category == CATEGORY and "namespace" in extra:
        return tuple(extra["namespace"])
    return (_LESSONS, memory.domain.replace(".", "-") or "general")


def _key(memory: Memory) -> str:
    return (
        str((memory.extra or {}).get("key", memory.id))
        if memory.category == CATEGORY
        else memory.id
    )


def _value(memory: Memory) -> dict[str, Any]:
    extra = memory.extra or {}
    if memory.category == CATEGORY and isinstance(extra.get("value"), dict):
        return dict(extra["value"])
    at = {name: getattr(memory, name) for name in ("text", "kind", "state", "trust", "severity")}
    return {**at, "seen": memory.tally.seen, "paths": [*memory.paths], "tags": [*memory.tags]}


def _is_indexed(memory: Memory) -> bool:
    return (memory.extra or {}).get("index") is not False


def _fields(memory: Memory) -> dict[str, Any]:
    return {
        "namespace": _namespace(memory),
        "key": _key(memory),
        "value": _value(memory),
        "created_at": datetime.fromisoformat(memory.created_at),
        "updated_at": datetime.fromisoformat(memory.updated_at),
    }


def _text(value: dict[str, Any]) -> str:
    """A document's words: a field that says them, or all of it."""
    for name in _TEXTS:
        if isinstance(value.get(name), str) and value[name].strip():
            return str(value[name])
    return json.dumps(value, ensure_ascii=False, default=str)


def _clean(value: Any) -> Any:
    """Without secrets, and only what JSON can hold."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, dict):
        return {str(name): _clean(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(each) for each in value]
    return value if isinstance(value, (int, float, bool, type(None))) else str(value)


def _fits(value: Any, wanted: dict[str, Any]) -> bool:
    return all(_equals(value.get(name), rule) for name, rule in wanted.items())


def _equals(given: Any, rule: Any) -> bool:
    if isinstance(rule, dict) and any(name.startswith("$") for name in rule):
        return all(_compared(given, name, bound) for name, bound in rule.items())
    if isinstance(rule, dict):
        return isinstance(given, dict) and _fits(given, rule)
    if isinstance(rule, (list, tuple)):
        same = isinstance(given, (list, tuple)) and len(given) == len(rule)
        return same and all(_equals(one, other) for one, other in zip(given, rule))
    return bool(given == rule)


def _compared(given: Any, name: str, bound: Any) -> bool:
    if name == "$eq":
        return bool(given == bound)
    if name == "$ne":
        return bool(given != bound)
    if name not in _ORDER:
        raise ValueError(f"Unsupported operator: {name}")
    return bool(_ORDER[name](float(given), float(bound)))


_ORDER = {
    "$gt": lambda given, bound: given > bound,
    "$gte": lambda given, bound: given >= bound,
    "$lt": lambda given, bound: given < bound,
    "$lte": lambda given, bound: given <= bound,
}


def _matches(rule: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(rule.path)
    if len(namespace) < len(path):
        return False
    if rule.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {rule.match_type}")
    part = (
        namespace[: len(path)]
        if rule.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for wanted, label in zip(path, part))
