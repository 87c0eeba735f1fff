"""Language models, imported only when the user's own configuration names one.

Two ways to reach one: an endpoint that speaks OpenAI's chat completions, or a command that reads a
prompt on its standard input. Either is wrapped in `Metered`, which redacts what is sent, keeps the
day's budget and leaves alone what is down.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from tacit.core.errors import ConfigInvalid
from tacit.hosts import MODEL_CALL
from tacit.reading.models.command import ModelCommand
from tacit.reading.models.metered import Metered
from tacit.reading.models.openai import OpenAI

if TYPE_CHECKING:
    from tacit.core.ports import Ledger, Model
    from tacit.reading.models.metered import Provider


def chosen(
    settings: Mapping[str, Any], env: Mapping[str, str], ledger: Ledger, *, lane: str = ""
) -> Model | None:
    """The model that the settings name, an endpoint before a command; None where they name none, or
    inside a model's own call.

    Each `lane` has a circuit of its own: a question that may wait a second must not stop those that
    may wait a minute.
    """
    url, command = str(settings["model.url"].value), str(settings["model.command"].value)
    if env.get(MODEL_CALL) or not (url or command):
        return None
    if not url:
        return _metered(ModelCommand(command, env), settings, ledger, lane)
    key_env = str(settings["model.key_env"].value)
    endpoint = OpenAI(url, str(settings["model.name"].value), env.get(key_env, ""), key_env)
    return _metered(endpoint, settings, ledger, lane)


def _metered(provider: Provider, settings: Mapping[str, Any], ledger: Ledger, lane: str) -> Metered:
    return Metered(provider, ledger, int(settings["model.daily_tokens"].value), lane)


def reader(
    settings: Mapping[str, Any],
    env: Mapping[str, str],
    ledger: Ledger,
    host: str,
    folder: str,
    programs: Mapping[str, str],
) -> Model | None:
    """The model that may read a session of this host in this folder; None without the user's own
    word, and inside a model's own call.

    `programs` has the commands of hosts whose own program may. A session goes to the vendor that
    wrote it, unless the user named other hosts too.
    """
    by, hosts = str(settings["reader.by"].value), tuple(settings["reader.hosts"].value)
    if (
        by in ("", "nobody")
        or env.get(MODEL_CALL)
        or any(fnmatch(folder, pattern) for pattern in settings["reader.off"].value)
    ):
        return None
    if host not in (hosts or ((by,) if by in programs else (host,))) and "*" not in hosts:
        return None
    if by == "model":
        return chosen(settings, env, ledger, lane="read")
    if by not in programs:
        raise ConfigInvalid(
            f"reader.by = {by!r} is nobody who can read.", f"One of: model, {', '.join(programs)}."
        )
    words = programs[by].format(model=str(settings["reader.model"].value))
    return _metered(ModelCommand(words, env), settings, ledger, "read")
