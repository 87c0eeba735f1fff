"""Whose words: 500 passages of user messages drawn by stratum, for a labeller who has not seen the code, and the score against the labels.

    python bench/whose.py draw OUT [--driven FOLDER --pastes FILE] FOLDER...     the sheet, and what Tacit calls each passage
    python bench/whose.py again OUT LINES NEW FOLDER...     what Tacit calls the same passages today, as NEW/key.jsonl
    python bench/whose.py score OUT LABELS...
    python bench/whose.py segments MESSAGES [HOME...]     messages whose author says which parts are typed and which pasted

`draw` writes OUT/lines.jsonl (to be labelled) and OUT/key.jsonl. Strata are Tacit's own calls (250 typed, of which 100 stand in messages of
four lines and more; 70 unsure; 150 pasted or quoted; 100 generated), each drawn at random by `--seed`; rates are weighted back by the size of
each stratum, so that a rare mistake is not drawn away. A key holds a hash of each passage: `--shown KEY` draws of what stood on no such
sheet. Folders hold session files of any host, with a host's `history.jsonl` where it lies, and aider's chats. `--driven` names the
home of a real host whose session `hosts/pastes.json` drove: there it is known what was pasted, all of it is drawn, and it is scored by
what was done, apart from the rest. A labeller is shown the message around a passage, what the agent said before and after it, and the
host's own fields of the record, never the call.

`segments` reads one message a line, `{"agent_before": …, "segments": [{"who": "typed" | "pasted", "text": …}]}`, and counts what most of
each segment is called, unweighted. With homes of real hosts, only of messages that were sent there, as the host recorded them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit.core.run import Run, Step
from tacit.hosts import formats
from tacit.hosts.source import FileSource
from tacit.reading.page import PERSON, SPEAKER_LETTERS, UNSURE, one_line, scrubbed, spoken

WANTED = {"many lines": 100, "typed": 250, "unsure": 70, "pasted": 150, "generated": 100}
CALLS = ("typed", "unsure", "pasted", "generated")
AROUND, BESIDE = (
    700,
    500,
)  # characters of the message on each side of a passage, and of what the agent said
DRIVEN_TYPED = 30  # what was typed around pastes in driven sessions is our own invention: a few
LONG = "pasted, 4 lines and more"
UNMARKED = "aider"  # writes a person's request and a script's alike
# What a host's record says beside its text; ids, times and paths say nothing about whose words they are.
FIELDS = (
    "type",
    "isMeta",
    "isSidechain",
    "userType",
    "entrypoint",
    "promptSource",
    "origin",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "originator",
    "source",
    "role",
    "kind",
    "turn_trigger",
)


def call_of(letter: str) -> str:
    """Tacit's call of a passage, by its letter on the page."""
    return (
        "typed"
        if letter in PERSON
        else "unsure"
        if letter == UNSURE
        else "pasted"
        if letter == "Q"
        else "generated"
    )


def passages(run: Run, path: Path) -> Iterator[dict[str, Any]]:
    """Every passage of what stands as the user's in a run, with Tacit's call."""
    records = path.read_text(errors="replace").splitlines()
    before = ""
    for at, step in enumerate(run.steps):
        if step.role == "assistant":
            before = step.text
        if step.role != "user" or step.agent or not step.text.strip():
            continue
        record = _record(records, step.place)
        whole = _whole(step, record)
        after = next((each.text for each in run.steps[at + 1 :] if each.role == "assistant"), "")
        for letter, words in spoken(step, before):
            if words.strip() and letter in SPEAKER_LETTERS:
                yield {
                    "passage": scrubbed(words.strip())[: 2 * AROUND],
                    "message": _around(whole, words.strip()),
                    "agent_before": one_line(scrubbed(before))[-BESIDE:],
                    "agent_after": one_line(scrubbed(after))[:BESIDE],
                    "record": _fields(_record(records, "line:1"), record),
                    "question": (step.input or {}).get("question", ""),
                    "call": call_of(letter),
                    "lines": words.strip().count("\n") + 1,
                    "host": run.host,
                    "version": run.version,
                }


def _around(message: str, words: str) -> str:
    """The message with the passage between marks."""
    start = max(0, message.find(words))
    end = start + len(words)
    cut = ("… " * (start > AROUND), " …" * (len(message) > end + AROUND))
    before, after = message[max(0, start - AROUND) : start], message[end : end + AROUND]
    return scrubbed(f"{cut[0]}{before}⟦{words[: 2 * AROUND]}⟧{after}{cut[1]}")


def _whole(step: Step, record: dict[str, Any]) -> str:
    """The message of a step, with what the host says was pasted into it."""
    said = _text(record)
    return said if one_line(step.text) in one_line(said) else step.text


def _record(records: list[str], place: str) -> dict[str, Any]:
    """The host's record at a place."""
    number = re.match(r"line:(\d+)", place)
    try:
        found = json.loads(records[int(number[1]) - 1]) if number else {}
    except (ValueError, IndexError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(record: dict[str, Any]) -> str:
    """The text of a record of a message."""
    message = record.get("message") or record.get("payload") or {}
    said = message.get("content") if isinstance(message, dict) else ""
    parts = said if isinstance(said, list) else [{"text": said}]
    return "\n".join(
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def _fields(*records: dict[str, Any]) -> dict[str, str]:
    """What the host wrote beside the text, of the session's head and of the record itself."""
    found: dict[str, str] = {}
    for record in records:
        for part in (record, record.get("payload")):
            if isinstance(part, dict):
                found.update({name: str(part[name])[:80] for name in FIELDS if name in part})
        if isinstance(record.get("toolUseResult"), (dict, str)):
            found["stands in"] = "the result of a tool call"
    return found


def truth_of(line: dict[str, Any], pastes: list[str]) -> tuple[str, int]:
    """What was done in a driven session, of the greater part of a passage: typed or pasted, and the lines of the paste."""
    bare, message = (
        one_line(line["passage"]),
        one_line(line["message"].replace("⟦", "").replace("⟧", "")),
    )
    for paste in sorted(
        pastes, key=lambda each: one_line(each) not in message
    ):  # of a long one the sheet shows a part
        shared = sum(
            len(each)
            for each in map(one_line, paste.splitlines())
            if len(each) > 3 and each in bare
        )
        if (len(bare) > 12 and bare in one_line(paste)) or 2 * shared > len(
            bare
        ):  # every paste is longer
            return "pasted", paste.strip().count("\n") + 1
    return "typed", 0


def hash_of(passage: str) -> str:
    """What is kept of a passage: texts are other people's."""
    return hashlib.sha256(one_line(passage).encode()).hexdigest()[:16]


def files(folder: str) -> Iterator[Path]:
    """The sessions in a folder."""
    for path in sorted(Path(folder).rglob("*.*")):
        chat = path.suffix == ".md" and "chat" in path.name and "history" in path.name
        if chat or (
            path.suffix == ".jsonl" and "truth" not in path.parts and path.name != "history.jsonl"
        ):
            yield path


def draw(
    out: Path, folders: list[str], driven: list[str], pastes: str, shown: list[str], seed: str
) -> None:
    """The sample, and what each passage is called; where sheets were `shown` before, of what did not stand there."""
    old = {
        json.loads(line)["hash"] for each in shown for line in Path(each).read_text().splitlines()
    }
    played = json.loads(Path(pastes).read_text())["sessions"] if pastes else []
    done = [
        each["paste"] for session in played for each in session["typed"] if isinstance(each, dict)
    ]
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    known: list[dict[str, Any]] = []
    seen: set[str] = set()
    for folder in (*folders, *driven):
        for path in files(folder):
            try:
                runs = [*formats.read(FileSource(str(path)))]
            except Exception as error:
                print(f"left out {path.name}: {error}", file=sys.stderr)
                continue
            for line in (line for run in runs for line in passages(run, path)):
                if folder in driven and line["call"] != "generated":
                    truth, lines = truth_of(line, done)
                    known.append({**line, "driven": truth, "lines": lines or line["lines"]})
                elif (
                    key := f"{line['call']} {line['passage']}"
                ) not in seen:  # the same words again say nothing new
                    seen.add(key)
                    if hash_of(line["passage"]) not in old:
                        many = line["call"] == "typed" and line["message"].strip().count("\n") > 2
                        found["many lines" if many else line["call"]].append(line)
    chance = random.Random(seed)
    pasted = [each for each in known if each["driven"] == "pasted"]
    typed = [each for each in known if each["driven"] == "typed"]
    typed = chance.sample(typed, min(DRIVEN_TYPED, len(typed)))
    drawn = [{**each, "stratum": each["driven"], "of": 1, "drawn": 1} for each in pasted + typed]
    for name, most in WANTED.items():
        counted = ("many lines", "typed") if name == "typed" else (name,)
        many = min(most - sum(each["stratum"] in counted for each in drawn), len(found[name]))
        drawn += [
            {**each, "stratum": name, "of": len(found[name]), "drawn": many}
            for each in chance.sample(found[name], many)
        ]
    chance.shuffle(drawn)
    out.mkdir(parents=True, exist_ok=True)
    open_fields = (
        "host",
        "record",
        "question",
        "agent_before",
        "message",
        "passage",
        "agent_after",
    )
    kept = ("hash", "stratum", "of", "drawn", "call", "lines", "host", "version", "driven")
    drawn = [{**each, "hash": hash_of(each["passage"])} for each in drawn]
    for file, names in (("lines.jsonl", open_fields), ("key.jsonl", kept)):
        rows = [
            {"id": n, **{name: each[name] for name in names if each.get(name)}}
            for n, each in enumerate(drawn, 1)
        ]
        (out / file).write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    print(
        dict(
            Counter(
                (each["stratum"], each["call"], "driven" if "driven" in each else "found")
                for each in drawn
            )
        )
    )


def again(out: Path, sheet: str, new: Path, folders: list[str]) -> None:
    """What the greater part of each labelled passage is called today. Passages are cut otherwise than they were: found by their message,
    their words and the host's fields. One that was driven is called by its message, which stands on the sheet whole."""
    lines = {row["id"]: row for row in map(json.loads, Path(sheet).read_text().splitlines())}
    key = {row["id"]: row for row in map(json.loads, (out / "key.jsonl").read_text().splitlines())}
    wanted: dict[str, list[int]] = defaultdict(list)
    for id, row in lines.items():
        wanted[json.dumps(row.get("record", {}), sort_keys=True)].append(id)
    called: dict[int, str] = {}
    for path in (path for folder in folders for path in files(folder)):
        try:
            runs = [*formats.read(FileSource(str(path)))]
        except Exception:
            continue
        records = path.read_text(errors="replace").splitlines()
        for run in runs:
            before = ""
            for step in run.steps:
                before = step.text if step.role == "assistant" else before
                if step.role != "user" or step.agent or not step.text.strip():
                    continue
                record = _record(records, step.place)
                message = one_line(scrubbed(_whole(step, record)))
                for id in wanted[
                    json.dumps(_fields(_record(records, "line:1"), record), sort_keys=True)
                ]:
                    told = one_line(
                        lines[id]["message"].replace("⟦", "").replace("⟧", "").strip("… ")
                    )
                    same = told == message or (len(told) > 3 and told[:300] in message)
                    if (
                        id not in called
                        and same
                        and (call := _greater(spoken(step, before), lines[id]["passage"]))
                    ):
                        called[id] = call
    for id, row in key.items():
        if (
            row.get("driven") and row["host"] != "claude-code"
        ):  # there its history names pastes: nothing changed
            text = lines[id]["message"].replace("⟦", "").replace("⟧", "")
            step = Step(role="user", text=text, typed=True, speaker="typed", place="", at="")
            called[id] = _greater(
                spoken(step, lines[id].get("agent_before", "")), lines[id]["passage"]
            )
    new.mkdir(parents=True, exist_ok=True)
    rows = [{**row, "call": called.get(id) or row["call"]} for id, row in key.items()]
    (new / "key.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    print(
        f"{sum(id not in called and 'driven' not in key[id] for id in key)} of {len(key)} passages not found again: called as before"
    )


def _greater(pieces: Iterator[tuple[str, str]], passage: str) -> str:
    """What most of a passage is called."""
    counted: Counter[str] = Counter()
    bare = one_line(scrubbed(passage))
    for letter, words in pieces:
        for line in (one_line(scrubbed(each)) for each in words.splitlines()):
            if line and (line in bare or bare in line):
                counted[call_of(letter)] += min(len(line), len(bare))
    return counted.most_common(1)[0][0] if counted else ""


def score(out: Path, labels: list[str]) -> None:
    """How often each true kind is called what: of what was found, weighted by the strata's sizes; of what was driven, by what was done."""
    key = {row["id"]: row for row in map(json.loads, (out / "key.jsonl").read_text().splitlines())}
    weighted: dict[str, Counter[str]] = defaultdict(Counter)
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    driven: dict[str, Counter[str]] = defaultdict(Counter)
    judged: Counter[tuple[str, str]] = Counter()
    unmarked: Counter[str] = Counter()
    rows = [
        json.loads(line)
        for each in labels
        for line in Path(each).read_text().splitlines()
        if line.strip()
    ]
    for row in rows:
        known = key[row["id"]]
        if "driven" in known:
            judged[known["driven"], row["label"]] += 1
            driven[_kind(known["driven"], known["lines"])][known["call"]] += 1
            continue
        kind = _kind(row["label"], row.get("lines") or known["lines"])
        weighted[kind][known["call"]] += known["of"] / known["drawn"]
        counted[kind][known["call"]] += 1
        if kind == "typed" and known["host"] == UNMARKED:
            unmarked[known["call"]] += known["of"] / known["drawn"]
    print(f"{len({row['id'] for row in rows})} of {len(key)} labelled")
    for title, table, raw in (("found", weighted, counted), ("driven", driven, driven)):
        for kind, calls in sorted(table.items()):
            shares = ", ".join(
                f"{call} {calls[call] / calls.total():.1%} ({raw[kind][call]})" for call in CALLS
            )
            print(f"{title}, {kind}: {shares}; n = {raw[kind].total()}")
    typed, every = weighted["typed"], weighted["typed"].total() or 1
    without = Counter({call: n - unmarked[call] for call, n in typed.items()})
    print(
        f"typed called typed or unsure {(typed['typed'] + typed['unsure']) / every:.1%} (at least 99 %), called typed {typed['typed'] / every:.1%} (at least 95 %)"
    )
    if unmarked:
        print(
            f"without {UNMARKED}, which does not say who asked: {(without['typed'] + without['unsure']) / without.total():.1%}, {without['typed'] / without.total():.1%}"
        )
    for kind in (LONG, "generated"):
        for title, table in (("found", weighted), ("driven", driven)):
            if table[kind]:
                print(
                    f"{title}, {kind}, called typed {table[kind]['typed'] / table[kind].total():.1%} (at most 2 %)"
                )
    print(f"the labeller of what was driven (done, label): {dict(judged)}")


def segments(messages: Path, homes: list[str]) -> None:
    """What most of each segment is called: by the words alone, or by what hosts recorded of the messages that were sent there."""
    recorded = [*_recorded(homes)]
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for row in map(json.loads, messages.read_text().splitlines()):
        parts = [(each["who"], each["text"]) for each in row["segments"]]
        text = "".join(words for _, words in parts)
        step = Step(role="user", text=text, typed=True, speaker="typed", place="", at="")
        calls = [*spoken(step, row.get("agent_before", ""))]
        if homes:
            calls = next(
                (said for whole, said in recorded if one_line(whole) == one_line(text)), []
            )
        for who, words in parts if calls else ():
            call = _greater(iter(calls), words)
            kind = _kind(who, words.strip().count("\n") + 1)
            counted[kind][call] += 1
            if (call == "typed") != (who == "typed") and (who == "typed" or call == "typed"):
                print(
                    f"{row['id']} {row.get('kind', '')}: {kind}, called {call}: {one_line(words)[:100]}"
                )
    for kind, found in sorted(counted.items()):
        shares = ", ".join(
            f"{call} {found[call] / found.total():.1%} ({found[call]})" for call in CALLS
        )
        print(f"{kind}: {shares}; n = {found.total()}")


def _recorded(homes: list[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Every message that a host recorded, whole, with its words by letter."""
    for path in (path for home in homes for path in files(home)):
        try:
            runs = [*formats.read(FileSource(str(path)))]
        except Exception:
            continue
        records = path.read_text(errors="replace").splitlines()
        for run in runs:
            before = ""
            for step in run.steps:
                before = step.text if step.role == "assistant" else before
                if step.role == "user" and not step.agent and step.text.strip():
                    yield _whole(step, _record(records, step.place)), [*spoken(step, before)]


def _kind(label: str, lines: int) -> str:
    return (LONG if lines >= 4 else "pasted, shorter") if label == "pasted" else label


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("act", choices=("draw", "again", "score", "segments"))
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "rest", nargs="*", help="folders of sessions, the labels, or homes of hosts"
    )
    parser.add_argument("--driven", action="append", default=[])
    parser.add_argument("--pastes", default="")
    parser.add_argument("--shown", action="append", default=[], help="the key of an earlier sheet")
    parser.add_argument("--seed", default="46")
    given = parser.parse_intermixed_args()
    if given.act == "draw":
        draw(given.out, given.rest, given.driven, given.pastes, given.shown, given.seed)
    elif given.act == "again":
        again(given.out, given.rest[0], Path(given.rest[1]), given.rest[2:])
    elif given.act == "segments":
        segments(given.out, given.rest)
    else:
        score(given.out, given.rest)


if __name__ == "__main__":
    main()
