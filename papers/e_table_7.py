"""Table 7 of the paper on back-translated bitext: choosing by quality."""

from .e_tuned import CHOSEN, PAPER, tuned_systems
from .paper_table import Close, PaperTable

_SCORES = {
    "translation cost": "translation_cost",
    "language model": "perplexity",
    "reference classification": "reference_probability",
}
_FIGURES = {"NMT, GRAN": (66.9, 66.6, 66.7, 67.0), "NMT, AVG": (65.5, 65.4, 65.5, 65.5)}

TABLE = PaperTable(
    name="e-table-7",
    paper=PAPER,
    number=7,
    title="random pairs against pairs chosen by quality",
    systems=tuned_systems(_FIGURES, _SCORES, where="perplexity is not null"),
    claims=tuple(
        Close(claim=f"{group}: {name} is as good as random", left=(group, name), right=(group, "random"))
        for group in _FIGURES
        for name in _SCORES
    ),
    differs=(
        CHOSEN,
        "the language model and the classifier (averages, 10 epochs) are trained on the third of the "
        "references that is held out, as in the paper, and all systems on samples of the rest",
    ),
)
