"""A geas task folder as a run.

Whatever file of a folder is named, its weightiest document stands for the whole, so that a folder is read once. What a
task says outright become findings; what may come up again is noted as incidents, under a trigger's name and a key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

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
    **dict.fromkeys(("pass", "passed", "success", "approved", "complete", "completed"), "success"),
    **dict.fromkeys(
        (
            "fail",
            "failed",
            "failure",
            "iterate",
            "escalated",
            "escalate",
            "rejected",
            "blocked",
            "error",
        ),
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
    "low_confidence": (
        "worker_self_check",
        ("confidence",),
    ),  # together with the contract's task_kind
}
DOUBTFUL = 2  # a self-check's confidence of so much or less, of five
_MANY_WARNINGS = 20
# The file of a task folder that stands for the whole: the first of these that is there.
_ANCHORS = (
    "retrospective",
    "closure_packet",
    "final_verdict",
    "gate_result",
    "integration_result",
    "worker_self_check",
    "failure_record",
    "specialist_review",
    "challenge_review",
    "implementation_contract",
    "task_contract",
)
_SUBFOLDERS = (
    "reviews",
    "specialist-reviews",
    "failures",
    "failure-records",
    "evidence",
    "recovery",
    "self-checks",
)


def detect(source: Source) -> float:
    """How sure we are that this file belongs to a geas task: by its own word, or by where it stands."""
    found = document_in(source)
    kind = kind_of(found, source.path) if found is not None else ""
    if found is not None and kind in RUN_KINDS:
        stated = document_text(meta_of(found).get("artifact_type")) == kind
        return (
            0.95
            if stated and "task_id" in found
            else 0.85
            if stated or in_geas(source.path)
            else 0.2
        )
    return 0.4 if kind in MEMORY_KINDS or holds(source) >= 0.8 else 0.0


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
        self.folder = os.path.basename(folder) if folder else ""
        self.mission = _mission_of(folder)
        self._take(source)
        for other in source.beside():
            if other.name.endswith(".json") and other.name != source.name:
                self._take(other)
        self.stands_for_all = self._anchor() == source.name and not (
            self.folder in _SUBFOLDERS
            and any(other.name.endswith(".json") for other in source.beside(".."))
        )
        if self.stands_for_all:
            for part in (*((name,) for name in _SUBFOLDERS), ("..", "..", "packets", self.folder)):
                for other in source.beside(*part):
                    if other.name.endswith(".json"):
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
            self.bad += 1
            self.warn(f"{place} is not a JSON object")
            return
        kind = kind_of(found, place)
        if kind == "record":
            for name, section in _sections(found):
                self.documents.append((f"{place}#{name}", name, section))
            return
        if kind in RUN_KINDS and (
            not focus or document_text(found.get("focus_task_id")) == self.task_id
        ):
            self.documents.append((place, kind, found))

    @property
    def task_id(self) -> str:
        """The task's own word, or the name of its folder."""
        said = (
            document_text(doc.get("task_id")) or document_text(doc.get("target_task_id"))
            for _, _, doc in self.documents
        )
        return next((id for id in said if id), self.folder or self.source.stem)

    def warn(self, text: str) -> None:
        if len(self.warnings) < _MANY_WARNINGS:
            self.warnings.append(text)

    def finish(self) -> Run:
        task = self.task_id
        self.id = f"{self.mission}/{task}" if self.mission else task
        contract = self.first("task_contract")
        times = sorted(at for _, _, doc in self.documents if (at := time_of(doc)))
        risk = document_text(contract.get("risk_level")).lower()
        packet = self.first("memory_packet")
        return Run(
            id=self.id,
            host=NAME,
            steps=tuple(self.steps()),
            findings=tuple(self.findings(task)),
            agent=agent_of(dict_of(contract.get("routing")).get("primary_worker_type")),
            task=": ".join(
                text
                for text in (
                    document_text(contract.get("title")),
                    document_text(contract.get("goal")),
                )
                if text
            ),
            task_id=task,
            task_type=document_text(contract.get("task_kind")).lower(),
            objective=document_text(contract.get("goal")),
            outcome=self.outcome(),
            complete=any(
                kind in ("retrospective", "closure_packet", "final_verdict")
                for _, kind, _ in self.documents
            ),
            files=tuple(dict.fromkeys(self.paths(contract))),
            started_at=times[0] if times else "",
            ended_at=times[-1] if times else "",
            path=self.source.path,
            reading=Reading(
                len(self.documents) + self.bad, self.bad, None, warnings=tuple(self.warnings)
            ),
            extra={
                "mission": self.mission,
                "risk": risk,
                "instruments": [f"review:{name}" for name in dict.fromkeys(self.reviewers())],
                "incidents": list(self.incidents()),
                "given": texts_of(packet.get("applicable_memory_ids")),
            },
        )

    def all(self, kind: str) -> Iterator[tuple[str, Record]]:
        for place, found, document in self.documents:
            if found == kind:
                yield place, document

    def first(self, kind: str) -> Record:
        return next((document for _, document in self.all(kind)), {})

    def outcome(self) -> str:
        """The gravest word: the verdict before the gate's, the gate's before the closure's."""
        words = [
            self.first("final_verdict").get("verdict"),
            self.first("gate_result").get("verdict"),
            dict_of(self.first("closure_packet").get("verification_result")).get("gate_verdict"),
            self.first("closure_packet").get("status"),
            self.first("task_contract").get("status"),
        ]
        for word in words:
            if (known := _OUTCOMES.get(document_text(word).lower())) is not None:
                return known
        return "unknown"

    def reviewers(self) -> Iterator[str]:
        for kind in ("specialist_review", "challenge_review"):
            for _, document in self.all(kind):
                yield _reviewer(document) or "reviewer"

    def paths(self, contract: Record) -> Iterator[str]:
        scope = dict_of(contract.get("scope"))
        yield from texts_of(scope.get("paths")) or texts_of(scope.get("surfaces"))
        for _, document in self.all("integration_result"):
            yield from texts_of(document.get("files_changed"))

    def steps(self) -> Iterator[Step]:
        """What the harness recorded as failed: the record, never somebody's account of it."""
        for place, document in self.all("failure_record"):
            error = first_text(
                document, "failure_description", "summary", "description", "detail", "failure_class"
            )
            yield Step("tool", place, tool="task", error=error or "failed", at=time_of(document))

    def findings(self, task: str) -> Iterator[Finding]:
        """Candidates of the retrospective, numbered as geas numbers them, then what reviewers suggest to remember."""
        number = 0
        for place, document in self.all("retrospective"):
            by = agent_of(meta_of(document).get("producer_type")) or "orchestration_authority"
            for index, text in self.said(document, "memory_candidates", place):
                number += 1
                yield self.finding(
                    text,
                    f"{place}/memory_candidates/{index}",
                    by,
                    "agent",
                    document,
                    task,
                    number,
                    "retro",
                )
        for place, document in self.all("specialist_review"):
            by = _reviewer(document) or "reviewer"
            for index, text in self.said(document, "memory_suggestions", place):
                number += 1
                yield self.finding(
                    text,
                    f"{place}/memory_suggestions/{index}",
                    by,
                    "review",
                    document,
                    task,
                    number,
                    "review",
                )

    def said(self, document: Record, field: str, place: str) -> Iterator[tuple[int, str]]:
        listed = document.get(field, [])
        if not isinstance(listed, list):
            self.bad += 1
            self.warn(f"{place}: {field} is not a list")
            return
        for index, text in enumerate(listed):
            if isinstance(text, str) and text.strip():
                yield index, text.strip()
            else:
                self.bad += 1
                self.warn(f"{place}: {field}/{index} is not a text")

    def finding(
        self,
        text: str,
        place: str,
        by: str,
        tier: str,
        document: Record,
        task: str,
        number: int,
        ref: str,
    ) -> Finding:
        artifact = f".geas/missions/{self.mission}/tasks/{task}/{place.partition('/')[0]}"
        return Finding(
            run=self.id,
            place=place,
            text=text,
            by=by,
            tier=tier,
            origin=artifact if self.mission else "",
            task_type=document_text(self.first("task_contract").get("task_kind")).lower(),
            quote=text[:300],
            at=time_of(document),
            extra={
                "memory_id": f"mem-{task}-{number}",
                "title": title_of(text),
                "evidence_refs": [f"{ref}-{task}"],
                "candidate_reason": f"Extracted from task {task} {'retrospective' if ref == 'retro' else 'review'}",
                "source_artifacts": [artifact],
                "task_id": task,
                "mission": self.mission,
            },
        )

    # What may come up again. Each is named by trigger and key; the text tells a stranger what it was.

    def incidents(self) -> Iterator[Record]:
        task_kind = document_text(self.first("task_contract").get("task_kind")).lower()
        passed = self.outcome() == "success"
        for place, document in self.all("failure_record"):
            key = first_text(document, *INCIDENTS["failure_class"][1])
            text = first_text(
                document, "failure_description", "summary", "description", "detail", "root_cause"
            )
            if key:
                yield self.incident(
                    "failure_class", key, text or f"failures of class {key}", place, document
                )
        for place, document in self.all("specialist_review"):
            for field in ("blocking_concerns", "concerns"):
                for index, concern in enumerate(list_of(document.get(field))):
                    told = concern if isinstance(concern, dict) else {"concern": concern}
                    key = first_text(told, *INCIDENTS["concern"][1])
                    text = first_text(told, "concern", "description", "summary") or key
                    if key:
                        yield self.incident(
                            "concern",
                            key,
                            text,
                            f"{place}/{field}/{index}",
                            document,
                            _reviewer(document),
                            told,
                        )
        for place, document in self.all("recovery_packet"):
            key = first_text(document, *INCIDENTS["recovery"][1])
            if key:
                text = (
                    first_text(document, "detected_problem", "recommended_action")
                    or f"recovery of class {key}"
                )
                yield self.incident("recovery", key, text, place, document)
        for kind in ("task_contract", "implementation_contract"):
            for place, document in self.all(kind):
                for field in INCIDENTS["recipe"][1] if passed else ():
                    for index, recipe in enumerate(
                        texts_of(document.get(field)) or [document_text(document.get(field))]
                    ):
                        if recipe:
                            yield self.incident(
                                "recipe", recipe, recipe, f"{place}/{field}/{index}", document
                            )
        for place, document in self.all("integration_result"):
            for index, path in enumerate(_conflicts(document)):
                text = f"integration conflicts in {path}"
                yield self.incident(
                    "integration", path, text, f"{place}/{index}", document, paths=(path,)
                )
        for place, document in self.all("worker_self_check"):
            sure = document.get("confidence")
            if isinstance(sure, (int, float)) and not isinstance(sure, bool):
                if sure <= DOUBTFUL and task_kind:
                    doubts = "; ".join(texts_of(document.get("known_risks"))[:2]) or document_text(
                        document.get("summary")
                    )
                    text = doubts or f"low confidence in {task_kind} tasks"
                    yield self.incident("low_confidence", task_kind, text, place, document)
            elif sure is not None:
                self.warn(f"{place}: confidence is not a number")

    def incident(
        self,
        trigger: str,
        key: str,
        text: str,
        place: str,
        document: Record,
        by: str = "",
        told: Record | None = None,
        paths: tuple[str, ...] = (),
    ) -> Record:
        return {
            "trigger": trigger,
            "key": " ".join(key.split())[:200],
            "text": " ".join(text.split())[:500],
            "task": self.id,
            "place": place,
            "by": by or agent_of(meta_of(document).get("producer_type")),
            "severity": fold_severity((told or document).get("severity")),
            "paths": list(paths) or texts_of((told or document).get("paths"))[:8],
            "at": time_of(document),
        }


def _mission_of(folder: str) -> str:
    """m-1 of …/missions/m-1/tasks/task-014; empty where the folder stands elsewhere."""
    parts = folder.replace("\\", "/").rstrip("/").split("/")
    if len(parts) >= 4 and parts[-2] == "tasks" and parts[-4] == "missions":
        return parts[-3]
    return ""


def _sections(found: Record) -> Iterator[tuple[str, Record]]:
    """The documents that a `record.json` holds as its sections."""
    task = document_text(found.get("task_id"))
    shared = {
        "task_id": task,
        "created_at": document_text(found.get("updated_at"))
        or document_text(found.get("created_at")),
    }
    names = {
        "self_check": "worker_self_check",
        "closure": "closure_packet",
        "verdict": "final_verdict",
    }
    for name, section in found.items():
        if isinstance(section, dict) and (kind := names.get(name, name)) in RUN_KINDS:
            yield kind, {**shared, **section}


def _conflicts(document: Record) -> list[str]:
    for field in INCIDENTS["integration"][1]:
        listed = [
            document_text(each.get("path")) or document_text(each.get("file"))
            if isinstance(each, dict)
            else document_text(each)
            for each in list_of(document.get(field))
        ]
        if any(listed):
            return list(dict.fromkeys(path for path in listed if path))
    if document_text(document.get("status")).lower() == "conflict":
        return list(dict.fromkeys(texts_of(document.get("files_changed"))))
    return []


def _reviewer(document: Record) -> str:
    return (
        agent_of(document.get("reviewer_type"))
        or agent_of(document.get("agent"))
        or agent_of(meta_of(document).get("producer_type"))
    )
