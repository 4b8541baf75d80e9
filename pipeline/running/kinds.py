"""The kinds of stage, in the order in which a run computes them.

ingest (→ wanted/<score>) → translate (→ choose) → model/<score> → score/<score> → deciles/<score>
       → pool/<name> → trials/<name> → fresh/<name> → tune/<name>
       → fingerprints, against → links → groups → duplicates → select/<name>
       → release → train/<name> → paraphraser/<name> → evaluate/<name> → report
"""

from ..recipe.name import StageName
from ..release.release import ReleaseStage
from ..report.report import ReportStage
from ..stages.against import AgainstStage
from ..stages.choose import ChooseStage
from ..stages.deciles import DecilesStage
from ..stages.duplicates import DuplicatesStage
from ..stages.evaluate import EvaluateStage
from ..stages.fingerprints import FingerprintsStage
from ..stages.groups import GroupsStage
from ..stages.ingest import IngestStage
from ..stages.links import LinksStage
from ..stages.model import ModelStage
from ..stages.paraphraser import ParaphraserStage
from ..stages.score import ScoreStage
from ..stages.select import SelectStage
from ..stages.stage import Planning, Stage
from ..stages.stage_kind import StageKind
from ..stages.train import TrainStage
from ..stages.translate import TranslateStage
from ..stages.wanted import WantedStage
from ..tuning.fresh import FreshStage
from ..tuning.pool import PoolStage
from ..tuning.trials import TrialsStage
from ..tuning.tune import TuneStage

STAGES: dict[str, StageKind] = {
    "ingest": IngestStage(),
    "wanted": WantedStage(),
    "translate": TranslateStage(),
    "choose": ChooseStage(),
    "model": ModelStage(),
    "score": ScoreStage(),
    "deciles": DecilesStage(),
    "pool": PoolStage(),
    "trials": TrialsStage(),
    "fresh": FreshStage(),
    "tune": TuneStage(),
    "fingerprints": FingerprintsStage(),
    "against": AgainstStage(),
    "links": LinksStage(),
    "groups": GroupsStage(),
    "duplicates": DuplicatesStage(),
    "select": SelectStage(),
    "release": ReleaseStage(),
    "train": TrainStage(),
    "paraphraser": ParaphraserStage(),
    "evaluate": EvaluateStage(),
    "report": ReportStage(),
}


def plan_stages(planning: Planning) -> tuple[Stage, ...]:
    """Every stage of the recipe, in order; each comes after those that it reads."""
    for word, kind in planning.kinds.items():
        for label in kind.labels(planning.recipe):
            planning.stage(word, label)
    return tuple(planning.stages.values())


def stage_folder(name: str) -> str:
    """The folder of a stage's manifests and files; its name if there is no such kind."""
    named = StageName(name)
    kind = STAGES.get(named.kind)
    return named if kind is None else kind.folder(named)
