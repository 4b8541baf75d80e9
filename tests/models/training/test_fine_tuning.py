import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from head_data import write_entailment

import paranmt.models.training.head_training as loop_module
from paranmt.base.errors import InputError, ModelError, RecipeError
from paranmt.models.encoders.averaging import Averaging
from paranmt.models.encoders.encoder_kinds import (
    AveragingOptions,
    BiLstmOptions,
    Component,
    GranOptions,
    LstmAveragingOptions,
    LstmOptions,
    MixedOptions,
    RecurrentOptions,
)
from paranmt.models.encoders.encoder_options import EncoderOptions
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.recurrence import PeepholeLstm, TorchLstm
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.subword_units import SubwordVocabulary
from paranmt.models.training.examples import Examples
from paranmt.models.training.fine_tuning import fine_tune, fine_tuning
from paranmt.models.training.head_options import (
    ClassificationOptions,
    Course,
    HeadOptions,
    NliOptions,
    RelatednessOptions,
)
from paranmt.models.training.head_training import HeadLoop, HeadState, Learner, Losses, after_epoch
from paranmt.models.training.heads import Head
from paranmt.models.training.scratch import clear_scratch
from paranmt.models.training.sentence_vectors import TrainedVectors
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.training.updates import SmallTables, Updates

MIXED = MixedOptions(
    parts=(
        Component(encoder=AveragingOptions(dimension=4, word_dropout=0.2)),
        Component(encoder=LstmOptions(dimension=3, size=3), units="trigrams"),
    )
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {
        "examples": write_entailment(tmp_path, "train.tsv", label="name"),
        "dev": write_entailment(tmp_path, "dev.tsv", 20, "name"),
    }


def read(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def nli(files: dict[str, str], encoder: EncoderOptions | None = None, **changes: object) -> NliOptions:
    values = {"hidden": (8,), "batch": 7, "epochs": 4, "device": "cpu", "minimum_rate": 0.0, **changes}
    return NliOptions(**files, encoder=encoder or AveragingOptions(dimension=6), **values)  # type: ignore[arg-type]


def test_the_learning_rate_of_infersent() -> None:
    """× .99 each epoch; only one that is worse than the one before divides by 5 first (section 3.3)."""
    options = NliOptions(examples="e", dev="d").course
    state, rates, overs = HeadState("", options.learning_rate), [], []
    for dev in (0.6, 0.7, 0.7, 0.65, 0.68, 0.71):
        state = after_epoch(replace(state, total=6.0, batches=4), dev, options)
        rates.append(state.rate)
        overs.append(state.is_over)
    assert rates == pytest.approx([0.099, 0.09801, 0.0970299, 0.0192119202, 0.019019801, 0.018829603])
    assert overs == [False] * 6
    assert (state.best, state.best_dev, state.dev) == (6, 0.71, (0.6, 0.7, 0.7, 0.65, 0.68, 0.71))
    assert state.losses == (1.5,) * 6


@pytest.mark.parametrize("kind", [LstmOptions, BiLstmOptions])
def test_lstms_under_the_head_of_infersent_have_no_peepholes(kind: type[RecurrentOptions]) -> None:
    for given, objective, expected in (
        (None, NliOptions, False),
        (True, NliOptions, True),
        (None, RelatednessOptions, True),
        (None, ClassificationOptions, True),
    ):
        options = objective(examples="e", dev="d", encoder=kind(dimension=2, peepholes=given))
        assert options.encoder == kind(dimension=2, peepholes=expected)
        layers = {type(layer) for layer in options.encoder.build({"words": 3}, "words").modules()}
        assert layers & {PeepholeLstm, TorchLstm} == {PeepholeLstm if expected else TorchLstm}
    assert TrainOptions(encoder=kind()).encoder == kind(peepholes=True)
    parts = (Component(encoder=kind()), Component(encoder=GranOptions()))
    mixed = NliOptions(examples="e", dev="d", encoder=MixedOptions(parts=parts)).encoder
    assert [part.encoder.peepholes for part in mixed.parts] == [False, True]  # type: ignore[attr-defined]


def test_when_training_is_over() -> None:
    options = NliOptions(examples="e", dev="d", epochs=3).course
    low = HeadState("", 4.9e-5, epoch=1, dev=(0.5,), best=1)
    assert after_epoch(low, 0.4, options).is_over, "4.9e-5 / 5 is below 1e-5"
    assert not after_epoch(replace(low, rate=5.1e-5), 0.4, options).is_over
    assert not after_epoch(replace(low, rate=1e-6), 0.6, options).is_over, "only a divided rate ends it"
    assert after_epoch(replace(low, epoch=2), 0.6, options).is_over, "the last epoch"


def test_epochs_without_a_correlation_are_never_better() -> None:
    options = RelatednessOptions(examples="e", dev="d").course
    state = after_epoch(HeadState("", 1.0), None, options)
    assert (state.best, state.best_dev) == (1, None)
    assert after_epoch(state, None, options).best == 1 and after_epoch(state, -0.9, options).best == 2


class Drifting(Learner):
    """One number, which follows the learning rate, with a given quality after each epoch."""

    def __init__(self, qualities: Sequence[float | None], has_dev: bool = True) -> None:
        self.number = torch.zeros(1, requires_grad=True)
        self.updates = Updates({"number": self.number}, {}, "sgd")
        self.has_dev, self._qualities = has_dev, iter(qualities)

    def order(self, epoch: int, begins: bool) -> np.ndarray:
        return np.arange(1)

    def loss(self, rows: np.ndarray, epoch: int, number: int) -> Losses:
        loss = self.number.sum()
        return loss, loss, SmallTables()

    def quality(self) -> float | None:
        return next(self._qualities, None)


def test_patience() -> None:
    """Training ends so many epochs after the best one, which is kept; equals are no better."""
    course = Course(epochs=9, batch=1, learning_rate=1.0, patience=3)
    learner = Drifting([0.2, 0.5, 0.5, 0.4, 0.4, 0.9])
    state = HeadLoop(learner, course).run()
    assert (state.best, state.epoch, state.dev) == (2, 5, (0.2, 0.5, 0.5, 0.4, 0.4))
    assert learner.number.item() == -2.0, "a step of 1 an epoch"


def test_without_dev_the_last_epoch_is_kept() -> None:
    for has_dev, kept in ((True, 1), (False, 4)):
        learner = Drifting([], has_dev)
        state = HeadLoop(learner, Course(epochs=4, batch=1, learning_rate=1.0)).run()
        assert (state.epoch, state.best, learner.number.item()) == (4, kept, -kept)


@pytest.mark.parametrize(
    "encoder", [AveragingOptions(dimension=6), LstmAveragingOptions(dimension=8, peepholes=False), MIXED]
)
def test_a_relation_is_learned(tmp_path: Path, files: dict[str, str], encoder: EncoderOptions) -> None:
    options = nli(
        files,
        encoder,
        optimiser="adam",
        learning_rate=0.05,
        epochs=8,
        activation="tanh",
        scale_features=True,
    )
    result = fine_tune(options, tmp_path / "out", tmp_path / "scratch")
    assert (result.examples, result.dev_examples, result.unlabelled) == (60, 20, 2)
    assert result.losses[-1] < 0.5 * result.losses[0]
    assert max(d for d in result.dev if d is not None) == result.dev[result.best_epoch - 1] >= 0.9
    trained, head = SentenceEncoder.load(tmp_path / "out"), Head.load(tmp_path / "out")
    left, right = (
        torch.from_numpy(trained.encode([side] * 2)) for side in ("there was a dog 3", "it is a cat")
    )
    assert head.shape.outputs[head.probabilities(left, right)[0].argmax()] == "contradiction"


def test_the_encoder_of_the_best_epoch_is_kept(tmp_path: Path, files: dict[str, str]) -> None:
    """Its predictions have the accuracy on dev that the result has of that epoch."""
    lines = [line.split("\t")[:2] for line in Path(files["dev"]).read_text().splitlines()]
    noisy = [(*line, ("entailment", "contradiction")[i % 2]) for i, line in enumerate(lines)]
    Path(files["dev"]).write_text("\n".join(map("\t".join, noisy)))
    options = nli(files, learning_rate=0.005, optimiser="adam", shrink=1.0, epochs=6)
    result = fine_tune(options, tmp_path / "out", tmp_path / "scratch")
    assert result.dev[-1] != result.dev[result.best_epoch - 1], "otherwise this test shows nothing"
    trained, head = SentenceEncoder.load(tmp_path / "out"), Head.load(tmp_path / "out")
    sides = [torch.from_numpy(trained.encode([line[side] for line in noisy])) for side in (0, 1)]
    predicted = [head.shape.outputs[number] for number in head.probabilities(*sides).argmax(axis=1)]
    accuracy = np.mean([line[2] == label for line, label in zip(noisy, predicted, strict=True)])
    assert accuracy == pytest.approx(result.dev[result.best_epoch - 1])


def examples(texts: Sequence[str], answers: Sequence[str]) -> Examples:
    return Examples((tuple(texts), tuple(texts[::-1])), tuple(answers), ("",) * len(answers))


def started(*words: str) -> SentenceEncoder:
    from paranmt.models.encoders.vocabulary import Vocabulary

    encoder = AveragingOptions(dimension=3, initial_scale=1.0).build({"words": len(words) + 1}, "words")
    return SentenceEncoder(draw_weights(encoder, 3), Vocabulary(list(words)))


TEXTS, SCORES = ["a b", "c", "b b d", "a"], ["1", "2", "3", "2.5"]


def test_a_step_of_sgd_on_rows_is_one_on_the_whole_table() -> None:
    """Only the rows of the mini-batch are computed, and the result is that of the whole table's gradient."""
    tables = []
    for lambda_words in (0.0, 1e-30):  # any penalty needs the whole table
        encoder = started("a", "b", "c", "d", "unused")
        options = RelatednessOptions(
            examples=(), dev=(), optimiser="sgd", learning_rate=0.5, clip_norm=0.7, batch=1, epochs=2,
            lambda_words=lambda_words,
        )  # fmt: skip
        sets = [examples(["", *TEXTS, ""], ["3", *SCORES, "1"]), examples(TEXTS[:3], SCORES[:3])]
        run = fine_tuning(encoder, sets, options)
        run.training.run()
        run.vectors.whole_tables()  # type: ignore[union-attr]
        assert isinstance(encoder.encoder, Averaging)
        tables.append(encoder.encoder.embedding.weight.detach().clone())
    start = started("a", "b", "c", "d", "unused").encoder.embedding.weight  # type: ignore[union-attr]
    assert torch.allclose(*tables, atol=1e-6)
    assert torch.equal(tables[0][[0, 5]], start[[0, 5]]), "rows without a unit of the examples stay"
    assert not torch.allclose(tables[0][1:5], start[1:5], atol=1e-3)


def test_the_universal_penalty_pulls_to_the_start() -> None:
    """With more weight, the parameters stay nearer to where they started; a size would go to 0."""
    moved = []
    for weight in (0.0, 1.0, 100.0):
        encoder = started("a", "b", "c", "d")
        lstm = draw_weights(LstmOptions(dimension=3, size=3).build({"words": 5}, "words"), 1)
        own = SentenceEncoder(lstm, encoder.vocabularies["words"])
        start = {name: tensor.detach().clone() for name, tensor in lstm.named_parameters()}
        options = RelatednessOptions(
            examples=(), dev=(), epochs=30, batch=4, learning_rate=0.02,
            lambda_words=weight, lambda_encoder=weight,
        )  # fmt: skip
        run = fine_tuning(own, [examples(TEXTS, SCORES)] * 2, options, is_universal=True)
        for epoch in range(30):
            run.training._epoch(HeadState("", 0.02, epoch=epoch), lambda state: None, lambda state: None)
        run.vectors.whole_tables()  # type: ignore[union-attr]
        ends = dict(lstm.named_parameters())
        moved.append([float((ends[name] - start[name]).norm().detach()) for name in sorted(start)])
    free, near, held = map(np.array, moved)
    assert (near < 0.8 * free)[free > 0.05].all() and held.max() < 0.06 < free.max()
    # The same weight without `is_universal` is that of the size.
    options = replace(options, lambda_words=0.0, lambda_encoder=100.0, epochs=60)
    run = fine_tuning(own, [examples(TEXTS, SCORES)] * 2, options)
    for epoch in range(60):
        run.training._epoch(HeadState("", 0.02, epoch=epoch), lambda state: None, lambda state: None)
    assert all(p.abs().max() < 0.1 for name, p in lstm.named_parameters() if name not in lstm.tables)


@pytest.mark.parametrize("freeze", ["words", "encoder"])
def test_what_is_frozen_stays(tmp_path: Path, files: dict[str, str], freeze: str) -> None:
    begun = nli(files, LstmAveragingOptions(dimension=4), epochs=1, learning_rate=1e-9)
    fine_tune(begun, tmp_path / "start", tmp_path / "scratch")
    options = replace(begun, start=str(tmp_path / "start"), freeze=freeze, learning_rate=0.5, epochs=2)
    fine_tune(options, tmp_path / "out", tmp_path / "scratch")
    before, after = (SentenceEncoder.load(tmp_path / name).encoder for name in ("start", "out"))
    for (name, old), new in zip(before.named_parameters(), after.parameters(), strict=True):
        is_kept = freeze == "encoder" or name in before.tables
        assert torch.equal(old, new) == is_kept, name
    assert read(tmp_path / "start")["head.safetensors"] != read(tmp_path / "out")["head.safetensors"]


def test_words_are_shuffled_between_the_tags() -> None:
    """Of the chosen sentences alone, each time in another order; and the same words again in each run."""
    from paranmt.models.encoders.vocabulary import Vocabulary

    words = Vocabulary(["<s>", "</s>", *"abcdefgh"], tags="both")
    lstm = draw_weights(LstmOptions(dimension=3, size=3).build({"words": len(words)}, "words"), 1)
    own = SentenceEncoder(lstm, words)
    texts = ["a b c d e f g h", "h g f e d c b a"]
    options = RelatednessOptions(examples=(), dev=(), scramble=0.5)
    run = fine_tuning(own, [examples(texts, ["1", "2"])] * 2, options)
    assert isinstance(run.vectors, TrainedVectors)
    taken = run.vectors.sentences.take(np.arange(2))
    given = taken["words"].ids.tolist()
    chosen = np.array([True, False])
    orders = []
    for seed in (1, 2, 1):
        shuffle = np.random.default_rng(seed).shuffle
        ids = taken.with_words(np.flatnonzero(chosen), run.vectors._tags, shuffle)["words"].ids.tolist()
        assert ids[10:] == given[10:]
        assert (ids[0], ids[9]) == (given[0], given[9]) and sorted(ids[:10]) == sorted(given[:10])
        orders.append(ids)
    assert orders[0] != orders[1] and orders[0] == orders[2] and orders[0] != given
    plain, _ = run.vectors.trained(np.arange(2), run.updates)
    shuffled, _ = run.vectors.trained(np.arange(2), run.updates, (chosen, np.random.default_rng(1)))
    assert torch.equal(plain[1], shuffled[1]) and not torch.allclose(plain[0], shuffled[0], atol=1e-5)
    trigrams = AveragingOptions(dimension=3).build({"trigrams": 2}, "trigrams")
    with pytest.raises(RecipeError, match="scramble does not work with trigrams"):
        other = SentenceEncoder(trigrams, Vocabulary(["abc"], "trigrams"))
        fine_tuning(other, [examples(texts, ["1", "2"])] * 2, options)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_a_training_that_was_stopped_ends_in_the_same_bytes(
    tmp_path: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch, optimiser: str
) -> None:
    """Stopped within an epoch and at the end of one, with dropout in the encoder, or words shuffled."""
    encoder = MIXED if optimiser == "adam" else LstmAveragingOptions(dimension=4)
    options = nli(files, encoder, optimiser=optimiser, scramble=0.5, scale_features=True)
    fine_tune(options, tmp_path / "whole", tmp_path / "other")
    monkeypatch.setattr(loop_module, "SAVE_SECONDS", -1.0)
    monkeypatch.setattr(loop_module, "_STEPS", 2)
    scratch, seen = tmp_path / "scratch", []

    def stop_at(*places: tuple[int, int]) -> None:
        def progress(state: HeadState, examples: int, seconds: float) -> None:
            seen.append((state.epoch, state.examples))
            if (state.epoch, state.examples) in places:
                raise Stopped

        with pytest.raises(Stopped):
            fine_tune(options, tmp_path / "out", scratch, progress)

    stop_at((1, 42))
    stop_at((3, 0))
    assert (1, 42) in seen[4:], "it went on within the epoch"
    assert seen.count((0, 14)) == 1
    result = fine_tune(options, tmp_path / "out", scratch)
    assert result.resumed_from_epoch == 2
    assert read(tmp_path / "out") == read(tmp_path / "whole")
    assert fine_tune(replace(options, seed=2), tmp_path / "new", scratch).resumed_from_epoch == 0
    clear_scratch(scratch)
    assert not scratch.exists()


def test_a_loss_that_is_not_finite(tmp_path: Path, files: dict[str, str]) -> None:
    options = nli(files, optimiser="sgd", learning_rate=1e30, clip_norm=None, scale_features=True)
    with pytest.raises(ModelError, match=r"not-finite\.json: set a lower learning_rate"):
        fine_tune(options, tmp_path / "out", tmp_path / "scratch")
    batch = json.loads((tmp_path / "scratch" / "not-finite.json").read_text())
    assert 1 <= len(batch) <= 7 and batch[0][0].startswith("there was a") and "train.tsv, line" in batch[0][3]
    assert not (tmp_path / "out").exists()


def test_dev_and_test_examples_are_never_trained_on(tmp_path: Path, files: dict[str, str]) -> None:
    """Another dev set changes which epoch is kept, and nothing of the epochs."""
    options = nli(files, learning_rate=0.1, shrink=1.0)
    first = fine_tune(options, tmp_path / "a", tmp_path / "scratch")
    other = replace(options, dev=write_entailment(tmp_path, "other.tsv", 6, "name"))
    assert fine_tune(other, tmp_path / "b", tmp_path / "scratch").losses == first.losses


def test_classification(tmp_path: Path) -> None:
    content = "".join(f"a {('good', 'bad')[i % 2]} film {i % 5}\t{('+', '-')[i % 2]}\n" for i in range(40))
    (tmp_path / "reviews.tsv").write_text(content)
    options = ClassificationOptions(
        examples=str(tmp_path / "reviews.tsv"), dev=str(tmp_path / "reviews.tsv"), learning_rate=0.1,
        encoder=AveragingOptions(dimension=5), device="cpu",
    )  # fmt: skip
    result = fine_tune(options, tmp_path / "out", tmp_path / "scratch")
    assert result.unlabelled == 0 and result.dev[result.best_epoch - 1] == 1.0
    assert Head.load(tmp_path / "out").shape.outputs == ("+", "-")


def test_subwords(tmp_path: Path, files: dict[str, str]) -> None:
    text = TextOptions(units="subwords", subword_size=40)
    result = fine_tune(nli(files, text=text, learning_rate=0.1), tmp_path / "out", tmp_path / "scratch")
    encoder = SentenceEncoder.load(tmp_path / "out")
    assert isinstance(encoder.vocabularies["subwords"], SubwordVocabulary)
    assert len(encoder.vocabularies["subwords"]) <= 40 and np.isfinite(result.losses).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"hidden": (3, 0)}, "hidden must be at least 1"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0"),
        ({"clip_norm": 0.0}, "clip_norm must be above 0"),
        ({"decay": 1.1}, "decay must be at most 1"),
        ({"shrink": 0.5}, "shrink must be at least 1"),
        ({"lambda_head": -1.0}, "lambda_head must be at least 0"),
        ({"freeze": "words", "lambda_words": 1.0}, "lambda_words has no effect"),
        ({"freeze": "encoder", "scramble": 0.5}, "scramble has no effect"),
        ({"scramble": 1.5}, "scramble must be at most 1"),
        ({"scramble": 0.5, "text": TextOptions(units="trigrams")}, "scramble does not work with trigrams"),
        ({"freeze": "encoder", "lambda_encoder": 1.0}, "lambda_encoder has no effect"),
        ({"vectors": "v", "start": "s"}, "from vectors or from an encoder"),
    ],
)
def test_options_that_make_no_sense(changes: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        NliOptions(examples="e", dev="d", **changes)  # type: ignore[arg-type]


def test_labels_of_dev_must_be_those_of_the_examples(tmp_path: Path, files: dict[str, str]) -> None:
    options: HeadOptions = nli({**files, "dev": write_entailment(tmp_path, "numbers.tsv", 6)})
    with pytest.raises(InputError, match=r"numbers\.tsv, line 1: expected a label contradiction, entailment"):
        fine_tune(options, tmp_path / "out", tmp_path / "scratch")
    with pytest.raises(InputError, match="longer than 2 tokens"):
        fine_tune(replace(options, text=TextOptions(max_tokens=2)), tmp_path / "out", tmp_path / "scratch")
