"""How much of a paper's table is computed again."""

from dataclasses import dataclass, replace
from typing import Annotated

from ..base.bounds import PAIRS, Bounds, Numbers, Pairs, Size
from ..models.sts.set_lists import DevSets
from ..models.training.train_options import TrainOptions
from .paper_table import Supervision, System, with_dimension


@dataclass(frozen=True, kw_only=True)
class Run(Numbers):
    """What to run: which systems, on how many pairs, and with how many seeds."""

    seeds: Annotated[int, Bounds(1, 1_000, is_whole=True)] = 5
    """How many seeds each system is run with."""
    pairs: Pairs = 24_000
    """How many pairs each system is trained on."""
    dimension: Size = 300
    """The dimension of the encoders, unless vectors are given."""
    epochs: Annotated[int, PAIRS] | None = None
    """Passes over the pairs; by default the paper's own number for each encoder."""
    grid: bool = False
    """Choose options from the paper's grids on the development sets, where the paper did, which is many more
    trainings; by default they are fixed."""
    dev_sets: DevSets | None = None
    """The development sets, on which data, options and epochs are chosen: standard (the train part of STS
    2012 and SICK's trial part), sts2016 or sts2017; by default those of the paper."""
    only: str = ""
    """Train only systems that begin with this: a group, or `GROUP, NAME`."""
    show: bool = False
    """Train nothing, and show the results that are finished."""

    def trains(self, system: System) -> bool:
        """Whether a system is trained unless its result is there."""
        return not self.show and system.label.startswith(self.only)

    def options(self, with_dimension: bool) -> list[str]:
        """The options of the command that has these results. with_dimension: whether the dimension counts."""
        numbers = {"--pairs": self.pairs, "--seeds": self.seeds}
        if with_dimension:
            numbers["--dimension"] = self.dimension
        if self.epochs is not None:
            numbers["--epochs"] = self.epochs
        return [
            *(word for name, number in numbers.items() for word in (name, str(number))),
            *(["--grid"] if self.grid else []),
            *(["--dev-sets", self.dev_sets] if self.dev_sets else []),
            *(["--only", self.only] if self.only else []),
        ]

    def planned(self, system: System, dimension: int) -> System:
        """A system with the dimension and the epochs of this run, and without a grid that it does not use."""

        def changed(options: TrainOptions) -> TrainOptions:
            options = with_dimension(options, dimension)
            return options if self.epochs is None else replace(options, epochs=self.epochs)

        grid, task = tuple(map(changed, system.grid)) if self.grid else (), system.task
        if isinstance(task, Supervision) and not self.grid:
            task = replace(task, grid=(), heads=())
        return replace(system, options=changed(system.options), grid=grid, task=task)
