"""What every target is to the command line, and the checks that they share."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...errors import RecipeError
from ..options import flags_of

if TYPE_CHECKING:
    from ...pipeline.recipe.recipe import Recipe

MARK = "Written by `paranmt launch render"
"""Stands near the beginning of every file that is rendered."""
_SECRET = re.compile(r"(?i)secret|token|passw|credential|api_?key|access_?key|private_?key")
_USER_INFO = re.compile(r"://[^/]*@")
_MEMORY = re.compile(r"[1-9][0-9]*[MG]i")


@dataclass(frozen=True)
class Source:
    """A recipe as it was given to `render`: its file, the values changed by --set, and whether the run may
    compute hours of finished work again, which nobody is there to be asked."""

    file: Path
    overrides: tuple[str, ...] = ()
    yes: bool = False

    @property
    def consent(self) -> list[str]:
        """What `paranmt run` is told of that."""
        return ["--yes"] if self.yes else []

    def load(self, more: Sequence[str] = ()) -> "Recipe":
        """The recipe with these changes, and `more` of them; its paths as they were written."""
        from ...pipeline.recipe.recipe import Recipe

        return Recipe.load(self.file, (*self.overrides, *more))


@dataclass(frozen=True)
class Target(ABC):
    """A kind of cluster with its options; `summary` is the one line about it in the list of targets."""

    name: ClassVar[str]
    summary: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]

    @abstractmethod
    def render(self, source: Source) -> dict[str, str]:
        """The files, name → text. RecipeError, in one line, where they could not work."""

    @classmethod
    def flags(cls) -> dict[str, str]:
        """The flag of each option → the field it sets."""
        return flags_of(cls)

    def flag(self, name: str) -> str:
        """The flag that sets a field."""
        return next(flag for flag, each in self.flags().items() if each == name)

    def at_least(self, minimum: int, *names: str) -> None:
        """RecipeError where one of these numbers is below `minimum`."""
        for name in names:
            value = getattr(self, name)
            if value is not None and value < minimum:
                raise RecipeError(f"{self.flag(name)}: expected {minimum} or more, got {value}")

    def matching(self, pattern: str, expected: str, *names: str) -> None:
        """RecipeError where one of these texts is given and does not match the whole pattern."""
        for name in names:
            values = getattr(self, name)
            for value in (values,) if isinstance(values, str) else values or ():
                if not re.fullmatch(pattern, value):
                    raise RecipeError(f"{self.flag(name)}: expected {expected}, got {value!r}")

    def needed(self, example: str, name: str) -> str:
        """The value of an option that this target cannot do without."""
        value = getattr(self, name)
        if not value:
            flag = self.flag(name)
            raise RecipeError(f"{self.name} needs {flag}, such as {flag} {example}")
        return str(value)

    def check_memory(self, *names: str) -> None:
        """RecipeError where one of these is no amount of memory."""
        self.matching(_MEMORY.pattern, "an amount of memory such as 8Gi or 512Mi", *names)


def gpu_stages(recipe: "Recipe", driver_gpu: bool = False) -> list[str]:
    """The stages that may use a GPU: translate, and trainings on workers.

    driver_gpu: trainings where `run` is called, too.
    """
    stages = []
    translate = recipe.translate
    takes_one = translate.device == "cuda" or translate.engine != "ctranslate2"
    if translate.device != "cpu" and takes_one and any(not entry.translation for entry in recipe.bitext):
        stages.append("translate")
    stages += [
        f"train/{name}"
        for name, training in recipe.train.items()
        if training.device != "cpu" and (driver_gpu or training.run_on == "workers")
    ]
    return stages


def device_overrides(recipe: "Recipe", gpus: int, flag: str, driver_gpu: bool = False) -> list[str]:
    """The changes of a recipe that leave no device to be found out: cuda where there will be a GPU, else cpu.

    What `auto` is would otherwise be decided where `run` is called, which on most clusters is a machine
    without a GPU. flag: the option that asks for GPUs. driver_gpu: whether the process that runs the
    recipe has a GPU too. RecipeError where the recipe and `gpus` do not fit.
    """
    usable = gpu_stages(recipe, driver_gpu)
    if gpus and not usable:
        raise RecipeError(
            f"{flag}: no stage of this recipe would use a GPU; leave {flag} out, or say "
            "translate.device: auto, or for a training train.NAME.run_on: workers"
        )
    overrides = []
    for key, device, on_driver in _devices(recipe):
        stage = key.removesuffix(".device").replace(".", "/", 1)
        if device == "cuda" and not gpus:
            raise RecipeError(f"{key} is cuda, but there are no GPUs: give {flag}, or say {key}: cpu")
        if device == "cuda" and on_driver and not driver_gpu:
            raise RecipeError(
                f"{key} is cuda, but it is trained where `run` is called, which has no GPU; "
                f"say {key.replace('device', 'run_on')}: workers"
            )
        if device == "auto":
            overrides.append(f"{key}={'cuda' if gpus and stage in usable else 'cpu'}")
    return overrides


def _devices(recipe: "Recipe") -> Iterator[tuple[str, str, bool]]:
    """The keys of devices, what they are, and whether their stage is done where `run` is called."""
    yield "translate.device", recipe.translate.device, False
    for name, training in recipe.train.items():
        yield f"train.{name}.device", training.device, training.run_on == "driver"


def is_local(path: str) -> bool:
    """Whether a path of a recipe lies on a machine's own file system.

    >>> is_local("/data/a.gz"), is_local("file:///data/a.gz"), is_local("s3://bucket/a.gz")
    (True, True, False)
    """
    return not re.match(r"[a-z][a-z0-9+.-]*(://|::)", path) or path.startswith(("file:", "local:"))


def check_places(recipe: "Recipe") -> None:
    """RecipeError for a workspace that workers cannot see, and for credentials in a path."""
    from ...pipeline.recipe.paths import paths_of

    if recipe.workspace.startswith("memory:"):
        raise RecipeError(
            f"workspace is {recipe.workspace}, the memory of one process; "
            "name an object store, such as s3://bucket/work"
        )
    if recipe.workspace.startswith(("http:", "https:")):
        raise RecipeError(f"workspace is {recipe.workspace}, where nothing can be written")
    for key, path in paths_of(recipe):
        if _USER_INFO.search(path):
            raise RecipeError(
                f"{key} holds a user name or a password, which would be written into the files; take it out, "
                "and give the cluster credentials of its own"
            )


def check_no_secret(settings: Mapping[str, str], flag: str, instead: str) -> None:
    """RecipeError where a setting's name says that its value is secret."""
    for name in settings:
        if _SECRET.search(name):
            raise RecipeError(
                f"{flag}: {name} looks like a secret, which is not written into files; {instead}"
            )


def pairs(texts: Iterable[str], flag: str) -> dict[str, str]:
    """`NAME=VALUE` each, as a dict."""
    return dict(_pairs(texts, flag))


def _pairs(texts: Iterable[str], flag: str) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise RecipeError(f"{flag}: expected NAME=VALUE, got {text!r}")
        yield name, value
