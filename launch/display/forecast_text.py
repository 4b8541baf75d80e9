"""A forecast as text for the terminal."""

import time
from typing import TYPE_CHECKING

from ...base.durations import duration
from .console import table
from .progress import counted, rated

if TYPE_CHECKING:
    from ...pipeline.stages.kept_forecast import Forecast, Interval, KeptForecast


def forecast_text(kept: "KeptForecast") -> str:
    """A table with one row per stage."""
    forecast = kept.forecast
    with_gpu = any(stage.on_gpu for stage in forecast.stages)
    rows = []
    for stage in forecast.stages:
        process = "GPU" if stage.on_gpu else "process"
        rows.append(
            [
                stage.name,
                "" if stage.pairs_per_second is None else rated(stage.pairs_per_second),
                counted(stage.processes, process)
                if stage.processes == 1
                else f"{stage.processes:,} " + ("GPUs" if stage.on_gpu else "processes"),
                time_span(stage.seconds),
                hours_span(stage.gpu_hours) if stage.on_gpu else "",
                size(stage.bytes.mid),
            ]
        )
    heads = ["stage", "speed of each", "on", "takes", "GPU hours", "disk"]
    if not with_gpu:
        heads.remove("GPU hours")
        rows = [[*row[:4], row[5]] for row in rows]
    return table(heads, rows, right=["speed of each", "takes", "GPU hours", "disk"])


def forecast_summary(forecast: "Forecast") -> str:
    """The whole run in one line.

    For example: 51.4 million pairs: 2.9–3.4 h on 4 GPUs, 11.6–13.6 GPU h, 38 GB, $29–34
    """
    machines = forecast.machines
    on = counted(machines.gpus, "GPU") if forecast.gpu_hours.mid else ""
    if not on or machines.is_cluster:
        processors = counted(machines.workers, "processor")
        on = f"{on} and {processors}" if on else processors
    figures = [f"{time_span(forecast.seconds)} on {on}"]
    if forecast.gpu_hours.mid:
        figures.append(f"{hours_span(forecast.gpu_hours)} GPU h")
    figures.append(size(forecast.bytes.mid))
    if forecast.money is not None:
        figures.append(f"${span(forecast.money.low, forecast.money.high)}")
    return f"{pairs_text(forecast.pairs)}: {', '.join(figures)}"


def forecast_note(kept: "KeptForecast") -> str:
    """The pilot that the forecast is based on, in one line."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept.made))
    return (
        f"from a pilot of {counted(kept.pilot.pairs, 'pair')} on {kept.host} ({when}, "
        f"{duration(kept.pilot.seconds)}); {kept.forecast.level:.0%} intervals over its parts"
    )


def runner_advice(forecast: "Forecast") -> str | None:
    """Which runner to take on a cluster with GPUs; None without one.

    docs/experiments.md: with preemption, Flink uses 12 to 35 % of the time of 100 GPUs, a queue 93 %.
    """
    if not forecast.gpu_hours.mid or not forecast.machines.is_cluster:
        return None
    return (
        "on a cluster with GPUs, take --runner dask: a lost worker loses only its own part, while on Flink "
        "all workers begin again"
    )


def pairs_text(pairs: int) -> str:
    """A number of pairs, in millions from a million on.

    >>> pairs_text(29_000), pairs_text(51_409_585)
    ('29,000 pairs', '51.4 million pairs')
    """
    return counted(pairs, "pair") if pairs < 1_000_000 else f"{pairs / 1e6:,.1f} million pairs"


def time_span(seconds: "Interval") -> str:
    """An interval of time, with one unit for both ends."""
    for unit, length in (("s", 1.0), ("min", 60.0), ("h", 3_600.0)):
        if seconds.high < 100 * length or unit == "h":
            break
    return f"{span(seconds.low / length, seconds.high / length)} {unit}"


def hours_span(hours: "Interval") -> str:
    """An interval of hours, without a unit."""
    return span(hours.low, hours.high)


def span(low: float, high: float) -> str:
    """Both ends, rounded to the digits that matter; one number if they are then equal.

    >>> span(2.93, 3.41), span(118.2, 131.9), span(0.011, 0.012), span(5.01, 5.04)
    ('2.9–3.4', '118–132', '0.01', '5.0')
    """
    decimals = 0 if high >= 19.95 else 1 if high >= 0.95 else 2
    ends = [f"{end:,.{decimals}f}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else "–".join(ends)


def size(amount: float) -> str:
    """A number of bytes in a readable unit.

    >>> size(512), size(38_400_000_000), size(7_250_000)
    ('1 kB', '38 GB', '7.2 MB')
    """
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if amount >= length:
            return f"{amount / length:,.{1 if amount < 10 * length else 0}f} {unit}"
    return f"{max(1.0, amount / 1e3):,.0f} kB"
