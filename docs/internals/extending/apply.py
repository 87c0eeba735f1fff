"""Apply the worked example of a page, or take it back: python docs/internals/extending/apply.py PAGE.md [--revert] [--root FOLDER].

The example is what stands in the page's ```diff blocks. A hunk goes where its lines stand, whatever the line numbers are; where they stand
nowhere, or twice, nothing at all is changed. A migration takes the next free number.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```diff\n(.*?)^```$", re.S | re.M)
NOTHING = "/dev/null"
MOVED = "If a change of yours moved them, move the page's hunk along: its lines are found by what they say, not by their number."


class DoesNotApply(Exception):
    """The tree is not what the example was written for."""


def changes(page: str) -> dict[str, list[tuple[str, str]]]:
    """Each file of an example, with its hunks: what stands there before and after. A new file has nothing before, and one hunk."""
    found: dict[str, list[tuple[str, str]]] = {}
    for block in BLOCK.findall(page):
        name = ""
        for part in re.split(r"^(?=--- |@@)", block, flags=re.M):
            lines = part.splitlines(keepends=True)
            if part.startswith("--- "):
                old, new = lines[0][4:].strip(), lines[1].removeprefix("+++ ").strip()
                name = new.removeprefix("b/")
                found[name] = []
                if old != NOTHING and old.removeprefix("a/") != name:
                    raise DoesNotApply(f"{old} is not {new}")
            elif part.startswith("@@"):
                said = [" \n" if line == "\n" else line for line in lines[1:]]
                before = "".join(line[1:] for line in said if line[0] in " -")
                after = "".join(line[1:] for line in said if line[0] in " +")
                found[name].append((before, after))
    return found


def renumbered(page: str, root: Path, revert: bool = False) -> str:
    """The page with its migrations under the next free numbers of the tree, or under the last ones, where they are to be taken back."""
    for folder, told in re.findall(r"^\+\+\+ b/(.+)/(\d{4})\.sql$", page, re.M):
        newest = max(int(path.stem) for path in (root / folder).glob("[0-9]*.sql"))
        number = newest if revert else newest + 1
        page = page.replace(f"{folder}/{told}.sql", f"{folder}/{number:04d}.sql").replace(f"Schema {int(told)}.", f"Schema {number}.")
        if "sqlite" in folder:
            page = re.sub(r"(?<=SCHEMA = )\d+", lambda found, by=number - int(told): str(int(found[0]) + by), page)
    return page


def apply(page: str, root: Path, revert: bool = False) -> list[str]:
    """Change the files under `root`, all or none; the names of those it touched."""
    written: dict[Path, str | None] = {}
    touched = changes(renumbered(page, root, revert))
    for name, hunks in touched.items():
        path = root / name
        if any(not (after if revert else before) for before, after in hunks):
            if path.exists():
                raise DoesNotApply(f"{name} is there already")
            written[path] = hunks[0][0] if revert else hunks[0][1]
            continue
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for before, after in hunks:
            old, new = (after, before) if revert else (before, after)
            if text.count(old) != 1:
                raise DoesNotApply(f"{name}: these lines stand there {text.count(old)} times, not once:\n{old}\n{MOVED}")
            text = text.replace(old, new)
        written[path] = text or None
    for path, made in written.items():
        if made is None:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made, encoding="utf-8")
    return list(touched)


def main(argv: list[str]) -> int:
    """Apply or revert, and say what was touched."""
    root = Path(argv[argv.index("--root") + 1]) if "--root" in argv else Path(__file__).parents[3]
    try:
        touched = apply(Path(argv[0]).read_text(encoding="utf-8"), root, "--revert" in argv)
    except (IndexError, OSError, DoesNotApply) as error:
        print(f"{error}\n\n{__doc__}" if not isinstance(error, DoesNotApply) else f"Nothing was changed. {error}", file=sys.stderr)
        return 1
    print("\n".join(touched))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
