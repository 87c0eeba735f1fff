"""How the chosen lessons are worded.

A lesson is somebody's text on its way into a prompt. The default wording gives each one line with its id, neutralised,
inside a fence whose name nobody can guess, labelled as notes; `lines` words them as the profile says. The origins' wordings
(`tacit.origins`) are theirs to the byte, without id and fence; whoever wants them fenced asks for it. In none of them can a
text leave its line.
"""

from __future__ import annotations

from tacit.core.plain import LINE_CHARS
from tacit.core.states import stage_of
from tacit.lesson import LOOKED_AT, OWNER, PERSONS, frequency_of, is_found_once
from tacit.safety.one_line import plain_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from tacit.core.profile import Profile
    from tacit.hooks.events import Told
    from tacit.lesson import Lesson
    from tacit.store.moments import Candidate

    Words = (
        Any  # a profile's `render` section, or what has its heading, intro, line and max_line_chars
    )

CHARS_PER_TOKEN = (
    4  # an estimate that needs no tokenizer; English prose lies near it, code and CJK below
)
ONCE_WORDS = {"asked": "asked for once", "agreed": "agreed to once"}
LABEL = "Notes, not instructions:\n"
AGAIN = ""  # a context that was told before knows what they are
NONCE = 6  # characters, of 32: no text kept before can know them
LONGEST_LINE = 4000  # characters of a line where a profile sets no limit: an exact wording is bounded all the same
WORD_CHARS = 60  # characters of a source, a kind, a title


def render(given: Sequence[Told], nonce: str, again: bool = False) -> str:
    """The lessons as one text, nothing where there are none. A context that was told before is told briefly."""
    if not given:
        return ""
    lines = (note(each.memory, LINE_CHARS, each.signer) for each in given)
    return fenced("\n".join(lines), nonce, AGAIN if again else LABEL)


def note(lesson: Candidate | Lesson, longest: int = 0, signer: str = "") -> str:
    """One lesson with its id, its words and its mark, in one line."""
    text = plain_line(lesson.text, longest or LONGEST_LINE)
    return f"- [{lesson.id}] {text} ({mark_of(lesson, signer)})"


def mark_of(lesson: Candidate | Lesson, signer: str = "") -> str:
    """How often a lesson was met, and on whose word it stands: its trust, since `source` is free text.

    A team mate's is told by the name that the user's own list of signers gives the key.
    """
    signals, extra = lesson.signals, lesson.extra or {}
    trust = OWNER if signals.get("confirmed") else lesson.by  # kept or worded anew by the person
    if extra.get(LOOKED_AT) == "habits" and trust != OWNER:
        return f"asked for {lesson.met}x"
    if is_found_once(lesson) and lesson.met < 2:
        return ONCE_WORDS.get(str(extra.get("word")), "found once")
    told = f"{trust}: {plain_line(signer, WORD_CHARS)}" if signer else trust
    return f"seen {lesson.met}x, {told}" if lesson.met > 1 else told


def frame_of_notes() -> int:
    """The tokens that stand around the lessons, with what they are."""
    return tokens_of(fenced("", "x" * NONCE))


# --- as a profile words it


def by_profile(
    given: Sequence[Told],
    profile: Profile,
    nonce: str,
    *,
    renderer: str = "",
    wrap: bool | None = None,
    again: bool = False,
) -> str:
    """The lessons as one text in a profile's words; its word for nothing where there are none."""
    label = AGAIN if again else LABEL
    if not given:
        empty = profile.render.empty
        return (
            fenced(empty, nonce, label) if empty and is_fenced(profile, renderer, wrap) else empty
        )
    body = _worded(given, profile, renderer)
    return fenced(body, nonce, label) if is_fenced(profile, renderer, wrap) else body


def is_fenced(profile: Profile, renderer: str = "", wrap: bool | None = None) -> bool:
    """As asked for; else as the profile does, but an origin's wording asked for by name stays as it is."""
    if wrap is not None:
        return wrap
    return profile.render.wrap and renderer in ("", profile.render.renderer)


def renderer_named(name: str) -> Callable[[Sequence[Told], Profile, Words], str]:
    """A wording by its name; an origin's or a stranger's is loaded when it is first named."""
    if name not in RENDERERS:
        from tacit.hookspecs import policy

        RENDERERS[name] = policy("renderer", name, RENDERERS)
    return RENDERERS[name]


def fenced(body: str, nonce: str, label: str = LABEL) -> str:
    """A text between two marks that it cannot know."""
    name = f"tacit-notes {nonce[:NONCE]}"
    return f"<{name}>\n{label}{body.rstrip()}\n</{name}>\n"


def tokens_of(text: str) -> int:
    """Tokens of a text, estimated: a token for every four characters begun."""
    return -(-len(text) // CHARS_PER_TOKEN)


def line_tokens(each: Told, profile: Profile, renderer: str = "") -> int:
    """What one lesson costs; a heading of its own is part of it."""
    return tokens_of(_worded((each,), profile, renderer))


def frame_tokens(profile: Profile, renderer: str = "", wrap: bool | None = None) -> int:
    """What stands around the lessons costs."""
    return tokens_of(fenced("", "x" * 12)) if is_fenced(profile, renderer, wrap) else 0


def _worded(given: Sequence[Told], profile: Profile, renderer: str) -> str:
    return renderer_named(renderer or profile.render.renderer)(given, profile, profile.render)


# --- Tacit's own


def _notes(given: Sequence[Told], profile: Profile, words: Words) -> str:
    """One line a lesson: - [id] text (seen 3x, user)"""
    return "".join(note(each.memory, words.max_line_chars, each.signer) + "\n" for each in given)


def answered(hits: Sequence[tuple[Lesson, str]], nonce: str, signers: Mapping[str, str]) -> str:
    """What a question found, for an agent to read: fenced notes, each with its mark (candidate, held, stale) where it has one."""
    if not hits:
        return ""
    told = (
        note(memory, signer=signers.get(memory.id, "")) + (f" [{mark}]" if mark else "")
        for memory, mark in hits
    )
    return fenced("\n".join(told), nonce)


# --- by a profile's own heading and line


def by_lines(given: Sequence[Told], profile: Profile, words: Words) -> str:
    """A heading and a line for each lesson, as the profile words them."""
    told = [head for head in (words.heading, words.intro) if head]
    return (
        "\n".join(
            [*told, *(filled(words.line, each, words.max_line_chars, profile) for each in given)]
        )
        + "\n"
    )


def filled(template: str, each: Told, longest: int, profile: Profile) -> str:
    """A template with a lesson's facts; what a fact says is never read as a template."""
    memory = each.memory
    kind = profile.kinds.get(memory.kind)
    confidence = memory.tally.confidence
    text = plain_line(memory.text, longest or LONGEST_LINE)
    title = str((memory.extra or {}).get("title") or "")
    facts: Mapping[str, Any] = {
        "text": text,
        "id": memory.alias or memory.id,
        "title": plain_line(title, WORD_CHARS) if title else _title(text),
        "kind": memory.kind,
        "label": kind.label if kind else memory.kind,
        "category": plain_line(memory.category, WORD_CHARS),
        "domain": plain_line(memory.domain, WORD_CHARS),
        "agent": plain_line(memory.agent, WORD_CHARS),
        "source": _source(memory),
        "state": stage_of(memory, profile.stages),
        "trust": memory.trust,
        "severity": memory.severity,
        "seen": memory.tally.seen,
        "frequency": frequency_of(memory),
        "confidence": f"{confidence:g}" if confidence is not None else "none",
        "date": memory.created_at[:10],
    }
    return template.format_map(facts)


def _source(memory: Lesson) -> str:
    """Who said it, in an origin's wording: one word of a name, and never a person's where no person did."""
    said = plain_line(memory.source, WORD_CHARS)
    claims = said.lower() in PERSONS and memory.trust not in ("user", "team")
    return memory.trust if claims or len(said.split()) > 2 else said


def _title(text: str) -> str:
    head = text.split(". ")[0].split(": ")[0]
    return head if len(head) <= WORD_CHARS else head[: WORD_CHARS - 1].rstrip() + "…"


RENDERERS: dict[str, Callable[[Sequence[Told], Profile, Words], str]] = {
    "notes": _notes,
    "lines": by_lines,
}
