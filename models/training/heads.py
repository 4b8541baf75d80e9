"""Heads: small networks that predict a label or a score from the vector of a sentence, or of two."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import safetensors
import safetensors.torch
import torch
import xxhash

from ...base.bounds import LAYERS, Count, Size, check_numbers
from ...base.documents import read_json
from ...base.errors import InputError, ModelError
from ...base.finite import check_finite
from ..encoders.random_weights import Linear
from ..sts.correlation import pearson
from .examples import Examples, label_numbers, labels_of, scores_of
from .head_options import MOST_LEVELS, Activation, HeadOptions, RelatednessOptions

_FORMAT, _CONFIG, _WEIGHTS = "paranmt-head-1", "head.json", "head.safetensors"
_ACTIVATIONS: dict[Activation, Callable[[torch.Tensor], torch.Tensor]] = {
    "none": lambda numbers: numbers,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}
# What a head sees of the vectors u and v, in this order. InferSent, figure 1; Tai et al. 2015, section 4.2.
_FEATURES = {
    "nli": ("left", "right", "difference", "product"),
    "relatedness": ("product", "difference"),
    "classification": ("left",),
}


@dataclass(frozen=True, kw_only=True)
class HeadShape:
    """What a head predicts, and the sizes of its layers.

    dimension: of a sentence's vector. outputs: the labels, or for `relatedness` the whole scores.
    """

    objective: str
    dimension: Count
    hidden: tuple[Size, ...]
    activation: Activation
    outputs: tuple[str, ...] | tuple[int, ...]

    @classmethod
    def of(cls, options: HeadOptions, dimension: int, train: Examples) -> "HeadShape":
        """The shape for these options. Labels, and scores that are not given, are those of train."""
        outputs: tuple[str, ...] | tuple[int, ...] = ()
        if isinstance(options, RelatednessOptions):
            scores = scores_of(train)
            low, high = options.levels or (int(np.floor(scores.min())), int(np.ceil(scores.max())))
            if high - low >= MOST_LEVELS:
                place = train.places[int(scores.argmax() if high >= -low else scores.argmin())]
                raise InputError(
                    f"{place}: expected scores at most {MOST_LEVELS - 1:,} apart, because each whole score "
                    f"is a class, but they go from {scores.min():g} to {scores.max():g}; scale them"
                )
            outputs = tuple(range(low, high + 1))
        else:
            outputs = labels_of(train)
        if len(outputs) < 2:
            raise InputError(f"expected examples with different answers, but all have {outputs[0]!r}")
        return cls(
            objective=options.objective,
            dimension=dimension,
            hidden=options.hidden,
            activation=options.activation,
            outputs=outputs,
        )

    def targets(self, examples: Examples) -> np.ndarray:
        """The wanted probability of each output, (examples, outputs) float32.

        InputError for an answer that is none of the labels, or beyond the scores.
        """
        if self.objective != "relatedness":
            return np.eye(len(self.outputs), dtype=np.float32)[label_numbers(examples, self._labels)]
        scores, levels = scores_of(examples), self.levels
        for score, place in zip(scores, examples.places, strict=True):
            if not levels[0] <= score <= levels[-1]:
                raise InputError(f"{place}: expected a score from {levels[0]} to {levels[-1]}, got {score:g}")
        return sparse_targets(scores, levels).astype(np.float32)

    def quality(self, probabilities: np.ndarray, targets: np.ndarray) -> float | None:
        """How good predictions are: accuracy, or Pearson's r of the scores (None if they are all alike).

        Both (examples, outputs).
        """
        if self.objective != "relatedness":
            return float((probabilities.argmax(axis=1) == targets.argmax(axis=1)).mean())
        # Equal examples must have equal scores, and a row's place in a matrix changes its last decimals.
        return pearson((probabilities @ self.levels).round(6), (targets @ self.levels).round(6))

    @property
    def levels(self) -> np.ndarray:
        """The whole scores of `relatedness`."""
        return np.array(self.outputs, dtype=np.int64)

    @property
    def _labels(self) -> tuple[str, ...]:
        return tuple(map(str, self.outputs))


class Head(torch.nn.Module):
    """The vectors of sentences in, logits of the outputs out.

    Each part of its input is divided by a constant (`scales`), 1 unless `fit_scales` sets it.
    """

    def __init__(self, shape: HeadShape) -> None:
        super().__init__()
        self.shape = shape
        self.scales: torch.Tensor
        features = _FEATURES[shape.objective]
        sizes = [len(features) * shape.dimension, *shape.hidden, len(shape.outputs)]
        self.layers = torch.nn.ModuleList(
            Linear(before, after) for before, after in zip(sizes[:-1], sizes[1:], strict=True)
        )
        self.register_buffer("scales", torch.ones(len(features)))

    def forward(self, *sides: torch.Tensor) -> torch.Tensor:
        """(examples, dimension) for each sentence of an example, to (examples, outputs)."""
        features = torch.cat(
            [part / scale for part, scale in zip(self._parts(sides), self.scales, strict=True)], dim=1
        )
        layers = cast(Sequence[Linear], self.layers)
        weights = [(layer.weight.mT, layer.bias) for layer in layers]
        return layered(features, weights, _ACTIVATIONS[self.shape.activation])

    def fit_scales(self, batches: Iterable[Sequence[torch.Tensor]]) -> None:
        """Sets each scale to the root mean square of its part over these examples, or to 1 if all are 0."""
        squares, numbers = torch.zeros(len(self.scales), dtype=torch.float64), 0
        for sides in batches:
            squares += torch.stack([part.double().square().sum().cpu() for part in self._parts(sides)])
            numbers += sides[0].numel()
        scales = (squares / max(1, numbers)).sqrt()
        self.scales.copy_(torch.where(scales > 0, scales, 1.0))

    def probabilities(self, *sides: torch.Tensor) -> np.ndarray:
        """The probability of each output, (examples, outputs) float64."""
        with torch.no_grad():
            probabilities: np.ndarray = self(*sides).double().softmax(dim=1).cpu().numpy()
        return probabilities

    def _parts(self, sides: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        left, right = sides[0], sides[-1]
        parts = {"left": left, "right": right, "difference": (left - right).abs(), "product": left * right}
        return [parts[name] for name in _FEATURES[self.shape.objective]]

    def save(self, folder: Path) -> None:
        """Writes head.safetensors and head.json into the folder of the encoder. Equal heads, equal bytes."""
        weights = safetensors.torch.save(
            {name: t.cpu().contiguous() for name, t in self.state_dict().items()}
        )
        (folder / _WEIGHTS).write_bytes(weights)
        config = {"format": _FORMAT, **asdict(self.shape), "xxh3": xxhash.xxh3_64_hexdigest(weights)}
        (folder / _CONFIG).write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Head":
        """Reads what `save` wrote; nothing in it is executed. ModelError if there is none."""
        try:
            config = read_json(folder / _CONFIG)
            if config.pop("format") != _FORMAT:
                raise ModelError(f"{folder / _CONFIG}: expected the format {_FORMAT!r}")
            content, checksum = (folder / _WEIGHTS).read_bytes(), config.pop("xxh3")
            shape = HeadShape(**{name: _tuple(value) for name, value in config.items()})
            check_numbers(shape)
            if len(shape.hidden) > LAYERS.high:
                raise ModelError(f"{folder / _CONFIG}: expected at most {LAYERS.high} layers")
            with torch.device("meta"):  # no memory for weights that are overwritten
                head = cls(shape)
            head.load_state_dict(safetensors.torch.load(content), assign=True)
        except OSError as error:
            raise ModelError(f"{folder} has no head that was trained with an encoder: {error}") from None
        except (
            AttributeError,
            KeyError,
            TypeError,
            ValueError,
            RuntimeError,
            safetensors.SafetensorError,
        ) as e:
            raise ModelError(f"the head in {folder} is damaged: {e}") from None
        if xxhash.xxh3_64_hexdigest(content) != checksum:
            raise ModelError(f"the head in {folder} is damaged: its checksum is not the one in {_CONFIG}")
        check_finite(folder / _WEIGHTS, head.state_dict())
        return head.eval()


def layered(
    features: torch.Tensor,
    layers: Sequence[tuple[torch.Tensor, torch.Tensor]],
    activation: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Weights (…, in, out) and biases one after the other, with the activation between them.

    >>> half = torch.tensor([[0.5], [0.5]])
    >>> layered(torch.tensor([[1.0, 3.0]]), [(half, torch.tensor([1.0]))], torch.tanh)
    tensor([[3.]])
    """
    for weight, bias in layers[:-1]:
        features = activation(features @ weight + bias)
    weight, bias = layers[-1]
    return features @ weight + bias


def divergence(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """KL(target ‖ prediction) of each example: the cross-entropy where a target is a single label.

    Both (…, examples, outputs); the result (…, examples). Tai et al. 2015, section 4.2.
    """
    logs = logits.log_softmax(dim=-1)
    return torch.nn.functional.kl_div(logs, targets.expand_as(logs), reduction="none").sum(dim=-1)


def sparse_targets(gold: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The probability of each class, (pairs, levels): a score between two levels is a share of each.

    The expected level is the score. Tai et al. 2015, section 4.2. Scores lie within the levels.

    >>> sparse_targets(np.array([3.6]), np.arange(1, 6)).round(6).tolist()
    [[0.0, 0.0, 0.4, 0.6, 0.0]]
    """
    targets: np.ndarray = np.clip(1 - np.abs(gold[:, None] - levels), 0, 1)
    return targets


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
