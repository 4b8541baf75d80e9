"""Kubernetes objects, and pieces of them, that the clusters and the Job share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

Object = dict[str, Any]

DRIVER = "driver"
PYTHON_USER = 1000
"""The user of the paranmt image; see the Dockerfile."""
_APP = "app.kubernetes.io"
CACHE = "/cache"
"""Where every paranmt container mounts its cache."""


def labels(prefix: str, component: str) -> dict[str, str]:
    """The labels that select one component of one installation."""
    return {f"{_APP}/name": "paranmt", f"{_APP}/instance": prefix, f"{_APP}/component": component}


def metadata(name: str, prefix: str, namespace: str | None, component: str) -> Object:
    """An object's name and labels."""
    content: Object = {"name": name, "labels": labels(prefix, component)}
    return content if namespace is None else {**content, "namespace": namespace}


def config_map(name: str, prefix: str, namespace: str | None, data: Mapping[str, str]) -> Object:
    """A ConfigMap of text files."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(name, prefix, namespace, "configuration"),
        "data": dict(data),
    }


def service(
    name: str, prefix: str, namespace: str | None, component: str, ports: Mapping[str, int]
) -> Object:
    """A Service for the pods of one component, with the ports of their containers by name."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name, prefix, namespace, component),
        "spec": {
            "selector": labels(prefix, component),
            "ports": [{"name": port, "port": number, "targetPort": port} for port, number in ports.items()],
        },
    }


def deployment(
    name: str, prefix: str, namespace: str | None, component: str, replicas: int, pod: Object
) -> Object:
    """A Deployment that stops its old pods before it starts new ones, so they never share a GPU or a slot."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(name, prefix, namespace, component),
        "spec": {
            "replicas": replicas,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": labels(prefix, component)},
            "template": {"metadata": {"labels": labels(prefix, component)}, "spec": pod},
        },
    }


def network_policy(prefix: str, namespace: str | None) -> Object:
    """A policy by which only pods of this installation reach its pods: a job server runs anyone's code."""
    ours = {"matchLabels": {f"{_APP}/name": "paranmt", f"{_APP}/instance": prefix}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(f"{prefix}-inside-only", prefix, namespace, "network"),
        "spec": {
            "podSelector": ours,
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [{"podSelector": ours}]}],
        },
    }


def container(
    name: str,
    image: str,
    *,
    user: int,
    cpus: float,
    memory: str,
    args: Sequence[str] = (),
    command: Sequence[str] = (),
    env: Sequence[Object] = (),
    env_from: Sequence[Object] = (),
    ports: Mapping[str, int] | None = None,
    mounts: Sequence[Object] = (),
    gpu: str | None = None,
    **more: object,
) -> Object:
    """A container without privileges. Its memory is limited to what it requests, its processors are not.

    gpu: the resource name of the one GPU it gets.
    """
    limits: Object = {"memory": memory, **({gpu: 1} if gpu else {})}
    content: Object = {
        "name": name,
        "image": image,
        "command": list(command),
        "args": list(args),
        "env": list(env),
        "envFrom": list(env_from),
        "ports": [{"name": port, "containerPort": number} for port, number in (ports or {}).items()],
        "resources": {"requests": {"cpu": _quantity(cpus), **limits}, "limits": limits},
        "volumeMounts": list(mounts),
        "securityContext": {
            "runAsUser": user,
            "runAsGroup": user,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        },
        **more,
    }
    return {key: value for key, value in content.items() if value not in ([], None)}


def pod_security(group: int) -> Object:
    """The security settings of a pod: not root, and volumes belong to the group of the image's user."""
    return {
        "runAsNonRoot": True,
        "fsGroup": group,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


@dataclass(frozen=True)
class Volumes:
    """What the Job and the workers share: storage, environment and service account.

    claim: a volume claim, mounted at `mount`. env: environment variables. secret: a Secret whose keys
    become environment variables. cache_size: how large a pod's cache may get.
    """

    claim: str | None
    mount: str
    cache_size: str
    env: Mapping[str, str] = field(default_factory=dict)
    secret: str | None = None
    service_account: str | None = None

    def volumes(self) -> list[Object]:
        """The volumes of a pod."""
        volumes: list[Object] = [{"name": "cache", "emptyDir": {"sizeLimit": self.cache_size}}]
        if self.claim:
            volumes.append({"name": "corpus", "persistentVolumeClaim": {"claimName": self.claim}})
        return volumes

    def mounts(self) -> list[Object]:
        """Where a paranmt container mounts the volumes."""
        mounts: list[Object] = [{"name": "cache", "mountPath": CACHE}]
        if self.claim:
            mounts.append({"name": "corpus", "mountPath": self.mount})
        return mounts

    def environment(self, cpus: int) -> list[Object]:
        """The variables. They limit threads, as a container that may use 4 of 96 processors sees all 96."""
        values = {"PARANMT_CACHE": CACHE, "TMPDIR": CACHE, "OMP_NUM_THREADS": str(cpus), **self.env}
        return [{"name": name, "value": value} for name, value in values.items()]

    def env_from(self) -> list[Object]:
        """The variables from the cluster's Secret."""
        return [{"secretRef": {"name": self.secret}}] if self.secret else []

    def account(self) -> Object:
        """The service account, if one is named."""
        return {"serviceAccountName": self.service_account} if self.service_account else {}


@dataclass(frozen=True)
class Sizes:
    """The resources of a worker's Python processes; gpu: the resource name of its one GPU."""

    cpus: int
    memory: str
    gpu: str | None = None


@dataclass(frozen=True)
class Cluster:
    """A cluster of Flink or Dask with one kind of worker, `cpu` or `gpu`.

    Workers with GPUs start when the Job asks for them.
    """

    prefix: str
    namespace: str | None
    kind: str
    workers: int
    image: str
    sizes: Sizes
    node_labels: Mapping[str, str]
    runtime_class: str | None

    @property
    def replicas(self) -> int:
        """How many workers there are before the Job has begun."""
        return 0 if self.sizes.gpu else self.workers

    def part(self, component: str) -> str:
        """The name of a component: `paranmt-gpu-jobmanager`."""
        return f"{self.prefix}-{self.kind}-{component}"


def pod(containers: list[Object], group: int, volumes: list[Object]) -> Object:
    """A pod that does not talk to the cluster itself."""
    return {
        "securityContext": pod_security(group),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": containers,
        "volumes": volumes,
    }


def worker_pod(
    cluster: Cluster, volumes: Volumes, containers: list[Object], more_volumes: list[Object]
) -> Object:
    """The pod of a worker: where it runs, and as whom."""
    content = {**pod(containers, PYTHON_USER, [*more_volumes, *volumes.volumes()]), **volumes.account()}
    content["automountServiceAccountToken"] = volumes.service_account is not None
    if cluster.node_labels:
        content["nodeSelector"] = dict(cluster.node_labels)
    if cluster.runtime_class:
        content["runtimeClassName"] = cluster.runtime_class
    if cluster.sizes.gpu:
        # Nodes with GPUs are often reserved for pods that tolerate this taint.
        content["tolerations"] = [{"key": cluster.sizes.gpu, "operator": "Exists", "effect": "NoSchedule"}]
    return content


def scaling_role(deployment_name: str, account: str, prefix: str, namespace: str) -> list[Object]:
    """Allow a service account to scale one Deployment, and nothing else."""
    about = metadata(f"{prefix}-gpus", prefix, namespace, DRIVER)
    rbac = "rbac.authorization.k8s.io"
    rule = {
        "apiGroups": ["apps"],
        "resources": ["deployments/scale"],
        "resourceNames": [deployment_name],
        "verbs": ["get", "patch"],
    }
    return [
        {"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": about, "rules": [rule]},
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "RoleBinding",
            "metadata": about,
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": about["name"]},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
        },
    ]


@dataclass(frozen=True)
class PodOptions:
    """Options of all pods. tolerations: `KEY=VALUE:EFFECT` or `KEY:EFFECT`, as `kubectl taint` writes taints.

    labels: also of all other objects. pull_secrets: Secrets with which images are pulled.
    """

    labels: Mapping[str, str]
    tolerations: Sequence[str]
    priority_class: str | None
    pull_secrets: Sequence[str]

    def applied(self, content: Object) -> Object:
        """An object with these options; those that it has already stay."""
        about = {**content["metadata"], "labels": {**self.labels, **content["metadata"]["labels"]}}
        if content["kind"] not in ("Deployment", "Job"):
            return {**content, "metadata": about}
        template = content["spec"]["template"]
        pod_labels = {**self.labels, **template["metadata"]["labels"]}
        spec = {**template["spec"]}
        tolerations = [*spec.get("tolerations", []), *map(_toleration, self.tolerations)]
        more = {
            "tolerations": tolerations,
            "priorityClassName": self.priority_class,
            "imagePullSecrets": [{"name": name} for name in self.pull_secrets],
        }
        spec |= {name: value for name, value in more.items() if value}
        template = {"metadata": {**template["metadata"], "labels": pod_labels}, "spec": spec}
        return {**content, "metadata": about, "spec": {**content["spec"], "template": template}}


def _toleration(text: str) -> Object:
    taint, _, effect = text.rpartition(":")
    key, equals, value = taint.partition("=")
    how = {"operator": "Equal", "value": value} if equals else {"operator": "Exists"}
    return {"key": key, **how, "effect": effect}


def to_yaml(data: object) -> str:
    """YAML in block style; a list becomes a stream of documents."""
    documents = data if isinstance(data, list) else [data]
    options: Any = {"sort_keys": False, "width": 110, "allow_unicode": True, "default_flow_style": False}
    if isinstance(data, list):
        options["explicit_start"] = True
    return str(yaml.dump_all(documents, Dumper=_Dumper, **options))


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and repeats values instead of using aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _quantity(cpus: float) -> str:
    return str(int(cpus)) if cpus == int(cpus) else f"{int(cpus * 1000)}m"
