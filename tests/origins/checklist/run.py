"""The origins' documents as a checklist: python tests/origins/checklist/run.py [SYSTEM …] [script | agent]

One line an item, with the system and the section of its document: works, differs (with the head of the reason in docs/internals/origins) or FAILS.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import items_archeflow  # noqa: F401
import items_geas  # noqa: F401
import items_joelclaw  # noqa: F401
import items_ralph  # noqa: F401
from book import CHAPTERS, DOCS, PERSON, TOTALS, WITH_A_PERSON, Differs, Place  # noqa: F401


def results(
    system: str, folder: Path, caller: str = PERSON, told: list[int] | None = None
) -> Iterator[tuple[str, str, str, str]]:
    """(section, item, works | differs | FAILS, the head of the reason) of every item of one document.

    `caller` runs it; `told` takes, item by item, how many lines said that a person is needed."""
    for number, (name, section, check) in enumerate(CHAPTERS):
        if name != system:
            continue
        place = Place(folder / f"{system}-{number}", system, caller)
        try:
            for item in check(place):
                if told is not None:
                    told.append(len(place.told))
                    place.told.clear()
                if isinstance(item, Differs):
                    yield section, item.words, "differs" if item.holds else "FAILS", item.why
                else:
                    yield section, item[0], "works" if item[1] else "FAILS", ""
        finally:
            place.close()


def unexplained(system: str, heads: set[str]) -> list[str]:
    """Heads of reasons that docs/internals/origins does not have."""
    page = (DOCS / f"{system}.md").read_text("utf-8")
    return sorted(head for head in heads if f"**{head}**" not in page)


def main(systems: list[str]) -> int:
    failed = 0
    caller = next((each for each in systems if each in ("script", "agent")), PERSON)
    for system in [each for each in systems if each in TOTALS] or [*TOTALS]:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOME"] = os.environ["XDG_DATA_HOME"] = folder
            told: list[int] = []
            rows = list(results(system, Path(folder), caller, told))
        for section, item, verdict, why in rows:
            print(f"{verdict:8} {system:10} {section:24} {item}" + (f"  [{why}]" if why else ""))
        count = {
            word: sum(row[2] == word for row in rows) for word in ("works", "differs", "FAILS")
        }
        missing = unexplained(system, {row[3] for row in rows if row[3]})
        failed += count["FAILS"] + len(missing) + (len(rows) != TOTALS[system])
        print(
            f"{system}: {len(rows)} of {TOTALS[system]} items: {count}; {sum(map(bool, told))} of them with a line that says that a person is needed"
            + (f"; without a reason: {missing}" if missing else "")
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
