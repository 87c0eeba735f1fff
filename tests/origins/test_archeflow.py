"""ArcheFlow, honoured to the digit: its vectors, driven through `Memories` with its profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.app import Memories
from tacit.core.errors import TacitError
from tacit.core.match import archeflow_overlap, keywords, prepare

SYSTEM = "archeflow"
DIRECT = {
    "tokenize": "a set of words is not stored anywhere; the matcher makes it anew",
    "overlap": "a percentage of two texts; which lesson a finding meets is what `extract` shows",
}


@pytest.fixture
def flow(tmp_path: Path) -> Flow:
    return Flow(tmp_path)


class Flow:
    """An `.archeflow` folder and the memories that stand in for its script."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "work"
        self.events = self.folder / ".archeflow" / "events"
        self.memory = self.folder / ".archeflow" / "memory"
        for path in (self.events, self.memory):
            path.mkdir(parents=True)
        self.memories: Memories = tacit.open(str(tmp_path / "tacit.db"), profile="archeflow", cwd=str(self.folder))

    def bring(self, **files: Any) -> None:
        """Write the files of a scenario, and take in its memories."""
        for run, events in (files.get("events") or {}).items():
            _write(self.events / f"{run}.jsonl", events)
        if files.get("index") is not None:
            _write(self.events / "index.jsonl", files["index"])
        for part in ("lessons", "archive", "audit"):
            if files.get(part) is not None:
                _write(self.memory / f"{part}.jsonl", files[part])
                self.memories.import_(str(self.memory / f"{part}.jsonl"), format="archeflow", trust="user")

    def do(self, op: dict[str, Any]) -> dict[str, Any]:
        """One operation, and what the script would have answered."""
        try:
            return {"op": op["op"], "rc": 0, **OPERATIONS[op["op"]](self, op)}
        except TacitError as error:
            return {"op": op["op"], "rc": error.exit_code}

    def rows(self, part: str) -> list[Any]:
        return [json.loads(line) for line in self.memories.export("archeflow", part).splitlines()]


def _write(path: Path, rows: list[Any]) -> None:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def _extract(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    [learned] = flow.memories.learn(str(flow.events / f"{op['run']}.jsonl"))
    if not learned.findings:
        return {}
    return {"updated": len(set(learned.matched) - set(learned.new)), "added": len(learned.new)}


def _inject(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    audit = op.get("audit", "")
    given = flow.memories.inject(
        run=audit, host="archeflow" if audit else "library", domain=op["domain"], agent=op["archetype"], repeat=True
    )
    return {"stdout": given.markdown}


def _decay(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    if flow.memories.project is None:
        return {}
    tended = flow.memories.tend(run=op["run"])
    return {"decayed": tended.faded, "archived": len(tended.archived)}


def _add(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    flow.memories.add(op["description"], kind=op["type"], source="user_feedback", run="manual")
    return {}


def _list(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "frequency", "type", "domain", "description")
    return {"rows": [[str(row[name]) for name in names] for row in flow.rows("lessons")]}


def _forget(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    flow.memories.forget(op["id"])
    return {}


def _audit_check(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    log = flow.events / f"{op['run']}.jsonl"
    flow.memories.check(str(log) if log.exists() else op["run"])
    return {}


def _regression_check(flow: Flow, op: dict[str, Any]) -> dict[str, Any]:
    found = flow.memories.regressions(str(flow.events / f"{op['run']}.jsonl"))
    return {"rc": int(bool(found)), "stdout": "".join(f"{each.sentence}\n" for each in found)}


OPERATIONS: dict[str, Callable[[Flow, dict[str, Any]], dict[str, Any]]] = {
    "extract": _extract,
    "inject": _inject,
    "decay": _decay,
    "add": _add,
    "list": _list,
    "forget": _forget,
    "audit-check": _audit_check,
    "regression-check": _regression_check,
}


def scenario(flow: Flow, given: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    flow.bring(**{name: given.get(name) for name in ("lessons", "archive", "audit", "events", "index")})
    results = [flow.do(op) for op in given["ops"]]
    for one, other in zip(results, wanted["results"]):
        if "stdout" not in other:
            one.pop("stdout", None)
        elif other["op"] == "list":
            one["stdout"] = other["stdout"]  # only its rows are pinned
    return {"results": results, **{name: flow.rows(name) for name in ("lessons", "archive", "audit") if name in wanted}}


DRIVERS: dict[str, Callable[[Flow, Any, Any], Any]] = {
    "tokenize": lambda flow, given, wanted: sorted(keywords(given["text"])),
    "overlap": lambda flow, given, wanted: _percent(given),
    **dict.fromkeys(
        ("extract", "inject", "decay", "list", "add", "forget", "audit", "regression_check", "scenario"), scenario
    ),
}


def _percent(given: dict[str, str]) -> dict[str, Any]:
    share = archeflow_overlap(prepare(given["finding"]), prepare(given["lesson"])).score
    return {"percent": round(100 * share), "match": share >= 0.5}


def test_vector(vector: Any, check: Any, flow: Flow) -> None:
    """What its program answered where it followed its document, this answers."""
    check(vector, lambda driver: driver(flow, vector.input, vector.output))
