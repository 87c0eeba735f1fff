"""Reports and lessons: does a text tell what went wrong, or what to do?

Two people who report one problem share its subject and little else: "message archiving does not work", "archive function in Messenger
doesn't move message". Nothing follows from their other words, so likeness may speak for itself. Of two lessons each word counts:
whoever reads the second does something else. So a text is taken for a report only if something goes wrong in it and nobody is told
anything: no modal, no rule, no remedy, no clause that begins with an order. When in doubt it is a lesson.

English only: elsewhere an order is not known by its first word.
"""

from __future__ import annotations

import re

# What goes wrong: words, beginnings of words, ends of names, two words.
_TROUBLE = frozenset(
    "aborted aborts anymore aren't bad blank break breakage breaking breaks broke broken bug buggy bugs can't cannot couldn't dead "
    "denied didn't died dies doesn't don't dropped drops empty flaky forever garbled hadn't hang hanging hangs hardcoded hasn't haven't "
    "hung ignored ignores impossible inactive invalid invisible isn't issue issues killed lags leak leaked leaking leaks loses losing "
    "lost misleading missing mistake mistakes neither not nothing npe oom orphaned outdated poor poorly problem problems race raises "
    "refused refuses rejected rejects silently slow slower slowly stale stopped stuck swallowed swallows thrown throws timed timeout "
    "timeouts twice typo typos unable uncaught unescaped unhandled unneeded unreachable unreadable unresponsive unsupported unusable "
    "unwanted useless warning warnings wasn't weren't won't wouldn't froze".split()
)
_BEGIN = (
    "fail", "error", "exception", "segfault", "panic", "crash", "freez", "incorrect", "wrong", "corrupt", "deadlock",
    "regress", "intermittent", "vanish", "disappear", "unexpected", "duplicat", "mismatch", "inconsistent", "overflow", "truncat",
    "vulnerab", "flicker",
)  # fmt: skip
_END = ("error", "exception", "failure")
_TWO = frozenset(
    (("no", "longer"), ("timing", "out"), ("times", "out"), ("out", "of"), ("any", "more"), ("instead", "of"))
)
# Somebody must, may or need not do something; or it is told what helped.
_RULE = frozenset(
    "allowed always avoid better convention cure cured enough ensure expects fine fix fixed fixes helped helps hence intended let may "
    "must mustn't need needed needs ok okay otherwise ought permitted please policy prefer preferred rather recommend recommended "
    "remember require required requires rule safe shall should shouldn't so solved solves suggest suggested therefore unless want wants "
    "workaround".split()
)
# Verbs that begin an order …
_ORDER = frozenset(
    "accept acquire add adjust alert allow annotate apply approve ask assign assume attach backfill backport batch bind bring build "
    "bump cache call cap catch change check choose clean clear close commit compare compile configure confirm connect consider consult "
    "convert copy count create cut declare decode decommission decrease define delete deny deploy deprecate detach disable disallow "
    "disconnect display do document don't drain drop emit enable encode encrypt enhance escalate escape exclude expect export expose "
    "extend extract fetch find fix flash flush follow format freeze generate get give go grant handle hash hide hold ignore implement "
    "import improve include increase index inline install introduce invoke issue join keep leave limit lint load lock log look lower "
    "make map mark mask measure merge migrate mock mount move name open optimise optimize order page parameterize parse pass pause "
    "permit pick pin plug point poll port power prepare print provide provision publish pull push put query quote raise read rebase "
    "rebuild reduce refactor regenerate register reject release rely remove rename render replace request reset respect restart retry "
    "return reuse review revoke rewrite roll rotate run save scale schedule see seed select send serialize set ship shorten show sign "
    "silence simplify skip sort specify split start stick stop store subscribe support switch sync tag take tell test throw treat "
    "truncate trust try tune turn update upgrade use vacuum validate verify wait watch wrap write".split()
)
# … and those that are nouns as often: they do so in front of an article or its like.
_NOUN_TOO = frozenset(
    "alert batch build cache call cap change check close commit copy count deploy display document drop export fix flash format hash "
    "import index issue limit load lock log look map mask merge mount name open order page poll port power print pull push query read "
    "release render request return run save schedule set show sign start stop support switch tag test update upgrade write".split()
)
_DETERMINING = frozenset("the a an all every each any your our this that these those it them no only both".split())
_OPENING = frozenset("so then just better and but".split())  # behind them a clause still begins
_WORD = re.compile(r"[^\W_][\w'-]*")
_CLAUSE = re.compile(r"[;:.!?,—–(]|\s-\s")


def reports(head: str) -> bool:
    """Whether a text tells what went wrong, and nothing of what to do; `head` is its first line."""
    head = head.lower().replace("’", "'")
    found = list(_WORD.finditer(head))
    words = [each[0] for each in found]
    wrong, begins, ended = False, True, 0
    for each, word, after in zip(found, words, [*words[1:], ""]):
        gap = head[ended : each.start()]
        begins = begins or bool(_CLAUSE.search(gap))
        if ";" in gap or _rules(word, after) or (begins and _orders(word, after)):
            return False
        wrong = wrong or word in _TROUBLE or word.startswith(_BEGIN) or word.endswith(_END) or (word, after) in _TWO
        begins, ended = begins and word in _OPENING, each.end()
    return wrong


def _rules(word: str, after: str) -> bool:
    if word == "never":  # "never finishes" tells, "never commit" orders
        return not after.endswith(("s", "ed"))
    if word in ("has", "have"):
        return after == "to"
    return word in _RULE or (word == "instead" and after != "of")


def _orders(word: str, after: str) -> bool:
    return word in _ORDER and (word not in _NOUN_TOO or after in _DETERMINING)
