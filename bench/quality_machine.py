"""Does recall find the right text on data of other origin, which lies on a machine? Plain FTS5 beside it; a set that is not there is left out and named.

    python bench/quality_machine.py [DATA] [--half dev|heldout] [--set NAME] [--only METHOD …] [--no-speaker] [--out FILE]

rust.error, rust.output   The explanations of rustc's errors without their code (`rustc --explain`). Asked with the message that their own wrong example brings, and with
                          the message, its labels, notes and hints.
perl.diag                 What perldiag says of each diagnostic; asked with the diagnostic.
lint.message              What ruff says of its rules, without code; asked with a rule's message.
faq.answer                The answers of Perl's FAQ; asked with a question of it.
aws.example               Commands and outputs of the AWS CLI's examples; asked with what an example is said to do.
changes.twin              Changelog entries of Debian packages and their upstreams that name one CVE, its number left out; asked with an entry, itself left out; right
                          are the others about this CVE.
chat.reply                What aider's and Claude Code's users and agents said (DATA/transcripts), each session a group, the question left out; asked with what a
                          person typed, right is what the agent answered.
turns.PROJECT             Every turn of real sessions (DATA/sessions or DATA/dev-pack), as in bench/quality.py, an agent's as an agent's; asked with a lesson in a reader's words, right are the turns that
                          hold its quotes. Readers' first answers are the dev half, what they found when asked for findings the other.
requests.PROJECT          The same turns; asked with what a reader heard a person ask for in passing. All held out: asked for after everything had been chosen.

A question belongs to the dev half if the first byte of SHA-256 of "tacit ", its set and its id (of twins the first one's) is even. Methods, measures and intervals are those of bench/quality.py.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from shutil import which
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

from quality import Scores, Tacit, ask, methods, tables  # noqa: E402
from quality_sets import Lesson, Question, Stage, half_of, session_folder, turns  # noqa: E402

ASKED, KEPT = 200, 2000  # questions of a half, and lessons, at most
LONGEST = 1500  # characters of a text
BEFORE = HERE.parent / ".bench" / "quality"

Found = dict[str, tuple[list[Lesson], list[Question]]]


def by_hash(name: str) -> str:
    return sha256(f"tacit {name}".encode()).hexdigest()


def plain(text: str) -> str:
    return " ".join(text.split())[:LONGEST]


def without_code(text: str) -> str:
    """Prose of a Markdown page."""
    return plain(re.sub(r"```.*?```", " ", text, flags=re.S))


def rust(_: Path) -> Found:
    """Each error's explanation, and what rustc says of the wrong code in it. Compiling takes a minute, so it is kept in .bench."""
    kept = BEFORE / "rust.json"
    if not kept.exists():
        if not which("rustc"):
            return {}
        kept.parent.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(2) as pool:
            told = dict(
                zip(codes := [f"E{n:04}" for n in range(1, 820)], pool.map(_explained, codes))
            )
        kept.write_text(
            json.dumps({code: each for code, each in told.items() if each}), encoding="utf-8"
        )
    told = json.loads(kept.read_text(encoding="utf-8"))
    lessons = [Lesson(code, each["text"]) for code, each in told.items()]
    said = {code: each for code, each in told.items() if each["message"]}
    return {
        "rust.error": (
            lessons,
            [Question(code, each["message"], frozenset({code})) for code, each in said.items()],
        ),
        "rust.output": (
            lessons,
            [Question(code, each["output"], frozenset({code})) for code, each in said.items()],
        ),
    }


def _explained(code: str) -> dict[str, str]:
    page = subprocess.run(
        ["rustc", "--explain", code], capture_output=True, text=True, check=False
    ).stdout
    text = without_code(page)
    if len(text.split()) < 8 or "no longer emitted" in text:
        return {}
    for example in re.findall(r"```[^\n]*\n(.*?)```", page, flags=re.S)[:1]:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "example.rs")
            source.write_text(
                example if "fn main" in example else f"{example}\nfn main() {{}}\n",
                encoding="utf-8",
            )
            command = [
                "rustc",
                "--error-format=json",
                "--edition=2021",
                "--emit=metadata",
                "--out-dir",
                folder,
                str(source),
            ]
            for line in subprocess.run(
                command, capture_output=True, text=True, check=False
            ).stderr.splitlines():
                said = json.loads(line)
                if (said.get("code") or {}).get("code") == code:
                    labels = [span["label"] for span in said["spans"] if span["label"]]
                    more = [child["message"] for child in said["children"]]
                    return {
                        "text": text,
                        "message": said["message"],
                        "output": "\n".join([said["message"], *labels, *more]),
                    }
    return {"text": text, "message": "", "output": ""}


def _pod(text: str) -> str:
    for _ in range(3):
        text = re.sub(r"[A-Z]<+\s*([^<>]*?)\s*>+", r"\1", text)
    return text


def perl(_: Path) -> Found:
    page = next(iter(sorted(Path("/usr/share/perl").glob("5*/pod/perldiag.pod"))), None)
    items = re.findall(
        r"^=item (.+?)\n\n(.*?)(?=^=item|^=back|\Z)",
        _pod(page.read_text(encoding="utf-8")) if page else "",
        flags=re.S | re.M,
    )
    told = [
        (
            plain(re.sub(r"%\S*|<-- HERE", " ", name)),
            plain(re.sub(r"^\([A-Z][^)]*\)", "", text.strip())),
        )
        for name, text in items
    ]
    told = [
        each
        for each in dict(told).items()
        if len(each[0].split()) >= 3 and len(each[1].split()) >= 8
    ]
    return {
        "perl.diag": (
            [Lesson(name, text) for name, text in told],
            [Question(name, name, frozenset({name})) for name, _ in told],
        )
    }


def faq(data: Path) -> Found:
    pages = sorted(
        {
            *data.glob("**/pod/perlfaq[1-9].pod"),
            *Path("/usr/share/perl").glob("5*/pod/perlfaq[1-9].pod"),
        }
    )
    told: dict[str, str] = {}
    for page in pages:
        for name, text in re.findall(
            r"^=head2 (.+?)\n\n(.*?)(?=^=head|\Z)",
            _pod(page.read_text(encoding="utf-8")),
            flags=re.S | re.M,
        ):
            told[plain(name)] = plain(text)
    return {
        "faq.answer": (
            [Lesson(*each) for each in told.items()],
            [Question(name, name, frozenset({name})) for name in told],
        )
    }


def lint(_: Path) -> Found:
    rules: list[dict[str, Any]] = json.loads(
        subprocess.run(
            [Path(sys.executable).with_name("ruff"), "rule", "--all", "--output-format", "json"],
            capture_output=True,
            check=True,
        ).stdout
    )
    told = {
        each["code"]: (
            re.sub(
                r"\{\w*\}",
                " ",
                each["message_formats"][0] if each["message_formats"] else each["summary"],
            ),
            without_code(each["explanation"]),
        )
        for each in rules
    }
    asked = [
        Question(code, message, frozenset({code}))
        for code, (message, _) in told.items()
        if len(message.split()) > 2
    ]
    return {"lint.message": ([Lesson(code, text) for code, (_, text) in told.items()], asked)}


def aws(_: Path) -> Found:
    pages = (
        sorted(
            path
            for root in map(Path, (*sys.path, "/root/.pyenv/versions"))
            for path in root.glob("**/awscli/examples/*/*.rst")
        )
        if which("aws")
        else []
    )
    told: dict[str, tuple[str, str]] = {}
    for page in pages:
        parts = re.split(r"::\s*\n", page.read_text(encoding="utf-8"))
        said, done = parts[0], "\n".join(parts[1:])
        said = re.sub(r"\*\*.*?\*\*|``", " ", said)
        if len(said.split()) >= 6 and len(done.split()) >= 4:
            told[f"{page.parent.name} {page.stem}"] = (
                plain(said),
                plain(re.sub(r"^\S.*$", "", done, flags=re.M)),
            )
    few = sorted(told, key=by_hash)[:KEPT]
    return {
        "aws.example": (
            [Lesson(name, told[name][1]) for name in few],
            [Question(name, told[name][0], frozenset({name})) for name in few],
        )
    }


def changes(_: Path) -> Found:
    seen: set[bytes] = set()
    told: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(Path("/usr/share/doc").glob("*/changelog*.gz")):
        raw = gzip.decompress(path.read_bytes())
        if (known := sha256(raw).digest()) in seen:
            continue
        seen.add(known)
        for entry in re.split(r"\n\s*\n|\n(?=\s*[*+-] )", raw.decode("utf-8", "replace")):
            if len(cves := {*re.findall(r"CVE-\d+-\d+", entry)}) == 1:
                text = plain(
                    re.sub(r"\[?\(?(CVE-\d+-\d+|[Cc]loses:? #\d+|#\d+)\)?\]?:?", " ", entry)
                ).strip(" *-+,;.()")
                if len(words := re.findall("[a-z]{3,}", text.lower())) >= 5:
                    told[cves.pop()].setdefault(" ".join(words), text)
    twins = {cve for cve, texts in told.items() if len(texts) > 1}
    few = [*sorted(twins), *sorted(told.keys() - twins, key=by_hash)[:KEPT]]
    ids = {cve: {f"{cve}/{at}": text for at, text in enumerate(told[cve].values())} for cve in few}
    lessons = [Lesson(*each) for cve in few for each in ids[cve].items()]
    asked = [
        Question(id, text, frozenset(ids[cve].keys() - {id}), frozenset({id}))
        for cve in sorted(twins)
        for id, text in ids[cve].items()
    ]
    return {"changes.twin": (lessons, asked)}


def chat(data: Path) -> Found:
    from tacit.formats import read
    from tacit.formats.source import FileSource

    lessons: list[Lesson] = []
    asked: list[Question] = []
    for path in sorted(
        [
            *(data / "transcripts").glob("aider/*.md"),
            *(data / "transcripts").glob("claude-code/*.jsonl"),
        ]
    ):
        for run in read(FileSource(str(path))):
            said = [
                (step.role, plain(step.text))
                for step in run.steps
                if step.role in ("user", "assistant")
                and not step.agent
                and len(step.text.split()) > 3
            ]
            for at, (role, text) in enumerate(said):
                id = f"{path.stem}/{run.id}/{at}"
                if role == "assistant":
                    lessons.append(Lesson(id, text, "", f"{path.stem}/{run.id}"))
                elif said[at + 1 : at + 2] and said[at + 1][0] == "assistant" and len(text) < 600:
                    asked.append(Question(id, text, frozenset({f"{path.stem}/{run.id}/{at + 1}"})))
    return {"chat.reply": (lessons, asked)}


def turns_of(data: Path) -> Found:
    return _read_by_readers(data, "turns", {"lessons": "dev", "findings": "heldout"})


def requests_of(data: Path) -> Found:
    return _read_by_readers(data, "requests", {"habits": "heldout"})


def _read_by_readers(data: Path, name: str, halves: dict[str, str]) -> Found:
    """Turns of real sessions, each project a store; the readers' answers are kept in this repository (bench/labels/reader)."""
    found: Found = {}
    for project in sorted(each.parent for each in session_folder(data).glob("*/index.json")):
        lessons = turns(project)
        texts = [(each.id, each.text.lower()) for each in lessons]
        asked: dict[str, Question] = {}
        answers = [
            json.loads(line)
            for line in (HERE / "labels" / "reader" / f"{project.name}.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        ]
        for step, half in halves.items():
            for lesson in (
                each
                for answer in answers
                if answer["prompt"].startswith(f"{step}-")
                for each in answer["answer"]["lessons"]
            ):
                quotes = [" ".join(quote["words"].lower().split()) for quote in lesson["quotes"]]
                held = [
                    [id for id, text in texts if quote in text]
                    for quote in quotes
                    if len(quote) >= 12
                ]
                right = frozenset(id for ids in held if len(ids) <= 3 for id in ids)
                if right and lesson["text"] not in asked:
                    asked[lesson["text"]] = Question(
                        f"{half} {lesson['text']}", lesson["text"], right
                    )
        found[f"{name}.{project.name}"] = lessons, list(asked.values())
    return found


LOADERS = {
    "rust": rust,
    "perl": perl,
    "lint": lint,
    "faq": faq,
    "aws": aws,
    "changes": changes,
    "chat": chat,
    "turns": turns_of,
    "requests": requests_of,
}


def is_in(half: str, name: str, question: Question) -> bool:
    """Whether a question belongs to a half. What readers found is all held out: what they answered first was used to choose."""
    if name in ("turns", "requests"):
        return question.id.startswith(half)
    return half_of(f"{name} {min({question.id, *question.right})}") == half


def kinds(data: Path, half: str, sets: list[str]) -> Iterator[tuple[str, list[Stage]]]:
    """Every kind of question of the sets that are there, as one stage: all lessons, then this half's questions."""
    for name in sets or LOADERS:
        for kind, (lessons, asked) in LOADERS[name](data).items():
            mine = sorted(
                (each for each in asked if is_in(half, name, each)),
                key=lambda each: by_hash(each.id),
            )[:ASKED]
            if mine:
                yield kind, [Stage(lessons, mine)]
            else:
                print(f"{kind} is left out: nothing to ask.", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data", nargs="?", type=Path, default=HERE.parent.parent / "shared" / "data"
    )
    parser.add_argument("--half", choices=("dev", "heldout"), default="dev")
    parser.add_argument("--set", dest="sets", action="append", default=[], choices=list(LOADERS))
    parser.add_argument("--only", nargs="+", default=[], metavar="METHOD")
    parser.add_argument(
        "--no-speaker", dest="speaker", action="store_false", help="all words as one person's"
    )
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    Tacit.speaker = args.speaker
    scores: Scores = {}
    for kind, stages in kinds(args.data, args.half, args.sets):
        for method, make in methods().items():
            if method != "commonest" and (not args.only or method in args.only):
                scores.setdefault(kind, {})[method] = ask(make, stages)
                print(f"{kind}: {method}", file=sys.stderr)
    head = f"`python bench/quality_machine.py DATA --half {args.half}{'' if args.speaker else ' --no-speaker'}`, public API, default settings, Python {platform.python_version()}, {platform.machine()}."
    text = "\n".join(
        ["# Quality of recall on data of other origin", "", head, "", *tables(scores), ""]
    )
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
