"""The options of translating, without the engines that use them."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ...base.bounds import Bounds, Count, NoneOrMore, Numbers
from ...base.errors import RecipeError
from ...base.names import NameIn
from ...base.paths import FilePath
from .engines import ENGINES
from .search_options import SearchOptions

Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "float16", "bfloat16", "int8"]

_ENGINE = NameIn(ENGINES, "auto")


@dataclass(frozen=True)
class TranslateOptions(Numbers):
    """The `translate` section of a recipe.

    RecipeError if a value is out of range.
    """

    model: FilePath | tuple[FilePath, ...] | None = None
    """A folder with a fairseq checkpoint or a converted model, dictionaries, and a sentencepiece model, or
    with a Marian (OPUS-MT), M2M-100 or NLLB-200 model in Hugging Face's files; a checkpoint file beside its
    dictionaries; or such a folder on the Hugging Face hub, `hf://OWNER/NAME@COMMIT`. A list of them is an
    ensemble."""
    source_language: str | None = None
    """The language of the sources, for a model that translates from several (M2M-100, NLLB-200), by any code:
    `cs`, `ces` or `ces_Latn`. In a recipe each entry of `bitext` says it, and this may only say the same."""
    target_language: str | None = None
    """The language to translate into, for a model that has several (NLLB-200, M2M-100, OPUS-MT models with
    tokens such as `>>fra<<`), by any code. In a recipe it is the `reference_language` of entries that name
    none, and must not contradict others. Models of one language must have none."""
    engine: Annotated[str, _ENGINE] = "auto"
    """`auto` is torch on a GPU, for an ensemble or with `search`; otherwise, on a CPU, ctranslate2."""
    beam: Annotated[int, Bounds(1, 50, is_whole=True)] = 12
    """How many candidates the search follows, 1 to 50."""
    length_penalty: Annotated[float, Bounds(0, 1_000)] = 1.0
    """A candidate's rank is log_prob / n_tokens ** length_penalty."""
    max_length: Annotated[int, Bounds(1, 10**6, is_whole=True)] = 200
    """The most tokens of a translation, not counting the end symbol."""
    keep_candidates: NoneOrMore = 0
    """How many candidates to store in a column of their own, including the best."""
    device: Device = "auto"
    """`auto` uses a GPU if there is one; `cuda` without a GPU is an error."""
    precision: Precision = "auto"
    """`auto` is float32 on a CPU and float16 with float32 logits on a GPU."""
    batch_tokens: Count | Literal["auto"] = "auto"
    """Source tokens in a batch before beam expansion, with padding; `torch`, which refills its batches,
    counts them without. `auto` is 16,384 on a GPU; on a CPU it is 512 for ctranslate2, which translates a
    batch in each thread, and 1,024 for the others."""
    score_existing: bool = False
    """Whether the model also scores existing translations of the bitext, by forced decoding, so that they
    have a translation_cost."""
    force_precision: bool = False
    """Translate even if the precision changes translations too much. (Before a precision is used, it is
    compared with float32 on a sample.)"""
    cuda_graphs: bool = False
    """Record the decoder's steps on a GPU as CUDA graphs and play them again, so that less time goes into
    launching kernels. Only the engine torch has them; on a CPU nothing changes."""
    where: str = "true"
    """An SQL condition over scores of the recipe that read only the source and the reference, and train no
    model, and over the columns of provenance. A pair for which it is not true is not translated."""
    search: SearchOptions | None = None
    """Sampling, diverse groups, and limits on length and repetition, which only the engine torch supports. By
    default the ordinary beam search is used."""

    def __post_init__(self) -> None:
        if self.engine not in _ENGINE.names:
            engines = ", ".join(sorted(_ENGINE.names))
            raise RecipeError(f"translate.engine is {self.engine}; there are: {engines}")
        super().__post_init__()
        if not 0 <= self.keep_candidates <= self.beam:
            raise RecipeError(
                f"translate.keep_candidates is {self.keep_candidates}; "
                f"it must be from 0 to the beam, {self.beam}"
            )
        engine = ENGINES.get(self.engine)  # None for auto, which chooses one that can do what is asked
        if self.search is not None:
            self.search.check(self.beam, self.max_length)
            if engine is not None and not engine.can_search:
                able = " or ".join(name for name, other in ENGINES.items() if other.can_search)
                raise RecipeError(
                    f"translate.search is for the engine {able}, and translate.engine is {self.engine}; "
                    f"set engine to {able}, or leave search out"
                )
        if len(self.models) > 1 and engine is not None and not engine.takes_ensembles:
            able = " or ".join(name for name, other in ENGINES.items() if other.takes_ensembles)
            raise RecipeError(
                f"translate.model names {len(self.models)} models, but the engine {self.engine} takes one; "
                f"set engine to {able}"
            )

    @property
    def models(self) -> tuple[str, ...]:
        """The folders or files of `model`: none, one, or those of an ensemble."""
        if self.model is None or isinstance(self.model, tuple):
            return self.model or ()
        return (self.model,)
