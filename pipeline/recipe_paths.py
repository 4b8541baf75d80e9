"""Where a recipe's paths lead: relative ones start at the recipe's folder, URLs stay as they are."""

import dataclasses
import os
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
    if isinstance(section, BaseModel):
        names = list(type(section).model_fields)
    else:
        assert dataclasses.is_dataclass(section) and not isinstance(section, type)
        names = [field.name for field in dataclasses.fields(section) if field.init]
    paths = PATH_KEYS
    if isinstance(section, BitextInput):
        # Sides are files in a moses bitext; in every other they say where a side stands in `path`.
        paths = _SIDES if section.format == "moses" else frozenset({"path"})
    changed = {name: _located(getattr(section, name), folder, name in paths) for name in names}
    if isinstance(section, BaseModel):
        return section.model_copy(update=changed)
    return dataclasses.replace(section, **changed)  # type: ignore[type-var]


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
