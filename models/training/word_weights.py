"""Weights of words in an average, by how often the training pairs have them: SIF and IDF."""

import numpy as np
import torch

from ..encoders.encoder import Encoder
from ..encoders.token_ids import TokenIds
from .pairs import TokenCorpus
from .train_options import WordWeights

_SMOOTH = 1e-3
_BLOCK = 10_000  # sentences whose means are computed at once


def weigh_words(encoder: Encoder, corpus: TokenCorpus, weights: WordWeights) -> None:
    """Change the table of an average of one kind of units, so that it is a weighted average of the old rows.

    `sif`: the row of a unit that is the share p of all tokens is multiplied by a / (a + p) with a = 0.001.
    Then the common component is removed from each row: its projection on the first right singular vector of
    the means of all sentences. A projection is linear, so the means lose it too. Arora et al. 2017, whose
    component is that of the evaluated sentences; here it is that of the training pairs.
    `idf`: the row of a unit in df of N sentences is multiplied by ln((1 + N) / (1 + df)).

    Both count the sentences of both sides. Units without a row of their own share row 0, which is counted so.
    """
    (ids,) = corpus.streams.values()
    (name,) = encoder.tables
    with torch.no_grad():
        table = encoder.get_parameter(name)
        rows = table.double().cpu().numpy()
        if weights == "idf":
            weighted = rows * _idf(ids, len(rows))[:, None]
        else:
            share = np.bincount(ids.ids, minlength=len(rows)) / max(1, len(ids.ids))
            weighted = rows * (_SMOOTH / (_SMOOTH + share))[:, None]
            common = _common_component(ids, weighted)
            weighted -= np.outer(weighted @ common, common)
        table.copy_(torch.from_numpy(weighted))


def _idf(ids: TokenIds, rows: int) -> np.ndarray:
    """ln((1 + N) / (1 + df)) of each row, (rows,) float64."""
    sentences = np.repeat(np.arange(len(ids)), ids.lengths())
    different = np.unique(sentences * rows + ids.ids) % rows
    found: np.ndarray = np.log((1 + len(ids)) / (1 + np.bincount(different, minlength=rows)))
    return found


def _common_component(ids: TokenIds, rows: np.ndarray) -> np.ndarray:
    """The first right singular vector of the sentences' means, (dimension,) float64."""
    products = np.zeros((rows.shape[1], rows.shape[1]))
    for first in range(0, len(ids), _BLOCK):
        block = ids.take(np.arange(first, min(first + _BLOCK, len(ids))))
        lengths = block.lengths()
        sums = np.zeros((len(block), rows.shape[1]))
        np.add.at(sums, np.repeat(np.arange(len(block)), lengths), rows[block.ids])
        means = sums / np.maximum(lengths, 1)[:, None]
        products += means.T @ means
    vector: np.ndarray = np.linalg.eigh(products)[1][:, -1]
    return vector
