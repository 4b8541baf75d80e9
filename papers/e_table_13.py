"""Table 13 of the paper on back-translated bitext: more training data."""

from .e_tuned import PAPER, TRAINING
from .paper_table import Greater, PaperTable, RoleSample, System

# GRAN has 100,000 pairs, AVG all 167,689 of SimpWiki. Of PPDB as many as have the tokens of SimpWiki's.
_PAIRS = {"GRAN": 100_000, "AVG": 168_000}
_FIGURES = {"GRAN": (64.6, 67.4, 66.8, 68.5), "AVG": (66.3, 67.7, 66.6, 67.6)}
_DATA = ("PPDB", "SimpWiki", "NMT, 24,000", "NMT")


def _source(name: str, pairs: int) -> RoleSample:
    if name == "PPDB":
        return RoleSample(role="ppdb", tokens_of="simplification", pairs=pairs)
    if name == "SimpWiki":
        return RoleSample(role="simplification", pairs=pairs)
    return RoleSample(role="translations", pairs=None if name == "NMT, 24,000" else pairs)


TABLE = PaperTable(
    name="e-table-13",
    paper=PAPER,
    number=13,
    title="more training data",
    systems=tuple(
        System(
            name=name,
            group=group,
            paper=paper,
            source=_source(name, _PAIRS[group]),
            options=TRAINING[group],
            stops=True,
        )
        for group, figures in _FIGURES.items()
        for name, paper in zip(_DATA, figures, strict=True)
    ),
    claims=tuple(
        claim
        for group in _FIGURES
        for claim in (
            Greater(
                claim=f"{group}: more translations help", left=(group, "NMT"), right=(group, "NMT, 24,000")
            ),
            Greater(claim=f"{group}: NMT is better than PPDB", left=(group, "NMT"), right=(group, "PPDB")),
        )
    ),
    differs=(
        "the paper's translations are tuned (Czech common crawl for GRAN, German for AVG); with fewer than "
        "100,000 pairs for GRAN or 168,000 for AVG, all are taken",
    ),
)
