"""The `groups` stage: the pairs that are duplicates of each other."""

from ...transforms.works.duplicate_groups import FindGroups, JoinLinks
from ..recipe.name import StageName
from .links import BucketsStage, bucketed, existing_files, read_of
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
            numbers = tuple(sorted({number for number, _ in existing_files(planning)}))
            return self.whole_stage(name, [links], {}, JoinLinks(name, links.files, numbers), 1)
        buckets, files, made_of = bucketed(planning, None)
        work = FindGroups(name, files, buckets, existing=existing_files(planning))
        return self.whole_stage(name, read_of(planning), made_of, work, buckets)
