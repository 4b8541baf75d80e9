"""The entries of a recipe's section `scores`: measures, and the encoders that some of them train."""

from typing import Annotated

from ...base.names import KindIn
from ...filters import SCORES
from ...filters.score import Score
from ...filters.similarity import EncoderSpec, ParaphraseSimilarity
from ...models.encoders.encoder_kinds import DEFAULT_TYPE, ENCODERS
from ...transforms.trainings.trained_encoder import TrainedEncoder
from .document import Data
from .one_level import OnOneLevel


def _types() -> dict[str, object]:
    return {name: Annotated[TrainedEncoder, OnOneLevel(kind)] for name, kind in ENCODERS.items()}


_Similarity = ParaphraseSimilarity[Annotated[EncoderSpec, KindIn("type", _types, DEFAULT_TYPE)]]

AnyScoreEntry = Annotated[Score, KindIn("score", lambda: {**SCORES, ParaphraseSimilarity.score: _Similarity})]
"""An entry with any measure."""


def with_encoder(entry: dict[str, Data]) -> dict[str, Data]:
    """An entry of `scores`; if its measure trains an encoder, with the encoder's type."""
    if entry.get("score") != ParaphraseSimilarity.score:
        return entry
    encoder = entry.get("encoder")
    if encoder is None and entry.get("vectors") is not None:
        return entry
    return {**entry, "encoder": with_type({} if encoder is None else encoder)}


def with_type(encoder: Data) -> Data:
    """The keys of an encoder that is trained, with the default type if they name none."""
    return {"type": DEFAULT_TYPE, **encoder} if isinstance(encoder, dict) else encoder
