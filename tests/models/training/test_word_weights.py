"""SIF and IDF weights of an average, against their definitions."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from paranmt.base.errors import RecipeError
from paranmt.models.encoders.encoder_kinds import AveragingOptions, LstmOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TrainOptions, WordWeights
from paranmt.models.training.trainer import train_encoder

WORDS = "the a dog cat runs sleeps fast red".split()
PAIRS = [
    ("the dog runs", "a dog runs fast"),
    ("the cat sleeps", "the the cat sleeps"),
    ("the red dog", "a red red dog"),
    ("the unseen word", "the cat"),
]


def baseline(folder: Path, weights: WordWeights) -> dict[str, np.ndarray]:
    """The rows of an average of given vectors that is not trained, by word; that of unknown ones by ''."""
    generator = np.random.default_rng(3)
    lines = [f"{word} {' '.join(f'{value:.4f}' for value in generator.normal(size=5))}" for word in WORDS]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")
    options = TrainOptions(
        encoder=AveragingOptions(dimension=5),
        vectors=str(folder / "vectors.txt"),
        learning_rate=0.0,
        epochs=1,
        batch=4,
        word_weights=weights,
    )
    train_encoder(PairList(*map(list, zip(*PAIRS, strict=True))), options, folder / weights, folder / "s")
    encoder = SentenceEncoder.load(folder / weights)
    table = next(iter(encoder.encoder.state_dict().values())).double().numpy()
    vocabulary = encoder.vocabularies["words"]
    return {"": table[0]} | {word: table[vocabulary.row(word)] for word in WORDS}


def sentences() -> list[list[str]]:
    texts = [text for pair in PAIRS for text in pair]
    return [[word if word in WORDS else "" for word in text.split()] for text in texts]


def test_idf_and_sif(tmp_path: Path) -> None:
    plain, weighted = baseline(tmp_path, "none"), baseline(tmp_path, "idf")
    for word in ("", *WORDS):
        df = sum(word in sentence for sentence in sentences())
        assert weighted[word] == pytest.approx(plain[word] * math.log(9 / (1 + df)), abs=1e-6)
    weighted = baseline(tmp_path, "sif")
    counts = Counter(word for sentence in sentences() for word in sentence)
    total = counts.total()
    rows = {word: plain[word] * (0.001 / (0.001 + counts[word] / total)) for word in plain}
    means = np.array([np.mean([rows[word] for word in sentence], axis=0) for sentence in sentences()])
    common = np.linalg.svd(means)[2][0]
    for word, row in rows.items():
        assert weighted[word] == pytest.approx(row - (row @ common) * common, abs=1e-6)
    without = means - np.outer(means @ common, common)
    encoded = [np.mean([weighted[word] for word in sentence], axis=0) for sentence in sentences()]
    assert np.array(encoded) == pytest.approx(without, abs=1e-6)


def test_only_new_averages_have_weights() -> None:
    for wrong in ({"encoder": LstmOptions()}, {"start": "models/avg"}):
        with pytest.raises(RecipeError, match="word_weights: sif weighs the rows of a new average"):
            TrainOptions(word_weights="sif", **wrong)  # type: ignore[arg-type]
