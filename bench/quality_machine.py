"""Does recall find the right text on data that nothing here was ever chosen on? Three sets of what lies on this machine, plain FTS5 beside it.

    python bench/quality_machine.py [--out FILE]

code.doc       1,500 functions of Python's standard library without their docstrings; asked with a docstring, right is its function.
errors.raised  Their docstrings; asked with the message of an error that a function raises, right is that function's docstring.
packages.what  The long descriptions of the Debian packages that are installed; asked with a package's one-line synopsis (left out where there are none).

Which functions and which questions: by the SHA-256 of their names. Methods, measures and intervals are those of bench/quality.py.
"""

from __future__ import annotations

import argparse
import ast
import platform
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

from quality import Scores, ask, methods, tables  # noqa: E402
from quality_sets import Lesson, Question, Stage  # noqa: E402

LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "site-packages", "dist-packages", "turtledemo", "ensurepip", "__pycache__"}
FUNCTIONS, ASKED = 1500, 200
LONGEST = 1500  # characters of a text
PACKAGES = Path("/var/lib/dpkg/status")

Function = tuple[str, str, str, list[str]]  # its name, docstring, code without it, and the errors that it raises


def by_hash(name: str) -> str:
    return sha256(f"tacit {name}".encode()).hexdigest()


def functions() -> list[Function]:
    """Functions with a docstring of some words and a body of some lines, the same ones on every machine with this Python."""
    root = Path(sysconfig.get_paths()["stdlib"])
    found: dict[str, Function] = {}
    for path in sorted(root.rglob("*.py")):
        if LEFT_OUT & set(path.relative_to(root).parts):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(path.read_text(encoding="utf-8"))
            except (SyntaxError, UnicodeDecodeError):
                continue
        for node in ast.walk(tree):
            told = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            if isinstance(node, ast.FunctionDef) and told and len(told.split()) >= 8 and len(node.body) > 3:
                name = f"{path.relative_to(root)}:{node.lineno}:{node.name}"
                node.body = node.body[1:]
                found[name] = (name, told[:LONGEST], ast.unparse(node)[:LONGEST], list(raised(node)))
    return [found[name] for name in sorted(found, key=by_hash)[:FUNCTIONS]]


def raised(node: ast.FunctionDef) -> Iterator[str]:
    """The messages of the errors that a function raises, as far as they are written out."""
    for each in ast.walk(node):
        if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call) and each.exc.args:
            parts = [part.value for part in ast.walk(each.exc.args[0]) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if len(message := " ".join(" ".join(parts).split()).split()) >= 4:
                yield " ".join(message)


def packages() -> list[tuple[str, str, str]]:
    """Name, synopsis and long description of what is installed; one of several with the same description."""
    found: dict[str, tuple[str, str, str]] = {}
    for entry in PACKAGES.read_text(encoding="utf-8", errors="replace").split("\n\n") if PACKAGES.exists() else ():
        name, told = re.search(r"^Package: (.+)$", entry, re.M), re.search(r"^Description: (.+)\n((?: .*\n?)+)", entry, re.M)
        if name and told and len(text := " ".join(told[2].replace("\n .", "\n").split())) > 80:
            found.setdefault(text, (name[1], told[1], text[:LONGEST]))
    return sorted(found.values(), key=lambda each: by_hash(each[0]))


def kinds() -> dict[str, list[Stage]]:
    """Every set as one stage: all lessons, then the questions."""
    every = functions()
    errors = [Question(f"{name} {at}", message, frozenset({name})) for name, _, _, told in every for at, message in enumerate(told[:1])]
    found = {
        "code.doc": [Stage([Lesson(name, code) for name, _, code, _ in every], [Question(name, doc, frozenset({name})) for name, doc, _, _ in every[:ASKED]])],
        "errors.raised": [Stage([Lesson(name, doc) for name, doc, _, _ in every], errors[:ASKED])],
    }
    if known := packages():
        asked = [Question(name, synopsis, frozenset({name})) for name, synopsis, _ in known[:ASKED]]
        found["packages.what"] = [Stage([Lesson(name, text) for name, _, text in known], asked)]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    scores: Scores = {}
    for kind, stages in kinds().items():
        for method, make in methods().items():
            if method != "commonest":
                scores.setdefault(kind, {})[method] = ask(make, stages)
                print(f"{kind}: {method}", file=sys.stderr)
    head = f"`python bench/quality_machine.py`, public API, default settings, Python {platform.python_version()}, {platform.machine()}."
    text = "\n".join(["# Quality of recall on what lies on a machine", "", head, "", *tables(scores), ""])
    print(text)
    if args.out:
        args.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
