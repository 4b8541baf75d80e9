"""Table 10 of ParaNMT-50M: how far its models are apart, set by set."""

import itertools

from . import p_table_7
from .p_table_3 import TRAINING
from .paper_table import Distance, PaperTable

_FIGURES = (2.75, 2.17, 2.89)

TABLE = PaperTable(
    name="p-table-10",
    paper=p_table_7.TABLE.paper,
    number=10,
    title="how far the models are apart, set by set",
    systems=tuple(system for system in p_table_7.TABLE.systems if system.name in TRAINING),
    claims=(),
    distances=tuple(
        Distance(left=("", left), right=("", right), paper=paper)
        for (left, right), paper in zip(itertools.combinations(TRAINING, 2), _FIGURES, strict=True)
    ),
    set_list=p_table_7.TABLE.set_list,
    dev_sets=p_table_7.TABLE.dev_sets,
)
