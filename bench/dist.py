"""Wheel and sdist, as a stranger gets them: built, installed into empty environments, started.

    make dist       files stay in dist/

Each of the two is installed alone with this Python; there `tacit --version` answers from that
environment, and an ArcheFlow log is learned. Nothing of the clone is on the path. Exit code 1
where anything fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DISTRIBUTION = "tacit_memory"
LESSON = "Missing null checks in API response handlers"
FINDING = {"severity": "WARNING", "category": "quality", "description": LESSON}
VERDICT = {"archetype": "guardian", "verdict": "changes", "findings": [FINDING]}
LOG = (
    ("run.start", None, {"task": "Improve the API", "domain": "code"}),
    ("review.verdict", "guardian", VERDICT),
    ("run.complete", None, {"status": "completed"}),
)


def main() -> int:
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    run([sys.executable, "-m", "build", "--outdir", ROOT / "dist", ROOT], ROOT)
    files = sorted((ROOT / "dist").iterdir())
    assert [each.suffix for each in files] == [".whl", ".gz"], files
    for file in files:
        assert file.name.startswith(f"{DISTRIBUTION}-"), file.name
        with tempfile.TemporaryDirectory(prefix="tacit-dist-") as folder:
            started(file, Path(folder))
        print(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB, installs, starts and learns")
    return 0


def started(file: Path, folder: Path) -> None:
    """Install one file into an empty environment, and learn a log there."""
    run([sys.executable, "-m", "venv", folder / "env"], folder)
    python, tacit = folder / "env/bin/python", folder / "env/bin/tacit"
    run([python, "-m", "pip", "install", "--quiet", file], folder)
    place = run([python, "-c", "import tacit; print(tacit.__file__)"], folder)
    assert place.startswith(str(folder)), f"tacit is imported from {place}"
    assert run([tacit, "--version"], folder).startswith("tacit ")
    at = {"ts": "2026-05-04T10:00:00Z", "run_id": "r1", "parent": [], "phase": "check"}
    rows = [
        {**at, "seq": n, "type": kind, "agent": who, "data": said}
        for n, (kind, who, said) in enumerate(LOG)
    ]
    (folder / "r1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    learned = json.loads(run([tacit, "learn", "r1.jsonl", "--json"], folder))
    assert learned["data"]["runs"][0]["format"] == "archeflow", learned
    assert LESSON in run([tacit, "list", "--all", "--json"], folder)


def run(command: list[str | Path], folder: Path) -> str:
    """What a program prints, in the shell of somebody who has only this environment."""
    ours = ("PYTHON", "VIRTUAL_ENV", "TACIT_", "XDG_")
    env = {name: said for name, said in os.environ.items() if not name.startswith(ours)}
    env |= {"HOME": str(folder), "PYTHONUTF8": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
