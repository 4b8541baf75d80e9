"""The tables that `paranmt reproduce` knows, by name: those that it trains, and all others of the papers."""

from . import back_translation, cse, infersent, paranmt_50m, recurrent_networks
from .paper_table import OtherTable, PaperTable

_TABLES = (
    recurrent_networks.TABLE_1,
    recurrent_networks.TABLE_2,
    recurrent_networks.TABLE_3,
    recurrent_networks.TABLE_4,
    recurrent_networks.TABLE_5,
    recurrent_networks.TABLE_6,
    recurrent_networks.TABLE_8,
    paranmt_50m.TABLE_3,
    paranmt_50m.TABLE_4,
    paranmt_50m.TABLE_5,
    paranmt_50m.TABLE_7,
    paranmt_50m.TABLE_8,
    paranmt_50m.TABLE_9,
    paranmt_50m.TABLE_10,
    paranmt_50m.TABLE_11,
    paranmt_50m.TABLE_12,
    back_translation.TABLE_4,
    back_translation.TABLE_5,
    back_translation.TABLE_6,
    back_translation.TABLE_7,
    back_translation.TABLE_8,
    back_translation.TABLE_9,
    back_translation.TABLE_10,
    back_translation.TABLE_12,
    back_translation.TABLE_13,
    cse.TABLE_1,
    cse.TABLE_2,
    cse.TABLE_3,
    cse.TABLE_4,
    cse.TABLE_5,
    infersent.TABLE_3,
    infersent.TABLE_4,
    infersent.FIGURE_5,
)
TABLES: dict[str, PaperTable] = {table.name: table for table in _TABLES}

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
    OtherTable(
        "c-table-6",
        "pairs on which CSE or PP errs",
        "paranmt analyse errors CSE PP STS",
    ),
)
OTHERS: dict[str, OtherTable] = {other.name: other for other in _ALL_OTHERS}
"""The tables that other commands compute."""
