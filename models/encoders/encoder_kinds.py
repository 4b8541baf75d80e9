"""Sentence encoders by name. A new one is a module with its network, and here its options and a word.

Recipes and plans import this module, so networks and torch are imported only when one is built.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from ...base.bounds import LAYERS, Layers, Size
from ...base.documents import LARGEST_JSON, parse_json
from ...base.errors import ModelError, RecipeError, UserError
from ...base.names import KindIn
from ...base.streams import file_system, open_stream
from .encoder_options import EncoderOptions, UnitOptions
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder import Encoder


DEFAULT_TYPE = "avg"

AnyEncoder = Annotated[EncoderOptions, KindIn("type", lambda: ENCODERS, DEFAULT_TYPE)]
"""The type of a field that holds the options of any encoder."""


@dataclass(frozen=True, kw_only=True)
class AveragingOptions(UnitOptions):
    """The mean of the units' vectors: WORD and TRIGRAM of ParaNMT, section 4.1."""

    type: Literal["avg"] = "avg"

    @property
    def wants_gpu(self) -> bool:
        """No: the mean takes less time than cutting text into units, which the CPU does."""
        return False

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Averaging`."""
        from .averaging import Averaging

        return Averaging(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class PositionalOptions(UnitOptions):
    """The mean of the units' vectors, whose numbers are weighted by the units' places.

    Sukhbaatar et al. 2015, section 4.1; InferSent, table 4.
    """

    type: Literal["positional"] = "positional"

    @property
    def wants_gpu(self) -> bool:
        """No, as for the mean."""
        return False

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Positional`."""
        from .positional import Positional

        return Positional(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class StateOptions(UnitOptions):
    """The options of encoders that read a sentence unit by unit."""

    size: Size | None = None
    """How many numbers a state has; by default as many as a unit's vector (`dimension`)."""

    @property
    def state_size(self) -> int:
        """How many numbers a state has."""
        return self.dimension if self.size is None else self.size


@dataclass(frozen=True, kw_only=True)
class RecurrentOptions(StateOptions):
    """The options of encoders with an LSTM."""

    peepholes: bool | None = None
    """Whether the gates see the cell. By default they do, as in the papers, but not in an `lstm` or `bilstm`
    that is trained with the objective `nli`, as InferSent's. Without peepholes it is torch's LSTM, which
    starts from other random weights and is faster on a GPU."""
    output_gate: bool = True
    """Whether the state passes through a gate; the papers' code can do without one, with peepholes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.peepholes is False and not self.output_gate:
            raise RecipeError("output_gate can only be false with peepholes")

    def under(self, objective: str) -> "RecurrentOptions":
        """With `peepholes` filled in."""
        if self.peepholes is not None:
            return self
        is_infersent = objective == "nli" and self.type in ("lstm", "bilstm")
        return replace(self, peepholes=not is_infersent)


@dataclass(frozen=True, kw_only=True)
class LstmOptions(RecurrentOptions):
    """The last state of an LSTM. Revisiting recurrent networks, section 3.1."""

    type: Literal["lstm"] = "lstm"

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Lstm`."""
        from .lstm import Lstm

        return Lstm(rows[units], self, units, averages=False)


@dataclass(frozen=True, kw_only=True)
class LstmAveragingOptions(RecurrentOptions):
    """LSTMAVG, the mean of the states of an LSTM. Revisiting recurrent networks, section 3.1."""

    type: Literal["lstm_avg"] = "lstm_avg"

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Lstm`."""
        from .lstm import Lstm

        return Lstm(rows[units], self, units, averages=True)


@dataclass(frozen=True, kw_only=True)
class BiLstmOptions(RecurrentOptions):
    """The pooled states of two LSTMs in opposite directions.

    ParaNMT, section 4.1; InferSent, section 3.2.2.
    """

    type: Literal["bilstm"] = "bilstm"
    combine: Literal["add", "concatenate", "tanh"] = "add"
    """What happens to the two directions: `add` adds their means, or takes the higher of their maxima;
    `concatenate` puts them side by side; `tanh` pools tanh of a layer over both states of each unit."""
    pooling: Literal["mean", "max"] = "mean"
    """Over the units of a sentence: the `mean` of each number, or its `max`."""

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `BiLstm`."""
        from .lstm import BiLstm

        return BiLstm(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class GranOptions(RecurrentOptions):
    """The gated recurrent averaging network. Revisiting recurrent networks, section 3.1."""

    type: Literal["gran"] = "gran"
    variant: Literal[1, 2, 3, 4, 5] = 1
    """GRAN, or GRAN-2 to GRAN-5."""
    without_gate: Literal["tanh", "relu"] | None = None
    """For variant 1: averages this function of what its gates would be, instead of gated vectors (footnote
    2). By default there are gates."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.without_gate is not None and self.variant != 1:
            raise RecipeError("without_gate is for variant 1: leave it out, or set variant to 1")

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Gran`."""
        from .gran import Gran

        return Gran(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class BiGranOptions(RecurrentOptions):
    """Gated recurrent averaging networks in both directions (code of Revisiting recurrent networks)."""

    type: Literal["bigran"] = "bigran"
    variant: Literal[1, 2, 3, 4, 5] = 1
    """The variant that reads forwards; the other one is always variant 1."""
    combine: Literal["add", "tanh"] = "add"
    """What happens to the two vectors of a unit before the mean: `add`, or `tanh` of a layer over both."""

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `BiGran`."""
        from .gran import BiGran

        return BiGran(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class InnerAttentionOptions(RecurrentOptions):
    """Weighted means of the states of a bidirectional LSTM. InferSent, section 3.2.3."""

    type: Literal["inner_attention"] = "inner_attention"
    peepholes: bool | None = False
    views: Layers = 4
    """How many weighted means are concatenated."""

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `InnerAttention`."""
        from .attention import InnerAttention

        return InnerAttention(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class GruOptions(StateOptions):
    """The last state of a GRU. InferSent, section 3.2.1."""

    type: Literal["gru"] = "gru"

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Gru`."""
        from .gru import Gru

        return Gru(rows[units], self, units, both=False)


@dataclass(frozen=True, kw_only=True)
class BiGruOptions(StateOptions):
    """BiGRU-last, the last states of two GRUs in opposite directions. InferSent, section 3.2.1."""

    type: Literal["bigru"] = "bigru"

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Gru`."""
        from .gru import Gru

        return Gru(rows[units], self, units, both=True)


@dataclass(frozen=True, kw_only=True)
class CseOptions(UnitOptions):
    """Sums of convolutions over windows of several widths: CSE, section 3.1."""

    type: Literal["cse"] = "cse"
    widths: tuple[Layers, ...] = (1, 2, 3)
    """How many units the windows have."""
    filters: Size = 100
    """How many numbers each width gives."""
    activation: Literal["linear", "tanh"] = "linear"
    """What a window's numbers pass through before they are added up."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= len(self.widths) <= LAYERS.high:
            raise RecipeError(f"cse needs 1 to {LAYERS.high} widths, not {len(self.widths):,}")

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Cse`."""
        from .convolution import Cse

        return Cse(rows[units], self, units)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """JSON has lists for tuples."""
        return cls(**{**values, "widths": tuple(values["widths"])})


@dataclass(frozen=True, kw_only=True)
class ConvNetOptions(UnitOptions):
    """Four layers of convolutions, each pooled: the hierarchical ConvNet of InferSent, section 3.2.4."""

    type: Literal["convnet"] = "convnet"
    filters: Size = 300
    """How many numbers each layer gives."""

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `ConvNet`."""
        from .convolution import ConvNet

        return ConvNet(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class TransformerOptions(UnitOptions):
    """The mean of the last states of a small Transformer. Not from the five papers."""

    type: Literal["transformer"] = "transformer"
    layers: Layers = 2
    """How many layers it has."""
    heads: Size = 4
    """How many attentions a layer has; they share the numbers of `dimension`, which must be a multiple."""
    feed_forward: Size = 1_200
    """How many numbers the second part of a layer computes with."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dimension % self.heads:
            raise RecipeError(f"dimension must be a multiple of heads, {self.heads}; it is {self.dimension}")

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Transformer`."""
        from .transformer import Transformer

        return Transformer(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class Component:
    """An encoder of a mixture, and the units that it reads."""

    encoder: AnyEncoder
    """The encoder; it has its own table of vectors."""
    units: Units = "words"
    """`words`, character `trigrams`, or `subwords`."""


@dataclass(frozen=True, kw_only=True)
class MixedOptions(EncoderOptions):
    """Several encoders in one, each with its own tables. ParaNMT, section 4.1.

    They are trained together; with `start` and no epochs, they are encoders that were trained apart.
    """

    type: Literal["mixed"] = "mixed"
    parts: tuple[Component, ...]
    """The encoders. `text.units` is not used: each says which units it reads."""
    combine: Literal["concatenate", "concatenate_normalised", "add"] = "concatenate"
    """What happens to their vectors; `concatenate_normalised` divides each by its length first. Only those of
    the same dimension can be added."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.parts) <= LAYERS.high:
            raise RecipeError(f"parts must name 1 to {LAYERS.high} encoders, not {len(self.parts):,}")

    def streams(self, units: Units) -> tuple[Units, ...]:
        """Those of the parts, in the order in which they come first."""
        return tuple(dict.fromkeys(s for part in self.parts for s in part.encoder.streams(part.units)))

    @property
    def wants_gpu(self) -> bool:
        """If one of the parts does."""
        return any(part.encoder.wants_gpu for part in self.parts)

    def under(self, objective: str) -> "MixedOptions":
        """With the defaults of the parts filled in."""
        parts = (replace(part, encoder=part.encoder.under(objective)) for part in self.parts)
        return replace(self, parts=tuple(parts))

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Mixed`."""
        from .mixed import Mixed

        return Mixed([part.encoder.build(rows, part.units) for part in self.parts], self)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Also the options of the parts."""
        parts = tuple(
            Component(**{**part, "encoder": read_options(part["encoder"])}) for part in values["parts"]
        )
        return cls(**{**values, "parts": parts})


ENCODERS: dict[str, type[EncoderOptions]] = {
    "avg": AveragingOptions,
    "positional": PositionalOptions,
    "lstm": LstmOptions,
    "lstm_avg": LstmAveragingOptions,
    "bilstm": BiLstmOptions,
    "gran": GranOptions,
    "bigran": BiGranOptions,
    "gru": GruOptions,
    "bigru": BiGruOptions,
    "inner_attention": InnerAttentionOptions,
    "cse": CseOptions,
    "convnet": ConvNetOptions,
    "transformer": TransformerOptions,
    "mixed": MixedOptions,
}


def folder_wants_gpu(folder: str) -> bool:
    """`EncoderOptions.wants_gpu` of the encoder in a folder, local or remote; False if it cannot be read.

    Models of sentence-transformers gain from a GPU.
    """
    try:
        filesystem, root = file_system(folder)
        root = root.rstrip("/")
        config: Any = {}
        if filesystem.exists(f"{root}/config.json"):
            with open_stream(f"{folder.rstrip('/')}/config.json") as file:
                config = parse_json(file.read(LARGEST_JSON))
        if "encoder" in config:  # also of an encoder that was exported to sentence-transformers
            return read_options(config["encoder"]).wants_gpu
        return filesystem.exists(f"{root}/modules.json")
    except (UserError, OSError, ValueError, TypeError, KeyError):  # whoever loads the encoder reports it
        return False


def read_options(values: object) -> EncoderOptions:
    """The options in an encoder's config. ModelError, TypeError or KeyError if they are wrong."""
    if not isinstance(values, dict) or values.get("type") not in ENCODERS:
        raise ModelError(f"expected an encoder of type {', '.join(ENCODERS)}, got {repr(values)[:300]}")
    kind = ENCODERS[values["type"]]
    unknown = sorted(set(values) - {field.name for field in fields(kind)})
    if unknown:
        raise ModelError(f"an encoder of type {values['type']!r} has no option {', '.join(unknown)}")
    try:
        return kind.of(values)
    except UserError as error:
        raise ModelError(f"the encoder's options are wrong: {error}") from None
