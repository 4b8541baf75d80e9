"""One protocol for every engine that translates: sentences in, n-best candidates out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Candidate:
    """One hypothesis of an n-best list.

    `log_prob` is the sum over the candidate's tokens in natural logarithms, unnormalised; `n_tokens` is their
    number, including the end symbol; `token_log_probs` has a value for each token, or is empty if the values
    were not asked for.
    """

    text: str
    log_prob: float
    n_tokens: int
    token_log_probs: tuple[float, ...]

    @classmethod
    def of(cls, text: str, token_log_probs: Sequence[float]) -> "Candidate":
        """A candidate whose `log_prob` and `n_tokens` follow from its tokens' log-probabilities."""
        return cls(text, math.fsum(token_log_probs), len(token_log_probs), tuple(token_log_probs))


class Translator(Protocol):
    """A loaded model. Sorting by length, batching and truncation happen inside.

    `halvings`: how often batches were halved because the GPU was full, since the model was loaded.
    """

    halvings: int

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        """The `n_best` candidates of each sentence, best first, in the order of the input.

        token_log_probs: whether candidates must have them; some engines always give them.

        The list is empty if a sentence cannot be translated because it has no tokens, or more tokens than the
        model has positions (1,023 without the end symbol in most models). A sentence that consists only of
        unknown tokens is translated. Every other sentence has at least one candidate: a candidate that is
        still open after `max_length` tokens is ended there, and its end symbol counted, as in fairseq. There
        are fewer than `n_best` candidates if the search finished fewer; `n_best` is at most the beam.
        """
        ...

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """The model's scores of given translations (forced decoding), in the order of the input.

        The candidates have `token_log_probs`. A candidate is None if either side has more tokens than the
        model has positions, or if the sentence has none. An empty translation is scored as the end symbol.
        """
        ...
