"""Averages of embeddings as ONNX graphs, for programs that have onnxruntime and nothing of this package."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ...base.errors import ModelError
from ...base.extras import install_command
from ...base.outputs import new_folder
from ...tokens.definition import cut_and_case
from .averaging import Averaging
from .encoder import Encoder
from .export import tokenizer, write_json, write_others
from .mixed import Mixed
from .sentence_encoder import SentenceEncoder
from .sentence_transformer import SentenceTransformerEncoder
from .stored_weights import Precision, half, whole_numbers
from .subword_units import SubwordVocabulary
from .vocabulary import Units

if TYPE_CHECKING:
    import onnx

_FORMAT = "paranmt-onnx-1"
_OUTPUT = "sentence_embedding"
_OPSET, _IR = 13, 8  # the oldest that have these operators, so that old runtimes read the graph too
_FLOAT = 1  # TensorProto.FLOAT
_MOST_BYTES = 2**31 - 2**20  # of one file


def export_onnx(
    encoder: SentenceEncoder | SentenceTransformerEncoder,
    folder: Path,
    precision: Precision = "float32",
    others: Mapping[str, bytes] = MappingProxyType({}),
) -> None:
    """Write a folder with model.onnx, the vocabularies, and config.json, which says how text becomes ids.

    precision: of the tables of vectors, as for `stored_weights.stored`; the graph computes in float32.
    others: further files of the folder.

    For each kind of units the graph takes the rows of the units, (sentences, longest) int64, and a mask of
    the same shape, 1 for a unit and 0 for padding. It gives (sentences, dimension) float32, zeros for an
    empty sentence. Words without tags get a tokenizer.json too. The folder appears once it is complete.
    ModelError if it exists, if the encoder is no average and no mixture of averages or has Moses's tokens, if
    it is too large for one file, or without the package `onnx`.
    """
    if isinstance(encoder, SentenceTransformerEncoder):
        raise ModelError("it is a model of sentence-transformers, which has an export to ONNX of its own")
    try:
        import onnx
    except ImportError:
        raise ModelError(f"export to ONNX needs the package onnx: {install_command('onnx')}") from None
    if any(cut_and_case(vocabulary.tokens)[0] == "moses" for vocabulary in encoder.vocabularies.values()):
        raise ModelError("its tokens are those of Moses, which the rules beside a graph do not cover")
    size = sum(4 * parameter.numel() for parameter in encoder.encoder.parameters())
    if size > _MOST_BYTES:
        raise ModelError(
            f"the encoder has {size / 1e9:.1f} GB of vectors; a file in ONNX holds at most 2.1 GB"
        )
    model = onnx.helper.make_model(
        _graph(encoder, precision),
        opset_imports=[onnx.helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
        producer_name="paranmt",
    )
    onnx.checker.check_model(model)
    with new_folder(folder) as scratch:
        (scratch / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
        for vocabulary in encoder.vocabularies.values():
            vocabulary.save(scratch / _vocabulary_file(vocabulary.units))
            if vocabulary.units == "words" and vocabulary.tags == "none":
                write_json(scratch / "tokenizer.json", tokenizer(vocabulary))
        write_json(scratch / "config.json", _config(encoder))
        write_others(scratch, others)


def _config(encoder: SentenceEncoder) -> dict[str, object]:
    (tokens,) = {vocabulary.tokens for vocabulary in encoder.vocabularies.values()}
    cut, lower_case = cut_and_case(tokens)
    return {
        "format": _FORMAT,
        "dimension": encoder.dimension,
        "text": {"tokens": cut, "lower_case": lower_case},
        "inputs": [
            {
                "units": units,
                "tags": vocabulary.tags,
                "vocabulary": _vocabulary_file(units),
                "ids": _ids(units),
                "mask": _mask(units),
                **({"unknown": vocabulary.unknown} if isinstance(vocabulary, SubwordVocabulary) else {}),
            }
            for units, vocabulary in encoder.vocabularies.items()
        ],
        "output": _OUTPUT,
    }


def _vocabulary_file(units: Units) -> str:
    return "sentencepiece.model" if units == "subwords" else f"vocabulary.{units}.txt"


def _ids(units: Units) -> str:
    return f"{units}_ids"


def _mask(units: Units) -> str:
    return f"{units}_mask"


def _graph(encoder: SentenceEncoder, precision: Precision) -> "onnx.GraphProto":
    from onnx import TensorProto, helper

    network = _Network(precision)
    network.node("Identity", [network.encoder(encoder.encoder, "encoder")], _OUTPUT)
    inputs = [  # a sentence has more trigrams than words, so their arrays are not equally long
        helper.make_tensor_value_info(name(units), TensorProto.INT64, ["sentences", f"longest_{units}"])
        for units in encoder.vocabularies
        for name in (_ids, _mask)
    ]
    output = helper.make_tensor_value_info(_OUTPUT, TensorProto.FLOAT, ["sentences", encoder.dimension])
    return helper.make_graph(network.nodes, "encoder", inputs, [output], network.constants)


class _Network:
    """The nodes and the constants of a graph; its methods add to them and return the name of their result."""

    def __init__(self, precision: Precision) -> None:
        self.precision = precision
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def encoder(self, encoder: torch.nn.Module, name: str) -> str:
        """The vectors of the sentences, (sentences, dimension). ModelError if it is no average."""
        if isinstance(encoder, Averaging):
            return self._average(encoder, name)
        if not isinstance(encoder, Mixed):
            kind = encoder.options.type if isinstance(encoder, Encoder) else type(encoder).__name__
            raise ModelError(
                f"an encoder of type {kind!r} cannot be exported to ONNX: expected an average "
                "or a mixture of averages"
            )
        parts = [self.encoder(part, f"{name}.{number}") for number, part in enumerate(encoder.parts)]
        if encoder.normalises:
            parts = [self._normalised(part) for part in parts]
        return self.node("Sum", parts, name) if encoder.adds else self.node("Concat", parts, name, axis=1)

    def _normalised(self, vectors: str) -> str:
        """Vectors of length 1, or the zero vector of a sentence without units."""
        length = self.node("ReduceL2", [vectors], f"{vectors}.length", axes=[1], keepdims=1)
        least = self._constant(f"{vectors}.least", np.array(1e-12, np.float32))
        return self.node(
            "Div", [vectors, self.node("Max", [length, least], f"{vectors}.above")], f"{vectors}.unit"
        )

    def _average(self, encoder: Averaging, name: str) -> str:
        ids, mask = _ids(encoder.units), self.node("Cast", [_mask(encoder.units)], f"{name}.mask", to=_FLOAT)
        positions, last = (self._constant(f"{name}.axis{axis}", np.array([axis])) for axis in (1, 2))
        weights = self.node("Unsqueeze", [mask, last], f"{name}.spread")
        stored_table, scale = _stored(encoder.embedding.weight.detach().cpu(), name, self.precision)
        table = self._constant(f"{name}.table", stored_table.numpy())
        vectors = self.node("Gather", [table, ids], f"{name}.vectors")
        if self.precision != "float32":
            vectors = self.node("Cast", [vectors], f"{name}.numbers", to=_FLOAT)
        if scale is not None:
            scales = self._constant(f"{name}.scale", scale.numpy())
            own = self.node("Gather", [scales, ids], f"{name}.scales")
            weights = self.node("Mul", [weights, own], f"{name}.weights")
        kept = self.node("Mul", [vectors, weights], f"{name}.kept")
        total = self.node("ReduceSum", [kept, positions], f"{name}.total", keepdims=0)
        units = self.node("ReduceSum", [mask, positions], f"{name}.units", keepdims=1)
        one = self._constant(f"{name}.one", np.ones(1, np.float32))
        return self.node("Div", [total, self.node("Max", [units, one], f"{name}.count")], name)

    def node(self, kind: str, inputs: Sequence[str], output: str, **options: Any) -> str:
        """An operator with one output."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [output], **options))
        return output

    def _constant(self, name: str, values: np.ndarray) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(values, name))
        return name


def _stored(table: torch.Tensor, name: str, precision: Precision) -> tuple[torch.Tensor, torch.Tensor | None]:
    """A table in a precision, and the numbers that its rows are multiplied by, if there are any."""
    if precision == "int8":
        return whole_numbers(table)
    return (half(name, table) if precision == "float16" else table), None
