"""The sets of the papers' tables of single figures, and the figures of their rows."""

from collections.abc import Mapping, Sequence

_ROWS: dict[str, tuple[str, ...]] = {
    "2012": ("MSRpar 2012", "MSRvid 2012", "SMTeuroparl 2012", "OnWN 2012", "SMTnews 2012"),
    "2013": ("headlines 2013", "OnWN 2013", "FNWN 2013", "SMT 2013"),
    "2014": (
        "deft-forum 2014",
        "deft-news 2014",
        "headlines 2014",
        "images 2014",
        "OnWN 2014",
        "tweet-news 2014",
    ),
    "2015": (
        "answers-forums 2015",
        "answers-students 2015",
        "belief 2015",
        "headlines 2015",
        "images 2015",
    ),
    "2016": (
        "answer-answer 2016",
        "headlines 2016",
        "plagiarism 2016",
        "postediting 2016",
        "question-question 2016",
    ),
}


def _rows_of(years: Sequence[str]) -> tuple[str, ...]:
    return tuple(row for year in years for row in (*_ROWS[year], year))


YEARS_WITH_SMT = _rows_of(("2012", "2013", "2014", "2015"))
"""The rows of Revisiting recurrent networks, table 4, up to 2015: sets, and the mean of each year."""
ROWS_OF_2016 = _rows_of(("2016",))
"""The rows of 2016 in CSE, table 2."""
ROWS_WITHOUT_SMT = tuple(row for row in YEARS_WITH_SMT if row != "SMT 2013")
"""The same rows in CSE, which leaves out SMT of 2013."""

TRANSFER_TASKS = ("MR", "CR", "SUBJ", "MPQA", "SST-2", "TREC", "MRPC", "SICK-R", "SICK-E")
"""The columns of the tables of transfer tasks, of which MRPC's is the accuracy."""


def figures(rows: Sequence[str], values: str) -> Mapping[str, float]:
    """The figures of a column, by its rows."""
    return dict(zip(rows, map(float, values.split()), strict=True))
