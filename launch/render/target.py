"""The base class of all targets, and the checks that they share."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...base.errors import RecipeError
from ...base.outputs import SEAL
from ..options.field_options import CommandOptions, FieldOption
from .kubernetes_objects import to_yaml

if TYPE_CHECKING:
    from ...pipeline.recipe.recipe import Recipe

MARK = f"{SEAL} launch render"
"""Every rendered file has this near its beginning."""
_SECRET = re.compile(r"(?i)secret|token|passw|credential|api_?key|access_?key|private_?key")
_USER_INFO = re.compile(r"://[^/]*@")
_MEMORY = re.compile(r"[1-9][0-9]*[MG]i")


@dataclass(frozen=True)
class RecipeSource:
    """A recipe as it was given to `render`: its file and the values changed by --set.

    yes: whether the run may recompute hours of finished work; on the cluster there is nobody to ask.
    """

    file: Path
    overrides: tuple[str, ...] = ()
    yes: bool = False

    @property
    def consent(self) -> list[str]:
        """The option `--yes` of `paranmt run`, if it was given."""
        return ["--yes"] if self.yes else []

    def load(self, more: Sequence[str] = ()) -> "Recipe":
        """The recipe with the changes of --set, then those in `more`; its paths are not resolved."""
        from ...pipeline.recipe.recipe import Recipe

        return Recipe.load(self.file, (*self.overrides, *more))


@dataclass(frozen=True)
class Target(CommandOptions, ABC):
    """A kind of cluster with its options; `summary` describes it in the list of targets."""

    name: ClassVar[str]
    summary: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]

    @abstractmethod
    def render(self, source: RecipeSource) -> dict[str, str]:
        """The files, name → text. RecipeError, in one line, if they could not work."""

    def flag(self, name: str) -> str:
        """The flag that sets a field."""
        return FieldOption(type(self), name).flags[0]

    def matching(self, pattern: str, expected: str, *names: str) -> None:
        """RecipeError if one of these texts is given and does not match the whole pattern."""
        for name in names:
            values = getattr(self, name)
            for value in (values,) if isinstance(values, str) else values or ():
                if not re.fullmatch(pattern, value):
                    raise RecipeError(f"{self.flag(name)}: expected {expected}, got {value!r}")

    def needed(self, example: str, name: str) -> str:
        """The value of an option that this target requires."""
        value = getattr(self, name)
        if not value:
            flag = self.flag(name)
            raise RecipeError(f"{self.name} needs {flag}, such as {flag} {example}")
        return str(value)

    def check_memory(self, *names: str) -> None:
        """RecipeError if one of these is not an amount of memory."""
        self.matching(_MEMORY.pattern, "an amount of memory such as 8Gi or 512Mi", *names)


def gpu_stages(recipe: "Recipe", driver_gpu: bool = False) -> list[str]:
    """The stages that may use a GPU: translating, and training on workers.

    driver_gpu: also training on the machine where `run` is called.
    """
    stages = []
    translate = recipe.translate
    can_use_gpu = translate.device == "cuda" or translate.engine != "ctranslate2"
    if translate.device != "cpu" and can_use_gpu and any(not entry.translation for entry in recipe.bitext):
        stages.append("translate")
    stages += [
        f"train/{name}"
        for name, training in recipe.train.items()
        if training.options.device != "cpu" and (driver_gpu or training.run_on == "workers")
    ]
    return stages


def device_overrides(recipe: "Recipe", gpus: int, flag: str, driver_gpu: bool = False) -> list[str]:
    """The changes that replace every device `auto` of a recipe: by cuda if its stage gets a GPU, else by cpu.

    Otherwise `auto` would be resolved where `run` is called, which on most clusters is a machine without a
    GPU. flag: the option that asks for GPUs. driver_gpu: whether the process that runs the recipe has a GPU
    too. RecipeError if the recipe contradicts `gpus`.
    """
    usable = gpu_stages(recipe, driver_gpu)
    if gpus and not usable:
        raise RecipeError(
            f"{flag}: no stage of this recipe would use a GPU; leave {flag} out, or set "
            "translate.device: auto, or to train on workers train.NAME.run_on: workers"
        )
    overrides = []
    for key, device, on_driver in _devices(recipe):
        stage = key.removesuffix(".device").replace(".", "/", 1)
        if device == "cuda" and not gpus:
            raise RecipeError(f"{key} is cuda, but there are no GPUs: give {flag}, or set {key}: cpu")
        if device == "cuda" and on_driver and not driver_gpu:
            raise RecipeError(
                f"{key} is cuda, but the training runs where `run` is called, which has no GPU; "
                f"set {key.replace('device', 'run_on')}: workers"
            )
        if device == "auto":
            overrides.append(f"{key}={'cuda' if gpus and stage in usable else 'cpu'}")
    return overrides


def _devices(recipe: "Recipe") -> Iterator[tuple[str, str, bool]]:
    """The keys of devices, their values, and whether their stage runs where `run` is called."""
    yield "translate.device", recipe.translate.device, False
    for name, training in recipe.train.items():
        yield f"train.{name}.device", training.options.device, training.run_on == "driver"


def steps(on_gpus: list[str]) -> list[tuple[str, str, list[str]]]:
    """The runs that a recipe takes, in order: a name, the kind of machines, and the options of `run`.

    >>> steps([])
    [('run', 'cpu', [])]
    >>> [name for name, kind, arguments in steps(["translate"])]
    ['until-ingest', 'translate', 'run']
    """
    before = {"translate": "ingest", "train": "release"}
    runs: list[tuple[str, str, list[str]]] = []
    for stage in on_gpus:
        until = before[stage.split("/")[0]]
        if f"until-{until}" not in [name for name, _, _ in runs]:
            runs.append((f"until-{until}", "cpu", ["--until", until]))
        runs.append((step_name(stage), "gpu", ["--only", stage]))
    return [*runs, ("run", "cpu", [])]


def step_name(stage: str) -> str:
    """A stage's name as letters, digits and hyphens, as Kubernetes wants names of containers.

    >>> step_name("train/My_avg")
    'train-my-avg'
    """
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in stage.lower())[:63].strip("-")


def frozen(recipe: "Recipe") -> str:
    """The recipe as YAML with every default filled in, so that later changes of its file have no effect.

    Relative paths start at the recipe's folder.
    """
    return to_yaml(recipe.located().model_dump(mode="json"))


def is_local(path: str) -> bool:
    """Whether a path of a recipe is on a machine's own file system.

    >>> is_local("/data/a.gz"), is_local("file:///data/a.gz"), is_local("s3://bucket/a.gz")
    (True, True, False)
    """
    return not re.match(r"[a-z][a-z0-9+.-]*(://|::)", path) or path.startswith(("file:", "local:"))


def check_places(recipe: "Recipe") -> None:
    """RecipeError for a workspace that workers cannot see, and for credentials in a path."""
    from ...pipeline.recipe.recipe_paths import paths_of

    if recipe.workspace.startswith("memory:"):
        raise RecipeError(
            f"workspace is {recipe.workspace}, which only one process can see; "
            "name an object store, such as s3://bucket/work"
        )
    if recipe.workspace.startswith(("http:", "https:")):
        raise RecipeError(
            f"workspace is {recipe.workspace}, which cannot be written to; name an object store, such as "
            "s3://bucket/work"
        )
    for key, path in paths_of(recipe):
        if _USER_INFO.search(path):
            raise RecipeError(
                f"{key} contains a user name or a password, which would be written into the files; remove "
                "it, and give the cluster its own credentials"
            )


def check_no_secret(settings: Mapping[str, str], flag: str, instead: str) -> None:
    """RecipeError if the name of a setting says that its value is secret."""
    for name in settings:
        if _SECRET.search(name):
            raise RecipeError(
                f"{flag}: {name} looks like a secret, and secrets are not written into files; {instead}"
            )


def pairs(texts: Iterable[str], flag: str) -> dict[str, str]:
    """Texts of the form `NAME=VALUE` as a dict."""
    return dict(_pairs(texts, flag))


def _pairs(texts: Iterable[str], flag: str) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise RecipeError(f"{flag}: expected NAME=VALUE, got {text!r}")
        yield name, value
