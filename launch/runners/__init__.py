"""Where stages run: one module a runner, each a frozen dataclass whose fields are its options.

To add a runner: one module here, and one word in `RUNNERS`. Beam is imported only where a pipeline is made.
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
