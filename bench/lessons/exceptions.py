"""Thirty exceptions and ten real changes of mind: what a reader takes back, and what it leaves alone.

    python -m bench.lessons.exceptions QUEUE [--wait SECONDS]

Forty lessons that a person entered, then forty sessions in which that person types one line about one of them: "just push to main this
time" must suspend nothing, "from now on we use bun" must suspend its lesson. Asked and answered like any session (recorded.py): a first
run puts the questions into QUEUE/exceptions, a run after they were answered prints the table. The lines are ours.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path

EXCEPTIONS = (
    (
        "Never push directly to main; open a pull request.",
        "just push this one straight to main, the CI is down today",
    ),
    (
        "Run the whole test suite before saying done.",
        "skip the e2e tests this time, I have to leave in five minutes",
    ),
    ("Always branch off main for new work.", "for this hotfix branch off release/2.3 instead"),
    (
        "Use pnpm, not npm.",
        "ok use npm here just for this reproduction, the bug report was made with npm",
    ),
    ("Write a changelog entry for every change.", "no changelog entry needed for this typo"),
    (
        "Do not edit generated files.",
        "edit the generated client by hand for now, I will regenerate tonight",
    ),
    (
        "Squash commits before merging.",
        "don't squash this PR, I want to keep the two commits apart",
    ),
    (
        "Keep functions under 40 lines.",
        "leave this parser in one long function, it is easier to read here",
    ),
    ("Ask before adding a dependency.", "go ahead and add left-pad without asking, it's a demo"),
    ("Comments are written in English.", "this one comment may be German, it quotes the contract"),
    (
        "Use the staging database for manual tests.",
        "test against my local database this once, staging is being restored",
    ),
    (
        "Commit messages follow conventional commits.",
        "use the message 'wip' for this one, I will amend it",
    ),
    (
        "Format with black before committing.",
        "don't format this file now, it would hide the diff for the reviewer",
    ),
    (
        "Never skip hooks with --no-verify.",
        "you can use --no-verify on this commit, the hook server is offline",
    ),
    ("Deploy only from CI.", "deploy it from your shell this time, I am watching the logs"),
    (
        "Add a test for every bug fix.",
        "no test for this one please, we delete the module next week",
    ),
    ("Use type hints everywhere.", "leave the hints out in this throwaway script"),
    (
        "Keep the README in sync with the options.",
        "don't touch the README in this PR, Ana is rewriting it today",
    ),
    ("Log with structlog, not print.", "a print is fine here while we debug"),
    (
        "Migrations are additive only.",
        "drop the column in this migration, the table is empty anyway",
    ),
    ("Reply to every review comment.", "ignore the bot's comments on this PR"),
    ("Use UTC in all timestamps.", "show local time on this one page, the customer insisted"),
    ("Do not change public API names.", "rename this one, it was never released"),
    (
        "Run linters through make lint.",
        "just call ruff directly for now, make is broken on my machine",
    ),
    ("Pin versions of dependencies.", "leave it unpinned for the spike"),
    ("Work in small pull requests.", "make one big PR of it this time, it is all one rename"),
    ("Never use force push.", "force push this branch, nobody else has it"),
    (
        "Release notes go into ReleaseNotes.md.",
        "put today's note into the issue instead, the file is locked by the release",
    ),
    ("Use the Chromium browser in e2e tests.", "run this one in Firefox, the bug only shows there"),
    (
        "Do not mock the database in tests.",
        "mock it in this test, the container does not start on this laptop",
    ),
)
CHANGES = (
    (
        "Use yarn as the package manager.",
        "from now on we use bun everywhere, yarn is gone from this repo",
    ),
    ("Target Python 3.9.", "we dropped 3.9 last week, always target 3.12 from now on"),
    ("Indent with two spaces.", "we switched to tabs for good, stop indenting with two spaces"),
    (
        "Open pull requests against develop.",
        "develop no longer exists, all pull requests go against main now",
    ),
    ("Use jest for unit tests.", "never use jest again, the whole project is on vitest now"),
    (
        "The API listens on port 3000.",
        "the API has moved to port 8080 permanently, don't use 3000 any more",
    ),
    (
        "Write docs in reStructuredText.",
        "no more reStructuredText: all docs are markdown from today on",
    ),
    (
        "Reply to customers in the ticket.",
        "we don't reply in tickets any longer, always answer by mail from now on",
    ),
    (
        "Use tabs in Makefiles and four spaces in Go.",
        "that rule about four spaces in Go was wrong, Go code is always gofmt'ed with tabs",
    ),
    (
        "Tag releases by hand.",
        "don't ever tag by hand again, release-please does all tags from now on",
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("queue", type=Path)
    parser.add_argument("--wait", type=float, default=0.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(
            HOME=home,
            XDG_DATA_HOME=f"{home}/data",
            XDG_CONFIG_HOME=f"{home}/config",
            TACIT_NO_WORKER="1",
        )
        folder = Path(home) / "work"
        folder.mkdir()
        os.chdir(folder)
        words = [
            sys.executable,
            str(Path(__file__).with_name("recorded.py").resolve()),
            str(args.queue.resolve() / "exceptions"),
            "--near",
            "--fold",
            home,
        ]
        words += ["--wait", str(args.wait)] if args.wait else []
        config = Path(home) / "config" / "tacit" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(
            f'profile = "{home}/patient.toml"\n[model]\ncommand = "{shlex.join(words)}"\ndaily_tokens = 1000000000\nmonthly_tokens = 10000000000\n'
            '[reader]\nby = "model"\nhosts = ["*"]\n'
        )
        from tacit.stores.places import make

        os.environ["TACIT_KEY"] = make(
            "ada", str(config.with_name("keys"))
        )  # without a terminal she shows a key
        (Path(home) / "patient.toml").write_text(
            'extends = "default"\nname = "patient"\n[model]\ntimeout_s = 3600.0\n'
        )
        return played(folder)


def played(folder: Path) -> int:
    """Enter the lessons, play the sessions, and print what became of each."""
    import tacit
    from tacit.testing import run, say, user

    with tacit.open(str(folder / "tacit.db")) as memories:
        ids = [memories.add(text, kind="rule").id for text, _ in (*EXCEPTIONS, *CHANGES)]
        unread = 0
        for number, (_, line) in enumerate((*EXCEPTIONS, *CHANGES)):
            found = run(
                f"s{number}",
                user("please go on with the ticket"),
                say("I am about to finish it."),
                user(line),
                say("Done."),
                task="ticket",
            )
            unread += any(each.warnings for each in memories.learn(found, over=True))
        states = {memory.id: memory.state for memory in memories.list(limit=1000)}
    gone = [id for id in ids if states.get(id) not in ("provisional", "stable", "canonical")]
    exceptions = [text for id, (text, _) in zip(ids, EXCEPTIONS, strict=False) if id in gone]
    kept = [
        text
        for id, (text, _) in zip(ids[len(EXCEPTIONS) :], CHANGES, strict=True)
        if id not in gone
    ]
    print(
        json.dumps(
            {
                "sessions without an answer": unread,
                "exceptions that suspended": exceptions,
                "changes that did not": kept,
            },
            indent=1,
        )
    )
    return 0 if not exceptions else 1


if __name__ == "__main__":
    sys.exit(main())
