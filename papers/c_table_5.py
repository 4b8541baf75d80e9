"""Table 5 of CSE: the width of the windows."""

from ..models.encoders.encoder_kinds import CseOptions
from ..models.sts.set_lists import SETS_19
from .encoders import C_EPOCHS
from .paper_table import Close, Greater, PaperTable, RoleSample, System, grid, options

PAPER = "CSE (COLING 2018)"
COMBINED = "combined"
_WIDTHS = {f"{n}-gram": CseOptions(dimension=300, widths=(n,), filters=300) for n in (1, 2, 3, 4)}
_ENCODERS = {**_WIDTHS, COMBINED: CseOptions(dimension=300, widths=(1, 2, 3), filters=100)}
# Footnote 4: δ 0.6, λw 1e-6, λc 0 and batches of 100.
TRAINING = {
    name: options(encoder, epochs=C_EPOCHS, margin=0.6, lambda_words=1e-6, embedding_updates="dense")
    for name, encoder in _ENCODERS.items()
}
GRID = grid(
    TRAINING[COMBINED],
    margin=(0.4, 0.6, 0.8),
    lambda_words=(1e-4, 1e-5, 1e-6),
    lambda_encoder=(1e-5, 1e-6, 1e-7, 0.0),
    batch=(32, 64, 128, 256),
)
"""The choices of section 4.1; this table has none."""
_FIGURES = (70.13, 69.29, 69.28, 69.04, 70.40)

TABLE = PaperTable(
    name="c-table-5",
    paper=PAPER,
    number=5,
    title="the widths of the windows (the row Total Average)",
    systems=tuple(
        System(name=name, paper=paper, source=RoleSample(role="simplification"), options=training)
        for (name, training), paper in zip(TRAINING.items(), _FIGURES, strict=True)
    ),
    claims=(
        Greater(claim="1-grams are better than 2-grams", left=("", "1-gram"), right=("", "2-gram")),
        Close(claim="2-grams are as good as 3-grams", left=("", "2-gram"), right=("", "3-gram")),
        Greater(claim="3-grams are better than 4-grams", left=("", "3-gram"), right=("", "4-gram")),
        Greater(claim="all widths are better than 1-grams", left=("", COMBINED), right=("", "1-gram")),
    ),
    set_list=SETS_19,
)
