"""The compiled loops of `numbers`: find the numbers of each sentence, and compare those of two sides.

Texts are those of `token_columns.english_bytes`. A number is the hash of its digits.
"""

import numpy as np

from ..compiled import compiled, helper

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
            if _is_digit(data, place, end):
                numbers[count], place = _read_number(data, place, end)
                count += 1
            elif _is_letter(data, place, end):
                value, place = _read_word(data, place, end, words, values)
                if (
                    value >= 20
                    and value % 10 == 0
                    and place < end
                    and (data[place] == 32 or data[place] == 45)
                ):
                    unit, after = _read_word(data, place + 1, end, words, values)
                    if 1 <= unit <= 9:
                        value, place = value + unit, after
                if value >= 0 and value != 1:
                    numbers[count] = _hash_of(value)
                    count += 1
            else:
                place += 1
        numbers[starts[row] : count].sort()
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
def _is_digit(data: np.ndarray, place: int, end: int) -> bool:
    return bool(place < end and 48 <= data[place] <= 57)


@helper
def _is_letter(data: np.ndarray, place: int, end: int) -> bool:
    return bool(place < end and (97 <= data[place] <= 122 or data[place] >= 0x80))


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
    while _is_digit(data, place, end):
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
    if place < end and data[place] == 46 and _is_digit(data, place + 1, end):
        place += 1
        zeros, has_point = 0, False
        while _is_digit(data, place, end):
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
    if place >= end or data[place] != 44 or _is_digit(data, place + 4, end):
        return False
    return (
        _is_digit(data, place + 1, end)
        and _is_digit(data, place + 2, end)
        and _is_digit(data, place + 3, end)
    )


@helper
def _read_word(
    data: np.ndarray, place: int, end: int, words: np.ndarray, values: np.ndarray
) -> tuple[int, int]:
    """The value of the number word at `place`, or -1, and where the word ends."""
    first, packed = place, np.uint64(0)
    is_plain = True
    while _is_letter(data, place, end):
        is_plain &= data[place] < 0x80
        packed = packed << np.uint64(5) | np.uint64(data[place] & 31)
        place += 1
    if not is_plain or not 0 < place - first <= LONGEST_WORD:
        return -1, place
    index = np.searchsorted(words, packed)
    if index < len(words) and words[index] == packed:
        return values[index], place
    return -1, place
