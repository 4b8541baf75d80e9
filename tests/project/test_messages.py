"""docs/runs.md quotes the errors as the program prints them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/runs.md"
PACKAGES = ("base", "filters", "models", "transforms", "pipeline", "launch")
VALUES = re.compile(r"\([^)]*\)|'[^']*'|\S*[/\d_=]\S*|\S+[.:]\S+|\S+:(?= )")
LEAST = 12  # the length of a text of the code; shorter ones are found by chance

if not PAGE.exists():
    pytest.skip("no docs beside the tests: they run against a wheel", allow_module_level=True)

MESSAGES = re.findall(r"^- (``?)(.+)\1$", PAGE.read_text(encoding="utf-8"), re.M)


@pytest.fixture(scope="module")
def texts() -> list[re.Pattern[str]]:
    """The texts of the code, in which anything may stand where they have a value."""
    found = set()
    for file in (file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            parts = list(_parts(node))
            if sum(len(part) for part in parts if part) >= LEAST:
                found.add("".join(f"({re.escape(part)})" if part else ".*?" for part in parts))
    return [re.compile(pattern, re.S) for pattern in found]


def test_there_are_twenty() -> None:
    assert len(MESSAGES) == 20


@pytest.mark.parametrize("message", [message for _, message in MESSAGES])
def test_a_quoted_error_is_in_the_code(message: str, texts: list[re.Pattern[str]]) -> None:
    """Most of its words, besides paths, numbers and the like, are of texts of the code."""
    message, known = f"paranmt: {message}", set()
    for match in filter(None, (text.search(message) for text in texts)):
        for group in range(1, match.re.groups + 1):
            known.update(range(*match.span(group)))
    plain = VALUES.sub(lambda value: " " * len(value[0]), message)
    words = list(re.finditer(r"\w+", plain))
    assert sum(known.issuperset(range(*word.span())) for word in words) >= 0.6 * len(words)


def _parts(node: ast.AST) -> Iterator[str | None]:
    """The parts of a text; None for a value."""
    if isinstance(node, ast.JoinedStr):
        for value in node.values:
            yield from _parts(value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.FormattedValue):
        yield None
