"""Numbers that come with the pairs of a bitext: scores of the release like those that are measured."""

import json
from pathlib import Path

import pytest
from commands import paranmt
from corpus import write_bitext
from runs import go, load

from paranmt.base.errors import RecipeError
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify_sample import verify_sample
from paranmt.pipeline.running.clean import clean
from paranmt.pipeline.running.plan import make_plan

ROWS = 20
ENTRY = "{corpus: p, format: tsv, path: p.txt, reference: 1, translation: 2}"
SCORED = ENTRY.replace("}", ", scores: {cosine: 3}}")


def text(folder: Path, entry: str = SCORED, more: str = "") -> str:
    """A recipe for pairs of which pair n has the score n / 10, but for two, and a bitext without scores."""
    numbers = [str(row / 10) for row in range(ROWS)]
    numbers[4], numbers[5] = "", "nan"
    lines = [f"The dog {row} runs.\tThe dog runs {row}.\t{number}\n" for row, number in enumerate(numbers)]
    (folder / "p.txt").write_text("".join(lines))
    other = write_bitext(folder, "q", 5)
    return f"""
workspace: work
bitext:
  - {entry}
  - {{corpus: q, format: moses, source: {other["xx"]}, reference: {other["en"]}, translation: {other["mt"]},
      source_language: xx}}
ingest: {{part_rows: 8}}
scores: {{reference_length: {{}}{more}}}
select: {{good: {{where: cosine >= 1 and cosine_decile <= 9}}}}
"""


def fresh(recipe: Recipe) -> set[str]:
    return {stage.name for stage in make_plan(recipe).conditions if stage.state == "fresh"}


def test_a_given_number_is_a_score_of_the_release(tmp_path: Path) -> None:
    cosine = ", cosine: {description: How near they are., higher_is_better: true}"
    recipe = load(tmp_path, text(tmp_path, more=cosine) + "release: {primary_score: cosine}\n")
    go(recipe)
    release = open_release(tmp_path / "work")
    pairs = {pair["pair_id"]: pair for pair in release.pairs().to_table().to_pylist()}
    values = [pairs[f"p/p.txt:{row + 1}"]["cosine"] for row in range(ROWS)]
    assert values == [None if row in (4, 5) else pytest.approx(row / 10) for row in range(ROWS)]
    assert {pair["cosine"] for name, pair in pairs.items() if name.startswith("q/")} == {None}
    # Of 18 numbers, the decile is floor(10 * rank / 18) + 1: the ranks 0, 1, 16 and 17 are in 1, 1, 9 and 10.
    deciles = [pairs[f"p/p.txt:{row}"]["cosine_decile"] for row in (1, 2, 5, 19, 20)]
    assert deciles == [1, 1, None, 9, 10]
    assert sum(pair["good"] for pair in pairs.values()) == 9  # from 1.0 to 1.8
    assert release.schema.field("cosine").metadata[b"meaning"] == b"How near they are."
    first = next(iter(pairs.values()))
    assert first["cosine_decile"] == 10, "the best pairs come first"
    manifest = json.loads((tmp_path / "work/release/manifest.json").read_text())
    (score,) = [score for score in manifest["scores"] if score["name"] == "cosine"]
    assert (score["n"], score["nulls"], score["higher_is_better"]) == (18, 7, True)
    assert "How near they are." in (tmp_path / "work/release/README.md").read_text()
    check = verify_sample(release, 5, seed=1)
    assert check.not_checked == {"cosine": "it came with the bitext"} and not check.failures


def test_another_given_score_makes_no_other_stage_stale(tmp_path: Path) -> None:
    plain = text(tmp_path, ENTRY).replace("cosine >= 1 and cosine_decile <= 9", "reference_length > 3")
    go(load(tmp_path, plain))
    before = fresh(load(tmp_path, plain))
    recipe = load(tmp_path, plain.replace(ENTRY, SCORED))
    result = go(recipe)
    assert {"translate", "score/reference_length", "deciles/reference_length"} <= before
    assert set(result.computed) == {"ingest", "score/cosine", "deciles/cosine", "release", "report"}
    assert clean(recipe, dry_run=True).removed == {}
    cosine = sorted((tmp_path / "work/ingest/p").glob("*.given-*.parquet"))
    assert len(cosine) == 3
    cosine[1].unlink()
    assert "ingest" not in fresh(recipe)
    go(recipe)
    assert cosine[1].exists() and "release" in fresh(recipe)


def test_a_description_is_part_of_the_release_alone(tmp_path: Path) -> None:
    go(load(tmp_path, text(tmp_path)))
    recipe = load(tmp_path, text(tmp_path, more=", cosine: {description: Near.}"))
    assert set(go(recipe).computed) == {"release", "report"}


def test_given_scores_choose_what_is_translated(tmp_path: Path) -> None:
    entry = "{corpus: p, format: tsv, path: p.txt, source_language: xx, scores: {cosine: 3}}"
    recipe = load(tmp_path, text(tmp_path, entry) + "translate: {model: m, where: cosine > 0.5}\n")
    assert recipe.translate.where == "cosine > 0.5"


@pytest.mark.parametrize(
    ("entry", "more", "message"),
    [
        ("{source: 3}", "", "bitext.0.scores.source: 'source' is a column of every release"),
        ("{reference_length: 3}", "", "scores.reference_length: 'reference_length' is a score that is comp"),
        ("{unigram_overlap: 3}", "", "'unigram_overlap' is a score that is computed; choose another name"),
        (
            "{mine: 3}",
            ", mine: {score: sentence_bleu}",
            "bitext.0.scores.mine: 'mine' is a score that is comp",
        ),
        ("{A b: 3}", "", "'A b' is not a name"),
        ("{good: 3}", "", "'good' is the name of two columns"),
        ("{cosine: 2}", "", "expected a different place for each"),
        ("{cosine: 0}", "", "expected the number of a column"),
        ("{cosine: 3}, format: tmx", "", "scores: tmx files have none"),
        ("{cosine: 3, b: 4}, minimum_score: 1", "", "minimum_score: expected one score in `scores`, got 2"),
        ("{cosine: 3}", ", other: {score: given}", "scores.other: no input comes with a score 'other'"),
    ],
)
def test_wrong_names_and_places(tmp_path: Path, entry: str, more: str, message: str) -> None:
    given = ENTRY.replace("}", f", scores: {entry}}}")
    if "tmx" in entry:
        given = "{corpus: p, path: p.txt, source_language: cs, scores: {cosine: 3}, format: tmx}"
    with pytest.raises(RecipeError) as raised:
        load(tmp_path, text(tmp_path, given, more))
    assert message in str(raised.value)


def test_a_score_without_a_better_end_keeps_no_duplicate(tmp_path: Path) -> None:
    duplicates = "duplicates: {keep: cosine}\n"
    with pytest.raises(RecipeError, match="cosine does not say which of two pairs is better"):
        load(tmp_path, text(tmp_path) + duplicates)
    load(tmp_path, text(tmp_path, more=", cosine: {higher_is_better: false}") + duplicates)


def test_files_of_scores_are_beside_those_of_the_sides(tmp_path: Path) -> None:
    other = text(tmp_path).replace("source_language: xx}", "source_language: xx, scores: {marks: q.marks}}")
    (tmp_path / "q.marks").write_text("".join(f"{row}.5\n" for row in range(5)))
    go(load(tmp_path, other))
    marks = open_release(tmp_path / "work").pairs("corpus = 'q'", ["marks"]).to_table()["marks"]
    assert sorted(marks.to_pylist()) == [0.5, 1.5, 2.5, 3.5, 4.5]


@pytest.mark.parametrize(
    "command", ["inspect", "stats", "verify", "select --preview --where true", "select --preview", "plan"]
)
def test_a_file_of_pairs_is_no_release_and_no_recipe(tmp_path: Path, command: str) -> None:
    text(tmp_path)
    name, *options = command.split()
    answer = paranmt(name, str(tmp_path / "p.txt"), *options)
    assert answer.exit_code == 2
    message = " ".join(answer.output.split())
    assert f"paranmt init {tmp_path / 'p.txt'}" in message and "fetch it again" not in message
