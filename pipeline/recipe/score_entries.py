"""The entries of a recipe's section `scores`: measures, and the encoders that some of them train."""

import dataclasses
from functools import cache
from typing import Annotated, TypeVar

from pydantic import AfterValidator, PlainSerializer

from ...base.names import KindIn
from ...filters import SCORES
from ...filters.score import Score
from ...filters.similarity import EncoderSpec, ParaphraseSimilarity
from ...models.encoders.encoder_kinds import DEFAULT_TYPE, ENCODERS
from ...models.encoders.encoder_options import EncoderOptions
from ...transforms.works.trained_encoder import TrainedEncoder
from .document import Data

T = TypeVar("T")


@cache
def _entry_class(options: type[EncoderOptions]) -> type[EncoderSpec]:
    """The class of an entry, whose fields are those of `EncoderSpec` and of the encoder's options."""

    def check(entry: EncoderSpec) -> None:
        EncoderSpec.__post_init__(entry)
        _part(options, entry)

    return dataclasses.make_dataclass(
        f"Scoring{options.__name__}",
        [],
        bases=(options, EncoderSpec),
        namespace={"__module__": __name__, "__post_init__": check},
        frozen=True,
        kw_only=True,
    )


def _trained(entry: EncoderSpec) -> TrainedEncoder:
    kind = type(entry).__bases__[0]
    return TrainedEncoder(**vars(_part(EncoderSpec, entry)), options=_part(kind, entry))


def _part(kind: type[T], entry: EncoderSpec) -> T:
    """Those fields of an entry that a base class of it has."""
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: getattr(entry, name) for name in names})


def _entry_classes() -> dict[str, object]:
    written = PlainSerializer(TrainedEncoder.entry)
    return {
        name: Annotated[_entry_class(options), AfterValidator(_trained), written]
        for name, options in ENCODERS.items()
    }


_Similarity = ParaphraseSimilarity[Annotated[EncoderSpec, KindIn("type", _entry_classes, DEFAULT_TYPE)]]

AnyScoreEntry = Annotated[Score, KindIn("score", lambda: {**SCORES, ParaphraseSimilarity.score: _Similarity})]
"""An entry, as the class of its measure."""


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
