"""A command without what belongs to the moment, so that two runs say the same words.

Folders of this machine, pipes into `tail`, verbosity, the one test that was looked at and environment noise fall away; what is left is
the form that a stranger would type.
"""

from __future__ import annotations

import re

from tacit.core.tables import Tables
from tacit.learn import shell
from tacit.learn.notice.calls import call_folder
from tacit.learn.notice.tasks import inner, script_of, task_of

_tables = Tables(__file__)

_MOMENTARY = _tables.pattern("_MOMENTARY")
_MOMENTARY_WITH_VALUE = _tables.words("_MOMENTARY_WITH_VALUE")
_SELECTING = _tables.words("_SELECTING")
_FILE = re.compile(r"[\w*-]\.\w{1,6}(?:[:#]\S*)?$|::|:\d+$|\*")
# a part of the project, not the whole: ./internal/..., e2e/cli/test_x
_PART = re.compile(r"^(?!-|\./\.\.\.$)(?:(?:\./)?[\w.@-]+/[\w.@-]+.*|\./[\w.@-]+$)")
# where it works, beside the command itself
_FOLDERS = ("-C", "--directory", "--manifest-path", "--test-dir", "--build")
_SETTINGS = (".toml", ".cfg", ".ini", ".json", ".yml", ".yaml", ".mjs", ".cjs")  # a file, but not one it works on
_ELSEWHERE = re.compile(r"^(?:/tmp|/var|/private/tmp|/scratch)\b|\$TMP|\$\(|^~/?$|\.\./\.\.")


def general(call: shell.Call, cwd: str, standing: str = "") -> tuple[str, str, bool] | None:
    """A call's general form, the folder it ran in, and whether it is for single files only.

    None where it is about another place than the project.
    """
    folder = call_folder(call, standing, cwd)
    kept = _kept(call, cwd) if folder != "/" else None
    if kept is None:
        return None
    words, single = kept
    text = " ".join(words).removesuffix(" --")
    return (text, folder, single) if text and len(text) <= shell.LONGEST_SHOWN else None


def _kept(call: shell.Call, cwd: str) -> tuple[list[str], bool] | None:
    within = inner(call)
    if within is not None:  # the container stays, and what runs in it loses what belongs to the moment
        kept = _kept(within, cwd)
        return kept and ([*call.words[: len(call.words) - len(within.words)], *kept[0]], kept[1])
    words = [env for env in call.env if shell.SPOKEN_ENV.match(env) and not env.startswith("CI=")]
    first = len(call.words) - len(shell.proper(call)) + 1  # before it stand wrappers, runners and the program
    task, script = task_of(call), script_of(call)
    single = skip = shown = False
    key = set(shell.key(call)) | {task}
    workspace = bool(shell.SCRIPT_RUNNERS.intersection(shell.proper(call)[:1]))
    for place, word in enumerate(call.words):
        plain = shell.bare(word)
        last = place + 1 == len(call.words)
        if shown:
            words.append(word)
            shown = False
        elif skip:
            skip = False
        elif place < max(first, 1) or plain == script or plain.endswith("manage.py"):
            words.append(word)
        elif _MOMENTARY.match(plain) or (plain in ("-s", "-r") and "pytest" in key):
            continue
        elif plain in _MOMENTARY_WITH_VALUE and not last:
            skip = True
        elif workspace and plain.partition("=")[0] in shell.WORKSPACE_OPTIONS:
            skip = "=" not in plain  # which package it was belongs to the moment, that one has to be named does not
            words.append(f"{plain.partition('=')[0]} <package>")
        elif plain in _FOLDERS and not workspace and not last:
            shown = True
            words.append(word)
        elif plain in _SELECTING and not last:
            skip = single = True
        elif _ELSEWHERE.search(plain) or "\n" in word or len(plain) > shell.LONGEST_WORD:
            return None
        elif _FILE.search(plain) and not plain.startswith("-") and not plain.endswith((*_SETTINGS, "...")):
            single = True
            if words[-1] != "<file>":
                words.append("<file>")
        else:
            single = single or bool(_PART.search(plain)) or _selects(plain, key)
            words.append(shell.displayed_call(shell.Call((word,)), cwd))
    while words and (
        words[0] in shell.WRAPPERS or (re.match(r"\w+=", words[0]) and not shell.SPOKEN_ENV.match(words[0]))
    ):
        words = words[1:]
    return (words[2:] if words and words[0] in shell.WRAPPERS_WITH_VALUE else words), single


def _selects(word: str, key: set[str]) -> bool:
    """A bare word behind the command that names one thing of many: `cargo test version_list`."""
    return bool(re.fullmatch(r"[\w:.-]+", word)) and not word.startswith("-") and word not in key and word not in _WHOLE


_WHOLE = frozenset("src tests test lib app apps bench docs packages . ./... run discover t make xtask generate".split())
