"""Where a recipe's paths lead: relative ones start at the recipe's folder, URLs stay as they are."""

import dataclasses
import os
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel

from ..transforms.inputs import BitextInput

_SIDES = frozenset({"source", "reference", "translation"})

T = TypeVar("T")

# The keys of a recipe that hold paths, wherever they stand outside `bitext`.
PATH_KEYS = frozenset({"workspace", "model", "path", "vectors", "data"})


def resolve(path: str, folder: str) -> str:
    """An absolute path, or the URL as it was. Nothing is expanded, `~` neither.

    >>> resolve("models/cs-en", "/home/me"), resolve("s3://bucket/work", "/home/me")
    ('/home/me/models/cs-en', 's3://bucket/work')
    """
    if "://" in path or "::" in path:
        return path
    return os.path.normpath(os.path.join(folder, path))


def located(section: T, folder: str) -> T:
    """A copy of a section (a pydantic model or a dataclass) with the paths in it resolved."""
    paths = _path_names(section)
    changed = {name: _located(getattr(section, name), folder, name in paths) for name in _names(section)}
    if isinstance(section, BaseModel):
        return section.model_copy(update=changed)
    return dataclasses.replace(section, **changed)  # type: ignore[type-var]


def paths_of(section: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Every path in a section of a recipe, as it stands there, after its key: `bitext.0.source`."""
    if isinstance(section, BaseModel) or dataclasses.is_dataclass(section):
        paths = _path_names(section)
        for name in _names(section):
            value = getattr(section, name)
            place = f"{key}.{name}" if key else name
            if name not in paths:
                yield from paths_of(value, place)
            elif isinstance(value, str):
                yield place, value
            elif isinstance(value, (list, tuple)):
                yield from ((f"{place}.{index}", item) for index, item in enumerate(value))
    elif isinstance(section, (list, tuple)):
        for index, item in enumerate(section):
            yield from paths_of(item, f"{key}.{index}")
    elif isinstance(section, dict):
        for name, item in section.items():
            yield from paths_of(item, f"{key}.{name}")


def _names(section: object) -> list[str]:
    if isinstance(section, BaseModel):
        return list(type(section).model_fields)
    assert dataclasses.is_dataclass(section) and not isinstance(section, type)
    return [field.name for field in dataclasses.fields(section) if field.init]


def _path_names(section: object) -> frozenset[str]:
    if isinstance(section, BitextInput):
        # Sides are files in a moses bitext; in every other they say where a side stands in `path`.
        return _SIDES if section.format == "moses" else frozenset({"path"})
    return PATH_KEYS


def _located(value: object, folder: str, is_path: bool) -> object:
    if isinstance(value, str):
        return resolve(value, folder) if is_path else value
    if isinstance(value, (list, tuple)):
        return type(value)(_located(item, folder, is_path) for item in value)
    if isinstance(value, dict):
        return {key: _located(item, folder, False) for key, item in value.items()}
    if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        return located(value, folder)
    return value
