"""Real engines, started as their users start them, with `paranmt` from the built wheel on the workers."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

from . import fetch
from .hosts import POOL_PORT, Host, free_port, kill, said, wait_for

OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.text java.time java.util "
    "java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks sun.nio.ch sun.nio.cs "
    "sun.security.action sun.util.calendar"
).split()
Started = subprocess.Popen[bytes]


class Cluster(Protocol):
    """An engine that runs: how to reach it, and who works there."""

    def options(self) -> list[str]:
        """The options of `paranmt run` that send work there."""
        ...

    def workers(self) -> list[psutil.Process]:
        """The Python processes that do the work."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Site:
    """Where the workers' Python is: the interpreter of an environment with the wheel.

    audit: the file in which workers note every part that they finish.
    """

    python: Path
    audit: Path

    def environment(self) -> dict[str, str]:
        """That of workers and of the driver: one thread each, so that all compute the same bytes."""
        return {
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "OMP_NUM_THREADS": "1",
            "OMP_WAIT_POLICY": "PASSIVE",
            "PYTHONPATH": str(Path(__file__).parent / "audit"),
            "PARANMT_AUDIT": str(self.audit),
        }

    def made(self, folder: Path) -> list[str]:
        """Every part below a folder that was finished, as often as it was."""
        lines = self.audit.read_text().splitlines() if self.audit.exists() else []
        return [line for line in lines if line.startswith(f"{folder}/")]


def descendants(processes: Sequence[Started], text: str) -> list[psutil.Process]:
    """Living processes below these whose command line holds a text."""
    found = []
    for process in processes:
        try:
            below = psutil.Process(process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            continue
        for each in below:
            try:
                if text in " ".join(each.cmdline()) and each.status() != psutil.STATUS_ZOMBIE:
                    found.append(each)
            except psutil.NoSuchProcess:
                continue
    return found


class Dask:
    """A scheduler, and a worker on each of the other hosts: one thread, and a nanny that replaces it.

    others: where the workers are; by default two on the scheduler's host.
    """

    def __init__(self, site: Site, folder: Path, host: Host, others: Sequence[Host] = ()) -> None:
        self._port = port = free_port()
        self._site, self._host, self._folder = site, host, folder
        self._others = others or (host, host)
        command = [site.python, "-m", "distributed.cli.dask_scheduler"]
        where = ["--host", host.address, "--port", str(port), "--no-dashboard"]
        # Dask takes a host that is silent for five minutes for lost, unless told otherwise.
        quick = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20 seconds"}
        host.start([*command, *where], folder / "scheduler.log", **site.environment(), **quick)
        wait_for("Dask's scheduler", lambda: said(folder / "scheduler.log", "Scheduler at"))
        self.nannies = [self._start_worker(other) for other in self._others]
        wait_for("Dask's workers", lambda: len(self.workers()) >= len(self._others))

    def _start_worker(self, host: Host) -> Started:
        command = [self._site.python, "-m", "distributed.cli.dask_worker"]
        options = ["--nthreads", "1", "--no-dashboard", "--local-directory", self._folder / "dask"]
        address = f"tcp://{self._host.address}:{self._port}"
        log = self._folder / f"workers-{host.address}.log"
        where = ["--host", host.address]
        return host.start([*command, address, *where, *options], log, **self._site.environment())

    def replace_one(self) -> None:
        """Kill the last worker with its nanny, and start others in their place."""
        kill(self.nannies[-1])
        self.nannies[-1] = self._start_worker(self._others[-1])

    def options(self) -> list[str]:
        return ["--runner", "dask", "--dask-scheduler", f"tcp://{self._host.address}:{self._port}"]

    def workers(self) -> list[psutil.Process]:
        return descendants(self.nannies, "multiprocessing.spawn")

    def close(self) -> None:
        for host in {id(host): host for host in (self._host, *self._others)}.values():
            host.stop()


class Prism:
    """Prism with one worker pool."""

    def __init__(self, site: Site, folder: Path, host: Host, engines: Path) -> None:
        self._port = port = free_port()
        self._host = host
        self.pool = start_pool(site, folder, host)
        binary = fetch.prism(engines)
        ports = [f"--job_port={port}", "--web_port=0", "--serve_http=false"]
        host.start([binary, *ports], folder / "prism.log")
        wait_for("Prism", lambda: listening(host, port))

    def options(self) -> list[str]:
        endpoint = f"{self._host.address}:{self._port}"
        return ["--runner", "portable", "--job-endpoint", endpoint]

    def workers(self) -> list[psutil.Process]:
        return descendants([self.pool], "SdkHarness")

    def replace_one(self) -> None:
        raise NotImplementedError("there is one only")

    def close(self) -> None:
        self._host.stop()


def start_pool(site: Site, folder: Path, host: Host) -> Started:
    """A pool that starts a Python process for each worker that an engine asks for."""
    command = [site.python, "-m", "apache_beam.runners.worker.worker_pool_main"]
    log = folder / f"pool-{host.address}.log"
    pool = host.start([*command, f"--service_port={POOL_PORT}"], log, **site.environment())
    wait_for("the worker pool", lambda: listening(host, POOL_PORT))
    return pool


def listening(host: Host, port: int) -> bool:
    """Whether something listens on a port of a host."""
    look = f"import socket; socket.create_connection(('{host.address}', {port}), 1)"
    done = subprocess.run([*host.prefix, sys.executable, "-c", look], capture_output=True)
    return done.returncode == 0


class Flink:
    """A standalone session cluster: a job manager, and a task manager with a worker pool on each other host.

    hosts: the job manager's and the job server's first; where it is the only one, all are on it.
    """

    def __init__(self, site: Site, folder: Path, hosts: Sequence[Host], engines: Path) -> None:
        self._site, self._folder, self._hosts = site, folder, hosts
        self._home = fetch.flink(engines)
        self._jars = fetch.job_server(engines, "flink")
        head = hosts[0]
        conf = self._configure(head)
        main = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
        java = ["-Xmx512m", "-cp", f"{self._home}/lib/*", main]
        self._java(head, "jobmanager", java, conf, "--executionMode", "cluster")
        wait_for("Flink's job manager", lambda: listening(head, 8081))
        self._workers_hosts = hosts[1:] or hosts
        self.pools = [start_pool(site, folder, host) for host in self._workers_hosts]
        self.managers = {host.address: self.start_manager(host) for host in self._workers_hosts}
        self._start_job_server(head)
        wait_for("Flink's task managers", lambda: self.slots() == 2 * len(self._workers_hosts))

    def _configure(self, host: Host) -> Path:
        """Flink's configuration folder of one host."""
        head = self._hosts[0].address
        folder = self._folder / f"conf-{host.address}"
        folder.mkdir(parents=True, exist_ok=True)
        temporary = self._folder / f"tmp-{host.address}"
        temporary.mkdir(exist_ok=True)
        content = {
            "jobmanager": {
                "bind-host": "0.0.0.0",
                "rpc": {"address": head, "port": 6123},
                "memory": {"process": {"size": "1600m"}},
            },
            "taskmanager": {
                "bind-host": "0.0.0.0",
                "host": host.address,
                "numberOfTaskSlots": 2,
                "memory": {"process": {"size": "1728m"}},
            },
            "parallelism": {"default": 2 * max(1, len(self._hosts) - 1)},
            "rest": {"address": head, "bind-address": "0.0.0.0", "port": 8081},
            "heartbeat": {"interval": 2000, "timeout": 15000},
            "io": {"tmp": {"dirs": str(temporary)}},
        }
        (folder / "config.yaml").write_text(json.dumps(content))  # JSON is YAML
        (folder / "log4j.properties").write_text(
            "rootLogger.level = INFO\nrootLogger.appenderRef.c.ref = c\nappender.c.name = c\n"
            "appender.c.type = CONSOLE\nappender.c.layout.type = PatternLayout\n"
            "appender.c.layout.pattern = %d{HH:mm:ss,SSS} %p %c{1} %m%n\n"
        )
        return folder

    def _java(self, host: Host, name: str, arguments: Sequence[str], conf: Path, *more: str) -> Started:
        opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
        logging = f"-Dlog4j.configurationFile=file:{conf}/log4j.properties"
        command = ["java", *opened, logging, *arguments, "--configDir", str(conf), *more]
        return host.start(command, self._folder / f"{name}-{host.address}.log")

    def start_manager(self, host: Host) -> Started:
        """A task manager with two slots, its memory as Flink's own calculator has it."""
        conf = self._configure(host)
        calculator = [
            "java",
            "-cp",
            f"{self._home}/bin/bash-java-utils.jar:{self._home}/lib/flink-dist-1.19.3.jar",
            "org.apache.flink.runtime.util.bash.BashJavaUtils",
            "GET_TM_RESOURCE_PARAMS",
            "--configDir",
            str(conf),
        ]
        out = subprocess.run(calculator, capture_output=True, text=True, check=True).stdout
        marked = [line.split("EXEC_RESULT:", 1)[1] for line in out.splitlines() if "EXEC_RESULT:" in line]
        jvm, dynamic = (line.split() for line in marked[:2])
        main = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
        started = self._java(host, "taskmanager", [*jvm, "-cp", f"{self._home}/lib/*", main], conf, *dynamic)
        return started

    def replace_one(self) -> None:
        """Kill the last task manager, and start another in its place."""
        host = self._workers_hosts[-1]
        kill(self.managers[host.address])
        self.managers[host.address] = self.start_manager(host)

    def _start_job_server(self, head: Host) -> None:
        logs = ":".join(str(jar) for jar in sorted((self._home / "lib").glob("log4j-*2.17.1.jar")))
        opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
        main = "org.apache.beam.runners.flink.FlinkJobServerDriver"
        options = job_server_options(head, self._folder)
        command = ["java", *opened, "-Xmx1g", "-cp", f"{self._jars}/*:{logs}", main]
        head.start(
            [*command, f"--flink-master={head.address}:8081", *options], self._folder / "job-server.log"
        )
        wait_for("the job server", lambda: listening(head, 8099))

    def slots(self) -> int:
        return int(self._rest("/overview").get("slots-total", 0))

    def _rest(self, path: str) -> dict[str, object]:
        head = self._hosts[0]
        url = f"http://{head.address}:8081{path}"
        look = f"import urllib.request; print(urllib.request.urlopen('{url}', timeout=5).read().decode())"
        done = subprocess.run([*head.prefix, sys.executable, "-c", look], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def options(self) -> list[str]:
        head = self._hosts[0].address
        return ["--runner", "flink", "--flink-master", f"{head}:8081", "--job-endpoint", f"{head}:8099"]

    def workers(self) -> list[psutil.Process]:
        return descendants(self.pools, "SdkHarness")

    def close(self) -> None:
        for host in self._hosts:
            host.stop()


def job_server_options(head: Host, folder: Path) -> list[str]:
    """Ports and folders of a Beam job server."""
    ports = ["--job-port=8099", "--artifact-port=8098", "--expansion-port=8097"]
    return [f"--job-host={head.address}", *ports, f"--artifacts-dir={folder / 'artifacts'}"]


class Spark:
    """A standalone master with one worker of two cores, a worker pool beside it, and a job server."""

    def __init__(self, site: Site, folder: Path, host: Host, engines: Path) -> None:
        self._host = host
        home, jars = fetch.spark(engines), fetch.job_server(engines, "spark")
        everything = ":".join(str(jar) for jar in sorted(jars.glob("*.jar")))
        opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
        classes = f"{home}/jars/*"
        java = ["java", *opened]
        self.pool = start_pool(site, folder, host)
        deploy = "org.apache.spark.deploy"
        where = ["--host", host.address]
        master = [*java, "-Xmx512m", "-cp", classes, f"{deploy}.master.Master", *where, "--port", "7077"]
        environment = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": host.address, "SPARK_SCALA_VERSION": "2.12"}
        host.start([*master, "--webui-port", "18091"], folder / "master.log", **environment)
        wait_for("Spark's master", lambda: listening(host, 7077))
        worker = [*java, "-Xmx512m", "-cp", classes, f"{deploy}.worker.Worker", *where, "-c", "2", "-m", "2g"]
        work = ["--work-dir", str(folder / "spark-work"), "--webui-port", "18092"]
        url = f"spark://{host.address}:7077"
        host.start([*worker, *work, url], folder / "worker.log", **environment)
        wait_for("Spark's worker", lambda: said(folder / "worker.log", "Successfully registered"))
        settings = [
            f"-Dspark.driver.host={host.address}",
            "-Dspark.executor.memory=1g",
            f"-Dspark.executor.extraClassPath={everything}",
            "-Dspark.executor.extraJavaOptions=" + " ".join(opened),
        ]
        server = ["-Xmx1g", *settings, "-cp", f"{jars}/*:{classes}"]
        main = "org.apache.beam.runners.spark.SparkJobServerDriver"
        options = [f"--spark-master-url={url}", *job_server_options(host, folder)]
        host.start([*java, *server, main, *options], folder / "job-server.log", **environment)
        wait_for("the job server", lambda: listening(host, 8099))

    def options(self) -> list[str]:
        endpoint = f"{self._host.address}:8099"
        master = f"spark://{self._host.address}:7077"
        return ["--runner", "spark", "--spark-master", master, "--job-endpoint", endpoint]

    def workers(self) -> list[psutil.Process]:
        return descendants([self.pool], "SdkHarness")

    def replace_one(self) -> None:
        raise NotImplementedError("there is one only")

    def close(self) -> None:
        self._host.stop()
