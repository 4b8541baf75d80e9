"""The title, the description, the makers and the models' licences of a release: keys of the recipe."""

import json
from pathlib import Path

import pytest
from corpus import recipe_text
from runs import go, load

from paranmt.base.errors import RecipeError

REST = (
    "scores={translation_length: {}, perplexity: {lm: {train_on: 20}}}",
    "select={short: {where: translation_length <= 8}}",
    "duplicates={}",
    "train={}",
    "evaluate={}",
)


def test_card_and_report_have_the_title_and_pairs_of_the_selection(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 60, "second": 60})
    go(load(tmp_path, text, *REST))
    card, page = tmp_path / "work/release/README.md", tmp_path / "work/report/index.html"
    assert "\n# first, second\n" in card.read_text() and "<h1>first, second</h1>" in page.read_text()
    assert "0 failed" not in page.read_text() and "120 existing" in page.read_text()
    assert "from the selection <code>short</code>" in page.read_text()
    manifest = json.loads((tmp_path / "work/release/manifest.json").read_text())
    assert len(manifest["examples"]) == 5
    assert all(len(pair["translation"].split()) <= 8 for pair in manifest["examples"])

    titles = ("name=My pairs", "description=All mine.", "authors=[A. B.]", "model_licences={perplexity: MIT}")
    result = go(load(tmp_path, text, *REST, *(f"release.{title}" for title in titles)))
    assert result.computed == ("report",), "no pair has changed"
    assert "\n# My pairs\n\nAll mine.\n\nAuthors: A. B.\n" in card.read_text()
    assert "| MIT |" in card.read_text()
    assert "<h1>My pairs</h1>\n<p>All mine.</p>" in page.read_text()


def test_licences_of_models_that_there_are_not(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 9})
    with pytest.raises(RecipeError, match="release.model_licences.perplexty: .* perplexity"):
        load(tmp_path, text, "release={model_licences: {perplexty: MIT}}")
