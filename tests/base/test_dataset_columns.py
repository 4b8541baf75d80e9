import doctest

import pyarrow as pa
import pytest

from paranmt.base import dataset_columns
from paranmt.base.dataset_columns import (
    DatasetColumn,
    column_problem,
    decile_column,
    release_columns,
    schema,
    score_column,
    selection_column,
)


def test_examples_in_docstrings():
    assert doctest.testmod(dataset_columns).failed == 0


def test_release_columns_are_in_the_order_a_reader_sees():
    scores = [
        score_column("perplexity", pa.float32(), "", "How odd it is."),
        score_column("n", pa.int32(), "tokens", "x"),
    ]
    selections = [selection_column("good", "n > 3")]
    columns = release_columns(scores, selections, candidates=True)
    names = [column.name for column in columns]
    assert names == [
        *("pair_id", "corpus", "domain", "licence", "source_language"),
        *("source", "reference", "translation"),
        *("translation_log_prob", "translation_tokens", "translation_status"),
        *("translation_rank", "translation_model_hash", "candidates"),
        *("perplexity", "perplexity_decile", "n", "n_decile"),
        *("held_out", "recipe_hash", "good"),
    ]
    default = {column.name for column in release_columns(scores)}
    assert "candidates" not in default


def test_every_column_has_a_meaning():
    for column in release_columns([], candidates=True):
        assert column.meaning.endswith(".")
    assert decile_column("perplexity").type == pa.int8()


def test_schema_carries_unit_meaning_and_more():
    column = DatasetColumn("n", pa.int32(), "tokens", "How long it is.")
    assert schema([column]).field("n").metadata == {b"unit": b"tokens", b"meaning": b"How long it is."}
    assert column.field({"tokens": "words"}).metadata[b"tokens"] == b"words"
    assert DatasetColumn("n", pa.int32(), "", "x").field().metadata == {b"meaning": b"x"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("perplexity", None),
        ("glove_2", None),
        ("Perplexity", "is not a name"),
        ("2gram", "is not a name"),
        ("a b", "is not a name"),
        ("", "is not a name"),
        ("reference", "is a column of every release"),
        ("held_out", "is a column of every release"),
        ("x_decile", "is reserved for the deciles"),
        ("taken", "is the name of two columns"),
        ("x" * 64, None),
        ("x" * 65, "is not a name"),
        ("order", "is a word of SQL"),
        ("run.json", "is not a name"),
    ],
)
def test_names_of_scores_and_selections(name, expected):
    problem = column_problem(name, taken=["taken"])
    assert problem is None if expected is None else expected in problem
