"""`paranmt init`: writes a first recipe for files of the user."""

from pathlib import Path
from typing import Annotated

import typer

from ...base.outputs import check_absent, new_file
from ..display.console import say
from ..display.progress import counted


def init(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="The files of a bitext, or of several; also URLs.", show_default=False
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The recipe to write.")
    ] = Path("recipe.yaml"),
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="MODEL", help="The translation model, as `translate.model` takes it."
        ),
    ] = None,
    reference_language: Annotated[
        str, typer.Option("--reference-language", metavar="CODE", help="The language of the references.")
    ] = "en",
) -> None:
    """Look at files, and write a short recipe for them: formats, languages and sides are found by their rows.

    \b
    paranmt init data/train.cs.gz data/train.en.gz
    paranmt init corpus.tsv news.tmx --model models/de-en -o news.yaml

    Files with a sentence a line are paired if they have as many lines and, but for the language, the same
    name; at most a million lines are counted. A second text in the language of the references is taken as a
    translation, and a column of numbers with fractions as a score of the pairs.
    """
    from ...pipeline.recipe.first_recipe import first_recipe
    from ...pipeline.recipe.found_inputs import found_inputs

    check_absent(output)
    inputs = found_inputs(files, reference_language)
    text = first_recipe(inputs, str(output), model)
    with new_file(output) as file:
        file.write(text.encode())
    for found in inputs:
        keys = found.keys
        sides = [f"{keys['source_language']} source"] if "source_language" in keys else []
        sides += [f"{reference_language} reference"] + ["translation"] * ("translation" in keys)
        sides += [f"score {name} ({place})" for name, place in found.scores.items()]
        rejects = f" and {counted(found.rejects, 'reject')}" if found.rejects else ""
        pairs = f"{counted(found.pairs, 'pair')}{rejects} in its first rows"
        say(f"{keys['corpus']}: {keys['format']}, {', '.join(sides)}; {pairs}")
    say(f"wrote {output}; read it, then try: paranmt plan {output}")
