"""Our SQL as PostgreSQL reads it. Statements are written once, with named parameters, in the part both engines speak.

Five things differ and are rewritten by their spelling: parameters (`:name`), the list function `json_each`, `instr`, the
literal of no bytes, and hints (`INDEXED BY`), which its planner does without.
Everything else that an engine does its own way is a method of its store.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NAME = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_HINT = re.compile(r" INDEXED BY \w+")
_QUOTED = re.compile(r"('(?:[^']|'')*')")


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """The statement for psycopg; what stands in quotes stays as it is."""
    parts = _QUOTED.split(sql.replace("%", "%%").replace("x''", "''::bytea"))
    return "".join(part if at % 2 else _rewritten(part) for at, part in enumerate(parts))


def _rewritten(sql: str) -> str:
    return _NAME.sub(r"%(\1)s", _HINT.sub("", sql).replace("json_each(", "each_of(").replace("instr(", "strpos("))
