"""Streams the cleaned pairs of a bitext, to train a translation model on."""

from collections.abc import Iterator, Sequence

from ...base.errors import InputError
from ...base.host_cache import cache_folder
from ...transforms.bitexts.inputs import BitextInput, check_line_counts, input_files
from ...transforms.bitexts.readers import read_records
from ...transforms.storage.file_hashes import HashCache
from ..manifest.whole_release import check_inputs

_ROWS = 10_000


def bitext_pairs(bitext: Sequence[BitextInput], max_characters: int) -> Iterator[tuple[str, str]]:
    """(source, reference) of every pair that `ingest` would make of the inputs, in their order.

    InputError if an entry has no source, or if something is wrong with a file, if possible before the first
    pair.
    """
    for entry in bitext:
        _languages(entry)
    cache = HashCache(cache_folder("hashes.json"))
    files = [file for entry in bitext for file in input_files(entry)]
    check_inputs([path for file in files for path in file.paths])
    for file in files:
        check_line_counts(file, cache)
    for file in files:
        for batch in read_records(file, max_characters, _ROWS):
            pairs = batch.pairs
            yield from zip(pairs["source"].to_pylist(), pairs["reference"].to_pylist(), strict=True)


def languages_of(bitext: Sequence[BitextInput]) -> tuple[str, str]:
    """The source language and the reference language of the inputs.

    InputError if they have several, or if an entry has no source.
    """
    pairs = sorted(set(map(_languages, bitext)))
    if len(pairs) > 1:
        names = ", ".join("-".join(pair) for pair in pairs)
        raise InputError(f"expected one pair of languages to train on, got {names}; make a recipe for each")
    return pairs[0]


def _languages(entry: BitextInput) -> tuple[str, str]:
    if entry.source_language is None:
        raise InputError(
            f"corpus {entry.corpus} has no source to learn from; use a recipe whose entries all have one"
        )
    return entry.source_language, entry.reference_language
