"""What the judges answered: the files that the page saves, and what they say."""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...base.bounds import Bounds
from ...base.documents import read_json
from ...base.errors import InputError, first_line
from ...models.evaluation.agreement import alpha_estimate, wilson_interval
from ...models.evaluation.bootstrap import RESAMPLES
from ...models.evaluation.table import Column, Row, Table, Value
from .judged_pairs import JudgedPair, PairSource, sample_hash

QUESTIONS = {"strength": "paraphrase strength", "fluency": "fluency of the translation"}
RATINGS = (1, 2, 3)
FORMAT = "paranmt judgements 1"
JUDGES = Bounds(1, 20, is_whole=True)
"""How many people may judge the same page; they are numbered from 1."""


@dataclass(frozen=True)
class Answers:
    """One judge's file. ratings: for each pair of the page its rating by question; None if not given."""

    path: str
    sample: str
    judge: int
    ratings: Mapping[str, tuple[int | None, ...]]


def read_answers(paths: Sequence[Path]) -> list[Answers]:
    """The files of several judges of one page; InputError unless each is one, and each of another judge."""
    read = [_read(path) for path in paths]
    for number, one in enumerate(read):
        for other in read[:number]:
            if one.sample != other.sample or one.ratings.keys() != other.ratings.keys():
                raise InputError(f"{one.path} and {other.path} are answers to different pages")
            if one.judge == other.judge:
                raise InputError(f"{one.path} and {other.path} are both of judge {one.judge}; leave one out")
    return read


def judged(source: PairSource, answers: Sequence[Answers], by: str | None) -> dict[str, Table]:
    """The shares of the median ratings with Wilson's intervals, by decile of `by`, for each question.

    Shares are of the pairs that anybody rated; with an even number of ratings the lower of the two in the
    middle counts. Each row has Krippendorff's α of its pairs, with the interval of `alpha_estimate`.
    InputError if the pairs are not those of the page.
    """
    path, rated = answers[0].path, answers[0].ratings.keys()
    pairs = source.find(rated, by)
    is_sample = sample_hash(pairs) == answers[0].sample
    if is_sample and (foreign := rated - {pair.pair_id for pair in pairs}):
        raise InputError(
            f"{path}: expected ratings of the {len(pairs):,} pairs of the page, got {len(foreign):,} more, "
            f"such as {min(foreign)[:60]!r}; give the file as the page saved it"
        )
    if not is_sample:
        raise InputError(
            f"{path}: {len(pairs):,} of its {len(rated):,} pairs are here, or they have other texts: name "
            "the release or file that the page was made from"
        )
    return {name: _table(number, name, pairs, answers, by) for number, name in enumerate(QUESTIONS)}


def _table(
    question: int, name: str, pairs: Sequence[JudgedPair], answers: Sequence[Answers], by: str | None
) -> Table:
    given = {pair: [one.ratings[pair.pair_id][question] for one in answers] for pair in pairs}
    rows = []
    if by is not None:
        deciles = sorted({pair.decile for pair in pairs if pair.decile is not None})
        rows = [
            _row(str(decile), [given[pair] for pair in pairs if pair.decile == decile]) for decile in deciles
        ]
    everything = _row("all", list(given.values()))
    agreement = (
        ""
        if everything.values["alpha"] is None
        else f" α is Krippendorff's (ordinal) of {len(answers)} judges, with an interval from {RESAMPLES:,} "
        "resamples of the pairs."
    )
    return Table(
        caption=f"{QUESTIONS[name].capitalize()} from 1 to 3, by the median of each pair.{agreement}",
        columns=(
            Column(name="decile", type="text", meaning=f"decile of {by}", title=f"{by} decile" if by else ""),
            Column(name="pairs", type="count", meaning="pairs that were rated"),
            Column(name="mean", type="number", meaning="mean of the medians", digits=2, maximum=3),
            *(
                column
                for rating in RATINGS
                for column in (
                    Column.number(f"share_{rating}", f"{rating} %", f"share of the pairs rated {rating}"),
                    Column.number(f"low_{rating}", "from", "the lower end of its interval"),
                    Column.number(f"high_{rating}", "to", "the upper end of its interval"),
                )
            ),
            Column.number("alpha", "α", "Krippendorff's α of the judges, on an ordinal scale", 2),
            Column.number("alpha_low", "from", "the lower end of its interval", 2),
            Column.number("alpha_high", "to", "the upper end of its interval", 2),
        ),
        main="mean",
        rows=rows,
        averages=[everything],
    )


def _row(label: str, given: Sequence[Sequence[int | None]]) -> Row:
    """given: the ratings of each pair, one of each judge."""
    rated = [[each for each in of_pair if each is not None] for of_pair in given]
    medians = [statistics.median_low(of_pair) for of_pair in rated if of_pair]
    values: dict[str, Value] = {"decile": label, "pairs": len(medians)}
    values["mean"] = statistics.fmean(medians) if medians else None
    for rating in RATINGS:
        part = sum(median == rating for median in medians)
        low, high = wilson_interval(part, len(medians))
        shares = (part / len(medians), low, high) if medians else (None, None, None)
        for name, share in zip(("share", "low", "high"), shares, strict=True):
            values[f"{name}_{rating}"] = None if share is None else 100 * share
    alpha = alpha_estimate(np.array(given, np.float64).T)  # None becomes NaN
    values |= {"alpha": alpha.value, "alpha_low": alpha.low, "alpha_high": alpha.high}
    return Row(values)


def _read(path: Path) -> Answers:
    try:
        content = read_json(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{path} is not a file of answers: {first_line(error)}") from None
    problem = _problem(content)
    if problem:
        raise InputError(f"{path} is not a file that the page of `paranmt judge` saved: {problem}")
    ratings = {pair_id: tuple(given) for pair_id, given in content["ratings"].items()}
    return Answers(str(path), content["sample"], content["judge"], ratings)


def _problem(content: Any) -> str | None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return f"expected `format` to be {json.dumps(FORMAT)}"
    if set(content) != {"format", "sample", "judge", "ratings"}:
        return f"expected format, sample, judge and ratings, got {', '.join(map(str, content))[:80]}"
    if not isinstance(content["sample"], str):
        return f"expected the hash of the page's pairs as `sample`, got {str(content['sample'])[:60]}"
    if problem := JUDGES.problem(content["judge"]):
        return f"expected the number of the judge as `judge`, {problem}, got {str(content['judge'])[:60]}"
    if not isinstance(content["ratings"], dict) or not content["ratings"]:
        return "expected ratings by pair"
    for pair_id, given in content["ratings"].items():
        is_right = isinstance(given, list) and len(given) == len(QUESTIONS)
        if not is_right or any(
            type(each) is not int or each not in RATINGS for each in given if each is not None
        ):
            expected = f"{len(QUESTIONS)} ratings of 1, 2, 3 or null"
            return f"pair {pair_id[:60]!r}: expected {expected}, got {str(given)[:60]}"
    return None
