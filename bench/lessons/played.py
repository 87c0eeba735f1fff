"""Every hook of a session, played as its host would fire it: its start, each prompt, before commands, edits and reads, after failures.

It is played on a copy of the store, so that the feeding knows nothing of it: once with the coins as they fall, once without any. One line per
answer: the moment, where it stands in the session, what was given and withheld, the tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
from bench.lessons.need import _copy

if TYPE_CHECKING:
    from bench.lessons.feed import Session, World

ERROR = 4_000  # characters of an output that the host passes
START_TOKENS = (
    150,
    200,
    300,
    450,
)  # starts of other sizes, each played beside the whole session of the default
WITHOUT = 'extends = "default"\nname = "uncoined"\n[trial]\nrate = 0.0\nrate_heard = 0.0\nrate_severe = 0.0\nrate_watch = 0.0\n'


def every_hook(world: World, session: Session, place: Path) -> dict[str, list[dict[str, Any]]]:
    """What each hook of a session says: under `coins` as they fall, under `plain` without them; and starts of other sizes."""
    store = next(world.home.rglob("tacit.db"), None)
    if store is None:
        return {"coins": [], "plain": []}  # nothing was learned yet
    arms = {"coins": "", "plain": WITHOUT}
    arms |= {
        f"start-{tokens}": f"{WITHOUT}[budget]\nstart_tokens = {tokens}\n"
        for tokens in START_TOKENS
    }
    found: dict[str, list[dict[str, Any]]] = {}
    for arm, profile in arms.items():
        twin = world.folder / "played.db"
        _copy(store, twin)
        try:
            if profile:
                judge_by(world, twin, profile)
            found[arm] = list(
                _played(world, twin, session, place, only_start=arm.startswith("start-"))
            )
        finally:
            for each in world.folder.glob("played.db*"):
                each.unlink()
    return found


def judge_by(world: World, twin: Path, profile: str) -> None:
    """Let another profile judge the project of a copied store: a project keeps the one it was made with, whatever settings say later."""
    import tacit
    from tacit.app.settings import put_profile
    from tacit.profiles import compiled_profile

    with tacit.open(str(twin), env=world.env(), cwd=str(world.repository)) as memories:
        put_profile(memories, compiled_profile(profile, "uncoined.toml"), {})


def events(place: Path, folder: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The events of a session: ours, its place in the session, and the host's payload."""
    from tacit.formats import read
    from tacit.formats.source import FileSource
    from tacit.learn.command import line_of

    yield "session-start", "start", {"hook_event_name": "SessionStart", "source": "startup"}
    for run in read(FileSource(str(place))):
        for number, step in enumerate(run.steps):
            at = {"tool_use_id": f"t{number}", "tool_name": step.tool}
            if step.role == "user" and step.typed and step.text:
                yield (
                    "prompt",
                    step.place,
                    {
                        "hook_event_name": "UserPromptSubmit",
                        "prompt": step.text,
                        "prompt_id": f"p{number}",
                    },
                )
                continue
            if not step.tool:
                continue
            line, given = line_of(step), step.input or {}
            touched = next(
                (
                    given[key]
                    for key in ("file_path", "path", "notebook_path")
                    if isinstance(given.get(key), str)
                ),
                "",
            )
            if line:
                called = {"tool_input": {"command": line}, "tool_name": "Bash"}
                yield (
                    "before-command",
                    step.place,
                    {"hook_event_name": "PreToolUse", **at, **called},
                )
            elif touched and step.tool.startswith(
                ("Edit", "MultiEdit", "Write", "NotebookEdit", "Read")
            ):
                part = {
                    key: given[key]
                    for key in ("old_string", "content")
                    if isinstance(given.get(key), str)
                }
                yield (
                    "before-command",
                    step.place,
                    {
                        "hook_event_name": "PreToolUse",
                        **at,
                        "tool_input": {"file_path": touched, **part},
                    },
                )
            if line and (step.error or step.status):
                said = {
                    "error": (step.error or step.output)[-ERROR:],
                    "tool_input": {"command": line},
                }
                yield (
                    "tool-failure",
                    step.place,
                    {"hook_event_name": "PostToolUseFailure", **at, **said},
                )


def _played(
    world: World, twin: Path, session: Session, place: Path, *, only_start: bool
) -> Iterator[dict[str, Any]]:
    from tacit.surfaces.hooks import respond_and_tell

    env = world.env() | {"TACIT_NO_WORKER": "1", "CLAUDE_PROJECT_DIR": str(world.repository)}
    common = {
        "session_id": f"{session.id}-played",
        "cwd": str(world.repository),
        "transcript_path": "",
    }
    with apsw.Connection(str(twin), flags=apsw.SQLITE_OPEN_READONLY) as seen:
        last = int(seen.execute("SELECT coalesce(max(id), 0) FROM injection").fetchall()[0][0])
    for name, where, payload in events(place, str(world.repository)):
        if only_start and where != "start":
            return
        _, told = respond_and_tell(
            name, {**common, **payload}, env, host="claude-code", store=str(twin)
        )
        with apsw.Connection(str(twin), flags=apsw.SQLITE_OPEN_READONLY) as seen:
            answers = seen.execute(
                "SELECT id, surface, tokens, given, withheld FROM injection WHERE id > ?", (last,)
            ).fetchall()
        for row, surface, tokens, injected, withheld in answers:
            last = max(last, row)
            lines = [line for line in told.context.splitlines() if line.startswith("- [")]
            yield {
                "moment": surface.removeprefix("hook:"),
                "place": where,
                "tokens": tokens,
                "given": json.loads(injected),
                "withheld": json.loads(withheld),
                "lines": lines,
            }
