"""What of a dataclass of options is in a key, so that an option can be added and nothing becomes stale."""

from dataclasses import field, fields, is_dataclass
from typing import Any

_LATER = "later"


def later(default: Any) -> Any:
    """A field that is in keys only if its value is not the default.

    An option that is added to a class whose results lie in workspaces is such a field: what was made before
    there was the option was made as its default says, and stays fresh.
    """
    return field(default=default, metadata={_LATER: True})


def ingredients_of(options: Any) -> dict[str, Any]:
    """The fields of a dataclass and of those in it, as `dataclasses.asdict` gives them, for a key.

    Fields made with `later` are left out where they have their default.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Options:
    ...     epochs: int = 5
    ...     schedule: str = later("constant")
    >>> ingredients_of(Options()), ingredients_of(Options(schedule="linear"))
    ({'epochs': 5}, {'epochs': 5, 'schedule': 'linear'})
    """
    kept = {
        key.name: getattr(options, key.name)
        for key in fields(options)
        if _LATER not in key.metadata or getattr(options, key.name) != key.default
    }
    return {name: _plain(value) for name, value in kept.items()}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return ingredients_of(value)
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
