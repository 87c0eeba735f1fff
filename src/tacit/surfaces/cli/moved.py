"""Sessions of folders that are gone: how many there are of each, and whether the project here may be what such a folder was."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tacit.core.value import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tacit.formats.source import Source
    from tacit.stores.identity import Place

LOOKED_INTO = 20  # sessions of a folder, the last ones, in which names of files are looked for
MOST = 4 << 20  # bytes of each
HALF = 0.5  # of the files they name: with so many here it may be this project, whatever it is called


@value
class Gone:
    """A folder that is gone and whose repository nobody knows, with the sessions written there."""

    folder: str
    sessions: int
    named: int = 0  # files in it that the sessions name
    here: int = 0  # those of them that are in the project here

    def may_be(self, place: Place) -> bool:
        """Whether it is worth asking if the project here is what it was: it has its files, or its name."""
        return place.kind != "path" and (self.here > HALF * self.named or os.path.basename(self.folder) == place.name)

    @property
    def told(self) -> str:
        """What speaks for it."""
        return f"{self.here:,} of the {self.named:,} files they name are here" if self.named else "they name no files"


def gone_folders(sources: Iterable[Source], place: Place, moved: Mapping[str, str]) -> dict[str, Gone]:
    """What is gone, by folder: parts of a repository with it. Not where the host noted a repository, nor what somebody answered before."""
    from tacit.stores.vanished import moved_to, outermost, repository_of, still_there
    from tacit.surfaces.cli.past import HEAD, written_in

    written: dict[str, list[Source]] = {}
    for source in sources:
        cwd = written_in(source.path)
        if os.path.isabs(cwd) and not still_there(cwd) and not moved_to(cwd, moved) and b'"repository_url"' not in source.head(HEAD):
            written.setdefault(repository_of(cwd), []).append(source)
    within: dict[str, list[Source]] = {}
    for folder, at in outermost(written).items():
        within.setdefault(at, []).extend(written[folder])
    return {folder: _of(folder, some, place.root) for folder, some in sorted(within.items())}


def _of(folder: str, sources: list[Source], root: str) -> Gone:
    named: set[str] = set()
    inside = re.compile(rb'"' + re.escape(os.fsencode(folder)) + rb'/([^"\\]{1,300})"')
    for source in sources[-LOOKED_INTO:]:
        named.update(os.fsdecode(name) for name in inside.findall(source.head(MOST)))
    files = {name for name in named if os.path.splitext(name)[1]}
    return Gone(folder, len(sources), len(files), sum(os.path.isfile(os.path.join(root, name)) for name in files))
