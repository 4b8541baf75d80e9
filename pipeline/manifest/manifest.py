"""`manifest.json` of a release: a `ReleaseSummary`, written and read here alone."""

from typing import Any

from ...base.dataset_columns import CORPUS, PAIR_ID, TRANSLATION_STATUS, decile_name
from ..recipe.problems import nearest, shown
from .release_summary import ReleaseSummary
from .typed_json import TypedJson

_FLAT = ("string", "float32", "int32", "int8", "bool")


def _stated(release: ReleaseSummary) -> dict[str, Any]:
    return {
        "pairs": release.pairs,
        "licences": release.licences,
        "recipe_hash": release.recipe_hash,
    }


def _check(release: ReleaseSummary) -> None:
    """ValueError unless what readers of the release rely on is so."""
    types = {column.name: column.type for column in release.columns}
    scores = [score.name for score in release.scores]
    named = [
        ("primary_score", release.primary_score),
        *(("contamination", each.score) for each in release.contamination),
    ]
    for key, name in named:
        if name not in scores:
            raise ValueError(f"{key}: no score {shown(name)}; {nearest(name, scores)}")
    wanted = {name: "string" for name in (PAIR_ID.name, CORPUS.name, TRANSLATION_STATUS.name)}
    wanted |= {selection.name: "bool" for selection in release.selections}
    wanted |= {name: "int8" for name in map(decile_name, scores) if name in types}
    wanted[decile_name(release.primary_score)] = "int8"
    for name, type_ in wanted.items():
        if types.get(name) != type_:
            raise ValueError(f"columns: expected {name} of the type {type_}, got {shown(types.get(name))}")
    for name in scores:
        allowed = ("float32", "int32", "int8") if decile_name(name) in types else _FLAT
        if types.get(name) not in allowed:
            expected = " or ".join(allowed)
            raise ValueError(f"columns: expected {name} of the type {expected}, got {shown(types.get(name))}")
    _ = release.seed, release.rows_per_file  # ValueError if they are no such numbers


MANIFEST = TypedJson(ReleaseSummary, "paranmt release", 1, _stated, _check)
