"""Table 4 of InferSent: transfer tasks."""

from ..models.encoders.encoder_kinds import PositionalOptions
from .encoders import AVG
from .i_table_3 import BILSTM_MAX, PAPER, SNLI, training
from .paper_sets import TRANSFER_TASKS, figures
from .paper_table import Greater, Inference, PaperTable, RoleSample, System

ALL_NLI = RoleSample(role="nli", corpus="AllNLI")
_ON_SNLI, _UNTRAINED = "BiLSTM-Max (on SNLI)", "BiLSTM-Max (untrained)"
# The means of word vectors have no tags, which would be two random vectors in each mean.
_BOW, _POSITIONAL = training(AVG, "none"), training(PositionalOptions(dimension=300), "none")
_BILSTM = training(BILSTM_MAX)
_ROWS = (
    ("GloVe BOW", _BOW, SNLI, True, "78.7 78.5 91.6 87.6 79.8 83.6 72.1 80.0 78.6"),
    (
        "GloVe Positional Encoding",
        _POSITIONAL,
        SNLI,
        True,
        "78.3 77.4 91.1 87.1 80.6 83.3 72.5 79.9 77.9",
    ),
    (_UNTRAINED, _BILSTM, SNLI, True, "77.5 81.3 89.6 88.7 80.7 85.8 73.2 86.0 83.4"),
    (_ON_SNLI, _BILSTM, SNLI, False, "79.9 84.6 92.1 89.8 83.3 88.7 75.1 88.5 86.3"),
    ("BiLSTM-Max (on AllNLI)", _BILSTM, ALL_NLI, False, "81.1 86.3 92.4 90.2 84.6 88.2 76.2 88.4 86.3"),
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
            options=options,
            task=Inference(is_frozen=is_frozen),
            evaluations=("transfer",),
            figure="mean accuracy",
        )
        for name, options, source, is_frozen, by_task in _ROWS
    ),
    claims=tuple(
        Greater(claim=f"{_ON_SNLI} is better than {other}", left=("", _ON_SNLI), right=("", other))
        for other in ("GloVe BOW", _UNTRAINED)
    ),
    differs=(
        "the paper has no mean accuracy, and its rows of other authors and of a BiLSTM trained on SST are "
        "left out; the rows of GloVe are means of the given word vectors, whichever they are",
        "the corpus AllNLI of the data has the examples of SNLI and MultiNLI; STS 2014 is left out",
        "the paper trains from GloVe's 840B vectors of 300 dimensions, with which the BiLSTM has 4,096",
    ),
)
