"""`paranmt verify --sample … --model …`: computing translations and scores with models again."""

import re
import shutil
from pathlib import Path

import pytest
from corpus import recipe_text
from damaged_releases import rewrite, with_values
from nmt_models import write_model
from translate_runs import SOURCES, go, write_recipe
from typer.testing import CliRunner, Result

from paranmt.base.keys import digest
from paranmt.launch.cli import app
from paranmt.models.translation.translator import Candidate
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release import verify_sample
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify import verify
from paranmt.pipeline.running.plan import make_plan
from paranmt.transforms.works.releasing import ReleaseFile


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["verify", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, and a workspace whose release it translated: 45 pairs, and one that it cannot translate."""
    folder = tmp_path_factory.mktemp("verified")
    write_model(folder / "model")
    go(write_recipe(folder, str(folder / "model")), last="release")
    return folder


def test_the_model_gives_the_translations_of_the_release(folder: Path) -> None:
    result = command(folder / "work", "--sample", 46, "--model", folder / "model")
    assert result.exit_code == 0, result.output
    assert "45 pairs are translated as in the release" in result.stderr
    assert "46 pairs have exactly the scores that their texts give: translation_cost" in result.stderr
    assert verify(open_release(folder / "work")) == []


def test_the_model_gives_the_translations_of_a_merged_release(folder: Path, tmp_path: Path) -> None:
    for number, where in enumerate(("length(reference) % 2 = 0", "length(reference) % 2 = 1")):
        cut = ["select", str(folder / "work"), "--where", where, "--output", str(tmp_path / str(number))]
        assert CliRunner().invoke(app, cut).exit_code == 0
    merge = ["merge", str(tmp_path / "0"), str(tmp_path / "1"), "--output", str(tmp_path / "both")]
    assert CliRunner().invoke(app, merge).exit_code == 0
    assert verify(open_release(tmp_path / "both")) == []
    result = command(tmp_path / "both", "--sample", 46, "--model", folder / "model")
    assert result.exit_code == 0, result.output
    assert "45 pairs are translated as in the release" in result.stderr


def test_each_pair_names_its_model_recipe_and_rank(folder: Path) -> None:
    release = open_release(folder / "work")
    assert release.manifest is not None
    (model,) = (model.hash for model in release.manifest.models if model.role == "translate")
    rows = release.pairs().to_table().to_pylist()
    assert {row["translation_model_hash"] for row in rows} == {model}
    assert {row["recipe_hash"] for row in rows} == {release.manifest.recipe_hash}
    ranks = {(row["translation_status"], row["translation_rank"]) for row in rows}
    assert ranks == {("translated", 1), ("failed", None)}


def test_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "model", seed=2, updates=1)
    result = command(folder / "work", "--sample", 3, "--model", tmp_path / "model")
    assert result.exit_code == 2
    assert "is not the model of this release: its hash is " in result.stderr


def test_other_translations_are_failures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is replaced by one that finds something else for every sentence: worse, or as probable."""
    real = verify_sample.load

    class Other:
        halvings = 0

        def __init__(self, worse_by: float) -> None:
            self.worse_by = worse_by

        def translate(self, sentences: list[str], n_best: int = 1, **options: bool) -> list[list[Candidate]]:
            lists = translator.translate(sentences, n_best)
            return [[Candidate("other", best[0].log_prob - self.worse_by, 3, ())] for best in lists]

    arguments = (folder / "work", "--sample", 46, "--model", folder / "model")
    for worse_by, code in ((0.001, 0), (0.5, 1)):

        def load(*given: object, worse_by: float = worse_by) -> Other:
            nonlocal translator
            translator = real(*given)
            return Other(worse_by)

        translator = None
        monkeypatch.setattr(verify_sample, "load", load)
        result = command(*arguments)
        assert result.exit_code == code, result.output
        if code:
            lines = result.stdout.splitlines()
            assert "but the model gives 'other' with" in lines[0]
            assert lines[-1] == "… and 40 more pairs like the last one"
        else:
            assert "45 of them to one as probable" in result.stderr


def test_forced_decoding_gives_the_log_probabilities_of_existing_translations(tmp_path: Path) -> None:
    model = write_model(tmp_path / "model")
    (tmp_path / "a.mt").write_text("".join(f"{text}\n" for text in ["t1 t2", "t2"] * (len(SOURCES) // 2)))
    go(write_recipe(tmp_path, str(model), ", score_existing: true", ", translation: a.mt"), last="release")
    result = command(tmp_path / "work", "--sample", 99, "--model", model)
    assert result.exit_code == 0, result.output
    assert "45 existing translations have the log-probability of the model" in result.stderr
    assert open_release(tmp_path / "work").pairs().to_table()["translation_model_hash"].null_count == 46
    file = "data/train-00000-of-00001.parquet"
    change = with_values("translation_log_prob", lambda values: [values[0] - 0.5, *values[1:]])
    rewrite(tmp_path / "work/release", change, file=file)
    result = command(tmp_path / "work", "--sample", 99, "--model", model)
    assert result.exit_code == 1
    assert [" has translation_log_prob " in line for line in result.stdout.splitlines()] == [False, True]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose language model and encoder were trained on its corpus."""
    folder = tmp_path_factory.mktemp("scored")
    (folder / "recipe.yaml").write_text(recipe_text(folder, {"first": 230}))
    go(Recipe.load(folder / "recipe.yaml"), last="release")
    return folder


_NAMED = ("scores:", "select:", "train:", "evaluate:")


def _turned(section: str) -> str:
    """A section of a recipe with its entries, a line each, in the opposite order."""
    name, *entries = section.splitlines(keepends=True)
    return "".join([name, *reversed(entries)])


def test_the_hash_of_the_recipe_is_that_of_what_the_pairs_depend_on(scored: Path, tmp_path: Path) -> None:
    recipe = scored / "recipe.yaml"
    moved = tmp_path / "recipe.yaml"
    shutil.copytree(scored / "data", tmp_path / "elsewhere")
    moved.write_text(recipe.read_text().replace(f"{scored / 'data'}", f"{tmp_path / 'elsewhere'}"))
    other = tmp_path / "other.yaml"
    other.write_text(recipe.read_text().replace("licence: cc0-1.0", "licence: mit"))
    sections = re.split(r"^(?=\w)", recipe.read_text(), flags=re.MULTILINE)[1:]
    turned = tmp_path / "turned.yaml"
    turned.write_text("".join(_turned(part) if part.startswith(_NAMED) else part for part in sections))
    assert turned.read_text() != recipe.read_text()
    for file, overrides, is_same in (
        (recipe, [], True),
        (turned, [], True),
        (recipe, ["train.avg.epochs=3"], True),
        (moved, [], True),
        (other, [], False),
        (recipe, ["select.short.where=translation_length < 9"], False),
        (recipe, ["scores.perplexity.lm.train_on=20"], False),
    ):
        plan = make_plan(Recipe.load(file, overrides))
        work = plan.stage("release").work
        assert isinstance(work, ReleaseFile)
        first = open_release(scored / "work").manifest
        assert first is not None
        assert (digest(work.made_of) == first.recipe_hash) is is_same, overrides
        assert (plan.condition("release").state == "fresh") is is_same, overrides
        if file == turned:
            assert {stage.state for stage in plan.conditions if stage.name.startswith(("s", "d"))} == {
                "fresh"
            }


def test_scores_with_models_of_the_workspace_are_computed_again(scored: Path) -> None:
    result = command(scored / "work", "--sample", 230)
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-2:] == [
        "230 pairs have exactly the scores that their texts give: perplexity, translation_length, "
        "trigram_overlap",
        "230 pairs have the paraphrase_similarity that their texts give, within 1.2e-07; at most 0 apart, 0 "
        "in another decile",
    ]
    assert "not checked" not in result.stderr


def test_models_can_be_given_and_must_be_the_right_ones(scored: Path, tmp_path: Path) -> None:
    shutil.copytree(scored / "work/release", tmp_path / "release")
    result = command(tmp_path / "release", "--sample", 100)
    assert "not checked: perplexity (it needs its model: --model perplexity=PATH)" in result.stderr
    file = "data/train-00000-of-00002.parquet"
    change = with_values("perplexity", lambda values: [value and value * 1.01 for value in values])
    rewrite(tmp_path / "release", change, file=file)
    given = f"perplexity={scored / 'work/model/perplexity'}"
    result = command(tmp_path / "release", "--sample", 100, "--model", given)
    assert result.exit_code == 1 and " has perplexity " in result.stdout
    for model, message in (
        (f"perplexity={scored / 'work/model/paraphrase_similarity'}", "is not the model of this release"),
        ("nothing=x", "no score 'nothing' to give a model for"),
    ):
        result = command(tmp_path / "release", "--sample", 5, "--model", model)
        assert result.exit_code == 2 and message in result.stderr, result.output
