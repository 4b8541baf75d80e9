"""The type of an option that names a file, a folder or a URL."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class PathMark:
    """Marks the type of an option as a path. Relative paths in a recipe start at the recipe's folder.

    only_if: the option is a path only if this other field of the same class has this value. may_be_entry:
    an option with the name of an entry of `train` in the same recipe means that entry. is_written: a run
    writes there; everything else must exist.
    """

    only_if: tuple[str, object] | None = None
    may_be_entry: bool = False
    is_written: bool = False


FilePath = Annotated[str, PathMark()]
"""A file or a folder: a local path, or any fsspec URL."""

WrittenPath = Annotated[str, PathMark(is_written=True)]
"""The same for a folder that a run writes to."""
