"""The systems of the paper on back-translated bitext that choose their data on development sets."""

from collections.abc import Mapping
from dataclasses import replace

from ..filters.where.ranges import paper_ranges
from .encoders import AVG, E_AVERAGING_EPOCHS, GRAN, RECURRENT_EPOCHS
from .paper_table import MEASURES, RoleSample, System, options

PAPER = (
    "Wieting, Mallinson and Gimpel 2017, Learning paraphrastic sentence embeddings from back-translated "
    "bitext"
)
TRAINING = {
    "GRAN": options(GRAN, epochs=RECURRENT_EPOCHS),
    "AVG": options(AVG, epochs=E_AVERAGING_EPOCHS),
}
CHOSEN = (
    "the paper chose the language and the corpus together with the range and the epoch; ranges with fewer "
    "than a tenth of the wanted pairs are left out"
)
_ROLES = {"NMT": "translations", "SimpWiki": "simplification"}


def random_sample(group: str, paper: float, where: str = "true") -> System:
    """A system that is trained on a sample of all pairs. group: data and encoder, as in `NMT, GRAN`."""
    data, encoder = group.split(", ")
    source = RoleSample(role=_ROLES[data], where=where)
    return System(
        name="random", group=group, paper=paper, source=source, options=TRAINING[encoder], stops=True
    )


def tuned(group: str, name: str, paper: float, score: str) -> System:
    """A system that is trained on the paper's range of a score that is best on the development sets."""
    system = random_sample(group, paper)
    ranges = (part.where for part in paper_ranges(score, MEASURES[score]))
    choices = tuple(replace(system.source, where=where) for where in ranges)
    return replace(system, name=name, choices=choices)


def tuned_systems(
    figures: Mapping[str, tuple[float, ...]], scores: Mapping[str, str], where: str = "true"
) -> tuple[System, ...]:
    """For each group a sample of all pairs, and a system for each score.

    figures: by group, that of the sample first. scores: by the name of the system. where: of the sample.
    """
    return tuple(
        system
        for group, (random, *of_scores) in figures.items()
        for system in (
            random_sample(group, random, where),
            *(
                tuned(group, name, figure, score)
                for (name, score), figure in zip(scores.items(), of_scores, strict=True)
            ),
        )
    )
