"""Table 2 of CSE: CSE after phrase pairs and sentence pairs, and GRAN."""

from dataclasses import replace

from ..models.sts.set_lists import SETS_20
from .a_table_3 import GRAN_SYSTEM
from .c_table_5 import COMBINED, GRID, PAPER, TRAINING
from .paper_sets import ROWS_OF_2016, ROWS_WITHOUT_SMT, figures
from .paper_table import Greater, PaperTable, RoleSample, System

_SENTENCES = RoleSample(role="simplification")
_ROWS = (*ROWS_WITHOUT_SMT, "SICK")
_CSE = figures(
    (*ROWS_WITHOUT_SMT, *ROWS_OF_2016, "SICK"),
    """48.6 86.0 49.8 72.6 57.8 63.0 76.3 78.5 51.5 68.8 58.1 77.1 74.6 86.2 84.2 77.7 76.3 73.5 76.7 76.8
    79.8 86.0 78.6 59.3 75.5 82.6 81.4 73.2 74.4 73.0""",
)
_GRAN = figures(
    _ROWS,
    """47.7 85.2 49.3 71.5 58.7 62.5 76.1 81.4 55.6 71.0 55.7 77.1 72.8 85.8 85.1 78.7 75.9 73.1 72.9 78.0
    78.6 85.8 77.7 72.9""",
)


def _cse(name: str, before: RoleSample | None) -> System:
    return System(
        name=name, sets=_CSE, source=_SENTENCES, options=TRAINING[COMBINED], grid=GRID, before=before
    )


TABLE = PaperTable(
    name="c-table-2",
    paper=PAPER,
    number=2,
    title="GRAN and CSE, set by set",
    systems=(
        replace(GRAN_SYSTEM, sets=_GRAN, paper=None),
        _cse("CSE", RoleSample(role="ppdb")),
        _cse("CSE, words of PPDB first", RoleSample(role="ppdb_lexical")),
        _cse("CSE, sentences alone", None),
    ),
    claims=(
        Greater(claim="CSE is better than GRAN", left=("", "CSE"), right=("", "GRAN")),
        Greater(
            claim="CSE after the words of PPDB is better than GRAN",
            left=("", "CSE, words of PPDB first"),
            right=("", "GRAN"),
        ),
    ),
    set_list=SETS_20,
    differs=(
        "the paper's CSE is trained on phrase pairs first, and its row ATT-CCG is of other authors; the two "
        "rows of CSE without phrases are not the paper's, and have its figures for comparison",
    ),
)
