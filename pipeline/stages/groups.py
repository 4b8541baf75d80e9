"""The `groups` stage: the pairs that are duplicates of each other."""

from ...transforms.works.duplicate_groups import FindGroups, JoinLinks
from .links import BucketsStage, bucketed
from .name import StageName
from .stage import Planning, Stage


class GroupsStage(BucketsStage):
    """Finds equal texts, or joins the links of similar ones."""

    section = "duplicates"
    seconds_a_pair = 1e-6

    def plan(self, name: StageName, planning: Planning) -> Stage:
        options = planning.recipe.duplicates
        assert options is not None
        if options.similarity is not None:
            links = planning.stage("links")
            return self.whole_stage(name, links, {}, JoinLinks(name, links.files), 1)
        fingerprints = planning.stage("fingerprints")
        buckets, files, made_of = bucketed(planning, fingerprints, None)
        return self.whole_stage(name, fingerprints, made_of, FindGroups(name, files, buckets), buckets)
