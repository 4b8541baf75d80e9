"""Which negatives an encoder finds in mega-batches of several sizes. ParaNMT-50M, section 6.4 and table 6."""

from collections.abc import Sequence

import numpy as np

from ...base.errors import InputError
from ...models.encoders.encodes import Encodes
from ...models.evaluation.table import Column, Row, Table

_COLUMNS = (
    Column(name="sentence", type="text", meaning="a sentence of the first mini-batch"),
    Column(name="mega_batch", type="count", title="mega-batch", meaning="mini-batches to choose from"),
    Column(name="negative", type="text", meaning="the nearest sentence that is not its paraphrase"),
    Column(name="cosine", type="number", digits=2, meaning="how near it is"),
)


def nearest_negatives(
    encoder: Encodes,
    references: Sequence[str],
    translations: Sequence[str],
    mega_batches: Sequence[int],
    batch: int = 100,
    shown: int = 5,
) -> Table:
    """The negatives of the first sentences in mega-batches of these sizes, which all begin with them.

    batch: pairs in a mini-batch. shown: how many sentences, at most `batch`. Negatives are chosen as in
    training: from both sides, without sentences that are equal to the sentence or to its translation.
    InputError if there are fewer pairs than the largest mega-batch has.
    """
    import torch  # these import torch, which the command's help does without

    from ...models.training.loss import unit_vectors
    from ...models.training.negatives import hardest_negatives
    from ...models.training.same_texts import Exclusions

    if len(references) < (needed := batch * max(mega_batches)):
        raise InputError(
            f"there are {len(references):,} pairs, fewer than the {needed:,} of a mega-batch of "
            f"{max(mega_batches)}"
        )
    vectors = np.asarray(encoder.encode([*references[:needed], *translations[:needed]]), np.float32)
    units = unit_vectors(torch.from_numpy(vectors)).numpy().reshape(2, needed, -1)
    rows = []
    for size in sorted(mega_batches):
        pool = slice(batch * size)
        texts = [*references[pool], *translations[pool]]
        among = units[:, pool].reshape(len(texts), -1)
        numbers = np.unique(texts, return_inverse=True)[1]
        chosen = hardest_negatives(torch.from_numpy(among), "all", Exclusions(numbers, "equal_texts"))
        for sentence in range(min(shown, batch)):
            nearest = int(chosen[sentence])
            if nearest >= 0:
                named = {"sentence": texts[sentence], "negative": texts[nearest]}
                cosine = float(among[sentence] @ among[nearest])
                rows.append((sentence, Row({**named, "mega_batch": size, "cosine": cosine})))
    rows.sort(key=lambda row: row[0])
    return Table(
        caption=f"The negatives of {min(shown, batch)} sentences in mega-batches of mini-batches of {batch}.",
        columns=_COLUMNS,
        main="cosine",
        group="sentence",
        rows=[row for _, row in rows],
    )
