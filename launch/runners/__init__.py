"""Runners, which decide where stages run.

Each runner is one module with a frozen dataclass, whose fields are its options. To add a runner, write a
module here and add it to `RUNNERS`. Beam is imported only when a pipeline is made.
"""

from .dask import DaskRunner
from .dataflow import DataflowRunner
from .flink import FlinkRunner
from .local import LocalRunner
from .portable import PortableRunner
from .profile import Profile
from .spark import SparkRunner

RUNNERS: dict[str, type[Profile]] = {
    "local": LocalRunner,
    "portable": PortableRunner,
    "flink": FlinkRunner,
    "spark": SparkRunner,
    "dask": DaskRunner,
    "dataflow": DataflowRunner,
}
