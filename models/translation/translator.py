"""One protocol for every engine that translates: sentences in, n-best candidates out."""

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ...errors import ModelError, RecipeError
from .model_folder import ModelFolder, fetch, read_model_folder
from .options import Device, Engine, Precision, TranslateOptions

logger = logging.getLogger(__name__)


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


def resolve(options: TranslateOptions, gpu: bool | None = None) -> TranslateOptions:
    """The same options with nothing left to `auto`, as they enter a part's key.

    gpu: whether there is a GPU where translations are made; by default whether this machine has one.
    Raises RecipeError for `cuda` without a GPU, and for a precision that the engine cannot compute in.
    """
    engine, device = _resolve_engine(options, _has_gpu() if gpu is None else gpu)
    precision = options.precision
    if precision == "auto":
        precision = "float16" if device == "cuda" else "float32"
    can = _PRECISIONS.get((engine, device))
    if can is not None and precision not in can:
        raise RecipeError(
            f"translate.precision is {precision}; the engine {engine} on a {device} can do {', '.join(can)}"
        )
    batch_tokens = options.batch_tokens
    if batch_tokens == "auto":
        batch_tokens = 16_384 if device == "cuda" else _CPU_TOKENS.get(engine, 1_024)
    return replace(options, engine=engine, device=device, precision=precision, batch_tokens=batch_tokens)


def model_files(options: TranslateOptions) -> list[str]:
    """Paths or URLs of the files that decide what a translation is; their hashes enter a part's key."""
    return [f"{folder.url.rstrip('/')}/{name}" for folder in _folders(options) for name in folder.files]


def fetch_models(options: TranslateOptions, cache_dir: Path) -> TranslateOptions:
    """The same options with the models on this machine: those elsewhere are copied into the cache."""
    local = []
    for url, folder in zip(options.models, _folders(options), strict=True):
        fetched = fetch(folder, cache_dir)
        # A checkpoint that was named stays the one that is taken.
        local.append(f"{fetched.url}/{fetched.weights}" if url.endswith(".pt") else fetched.url)
    return replace(options, model=tuple(local) if isinstance(options.model, tuple) else local[0])


def load(options: TranslateOptions, cache_dir: Path, threads: int | None = None) -> Translator:
    """The translator that resolved options name.

    cache_dir: a folder of this machine for models fetched or converted; it may be shared by
    processes. threads: of the CPU; by default OMP_NUM_THREADS, or all processors.
    """
    if "auto" in (options.engine, options.device, options.precision, options.batch_tokens):
        options = resolve(options)
    folders = [fetch(folder, cache_dir) for folder in _folders(options)]
    return _ENGINES[options.engine](folders, options, cache_dir, threads)


def _load_fairseq(
    folders: Sequence[ModelFolder], options: TranslateOptions, cache_dir: Path, threads: int | None
) -> Translator:
    from . import fairseq_engine

    return fairseq_engine.load(folders, options, threads)


def _load_ctranslate2(
    folders: Sequence[ModelFolder], options: TranslateOptions, cache_dir: Path, threads: int | None
) -> Translator:
    from . import ctranslate2_engine

    return ctranslate2_engine.load(folders[0], options, cache_dir, threads)


def _load_torch(
    folders: Sequence[ModelFolder], options: TranslateOptions, cache_dir: Path, threads: int | None
) -> Translator:
    from .torch_engine import engine

    return engine.load(folders, options, threads)


# Each engine brings heavy packages, so it is imported where it is used.
_ENGINES: dict[str, Callable[[Sequence[ModelFolder], TranslateOptions, Path, int | None], Translator]] = {
    "ctranslate2": _load_ctranslate2,
    "fairseq": _load_fairseq,
    "torch": _load_torch,
}
# Tokens of a batch on a CPU that are fastest at beam 12, where that differs from the other engines'.
_CPU_TOKENS: dict[Engine, int] = {"ctranslate2": 512}
# CTranslate2 says itself what the processor lets it do.
_PRECISIONS: dict[tuple[Engine, Device], tuple[Precision, ...]] = {
    ("fairseq", "cpu"): ("float32",),
    ("fairseq", "cuda"): ("float32", "float16", "bfloat16"),
    ("torch", "cpu"): ("float32", "bfloat16"),
    ("torch", "cuda"): ("float32", "float16", "bfloat16"),
}
# What `engine: auto` is, by device: the fastest engine that is exact there.
_FASTEST: dict[str, Engine] = {"cpu": "ctranslate2", "cuda": "torch"}
# The engines that read each kind of model.
_READERS: dict[str, tuple[Engine, ...]] = {
    "fairseq": ("torch", "ctranslate2", "fairseq"),
    "marian": ("torch", "ctranslate2"),
    "ctranslate2": ("ctranslate2",),
}
_KINDS = {
    "fairseq": "fairseq checkpoint",
    "marian": "Marian model in Hugging Face's files",
    "ctranslate2": "CTranslate2 model",
}
# Engines that `device: auto` puts on a GPU. CTranslate2 needs CUDA 12's libraries beside torch's own.
_TAKE_A_GPU = frozenset(("fairseq", "torch"))


def _resolve_engine(options: TranslateOptions, gpu: bool) -> tuple[Engine, Device]:
    if options.device == "cuda" and not gpu:
        raise RecipeError(
            "translate.device is cuda, but torch finds no GPU where translations are made; "
            "say device: auto or cpu"
        )
    place: Device = "cuda" if gpu and options.device != "cpu" else "cpu"
    engine = options.engine
    if engine == "auto":
        engine = "torch" if len(options.models) > 1 or options.search is not None else _FASTEST[place]
    if options.device == "auto" and place == "cuda" and engine not in _TAKE_A_GPU:
        logger.warning(
            "there is a GPU, but the engine %s takes it only with device: cuda; it runs on the CPU", engine
        )
        place = "cpu"
    return engine, place


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def _folders(options: TranslateOptions) -> list[ModelFolder]:
    if not options.models:
        raise RecipeError(
            "translate.model is not given; "
            "name the folder of a fairseq checkpoint, a CTranslate2 or a Marian model"
        )
    folders = [read_model_folder(url) for url in options.models]
    for url, folder in zip(options.models, folders, strict=True):
        readers = _READERS[folder.kind]
        if options.engine not in ("auto", *readers):
            raise ModelError(
                f"{url} is a {_KINDS[folder.kind]}, which the engine {options.engine} cannot read; "
                f"say engine: {' or '.join(readers)}"
            )
    return folders
