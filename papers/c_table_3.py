"""Table 3 of CSE: supervised training on SICK."""

from .c_table_5 import COMBINED, PAPER, TRAINING
from .encoders import C_WEIGHTS
from .paper_table import Greater, PaperTable, RoleSample, Supervision, System

_PHRASES, _SENTENCES = RoleSample(role="ppdb"), RoleSample(role="simplification")
_UNIVERSAL = Supervision(
    setting="universal", sets="SICK", lambda_words=1e-4, lambda_encoder=1e-5, grid=C_WEIGHTS
)
_OPTIONS = TRAINING[COMBINED]

TABLE = PaperTable(
    name="c-table-3",
    paper=PAPER,
    number=3,
    title="supervised training on SICK (the column r)",
    systems=(
        System(
            name="CSE, random",
            paper=85.58,
            source=_SENTENCES,
            options=_OPTIONS,
            task=Supervision(setting="random", sets="SICK"),
        ),
        System(
            name="CSE, universal",
            paper=86.96,
            source=_SENTENCES,
            options=_OPTIONS,
            before=_PHRASES,
            task=_UNIVERSAL,
        ),
        System(
            name="CSE, universal, sentences alone",
            source=_SENTENCES,
            options=_OPTIONS,
            task=_UNIVERSAL,
        ),
    ),
    claims=(
        Greater(
            claim="a universal encoder is the better start",
            left=("", "CSE, universal"),
            right=("", "CSE, random"),
        ),
        Greater(
            claim="so is one of sentences alone",
            left=("", "CSE, universal, sentences alone"),
            right=("", "CSE, random"),
        ),
    ),
    differs=(
        "the weights of the distances are fixed, unless tuned by `--grid`: 1e-4 for word vectors and 1e-5 "
        "for the filters, as in the authors' code",
        "ρ and the squared error are shown by `paranmt evaluate --kind supervised`",
    ),
)
