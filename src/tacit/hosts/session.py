"""What readers of transcripts share: a run while it is read, and the small questions that every one
of them asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.run import Cost, Reading, Run, Step
from tacit.hosts.source import Source, json_record
from tacit.words.diagnose import WORDLESS as WORDLESS

if TYPE_CHECKING:
    Record = dict[str, Any]


# no exit status and no count of tokens is above; a database must be able to hold the sum
LARGEST = 2**48
# bytes of a file that is one JSON value; a longer one is no transcript
DOCUMENT_LIMIT = 256 * 1024 * 1024
MANY_KINDS = 50  # distinct unknown types worth naming
MANY_TASK = 4000  # characters of a task that are kept
# Tacit asks models from such a folder and with such a prompt. It must not learn from itself.
OWN_FOLDER = "/tacit-model-call"
OWN_PROMPT = "[tacit:"
_SPEAKS = {"assistant": "agent", "system": "host"}


class Session:
    """One run while it is read: what came of it so far, and what could not be read."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.rows: list[Record] = []
        self.open: dict[str, Record] = {}  # calls without a result, by id
        self.calls: set[str] = set()
        self.files: dict[str, None] = {}
        self.models: dict[str, int] = {}
        self.id = self.root = self.cwd = self.branch = self.commit = self.remote = ""
        self.version = self.agent = self.task = self.started = self.ended = ""
        self.outcome = "unknown"
        self.complete = self.interactive = False
        self.entry = ""  # the way in, where a person may sit
        self.spent = Cost()
        self.lines = self.malformed = self.duplicates = self.skipped = 0
        self.unknown: dict[str, int] = {}
        self.warnings: list[str] = []
        self.where = ""
        self.nth = 0

    def records(self, source: Source, prefix: str = "line:") -> Iterator[Record]:
        """The records of a file of JSON lines; the steps of each stand at its line."""
        number = 0
        try:
            for number, line in enumerate(source.lines(), 1):
                found = json_record(line)
                if found is None:
                    self.malformed += bool(line.strip())
                    continue
                self.at(f"{prefix}{number}")
                yield found
        finally:
            self.lines += number
            self.skipped += source.skipped

    def at(self, place: str) -> None:
        """From here on steps stand at this place."""
        self.where, self.nth = place, 0

    def odd(self, what: str) -> None:
        """Something that this reader does not know."""
        what = what[:60]
        if what not in self.unknown and len(self.unknown) >= MANY_KINDS:
            what = "(others)"
        self.unknown[what] = self.unknown.get(what, 0) + 1

    def add(self, role: str, at: str = "", **more: Any) -> Record:
        """A step; the second and later ones of a record are numbered."""
        self.nth += 1
        place = self.where if self.nth == 1 else f"{self.where}#{self.nth}"
        row: Record = {"role": role, "place": place, "at": at, **more}
        row.setdefault("speaker", _SPEAKS.get(role, ""))
        self.rows.append(row)
        for path in row.get("files", ()):
            self.files[path] = None
        self.seen_at(at)
        return row

    def say(self, role: str, text: str, at: str = "", **more: Any) -> Record | None:
        """Words as a step, where there are any."""
        text = text.strip()
        return self.add(role, at, text=text, **more) if text else None

    def ask(
        self, text: str, at: str = "", typed: bool = False, unsure: bool = False
    ) -> Record | None:
        """What was asked: a step, and the task if it is the first. `unsure`: the host does not say whether a person or a program asked."""
        row = self.say(
            "user", text, at, typed=typed, speaker="typed" if typed else "unsure" if unsure else ""
        )
        if row is not None and not self.task:
            self.task = row["text"][:MANY_TASK]
        return row

    def call(
        self, id: str, tool: str, given: Any, at: str = "", files: tuple[str, ...] = ()
    ) -> Record | None:
        """A tool call, open until its result comes; None for one met before."""
        if id and id in self.calls:
            self.duplicates += 1
            return None
        arguments = given if isinstance(given, dict) else {} if given is None else {"input": given}
        row = self.add("tool", at, tool=tool, input=arguments, files=files or files_of(arguments))
        if id:
            self.calls.add(id)
            self.open[id] = row
        return row

    def answered(
        self,
        id: Any,
        output: str,
        *,
        failed: bool = False,
        status: int | None = None,
        stopped: bool = False,
    ) -> Record | None:
        """A call's result, or that it was refused; None where its call is not known, or was answered before."""
        row = self.open.pop(id, None) if isinstance(id, str) else None
        if row is None:
            if id in self.calls:
                self.duplicates += 1
            else:
                self.odd("a result without its call")
            return None
        fill(row, output, failed=failed, status=status)
        if stopped:
            row["interrupted"] = True
        return row

    def spend(self, usage: Any, fresh: int, output: int, read: str, written: str = "") -> None:
        """Tokens of one answer more, those of the cache by their names in it."""
        cached, kept, spent = token_count(usage, read), token_count(usage, written), self.spent
        self.spent = Cost(
            spent.input + fresh,
            spent.output + output,
            spent.cache_read + cached,
            spent.cache_write + kept,
        )

    def stopped(self, text: str, at: str = "") -> None:
        """The person pressed stop: the open calls are stopped, else the moment itself is a step."""
        for row in self.open.values():
            row["interrupted"] = True
        if not self.open and not (self.rows and self.rows[-1].get("interrupted")):
            self.add("user", at, text=text, interrupted=True, speaker="host")
        self.open.clear()

    @property
    def ours(self) -> bool:
        """Whether this is one of Tacit's own model calls."""
        return OWN_FOLDER in self.cwd or self.task.startswith(OWN_PROMPT)

    def seen_at(self, at: str) -> None:
        """A moment of the run."""
        if at:
            self.started = self.started or at
            self.ended = max(self.ended, at)

    def model(self, name: Any) -> None:
        """A model that answered."""
        if isinstance(name, str) and name:
            self.models[name] = self.models.get(name, 0) + 1

    def run(self, source: Source, **more: Any) -> Run:
        """What was read, as a run."""
        if skipped := self.skipped or source.skipped:
            self.warnings.append(f"{skipped} lines are too long or cut off and were left out")
        facts = [
            "cwd",
            "branch",
            "commit",
            "remote",
            "version",
            "agent",
            "task",
            "outcome",
            "complete",
        ]
        said = {
            **{name: getattr(self, name) for name in facts},
            "started_at": self.started,
            "ended_at": self.ended,
            "files": tuple(self.files),
            "path": source.path,
            "root": self.root if self.root != self.id else "",
            "model": most_used(self.models),
            "cost": self.spent if self.spent != Cost() else None,
            "reading": self.reading(),
        }
        return Run(self.id, self.host, tuple(Step(**row) for row in self.rows), **{**said, **more})

    def reading(self, **more: Any) -> Reading:
        """How it was read."""
        return Reading(
            self.lines,
            self.malformed,
            self.unknown or None,
            self.duplicates,
            tuple(self.warnings),
            **{"interactive": self.interactive, "entry": self.entry, **more},
        )


def most_used(models: Mapping[str, int]) -> str:
    """The model that answered most often."""
    return max(models, key=models.__getitem__) if models else ""


def fill(row: Record, output: str, *, failed: bool = False, status: int | None = None) -> None:
    """Put a result into the step of its call: it is either output or error."""
    row["error" if failed else "output"] = output or (WORDLESS if failed else "")
    if status is not None:
        row["status"] = status


# --- a file that is one JSON value -------------------------------------------------------------------------------------


def document(source: Source) -> Record | None:
    """The JSON object that a whole file holds; None for anything else, and for what is too large to be one."""
    with source.open() as file:
        raw = file.read(DOCUMENT_LIMIT + 1)
    return json_record(raw) if len(raw) <= DOCUMENT_LIMIT else None


# --- what a record says ------------------------------------------------------------------------------------------------


def record_type(found: Any, key: str = "type") -> str:
    """The name of a record's type."""
    kind = found.get(key) if type(found) is dict else None
    return kind if isinstance(kind, str) else "(no type)"


def text_at(found: Any, *keys: str) -> str:
    """The first of these fields that is a text."""
    if type(found) is dict:
        for key in keys:
            if isinstance(found.get(key), str):
                return str(found[key])
    return ""


def dict_at(found: Any, key: str) -> Record:
    """A field that is an object; an empty one for anything else."""
    inner = found.get(key) if type(found) is dict else None
    return inner if type(inner) is dict else {}


def list_at(found: Any, key: str) -> list[Any]:
    """A field that is a list; an empty one for anything else."""
    inner = found.get(key) if type(found) is dict else None
    return inner if type(inner) is list else []


def content_text(content: Any) -> str:
    """The text of a content that is a text, or blocks or parts with texts."""
    if isinstance(content, str):
        return content
    if type(content) is dict:
        content = [content]
    if type(content) is not list:
        return ""
    return "\n".join(
        text
        for block in content
        if (text := block if isinstance(block, str) else text_at(block, "text"))
    )


def time_of(found: Any, key: str = "timestamp") -> str:
    """When it happened, in ISO 8601 with a T; empty where it does not say."""
    at = found.get(key) if type(found) is dict else None
    return at if type(at) is str and 19 <= len(at) <= 35 and at[4] == "-" and at[10] == "T" else ""


def token_count(usage: Any, *names: str) -> int:
    """The first of these counts that is one."""
    for name in names:
        count = usage.get(name) if type(usage) is dict else None
        if type(count) is int and 0 < count < LARGEST:
            return count
    return 0


def status_of(code: Any) -> int | None:
    """An exit status that a database can hold."""
    return code if type(code) is int and abs(code) < LARGEST else None


PATH_KEYS = tuple(
    "file_path path filePath notebook_path target_file absolute_path dir_path file".split()
)


def files_of(arguments: Record) -> tuple[str, ...]:
    """The file that a call's arguments name."""
    for key in PATH_KEYS:
        named = arguments.get(key)
        if isinstance(named, str) and named and "\n" not in named and len(named) < 1000:
            return (named,)
    return ()


def patched_files(patch: str) -> tuple[str, ...]:
    """The files that a patch of the `*** Update File:` kind names."""
    return tuple(dict.fromkeys(found[1].strip() for found in _PATCHED.finditer(patch)))[:100]


_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$", re.MULTILINE)
