"""The tables of Revisiting recurrent networks (Wieting and Gimpel 2017)."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from ..models.training.train_options import TrainOptions
from .encoders import AVG, BIGRAN, BILSTM_AVG, GRAN, LSTM, LSTM_AVG, RECURRENT_EPOCHS
from .paper_sets import YEARS_WITH_SMT, figures
from .paper_table import (
    Average,
    Close,
    Distance,
    Greater,
    Key,
    PaperTable,
    RoleSample,
    Supervision,
    System,
    grid,
    options,
)

_PAPER = "Wieting and Gimpel 2017, Revisiting recurrent networks"
_AVERAGING_EPOCHS = 7
_SENTENCES = RoleSample(role="simplification")
_BOTH = "dropout, scrambling"
_DROPOUT, _WORD_DROPOUT, _SCRAMBLE, _L2 = 0.4, 0.2, 0.5, 1e-5  # the code names the first three as the best

# The choices of sections 4.1 and 4.2: of all experiments, of those with sources of data (table 1), and of
# those with regularisation.
_MARGINS = (0.4, 0.6, 0.8)
_TAGS = ("none", "start", "end", "both")  # footnote 4
_LAMBDA_WORDS_OF_DATA = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0)
_LAMBDA_WORDS = (0.0, 1e-5)
_RATES = {
    "dropout": (0.2, 0.4, 0.6),
    "word_dropout": (0.2, 0.4, 0.6),
    "scramble": (0.25, 0.5, 0.75),
    "lambda_encoder": (1e-3, 1e-4, 1e-5, 1e-6),
}
# The weights of word vectors and of the rest in supervised training, from a random start and a universal one.
_WEIGHTS = tuple((weight, 0.0) for weight in _LAMBDA_WORDS)
_POWERS = tuple(10.0**power for power in range(1, -9, -1))
_UNIVERSAL_WEIGHTS = tuple(itertools.product((*_POWERS, 0.0), (*_POWERS[:-2], 0.0)))


def _plain(encoder: Any) -> TrainOptions:
    """The options of a training without regularisation."""
    return options(encoder, epochs=_AVERAGING_EPOCHS if encoder is AVG else RECURRENT_EPOCHS)


def _regularised(plain: TrainOptions, regularisation: str, **changes: Any) -> TrainOptions:
    """The same options with the fixed rates of the regularisation that a row is named after."""
    rates: dict[str, Any] = {}
    if "word dropout" in regularisation:
        rates = {"word_dropout": _WORD_DROPOUT}
    elif "dropout" in regularisation:
        rates = {"dropout": _DROPOUT}
    if "scrambling" in regularisation:
        changes["scramble"] = _SCRAMBLE
    return replace(plain, encoder=replace(plain.encoder, **rates), **changes)


def _grid(plain: TrainOptions, regularisation: str) -> tuple[TrainOptions, ...]:
    """The choices of a row of table 2 or 3."""
    common = {"margin": _MARGINS, "lambda_words": _LAMBDA_WORDS, "tags": _TAGS}
    if plain.encoder.type in ("bilstm", "bigran"):
        common["combine"] = ("add", "tanh")
    return _grid_of_rates(plain, regularisation, **common)


def _grid_of_rates(
    plain: TrainOptions, regularisation: str, **others: Sequence[Any]
) -> tuple[TrainOptions, ...]:
    """The rates of the regularisation that a row is named after; both are scrambling with either dropout."""
    kinds: tuple[set[str], ...]
    if regularisation == _BOTH:
        kinds = ({"dropout", "scramble"}, {"word_dropout", "scramble"})
    else:
        names = {"dropout": "dropout", "word dropout": "word_dropout", "scrambling": "scramble"}
        names |= {"L2": "lambda_encoder"}
        kinds = ({names[regularisation]} if regularisation in names else set(),)
    return tuple(
        training
        for kind in kinds
        for training in grid(plain, **others, **{name: _RATES[name] for name in sorted(kind)})
    )


def _oracles(systems: Sequence[System], papers: Sequence[float]) -> tuple[System, ...]:
    """The same systems with the options that are best on the test sets, and the paper's figures of these."""
    return tuple(
        replace(system, name=f"{system.name}, oracle", paper=paper, is_oracle=True)
        for system, paper in zip(systems, papers, strict=True)
    )


# Table 1: phrase pairs against sentence pairs.

_PHRASES = RoleSample(role="ppdb", tokens_of="simplification")
_BY_DATA = (("AVG", AVG, 67.7, 68.4), ("LSTM", LSTM, 54.2, 59.3), ("LSTMAVG", LSTM_AVG, 64.2, 67.5))

TABLE_1 = PaperTable(
    name="a-table-1",
    paper=_PAPER,
    number=1,
    title="phrase pairs of PPDB against sentence pairs",
    systems=tuple(
        System(
            name=data,
            group=name,
            paper=figure,
            source=source,
            options=_plain(encoder),
            grid=grid(_plain(encoder), margin=_MARGINS, lambda_words=_LAMBDA_WORDS_OF_DATA, tags=_TAGS),
        )
        for name, encoder, of_phrases, of_sentences in _BY_DATA
        for data, source, figure in (("PPDB", _PHRASES, of_phrases), ("SimpWiki", _SENTENCES, of_sentences))
    ),
    claims=tuple(
        Greater(claim=f"{name}: sentences are better", left=(name, "SimpWiki"), right=(name, "PPDB"))
        for name, *_ in _BY_DATA
    ),
    differs=(
        "a sample of the sentence pairs instead of all 167,689",
        "no hyperparameter is tuned, unless by `--grid`",
    ),
)


# Table 2: what regularisation does to each encoder.


def _regularised_system(group: str, name: str, paper: float, encoder: Any, **changes: Any) -> System:
    plain = _plain(encoder)
    return System(
        name=name,
        group=group,
        paper=paper,
        source=_SENTENCES,
        options=_regularised(plain, name, **changes),
        grid=_grid(plain, name),
    )


_BEST_AVG = _regularised_system("AVG", "none", 68.4, AVG)
_BEST_LSTM_AVG = _regularised_system("LSTMAVG", _BOTH, 68.6, LSTM_AVG)
_SYSTEMS_2 = (
    _BEST_AVG,
    _regularised_system("AVG", "dropout", 68.3, AVG),
    _regularised_system("AVG", "word dropout", 68.3, AVG),
    _regularised_system("LSTM", "none", 59.3, LSTM),
    _regularised_system("LSTM", "L2", 56.5, LSTM, lambda_encoder=_L2),
    _regularised_system("LSTM", "dropout", 55.3, LSTM),
    _regularised_system("LSTM", "word dropout", 65.3, LSTM),
    _regularised_system("LSTM", "scrambling", 65.1, LSTM),
    _regularised_system("LSTM", _BOTH, 68.4, LSTM),
    _regularised_system("LSTMAVG", "none", 67.5, LSTM_AVG),
    _BEST_LSTM_AVG,
    _regularised_system("BiLSTMAVG", _BOTH, 68.7, BILSTM_AVG),
)
_ORACLES_2 = (68.5, 68.4, 68.3, 60.6, 60.3, 58.1, 66.2, 66.3, 68.4, 67.7, 69.2, 69.4)

TABLE_2 = PaperTable(
    name="a-table-2",
    paper=_PAPER,
    number=2,
    title="regularisation of AVG and of the LSTMs (the columns 2016 STS and Oracle)",
    systems=(*_SYSTEMS_2, *_oracles(_SYSTEMS_2, _ORACLES_2)),
    claims=(
        Greater(claim="scrambling helps the LSTM", left=("LSTM", "scrambling"), right=("LSTM", "none")),
        Greater(claim="word dropout helps the LSTM", left=("LSTM", "word dropout"), right=("LSTM", "none")),
        Greater(claim="dropout alone hurts the LSTM", left=("LSTM", "none"), right=("LSTM", "dropout")),
        Greater(
            claim="with scrambling, dropout helps the LSTM",
            left=("LSTM", _BOTH),
            right=("LSTM", "scrambling"),
        ),
        Greater(claim="averaging helps the LSTM", left=("LSTMAVG", "none"), right=("LSTM", "none")),
        Close(claim="dropout does not help AVG", left=("AVG", "dropout"), right=("AVG", "none")),
        Close(claim="word dropout does not help AVG", left=("AVG", "word dropout"), right=("AVG", "none")),
        Close(claim="the regularised LSTM is as good as AVG", left=("LSTM", _BOTH), right=("AVG", "none")),
    ),
    differs=(
        f"rates are fixed, unless tuned by `--grid`: dropout {_DROPOUT}, word dropout {_WORD_DROPOUT}, "
        f"scrambling {_SCRAMBLE}, L2 {_L2:g}; both directions are added; without it "
        "there are no rows of the oracle",
    ),
)


# Table 3: the variants of GRAN.

_VARIANTS: dict[str, Any] = {
    "GRAN": GRAN,
    "GRAN-2": replace(GRAN, variant=2),
    "GRAN-3": replace(GRAN, variant=3),
    "GRAN-4": replace(GRAN, variant=4),
    "GRAN-5": replace(GRAN, variant=5),
}
_SYSTEMS_3 = (
    replace(_regularised_system("", "none", 68.0, GRAN), name="GRAN (no reg.)"),
    *(
        replace(_regularised_system("", _BOTH, paper, encoder), name=name)
        for (name, encoder), paper in zip(
            {**_VARIANTS, "BiGRAN": BIGRAN}.items(), (68.9, 68.1, 67.2, 68.1, 64.8, 68.4), strict=True
        )
    ),
)
BEST_GRAN = _SYSTEMS_3[1]
_ORACLES_3 = (68.0, 69.5, 68.8, 69.0, 68.6, 66.1, 69.7)

TABLE_3 = PaperTable(
    name="a-table-3",
    paper=_PAPER,
    number=3,
    title="the variants of GRAN (the columns STS 2016 and Oracle)",
    systems=(*_SYSTEMS_3, *_oracles(_SYSTEMS_3, _ORACLES_3)),
    claims=(
        Greater(claim="regularisation helps GRAN", left=("", "GRAN"), right=("", "GRAN (no reg.)")),
        Greater(claim="GRAN is better than GRAN-2", left=("", "GRAN"), right=("", "GRAN-2")),
        Close(claim="GRAN-2 is as good as GRAN-4", left=("", "GRAN-2"), right=("", "GRAN-4")),
        Greater(claim="GRAN-4 is better than GRAN-3", left=("", "GRAN-4"), right=("", "GRAN-3")),
        Greater(claim="GRAN-3 is better than GRAN-5", left=("", "GRAN-3"), right=("", "GRAN-5")),
        Close(claim="BiGRAN is as good as GRAN", left=("", "BiGRAN"), right=("", "GRAN")),
    ),
    differs=(
        f"rates are fixed, unless tuned by `--grid`: dropout {_DROPOUT}, scrambling {_SCRAMBLE}; both "
        "directions are added; without it there are no rows of the oracle",
    ),
)


# Table 4: the results on each set.

_ROWS_4 = (*YEARS_WITH_SMT, "SICK", "Twitter")
_COLUMNS_4 = {
    "LSTMAVG": """49.0 84.3 51.2 71.5 68.0 64.8 77.3 81.2 53.2 40.7 63.1 56.6 78.0 74.5 84.7 84.9 76.3 75.8
        71.8 71.1 75.3 79.5 85.8 76.7 71.3 52.1""",
    "AVG": """45.9 85.1 47.5 71.2 58.2 61.6 76.9 72.8 50.2 38.0 59.4 55.6 78.5 75.1 85.6 81.4 78.7 75.8
        70.6 75.8 76.8 80.3 86.0 77.9 72.4 52.1""",
    "GRAN": """47.7 85.2 49.3 71.5 58.7 62.5 76.1 81.4 55.6 40.3 63.4 55.7 77.1 72.8 85.8 85.1 78.7 75.9
        73.1 72.9 78.0 78.6 85.8 77.7 72.9 50.2""",
}

TABLE_4 = PaperTable(
    name="a-table-4",
    paper=_PAPER,
    number=4,
    title="the results on each set",
    systems=tuple(
        replace(system, name=name, group="", sets=figures(_ROWS_4, column))
        for system, (name, column) in zip(
            (_BEST_LSTM_AVG, _BEST_AVG, BEST_GRAN), _COLUMNS_4.items(), strict=True
        )
    ),
    claims=(
        Greater(claim="GRAN is better than AVG", left=("", "GRAN"), right=("", "AVG")),
        Greater(claim="GRAN is better than LSTMAVG", left=("", "GRAN"), right=("", "LSTMAVG")),
    ),
    distances=tuple(
        Distance(left=("", left), right=("", right)) for left, right in itertools.combinations(_COLUMNS_4, 2)
    ),
    differs=("the encoders are the best ones of tables 2 and 3, with fixed rates, unless tuned by `--grid`",),
)


# Table 5: supervised training and regularisation.

_Sets = Literal["STS", "SICK"]
_SETS: tuple[_Sets, ...] = ("STS", "SICK")
_REGULARISATIONS = ("none", "dropout", "word dropout", "scrambling", _BOTH)
# For each encoder the figures of STS, those of SICK, and their means.
_FIGURES_5: dict[str, tuple[Any, str, str, str]] = {
    "AVG": (AVG, "79.2 80.7 79.3", "85.2 84.5 81.8", "82.2 82.6 80.6"),
    "LSTM": (LSTM, "68.4 69.6 68.0 74.2 75.0", "80.9 81.3 76.4 84.4 84.2", "74.7 75.5 72.2 79.3 79.6"),
    "LSTMAVG": (LSTM_AVG, "69.0 69.2 65.6 76.5 76.5", "79.5 79.4 76.1 83.2 84.0", "74.3 74.3 70.9 79.9 80.3"),
    "GRAN": (GRAN, "79.7 79.7 77.3 81.4 81.6", "85.2 84.6 83.0 85.3 85.1", "82.5 82.2 80.2 83.4 83.4"),
}
_HALF = (
    "the figures of STS are of half of the pairs of each of its sets: 40 % are trained on, all sets "
    "together, and 10 % are the dev part; those of SICK are of its test part alone"
)
_DIFFERS_5 = (
    _HALF,
    f"rates are fixed, unless tuned on the dev part by `--grid`: dropout {_DROPOUT}, word dropout "
    f"{_WORD_DROPOUT}, scrambling {_SCRAMBLE}; word vectors are not drawn to their start, unless by "
    "`--grid`; training has 10 epochs, of which the best on the dev part is taken",
    "the vocabulary is that of the simplifications, on which no encoder is trained here",
)


def _supervised(
    sets: _Sets, group: str, name: str, regularisation: str, paper: float, encoder: Any
) -> System:
    """A system that is trained on people's scores from a random start, with some of the regularisations."""
    plain = _plain(encoder)
    choices = _grid_of_rates(plain, regularisation)
    return System(
        name=name,
        group=_in_part(sets, group),
        paper=paper,
        source=_SENTENCES,
        options=_regularised(plain, regularisation),
        grid=choices if len(choices) > 1 else (),
        task=Supervision(setting="random", sets=sets, grid=_WEIGHTS),
    )


def _average(group: str, name: str, paper: float) -> Average:
    """The row of a column Avg.: the mean of the figures of STS and SICK."""
    of: tuple[Key, ...] = tuple((_in_part(sets, group), name) for sets in _SETS)
    return Average(name=name, group=_in_part("Avg.", group), of=of, paper=paper)


def _in_part(part: str, group: str) -> str:
    return f"{part}, {group}" if group else part


TABLE_5 = PaperTable(
    name="a-table-5",
    paper=_PAPER,
    number=5,
    title="supervised training and regularisation",
    systems=tuple(
        _supervised(sets, group, name, name, paper, encoder)
        for place, sets in enumerate(_SETS)
        for group, (encoder, *columns) in _FIGURES_5.items()
        for name, paper in zip(_REGULARISATIONS, map(float, columns[place].split()), strict=False)
    ),
    averages=tuple(
        _average(group, name, float(paper))
        for group, (*_, averages) in _FIGURES_5.items()
        for name, paper in zip(_REGULARISATIONS, averages.split(), strict=False)
    ),
    claims=tuple(
        claim
        for sets in _SETS
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
                left=(f"{sets}, GRAN", _BOTH),
                right=(f"{sets}, LSTM", _BOTH),
            ),
            Close(
                claim=f"{sets}: GRAN is as good as AVG",
                left=(f"{sets}, GRAN", "none"),
                right=(f"{sets}, AVG", "none"),
            ),
        )
    ),
    differs=_DIFFERS_5,
)


# Table 6: supervised training and the variants of GRAN.

_FIGURES_6 = {
    "STS": (81.6, 77.4, 81.3, 80.1, 70.9),
    "SICK": (85.3, 85.1, 85.4, 85.5, 83.0),
}
_AVERAGES_6 = (83.5, 81.3, 83.4, 82.8, 77.0)

TABLE_6 = PaperTable(
    name="a-table-6",
    paper=_PAPER,
    number=6,
    title="supervised training and the variants of GRAN",
    systems=tuple(
        _supervised(sets, "", name, _BOTH, paper, encoder)
        for sets in _SETS
        for (name, encoder), paper in zip(_VARIANTS.items(), _FIGURES_6[sets], strict=True)
    ),
    averages=tuple(_average("", name, paper) for name, paper in zip(_VARIANTS, _AVERAGES_6, strict=True)),
    claims=(
        Greater(claim="STS: GRAN is better than GRAN-2", left=("STS", "GRAN"), right=("STS", "GRAN-2")),
        *(
            Greater(claim=f"{sets}: GRAN is better than GRAN-5", left=(sets, "GRAN"), right=(sets, "GRAN-5"))
            for sets in _SETS
        ),
    ),
    differs=_DIFFERS_5,
)


# Table 8: supervised training that starts from universal encoders.

_LAMBDA_UNIVERSAL_WORDS, _LAMBDA_UNIVERSAL_ENCODER = 1e-3, 1e-4
# For each set the figures of a random start and of a universal one.
_ROWS_8: tuple[tuple[str, str, Any, dict[_Sets, tuple[float, float]]], ...] = (
    ("AVG", "dropout", AVG, {"STS": (80.7, 82.9), "SICK": (84.5, 85.6)}),
    ("LSTMAVG", _BOTH, LSTM_AVG, {"STS": (76.5, 81.3), "SICK": (84.0, 85.2)}),
    ("GRAN", _BOTH, GRAN, {"STS": (81.6, 82.7), "SICK": (85.1, 86.0)}),
)


def _both_starts(
    sets: _Sets, group: str, name: str, encoder: Any, of_random: float, of_universal: float
) -> tuple[System, System]:
    """A system that starts at random, and the same one from a universal encoder."""
    random = _supervised(sets, group, name, name, of_random, encoder)
    task = Supervision(
        setting="universal",
        sets=sets,
        lambda_words=_LAMBDA_UNIVERSAL_WORDS,
        lambda_encoder=0.0 if encoder is AVG else _LAMBDA_UNIVERSAL_ENCODER,
        grid=_UNIVERSAL_WEIGHTS,
    )
    return random, replace(random, name=f"{name}, universal", paper=of_universal, grid=(), task=task)


_SYSTEMS_8 = tuple(
    _both_starts(sets, group, name, encoder, *by_sets[sets])
    for sets in _SETS
    for group, name, encoder, by_sets in _ROWS_8
)

TABLE_8 = PaperTable(
    name="a-table-8",
    paper=_PAPER,
    number=8,
    title="supervised training with and without universal encoders",
    systems=tuple(itertools.chain(*_SYSTEMS_8)),
    claims=tuple(
        Greater(
            claim=f"{plain.group}: a universal encoder is the better start",
            left=universal.key,
            right=plain.key,
        )
        for plain, universal in _SYSTEMS_8
    ),
    differs=(
        f"in this table {_HALF}",
        f"the weights of the distances from a universal encoder are fixed, {_LAMBDA_UNIVERSAL_WORDS} for "
        f"word vectors and {_LAMBDA_UNIVERSAL_ENCODER} for the rest, unless tuned by `--grid`; the universal "
        "averages have dropout too",
        "supervised training has 10 epochs, of which the best on the dev part is taken; rates are fixed, "
        f"unless those of a random start are tuned by `--grid`: dropout {_DROPOUT}, scrambling {_SCRAMBLE}",
        "the paper's random encoders start from PARAGRAM-SL999 too",
    ),
)
