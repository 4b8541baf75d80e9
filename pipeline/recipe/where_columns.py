"""The columns that a selection's `where` may name, and the stages that give them.

Recipes are checked by this before there are stages, so it only knows which entries their sections have.
"""

from collections.abc import Callable, Iterable, Mapping

import pyarrow as pa

from ...base.dataset_columns import (
    DUPLICATE_FACTS,
    PROVENANCE,
    REFERENCE,
    SOURCE,
    DatasetColumn,
    decile_column,
    score_column,
)
from ...filters import SCORES
from ...filters.given import GIVEN as GIVEN_NUMBER
from ...filters.score import Score
from .name import StageName

Sections = Mapping[str, Mapping[str, object]]
"""The sections of a recipe that have a value, each with its entries; some may have mistakes."""

Given = Iterable[tuple[StageName, DatasetColumn]]
"""Columns, each with the stage that gives it."""


def _measured(sections: Sections) -> Given:
    for name, entry in sections.get("scores", {}).items():
        measure = _measure(entry)
        dtype = pa.float32() if measure is None else measure.dtype
        yield StageName("score", name), score_column(name, dtype, "", "")
        if measure is None or measure.has_deciles:
            yield StageName("deciles", name), decile_column(name)


def _duplicates(sections: Sections) -> Given:
    if "duplicates" in sections:
        yield from ((StageName("duplicates"), column) for column in DUPLICATE_FACTS)


GIVEN: list[Callable[[Sections], Given]] = [_measured, _duplicates]
"""What kinds of stage give. A kind whose columns selections may name has a function here."""


def given_columns(recipe: Iterable[tuple[str, object]]) -> Given:
    """The columns that stages give. recipe: its sections and their values, checked or as they were read."""
    sections = {
        section: value if isinstance(value, dict) else {} for section, value in recipe if value is not None
    }
    return [given for give in GIVEN for given in give(sections)]


def given_before_translation(scores: Mapping[str, Score]) -> Given:
    """The scores that read neither translations nor more of the corpus than their pair.

    Of those, a part's key changes only with the part, so that no new corpus translates another one again.
    """
    for stage, column in _measured({"scores": scores}):
        score = scores[stage.label]
        is_known = {*score.reads} <= {
            SOURCE.name,
            REFERENCE.name,
            GIVEN_NUMBER,
        } and score.trained_on() is None
        if stage.kind == "score" and is_known:
            yield stage, column


def columns_before_translation(scores: Mapping[str, Score]) -> dict[str, pa.DataType]:
    """The type of each column that the `where` of `translate` may name."""
    columns = (*PROVENANCE[1:], *(column for _, column in given_before_translation(scores)))
    return {column.name: column.type for column in columns}


def where_columns(recipe: Iterable[tuple[str, object]]) -> dict[str, pa.DataType]:
    """The type of each column that a `where` may name. recipe: as for `given_columns`."""
    columns = (*PROVENANCE, *(column for _, column in given_columns(recipe)))
    return {column.name: column.type for column in columns}


def _measure(entry: object) -> Score | type[Score] | None:
    """The measure of an entry of `scores`; None if it names none that there is."""
    if isinstance(entry, Score):
        return entry
    return SCORES.get(str(entry.get("score"))) if isinstance(entry, dict) else None
