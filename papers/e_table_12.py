"""Table 12 of the paper on back-translated bitext: choosing by diversity."""

from .e_tuned import CHOSEN, PAPER, tuned_systems
from .paper_table import Close, Greater, PaperTable

_SCORES = {
    "unigram overlap": "unigram_overlap",
    "bigram overlap": "bigram_overlap",
    "trigram overlap": "trigram_overlap",
    "BLEU": "sentence_bleu",
}
_FIGURES = {
    "NMT, GRAN": (66.9, 66.6, 67.0, 66.9, 67.1),
    "NMT, AVG": (65.5, 66.1, 65.5, 65.4, 65.3),
    "SimpWiki, GRAN": (67.2, 67.8, 68.0, 67.8, 67.5),
    "SimpWiki, AVG": (65.8, 67.4, 67.2, 66.6, 66.5),
}

TABLE = PaperTable(
    name="e-table-12",
    paper=PAPER,
    number=12,
    title="random pairs against pairs chosen by diversity",
    systems=tuned_systems(_FIGURES, _SCORES),
    claims=tuple(
        claim(claim=f"{group}: {name} {words}", left=(group, name), right=(group, "random"))
        for group in _FIGURES
        for name in _SCORES
        for claim, words in (
            ((Greater, "helps"),)
            if group.startswith("SimpWiki") or (group, name) == ("NMT, AVG", "unigram overlap")
            else ((Close, "is as good as random"),)
        )
    ),
    differs=(CHOSEN,),
)
