"""A geas task folder as a run.

Whatever file of a folder is named, its weightiest document stands for the whole, so that a folder is read once. What a
task says outright become findings; what may come up again is noted as incidents, under a trigger's name and a key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.profile import listed
from tacit.core.run import Finding, Reading, Run, Step, fold_severity
from tacit.hosts.source import Source
from tacit.origins.geas.documents import (
    MEMORY_KINDS,
    RUN_KINDS,
    agent_of,
    dict_of,
    document_in,
    document_text,
    first_text,
    in_geas,
    kind_of,
    list_of,
    meta_of,
    number_of,
    parts_of,
    producer_of,
    texts_of,
    time_of,
    title_of,
)
from tacit.origins.geas.reading import holds

if TYPE_CHECKING:
    from tacit.origins.geas.documents import Record

NAME = "geas"
WRITES_IN = ".geas"  # from the top of a repository: where its own program writes its runs
_OUTCOMES = {
    **dict.fromkeys(listed("pass, passed, success, approved, complete, completed"), "success"),
    **dict.fromkeys(
        listed("fail, failed, failure, iterate, escalated, escalate, rejected, blocked, error"),
        "failure",
    ),
    **dict.fromkeys(("cancelled", "canceled", "cancel", "aborted"), "aborted"),
}
# trigger -> (document, the fields that name what came up, in the order they are asked). The first two and the last were
# asked for by geas's triggers and are not in its schemas; the fields after them are what its documents do hold.
INCIDENTS = {
    "failure_class": ("failure_record", ("failure_class", "failure_type", "category")),
    "concern": ("specialist_review", ("category", "dimension", "concern", "description")),
    "recovery": ("recovery_packet", ("recovery_class",)),
    "recipe": ("task_contract", ("eval_commands", "demo_steps", "test_recipe")),
    "integration": ("integration_result", ("conflicts", "conflict_files", "conflicting_paths")),
    # together with the contract's task_kind
    "low_confidence": ("worker_self_check", ("confidence",)),
}
DOUBTFUL = 2  # a self-check's confidence of so much or less, of five
_MANY_WARNINGS = 20
# The file of a task folder that stands for the whole: the first of these that is there.
_ANCHORS = listed(
    "retrospective, closure_packet, final_verdict, gate_result, integration_result, "
    "worker_self_check, failure_record, specialist_review, challenge_review, "
    "implementation_contract, task_contract"
)
_SUBFOLDERS = listed(
    "reviews, specialist-reviews, failures, failure-records, evidence, recovery, self-checks"
)
_ENDS = ("retrospective", "closure_packet", "final_verdict")  # a task that has one is over


def detect(source: Source) -> float:
    """How sure we are that this file belongs to a geas task: by its own word, or by where it stands."""
    found = document_in(source)
    kind = kind_of(found, source.path) if found is not None else ""
    if found is None or kind not in RUN_KINDS:
        return 0.4 if kind in MEMORY_KINDS or holds(source) >= 0.8 else 0.0
    stated = document_text(meta_of(found).get("artifact_type")) == kind
    if stated and "task_id" in found:
        return 0.95
    return 0.85 if stated or in_geas(source.path) else 0.2


def read(source: Source) -> Iterator[Run]:
    """The task that a file belongs to, read with the documents beside it; none from a file that another stands for."""
    task = _Task(source)
    if task.stands_for_all and task.documents:
        yield task.finish()


class _Task:
    """A task folder on the way to being a run."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.bad = 0
        self.warnings: list[str] = []
        self.documents: list[tuple[str, str, Record]] = []  # (place, kind, document)
        folder = os.path.dirname(source.path)
        self.folder, self.mission = os.path.basename(folder), _mission_of(folder)
        self._take(source)
        for other in _json_of(source):
            if other.name != source.name:
                self._take(other)
        of_another = self.folder in _SUBFOLDERS and any(_json_of(source, ".."))
        self.stands_for_all = self._anchor() == source.name and not of_another
        if self.stands_for_all:
            for part in (*((name,) for name in _SUBFOLDERS), ("..", "..", "packets", self.folder)):
                for other in _json_of(source, *part):
                    self._take(other, "/".join(each for each in part if each != ".."))
            for other in source.beside("..", "..", "..", "..", "recovery"):
                self._take(other, "recovery", focus=True)

    def _anchor(self) -> str:
        """The file of this folder that stands for the task: that of the weightiest document."""
        ranked = [
            (_ANCHORS.index(kind), place.partition("#")[0])
            for place, kind, _ in self.documents
            if kind in _ANCHORS
        ]
        return min(ranked, default=(0, ""))[1]

    def _take(self, source: Source, under: str = "", focus: bool = False) -> None:
        place = f"{under}/{source.name}" if under else source.name
        found = document_in(source)
        if found is None:
            self._misread(f"{place} is not a JSON object")
            return
        kind = kind_of(found, place)
        if kind == "record":
            for name, section in _sections(found):
                self.documents.append((f"{place}#{name}", name, section))
            return
        mine = not focus or document_text(found.get("focus_task_id")) == self.task_id
        if kind in RUN_KINDS and mine:
            self.documents.append((place, kind, found))

    def _misread(self, why: str) -> None:
        self.bad += 1
        self._warn(why)

    def _warn(self, text: str) -> None:
        if len(self.warnings) < _MANY_WARNINGS:
            self.warnings.append(text)

    @property
    def task_id(self) -> str:
        """The task's own word, or the name of its folder."""
        said = (first_text(doc, "task_id", "target_task_id") for _, _, doc in self.documents)
        return next((id for id in said if id), self.folder or self.source.stem)

    def finish(self) -> Run:
        task = self.task_id
        self.id = f"{self.mission}/{task}" if self.mission else task
        contract = self.first("task_contract")
        title, goal = (document_text(contract.get(name)) for name in ("title", "goal"))
        self.task_kind = document_text(contract.get("task_kind")).lower()
        times = sorted(at for _, _, doc in self.documents if (at := time_of(doc)))
        read = len(self.documents) + self.bad
        return Run(
            id=self.id,
            host=NAME,
            steps=tuple(self.steps()),
            findings=tuple(self.findings(task)),
            agent=agent_of(dict_of(contract.get("routing")).get("primary_worker_type")),
            task=": ".join(text for text in (title, goal) if text),
            task_id=task,
            task_type=self.task_kind,
            objective=goal,
            outcome=self.outcome(),
            complete=any(kind in _ENDS for _, kind, _ in self.documents),
            files=tuple(dict.fromkeys(self.paths(contract))),
            started_at=times[0] if times else "",
            ended_at=times[-1] if times else "",
            path=self.source.path,
            reading=Reading(read, self.bad, None, warnings=tuple(self.warnings)),
            extra={
                "mission": self.mission,
                "risk": document_text(contract.get("risk_level")).lower(),
                "instruments": [f"review:{name}" for name in dict.fromkeys(self.reviewers())],
                "incidents": list(self.incidents()),
                "given": texts_of(self.first("memory_packet").get("applicable_memory_ids")),
            },
        )

    def all(self, *kinds: str) -> Iterator[tuple[str, Record]]:
        for wanted in kinds:
            yield from ((place, doc) for place, kind, doc in self.documents if kind == wanted)

    def first(self, kind: str) -> Record:
        return next((document for _, document in self.all(kind)), {})

    def outcome(self) -> str:
        """The gravest word: the verdict before the gate's, the gate's before the closure's."""
        closure = self.first("closure_packet")
        words = (
            self.first("final_verdict").get("verdict"),
            self.first("gate_result").get("verdict"),
            dict_of(closure.get("verification_result")).get("gate_verdict"),
            closure.get("status"),
            self.first("task_contract").get("status"),
        )
        known = (_OUTCOMES.get(document_text(word).lower()) for word in words)
        return next((each for each in known if each), "unknown")

    def reviewers(self) -> Iterator[str]:
        for _, document in self.all("specialist_review", "challenge_review"):
            yield _reviewer(document) or "reviewer"

    def paths(self, contract: Record) -> Iterator[str]:
        scope = dict_of(contract.get("scope"))
        yield from texts_of(scope.get("paths")) or texts_of(scope.get("surfaces"))
        for _, document in self.all("integration_result"):
            yield from texts_of(document.get("files_changed"))

    def steps(self) -> Iterator[Step]:
        """What the harness recorded as failed: the record, never somebody's account of it."""
        names = ("failure_description", "summary", "description", "detail", "failure_class")
        for place, document in self.all("failure_record"):
            error = first_text(document, *names) or "failed"
            yield Step("tool", place, tool="task", error=error, at=time_of(document))

    def findings(self, task: str) -> Iterator[Finding]:
        """Candidates of the retrospective, numbered as geas numbers them, then what reviewers suggest to remember."""
        number = 0
        for kind, field in (
            ("retrospective", "memory_candidates"),
            ("specialist_review", "memory_suggestions"),
        ):
            for place, document in self.all(kind):
                for index, text in self.said(document, field, place):
                    number += 1
                    at = f"{place}/{field}/{index}"
                    yield self.finding(text, at, kind == "retrospective", document, task, number)

    def said(self, document: Record, field: str, place: str) -> Iterator[tuple[int, str]]:
        rows = document.get(field, [])
        if not isinstance(rows, list):
            self._misread(f"{place}: {field} is not a list")
            return
        for index, text in enumerate(rows):
            if isinstance(text, str) and text.strip():
                yield index, text.strip()
            else:
                self._misread(f"{place}: {field}/{index} is not a text")

    def finding(
        self, text: str, place: str, retro: bool, document: Record, task: str, number: int
    ) -> Finding:
        artifact = f".geas/missions/{self.mission}/tasks/{task}/{place.partition('/')[0]}"
        by = producer_of(document) or "orchestration_authority"
        return Finding(
            run=self.id,
            place=place,
            text=text,
            by=by if retro else _reviewer(document) or "reviewer",
            tier="agent" if retro else "review",
            origin=artifact if self.mission else "",
            task_type=self.task_kind,
            quote=text[:300],
            at=time_of(document),
            extra={
                "memory_id": f"mem-{task}-{number}",
                "title": title_of(text),
                "evidence_refs": [f"{'retro' if retro else 'review'}-{task}"],
                "candidate_reason": f"Extracted from task {task} {'retrospective' if retro else 'review'}",
                "source_artifacts": [artifact],
                "task_id": task,
                "mission": self.mission,
            },
        )

    # What may come up again. Each is named by trigger and key; the text tells a stranger what it was.

    def incidents(self) -> Iterator[Record]:
        for place, doc in self.all("failure_record"):
            names = ("failure_description", "summary", "description", "detail", "root_cause")
            if key := first_text(doc, *INCIDENTS["failure_class"][1]):
                text = first_text(doc, *names) or f"failures of class {key}"
                yield self.incident("failure_class", key, text, place, doc)
        yield from self.concerns()
        for place, doc in self.all("recovery_packet"):
            if key := first_text(doc, *INCIDENTS["recovery"][1]):
                text = first_text(doc, "detected_problem", "recommended_action")
                yield self.incident("recovery", key, text or f"recovery of class {key}", place, doc)
        yield from self.recipes() if self.outcome() == "success" else ()
        for place, doc in self.all("integration_result"):
            for index, path in enumerate(_conflicts(doc)):
                text, at = f"integration conflicts in {path}", f"{place}/{index}"
                yield self.incident("integration", path, text, at, doc, paths=[path])
        for place, doc in self.all("worker_self_check"):
            sure = number_of(doc.get("confidence"))
            if sure is None and doc.get("confidence") is not None:
                self._warn(f"{place}: confidence is not a number")
            elif sure is not None and sure <= DOUBTFUL and self.task_kind:
                doubts = "; ".join(texts_of(doc.get("known_risks"))[:2])
                text = doubts or document_text(doc.get("summary"))
                text = text or f"low confidence in {self.task_kind} tasks"
                yield self.incident("low_confidence", self.task_kind, text, place, doc)

    def concerns(self) -> Iterator[Record]:
        for place, doc in self.all("specialist_review"):
            for field in ("blocking_concerns", "concerns"):
                for index, concern in enumerate(list_of(doc.get(field))):
                    told = concern if isinstance(concern, dict) else {"concern": concern}
                    if key := first_text(told, *INCIDENTS["concern"][1]):
                        text = first_text(told, "concern", "description", "summary") or key
                        by, at = _reviewer(doc), f"{place}/{field}/{index}"
                        yield self.incident("concern", key, text, at, doc, by, told)

    def recipes(self) -> Iterator[Record]:
        for place, doc in self.all("task_contract", "implementation_contract"):
            for field in INCIDENTS["recipe"][1]:
                told = texts_of(doc.get(field)) or [document_text(doc.get(field))]
                for index, recipe in enumerate(told):
                    if recipe:
                        at = f"{place}/{field}/{index}"
                        yield self.incident("recipe", recipe, recipe, at, doc)

    def incident(
        self,
        trigger: str,
        key: str,
        text: str,
        place: str,
        document: Record,
        by: str = "",
        told: Record | None = None,
        paths: Any = (),
    ) -> Record:
        about = told or document
        return {
            "trigger": trigger,
            "key": " ".join(key.split())[:200],
            "text": " ".join(text.split())[:500],
            "task": self.id,
            "place": place,
            "by": by or producer_of(document),
            "severity": fold_severity(about.get("severity")),
            "paths": list(paths) or texts_of(about.get("paths"))[:8],
            "at": time_of(document),
        }


def _json_of(source: Source, *part: str) -> Iterator[Source]:
    return (other for other in source.beside(*part) if other.name.endswith(".json"))


def _mission_of(folder: str) -> str:
    """m-1 of …/missions/m-1/tasks/task-014; empty where the folder stands elsewhere."""
    parts = parts_of(folder.rstrip("/\\"))
    stands = len(parts) >= 4 and parts[-2] == "tasks" and parts[-4] == "missions"
    return parts[-3] if stands else ""


def _sections(found: Record) -> Iterator[tuple[str, Record]]:
    """The documents that a `record.json` holds as its sections."""
    at = first_text(found, "updated_at", "created_at")
    shared = {"task_id": document_text(found.get("task_id")), "created_at": at}
    names = {
        "self_check": "worker_self_check",
        "closure": "closure_packet",
        "verdict": "final_verdict",
    }
    for name, section in found.items():
        kind = names.get(name, name)
        if isinstance(section, dict) and kind in RUN_KINDS:
            yield kind, {**shared, **section}


def _conflicts(document: Record) -> list[str]:
    for field in INCIDENTS["integration"][1]:
        told = [
            first_text(each, "path", "file") if isinstance(each, dict) else document_text(each)
            for each in list_of(document.get(field))
        ]
        if any(told):
            return list(dict.fromkeys(path for path in told if path))
    if document_text(document.get("status")).lower() == "conflict":
        return list(dict.fromkeys(texts_of(document.get("files_changed"))))
    return []


def _reviewer(document: Record) -> str:
    named = agent_of(document.get("reviewer_type")) or agent_of(document.get("agent"))
    return named or producer_of(document)
