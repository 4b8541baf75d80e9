"""Evaluation on development sets during a training: the curve, the best encoder, the early stop, resuming."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paranmt.models.training.pair_training as training
import paranmt.transforms.trainings.training_encoders as stage
from paranmt.base.errors import InputError, ModelError, RecipeError
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.sts import Sts
from paranmt.models.sts.correlation import pair_cosines, pearson
from paranmt.models.sts.development_sets import development_files, read_development
from paranmt.models.training.board import logged
from paranmt.models.training.dev_scores import DevScore, best_of, is_over
from paranmt.models.training.pair_training import TrainProgress
from paranmt.models.training.pairs import PairList, tokenise_pairs
from paranmt.models.training.train_options import TrainOptions
from paranmt.models.training.trainer import train_encoder, train_on
from paranmt.transforms.trainings.training_encoders import InputHashes, training_ingredients

_PAIRS = PairList(
    [f"the thing{i % 10} stood there {i}" for i in range(32)],
    [f"There was a object{i % 10} , {i % 7}" for i in range(32)],
)


@pytest.fixture
def options(tmp_path: Path) -> TrainOptions:
    """Two development sets, beside a test set of the same year that cannot be read."""
    for folder, name in (("STS2012-train", "MSRvid"), ("STS2012-train", "OnWN"), ("STS2012-gold", "MSRpar")):
        (tmp_path / folder).mkdir(exist_ok=True)
        pairs = [f"thing{i}\tobject{(i * len(name)) % 7}" for i in range(7)]
        gold = [str(i % 6) for i in range(7)]
        if folder == "STS2012-gold":
            pairs = ["no pair"]
        (tmp_path / folder / f"STS.input.{name}.txt").write_text("\n".join(pairs) + "\n", encoding="utf-8")
        (tmp_path / folder / f"STS.gs.{name}.txt").write_text("\n".join(gold) + "\n", encoding="utf-8")
    return TrainOptions(
        encoder=AveragingOptions(dimension=8, word_dropout=0.2),
        epochs=3,
        batch=4,
        mega_batch=2,
        learning_rate=0.02,
        device="cpu",
        dev=str(tmp_path),
    )


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _score(mean: float | None) -> DevScore:
    return DevScore(0.25, 1, 0.5, {"a": mean})


def test_the_best_score_is_the_first_of_the_highest() -> None:
    assert best_of([]) is None and best_of([_score(None)]) is None
    assert best_of([_score(value) for value in (None, 1.0, 3.0, 2.0, 3.0)]) == 2
    assert DevScore(1, 1, 0, {"a": 10.0, "b": 20.0}).mean == 15
    assert DevScore(1, 1, 0, {"a": 10.0, "b": None}).mean is None


def test_patience_counts_the_scores_after_the_best() -> None:
    scores = [_score(value) for value in (1.0, 3.0, 2.0, 3.0)]
    assert [is_over(scores, patience) for patience in (None, 1, 2, 3)] == [False, True, True, False]
    assert not is_over([_score(None)] * 9, 1)


def test_the_encoder_that_is_kept_is_that_of_the_best_quarter(options: TrainOptions, tmp_path: Path) -> None:
    seen: list[TrainProgress] = []
    result = train_encoder(_PAIRS, options, tmp_path / "out", tmp_path / "scratch", seen.append)
    # Mega-batches of 8 of 32 pairs: each is a quarter.
    assert [score.epoch for score in result.dev] == [i / 4 for i in range(1, 13)]
    assert [score.step for score in result.dev] == [2 * i for i in range(1, 13)]
    means = [score.mean for score in result.dev]
    assert len(set(means)) > 3 and None not in means
    assert result.best == means.index(max(mean for mean in means if mean is not None))
    assert (seen[-1].dev, seen[-1].best) == (result.dev[-1], result.dev[result.best])

    kept = SentenceEncoder.load(tmp_path / "out")
    for dataset in read_development([str(tmp_path)]):
        value = pearson(pair_cosines(kept, dataset), np.array(dataset.gold))
        assert value is not None
        assert 100 * value == result.dev[result.best].pearson[dataset.label]
    # Evaluating changes nothing in the course of the training: the last weights are those without it.
    plain = train_encoder(_PAIRS, replace(options, dev=None), tmp_path / "plain", tmp_path / "scratch-plain")
    assert plain.losses == result.losses and plain.dev == ()

    (tmp_path / "aside").mkdir()
    corpus = tokenise_pairs(_PAIRS, options.text, tmp_path / "shared", tmp_path / "aside", options.streams)
    again = train_on(corpus, replace(options, dev=None), dev=read_development([str(tmp_path)]))
    assert np.allclose(
        again.encode(["the thing3 stood there"]), kept.encode(["the thing3 stood there"]), atol=1e-6
    )
    assert {name: hashes.tolist() for name, hashes in again.development.items()} == {
        name: hashes.tolist() for name, hashes in kept.development.items()
    }

    result.write(tmp_path / "out")
    report = json.loads((tmp_path / "out/training.json").read_text())
    assert report["development_sets"] == ["MSRvid of 2012-train", "OnWN of 2012-train"]
    assert [score["mean"] for score in report["dev"]] == means and report["best"] == result.best


def test_training_stops_when_the_score_no_longer_rises(
    options: TrainOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train_encoder(_PAIRS, options, tmp_path / "whole", tmp_path / "scratch")
    means = [score.mean or 0.0 for score in whole.dev]
    stop = next(i for i in range(2, 12) if max(means[: i - 1]) >= max(means[i - 1 : i + 1]))
    stopped = train_encoder(
        _PAIRS, replace(options, patience=2), tmp_path / "stopped", tmp_path / "scratch-stopped"
    )
    assert stopped.dev == whole.dev[: stop + 1]
    assert stopped.best == means.index(max(means[: stop + 1]))
    assert len(stopped.losses) == -(-(stop + 1) // 4)

    # Killed when it had just decided to stop.
    monkeypatch.setattr(training, "SAVE_SECONDS", 0.0)

    def kill(progress: TrainProgress) -> None:
        if progress.dev == stopped.dev[-1]:
            raise KeyboardInterrupt

    arguments = (_PAIRS, replace(options, patience=2), tmp_path / "again", tmp_path / "scratch-again")
    with pytest.raises(KeyboardInterrupt):
        train_encoder(*arguments, kill)
    again = train_encoder(*arguments)
    assert (again.dev, again.losses) == (stopped.dev, stopped.losses)
    assert _bytes(tmp_path / "again") == _bytes(tmp_path / "stopped")


def test_resumed_to_the_same_bytes(
    options: TrainOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train_encoder(_PAIRS, options, tmp_path / "whole", tmp_path / "scratch-whole")
    monkeypatch.setattr(training, "SAVE_SECONDS", 0.0)
    calls = 0

    def stop(progress: TrainProgress) -> None:
        nonlocal calls
        calls += 1
        if calls % 4 == 0:
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            train_encoder(_PAIRS, options, tmp_path / "out", tmp_path / "scratch", stop)
    resumed = train_encoder(_PAIRS, options, tmp_path / "out", tmp_path / "scratch")
    assert resumed.resumed_from_epoch == 2
    assert resumed.dev == whole.dev
    assert _bytes(tmp_path / "out") == _bytes(tmp_path / "whole")


def test_evaluating_on_a_development_set_says_so(options: TrainOptions, tmp_path: Path) -> None:
    train_encoder(_PAIRS, replace(options, epochs=1), tmp_path / "out", tmp_path / "scratch")
    train_encoder(_PAIRS, replace(options, epochs=1, dev=None), tmp_path / "plain", tmp_path / "s")
    data = Sts(data=str(tmp_path / "STS2012-train"))
    chosen = "no test: the encoder was chosen on "
    for name, note, means in (("out", f"{chosen}it", f"{chosen}MSRvid, OnWN"), ("plain", "", "")):
        table = data.evaluate(SentenceEncoder.load(tmp_path / name))
        assert {row.note for row in table.rows if row.values["pearson"] is not None} == {note}
        assert {row.note for row in table.averages if row.values["pearson"] is not None} == {means}


def test_what_a_development_set_can_be(tmp_path: Path) -> None:
    for folder in ("STS2012-gold", "STS2012-train", "STS2013-gold", "STS2016", "STS2017", "sick"):
        (tmp_path / folder).mkdir()
        for kind in ("input", "gs"):
            (tmp_path / folder / f"STS.{kind}.headlines.txt").touch()
    (tmp_path / "sick/SICK_trial.txt").touch()
    (tmp_path / "sick/SICK_test_annotated.txt").touch()
    folder, both = str(tmp_path), ["STS.gs.headlines.txt", "STS.input.headlines.txt"]
    standard = [f"STS2012-train/{name}" for name in both] + ["sick/SICK_trial.txt"]
    assert development_files([folder]) == [f"{folder}/{name}" for name in standard]
    for year in ("2016", "2017"):
        files = development_files([folder], f"sts{year}")  # type: ignore[arg-type]
        assert files == [f"{folder}/STS{year}/{name}" for name in both]
    for tests in ("STS2012-gold", "STS2013-gold"):
        with pytest.raises(InputError, match="holds no development set: expected the files of"):
            development_files([str(tmp_path / tests)], "sts2016")
    with pytest.raises(RecipeError, match="set dev to their folder"):
        TrainOptions(patience=3)


def test_the_key_has_the_content_of_the_development_sets_and_not_their_place(options: TrainOptions) -> None:
    def key(options: TrainOptions, digest: str | None) -> dict[str, object]:
        return training_ingredients(options, InputHashes(dev=digest), False)

    assert key(options, "1f") == key(replace(options, dev="elsewhere"), "1f")
    assert key(options, "1f") == {**key(replace(options, dev=None), None), "dev": "1f"}


def test_tensorboard_logs(options: TrainOptions, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    seen: list[TrainProgress] = []
    for _ in range(2):
        with logged(str(tmp_path / "logs"), seen.append) as progress:
            train_encoder(_PAIRS, replace(options, epochs=1), tmp_path / "out", tmp_path / "s", progress)
    events = EventAccumulator(str(tmp_path / "logs"))
    events.Reload()
    losses = [(event.step, event.value) for event in events.Scalars("loss")]
    assert losses == [(p.step, pytest.approx(p.recent_loss)) for p in seen if p.step]
    assert [step for step, _ in losses] == [2, 4, 6, 8]
    means = [event.value for event in events.Scalars("dev/mean")]
    assert means == pytest.approx([p.dev.mean for p in seen if p.dev])
    assert len(events.Scalars("dev/OnWN of 2012-train")) == 4


def test_logs_need_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="or leave logs out"), logged(str(tmp_path)):
        pass


def test_a_stage_logs_how_far_its_training_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log = stage.TrainingShown()
    best, last = _score(3.0), _score(2.0)
    progress = TrainProgress(2, 5, 30, 60, 12.5, 0.75, 8, 0.5, last, best)
    with caplog.at_level("INFO", "paranmt"):
        log(progress)
        monkeypatch.setattr(stage, "_LOG_SECONDS", -1.0)
        log(progress)
    (record,) = caplog.records
    assert record.facts == {  # type: ignore[attr-defined]
        "epoch": 2,
        "epochs": 5,
        "pairs": 30,
        "pairs_in_epoch": 60,
        "pairs_per_second": 12.5,
        "loss": 0.75,
        "step": 8,
        "recent_loss": 0.5,
        "dev": 2.0,
        "best": 3.0,
    }
