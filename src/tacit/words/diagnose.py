"""What an output says went wrong: the one grammar of errors, for the hook, for learning, for
lookback and for outcomes.

An output is read for forms that tools are known to print: a linter's rule (`(wrapcheck)`, `F401`,
`lint/style/useConst`), a compiler's code (`TS2345`, `error[E0502]`), a package manager's
(`ERR_PNPM_OUTDATED_LOCKFILE`), a command, option, script, module or path that is not there, what
git and a server refuse. Each becomes a `Diagnosis`: family, code, and the name it is about where
that is an identifier. Only where no form fits does the masked telling line stand for the error.

`mark` is the signature: equal for equal problems, whatever file, line, folder or number they come
with. `said` puts a diagnosis in our own words over the recognised parts alone, so that no sentence
of a tool's output is ever repeated.

The nature says what a recurrence is worth. *convention* (linters, formatters, commit rules), *gate*
(a hook or task of the project that says no), *env* (what is missing or different around the work)
and *git* may be told; *wip* (compile errors and tests of what is being written) is counted and
never told; *host* is the agent program's own protocol; *other* is all the rest.

Standard library only, and nothing is compiled before it is needed: hooks load this module.
"""

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

TELLABLE = ("convention", "gate", "env", "git")
# families that say what does not work here
MISSING = frozenset("command usage cargo binary path github glob module script".split())
NOT_HERE = "not here"  # their common signature
WORDLESS = "failed without a word"  # what readers of transcripts put where a call failed and printed nothing
LONGEST_OUTPUT = (
    60_000  # characters of one output that are read: errors stand near its start or its end
)
_MOST = 24  # diagnoses of one output; more of them are one broken state
NAME = 60  # a longer name is no identifier
_WORDS = 8  # nor is one of more words: a sentence without its spaces
OF_NO_LESSON = (
    "wip",
    "work",
    "host",
)  # natures of the work in hand and of the host's own protocol: nobody is told of them
LONGEST_SAID = 110  # characters; a class or rule whose name is longer is a sentence in disguise

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
    def group(self) -> str:
        """What it is told together with, as a signature of its own: one linter's rules, or all
        that is not there; else empty."""
        if self.nature == "convention":
            return f"lint by {self.tool}" if self.tool else ""
        return NOT_HERE if self.family in MISSING else ""

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


def in_our_words(output: str, folder: str = "") -> str:
    """What the first known form says, in our own words; empty where none fits, or where its name
    is too long to be one."""
    return next(
        (
            one.said
            for one in recognise(output, folder)
            if one.said and len(one.said) <= LONGEST_SAID
        ),
        "",
    )


def signatures(output: str, folder: str = "") -> tuple[str, ...]:
    """All signatures of an output, also those of the tools that group them and of its telling
    line: what to look lessons up with."""
    from tacit.words.signature import signature

    text = clean(output, folder)
    found = _recognised(text)
    marks = (
        [each.mark for each in found]
        + [each.group for each in found if each.group]
        + [signature(text)]
    )
    return tuple(dict.fromkeys(mark for mark in marks if mark))


def told_of(signature: str, tags: tuple[str, ...]) -> tuple[str, ...]:
    """The signatures that a lesson is about: of a group those that it names, else its own."""
    is_group = signature == NOT_HERE or signature.startswith("lint by ")
    return tuple(tag for tag in tags if " " in tag) if is_group else (signature,)


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
        name = (
            name if name.startswith("-") or len(name) > 1 else "-" + name
        )  # cat: illegal option -- A
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
    """One form that a tool prints, and what it means. `needles` are looked for first: most
    outputs hold none."""

    __slots__ = ("_compiled", "_source", "code", "family", "nature", "needles", "tool")

    _compiled: re.Pattern[str] | None

    def __init__(
        self, family: str, nature: str, needles: str, pattern: str, code: str = "", tool: str = ""
    ) -> None:
        self.family, self.nature, self.code, self.tool = family, nature, code, tool
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
_FILE_PATTERN = r"(?P<path>[\w@~./\\+-]+\.\w{1,8})"


@lru_cache(maxsize=1)
def _forms() -> tuple[_Form, ...]:
    """Codes before names before general words: a line is read by the first form that fits it."""
    convention, env, git, wip, gate = "convention", "env", "git", "wip", "gate"
    quoted = r"[`'\"‘“]?(?P<name>[^\s`'\"’”]+)[`'\"’”]?"
    return (
        # linters and formatters
        _Form(
            "lint",
            convention,
            "g1|g2|g3|g4|g5|g6|g7",
            rf"^\s*{_FILE_PATTERN}:\d+(?::\d+)?:? (?P<code>G[1-7]\d\d)\b",
            tool="gosec",
        ),
        _Form(
            "types",
            wip,
            "(typecheck)",
            rf"^\s*(?:\[[\w:-]+\] )?{_FILE_PATTERN}:\d+(?::\d+)?: .*\((?P<code>typecheck)\)\s*$",
        ),
        _Form(
            "format",
            convention,
            "(gofmt)|(goimports)|(gci)|(gofumpt)|(golines)",
            rf"^\s*(?:\[[\w:-]+\] )?{_FILE_PATTERN}:\d+(?::\d+)?: .*\((?P<code>gofmt|goimports|gci|gofumpt|golines)\)\s*$",
            tool="golangci-lint",
        ),
        _Form(
            "lint",
            convention,
            "(gosec)",
            r"^\s*(?:\[[\w:-]+\] )?(?P<path>[\w./-]+\.go):\d+(?::\d+)?: .*?\b(?P<code>G[1-7]\d\d): .*\(gosec\)\s*$",
            tool="golangci-lint",
        ),
        _Form(
            "lint",
            convention,
            ".go:",
            r"^\s*(?:\[[\w:-]+\] )?(?P<path>[\w./-]+\.go):\d+(?::\d+)?: .* \((?P<code>[a-z][a-z0-9]{2,24})\)\s*$",
            tool="golangci-lint",
        ),
        _Form(
            "format",
            convention,
            "━━━",
            r"^\s*(?:at )?(?P<path>[^\s:]+) format ━",
            code="biome",
            tool="biome",
        ),
        _Form(
            "lint",
            convention,
            "lint/|assist/",
            r"^\s*(?P<path>[^\s:]+)?(?::\d+:\d+)? ?(?:lint|assist)/(?P<code>[a-z0-9]+/[A-Za-z0-9/]+)(?=[\s━]|$)",
            tool="biome",
        ),
        _Form(
            "lint",
            convention,
            " error|\terror",
            r"^\s+\d+:\d+\s+(?:error)\s+.+?\s{2,}(?P<code>@?[a-z][\w-]*(?:/[\w/-]+)?)\s*$",
            tool="eslint",
        ),
        _Form(
            "lint",
            convention,
            "md0",
            r"(?:^|\s)(?P<path>[\w./-]+\.mdx?):\d+(?::\d+)?(?: error)? (?P<code>MD0\d\d)\b",
            tool="markdownlint",
        ),
        _Form(
            "lint",
            convention,
            "sc1|sc2|sc3",
            r"(?<![=,\w-])(?P<code>SC[123]\d{3})\b",
            tool="shellcheck",
        ),
        _Form(
            "lint", convention, "dl3|dl4", r"(?<![=,\w-])(?P<code>DL[34]\d{3})\b", tool="hadolint"
        ),
        _Form(
            "lint",
            convention,
            "clippy::",
            r"clippy::(?P<code>[a-z][a-z_-]+)\b(?!\w)",
            tool="clippy",
        ),
        _Form(
            "lint",
            convention,
            ".rb:",
            rf"^{_FILE_PATTERN}:\d+:\d+: [CWEF]: (?:\[\w+\] )?(?P<code>[A-Z]\w+/\w+)",
            tool="rubocop",
        ),
        _Form(
            "lint",
            convention,
            ".py:",
            r"^\s*(?P<path>[\w./-]+\.pyi?):\d+:\d+: (?P<code>[CRWEF]\d{4}): ",
            tool="pylint",
        ),
        _Form(
            "lint",
            convention,
            ".py:",
            r"^\s*(?P<path>[\w./-]+\.pyi?):\d+:\d+:? (?P<code>[A-Z]{1,4}\d{3,4})\b",
            tool="ruff",
        ),
        _Form(
            "lint",
            convention,
            "--> ",
            r"^(?P<code>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?.+\n\s*--> (?P<path>[\w./-]+\.pyi?):\d+",
            tool="ruff",
        ),
        _Form(
            "lint",
            convention,
            ".swift:",
            rf"^{_FILE_PATTERN}:\d+:\d+: (?:error|warning): .+\((?P<code>[a-z_]+)\)\s*$",
            tool="swiftlint",
        ),
        _Form(
            "lint",
            convention,
            ".kt:",
            rf"^{_FILE_PATTERN}:\d+:\d+: .+\((?P<code>[\w-]+:[\w-]+)\)\s*$",
            tool="ktlint",
        ),
        _Form(
            "commit",
            convention,
            "✖",
            r"^\s*✖\s+.+\[(?P<code>[a-z]+-[a-z-]+)\]\s*$",
            tool="commitlint",
        ),
        _Form(
            "format",
            convention,
            "code style issues",
            r"Code style issues (?:found )?in",
            code="prettier",
            tool="prettier",
        ),
        _Form(
            "format",
            convention,
            "would reformat",
            r"^(?:W|w)ould reformat:? (?P<path>\S+)",
            code="formatter",
            tool="formatter",
        ),
        _Form(
            "format",
            convention,
            "diff in ",
            r"^Diff in (?P<path>\S+?\.rs)(?: at line |:)\d+",
            code="rustfmt",
            tool="rustfmt",
        ),
        _Form(
            "format",
            convention,
            "not formatted",
            r"(?i)\b(?:files?|code) (?:is|are|were) not (?:properly )?formatted",
            code="formatter",
            tool="formatter",
        ),
        # types and compilers: the work in hand
        _Form(
            "types",
            wip,
            "error ts",
            rf"^{_FILE_PATTERN}[:(]\d+[,:]\d+\)?:? (?:- )?error (?P<code>TS\d+)",
        ),
        _Form("types", wip, "error ts", r"\berror (?P<code>TS\d{3,5}):"),
        _Form(
            "types",
            wip,
            ": error: ",
            rf"^{_FILE_PATTERN}:\d+(?::\d+)?: error: .+\[(?P<code>[a-z-]+)\]\s*$",
            tool="mypy",
        ),
        _Form(
            "types",
            wip,
            "(report",
            rf"^\s*{_FILE_PATTERN}:\d+:\d+ - error: .+\((?P<code>report\w+)\)",
            tool="pyright",
        ),
        _Form("compile", wip, "error[e", r"^\s*error\[(?P<code>E\d{4})\]", tool="rustc"),
        _Form("compile", wip, "error cs", r"\berror (?P<code>CS\d{4}):", tool="csc"),
        _Form(
            "compile",
            wip,
            ".go:",
            r"^\s*(?P<path>[\w./-]+\.go):\d+:\d+: (?:(?P<code>undefined|syntax error|too many arguments|not enough arguments|missing return|declared and not used|imported and not used)\b|"
            r"cannot use |\S+ (?:redeclared|undefined|declared and not used)|unknown field|undefined: |assignment mismatch|invalid operation|\"[^\"]+\" imported and not used)",
            code="go",
        ),
        _Form(
            "compile",
            wip,
            ": error: |: fatal error: ",
            rf"^{_FILE_PATTERN}:\d+(?::\d+)?: (?:fatal )?error: ",
            code="c",
        ),
        # what is not there
        _Form("command", env, "command not found", r"command not found: (?P<name>[\w.@/+-]+)\s*$"),
        _Form(
            "command",
            env,
            "not found",
            r"^(?:\S*sh|\S*bash|\(eval\))?:? ?(?:line )?(?:\d+: )?(?P<name>[\w.@/+-]+): (?:command )?not found\s*$",
        ),
        _Form(
            "command",
            env,
            "env: ",
            r"^(?:/usr/bin/)?env: [‘'\"]?(?P<name>[\w.+-]+)[’'\"]?: No such file or directory",
        ),
        _Form(
            "command",
            env,
            "is not recognized",
            r"'?(?P<name>[\w.-]+)'? is not recognized as (?:an internal|a name of|the name of)",
        ),
        _Form(
            "command",
            env,
            "executable file not found",
            r"\"(?P<name>[\w.-]+)\": executable file not found",
        ),
        _Form(
            "command",
            env,
            "failed to spawn|could not find executable",
            rf"(?i)(?:failed to spawn|could not find executable):? {quoted}",
        ),
        _Form(
            "usage",
            env,
            "subcommand",
            rf"(?:unrecognized|unknown|invalid|no such) subcommand:? {quoted}",
            code="subcommand",
        ),
        _Form(
            "usage",
            env,
            "command",
            rf"(?i)\b(?:unknown|no such|unrecognized|invalid) command:? {quoted}",
            code="subcommand",
        ),
        _Form(
            "usage",
            env,
            "is not a",
            rf"{quoted} is not an? (?:\w+ )?(?:command|subcommand)\b",
            code="subcommand",
        ),
        _Form(
            "usage",
            env,
            "unexpected argument",
            rf"unexpected argument {quoted} found",
            code="option",
        ),
        _Form(
            "usage",
            env,
            "option|flag|argument",
            r"(?i)\b(?:unknown|illegal|invalid|unrecogni[sz]ed|no such) (?:shorthand )?(?:option|flag|arguments?)s?(?: --|:)? [`'\"]?(?P<name>-{0,2}\w[\w-]*)[`'\"]?",
            code="option",
        ),
        _Form(
            "usage",
            env,
            "flag provided but not defined",
            r"flag provided but not defined: (?P<name>-\S+)",
            code="option",
        ),
        _Form("usage", env, "unknown json field", rf"Unknown JSON field: {quoted}", code="field"),
        _Form(
            "usage",
            env,
            "doesn't exist on type",
            rf"Field {quoted} doesn't exist on type",
            code="field",
        ),
        _Form(
            "script",
            env,
            "script",
            r"(?i)(?:missing script:?|script not found) [`'\"]?(?P<name>[\w:@/-]+)[`'\"]?\s*$|script [`'\"](?P<other>[\w:@/-]+)[`'\"] not found",
        ),
        _Form(
            "script",
            env,
            "_no_script",
            r"ERR_PNPM_\w*NO_SCRIPT\b.*? has an? [\"'](?P<name>[\w:@/-]+)[\"'] script",
            tool="pnpm",
        ),
        _Form(
            "script",
            env,
            "no rule to make target",
            rf"No rule to make target {quoted}",
            tool="make",
        ),
        _Form(
            "script",
            env,
            "no task|no tasks",
            rf"(?i)no tasks? (?:named )?{quoted} (?:was )?found",
            tool="task",
        ),
        _Form("script", env, "recipe", rf"does not contain recipe {quoted}", tool="just"),
        _Form(
            "cargo",
            env,
            "no library targets",
            r"no library targets found",
            code="no library target",
        ),
        _Form(
            "cargo",
            env,
            "target",
            r"no (?P<name>bin|test|example|bench) target named",
            code="no such target",
        ),
        _Form(
            "cargo",
            env,
            "package id|packages matched|did not match any packages",
            r"package ID specification .+ did not match any packages",
            code="no such package",
        ),
        _Form(
            "cargo",
            env,
            "failed to verify manifest",
            r"failed to verify manifest",
            code="manifest not complete",
        ),
        _Form(
            "version", env, "node:", r"[Cc]annot find module ['\"]node:[\w/]+['\"]", code="Node.js"
        ),
        _Form(
            "version", env, "engine", r"The engine [\"']node[\"'] is incompatible", code="Node.js"
        ),
        _Form(
            "version", env, "requires go", r"go\.mod requires go >= ?[\d.]+ \(running go", code="Go"
        ),
        _Form("version", env, "requires rustc", r"requires rustc [\d.]+ or newer", code="rustc"),
        _Form("version", env, "different python", r"requires a different Python", code="Python"),
        _Form(
            "module",
            env,
            "modulenotfounderror|no module named",
            rf"No module named {quoted}",
            tool="python",
        ),
        _Form(
            "module",
            env,
            "cannot find",
            rf"(?i)cannot find (?:module|package) {quoted}(?: (?:imported )?from ['\"]?(?P<path>[^'\"\s]+))?",
            tool="node",
        ),
        _Form(
            "module",
            env,
            "could not resolve",
            r"[Cc]ould not resolve (?:import )?\"(?P<name>[^\"\s]+)\"(?: from \"(?P<path>[^\"\s]+))?",
            tool="bundler",
        ),
        _Form("module", env, "provides package", r"provides package (?P<name>[\w./-]+)", tool="go"),
        # package managers
        _Form(
            "wrapper",
            gate,
            "_first_fail|elifecycle",
            r"\b(?P<code>ERR_PNPM_RECURSIVE_(?:RUN|EXEC)_FIRST_FAIL|ELIFECYCLE)\b",
        ),
        _Form("package", env, "err_pnpm_", r"\b(?P<code>ERR_PNPM_[A-Z_]+)\b", tool="pnpm"),
        _Form(
            "package",
            env,
            "npm err",
            r"npm (?:ERR!|error) code (?!ELIFECYCLE|1\b)(?P<code>E[A-Z0-9]+)",
            tool="npm",
        ),
        _Form(
            "package",
            env,
            "yn00",
            r"\b(?P<code>YN00\d\d)\b.*(?:error|fail|can't|could)",
            tool="yarn",
        ),
        _Form(
            "package",
            env,
            "externally-managed",
            r"(?P<code>externally-managed-environment)",
            tool="pip",
        ),
        _Form(
            "package",
            env,
            "could not find a version",
            r"Could not find a version that satisfies the requirement (?P<name>[\w.-]+)",
            code="no such version",
            tool="pip",
        ),
        _Form(
            "package",
            env,
            "no solution found",
            r"No solution found when resolving",
            code="no solution",
            tool="uv",
        ),
        _Form(
            "package",
            env,
            "lockfile",
            r"(?i)lockfile (?:had changes|is (?:out of date|not up to date)|needs to be updated)",
            code="lockfile out of date",
        ),
        # git and what it is served by
        _Form(
            "lock", git, "index.lock", r"index\.lock': File exists", code="index.lock", tool="git"
        ),
        _Form(
            "git",
            git,
            "[rejected]|[remote rejected]",
            r"! \[(?:remote )?rejected\].*\((?P<code>non-fast-forward|fetch first|stale info|protected branch[^)]*|pre-receive hook declined)\)",
            tool="git",
        ),
        _Form(
            "git", wip, "conflict (", r"^CONFLICT \([\w/ ]+\)", code="merge conflict", tool="git"
        ),
        _Form(
            "git",
            git,
            "not a git repository",
            r"not a git repository",
            code="not a git repository",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "did not match any file",
            r"pathspec '[^']*' did not match any file",
            code="pathspec matches nothing",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "no upstream branch",
            r"has no upstream branch",
            code="no upstream branch",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "would be overwritten",
            r"would be overwritten by (?:merge|checkout|pull)",
            code="local changes would be overwritten",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "nothing to commit|nothing added to commit|no changes added to commit",
            r"^(?:nothing to commit|nothing added to commit|no changes added to commit)",
            code="nothing to commit",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "already used by worktree|already checked out",
            r"is already (?:used by worktree|checked out) at",
            code="branch is in use by a worktree",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "unstaged changes|uncommitted changes",
            r"(?i)(?:have|contains|with) (?:unstaged|uncommitted) changes",
            code="uncommitted changes",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "ambiguous argument|bad revision|unknown revision|couldn't find remote ref|invalid reference",
            r"ambiguous argument|bad revision|unknown revision|couldn't find remote ref|invalid reference",
            code="no such revision",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "already exists",
            r"^fatal: (?:a branch named )?'[^']+' already exists",
            code="already exists",
            tool="git",
        ),
        _Form(
            "git",
            git,
            "does not appear to be a git repository",
            r"'[^'\n]+' does not appear to be a git repository",
            code=_NO_REMOTE,
            tool="git",
        ),
        _Form(
            "git",
            git,
            "signing failed|failed to sign",
            r"signing failed|failed to sign",
            code="signing failed",
            tool="git",
        ),
        _Form(
            "github",
            env,
            "could not resolve to a",
            r"Could not resolve to an? (?P<code>\w+)",
            tool="gh",
        ),
        _Form(
            "github",
            env,
            "still in progress",
            r"run \d+ is still in progress; logs",
            code="logs of a running workflow",
            tool="gh",
        ),
        _Form(
            "github",
            env,
            "gh auth login|bad credentials",
            r"gh auth login|Bad credentials",
            code="not logged in",
            tool="gh",
        ),
        _Form(
            "http",
            env,
            "http",
            r"\bHTTP(?:/\d(?:\.\d)?)?(?: Error| status| code)?:? (?P<code>4\d\d|5\d\d)\b",
        ),
        _Form("http", env, "status code", r"(?i)\bstatus code:? (?P<code>4\d\d|5\d\d)\b"),
        # the machine
        _Form(
            "network",
            env,
            "no such host|could not resolve host|enotfound|temporary failure in name",
            r"(?i:no such host|could not resolve host|temporary failure in name resolution)|\bENOTFOUND\b",
            code="host not found",
        ),
        _Form(
            "network",
            env,
            "connection refused|econnrefused",
            r"(?i:connection refused)|\bECONNREFUSED\b",
            code="connection refused",
        ),
        _Form(
            "network",
            env,
            "etimedout|connection timed out|i/o timeout",
            r"\bETIMEDOUT\b|(?i:connection timed out|i/o timeout)",
            code="timed out",
        ),
        _Form(
            "port",
            env,
            "eaddrinuse|address already in use",
            r"\bEADDRINUSE\b|(?i:address already in use)",
            code="in use",
        ),
        _Form(
            "docker", env, "docker daemon", r"(?i)connect to the docker daemon", code="no daemon"
        ),
        _Form(
            "binary", env, "exec format error", r"(?i)exec format error", code="exec format error"
        ),
        _Form(
            "disk",
            env,
            "enospc|no space left",
            r"\bENOSPC\b|[Nn]o space left on device",
            code="full",
        ),
        _Form("database", env, "no such table", rf"no such table: {quoted}", code="table"),
        _Form(
            "database",
            env,
            "does not exist",
            r"(?P<code>relation|column|database|role) \"(?P<name>\w+)\" does not exist",
        ),
        _Form("database", env, "no such column", rf"no such column: {quoted}", code="column"),
        _Form(
            "glob",
            env,
            "no matches found",
            r"no matches found: (?P<path>\S+)",
            code="no match",
            tool="zsh",
        ),
        # tests
        _Form("test", wip, "--- fail", r"^\s*--- FAIL: ", code="go"),
        _Form("test", wip, "failed ", r"^FAILED \S+::", code="pytest"),
        _Form("test", wip, "... failed", r"^test .+ \.\.\. FAILED", code="cargo"),
        _Form("test", wip, "(fail)", r"^\s*\(fail\) ", code="bun"),
        _Form("test", wip, "✗|✕|× ", r"^\s*(?:[✗✕] .+|× .+ \d+ms)$", code="js"),
        _Form(
            "test",
            wip,
            "fail |fail\t|fail\n|fail\r",
            r"^\s*FAIL\s+\S+\.(?:[cm]?[jt]sx?|vue|svelte)\b",
            code="js",
        ),
        _Form("test", wip, "●", r"^\s*● .+ › ", code="js"),
        _Form("test", wip, "fail\t|fail ", r"^FAIL\s+\S+", code="go"),
        _Form("test", wip, "panicked at", r"panicked at ", code="cargo"),
        # exceptions
        _Form(
            "path",
            env,
            "enoent|filenotfounderror|no such file",
            r"(?:ENOENT: no such file or directory, \w+ |FileNotFoundError: .*?: )'(?P<name>[^'\n]+)'",
        ),
        _Form("path", env, "no such file", r"(?:^|: )no such file or directory: (?P<name>\S+)\s*$"),
        _Form(
            "path",
            env,
            "no such file",
            r"(?:^|[\s'])(?P<name>[\w@./~][\w@./+*-]*)'?: (?:(?:IO error for operation on \S+: )?No such file or directory|No such file)\b",
        ),
        _Form(
            "path",
            env,
            "path does not exist|file does not exist",
            r"(?:Path|File) does not exist:? (?P<name>\S+)",
        ),
        _Form(
            "exception",
            wip,
            "error",
            r"^(?:E\s+|Output: )?(?:\s*\W?(?:Uncaught |Unhandled )?)(?P<code>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))(?: \[\w+\])?(?::|$)",
        ),
        _Form("exception", wip, "panic:", r"^panic: (?P<code>runtime error)?", code="panic"),
        _Form(
            "rights",
            env,
            "permission denied|eacces|operation not permitted|eperm",
            r"(?i:permission denied|operation not permitted)|\bEACCES\b|\bEPERM\b",
            code="denied",
        ),
        # that something refused, and no reason beside it
        _Form(
            "git",
            git,
            "could not read from remote",
            r"Could not read from remote repository",
            code=_UNREAD,
            tool="git",
        ),
        _Form(
            "hook",
            gate,
            "hook|husky",
            r"(?i)(?:husky - |lefthook.*)?\b(?P<code>pre-commit|commit-msg|pre-push|pre-receive)\b(?: script| hook)?[^\n]{0,40}?(?:failed|exited with)",
        ),
        _Form(
            "wrapper",
            gate,
            "exited with code|task failed|error 1|error 2|exit status|without a word",
            r"(?i)failed without a word|exited with code \d+|task failed|^make(?:\[\d+\])?: \*\*\* .*Error \d+|exit status \d+",
        ),
    )
