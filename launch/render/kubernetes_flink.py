"""One Flink session cluster on Kubernetes: job manager, job server, task managers with a worker pool each.

The pool is a sidecar of its task manager (an init container that keeps running, Kubernetes 1.29 and later),
so it is ready before the first bundle arrives. The pool has the GPU, because its Python worker holds the
model. Two task managers must not share a pool: their workers would have the same name, and the pool would
stop the wrong one. Each task manager has one slot, so only one model uses the GPU.
"""

from dataclasses import dataclass

from .kubernetes_objects import (
    PYTHON_USER,
    Cluster,
    Object,
    Volumes,
    config_map,
    container,
    deployment,
    pod,
    service,
    to_yaml,
    worker_pod,
)

_FLINK_USER = 9999  # `flink` of Flink's image
_POOL_PORT = 50_000
_JOB_MANAGER_PORTS = {"rpc": 6123, "blob": 6124, "rest": 8081}
_JOB_SERVER_PORTS = {"jobs": 8099, "artifacts": 8098, "expansion": 8097}
_TASK_MANAGER_PORTS = {"rpc": 6122}
# Packages of the JDK that Flink and Beam access by reflection; from Java 17 on, they must be opened by name.
_OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.text java.time java.util "
    "java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks sun.nio.ch sun.nio.cs "
    "sun.security.action sun.util.calendar"
).split()


@dataclass(frozen=True)
class FlinkImages:
    """The images of Flink and of Beam's job server for it."""

    flink: str
    job_server: str


def cluster_objects(cluster: Cluster, images: FlinkImages, volumes: Volumes) -> list[Object]:
    """All objects of a cluster."""
    where = (cluster.prefix, cluster.namespace)
    manager, server = f"{cluster.kind}-jobmanager", f"{cluster.kind}-jobserver"
    return [
        config_map(cluster.part("flink"), *where, {"config.yaml": to_yaml(_settings(cluster)), **_LOGGING}),
        service(cluster.part("jobmanager"), *where, manager, _JOB_MANAGER_PORTS),
        deployment(cluster.part("jobmanager"), *where, manager, 1, _job_manager(cluster, images)),
        service(cluster.part("jobserver"), *where, server, _JOB_SERVER_PORTS),
        deployment(cluster.part("jobserver"), *where, server, 1, _job_server(cluster, images)),
        deployment(
            cluster.part("taskmanager"),
            *where,
            f"{cluster.kind}-taskmanager",
            cluster.replicas,
            _task_manager(cluster, images, volumes),
        ),
    ]


def _settings(cluster: Cluster) -> Object:
    return {
        "env.java.opts.all": " ".join(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED),
        "jobmanager.rpc.address": cluster.part("jobmanager"),
        "jobmanager.rpc.port": _JOB_MANAGER_PORTS["rpc"],
        "jobmanager.bind-host": "0.0.0.0",
        "jobmanager.memory.process.size": "1600m",
        "blob.server.port": _JOB_MANAGER_PORTS["blob"],
        "rest.address": cluster.part("jobmanager"),
        "rest.port": _JOB_MANAGER_PORTS["rest"],
        "rest.bind-address": "0.0.0.0",
        # Jobs come through the job server, so nobody needs to upload programs to the web page.
        "web.submit.enable": False,
        "taskmanager.bind-host": "0.0.0.0",
        "taskmanager.rpc.port": _TASK_MANAGER_PORTS["rpc"],
        "taskmanager.memory.process.size": "1728m",
        "taskmanager.numberOfTaskSlots": 1,
        "parallelism.default": cluster.workers,
        # A GPU node and an image of some gigabytes can take long to arrive.
        "slot.request.timeout": 3_600_000,
        # When a worker is lost the job starts again, and finds the parts that are already written.
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 100,
        "restart-strategy.fixed-delay.delay": "10 s",
    }


_LOGGING = {
    "log4j-console.properties": (
        "rootLogger.level = INFO\n"
        "rootLogger.appenderRef.console.ref = Console\n"
        "appender.console.name = Console\n"
        "appender.console.type = CONSOLE\n"
        "appender.console.layout.type = PatternLayout\n"
        "appender.console.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %c{1} %m%n\n"
    )
}


def _job_manager(cluster: Cluster, images: FlinkImages) -> Object:
    manager = container(
        "jobmanager",
        images.flink,
        user=_FLINK_USER,
        args=["jobmanager"],
        cpus=0.5,
        memory="2Gi",
        ports=_JOB_MANAGER_PORTS,
        mounts=[_CONFIGURATION],
        readinessProbe={"httpGet": {"path": "/overview", "port": "rest"}, "periodSeconds": 5},
        livenessProbe={"tcpSocket": {"port": "rpc"}, "initialDelaySeconds": 30, "periodSeconds": 60},
    )
    return pod([manager], _FLINK_USER, [_configuration(cluster)])


def _job_server(cluster: Cluster, images: FlinkImages) -> Object:
    # The job server tells drivers the address it listens on, so that must be the pod's address.
    address = {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
    server = container(
        "jobserver",
        images.job_server,
        user=PYTHON_USER,
        args=[
            f"--flink-master={cluster.part('jobmanager')}:{_JOB_MANAGER_PORTS['rest']}",
            "--job-host=$(POD_IP)",
            f"--job-port={_JOB_SERVER_PORTS['jobs']}",
            f"--artifact-port={_JOB_SERVER_PORTS['artifacts']}",
            f"--expansion-port={_JOB_SERVER_PORTS['expansion']}",
            "--artifacts-dir=/artifacts",
        ],
        cpus=0.5,
        memory="2Gi",
        env=[address],
        ports=_JOB_SERVER_PORTS,
        mounts=[{"name": "artifacts", "mountPath": "/artifacts"}],
        readinessProbe={"tcpSocket": {"port": "jobs"}, "periodSeconds": 5},
    )
    return pod([server], PYTHON_USER, [{"name": "artifacts", "emptyDir": {}}])


def _task_manager(cluster: Cluster, images: FlinkImages, volumes: Volumes) -> Object:
    pool = container(
        "worker-pool",
        cluster.image,
        user=PYTHON_USER,
        args=["--worker_pool"],
        cpus=cluster.sizes.cpus,
        memory=cluster.sizes.memory,
        gpu=cluster.sizes.gpu,
        env=volumes.environment(cluster.sizes.cpus),
        env_from=volumes.env_from(),
        ports={"pool": _POOL_PORT},
        mounts=volumes.mounts(),
        restartPolicy="Always",
        startupProbe={"tcpSocket": {"port": "pool"}, "periodSeconds": 2, "failureThreshold": 150},
        livenessProbe={"tcpSocket": {"port": "pool"}, "periodSeconds": 30, "failureThreshold": 10},
    )
    manager = container(
        "taskmanager",
        images.flink,
        user=_FLINK_USER,
        args=["taskmanager"],
        cpus=0.5,
        memory="2Gi",
        ports=_TASK_MANAGER_PORTS,
        mounts=[_CONFIGURATION],
        livenessProbe={"tcpSocket": {"port": "rpc"}, "initialDelaySeconds": 30, "periodSeconds": 60},
    )
    return {"initContainers": [pool], **worker_pod(cluster, volumes, [manager], [_configuration(cluster)])}


_CONFIGURATION = {"name": "flink", "mountPath": "/opt/flink/conf", "readOnly": True}


def _configuration(cluster: Cluster) -> Object:
    return {"name": "flink", "configMap": {"name": cluster.part("flink")}}
