"""What the verbs of `Memories` take by name, for editors and the type checker; at run time nothing here is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:

    class Said(TypedDict, total=False):
        """What a lesson or a finding is about."""

        kind: str | None
        category: str | None
        severity: str | None
        domain: str | None
        agent: str | None
        task_type: str | None
        tags: Sequence[str] | None
        paths: Sequence[str] | None
        about: str | None

    class LessonFields(Said, total=False):
        """What of a lesson may be corrected."""

        text: str
        scope: str | None
        source: str | None

    class LessonFacets(Said, total=False):
        """What a lesson is given with its text."""

        scope: str | None
        source: str | None
        trust: str | None
        task: str | None
        group: str | None
        place: str | None
        run: str | None
        alias: str | None
        at: str | None
        origin: str | None
        extra: Mapping[str, Any] | None

    class FindingFacets(Said, total=False):
        """What a finding is given with its text."""

        by: str
        quote: str
        error: str

    class QueryFacets(TypedDict, total=False):
        """What narrows a question."""

        files: Sequence[str]
        errors: Sequence[str]
        command: str
        touched: bool
        agent: str
        main: bool
        domain: str
        task_type: str
        task_id: str
        mission: str
        category: str
        kind: str
        risk: str

    class RunFacets(QueryFacets, total=False):
        """What a run of one's own loop is given."""

        model: str
        host: str
        budget: str

    class EntryFilters(TypedDict, total=False):
        """Which journal entries are meant."""

        memory: str
        verb: str
        by: str
        run: str
        since: str
        until: str
        after: int
        newest: bool
        limit: int

    class ListFilters(TypedDict, total=False):
        """Which lessons are meant, and in which order."""

        equal: Mapping[str, str | int] | None
        tag: str
        since: str
        text: str
        sort: str
        limit: int
        offset: int
        behind: str

    class PruneFilters(TypedDict, total=False):
        """Which lessons a person wants taken out."""

        below: float | None
        older: float | None
        unused: bool
        staged: bool
