"""Control: tags in front of a sentence that say how its paraphrase is to score, as deciles of a corpus."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ...base.errors import RecipeError
from ...base.hashing import seeded_hash

PARAPHRASER = "paraphraser.json"
"""The file of a model's folder that says which scores control it."""

DECILES = range(1, 11)

REVERSIBLE = {
    **dict.fromkeys(
        (
            "unigram_overlap",
            "bigram_overlap",
            "trigram_overlap",
            "paraphrase_similarity",
            "character_similarity",
            "longest_common_subsequence",
        ),
        False,
    ),
    "length_ratio": True,
}
"""The scores that may control: whether a pair's decile d is 11 - d when its sides are swapped."""

_WITHOUT_TAGS = 0.1
"""The share of training pairs without tags, so that the model also paraphrases without any."""


def tag(column: str, decile: int) -> str:
    """The tag of a decile of a score.

    >>> tag("trigram_overlap", 1)
    '<trigram_overlap=1>'
    """
    return f"<{column}={decile}>"


def all_tags(columns: Iterable[str]) -> list[str]:
    """The tags of every decile of some scores."""
    return [tag(column, decile) for column in columns for decile in DECILES]


def tagged(sentence: str, deciles: Mapping[str, int | None]) -> str:
    """The sentence behind its tags; a score without a decile has none. A blank sentence stays blank.

    >>> tagged("Two dogs run.", {"trigram_overlap": 1, "length_ratio": None})
    '<trigram_overlap=1> Two dogs run.'
    """
    if not sentence.strip():
        return sentence
    tags = [tag(column, decile) for column, decile in deciles.items() if decile is not None]
    return " ".join([*tags, sentence])


def training_pairs(
    references: Sequence[str],
    translations: Sequence[str],
    deciles: Mapping[str, Sequence[int | None]],
    directions: Sequence[bool],
    reversible: Mapping[str, bool],
    seed: int,
) -> Iterator[tuple[str, str]]:
    """(sentence, paraphrase) of each pair and direction.

    deciles: by column, of each pair. directions: False is from the reference to the translation, True the
    other way. reversible: by column, as in `REVERSIBLE`. One pair in ten has no tags, by a seeded hash of its
    reference.
    """
    share = seeded_hash(list(references), seed).astype(np.float64) / 2.0**64
    for row, (reference, translation) in enumerate(zip(references, translations, strict=True)):
        for is_reversed in directions:
            wanted = {
                column: 11 - decile if is_reversed and reversible[column] and decile is not None else decile
                for column, values in deciles.items()
                for decile in (values[row],)
                if share[row] >= _WITHOUT_TAGS
            }
            source, target = (translation, reference) if is_reversed else (reference, translation)
            yield tagged(source, wanted), target


def check_control(wanted: Mapping[str, int], columns: Sequence[str]) -> None:
    """RecipeError for a score that the model was not trained with, or a decile that is not from 1 to 10."""
    for column, decile in wanted.items():
        if column not in columns:
            known = ", ".join(columns) or (
                f"none: no {PARAPHRASER} beside the model (of an ensemble, beside each one) lists any; "
                "if it was trained with `control`, copy that file with it"
            )
            raise RecipeError(f"control: this paraphraser knows no {column!r}; there are: {known}")
        if decile not in DECILES:
            raise RecipeError(f"control: expected a decile of {column} from 1 to 10, got {decile}")
