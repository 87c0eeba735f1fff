"""How an error reads: the one line that says what went wrong, and what sort of trouble it is.

A harness records an error as whatever the tool printed: build chatter, a stack of frames, and somewhere the line a
person would quote. That line is what a lesson shows and what its signature is made from. The sort decides what counts
as a cure: trouble with the surroundings (a missing package, a flag that does not exist, a hook that refuses) is worth
telling a stranger; a test that fails because the code under work is not finished is not.
"""

from __future__ import annotations

import re

from tacit.core.redact import redact
from tacit.learn.shell import USUAL_BRANCHES, relative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_ERROR = 60_000  # characters read of one error: the telling line stands near its start or its end
LONGEST_TELLING = 170  # of an error as people are shown it

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|(?=\x1b)|$)")
_FRAME = re.compile(r"^[\s┃│|└─╰╭├┌>]+")
_TAGS = re.compile(r"</?tool_use_error>|</?error>|</?stderr>|</?stdout>")
_STATUS = re.compile(
    r"^(?:Exit code:?|exit status|Command failed with exit code|Process exited with code"
    r"|exitcode:)\s*-?\d+\W*(?:\(.*\))?\s*$",
    re.I,
)

# Chatter around the error. A line may be both chatter and all there is; then it is still better than nothing.
_CHATTER = re.compile(
    r"""^(?:
    npm\ (?:warn|notice|WARN)\b|warn(?:ing)?\b|\[?warn|DeprecationWarning|\(node:\d+\)|note:|hint:|help:|info\b|INFO\b
    |\[INFO\]|(?:Compiling|Generated|Checking|Getting|Running|Resolving|Downloading|Downloaded|Installing|Collecting
    |Building|Fetching|Finding|Starting|Loading|Updating)\b|==>|>\ [\w@./-]+@[\w.-]+\ |>\ [\w-]+\ [\w-]+$
    |at\ |File\ "|in\ <module>|Traceback|stacktrace:|Stack\ trace|code:|\(\w+\ [\d.]+\)\ |During\ handling
    |The\ above\ exception|\.{2,}|-{2,}|={2,}|_{3,}|\*{3,}|~+$|\^+$|\d+\ │|\d+\ \||\d+\)\ |\[$|\]$|\{$|\}$
    |Please\ report|Analysis\ took|Use\ `|For\ more\ info|See\ |To\ |Try\ |(?:ERROR:\ )?[Uu]sage:|Randomized\ with|Finished\ in
    |npm\ (?:ERR!|error)\ (?:A\ complete\ log|code\b|errno|path|command|cwd)
    |seed\b|platform\ |rootdir|plugins:|collected\ |cachedir|configfile|done\ in|PLT\b
    )""",
    re.X,
)
_PROGRESS = re.compile(r"\.\.\.$|\d%")  # one digit is enough, and a line of digits is read once

# What a person would quote, best first. Where several lines fit: the last for a traceback, the first otherwise.
_LAST_OF = re.compile(
    r"^(?:E\s+)?(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Failure|NotFound)(?:\s*\[[\w-]+\])?: \S"
    r"|^Caused by: \S"
)
_BEFORE_IT = (
    re.compile(r"^! \[(?:remote )?rejected\]"),  # git push, above its general complaint
    re.compile(r"^\*\* \([\w.]+\) \S"),  # Elixir
    re.compile(r"\berror(?:\[\w+\]| TS\d+)?: \S|\berror (?:TS|CS|E)\d+: \S", re.I),  # compilers
)
_AFTER_IT = (
    re.compile(r"^(?:fatal|panic|abort|error|failure|failed)\b[:!] \S", re.I),
    re.compile(r"^\[?\w*(?:Error|Exception)\b[^:]{0,40}: \S"),
    re.compile(r"^npm (?:ERR!|error) \S+ \S+ \S"),
    re.compile(r"^ERR_\w+"),
    re.compile(
        r"command not found|not found:|No such file|[Pp]ermission denied|not recognized as|is not installed"
        r"|No module named|Cannot find module"
    ),
    re.compile(r"^[\w./\\-]+\.\w+[:(]\d+(?:[:,]\d+)?\)?:\s*\S"),  # file:line: …
    re.compile(r"^\[[A-Z]\] [→↘↗↑] \S"),  # Credo
    re.compile(r"^FAILED\b|^FAIL\b|^--- FAIL|^not ok\b|[Aa]ssertion .*failed|AssertionError"),
    re.compile(
        r"\b(?:cannot|can't|could not|couldn't|unable to|failed|not allowed|not permitted|invalid|undefined|missing"
        r"|required?|requires|unknown|unrecogni[sz]ed|unexpected|refused|denied|rejected|unsupported|conflict|mismatch"
        r"|doesn't exist|does not exist|not exist|already exists|already in use|must |has not been|haven't|has no"
        r"|no such"
        r"|not found|timed out|not formatted|too (?:complex|long|many|large|old))\b",
        re.I,
    ),
)

# Refused or stopped by the person or the host's permission rules, or cut off by the host: says nothing about the work.
_NOT_AN_ERROR = re.compile(
    r"doesn't want to proceed|tool use was rejected|request(?:ed)? interrupted|interrupted by user|haven't granted"
    r"|requested permissions? to|permission to use \S+ (?:has been|was) denied|denied by (?:the )?user"
    r"|user (?:denied|rejected|cancelled|declined|aborted)|approval (?:denied|required)|operation was aborted"
    r"|^(?:command )?timed out(?: after [\d.smh ]+(?:econds|inutes)?)?\.?$|^aborted\.?$|^\[?cancel?led\]?\.?$"
    r"|sibling tool call errored|Cancelled: parallel tool call"
    r"|^(?:error|exit code \d+|failed|killed|terminated)?\W*$",
    re.I,
)
# A guess that missed: the path was not there, the pattern found nothing. Looking again is not a lesson.
_A_GUESS = re.compile(
    r"^File does not exist|No files found|EISDIR|is a directory|no matches found|No such file or directory|ENOENT"
    r"|not a directory|did not match any",
    re.I,
)

# The surroundings: packages, tools, flags, settings, services, rights, versions, hooks, the repository's state.
_SURROUNDINGS = re.compile(
    r"command not found|not recognized as an|No module named|ModuleNotFoundError|Cannot find (?:module|package)"
    r"|Can't resolve|Could not (?:find|resolve|locate)|not installed|no upstream|non-fast-forward|\[rejected\]"
    r"|not a git repository|uncommitted|local changes|would be overwritten|pre-?commit|hook|permission denied|EACCES"
    r"|EPERM"
    r"|EADDRINUSE|address already in use|port \d+ is|in use|connection refused|ECONNREFUSED|ENOTFOUND|could not connect"
    r"|unreachable|unknown (?:option|flag|argument|command|subcommand|shorthand)|unexpected argument"
    r"|unrecogni[sz]ed (?:option|argument|arguments|subcommand)|no such (?:option|command|service|table|column|image)"
    r"|invalid (?:option|choice|flag)|illegal option|Missing script|No rule to make|Unknown env"
    r"|is not a (?:recognized|known|valid|docker) command|The task \S+ could not be found"
    r"|config(?:uration|ure|ured)?\b|environment variable|env var|credential|api[_ -]?key|authenticat|unauthori[sz]ed"
    r"|forbidden|token|requires? |required|must (?:be|set|specify|provide|have|run|install)"
    r"|missing (?:dependency|dependencies|package|required|env|peer|parameter)|dependenc|version|unsupported|incompatib"
    r"|ERESOLVE|peer dep|lock ?file|frozen-lockfile|out of date|outdated|stale|not formatted|run '[^']+' to fix"
    r"|run `[^`]+` to|externally-managed|does not exist|pending migration|migrat|has not been read|not been read yet"
    r"|modified since|string to replace not found|old_string|not unique|InputValidation|parameter|license"
    r"|certificate|SSL"
    r"|disk|no space|memory|heap|too many open files|cannot open shared object|shared librar|not in PATH|daemon|sandbox"
    r"|read-only",
    re.I,
)
# The work itself: what a change under way breaks and the next edit mends.
_THE_WORK = re.compile(
    r"Assert(?:ion)?(?:Error)?|^FAILED\b|^FAIL\b|--- FAIL|not ok\b|expected .* (?:but )?(?:got|received|to)|SyntaxError"
    r"|IndentationError|TypeError|NameError|AttributeError|KeyError|IndexError|ValueError|is not defined"
    r"|undefined (?:function|variable|method|reference|name)|is not a function|no attribute|unused|type mismatch"
    r"|mismatched types|\bTS\d{4}\b|\bE\d{3,4}\b|\bF\d{3}\b|\bW\d{3}\b|cannot be applied|unresolved|unexpected token"
    r"|parse error|parsing error|too complex|pattern_match|prefer |compile error|compilation error|borrow|lifetime"
    r"|does not implement|cannot infer|failures?\b",
    re.I,
)
# These look like the work but are about the surroundings all the same.
_AFTER_ALL = re.compile(
    r"Cannot find module|No module named|Can't resolve|requires|configuration|has no upstream|not formatted"
    r"|not been read|env",
    re.I,
)

# A piped command's own exit status is lost; its output may still tell.
_OUTPUT_OF_FAILURE = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?\b)|^FAILED\b|^FAIL\b|^error(?:\[|:| TS)|\*\* \(\w+Error\)|^Traceback"
    r"|npm (?:ERR!|error)|BUILD FAILED|Build failed|^fatal:|^panic:|command not found|== Compilation error"
    r"|Total errors: [1-9]|not formatted|build error occurred|^E   |exit(?:ed with)? (?:code|status) [1-9]",
    re.M | re.I,
)
_STILL_RUNNING = re.compile(
    r"^Command (?:running in|was (?:manually )?(?:sent|moved) to(?: the)?) background|running in the background"
    r"|^\[\d+\] \d+$|still running",
    re.I,
)


def telling_line(error: str) -> str:
    """The line of an error a person would quote; empty where nothing tells."""
    lines = _lines(error)
    if not lines:
        return ""
    head = lines[0]
    if head.endswith(":") and len(head) < 80 and len(lines) > 1 and not _CHATTER.match(head):
        # "Pre-commit validation failed:" says who refused, the next lines say why.
        rest = lines[1:]
        if re.fullmatch(r"\[[\w -]+\]", rest[0]) and len(rest) > 1:
            return f"{head} {rest[0]} {_best(rest[1:])}"
        return f"{head} {rest[0] if not _CHATTER.match(rest[0]) else _best(rest)}"
    return _best(lines)


def told(line: str, cwd: str = "", branch: str = "") -> str:
    """A telling line as a lesson shows it: short, one line, without backticks, with the project's own paths."""
    text = " ".join(line.split()).replace("`", "'")
    text = re.sub(r"(?<![\w.])(/[\w.@+-]+){2,}", lambda found: relative(found.group(), cwd), text)
    text = re.sub(r"^(?:E\s+|error: (?=error)|npm (?:ERR!|error) )", "", text)
    text = re.sub(r"^\((?:eval|zsh|bash)\):\d+: ", "", text)
    if branch not in USUAL_BRANCHES:
        text = text.replace(branch, "<branch>")
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    text = redact(text[: 4 * LONGEST_TELLING].rstrip(".: ")).text  # before it is cut: half a secret is known by nothing
    return text if len(text) <= LONGEST_TELLING else text[: LONGEST_TELLING - 1].rsplit(" ", 1)[0] + "…"


def recognised(error: str, line: str, cwd: str = "") -> str:
    """What a grammar knows of an error, in our own words over its class, code and names; empty where no known form fits.

    Whoever makes a command fail writes its message (a test, a package, a server), so the message is for people: a prompt is told this.
    """
    from tacit.core.diagnose import in_our_words

    return in_our_words(line, cwd) or in_our_words(error, cwd)


def says_nothing(error: str, line: str) -> bool:
    """The step was refused, stopped or cut off, or its error has no message: there is nothing to learn."""
    first = " ".join(_lines(error[:400])[:1])
    return bool(_NOT_AN_ERROR.search(line) or _NOT_AN_ERROR.search(first)) or len(re.findall(r"[^\W\d_]{3,}", line)) < 2


def is_a_guess(line: str) -> bool:
    """A path or pattern that was guessed and was not there."""
    return bool(_A_GUESS.search(line))


def of_the_surroundings(line: str) -> bool:
    """The trouble lies around the work (tools, packages, configuration, rights), not in the code being written."""
    if _THE_WORK.search(line) and not _AFTER_ALL.search(line):
        return False
    return bool(_SURROUNDINGS.search(line))


def of_the_work(line: str) -> bool:
    """The trouble lies in the code being written."""
    return bool(_THE_WORK.search(line)) and not of_the_surroundings(line)


def shows_failure(output: str) -> bool:
    """The output reads like a failure although no exit status says so."""
    return bool(_OUTPUT_OF_FAILURE.search(_ANSI.sub("", output[-LONGEST_ERROR:])))


def unfinished(output: str) -> bool:
    """The command was left running: nobody saw how it ended."""
    return bool(_STILL_RUNNING.search(output[:300]))


def _lines(error: str) -> list[str]:
    text = error if len(error) <= LONGEST_ERROR else error[: LONGEST_ERROR // 2] + "\n" + error[-LONGEST_ERROR // 2 :]
    text = _TAGS.sub("", _ANSI.sub("", text))
    # Some hooks print their line breaks as two characters.
    lines = (_FRAME.sub("", line).strip() for line in text.replace("\\n", "\n").splitlines())
    return [line for line in lines if line and not _STATUS.match(line)]


def _best(lines: Sequence[str]) -> str:
    clear = [line for line in lines if not _CHATTER.match(line)]
    quiet = [line for line in clear if not _PROGRESS.search(line)]
    for pattern in _BEFORE_IT:
        if found := next(filter(pattern.search, clear), ""):
            return found
    if found := next(filter(_LAST_OF.search, reversed(clear)), ""):
        return found
    for pattern in _AFTER_IT:
        if found := next(filter(pattern.search, quiet), ""):
            return found
    worded = [line for line in quiet if re.search(r"[^\W\d_]{3,}", line)]
    return (worded or clear or list(lines))[0]
