"""A recipe that keeps several translations of a record: each is a row of all that comes after the choice."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from nmt_models import write_model
from runs import Silent
from translate_runs import SOURCES, write_recipe

from paranmt.base.hashing import derive_seed, seeded_hash
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.forecast.pilot import by_rows_of_bitext
from paranmt.pipeline.looking.difference import difference
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify import verify
from paranmt.pipeline.release.verify_sample import verify_sample
from paranmt.pipeline.report.report_work import stage_costs
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.pipeline.running.status import workspace_status
from paranmt.pipeline.stages.stage import joined_files
from paranmt.transforms.storage.dataset import read_manifest, read_run
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.trainings.pair_streams import PairParts

KEEP = 3
BOUND = 0.85
WANTED = 4  # tokens of a source

Row = Mapping[str, object]


def recipe(folder: Path, *overrides: str) -> Recipe:
    sides = f"format: moses, source: {folder}/a.xx, reference: {folder}/a.en, source_language: xx"
    return Recipe.load(
        folder / "recipe.yaml",
        [
            f"bitext=[{{corpus: a, {sides}}}, {{corpus: given, {sides}, translation: {folder}/a.mt}}]",
            "scores={translation_cost: {}, source_length: {}, unigram_overlap: {}, source_copy_grade: {}}",
            "translate.beam=6",
            "translate.keep_candidates=6",
            f"choose.keep={KEEP}",
            f"choose.unlike=unigram_overlap <= {BOUND}",
            f"translate.where=source_length >= {WANTED}",
            "duplicates={of: reference, keep: unigram_overlap}",
            "select.cheap={where: translation_cost_decile <= 6, sample: 40}",
            "select.long={where: source_length >= 6}",
            *overrides,
        ],
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a recipe that was run."""
    folder = tmp_path_factory.mktemp("several")
    write_recipe(folder, str(write_model(folder / "model")), ", keep_candidates: 3")
    sources = [" ".join(SOURCES[n].split() + ["s1"] * (n % 3)) for n in range(len(SOURCES))]
    (folder / "a.xx").write_text("".join(source + "\n" for source in sources))
    (folder / "a.mt").write_text("".join(f"translation {n}\n" for n in range(len(SOURCES))))
    run(recipe(folder), LocalRunner(), Silent(), last="report")
    return folder


@pytest.fixture(scope="module")
def release(folder: Path) -> list[dict[str, object]]:
    return pq.read_table(folder / "work/release/data").to_pylist()


def test_the_choice_and_the_stages_after_it_report_its_pairs(folder: Path, release: list[Row]) -> None:
    plan = make_plan(recipe(folder))
    records = 2 * len(SOURCES)
    assert len(release) > records
    reported = {stage.name: read_run(plan.workspace, stage.folder)["pairs"] for stage in plan.stages}
    before = {name for name, pairs in reported.items() if pairs == records}
    assert before == {"ingest", "wanted/source_length", "translate"}
    assert set(reported.values()) == {records, len(release)}
    assert {cost.name: cost.pairs for cost in stage_costs(plan)} == reported
    status = workspace_status(str(folder / "work"))
    assert {stage.name: stage.pairs for stage in status.stages if stage.name in reported} == reported


def read_stage(folder: Path, stage: str) -> list[dict[str, object]]:
    """The rows of a stage's parts, which may have different columns."""
    manifest = read_manifest(Workspace(str(folder / "work")), stage)
    assert manifest is not None
    return [row for part in manifest.parts for row in pq.read_table(folder / "work" / part.file).to_pylist()]


def overlap(first: str, second: str) -> float:
    sides = Counter(first.split()), Counter(second.split())
    shorter = min(side.total() for side in sides)
    return (sides[0] & sides[1]).total() / shorter if shorter else 0.0


def test_the_rows(folder: Path, release: list[Row]) -> None:
    """What is kept of each n-best list, by a plain loop."""
    expected: dict[str, tuple[str | None, int | None, str]] = {}
    for row in read_stage(folder, "translate"):
        status = str(row["translation_status"])
        if status != "translated":
            expected[row["pair_id"]] = row["translation"], None, status
            continue
        kept: list[str] = []
        for rank, candidate in enumerate(row["candidates"], start=1):
            text = candidate["text"]
            if len(kept) < KEEP and all(text != other and overlap(other, text) <= BOUND for other in kept):
                kept.append(text)
                suffix = f"#{len(kept)}" if len(kept) > 1 else ""
                expected[row["pair_id"] + suffix] = text, rank, status
    columns = ("translation", "translation_rank", "translation_status")
    assert {row["pair_id"]: tuple(row[name] for name in columns) for row in release} == expected
    counts = Counter(str(pair).rpartition("#")[2] for pair in expected if "#" in pair)
    assert counts["2"] > 5 and counts["3"] > 0
    statuses = Counter(status for _, _, status in expected.values())
    assert statuses["not_wanted"] > 5 and statuses["existing"] == len(SOURCES)
    ingested = {row["pair_id"]: row for row in read_stage(folder, "ingest")}
    for row in release:
        record = ingested[str(row["pair_id"]).partition("#")[0]]
        assert (row["source"], row["reference"]) == (record["source"], record["reference"])


def test_what_the_manifest_counts(folder: Path, release: list[Row]) -> None:
    manifest = json.loads((folder / "work/release/manifest.json").read_text())
    statuses = Counter(row["translation_status"] for row in release)
    assert {name: n for name, n in manifest["translation"].items() if n} == dict(statuses)
    for corpus in manifest["corpora"]:
        rows = [row for row in release if row["corpus"] == corpus["corpus"]]
        further = sum("#" in str(row["pair_id"]) for row in rows)
        assert (corpus["pairs"], corpus["further"]) == (len(rows), further)
        assert corpus["rows_in"] == len(rows) - further == len(SOURCES)
    further = sum("#" in str(row["pair_id"]) for row in release)
    assert (
        f"further translations of a row, each a pair | {further} |"
        in (folder / "work/release/README.md").read_text()
    )
    page = (folder / "work/report/index.html").read_text()
    assert re.search(rf'further translations of a row</th>\s*<td class="n">\+{further}</td>', page)


@pytest.mark.parametrize("score", ["translation_cost", "source_length", "unigram_overlap"])
def test_scores_and_deciles(release: list[dict[str, object]], score: str) -> None:
    """Scores of the sources, too, are counted by pair."""
    valid = [row for row in release if row[score] is not None]
    seed = derive_seed(1, "deciles")
    hashes = seeded_hash([str(row["pair_id"]) for row in valid], seed).tolist()
    ranked = sorted(range(len(valid)), key=lambda at: (valid[at][score], hashes[at]))
    for rank, at in enumerate(ranked):
        assert valid[at][f"{score}_decile"] == 10 * rank // len(valid) + 1
    for row in release:
        assert row["source_length"] == len(str(row["source"]).split())
        if row["translation"] is not None:
            assert row["unigram_overlap"] == pytest.approx(
                overlap(str(row["reference"]), str(row["translation"]))
            )


def test_selections(release: list[Row]) -> None:
    assert [row["long"] for row in release] == [len(str(row["source"]).split()) >= 6 for row in release]
    passed = [row for row in release if (row["translation_cost_decile"] or 11) <= 6]
    seed = derive_seed(1, "select/cheap")
    order = seeded_hash([str(row["pair_id"]) for row in passed], seed).argsort()[:40]
    chosen = {passed[at]["pair_id"] for at in order.tolist()}
    assert {row["pair_id"] for row in release if row["cheap"]} == chosen
    assert any("#" in str(pair) for pair in chosen)


def test_duplicates(release: list[Row]) -> None:
    """The pairs of a record have the same reference; among equal scores the first id is kept."""
    groups = defaultdict(list)
    for row in release:
        groups[row["reference"]].append(row)
    for group in groups.values():

        def preference(row: Row) -> tuple[bool, float, str, int, int]:
            corpus, _, rest = str(row["pair_id"]).partition(":")
            record, _, place = rest.partition("#")
            value = row["unigram_overlap"]
            return value is None, value or 0.0, corpus, int(record), int(place or 1)

        first = min(group, key=preference)
        for row in group:
            assert row["duplicates"] == len(group)
            assert row["duplicate_of"] == (None if row is first else first["pair_id"])


def test_verify(folder: Path, release: list[Row]) -> None:
    opened = open_release(folder / "work/release")
    assert verify(opened) == []
    check = verify_sample(opened, 200, 1, {"translate": str(folder / "model")})
    assert (check.failures, check.ties) == ([], 0)
    assert check.translated == sum(row["translation_status"] == "translated" for row in release)


def test_training_reads_every_pair(folder: Path, release: list[Row]) -> None:
    plan = make_plan(recipe(folder))
    datasets = {
        "ingest": plan.stage("ingest"),
        "translate": plan.stage("choose"),
        "select": plan.stage("select/long"),
    }
    parts = PairParts(plan.workspace, joined_files(datasets), "long")
    read = [pair for references, translations in parts for pair in zip(references, translations, strict=True)]
    texts = [(row["reference"], row["translation"]) for row in release if row["long"] and row["translation"]]
    assert Counter(read) == Counter(texts)
    dataset = open_release(folder / "work/release").pairs("long", ["pair_id"]).to_torch()
    assert sorted(pair["pair_id"] for pair in dataset) == sorted(
        row["pair_id"] for row in release if row["long"]
    )


def test_diff(folder: Path, release: list[Row]) -> None:
    """Against the same recipe with one translation of a record: what it has not, it does not select."""
    one = recipe(folder, "choose={}", f"workspace={folder}/one")
    run(one, LocalRunner(), Silent(), targets=["select/long"])
    several = recipe(folder)
    found = difference(one, several, "long", 5, 1)
    further = [row for row in release if row["long"] and "#" in str(row["pair_id"])]
    first = [row for row in release if row["long"] and "#" not in str(row["pair_id"])]
    assert (found.pairs, found.both, found.gained, found.lost) == (
        len(release),
        len(first),
        len(further),
        0,
    )
    ids = {row["pair_id"]: row["translation"] for row in further}
    assert len(found.gained_examples) == min(5, len(ids)) and found.gained_examples
    for example in found.gained_examples:
        assert example["translation"] == ids[example["pair_id"]]
    back = difference(several, one, "long", 5, 1)
    assert (back.gained, back.lost) == (0, len(further))
    assert [e["pair_id"] for e in back.lost_examples] == [e["pair_id"] for e in found.gained_examples]


def test_a_pilot_measures_by_the_rows_of_the_bitext(folder: Path) -> None:
    manifest = read_manifest(Workspace(str(folder / "work")), "choose")
    assert manifest is not None and manifest.rows > 2 * len(SOURCES)
    entries = by_rows_of_bitext(manifest.parts, manifest.rows, 2 * len(SOURCES))
    assert sum(entry.rows for entry in entries) == pytest.approx(2 * len(SOURCES), abs=2)
    assert by_rows_of_bitext(manifest.parts, manifest.rows, manifest.rows) == manifest.parts
