"""The stages of a recipe, in order: what each is made of, and the work that makes it.

    ingest → translate (→ choose) → model/<score> → score/<score> → deciles/<score>
           → pool/<name> → trials/<name> → fresh/<name> → tune/<name>
           → fingerprints → links → groups → duplicates → select/<name>
           → release → train/<name> → evaluate/<name> → report

Nothing here reads a dataset. A stage's key is a hash of its ingredients and of the keys of the stages that
it reads, so all keys are known as soon as the input files have been cut into parts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import pyarrow as pa

from ..base import dataset_columns
from ..base.errors import RecipeError
from ..base.hashing import derive_seed
from ..filters.contamination import Contamination
from ..filters.duplicates.exact import sides
from ..filters.score import Score
from ..filters.where.condition import Where
from ..filters.where.ranges import ALL_PAIRS, ScoreRange, decile_ranges, paper_ranges
from ..models.encoders.encoder_kinds import folder_wants_gpu
from ..models.evaluation.evaluation import Evaluation, SentenceEvaluation
from ..models.sts.development_sets import development_files
from ..models.training.train_options import ARITHMETIC, resolve_device
from ..models.translation.engines import model_files, resolve
from ..models.translation.translate_options import TranslateOptions
from ..transforms.beam.single_job import SingleJob, home
from ..transforms.beam.work import Unit, Work
from ..transforms.model_kinds import measures_candidates, model_kind_of
from ..transforms.model_kinds.kind import TrainingData
from ..transforms.storage.dataset import Entry, part_file
from ..transforms.storage.release_files import plan_release_files
from ..transforms.works.candidate_choice import ChoosePart
from ..transforms.works.contaminated import ContaminatedPairs
from ..transforms.works.duplicate_groups import (
    FindGroups,
    FindLinks,
    JoinLinks,
    MakeFingerprints,
    MarkDuplicates,
    count_buckets,
)
from ..transforms.works.evaluating import EvaluateEncoder
from ..transforms.works.releasing import ReleaseFile, ReleaseUnit
from ..transforms.works.scoring import INGEST_COLUMNS, TRANSLATE_COLUMNS, ScorePart
from ..transforms.works.selecting import SelectPart
from ..transforms.works.training_encoders import InputHashes, TrainEncoder, dev_files, training_ingredients
from ..transforms.works.training_heads import FineTuneEncoder
from ..transforms.works.translating import TranslatePart
from ..transforms.works.trials import MakePool, RunFreshTrial, RunTrial
from .keys import digest
from .recipe.recipe import Duplicates, Recipe
from .recipe.recipe_paths import paths_of
from .recipe.train_entries import HeadTraining, Tuning
from .stage_kinds import KINDS, kind_name, kind_of, stage_folder
from .tuning.work import WriteTuning


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
    for column, measure in recipe.scores.items():
        if measure.has_deciles:
            _add(stages, _deciles(context, stages[f"score/{column}"]))
    for name in recipe.tune:
        _add_tuning(stages, context, name)
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
    data = TrainingData(name, context.recipe.seed, _files(datasets), _hashes(context, measure))
    training = kind.training(data, measure)
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
    hashes = _hashes(context, measure)
    kind = model_kind_of(measure)
    parameters = _without_paths(asdict(measure) if kind is None else kind.parameters(measure), hashes)
    del parameters["score"]  # the class's name already identifies the score
    ingredients = {"measure": type(measure).__name__, "version": measure.version, **parameters}
    device = "cpu"
    if kind is not None and kind.wants_gpu(measure):
        device = resolve_device("auto", context.gpus.workers)
        ingredients["device"] = device
    model_hash = context.hash_files(measure.files()) if hashes else None
    built = model.built if model else None
    return ScorePart(f"score/{column}", column, measure, built, model_hash, device), ingredients


def _hashes(context: Context, measure: Score) -> dict[str, str]:
    """The hash of each file or folder that the score names."""
    return {path: context.hash_files([path]) for path in measure.files()}


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


def _add_tuning(stages: dict[str, Stage], context: Context, name: str) -> None:
    """The stages that compare ranges of scores; see `transforms.tuning`."""
    recipe, entry = context.recipe, context.recipe.tune[name]
    ranges = tuned_ranges(entry, recipe.scores)
    seed = recipe.seed_of(f"tune/{name}", entry.seed)
    options = entry.options(seed)
    drawing: dict[str, object] = {"pool": entry.pool, "text": asdict(options.text), "seed": seed}
    texts = [stages["ingest"], _translations(stages)]
    pool = _pool(context, name, ranges, drawing, stages)
    _add(stages, pool)

    data = context.hash_files(development_files(entry.folders))
    vectors = context.hash_files([options.vectors]) if options.vectors else None
    training = training_ingredients(options, InputHashes(vectors), context.gpus.workers)
    made_of = {**drawing, **training, "pairs": entry.pairs, "data": data}
    options = replace(options, device=resolve_device(options.device, context.gpus.workers))
    work = (_stage_files(pool), entry.pairs, seed, options, entry.folders, data, vectors)

    def unit(part: ScoreRange, number: str) -> Unit:
        # What decides which pairs are in the range, and not the pool's key, so that comparing further scores
        # makes no finished trial stale.
        read = part.score and stages[_read_stage(part)].key
        key = digest(
            KINDS["trials"].version, made_of, [stage.key for stage in texts], part.where, read, number
        )
        return Unit(f"{part.key}/{number}", key, ())

    units = [unit(part, str(number)) for part in ranges for number in range(1, entry.seeds + 1)]
    trials = _trials_stage(f"trials/{name}", units, RunTrial(f"trials/{name}", *work), made_of, [pool])
    numbers = [f"fresh-{number}" for number in range(1, entry.fresh_seeds + 1)]
    units = [unit(ALL_PAIRS, number) for number in numbers]
    for score in dict.fromkeys(part.score for part in ranges if part.score):
        units += _fresh_units(score, numbers, trials)
    again = RunFreshTrial(f"fresh/{name}", *work)
    fresh = _trials_stage(f"fresh/{name}", units, again, made_of, [pool, trials])
    _add(stages, trials)
    _add(stages, fresh)
    bootstrap = derive_seed(seed, "bootstrap")
    write = WriteTuning(home(f"tune/{name}"), name, ranges, entry.pairs, trials.key, fresh.key, bootstrap)
    labels = {part.key: [part.label, part.where] for part in ranges}
    _add(stages, _single_job_stage(f"tune/{name}", [trials, fresh], {"ranges": labels}, write))


def _pool(
    context: Context,
    name: str,
    ranges: Sequence[ScoreRange],
    drawing: Mapping[str, object],
    stages: Mapping[str, Stage],
) -> Stage:
    recipe, entry = context.recipe, context.recipe.tune[name]
    seed = recipe.seed_of(f"tune/{name}", entry.seed)
    work = MakePool(
        f"pool/{name}",
        tuple(ranges),
        tuple(selection_columns(recipe).items()),
        tuple(provenance_of(recipe)),
        entry.text,
        entry.pool,
        derive_seed(seed, "pool"),
    )
    read = dict.fromkeys(_read_stage(part) for part in ranges if part.score)
    inputs = [stages["ingest"], _translations(stages), *(stages[stage] for stage in read)]
    ingredients = {**drawing, "ranges": {part.key: part.where for part in ranges}}
    return _parts_stage(work.stage, inputs, ingredients, work, whole=inputs[:1])


def _trials_stage(
    name: str, units: Sequence[Unit], work: RunTrial, made_of: Mapping[str, object], needs: Sequence[Stage]
) -> Stage:
    everything = {**made_of, "trials": [unit.part for unit in units]}
    everything |= {stage.name: stage.key for stage in needs}
    key = digest(kind_name(name), [unit.key for unit in units])
    passes, gpu = len(units) * work.pairs * work.options.epochs, made_of["device"] == "cuda"
    read = tuple(stage.name for stage in needs)
    return Stage(name, read, key, everything, name, tuple(units), work, passes, gpu=gpu)


def _fresh_units(score: str, numbers: Sequence[str], trials: Stage) -> list[Unit]:
    """The units that repeat the trials of the best range of a score with fresh seeds."""
    places = [place for place, unit in enumerate(trials.units) if unit.part.startswith(f"{score}/")]
    tried = tuple((trials.units[place].part, trials.file(place)) for place in places)
    keys = [trials.units[place].key for place in places]
    version = KINDS["fresh"].version
    return [Unit(f"{score}/{number}", digest(version, keys, number), tried) for number in numbers]


def tuned_ranges(entry: Tuning, scores: Mapping[str, Score]) -> tuple[ScoreRange, ...]:
    """The ranges that an entry of `tune` compares, after the range of all pairs.

    RecipeError for a score without any.
    """
    ranges = [ALL_PAIRS]
    for column in entry.scores or scores:
        by_decile = entry.ranges != "papers" and scores[column].has_deciles
        deciles = decile_ranges(column) if by_decile else ()
        bounds = paper_ranges(column, scores[column]) if entry.ranges != "deciles" else ()
        if entry.scores and not (deciles or bounds):
            reason = (
                "the papers compared no ranges of a score like {}; set ranges to deciles"
                if scores[column].has_deciles
                else "{} has no deciles and the papers compared no ranges of a score like it"
            )
            raise RecipeError(f"{reason.format(column)}, or leave it out of `scores`")
        ranges += [*deciles, *bounds]
    if len(ranges) == 1:
        raise RecipeError("the papers compared no ranges of scores like these; set ranges to deciles")
    return tuple(ranges)


def _read_stage(part: ScoreRange) -> str:
    return f"{'deciles' if part.by_decile else 'score'}/{part.score}"


def _add_duplicates(stages: dict[str, Stage], context: Context, options: Duplicates) -> None:
    """The stages that find duplicates; see `transforms.duplicates`."""
    keep = context.recipe.keep_score
    reads = {"reference": stages["ingest"], "translation": _translations(stages)}
    inputs = [reads[side] for side in sides(options.of)] + [stages[f"score/{keep}"]]
    higher, similarity = context.recipe.scores[keep].higher_is_better, options.similarity
    assert higher is not None, "the recipe was checked"
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
            (f"deciles/{column}", dataset_columns.decile_name(column)),
        ):
            if wanted in where.columns:
                inputs.append(stages[stage])
    if not where.columns.isdisjoint(column.name for column in dataset_columns.DUPLICATE_FACTS):
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
    types = {column.name: column.type for column in dataset_columns.PROVENANCE}
    for name, measure in recipe.scores.items():
        types[name] = measure.dtype
        if measure.has_deciles:
            types[dataset_columns.decile_name(name)] = dataset_columns.decile_column(name).type
    if recipe.duplicates is not None:
        types |= {column.name: column.type for column in dataset_columns.DUPLICATE_FACTS}
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
    ingredients: dict[str, object] = {
        "primary_score": primary,
        "rows_per_file": recipe.release.rows_per_file,
        "columns": [*recipe.scores, *recipe.select],
        "corpora": provenance_of(recipe),
    }
    models = {stage.name: stage.key for stage in held_out}
    made_of = ingredients | models | {s.name: digest([unit.key for unit in s.units]) for s in datasets}
    corpora = _with_hashes(provenance_of(recipe), recipe, stages["translate"], digest(made_of))
    position_of = {entry.part: position for position, entry in enumerate(context.entries)}
    groups = plan_release_files([(e.part, e.rows) for e in context.entries], recipe.release.rows_per_file)
    units = []
    for number, group in enumerate(groups):
        keys = [[stage.units[position_of[part]].key for stage in datasets] for part in group]
        key = digest("release", KINDS["release"].version, corpora, ingredients, models, keys)
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
        made_of,
        tuple(stage.built for stage in held_out),
    )
    everything = {**ingredients, **{stage.name: stage.key for stage in (*datasets, *held_out)}}
    key = digest("release", everything, [unit.key for unit in units])
    needs = tuple(stage.name for stage in (*datasets, *held_out))
    return Stage(
        "release", needs, key, everything, home("release"), tuple(units), work, stages["ingest"].rows
    )


def _with_hashes(
    corpora: Mapping[str, Mapping[str, str | None]], recipe: Recipe, translate: Stage, recipe_hash: str
) -> dict[str, dict[str, str | None]]:
    """The values that all pairs of a corpus share in the release, with the hashes of model and recipe."""
    model = str(translate.ingredients.get("model"))
    is_made = {entry.corpus: not entry.translation for entry in recipe.bitext}
    return {
        corpus: {
            **values,
            dataset_columns.TRANSLATION_MODEL_HASH.name: model if is_made[corpus] else None,
            dataset_columns.RECIPE_HASH.name: recipe_hash,
        }
        for corpus, values in corpora.items()
    }


def _holds_out(recipe: Recipe, model: Stage) -> bool:
    kind = model_kind_of(recipe.scores[model.label])
    return kind is not None and kind.holds_out


def _train(context: Context, name: str, stages: Mapping[str, Stage]) -> Stage:
    training = context.recipe.train[name]
    if isinstance(training, HeadTraining):
        return _train_head(context, name, training)
    options = training.options(derive_seed(context.recipe.seed, f"train/{name}"))
    datasets: dict[str, Stage] = {}
    made_of: dict[str, object] = {}
    if training.pairs is None:
        selection = stages[f"select/{training.selection}"]
        datasets = {"ingest": stages["ingest"], "translate": _translations(stages), "select": selection}
        made_of["selection"] = training.selection

    def hash_of(*paths: str | None) -> str | None:
        named = [path for path in paths if path is not None]
        return context.hash_files(named) if named else None

    hashes = InputHashes(
        vectors=hash_of(options.vectors),
        start=hash_of(options.start),
        dev=hash_of(*dev_files(options)) if options.dev else None,
        sentencepiece=hash_of(options.text.sentencepiece),
        pairs=hash_of(*training.pairs.paths) if training.pairs else None,
    )
    if training.pairs is not None:
        made_of["pairs"] = {**asdict(training.pairs), "path": hashes.pairs}
    on_workers = training.run_on == "workers"
    has_gpu = context.gpus.workers if on_workers else context.gpus.driver
    how = training_ingredients(options, hashes, has_gpu)
    # The work is done on the device of its key or not at all.
    options = replace(options, device=resolve_device(options.device, has_gpu))
    parts = _files(datasets) if datasets else ()
    work = TrainEncoder(
        home(f"train/{name}"), parts, training.selection, options, hashes, training.pairs, training.logs
    )
    rows = datasets["select"].rows if datasets else 0
    gpu = on_workers and how["device"] == "cuda"
    return _single_job_stage(
        f"train/{name}", tuple(datasets.values()), {**made_of, **how}, work, rows, on_workers, gpu
    )


def _train_head(context: Context, name: str, training: HeadTraining) -> Stage:
    options = training.options(derive_seed(context.recipe.seed, f"train/{name}"))
    hashes = {path: context.hash_files([path]) for _, path in paths_of(options)}
    on_workers = training.run_on == "workers"
    has_gpu = context.gpus.workers if on_workers else context.gpus.driver
    # The work is done on the device of its key or not at all.
    options = replace(options, device=resolve_device(options.device, has_gpu))
    made_of = {**_without_paths(asdict(options), hashes), "arithmetic": ARITHMETIC}
    work = FineTuneEncoder(home(f"train/{name}"), options, tuple(hashes.items()))
    gpu = on_workers and made_of["device"] == "cuda"
    return _single_job_stage(f"train/{name}", [], made_of, work, 0, on_workers, gpu)


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
        needs, contaminated = _contaminated(context, entry.encoder, evaluation, stages)
        work = EvaluateEncoder(
            stage, evaluation, read, trained.built, True, device=device, contaminated=contaminated
        )
        made_of["device"] = device
        return _single_job_stage(f"evaluate/{name}", [trained, *needs], made_of, work)
    path = entry.encoder.path
    encoder = context.hash_files([path])
    device = resolve_device("auto", context.gpus.driver) if folder_wants_gpu(path) else "cpu"
    tokens = entry.encoder.tokens
    work = EvaluateEncoder(stage, evaluation, read, path, False, encoder, device, tokens=tokens)
    made_of |= {"encoder": encoder, "device": device, "tokens": tokens}
    return _single_job_stage(f"evaluate/{name}", [], made_of, work)


def _contaminated(
    context: Context, encoder: str, evaluation: Evaluation, stages: Mapping[str, Stage]
) -> tuple[list[Stage], ContaminatedPairs | None]:
    """The pairs that the encoder was trained on and that match the evaluation's data; the stages to read.

    None unless a score compares all pairs with the same data.
    """
    training = context.recipe.train[encoder]
    if isinstance(training, HeadTraining) or not isinstance(evaluation, SentenceEvaluation):
        return [], None
    selection = training.selection
    if selection is None:
        return [], None
    data = {context.hash_files([path]) for _, path in paths_of(evaluation)}
    for column, measure in context.recipe.scores.items():
        if not isinstance(measure, Contamination):
            continue
        if data <= {context.hash_files([path]) for path in measure.files()}:
            datasets = {
                "ingest": stages["ingest"],
                "translate": _translations(stages),
                "select": stages[f"select/{selection}"],
                "score": stages[f"score/{column}"],
            }
            pairs = ContaminatedPairs(_files(datasets), selection, column, measure.n, measure.share)
            return list(datasets.values()), pairs
    return [], None


def _report(context: Context, stages: Mapping[str, Stage]) -> Stage:
    needs = [stage for stage in stages.values() if KINDS[stage.kind].in_report]
    return _single_job_stage("report", needs, {}, None, stages["ingest"].rows)
