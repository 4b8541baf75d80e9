"""The forecast that a workspace keeps: what a run of its recipe will cost. `forecast/` makes it."""

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from ...transforms.storage.workspace import Workspace
from .samples import Pilot
from .whole import Machines

FORECAST_FILE = "_forecast.json"
LEVEL = 0.9
"""The level of the intervals."""


@dataclass(frozen=True)
class Interval:
    """The best estimate and the bounds of its interval at `LEVEL`."""

    low: float
    mid: float
    high: float


@dataclass(frozen=True)
class StageForecast:
    """What one stage will cost. work: its work key. pairs: how many pairs it processes.

    pairs_per_second: the speed of one process (or GPU), without the time it takes to start. processes: how
    many processes share the stage. seconds: from its start to its end. gpu_hours, cpu_hours: of all GPUs and
    processors that it occupies while it runs. bytes: the size of its dataset.
    """

    name: str
    work: str
    pairs: int
    pairs_per_second: float | None
    processes: int
    on_gpu: bool
    seconds: Interval
    gpu_hours: Interval
    cpu_hours: Interval
    bytes: Interval


@dataclass(frozen=True)
class Forecast:
    """The cost of the whole bitext; money is None if no price is given."""

    pairs: int
    pilot_pairs: int
    level: float
    machines: Machines
    stages: tuple[StageForecast, ...]
    seconds: Interval
    gpu_hours: Interval
    cpu_hours: Interval
    bytes: Interval
    money: Interval | None


@dataclass(frozen=True)
class KeptForecast:
    """The content of the file. key: of the work and the machine it was measured on. made: UNIX time."""

    key: str
    made: float
    host: str
    forecast: Forecast
    pilot: Pilot


_ADAPTER = TypeAdapter(KeptForecast)


def read_forecast(workspace: Workspace) -> KeptForecast | None:
    """The workspace's forecast; None if it has none, or one in the format of another version."""
    content = workspace.read_json(FORECAST_FILE)
    try:
        return None if content is None else _ADAPTER.validate_python(content)
    except ValidationError:
        return None


def keep_forecast(workspace: Workspace, forecast: KeptForecast) -> None:
    """Write the workspace's forecast."""
    workspace.write_json(FORECAST_FILE, _ADAPTER.dump_python(forecast, mode="json"))
