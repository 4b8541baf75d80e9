"""Whether a precision may replace float32: how much it changes the translations of a sample."""

from collections.abc import Sequence
from dataclasses import dataclass

SAMPLE = 1_000
"""How many sentences are translated in both precisions."""
LEAST_SAME = 0.99
"""The share of best translations that float16 and bfloat16 must keep."""
MOST_BLEU = {"float16": 0.1, "bfloat16": 0.1, "int8": 0.3}
"""By how many points of BLEU a precision may differ from float32; int8 may be better by any number."""


@dataclass(frozen=True)
class PrecisionComparison:
    """Translations of the same sentences in float32 and in another precision.

    same: how many translations are equal. exact_bleu, bleu: sacreBLEU against the references, in float32
    and in the other precision.
    """

    precision: str
    sentences: int
    same: int
    exact_bleu: float
    bleu: float

    def summary(self) -> str:
        """The numbers, as text.

        >>> PrecisionComparison("int8", 1000, 921, 38.31, 38.44).summary()
        'BLEU 38.44 against 38.31 in float32, 92.1 % of 1,000 translations the same'
        """
        share = 100 * self.same / max(1, self.sentences)
        return (
            f"BLEU {self.bleu:.2f} against {self.exact_bleu:.2f} in float32, "
            f"{share:.1f} % of {self.sentences:,} translations the same"
        )


def compare(
    precision: str, exact: Sequence[str], rounded: Sequence[str], references: Sequence[str]
) -> PrecisionComparison:
    """exact, rounded: the best translations in float32 and in `precision`; "" if there is none."""
    import sacrebleu  # its tokenisers, which a run that translates with float32 does without

    same = sum(a == b for a, b in zip(exact, rounded, strict=True))
    scores = [
        float(sacrebleu.corpus_bleu(list(texts), [list(references)]).score) if references else 0.0
        for texts in (exact, rounded)
    ]
    return PrecisionComparison(precision, len(exact), same, *scores)


def objection(comparison: PrecisionComparison) -> str | None:
    """The reason to refuse the precision, or None.

    int8 is a different model and is judged only by its quality; float16 and bfloat16 must give the same
    translations.

    >>> objection(PrecisionComparison("float16", 1000, 989, 38.3, 38.3))
    '98.9 % of the translations are the same, fewer than 99 %'
    """
    most = MOST_BLEU[comparison.precision]
    lost = comparison.exact_bleu - comparison.bleu
    if comparison.precision == "int8":
        return f"BLEU is {lost:.2f} lower, more than {most}" if lost > most else None
    share = comparison.same / max(1, comparison.sentences)
    if share < LEAST_SAME:
        return f"{100 * share:.1f} % of the translations are the same, fewer than {100 * LEAST_SAME:.0f} %"
    return f"BLEU differs by {abs(lost):.2f}, more than {most}" if abs(lost) > most else None
