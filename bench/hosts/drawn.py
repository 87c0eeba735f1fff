"""Draw pastes from what lies on a machine, for `whose.py`: nobody who knows the rules has written or chosen them.

    python bench/hosts/drawn.py SEED COUNT OUT ROOT...     a scenario for `run.py --scenario OUT --keep`, and for `whose.py --pastes`

A paste is a run of lines out of a file (its kind by its ending; of a table, the field `Description`) or out of what a command prints,
as many of each kind; a quarter has one to three lines, the rest four to thirty. What is typed around it, and the typed lines between, are
given by TYPED and drawn too. Texts are other people's: what is drawn stays on the machine.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from pathlib import Path

KINDS = (
    "md",
    "csv",
    "py",
    "js",
    "ts",
    "c",
    "h",
    "rs",
    "sh",
    "css",
    "html",
    "yml",
    "toml",
    "json",
    "txt",
    "log",
    "traj",
    "rst",
)
COMMANDS = (
    "git log -8 --stat",
    "git show --stat -p HEAD~3",
    "git diff HEAD~6 --word-diff",
    "git status",
    "df -h",
    "ps aux",
    "env -i env",
    "tar --help",
    "man -P cat tar",
    "man -P cat git-rebase",
    "ls -la /usr/bin",
    "ip addr",
    "python3 -c 'import nothere'",
    "dpkg -l",
    "npm ls --all",
    "pip list",
    "uname -a",
    "free -m",
    "git blame README.md",
    "man -P cat bash",
    "npm help install",
    "mount",
    "lscpu",
)
LONG, SHORT = (4, 30), (1, 3)
BEFORE = (
    "can you look at this: ",
    "this is what i get now\n",
    "from our wiki:\n",
    "what do you make of\n\n",
    "Here is the ticket.\n",
    "he says\n",
    "i found this, does it apply to us?\n\n",
    "we have to follow this from now on: ",
    "",
    "",
    "",
    "",
    "",
    "",
)
AFTER = (
    "\n\nwhat does that mean for the orders?",
    " why?",
    "\nplease fix it",
    "\n\nDo the second one only.",
    " is that still true",
    "\nsame as yesterday",
    "\n\nI don't think we need all of it, what would you leave out?",
    " no idea where it comes from",
    "\nPlease summarise this.",
    "",
    "",
    "",
    "",
)
TYPED = (
    "no, the other file",
    "never put the totals into the template, that belongs to the view",
    "ok but keep it under 80 columns",
    "Use the existing helper instead of writing a new one.",
    "i'd rather have it in one query, can you try that?",
    "go on",
    "we always run the migrations by hand, don't do it yourself",
    "hm that looks odd\nwhy is the id twice in there?",
    "yes, and the same for refunds",
    "what's left?",
    "1. yes\n2. no\n3. whatever is simpler",
    "remember that staging has no redis",
    "please stop adding comments that repeat the code",
    "Commit this, but without the lock file.",
    "which of the two is faster on a big table?",
    "the button is still grey on the phone. chrome, not safari.",
)


def fragment(text: str, lines: tuple[int, int], chance: random.Random) -> str:
    """A run of lines of a text, with ends that are not blank; nothing where it has too few, or none but long ones."""
    rows = [row.rstrip() for row in text.replace("\t", "    ").splitlines()]
    wanted = chance.randint(*lines)
    begins = [
        at for at, row in enumerate(rows) if row.strip() and (at == 0 or not rows[at - 1].strip())
    ]
    at = chance.choice(begins if begins and chance.random() < 0.6 else range(max(1, len(rows))))
    taken = "\n".join(rows[at : at + wanted]).strip("\n")
    filled = [row for row in taken.splitlines() if row.strip()]
    return taken if len(filled) >= lines[0] and len(filled[0]) > 20 and len(taken) < 3000 else ""


def texts(kind: str, roots: list[str], chance: random.Random) -> list[str]:
    """Some texts of a kind."""
    if kind == "$":
        asked = chance.sample(COMMANDS, min(6, len(COMMANDS)))
        return [
            subprocess.run(
                ["sh", "-c", f"{each} 2>&1"], capture_output=True, text=True, errors="replace"
            ).stdout
            for each in asked
        ]
    files = sorted(
        path
        for root in roots
        for path in Path(root).rglob(f"*.{kind}")
        if path.is_file() and path.stat().st_size < 4_000_000
    )
    if kind == "csv":
        csv.field_size_limit(10**9)
        rows = [
            row.get("Description") or ""
            for path in files
            for row in csv.DictReader(path.read_text(errors="replace").splitlines(keepends=True))
        ]
        return chance.sample([row for row in rows if row], 60)
    return [path.read_text(errors="replace") for path in chance.sample(files, min(8, len(files)))]


def main(seed: str, count: int, out: str, roots: list[str]) -> None:
    chance = random.Random(seed)
    kinds = ["$", *["csv", "md"] * 3, *KINDS]  # people's prose is what is hard
    pool = {kind: texts(kind, roots, chance) for kind in sorted(set(kinds))}
    typed: list[object] = []
    while sum(isinstance(each, dict) for each in typed) < count:
        lines = SHORT if chance.random() < 0.25 else LONG
        kind = chance.choice(kinds)
        taken = fragment(chance.choice(pool[kind]), lines, chance) if pool[kind] else ""
        if not taken or any(ord(letter) < 32 and letter != "\n" for letter in taken):
            continue
        if (
            taken[0] in "/!#@?&" or "@" in taken[-40:]
        ):  # a host takes these for a command of its own, or offers a list
            continue
        before, after = chance.choice(BEFORE), chance.choice(AFTER)
        typed.append({"before": before, "paste": taken, "type": after, "kind": kind})
        if chance.random() < 0.35:
            typed.append(chance.choice(TYPED))
    said = [
        {"say": chance.choice(("Noted.", "I see.", "Done.", "Yes.", "I had a look at it."))}
        for _ in range(len(typed) + 5)
    ]
    told = {
        "title": "drawn pastes",
        "needs": ["terminal", "typed"],
        "sessions": [{"typed": typed, "script": {"main": said}}],
        "expect": [],
    }
    Path(out).write_text(json.dumps(told, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
