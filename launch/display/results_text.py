"""The results of a recipe as text for the terminal."""

from typing import TYPE_CHECKING

from .console import table
from .evaluation_text import evaluation_text
from .progress import counted

if TYPE_CHECKING:
    from ...pipeline.looking.results import Results


def results_text(results: "Results") -> str:
    """The selections with their sizes, the means of each evaluation, what `tune` found, and where to look."""
    sections = []
    if results.selections:
        sizes = [
            [name, f"{size:,}", f"{size / results.pairs:.1%}" if results.pairs else ""]
            for name, size in results.selections.items()
        ]
        sections.append(table(["selection", "pairs", "of the release"], sizes, ["pairs", "of the release"]))
    sections += [
        f"evaluate/{found.name}: {found.table.caption}\n{evaluation_text(found.table, averages_alone=True)}"
        for found in results.evaluations
    ]
    sections += [f"tune/{found.name}: {found.verdict}" for found in results.tunings]
    places = []
    for name, path in results.paths.items():
        size = f" ({counted(results.pairs or 0, 'pair')})" if name == "release" else ""
        places.append(f"{name}: {path}{size}")
    if places:
        sections.append("\n".join(places))
    return "\n\n".join(sections)
