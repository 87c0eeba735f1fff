"""gitleaks' rules as our data: what Go's expressions say, said to Python.

    python bench/gitleaks.py gitleaks.toml VERSION

`gitleaks.toml` is the default configuration of a release of gitleaks (MIT, see NOTICE); it stands
in its source and, as text, in its program. Written is src/tacit/safety/gitleaks.txt: a rule's name,
the words one of which a text must hold, its expression, the entropy its secret must have, which
group is the secret (0: the last), and what is let stand. Run again when a new release is taken over; the file is not edited by hand.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parent.parent / "src" / "tacit" / "safety" / "gitleaks.txt"

# What is found surer by rules of our own, or asks for what a text does not have.
LEFT_OUT = {
    "curl-auth-header": "reads over lines without a bound; headers are places of our own",
    "curl-auth-user": "the user of any program is a place of our own",
    "private-key": "a block of ours also ends where it was cut off",
    "generic-api-key": "names are judged by our own, which know a primary key and a next token",
    "slack-webhook-url": "only the part that opens the door goes, not the whole address",
    "jwt-base64": "what is encoded is decoded and judged",
}
LEADING = r"[\w.-]{0,50}?"  # before a name: never part of the secret, and dear at every place
END_IN_CODE = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
# a secret also ends where a sentence or a URL goes on
END = r"""(?=[\x60'"\s;,!?)\]}<>&]|\.(?:\s|$)|\\[nr]|$)"""

_OR = "\0"  # between the alternatives behind a flag, each of which carries it


def python_pattern(go: str) -> str:
    """The expression as Python reads it, with ASCII classes given when it is compiled."""
    found, rest = _alternatives(go.replace(END_IN_CODE, END))
    assert not rest, go
    for lead in (LEADING, f"(?i:{LEADING}"):
        while found.startswith(lead):
            found = lead[: -len(LEADING)] + found[len(lead) :]
    re.compile(found, re.ASCII)
    return found


def _alternatives(go: str, flags: str = "") -> tuple[str, str]:
    """Alternatives up to the bracket that closes them: a flag in one holds to the group's end."""
    said: list[str] = []
    one = ""

    def ended() -> None:
        said.append(f"(?{flags}:{one})" if flags and one else one)

    while go:
        flag = re.match(r"\(\?([ims]+)\)", go)
        head = re.match(r"\((?:\?(?:P<\w+>|[imsU-]*:))?", go)
        charset = re.match(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", go, re.S)
        if flag:
            said_before, one = one, ""
            inner, go = _alternatives(go[flag.end() :], flag[1])
            first, *more = inner.split(_OR)
            one = said_before + first
            for each in more:
                ended()
                one = each
        elif head:
            inner, go = _alternatives(go[head.end() :])
            one, go = f"{one}{head[0]}{inner})", go[1:]
        elif charset:
            one, go = one + _charset(charset[0]), go[charset.end() :]
        elif go[0] == ")":
            break
        elif go[0] == "|":
            ended()
            one, go = "", go[1:]
        elif go[0] == "\\":
            one, go = one + (r"\Z" if go[1] == "z" else go[:2]), go[2:]
        else:
            one, go = one + go[0], go[1:]
    ended()
    return (_OR if flags else "|").join(said), go


def _charset(said: str) -> str:
    said = re.sub(r"\[:(alnum|alpha|digit|word):\]", _posix, said)
    return said[0] + said[1:].replace("[", r"\[").replace(r"\\[", r"\[")


def _posix(found: re.Match[str]) -> str:
    return {"alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "digit": "0-9", "word": r"\w"}[found[1]]


def rows(given: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """One rule, and what it lets stand."""
    name, group = given["id"], str(given.get("secretGroup", 0))
    hints, entropy = " ".join(given["keywords"]), str(given.get("entropy", 0))
    assert not any(" " in hint for hint in given["keywords"]), name
    yield "rule", name, hints, entropy, group, python_pattern(given["regex"])
    for each in given.get("allowlists", ()):
        yield from allowed(name, each)


def allowed(name: str, given: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """What a rule, or every rule (*), lets stand: by an expression, or a word in the secret."""
    target = given.get("regexTarget", "secret")
    assert target == "secret", (name, target)
    for each in given.get("regexes", ()):
        yield "allowed", name, python_pattern(each)
    for each in given.get("stopwords", ()):
        yield "allowed", name, f"(?i:{re.escape(each)})"


def main() -> int:
    path, version = Path(sys.argv[1]), sys.argv[2]
    raw = path.read_text(encoding="utf-8")
    given = tomllib.loads(raw)
    kept = [
        each
        for each in given["rules"]
        if "regex" in each and "path" not in each and each["id"] not in LEFT_OUT
    ]
    lines = [
        f"# Rules of gitleaks {version}, MIT License, Copyright (c) 2019 Zachary Rice: see NOTICE.",
        f"# Made by bench/gitleaks.py of config/gitleaks.toml, sha256 {sha256(raw.encode()).hexdigest()}",
        *("\t".join(row) for row in allowed("*", given["allowlist"])),
        *("\t".join(row) for each in kept for row in rows(each)),
    ]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(kept)} rules of {len(given['rules'])}: {OUT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
