"""The `links` stage: which pairs have similar texts."""

import math
from collections.abc import Iterable

from ...base.keys import digest
from ...transforms.beam.timing import WORK
from ...transforms.storage.dataset import Entry, origin_of
from ...transforms.works.duplicate_groups import FindLinks, count_buckets
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .against import paths_of
from .samples import Measurement
from .stage import Planning, Stage
from .stage_kind import StageKind
from .whole import Whole


class BucketsStage(StageKind):
    """A kind that works on buckets: ranges of hashes of all pairs."""

    def tasks(self, whole: Whole) -> int:
        return count_buckets(math.ceil(whole.pairs))

    def sample(self, stage: Stage, entry: Entry, size: int, all_pairs: int) -> Measurement | None:
        return Measurement(all_pairs, entry.seconds[WORK], size)  # so few pairs are one bucket


class LinksStage(BucketsStage):
    """Finds pairs with similar texts; texts that must be the same need no links."""

    seconds_a_pair = 1e-5

    def labels(self, recipe: Recipe) -> Iterable[str]:
        return () if recipe.duplicates is None or recipe.duplicates.similarity is None else ("",)

    def plan(self, name: StageName, planning: Planning) -> Stage:
        options = planning.recipe.duplicates
        assert options is not None and options.similarity is not None
        buckets, files, made_of = bucketed(planning, options.similarity)
        work = FindLinks(name, files, buckets, options.similarity, existing=existing_files(planning))
        return self.whole_stage(name, read_of(planning), made_of, work, buckets)


def read_of(planning: Planning) -> list[Stage]:
    """The stages with the records of all texts: of pairs, and of texts that exist already."""
    options = planning.recipe.duplicates
    assert options is not None
    against = [planning.stage("against")] if options.against else []
    return [planning.stage("fingerprints"), *against]


def existing_files(planning: Planning) -> tuple[tuple[int, str], ...]:
    """The files of the stage `against`, each with the number of its path."""
    inputs, (_, *against) = len(input_names(planning)), read_of(planning)
    return tuple(
        (inputs + path, file)
        for stage in against
        for path, file in zip(paths_of(stage), stage.files, strict=True)
    )


def bucketed(
    planning: Planning, similarity: float | None
) -> tuple[int, tuple[tuple[int, str], ...], dict[str, object]]:
    """The number of buckets, each file of fingerprints with its input's number, and the ingredients."""
    names, fingerprints = input_names(planning), planning.stage("fingerprints")
    numbers = [names.index(planning.inputs[origin_of(task.part)]) for task in fingerprints.tasks]
    buckets = count_buckets(fingerprints.rows, similarity)
    files = tuple(zip(numbers, fingerprints.files, strict=True))
    return buckets, files, {"buckets": buckets, "inputs": digest(numbers)}


def input_names(planning: Planning) -> tuple[str, ...]:
    """How the pair_ids of each input file begin, in the order of their numbers."""
    return tuple(sorted(set(planning.inputs.values())))
