"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import paranmt

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(paranmt.__path__, "paranmt.")
    if not module.name.startswith("paranmt.tests")
)


@pytest.mark.parametrize("name", ["paranmt", *MODULES])
def test_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = finder.find(importlib.import_module("paranmt.tokens.definition"))
    assert any(test.examples for test in tests)
