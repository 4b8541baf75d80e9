"""Trainings that start from the encoder of another entry of the recipe."""

from pathlib import Path

import pytest
import safetensors.torch
from corpus import recipe_text
from runs import go, load

from paranmt.base.errors import RecipeError
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.recipe.recipe_paths import paths_of
from paranmt.pipeline.running.plan import make_plan

ENCODER = "encoder: {type: avg, dimension: 8}, epochs: 1, batch: 20"
EXAMPLES = "objective: classification, examples: classes.tsv, dev: classes.tsv"
TRAIN = f"""train:
  last: {{{EXAMPLES}, {ENCODER}, start: second}}
  second: {{selection: short, {ENCODER}, start: first, seed: 3}}
  first: {{selection: middling, {ENCODER}}}
"""


def write(folder: Path) -> Recipe:
    text = recipe_text(folder, {"first": 120})
    (folder / "classes.tsv").write_text("".join(f"{i % 2}\ta dog sees snow {i}\n" for i in range(20)))
    before, _, after = text.partition("train:\n")
    sets = "{sets: [{name: sts, path: sts}]}"
    before = before.replace("  trigram_overlap: {}", f"  trigram_overlap: {{}}\n  contamination: {sets}")
    return load(
        folder, before + TRAIN + after[after.index("evaluate:") :].replace("encoder: avg", "encoder: last")
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("starts")
    go(write(folder))
    return folder


def test_the_encoder_is_that_of_a_training_from_the_folder(finished: Path, tmp_path: Path) -> None:
    """Named as a folder, the same encoder gives the same bytes."""
    recipe = Recipe.load(finished / "recipe.yaml")
    second = encoder_of(recipe, "second")
    path = make_plan(recipe).workspace.path(make_plan(recipe).stage("train/first").built)
    again = Recipe.load(finished / "recipe.yaml", [f"train.second.start={path}", f"workspace={tmp_path}"])
    go(again, last="train")
    assert encoder_of(again, "second") == second
    alone = Recipe.load(finished / "recipe.yaml", ["train.second.start=null", f"workspace={tmp_path}"])
    go(alone, last="train")
    assert encoder_of(alone, "second") != second


def encoder_of(recipe: Recipe, name: str) -> dict[str, bytes]:
    plan = make_plan(recipe)
    folder = Path(plan.workspace.path(plan.stage(f"train/{name}").built))
    return {file.name: file.read_bytes() for file in folder.glob("*.safetensors")}


def test_what_follows_becomes_stale_with_the_first(finished: Path) -> None:
    changed = Recipe.load(finished / "recipe.yaml", ["train.first.margin=0.7"])
    states = {condition.name: condition.state for condition in make_plan(changed).conditions}
    assert {states[f"train/{name}"] for name in ("first", "second", "last")} == {"stale"}
    changed = Recipe.load(finished / "recipe.yaml", ["train.second.margin=0.7"])
    states = {condition.name: condition.state for condition in make_plan(changed).conditions}
    assert (states["train/first"], states["train/second"], states["train/last"]) == (
        "fresh",
        "stale",
        "stale",
    )


def test_pairs_of_all_trainings_are_left_out(finished: Path) -> None:
    stage = make_plan(Recipe.load(finished / "recipe.yaml")).stage("evaluate/sts")
    assert [pairs.selection for pairs in stage.work.contaminated] == ["short", "middling"]


def test_parts_from_several_entries(finished: Path, tmp_path: Path) -> None:
    """A mixture without an epoch holds the encoders of other entries, and is stale with each of them."""
    part = "{units: words, encoder: {type: avg, dimension: 8}}"
    encoder = f"{{type: mixed, combine: concatenate_normalised, parts: [{part}, {part}]}}"
    changes = [
        f"train.both={{selection: short, epochs: 0, start: [second, first], encoder: {encoder}}}",
        "train.first.selection=short",  # so that both have the same words
        "train.second.start=null",
        "evaluate.sts.encoder=both",
        f"workspace={tmp_path}",
    ]
    recipe = Recipe.load(finished / "recipe.yaml", changes)
    assert not [path for path, _ in paths_of(recipe) if path.startswith("train.both")]
    go(recipe, last="train")
    both = safetensors.torch.load(*encoder_of(recipe, "both").values())
    for number, name in enumerate(("second", "first")):
        (alone,) = encoder_of(recipe, name).values()
        assert both[f"parts.{number}.embedding.weight"].equal(
            safetensors.torch.load(alone)["embedding.weight"]
        )
    stage = make_plan(recipe).stage("evaluate/sts")
    assert [pairs.selection for pairs in stage.work.contaminated] == ["short", "short", "short"]
    changed = Recipe.load(finished / "recipe.yaml", [*changes, "train.first.margin=0.7"])
    states = {condition.name: condition.state for condition in make_plan(changed).conditions}
    assert (states["train/both"], states["train/second"]) == ("stale", "fresh")


def test_a_name_is_no_path(finished: Path) -> None:
    recipe = Recipe.load(finished / "recipe.yaml", ["train.first.start=models/avg"])
    keys = dict(paths_of(recipe.located()))
    assert {path for path, key in keys.items() if ".start" in path} == {"train.first.start"}
    assert keys["train.first.start"] == str(finished / "models/avg")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("train.first.start=last", "train.first.start: a circle: first starts from last starts from second"),
        (
            "train.first.start=[x, last]",
            "train.second.start: a circle: second starts from first starts from last",
        ),
        ("train.first.start=first", "train.first.start: a circle: first starts from first"),
    ],
)
def test_circles(finished: Path, override: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Recipe.load(finished / "recipe.yaml", [override])


def test_another_encoder_is_refused_before_anything_is_trained(finished: Path) -> None:
    recipe = Recipe.load(finished / "recipe.yaml", ["train.first.encoder.dimension=9"])
    with pytest.raises(RecipeError, match="train/second starts from train/first, so both must have the same"):
        make_plan(recipe)
