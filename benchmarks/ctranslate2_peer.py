"""CTranslate2 as its users call it, for comparison: one call for all sentences, which it batches itself."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

import ctranslate2

from paranmt.models.translation.ctranslate2_engine import converted
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.subwords import Subwords
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate


class BareCTranslate2:
    """Passes tokens to CTranslate2 and returns the text of the best translation, without costs (NaN).

    CTranslate2 itself sorts by length, cuts batches of at most `batch_tokens` padded tokens, and spreads
    them over the threads.
    """

    def __init__(self, options: TranslateOptions, cache_dir: Path, threads: int | None) -> None:
        folder = read_model_folder(options.models[0])
        model = Path(folder.url) if folder.kind == "ctranslate2" else converted(folder, cache_dir)
        self._options = options
        self._subwords = Subwords(folder.subwords_path())
        self._engine = ctranslate2.Translator(
            str(model),
            device=options.device,
            compute_type=options.precision,
            inter_threads=threads or int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1),
            intra_threads=1,
        )

    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]:
        results = self._engine.translate_batch(
            self._subwords.encode(sentences),
            beam_size=self._options.beam,
            num_hypotheses=n_best,
            length_penalty=self._options.length_penalty,
            max_decoding_length=self._options.max_length,
            max_input_length=0,
            max_batch_size=int(self._options.batch_tokens),
            batch_type="tokens",
        )
        return [
            [
                Candidate(self._subwords.decode(tokens), math.nan, len(tokens) + 1, ())
                for tokens in result.hypotheses
            ]
            for result in results
        ]
