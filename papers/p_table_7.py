"""Table 7 of ParaNMT-50M: the STS tasks by year."""

from dataclasses import replace
from typing import Any

from ..models.encoders.encoder_kinds import Component, MixedOptions
from ..models.sts.set_lists import SETS_25
from .encoders import AVG, BILSTM_AVG, LSTM_AVG, P_EPOCHS, P_SCRAMBLE
from .p_table_3 import SHORT, TRAINING
from .paper_sets import figures
from .paper_table import Greater, PaperTable, System, options

_YEARS = ("2012", "2013", "2014", "2015", "2016")
_WORDS, _TRIGRAMS = Component(encoder=AVG), Component(encoder=AVG, units="trigrams")
_LSTM = Component(encoder=LSTM_AVG)


def _recurrent(encoder: Any, size: int) -> Any:
    return options(replace(encoder, size=size), epochs=P_EPOCHS, scramble=P_SCRAMBLE)


def _mixed(*parts: Component, added: bool) -> Any:
    encoder = MixedOptions(parts=parts, combine="add" if added else "concatenate")
    return options(encoder, epochs=P_EPOCHS, scramble=P_SCRAMBLE if _LSTM in parts else 0.0)


_SYSTEMS: tuple[tuple[str, Any, str], ...] = (
    *zip(
        TRAINING,
        TRAINING.values(),
        ("66.2 61.8 76.2 79.3 77.5", "67.2 60.3 76.1 79.7 78.3", "67.0 62.3 76.3 78.5 76.0"),
        strict=True,
    ),
    ("LSTM Avg. (600)", _recurrent(LSTM_AVG, 600), "66.6 61.3 76.0 78.8 74.8"),
    ("LSTM Avg. (900)", _recurrent(LSTM_AVG, 900), "68.0 60.4 76.3 78.8 75.9"),
    ("BiLSTM Avg. (600)", _recurrent(BILSTM_AVG, 600), "67.4 60.3 76.4 79.7 76.5"),
    ("BiLSTM Avg. (900)", _recurrent(BILSTM_AVG, 900), "67.4 60.2 76.1 79.5 76.5"),
    ("Trigram-Word (addition)", _mixed(_TRIGRAMS, _WORDS, added=True), "67.3 62.8 77.5 80.1 78.2"),
    (
        "Trigram-Word-LSTM (addition)",
        _mixed(_TRIGRAMS, _WORDS, _LSTM, added=True),
        "67.1 62.8 76.8 79.2 77.0",
    ),
    ("Trigram-Word (concatenation)", _mixed(_TRIGRAMS, _WORDS, added=False), "67.8 62.7 77.4 80.3 78.1"),
    (
        "Trigram-Word-LSTM (concatenation)",
        _mixed(_TRIGRAMS, _WORDS, _LSTM, added=False),
        "67.7 62.8 76.9 79.8 76.8",
    ),
)

TABLE = PaperTable(
    name="p-table-7",
    paper="Wieting and Gimpel 2018, ParaNMT-50M",
    number=7,
    title="the models of ParaNMT by year",
    systems=tuple(
        System(
            name=name,
            sets=figures(_YEARS, by_year),
            source=SHORT,
            options=replace(training, mega_batch=40),
        )
        for name, training, by_year in _SYSTEMS
    ),
    claims=tuple(
        Greater(
            claim=f"Trigram-Word is better than {other}",
            left=("", "Trigram-Word (addition)"),
            right=("", other),
        )
        for other in TRAINING
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "the pairs are those with at most 30 tokens a side, and not also of the best two tenths by a score",
        "the rows of other authors are left out",
    ),
)
