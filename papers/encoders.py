"""The encoders that several papers train, and for how many epochs."""

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
P_EPOCHS = 5
"""Of all encoders in ParaNMT."""

AVG = AveragingOptions(dimension=300)
LSTM = LstmOptions(dimension=300)
LSTM_AVG = LstmAveragingOptions(dimension=300)
BILSTM_AVG = BiLstmOptions(dimension=300)
GRAN = GranOptions(dimension=300)
BIGRAN = BiGranOptions(dimension=300)
