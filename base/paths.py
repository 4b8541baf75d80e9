"""The type of an option that names a file, a folder or a URL."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class PathMark:
    """Marks the type of an option as a path. Relative paths in a recipe start at the recipe's folder.

    only_if: the option is a path only if this other field of the same class has this value. may_be_entry:
    an option with the name of an entry of `train` in the same recipe means that entry.
    """

    only_if: tuple[str, object] | None = None
    may_be_entry: bool = False


FilePath = Annotated[str, PathMark()]
"""A file or a folder: a local path, or any fsspec URL."""
