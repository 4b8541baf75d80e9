"""What is added from outside the package, by a word in a table, works like what comes with it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from corpus import recipe_text
from test_run import go, load

from paranmt.filters.score import Score
from paranmt.models.translation import engines, options
from paranmt.models.translation.engines import ENGINES, EngineKind
from paranmt.models.translation.model_folder import ModelFolder
from paranmt.models.translation.options import TranslateOptions
from paranmt.models.translation.translator import Candidate, Translator
from paranmt.transforms import inputs
from paranmt.transforms.dataset import read_columns
from paranmt.transforms.inputs import BitextInput, InputFile, input_files
from paranmt.transforms.model_kinds import MODEL_KINDS
from paranmt.transforms.model_kinds.kind import ModelKind, Training, TrainingData
from paranmt.transforms.readers import READERS, read_records
from paranmt.transforms.readers.records import RawBlock
from paranmt.transforms.single_job import SingleJob
from paranmt.transforms.work import Unit
from paranmt.transforms.workspace import Workspace


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

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        tables = [read_columns(workspace, file, ["reference"]) for file in self.files]
        lengths = pc.utf8_length(pa.concat_tables(tables)["reference"])
        (folder / "mean.json").write_text(json.dumps(pc.mean(lengths).as_py()))
        return {"pairs": len(lengths)}


def training(data: TrainingData, score: Score) -> Training:
    return Training(MeasureReferences(data.folder, data.files("ingest")), {"of": "all"}, ("ingest",))


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # of a class that is not in `AnyScore`
def test_a_score_with_a_model_of_a_new_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = ModelKind(
        description="mean length",
        packages=("pyarrow",),
        load=lambda path, score: float(json.loads(path.read_text())),
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
    monkeypatch.setattr(options, "Engine", Literal["auto", "reverser"])
    (tmp_path / "model").mkdir()
    for name in ("model.bin", "source.spm", "target.spm", "shared_vocabulary.json", "config.json"):
        (tmp_path / "model" / name).write_text("{}")
    chosen = TranslateOptions(model=str(tmp_path / "model"), engine="reverser", device="cpu")  # type: ignore[arg-type]
    assert engines.resolve(chosen).batch_tokens == 1_024
    translator = engines.load(engines.resolve(chosen), tmp_path / "cache")
    assert [found[0].text for found in translator.translate(["abc", "de"])] == ["cba", "ed"]


def read_alternating(file: InputFile, limit: int) -> Iterator[RawBlock]:
    """Source and reference on lines of their own, one after the other."""
    lines = Path(file.paths[0]).read_bytes().splitlines()
    yield RawBlock(range(1, len(lines) // 2 + 1), (lines[::2], lines[1::2]))


def test_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, "alternating", read_alternating)  # type: ignore[misc]
    monkeypatch.setattr(inputs, "Format", Literal["moses", "alternating"])
    (tmp_path / "pairs.txt").write_text("pes\ndog\nmy\u0161\nmouse\n")
    entry = BitextInput(
        corpus="animals",
        format="alternating",  # type: ignore[arg-type]
        source_language="cs",
        path=str(tmp_path / "pairs.txt"),
        source=1,
        reference=2,
    )
    (file,) = input_files(entry)
    (batch,) = read_records(file, max_characters=100, part_rows=10)
    assert batch.pairs.to_pylist() == [
        {"pair_id": "animals/pairs.txt:1", "source": "pes", "reference": "dog", "translation": None},
        {"pair_id": "animals/pairs.txt:2", "source": "my\u0161", "reference": "mouse", "translation": None},
    ]
