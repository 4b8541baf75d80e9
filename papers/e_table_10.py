"""Table 10 of the paper on back-translated bitext: what correlates with the classifier's probability."""

from .e_tuned import PAPER
from .encoders import AVG
from .paper_table import Classification, PaperTable, RoleSample, System, options

_EPOCHS = 10
_FIGURES = {"unigram repetition": -35.1, "trigram repetition": -18.4, "idf": 27.8, "length": -34.0}

TABLE = PaperTable(
    name="e-table-10",
    paper=PAPER,
    number=10,
    title="how the probability of being a reference correlates with measures of a translation",
    systems=tuple(
        System(
            name=name,
            paper=paper,
            source=RoleSample(role="translations"),
            options=options(AVG, epochs=_EPOCHS),
            task=Classification(),
            figure=name,
        )
        for name, paper in _FIGURES.items()
    ),
    claims=(),
    differs=(
        "the classifier is the one that averages word vectors, trained and chosen as in table 8; the "
        "translations of the test part are measured, where the paper takes 100,000 pairs of the data that it "
        "trained encoders on",
        "the frequencies of words are those of the references; the paper's are Wikipedia's",
    ),
)
