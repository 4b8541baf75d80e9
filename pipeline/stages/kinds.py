"""The kinds of stage, in the order in which a run computes them.

ingest (→ wanted/<score>) → translate (→ choose) → model/<score> → score/<score> → deciles/<score>
       → pool/<name> → trials/<name> → fresh/<name> → tune/<name>
       → fingerprints, against → links → groups → duplicates → select/<name>
       → release → train/<name> → paraphraser/<name> → evaluate/<name> → report
"""

from .against import AgainstStage
from .choose import ChooseStage
from .deciles import DecilesStage
from .duplicates import DuplicatesStage
from .evaluate import EvaluateStage
from .fingerprints import FingerprintsStage
from .fresh import FreshStage
from .groups import GroupsStage
from .ingest import IngestStage
from .links import LinksStage
from .model import ModelStage
from .name import StageName
from .paraphraser import ParaphraserStage
from .pool import PoolStage
from .release import ReleaseStage
from .report import ReportStage
from .score import ScoreStage
from .select import SelectStage
from .stage import Planning, Stage
from .stage_kind import StageKind
from .train import TrainStage
from .translate import TranslateStage
from .trials import TrialsStage
from .tune import TuneStage
from .wanted import WantedStage

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
