"""Table 7 of ParaNMT-50M: the STS tasks by year."""

from dataclasses import replace
from typing import Any

from ..models.encoders.encoder_kinds import Component, MixedOptions
from .encoders import AVG, BILSTM_AVG, LSTM_AVG, P_EPOCHS, P_SCRAMBLE
from .p_table_3 import TRAINING
from .paper_sets import figures
from .paper_table import Greater, PaperTable, RoleSample, System, options

_YEARS = ("2012", "2013", "2014", "2015")
_WORDS, _TRIGRAMS = Component(encoder=AVG), Component(encoder=AVG, units="trigrams")
_LSTM = Component(encoder=LSTM_AVG)


def _recurrent(encoder: Any, size: int) -> Any:
    return options(replace(encoder, size=size), epochs=P_EPOCHS, scramble=P_SCRAMBLE)


def _mixed(*parts: Component, added: bool) -> Any:
    encoder = MixedOptions(parts=parts, combine="add" if added else "concatenate")
    return options(encoder, epochs=P_EPOCHS)


# The paper scrambles the sentences of the mixtures with an LSTM too.
_SYSTEMS: tuple[tuple[str, Any, str], ...] = (
    *zip(
        TRAINING,
        TRAINING.values(),
        ("66.2 61.8 76.2 79.3", "67.2 60.3 76.1 79.7", "67.0 62.3 76.3 78.5"),
        strict=True,
    ),
    ("LSTM Avg. (600)", _recurrent(LSTM_AVG, 600), "66.6 61.3 76.0 78.8"),
    ("LSTM Avg. (900)", _recurrent(LSTM_AVG, 900), "68.0 60.4 76.3 78.8"),
    ("BiLSTM Avg. (600)", _recurrent(BILSTM_AVG, 600), "67.4 60.3 76.4 79.7"),
    ("BiLSTM Avg. (900)", _recurrent(BILSTM_AVG, 900), "67.4 60.2 76.1 79.5"),
    ("Trigram-Word (addition)", _mixed(_TRIGRAMS, _WORDS, added=True), "67.3 62.8 77.5 80.1"),
    ("Trigram-Word-LSTM (addition)", _mixed(_TRIGRAMS, _WORDS, _LSTM, added=True), "67.1 62.8 76.8 79.2"),
    ("Trigram-Word (concatenation)", _mixed(_TRIGRAMS, _WORDS, added=False), "67.8 62.7 77.4 80.3"),
    (
        "Trigram-Word-LSTM (concatenation)",
        _mixed(_TRIGRAMS, _WORDS, _LSTM, added=False),
        "67.7 62.8 76.9 79.8",
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
            source=RoleSample(role="translations"),
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
    differs=(
        "STS 2016 is not among the sets; the mixtures with an LSTM are trained without scrambling",
        "the rows of other authors are left out",
    ),
)
