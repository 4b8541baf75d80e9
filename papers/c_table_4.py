"""Table 4 of CSE: phrase pairs, sentence pairs, and one after the other."""

from collections.abc import Mapping

from ..models.sts.set_lists import SETS_19
from .c_table_5 import COMBINED, PAPER, TRAINING
from .paper_sets import figures
from .paper_table import Greater, PaperTable, RoleSample, System

_PHRASES = RoleSample(role="ppdb")


def _by_year(values: str) -> Mapping[str, float]:
    return figures(("2012", "2013", "2014", "2015"), values)


TABLE = PaperTable(
    name="c-table-4",
    paper=PAPER,
    number=4,
    title="phrase pairs, sentence pairs, and both in turn",
    systems=(
        System(
            name="phrase",
            paper=68.3,
            sets=_by_year("63.3 58.6 72.1 74.5"),
            source=_PHRASES,
            options=TRAINING[COMBINED],
        ),
        System(
            name="sentence",
            paper=71.0,
            sets=_by_year("62.0 67.3 75.0 77.4"),
            source=RoleSample(role="simplification"),
            options=TRAINING[COMBINED],
        ),
        System(
            name="cumulative",
            paper=72.2,
            sets=_by_year("63.0 68.8 76.3 78.6"),
            source=RoleSample(role="simplification"),
            options=TRAINING[COMBINED],
            before=_PHRASES,
        ),
    ),
    claims=(
        Greater(claim="sentences are better than phrases", left=("", "sentence"), right=("", "phrase")),
        Greater(claim="both in turn are better still", left=("", "cumulative"), right=("", "sentence")),
    ),
    set_list=SETS_19,
    differs=(
        "the paper has the years' averages alone; its means over the sets here are those that follow from "
        "these",
    ),
)
