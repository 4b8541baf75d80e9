"""The type of an option that names a file, a folder or a URL."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class PathMark:
    """Marks a field of options, in its type, as a path. In a recipe relative paths start at its folder.

    only_if: another field of the same class and the value it must have; otherwise this one is no path.
    """

    only_if: tuple[str, object] | None = None


FilePath = Annotated[str, PathMark()]
"""A file or a folder: a local path, or any fsspec URL."""
