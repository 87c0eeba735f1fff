"""One person's machine, as journeys walk over it: what she types, what her agents do, and what each of them is told.

Everything goes through the command line and the hooks, as real programs call them. Where a word of the surface changes,
it changes here, once.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit.core import clock
from tacit.reading.exam import EXAM_PAIRS

HOST = {"CLAUDECODE": "1"}  # an agent's shell, as Claude Code marks it
TYPED = {"permissionMode": "default", "promptSource": "typed", "entrypoint": "cli"}
FLOATS = "Prices are integers in cents, never floats."


class Machine:
    """A home with a store of its own; its person is ada."""

    def __init__(self, command: Any, home: Path, folder: Path) -> None:
        self.command, self.home, self.folder = command, home, folder

    def tacit(self, *words: str, code: int = 0, **more: Any) -> Any:
        """A command, which ends with this code."""
        ran = self.command(*words, TACIT_NO_WORKER="1", **more)
        assert ran.code == code, (words, ran.code, ran.out, ran.err)
        return ran

    def json(self, *words: str, **more: Any) -> Any:
        """The data of a command's JSON answer."""
        return self.tacit(*words, "--json", **more).data

    def add(self, text: str, *options: str, **more: Any) -> str:
        """What she tells Tacit herself; the lesson's id."""
        return str(self.json("add", text, *options, **more)["id"])

    def lessons(self, *options: str, **more: Any) -> dict[str, str]:
        """Each lesson's text with its state, in the words that people are shown; what is gone is not among them."""
        return {each["text"]: state(each) for each in self.found(*options, **more)}

    def found(self, *options: str, **more: Any) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.json("list", *options, **more)["memories"]
        return listed

    def lesson(self, id: str) -> dict[str, Any]:
        """One lesson, also when it is gone."""
        shown: dict[str, Any] = self.json("why", id)["memory"]
        return shown

    def id_of(self, fragment: str, **more: Any) -> str:
        """The id of the one lesson, active or not, whose text holds this."""
        (one,) = (each["id"] for each in self.found(**more) if fragment in each["text"])
        return str(one)

    def state(self, id: str) -> str:
        return state(self.lesson(id))

    def recalled(self, question: str, **more: Any) -> list[str]:
        """The ids that a question finds, the best first."""
        return [each["id"] for each in self.json("recall", question, **more)["hits"]]

    def keep(self, id: str) -> None:
        """Her yes to a lesson, whether it waits or is doubted."""
        verb = ("review", "close") if self.state(id) == "doubted" else ("keep",)
        self.tacit(*verb, id)

    def erase(self, id: str) -> None:
        """Blank a lesson for good, which takes a person's signature."""
        self.tacit("drop", id, "--erase", "--by", "ada", "--yes")

    def learns(self) -> Any:
        """The worker takes whatever waits."""
        return self.json("worker", "--now")

    def questions(self, **more: Any) -> list[str]:
        """Whatever waits for her word, as `review` lists it."""
        said = self.json("review", **more)
        return [json.dumps(each) for name in said for each in said[name] if name != "why_held"]

    def agent(self, session: str = "s1", folder: Path | None = None) -> Agent:
        return Agent(self, session, folder or self.folder)

    def reader(self, *rows: tuple[str, str, Any]) -> None:
        """Have sessions read by a program of hers: (question, words, answer), where `words` stand in what the question is about.

        It passes its exam, and finds that every line says what the lesson says.
        """
        script = [*EXAM, *rows, ("weigh", "", weighed(*["yes working"] * 12))]
        told = [
            (ASKED[kind], words, said if isinstance(said, str) else json.dumps(said))
            for kind, words, said in script
        ]
        program = self.home / "reader.py"
        program.write_text(
            "import sys\nasked = sys.stdin.read()\n"
            f"open({str(self.home / 'asked.txt')!r}, 'a').write(asked + chr(12))\n"
            f"rows = {told!r}\n"
            f"print(next((said for kind, words, said in rows if kind in asked and words in asked), {NOTHING!r}))\n"
        )
        config = self.home / ".config" / "tacit" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(
            f'[model]\ncommand = "{sys.executable} -S -E {program}"\n'
            '[reader]\nby = "model"\nhosts = ["*"]\n'
        )

    def asked(self) -> list[str]:
        """What the reader was shown, question by question."""
        path = self.home / "asked.txt"
        return path.read_text().split("\f")[:-1] if path.exists() else []


def state(lesson: dict[str, Any]) -> str:
    """waiting, active, doubted or gone."""
    return str(lesson["state"])


class Agent:
    """A session of Claude Code: each step calls the hooks that the host calls, and stands in its transcript."""

    def __init__(self, machine: Machine, session: str, folder: Path) -> None:
        self.machine, self.session, self.folder, self.count = machine, session, folder, 0
        self.is_connected = True  # its host calls our hooks
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(folder))
        self.transcript = machine.home / ".claude" / "projects" / slug / f"{session}.jsonl"
        self.transcript.parent.mkdir(parents=True, exist_ok=True)

    def hook(self, name: str, event: str, **said: Any) -> str:
        """What the host is answered, as text; empty where nothing is said."""
        if not self.is_connected and name != "session-end":
            return ""
        payload = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.folder),
            "permission_mode": "default",
            "hook_event_name": event,
            **said,
        }
        env = {**HOST, "CLAUDE_CODE_SESSION_ID": self.session}
        ran = self.machine.tacit("hook", name, stdin=json.dumps(payload), cwd=self.folder, **env)
        assert ran.err == ""
        return str(ran.out)

    def told(self, answer: str) -> str:
        """What the agent itself is given of an answer."""
        said = json.loads(answer).get("hookSpecificOutput", {}) if answer else {}
        return str(said.get("additionalContext", ""))

    def begins(self, source: str = "startup", **said: Any) -> str:
        return self.told(self.hook("session-start", "SessionStart", source=source, **said))

    def is_asked(self, words: str, **said: Any) -> str:
        """A prompt that she types."""
        told = self.told(self.hook("prompt", "UserPromptSubmit", prompt=words, **said))
        self.record("user", {"role": "user", "content": words}, **TYPED)
        return told

    def says(self, words: str) -> None:
        self.record("assistant", self._message({"type": "text", "text": words}))

    def calls(self, tool: str, output: str = "", error: str = "", **given: Any) -> str:
        """A call of a tool, with what is told before it and after its failure."""
        id = f"{self.session}-{self.count}"
        said = {"tool_name": tool, "tool_input": given, "tool_use_id": id}
        event = "before-command" if tool == "Bash" else "before-file"
        told = self.told(self.hook(event, "PreToolUse", **said))
        self.record(
            "assistant", self._message({"type": "tool_use", "id": id, "name": tool, "input": given})
        )
        if error:
            told += self.told(self.hook("tool-failure", "PostToolUseFailure", **said, error=error))
        result = {"type": "tool_result", "tool_use_id": id, "content": error or output or "ok"}
        self.record("user", {"role": "user", "content": [{**result, "is_error": bool(error)}]})
        return told

    def runs(self, command: str, output: str = "", error: str = "") -> str:
        return self.calls("Bash", output, error, command=command)

    def edits(self, path: str) -> str:
        return self.calls("Edit", file_path=str(self.folder / path), old_string="a", new_string="b")

    def ends(self) -> str:
        """The session is over, and waits to be learned."""
        return self.hook("session-end", "SessionEnd", reason="prompt_input_exit")

    def is_over(self) -> None:
        """It ends, and is learned."""
        self.ends()
        assert self.machine.learns()["failed"] == 0

    def shell(self, *words: str, **more: Any) -> Any:
        """A command that the agent types itself: nobody's key, and the host's mark."""
        return self.machine.tacit(*words, TACIT_KEY="", TACIT_RUN=self.session, **HOST, **more)

    def adds(self, text: str) -> str:
        """What it keeps by itself; the lesson's id."""
        return str(self.shell("add", text, "--json").data["id"])

    def record(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        """A line of the transcript, as the host writes it."""
        self.count += 1
        before = f"{self.session}-{self.count - 1}" if self.count > 1 else None
        line = {"parentUuid": before, "isSidechain": False, "userType": "external"}
        line |= {"cwd": str(self.folder), "sessionId": self.session, "version": "2.1.240"}
        line |= {"type": kind, "uuid": f"{self.session}-{self.count}", "timestamp": clock.now()}
        with open(self.transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "message": message, **more}) + "\n")

    def _message(self, part: dict[str, Any]) -> dict[str, Any]:
        who = {"id": f"m{self.count}", "type": "message", "role": "assistant"}
        return {**who, "model": "claude-opus-4-5-20251101", "content": [part]}


MISSING = "Exit code 1\nDatabaseError: schema is out of date: expected version 42, found 41"


def cures(machine: Machine, *sessions: str, cure: str = "make migrate") -> None:
    """Sessions in which the tests fail for want of something, and pass after it; they are learned, and told nothing."""
    for session in sessions:
        agent = machine.agent(session)
        agent.is_connected = False
        agent.is_asked("make the tests pass")
        agent.runs("pnpm test", error=MISSING)
        agent.runs(cure, "applied 1 migration")
        agent.runs("pnpm test", "14 passed")
        agent.ends()
    assert machine.learns()["failed"] == 0


def weighed(*each: str) -> dict[str, Any]:
    """A reader's answer whether each line says its lesson: "yes working"."""
    answers = [dict(zip(("says", "holds"), said.split())) for said in each]
    return {"answers": [{"n": n, **said} for n, said in enumerate(answers, 1)]}


def verdict(id: str, word: str, line: int = 0, words: str = "", **more: Any) -> dict[str, Any]:
    """What a reader says of a lesson that it was shown."""
    return {"verdicts": [{"id": id, "verdict": word, "line": line, "words": words, **more}]}


def taught(*lessons: dict[str, Any]) -> dict[str, Any]:
    """What a reader says that a session taught."""
    return {"lessons": list(lessons)}


def once_in(count: int, told: Callable[[int], str], words: str) -> bool:
    """Whether an agent hears something in one of so many sessions: what is on trial a coin may leave out of some."""
    return any(words in told(number) for number in range(count))


def quoted(text: str, line: int, words: str, **more: Any) -> dict[str, Any]:
    """A lesson as a reader words it, with the line of the record that vouches for it."""
    said = {"text": text, "kind": "rule", "standing": "said", "until": "always", **more}
    return {**said, "quotes": [{"line": line, "words": words}]}


NOTHING = '{"lessons": [], "answers": [], "verdicts": [], "pairs": []}'
# What tells the questions to a reader apart.
ASKED = {
    "lessons": "what is worth remembering of this session",
    "weigh": "is said to have told it",
    "known": "against the remembered lessons",
    "revoke": "is said to take it back",
    "cure": "The same failure was met",
    "twins": "that may say the same",
    "habits": "What does this person ask for, ask about, or correct again and again?",
    "failures": "What will go wrong again here",
    "tidy": "Tidy them, as a careful editor",
    "instructions": "Which lines of the instruction file",
}
EXAM = [
    (
        "lessons",
        "postal code to the address form",
        taught(quoted("Never start the dev server.", 5, "please never start the dev server")),
    ),
    (
        "weigh",
        "this repo is pnpm only",
        weighed(*(f"{says[0]} {holds[0]}" for _, _, says, holds in EXAM_PAIRS)),
    ),
]
