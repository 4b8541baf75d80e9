"""Lets fairseq 0.12.2 import and compute under today's Python and torch without changing its files.

Two things would break. Since Python 3.11, dataclasses refuse unhashable defaults, and fairseq's nested
settings are such defaults; so its dataclasses are made hashable while fairseq is imported. And fairseq's fast
path through the encoder calls a private operation of torch whose arguments have changed; so the fast path is
switched off, and the ordinary path is used. Changes that fairseq makes to the root logger during its import
are undone.
"""

import dataclasses
import importlib
import logging
import threading
from types import ModuleType
from typing import Any

from ... import install
from ...base.errors import RecipeError

_lock = threading.Lock()
_patched = False


def import_fairseq(module: str = "fairseq") -> ModuleType:
    """fairseq or one of its modules, patched; RecipeError if the package is not installed."""
    global _patched
    with _lock:
        if not _patched:
            _import_patched()
            _patched = True
    return importlib.import_module(module)


def _import_patched() -> None:
    plain = dataclasses.dataclass

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        def decorate(cls: type) -> type:
            if cls.__module__.partition(".")[0] == "fairseq" and "__hash__" not in cls.__dict__:
                options.setdefault("unsafe_hash", True)
            return plain(**options)(cls)

        return decorate if cls is None else decorate(cls)

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    logging.getLogger("fairseq").setLevel(logging.WARNING)
    dataclasses.dataclass = dataclass
    try:
        importlib.import_module("fairseq")
        layers = importlib.import_module("fairseq.modules.transformer_layer")
    except ModuleNotFoundError as error:
        raise RecipeError(
            f"the fairseq engine and nmt-train need fairseq 0.12.2 ({error}); "
            f"install it with: {install.install_command()}"
        ) from error
    finally:
        dataclasses.dataclass = plain
        root.handlers[:] = handlers
        root.setLevel(level)
    layer = layers.TransformerEncoderLayerBase
    initialise = layer.__init__

    def initialise_without_fast_path(self: Any, *arguments: Any, **named: Any) -> None:
        initialise(self, *arguments, **named)
        self.can_use_fastpath = False

    layer.__init__ = initialise_without_fast_path
