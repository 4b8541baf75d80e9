"""Keys of trained encoders: which options are in them."""

from paranmt.base.ingredients import ingredients_of
from paranmt.models.training.options import TextOptions, TrainOptions


def test_a_later_option_is_an_ingredient_once_it_is_set() -> None:
    default = ingredients_of(TrainOptions())
    assert "schedule" not in default and "tags" not in default["text"]
    changed = ingredients_of(TrainOptions(schedule="linear", text=TextOptions(tags="end")))
    assert changed == default | {"schedule": "linear", "text": default["text"] | {"tags": "end"}}
