"""Is there a text of one megabyte that makes anything slow?

    python bench/patterns.py [--size 1000000] [--doors NAME,…] [--most 3] [--table FILE]

Patterns that make careless expressions run wild (digits, escapes, quotes, `token:`, one long word, CJK, …) go through every door that reads
foreign text: redaction, the screen, the line of a prompt, an error's telling line and its grammar, a failing step, a command, an output and a
prompt of a learned run, what a lesson recommends, the lines of a team's journal, the repair of a store, and the hooks. Sizes are bytes of UTF-8,
times are CPU seconds of this process, and the least of three counts: of prose always, of a pattern where its first try was above two thirds of the bound.
Each may cost at most three times what as much ordinary prose costs there; where prose costs less than FLOOR, three times FLOOR. Exit status 1:
one costs more.
"""

from __future__ import annotations

import argparse
import os
import string
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from time import process_time
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

MOST = 3.0  # times the cost of prose
# seconds of CPU for a megabyte; one door does nothing with prose but look for "<", in a twentieth of a millisecond
FLOOR = 0.002

LETTERS = string.ascii_uppercase
WORD = string.ascii_letters + string.digits

PROSE = (
    "The worker reads the queue in the order of arrival and writes one line for each job that it finished. When a job fails, the error is kept with its "
    "time and the name of the command, so that the next run can see what was tried before. Most of them pass at the second attempt.\n"
)
PATTERNS: dict[str, str] = {
    "digits": "1",
    "letters": "a",
    "capitals": "A",
    "one long word": "abcdefghij",
    "hexadecimal": "0123456789abcdef",
    "base64": "QWxhZGRpbjpvcGVuIHNlc2FtZQ",
    "spaces": " ",
    "line ends": "\n",
    "tabs": "\t",
    "escape": "\x1b",
    "escape [": "\x1b[",
    "escape ]": "\x1b]",
    "escape ] text": "\x1b]0;x",
    "double quotes": '"',
    "single quotes": "'",
    "backticks": "`",
    "backslashes": "\\",
    "escaped line ends": "\\n",
    "token:": "token: ",
    'secret = "': 'secret = "',
    "password is": "the password is ",
    "key=": "api_key=",
    "bearer": "Bearer ",
    "eyJ": "eyJ",
    "begin key": "-----BEGIN PRIVATE KEY-----",
    "urls": "https://a:b@",
    "angle brackets": "<",
    "open tags": "<private>",
    "closed tags": "<private></private>",
    "variations": "❤️",
    "zero width": "a\u200b",
    "parentheses": "((((",
    "brackets": "[[[[",
    "dots": ".",
    "slashes": "/a",
    "dashes": "-",
    "underscores": "_",
    "equals": "=",
    "colons": ":",
    "commas": ",a",
    "percent": "9%",
    "at signs": "a@",
    "CJK": "記憶",
    "accents": "é",
    "emoji": "🙂",
    "Error:": "Error: ",
    "at frames": "  at f (a.js:1:1)\n",
    "ignore": "ignore previous ",
    "you are now": "you are now ",
    "curl": "curl http://x ",
    "pipes": "a | ",
    "semicolons": "a; ",
    "dollars": "$(",
    "hashes": "# ",
    "seen": "(seen 1x",
    "command not found": "x: command not found: ",
    "file:line": "a.py:1: ",
    "null": "\\u0000",
    "encoded lines": "QVBJX0tFWT1rOVpxM0xtVDd2WHcyQm5SOHNZZDVIZkoxcFFjNEd0QQ\n",
    "named values": 'A_KEY="k9Zq3LmT7vXw2BnR8sYd5" ',
    "prefixed": "ac_k9Zq3LmT7vXw2BnR8sYd5HfJ1 ",
    "mixed": "a1B-_.:/=+ ",
    # Ten that nothing was tuned on when they were written.
    "uuids": "123e4567-e89b-12d3-a456-426614174000 ",
    "half a token": "eyJhbGciOi.eyJzdWIi.c2ln ",
    "open objects": '{"a":',
    "frames": '  File "a.py", line 1, in f\n',
    "entities": "&lt;&#x27;",
    "percent codes": "%41%20",
    "cookies": "Cookie: a=b; c=d\n",
    "flags": "--token x --key=y -p z ",
    "camel case": "apiKeySecretTokenValue",
    "combining": "a\u0301\u202e",
}
# Nothing in these comes twice, so that nothing can be remembered about them: what a word, a name, a line looks like, with a number in its place.
ANEW = {
    "words anew": lambda r: "".join(r.choices(WORD, k=16)) + " ",
    "names anew": lambda r: (
        f"{''.join(r.choices(LETTERS, k=6))}_KEY={''.join(r.choices(WORD, k=20))}\n"
    ),
    "codes anew": lambda r: (
        f"{r.getrandbits(128):032x} {r.getrandbits(40):x}-{r.getrandbits(24):x}\n"
    ),
    "lines anew": lambda r: "".join(r.choices(WORD + "+/", k=64)) + "\n",
    "errors anew": lambda r: (
        f"{''.join(r.choices(LETTERS, k=8))}Error: {''.join(r.choices(LETTERS, k=5))} at {r.randrange(9999)}: token {''.join(r.choices(WORD, k=9))}\n"
    ),
}


def text_of(piece: str, size: int) -> str:
    """So many bytes of it in UTF-8, whatever its script."""
    raw = piece.encode()
    return (raw * (size // len(raw) + 1))[:size].decode(errors="ignore")


def texts(size: int) -> Iterator[tuple[str, str]]:
    """Every pattern by its name."""
    yield from ((name, text_of(piece, size)) for name, piece in PATTERNS.items())
    for name, one in ANEW.items():
        maker, made, long = Random(f"patterns:{name}"), [], 0
        while long < size:
            made.append(one(maker))
            long += len(made[-1])
        yield name, "".join(made)[:size]


def doors(folder: Path) -> dict[str, Callable[[str], object]]:
    """Everything that reads a foreign text, by name."""
    from tacit.core.run import Step
    from tacit.reading.command import commands
    from tacit.reading.page import failing_output
    from tacit.safety.one_line import plain_line
    from tacit.safety.provenance import judge
    from tacit.safety.record import Text
    from tacit.safety.redact import private, redact, redacted_record
    from tacit.safety.screen import screen
    from tacit.words.diagnose import signatures
    from tacit.words.signature import decisive_line, signature

    return {
        "redact": redact,
        "redact a record": lambda text: redacted_record({"a": text, "b": [text[:1000]]}),
        "private": private,
        "screen": screen,
        "plain_line": plain_line,
        "signature": signature,
        "grammar of errors": signatures,
        "telling line": decisive_line,
        "output that shows failure": lambda text: failing_output(
            Step("tool", "1", tool="Bash", input={"command": "make | tail"}, output=text)
        ),
        "shell line": lambda text: [commands(each) for each in (text,)],
        "provenance": lambda text: judge(recommended(text), (Text(0, "outside", text, "page"),)),
        "learn: error": lambda text: learned(folder, error=text),
        "learn: command": lambda text: learned(folder, command=text),
        "learn: output": lambda text: learned(folder, output=text),
        "learn: prompt": lambda text: learned(folder, prompt=text),
        "sync: lines": synced,
        "repair": lambda text: repaired(folder, text),
        "hook: prompt": lambda text: hooked(
            "prompt", hook_event_name="UserPromptSubmit", prompt=text
        ),
        "hook: failure": lambda text: hooked(
            "tool-failure",
            hook_event_name="PostToolUseFailure",
            tool_name="Bash",
            tool_input={"command": "make"},
            error=text,
        ),
    }


def learned(
    folder: Path,
    error: str = "",
    command: str = "make test",
    output: str = "ok",
    prompt: str = "go on",
) -> None:
    """A run that holds the text, learned into a store of its own."""
    from tacit.core.run import Run, Step
    from tacit.memory import open

    at = folder / f"{os.urandom(6).hex()}.db"
    steps = (
        Step("user", "line:1", prompt, typed=True, speaker="typed"),
        Step("tool", "line:2", tool="Bash", input={"command": command}, error=error, output=output),
        Step("tool", "line:3", tool="Bash", input={"command": "make setup"}, output=output),
        Step("tool", "line:4", tool="Bash", input={"command": command}, output=output),
    )
    with open(str(at), "p", env={"HOME": str(folder)}) as memories:
        memories.learn(Run("r", "neutral", steps, task=prompt, complete=True))


def recommended(text: str) -> str:
    """A text as commands that a lesson recommends: in backticks as long as are read, and in a fence."""
    line = text.replace("`", "'").replace("\n", " ")
    return (
        " ".join(f"`{line[at : at + 390]}`" for at in range(0, len(line) // 2, 390))
        + f"\n```\n{text[len(text) // 2 :]}\n```"
    )


def pieces(text: str, most: int = 60_000) -> list[str]:
    """A text as lessons that may be kept: in parts, none of them empty."""
    return [
        text[at : at + most].replace("\0", " ").strip() or "." for at in range(0, len(text), most)
    ]


def synced(text: str) -> None:
    """A team mate's file: read, and made into screened lessons."""
    from tacit.core.value import replace
    from tacit.sync.lessons import born
    from tacit.sync.line import Line, items_in, written

    told = []
    for n, piece in enumerate(pieces(text), 1):
        says = {"text": piece, "kind": "fact", "word": "person", "state": "active"}
        told.append(written("m", n, f"m{n}", "2026-11-16T10:00:00.000Z", "ann", says).body)
    read = [*items_in("\n".join(told).encode(), "m")]
    assert all(isinstance(each, Line) for each in read), [
        each for each in read if not isinstance(each, Line)
    ][:1]
    for each in read:
        born(replace(each, signer="ann@team"), "p", None, mine=False)


def repaired(folder: Path, text: str) -> None:
    """A store of such lessons, one of whose rows does not verify, mended."""
    from tacit.core.edits import made
    from tacit.core.journal import Hand
    from tacit.learn import queries
    from tacit.lesson import Lesson
    from tacit.memory import open
    from tacit.store.safekeeping import repair_store

    at = folder / f"{os.urandom(6).hex()}.db"
    when = "2026-11-16T10:00:00.000Z"
    with open(str(at), "p", env={"HOME": str(folder)}) as memories:
        project = memories.ensure_project().id
        with memories.store.write() as tx:
            for n, piece in enumerate(pieces(text)):
                tx.apply(
                    made(
                        Lesson(f"m{n:011}", project, piece, created_at=when, updated_at=when),
                        Hand("ann", when),
                        reason="",
                    )
                )
            tx.rows("UPDATE memory SET kind = 'other' WHERE id = 'm00000000000'")
    repair_store(str(at), {"HOME": str(folder)})
    with open(str(at), "p", env={"HOME": str(folder)}) as memories:
        assert queries.health(memories).health.is_sound


def hooked(event: str, **said: object) -> str:
    """What a hook answers, with a store that has something to say."""
    import json

    from tacit.hooks.main import respond

    payload = json.dumps({"session_id": os.urandom(6).hex(), "cwd": os.getcwd(), **said})
    return respond(event, json.loads(payload), os.environ, host="claude-code")


def furnished() -> None:
    """Lessons for the hooks, one of which the prose asks for."""
    from tacit.learn import correcting
    from tacit.memory import open
    from tacit.testing import signed

    with open(env=signed(os.environ)) as memories:
        correcting.add_many(
            memories,
            [
                f"Lesson {n}: {name} stand in logs of the importer; cut them before `make check{n}`."
                for n, name in enumerate(PATTERNS)
            ],
        )
        memories.add(
            "The worker reads the queue in the order of arrival: a job that fails is kept with its error, and tried again."
        )
    assert hooked("prompt", hook_event_name="UserPromptSubmit", prompt=PROSE), (
        "the hook says nothing: this door was not measured"
    )


def cost(door: Callable[[str], object], text: str) -> float:
    began = process_time()
    door(text)
    return process_time() - began


class Row(NamedTuple):
    """A door: what prose costs there, and each pattern, in seconds of CPU."""

    door: str
    prose: float
    patterns: dict[str, float]

    def times(self, pattern: str, size: int) -> float:
        return self.patterns[pattern] / max(self.prose, FLOOR * size / 1_000_000)


def measured(size: int, only: list[str], most: float) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.update(
            HOME=name,
            XDG_DATA_HOME=f"{name}/data",
            XDG_CONFIG_HOME=f"{name}/config",
            TACIT_NO_WORKER="1",
        )
        here = os.getcwd()
        os.chdir(folder)
        try:
            furnished()
            for door, act in doors(folder).items():
                if only and not any(each in door for each in only):
                    continue
                act(text_of(PROSE, 2000))  # what is loaded once is loaded now
                row = Row(door, min(cost(act, text_of(PROSE, size)) for _ in range(3)), {})
                for pattern, text in texts(size):
                    row.patterns[pattern] = cost(act, text)
                    if row.times(pattern, size) > most * 2 / 3:
                        row.patterns[pattern] = min(
                            row.patterns[pattern], cost(act, text), cost(act, text)
                        )
                yield row
        finally:
            os.chdir(here)


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--doors", default="")
    parser.add_argument("--most", type=float, default=MOST)
    parser.add_argument("--table", type=Path)
    args = parser.parse_args()
    lines = [
        "| door | prose, s | dearest pattern | s | times prose | of the bound |",
        "|---|---|---|---|---|---|",
    ]
    slow = 0
    print("\n".join(lines), flush=True)
    for row in measured(args.size, [each for each in args.doors.split(",") if each], args.most):
        dearest = max(row.patterns, key=row.patterns.__getitem__)
        over = [
            f"{each} {row.times(each, args.size):.1f}x"
            for each in row.patterns
            if row.times(each, args.size) > args.most
        ]
        slow += len(over)
        share = row.times(dearest, args.size) / args.most
        lines.append(
            f"| {row.door} | {row.prose:.3f} | {dearest} | {row.patterns[dearest]:.3f} | {row.patterns[dearest] / max(row.prose, 0.0005):.1f} | {share:.0%} |"
        )
        print(lines[-1], *(f"SLOW {each}" for each in over), flush=True)
    said = f"{len(PATTERNS) + len(ANEW)} patterns of {args.size:,} bytes: {slow} cost more than {args.most:g} times prose (of {FLOOR:g} s, where prose costs less)."
    print(said)
    if args.table:
        write_table(args.table, "\n".join([*lines, "", said]))
    return int(bool(slow))


def write_table(path: Path, text: str) -> None:
    """Between the two marks of the page, and nowhere else."""
    page = path.read_text(encoding="utf-8")
    begin, end = "<!-- time -->\n", "<!-- /time -->"
    before, _, rest = page.partition(begin)
    path.write_text(f"{before}{begin}{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run())
