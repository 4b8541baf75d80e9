"""`paranmt verify --sample`: computes scores and translations of random pairs again and compares them."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from ...base.dataset_columns import decile_name
from ...base.errors import InputError, ModelError
from ...base.host_cache import cache_folder
from ...base.streams import file_system
from ...filters.contamination import Contamination
from ...filters.ranks.decile_ranks import DECILES
from ...filters.score import Score
from ...models.translation.engines import load, model_files, resolve, with_languages
from ...models.translation.model_folder import fetch_path
from ...models.translation.translate_options import TranslateOptions
from ...models.translation.translator import Candidate, Translator
from ...transforms.model_kinds import model_kind_of
from ...transforms.storage.file_hashes import HashCache, hash_paths
from ...transforms.storage.versions import PROCESSOR, THREADS, made_with
from ...transforms.trainings.held_out import model_folder, read_held_out
from ...transforms.works.scoring import packages_of
from ...transforms.works.translating import score_column
from ..manifest.release_summary import ReleaseSummary
from ..recipe.recipe import Recipe
from .open_release import Release
from .verify import float32

TRANSLATE = "translate"
"""The role of the translation model, as scores are the roles of theirs."""

TIE = 1e-2
"""How much a log-probability may differ, in nats: other batches round differently, and then a different
translation may be as good."""

# How much a score may differ, relative to its value or to 1 if that is more, by what it was computed with
# elsewhere. Of eight kinds of encoders, other threads and other instructions changed no similarity by more
# than one step of float32, 6e-8. Matrix products of GPUs may be less precise.
_ELSEWHERE = {PROCESSOR: 1e-6, THREADS: 1e-6}
_OTHER_VERSION = 1e-5
_GPU = 1e-3
_SHOWN = 5


@dataclass(frozen=True)
class Agreement:
    """How well a score agrees with the one that is computed again.

    tolerance: the allowed difference, relative to a value or to 1 if that is more; 0 if values must be equal.
    differs: what the release's was computed with and this one was not, in words. largest: the largest
    difference found. moved: how many of the pairs would be in another decile.
    """

    tolerance: float
    differs: Sequence[str]
    largest: float
    moved: int


@dataclass(frozen=True)
class SampleCheck:
    """The result. failures: a line each.

    checked: the scores that were computed again. not_checked: scores that could not be, with the reason.
    translated: how many pairs were translated again; of these, ties got another translation as probable.
    forced: how many existing translations the model scored again.
    """

    pairs: int
    failures: Sequence[str]
    checked: Mapping[str, Agreement]
    not_checked: Mapping[str, str]
    translated: int = 0
    ties: int = 0
    forced: int = 0


def verify_sample(
    release: Release, count: int, seed: int, models: Mapping[str, str] | None = None
) -> SampleCheck:
    """Compute the scores of `count` random pairs again.

    models: the files or folders of models, by score, and of the model that translated the release as
    `translate`; with it, translations are made and scored again too. If the release has several, only those
    of the given one are made again, and none is scored. Models that were trained on the corpus
    are found if the release is in its workspace. ModelError if one is another than the manifest names.
    InputError if the release has no manifest, or no such score or no such model.
    """
    if release.manifest is None:
        raise InputError(f"{release.url} has no manifest.json, which names the scores")
    recipe = _recipe(release.manifest.origins[0])
    given = dict(models or {})
    model = given.pop(TRANSLATE, None)
    for name in given.keys() - recipe.scores.keys():
        raise InputError(f"no score {name!r} to give a model for; there are: {', '.join(recipe.scores)}")
    made = None if model is None else _made_with(release.manifest, model)
    pairs = release.pairs().sample(count, seed)
    failures: list[str] = []
    checked, not_checked = {}, {}
    for name, score in recipe.scores.items():
        measure = _measuring(release, name, score, given.get(name))
        if isinstance(measure, str):
            not_checked[name] = measure
            continue
        computed = measure(pairs)
        tolerance, differs = _tolerance(release.manifest, name, score)
        cuts = next((each.cuts for each in release.manifest.scores if each.name == name), ())
        found, checked[name] = _compare(pairs, name, computed, tolerance, differs, cuts)
        failures += _first(found)
    check = SampleCheck(len(pairs), failures, checked, not_checked)
    if made is None:
        return check
    translated = _with_translations(release, made, count, seed, check)
    return _with_forced(release, made, count, seed, translated)


def _measuring(
    release: Release, name: str, score: Score, given: str | None
) -> Callable[[pa.Table], pa.Array] | str:
    """How to compute a score again; or, in words, why that is not possible.

    given: the path of its model.
    """
    if score.is_given:
        return "it came with the bitext"
    missing = set(score.reads) - set(release.schema.names)
    if missing:
        return f"it needs {', '.join(sorted(missing))}"
    kind = model_kind_of(score)
    if kind is None:
        return score.measure
    if isinstance(score, Contamination):
        return f"it needs the evaluation sets; contamination/{name}.json lists them"
    is_trained = score.trained_on() is not None
    path = given or (_in_workspace(release, name) if is_trained else None)
    if path is None:
        return f"it needs its model: --model {name}=PATH"
    assert release.manifest is not None, "it was checked"
    _check_hash(path, hash_paths([path], _cache()), release.manifest, name)
    local = fetch_path(path, cache_folder("models"))

    def measure_with(folder: Path, pairs: pa.Table) -> pa.Array:
        values = score.measure(pairs, kind.load([folder / kind.file if is_trained else folder], score))
        held_out = read_held_out(folder) if is_trained else None
        if held_out is None:
            return values
        seen = pa.array(held_out.mask(pairs["reference"]))
        return pc.if_else(seen, pa.scalar(None, values.type), values)

    def measure(pairs: pa.Table) -> pa.Array:
        """The values of the pairs, those of each corpus by its model."""
        if not is_trained:
            return measure_with(local, pairs)
        folders = {corpus: model_folder(local, corpus) for corpus in pairs["corpus"].unique().to_pylist()}
        values = pa.nulls(len(pairs), score.dtype)
        for folder in dict.fromkeys(folders.values()):
            corpora = [corpus for corpus, its_folder in folders.items() if its_folder == folder]
            rows = pc.is_in(pairs["corpus"], pa.array(corpora)).combine_chunks()
            found = measure_with(folder, pairs.filter(rows)).cast(score.dtype)
            values = pc.replace_with_mask(values, rows, found)
        return values

    return measure


def _in_workspace(release: Release, name: str) -> str | None:
    """The folder of the model that was trained for a score, if the release is in its workspace."""
    assert release.folder is not None, "it has a manifest"
    folder = f"{release.folder.rpartition('/')[0] or '.'}/model/{name}"
    fs, path = file_system(folder)
    return folder if fs.isdir(path) else None


def _check_hash(path: str, digest: str, manifest: ReleaseSummary, role: str) -> None:
    """ModelError unless the files of a model have the hash that the manifest has for this role."""
    # A model that was trained from a user's file is listed beside that file.
    expected = [model.hash for model in manifest.models if model.role == role]
    if digest not in expected:
        raise ModelError(
            f"{path} is not the model of this release: its hash is {digest}, "
            f"expected {' or '.join(expected) or 'none'}"
        )


def _cache() -> HashCache:
    return HashCache(cache_folder("hashes.json"))


def _tolerance(manifest: ReleaseSummary, name: str, score: Score) -> tuple[float, list[str]]:
    """How much a score may differ here, and what it was computed with that is not so here, in words."""
    if not types.is_floating(score.dtype):
        return 0.0, []
    made = [count.versions for count in manifest.computed_with.get(f"score/{name}", ())]
    if not made:
        return _OTHER_VERSION, ["the manifest does not say what it was computed with"]
    kind = model_kind_of(score)
    tolerance = 0.0 if kind is None else kind.rounding
    here, differs = made_with(("paranmt", *packages_of(score))), set()
    for there in made:
        for what in sorted(there.keys() | here.keys()):
            if there.get(what) != here.get(what):
                on_gpu = THREADS in here.keys() - there.keys()
                allowed = _GPU if on_gpu else _ELSEWHERE.get(what, _OTHER_VERSION)
                tolerance = max(tolerance, allowed)
                differs.add(f"{what} {there.get(what, 'none')}, here {here.get(what, 'none')}")
    return tolerance, sorted(differs)


def _compare(
    pairs: pa.Table,
    name: str,
    computed: pa.Array,
    tolerance: float,
    differs: Sequence[str],
    cuts: Sequence[float],
) -> tuple[list[str], Agreement]:
    """A line for each pair whose score is not the one that was computed again, and how well they agree."""
    failures, largest, moved = [], 0.0, 0
    decile = decile_name(name)
    deciles = pairs[decile].to_pylist() if decile in pairs.column_names else [None] * len(pairs)
    begins = [-math.inf, *float32(cuts), math.inf]
    columns = (pairs["pair_id"].to_pylist(), pairs[name].to_pylist(), computed.to_pylist(), deciles)
    for pair_id, old, new, tenth in zip(*columns, strict=True):
        same = old == new
        if tolerance and old is not None and new is not None:
            difference = abs(new - old)
            same = same or difference <= tolerance * max(1.0, abs(old))
            largest = max(largest, difference)
            if tenth is not None and len(begins) == DECILES + 1:
                moved += not begins[tenth - 1] <= new <= begins[tenth]
        if not same:
            failures.append(f"{pair_id} has {name} {_shown(old)}, but its texts give {_shown(new)}")
    return failures, Agreement(tolerance, differs, largest, moved)


def _shown(value: float | str | None) -> str:
    return "null" if value is None else f"{value:.9g}" if isinstance(value, int | float) else repr(value)


def _first(lines: list[str]) -> list[str]:
    """The first lines, and how many more there are."""
    more = len(lines) - _SHOWN
    return lines if more <= 0 else [*lines[:_SHOWN], f"… and {more:,} more pairs like the last one"]


def _recipe(origin: ReleaseSummary) -> Recipe:
    return Recipe.from_yaml(json.dumps(dict(origin.recipe)), name="the recipe in manifest.json")


@dataclass(frozen=True)
class _MadeWith:
    """The recipe whose pairs a model translated, the options with the model, and a condition on them."""

    recipe: Recipe
    options: TranslateOptions
    where: str

    def in_turn(self, pairs: pa.Table) -> Iterator[tuple[list[int], Translator]]:
        """The places of pairs that are translated with the same languages, and the translator for them."""
        places: dict[TranslateOptions, list[int]] = {}
        corpora = pairs["corpus"].to_pylist()
        options = {
            entry.corpus: with_languages(
                self.options, entry.source_language, entry.reference_language, entry.corpus
            )
            for entry in self.recipe.bitext
            if entry.corpus in {*corpora}
        }
        for place, corpus in enumerate(corpora):
            places.setdefault(options[corpus], []).append(place)
        for own, chosen in places.items():
            yield chosen, load(own, cache_folder("models"))


def _made_with(manifest: ReleaseSummary, model: str) -> _MadeWith:
    """What this model translated.

    Of a release that was merged, they are the pairs of the first of its releases that has the model.
    """
    origins = [origin for origin in manifest.origins if origin.translation_model_hashes]
    if not origins:
        raise InputError("no pair of this release was translated by a model; leave out --model")
    for origin in origins:
        recipe = _recipe(origin)
        options = resolve(replace(recipe.translate, model=model))
        digest = hash_paths(model_files(options), _cache())
        if digest in origin.translation_model_hashes:
            if recipe.translate.search is not None and recipe.translate.search.sampling:
                raise InputError("these translations were drawn at random, part by part; leave out --model")
            where = f" and recipe_hash = '{origin.recipe_hash}'" if manifest.merged_from else ""
            if len(origin.translation_model_hashes) > 1:
                where += f" and translation_model_hash = '{digest}'"
            return _MadeWith(recipe, options, where)
    _check_hash(model, digest, manifest, TRANSLATE)
    raise AssertionError("the manifest lists the models of its releases")


def _with_translations(
    release: Release, made: _MadeWith, count: int, seed: int, check: SampleCheck
) -> SampleCheck:
    """Translate pairs again."""
    chosen = "translation_rank" in release.schema.names
    names = ["pair_id", "source", "translation", "translation_log_prob"]
    where = f"translation_status = 'translated'{made.where}"
    pairs = release.pairs(where, [*names, "corpus", *(["translation_rank"] if chosen else [])]).sample(
        count, seed
    )
    ranks = pairs["translation_rank"].to_pylist() if chosen else [1] * len(pairs)
    lists: list[list[Candidate]] = [[] for _ in ranks]
    for places, translator in made.in_turn(pairs):
        sources = pairs["source"].take(places).to_pylist()
        for place, found in zip(places, translator.translate(sources, max(ranks)), strict=True):
            lists[place] = found
    rows = zip(*(pairs[name].to_pylist() for name in names), ranks, lists, strict=True)
    failures, ties = [], 0
    for pair_id, _, translation, log_prob, rank, candidates in rows:
        one = candidates[rank - 1] if rank <= len(candidates) else None
        if one is not None and abs(one.log_prob - log_prob) <= TIE:
            ties += one.text != translation
            continue
        text = "nothing" if one is None else f"{one.text!r} with {one.log_prob:.4f}"
        failures.append(f"{pair_id} has {translation!r} with {log_prob:.4f}, but the model gives {text}")
    return replace(check, failures=[*check.failures, *_first(failures)], translated=len(pairs), ties=ties)


def _with_forced(release: Release, made: _MadeWith, count: int, seed: int, check: SampleCheck) -> SampleCheck:
    """Also score existing translations again that have a log-probability of the model."""
    names = ["pair_id", "source", "translation", "translation_log_prob"]
    where = f"translation_status = 'existing' and translation_log_prob is not null{made.where}"
    pairs = release.pairs(where, [*names, "corpus"]).sample(count, seed)
    if not len(pairs):
        return check
    scored: list[Candidate | None] = [None] * len(pairs)
    for places, translator in made.in_turn(pairs):
        own = pairs.take(places)
        for place, one in zip(
            places, score_column(translator, own["source"], own["translation"]), strict=True
        ):
            scored[place] = one
    failures = [
        f"{pair_id} has translation_log_prob {old:.4f}, but the model gives {new.log_prob if new else None}"
        for pair_id, old, new in zip(
            pairs["pair_id"].to_pylist(), pairs["translation_log_prob"].to_pylist(), scored, strict=True
        )
        if new is None or abs(new.log_prob - old) > TIE
    ]
    return replace(check, failures=[*check.failures, *_first(failures)], forced=len(pairs))
