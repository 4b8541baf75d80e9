"""The tables that `paranmt reproduce` knows, by name: those that it trains, and all others of the papers."""

from . import (
    a_table_1,
    a_table_2,
    a_table_3,
    a_table_4,
    a_table_5,
    a_table_6,
    a_table_8,
    c_table_1,
    c_table_2,
    c_table_3,
    c_table_4,
    c_table_5,
    e_table_4,
    e_table_5,
    e_table_6,
    e_table_7,
    e_table_12,
    e_table_13,
    p_table_3,
    p_table_4,
    p_table_5,
    p_table_7,
)
from .paper_table import OtherTable, PaperTable

_MODULES = (
    a_table_1,
    a_table_2,
    a_table_3,
    a_table_4,
    a_table_5,
    a_table_6,
    a_table_8,
    p_table_3,
    p_table_4,
    p_table_5,
    p_table_7,
    e_table_4,
    e_table_5,
    e_table_6,
    e_table_7,
    e_table_12,
    e_table_13,
    c_table_1,
    c_table_2,
    c_table_3,
    c_table_4,
    c_table_5,
)
TABLES: dict[str, PaperTable] = {module.TABLE.name: module.TABLE for module in _MODULES}

_ALL_OTHERS = (
    OtherTable(
        "a-table-7",
        "pairs on which two encoders differ most",
        "`paranmt analyse disagreements` on two encoders",
    ),
    OtherTable(
        "p-table-2",
        "statistics of parallel corpora",
        "`paranmt stats` on the pairs of each corpus; entropy of parses needs parses",
    ),
    OtherTable(
        "p-table-6",
        "negatives of mega-batches of different sizes",
        "examples of the paper; `train` with each `mega_batch`, then `paranmt evaluate --kind retrieval`",
    ),
    OtherTable(
        "p-table-8", "transfer tasks", "`paranmt evaluate --kind transfer` on each encoder of a recipe"
    ),
    OtherTable("p-table-9", "the STS Benchmark", "`paranmt evaluate` on stsbenchmark with each encoder"),
    OtherTable("p-table-10", "differences between models", "`paranmt evaluate` with several encoders"),
    OtherTable(
        "p-table-11", "differences from InferSent", "`paranmt evaluate` with the encoder and InferSent's"
    ),
    OtherTable(
        "p-table-12", "the STS Benchmark with and without captions", "`paranmt evaluate --kind supervised`"
    ),
    OtherTable(
        "e-table-8", "accuracy of classifiers of references and translations", "see docs/statistics.md"
    ),
    OtherTable("e-table-9", "entropy and repetition of references and translations", "`paranmt stats`"),
    OtherTable("e-table-10", "what the classifier's probability correlates with", "`paranmt stats`"),
    OtherTable("i-table-3", "encoders trained on SNLI", "`train` with objective nli, then `--kind transfer`"),
    OtherTable("i-table-4", "transfer tasks", "`paranmt evaluate --kind transfer` on each encoder"),
    OtherTable(
        "i-figure-5", "transfer by the dimension of the encoder", "as i-table-3, with other dimensions"
    ),
    OtherTable(
        "c-table-6", "pairs on which CSE and PP err", "`paranmt analyse disagreements` on two encoders"
    ),
)
OTHERS: dict[str, OtherTable] = {other.name: other for other in _ALL_OTHERS}
"""The tables that other commands compute."""
