"""Table 1 of CSE: averages and CSE on the phrase pairs of PPDB."""

from ..models.sts.set_lists import SETS_20
from .c_table_5 import COMBINED, GRID, PAPER, TRAINING
from .encoders import AVG, C_EPOCHS
from .paper_sets import ROWS_WITHOUT_SMT, figures
from .paper_table import Greater, PaperTable, RoleSample, System, options

_SOURCE = RoleSample(role="ppdb")
_ROWS = (*ROWS_WITHOUT_SMT, "SICK")

TABLE = PaperTable(
    name="c-table-1",
    paper=PAPER,
    number=1,
    title="averages and CSE on phrase pairs, set by set",
    systems=(
        System(
            name="PP",
            paper=67.7,
            sets=figures(
                _ROWS,
                """42.6 74.5 47.3 70.6 58.4 58.7 72.4 67.7 43.9 61.3 48.7 73.1 69.7 78.5 78.8 76.4 70.9
                68.3 78.2 76.2 74.8 81.4 75.8 71.6""",
            ),
            source=_SOURCE,
            options=options(AVG, epochs=C_EPOCHS),
        ),
        System(
            name="CSE",
            paper=68.5,
            sets=figures(
                _ROWS,
                """51.6 79.8 50.7 69.9 64.4 63.3 74.0 72.1 29.8 58.6 56.1 70.0 70.9 81.6 79.2 74.6 72.1
                66.2 78.4 68.5 76.5 82.9 74.5 71.9""",
            ),
            source=_SOURCE,
            options=TRAINING[COMBINED],
            grid=GRID,
        ),
    ),
    claims=(Greater(claim="CSE is better than PP", left=("", "CSE"), right=("", "PP")),),
    set_list=SETS_20,
    differs=(
        "the paper's PP are the vectors of Wieting et al. 2016; its CSE is the median of five runs, which is "
        "ours in the column median",
    ),
)
