"""`tacit inject`: what an agent should know before a run.

Runs for each prompt, so its arguments are read by hand. Without a store, or with one that is busy
or unreadable, it prints nothing, warns, and leaves the agent alone (exit 0), unless `--strict` is given.
"""

from __future__ import annotations

import os
import sys

from tacit.core.value import replace
from tacit.hooks import recalling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.errors import TacitError
    from tacit.hooks.events import Injection
    from tacit.memory import Memory as Memories

_INJECT_WITHIN = 0.15  # seconds; what cannot be recorded by then is not given
_FACETS = (
    "agent",
    "domain",
    "task_type",
    "task_id",
    "mission",
    "category",
    "kind",
    "risk",
    "command",
)
ONE = {
    f"--{name.replace('_', '-')}": name
    for name in (*_FACETS, "run", "task", "budget", "render", "store", "project", "like", "by")
}
ONE["--prompt"] = "task"
MANY = {"--file": "files", "--error": "errors"}
FLAGS = "--wrap --no-trial --repeat --json --quiet --strict --yes --help -h".split()
BUDGET_LEVELS = ("lean", "balanced", "deep", "auto")

USAGE = """\
usage: tacit inject [options]

What an agent should know before a run, as markdown. With --run what is told and left out is recorded;
without one it is a look: what your agent hears and when.

the run:
  --run ID            the run that asks; without one it is a look, and nothing is recorded
  --prompt TEXT       what is to be done, or asked; without one, what recurs here leads
  --task-id ID  --mission ID  --task-type TYPE  --domain NAME
  --agent NAME        the agent or role that asks
  --file PATH         a file it is about; may be repeated
  --error TEXT        an error that just happened; may be repeated
  --command LINE      a command that is about to run
  --category NAME     --kind NAME          only lessons filed so

the answer:
  --budget LEVEL      lean, balanced, deep or auto
  --render NAME       another wording      --wrap     fence it
  --no-trial          withhold nothing     --json     one JSON document
  --repeat            also what this run was told before: another agent of it, a compaction

everywhere: --store FILE  --project NAME  --like NAME  --quiet  --strict

examples:
  tacit inject                              at a terminal: what the next session is told, and what later
  tacit inject --command 'git commit'       … before that command
  tacit inject --prompt 'fix the failing migration test' --file db/migrate.py
  tacit inject --run "$RUN" --agent reviewer --budget lean"""


class Options:
    """The arguments, read."""

    def __init__(self) -> None:
        self.one: dict[str, str] = {}
        self.many: dict[str, list[str]] = {"files": [], "errors": []}
        self.flags: set[str] = set()
        self.fault = ""
        self.hint = "tacit inject --help"


def main(args: Sequence[str], env: Mapping[str, str] | None = None) -> int:
    """Run the command and return its exit code."""
    from tacit.core.errors import TacitError, UsageError

    options, env = parse(args), os.environ if env is None else env
    if options.flags & {"--help", "-h"}:
        sys.stdout.write(USAGE + "\n")
        return 0
    if options.fault:
        return _fail(options, UsageError(options.fault, options.hint))
    look = not ("run" in options.one or _run_in(env))  # no run is named, so nothing is recorded
    plain = {"--json", "--wrap"} & options.flags or "render" in options.one
    try:
        if look and sys.stdout.isatty() and not plain:  # a person looks
            sys.stdout.write(_looked(options, env))
            return 0
        given = _answer(options, env, look)
    except TacitError as error:
        if "--strict" in options.flags or error.exit_code == 2:
            return _fail(options, error)
        return _silent(options, error.message)
    return _print(options, given, look)


def parse(args: Sequence[str]) -> Options:
    """The options: `--x y` and `--x=y`, repeatable where it says so, the verb anywhere among them."""
    options = Options()
    words = iter(args)
    verb = False
    for word in words:
        name, equals, attached = word.partition("=")
        if name in ONE or name in MANY:
            value = attached if equals else next(words, None)
            if value is None:
                options.fault = f"tacit inject: {name} needs a value."
                break
            if name in MANY:
                options.many[MANY[name]].append(value)
            else:
                options.one[ONE[name]] = value
        elif word in FLAGS:
            options.flags.add(word)
        elif word == "inject" and not verb:
            verb = True
        elif word.startswith("-"):
            options.fault, options.hint = f"tacit inject: {word} is not understood.", _nearest(name)
            break
        else:
            options.fault = f"tacit inject: {word!r} is not understood."
            options.hint = "What is to be done stands behind --task: tacit inject --task 'TEXT'"
            break
    if not options.fault and options.one.get("budget", "auto").lower() not in BUDGET_LEVELS:
        options.fault = f"tacit inject: {options.one['budget']!r} is not a budget."
        options.hint = f"One of: {', '.join(BUDGET_LEVELS)}."
    return options


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, [*ONE, *MANY, *FLAGS], 1, 0.5)
    return f"Did you mean {near[0]}?" if near else "tacit inject --help"


def _run_in(env: Mapping[str, str]) -> str:
    from tacit.hosts import run_in_shell

    return run_in_shell(env)


def _open(options: Options, env: Mapping[str, str], **more: float) -> Memories:
    from tacit.memory import open

    one = options.one
    named = (one.get("store"), one.get("project"), one.get("like"))
    signed: dict[str, Any] = {"by": one.get("by", ""), "yes": "--yes" in options.flags}
    return open(*named, env=env, create=False, **signed, **more)


def _answer(options: Options, env: Mapping[str, str], look: bool) -> Injection:
    one, flags = options.one, options.flags
    with _open(options, env, wait=_INJECT_WITHIN) as memories:
        memories.store.hurry()

        given = recalling.inject(
            memories,
            one.get("task", ""),
            run=one.get("run") or _run_in(env),
            host=host_of(env) if "run" not in one else "cli",
            surface="cli",
            budget=one.get("budget", ""),
            render=one.get("render", ""),
            wrap=True if "--wrap" in flags else None,
            trial="--no-trial" not in flags,
            repeat="--repeat" in flags,
            look=look,
            files=tuple(options.many["files"]),
            errors=tuple(options.many["errors"]),
            **_facets(one),
        )
        return given if given.markdown or given.note else replace(given, note=_waiting(memories))


def _looked(options: Options, env: Mapping[str, str]) -> str:
    from tacit.cli.peek import peeked

    with _open(options, env) as memories:
        return peeked(memories, options.one, options.many, _facets(options.one))


def _waiting(memories: Memories) -> str:
    """That there would be something to give, if a person had looked at it; empty where there is nothing."""
    from tacit.core.errors import numbered
    from tacit.store.lookups import held_of_late

    held = held_of_late(memories.store, memories.project_id) if memories.project_id else 0
    many = numbered(held, "lesson is", "lessons are")
    told = f"nothing is given; {many} held until a person says yes: tacit review, at a terminal"
    return told if held else ""


def _facets(one: Mapping[str, str]) -> dict[str, Any]:
    return {name: one[name] for name in _FACETS if name in one}


def host_of(env: Mapping[str, str]) -> str:
    """The host in whose shell this runs, by the marker it sets: the run it names with TACIT_RUN is that host's."""
    from tacit.hosts import HOSTS

    found = (host for host, marks in HOSTS.items() if marks.shell and env.get(marks.shell))
    return next(found, "cli")


def _print(options: Options, given: Injection, look: bool) -> int:
    if "--json" in options.flags:
        _envelope(_data(given), [given.note] if given.note else [])
        return 0
    notes = ["a look: nothing was recorded; --run ID records it"] if look else []
    notes += [given.note] if given.note else []
    sys.stdout.write(given.markdown)
    if "--quiet" not in options.flags:
        sys.stderr.write("".join(f"note: {note}\n" for note in notes))
    sys.stdout.flush()
    return 0


def _data(given: Injection | None) -> dict[str, Any]:
    if given is None:
        nothing: dict[str, Any] = {"run": None, "markdown": "", "tokens": 0}
        return {**nothing, "injected": [], "withheld": [], "suppressed": []}
    left_out = [{"id": each.id, "reason": each.reason} for each in given.suppressed]
    names = ("run", "markdown", "tokens")
    told = {"injected": [*given.injected], "withheld": [*given.withheld], "suppressed": left_out}
    return {**{name: getattr(given, name) for name in names}, **told}


def _silent(options: Options, why: str) -> int:
    """Nothing is given, and nobody is stopped by it."""
    if "--json" in options.flags:
        _envelope(_data(None), [why])
    if "--quiet" not in options.flags:
        sys.stderr.write(f"tacit: nothing is given: {why}\n")
    return 0


def _fail(options: Options, error: TacitError) -> int:
    if "--json" in options.flags:
        _json({"ok": False, "error": error.json})
    else:
        sys.stderr.write(f"tacit: {error.message}\n" + (f"  {error.hint}\n" if error.hint else ""))
    return error.exit_code


def _envelope(data: dict[str, Any], warnings: list[str]) -> None:
    _json({"ok": True, "schema": 1, "data": data, "warnings": warnings})


def _json(answer: dict[str, Any]) -> None:
    import json

    line = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    sys.stdout.write(line + "\n")
