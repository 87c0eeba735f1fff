"""Secrets in a place made for them: a header, a cookie, the user part or the signature of a URL, a Kubernetes Secret."""

from __future__ import annotations

from tacit.safety.expressions import compiled
from tacit.safety.redact_names import says
from tacit.safety.redact_values import (
    chop,
    classes,
    dense,
    is_code,
    is_random,
    is_term,
    mixed,
    stand_in,
    worth_hiding,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.safety.expressions import Span


def places(text: str, low: str) -> Iterator[Span]:
    """Values of headers, cookies, URLs and the like, where only a credential has business."""
    from tacit.safety.redact_rules import LIKELY_PLACES, SECRET_PLACES

    for rules, judged in ((SECRET_PLACES, False), (LIKELY_PLACES, True)):
        for kind, hints, expression in rules:
            # Every code has three digits in a row, or one before a hyphen; "exit code 1" stands in most outputs.
            if any(hint in low for hint in hints) and (
                kind != "code" or compiled(r"\d{3}|\d\w{0,5}-\w").search(text)
            ):
                for match in compiled(expression).finditer(text):
                    group = match.lastindex or 1
                    if not stand_in(match[group]) and (not judged or _looks_the_part(match[group])):
                        yield *match.span(group), kind
    if "authorization" in low or "bearer" in low:
        yield from _authorization(text)
    if "auth" in low and '"' in text:  # docker's config.json
        for entry in compiled(
            r'\\?"auth\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9+/]{8,400}={0,2})'
        ).finditer(text):
            if _is_login(entry[1]):
                yield *entry.span(1), "basic-auth"
    if "cookie" in low:
        yield from _cookies(text)
    if "://" in text:
        yield from _url_logins(text)
    if "=" in text and ("?" in text or "&" in text):
        yield from _url_parameters(text)
    if "</" in text:
        yield from _elements(text)
    if "kind:" in low and "secret" in low:
        yield from _manifests(text)


def _looks_the_part(content: str) -> bool:
    """Whether a value in a likely place is a credential and no path, address, version or term."""
    odd = len(content) >= 10 and classes(content) >= 2 and chop(content) <= 2.4
    return (mixed(content) or odd) and not is_term(content) and not is_code(content, "literal")


def _authorization(text: str) -> Iterator[Span]:
    """`Authorization: Bearer x`, with any scheme or none, as a header, in JSON or in code; and a bare `Bearer x`."""
    header = (
        r"(?i)(?<![A-Za-z])authorization(?:\\?[\"'`]\]?)?\s{0,4}[:=,]\s{0,4}(?:f?\\?[\"'`])?"
        r"(?:([A-Za-z][\w-]{1,30})[ \t]{1,4})?([^\s\"'`\\,;<>(){}]{4,4096})"
    )
    for match in compiled(header).finditer(text):
        basic = (match[1] or "").lower() == "basic"
        if not stand_in(match[2]) and (
            mixed(match[2]) or chop(match[2]) <= 2.6 or (basic and _is_login(match[2]))
        ):
            yield *match.span(2), "basic-auth" if basic else "bearer-token"
    for match in compiled(r"(?i)(?<![A-Za-z])bearer[ \t]{1,4}([\w.~+/=%-]{8,4096})").finditer(text):
        credential = match[1].rstrip(".")
        if not stand_in(credential) and mixed(credential) and not is_term(credential):
            yield match.start(1), match.start(1) + len(credential), "bearer-token"


def _is_login(encoded: str) -> bool:
    """Whether this is `user:password` in base64."""
    from binascii import Error, a2b_base64

    try:
        return b":" in a2b_base64(encoded + "==")
    except Error:
        return False


def _cookies(text: str) -> Iterator[Span]:
    """What a cookie header holds, but for the cookies everybody may see."""
    from tacit.safety.redact_rules import HARMLESS_COOKIES

    head = r"(?i)(?:set-)?cookies?(?:\\?[\"'`]\]?)?\s{0,3}[:=, ]\s{0,3}\\?[\"'`]?(?=[\w.-]{1,60}=)"
    pair = r"\s{0,2};?\s{0,3}([\w.-]{1,60})(?:=([^\s;,\"'`\\]{0,4096}))?"
    at = 0
    for start in compiled(head).finditer(text):
        if start.end() < at:
            continue
        at = start.end()
        while (cookie := compiled(pair).match(text, at)) and (
            at == start.end() or ";" in cookie[0][:3]
        ):
            at = cookie.end()
            content = cookie[2] or ""
            if len(content) < 6 or cookie[1].lower() in HARMLESS_COOKIES or stand_in(content):
                continue
            telling = compiled(r"(?i)sess|sid|auth|tok|login|user|remember|jwt").search(cookie[1])
            if dense(content) or (telling and mixed(content)):
                yield *cookie.span(2), "cookie"


def _url_logins(text: str) -> Iterator[Span]:
    """The password of `scheme://user:password@host`, or the token of `scheme://token@host`."""
    harmless: dict[str, bool] = {}
    for match in compiled(
        r"://([^\s/:@\"'`<>]{0,256}):([^\s/\"'`<>]{1,512})@([\w.-]{0,100})"
    ).finditer(text):
        user, password, host = match[1], match[2], match[3]
        if password not in harmless:
            harmless[password] = stand_in(password)
        dev_default = (
            host in ("localhost", "127.0.0.1", "db", "postgres", "mysql", "redis")
            and password == user
        )
        if not (harmless[password] or dev_default):
            yield *match.span(2), "url-password"
    for match in compiled(r"://([\w-]{16,256})@").finditer(text):
        if mixed(match[1]) and chop(match[1]) <= 3.2 and not stand_in(match[1]):
            yield *match.span(1), "url-token"


def _url_parameters(text: str) -> Iterator[Span]:
    """Signatures and keys in the query of a URL; parameters named like secrets are found by name."""
    from tacit.safety.redact_rules import URL_PARAMETERS

    for match in compiled(rf"(?i)[?&#;](?:{URL_PARAMETERS})=([^\s&#\"'`<>]{{8,4096}})").finditer(
        text
    ):
        content = match[1].rstrip(".,;)")
        if (
            len(content) >= (16 if classes(content) < 3 else 10)
            and mixed(content)
            and is_random(content, 2.5)
            and chop(content) <= 4
            and not stand_in(content)
        ):
            yield match.start(1), match.start(1) + len(content), "url-signature"


def _elements(text: str) -> Iterator[Span]:
    """`<password>x</password>`."""
    for match in compiled(
        r"<([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,200})?>([^<>\s]{3,1000})</"
    ).finditer(text):
        strength, kind = says(match[1].rsplit(":", 1)[-1])
        if strength and worth_hiding(match[2], strength, "quoted"):
            yield *match.span(2), kind


def _manifests(text: str) -> Iterator[Span]:
    """The values of a Kubernetes Secret."""
    begin = 0
    for document in text.split("\n---"):
        end = begin + len(document)
        if compiled(r"(?m)^[ \t]{0,20}kind:[ \t]{0,4}[\"']?Secret\b").search(document):
            entry = compiled(
                r"\r?\n[ \t]{1,40}[\w.-]{1,100}:[ \t]{0,4}(\S{1,4096})[ \t]*(?=\r?\n|$)"
            )
            for data in compiled(r"(?m)^[ \t]{0,20}(?:data|stringData):[ \t]{0,20}$").finditer(
                text, begin, end
            ):
                at = data.end()
                while line := entry.match(text, at, end):
                    at = line.end()
                    if len(line[1]) > 3 and not stand_in(line[1].strip("\"'") or "-"):
                        yield *line.span(1), "kubernetes-secret"
        begin = end + 4
