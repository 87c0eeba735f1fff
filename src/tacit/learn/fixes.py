"""What failed and what then worked, told in our own words over facts the harness recorded.

A failing call is followed through its lane (one agent's steps) to the next attempt at the same command. When the error
is gone there and the command ends well, what was done in between is the cure: another command, an edit to the
configuration, a file read first, another folder, or the changed command line itself. Where too much happened in
between, nobody can say what helped, and nothing is said. Where no attempt ended well and the error came three times,
or to two agents, that is a pitfall.

Only the command, paths and what a grammar recognised of the error enter the text (`failures.recognised`): no output, no code, nothing the
agent claimed, and none of the error's own prose, which anybody writes. That stands in the quote, for people. An error that nobody overcame
and that no grammar knows is nothing without its words: it is told as what it is, quoted, and waits for a person.
"""

from __future__ import annotations

import re

from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.core.words import signature
from tacit.learn import commands, failures, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tacit.core.run import Run, Step

FIX, FIX_VERSION = "fix", 1
REPEAT, REPEAT_VERSION = "repeat", 1

HORIZON = 80  # steps of one lane between a failure and its cure; further apart they are strangers
CURES = 2  # commands, and files, that one lesson may name; more of them explain nothing
BYSTANDERS = 2  # files of the work itself that may have been edited beside the configuration
REPEATS = 3  # of one error in a run, before it is a pitfall
REPEATS_ACROSS = 2  # agents that met it
MOST_PATHS = 5
ERRORS = "errors"  # the origin of their prose: whoever can write one message of a repository can write them all

EDIT_TOOLS = re.compile(r"edit|write|replace|patch|create_file|insert", re.I)
READ_TOOLS = re.compile(r"^(?:read|view|open|cat|notebookread)|read_file|view_file|str_replace_based_edit_tool", re.I)
PATH_KEYS = ("file_path", "path", "filePath", "notebook_path", "target_file", "absolute_path", "filename")

# Files that set up the work rather than being it: an edit here is a cure that a stranger can repeat.
CONFIGURATION = re.compile(
    r"(?:^|/)(?:\.[\w.-]+rc(?:\.\w+)?|\.env[\w.-]*|\.gitattributes|\.tool-versions|\.[\w-]+ignore|[\w.-]*\.config\.\w+"
    r"|config/[\w./-]+|[\w.-]+\.(?:toml|cfg|ini|ya?ml|properties|gradle|kts|csproj|sln|conf|nix|lock|tf)|package\.json"
    r"|tsconfig[\w.-]*\.json|[\w-]+rc\.json|\w+\.jsonc|mix\.exs|Gemfile|Rakefile|Makefile|CMakeLists\.txt"
    r"|Dockerfile[\w.-]*|requirements[\w.-]*\.txt|setup\.py|conftest\.py|go\.mod|pom\.xml|build\.sbt|Podfile|Procfile"
    r"|justfile|settings\.py|composer\.json|deno\.json|\.github/[\w./-]+)$"
)
CHECKING = ("test", "lint", "typecheck")  # purposes of commands that cure nothing
BOOKKEEPING = re.compile(
    r"^(?:git (?:add|commit|push|checkout|switch|restore|reset|rm|mv|merge|worktree|clone|init)|bd\b|gh\b|open\b|code\b"
    r"|rm\b|mv\b|touch\b|curl\b|wget\b)"
)
# Refused by a rule of the host about all files: which file it was does not matter.
ANY_FILE = re.compile(r"not been read|Read it first|modified since")


def fixes(run: Run) -> Iterator[Finding]:
    """Failure and cure, one finding per error and run."""
    for cases in _cures(run, _lanes(run)).values():
        first, cure = cases[0]
        paths = tuple(dict.fromkeys(path for _, each in cases for path in each.paths))
        several = first.what[0] == "edit" and len(paths) > 1
        known = _recognised(run, first)
        text = f"{_named(run, first, several)} failed{known and f': {known}'}; {cure.said} {cure.worked}."
        yield _finding(run, first, text, FIX, FIX_VERSION, "fix", paths)


def repeats(run: Run) -> Iterator[Finding]:
    """Errors that came again and again and were not overcome in this run."""
    lanes = _lanes(run)
    cured = _cures(run, lanes)
    met: dict[str, list[_Try]] = {}
    agents: dict[str, set[str]] = {}
    for lane in lanes:
        for failure in lane.tries:
            if failure.failed and failure.mark not in cured and not _overcome(failure, lane):
                met.setdefault(failure.mark, []).append(failure)
                agents.setdefault(failure.mark, set()).add(failure.step.agent)
    for mark, found in met.items():
        if len(found) < REPEATS and len(agents[mark]) < REPEATS_ACROSS:
            continue
        if failures.of_the_work(found[0].error) and len({one.line or one.path for one in found}) > 1:
            continue  # several attempts at unfinished code, not one obstacle
        paths = tuple(dict.fromkeys(shell.relative(one.path, run.cwd) for one in found if one.path))
        known = _recognised(run, found[0])
        said = f"({known})" if known else f"with `{failures.told(found[0].error, run.cwd, run.branch)}`"
        text = (
            f"{_named(run, found[0], len(paths) > 1)} failed {len(found)} times in one run {said} "
            "and was not fixed; find the cause before trying it again."
        )
        told = _finding(run, found[0], text, REPEAT, REPEAT_VERSION, "pitfall", paths)
        yield told if known else replace(told, tier="quoted", origin=ERRORS)


# --- reading a run ----------------------------------------------------------------------------------------------------


@value
class _Try:
    """One tool call as this module sees it."""

    at: int  # position among the lane's steps
    step: Step
    what: tuple[str, ...]  # equal for attempts at the same thing
    failed: bool
    error: str = ""  # telling line
    signature: str = ""  # of the class of problems: names are masked
    line: str = ""  # shell line
    call: shell.Call | None = None
    path: str = ""  # of an edit

    @property
    def mark(self) -> str:
        """The same problem again: its class and its words, numbers aside (another line of a file is no other error)."""
        return self.signature + "\n" + re.sub(r"\d+", "#", self.error)


@value
class _Lane:
    """What one agent did."""

    steps: tuple[Step, ...]
    tries: tuple[_Try, ...]

    def between(self, failure: _Try, after: _Try) -> tuple[Step, ...]:
        """The steps that went well after a failure, up to and without the attempt that did."""
        return tuple(
            step
            for step in self.steps[failure.at + 1 : after.at]
            if step.tool and not step.error and not step.interrupted
        )


def _lanes(run: Run) -> list[_Lane]:
    lanes: dict[str, list[Step]] = {}
    for step in run.steps:
        lanes.setdefault(step.agent, []).append(step)
    return [_Lane(tuple(steps), tuple(_tries(run, steps))) for steps in lanes.values()]


def _tries(run: Run, steps: Sequence[Step]) -> Iterator[_Try]:
    for at, step in enumerate(steps):
        if step.tool and not step.interrupted and (one := _try(run, at, step)) is not None:
            yield one


def _try(run: Run, at: int, step: Step) -> _Try | None:
    line = shell.command_of(step)
    call = shell.main_call(line) if line else None
    path = "" if line else _edited(step)
    what: tuple[str, ...]
    if call is not None and call.writes and shell.looks(call):
        what = ("edit", call.writes[0])
    elif call is not None and not shell.looks(call):
        what = ("shell", *shell.key(call))
    elif line:
        return None
    else:
        what = ("edit", path) if path else ("tool", step.tool)
    if not step.error:
        piped = call is not None and (call.piped or call.fed)
        unseen = (piped and failures.shows_failure(step.output)) or (line and failures.unfinished(step.output))
        return None if unseen else _Try(at, step, what, False, line=line, call=call, path=path)
    error = failures.telling_line(step.error)
    if failures.says_nothing(step.error, error) or (what[0] != "shell" and failures.is_a_guess(error)):
        return None
    # Made from the telling line alone: an edit's error repeats the code that was not found, a build's its chatter.
    said = failures.told(error, run.cwd, run.branch)
    return _Try(at, step, what, True, error, signature(said) or signature(f"error: {said}"), line, call, path)


def _edited(step: Step) -> str:
    return _path(step) if EDIT_TOOLS.search(step.tool) and step.tool.lower() != "todowrite" else ""


def _path(step: Step) -> str:
    for key in PATH_KEYS:
        said = (step.input or {}).get(key)
        if isinstance(said, str) and said:
            return said
    return step.files[0] if step.files else ""


def _overcome(failure: _Try, lane: _Lane) -> bool:
    return any(one.at > failure.at and not one.failed and one.what == failure.what for one in lane.tries)


# --- what helped ------------------------------------------------------------------------------------------------------


@value
class _Cure:
    """What stood between a failure and the attempt that went well."""

    said: str  # "running `npm ci` first"
    worked: str  # "made it pass"
    paths: tuple[str, ...] = ()


def _cures(run: Run, lanes: Sequence[_Lane]) -> dict[str, list[tuple[_Try, _Cure]]]:
    """Errors overcome in a way worth telling: by error, the first failure and the cure of each case."""
    cures: dict[str, list[tuple[_Try, _Cure]]] = {}
    for lane in lanes:
        for failed, after in _cured(lane):
            cure = _cure(run, lane, failed[-1], after)
            if cure is not None:
                cures.setdefault(failed[0].mark, []).append((failed[0], cure))
    return cures


def _cured(lane: _Lane) -> Iterator[tuple[list[_Try], _Try]]:
    """(the failures with one error, the attempt at the same thing where it was gone), for what ended well."""
    by_what: dict[tuple[str, ...], list[_Try]] = {}
    for one in lane.tries:
        by_what.setdefault(one.what, []).append(one)
    for same in by_what.values():
        start = 0
        while start < len(same):
            end = start
            if same[start].failed:
                while end + 1 < len(same) and same[end + 1].failed and same[end + 1].mark == same[start].mark:
                    end += 1
                later = same[end + 1 :]
                if any(not one.failed for one in later) and later[0].at - same[end].at <= HORIZON:
                    yield same[start : end + 1], later[0]
            start = end + 1


def _cure(run: Run, lane: _Lane, failure: _Try, after: _Try) -> _Cure | None:
    if failure.what[0] == "edit":
        return _reading_first(run, lane, failure, after)
    if failure.what[0] == "tool":
        return _arguments_given(failure, after)
    return _command_cure(run, lane, failure, after)


def _reading_first(run: Run, lane: _Lane, failure: _Try, after: _Try) -> _Cure | None:
    if after.failed or not failure.path:
        return None
    if not any(_reads(step, failure.path) for step in lane.between(failure, after)):
        return None
    again = not ANY_FILE.search(failure.error) and any(_reads(step, failure.path) for step in lane.steps[: failure.at])
    said = f"reading the file {'again ' if again else ''}first"
    return _Cure(said, "made it work", (shell.relative(failure.path, run.cwd),))


def _reads(step: Step, path: str) -> bool:
    return bool(step.tool and READ_TOOLS.search(step.tool)) and not step.error and _path(step) == path


def _arguments_given(failure: _Try, after: _Try) -> _Cure | None:
    """The tool refused its arguments; the next call brought those it named."""
    if after.failed or not failures.of_the_surroundings(failure.error):
        return None
    before = failure.step.input or {}
    added = [
        key
        for key in after.step.input or {}
        if key not in before and re.search(rf"\b{re.escape(key)}\b", failure.step.error)
    ]
    return _Cure("giving " + _listed(added[:3]), "made it work") if added else None


def _command_cure(run: Run, lane: _Lane, failure: _Try, after: _Try) -> _Cure | None:
    assert failure.call is not None and after.call is not None
    edited, ran = _between(run, lane, failure, after)
    settings = [path for path in edited if CONFIGURATION.search(path)]
    surroundings = failures.of_the_surroundings(failure.error)
    if len(ran) > CURES or len(settings) > CURES:
        return None
    if edited and (not settings or not surroundings or len(edited) - len(settings) > BYSTANDERS):
        return None
    if _of_the_moment(failure.call) and (not surroundings or not ran or edited or _changed(failure.call, after.call)):
        return None
    now = shell.shown(after.call, run.cwd, run.branch)
    if ran and not settings and not after.failed and shell.bare(failure.call.words[0]) != shell.bare(after.call.words[0]):
        return _Cure(f"running {_listed(ran)}, then `{now}`", "worked")
    if ran or settings:
        parts = [f"editing {_listed(settings)}"] if settings else []
        parts += [f"running {_listed(ran)}"] if ran else []
        said = " and ".join(parts) + ("" if settings else " first")
        return _Cure(said, "got past this error" if after.failed else "made it pass", tuple(settings))
    if after.failed:
        return None
    if folder := _moved_to(run, lane, failure, after):
        return _Cure(f"`cd {folder} && {now}`", "worked")
    varied = _changed(failure.call, after.call) and now != shell.shown(failure.call, run.cwd, run.branch)
    if varied and surroundings and not failures.is_a_guess(failure.error):
        return _Cure(f"`{now}`", "worked")
    return None


def _between(run: Run, lane: _Lane, failure: _Try, after: _Try) -> tuple[list[str], list[str]]:
    """Files edited and commands run with effect before an attempt went well; the attempt's own first half included."""
    edited: dict[str, None] = {}
    ran: dict[str, None] = {}
    for step in (*lane.between(failure, after), after.step):
        if path := _edited(step):
            edited[shell.relative(path, run.cwd)] = None
        for call in shell.calls(shell.command_of(step)):
            if step is after.step and call == after.call:
                break
            words = shell.proper(call)
            files = [path for path in call.writes if not path.startswith(("/tmp", "/dev", "/scratch"))]
            if words[0] in ("sed", "perl") and any(word.startswith("-i") for word in words):
                files = words[-1:]
            edited.update(dict.fromkeys(shell.relative(path, run.cwd) for path in files))
            if not files and not call.fed and ("shell", *shell.key(call)) != failure.what and _has_effect(call):
                ran[shell.shown(call, run.cwd, run.branch)] = None
    return list(edited), list(ran)


def _has_effect(call: shell.Call) -> bool:
    """The call may have cured something: it is not there to look, to check, to keep the books or to try things out."""
    if shell.key(call)[0] in shell.NEUTRAL or shell.looks(call) or _of_the_moment(call):
        return False
    return commands.purpose(call) not in CHECKING and not BOOKKEEPING.match(" ".join(shell.proper(call)[:2]))


def _of_the_moment(call: shell.Call) -> bool:
    """A script written into the command line: nobody will run it again."""
    return call.inline or shell.key(call)[-1] == "-c"


def _moved_to(run: Run, lane: _Lane, failure: _Try, after: _Try) -> str:
    """The folder in which the command went well, where it had failed in another."""
    assert failure.call is not None and after.call is not None
    folder = after.call.folder
    for step in () if folder else lane.between(failure, after):
        folder = commands.went_to(shell.command_of(step)) or folder
    before = failure.call.folder or run.cwd
    if not folder or folder.rstrip("/") == before.rstrip("/"):
        return ""
    shown = shell.relative(folder, run.cwd)
    return "" if shown.startswith(("/tmp", "$", "-")) else shown


def _changed(before: shell.Call, now: shell.Call) -> bool:
    return list(map(shell.bare, before.words)) != list(map(shell.bare, now.words)) or before.env != now.env


# --- wording ----------------------------------------------------------------------------------------------------------


def _named(run: Run, failure: _Try, several: bool) -> str:
    if failure.call is not None:
        return f"`{shell.shown(failure.call, run.cwd, run.branch)}`"
    if not failure.path:
        return f"`{failure.step.tool}`"
    if several or ANY_FILE.search(failure.error):
        return f"`{failure.step.tool}` of a file"
    return f"`{failure.step.tool}` of `{shell.relative(failure.path, run.cwd)}`"


def _recognised(run: Run, failure: _Try) -> str:
    return failures.recognised(failure.step.error, failure.error, run.cwd)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _finding(
    run: Run, first: _Try, text: str, extractor: str, version: int, kind: str, paths: tuple[str, ...]
) -> Finding:
    return Finding(
        run=run.id,
        place=first.step.place,
        text=text,
        extractor=extractor,
        version=version,
        kind=kind,
        by="tool",
        tier="observed",
        severity="warning",
        paths=paths[:MOST_PATHS],
        signature=first.signature,
        quote=failures.told(first.error),
        at=first.step.at,
    )
