"""`tacit skill`: the skill for hosts that read Agent Skills, printed or put where they look."""

from __future__ import annotations

import argparse
import os

from tacit.surfaces import skill
from tacit.surfaces.cli import Answer, Cli


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", help="a folder of skills, for example .agents/skills; without one the text is printed"
    )
    parser.add_argument("--undo", action="store_true", help="take it out again, unless somebody changed it")
    parser.epilog = (
        "examples:\n  tacit skill ~/.agents/skills        Codex, OpenHands and others\n  tacit skill .claude/skills"
    )


def _skill(args: argparse.Namespace, cli: Cli) -> Answer:
    if not args.folder:
        return Answer({"name": skill.NAME, "text": skill.text()}, skill.text().rstrip())
    folder = os.path.expanduser(args.folder)
    path = skill.path_in(folder)
    if args.undo:
        gone = skill.remove(folder)
        return Answer(
            {"path": path, "changed": gone}, f"removed: {path}" if gone else f"left alone, somebody changed it: {path}"
        )
    changed = skill.install(folder)
    return Answer({"path": path, "changed": changed}, f"{'written' if changed else 'there already'}: {path}")


COMMANDS = {"skill": (_declare, _skill)}
