"""A tool call and its result, written as two records, become one step at the place of the call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tacit.hosts.claude_code.marks import (
    CALL_REJECTED,
    HOST_DENIES,
    NOT_SAID,
    OWN_ERRORS,
    SAID_AFTER,
    TEMPLATE,
    answers,
    is_refusal,
)
from tacit.hosts.claude_code.steps import Steps
from tacit.hosts.session import LARGEST, WORDLESS, text_at
from tacit.hosts.session import time_of as _time

if TYPE_CHECKING:
    Record = dict[str, Any]

AGENT_TOOLS = frozenset({"Task", "Agent"})
MANY_REMINDERS = 20  # at the end of one result
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code:? (-?\d{1,5})\b")


class Calls(Steps):
    """Calls and what came of them."""

    def call(self, block: Record, agent: str, at: str) -> None:
        """A tool call, open until its result comes."""
        name, given, call = block.get("name"), block.get("input"), block.get("id")
        if type(name) is not str or type(call) is not str:
            self.odd("assistant.tool_use")
            return
        if call in self.calls:
            self.duplicates += 1
            return
        self.calls.add(call)
        if type(given) is not dict:
            given = {} if given is None else {"input": given}
        path = given.get("file_path") or given.get("notebook_path")
        files = (path,) if type(path) is str else ()
        if name in AGENT_TOOLS:
            self.tasks[call] = kind = text_at(given, "subagent_type") or "sidechain"
            if type(given.get("prompt")) is str:
                self.prompts[given["prompt"]] = kind
        elif type(given.get("prompt")) is str:
            self.scheduled.add(given["prompt"].strip())
        row = self.add_of("tool", agent, at, tool=name, input=given, files=files)
        self.open[call] = self.running.setdefault(agent, {})[call] = row
        for file in files:
            self.file(file)

    def answered(self, found: Record, block: Record) -> None:
        """A tool result, put into the step of its call."""
        call = text_at(block, "tool_use_id")
        row = self.open.pop(call, None)
        if row is None:
            if call in self.calls:
                self.duplicates += 1
            else:
                self.odd("user.tool_result without its call")
            return
        self.running.get(row["agent"], {}).pop(call, None)
        recorded = found.get("toolUseResult")
        text = _plain_output(block.get("content"))
        denied = found.get("toolDenialKind")
        if is_refusal(block.get("is_error"), recorded, denied):
            row["output"], _, words = text.partition(SAID_AFTER)
            row["interrupted"] = True
            self.refused(found, row, words.partition(NOT_SAID)[0].strip(), denied)
            return
        if text.startswith(CALL_REJECTED) and block.get("is_error") is not True:
            self.forged += 1
        row["output"], row["error"], row["status"] = _outcome(
            row["tool"], block.get("is_error"), text, recorded
        )
        if denied in HOST_DENIES:
            row["output"], row["error"] = "", f"Refused by the host ({denied}): {text}"
        if type(recorded) is dict:
            if recorded.get("interrupted") is True:
                row["interrupted"] = True
            self.enrich(row, recorded)
        if row["tool"] == "AskUserQuestion":
            for question, words, own in answers(recorded, row["input"]):
                sat = "" if row["agent"] else self.at_keyboard()
                speaker = (
                    ("answer" if own else "choice") if sat == "typed" else sat and own and "unsure"
                ) or "agent"
                self.add_of(
                    "user",
                    row["agent"],
                    _time(found),
                    text=words,
                    typed=speaker == "answer",
                    speaker=speaker,
                    input={"question": question},
                )

    def refused(self, found: Record, row: Record, words: str, denied: Any) -> None:
        """What the person said when refusing a call is a prompt like any other, and stands nowhere else."""
        if not words or words.startswith(TEMPLATE):
            return
        # there a failing command spoke first
        old = type(found.get("version")) is not str or text_at(found, "version").startswith(
            ("0.", "1.")
        )
        marked = denied == "user-rejected" or (
            row["tool"] in OWN_ERRORS and not (old and row["tool"] == "Bash")
        )
        sat = self.at_keyboard() if marked else ""
        speaker = "refusal" if sat == "typed" else sat
        self.add_of(
            "user", row["agent"], _time(found), text=words, typed=sat == "typed", speaker=speaker
        )

    def enrich(self, row: Record, recorded: Record) -> None:
        """What the host kept about a result beside its text."""
        if not row["files"]:
            inner = recorded.get("file")
            path = inner.get("filePath") if type(inner) is dict else recorded.get("filePath")
            if type(path) is str:
                row["files"] = (path,)
                self.file(path)
        agent = recorded.get("agentId")
        if type(agent) is str:
            self.name_agent(agent, recorded.get("agentType") or row["input"].get("subagent_type"))


def _plain_output(content: Any) -> str:
    """A result's text; what the host hung on its end is taken off."""
    if type(content) is list:
        content = "\n".join(
            block["text"] if type(block.get("text")) is str else f"[{block.get('type')}]"
            for block in content
            if type(block) is dict
        )
    text = content if isinstance(content, str) else ""
    for _ in range(MANY_REMINDERS):
        start = text.rfind("<system-reminder>") if text.endswith("</system-reminder>") else -1
        if start < 0:
            break
        text = text[:start].rstrip()
    if text.startswith("<tool_use_error>"):
        text = text[16:].removesuffix("</tool_use_error>")
    return text


def _outcome(tool: str, is_error: Any, text: str, recorded: Any) -> tuple[str, str, int | None]:
    """Output, error and exit status; a result is either output or error."""
    found = _EXIT_CODE.match(text)
    status = int(found[1]) if found else None
    failed = is_error is True
    if type(recorded) is str and is_error is None:
        failed = recorded.startswith(("Error:", "InputValidationError"))
    elif type(recorded) is dict and not failed:
        task = recorded.get("task")
        code = (task if type(task) is dict else recorded).get("exitCode")
        if type(code) is int and abs(code) < LARGEST:
            status = code
            failed = code != 0
        elif (
            tool == "Bash"
            and not recorded.get("backgroundTaskId")
            and not recorded.get("returnCodeInterpretation")
        ):
            status = 0 if "stdout" in recorded and recorded.get("interrupted") is not True else None
    elif found and is_error is None:
        failed = status != 0
    if not failed:
        return text, "", status
    return "", text or (recorded if type(recorded) is str and recorded else WORDLESS), status
