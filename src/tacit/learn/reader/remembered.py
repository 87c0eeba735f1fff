"""Which remembered lessons a session is held against: all standing ones, those whose sign it holds, and the nearest,
given and withheld alike.

They go in unmarked, under names that say nothing: who judges must not know what this session was told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.rows import scope_projects
from tacit.core.states import INJECTABLE, OPEN
from tacit.learn.reader.render import PERSON
from tacit.words.tokens import query_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tacit.core.memory import Memory
    from tacit.core.ports import Store
    from tacit.learn.reader.render import Line

STANDING, NEAREST, MET = 60, 20, 2000
OF_EACH = 6  # neighbours of one new lesson
_WORDS = 24  # of what was typed, by which further ones are found
HEADINGS, HEADING = 40, 120  # of instruction files; characters of one
STANDING_CLASSES = ("preference", "rule", "security")
UNSEEN = ("quoted", "imported")  # held words of others are shown to no model


def is_standing(memory: Memory) -> bool:
    """Whether a lesson is one of the person's ways of working: it holds at every start, whatever the task."""
    return memory.state in INJECTABLE and memory.klass in STANDING_CLASSES and memory.gate == "allow"


def remembered(store: Store, project: str, new: Sequence[str], lines: Sequence[Line]) -> list[Memory]:
    """All standing lessons of a project, those whose sign stands in a session, and the nearest to what it newly says and to what was typed
    in it, oldest first."""
    found: dict[str, Memory] = {}
    for memory in store.select([project], states=INJECTABLE, limit=10 * STANDING):
        if is_standing(memory) and len(found) < STANDING:
            found[memory.id] = memory
    typed = " ".join(line.whole for line in lines if line.letter in PERSON)
    asked = [(text, OF_EACH) for text in new] + [(typed, NEAREST)]
    for memory in store.select([project], states=OPEN, limit=MET):
        if memory.id not in found and _is_shown(memory) and is_met(memory, lines):
            found[memory.id] = memory
    near: dict[str, Memory] = {}
    for text, most in asked:
        hits = store.find(scope_projects(project), query_words(text, _WORDS), limit=most).hits if text else ()
        near.update((hit.memory.id, hit.memory) for hit in hits if _is_shown(hit.memory) and hit.memory.id not in found)
    found.update(list(near.items())[:NEAREST])
    return sorted(found.values(), key=lambda memory: (memory.created_at, memory.text))  # ids differ from store to store


def is_met(memory: Memory, lines: Sequence[Line]) -> bool:
    """Whether a session holds the sign by which a lesson's matter shows: words in failing output, a call or a typed line."""
    where, words = (memory.extra or {}).get("sign") or ("", "")
    letters = {"E": ("E", "X"), "T": ("T",), "U": PERSON}.get(where, ())
    return bool(words) and any(line.letter in letters and words in line.whole for line in lines)


def _is_shown(memory: Memory) -> bool:
    if not memory.text or memory.state == "superseded" or memory.gate in ("quarantine", "discard"):
        return False
    return memory.gate != "hold" or memory.trust not in UNSEEN


def headings_of(files: Mapping[str, str]) -> list[str]:
    """The headings of instruction files, each with its file's name."""
    found = [
        f"{name}: {line.lstrip('#').strip()}"[:HEADING]
        for name, text in files.items()
        for line in text.splitlines()
        if line.startswith("#") and line.lstrip("#").strip()
    ]
    return found[:HEADINGS]
