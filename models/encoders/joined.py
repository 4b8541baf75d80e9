"""Finished encoders side by side in one: a mixture whose parts were trained apart."""

from collections.abc import Sequence

from ...base.errors import RecipeError
from .encoder_kinds import Component, MixedOptions
from .mixed import Mixed
from .sentence_encoder import SentenceEncoder
from .vocabulary import Units, Vocabulary


def joined(encoders: Sequence[SentenceEncoder], combine: str = "concatenate_normalised") -> SentenceEncoder:
    """The mixture of these encoders, with their weights. combine: as for `MixedOptions`.

    RecipeError if two of them read the same units by different vocabularies, or cut text differently.
    """
    vocabularies: dict[Units, Vocabulary] = {}
    for encoder in encoders:
        for units, vocabulary in encoder.vocabularies.items():
            first = vocabularies.setdefault(units, vocabulary)
            if (first.content, first.tags) != (vocabulary.content, vocabulary.tags):
                raise RecipeError(
                    f"encoders can only be joined if those that read {units} have the same {units}: train "
                    "them on the same pairs with the same text options, or give each other units"
                )
    if len({vocabulary.tokens for vocabulary in vocabularies.values()}) > 1:
        tokens = ", ".join(vocabulary.tokens for vocabulary in vocabularies.values())
        raise RecipeError(
            f"encoders can only be joined if all have the same text.tokens; these have {tokens}"
        )
    parts = tuple(Component(encoder=each.encoder.options, units=_units(each)) for each in encoders)
    options = MixedOptions(parts=parts, combine=combine)  # type: ignore[arg-type]
    development = {name: pairs for each in encoders for name, pairs in each.development.items()}
    mixture = Mixed([each.encoder for each in encoders], options)
    return SentenceEncoder(mixture, *vocabularies.values(), development=development)


def _units(encoder: SentenceEncoder) -> Units:
    """What `Component.units` says of an encoder: a mixture does not use it."""
    is_mixture = isinstance(encoder.encoder.options, MixedOptions)
    return "words" if is_mixture else next(iter(encoder.vocabularies))
