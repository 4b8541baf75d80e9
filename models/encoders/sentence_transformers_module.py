"""The module by which sentence-transformers computes encoders for which it has no module of its own.

An exported folder is that of an encoder of ours with a modules.json that names this module:

    SentenceTransformer(modules=[ParanmtEncoder.load("exported")])
    SentenceTransformer("exported", trust_remote_code=True)

sentence-transformers asks for `trust_remote_code` whenever a module is not its own. The name in modules.json
is that of the installed package, and no file in the folder is executed.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch

from .sentence_encoder import SentenceEncoder
from .token_ids import Streams, TokenIds


class ParanmtEncoder(torch.nn.Module):
    """An encoder of ours; it has the methods that sentence-transformers calls in its first module."""

    save_in_root = True

    def __init__(self, encoder: SentenceEncoder) -> None:
        super().__init__()
        self.encoder = encoder.encoder
        self.tokenizer = encoder  # sentence-transformers wants this name

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **options: Any) -> Self:
        """Reads a folder, or one of the Hugging Face hub by its name; nothing in it is executed.

        options: of the hub: token, cache_folder, revision, local_files_only; others are not read.
        """
        folder = Path(model_name_or_path, subfolder)
        if not folder.is_dir():
            from sentence_transformers.util import load_dir_path

            of_hub = {
                name: options[name]
                for name in ("token", "cache_folder", "revision", "local_files_only")
                if name in options
            }
            folder = Path(load_dir_path(model_name_or_path, subfolder, **of_hub) or folder)
        return cls(SentenceEncoder.load(folder))

    def preprocess(
        self, inputs: Sequence[str], prompt: str | None = None, **_: Any
    ) -> dict[str, torch.Tensor]:
        """The units of sentences: the ids of all streams in a row, and where each sentence's start there."""
        streams = self.tokenizer.token_ids([(prompt or "") + text for text in inputs])
        before = np.cumsum([0, *(len(ids.ids) for ids in streams.values())])
        starts = [ids.starts + first for ids, first in zip(streams.values(), before[:-1], strict=True)]
        return {
            "input_ids": torch.from_numpy(np.concatenate([ids.ids for ids in streams.values()])),
            "starts": torch.from_numpy(np.stack(starts)),
        }

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Adds `sentence_embedding`, (sentences, dimension) float32; zeros for a sentence without units."""
        ids, starts = (features[name].cpu().numpy() for name in ("input_ids", "starts"))
        streams = Streams(
            {
                units: TokenIds(ids[first[0] : first[-1]], first - first[0])
                for units, first in zip(self.tokenizer.vocabularies, starts, strict=True)
            }
        )
        some = np.flatnonzero(streams.lengths())
        device = next(self.encoder.parameters()).device
        vectors = torch.zeros(streams.count, self.encoder.dimension, device=device)
        if len(some):
            rows = torch.from_numpy(some).to(device)
            vectors = vectors.index_copy(0, rows, self.encoder(streams.take(some)).float())
        features["sentence_embedding"] = vectors
        return features

    def get_embedding_dimension(self) -> int:
        """How many numbers a sentence's vector has."""
        return self.encoder.dimension

    def save(self, output_path: str, *_: Any, **options: Any) -> None:
        """Writes the encoder's folder."""
        self.tokenizer.save(Path(output_path))
