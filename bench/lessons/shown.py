"""What noticing must show, line by line, from a feeding without a model: figures, labels, host logs and cost.

    python -m bench.lessons.shown DATA [--logs FOLDER] [--no-cost]

`DATA` are the projects that were fed (`python -m bench.lessons feed DATA --no-model`, then `… figures`); `--logs` a folder with one folder of run logs
per host. Each line says what was measured, the bound where there is one, and whether it holds. Lines without a label count as not good, and are counted.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from bench.lessons.blind import KINDS, shares
from bench.lessons.feed import BENCH, World, rows, unpacked
from bench.lessons.figures import PRECISION, pooled, precision


def share(said: str) -> float:
    """The share in `7/11 = 0.636 [0.35, 0.85]`; 0 where nothing was counted."""
    found = re.search(r"= (\d\.\d+)", said)
    return float(found[1]) if found else 0.0


def shown(worlds: list[World], figures: list[dict[str, Any]]) -> list[tuple[str, str, bool | None]]:
    """(what, measured, whether it holds; None where it is only reported)."""
    labels, all_of = shares(worlds), pooled(figures)
    wrong = {kind: labels[kind]["wrong"] for kind in KINDS}
    told = {kind: sum(dict(labels[kind]["labels"]).values()) for kind in KINDS}  # type: ignore[call-overload]
    without = {kind: dict(labels[kind]["labels"]).get("?", 0) for kind in KINDS}  # type: ignore[call-overload]
    natures = [n for world in worlds for (n,) in rows(world, _TOLD_NATURES)]
    first, given = (share(precision(figures, *PRECISION[name])) for name in (_FIRST, _GIVEN))
    found: list[tuple[str, str, bool | None]] = [
        (
            "1 in force worth having (.50)",
            str(labels["lessons"]["good"]),
            share(str(labels["lessons"]["good"])) >= 0.5,
        ),
        (
            "1 in force wrong (.03)",
            f"{wrong['lessons']} of {told['lessons']}",
            wrong["lessons"] <= 0.03 * told["lessons"],
        ),
        (
            "1 host protocol, work in progress in force (0)",
            f"{sum(each in ('host', 'wip') for each in natures)}",
            not {"host", "wip"} & set(natures),
        ),
        (
            "1 given at starts worth having (.50)",
            str(labels["given"]["good"]),
            share(str(labels["given"]["good"])) >= 0.5,
        ),
        (
            "1 person's findings worth having (.70)",
            str(labels["person"]["good"]),
            share(str(labels["person"]["good"])) >= 0.7,
        ),
        *(
            (f"1   {world.project}", text, None)
            for world in worlds
            for text in _contradicted(world)
        ),
        (
            "2 recurring failures of the key noticed (.80)",
            all_of["noticed of the key"],
            share(all_of["noticed of the key"]) >= 0.8,
        ),
        (
            "2 tellable failures forewarned at the start (.35)",
            all_of[_START],
            share(all_of[_START]) >= 0.35,
        ),
        *((f"2   {told['project']}", told["forewarned"][_START], None) for told in figures),
        ("2   the commonest ten", all_of["commonest ten, tellable"], None),
        ("2   known at all", all_of["of these known from two lineages"], None),
        (
            "2 before first calls, times the start list (1.4)",
            all_of["first calls by the hook"],
            first >= 1.4 * given > 0,
        ),
        *((f"2   {name}", all_of[name], None) for name in PRECISION),
        (
            "2 cures right (.90)",
            str(labels["cures"]["good"]),
            share(str(labels["cures"]["good"])) >= 0.9,
        ),
        (
            "3 commands right (.95)",
            str(labels["commands"]["good"]),
            share(str(labels["commands"]["good"])) >= 0.95 if told["commands"] else None,
        ),
        (
            "3 told although an instruction file names them (0)",
            str(named := sum(each["in an instruction file"] for each in _commands(figures))),
            not named,
        ),
        (
            "4 standing requests worth showing (.60)",
            str(labels["requests"]["good"]),
            share(str(labels["requests"]["good"])) >= 0.6,
        ),
        ("4   themes of the key that they reach", all_of["themes of the key"], None),
        (
            "6 bytes of an incident (400)",
            _sizes(figures),
            all(told["size"]["bytes each"] <= 400 for told in figures),
        ),
    ]
    missing = ", ".join(f"{kind} {n}" for kind, n in without.items() if n)
    return [
        *found,
        (
            "lines without a label",
            f"{sum(without.values())}{f' ({missing})' if missing else ''}",
            None,
        ),
    ]


_FIRST, _GIVEN = "precision before first calls, by the hook", "precision of what starts are given"
_START = "forewarned by what was given"
_TOLD_NATURES = (
    "SELECT i.nature FROM memory m JOIN incident i ON i.project = m.project AND i.mark = m.signature AND i.kind = 'failure'"
    " WHERE m.source = 'notice' AND m.state IN ('provisional', 'stable', 'canonical') AND m.gate = 'allow'"
)


def _commands(figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for told in figures for each in told["commands"] if each["state"] != "archived"]


def _contradicted(world: World) -> list[str]:
    """Instruction files that order what fails, as the person is told."""
    found = rows(
        world,
        "SELECT reason, payload FROM proposal WHERE kind = 'notice' AND state = 'open' ORDER BY created_at",
    )
    return [
        reason
        for reason, payload in found
        if str(json.loads(payload or "{}").get("subject", "")).startswith("instructions ")
    ]


def _sizes(figures: list[dict[str, Any]]) -> str:
    return ", ".join(f"{told['project']} {told['size']['bytes each']}" for told in figures)


def on_hosts(logs: Path) -> list[tuple[str, str, bool | None]]:
    """Line 5, for each folder of logs."""
    from bench.lessons.hosts import held, logs_in

    found: list[tuple[str, str, bool | None]] = []
    for folder in sorted(each for each in logs.iterdir() if each.is_dir()):
        if files := logs_in(folder):
            said = held(folder.name, files, 10)
            lacking = f"; not: {'; '.join(said['lacking'])}" if said["lacking"] else ""
            if said["commonest"]:
                measured = f"{said['held']} of the {said['commonest']} commonest noticed, {len(said['told'])} lines told{lacking}"
                found.append((f"5 {folder.name}", measured, not said["lacking"]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--logs",
        type=Path,
        action="append",
        default=[],
        help="a folder with a folder of run logs per host",
    )
    parser.add_argument("--no-cost", action="store_true", help="do not learn 100 MB of sessions")
    args = parser.parse_args()
    data = unpacked(args.data)
    names = sorted(each.name for each in data.iterdir() if (each / "index.json").exists())
    worlds = [world for name in names if (world := World(data, name)).log.exists()]
    found = shown(
        worlds, [json.loads((BENCH / f"{world.project}.json").read_text()) for world in worlds]
    )
    for logs in args.logs:
        found += on_hosts(logs)
    if not args.no_cost:
        from bench.lessons.cost import cost

        told = cost(data, 100.0)
        found.append(
            ("6 100 MB learned, times json.loads (25)", json.dumps(told), told["times"] <= 25)
        )
    for what, measured, holds in found:
        print(f"{'     ' if holds is None else 'holds' if holds else 'FAILS'}  {what}: {measured}")
    if failing := [what for what, _, holds in found if holds is False]:
        raise SystemExit(f"does not hold: {'; '.join(failing)}")


if __name__ == "__main__":
    main()
