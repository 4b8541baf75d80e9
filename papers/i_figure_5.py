"""Figure 5 of InferSent: transfer by the dimension of the encoder."""

from dataclasses import replace
from typing import Any

from ..models.encoders.encoder_kinds import BiGruOptions, BiLstmOptions, ConvNetOptions, InnerAttentionOptions
from .i_table_3 import DIFFERS, ENCODERS, PAPER, SNLI, training
from .paper_table import Greater, Inference, PaperTable, System

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


TABLE = PaperTable(
    name="i-figure-5",
    paper=PAPER,
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
        *DIFFERS,
    ),
)
