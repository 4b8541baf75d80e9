"""Scores that are labels or grades: columns without deciles, in a whole run."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import recipe_text
from runs import go, load

from paranmt.base.errors import RecipeError
from paranmt.filters.score import Score

SCORES = """scores={
  translation_language: {},
  copy_grade: {},
  length_ratio: {},
  translation_length: {},
}"""
REST = ("duplicates={keep: translation_length}", "release={}", "train={}", "evaluate={}")
SELECT = "select={english: {where: translation_language = 'en' and copy_grade = 0}, any: {}}"


def test_labels_are_columns_of_the_release_and_have_no_deciles(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 120})
    translations = tmp_path / "data/first.mt"
    lines = translations.read_text().split("\n")
    lines[:5] = ["Dva psi běží po pláži k moři.", "1950", "Die zwei Hunde laufen am Strand.", "<b>", "`|`"]
    translations.write_text("\n".join(lines))
    go(load(tmp_path, text, SCORES, SELECT, *REST, "release={primary_score: length_ratio}"))
    work = tmp_path / "work"
    release = pq.read_table(work / "release/data")
    names = [name for name in release.column_names if name.endswith("_decile")]
    assert names == ["translation_length_decile", "length_ratio_decile"]
    assert not (work / "deciles/translation_language").exists()
    assert release.schema.field("translation_language").type == pa.string()
    labels = release["translation_language"].to_pylist()
    languages = dict(zip(release["pair_id"].to_pylist(), labels, strict=True))
    assert [languages[f"first/first.xx:{record}"] for record in (1, 2, 3)] == ["cs", None, "de"]
    deciles = release["length_ratio_decile"].to_pylist()
    assert deciles == sorted(deciles, reverse=True), "the highest first if neither end is better"
    selected = [
        language == "en" and grade == 0
        for language, grade in zip(labels, release["copy_grade"].to_pylist(), strict=True)
    ]
    assert release["english"].to_pylist() == selected and 0 < sum(selected) < 115

    counts = Counter(label for label in languages.values() if label)
    manifest = json.loads((work / "release/manifest.json").read_text())
    (label,) = [score for score in manifest["scores"] if score["name"] == "translation_language"]
    assert label["values"] == counts and label["cuts"] == [] and label["higher_is_better"] is None
    assert (label["n"], label["nulls"]) == (counts.total(), 120 - counts.total())
    card = (work / "release/README.md").read_text()
    assert "| `translation_language` | string | ISO 639 code | The most probable" in card
    assert f"`en` {counts['en']}, " in card
    assert "| `copy_grade` | int32 | grade, 0 to 2 |" in card and "| `copy_grade` | lower is better |" in card
    report = (work / "report/index.html").read_text()
    assert f'<th scope="row"><code>en</code></th>\n<td class="n">{counts["en"]}</td>' in report
    assert "<dt>translation_language</dt><dd>en</dd>" in report
    fields = json.loads((work / "release/croissant.json").read_text())["recordSet"][0]["field"]
    assert {field["name"]: field["dataType"] for field in fields}["translation_language"] == "sc:Text"


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("scores={copy_grade: {}}", "scores: expected a score with deciles, because they order the release"),
        (
            "release={primary_score: copy_grade}",
            "copy_grade has no deciles .*choose another score: translation_length",
        ),
        ("duplicates={keep: length_ratio}", "length_ratio does not say which of two pairs is better; choose"),
        (
            "duplicates={keep: translation_language}",
            "better; choose another score: translation_length, copy_grade",
        ),
        ("choose={order: length_ratio}", "length_ratio does not say which of two candidates is better"),
        ("select={a: {where: copy_grade_decile = 1}}", "copy_grade_decile"),
        ("select={a: {where: translation_language > 1}}", "translation_language"),
    ],
)
def test_a_recipe_cannot_rank_by_them(tmp_path: Path, override: str, message: str) -> None:
    text = recipe_text(tmp_path, {"first": 9})
    with pytest.raises(RecipeError, match=message):
        load(tmp_path, text, SCORES, *REST, "select={}", "translate={keep_candidates: 3}", override)


def test_the_pair_that_is_kept_needs_a_better_end_by_default_too(tmp_path: Path) -> None:
    scores = "scores={length_ratio: {}}"
    text = recipe_text(tmp_path, {"first": 9})
    with pytest.raises(RecipeError, match="length_ratio does not say which of two pairs is better"):
        load(tmp_path, text, scores, *REST, "select={}", "duplicates={}")


def test_a_score_has_deciles_unless_it_says_otherwise() -> None:
    assert Score.has_deciles
