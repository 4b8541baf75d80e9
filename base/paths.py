"""The type of an option that names a file, a folder or a URL."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class PathMark:
    """Marks the type of an option as a path. Relative paths in a recipe start at the recipe's folder.

    only_if: the option is a path only if this other field of the same class has this value.
    """

    only_if: tuple[str, object] | None = None


FilePath = Annotated[str, PathMark()]
"""A file or a folder: a local path, or any fsspec URL."""
