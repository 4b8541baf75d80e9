"""Table 3 of ParaNMT-50M: parallel corpora to translate back."""

from dataclasses import replace

from ..models.sts.set_lists import SETS_25
from .encoders import AVG, LSTM_AVG, P_EPOCHS, P_SCRAMBLE
from .paper_table import EACH, PaperTable, RoleSample, System, options

_FIGURES = {
    "Common-crawl": (80.9, 80.2, 79.1),
    "Czeng1.6": (83.6, 81.5, 82.5),
    "Europarl": (78.9, 78.0, 80.4),
    "News": (80.2, 78.2, 80.5),
    EACH: (None, None, None),
}
_WORDS = options(AVG, epochs=P_EPOCHS)
TRAINING = {
    "Word Avg.": _WORDS,
    "Trigram Avg.": replace(_WORDS, text=replace(_WORDS.text, units="trigrams")),
    "LSTM Avg.": options(LSTM_AVG, epochs=P_EPOCHS, scramble=P_SCRAMBLE),
}
"""The trainings of ParaNMT's simple models, with negatives from mini-batches."""
SHORT = RoleSample(role="translations", where="reference_length <= 30 and translation_length <= 30")
"""The pairs that its models of tables 5 and 7 to 12 are trained on (section 6.3)."""

TABLE = PaperTable(
    name="p-table-3",
    paper="Wieting and Gimpel 2018, ParaNMT-50M",
    number=3,
    title="parallel corpora to translate back",
    systems=tuple(
        System(
            name=corpus,
            group=group,
            paper=figures[place],
            sets={"2017": figures[place]},
            source=RoleSample(role="translations", corpus=corpus),
            options=training,
        )
        for place, (group, training) in enumerate(TRAINING.items())
        for corpus, figures in _FIGURES.items()
    ),
    claims=(),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "the corpora are those that the data names; the paper's figures are of the 250 pairs of STS 2017",
        "the paper does not say the size of the mega-batches; here negatives come from the mini-batch",
    ),
)
