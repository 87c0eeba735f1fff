"""What was noticed in one project, in memory: for a look back, which keeps no store."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.run import COMMAND, COMPLAINT, FAILURE, SENTENCE, Incident
from tacit.stores.incidents import Form, Noted
from tacit.words.diagnose import MISSING


class Notebook:
    """The same answers as the store's `Counts`."""

    def __init__(self) -> None:
        self.by_kind: dict[str, list[Noted]] = {}
        self.by_mark: dict[str, list[Noted]] = {}
        self.known: set[str] = set()

    def add(self, run: str, lineage: str, noticed: Iterable[Incident]) -> None:
        """One more piece of work."""
        self.known.add(lineage)
        for each in noticed:
            note = Noted(run, lineage, len(self.known), each)
            self.by_kind.setdefault(each.kind, []).append(note)
            if each.kind == FAILURE:
                self.by_mark.setdefault(each.mark, []).append(note)

    def lineages(self) -> int:
        """How many independent pieces of work there were."""
        return len(self.known)

    def failures(self, mark: str = "", tool: str = "") -> list[Noted]:
        """Failures of one signature, of one tool's rules, or all."""
        if mark:
            return self.by_mark.get(mark, [])
        return [
            each
            for each in self.by_kind.get(FAILURE, ())
            if not tool or (each.incident.tool == tool and each.incident.nature == "convention")
        ]

    def missing(self) -> list[Noted]:
        """What was tried and is not there."""
        return [each for each in self.by_kind.get(FAILURE, ()) if each.incident.family in MISSING]

    def of_program(self, program: str) -> list[Noted]:
        """Failures that one program printed."""
        return [each for each in self.by_kind.get(FAILURE, ()) if each.incident.program == program]

    def forms(self, purpose: str = "") -> list[Form]:
        """The forms of commands that serve a purpose, or any, the most often passed first."""
        met: dict[tuple[str, str, str, bool], tuple[set[str], set[str]]] = {}
        for each in self.by_kind.get(COMMAND, ()):
            one = each.incident
            if not purpose or one.nature == purpose:
                passed, failed = met.setdefault(
                    (one.nature, one.program, one.folder, one.family == "single"), (set(), set())
                )
                (passed if one.count else failed).add(each.lineage)
        found = [Form(*key, len(passed), len(failed)) for key, (passed, failed) in met.items()]
        return sorted(found, key=lambda form: (-form.passed, form.text, form.folder))

    def passes(self, purpose: str) -> list[Noted]:
        """Where a command for a purpose passed."""
        return [
            each
            for each in self.by_kind.get(COMMAND, ())
            if each.incident.nature == purpose and each.incident.count
        ]

    def complaints(self) -> list[Noted]:
        """Where the person had to say that a check fails."""
        return self.by_kind.get(COMPLAINT, [])

    def sentences(self) -> list[Noted]:
        """Short sentences that were typed."""
        return self.by_kind.get(SENTENCE, [])
