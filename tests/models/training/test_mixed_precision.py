"""Training in bfloat16 and float16, which a CPU computes too."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from small_encoders import SMALL

from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.token_ids import Streams, TokenIds
from paranmt.models.training.mixed_precision import LossScale
from paranmt.models.training.pair_training import TrainProgress
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import Precision, TrainOptions
from paranmt.models.training.trainer import train_encoder
from paranmt.models.training.updates import Updates
from paranmt.transforms.trainings.training_encoders import InputHashes, training_ingredients

_PAIRS = PairList(
    [f"the thing{i % 10} stood there {i}" for i in range(30)],
    [f"There was a object{i % 10} , {i % 7}" for i in range(30)],
)
_OPTIONS = TrainOptions(epochs=2, batch=4, mega_batch=3, learning_rate=0.01, device="cpu")


@pytest.mark.parametrize("name", ["lstm", "gran", "gru", "transformer", "cse"])
def test_losses_in_bfloat16_are_close(tmp_path: Path, name: str) -> None:
    losses = {}
    for precision in ("float32", "bfloat16"):
        options = replace(_OPTIONS, encoder=SMALL[name], precision=precision)  # type: ignore[arg-type]
        folder = tmp_path / precision
        losses[precision] = train_encoder(_PAIRS, options, folder, tmp_path / f"s-{precision}").losses
        weights = SentenceEncoder.load(folder).encoder.state_dict().values()
        assert {value.dtype for value in weights} == {torch.float32}
    assert losses["bfloat16"] != losses["float32"]
    assert losses["bfloat16"] == pytest.approx(losses["float32"], rel=0.01)


def test_a_scale_by_hand() -> None:
    scale = LossScale("float16")
    assert scale.value == 65536
    gradient = torch.tensor([65536.0, -32768.0])
    assert scale.take_off([gradient]) and gradient.tolist() == [1.0, -0.5]
    assert not scale.take_off([gradient, torch.tensor([float("inf")])])
    assert scale.value == 32768
    for _ in range(1999):
        assert scale.take_off([torch.ones(1)])
    assert scale.value == 32768
    scale.take_off([torch.ones(1)])
    assert scale.value == 65536
    assert LossScale("bfloat16").take_off([torch.tensor([float("nan")])])


@pytest.mark.parametrize("changes", [{}, {"objective": "infonce", "encode_at_once": 3}], ids=str)
def test_float16_trains_and_resumes_with_its_scale(tmp_path: Path, changes: dict[str, object]) -> None:
    options = replace(_OPTIONS, encoder=SMALL["lstm"], epochs=3, precision="float16", **changes)  # type: ignore[arg-type]

    def stop(progress: TrainProgress) -> None:
        if progress.epoch == 2:
            raise KeyboardInterrupt

    whole = train_encoder(_PAIRS, options, tmp_path / "whole", tmp_path / "s-whole")
    assert whole.losses[-1] < whole.losses[0]
    with pytest.raises(KeyboardInterrupt):
        train_encoder(_PAIRS, options, tmp_path / "out", tmp_path / "s", stop)
    assert train_encoder(_PAIRS, options, tmp_path / "out", tmp_path / "s").losses == whole.losses
    weights = (tmp_path / "out/model.safetensors").read_bytes()
    assert weights == (tmp_path / "whole/model.safetensors").read_bytes()


def test_a_step_whose_gradients_overflow_changes_nothing() -> None:
    encoder = draw_weights(AveragingOptions(dimension=2).build({"words": 3}, "words"), 1)
    updates = Updates(dict(encoder.named_parameters()), encoder.tables, precision="float16")
    before = encoder.get_parameter("embedding.weight").detach().clone()
    for gradient, moves in ((float("inf"), False), (65536.0, True)):
        small = updates.small_tables(Streams(words=TokenIds.of([[1, 2]])))
        (table,) = small.tables.values()
        table.grad = torch.full((2, 2), gradient)
        updates.step(small, 0.1)
        assert (encoder.get_parameter("embedding.weight") != before).any() == moves


def test_the_key_has_the_precision_that_auto_stands_for() -> None:
    def precision(precision: Precision) -> object:
        return training_ingredients(TrainOptions(precision=precision), InputHashes(), False)["precision"]

    values: tuple[Precision, ...] = ("auto", "float32", "bfloat16")
    assert [precision(value) for value in values] == ["float32", "float32", "bfloat16"]
