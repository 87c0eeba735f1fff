"""Whose words a shell line prints: the project's own, or somebody else's.

Own is a whitelist: looking at the work tree, git on this repository, the project's runners, and scripts that are
tracked or that the agent wrote, *where every word of the line that is a path is tracked or was written by the agent,
every folder is a work tree of this repository, and every ref is local or taken in by HEAD*.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from tacit.core.shell_line import simple_commands, substitutions, unquoted
from tacit.safety.repository import Repository

# Programs that print what their arguments say, or nothing.
_SILENT = frozenset(
    "cd pushd popd echo printf true false : sleep wait kill export set unset mktemp mkdir touch cp"
    " mv rm rmdir ln chmod test [ [[ exit trap umask return shift local do done then fi else break"
    " read".split()
)
# Programs that look: at names and sizes, and at what stands in files.
_NAMES = frozenset(
    "ls tree find fd du stat file wc pwd which type basename dirname realpath readlink date whoami"
    " uname md5sum sha256sum".split()
)
_ANYWHERE = frozenset("which type date pwd whoami uname basename dirname".split())
_FILES = frozenset(
    "cat head tail sed awk grep egrep fgrep rg ag less more nl diff cmp sort uniq cut tr jq yq xxd"
    " od strings column comm paste tac fold tee base64".split()
)
_PATTERN_FIRST = frozenset("sed awk grep egrep fgrep rg ag jq yq tr".split())
_SEARCHES = frozenset("grep egrep fgrep rg ag".split())
# The project's runners: whatever they print is the project's own, also what it prints of others.
_RUNNERS = frozenset(
    "make just task rake tox nox pytest jest vitest tsc eslint ruff mypy pyright gofmt biome"
    " prettier golangci-lint ctest cmake gradle mvn".split()
)
# And programs of which some commands run what the project wrote.
_RUNNING: dict[str, frozenset[str]] = {
    program: frozenset(rest.split())
    for program, rest in (
        ("go", "test build vet run fmt generate version"),
        ("cargo", "test build check clippy fmt run nextest bench"),
        ("npm", "run test t start run-script"),
        ("pnpm", "run test build lint typecheck dev start"),
        ("yarn", "run test build lint"),
        ("bun", "run test build"),
        ("mise", "run tasks"),
        ("deno", "test task lint fmt check"),
        ("dotnet", "test build"),
    )
}
_INTERPRETERS = frozenset("python python3 node bun deno ruby perl bash sh zsh tsx ts-node".split())
_MODULES = frozenset("pytest unittest mypy ruff compileall".split())  # behind `python -m`
_GIT = frozenset(
    "status diff log show ls-files grep blame rev-parse branch add commit checkout switch restore"
    " stash rebase merge reset tag worktree config mv rm merge-base rev-list cherry-pick"
    " symbolic-ref show-ref ls-tree cat-file diff-tree shortlog reflog check-ignore apply am clean"
    " update-index init version push remote".split()
)
_HISTORY = frozenset("log show blame grep shortlog cat-file rev-list reflog".split())
_LAYS = frozenset("cherry-pick merge rebase restore checkout switch".split())
_READS_REFS = frozenset(
    "log show diff grep blame cherry-pick merge rev-list reflog shortlog ls-tree cat-file".split()
)
# Verbs that bring nothing into the work tree; one that is neither here nor above may bring anything.
_STAYS = frozenset(
    "fetch clone describe ls-remote for-each-ref notes archive hash-object help bundle bisect gc"
    " fsck format-patch name-rev range-diff var count-objects whatchanged difftool prune lfs"
    " diff-index diff-files rerere sparse-checkout maintenance verify-commit verify-tag".split()
)
# Options of git with a value that is no ref.
_NO_REF = frozenset(
    "-m -F -s -X -b -B -c -C --orphan --message --file --strategy --strategy-option".split()
)
_OWN_VARIABLES = frozenset("PWD OLDPWD RANDOM SECONDS LINENO PIPESTATUS FUNCNAME".split())
_VARIABLE = re.compile(r"\$\{?[#!]?([A-Za-z_]\w*)")
_SETS = re.compile(r"([A-Za-z_]\w*)(?:\[\w*\])?\+?=")
_LONG_PATH = re.compile(r"(?:^|[\s=])((?:/|~|\.\./)[^\s'\";]+)")  # one that may lie elsewhere
_WRAPPERS = frozenset("env time nohup nice command exec stdbuf builtin".split())
_KEYWORDS = frozenset("if while until for do then else elif !".split())
# Options whose value is written to or is a pattern: no path that is read.
_NOT_READ = frozenset(
    "-o --out-dir --outdir --output -coverprofile --coverprofile -name -path -run -e --include"
    " --exclude --glob -g --filter".split()
)
_FOLDER_OPTIONS = frozenset("-C --prefix --dir --directory --cwd --manifest-path".split())
_FILE_OPTIONS = frozenset("-f -p -c --config --file --project --makefile".split())
_UPSTREAM = re.compile(r"@\{(?:u|upstream|push)\b")
_NOTHING_CAME = re.compile(
    r"^(?:Already up to date\.|fatal: |Current branch \S+ is up to date\.)", re.M
)
_STAT = re.compile(r"^ (\S.*?) +\| +(?:\d+|Bin)\b", re.M)
_PATCHED = re.compile(r"^patching file '?(\S.*?)'?$", re.M)
_CHANGED = re.compile(r"^ (\d+) files? changed", re.M)
_REF = re.compile(r"(?:origin|upstream|refs|pr)[/-]|FETCH_HEAD|[0-9a-f]{7,40}$")
_PATH = re.compile(r"(?:[~.]{0,2}/)?[\w.+-]+(?:/[\w.+-]*)+")
_SOMEBODYS = re.compile(r"/(?:node_modules|vendor|\.venv|site-packages|target)(?:/|$)")


@dataclass(frozen=True, slots=True)
class Call:
    """One simple command of a line."""

    words: tuple[str, ...]
    fed: bool = False  # reads a pipe
    inline: bool = False  # reads a here-document
    reads: tuple[str, ...] = ()  # files by `<`
    writes: tuple[str, ...] = ()

    @property
    def run(self) -> tuple[str, ...]:
        """Without assignments, keywords and what only runs what follows."""
        rest = list(self.words)
        while rest:
            if re.match(r"\w+\+?=", rest[0]) or rest[0] in _WRAPPERS or rest[0] in _KEYWORDS:
                rest = rest[1:]
            elif rest[0] in ("timeout", "gtimeout") and len(rest) > 2:
                rest = rest[2:]
            elif rest[:2] in (["mise", "exec"], ["mise", "x"], ["uv", "run"], ["poetry", "run"]):
                rest = rest[rest.index("--") + 1 :] if "--" in rest else rest[2:]
            else:
                break
        return tuple(rest) or (("printenv",) if self.words == ("env",) else ())

    @property
    def program(self) -> str:
        run = self.run
        return run[0].rpartition("/")[2] if run else ""


def calls(line: str) -> Iterator[Call]:
    """The simple commands of a line; what stands in substitutions is commands too."""
    for words, before, _, inline, writes, reads in simple_commands(line):
        plain = [(unquoted(word) or word).replace("\0", "") for word in words]
        plain = [word.strip("(){}") if word not in ("{}", "(") else word for word in plain]
        if any(plain):
            yield Call(
                tuple(word for word in plain if word),
                before in ("|", "|&"),
                inline,
                tuple(reads),
                tuple(writes),
            )
    for inner in substitutions(line):
        yield from calls(inner)


@dataclass(frozen=True, slots=True)
class Printed:
    """What a line prints: whose, by which program, and whether it is judged line by line."""

    outside: str = ""  # the program that makes it somebody else's; empty: the project's own
    by_line: bool = False
    written: bool = False  # it shows a file that the agent itself put into words


OWN = Printed()


@dataclass
class Shell:
    """A session's shell, followed call by call: where it stands, and what lies over the tree."""

    repository: Repository
    folder: str = ""
    foreign: str = ""  # somebody else's branch or patch that lies over the work tree
    written: set[str] = field(default_factory=set)  # the agent's own, or what its own lines printed
    worded: set[str] = field(default_factory=set)  # of these what it wrote word by word
    brought: set[str] = field(default_factory=set)  # by a line that is outside
    branches: set[str] = field(default_factory=set)
    fetched: bool = False  # a remote's branches are no longer what HEAD had taken in
    stashed: int = 0  # stashes that the session made itself
    comes: bool = False  # the last line lays commits of others over the tree
    laid: bool = False  # some lie there: the history speaks with their words
    overlaid: bool = False  # and which files they changed nobody said
    variables: set[str] = field(default_factory=set)  # that the session set, of its own

    def __post_init__(self) -> None:
        self.folder = self.folder or self.repository.root
        self.branches |= self.repository.branches | {"main", "master", "HEAD"}

    # --- paths --------------------------------------------------------------------------------

    def path(self, word: str, folder: str) -> str:
        return os.path.normpath(os.path.join(folder, os.path.expanduser(word)))

    def tree(self, path: str) -> str:
        """The work tree that a path lies in; empty where it lies elsewhere."""
        trees = (tree for tree in self.repository.trees if (path + "/").startswith(tree + "/"))
        return max(trees, key=len, default="")

    def inside(self, folder: str) -> bool:
        tree = self.tree(folder)
        return bool(tree) and not _SOMEBODYS.search(folder[len(tree) :])

    def is_own(self, word: str, folder: str) -> bool:
        """A tracked path, or a file that the agent wrote itself."""
        if re.search(r"[$`]", word) or self.foreign or self.comes:
            return False
        full = self.path(word, folder)
        if any(full == each or full.startswith(f"{each}/") for each in self.brought):
            return False
        tree = self.tree(full)
        if tree and self.repository.tracks(os.path.relpath(full, tree)):
            return not self.overlaid
        return full in self.written

    def took_in(self, output: str) -> None:
        """What the last line laid over the tree: the files that git counted, or any of them."""
        if not self.comes:
            return
        self.comes = False
        paths, counted = _STAT.findall(output), _CHANGED.search(output)
        patched = _PATCHED.findall(output)
        if not counted and not patched and _NOTHING_CAME.search(output):
            return
        self.laid, trees = True, self.repository.trees
        whole = bool(patched) or (counted is not None and int(counted[1]) == len(paths))
        paths += patched
        if not whole or any("..." in path or "=>" in path for path in paths):
            self.overlaid = True
        self.brought.update(self.path(path, tree) for path in paths for tree in trees)

    # --- lines --------------------------------------------------------------------------------

    def printed(self, line: str, folder: str = "") -> Printed:
        """Whose words a line prints; it is followed at once."""
        here, by_line, why = folder or self.folder, False, ""
        worded, sets = False, set[str]()
        for call in calls(line):
            run = call.run
            sets |= _sets(call)
            if not run:
                continue
            if call.program in ("cd", "pushd"):
                target = run[1] if len(run) > 1 else ""
                here = self.path(target, here) if "$" not in target else "?"
                continue
            if call.program == "git":
                self._follow_git(call, here, fed=bool(why and call.fed))
            if call.program == "patch":
                self._patches(call, run, here, fed=bool(why and call.fed))
            said = self._one(call, run, here)
            if call.program in ("echo", "printf") and not _told(run) <= self.variables | sets:
                said = Printed(f"{call.program} of a variable that nobody set here")
            if not said.outside and call.program not in _SILENT | {"git"}:
                strange = self._strange_path(call.words, run, here)
                said = Printed(f"{call.program} with an untracked path") if strange else said
            why, by_line = why or said.outside, by_line or said.by_line
            worded = worded or any(self.path(each, here) in self.worded for each in run[1:])
            if said.outside:
                self.brought.update(self._poured(call, run, here))
            into = self.brought if why else self.written
            into.update(self.path(each, here) for each in (*call.writes, *_written(call, run)))
            if call.inline:
                self.worded.update(self.path(each, here) for each in call.writes)
        if not folder:
            self.folder = here
        if not why:
            self.variables |= sets
        return Printed(why, by_line and not why, worded and not why)

    def _poured(self, call: Call, run: tuple[str, ...], here: str) -> Iterator[str]:
        """The project's files that a call names beside a path elsewhere: it may have written the
        one from the other, unless it only looks."""
        in_place = any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in run[1:])
        far = (self.path(path, here) for word in run[1:] for path in _LONG_PATH.findall(word))
        looks = call.program in _NAMES | _FILES and not in_place
        if looks or call.program == "git" or all(self.tree(path) for path in far):
            return
        for word in run[1:]:
            value = word.partition("=")[2] if re.match(r"(?:--?)?[\w-]+=", word) else word
            full = self.path(value, here)
            is_file = os.path.relpath(full, self.tree(full) or "/") in self.repository.files
            if value and (is_file or full in self.written):
                yield full

    def _patches(self, call: Call, run: tuple[str, ...], here: str, fed: bool) -> None:
        """A patch laid over the work tree, as by `git apply`. `fed`: it reads what others printed."""
        given = [value for option, value in pairwise(run) if option in ("-i", "--input")]
        given += [word.partition("=")[2] for word in run[1:] if word.startswith("--input=")]
        strange = any(not self.is_own(each, here) for each in (*given, *call.reads))
        self.comes = self.comes or fed or strange

    def _strange_path(self, words: tuple[str, ...], run: tuple[str, ...], here: str) -> str:
        """The first word of a line that is a path, and neither tracked nor the agent's own."""
        for at, word in enumerate(words):
            value = word.partition("=")[2] if re.match(r"(?:--?)?[\w-]+=", word) else word
            if (at and words[at - 1] in _NOT_READ) or word is run[0]:
                continue
            if re.match(r"\w*(?:CACHE|TMP|TMPDIR|(?<!PYTHON)(?<!NODE_)PATH)=", word):
                continue
            if re.match(r"(?:--require|-r|--import|-javaagent)\b.", word):
                return value
            if re.search(r"[\s*?\\|^$(){}\[\]<>,@:]|\.\.\.|^-|^/dev/|^\d", value):
                continue
            looked = self.inside(self.path(value, here)) and run[0] in _NAMES
            if _PATH.fullmatch(value) and not self.is_own(value, here) and not looked:
                return value
        return ""

    def _one(self, call: Call, run: tuple[str, ...], here: str) -> Printed:
        program, plain = call.program, [word for word in run[1:] if not word.startswith("-")]
        if any(not self.is_own(path, here) for path in call.reads if path != "/dev/null"):
            return Printed(f"{program} < file")
        if program in ("tar", "unzip") or (
            program in ("cp", "mv", "rsync", "ln", "install")
            and not all(self.is_own(path, here) for path in plain[:-1])
        ):
            self.brought.update(self.path(path, here) for path in plain[-1:])
        if program in _SILENT:
            return OWN
        if program == "git":
            return Printed(self._git(run, here))
        if program in _NAMES | _FILES:
            return self._looking(call, run, plain, here)
        if not self.inside(here):
            return Printed(f"{program} in another folder")
        if program in _RUNNERS or not _RUNNING.get(program, frozenset()).isdisjoint(run[1:4]):
            return Printed(self._runner(program, run, here))
        if program in _INTERPRETERS or "/" in run[0]:
            return Printed(self._script(call, run, plain, here))
        if program == "gh" and plain[:2] == ["pr", "checkout"]:
            self.foreign = "pr"
        return Printed(program)

    def _looking(self, call: Call, run: tuple[str, ...], plain: list[str], here: str) -> Printed:
        program, options = call.program, {word for word in run[1:] if word.startswith("-")}
        if not self.inside(here) and not (call.fed and not plain) and program not in _ANYWHERE:
            return Printed(f"{program} in another folder")
        if program in ("find", "fd") and options & {"-exec", "-execdir", "-x", "--exec"}:
            return Printed("find -exec")
        if _reads_by_script(program, run):
            return Printed(f"{program} with a file in its script")
        explicit = "-e" in options or any(each.startswith("--regexp") for each in options)
        behind = plain[1:] if program in _PATTERN_FIRST and not explicit else plain
        paths = [each for each in behind if not re.fullmatch(r"[+-]?\d+[a-z]?|\d+,\d+p?", each)]
        paths = plain[:1] if program == "find" else paths
        if program in _NAMES:
            at = all(self.inside(self.path(each, here)) for each in paths if "$" not in each)
            return OWN if at or program in _ANYWHERE else Printed(f"{program} elsewhere")
        if not paths and (call.fed or call.inline or call.reads or program == "tee"):
            return OWN
        if program in _SEARCHES and not all(re.search(r"\.\w+$", each) for each in paths or ["."]):
            at = all(self.inside(self.path(each, here)) for each in paths)
            return Printed(by_line=True) if at else Printed(f"{program} elsewhere")
        if not paths:
            return Printed(f"{program} of nothing")
        if all(self.is_own(each, here) for each in paths):
            return OWN
        return Printed(f"{program} of an untracked file")

    def _runner(self, program: str, run: tuple[str, ...], here: str) -> str:
        if any("://" in word or re.match(r"[\w.-]+\.\w+/.*@", word) for word in run[1:]):
            return f"{program} of an address"
        if {"--help", "-h", "help"} & {*run[1:3]} and program not in ("make", "just"):
            return f"{program} --help"
        for option, value in pairwise(run):
            if option in _FOLDER_OPTIONS and not self.inside(self.path(value, here)):
                return f"{program} in another folder"
            named = option in _FILE_OPTIONS and re.search(r"[/.]", value)
            if named and not self.is_own(value, here):
                return f"{program} with an untracked file"
        return ""

    def _script(self, call: Call, run: tuple[str, ...], plain: list[str], here: str) -> str:
        program = call.program
        if program in _INTERPRETERS:
            if call.inline or {"-c", "-e", "-p", "-", "--eval", "-ne", "-pe"} & {*run[1:]}:
                return f"{program} inline"
            if run[1:2] == ("-m",) and len(run) > 2 and run[2] in _MODULES:
                return ""
        script = run[0]
        if program in _INTERPRETERS:
            script = next((word for word in plain if word != "run"), "")
        return "" if script and self.is_own(script, here) else f"{program} that nobody tracks"

    # --- git ----------------------------------------------------------------------------------

    def _git(self, run: tuple[str, ...], here: str) -> str:
        verb, rest, here = self._parsed(run, here)
        if not self.inside(here):
            return "git of another repository"
        if verb not in _GIT or (verb == "tag" and any(word.startswith("-n") for word in rest)):
            return f"git {verb}"
        if verb == "remote" and rest[:1] not in ([], ["-v"], ["get-url"]):
            return "git remote"
        if verb == "stash" and self._of_before(rest):
            return "git stash of before"
        only_names = verb in ("status", "ls-files", "branch", "rev-parse", "checkout", "switch")
        if (self.foreign and not only_names) or ((self.comes or self.laid) and verb in _HISTORY):
            return "git of other refs"
        if "--no-index" in rest or ("--all" in rest and verb in ("log", "grep")):
            return "git of other refs"
        if verb in _READS_REFS and not all(self._ours(ref) for ref in self._refs(verb, rest, here)):
            return "git of other refs"
        return ""

    def _parsed(self, run: tuple[str, ...], here: str) -> tuple[str, list[str], str]:
        """The verb of a call of git, what stands behind it, and the folder that it is about."""
        rest = list(run[1:])
        while rest and rest[0].startswith("-"):
            if rest[0] == "-C" and len(rest) > 1:
                here = self.path(rest[1], here)
            rest = rest[2 if rest[0] in ("-C", "-c", "--git-dir", "--work-tree") else 1 :]
        return (rest[0], rest[1:], here) if rest else ("", [], here)

    def _follow_git(self, call: Call, here: str, fed: bool) -> None:
        """What a call of git lays over the work tree. `fed`: it reads what others printed."""
        verb, rest, here = self._parsed(call.run, here)
        if not self.inside(here):
            return
        plain = [word for word in rest if not word.startswith("-")]
        if verb in ("checkout", "switch", "worktree") and "--" not in rest:
            made = {"-b", "-B", "-c", "-C", "--orphan"} & {*rest}
            named = [word for word in plain if word not in ("add", "list", "remove", "prune")]
            if made:
                after = [rest[at + 1] for at, word in enumerate(rest[:-1]) if word in made]
                self.branches.update(after)
            elif verb != "worktree" and named and not self.is_own(named[0], here):
                self.foreign = "" if self._ours(named[0]) else named[0]
        if verb == "fetch":
            self.branches -= {word.partition(":")[2] for word in plain[1:] if ":" in word}
        if verb == "stash" and (not rest or rest[0][:1] == "-" or rest[0] in ("push", "save")):
            self.stashed += 1
        self.comes = self.comes or self._lays(verb, rest, plain, here)
        if verb in ("apply", "am"):
            read = (*plain, *call.reads)
            self.comes = self.comes or fed or not all(self.is_own(word, here) for word in read)
        if verb == "branch" and plain and all(self._ours(word) for word in plain[1:]):
            self.branches.add(plain[0])
        self.fetched = self.fetched or verb in ("fetch", "pull") or "update" in rest[:1]

    def _lays(self, verb: str, rest: list[str], plain: list[str], here: str) -> bool:
        """Whether a call lays commits over the tree that HEAD had not taken in."""
        if verb == "pull":
            return True
        if verb == "stash":
            return self._of_before(rest) and plain[0] in ("pop", "apply", "branch")
        if verb in ("merge", "rebase") and not rest:
            return self.fetched
        if verb and verb not in _GIT | _STAYS:
            return True
        if verb not in _LAYS and not (
            verb == "reset" and {"--hard", "--keep", "--merge"} & {*rest}
        ):
            return False
        return any(not self._ours(ref) for ref in self._refs(verb, _named_refs(verb, rest), here))

    def _of_before(self, rest: list[str]) -> bool:
        """Whether a call of `git stash` shows or takes what lay there before the session."""
        if not rest or rest[0] not in ("list", "show", "pop", "apply", "branch"):
            return False
        number = re.search(r"(?:^|\{)(\d+)\}?$", " ".join(rest[1:]))
        if rest[0] == "list":
            return not self.stashed
        return int(number[1] if number else 0) >= self.stashed

    def _refs(self, verb: str, rest: list[str], here: str) -> Iterator[str]:
        """The refs that a call of git reads."""
        for word in rest:
            if word == "--":
                return
            if word.startswith("-") or (verb == "grep" and not _REF.match(word)):
                continue
            if ":" in word or not self.is_own(word, here):
                yield from (ref for ref in re.split(r"\.{2,3}", word.split(":")[0]) if ref)

    def _ours(self, ref: str) -> bool:
        if _UPSTREAM.search(ref) or (self.fetched and ref == "FETCH_HEAD"):
            return not self.fetched
        ref = re.sub(r"[~^].*$|@\{.*$", "", ref)
        own = ("", "-", "stash") if self.stashed else ("", "-")
        near = "" if self.fetched else ref.removeprefix("origin/")
        return (
            ref in own or {ref, near} & self.branches != set() or self.repository.has_taken_in(ref)
        )


def _sets(call: Call) -> set[str]:
    """The variables that a call sets."""
    words = call.words
    if words[:1] == ("for",) or (call.run[:1] == ("read",)):
        return {word for word in words if re.fullmatch(r"[A-Za-z_]\w*", word)}
    return {found[1] for word in words if (found := _SETS.match(word))}


def _told(run: tuple[str, ...]) -> set[str]:
    """The variables that a call prints, but for those that a shell sets of itself."""
    return {name for word in run[1:] for name in _VARIABLE.findall(word)} - _OWN_VARIABLES


def _named_refs(verb: str, rest: list[str]) -> list[str]:
    """The words behind a verb that may be refs: not the value of a message or of a new name."""
    source = [word.partition("=")[2] for word in rest if word.startswith("--source=")]
    if verb == "restore":
        return source + [value for option, value in pairwise(rest) if option in ("-s", "--source")]
    named = [word for at, word in enumerate(rest) if not at or rest[at - 1] not in _NO_REF]
    if verb in ("checkout", "switch") and "--" not in rest:  # to another branch: it can be left
        return [word for word in named if _REF.match(word) or _UPSTREAM.search(word)]
    return named


def _written(call: Call, run: tuple[str, ...]) -> Iterator[str]:
    """The files that a call is told to write, beside what a shell writes for it."""
    if call.program == "tee":
        yield from (word for word in run[1:] if word[:1] != "-")
    for option, value in pairwise(run):
        if re.fullmatch(r"-[A-Za-z]{0,4}[oOd]|--(?:output|directory|out)[\w-]*", option):
            yield value
        elif option.startswith("--output="):
            yield option.partition("=")[2]


def _reads_by_script(program: str, run: tuple[str, ...]) -> bool:
    """Whether a looking program is told inside its script or by an option which file to read."""
    words = " ".join(run[1:])
    by_option = {"-f", "--file", "--pre", "--files0-from"} & {*run[1:]}
    if program in _PATTERN_FIRST and (by_option or re.search(r"--(?:pre|file)=", words)):
        return True
    if program == "awk" and "getline" in words:
        return True
    return program == "sed" and bool(re.search(r"(?:^|[\s;'\"\d])[rRwWe] ?[\w./-]+/", words))
