"""The tokenizer of the encoders of sentence-transformers and model2vec that ours are compared with."""

from collections.abc import Iterable
from typing import Any


def word_pieces(sentences: Iterable[str], pieces: int) -> Any:
    """A WordPiece tokenizer of the package tokenizers, trained on the text."""
    from tokenizers import BertWordPieceTokenizer, Tokenizer

    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train_from_iterator(sentences, vocab_size=pieces, show_progress=False)
    return Tokenizer.from_str(trained.to_str())
