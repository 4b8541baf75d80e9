"""Target `kubernetes`: clusters of Dask or Flink, and a Job that runs the recipe on them.

With GPUs there are two clusters: one whose workers have a GPU each, and one without GPUs. A Flink cluster
gives a job any free slots, and Beam cannot ask for particular ones, so in a mixed cluster the parts of a GPU
stage would land on machines without a GPU. Because each stage is a separate job, and a run continues where
the last one stopped, the Job runs the recipe in turns: up to the GPU stages on the cluster without GPUs, the
GPU stages on the other, and the rest on the first again. Workers with GPUs exist only during the turns on
GPUs: the Job scales their Deployment up before and down to zero afterwards.
"""

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

from ...base.bounds import MACHINES, MACHINES_OR_NONE, NONE_OR_MORE
from ...base.errors import RecipeError
from ..options.field_options import AsOption
from . import kubernetes_dask, kubernetes_flink
from .kubernetes_flink import FlinkImages
from .kubernetes_objects import (
    DRIVER,
    PYTHON_USER,
    Cluster,
    Object,
    PodOptions,
    Sizes,
    Volumes,
    config_map,
    container,
    metadata,
    network_policy,
    pod_security,
    scaling_role,
    to_yaml,
)
from .target import (
    MARK,
    RecipeSource,
    Target,
    check_no_secret,
    check_places,
    device_overrides,
    frozen,
    gpu_stages,
    is_local,
    pairs,
    step_name,
    steps,
)

if TYPE_CHECKING:
    from ...pipeline.recipe.recipe import Recipe

_NAME = r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?"
_DNS = r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"
_LABEL = r"([a-z0-9.-]+/)?{word}=({word})?".format(word="[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_IMAGE = r"[a-z0-9][a-zA-Z0-9._:/-]*(:[A-Za-z0-9._-]+|@sha256:[0-9a-f]{64})"
# Folders of the image and the pods. No volume may be mounted in the first ones, nor directly on the others.
_TAKEN = frozenset("bin boot cache dev etc lib lib64 opt proc recipe run sbin sys usr".split())
_TAKEN_WHOLE = frozenset(("home", "tmp", "var"))
# How often the Job is retried, after growing pauses of 10 s to 6 minutes. Evictions are not counted.
_TRIES = 6
_REACHED = ("jobmanager:8081", "jobserver:8099")
# Images may still be downloading when the Job starts. It waits an hour, as Flink does for its workers.
_WAIT = """\
import socket, sys, time
end = time.monotonic() + 3600
for server in sys.argv[1:]:
    host, port = server.split(":")
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
            break
        except OSError as error:
            if time.monotonic() > end:
                sys.exit(f"{server} did not answer within an hour: {error}")
            time.sleep(2)
"""
# Dask's runner needs one worker to begin with; the others join when they come.
_WAIT_FOR_A_WORKER = """\
import sys
from distributed import Client
with Client(sys.argv[1], timeout=3600) as client:
    try:
        client.wait_for_workers(1, timeout=3600)
    except TimeoutError:
        sys.exit(f"{sys.argv[1]}: no worker joined within an hour")
"""
_SCALE = """\
import json, os, ssl, sys, urllib.error, urllib.request
folder = "/var/run/secrets/kubernetes.io/serviceaccount"
deployment, replicas = sys.argv[1:]
token, namespace = (open(f"{folder}/{name}").read() for name in ("token", "namespace"))
server = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}"
request = urllib.request.Request(
    f"{server}/apis/apps/v1/namespaces/{namespace}/deployments/{deployment}/scale",
    json.dumps({"spec": {"replicas": int(replicas)}}).encode(),
    {"Authorization": f"Bearer {token}", "Content-Type": "application/merge-patch+json"},
    method="PATCH",
)
try:
    urllib.request.urlopen(request, context=ssl.create_default_context(cafile=f"{folder}/ca.crt"), timeout=60)
except urllib.error.HTTPError as error:
    sys.exit(f"{deployment} could not be scaled to {replicas}: {error}; is role.yaml applied?")
print(f"{deployment} is scaled to {replicas}")
"""


@dataclass(frozen=True)
class Kubernetes(Target):
    """Dask or Apache Flink on Kubernetes."""

    name = "kubernetes"
    summary = "Dask or Flink clusters on Kubernetes, and a Job that runs the recipe on them."
    examples = (
        "paranmt launch render kubernetes recipe.yaml --out k8s --image ghcr.io/you/paranmt:0.1 --workers 8",
        "paranmt launch render kubernetes recipe.yaml --out k8s --image ghcr.io/you/paranmt:0.1 --gpus 8"
        " --namespace corpora --volume-claim corpus --mount /work",
    )

    image: str | None = None
    """The paranmt image with its tag, in a registry that the cluster can read."""
    runner: Annotated[str | None, AsOption("dask|flink")] = None
    """The engine; by default dask with GPUs, because a lost worker then loses only its part, else flink."""
    workers: Annotated[int, MACHINES] = 2
    """How many workers without a GPU."""
    cpus: Annotated[int, MACHINES] = 4
    """Processors of each worker without a GPU."""
    worker_memory: Annotated[str, AsOption("SIZE", "--memory")] = "16Gi"
    """Memory of each worker without a GPU."""
    gpus: Annotated[int, MACHINES_OR_NONE] = 0
    """How many workers with one GPU each; 0 for none."""
    gpu_cpus: Annotated[int, MACHINES] = 8
    """Processors of each worker with a GPU."""
    gpu_memory: Annotated[str, AsOption("SIZE")] = "32Gi"
    """Memory of each worker with a GPU."""
    gpu_resource: Annotated[str, AsOption("NAME")] = "nvidia.com/gpu"
    """The cluster's name for a GPU resource."""
    gpu_node: Annotated[tuple[str, ...], AsOption("LABEL=VALUE")] = ()
    """A label of the nodes with GPUs."""
    gpu_runtime_class: Annotated[str | None, AsOption("NAME")] = None
    """The runtime class of pods with GPUs, if the cluster needs one."""
    driver_cpus: Annotated[int, MACHINES] = 4
    """Processors of the Job, which trains models."""
    driver_memory: Annotated[str, AsOption("SIZE")] = "16Gi"
    """Memory of the Job."""
    prefix: Annotated[str, AsOption("NAME", "--name")] = "paranmt"
    """The prefix of the names of all objects."""
    namespace: Annotated[str | None, AsOption("NAME")] = None
    """The namespace; needed with GPUs, by default kubectl's."""
    service_account: Annotated[str | None, AsOption("NAME")] = None
    """The service account of the Job and the workers."""
    secret: Annotated[str | None, AsOption("NAME")] = None
    """An existing Secret of the cluster; its keys become environment variables of Job and workers."""
    env: Annotated[tuple[str, ...], AsOption("NAME=VALUE")] = ()
    """An environment variable of the Job and the workers."""
    volume_claim: Annotated[str | None, AsOption("NAME")] = None
    """A volume claim (ReadWriteMany) that the Job and the workers mount."""
    mount: Annotated[str, AsOption("FOLDER")] = "/work"
    """The folder where the volume is mounted; relative paths of the recipe start there."""
    cache_size: Annotated[str, AsOption("SIZE")] = "64Gi"
    """The disk of each pod for models and files that are being built."""
    pod_labels: Annotated[tuple[str, ...], AsOption("NAME=VALUE", "--label")] = ()
    """A label of all objects and pods."""
    tolerations: Annotated[tuple[str, ...], AsOption("KEY[=VALUE]:EFFECT", "--toleration")] = ()
    """A taint that all pods tolerate, such as spot=true:NoSchedule."""
    priority_class: Annotated[str | None, AsOption("NAME")] = None
    """The priority class of all pods."""
    pull_secrets: Annotated[tuple[str, ...], AsOption("NAME", "--pull-secret")] = ()
    """A Secret for pulling images."""
    ttl: Annotated[int | None, NONE_OR_MORE, AsOption("SECONDS")] = None
    """How long the Job is kept after its end; by default until it is deleted."""
    flink_image: Annotated[str, AsOption("IMAGE")] = "flink:1.19.3-java17"
    """The image of Flink."""
    job_server_image: Annotated[str | None, AsOption("IMAGE")] = None
    """The image of Beam's job server; by default Apache's, for the Beam version installed here."""

    def render(self, source: RecipeSource) -> dict[str, str]:
        self._check()
        recipe = source.load()
        recipe = source.load(device_overrides(recipe, self.gpus, "--gpus"))
        check_places(recipe)
        recipe = self._placed(recipe)
        clusters = [self._cluster("cpu", self.workers, self.cpus, self.worker_memory)]
        if self.gpus:
            clusters.append(self._cluster("gpu", self.gpus, self.gpu_cpus, self.gpu_memory))
        files = {f"{cluster.kind}-cluster.yaml": self._cluster_objects(cluster) for cluster in clusters}
        files["job.yaml"] = [self._recipe_map(recipe), self._job(recipe, source.consent)]
        files["network-policy.yaml"] = [network_policy(self.prefix, self.namespace)]
        if self.gpus:
            files["role.yaml"] = self._role()
        options = PodOptions(
            pairs(self.pod_labels, "--label"), self.tolerations, self.priority_class, self.pull_secrets
        )
        return {
            name: f"# {MARK} kubernetes`.\n{to_yaml([options.applied(each) for each in objects])}"
            for name, objects in files.items()
        }

    def _check(self) -> None:
        self.needed("ghcr.io/you/paranmt:0.1", "image")
        self.matching("dask|flink", "dask or flink", "runner")
        self.check_memory("worker_memory", "gpu_memory", "driver_memory", "cache_size")
        self.matching(
            _IMAGE, "an image with its tag, such as ghcr.io/you/paranmt:0.1", "image", "flink_image"
        )
        self.matching(_IMAGE, "an image with its tag", "job_server_image")
        self.matching(_NAME, "at most 40 lower-case letters, digits and hyphens", "prefix")
        named = ["namespace", "service_account", "secret", "volume_claim", "gpu_runtime_class"]
        named += ["priority_class", "pull_secrets"]
        self.matching(_DNS, "the name of an object (lower-case letters, digits, hyphens and dots)", *named)
        if self.gpus and not self.namespace:
            raise RecipeError(
                "--gpus needs --namespace: the Job may scale the workers with GPUs by a RoleBinding, which "
                "names the namespace of its service account"
            )
        self.matching(
            r"[A-Za-z0-9./_-]+(=[A-Za-z0-9._-]*)?:(NoSchedule|PreferNoSchedule|NoExecute)",
            "KEY=VALUE:NoSchedule or KEY:NoSchedule",
            "tolerations",
        )
        self.matching(_LABEL, "NAME=VALUE, as Kubernetes writes labels", "pod_labels")
        self.matching(r"[a-z0-9.-]+/[A-Za-z0-9._-]+", "a name such as nvidia.com/gpu", "gpu_resource")
        self.matching(r"/[A-Za-z0-9._/-]*[A-Za-z0-9._-]", "an absolute folder", "mount")
        self.matching(r"[A-Za-z_][A-Za-z0-9_]*=.*", "NAME=VALUE", "env")
        check_no_secret(
            pairs(self.env, "--env"), "--env", "put it into a Secret of the cluster and give --secret"
        )
        pairs(self.gpu_node, "--gpu-node")
        top, _, below = self.mount.lstrip("/").partition("/")
        if top in _TAKEN or (not below and top in _TAKEN_WHOLE):
            raise RecipeError(f"--mount: {self.mount} is used inside the image; choose another folder")

    def _placed(self, recipe: "Recipe") -> "Recipe":
        """The recipe with the paths that pods see. RecipeError for paths that no pod can see."""
        from ...pipeline.recipe.recipe_paths import located, paths_of

        local = [(key, path) for key, path in paths_of(recipe) if is_local(path)]
        if not self.volume_claim and local:
            key, path = local[0]
            raise RecipeError(
                f"{key} is {path}, which no pod can see; name an object store, such as s3://bucket/work, "
                "or a shared volume: --volume-claim NAME"
            )
        placed = located(recipe, self.mount)
        for (key, path), (_, given) in zip(paths_of(placed), paths_of(recipe), strict=True):
            if is_local(path) and not path.removeprefix("file://").startswith(self.mount + "/"):
                raise RecipeError(
                    f"{key} is {given}, which no pod can see: the volume is mounted at {self.mount} (--mount)"
                )
        return placed

    def _cluster(self, kind: str, count: int, cpus: int, memory: str) -> Cluster:
        gpu = kind == "gpu"
        return Cluster(
            prefix=self.prefix,
            namespace=self.namespace,
            kind=kind,
            workers=count,
            image=self.image or "",
            sizes=Sizes(cpus, memory, self.gpu_resource if gpu else None),
            node_labels=pairs(self.gpu_node, "--gpu-node") if gpu else {},
            runtime_class=self.gpu_runtime_class if gpu else None,
        )

    @property
    def _engine(self) -> str:
        return self.runner or ("dask" if self.gpus else "flink")

    def _cluster_objects(self, cluster: Cluster) -> list[Object]:
        if self._engine == "dask":
            return kubernetes_dask.cluster_objects(cluster, self._volumes())
        images = FlinkImages(self.flink_image, self.job_server_image or default_job_server())
        return kubernetes_flink.cluster_objects(cluster, images, self._volumes())

    @property
    def _account(self) -> str | None:
        """The service account of the Job, which may scale the workers with GPUs if there are any."""
        return self.service_account or (f"{self.prefix}-run" if self.gpus else None)

    def _role(self) -> list[Object]:
        about = metadata(f"{self.prefix}-run", self.prefix, self.namespace, DRIVER)
        account: list[Object] = [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": about}]
        role = scaling_role(self._gpu_workers, self._account or "", self.prefix, self.namespace or "")
        return role if self.service_account else [*account, *role]

    @property
    def _gpu_workers(self) -> str:
        """The Deployment of the workers with GPUs."""
        return f"{self.prefix}-gpu-{'worker' if self._engine == 'dask' else 'taskmanager'}"

    def _volumes(self) -> Volumes:
        return Volumes(
            claim=self.volume_claim,
            mount=self.mount,
            cache_size=self.cache_size,
            env=pairs(self.env, "--env"),
            secret=self.secret,
            service_account=self.service_account,
        )

    def _recipe_map(self, recipe: "Recipe") -> Object:
        data = {"recipe.yaml": frozen(recipe)}
        return config_map(f"{self.prefix}-recipe", self.prefix, self.namespace, data)

    def _job(self, recipe: "Recipe", consent: list[str]) -> Object:
        volumes = self._volumes()
        containers = [
            container(
                name,
                self.image or "",
                user=PYTHON_USER,
                command=command,
                cpus=self.driver_cpus,
                memory=self.driver_memory,
                env=volumes.environment(self.driver_cpus),
                env_from=volumes.env_from(),
                mounts=[*volumes.mounts(), {"name": "recipe", "mountPath": "/recipe", "readOnly": True}],
            )
            for name, command in self._commands(recipe, consent)
        ]
        recipe_map = {"name": "recipe", "configMap": {"name": f"{self.prefix}-recipe"}}
        pod: Object = {
            "restartPolicy": "Never",
            "securityContext": pod_security(PYTHON_USER),
            "automountServiceAccountToken": self._account is not None,
            "enableServiceLinks": False,
            **({"serviceAccountName": self._account} if self._account else {}),
            "initContainers": containers[:-1],
            "containers": containers[-1:],
            "volumes": [*volumes.volumes(), recipe_map],
        }
        disrupted = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": metadata(f"{self.prefix}-run", self.prefix, self.namespace, DRIVER),
            "spec": {
                "backoffLimit": _TRIES,
                **({"ttlSecondsAfterFinished": self.ttl} if self.ttl is not None else {}),
                "podFailurePolicy": {"rules": [disrupted]},
                "template": {
                    "metadata": {"labels": metadata("", self.prefix, None, DRIVER)["labels"]},
                    "spec": pod,
                },
            },
        }

    def _commands(self, recipe: "Recipe", consent: list[str]) -> list[tuple[str, list[str]]]:
        """The names and commands of the Job's containers, which run one after the other."""
        runs = steps(gpu_stages(recipe) if self.gpus else [])
        commands = [("wait", self._wait("cpu"))]
        last = "cpu"
        for name, kind, arguments in runs:
            if (last, kind) == ("cpu", "gpu"):
                commands.append((step_name(f"gpus-for-{name}"), self._scale(self.gpus)))
                commands.append((step_name(f"wait-for-{name}"), self._wait("gpu")))
            if (last, kind) == ("gpu", "cpu"):
                commands.append((step_name(f"no-gpus-for-{name}"), self._scale(0)))
            commands.append((name, self._run(kind, [*arguments, *consent])))
            last = kind
        return commands

    def _scale(self, replicas: int) -> list[str]:
        return ["python", "-c", _SCALE, self._gpu_workers, str(replicas)]

    def _wait(self, kind: str) -> list[str]:
        name = f"{self.prefix}-{kind}"
        if self._engine == "dask":
            return ["python", "-c", _WAIT_FOR_A_WORKER, kubernetes_dask.scheduler_address(name)]
        return ["python", "-c", _WAIT, *(f"{name}-{server}" for server in _REACHED)]

    def _run(self, kind: str, arguments: list[str]) -> list[str]:
        name = f"{self.prefix}-{kind}"
        words = ["paranmt", "run", "/recipe/recipe.yaml", *arguments, "--runner", self._engine]
        if self._engine == "dask":
            return [*words, "--dask-scheduler", kubernetes_dask.scheduler_address(name)]
        parallel = self.gpus if kind == "gpu" else self.workers
        return [
            *words,
            *["--flink-master", f"{name}-jobmanager:8081", "--job-endpoint", f"{name}-jobserver:8099"],
            *["--environment-type", "external", "--environment-config", "localhost:50000"],
            *["--parallelism", str(parallel)],
        ]


def default_job_server() -> str:
    """Apache's image of the job server for the Beam version installed here."""
    return f"apache/beam_flink1.19_job_server:{version('apache-beam')}"
