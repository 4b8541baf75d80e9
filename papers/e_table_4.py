"""Table 4 of the paper on back-translated bitext: which data is best."""

from .e_tuned import PAPER, TRAINING
from .paper_table import Close, Greater, PaperTable, RoleSample, System

# The paper has a row for each of ten sources of its back-translations; these are the means of the ten rows.
_DATA = (
    ("SimpWiki", "simplification", 67.2, 65.8),
    ("PPDB", "ppdb", 64.5, 65.8),
    ("PPDB, words only", "ppdb_lexical", None, None),
    ("NMT", "translations", 66.89, 65.50),
    ("captions", "captions", None, None),
)

TABLE = PaperTable(
    name="e-table-4",
    paper=PAPER,
    number=4,
    title="sources of training data",
    systems=tuple(
        System(
            name=name, group=group, paper=paper, source=RoleSample(role=role), options=training, stops=True
        )
        for place, (group, training) in enumerate(TRAINING.items())
        for name, role, *figures in _DATA
        for paper in figures[place : place + 1]
    ),
    claims=(
        Greater(claim="GRAN: NMT is better than PPDB", left=("GRAN", "NMT"), right=("GRAN", "PPDB")),
        Greater(
            claim="GRAN: NMT is better than PPDB's words",
            left=("GRAN", "NMT"),
            right=("GRAN", "PPDB, words only"),
        ),
        Close(claim="GRAN: NMT is as good as SimpWiki", left=("GRAN", "NMT"), right=("GRAN", "SimpWiki")),
        Close(claim="AVG: NMT is as good as PPDB", left=("AVG", "NMT"), right=("AVG", "PPDB")),
        Close(claim="AVG: NMT is as good as SimpWiki", left=("AVG", "NMT"), right=("AVG", "SimpWiki")),
    ),
    differs=(
        "the paper's NMT figures are means of its ten rows; the rows for PPDB's words and for captions are "
        "not the paper's",
    ),
)
