"""The grids of Revisiting recurrent networks, from which options are chosen (sections 4.1 and 4.2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..models.training.train_options import TrainOptions
from .encoders import A_GRID, A_MARGINS, BOTH
from .paper_table import System, grid

_TAGS = ("none", "start", "end", "both")  # footnote 4
_LAMBDA_WORDS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0)


def grid_of_data(plain: TrainOptions) -> tuple[TrainOptions, ...]:
    """The choices of the experiments with sources of data (table 1)."""
    return grid(plain, margin=A_MARGINS, lambda_words=_LAMBDA_WORDS, tags=_TAGS)


def grid_of_regularisation(
    plain: TrainOptions, regularisation: str, **others: Sequence[Any]
) -> tuple[TrainOptions, ...]:
    """The choices of a row of table 2 or 3, and other ones. plain: the options without regularisation."""
    common = {"margin": A_MARGINS, "lambda_words": A_GRID["lambda_words"], "tags": _TAGS}
    return rates(plain, regularisation, **common, **others)


def rates(plain: TrainOptions, regularisation: str, **others: Sequence[Any]) -> tuple[TrainOptions, ...]:
    """The rates of the regularisation that a row is named after; both are scrambling with either dropout."""
    kinds: tuple[set[str], ...]
    if regularisation == BOTH:
        kinds = ({"dropout", "scramble"}, {"word_dropout", "scramble"})
    else:
        names = {"dropout": "dropout", "word dropout": "word_dropout", "scrambling": "scramble"}
        names |= {"L2": "lambda_encoder"}
        kinds = ({names[regularisation]} if regularisation in names else set(),)
    return tuple(
        training
        for kind in kinds
        for training in grid(plain, **others, **{name: A_GRID[name] for name in sorted(kind)})
    )


def oracles(systems: Sequence[System], papers: Sequence[float]) -> tuple[System, ...]:
    """The same systems with the options that are best on the test sets, and the paper's figures of these."""
    return tuple(
        replace(system, name=f"{system.name}, oracle", paper=paper, is_oracle=True)
        for system, paper in zip(systems, papers, strict=True)
    )
