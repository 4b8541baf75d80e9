"""Any encoder by what a user writes on the command line: a folder, a file of word vectors, a function."""

import importlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...base.errors import ModelError
from ...tokens.definition import EncoderTokens
from ..encoders.chosen_on import development_of
from ..encoders.encodes import Encodes

_FUNCTION = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


def load_any(place: str, tokens: EncoderTokens = "words") -> Encodes:
    """An encoder from a folder (ours or of sentence-transformers), a file of word vectors, or a function.

    A function is given as `module:function`; the module is imported, also from the current folder. tokens:
    how the words of a file of vectors were cut. ModelError if there is nothing of the kind.
    """
    # imports torch, which reading a command line does not need
    from ..encoders.loading import load_encoder

    if "://" in place or os.path.exists(place):
        return load_encoder(place, tokens=tokens)
    if function := _FUNCTION.fullmatch(place):
        return FunctionEncoder(_imported(function[1], function[2]), place)
    raise ModelError(
        "expected an encoder's folder or a file of word vectors, or a Python function as module:function; "
        f"{place} does not exist"
    )


class CountingEncoder:
    """An encoder that counts how many of the tokens it was asked to encode it knows."""

    def __init__(self, encoder: Encodes) -> None:
        from ..encoders.row_index import RowIndex
        from ..encoders.sentence_encoder import SentenceEncoder

        self.encoder = encoder
        vocabularies = encoder.vocabularies if isinstance(encoder, SentenceEncoder) else {}
        self._cut = ", ".join(dict.fromkeys(vocabulary.tokens for vocabulary in vocabularies.values()))
        self._indices = [RowIndex(vocabulary) for vocabulary in vocabularies.values()]
        self.development = development_of(encoder)
        self._known = self._all = 0

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """The encoder's vectors."""
        for index in self._indices:
            import pyarrow as pa

            ids = index.token_ids(pa.array(sentences, pa.large_string())).ids
            self._known += int(np.count_nonzero(ids))
            self._all += len(ids)
        return self.encoder.encode(sentences)

    @property
    def note(self) -> str:
        """How text is cut, and how much it knows, for an encoder of ours or word vectors; otherwise nothing.

        For word vectors of only the most frequent words this is what the results depend on.
        """
        if not self._all:
            return ""
        return f"tokens: {self._cut}; knows {100 * self._known / self._all:.1f} % of the tokens"


@dataclass(frozen=True)
class FunctionEncoder:
    """A function from a list of sentences to an array (n, dimension). place: how errors call it."""

    function: Callable[[list[str]], object]
    place: str

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """(n, dimension) float32. ModelError if the function returns anything else, or numbers not finite."""
        vectors = np.asarray(self.function(list(sentences)))
        is_numeric = np.issubdtype(vectors.dtype, np.number) and not np.iscomplexobj(vectors)
        if vectors.ndim != 2 or len(vectors) != len(sentences) or not is_numeric:
            raise ModelError(
                f"{self.place}: expected an array of {len(sentences)} rows of numbers for as many sentences, "
                f"got shape {vectors.shape} of {vectors.dtype}"
            )
        vectors = vectors.astype(np.float32)
        if not np.isfinite(vectors).all():
            raise ModelError(f"{self.place}: some of the numbers in its vectors are not finite")
        return vectors


def _imported(module: str, name: str) -> Callable[[list[str]], object]:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ModelError(f"{module}:{name} cannot be imported: {error}") from None
    if not callable(function):
        raise ModelError(f"{module}:{name} is not a function")
    return function
