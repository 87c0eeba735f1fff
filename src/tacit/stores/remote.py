"""One form for a repository's address, however it is written: with a user, a port, a suffix, as a path or in the short form of ssh."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

DEFAULT_PORTS = {
    "https": "443", "http": "80", "ssh": "22", "git": "9418",
    "git+https": "443", "git+http": "80", "git+ssh": "22", "ssh+git": "22",
}  # fmt: skip
_DIGITS = "0123456789"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
KEY_LETTERS = LETTERS + _DIGITS + "-"  # git's iskeychar


def normalise_remote(url: str) -> str:
    """One text for all spellings of a remote: "host/path", or the real path of a repository on this machine.

    User names, passwords and tokens are dropped, so the text may be stored and shown. Empty where no repository can be
    recognised: relative paths, remote helpers (`ext::…`), garbage.
    """
    url = url.strip()
    if not url.isprintable():
        return ""
    scheme, mark, rest = url.partition("://")
    if mark:
        host, _, path = rest.partition("/")
        if scheme.lower() == "file":
            return _local(f"/{path}") if host.lower() in ("", "localhost") else ""
        port = DEFAULT_PORTS.get(scheme.lower(), "")
        return _host_and_path(host, path.partition("?")[0].partition("#")[0], port) if port else ""
    if url.startswith("/"):
        return _local(url)
    return _scp(url)


def _local(path: str) -> str:
    real = os.path.realpath(path)
    return as_text(real.removesuffix("/.git").removesuffix(".git").rstrip("/"))


def _scp(url: str) -> str:
    """`user@host:path`, `[host:port]:path`, `user@[::1]:path`, as ssh and git read them."""
    host, colon, path = url.partition(":")
    if "[" in host:
        host, colon, path = url.partition("]:")
        if host.startswith("[") and host.count(":") < 2:
            host = host[1:]
        else:
            host += "]"
    if not colon or "/" in host or path.startswith(":"):
        return ""
    return _host_and_path(host, path, DEFAULT_PORTS["ssh"])


def _host_and_path(authority: str, path: str, default_port: str) -> str:
    host = authority.rpartition("@")[2].lower()
    if host.startswith("["):
        name, closed, port = host.partition("]")
        is_name = closed and not name[1:].strip("0123456789abcdef:.%") and port[:1] in ("", ":")
        name, port = f"{name}]", port[1:]
    else:
        name, _, port = host.partition(":")
        name = name.removesuffix(".")
        is_name = name and not name.strip(KEY_LETTERS + "._") and name[0] != "-"
    path = "/".join(part for part in path.split("/") if part).removesuffix(".git").rstrip("/")
    if not is_name or not path or port.strip(_DIGITS):
        return ""
    return f"{name}/{path}" if port in ("", default_port) else f"{name}:{port}/{path}"


def as_text(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
