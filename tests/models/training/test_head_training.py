"""Training under a head as a stage of a recipe and as a command."""

import json
import pickle
import re
from pathlib import Path

import pytest
from corpus import recipe_text
from head_data import write_entailment, write_sick
from runs import go, load
from typer.testing import CliRunner

from paranmt.base.errors import RecipeError
from paranmt.launch.cli import app
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan

_SMALL = "encoder: {type: avg, dimension: 5}, hidden: [4], epochs: 2, learning_rate: 0.05, device: cpu"


def recipe(folder: Path) -> Recipe:
    write_entailment(folder, "train.tsv", label="name")
    write_entailment(folder, "dev.tsv", 20, "name")
    (folder / "sick").mkdir(exist_ok=True)
    for part, n in (("train", 60), ("trial", 12), ("test_annotated", 18)):
        write_sick(folder / "sick", part, n)
    text = recipe_text(folder, {"first": 120}).partition("train:")[0]
    text += f"""\
train:
  avg: {{selection: middling, encoder: {{type: avg, dimension: 5}}, epochs: 1}}
  inference: {{objective: nli, examples: train.tsv, dev: [dev.tsv], {_SMALL}}}
  related: {{objective: relatedness, examples: sick/SICK_train.txt, dev: sick/SICK_trial.txt, {_SMALL}}}
evaluate:
  accuracy: {{kind: nli, encoder: inference, data: dev.tsv}}
  fixed: {{kind: supervised, encoder: related, data: sick}}
  tuned:
    {{kind: supervised, encoder: related, data: sick, setting: universal, epochs: 1, lambda_words: [0.0]}}
"""
    scores = "scores={translation_length: {}}"
    return load(folder, text, scores, "select={middling: {}}", "release={}")


def test_a_run(tmp_path: Path) -> None:
    small = recipe(tmp_path)
    assert pickle.loads(pickle.dumps(small)) == small
    plan = go(small).plan
    work = tmp_path / "work"
    training = json.loads((work / "train/inference/training.json").read_text())
    assert (training["examples"], training["dev_examples"], training["unlabelled"]) == (60, 20, 2)
    assert len(training["losses"]) == len(training["dev"]) == 2 and "seconds" not in training
    assert SentenceEncoder.load(work / "train/inference").dimension == 5
    accuracy = json.loads((work / "evaluate/accuracy/results.json").read_text())["averages"][0]
    assert accuracy["accuracy"] == pytest.approx(100 * max(training["dev"])), "the same examples"
    page = (work / "report/index.html").read_text()
    assert "avg encoder trained on SICK_train.txt" in page and "Accuracy of natural language" in page
    settings = [plan.stage(f"evaluate/{name}").ingredients["setting"] for name in ("fixed", "tuned")]
    assert settings == ["fixed", "universal"]
    stale = dict.fromkeys(("train/inference", "evaluate/accuracy"))
    write_entailment(tmp_path, "dev.tsv", 22, "name")
    states = {stage.name: make_plan(small).condition(stage.name).state for stage in plan.stages}
    assert [name for name, state in states.items() if state != "fresh" and name != "report"] == [*stale]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{objective: nli, selection: middling, examples: a, dev: b}", "selection: unknown key"),
        ("{objective: nli, examples: a}", "dev: the key is missing"),
        ("{objective: nly, examples: a, dev: b}", "objective: no objective 'nly'; did you mean nli"),
        ("{selection: middling, exampels: a}", "exampels: unknown key"),
        (
            "{objective: relatedness, examples: a, dev: b, levels: [5, 1]}",
            "levels: levels must be the lowest",
        ),
        ("{objective: nli, examples: a, dev: b, levels: [1, 5]}", "levels: unknown key"),
    ],
)
def test_entries_that_make_no_sense(tmp_path: Path, entry: str, message: str) -> None:
    text = recipe_text(tmp_path, {"first": 20}).partition("train:")[0] + f"train: {{x: {entry}}}\n"
    with pytest.raises(RecipeError, match=rf"recipe\.yaml:\d+: train\.x\.{message}"):
        load(tmp_path, text)


def test_the_command(tmp_path: Path) -> None:
    examples, dev = (
        write_entailment(tmp_path, "train.tsv", label="name"),
        write_entailment(tmp_path, "dev.tsv", 20, "name"),
    )
    out = tmp_path / "models" / "nli"
    words = ["train", examples, "--objective", "nli", "--dev", dev, "-o", str(out), "--dimension", "5"]
    small = ["--epochs", "3", "--set", "optimiser=adam", "--set", "learning_rate=0.02", "--set", "hidden=[4]"]
    result = CliRunner().invoke(app, [*words, *small])
    assert result.exit_code == 0, result.output
    assert re.search(r"trained on 60 examples, 2 without a label in .*, epoch \d of 3 is kept", result.stderr)
    assert [folder.name for folder in out.parent.iterdir()] == ["nli"], "nothing is left beside it"
    assert {"config.json", "model.safetensors", "head.json"} <= {file.name for file in out.iterdir()}
    training = json.loads((out / "training.json").read_text())
    assert (training["examples"], training["unlabelled"], len(training["dev"])) == (60, 2, 3)
    table = CliRunner().invoke(app, ["evaluate", str(out), "--data", dev, "--kind", "nli", "--json"])
    assert json.loads(table.stdout)["averages"][0]["unlabelled"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--objective", "nli", "--selection", "best"], "--selection is for pairs: leave it out"),
        (["--selection", "best", "--minimum-score", "1"], "--minimum-score is for files of pairs"),
        (["--objective", "nli"], "dev: the key is missing"),
        (["--dev", "d.tsv"], "there is no STS folder d.tsv"),
        (["--objective", "infonse"], "no objective 'infonse'; did you mean infonce"),
    ],
)
def test_wrong_options_of_the_command(tmp_path: Path, options: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["train", "some.tsv", "-o", str(tmp_path / "out"), *options])
    assert result.exit_code != 0
    assert message in f"{result.stderr}{result.exception}"
