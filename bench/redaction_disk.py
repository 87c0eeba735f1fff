"""Secrets of kinds that nobody wrote rules for: how many are on the disk after a session was learned and read?

    python bench/redaction_disk.py [--kinds 100] [--seed 1] [--all] [--file LIST] [--lines SESSIONS]

Of the kinds in secrets.txt, which were written down before anybody looked at the rules, some are drawn. Each stands, with a random body,
in a line that a person types, in output of a command that fails, in a command that an agent runs and in a file that it writes. The sessions are learned and read
(by a model that hears nothing, so that everything a reader keeps is kept), then every file of the user's data folder is looked through,
unpacked: a secret is *on disk* where six tenths of its characters in a row are.

`--lines` counts false alarms on 20,000 lines of tool output of real sessions (`*.jsonl` below a folder): no line of them should be touched.

Exit status 1: more than a tenth on disk, or more than one line in a thousand touched.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import string
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "bench")]

from redteam import World, call, prompt, result, shell  # noqa: E402
from tacit.safety.redact import redact  # noqa: E402

ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "w": string.ascii_letters + string.digits + "-_",
    "A": string.ascii_letters,
    "q": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}
TOGETHER = 10  # kinds in one session
SHARE = 0.6  # of a secret's characters, in a row, that give it away
LINES = 20_000


def kinds(name: str = "secrets.txt") -> dict[str, str]:
    """The lines by kind."""
    rows = (ROOT / "bench" / name).read_text(encoding="utf-8").splitlines()
    return dict(row.split(" | ", 1) for row in rows if row and not row.startswith("#"))


def filled(line: str, by: Random) -> tuple[str, str]:
    """A line with random bodies (and a line break for each `\\n`), and its secret, of several lines the longest."""

    def body(found: re.Match[str]) -> str:
        kind, size = found[1], int(found[2] or 0)
        if kind == "U":
            return str(uuid.UUID(int=by.getrandbits(128)))
        if kind == "p":
            letters = by.choices(string.ascii_lowercase, k=size - 3)
            letters += [
                by.choice(string.ascii_uppercase),
                by.choice(string.digits),
                by.choice("!#%&*?"),
            ]
            by.shuffle(letters)
            return "".join(letters)
        return "".join(by.choices(ALPHABETS[kind], k=size))

    whole = re.sub(r"\{([ahHdulbwAqpU])(?::(\d+))?\}", body, line)
    whole = whole.replace(r"\n", "\n")
    secret = re.search("⟦(.*)⟧", whole, re.S)[1]  # type: ignore[index]
    return whole.replace("⟦", "").replace("⟧", ""), max(secret.split("\n"), key=len)


def left(secret: str, text: str) -> bool:
    """Whether enough of a secret stands in a text."""
    size = max(4, int(len(secret) * SHARE))
    return any(secret[at : at + size] in text for at in range(len(secret) - size + 1))


def on_disk(drawn: dict[str, str], by: Random) -> list[str]:
    """The kinds of which something is found in the user's data folder."""
    lines = {kind: filled(line, by) for kind, line in drawn.items()}
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        config = world.home / "config" / "tacit" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text('[model]\ncommand = "echo \'{}\'"\n[reader]\nby = "model"\n')
        names = list(lines)
        for n in range(0, len(names), TOGETHER):
            records: list[dict[str, Any]] = []
            for kind in names[n : n + TOGETHER]:
                line = lines[kind][0]
                records += [prompt(f"From now on remember this: {line}")]
                records += shell(
                    f"a{len(records)}", "make check", f"Error: request refused\n{line}", True
                )
                records += shell(f"b{len(records)}", line)
                name = f"c{len(records)}"
                records.append(call(name, "Write", file_path=f"/w/{name}.txt", content=line))
                records.append(result(name, "File written.", False))
            world.claude(n // TOGETHER + 1, records)
        world.tacit(
            "data",
            "export",
            "--format",
            "jsonl",
            "--output",
            str(world.home / "data" / "export.jsonl"),
        )
        kept = "\n".join(
            _text(path) for path in sorted((world.home / "data").rglob("*")) if path.is_file()
        )
    assert "remember this" in kept, "nothing was kept at all"
    return [kind for kind, (_, secret) in lines.items() if left(secret, kept)]


def _text(path: Path) -> str:
    raw = path.read_bytes()
    return (
        (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
        .decode("utf-8", "replace")
        .replace("\\/", "/")
    )


def printed(folder: Path) -> Iterator[str]:
    """The lines that tools printed in the sessions below a folder."""
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            message, payload = (
                record.get(name) if isinstance(record, dict) else None
                for name in ("message", "payload")
            )
            content = message.get("content") if isinstance(message, dict) else None
            found = (
                [each.get("content") for each in content if isinstance(each, dict)]
                if isinstance(content, list)
                else []
            )
            found += [payload.get("output")] if isinstance(payload, dict) else []
            for text in _texts(found):
                yield from (each for each in text.split("\n") if len(each.strip()) > 7)


def _texts(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, (list, dict)):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _texts(each)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="every kind, not a draw")
    parser.add_argument("--file", default="secrets.txt", help="another list of kinds")
    parser.add_argument("--lines", type=lambda name: Path(name).resolve())
    args = parser.parse_args()
    by, every = Random(args.seed), kinds(args.file)
    drawn = (
        every if args.all else {kind: every[kind] for kind in by.sample(sorted(every), args.kinds)}
    )
    found = on_disk(drawn, by)
    print(
        f"{len(found)} of {len(drawn)} kinds on disk" + (f": {', '.join(found)}" if found else "")
    )
    bad = len(found) > len(drawn) / 10
    if args.lines:
        some = sorted(set(printed(args.lines)))
        if not some:
            parser.error(f"no tool printed a line in the sessions below {args.lines}")
        lines = by.sample(some, min(LINES, len(some)))
        touched = [line for line in lines if redact(line).hits]
        print(f"{len(touched)} of {len(lines)} lines touched")
        bad = bad or len(touched) > len(lines) / 1000
        for line in touched[:20]:
            print("  " + redact(line).text.strip()[:160])
    return bad


if __name__ == "__main__":
    sys.exit(main())
