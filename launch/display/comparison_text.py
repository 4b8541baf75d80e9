"""Several encoders side by side: for the terminal, as Markdown, and as LaTeX."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .console import markdown_table, table

if TYPE_CHECKING:
    from ...models.evaluation.comparison import Comparison, EncoderResult

_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "–": "--",
        "ρ": r"$\rho$",
    }
)


def comparison_text(comparison: "Comparison") -> str:
    """Columns for the terminal, each result with its interval and an arrow if it differs significantly."""
    heads, rows = _grid(comparison, lambda cell, text: text, has_notes=True)
    return table(heads, rows, right=_numeric(comparison))


def comparison_markdown(comparison: "Comparison") -> str:
    """The same as Markdown; the best result of a row is bold."""
    heads, rows = _grid(
        comparison, lambda cell, text: f"**{text}**" if cell.is_best else text, has_notes=True
    )
    return markdown_table(heads, rows, right=_numeric(comparison))


def comparison_latex(comparison: "Comparison") -> str:
    """The same as a LaTeX table for the package booktabs, without intervals; the best result is bold."""
    heads, rows = _grid(
        comparison,
        lambda cell, text: rf"\textbf{{{text}}}" if cell.is_best else text,
        has_intervals=False,
        escape=lambda text: text.translate(_LATEX),
    )
    numeric = _numeric(comparison)
    columns = "".join("r" if head in numeric else "l" for head in heads)
    lines = [" & ".join(row) + r" \\" for row in ([head.translate(_LATEX) for head in heads], *rows)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def legend(comparison: "Comparison") -> str:
    """What the marks mean, and what is to be said of each encoder."""
    lines = [f"{name}: {note}" for name, note in comparison.notes.items() if note]
    if any(cell.mark for block in comparison.blocks for row in block.rows for cell in comparison.cells(row)):
        lines.append(
            f"↑ ↓ higher or lower than {comparison.names[0]}, by a paired bootstrap over the items (95 %)"
        )
    return "\n".join(lines)


def _numeric(comparison: "Comparison") -> list[str]:
    counts = [column.heading for column in comparison.shared_columns if column.is_numeric]
    return [*counts, *comparison.names, *_other_heads(comparison)]


def _other_heads(comparison: "Comparison") -> list[str]:
    return [f"{name} {other.heading}" for other in comparison.other_results for name in comparison.names]


def _grid(
    comparison: "Comparison",
    emphasise: Callable[["EncoderResult", str], str],
    has_intervals: bool = True,
    has_notes: bool = False,
    escape: Callable[[str], str] = str,
) -> tuple[list[str], list[list[str]]]:
    """The heads and the rows of cells. has_notes: with a last column of notes, if there are any."""
    main, shared = comparison.main, comparison.shared_columns
    heads = [*(column.heading for column in shared), *comparison.names, *_other_heads(comparison)]
    lines, notes = [], []
    for block in comparison.blocks:
        for row in (*block.rows, *block.averages):
            line = [escape(column.text(row.values[column.name])) for column in shared]
            for cell in comparison.cells(row):
                text = main.text(cell.value)
                if has_intervals and cell.low is not None and cell.high is not None:
                    text = f"{text} [{main.text(cell.low)}, {main.text(cell.high)}]"
                line.append(emphasise(cell, text) + escape(cell.mark))
            for other in comparison.other_results:
                line += [escape(other.text(value)) for value in comparison.values(row, other)]
            lines.append(line)
            notes.append(comparison.note(row))
    if has_notes and any(notes):
        heads.append("note")
        lines = [[*line, note] for line, note in zip(lines, notes, strict=True)]
    return heads, lines


def distinct_names(places: Sequence[str]) -> list[str]:
    """A short name for each place, its last part; the whole place if two have the same last part.

    >>> distinct_names(["models/avg", "glove.6B.50d.txt.gz", "a/lstm", "b/lstm", "mine:encode"])
    ['avg', 'glove.6B.50d', 'a/lstm', 'b/lstm', 'mine:encode']
    """
    short = [place.rstrip("/").rsplit("/", 1)[-1] for place in places]
    for ending in (".gz", ".bz2", ".xz", ".zst", ".txt", ".vec"):
        short = [name.removesuffix(ending) or name for name in short]
    return [name if short.count(name) == 1 else place for name, place in zip(short, places, strict=True)]
