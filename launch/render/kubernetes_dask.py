"""One Dask cluster on Kubernetes: a scheduler, and workers with one thread each.

A worker that is lost loses only its own part, which the next free worker takes. A worker that comes late gets
parts, too.
"""

from .kubernetes_objects import (
    CACHE,
    PYTHON_USER,
    Cluster,
    Object,
    Volumes,
    container,
    deployment,
    pod,
    service,
    worker_pod,
)

PORT = 8786


def scheduler_address(cluster_name: str) -> str:
    """The address of the scheduler of a cluster such as `paranmt-gpu`."""
    return f"tcp://{cluster_name}-scheduler:{PORT}"


def cluster_objects(cluster: Cluster, volumes: Volumes) -> list[Object]:
    """All objects of a cluster."""
    where = (cluster.prefix, cluster.namespace)
    name, component = cluster.part("scheduler"), f"{cluster.kind}-scheduler"
    return [
        service(name, *where, component, {"dask": PORT}),
        deployment(name, *where, component, 1, _scheduler(cluster, volumes)),
        deployment(
            cluster.part("worker"),
            *where,
            f"{cluster.kind}-worker",
            cluster.replicas,
            _worker(cluster, volumes),
        ),
    ]


def _scheduler(cluster: Cluster, volumes: Volumes) -> Object:
    scheduler = container(
        "scheduler",
        cluster.image,
        user=PYTHON_USER,
        command=["dask", "scheduler", "--port", str(PORT), "--no-dashboard"],
        cpus=1,
        memory="4Gi",
        ports={"dask": PORT},
        mounts=volumes.mounts()[:1],
        readinessProbe={"tcpSocket": {"port": "dask"}, "periodSeconds": 5},
        livenessProbe={"tcpSocket": {"port": "dask"}, "initialDelaySeconds": 30, "periodSeconds": 60},
    )
    return pod([scheduler], PYTHON_USER, volumes.volumes()[:1])


def _worker(cluster: Cluster, volumes: Volumes) -> Object:
    # Kubernetes limits the memory, and starts the worker again if it has lost its scheduler.
    options = ["--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--no-dashboard"]
    options += ["--local-directory", f"{CACHE}/dask", "--death-timeout", "300"]
    worker = container(
        "worker",
        cluster.image,
        user=PYTHON_USER,
        command=["dask", "worker", scheduler_address(f"{cluster.prefix}-{cluster.kind}"), *options],
        cpus=cluster.sizes.cpus,
        memory=cluster.sizes.memory,
        gpu=cluster.sizes.gpu,
        env=volumes.environment(cluster.sizes.cpus),
        env_from=volumes.env_from(),
        mounts=volumes.mounts(),
    )
    return worker_pod(cluster, volumes, [worker], [])
