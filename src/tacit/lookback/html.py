"""A look back as one file for a browser: no request, no script, light and dark, readable on a phone.

Everything that came out of a transcript is somebody's text, so every text goes through `_e`, and the page forbids
itself to load or run anything. Bars are drawn by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape as _e

from tacit.core import clock
from tacit.core.errors import numbered
from tacit.lookback.result import WEEK, Correction, Count, Lookback, Problem, ProjectCount, Week, assumptions, limits
from tacit.lookback.words import calls_words, costliest, days, left_out, lesson_words, percent, quantity, spent_words

WEEKS = 26  # bars; half a year fits a phone


def html_page(of: Lookback, made_at: str, version: str) -> str:
    """The whole page."""
    body = "\n".join(
        (
            _head(of),
            _funnel(of.count),
            _cost(of),
            _weeks(of.weeks),
            _problems(of),
            _corrections(of),
            _projects(of.projects),
            _counted(of),
            _next(),
            f"<footer>Made by tacit {_e(version)} on {_e(made_at[:10])}. This file loads nothing and sends nothing.</footer>",
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{_e(_title(of))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _title(of: Lookback) -> str:
    return f"Tacit looked back at {numbered(of.count.sessions, 'session')}"


def _head(of: Lookback) -> str:
    projects = numbered(len(of.projects), "project") + (f", {days(of.first_at, of.last_at)}" if of.first_at else "")
    return (
        "<header>\n<p class=mark>tacit lookback</p>\n"
        f"<h1>What {numbered(of.count.sessions, 'session')} could have taught the next one</h1>\n"
        f"<p class=lead>{_e('. '.join(filter(None, (projects, calls_words(of)))))}.</p>\n</header>"
    )


def _funnel(count: Count) -> str:
    rows = (
        ("first", count.failures, "failures", "a problem counts once per session"),
        (
            "back",
            count.repeated,
            "had happened before",
            _share(count.repeated, count.failures, "of them, in an earlier session of the same project"),
        ),
        (
            "told",
            count.forewarned,
            "would have been forewarned of",
            _share(count.forewarned, count.repeated, "of those, by lessons from earlier sessions alone"),
        ),
    )
    widest = max(len(quantity(n)) for _, n, _, _ in rows)
    return (
        f'<section class=funnel style="--digits:{widest}">\n'
        + "\n".join(
            f"<div class=step><b class={name}>{quantity(n)}</b><span>{_e(what)}<small>{_e(more)}</small></span>"
            f"{_bar(n, count.failures, name)}</div>"
            for name, n, what, more in rows
        )
        + "\n</section>"
    )


def _share(part: int, whole: int, of: str) -> str:
    return f"{percent(part, whole)} {of}" if whole else f"none {of}"


def _bar(part: float, whole: float, name: str) -> str:
    width = 100 * part / whole if whole else 0
    return (
        '<svg class=bar viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class=track width="100" height="4"/><rect class={name} width="{width:.2f}" height="4"/></svg>'
    )


def _cost(of: Lookback) -> str:
    if not of.count.repeated:
        return "<p class=cost>No problem came back in a later session of the same project.</p>"
    if not of.spent.calls:
        return ""
    took = _e(spent_words(of.typical))
    return f"<p class=cost>What came back took <strong>{took}</strong> each time until it was overcome again (the median).</p>"


def _weeks(weeks: Sequence[Week]) -> str:
    """Stacked bars, one a week; weeks without a session are gaps."""
    shown = _every_week(weeks)[-WEEKS:]
    highest = max((count.failures for _, count in shown), default=0)
    if len(shown) < 2 or not highest:
        return ""
    step, top, height = 100 / len(shown), 2.0, 34.0
    bars = []
    for number, (start, count) in enumerate(shown):
        x, width = number * step + step * 0.12, step * 0.76
        told, back, first = count.forewarned, count.repeated - count.forewarned, count.failures - count.repeated
        y = top + height
        title = f"Week of {start}: {numbered(count.failures, 'failure')} in {numbered(count.sessions, 'session')}"
        title += f", {count.repeated} had happened before, {count.forewarned} forewarned"
        bars.append(f"<g><title>{_e(title)}</title>")
        for name, n in (("told", told), ("back", back), ("first", first)):
            tall = height * n / highest
            y -= tall
            if n:
                bars.append(f'<rect class={name} x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{tall:.2f}"/>')
        bars.append("</g>")
    ends = f"<span>{_e(shown[0][0])}</span><span>most in a week: {highest}</span><span>{_e(shown[-1][0])}</span>"
    return (
        "<section>\n<h2>Week by week</h2>\n"
        "<p class=key><span><i class=first></i>first time</span> <span><i class=back></i>came back</span> "
        "<span><i class=told></i>came back, forewarned</span></p>\n"
        '<svg class=weeks viewBox="0 0 100 37" preserveAspectRatio="none" role="img" aria-label="Failures per week">'
        f'{"".join(bars)}<rect class=axis x="0" y="36" width="100" height="0.3"/></svg>\n<p class=ends>{ends}</p>\n</section>'
    )


def _every_week(weeks: Sequence[Week]) -> list[tuple[str, Count]]:
    by_start = {each.start: each.count for each in weeks}
    if not by_start:
        return []
    found, at = [], clock.seconds(min(by_start))
    while at <= clock.seconds(max(by_start)):
        start = clock.stamp(at)[:10]
        found.append((start, by_start.get(start, Count())))
        at += WEEK
    return found


def _problems(of: Lookback) -> str:
    if not of.problems:
        return ""
    most = max(each.spent.calls for each in of.problems)
    more = f" <small>{len(of.problems)} of {of.problems_count}</small>" if of.problems_count > len(of.problems) else ""
    items = "\n".join(_item(each, most) for each in of.problems)
    return f"<section>\n<h2>{costliest(of)}{more}</h2>\n<ol class=problems>\n{items}\n</ol>\n</section>"


def _item(each: Problem, most: int) -> str:
    warned = f"forewarned {each.forewarned} of {each.repeated}" if each.forewarned else "not forewarned"
    cost = f"{spent_words(each.typical)} each time" if each.typical.calls else ""
    facts = (each.project, f"came back in {numbered(each.repeated, 'session')}", cost, warned)
    lesson = ""
    if lesson_words(each):
        state = "The lesson" if each.in_force else "A lesson that waits for another sighting"
        lesson = f"<p class=lesson><b>{state}:</b> {_text(lesson_words(each))}</p>"
    return (
        f"<li><p class=what>{_e(each.label)}</p>{_bar(each.spent.calls, most, 'back') if most else ''}"
        f"<p class=facts>{''.join(f'<span>{_e(fact)}</span>' for fact in facts if fact)}</p>{lesson}</li>"
    )


def _corrections(of: Lookback) -> str:
    if not of.repeated_corrections:
        return ""
    items = "\n".join(_said_again(each) for each in of.repeated_corrections)
    lead = f"Of {numbered(of.corrections, 'wish', 'wishes')} you typed, {of.corrections_repeated} had been said in an earlier session."
    return f"<section>\n<h2>What you had to say again</h2>\n<p>{_e(lead)}</p>\n<ol class=problems>\n{items}\n</ol>\n</section>"


def _said_again(each: Correction) -> str:
    known = f"would have been known {each.forewarned} of {each.repeated} times"
    facts = (each.project, f"said in {numbered(each.sessions, 'session')}", known)
    spans = "".join(f"<span>{_e(fact)}</span>" for fact in facts)
    return f"<li><p class=what>“{_e(each.text)}”</p><p class=facts>{spans}</p></li>"


def _projects(projects: Sequence[ProjectCount]) -> str:
    if not projects:
        return ""
    rows = "\n".join(
        f'<tr><th scope=row title="{_e(each.path)}">{_e(each.name)}</th><td>{each.count.sessions}</td><td>{each.count.failures}</td>'
        f"<td>{each.count.repeated}</td><td>{each.count.forewarned}</td></tr>"
        for each in projects
    )
    told = [each for each in projects if each.notes]
    notes = "\n".join(_notes(each, opened=each is told[0]) for each in told)
    after = f"<h3>What the next session would be told</h3>\n{notes}" if notes else ""
    yours = "\n".join(f"<p>{_e(each.name)}</p>{_list(each.for_you)}" for each in projects if each.for_you)
    after += f"\n<h3>For you</h3>\n{yours}" if yours else ""
    return (
        "<section>\n<h2>Projects</h2>\n<div class=scroll><table><thead><tr><th scope=col>project</th><th scope=col>sessions</th>"
        "<th scope=col>failures</th><th scope=col>came back</th><th scope=col>forewarned</th></tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody></table></div>\n{after}</section>"
    )


def _notes(each: ProjectCount, opened: bool) -> str:
    summary = f"{_e(each.name)} <small>{numbered(len(each.notes), 'lesson')}</small>"
    return f"<details{' open' if opened else ''}><summary>{summary}</summary>{_list(each.notes)}</details>"


def _counted(of: Lookback) -> str:
    files = of.files
    read = f"Read: {numbered(files.files, 'file')}, {files.bytes / 1e6:,.1f} MB."
    notes = [read, *left_out(of)]
    return (
        "<section class=counted>\n<h2>How this was counted</h2>\n<h3>Taken for granted</h3>\n"
        f"{_list(assumptions(of))}\n<h3>What it cannot say</h3>\n{_list(limits(of))}\n<h3>What was read</h3>\n{_list(notes)}\n</section>"
    )


def _next() -> str:
    return (
        "<section class=next>\n<h2>From here on</h2>\n<pre>tacit connect claude-code</pre>\n"
        "<p>From the next session on, the lessons are in the prompt, and a control group shows whether they help.</p>\n</section>"
    )


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(item)}</li>" for item in items) + "</ul>"


def _text(text: str) -> str:
    """A sentence; what it quotes in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _e(text))


STYLE = """
:root{--paper:#fbfaf7;--card:#fff;--ink:#1d1f21;--soft:#63676c;--line:#e3e0d8;--first:#b9b5aa;--back:#d2691e;--told:#2f7d6d}
@media (prefers-color-scheme:dark){:root{--paper:#15171a;--card:#1d2024;--ink:#e8e6e1;--soft:#9a9ea4;--line:#30343a;
--first:#5d6168;--back:#e08a4a;--told:#4fb39e}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:46rem;margin:0 auto;padding:2rem 1.1rem 3rem}
h1{font-size:clamp(1.5rem,5vw,2.1rem);line-height:1.2;margin:.2rem 0 .5rem;letter-spacing:-.01em}
h2{font-size:1.15rem;margin:2.4rem 0 .7rem}h3{font-size:.95rem;margin:1.2rem 0 .3rem}
small,.lead,.facts,.ends,.key,footer,.mark{color:var(--soft)}small{font-weight:400;font-size:.85rem}
.mark{margin:0;font-size:.85rem;letter-spacing:.08em}.lead{margin:0}
.funnel{margin:1.6rem 0 .8rem;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.4rem 1.1rem 1.1rem}
.step{display:grid;grid-template-columns:auto 1fr;column-gap:.9rem;align-items:baseline;padding-top:.8rem}
.step b{min-width:calc(var(--digits)*1ch);font-size:1.9rem;line-height:1.1;font-variant-numeric:tabular-nums;text-align:right}
.step b.first{color:var(--ink)}.step b.back{color:var(--back)}.step b.told{color:var(--told)}
.step small{display:block}.step .bar{grid-column:1/-1;margin-top:.45rem}
.bar{display:block;width:100%;height:6px;border-radius:3px}.track{fill:var(--line)}
rect.first{fill:var(--first)}rect.back{fill:var(--back)}rect.told{fill:var(--told)}rect.axis{fill:var(--line)}
.cost{font-size:1.05rem}
.weeks{display:block;width:100%;height:9rem}.ends{display:flex;justify-content:space-between;font-size:.8rem;margin:.2rem 0 0;gap:.6rem}
.key{font-size:.85rem;margin:0 0 .5rem}.key span{white-space:nowrap;margin-right:.8rem}
.key i{display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-right:.35rem}
i.first{background:var(--first)}i.back{background:var(--back)}i.told{background:var(--told)}
.facts span:first-child{color:var(--ink)}code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.problems{list-style:none;margin:0;padding:0}
.problems li{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.8rem 1rem;margin:0 0 .7rem}
.what{margin:0 0 .5rem;font:500 .92rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.facts{margin:.45rem 0 0;font-size:.85rem;display:flex;flex-wrap:wrap;gap:.1rem 1rem}
.lesson{margin:.6rem 0 0;padding:.5rem .7rem;border-left:3px solid var(--told);background:var(--paper);
font-size:.92rem;overflow-wrap:anywhere}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.35rem 0 .35rem .5rem;border-bottom:1px solid var(--line);text-align:right}
th:first-child{text-align:left;padding-left:0;min-width:4rem;overflow-wrap:break-word}
thead th{color:var(--soft);font-weight:400;font-size:.78rem}tbody th{font-weight:500}
details{border-bottom:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}
ul{margin:.3rem 0;padding-left:1.1rem}li{overflow-wrap:anywhere}.counted li,details li{font-size:.92rem;margin:.25rem 0}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.7rem 1rem;overflow-x:auto;margin:0 0 .6rem}
footer{margin-top:2.5rem;font-size:.85rem}
"""
