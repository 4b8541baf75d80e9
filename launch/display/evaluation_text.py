"""A table of results, such as those of an evaluation, as text for the terminal or as Markdown."""

from typing import TYPE_CHECKING

from .console import markdown_table, table

if TYPE_CHECKING:
    from ...models.evaluation.table import Table


def evaluation_text(results: "Table", markdown: bool = False, averages_alone: bool = False) -> str:
    """A table of the results, each group followed by its averages; without columns that are empty.

    markdown: as Markdown, not as text in columns. averages_alone: without the other rows, if there are
    averages.
    """
    rows = [row for block in results.blocks for row in (*block.rows, *block.averages)]
    if averages_alone and results.averages:
        rows = [row for block in results.blocks for row in block.averages]
    columns = results.filled_columns
    heads = [column.heading for column in columns]
    cells = [[column.text(row.values[column.name]) for column in columns] for row in rows]
    if any(row.note for row in rows):
        heads.append("note")
        cells = [[*line, row.note] for line, row in zip(cells, rows, strict=True)]
    write = markdown_table if markdown else table
    return write(heads, cells, right=[column.heading for column in columns if column.is_numeric])
