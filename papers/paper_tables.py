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
    e_table_8,
    e_table_12,
    e_table_13,
    i_figure_5,
    i_table_3,
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
    e_table_8,
    e_table_12,
    e_table_13,
    c_table_1,
    c_table_2,
    c_table_3,
    c_table_4,
    c_table_5,
    i_table_3,
    i_figure_5,
)
TABLES: dict[str, PaperTable] = {module.TABLE.name: module.TABLE for module in _MODULES}

_ALL_OTHERS = (
    OtherTable(
        "a-table-7",
        "pairs on which one of two encoders errs",
        "paranmt analyse errors LSTMAVG AVG STS",
    ),
    OtherTable(
        "p-table-2",
        "statistics of parallel corpora",
        "paranmt stats RELEASE --parses PARSES, for each corpus",
    ),
    OtherTable(
        "p-table-6",
        "negatives in mega-batches of different sizes",
        "paranmt analyse negatives ENCODER PAIRS",
    ),
    OtherTable("p-table-8", "transfer tasks", "paranmt evaluate ENCODER SENTEVAL --kind transfer"),
    OtherTable("p-table-9", "the STS Benchmark", "paranmt evaluate ENCODER STSBENCHMARK"),
    OtherTable(
        "p-table-10",
        "differences between models, set by set",
        "paranmt evaluate WORDS TRIGRAMS LSTM STS",
    ),
    OtherTable(
        "p-table-11",
        "differences from InferSent, set by set",
        "paranmt evaluate TRIGRAM-WORD INFERSENT STS",
    ),
    OtherTable(
        "p-table-12",
        "the STS Benchmark with and without captions",
        "paranmt evaluate ENCODER STSBENCHMARK (--kind supervised for the columns Tr.)",
    ),
    OtherTable(
        "e-table-9",
        "entropy and repetition of references and translations",
        "paranmt stats RELEASE",
    ),
    OtherTable(
        "e-table-10",
        "what the classifier's probability correlates with",
        "paranmt stats RELEASE, with the score reference_probability",
    ),
    OtherTable("i-table-4", "transfer tasks", "paranmt evaluate ENCODER SENTEVAL --kind transfer"),
    OtherTable(
        "c-table-6",
        "pairs on which CSE or PP errs",
        "paranmt analyse errors CSE PP STS",
    ),
)
OTHERS: dict[str, OtherTable] = {other.name: other for other in _ALL_OTHERS}
"""The tables that other commands compute."""
