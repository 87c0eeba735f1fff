"""What a command is for: testing, building, linting, formatting, type-checking, starting, installing, migrating.

Told from the name of the project's own task first (`mise run lint`, `npm run test:unit`, `make check`), then from the program.
"""

from __future__ import annotations

import re

from tacit.learn import shell

PURPOSES = ("test", "build", "lint", "format", "typecheck", "run", "install", "migrate")
FIXES = re.compile(r"--(?:fix|write|apply)\b|[:_-](?:fix|write)\b")  # a linter that mends what it finds

# Names of scripts and targets (`npm run lint:fix`, `make test`), the first that fits.
_SCRIPTS = tuple(
    (re.compile(rf"^(?:{names})(?:$|[:_-])"), purpose)
    for purpose, names in (
        ("test", "tests?|spec|unit|e2e|integration|vitest|jest"),
        ("typecheck", "type-?check|types|tsc|check:types|check-types"),
        ("lint", "lint|eslint|check:lint|biome|ruff|clippy"),
        ("format", "format|fmt|prettier|black"),
        ("build", "build|compile|bundle|dist|assemble"),
        ("run", "dev|start|serve|server|preview|run|up"),
        ("migrate", "migrate|migrations?|db:migrate"),
        ("install", "install|deps|setup|bootstrap"),
    )
)
_PROGRAMS = {
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
# As `shell.key` spells them.
_SUBCOMMANDS = {
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
        "migrate": "mix ecto.migrate|rails db:migrate|rake db:migrate|alembic upgrade|prisma migrate|"
        "python manage.py migrate",
    }.items()
    for command in commands.split("|")
}
_TARGETED = frozenset({"make", "gmake", "just", "task", "rake", "invoke", "inv", "poe", "gradle"})
_TASKS = frozenset({("mise", "run"), ("moon", "run"), ("nx", "run"), ("turbo", "run"), ("deno", "task")})
_WITH_MODES = frozenset({"next", "vite"})  # `vite` alone serves, `vite build` builds

_CHECKS_FORMAT = shell.word_set(
    "--check --check-formatted --diff -d -l --list-different --dry-run --list"
)  # asks whether
_RUNS_NOTHING = shell.word_set("--help --version -h -V --list --list-tests --collect-only --no-run -n --dry-run")


def purpose(call: shell.Call) -> str:
    """What a call is for: one of PURPOSES; empty where it is for something else, or runs nothing."""
    words = shell.proper(call)
    if call.inline or shell.looks(call) or _RUNS_NOTHING.intersection(words) or "version" in words[1:2]:
        return ""
    served = _served(words, shell.key(call))
    if served == "test" and words[:2] == ["go", "test"] and "-c" in words:
        return ""  # compiles
    if served == "lint" and FIXES.search(" ".join(words)):
        return "format"
    return "" if served == "format" and _CHECKS_FORMAT.intersection(words) else served


def checks_format(call: shell.Call) -> bool:
    """Whether a call asks a formatter whether all is well: it fails like a linter, and formats nothing."""
    words = shell.proper(call)
    return bool(_CHECKS_FORMAT.intersection(words)) and _served(words, shell.key(call)) == "format"


def is_task(call: shell.Call) -> bool:
    """Whether a call names a task of the project's own runner, rather than the program that the task wraps."""
    head = shell.key(call)
    return head[0] in _TARGETED or head[:2] in _TASKS or (head[0] in shell.SCRIPT_RUNNERS and head[1:2] == ("run",))


def _served(words: list[str], key: tuple[str, ...]) -> str:
    program = key[0]
    if key in _SUBCOMMANDS:
        return _SUBCOMMANDS[key]
    if program in shell.SCRIPT_RUNNERS:
        if key[1:] == ("install",):
            return "install"
        return _script(key[2]) if key[1:2] == ("run",) and len(key) > 2 else ""
    if key[:2] in _TASKS:
        return _script(key[2].rpartition(":")[2] if program == "moon" else key[2]) if len(key) > 2 else ""
    if program in _TARGETED:
        if len(key) > 1:
            return _script(key[1])
        return "build" if program in ("make", "gmake") and len(words) == 1 else ""
    if program == "pip" and key[1:2] == ("install",):
        return "install" if any(word == "." or word.startswith(("-r", "-e", "./", ".[")) for word in words[2:]) else ""
    if program in _WITH_MODES:
        return _SUBCOMMANDS.get((program, *words[1:2]), "")
    return _PROGRAMS.get(program, "")


def _script(name: str) -> str:
    return next((served for pattern, served in _SCRIPTS if pattern.match(name)), "")
