import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from uuid import uuid4

import numpy as np
import pytest
import torch

import paranmt.models.training.pair_training as training
from paranmt.base.errors import InputError, ModelError, RecipeError
from paranmt.base.hashing import derive_seed
from paranmt.models.encoders.averaging import Averaging
from paranmt.models.encoders.encoder import Encoder
from paranmt.models.encoders.encoder_kinds import (
    ENCODERS,
    AveragingOptions,
    BiLstmOptions,
    Component,
    LstmAveragingOptions,
    MixedOptions,
)
from paranmt.models.encoders.encoder_options import UnitOptions
from paranmt.models.encoders.joined import joined
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.token_ids import Streams, TokenIds
from paranmt.models.encoders.vocabulary import Tags, Units, Vocabulary
from paranmt.models.training.gradient_cache import backward_in_chunks
from paranmt.models.training.pair_training import TrainProgress
from paranmt.models.training.pairs import PairList, PairStream, TokenCorpus, tokenise_pairs
from paranmt.models.training.same_texts import Exclusions
from paranmt.models.training.scratch import clear_scratch
from paranmt.models.training.start import Start
from paranmt.models.training.train_options import NegativesExclude, TextOptions, TrainOptions
from paranmt.models.training.trainer import TrainResult, train_encoder
from paranmt.models.training.updates import Updates

_SMALL = TrainOptions(encoder=AveragingOptions(dimension=8), epochs=3, batch=4, mega_batch=3, device="cpu")

_MIXED = MixedOptions(
    parts=(
        Component(encoder=AveragingOptions(dimension=4)),
        Component(encoder=AveragingOptions(dimension=3), units="trigrams"),
        Component(encoder=AveragingOptions(dimension=2, word_dropout=0.3)),
    )
)


def _pairs(n: int = 30) -> PairList:
    """References about one of 10 things, translations with another word for it."""
    references = [f"the thing{i % 10} stood there {i}" for i in range(n)]
    return PairList(references, [f"There was a object{i % 10} , {i % 7}" for i in range(n)])


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _tokenised(stream: PairStream, options: TextOptions, folder: Path, *streams: Units) -> TokenCorpus:
    aside = folder / f"attempt-{uuid4().hex}"
    aside.mkdir(parents=True)
    return tokenise_pairs(stream, options, folder / "tokens", aside, streams or (options.units,))


def _started(options: TrainOptions, trained: SentenceEncoder) -> Encoder:
    """The encoder from which a training began."""
    rows = {units: len(vocabulary) for units, vocabulary in trained.vocabularies.items()}
    return Start(options).encoder(rows)


def _table(encoder: Encoder) -> torch.Tensor:
    return encoder.get_parameter("embedding.weight")


class TestTokenising:
    def test_layout_and_counts(self, tmp_path: Path) -> None:
        stream = PairList(["b a", "a b c d", "", "C"], ["A", "a", "a", "c a"])
        corpus = _tokenised(stream, TextOptions(max_tokens=3), tmp_path)
        assert corpus.vocabularies["words"].entries == ["a", "c", "b"]  # 3, 2 and 1 of the pairs that stay
        assert corpus.streams["words"].ids.tolist() == [3, 1, 1, 2, 2, 1]
        assert corpus.streams["words"].starts.tolist() == [0, 2, 3, 4, 6]
        reading = corpus.reading
        assert (len(corpus), reading.too_long, reading.empty) == (2, 1, 1)
        assert corpus.take(np.array([1]))["words"].ids.tolist() == [2, 2, 1]

    def test_cutting_long_pairs(self, tmp_path: Path) -> None:
        corpus = _tokenised(PairList(["a b c"], ["a"]), TextOptions(max_tokens=2, long_pairs="cut"), tmp_path)
        assert corpus.streams["words"].starts.tolist() == [0, 2, 3]
        assert (corpus.reading.pairs, corpus.reading.too_long) == (1, 1)

    def test_rare_units_share_row_zero(self, tmp_path: Path) -> None:
        corpus = _tokenised(
            PairList(["a b", "a c"], ["a", "b"]), TextOptions(minimum_count=2), tmp_path / "m"
        )
        assert corpus.streams["words"].ids.tolist() == [1, 2, 1, 1, 0, 2]
        corpus = _tokenised(
            PairList(["a b", "a c"], ["a", "b"]), TextOptions(vocabulary_size=1), tmp_path / "s"
        )
        assert corpus.streams["words"].ids.tolist() == [1, 0, 1, 1, 0, 0]

    def test_trigrams(self, tmp_path: Path) -> None:
        corpus = _tokenised(PairList(["It is"], ["it"]), TextOptions(units="trigrams"), tmp_path)
        entries = corpus.vocabularies["trigrams"].entries
        assert [entries[row - 1] for row in corpus.streams["trigrams"].ids] == [
            " it",
            "it ",
            "t i",
            " is",
            "is ",
            " it",
            "it ",
        ]

    def test_tags(self, tmp_path: Path) -> None:
        options = TextOptions(tags="both", max_tokens=2)
        corpus = _tokenised(PairList(["a b", "a b c"], ["a", "a"]), options, tmp_path)
        assert corpus.vocabularies["words"].entries == ["</s>", "<s>", "a", "b"]  # 2, 2, 2 and 1
        assert corpus.streams["words"].ids.tolist() == [2, 3, 4, 1, 2, 3, 1]  # the limit is of words

    def test_batches_of_a_stream_make_no_difference(self, tmp_path: Path) -> None:
        class Stream:
            key = "in threes"

            def __iter__(self) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
                pairs = _pairs()
                for start in range(0, 30, 3):
                    yield pairs.references[start : start + 3], pairs.translations[start : start + 3]
                yield [], []

        one = _tokenised(_pairs(), TextOptions(), tmp_path / "one", "words", "trigrams")
        two = _tokenised(Stream(), TextOptions(), tmp_path / "two", "words", "trigrams")
        for units in ("words", "trigrams"):
            assert one.vocabularies[units].entries == two.vocabularies[units].entries
            assert (one.streams[units].ids == two.streams[units].ids).all()
            assert (one.streams[units].starts == two.streams[units].starts).all()

    def test_is_kept_under_its_key_alone(self, tmp_path: Path) -> None:
        class Keyed:
            def __init__(self, key: str, pairs: int) -> None:
                self.key, self.pairs = key, pairs

            def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
                yield ["a"] * self.pairs, ["b"] * self.pairs

        def count(key: str, pairs: int) -> int:
            return len(_tokenised(Keyed(key, pairs), TextOptions(), tmp_path))

        assert count("1", pairs=1) == 1
        assert count("1", pairs=2) == 1
        assert count("2", pairs=2) == 2
        (tmp_path / "tokens/finished.json").unlink()
        assert count("2", pairs=1) == 1

    def test_the_key_of_a_list_is_its_text(self) -> None:
        lists = [PairList(["a", "b"], ["c", "d"]), PairList(["a", "b"], ["c", "e"]), PairList(["ab"], ["cd"])]
        assert len({pairs.key for pairs in lists}) == 3
        assert PairList(["a"], ["b"]).key == PairList(("a",), ("b",)).key

    def test_no_pairs(self, tmp_path: Path) -> None:
        with pytest.raises(
            InputError, match="no pairs to train on: 0 are longer than 50 tokens and 1 have an empty"
        ):
            _tokenised(PairList(["a"], [" "]), TextOptions(), tmp_path)


class _Recorder:
    """Notes what a training run embeds for its choice of negatives and takes for its steps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.events: list[tuple[str, int]] = []
        self.trained: list[list[int]] = []
        choose, step = training.choose_negatives, training.PairTraining._step

        def choose_negatives(vectors: torch.Tensor, *rest: object) -> np.ndarray:
            self.events.append(("choose", len(vectors) // 2))
            return choose(vectors, *rest)  # type: ignore[arg-type]

        def record_step(
            self_: training.PairTraining,
            sentences: Streams,
            texts: np.ndarray,
            batch: np.ndarray,
            negatives: np.ndarray,
        ) -> torch.Tensor:
            self.events.append(("step", len(batch)))
            words = sentences["words"]
            self.trained.append(words.ids[words.starts[batch]].tolist())
            return step(self_, sentences, texts, batch, negatives)

        monkeypatch.setattr(training, "choose_negatives", choose_negatives)
        monkeypatch.setattr(training.PairTraining, "_step", record_step)


def test_copies_of_a_text_are_known_as_such_when_they_are_scrambled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    excluded, choose = [], training.choose_negatives

    def record(
        vectors: torch.Tensor, mode: str, pool: str, exclusions: Exclusions, *rest: object
    ) -> np.ndarray:
        excluded.append(exclusions.between(torch.arange(4)[:, None], torch.arange(4)))
        return choose(vectors, mode, pool, exclusions, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(training, "choose_negatives", record)
    texts = PairList(["one two three four five"] * 4, ["a", "b", "c", "d"])
    train_encoder(texts, replace(_SMALL, epochs=1, scramble=1.0), tmp_path / "out", tmp_path / "scratch")
    assert len(excluded) == 1 and excluded[0].all()


@pytest.mark.parametrize(("rule", "warned"), [("own_pair", True), ("equal_texts", False)])
def test_the_share_of_recurring_texts_is_measured(
    rule: NegativesExclude, warned: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # In a mega-batch of all 10 pairs, 6 have a reference that stands in another one.
    pairs = PairList(["a", "b", "c", "d", *["e f"] * 6], [f"t{i}" for i in range(10)])
    options = replace(_SMALL, epochs=1, negatives_exclude=rule)
    result = train_encoder(pairs, options, tmp_path / "out", tmp_path / "scratch")
    assert result.recurring == 0.6
    assert ("in a mega-batch, 60 % of the pairs share a text with another pair" in caplog.text) == warned


@pytest.mark.parametrize(("rule", "counted"), [("own_pair", 1), ("equal_texts", 1 + 2 * 3)])
def test_the_first_order_is_made_once_and_texts_are_compared_where_they_count(
    rule: NegativesExclude, counted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    numbers, generators = training.text_numbers, np.random.default_rng
    monkeypatch.setattr(training, "text_numbers", lambda sentences: calls.append(1) or numbers(sentences))
    seeds: list[int] = []
    monkeypatch.setattr(np.random, "default_rng", lambda *seed: seeds.extend(seed) or generators(*seed))
    options = replace(_SMALL, epochs=2, batch=2, mega_batch=2, negatives_exclude=rule)
    train_encoder(_numbered(12), options, tmp_path / "out", tmp_path / "scratch")
    assert len(calls) == counted  # once for the measured share, then in each mega-batch
    assert [seeds.count(derive_seed(options.seed, f"epoch {epoch}")) for epoch in (0, 1)] == [1, 1]


def test_a_training_without_negatives_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    train_encoder(
        PairList(["a"] * 12, ["b"] * 12), replace(_SMALL, epochs=1), tmp_path / "out", tmp_path / "scratch"
    )
    assert caplog.text.count("100 % of the sentences of a mega-batch have no negative") == 1


def _numbered(n: int) -> PairList:
    """References that begin with a word of their own."""
    return PairList([f"w{i} here" for i in range(n)], ["there"] * n)


def test_the_order_of_a_mega_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 30 pairs in mini-batches of 4, 3 to a mega-batch: 12, 12 and a short one of 4 + 2.
    recorder = _Recorder(monkeypatch)
    train_encoder(_numbered(30), replace(_SMALL, epochs=2), tmp_path / "out", tmp_path / "scratch")
    full = [("choose", 12), ("step", 4), ("step", 4), ("step", 4)]
    assert recorder.events == 2 * [*full, *full, ("choose", 6), ("step", 4), ("step", 2)]
    epochs = [sum(recorder.trained[:8], []), sum(recorder.trained[8:], [])]
    assert sorted(epochs[0]) == sorted(epochs[1])
    assert len(set(epochs[0])) == 30  # each pair once an epoch, in another order
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize("word_dropout", [0.0, 0.5])
def test_a_sentence_is_computed_once_in_a_mini_batch_without_dropout(
    word_dropout: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed, forward = [], Averaging.forward

    def record(self: Averaging, sentences: Streams) -> torch.Tensor:
        if self.training:
            computed.append(sentences.count)
        return forward(self, sentences)

    monkeypatch.setattr(Averaging, "forward", record)
    options = replace(_SMALL, encoder=AveragingOptions(dimension=8, word_dropout=word_dropout), epochs=1)
    # A mega-batch of a single mini-batch of 4 pairs: each negative is one of the 8 sentences.
    train_encoder(_pairs(4), options, tmp_path / "out", tmp_path / "scratch")
    assert computed == [16 if word_dropout else 8]


def test_annealing_grows_the_mega_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = _Recorder(monkeypatch)
    options = replace(_SMALL, batch=1, mega_batch=3, anneal_every=3, epochs=1)
    train_encoder(_numbered(12), options, tmp_path / "out", tmp_path / "scratch")
    assert [pairs for event, pairs in recorder.events if event == "choose"] == [1, 1, 1, 2, 2, 3, 2]


def test_one_step_is_the_gradient_of_the_loss(tmp_path: Path) -> None:
    # One pair: its own sides are its negatives. Adam's first step is of length `rate` against the sign.
    pairs = PairList(["a b"], ["c"])
    options = replace(_SMALL, epochs=1, embedding_updates="dense", margin=2.0, negatives_exclude="own_pair")
    train_encoder(pairs, options, tmp_path / "out", tmp_path / "scratch")
    trained = SentenceEncoder.load(tmp_path / "out")
    start = _table(_started(options, trained)).detach().clone().requires_grad_()
    a, b, c = start[1], start[2], start[3]
    s1, s2 = (a + b) / 2, c
    # Both negatives are sentence 0, the first of equals: t1 = t2 = s1.
    cosine = torch.nn.functional.cosine_similarity(s1, s2, dim=0)
    ((2 - cosine + 1) + (2 - cosine + cosine)).backward()
    assert start.grad is not None
    expected = start.detach() - 1e-3 * start.grad.sign()
    torch.testing.assert_close(_table(trained.encoder).detach()[1:], expected[1:], atol=1e-6, rtol=0)
    assert (_table(trained.encoder).detach()[0] == start.detach()[0]).all()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"embedding_updates": "dense", "lambda_words": 1e-3},
        {"negatives": "mix", "negative_pool": "other_side", "anneal_every": 2},
        {"encoder": AveragingOptions(dimension=8, word_dropout=0.3), "scramble": 0.5},
        {"encoder": AveragingOptions(dimension=8, dropout=0.3), "scramble": 0.5, "scramble_by": "sentence"},
        {"text": TextOptions(units="trigrams")},
        {"objective": "infonce", "encoder": LstmAveragingOptions(dimension=8), "clip_norm": 1.0},
        {"objective": "infonce", "encode_at_once": 3, "mask_above": 0.9, "schedule": "linear"},
        {"encode_at_once": 5, "encoder": AveragingOptions(dimension=8, word_dropout=0.3)},
        {"encoder": _MIXED},
        {"encoder": _MIXED, "embedding_updates": "dense", "lambda_words": 1e-3},
    ],
    ids=str,
)
def test_training_twice_gives_the_same_bytes_and_lowers_the_loss(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    options = replace(_SMALL, epochs=12, learning_rate=0.02, **changes)  # type: ignore[arg-type]
    torch.manual_seed(5)
    before = torch.rand(1)
    torch.manual_seed(5)
    result = train_encoder(_pairs(), options, tmp_path / "one", tmp_path / "scratch-one")
    assert torch.rand(1) == before  # the caller's random numbers are untouched
    assert not torch.are_deterministic_algorithms_enabled()
    train_encoder(_pairs(), options, tmp_path / "two", tmp_path / "scratch-two")
    assert _bytes(tmp_path / "one") == _bytes(tmp_path / "two")
    assert result.losses[-1] < result.losses[0]
    assert len(result.losses) == 12
    train_encoder(_pairs(), replace(options, seed=2), tmp_path / "three", tmp_path / "scratch-three")
    assert _bytes(tmp_path / "one") != _bytes(tmp_path / "three")


def test_paraphrases_become_nearest_neighbours(tmp_path: Path) -> None:
    train_encoder(
        _pairs(300), replace(_SMALL, epochs=20, learning_rate=0.02), tmp_path / "out", tmp_path / "scratch"
    )
    vectors = SentenceEncoder.load(tmp_path / "out").encode(
        [f"thing{i}" for i in range(10)] + [f"object{i}" for i in range(10)]
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert (np.argmax(vectors[:10] @ vectors[10:].T, axis=1) == np.arange(10)).all()


def test_rows_and_dense_updates_agree_where_every_row_is_in_every_batch(tmp_path: Path) -> None:
    pairs = PairList(["a b", "b c", "c a"], ["b a", "c b", "a c"])
    for updates in ("rows", "dense"):
        options = replace(_SMALL, embedding_updates=updates)  # type: ignore[arg-type]
        train_encoder(pairs, options, tmp_path / updates, tmp_path / f"scratch-{updates}")
    rows, dense = (_table(SentenceEncoder.load(tmp_path / name).encoder) for name in ("rows", "dense"))
    torch.testing.assert_close(rows, dense)


def test_a_heavy_lambda_words_holds_the_table_at_its_start(tmp_path: Path) -> None:
    moved = []
    for weight in (0.0, 1e3):
        options = replace(_SMALL, embedding_updates="dense", lambda_words=weight, epochs=30)
        train_encoder(_pairs(), options, tmp_path / f"{weight}", tmp_path / f"scratch-{weight}")
        trained = SentenceEncoder.load(tmp_path / f"{weight}")
        start = _table(_started(options, trained))
        moved.append((_table(trained.encoder) - start).abs().max().item())
    assert moved[1] < moved[0] / 4


@dataclass(frozen=True, kw_only=True)
class _ProjectedOptions(UnitOptions):
    type: Literal["projected"] = "projected"

    def build(self, rows: Mapping[Units, int], units: Units) -> "_Projected":
        return _Projected(rows[units], self, units)


class _Projected(Averaging):
    """A mean and a linear layer: an encoder with parameters beside its table."""

    def __init__(self, rows: int, options: UnitOptions, units: Units) -> None:
        super().__init__(rows, options, units)
        self.linear = torch.nn.Linear(options.dimension, options.dimension)

    def forward(self, sentences: Streams) -> torch.Tensor:
        return self.linear(super().forward(sentences))


def test_an_encoder_is_added_by_one_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENCODERS, "projected", _ProjectedOptions)
    sizes = []
    for weight in (0.0, 10.0):
        options = replace(_SMALL, encoder=_ProjectedOptions(dimension=8), lambda_encoder=weight)
        for updates in ("rows", "dense"):
            once = replace(options, embedding_updates=updates, epochs=10, learning_rate=0.01)  # type: ignore[arg-type]
            result = train_encoder(_pairs(), once, tmp_path / updates, tmp_path / f"scratch-{updates}")
            assert weight or result.losses[-1] < result.losses[0]
        trained = SentenceEncoder.load(tmp_path / "rows").encoder
        assert isinstance(trained, _Projected)
        sizes.append(trained.linear.weight.abs().sum().item())
    assert sizes[1] < sizes[0] / 2


@pytest.mark.parametrize("objective", ["margin", "infonce"])
@pytest.mark.parametrize("updates", ["rows", "dense"])
def test_encoding_a_few_sentences_at_once_changes_nothing(
    tmp_path: Path, objective: Literal["margin", "infonce"], updates: Literal["rows", "dense"]
) -> None:
    options = replace(
        _SMALL, objective=objective, embedding_updates=updates, encoder=_ProjectedOptions(dimension=8)
    )
    options = replace(options, lambda_encoder=0.1)
    tables = []
    for at_once in (None, 1, 3):
        once = replace(options, encode_at_once=at_once, epochs=1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(ENCODERS, "projected", _ProjectedOptions)
            train_encoder(_pairs(), once, tmp_path / f"{at_once}", tmp_path / f"scratch-{at_once}")
            tables.append(SentenceEncoder.load(tmp_path / f"{at_once}").encoder.state_dict())
    for other in tables[1:]:
        for name, value in other.items():
            torch.testing.assert_close(value, tables[0][name], atol=1e-5, rtol=1e-4)


def test_chunks_are_encoded_again_with_the_same_dropout() -> None:
    torch.manual_seed(3)
    encoder = draw_weights(AveragingOptions(dimension=5, dropout=0.5).build({"words": 9}, "words"), 3).train()
    chunks = [Streams(words=TokenIds.of(ids)) for ids in ([[1, 2], [3]], [[4, 5, 6]])]
    state = torch.get_rng_state()
    # The loss weighs the vectors, so that its gradient shows which numbers were dropped.
    loss = backward_in_chunks(encoder, chunks, lambda vectors: vectors.square().sum())
    cached, after = _table(encoder).grad, torch.rand(1)
    encoder.zero_grad()
    torch.set_rng_state(state)
    expected = torch.cat([encoder(chunk) for chunk in chunks]).square().sum()
    expected.backward()
    assert cached is not None and _table(encoder).grad is not None
    torch.testing.assert_close(cached, _table(encoder).grad)
    assert loss == expected.detach() and after == torch.rand(1)


def _updates(**options: object) -> Updates:
    encoder = draw_weights(AveragingOptions(dimension=2).build({"words": 3}, "words"), 1)
    by_rows = {} if options.pop("embedding_updates") == "dense" else encoder.tables
    return Updates(dict(encoder.named_parameters()), by_rows, **options)  # type: ignore[arg-type]


def test_schedules_by_hand() -> None:
    cases = {
        ("constant", 0): [1, 1, 1, 1, 1, 1],
        ("constant", 3): [1 / 4, 2 / 4, 3 / 4, 1, 1, 1],
        ("linear", 0): [6 / 6, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6],
        ("linear", 2): [1 / 3, 2 / 3, 4 / 4, 3 / 4, 2 / 4, 1 / 4],
    }
    for (schedule, warmup), expected in cases.items():
        options = replace(_SMALL, schedule=schedule, warmup_steps=warmup, learning_rate=0.5)  # type: ignore[arg-type]
        rates = [options.rate(step, steps=6) for step in range(1, 7)]
        assert rates == pytest.approx([0.5 * factor for factor in expected]), schedule


@pytest.mark.parametrize("updates_of", ["rows", "dense"])
def test_the_norm_of_gradients_is_clipped(updates_of: str) -> None:
    # Two rows have the gradients (3, 0) and (0, 4), of norm 5 together.
    updates = _updates(clip_norm=1.0, embedding_updates=updates_of)
    small = updates.small_tables(Streams(words=TokenIds.of([[1, 2]])))
    (table,) = small.tables.values() if small.tables else updates.parameters.values()
    gradient = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    table.grad = gradient if small.tables else torch.cat([torch.zeros(1, 2), gradient])
    kept = table.grad
    updates.step(small, 0.1)
    assert kept[-2:].flatten().tolist() == pytest.approx([0.6, 0, 0, 0.8], abs=1e-5)


def test_scrambling_keeps_the_tokens_of_a_sentence(tmp_path: Path) -> None:
    references: Sequence[str] = [" ".join(f"w{i}x{j}" for j in range(8)) for i in range(40)]
    corpus = _tokenised(PairList(references, references), TextOptions(), tmp_path)
    encoder = Start(_SMALL).encoder(corpus.rows())
    for by, both in (("pair", True), ("sentence", False)):
        trainer = training.PairTraining(encoder, corpus, replace(_SMALL, scramble=0.5, scramble_by=by), "cpu")  # type: ignore[arg-type]
        given = corpus.take(np.arange(40))
        scrambled = trainer._scrambled(given, np.random.default_rng(0))
        before, after = (streams["words"].ids.reshape(80, 8) for streams in (given, scrambled))
        assert (np.sort(before) == np.sort(after)).all()
        hit = (before != after).any(axis=1)
        assert 0.25 < hit.mean() < 0.75
        assert (hit[:40] == hit[40:]).all() == both


def test_a_mixture_with_trigrams_is_scrambled_in_its_words_alone(tmp_path: Path) -> None:
    references: Sequence[str] = [" ".join(f"w{i}x{j}" for j in range(8)) for i in range(40)]
    options = replace(_SMALL, encoder=_MIXED, scramble=1.0)
    corpus = _tokenised(PairList(references, references), TextOptions(), tmp_path, *options.streams)
    trainer = training.PairTraining(Start(options).encoder(corpus.rows()), corpus, options, "cpu")
    given = corpus.take(np.arange(40))
    scrambled = trainer._scrambled(given, np.random.default_rng(0))
    assert np.array_equal(scrambled["trigrams"].ids, given["trigrams"].ids)
    before, after = (streams["words"].ids.reshape(80, 8) for streams in (given, scrambled))
    assert (np.sort(before) == np.sort(after)).all() and (before != after).any(axis=1).all()


def test_scrambling_by_swaps(tmp_path: Path) -> None:
    """A swap moves two tokens, unless it draws one place twice: 2 · 0.5 · 7/8 tokens move on average."""
    references: Sequence[str] = ["a b c d e f g h", *["a b"] * 10, *["a b c d e f g i"] * 2000]
    options = replace(_SMALL, scramble=1.0, scramble_swaps=0.5)
    corpus = _tokenised(PairList(references, references), TextOptions(), tmp_path)
    trainer = training.PairTraining(Start(options).encoder(corpus.rows()), corpus, options, "cpu")
    given = corpus.take(np.arange(11, 2011))
    scrambled = trainer._scrambled(given, np.random.default_rng(0))
    before, after = (streams["words"].ids.reshape(4000, 8) for streams in (given, scrambled))
    assert (np.sort(before) == np.sort(after)).all()
    moved = (before != after).sum(axis=1)
    assert (moved == 0).mean() == pytest.approx(np.exp(-0.5 * 7 / 8), abs=0.03)
    assert set(np.unique(moved)) >= {0, 2, 3, 4} and 1 not in moved


@pytest.mark.parametrize("after", [False, True])
def test_negatives_are_chosen_before_or_after_scrambling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    """Both times the steps train on scrambled sentences."""
    references: Sequence[str] = [" ".join(f"w{i}x{j}" for j in range(8)) for i in range(12)]
    options = replace(_SMALL, scramble=1.0, scramble_after_negatives=after)
    corpus = _tokenised(PairList(references, references), TextOptions(), tmp_path)
    trainer = training.PairTraining(Start(options).encoder(corpus.rows()), corpus, options, "cpu")
    given, chosen, trained = corpus.take(np.arange(12))["words"].ids, [], []
    embedded, step = trainer._embedded, trainer._step
    monkeypatch.setattr(
        trainer, "_embedded", lambda texts: (chosen.append(texts["words"].ids), embedded(texts))[1]
    )
    monkeypatch.setattr(
        trainer, "_step", lambda texts, *rest: (trained.append(texts["words"].ids), step(texts, *rest))[1]
    )
    state = training.TrainState("")
    trainer._train_on(np.arange(12), np.random.default_rng(0), state)
    assert np.array_equal(chosen[0], given) == after
    assert all(not np.array_equal(ids, given) for ids in trained)


def test_tags_stay_where_they_are_when_words_are_scrambled(tmp_path: Path) -> None:
    text = TextOptions(tags="both")
    references = [f"{i} a b c d e f g h" for i in range(40)]
    train_encoder(
        PairList(references, references), replace(_SMALL, text=text, epochs=1), tmp_path / "o", tmp_path / "s"
    )
    trained = SentenceEncoder.load(tmp_path / "o")
    assert trained.vocabularies["words"].tags == "both"
    corpus = _tokenised(PairList(references, references), text, tmp_path)
    trainer = training.PairTraining(trained.encoder, corpus, replace(_SMALL, text=text, scramble=1.0), "cpu")
    given = corpus.take(np.arange(40))["words"].ids.reshape(80, 11)
    scrambled = trainer._scrambled(corpus.take(np.arange(40)), np.random.default_rng(0))["words"].ids
    scrambled = scrambled.reshape(80, 11)
    assert (scrambled[:, [0, -1]] == given[:, [0, -1]]).all() and (scrambled != given).any(
        axis=1
    ).mean() > 0.9
    # The tags count in a mean like words.
    table, row = _table(trained.encoder).detach().numpy(), trained.vocabularies["words"].row
    (vector,) = trained.encode(["a"])
    expected = table[[row("<s>"), row("a"), row("</s>")]].mean(axis=0)
    np.testing.assert_allclose(vector, expected, rtol=1e-5)


def test_starting_from_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("UUUNKKK 0 0 9\nthe 1 2 3\ncat 4 5 6\nunused 7 8 9\n", encoding="utf-8")
    options = replace(_SMALL, vectors=str(path), encoder=AveragingOptions(dimension=3), learning_rate=0.0)
    result = train_encoder(_pairs(), options, tmp_path / "out", tmp_path / "scratch")
    trained = SentenceEncoder.load(tmp_path / "out")
    assert trained.vocabularies["words"].entries == ["the", "cat", "unused"]
    assert _table(trained.encoder).tolist() == [[0, 0, 9], [1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert result.vocabulary == 4
    with pytest.raises(RecipeError, match="set encoder.dimension to 3"):
        train_encoder(
            _pairs(), replace(options, encoder=AveragingOptions()), tmp_path / "out", tmp_path / "scratch"
        )


def test_without_a_learning_rate_an_encoder_stays_untrained(tmp_path: Path) -> None:
    """InferSent, table 4: a BiLSTM with random weights over given vectors."""
    path = tmp_path / "v.txt"
    path.write_text("UUUNKKK 0 0 9\nthe 1 2 3\ncat 4 5 6\n", encoding="utf-8")
    bilstm = BiLstmOptions(dimension=3, size=4, combine="concatenate", pooling="max")
    options = replace(_SMALL, vectors=str(path), encoder=bilstm, learning_rate=0.0, epochs=1)
    train_encoder(_pairs(), options, tmp_path / "out", tmp_path / "scratch")
    trained = SentenceEncoder.load(tmp_path / "out")
    assert _table(trained.encoder).tolist() == [[0, 0, 9], [1, 2, 3], [4, 5, 6]]
    weights = trained.encoder.state_dict()
    for name, value in _started(options, trained).state_dict().items():
        assert torch.equal(weights[name], value), name


@pytest.mark.parametrize("tags", ["start", "end", "both"])
def test_tags_beside_vectors_have_rows_of_their_own(tmp_path: Path, tags: Tags) -> None:
    """Those that the file does not have start at random; `</s>` of this file has the vector 5 6 7."""
    path = tmp_path / "vectors.txt"
    path.write_text("UUUNKKK 1 2 3\na 4 5 6\n</s> 5 6 7\n")
    options = replace(
        _SMALL, vectors=str(path), encoder=AveragingOptions(dimension=3), text=TextOptions(tags=tags)
    )
    (vocabulary,) = Start(options).vocabularies()
    encoder = Start(options).encoder({"words": len(vocabulary)})
    assert vocabulary.entries == ["a", "</s>", *(["<s>"] if tags != "end" else [])]
    table = _table(encoder)
    assert table[:3].tolist() == [[1, 2, 3], [4, 5, 6], [5, 6, 7]]
    assert (table[3:] != 0).all() and (table[3:].abs() < 1).all()
    first, last = vocabulary.ids("a")[0], vocabulary.ids("a")[-1]
    assert (first, last) == {"start": (3, 1), "end": (1, 2), "both": (3, 2)}[tags]
    (ids,) = SentenceEncoder(encoder, vocabulary).token_ids(["a"]).values()
    assert ids.ids.tolist() == vocabulary.ids("a")


def test_starting_from_an_encoder(tmp_path: Path) -> None:
    options = replace(_SMALL, encoder=LstmAveragingOptions(dimension=4), learning_rate=0.02)
    train_encoder(_pairs(), options, tmp_path / "first", tmp_path / "scratch-first")
    first = SentenceEncoder.load(tmp_path / "first")
    others = PairList(["thing1 moved", "a new object2"], ["the thing1", "object2 there"])
    distances = {}
    for weight in (None, 0.0, 1e4):
        # Without a learning rate nothing moves; with heavy weights it hardly does.
        again = replace(options, start=str(tmp_path / "first"), embedding_updates="dense", epochs=20)
        changes = (
            {"learning_rate": 0.0} if weight is None else {"lambda_encoder": weight, "lambda_words": weight}
        )
        folder = tmp_path / f"{weight}"
        train_encoder(others, replace(again, **changes), folder, tmp_path / f"scratch-{weight}")  # type: ignore[arg-type]
        trained = SentenceEncoder.load(folder)
        assert trained.vocabularies["words"].entries == first.vocabularies["words"].entries
        distances[weight] = {
            name: (value - first.encoder.state_dict()[name]).abs().max().item()
            for name, value in trained.encoder.state_dict().items()
        }
    assert not any(distances[None].values())
    for name, distance in distances[0.0].items():
        assert distances[1e4][name] < distance / 2, name
    for wrong, message in (
        ({"encoder": LstmAveragingOptions(dimension=5)}, "give encoder the same ones"),
        ({"text": TextOptions(tags="end")}, "and tags none: set these three"),
        ({"vectors": "v.txt"}, "leave one of them out"),
    ):
        with pytest.raises(RecipeError, match=message):
            Start(replace(options, start=str(tmp_path / "first"), **wrong))  # type: ignore[arg-type]


def test_parts_that_were_trained_apart_are_joined_without_an_epoch(tmp_path: Path) -> None:
    for units in ("words", "trigrams"):
        options = replace(_SMALL, text=TextOptions(units=units), encoder=AveragingOptions(dimension=4))
        train_encoder(_pairs(), options, tmp_path / units, tmp_path / f"scratch-{units}")
    part = AveragingOptions(dimension=4)
    mixed = MixedOptions(
        parts=(Component(encoder=part, units="trigrams"), Component(encoder=part)),
        combine="concatenate_normalised",
    )
    starts = (str(tmp_path / "trigrams"), str(tmp_path / "words"))
    options = replace(_SMALL, encoder=mixed, start=starts, epochs=0)
    result = train_encoder(_pairs(), options, tmp_path / "both", tmp_path / "scratch")
    assert result.losses == ()
    sentences = ["thing1 moved", "", "the object2 there"]
    expected = []
    for path in starts:
        vectors = SentenceEncoder.load(path).encode(sentences)
        expected.append(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))
    vectors = SentenceEncoder.load(tmp_path / "both").encode(sentences)
    np.testing.assert_allclose(vectors, np.hstack(expected), rtol=1e-5)
    for wrong, message in (
        (
            {"start": starts[:1]},
            "start names 1 encoders, one for each part of a mixed encoder, but encoder has 2",
        ),
        ({"start": starts[::-1]}, "give encoder the same ones"),
        ({"start": (starts[0], starts[0])}, "give encoder the same ones"),
    ):
        with pytest.raises(RecipeError, match=message):
            Start(replace(options, **wrong))  # type: ignore[arg-type]


def test_encoders_with_other_words_are_not_joined(tmp_path: Path) -> None:
    part = AveragingOptions(dimension=4)
    words = [SentenceEncoder(part.build({"words": 2}, "words"), Vocabulary([word], "words")) for word in "ab"]
    with pytest.raises(RecipeError, match="those that read words have the same words"):
        joined(words)
    cased = SentenceEncoder(
        part.build({"trigrams": 2}, "trigrams"), Vocabulary(["a"], "trigrams", "cased_words")
    )
    with pytest.raises(RecipeError, match="the same text.tokens; these have words, cased_words"):
        joined([words[0], cased])


@pytest.mark.parametrize(
    "changes",
    [
        {"epochs": -1},
        {"temperature": 0.0},
        {"encode_at_once": 0},
        {"clip_norm": 0.0},
        {"warmup_steps": -1},
        {"mega_batch": 0},
        {"anneal_every": 0},
        {"scramble": 1.5},
        {"scramble_swaps": 2.0},
        {"scramble": 0.1, "scramble_swaps": 0.0},
        {"scramble": 0.1, "scramble_swaps": 1e30},
        {"lambda_words": 0.1},
        {"scramble": 0.1, "text": TextOptions(units="trigrams")},
        {"vectors": "v.txt", "text": TextOptions(units="trigrams")},
    ],
    ids=str,
)
def test_wrong_options(changes: dict[str, object]) -> None:
    with pytest.raises(RecipeError):
        TrainOptions(**changes)  # type: ignore[arg-type]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_cuda_without_a_gpu_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="torch finds no GPU"):
        train_encoder(_pairs(), replace(_SMALL, device="cuda"), tmp_path / "out", tmp_path / "scratch")


def test_progress(tmp_path: Path) -> None:
    seen: list[TrainProgress] = []
    train_encoder(_pairs(), _SMALL, tmp_path / "out", tmp_path / "scratch", seen.append)
    assert [(p.epoch, p.pairs) for p in seen] == [(0, 30)] + [(e, n) for e in (1, 2, 3) for n in (12, 24, 30)]
    assert (seen[0].pairs_in_epoch, seen[0].loss) == (None, None)
    assert all(p.epochs == 3 and p.pairs_per_second > 0 for p in seen)
    assert all(p.pairs_in_epoch == 30 and p.loss for p in seen[1:])


_PROGRAM = """
    import os, signal, sys, torch
    from pathlib import Path
    from paranmt.models.training.trainer import train_encoder
    sys.path.insert(0, {tests!r})
    from test_training import _RESUMED, _pairs

    torch.set_num_threads({threads})
    kill_at = int(sys.argv[3])
    calls = 0

    def progress(_):
        global calls
        calls += 1
        if calls == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    train_encoder(_pairs(), _RESUMED, Path(sys.argv[1]), Path(sys.argv[2]), progress)
"""

_RESUMED = replace(
    _SMALL, epochs=4, encoder=AveragingOptions(dimension=8, word_dropout=0.2), negatives="mix", scramble=0.3
)


def test_killed_and_resumed_is_byte_identical(tmp_path: Path) -> None:
    def train(name: str) -> TrainResult:
        return train_encoder(_pairs(), _RESUMED, tmp_path / name, tmp_path / f"scratch-{name}")

    train("whole")
    # Three mega-batches an epoch: killed in the second epoch, then, gone on from its start, in the fourth.
    for kill_at in (5, 8):
        program = textwrap.dedent(
            _PROGRAM.format(tests=str(Path(__file__).parent), threads=torch.get_num_threads())
        )
        arguments = [str(tmp_path / "killed"), str(tmp_path / "scratch-killed"), str(kill_at)]
        killed = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
        )
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert not (tmp_path / "killed").exists()
    assert train("killed").resumed_from_epoch == 3
    assert _bytes(tmp_path / "killed") == _bytes(tmp_path / "whole")


@pytest.mark.parametrize("updates", ["rows", "dense"])
def test_every_parameter_is_restored_from_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, updates: Literal["rows", "dense"]
) -> None:
    monkeypatch.setitem(ENCODERS, "projected", _ProjectedOptions)
    encoder = _ProjectedOptions(dimension=8)
    options = replace(_SMALL, encoder=encoder, embedding_updates=updates)

    def stop(progress: TrainProgress) -> None:
        if progress.epoch == 3:
            raise KeyboardInterrupt

    train_encoder(_pairs(), options, tmp_path / "whole", tmp_path / "scratch-whole")
    with pytest.raises(KeyboardInterrupt):
        train_encoder(_pairs(), options, tmp_path / "stopped", tmp_path / "scratch", stop)
    resumed = train_encoder(_pairs(), options, tmp_path / "resumed", tmp_path / "scratch")
    assert resumed.resumed_from_epoch == 2
    assert _bytes(tmp_path / "resumed") == _bytes(tmp_path / "whole")


@pytest.mark.parametrize(
    "changes", [{}, {"objective": "infonce", "encoder": LstmAveragingOptions(dimension=8)}]
)
def test_resumed_within_an_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object]
) -> None:
    options = replace(_RESUMED, **changes)  # type: ignore[arg-type]
    train_encoder(_pairs(), options, tmp_path / "whole", tmp_path / "scratch-whole")
    monkeypatch.setattr(training, "SAVE_SECONDS", 0.0)
    seen: list[tuple[int, int]] = []

    def stop(progress: TrainProgress) -> None:
        seen.append((progress.epoch, progress.pairs))
        if seen[-1] in ((2, 12), (2, 24), (3, 30)) and seen.count(seen[-1]) == 1:
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            train_encoder(_pairs(), options, tmp_path / "out", tmp_path / "scratch", stop)
    train_encoder(_pairs(), options, tmp_path / "out", tmp_path / "scratch", stop)
    trained = [place for place in seen if place[0]]
    # Nothing is trained twice but the end of epoch 3, which was stopped before its checkpoint was written.
    expected = [(epoch, pairs) for epoch in (1, 2, 3, 4) for pairs in (12, 24, 30)]
    assert trained == sorted([*expected, (3, 30)])
    assert _bytes(tmp_path / "out") == _bytes(tmp_path / "whole")


def test_a_loss_that_is_not_finite_stops_the_training(tmp_path: Path) -> None:
    # A cosine divided by 1e-40 is beyond float32, which ends at 3.4e38.
    options = replace(_SMALL, objective="infonce", temperature=1e-40, epochs=1, batch=3)
    with pytest.raises(
        ModelError, match="the loss of mini-batch 1 of epoch 1 is nan; its pairs are in .*clip_norm"
    ):
        train_encoder(
            PairList(["a b", "c", "d e"], ["b", "f", "g"]), options, tmp_path / "out", tmp_path / "s"
        )
    pairs = json.loads((tmp_path / "s/not-finite.json").read_text())
    assert sorted(pairs) == [[["a", "b"], ["b"]], [["c"], ["f"]], [["d", "e"], ["g"]]]
    assert not (tmp_path / "out").exists()
    clear_scratch(tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_whole_parameters_are_moved_by_torchs_adam(tmp_path: Path) -> None:
    # The second step: in the first, any gradient moves a number by the same length.
    options = replace(_SMALL, epochs=2, embedding_updates="dense", negatives_exclude="own_pair")
    pairs = PairList(["a b"], ["c"])
    train_encoder(pairs, options, tmp_path / "out", tmp_path / "scratch")
    trained = SentenceEncoder.load(tmp_path / "out")
    peer = _started(options, trained)
    adam = torch.optim.Adam(peer.parameters())
    sides = Streams(words=TokenIds.of([[1, 2], [3]]))
    for _ in range(2):
        s1, s2 = peer(sides)
        adam.zero_grad()
        # Both negatives are sentence 0, the first of equals.
        training.margin_loss(s1[None], s2[None], s1[None], s1[None], options.margin).backward()
        adam.step()
    torch.testing.assert_close(_table(trained.encoder), _table(peer), atol=1e-7, rtol=0)


def test_a_checkpoint_of_other_options_is_not_used(tmp_path: Path) -> None:
    train_encoder(_pairs(), _SMALL, tmp_path / "out", tmp_path / "scratch")
    again = train_encoder(_pairs(), _SMALL, tmp_path / "again", tmp_path / "scratch")
    assert again.resumed_from_epoch == 3
    assert _bytes(tmp_path / "again") == _bytes(tmp_path / "out")
    other = train_encoder(_pairs(), replace(_SMALL, margin=0.5), tmp_path / "other", tmp_path / "scratch")
    assert other.resumed_from_epoch == 0


def test_the_defaults_are_paranmts() -> None:
    """Section 6.2: batches of 100, margin 0.4, λ of 0, 5 epochs, Adam with 0.001; mega-batches of 40."""
    options = TrainOptions()
    assert (options.batch, options.margin, options.epochs, options.learning_rate) == (100, 0.4, 5, 0.001)
    assert (options.lambda_words, options.lambda_encoder, options.mega_batch) == (0, 0, 40)
    assert (options.objective, options.negatives, options.negative_pool) == ("margin", "max", "all")
    assert (options.clip_norm, options.schedule, options.warmup_steps) == (None, "constant", 0)
