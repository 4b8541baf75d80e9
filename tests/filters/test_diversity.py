"""Self-BLEU and distinct-n of n-best lists, compared with sacreBLEU and with counts of whole words."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from sacrebleu.metrics import BLEU

from paranmt.filters.diversity import ListMeasures, ListStatistics, list_measures

LISTS = [
    ["the cat sat on the mat .", "the cat sat on a mat .", "a cat was on the mat"],
    ["alone"],
    [],
    ["the the the the", "the the", "the"],
    ["same words here again", "same words here again"],
    ["a b c d e", "f g h i j k", ""],
    ["", ""],
    ["a b", "a b c d e f", "b a c d"],
]


def measured(lists: Sequence[Sequence[str | None]]) -> ListMeasures:
    starts = np.cumsum([0, *map(len, lists)])
    return list_measures(
        pa.array([text for texts in lists for text in texts], pa.string()), starts, "whitespace"
    )


def independent_self_bleu(texts: Sequence[str]) -> float:
    bleu = BLEU(effective_order=True, tokenize="none")
    values = [bleu.sentence_score(text, [*texts[:i], *texts[i + 1 :]]).score for i, text in enumerate(texts)]
    return float(np.mean(values))


def independent_distinct(texts: Sequence[str], n: int) -> float:
    words = [text.split() for text in texts]
    grams = [tuple(each[i : i + n]) for each in words for i in range(len(each) - n + 1)]
    return len(set(grams)) / len(grams) if grams else float("nan")


def random_lists() -> list[list[str]]:
    """Of few words, so that n-grams repeat within a candidate and in others; of all lengths from 0 to 11."""
    random = np.random.default_rng(1)
    return [
        [" ".join(random.choice(list("abcd"), random.integers(12))) for _ in range(random.integers(2, 7))]
        for _ in range(300)
    ]


@pytest.mark.parametrize("lists", [LISTS, random_lists()])
def test_as_sacrebleu_and_as_counts_of_words(lists: list[list[str]]) -> None:
    found = measured(lists)
    for i, texts in enumerate(lists):
        if len(texts) < 2:
            assert np.isnan([found.self_bleu[i], found.distinct[0][i], found.distinct[1][i]]).all()
            continue
        assert found.self_bleu[i] == pytest.approx(independent_self_bleu(texts)), texts
        for n in (1, 2):
            expected = independent_distinct(texts, n)
            assert found.distinct[n - 1][i] == pytest.approx(expected, nan_ok=True), texts


def test_by_hand() -> None:
    """Equal candidates have a self-BLEU of 100, those without a common word 0."""
    found = measured([["a b c d"] * 3, ["a b", "c d"], [None, "a b"]])
    assert found.self_bleu.tolist() == pytest.approx([100, 0, 0])
    assert found.distinct[0].tolist() == pytest.approx([4 / 12, 1, 1])
    assert found.distinct[1].tolist() == pytest.approx([3 / 9, 1, 1])
    assert len(measured([]).self_bleu) == 0


def test_parts_add_up() -> None:
    one, other, both = ListStatistics(), ListStatistics(), ListStatistics()
    for statistics, lists in ((one, LISTS[:3]), (other, LISTS[3:]), (both, LISTS)):
        starts = np.cumsum([0, *map(len, lists)])
        statistics.add(pa.array([text for texts in lists for text in texts]), starts)
    one.merge(other)
    assert one.size.count == both.size.count == 6
    assert one.single == both.single == sum(len(texts) == 1 for texts in LISTS)
    assert one.size.mean == both.size.mean == pytest.approx(16 / 6)
    for name in ("self_bleu", "distinct_1", "distinct_2"):
        assert getattr(one, name).mean == pytest.approx(getattr(both, name).mean)
