"""Runners: their options on the command line, what they refuse before anything is sent, what Beam is told."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from apache_beam.options.pipeline_options import (
    FlinkRunnerOptions,
    PipelineOptions,
    PortableOptions,
    SparkRunnerOptions,
    StandardOptions,
    WorkerOptions,
)
from corpus import recipe_text
from typer.testing import CliRunner

from paranmt.base.errors import RecipeError, RunnerError
from paranmt.launch.cli import app
from paranmt.launch.options.field_options import field_help
from paranmt.launch.runners import RUNNERS
from paranmt.launch.runners.dask import DaskRunner
from paranmt.launch.runners.dataflow import DataflowRunner
from paranmt.launch.runners.flink import FlinkRunner
from paranmt.launch.runners.local import LocalRunner
from paranmt.launch.runners.portable import PortableRunner
from paranmt.launch.runners.profile import Profile
from paranmt.launch.runners.runner_options import make_runner
from paranmt.launch.runners.spark import SparkRunner

WORK = "/tmp/work"


@pytest.fixture
def listener() -> Iterator[str]:
    """The address of something that answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where nothing listens; its port is held, so that no other process can begin to."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"


REFUSED: list[tuple[Profile, str, str]] = [
    (PortableRunner(), WORK, "needs --job-endpoint"),
    (PortableRunner(job_endpoint="here"), WORK, "--job-endpoint: expected HOST:PORT, got 'here'"),
    (PortableRunner(job_endpoint="a:99999"), WORK, "expected HOST:PORT"),
    (PortableRunner(job_endpoint="NOBODY"), WORK, "no job server answers at 127.0.0.1:"),
    (PortableRunner(job_endpoint="NOBODY", environment_type="process"), WORK, "expected external, docker"),  # type: ignore[arg-type]
    (PortableRunner(job_endpoint="NOBODY", environment_type="docker"), WORK, "needs --environment-config"),
    (PortableRunner(job_endpoint="NOBODY"), "memory://work", "cannot see memory://work"),
    (FlinkRunner(), WORK, "needs --flink-master HOST:PORT, for which Beam starts a job server, or --job-"),
    (FlinkRunner(flink_master="http://NOBODY"), WORK, "--flink-master: no Flink job manager answers"),
    (FlinkRunner(job_endpoint="NOBODY"), WORK, "--job-endpoint: no job server"),
    (FlinkRunner(flink_master="http://LISTENER"), WORK, "does not answer as Flink does"),
    (SparkRunner(), WORK, "needs --spark-master"),
    (SparkRunner(spark_master="head"), WORK, "expected spark://HOST:PORT, yarn"),
    (SparkRunner(spark_master="spark://NOBODY"), WORK, "no Spark master answers"),
    (DaskRunner(), WORK, "--runner dask needs --dask-scheduler, such as --dask-scheduler tcp://head:8786"),
    (DaskRunner(scheduler="tcp://NOBODY"), WORK, "no Dask scheduler answers"),
    (DaskRunner(scheduler="tcp://NOBODY"), "memory://work", "cannot see memory://work"),
]


@pytest.mark.parametrize(("runner", "workspace", "said"), REFUSED, ids=lambda value: str(value)[:60])
def test_what_cannot_work_is_refused_in_one_line(
    runner: Profile, workspace: str, said: str, nobody: str, listener: str
) -> None:
    values = {each.name: getattr(runner, each.name) for each in fields(runner)}
    for name, value in values.items():
        if isinstance(value, str):
            values[name] = value.replace("NOBODY", nobody).replace("LISTENER", listener)
    with pytest.raises(RunnerError, match=said.replace("(", r"\(")) as caught:
        type(runner)(**values).check(workspace)
    assert "\n" not in str(caught.value)


def test_what_can_work_is_let_pass(listener: str) -> None:
    PortableRunner(job_endpoint=listener).check(WORK)
    PortableRunner(job_endpoint=listener, environment_type="loopback").check("memory://work")
    FlinkRunner(job_endpoint=listener).check("s3://bucket/work")
    SparkRunner(spark_master="yarn").check(WORK)
    LocalRunner().check("memory://work")


def test_flink_is_asked_for_its_slots() -> None:
    class Overview(BaseHTTPRequestHandler):
        slots = 6

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"taskmanagers": 3, "slots-total": %d}' % Overview.slots)

        def log_message(self, *what: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Overview) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        runner = FlinkRunner(flink_master=f"127.0.0.1:{server.server_port}")
        runner.check(WORK)
        assert "--parallelism=6" in runner.job_options("translate", gpu=False)
        Overview.slots = 0
        with pytest.raises(RunnerError, match="has no task managers; start some"):
            runner.check(WORK)
        server.shutdown()


@pytest.mark.timeout(60)
def test_what_answers_is_no_dask_scheduler(listener: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranmt.launch.runners.dask.ANSWER_SECONDS", 1)
    with pytest.raises(RunnerError, match="does not answer as a Dask scheduler"):
        DaskRunner(scheduler=f"tcp://{listener}").check(WORK)


DATAFLOW: dict[str, Any] = {
    "project": "p",
    "region": "europe-west4",
    "temp_location": "gs://b/t",
    "image": "r/paranmt:1",
}


def test_dataflow_refuses_what_its_workers_cannot_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranmt.launch.runners.dataflow.require_package", lambda *names: None)
    DataflowRunner(**DATAFLOW).check("gs://b/work")
    for changed, said in (
        ({"project": None}, "needs --dataflow-project"),
        ({"image": None}, "needs --dataflow-image"),
        ({"temp_location": "/tmp"}, "expected gs://…, got '/tmp'"),
        ({"accelerator": "one L4"}, "expected a type such as nvidia-l4"),
        ({"max_workers": 0}, "expected at least 1, got 0"),
    ):
        with pytest.raises((RunnerError, RecipeError), match=said):
            DataflowRunner(**DATAFLOW | changed).check("gs://b/work")
    with pytest.raises(RunnerError, match="its workers cannot read the workspace /work"):
        DataflowRunner(**DATAFLOW).check("/work")


def test_dataflow_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RunnerError, match=r"not installed: pip install 'apache-beam\[gcp\]'"):
        DataflowRunner(**DATAFLOW).check("gs://b/work")


def test_dataflow_takes_machines_with_gpus_only_where_they_are_used() -> None:
    runner = DataflowRunner(
        **DATAFLOW, machine_type="n2-standard-8", gpu_machine_type="g2-standard-8", accelerator="nvidia-l4"
    )
    plain = PipelineOptions(runner.job_options("score/perplexity", gpu=False))
    fast = PipelineOptions(runner.job_options("translate", gpu=True))
    assert plain.view_as(WorkerOptions).machine_type == "n2-standard-8"
    assert fast.view_as(WorkerOptions).machine_type == "g2-standard-8"
    assert not plain.get_all_options()["dataflow_service_options"]
    assert fast.get_all_options()["dataflow_service_options"] == [
        "worker_accelerator=type:nvidia-l4;count:1;install-nvidia-driver"
    ]
    assert "no_use_multiple_sdk_containers" in fast.get_all_options()["experiments"]
    assert "no_use_multiple_sdk_containers" not in plain.get_all_options()["experiments"]
    assert plain.get_all_options()["job_name"] == "paranmt-score-perplexity"


def told(runner: Profile, gpu: bool = False) -> PipelineOptions:
    return runner.pipeline("score/sentence_bleu", 8, 100.0, gpu).options


def test_gpu_stages_go_to_workers_of_their_own() -> None:
    runner = PortableRunner(
        job_endpoint="a:1", environment_config="cpu:50000", gpu_environment_config="gpu:50000", parallelism=4
    )
    assert told(runner).view_as(PortableOptions).environment_config == "cpu:50000"
    assert told(runner, gpu=True).view_as(PortableOptions).environment_config == "gpu:50000"
    alone = PortableRunner(job_endpoint="a:1")
    assert told(alone, gpu=True).view_as(PortableOptions).environment_config == "localhost:50000"
    dask = DaskRunner(scheduler="tcp://a:1", gpu_scheduler="tcp://b:2")
    assert dask.pipeline("translate", 1, 0.0).options.get_all_options()["address"] == "tcp://a:1"
    assert dask.pipeline("translate", 1, 0.0, gpu=True).options.get_all_options()["address"] == "tcp://b:2"


def test_what_beam_is_told() -> None:
    runner = FlinkRunner(flink_master="jm:8081", parallelism=3, beam_options=("--flink_version=1.19",))
    flink = told(runner)
    assert flink.view_as(FlinkRunnerOptions).flink_master == "jm:8081"
    assert flink.view_as(FlinkRunnerOptions).flink_version == "1.19"
    assert "--parallelism=3" in runner.job_options("translate", gpu=False)
    spark = told(SparkRunner(spark_master="spark://m:7077"))
    assert spark.view_as(SparkRunnerOptions).spark_master_url == "spark://m:7077"
    docker = told(PortableRunner(job_endpoint="a:1", environment_type="docker", environment_config="image:1"))
    assert docker.view_as(PortableOptions).environment_type == "DOCKER"
    assert docker.view_as(PortableOptions).job_endpoint == "a:1"
    loopback = told(PortableRunner(job_endpoint="a:1", environment_type="loopback"))
    assert loopback.view_as(PortableOptions).environment_config is None
    assert loopback.view_as(StandardOptions).runner is None  # the runner is given, not named


def test_local_processes_follow_the_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    def processes(runner: LocalRunner, units: int, gpu: bool = True) -> int:
        pipeline = runner.pipeline("translate", units, 0.0, gpu)
        return 1 if pipeline is None else pipeline.options.get_all_options()["direct_num_workers"]

    monkeypatch.setattr("torch.cuda.device_count", lambda: 4)
    assert processes(LocalRunner(), 100) == 4
    assert processes(LocalRunner(), 3) == 3
    assert processes(LocalRunner(workers=2), 100) == 2
    assert processes(LocalRunner(), 100, gpu=False) == 1
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    assert processes(LocalRunner(), 100) == 1


@pytest.mark.parametrize("name", RUNNERS)
def test_every_option_has_help_and_a_flag_of_its_own(name: str) -> None:
    for flag, field in RUNNERS[name].flags().items():
        assert flag.startswith("--")
        assert field_help(RUNNERS[name], field)[0].isupper()
    assert RUNNERS[name].name == name
    assert (RUNNERS[name].__doc__ or "").endswith(".")


def test_an_option_of_another_runner_is_refused() -> None:
    with pytest.raises(
        RunnerError, match="--flink-master is an option of --runner flink, got --runner local"
    ):
        make_runner("local", {"flink_master": "a:1", "workers": 2}, ())
    with pytest.raises(RunnerError, match="no runner 'flik'; there are: local, portable, flink"):
        make_runner("flik", {}, ())


def test_the_command_line_makes_the_runner(tmp_path: Path, nobody: str) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(recipe_text(tmp_path, {"first": 20}))
    said = CliRunner().invoke(
        app, ["run", str(recipe), "--runner", "flink", "--flink-master", nobody, "--parallelism", "2"]
    )
    assert said.exit_code == 2
    assert f"no Flink job manager answers at {nobody}" in said.output
    assert not (tmp_path / "work").exists(), "nothing may be begun"
