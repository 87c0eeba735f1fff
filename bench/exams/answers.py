"""Keep what the readers answered beside the bench, and lay it out again.

    python -m bench.exams.answers pack QUEUE      QUEUE/PROJECT/*.json → bench/labels/reader/PROJECT.jsonl
    python -m bench.exams.answers unpack QUEUE    the other way, so that `recorded.py` finds every answer by its prompt's hash

An answer is kept with the name of its prompt (step and hash). Prompts are never kept: they hold other people's sessions, and are made again
from the data (`questions.py`, or the feeding itself). A quote in an answer has at most 25 words. What was said of remembered lessons is kept by
session and wording (`known_by.py`), not by its prompt, and what was said of pairs of texts pair by pair (`pairs_by.py`).
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

from bench.exams import pairs_by

LABELS = Path(__file__).parents[1] / "labels" / "reader"
LONGEST_QUOTE = 25  # words
_HASH = re.compile(r"[0-9a-f]{8}")


def pack(queue: Path) -> None:
    """One file a project, in the order of the prompts' names."""
    LABELS.mkdir(parents=True, exist_ok=True)
    for folder in sorted(each for each in queue.iterdir() if each.is_dir()):
        pairs_by.keep(str(folder))
        kept = {
            file.stem: json.loads(file.read_text())
            for file in sorted(folder.glob("*-*.json"))
            if not file.name.startswith(("known-", "twins-"))
        }
        for name, answer in kept.items():
            _check(name, answer)
            if "listed" in answer:
                answer["listed"] = [
                    text if _HASH.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()[:8]
                    for text in answer["listed"]
                ]
        lines = (
            json.dumps({"prompt": name, "answer": answer}, ensure_ascii=False)
            for name, answer in kept.items()
        )
        (LABELS / f"{folder.name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
        print(f"{folder.name}: {len(kept)} answers")


def unpack(queue: Path, project: str = "*") -> None:
    """Every kept answer as a file beside its prompt; what lies there already is left alone."""
    for file in sorted(LABELS.glob(f"{project}.jsonl")):
        folder = queue / file.stem
        folder.mkdir(parents=True, exist_ok=True)
        for line in file.read_text().splitlines():
            at = json.loads(line)
            target = folder / f"{at['prompt']}.json"
            if not target.exists():
                target.write_text(json.dumps(at["answer"], ensure_ascii=False))


def _check(name: str, answer: dict[str, object]) -> None:
    for verdict in answer.get("verdicts", ()):  # type: ignore[attr-defined]
        if len(str(verdict.get("words") or "").split()) > LONGEST_QUOTE:
            raise SystemExit(
                f"{name}: a quote of more than {LONGEST_QUOTE} words cannot be kept: {verdict['words'][:80]} …"
            )
    lessons = answer.get("lessons", ())
    for lesson in lessons if isinstance(lessons, list) else ():
        for quote in lesson.get("quotes", ()):
            if len(str(quote["words"]).split()) > LONGEST_QUOTE:
                raise SystemExit(
                    f"{name}: a quote of more than {LONGEST_QUOTE} words cannot be kept: {quote['words'][:80]} …"
                )


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]](Path(sys.argv[2]))
