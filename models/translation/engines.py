"""The engines, what each of them can do, and the translator for a recipe's options."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.errors import ModelError, RecipeError
from ...base.gpu import has_gpu
from .languages import model_languages
from .model_folder import ModelFolder, check_folder, fetch, read_model_folder
from .translator import Translator

if TYPE_CHECKING:
    from .translate_options import Device, Precision, TranslateOptions

logger = logging.getLogger(__name__)

Load = Callable[[Sequence[ModelFolder], "TranslateOptions", Path, int | None], Translator]


@dataclass(frozen=True, kw_only=True)
class EngineKind:
    """What is known about an engine without loading it.

    load: makes a translator from model folders, resolved options, the cache and a number of CPU threads. It
    imports the engine's packages, which takes time. reads: the kinds of model folder it can read. packages:
    the packages that compute its translations. precisions: those it can compute in, by device; for a device
    not listed, the engine checks when the model is loaded. takes_a_gpu: whether it runs on a GPU with
    `device: auto`. takes_ensembles: whether it can average the distributions of several models. can_search:
    whether it supports `search`. cpu_batch_tokens: the batch size that is fastest on a CPU at beam 12.
    """

    load: Load
    reads: tuple[str, ...]
    packages: tuple[str, ...]
    precisions: "Mapping[Device, tuple[Precision, ...]]" = field(default_factory=dict)
    takes_a_gpu: bool = True
    takes_ensembles: bool = False
    can_search: bool = False
    cpu_batch_tokens: int = 1_024


def resolve(options: "TranslateOptions", gpu: bool | None = None) -> "TranslateOptions":
    """The same options with every `auto` replaced by a value, as they enter a part's key.

    gpu: whether the machines that translate have a GPU; by default whether this machine has one. RecipeError
    for `cuda` without a GPU, and for a precision that the engine cannot compute in.
    """
    engine, device = _resolve_engine(options, has_gpu() if gpu is None else gpu)
    precision = options.precision
    if precision == "auto":
        precision = "float16" if device == "cuda" else "float32"
    precisions = ENGINES[engine].precisions.get(device)
    if precisions is not None and precision not in precisions:
        raise RecipeError(
            f"translate.precision is {precision}; "
            f"on a {device}, the engine {engine} supports {', '.join(precisions)}"
        )
    batch_tokens = options.batch_tokens
    if batch_tokens == "auto":
        batch_tokens = 16_384 if device == "cuda" else ENGINES[engine].cpu_batch_tokens
    return replace(options, engine=engine, device=device, precision=precision, batch_tokens=batch_tokens)


def with_languages(
    options: "TranslateOptions", source: str | None = None, target: str | None = None, corpus: str = ""
) -> "TranslateOptions":
    """The same options with the models' own codes of the languages; RecipeError as for `Languages.chosen`.

    source, target: the languages of the text of the entry `corpus` of `bitext`. None of both stays for models
    of one pair of languages.
    """
    for url, folder in zip(options.models, _folders(options), strict=True):
        given = options.source_language, options.target_language
        codes = model_languages(folder).chosen(given, url, (source, target), corpus)
        options = replace(options, source_language=codes[0], target_language=codes[1])
    return options


def model_files(options: "TranslateOptions") -> list[str]:
    """Paths or URLs of the files that translations depend on; their hashes enter a part's key."""
    return [f"{folder.url.rstrip('/')}/{name}" for folder in _folders(options) for name in folder.files]


def fetch_models(options: "TranslateOptions", cache_dir: Path) -> "TranslateOptions":
    """The same options with the models on this machine: models from elsewhere are copied into the cache."""
    local = []
    for url, folder in zip(options.models, _folders(options), strict=True):
        fetched = fetch(folder, cache_dir)
        # If the options name one checkpoint of a folder, that one is used.
        local.append(f"{fetched.url}/{fetched.weights}" if url.endswith(".pt") else fetched.url)
    return replace(options, model=tuple(local) if isinstance(options.model, tuple) else local[0])


def load(options: "TranslateOptions", cache_dir: Path, threads: int | None = None) -> Translator:
    """The translator for resolved options.

    cache_dir: a folder of this machine for fetched and converted models; processes may share it. threads: CPU
    threads; by default OMP_NUM_THREADS, or all processors.
    """
    if "auto" in (options.engine, options.device, options.precision, options.batch_tokens):
        options = resolve(options)
    options = with_languages(options)
    folders = [fetch(folder, cache_dir) for folder in _folders(options)]
    for folder in folders:
        check_folder(folder)
    return ENGINES[options.engine].load(folders, options, cache_dir, threads)


def _load_fairseq(
    folders: Sequence[ModelFolder], options: "TranslateOptions", cache_dir: Path, threads: int | None
) -> Translator:
    from . import fairseq_engine

    return fairseq_engine.load(folders, options, threads)


def _load_ctranslate2(
    folders: Sequence[ModelFolder], options: "TranslateOptions", cache_dir: Path, threads: int | None
) -> Translator:
    from . import ctranslate2_engine

    return ctranslate2_engine.load(folders[0], options, cache_dir, threads)


def _load_torch(
    folders: Sequence[ModelFolder], options: "TranslateOptions", cache_dir: Path, threads: int | None
) -> Translator:
    from .torch_engine import engine

    return engine.load(folders, options, threads)


# CTranslate2 lists its precisions itself. On a GPU it needs CUDA 12's libraries in addition to torch's.
ENGINES: dict[str, EngineKind] = {
    "torch": EngineKind(
        load=_load_torch,
        reads=("fairseq", "marian", "m2m100"),
        packages=("sentencepiece", "torch"),
        precisions={"cpu": ("float32", "bfloat16"), "cuda": ("float32", "float16", "bfloat16")},
        takes_ensembles=True,
        can_search=True,
    ),
    "ctranslate2": EngineKind(
        load=_load_ctranslate2,
        reads=("fairseq", "marian", "m2m100", "ctranslate2"),
        packages=("ctranslate2", "sentencepiece"),
        takes_a_gpu=False,
        cpu_batch_tokens=512,
    ),
    "fairseq": EngineKind(
        load=_load_fairseq,
        reads=("fairseq",),
        packages=("fairseq", "sentencepiece", "torch"),
        precisions={"cpu": ("float32",), "cuda": ("float32", "float16", "bfloat16")},
        takes_ensembles=True,
    ),
}
# The engine that `engine: auto` means, by device: the fastest one that is exact there.
_FASTEST: dict[str, str] = {"cpu": "ctranslate2", "cuda": "torch"}
_KINDS = {
    "fairseq": "fairseq checkpoint",
    "marian": "Marian model in Hugging Face's files",
    "m2m100": "M2M-100 or NLLB-200 model in Hugging Face's files",
    "ctranslate2": "CTranslate2 model",
}


def _resolve_engine(options: "TranslateOptions", gpu: bool) -> "tuple[str, Device]":
    if options.device == "cuda" and not gpu:
        raise RecipeError(
            "translate.device is cuda, but torch finds no GPU on the machine that translates; "
            "set device to auto or cpu"
        )
    place: Device = "cuda" if gpu and options.device != "cpu" else "cpu"
    engine = options.engine
    if engine == "auto":
        engine = "torch" if len(options.models) > 1 or options.search is not None else _FASTEST[place]
    if options.device == "auto" and place == "cuda" and not ENGINES[engine].takes_a_gpu:
        logger.warning(
            "there is a GPU, but the engine %s uses it only with device: cuda; translating on the CPU", engine
        )
        place = "cpu"
    return engine, place


def _folders(options: "TranslateOptions") -> list[ModelFolder]:
    if not options.models:
        raise RecipeError(
            "translate.model is not given; "
            "name the folder of a fairseq checkpoint, or of a CTranslate2, Marian, M2M-100 or NLLB-200 model"
        )
    folders = [read_model_folder(url) for url in options.models]
    for url, folder in zip(options.models, folders, strict=True):
        readers = [name for name, engine in ENGINES.items() if folder.kind in engine.reads]
        if options.engine not in ("auto", *readers):
            raise ModelError(
                f"{url} is a {_KINDS[folder.kind]}, which the engine {options.engine} cannot read; "
                f"set engine to {' or '.join(readers)}"
            )
    return folders
