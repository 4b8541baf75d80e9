"""One recipe with three pivot languages, a model for each, and several translations of a record."""

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from nmt_models import write_model
from runs import Silent

from paranmt.base.hashing import derive_seed, seeded_hash
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify import verify
from paranmt.pipeline.running.run import run
from paranmt.transforms.storage.dataset import read_manifest
from paranmt.transforms.storage.workspace import Workspace

LINES, LONGEST, KEEP = 40, 12, 3
Row = Mapping[str, object]

RECIPE = """\
bitext:
  - {{corpus: cs, format: moses, source: cs, reference: en, source_language: cs}}
  - {{corpus: de, format: moses, source: de, reference: en, source_language: de, model: de-model}}
{french}
ingest: {{part_rows: 25}}
translate:
  model: cs-model
  beam: 4
  max_length: 15
  device: cpu
  keep_candidates: 4
  where: source_length <= 12
choose: {{keep: 3}}
scores: {{source_length: {{}}, translation_length: {{}}, unigram_overlap: {{}}, length_ratio: {{}}}}
select: {{short: {{where: translation_length_decile <= 4}}}}
"""
FRENCH = "  - {corpus: fr, format: moses, source: fr, reference: en, source_language: fr, model: fr-model}"


def parts(folder: Path) -> dict[str, tuple[str, int]]:
    """The translated parts, with the time at which each was written."""
    manifest = read_manifest(Workspace(str(folder / "work")), "translate")
    assert manifest is not None
    return {
        entry.part: (entry.file, (folder / "work" / entry.file).stat().st_mtime_ns)
        for entry in manifest.parts
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """A recipe that was run with two languages, and then with French too."""
    folder = tmp_path_factory.mktemp("pivots")
    for language in ("cs", "de", "fr", "en"):
        with gzip.open(shared / f"data/multi30k/train.{language}.gz", "rt") as file:
            (folder / language).write_text("".join(islice(file, LINES)))
        if language != "en":
            write_model(folder / f"{language}-model", seed=ord(language[0]), updates=10)
    for french in ("", FRENCH):
        (folder / "recipe.yaml").write_text(RECIPE.format(french=french))
        run(Recipe.load(folder / "recipe.yaml").located(), LocalRunner(), Silent(), last="release")
        (folder / f"parts{bool(french):d}.json").write_text(json.dumps(parts(folder)))
    return folder


@pytest.fixture(scope="module")
def release(folder: Path) -> list[dict[str, object]]:
    return pq.read_table(folder / "work/release/data").to_pylist()


def test_french_translates_nothing_else(folder: Path) -> None:
    before, after = (json.loads((folder / f"parts{n}.json").read_text()) for n in (0, 1))
    assert {part: made for part, made in after.items() if not part.startswith("fr/")} == before
    assert Counter(part.split("/")[0] for part in after) == {"cs": 2, "de": 2, "fr": 2}


def test_rows_and_statuses(folder: Path, release: list[Row]) -> None:
    by_record: dict[str, list[Row]] = {}
    for row in release:
        by_record.setdefault(str(row["pair_id"]).partition("#")[0], []).append(row)
    assert len(by_record) == 3 * LINES
    for language in ("cs", "de", "fr"):
        for number, source in enumerate((folder / language).read_text().splitlines(), start=1):
            rows = by_record[f"{language}/{language}:{number}"]
            assert {row["source"] for row in rows} == {source}
            if rows[0]["source_length"] > LONGEST:  # type: ignore[operator]
                assert [row["translation_status"] for row in rows] == ["not_wanted"]
                continue
            assert {row["translation_status"] for row in rows} == {"translated"}
            texts = [row["translation"] for row in rows]
            assert 1 <= len(texts) <= KEEP and len(set(texts)) == len(texts)
    statuses = Counter(str(row["translation_status"]) for row in release)
    manifest = open_release(folder / "work").manifest
    assert manifest is not None
    counted = {name: count for name, count in vars(manifest.translation).items() if count}
    assert counted == dict(statuses)
    assert {"translated", "not_wanted"} == set(statuses)
    assert sum(len(rows) > 1 for rows in by_record.values()) > LINES
    further = {corpus.corpus: corpus.further for corpus in manifest.corpora}
    assert further == {
        language: sum("#" in str(row["pair_id"]) for row in release if row["corpus"] == language)
        for language in ("cs", "de", "fr")
    }


def test_each_corpus_names_its_model(folder: Path, release: list[Row]) -> None:
    manifest = open_release(folder / "work").manifest
    assert manifest is not None
    models = {model.name: model.hash for model in manifest.models if model.role == "translate"}
    assert set(models) == {f"{language}-model ({language})" for language in ("cs", "de", "fr")}
    assert {(row["corpus"], row["translation_model_hash"]) for row in release} == {
        (name[-3:-1], digest) for name, digest in models.items()
    }


@pytest.mark.parametrize("score", ["translation_length", "unigram_overlap", "length_ratio"])
def test_deciles_are_those_of_a_sort(folder: Path, release: list[dict[str, object]], score: str) -> None:
    valid = [row for row in release if row[score] is not None]
    hashes = seeded_hash([str(row["pair_id"]) for row in valid], derive_seed(1, "deciles")).tolist()
    ranked = sorted(range(len(valid)), key=lambda at: (valid[at][score], hashes[at]))
    for rank, at in enumerate(ranked):
        assert valid[at][f"{score}_decile"] == 10 * rank // len(valid) + 1
    if score == "translation_length":
        short = {row["pair_id"] for row in release if row["short"]}
        assert short == {row["pair_id"] for row in valid if row[f"{score}_decile"] <= 4}  # type: ignore[operator]
    assert verify(open_release(folder / "work")) == []
