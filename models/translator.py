"""One protocol for every engine that translates: sentences in, n-best candidates out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Engine = Literal["auto", "torch", "ctranslate2", "fairseq"]
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "float16", "bfloat16", "int8"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One hypothesis of an n-best list.

    `log_prob` is the sum over the candidate's tokens in natural logarithms, unnormalised;
    `n_tokens` counts them, the end symbol included; `token_log_probs` has one value a token.
    """

    text: str
    log_prob: float
    n_tokens: int
    token_log_probs: tuple[float, ...]


class Translator(Protocol):
    """A loaded model. Sorting by length, batching and truncation happen inside."""

    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]:
        """The `n_best` candidates of each sentence, best first, in the order of the input.

        A sentence that cannot be translated (it has no tokens) has an empty list.
        """
        ...


@dataclass(frozen=True)
class TranslateOptions:
    """How translations are searched for: the `translate` section of a recipe.

    engine: `auto` is torch on a GPU and ctranslate2 on a CPU. model: a folder with a fairseq
    checkpoint or a converted model, dictionaries, and a sentencepiece model. beam: 1 to 50.
    length_penalty: a candidate's rank is log_prob / n_tokens ** length_penalty. max_length: tokens of
    a translation at the most, end symbol apart. keep_candidates: candidates stored beside the best
    one. batch_tokens: padded source tokens of a batch before beam expansion; `auto` is 4,096 on a CPU
    and 16,384 on a GPU.
    """

    model: str | None = None
    engine: Engine = "auto"
    beam: int = 12
    length_penalty: float = 1.0
    max_length: int = 200
    keep_candidates: int = 0
    device: Device = "auto"
    precision: Precision = "auto"
    batch_tokens: int | Literal["auto"] = "auto"
