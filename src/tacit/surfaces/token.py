"""The token in front of a port: a file that only its owner can read."""

from __future__ import annotations

import os

from tacit.core.errors import Unavailable


def token_at(path: str) -> str:
    """The token in a file that only its owner can read; made where there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _made(path)
    except OSError as error:
        raise Unavailable(
            f"The token file {path} cannot be read: {error.strerror}.", "Name another with --token-file."
        ) from None
    with open(fd, encoding="ascii", errors="replace") as file:
        if os.fstat(fd).st_mode & 0o077:
            raise Unavailable(
                f"Others may read the token file {path}.", f"chmod 600 {path}, and change the token if they did."
            )
        token = file.read(4096).strip()
    if len(token) < 16:
        raise Unavailable(
            f"The token in {path} is too short to keep anybody out.", "Remove the file; a new one is made."
        )
    return token


def _made(path: str) -> str:
    token = os.urandom(32).hex()
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return token_at(path)  # another server was faster; its token counts
    except OSError as error:
        raise Unavailable(
            f"The token file {path} cannot be written: {error.strerror}.", "Name another with --token-file."
        ) from None
    with open(fd, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token
