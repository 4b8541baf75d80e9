"""`paranmt select`: computes or previews selections, of a recipe or by a condition on a release."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import RecipeError
from ..display.console import print_json, print_text, progress_line, say, table
from ..display.progress import counted
from ..options.command_options import AsJson, Overrides, Yes, load_recipe
from ..runners.local import LocalRunner
from .running import run_recipe

if TYPE_CHECKING:
    from ...filters.where.condition import Drops
    from ...pipeline.looking.preview import Preview


def select(
    recipe: Annotated[
        Path,
        typer.Argument(metavar="RECIPE", help="The recipe; or, with --where, a release.", show_default=False),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="SELECTION", help="Selections of the recipe; by default all of them."),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Count what each clause drops, in seconds, without selecting."),
    ] = False,
    where: Annotated[
        str | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="A condition on the pairs of a release, which needs no recipe.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write the pairs of --where as a new release."),
    ] = None,
    overrides: Overrides = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Compute selections, preview what each clause of them drops, or write pairs of a release as a new one.

    \b
    paranmt select recipe.yaml --preview
    paranmt select recipe.yaml paraphrases --preview --set "select.paraphrases.where=trigram_overlap < 0.5"
    paranmt select work/release --preview --where "trigram_overlap < 0.5 and reference_length <= 30"
    paranmt select work/release --where "trigram_overlap < 0.5" --output short

    A new release has the scores and deciles of the one that it is cut from: nothing is computed again.
    """
    if where is not None or output is not None:
        if where is None or preview is (output is not None) or names or overrides:
            raise RecipeError(
                "expected a release with --where, either --preview or --output, and no selections or --set"
            )
        select_from_release(str(recipe), where, output, as_json)
        return
    loaded = load_recipe(recipe, overrides)
    if not preview:
        for name in names or list(loaded.select):
            run_recipe(loaded, LocalRunner(), yes, only=f"select/{name}")
        return
    from ...pipeline.looking.preview import preview as preview_selection

    previews = [preview_selection(loaded, name) for name in names or list(loaded.select)]
    if as_json:
        print_json(previews)
    else:
        print_text("\n\n".join(map(_preview_text, previews)))


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


def _preview_text(preview: "Preview") -> str:
    drops = preview.drops
    previewed = f"{counted(drops.pairs, 'pair')} in {preview.parts:,} of {counted(preview.of_parts, 'part')}"
    sampled = f"; the selection is a sample of {preview.sample:,}" if preview.sample is not None else ""
    passed = f"{preview.selection}: {drops.selected:,} of {previewed} pass{share(drops)}{sampled}"
    return f"{passed}\n{drops_table(drops)}"
