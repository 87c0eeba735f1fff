"""The public rules of gitleaks find what ours have no word for, and cost what a text's length costs.

Tokens are put together at run time, so that no scanner of this repository takes them for real ones.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from tacit.safety import redact_ways as module
from tacit.safety.redact import redact

ROOT = Path(__file__).resolve().parents[2]


def body(count: int, alphabet: str = "abcdefghijklmnopqrstuvwxyz0123456789") -> str:
    """The same random characters each time."""
    return "".join(Random(count).choices(alphabet, k=count - 2)) + "a7"


@pytest.fixture(scope="module")
def converter() -> ModuleType:
    """The script that makes the data."""
    spec = importlib.util.spec_from_file_location("converter", ROOT / "bench" / "gitleaks.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


HEX = "0123456789abcdef"
FOUND = [
    ("log in with {}", "s." + body(24), "vault-service-token"),
    ("CF_ORIGIN {}", "v1.0-" + body(24, HEX) + "-" + body(146, HEX), "cloudflare-origin-ca-key"),
    ("meraki: {}", body(40, HEX), "cisco-meraki-api-key"),
    ("droneci={}", body(32), "droneci-access-token"),
    ("fastly => {}, then purge", body(32), "fastly-api-token"),
    ("the sendbird: {}", body(40, HEX), "sendbird-access-token"),
    ("discord => {}", "1234567890" * 1 + "12345678", "discord-client-id"),
]


@pytest.mark.parametrize(("around", "secret", "kind"), FOUND, ids=[row[2] for row in FOUND])
def test_a_secret_that_only_these_rules_know(around: str, secret: str, kind: str) -> None:
    """It goes whole, under the name of the rule, in a line alone and in the middle of a long text."""
    assert redact(around.format(secret)).text == around.format(f"[redacted:{kind}]")
    filler = "The build went on as before. " * 400
    assert secret not in redact(filler + around.format(secret) + " " + filler).text


def test_what_a_rule_lets_stand() -> None:
    """A stand-in of low entropy, and what the rule itself allows."""
    assert not redact("fastly => " + "a" * 32).hits
    assert not redact("log in with s." + "abcdefghijklmnopqrstuvwx").hits


def test_no_expression_runs_without_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text without a word of any rule asks for none of their expressions."""
    asked = list[str]()

    def compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
        asked.append(expression)
        return re.compile(expression, flags)

    monkeypatch.setattr(module, "compiled", compiled)
    text = f"a long number 12345678901234567890 and {'no more ' * 400}"
    assert [*module.gitleaks(text, text)] == []
    assert not {rule.pattern for rule in module._gitleaks_rules()}.intersection(asked)


@pytest.mark.parametrize("piece", ["s.", "ey", "jira=", "sk_live_", "sntrys_eyJpYXQiO" + "a" * 190])
def test_twice_the_text_is_twice_the_pieces(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever word a hostile text repeats: the characters that are looked through grow with it."""

    class Counting:
        def __init__(self, expression: re.Pattern[str]) -> None:
            self.expression = expression

        def search(self, text: str, begin: int, end: int) -> re.Match[str] | None:
            nonlocal looked
            looked += min(end, len(text)) - begin
            return self.expression.search(text, begin, end)

        def match(self, text: str, begin: int, end: int) -> re.Match[str] | None:
            nonlocal looked
            looked += min(end, len(text)) - begin
            return self.expression.match(text, begin, end)

    patterns = {rule.pattern for rule in module._gitleaks_rules()}

    def compiled(expression: str, flags: int = 0) -> object:
        made = re.compile(expression, flags)
        return Counting(made) if expression in patterns else made

    monkeypatch.setattr(module, "compiled", compiled)
    sums = list[int]()
    for size in (20_000, 40_000):
        looked = 0
        text = (piece * (size // len(piece) + 1))[:size] + " " + "b" * 40
        for _ in module.gitleaks(text, text):
            pass
        sums.append(looked)
    assert 0 < sums[1] <= 2.2 * sums[0]


CONVERTED = [
    ("(?i)[\\w.-]{0,50}?(?:asana)", "(?i:(?:asana))", "what stands before a name is none of it"),
    (r"\b(p8e-(?i)[a-z0-9]{32})", r"\b(p8e-(?i:[a-z0-9]{32}))", "a flag holds to the group's end"),
    ("(?i)a|b", "(?i:a)|(?i:b)", "and for each alternative"),
    (r"x(?:(?i)a|b)c", "x(?:(?i:a)|(?i:b))c", "inside a group only"),
    (r"a{3}\z", r"a{3}\Z", "the end of the text"),
    (r"[[:alnum:]_[]", r"[a-zA-Z0-9_\[]", "classes by name, a bracket in a class"),
    (r"[^)|]", "[^)|]", "a bracket in a class closes no group"),
]


@pytest.mark.parametrize(("go", "python", "why"), CONVERTED, ids=[row[2] for row in CONVERTED])
def test_what_go_says_in_python(converter: ModuleType, go: str, python: str, why: str) -> None:
    """A row each: an expression of Go's, and the same one of Python's."""
    assert converter.python_pattern(go) == python, why


def test_the_rules_are_all_of_one_release_but_those_named(converter: ModuleType) -> None:
    """Every rule has words, a pattern that compiles, and none is one that was left out with a reason."""
    rules = module._gitleaks_rules()
    names = [rule.name for rule in rules]
    assert len(names) == len(set(names)) > 200
    assert not set(names) & set(converter.LEFT_OUT)
    for rule in rules:
        assert rule.hints and all(hint == hint.lower() for hint in rule.hints), rule.name
        for pattern in (rule.pattern, *rule.allowed):
            re.compile(pattern, re.ASCII)
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    release = re.search(r"gitleaks \d+\.\d+\.\d+", converter.OUT.read_text(encoding="utf-8"))
    assert "Copyright (c) 2019 Zachary Rice" in notice and release and release[0] in notice
