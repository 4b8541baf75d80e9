"""Lists of words that the user gives."""

from collections.abc import Sequence
from pathlib import Path

from ...base.documents import read_document
from ...base.errors import ModelError
from ...filters.phrases import Phrases
from ...filters.profanity import Profanity
from ...filters.score import Score
from .model_kind import ModelKind


def _load(paths: Sequence[Path], score: Score) -> object:
    if not isinstance(score, Profanity):
        raise TypeError(f"no list of words is known for {score!r}")
    (path,) = paths
    try:
        lines = read_document(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: expected a text file in UTF-8, got other bytes at {error.start}") from None
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from None
    phrases = Phrases.of(lines, score.tokens)
    if not phrases.longest:
        raise ModelError(f"{path}: expected a word or phrase on each line, got none")
    return phrases


WORD_LIST = ModelKind(description="list of words", packages=(), load=_load)
