"""`paranmt select` on a release: previews a condition, or writes its pairs as a new release."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..display.console import print_json, print_text, progress_line, say, table
from ..display.progress import counted

if TYPE_CHECKING:
    from ...filters.where.condition import Drops


def select_from_release(path: str, where: str, output: Path | None, as_json: bool) -> None:
    """Print what each clause of a condition drops, or write the pairs that meet it into a new folder."""
    from ...pipeline.release.open_release import open_release

    release = open_release(path)
    if output is None:
        drops = release.pairs(where).drops()
        if as_json:
            print_json({"release": path, "drops": drops})
            return
        pairs = f"{counted(drops.pairs, 'pair')} in {counted(len(release.files), 'file')}"
        print_text(f"{drops.selected:,} of {pairs} pass{share(drops)}\n{drops_table(drops)}")
        return
    from ...pipeline.release.cut import cut_release

    with progress_line() as show:
        summary = cut_release(release, where, output, lambda pairs: show(f"{pairs:,} pairs"))
    if as_json:
        print_json({"release": str(output), "pairs": summary.pairs, "files": list(summary.files)})
    of = f"{summary.pairs:,} of {counted(len(release), 'pair')}"
    say(f"wrote {of} into {output}: {counted(len(summary.files), 'file')}")


def share(drops: "Drops") -> str:
    """The share of the pairs that are selected, in brackets; empty if there are none."""
    return f" ({drops.selected / drops.pairs:.1%})" if drops.pairs else ""


def drops_table(drops: "Drops") -> str:
    """What each clause drops."""
    rows = [
        [clause.clause, f"{clause.alone:,}", f"{clause.in_order:,}", f"{clause.null:,}"]
        for clause in drops.clauses
    ]
    numbers = ["drops alone", "drops in order", "null"]
    return table(["clause", *numbers], rows, right=numbers)
