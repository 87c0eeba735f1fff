"""The static embedder that every peer is given: wordllama's 256-dimensional vectors, read from the files in its wheel, mean-pooled and normalised.

No network and no model runs; a text costs a tenth of a millisecond. TACIT_BENCH_WEIGHTS names the folder of the unpacked wheel.
"""

from __future__ import annotations

import json
import os

import numpy as np
from tokenizers import Tokenizer

DIMENSIONS = 256


class Static:
    """Texts to vectors."""

    def __init__(self) -> None:
        folder = os.path.join(os.environ["TACIT_BENCH_WEIGHTS"], "wordllama")
        self.tokenizer = Tokenizer.from_file(
            os.path.join(folder, "tokenizers", "l2_supercat_tokenizer_config.json")
        )
        raw = np.memmap(
            os.path.join(folder, "weights", "l2_supercat_256.safetensors"), dtype=np.uint8, mode="r"
        )
        head = 8 + int.from_bytes(raw[:8].tobytes(), "little")
        table = json.loads(raw[8:head].tobytes())["embedding.weight"]
        self.table = raw[head:].view(np.float16).reshape(table["shape"])

    def __call__(self, text: str) -> list[float]:
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            return [1.0] + [0.0] * (DIMENSIONS - 1)
        mean = self.table[ids].astype(np.float32).mean(axis=0)
        return (mean / (float(np.linalg.norm(mean)) or 1.0)).tolist()  # type: ignore[no-any-return]

    def many(self, texts: list[str]) -> list[list[float]]:
        return [self(text) for text in texts]
