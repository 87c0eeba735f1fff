"""A finished session as a reader gets to see it: one numbered line per thing, with the letter of
whoever speaks.

Successful output never stands here, for it is other people's text and most of the bytes; of failing
output the telling lines do. Long things are cut, yet each line keeps the whole text it was cut
from, scrubbed of secrets: a quote is looked for there. A line is one line of the page whatever its
text holds, so that no output can begin a line of its own and speak with another's letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.core.run import Run, Step
from tacit.core.tables import Tables
from tacit.core.value import replace, value
from tacit.reading.command import commands, line_of
from tacit.reading.echo import unfenced
from tacit.safety.redact import private, redact
from tacit.words.diagnose import LONGEST_OUTPUT
from tacit.words.own_words import own_words
from tacit.words.signature import decisive_line

_tables = Tables(__file__)

VERSION = "2"  # of the rendering; with another one prompts and their hashes are others

# Letters of the page. Those of a person first: only these can make a lesson somebody's word.
SPEAKER_LETTERS = {
    "U": "the person typed it",
    "R": "the person's reason when refusing a call",
    "W": "the person's answer to a question of the agent",
    "M": "maybe the person's own words, maybe pasted or sent by a program: nobody knows",
    "C": "an option worded by the agent, which the person chose",
    "Q": "pasted by the person, somebody else's text",
    "P": "a plan or summary that the agent wrote",
    "A": "the agent says",
    "T": "a call of the agent",
    "E": "failing output of a command of the project",
    "X": "failing output from outside: web, forge, server",
    "S": "the host program",
}
PERSON = ("U", "R", "W")
UNSURE = "M"  # shown like a person's, and never in force by itself
CHOSEN_LETTER = "C"
AGENT_LINES = ("A", "P", CHOSEN_LETTER)  # the agent's own words
_LETTER = {
    "typed": "U",
    "refusal": "R",
    "answer": "W",
    "unsure": UNSURE,
    "choice": CHOSEN_LETTER,
    "pasted": "Q",
    "selection": "Q",
    "plan": "P",
    "summary": "P",
    "command": "S",
    "notice": "S",
    "host": "S",
    "agent": "P",
}

_SAID_CHARS = 3000  # characters shown of what a person typed
BROUGHT = {"Q": 300, "P": 450, "S": 150}  # … of what they pasted, of a plan, of the host's words
# … of the agent's last word in a turn, of a cause it gives, of the rest
LAST_WORD, REASONED, PASSING = 450, 550, 150
QUESTION_CHARS = 300  # … of a question, before its answer
SHORT_NOTE = 400  # characters of a host's note; what is longer are its instructions
CALL_SHOWN = 110
NOTED = 2400  # of what a call added to an instruction file; kept for the question about findings, not shown by itself
NOTE_MARK = " ⏎ noted: "  # before what was added
_LOOKS = 2  # calls in a row that only look which are shown
FAILURE_LINES, FAILURE_LINE = 4, 180
_READ_AT_ALL = 60_000  # characters of one text that are read at all
_PART_TOKENS = 24_000  # of one part; nearly every session is shorter
CHARS_A_TOKEN = 4
OVERLAP = 10  # lines that two parts share

CAUSE = _tables.pattern("CAUSE", re.I)
_OUTSIDE_TOOLS = ("WebFetch", "WebSearch", "mcp__", "web_", "fetch", "browser")
_OUTSIDE_PROGRAMS = frozenset("gh glab curl wget http https ssh scp aws gcloud az kubectl".split())
_FAILED = _tables.pattern("_FAILED", re.M | re.I)
_TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


@value
class Line:
    """One line of a rendered session."""

    number: int
    letter: str
    text: str  # as shown, cut
    whole: str  # what it was cut from, scrubbed: where a quote must stand
    step: int  # the step it comes from, counted from 0
    place: str  # of that step in the host's file


@value
class Rendering:
    """A session as it is read."""

    run: str
    lines: tuple[Line, ...]

    @property
    def typed(self) -> int:
        """How many lines a person typed."""
        return sum(line.letter in PERSON for line in self.lines)


def rendered(run: Run) -> Rendering:
    """All lines of a run. What Tacit itself put into it between fences is taken out; hooks are
    not shown at all."""
    found: list[tuple[str, str, str, int]] = []
    looked = 0  # calls in a row that only looked, after the one that is shown
    before = (
        ""  # what the agent said last: an offer of it that comes back copied is not the person's
    )
    for at, step in enumerate(run.steps):
        if _only_looks(step):
            looked += 1
            if looked > _LOOKS:
                continue
        elif step.role == "tool" or step.text:
            looked = 0
        for letter, shown, whole in _of_step(step, run.cwd, before):
            found.append((letter, shown, whole, at))
        if step.role == "assistant" and step.text:
            before = step.text
    kept = _cut(found)
    lines = [
        Line(number, letter, shown, whole, at, run.steps[at].place)
        for number, (letter, shown, whole, at) in enumerate(kept, 1)
    ]
    return Rendering(run.id, tuple(lines))


def page_text(lines: Sequence[Line]) -> str:
    """Lines as they are printed and sent."""
    return "\n".join(f"{line.number} {line.letter} {line.text}" for line in lines)


def page_tokens(lines: Sequence[Line]) -> int:
    """About how many tokens a page has."""
    return sum(len(line.text.encode()) + 8 for line in lines) // CHARS_A_TOKEN + 1


def parts_of_session(rendering: Rendering, most: int = _PART_TOKENS) -> list[tuple[Line, ...]]:
    """The session in parts that fit one call each: nearly always one. A longer one is divided
    before what a person typed."""
    lines, done = rendering.lines, list[tuple[Line, ...]]()
    start = 0
    while start < len(lines):
        end = _fitting(lines, max(0, start - OVERLAP), most)
        if end < len(lines):
            typed = [at for at in range(start + 1, end) if lines[at].letter in PERSON]
            late = [at for at in typed if at > start + (end - start) // 2]
            end = max(late[-1] if late else end, start + 1)
        done.append(lines[max(0, start - OVERLAP) : end])
        start = end
    return done


def scrubbed(text: str) -> str:
    """A text as it may leave the machine: without secrets and private passages, colours and
    invisible characters."""
    plain = _CONTROL.sub("", _TERMINAL_COLOURS.sub("", text[:_READ_AT_ALL]))
    return redact(private(plain)).text


def one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def _fitting(lines: Sequence[Line], start: int, most: int) -> int:
    left = most * CHARS_A_TOKEN
    for at in range(start, len(lines)):
        left -= len(lines[at].text.encode()) + 8
        if left < 0 and at > start + OVERLAP:
            return at
    return len(lines)


def _of_step(step: Step, cwd: str, before: str) -> Iterator[tuple[str, str, str]]:
    """What one step shows: letter, text to show (to be cut), whole text."""
    if step.role == "tool":
        if step.tool not in _BOOKKEEPING:
            yield from _of_call(step, cwd)
        return
    if step.tool == "hook" or not step.text.strip():
        return
    if step.role == "assistant":
        if whole := one_line(_at_home(scrubbed(unfenced(step.text)), cwd)):
            yield "A", whole, whole
    elif step.role == "user":
        for letter, words in spoken(step, before):
            if whole := one_line(_at_home(scrubbed(unfenced(words)), cwd)):
                asked = _asked(step, letter, cwd)
                yield (
                    letter,
                    f"{asked}{whole[: BROUGHT.get(letter, _SAID_CHARS)]}",
                    f"{asked}{whole}" if letter == CHOSEN_LETTER else whole,
                )
    elif _is_note(step) and (whole := one_line(_at_home(scrubbed(unfenced(step.text)), cwd))):
        yield "S", whole[: BROUGHT["S"]], whole


def _asked(step: Step, letter: str, cwd: str) -> str:
    """The question before an answer: shown with it, and no part of what may be quoted as the
    person's."""
    question = (step.input or {}).get("question")
    if not isinstance(question, str) or not (
        words := one_line(_at_home(scrubbed(unfenced(question)), cwd))
    ):
        return ""
    return f"asked: {words[:QUESTION_CHARS]} {'chose' if letter == CHOSEN_LETTER else 'answered'}: "


def _is_note(step: Step) -> bool:
    """Whether a host's words are a note on this session, not its instructions for every one."""
    return len(step.text) <= SHORT_NOTE and not step.text.lstrip().startswith(_INSTRUCTIONS)


def _only_looks(step: Step) -> bool:
    """Whether a call read something, and did so without trouble."""
    if step.role != "tool" or step.error or step.interrupted:
        return False
    command = line_of(step)
    if command:
        return all(call.looks for call in commands(command))
    return step.tool in _LOOKING_TOOLS


_LOOKING_TOOLS = frozenset(
    "Read Grep Glob LS NotebookRead ToolSearch read_file list_dir grep_files view_image".split()
)
_PROTOCOL = _tables.words("_PROTOCOL")
_BOOKKEEPING = _tables.words("_BOOKKEEPING")
_INSTRUCTIONS = ("<", "# AGENTS.md")


def spoken(step: Step, before: str = "") -> Iterator[tuple[str, str]]:
    """The words of a user's step with their letters: what a person typed apart from what they
    pasted into it. `before` is what the agent said last."""
    letter = _LETTER.get(step.speaker, "")
    if step.speaker == "command" and step.text.startswith("!"):
        yield "U", step.text  # typed, and to a shell: no `typed` step, which is a word to the agent
        return
    if not letter:
        letter = "U" if step.typed else "P" if step.agent else "S"
    if letter in PERSON and not step.typed:
        letter = "S"  # the format's mark of a person is `typed`; a speaker alone makes nobody one
    if letter not in PERSON and letter != UNSURE:
        yield letter, step.text
        return
    words = own_words(step.text, before)
    spans = [
        (*span, whose)
        for whose, spans in ((letter, words.own), (UNSURE, words.unsure), ("Q", words.pasted))
        for span in spans
    ]
    for start, end, whose in sorted(spans):
        yield whose, step.text[start:end]


def _of_call(step: Step, cwd: str) -> Iterator[tuple[str, str, str]]:
    whole = one_line(_at_home(scrubbed(_called(step)), cwd))
    added = one_line(_at_home(scrubbed(noted(step)), cwd))[:NOTED]
    yield "T", whole[:CALL_SHOWN], f"{whole}{NOTE_MARK}{added}" if added else whole
    failed = failing_output(step)
    if not failed:
        return
    text = (
        failed
        if len(failed) <= LONGEST_OUTPUT
        else f"{failed[: LONGEST_OUTPUT // 2]}\n{failed[-LONGEST_OUTPUT // 2 :]}"
    )
    lines = [
        line for each in _at_home(scrubbed(text), cwd).splitlines() if (line := one_line(each))
    ]
    if lines:
        shown = " ⏎ ".join(line[:FAILURE_LINE] for line in _telling(lines))
        yield "X" if is_outside(step) else "E", shown, one_line(" ".join(lines))


def _at_home(text: str, cwd: str) -> str:
    """A text with the project's own paths as the project names them: shorter, and nobody's home
    stands in it."""
    if len(cwd) < 2 or cwd not in text:
        return text
    return text.replace(f"{cwd.rstrip('/')}/", "").replace(cwd.rstrip("/"), ".")


def _called(step: Step) -> str:
    """A call in a few words: its command, or its tool with what it was about."""
    command = line_of(step)
    if command:
        return uncommented(command) or command
    if step.tool == "apply_patch" and step.files:
        return " ".join((step.tool, *step.files))
    given = step.input or {}
    about = [
        str(given[name])
        for name in _ABOUT_WORDS
        if isinstance(given.get(name), str) and given[name]
    ]
    if not about:
        about = [at for at in given.values() if isinstance(at, str)][:2]
    return " ".join((step.tool, *(each[:400] for each in (about or list(step.files)))))


_COMMENT = re.compile(r"""\'[^\']*\'|"(?:[^"\\]|\\.)*"|(?P<comment>(?:(?<=\s)|^)\#[^\n]*)""", re.M)


def uncommented(command: str) -> str:
    """A command without the comments in it: what it says to its reader is nothing it does."""
    if "#" not in command:
        return command
    kept = _COMMENT.sub(lambda found: "" if found["comment"] else found[0], command)
    return "\n".join(line.rstrip() for line in kept.splitlines() if line.strip())


_ABOUT_WORDS = _tables.listed("_ABOUT")


def failing_output(step: Step) -> str:
    """What a call of the project's own printed when it failed; empty where it did not, or where
    only the host's protocol was broken."""
    if step.interrupted or step.tool in _PROTOCOL:
        return ""
    return step.error or (step.output if _soft(step) else "")


def at_home(text: str, cwd: str) -> str:
    """A text on one line, the project's own paths as the project names them: as a quote or a
    sign was copied from."""
    return one_line(_at_home(text, cwd))


def _soft(step: Step) -> bool:
    """Whether a command that says it ended well printed a failure: behind a pipe nobody sees its
    status."""
    return (
        is_hidden(step)
        and _FAILED.search(_TERMINAL_COLOURS.sub("", step.output[-LONGEST_OUTPUT:])) is not None
    )


def is_hidden(step: Step) -> bool:
    """Whether a command printed something and its own exit status is lost, behind a pipe or
    another command; not where it only looks."""
    if step.error or not step.output or not (command := line_of(step)):
        return False
    run = commands(command)
    lost = (
        len(run) > 1
        or any(call.piped for call in run)
        or command.rstrip().endswith(("|| true", "|| :", "; true"))
    )
    return lost and not all(call.looks for call in run)


def happened(line: Line) -> bool:
    """Whether a line is what was typed, printed or run here: more than an agent's say-so. A call
    that only looks or prints runs nothing."""
    if line.letter != "T":
        return line.letter in (*PERSON, "E")
    run = commands(line.whole.partition(NOTE_MARK)[0])
    return any(not call.looks and call.program not in ("echo", "printf") for call in run)


def is_outside(step: Step) -> bool:
    """Whether a tool's words come from outside the project: the web, a forge, a server."""
    if step.tool.lower().startswith(tuple(name.lower() for name in _OUTSIDE_TOOLS)):
        return True
    return any(call.program in _OUTSIDE_PROGRAMS for call in commands(line_of(step)))


def _telling(lines: Sequence[str]) -> list[str]:
    """Of a failure's lines the ones that say most, in their order."""
    if len(lines) <= FAILURE_LINES:
        return list(lines)
    told = decisive_line("\n".join(lines))
    best = next((at for at, line in enumerate(lines) if told and told[:40] in line), 0)
    wanted = dict.fromkeys((best, best + 1, len(lines) - 1, len(lines) - 2, 0, 1))
    return [
        lines[at] for at in sorted([at for at in wanted if 0 <= at < len(lines)][:FAILURE_LINES])
    ]


def _cut(found: Sequence[tuple[str, str, str, int]]) -> list[tuple[str, str, str, int]]:
    """The agent's words to their length, and what is said again left out."""
    kept: list[tuple[str, str, str, int]] = []
    ends = {at for at in range(len(found)) if found[at][0] == "A" and _ends_turn(found, at)}
    said: set[str] = set()
    for at, (letter, shown, whole, step) in enumerate(found):
        if letter == "A":
            most = LAST_WORD if at in ends else PASSING
            if CAUSE.search(whole):
                most = max(most, REASONED)
            shown = whole if len(whole) <= most else f"{whole[:most]} …"
        elif len(whole.partition(NOTE_MARK)[0]) > len(shown):
            shown = f"{shown} …"
        if letter in ("A", "E", "X", "S"):
            key = f"{letter} {shown}"
            if key in said:
                continue
            said.add(key)
        kept.append((letter, shown, whole, step))
    return kept


def _ends_turn(found: Sequence[tuple[str, str, str, int]], at: int) -> bool:
    after = next((letter for letter, *_ in found[at + 1 :] if letter != "S"), "U")
    return after in PERSON or after in ("Q", "P")


def without(
    rendering: Rendering, given: Sequence[str], ids: Sequence[str] = (), words: int = 8
) -> Rendering:
    """The same without what would tell whoever judges that a lesson was given: calls of Tacit
    itself or that name a lesson, lines of the agent that hand a remembered lesson back (words in
    a row, or most of a line's own words in any order) or speak of notes, and in calls the parts
    that speak of notes and every message (of a commit, a pull request). All lessons count alike,
    given or not, and so do lines in which the agent came upon the same thing by itself: the arm
    decides nothing about what is shown."""
    phrases = {phrase for text in given for phrase in _phrases(text, words)}
    known = [found for text in given if (found := stems(text))]

    def told(line: Line) -> bool:
        if line.letter not in "AT":
            return False
        if _OURS.search(line.whole) or any(id in line.whole for id in ids):
            return True
        if line.letter == "T":
            return not line.text  # what the agent did is what is judged
        if not phrases.isdisjoint(_phrases(line.whole, words)):
            return True
        mine = stems(line.whole)
        return bool(_NOTES_PATTERN.search(line.whole)) or any(_most(mine, each) for each in known)

    if not given:
        return rendering
    first = rendering.lines[0].number if rendering.lines else 1

    def wordless(line: Line) -> Line:
        if line.letter != "T":
            return line
        return replace(
            line,
            text=_wordless(line.text, phrases, words),
            whole=_wordless(line.whole, phrases, words),
        )

    shown = (line for line in map(wordless, rendering.lines) if not told(line))
    # Numbered anew: a gap would say that something was taken out, and where. A quote is found by
    # its words.
    return replace(
        rendering,
        lines=tuple(replace(line, number=number) for number, line in enumerate(shown, first)),
    )


_PEER_MESSAGE = _tables.pattern("_MESSAGE")
_CLAUSE_END = re.compile(r"(?<=[.;!?])\s+|\s*(?:&&|\|\||;|⏎)\s*|\s+-{2,}\s+")


def _wordless(call: str, phrases: set[str], words: int) -> str:
    """A call without what it says: messages, and the clauses in which it speaks of notes or
    hands a lesson back. Empty if nothing is left."""
    call = _PEER_MESSAGE.sub(lambda found: f"{found['flag']}…", call)
    if not _NOTES_PATTERN.search(call) and phrases.isdisjoint(_phrases(call, words)):
        return call
    clauses = [
        each
        for each in _CLAUSE_END.split(call)
        if each and not _NOTES_PATTERN.search(each) and phrases.isdisjoint(_phrases(each, words))
    ]
    return " && ".join(clauses)


_OURS = re.compile(r"\btacit\b|mcp__tacit", re.I)
_NOTES_PATTERN = _tables.pattern("_NOTES", re.I)
_COMMON_WORDS = _tables.words("_COMMON")
# words that a line and a lesson share, and what part of the line's own they are
HANDED_BACK = ((2, 1 / 2), (3, 1 / 3))

SHORT_LINE = 5  # telling words of a line that hands a lesson back by one of its words: there is nothing else in it


def stems(text: str) -> frozenset[str]:
    """The telling words of a text, by their beginnings."""
    return frozenset(
        word[:5]
        for word in re.findall(r"[a-z0-9_]{3,}", text.casefold())
        if word not in _COMMON_WORDS
    )


def _most(line: frozenset[str], lesson: frozenset[str]) -> bool:
    shared = len(line & lesson)
    return (bool(shared) and len(line) <= SHORT_LINE) or any(
        shared >= least and shared >= part * len(line) for least, part in HANDED_BACK
    )


def _phrases(text: str, size: int) -> set[str]:
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[at : at + size]) for at in range(len(words) - size + 1)}


# What a session wrote down by itself: lines that a call added to a file which hosts load at every
# start.

# Files that hosts load at every start (every name in their registrations, which a test holds), and
# those that teams keep for the same end.
_INSTRUCTION_FILES = re.compile(
    r"(?:^|/)(?:(?:CLAUDE|AGENTS|GEMINI|MEMORY|CONVENTIONS)(?:\.local)?\.md|copilot-instructions\.md|\.cursorrules|rules/[^/]+\.mdc?)$",
    re.I,
)
_WRITTEN = (
    ("new_string", "old_string"),
    ("content", ""),
    ("contents", ""),
    ("newString", "oldString"),
    ("new_str", "old_str"),
)


def noted(step: Step) -> str:
    """What a call added to an instruction file: what the team chose to remember of this session,
    in its own words."""
    if (
        step.error
        or step.interrupted
        or not any(_INSTRUCTION_FILES.search(file) for file in step.files)
    ):
        return ""
    given = step.input or {}
    edits = [given, *(each for each in given.get("edits") or () if isinstance(each, dict))]
    found: list[str] = []
    for edit in edits:
        for new, old in _WRITTEN:
            if isinstance(edit.get(new), str):
                stood = {line.strip() for line in str(edit.get(old) or "").splitlines()}
                found += [
                    line
                    for line in edit[new].splitlines()
                    if line.strip() and line.strip() not in stood
                ]
    patch = given.get("input") if isinstance(given.get("input"), str) else ""
    found += [
        line[1:]
        for line in str(patch).splitlines()
        if line.startswith("+") and not line.startswith("+++")
    ]
    return "\n".join(found)
