"""Seeded texts for the benches, in our own words: lessons, bug reports, and the prompts that ask for them.

Words are drawn as in real text: few are everywhere and most are rare (rank by a uniform logarithm, as Zipf has it), and new names keep coming as
the store grows. A lesson has about 200 characters, a report about 900. A prompt is made from a lesson that could answer it, with other words around
the ones it shares; a pasted one carries log lines and a traceback besides.
"""

from __future__ import annotations

import random
from math import exp, log

NOUNS = """test build cache migration fixture token schema route worker queue index lockfile certificate volume branch snapshot mock timeout socket
header payload session server client database table column row key query request response config file folder path module package version release
deploy container image cluster node pod service job task thread process lock transaction commit merge rebase tag pipeline stage step script hook
plugin parser lexer compiler linker target flag option argument variable environment secret password user role permission policy rule filter sort page
cursor offset limit batch chunk stream buffer encoding locale timezone clock date timestamp retry backoff deadline heartbeat probe metric log trace
span alert dashboard report export import backup restore replica shard partition consumer producer topic event message handler callback promise future
signal interrupt memory heap stack leak allocation pointer struct enum field property attribute method function class interface type generic template
macro annotation decorator wrapper adapter proxy gateway router balancer firewall subnet domain record resolver mirror registry artifact checksum
signature digest salt cookie redirect form button dialog modal layout style theme font icon asset bundle source map loader bridge driver kernel
device sensor display keyboard printer invoice order payment refund customer account ledger balance price currency tax discount coupon cart shipment
stock supplier contract ticket comment review draft article author reader search ranking score model dataset feature label epoch gradient tensor""".split()
VERBS = """fails hangs crashes loops blocks retries expires leaks overflows truncates duplicates reorders ignores rejects swallows rewrites
deadlocks shadows corrupts drops skips flakes stalls drifts panics collides races starves bounces rounds""".split()
CURES = """pin the version|clear the {n} first|pass the absolute path|hold the {n} lock|wait for the {n} probe|regenerate the {n} client|open a fresh
{n}|set the locale|rebase before pushing|warm the {n} up once|raise the {n} limit to {k}|delete the stale {n}|run it with {f}|escape the {n}|sort by {n}
before comparing|use the {n} of the request, not the global one|close the {n} in a finally block|freeze the clock|mock the {n} at the boundary|read the {n} in chunks
of {k}|compare as UTC|quote the {n}|commit before the {n} starts|check {i} for null""".replace(
    "\n", " "
).split("|")
ERRORS = "TypeError KeyError ValueError TimeoutError ConnectionResetError FileNotFoundError PermissionError IntegrityError AssertionError OSError".split()
TOOLS = "pytest ruff mypy make docker psql npm pnpm cargo go terraform kubectl git alembic celery redis nginx webpack vite eslint gradle helm tox uv".split()
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zan bri cla dor fen gral hum jas kel lin mor nex pol ras ster tun".split()
KINDS = ("fix", "pitfall", "command", "fact")
NAMES = 400_000  # made-up names; a store of a million meets most of them


def ranked(chance: random.Random, most: int) -> int:
    """A rank from 0, drawn by Zipf's law: the second half as often as the first, the tenth a tenth."""
    return int(exp(chance.random() * log(most + 1))) - 1


def name(rank: int) -> str:
    """The made-up name of a rank: two to four syllables."""
    spelled = ""
    rank += len(SYLLABLES)
    while rank:
        rank, at = divmod(rank, len(SYLLABLES))
        spelled += SYLLABLES[at]
    return spelled


class Writer:
    """Writes texts from one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def noun(self) -> str:
        return NOUNS[ranked(self.chance, len(NOUNS))]

    def name(self) -> str:
        return name(ranked(self.chance, NAMES))

    def identifier(self) -> str:
        one, other = self.name(), self.noun()
        return self.chance.choice(
            (
                f"{other}_{one}",
                f"{one}{other.title()}",
                f"{one.title()}{other.title()}",
                f"{one}-{other}",
            )
        )

    def path(self) -> str:
        return f"{self.chance.choice(('src', 'lib', 'app', 'tests', 'pkg'))}/{self.name()}/{self.noun()}_{self.noun()}.{self.chance.choice(('py', 'ts', 'go', 'rs'))}"

    def number(self) -> int:
        return int(10 ** (1 + 3 * self.chance.random()))

    def cure(self) -> str:
        return self.chance.choice(CURES).format(
            n=self.noun(), k=self.number(), f=f"--{self.noun()}-{self.noun()}", i=self.identifier()
        )

    def lesson(self) -> dict[str, object]:
        """One lesson of about 200 characters, as `add_many` takes it."""
        pick = self.chance.choice
        tool, noun = pick(TOOLS), self.noun()
        opening = pick(
            (
                f"When `{tool} {noun}` touches the {self.noun()} of {self.name()}",
                f"In {self.path()} the {noun} of {self.identifier()}",
                f"{self.identifier()}() with an empty {noun}",
                f"After a {noun} {self.noun()} the {self.name()} {self.noun()}",
                f"`{tool} {noun} --{self.noun()}` on the {self.name()} {self.noun()}",
            )
        )
        problem = pick(
            (
                f"{pick(VERBS)} with {pick(ERRORS)} in {self.identifier()}",
                f"{pick(VERBS)} when the {self.noun()} {self.noun()} is older than {self.number()} s",
                f"{pick(VERBS)} and leaves the {self.noun()} of {self.name()} behind",
            )
        )
        text = f"{opening} {problem}; {self.cure()}, then {self.cure()}. Seen with {self.name()} {pick('123456789')}.{self.number()} and the {self.noun()} {self.noun()}."
        return {"text": text, "kind": pick(KINDS), "tags": [tool, noun]}

    def report(self) -> dict[str, object]:
        """One bug report of about 900 characters: prose, a traceback, versions."""
        said = " ".join(str(self.lesson()["text"]) for _ in range(2))
        frames = " ".join(
            f'File "{self.path()}", line {self.number()}, in {self.identifier()}' for _ in range(3)
        )
        text = (
            f"{self.noun().title()} {self.noun()} {self.chance.choice(VERBS)} in {self.identifier()}. {said} Traceback (most recent call last): {frames} "
            f"{self.chance.choice(ERRORS)}: {self.noun()} {self.name()} not found. Expected: the {self.noun()} {self.noun()}. Version {self.number()}.{self.number()}."
        )
        return {"text": text, "kind": self.chance.choice(KINDS)}

    def prompt(self, about: str) -> str:
        """A task of some fifteen words that the lesson `about` could help with."""
        words = [word for word in about.split() if len(word) > 3]
        shared = self.chance.sample(words, min(7, len(words)))
        return f"fix the {self.noun()} {self.noun()}: {' '.join(shared)} please check the {self.noun()} and {self.name()} too"

    def pasted(self, about: str) -> str:
        """A prompt of some 4,000 characters: a task, a log and a traceback."""
        log_lines = "\n".join(
            f"2026-11-{self.chance.randrange(10, 29)}T10:{self.chance.randrange(10, 59)}:07Z INFO {self.noun()} {self.noun()} {self.identifier()} {self.noun()}={self.number()} {self.noun()}"
            for _ in range(40)
        )
        return f"{self.prompt(about)}\n\n{log_lines}\n\n{self.report()['text']}"
