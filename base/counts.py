"""Counts by name, as a manifest's entry has them beside its totals: rejects by reason, pairs by value.

Entries are flat, so a count by name has a key like `rejected: empty_source`. Only this module knows that.
"""

from collections.abc import Mapping

_BETWEEN = ": "


def by_name(what: str, counts: Mapping[str, int]) -> dict[str, int]:
    """What was counted by name, as counts of an entry.

    >>> by_name("rejected", {"empty_source": 2})
    {'rejected: empty_source': 2}
    """
    return {f"{what}{_BETWEEN}{name}": count for name, count in counts.items()}


def counted(counts: Mapping[str, int], what: str) -> dict[str, int]:
    """The counts by name of an entry, without its totals and what else is counted by name.

    >>> counted({"null": 1, "rejected: empty_source": 2, "value: en": 5}, "rejected")
    {'empty_source': 2}
    """
    start = f"{what}{_BETWEEN}"
    return {key.removeprefix(start): count for key, count in counts.items() if key.startswith(start)}


def totals(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts of an entry that are not by name.

    >>> totals({"null": 1, "rejected: empty_source": 2})
    {'null': 1}
    """
    return {key: count for key, count in counts.items() if _BETWEEN not in key}
