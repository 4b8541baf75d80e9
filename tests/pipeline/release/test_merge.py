"""`paranmt merge`: one release of the pairs of several."""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from damaged_releases import rewrite, with_values
from releases import MADE_OF, PRIMARY, RECIPE, release_rows, write_release
from typer.testing import CliRunner, Result

from paranmt.base.hashing import derive_seed, seeded_hash
from paranmt.base.keys import digest
from paranmt.launch.cli import app
from paranmt.pipeline.manifest.release_summary import ModelSummary, SelectionSummary
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify import verify

MADE_OF_B = {**MADE_OF, "ingest": "fedcba9876543210"}


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["merge", *map(str, arguments)])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two releases. Records 451 to 600 of `news` and 651 to 750 of `web` are in both."""
    folder = tmp_path_factory.mktemp("merge")
    return (
        write_release(folder / "a", 900),
        write_release(folder / "b", 300, first=450, made_of=MADE_OF_B),
    )


@pytest.fixture(scope="module")
def merged(folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("merged") / "both"
    result = command(*folders, "--output", output, "--drop-repeated")
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-1].startswith("wrote 950 pairs into")
    assert "left out 250 with the pair_id and texts of an earlier one" in result.stderr
    return output


def rows(folder: Path) -> dict[str, dict]:
    return {row["pair_id"]: row for row in pq.read_table(folder / "data").to_pylist()}


def test_pairs_keep_their_texts_scores_and_provenance(folders: tuple[Path, Path], merged: Path) -> None:
    expected = {**rows(folders[1]), **rows(folders[0])}
    found = rows(merged)
    assert found.keys() == expected.keys() and len(found) == 950
    again = {f"{name}_decile" for name in (PRIMARY, "reference_length", "trigram_overlap")}
    for pair_id, row in found.items():
        assert {k: v for k, v in row.items() if k not in again} == {
            k: v for k, v in expected[pair_id].items() if k not in again
        }
    assert {row["recipe_hash"] for row in found.values()} == {digest(MADE_OF), digest(MADE_OF_B)}


def test_deciles_are_those_of_all_pairs(merged: Path) -> None:
    found = list(rows(merged).values())
    for score in (PRIMARY, "reference_length", "trigram_overlap"):
        scored = [row for row in found if row[score] is not None]
        hashes = seeded_hash([row["pair_id"] for row in scored], derive_seed(1, "deciles")).tolist()
        ranked = sorted(zip(scored, hashes, strict=True), key=lambda each: (each[0][score], each[1]))
        expected = [10 * rank // len(scored) + 1 for rank in range(len(scored))]
        assert [row[f"{score}_decile"] for row, _ in ranked] == expected
    assert verify(open_release(merged)) == []


def test_the_manifest_has_those_of_the_releases(folders: tuple[Path, Path], merged: Path) -> None:
    manifest = json.loads((merged / "manifest.json").read_text())
    for each, folder, left_out in zip(manifest["merged_from"], folders, (0, 250), strict=True):
        content = (folder / "manifest.json").read_bytes()
        assert each["manifest_sha256"] == hashlib.sha256(content).hexdigest()
        assert each["left_out"] == left_out
        whole = json.loads(content)
        assert {key: whole[key] for key in each["manifest"]} == each["manifest"]
    assert manifest["licences"] == [] and [each["pairs"] for each in manifest["corpora"]] == [650, 300]
    card = (merged / "README.md").read_text()
    assert "made-up (900 pairs), made-up (300 pairs, 250 of them left out" in card
    assert digest(MADE_OF_B) in card
    texts = {(row["reference"], row["translation"]) for row in rows(merged).values()}
    assert {(pair["reference"], pair["translation"]) for pair in manifest["examples"]} <= texts
    assert len(manifest["examples"]) == 5


def test_the_difference_to_a_release(folders: tuple[Path, Path], merged: Path) -> None:
    result = CliRunner().invoke(app, ["diff", str(folders[1]), str(merged), "--json", "-n", "3"])
    assert result.exit_code == 0, result.output
    (short,) = json.loads(result.stdout)
    before, after = ({p for p, row in rows(each).items() if row["short"]} for each in (folders[1], merged))
    assert len(before & after) > 10 and len(after - before) > 10
    assert (short["pairs"], short["both"]) == (950, len(before & after))
    assert (short["gained"], short["lost"]) == (len(after - before), len(before - after))
    shown = {pair["pair_id"]: pair for pair in short["gained_examples"]}
    assert len(shown) == 3 and shown.keys() <= after - before
    assert all(pair["reference_length"] <= 10 for pair in shown.values())
    for arguments, message in (
        ([str(merged), "recipe.yaml"], "got one of each"),
        ([str(merged), str(merged), "--set", "seed=2"], "--set changes a recipe"),
        ([str(merged), str(merged), "shorter"], "no selection 'shorter'; did you mean short?"),
    ):
        result = CliRunner().invoke(app, ["diff", *arguments])
        assert result.exit_code == 2 and message in result.stderr, result.output


def test_repeated_pairs_are_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    result = command(*folders, "--output", tmp_path / "both")
    assert result.exit_code == 2
    assert "250 pair_ids are repeated with the texts of the earlier pair, such as " in result.stderr
    assert "give --drop-repeated to keep the first" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [[], ["--drop-repeated"]])
@pytest.mark.parametrize("column", ["source", "reference", "translation"])
def test_pairs_of_other_inputs_with_the_same_names_are_refused(
    folders: tuple[Path, Path], options: list[str], column: str, tmp_path: Path
) -> None:
    """Five of 250 repeated pairs have another text; one of them has none."""
    table = release_rows(300, 450, MADE_OF_B)
    values = table[column].to_pylist()
    changed = [0, 1, 2, 3, 250]
    for row in changed:
        values[row] = None if row == 3 and column != "reference" else f"Other {row}."
    place = table.schema.get_field_index(column)
    table = table.set_column(place, table.schema.field(place), pa.array(values, pa.string()))
    other = write_release(tmp_path / "other", 300, first=450, made_of=MADE_OF_B, table=table)
    result = command(folders[0], other, "--output", tmp_path / "both", *options)
    assert result.exit_code == 2, result.output
    assert "5 of 250 repeated pair_ids have other texts than the earlier pair, such as " in result.stderr
    named = [f"news/news.tsv:{451 + row}" for row in changed[:4]] + ["web/web.tsv:701"]
    assert sum(f"{pair_id}," in result.stderr or f"{pair_id}:" in result.stderr for pair_id in named) == 3
    assert len(result.stderr.splitlines()) == 1 and not (tmp_path / "both").exists()


def test_a_merged_release_is_cut_and_merged_again(
    folders: tuple[Path, Path], merged: Path, tmp_path: Path
) -> None:
    where = f"{PRIMARY}_decile > 5 and reference_length > 8"
    cut = ["select", str(merged), "--where", where, "--output", str(tmp_path / "cut")]
    assert CliRunner().invoke(app, cut).exit_code == 0
    assert verify(open_release(tmp_path / "cut")) == []
    other = write_release(tmp_path / "other", 200, first=5_000)
    assert command(tmp_path / "cut", other, "--output", tmp_path / "all").exit_code == 0
    last = open_release(tmp_path / "all")
    assert verify(last) == [] and last.manifest is not None
    assert [each.recipe_hash for each in last.manifest.origins] == [
        digest(MADE_OF),
        digest(MADE_OF_B),
        digest(MADE_OF),
    ]


def test_a_pair_of_no_merged_release_is_noticed(folders: tuple[Path, Path], tmp_path: Path) -> None:
    command(*folders, "--output", tmp_path / "both", "--drop-repeated")
    rewrite(
        tmp_path / "both",
        with_values("recipe_hash", lambda values: ["0" * 16, *values[1:]]),
        file="data/train-00000-of-00001.parquet",
    )
    (line,) = verify(open_release(tmp_path / "both"))
    assert line == "pairs with a recipe_hash that is not in manifest.json: 1, expected 0"


def test_samples_are_drawn_from_all_pairs(tmp_path: Path) -> None:
    text = RECIPE.replace("reference_length <= 10}}", "reference_length <= 10, sample: 40}}")
    changes = {
        "recipe": Recipe.from_yaml(text).canonical(),
        "selections": [SelectionSummary("short", "reference_length <= 10", 0, 0, 0, sample=40)],
    }
    folders = [
        write_release(tmp_path / name, 300, first=first, **changes)
        for name, first in (("a", 0), ("b", 5_000))
    ]
    assert command(*folders, "--output", tmp_path / "both").exit_code == 0
    found = list(rows(tmp_path / "both").values())
    passed = [row["pair_id"] for row in found if row["reference_length"] <= 10]
    hashes = dict(zip(passed, seeded_hash(passed, derive_seed(1, "select/short")).tolist(), strict=True))
    assert {row["pair_id"] for row in found if row["short"]} == set(sorted(passed, key=hashes.get)[:40])
    assert verify(open_release(tmp_path / "both")) == []


def test_releases_that_cannot_be_merged(folders: tuple[Path, Path], tmp_path: Path) -> None:
    def recipe(old: str, new: str) -> dict:
        assert old in RECIPE
        return Recipe.from_yaml(RECIPE.replace(old, new)).canonical()

    cases = [
        ({"recipe": recipe("glove.txt", "other.txt")}, f"scores.{PRIMARY}.vectors is 'other.txt'"),
        ({"recipe": recipe("<= 10", "<= 9")}, "select.short.where is 'reference_length <= 9', expected"),
        ({"primary_score": "trigram_overlap"}, f"primary_score is 'trigram_overlap', expected '{PRIMARY}'"),
        (
            {"models": [ModelSummary(PRIMARY, "glove", "00ff")]},
            f"the model of {PRIMARY} is ['00ff'], expected",
        ),
    ]
    for number, (changes, message) in enumerate(cases):
        other = write_release(tmp_path / str(number), 40, 1, first=5_000, **changes)
        result = command(folders[0], other, "--output", tmp_path / "both")
        assert result.exit_code == 2 and message in result.stderr, result.stderr
        assert len(result.stderr.splitlines()) == 1
    alone = command(folders[0], "--output", tmp_path / "both")
    assert alone.exit_code == 2 and "at least two releases" in alone.stderr
    damaged = write_release(tmp_path / "damaged", 40, 1, first=5_000)
    (damaged / "README.md").write_text("mine")
    assert "is not whole" in command(folders[0], damaged, "--output", tmp_path / "both").stderr
    assert not (tmp_path / "both").exists()
