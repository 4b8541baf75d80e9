"""What `launch render` writes: valid for its cluster, whole in itself, and nothing secret in it."""

import functools
import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from apache_beam.options.pipeline_options import (
    DebugOptions,
    GoogleCloudOptions,
    WorkerOptions,
    _BeamArgumentParser,
)
from kubernetes_validate import ValidationError, utils, validate
from typer.testing import CliRunner, Result

from paranmt.base.errors import RecipeError
from paranmt.launch.cli import app
from paranmt.launch.render import TARGETS
from paranmt.launch.render.dataflow_target import as_flags
from paranmt.launch.render.kubernetes import _SCALE, _WAIT, _WAIT_FOR_A_WORKER
from paranmt.launch.render.target import RecipeSource, device_overrides
from paranmt.launch.runners.dataflow import DataflowRunner
from paranmt.pipeline.recipe.recipe import Recipe

IMAGE = "ghcr.io/you/paranmt:0.1"
KUBERNETES = ["kubernetes", "--image", IMAGE, "--namespace", "corpora"]
DATAFLOW = [
    *["dataflow", "--project", "my-project", "--region", "europe-west4"],
    *["--temp-location", "gs://bucket/temp", "--image", IMAGE],
]
# The oldest that keeps init containers running as sidecars, and the newest whose schema is there.
VERSIONS = [version for version in utils.all_versions() if tuple(map(int, version.split(".")[:2])) >= (1, 29)]
FLINK = Path(__file__).resolve().parents[3] / ".build" / "engines" / "flink-home"
DOCS = Path(__file__).resolve().parents[3] / "docs"
REMOTE = """\
workspace: gs://bucket/work
bitext:
  - {corpus: a, format: moses, source: gs://bucket/a.cs, reference: gs://bucket/a.en, source_language: cs}
translate: {model: gs://bucket/cs-en}
select: {everything: {}}
train: {avg: {selection: everything, run_on: workers}, second: {selection: everything}}
"""
LOCAL = """\
workspace: work
bitext:
  - {corpus: a, format: tsv, path: [data/a.tsv, gs://bucket/b.tsv], source_language: cs}
translate: {model: /work/models/cs-en}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(folder: Path) -> Path:
    file = folder / "recipe.yaml"
    file.write_text(REMOTE)
    return file


@pytest.fixture(scope="module", autouse=True)
def schemas_are_read_once() -> Iterator[None]:
    """The validator reads megabytes of JSON for each object."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "schema_contents", functools.cache(utils.schema_contents))
        yield


def rendered(recipe: Path, *arguments: str) -> dict[str, str]:
    out = recipe.parent / "out"
    result = rendering(*arguments, str(recipe), "--out", str(out))
    assert result.exit_code == 0, result.output
    return {file.name: file.read_text() for file in out.iterdir()}


def rendering(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["launch", "render", *arguments])


def objects(files: dict[str, str]) -> list[dict[str, Any]]:
    return [document for text in files.values() for document in yaml.safe_load_all(text)]


def of_kind(found: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in found if each["kind"] == kind}


def pods(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        each["metadata"]["name"]: each["spec"]["template"]
        for each in found
        if each["kind"] in ("Deployment", "Job")
    }


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]


EVERYTHING = [
    *["--workers", "3", "--gpus", "2", "--gpu-node", "gpu=h200", "--gpu-runtime-class", "nvidia"],
    *["--namespace", "corpora", "--service-account", "corpus", "--secret", "s3-credentials"],
    *["--env", "AWS_ENDPOINT_URL=http://minio:9000", "--volume-claim", "corpus", "--name", "news"],
    *[
        "--label",
        "team/owner=corpora",
        "--toleration",
        "spot=true:NoSchedule",
        "--toleration",
        "slow:NoExecute",
    ],
    *["--priority-class", "low", "--pull-secret", "registry", "--cache-size", "200Gi", "--ttl", "3600"],
]
FLINK_GPUS = [*KUBERNETES, "--runner", "flink", "--gpus"]


@pytest.fixture(
    scope="module",
    params=[
        [],
        ["--runner", "dask"],
        ["--gpus", "4"],
        ["--gpus", "4", "--runner", "flink"],
        EVERYTHING,
        [*EVERYTHING, "--runner", "flink"],
    ],
    ids=["flink", "dask", "dask on gpus", "flink on gpus", "everything on dask", "everything on flink"],
)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return objects(rendered(written(tmp_path_factory.mktemp("cluster")), *KUBERNETES, *request.param))


# --- Kubernetes


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_objects_are_valid(cluster: list[dict[str, Any]], version: str) -> None:
    for each in cluster:
        validate(each, version, strict=True)


def test_the_validation_would_find_a_misspelt_key(recipe: Path) -> None:
    found = objects(rendered(recipe, *FLINK_GPUS, "1"))
    deployment = of_kind(found, "Deployment")["paranmt-gpu-taskmanager"]
    deployment["spec"]["template"]["spec"]["initContainers"][0]["resources"]["limit"] = {}
    with pytest.raises(ValidationError):
        validate(deployment, VERSIONS[-1], strict=True)


def test_selectors_match_the_pods_they_mean(cluster: list[dict[str, Any]]) -> None:
    templates = pods(cluster)
    for name, deployment in of_kind(cluster, "Deployment").items():
        wanted = deployment["spec"]["selector"]["matchLabels"]
        matching = [pod for pod, template in templates.items() if matches(wanted, template)]
        assert matching == [name]
    for name, service in of_kind(cluster, "Service").items():
        assert [pod for pod, each in templates.items() if matches(service["spec"]["selector"], each)] == [
            name
        ]
    (policy,) = of_kind(cluster, "NetworkPolicy").values()
    for template in templates.values():
        assert matches(policy["spec"]["podSelector"]["matchLabels"], template)
        (allowed,) = policy["spec"]["ingress"][0]["from"]
        assert matches(allowed["podSelector"]["matchLabels"], template)


def matches(selector: dict[str, str], template: dict[str, Any]) -> bool:
    return selector.items() <= template["metadata"]["labels"].items()


def test_services_lead_to_ports_of_their_pods(cluster: list[dict[str, Any]]) -> None:
    templates = pods(cluster)
    for name, service in of_kind(cluster, "Service").items():
        ports = {
            port["name"]: port["containerPort"]
            for each in containers(templates[name])
            for port in each.get("ports", [])
        }
        for port in service["spec"]["ports"]:
            assert ports[port["targetPort"]] == port["port"]


def test_probes_ask_at_ports_that_are_there(cluster: list[dict[str, Any]]) -> None:
    asked = 0
    for template in pods(cluster).values():
        for each in containers(template):
            names = {port["name"] for port in each.get("ports", [])}
            for probe in [each[key] for key in each if key.endswith("Probe")]:
                (way,) = [probe[key] for key in ("tcpSocket", "httpGet") if key in probe]
                assert way["port"] in names
                asked += 1
    assert asked >= 2


def test_what_is_mounted_is_there(cluster: list[dict[str, Any]]) -> None:
    maps = of_kind(cluster, "ConfigMap")
    for template in pods(cluster).values():
        volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
        mounted = {mount["name"] for each in containers(template) for mount in each.get("volumeMounts", [])}
        assert mounted == set(volumes)
        for volume in volumes.values():
            if "configMap" in volume:
                assert volume["configMap"]["name"] in maps


def test_addresses_are_those_of_services(cluster: list[dict[str, Any]]) -> None:
    """Every HOST:PORT in a command or an argument, and every host in Flink's settings."""
    services = {
        f"{name}:{port['port']}"
        for name, service in of_kind(cluster, "Service").items()
        for port in service["spec"]["ports"]
    }
    found = set()
    for template in pods(cluster).values():
        for each in containers(template):
            for word in [*each.get("command", []), *each.get("args", [])]:
                found |= set(re.findall(r"^(?:--[a-z-]+=|tcp://)?([a-z-]+-(?:cpu|gpu)-[a-z]+:\d+)$", word))
    assert found
    assert found <= services
    for name, each in of_kind(cluster, "ConfigMap").items():
        if "config.yaml" in each["data"]:
            settings = yaml.safe_load(each["data"]["config.yaml"])
            for key in ("jobmanager.rpc", "rest"):
                assert f"{settings[key + '.address']}:{settings[key + '.port']}" in services
            assert settings["jobmanager.rpc.address"].rpartition("-")[0] == name.rpartition("-")[0]


def test_flink_knows_every_setting(recipe: Path, tmp_path: Path) -> None:
    """It passes over keys that it does not know; so they are looked for among its classes' constants."""
    jar = FLINK / "lib" / "flink-dist-1.19.3.jar"
    if not jar.exists():
        pytest.skip(f"there is no {jar}: `make test-engines` fetches it")
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.startswith("org/apache/flink/configuration/")]
        constants = b"".join(archive.read(name) for name in names if name.endswith(".class"))
    (settings,) = (
        each["data"]
        for name, each in of_kind(objects(rendered(recipe, *KUBERNETES)), "ConfigMap").items()
        if name == "paranmt-cpu-flink"
    )
    assert [key for key in yaml.safe_load(settings["config.yaml"]) if key.encode() not in constants] == []
    assert b"taskmanager.numberOfTaskSlotz" not in constants
    for name, text in settings.items():
        (tmp_path / name).write_text(text)
    # Flink's own calculator reads the file and shares out the memory.
    classes = f"{FLINK}/bin/bash-java-utils.jar:{FLINK}/lib/*"
    command = ["java", "-cp", classes, "org.apache.flink.runtime.util.bash.BashJavaUtils"]
    done = subprocess.run(
        [*command, "GET_TM_RESOURCE_PARAMS", "--configDir", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "-D taskmanager.cpu.cores=1.0" in done.stdout


def test_containers_have_no_privileges_and_ask_for_what_they_need(cluster: list[dict[str, Any]]) -> None:
    for template in pods(cluster).values():
        assert template["spec"]["securityContext"]["runAsNonRoot"] is True
        for each in containers(template):
            assert each["securityContext"]["runAsUser"] > 0
            assert each["securityContext"]["allowPrivilegeEscalation"] is False
            assert each["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert {"cpu", "memory"} <= set(each["resources"]["requests"])
            assert "memory" in each["resources"]["limits"]


def test_the_pool_has_the_gpu_and_is_up_before_its_task_manager(recipe: Path) -> None:
    found = objects(rendered(recipe, *FLINK_GPUS, "4", "--workers", "7"))
    templates = pods(found)
    gpus = {
        (name, each["name"]): each["resources"]["limits"].get("nvidia.com/gpu")
        for name, template in templates.items()
        for each in containers(template)
    }
    assert {place for place, count in gpus.items() if count} == {("paranmt-gpu-taskmanager", "worker-pool")}
    assert gpus["paranmt-gpu-taskmanager", "worker-pool"] == 1
    replicas = {name: each["spec"]["replicas"] for name, each in of_kind(found, "Deployment").items()}
    assert (replicas["paranmt-cpu-taskmanager"], replicas["paranmt-gpu-taskmanager"]) == (7, 0)
    for kind in ("cpu", "gpu"):
        (pool,) = templates[f"paranmt-{kind}-taskmanager"]["spec"]["initContainers"]
        assert (pool["image"], pool["args"]) == (IMAGE, ["--worker_pool"])
        assert pool["restartPolicy"] == "Always"
        assert pool["startupProbe"]["tcpSocket"]["port"] == "pool"
        settings = yaml.safe_load(of_kind(found, "ConfigMap")[f"paranmt-{kind}-flink"]["data"]["config.yaml"])
        assert settings["taskmanager.numberOfTaskSlots"] == 1


def steps(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The containers of the Job, and what they do without their scripts."""
    (job,) = of_kind(found, "Job").values()
    return [
        (each["name"], " ".join(word for word in each["command"] if "\n" not in word))
        for each in containers(job["spec"]["template"])
    ]


def test_the_job_goes_through_the_recipe_on_the_right_clusters(recipe: Path) -> None:
    found = steps(objects(rendered(recipe, *FLINK_GPUS, "4", "--workers", "7")))

    def run(arguments: str, kind: str, parallel: int) -> str:
        return (
            f"paranmt run /recipe/recipe.yaml {arguments}--runner flink "
            f"--flink-master paranmt-{kind}-jobmanager:8081 --job-endpoint paranmt-{kind}-jobserver:8099 "
            f"--environment-type external --environment-config localhost:50000 --parallelism {parallel}"
        )

    servers = "paranmt-{0}-jobmanager:8081 paranmt-{0}-jobserver:8099"
    workers = "python -c paranmt-gpu-taskmanager"
    assert found == [
        ("wait", "python -c " + servers.format("cpu")),
        ("until-ingest", run("--until ingest ", "cpu", 7)),
        ("gpus-for-translate", f"{workers} 4"),
        ("wait-for-translate", "python -c " + servers.format("gpu")),
        ("translate", run("--only translate ", "gpu", 4)),
        ("no-gpus-for-until-release", f"{workers} 0"),
        ("until-release", run("--until release ", "cpu", 7)),
        ("gpus-for-train-avg", f"{workers} 4"),
        ("wait-for-train-avg", "python -c " + servers.format("gpu")),
        ("train-avg", run("--only train/avg ", "gpu", 4)),
        ("no-gpus-for-run", f"{workers} 0"),
        ("run", run("", "cpu", 7)),
    ]


def test_gpus_are_dasks_by_default_and_only_there_while_they_are_used(recipe: Path) -> None:
    found = objects(rendered(recipe, *KUBERNETES, "--gpus", "4", "--workers", "7"))
    replicas = {name: each["spec"]["replicas"] for name, each in of_kind(found, "Deployment").items()}
    assert replicas == {
        "paranmt-cpu-scheduler": 1, "paranmt-cpu-worker": 7,
        "paranmt-gpu-scheduler": 1, "paranmt-gpu-worker": 0,
    }  # fmt: skip
    gpus = {
        name: [each["resources"]["limits"].get("nvidia.com/gpu") for each in containers(template)]
        for name, template in pods(found).items()
    }
    assert {name for name, counts in gpus.items() if any(counts)} == {"paranmt-gpu-worker"}
    assert gpus["paranmt-gpu-worker"] == [1]
    taken = steps(found)
    assert taken[:6] == [
        ("wait", "python -c tcp://paranmt-cpu-scheduler:8786"),
        (
            "until-ingest",
            "paranmt run /recipe/recipe.yaml --until ingest --runner dask"
            " --dask-scheduler tcp://paranmt-cpu-scheduler:8786",
        ),
        ("gpus-for-translate", "python -c paranmt-gpu-worker 4"),
        ("wait-for-translate", "python -c tcp://paranmt-gpu-scheduler:8786"),
        (
            "translate",
            "paranmt run /recipe/recipe.yaml --only translate --runner dask"
            " --dask-scheduler tcp://paranmt-gpu-scheduler:8786",
        ),
        ("no-gpus-for-until-release", "python -c paranmt-gpu-worker 0"),
    ]
    (role,), (binding,) = (of_kind(found, kind).values() for kind in ("Role", "RoleBinding"))
    assert role["rules"] == [
        {
            "apiGroups": ["apps"],
            "resources": ["deployments/scale"],
            "resourceNames": ["paranmt-gpu-worker"],
            "verbs": ["get", "patch"],
        }
    ]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    (account,) = of_kind(found, "ServiceAccount")
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": account, "namespace": "corpora"}]
    accounts = {name: template["spec"].get("serviceAccountName") for name, template in pods(found).items()}
    assert {name for name, used in accounts.items() if used} == {"paranmt-run"}


def test_a_given_service_account_may_scale_the_workers(recipe: Path) -> None:
    found = objects(rendered(recipe, *KUBERNETES, *EVERYTHING))
    (binding,) = of_kind(found, "RoleBinding").values()
    assert [subject["name"] for subject in binding["subjects"]] == ["corpus"]
    assert not of_kind(found, "ServiceAccount")


def test_options_of_pods_reach_every_pod(recipe: Path) -> None:
    found = objects(rendered(recipe, *KUBERNETES, *EVERYTHING))
    assert all(each["metadata"]["labels"]["team/owner"] == "corpora" for each in found)
    spot = {"key": "spot", "operator": "Equal", "value": "true", "effect": "NoSchedule"}
    slow = {"key": "slow", "operator": "Exists", "effect": "NoExecute"}
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    for name, template in pods(found).items():
        assert template["metadata"]["labels"]["team/owner"] == "corpora"
        assert template["spec"]["priorityClassName"] == "low"
        assert template["spec"]["imagePullSecrets"] == [{"name": "registry"}]
        own = [gpu] if name == "news-gpu-worker" else []
        assert template["spec"]["tolerations"] == [*own, spot, slow]
        (cache,) = [volume for volume in template["spec"]["volumes"] if volume["name"] == "cache"]
        assert cache["emptyDir"] == {"sizeLimit": "200Gi"}
    # What is built for an object store lies there too, and not in the container's own layer.
    (worker,) = containers(pods(found)["news-gpu-worker"])
    values = {each["name"]: each["value"] for each in worker["env"]}
    assert {"name": "cache", "mountPath": values["TMPDIR"]} in worker["volumeMounts"]
    (job,) = of_kind(found, "Job").values()
    assert job["spec"]["ttlSecondsAfterFinished"] == 3600


def test_the_job_scales_the_workers_by_the_clusters_api(tmp_path: Path) -> None:
    asked: list[tuple[str, str | None, dict[str, Any]]] = []

    class Api(BaseHTTPRequestHandler):
        def do_PATCH(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, self.headers["Authorization"], body))
            self.send_response(200 if self.path.endswith("/worker/scale") else 403)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    key, certificate = tmp_path / "key.pem", tmp_path / "ca.crt"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=api"]
    made += ["-keyout", str(key), "-out", str(certificate), "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(made, check=True, capture_output=True)
    (tmp_path / "token").write_text("t")
    (tmp_path / "namespace").write_text("corpora")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(server.server_port)}
        script = _SCALE.replace("/var/run/secrets/kubernetes.io/serviceaccount", str(tmp_path))
        done, refused = (
            subprocess.run(
                [sys.executable, "-c", script, name, "4"],
                env={**os.environ, **place},
                capture_output=True,
                text=True,
            )
            for name in ("worker", "other")
        )
        server.shutdown()
    path = "/apis/apps/v1/namespaces/corpora/deployments/worker/scale"
    assert asked[0] == (path, "Bearer t", {"spec": {"replicas": 4}})
    assert (done.returncode, done.stdout) == (0, "worker is scaled to 4\n"), done.stderr
    assert refused.returncode == 1 and refused.stderr.count("\n") == 1
    assert "other could not be scaled to 4: HTTP Error 403" in refused.stderr


def test_dasks_commands_work_and_the_job_waits_for_the_first_worker(recipe: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    templates = pods(objects(rendered(recipe, *KUBERNETES, "--runner", "dask")))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"

    def started(name: str) -> "subprocess.Popen[str]":
        (each,) = containers(templates[name])
        text = shlex.join(each["command"]).replace("dask ", f"{sys.executable} -m dask ", 1)
        text = text.replace("paranmt-cpu-scheduler:8786", address).replace("/cache", str(tmp_path))
        text = text.replace("--port 8786", f"--port {address.rpartition(':')[2]}")
        return subprocess.Popen(shlex.split(text), stderr=subprocess.PIPE, text=True)

    waiting = subprocess.Popen([sys.executable, "-c", _WAIT_FOR_A_WORKER, f"tcp://{address}"])
    running = [started("paranmt-cpu-scheduler")]
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=6)
        running.append(started("paranmt-cpu-worker"))
        assert waiting.wait(timeout=60) == 0
    finally:
        for process in [waiting, *reversed(running)]:
            process.terminate()
            process.communicate(timeout=60)


def test_commands_are_those_that_run_knows(recipe: Path) -> None:
    flags = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", CliRunner().invoke(app, ["run", "--help"]).stdout))
    (job,) = of_kind(objects(rendered(recipe, *KUBERNETES, "--gpus", "1")), "Job").values()
    words = [word for each in containers(job["spec"]["template"]) for word in each["command"]]
    dataflow = rendered(recipe, *DATAFLOW, "--accelerator", "nvidia-l4")["run.sh"]
    words += shlex.split(dataflow.partition(" -- ")[0].replace("\\\n", " "), comments=True)
    for name, script in rendered(recipe, "slurm", "--gpus-per-node", "2", "--job-per-phase").items():
        if name.endswith(".sbatch"):
            words += script.split("\nparanmt run ")[1].split("\n")[0].split()
    words += ["--dask-scheduler", "--gpu-dask-scheduler"]
    used = {word for word in words if word.startswith("--")}
    assert {"--until", "--only", "--dataflow-accelerator"} <= used
    assert used <= flags


def test_the_recipe_of_the_run_is_the_one_given(recipe: Path) -> None:
    changed = ["--set", "seed=5"]
    found = objects(rendered(recipe, *KUBERNETES, "--gpus", "1", *changed))
    kubernetes = of_kind(found, "ConfigMap")["paranmt-recipe"]["data"]["recipe.yaml"]
    dataflow = rendered(recipe, *DATAFLOW, "--accelerator", "nvidia-l4", *changed)["recipe.yaml"]
    slurm = rendered(recipe, "slurm", "--gpus-per-node", "1", *changed)["paranmt.sbatch"]
    (slurm,) = re.findall(r"<<'END_OF_RECIPE'\n(.*\n)END_OF_RECIPE\n", slurm, re.S)
    for text, second in ((kubernetes, "cpu"), (dataflow, "cpu"), (slurm, "cuda")):
        changes = [
            "seed=5",
            "translate.device=cuda",
            "train.avg.device=cuda",
            f"train.second.device={second}",
        ]
        assert Recipe.from_yaml(text).canonical() == Recipe.load(recipe, changes).canonical()


def test_relative_paths_are_those_of_the_volume(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(LOCAL)
    found = objects(rendered(file, *KUBERNETES, "--volume-claim", "corpus"))
    given = Recipe.from_yaml(of_kind(found, "ConfigMap")["paranmt-recipe"]["data"]["recipe.yaml"])
    assert given.workspace == "/work/work"
    assert given.bitext[0].path == ("/work/data/a.tsv", "gs://bucket/b.tsv")
    assert given.translate.model == "/work/models/cs-en"
    ours = [
        each for template in pods(found).values() for each in containers(template) if each["image"] == IMAGE
    ]
    assert len(ours) == 3
    for each in ours:
        assert {"name": "corpus", "mountPath": "/work"} in each["volumeMounts"]


def test_the_job_waits_for_servers_that_come_late() -> None:
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    waiting = subprocess.Popen([sys.executable, "-c", _WAIT, f"127.0.0.1:{server.getsockname()[1]}"])
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(timeout=1.5)
    server.listen()
    threading.Thread(target=server.accept, daemon=True).start()
    assert waiting.wait(timeout=30) == 0
    server.close()


# --- Dataflow


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_beam_understands_every_option_of_a_job(recipe: Path, kind: str) -> None:
    more = ["--accelerator", "nvidia-l4", "--public-ips", "no", "--workers", "7"]
    more += ["--service-account", "w@p.iam.gserviceaccount.com", "--subnetwork", "regions/r/subnetworks/s"]
    written = yaml.safe_load(rendered(recipe, *DATAFLOW, *more)[f"{kind}-options.yaml"])
    parsed, unknown = understood(as_flags(written))
    # Two of them Beam calls otherwise once they are read.
    written["machine_type"] = written.pop("worker_machine_type")
    written["use_public_ips"] = not written.pop("no_use_public_ips")
    assert unknown == []
    assert parsed == written
    gpu = "worker_accelerator=type:nvidia-l4;count:1;install-nvidia-driver"
    assert written.get("dataflow_service_options", []) == ([gpu] if kind == "gpu" else [])
    assert ("no_use_multiple_sdk_containers" in written["experiments"]) == (kind == "gpu")
    assert written["machine_type"] == {"cpu": "n2-standard-8", "gpu": "g2-standard-8"}[kind]
    assert written["num_workers"] == written["max_num_workers"] == 7


def understood(flags: list[str]) -> tuple[dict[str, Any], list[str]]:
    """What Beam's options for Dataflow make of flags, without what is as ever; and what they do not know."""
    parser = _BeamArgumentParser(allow_abbrev=False)
    for options in (GoogleCloudOptions, WorkerOptions, DebugOptions):
        options._add_argparse_args(parser)
    given, unknown = parser.parse_known_args(flags)
    return {name: value for name, value in vars(given).items() if value != parser.get_default(name)}, unknown


def test_a_misspelt_option_of_a_job_would_be_found() -> None:
    assert understood(["--num_worker=7", "--num_workers=7"]) == ({"num_workers": 7}, ["--num_worker=7"])


def test_the_runner_says_to_beam_what_the_files_say(recipe: Path) -> None:
    files = rendered(recipe, *DATAFLOW, "--accelerator", "nvidia-l4", "--workers", "7")
    words = shlex.split(files["run.sh"].partition("exec ")[2].replace("\\\n", " "))
    ours, beams = words[: words.index("--")], words[words.index("--") + 1 :]
    given = dict(zip(ours, ours[1:], strict=False))
    texts = {name: given[flag] for flag, name in DataflowRunner.flags().items() if flag in given}
    options: dict[str, Any] = {name: int(text) if text.isdecimal() else text for name, text in texts.items()}
    for kind in ("cpu", "gpu"):
        said = DataflowRunner(beam_options=tuple(beams), **options).job_options("translate", kind == "gpu")
        written = as_flags(yaml.safe_load(files[f"{kind}-options.yaml"]))
        assert sorted(flag for flag in said if not flag.startswith("--job_name=")) == sorted(written)


# --- nothing secret


@pytest.mark.parametrize("target", TARGETS)
def test_credentials_in_a_path_are_refused(target: str, recipe: Path) -> None:
    options = {"kubernetes": KUBERNETES, "dataflow": DATAFLOW, "slurm": ["slurm"]}[target]
    setting = "workspace=s3://AKIA:hidden@bucket/work"
    result = rendering(*options, str(recipe), "--set", setting)
    assert result.exit_code == 2
    assert "workspace contains a user name or a password" in result.stderr
    assert "hidden" not in result.output


def test_no_object_is_a_secret_or_has_one(recipe: Path) -> None:
    files = rendered(recipe, *KUBERNETES, *EVERYTHING)
    assert not of_kind(objects(files), "Secret")
    named = [
        source["secretRef"]["name"]
        for template in pods(objects(files)).values()
        for each in containers(template)
        for source in each.get("envFrom", [])
    ]
    assert set(named) == {"s3-credentials"}
    # The Job's twelve containers and the two kinds of worker, and no scheduler.
    assert len(named) == 14


# --- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*KUBERNETES, "--gpus", "-1"], "--gpus: expected at least 0, got -1"),
        ([*KUBERNETES, "--workers", "0"], "--workers: expected at least 1, got 0"),
        ([*KUBERNETES, "--memory", "lots"], "--memory: expected an amount of memory such as 8Gi"),
        ([*KUBERNETES, "--name", "My_Run"], "--name: expected at most 40 lower-case letters"),
        ([*KUBERNETES, "--mount", "/cache/x"], "--mount: /cache/x is used inside the image"),
        ([*KUBERNETES, "--mount", "/tmp"], "--mount: /tmp is used inside the image"),
        ([*KUBERNETES, "--env", "AWS_SECRET_ACCESS_KEY=x"], "--env: AWS_SECRET_ACCESS_KEY looks like"),
        ([*KUBERNETES, "--gpu-node", "gpu"], "--gpu-node: expected NAME=VALUE, got 'gpu'"),
        ([*KUBERNETES, "--set", "workspace=work"], "workspace is work, which no pod can see"),
        ([*KUBERNETES, "--volume-claim", "c", "--set", "workspace=/home/me"], "volume is mounted at /work"),
        ([*KUBERNETES, "--set", "workspace=memory://x"], "workspace is memory://x, which only one process"),
        ([*KUBERNETES, "--set", "workspace=https://x/y"], "which cannot be written to"),
        ([*KUBERNETES, "--set", "translate.device=cuda"], "translate.device is cuda, but there are no"),
        (
            [*KUBERNETES, "--gpus", "2", "--set", "train.second.device=cuda"],
            "train.second.device is cuda, but the training runs where `run` is called",
        ),
        (
            [*KUBERNETES, "--gpus", "2", "--set", "translate.device=cpu", "--set", "train.avg.run_on=driver"],
            "--gpus: no stage of this recipe would use a GPU",
        ),
        ([*KUBERNETES, "--runner", "spark"], "--runner: expected dask or flink, got 'spark'"),
        ([*KUBERNETES, "--toleration", "spot"], "--toleration: expected KEY=VALUE:NoSchedule"),
        ([*KUBERNETES, "--label", "-a=b"], "--label: expected NAME=VALUE, as Kubernetes writes labels"),
        ([*KUBERNETES, "--cache-size", "lots"], "--cache-size: expected an amount of memory such as 8Gi"),
        ([*KUBERNETES, "--ttl", "-1"], "--ttl: expected at least 0, got -1"),
        (["kubernetes"], "kubernetes needs --image, such as --image ghcr.io/you/paranmt:0.1"),
        (["kubernetes", "--image", IMAGE, "--gpus", "1"], "--gpus needs --namespace"),
        (["kubernetes", "--image", "paranmt"], "--image: expected an image with its tag"),
        (["slurm", "--time", "soon"], "--time: expected a time limit such as 24:00:00"),
        (["slurm", "--memory", "64 GB"], "--memory: expected an amount of memory such as 64G"),
        (["slurm", "--gpus-per-node", "-2"], "--gpus-per-node: expected at least 0, got -2"),
        (["slurm", "--gpus-per-node", "17"], "each of the 17 GPUs needs a processor, and a node has 16"),
        (["slurm", "--gpu-type", "a100"], "--gpu-type needs --gpus-per-node"),
        (["slurm", "--set", "translate.device=cuda"], "give --gpus-per-node, or set translate.device: cpu"),
        (["slurm", "--job-per-phase"], "--job-per-phase needs --gpus-per-node"),
        (["slurm", "--gpu-partition", "g"], "--gpu-partition needs --job-per-phase"),
        (["slurm", "--partition", "a b"], "--partition: expected a name without spaces, got 'a b'"),
        (["slurm", "--set", "workspace=memory://x"], "which only one process can see"),
        (["dataflow"], "dataflow needs --project, such as --project my-project"),
        ([*DATAFLOW, "--set", "workspace=work"], "workspace is work, on this machine's disk"),
        ([*DATAFLOW, "--set", "translate.model=m"], "translate.model is m, on this machine's disk"),
        ([*DATAFLOW, "--accelerator", "nvidia-l4", "--gpu-machine-type", "n1-standard-8"], "the g2 family"),
        ([*DATAFLOW, "--gpu-machine-type", "g2-standard-8"], "needs --accelerator"),
        ([*DATAFLOW, "--set", "translate.device=cuda"], "give --accelerator, or set translate.device: cpu"),
        ([*DATAFLOW, "--workers", "0"], "--workers: expected at least 1, got 0"),
        ([*DATAFLOW, "--temp-location", "s3://b"], "--temp-location: expected gs://BUCKET/FOLDER"),
        ([*DATAFLOW, "--public-ips", "maybe"], "--public-ips: expected yes or no"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_one_line(recipe: Path, arguments: list[str], message: str) -> None:
    out = recipe.parent / "out"
    result = rendering(*arguments, str(recipe), "--out", str(out))
    assert message in result.stderr
    assert (result.exit_code, result.stderr.count("\n"), result.stdout) == (2, 1, "")
    assert not out.exists()


@pytest.mark.parametrize("target", [["slurm"], DATAFLOW, KUBERNETES])
def test_files_of_others_stay(recipe: Path, target: list[str]) -> None:
    out = recipe.parent / "out"
    names = list(rendered(recipe, *target))
    for name in names:  # each alone is in the way of all
        shutil.rmtree(out)
        out.mkdir()
        (out / "notes.txt").write_text("Written by a person")
        (out / name).write_text("mine")
        result = rendering(*target, str(recipe), "--out", str(out))
        assert (
            result.exit_code == 2
            and f"{out / name} is not, or no longer, as paranmt wrote it" in result.stderr
        )
        assert {path.name: path.read_text() for path in out.iterdir()} == {
            "notes.txt": "Written by a person",
            name: "mine",
        }
    (out / names[-1]).unlink()
    (out / names[-1]).symlink_to("notes.txt")
    assert rendering(*target, str(recipe), "--out", str(out)).exit_code == 2
    (out / names[-1]).unlink()
    assert set(rendered(recipe, *target)) == {*names, "notes.txt"}
    result = rendering(*target, str(recipe), "--out", str(out / "notes.txt"))
    assert result.exit_code == 2 and "is no folder to write into" in result.stderr


@pytest.mark.parametrize("target", [["slurm"], DATAFLOW, KUBERNETES])
def test_changed_files_stay(recipe: Path, target: list[str]) -> None:
    out = recipe.parent / "out"
    for name in rendered(recipe, *target):
        file = out / name
        written = file.read_text()
        file.write_text(written + "# more memory\n")
        before = {path.name: path.read_text() for path in out.iterdir()}
        result = rendering(*target, str(recipe), "--out", str(out))
        assert result.exit_code == 2 and f"{file} is not, or no longer, as paranmt wrote it" in result.stderr
        assert {path.name: path.read_text() for path in out.iterdir()} == before
        file.write_text(written)
        assert rendered(recipe, *target)[name] == written


def test_a_changed_file_of_an_earlier_call_stays(recipe: Path) -> None:
    rendered(recipe, *KUBERNETES, "--gpus", "2")
    file = recipe.parent / "out" / "gpu-cluster.yaml"
    file.write_text(file.read_text().replace("replicas: 1", "replicas: 3"))
    result = rendering(*KUBERNETES, str(recipe), "--out", str(recipe.parent / "out"))
    assert f"kept {file}, which was changed" in result.stderr and "replicas: 3" in file.read_text()


def test_devices_are_settled(recipe: Path) -> None:
    load = RecipeSource(recipe).load
    assert device_overrides(load(), 0, "--gpus") == [
        "translate.device=cpu", "train.avg.device=cpu", "train.second.device=cpu",
    ]  # fmt: skip
    # On Slurm the process that runs the recipe is on a node with GPUs too.
    assert device_overrides(load(), 1, "--gpus", driver_gpu=True)[-1] == "train.second.device=cuda"
    assert device_overrides(load(["translate.device=cuda"]), 1, "--gpus")[0] == "train.avg.device=cuda"
    with pytest.raises(RecipeError, match="no stage"):
        device_overrides(load(["translate.engine=ctranslate2", "train.avg.device=cpu"]), 1, "--gpus")


# --- the command


@pytest.mark.parametrize("target", TARGETS)
def test_help_explains_every_option_and_its_examples_work(target: str, recipe: Path) -> None:
    kind = TARGETS[target]
    text = rendering(target, "--help").stdout
    for flag in kind.flags():
        assert f"{flag} " in text
    for example in kind.examples:
        assert example in text
        words = shlex.split(example)[4:]
        assert words[0] == "recipe.yaml"
        words = [word.replace("--out", "-o") for word in words[1:]]
        if "-o" in words:
            words[words.index("-o") + 1] = str(recipe.parent / "out")
        result = rendering(target, str(recipe), *words)
        assert result.exit_code == 0, result.output


def test_the_standard_output_is_a_stream_of_objects(recipe: Path) -> None:
    result = rendering(*KUBERNETES, str(recipe))
    kinds = [document["kind"] for document in yaml.safe_load_all(result.stdout)]
    assert sorted(set(kinds)) == ["ConfigMap", "Deployment", "Job", "NetworkPolicy", "Service"]
    assert result.stderr == ""


def test_files_of_an_earlier_call_do_not_stay(recipe: Path) -> None:
    (recipe.parent / "out").mkdir()
    (recipe.parent / "out" / "mine.yaml").write_text("# mine\n")
    first = rendered(recipe, *KUBERNETES, "--gpus", "2")
    assert "gpu-cluster.yaml" in first
    second = rendered(recipe, *KUBERNETES)
    assert set(second) == {"cpu-cluster.yaml", "job.yaml", "network-policy.yaml", "mine.yaml"}


# --- the page that tells of it


def section(target: str) -> str:
    """What docs/scale.md says of a target."""
    page = DOCS / "scale.md"
    if not page.exists():
        pytest.skip("no docs beside the tests: they run against a wheel")
    text = page.read_text(encoding="utf-8")
    return text.partition(f"\n## {target.capitalize()}\n")[2].partition("\n## ")[0]


def blocks(text: str) -> list[str]:
    """The lines of code blocks, continued ones joined."""
    text = "\n".join(re.findall(r"^```\n(.*?)^```$", text, re.M | re.S))
    return [line.split(" #")[0].strip() for line in text.replace("\\\n", " ").splitlines()]


@pytest.mark.parametrize("target", TARGETS)
def test_the_section_of_a_target_can_be_typed(target: str, recipe: Path) -> None:
    lines = blocks(section(target))
    words = [shlex.split(line) for line in lines if line.startswith("paranmt launch render")]
    assert [each[3] for each in words] == [target]
    (arguments,) = (each[3:] for each in words)
    arguments[arguments.index("recipe.yaml")] = str(recipe)
    folder = arguments.index("--out") + 1
    out = recipe.parent / arguments[folder]
    arguments[folder] = str(out)
    result = rendering(*arguments)
    assert result.exit_code == 0, result.output
    # Files that the page has one use are among those that came.
    for name in re.findall(r"^(?:sbatch |dataflow/)(\S+)", "\n".join(lines), re.M):
        assert (out / name).exists()


def test_objects_that_the_page_names_are_there(recipe: Path) -> None:
    named = set(re.findall(r"\b(paranmt-[a-z-]+)", section("kubernetes")))
    there = {
        each["metadata"]["name"]
        for engine in ("dask", "flink")
        for each in objects(rendered(recipe, *KUBERNETES, "--gpus", "1", "--runner", engine))
    }
    assert len(named) == 14
    assert named <= there


@pytest.mark.parametrize("target", [KUBERNETES, DATAFLOW, ["slurm", "--time", "1:00:00"]])
def test_finished_work_is_computed_again_by_consent_alone(target: list[str], recipe: Path) -> None:
    if target[0] == "slurm":
        recipe.write_text(REMOTE.replace("gs://bucket", "/shared"))
    plain = "".join(rendered(recipe, *target).values())
    assert "--yes" not in plain
    assert "--yes" in "".join(rendered(recipe, *target, "--yes").values())
