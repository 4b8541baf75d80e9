"""Table 11 of ParaNMT-50M: the difference from InferSent on all sets and on captions."""

from dataclasses import replace

from . import p_table_7
from .p_table_12 import INFERSENT, INFERSENT_DIFFERS, TRIGRAM_WORD
from .paper_table import Greater, PaperTable

# For each row the set, and the differences from InferSent trained on AllNLI and on SNLI.
_ROWS = {
    "mean": ("", (10.5, 12.5)),
    "MSRvid 2012": ("MSRvid 2012", (5.2, 4.6)),
    "images 2014": ("images 2014", (6.4, 4.8)),
    "images 2015": ("images 2015", (3.6, 3.0)),
}

TABLE = PaperTable(
    name="p-table-11",
    paper=p_table_7.TABLE.paper,
    number=11,
    title="differences from InferSent on all sets and on captions",
    systems=tuple(
        replace(system, group=group, sets={}, figure=figure)
        for group, (figure, _) in _ROWS.items()
        for system in (*INFERSENT, TRIGRAM_WORD)
    ),
    claims=tuple(
        Greater(
            claim=f"{group}: {TRIGRAM_WORD.name} is better than {other.name}",
            left=(group, TRIGRAM_WORD.name),
            right=(group, other.name),
            paper=paper,
        )
        for group, (_, differences) in _ROWS.items()
        for other, paper in zip(INFERSENT, differences, strict=True)
    ),
    set_list=p_table_7.TABLE.set_list,
    dev_sets=p_table_7.TABLE.dev_sets,
    differs=(
        "single sets have no interval over the items",
        INFERSENT_DIFFERS,
    ),
)
