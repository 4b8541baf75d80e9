"""Table 5 of the paper on back-translated bitext: the length of the translations."""

from .e_tuned import PAPER, TRAINING
from .paper_table import Greater, PaperTable, RoleSample, System

_RANGES = ((0, 10), (10, 20), (20, 30), (30, 100))
_DATA = (
    ("SimpWiki", "simplification", {"GRAN": (67.4, 67.7, 67.1, 67.3), "AVG": (65.9, 65.7, 65.6, 65.9)}),
    ("NMT", "translations", {"GRAN": (66.6, 66.5, 66.0, 64.8), "AVG": (65.7, 65.6, 65.3, 65.0)}),
)

TABLE = PaperTable(
    name="e-table-5",
    paper=PAPER,
    number=5,
    title="the length of the second side in tokens",
    systems=tuple(
        System(
            name=f"{low}–{high}",
            group=f"{data}, {encoder}",
            paper=paper,
            source=RoleSample(role=role, where=f"translation_length between {low} and {high}"),
            options=training,
            stops=True,
        )
        for data, role, figures in reversed(_DATA)
        for encoder, training in TRAINING.items()
        for (low, high), paper in zip(_RANGES, figures[encoder], strict=True)
    ),
    claims=tuple(
        Greater(
            claim=f"NMT, {encoder}: the {better} tokens are better than {worse}",
            left=(f"NMT, {encoder}", better),
            right=(f"NMT, {encoder}", worse),
        )
        for encoder in TRAINING
        for better, worse in (("0–10", "20–30"), ("0–10", "30–100"))
    ),
)
