"""What is asked: a task, files, errors, who asks, in the ranker's words.

A query comes in parts, because they are worth different things: the words of a task say what it is about, an error's
masked signature either is that of a lesson or is not, a file either is one a lesson names or is not. A session start
carries no task; then nothing is asked, and what recurs here leads.
"""

from __future__ import annotations

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tacit.core.profile import Profile
    from tacit.words.passages import Passage

ERROR_CHARS = 600  # of a long output the end is read for words: there the error stands
FILES = 32  # files of one query that are looked at; a query that names more says nothing by them


@value
class Query:
    """What somebody wants to know before, or during, a run."""

    task: str = ""  # what is to be done, or what a person asks, in their words
    files: Sequence[str] = ()
    errors: Sequence[str] = ()
    command: str = ""  # a command that is about to run: one lesson about its program, or none
    agent: str = ""
    main: bool = False  # the host says that its main agent asks: what is kept for a sub-agent is not for it
    domain: str = ""
    task_type: str = ""
    task_id: str = ""
    mission: str = ""
    category: str = ""
    kind: str = ""
    risk: str = ""  # geas: at "high" or "critical" risk patterns count more


@value
class Asked:
    """A query as rankers read it."""

    query: Query
    passages: tuple[Passage, ...]  # of the task, then of its errors: the questions it consists of
    file_words: tuple[str, ...]  # names of the files: they find candidates and weigh nothing themselves
    signatures: tuple[str, ...]
    files: tuple[str, ...]
    nothing: bool  # neither task nor error nor file was given


def asked(query: Query, profile: Profile) -> Asked:
    """The query in words, signatures and paths."""
    task = _bounded(query.task, profile.query.max_chars).strip()
    files = tuple(dict.fromkeys(path for path in map(path_of, query.files[:FILES]) if path))
    nothing = not (task or files or any(error.strip() for error in query.errors))
    if nothing:
        return Asked(query, (), (), (), (), True)
    from tacit.words.passages import passages_of

    told = [task, *(error.strip()[-ERROR_CHARS:] for error in query.errors)]
    passages = passages_of("\n".join(each for each in told if each))
    named = _names(files) if files else []
    signatures = tuple(dict.fromkeys(mark for error in query.errors for mark in _signatures(error)))
    return Asked(query, passages, tuple(named), signatures, files, False)


def _bounded(text: str, most: int) -> str:
    """A text, or its beginning and its end: what is asked stands before a paste or after it."""
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-(most // 2) :]}"


def _names(files: Iterable[str]) -> list[str]:
    from tacit.words.tokens import query_words

    return query_words(" ".join(path.rpartition("/")[2] for path in files))


def _signatures(error: str) -> tuple[str, ...]:
    from tacit.words.diagnose import signatures

    return signatures(error) if error.strip() else ()


def path_of(path: str) -> str:
    """A path as it is compared: forward slashes, no leading ./, no line number."""
    plain = path.strip().replace("\\", "/").removeprefix("./")
    head, _, line = plain.rpartition(":")
    return head if head and line.isdigit() else plain


def shared_path(mine: Iterable[str], asked_for: Iterable[str]) -> float:
    """How near two sets of files are: 1 where one is the same, ½ in the same folder, 0 otherwise.

    Paths come absolute from one source and relative from another, so one that ends with the other is the same.
    """
    best = 0.0
    wanted = list(asked_for)
    for each in mine:
        path = path_of(each)
        for other in wanted:
            if path == other or path.endswith("/" + other) or other.endswith("/" + path):
                return 1.0
            folder = path.rpartition("/")[0]
            if folder and _same_folder(folder, other.rpartition("/")[0]):
                best = 0.5
    return best


def _same_folder(one: str, other: str) -> bool:
    return one == other or (bool(other) and (one.endswith("/" + other) or other.endswith("/" + one)))


def task_type_of(profile: Profile, text: str) -> str:
    """The type of a task, told from its text: the first of the profile's types with a hit."""
    folded = text.lower()
    how = profile.tasks.match
    for each in profile.tasks.types:
        if any(_holds(folded, word, how) for word in each.words):
            return each.name
    return profile.tasks.otherwise


def _holds(text: str, word: str, how: str) -> bool:
    at = text.find(word)
    while at >= 0:
        begins = how == "substring" or at == 0 or not text[at - 1].isalnum()
        end = at + len(word)
        if begins and (how != "word" or end == len(text) or not text[end].isalnum()):
            return True
        at = text.find(word, at + 1)
    return False
