"""Pieces of Kubernetes objects that the clusters and the Job have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

Object = dict[str, Any]

DRIVER = "driver"
PYTHON_USER = 1000
"""Of the project's image; see the Dockerfile."""
_APP = "app.kubernetes.io"
_CACHE = "/cache"


def labels(prefix: str, component: str) -> dict[str, str]:
    """What selects one component of one installation."""
    return {f"{_APP}/name": "paranmt", f"{_APP}/instance": prefix, f"{_APP}/component": component}


def metadata(name: str, prefix: str, namespace: str | None, component: str) -> Object:
    """An object's name and labels."""
    found: Object = {"name": name, "labels": labels(prefix, component)}
    return found if namespace is None else {**found, "namespace": namespace}


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
    """A Service for the pods of one component, the ports by name as their containers have them."""
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
    """A Deployment whose old pods go before new ones come: no two of them share a GPU or a slot."""
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
    """Only the pods of this installation may talk to its pods: whoever reaches a job server can run code."""
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
    """A container without privileges. Memory is as requested; processors may be used beyond it.

    gpu: the name of a resource of which it gets one.
    """
    limits: Object = {"memory": memory, **({gpu: 1} if gpu else {})}
    found: Object = {
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
    return {key: value for key, value in found.items() if value not in ([], None)}


def pod_security(group: int) -> Object:
    """No root; volumes belong to the group of the image's user."""
    return {
        "runAsNonRoot": True,
        "fsGroup": group,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


@dataclass(frozen=True)
class Volumes:
    """What the Job and the workers have alike: storage, environment, and who they are.

    claim: a volume claim, mounted at `mount`. env: variables. secret: a Secret whose keys are variables.
    """

    claim: str | None
    mount: str
    env: Mapping[str, str] = field(default_factory=dict)
    secret: str | None = None
    service_account: str | None = None

    def volumes(self) -> list[Object]:
        """The volumes of a pod."""
        found: list[Object] = [{"name": "cache", "emptyDir": {}}]
        if self.claim:
            found.append({"name": "corpus", "persistentVolumeClaim": {"claimName": self.claim}})
        return found

    def mounts(self) -> list[Object]:
        """Where a container of ours has them."""
        found: list[Object] = [{"name": "cache", "mountPath": _CACHE}]
        if self.claim:
            found.append({"name": "corpus", "mountPath": self.mount})
        return found

    def environment(self, cpus: int) -> list[Object]:
        """Variables. A container that may use 4 processors of 96 sees all of them, so threads are counted."""
        values = {"PARANMT_CACHE": _CACHE, "OMP_NUM_THREADS": str(cpus), **self.env}
        return [{"name": name, "value": value} for name, value in values.items()]

    def env_from(self) -> list[Object]:
        """Variables that the cluster keeps."""
        return [{"secretRef": {"name": self.secret}}] if self.secret else []

    def account(self) -> Object:
        """The service account, where one is named."""
        return {"serviceAccountName": self.service_account} if self.service_account else {}


def to_yaml(data: object) -> str:
    """YAML in blocks; a list is a stream of documents."""
    documents = data if isinstance(data, list) else [data]
    options: Any = {"sort_keys": False, "width": 110, "allow_unicode": True, "default_flow_style": False}
    if isinstance(data, list):
        options["explicit_start"] = True
    return str(yaml.dump_all(documents, Dumper=_Dumper, **options))


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks; nothing by reference, which few readers follow."""

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
