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

from tacit.core.memory import Memory
from tacit.core.plural import numbered
from tacit.surfaces import drawn, story
from tacit.surfaces.drawn import Drawn
from tacit.surfaces.outlook import Outlook, Spared
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
    found: Outlook, spared: Spared, learned: Sequence[tuple[Memory, Phrase]], harmful: Sequence[tuple[Memory, Phrase]], *,
    since: str, signers: Mapping[str, int] | None, left_out: int, version: str,
) -> str:  # fmt: skip
    """What was learned, spared, is wrong and waits. With `signers` it is for the team: who shared how many lessons."""
    days = f"{day_words(since)} to {day_words(found.at)} {found.at[:4]}"
    name = found.project or "No project yet"
    week = found.week
    told = drawn.spared(spared)
    parts = [
        f'<header class="head"><p class="dim">{"Team report" if signers is not None else "Report"}, {_e(days)}</p><h1>{_e(name)}</h1>',
        f'<p class="lead">{_e(_lead(found, week))}</p></header>\n<div class="tiles">',
        _tile(drawn.in_force(found)),
        _tile(told, [f'<p class="dim">{_e(line)}</p>' for line in spared.more] if told.picture else []),
        _list("learned", "Learned", f"{week.get('new', 0):,}", _lessons(learned, "No new lesson in this time.")),
        _list(
            "wrong",
            "Is wrong",
            f"{found.harms + found.in_question:,}",
            _lessons(harmful, "No lesson harms, as far as is known."),
        ),
        _fixes(
            "fixes",
            "Wrong in instruction files, or worth mending",
            [each for each in found.for_you if each["kind"] != "request"],
        ),
        _fixes("asked", "Asked for again and again", [each for each in found.for_you if each["kind"] == "request"]),
        _tile(drawn.waiting(found)) if signers is None else _signers(signers, left_out),
        *(_tile(each) for each in (drawn.tokens_by_week(found), drawn.cost(found), drawn.hosts(found))),
        "</div>",
    ]
    return _document(f"{name}: {days}", parts, found.at, version)


def _lead(found: Outlook, week: Mapping[str, int]) -> str:
    sessions, new, given, told, back = (week.get(name, 0) for name in ("sessions", "new", "given", "told", "back"))
    if not (sessions or new or given):
        return f"Nothing happened in this time. {numbered(found.in_force, 'lesson')} in force."
    lines = [f"{numbered(sessions, 'session')} learned, {numbered(new, 'new lesson')}, {found.in_force:,} in force."]
    if given:
        lines.append(f"Lessons were given {numbered(given, 'time')}.")
    if told:
        lines.append(f"Of {numbered(told, 'use')} one could tell what came: the problem came back in {back:,}.")
    return " ".join(lines)


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
        seen = f"Seen in {numbered(int(each.get('count') or 0), 'session')}. To accept: tacit review approve {each['proposal']}"
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


def _tile(of: Drawn, more: Sequence[str] = ()) -> str:
    told = f'<p class="dim">{_e(of.told)}</p>' if of.told else ""
    return _list(of.id, of.title, of.big, [told, _figure(of.picture), *more, _table(of)])


def _table(of: Drawn) -> str:
    if not of.rows:
        return ""
    heads = "".join(f"<th>{_e(head)}</th>" for head in of.heads)
    rows = "".join(f"<tr>{''.join(f'<td>{_e(cell)}</td>' for cell in row)}</tr>" for row in of.rows)
    shown = f'<div class="scroll" tabindex="0" role="region" aria-label="{_e(of.title)}, figures"><table><thead><tr>{heads}</tr></thead>'
    return f"<details><summary>The figures</summary>{shown}<tbody>{rows}</tbody></table></div></details>"


def _list(id: str, title: str, big: str, body: Iterable[str]) -> str:
    head = f'<h2 id="h-{_e(id)}">{_e(title)}</h2>' + (f'<p class="big">{_e(big)}</p>' if big else "")
    return f'<section class="tile" aria-labelledby="h-{_e(id)}">{head}{"".join(body)}</section>\n'


def _figure(svg: str) -> str:
    """A picture as its module made it: escaped there."""
    return f"<figure>{svg}</figure>" if svg else ""


def _lessons(found: Sequence[tuple[Memory, Phrase]], none: str) -> list[str]:
    if not found:
        return [f'<p class="dim">{_e(none)}</p>']
    rows = (
        f'<li><span class="text">{_e(short(memory.text, 300))}</span> <span class="said {_e(said.tone)}">{_e(said.words)}</span></li>'
        for memory, said in found
    )
    return [f'<ul class="plain">{"".join(rows)}</ul>']


def _e(text: object) -> str:
    return escape(str(text), quote=True)
