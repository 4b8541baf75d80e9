"""Encoders whose tokens keep their case."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import paranmt
from paranmt.base.errors import ModelError, RecipeError
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.export import _exportable
from paranmt.models.encoders.row_index import RowIndex, spaced_words
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vocabulary import UNITS, Vocabulary, words
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.training.trainer import train_encoder
from paranmt.pipeline.recipe.train_entries import Tuning
from paranmt.tokens.definition import EncoderTokens

SENTENCES = ["Apple sells an apple.", "It didn't RAIN in Ostrava", "ΣΟΦΟΣ Έλα İstanbul", "", "a  b\tC"]
KINDS: tuple[EncoderTokens, ...] = ("cased_words", "cased_whitespace")


@pytest.mark.parametrize("tokens", KINDS)
def test_columns_are_cut_like_sentences(tokens: EncoderTokens) -> None:
    column = spaced_words(pa.array(SENTENCES), tokens).to_pylist()
    assert column == [" ".join(words(sentence, tokens)) for sentence in SENTENCES]
    entries = sorted({unit for sentence in SENTENCES for unit in UNITS["words"](sentence, tokens)})
    vocabulary = Vocabulary(entries, "words", tokens)
    ids = RowIndex(vocabulary).token_ids(pa.array(SENTENCES))
    assert [ids.ids[a:b].tolist() for a, b in zip(ids.starts, ids.starts[1:], strict=False)] == [
        vocabulary.ids(sentence) for sentence in SENTENCES
    ]
    assert vocabulary.row("Apple") != vocabulary.row("apple")


@pytest.fixture
def encoder(tmp_path: Path) -> SentenceEncoder:
    """An average of given vectors, which have words in both cases."""
    (tmp_path / "vectors.txt").write_text("Apple 1 0\napple 0 1\nsells 1 1\n")
    options = TrainOptions(
        encoder=AveragingOptions(dimension=2),
        text=TextOptions(tokens="cased_words"),
        vectors=str(tmp_path / "vectors.txt"),
        learning_rate=0.0,
        epochs=1,
    )
    pairs = PairList(["Apple sells", "apple sells"], ["apple Apple", "sells"])
    train_encoder(pairs, options, tmp_path / "encoder", tmp_path / "scratch")
    return SentenceEncoder.load(tmp_path / "encoder")


def test_a_saved_encoder_keeps_the_case(encoder: SentenceEncoder, tmp_path: Path) -> None:
    vectors = encoder.encode(["Apple", "apple", "APPLE"])
    assert vectors[:2].tolist() == [[1, 0], [0, 1]]
    assert not np.array_equal(vectors[2], vectors[0]) and not np.array_equal(vectors[2], vectors[1])
    given = paranmt.load_encoder(tmp_path / "vectors.txt", tokens="cased_words")
    assert given.encode(["Apple", "apple"]).tolist() == [[1, 0], [0, 1]]
    lower = paranmt.load_encoder(tmp_path / "vectors.txt")
    assert lower.encode(["Apple", "apple"]).tolist() == [[0, 1], [0, 1]]
    config = tmp_path / "encoder/config.json"
    config.write_text(config.read_text().replace('"lower_case": false', '"lower_case": true'))
    with pytest.raises(ModelError):
        SentenceEncoder.load(tmp_path / "encoder")


def test_the_export_for_sentence_transformers_refuses_it(encoder: SentenceEncoder) -> None:
    with pytest.raises(ModelError, match="its tokens keep their case"):
        _exportable(encoder)


def test_tune_refuses_them() -> None:
    with pytest.raises(RecipeError, match="keep their case: set text.tokens to words or whitespace"):
        Tuning(data="sts", options=TrainOptions(text=TextOptions(tokens="cased_words")))
