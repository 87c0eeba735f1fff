"""Rules of a house, first said by feedback and then to be kept: twelve days of an office agent, silently examined.

    python -m bench.rules FOLDER [--arm none,notes,checks] [--times 2] [--keeps 0.7]
    python -m bench.rules FOLDER --command 'CMD'       a language model: a prompt on standard input, JSON on its output

FOLDER holds `eval/` and `workspace/` (ClawArena's metaclaw-bench-small). Each round is a session in a copy of the workspace that lives on
from day to day. In every arm but `none` the hooks are asked what the agent is told, and a rule, once feedback has said it, is kept by the
person as a lesson; with `checks` also armed at the end of the work, and the stop hook may send the agent back once. A round keeps the rules
that were said before it and that concern it, by graders of our own over the files; the player never sees them.

Without --command a player by dice stands in: it does what the request says, in names and forms of its own; keeps a rule that it was told
in this session so often as `--keeps` says, and always mends what it is sent back for. That shows what is delivered, what checks catch and
what they stop wrongly; how often a language model keeps what it reads it does not show.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.exams.feed import uncoined
from bench.exams.product import Home, Product

ROUNDS = Path(__file__).with_name("labels") / "rules" / "rounds.tsv"
ARMS = ("none", "notes", "checks")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+08:00")
NAMED = re.compile(r"\d{8}_[a-z0-9]+(_[a-z0-9]+)*\.\w+")
DAY = "20260401"  # what the dice player writes in front of a name: the form is graded, not the day


@dataclass(frozen=True)
class Rule:
    """A rule of the house: when feedback says it first, the lesson a person keeps, and the form they type for it."""

    name: str
    said: str
    lesson: str
    form: str = ""  # none where no closed form says it


RULES = (
    Rule(
        "times",
        "day01/r1",
        "Every time field is a full date and time with offset, like 2026-03-16T09:30:00+08:00.",
        "holds *.json: time *_at, *_time, *_date, *_start, *_end, deadline",
    ),
    Rule(
        "names",
        "day03/r1",
        "Name every file that you make YYYYMMDD_description.ext, the description in snake_case.",
        "holds day*/*: name {date}_{snake}.{any}",
    ),
    Rule(
        "front",
        "day05/r1",
        "Every Markdown file that you make begins with a block of created_at, author and status.",
        "holds new day*/*.md: key created_at",
    ),
    Rule(
        "meta",
        "day05/r2",
        "Every JSON file that you make has a top-level meta object: created_at, author, status.",
        "holds new day*/*.json: key meta.created_at",
    ),
    Rule(
        "docstring",
        "day05/r4",
        "The docstring of every Python file that you make has a Meta section with created_at.",
    ),
    Rule(
        "copies",
        "day07/r1",
        "Before you change a file that is there, copy it to the same name with .bak behind it.",
        "holds day*/*: copy .bak",
    ),
    Rule(
        "log",
        "day09/r1",
        "After each task append one line to done.log: [DONE] time | task_id | summary.",
        "with day*/*: done.log",
    ),
)


@dataclass(frozen=True)
class Round:
    """One request; what the dice player makes or changes in it, under a name of its own."""

    id: str
    asked: str
    feedback: dict[str, Any]
    change: str = ""  # new, edit; empty for a question
    path: str = ""
    slug: str = ""
    times: tuple[str, ...] = ()

    @property
    def kept_path(self) -> str:
        """The name by the house's rule."""
        if self.change == "edit" or not self.path:
            return self.path
        place = Path(self.path)
        return str(place.with_name(f"{DAY}_{self.slug}{place.suffix}"))

    def concerned(self) -> Iterator[str]:
        """The rules that this round can keep or break."""
        suffix, new = Path(self.path).suffix, self.change == "new"
        if self.times and suffix == ".json":
            yield "times"
        if new:
            yield "names"
            yield from {".md": ["front"], ".json": ["meta"], ".py": ["docstring"]}.get(suffix, [])
        if self.change == "edit":
            yield "copies"
        if self.change:
            yield "log"


@dataclass
class Session:
    """A session of Claude Code, its records as that program writes them."""

    folder: Path
    id: str
    path: Path
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, content: Any, **more: Any) -> None:
        """One record more."""
        n = len(self.rows)
        at = f"2026-11-19T09:{n // 60:02}:{n % 60:02}.000Z"
        row = {"type": kind, "uuid": f"{self.id}-{n}", "sessionId": self.id, "timestamp": at}
        row |= {"cwd": str(self.folder), "entrypoint": "cli", "userType": "external"}
        row |= {"version": "2.1.325", "message": {"role": kind, "content": content}, **more}
        self.rows.append(row)
        self.path.write_text("".join(json.dumps(each) + "\n" for each in self.rows))

    def call(self, tool: str, given: dict[str, Any], output: str) -> None:
        """A call that passed."""
        id = f"toolu_{len(self.rows)}"
        self.add("assistant", [{"type": "tool_use", "id": id, "name": tool, "input": given}])
        self.add("user", [{"type": "tool_result", "tool_use_id": id, "content": output}])

    def does(self, act: dict[str, str]) -> None:
        """Do what the player said, in the workspace and in the records."""
        target = self.folder / (act.get("write") or act.get("to") or act.get("append") or "")
        if not target.resolve().is_relative_to(self.folder.resolve()):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if "write" in act:
            word = "updated" if target.exists() else "created"
            target.write_text(act["text"])
            given = {"file_path": str(target), "content": act["text"]}
            self.call("Write", given, f"File {word} successfully at: {target}")
        elif "copy" in act and (self.folder / act["copy"]).is_file():
            shutil.copy(self.folder / act["copy"], target)
            self.call("Bash", {"command": f"cp {act['copy']} {act['to']}"}, "")
        elif "append" in act:
            with target.open("a") as file:
                file.write(act["text"] + "\n")
            self.call("Bash", {"command": f"echo '{act['text']}' >> {act['append']}"}, "")


Player = Callable[[Round, str, str, Path], list[dict[str, str]]]  # round, told, sent back with


def by_dice(keeps: float, seed: int) -> Player:
    """The player of which the top of this file speaks."""
    dice = random.Random(seed)
    first: dict[str, set[str]] = {}  # by round: what it kept before it was sent back, it keeps

    def play(one: Round, told: str, back: str, folder: Path) -> list[dict[str, str]]:
        kept = {
            rule.name
            for rule in RULES
            if (rule.lesson in told and dice.random() < keeps)
            or (back and _is_named(rule, one, back))
        } | first.get(one.id if back else "", set())
        first[one.id] = kept
        return [*_acts(one, kept, folder, bool(back))] if one.change else []

    return play


def _is_named(rule: Rule, one: Round, back: str) -> bool:
    """Whether what the agent was sent back with is about this rule."""
    words = {
        "times": "offset",
        "names": "its name is not",
        "front": "key created_at",
        "meta": "key meta.created_at",
        "copies": "no copy",
        "log": "done.log",
    }
    return words.get(rule.name, "\0") in back


def _acts(one: Round, kept: set[str], folder: Path, again: bool) -> Iterator[dict[str, str]]:
    if one.change == "edit":
        if "copies" in kept:
            yield {"copy": one.path, "to": f"{one.path}.bak"}
        there = folder / one.path
        was = there.read_text() if there.exists() else "{}\n"
        yield {"write": one.path, "text": _edited(one, was, kept)}
    else:
        path = one.kept_path if "names" in kept else one.path
        yield {"write": path, "text": _made(one, kept)}
    if "log" in kept:
        yield {
            "append": "done.log",
            "text": f"[DONE] 2026-04-13T10:00:00+08:00 | {one.slug or 'edit'} | done",
        }


def _made(one: Round, kept: set[str]) -> str:
    meta = {
        "created_at": "2026-04-01T10:00:00+08:00",
        "author": "metaclaw_agent",
        "status": "done",
    }
    lines = "\n".join(f"{name}: {said}" for name, said in meta.items())
    suffix = Path(one.path).suffix
    if suffix == ".json":
        held: dict[str, Any] = {"meta": meta} if "meta" in kept else {}
        return json.dumps(held | _times(one, "times" in kept), indent=1)
    if suffix == ".md":
        return (f"---\n{lines}\n---\n" if "front" in kept else "") + f"# {one.slug}\n"
    if suffix == ".py":
        said = f"\n\nMeta:\n  {lines}" if "docstring" in kept else ""
        return f'"""A tool.{said}\n"""\n'
    return "name,tasks\nada,3\n"


def _times(one: Round, kept: bool) -> dict[str, Any]:
    at = "2026-04-01T09:30:00+08:00" if kept else "2026-04-01 09:30"
    held: dict[str, Any] = {}
    for name in one.times:
        outer, inside, inner = name.partition("[]")
        inner = inner.lstrip(".")
        if inside and inner:
            held.setdefault(outer, [{}])[0][inner] = at
        else:
            held[outer] = [at, at] if inside else at
    return held


def _edited(one: Round, was: str, kept: set[str]) -> str:
    if not one.path.endswith(".json"):
        return was + "\n# changed\n"
    held = json.loads(was)
    for name in one.times:
        outer, _, inner = name.partition("[].")
        for each in held.get(outer, []):
            each[inner] = "2026-03-18T18:00:00+08:00" if "times" in kept else "2026-03-18 18:00"
    return json.dumps(held, indent=1)


def by_command(command: str) -> Player:
    """A language model behind a command."""
    form = (
        'Answer with JSON only: {"do": [{"write": PATH, "text": TEXT} | {"copy": PATH, "to": PATH} | '
        '{"append": PATH, "text": LINE}], "say": TEXT}. Paths are from the workspace.'
    )

    def play(one: Round, told: str, back: str, folder: Path) -> list[dict[str, str]]:
        day = folder / one.id.partition("/")[0]
        files = "\n".join(
            f"=== {path.relative_to(folder)}\n{path.read_text(errors='replace')[:4000]}"
            for path in sorted([folder / "AGENTS.md", *day.rglob("*")])
            if path.is_file()
        )
        parts = [told, files, one.asked, back and f"You were sent back: {back}", form]
        done = subprocess.run(
            command,
            shell=True,
            input="\n\n".join(filter(None, parts)),
            capture_output=True,
            text=True,
            timeout=900,
        )
        found = re.search(r"\{.*\}", done.stdout, re.DOTALL)
        try:
            acts = json.loads(found[0]).get("do", []) if found else []
        except ValueError:
            acts = []
        return [each for each in acts if isinstance(each, dict)]

    return play


def rounds_in(folder: Path) -> list[Round]:
    """The rounds in their order."""
    known = dict(line.split("\t", 1) for line in ROUNDS.read_text().splitlines())
    found = []
    for path in sorted(folder.glob("eval/*/questions.json")):
        day = json.loads(path.read_text())
        for row in day["rounds"]:
            id = f"{day['id']}/{row['id']}"
            change, where, slug, times = (known.get(id, "\t\t\t") + "\t\t\t").split("\t")[:4]
            named = tuple(filter(None, times.split(",")))
            feedback = row.get("feedback", {})
            found.append(Round(id, row["question"], feedback, change, where, slug, named))
    return found


# -- the graders ---------------------------------------------------------------------------------------


def kept_rules(one: Round, folder: Path, before: dict[str, str]) -> set[str]:
    """Which rules the workspace keeps after a round, beside how it was before it."""
    now = snapshot(folder)
    made = [path for path in now if path not in before and path.startswith("day")]
    made = [path for path in made if not path.endswith(".bak")]
    changed = [path for path in now if path in before and now[path] != before[path]]
    asked = [path for path in (*made, *changed) if path.startswith("day")]
    log = now.get("done.log", "")[len(before.get("done.log", "")) :]
    texts = [now[path] for path in asked if path.endswith(".json")]
    keeps = {
        "times": all(_times_are_full(one, text) for text in texts) and bool(texts),
        "names": bool(made) and all(NAMED.fullmatch(Path(path).name) for path in made),
        "front": all(_has_front(now[path]) for path in made if path.endswith(".md")),
        "meta": all(_has_meta(now[path]) for path in made if path.endswith(".json")),
        "docstring": all(
            "Meta:" in now[path] and "created_at" in now[path]
            for path in made
            if path.endswith(".py")
        ),
        "copies": all(now.get(f"{path}.bak") == before[path] for path in changed if path in asked),
        "log": re.search(r"^\[DONE\] \S+ \| \S+ \| .+", log, re.M) is not None,
    }
    return {name for name, held in keeps.items() if held}


def snapshot(folder: Path) -> dict[str, str]:
    """Every file of the workspace and what it holds."""
    return {
        str(path.relative_to(folder)): path.read_text(errors="replace")
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def _times_are_full(one: Round, text: str) -> bool:
    try:
        held = json.loads(text)
    except ValueError:
        return False
    wanted = {name.replace("[]", "").rpartition(".")[2] for name in one.times}
    found = [*_under(held, wanted)]
    return bool(found) and all(MOMENT.fullmatch(str(each)) for each in found)


def _under(held: Any, wanted: set[str]) -> Iterator[Any]:
    if isinstance(held, list):
        for each in held:
            yield from _under(each, wanted)
    elif isinstance(held, dict):
        for key, each in held.items():
            if key in wanted:
                yield from each if isinstance(each, list) else [each]
            else:
                yield from _under(each, wanted)


def _has_front(text: str) -> bool:
    head = text.split("---")[1] if text.startswith("---\n") and text.count("---") > 1 else ""
    return all(f"{name}:" in head for name in ("created_at", "author", "status"))


def _has_meta(text: str) -> bool:
    try:
        held = json.loads(text)
    except ValueError:
        return False
    meta = held.get("meta") if isinstance(held, dict) else None
    return isinstance(meta, dict) and {"created_at", "author", "status"} <= {*meta}


# -- the play ------------------------------------------------------------------------------------------


def played(folder: Path, arm: str, player: Player, product: Product) -> Counter[str]:
    """One arm through all days: rounds, those that keep all rules said before, messages back, and what they were."""
    place = Path(tempfile.mkdtemp(prefix="tacit-rules-"))
    work = place / "workspace"
    shutil.copytree(folder / "workspace", work)
    for each in rounds_in(folder):  # two files that requests change are not among the data
        if each.change == "edit" and not (work / each.path).exists():
            (work / each.path).write_text("API_TIMEOUT = 30\n")
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    home, counts, said = uncoined(Home(product, place, work), place), Counter[str](), set[str]()
    try:
        if arm != "none":
            home.tacit("init", "--by", "ada", "--yes")
        for n, one in enumerate(rounds_in(folder)):
            counts.update(_round(home, work, place, f"s{n:03}", one, arm, player, said))
            for rule in RULES:
                if rule.said == one.id:
                    said.add(rule.name)
                    if arm != "none":
                        _keep(home, rule, arm)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return counts


def _keep(home: Home, rule: Rule, arm: str) -> None:
    person = ("--by", "ada", "--yes")
    id = home.data("add", rule.lesson, "--about", "*", *person)["id"]
    if arm == "checks" and rule.form:
        done = home.tacit("guard", "check", id, "--when-done", rule.form, *person)
        if done.code:
            raise SystemExit(f"{rule.form}: {done.err}")


def _round(
    home: Home,
    work: Path,
    place: Path,
    name: str,
    one: Round,
    arm: str,
    player: Player,
    said: set[str],
) -> Iterator[str]:
    before, session = snapshot(work), Session(work, name, place / f"{name}.jsonl")
    told = ""
    if arm != "none":
        told = _hook(home, session, "session-start", "SessionStart", source="startup")
        told += _hook(home, session, "prompt", "UserPromptSubmit", prompt=one.asked)
    session.add("user", one.asked, promptSource="typed", permissionMode="default")
    for act in player(one, told, "", work):
        session.does(act)
    session.add("assistant", [{"type": "text", "text": "Done."}])
    wanted = said & {*one.concerned()}
    if arm == "checks":
        back = _hook(home, session, "stop", "Stop", stop_hook_active=False)
        broken = wanted - kept_rules(one, work, before)
        if back:
            yield "sent back" if broken else "sent back wrongly"
            for path in snapshot(work).keys() - before.keys():
                if path.startswith("day") and "its name is not" in back:
                    (work / path).unlink()  # what is named anew lies no more under the old name
            for act in player(one, told, back, work):
                session.does(act)
            if _hook(home, session, "stop", "Stop", stop_hook_active=True):
                yield "sent back twice"
        elif broken:
            yield "missed"
    yield "rounds"
    if wanted:
        yield "with rules"
        yield "kept" if wanted <= kept_rules(one, work, before) else "broken"
    for name in wanted:
        yield f"{name} {'kept' if name in kept_rules(one, work, before) else 'broken'}"
    for name in wanted:
        if arm != "none" and next(r for r in RULES if r.name == name).lesson not in told:
            yield f"{name} not delivered"


def _hook(home: Home, session: Session, event: str, theirs: str, **more: Any) -> str:
    """What the agent reads of a hook's answer."""
    payload = {
        "session_id": session.id,
        "cwd": str(session.folder),
        "hook_event_name": theirs,
        "transcript_path": str(session.path),
        **more,
    }
    said = home.tacit("hook", event, "--host", "claude-code", stdin=json.dumps(payload)).out
    answer = json.loads(said) if said.strip() else {}
    context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    return str(answer.get("reason", "") if event == "stop" else context)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.rules", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arm", default=",".join(ARMS))
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--keeps", type=float, default=0.7)
    parser.add_argument("--command", default="")
    args = parser.parse_args()
    product = Product()
    try:
        for arm in args.arm.split(","):
            counts: Counter[str] = Counter()
            for seed in range(args.times):
                player = by_command(args.command) if args.command else by_dice(args.keeps, seed)
                counts += played(args.folder, arm, player, product)
            share = counts["kept"] / max(1, counts["with rules"])
            figures = {name: counts[name] for name in sorted(counts)}
            print(json.dumps({"arm": arm, "share kept": round(share, 3), **figures}), flush=True)
    finally:
        product.close()


if __name__ == "__main__":
    main()
