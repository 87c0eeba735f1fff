"""aider's chat history, `.aider.chat.history.md`: every session of a folder in one Markdown
file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.run import Run
from tacit.core.shell_line import ends_in_failure
from tacit.hosts.session import Session, fill
from tacit.hosts.source import Source

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "aider"
HISTORY = ".aider.chat.history.md"
STARTED = "# aider chat started at "
ASKED, TOLD = "####", ">"
CHATS = ("/ask ", "/code ", "/architect ")  # what stands behind these is a request
BLOCK = 20_000  # lines of one block that are kept


def detect(source: Source) -> float:
    """How sure we are that this is a history: by its name, or by the line that begins a session."""
    head = source.head()
    if source.name.startswith(HISTORY):
        return 0.95 if b"\n#### " in head or _HEADING.search(head) or not head.strip() else 0.6
    return 0.9 if _HEADING.search(head) else 0.0


_HEADING = re.compile(rb"^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.M)


def read(source: Source) -> Iterator[Run]:
    """The sessions of a file, in which something was asked or done."""
    chat: _Chat | None = None
    seen: dict[str, int] = {}
    for number, raw in enumerate(source.lines(), 1):
        line = raw.decode("utf-8", "replace").replace("\0", "\ufffd").rstrip("\r\n")
        if line.startswith(STARTED):
            if chat is not None:
                yield from chat.finish(source)
            chat = _Chat(line.removeprefix(STARTED).strip(), source, seen)
        elif chat is None:
            # the file was cut, and begins in the middle of a session
            chat = _Chat("", source, seen)
        chat.line(line, number)
    if chat is not None:
        yield from chat.finish(source)


class _Chat(Session):
    """One session while its lines come in."""

    def __init__(self, started: str, source: Source, seen: dict[str, int]) -> None:
        super().__init__(NAME)
        self.started = self.ended = started.replace(" ", "T") + "Z" if len(started) == 19 else ""
        name = started or f"before-{short_hash(source.head(2048).decode('utf-8', 'replace'))}"
        seen[name] = seen.get(name, 0) + 1
        self.id = (
            name.replace(" ", "T") if seen[name] == 1 else f"{name.replace(' ', 'T')}#{seen[name]}"
        )
        if source.name.startswith(HISTORY):
            self.cwd = os.path.dirname(os.path.abspath(source.path))
        self.kind = ""
        self.block: list[str] = []
        self.begins = 0
        self.ran: Record | None = None  # a command of the user's, whose output follows
        self.printing = False
        self.blank = True

    def line(self, line: str, number: int) -> None:
        """One line: of the same speaker as the one before, or the first of another's."""
        self.lines += 1
        if line.startswith(STARTED):
            return
        after_blank, self.blank = self.blank, not line.strip()
        kind = _speaker(line)
        # Of what is printed only the first line is marked. A command may print empty lines too, aider itself does not.
        on_and_on = self.printing and self.ran is not None
        if (
            kind == "assistant"
            and self.kind == "tool"
            and (on_and_on or not (after_blank or self.blank))
        ):
            self.printing, kind = True, "tool"
        elif self.blank and self.kind != "assistant":
            return
        else:
            self.printing = False
        if kind != self.kind:
            self.close()
            self.kind, self.begins = kind, number
        if len(self.block) < BLOCK:
            self.block.append(line.rstrip() if self.printing else _said(line, kind))

    def close(self) -> None:
        """What a block of lines says."""
        text, kind = "\n".join(self.block).strip(), self.kind
        self.block, self.kind = [], ""
        if not text:
            return
        self.at(f"line:{self.begins}")
        if kind == "user":
            self.asked(text)
        elif kind == "tool":
            self.printed(text)
        else:
            self.ran = None
            self.say("assistant", text)

    def asked(self, text: str) -> None:
        """What went to the model: a command of aider's, output to be fixed, or a request."""
        self.ran = None
        first, _, more = text.partition("\n")
        # a command, and then a request
        if more and first.startswith("/") and not first.startswith(CHATS):
            self.asked(first)
            return self.asked(more.strip())
        command = _COMMAND.match(text)
        to_fix = _TO_FIX.match(text) or _I_RAN.match(text)
        if to_fix is not None:
            row = self.add("tool", tool="shell", input={"command": to_fix["command"].strip("` ")})
            output = text[to_fix.end() :].strip()
            fill(row, output, failed=text.startswith("# Fix") or ends_in_failure(output))
        elif command is not None:
            self.ran = self.add("tool", tool="shell", input={"command": command["command"].strip()})
        elif text.startswith("/") and not text.startswith(CHATS):
            self.say("user", text)
        else:
            self.ask(text, unsure=True)

    def printed(self, text: str) -> None:
        """What aider printed: edits that went well or not, a command's output, or its own chatter."""
        self.version = found[1] if (found := _VERSION.search(text)) else self.version
        model = _MODEL.search(text)
        self.model(model[1] if model else "")
        if self.ran is not None:
            fill(self.ran, text, failed=ends_in_failure(text))
            self.ran = None
            return
        for path in dict.fromkeys(_APPLIED.findall(text)):
            row = self.add("tool", tool="edit", input={"path": path}, files=(path,))
            fill(row, f"Applied edit to {path}")
        if refused := _REFUSED.search(text):
            path = named[1] if (named := _IN_FILE.search(text)) else ""
            row = self.add("tool", tool="edit", input={"path": path}, files=(path,) if path else ())
            fill(row, text[refused.start() :], failed=True)
        if "^C KeyboardInterrupt" in text:
            self.stopped("^C KeyboardInterrupt")

    def finish(self, source: Source) -> Iterator[Run]:
        """The session, if anything happened in it."""
        self.close()
        if any(row["role"] != "user" or row.get("text") for row in self.rows):
            yield self.run(source)


def _speaker(line: str) -> str:
    if line.startswith(ASKED) and line[4:5] in (" ", ""):
        return "user"
    return "tool" if line.startswith(TOLD) and line[1:2] in (" ", "") else "assistant"


def _said(line: str, kind: str) -> str:
    return line[{"user": 5, "tool": 2}.get(kind, 0) :].rstrip()


_COMMAND = re.compile(r"(?:/run|/test|/lint|!)\s*(?P<command>\S.*)")
_TO_FIX = re.compile(r"# Fix any errors below, if possible\.\s+## Running: (?P<command>.+)\n?")
_I_RAN = re.compile(r"I ran this command:\s+(?P<command>.+)\s+And got this output:\s*")
_VERSION = re.compile(r"^Aider v(\S+)", re.M)
_MODEL = re.compile(r"^(?:Main model|Models?|Model): (\S+)", re.M)
_APPLIED = re.compile(r"^Applied edit to (.{1,400})$", re.M)
_REFUSED = re.compile(
    r"^(?:The LLM did not conform to the edit format|# \d+ SEARCH/REPLACE blocks? failed to match)",
    re.M,
)
_IN_FILE = re.compile(r"failed to exactly match lines in (\S+)")
