"""The `duplicates` stage: which pair is kept of those that are duplicates of each other."""

from ...base.dataset_columns import DUPLICATE_FACTS
from ...transforms.works.duplicate_groups import MarkDuplicates
from ..recipe.name import StageName
from .links import input_names
from .stage import Planning, Stage
from .stage_kind import StageKind


class DuplicatesStage(StageKind):
    """Marks each pair."""

    section = "duplicates"
    seconds_a_pair = 1e-6

    def plan(self, name: StageName, planning: Planning) -> Stage:
        groups, names = planning.stage("groups"), input_names(planning)
        options = planning.recipe.duplicates
        assert options is not None
        names += tuple(path.rstrip("/").rpartition("/")[2] for path in dict.fromkeys(options.against))
        work = MarkDuplicates(name, names, groups.files)
        made_of = {"inputs": list(names)}
        return self.parts_stage(name, [planning.rows], made_of, work, whole=[groups], columns=DUPLICATE_FACTS)
