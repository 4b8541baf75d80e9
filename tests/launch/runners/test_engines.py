"""Runs on real engines: the local runner's bytes come out, whatever dies on the way.

Dask and Prism are tried in `make test`; those marked `engines`, on Flink, Spark and several hosts, by
`make test-engines`, which also writes the table of docs/experiments.md.
"""

import json
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from corpus import write_bitext
from engines import fetch
from engines.clusters import Cluster, Dask, Flink, Prism, Site, Spark
from engines.hosts import Host, Network, kill, wait_for
from nmt_models import sentences, write_model

ROOT = Path(__file__).resolve().parents[3]
ENGINES = Path(os.environ.get("PARANMT_ENGINES", ROOT / ".build" / "engines"))
ROWS, PART_ROWS = 240, 10
PARTS = ROWS // PART_ROWS
CUT_SECONDS = 40
RECIPE = """\
workspace: {folder}/work
bitext:
  - corpus: made
    format: moses
    source: {folder}/made.cs
    reference: {folder}/made.en
    source_language: cs
ingest: {{part_rows: {part_rows}}}
translate: {{model: {model}, engine: torch, beam: 4, max_length: 30, device: cpu}}
scores:
  translation_cost: {{}}
  sentence_bleu: {{}}
select:
  half: {{where: sentence_bleu_decile > 3, sample: 75}}
release: {{rows_per_file: 100, primary_score: translation_cost}}
"""


@dataclass
class Job:
    """`paranmt run` of a recipe on a cluster's first host, and what is left of it in the workspace."""

    folder: Path
    site: Site
    host: Host
    options: list[str]
    until: str = ""
    process: "subprocess.Popen[bytes] | None" = None
    finished: dict[str, dict[str, int]] = field(default_factory=dict)

    def start(self) -> "subprocess.Popen[bytes]":
        return self._start([*self.options, *(("--until", self.until) if self.until else ())])

    def _start(self, options: list[str]) -> "subprocess.Popen[bytes]":
        command = [self.site.python, "-m", "paranmt", "run", self.folder / "recipe.yaml", "--yes"]
        environment = self.site.environment() | {"PARANMT_CACHE": str(self.site.audit.parent / "cache")}
        self.process = self.host.start([*command, *options], self.folder / "run.log", **environment)
        return self.process

    def log(self) -> str:
        return (self.folder / "run.log").read_text(errors="replace")

    def parts(self, stage: str) -> dict[str, int]:
        """The finished parts of a stage, with the time each was written at."""
        files = sorted((self.folder / "work" / stage).glob("made/*.parquet"))
        return {file.name: file.stat().st_mtime_ns for file in files}

    def reach(self, stage: str, least: int = 3) -> None:
        """Wait until a stage has some of its parts, and not yet all."""

        def there() -> bool:
            assert self.process is not None and self.process.poll() is None, self.log()[-6_000:]
            return len(self.parts(stage)) >= least

        wait_for(f"{least} parts of {stage}", there, 300, 0.004)
        self.finished[stage] = self.parts(stage)
        assert len(self.finished[stage]) < PARTS, f"{stage} was over too soon to disturb it"

    def finish(self, expected: dict[str, bytes]) -> None:
        """The run ends well, with the local runner's bytes, and no finished part was made again.

        What comes after `until` is left to the local runner: a run may move.
        """
        self._end_well()
        if self.until:
            self._start(["--workers", "1"])
            self._end_well()
        assert released(self.folder) == expected
        for stage, before in self.finished.items():
            assert before.items() <= self.parts(stage).items(), f"{stage}: a finished part was made again"
            attempts = self.attempts(stage)
            begun = {name: attempts[f"made/{name.rpartition('-')[0]}"] for name in before}
            assert set(begun.values()) == {1}, f"{stage}: a finished part was begun again: {begun}"

    def _end_well(self, seconds: float = 900) -> None:
        assert self.process is not None
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        assert code == 0, f"exit {code}\n{self.log()[-6_000:]}"

    def logged(self, stage: str) -> list[dict[str, object]]:
        """What the workers' logs say of a stage's parts, a worker's in order."""
        files = (self.folder / "work/_logs").rglob("*.jsonl")
        whole = [text for file in files for text in file.read_text().splitlines(keepends=True)]
        lines = [json.loads(text) for text in whole if text.endswith("\n")]
        return [line for line in lines if line["stage"] == stage and line["part"]]

    def attempts(self, stage: str) -> Counter[object]:
        """How often each part of a stage was begun."""
        return Counter(line["part"] for line in self.logged(stage) if line["message"] == "part started")

    def kill_a_worker(self, stage: str, cluster: Cluster) -> None:
        """One that has a part in hand; any where none is seen with one for a moment."""
        workers = {process.pid: process for process in cluster.workers()}
        end = time.monotonic() + 1
        while time.monotonic() < end:
            last = {line["process"]: line["message"] for line in self.logged(stage)}
            for pid, message in last.items():
                if message == "part started" and pid in workers:
                    return workers[int(str(pid))].kill()
        next(iter(workers.values())).kill()

    def times_made(self, stage: str) -> Counter[int]:
        """How many parts of a stage were finished once, how many twice, …"""
        made = Counter(self.site.made(self.folder / "work" / stage))
        assert len(made) == PARTS
        return Counter(made.values())


def write_recipe(folder: Path, model: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "made.cs").write_text("".join(line + "\n" for line in sentences(ROWS, 30)))
    shutil.move(write_bitext(folder, "words", ROWS)["en"], folder / "made.en")
    path = folder / "recipe.yaml"
    path.write_text(RECIPE.format(folder=folder, model=model, part_rows=PART_ROWS))
    return path


def released(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((folder / "work/release/data").iterdir())}


@pytest.fixture(scope="session")
def site(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(environment / "bin" / "python", tmp_path_factory.mktemp("audit") / "made.txt")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model") / "m", ends=False)


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory, site: Site, model: Path) -> dict[str, bytes]:
    """The release of the local runner."""
    folder = tmp_path_factory.mktemp("local")
    write_recipe(folder, model)
    job = Job(folder, site, Host(), ["--workers", "1"])
    assert job.start().wait(600) == 0, job.log()[-6_000:]
    found = released(folder)
    assert len(found) == 3
    return found


@pytest.fixture(scope="module")
def stack() -> Iterator[ExitStack]:
    """Closes what a module's tests started."""
    with ExitStack() as everything:
        yield everything


@pytest.fixture(scope="module")
def network(stack: ExitStack) -> Network:
    """Three hosts."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("several hosts need root and `ip` for network namespaces")
    try:
        made = Network()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no network namespaces here: {error.stderr}")
    stack.callback(made.close)
    return made


def fetched(get: Callable[..., Path], *what: str) -> Path:
    try:
        return get(ENGINES, *what)
    except fetch.NotHere as error:
        pytest.skip(f"this engine cannot be had here: {error}")


Begin = Callable[..., Job]


@pytest.fixture
def begin(tmp_path: Path, site: Site, model: Path) -> Iterator[Begin]:
    """Begins a run of a fresh recipe on a cluster, and stops it at the test's end."""
    jobs: list[Job] = []

    def started(cluster: Cluster, host: Host, until: str = "") -> Job:
        write_recipe(tmp_path, model)
        jobs.append(Job(tmp_path, site, host, cluster.options(), until))
        jobs[-1].start()
        return jobs[-1]

    yield started
    for job in jobs:
        if job.process is not None:
            kill(job.process)


@pytest.mark.timeout(900)
def test_prism(
    stack: ExitStack, begin: Begin, tmp_path: Path, site: Site, expected: dict[str, bytes]
) -> None:
    fetched(fetch.prism)
    host = Host()
    stack.callback(host.stop)
    job = begin(Prism(site, tmp_path / "prism", host, ENGINES), host, "score/sentence_bleu")
    job.finish(expected)
    assert job.times_made("translate") == {1: PARTS}


@pytest.mark.timeout(900)
def test_dask_with_killed_workers(
    stack: ExitStack, begin: Begin, tmp_path: Path, site: Site, expected: dict[str, bytes]
) -> None:
    host = Host()
    stack.callback(host.stop)
    cluster = Dask(site, tmp_path / "dask", host)
    job = begin(cluster, host)
    for stage in ("translate", "score/sentence_bleu"):
        job.reach(stage)
        job.kill_a_worker(stage, cluster)
    job.finish(expected)


HEADS = (
    "| engine | what happened meanwhile | parts there | attempts | parts made twice | release | took |\n"
    "|---|---|---|---|---|---|---|\n"
)
MARKS = ("<!-- table: make test-engines -->\n", "<!-- end of table -->\n")


class Matrix:
    """The table of docs/experiments.md: a row for each engine and fault whose test passed."""

    def __init__(self, page: Path) -> None:
        self._page = page

    def forget(self, engine: str, fault: str) -> None:
        self._write({row: text for row, text in self._rows().items() if row != (engine, fault)})

    def add(self, engine: str, fault: str, job: Job, began: float) -> None:
        times = job.times_made("translate")
        again = sum(count * (often - 1) for often, count in times.items())
        attempts = sum(job.attempts("translate").values())
        seconds = time.monotonic() - began
        cells = [
            engine,
            fault,
            f"{PARTS} of {PARTS}",
            str(attempts),
            str(again),
            "identical",
            f"{seconds:.0f} s",
        ]
        self._write(self._rows() | {(engine, fault): f"| {' | '.join(cells)} |"})

    def _rows(self) -> dict[tuple[str, str], str]:
        if not self._page.exists():  # the tests run against the wheel
            return {}
        lines = self._page.read_text().partition(MARKS[0])[2].partition(MARKS[1])[0].splitlines()[2:]
        return {(line.split(" | ")[0].removeprefix("| "), line.split(" | ")[1]): line for line in lines}

    def _write(self, rows: dict[tuple[str, str], str]) -> None:
        if not self._page.exists():
            return
        before, _, rest = self._page.read_text().partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        order = list(FAULTS.values())
        ordered = [rows[row] for row in sorted(rows, key=lambda row: (row[0], order.index(row[1])))]
        table = HEADS + "".join(line + "\n" for line in ordered) if rows else ""
        self._page.write_text(before + MARKS[0] + table + MARKS[1] + after)


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return Matrix(ROOT / "docs" / "experiments.md")


@pytest.fixture(scope="module")
def flink(stack: ExitStack, network: Network, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Flink:
    fetched(fetch.flink)
    fetched(fetch.job_server, "flink")
    cluster = Flink(site, tmp_path_factory.mktemp("flink"), network.hosts, ENGINES)
    stack.callback(cluster.close)
    return cluster


@pytest.fixture(scope="module")
def dask_hosts(
    stack: ExitStack, network: Network, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Dask:
    cluster = Dask(site, tmp_path_factory.mktemp("dask"), network.hosts[0], network.hosts[1:])
    stack.callback(cluster.close)
    return cluster


FAULTS = {
    "nothing": "nothing",
    "workers": "a Python worker killed in `translate`, one in a score",
    "manager": "a host's engine process killed, another started",
    "cable": f"a host cut off for {CUT_SECONDS} seconds",
    "driver": "the driver killed, and started again",
}
# The last stage of the engine where not all are its: a job takes Flink some twenty seconds.
UNTIL = {
    "workers": "score/sentence_bleu",
    "manager": "translate",
    "cable": "translate",
    "driver": "translate",
}


def disturb(fault: str, job: Job, cluster: "Flink | Dask | Spark", network: Network) -> None:
    """Let it happen while stages are being worked on."""
    if fault == "nothing":
        return
    job.reach("translate")
    if fault == "workers":
        job.kill_a_worker("translate", cluster)
        job.reach("score/sentence_bleu", 1)
        job.kill_a_worker("score/sentence_bleu", cluster)
    elif fault == "manager":
        cluster.replace_one()
    elif fault == "cable":
        network.cut(2)
        time.sleep(CUT_SECONDS)
        network.join(2)
    elif fault == "driver":
        assert job.process is not None
        kill(job.process)
        job.start()


@pytest.mark.engines
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("engine", ["flink", "dask"])
def test_three_hosts(
    engine: str,
    fault: str,
    request: pytest.FixtureRequest,
    network: Network,
    begin: Begin,
    matrix: Matrix,
    expected: dict[str, bytes],
) -> None:
    name = f"{engine}, three hosts"
    matrix.forget(name, FAULTS[fault])
    cluster = request.getfixturevalue("flink" if engine == "flink" else "dask_hosts")
    began = time.monotonic()
    job = begin(cluster, network.hosts[0], UNTIL.get(fault, ""))
    disturb(fault, job, cluster, network)
    job.finish(expected)
    matrix.add(name, FAULTS[fault], job, began)


@pytest.mark.engines
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("fault", ["nothing", "workers", "driver"])
def test_spark(
    fault: str,
    stack: ExitStack,
    network: Network,
    begin: Begin,
    tmp_path: Path,
    site: Site,
    matrix: Matrix,
    expected: dict[str, bytes],
) -> None:
    fetched(fetch.spark)
    fetched(fetch.job_server, "spark")
    matrix.forget("spark, standalone", FAULTS[fault])
    host = Host()
    stack.callback(host.stop)
    cluster = Spark(site, tmp_path / "spark", host, ENGINES)
    began = time.monotonic()
    job = begin(cluster, host, UNTIL.get(fault, ""))
    disturb(fault, job, cluster, network)
    job.finish(expected)
    matrix.add("spark, standalone", FAULTS[fault], job, began)
    cluster.close()
