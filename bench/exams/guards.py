"""E10, a slice: guards of a person's own lessons, and calls that they must and must not stop. On real sessions: `make bench-guards`."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.exams.feed import uncoined
from bench.exams.product import Home, Product
from bench.exams.rows import Row

# a lesson, its form, the calls that break it, and calls that look alike
CASES = (
    (
        "Never run `git push --force`.",
        "git push --force",
        ("git push --force", "git push --force origin main"),
        ("git push", "git push origin main", "git fetch --force"),
    ),
    (
        "Use pnpm instead of npm.",
        "npm: instead pnpm",
        ("npm install", "npm run build", "cd web && npm ci"),
        ("pnpm install", "echo npm", "ls node_modules/npm"),
    ),
    (
        "Never commit with `git commit --no-verify`.",
        "git commit --no-verify",
        ("git commit --no-verify -m x", "git commit -m x --no-verify"),
        ("git commit -m x", "git log --grep no-verify"),
    ),
    (
        "Do not run `docker system prune`.",
        "docker system prune",
        ("docker system prune", "docker system prune -f"),
        ("docker system df", "docker ps"),
    ),
    (
        "Never run `terraform apply` here.",
        "terraform apply",
        ("terraform apply", "terraform apply -auto-approve"),
        ("terraform plan", "terraform fmt"),
    ),
)


def rows(product: Product) -> Iterator[Row]:
    """How many guards could be armed, and of the calls how many were judged right."""
    place = Path(tempfile.mkdtemp(prefix="tacit-guards-"))
    repository = place / "shop"
    repository.mkdir()
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    home = uncoined(Home(product, place, repository), place)
    person = ("--by", "dev", "--yes")
    armed = asked = broken = silent = alike = 0
    try:
        for n, (text, form, breaks, keeps) in enumerate(CASES):
            kept = home.tacit("add", text, "--kind", "rule", *person, "--json")
            if kept.code:
                raise SystemExit(f"tacit add ended with {kept.code}: {kept.err}")
            id = next(lesson.id for lesson in home.lessons().values() if lesson.text == text)
            if home.tacit("guard", "ask", id, "--before", form, "--anyway", *person).code:
                continue
            armed += 1
            found = [stops(home, f"b{n}{k}", line) for k, line in enumerate(breaks)]
            asked, broken = asked + sum(found), broken + len(found)
            found = [stops(home, f"k{n}{k}", line) for k, line in enumerate(keeps)]
            silent, alike = silent + len(found) - sum(found), alike + len(found)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    yield Row("E10", "guards armed", f"{armed} of {len(CASES)}")
    yield Row("E10", "calls that break the rule, stopped", f"{asked} of {broken}")
    yield Row("E10", "calls that look alike, left alone", f"{silent} of {alike}")


def stops(home: Home, session: str, line: str) -> bool:
    """Whether the host is told to ask before a call, or to refuse it."""
    payload = {
        "session_id": session,
        "cwd": str(home.repository),
        "hook_event_name": "PreToolUse",
        "tool_use_id": session,
        "tool_name": "Bash",
        "tool_input": {"command": line},
    }
    said = home.tacit(
        "hook", "before-command", "--host", "claude-code", stdin=json.dumps(payload)
    ).out
    decision = (
        json.loads(said).get("hookSpecificOutput", {}).get("permissionDecision", "")
        if said.strip()
        else ""
    )
    return decision in ("ask", "deny")
