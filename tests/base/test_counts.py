"""Counts by name beside totals, as the entries of manifests have them."""

from paranmt.base.counts import by_name, counted, totals


def test_counts_by_name_are_found_again() -> None:
    counts = {"null": 1} | by_name("rejected", {"empty_source": 2, "a: b": 3}) | by_name("value", {"en": 5})
    assert counts == {"null": 1, "rejected: empty_source": 2, "rejected: a: b": 3, "value: en": 5}
    assert counted(counts, "rejected") == {"empty_source": 2, "a: b": 3}
    assert counted(counts, "reject") == {}
    assert totals(counts) == {"null": 1}
