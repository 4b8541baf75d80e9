"""Table 9 of the paper on back-translated bitext: entropy and repetition of both sides."""

from .e_tuned import PAPER
from .encoders import AVG
from .pair_statistics import MEASURES_OF_TEXT
from .paper_table import EACH, PaperTable, RoleSample, Statistics, System, options

# Entropy of unigrams and trigrams in nats, then their repetition in percent: of references less translations.
_FIGURES = {
    "CS, CC": (0.50, 1.13, -7.57, -5.58),
    "CS, EP": (0.14, 0.31, -0.88, -0.11),
    "CS, News": (0.16, 0.31, -0.96, -0.16),
    "FR, CC": (0.97, 1.40, -8.50, -7.53),
    "FR, EP": (0.51, 0.69, -1.85, -0.58),
    "FR, Giga": (0.97, 1.21, -5.30, -7.74),
    "FR, News": (0.67, 0.75, -2.98, -0.85),
    "DE, CC": (0.29, 0.57, -1.09, -0.73),
    "DE, EP": (0.32, 0.53, -0.14, -0.11),
    "DE, News": (0.40, 0.37, -1.02, -0.24),
    EACH: (None,) * 4,
    "All": (0.46, 0.74, -2.80, -2.26),
}

TABLE = PaperTable(
    name="e-table-9",
    paper=PAPER,
    number=9,
    title="entropy and repetition of references, less those of translations",
    systems=tuple(
        System(
            name=name,
            group=corpus,
            paper=figure,
            source=RoleSample(role="translations", corpus="" if corpus == "All" else corpus),
            options=options(AVG, epochs=1),
            task=Statistics(),
            figure=name,
        )
        for corpus, figures in _FIGURES.items()
        for name, figure in zip(MEASURES_OF_TEXT, figures, strict=True)
    ),
    claims=(),
    digits=2,
    differs=("the paper measures 150,000 pairs of each corpus; entropy grows with the number of pairs",),
)
