"""Table 4 of CSE: phrase pairs, sentence pairs, and one after the other."""

from .c_table_5 import COMBINED, PAPER, TRAINING
from .paper_table import Greater, PaperTable, RoleSample, System

_PHRASES = RoleSample(role="ppdb")

TABLE = PaperTable(
    name="c-table-4",
    paper=PAPER,
    number=4,
    title="phrase pairs, sentence pairs, and both in turn",
    systems=(
        System(name="phrase", paper=67.1, source=_PHRASES, options=TRAINING[COMBINED]),
        System(
            name="sentence",
            paper=70.4,
            source=RoleSample(role="simplification"),
            options=TRAINING[COMBINED],
        ),
        System(
            name="cumulative",
            paper=71.7,
            source=RoleSample(role="simplification"),
            options=TRAINING[COMBINED],
            before=_PHRASES,
        ),
    ),
    claims=(
        Greater(claim="sentences are better than phrases", left=("", "sentence"), right=("", "phrase")),
        Greater(claim="both in turn are better still", left=("", "cumulative"), right=("", "sentence")),
    ),
    differs=("the paper's figures are means of its four years' averages",),
)
