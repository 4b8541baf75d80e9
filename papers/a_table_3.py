"""Table 3 of Revisiting recurrent networks: the variants of GRAN."""

from dataclasses import replace

from .a_grids import grid_of_regularisation, oracles
from .encoders import BIGRAN, BOTH, DROPOUT, GRAN, RECURRENT_EPOCHS, SCRAMBLE
from .paper_table import Close, Greater, PaperTable, RoleSample, System, options

_SOURCE = RoleSample(role="simplification")
_PLAIN = options(GRAN, epochs=RECURRENT_EPOCHS)
_REGULARISED = (
    ("GRAN", 68.9, GRAN),
    ("GRAN-2", 68.1, replace(GRAN, variant=2)),
    ("GRAN-3", 67.2, replace(GRAN, variant=3)),
    ("GRAN-4", 68.1, replace(GRAN, variant=4)),
    ("GRAN-5", 64.8, replace(GRAN, variant=5)),
    ("BiGRAN", 68.4, BIGRAN),
)

_SYSTEMS = tuple(
    System(
        name=name,
        paper=paper,
        source=_SOURCE,
        options=replace(plain, encoder=replace(encoder, dropout=DROPOUT), scramble=SCRAMBLE),
        grid=grid_of_regularisation(plain, BOTH, **directions),
    )
    for name, paper, encoder in _REGULARISED
    for plain in (options(encoder, epochs=RECURRENT_EPOCHS),)
    for directions in ({"combine": ("add", "tanh")} if encoder is BIGRAN else {},)
)
GRAN_SYSTEM = _SYSTEMS[0]
"""The best of them."""

_ALL = (
    System(
        name="GRAN (no reg.)",
        paper=68.0,
        source=_SOURCE,
        options=_PLAIN,
        grid=grid_of_regularisation(_PLAIN, "none"),
    ),
    *_SYSTEMS,
)
_ORACLES = (68.0, 69.5, 68.8, 69.0, 68.6, 66.1, 69.7)

TABLE = PaperTable(
    name="a-table-3",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=3,
    title="the variants of GRAN (the columns STS 2016 and Oracle)",
    systems=(*_ALL, *oracles(_ALL, _ORACLES)),
    claims=(
        Greater(claim="regularisation helps GRAN", left=("", "GRAN"), right=("", "GRAN (no reg.)")),
        Greater(claim="GRAN is better than GRAN-2", left=("", "GRAN"), right=("", "GRAN-2")),
        Close(claim="GRAN-2 is as good as GRAN-4", left=("", "GRAN-2"), right=("", "GRAN-4")),
        Greater(claim="GRAN-4 is better than GRAN-3", left=("", "GRAN-4"), right=("", "GRAN-3")),
        Greater(claim="GRAN-3 is better than GRAN-5", left=("", "GRAN-3"), right=("", "GRAN-5")),
        Close(claim="BiGRAN is as good as GRAN", left=("", "BiGRAN"), right=("", "GRAN")),
    ),
    differs=(
        f"rates are fixed, unless tuned by `--grid`: dropout {DROPOUT}, scrambling {SCRAMBLE}; both "
        "directions are added; without it there are no rows of the oracle",
    ),
)
