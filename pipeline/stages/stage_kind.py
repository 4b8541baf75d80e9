"""What a kind of stage knows: how it is planned, computed, forecast, published and cleaned.

A kind of stage is a module of this folder with a class that follows `StageKind` (or `SingleJobKind`, if one
process makes the whole stage), and a word in `kinds.STAGES`. Planning imports these modules, so they import
what is heavy inside the methods that need it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic

from ...base.dataset_columns import DatasetColumn
from ...base.keys import digest
from ...transforms.beam.runner import Runner
from ...transforms.beam.single_job import SingleJob, files_record, home
from ...transforms.beam.task_work import Task, Work
from ...transforms.beam.timing import WORK
from ...transforms.storage.dataset import Entry, Manifest, corpus_of, manifest_file, origin_of, part_file
from ...transforms.storage.workspace import Workspace
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .planned import Plan
from .samples import Measurement, TrainsOn
from .stage import Planning, Stage, W, keys_of
from .whole import Whole

if TYPE_CHECKING:
    from ...transforms.works.decile_ranking import RankTask
    from ..manifest.release_summary import ModelSummary, StageSummary
    from .report_data import Section

WORTH_SECONDS = 15.0  # like the local runner: less work than this stays in one process


@dataclass(frozen=True)
class StageRun:
    """What a stage may use while a run computes it.

    workspace: that of the plan, which knows the run. notify: called with messages for the user. ready: the
    stages that the run has not computed yet and that read only fresh stages.
    """

    plan: Plan
    workspace: Workspace
    runner: Runner
    notify: Callable[[str], None]
    ready: Sequence[Stage]


class StageKind(Generic[W]):
    """What all stages of a kind have in common, whatever the recipe. This one makes a file for each part.

    version: raised when stages of this kind start to make different results from the same ingredients.
    section: the section of the recipe without which there is no stage of this kind; if it has entries, there
    is a stage for each.
    has_labels: whether a recipe may have several stages of this kind, such as `score/perplexity`.
    is_built: whether its files are in a folder of their own under `_built`, and published under plain names.
    in_report: whether the report waits for it.
    seconds_a_pair: roughly how long one core takes, so that a runner can decide whether starting more
    processes is worth it; 0 if more processes do not help.
    ranks_values: whether it ranks pairs by values, of which many may be equal, and not by hashes.
    copies: how many copies of its files the workspace has.
    makes_pairs: whether its rows are the pairs that the stages after it read.
    is_release: whether its files are the release.
    warms_up: whether its first pairs cost extra, which a forecast counts as loading.
    opens: which of its published files a user opens: an empty text for the whole folder, None for nothing.
    """

    version: ClassVar[int] = 1
    section: ClassVar[str | None] = None
    has_labels: ClassVar[bool] = False
    is_single_job: ClassVar[bool] = False
    is_built: ClassVar[bool] = False
    in_report: ClassVar[bool] = False
    seconds_a_pair: ClassVar[float] = 0.0
    ranks_values: ClassVar[bool] = False
    copies: ClassVar[int] = 1
    makes_pairs: ClassVar[bool] = False
    is_release: ClassVar[bool] = False
    warms_up: ClassVar[bool] = False
    opens: ClassVar[str | None] = None

    # --- planning

    def labels(self, recipe: Recipe) -> Iterable[str]:
        """The labels of the recipe's stages of this kind; one that is empty for the only stage of a kind."""
        entries = {"": None} if self.section is None else getattr(recipe, self.section)
        return entries if isinstance(entries, dict) else () if entries is None else ("",)

    def plan(self, name: StageName, planning: Planning) -> Stage:
        """A stage of this kind. The stages that it reads are `planning.stage(kind, label)`."""
        raise NotImplementedError

    def devices(self, recipe: Recipe) -> Iterable[str]:
        """What the recipe says of the devices of its stages of this kind on workers: cpu, cuda or auto."""
        return ()

    def origin(self, part: str) -> str:
        """What a part is made of: if the dataset had it before, making the part again is no new work."""
        return origin_of(part)

    def parts_stage(
        self,
        name: StageName,
        inputs: Sequence[Stage],
        ingredients: Mapping[str, object],
        work: W,
        own: Callable[[str], Mapping[str, object]] | None = None,
        whole: Sequence[Stage] = (),
        columns: tuple[DatasetColumn, ...] = (),
        gpu: bool = False,
    ) -> Stage[W]:
        """A stage with the parts of its `inputs`.

        own: a part's ingredients, if they differ from the stage's. whole: stages that are read as a whole (a
        model; all parts of the scores that deciles rank).
        """
        of_whole = keys_of(whole)
        tasks = []
        for position, first in enumerate(inputs[0].tasks):
            part = first.part
            same = [stage.tasks[position].key for stage in inputs]
            made_of = own(part) if own else ingredients
            key = digest(name.kind, self.version, made_of, of_whole, same)
            files = tuple((stage.name, stage.file(position)) for stage in inputs)
            tasks.append(Task(part, key, files))
        everything = {**ingredients, **keys_of((*inputs, *whole))}
        needs = tuple(dict.fromkeys(stage.name for stage in (*inputs, *whole)))
        key = digest(name, [task.key for task in tasks])
        rows = inputs[0].rows
        return Stage(self, name, needs, key, everything, tuple(tasks), work, rows, columns, gpu=gpu)

    def whole_stage(
        self, name: StageName, read: Sequence[Stage], made_of: Mapping[str, object], work: W, tasks: int
    ) -> Stage[W]:
        """A stage whose tasks each read all parts of other stages. It has the rows of the first."""
        keys = [task.key for stage in read for task in stage.tasks]
        numbered = tuple(
            Task(f"{number:05d}", digest(name, self.version, made_of, keys, number), ())
            for number in range(tasks)
        )
        key = digest(name, [task.key for task in numbered])
        needs = tuple(stage.name for stage in read)
        return Stage(self, name, needs, key, {**made_of, **keys_of(read)}, numbered, work, read[0].rows)

    # --- computing

    def check(self, stage: Stage[W], running: StageRun) -> None:
        """Raise an error if the stage must not be computed; called as soon as all that it reads is fresh."""

    def work(self, stage: Stage[W], running: StageRun) -> Work | SingleJob:
        """The work that makes each task; whatever all tasks need is found first."""
        work = stage.work
        assert work is not None
        return work

    def turns(self, stage: Stage[W]) -> Sequence[Sequence[int]]:
        """The positions of its tasks, in groups of which workers finish one before they begin the next."""
        return [range(len(stage.tasks))]

    def computed(self, stage: Stage[W], part: str, rows: int, counts: Mapping[str, int]) -> int:
        """For how many of a part's pairs the stage computes something; the others do not count in its speed.

        rows: the part's pairs. counts: those of its entry in the manifest; empty while it is not finished.
        """
        return rows

    def shares_reading(self, stage: Stage[W]) -> bool:
        """Whether it is best computed in one job with others of its kind, which read the same texts."""
        return False

    def remarks(self, stage: Stage[W], manifest: Manifest, recipe: Recipe) -> Iterable[str]:
        """What a user should know of the result."""
        return ()

    # --- results

    def published(self, stage: Stage[W], plan: Plan) -> dict[str, Entry] | None:
        """The published name of each file → the built file; None if only the pipeline reads the stage."""
        return None

    def models(self, stage: Stage[W], plan: Plan) -> "Iterable[ModelSummary]":
        """The models that it uses or trains, for the dataset card."""
        return ()

    def summaries(self, stage: Stage[W], plan: Plan) -> "Iterable[StageSummary]":
        """What the dataset card and the release's manifest say of its results."""
        return ()

    def report(self, stage: Stage[W], plan: Plan) -> "Iterable[Section]":
        """What the report shows of its results."""
        return ()

    # --- files

    def folder(self, name: StageName) -> str:
        """The folder of a stage's manifests and files."""
        return home(name) if self.is_built else name

    def records(self, folder: str, key: str) -> dict[str, str]:
        """The files besides the manifest that complete a result: the current one → the one with this key."""
        return {}

    def files(self, folder: str, key: str) -> Iterable[str]:
        """The files that stages of this kind write besides manifests and records; `*` is any text."""
        return (part_file(folder, "*", key),)

    def by_key(self, folder: str, key: str) -> tuple[str, ...]:
        """The files without which the results with this key are not known."""
        return (manifest_file(folder, key), *self.records(folder, key).values())

    def current(self, folder: str) -> tuple[str, ...]:
        """The files of a folder that do not have a key in their names."""
        published = (f"{folder}/_published.json",) if self.is_built else ()
        return (f"{folder}/_manifest.json", f"{folder}/run.json", *self.records(folder, ""), *published)

    # --- forecasts

    def tasks(self, whole: Whole) -> int:
        """How many tasks a stage has for a whole bitext."""
        return whole.parts

    def processes(self, whole: Whole, tasks: int, pairs: float) -> float:
        """How many processes share the tasks on CPUs; if one task fills a machine, how many machines do."""
        if whole.machines.is_cluster or pairs * self.seconds_a_pair >= WORTH_SECONDS:
            return min(whole.machines.workers, tasks)
        return 1

    def sample(self, stage: Stage[W], entry: Entry, size: int, all_pairs: int) -> Measurement | None:
        """The measurement of one part; None if it measures nothing. size: its bytes."""
        return Measurement(entry.rows, entry.seconds[WORK], size, corpus_of(entry.part))

    def load_sample(self, entry: Entry) -> Measurement | None:
        """How long it took to load what grows with the bitext; None if nothing that is loaded does."""
        return None

    def loads_like(self, stage: Stage[W]) -> StageName:
        """The stage whose loading was measured for this one too."""
        return stage.name

    def trials(self, stage: Stage[W]) -> tuple[int, int]:
        """How many trials it has whatever the size of the bitext, and on how many pairs each trains."""
        return 0, 0

    def trains_on(self, stage: Stage[W], plan: Plan, last: Measurement) -> TrainsOn | None:
        """How many pairs it trains on; None if its cost does not depend on that. last: the largest sample."""
        return None

    def ranking(
        self, stage: Stage[W], plan: Plan
    ) -> "tuple[Callable[[Workspace, RankTask], object], list[RankTask]] | None":
        """One pass of the ranking that a stage starts with, and what it reads; None without a ranking."""
        return None


class SingleJobKind(StageKind[W]):
    """A kind of which one process makes the whole stage: a folder of files, which is then published."""

    is_single_job = True
    is_built = True

    def single_job(
        self,
        name: StageName,
        needs: Sequence[Stage],
        ingredients: Mapping[str, object],
        work: W,
        rows: int = 0,
        on_workers: bool = False,
        gpu: bool = False,
    ) -> Stage[W]:
        """A stage that is a single job over whole datasets."""
        everything = {**ingredients, **keys_of(needs)}
        key = digest(name.kind, self.version, everything)
        names = tuple(stage.name for stage in needs)
        task = Task("", key, ())
        return Stage(self, name, names, key, everything, (task,), work, rows, on_workers=on_workers, gpu=gpu)

    def published(self, stage: Stage[W], plan: Plan) -> dict[str, Entry] | None:
        return {entry.part: entry for entry in plan.manifest(stage.name).parts}

    def files(self, folder: str, key: str) -> Iterable[str]:
        return ()  # those that it has written are in its record of files

    def by_key(self, folder: str, key: str) -> tuple[str, ...]:
        return (*super().by_key(folder, key), files_record(folder, key))

    def sample(self, stage: Stage[W], entry: Entry, size: int, all_pairs: int) -> Measurement | None:
        read = entry.seconds.get("read", 0.0)
        return Measurement(entry.rows, entry.seconds[WORK], size, all_pairs=all_pairs, read=read)
