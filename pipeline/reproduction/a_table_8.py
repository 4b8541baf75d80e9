"""Table 8 of Revisiting recurrent networks: supervised training that starts from universal encoders."""

from .encoders import AVERAGING_EPOCHS, AVG, GRAN, LSTM_AVG, RECURRENT_EPOCHS
from .paper_table import PaperTable, Source, System, options

_REASON = (
    "the universal encoders need phrase pairs of PPDB, and this command trains on pairs alone, not on the "
    "scores of each STS set"
)
_ROWS = (
    ("AVG", AVG, "dropout", 80.7),
    ("AVG", AVG, "dropout, universal", 82.9),
    ("LSTMAVG", LSTM_AVG, "dropout, scrambling", 76.5),
    ("LSTMAVG", LSTM_AVG, "dropout, scrambling, universal", 81.3),
    ("GRAN", GRAN, "dropout, scrambling", 81.6),
    ("GRAN", GRAN, "dropout, scrambling, universal", 82.7),
)

TABLE = PaperTable(
    name="a-table-8",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=8,
    title="supervised training with and without universal encoders (the column STS)",
    systems=tuple(
        System(
            name=name,
            group=group,
            paper=paper,
            source=Source(role="ppdb"),
            options=options(encoder, epochs=AVERAGING_EPOCHS if group == "AVG" else RECURRENT_EPOCHS),
            reason=_REASON,
        )
        for group, encoder, name, paper in _ROWS
    ),
    claims=(),
)
