"""Table 8 of Revisiting recurrent networks: supervised training that starts from universal encoders."""

from dataclasses import replace
from typing import Any, Literal

from .a_grids import rates
from .encoders import (
    A_AVERAGING_EPOCHS,
    A_UNIVERSAL_WEIGHTS,
    A_WEIGHTS,
    AVG,
    DROPOUT,
    GRAN,
    LSTM_AVG,
    RECURRENT_EPOCHS,
    SCRAMBLE,
)
from .paper_table import Greater, PaperTable, RoleSample, Supervision, System, options

_LAMBDA_WORDS, _LAMBDA_ENCODER = 1e-3, 1e-4
_ENCODERS: dict[str, Any] = {"AVG": AVG, "LSTMAVG": LSTM_AVG, "GRAN": GRAN}
_ROWS: tuple[tuple[str, str, Literal["random", "universal"], float, float], ...] = (
    ("AVG", "dropout", "random", 80.7, 84.5),
    ("AVG", "dropout, universal", "universal", 82.9, 85.6),
    ("LSTMAVG", "dropout, scrambling", "random", 76.5, 84.0),
    ("LSTMAVG", "dropout, scrambling, universal", "universal", 81.3, 85.2),
    ("GRAN", "dropout, scrambling", "random", 81.6, 85.1),
    ("GRAN", "dropout, scrambling, universal", "universal", 82.7, 86.0),
)


def _system(
    encoder: str,
    name: str,
    setting: Literal["random", "universal"],
    sets: Literal["SICK", "STS"],
    paper: float,
) -> System:
    is_average, is_universal = encoder == "AVG", setting == "universal"
    plain = options(_ENCODERS[encoder], epochs=A_AVERAGING_EPOCHS if is_average else RECURRENT_EPOCHS)
    return System(
        name=name,
        group=f"{sets}, {encoder}",
        paper=paper,
        source=RoleSample(role="simplification"),
        options=replace(
            plain,
            encoder=replace(_ENCODERS[encoder], dropout=DROPOUT),
            scramble=0.0 if is_average else SCRAMBLE,
        ),
        grid=() if is_universal else rates(plain, name),
        task=Supervision(
            setting=setting,
            sets=sets,
            lambda_words=_LAMBDA_WORDS if is_universal else 0.0,
            lambda_encoder=_LAMBDA_ENCODER if is_universal and not is_average else 0.0,
            grid=A_UNIVERSAL_WEIGHTS if is_universal else A_WEIGHTS,
        ),
    )


_SYSTEMS = (
    *(_system(encoder, name, setting, "STS", sts) for encoder, name, setting, sts, _ in _ROWS),
    *(_system(encoder, name, setting, "SICK", sick) for encoder, name, setting, _, sick in _ROWS),
)

TABLE = PaperTable(
    name="a-table-8",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=8,
    title="supervised training with and without universal encoders",
    systems=_SYSTEMS,
    claims=tuple(
        Greater(
            claim=f"{plain.group}: a universal encoder is the better start",
            left=universal.key,
            right=plain.key,
        )
        for plain, universal in zip(_SYSTEMS[::2], _SYSTEMS[1::2], strict=True)
    ),
    differs=(
        "in this table the figures of STS are of half of the pairs of each of its sets: 40 % are trained on, "
        "all sets together, and 10 % are the dev part; those of SICK are of its test part alone",
        f"the weights of the distances from a universal encoder are fixed, {_LAMBDA_WORDS} for word vectors "
        f"and {_LAMBDA_ENCODER} for the rest, unless tuned by `--grid`; the universal averages have dropout "
        "too",
        "supervised training has 10 epochs, of which the best on the dev part is taken; rates are fixed, "
        f"unless those of a random start are tuned by `--grid`: dropout {DROPOUT}, scrambling {SCRAMBLE}",
        "the paper's random encoders start from PARAGRAM-SL999 too",
    ),
)
