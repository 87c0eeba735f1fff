"""Which commands test, build, lint, format, type-check and run this project: facts a run shows by using them.

A command counts once it was seen to succeed. One finding per purpose: the general form is preferred to one for a single
file, then the form used most. What belongs to the moment (folders of this machine, pipes into `tail`, verbosity,
environment noise) is left out, so that two runs say the same words and the second confirms the first.
"""

from __future__ import annotations

import re

from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.learn import failures, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.core.run import Run, Step

NAME, VERSION = "command", 1

# Purpose -> what the lesson says of a general form, and of a form seen for single files only (empty: nothing).
WORDING = {
    "test": ("Tests of this project run with `{}`.", "Single test files of this project run with `{}`."),
    "build": ("This project is built with `{}`.", ""),
    "lint": ("This project is linted with `{}`.", "Single files of this project are linted with `{}`."),
    "format": ("Code of this project is formatted with `{}`.", "Single files of this project are formatted with `{}`."),
    "typecheck": ("Types of this project are checked with `{}`.", ""),
    "run": ("This project is started with `{}`.", ""),
    "install": ("Dependencies of this project are installed with `{}`.", ""),
    "migrate": ("Database migrations of this project run with `{}`.", ""),
}

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
_TARGETED = frozenset({"make", "gmake", "just", "task", "rake", "invoke", "inv", "nx", "turbo", "gradle"})
_WITH_MODES = frozenset({"next", "vite"})  # `vite` alone serves, `vite build` builds

# How loudly a command reports, or in which order it goes, is the moment's choice.
_MOMENTARY = re.compile(
    r"^(?:-q+|-v+|-s|-x|-ra?|--no-color|--no-header|--no-cov|--yes|-y"
    r"|--(?:verbose|quiet|silent|trace|stale|failed|lf|last-failed|ff|exitfirst|watch|bail|ci|progress|debug|stats)"
    r"(?:=\S*)?"
    r"|--(?:tb|colou?r|reporters?|seed|maxfail|max-failures|durations|log-level|log-cli-level|output|timeout|max-cases"
    r"|workers|port|only|cov\S*)=\S+)$"
)
_MOMENTARY_WITH_VALUE = shell.word_set(
    """
    --seed --maxfail --max-failures --tb --color --reporter --timeout --port -p --log-level --max-cases --durations
    """
)
_SELECTING = shell.word_set(
    "-k -t --grep -g --testNamePattern --testPathPattern -run --run --only --filter --tests --test"
)
_CHECKS_FORMAT = shell.word_set("--check --check-formatted --diff -l --list-different --dry-run")  # asks whether
_FILE = re.compile(r"[\w*-]\.\w{1,6}(?:[:#]\S*)?$|::|:\d+$|\*")
_SETTINGS = (".toml", ".cfg", ".ini", ".json", ".yml", ".yaml", ".mjs", ".cjs")  # a file, but not one it works on
_ELSEWHERE = re.compile(r"^(?:/tmp|/var|/private/tmp|/scratch)\b|\$TMP|\$\(|^~/?$|\.\./\.\.")


@value
class _Form:
    """One way a purpose was served."""

    text: str
    single: bool  # for single files only
    place: str
    at: str
    count: int = 1


def commands(run: Run) -> Iterator[Finding]:
    """How this project is tested, built, linted, formatted, type-checked, started: one finding per purpose."""
    forms: dict[str, dict[str, _Form]] = {}
    for step, call in _calls(run):
        served = purpose(call)
        said = _general(call, run.cwd) if served else None
        if said is None or (said[1] and not WORDING[served][1]):
            continue
        known = forms.setdefault(served, {})
        form = known.get(said[0])
        known[said[0]] = replace(form, count=form.count + 1) if form else _Form(*said, step.place, step.at)
    for served, known in forms.items():
        best = min(known.values(), key=lambda form: (form.single, -form.count, len(form.text), form.text))
        first = next(iter(known.values()))
        yield Finding(
            run=run.id,
            place=first.place,
            text=WORDING[served][best.single].format(best.text),
            extractor=NAME,
            version=VERSION,
            kind="command",
            by="tool",
            tier="observed",
            tags=(served,),
            quote=best.text,
            at=first.at,
        )


def purpose(call: shell.Call) -> str:
    """What a call is for: a key of WORDING; empty where it is for something else."""
    words = shell.proper(call)
    if call.inline or "--help" in words or "--version" in words:
        return ""
    served = _served(words, shell.key(call))
    return "" if served == "format" and _CHECKS_FORMAT.intersection(words) else served


def went_to(line: str) -> str:
    """The folder a line goes to, where it does nothing else."""
    found = shell.calls(line)
    if len(found) == 1 and found[0].words[0] == "cd" and len(found[0].words) == 2:
        return shell.bare(found[0].words[1])
    return ""


def _served(words: list[str], key: tuple[str, ...]) -> str:
    program = key[0]
    if key in _SUBCOMMANDS:
        return _SUBCOMMANDS[key]
    if program in shell.SCRIPT_RUNNERS:
        if key[1:] == ("install",):
            return "install"
        return _script(key[2]) if key[1:2] == ("run",) and len(key) > 2 else ""
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


def _calls(run: Run) -> Iterator[tuple[Step, shell.Call]]:
    """The calls that the record shows to have succeeded, each with the folder it ran in as far as that is known."""
    standing: dict[str, str] = {}  # by agent: where it went by a line that did nothing else, and so relies on staying
    for step in run.steps:
        line = shell.command_of(step) if step.tool and not step.interrupted and not step.error else ""
        if not line or failures.unfinished(step.output):
            continue
        if folder := went_to(line):
            standing[step.agent] = folder
        found = shell.calls(line)
        if _doubtful(line, found) and failures.shows_failure(step.output):
            continue
        for call in found:
            if call.folder:
                standing.pop(step.agent, None)
            elif step.agent in standing:
                call = replace(call, folder=standing[step.agent])
            if not call.fed:
                yield step, call


def _doubtful(line: str, found: tuple[shell.Call, ...]) -> bool:
    """The line's exit status is not that of every call in it."""
    return any(call.piped for call in found) or any(sign in line for sign in (";", "||", "\n"))


def _general(call: shell.Call, cwd: str) -> tuple[str, bool] | None:
    """A call's words without what belongs to the moment, and whether it is for single files only.

    None where it is about another place than the project.
    """
    folder = "" if call.folder.rstrip("/") in ("", ".", cwd.rstrip("/")) else shell.relative(call.folder, cwd)
    if _ELSEWHERE.search(folder) or folder.startswith(("/", "~", "$", "..")):
        return None
    kept = _kept(call, cwd)
    if kept is None:
        return None
    words, single = kept
    text = " ".join(words).removesuffix(" --")
    if not text or len(text) > shell.LONGEST_SHOWN:
        return None
    return (f"cd {folder} && {text}" if folder else text), single


def _kept(call: shell.Call, cwd: str) -> tuple[list[str], bool] | None:
    words = [env for env in call.env if shell.SPOKEN_ENV.match(env) and not env.startswith("CI=")]
    first = len(call.words) - len(shell.proper(call)) + 1  # before it stand wrappers, runners and the program
    single = skip = False
    for place, word in enumerate(call.words):
        plain = shell.bare(word)
        last = place + 1 == len(call.words)
        if skip:
            skip = False
        elif place < max(first, 1):
            words.append(word)
        elif _MOMENTARY.match(plain):
            continue
        elif plain in _MOMENTARY_WITH_VALUE and not last:
            skip = True
        elif plain in _SELECTING and not last:
            skip = single = True
        elif _ELSEWHERE.search(plain) or "\n" in word or len(plain) > shell.LONGEST_WORD:
            return None
        elif _FILE.search(plain) and not plain.startswith("-") and not plain.endswith((*_SETTINGS, "...")):
            single = True
            if words[-1] != "<file>":
                words.append("<file>")
        else:
            words.append(shell.shown(shell.Call((word,)), cwd))
    while words and words[0] in shell.WRAPPERS:
        words = words[1:]
    return (words[2:] if words and words[0] in shell.WRAPPERS_WITH_VALUE else words), single
