"""The image: built, its worker pool started by Beam's boot binary, and stages of a recipe run in it.

It takes many minutes and some 30 GB of disk, so it runs only when asked for: `make test-image`. Docker or
Podman build from the base images of the Dockerfile; where there is only buildah, the base comes from Debian's
packages (debootstrap) and the boot binary from Beam's source (go), and no registry of images is needed.
PARANMT_TEST_IMAGE may name an image that is there already, which is then not built.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from corpus import recipe_text
from engines.hosts import free_port

ROOT = Path(__file__).resolve().parents[2]
ASKED = os.environ.get("PARANMT_TEST_IMAGE", "")
USER = 1000
POOL = 50_000
STAGES = ("ingest", "translate", "score/perplexity", "score/trigram_overlap")
CERTIFICATES = "/etc/ssl/certs:/etc/ssl/certs:ro"

pytestmark = [
    pytest.mark.skipif(not ASKED, reason="builds an image; asked for by `make test-image`"),
    pytest.mark.skipif(not (ROOT / "Dockerfile").exists(), reason="not in a checkout"),
    pytest.mark.timeout(7200),
]


@dataclass(frozen=True)
class Builder:
    """What builds images and runs commands in them. settings: of its environment, unless set."""

    command: str
    settings: dict[str, str]

    def __call__(self, *arguments: object) -> str:
        done = subprocess.run(
            [self.command, *map(str, arguments)], env={**self.settings, **os.environ}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, (
            f"{self.command} {arguments}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
        return done.stdout.strip()

    def start(self, image: str, folder: Path, log: Path, *words: str) -> "subprocess.Popen[bytes]":
        """A container of the image with the network of this machine, and a folder of it."""
        volume = f"{folder}:{folder}"
        if self.command == "buildah":
            made = self("from", image)
            command = ["buildah", "run", "--volume", volume, made, "--", "/opt/paranmt/entrypoint.sh", *words]
        else:
            command = [self.command, "run", "--rm", "--network", "host", "--volume", volume, image, *words]
        with open(log, "wb") as file:
            return subprocess.Popen(
                command, env={**self.settings, **os.environ}, stdout=file, stderr=file, start_new_session=True
            )


@pytest.fixture(scope="module")
def builder() -> Builder:
    for command in ("docker", "podman"):
        if shutil.which(command) and not subprocess.run([command, "info"], capture_output=True).returncode:
            return Builder(command, {})
    if shutil.which("buildah") is None:
        pytest.skip("nothing here builds images: no docker or podman that answers, and no buildah")
    return Builder("buildah", {"STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"})


@pytest.fixture(scope="module")
def image(builder: Builder, tmp_path_factory: pytest.TempPathFactory) -> str:
    if ASKED not in ("1", "build"):
        return ASKED
    name = "localhost/paranmt"
    if builder.command != "buildah":
        builder("build", "--tag", name, ROOT)
        return name
    for needed in ("debootstrap", "go"):
        if shutil.which(needed) is None:
            pytest.skip(f"buildah alone needs {needed} too, for the base without a registry of images")
    folder = tmp_path_factory.mktemp("image")
    _base(builder, folder)
    _boot(builder, folder)
    bases = ["--build-arg", "BASE=localhost/base", "--build-arg", "BEAM_SDK=localhost/beam"]
    builder("bud", *bases, "--volume", CERTIFICATES, "--tag", name, ROOT)
    return name


def _base(builder: Builder, folder: Path) -> None:
    """Debian with Python 3.11, from Debian's packages."""
    packages = "--include=python3,python3-venv,python3-dev,ca-certificates"
    subprocess.run(
        ["debootstrap", "--variant=minbase", packages, "bookworm", folder / "debian"],
        check=True,
        timeout=1800,
    )
    _from_folder(builder, folder / "debian", "localhost/base")


def _boot(builder: Builder, folder: Path) -> None:
    """Beam's boot binary where its own image has it, from the source of the version that is pinned."""
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    (beam,) = (line.partition("==")[2] for line in constraints if line.startswith("apache-beam=="))
    place = folder / "beam" / "opt" / "apache" / "beam"
    place.mkdir(parents=True)
    source = f"github.com/apache/beam/sdks/v2/python/container@v{beam}"
    subprocess.run(
        ["go", "install", source], env={**os.environ, "GOBIN": str(place)}, check=True, timeout=900
    )
    (place / "container").rename(place / "boot")
    _from_folder(builder, folder / "beam", "localhost/beam")


def _from_folder(builder: Builder, folder: Path, name: str) -> None:
    made = builder("from", "scratch")
    builder("copy", "--quiet", made, folder, "/")
    builder("commit", "--quiet", made, name)
    builder("rm", made)
    shutil.rmtree(folder)


@contextmanager
def stopped_after(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 300
    while True:
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-3000:]
        try:
            socket.create_connection(("localhost", port), timeout=5).close()
            return
        except OSError:
            time.sleep(0.5)


def paranmt(*arguments: object) -> None:
    """The command, whose folders the container's user may write to."""
    words = [sys.executable, "-m", "paranmt", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, umask=0, cwd="/")
    assert done.returncode == 0, done.stderr[-5000:]


def test_stages_run_in_the_image(builder: Builder, image: str, tmp_path: Path) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("localhost", POOL)) == 0:
            pytest.skip(f"port {POOL}, where Beam's boot binary starts the pool, is taken")
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    recipe = folder / "recipe.yaml"
    recipe.write_text(recipe_text(folder, {"first": 230}))
    pool_log, service_log = tmp_path / "pool.log", tmp_path / "service.log"
    pool = builder.start(image, folder, pool_log, "--worker_pool")
    with stopped_after(pool):
        wait_for(POOL, pool, pool_log)
        port = free_port()
        with open(service_log, "wb") as file:
            module = "apache_beam.runners.portability.local_job_service_main"
            service = subprocess.Popen(
                [sys.executable, "-m", module, "--port", str(port)],
                stdout=file, stderr=file, start_new_session=True,
            )  # fmt: skip
        with stopped_after(service):
            wait_for(port, service, service_log)
            where = ["--runner", "portable", "--job-endpoint", f"localhost:{port}"]
            pools = ["--environment-type", "external", "--environment-config", f"localhost:{POOL}"]
            paranmt("run", recipe, "--until", "score", *where, *pools)
    work, alone = folder / "work", tmp_path / "alone"
    paranmt("run", recipe, "--until", "score", "--set", f"workspace={alone}")
    for stage in STAGES:
        there = {file.relative_to(work): file for file in (work / stage).rglob("*.parquet")}
        here = {file.relative_to(alone): file for file in (alone / stage).rglob("*.parquet")}
        assert len(there) > 1
        # Done by the image's user, and to the byte what this machine makes.
        assert {file.stat().st_uid for file in there.values()} == {USER}
        assert {name: file.read_bytes() for name, file in there.items()} == {
            name: file.read_bytes() for name, file in here.items()
        }
