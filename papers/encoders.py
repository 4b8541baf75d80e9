"""The encoders and the number of epochs of the papers' trainings."""

from ..models.encoders.encoder_kinds import (
    AveragingOptions,
    BiGranOptions,
    BiLstmOptions,
    GranOptions,
    LstmAveragingOptions,
    LstmOptions,
)

AVERAGING_EPOCHS = 8
RECURRENT_EPOCHS = 3

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
