"""Table 4 of InferSent: transfer tasks."""

from .encoders import AVG
from .i_table_3 import BILSTM_MAX, PAPER, SNLI, training
from .paper_sets import TRANSFER_TASKS, figures
from .paper_table import Greater, Inference, PaperTable, RoleSample, System

ALL_NLI = RoleSample(role="nli", corpus="AllNLI")
_ON_SNLI, _UNTRAINED = "BiLSTM-Max (on SNLI)", "BiLSTM-Max (untrained)"
_ROWS = (
    ("GloVe BOW", AVG, SNLI, True, "78.7 78.5 91.6 87.6 79.8 83.6 72.1 80.0 78.6"),
    (_UNTRAINED, BILSTM_MAX, SNLI, True, "77.5 81.3 89.6 88.7 80.7 85.8 73.2 86.0 83.4"),
    (_ON_SNLI, BILSTM_MAX, SNLI, False, "79.9 84.6 92.1 89.8 83.3 88.7 75.1 88.5 86.3"),
    ("BiLSTM-Max (on AllNLI)", BILSTM_MAX, ALL_NLI, False, "81.1 86.3 92.4 90.2 84.6 88.2 76.2 88.4 86.3"),
)

TABLE = PaperTable(
    name="i-table-4",
    paper=PAPER,
    number=4,
    title="transfer tasks",
    systems=tuple(
        System(
            name=name,
            sets=figures(TRANSFER_TASKS, by_task),
            source=source,
            options=training(encoder),
            task=Inference(is_frozen=is_frozen),
            evaluations=("transfer",),
            figure="mean accuracy",
        )
        for name, encoder, source, is_frozen, by_task in _ROWS
    ),
    claims=tuple(
        Greater(claim=f"{_ON_SNLI} is better than {other}", left=("", _ON_SNLI), right=("", other))
        for other in ("GloVe BOW", _UNTRAINED)
    ),
    differs=(
        "the paper has no mean accuracy, and its rows of other data and other authors are left out; GloVe "
        "BOW is the mean of the given word vectors",
        "the corpus AllNLI of the data has the examples of SNLI and MultiNLI; STS 2014 is left out",
        "the paper trains from GloVe's 840B vectors of 300 dimensions, with which the BiLSTM has 4,096",
        "the regressions are fitted exactly, where the paper has Adam",
    ),
)
