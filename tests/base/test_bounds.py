"""Every option that is a number has bounds: no class takes what its code cannot compute with."""

import dataclasses
import math
import types
from collections.abc import Iterator
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError

from paranmt.base.bounds import SEED
from paranmt.base.errors import RecipeError, RunnerError
from paranmt.filters import SCORES
from paranmt.filters.contamination import EvaluationSet
from paranmt.filters.perplexity import LanguageModelSpec
from paranmt.filters.reference_probability import ClassifierSpec
from paranmt.filters.similarity import EncoderSpec
from paranmt.launch.render import TARGETS
from paranmt.launch.runners import RUNNERS
from paranmt.models.encoders.encoder_kinds import ENCODERS, AveragingOptions, Component
from paranmt.models.evaluation.evaluation_kinds import EVALUATIONS
from paranmt.models.training.head_options import HEAD_OBJECTIVES
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.translation.nmt_training import NmtOptions, _check
from paranmt.models.translation.search_options import SearchOptions
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.pipeline.recipe.recipe import CandidateChoice, Duplicates, Ingest, ReleaseLayout, Selection
from paranmt.pipeline.recipe.train_entries import Training, Tuning
from paranmt.transforms.bitexts.inputs import SIDES, BitextInput
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
    Ingest,
    CandidateChoice,
    Duplicates,
    Selection,
    ReleaseLayout,
    *RUNNERS.values(),
    *TARGETS.values(),
]
# What a class cannot be made without.
NEEDED: dict[str, Any] = {
    "path": "a",
    "data": "a",
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
# These need no bounds: columns, which a file has or not.
FREE = {
    ("PairFileOptions", "columns"),
    ("PairFileOptions", "score"),
    *(("BitextInput", side) for side in SIDES),
}


def numbers_in(kind: Any) -> set[type]:
    """int and float, where they are in the type of an option."""
    if kind in (int, float):
        return {kind}
    if get_origin(kind) in (Union, types.UnionType, tuple):
        return set().union(*(numbers_in(part) for part in get_args(kind)))
    return set()


def is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple or any(get_origin(part) is tuple for part in get_args(kind))


def options() -> Iterator[tuple[type, str, Any]]:
    for owner in CLASSES:
        hints = get_type_hints(owner)
        names = [f.name for f in dataclasses.fields(owner)] if dataclasses.is_dataclass(owner) else hints
        for name in names:
            if numbers_in(hints[name]) and (owner.__name__, name) not in FREE:
                yield owner, name, hints[name]


@pytest.mark.parametrize(
    ("owner", "name", "kind"), list(options()), ids=lambda value: getattr(value, "__name__", str(value))
)
def test_a_number_out_of_bounds_is_an_error(owner: type, name: str, kind: Any) -> None:
    wrong: list[Any] = [10**50, -(10**50), math.nan, math.inf, -math.inf]
    if numbers_in(kind) == {int}:
        wrong.append(1.5)
    for number in wrong:
        with pytest.raises(
            (RecipeError, RunnerError, ValidationError, ValueError), match=flag_of(owner, name)
        ):
            make(owner, {name: (number, number) if is_tuple(kind) else number})


def flag_of(owner: type, name: str) -> str:
    """What the message calls an option: of the command line its flag, otherwise its name."""
    flags = (
        {field.name: field.metadata.get("flag") for field in dataclasses.fields(owner)}
        if (dataclasses.is_dataclass(owner))
        else {}
    )
    return flags.get(name) or name


def make(owner: type, values: dict[str, Any]) -> object:
    """Options with these values, as a recipe makes them and as code does."""
    if not dataclasses.is_dataclass(owner):
        return TypeAdapter(owner).validate_python(values)
    needed = {
        field.name: NEEDED[field.name]
        for field in dataclasses.fields(owner)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    if owner is LanguageModelSpec:
        needed = {"train_on": 1}
    if owner is Training:
        needed = {"selection": "a"}
    made = owner(**{**needed, **values})
    if owner is NmtOptions:
        _check(made)
    return made


@pytest.mark.parametrize("seed", [10**400, -(10**400), 10**5_000], ids=["large", "negative", "larger"])
def test_numbers_that_are_too_large_for_a_fraction(seed: int) -> None:
    assert SEED.problem(seed) is not None
    with pytest.raises(RecipeError, match="seed must be at .*, not one of more than 60 digits"):
        TrainOptions(seed=seed)
