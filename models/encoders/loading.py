"""Sentence encoders of any kind by their path."""

from os import PathLike
from typing import TYPE_CHECKING

from ...base.errors import ModelError
from ...base.gpu import has_gpu
from ...base.host_cache import cache_folder
from ...tokens.definition import EncoderTokens
from ..translation.model_folder import fetch_path
from .encodes import Encodes

if TYPE_CHECKING:
    from .sentence_encoder import SentenceEncoder
    from .sentence_transformer import SentenceTransformerEncoder


def load_encoder(
    path: str | PathLike[str], device: str = "auto", tokens: EncoderTokens = "words"
) -> "SentenceEncoder | SentenceTransformerEncoder":
    """The sentence encoder in a folder: one of ours, or a model of sentence-transformers.

    The path may also be a text file of word vectors, which are averaged, and any fsspec URL, whose files are
    copied into this machine's cache. `encode` turns sentences into vectors. device: `cpu`, `cuda`, or `auto`,
    which is a GPU if there is one and the encoder gains from it.
    tokens: the tokenisation of a file of word vectors; folders say it themselves.
    ModelError if the path is none of these.
    """
    # import torch, which the names of the library do without
    from .sentence_encoder import SentenceEncoder
    from .sentence_transformer import SentenceTransformerEncoder, is_sentence_transformer

    path = fetch_path(str(path), cache_folder("models"))
    if path.is_file():
        return SentenceEncoder.from_vectors(str(path), tokens, "cuda" if device == "cuda" else "cpu")
    if not path.is_dir():
        raise ModelError(f"expected an encoder's folder or a file of word vectors; {path} does not exist")
    if not is_sentence_transformer(path):
        return SentenceEncoder.load(path, device)
    encoder = SentenceTransformerEncoder.load(path)
    if device == "auto":
        device = "cuda" if has_gpu() else "cpu"
    encoder.to(device)
    return encoder


def load_vectors_of(
    path: str | PathLike[str], device: str = "auto", tokens: EncoderTokens = "words"
) -> Encodes:
    """Like `load_encoder`, for those who only need vectors: averages are computed without torch.

    On a GPU, and where weights are stored smaller, they are what `load_encoder` gives.
    """
    from .sentence_transformer import is_sentence_transformer
    from .static_encoder import read_static, static_of_vectors

    path = fetch_path(str(path), cache_folder("models"))
    if device != "cuda" and path.is_file():
        return static_of_vectors(str(path), tokens)
    is_ours = device != "cuda" and path.is_dir() and not is_sentence_transformer(path)
    static = read_static(path) if is_ours else None
    return load_encoder(path, device, tokens) if static is None else static
