"""The recipe: the one file a user writes, checked as a whole before anything runs.

`Recipe.load(file)` reads it. A `RecipeError` lists all mistakes in it at once, each with its key, file and
line.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from ...base.bounds import Bounds, Count, Pairs, Seed
from ...base.documents import read_document
from ...base.errors import RecipeError
from ...base.hashing import derive_seed
from ...base.pair_ids import MOST_PAIRS
from ...base.paths import FilePath, WrittenPath
from ...filters import SCORES
from ...filters.duplicates.exact import DuplicatesOf
from ...filters.given import GIVEN
from ...models.translation.translate_options import TranslateOptions
from ...transforms.bitexts.inputs import LANGUAGE, BitextInput
from .checks import cross_check, given_scores, primary_score
from .document import MAX_BYTES, Data, Place, read_yaml
from .evaluate_entries import AnyEvaluationEntry
from .overrides import apply_override
from .paraphraser_entries import AnyParaphraserTraining
from .problems import Problem, problems_of, recipe_error, shown
from .recipe_paths import located, public, resolve
from .score_entries import AnyScoreEntry, with_encoder, with_type
from .section import STRICT
from .train_entries import DEFAULT_OBJECTIVE, AnyTrainEntry, AnyTuning

# The scores of a recipe without a section `scores`: all that need no other files.
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


_NAMED = 3  # corpora in the default name of a release


class Ingest(BaseModel):
    """How input files are cut into parts, and which rows are rejected."""

    model_config = STRICT

    part_rows: Count = 10_000
    """Rows of a part, the unit of work; a part never spans two input files."""
    max_characters: Annotated[int, Bounds(1, 10**7, is_whole=True)] = 2_000
    """Rows with a longer side are rejected."""


class CandidateChoice(BaseModel):
    """Which candidates of the n-best list become translations."""

    model_config = STRICT

    order: str = "best"
    """The order in which the candidates are looked at: `best` first, `random`, or the name of a score, whose
    best value comes first. The first candidate for which `where` is true becomes the translation."""
    where: str = "true"
    """An SQL condition over scores of the recipe, which are measured on each candidate. A pair without a
    candidate that meets it has no translation. Scores of encoders cannot be used, here and in `order`."""
    seed: Seed | None = None
    """Seed of the random order; by default it follows from the recipe's seed."""
    keep: Annotated[int, Bounds(1, MOST_PAIRS, is_whole=True)] = 1
    """How many candidates are kept at most. Each is a pair of its own, with its own scores and deciles."""
    unlike: str = "true"
    """An SQL condition over scores that compare a translation with its reference. After the first candidate,
    only those are kept for which it is true with each kept one in the place of the reference."""

    @property
    def is_needed(self) -> bool:
        """Whether another candidate than the best may be chosen."""
        return self.order != "best" or self.where != "true" or self.keep > 1


class Duplicates(BaseModel):
    """Which pairs are duplicates; the columns `duplicate_of` and `duplicates` of the release."""

    model_config = STRICT

    of: DuplicatesOf = "reference"
    """The text that makes pairs duplicates: `reference`, `translation`, or `pair`, which is both."""
    keep: str | None = None
    """The score whose best pair is kept; by default the primary score. Equal pairs: the first pair_id."""
    similarity: Annotated[float, Bounds(0.5, 1, without=frozenset((1,)))] | None = None
    """Jaccard similarity of character trigrams above which texts count as the same; by default all words must
    be."""
    against: tuple[FilePath, ...] = ()
    """Releases, Parquet and text files; a pair with one of their texts is a duplicate. By default none."""


class Selection(BaseModel):
    """Which pairs are selected; a boolean column of the release."""

    model_config = STRICT

    where: str = "true"
    """An SQL condition over the columns of scores, deciles and provenance; null is not selected."""
    sample: Pairs | None = None
    """Take a sample of this many of them, by seeded hash, or all if there are fewer; by default all."""
    seed: Seed | None = None
    """Seed of the sample; by default it follows from the recipe's seed and the selection's name."""


class ReleaseOptions(BaseModel):
    """The published Parquet corpus: what it is called, and its layout."""

    model_config = STRICT

    name: str | None = Field(default=None, min_length=1, max_length=200)
    """Its title, in the dataset card and in the report; by default the names of the corpora."""
    description: str | None = Field(default=None, max_length=5_000)
    """What it is, in a few sentences below the title; by default nothing."""
    authors: tuple[str, ...] = ()
    """Who made it, for the citation; by default nobody."""
    model_licences: dict[str, str] = {}
    """Licences of models, by `translate` or the name of the entry that uses the model; by default none."""
    primary_score: str | None = None
    """The score whose deciles order the files; by default paraphrase_similarity, or else the first column of
    the release that has deciles."""
    rows_per_file: Count = 500_000
    """The most rows of a file; a file joins consecutive parts."""


def _names_its_kind(schema: dict[str, Any]) -> None:
    """Change a section's schema so that an entry whose key is the name of a kind may leave out the kind."""
    entry = schema["additionalProperties"]
    kinds = entry["discriminator"]
    schema["additionalProperties"] = {**entry, "required": [kinds["propertyName"]]}
    schema["properties"] = {
        name: {"anyOf": [{"$ref": kind}, schema["additionalProperties"]]}
        for name, kind in kinds["mapping"].items()
    }


def _scores_schema(schema: dict[str, Any]) -> None:
    """As `_names_its_kind`; an entry whose key is a measure's name may also be empty if it needs no key."""
    _names_its_kind(schema)
    for name, entry in schema["properties"].items():
        if all(key.default is not MISSING for key in fields(SCORES[name])):
            entry["anyOf"].append({"type": "null"})
    schema["default"] = {name: {} for name in DEFAULT_SCORES}


class Recipe(BaseModel):
    """Everything a run needs; every key has a default except `bitext` and the model of `translate`."""

    model_config = STRICT

    workspace: WrittenPath = "work"
    """The folder for all datasets of this run; any fsspec URL."""
    seed: Seed = 1
    """Seeds that are not given follow from this one and the stage's name."""
    bitext: tuple[BitextInput, ...] = Field(min_length=1)
    """The inputs: sentences with their human English and, if they exist already, with translations."""
    ingest: Ingest = Ingest()
    """How the inputs are read."""
    translate: TranslateOptions = TranslateOptions()
    """How the sources are translated."""
    choose: CandidateChoice = CandidateChoice()
    """Which of the stored candidates becomes the translation."""
    scores: dict[str, AnyScoreEntry] = Field(default={}, json_schema_extra=_scores_schema)
    """One column per entry: its name, the measure (`score`, if it differs) and the measure's parameters."""
    duplicates: Duplicates | None = None
    """Which pairs are duplicates of others; by default none are looked for."""
    tune: dict[str, AnyTuning] = {}
    """Searches for the range of a score whose pairs make the best training data."""
    select: dict[str, Selection] = {}
    """One boolean column of the release per entry: which pairs it selects."""
    release: ReleaseOptions = ReleaseOptions()
    """How the corpus is published."""
    train: dict[str, AnyTrainEntry] = {}
    """Encoders to train on selections, or on examples with labels or scores."""
    paraphraser: dict[str, AnyParaphraserTraining] = {}
    """Models that paraphrase sentences, to train on selections."""
    evaluate: dict[str, AnyEvaluationEntry] = Field(default={}, json_schema_extra=_names_its_kind)
    """Encoders to evaluate, and how."""

    def translate_options(self, entry: BitextInput) -> TranslateOptions:
        """How an input is translated: as `translate` says, by the input's own model if it has one."""
        return self.translate if entry.model is None else replace(self.translate, model=entry.model)

    _folder: str = PrivateAttr(".")
    _as_written: "Recipe | None" = PrivateAttr(None)

    @classmethod
    def load(cls, path: str | Path, overrides: Sequence[str] = ()) -> "Recipe":
        """Read and check a recipe file.

        overrides: texts `key.key=value`, with the value in YAML and list items by index from 0:
        `translate.beam=5`, `bitext.0.domain=news`. RecipeError lists all mistakes.
        """
        path = Path(path)
        try:
            text = read_document(path, MAX_BYTES).decode()
        except OSError as error:
            raise RecipeError(f"cannot read the recipe {path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            message = f"{path}: expected UTF-8, got other bytes at position {error.start}{_advice(path)}"
            raise RecipeError(message) from None
        except ValueError as error:
            raise RecipeError(f"cannot read the recipe {path}: {error}{_advice(path)}") from None
        if _advice(path) and "\t" in text.partition("\n")[0]:
            raise RecipeError(f"{path}: expected a recipe, got columns between tabs{_advice(path)}")
        return cls.from_yaml(text, overrides, name=str(path), folder=path.parent)

    @classmethod
    def from_yaml(
        cls, text: str, overrides: Sequence[str] = (), *, name: str = "recipe", folder: str | Path = "."
    ) -> "Recipe":
        """Like `load`, for a text. name: how errors call it. folder: where relative paths start."""
        document = read_yaml(text, name)
        lines = {place: f"{name}:{line}" for place, line in document.lines.items()}
        data = {} if document.data is None else document.data
        if not isinstance(data, dict):
            raise RecipeError(f"{name}: expected keys with values, such as `bitext:`, got {shown(data)}")
        for override in overrides:
            if override.startswith("scores.") and data.get("scores") is None:
                # Setting a parameter of one default score must not remove the other default scores.
                data["scores"] = {score: {} for score in DEFAULT_SCORES}
            apply_override(data, lines, override)
        return cls._checked(data, lines, name, os.path.realpath(folder))

    @classmethod
    def _checked(cls, data: dict[str, Data], lines: Mapping[Place, str], name: str, folder: str) -> "Recipe":
        data = _filled(data)
        problems: list[Problem] = []
        recipe = None
        try:
            recipe = cls.model_validate_json(json.dumps(data))
        except ValidationError as error:
            problems = problems_of(error, data, cls.model_json_schema)
        # What a misspelt key would have said is not missing.
        misspelt = [(*problem.place[:-1], problem.meant) for problem in problems if problem.meant]
        consequences = cross_check(data, [problem.place for problem in problems])
        problems += [
            problem
            for problem in consequences
            if not any(problem.place[: len(place)] == place for place in misspelt)
        ]
        if problems or recipe is None:
            raise recipe_error(problems, lines, name)
        recipe._folder = folder
        return recipe

    def path(self, path: str) -> str:
        """A path of the recipe, resolved from the recipe's folder; URLs stay as they are."""
        return resolve(path, self._folder)

    def located(self) -> "Recipe":
        """The same recipe with every path resolved by `path`, including the workspace."""
        if self._as_written is not None:
            return self
        recipe = located(self, self._folder)
        recipe._folder, recipe._as_written = self._folder, self
        return recipe

    def canonical(self) -> dict[str, Data]:
        """A valid recipe with every default filled in, and paths as they were written."""
        return self._filled_in(self._as_written or self)

    def published(self) -> dict[str, Data]:
        """Like `canonical`, but the paths say nothing about this machine: see `public_path`."""
        return self._filled_in(public(self._as_written or self))

    def _filled_in(self, written: "Recipe") -> dict[str, Data]:
        data = written.model_dump(mode="json")
        data["release"]["primary_score"] = self.primary_score
        return data

    @property
    def primary_score(self) -> str:
        """The score whose deciles order the release."""
        default = primary_score([name for name, measure in self.scores.items() if measure.has_deciles])
        assert default is not None, "the recipe was checked"
        return self.release.primary_score or default

    @property
    def release_name(self) -> str:
        """The title of the release and of the report."""
        names = [entry.corpus for entry in self.bitext]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return self.release.name or ", ".join(names[:_NAMED]) + more

    @property
    def keep_score(self) -> str:
        """The score that says which pair is kept of several duplicates."""
        return (self.duplicates and self.duplicates.keep) or self.primary_score

    def seed_of(self, stage: str, given: int | None = None) -> int:
        """The seed of a stage: the given one, or one derived from the recipe's seed and the stage's name."""
        return derive_seed(self.seed, stage) if given is None else given


def _advice(path: Path) -> str:
    """What to do with a file that is no recipe; empty if it is named like one."""
    is_recipe = path.suffix in (".yaml", ".yml", ".json") or not path.is_file()
    return "" if is_recipe else f"; to make a recipe for a bitext or for pairs: paranmt init {path}"


def _filled(data: dict[str, Data]) -> dict[str, Data]:
    """The data with a section for each key without a value, and the default scores if there is no section.

    Entries of `bitext` without a `reference_language` get `translate.target_language`, if that is given.
    An entry of `scores` that names no measure, and one of `evaluate` without a kind, get the one with their
    own name; scores that come with inputs get an entry. An encoder to train gets the default type, and its
    training the default objective. Entries are put into an order of their own, because that of a recipe's
    keys means nothing.
    """
    filled: dict[str, Data] = {key: value for key, value in data.items() if value is not None}
    filled.setdefault("scores", {name: {} for name in DEFAULT_SCORES})
    given = given_scores(filled)
    if isinstance(filled["scores"], dict):
        filled["scores"] = {**{name: {} for name in given}, **filled["scores"]}

    def trained(name: str, entry: dict[str, Data]) -> dict[str, Data]:
        return {**entry, "encoder": with_type(entry.get("encoder", {}))}

    fill: dict[str, Callable[[str, dict[str, Data]], dict[str, Data]]] = {
        "scores": lambda name, entry: with_encoder(
            {"score": GIVEN if name in given and name not in SCORES else name, **entry}
        ),
        "select": lambda name, entry: entry,
        "tune": trained,
        "train": lambda name, entry: trained(name, {"objective": DEFAULT_OBJECTIVE, **entry}),
        "evaluate": lambda name, entry: {"kind": name, **entry},
    }
    for section, filled_entry in fill.items():
        entries = filled.get(section)
        if isinstance(entries, dict):
            done = {
                name: filled_entry(name, entry) if isinstance(entry, dict) else entry
                for name, entry in ((name, {} if entry is None else entry) for name, entry in entries.items())
            }
            filled[section] = dict(sorted(done.items(), key=_place))
    translate, bitext = filled.get("translate"), filled.get("bitext")
    target = translate.get("target_language") if isinstance(translate, dict) else None
    if isinstance(target, str) and LANGUAGE.fullmatch(target) and isinstance(bitext, list):
        default = {"reference_language": target}
        filled["bitext"] = [{**default, **entry} if isinstance(entry, dict) else entry for entry in bitext]
    return filled


def _place(item: tuple[str, Data]) -> tuple[int, str]:
    """The place of an entry in its section: scores by measure, as `SCORES` has them, then all by name.

    The order in which a recipe names entries must not decide about columns, keys and the primary score.
    """
    name, entry = item
    measure = entry.get("score") if isinstance(entry, dict) else None
    measures = list(SCORES)
    return measures.index(str(measure)) if str(measure) in measures else -1, str(name)
