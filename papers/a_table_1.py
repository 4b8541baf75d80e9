"""Table 1 of Revisiting recurrent networks: phrase pairs against sentence pairs."""

from .a_grids import grid_of_data
from .encoders import A_AVERAGING_EPOCHS, AVG, LSTM, LSTM_AVG, RECURRENT_EPOCHS
from .paper_table import Greater, PaperTable, RoleSample, System, options

_PHRASES = RoleSample(role="ppdb", tokens_of="simplification")
_SENTENCES = RoleSample(role="simplification")
_ENCODERS = (
    ("AVG", options(AVG, epochs=A_AVERAGING_EPOCHS), 67.7, 68.4),
    ("LSTM", options(LSTM, epochs=RECURRENT_EPOCHS), 54.2, 59.3),
    ("LSTMAVG", options(LSTM_AVG, epochs=RECURRENT_EPOCHS), 64.2, 67.5),
)


TABLE = PaperTable(
    name="a-table-1",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=1,
    title="phrase pairs of PPDB against sentence pairs",
    systems=tuple(
        System(
            name=data,
            group=name,
            paper=figure,
            source=source,
            options=training,
            grid=grid_of_data(training),
        )
        for name, training, of_phrases, of_sentences in _ENCODERS
        for data, source, figure in (("PPDB", _PHRASES, of_phrases), ("SimpWiki", _SENTENCES, of_sentences))
    ),
    claims=tuple(
        Greater(claim=f"{name}: sentences are better", left=(name, "SimpWiki"), right=(name, "PPDB"))
        for name, *_ in _ENCODERS
    ),
    differs=(
        "a sample of the sentence pairs instead of all 167,689",
        "no hyperparameter is tuned, unless by `--grid`",
    ),
)
