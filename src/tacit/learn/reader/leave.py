"""What needs a person's leave: lessons that install, lead outside, loosen security, or let the agent act where nobody asked.

Whoever said them. They are held, and the person is asked once.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tacit.core.tables import Tables
from tacit.learn.hazard import hazard_of

_tables = Tables(__file__)

_RUN_BY_NAME = re.compile(r"\b(?:npx|uvx|bunx)\s[^`\n;&|]{1,100}")

_LOCAL_ADDRESS = _tables.pattern("_AT_HOME")
_STRICTER = _tables.pattern("_STRICTER", re.I)
_SIGNING, _PERMISSIONS = "is about signing or secrets", "is about permissions"
ADDRESS = "names an address, or a program that fetches or sends"
_ADDRESSES = re.compile(r"\b(?:https?|ftp)://[^\s`'\"<>()]+|\b\d{1,3}(?:\.\d{1,3}){3}\b", re.I)
_SECRET = r"(?:private keys?|api[ _-]?keys?|passwords?|credentials?|secrets?|access tokens?)\b"
_SENSITIVE = {
    "installs something": re.compile(
        r"\b(?:pip3?|pipx|uv|npm|pnpm|yarn|bun|brew|apt(?:-get)?|dnf|yum|cargo|gem|go|conda|poetry)\s+(?:install|add|get|i|tool install)\b"
        r"|(?:^|[.;:,]\s+|\b(?:then|first|and|(?<!how )to|must|should|always|please|just)\s+)"
        r"install\s+(?!scripts?\b|steps?\b|commands?\b)\w",
        re.I,
    ),
    ADDRESS: re.compile(r"\b(?:https?|ftp)://|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b(?:curl|wget|scp|rsync|nc)\b", re.I),
    "changes rights or security": re.compile(
        r"\b(?:sudo|chmod|chown|setenforce|iptables)\b|\bverify\s*=\s*False\b"
        r"|--(?:no-verify|insecure|force|dangerously\S*|no-gpg-sign|privileged|no-sandbox)\b"
        r"|\b(?:disable|bypass|skip|turn off|ignore)\s+(?:\w+\s+){0,3}?"
        r"(?:tls|ssl|certificate|signature|signing|sandbox|permission|auth\w*|csrf|firewall|security|hook|verification)",
        re.I,
    ),
    _SIGNING: re.compile(  # a secret that is handled or lies somewhere; that a product knows of passwords is no advice about one
        r"\b(?:gpg|gpgsign|signatures?|sign(?:ing|ed)? commits?|commit sign\w+|signing key)"
        rf"|\b(?:use|set|put|store|keep|paste|send|share|copy|read|fetch|get|export|add|commit|enter|pass|take|hard-?code|print|log)s?\s+"
        rf"(?:[\w'’-]+\s+){{0,4}}?{_SECRET}"
        rf"|{_SECRET}\s+(?:(?:is|are)\s+(?:in|at|on|kept|stored|under)|lies?|stands?|comes?|can be found|in|from|at)\b",
        re.I,
    ),
    _PERMISSIONS: re.compile(
        r"\bpermissions?\b|\ballow(?:ed)?[ -]?list|\bauto-?approv|\bwithout (?:asking(?! wh)|confirm|permission|approval)"
        r"|\bfully autonomous|\binstead of asking for (?:\w+ ){0,4}(?:confirmation|approval|permission|leave)\b",
        re.I,
    ),
}


def asks_person(text: str) -> str:
    """Why a lesson waits for the person's word whoever said it; empty where it need not. What only makes things stricter does not wait."""
    if any(hazard_of(found[0]).startswith("runs a package") for found in _RUN_BY_NAME.finditer(text)):
        return "installs something"
    strict = bool(_STRICTER.search(text))
    loose = _STRICTER.sub(" ", _LOCAL_ADDRESS.sub(" ", text))
    for reason, pattern in _SENSITIVE.items():
        if pattern.search(loose) and not (strict and reason in (_SIGNING, _PERMISSIONS)):
            return reason
    return ""


def asks_beside(text: str, known: Callable[[str], bool]) -> str:
    """The same, where an address that the project's own files hold (`known`) leads nowhere new."""
    reason = asks_person(text)
    if reason != ADDRESS:
        return reason
    return asks_person(_ADDRESSES.sub(lambda found: " " if known(found[0].rstrip("/.,;:")) else found[0], text))


_ACT = _tables.text("_ACT")
_UNASKED = _tables.pattern("_UNASKED", re.I)
_OFFER = re.compile(rf"\b(?:offer|propose|suggest|ask) (?:whether )?to {_ACT}\b", re.I)
_HTTP_REQUEST = re.compile(r"\b(?:POST|DELETE)\s+/")  # a method of HTTP, not an order
_ASKED = _tables.pattern("_ASKED", re.I)
_MANNER = _tables.pattern("_MANNER", re.I)
_CONDITION = _tables.pattern("_CONDITION", re.I)
_FORBIDS = _tables.pattern("_FORBIDS", re.I)
_EVERY_TIME = _tables.pattern("_EVERY_TIME", re.I)


def acts_unasked(text: str) -> bool:
    """Whether a lesson tells the agent to commit, push, deploy, delete, publish or post where nobody asks for it."""
    plain = _OFFER.sub(" ", _MANNER.sub(" ", _HTTP_REQUEST.sub(" ", text)))
    plain = _FORBIDS.sub(" ", _CONDITION.sub(" ", _ASKED.sub(" ", plain)))
    return bool(_UNASKED.search(plain))


_LEAVE = re.compile(r"\b(?:ask|confirm|approv\w+|permission|allowed)\b", re.I)


def holds_back(text: str) -> bool:
    """Whether a rule keeps an agent from acting, or something safe: only a person's own words end it."""
    return any(pattern.search(text) for pattern in (_STRICTER, _FORBIDS, _LEAVE)) or bool(asks_person(text))


_FORMS = _tables.pattern("_FORMS", re.I)


def acts_in_any_form(text: str) -> bool:
    """The same of words that somebody is about to approve as an order: also as a question, or with the act as a participle."""
    plain = _FORBIDS.sub(" ", _CONDITION.sub(" ", _ASKED.sub(" ", _OFFER.sub(" ", _MANNER.sub(" ", text)))))
    return acts_unasked(text) or bool(_FORMS.search(plain))


def is_standing_order(line: str) -> bool:
    """Whether the person's own words say that it holds every time."""
    return bool(_EVERY_TIME.search(line))
