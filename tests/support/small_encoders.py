"""An encoder of each kind, small enough to be trained in a test."""

from collections.abc import Sequence

import torch

from paranmt.models.encoders.encoder import Encoder
from paranmt.models.encoders.encoder_kinds import (
    AveragingOptions,
    BiGranOptions,
    BiGruOptions,
    BiLstmOptions,
    Component,
    ConvNetOptions,
    CseOptions,
    GranOptions,
    GruOptions,
    InnerAttentionOptions,
    LstmAveragingOptions,
    LstmOptions,
    MixedOptions,
    PositionalOptions,
    TransformerOptions,
)
from paranmt.models.encoders.encoder_options import EncoderOptions
from paranmt.models.encoders.token_ids import Streams, TokenIds
from paranmt.models.encoders.vocabulary import Units

ROWS = 9


WORDS = AveragingOptions(dimension=4)


# Small encoders of every type, with which the tests below are run.
SMALL: dict[str, EncoderOptions] = {
    "avg": WORDS,
    "positional": PositionalOptions(dimension=4),
    "lstm": LstmOptions(dimension=4, size=3),
    "lstm_avg": LstmAveragingOptions(dimension=4, peepholes=False),
    "bilstm": BiLstmOptions(dimension=4, size=3, combine="tanh", pooling="max"),
    "gran": GranOptions(dimension=4, variant=4),
    "bigran": BiGranOptions(dimension=4, variant=3),
    "gru": GruOptions(dimension=4, size=3),
    "bigru": BiGruOptions(dimension=4, size=3),
    "inner_attention": InnerAttentionOptions(dimension=4, size=3, views=2),
    "cse": CseOptions(dimension=4, filters=2),
    "convnet": ConvNetOptions(dimension=4, filters=3),
    "transformer": TransformerOptions(dimension=4, heads=2, feed_forward=3),
    "mixed": MixedOptions(
        parts=(
            Component(encoder=WORDS),
            Component(encoder=AveragingOptions(dimension=3), units="trigrams"),
            Component(encoder=LstmAveragingOptions(dimension=2)),
        )
    ),
}


def build(options: EncoderOptions, units: Units = "words") -> Encoder:
    """An encoder whose numbers are larger than those that training starts from, so that tests see them."""
    torch.manual_seed(1)
    encoder = options.build(dict.fromkeys(options.streams(units), ROWS), units)
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    return encoder.eval()


def streams_of(encoder: Encoder, sentences: Sequence[Sequence[int]]) -> Streams:
    """The same ids in every stream, so that a test can write one list."""
    return Streams({units: TokenIds.of(sentences) for units in encoder.tables.values()})
