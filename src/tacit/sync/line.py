"""One line of a team's log: what a shared lesson says after a change, who set these words, and when.

    {"machine":…,"n":7,"lesson":…,"at":…,"by":"ann","says":{"text":…,"kind":…,"about":…,"files":[…],"word":…,"state":…,"extra":{…}}}
    {"machine":…,"before":HEAD,"of":DIGESTS,"seen":{machine:n},"signature":…}
    {"machine":…,"gone":DIGEST}

The second is a push: it names the lines that were sent together by their digests, and the head of the push before it, so that one
signature vouches for all that its machine ever sent; and how far the others' lines had been seen, so that a file whose end was cut off
is noticed by whoever comes later. The third stands where an erased lesson's line stood. Order does not matter, a
line may stand twice, and a line that somebody edited has another digest, which no push names.

Of two lines of one lesson the later word wins. A machine dates a line after every other that it has seen of that lesson, whatever its
clock says; of two that did not know each other the later one counts, and at the same moment the machine's name decides.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from tacit.core import clock
from tacit.core.digest import sha256
from tacit.core.value import value

LONGEST = 2 << 20  # bytes of a line; the longest lesson fits four times
LATEST = "2100"  # no line is dated later: a date that nothing can follow would win for ever
DIGEST = 16  # bytes: nobody can make other words for the digest of a line
START = ""  # the head before a machine's first push
STATES = ("active", "waiting", "gone", "erased")
WORDS = ("person", "session", "outside")
_TEXTS = ("text", "kind", "about", "sign")


@value
class Line:
    """One line, as it was written."""

    machine: str
    n: int  # of its machine in this project, rising
    lesson: str
    at: str
    by: str  # who set these words, as its machine says
    says: Mapping[str, Any]
    body: str  # as it stands in a file or a row, to the byte
    signer: str = ""  # whose signature vouches for it here; empty: nobody's that is allowed

    @property
    def digest(self) -> bytes:
        """What a push names it by."""
        return digest_of(self.body)

    @property
    def stamp(self) -> tuple[str, str, int]:
        """What decides which of two lines is the later word."""
        return self.at, self.machine, self.n

    @property
    def state(self) -> str:
        """active, waiting, gone or erased."""
        return str(self.says["state"])


@value
class Push:
    """What was sent together, under one signature."""

    machine: str
    before: str
    of: bytes
    seen: Mapping[str, int]
    signature: str

    @property
    def head(self) -> str:
        """What the next push names; it covers this signature too, so nobody can put another in its place."""
        return sha256(f"{self.before}\n{self.signature}\n".encode() + self.of).hexdigest()

    def message(self, project: str) -> bytes:
        """What is signed: a push counts in the one project it was made for."""
        of, seen = sha256(self.of).hexdigest(), _dump(dict(sorted(self.seen.items())))
        told = ("tacit push 1", project, self.machine, self.before, of, seen, "")
        return "\n".join(told).encode()

    @property
    def key(self) -> bytes:
        """The public key that stands in the signature (OpenSSH's format), without asking whether it signed."""
        raw = b64decode(self.signature.encode("ascii", "replace"))
        return raw[14 : 14 + int.from_bytes(raw[10:14], "big")] if raw[:6] == b"SSHSIG" else raw

    @property
    def body(self) -> str:
        """As it stands in a file or a row."""
        return _dump(
            {
                "machine": self.machine,
                "before": self.before,
                "of": b64encode(self.of).decode(),
                "seen": dict(self.seen),
                "signature": self.signature,
            }
        )

    def digests(self) -> Iterator[bytes]:
        """The lines it names."""
        return (self.of[start : start + DIGEST] for start in range(0, len(self.of), DIGEST))


@value
class Gone:
    """Where a line of an erased lesson stood."""

    machine: str
    digest: bytes

    @property
    def body(self) -> str:
        """As it stands in a file."""
        return _dump({"machine": self.machine, "gone": self.digest.hex()})


@value
class Unread:
    """What is no line, and why."""

    place: str
    reason: str


Item = Line | Push | Gone | Unread


def written(
    machine: str, n: int, lesson: str, at: str, by: str, says: Mapping[str, Any], signer: str = ""
) -> Line:
    """A new line of this machine's."""
    body = _dump({"machine": machine, "n": n, "lesson": lesson, "at": at, "by": by, "says": says})
    return Line(machine, n, lesson, at, by, says, body, signer)


def after(at: str, last: str) -> str:
    """The time of a change, later than what its machine had seen of the lesson."""
    return at if at > last else clock.stamp(clock.seconds(last) + 0.001)


def digest_of(body: str) -> bytes:
    """The digest of a line."""
    return sha256(body.encode("utf-8", "surrogatepass")).digest()[:DIGEST]


def digest_of_says(says: Mapping[str, Any]) -> str:
    """By which two machines' words for a lesson are told apart."""
    return digest_of(json.dumps(says, ensure_ascii=False, sort_keys=True)).hex()


def items_in(data: bytes, machine: str) -> Iterator[Item]:
    """What a machine's file says; what cannot be read, or is another machine's, is named with its reason."""
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.strip():
            yield item_of(raw, machine, f"line {number}")


def item_of(raw: bytes, machine: str, place: str) -> Item:
    """One line of a file, or the body of a row."""
    try:
        if len(raw) > LONGEST:
            raise ValueError(f"longer than {LONGEST:,} bytes")
        body = raw.decode("utf-8").strip()
        at = json.loads(body)
        if not isinstance(at, dict):
            raise ValueError("not an object")
        if at.get("machine") != machine:
            raise ValueError("another machine's line")
        if "signature" in at:
            return _push(at)
        if "gone" in at:
            return Gone(machine, bytes.fromhex(at["gone"])[:DIGEST])
        return _line(at, body)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return Unread(place, str(error)[:200] or type(error).__name__)


def _push(at: dict[str, Any]) -> Push:
    of, before = b64decode(_text(at["of"]), validate=True), _text(at["before"])
    if len(of) % DIGEST or len(before) not in (0, 64):
        raise ValueError("it names no lines")
    seen = at["seen"]
    if not isinstance(seen, dict) or not all(type(n) is int for n in seen.values()):
        raise ValueError("what it had seen is not counted by machine")
    return Push(at["machine"], before, of, seen, _text(at["signature"]))


def _line(at: dict[str, Any], body: str) -> Line:
    n, lesson, when, by, says = at["n"], at["lesson"], at["at"], at["by"], at["says"]
    if type(n) is not int or not 0 < n < 1 << 53:
        raise ValueError("its number is none")
    if not (_text(lesson) and lesson.isalnum() and len(lesson) <= 40):
        raise ValueError("it names no lesson")
    if not clock.seconds(_text(when)) or when >= LATEST or not when.endswith("Z"):
        raise ValueError("its time is none")
    if wrong := fault_in(says):
        raise ValueError(wrong)
    return Line(at["machine"], n, lesson, when, _text(by)[:200], says, body)


def fault_in(says: Any) -> str:
    """Why what a line says cannot be a lesson; empty if it can."""
    if not isinstance(says, dict) or says.get("state") not in STATES:
        return "its state is no word that is known"
    if says["state"] == "erased":
        return "" if len(says) == 1 else "it was erased and says something"
    if not all(isinstance(says.get(name, ""), str) for name in _TEXTS):
        return "a text in it is none"
    text = says.get("text", "")
    if not text or text != text.strip() or "\0" in text or len(text.encode()) > LONGEST // 4:
        return "its text cannot be kept"
    if says.get("word") not in WORDS:
        return "nobody knows whose word it is"
    if not _are_texts(says.get("files", [])):
        return "its files are no list of texts"
    extra = says.get("extra", {})
    if not isinstance(extra, dict) or not all(
        isinstance(each, str) or _are_texts(each) for each in extra.values()
    ):
        return "what it adds is neither text nor a list of texts"
    return ""


def _are_texts(of: Any) -> bool:
    return isinstance(of, list) and all(isinstance(each, str) and "\0" not in each for each in of)


def _text(of: Any) -> str:
    if not isinstance(of, str):
        raise ValueError("a text in it is none")
    return of


def _dump(at: Any) -> str:
    return json.dumps(at, ensure_ascii=False, separators=(",", ":"))
