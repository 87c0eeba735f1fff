"""What somebody asked for in passing, worded as a standing order: the same words without what makes them a request of that moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import Refused

# What people put before a request: it says to whom or how politely, never what. Each may follow another ("ok, and can you please …").
_BEFORE = re.compile(
    r"(?:(?:ok(?:ay)?|alright|thanks|thank you|now|then|so|and|also|but|just|please|pls|kindly)\b[\s,.!:;]*"
    r"|(?:great|cool|good|nice|perfect|yes|yeah|well|hey|hi|next|again|finally|first)\s*[,.!:;]\s*"
    r"|let'?s\b\s*|let us\b\s*"
    r"|(?P<asks>(?:can|could|would|will|may|should)\s+(?:you|we|i)\b(?!\s+mind)\s*|do you think (?:you|we) (?:can|could)\s+)"
    r"|(?:i|we)(?:'d| would)? (?:want|need|like)(?: you)? to\s+"
    r"|(?:you|we|i) (?:should|need to|have to|must)\s+)",
    re.I,
)
_AFTER = re.compile(r"[\s,]*\b(?:please|pls|thanks|thank you|for me|now|then|again|ok(?:ay)?)[\s.!]*$", re.I)


# "when you are done, …", "before each commit, …": what stands before it says when, not what.
_WHEN = re.compile(r"(?:when|whenever|once|after|before|if|every time|each time|at the end)\b[^,]{2,60},\s*", re.I)
_ALWAYS = re.compile(r"(?:always|never|do not|don't|dont|make sure (?:to|that you)|remember to|be sure to)\s+", re.I)
# Verbs that people order a coding agent with, as they begin a sentence. A sentence without one is a remark or a question.
_ORDERS = frozenset(
    "add aktualisiere align analyse analyze annotate answer append apply archive ask assign attach audit avoid "
    "backport baue benchmark build bump cache call change check choose cite clean clear close comment commit "
    "compare compile complete compress configure confirm consider consolidate continue convert copy correct count "
    "cover create cut debug decide define delete deploy describe design detect disable discuss do document double- "
    "check download draft draw drop edit enable ensure erstelle estimate evaluate examine exclude execute expand "
    "explain export expose extend extract fetch fill filter find finish fix follow force-push format füge generate "
    "get give go group handle hide highlight host implement import improve include increase index inline insert "
    "inspect install integrate investigate join keep label launch leave limit link lint list load localize lock log "
    "look lower lösche mach mache maintain make mark measure mention merge migrate mock monitor move name normalize "
    "note notify nutze omit open optimise optimize order organise organize output pass paste patch perform pick pin "
    "place plan point polish post prefer prefix prepare present preserve print prioritize proceed produce profile "
    "propose provide prune prüfe publish pull push put query quote raise rank re-run read rebase rebuild recheck "
    "record redeploy redo reduce refactor refer reference reformat refresh regenerate reinstall reject release "
    "reload remember remove rename render reorder replace reply report request research reset resolve respect "
    "respond restart restore restrict restructure retest return reuse revert review revise rewrite rollback rotate "
    "run sanitize save scan schreib schreibe search select send separate serve set ship shorten show simplify skip "
    "sort specify split squash stage start stash state stay stick stop store stub submit suggest summarise "
    "summarize support switch sync tag take tell test teste tidy track translate treat trim try turn type undo "
    "unify update upgrade upload use validate verify version verwende view visit wait walk warn watch wrap write "
    "zeig zeige ändere".split()
)


ONLY_WHEN_TOLD = "and do it only when told to"


def offered(said: str, after: bool = False) -> str:
    """An act that was asked for each time, as what one may do unasked: offer it."""
    return f"{'When the work is done, offer' if after else 'Offer'} to {said}, {ONLY_WHEN_TOLD}."


def is_order(text: str) -> bool:
    """Whether a sentence asks for something to be done: “seems to work” and “did you push?” do not."""
    rest, asks = _stripped(text)
    if rest.endswith("?") and not asks:
        return False
    rest = _ALWAYS.sub("", _WHEN.sub("", rest, count=1), count=1)
    word = rest.split(maxsplit=1)[0].lower().rstrip(",.:;!?") if rest.split() else ""
    return word in _ORDERS


def _stripped(text: str) -> tuple[str, bool]:
    """A sentence without what people put before a request, and whether that asked."""
    rest, asks = text.strip(), False
    while (met := _BEFORE.match(rest)) and len(rest) > met.end() > 0:
        rest, asks = rest[met.end() :].lstrip(" ,:;-"), asks or bool(met["asks"])
    return rest, asks


def as_order(text: str) -> str:
    """“ok, can you update the changelog please?” → “Update the changelog.” What is no request keeps its words."""
    rest, asks = _stripped(text)
    if asks:
        rest = rest.rstrip(" ?")
    while _AFTER.search(rest) and len(cut := _AFTER.sub("", rest)) > 3:
        rest = cut
    if len(rest.split()) < 2:  # nothing but politeness, or what is left says nothing
        rest = text.strip()
    return rest[:1].upper() + rest[1:] + ("" if rest[-1:] in ".!?:`)" else ".")


def order_of(payload: Mapping[str, Any]) -> str:
    """What was asked for, as the order it becomes. Stores of before hold requests that order nothing: those take other words, or a no."""
    asked = str(payload.get("text", ""))
    if not is_order(asked):
        raise Refused(
            f"“{asked}” orders nothing that an agent could do.", "Say it in words that do: --text 'TEXT'; or reject it."
        )
    return str(payload.get("order") or as_order(asked))
