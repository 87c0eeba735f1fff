"""Sessions of folders that are gone: how many there are of each, whether the project here may be what such a folder was, and asking so."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from tacit.app import Memories
from tacit.core.errors import numbered
from tacit.core.value import value
from tacit.formats.source import Source
from tacit.stores.identity import Place
from tacit.stores.replaced import moved_to, outermost, repository_of, still_there
from tacit.surfaces.cli import Cli
from tacit.surfaces.cli.words import one_line
from tacit.surfaces.past import HEAD, written_in

LOOKED_INTO = 20  # sessions of a folder, the last ones, in which names of files are looked for
_MOST = 4 << 20  # bytes of each
SAME_HALF = (
    0.5  # of the files they name: with so many here it may be this project, whatever it is called
)


@value
class Gone:
    """A folder that is gone and whose repository nobody knows, with the sessions written there."""

    folder: str
    sessions: int
    named: int = 0  # files in it that the sessions name
    here: int = 0  # those of them that are in the project here

    def may_be(self, place: Place) -> bool:
        """Whether it is worth asking if the project here is what it was: it has its files, or its name."""
        return place.kind != "path" and (
            self.here > SAME_HALF * self.named or os.path.basename(self.folder) == place.name
        )

    @property
    def told(self) -> str:
        """What speaks for it."""
        return (
            f"{self.here:,} of the {self.named:,} files they name are here"
            if self.named
            else "they name no files"
        )


def sessions_of_gone(some: Sequence[Gone], verb: str) -> str:
    """How many sessions belong to folders that are gone, to which, and how many of the files they name are here: one sentence."""
    sessions = sum(each.sessions for each in some)
    if len(some) == 1:
        where = f"{one_line(some[0].folder, 200)}, which is gone"
    else:
        where = f"{len(some)} folders that are gone ({', '.join(one_line(each.folder, 80) for each in some)})"
    whole = Gone("", sessions, sum(each.named for each in some), sum(each.here for each in some))
    return f"{numbered(sessions, 'session')} {verb} {where}; {whole.told}."


def gone_folders(
    sources: Iterable[Source], place: Place, moved: Mapping[str, str]
) -> dict[str, Gone]:
    """What is gone, by folder: parts of a repository with it. Not where the host noted a repository, nor what somebody answered before."""
    written: dict[str, list[Source]] = {}
    for source in sources:
        if not source.name.endswith((".jsonl", ".json")):
            continue  # one file with sessions of many folders
        cwd = written_in(source.path)
        if (
            os.path.isabs(cwd)
            and not still_there(cwd)
            and not moved_to(cwd, moved)
            and b'"repository_url"' not in source.head(HEAD)
        ):
            written.setdefault(repository_of(cwd), []).append(source)
    within: dict[str, list[Source]] = {}
    for folder, at in outermost(written).items():
        within.setdefault(at, []).extend(written[folder])
    return {folder: _of(folder, some, place.root) for folder, some in sorted(within.items())}


def _of(folder: str, sources: list[Source], root: str) -> Gone:
    named: set[str] = set()
    inside = re.compile(rb'"' + re.escape(os.fsencode(folder)) + rb'/([^"\\]{1,300})"')
    for source in sources[-LOOKED_INTO:]:
        named.update(os.fsdecode(name) for name in inside.findall(source.head(_MOST)))
    files = {name for name in named if os.path.splitext(name)[1]}
    return Gone(
        folder,
        len(sources),
        len(files),
        sum(os.path.isfile(os.path.join(root, name)) for name in files),
    )


class Asked:
    """Asks once about each folder that is gone and whose repository nobody knows: first, where that may be, whether it is the project
    here, which has moved. Without a terminal it is no, unless --yes was said: then each is a project of its own."""

    def __init__(self, cli: Cli, yes: bool, memories: Memories, sources: list[Source]) -> None:
        self.cli, self.yes = cli, yes
        self.place = memories.place
        self.gone = gone_folders(sources, self.place, memories.moved()) if sources else {}
        self.said: dict[str, bool] = {}
        self.refused: dict[str, int] = {}
        likely = [each for each in self.gone.values() if each.may_be(self.place)]
        asked = f"Are they of {self.place.name}, here? [y/N] "
        of = "is of" if sum(each.sessions for each in likely) == 1 else "are of"
        if yes or not likely:
            return
        taken = likely if cli.ask(f"{sessions_of_gone(likely, of)}\n{asked}") else []
        if not taken and len(likely) > 1:  # perhaps not all of them
            taken = [each for each in likely if cli.ask(f"{sessions_of_gone([each], of)}\n{asked}")]
        for each in taken:
            memories.moved_from(each.folder)

    def __call__(self, folder: str) -> bool:
        at = folder
        while at not in self.gone and at != os.path.dirname(at):
            at = os.path.dirname(at)
        folder = at if at in self.gone else folder
        if folder not in self.said:
            question = f"{one_line(folder, 100)} is gone. Learn its sessions as a project of their own? [y/N] "
            self.said[folder] = self.yes or self.cli.ask(question)
        if not self.said[folder]:
            self.refused[folder] = self.refused.get(folder, 0) + 1
        return self.said[folder]

    def notes(self) -> list[str]:
        """What was left out, and how to take it in."""
        maybe = [
            self.gone[folder]
            for folder in self.refused
            if folder in self.gone and self.gone[folder].may_be(self.place)
        ]
        notes = [
            f"{numbered(each.sessions, 'session')} of {one_line(each.folder, 200)}, which is gone, left out; {each.told}."
            f" If it was this project before it moved: tacit learn --moved-from {shlex.quote(each.folder)}"
            for each in maybe
        ]
        rest = {
            folder: many
            for folder, many in self.refused.items()
            if folder not in {each.folder for each in maybe}
        }
        where = "a folder that is" if len(rest) == 1 else f"{len(rest)} folders that are"
        out = f"{numbered(sum(rest.values()), 'session')} of {where} gone"
        return notes + (
            [f"{out}, left out: tacit learn --yes takes each such folder as a project of its own"]
            if rest
            else []
        )
