"""docs/papers.md names tests, recipe keys, commands and tables that exist."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
import yaml

from paranmt.launch.cli import app
from paranmt.launch.display.help import imported
from paranmt.models.evaluation.evaluation_kinds import EVALUATIONS
from paranmt.models.training.head_options import HEAD_OBJECTIVES
from paranmt.papers.paper_tables import TABLES
from paranmt.pipeline.recipe.recipe import Recipe

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/papers.md"

if not PAGE.exists():
    pytest.skip("no docs beside the tests: they run against a wheel", allow_module_level=True)

ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| section")
]
SPANS = sorted({span for row in ROWS for span in re.findall(r"`([^`]+)`", row[2])})
NOT_HERE = "not here: "
NAMED = "x"


def defined(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from defined(node.body, f"{prefix}{node.name}::")
        elif isinstance(node, ast.FunctionDef):
            yield prefix + node.name


def recipe_with(snippet: dict) -> dict:
    """A whole recipe with the keys of a snippet; those of an entry get a name and what every entry needs."""
    recipe: dict = {
        "bitext": [{"corpus": "a", "format": "tsv", "source_language": "cs", "path": "a.tsv"}],
        "translate": {"model": "m", "keep_candidates": 12},
        "scores": {
            name: {}
            for name in (
                *("translation_cost", "perplexity", "reference_length", "translation_length"),
                *("trigram_overlap", "sentence_bleu", "reference_probability", "paraphrase_similarity"),
            )
        },
        "select": {"all": {}},
    }
    for key, given in copy.deepcopy(snippet).items():
        if key == "train":
            has_head = given.get("objective") in HEAD_OBJECTIVES
            own = (
                {"examples": "e", "dev": "d"}
                if has_head
                else {}
                if "pairs" in given
                else {"selection": "all"}
            )
            recipe["train"] = {NAMED: {**own, **given}}
        elif key == "evaluate":
            recipe["evaluate"] = {NAMED: {"encoder": {"path": "e"}, "data": "d", **given}}
        elif key == "tune":
            recipe["tune"] = {NAMED: {"data": "d", **given}}
        elif key == "select":
            recipe["select"][NAMED] = given
        elif key == "choose":
            recipe["choose"] = given
        else:
            recipe[key].update(given)
    return recipe


def test_every_row_has_a_way_and_a_test_or_a_reason() -> None:
    assert len(ROWS) > 90
    for row in ROWS:
        section, what, way, test = row
        assert section and what and way, row
        assert bool(test) != way.startswith(NOT_HERE), row
        assert way.startswith((NOT_HERE, "`")), row


def test_every_test_is_there() -> None:
    missing = []
    for row in ROWS:
        if row[3]:
            file, _, name = row[3].strip("`").partition("::")
            tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
            if name not in set(defined(tree.body)):
                missing.append(row[3])
    assert missing == []


@pytest.mark.parametrize("span", [span for span in SPANS if not span.startswith("paranmt ")])
def test_every_recipe_key_is_there(span: str) -> None:
    text = yaml.safe_dump(recipe_with(yaml.safe_load(span)))
    assert Recipe.from_yaml(text, folder="/").bitext


@pytest.mark.parametrize("span", [span for span in SPANS if span.startswith("paranmt ")])
def test_every_command_is_there(span: str) -> None:
    _, *words = span.split()
    command = typer.main.get_command(app)
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        command = imported(command.commands[words.pop(0)])
    assert command.name is not None
    if command.name == "reproduce":
        assert words.pop(0) in TABLES
    options = {option for parameter in command.params for option in parameter.opts}
    while words:
        option = words.pop(0)
        assert option in options
        if option == "--kind":
            assert words.pop(0) in EVALUATIONS
