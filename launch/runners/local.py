"""Runner `local`: this machine alone, with nothing besides the package.

Short stages run in this process, and so does translating, whose engine already uses all processors. Long
stages whose parts use one processor each run in one process per processor.
"""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ...base.bounds import MACHINES
from ...base.errors import RunnerError
from .profile import Profile, quiet

if TYPE_CHECKING:
    import apache_beam as beam

WORTH_SECONDS = 10.0
"""From this much work on one core, it pays to start more processes, which takes about four seconds."""


@dataclass(frozen=True)
class LocalRunner(Profile):
    """Runs stages on this machine."""

    name = "local"
    elsewhere = False

    workers: Annotated[int | None, MACHINES] = None
    """How many processes long stages use; by default one per processor, or one per GPU."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if any("multi_threading" in option for option in self.beam_options):
            # In half of the runs with a million records some were lost, without an error.
            raise RunnerError(
                "--direct_running_mode=multi_threading loses rows; leave it out, or use multi_processing"
            )

    @property
    def in_process(self) -> bool:
        is_single = (self.workers or os.cpu_count() or 1) == 1
        return is_single and not any("direct_" in option for option in self.beam_options)

    def check(self, workspace: str) -> None:
        return None

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> "beam.Pipeline | None":
        workers = min(tasks, self._processes(seconds, gpu))
        if workers <= 1 and not self.beam_options:
            return None  # for a small stage, Beam takes longer than the work
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions
        from apache_beam.runners.portability.fn_api_runner import FnApiRunner

        quiet()
        options = list(self.beam_options)
        if workers <= 1:
            return beam.Pipeline(runner=FnApiRunner(), options=PipelineOptions(options))
        from .worker_processes import ForkedEnvironment

        options.append(f"--direct_num_workers={workers}")
        runner = FnApiRunner(default_environment=ForkedEnvironment())
        return beam.Pipeline(runner=runner, options=PipelineOptions(options))

    def _processes(self, seconds: float, gpu: bool) -> int:
        """How many processes pay for the time that they take to start."""
        if gpu:
            import torch

            return min(self.workers or 64, torch.cuda.device_count())
        return 1 if seconds < WORTH_SECONDS else self.workers or os.cpu_count() or 1
