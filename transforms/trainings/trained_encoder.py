"""The encoder of a score as a recipe describes it, with the options of the encoder that is trained."""

from dataclasses import dataclass

from ...base.bounds import check_numbers
from ...filters.score import check_model_spec
from ...filters.similarity import EncoderSpec
from ...models.encoders.encoder_kinds import AveragingOptions
from ...models.encoders.encoder_options import EncoderOptions


@dataclass(frozen=True, kw_only=True)
class TrainedEncoder(EncoderSpec):
    """Where an encoder comes from, and its options if it is trained.

    A recipe's entry has all of them on one level.
    """

    options: EncoderOptions = AveragingOptions()

    @property
    def type(self) -> str:
        """The type of encoder that is trained."""
        return self.options.type

    def __post_init__(self) -> None:
        check_model_spec(self, "encoder", self.options)
        check_numbers(self)
