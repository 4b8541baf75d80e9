"""The tables that `paranmt reproduce` knows, by name."""

from . import (
    a_table_1,
    a_table_2,
    a_table_3,
    a_table_8,
    c_table_4,
    c_table_5,
    e_table_4,
    e_table_5,
    p_table_5,
)
from .paper_table import PaperTable

_MODULES = (a_table_1, a_table_2, a_table_3, a_table_8, p_table_5, e_table_4, e_table_5, c_table_4, c_table_5)
TABLES: dict[str, PaperTable] = {module.TABLE.name: module.TABLE for module in _MODULES}
