"""The stages of a recipe, in order: what each is made of, and the work that makes it.

    ingest → translate (→ choose) → model/<score> → score/<score> → deciles/<score>
           → fingerprints → links → groups → duplicates → select/<name>
           → release → train/<name> → evaluate/<name> → report

Nothing here reads a dataset. A stage's key is a hash of its ingredients and of the keys of the stages that
it reads, so all keys are known as soon as the input files have been cut into parts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import pyarrow as pa

from .. import columns
from ..filters.duplicates import sides
from ..filters.score import Score
from ..filters.where import Where
from ..hashing import derive_seed
from ..models.encoders.kinds import folder_wants_gpu
from ..models.training.options import resolve_device
from ..models.translation.engines import model_files, resolve
from ..models.translation.options import TranslateOptions
from ..transforms.choose import ChoosePart
from ..transforms.dataset import Entry, part_file
from ..transforms.duplicates import (
    FindGroups,
    FindLinks,
    JoinLinks,
    MakeFingerprints,
    MarkDuplicates,
    count_buckets,
)
from ..transforms.evaluate import EvaluateEncoder
from ..transforms.model_kinds import measures_candidates, model_kind_of
from ..transforms.model_kinds.kind import TrainingData
from ..transforms.release import ReleaseFile, ReleaseUnit
from ..transforms.release_files import plan_release_files
from ..transforms.score import INGEST_COLUMNS, TRANSLATE_COLUMNS, ScorePart
from ..transforms.select import SelectPart
from ..transforms.single_job import SingleJob, home
from ..transforms.train import TrainEncoder, training_ingredients
from ..transforms.translate import TranslatePart
from ..transforms.work import Unit, Work
from .keys import digest
from .recipe.paths import paths_of
from .recipe.recipe import Duplicates, Recipe
from .stage_kinds import KINDS, kind_name, kind_of, stage_folder


@dataclass(frozen=True)
class Stage:
    """One stage of one recipe.

    needs: the stages that it reads. key: the key of its whole result. ingredients: what the key is made of
    besides the keys of the stages that it reads. folder: where its files, its manifests and run.json are.
    units: one per file, in order; a single one if the stage is a single job. rows: the number of pairs
    that it processes. on_workers: whether it is a single job that is done on a worker. gpu: whether each
    unit needs a GPU for itself.
    """

    name: str
    needs: tuple[str, ...]
    key: str
    ingredients: dict[str, object]
    folder: str
    units: tuple[Unit | ReleaseUnit, ...]
    work: Work | SingleJob | None = None
    rows: int = 0
    on_workers: bool = False
    gpu: bool = False

    @property
    def kind(self) -> str:
        """`score` of `score/perplexity`."""
        return kind_name(self.name)

    @property
    def is_single_job(self) -> bool:
        """Whether the stage is a single job."""
        return KINDS[self.kind].is_single_job

    @property
    def label(self) -> str:
        """`perplexity` of `score/perplexity`."""
        return self.name.partition("/")[2]

    def file(self, position: int) -> str:
        """The file of one unit."""
        unit = self.units[position]
        return part_file(self.folder, unit.part, unit.key)

    @property
    def cuts_file(self) -> str:
        """The file with the cuts of a stage of deciles."""
        return f"{self.folder}/_manifests/{self.key}.cuts.json"

    @property
    def built(self) -> str:
        """The folder in the workspace that a single job made."""
        return f"{self.folder}/{self.key}"


@dataclass(frozen=True)
class Gpus:
    """Whether the driver and the workers have GPUs; None: ask this machine."""

    driver: bool | None = None
    workers: bool | None = None


@dataclass(frozen=True)
class Context:
    """What stages are planned from: the recipe, the known parts of `ingest`, a hash of files, and GPUs.

    inputs: for each input file, how the names of its parts begin, and how its pair_ids do.
    """

    recipe: Recipe
    inputs: Mapping[str, str]
    entries: tuple[Entry, ...]
    ingest_key: str
    hash_files: Callable[[Sequence[str]], str]
    gpus: "Gpus"


def plan_stages(context: Context) -> list[Stage]:
    """Every stage after `ingest`, in order."""
    recipe = context.recipe
    ingest = _ingest(context)
    translate = _translate(context, ingest)
    stages = {"ingest": ingest, "translate": translate}
    if recipe.choose.is_needed:
        _add(stages, _choose(context, stages))
    for column, measure in recipe.scores.items():
        if measure.trained_on() is not None and f"model/{column}" not in stages:
            _add(stages, _model(context, column, measure, stages))
        _add(stages, _score(context, column, measure, stages))
    for column in recipe.scores:
        _add(stages, _deciles(context, stages[f"score/{column}"]))
    if recipe.duplicates is not None:
        _add_duplicates(stages, context, recipe.duplicates)
    for name in recipe.select:
        _add(stages, _select(context, name, stages))
    _add(stages, _release(context, stages))
    for name in recipe.train:
        _add(stages, _train(context, name, stages))
    for name in recipe.evaluate:
        _add(stages, _evaluate(context, name, stages))
    _add(stages, _report(context, stages))
    return sorted(stages.values(), key=lambda stage: _place(stage, stages))


def _place(stage: Stage, stages: Mapping[str, Stage]) -> float:
    """The place of a stage in the order; a model by which translations are chosen is trained before that."""
    order = list(KINDS)
    place = order.index(stage.kind)
    if "choose" in stages and stage.name in stages["choose"].needs:
        return min(place, order.index("choose") - 0.5)
    return place


def _add(stages: dict[str, Stage], stage: Stage) -> None:
    stages[stage.name] = stage


def _ingest(context: Context) -> Stage:
    units = tuple(Unit(entry.part, entry.key, ()) for entry in context.entries)
    rows = sum(entry.rows for entry in context.entries)
    return Stage("ingest", (), context.ingest_key, {}, "ingest", units, rows=rows)


def _parts_stage(
    name: str,
    inputs: Sequence[Stage],
    ingredients: Mapping[str, object],
    work: Work | None,
    own: Callable[[str], Mapping[str, object]] | None = None,
    whole: Sequence[Stage] = (),
) -> Stage:
    """A stage with the parts of its `inputs`.

    own: a part's ingredients, if they differ from the stage's. whole: stages that are read as a whole (a
    model; all parts of the scores that deciles rank).
    """
    of_whole = {stage.name: stage.key for stage in whole}
    units = []
    for position, first in enumerate(inputs[0].units):
        part = first.part
        same = [stage.units[position].key for stage in inputs]
        made_of = own(part) if own else ingredients
        key = digest(kind_name(name), kind_of(name).version, made_of, of_whole, same)
        files = tuple((stage.name, stage.file(position)) for stage in inputs)
        units.append(Unit(part, key, files))
    everything = {**ingredients, **{stage.name: stage.key for stage in (*inputs, *whole)}}
    needs = tuple(dict.fromkeys(stage.name for stage in (*inputs, *whole)))
    key = digest(name, [unit.key for unit in units])
    return Stage(name, needs, key, everything, name, tuple(units), work, inputs[0].rows)


def _single_job_stage(
    name: str,
    needs: Sequence[Stage],
    ingredients: Mapping[str, object],
    work: SingleJob | None,
    rows: int = 0,
    on_workers: bool = False,
    gpu: bool = False,
) -> Stage:
    """A stage that is a single job over whole datasets."""
    everything = {**ingredients, **{stage.name: stage.key for stage in needs}}
    key = digest(kind_name(name), kind_of(name).version, everything)
    names = tuple(stage.name for stage in needs)
    unit = Unit("", key, ())
    return Stage(name, names, key, everything, stage_folder(name), (unit,), work, rows, on_workers, gpu)


# Options that change no translation, and the only options that change the log-probability of a given one.
_NOT_SEARCHED = frozenset(("score_existing", "force_precision"))
_SCORED_BY = ("model", "engine", "device", "precision", "batch_tokens")


def _translate(context: Context, ingest: Stage) -> Stage:
    recipe = context.recipe
    existing = frozenset(entry.corpus for entry in recipe.bitext if entry.translation)
    options: TranslateOptions | None = None
    model_hash: str | None = None
    ingredients: dict[str, object] = {"version": KINDS["translate"].version}
    scored: dict[str, object] = {"existing": True}
    if recipe.translate.score_existing or any(entry.corpus not in existing for entry in recipe.bitext):
        options = resolve(recipe.translate, context.gpus.workers)
        model_hash = context.hash_files(model_files(options))
        made_of = {**asdict(options), "model": model_hash}
        if options.search is None:
            del made_of["search"]  # parts that were made before this key existed must stay fresh
        ingredients |= {name: made_of[name] for name in made_of if name not in _NOT_SEARCHED}
        if options.score_existing and existing:
            scored |= {name: made_of[name] for name in _SCORED_BY}
            ingredients["score_existing"] = True

    def own(part: str) -> Mapping[str, object]:
        if part.split("/")[0] in existing:
            return scored
        return {name: value for name, value in ingredients.items() if name != "score_existing"}

    work = TranslatePart(options, existing, model_hash=model_hash)
    stage = _parts_stage("translate", [ingest], ingredients, work, own)
    return replace(stage, gpu=options is not None and options.device == "cuda")


def _choose(context: Context, stages: dict[str, Stage]) -> Stage:
    """The stage that chooses translations. Adds the stages of the models that it needs."""
    recipe, choice = context.recipe, context.recipe.choose
    existing = frozenset(entry.corpus for entry in recipe.bitext if entry.translation)
    measures = {column: score for column, score in recipe.scores.items() if measures_candidates(score)}
    where = Where.parse(choice.where, {column: measure.dtype for column, measure in measures.items()})
    used = sorted(where.columns | ({choice.order} & measures.keys()))
    models, scores, made_of = [], [], {}
    for column in used:
        if measures[column].trained_on() is not None:
            _add(stages, _model(context, column, measures[column], stages))
            models.append(stages[f"model/{column}"])
        score, made_of[column] = _measuring(context, column, measures[column], stages)
        scores.append(score)
    ingredients: dict[str, object] = {
        "order": choice.order,
        "where": where.canonical,
        "scores": made_of,
    }
    seed = recipe.seed_of("choose", choice.seed)
    if choice.order == "random":
        ingredients["seed"] = seed

    def own(part: str) -> Mapping[str, object]:
        return {"existing": True} if part.split("/")[0] in existing else ingredients

    work = ChoosePart(choice.order, seed, where, tuple(scores), existing)
    inputs = [stages["ingest"], stages["translate"]]
    return _parts_stage("choose", inputs, ingredients, work, own, models)


def _translations(stages: Mapping[str, Stage]) -> Stage:
    """The stage with the translation of each pair."""
    return stages.get("choose", stages["translate"])


def _model(context: Context, column: str, measure: Score, stages: Mapping[str, Stage]) -> Stage:
    name = f"model/{column}"
    kind = model_kind_of(measure)
    assert kind is not None and kind.training is not None, "what is trained is a model of a kind"
    datasets = {
        "ingest": stages["ingest"],
        "translate": _translations(stages),
        "candidates": stages["translate"],
    }
    training = kind.training(TrainingData(name, context.recipe.seed, _files(datasets)), measure)
    inputs = [stage for dataset, stage in datasets.items() if dataset in training.reads]
    return _single_job_stage(name, inputs, training.ingredients, training.work, stages["ingest"].rows)


def _files(datasets: Mapping[str, Stage]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """For each part, its file in each dataset."""
    return tuple(
        tuple((dataset, stage.file(position)) for dataset, stage in datasets.items())
        for position in range(len(datasets["ingest"].units))
    )


def _score(context: Context, column: str, measure: Score, stages: Mapping[str, Stage]) -> Stage:
    name = f"score/{column}"
    model = stages.get(f"model/{column}")
    kind = model_kind_of(measure)
    holds_out = model is not None and kind is not None and kind.holds_out
    reads = {*measure.reads, *(("reference",) if holds_out else ())}
    inputs = []
    if reads & INGEST_COLUMNS:
        inputs.append(stages["ingest"])
    if reads & TRANSLATE_COLUMNS:
        inputs.append(_translations(stages))
    work, ingredients = _measuring(context, column, measure, stages)
    stage = _parts_stage(name, inputs, ingredients, work, whole=[model] if model else [])
    return replace(stage, gpu=work.device == "cuda")


def _measuring(
    context: Context, column: str, measure: Score, stages: Mapping[str, Stage]
) -> tuple[ScorePart, dict[str, object]]:
    """The work that measures a score, and its ingredients."""
    model = stages.get(f"model/{column}")
    hashes = {path: context.hash_files([path]) for path in measure.files()}
    kind = model_kind_of(measure)
    parameters = _without_paths(asdict(measure) if kind is None else kind.parameters(measure), hashes)
    del parameters["score"]  # the class's name already identifies the score
    ingredients = {"measure": type(measure).__name__, "version": measure.version, **parameters}
    device = "cpu"
    if kind is not None and kind.wants_gpu(measure):
        device = resolve_device("auto", context.gpus.workers)
        ingredients |= _of_device(device)
    model_hash = context.hash_files(measure.files()) if hashes else None
    built = model.built if model else None
    return ScorePart(f"score/{column}", column, measure, built, model_hash, device), ingredients


def _of_device(device: str) -> dict[str, object]:
    """What a key says of the device on which an encoder works; nothing of the CPU, as older keys do."""
    return {} if device == "cpu" else {"device": device}


def _without_paths(value: object, hashes: Mapping[str, str]) -> dict[str, object]:
    """The parameters, with each path replaced by the hash of the file or folder there."""

    def replaced(item: object) -> object:
        if isinstance(item, dict):
            return {key: replaced(inner) for key, inner in item.items()}
        if isinstance(item, list | tuple):
            return [replaced(inner) for inner in item]
        return hashes.get(item, item) if isinstance(item, str) else item

    result = replaced(value)
    assert isinstance(result, dict)
    return result


def _deciles(context: Context, score: Stage) -> Stage:
    seed = derive_seed(context.recipe.seed, "deciles")
    return _parts_stage(f"deciles/{score.label}", [score], {"seed": seed}, None, whole=[score])


def _add_duplicates(stages: dict[str, Stage], context: Context, options: Duplicates) -> None:
    """The stages that find duplicates; see `transforms.duplicates`."""
    keep = context.recipe.keep_score
    reads = {"reference": stages["ingest"], "translation": _translations(stages)}
    inputs = [reads[side] for side in sides(options.of)] + [stages[f"score/{keep}"]]
    higher, similarity = context.recipe.scores[keep].higher_is_better, options.similarity
    ingredients = {"of": options.of, "keep": keep, "higher_is_better": higher, "similarity": similarity}
    work = MakeFingerprints("fingerprints", options.of, keep, higher, similarity)
    fingerprints = _parts_stage("fingerprints", inputs, ingredients, work)
    _add(stages, fingerprints)
    names = sorted(set(context.inputs.values()))
    numbers = [names.index(context.inputs[unit.part.rpartition("-")[0]]) for unit in fingerprints.units]
    buckets = count_buckets(fingerprints.rows, similarity)
    files = tuple((number, fingerprints.file(position)) for position, number in enumerate(numbers))
    made_of = {"buckets": buckets, "inputs": digest(numbers)}
    if similarity is None:
        groups = _whole_stage("groups", fingerprints, made_of, FindGroups("groups", files, buckets), buckets)
    else:
        find = FindLinks("links", files, buckets, similarity)
        links = _whole_stage("links", fingerprints, made_of, find, buckets)
        _add(stages, links)
        groups = _whole_stage("groups", links, {}, JoinLinks("groups", _stage_files(links)), 1)
    _add(stages, groups)
    mark = MarkDuplicates("duplicates", tuple(names), _stage_files(groups))
    _add(stages, _parts_stage("duplicates", [stages["ingest"]], {"inputs": names}, mark, whole=[groups]))


def _whole_stage(name: str, read: Stage, made_of: Mapping[str, object], work: Work, units: int) -> Stage:
    """A stage whose units each read all parts of another stage."""
    keys = [unit.key for unit in read.units]
    version = KINDS[name].version
    numbered = tuple(
        Unit(f"{number:05d}", digest(name, version, made_of, keys, number), ()) for number in range(units)
    )
    key = digest(name, [unit.key for unit in numbered])
    return Stage(name, (read.name,), key, {**made_of, read.name: read.key}, name, numbered, work, read.rows)


def _stage_files(stage: Stage) -> tuple[str, ...]:
    return tuple(stage.file(position) for position in range(len(stage.units)))


def _select(context: Context, name: str, stages: Mapping[str, Stage]) -> Stage:
    selection = context.recipe.select[name]
    where = Where.parse(selection.where, selection_columns(context.recipe))
    inputs = [stages["ingest"]]
    for column in context.recipe.scores:
        for stage, wanted in (
            (f"score/{column}", column),
            (f"deciles/{column}", columns.decile_name(column)),
        ):
            if wanted in where.columns:
                inputs.append(stages[stage])
    if not where.columns.isdisjoint(column.name for column in columns.DUPLICATE_FACTS):
        inputs.append(stages["duplicates"])
    provenance = provenance_of(context.recipe)
    named = sorted(where.columns & {"corpus", "domain", "licence", "source_language"})
    ingredients: dict[str, object] = {"where": where.canonical, "sample": selection.sample}
    if selection.sample is not None:
        seed = derive_seed(context.recipe.seed, f"select/{name}")
        ingredients["seed"] = selection.seed if selection.seed is not None else seed
    work = SelectPart(f"select/{name}", name, where, provenance)

    def own(part: str) -> Mapping[str, object]:
        return {**ingredients, "provenance": [provenance[part.split("/")[0]][column] for column in named]}

    whole = inputs if selection.sample is not None else []
    return _parts_stage(f"select/{name}", inputs, ingredients, work, own, whole)


def selection_columns(recipe: Recipe) -> dict[str, pa.DataType]:
    """The columns that a selection's `where` may name, with their types."""
    types = {column.name: column.type for column in columns.PROVENANCE}
    for name, measure in recipe.scores.items():
        types[name] = measure.dtype
        types[columns.decile_name(name)] = columns.decile_column(name).type
    if recipe.duplicates is not None:
        types |= {column.name: column.type for column in columns.DUPLICATE_FACTS}
    return types


def provenance_of(recipe: Recipe) -> dict[str, dict[str, str | None]]:
    """The values that all pairs of a corpus share: corpus → column → value."""
    return {
        entry.corpus: {
            "corpus": entry.corpus,
            "domain": entry.domain,
            "licence": entry.licence,
            "source_language": entry.source_language,
        }
        for entry in recipe.bitext
    }


def _release(context: Context, stages: Mapping[str, Stage]) -> Stage:
    recipe = context.recipe
    held_out = [stage for stage in stages.values() if stage.kind == "model" and _holds_out(recipe, stage)]
    datasets = [stage for stage in stages.values() if KINDS[stage.kind].in_release]
    primary = recipe.primary_score
    corpora = provenance_of(recipe)
    ingredients: dict[str, object] = {
        "primary_score": primary,
        "rows_per_file": recipe.release.rows_per_file,
        "columns": [*recipe.scores, *recipe.select],
        "corpora": corpora,
    }
    models = {stage.name: stage.key for stage in held_out}
    position_of = {entry.part: position for position, entry in enumerate(context.entries)}
    groups = plan_release_files([(e.part, e.rows) for e in context.entries], recipe.release.rows_per_file)
    units = []
    for number, group in enumerate(groups):
        keys = [[stage.units[position_of[part]].key for stage in datasets] for part in group]
        key = digest("release", KINDS["release"].version, ingredients, models, keys)
        files = tuple(tuple((s.name, s.file(position_of[part])) for s in datasets) for part in group)
        units.append(ReleaseUnit(f"{number:05d}", key, tuple(group), files))
    work = ReleaseFile(
        home("release"),
        tuple(recipe.scores.items()),
        tuple((name, selection.where) for name, selection in recipe.select.items()),
        primary,
        recipe.translate.keep_candidates > 0,
        recipe.choose.is_needed,
        recipe.duplicates is not None,
        corpora,
        tuple(stage.built for stage in held_out),
    )
    everything = {**ingredients, **{stage.name: stage.key for stage in (*datasets, *held_out)}}
    key = digest("release", everything, [unit.key for unit in units])
    needs = tuple(stage.name for stage in (*datasets, *held_out))
    return Stage(
        "release", needs, key, everything, home("release"), tuple(units), work, stages["ingest"].rows
    )


def _holds_out(recipe: Recipe, model: Stage) -> bool:
    kind = model_kind_of(recipe.scores[model.label])
    return kind is not None and kind.holds_out


def _train(context: Context, name: str, stages: Mapping[str, Stage]) -> Stage:
    training = context.recipe.train[name]
    options = training.options(derive_seed(context.recipe.seed, f"train/{name}"))
    selection = stages[f"select/{training.selection}"]
    datasets = {"ingest": stages["ingest"], "translate": _translations(stages), "select": selection}
    on_workers = training.run_on == "workers"
    vectors = context.hash_files([options.vectors]) if options.vectors else None
    start = context.hash_files([options.start]) if options.start else None
    has_gpu = context.gpus.workers if on_workers else context.gpus.driver
    how = training_ingredients(options, vectors, has_gpu, start)
    work = TrainEncoder(home(f"train/{name}"), _files(datasets), training.selection, options, vectors, start)
    made_of = {"selection": training.selection, **how}
    gpu = on_workers and how["device"] == "cuda"
    return _single_job_stage(
        f"train/{name}", tuple(datasets.values()), made_of, work, selection.rows, on_workers, gpu
    )


def _evaluate(context: Context, name: str, stages: Mapping[str, Stage]) -> Stage:
    entry = context.recipe.evaluate[name]
    evaluation = entry.evaluation()
    hashes = {path: context.hash_files([path]) for _, path in paths_of(evaluation)}
    options = _without_paths(asdict(evaluation), hashes)
    made_of = {**options, "kind": entry.kind, "version": evaluation.version}
    stage, read = home(f"evaluate/{name}"), tuple(hashes.items())
    if isinstance(entry.encoder, str):
        trained = stages[f"train/{entry.encoder}"]
        wants_gpu = context.recipe.train[entry.encoder].encoder.wants_gpu
        device = resolve_device("auto", context.gpus.driver) if wants_gpu else "cpu"
        work = EvaluateEncoder(stage, evaluation, read, trained.built, True, device=device)
        return _single_job_stage(f"evaluate/{name}", [trained], {**made_of, **_of_device(device)}, work)
    path = entry.encoder.path
    encoder = context.hash_files([path])
    device = resolve_device("auto", context.gpus.driver) if folder_wants_gpu(path) else "cpu"
    work = EvaluateEncoder(stage, evaluation, read, path, False, encoder, device)
    made_of |= {"encoder": encoder, **_of_device(device)}
    return _single_job_stage(f"evaluate/{name}", [], made_of, work)


def _report(context: Context, stages: Mapping[str, Stage]) -> Stage:
    needs = [stage for stage in stages.values() if KINDS[stage.kind].in_report]
    return _single_job_stage("report", needs, {}, None, stages["ingest"].rows)
