"""The recipe: the one file a user writes, checked as a whole before anything runs.

`Recipe.load(file)` reads it. Every mistake in it is a `RecipeError` that names the key, the file and
the line; all mistakes are told at once.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from ...errors import RecipeError
from ...filters import SCORES, AnyScore
from ...hashing import derive_seed
from ...models.training.options import TrainOptions
from ...models.translation.options import TranslateOptions
from ...paths import FilePath
from ...transforms.inputs import BitextInput
from .checks import cross_check
from .document import MAX_BYTES, Data, Place, check_size, read_yaml
from .overrides import apply_override
from .paths import located, resolve
from .problems import Problem, problems_of, recipe_error, shown
from .section import STRICT

# The scores of a recipe that chooses none: all that need nothing from outside.
DEFAULT_SCORES = (
    "translation_cost",
    "perplexity",
    "reference_length",
    "translation_length",
    "unigram_overlap",
    "bigram_overlap",
    "trigram_overlap",
    "sentence_bleu",
    "paraphrase_similarity",
)
_PRIMARY = "paraphrase_similarity"


class Ingest(BaseModel):
    """How input files are cut into parts, and which rows are rejected."""

    model_config = STRICT

    part_rows: int = Field(default=10_000, ge=1)
    """Rows of a part, the unit of work; a part never spans two input files."""
    max_characters: int = Field(default=2_000, ge=1)
    """A row with a longer side is rejected."""


class Selection(BaseModel):
    """Which pairs belong together: a boolean column of the release."""

    model_config = STRICT

    where: str = "true"
    """One SQL condition over the columns of scores, deciles and provenance; null is not selected."""
    sample: int | None = Field(default=None, ge=1)
    """Take this many of them, by seeded hash; all where there are fewer, and by default."""
    seed: int | None = Field(default=None, ge=0)
    """Seed of the sample; by default it follows from the recipe's seed and the selection's name."""


class Release(BaseModel):
    """How the published Parquet corpus is laid out."""

    model_config = STRICT

    primary_score: str | None = None
    """The score by whose deciles files are ordered; by default paraphrase_similarity, or else the first."""
    rows_per_file: int = Field(default=500_000, ge=1)
    """Rows of a file at the most; a file joins consecutive parts."""


class EncoderFolder(BaseModel):
    """A trained encoder of your own."""

    model_config = STRICT

    path: FilePath
    """The encoder's folder."""


class Evaluation(BaseModel):
    """An encoder, and the data to evaluate it on."""

    model_config = STRICT

    encoder: str | EncoderFolder
    """The name of an entry of `train`, or {path: an encoder's folder}."""
    data: FilePath
    """The folder of the evaluation data."""
    kind: Literal["sts"] = "sts"
    """What the data is: sts is a folder of SemEval's STS files or of the STS Benchmark's."""


@dataclass(frozen=True, kw_only=True)
class Training(TrainOptions):
    """An encoder to be trained on a selection's pairs, and how."""

    selection: str
    """The name of the selection."""
    seed: int | None = None  # type: ignore[assignment]  # a recipe need not give it
    """Seed of the start, the order, the negatives and the dropout; by default it follows from the recipe's
    seed and the entry's name."""
    run_on: Literal["driver", "workers"] = "driver"
    """`driver`, the process that runs the recipe, or `workers`, one of the runner's."""

    def options(self, seed: int) -> TrainOptions:
        """How to train; `seed`: what the recipe's seed makes of it where the entry gives none."""
        values = {each.name: getattr(self, each.name) for each in fields(TrainOptions)}
        return TrainOptions(**{**values, "seed": seed if self.seed is None else self.seed})


def _scores_schema(schema: dict[str, Any]) -> None:
    """Say that an entry called like a measure need not name it."""
    entry = {**schema["additionalProperties"], "required": ["score"]}
    measures = entry["discriminator"]["mapping"]
    schema["additionalProperties"] = entry
    schema["properties"] = {
        name: {"anyOf": [{"$ref": measure}, entry, {"type": "null"}]} for name, measure in measures.items()
    }
    schema["default"] = {name: {} for name in DEFAULT_SCORES}


class Recipe(BaseModel):
    """All that a run needs to know; every key has a default except `bitext` and the model of `translate`."""

    model_config = STRICT

    workspace: FilePath = "work"
    """The folder where every dataset of this run lies; any fsspec URL."""
    seed: int = Field(default=1, ge=0, lt=2**64)
    """Seeds that are not given follow from this one and the stage's name."""
    bitext: tuple[BitextInput, ...] = Field(min_length=1)
    """The inputs: sentences with their human English, and where there are any, with translations."""
    ingest: Ingest = Ingest()
    """How the inputs are read."""
    translate: TranslateOptions = TranslateOptions()
    """How translations are searched for."""
    scores: dict[str, Annotated[AnyScore, Field(discriminator="score")]] = Field(
        default_factory=lambda: {name: SCORES[name]() for name in DEFAULT_SCORES},
        json_schema_extra=_scores_schema,
    )
    """A column each: its name, the measure (`score`, where that differs) and the measure's parameters."""
    select: dict[str, Selection] = {}
    """A boolean column of the release each: which pairs belong to it."""
    release: Release = Release()
    """How the corpus is published."""
    train: dict[str, Training] = {}
    """Encoders to be trained on selections."""
    evaluate: dict[str, Evaluation] = {}
    """Encoders to be evaluated."""

    _folder: str = PrivateAttr(".")
    _as_written: "Recipe | None" = PrivateAttr(None)

    @classmethod
    def load(cls, path: str | Path, overrides: Sequence[str] = ()) -> "Recipe":
        """Read and check a recipe file.

        overrides: `key.key=value` each, the value in YAML, list items by index from 0:
        `translate.beam=5`, `bitext.0.domain=news`. RecipeError tells all that is wrong.
        """
        path = Path(path)
        try:
            with open(path, "rb") as file:
                content = file.read(MAX_BYTES + 1)
            check_size(len(content), str(path))
            text = content.decode()
        except OSError as error:
            raise RecipeError(f"no recipe could be read from {path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise RecipeError(f"{path}: expected UTF-8, got other bytes at position {error.start}") from None
        return cls.from_yaml(text, overrides, name=str(path), folder=path.parent)

    @classmethod
    def from_yaml(
        cls, text: str, overrides: Sequence[str] = (), *, name: str = "recipe", folder: str | Path = "."
    ) -> "Recipe":
        """As `load`, of a text; `name` is what errors call it, relative paths are relative to `folder`."""
        document = read_yaml(text, name)
        lines = {place: f"{name}:{line}" for place, line in document.lines.items()}
        data = {} if document.data is None else document.data
        if not isinstance(data, dict):
            raise RecipeError(f"{name}: expected keys with values, such as `bitext:`, got {shown(data)}")
        for override in overrides:
            if override.startswith("scores.") and data.get("scores") is None:
                # One parameter of a default score is set, not the others left out.
                data["scores"] = {score: {} for score in DEFAULT_SCORES}
            apply_override(data, lines, override)
        return cls._checked(data, lines, name, str(Path(folder).resolve()))

    @classmethod
    def _checked(cls, data: dict[str, Data], lines: Mapping[Place, str], name: str, folder: str) -> "Recipe":
        data = _filled(data)
        problems: list[Problem] = []
        recipe = None
        try:
            recipe = cls.model_validate_json(json.dumps(data))
        except ValidationError as error:
            problems = problems_of(error, data, cls.model_json_schema())
        scores: Data = {name: {"score": name} for name in DEFAULT_SCORES}
        problems += cross_check({"scores": scores, **data}, [each.place for each in problems])
        if problems or recipe is None:
            raise recipe_error(problems, lines, name)
        recipe._folder = folder
        return recipe

    def path(self, path: str) -> str:
        """A path of the recipe as a place: relative ones are relative to the recipe's folder; URLs stay."""
        return resolve(path, self._folder)

    def located(self) -> "Recipe":
        """The same recipe with every path of it, the workspace's included, resolved by `path`."""
        if self._as_written is not None:
            return self
        recipe = located(self, self._folder)
        recipe._folder, recipe._as_written = self._folder, self
        return recipe

    def canonical(self) -> dict[str, Data]:
        """The full recipe with every default filled in, paths as they were written: itself a valid recipe."""
        written = self if self._as_written is None else self._as_written
        data = written.model_dump(mode="json")
        data["release"]["primary_score"] = self.primary_score
        return data

    @property
    def primary_score(self) -> str:
        """The score by whose deciles the release is ordered."""
        default = _PRIMARY if _PRIMARY in self.scores else next(iter(self.scores))
        return self.release.primary_score or default

    def seed_of(self, stage: str, given: int | None = None) -> int:
        """The seed of a stage: the given one, or what follows from the recipe's seed and the stage's name."""
        return derive_seed(self.seed, stage) if given is None else given


def _filled(data: dict[str, Data]) -> dict[str, Data]:
    """The data with empty sections filled: a key without a value is an empty section.

    An entry of `scores` that names no measure is named like it.
    """
    filled: dict[str, Data] = {key: value for key, value in data.items() if value is not None}
    for section in ("scores", "select"):
        entries = filled.get(section)
        if isinstance(entries, dict):
            filled[section] = {key: {} if entry is None else entry for key, entry in entries.items()}
    scores = filled.get("scores")
    if isinstance(scores, dict):
        filled["scores"] = {
            key: {"score": key, **entry} if isinstance(entry, dict) else entry
            for key, entry in scores.items()
        }
    return filled
