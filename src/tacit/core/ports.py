"""The ports conductors take. They exist for readers and the type checker only; at run time nothing here is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from tacit.core.proposal import Proposal

if TYPE_CHECKING:
    from tacit.core.journal import Change, Entry
    from tacit.core.links import Evidence, Mark, Telling, Use
    from tacit.core.memory import Memory, Tally
    from tacit.core.rows import Direction, Fault, FindingRow, Found, Hit, Job, Near, Project, RunRow
    from tacit.words.passages import Passage

    Clock = Callable[[], str]
    Ids = Callable[[], str]

    class Embedder(Protocol):
        """Turns texts into vectors; its identity is stamped on each of them."""

        identity: str
        size: int

        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...

    class WordEmbedder(Embedder, Protocol):
        """One whose texts are the sum of their words: with their vectors a question is understood without it, before a prompt too."""

        def words(self) -> Iterable[tuple[str, Sequence[float]]]:
            """Each word that it knows by itself and its vector, the most frequent first."""

    class Model(Protocol):
        """Answers a prompt within a time limit, or raises Unavailable. The prompt is redacted before it leaves."""

        identity: str

        def ask(self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0) -> str: ...

    class Ledger(Protocol):
        """What models have cost today and how they fared, shared by all processes of a store."""

        def now(self) -> str: ...

        def update(self, key: str, change: Callable[[str, int, int], str], counts: Mapping[str, int]) -> None:
            """One transaction: a line of state changed by a function of it and of today's and this month's tokens, and events counted."""

    class Placed(Protocol):
        """A candidate that some channel found."""

        @property
        def memory(self) -> Memory: ...
        @property
        def n(self) -> int: ...

    class Statements(Protocol):
        """How the readers of `stores/` ask, and nobody else."""

        def rows(self, sql: str, **named: Any) -> list[Any]: ...

        def one(self, sql: str, **named: Any) -> Any:
            """The first row, or None."""

        def each(self, sql: str, **named: Any) -> Iterator[Any]:
            """Rows one by one, for what may be large."""

    class ProjectRows(Protocol):
        """Projects, profiles and settings."""

        def project(self, id: str) -> Project | None:
            """A project by its id."""

        def projects(self, *, remote: str = "", key: str = "") -> list[Project]:
            """All projects, or those with a remote or a path."""

        def profile_json(self, id: str) -> str | None:
            """A compiled profile by its version."""

        def meta(self, key: str) -> str:
            """A setting of the store; empty where it is not set."""

    class LessonRows(Protocol):
        """Memories, what they are called, and what is counted of each."""

        def get(self, id: str) -> Memory:
            """A memory by its full id."""

        def memories(self, ids: Sequence[str]) -> list[Memory]:
            """Memories by id, in the order asked for; unknown ids are left out."""

        def tally(self, memory: str) -> Tally:
            """What is kept of a memory's counts."""

        def course(self, memory: str, epoch: str) -> str:
            """How far a lesson has come in an epoch, as it was kept; empty where nothing was, or its past changed since."""

        def resolve(self, name: str, project: str = "") -> str:
            """The full id behind an id, a unique prefix of one, or an alias in this project."""

        def select(
            self,
            projects: Sequence[str],
            *,
            states: Sequence[str] = (),
            equal: Mapping[str, str | int] | None = None,
            tag: str = "",
            since: str = "",
            text: str = "",
            sort: str = "new",
            limit: int = 50,
            offset: int = 0,
            behind: str = "",
        ) -> list[Memory]:
            """Memories of some projects by their facets, newest first unless sorted otherwise; those behind one, where it is named."""

        def counted(self, projects: Sequence[str], by: Sequence[str]) -> list[Any]:
            """How many memories these projects have for each combination of some facets: (their words …, count), most first."""

        def alias_of(self, memory: str) -> list[tuple[str, str]]:
            """(namespace, alias) of a memory."""

        def aliases(self, project: str, namespace: str) -> set[str]:
            """Every name ever given in a namespace, whatever became of what bears it."""

        def find(
            self, projects: Sequence[str], words: Sequence[str], *, limit: int = 50, injectable: bool = False
        ) -> Found:
            """Candidates for a query's words, and how common each word is here; ranking is the caller's."""

    class JournalRows(Protocol):
        """What happened to memories: entries, evidence, uses, marks, answers."""

        def entries(
            self,
            projects: Sequence[str] = (),
            *,
            memory: str = "",
            verb: str = "",
            by: str = "",
            run: str = "",
            since: str = "",
            after: int = 0,
            until: str = "",
            newest: bool = False,
            limit: int = -1,
        ) -> list[Entry]:
            """The journal in the order it was written, or its newest entries first."""

        def entry(self, id: int) -> Entry:
            """One entry by its number."""

        def evidence(self, memory: str) -> list[Evidence]:
            """All evidence of a memory, in the order it was written."""

        def uses(self, *, memory: str = "", unit: str = "") -> list[Use]:
            """The uses of a memory, or all of a unit."""

        def marks(self, *, memory: str = "", unit: str = "") -> list[Mark]:
            """The marks on a memory's uses, or on those of a unit, in the order they were written."""

        def all_uses(self, project: str) -> list[Use]:
            """Every use of a project, in the order of assignment; its global lessons' too."""

        def all_marks(self, project: str) -> list[Mark]:
            """Every mark of a project, in the order of writing."""

        def injections(self, unit: str) -> list[tuple[str, str, str, str]]:
            """What a unit was given so far: (surface, given, withheld, at), ids as JSON."""

        def tellings(self, unit: str) -> list[Telling]:
            """What each context of a unit was assigned, in order. Answers from before there were contexts are the main one's."""

        def sealed(self, project: str) -> dict[str, int]:
            """How many rows a project has of each sealed table: journal, evidence, use, mark."""

    class RunRows(Protocol):
        """Runs, and what was found in them."""

        def run(self, id: str) -> RunRow | None:
            """A run by its id in the store."""

        def find_run(self, project: str, foreign_id: str) -> RunRow | None:
            """A run by the host's own id; of several that bear it, the one that was learned."""

        def runs(self, project: str, *, limit: int = 50, root: str = "") -> list[RunRow]:
            """A project's runs, newest first, or all runs of one unit."""

        def findings(self, *, run: str = "", memory: str = "") -> list[FindingRow]:
            """What a run said, or what was said of a memory."""

        def tombstones(self, run: str) -> set[str]:
            """Places of a run whose findings stay out."""

    class WaitingRows(Protocol):
        """What waits for a person or for the worker."""

        def proposals(
            self,
            project: str = "",
            *,
            state: str = "open",
            memory: str = "",
            kinds: Sequence[str] = (),
            limit: int = 200,
            offset: int = 0,
            behind: str = "",
        ) -> list[Proposal]:
            """Proposals, oldest first; those that come behind one, where it is named."""

        def proposals_named(self, project: str, beginning: str) -> list[Proposal]:
            """A project's proposals whose ids begin so, in any state."""

        def proposals_about(self, project: str, *, state: str = "open", kind: str = "") -> list[tuple[str, str]]:
            """(kind, memory) of each proposal in a state, and of a kind where one is named, oldest first."""

        def proposal(self, id: str) -> Proposal | None:
            """A proposal by its id."""

        def queued_job(self, key: str) -> tuple[str, str] | None:
            """When a job was last asked for, and with what; None where it does not wait."""

        def is_job_due(self, now: str) -> bool:
            """Whether a job may be taken that nobody works on."""

        def queued(self) -> int:
            """How many jobs wait or are under way."""

    class Reads(Statements, ProjectRows, LessonRows, JournalRows, RunRows, WaitingRows, Protocol):
        """What a store and a transaction in it both read."""

        lock: str  # the project whose writers follow each other; a file has one lock for all of them
        is_file: bool  # one file of our own to copy, verify and repair; a server looks after its own
        path: str  # the file, or the address without its password
        url: str  # the address of a server; empty for a file
        far: str  # the address of the server whose cache this is
        changed: bool  # whether something was written to a server through this object
        machine: str

        @property
        def is_whole(self) -> bool:
            """Whether all projects of the store are visible to us."""

    class Store(Reads, Protocol):
        """Where it is kept, whatever the engine."""

        def ask(
            self,
            projects: Sequence[str],
            passages: Sequence[Passage],
            *,
            limit: int = 50,
            injectable: bool = False,
            meaning: float = 0.0,
        ) -> Found:
            """Candidates for a question of any length, with its passages in the index's own words; ranking is the caller's. Where the
            engine keeps the vectors of words, `meaning` is what a cosine beyond the usual one is worth beside the words."""

        wait: float

        def write(self, *, wait: float | None = None, confidence: str = "none", keep: bool = True) -> Transaction:
            """One transaction: `with store.write() as tx: tx.apply(change)`. Acknowledge after the block, never inside."""

        def snapshot(self) -> AbstractContextManager[object]:
            """Inside `with store.snapshot():` everything is read as it is now, whatever others write meanwhile."""

        def alone(self, what: str) -> AbstractContextManager[object]:
            """Inside `with store.alone(what):` nobody else is at it, on any machine; whoever dies there lets it go."""

        def tidy(self, added: int = 0) -> int:
            """Put derived data in order where an engine needs that, perhaps after rows were `added`; returns its steps."""

        def compared(self, direction: Direction, hits: Sequence[Placed]) -> Near:
            """How near these hits are to where a question points, as `ask` told it."""

        def near(
            self,
            projects: Sequence[str],
            identity: str,
            vector: Sequence[float],
            hits: Sequence[Placed],
            *,
            limit: int,
            injectable: bool = False,
        ) -> Near:
            """The memories nearest in meaning, and how near these and the hits given are."""

        def embed(self, embedder: Embedder, *, most: int = 1 << 30, anew: bool = False) -> int:
            """Make the vectors that are missing, or all of them anew; how many were made."""

        def signed(self, projects: Sequence[str], signatures: Sequence[str], *, limit: int = 20) -> tuple[Hit, ...]:
            """Lessons about exactly these errors."""

        def recurring(self, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
            """What was seen most often in these projects and may be given."""

        def standing(self, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
            """Preferences, rules, security lessons and pinned ones."""

        def file_faults(self) -> Iterator[Fault]:
            """What is wrong with the file itself."""

        def index_faults(self) -> Iterator[Fault]:
            """What is wrong with full text and vectors."""

        @property
        def schema(self) -> int:
            """The number of the newest migration it has been through."""

        def size(self) -> int:
            """Its bytes on disk, the write-ahead log included."""

        def scrub(self) -> None:
            """Leave no old page image of what was blanked, and nothing of it in this process."""

        def hurry(self) -> None:
            """Do not fold the write-ahead log back when this connection closes: a prompt is waiting, the next command does it."""

        def close(self) -> None:
            """Close the connection; what was acknowledged is on disk already."""

        def __enter__(self) -> Self: ...

        def __exit__(self, *_: object) -> None: ...

    class RowWrites(Protocol):
        """Rows and their seals."""

        def insert(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
            """Write rows as they are, with their numbers and hashes: for a move, which brings their seals along."""

        def number_on(self) -> None:
            """Let new rows be numbered behind those that brought their numbers."""

        def count_day(self, project: str, at: str, what: str, amount: float, whose: str = "") -> None:
            """Add to a figure of a day (stores/daily.py)."""

        def reindex(self) -> None:
            """Build full text anew from the rows, and counts by facet where an engine keeps them."""

        def may_change(self, project: str) -> bool:
            """Whether lessons of a project are this user's to change; on a server those that hold everywhere may not be."""

        def put_project(self, project: Project) -> None:
            """Write or correct a project's row."""

        def put_profile(self, id: str, name: str, compiled: str, at: str) -> None:
            """Keep a profile version once."""

        def put_meta(self, key: str, value: str) -> None:
            """Set a setting of the store."""

        def next_seq(self, project: str) -> int:
            """Count one more learned run of a project."""

        def count(self, project: str, name: str, at: str, by: int = 1) -> None:
            """Count an event of a kind that should be rare: a skipped line, a fallback, a refused move."""

        def index(self, n: int, old: tuple[str, str] | None, new: tuple[str, str] | None) -> None:
            """Keep full text in step: (text, words) before and after."""

        def put_sealed(self, table: str, row: Mapping[str, Any], *, replace: bool = True) -> None:
            """Write a row of a table whose rows carry no hash, its seal in step."""

        def seal(self, project: str, kind: str, shard: int, rows: int, hash: bytes) -> None:
            """Count rows and a hash into a seal."""

        def unseal(self, table: str, row: Mapping[str, Any]) -> None:
            """Take a row of a table whose rows carry no hash out of its seal."""

    class RunWrites(Protocol):
        """Runs, what was found in them, what was answered, and what waits."""

        def put_run(self, run: RunRow) -> None:
            """Write or correct a run's row."""

        def put_finding(self, finding: FindingRow) -> None:
            """Write or correct a finding's row."""

        def bury(self, run: str, place: str, project: str, reason: str, at: str) -> None:
            """Leave a tombstone, so that no later extractor brings this place back."""

        def put_proposal(self, proposal: Proposal) -> None:
            """Write or correct a proposal's row."""

        def add_injection(
            self,
            event: str,
            project: str,
            run: str,
            unit: str,
            surface: str,
            tokens: int,
            given: Sequence[str],
            withheld: Sequence[str],
            left_out: Mapping[str, Any],
            at: str,
        ) -> bool:
            """Record an answer given to an agent; false if this very event was answered before."""

        def enqueue(
            self, kind: str, key: str, project: str, payload: Mapping[str, Any], at: str, not_before: str = ""
        ) -> None:
            """Ask the worker for something; the same key again refreshes what waits."""

        def lease(self, who: str, now: str, until: str, after: int = 0, last: int = ..., kind: str = "") -> Job | None:
            """Take the oldest job due and not held, numbered beyond `after` up to `last`; `kind`: "read", or "rest" for all but those."""

        def finish(self, job: Job, holder: str) -> None:
            """Take a done job off the queue, unless it was asked for again meanwhile or somebody else holds it."""

        def postpone(self, job: Job, error: str, not_before: str) -> None:
            """Put a failed job back for later."""

    class Transaction(Reads, RowWrites, RunWrites, Protocol):
        """Everything that can be read, inside the one transaction that writes; a memory changes by `apply` and by nothing else."""

        def blank_entries(self, memory: str) -> None:
            """Take the words out of a memory's journal; the digests stay, and its chain still verifies."""

        def words(self, memory: Memory) -> str:
            """The derived words that full text needs beside the text: parts of names, then a line for each task it was met in."""

        def reword(self, id: str) -> None:
            """Derive a memory's words anew: it was met in another task."""

        def apply(self, change: Change) -> Entry:
            """The only way to write a memory: the new row and its reasoned entry, together."""

        def add_alias(self, project: str, namespace: str, alias: str, memory: str) -> None:
            """Another name of a memory; the first to take a name keeps it."""

        def add_evidence(self, evidence: Evidence) -> bool:
            """Write a piece of evidence once; false if it was there."""

        def add_use(self, use: Use) -> bool:
            """Write an assignment once; the recorded one wins over a recomputed one."""

        def add_mark(self, mark: Mark) -> None:
            """Write a later fact about a use, or an opening balance, and bring the tally in step."""

        def add_outcome(self, use: Use, mark: Mark, last: str) -> None:
            """The outcome of a use, and the one that stood before."""

        def measured_since(self, memory: str) -> str:
            """When a memory's present words came, as its marks say; empty where they are its first."""

        def put_course(self, memory: str, project: str, epoch: str, kept: str) -> None:
            """Keep how far a lesson has come in an epoch."""

        def refresh_tally(self, memory: str, project: str) -> Tally:
            """Fold all rows of a memory again; how far it had come is found out again when it is next judged."""

        def put_signal(self, memory: str, project: str, signal: str, amount: float) -> None:
            """Keep a signal that a fold carries on; none where it is nothing."""

        def put_tally(self, memory: str, project: str, tally: Tally) -> None:
            """Keep a fold beside its memory."""

        def copy_row(self, row: Sequence[Any], sealed: bytes, words: str) -> None:
            """A memory's row as another store has it, for a cache."""

        def __enter__(self) -> Self: ...

        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
        ) -> None: ...
