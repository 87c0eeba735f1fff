"""What a command is for: to test, build, lint, format, check types or everything at once, generate, start, install or migrate.

Told from the name of the project's own task first (`mise run lint`, `npm run test:unit`, `scripts/check.sh`), then from the program.
"""

from __future__ import annotations

import re

from tacit.learn import shell
from tacit.learn.notice.tasks import inner, task_of

PURPOSES = ("test", "build", "lint", "format", "typecheck", "check", "generate", "run", "install", "migrate")
FIXES = re.compile(r"--(?:fix|write|apply)\b|[:_-](?:fix|write)\b")  # a linter that mends what it finds

# Names of tasks (`npm run lint:fix`, `make test`), the first that fits.
_TASKS = tuple(
    (re.compile(pattern), purpose)
    for purpose, pattern in (
        (
            "generate",
            r"^(?:generate|gen|codegen|render|proto|protos|openapi)(?:$|[:_-])|[:_-](?:generate|codegen|gen)$",
        ),
        ("test", r"^(?:tests?|spec|unit|e2e|integration|vitest|jest)(?:$|[:_-])"),
        ("typecheck", r"^(?:type-?check|types|tsc|check:types|check-types)(?:$|[:_-])"),
        ("lint", r"^(?:lint|eslint|check:lint|biome|ruff|clippy)(?:$|[:_-])"),
        ("format", r"^(?:format|fmt|prettier|black)(?:$|[:_-])"),
        ("build", r"^(?:build|compile|bundle|dist|assemble)(?:$|[:_-])"),
        ("check", r"^(?:checks?|ci|verify|validate|check-all|check:all|pre-?commit|preflight)$"),
        ("run", r"^(?:dev|start|serve|server|preview|run|up)(?:$|[:_-])"),
        ("migrate", r"^(?:migrate|migrations?|db:migrate)(?:$|[:_-])"),
        ("install", r"^(?:install|deps|setup|bootstrap)(?:$|[:_-])"),
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
        "generate": "go generate|buf generate|sqlc generate|prisma generate",
        "migrate": "mix ecto.migrate|rails db:migrate|rake db:migrate|alembic upgrade|prisma migrate|"
        "python manage.py migrate",
    }.items()
    for command in commands.split("|")
}
_WITH_MODES = frozenset({"next", "vite"})  # `vite` alone serves, `vite build` builds

# asks whether
_CHECKS_FORMAT = shell.word_set("--check --check-formatted --diff -d -l --list-different --dry-run --list")
_RUNS_NOTHING = shell.word_set("--help --version -h -V --list --list-tests --collect-only --no-run -n --dry-run")


def purpose(call: shell.Call) -> str:
    """What a call is for: one of PURPOSES; empty where it is for something else, or runs nothing."""
    within = inner(call)
    if within is not None:
        return purpose(within)
    words = shell.proper(call)
    if call.inline or shell.looks(call) or _RUNS_NOTHING.intersection(words) or "version" in words[1:2]:
        return ""
    served = _served(call, words)
    if served == "test" and words[:2] == ["go", "test"] and "-c" in words:
        return ""  # compiles
    if served == "lint" and FIXES.search(" ".join(words)):
        return "format"
    return "" if served == "format" and _CHECKS_FORMAT.intersection(words) else served


def checks_format(call: shell.Call) -> bool:
    """Whether a call asks a formatter whether all is well: it fails like a linter, and formats nothing."""
    words = shell.proper(call)
    return bool(_CHECKS_FORMAT.intersection(words)) and _served(call, words) == "format"


def is_task(call: shell.Call) -> bool:
    """Whether a call names a task of the project's own, rather than the program that the task wraps."""
    return bool(task_of(call))


def _served(call: shell.Call, words: list[str]) -> str:
    key = shell.key(call)
    program = key[0]
    if key in _SUBCOMMANDS:
        return _SUBCOMMANDS[key]
    task = task_of(call)
    if task:
        return next((served for pattern, served in _TASKS if pattern.search(task)), "")
    if program in shell.SCRIPT_RUNNERS:
        return "install" if key[1:] == ("install",) else ""
    if program in ("make", "gmake"):
        return "" if shell.proper(call)[1:] and not words[1].startswith("-") else "build"
    if program == "pip" and key[1:2] == ("install",):
        return "install" if any(word == "." or word.startswith(("-r", "-e", "./", ".[")) for word in words[2:]) else ""
    if program in _WITH_MODES:
        return _SUBCOMMANDS.get((program, *words[1:2]), "")
    return _SUBCOMMANDS.get((program, *words[1:2]), "") or _PROGRAMS.get(program, "")
