"""A report or a lesson as one file for a browser: no request, no script, light and dark, readable on a phone, and to be forwarded.

Texts of lessons and quotes are anybody's. Every one goes through `_e`; the page forbids itself to load or run anything, and its only style
is the one whose hash it names, so that not even an attribute could bring another.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from tacit.core.errors import numbered
from tacit.core.memory import Memory
from tacit.surfaces import story
from tacit.surfaces.one_screen import OneScreen, ProblemRow
from tacit.surfaces.pictures import day_words, short
from tacit.surfaces.story import Told
from tacit.surfaces.wording import Phrase

LOOK = os.path.join(os.path.dirname(__file__), "web", "static", "look.css")  # the desk's own


def _document(title: str, body: Iterable[str], made_at: str, version: str) -> str:
    """A whole page around its parts."""
    with open(LOOK, encoding="utf-8") as file:
        style = file.read()
    hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    foot = f'<footer class="dim">Made by tacit {_e(version)} on {_e(made_at[:10])}. This file loads nothing and sends nothing.</footer>'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_e(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{_e(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{''.join(body)}\n{foot}\n</main>\n</body>\n</html>\n"
    )


# -- a report --------------------------------------------------------------------------------------


def report(
    found: OneScreen,
    fixes: Sequence[Mapping[str, Any]],
    *,
    since: str,
    at: str,
    signers: Mapping[str, int] | None,
    left_out: int,
    version: str,
) -> str:
    """The one screen, and what is wrong outside of memory. With `signers` it is for the team: who shared how many lessons."""
    days = f"{day_words(since)} to {day_words(at)} {at[:4]}"
    name = found.project or "No project yet"
    asked = [each for each in fixes if each["kind"] == "request"]
    parts = [
        f'<header class="head"><p class="dim">{"Team report" if signers is not None else "Report"}, {_e(days)}</p><h1>{_e(name)}</h1>',
        f'<p class="lead">{_e(found.stands)}. {_e(found.week)}</p></header>\n',
        _rows("told", "What agents hear", found.told),
        f'<p class="dim">{numbered(found.more, "lesson")} more in force.</p>' if found.more else "",
        _rows("new", "New, or to decide", found.new),
        _rows("unknown", "Came back, nothing known yet", found.unknown),
        _fixes("fixes", "Wrong in instruction files, or worth mending", [each for each in fixes if each not in asked]),
        _fixes("asked", "Asked for again and again", asked),
        _signers(signers, left_out) if signers is not None else "",
    ]
    return _document(f"{name}: {days}", parts, at, version)


def _rows(id: str, title: str, rows: Sequence[ProblemRow]) -> str:
    """Rows of the one screen, to read."""
    if not rows:
        return ""
    lines = []
    for row in rows:
        since = f"since then {row.since} came back{' ✓' if row.proven else ''}" if row.since else ""
        stands = _e(" · ".join(filter(None, (since, row.stands))))
        lines.append(
            f'<li class="problem"><p class="what"><span class="text">{_e(short(row.problem, 600))}</span>'
            f' <span class="dim">{_e(row.cost)}</span></p>'
            + (f'<p class="hears">→ <span class="text">{_e(short(row.arrow, 700))}</span></p>' if row.arrow else "")
            + (f'<p class="dim">{stands}</p>' if stands else "")
            + "</li>"
        )
    return f'<section aria-labelledby="h-{id}"><h2 id="h-{id}">{_e(title)}</h2><ul class="problems">{"".join(lines)}</ul></section>\n'


def _signers(signers: Mapping[str, int], left_out: int) -> str:
    shared = [f'<li>{_e(name)} <span class="said">{numbered(n, "lesson")}</span></li>' for name, n in signers.items()]
    body = (
        [f'<ul class="plain">{"".join(shared)}</ul>']
        if shared
        else ['<p class="dim">No lesson of a team mate is known here.</p>']
    )
    if left_out:
        body.append(
            f'<p class="dim">Left out here, because it was heard from one person only: {numbered(left_out, "lesson")}.</p>'
        )
    return _list("team", "Shared by team mates", f"{sum(signers.values()):,}", body)


def _fixes(id: str, title: str, fixes: Sequence[Mapping[str, Any]]) -> str:
    if not fixes:
        return ""
    rows = []
    for each in fixes:
        line = (
            f"{each['file']}, line {each['number']}\n− {each['before']}\n+ {each['after']}" if each.get("after") else ""
        )
        patch = line or each.get("patch", "") or (f"Would read: {each['order']}" if each.get("order") else "")
        seen = f"Seen in {numbered(int(each.get('count') or 0), 'session')}. To accept: tacit keep {each['proposal']}"
        rows.append(
            f'<li><p class="text">{_e(each["text"])}</p>'
            + (f"<blockquote>{_e(short(each['quote'], 400))}</blockquote>" if each.get("quote") else "")
            + (f"<pre>{_e(patch)}</pre>" if patch else "")
            + f'<p class="dim">{_e(seen)}</p></li>'
        )
    return _list(id, title, "", [f'<ul class="fixes">{"".join(rows)}</ul>'])


# -- a lesson --------------------------------------------------------------------------------------


def lesson_page(
    memory: Memory, said: Phrase, ahead: str, answer: tuple[str, str], picture: str, timeline: str, lines: Sequence[Told], *,
    made_at: str, version: str,
) -> str:  # fmt: skip
    """One lesson: how it stands, whether it helps, what happened to it."""
    whose = story.TRUST.get(memory.trust, memory.trust)
    parts = [
        f'<header class="head"><p class="dim">A lesson · {_e(memory.id)}</p><h1 class="text">{_e(memory.text) or "(erased)"}</h1>',
        f'<p class="facts"><span class="badge tone-{_e(said.tone)}">{_e(said.words)}</span> <span class="badge">{_e(memory.kind)}</span>',
        f' <span class="badge">{_e(whose)}</span></p>',
        f'<p><strong>What would change this:</strong> {_e(ahead)}</p></header>\n<div class="tiles">',
        _list("effect", "Does it help?", answer[0], [f'<p class="dim">{_e(answer[1])}</p>', _figure(picture)]),
        _list("life", "Its life", "", [_figure(timeline), f'<p class="dim">{_e(story.SIDES)}</p>']),
        '</div>\n<section><h2>Story</h2><ol class="story">',
        *map(_told, lines),
        "</ol></section>",
    ]
    return _document(short(memory.text, 60) or memory.id, parts, made_at, version)


def _told(line: Told) -> str:
    more = [line.at[:16].replace("T", " "), line.run, line.by, line.place]
    edit = (
        f'<p class="edit"><del>{_e(short(line.before, 600))}</del><br><ins>{_e(short(line.after, 600))}</ins></p>'
        if line.after
        else ""
    )
    why = f'<p class="dim">{_e(short(line.why, 400))}</p>' if line.why else ""
    quote = f"<blockquote>{_e(short(line.quote, 600))}</blockquote>" if line.quote else ""
    head = f'<p><strong>{_e(line.words)}</strong> <span class="dim">{_e(" · ".join(filter(None, more)))}</span></p>'
    return f'<li class="k-{_e(line.what)}">{head}{edit}{why}{quote}</li>'


# -- parts -----------------------------------------------------------------------------------------


def _list(id: str, title: str, big: str, body: Iterable[str]) -> str:
    head = f'<h2 id="h-{_e(id)}">{_e(title)}</h2>' + (f'<p class="big">{_e(big)}</p>' if big else "")
    return f'<section class="tile" aria-labelledby="h-{_e(id)}">{head}{"".join(body)}</section>\n'


def _figure(svg: str) -> str:
    """A picture as its module made it: escaped there."""
    return f"<figure>{svg}</figure>" if svg else ""


def _e(text: object) -> str:
    return escape(str(text), quote=True)
