"""The entries of a recipe's section `evaluate`: the options of a kind of evaluation, and an encoder."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel

from ...base.names import KindIn
from ...base.paths import FilePath
from ...models.evaluation.evaluation import Evaluation
from ...models.evaluation.evaluation_kinds import EVALUATIONS
from ...tokens.definition import EncoderTokens
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
    """An encoder, and how to evaluate it. Each kind of evaluation has a subclass with its options."""

    encoder: str | EncoderFolder
    """The name of an entry of `train`, or {path: an encoder's folder or a file of word vectors}."""
    kind: str
    """The kind of evaluation; it can be left out if the entry has the same name."""

    def evaluation(self) -> Evaluation:
        """The kind with its options."""
        kind = EVALUATIONS[self.kind]
        return kind(**{field.name: getattr(self, field.name) for field in dataclasses.fields(kind)})

    def __reduce__(self) -> tuple[Any, ...]:
        return _entry, (self.kind, vars(self))


@cache
def _entry_class(word: str, kind: type[Evaluation]) -> type[EvaluationEntry]:
    """The class of the entries of one kind."""
    return dataclasses.make_dataclass(
        kind.__name__,
        [("kind", Literal[word], word)],
        bases=(kind, EvaluationEntry),
        namespace={"__module__": __name__},
        frozen=True,
        kw_only=True,
    )


def _entry(word: str, values: Mapping[str, Any]) -> EvaluationEntry:
    """An entry of a kind; pickle does not find the class by itself, because it has no name in a module."""
    return _entry_class(word, EVALUATIONS[word])(**values)


AnyEvaluationEntry = Annotated[
    EvaluationEntry,
    KindIn("kind", lambda: {word: _entry_class(word, kind) for word, kind in EVALUATIONS.items()}),
]
"""An entry, as the class of its kind."""
