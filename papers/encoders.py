"""The encoders and the number of epochs of the papers' trainings."""

import itertools

from ..models.encoders.encoder_kinds import (
    AveragingOptions,
    BiGranOptions,
    BiLstmOptions,
    GranOptions,
    LstmAveragingOptions,
    LstmOptions,
)

RECURRENT_EPOCHS = 3
"""Of recurrent encoders in Revisiting recurrent networks and the paper on back-translated bitext."""
A_AVERAGING_EPOCHS, E_AVERAGING_EPOCHS = 7, 20
"""Of averages in these two papers."""
P_EPOCHS, C_EPOCHS = 5, 10
"""Of all encoders in ParaNMT and in CSE."""

AVG = AveragingOptions(dimension=300)
LSTM = LstmOptions(dimension=300)
LSTM_AVG = LstmAveragingOptions(dimension=300)
BILSTM_AVG = BiLstmOptions(dimension=300)
GRAN = GranOptions(dimension=300)
BIGRAN = BiGranOptions(dimension=300)

DROPOUT = 0.4
WORD_DROPOUT = 0.2
SCRAMBLE = 0.5
"""The rates that the code of Revisiting recurrent networks names as the best of most encoders."""
BOTH = "dropout, scrambling"
"""What the rows of its tables call both."""
A_MARGINS = (0.4, 0.6, 0.8)
A_GRID = {
    "lambda_words": (0.0, 1e-5),
    "dropout": (0.2, 0.4, 0.6),
    "word_dropout": (0.2, 0.4, 0.6),
    "scramble": (0.25, 0.5, 0.75),
    "lambda_encoder": (1e-3, 1e-4, 1e-5, 1e-6),
}
"""The choices of Revisiting recurrent networks, sections 4.1 and 4.2, for regularised encoders."""

A_WEIGHTS = tuple((weight, 0.0) for weight in A_GRID["lambda_words"])
_POWERS = tuple(10.0**power for power in range(1, -9, -1))
A_UNIVERSAL_WEIGHTS = tuple(itertools.product((*_POWERS, 0.0), (*_POWERS[:-2], 0.0)))
C_HEADS = tuple(itertools.product((32, 64, 128, 256), (5e-6, 5e-7, 5e-8, 0.0)))
"""Batches, and halves of the weights of the head's penalty, in supervised training of CSE (section 4.2)."""
C_WEIGHTS = tuple(itertools.product((1e-4, 1e-5, 1e-6), (1e-5, 1e-6, 1e-7, 0.0)))
"""The weights of word vectors and of the rest in supervised training, at random and universal, and in CSE."""

P_SCRAMBLE = 0.3
"""That of ParaNMT."""


def dropout_rates(regularisation: str) -> dict[str, float]:
    """The rates of an encoder by the name of a row in Revisiting recurrent networks.

    >>> dropout_rates("word dropout"), dropout_rates("dropout, scrambling"), dropout_rates("none")
    ({'word_dropout': 0.2}, {'dropout': 0.4}, {})
    """
    if "word dropout" in regularisation:
        return {"word_dropout": WORD_DROPOUT}
    return {"dropout": DROPOUT} if "dropout" in regularisation else {}
