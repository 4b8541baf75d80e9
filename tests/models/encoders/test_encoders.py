"""What holds for every encoder, and averages and mixtures worked by hand."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_encoders import ROWS, SMALL, WORDS, build, streams_of

from paranmt.base.errors import RecipeError
from paranmt.models.encoders.encoder import embed
from paranmt.models.encoders.encoder_kinds import ENCODERS, AveragingOptions, Component, MixedOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.token_ids import Streams, TokenIds
from paranmt.models.encoders.vocabulary import Vocabulary


@pytest.mark.parametrize("name", ENCODERS)
def test_options_know_their_name(name: str) -> None:
    assert SMALL[name].type == name and type(SMALL[name]) is ENCODERS[name]


@settings(deadline=None, max_examples=25)
@given(
    name=st.sampled_from(sorted(SMALL)),
    sentences=st.lists(st.lists(st.integers(0, ROWS - 1), max_size=7), min_size=1, max_size=6),
    batch=st.integers(1, 4),
)
def test_a_vector_does_not_depend_on_the_other_sentences(
    name: str, sentences: list[list[int]], batch: int
) -> None:
    encoder = build(SMALL[name])
    together = embed(encoder, streams_of(encoder, sentences), batch)
    assert together.shape == (len(sentences), encoder.dimension) and together.isfinite().all()
    for sentence, vector in zip(sentences, together, strict=True):
        (alone,) = embed(encoder, streams_of(encoder, [sentence]), 1)
        torch.testing.assert_close(vector, alone)
        assert sentence or not vector.any()


def test_no_sentences_and_only_empty_ones() -> None:
    for options in SMALL.values():
        encoder = build(options)
        assert embed(encoder, streams_of(encoder, []), 2).shape == (0, encoder.dimension)
        assert not embed(encoder, streams_of(encoder, [[], []]), 2).any()


@pytest.mark.parametrize("name", ENCODERS)
def test_every_parameter_has_a_gradient(name: str) -> None:
    encoder = build(SMALL[name]).train()
    weights = torch.randn(3, encoder.dimension)
    (encoder(streams_of(encoder, [[1, 2, 3, 4], [5, 6], [7]])) * weights).sum().backward()
    for parameter_name, parameter in encoder.named_parameters():
        assert parameter.grad is not None and parameter.grad.any(), parameter_name
    for table, units in encoder.tables.items():
        gradient = encoder.get_parameter(table).grad
        assert gradient is not None and not gradient[[0, 8]].any(), f"{units} that are in no sentence"


@pytest.mark.parametrize("name", ENCODERS)
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    options = SMALL[name]
    vocabularies = [
        Vocabulary([f"{units}{row}" for row in range(1, ROWS)], units) for units in options.streams("words")
    ]
    model = SentenceEncoder(build(options), *vocabularies)
    for folder in ("one", "two"):
        model.save(tmp_path / folder)
        model = SentenceEncoder.load(tmp_path / folder)
    assert model.encoder.options == options
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}
    sentences = ["words1 words8, words3", "", "unknown", "words2"]
    vectors = model.encode(sentences)
    assert np.isfinite(vectors).all() and not vectors[1].any()
    torch.testing.assert_close(vectors, SentenceEncoder(build(options), *vocabularies).encode(sentences))


def test_a_mean_by_hand() -> None:
    encoder = build(WORDS)
    with torch.no_grad():
        table = torch.arange(ROWS)[:, None] * torch.tensor([1.0, 10.0, 0.0, -1.0])
        encoder.get_parameter("embedding.weight").copy_(table)
    assert encoder(streams_of(encoder, [[1, 2, 6], [4]])).tolist() == [
        [3.0, 30.0, 0.0, -3.0],
        [4.0, 40.0, 0.0, -4.0],
    ]


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        ("concatenate", [[2.0, 30.0, -1.5], [2.0, 10.0, -1.5]]),
        ("concatenate_normalised", [[1.0, 1.0, -1.0], [1.0, 1.0, -1.0]]),
        ("add", [[30.5], [10.5]]),
    ],
)
def test_a_mixture_by_hand(combine: str, expected: list[list[float]]) -> None:
    # Word w has w in one table and 0.5 − w in another, and trigram t has 10 t.
    part = AveragingOptions(dimension=1)
    parts = (Component(encoder=part), Component(encoder=part, units="trigrams"), Component(encoder=part))
    encoder = build(MixedOptions(parts=parts, combine=combine))  # type: ignore[arg-type]
    row = torch.arange(ROWS, dtype=torch.float32)
    with torch.no_grad():
        for number, table in enumerate((row, 10 * row, 0.5 - row)):
            encoder.get_parameter(f"parts.{number}.embedding.weight").copy_(table[:, None])
    sentences = Streams(words=TokenIds.of([[1, 3], [2]]), trigrams=TokenIds.of([[4, 2, 3], [1]]))
    assert encoder(sentences).tolist() == expected


def test_vectors_of_different_dimensions_cannot_be_added() -> None:
    parts = tuple(Component(encoder=AveragingOptions(dimension=d)) for d in (2, 3))
    with pytest.raises(RecipeError, match="of the same dimension can be added; these have 2, 3"):
        build(MixedOptions(parts=parts, combine="add"))
    with pytest.raises(RecipeError, match="must name 1 to 256 encoders, not 0"):
        MixedOptions(parts=())


def test_word_dropout_zeroes_whole_vectors_and_keeps_the_denominator() -> None:
    encoder = build(AveragingOptions(dimension=4, word_dropout=0.5)).train()
    with torch.no_grad():
        encoder.get_parameter("embedding.weight").fill_(1.0)
    sentences = streams_of(encoder, [[1] * 4] * 200)
    means = encoder(sentences)
    assert (means == means[:, :1]).all()  # a word is there as a whole or not at all
    # Each of four words stays with weight 2 or goes: 0, 0.5, 1, 1.5 or 2.
    assert set(means[:, 0].tolist()) == {0.0, 0.5, 1.0, 1.5, 2.0}
    assert (encoder.eval()(sentences) == 1).all()


def test_dropout_zeroes_single_numbers() -> None:
    encoder = build(AveragingOptions(dimension=4, dropout=0.5)).train()
    with torch.no_grad():
        encoder.get_parameter("embedding.weight").fill_(1.0)
    means = encoder(streams_of(encoder, [[1]] * 100))
    assert set(means.flatten().tolist()) == {0.0, 2.0}
    assert not (means == means[:, :1]).all()
