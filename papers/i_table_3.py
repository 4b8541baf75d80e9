"""Table 3 of InferSent: types of encoders that are trained on natural language inference."""

from dataclasses import replace
from typing import Any

from ..models.encoders.encoder_kinds import (
    BiGruOptions,
    BiLstmOptions,
    ConvNetOptions,
    GruOptions,
    InnerAttentionOptions,
    LstmOptions,
)
from ..models.encoders.vocabulary import Tags
from ..models.training.train_options import TrainOptions
from .paper_table import Greater, Inference, PaperTable, RoleSample, System, options

PAPER = "Conneau et al. 2017, InferSent"
EPOCHS = 20
SNLI = RoleSample(role="nli", corpus="SNLI")
BILSTM_MAX = BiLstmOptions(dimension=300, size=2048, combine="concatenate", pooling="max", peepholes=False)
_PARTS = 4  # the views of inner attention, and the layers of the ConvNet
FIGURES = ("NLI dev", "NLI test", "micro average", "macro average")
_ENCODERS: dict[str, tuple[Any, str]] = {
    "LSTM": (LstmOptions(dimension=300, size=2048, peepholes=False), "81.9 80.7 79.5 78.6"),
    "GRU": (GruOptions(dimension=300, size=4096), "82.4 81.8 81.7 80.9"),
    "BiGRU-last": (BiGruOptions(dimension=300, size=2048), "81.3 80.9 82.9 81.7"),
    "BiLSTM-Mean": (replace(BILSTM_MAX, pooling="mean"), "79.0 78.2 83.1 81.7"),
    "Inner-attention": (
        InnerAttentionOptions(dimension=300, size=4096 // 2 // _PARTS, views=_PARTS),
        "82.3 82.5 82.1 81.0",
    ),
    "HConvNet": (ConvNetOptions(dimension=300, filters=4096 // _PARTS), "83.7 83.4 82.0 80.9"),
    "BiLSTM-Max": (BILSTM_MAX, "85.0 84.5 85.2 83.7"),
}
ENCODERS = {name: encoder for name, (encoder, _) in _ENCODERS.items()}
"""The encoders with the dimensions of the table."""


def training(encoder: Any, tags: Tags = "both") -> TrainOptions:
    """The options of a training on natural language inference, by default with tags around each sentence."""
    common = options(encoder, epochs=EPOCHS)
    return replace(common, text=replace(common.text, tags=tags))


DIFFERS = (
    "the paper trains on 549,367 examples (`--pairs`), with GloVe's 840B vectors of 300 dimensions; given "
    "word vectors are fixed, and words without one share a row; without vectors they are trained from a "
    "random start",
    "the sizes of the encoders are in proportion to the dimension of the word vectors",
)
TABLE = PaperTable(
    name="i-table-3",
    paper=PAPER,
    number=3,
    title="types of encoders trained on SNLI",
    systems=tuple(
        System(
            name=name,
            group=figure,
            paper=float(figures.split()[place]),
            source=SNLI,
            options=training(encoder),
            task=Inference(),
            evaluations=("nli", "transfer"),
            figure=figure,
        )
        for place, figure in enumerate(FIGURES)
        for name, (encoder, figures) in _ENCODERS.items()
    ),
    claims=tuple(
        Greater(
            claim=f"{figure}: BiLSTM-Max is better than {other}",
            left=(figure, "BiLSTM-Max"),
            right=(figure, other),
        )
        for figure in ("NLI test", "micro average")
        for other in ENCODERS
        if other != "BiLSTM-Max"
    ),
    differs=DIFFERS,
)
