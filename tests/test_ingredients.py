"""Keys of trained encoders: an option that is added makes no encoder stale that is older than it."""

import pytest

from paranmt.ingredients import ingredients_of
from paranmt.models.encoders.kinds import (
    AveragingOptions,
    BiLstmOptions,
    Component,
    LstmAveragingOptions,
    MixedOptions,
)
from paranmt.models.training.options import TextOptions, TrainOptions
from paranmt.pipeline.keys import digest
from paranmt.transforms.train import InputHashes, training_ingredients

_MIXED = MixedOptions(
    parts=(
        Component(encoder=AveragingOptions(dimension=4)),
        Component(encoder=LstmAveragingOptions(size=3), units="trigrams"),
    )
)


# The keys that these options had before fields said for themselves whether they are in keys.
@pytest.mark.parametrize(
    ("options", "gpu", "hashes", "key"),
    [
        (TrainOptions(), False, (None, None), "2d55072221b484a9"),
        (TrainOptions(encoder=BiLstmOptions()), True, (None, None), "66830578e58ac732"),
        (
            TrainOptions(vectors="a.txt", embedding_updates="dense", lambda_words=1e-5),
            False,
            ("1f", None),
            "743a6646eb357f66",
        ),
        (TrainOptions(start="models/avg"), False, (None, "2e"), "bc49df77b44e7f4a"),
        (TrainOptions(text=TextOptions(tags="end")), False, (None, None), "8b5c4759e827b493"),
        (
            TrainOptions(objective="infonce", temperature=0.1, mask_above=0.9, encode_at_once=64),
            False,
            (None, None),
            "c55e72b7e3178d08",
        ),
        (
            TrainOptions(schedule="linear", warmup_steps=10, clip_norm=5.0),
            False,
            (None, None),
            "4db316242dfb6da7",
        ),
        (TrainOptions(encoder=_MIXED), False, (None, None), "2f5995f825f816e6"),
    ],
)
def test_keys_of_encoders_that_exist(
    options: TrainOptions, gpu: bool, hashes: tuple[str | None, str | None], key: str
) -> None:
    vectors, start = hashes
    ingredients = training_ingredients(options, InputHashes(vectors, start), gpu)
    del ingredients["arithmetic"]  # raised on purpose when the same options train other weights
    assert digest(ingredients) == key


def test_a_later_option_is_an_ingredient_once_it_is_set() -> None:
    default = ingredients_of(TrainOptions())
    assert "schedule" not in default and "tags" not in default["text"]
    changed = ingredients_of(TrainOptions(schedule="linear", text=TextOptions(tags="end")))
    assert changed == default | {"schedule": "linear", "text": default["text"] | {"tags": "end"}}
