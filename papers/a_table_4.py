"""Table 4 of Revisiting recurrent networks: the results on each set."""

import itertools
from dataclasses import replace

from .a_table_2 import AVG_SYSTEM, LSTM_AVG_SYSTEM
from .a_table_3 import GRAN_SYSTEM
from .paper_sets import YEARS_WITH_SMT, figures
from .paper_table import Distance, Greater, PaperTable

_ROWS = (*YEARS_WITH_SMT, "SICK", "Twitter")
_COLUMNS = {
    "LSTMAVG": """49.0 84.3 51.2 71.5 68.0 64.8 77.3 81.2 53.2 40.7 63.1 56.6 78.0 74.5 84.7 84.9 76.3 75.8
        71.8 71.1 75.3 79.5 85.8 76.7 71.3 52.1""",
    "AVG": """45.9 85.1 47.5 71.2 58.2 61.6 76.9 72.8 50.2 38.0 59.4 55.6 78.5 75.1 85.6 81.4 78.7 75.8
        70.6 75.8 76.8 80.3 86.0 77.9 72.4 52.1""",
    "GRAN": """47.7 85.2 49.3 71.5 58.7 62.5 76.1 81.4 55.6 40.3 63.4 55.7 77.1 72.8 85.8 85.1 78.7 75.9
        73.1 72.9 78.0 78.6 85.8 77.7 72.9 50.2""",
}
_SYSTEMS = (LSTM_AVG_SYSTEM, AVG_SYSTEM, GRAN_SYSTEM)

TABLE = PaperTable(
    name="a-table-4",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=4,
    title="the results on each set",
    systems=tuple(
        replace(system, name=name, group="", sets=figures(_ROWS, column))
        for system, (name, column) in zip(_SYSTEMS, _COLUMNS.items(), strict=True)
    ),
    claims=(
        Greater(claim="GRAN is better than AVG", left=("", "GRAN"), right=("", "AVG")),
        Greater(claim="GRAN is better than LSTMAVG", left=("", "GRAN"), right=("", "LSTMAVG")),
    ),
    distances=tuple(
        Distance(left=("", left), right=("", right)) for left, right in itertools.combinations(_COLUMNS, 2)
    ),
    differs=("the encoders are the best ones of tables 2 and 3, with fixed rates, unless tuned by `--grid`",),
)
