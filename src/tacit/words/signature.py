"""An error's signature: its decisive line, with what changes from run to run masked."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from tacit.words.tokens import VAGUE

SIGNATURE_LENGTH = 200
# an error is looked for in so many first and last lines, each cut to this
ERROR_LINES, ERROR_WIDTH = 300, 1000
# and in so many first and last characters: what lies between is neither where it began nor how it
# ended
ERROR_ENDS = 100_000
# of a terminal that are taken out of them: one for every five characters is more than any
# highlighter writes
ERROR_SEQUENCES = 40_000


def signature(text: str) -> str:
    """The decisive line of an error with all masked that changes from run to run; empty where
    nothing went wrong.

    A signature names a class of problems: quoted names are masked too. Who needs the names compares
    the texts as well.
    """
    line = decisive_line(text)
    digit = any(map(str.isdecimal, line))
    for pattern, mask, needs in _masks() if line else ():
        if any(need in line for need in needs) if needs else digit:
            line = _compiled(pattern).sub(mask, line)
    line = " ".join(line.split()).strip(" .,:;-|[]")
    if len(line) > SIGNATURE_LENGTH:
        line = line[:SIGNATURE_LENGTH].rsplit(" ", 1)[0]
    return line if _informs(line) else ""


def decisive_line(text: str) -> str:
    """The line of an error that a person would quote; empty where nothing tells."""
    if len(text) > 2 * ERROR_ENDS:
        text = f"{text[:ERROR_ENDS]}\n{text[-ERROR_ENDS:]}"
    text = text.replace("\r\n", "\n")
    if "\x1b" in text:
        text = re.sub(_ANSI, "", text, count=ERROR_SEQUENCES)
    # How hosts wrap a refusal of their own.
    refused = (
        re.match(r"\s*<(\w*error)>(.*?)(?:</\1>|$)", text, re.S)
        if text.lstrip().startswith("<")
        else None
    )
    lines = [
        line.rsplit("\r", 1)[-1].rstrip()
        for line in (refused[2] if refused else text).split("\n")
        if line
    ]
    lines = [line[:ERROR_WIDTH] for line in lines if line.strip()]
    if len(lines) > 2 * ERROR_LINES:
        lines = lines[:ERROR_LINES] + lines[-ERROR_LINES:]
    if refused:
        return " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1])
    if said := _after_traceback(lines):
        return said
    vague = ""
    whole = "\n".join(lines)
    either = whole + whole.lower()
    for form, take_last, needs in _decisive():
        if needs and not any(need in either for need in needs):
            continue
        pattern = _compiled(form)
        for number in reversed(range(len(lines))) if take_last else range(len(lines)):
            found = pattern.search(lines[number])
            if not found or _is_harmless(lines[number]):
                continue
            said = found["said"] if "said" in pattern.groupindex else lines[number]
            if said.endswith(":") and number + 1 < len(lines):
                said = f"{said} {lines[number + 1].strip()}"
            if _informs(said) and not _is_summary(lines[number]):
                return said.strip()
            vague = vague or lines[number].strip()
    return vague


def _informs(line: str) -> bool:
    """Whether a line says more than that something failed."""
    plain = re.sub(r"<\w+>", " ", line)
    return any(word.lower() not in VAGUE for word in re.findall(r"[^\W\d_]{3,}", plain))


def _after_traceback(lines: list[str]) -> str:
    """The exception of the last Python traceback: the first line after its frames, indented no
    deeper than its head."""
    found = ""
    for number, line in enumerate(lines):
        head = line.find("Traceback (most recent call last)")
        if head < 0:
            continue
        for after in lines[number + 1 :]:
            said = after[head:] if after[:head].strip(" |+-") == "" else after
            if said.strip() and not said.startswith((" ", "\t", "^")):
                found = said.strip()
                break
    return found


_ANSI = r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed: a hook looks at one short error, and compiling all forms
    would cost it more than all the rest."""
    return re.compile(pattern)


@lru_cache(maxsize=1)
def _decisive() -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
    """Where the decisive line is looked for, best first; whether the last or the first such line
    counts; pieces of which one must be there."""
    bad_news = (
        "fail(?:ed|ure|s|ing)?|denied|refused|timed out|timeout|not found|unable to|could not|cannot|can't|killed|aborted|"
        "segmentation fault|unexpected|invalid|missing|undefined|unresolved|conflict|out of memory|unreachable|rejected|"
        "does not exist|has not been|have not|haven't"
    )
    from_the_system = "command not found|No such file or directory|Permission denied|Is a directory|Not a directory|cannot access"
    forms = (
        (
            r"^E\s{2,}(?P<said>(?:[\w.]+(?:Error|Exception|Failed|Exit|Interrupt)\b|assert ).*)",
            False,
        ),  # pytest
        (r"^\s*Caused by: (?P<said>.+)", True),  # java: the root cause comes last
        (r"^\s*(?P<said>error\[E\d+\]: .+)", False),  # rustc
        (r"^\s*\S+?(?::\d+){1,2}:\s+(?P<said>(?:fatal )?error\b.+)", False),  # gcc, clang, javac
        (r"^\s*\S+?\(\d+(?:,\d+)?\):\s+(?P<said>error\b.+)", False),  # tsc, msbuild
        (r"^\s*\S+?:\d+:\d+ - (?P<said>error\b.+)", False),  # tsc --pretty
        (
            r"^\s*(?:Exception in thread \S+ )?(?P<said>(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error|Failure)\b.*)",
            False,
        ),
        (
            r"^\s*\W?(?:Uncaught |Unhandled )?(?P<said>[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: .+)",
            False,
        ),  # javascript
        (r"^\s*\*\* (?P<said>\([\w.]+\) .+)", False),  # elixir
        (r"^\s*(?P<said>panic: .+)", False),  # go
        (r"^\s*(?P<said>thread \S+ (?:\(\d+\) )?panicked at .+)", False),  # rust
        (r"^\s*\S+\.go:\d+(?::\d+)?: (?P<said>.+)", False),  # go build and go test
        (r"(?P<said>undefined reference to .+)", False),  # ld
        (
            r"^(?:(?:/\S*/)?(?:ba|z|da|k|fi)?sh: (?:line )?(?:\d+: )?|\(eval\):\d+: )(?P<said>.+)",
            False,
        ),  # shells
        (rf"(?i)^\S.*(?:{from_the_system})", False),
        (r"\b(?P<said>E[A-Z]{4,}: .+)", False),  # libuv and libc: EACCES, ENOENT
        (r"^npm (?:ERR!|error) (?P<said>(?!code|A complete|path|errno|syscall).+)", False),
        (r"^\s*●\s.+ › (?P<said>.+)", False),  # jest
        (r"^(?P<said>(?:fatal|FATAL|error|ERROR|Error|panic)\b(?: \w+)?[:!] ?.+)", False),
        (r"^(?P<said>FAILED \S+ - .+)", False),  # pytest, where the assertion itself is all numbers
        (r"(?i)\b(?:[a-z]*error|fatal|exception|critical)\b", False),
        (r"^E\s{2,}(?P<said>.+)", False),
        (rf"(?i)\b(?:{bad_news})\b", False),
    )
    needed: tuple[tuple[str, ...], ...] = (
        ("E  ", "E\t", "E \t"),
        ("Caused by: ",),
        ("error[E",),
        (" error", "\terror"),
        (" error", "\terror"),
        (" - error",),
        ("Exception", "Error", "Failure"),
        ("Error", "Exception"),
        ("** (",),
        ("panic: ",),
        ("panicked at ",),
        (".go:",),
        ("undefined reference to ",),
        ("sh: ", "(eval):"),
        tuple(from_the_system.lower().split("|")),
        (": ",),
        ("npm ",),
        ("●",),
        ("fatal", "error", "panic"),
        ("FAILED ",),
        ("error", "fatal", "exception", "critical"),
        ("E",),
        (),
    )
    return tuple(
        (pattern, last, needs) for (pattern, last), needs in zip(forms, needed, strict=True)
    )


def _is_harmless(line: str) -> bool:
    folded = line.lower()
    if not any(need in folded for need in ("0", "no ", "zero ", "without ")):
        return False
    trouble = "errors?|failures?|failed|failing|problems?|issues?|conflicts?"
    return (
        _compiled(rf"\b(?:0|no|zero|without) (?:{trouble})\b|\b(?:{trouble}): ?0\b").search(folded)
        is not None
    )


def _is_summary(line: str) -> bool:
    """Whether a line says only that something failed; it counts where there is no other."""
    folded = line.lower()
    if folded.startswith(("npm err! code", "npm error code")) or any(
        piece in folded for piece in _SUMMARIES
    ):
        return True
    if not any(map(str.isdecimal, line)) and not folded.startswith(("make: ", "=")):
        return False
    form = r"^make(?:\[\d+\])?: |exit(?:ed)?(?: with)? (?:code|status) -?\d+\.?$|^=+ |\d+ (?:failed|errors?|passed)\b"
    return _compiled(form).search(folded) is not None


_SUMMARIES = (
    "could not compile",
    "aborting due to",
    "complete log of this run",
    "command failed",
    "short test summary",
    "for more information",
    "lifecycle script",
)


@lru_cache(maxsize=1)
def _masks() -> tuple[tuple[str, str, str | tuple[str, ...]], ...]:
    """What is masked, in this order: longer forms before the numbers they contain. And letters or
    pieces of which one must be there; none: a digit.

    Statuses of HTTP and of processes are no numbers but names; they are marked with # until the
    numbers are gone.
    """
    stamp = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    clock = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
    suffix = "py|pyi|[cm]?[jt]sx?|rs|go|java|kt|c|cc|cpp|h|hpp|rb|php|cs|swift|sh|json|ya?ml|toml|txt|md|log|lock|html|css|sql"
    status = r"HTTP(?:/\d(?:\.\d)?)?(?: Error| status| code)?|[Ss]tatus(?: code)?|[Ee]xit(?:ed)?(?: with)?(?: code| status)?"
    answer = (
        "(?:Client|Server) Error|Not Found|Unauthorized|Forbidden|Bad |Internal |Service |Too Many"
    )
    unit = "[munµ]?s|secs?|seconds?|min(?:ute)?s?|h(?:ours?|rs?)?|days?|[KMGT]i?B|[kmg]b|bytes?"
    forms = (
        (rf"^\W*(?:{stamp}|{clock})\W*(?=\w)", ""),
        (r"\b[a-zA-Z][\w+.-]*://[^\s'\"`<>)\]]+", "<url>"),
        (rf"{stamp}|\b{clock}\b", "<time>"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
        (r"(?<!\w)\"[^\"\n]*\"(?!\w)|(?<!\w)'[^'\n]*'(?!\w)|`[^`\n]*`|[“‘«][^”’»\n]*[”’»]", "<q>"),
        (r"(?<![\w<])(?:[A-Za-z]:|~|\.{1,2})?[/\\](?:[^\s:;,'\"()<>\[\]]+)(?::\d+)*", "<path>"),
        (r"(?<![\w<])[\w.@+-]+(?:[/\\][\w.@+-]+)+(?::\d+)*", "<path>"),
        (rf"(?<![\w<])[\w-]+\.(?:{suffix})\b(?!\.\w)(?:[:(]\d+(?:[:,]\d+)?\)?)?", "<path>"),
        (
            r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\blocalhost:\d+\b|\[::[\da-f:]*\](?::\d+)?",
            "<host>",
        ),
        (r"\b0x[0-9a-fA-F]+\b", "<n>"),
        (rf"\b((?:{status}):?) (\d{{1,3}})\b", r"\1 #\2"),
        (rf"\b([45]\d\d)(?= (?:{answer}))", r"#\1"),
        (rf"(?<![\w.#])-?\d+(?:[.,]\d+)*\s?(?:{unit})\b", "<n>"),
        (
            r"\b(?=[a-z0-9_]*\d)(?=[a-z0-9_]*[a-z])[a-z0-9_]{8,}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b",
            "<id>",
        ),
        (r"(?<![\w#])[-+]?\d+(?:[.,]\d+)*%?(?![\w])|(?<=[-_])\d+\b", "<n>"),
        (r"#(\d)", r"\1"),
        (r"<n>(?:[ ,;/x-]+<n>)+", "<n>"),
    )
    digits, quotes, slashes = "", "\"'`“‘«", "/\\"
    endings = tuple(f".{letter}" for letter in "pcmjtrgkhsly")  # how a suffix may begin
    hosts = ("localhost:", "[::", *(f"{digit}." for digit in "0123456789"))
    needed: tuple[str | tuple[str, ...], ...] = (
        digits,
        ("://",),
        digits,
        "-",
        quotes,
        slashes,
        slashes,
        endings,
        hosts,
        ("0x",),
        digits,
        digits,
        digits,
        digits,
        digits,
        "#",
        ("<n>",),
    )
    return tuple(
        (pattern, mask, needs) for (pattern, mask), needs in zip(forms, needed, strict=True)
    )
