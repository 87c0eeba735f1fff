"""Which programs a shell line runs, which of them only look, and what commands are for."""

from __future__ import annotations

from tacit.core.shell_line import bare, simple_commands
from tacit.lesson import ABOUT as ABOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 4_000  # characters of a line that are looked at
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


def programs(line: str) -> tuple[str, ...]:
    """The programs that a command line runs, by their plain names; none that only look."""
    return tuple(dict.fromkeys(name for name, _ in _called(line)))


def acting(line: str) -> tuple[str, ...]:
    """Those about which something may be told before the line runs: none whose command only looks (`git log`)."""
    return tuple(dict.fromkeys(name for name, rest in _called(line) if not _looks(name, rest)))


def head_of(line: str) -> str:
    """What tells a command from others: its program, and of a program with many commands which of them; empty where it runs none."""
    for name, rest in _called(line):
        if name not in MANY_COMMANDS:
            return name
        plain = [word for word in _from_command(rest) if not word.startswith("-")]
        if plain == ["run"] and name not in ("docker", "podman"):
            return ""  # of a task that is not named
        deep = bool(plain) and (name in NESTED or plain[0] in ("run", "exec", "compose"))
        return f"{name} {' '.join(plain[: 1 + deep])}" if plain else ""
    return ""


def _called(line: str) -> Iterator[tuple[str, list[str]]]:
    """Each program of a line that does more than look, and the words behind it."""
    for words, *_ in simple_commands(line[:_LONGEST]):
        name, rest = _program([bare(word) for word in words])
        if name and name not in LOOKING:
            yield name, rest


def _program(words: list[str]) -> tuple[str, list[str]]:
    """The program of a call by its plain name, without wrappers and runners, and what follows it."""
    at = 0
    while at < len(words):
        word = words[at]
        name = word.rpartition("/")[2]
        if words[at + 1 : at + 2] == [RUNNERS.get(name)]:
            at += 2
        elif name in WRAPPERS or "=" in word.partition("/")[0] or word[:1] in "-0123456789{}":
            at += 1
        else:
            return (name, words[at + 1 :]) if _is_plain(name) else ("", [])
    return "", []


def _is_plain(name: str) -> bool:
    return "".join(char for char in name if char not in "._-+").isalnum()


def _looks(name: str, rest: list[str]) -> bool:
    said = _from_command(rest)[:1]
    return bool(said) and said[0] in LOOKING_COMMANDS.get(name, ()) and said[0] not in _CHANGES_TOO


def _from_command(rest: list[str]) -> list[str]:
    """What follows a program, from its command on: `--filter web build` is `build`."""
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        at += 2 if rest[at] in _VALUED else 1
    return rest[at:]


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
