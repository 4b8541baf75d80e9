"""One protocol for every engine that translates: sentences in, n-best candidates out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Candidate:
    """One hypothesis of an n-best list.

    `log_prob` is the sum over the candidate's tokens in natural logarithms, unnormalised;
    `n_tokens` counts them, the end symbol included; `token_log_probs` has one value a token, or none
    where they were not asked for.
    """

    text: str
    log_prob: float
    n_tokens: int
    token_log_probs: tuple[float, ...]

    @classmethod
    def of(cls, text: str, token_log_probs: Sequence[float]) -> "Candidate":
        """A candidate whose sum and count are those of its tokens."""
        return cls(text, math.fsum(token_log_probs), len(token_log_probs), tuple(token_log_probs))


class Translator(Protocol):
    """A loaded model. Sorting by length, batching and truncation happen inside.

    `halvings`: how often a full GPU had its batches halved since the model was loaded.
    """

    halvings: int

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        """The `n_best` candidates of each sentence, best first, in the order of the input.

        token_log_probs: whether they are wanted; an engine that has them anyway gives them anyway.

        An empty list says that a sentence cannot be translated: it has no tokens, or more of them
        than the model has positions (1,023 without the end symbol in most models). A sentence of
        unknown tokens only is translated. Every other sentence has at least one candidate: what is
        still open after `max_length` tokens is ended there, and its end symbol counted, as fairseq
        does. Fewer than `n_best` come where the search finished fewer; `n_best` is at most the beam.
        """
        ...

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """What the model thinks of given translations (forced decoding), in the order of the input.

        Candidates have their `token_log_probs`. None where either side has more tokens than the model
        has positions, or the sentence has none. An empty translation is the end symbol alone.
        """
        ...
