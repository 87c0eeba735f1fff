"""Pictures: well-formed, described in words, never wider than they say, and no text in them is anything but text."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tacit.surfaces import pictures
from tacit.surfaces.pictures import Caption, Mark

HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
DAYS = [f"2026-0{month}-{day:02d}" for month in (7, 8) for day in (1, 8, 15, 22, 29)]
SVG = "{http://www.w3.org/2000/svg}"

DRAWN = {
    "line": pictures.line(Caption("a", HOSTILE, HOSTILE), DAYS, [3, 5, 5, 8, 8, 9, 12, 12, 11, 14]),
    "line of one": pictures.line(Caption("a", "t", "d"), DAYS[:1], [3]),
    "line of none": pictures.line(Caption("a", "t", "d"), [], []),
    "stacked": pictures.stacked(
        Caption("a", "t", HOSTILE),
        DAYS,
        [(HOSTILE, [1.0] * 10), ("b", [0.0] * 9 + [2e6])],
        words=pictures.compact,
    ),
    "bars": pictures.bars(Caption("a", "t", "d"), [(HOSTILE, 3.0, HOSTILE), ("b", 0.0, "0")]),
    "interval": pictures.interval(
        Caption(HOSTILE, "t", "d"), (-0.2, 0.8), 0.3, tone="good", ends=(HOSTILE, "fewer")
    ),
    "interval, unknown": pictures.interval(
        Caption("a", "t", "d"), (0.0, 0.0), None, ends=("more", "fewer")
    ),
    "timeline": pictures.timeline(
        Caption("a", "t", "d"),
        [
            ("seen", [Mark("2026-07-01", HOSTILE), Mark("2026-08-01", "b", "bad", True, 9)]),
            (HOSTILE, []),
        ],
    ),
    "timeline of none": pictures.timeline(Caption("a", "t", "d"), [("seen", [])]),
    "timeline of one moment": pictures.timeline(
        Caption("a", "t", "d"),
        [("seen", [Mark("2026-07-01", "a", HOSTILE), Mark("2026-07-01", "b", is_down=True)])],
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_well_formed_and_says_what_it_shows(name: str) -> None:
    """It has a title and a description that screen readers find, stays within its frame, and holds no element that was a text."""
    root = ElementTree.fromstring(
        DRAWN[name].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )
    title, desc = root[0], root[1]
    assert (title.tag, desc.tag, root.get("role")) == (f"{SVG}title", f"{SVG}desc", "img")
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        "svg",
        "title",
        "desc",
        "g",
        "rect",
        "line",
        "polyline",
        "polygon",
        "circle",
        "text",
    }
    assert not any(
        name.startswith("on") or name in ("style", "href")
        for each in root.iter()
        for name in each.attrib
    )
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for each in root.iter(f"{SVG}rect"):
        x, y, wide, tall = (float(each.get(name, "0")) for name in ("x", "y", "width", "height"))
        assert (
            x + wide <= width + 10
            and y >= -0.01
            and y + tall <= height + 0.01
            and wide >= 0
            and tall >= 0
        ), ElementTree.tostring(each)


def test_a_line_ends_where_its_last_figure_is() -> None:
    """The highest figure stands highest, and the last one is written out."""
    drawn = DRAWN["line"]
    path = drawn.partition('<polyline class="line" points="')[2].partition('"')[0]
    heights = [float(spot.partition(",")[2]) for spot in path.split()]
    assert heights.index(min(heights)) == 9 and heights[0] == max(heights)
    assert ">14</text>" in drawn and ">1 Jul</text>" in drawn and ">29 Aug</text>" in drawn


def test_bars_stand_on_each_other_and_add_up() -> None:
    """A week's pieces are as tall as their sum, and what has no colour left is one piece."""
    many = [(f"m{n}", [float(n)]) for n in range(1, 10)]
    kept = pictures.fewer(many)
    assert [name for name, _ in kept] == ["m9", "m8", "m7", "m6", "m5", "others"]
    assert kept[-1][1] == [1.0 + 2 + 3 + 4]
    root = ElementTree.fromstring(
        pictures.stacked(Caption("a", "t", "d"), ["2026-07-01"], many, words=pictures.compact)
    )
    pieces = [each for each in root.iter("rect") if float(each.get("width", "0")) > 20]
    assert sum(float(each.get("height", "0")) for each in pieces) == pytest.approx(
        45 / 60 * (150 - 22 - 10), abs=0.1
    )


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (0, "0"),
        (7, "7"),
        (0.25, "0.25"),
        (999, "999"),
        (999.6, "1k"),
        (1234, "1.2k"),
        (34_000_000, "34M"),
        (-1500, "-1.5k"),
        (2e9, "2G"),
    ],
)
def test_figures_are_short(figure: float, said: str) -> None:
    """At most four signs and a unit."""
    assert pictures.compact(figure) == said


@pytest.mark.parametrize(
    ("figure", "step"), [(0.3, 0.5), (1, 1), (1.1, 2), (3, 5), (7, 10), (30, 50), (1e-9, 1e-9)]
)
def test_lines_to_read_by_are_round(figure: float, step: float) -> None:
    """1, 2 or 5 times a power of ten."""
    assert pictures.nice(figure) == pytest.approx(step)


def test_near_days_stand_together_and_nothing_is_lost() -> None:
    """A thousand days of marks are some forty columns; what went against a lesson hangs below the line."""
    marks = [
        Mark(f"20{20 + n // 336}-{1 + n // 28 % 12:02d}-{1 + n % 28:02d}", "given")
        for n in range(1000)
    ]
    root = ElementTree.fromstring(
        pictures.timeline(
            Caption("a", "t", "d"),
            [("given", [*marks, Mark("2021-01-01", "left out", "hollow", True, 3)])],
        )
    )
    drawn = [each for each in root.iter("rect") if "mark" in (each.get("class") or "")]
    said = [each.findtext("title") or "" for each in drawn]
    assert len(drawn) <= 42 and [words for words in said if "left out, 3 times" in words]
    assert (
        sum(
            int(words.rpartition(", ")[2].removesuffix(" times"))
            for words in said
            if ": given" in words
        )
        == 1000
    )
    line = float(next(root.iter("line")).get("y1", "0"))
    assert all(
        (float(each.get("y", "0")) > line) == ("hollow" in (each.get("class") or ""))
        for each in drawn
    )
