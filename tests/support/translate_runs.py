"""Recipes that translate with a tiny model."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from nmt_models import SOURCE_WORDS, sentences
from runs import Silent

from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.run import run
from paranmt.transforms.storage.dataset import read_manifest
from paranmt.transforms.storage.workspace import Workspace

SOURCES = [*sentences(45, 8), " ".join([SOURCE_WORDS[0]] * 70)]  # the model has 64 positions


def write_recipe(folder: Path, model: str, translate: str = "", translation: str = "") -> Recipe:
    """A recipe over a bitext of one corpus in two parts."""
    folder.mkdir(parents=True, exist_ok=True)
    references = [text.replace("s", "t") for text in SOURCES]
    for side, lines in (("xx", SOURCES), ("en", references)):
        (folder / f"a.{side}").write_text("".join(line + "\n" for line in lines))
    (folder / "recipe.yaml").write_text(f"""\
workspace: {folder / "work"}
bitext:
  - {{corpus: a, format: moses, source: a.xx, reference: a.en, source_language: xx{translation}}}
ingest: {{part_rows: 30}}
translate: {{model: {model}, beam: 3, max_length: 20, device: cpu{translate}}}
scores: {{translation_cost: {{}}}}
""")
    return Recipe.load(folder / "recipe.yaml")


def go(recipe: Recipe, last: str = "translate") -> list[str]:
    """Run up to a stage; returns the messages."""
    observer = Silent()
    run(recipe, LocalRunner(), observer, last=last)
    return observer.messages


def rows_of(folder: Path, stage: str = "translate") -> list[dict[str, object]]:
    manifest = read_manifest(Workspace(str(folder / "work")), stage)
    assert manifest is not None
    tables = [
        pq.read_table(folder / "work" / entry.file).replace_schema_metadata() for entry in manifest.parts
    ]
    return pa.concat_tables(tables).to_pylist()
