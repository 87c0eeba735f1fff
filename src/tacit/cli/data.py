"""data: lessons in and out, and copies of the store."""

from __future__ import annotations

from tacit.cli.copies import backup_verb, restore_verb
from tacit.cli.exchange import export_verb, import_verb
from tacit.cli.verb import Verbs

data = Verbs("data", does="lessons in and out, and copies of the store")
for each in (export_verb, import_verb, backup_verb, restore_verb):
    data.add_command(each)
