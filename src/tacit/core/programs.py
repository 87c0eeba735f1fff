"""Which programs a command line runs, and whether a lesson is about one of them."""

from __future__ import annotations

from itertools import pairwise

from tacit.lesson import ABOUT as ABOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.lesson import Lesson

_LONGEST = 4_000  # characters of a command line that are looked at: what is written into files by it names no program
LOOKING = frozenset(
    "[ : ! do done elif else esac fi for function if in then until while case local return break continue read let eval trap"
    " awk basename cat cd clear column cut date dirname du echo env export false file find grep head hostname id jq less ls"
    " mkdir more printenv printf ps pwd readlink realpath rg sed set sleep sort source stat tail tee test time touch tr tree true type"
    " uname uniq wait wc which whoami xargs yes".split()
)
# Commands that only look, of programs that do more.
LOOKING_COMMANDS = {
    program: frozenset(words.split())
    for program, words in {
        "git": "status diff log show branch rev-parse remote blame ls-files ls-remote ls-tree describe grep cat-file "
        "reflog shortlog show-ref rev-list tag check-ignore",
        "npm": "ls list view info outdated root prefix config why explain -v --version",
        "pnpm": "ls list view outdated why root config -v --version",
        "yarn": "list info why outdated config -v --version",
        "pip": "show list freeze index config check",
        "uv": "tree version",
        "cargo": "tree metadata search version",
        "go": "list env version doc",
        "docker": "ps logs images inspect version info stats top",
        "kubectl": "get describe logs top version explain",
        "gh": "auth status",
        "mix": "help hex.info hex.docs deps.tree deps xref",
        "systemctl": "status list-units is-active",
        "brew": "list info search",
        "apt": "list search show policy",
    }.items()
}
# with an argument: a lesson may be about that
_CHANGES_TOO = ("branch", "remote", "tag", "config", "deps", "auth")
# In front of a program: themselves, their options, and for some one argument.
WRAPPERS = frozenset(
    "sudo env time nice nohup timeout exec command npx pnpx bunx uvx stdbuf".split()
)
RUNNERS = {
    **dict.fromkeys(("uv", "poetry", "pdm", "pipenv"), "run"),
    **dict.fromkeys(("bundle", "pnpm"), "exec"),
}
RUNNERS |= dict.fromkeys(("python", "python3"), "-m")
# Programs of many commands: a lesson about `git stash` is none about `git commit`.
MANY_COMMANDS = frozenset(
    "apt apt-get aws az brew bun bundle cargo composer deno docker docker-compose dotnet gcloud gh git glab go gradle gradlew helm"
    " just kubectl make mise mix mvn npm nx pip pip3 pnpm podman poetry rails systemctl terraform turbo uv yarn".split()
)
NESTED = ("aws", "az", "gcloud", "gh", "glab")  # and those whose commands have commands
# options before a command that take a word
_VALUED = "--filter -F -C -c --dir --cwd --prefix --workspace".split()
ENGLISH = frozenset(
    "at bash cc code dd go just kill link make man node open php play python run serve sh split tar test top watch".split()
)


def programs(line: str) -> tuple[str, ...]:
    """The programs that a command line runs, by their plain names; none that only look."""
    return tuple(dict.fromkeys(name for name, _ in _calls(line)))


def acting(line: str) -> tuple[str, ...]:
    """Those about which something may be told before the line runs: none whose command only looks (`git log`)."""
    return tuple(
        dict.fromkeys(name for name, words in _calls(line) if not _only_looks(name, words))
    )


def _calls(line: str) -> list[tuple[str, list[str]]]:
    """Each program of a line that does more than look, and the words of its call."""
    parts = [part.split() for part in _parts(line[:_LONGEST])]
    return [(name, words) for words in parts if (name := _program(words)) and name not in LOOKING]


def only_looks(head: str) -> bool:
    """Whether a command, as `head_of` says it, only looks: `gh pr view`."""
    words = head.split()
    return words[0] == "gh" and words[-1] in ("view", "list", "status", "diff", "checks")


def _only_looks(name: str, words: list[str]) -> bool:
    said = _bare(_after(words, name))[:1]
    return bool(said) and said[0] in LOOKING_COMMANDS.get(name, ()) and said[0] not in _CHANGES_TOO


def _after(words: list[str], name: str) -> list[str]:
    """What follows a program in its words."""
    spoken = [word.strip("'\"").rpartition("/")[2] for word in words]
    return words[spoken.index(name) + 1 :]


def _parts(line: str) -> list[str]:
    line = line.partition("<<")[0]  # what is written into a file or a message runs nothing
    for quote in ("'", '"'):
        if quote in line and ("\n" in line or "|" in line):
            line = quote.join(
                part
                for at, part in enumerate(line.split(quote))
                if at % 2 == 0 or not _is_text(part)
            )
    for mark in ("&&", "||", ";", "|", "&", "(", ")", "{", "}"):
        line = line.replace(mark, "\n")
    return line.split("\n")


def _is_text(quoted: str) -> bool:
    """Whether a quoted word runs nothing: a message of several lines, or the pattern of a search (`"SIWE|401"`)."""
    return "\n" in quoted or ("|" in quoted and " | " not in quoted and "||" not in quoted)


def _program(words: list[str]) -> str:
    at = 0
    while at < len(words):
        word = words[at].strip("'\"")
        name = word.rpartition("/")[2]
        ahead = words[at + 1] if at + 1 < len(words) else ""
        if RUNNERS.get(name) == ahead and ahead:
            at += 2
        elif (
            name in WRAPPERS
            or "=" in word.partition("/")[0]
            or word.startswith("-")
            or word[:1].isdigit()
        ):
            at += 1
        else:
            return (
                name
                if name.strip("._-+")
                .replace("-", "")
                .replace("_", "")
                .replace(".", "")
                .replace("+", "")
                .isalnum()
                else ""
            )
    return ""


def commands_of(memory: Lesson) -> dict[str, tuple[str, ...]]:
    """The commands before which a lesson is told, each with the parts of its text that are about
    it; without parts all of it is."""
    if memory.klass in ("command", "estimate"):
        return {}
    known = memory.extra.get(ABOUT) if memory.extra else None
    if not isinstance(known, dict):
        return {head: () for span in memory.text.split("`")[1::2] if (head := head_of(span))}
    told = {
        name: tuple(part for part in parts if part in memory.text) for name, parts in known.items()
    }
    if any(told.values()) or not any(known.values()):
        return {name: parts for name, parts in told.items() if parts or not known[name]}
    return dict.fromkeys([name for name in known if name in memory.text] or known, ())


def part_about(memory: Lesson, line: str, names: tuple[str, ...]) -> str:
    """What a lesson says of the programs that a line runs; empty where that is nothing."""
    about = commands_of(memory)
    parts: dict[str, None] = {}
    for program, some in about.items():
        if runs_command(line, program):
            if not some:
                return memory.text
            parts.update(dict.fromkeys(some))
    if parts:
        lead, colon, _ = memory.text.partition(": ")
        return f"{lead}{colon}{', '.join(parts)}."
    if memory.klass in ("command", "estimate") or isinstance((memory.extra or {}).get(ABOUT), dict):
        return ""
    if about and all(name in MANY_COMMANDS for name in names):
        return ""  # it says which command, and this is another
    return (
        memory.text
        if any(_is_called(name, memory, line) for name in names if name not in ENGLISH)
        else ""
    )


# before the name of a program
_CHOICE = frozenset("use using prefer run with via not never avoid than of".split())
# behind it
_BESIDES = frozenset("not never for instead over rather when whenever if and or only".split())


def _is_called(name: str, memory: Lesson, line: str) -> bool:
    """Whether prose calls the program as the line does, or says whether to use it; a cure of a program with one use is about all of it."""
    words = memory.text.split()
    plain = [word.strip(".,;:!?\"'()[]").lower() for word in words]
    for at, word in enumerate(plain):
        if word != name:
            continue
        whole = (
            words[at].lower().rstrip(".,;:!?)") != words[at].lower() or plain[at + 1 : at + 2] == []
        )
        if name in MANY_COMMANDS or plain[at + 1 : at + 2] == ["run"]:
            head = (
                ""
                if whole
                else head_of(
                    " ".join((name, *(each.rstrip(".,;:") for each in words[at + 1 : at + 8])))
                )
            )
            if head and runs_command(line, head):
                return True
        elif memory.klass in ("fix", "pitfall") or (
            not whole and words[at + 1].startswith(("-", "/", "."))
        ):
            return True
        if plain[at - 1 : at] and plain[at - 1] in _CHOICE and (whole or plain[at + 1] in _BESIDES):
            return True
    return False


def head_of(command: str) -> str:
    """What tells a command from others: its program, and of a program with many commands which of them; empty where it runs none."""
    for name, words in _calls(command):
        if name not in MANY_COMMANDS:
            return name
        rest = [word for word in _bare(_after(words, name)) if not word.startswith("-")]
        if rest == ["run"] and name not in ("docker", "podman"):
            return ""  # of a task that is not named
        deep = bool(rest) and (name in NESTED or rest[0] in ("run", "exec", "compose"))
        return f"{name} {' '.join(rest[: 1 + deep])}" if rest else ""
    return ""


def _bare(rest: list[str]) -> list[str]:
    """What follows a program, from its command on: `--filter web build` is `build`."""
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        at += 2 if rest[at] in _VALUED else 1
    return rest[at:]


def runs_command(line: str, command: str) -> bool:
    """Whether a line runs a command, whatever options and arguments follow; `npm test` is `npm run test`, `pnpm tsc` is `pnpm exec tsc`."""
    spelled = {command, command.replace(" run ", " ", 1), command.replace(" exec ", " ", 1)}
    for part in _parts(line[:_LONGEST]):
        words = part.split()
        name = _program(words)
        if not name:
            continue
        spoken = [word.strip("'\"").rpartition("/")[2] for word in words]
        at = spoken.index(name)
        if command in spoken[:at]:
            return True  # in front of another program: `timeout 60 make`
        called = " ".join((name, *_bare(words[at + 1 :]))) + " "
        if any(called.startswith(f"{each} ") for each in spelled):
            return True
    return False


_DEFINES = frozenset(
    "def class function fn func const let var interface type struct enum trait impl module macro".split()
)


def defined_names(code: str) -> list[str]:
    """The names that a piece of code defines."""
    words = "".join(
        char if char.isalnum() or char == "_" else " " for char in code[:_LONGEST]
    ).split()
    return list(dict.fromkeys(after for before, after in pairwise(words) if before in _DEFINES))


# What commands are for: programs, and commands of programs as `reading.command` spells them. Tasks of a project are told by their names.
SERVING_PROGRAMS = {
    program: purpose
    for purpose, programs in {
        "test": "pytest tox nox jest vitest mocha ava rspec phpunit ctest unittest ginkgo karma gotestsum nosetests",
        "lint": "eslint flake8 pylint rubocop golangci-lint shellcheck stylelint ktlint swiftlint hadolint oxlint",
        "format": "black prettier gofmt rustfmt isort clang-format shfmt",
        "typecheck": "mypy pyright basedpyright pyre tsc vue-tsc",
        "build": "webpack tsup esbuild ninja",
        "run": "uvicorn gunicorn streamlit nodemon",
    }.items()
    for program in programs.split()
}
SERVING_COMMANDS = {
    tuple(command.split()): purpose
    for purpose, commands in {
        "test": "cargo test|cargo nextest|go test|gradle test|gradle check|mvn test|mvn verify|mix test|dotnet test|"
        "swift test|rake test|rails test|flutter test|dart test|deno test|bazel test|zig test|sbt test|stack test|"
        "cabal test|dune test|dune runtest|playwright test|cypress run|python manage.py test|ng test",
        "build": "cargo build|go build|gradle build|gradle assemble|mvn package|mvn install|mvn compile|mix compile|"
        "dotnet build|swift build|flutter build|bazel build|zig build|sbt compile|stack build|cabal build|dune build|"
        "next build|vite build|docker compose build|ng build",
        "lint": "cargo clippy|go vet|mix credo|flutter analyze|dart analyze|deno lint|ruff check|biome check|"
        "biome lint|pre-commit run|next lint|ng lint",
        "format": "cargo fmt|go fmt|mix format|dotnet format|dart format|deno fmt|ruff format|biome format",
        "typecheck": "cargo check|mix dialyzer|deno check",
        "run": "cargo run|go run|gradle bootRun|mix phx.server|dotnet run|rails server|flutter run|next dev|vite dev|"
        "docker compose up|python manage.py runserver|flask run|ng serve",
        "install": "mix deps.get|uv sync|poetry install|bundle install|composer install|go mod download|pipenv install",
        "generate": "go generate|buf generate|sqlc generate|prisma generate",
        "migrate": "mix ecto.migrate|rails db:migrate|rake db:migrate|alembic upgrade|prisma migrate|"
        "python manage.py migrate",
    }.items()
    for command in commands.split("|")
}
_ASKED = {  # words of a task, and of a task's name -> what for
    word: purpose
    for purpose, words in {
        "test": "test tests testing spec e2e",
        "install": "install deps dependencies",
        "lint": "lint linter linting",
        "format": "format fmt formatter",
        "build": "build compile",
        "typecheck": "typecheck",
        "migrate": "migrate migration migrations",
        "deploy": "deploy deployment redeploy",
        "release": "release publish",
        "commit": "commit",
        "push": "push",
    }.items()
    for word in words.split()
}


def purposes_in(task: str) -> tuple[str, ...]:
    """What for a task may run commands, by its words: `test` of "run the tests"."""
    words = "".join(char if char.isalnum() else " " for char in task.lower()).split()
    return tuple(dict.fromkeys(_ASKED[word] for word in words if word in _ASKED))


def words_serving(purposes: tuple[str, ...]) -> list[str]:
    """Words of commands that serve these purposes, by which lessons about them are found."""
    return [
        word
        for table in (_ASKED, SERVING_PROGRAMS)
        for word, purpose in table.items()
        if purpose in purposes
    ]


def purpose_of(command: str) -> str:
    """What a command that a lesson names is for: `pytest`, `cargo test`, `npm run lint:fix`, `git commit`; empty if not plain."""
    head = head_of(command).split()
    if not head:
        return ""
    if len(head) == 1:
        return SERVING_PROGRAMS.get(head[0], "")
    served = SERVING_COMMANDS.get(tuple(head))
    return served or _ASKED.get(head[-1].replace("-", ":").replace("_", ":").partition(":")[0], "")
