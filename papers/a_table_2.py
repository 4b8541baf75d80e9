"""Table 2 of Revisiting recurrent networks: what regularisation does to each encoder."""

from dataclasses import replace
from typing import Any

from .a_grids import grid_of_regularisation, oracles
from .encoders import (
    A_AVERAGING_EPOCHS,
    AVG,
    BILSTM_AVG,
    BOTH,
    DROPOUT,
    LSTM,
    LSTM_AVG,
    RECURRENT_EPOCHS,
    SCRAMBLE,
    WORD_DROPOUT,
    dropout_rates,
)
from .paper_table import Close, Greater, PaperTable, RoleSample, System, options

_L2 = 1e-5


def _system(group: str, name: str, paper: float, encoder: Any, **changes: Any) -> System:
    epochs = A_AVERAGING_EPOCHS if group == "AVG" else RECURRENT_EPOCHS
    plain = options(encoder, epochs=epochs)
    if "scrambling" in name:
        changes["scramble"] = SCRAMBLE
    directions: dict[str, Any] = {"combine": ("add", "tanh")} if group == "BiLSTMAVG" else {}
    return System(
        name=name,
        group=group,
        paper=paper,
        source=RoleSample(role="simplification"),
        options=replace(plain, encoder=replace(encoder, **dropout_rates(name)), **changes),
        grid=grid_of_regularisation(plain, name, **directions),
    )


AVG_SYSTEM = _system("AVG", "none", 68.4, AVG)
LSTM_AVG_SYSTEM = _system("LSTMAVG", BOTH, 68.6, LSTM_AVG)
"""The best of their groups."""

_SYSTEMS = (
    AVG_SYSTEM,
    _system("AVG", "dropout", 68.3, AVG),
    _system("AVG", "word dropout", 68.3, AVG),
    _system("LSTM", "none", 59.3, LSTM),
    _system("LSTM", "L2", 56.5, LSTM, lambda_encoder=_L2),
    _system("LSTM", "dropout", 55.3, LSTM),
    _system("LSTM", "word dropout", 65.3, LSTM),
    _system("LSTM", "scrambling", 65.1, LSTM),
    _system("LSTM", BOTH, 68.4, LSTM),
    _system("LSTMAVG", "none", 67.5, LSTM_AVG),
    LSTM_AVG_SYSTEM,
    _system("BiLSTMAVG", BOTH, 68.7, BILSTM_AVG),
)
_ORACLES = (68.5, 68.4, 68.3, 60.6, 60.3, 58.1, 66.2, 66.3, 68.4, 67.7, 69.2, 69.4)

TABLE = PaperTable(
    name="a-table-2",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=2,
    title="regularisation of AVG and of the LSTMs (the columns 2016 STS and Oracle)",
    systems=(*_SYSTEMS, *oracles(_SYSTEMS, _ORACLES)),
    claims=(
        Greater(claim="scrambling helps the LSTM", left=("LSTM", "scrambling"), right=("LSTM", "none")),
        Greater(claim="word dropout helps the LSTM", left=("LSTM", "word dropout"), right=("LSTM", "none")),
        Greater(claim="dropout alone hurts the LSTM", left=("LSTM", "none"), right=("LSTM", "dropout")),
        Greater(
            claim="with scrambling, dropout helps the LSTM",
            left=("LSTM", BOTH),
            right=("LSTM", "scrambling"),
        ),
        Greater(claim="averaging helps the LSTM", left=("LSTMAVG", "none"), right=("LSTM", "none")),
        Close(claim="dropout does not help AVG", left=("AVG", "dropout"), right=("AVG", "none")),
        Close(claim="word dropout does not help AVG", left=("AVG", "word dropout"), right=("AVG", "none")),
        Close(claim="the regularised LSTM is as good as AVG", left=("LSTM", BOTH), right=("AVG", "none")),
    ),
    differs=(
        f"rates are fixed, unless tuned by `--grid`: dropout {DROPOUT}, word dropout {WORD_DROPOUT}, "
        f"scrambling {SCRAMBLE}, L2 {_L2:g}; both directions are added; without it "
        "there are no rows of the oracle",
    ),
)
