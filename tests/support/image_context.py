"""The files that `.dockerignore` lets through: what the image's wheel is built from."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path


def image_context(root: Path) -> list[str]:
    """The files, with their paths under the root. A folder that is left out is not looked into."""
    lines = (root / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [
        (re.compile(_expression(line.removeprefix("!"))), line.startswith("!"))
        for line in map(str.strip, lines)
        if line and not line.startswith("#")
    ]
    return sorted(_let_through(root, "", rules))


def _let_through(root: Path, folder: str, rules: Sequence[tuple[re.Pattern[str], bool]]) -> Iterator[str]:
    for each in (root / folder).iterdir():
        name = f"{folder}{each.name}"
        # The last rule that matches the name, or a folder that it lies in, decides.
        if not next((kept for pattern, kept in reversed(rules) if pattern.match(name)), True):
            continue
        if each.is_dir():
            yield from _let_through(root, f"{name}/", rules)
        else:
            yield name


def _expression(rule: str) -> str:
    parts = re.split(r"(\*\*/|\*)", rule)
    meanings = {"**/": "(?:.*/)?", "*": "[^/]*"}
    return "".join(meanings.get(part, re.escape(part)) for part in parts) + r"(?:/|\Z)"
