"""The string scores by their definitions, one pair at a time in plain Python: what the kernels must give."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence

from paranmt.filters.negation import NEGATIONS
from paranmt.filters.numbers import NUMBER_WORDS
from paranmt.tokens.definition import Tokens, normalise, tokenize


def ngrams(tokens: Sequence[str], n: int) -> list[Hashable]:
    return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]


def clipped_matches(reference: Sequence[Hashable], translation: Sequence[Hashable]) -> int:
    return (Counter(reference) & Counter(translation)).total()


def legacy_matches(reference: Sequence[Hashable], translation: Sequence[Hashable]) -> int:
    sides = reference, translation
    fewer, more = sides if len(reference) <= len(translation) else reversed(sides)
    return sum(ngram in set(more) for ngram in fewer)


def overlap(reference: str, translation: str, n: int, tokens: Tokens, counting: str) -> float:
    sides = [ngrams(tokenize(text, tokens), n) for text in (reference, translation)]
    fewest = min(map(len, sides))
    count = clipped_matches if counting == "clipped" else legacy_matches
    return count(*sides) / fewest if fewest else 0.0


def bleu(reference: str, translation: str, tokens: Tokens, brevity: str) -> float:
    ours, theirs = tokenize(reference, tokens), tokenize(translation, tokens)
    r, c = len(ours), len(theirs)
    if c == 0:
        return 0.0
    precision = math.prod(
        (clipped_matches(ngrams(ours, n), ngrams(theirs, n)) + 1) / (max(c - n + 1, 0) + 1)
        for n in (1, 2, 3, 4)
    )
    is_penalised = brevity == "paper" or c < r
    return (math.exp(min(0.0, 1 - (r + 1) / c)) if is_penalised else 1.0) * precision**0.25


def repeated(text: str, n: int, shortest: int, tokens: Tokens) -> tuple[int, int]:
    """How many n-grams of the long tokens occurred earlier in the text, and how many it has."""
    found = ngrams([token for token in tokenize(text, tokens) if len(token) >= shortest], n)
    return sum(found[place] in found[:place] for place in range(len(found))), len(found)


def entropy(ngrams: Sequence[Hashable]) -> float:
    """In nats."""
    shares = [count / len(ngrams) for count in Counter(ngrams).values()]
    return -sum(share * math.log(share) for share in shares)


def matches_ngrams(sentence: str, side: str, n: int, share: float) -> bool:
    """Whether a side has enough of the distinct n-grams of an evaluation sentence."""
    ours, theirs = (set(ngrams(normalise(text).split(), n)) for text in (sentence, side))
    return bool(ours) and len(ours & theirs) >= share * len(ours)


def closest_match(sentences: Sequence[str], side: str, n: int, share: float) -> int:
    """0 none, 1 n-gram, 2 normalised, 3 exact."""
    if side.strip() in sentences:
        return 3
    if normalise(side) in map(normalise, sentences):
        return 2
    return int(any(matches_ngrams(sentence, side, n, share) for sentence in sentences))


def repetition(text: str, n: int, tokens: Tokens) -> float:
    words = [word for word in tokenize(text, tokens) if n > 1 or len(word) >= 3]
    found = ngrams(words, n)
    return sum(ngram in found[:place] for place, ngram in enumerate(found)) / len(found) if found else 0.0


_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?")
_NUMBER_OR_WORD = re.compile(rf"{_NUMBER.pattern}|[^\W\d_]+")


def numbers(text: str, number_words: bool) -> list[str]:
    plain = "".join(map(_plain, unicodedata.normalize("NFC", text)))
    spans = list(_NUMBER_OR_WORD.finditer(plain))
    values = [NUMBER_WORDS.get(span.group(), -1) if number_words else -1 for span in spans]
    found: list[str] = []
    for place, span in enumerate(spans):
        if _NUMBER.fullmatch(span.group()):
            whole, _, fraction = span.group().replace(",", "").partition(".")
            found.append(f"{whole.lstrip('0') or '0'}.{fraction.rstrip('0')}".rstrip("."))
        follows = place + 1 < len(spans) and plain[span.end() : spans[place + 1].start()] in (" ", "-")
        if values[place] >= 20 and follows and 1 <= values[place + 1] <= 9:
            values[place] += values[place + 1]
            values[place + 1] = -1
        if values[place] not in (-1, 1):
            found.append(str(values[place]))
    return found


def _plain(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if not character.isascii() and not character.isalnum():
        return " "
    return "_" if len(character.lower()) > 1 else character.lower()


def number_consistency(reference: str, translation: str, number_words: bool) -> float:
    ours, theirs = numbers(reference, number_words), numbers(translation, number_words)
    most = max(len(ours), len(theirs))
    return clipped_matches(ours, theirs) / most if most else 1.0


def negation_consistency(reference: str, translation: str, tokens: Tokens) -> float:
    listed = {tuple(tokenize(phrase, tokens)) for phrase in NEGATIONS}

    def count(text: str) -> int:
        left, found = tokenize(text.lower(), tokens), 0
        while left:
            size = max((n for n in (1, 2, 3) if tuple(left[:n]) in listed), default=0)
            found += size > 0
            left = left[max(size, 1) :]
        return found

    fewer, more = sorted((count(reference), count(translation)))
    return fewer / more if more else 1.0


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """By dynamic programming, one row at a time."""
    row = [0] * (len(other) + 1)
    for word in one:
        above = row
        row = [0]
        for place, its in enumerate(other):
            row.append(above[place] + 1 if word == its else max(above[place + 1], row[place]))
    return row[-1]


def longest_common_subsequence(reference: str, translation: str, tokens: Tokens) -> float:
    sides = [tokenize(text, tokens) for text in (reference, translation)]
    fewest = min(map(len, sides))
    return common_subsequence(*sides) / fewest if fewest else 0.0


def character_similarity(reference: str, translation: str) -> float:
    sides = [unicodedata.normalize("NFC", text) for text in (reference, translation)]
    both = sum(map(len, sides))
    return 2 * common_subsequence(*sides) / both if both else 1.0


def script_share(text: str, script: str) -> float:
    """For letters whose name has their script, which is not all of them."""
    letters = [c for c in unicodedata.normalize("NFC", text) if c.isalpha()]
    named = [c for c in letters if script.upper() in unicodedata.name(c)]
    return len(named) / len(letters) if letters else 1.0
