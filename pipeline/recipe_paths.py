"""Where a recipe's paths lead: relative ones start at the recipe's folder, URLs stay as they are."""

import dataclasses
import os
from typing import TypeVar

from pydantic import BaseModel

from ..transforms.inputs import BitextInput

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
        return section.model_copy(update={name: _located(name, getattr(section, name), folder) for name in names})
    if isinstance(section, BitextInput):
        return _located_bitext(section, folder)
    assert dataclasses.is_dataclass(section) and not isinstance(section, type)
    fields = [field.name for field in dataclasses.fields(section) if field.init]
    return dataclasses.replace(section, **{name: _located(name, getattr(section, name), folder) for name in fields})


def _located_bitext(entry: BitextInput, folder: str) -> BitextInput:
    """Sides are files in a moses bitext; in every other they say where a side stands in `path`."""
    keys = ("source", "reference", "translation") if entry.format == "moses" else ("path",)
    return dataclasses.replace(entry, **{key: _located("path", getattr(entry, key), folder) for key in keys})


def _located(name: str, value: object, folder: str) -> object:
    if isinstance(value, str):
        return resolve(value, folder) if name in PATH_KEYS else value
    if isinstance(value, (list, tuple)):
        return type(value)(_located(name, item, folder) for item in value)
    if isinstance(value, dict):
        return {key: _located("", item, folder) for key, item in value.items()}
    if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        return located(value, folder)
    return value
