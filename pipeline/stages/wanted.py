"""The `wanted/<score>` stages: the scores of records by which `translate.where` says what is translated."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..manifest.release_summary import StageSummary
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .planned import Plan
from .score import ScoreStage
from .stage import Planning, Stage


class WantedStage(ScoreStage):
    """Measures the records of the bitext. There are such stages only if a record may become several pairs.

    The stage `score/<score>` then measures those, so it comes after the translation.
    """

    def labels(self, recipe: Recipe) -> Iterable[str]:
        return ()  # `translate` asks for them

    def plan(self, name: StageName, planning: Planning) -> Stage:
        return replace(self.scoring(name, planning, [planning.stage("ingest")]), columns=())

    def summaries(self, stage: Stage, plan: Plan) -> Iterator[StageSummary]:
        yield from ()  # the card has the pairs' scores
