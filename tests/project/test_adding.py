"""What is added from outside the package, by a word in a table, works like what comes with it."""

import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import torch
import yaml
from corpus import recipe_text
from runs import Silent, go, load
from typer.testing import CliRunner

from paranmt.base import dataset_columns as columns
from paranmt.base.errors import RecipeError
from paranmt.base.paths import FilePath
from paranmt.filters.score import Score
from paranmt.launch.cli import app
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.encoders.encoder import Encoder
from paranmt.models.encoders.encoder_kinds import ENCODERS
from paranmt.models.encoders.encoder_options import UnitOptions
from paranmt.models.encoders.encodes import Encodes
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.token_ids import Streams
from paranmt.models.encoders.vocabulary import Units
from paranmt.models.evaluation.evaluation import Evaluation
from paranmt.models.evaluation.evaluation_kinds import EVALUATIONS
from paranmt.models.evaluation.table import Column, Row, Table
from paranmt.models.translation import engines
from paranmt.models.translation.engines import ENGINES, EngineKind
from paranmt.models.translation.model_folder import ModelFolder
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate, Translator
from paranmt.pipeline.forecast.forecast import make_forecast
from paranmt.pipeline.forecast.pilot import run_pilot
from paranmt.pipeline.looking.results import results
from paranmt.pipeline.recipe import where_columns
from paranmt.pipeline.recipe.name import StageName
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.recipe.schema import recipe_schema
from paranmt.pipeline.recipe.where_columns import Given, Sections
from paranmt.pipeline.running.clean import clean
from paranmt.pipeline.running.kinds import STAGES
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.pipeline.running.status import not_in_recipe, workspace_status
from paranmt.pipeline.running.work_keys import work_keys
from paranmt.pipeline.stages.planned import Plan
from paranmt.pipeline.stages.report_data import EvaluationResults, Section
from paranmt.pipeline.stages.stage import Planning, Stage
from paranmt.pipeline.stages.stage_kind import StageKind
from paranmt.pipeline.stages.whole import Machines
from paranmt.transforms.beam.single_job import SingleJob
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.bitexts.input_file import InputFile
from paranmt.transforms.bitexts.inputs import input_files
from paranmt.transforms.bitexts.readers import READERS, read_records
from paranmt.transforms.bitexts.readers.reader import FileSample, RawBlock, Reader
from paranmt.transforms.bitexts.readers.reader import Row as RawRow
from paranmt.transforms.bitexts.sampling import (
    CountedFile,
    choose_rows,
    count_rows,
    cut_into_parts,
    write_sample,
)
from paranmt.transforms.model_kinds import MODEL_KINDS
from paranmt.transforms.model_kinds.model_kind import ModelKind, ModelTraining, TrainingData
from paranmt.transforms.storage.dataset import Manifest, read_columns
from paranmt.transforms.storage.file_hashes import HashCache
from paranmt.transforms.storage.workspace import Workspace


@dataclass(frozen=True)
class Unusual(Score):
    """How much longer a translation is than the mean reference, in characters."""

    score: Literal["unusual"] = "unusual"

    version = 1
    reads = ("translation",)
    dtype = pa.float32()
    unit = "characters"
    higher_is_better = False
    model_kind: ClassVar[str | None] = "mean_length"

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        assert isinstance(model, float)
        lengths = pc.utf8_length(pairs["translation"]).cast(pa.float64())
        return pc.subtract(lengths, model).cast(pa.float32()).combine_chunks()

    def trained_on(self) -> int | None:
        return 1_000


@dataclass(frozen=True)
class MeasureReferences(SingleJob):
    """Its model is a number: the mean length of the references."""

    stage: str
    files: tuple[str, ...]

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        tables = [read_columns(workspace, file, ["reference"]) for file in self.files]
        lengths = pc.utf8_length(pa.concat_tables(tables)["reference"])
        (folder / "mean.json").write_text(json.dumps(pc.mean(lengths).as_py()))
        return {"pairs": len(lengths)}


def training(data: TrainingData, score: Score) -> ModelTraining:
    return ModelTraining(MeasureReferences(data.folder, data.files("ingest")), {"of": "all"}, ("ingest",))


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # of a class that is not in `AnyScore`
def test_a_score_with_a_model_of_a_new_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = ModelKind(
        description="mean length",
        packages=("pyarrow",),
        load=lambda paths, score: float(json.loads(paths[0].read_text())),
        training=training,
        file="mean.json",
    )
    monkeypatch.setitem(MODEL_KINDS, "mean_length", kind)
    recipe = load(
        tmp_path,
        recipe_text(tmp_path, {"first": 120}),
        "scores={translation_length: {}}",
        "select={}",
        "train={}",
        "evaluate={}",
        "release={}",
    )
    recipe = recipe.model_copy(update={"scores": {"unusual": Unusual()}})
    plan = go(recipe, last="release").plan
    assert plan.condition("score/unusual").state == "fresh"
    assert plan.stage("score/unusual").needs == ("translate", "model/unusual")
    assert plan.stage("release").needs.count("model/unusual") == 0, "it holds no pairs out"
    (file,) = (tmp_path / "work/release/data").glob("*.parquet")
    release = pq.read_table(file)
    mean = pc.mean(pc.utf8_length(release["reference"])).as_py()
    expected = [len(text) - mean for text in release["translation"].to_pylist()]
    assert release["unusual"].to_pylist() == pytest.approx(expected, abs=1e-4)
    assert set(release["unusual_decile"].to_pylist()) == set(range(1, 11))
    assert "mean length trained on 120 pairs" in (tmp_path / "work/release/README.md").read_text()


@dataclass(frozen=True, kw_only=True)
class Spread(Evaluation):
    """How far the vectors of a file's sentences lie from their mean, for each length of sentence."""

    kind: Literal["spread"] = "spread"
    sentences: FilePath
    """A text file with one sentence per line."""
    longest: int = 99
    """Sentences with more words are left out."""

    version = 1

    def evaluate(self, encoder: Encodes) -> Table:
        texts = Path(self.sentences).read_text(encoding="utf-8").splitlines()
        lengths = sorted({len(text.split()) for text in texts} & set(range(self.longest + 1)))
        columns = [
            Column(name="words", type="text", meaning="words of a sentence"),
            Column(name="sentences", type="count", meaning="sentences of this length"),
            Column(name="spread", type="number", meaning="mean distance from the mean vector", digits=3),
        ]
        rows = []
        for length in lengths:
            chosen = [text for text in texts if len(text.split()) == length]
            vectors = encoder.encode(chosen)
            distances = np.linalg.norm(vectors - vectors.mean(axis=0), axis=1)
            rows.append(
                {"words": f"{length} words", "sentences": len(chosen), "spread": float(distances.mean())}
            )
        return Table(
            caption="Spread of the vectors.", columns=columns, main="spread", rows=[Row(row) for row in rows]
        )


@pytest.fixture
def spread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A recipe's schema is built when `Recipe` is imported, so here it is built again with the new word."""
    with monkeypatch.context() as patch:
        patch.setitem(EVALUATIONS, "spread", Spread)
        Recipe.model_rebuild(force=True)
        yield
    Recipe.model_rebuild(force=True)


@pytest.mark.usefixtures("spread")
def test_an_evaluation(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 120}).partition("evaluate:")[0]
    (tmp_path / "texts.txt").write_text("a dog\nthe cat\na dog sees snow\ntwo men hear a song at night\n")
    text += "evaluate: {vectors: {kind: spread, encoder: avg, sentences: texts.txt, longest: 4}}\n"
    recipe = load(tmp_path, text, "scores={translation_length: {}}", "select={middling: {}}", "release={}")
    plan = go(recipe).plan
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert plan.stage("evaluate/vectors").ingredients.keys() >= {"sentences", "longest", "kind", "version"}

    results = json.loads((tmp_path / "work/evaluate/vectors/results.json").read_text())
    assert [(row["words"], row["sentences"]) for row in results["rows"]] == [("2 words", 2), ("4 words", 1)]
    value = results["rows"][0]["spread"]
    assert value > 0 and results["rows"][1]["spread"] == 0
    page = (tmp_path / "work/report/index.html").read_text()
    assert "Spread of the vectors." in page and f'<td class="n">{value:.3f}</td>' in page
    command = ["evaluate", str(tmp_path / "work/train/avg"), "--kind", "spread"]
    sets = ["--set", f"sentences={tmp_path / 'texts.txt'}", "--set", "longest=4"]
    shown = CliRunner().invoke(app, [*command, *sets])
    assert shown.stdout.splitlines() == [
        "words    sentences  spread",
        f"2 words          2   {value:.3f}",
        "4 words          1   0.000",
    ]

    schema = recipe_schema()
    content = yaml.safe_load(text)
    assert jsonschema.Draft202012Validator(schema).is_valid(content)
    assert schema["$defs"]["SpreadEvaluationEntry"]["properties"]["longest"]["description"] == (  # type: ignore[index]
        "Sentences with more words are left out."
    )
    (tmp_path / "texts.txt").write_text("a dog\nthe sea\n")
    states = {condition.name: condition.state for condition in make_plan(recipe).conditions}
    assert {name for name, state in states.items() if state != "fresh"} == {"evaluate/vectors", "report"}
    with pytest.raises(RecipeError, match="no kind 'spreed'; did you mean spread"):
        load(tmp_path, text.replace("kind: spread", "kind: spreed"))


@dataclass(frozen=True, kw_only=True)
class LastUnitOptions(UnitOptions):
    """The vector of a sentence's last unit, or of the one before it."""

    type: Literal["last_unit"] = "last_unit"
    back: int = 0
    """How many units before the last one."""

    def build(self, rows: Mapping[Units, int], units: Units) -> Encoder:
        """Imports torch only here, so that recipes are read without it."""
        from paranmt.models.encoders.embedding import UnitEncoder

        class LastUnit(UnitEncoder):
            def forward(self, sentences: Streams) -> torch.Tensor:
                ids = sentences[self.units]
                last = np.maximum(ids.starts[1:] - 1 - options.back, ids.starts[:-1])
                return self.embedding(torch.from_numpy(ids.ids[last].astype(np.int64)))

        options = self
        return LastUnit(rows[units], self, units)


@pytest.fixture
def last_unit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As `spread`, for an encoder."""
    with monkeypatch.context() as patch:
        patch.setitem(ENCODERS, "last_unit", LastUnitOptions)
        Recipe.model_rebuild(force=True)
        yield
    Recipe.model_rebuild(force=True)


@pytest.mark.usefixtures("last_unit")
def test_an_encoder(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 120}).partition("train:")[0] + (
        "train: {last: {selection: middling, encoder: {type: last_unit, dimension: 8, back: 1}, epochs: 1}}\n"
        "evaluate: {sts: {encoder: last, data: sts}}\n"
    )
    spec = "{type: last_unit, dimension: 6, train_on: 50, epochs: 1}"
    scores = f"scores={{paraphrase_similarity: {{encoder: {spec}}}, translation_length: {{}}}}"
    recipe = load(tmp_path, text, scores, "select={middling: {}}", "release={}")
    go(recipe)
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    (release,) = (tmp_path / "work/release/data").glob("*.parquet")
    assert pq.read_table(release)["paraphrase_similarity"].null_count == 0
    scoring, trained = (
        SentenceEncoder.load(tmp_path / "work" / folder)
        for folder in ("model/paraphrase_similarity", "train/last")
    )
    assert (scoring.encoder.options, trained.encoder.options) == (
        LastUnitOptions(dimension=6),
        LastUnitOptions(dimension=8, back=1),
    )
    first, second = trained.encode(["a dog sees snow", "two men sees it"])
    assert (first == second).all() and first.any()
    assert json.loads((tmp_path / "work/evaluate/sts/results.json").read_text())["rows"]

    command = [
        "train",
        str(tmp_path / "work/release"),
        "-o",
        str(tmp_path / "again"),
        "--encoder",
        "last_unit",
    ]
    result = CliRunner().invoke(
        app, [*command, "--dimension", "4", "--epochs", "1", "--set", "encoder.back=1"]
    )
    assert result.exit_code == 0, result.output
    assert SentenceEncoder.load(tmp_path / "again").encoder.options == LastUnitOptions(dimension=4, back=1)

    schema = recipe_schema()
    assert jsonschema.Draft202012Validator(schema).is_valid(yaml.safe_load(text))
    with pytest.raises(RecipeError, match="no type 'last_unt'; did you mean last_unit"):
        load(tmp_path, text.replace("type: last_unit", "type: last_unt"))
    with pytest.raises(RecipeError, match="train.last.encoder.bck: unknown key; did you mean back"):
        load(tmp_path, text.replace("back: 1", "bck: 1"))
    with pytest.raises(RecipeError, match="encoder.bck: unknown key; did you mean back"):
        load(tmp_path, text, scores.replace("train_on: 50", "bck: 1"))


class Reverser:
    """An engine that writes every sentence backwards."""

    halvings = 0

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        return [[Candidate.of(sentence[::-1], [-1.0])] for sentence in sentences]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        return [None for _ in sentences]


def reverser(
    folders: Sequence[ModelFolder], options: TranslateOptions, cache_dir: Path, threads: int | None
) -> Translator:
    return Reverser()


def test_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "reverser", EngineKind(load=reverser, reads=("ctranslate2",), packages=()))
    (tmp_path / "model").mkdir()
    for name in ("model.bin", "source.spm", "target.spm", "shared_vocabulary.json", "config.json"):
        (tmp_path / "model" / name).write_text("{}")
    recipe = load(
        tmp_path,
        recipe_text(tmp_path, {"first": 10}),
        "translate={model: model, engine: reverser, device: cpu}",
    )
    chosen = recipe.located().translate
    assert engines.resolve(chosen).batch_tokens == 1_024
    translator = engines.load(engines.resolve(chosen), tmp_path / "cache")
    assert [found[0].text for found in translator.translate(["abc", "de"])] == ["cba", "ed"]
    with pytest.raises(RecipeError, match="engine ctranslate2 takes one; set engine to torch or fairseq"):
        TranslateOptions(model=("a", "b"), engine="ctranslate2")
    with pytest.raises(RecipeError, match="got 'reversr'; did you mean reverser"):
        load(tmp_path, recipe_text(tmp_path, {"first": 10}), "translate={model: model, engine: reversr}")
    assert "reverser" in str(recipe_schema())


def read_alternating(file: InputFile, limit: int) -> Iterator[RawBlock]:
    """Source and reference on lines of their own, one after the other."""
    lines = Path(file.paths[0]).read_bytes().splitlines()
    yield RawBlock(range(1, len(lines) // 2 + 1), (lines[::2], lines[1::2]))


def write_alternating(file: InputFile, rows: Sequence[RawRow]) -> FileSample:
    return FileSample((b"".join(line + b"\n" for row in rows for line in row),))


def test_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, "alternating", Reader(read=read_alternating, write=write_alternating))
    (tmp_path / "pairs.txt").write_text("pes\ndog\nmy\u0161\nmouse\nk\u016f\u0148\nhorse\n")
    entry = "{corpus: animals, format: alternating, source_language: cs, path: pairs.txt}"
    recipe = Recipe.from_yaml(f"bitext: [{entry}]\ntranslate: {{model: m}}", folder=tmp_path).located()
    (file,) = input_files(recipe.bitext[0])
    (batch,) = read_records(file, max_characters=100, part_rows=10)
    assert batch.pairs.to_pylist()[:2] == [
        {"pair_id": "animals/pairs.txt:1", "source": "pes", "reference": "dog", "translation": None},
        {"pair_id": "animals/pairs.txt:2", "source": "my\u0161", "reference": "mouse", "translation": None},
    ]
    with pytest.raises(
        RecipeError, match="expected moses, tsv, czeng, tmx, parquet or alternating, got 'xls'"
    ):
        Recipe.from_yaml(f"bitext: [{entry.replace('alternating', 'xls')}]")
    # The sample that a forecast draws is in the new format too.
    files = [CountedFile(file, count_rows(file, HashCache()))]
    (chosen,) = choose_rows(files, 2, seed=1)
    parts = cut_into_parts(files, [chosen], 1, seed=1)
    (small,) = write_sample(Workspace(str(tmp_path / "pilot")), recipe.bitext, files, parts)
    (sampled,) = read_records(input_files(small)[0], max_characters=100, part_rows=10)
    words = [("pes", "dog"), ("my\u0161", "mouse"), ("k\u016f\u0148", "horse")]
    found = list(
        zip(sampled.pairs["source"].to_pylist(), sampled.pairs["reference"].to_pylist(), strict=True)
    )
    assert small.format == "alternating" and found == [words[record - 1] for record in chosen]


@dataclass(frozen=True)
class CountSigns(PartWork):
    """Counts a sign in the references of one part."""

    stage: str
    column: str
    sign: str

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        table = read_columns(workspace, task.input("ingest"), ["reference"])
        counts = pc.count_substring(table["reference"], self.sign)
        columns = {"pair_id": table["pair_id"], self.column: counts}
        return pa.table(columns), {"signs": pc.sum(counts).as_py() or 0}


class Signs(StageKind):
    """How often signs occur in the references: a column of the release for each."""

    has_labels = True
    opens = ""
    seconds_a_pair = 1e-6
    signs: ClassVar[dict[str, str]] = {"stops": ".", "calls": "!"}

    def labels(self, recipe: Recipe) -> Sequence[str]:
        return [name for name in self.signs if name in recipe.select]

    def column(self, name: str) -> columns.DatasetColumn:
        meaning = f"How often the reference has {self.signs[name]}"
        return columns.DatasetColumn(f"{name}_signs", pa.int32(), "signs", meaning)

    def given(self, sections: Sections) -> Given:
        names = [name for name in self.signs if name in sections["select"]]
        return [(StageName("signs", name), self.column(name)) for name in names]

    def plan(self, name: StageName, planning: Planning) -> Stage:
        sign, column = self.signs[name.label], self.column(name.label)
        work = CountSigns(name, column.name, sign)
        return self.parts_stage(name, [planning.stage("ingest")], {"sign": sign}, work, columns=(column,))

    def remarks(self, stage: Stage, manifest: Manifest, recipe: Recipe) -> Iterator[str]:
        yield f"{stage.name}: {manifest.counts['signs']} signs"

    def report(self, stage: Stage, plan: Plan) -> Iterator[Section]:
        row = Row({"sign": stage.label, "count": plan.manifest(stage.name).counts["signs"]})
        shown = [
            Column(name="sign", type="text", meaning="a sign"),
            Column(name="count", type="count", meaning="how often it occurs"),
        ]
        yield EvaluationResults(
            stage.label, Table(caption="Signs of the references.", columns=shown, main="count", rows=[row])
        )


@pytest.fixture
def signs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The new kind comes before the release, which takes its columns, and selections may name them."""
    monkeypatch.setattr(where_columns, "GIVEN", [*where_columns.GIVEN, Signs().given])
    known = dict(STAGES)
    STAGES.clear()
    for word, kind in known.items():
        if word == "release":
            STAGES["signs"] = Signs()
        STAGES[word] = kind
    yield
    STAGES.clear()
    STAGES.update(known)


@pytest.mark.usefixtures("signs")
def test_a_stage(tmp_path: Path) -> None:
    recipe = load(
        tmp_path,
        recipe_text(tmp_path, {"first": 120}),
        "scores={translation_length: {}}",
        "select={calls: {where: calls_signs > 0}, other: {}}",
        "train={}",
        "evaluate={}",
        "release={}",
        "duplicates=null",
    )
    observer = Silent()
    result = run(recipe, LocalRunner(), observer)
    assert "signs/calls" in result.computed and "signs/calls" in result.plan.stage("release").needs
    assert result.plan.condition("signs/calls").state == "fresh"
    assert "signs/stops" not in {stage.name for stage in result.plan.stages}
    assert result.plan.matching("signs") == ["signs/calls"]
    work = tmp_path / "work"
    found = results(result.plan)
    assert list(found.paths) == ["release", "report", "signs/calls"]
    assert found.paths["signs/calls"] == str(work / "signs/calls")
    (file,) = (work / "release/data").glob("*.parquet")
    release = pq.read_table(file)
    expected = [text.count("!") for text in release["reference"].to_pylist()]
    assert release["calls_signs"].to_pylist() == expected and sum(expected) > 0
    assert result.plan.stage("select/calls").needs == ("ingest", "signs/calls")
    assert release["calls"].to_pylist() == [count > 0 for count in expected] and min(expected) == 0
    assert observer.messages == [f"signs/calls: {sum(expected)} signs"]
    assert "How often the reference has !" in (work / "release/README.md").read_text()
    page = (work / "report/index.html").read_text()
    assert "Signs of the references." in page and "signs/calls" in page

    status = workspace_status(str(work))
    assert "signs/calls" in {stage.name for stage in status.stages}
    assert not_in_recipe(status, recipe) == []
    renamed = recipe.model_copy(update={"select": {"other": recipe.select["other"]}})
    assert set(not_in_recipe(status, renamed)) == {"signs/calls", "select/calls"}

    (part,) = (work / "signs/calls/first").glob("*00002-*.parquet")
    lost = part.with_name(part.name.replace(part.name[-24:-8], "0" * 16))
    lost.write_bytes(part.read_bytes())
    (work / "signs/calls/notes.txt").write_text("of the user")
    assert set(clean(recipe).removed) == {str(lost.relative_to(work))}
    assert make_plan(recipe).condition("signs/calls").state == "fresh"

    pilot = run_pilot(make_plan(recipe), LocalRunner(), 100, Silent())
    plan = result.plan
    forecasts = make_forecast(pilot, Machines(1), work_keys(plan.stages), {"first": False})
    (forecast,) = (stage for stage in forecasts.stages if stage.name == "signs/calls")
    assert forecast.pairs == 120 and forecast.seconds.mid > 0 and forecast.bytes.mid > 0
