import json
from dataclasses import replace

import pytest

from paranmt.launch.display.evaluation_text import evaluation_text
from paranmt.models.evaluation.table import Column, Row, Table, Value

COLUMNS = (
    Column(name="split", type="text", meaning="the folds"),
    Column(name="task", type="text", meaning="the task"),
    Column(name="images", type="count", meaning="images of the test part"),
    Column(
        name="recall_1", type="number", title="R@1", unit="%", meaning="found first", digits=2, maximum=100.0
    ),
    Column(name="rank", type="number", meaning="the median rank"),
)


def row(*values: Value, note: str = "") -> Row:
    return Row(dict(zip(("split", "task", "images", "recall_1", "rank"), values, strict=True)), note)


TABLE = Table(
    caption="Retrieval of images.",
    columns=COLUMNS,
    main="recall_1",
    group="split",
    rows=(
        row("a", "first", 1000, 61.25, 1.0),
        row("b", "third", 5, None, None, note="too few"),
        row("a", "second", 1000, 3, 40.5),
        row(None, "alone", 7, 50.0, 2),
    ),
    averages=(row(None, "mean", 2012, 38.08, 14.5), row("a", "mean", 2000, 32.125, 20.75)),
)


def test_rows_come_by_group_and_each_group_before_its_averages() -> None:
    blocks = [
        (
            block.group,
            [row.values["task"] for row in block.rows],
            [row.values["task"] for row in block.averages],
        )
        for block in TABLE.blocks
    ]
    assert blocks == [
        ("a", ["first", "second"], ["mean"]),
        ("b", ["third"], []),
        (None, ["alone"], []),
        (None, [], ["mean"]),
    ]
    ungrouped = replace(TABLE, group=None).blocks
    assert [(block.group, len(block.rows), len(block.averages)) for block in ungrouped] == [
        (None, 4, 0),
        (None, 0, 2),
    ]


def test_json_holds_everything() -> None:
    content = json.loads(json.dumps(TABLE.to_json()))
    assert Table.from_json(content).to_json() == content
    assert Table.from_json(content) == TABLE
    assert content["rows"][1] == {
        "split": "b", "task": "third", "images": 5, "recall_1": None, "rank": None, "note": "too few"
    }  # fmt: skip
    assert list(content["rows"][0]) == ["split", "task", "images", "recall_1", "rank"]


def test_the_label_is_the_first_column_that_is_not_the_group() -> None:
    assert (TABLE.label.name, TABLE.main_column.heading) == ("task", "R@1")
    assert replace(TABLE, group=None).label.name == "split"


def test_text() -> None:
    assert evaluation_text(TABLE).splitlines() == [
        "split  task    images    R@1  rank  note",
        "a      first    1,000  61.25   1.0",
        "a      second   1,000   3.00  40.5",
        "a      mean     2,000  32.12  20.8",
        "b      third        5               too few",
        "       alone        7  50.00   2.0",
        "       mean     2,012  38.08  14.5",
    ]


def test_text_has_no_empty_columns() -> None:
    one = replace(TABLE, rows=(row(None, "alone", 7, 50.0, None),), averages=())
    assert evaluation_text(one).splitlines() == ["task   images    R@1", "alone       7  50.00"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"main": "task"}, "expected a numeric column as the main one, got 'task'"),
        ({"main": "accuracy"}, "expected a numeric column as the main one"),
        ({"group": "images"}, "expected a column of text to group by, got 'images'"),
        ({"columns": (*COLUMNS, COLUMNS[0])}, "two columns have the same name"),
        ({"rows": (Row({"task": "first"}),)}, "expected the columns split, task, images, recall_1, rank"),
        ({"rows": (row("a", 3, 1, 1.0, 1.0),)}, "column 'task' holds texts or None, not 3"),
        ({"rows": (row("a", "b", 1.5, 1.0, 1.0),)}, "column 'images' holds counts or None, not 1.5"),
        ({"rows": (row("a", "b", True, 1.0, 1.0),)}, "column 'images' holds counts or None, not True"),
        ({"averages": (row("a", "b", 1, float("nan"), 1.0),)}, "column 'recall_1' holds .* not nan"),
    ],
)
def test_what_is_no_table(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TABLE, **change)


def test_what_is_no_column() -> None:
    with pytest.raises(ValueError, match="not text, count or number"):
        Column(name="a", type="date", meaning="")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no column is called 'note'"):
        Column(name="note", type="text", meaning="")
