"""Columns and manifest of a release have the names and types that programs rely on, by docs/releases.md."""

from pathlib import Path

import pytest

from paranmt.base.dataset_columns import release_columns
from paranmt.pipeline.manifest.manifest import MANIFEST
from paranmt.pipeline.manifest.release_summary import (
    ReleaseSummary,
    ScoreSummary,
    TranslationCounts,
    type_name,
)
from paranmt.transforms.storage.content_hash import seal

COLUMNS = {
    "pair_id": "string",
    "corpus": "string",
    "domain": "string",
    "licence": "string",
    "source_language": "string",
    "source": "string",
    "reference": "string",
    "translation": "string",
    "translation_log_prob": "float32",
    "translation_tokens": "int32",
    "translation_status": "string",
    "translation_rank": "int32",
    "translation_model_hash": "string",
    "candidates": "list of structs",
    "held_out": "bool",
    "recipe_hash": "string",
    "duplicate_of": "string",
    "duplicates": "int32",
}
"""A column may be added. One that has another name or type breaks the programs that read it."""

KEYS = """
    format format_version pairs licences recipe_hash name corpora translation columns files scores
    primary_score selections recipe made_of models contamination packages computed_with cut_from
    merged_from other_files description authors examples url date_published xxh3
""".split()
"""Of the manifest. They change only together with `format_version`."""


def test_columns_have_the_promised_names_and_types() -> None:
    columns = release_columns((), candidates=True, duplicates=True)
    types = {column.name: type_name(column.type) for column in columns}
    types = {name: "list of structs" if kind.startswith("list<") else kind for name, kind in types.items()}
    assert types == COLUMNS


def test_the_manifest_has_the_promised_keys_and_version() -> None:
    scores = [ScoreSummary("perplexity", "", "", None, 0, 0)]
    empty = ReleaseSummary("empty", (), TranslationCounts(), (), {}, scores, "perplexity", (), {"seed": 1})
    content = seal(MANIFEST.content(empty))
    assert list(content) == KEYS
    assert content["format_version"] == 1


def test_the_documentation_names_the_version() -> None:
    document = Path(__file__).resolve().parents[3] / "docs" / "releases.md"
    if not document.exists():
        pytest.skip("no docs beside the tests: they run against a wheel")
    promises = document.read_text("utf-8").partition("## What may change")[2]
    assert "`format_version`, now 1." in promises
