"""What the person at the keyboard wants to stay so: standing wishes, and corrections that outlive the task.

Only words typed by the person count, and of those only what is their own: code, quotations, pasted blocks and
`<private>` spans are set aside before anything is read. A sentence becomes a wish in one of three ways. It asks for
something standing ("always", "from now on", "before every commit"). It states a convention ("in this repo we …"). Or it
corrects the agent right after an action and names a thing with a name: a tool, a file, a command, a library.
Everything else, questions, requests and thanks, is the task at hand and is left alone, because a preference wrongly
learned is given to every later run.

The text is the person's own sentence without politeness, fillers and a leading "no,"; negations stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.run import Finding, Run, Step
from tacit.core.tables import Tables
from tacit.core.value import replace, value
from tacit.learn import cues
from tacit.learn.command import commands, line_of
from tacit.words.own_words import own_text, unsure_text

_tables = Tables(__file__)

NAME, VERSION = "wish", 1

LONGEST_WISH = 320  # characters: a longer sentence is an essay about the task
FEWEST_WISH_WORDS = 2
MOST_CLAUSES = (
    2  # commas: with more of them somebody tells what to do now, one thing after the other
)
PASTED_LINES = 9  # lines in a row without a break: nobody types that
PASTED_CHARS = 1500  # in one line
MOST_PATHS = 5
MUCH_SAID = 200  # characters of an assistant's answer that count as an action: there is something to correct


@value
class _Wish:
    """One sentence of the person's that is meant to stay, and why we think so."""

    text: str
    quote: str  # as typed
    kind: str  # preference or rule
    severity: str
    reason: str  # standing, convention or correction


@value
class _Setting:
    """What came before a sentence."""

    after_action: bool = False  # the agent has just done something, and this message answers it
    refused: bool = False  # the person has just said no to it
    opens: bool = True  # the first sentence of its message


def wishes(run: Run) -> Iterator[Finding]:
    """Standing wishes and corrections typed by the person, one finding per sentence."""
    acted, before, ran = False, "", ""
    for step in run.steps:
        # A reason typed when refusing a tool call is a typed step too: the reader knows how its host records it.
        if (step.typed or step.speaker == "unsure") and step.text:
            own, unsure = own_text(step.text, before), unsure_text(step.text, before)
            tier = "user" if step.typed else "quoted"
            yield from (_finding(run, step, wish, tier) for wish in read(own, acted, ran))
            yield from (_finding(run, step, wish, "quoted") for wish in read(unsure, acted, ran))
            acted = False
        elif step.tool or (step.role == "assistant" and len(step.text) > MUCH_SAID):
            acted = True
        if line := line_of(step):
            ran = line
        if step.role == "assistant":
            before = step.text


def read(text: str, after_action: bool = False, ran: str = "") -> Iterator[_Wish]:
    """The wishes in one message; `after_action`: it follows something the agent did, and `ran` is the last command of it."""
    setting = _Setting(after_action)
    for sentence in sentences(own_words(text)):
        wish = _judge(sentence, setting) or _other_tool(sentence, setting, ran)
        if (alone := beside_task(sentence)) != sentence:
            wish = _judge(alone, setting) or (
                wish and replace(wish, text=_finished(_trimmed(alone)[1]), quote=alone)
            )
        if wish is not None:
            yield wish
        # A correction opens its message, or follows a bare "No." After any other opening, the same words are part of
        # what is being asked for.
        just_no = setting.opens and after_action and bool(cues.REFUSAL.fullmatch(sentence.strip()))
        setting = _Setting(after_action=just_no, refused=just_no, opens=False)


# --- the person's own words -------------------------------------------------------------------------------------------

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.S | re.I)
_WISH_FENCE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_TAGGED = re.compile(r"<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>.*?(?:</\1\s*>|\Z)", re.S)
_TAG = re.compile(r"</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>")
_PASTE_MARK = re.compile(r"\[(?:Pasted text|Image|Attached|File)[^\]]*\]", re.I)
_FOREIGN_LINE = _tables.pattern("_FOREIGN_LINE")
_REPORTING = _tables.pattern("_REPORTING", re.I)


def own_words(text: str) -> str:
    """A message without what its sender did not write: code, quotations, tags, pasted blocks, private spans."""
    text = _COMMAND.sub("", _MEMORY_KEY.sub("", text))
    text = _PRIVATE.sub("\n\n", text.replace("\r\n", "\n").replace("’", "'").replace("‘", "'"))
    text = _WISH_FENCE.sub("\n\n", text)
    text = _TAG.sub(" ", _TAGGED.sub("\n\n", text))
    text = _PASTE_MARK.sub("\n\n", text)
    kept: list[str] = []
    foreign = False
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.splitlines()
        if foreign or len(lines) >= PASTED_LINES or max(map(len, lines), default=0) > PASTED_CHARS:
            foreign = False
            continue
        own = []
        for number, line in enumerate(lines, 1):
            if _REPORTING.search(line):
                foreign = number == len(lines)
                break
            if not _FOREIGN_LINE.match(line) and not line.startswith(("    ", "\t")):
                own.append(line)
        if own:
            kept.append("\n".join(own))
    return "\n\n".join(kept)


# "# always use biome here", alone on its line: the key by which hosts once took a note; a heading stands over something.
# its words are behind it
_COMMAND = re.compile(
    r"\A\s*/(?!(?:tmp|etc|usr|home|var|opt|dev|bin|mnt|root|proc|sys|srv)\b)[a-z][\w:.-]*\s+"
)
_MEMORY_KEY = re.compile(r"\A\s*#\s+(?=[^\n]+\s*\Z)")
_STANDING_TAIL = _tables.pattern("_STANDING_TAIL", re.I)


def beside_task(sentence: str) -> str:
    """A sentence without the task before its wish: "run the tests, and please never start the server" asks for the tests once."""
    found = _STANDING_TAIL.search(sentence)
    if found is None or any(
        pattern.search(sentence[: found.start()].lower()) for pattern in cues.STANDING
    ):
        return sentence
    return sentence[found.end() :]


_LIST_MARK = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|z\.B|d\.h|bzw|usw|p\. ?ej|approx|incl|ca|nr|fig)\.$", re.I
)


def sentences(text: str) -> Iterator[str]:
    """Sentences and list items, in order; line breaks inside a sentence are mended."""
    for block in text.split("\n\n"):
        lines: list[str] = []
        for raw in block.splitlines():
            line = raw.strip()
            plain = _LIST_MARK.sub("", line)
            if (
                lines
                and plain == line
                and line[:1].islower()
                and not re.search(r"[.!?:;]$", lines[-1])
            ):
                lines[-1] += " " + line
            elif plain:
                lines.append(plain)
        for line in lines:
            yield from _split(line)


def _split(line: str) -> Iterator[str]:
    start = 0
    for match in re.finditer(r"[.!?]+(?=\s|$)|;\s", line):
        piece = line[start : match.end()].strip()
        if _ABBREVIATION.search(piece) and match.end() < len(line):
            continue
        if piece:
            yield piece.rstrip(";")
        start = match.end()
    if line[start:].strip():
        yield line[start:].strip()


# --- one sentence -----------------------------------------------------------------------------------------------------

_QUOTED = _tables.pattern("_QUOTED")


_THE_MOMENT = _tables.pattern("_THE_MOMENT")


def _judge(sentence: str, setting: _Setting) -> _Wish | None:
    """Whether one sentence is a wish that outlives the task; None for everything else."""
    quote = " ".join(sentence.split())
    if not quote or len(quote) > LONGEST_WISH:
        return None
    told, text = _trimmed(quote)
    # Cues are looked for outside quotations; "never" inside one was said by somebody else.
    low = _QUOTED.sub("§", text).lower()
    if (
        len(re.findall(r"\w+", low)) < FEWEST_WISH_WORDS
        or ("§" in low and len(low.split()) < 4)
        or _asks(quote, low)
    ):
        return None
    if _not_asked_of_anyone(low) or _THE_MOMENT.search(low) or low.count(",") > MOST_CLAUSES:
        return None
    refused = setting.refused or bool(cues.REFUSING.match(quote))
    if _is_standing(low, text):
        reason = "standing"
    elif _is_convention(low, text):
        reason = "convention"
    elif _is_correction(low, text, told, refused, setting):
        reason = "correction"
    else:
        return None
    return _Wish(_finished(text), quote, _kind(low), _severity(low, quote, told), reason)


_USE = _tables.pattern("_USE", re.I)


def _other_tool(sentence: str, setting: _Setting, ran: str) -> _Wish | None:
    """ "No, use pnpm here." right after `npm install`: one tool for the other, and the command says which other."""
    quote = " ".join(sentence.split())
    found = _USE.match(quote)
    if found is None or not setting.after_action or not setting.opens:
        return None
    wanted = found[1].lower()
    used = next(
        (head for call in commands(ran) if (head := call.program.lower()) in cues.TOOLS), ""
    )
    if wanted not in cues.TOOLS or not used or used == wanted:
        return None
    return _Wish(
        f"Use {found[1]} instead of {used}.", quote, "preference", "recommendation", "correction"
    )


def _trimmed(quote: str) -> tuple[bool, str]:
    """(it had been said before, the sentence without politeness, fillers and a leading "no,")."""
    text, told = quote, bool(cues.TOLD_ELSEWHERE.match(quote.lower()))
    for _ in range(6):
        low = text.lower()
        again = cues.TOLD_BEFORE.match(low)
        lead = cues.LEADING_WORDS.match(low) or again
        if lead is None:
            break
        told = told or again is not None
        text = text[lead.end() :].lstrip()
    text = cues.TAIL.sub("", text.rstrip()).rstrip(" ,;")
    if told:
        text = re.sub(r"^that\s+|^to\s+", "", text, flags=re.I)
        text = re.sub(r"^not to\s+", "do not ", text, flags=re.I)
    text = re.sub(r"^you (?:forgot|keep forgetting) to\s+", "do not forget to ", text, flags=re.I)
    return told, text


def _asks(quote: str, low: str) -> bool:
    if not quote.rstrip().endswith("?"):
        return bool(cues.QUESTION.match(low)) and not cues.NOT_A_QUESTION.match(low)
    # "Can you always use pnpm?" is a wish in polite form.
    return not (cues.POLITE.match(quote.lower()) and cues.FOR_GOOD.search(low))


def _not_asked_of_anyone(low: str) -> bool:
    if cues.HYPOTHETICAL.match(low) and not cues.CONDITIONAL.match(low):
        return True
    end = low.rstrip(" .!")
    return any(pattern.match(end) for pattern in (cues.REPORTED, cues.DESCRIBING, cues.POINTING))


_NOTHING_IN = re.compile(
    r"no [\w-]+(?: [\w-]+)? (?:in|on|to|without|inside|at|for) "
)  # "no emojis in commit messages"
_WEAK = re.compile(r"^(?:i (?:\w+ )?prefer|ich bevorzuge|prefiero|je préfère|prefer)\b")
_STYLE_WORDS = _tables.pattern("_STYLE")


def _is_standing(low: str, text: str) -> bool:
    bound = bool(cues.TASK_BOUND.search(low))
    if _NOTHING_IN.match(low) and cues.NOUNS.search(low):
        return not bound
    if not any(pattern.search(low.rstrip(" .!?")) for pattern in cues.STANDING):
        return False
    if _WEAK.match(low):
        return not bound and _says_something(low)
    if cues.REQUIREMENT.match(low):
        return False
    if (bound or cues.TASK_OPENING.match(low)) and not cues.FOR_GOOD.search(low):
        return False
    # What the product shall always do is asked for in the same words; a way of working names a thing of the trade.
    return _names_something(low, text) or bool(
        cues.CONDUCT.search(low) or _words(low) & cues.PLACES or _USED_HERE.match(low)
    )


# whatever it is that is used: "here" says that a way of working is meant
_USED_HERE = re.compile(r"(?:always|never|do not|don't) use [\w.+#-]+\b.{0,60}\bhere\b\W*$")


def _is_convention(low: str, text: str) -> bool:
    if not any(pattern.search(low) for pattern in cues.CONVENTION):
        return False
    if cues.TASK_BOUND.search(low) and not re.search(r"\b(?:here|hier|aquí|ici)\b", low):
        return False
    return _names_something(low, text) or bool(_STYLE_WORDS.search(low))


_PROJECT_HERE = re.compile(r",? here(?=\s*[.!]*$|,? (?:instead of|rather than|not)\b)")


def _is_correction(low: str, text: str, told: bool, refused: bool, setting: _Setting) -> bool:
    # "here" between names of tools is how people say: in this project. Between pieces of code it is this place.
    tells_which = cues.SWAP.search(low) or cues.NEGATED.search(low) or " with " in low
    anywhere = _PROJECT_HERE.sub("", low) if _tools(low) and tells_which else low
    if cues.TASK_BOUND.search(anywhere) or cues.HEDGED.search(low):
        return False
    if told:
        return _says_something(low)
    if not any(pattern.search(low) for pattern in cues.CORRECTION):
        return False
    answers = setting.after_action or refused
    swaps, negated, tools = bool(cues.SWAP.search(low)), bool(cues.NEGATED.search(low)), _tools(low)
    if (
        len(tools) > 1
        and (swaps or negated)
        and (answers or (setting.opens and cues.CHOOSING.match(low)))
    ):
        return True  # one named tool for another: general by itself
    turned = refused or swaps or negated or bool(cues.FORGETTING.match(low))
    return answers and turned and bool(cues.NAMED.search(text) or cues.HABITS.search(low) or tools)


def _names_something(low: str, text: str) -> bool:
    """A tool, file, command or library, or a part of every project."""
    return bool(cues.NAMED.search(text) or cues.NOUNS.search(low) or _tools(low))


def _tools(low: str) -> set[str]:
    return _words(low) & cues.TOOLS


def _words(low: str) -> set[str]:
    return set(re.findall(r"[\w.+#-]*\w", low))


_FILLING = _tables.words("FILLING")


def _says_something(low: str) -> bool:
    """Enough content that a stranger could act on it."""
    if _names_something(low, low):
        return True
    return len([word for word in re.findall(r"[^\W\d_]{4,}", low) if word not in _FILLING]) >= 2


# --- wording ----------------------------------------------------------------------------------------------------------

_STRONG = _tables.pattern("_STRONG")
_FORBIDDING = re.compile(
    r"\b(?:don't|do not|dont)\b|\bnicht\b|^no \w+[ea]s\b|(?:\bne |\bn').*\b(?:pas|plus)\b"
)
_ABOUT_REPO = _tables.pattern("_ABOUT_REPO")


def _finished(text: str) -> str:
    text = text.rstrip(" !?:;,–—-")
    if not cues.NAMED.match(text):
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "…")) else text + "."


def _kind(low: str) -> str:
    strict = _STRONG.search(low) or _FORBIDDING.search(low)
    return "rule" if strict and _ABOUT_REPO.search(low) and not _WEAK.match(low) else "preference"


def _severity(low: str, quote: str, told: bool) -> str:
    shouted = quote.endswith("!!") or re.search(r"\b[A-Z]{4,}\b.*\b[A-Z]{4,}\b", quote)
    if told or shouted or _STRONG.search(low):
        return "warning"
    return "info" if _WEAK.match(low) else "recommendation"


def _finding(run: Run, step: Step, wish: _Wish, tier: str) -> Finding:
    """`tier`: quoted where nobody knows whether the person said it; it waits for their word."""
    return Finding(
        run=run.id,
        place=step.place,
        text=wish.text,
        extractor=NAME,
        version=VERSION,
        kind=wish.kind,
        by="user",
        tier=tier,
        severity=wish.severity,
        tags=(wish.reason,),
        paths=tuple(
            dict.fromkeys(path.rstrip(".") for path in cues.PATH_IN_TEXT.findall(wish.text))
        )[:MOST_PATHS],
        quote=wish.quote,
        at=step.at,
    )
