"""Compile every kernel for an image: `python -m paranmt.launch.compile_kernels`.

The code is for the processor in numba's setting NUMBA_CPU_NAME, by default for this machine's.
"""

import numpy as np
import pyarrow as pa
import torch

from ..base.host_cache import cache_folder
from ..filters.bleu import sentence_bleu
from ..filters.contamination import EvaluationSets, SetSentences, contamination
from ..filters.copies import character_similarity
from ..filters.lengths import lengths
from ..filters.negation import negation_consistency
from ..filters.numbers import number_consistency
from ..filters.overlap import ngram_overlap
from ..filters.repetition import repetition
from ..filters.scripts import character_set_share
from ..filters.statistics import NgramCounts, TextStatistics
from ..models.encoders.encoder_kinds import AveragingOptions
from ..models.encoders.recurrence import PeepholeLstm, Steps
from ..models.encoders.row_index import RowIndex
from ..models.encoders.static_encoder import StaticEncoder
from ..models.encoders.token_ids import Streams, TokenIds
from ..models.encoders.vocabulary import Vocabulary
from ..models.training.loss import MarginLossOfRows
from ..models.training.negatives import hardest_negatives
from ..models.training.row_adam import RowAdam
from ..models.training.same_texts import Exclusions
from ..tokens.columns import count_spaced, normalised, spaced_tokens


def main() -> None:
    """Call each kernel once, which compiles it and writes it into the machine's cache."""
    texts = pa.array(["Two dogs.", "e\u0301"])
    lengths(texts)
    ngram_overlap(texts, texts, 1)
    sentence_bleu(texts, texts)
    counted = TextStatistics()
    counted.add(texts, NgramCounts())
    counted.unigrams.merge(counted.unigrams)
    counted.unigrams.entropy()
    known = SetSentences("set", "file", ["one two three"], np.ones(1, np.int32))
    contamination(texts, texts, EvaluationSets([known], n=3, share=0.7))
    repetition(texts, 1)
    number_consistency(texts, texts)
    negation_consistency(texts, texts)
    character_similarity(texts, texts)
    character_set_share(texts)
    count_spaced(spaced_tokens(texts))
    normalised(texts)
    RowIndex(Vocabulary(["two"], "words")).token_ids(texts)
    RowIndex(Vocabulary(["two"], "trigrams")).token_ids(texts)
    vectors = torch.zeros(1, 2)
    PeepholeLstm(2, 2)(vectors, Steps(TokenIds.of([[0]]), vectors.device)).sum().backward()
    RowAdam(vectors).update(torch.tensor([0]), torch.ones(1, 2), 1)
    encoder = AveragingOptions(dimension=2).build({"words": 2}, "words")
    averages = encoder(Streams(words=TokenIds.of([[0], [1]])))
    table = {"embedding.weight": np.zeros((2, 2), np.float32)}
    StaticEncoder(AveragingOptions(dimension=2), table, [Vocabulary(["a"])]).encode(["a"])
    sides, compared = np.array([[0], [1], [1], [0]]), np.ones((2, 1), bool)
    MarginLossOfRows.apply(averages, sides, compared, 0.4).backward()
    hardest_negatives(torch.eye(4), "all", Exclusions(np.arange(4), "equal_texts"))
    print(f"compiled all kernels into {cache_folder('kernels')}")


if __name__ == "__main__":
    main()
