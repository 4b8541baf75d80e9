"""The sets of semantic similarity over which the papers average, in lists by name."""

from collections.abc import Mapping, Sequence
from typing import Literal

DevSets = Literal["standard", "sts2016", "sts2017"]
"""Which sets are for development; see `development_sets`."""

SetKey = tuple[int | str | None, str]
"""The year and the name of a set."""

YEARS: dict[int, tuple[str, ...]] = {
    2012: ("MSRpar", "MSRvid", "OnWN", "SMTeuroparl", "SMTnews"),
    2013: ("FNWN", "OnWN", "SMT", "headlines"),
    2014: ("OnWN", "deft-forum", "deft-news", "headlines", "images", "tweet-news"),
    2015: ("answers-forums", "answers-students", "belief", "headlines", "images"),
    2016: ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
}
"""The sets of the STS tasks of each year."""

LICENSED: SetKey = (2013, "SMT")
"""The set that is licensed, which most people do not have."""

SICK: SetKey = (None, "SICK")
TWITTER: SetKey = (None, "Twitter")


def without_licensed(keys: Sequence[SetKey]) -> tuple[SetKey, ...]:
    """The sets without SMT of 2013."""
    return tuple(key for key in keys if key != LICENSED)


def _of_years(last: int) -> tuple[SetKey, ...]:
    return tuple((year, name) for year, names in YEARS.items() if year <= last for name in names)


SETS_22, SETS_25 = "STS 2012–2015, SICK, Twitter", "STS 2012–2016"
SETS_20, SETS_19 = "STS 2012–2015 without SMT, SICK", "STS 2012–2015 without SMT"

SET_LISTS: Mapping[str, tuple[SetKey, ...]] = {
    SETS_22: (*_of_years(2015), SICK, TWITTER),
    SETS_25: _of_years(2016),
    SETS_20: (*without_licensed(_of_years(2015)), SICK),
    SETS_19: without_licensed(_of_years(2015)),
}
"""The lists over which the papers take means and compare encoders.

22 sets: Revisiting recurrent networks, and the paper on back-translated bitext. 25: ParaNMT, tables 7, 10 and
11; they are 24 for those who do not have the licensed set. 20 and 19: CSE, tables 1, 4 and 5.
"""
