"""The entries of a recipe's section `evaluate`: the options of a kind of evaluation, and an encoder."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel

from ...base.names import KindIn
from ...base.paths import FilePath
from ...models.evaluation.evaluation import Evaluation
from ...models.evaluation.evaluation_kinds import EVALUATIONS
from ...tokens.definition import EncoderTokens
from .one_level import OnOneLevel
from .section import STRICT


class EncoderFolder(BaseModel):
    """Your own trained encoder, or a file of word vectors."""

    model_config = STRICT

    path: FilePath
    """The encoder's folder, or the file."""
    tokens: EncoderTokens = "words"
    """How the words of a file of vectors were cut, which it does not say; a folder says it itself."""


@dataclass(frozen=True, kw_only=True)
class EvaluationEntry:
    """An encoder, and how to evaluate it."""

    encoder: str | EncoderFolder
    """The name of an entry of `train`, or {path: an encoder's folder or a file of word vectors}."""
    options: Evaluation
    """The kind of evaluation with its options."""

    @property
    def kind(self) -> str:
        """The kind's name."""
        return self.options.kind


def _kinds() -> dict[str, object]:
    return {word: Annotated[EvaluationEntry, OnOneLevel(kind)] for word, kind in EVALUATIONS.items()}


AnyEvaluationEntry = Annotated[EvaluationEntry, KindIn("kind", _kinds)]
"""An entry with a kind of any name."""
