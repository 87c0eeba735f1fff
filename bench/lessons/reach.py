"""What every hook of real sessions gave, counted and judged: worth, wrong, twins, repeats, cures, tokens.

    python -m bench.lessons.reach sheet DATA FOLDER [--project NAME]     after a feeding: lessons.tsv and pairs.tsv for blind judges
    python -m bench.lessons.reach count DATA FOLDER [--project NAME]     with lessons.JUDGE.tsv and pairs.JUDGE.tsv of that folder

`lessons.tsv` has every lesson that some hook gave and a draw of all that are kept, mixed; a judge puts a letter of judging.md before each.
`pairs.tsv` has pairs of lessons that one context was given and that share words: y where they say the same. Coverage of the answer keys is
judged apart (`bench.lessons coverage`).
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.lessons.coverage import LABELS, Seen, items
from bench.lessons.coverage import lessons as kept
from bench.lessons.feed import World, sessions, unpacked
from bench.lessons.figures import logged
from bench.lessons.played import START_TOKENS
from bench.lessons.sheets import key_of

from tacit.formats import read
from tacit.formats.source import FileSource
from tacit.words.tokens import query_words

DRAWN = 60  # of all that is kept, of each project
ALIKE = 0.34  # of the words of the shorter text, from which on a judge is asked whether two say the same
ARMS = ("plain", "coins")
REPEATS, CURES = "repeats given before they are said again", "cures told before or with the failure"


def given(world: World, arm: str) -> Iterator[tuple[str, str, list[str], int]]:
    """Each answer of a hook: session, moment, what was given, tokens."""
    for line in logged(world):
        for answer in line["hooks"].get(arm, ()):
            yield line["session"], answer["moment"], answer["given"], answer["tokens"]


def pairs(world: World) -> set[tuple[str, str]]:
    """Texts that one context was given both of, and that share words."""
    texts, told = kept(world), defaultdict(set)
    for session, _, ids, _ in given(world, "plain"):
        told[session] |= {texts[id] for id in ids if id in texts}
    words = {text: set(query_words(text)) for each in told.values() for text in each}
    return {
        (one, two)
        for each in told.values()
        for one, two in combinations(sorted(each), 2)
        if len(words[one] & words[two]) >= ALIKE * max(1, min(len(words[one]), len(words[two])))
    }


def sheet(worlds: list[World], folder: Path) -> None:
    """Write what judges fill in."""
    folder.mkdir(parents=True, exist_ok=True)
    lines, twins = [], []
    for world in worlds:
        texts = kept(world)
        asked = {texts[id] for _, _, ids, _ in given(world, "plain") for id in ids if id in texts}
        drawn = sorted(
            set(texts.values()), key=lambda text: hashlib.sha256(f"draw {text}".encode()).digest()
        )[:DRAWN]
        lines += [(key_of(world.project, text), world.project, text) for text in {*asked, *drawn}]
        twins += [(key_of(world.project, one + two), one, two) for one, two in pairs(world)]
    for name, found in (("lessons", lines), ("pairs", twins)):
        with (folder / f"{name}.tsv").open("w", newline="") as file:
            out = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\")
            out.writerows(("_", *(" ".join(cell.split()) for cell in row)) for row in sorted(found))
        print(folder / f"{name}.tsv", len(found))


def labels(folder: Path, name: str) -> dict[str, dict[str, str]]:
    """Each judge's letters by key."""
    found = {}
    for file in sorted(folder.glob(f"{name}.*.tsv")):
        rows = (line.split("\t") for line in file.read_text().splitlines())
        found[file.name.split(".")[1]] = {
            row[1]: row[0].strip()[:1] for row in rows if len(row) > 1
        }
    return found


def worth(worlds: list[World], said: dict[str, str]) -> dict[str, dict[str, int]]:
    """Letters of what was given, each giving counted, by moment; found once apart; and of the draw."""
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for world in worlds:
        texts = kept(world)
        for _, moment, ids, _ in given(world, "plain"):
            place = "start" if moment == "session-start" else "other moments"
            for id in ids:
                letter = said.get(key_of(world.project, texts[id]), "?") if id in texts else "?"
                told[place][letter] += 1
                told[moment][letter] += 1
        drawn = sorted(
            set(texts.values()), key=lambda text: hashlib.sha256(f"draw {text}".encode()).digest()
        )[:DRAWN]
        told["kept, drawn"].update(said.get(key_of(world.project, text), "?") for text in drawn)
    return {name: dict(sorted(count.items())) for name, count in told.items()}


def twins(worlds: list[World], said: dict[str, str]) -> Seen:
    """Givings beside another of the same context that says the same."""
    seen = Seen()
    for world in worlds:
        texts = kept(world)
        told: dict[str, list[str]] = defaultdict(list)
        for session, _, ids, _ in given(world, "plain"):
            for id in ids:
                text = texts.get(id, "")
                beside = [tuple(sorted((text, each))) for each in told[session]]
                seen.add(
                    not any(said.get(key_of(world.project, a + b)) == "y" for a, b in beside), text
                )
                told[session].append(text)
    return seen


def tokens(worlds: list[World], arm: str) -> tuple[float, float, int]:
    """Median and 95 % of the tokens that a session is given by all hooks."""
    spent = []
    for world in worlds:
        spent += [
            sum(answer["tokens"] for answer in line["hooks"].get(arm, ())) for line in logged(world)
        ]
    spent.sort()
    return statistics.median(spent), spent[int(0.95 * (len(spent) - 1))], len(spent)


def reached(world: World, covers: dict[str, list[str]], arm: str) -> dict[str, Seen]:
    """Repeats given before they are said again, cures told before or with the failure."""
    by_key: dict[str, list[str]] = defaultdict(list)
    for id, text in kept(world).items():
        by_key[key_of(world.project, text)].append(id)
    log = {line["session"]: line for line in logged(world)}
    file = {each.id: each.file for each in sessions(world.data, world.project)}
    quotes = _quotes(world)
    seen: dict[str, Seen] = defaultdict(Seen)
    for item in items(world):
        ids = {id for key in covers.get(item.name, ()) for id in by_key.get(key, ())}
        if item.kind not in ("repeated", "failures"):
            continue
        for session in item.sessions[1:]:
            answers = log[session]["hooks"].get(arm, ())
            if item.kind == "repeated":
                until = _place(file[session], quotes.get((item.name, session), ""))
                answers = [each for each in answers if _before(each, until)]
            held = any(ids & set(each["given"]) for each in answers)
            name = REPEATS if item.kind == "repeated" else CURES
            seen[name].add(held, f"{world.project} {item.name} {log[session]['n']}")
    return seen


def _quotes(world: World) -> dict[tuple[str, str], str]:
    found = {}
    file = world.data / world.project / "truth" / "repeated.jsonl"
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else ()):
        for each in json.loads(line)["occurrences"]:
            found[f"repeated-{number}", each["session"]] = each["quote"]
    return found


def _place(file: Path, quote: str) -> int:
    """The step that says it, by its number; a quote that is not found counts as the first prompt's."""
    wanted = " ".join(quote.split()).lower()[:60]
    for run in read(FileSource(str(file))):
        for step in run.steps:
            if wanted and wanted in " ".join((step.text or "").split()).lower():
                return _number(step.place)
    return 0


def _number(place: str) -> int:
    digits = "".join(char for char in place.rpartition(":")[2] if char.isdigit())
    return int(digits or 0)


def _before(answer: dict[str, Any], until: int) -> bool:
    return answer["place"] == "start" or (until > 0 and _number(answer["place"]) < until)


def count(worlds: list[World], folder: Path) -> None:
    """All figures, judge by judge."""
    for judge, said in labels(folder, "lessons").items():
        for name, letters in worth(worlds, said).items():
            whole = sum(letters.values()) or 1
            print(
                f"judge {judge}, {name}: worth {letters.get('a', 0) / whole:.3f}, wrong {letters.get('d', 0) / whole:.3f} of {whole} {letters}"
            )
    for judge, said in labels(folder, "pairs").items():
        seen = twins(worlds, said)
        print(f"judge {judge}: givings without a twin {seen}")
    for arm in ARMS:
        print(f"{arm}: tokens a session, median, 95 %, sessions: {tokens(worlds, arm)}")
    for judge in sorted({file.name.split("-")[0] for file in LABELS.glob("v[345]*-*.json")}):
        for arm in ARMS:
            for name, seen in _over(worlds, judge, arm).items():
                print(f"judge {judge}, {arm}: {name} {seen}")
                if arm == "plain":
                    print(f"    missed: {', '.join(seen.missed)}")
        for size in START_TOKENS:  # a curve: what a start of this size gives by itself
            print(
                f"judge {judge}, a start of {size} tokens alone: {_over(worlds, judge, f'start-{size}')[REPEATS]}"
            )


def _over(worlds: list[World], judge: str, arm: str) -> dict[str, Seen]:
    """Repeats and cures of all projects by one judge of coverage."""
    whole: dict[str, Seen] = defaultdict(Seen)
    for world in worlds:
        place = LABELS / f"{judge}-{world.project}.json"
        for name, seen in (
            reached(world, json.loads(place.read_text()), arm) if place.exists() else {}
        ).items():
            whole[name].yes, whole[name].of = whole[name].yes + seen.yes, whole[name].of + seen.of
            whole[name].missed += seen.missed
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.lessons.reach", description=__doc__)
    parser.add_argument("step", choices=["sheet", "count"])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--project", action="append")
    args = parser.parse_args()
    data = unpacked(args.data)
    found = [
        World(data, name) for name in args.project or sorted(each.name for each in data.iterdir())
    ]
    worlds = [world for world in found if world.log.exists()]
    (sheet if args.step == "sheet" else count)(worlds, args.folder)


if __name__ == "__main__":
    main()
