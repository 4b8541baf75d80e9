"""The encoder of a score as a recipe describes it, with the options of the encoder that is trained."""

from dataclasses import asdict, dataclass, fields

from ...filters.similarity import EncoderSpec
from ...models.encoders.encoder_kinds import AveragingOptions
from ...models.encoders.encoder_options import EncoderOptions


@dataclass(frozen=True, kw_only=True)
class TrainedEncoder(EncoderSpec):
    """Where an encoder comes from, and its options if it is trained.

    `pipeline/recipe/score_entries.py` makes it of a recipe's entry, in which both are on the same level.
    """

    options: EncoderOptions = AveragingOptions()

    def __post_init__(self) -> None:
        """Checks nothing, because the entry was checked."""

    def entry(self) -> dict[str, object]:
        """The keys that it has in a recipe, with their values."""
        spec = {field.name: getattr(self, field.name) for field in fields(EncoderSpec)}
        return {**asdict(self.options), **spec}
