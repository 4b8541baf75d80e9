"""Resolving the paths of a recipe: relative ones start at the recipe's folder, URLs stay as they are.

A field holds paths if its type says so: `FilePath`, or another type with a `PathMark`.
"""

import dataclasses
import os
import typing
from collections.abc import Callable, Collection
from functools import cache
from glob import glob
from pathlib import PurePath
from typing import TypeVar

from pydantic import BaseModel

from ...base.paths import PathMark
from .one_level import OPTIONS

T = TypeVar("T")


def resolve(path: str, folder: str) -> str:
    """An absolute path, or the URL unchanged. Nothing is expanded, not even `~`.

    >>> resolve("models/cs-en", "/home/me"), resolve("s3://bucket/work", "/home/me")
    ('/home/me/models/cs-en', 's3://bucket/work')
    """
    if "://" in path or "::" in path:
        return path
    return os.path.normpath(os.path.join(folder, path))


def located(section: T, folder: str) -> T:
    """A copy of a section (a pydantic model or a dataclass) with its paths resolved."""
    return _with_paths(section, lambda key, path: resolve(path, folder), entries=_entries(section))


def paths_of(section: object, entries: Collection[str] = ()) -> list[tuple[str, str]]:
    """The key (`bitext.0.source`) and value of every path in a section of a recipe, as written there.

    entries: the names of the recipe's entries of `train`; a whole recipe knows them.
    """
    paths: list[tuple[str, str]] = []

    def note(key: str, path: str) -> str:
        paths.append((key, path))
        return path

    _with_paths(section, note, entries=entries or _entries(section))
    return paths


def missing_paths(section: object) -> list[str]:
    """The paths of a recipe that should exist on this machine, and do not: `bitext.0.source: PATH`.

    A glob is missing if it finds nothing. URLs are not looked at.
    """
    missing: list[str] = []

    def look(key: str, path: str) -> str:
        is_there = "://" in path or "::" in path or os.path.exists(path) or bool(glob(path, recursive=True))
        missing.extend([] if is_there else [f"{key}: {path}"])
        return path

    _with_paths(section, look, entries=_entries(section), written=False)
    return missing


def _entries(section: object) -> frozenset[str]:
    """The names of the entries of `train`, if the section is a whole recipe."""
    train = getattr(section, "train", None)
    return frozenset(train) if isinstance(section, BaseModel) and isinstance(train, dict) else frozenset()


def public(section: T) -> T:
    """A copy of a section whose paths are passed through `public_path`."""
    return _with_paths(section, lambda key, path: public_path(path), entries=_entries(section))


def public_path(path: str) -> str:
    """A path as it may be published: one inside the recipe's folder, an address, or else the last name alone.

    User, password and query of an address are left out.

    >>> public_path("data/train.cs.gz"), public_path("/home/me/data/train.cs.gz"), public_path("../train.cs")
    ('data/train.cs.gz', 'train.cs.gz', 'train.cs')
    >>> public_path("https://me:secret@host/train.cs.gz?token=1"), public_path("file:///home/me/train.cs")
    ('https://host/train.cs.gz', 'train.cs')
    """
    scheme, _, rest = path.rpartition("://")
    if scheme and scheme not in ("file", "local"):
        place = rest.partition("?")[0]
        host, slash, inner = place.partition("/")
        return f"{scheme}://{host.rpartition('@')[2]}{slash}{inner}"
    parts = PurePath(rest)
    if scheme or parts.is_absolute() or ".." in parts.parts or rest.startswith("~"):
        return parts.name
    return path


def _with_paths(
    value: T,
    change: Callable[[str, str], str],
    key: str = "",
    is_path: bool = False,
    entries: Collection[str] = frozenset(),
    written: bool = True,
) -> T:
    """A copy of `value` in which `change(key, path)` has replaced every path. key: the key of `value`.

    written: whether that includes the paths that a run writes to.
    """

    def inside(name: object, item: object, is_path: bool = False) -> object:
        place = [part for part in (key, str(name)) if part not in ("", OPTIONS)]
        return _with_paths(item, change, ".".join(place), is_path, entries, written)

    changed: object = value
    if isinstance(value, str) and is_path:
        changed = change(key, value)
    elif isinstance(value, (list, tuple)):
        changed = type(value)(inside(i, item, is_path) for i, item in enumerate(value))
    elif isinstance(value, dict):
        changed = {name: inside(name, item, is_path) for name, item in value.items()}
    elif isinstance(value, BaseModel):
        changed = value.model_copy(update=_fields(value, type(value).model_fields, inside, entries, written))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        changed = dataclasses.replace(value, **_fields(value, names, inside, entries, written))
    return changed  # type: ignore[return-value]


def _fields(
    section: typing.Any,
    names: typing.Iterable[str],
    inside: Callable[[object, object, bool], object],
    entries: Collection[str],
    written: bool,
) -> dict[str, typing.Any]:
    marks = _marks(type(section))  # type: ignore[arg-type]

    def is_path(name: str) -> bool:
        mark = marks.get(name)
        if mark is None or (mark.is_written and not written):
            return False
        if mark.may_be_entry and getattr(section, name) in entries:
            return False
        if mark.only_if is None:
            return True
        return bool(getattr(section, mark.only_if[0]) == mark.only_if[1])

    def changed(name: str) -> typing.Any:
        value = getattr(section, name)
        if isinstance(value, tuple) and name in marks and marks[name].may_be_entry:
            return tuple(
                each if each in entries else inside(f"{name}.{i}", each, True) for i, each in enumerate(value)
            )
        return inside(name, value, is_path(name))

    return {name: changed(name) for name in names}


@cache
def _marks(kind: typing.Any) -> dict[str, PathMark]:
    """The marks of those fields of a class that hold paths."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {name: marks[0] for name, hint in hints.items() if (marks := _marks_in(hint))}


def _marks_in(hint: object) -> list[PathMark]:
    here = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, PathMark)]
    return here + [mark for part in typing.get_args(hint) for mark in _marks_in(part)]
