"""keep: a person's word about what a number of the screens, or an id, stands for.

To keep makes a lesson the person's word, or answers a question with yes; to drop takes a lesson out,
reversibly, or answers no. A number that was never shown means nothing: nobody's word is guessed at.
"""

from __future__ import annotations

from tacit.cli.verb import Answer, Asked, Cli, arg, opt, verb
from tacit.cli.words import one_line
from tacit.core.errors import UsageError
from tacit.screens.numbers import COLUMNS
from tacit.screens.passing import lesson_meant, meant, word_done

WHAT = arg("what", nargs=-1, required=False, metavar="N|ID", help="numbers of the screens, or ids")
REASON = opt("--reason", default="", metavar="REASON", help="why; it is kept in the journal")


@verb(
    "keep",
    "keep what a number of the screens stands for: your word",
    end="""examples:
  tacit keep 1 3
  tacit keep 1 --always     stands at every start
  tacit undo 1              takes it back""",
)
@WHAT
@REASON
@opt("--always/--not-always", default=None, help="tell it at every start, whatever else fits")
def keep_verb(args: Asked, cli: Cli) -> Answer:
    return each_done("keep", args, cli)


def each_done(word: str, args: Asked, cli: Cli) -> Answer:
    """Keep or drop each; all of them are known before anything is done."""
    always = getattr(args, "always", None)
    with cli.open(args, create=False) as memories:
        need_something(word, args)
        memories.need_person("Keeping or dropping")
        which = meant if always is None else lesson_meant
        done = []
        for name, id in {name: which(memories, name) for name in args.what}.items():
            if always is None:
                said = word_done(memories, id, word, args.reason, name)
            else:
                memory = memories.keep(id, always=always, reason=args.reason)
                did = "told at every start" + (" no more" if not always else "")
                did += f" (tacit keep {name} --{'not-' if always else ''}always takes it back)"
                said = {"id": memory.id, "did": did, "text": memory.text}
            done.append({"what": name, **said})
    lines = [f"{each['what']}: {each['did']}: {one_line(each['text'], COLUMNS)}" for each in done]
    return Answer({"done": done}, "\n".join(lines))


def need_something(word: str, args: Asked) -> None:
    if not args.what:
        raise UsageError(f"tacit {word}: what?", f"tacit shows numbers: tacit {word} 1 3")
