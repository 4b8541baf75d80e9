"""Which candidates become paraphrases, and in which order."""

from collections.abc import Sequence

import numpy as np
import pytest

from paranmt.base.errors import RecipeError
from paranmt.models.translation.translator import Candidate
from paranmt.pipeline.texts.paraphrase_options import ParaphraseOptions
from paranmt.pipeline.texts.paraphraser import Paraphraser

SENTENCE = "Two dogs run along the 40 beaches."
CANDIDATES = {
    "two dogs run along the 40 beaches": -1.0,  # a copy
    "Two dogs are running along 40 beaches.": -4.0,
    "two dogs are running along 40 beaches": -3.0,  # the same as the one before
    "Two dogs run along the 41 beaches.": -2.0,  # another number
    "Two dogs do not run along the 40 beaches.": -2.5,  # a negation
    "2 hounds race down 40 beaches.": -6.0,
    "A pair of 2 hounds races down all of the 40 beaches that there are.": -9.0,
    "": -0.5,
    "40 beaches have 2 dogs that run.": -12.0,
}


class Model:
    """Gives the same candidates for each sentence."""

    halvings = 0

    def __init__(self) -> None:
        self.seen: list[str] = []

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        self.seen += sentences
        found = [Candidate(text, log_prob, 10, ()) for text, log_prob in CANDIDATES.items()]
        return [found[:n_best] if sentence else [] for sentence in sentences]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        raise NotImplementedError


class Hounds:
    """Places sentences by whether they have hounds."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        vectors = [[1.0, text.count("hounds") + 0.1 * text.count("have")] for text in sentences]
        return np.array(vectors, np.float32)


def texts(options: ParaphraseOptions, encoder: Hounds | None = None) -> list[str]:
    found, nothing = Paraphraser(Model(), (), encoder).paraphrase([SENTENCE, ""], options=options)
    assert nothing == []
    return [paraphrase.text for paraphrase in found]


RACE = "A pair of 2 hounds races down all of the 40 beaches that there are."


def test_copies_repeats_and_other_meanings_are_dropped() -> None:
    assert texts(ParaphraseOptions()) == [
        "Two dogs are running along 40 beaches.",
        "2 hounds race down 40 beaches.",
        RACE,
        "40 beaches have 2 dogs that run.",
    ]


def test_an_encoder_ranks() -> None:
    assert texts(ParaphraseOptions(), Hounds())[:2] == [
        "Two dogs are running along 40 beaches.",
        "40 beaches have 2 dogs that run.",
    ]
    (found,) = Paraphraser(Model(), (), Hounds()).paraphrase([SENTENCE], count=4)
    assert [paraphrase.similarity for paraphrase in found] == pytest.approx(
        [1, 1 / np.sqrt(1.01), 1 / np.sqrt(2), 1 / np.sqrt(2)]
    )
    assert found[0].log_prob == -4 and found[0].n_tokens == 10


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"count": 2}, ["Two dogs are running along 40 beaches.", "2 hounds race down 40 beaches."]),
        ({"length_ratio": (1.5, 3.0)}, [RACE]),
        ({"overlap": (0.0, 0.43)}, ["2 hounds race down 40 beaches."]),
        ({"candidates": 3}, ["Two dogs are running along 40 beaches."]),
    ],
)
def test_ranges_and_counts(options: dict, kept: list[str]) -> None:
    assert texts(ParaphraseOptions(**options)) == kept


def test_the_model_is_asked_with_tags() -> None:
    model = Model()
    paraphraser = Paraphraser(model, ("trigram_overlap", "length_ratio"))
    paraphraser.paraphrase(["A dog."], options=ParaphraseOptions(control={"length_ratio": 2}))
    paraphraser.paraphrase(["A dog."])
    assert model.seen == ["<length_ratio=2> A dog.", "A dog."]
    blank = paraphraser.paraphrase(["", " \t"], options=ParaphraseOptions(control={"length_ratio": 2}))
    assert model.seen[2:] == ["", " \t"], "a tag would make text of them"
    assert blank[0] == []
    with pytest.raises(RecipeError, match="knows no 'perplexity'"):
        paraphraser.paraphrase(["A dog."], options=ParaphraseOptions(control={"perplexity": 2}))


def test_no_sentences_have_no_paraphrases() -> None:
    assert Paraphraser(Model()).paraphrase([]) == []


@pytest.mark.parametrize("ends", [(0.6, 0.2), (-0.1, 1.0), (float("nan"), 1.0)])
def test_impossible_ranges(ends: tuple[float, float]) -> None:
    with pytest.raises(RecipeError, match="overlap: expected a range such as 0.2-0.6"):
        ParaphraseOptions(overlap=ends)
