"""The string scores by their definitions, one pair at a time in plain Python: what the kernels must give."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence

from paranmt.tokens import Tokens, normalise, tokenize


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
