"""A shell line cut into its simple commands, the one reading of it that everything here shares; and
how a failed one's output ends."""

from __future__ import annotations

import itertools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENT = "\0"  # stands for an argument whose content is not looked at
_WORD_END = frozenset(" \t\n;|&()<>")
_OPERATORS = ("&&", "||", "|&", ";;", ";", "|", "\n", "(", ")")
_REDIRECTIONS = ("<<<", "<<-", "<<", ">>", ">|", ">&", "<&", ">", "<")
_HEREDOC = "cat <<'"  # how agents write every commit message: -m "$(cat <<'EOF' … EOF)"

# Where nobody recorded an exit status, only an output's end tells of a failure: an uncaught traceback, a test runner's count of failures,
# a shell that did not find the command, a tool's last word that it gave up. What merely mentions an error is none.
_TAIL = 4000  # characters at the end that are looked at
_SHORT = 3  # lines; a shell's own complaint stands alone
UNCAUGHT = ("Error", "Exception", "Interrupt", "Exit", "Warning")
GAVE_UP = (
    "fatal: ",
    "error: ",
    "npm ERR! ",
    "npm error ",
    "make: *** ",
    "gmake: *** ",
    "FAILED (failures=",
    "FAILED (errors=",
)
NOT_THERE = (
    ": command not found",
    ": not found",
    ": No such file or directory",
    ": Permission denied",
)
_COUNTED = ("failed", "error", "errors")


def bare(word: str) -> str:
    """A word without the quotes around it."""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return word[1:-1]
    return word


def simple_commands(line: str) -> Iterator[tuple[list[str], str, str, bool, list[str], list[str]]]:
    """(words, operator before, operator after, reads a here-document, files written, files read by `<`) for each simple command."""
    at, size = 0, len(line)
    words: list[str] = []
    writes: list[str] = []
    reads: list[str] = []
    before, inline = "", False
    documents: list[str] = []
    while at < size:
        char = line[at]
        if char in " \t":
            at += 1
        elif line.startswith("\\\n", at):
            at += 2
        elif char == "#" and (at == 0 or line[at - 1] in " \t\n;"):
            end = line.find("\n", at)
            at = size if end < 0 else end
        elif redirection := _redirection(line, at) if char in "<>&0123456789" else None:
            sign, to, at = redirection
            if to:
                continue
            while at < size and line[at] in " \t":
                at += 1
            target, at = _word(line, at)
            if sign.startswith("<<"):
                inline = True
                if sign != "<<<":
                    documents.append(bare(target).lstrip("\\"))
            elif ">" in sign and target and not target.startswith("/dev/"):
                writes.append(bare(target))
            elif sign == "<" and target:
                reads.append(bare(target))
        elif sign := _operator(line, at):
            at += len(sign)
            if sign == "\n":
                for document in documents:
                    at = _after_document(line, at, document)
                documents = []
            if words:
                yield words, before, sign, inline, writes, reads
                words, writes, reads, inline = [], [], [], False
            # A newline after a pipe continues it.
            if not (sign == "\n" and before in ("|", "&&", "||") and not words):
                before = sign
        else:
            word, at = _word(line, at)
            if not word:
                at += 1
                continue
            words.append(word)
    if words:
        yield words, before, "", inline, writes, reads


def unquoted(word: str) -> str | None:
    """What a word is once its quotes are gone; None where it would have to be run to be known, or its quote does not end."""
    said: list[str] = []
    at, size, quote = 0, len(word), ""
    while at < size:
        char = word[at]
        if quote != "'" and (char == "`" or word.startswith("$(", at)):
            if quote != '"' or not word.startswith(_HEREDOC, at + 2) or not word.endswith(')"'):
                return None
            said.append(CONTENT)
            at, quote = size, ""
        elif char == quote:
            at, quote = at + 1, ""
        elif not quote and char in "\"'":
            at, quote = at + 1, char
        elif char == "\\" and (
            not quote or (quote == '"' and word[at + 1 : at + 2] in ('"', "\\", "$", "`"))
        ):
            said.append(word[at + 1 : at + 2])
            at += 2
        else:
            said.append(char)
            at += 1
    return None if quote else "".join(said)


def _operator(line: str, at: int) -> str:
    if found := next((each for each in _OPERATORS if line.startswith(each, at)), ""):
        return found
    return "&" if line[at] == "&" and not line.startswith("&>", at) else ""


def _redirection(line: str, at: int) -> tuple[str, str, int] | None:
    """(sign, the descriptor it leads to, where it ends)."""
    start = at
    while line[at : at + 1].isdigit():
        at += 1
    if line[start] == "&":
        at += 1
    sign = next((each for each in _REDIRECTIONS if line.startswith(each, at)), "")
    if not sign:
        return None
    begin = at = at + len(sign)
    at += line.startswith("&", at)
    at += line.startswith("-", at)
    while line[at : at + 1].isdigit():
        at += 1
    return sign, line[begin:at], at


def _word(line: str, at: int) -> tuple[str, int]:
    """One word from `at`, quotes and substitutions kept whole, and where it ends."""
    start, size = at, len(line)
    while at < size and line[at] not in _WORD_END:
        char = line[at]
        if char == "\\":
            at += 2
        elif char in "\"'":
            at = _quoted(line, at)
        elif line.startswith("$(", at):
            at = after_substitution(line, at + 2)
        elif char == "`":
            end = line.find("`", at + 1)
            at = size if end < 0 else end + 1
        else:
            at += 1
    return line[start:at], min(at, size)


def _quoted(line: str, at: int) -> int:
    quote, size = line[at], len(line)
    at += 1
    while at < size and line[at] != quote:
        if quote == '"' and line[at] == "\\":
            at += 2
        elif quote == '"' and line.startswith("$(", at):
            at = after_substitution(line, at + 2)
        else:
            at += 1
    return min(at + 1, size)


def substitutions(line: str) -> Iterator[str]:
    """What stands in `$( )` and back ticks, where a shell would run it: not in single quotes, nor in a document with a quoted mark."""
    at, size, quoted = 0, len(line), False
    while at < size:
        char = line[at]
        if char == "\\":
            at += 2
        elif char == "'" and not quoted:
            at = _quoted(line, at)
        elif line.startswith("$(", at):
            end = after_substitution(line, at + 2)
            yield line[at + 2 : end - 1]
            at = end
        elif char == "`":
            end = line.find("`", at + 1)
            end = size if end < 0 else end
            yield line[at + 1 : end]
            at = end + 1
        elif line.startswith(("<<'", '<<"', "<<-'"), at):
            mark, at = _word(line, at + 2 + line.startswith("<<-", at))
            end = line.find("\n", at)
            at = _after_document(line, end + 1, bare(mark)) if end >= 0 else size
        else:
            quoted ^= char == '"'
            at += 1


def after_substitution(line: str, at: int) -> int:
    """Where a substitution ends whose inside begins at `at`."""
    depth, size = 1, len(line)
    if line.startswith(_HEREDOC, at):  # what stands in a document is nobody's bracket
        mark = line[at + len(_HEREDOC) : line.find("'", at + len(_HEREDOC))]
        end = line.find(f"\n{mark}\n", at) if mark else -1
        at = at if end < 0 else end + len(mark) + 2
    while at < size and depth:
        char = line[at]
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "'" and line[at - 1 : at] in " =(":
            at = _quoted(line, at) - 1
        elif char == "\\":
            at += 1
        at += 1
    return min(at, size)


def _after_document(line: str, at: int, delimiter: str) -> int:
    while at < len(line):
        end = line.find("\n", at)
        end = len(line) if end < 0 else end
        if line[at:end].strip() == delimiter:
            return min(end + 1, len(line))
        at = end + 1
    return len(line)


def ends_in_failure(output: str) -> bool:
    """Whether an output ends as only a failed command's does."""
    lines = [line.strip() for line in output[-_TAIL:].splitlines() if line.strip()]
    if not lines:
        return False
    last = lines[-1]
    if _is_uncaught(last):
        return "Traceback (most recent call last):" in output or 'File "' in output
    if last.startswith("=") and last.endswith("="):
        return _counts_failures(last)
    return last.startswith(GAVE_UP) or (
        last.endswith(NOT_THERE) and len(lines) <= _SHORT and len(output) < _TAIL
    )


def _is_uncaught(line: str) -> bool:
    name = line.partition(":")[0].rpartition(".")[2]
    return name.isidentifier() and name[0].isupper() and name.endswith(UNCAUGHT)


def _counts_failures(line: str) -> bool:
    """`==== 2 failed, 1 passed in 0.2s ====`, as pytest ends."""
    words = line.strip("= ").replace(",", " ").split()
    return any(
        number.isdigit() and number.strip("0") and word in _COUNTED
        for number, word in itertools.pairwise(words)
    )
