"""Table 6 of the paper on back-translated bitext: choosing lengths."""

from .e_tuned import CHOSEN, PAPER, tuned_systems
from .paper_table import Greater, PaperTable

_FIGURES = {
    "NMT, GRAN": (66.9, 67.3),
    "NMT, AVG": (65.5, 66.0),
    "SimpWiki, GRAN": (67.2, 67.4),
    "SimpWiki, AVG": (65.8, 66.2),
}

TABLE = PaperTable(
    name="e-table-6",
    paper=PAPER,
    number=6,
    title="random pairs against a chosen range of lengths",
    systems=tuned_systems(_FIGURES, {"length": "translation_length"}),
    claims=tuple(
        Greater(claim=f"{group}: choosing lengths helps", left=(group, "length"), right=(group, "random"))
        for group in _FIGURES
    ),
    differs=(CHOSEN,),
)
