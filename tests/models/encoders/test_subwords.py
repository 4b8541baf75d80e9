"""Subwords as units: sentencepiece models, given or trained on the pairs, in every kind of encoder."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sentencepiece
from small_encoders import SMALL

from paranmt.base.errors import ModelError, RecipeError
from paranmt.models.encoders.encoder_kinds import AveragingOptions, Component, MixedOptions
from paranmt.models.encoders.encoder_options import EncoderOptions
from paranmt.models.encoders.row_index import RowIndex
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.subword_units import SubwordVocabulary, load_vocabulary
from paranmt.models.training.pair_training import TrainProgress
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.training.trainer import train_encoder
from paranmt.pipeline.recipe.train_entries import Tuning
from paranmt.transforms.trainings.training_encoders import InputHashes, training_ingredients

_WORDS = ["running", "runner", "runs", "walking", "walker", "walks", "dogs", "dog", "cats", "cat", "the", "a"]
_COUNTS = {word: 40 - 3 * row for row, word in enumerate(_WORDS)}
_TEXT = TextOptions(units="subwords", subword_size=40)


def _pairs(count: int = 300) -> PairList:
    draw = random.Random(1)
    sides = [[" ".join(draw.choices(_WORDS, k=5)) for _ in range(count)] for _ in range(2)]
    return PairList(*sides)


def _options(encoder: EncoderOptions, text: TextOptions = _TEXT, epochs: int = 1) -> TrainOptions:
    return TrainOptions(encoder=encoder, text=text, epochs=epochs, batch=50, mega_batch=2)


AVG = AveragingOptions(dimension=4)


def test_a_model_depends_on_the_counts_alone() -> None:
    model = SubwordVocabulary.train(_COUNTS, 30).model
    assert SubwordVocabulary.train(dict(reversed(_COUNTS.items())), 30).model == model
    assert SubwordVocabulary.train({**_COUNTS, "dog": 500}, 30).model != model


def test_rows_are_those_of_the_pieces() -> None:
    vocabulary = SubwordVocabulary.train(_COUNTS, 40)
    reference = sentencepiece.SentencePieceProcessor(model_proto=vocabulary.model)
    for sentence in ("the dogs ran", "walker", "a\u2581b", "THE Walking dogs!"):
        words = " ".join(sentence.lower().replace("!", " !").replace("\u2581", " \u2581 ").split())
        pieces = reference.encode(words, out_type=str)
        expected = [0 if piece not in vocabulary.entries else vocabulary.row(piece) for piece in pieces]
        assert vocabulary.ids(sentence) == expected
    assert 0 in vocabulary.ids("dogs !") and 0 not in vocabulary.ids("dogs")
    assert vocabulary.ids("") == vocabulary.ids("  ") == []
    assert vocabulary.ids("\u200b") == [0]  # the model removes it, but it was a token
    assert len(vocabulary) == reference.get_piece_size()


def test_the_unknown_piece_of_other_models_has_row_0(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(_WORDS * 9))
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "m"), vocab_size=40, model_type="bpe",
        pad_id=0, unk_id=3, minloglevel=2, hard_vocab_limit=False,
    )  # fmt: skip
    vocabulary = load_vocabulary(tmp_path / "m.model", "subwords", "whitespace")
    reference = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    assert reference.unk_id() == 3 and "<unk>" not in vocabulary.entries
    ids = reference.encode("dogs ! cat")
    assert vocabulary.ids("dogs ! cat") == [{**dict.fromkeys(range(3), i + 1), 3: 0}.get(i, i) for i in ids]
    assert [vocabulary.entries[row - 1] for row in vocabulary.ids("cat")] == reference.encode(
        "cat", out_type=str
    )


def test_columns_have_the_same_rows_as_sentences() -> None:
    vocabulary = SubwordVocabulary.train(_COUNTS, 40)
    texts = ["The dogs!", None, "", "walker  runs", "\u200b", "ß"]
    ids = RowIndex(vocabulary).token_ids(pa.array(texts))
    rows = [ids.ids[start:end].tolist() for start, end in zip(ids.starts, ids.starts[1:], strict=False)]
    assert rows == [vocabulary.ids(text or "") for text in texts]


@pytest.mark.parametrize("name", SMALL)
def test_every_encoder_reads_subwords(tmp_path: Path, name: str) -> None:
    options = SMALL[name]
    if isinstance(options, MixedOptions):
        parts = (
            Component(encoder=AVG, units="subwords"),
            Component(encoder=AVG),
            Component(encoder=AVG, units="trigrams"),
        )
        options = MixedOptions(parts=parts)
    train_encoder(_pairs(60), _options(options), tmp_path / "out", tmp_path / "scratch")
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert "sentencepiece.model" in files and ("vocabulary.words.txt" in files) == (name == "mixed")
    encoder = SentenceEncoder.load(tmp_path / "out")
    vectors = encoder.encode(["the dogs", "", "unseen!", "the dogs"])
    assert np.isfinite(vectors).all() and not vectors[1].any() and np.allclose(vectors[0], vectors[3])


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_stopped_and_resumed_is_byte_identical(tmp_path: Path) -> None:
    options = _options(
        MixedOptions(parts=(Component(encoder=AVG, units="subwords"), Component(encoder=AVG))), epochs=3
    )

    class StoppedError(Exception):
        pass

    def stop(progress: TrainProgress) -> None:
        if progress.epoch == 2:
            raise StoppedError

    train_encoder(_pairs(), options, tmp_path / "whole", tmp_path / "scratch-whole")
    with pytest.raises(StoppedError):
        train_encoder(_pairs(), options, tmp_path / "resumed", tmp_path / "scratch", stop)
    result = train_encoder(_pairs(), options, tmp_path / "resumed", tmp_path / "scratch")
    assert result.resumed_from_epoch == 1
    assert _bytes(tmp_path / "resumed") == _bytes(tmp_path / "whole")


def _model(path: Path, counts: dict[str, int]) -> str:
    path.write_bytes(SubwordVocabulary.train(counts, 40).model)
    return str(path)


def test_a_given_model_is_used_and_known_by_its_content(tmp_path: Path) -> None:
    text = TextOptions(units="subwords", sentencepiece=_model(tmp_path / "m.model", _COUNTS))
    options = _options(AVG, text)
    train_encoder(_pairs(), options, tmp_path / "out", tmp_path / "scratch")
    assert (tmp_path / "out/sentencepiece.model").read_bytes() == (tmp_path / "m.model").read_bytes()
    # Another model in its place, and the tokenised pairs of the first are not taken for its own.
    _model(tmp_path / "m.model", {**_COUNTS, "dog": 500})
    train_encoder(_pairs(), options, tmp_path / "other", tmp_path / "scratch")
    assert (tmp_path / "other/sentencepiece.model").read_bytes() == (tmp_path / "m.model").read_bytes()
    shutil.rmtree(tmp_path / "scratch")
    train_encoder(_pairs(), options, tmp_path / "fresh", tmp_path / "scratch")
    assert _bytes(tmp_path / "other") == _bytes(tmp_path / "fresh")


def test_training_goes_on_from_an_encoder_with_subwords(tmp_path: Path) -> None:
    train_encoder(_pairs(), _options(AVG), tmp_path / "first", tmp_path / "scratch-1")
    options = TrainOptions(encoder=AVG, text=_TEXT, epochs=1, start=str(tmp_path / "first"))
    train_encoder(_pairs(40), options, tmp_path / "second", tmp_path / "scratch-2")
    first, second = _bytes(tmp_path / "first"), _bytes(tmp_path / "second")
    assert first["sentencepiece.model"] == second["sentencepiece.model"]
    assert first["model.safetensors"] != second["model.safetensors"]


def test_damaged_folders(tmp_path: Path) -> None:
    train_encoder(_pairs(60), _options(AVG), tmp_path / "avg", tmp_path / "scratch")
    config = tmp_path / "avg/config.json"
    assert json.loads(config.read_text())["text"]["units"] == "subwords"
    model = tmp_path / "avg/sentencepiece.model"
    whole = model.read_bytes()
    model.write_bytes(whole[:-50])
    with pytest.raises(ModelError, match="checksum"):
        SentenceEncoder.load(tmp_path / "avg")
    model.unlink()
    with pytest.raises(ModelError, match=r"no readable sentencepiece.model"):
        SentenceEncoder.load(tmp_path / "avg")
    for content in (b"", b"not a model", whole[: len(whole) // 2]):
        model.write_bytes(content)
        with pytest.raises(ModelError, match="is not a sentencepiece model"):
            load_vocabulary(model, "subwords", "words")


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="sentencepiece only works with subwords"):
        TrainOptions(text=TextOptions(sentencepiece="m.model"))
    with pytest.raises(RecipeError, match="scramble does not work with subwords"):
        TrainOptions(text=_TEXT, scramble=0.3)
    with pytest.raises(RecipeError, match="the encoders of tune have no subwords"):
        Tuning(data="d", options=TrainOptions(text=_TEXT))
    with pytest.raises(RecipeError, match="subword_size must be at least 1"):
        TextOptions(subword_size=0)
    with pytest.raises(RecipeError, match="no sentencepiece model of 5 pieces could be trained on 12"):
        SubwordVocabulary.train(_COUNTS, 5)  # fewer than characters


def test_the_key_has_the_content_of_the_model_and_not_its_place() -> None:
    options = _options(AVG, TextOptions(units="subwords", sentencepiece="/a/path.model"))
    text = training_ingredients(options, InputHashes(sentencepiece="h"))["text"]
    assert text["sentencepiece"] == "h" and "path" not in repr(text)  # type: ignore[index]
