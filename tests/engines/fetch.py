"""Real engines to test on: Flink, Spark, Beam's job servers for both, Prism. `python fetch.py FOLDER`.

Needs pip, Maven, Go and the network, each only for what is not in the folder yet.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

FLINK = "apache-flink-libraries==1.19.3"
SPARK = "pyspark==3.5.6"
PRISM = "github.com/apache/beam/sdks/v2/go/cmd/prism@v2.77.0"
HERE = Path(__file__).resolve().parent


class NotHere(Exception):
    """What an engine needs cannot be had on this machine."""


def flink(folder: Path) -> Path:
    """Flink's home: `lib`, `bin` and `opt` of its distribution, without shell scripts."""
    return _unpacked(folder, "flink-home", FLINK, "deps")


def spark(folder: Path) -> Path:
    """Spark's home."""
    return _unpacked(folder, "spark-home", SPARK, "deps")


def job_server(folder: Path, engine: str) -> Path:
    """The folder of the jars of Beam's job server for an engine, `flink` or `spark`."""
    jars = folder / f"{engine}-job-server"
    if not jars.is_dir():
        work = _fresh(jars)
        shutil.copyfile(HERE / "pom.xml", work / "pom.xml")
        goal = ["dependency:copy-dependencies", "-DoutputDirectory=jars", "-DincludeScope=runtime"]
        _run(["mvn", "-q", "-B", *goal, "-P", engine], work)
        (work / "jars").rename(jars)
        shutil.rmtree(work)
    return jars


def prism(folder: Path) -> Path:
    """Prism, Beam's own portable runner."""
    binary = folder / "bin" / "prism"
    if not binary.is_file():
        work = _fresh(binary.parent)
        _run(["go", "install", PRISM], work, GOBIN=str(work))
        binary.parent.mkdir(parents=True, exist_ok=True)
        (work / "prism").rename(binary)
        shutil.rmtree(work)
    return binary


def _unpacked(folder: Path, name: str, package: str, inside: str) -> Path:
    """A source package from PyPI, unpacked: pip checks it, nothing of it is run or installed."""
    home = folder / name
    if not home.is_dir():
        work = _fresh(home)
        _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", package, "--dest", "."], work)
        (archive,) = work.glob("*.tar.gz")
        with tarfile.open(archive) as content:
            content.extractall(work / "all", filter="data")
        (top,) = (work / "all").iterdir()
        (top / inside).rename(home)
        shutil.rmtree(work)
    return home


def _fresh(target: Path) -> Path:
    work = target.with_name(f".{target.name}-{os.getpid()}")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work


def _run(command: list[str], folder: Path, **environment: str) -> None:
    if shutil.which(command[0]) is None:
        raise NotHere(f"needs {command[0]}")
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=1200
    )
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise NotHere(f"{' '.join(command[:3])} failed: {' '.join(last)}")


if __name__ == "__main__":
    place = Path(sys.argv[1]).resolve()
    for found in (
        prism(place),
        flink(place),
        spark(place),
        job_server(place, "flink"),
        job_server(place, "spark"),
    ):
        print(found)
