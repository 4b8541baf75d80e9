"""Table 8 of ParaNMT-50M: transfer tasks."""

from dataclasses import replace
from typing import Literal

from ..models.encoders.encoder_kinds import BiLstmOptions
from . import p_table_7
from .encoders import P_EPOCHS, P_SCRAMBLE
from .p_table_3 import SHORT
from .paper_sets import TRANSFER_TASKS, figures
from .paper_table import Greater, PaperTable, System, options

# In the order of the systems of table 7, then those of 4,096 dimensions.
_FIGURES = (
    "75.8 80.5 89.2 87.1 80.0 80.1 68.6 83.6 80.6",
    "68.8 75.5 83.6 82.3 73.6 73.0 71.4 79.3 78.0",
    "73.8 78.4 88.5 86.5 80.6 76.8 73.6 83.9 81.9",
    "75.2 80.5 90.0 88.0 80.0 83.8 74.0 85.2 82.6",
    "75.8 81.7 90.5 87.4 81.6 84.4 74.7 86.0 83.0",
    "75.4 80.8 89.9 87.2 79.1 84.4 73.7 85.4 84.3",
    "75.6 82.4 90.6 87.7 81.3 87.4 75.0 85.8 84.4",
    "74.8 78.8 88.5 87.4 78.7 79.0 71.4 83.2 80.6",
    "75.0 80.7 88.6 86.6 77.9 78.6 72.7 83.6 81.8",
    "75.8 80.5 89.9 87.8 79.7 82.4 70.7 84.6 82.0",
    "77.6 81.4 91.4 88.2 82.0 85.4 74.0 85.4 83.8",
    "77.5 82.6 91.0 89.3 82.8 86.8 75.8 85.9 83.8",
    "76.6 83.4 90.9 88.5 82.0 87.2 76.6 85.3 82.5",
)


def _large(name: str, pooling: Literal["mean", "max"]) -> System:
    encoder = BiLstmOptions(dimension=300, size=2048, combine="concatenate", pooling=pooling)
    training = options(encoder, epochs=P_EPOCHS, mega_batch=40, scramble=P_SCRAMBLE)
    return System(name=name, source=SHORT, options=training)


_SYSTEMS = (
    *p_table_7.TABLE.systems,
    _large("BiLSTM Avg. (4096)", "mean"),
    _large("BiLSTM Max (4096)", "max"),
)

TABLE = PaperTable(
    name="p-table-8",
    paper=p_table_7.TABLE.paper,
    number=8,
    title="transfer tasks",
    systems=tuple(
        replace(
            system,
            sets=figures(TRANSFER_TASKS, by_task),
            evaluations=("transfer",),
            figure="mean accuracy",
        )
        for system, by_task in zip(_SYSTEMS, _FIGURES, strict=True)
    ),
    claims=(
        Greater(claim="more dimensions help the LSTM", left=("", "LSTM Avg. (900)"), right=("", "LSTM Avg.")),
        Greater(
            claim="concatenation is better than addition",
            left=("", "Trigram-Word-LSTM (concatenation)"),
            right=("", "Trigram-Word-LSTM (addition)"),
        ),
    ),
    set_list=p_table_7.TABLE.set_list,
    dev_sets=p_table_7.TABLE.dev_sets,
    differs=("the paper has no mean accuracy; its rows of other authors are left out",),
)
