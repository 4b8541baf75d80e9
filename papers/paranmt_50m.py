"""The tables of ParaNMT-50M (Wieting and Gimpel 2018)."""

import itertools
from dataclasses import replace
from typing import Any, Literal

from ..models.encoders.encoder_kinds import BiLstmOptions, Component, MixedOptions
from ..models.sts.set_lists import SETS_25
from .encoders import AVG, BILSTM_AVG, LSTM_AVG, P_EPOCHS
from .infersent import ALL_NLI, BILSTM_MAX, SNLI, training
from .paper_sets import TRANSFER_TASKS, figures
from .paper_table import EACH, Close, Distance, Greater, Inference, PaperTable, RoleSample, System, options

_PAPER = "Wieting and Gimpel 2018, ParaNMT-50M"
_SCRAMBLE = 0.3
_AVERAGE = options(AVG, epochs=P_EPOCHS)
_TRAINING = {
    "Word Avg.": _AVERAGE,
    "Trigram Avg.": replace(_AVERAGE, text=replace(_AVERAGE.text, units="trigrams")),
    "LSTM Avg.": options(LSTM_AVG, epochs=P_EPOCHS, scramble=_SCRAMBLE),
}
# Of tables 5 and 7 to 12 (section 6.3).
_SHORT = RoleSample(role="translations", where="reference_length <= 30 and translation_length <= 30")


# Table 3: parallel corpora to translate back.

_FIGURES_3 = {
    "Common-crawl": (80.9, 80.2, 79.1),
    "Czeng1.6": (83.6, 81.5, 82.5),
    "Europarl": (78.9, 78.0, 80.4),
    "News": (80.2, 78.2, 80.5),
    EACH: (None, None, None),
}

TABLE_3 = PaperTable(
    name="p-table-3",
    paper=_PAPER,
    number=3,
    title="parallel corpora to translate back",
    systems=tuple(
        System(
            name=corpus,
            group=group,
            paper=figures[place],
            sets={"2017": figures[place]},
            source=RoleSample(role="translations", corpus=corpus),
            options=training,
        )
        for place, (group, training) in enumerate(_TRAINING.items())
        for corpus, figures in _FIGURES_3.items()
    ),
    claims=(),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "the corpora are those that the data names; the paper's figures are of the 250 pairs of STS 2017",
        "the paper does not say the size of the mega-batches; here negatives come from the mini-batch",
    ),
)


# Table 4: the best tenth of the data by each score.

_FIGURES_4 = {
    "para. sim.": ("paraphrase_similarity", 83.8),
    "trigram ovl.": ("trigram_overlap", 83.4),
    "trans. score": ("translation_cost", 83.4),
}
_ALL = RoleSample(role="translations", where="paraphrase_similarity is not null")
_RANDOM = System(
    name="random", source=_ALL, options=options(LSTM_AVG, epochs=1, mega_batch=40, scramble=_SCRAMBLE)
)


def _folds(score: str) -> tuple[RoleSample, ...]:
    of_all = "" if score == "paraphrase_similarity" else f" and {_ALL.where}"
    return tuple(replace(_ALL, where=f"{score}_decile = {fold}{of_all}") for fold in range(1, 11))


TABLE_4 = PaperTable(
    name="p-table-4",
    paper=_PAPER,
    number=4,
    title="the best tenth of the data by each score",
    systems=(
        _RANDOM,
        *(
            replace(_RANDOM, name=name, paper=paper, sets={"2017": paper}, choices=_folds(score))
            for name, (score, paper) in _FIGURES_4.items()
        ),
    ),
    claims=(
        *(
            Greater(claim=f"para. sim. is better than {other}", left=("", "para. sim."), right=("", other))
            for other in ("trigram ovl.", "trans. score")
        ),
        Greater(
            claim="the best tenth by para. sim. is better than random",
            left=("", "para. sim."),
            right=("", "random"),
        ),
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "the paper's figures are of STS 2017, on which it also chose the tenth; it takes 1,000,000 pairs of "
        "each tenth, and has no row of random pairs",
        "the encoder of para. sim. averages word vectors that were trained on a third of the references; "
        "all systems are trained on samples of the rest",
    ),
)


# Table 5: the size of mega-batches.

_BY_SIZE = (
    ("Word Avg.", AVG, 0.0, (82.3, 84.0, 84.1)),
    ("BiLSTM Avg.", BILSTM_AVG, _SCRAMBLE, (82.4, 85.0, 85.1)),
)

TABLE_5 = PaperTable(
    name="p-table-5",
    paper=_PAPER,
    number=5,
    title="the number of mini-batches in a mega-batch",
    systems=tuple(
        System(
            name=f"mega-batch {size}",
            group=group,
            paper=paper,
            sets={"2017": paper},
            source=_SHORT,
            options=options(encoder, epochs=P_EPOCHS, mega_batch=size, scramble=scramble),
        )
        for group, encoder, scramble, figures in _BY_SIZE
        for size, paper in zip((1, 20, 40), figures, strict=True)
    ),
    claims=tuple(
        claim
        for group, *_ in _BY_SIZE
        for claim in (
            Greater(
                claim=f"{group}: 20 is better than 1",
                left=(group, "mega-batch 20"),
                right=(group, "mega-batch 1"),
            ),
            Close(
                claim=f"{group}: 40 is as good as 20",
                left=(group, "mega-batch 40"),
                right=(group, "mega-batch 20"),
            ),
        )
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "the paper's figures are of the 250 pairs of STS 2017, after training on 5,000,000 pairs, which are "
        "also of the best two tenths by a score",
    ),
)


# Table 7: the STS tasks by year.

_YEARS = ("2012", "2013", "2014", "2015", "2016")
_WORDS, _TRIGRAMS = Component(encoder=AVG), Component(encoder=AVG, units="trigrams")
_LSTM = Component(encoder=LSTM_AVG)


def _recurrent(encoder: Any, size: int) -> Any:
    return options(replace(encoder, size=size), epochs=P_EPOCHS, scramble=_SCRAMBLE)


def _mixed(*parts: Component, added: bool) -> Any:
    encoder = MixedOptions(parts=parts, combine="add" if added else "concatenate")
    return options(encoder, epochs=P_EPOCHS, scramble=_SCRAMBLE if _LSTM in parts else 0.0)


_SYSTEMS_7: tuple[tuple[str, Any, str], ...] = (
    *zip(
        _TRAINING,
        _TRAINING.values(),
        ("66.2 61.8 76.2 79.3 77.5", "67.2 60.3 76.1 79.7 78.3", "67.0 62.3 76.3 78.5 76.0"),
        strict=True,
    ),
    ("LSTM Avg. (600)", _recurrent(LSTM_AVG, 600), "66.6 61.3 76.0 78.8 74.8"),
    ("LSTM Avg. (900)", _recurrent(LSTM_AVG, 900), "68.0 60.4 76.3 78.8 75.9"),
    ("BiLSTM Avg. (600)", _recurrent(BILSTM_AVG, 600), "67.4 60.3 76.4 79.7 76.5"),
    ("BiLSTM Avg. (900)", _recurrent(BILSTM_AVG, 900), "67.4 60.2 76.1 79.5 76.5"),
    ("Trigram-Word (addition)", _mixed(_TRIGRAMS, _WORDS, added=True), "67.3 62.8 77.5 80.1 78.2"),
    (
        "Trigram-Word-LSTM (addition)",
        _mixed(_TRIGRAMS, _WORDS, _LSTM, added=True),
        "67.1 62.8 76.8 79.2 77.0",
    ),
    ("Trigram-Word (concatenation)", _mixed(_TRIGRAMS, _WORDS, added=False), "67.8 62.7 77.4 80.3 78.1"),
    (
        "Trigram-Word-LSTM (concatenation)",
        _mixed(_TRIGRAMS, _WORDS, _LSTM, added=False),
        "67.7 62.8 76.9 79.8 76.8",
    ),
)

TABLE_7 = PaperTable(
    name="p-table-7",
    paper=_PAPER,
    number=7,
    title="the models of ParaNMT by year",
    systems=tuple(
        System(
            name=name,
            sets=figures(_YEARS, by_year),
            source=_SHORT,
            options=replace(training, mega_batch=40),
        )
        for name, training, by_year in _SYSTEMS_7
    ),
    claims=tuple(
        Greater(
            claim=f"Trigram-Word is better than {other}",
            left=("", "Trigram-Word (addition)"),
            right=("", other),
        )
        for other in _TRAINING
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "the pairs are those with at most 30 tokens a side, and not also of the best two tenths by a score",
        "the rows of other authors are left out",
    ),
)


# Table 8: transfer tasks.

# In the order of the systems of table 7, then those of 4,096 dimensions.
_FIGURES_8 = (
    "75.8 80.5 89.2 87.1 80.0 80.1 68.6 83.6 80.6",
    "68.8 75.5 83.6 82.3 73.6 73.0 71.4 79.3 78.0",
    "73.8 78.4 88.5 86.5 80.6 76.8 73.6 83.9 81.9",
    "75.2 80.5 90.0 88.0 80.0 83.8 74.0 85.2 82.6",
    "75.8 81.7 90.5 87.4 81.6 84.4 74.7 86.0 83.0",
    "75.4 80.8 89.9 87.2 79.1 84.4 73.7 85.4 84.3",
    "75.6 82.4 90.6 87.7 81.3 87.4 75.0 85.8 84.4",
    "74.8 78.8 88.5 87.4 78.7 79.0 71.4 83.2 80.6",
    "75.0 80.7 88.6 86.6 77.9 78.6 72.7 83.6 81.8",
    "75.8 80.5 89.9 87.8 79.7 82.4 70.7 84.6 82.0",
    "77.6 81.4 91.4 88.2 82.0 85.4 74.0 85.4 83.8",
    "77.5 82.6 91.0 89.3 82.8 86.8 75.8 85.9 83.8",
    "76.6 83.4 90.9 88.5 82.0 87.2 76.6 85.3 82.5",
)


def _large(name: str, pooling: Literal["mean", "max"]) -> System:
    encoder = BiLstmOptions(dimension=300, size=2048, combine="concatenate", pooling=pooling)
    training = options(encoder, epochs=P_EPOCHS, mega_batch=40, scramble=_SCRAMBLE)
    return System(name=name, source=_SHORT, options=training)


_SYSTEMS_8 = (
    *TABLE_7.systems,
    _large("BiLSTM Avg. (4096)", "mean"),
    _large("BiLSTM Max (4096)", "max"),
)

TABLE_8 = PaperTable(
    name="p-table-8",
    paper=_PAPER,
    number=8,
    title="transfer tasks",
    systems=tuple(
        replace(
            system,
            sets=figures(TRANSFER_TASKS, by_task),
            evaluations=("transfer",),
            figure="mean accuracy",
        )
        for system, by_task in zip(_SYSTEMS_8, _FIGURES_8, strict=True)
    ),
    claims=(
        Greater(claim="more dimensions help the LSTM", left=("", "LSTM Avg. (900)"), right=("", "LSTM Avg.")),
        Greater(
            claim="concatenation is better than addition",
            left=("", "Trigram-Word-LSTM (concatenation)"),
            right=("", "Trigram-Word-LSTM (addition)"),
        ),
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=("the paper has no mean accuracy; its rows of other authors are left out",),
)


# Table 9: the test part of the STS Benchmark.

# In the order of the systems of table 7.
_FIGURES_9 = (79.2, 79.1, 78.4, 78.8, 79.0, 79.2, 79.2, 79.9, 79.6, 79.9, 79.2)

TABLE_9 = PaperTable(
    name="p-table-9",
    paper=_PAPER,
    number=9,
    title="the STS Benchmark",
    systems=tuple(
        replace(system, paper=paper, sets={}, evaluations=("sts",), figure="STSB-test")
        for system, paper in zip(TABLE_7.systems, _FIGURES_9, strict=True)
    ),
    claims=TABLE_7.claims,
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=("the rows of other authors are left out",),
)


# Table 10: how far its models are apart, set by set.

_FIGURES_10 = (2.75, 2.17, 2.89)

TABLE_10 = PaperTable(
    name="p-table-10",
    paper=_PAPER,
    number=10,
    title="how far the models are apart, set by set",
    systems=tuple(system for system in TABLE_7.systems if system.name in _TRAINING),
    claims=(),
    distances=tuple(
        Distance(left=("", left), right=("", right), paper=paper)
        for (left, right), paper in zip(itertools.combinations(_TRAINING, 2), _FIGURES_10, strict=True)
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
)


# Table 11: the difference from InferSent on all sets and on captions.

_TRIGRAM_WORD = next(system for system in TABLE_7.systems if system.name == "Trigram-Word (concatenation)")
_INFERSENT = tuple(
    System(name=f"InferSent ({source.corpus})", source=source, options=training(BILSTM_MAX), task=Inference())
    for source in (ALL_NLI, SNLI)
)
_INFERSENT_DIFFERS = (
    "InferSent is trained here as in its table 3, instead of taken from its authors, and on as many pairs as "
    "Trigram-Word"
)
# For each row the set, and the differences from InferSent trained on AllNLI and on SNLI.
_ROWS = {
    "mean": ("", (10.5, 12.5)),
    "MSRvid 2012": ("MSRvid 2012", (5.2, 4.6)),
    "images 2014": ("images 2014", (6.4, 4.8)),
    "images 2015": ("images 2015", (3.6, 3.0)),
}

TABLE_11 = PaperTable(
    name="p-table-11",
    paper=_PAPER,
    number=11,
    title="differences from InferSent on all sets and on captions",
    systems=tuple(
        replace(system, group=group, sets={}, figure=figure)
        for group, (figure, _) in _ROWS.items()
        for system in (*_INFERSENT, _TRIGRAM_WORD)
    ),
    claims=tuple(
        Greater(
            claim=f"{group}: {_TRIGRAM_WORD.name} is better than {other.name}",
            left=(group, _TRIGRAM_WORD.name),
            right=(group, other.name),
            paper=paper,
        )
        for group, (_, differences) in _ROWS.items()
        for other, paper in zip(_INFERSENT, differences, strict=True)
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "single sets have no interval over the items",
        _INFERSENT_DIFFERS,
    ),
)


# Table 12: captions and other pairs of the STS Benchmark.

# The columns: the result, then the figures of AllNLI, of SNLI and of Trigram-Word.
_COLUMNS: dict[str, tuple[str, tuple[float | None, ...]]] = {
    "Tr. (All)": ("STSB, trained", (75.9, 75.9, None)),
    "Tr. (Cap.)": ("STSB captions, trained", (85.4, 86.4, None)),
    "Tr. (No Cap.)": ("STSB non-captions, trained", (64.8, 63.1, None)),
    "Cos. (All)": ("STSB-test", (70.6, 67.3, 79.9)),
    "Cos. (Cap.)": ("STSB-test captions", (83.0, 83.4, 87.1)),
    "Cos. (No Cap.)": ("STSB-test non-captions", (56.6, 51.7, 71.7)),
}

TABLE_12 = PaperTable(
    name="p-table-12",
    paper=_PAPER,
    number=12,
    title="the STS Benchmark with and without captions",
    systems=tuple(
        replace(system, group=group, paper=paper, sets={}, evaluations=("sts", "supervised"), figure=figure)
        for group, (figure, column) in _COLUMNS.items()
        for system, paper in zip((*_INFERSENT, _TRIGRAM_WORD), column, strict=True)
    ),
    claims=tuple(
        Greater(
            claim=f"{group}: Trigram-Word is better than {other.name}",
            left=(group, _TRIGRAM_WORD.name),
            right=(group, other.name),
        )
        for group in _COLUMNS
        for other in _INFERSENT
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        _INFERSENT_DIFFERS,
        "the paper does not have the rows of Trigram-Word under Tr.",
    ),
)
