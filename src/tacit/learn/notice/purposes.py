"""What a command is for: to test, build, lint, format, check types or everything at once, generate, start, install or migrate.

Told from the name of the project's own task first (`mise run lint`, `npm run test:unit`, `scripts/check.sh`), then from the program.
"""

from __future__ import annotations

import re

from tacit.core.programs import SERVING_COMMANDS, SERVING_PROGRAMS
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
    if key in SERVING_COMMANDS:
        return SERVING_COMMANDS[key]
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
        return SERVING_COMMANDS.get((program, *words[1:2]), "")
    return SERVING_COMMANDS.get((program, *words[1:2]), "") or SERVING_PROGRAMS.get(program, "")
