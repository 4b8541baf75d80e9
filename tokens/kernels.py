"""The compiled loops of `token_columns`, and what the loops of several scores share.

Texts are valid UTF-8: text i is `data[offsets[i]:offsets[i + 1]]`. Tables have an entry for each code point.
`windows[i]` are the eight bytes before `data[i]` as one number, the last of them in its highest place.
"""

import numpy as np

from ..base.compiled import compiled, helper
from .characters import SIGN, SPACE, WORD

_INSIDE_SIGN = 3  # the class of bytes that continue a sign
# By the classes of neighbouring bytes: 1 if a token starts, 2 if one ends, or both.
_EDGES = np.zeros(16, np.uint8)
for _before in range(4):
    for _after in range(4):
        _starts = _after == SIGN or (_after == WORD and _before != WORD)
        _ends = (_before == WORD and _after != WORD) or (_before >= SIGN and _after != _INSIDE_SIGN)
        _EDGES[4 * _before + _after] = _starts + 2 * _ends

_MULTIPLIER, _FINISHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


@compiled
def hash_tokens(
    data: np.ndarray,
    windows: np.ndarray,
    offsets: np.ndarray,
    classes: np.ndarray,
    hashes: np.ndarray,
    starts: np.ndarray,
) -> None:
    """The hashes of all tokens, and where each text's tokens start in them."""
    size = longest(offsets)
    kinds = np.empty(size + 1, np.uint8)
    first, last = np.empty(size + 2, np.int64), np.empty(size + 2, np.int64)
    count = 0
    for row in range(len(offsets) - 1):
        starts[row] = count
        start = offsets[row]
        tokens = _find_tokens(data, start, offsets[row + 1], classes, kinds, first, last)
        for token in range(tokens):
            hashes[count + token] = _hash(windows, start + first[token], start + last[token])
        count += tokens
    starts[len(offsets) - 1] = count


@compiled
def count_characters(data: np.ndarray, offsets: np.ndarray, classes: np.ndarray, counts: np.ndarray) -> int:
    """The number of characters of each token; returns how many tokens there are."""
    size = longest(offsets)
    kinds = np.empty(size + 1, np.uint8)
    first, last = np.empty(size + 2, np.int64), np.empty(size + 2, np.int64)
    count = 0
    for row in range(len(offsets) - 1):
        start = offsets[row]
        tokens = _find_tokens(data, start, offsets[row + 1], classes, kinds, first, last)
        for token in range(tokens):
            characters = 0
            for place in range(start + first[token], start + last[token]):
                characters += data[place] & 0xC0 != 0x80  # the further bytes of a character are 10xxxxxx
            counts[count + token] = characters
        count += tokens
    return count


@compiled
def hash_texts(windows: np.ndarray, offsets: np.ndarray, hashes: np.ndarray) -> None:
    """The hash of each text as one token."""
    for row in range(len(offsets) - 1):
        hashes[row] = _hash(windows, offsets[row], offsets[row + 1])


@compiled
def hash_trigrams(
    data: np.ndarray, windows: np.ndarray, offsets: np.ndarray, hashes: np.ndarray, starts: np.ndarray
) -> None:
    """The hashes of every three characters in a row."""
    places = np.empty(longest(offsets) + 1, np.int64)
    count = 0
    for row in range(len(offsets) - 1):
        starts[row] = count
        place, characters = offsets[row], 0
        while place < offsets[row + 1]:
            places[characters] = place
            place += _code_point(data, place)[1]
            characters += 1
        places[characters] = place
        for character in range(characters - 2):
            hashes[count] = _hash(windows, places[character], places[character + 3])
            count += 1
    starts[len(offsets) - 1] = count


@compiled
def ngrams(tokens: np.ndarray, starts: np.ndarray, n: int, keys: np.ndarray, key_starts: np.ndarray) -> None:
    """The hashes of all n-grams, and where each sentence's n-grams start in them."""
    count = 0
    for row in range(len(starts) - 1):
        key_starts[row] = count
        for place in range(starts[row], starts[row + 1] - n + 1):
            key = tokens[place]
            for further in range(place + 1, place + n):
                key = join(key, tokens[further])
            keys[count] = key
            count += 1
    key_starts[len(starts) - 1] = count


@compiled
def count_tokens(data: np.ndarray, offsets: np.ndarray, classes: np.ndarray, counts: np.ndarray) -> None:
    """How many tokens each text has."""
    kinds = np.empty(longest(offsets) + 1, np.uint8)
    for row in range(len(counts)):
        _classify(data, offsets[row], offsets[row + 1], classes, kinds)
        before, starts = np.uint64(SPACE), np.uint64(0)
        for place in range(np.uint64(offsets[row + 1] - offsets[row])):
            kind = np.uint64(kinds[place])
            starts += np.uint64(_EDGES[before << np.uint64(2) | kind] & 1)
            before = kind
        counts[row] = starts


@compiled
def count_spaced(data: np.ndarray, offsets: np.ndarray, counts: np.ndarray) -> None:
    """How many tokens each text of tokens with single spaces has."""
    for row in range(len(counts)):
        spaces = 0
        for place in range(np.uint64(offsets[row]), np.uint64(offsets[row + 1])):
            spaces += data[place] == 32
        counts[row] = spaces + (offsets[row + 1] > offsets[row])


@compiled
def space_tokens(
    data: np.ndarray,
    offsets: np.ndarray,
    classes: np.ndarray,
    only_words: bool,
    out: np.ndarray,
    out_offsets: np.ndarray,
) -> None:
    """Each text's tokens with single spaces between them."""
    kinds = np.empty(longest(offsets) + 1, np.uint8)
    size = np.uint64(0)
    for row in range(len(offsets) - 1):
        out_offsets[row] = size
        start, end = offsets[row], offsets[row + 1]
        _classify(data, start, end, classes, kinds)
        before, spaces = np.uint64(0), np.uint64(0)
        for place in range(np.uint64(end - start)):
            kind = np.uint64(kinds[place])
            if only_words and kind >= SIGN:
                kind = np.uint64(SPACE)
            out[size] = 32
            size += spaces & np.uint64(_EDGES[before << np.uint64(2) | kind])
            out[size] = data[np.uint64(start) + place]
            size += np.uint64(kind != SPACE)
            spaces |= np.uint64(kind != SPACE)
            before = kind
    out_offsets[len(offsets) - 1] = size


@compiled
def translate(
    data: np.ndarray,
    offsets: np.ndarray,
    table: np.ndarray,
    out: np.ndarray,
    out_offsets: np.ndarray,
    special: np.ndarray,
) -> None:
    """Each text with the code points of `table`; rows where that is -1 are marked as special."""
    size = 0
    for row in range(len(offsets) - 1):
        out_offsets[row] = size
        place = offsets[row]
        while place < offsets[row + 1]:
            byte = data[place]
            if byte < 0x80:
                out[size] = table[byte]
                place += 1
                size += 1
            else:
                code, width = _code_point(data, place)
                place += width
                if table[code] < 0:
                    special[row] = True
                else:
                    size = _encode(table[code], out, size)
    out_offsets[len(offsets) - 1] = size


@compiled
def code_points(data: np.ndarray, offsets: np.ndarray, codes: np.ndarray, starts: np.ndarray) -> None:
    """The code points of all texts, and where each text's start in them."""
    count = 0
    for row in range(len(offsets) - 1):
        starts[row] = count
        place = offsets[row]
        while place < offsets[row + 1]:
            code, width = _code_point(data, place)
            codes[count] = code
            place += width
            count += 1
    starts[len(offsets) - 1] = count


@compiled
def count_values(data: np.ndarray, offsets: np.ndarray, table: np.ndarray, counts: np.ndarray) -> None:
    """How many characters of each text have which value in `table`."""
    for row in range(len(offsets) - 1):
        counts[row] = 0
        place = offsets[row]
        while place < offsets[row + 1]:
            code, width = _code_point(data, place)
            counts[row, table[code]] += 1
            place += width


@compiled
def mark_rows(data: np.ndarray, offsets: np.ndarray, table: np.ndarray, rows: np.ndarray) -> None:
    """Mark the texts that have a code point of `table`, which has none of ASCII."""
    for row in range(len(offsets) - 1):
        place, end = offsets[row], offsets[row + 1]
        if _is_ascii(data, place, end):
            continue
        while place < end:
            if data[place] < 0x80:
                place += 1
                continue
            code, width = _code_point(data, place)
            rows[row] |= table[code]
            place += width


@helper
def longest(starts: np.ndarray) -> int:
    """The size of the longest row, whose elements begin at its start and end at the next one's."""
    size = 0
    for row in range(len(starts) - 1):
        size = max(size, starts[row + 1] - starts[row])
    return size


@helper
def join(key: np.uint64, token: np.uint64) -> np.uint64:
    """The hash of an n-gram with one more token."""
    key = key * _FINISHER ^ token
    return key ^ key >> np.uint64(32)


@helper
def sort_part(values: np.ndarray, first: int, last: int) -> None:
    """Sort the values from `first` to `last`. numpy's sort starts too slowly for a sentence."""
    if last - first > 64:
        values[first:last].sort()
        return
    for place in range(first + 1, last):
        value = values[place]
        while place > first and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@helper
def find_sorted(key: np.uint64, keys: np.ndarray) -> int:
    """Where a key is among keys in ascending order, or -1. numpy's search is several times as slow."""
    first, last = 0, len(keys)
    while first < last:
        middle = (first + last) >> 1
        if keys[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first if first < len(keys) and keys[first] == key else -1


@helper
def count_bits(bits: np.uint64) -> int:
    """How many bits are set."""
    pairs = np.uint64(0x3333333333333333)
    bits -= bits >> np.uint64(1) & np.uint64(0x5555555555555555)
    bits = (bits & pairs) + (bits >> np.uint64(2) & pairs)
    bits = bits + (bits >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(bits * np.uint64(0x0101010101010101) >> np.uint64(56))


@helper
def _find_tokens(
    data: np.ndarray,
    start: int,
    end: int,
    classes: np.ndarray,
    kinds: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
) -> int:
    """Where the tokens of one text start and end, counted from `start`; returns how many there are.

    The loop has no branches, because they would be wrong at every other token.
    """
    size = np.uint64(end - start)
    _classify(data, start, end, classes, kinds)
    kinds[size] = SPACE
    before, starts, ends = np.uint64(0), np.uint64(0), np.uint64(0)
    for place in range(size + np.uint64(1)):
        kind = np.uint64(kinds[place])
        edge = _EDGES[before << np.uint64(2) | kind]
        first[starts] = place
        starts += np.uint64(edge & 1)
        last[ends] = place
        ends += np.uint64(edge >> 1)
        before = kind
    return int(starts)


@helper
def _is_ascii(data: np.ndarray, start: int, end: int) -> bool:
    bits = np.uint8(0)
    for place in range(np.uint64(start), np.uint64(end)):
        bits |= data[place]
    return bool(bits < 0x80)


@helper
def _classify(data: np.ndarray, start: int, end: int, classes: np.ndarray, kinds: np.ndarray) -> None:
    """The class of each byte: that of its character, but `_INSIDE_SIGN` for the further bytes of a sign."""
    if _is_ascii(data, start, end):
        for byte in range(np.uint64(end - start)):
            kinds[byte] = classes[data[np.uint64(start) + byte]]
        return
    place = start
    while place < end:
        if data[place] < 0x80:
            kinds[place - start] = classes[data[place]]
            place += 1
            continue
        code, width = _code_point(data, place)
        kind = classes[code]
        kinds[place - start] = kind
        for further in range(1, width):
            kinds[place - start + further] = _INSIDE_SIGN if kind == SIGN else kind
        place += width


@helper
def _code_point(data: np.ndarray, place: int) -> tuple[int, int]:
    """The character at `place`, and how many bytes it has."""
    byte = int(data[place])
    if byte < 0x80:
        return byte, 1
    if byte < 0xE0:
        return (byte & 0x1F) << 6 | (data[place + 1] & 0x3F), 2
    if byte < 0xF0:
        return (byte & 0x0F) << 12 | (data[place + 1] & 0x3F) << 6 | (data[place + 2] & 0x3F), 3
    high = (byte & 0x07) << 18 | (data[place + 1] & 0x3F) << 12
    return high | (data[place + 2] & 0x3F) << 6 | (data[place + 3] & 0x3F), 4


@helper
def _encode(code: int, out: np.ndarray, size: int) -> int:
    """Write a character as UTF-8 at `size`; return where the next one goes."""
    if code < 0x80:
        out[size] = code
        return size + 1
    if code < 0x800:
        out[size] = 0xC0 | code >> 6
        out[size + 1] = 0x80 | code & 0x3F
        return size + 2
    if code < 0x10000:
        out[size] = 0xE0 | code >> 12
        out[size + 1] = 0x80 | code >> 6 & 0x3F
        out[size + 2] = 0x80 | code & 0x3F
        return size + 3
    out[size] = 0xF0 | code >> 18
    out[size + 1] = 0x80 | code >> 12 & 0x3F
    out[size + 2] = 0x80 | code >> 6 & 0x3F
    out[size + 3] = 0x80 | code & 0x3F
    return size + 4


@helper
def _hash(windows: np.ndarray, first: int, last: int) -> np.uint64:
    """The hash of the bytes from `first` to `last`."""
    value = np.uint64(last - first) * _FINISHER
    while last - first > 8:
        first += 8
        value = (value ^ windows[first]) * _MULTIPLIER
        value ^= value >> np.uint64(32)
    rest = windows[last] >> np.uint64(64 - 8 * (last - first)) if last > first else np.uint64(0)
    value = (value ^ rest) * _MULTIPLIER
    value = (value ^ value >> np.uint64(32)) * _FINISHER
    return value ^ value >> np.uint64(29)
