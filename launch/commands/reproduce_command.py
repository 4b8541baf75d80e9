"""`paranmt reproduce`: the papers' tables on a user's data."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import RecipeError
from ...papers.run import Run
from ..display.console import print_json, print_text, say, table
from ..display.evaluation_text import evaluation_text
from ..display.progress import progress_on
from ..options.field_options import FieldOption, Given, from_fields
from ..runners.profile import Profile
from ..runners.runner_options import with_runner

if TYPE_CHECKING:
    from ...papers.table_results import Reproduction


@with_runner
def reproduce(
    runner: Profile,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[TABLE]", help="The table; without one, all are listed.", show_default=False),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="A YAML file that names files or folders by role, or a folder with such a data.yaml or with "
            "subfolders by role. The roles are sts and transfer (for the evaluation), simplification, "
            "translations, captions, ppdb, ppdb_lexical, nli, and vectors (to start from).",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The folder for the results. Tables that share it train nothing twice.",
            show_default=False,
        ),
    ] = None,
    *,
    options: Annotated[
        Given,
        from_fields(Run, "seeds", "pairs", "dimension", "epochs", "grid"),
        FieldOption(Run, "dev_sets", metavar="SETS"),
        FieldOption(Run, "only", metavar="TEXT"),
        from_fields(Run, "show"),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Compute a table of the papers again on your data, with several seeds and intervals.

    \b
    paranmt reproduce
    paranmt reproduce a-table-2 --data data.yaml --output reproduction
    paranmt reproduce p-table-5 --data data.yaml --output reproduction --workers 8 --only "Word Avg."
    paranmt reproduce a-table-2 --data data.yaml --output reproduction --show
    paranmt reproduce a-table-2 --data data.yaml --output reproduction --runner dask --dask-scheduler tcp://head:8786

    Systems whose data is missing are not run, and the table says why. The output folder gets TABLE.html, .md
    and .json, and the result of each training: a run that was interrupted continues with what is missing.
    Files of these names that were written or changed by others are never replaced.
    """
    from ...papers.paper_tables import OTHERS, TABLES

    if name is None:
        _print_tables()
        return
    if name in OTHERS:
        raise RecipeError(f"{name} is computed by another command: {OTHERS[name].how}")
    if name not in TABLES:
        raise RecipeError(f"no table {name!r}; there are: {', '.join(TABLES)}")
    if data is None or output is None:
        raise RecipeError(f"{name} needs your data and a folder for its results: give --data and --output")
    from rich.console import Console

    from ...base.outputs import check_replaceable
    from ...papers.paper_data import DataFiles  # imports torch, which the list does not need
    from ...papers.reproducing import reproduce
    from ...pipeline.recipe.section import read_section

    places = {ending: output / f"{name}.{ending}" for ending in ("json", "md", "html")}
    check_replaceable(*places.values())
    run = read_section(Run, {**options}, (), "reproduce")
    if not run.show:
        runner.check(str(output.absolute()))
    with progress_on(Console(stderr=True)) as progress:
        result = reproduce(
            TABLES[name], DataFiles.read(data.absolute()), output.absolute(), run, runner, progress
        )
    _write(result, places)
    if as_json:
        print_json(result.to_json())
    else:
        print_text(_text(result, markdown))
    say(f"{output / name}.html, .md and .json have the results")


def _print_tables() -> None:
    """Print all tables that the papers have."""
    from ...papers.paper_tables import OTHERS, TABLES

    rows = [[entry.name, entry.title, ", ".join(entry.roles)] for entry in TABLES.values()]
    rows += [[entry.name, entry.title, entry.how] for entry in OTHERS.values()]
    print_text(table(["table", "what it shows", "training data, or how to get it"], sorted(rows)))


def _write(result: "Reproduction", places: Mapping[str, Path]) -> None:
    """Write the results into files, of which `places` has one for each ending."""
    from ...base.outputs import SEAL, check_replaceable, sealed
    from ...base.whole_files import written_whole
    from ...papers.table_page import render_reproduction

    seal = f"{SEAL} reproduce`"
    content = {"written": seal, **result.to_json()}
    texts = {
        "json": json.dumps(content, indent=1, ensure_ascii=False),
        "md": f"{_text(result, markdown=True)}\n\n<!-- {seal} -->",
        "html": f"{render_reproduction(result)}\n<!-- {seal} -->",
    }
    check_replaceable(*places.values())
    for ending, place in places.items():
        with written_whole(place) as file:
            file.write(sealed(texts[ending] + "\n").encode())


def _text(result: "Reproduction", markdown: bool) -> str:
    parts = [result.systems.caption, evaluation_text(result.systems, markdown)]
    if result.sets.rows:
        parts += [result.sets.caption, evaluation_text(result.sets, markdown)]
    if result.claims.rows:
        parts += [result.claims.caption, evaluation_text(result.claims, markdown)]
    if result.distances.rows:
        parts += [result.distances.caption, evaluation_text(result.distances, markdown)]
    sentences = [*result.setting, *(result.origin.sentences if result.origin else [])]
    bullets = "\n".join(f"- {sentence}" for sentence in sentences)
    return "\n\n".join([*parts, f"What was measured, and what differs from the paper:\n\n{bullets}"])
