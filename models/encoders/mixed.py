"""Mixed models: several encoders in one, their vectors added or concatenated."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from ...base.errors import RecipeError
from .encoder import Encoder
from .token_ids import Streams

if TYPE_CHECKING:
    from .encoder_kinds import MixedOptions


class Mixed(Encoder):
    """Encoders side by side, each with tables of its own even where two read the same units.

    ParaNMT, section 4.1.
    Negatives are chosen and the loss is computed with the combined vector. With `concatenate_normalised` the
    cosine of two sentences is the mean of the parts' cosines.
    """

    def __init__(self, parts: Sequence[Encoder], options: "MixedOptions") -> None:
        super().__init__()
        self.options = options
        self.parts = torch.nn.ModuleList(parts)
        self.tables = {
            f"parts.{number}.{name}": units
            for number, part in enumerate(parts)
            for name, units in part.tables.items()
        }
        dimensions = [part.dimension for part in parts]
        self.adds = options.combine == "add"
        self.normalises = options.combine == "concatenate_normalised"
        if self.adds and len(set(dimensions)) > 1:
            raise RecipeError(
                "only vectors of the same dimension can be added; these have "
                f"{', '.join(map(str, dimensions))}: set combine to concatenate, or give all parts the same "
                "dimension"
            )
        self.dimension = dimensions[0] if self.adds else sum(dimensions)

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32."""
        vectors = [part(sentences) for part in self.parts]
        if self.normalises:
            vectors = [torch.nn.functional.normalize(each, dim=1) for each in vectors]
        return torch.stack(vectors).sum(dim=0) if self.adds else torch.cat(vectors, dim=1)
