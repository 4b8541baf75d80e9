"""Table 5 of Revisiting recurrent networks: supervised training and regularisation."""

from dataclasses import replace
from typing import Any, Literal

from .a_grids import rates
from .encoders import (
    A_AVERAGING_EPOCHS,
    A_WEIGHTS,
    AVG,
    BOTH,
    DROPOUT,
    GRAN,
    LSTM,
    LSTM_AVG,
    RECURRENT_EPOCHS,
    SCRAMBLE,
    WORD_DROPOUT,
    dropout_rates,
)
from .paper_table import Close, Greater, PaperTable, RoleSample, Supervision, System, options

_NAMES = ("none", "dropout", "word dropout", "scrambling", BOTH)
# For each encoder the figures of STS, then those of SICK.
_FIGURES: dict[str, tuple[Any, tuple[float, ...], tuple[float, ...]]] = {
    "AVG": (AVG, (79.2, 80.7, 79.3), (85.2, 84.5, 81.8)),
    "LSTM": (LSTM, (68.4, 69.6, 68.0, 74.2, 75.0), (80.9, 81.3, 76.4, 84.4, 84.2)),
    "LSTMAVG": (LSTM_AVG, (69.0, 69.2, 65.6, 76.5, 76.5), (79.5, 79.4, 76.1, 83.2, 84.0)),
    "GRAN": (GRAN, (79.7, 79.7, 77.3, 81.4, 81.6), (85.2, 84.6, 83.0, 85.3, 85.1)),
}
SETS: tuple[Literal["STS", "SICK"], ...] = ("STS", "SICK")


def supervised(
    sets: Literal["STS", "SICK"], group: str, name: str, regularisation: str, paper: float, encoder: Any
) -> System:
    """A system that is trained on people's scores from a random start, with some of the regularisations."""
    plain = options(encoder, epochs=A_AVERAGING_EPOCHS if group == "AVG" else RECURRENT_EPOCHS)
    choices = rates(plain, regularisation)
    return System(
        name=name,
        group=f"{sets}, {group}" if group else sets,
        paper=paper,
        source=RoleSample(role="simplification"),
        options=replace(
            plain,
            encoder=replace(encoder, **dropout_rates(regularisation)),
            scramble=SCRAMBLE if "scrambling" in regularisation else 0.0,
        ),
        grid=choices if len(choices) > 1 else (),
        task=Supervision(setting="random", sets=sets, grid=A_WEIGHTS),
    )


DIFFERS = (
    "the figures of STS are of half of the pairs of each of its sets: 40 % are trained on, all sets "
    "together, and 10 % are the dev part; those of SICK are of its test part alone",
    f"rates are fixed, unless tuned on the dev part by `--grid`: dropout {DROPOUT}, word dropout "
    f"{WORD_DROPOUT}, scrambling {SCRAMBLE}; word vectors are not drawn to their start, unless by `--grid`; "
    "training has 10 epochs, of which the best on the dev part is taken; the paper's column Avg. is the mean "
    "of the two others",
    "the vocabulary is that of the simplifications, on which no encoder is trained here",
)

TABLE = PaperTable(
    name="a-table-5",
    paper="Wieting and Gimpel 2017, Revisiting recurrent networks",
    number=5,
    title="supervised training and regularisation",
    systems=tuple(
        supervised(sets, group, name, name, paper, encoder)
        for place, sets in enumerate(SETS)
        for group, (encoder, *columns) in _FIGURES.items()
        for name, paper in zip(_NAMES, columns[place], strict=False)
    ),
    claims=tuple(
        claim
        for sets in SETS
        for claim in (
            Greater(
                claim=f"{sets}: scrambling helps the LSTM",
                left=(f"{sets}, LSTM", "scrambling"),
                right=(f"{sets}, LSTM", "none"),
            ),
            Greater(
                claim=f"{sets}: word dropout hurts the LSTM",
                left=(f"{sets}, LSTM", "none"),
                right=(f"{sets}, LSTM", "word dropout"),
            ),
            Greater(
                claim=f"{sets}: GRAN is better than the LSTM",
                left=(f"{sets}, GRAN", BOTH),
                right=(f"{sets}, LSTM", BOTH),
            ),
            Close(
                claim=f"{sets}: GRAN is as good as AVG",
                left=(f"{sets}, GRAN", "none"),
                right=(f"{sets}, AVG", "none"),
            ),
        )
    ),
    differs=DIFFERS,
)
