import math

import pyarrow as pa
import pytest
from definitions import clipped_matches, ngrams
from hypothesis import given
from hypothesis import strategies as st

from paranmt.filters.bleu import sentence_bleu
from paranmt.filters.overlap import ngram_overlap

sentences = st.lists(st.sampled_from("abcd"), max_size=12)


def _removed_one_by_one(one: list[str], other: list[str], n: int) -> int:
    """Clipped matches as a person counts them: cross out what has found its like."""
    left = ["".join(other[i : i + n]) for i in range(len(other) - n + 1)]
    matches = 0
    for i in range(len(one) - n + 1):
        if "".join(one[i : i + n]) in left:
            left.remove("".join(one[i : i + n]))
            matches += 1
    return matches


@given(sentences, sentences, st.integers(1, 5))
def test_clipped_matches_are_those_of_a_person_counting(one: list[str], other: list[str], n: int) -> None:
    assert clipped_matches(ngrams(one, n), ngrams(other, n)) == _removed_one_by_one(one, other, n)


@given(sentences, sentences, st.integers(1, 4), st.sampled_from(["clipped", "legacy"]))
def test_overlap_bounds(one: list[str], other: list[str], n: int, counting: str) -> None:
    sides = pa.array([" ".join(one)]), pa.array([" ".join(other)])
    value = ngram_overlap(*sides, n, counting=counting)[0].as_py()
    assert 0 <= value <= 1
    if counting == "clipped":
        assert value == ngram_overlap(*reversed(sides), n)[0].as_py()
        assert value <= ngram_overlap(*sides, n, counting="legacy")[0].as_py()
    copied = ngram_overlap(sides[0], sides[0], n, counting=counting)[0].as_py()
    assert copied == (1.0 if len(one) >= n else 0.0)


@given(sentences, sentences)
def test_bleu_bounds(one: list[str], other: list[str]) -> None:
    sides = pa.array([" ".join(one)]), pa.array([" ".join(other)])
    strict, lenient = (
        sentence_bleu(*sides, brevity=brevity)[0].as_py() for brevity in ("paper", "shorter_only")
    )
    assert 0 <= strict <= lenient <= 1
    copied = sentence_bleu(sides[0], sides[0])[0].as_py()
    assert copied == pytest.approx(math.exp(-1 / len(one)) if one else 0.0)
