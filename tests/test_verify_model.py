"""`paranmt verify --sample … --model …`: translating pairs of a release again."""

from pathlib import Path

import pytest
from nmt_models import write_model
from test_translate_stage import go, write_recipe
from typer.testing import CliRunner, Result

from paranmt.launch.cli import app
from paranmt.models.translation.translator import Candidate
from paranmt.pipeline.published import verify_sample


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
    assert "46 pairs have the scores that their texts give: translation_cost" in result.stderr


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
