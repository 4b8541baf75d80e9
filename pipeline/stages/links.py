"""The `links` stage: which pairs have similar texts."""

import math
from collections.abc import Iterable

from ...transforms.beam.timing import WORK
from ...transforms.storage.dataset import Entry, origin_of
from ...transforms.works.duplicate_groups import FindLinks, count_buckets
from ..forecast.samples import Measurement
from ..forecast.whole import Whole
from ..keys import digest
from ..recipe.recipe import Recipe
from .name import StageName
from .stage import Planning, Stage
from .stage_kind import StageKind


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
        fingerprints = planning.stage("fingerprints")
        buckets, files, made_of = bucketed(planning, fingerprints, options.similarity)
        work = FindLinks(name, files, buckets, options.similarity)
        return self.whole_stage(name, fingerprints, made_of, work, buckets)


def bucketed(
    planning: Planning, fingerprints: Stage, similarity: float | None
) -> tuple[int, tuple[tuple[int, str], ...], dict[str, object]]:
    """The number of buckets, each file of fingerprints with its input's number, and the ingredients."""
    names = input_names(planning)
    numbers = [names.index(planning.inputs[origin_of(task.part)]) for task in fingerprints.tasks]
    buckets = count_buckets(fingerprints.rows, similarity)
    files = tuple(zip(numbers, fingerprints.files, strict=True))
    return buckets, files, {"buckets": buckets, "inputs": digest(numbers)}


def input_names(planning: Planning) -> tuple[str, ...]:
    """How the pair_ids of each input file begin, in the order of their numbers."""
    return tuple(sorted(set(planning.inputs.values())))
