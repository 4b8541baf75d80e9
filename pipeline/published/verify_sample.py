"""`paranmt verify --sample`: computes scores and translations of random pairs again and compares them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as types

from ...errors import InputError, ModelError
from ...filters.score import Score
from ...host_cache import cache_folder
from ...models.translation.engines import load, model_files, resolve
from ...models.translation.options import TranslateOptions
from ...transforms.file_hashes import HashCache, hash_paths
from ..recipe.recipe import Recipe
from .release import Release

_TOLERANCE = 1e-5  # of scores: packages of another version may round otherwise
_TIE = 1e-2  # of log-probabilities, in nats: whether a different translation is as good, given other batches
_SHOWN = 5


@dataclass(frozen=True)
class SampleCheck:
    """The result. failures: a line each. checked, not_checked: names of scores, the latter with the reason.

    translated: how many pairs were translated again; of these, ties got another translation as probable.
    """

    pairs: int
    failures: Sequence[str]
    checked: Sequence[str]
    not_checked: Mapping[str, str]
    translated: int = 0
    ties: int = 0


def verify_sample(release: Release, count: int, seed: int, model: str | None = None) -> SampleCheck:
    """Compute the scores of `count` random pairs again, those that need no model but the pair alone.

    model: the folder of the model that translated the release; with it, translations are made again too.
    ModelError if it is another model. InputError if the release has no manifest, or was not translated.
    """
    if release.manifest is None:
        raise InputError(f"{release.url} has no manifest.json, which names the scores")
    recipe = Recipe.from_yaml(json.dumps(release.manifest["recipe"]), name="the recipe in manifest.json")
    options = None if model is None else _options(recipe, release.manifest, model)
    pairs = release.pairs().sample(count, seed)
    failures: list[str] = []
    checked, not_checked = [], {}
    for name, score in recipe.scores.items():
        if reason := _hindrance(score, pairs.column_names):
            not_checked[name] = reason
        else:
            checked.append(name)
            failures += _first(list(_compare(pairs, name, score.measure(pairs))))
    check = SampleCheck(len(pairs), failures, checked, not_checked)
    if options is None:
        return check
    return _with_translations(release, options, count, seed, check)


def _hindrance(score: Score, columns: Sequence[str]) -> str:
    """Why a score cannot be computed from the release alone; empty if it can."""
    if score.model_kind is not None or score.files():
        return "it needs its model"
    missing = set(score.reads) - set(columns)
    return f"it needs {', '.join(sorted(missing))}" if missing else ""


def _compare(pairs: pa.Table, name: str, computed: pa.Array) -> Iterator[str]:
    stored = pairs[name]
    rows = zip(pairs["pair_id"].to_pylist(), stored.to_pylist(), computed.to_pylist(), strict=True)
    is_exact = types.is_integer(stored.type)
    for pair_id, old, new in rows:
        same = old == new
        if not is_exact and old is not None and new is not None:
            same = bool(np.isclose(old, new, rtol=_TOLERANCE, atol=_TOLERANCE))
        if not same:
            yield f"{pair_id} has {name} {_number(old)}, but its texts give {_number(new)}"


def _number(value: float | None) -> str:
    return "null" if value is None else f"{value:.7g}"


def _first(lines: list[str]) -> list[str]:
    """The first lines, and how many more there are."""
    more = len(lines) - _SHOWN
    return lines if more <= 0 else [*lines[:_SHOWN], f"… and {more:,} more pairs like the last one"]


def _options(recipe: Recipe, manifest: Mapping[str, Any], model: str) -> TranslateOptions:
    """The recipe's options with this model, which must be the one that the manifest names."""
    hashes = [entry["hash"] for entry in manifest["models"] if entry["role"] == "translate"]
    if not hashes:
        raise InputError("no pair of this release was translated by a model; leave out --model")
    if recipe.translate.search is not None and recipe.translate.search.sampling:
        raise InputError("these translations were drawn at random, part by part; leave out --model")
    options = resolve(replace(recipe.translate, model=model))
    digest = hash_paths(model_files(options), HashCache(cache_folder("hashes.json")))
    if digest != hashes[0]:
        raise ModelError(
            f"{model} is not the model of this release: its hash is {digest}, expected {hashes[0]}"
        )
    return options


def _with_translations(
    release: Release, options: TranslateOptions, count: int, seed: int, check: SampleCheck
) -> SampleCheck:
    chosen = "translation_rank" in release.schema.names
    names = ["pair_id", "source", "translation", "translation_log_prob"]
    where = "translation_status = 'translated'"
    pairs = release.pairs(where, [*names, *(["translation_rank"] if chosen else [])]).sample(count, seed)
    ranks = pairs["translation_rank"].to_pylist() if chosen else [1] * len(pairs)
    translator = load(options, cache_folder("models"))
    lists = translator.translate(pairs["source"].to_pylist(), max(ranks, default=1))
    rows = zip(*(pairs[name].to_pylist() for name in names), ranks, lists, strict=True)
    failures, ties = [], 0
    for pair_id, _, translation, log_prob, rank, candidates in rows:
        found = candidates[rank - 1] if rank <= len(candidates) else None
        if found is not None and found.text == translation and abs(found.log_prob - log_prob) <= _TIE:
            continue
        if found is not None and abs(found.log_prob - log_prob) <= _TIE:
            ties += 1
            continue
        text = "nothing" if found is None else f"{found.text!r} with {found.log_prob:.4f}"
        failures.append(f"{pair_id} has {translation!r} with {log_prob:.4f}, but the model gives {text}")
    return replace(check, failures=[*check.failures, *_first(failures)], translated=len(pairs), ties=ties)
