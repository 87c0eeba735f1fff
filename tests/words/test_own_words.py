"""Whose words a typed message holds: what was pasted does not speak for the person, and what they said around it does."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import by_table

from tacit.words.own_words import own_text, own_words

REVIEW = (
    "## Summary\n\nThis branch migrates the loader. Always rebuild the index — the cache is stale otherwise.\n\n"
    "**1. Race in `load()`** (`src/load.py:31`)\nNever call it twice. You should add a lock before merging this.\n\n"
) * 3
LOG = "".join(
    f"3/26/2026, 6:23:{n} AM [INFO] main.go:410: always flush the queue at the end\n"
    for n in range(10, 20)
)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("use pnpm, not npm", "use pnpm, not npm"),
        ("please fix:\n```\nalways x\n```\nand commit", "please fix:\n\nand commit"),
        ("can you incorporate:\n\n" + REVIEW, "can you incorporate:"),
        (REVIEW + "\nplease only do the first one", "please only do the first one"),
        ("see this:\n\n" + LOG + "\n\nyour turn", "see this:\n\nyour turn"),
        (REVIEW, ""),
        (
            "The shutdown hangs. This is the log: " + LOG.rstrip() + " . Find out why and fix it.",
            "The shutdown hangs. This is the log:\n\nFind out why and fix it.",
        ),
        ("See this: " + LOG.rstrip(), "See this:"),  # two words are the person's, one is not
        ("See: " + LOG.rstrip(), ""),
        (
            "please fix it\n```always x``` never y```\nand commit the whole thing, thanks",
            "please fix it\n\nand commit the whole thing, thanks",
        ),
        ("shop on  main [!⇡] via 🐹 v1.25.2\n❯ make test\n" + LOG, ""),
        (
            "reply to this:\n\nthoughts on [https://example.org/1](https://example.org/1) ?\n\n"
            + REVIEW,
            "reply to this:",
        ),
        ("❯ make test\n" + LOG + "\nwhy does this happen?", "why does this happen?"),
        (
            "Hash literal has 42 characters\n\nLow Severity\n\n"
            + "The literal is always cut. " * 20,
            "",
        ),
        (
            "feedback I got:\n\n"
            + "I would always use the other encoder here, since it is faster for all of us. " * 8,
            "feedback I got:",
        ),
        (
            "feedback I got:\n\n"
            + "I would always use the other encoder here. " * 15
            + "\n\nPlease rename the loader.",
            "feedback I got:\n\nPlease rename the loader.",
        ),
        (
            "[@ann](https://example.org/ann)\nI saw the patch.\n\nBut never do\n\n"
            + "x = {\n" * 5
            + "\nI recommend tar.\n" * 20,
            "",
        ),
    ],
)
def test_a_message_taken_apart(text: str, own: str) -> None:
    """Logs, reviews, comments and code are pasted; the opening and remarks around them are the person's."""
    assert own_text(text) == own


@pytest.mark.parametrize(
    "text",
    [
        "I think we should change the header. " * 20,
        "I'd like to do a loop:\n\n- pick a claim\n- verify the claim against the main branch\n- create a fix in a new branch\n"
        "- run the reviewer on the fix\n- if it has findings, fix them and ask again\n- open a pull request\n- start over\n",
        "ok lets get that update done in a separate branch, and create a pr for it.\n\n"
        + "once youre done, check why it hung. " * 10,
        "I want a dark mode in the settings.\n\nThe toggle belongs to the language, you will find it there.\n\n"
        "It is stored per user.\n\nPlease show me the plan before you write code.",
        "close but\nthe shadow is far too heavy, the mockup has four percent of black\n"
        "title wraps on two lines already at a width of 1200, it must not\nand pls dont use important",
    ],
)
def test_a_long_message_of_ones_own(text: str) -> None:
    """Length alone makes nothing foreign."""
    assert own_text(text) == text.strip()


def in_doubt(text: str, agent_before: str = "") -> str:
    """The words that are perhaps the person's."""
    return "\n\n".join(text[slice(*span)] for span in own_words(text, agent_before).unsure)


def test_the_agents_own_offer_copied_back() -> None:
    """What the agent had just proposed is not the person's, short or long."""
    offer = (
        "I could always run the linter first and then push to the release branch without asking."
    )
    back = "always run the linter first and then push to the release branch without asking"
    assert own_text(f"yes please\n\n{back}", offer) == "yes please"
    assert in_doubt(f"yes please\n\n{back}", offer) == back
    assert own_text(f"yes please\n\n{back}") == f"yes please\n\n{back}"


def test_who_repeats_a_phrase_of_the_agent_has_typed_it() -> None:
    """An answer in the words of the question is the person's."""
    asked = "Shall I always use pnpm for the workspace packages here, or keep npm?"
    said = "yes, always use pnpm for the workspace packages here"
    assert own_text(said, asked) == said


@by_table
def test_in_doubt(text: str, own: str, unsure: str) -> None:
    """Short texts that somebody else may have written are neither the person's nor a paste."""
    assert (own_text(text), in_doubt(text)) == (own, unsure)


PLAN = (
    "The narrow fix is to stop streaming the objects into the request.\n\nRight now the path does this:\n\n- `push.go` creates a pipe\n"
    "- the encoder writes into it\n\n**Best fix**\nBuffer the body to a temporary file first, then send the file.\n\n"
)
VERDICT = (
    "I went through the plan and it mostly holds up. A few things I'd push back on before you start.\n\n"
    "You're assuming the old table can be dropped in the same release. I don't think that is safe.\n\n"
    "If the backfill dies halfway you will have to start over, which on your data means six hours.\n\n"
    "I'd also question the default timeout."
)
QUESTIONS = "is it just one way?\ndoes it scale? i assume so\nhow long does it take for a big repo?\ncan you rerun? yes"


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (VERDICT, ""),  # a review speaks as people do, and asks nobody for anything
        (f"second opinion, is he right?\n\n{VERDICT}", "second opinion, is he right?"),
        (f"{VERDICT}\n\nwhat he said, but keep the table", "what he said, but keep the table"),
        (f"can you look at this: {PLAN}", "can you look at this:"),
        (f"now do   2. {PLAN}", "now do"),
        (
            f"{PLAN}I kept the lock as the primary issue. Want me to file it as two issues, or fold them into one?",
            "",
        ),
        (f"{PLAN}Apply it and add a test.", "Apply it and add a test."),
        (
            f"{PLAN}Otherwise the order reads well. Refactor-first is mergeable, tests reuse what is there, docs land last. Ship it.",
            "",
        ),
        (
            f"from our wiki:\n{REVIEW}\nPlease summarise this.",
            "from our wiki:\n\nPlease summarise this.",
        ),  # no import of Python's
        (
            "lrwxrwxrwx  1 root root    27 Feb 17  2023 llvm-lib -> ../llvm-lib\n" * 6
            + "is that right?",
            "is that right?",
        ),
        (
            "from .base import Response\n\n\nclass Peers(Response):\n    tags = self.tags().get(1)\nplease fix it",
            "please fix it",
        ),
        (
            "This example asks for your ``vpc``.\n\nCommand::\n\n  aws ec2 list\n\nAnother one for your ``vpc``.",
            "",
        ),
        (
            'debug "dir: {$dir}"\n    debug "opts: {$*}"\n\n    "cmd_$1" "$@"\n}\n\n# Usage: setup\nsetup () {\n    test $# = 0\n}',
            "",
        ),
        (
            f"can you look at this: Review the retries\n\n{QUESTIONS}\n\nthe other issue is that the stream is not safe\n\nsay why",
            "can you look at this:\n\nsay why",
        ),
        (
            f"are these in the readme?\n\nsome other questions you might get asked:\n{QUESTIONS}",
            "are these in the readme?",
        ),
        (f"open an issue for these\n\n{QUESTIONS}\n\n{QUESTIONS}", "open an issue for these"),
        (
            f"I ran it again and the warnings are still there.\n\n{LOG}",
            "I ran it again and the warnings are still there.",
        ),
        (f"{LOG}\nBut I suspect this is an auth issue", "But I suspect this is an auth issue"),
        # glued by one line break
        (
            "it reboots in a loop, here\nrst:0xc (SW_CPU_RESET),boot:0x13\nI (29) boot: v5.1.2\nW (1621) i2c: no device\nRebooting...",
            "it reboots in a loop, here",
        ),
        (
            "ENG-877 Toggle\nSome get a headache. Add a setting.\nDefault: full.\nEstimate: 2\nskip the default, i'll ask Mira",
            "skip the default, i'll ask Mira",
        ),
        (
            f"{LOG}\ntwo take the same job, i think since this:\n\n{LOG}",
            "two take the same job, i think since this:",
        ),
        (
            "is it enough for us?\n\n# tiny\n\nBecause I needed one that fits.\n\n## Limits\n\nPlease open an issue if you need more.\n\n## Licence\n\nMIT.\n\ncheck src/bus and be honest",
            "is it enough for us?\n\ncheck src/bus and be honest",
        ),
    ],
)
def test_a_message_of_many_lines_is_judged_as_a_whole(text: str, own: str) -> None:
    """Where most of it is somebody else's, only what asks for something at its beginning or its end is the person's."""
    assert own_text(text) == own


def test_answers_by_the_numbers_of_questions_are_the_persons() -> None:
    """Who is asked five things answers five things, with capitals and stops."""
    text = "1. No. A slot belongs to one person.\n\n2. Up to two hours before.\n\n3. Admins can do everything.\n\n4. Closed."
    assert own_text(text, "1. By two people? 2. How late? 3. And admins? 4. Holidays?") == text
    assert own_text(text) == ""


@pytest.mark.parametrize(
    "unit", ["hi ann,\n", "so do it\n\n", "I see. It is.\n\n", "a  ", "10:10:10 x\n\nI see\n\n"]
)
def test_a_long_message_costs_as_much_as_its_length(unit: str) -> None:
    """Sixteen times the text takes no hundred times as long."""
    spent = []
    for length in (4_000, 64_000):
        began = time.process_time()
        own_words((unit * length)[:length])
        spent.append(time.process_time() - began)
    assert spent[1] < 100 * max(spent[0], 0.002)


@given(
    st.text(alphabet=st.sampled_from("ab.:?I \n\t`[]#❯—’1") | st.characters(), max_size=800),
    st.text(max_size=50),
)
def test_every_character_is_in_one_span(text: str, before: str) -> None:
    """Spans are in order, do not overlap, and together hold all that is not blank."""
    words = own_words(text, before)
    spans = sorted((*words.own, *words.pasted, *words.unsure))
    assert all(start < end for start, end in spans)
    assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))
    covered = {at for start, end in spans for at in range(start, end)}
    assert all(character.isspace() for at, character in enumerate(text) if at not in covered)


def test_a_long_answer_in_one_line_is_the_persons() -> None:
    """Who settles something with an agent answers at length and breaks no line; such answers are the very words that must not be lost."""
    text = (
        "Maintenance reduces the total only when it was properly announced: at least 24 hours between the announcement and the start. "
        "Short notice still counts as downtime, full stop; customers do not eat credits for surprise maintenance, and blanket "
        "subtraction is exactly what the addendum forbids. The check runs on the merged window as measured, before anything is subtracted."
    )
    assert len(text) > 350
    assert own_words(text, "Any overlap is subtracted, straightforward?").own == ((0, len(text)),)
    assert own_words(text.replace("stop; ", "stop;\n\n- one\n- two\n"), "").own != ((0, len(text)),)
