"""`paranmt evaluate`: evaluates a sentence encoder, or averaged word vectors."""

from typing import Annotated

import typer

from ..errors import RecipeError
from .console import print_json, say
from .evaluation_text import evaluation_text
from .options import given_options

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def evaluate(
    encoder: Annotated[
        str, typer.Argument(help="The folder of an encoder, or a file of word vectors.", show_default=False)
    ],
    data: Annotated[
        str | None,
        typer.Argument(
            help="The data to evaluate it on; for sts a folder with the files of SemEval's STS tasks, or of "
            "the STS Benchmark.",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="The kind of evaluation.")] = "sts",
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set any other key that this kind of evaluation has in a recipe. Can be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate a sentence encoder, or averaged word vectors; by default on semantic textual similarity (STS).

    \b
    paranmt evaluate models/avg data/sts-semeval
    paranmt evaluate glove.6B.50d.txt data/sts-benchmark --json

    The results of STS are 100 times Pearson's and Spearman's correlation between the cosine similarities of
    the encoder and the scores that people gave.
    """
    from ..models.evaluation.kinds import EVALUATIONS
    from ..pipeline.published.library import load_encoder
    from ..pipeline.recipe.section import read_section

    if kind not in EVALUATIONS:
        raise RecipeError(f"no kind of evaluation {kind!r}; there are: {', '.join(EVALUATIONS)}")
    evaluation = read_section(EVALUATIONS[kind], given_options({"data": data}), sets or (), "evaluate")
    results = evaluation.evaluate(load_encoder(encoder))
    if as_json:
        print_json(results.to_json())
    else:
        say(results.caption)
        print(evaluation_text(results))
