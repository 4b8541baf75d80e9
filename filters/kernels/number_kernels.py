"""The compiled loops of `numbers`: find the numbers of each sentence, and compare those of two sides.

Texts are those of `token_columns.english_bytes`. A number is the hash of its digits.
"""

import numpy as np

from ...base.compiled import compiled, helper
from ...tokens.kernels import find_sorted, sort_part

LONGEST_WORD = 12  # letters that fit into one packed word

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_POINT = 10


@compiled
def find_numbers(
    data: np.ndarray,
    offsets: np.ndarray,
    words: np.ndarray,
    values: np.ndarray,
    numbers: np.ndarray,
    starts: np.ndarray,
) -> None:
    """The numbers of all texts, sorted within each text, and where each text's numbers start.

    words: packed number words, ascending; values: what each of them means, below 100.
    """
    count = 0
    for row in range(len(offsets) - 1):
        starts[row] = count
        place, end = offsets[row], offsets[row + 1]
        while place < end:
            if _is_digit(data[place]):
                numbers[count], place = _read_number(data, place, end)
                count += 1
            elif _is_letter(data[place]):
                first, packed, bits = place, np.uint64(0), np.uint8(0)
                while place < end and _is_letter(data[place]):
                    packed = packed << np.uint64(5) | np.uint64(data[place] & 31)
                    bits |= data[place]
                    place += 1
                if bits >= 0x80 or place - first > LONGEST_WORD:
                    continue
                value = _value_of(packed, words, values)
                if value >= 20 and place < end and (data[place] == 32 or data[place] == 45):
                    ones, after = _read_ones(data, place + 1, end, words, values)
                    if ones > 0:
                        value, place = value + ones, after
                if value >= 0 and value != 1:
                    numbers[count] = _hash_of(value)
                    count += 1
            else:
                place += 1
        sort_part(numbers, starts[row], count)
    starts[len(offsets) - 1] = count


@compiled
def agreements(
    reference: np.ndarray,
    reference_starts: np.ndarray,
    translation: np.ndarray,
    translation_starts: np.ndarray,
    shares: np.ndarray,
) -> None:
    """For each pair, the matching numbers over those of the side with more; 1 if there are none."""
    for pair in range(len(shares)):
        place, end = reference_starts[pair], reference_starts[pair + 1]
        other, other_end = translation_starts[pair], translation_starts[pair + 1]
        most, matches = max(end - place, other_end - other), 0
        while place < end and other < other_end:
            matches += reference[place] == translation[other]
            step = reference[place] <= translation[other]
            other += reference[place] >= translation[other]
            place += step
        shares[pair] = matches / most if most else 1.0


@helper
def _is_digit(byte: np.uint8) -> bool:
    return bool(48 <= byte <= 57)


@helper
def _is_letter(byte: np.uint8) -> bool:
    return bool(97 <= byte <= 122 or byte >= 0x80)


@helper
def _joined(number: np.uint64, digit: int) -> np.uint64:
    number = (number ^ np.uint64(digit + 1)) * _MULTIPLIER
    return number ^ number >> np.uint64(32)


@helper
def _hash_of(value: int) -> np.uint64:
    """The hash of a number from 0 to 99."""
    number = np.uint64(0)
    if value >= 10:
        number = _joined(number, value // 10)
    return _joined(number, value % 10) if value else number


@helper
def _read_number(data: np.ndarray, place: int, end: int) -> tuple[np.uint64, int]:
    """The hash of the number at `place`, and where it ends."""
    number, first = np.uint64(0), place
    while place < end and _is_digit(data[place]):
        if data[place] != 48 or number:
            number = _joined(number, data[place] - 48)
        place += 1
    while place - first <= 3 or data[place - 4] == 44:
        if not _is_group(data, place, end):
            break
        for further in range(place + 1, place + 4):
            if data[further] != 48 or number:
                number = _joined(number, data[further] - 48)
        place += 4
    if place + 1 < end and data[place] == 46 and _is_digit(data[place + 1]):
        place += 1
        zeros, has_point = 0, False
        while place < end and _is_digit(data[place]):
            if data[place] == 48:
                zeros += 1
            else:
                if not has_point:
                    number = _joined(number, _POINT)
                    has_point = True
                for _ in range(zeros):
                    number = _joined(number, 0)
                zeros = 0
                number = _joined(number, data[place] - 48)
            place += 1
    return number, place


@helper
def _is_group(data: np.ndarray, place: int, end: int) -> bool:
    """Whether there is a comma and then exactly three digits."""
    if place + 3 >= end or data[place] != 44 or (place + 4 < end and _is_digit(data[place + 4])):
        return False
    return _is_digit(data[place + 1]) and _is_digit(data[place + 2]) and _is_digit(data[place + 3])


@helper
def _read_ones(
    data: np.ndarray, place: int, end: int, words: np.ndarray, values: np.ndarray
) -> tuple[int, int]:
    """The value of the word at `place` if it is one to nine, otherwise 0, and where the word ends."""
    first, packed = place, np.uint64(0)
    while place < end and _is_letter(data[place]):
        if data[place] >= 0x80 or place - first >= LONGEST_WORD:
            return 0, place
        packed = packed << np.uint64(5) | np.uint64(data[place] & 31)
        place += 1
    value = _value_of(packed, words, values)
    return value if 1 <= value <= 9 else 0, place


@helper
def _value_of(packed: np.uint64, words: np.ndarray, values: np.ndarray) -> int:
    """The value of a packed word, -1 if it is no number word."""
    index = find_sorted(packed, words)
    return values[index] if index >= 0 else -1
