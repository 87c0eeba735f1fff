"""Static word vectors: 256 numbers a text, offline, a few microseconds each.

The `wordllama` wheel carries the weights (MIT). Its own loader looks in another folder and answers NaN for a text without tokens, so
its two files are read directly: a safetensors file with one table, and a tokenizer. A text's vector is the sum of its
tokens' vectors, each weighed by how rarely the vocabulary expects it, and brought to length 1; a text without tokens is
all zeros, and near to nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from tacit.core.errors import Unavailable
from tacit.core.installation import hint

WEIGHTS = os.path.join("weights", "l2_supercat_256.safetensors")
TOKENIZER = os.path.join("tokenizers", "l2_supercat_tokenizer_config.json")
_LONGEST = 20_000  # characters of a text that are read
BYTES = 259  # the vocabulary's first entries: control tokens and single bytes; the rest stands in order of frequency
SPACE = "▁"  # how the vocabulary writes the space that a word begins with
RARE_SHARE = 1e-3  # smooth inverse frequency: a token expected more often than this counts for less


class Static:
    """The vectors of one weights file; its hash is part of the identity, so that another file is another space."""

    def __init__(self, folder: str = "") -> None:
        import numpy

        folder = folder or _wheel()
        try:
            with open(os.path.join(folder, WEIGHTS), "rb") as file:
                raw = file.read()
            from tokenizers import Tokenizer

            self._tokenizer: Any = Tokenizer.from_file(os.path.join(folder, TOKENIZER))
        except (OSError, ImportError) as error:
            raise Unavailable(
                f"The static vectors cannot be read from {folder}: {error}.", hint("semantic")
            ) from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._numpy = numpy
        self._table: Any = _table(raw, numpy)
        tokens, self.size = self._table.shape
        rank = numpy.maximum(1, numpy.arange(tokens) - BYTES + 1)
        expected = 1 / (rank * numpy.log(tokens))
        self._table = (
            self._table * (RARE_SHARE / (RARE_SHARE + expected)).astype(numpy.float32)[:, None]
        )
        self.identity = f"static:wordllama-{self.size}:{hashlib.sha256(raw).hexdigest()[:12]}"

    def words(self) -> Iterator[tuple[str, Sequence[float]]]:
        """Each word of the vocabulary that is one token, and its vector, in order of frequency."""
        named = sorted(
            (at, token)
            for token, at in self._tokenizer.get_vocab().items()
            if at >= BYTES and token.startswith(SPACE)
        )
        for at, token in named:
            word = token.removeprefix(SPACE)
            if len(word) > 1 and word.isalpha():
                yield word, self._table[at]

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector a text, of length 1, or of zeros where a text has no tokens."""
        found = self._numpy.zeros((len(texts), self.size), dtype=self._numpy.float32)
        read = self._tokenizer.encode_batch(
            [text[:_LONGEST] for text in texts], add_special_tokens=False
        )
        for at, encoding in enumerate(read):
            if encoding.ids:
                found[at] = self._table[encoding.ids].sum(axis=0)
        lengths = self._numpy.linalg.norm(found, axis=1, keepdims=True)
        lengths[lengths == 0] = 1.0
        return found / lengths  # type: ignore[no-any-return]


def _wheel() -> str:
    spec = find_spec("wordllama")
    if spec is None or not spec.origin:
        raise Unavailable("The static vectors are not installed.", hint("semantic"))
    return os.path.dirname(spec.origin)


def _table(raw: bytes, numpy: Any) -> Any:
    """The one table of a safetensors file: eight bytes of length, a JSON head, the numbers."""
    told = int.from_bytes(raw[:8], "little")
    head = json.loads(raw[8 : 8 + told])
    entry = next(each for name, each in head.items() if name != "__metadata__")
    kind = {"F16": numpy.float16, "F32": numpy.float32}[entry["dtype"]]
    start, end = entry["data_offsets"]
    body = raw[8 + told + start : 8 + told + end]
    return numpy.frombuffer(body, dtype=kind).reshape(entry["shape"]).astype(numpy.float32)
