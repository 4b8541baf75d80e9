"""The options of training a sequence-to-sequence model, without the packages that train."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Literal

from ...base.bounds import Bounds, Count, Layers, NoneOrMore, NotAll, Numbers, Positive
from .translate_options import Device

CHECKPOINTS = "*.pt"
"""The names of the checkpoints of a training, as in a shell."""

PresetName = Literal["tiny", "small", "base", "big"]


@dataclass(frozen=True)
class Preset:
    """Sizes of a transformer and how it is trained; batch sizes are in target tokens."""

    encoder_layers: int
    decoder_layers: int
    dimension: int
    feed_forward: int
    heads: int
    vocabulary: int
    dropout: float
    learning_rate: float
    warmup_updates: int
    batch_tokens: int
    epochs: int


# tiny: for the demo, a minute or two on two cores. small: about 100,000 short pairs on a CPU, in hours.
# base and big: Vaswani et al. 2017, table 3, for millions of pairs on a GPU.
PRESETS: dict[str, Preset] = {
    "tiny": Preset(2, 1, 128, 512, 4, 2_000, 0.1, 4e-3, 200, 1_024, 9),
    "small": Preset(4, 2, 256, 1_024, 4, 8_000, 0.1, 1e-3, 2_000, 4_096, 16),
    "base": Preset(6, 6, 512, 2_048, 8, 32_000, 0.1, 7e-4, 4_000, 16_384, 20),
    "big": Preset(6, 6, 1_024, 4_096, 16, 32_000, 0.3, 5e-4, 4_000, 16_384, 20),
}


@dataclass(frozen=True, kw_only=True)
class Seq2SeqOptions(Numbers):
    """How a sequence-to-sequence model is trained, whatever its languages."""

    preset: PresetName = "small"
    """The size of the model, and how it is trained: tiny, small, base or big."""
    vocabulary: Count | None = None
    """How many subwords both sides share; this and all that is null: what the preset says."""
    epochs: Count | None = None
    """How often to go through the pairs; by default what the preset says."""
    batch_tokens: Count | None = None
    """Target tokens of a batch."""
    learning_rate: Positive | None = None
    """Adam's highest learning rate."""
    warmup_updates: NoneOrMore | None = None
    """After how many updates the learning rate is the highest."""
    dropout: NotAll | None = None
    """The share of units that are dropped."""
    max_updates: Count | None = None
    """Stop after so many updates, before the last epoch."""
    dev_pairs: Count = 1_000
    """How many pairs to hold out and measure on, at most a tenth of all."""
    average_last: Count = 3
    """Over how many of the last epochs parameters are averaged."""
    seed: Annotated[int, Bounds(0, 2**32 - 1, is_whole=True)] = 1  # fairseq's
    """The seed of all random choices."""
    device: Device = "auto"
    """`auto` trains on a GPU if there is one, in half precision; only one GPU is used."""
    threads: Layers | None = None
    """CPU threads; by default OMP_NUM_THREADS or all processors."""

    def sizes(self) -> Preset:
        """The preset, with the values that these options set."""
        own = {field.name: getattr(self, field.name, None) for field in dataclasses.fields(Preset)}
        return dataclasses.replace(
            PRESETS[self.preset], **{name: value for name, value in own.items() if value is not None}
        )


@dataclass(frozen=True, kw_only=True)
class NmtOptions(Seq2SeqOptions):
    """How a translation model is trained."""

    source_language: str
    """The name of a dictionary."""
    target_language: str = "en"
    """The name of the other dictionary."""
