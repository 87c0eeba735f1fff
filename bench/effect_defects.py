"""Twelve defects that the instruments of trials once had, each played again as it was found: through the command line, the hooks or the library.

    python bench/effect_defects.py [--only D4] [--out FILE]

One line per defect: what was said then, what is said now, PASS or FAIL; exits 1 on any FAIL. Coins are those of a fresh store's own random key, so
counts differ from run to run and the bounds leave room for it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from tacit.app import Memories  # noqa: E402
from tacit.app import open as open_memories  # noqa: E402
from tacit.core.digest import hex_digest  # noqa: E402
from tacit.surfaces.cli import main as command_line  # noqa: E402
from tacit.surfaces.hooks import respond  # noqa: E402
from tacit.testing import Clock  # noqa: E402

KEY = "a key of ada's"
TENANT = "Handlers under api/ must validate the tenant header before reading the body"
REFUSED = 'psycopg.errors.UndefinedTable: relation "orders" does not exist'
Step = dict[str, Any]


def shell(command: str, error: str = "") -> Step:
    done = {"error": error, "status": 1} if error else {"output": "ok", "status": 0}
    return {"type": "step", "role": "tool", "tool": "shell", "input": {"command": command}, **done}


# The accident is another one than when the defects were found: of that one (a refused connection, cured by docker compose) no lesson is told any more.
FAILS, PASSES, CURE = (
    shell("make check-orders", REFUSED),
    shell("make check-orders"),
    shell("make migrate-orders"),
)
TASK = "make the database checks of the orders pass: make check-orders"


class Said(NamedTuple):
    """What a defect's command said now, and whether that is right."""

    now: str
    right: bool


class Person:
    """Somebody with a home, a project and a store, at a command line."""

    def __init__(self, folder: str) -> None:
        self.folder, self.clock = folder, Clock()
        self.work = f"{folder}/work"
        os.makedirs(self.work)
        os.makedirs(f"{folder}/.config/tacit")
        Path(f"{folder}/.config/tacit/keys").write_text(json.dumps({hex_digest(KEY): "ada"}))
        self.env = {
            "HOME": folder,
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_CONFIG_HOME": f"{folder}/.config",
            "USER": "ada",
            "TACIT_KEY": KEY,
            "PATH": os.environ["PATH"],
        }

    def tacit(self, *words: str, **env: str) -> str:
        """A command as it is typed, in this process; what it prints."""
        kept, here, out = dict(os.environ), os.getcwd(), io.StringIO()
        os.environ.clear()
        os.environ.update({**self.env, **env})
        os.chdir(self.work)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                command_line([*words])
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(kept)
        return out.getvalue()

    def open(self) -> Memories:
        return open_memories(env=self.env, cwd=self.work, now=self.clock)

    def file(self, id: str, *steps: Step, outcome: str = "success", **fields: Any) -> str:
        """A run as a neutral file."""
        path = f"{self.folder}/{id}.jsonl"
        rows = [
            {"type": "run", "id": id, "task": f"ticket {id}", **fields},
            *steps,
            {"type": "end", "outcome": outcome},
        ]
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    def run(self, id: str, *steps: Step, **fields: Any) -> None:
        self.tacit("learn", "--as", "ada", "--over", self.file(id, *steps, **fields))

    def taught(self) -> str:
        """The lesson of a table that was not there, by two runs."""
        for id in ("s1", "s2"):
            self.run(id, FAILS, CURE, PASSES)
        with self.open() as memories:
            return next(
                each.id for each in memories.list() if each.signature and each.klass != "command"
            )

    def unit(
        self,
        memories: Memories,
        id: str,
        memory: str,
        live: Callable[[bool], list[Step]],
        *,
        model: str = "",
        outcome: Callable[[bool], str] = lambda told: "success",
    ) -> str:
        """One run: asked, lived as told or not, learned. The arm."""
        self.clock.advance(60)
        given = memories.inject(TASK, run=id, model=model, budget="deep")
        told = memory in given.injected
        self.clock.advance(60)
        steps = [{**step, "at": self.clock.advance(5)} for step in live(told)]
        memories.learn(
            self.file(id, *steps, outcome=outcome(told), **({"model": model} if model else {})),
            over=True,
        )
        return "injected" if told else "withheld" if memory in given.withheld else "-"


def d1(person: Person) -> Said:
    """A critic finds the same thing in 40 of 100 runs, whatever they were told."""
    stores, helps, units, dice = 20, 0, 0, random.Random(1)
    for store in range(stores):
        with open_memories(
            f"{person.folder}/d1-{store}.db", env=person.env, cwd=person.work
        ) as memories:
            for n in range(62):
                with memories.run(task=f"work on tenant ticket {n}", instruments=["critic"]) as run:
                    if n < 2 or dice.random() < 0.4:
                        run.finding(TENANT, by="critic", severity="warning")
            found = memories.effect()
            helps, units = (
                helps + any("Helps" in each.sentence for each in found.lessons),
                units + found.whole.units,
            )
    what = (
        ""
        if units
        else ": an agent's finding waits for a person, whose word it is then; nothing is tossed"
    )
    return Said(
        f"{helps} of {stores} stores say helps, of {units} sessions with a coin{what}", helps <= 2
    )


def d2(person: Person) -> Said:
    """The same failure, once cured, once given up."""
    person.taught()
    for id in ("cured", "gaveup"):
        person.tacit("inject", "--task", TASK, "--run", id)
    person.run("cured", FAILS, CURE, PASSES)
    person.run("gaveup", FAILS, FAILS, outcome="failure")
    told = {
        id: json.loads(person.tacit("audit", id, "--json"))["data"]["runs"][0]["lessons"]
        for id in ("cured", "gaveup")
    }
    words = {
        id: sorted({each["outcome"] for each in lessons if each["outcome"] != "unknown"})
        for id, lessons in told.items()
    }
    return Said(
        f"cured: {', '.join(words['cured'])}; given up: {', '.join(words['gaveup'])}",
        words["cured"] == words["gaveup"] == ["occurred"],
    )


def d3(person: Person) -> Said:
    """A lesson that helps is edited to its opposite."""
    memory = person.taught()
    with person.open() as memories:
        for n in range(120):
            person.unit(
                memories, f"u{n}", memory, lambda told: [PASSES] if told else [FAILS, FAILS]
            )
            if memories.get(memory).verdict == "helps":
                break
        before = memories.get(memory).verdict
        memories.edit(
            memory,
            text="Never migrate before `make check-orders`; wait until the table comes by itself.",
        )
    said = person.tacit("effect", memory)
    now, _, former = said.partition("Of its former words:")
    return Said(
        f"helps after {n + 1} runs; then: {' '.join(now.split())[-60:]} Of its former words: {'Helps' if 'Helps' in former else 'nothing'}",
        before == "helps" and "Helps" not in now and "Helps" in former,
    )


def d4(person: Person) -> Said:
    """(a) one's own pitfall; (b) a reviewer's lesson where nobody reviews; (c) a lesson told right after its failure."""
    own = json.loads(
        person.tacit(
            "add", "Migrate the orders before make check-orders", "--kind", "pitfall", "--json"
        )
    )["data"]["id"]
    with person.open() as memories:
        arms = [person.unit(memories, f"a{n}", own, lambda told: [FAILS, FAILS]) for n in range(20)]
        sentence = memories.effect(own).lessons[0].sentence
        for _ in range(2):
            with memories.run(task="work on the tenant header", instruments=["reviewer"]) as run:
                run.finding(TENANT, by="reviewer", severity="warning")
        reviewed = next(each.id for each in memories.list() if "tenant" in each.text)
        blind = []
        for n in range(40):
            person.clock.advance(60)
            given = memories.inject(
                "validate the tenant header before reading the body of handlers",
                run=f"b{n}",
                budget="deep",
            )
            blind.append(reviewed in given.withheld)
            person.clock.advance(60)
            memories.learn(
                person.file(f"b{n}", {**PASSES, "at": person.clock.advance(5)}), over=True
            )
    with tempfile.TemporaryDirectory() as other:
        second = Person(other)
        memory = second.taught()
        told: dict[str, set[str]] = {"injected": set(), "withheld": set()}
        with second.open() as memories:
            for n in range(40):
                first = {**FAILS, "at": second.clock.advance(60)}
                second.clock.advance(1)
                given = memories.inject("", run=f"c{n}", errors=(REFUSED,), budget="deep")
                arm = "withheld" if memory in given.withheld else "injected"
                later = [{**FAILS, "at": second.clock.advance(30)} for _ in range(3)]
                memories.learn(second.file(f"c{n}", first, *later, outcome="failure"), over=True)
                [audit] = memories.audit(f"c{n}")
                told[arm] |= {each.outcome for each in audit.lessons if each.memory == memory}
    late = told["injected"] == told["withheld"] == {"occurred"}
    words = f'(a) withheld {arms.count("withheld")} of 20, "{sentence}"; (b) withheld {sum(blind[:10])} of the first 10, {sum(blind[10:])} of the next 30; (c) injected {"/".join(told["injected"])}, withheld {"/".join(told["withheld"])}'
    return Said(words, "withheld" not in arms and not any(blind[10:]) and late)


def d5(person: Person) -> Said:
    """Three models in turn, .6 → .1."""
    memory, dice = person.taught(), random.Random(5)
    models = ("opus-4", "sonnet-4", "gpt-6")
    with person.open() as memories:
        for n in range(120):
            person.unit(
                memories,
                f"u{n}",
                memory,
                lambda told: [FAILS, FAILS] if dice.random() < (0.1 if told else 0.6) else [PASSES],
                model=models[n % 3],
            )
        entries = memories.log(memory=memory, verb="verdict")
        epochs = len(memories.effect(memory).lessons[0].older) + 1
    return Said(
        f"{len(entries)} verdict entries in 120 runs, {epochs} epochs side by side",
        len(entries) <= 4 and epochs == 3,
    )


def d6(person: Person) -> Said:
    """Merged, a lesson is not failed by the other's problem."""
    memory = person.taught()
    other_fails, other_passes = (
        shell("make check-bills", 'psycopg.errors.UndefinedTable: relation "bills" does not exist'),
        shell("make check-bills"),
    )
    for id in ("o1", "o2"):
        person.run(id, other_fails, shell("make migrate-bills"), other_passes)
    with person.open() as memories:
        other = next(
            each.id
            for each in memories.list()
            if each.signature and each.klass != "command" and each.id != memory
        )
        for n in range(8):
            person.unit(memories, f"u{n}", memory, lambda told: [PASSES])
        person.clock.advance(60)
        memories.review(other, "merge", into=memory)
        stays = next(id for id in (memory, other) if memories.get(id).state != "superseded")
        before = memories.effect(stays).lessons[0]
        for n in range(8):
            person.unit(
                memories,
                f"v{n}",
                stays,
                lambda told: [other_fails, other_passes] if stays == memory else [FAILS, PASSES],
            )
        now = memories.effect(stays).lessons[0]
    cells = [row.injected_occurred + row.withheld_occurred for row in now.table.values()]
    return Said(
        f"table after the merge: {sum(row.injected + row.withheld for row in before.table.values())} units; failed by the other's problem in {sum(cells)} of 8 runs",
        not before.table and not sum(cells),
    )


def d7(person: Person) -> Said:
    """Own problem .1 → .1, and half of the runs that get it fail."""
    memory, dice = person.taught(), random.Random(7)
    with person.open() as memories:
        for n in range(166):
            person.unit(
                memories,
                f"u{n}",
                memory,
                lambda told: [FAILS, CURE, PASSES] if dice.random() < 0.1 else [PASSES],
                outcome=lambda told: "failure" if told and dice.random() < 0.5 else "success",
            )
            now = memories.get(memory)
            if now.verdict == "harms" or now.state == "under_review":
                break
    return Said(f"{now.verdict}, {now.state} after {n + 1} runs", now.verdict == "harms")


def d8(person: Person) -> Said:
    """(a) the command with the same cure; (b) CLAUDE.md; (c) list and audit inside the run; (d) a fork."""
    for id in ("s1", "s2", "s3", "s4"):
        person.run(id, FAILS, CURE, PASSES)
    with person.open() as memories:
        by_class = {each.klass: each for each in memories.list()}
        memory = next(
            each for each in memories.list() if each.signature and each.klass != "command"
        )
        cure = memory.text
        leaked = withheld = 0
        one = ""
        for n in range(60):
            given = memories.inject(TASK + " make migrate-orders", run=f"a{n}", budget="deep")
            if memory.id in given.withheld:
                withheld, one = withheld + 1, f"a{n}"
                leaked += "migrate-orders" in given.markdown
        hidden = [
            cure not in person.tacit(*words, TACIT_RUN=one) for words in (("list",), ("audit", one))
        ]
        Path(f"{person.work}/CLAUDE.md").write_text(f"# Rules\n\n- {memory.text}\n")
        # the file is looked at when a run that it concerns is learned
        person.unit(memories, "page", memory.id, lambda told: [PASSES])
        paged = sum(
            memory.id in memories.inject(TASK, run=f"b{n}", budget="deep").withheld
            for n in range(30)
        )
        Path(f"{person.work}/CLAUDE.md").unlink()
        person.unit(memories, "page2", memory.id, lambda told: [PASSES])
    crossed = new = 0
    for n in range(8):
        parent, fork, told = f"parent-{n}", f"fork-{n}", {"cwd": person.work}
        lines = "".join(
            json.dumps({"type": kind, "uuid": f"{n}-{i}", "sessionId": parent}) + "\n"
            for i, kind in enumerate(("user", "assistant"))
        )
        paths = {name: Path(f"{person.folder}/{name}.jsonl") for name in (parent, fork)}
        paths[parent].write_text(lines)
        prompt = {"hook_event_name": "UserPromptSubmit", "prompt": TASK, "prompt_id": "p1"}
        first = respond(
            "prompt",
            {**told, **prompt, "session_id": parent, "transcript_path": str(paths[parent])},
            person.env,
            host="claude-code",
        )
        start = {
            "hook_event_name": "SessionStart",
            "source": "resume",
            "session_id": fork,
            "transcript_path": str(paths[fork]),
        }
        early = respond("session-start", {**told, **start}, person.env, host="claude-code")
        paths[fork].write_text(lines.replace(parent, fork))
        late = respond(
            "prompt",
            {**told, **prompt, "session_id": fork, "transcript_path": str(paths[fork])},
            person.env,
            host="claude-code",
        )
        crossed += memory.text in early + late and memory.text not in first
        with person.open() as memories:
            # what it is asked later is tossed in its parent's unit; coins of its own would stand in a unit of its own
            new += any(
                run.run.foreign_id == fork and run.run.root == run.run.id and run.lessons
                for run in memories.audit()
            )
    words = f"(a) cure told in {leaked} of {withheld} withheld runs, kinds {'/'.join(sorted(by_class))}; (b) withheld {paged} of 30; (c) hidden in list and audit: {all(hidden)}; (d) {crossed} of 8 forks were told what their parent was denied, {new} with coins of their own"
    return Said(
        words, withheld > 0 and not leaked and not paged and all(hidden) and not crossed and not new
    )


def d9(person: Person) -> Said:
    """A lesson makes the agent ask instead of act."""
    memory, dice = person.taught(), random.Random(9)
    asks = {"type": "step", "role": "assistant", "text": "Which database shall I use?"}
    unknown = settled = 0
    with person.open() as memories:
        for n in range(70):
            arm = person.unit(
                memories,
                f"u{n}",
                memory,
                lambda told: [asks] if told and dice.random() < 0.45 else [PASSES],
            )
            [audit] = memories.audit(f"u{n}")
            told = [each.outcome for each in audit.lessons if each.memory == memory]
            settled += arm != "-"
            unknown += "unknown" in told
    return Said(f"{unknown} of {settled} outcomes unknown", not unknown and settled > 50)


def d10(person: Person) -> Said:
    """A log that is an hour behind the store's clock."""
    memory = person.taught()
    seen = 0
    with person.open() as memories:
        for n in range(12):
            memories.inject(TASK, run=f"u{n}", budget="deep")
            past = Clock(person.clock())
            started = past.advance(-3600)
            path = person.file(
                f"u{n}",
                {**FAILS, "at": past.advance(5)},
                {**FAILS, "at": past.advance(5)},
                started_at=started,
            )
            person.clock.advance(60)
            memories.learn(path, over=True)
            [audit] = memories.audit(f"u{n}")
            seen += any(
                each.outcome == "occurred" for each in audit.lessons if each.memory == memory
            )
    doctor = next(
        (line.strip() for line in person.tacit("doctor").splitlines() if "behind" in line), ""
    )
    return Said(
        f"{seen} of 12 occurred; doctor: {doctor[:100] or 'silent'}", seen == 12 and bool(doctor)
    )


def d11(person: Person) -> Said:
    """What `effect` prints before anything is known."""
    memory = person.taught()
    with person.open() as memories:
        for n in range(12):
            person.unit(
                memories,
                f"u{n}",
                memory,
                lambda told: [FAILS, CURE, PASSES] if not told else [PASSES],
            )
    said = person.tacit("effect")
    known = memories_word(person)
    told = next((line.strip() for line in said.splitlines() if "not yet known" in line.lower()), "")
    return Said(
        f'verdict {known}: "{told[:120]}"',
        "Verdict(" not in said and ("Prevented" not in said or known == "helps") and bool(told),
    )


def memories_word(person: Person) -> str:
    with person.open() as memories:
        return memories.effect().whole.verdict.word


def d12(person: Person) -> Said:
    """Two machines with signing keys and one repository: 8 and 7 units. And what 5 % means among many lessons."""
    ada, ben = f"{person.folder}/ada", f"{person.folder}/ben"
    git = [
        "git",
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.org",
        "-c",
        "init.defaultBranch=main",
    ]
    subprocess.run([*git, "init", "-q", "--bare", f"{person.folder}/origin"], check=True)
    people, signers = [], ""
    for folder in (ada, ben):
        each = Person(folder)
        name = os.path.basename(folder)
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/key"], check=True
        )
        signers += f"{name}@example.org {Path(f'{folder}/key.pub').read_text()}"
        people.append(each)
    for each in people:
        Path(f"{each.folder}/.config/tacit/config.toml").write_text(
            f'sync.key = "{each.folder}/key"\nsync.signers = "{each.folder}/signers"\n'
        )
        Path(f"{each.folder}/signers").write_text(signers)
    first, second = people
    subprocess.run([*git, "init", "-q", first.work], check=True)
    Path(f"{first.work}/README").write_text("x")
    for words in (
        ["add", "."],
        ["commit", "-qm", "x"],
        ["remote", "add", "origin", f"{person.folder}/origin"],
        ["push", "-q", "origin", "HEAD:main"],
    ):
        subprocess.run([*git, "-C", first.work, *words], check=True, capture_output=True)
    os.rmdir(second.work)
    subprocess.run([*git, "clone", "-q", f"{person.folder}/origin", second.work], check=True)
    memory = first.taught()

    def exchange(one: Person) -> str:
        said = one.tacit("sync")
        for words in (
            ["add", "-A"],
            ["commit", "-qm", "sync"],
            ["pull", "-q", "--rebase", "origin", "main"],
            ["push", "-q", "origin", "HEAD:main"],
        ):
            subprocess.run([*git, "-C", one.work, *words], capture_output=True)
        return said + one.tacit("sync")

    exchange(first)
    exchange(second)
    exchange(second)
    found = []
    for each, count in ((first, 8), (second, 7)):
        with each.open() as memories:
            theirs = next(
                (
                    one.id
                    for one in memories.list(limit=50)
                    if one.signature and one.klass != "command"
                ),
                memory,
            )
            if memories.get(theirs).state == "candidate":
                memories.review(theirs, "approve")
            for n in range(count):
                each.unit(
                    memories, f"{os.path.basename(each.folder)}-{n}", theirs, lambda told: [PASSES]
                )
    for each in (first, second, first, second):
        exchange(each)
    for each in people:
        with each.open() as memories:
            found.append(
                sum(
                    sum(row.injected + row.withheld for row in one.table.values())
                    for one in memories.effect().lessons
                )
            )
    said = first.tacit("effect")
    return Said(
        f'units by machine after a signed exchange: {found[0]} and {found[1]} of 15; "{next((line for line in said.splitlines() if "per lesson" in line or "claimed" in line), "")[:110]}"',
        found == [15, 15],
    )


DEFECTS: dict[str, tuple[Callable[[Person], Said], str, str]] = {
    "D1": (d1, "findings of told agents taken out as echo", "19 of 20 stores say helps"),
    "D2": (d2, "occurred = failed and cured", "cured: occurred; given up: not occurred"),
    "D3": (d3, "a verdict outlives its words", 'edited to its opposite: still "Helps (run 11)"'),
    "D4": (
        d4,
        "what nothing can measure is withheld",
        "(a) 3 of 10 withheld, 0 problems in 29 struck runs; (b) 30 % for ever; (c) 30 of 30 not occurred",
    ),
    "D5": (d5, "verdicts flap with the model", "189 verdict entries in 120 runs"),
    "D6": (d6, "merged, failed by the other's problem", "belief 90 % → 36 % in 8 runs"),
    "D7": (d7, "a lesson that ruins its runs", "166 units: provisional, not yet known"),
    "D8": (
        d8,
        "leaks into the withheld arm",
        "(a) 12 of 12; (b) 7 of 30 withheld; (c) printed; (d) 8 of 8 forks",
    ),
    "D9": (d9, "outcomes missing by the arm", "25 of 59 injected unknown"),
    "D10": (d10, "a clock behind", "0 of 12 occurred; doctor silent"),
    "D11": (
        d11,
        "report prints a Python object",
        "Verdict(word='not yet known', …) under \"Prevented\"",
    ),
    "D12": (
        d12,
        "a team's units, and 5 % for each of many",
        "8 and 7, not 15 (unsigned); signed not run",
    ),
}
HEAD = "| | defect | then | now | |\n|---|---|---|---|---|"


def main() -> int:
    ask = argparse.ArgumentParser(
        description="The twelve defects of the instruments, each by its command."
    )
    ask.add_argument("--only", default="")
    ask.add_argument("--out", type=Path)
    given = ask.parse_args()
    lines, fine = [HEAD], True
    print(HEAD, flush=True)
    for name, (play, what, then) in DEFECTS.items():
        if given.only and given.only != name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            said = play(Person(f"{folder}/home"))
        fine &= said.right
        lines.append(
            f"| {name} | {what} | {then} | {said.now} | {'PASS' if said.right else 'FAIL'} |"
        )
        print(lines[-1], flush=True)
    out = given.out or (
        None if given.only else HERE / "results" / f"{datetime.now(UTC):%Y-%m-%d}-effect-defects.md"
    )
    if out:
        out.write_text(
            "\n".join(
                [
                    "# The defects of the instruments, played again\n\n`python bench/effect_defects.py`\n",
                    *lines,
                    "",
                ]
            ),
            encoding="utf-8",
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
