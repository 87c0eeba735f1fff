"""`python -m bench.looks`: the next question, the figures, the judges' sheets and what they say."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.looks import figures, kept, sheets, twins
from bench.looks.walk import handed_in, lessons_of, walk


def main() -> None:
    """One command."""
    parser = argparse.ArgumentParser(prog="python -m bench.looks")
    parser.add_argument(
        "do", choices=(*"ask answer lessons figures sheets judged twins pack unpack".split(),)
    )
    parser.add_argument("data", type=Path, help="a folder of projects")
    parser.add_argument("--project", default="")
    parser.add_argument("--look", choices=("habits", "failures", "tidy", "instructions"))
    parser.add_argument(
        "--file", type=Path, help="answer: what the reader said to the open question"
    )
    parser.add_argument(
        "--lessons", type=Path, help="JSON lines: id, text, topic, session, persons"
    )
    parser.add_argument("--store", type=Path, help="lessons: a store that the sessions were fed to")
    parser.add_argument("--logs", type=Path, help="twins: a folder of E2's logs")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.do in ("ask", "answer"):
        if not given.project or not given.look:
            parser.error(f"{given.do} wants --project and --look")
        steps = [*walk(given.data, given.project, given.look, given.out, given.lessons)]
        last = steps[-1] if steps else None
        if last is None or last.said:
            print(f"done: {last.place.parent}" if last else "done: nothing was due")
        elif given.do == "ask":
            print(last.place)
        else:
            print(handed_in(given.data, given.project, given.look, given.out, given.file))
    elif given.do in ("pack", "unpack"):
        (kept.pack if given.do == "pack" else kept.unpack)(given.out)
    elif given.do == "lessons":
        print(lessons_of(given.data, given.project, given.store, given.out))
    elif given.do == "twins":
        twins.show(given.data, given.out, given.logs)
    elif given.do == "figures":
        figures.show(given.data, given.out)
    elif given.do == "sheets":
        sheets.write(given.data, given.out)
    else:
        sheets.show(given.data, given.out)


if __name__ == "__main__":
    main()
