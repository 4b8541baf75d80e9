"""Work keys: identify a stage's work, so that a forecast can be compared with the run that it predicted.

A stage's own key hashes the keys of its parts, which are known only after `ingest` has cut the input files.
A work key is made of the input files' fingerprints and of the ingredients of the stage and of all stages
that it needs. So it is known earlier, and can be computed from the manifests of a workspace alone.
"""

from collections.abc import Callable, Mapping, Sequence

from ...base.keys import digest
from ...transforms.storage.dataset import read_manifest
from ...transforms.storage.workspace import Workspace
from ..recipe.name import INGEST
from ..stages.stage import Stage
from .kinds import stage_folder


def work_keys(stages: Sequence[Stage]) -> dict[str, str]:
    """The work key of each stage of a plan."""
    ingest = next(stage for stage in stages if stage.name == INGEST)
    known: dict[str, Mapping[str, object]] = {stage.name: stage.ingredients for stage in stages}
    return _keys(ingest.key, [stage.name for stage in stages], known.get)


def manifest_work_keys(workspace: Workspace, names: Sequence[str]) -> dict[str, str]:
    """The work keys of the stages with a current manifest in the workspace; other stages are left out."""
    manifests = {name: read_manifest(workspace, stage_folder(name)) for name in names}
    ingest = manifests.get(INGEST)
    if ingest is None:
        return {}

    def ingredients(name: str) -> Mapping[str, object] | None:
        manifest = manifests.get(name)
        return None if manifest is None else manifest.ingredients

    return _keys(ingest.key, names, ingredients)


def _keys(
    ingest_key: str, names: Sequence[str], ingredients: Callable[[str], Mapping[str, object] | None]
) -> dict[str, str]:
    keys: dict[str, str] = {INGEST: digest(INGEST, ingest_key)}
    stages = set(names)

    def key(name: str) -> str | None:
        if name not in keys:
            made_of = ingredients(name)
            if made_of is None:
                return None
            needs = {need: key(need) for need in made_of if need in stages}
            if None in needs.values():
                return None
            own = {ingredient: value for ingredient, value in made_of.items() if ingredient not in stages}
            keys[name] = digest(name, own, needs)
        return keys[name]

    for name in names:
        key(name)
    return {name: keys[name] for name in names if name in keys}
