"""`paranmt merge`: puts releases together."""

from pathlib import Path
from typing import Annotated

import typer

from ..display.console import print_json, progress_line, say
from ..display.progress import counted


def merge(
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE...", help="The folders of releases, or workspaces with one.", show_default=False
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder of the new release.")
    ],
    drop_repeated: Annotated[
        bool,
        typer.Option(
            "--drop-repeated",
            help="Keep the first of all pairs with the same pair_id and texts, instead of refusing them.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Put releases together into a new one, with deciles and selections over all their pairs.

    \b
    paranmt merge work/czech work/german --output both
    paranmt merge work/release work/more --output all --drop-repeated

    The releases must have the same columns, and scores of the same options and models. Texts, scores and
    provenance stay as they are.
    """
    from ...pipeline.release.merge import merge_releases
    from ...pipeline.release.open_release import open_release

    opened = [open_release(release) for release in releases]
    with progress_line() as show:
        summary = merge_releases(opened, output, drop_repeated, lambda pairs: show(f"{pairs:,} pairs"))
    left_out = sum(each.left_out for each in summary.merged_from)
    if as_json:
        content = {"release": str(output), "pairs": summary.pairs, "left_out": left_out}
        print_json({**content, "files": list(summary.files)})
    repeated = f", and left out {left_out:,} with the pair_id and texts of an earlier one" if left_out else ""
    files = counted(len(summary.files), "file")
    say(f"wrote {counted(summary.pairs, 'pair')} into {output}: {files}{repeated}")
