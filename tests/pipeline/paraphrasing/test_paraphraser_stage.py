"""A paraphraser that a recipe trains, and the command that uses it."""

import json
import shutil
from pathlib import Path

import fsspec
import pyarrow.parquet as pq
import pytest
from commands import ok, paranmt
from corpus import recipe_text
from fake_hub import fake_hub
from nmt_models import write_dictionaries

import paranmt as library
from paranmt import install
from paranmt.base.checksums import CHECKSUMS
from paranmt.base.errors import ModelError, RecipeError
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.texts.paraphrase_options import ParaphraseOptions
from paranmt.pipeline.texts.paraphrase_text import loaded_paraphraser

if install.missing("fairseq"):
    pytest.skip(f"training needs fairseq; {install.missing('fairseq')}", allow_module_level=True)

ENTRY = """
paraphraser:
  tiny: {{selection: unique, preset: tiny, epochs: 1, max_updates: 3, vocabulary: 120, threads: 1{more}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a paraphraser, controlled by a score."""
    folder = tmp_path_factory.mktemp("paraphraser")
    text = recipe_text(folder, {"first": 200}, extra=ENTRY.format(more=", control: [trigram_overlap]"))
    (folder / "recipe.yaml").write_text(text)
    for stages in (["--until", "select/unique"], ["--only", "paraphraser/tiny"]):
        result = paranmt("run", folder / "recipe.yaml", *stages)
        assert result.exit_code == 0, result.output
    return folder


def stage_state(folder: Path, *overrides: str) -> str:
    sets = [word for override in overrides for word in ("--set", override)]
    stages = json.loads(ok("plan", folder / "recipe.yaml", "--json", *sets))["stages"]
    return next(stage["state"] for stage in stages if stage["name"] == "paraphraser/tiny")


def test_its_folder_is_a_translation_model_that_says_what_controls_it(folder: Path) -> None:
    model = folder / "work/paraphraser/tiny"
    assert json.loads((model / "paraphraser.json").read_text())["control"] == ["trigram_overlap"]
    sentences = ["ba be bi", "bo bu by"]
    engines = {
        engine: library.load_translator(model, engine=engine, beam=2, device="cpu").translate(sentences)
        for engine in ("torch", "ctranslate2", "fairseq")
    }
    best = {engine: [candidates[0].log_prob for candidates in lists] for engine, lists in engines.items()}
    assert best["torch"] == pytest.approx(best["fairseq"], abs=1e-3)
    assert best["ctranslate2"] == pytest.approx(best["fairseq"], abs=1e-3)
    assert "paraphraser/tiny: " in ok("results", folder / "recipe.yaml")


def test_its_key_follows_from_what_it_is_made_of(folder: Path) -> None:
    assert stage_state(folder) == "fresh"
    assert stage_state(folder, "paraphraser.tiny.threads=2") == "fresh"
    for change in ("direction=to_reference", "control=[]", "dropout=0.5", "selection=short", "seed=3"):
        assert stage_state(folder, f"paraphraser.tiny.{change}") != "fresh", change


def test_the_command_writes_each_format(folder: Path, tmp_path: Path) -> None:
    model, text = folder / "work/paraphraser/tiny", tmp_path / "sentences.txt"
    text.write_text("ba be bi\nbo bu by\n")
    command = ["paraphrase", model, text, "--device", "cpu", "--beam", "4", "-n", "2"]
    lines = [json.loads(line) for line in ok(*command, "--format", "jsonl").splitlines()]
    assert [line["sentence"] for line in lines] == ["ba be bi", "bo bu by"]
    plain = ok(*command).split("\n\n")
    kept = [[paraphrase["text"] for paraphrase in line["paraphrases"]] for line in lines]
    assert [block.splitlines() for block in plain[:2]] == [
        [" ".join(one.split()) for one in each] for each in kept
    ]
    ok(*command, "--format", "parquet", "-o", tmp_path / "out.parquet")
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [(row["line"], row["paraphrase"]) for row in rows] == [
        (number, one) for number, each in enumerate(kept, start=1) for one in each
    ]
    controlled = paranmt(*command, "--control", "trigram_overlap=1")
    assert controlled.exit_code == 0, controlled.output


HUB_MODEL = f"me/tiny@{'0a' * 20}"
PLACES = [
    "{folder}",
    "{folder}/model.pt",
    "{folder}/ctranslate2",
    "memory://paraphrasers/tiny",
    "memory://paraphrasers/tiny/model.pt",
    "memory://paraphrasers/tiny/ctranslate2",
    f"hf://{HUB_MODEL}",
    f"hf://{HUB_MODEL}/ctranslate2",
]


@pytest.mark.parametrize("place", PLACES)
def test_what_controls_it_is_known_wherever_it_is(
    place: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = folder / "work/paraphraser/tiny"
    monkeypatch.setenv("PARANMT_CACHE", str(tmp_path / "cache"))
    remote = fsspec.filesystem("memory")
    remote.put(str(model) + "/", "/paraphrasers/tiny/", recursive=True)
    (tmp_path / "sentences.txt").write_text("ba be bi\n\n \t\n")
    command = ["paraphrase", place.format(folder=model), tmp_path / "sentences.txt", "--beam", "4"]
    with fake_hub() as hub:
        hub.models[HUB_MODEL] = {
            file.relative_to(model).as_posix(): file.read_bytes()
            for file in model.rglob("*")
            if file.is_file()
        }
        monkeypatch.setitem(fsspec.config.conf, "hf", {"endpoint": hub.url, "token": False})
        controlled = ok(*command, "--control", "trigram_overlap=1", "--device", "cpu", "--format", "jsonl")
    remote.rm("/paraphrasers", recursive=True)
    lines = [json.loads(line) for line in controlled.splitlines()]
    assert [line["paraphrases"] for line in lines[1:]] == [[], []], "blank lines have no paraphrases"


def test_an_ensemble_is_controlled_by_what_controls_all_its_models(folder: Path, tmp_path: Path) -> None:
    model, other = folder / "work/paraphraser/tiny", tmp_path / "other"
    shutil.copytree(model, other)
    options = TranslateOptions(model=(str(model), str(other)), engine="torch", device="cpu")
    assert loaded_paraphraser(options).control == ("trigram_overlap",)
    for name in ("paraphraser.json", CHECKSUMS):  # as of a model that was never a paraphraser
        (other / name).unlink()
    one = loaded_paraphraser(options)
    with pytest.raises(
        RecipeError, match=r"no paraphraser.json beside the model .of an ensemble, beside each"
    ):
        one.paraphrase(["ba"], options=ParaphraseOptions(control={"trigram_overlap": 1}))


def test_the_command_evaluates(folder: Path, tmp_path: Path) -> None:
    model, data = folder / "work/paraphraser/tiny", tmp_path / "data"
    data.mkdir()
    for number, text in enumerate(("ba be bi\nbo bu by\n", "ba be bo\nbo bu bi\n"), start=1):
        (data / f"c.{number}.en").write_text(text)
    (tmp_path / "words.txt").write_text("ba 1 0\nbe 0 1\nbo 1 1\n")
    command = ["paraphrase", model, "--device", "cpu", "--beam", "4", "--evaluate", data]
    judged = ["--judge", tmp_path / "words.txt", "--round-trip", model, "--round-trip", model]
    table = json.loads(ok(*command, *judged, "--json"))
    rows = {row["system"]: row for row in table["rows"]}
    assert list(rows) == ["paraphraser", "round trip", "input copied", "random references"]
    assert rows["input copied"]["copies"] == 100 and rows["input copied"]["similarity"] == pytest.approx(100)
    assert rows["round trip"]["candidates"] == 1 >= rows["paraphraser"]["copies"] / 100
    assert "| input copied |" in ok(*command, "--markdown")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--evaluate", "x"], "takes its sentences from the folder"),
        (["--judge", "x"], "are for --evaluate"),
        (["--control", "perplexity=1"], "knows no 'perplexity'; there are: trigram_overlap"),
        (["--control", "trigram_overlap"], "expected SCORE=DECILE"),
        (["--overlap", "0.6"], "expected a range such as 0.2-0.6"),
        (["--overlap", "0.6-0.2"], "expected a range such as 0.2-0.6, got 0.6-0.2"),
        (["--format", "parquet"], "needs --output"),
        (["--set", "beem=3"], "beem: unknown key"),
    ],
)
def test_mistakes_are_one_line(folder: Path, options: list[str], message: str) -> None:
    result = paranmt("paraphrase", folder / "work/paraphraser/tiny", folder / "recipe.yaml", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_broken_description_is_a_clear_error(folder: Path, tmp_path: Path) -> None:
    write_dictionaries(tmp_path)
    (tmp_path / "model.pt").touch()
    for content in ("[1]", "{", '{"control": [1]}', "{}"):
        (tmp_path / "paraphraser.json").write_text(content)
        with pytest.raises(ModelError, match="train the paraphraser again"):
            library.load_paraphraser(tmp_path)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (", control: [perplexity]", "perplexity cannot control; these scores can: unigram_overlap"),
        (", control: [trigram]", "no score 'trigram'; did you mean trigram_overlap"),
        (", control: [trigram_overlap, trigram_overlap]", "expected each score once"),
        (", dropout: 1.5", "dropout"),
    ],
)
def test_recipes_are_checked(tmp_path: Path, more: str, message: str) -> None:
    text = recipe_text(tmp_path, {"first": 20}, extra=ENTRY.format(more=more))
    with pytest.raises(RecipeError, match=message):
        Recipe.from_yaml(text)
    wrong = recipe_text(tmp_path, {"first": 20}, extra=ENTRY.format(more="")).replace(
        "selection: unique", "selection: uniqe"
    )
    with pytest.raises(RecipeError, match="no selection 'uniqe'; did you mean unique"):
        Recipe.from_yaml(wrong)
