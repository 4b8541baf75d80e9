"""The tables of the paper on back-translated bitext (Wieting, Mallinson and Gimpel 2017)."""

from collections.abc import Mapping
from dataclasses import replace

from ..filters.where.ranges import paper_ranges
from .encoders import AVG, GRAN, LSTM, RECURRENT_EPOCHS
from .pair_statistics import MEASURES_OF_TEXT
from .paper_table import (
    EACH,
    MEASURES,
    Classification,
    Close,
    Greater,
    PaperTable,
    RoleSample,
    Statistics,
    System,
    options,
)

_PAPER = (
    "Wieting, Mallinson and Gimpel 2017, Learning paraphrastic sentence embeddings from back-translated "
    "bitext"
)
_AVERAGING_EPOCHS, _CLASSIFIER_EPOCHS = 20, 10
_TRAINING = {
    "GRAN": options(GRAN, epochs=RECURRENT_EPOCHS),
    "AVG": options(AVG, epochs=_AVERAGING_EPOCHS),
}
_CHOSEN = (
    "the paper chose the language and the corpus together with the range and the epoch; ranges with fewer "
    "than a tenth of the wanted pairs are left out"
)
_ROLES = {"NMT": "translations", "SimpWiki": "simplification"}


def _random_sample(group: str, paper: float, where: str = "true") -> System:
    """A system that is trained on a sample of all pairs. group: data and encoder, as in `NMT, GRAN`."""
    data, encoder = group.split(", ")
    source = RoleSample(role=_ROLES[data], where=where)
    return System(
        name="random", group=group, paper=paper, source=source, options=_TRAINING[encoder], stops=True
    )


def _tuned(group: str, name: str, paper: float, score: str) -> System:
    """A system that is trained on the paper's range of a score that is best on the development sets."""
    system = _random_sample(group, paper)
    ranges = (part.where for part in paper_ranges(score, MEASURES[score]))
    choices = tuple(replace(system.source, where=where) for where in ranges)
    return replace(system, name=name, choices=choices)


def _tuned_systems(
    figures: Mapping[str, tuple[float, ...]], scores: Mapping[str, str], where: str = "true"
) -> tuple[System, ...]:
    """For each group a sample of all pairs, and a system for each score.

    figures: by group, that of the sample first. scores: by the name of the system. where: of the sample.
    """
    return tuple(
        system
        for group, (random, *of_scores) in figures.items()
        for system in (
            _random_sample(group, random, where),
            *(
                _tuned(group, name, figure, score)
                for (name, score), figure in zip(scores.items(), of_scores, strict=True)
            ),
        )
    )


# Table 4: which data is best.

# The paper has a row for each of ten sources of its back-translations; these are the means of the ten rows.
_DATA_4 = (
    ("SimpWiki", "simplification", 67.2, 65.8),
    ("PPDB", "ppdb", 64.5, 65.8),
    ("PPDB, words only", "ppdb_lexical", None, None),
    ("NMT", "translations", 66.89, 65.50),
    ("captions", "captions", None, None),
)

TABLE_4 = PaperTable(
    name="e-table-4",
    paper=_PAPER,
    number=4,
    title="sources of training data",
    systems=tuple(
        System(
            name=name, group=group, paper=paper, source=RoleSample(role=role), options=training, stops=True
        )
        for place, (group, training) in enumerate(_TRAINING.items())
        for name, role, *figures in _DATA_4
        for paper in figures[place : place + 1]
    ),
    claims=(
        Greater(claim="GRAN: NMT is better than PPDB", left=("GRAN", "NMT"), right=("GRAN", "PPDB")),
        Greater(
            claim="GRAN: NMT is better than PPDB's words",
            left=("GRAN", "NMT"),
            right=("GRAN", "PPDB, words only"),
        ),
        Close(claim="GRAN: NMT is as good as SimpWiki", left=("GRAN", "NMT"), right=("GRAN", "SimpWiki")),
        Close(claim="AVG: NMT is as good as PPDB", left=("AVG", "NMT"), right=("AVG", "PPDB")),
        Close(claim="AVG: NMT is as good as SimpWiki", left=("AVG", "NMT"), right=("AVG", "SimpWiki")),
    ),
    differs=(
        "the paper's NMT figures are means of its ten rows; the rows for PPDB's words and for captions are "
        "not the paper's",
    ),
)


# Table 5: the length of the translations.

_RANGES = ((0, 10), (10, 20), (20, 30), (30, 100))
_DATA_5 = (
    ("SimpWiki", "simplification", {"GRAN": (67.4, 67.7, 67.1, 67.3), "AVG": (65.9, 65.7, 65.6, 65.9)}),
    ("NMT", "translations", {"GRAN": (66.6, 66.5, 66.0, 64.8), "AVG": (65.7, 65.6, 65.3, 65.0)}),
)

TABLE_5 = PaperTable(
    name="e-table-5",
    paper=_PAPER,
    number=5,
    title="the length of the second side in tokens",
    systems=tuple(
        System(
            name=f"{low}–{high}",
            group=f"{data}, {encoder}",
            paper=paper,
            source=RoleSample(role=role, where=f"translation_length between {low} and {high}"),
            options=training,
            stops=True,
        )
        for data, role, figures in reversed(_DATA_5)
        for encoder, training in _TRAINING.items()
        for (low, high), paper in zip(_RANGES, figures[encoder], strict=True)
    ),
    claims=tuple(
        Greater(
            claim=f"NMT, {encoder}: the {better} tokens are better than {worse}",
            left=(f"NMT, {encoder}", better),
            right=(f"NMT, {encoder}", worse),
        )
        for encoder in _TRAINING
        for better, worse in (("0–10", "20–30"), ("0–10", "30–100"))
    ),
)


# Table 6: choosing lengths.

_FIGURES_6 = {
    "NMT, GRAN": (66.9, 67.3),
    "NMT, AVG": (65.5, 66.0),
    "SimpWiki, GRAN": (67.2, 67.4),
    "SimpWiki, AVG": (65.8, 66.2),
}

TABLE_6 = PaperTable(
    name="e-table-6",
    paper=_PAPER,
    number=6,
    title="random pairs against a chosen range of lengths",
    systems=_tuned_systems(_FIGURES_6, {"length": "translation_length"}),
    claims=tuple(
        Greater(claim=f"{group}: choosing lengths helps", left=(group, "length"), right=(group, "random"))
        for group in _FIGURES_6
    ),
    differs=(_CHOSEN,),
)


# Table 7: choosing by quality.

_SCORES_7 = {
    "translation cost": "translation_cost",
    "language model": "perplexity",
    "reference classification": "reference_probability",
}
_FIGURES_7 = {"NMT, GRAN": (66.9, 66.6, 66.7, 67.0), "NMT, AVG": (65.5, 65.4, 65.5, 65.5)}

TABLE_7 = PaperTable(
    name="e-table-7",
    paper=_PAPER,
    number=7,
    title="random pairs against pairs chosen by quality",
    systems=_tuned_systems(_FIGURES_7, _SCORES_7, where="perplexity is not null"),
    claims=tuple(
        Close(claim=f"{group}: {name} is as good as random", left=(group, name), right=(group, "random"))
        for group in _FIGURES_7
        for name in _SCORES_7
    ),
    differs=(
        _CHOSEN,
        "the language model and the classifier (averages, 10 epochs) are trained on the third of the "
        "references that is held out, as in the paper, and all systems on samples of the rest",
    ),
)


# Table 8: telling references from translations.

_CLASSIFIERS = {
    "LSTM": options(LSTM, epochs=_CLASSIFIER_EPOCHS),
    "AVG": options(AVG, epochs=_CLASSIFIER_EPOCHS),
}
# For each corpus, LSTM then AVG: the accuracies on all sentences, on references and on translations.
_FIGURES_8: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "CS, CC": ((72.2, 72.2, 72.3), (71.2, 68.9, 73.5)),
    "CS, EP": ((72.3, 64.3, 80.3), (69.1, 63.0, 75.1)),
    "CS, News": ((79.7, 73.2, 86.3), (77.6, 71.7, 83.6)),
    "FR, CC": ((80.7, 82.1, 79.3), (78.8, 80.4, 77.2)),
    "FR, EP": ((79.3, 75.2, 83.4), (78.9, 75.5, 82.3)),
    "FR, Giga": ((93.1, 92.3, 93.8), (92.5, 91.5, 93.4)),
    "FR, News": ((84.2, 81.2, 87.3), (82.8, 81.1, 84.5)),
    "DE, CC": ((79.3, 71.7, 86.9), (77.3, 70.4, 84.1)),
    "DE, EP": ((85.1, 78.0, 92.2), (82.7, 73.4, 91.9)),
    "DE, News": ((89.8, 82.3, 97.4), (87.6, 80.0, 95.3)),
}


def _classification(corpus: str, encoder: str) -> System:
    all_sentences, references, translations = (
        _FIGURES_8[corpus][list(_CLASSIFIERS).index(encoder)] if corpus != EACH else (None, None, None)
    )
    sets = {"references": references, "translations": translations}
    return System(
        name=encoder,
        group=corpus,
        paper=all_sentences,
        sets=sets,
        source=RoleSample(role="translations", corpus=corpus),
        options=_CLASSIFIERS[encoder],
        task=Classification(),
    )


TABLE_8 = PaperTable(
    name="e-table-8",
    paper=_PAPER,
    number=8,
    title="telling references from translations (accuracy)",
    systems=tuple(
        _classification(corpus, encoder) for corpus in (*_FIGURES_8, EACH) for encoder in _CLASSIFIERS
    ),
    claims=tuple(
        Greater(claim=f"{corpus}: the LSTM is better than AVG", left=(corpus, "LSTM"), right=(corpus, "AVG"))
        for corpus in (*_FIGURES_8, EACH)
    ),
    differs=(
        "a tenth of the references is tested, another chooses the negatives and the L2 weight, and all "
        "others are trained on; the paper's 50,000 pairs are `--pairs 50000`",
        "where no reference has several translations there is no hardest one, and negatives are not chosen",
    ),
)


# Table 9: entropy and repetition of both sides.

# Entropy of unigrams and trigrams in nats, then their repetition in percent: of references less translations.
_FIGURES_9 = {
    "CS, CC": (0.50, 1.13, -7.57, -5.58),
    "CS, EP": (0.14, 0.31, -0.88, -0.11),
    "CS, News": (0.16, 0.31, -0.96, -0.16),
    "FR, CC": (0.97, 1.40, -8.50, -7.53),
    "FR, EP": (0.51, 0.69, -1.85, -0.58),
    "FR, Giga": (0.97, 1.21, -5.30, -7.74),
    "FR, News": (0.67, 0.75, -2.98, -0.85),
    "DE, CC": (0.29, 0.57, -1.09, -0.73),
    "DE, EP": (0.32, 0.53, -0.14, -0.11),
    "DE, News": (0.40, 0.37, -1.02, -0.24),
    EACH: (None,) * 4,
    "All": (0.46, 0.74, -2.80, -2.26),
}

TABLE_9 = PaperTable(
    name="e-table-9",
    paper=_PAPER,
    number=9,
    title="entropy and repetition of references, less those of translations",
    systems=tuple(
        System(
            name=name,
            group=corpus,
            paper=figure,
            source=RoleSample(role="translations", corpus="" if corpus == "All" else corpus),
            options=options(AVG, epochs=1),
            task=Statistics(),
            figure=name,
        )
        for corpus, figures in _FIGURES_9.items()
        for name, figure in zip(MEASURES_OF_TEXT, figures, strict=True)
    ),
    claims=(),
    digits=2,
    differs=("the paper measures 150,000 pairs of each corpus; entropy grows with the number of pairs",),
)


# Table 10: what correlates with the classifier's probability.

_FIGURES_10 = {"unigram repetition": -35.1, "trigram repetition": -18.4, "idf": 27.8, "length": -34.0}

TABLE_10 = PaperTable(
    name="e-table-10",
    paper=_PAPER,
    number=10,
    title="how the probability of being a reference correlates with measures of a translation",
    systems=tuple(
        System(
            name=name,
            paper=paper,
            source=RoleSample(role="translations"),
            options=_CLASSIFIERS["AVG"],
            task=Classification(),
            figure=name,
        )
        for name, paper in _FIGURES_10.items()
    ),
    claims=(),
    differs=(
        "the classifier is the one that averages word vectors, trained and chosen as in table 8; the "
        "translations of the test part are measured, where the paper takes 100,000 pairs of the data that it "
        "trained encoders on",
        "the frequencies of words are those of the references; the paper's are Wikipedia's",
    ),
)


# Table 12: choosing by diversity.

_SCORES_12 = {
    "unigram overlap": "unigram_overlap",
    "bigram overlap": "bigram_overlap",
    "trigram overlap": "trigram_overlap",
    "BLEU": "sentence_bleu",
}
_FIGURES_12 = {
    "NMT, GRAN": (66.9, 66.6, 67.0, 66.9, 67.1),
    "NMT, AVG": (65.5, 66.1, 65.5, 65.4, 65.3),
    "SimpWiki, GRAN": (67.2, 67.8, 68.0, 67.8, 67.5),
    "SimpWiki, AVG": (65.8, 67.4, 67.2, 66.6, 66.5),
}

TABLE_12 = PaperTable(
    name="e-table-12",
    paper=_PAPER,
    number=12,
    title="random pairs against pairs chosen by diversity",
    systems=_tuned_systems(_FIGURES_12, _SCORES_12),
    claims=tuple(
        claim(claim=f"{group}: {name} {words}", left=(group, name), right=(group, "random"))
        for group in _FIGURES_12
        for name in _SCORES_12
        for claim, words in (
            ((Greater, "helps"),)
            if group.startswith("SimpWiki") or (group, name) == ("NMT, AVG", "unigram overlap")
            else ((Close, "is as good as random"),)
        )
    ),
    differs=(_CHOSEN,),
)


# Table 13: more training data.

# GRAN has 100,000 pairs, AVG all 167,689 of SimpWiki. Of PPDB as many as have the tokens of SimpWiki's.
_PAIRS = {"GRAN": 100_000, "AVG": 168_000}
_FIGURES_13 = {"GRAN": (64.6, 67.4, 66.8, 68.5), "AVG": (66.3, 67.7, 66.6, 67.6)}
_DATA_13 = ("PPDB", "SimpWiki", "NMT, 24,000", "NMT")


def _larger_sample(name: str, pairs: int) -> RoleSample:
    if name == "PPDB":
        return RoleSample(role="ppdb", tokens_of="simplification", pairs=pairs)
    if name == "SimpWiki":
        return RoleSample(role="simplification", pairs=pairs)
    return RoleSample(role="translations", pairs=None if name == "NMT, 24,000" else pairs)


TABLE_13 = PaperTable(
    name="e-table-13",
    paper=_PAPER,
    number=13,
    title="more training data",
    systems=tuple(
        System(
            name=name,
            group=group,
            paper=paper,
            source=_larger_sample(name, _PAIRS[group]),
            options=_TRAINING[group],
            stops=True,
        )
        for group, figures in _FIGURES_13.items()
        for name, paper in zip(_DATA_13, figures, strict=True)
    ),
    claims=tuple(
        claim
        for group in _FIGURES_13
        for claim in (
            Greater(
                claim=f"{group}: more translations help", left=(group, "NMT"), right=(group, "NMT, 24,000")
            ),
            Greater(claim=f"{group}: NMT is better than PPDB", left=(group, "NMT"), right=(group, "PPDB")),
        )
    ),
    differs=(
        "the paper's translations are tuned (Czech common crawl for GRAN, German for AVG); with fewer than "
        "100,000 pairs for GRAN or 168,000 for AVG, all are taken",
    ),
)
