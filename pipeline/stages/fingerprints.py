"""The `fingerprints` stage: hashes of the texts of each pair, by which duplicates are found."""

from ...filters.duplicates.exact import sides
from ...transforms.works.duplicate_groups import MakeFingerprints
from ..recipe.name import StageName
from .stage import Planning, Stage
from .stage_kind import StageKind


class FingerprintsStage(StageKind):
    """Hashes the texts."""

    section = "duplicates"
    seconds_a_pair = 2e-6

    def plan(self, name: StageName, planning: Planning) -> Stage:
        options, keep = planning.recipe.duplicates, planning.recipe.keep_score
        assert options is not None
        reads = {"reference": planning.stage("ingest"), "translation": planning.translations}
        inputs = [reads[side] for side in sides(options.of)] + [planning.stage("score", keep)]
        higher, similarity = planning.recipe.scores[keep].higher_is_better, options.similarity
        assert higher is not None, "the recipe was checked"
        ingredients = {"of": options.of, "keep": keep, "higher_is_better": higher, "similarity": similarity}
        work = MakeFingerprints(name, options.of, keep, higher, similarity)
        return self.parts_stage(name, inputs, ingredients, work)
