"""The check before `translate`: a precision that changes translations too much is refused."""

from collections.abc import Callable

from ...base.errors import RecipeError
from ...base.hashing import derive_seed
from ...base.keys import digest
from ...models.translation.precision_comparison import SAMPLE, objection
from ...transforms.beam.runner import Runner
from ...transforms.beam.single_job import home
from ...transforms.beam.stage_pipeline import run_single_job
from ...transforms.beam.task_work import Task
from ...transforms.storage.dataset import corpus_of
from ...transforms.storage.workspace import Workspace
from ...transforms.works.precision_sample import ComparePrecision, read_comparison
from ...transforms.works.translating import PlannedModel, TranslatePart
from .stage import Stage

STAGE = home("translate/precision")
VERSION = 1
_COUNTS = ("model", "engine", "device", "precision", "beam", "length_penalty", "max_length")


def check_precision(
    workspace: Workspace,
    translate: Stage[TranslatePart],
    seed: int,
    runner: Runner,
    notify: Callable[[str], None],
) -> None:
    """RecipeError if the stage's precision is worse than float32 by more than `models.precision` allows.

    A worker, because models run there anyway, translates a sample of the bitext in float32 and in this
    precision. This is done once for each model and its options: the results stay in the workspace. float32,
    and a precision that the recipe forces, are not checked.
    """
    work = translate.work
    files: dict[PlannedModel, list[str]] = {}
    for task in translate.part_tasks:
        model = work.models.get(corpus_of(task.part))
        if model is not None and corpus_of(task.part) not in work.existing:
            files.setdefault(model, []).append(task.input("ingest"))
    for model, of_it in files.items():
        if model.options.precision != "float32" and not model.options.force_precision:
            _check_model(workspace, translate, model, tuple(of_it), seed, runner, notify)


def _check_model(
    workspace: Workspace,
    translate: Stage,
    model: PlannedModel,
    files: tuple[str, ...],
    seed: int,
    runner: Runner,
    notify: Callable[[str], None],
) -> None:
    options = model.options
    made_of = {**{name: getattr(options, name) for name in _COUNTS}, "model": model.digest}
    key = digest("precision", VERSION, SAMPLE, made_of)
    comparison = read_comparison(workspace, STAGE, key)
    if comparison is None:
        notify(f"translate: comparing {options.precision} with float32 on up to {SAMPLE:,} sentences")
        job = ComparePrecision(STAGE, files, options, derive_seed(seed, "precision"), model.digest)
        run_single_job(workspace, job, Task("", key, ()), made_of, runner, translate.gpu)
        comparison = read_comparison(workspace, STAGE, key)
        assert comparison is not None
    against = objection(comparison)
    if against is not None:
        raise RecipeError(
            f"translate.precision {options.precision} is refused: {against} ({comparison.summary()}); "
            "set precision: float32, or force_precision: true to use it anyway"
        )
    notify(f"translate: {options.precision} is as good as float32: {comparison.summary()}")
