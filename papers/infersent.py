"""The tables of InferSent (Conneau et al. 2017), and one of its figures."""

from dataclasses import replace
from typing import Any

from ..models.encoders.encoder_kinds import (
    BiGruOptions,
    BiLstmOptions,
    ConvNetOptions,
    GruOptions,
    InnerAttentionOptions,
    LstmOptions,
    PositionalOptions,
)
from ..models.encoders.vocabulary import Tags
from ..models.training.train_options import TrainOptions
from .encoders import AVG
from .paper_sets import TRANSFER_TASKS, figures
from .paper_table import Greater, Inference, PaperTable, RoleSample, System, options

# Table 3: types of encoders that are trained on natural language inference.

_PAPER = "Conneau et al. 2017, InferSent"
_EPOCHS = 20
SNLI = RoleSample(role="nli", corpus="SNLI")
BILSTM_MAX = BiLstmOptions(dimension=300, size=2048, combine="concatenate", pooling="max", peepholes=False)
_PARTS = 4  # the views of inner attention, and the layers of the ConvNet
_FIGURES = ("NLI dev", "NLI test", "micro average", "macro average")
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
    common = options(encoder, epochs=_EPOCHS)
    return replace(common, text=replace(common.text, tags=tags))


_DIFFERS = (
    "the paper trains on 549,367 examples (`--pairs`), with GloVe's 840B vectors of 300 dimensions; given "
    "word vectors are fixed, and words without one share a row; without vectors they are trained from a "
    "random start",
    "the sizes of the encoders are in proportion to the dimension of the word vectors",
)
TABLE_3 = PaperTable(
    name="i-table-3",
    paper=_PAPER,
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
        for place, figure in enumerate(_FIGURES)
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
    differs=_DIFFERS,
)


# Table 4: transfer tasks.

ALL_NLI = RoleSample(role="nli", corpus="AllNLI")
_ON_SNLI, _UNTRAINED = "BiLSTM-Max (on SNLI)", "BiLSTM-Max (untrained)"
# The means of word vectors have no tags, which would be two random vectors in each mean.
_BOW, _POSITIONAL = training(AVG, "none"), training(PositionalOptions(dimension=300), "none")
_BILSTM = training(BILSTM_MAX)
_ROWS = (
    ("GloVe BOW", _BOW, SNLI, True, "78.7 78.5 91.6 87.6 79.8 83.6 72.1 80.0 78.6"),
    (
        "GloVe Positional Encoding",
        _POSITIONAL,
        SNLI,
        True,
        "78.3 77.4 91.1 87.1 80.6 83.3 72.5 79.9 77.9",
    ),
    (_UNTRAINED, _BILSTM, SNLI, True, "77.5 81.3 89.6 88.7 80.7 85.8 73.2 86.0 83.4"),
    (_ON_SNLI, _BILSTM, SNLI, False, "79.9 84.6 92.1 89.8 83.3 88.7 75.1 88.5 86.3"),
    ("BiLSTM-Max (on AllNLI)", _BILSTM, ALL_NLI, False, "81.1 86.3 92.4 90.2 84.6 88.2 76.2 88.4 86.3"),
)

TABLE_4 = PaperTable(
    name="i-table-4",
    paper=_PAPER,
    number=4,
    title="transfer tasks",
    systems=tuple(
        System(
            name=name,
            sets=figures(TRANSFER_TASKS, by_task),
            source=source,
            options=options,
            task=Inference(is_frozen=is_frozen),
            evaluations=("transfer",),
            figure="mean accuracy",
        )
        for name, options, source, is_frozen, by_task in _ROWS
    ),
    claims=tuple(
        Greater(claim=f"{_ON_SNLI} is better than {other}", left=("", _ON_SNLI), right=("", other))
        for other in ("GloVe BOW", _UNTRAINED)
    ),
    differs=(
        "the paper has no mean accuracy, and its rows of other authors are left out; so is its row of a "
        "BiLSTM trained on SST, because the paper says neither which labels it has nor which head replaces "
        "that for two sentences; the rows of GloVe are means of the given word vectors, whichever they are",
        "the corpus AllNLI of the data has the examples of SNLI and MultiNLI; STS 2014 is left out",
        "the paper trains from GloVe's 840B vectors of 300 dimensions, with which the BiLSTM has 4,096",
    ),
)


# Figure 5: transfer by the dimension of the encoder.

_DIMENSIONS = (512, 1024, 2048, 4096)
_GAIN = ("BiLSTM-Max", "HConvNet", "Inner-attention")
_FIGURE = "micro average"


def _sized(encoder: Any, dimension: int) -> Any:
    """An encoder whose sentence vectors have this dimension."""
    if isinstance(encoder, ConvNetOptions):
        return replace(encoder, filters=dimension // 4)
    if isinstance(encoder, InnerAttentionOptions):
        return replace(encoder, size=dimension // 2 // encoder.views)
    both = isinstance(encoder, BiGruOptions | BiLstmOptions)
    return replace(encoder, size=dimension // 2 if both else dimension)


FIGURE_5 = PaperTable(
    name="i-figure-5",
    paper=_PAPER,
    number=5,
    title="transfer by the dimension of the encoder",
    systems=tuple(
        System(
            name=str(dimension),
            group=name,
            source=SNLI,
            options=training(_sized(encoder, dimension)),
            task=Inference(),
            evaluations=("nli", "transfer"),
            figure=_FIGURE,
        )
        for name, encoder in ENCODERS.items()
        for dimension in _DIMENSIONS
    ),
    claims=tuple(
        Greater(
            claim=f"{name}: {_DIMENSIONS[-1]} dimensions are better than {_DIMENSIONS[0]}",
            left=(name, str(_DIMENSIONS[-1])),
            right=(name, str(_DIMENSIONS[0])),
        )
        for name in _GAIN
    ),
    differs=(
        "the paper draws the figure without numbers: the dimensions are those of which its text speaks, and "
        "their halves",
        *_DIFFERS,
    ),
)
