"""Table 6 of Revisiting recurrent networks: supervised training and the variants of GRAN."""

from dataclasses import replace
from typing import Literal

from .a_table_5 import DIFFERS, SETS, supervised
from .encoders import BOTH, GRAN
from .paper_table import Greater, PaperTable

_FIGURES = {
    "STS": (81.6, 77.4, 81.3, 80.1, 70.9),
    "SICK": (85.3, 85.1, 85.4, 85.5, 83.0),
}
_VARIANTS: tuple[Literal[1, 2, 3, 4, 5], ...] = (1, 2, 3, 4, 5)
_NAMES = ("GRAN", "GRAN-2", "GRAN-3", "GRAN-4", "GRAN-5")

TABLE = PaperTable(
    name="a-table-6",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=6,
    title="supervised training and the variants of GRAN",
    systems=tuple(
        supervised(sets, "", name, BOTH, paper, replace(GRAN, variant=variant))
        for sets in SETS
        for variant, name, paper in zip(_VARIANTS, _NAMES, _FIGURES[sets], strict=True)
    ),
    claims=(
        Greater(claim="STS: GRAN is better than GRAN-2", left=("STS", "GRAN"), right=("STS", "GRAN-2")),
        *(
            Greater(claim=f"{sets}: GRAN is better than GRAN-5", left=(sets, "GRAN"), right=(sets, "GRAN-5"))
            for sets in SETS
        ),
    ),
    differs=DIFFERS,
)
