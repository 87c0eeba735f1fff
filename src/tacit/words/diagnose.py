"""What an output says went wrong: the one grammar of errors, for the hook, for learning and for
outcomes. Hooks load it, so nothing is compiled before it is needed."""

from __future__ import annotations

import re
from functools import lru_cache

from tacit.core.programs import acting
from tacit.core.tables import Tables
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.core.run import Incident

_tables = Tables(__file__)

# families that say what does not work here
MISSING = frozenset("command usage cargo binary path github glob module script".split())
WORDLESS = "failed without a word"  # what readers of transcripts put where a call failed and printed nothing
LONGEST_OUTPUT = (
    60_000  # characters of one output that are read: errors stand near its start or its end
)
_MOST = 24  # diagnoses of one output; more of them are one broken state
NAME = 60  # a longer name is no identifier
_WORDS = 8  # nor is one of more words: a sentence without its spaces
# natures of the work in hand and of the host's own protocol: nobody is told of them
OF_NO_LESSON = ("wip", "work", "host")

_ANSI_CODES = r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
_IDENTIFIER = r"[\w@.][\w@.:/+*#-]*|--?[\w][\w-]*"


@value
class Diagnosis:
    """One thing that went wrong, as far as a known form says so."""

    # lint, format, hook, types, compile, test, exception, command, usage, script, module, path,
    # package, network … text
    family: str
    code: str = ""  # what the tool calls it: wrapcheck, TS2345, ERR_PNPM_NO_SCRIPT; empty where it has no name for it
    name: str = (
        ""  # what it is about: the command, option, script, module or path that is not there
    )
    nature: str = "other"
    tool: str = ""  # who prints this form: golangci-lint, eslint, git …; empty where several do
    path: str = ""  # the file that it names
    line: str = ""  # of family text: the telling line, masked

    @property
    def mark(self) -> str:
        """The signature: equal for equal problems."""
        return (
            self.line
            if self.family == "text"
            else " ".join(filter(None, (self.family, self.code, self.name)))
        )

    @property
    def coded(self) -> bool:
        """Whether its form alone shows a failure, also where the exit status does not."""
        return self.family in CODED

    @property
    def said(self) -> str:
        """The diagnosis in our own words; empty for a line that no form recognised."""
        words = (
            _DIAGNOSIS_TEXTS.get((self.family, self.code))
            or _DIAGNOSIS_TEXTS.get((self.family, ""))
            or ""
        )
        if words and (self.name or "{name}" not in words):
            return words.format(code=self.code, name=self.name, tool=self.tool)
        return f"{self.tool} {self.code}".strip() if self.code else ""


def said_of(of: Incident) -> str:
    """A failure in our own words; empty where there are none."""
    return Diagnosis(of.family, of.code, of.name, of.nature, of.tool).said


def is_news(of: Incident) -> bool:
    """Whether a failure that came back is worth a person's glance: a line that no form
    recognises is a runner's last word, or the echo of a command, and whoever looks for a file
    may find none."""
    return bool(said_of(of)) and (of.family != "path" or bool(acting(of.program)))


def diagnose(output: str, folder: str = "") -> tuple[Diagnosis, ...]:
    """Everything an output says went wrong, in the order of its lines, each problem once; the
    masked line where no form fits.

    Paths below `folder` are read as the project's own.
    """
    text = clean(output, folder)
    found = _recognised(text)
    if not found:
        from tacit.words.signature import signature

        line = signature(text)
        return (Diagnosis("text", line=line),) if line and line != WORDLESS else ()
    return found


def recognise(
    output: str, folder: str = "", families: frozenset[str] | None = None
) -> tuple[Diagnosis, ...]:
    """The same, but only what a known form says; of some families, where others are not asked
    for."""
    return _recognised(clean(output, folder), families)


def signatures(output: str, folder: str = "") -> tuple[str, ...]:
    """All signatures of an output, and that of its telling line: what to look lessons up with."""
    from tacit.words.signature import signature

    text = clean(output, folder)
    marks = (*(each.mark for each in _recognised(text)), signature(text))
    return tuple(dict.fromkeys(mark for mark in marks if mark))


def clean(output: str, folder: str = "") -> str:
    """An output as it is read: without colours, overwritten progress lines and the middle of a
    very long one."""
    text = (
        output
        if len(output) <= LONGEST_OUTPUT
        else output[: LONGEST_OUTPUT // 2] + "\n" + output[-LONGEST_OUTPUT // 2 :]
    )
    if "\x1b" in text:
        text = re.sub(_ANSI_CODES, "", text)
    if "\r" in text:
        text = "\n".join(
            line.rsplit("\r", 1)[-1] for line in text.replace("\r\n", "\n").split("\n")
        )
    return text.replace(folder.rstrip("/") + "/", "") if len(folder) > 1 else text


def _recognised(text: str, families: frozenset[str] | None = None) -> tuple[Diagnosis, ...]:
    found: dict[str, tuple[int, Diagnosis]] = {}
    taken: set[int] = (
        set()
    )  # lines that a form has read: a later, more general form does not read them again
    folded = text.lower()
    for form in _forms():
        if families is not None and form.family not in families and form.family != "wrapper":
            continue  # what a wrapper says is read in any case, so that no other form takes it for a finding
        if not any(needle in folded for needle in form.needles):
            continue
        for match in form.pattern.finditer(text):
            at = (
                text.rfind(
                    "\n", 0, match.start("at") if "at" in form.pattern.groupindex else match.end()
                )
                + 1
            )
            if at in taken:
                continue
            one = _diagnosis(form, match)
            if one is None:
                continue
            taken.add(at)
            if one.mark not in found:
                found[one.mark] = (at, one)
            if len(found) >= _MOST:
                break
    # that a wrapper failed too says nothing
    some = [
        one
        for _, one in sorted(found.values(), key=lambda pair: pair[0])
        if one.family != "wrapper"
    ]
    reason = any(one.family in _REASONS or one.code == _NO_REMOTE for one in some)
    return tuple(one for one in some if not (reason and one.code == _UNREAD))


def _diagnosis(form: _Form, match: re.Match[str]) -> Diagnosis | None:
    parts = match.groupdict()
    code, name, path = (parts.get(key) or "" for key in ("code", "name", "path"))
    name = name or parts.get("other") or ""
    name = name.strip("'\"`‘’“” ,;")
    if form.family == "path" and not (name := _inside(name)):
        return Diagnosis(
            "path", "elsewhere", "", "other"
        )  # of this machine, or of the moment: counted, never told
    if is_sentence(code):
        return None
    if name and (
        len(name) > NAME
        or not re.fullmatch(_IDENTIFIER, name)
        or ("/" not in name and is_sentence(name))
    ):
        if form.code == "option" and not name.startswith("-"):
            return Diagnosis("usage", "argument", "", form.nature)
        if form.needs_name:
            return None
        name = ""
    nature = form.nature
    if path and form.family != "glob" and (foreign := _foreign(path, form.family)):
        return Diagnosis(
            "foreign", "", foreign, "env", "", path
        )  # whatever it is, it is not this project's to mend
    if form.family == "module" and name.startswith("."):
        nature = "wip"  # a file of the work itself
    if form.code == "option":
        # cat: illegal option -- A
        name = name if name.startswith("-") or len(name) > 1 else "-" + name
        if not name.startswith("-"):
            return Diagnosis(
                "usage", "argument", "", nature
            )  # which one it was belongs to the moment
    return Diagnosis(form.family, code or form.code, name, nature, form.tool, path)


def is_sentence(name: str) -> bool:
    """Whether a class, a rule or a name is prose whose words were pushed together: whoever
    writes an error chooses it."""
    return len(name) > NAME or len(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)) > _WORDS


def _foreign(path: str, family: str) -> str:
    """The folder of somebody else's code that a path lies in; empty where it is the project's own.

    A package that another package does not find is missing all the same.
    """
    folders = _COPIES if family == "module" else f"{_COPIES}|{_PACKAGES}"
    found = re.match(rf"(?!/)((?:[^/\n]+/)*?(?:{folders}))/", path.removeprefix("./"))
    return found[1] if found and len(found[1]) <= NAME else ""


def _inside(path: str) -> str:
    """A path as the project sees it: relative, without what belongs to this machine; empty where
    it cannot be."""
    plain = path.removeprefix("./").rstrip("/")
    return "" if plain.startswith(("/", "~", "$", "..")) or plain.isdigit() else plain


# --- the forms


class _Form:
    """One form that a tool prints, and what it means: its family and, where one alone prints it,
    the tool. `needles` are looked for first: most outputs hold none."""

    __slots__ = ("_compiled", "_source", "code", "family", "nature", "needles", "tool")

    _compiled: re.Pattern[str] | None

    def __init__(self, head: str, needles: str, pattern: str, code: str = "") -> None:
        self.family, _, tool = head.partition(" ")
        self.tool, self.code = tool or _TOOLS.get(self.family, ""), code
        self.nature = "wip" if code == _CONFLICT else _NATURES[self.family]
        self.needles = tuple(needles.split("|"))
        self._source, self._compiled = pattern, None

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when an output holds a needle: all of them together cost a hook more than the
        rest of its work."""
        if self._compiled is None:
            self._compiled = re.compile(self._source, re.M)
        return self._compiled

    @property
    def needs_name(self) -> bool:
        """Whether the form says nothing without its name."""
        return "(?P<name>" in self._source and self.family in _NAMED


def _plain(head: str, text: str, code: str = "") -> _Form:
    """A text that says it as it stands."""
    return _Form(head, text.lower(), text, code or text)


# what a recurrence is worth: convention, gate, env and git may be told, wip is the work in hand
_NATURES = {
    family: nature
    for nature, families in (
        ("convention", "lint format commit"),
        ("wip", "types compile test exception"),
        ("env", "command usage script cargo version module package github http network port"),
        ("env", "docker binary disk database glob path rights"),
        ("gate", "wrapper hook"),
        ("git", "git lock"),
    )
    for family in families.split()
}
_TOOLS = {"git": "git", "lock": "git", "github": "gh"}
_CONFLICT = "merge conflict"
_UNREAD, _NO_REMOTE = "remote cannot be read", "no such remote"
# why a remote cannot be read: git says that too, and it is one failure
_REASONS = frozenset("network rights http".split())
_NAMED = frozenset("command usage script module path database".split())
CODED = frozenset(
    "lint format types compile hook command usage script module package commit lock test foreign cargo".split()
)
_DIAGNOSIS_TEXTS = {(family, code): said for family, code, said in _tables.rows("SAID")}

# Code that lies in the project and is somebody else's: copies of other projects, what a program put
# into a folder for the moment, and packages.
_COPIES = r"(?:tmp|temp|\.cache)(?:/(?:clones?|repos|checkouts))?|clones|third[_-]party"
_PACKAGES = r"node_modules|bower_components|vendor|Pods|site-packages|dist-packages|\.?venv"
_FILE = r"(?P<path>[\w@~./\\+-]+\.\w{1,8})"
_GO_AT = r"^\s*(?:\[[\w:-]+\] )?(?P<path>[\w./-]+\.go):\d+(?::\d+)?: "
_PY_AT = r"^\s*(?P<path>[\w./-]+\.pyi?):\d+:\d+:"
_QUOTED = r"[`'\"‘“]?(?P<name>[^\s`'\"’”]+)[`'\"’”]?"


@lru_cache(maxsize=1)
def _forms() -> tuple[_Form, ...]:
    """Codes before names before general words: a line is read by the first form that fits it."""
    form, plain = _Form, _plain
    return (
        form(
            "lint gosec",
            "g1|g2|g3|g4|g5|g6|g7",
            rf"^\s*{_FILE}:\d+(?::\d+)?:? (?P<code>G[1-7]\d\d)\b",
        ),
        form(
            "types",
            "(typecheck)",
            rf"^\s*(?:\[[\w:-]+\] )?{_FILE}:\d+(?::\d+)?: .*\((?P<code>typecheck)\)\s*$",
        ),
        form(
            "format golangci-lint",
            "(gofmt)|(goimports)|(gci)|(gofumpt)|(golines)",
            rf"^\s*(?:\[[\w:-]+\] )?{_FILE}:\d+(?::\d+)?: .*\((?P<code>gofmt|goimports|gci"
            r"|gofumpt|golines)\)\s*$",
        ),
        form(
            "lint golangci-lint", "(gosec)", rf"{_GO_AT}.*?\b(?P<code>G[1-7]\d\d): .*\(gosec\)\s*$"
        ),
        form("lint golangci-lint", ".go:", rf"{_GO_AT}.* \((?P<code>[a-z][a-z0-9]{{2,24}})\)\s*$"),
        form("format biome", "━━━", r"^\s*(?:at )?(?P<path>[^\s:]+) format ━", "biome"),
        form(
            "lint biome",
            "lint/|assist/",
            r"^\s*(?P<path>[^\s:]+)?(?::\d+:\d+)? ?(?:lint"
            r"|assist)/(?P<code>[a-z0-9]+/[A-Za-z0-9/]+)(?=[\s━]|$)",
        ),
        form(
            "lint eslint",
            " error|\terror",
            r"^\s+\d+:\d+\s+(?:error)\s+.+?\s{2,}(?P<code>@?[a-z][\w-]*(?:/[\w/-]+)?)\s*$",
        ),
        form(
            "lint markdownlint",
            "md0",
            r"(?:^|\s)(?P<path>[\w./-]+\.mdx?):\d+(?::\d+)?(?: error)? (?P<code>MD0\d\d)\b",
        ),
        form("lint shellcheck", "sc1|sc2|sc3", r"(?<![=,\w-])(?P<code>SC[123]\d{3})\b"),
        form("lint hadolint", "dl3|dl4", r"(?<![=,\w-])(?P<code>DL[34]\d{3})\b"),
        form("lint clippy", "clippy::", r"clippy::(?P<code>[a-z][a-z_-]+)\b(?!\w)"),
        form(
            "lint rubocop",
            ".rb:",
            rf"^{_FILE}:\d+:\d+: [CWEF]: (?:\[\w+\] )?(?P<code>[A-Z]\w+/\w+)",
        ),
        form("lint pylint", ".py:", rf"{_PY_AT} (?P<code>[CRWEF]\d{{4}}): "),
        form("lint ruff", ".py:", rf"{_PY_AT}? (?P<code>[A-Z]{{1,4}}\d{{3,4}})\b"),
        form(
            "lint ruff",
            "--> ",
            r"^(?P<code>[A-Z]{1,4}\d{3,4}) " r"(?:\[\*\] )?.+\n\s*--> (?P<path>[\w./-]+\.pyi?):\d+",
        ),
        form(
            "lint swiftlint",
            ".swift:",
            rf"^{_FILE}:\d+:\d+: (?:error|warning): .+\((?P<code>[a-z_]+)\)\s*$",
        ),
        form("lint ktlint", ".kt:", rf"^{_FILE}:\d+:\d+: .+\((?P<code>[\w-]+:[\w-]+)\)\s*$"),
        form("commit commitlint", "✖", r"^\s*✖\s+.+\[(?P<code>[a-z]+-[a-z-]+)\]\s*$"),
        form("format prettier", "code style issues", "Code style issues (?:found )?in", "prettier"),
        form(
            "format formatter",
            "would reformat",
            r"^(?:W|w)ould reformat:? (?P<path>\S+)",
            "formatter",
        ),
        form(
            "format rustfmt",
            "diff in ",
            r"^Diff in (?P<path>\S+?\.rs)(?: at line |:)\d+",
            "rustfmt",
        ),
        form(
            "format formatter",
            "not formatted",
            r"(?i)\b(?:files?|code) (?:is|are|were) not (?:properly )?formatted",
            "formatter",
        ),
        form("types", "error ts", rf"^{_FILE}[:(]\d+[,:]\d+\)?:? (?:- )?error (?P<code>TS\d+)"),
        form("types", "error ts", r"\berror (?P<code>TS\d{3,5}):"),
        form(
            "types mypy", ": error: ", rf"^{_FILE}:\d+(?::\d+)?: error: .+\[(?P<code>[a-z-]+)\]\s*$"
        ),
        form(
            "types pyright", "(report", rf"^\s*{_FILE}:\d+:\d+ - error: .+\((?P<code>report\w+)\)"
        ),
        form("compile rustc", "error[e", r"^\s*error\[(?P<code>E\d{4})\]"),
        form("compile csc", "error cs", r"\berror (?P<code>CS\d{4}):"),
        form(
            "compile",
            ".go:",
            r"^\s*(?P<path>[\w./-]+\.go):\d+:\d+: (?:(?P<code>undefined|syntax error"
            "|too many arguments|not enough arguments|missing return"
            r"|declared and not used|imported and not used)\b|cannot use |\S+ "
            "(?:redeclared|undefined|declared and not used)|unknown field|undefined: "
            r"|assignment mismatch|invalid operation|\"[^\"]+\" imported and not used)",
            "go",
        ),
        form(
            "compile",
            ": error: |: fatal error: ",
            rf"^{_FILE}:\d+(?::\d+)?: (?:fatal )?error: ",
            "c",
        ),
        form("command", "command not found", r"command not found: (?P<name>[\w.@/+-]+)\s*$"),
        form(
            "command",
            "not found",
            r"^(?:\S*sh|\S*bash|\(eval\))?:? ?(?:line )?(?:\d+: )?(?P<name>[\w.@/+-]+): "
            r"(?:command )?not found\s*$",
        ),
        form(
            "command",
            "env: ",
            r"^(?:/usr/bin/)?env: [‘'\"]?(?P<name>[\w.+-]+)[’'\"]?: No such file or" " directory",
        ),
        form(
            "command",
            "is not recognized",
            r"'?(?P<name>[\w.-]+)'? is not recognized as (?:an internal|a name of" "|the name of)",
        ),
        form(
            "command",
            "executable file not found",
            r"\"(?P<name>[\w.-]+)\": executable file not found",
        ),
        form(
            "command",
            "failed to spawn|could not find executable",
            f"(?i)(?:failed to spawn|could not find executable):? {_QUOTED}",
        ),
        form(
            "usage",
            "subcommand",
            f"(?:unrecognized|unknown|invalid|no such) subcommand:? {_QUOTED}",
            "subcommand",
        ),
        form(
            "usage",
            "command",
            rf"(?i)\b(?:unknown|no such|unrecognized|invalid) command:? {_QUOTED}",
            "subcommand",
        ),
        form(
            "usage",
            "is not a",
            rf"{_QUOTED} is not an? (?:\w+ )?(?:command|subcommand)\b",
            "subcommand",
        ),
        form("usage", "unexpected argument", f"unexpected argument {_QUOTED} found", "option"),
        form(
            "usage",
            "option|flag|argument",
            r"(?i)\b(?:unknown|illegal|invalid|unrecogni[sz]ed|no such) (?:shorthand )?"
            r"(?:option|flag|arguments?)s?(?: --|:)? [`'\"]?(?P<name>-{0,2}\w[\w-]*)[`'\"]?",
            "option",
        ),
        form(
            "usage",
            "flag provided but not defined",
            r"flag provided but not defined: (?P<name>-\S+)",
            "option",
        ),
        form("usage", "unknown json field", f"Unknown JSON field: {_QUOTED}", "field"),
        form("usage", "doesn't exist on type", f"Field {_QUOTED} doesn't exist on type", "field"),
        form(
            "script",
            "script",
            "(?i)(?:missing script:?|script not found)"
            r" [`'\"]?(?P<name>[\w:@/-]+)[`'\"]?\s*$"
            r"|script [`'\"](?P<other>[\w:@/-]+)[`'\"] not found",
        ),
        form(
            "script pnpm",
            "_no_script",
            r"ERR_PNPM_\w*NO_SCRIPT\b.*? has an? [\"'](?P<name>[\w:@/-]+)[\"'] script",
        ),
        form("script make", "no rule to make target", f"No rule to make target {_QUOTED}"),
        form(
            "script task", "no task|no tasks", f"(?i)no tasks? (?:named )?{_QUOTED} (?:was )?found"
        ),
        form("script just", "recipe", f"does not contain recipe {_QUOTED}"),
        form("cargo", "no library targets", "no library targets found", "no library target"),
        form(
            "cargo", "target", "no (?P<name>bin|test|example|bench) target named", "no such target"
        ),
        form(
            "cargo",
            "package id|packages matched|did not match any packages",
            "package ID specification .+ did not match any packages",
            "no such package",
        ),
        plain("cargo", "failed to verify manifest", "manifest not complete"),
        form("version", "node:", r"[Cc]annot find module ['\"]node:[\w/]+['\"]", "Node.js"),
        form("version", "engine", r"The engine [\"']node[\"'] is incompatible", "Node.js"),
        form("version", "requires go", r"go\.mod requires go >= ?[\d.]+ \(running go", "Go"),
        form("version", "requires rustc", r"requires rustc [\d.]+ or newer", "rustc"),
        form("version", "different python", "requires a different Python", "Python"),
        form("module python", "modulenotfounderror|no module named", f"No module named {_QUOTED}"),
        form(
            "module node",
            "cannot find",
            f"(?i)cannot find (?:module|package) {_QUOTED}(?: "
            r"(?:imported )?from ['\"]?(?P<path>[^'\"\s]+))?",
        ),
        form(
            "module bundler",
            "could not resolve",
            r"[Cc]ould not resolve (?:import )?\"(?P<name>[^\"\s]+)\""
            r"(?: from \"(?P<path>[^\"\s]+))?",
        ),
        form("module go", "provides package", r"provides package (?P<name>[\w./-]+)"),
        form(
            "wrapper",
            "_first_fail|elifecycle",
            r"\b(?P<code>ERR_PNPM_RECURSIVE_(?:RUN|EXEC)_FIRST_FAIL|ELIFECYCLE)\b",
        ),
        form("package pnpm", "err_pnpm_", r"\b(?P<code>ERR_PNPM_[A-Z_]+)\b"),
        form(
            "package npm",
            "npm err",
            r"npm (?:ERR!|error) code (?!ELIFECYCLE|1\b)(?P<code>E[A-Z0-9]+)",
        ),
        form("package yarn", "yn00", r"\b(?P<code>YN00\d\d)\b.*(?:error|fail|can't|could)"),
        form("package pip", "externally-managed", "(?P<code>externally-managed-environment)"),
        form(
            "package pip",
            "could not find a version",
            r"Could not find a version that satisfies the requirement (?P<name>[\w.-]+)",
            "no such version",
        ),
        form("package uv", "no solution found", "No solution found when resolving", "no solution"),
        form(
            "package",
            "lockfile",
            "(?i)lockfile (?:had changes|is (?:out of date|not up to date)|needs to be updated)",
            "lockfile out of date",
        ),
        form("lock", "index.lock", r"index\.lock': File exists", "index.lock"),
        form(
            "git",
            "[rejected]|[remote rejected]",
            r"! \[(?:remote )?rejected\].*\((?P<code>non-fast-forward|fetch first"
            r"|stale info|protected branch[^)]*|pre-receive hook declined)\)",
        ),
        form("git", "conflict (", r"^CONFLICT \([\w/ ]+\)", "merge conflict"),
        plain("git", "not a git repository"),
        form(
            "git",
            "did not match any file",
            "pathspec '[^']*' did not match any file",
            "pathspec matches nothing",
        ),
        form("git", "no upstream branch", "has no upstream branch", "no upstream branch"),
        form(
            "git",
            "would be overwritten",
            "would be overwritten by (?:merge|checkout|pull)",
            "local changes would be overwritten",
        ),
        form(
            "git",
            "nothing to commit|nothing added to commit|no changes added to commit",
            "^(?:nothing to commit|nothing added to commit|no changes added to commit)",
            "nothing to commit",
        ),
        form(
            "git",
            "already used by worktree|already checked out",
            "is already (?:used by worktree|checked out) at",
            "branch is in use by a worktree",
        ),
        form(
            "git",
            "unstaged changes|uncommitted changes",
            "(?i)(?:have|contains|with) (?:unstaged|uncommitted) changes",
            "uncommitted changes",
        ),
        form(
            "git",
            "ambiguous argument|bad revision|unknown revision|couldn't find remote ref"
            "|invalid reference",
            "ambiguous argument|bad revision|unknown revision|couldn't find remote ref"
            "|invalid reference",
            "no such revision",
        ),
        form(
            "git",
            "already exists",
            "^fatal: (?:a branch named )?'[^']+' already exists",
            "already exists",
        ),
        form(
            "git",
            "does not appear to be a git repository",
            r"'[^'\n]+' does not appear to be a git repository",
            "no such remote",
        ),
        form(
            "git",
            "signing failed|failed to sign",
            "signing failed|failed to sign",
            "signing failed",
        ),
        form("github", "could not resolve to a", r"Could not resolve to an? (?P<code>\w+)"),
        form(
            "github",
            "still in progress",
            r"run \d+ is still in progress; logs",
            "logs of a running workflow",
        ),
        form(
            "github",
            "gh auth login|bad credentials",
            "gh auth login|Bad credentials",
            "not logged in",
        ),
        form(
            "http",
            "http",
            r"\bHTTP(?:/\d(?:\.\d)?)?(?: Error| status| code)?:? (?P<code>4\d\d|5\d\d)\b",
        ),
        form("http", "status code", r"(?i)\bstatus code:? (?P<code>4\d\d|5\d\d)\b"),
        form(
            "network",
            "no such host|could not resolve host|enotfound|temporary failure in name",
            "(?i:no such host|could not resolve host"
            r"|temporary failure in name resolution)|\bENOTFOUND\b",
            "host not found",
        ),
        form(
            "network",
            "connection refused|econnrefused",
            r"(?i:connection refused)|\bECONNREFUSED\b",
            "connection refused",
        ),
        form(
            "network",
            "etimedout|connection timed out|i/o timeout",
            r"\bETIMEDOUT\b|(?i:connection timed out|i/o timeout)",
            "timed out",
        ),
        form(
            "port",
            "eaddrinuse|address already in use",
            r"\bEADDRINUSE\b|(?i:address already in use)",
            "in use",
        ),
        form("docker", "docker daemon", "(?i)connect to the docker daemon", "no daemon"),
        form("binary", "exec format error", "(?i)exec format error", "exec format error"),
        form("disk", "enospc|no space left", r"\bENOSPC\b|[Nn]o space left on device", "full"),
        form("database", "no such table", f"no such table: {_QUOTED}", "table"),
        form(
            "database",
            "does not exist",
            r"(?P<code>relation|column|database|role) \"(?P<name>\w+)\" does not exist",
        ),
        form("database", "no such column", f"no such column: {_QUOTED}", "column"),
        form("glob zsh", "no matches found", r"no matches found: (?P<path>\S+)", "no match"),
        form("test", "--- fail", r"^\s*--- FAIL: ", "go"),
        form("test", "failed ", r"^FAILED \S+::", "pytest"),
        form("test", "... failed", r"^test .+ \.\.\. FAILED", "cargo"),
        form("test", "(fail)", r"^\s*\(fail\) ", "bun"),
        form("test", "✗|✕|× ", r"^\s*(?:[✗✕] .+|× .+ \d+ms)$", "js"),
        form(
            "test",
            "fail |fail\t|fail\n|fail\r",
            r"^\s*FAIL\s+\S+\.(?:[cm]?[jt]sx?|vue|svelte)\b",
            "js",
        ),
        form("test", "●", r"^\s*● .+ › ", "js"),
        form("test", "fail\t|fail ", r"^FAIL\s+\S+", "go"),
        form("test", "panicked at", "panicked at ", "cargo"),
        form(
            "path",
            "enoent|filenotfounderror|no such file",
            r"(?:ENOENT: no such file or directory, \w+ |FileNotFoundError: "
            r".*?: )'(?P<name>[^'\n]+)'",
        ),
        form("path", "no such file", r"(?:^|: )no such file or directory: (?P<name>\S+)\s*$"),
        form(
            "path",
            "no such file",
            r"(?:^|[\s'])(?P<name>[\w@./~][\w@./+*-]*)'?: (?:"
            r"(?:IO error for operation on \S+: )?No such file or directory|No such file)\b",
        ),
        form(
            "path",
            "path does not exist|file does not exist",
            r"(?:Path|File) does not exist:? (?P<name>\S+)",
        ),
        form(
            "exception",
            "error",
            r"^(?:E\s+|Output: )?(?:\s*\W?(?:Uncaught |Unhandled )?)(?P<code>"
            r"(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))(?: \[\w+\])?(?::|$)",
        ),
        form("exception", "panic:", "^panic: (?P<code>runtime error)?", "panic"),
        form(
            "rights",
            "permission denied|eacces|operation not permitted|eperm",
            r"(?i:permission denied|operation not permitted)|\bEACCES\b|\bEPERM\b",
            "denied",
        ),
        form(
            "git",
            "could not read from remote",
            "Could not read from remote repository",
            "remote cannot be read",
        ),
        form(
            "hook",
            "hook|husky",
            r"(?i)(?:husky - |lefthook.*)?\b(?P<code>pre-commit|commit-msg|pre-push"
            r"|pre-receive)\b(?: script| hook)?[^\n]{0,40}?(?:failed|exited with)",
        ),
        form(
            "wrapper",
            "exited with code|task failed|error 1|error 2|exit status|without a word",
            r"(?i)failed without a word|exited with code \d+|task failed|^make"
            r"(?:\[\d+\])?: \*\*\* .*Error \d+|exit status \d+",
        ),
    )


def recognised(of: Incident) -> str:
    """A failure as it was recognised, in our own words; its masked form where there are none. Never a quote."""
    said = said_of(of) or f"“{of.mark}”, masked"
    return f"`{of.program}`: {said}" if of.program else said
