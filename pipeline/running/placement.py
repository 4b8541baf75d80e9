"""Finds out where a run has GPUs. A recipe that asks for a GPU never falls back to the CPU."""

from collections.abc import Callable

from ...base.errors import RunnerError
from ...transforms.beam.gpus import gpu_names
from ...transforms.beam.probe import WorkerFacts, gpus_of, probe_workers
from ...transforms.beam.runner import Runner
from ...transforms.storage.workspace import Workspace
from ..recipe.recipe import Recipe
from ..stages.stage import Gpus
from .kinds import STAGES


def find_gpus(
    recipe: Recipe,
    runner: Runner,
    workspace: Workspace,
    notify: Callable[[str], None],
    needed: bool = True,
) -> Gpus:
    """Where there are GPUs for this recipe. If the runner has workers elsewhere, they are asked.

    needed: whether stages that use a GPU will be computed. If not, a recipe that asks for `cuda` is trusted,
    so that a filter can be computed again on machines without GPUs. RunnerError if GPUs are needed and a
    worker has none, or if the workers cannot work at all.
    """
    here = bool(gpu_names())
    requested = requested_device(recipe)
    if not runner.elsewhere:
        return Gpus(here, here or (requested == "cuda" and not needed))
    workers = probe_workers(runner, workspace, gpu=False)
    if (needed or requested == "auto") and requested != "cpu" and not any(worker.gpus for worker in workers):
        workers = probe_workers(runner, workspace, gpu=True)
    notify(workers_text(workers))
    without = sorted(host for host, gpus in gpus_of(workers).items() if not gpus)
    if requested == "cuda" and needed and without:
        raise RunnerError(
            f"the recipe asks for device: cuda, but torch finds no GPU on {', '.join(without)}; run the GPU "
            "stages on machines that have one, or set device: cpu"
        )
    return Gpus(here, requested == "cuda" or not without)


def requested_device(recipe: Recipe) -> str:
    """The device for the stages on workers: cuda if any asks for it, cpu if all do, otherwise auto."""
    devices = {device for kind in STAGES.values() for device in kind.devices(recipe)}
    if "cuda" in devices:
        return "cuda"
    return "auto" if "auto" in devices else "cpu"


def workers_text(workers: tuple[WorkerFacts, ...]) -> str:
    """One line about the workers that answered.

    >>> workers_text((WorkerFacts("a", 1, 8, ("GPU-0", "GPU-1"), "3.11.7", "0.1.0"),))
    'workers: 1 process on 1 machine (8 processors, 2 GPUs) answered'
    """
    gpus = sum(gpus_of(workers).values())
    processors = sum({worker.host: worker.processors for worker in workers}.values())

    def counted(number: int, noun: str, ending: str = "s") -> str:
        return f"{number:,} {noun}{ending if number != 1 else ''}"

    machines = counted(len({worker.host for worker in workers}), "machine")
    processes = counted(len(workers), "process", "es")
    has = f"{counted(processors, 'processor')}, {counted(gpus, 'GPU')}"
    return f"workers: {processes} on {machines} ({has}) answered"
