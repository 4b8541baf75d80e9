"""No class of options takes numbers that are out of their bounds.

The tests of the recipe's JSON Schema see that each number in it has bounds.
"""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, get_type_hints

import pytest

from paranmt.base.bounds import SEED, Bounds, bounds_of
from paranmt.base.errors import RecipeError, RunnerError
from paranmt.filters import SCORES
from paranmt.filters.contamination import EvaluationSet
from paranmt.filters.perplexity import LanguageModelSpec
from paranmt.filters.reference_probability import ClassifierSpec
from paranmt.filters.similarity import EncoderSpec
from paranmt.launch.options.field_options import CommandOptions
from paranmt.launch.render import TARGETS
from paranmt.launch.runners import RUNNERS
from paranmt.models.encoders.encoder_kinds import ENCODERS, AveragingOptions, Component
from paranmt.models.evaluation.evaluation_kinds import EVALUATIONS
from paranmt.models.training.head_options import HEAD_OBJECTIVES
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.translation.nmt_options import NmtOptions
from paranmt.models.translation.nmt_training import _check
from paranmt.models.translation.search_options import SearchOptions
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.pipeline.recipe.train_entries import Training, Tuning
from paranmt.transforms.bitexts.inputs import BitextInput
from paranmt.transforms.pair_files import PairFileOptions

CLASSES: list[type] = [
    *ENCODERS.values(),
    TextOptions,
    TrainOptions,
    Training,
    Tuning,
    *HEAD_OBJECTIVES.values(),
    PairFileOptions,
    TranslateOptions,
    SearchOptions,
    NmtOptions,
    *EVALUATIONS.values(),
    *SCORES.values(),
    LanguageModelSpec,
    ClassifierSpec,
    EncoderSpec,
    BitextInput,
]
COMMANDS: list[type[CommandOptions]] = [*RUNNERS.values(), *TARGETS.values()]
# What a class cannot be made without.
NEEDED: dict[str, Any] = {
    "path": "a",
    "data": "a",
    "options": TrainOptions(),
    "selection": "a",
    "examples": "a",
    "dev": "a",
    "corpus": "a",
    "format": "tsv",
    "source_language": "cs",
    "parts": (Component(encoder=AveragingOptions()),),
    "sets": (EvaluationSet("a", "a"),),
    "language": "en",
}


def numbers() -> Iterator[tuple[type, str, str, Bounds]]:
    """The class of each number, its field, what messages call it, and its bounds."""
    for owner in CLASSES:
        for name, bounds in bounds_of(owner).items():
            yield owner, name, name, bounds
    for command in COMMANDS:
        for option in command.field_options():
            if option.name in bounds_of(command):
                yield command, option.name, option.flags[0], bounds_of(command)[option.name]


@pytest.mark.parametrize(
    ("owner", "name", "called", "bounds"), list(numbers()), ids=lambda value: getattr(value, "__name__", None)
)
def test_a_number_out_of_bounds_is_an_error(owner: type, name: str, called: str, bounds: Bounds) -> None:
    for number in (10**50, -(10**50), math.nan, math.inf, -math.inf, *([1.5] if bounds.is_whole else [])):
        with pytest.raises((RecipeError, RunnerError), match=called):
            make(owner, {name: number})


@pytest.mark.parametrize("owner", [NmtOptions, *COMMANDS])
def test_every_number_of_a_command_has_bounds(owner: type) -> None:
    numbers = (int, float, int | None, float | None)
    plain = {name for name, hint in get_type_hints(owner).items() if hint in numbers}
    assert plain <= {*bounds_of(owner)}


def make(owner: type, values: dict[str, Any]) -> object:
    """Options with these values, and what else they need."""
    needed = {
        field.name: NEEDED[field.name]
        for field in dataclasses.fields(owner)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    if owner is LanguageModelSpec:
        needed = {"train_on": 1}
    if owner is Training:
        needed = {"selection": "a", "options": TrainOptions()}
    made = owner(**{**needed, **values})
    if owner is NmtOptions:
        _check(made)
    return made


@pytest.mark.parametrize("seed", [10**400, -(10**400), 10**5_000], ids=["large", "negative", "larger"])
def test_numbers_that_are_too_large_for_a_fraction(seed: int) -> None:
    assert SEED.problem(seed) is not None
    with pytest.raises(RecipeError, match="seed must be at .*, not one of more than 60 digits"):
        TrainOptions(seed=seed)
