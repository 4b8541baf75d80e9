"""The optional packages of some features, and the command that installs them.

paranmt itself is on no index, so no command may install it by its name: anybody could register that name.
"""

import re
from collections.abc import Iterator

_REQUIREMENT = re.compile(r"([\w.-]+)([^;]*);\s*extra\s*==\s*[\"']([\w.-]+)[\"']")


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra, with the bounds in the metadata of paranmt.

    >>> install_command("moses")
    "pip install 'sacremoses>=0.1.1,<1'"
    """
    packages = [package for name, package in _requirements() if name == extra]
    return f"pip install {' '.join(f'{package!r}' for package in packages)}"


def _requirements() -> Iterator[tuple[str, str]]:
    """Each extra with each of its packages; what builds the metadata may put the bounds in any order."""
    import importlib.metadata

    for line in importlib.metadata.requires("paranmt") or ():
        match = _REQUIREMENT.fullmatch(line)
        if match is not None:
            bounds = sorted((bound.strip() for bound in match[2].split(",")), reverse=True)
            yield match[3], match[1] + ",".join(bounds)
