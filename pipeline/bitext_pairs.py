"""The cleaned pairs of a bitext, streamed: what a translation model is trained on."""

from collections.abc import Iterator, Sequence

from ..errors import InputError
from ..transforms.file_hashes import HashCache
from ..transforms.host_cache import cache_folder
from ..transforms.inputs import BitextInput, check_line_counts, input_files
from ..transforms.readers import read_records

_ROWS = 10_000


def bitext_pairs(bitext: Sequence[BitextInput], max_characters: int) -> Iterator[tuple[str, str]]:
    """(source, reference) of every pair that `ingest` would make of the inputs, in their order.

    InputError for what is wrong with a file, before the first pair where it can be known by then.
    """
    cache = HashCache(cache_folder("hashes.json"))
    files = [file for entry in bitext for file in input_files(entry)]
    for file in files:
        check_line_counts(file, cache)
    for file in files:
        for batch in read_records(file, max_characters, _ROWS):
            pairs = batch.pairs
            yield from zip(pairs["source"].to_pylist(), pairs["reference"].to_pylist(), strict=True)


def languages_of(bitext: Sequence[BitextInput]) -> tuple[str, str]:
    """The one source language and the one reference language of the inputs, or InputError."""
    found = sorted({(entry.source_language, entry.reference_language) for entry in bitext})
    if len(found) > 1:
        named = ", ".join("-".join(pair) for pair in found)
        raise InputError(f"expected one pair of languages to train on, got {named}; make a recipe for each")
    return found[0]
