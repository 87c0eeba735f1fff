"""A memory is one lesson.

The row holds what was *decided* about it, and carries a hash over exactly that. What can be counted (seen, uses,
confidence) is a fold over evidence and uses, kept beside it as a `Tally` and rebuilt at any time.
"""

from __future__ import annotations

from tacit.core.errors import TextInvalid, UsageError
from tacit.core.states import ACTIVE, UNDOUBTED
from tacit.core.value import dumps, loads, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Protocol

    class Kept(Protocol):
        """What is asked of a lesson, whoever read it: a whole `Lesson`, or what a hook reads."""

        @property
        def id(self) -> str: ...
        @property
        def klass(self) -> str: ...
        @property
        def about(self) -> str: ...
        @property
        def family(self) -> str: ...
        @property
        def state(self) -> str: ...
        @property
        def verdict(self) -> str: ...
        @property
        def on_page(self) -> bool: ...
        @property
        def by(self) -> str: ...
        @property
        def always(self) -> bool: ...
        @property
        def met(self) -> int: ...
        @property
        def extra(self) -> Mapping[str, Any] | None: ...
        @property
        def signals(self) -> Mapping[str, float]: ...


# What a lesson is about, as it stands in its row. Empty: nobody said, and its words decide. `*`: a way of working, about everything.
# Otherwise items between semicolons: first the topic in a few plain words, shared by all lessons that were settled together about it;
# then literal names that stand in its record: functions, classes, commands, options, marks of an error. A topic may be unknown where
# names are: `; pytest; --cov`. Its files stand in `paths`, the error's mark in `signature`.

NAMES, NAME_CHARS = (
    12,
    80,
)  # names that are kept of one subject, and characters of each; of a topic, too


def joined(topic: str, names: Iterable[str]) -> str:
    """A subject as it is kept: one line, each name once, none that is too long to be one."""
    if topic.strip() == WAY:
        return WAY
    fit = dict.fromkeys(
        " ".join(each.split())
        for name in names
        for each in name.split(";")
        if 0 < len(each.strip()) <= NAME_CHARS
    )
    kept = [" ".join(topic.replace(";", ",").split())[:NAME_CHARS].rstrip(" ,"), *list(fit)[:NAMES]]
    return "; ".join(kept).strip() if any(kept) else ""


def kept_subject(about: str) -> str:
    """What somebody wrote, as it is kept."""
    topic, _, names = about.partition(";")
    return joined(topic, names.split(";"))


GLOBAL = "@global"  # the pseudo-projects of lessons that hold everywhere, or for one agent wherever it works
AGENT = "@agent"
SEVERITIES = ("info", "recommendation", "warning", "bug")  # rising
PERSONS = ("user", "human", "person", "team")
TIERS = (
    "imported",
    "quoted",
    "agent",
    "observed",
    "review",
    "team",
    "user",
)  # rising trust, design §7
HEARSAY = TIERS[
    :3
]  # words of agents, pages and other stores: nothing but the telling speaks for them
WITNESSES = (
    "observed",
    "review",
    "team",
    "user",
)  # tiers that are more than what an agent says of itself
SCOPES = ("task", "mission", "project", "agent", "global")
GATE_ANSWERS = ("allow", "hold", "quarantine", "discard")
VERDICTS = ("not yet known", "helps", "harms", "rare")

# in `extra`: the task a lesson was stated in, the group it stands in a row with, the place where it was said
MET_IN = "met_in"
MAX_TEXT_BYTES = 256 * 1024  # a lesson is a line; a page of notes still fits, a log file does not


WAY = "*"  # as a subject: a way of working, about everything (`kept_subject` has the grammar)
PERSONAL = ("user", "team")  # tiers that are a person's word
CONFIRMS = (
    "review"  # the least tier whose evidence confirms what waits: something that looked by itself
)
STALE = 0.5  # of its weight that is left to a lesson which nobody met for long
OWNER = "user"  # the tier of what the store's own person said
TWIN = "twin"  # in a lesson's extra: the name of the lessons that say the same, the coin they share, whether it says less or more
SHARED_AT_LEAST = 0.25  # of the words of the shorter of two that a reader calls the same, else both are told: it may be fooled
# in a lesson's extra: a reader takes the one request behind it for a habit, not for an order of the day
LIKELY_AGAIN = "habit"
INSIDE = (
    "inside"  # in a lesson's extra: nothing from outside its session brought its words or names
)
ABOUT = (
    "about"  # in a noticed lesson's own fields: command -> the parts of its text that are about it
)
LOOKED = "look"  # the source of what a look at all sessions brought
LOOKED_AT = "look"  # in its extra: which look
SAID = "said"  # what a person typed, as a reader heard it: their own word
HEARD_WORDS = (
    SAID,
    "shown",
)  # in a lesson's extra under `word`: words of a person that a reader heard


@value
class Tally:
    """What evidence and uses add up to; derived, never written by hand."""

    seen: int = 0  # distinct, independent runs
    uses: int = 0  # units it was assigned in
    clean: int = 0  # injected, settled, and its problem did not occur
    recurred: int = 0  # injected, settled, and it did
    contradicted: int = 0
    confidence: float | None = None  # only where the profile has one
    seen_at: str | None = None
    last_used_at: str | None = None
    signals: Mapping[str, float] | None = None  # the profile's own counters


NO_TALLY = Tally()


@value
class Lesson:
    """One lesson, as decided, with its tally."""

    id: str
    project: str
    text: str
    kind: str = "fact"
    klass: str = "fact"  # the class the core knows: exemption and caps go by it
    category: str = ""
    scope: str = "project"
    domain: str = ""
    agent: str = ""
    task_type: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    severity: str = "info"
    source: str = ""
    origin: str = ""
    trust: str = "user"
    gate: str = "allow"
    gate_reason: str = ""
    state: str = "waiting"
    previous_state: str = ""
    under_review_count: int = 0
    closed_by: str = ""  # who or what ended it: a person's name, "silence", "merge" …
    verdict: str = "not yet known"
    signature: str = ""  # the masked error it is about; empty where it is about none
    family: str = ""  # near-twins share one assignment; empty: its own id
    pinned: bool = False
    on_page: bool = False  # stands on a page the host loads, and is therefore off trial
    merged: int = 0
    stale_at: str = ""
    review_after: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    created_at: str = ""
    updated_at: str = ""
    extra: Mapping[str, Any] | None = None  # a foreign record's own fields, in its own order
    about: str = ""  # its subject: `kept_subject` has the grammar
    alias: str = ""
    tally: Tally = NO_TALLY

    # In the words of `store/moments.py`, so that a lesson is told alike whoever read it.
    @property
    def by(self) -> str:
        """Whose word it is."""
        return self.trust

    @property
    def always(self) -> bool:
        """Whether every start tells it."""
        return self.pinned

    @property
    def met(self) -> int:
        """How many sessions met it."""
        return self.tally.seen

    @property
    def signals(self) -> Mapping[str, float]:
        """What is counted of it."""
        return {"uses": float(self.tally.uses), **(self.tally.signals or {})}


# What is decided of a lesson, and what its journal tells.
DECIDED = tuple(name for name in Lesson.FIELDS if name not in ("alias", "tally"))  # type: ignore[attr-defined]
EDITABLE = (
    "text",
    "kind",
    "category",
    "scope",
    "domain",
    "agent",
    "task_type",
    "tags",
    "paths",
    "severity",
    "source",
    "about",
)
_LISTS = ("tags", "paths", "supersedes")
_FLAGS = ("pinned", "on_page")


def met_in(memory: Lesson, what: str) -> str:
    """The `task` that a lesson was stated in, or the `group` it stands in a row with; empty where nobody said."""
    where = memory.extra.get(MET_IN) if memory.extra else None
    return str(where.get(what) or "") if isinstance(where, dict) else ""


def topic_of(about: str) -> str:
    """The topic, folded as topics are compared; empty where there is none."""
    return "" if about == WAY else " ".join(about.partition(";")[0].casefold().split())


def names_of(about: str) -> tuple[str, ...]:
    """The literal names, as they were written."""
    return tuple(name for each in about.split(";")[1:] if (name := each.strip()))


# Words that a reader heard in one piece of work: told where they matter, not at every start, before a second speaks for them.
LONE = ("found", "asked", "agreed")


def is_found_once(memory: Kept) -> bool:
    """Whether it may be told at its own moment only: one piece of work speaks for it, or nothing but what agents say."""
    signals, word = memory.signals, (memory.extra or {}).get("word")
    if word not in LONE or memory.always or signals.get("confirmed"):
        return False
    if memory.state not in UNDOUBTED:
        return False
    return memory.met < 2 or (word == "found" and not signals.get("witnessed"))


def why_untossed(memory: Kept, exempt: Iterable[str]) -> str:
    """Why no coin decides on a lesson; empty where one does. `exempt` are classes without a problem of their own.

    A person's own word has none: typed, entered or confirmed. What a reader put in general words has one.
    """
    signals = memory.signals
    if memory.always:
        return "pinned"
    if memory.on_page or signals.get("instructed"):
        return "stands on a page that the host loads"
    heard = str((memory.extra or {}).get("word") or "") if memory.state == ACTIVE else ""
    if signals.get("confirmed") or heard == SAID or (memory.by == OWNER and not heard):
        return "a person's own word"
    return f"class {memory.klass}" if memory.klass in exempt and not heard else ""


def said_as(memory: Lesson) -> str:
    """The name that all lessons share which say the same by a reader's word: the first one's id."""
    return str(((memory.extra or {}).get(TWIN) or [memory.id])[0])


def said_more(memory: Kept) -> int:
    """Whether a lesson says more (1) or less (-1) than the one it was compared with, by a reader's word."""
    word = [*((memory.extra or {}).get(TWIN) or ())][2:]
    return {"more": 1, "less": -1}.get(str(word[0]), 0) if word else 0


def was_compared(memory: Lesson) -> bool:
    """Whether a reader held the texts of two lessons against each other, not only a session against the other one."""
    return len((memory.extra or {}).get(TWIN) or ()) > 2


def gives_way(memory: Lesson, other: Lesson, shared: float) -> bool:
    """Whether one lesson need not be told beside another, by a reader's word: it silences nothing of a person for what is not theirs, nor
    what shares less than a part of its words with the other, nor the fuller of two, nor one part of a fuller one for another."""
    theirs_too = memory.trust not in PERSONAL or other.trust in PERSONAL
    no_fuller = said_more(memory) <= said_more(other) >= 0
    return (
        said_as(memory) == said_as(other) and no_fuller and theirs_too and shared >= SHARED_AT_LEAST
    )


def family_of(memory: Kept) -> str:
    """Whose coin a lesson shares: its near-twins', or that of all that was settled about its topic."""
    topic = topic_of(memory.about) if memory.klass == "fact" else ""
    twin = (memory.extra or {}).get(TWIN)
    return (
        memory.family
        or (str(twin[1]) if twin else "")
        or (f"topic {topic}" if topic else memory.id)
    )


def columns_of(memory: Lesson) -> dict[str, Any]:
    """The decided fields as the journal tells them."""
    return {name: _to_column(name, memory.__dict__[name]) for name in DECIDED}


def _to_column(name: str, field: Any) -> Any:
    if name in (*_LISTS, "extra"):
        return dumps(field, ensure_ascii=False, separators=(",", ":")) if field else ""
    return int(field) if name in _FLAGS else field


def from_columns(columns: Mapping[str, Any], tally: Tally = NO_TALLY, alias: str = "") -> Lesson:
    """The lesson behind such fields; what they leave out is as a lesson is born."""
    at = {name: columns[name] for name in DECIDED if name in columns}
    at |= {name: tuple(loads(at[name])) if at[name] else () for name in _LISTS if name in at}
    at |= {name: bool(at[name]) for name in _FLAGS if name in at}
    extra = loads(at["extra"]) if at.get("extra") else None
    return Lesson(**{**at, "extra": extra, "alias": alias, "tally": tally})


# What is shown of a memory and its tally, in this order; empty texts of the first are shown as they are, all others as nothing.
_SHOWN_EMPTY = (
    "project",
    "text",
    "kind",
    "klass",
    "scope",
    "severity",
    "trust",
    "verdict",
    "gate",
    "state",
)
_SHOWN = (
    "id alias project text kind klass category scope domain agent task_type tags paths severity"
    " source origin trust verdict gate gate_reason state previous_state under_review_count closed_by"
    " seen confidence uses clean recurred contradicted signals extra merged pinned on_page family"
    " signature stale_at created_at updated_at seen_at last_used_at review_after supersedes"
    " superseded_by about"
).split()


def memory_json(memory: Lesson) -> dict[str, Any]:
    """A memory as the command line, the library and the web show it."""
    own = {
        "family": memory.family or memory.id,
        "extra": memory.extra or {},
        "signals": dict(memory.tally.signals or {}),
    }
    at = {**memory.tally.__dict__, **memory.__dict__, **own}

    def told(name: str) -> Any:
        field = list(at[name]) if isinstance(at[name], tuple) else at[name]
        return None if field == "" and name not in _SHOWN_EMPTY else field

    return {"class" if name == "klass" else name: told(name) for name in _SHOWN}


def kept_text(text: str) -> str:
    """A person's text as it will be kept: outer white space gone, otherwise untouched; what cannot be kept is refused, not mended."""
    kept = text.strip()
    if not kept:
        raise TextInvalid(
            "The lesson is empty.", "Give it a text: tacit add 'Run make migrate before the tests.'"
        )
    if "\0" in kept:
        raise TextInvalid(
            f"The lesson holds a NUL character at position {kept.index(chr(0))}.",
            "Remove it and add the lesson again.",
        )
    try:
        size = len(kept.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise TextInvalid(
            f"The lesson is not valid Unicode: a lone surrogate or an undecodable byte stands at position {error.start}.",
            "Give it as UTF-8.",
        ) from None
    if size > MAX_TEXT_BYTES:
        raise TextInvalid(
            f"The lesson is {size:,} bytes long; at most {MAX_TEXT_BYTES:,} are kept.",
            "A lesson is a sentence or two: say what fails and what works, and keep the rest in a file it names.",
        )
    return kept


def sound_text(text: str) -> str:
    """A machine's text made storable: NUL and lone surrogates become U+FFFD, what is too long is cut."""
    mended = (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "�")
        if not text.isascii() or "\0" in text
        else text
    )
    return mended.strip()[: MAX_TEXT_BYTES // 4]


def checked(name: str, word: str, allowed: tuple[str, ...]) -> str:
    """`word` if it is one of the allowed ones, otherwise an error that names them."""
    if word not in allowed:
        raise UsageError(f"{word!r} is not a {name}.", f"One of: {', '.join(allowed)}.")
    return word


def check_fields(memory: Lesson) -> Lesson:
    """Refuse a memory whose closed fields hold unknown words."""
    checked("scope", memory.scope, SCOPES)
    checked("severity", memory.severity, SEVERITIES)
    checked("trust tier", memory.trust, TIERS)
    checked("gate decision", memory.gate, GATE_ANSWERS)
    checked("verdict", memory.verdict, VERDICTS)
    return memory


# Which instrument sees the problem of a lesson again: the one that saw it first.
_SEEN_BY = {
    "user": "user",
    "team": "user",
    "review": "review",
    "observed": "tool",
    "agent": "agent",
    "quoted": "tool",
    "imported": "tool",
}


def seen_by(tier: str) -> str:
    """The kind of instrument that speaks with this tier."""
    return _SEEN_BY.get(tier, "tool")


def path_of(path: str) -> str:
    """A path as it is compared: forward slashes, no leading ./, no line number."""
    plain = path.strip().replace("\\", "/").removeprefix("./")
    head, _, line = plain.rpartition(":")
    return head if head and line.isdigit() else plain


def shared_path(mine: Iterable[str], asked_for: Iterable[str]) -> float:
    """How near two sets of files are: 1 where one is the same, ½ in the same folder, 0 otherwise.

    Paths come absolute from one source and relative from another, so one that ends with the other is the same.
    """
    best = 0.0
    wanted = list(asked_for)
    for each in mine:
        path = path_of(each)
        for other in wanted:
            if path == other or path.endswith("/" + other) or other.endswith("/" + path):
                return 1.0
            folder = path.rpartition("/")[0]
            if folder and _same_folder(folder, other.rpartition("/")[0]):
                best = 0.5
    return best


def _same_folder(one: str, other: str) -> bool:
    return one == other or (
        bool(other) and (one.endswith("/" + other) or other.endswith("/" + one))
    )


def frequency_of(memory: Lesson) -> int:
    """How often it counts as seen: the profile's own fading counter, or its sightings; a person's word is one."""
    signals = memory.tally.signals or {}
    return int(signals["frequency"]) if "frequency" in signals else max(1, memory.tally.seen)


def recalls_of(memory: Lesson) -> float:
    """How often it was recalled, whoever counted: the system it came from, or the uses made here."""
    return max((memory.tally.signals or {}).get("recalls", 0.0), memory.tally.uses)


def is_unrecalled(memory: Lesson, days_unmet: float, stale_days: int) -> bool:
    """Whether a lesson was not met for over the stale days and never recalled; every run reads what is on a page.

    The night marks by this and recall drops by it, so that neither hides what the other shows.
    """
    if not stale_days or memory.on_page or recalls_of(memory):
        return False
    return days_unmet > stale_days
