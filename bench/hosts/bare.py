#!/usr/bin/env python3
"""What reaches the model when a host's program is called as a mere model: `claude -p` with these flags.

    bare.py --host claude-code-newest -- --tools '' --strict-mcp-config …

The home and the project are full of bait: hooks, an MCP server, memory files, skills, agents, project instructions, each with
a word of its own. Whatever of it stands in a request, or ran, is named. Exit status 1 where anything did, or where the model was
offered a tool. `bare()` is the same for a test.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from drive import ROOT, World  # noqa: E402
from model import Model  # noqa: E402
from programs import PROGRAMS, Program, install  # noqa: E402

ASKED = "Say which words you can read."


@dataclass(frozen=True)
class Reached:
    """What a call came to."""

    requests: int
    tools: tuple[str, ...]  # that the model was offered
    bait: tuple[str, ...]  # words of ours that it could read
    ran: tuple[str, ...]  # hooks and servers of the user's that were started
    answer: str
    code: int

    @property
    def clean(self) -> bool:
        """Whether the model was asked, and had nothing but the question."""
        return self.requests > 0 and not (self.tools or self.bait or self.ran)


def lay_bait(home: Path, project: Path) -> None:
    """Files that this host may load, each with a word that nothing else holds."""
    fired = home / "fired"
    fired.mkdir()

    def hook(event: str, level: str) -> dict[str, object]:
        context = {
            "hookSpecificOutput": {
                "hookEventName": event,
                "additionalContext": f"BAIT-hook-{level}-{event}",
            }
        }
        script = home / f"hook-{level}-{event}.sh"
        script.write_text(
            f"#!/bin/sh\ncat >/dev/null; touch {fired}/hook-{level}-{event}; echo '{json.dumps(context)}'\n"
        )
        script.chmod(0o755)
        return {"hooks": [{"type": "command", "command": str(script)}]}

    def settings(level: str) -> str:
        events = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
        return json.dumps(
            {
                "hooks": {event: [hook(event, level)] for event in events},
                "permissions": {"allow": ["Bash"]},
            }
        )

    server = {"command": "sh", "args": ["-c", f"touch {fired}/mcp-server; cat >/dev/null"]}
    files = {
        home / ".claude" / "settings.json": settings("user"),
        home / ".claude" / "CLAUDE.md": "BAIT-user-memory\n",
        home
        / ".claude"
        / "agents"
        / "helper.md": "---\nname: helper\ndescription: BAIT-user-agent\n---\nBAIT-user-agent\n",
        home
        / ".claude"
        / "skills"
        / "shop"
        / "SKILL.md": "---\nname: shop\ndescription: BAIT-user-skill\n---\nBAIT-user-skill\n",
        home
        / ".claude"
        / "commands"
        / "shop.md": "---\ndescription: BAIT-user-command\n---\nBAIT-user-command\n",
        home / ".claude" / "rules" / "shop.md": "BAIT-user-rule\n",
        project / ".claude" / "settings.json": settings("project"),
        project / ".claude" / "settings.local.json": settings("local"),
        project / ".claude" / "rules" / "shop.md": "BAIT-project-rule\n",
        project
        / ".claude"
        / "skills"
        / "till"
        / "SKILL.md": "---\nname: till\ndescription: BAIT-project-skill\n---\nBAIT-project-skill\n",
        project / "CLAUDE.md": "BAIT-project-memory\n",
        project / "CLAUDE.local.md": "BAIT-local-memory\n",
        project / "AGENTS.md": "BAIT-agents-file\n",
        project / ".mcp.json": json.dumps({"mcpServers": {"bait": server}}),
        project / "BAIT-file-name.txt": "nothing\n",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    known = json.loads((home / ".claude.json").read_text())
    known["mcpServers"] = {"bait-user": server}
    known["projects"][str(project)]["enabledMcpjsonServers"] = ["bait"]
    (home / ".claude.json").write_text(json.dumps(known))


def bare(
    program: Program, flags: Sequence[str], model: Model, folder: Path, *, in_project: bool = False
) -> Reached:
    """Call the program with these flags, the question on its standard input: from an empty folder, as Tacit asks models, or
    from a project full of bait."""
    world = World(folder, model)
    world.env.update(program.ready(world.home, world.project, model.url))
    lay_bait(world.home, world.project)
    model.play({"main": [{"say": "none"}]}, untold="none")
    apart = folder / "apart"
    apart.mkdir()
    cwd = world.project if in_project else apart
    done = subprocess.run(
        [program.path, "-p", *flags],
        cwd=cwd,
        env=world.env,
        input=ASKED,
        capture_output=True,
        text=True,
        timeout=180,
    )
    asked = model.seen(tools=False)
    words = {
        word.strip("\"'`.,:;()[]{}<>")
        for each in asked
        for word in each.text.split()
        if "BAIT-" in word
    }
    ran = sorted(each.name for each in (world.home / "fired").iterdir())
    tools = sorted({name for each in asked for name in each.tools})
    return Reached(
        len(asked),
        tuple(tools),
        tuple(sorted(words)),
        tuple(ran),
        done.stdout.strip()[:400] or done.stderr.strip()[:400],
        done.returncode,
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--host", default="claude-code-newest", help="claude-code-newest or claude-code-npm"
    )
    parser.add_argument("--programs", type=Path, default=ROOT / ".hosts")
    parser.add_argument(
        "--in-project",
        action="store_true",
        help="call it in the project instead of an empty folder",
    )
    parser.add_argument("flags", nargs="*", help="after --: what stands behind `claude -p`")
    given = parser.parse_args()
    [program] = [
        install(each, given.programs)
        for each in PROGRAMS
        if f"{each.host}-{each.pick}" == given.host
    ]
    if program.missing:
        print(f"{program.name}: {program.missing}")
        return 2
    with tempfile.TemporaryDirectory(prefix="tacit-bare-") as folder:
        found = bare(program, given.flags, Model(), Path(folder), in_project=given.in_project)
    print(f"{program.name} -p {' '.join(given.flags)}")
    for name, told in (
        ("requests", found.requests),
        ("tools", found.tools),
        ("read", found.bait),
        ("ran", found.ran),
        ("answer", found.answer),
    ):
        print(f"  {name:9} {told if isinstance(told, (int, str)) else ', '.join(told) or 'none'}")
    return 0 if found.clean else 1


if __name__ == "__main__":
    sys.exit(main())
