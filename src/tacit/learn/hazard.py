"""What a lesson would do, in its commands and in its words: bring in, send out, loosen, sign, name an address, act unasked.

A cure is a command that an agent ran and that then worked, in two runs. Where a page told both agents to run it, the lesson outlives
the page: "running `npx evil-setup` first made it pass". So a command that installs by name or address, fetches code and runs it, sends
files away, or loosens encryption, rights or a sandbox waits for a person, whatever the evidence. What the project's own files install
(`npm ci`, `pip install -r requirements.txt`, `uv sync`) is no such thing, nor is a push to where the work came from, an address that
no program is given, or a command that the lesson forbids in so many words ("do not run `…`": nothing may stand between the two, since
"do not skip `…`" recommends it), nor a bare path that is not to be touched ("tests must not touch … (`~/.ssh/config`)").

    hazard("Tests fail; running `npm install left-pad` first made them pass.") == "installs by name: npm install left-pad"

So is what runs on another machine, takes a program, library, package or certificate from elsewhere by a variable set in front of it, runs a script that lies
outside the repository, or changes rights, a service or a check.

Not a wall against whoever may write commands; it is the list of what nobody should learn by imitation, and a list has a mesh: docs/security.md says how wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.core.tables import Tables
from tacit.guard.expressions import compiled
from tacit.learn.command import FRONT_PROGRAMS, LONGEST_LINE, Command, commands

_tables = Tables(__file__)

SHOWN_CHARS = 60  # characters of a command in a reason

# Programs that run a package by name where it is not installed; these packages a project usually has itself.
_BY_NAME = ("npx", "bunx", "uvx", "pipx", "dlx")
_RUN_BEHIND = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("dlx", "exec", "x")),
    "pipx": ("dlx", "exec", "x", "run"),
}
_USUAL_PACKAGES = _tables.words("_USUAL")
_INSTALLERS = {program: tuple(how.split()) for program, how in _tables.rows("INSTALLERS")}
_OWN_FILES = _tables.pattern("_OWN_FILES")
_WITH_VALUE = frozenset(
    "-r --requirement -c --constraint -e --editable --filter -F --prefix -C -w --workspace".split()
)
_SENDS = _tables.words("_SENDS")
_SENDING_SUB = {program: tuple(how.split()) for program, how in _tables.rows("SENDING_SUB")}
_READING_SUB = {"gh": ("list", "view"), "aws": ("ls",)}  # of the same programs, what only looks
_REMOTE_PROGRAMS = ("ssh", "autossh", "mosh", "psexec", "pdsh", "ansible", "ansible-playbook")
_CLOUDS = ("gcloud", "fly", "flyctl", "heroku", "az", "docker-machine")
_LETTER_N = re.compile(r"-(?!-)[^m]*n")  # git's short for going around hooks
_OF_OTHERS = (
    "exec",
    "x",
    "dlx",
    "init",
    "tool",
    "repo",
    "mcp",
    "plugin",
    "extension",
    "global",
    "-S",
)  # never the project's own
_LISTS = (".txt", ".toml", ".lock", ".yml", ".yaml")
_REMOTE_ADDRESS = _tables.text("ADDRESS")
_SIGNS = _tables.rows("SIGNS")
# A program with arguments: an address alone, or a prompt that holds one, is given to nothing.
_PROGRAM = re.compile(r"\s*(?:[A-Z_][A-Z0-9_]*=\S*\s+)*[a-z~./][\w~./+-]*\s+\S")
# not a user `localhost` at another host
_ON_THIS_MACHINE = re.compile(
    r"\bhttps?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::\d{1,5})?(?=[/?\s'\"]|$)"
)
_ELSEWISE = _tables.pattern("_ELSEWISE")
_FORBIDDEN = _tables.pattern("_FORBIDDEN", re.IGNORECASE)
_UNTOUCHED = _tables.pattern("_UNTOUCHED", re.IGNORECASE)
_PLACE_SHAPE = re.compile(r"://|^\S+@\S+:|^(?:\.{0,2}/|~)")
CODE_SPAN = re.compile(r"`([^`\n]{2,400})`")


def hazard(text: str) -> str:
    """Why a person should look before a lesson recommends the commands in this text; empty where none calls for it."""
    for command, before in _commands(text):
        forbidden = _FORBIDDEN.search(before) or (" " not in command and _UNTOUCHED.search(before))
        if not forbidden and (kind := hazard_of(command)):
            return f"{kind}: {command[:SHOWN_CHARS]}"
    return ""


def hazard_of(line: str) -> str:
    """What a shell line brings in, sends out or loosens, in words; empty for an ordinary one."""
    lowered = " ".join(line.lower().split())[:LONGEST_LINE]
    folded = _ON_THIS_MACHINE.sub(" ", lowered)
    if (
        folded != lowered
        and not compiled(_REMOTE_ADDRESS).search(folded)
        and not _ELSEWISE.search(line)
    ):
        folded = compiled(r"(?<![\w.-])(?:curl|wget)(?=\s)").sub(
            "ask", folded
        )  # one's own server on this machine
    # An address that no program is given, or one that is looked for.
    looks = r"(?:git )?(?:grep|rg|ag)\s[^|;&]*(?:$|\|\s?(?:grep|head|tail|wc|sort|uniq)\b[^;&]*$)"
    addressed = not _PROGRAM.match(line) or compiled(looks).match(folded) is not None
    for kind, expression in _SIGNS:
        if compiled(expression).search(folded) and not (
            addressed and expression == _REMOTE_ADDRESS
        ):
            return kind
    for call in commands(line):
        if kind := _call(call):
            return kind
    return ""


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """What stands in backticks, with what stands before it, and whole lines of a fence."""
    for found in CODE_SPAN.finditer(text):
        yield found[1], text[max(0, found.start() - 120) : found.start()]
    if "```" in text or "~~~" in text:
        inside = False
        for line in text.splitlines():
            if line.lstrip().startswith(("```", "~~~")):
                inside = not inside
            elif inside and line.strip():
                yield line.strip(), ""


def _call(call: Command) -> str:
    words = list(call.bare)
    while len(words) > 1 and words[0] in FRONT_PROGRAMS:
        words = words[1:]
    program = words[0].rsplit("/", 1)[-1].removesuffix(".exe")
    if program.startswith("python") and words[1:2] == ["-m"] and len(words) > 2:
        program, words = words[2], words[2:]
    if program == "uv" and words[1:2] == ["pip"]:
        program, words = "pip", words[1:]
    rest = words[1:]
    plain = [word for word in rest if not word.startswith("-")]
    first, second = (*plain, "", "")[:2]
    fetched = program == "go" and first == "run" and "." in second.partition("/")[0].strip(".")
    if fetched or _runs_a_stranger(program, rest, plain):
        return "runs a package by name"
    if program in _INSTALLERS and _installs(_INSTALLERS[program], rest):
        return "installs by name"
    if (program in _REMOTE_PROGRAMS and plain) or (program in _CLOUDS and "ssh" in plain):
        return "runs on another machine"
    if program == "git" and "commit" in plain and any(map(_LETTER_N.match, rest)):
        return "goes around a check"
    if program in _SENDS and program not in _SENDING_SUB:
        asks = program in ("nc", "ncat", "netcat") and any(
            "z" in word for word in rest if word[:1] == "-"
        )
        return "" if asks else "sends files away"  # … whether a port answers
    # elsewhere than to a remote that the repository knows
    pushes = (
        program == "git"
        and first == "push"
        and (any(map(_PLACE_SHAPE.search, plain[1:])) or "--mirror" in rest)
    )
    sends = first in _SENDING_SUB.get(program, ()) and second not in _READING_SUB.get(program, ())
    return "sends files away" if pushes or sends else ""


def _runs_a_stranger(program: str, rest: Sequence[str], plain: Sequence[str]) -> bool:
    behind = program in _RUN_BEHIND and plain[:1] and plain[0] in _RUN_BEHIND[program]
    if not behind and program not in _BY_NAME:
        return False
    if any(word in ("-y", "--yes", "-p", "--package", "--with", "--from") for word in rest):
        return True
    return not _USUAL_PACKAGES.issuperset(plain[1:2] if behind else plain[:1])


def _installs(verbs: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether an installer is given something by name, and not what the project's own files ask for."""
    at = next((n for n, word in enumerate(rest) if word in verbs), -1)
    if at >= 0 and rest[at] in _OF_OTHERS:
        return len(rest) > at + 1
    left = iter(rest[at + 1 :] if at >= 0 else ())
    for word in left:
        if word in _WITH_VALUE:
            next(left, "")
        elif word[:1] != "-" and not _OWN_FILES.search(word) and not word.endswith(_LISTS):
            return True
    return False


_ACT = _tables.text("_ACT")
_UNASKED = _tables.pattern("_UNASKED", re.I)
_OFFER = re.compile(rf"\b(?:offer|propose|suggest|ask) (?:whether )?to {_ACT}\b", re.I)
_HTTP_REQUEST = re.compile(r"\b(?:POST|DELETE)\s+/")  # a method of HTTP, not an order
_ASKED = _tables.pattern("_ASKED", re.I)
_MANNER = _tables.pattern("_MANNER", re.I)
_CONDITION = _tables.pattern("_CONDITION", re.I)
_FORBIDS = _tables.pattern("_FORBIDS", re.I)
_EVERY_TIME = _tables.pattern("_EVERY_TIME", re.I)


def acts_unasked(text: str) -> bool:
    """Whether a lesson tells the agent to commit, push, deploy, delete, publish or post where nobody asks for it."""
    return bool(_UNASKED.search(_bidden(_HTTP_REQUEST.sub(" ", text))))


def _bidden(text: str) -> str:
    """What is left of a text without the acts that it offers, describes, makes depend on something or forbids."""
    for pattern in (_MANNER, _OFFER, _ASKED, _CONDITION, _FORBIDS):
        text = pattern.sub(" ", text)
    return text


_FORMS = _tables.pattern("_FORMS", re.I)


def acts_in_any_form(text: str) -> bool:
    """The same of words that somebody is about to approve as an order: also as a question, or with the act as a participle."""
    return acts_unasked(text) or bool(_FORMS.search(_bidden(text)))


def is_standing_order(line: str) -> bool:
    """Whether the person's own words say that it holds every time."""
    return bool(_EVERY_TIME.search(line))
