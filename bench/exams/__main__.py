"""`python -m bench.exams`: see the package."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench.exams import cost, decisions, first, guards, lessons, recall, reruns
from bench.exams.feed import projects
from bench.exams.product import Product
from bench.exams.rows import Pages, Row, compared, skipped, written


@contextmanager
def product_of(args: argparse.Namespace) -> Iterator[Product]:
    """The product under test, while it is asked."""
    product = Product(args.python)
    try:
        yield product
    finally:
        product.close()


def e1(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """What was settled in a chat, delivered at the bug."""
    data = next((place.parents[1] for place in args.data.glob("*/settled/index.json")), None)
    if not data:
        return [skipped("E1", f"no settled/index.json below {args.data}: unpack decisions.tar.xz")]
    with product_of(args) as product:
        return list(decisions.rows(data, product))


def e2(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """What real sessions teach, all projects; and the hashes of what readers were shown."""
    found = [each for each in projects(args.data) if not args.project or each.name in args.project]
    if not found:
        return [skipped("E2", f"no project with answer keys below {args.data}")]

    def one(project: Path) -> lessons.Log:
        kept = args.work / f"{project.name}.jsonl"
        if args.again and kept.exists():
            return [json.loads(line) for line in kept.read_text().splitlines()]
        begun = time.time()
        with product_of(args) as product:
            how = {"limit": args.limit, "keep": args.keep, "play": args.play}
            log = lessons.fed(project, product, args.work, **how)
        print(
            f"{project.name}: {len(log)} sessions in {time.time() - begun:.0f} s", file=sys.stderr
        )
        return log

    with ThreadPoolExecutor(args.jobs) as pool:
        logs = dict(zip(found, pool.map(one, found), strict=True))
    pages |= lessons.pages(logs)
    rows = [row for project, log in logs.items() for row in lessons.rows(project, log)]
    return [*rows, *lessons.pooled(logs)]


def e4(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """What a hook costs."""
    return list(cost.rows(args.python))


def e7(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """The origins' golden vectors."""
    return list(reruns.origins(args.python))


def e9(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """Secrets that no rule was written for."""
    return list(reruns.redaction(args.python, args.data))


def e10(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """Guards of a person's lessons."""
    with product_of(args) as product:
        return list(guards.rows(product))


def e12(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """Recall beside plain FTS5."""
    return list(recall.rows(args.data, args.public, args.python, args.work))


def e14(args: argparse.Namespace, pages: Pages) -> list[Row]:
    """What `recall` puts first, told by the hook."""
    found = [each for each in projects(args.data) if not args.project or each.name in args.project]
    if not found:
        return [skipped("E14", f"no project with answer keys below {args.data}")]
    with product_of(args) as product:
        return list(first.rows(found, product, args.work))


Exam = Callable[[argparse.Namespace, Pages], list[Row]]
EXAMS: dict[str, Exam] = {
    "E1": e1,
    "E2": e2,
    "E4": e4,
    "E7": e7,
    "E9": e9,
    "E10": e10,
    "E12": e12,
    "E14": e14,
}


def asked_for() -> argparse.Namespace:
    """What the command line wants."""
    parser = argparse.ArgumentParser(prog="python -m bench.exams", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    run = steps.add_parser("run", help="ask the quick exams")
    run.add_argument("data", type=Path, help="the folder with the unpacked data")
    run.add_argument("--public", type=Path, default=Path("../shared/data"), help="of public sets")
    run.add_argument("--exam", action="append", choices=list(EXAMS), help="only these")
    run.add_argument("--project", action="append", help="of E2 and E14 only these")
    run.add_argument("--limit", type=int, default=0, help="of E2 so many sessions of each project")
    run.add_argument("--again", action="store_true", help="count E2 from an earlier run's logs")
    run.add_argument(
        "--no-hooks",
        dest="play",
        action="store_false",
        help="of E2 what is learned and shown alone",
    )
    run.add_argument("--keep", action="store_true", help="the homes that E2 fed")
    run.add_argument("--jobs", type=int, default=2, help="of E2 projects at a time")
    run.add_argument("--python", default=sys.executable, help="of the product's environment")
    run.add_argument("--work", type=Path, default=Path(".bench/exams"), help="for logs")
    run.add_argument("--out", type=Path, default=Path(".bench/exams/figures.json"))
    compare = steps.add_parser("compare", help="two files of figures, row by row")
    compare.add_argument("old", type=Path)
    compare.add_argument("new", type=Path)
    return parser.parse_args()


def main() -> None:
    args = asked_for()
    if args.step == "compare":
        print("\n".join(compared(args.old, args.new)))
        return
    args.work.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    pages: Pages = {}
    for name in args.exam or EXAMS:
        rows += (told := EXAMS[name](args, pages))
        print("\n".join(map(str, told)), flush=True)
        written(rows, pages, args.out, f"{datetime.now(UTC):%Y-%m-%d}")
    print(f"figures: {args.out}; the long exams: make help")


if __name__ == "__main__":
    main()
