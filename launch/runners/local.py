"""Profile `local`: this machine alone; needs nothing besides the package.

Short stages, and those that translate (whose engine uses all processors by itself), run in this process.
Long stages whose parts are each bound to one processor run in one process a processor.
"""

import logging
import os
import shlex
import sys
import tempfile
from dataclasses import dataclass

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from ...errors import RecipeError

WORTH_SECONDS = 15.0
"""Work on one core for which starting processes, some three seconds, is worth it."""


@dataclass(frozen=True)
class LocalRunner:
    """Runs stages on this machine.

    workers: processes for long stages; by default one a processor. options: for Beam, as given
    on the command line.
    """

    workers: int | None = None
    options: tuple[str, ...] = ()
    name: str = "local"

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise RecipeError(f"--workers: expected 1 or more, got {self.workers}")
        if any("multi_threading" in option for option in self.options):
            # In half the runs of a million records some were lost, without an error.
            raise RecipeError(
                "--direct_running_mode=multi_threading loses rows; leave it out, or use multi_processing"
            )

    def pipeline(self, stage: str, units: int, seconds: float) -> beam.Pipeline:
        logging.getLogger("apache_beam").setLevel(logging.ERROR)
        workers = self.workers or os.cpu_count() or 1
        options = list(self.options)
        if workers == 1 or units == 1 or seconds < WORTH_SECONDS:
            return beam.Pipeline(runner=FnApiRunner(), options=PipelineOptions(options))
        # Beam's worker processes tell of every step they take; an error comes back through the pipeline.
        log = shlex.quote(os.path.join(tempfile.gettempdir(), f"paranmt-workers-{os.getpid()}.log"))
        command = f"{shlex.quote(sys.executable)} -m apache_beam.runners.worker.sdk_worker_main 2>>{log}"
        runner = FnApiRunner(default_environment=SubprocessSDKEnvironment.from_command_string(command))
        options.append(f"--direct_num_workers={min(workers, units)}")
        return beam.Pipeline(runner=runner, options=PipelineOptions(options))
