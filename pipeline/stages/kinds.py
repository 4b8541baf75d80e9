"""The kinds of stage, in the order in which a run computes them.

ingest → translate (→ choose) → model/<score> → score/<score> → deciles/<score>
       → pool/<name> → trials/<name> → fresh/<name> → tune/<name>
       → fingerprints → links → groups → duplicates → select/<name>
       → release → train/<name> → evaluate/<name> → report
"""

from .choose import Choose
from .deciles import Deciles
from .duplicates import MarkedDuplicates
from .evaluate import Evaluate
from .fingerprints import Fingerprints
from .fresh import Fresh
from .groups import Groups
from .ingest import Ingest
from .kind import StageKind
from .links import Links
from .model import Model
from .name import StageName
from .pool import Pool
from .release import Release
from .report import Report
from .score import Scores
from .select import Select
from .stage import Planning, Stage
from .train import Train
from .translate import Translate
from .trials import Trials
from .tune import Tune

STAGES: dict[str, StageKind] = {
    "ingest": Ingest(),
    "translate": Translate(),
    "choose": Choose(),
    "model": Model(),
    "score": Scores(),
    "deciles": Deciles(),
    "pool": Pool(),
    "trials": Trials(),
    "fresh": Fresh(),
    "tune": Tune(),
    "fingerprints": Fingerprints(),
    "links": Links(),
    "groups": Groups(),
    "duplicates": MarkedDuplicates(),
    "select": Select(),
    "release": Release(),
    "train": Train(),
    "evaluate": Evaluate(),
    "report": Report(),
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
