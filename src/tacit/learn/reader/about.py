"""What a lesson is about, as far as the record bears it out: what the reader names and no line holds is left out.

Names of the lesson's own text stand in for those the reader did not list. A way of working is about everything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.core.subject import WAY, joined
from tacit.learn.reader.answer import Lesson
from tacit.learn.reader.check import comparable, names_in
from tacit.learn.reader.render import Line

_EVERYWHERE = (
    "way",
    "preference",
)  # kinds that hold whatever the task is, where the reader says of nothing what they are about
_FILE = re.compile(r"(?:[\w@~.*-]*/)+[\w.*@-]+|[\w@-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}")
# nothing that is a mere figure or word
_NAME = re.compile(r"-{1,2}[A-Za-z][\w-]*|.*[_./:]\w.*|\w*[a-z][A-Z]\w*|\w+\(\)|[a-z][\w-]{2,}")
FILES = 6


def subject_of(lesson: Lesson, lines: Sequence[Line]) -> tuple[str, tuple[str, ...]]:
    """A lesson's subject as it is kept, and the files it is about."""
    if not (lesson.topic or lesson.names or lesson.files) and lesson.kind in _EVERYWHERE:
        return WAY, ()
    held = comparable(" ".join(line.whole for line in lines))
    own = [name.strip("`'\"()[],;:") for name in names_in(lesson.text)]
    listed = [*lesson.names, *([lesson.sign] if lesson.sign_in == "E" else [])]
    stand = [name for name in (*listed, *filter(_NAME.fullmatch, own)) if comparable(name) in held]
    files = [name for name in (*lesson.files, *stand) if _FILE.fullmatch(name) and comparable(name) in held]
    return joined(lesson.topic, [name for name in stand if name not in files]), tuple(dict.fromkeys(files))[:FILES]
