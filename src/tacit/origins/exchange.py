"""Other systems' memories, in and out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.digest import digest, short_hash
from tacit.core.errors import Damaged, Refused, UsageError
from tacit.core.exchange import Given, OriginVerdict, Row
from tacit.core.value import replace, value
from tacit.hosts import formats
from tacit.hosts.formats import files_named_by
from tacit.hosts.source import BytesSource, FileSource, Source, walk
from tacit.lesson import TIERS, checked
from tacit.origins.intake import Read, TakenIn, take_in
from tacit.origins.replacing import Standing, beside_entries, listed, standing
from tacit.place.files import WorkTree
from tacit.place.folders import data_folder
from tacit.place.replaced import keep_copy
from tacit.store.check import rule_of
from tacit.store.erase import derive
from tacit.store.old import OldStore, Taken
from tacit.store.old import take_in as take_in_store
from tacit.store.outgoing import audited, header, outgoing

if TYPE_CHECKING:
    from tacit.hosts.formats import Exchange as Format
    from tacit.opened import Opened

_LARGEST = 1 << 30  # bytes of a file that an export may replace
_OURS = 3  # digests of a file's last exports that are remembered: two, and one that a crash may have left unwritten


@value
class Exported:
    """A file that an export wrote, or found to be so already."""

    path: str
    size: int
    copy: str = ""  # where what stood there lies now; empty where nothing did, or the same


def import_(
    opened: Opened,
    source: str | Source,
    *,
    format: str = "",
    trust: str = "",
    dry_run: bool = False,
) -> list[TakenIn]:
    """Take in another system's memories: a file, a folder of them, or a source; one report per file.

    `trust` is the owner's word for his own store (user, team, review …); without it the words are imported text and
    held until somebody vouches for them.
    """
    tier = checked("trust", trust or "imported", TIERS)
    if tier != "imported":
        opened.need_person(f"Importing with trust {tier}")
    files = [(format or formats.holder(each), each) for each in _memory_files(opened, source)]
    read = [_read(name, each) for name, each in files]
    reports = take_in(opened.work, read, tier=tier, vouch=opened.vouch, dry_run=dry_run)
    opened.store.tidy()
    return reports


def import_store(opened: Opened, path: str) -> Taken:
    """Take in a store of 0.2.0 with all its projects; what is here already stays as it is."""
    opened.need_person("Taking in a store")
    source = OldStore(path)
    try:
        with opened.store.write() as tx:
            taken = take_in_store(tx, source)
            derive(tx, rule_of(opened.store))
    finally:
        source.close()
    opened.store.tidy()
    return taken


def _memory_files(opened: Opened, source: str | Source) -> list[Source]:
    if not isinstance(source, str):
        return [source]
    if os.path.isdir(source):
        return formats.memory_files(source)
    return list(walk([source]))


def export(opened: Opened, format: str, part: str = "") -> str:
    """The project's memories as another system writes them, field for field; `part` names one of its files."""
    module = formats.exchange(format)
    wanted = part or next(iter(module.PARTS))
    if wanted not in module.PARTS:
        raise UsageError(f"{format} has no part {part!r}.", f"One of: {', '.join(module.PARTS)}.")
    head = header(opened.store, format, wanted, opened.project_id)
    return module.dump([head, *_outgoing(opened, format)], wanted, opened.now())


def export_files(opened: Opened, format: str) -> dict[str, str]:
    """All the files of another system, text by path; one that keeps a file a memory names them itself."""
    module = formats.exchange(format)
    whole = getattr(module, "files", None)
    if whole is None:
        beside = getattr(module, "ON_REQUEST", ())
        return {
            file: export(opened, format, part)
            for part, file in module.PARTS.items()
            if part not in beside
        }
    found: dict[str, str] = whole(_outgoing(opened, format), opened.now())
    return found


def write_files(opened: Opened, format: str, paths: Mapping[str, str]) -> list[Exported]:
    """Write another system's files, text by path: all of them, or, where something unknown would be lost, none.

    A file that the store does not know whole is never replaced (`origins.replacing` says what that means). What is replaced lies in
    the data folder afterwards.
    """
    module = formats.exchange(format)
    new = [
        item
        for path, text in paths.items()
        for item in _read(format, BytesSource(text.encode(), path)).items
        if text
    ]
    found = {path: _tree(path).read(os.path.basename(path)) for path in paths}
    stood = {
        path: _standing(opened, format, path, was, new, paths[path])
        for path, was in found.items()
        if was and was != paths[path].encode()
    }
    _refuse(opened, {**stood, **_beside(opened, module, paths, new)})
    done = []
    for path, text in paths.items():
        was, data = found[path], text.encode()
        copy = ""
        if path in stood and was:
            copy = _copied(opened, path, was, theirs=stood[path].differs)
        _remember(opened, path, data)
        if was != data and not _tree(path).write(os.path.basename(path), data, was):
            raise Refused(
                f"{path} was changed while it was being exported; it is as it was.",
                "Export again.",
            )
        done.append(Exported(path, len(data), copy))
    return done


def _standing(
    opened: Opened, format: str, path: str, was: bytes, new: Sequence[object], text: str = ""
) -> Standing:
    """What stands in a file that is to be replaced."""
    if digest(was).hex() in _exports(opened, path):
        return Standing()
    module = formats.exchange(format)
    sound = getattr(module, "sound", None)
    try:
        if sound is not None and not sound(was.decode("utf-8", "replace")):
            return Standing(("it does not verify",))
        read = _read(format, FileSource(path))
        if not read.items and was.strip():
            return Standing((f"nothing in it is {format}'s",))
    except (Damaged, ValueError) as error:
        return Standing((f"it cannot be read: {error}",))
    found = standing(opened.store, opened.project_id, read, new)
    if path.endswith((".md", ".yaml", ".yml")):
        whole = getattr(module, "files", None)
        texts = (
            whole(read.items, "").values()
            if whole
            else [module.dump(read.items, p, "") for p in module.PARTS]
        )  # type: ignore[arg-type]
        lines = beside_entries(was.decode("utf-8", "replace"), "\n".join(texts), text)
        found = replace(found, unknown=(*found.unknown, *lines))
    return found


def _beside(
    opened: Opened, module: Format, paths: Mapping[str, str], new: Sequence[object]
) -> dict[str, Standing]:
    """Files of the system that stay where they are: an index that is made anew may not pass over what they hold."""
    index = module.PARTS.get("index", "")
    top = next((path[: -len(index)] for path in paths if index and path.endswith(index)), None)
    others = (
        [each for each in files_named_by(top or ".", module) if each.path not in paths]
        if top is not None
        else []
    )
    return {
        each.path: standing(
            opened.store, opened.project_id, _read(module.NAME, each), new, replaced=False
        )
        for each in others
    }


def _refuse(opened: Opened, stood: Mapping[str, Standing]) -> None:
    lost = {path: each.unknown for path, each in stood.items() if each.unknown}
    if not lost:
        return
    told = "\n".join(f"  {path}: {listed(unknown)}" for path, unknown in lost.items())
    path = next(iter(lost))
    raise Refused(
        f"Nothing was written: an export would destroy what Tacit does not hold.\n{told}",
        f"tacit data import {path} takes in what it can read, held until a person approves it; then export again. "
        "Or write elsewhere with --out, or move the file away.",
    )


def _copied(opened: Opened, path: str, was: bytes, *, theirs: bool) -> str:
    return keep_copy(data_folder(opened.env), path, was, opened.now(), theirs=theirs)


def _exports(opened: Opened, path: str) -> list[str]:
    """Digests of what was exported to a path of late."""
    return opened.store.meta(_exported_key(path)).split()


def _remember(opened: Opened, path: str, data: bytes) -> None:
    """Before it is written: after a crash a file may be the new one already."""
    known = _exports(opened, path)
    if (mine := digest(data).hex()) not in known[-1:]:
        with opened.store.write() as tx:
            tx.put_meta(
                _exported_key(path),
                " ".join([*(each for each in known if each != mine), mine][-_OURS:]),
            )


def _outgoing(opened: Opened, format: str) -> list[Row | Given | OriginVerdict]:
    rows = (
        outgoing(opened.store, opened.project_id, opened.profile, formats.namespace(format))
        if opened.project
        else []
    )
    named = _named_rows(opened, format, rows)
    names = {row.memory.id: row.alias for row in named}
    told = (
        audited(opened.store, opened.project_id, format, opened.profile.signals.names, names)
        if opened.project
        else []
    )
    moves = getattr(
        formats.exchange(format), "moves", None
    )  # a system that writes its own journal of moves
    if not moves:
        return [*named, *told]
    decided = [
        entry
        for verb in ("move", "approve")
        for entry in opened.store.entries(opened.scopes, verb=verb)
    ]
    return [*named, *told, *moves(sorted(decided, key=lambda entry: entry.n), names)]


def verify(opened: Opened, source: str | Source, *, format: str = "") -> str:
    """What is wrong with a file of another system's memories as a whole; empty where it verifies."""
    for each in _memory_files(opened, source):
        try:
            next(iter(formats.exchange(format or formats.holder(each)).memories(each)), None)
        except Damaged as error:
            return error.message
    return ""


def _named_rows(opened: Opened, format: str, rows: Sequence[Row]) -> Sequence[Row]:
    """Rows with the foreign system's ids; a memory that has none gets one, once and for all."""
    name_for = getattr(formats.exchange(format), "name_for", None)
    if name_for is None or all(row.alias for row in rows):
        return rows
    given: dict[str, str] = {}
    with opened.store.write() as tx:
        taken = tx.aliases(opened.project_id, format)
        for row in sorted((row for row in rows if not row.alias), key=lambda row: int(row.place)):
            given[row.memory.id] = name = name_for(row.memory, taken)
            taken.add(name)
            tx.add_alias(opened.project_id, format, name, row.memory.id)
    return [row if row.alias else replace(row, alias=given[row.memory.id]) for row in rows]


def _read(format: str, source: Source) -> Read:
    """What a format reads in a file of its memories."""
    module = formats.exchange(format)
    items = tuple(module.memories(source))
    return Read(
        format, source.path, formats.namespace(format), items, getattr(module, "LASTING_IDS", None)
    )


def _tree(path: str) -> WorkTree:
    """The folder of a file, to read and write it there."""
    return WorkTree(os.path.dirname(path) or ".", limit=_LARGEST)


def _exported_key(path: str) -> str:
    return f"exported:{short_hash(os.path.realpath(path))}"
