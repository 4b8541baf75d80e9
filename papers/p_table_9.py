"""Table 9 of ParaNMT-50M: the test part of the STS Benchmark."""

from dataclasses import replace

from . import p_table_7
from .paper_table import PaperTable

# In the order of the systems of table 7.
_FIGURES = (79.2, 79.1, 78.4, 78.8, 79.0, 79.2, 79.2, 79.9, 79.6, 79.9, 79.2)

TABLE = PaperTable(
    name="p-table-9",
    paper=p_table_7.TABLE.paper,
    number=9,
    title="the STS Benchmark",
    systems=tuple(
        replace(system, paper=paper, sets={}, evaluations=("sts",), figure="STSB-test")
        for system, paper in zip(p_table_7.TABLE.systems, _FIGURES, strict=True)
    ),
    claims=p_table_7.TABLE.claims,
    set_list=p_table_7.TABLE.set_list,
    dev_sets=p_table_7.TABLE.dev_sets,
    differs=("the rows of other authors are left out",),
)
