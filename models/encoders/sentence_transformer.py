"""Models of the package sentence-transformers as sentence encoders. Nothing in their folders is executed."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError

from ...base.documents import read_json
from ...base.errors import ModelError
from ...base.extras import install_command
from ...base.finite import check_finite

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MODULES = "modules.json"
_CONFIGS = ("config.json", "tokenizer_config.json", "processor_config.json", "preprocessor_config.json")
OWN_MODULE = "paranmt.models.encoders.sentence_transformers_module.ParanmtEncoder"
_KNOWN = ("Transformer", "Pooling", "Normalize", "Dense", "StaticEmbedding")
_WITH_WEIGHTS = ("Transformer", "Dense", "StaticEmbedding")


def is_sentence_transformer(folder: Path) -> bool:
    """Whether a folder holds a model of sentence-transformers, and not only an encoder that we exported."""
    if not (folder / MODULES).exists():
        return False
    return [(module.get("type"), module.get("path")) for module in _read_modules(folder)] != [
        (OWN_MODULE, "")
    ]


class SentenceTransformerEncoder:
    """A model of sentence-transformers."""

    def __init__(self, model: "SentenceTransformer") -> None:
        self._model = model

    def to(self, device: str) -> None:
        """Moves the model to `cpu` or `cuda`."""
        self._model.to(device)

    def encode(self, sentences: Sequence[str], batch: int = 32) -> np.ndarray:
        """(n, dimension) float32, in the order of `sentences`; the model says what an empty sentence gets."""
        vectors = self._model.encode(
            list(sentences), batch_size=batch, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, np.float32)

    @classmethod
    def load(cls, folder: Path) -> "SentenceTransformerEncoder":
        """Reads a folder with modules.json, config.json and weights as safetensors, and nothing else.

        ModelError if sentence-transformers is not installed, or if the folder has other modules than those of
        common models, code of its own, or weights as a pickle, and if tensors are missing or not finite.
        """
        _check(folder)
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar
        except ImportError:
            raise ModelError(
                f"{folder} is a model of sentence-transformers, which is not installed: "
                f"{install_command('sentence-transformers')}"
            ) from None
        disable_progress_bar()
        try:
            with _without_random_tensors(folder):
                model = SentenceTransformer(
                    str(folder),
                    device="cpu",
                    trust_remote_code=False,
                    local_files_only=True,
                    model_kwargs={"use_safetensors": True, "dtype": "float32"},
                )
        except (SafetensorError, OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise ModelError(f"{folder} cannot be loaded by sentence-transformers: {reason[:500]}") from None
        check_finite(folder, model.state_dict())
        return cls(model)


@contextmanager
def _without_random_tensors(folder: Path) -> Iterator[None]:
    """ModelError if transformers gives a tensor random numbers because no file in the folder has it.

    Only tensors of the pooler may be missing: they turn no word's state, and thus no sentence's vector. That
    transformers reports missing tensors to its caller must be asked for in its own call.
    """
    from transformers import PreTrainedModel

    read = PreTrainedModel.__dict__["from_pretrained"]

    def checked(cls: type, *args: Any, **options: Any) -> object:
        model, found = read.__func__(cls, *args, **options, output_loading_info=True)
        missing = sorted(name for name in found["missing_keys"] if "pooler" not in name.split("."))
        if missing:
            names = ", ".join(missing)[:300]
            raise ModelError(f"{folder} lacks {len(missing)} of the model's tensors, {names}: fetch it again")
        return model

    PreTrainedModel.from_pretrained = classmethod(checked)  # type: ignore[assignment]
    try:
        yield
    finally:
        PreTrainedModel.from_pretrained = read  # type: ignore[method-assign]


def _check(folder: Path) -> None:
    """ModelError if loading the folder would run code of its own, unpickle, or read from elsewhere."""
    for file in sorted(folder.rglob("*.json")):
        if file.name in _CONFIGS and "auto_map" in _read_json(file, dict):
            raise ModelError(f"{file} asks for code of its own (auto_map), which is never run")
        if file.name == "adapter_config.json":
            raise ModelError(f"{file}: expected a whole model, got an adapter: merge it into its base model")
    file = folder / MODULES
    for module in _read_modules(folder):
        kind, path = str(module.get("type")), folder / str(module.get("path", ""))
        name = kind.rpartition(".")[2]
        if not kind.startswith("sentence_transformers.") or name not in _KNOWN:
            known = ", ".join(_KNOWN)
            raise ModelError(f"{file}: expected sentence-transformers' own modules {known}, got {kind}")
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            raise ModelError(f"{file}: the path of {name} leads out of the folder")
        if name in _WITH_WEIGHTS and not list(path.glob("*.safetensors")):
            raise ModelError(
                f"{path}: expected weights as safetensors, because pickles (*.bin) are not read: save the "
                "model again with a current sentence-transformers"
            )


def _read_modules(folder: Path) -> list[dict[str, Any]]:
    modules: list[Any] = _read_json(folder / MODULES, list)
    for module in modules:
        if not isinstance(module, dict):
            raise ModelError(f"{folder / MODULES}: expected a JSON dict for each module, got {module!r}")
    return modules


def _read_json(file: Path, kind: type) -> Any:
    try:
        content = read_json(file)
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read as JSON: {error}") from None
    if not isinstance(content, kind):
        raise ModelError(f"{file}: expected a JSON {kind.__name__}, got {type(content).__name__}")
    return content
