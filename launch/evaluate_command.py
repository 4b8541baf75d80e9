"""`paranmt evaluate`: how well a sentence encoder agrees with people about semantic similarity."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ModelError
from .console import print_json, table

if TYPE_CHECKING:
    from ..models.evaluation.sts import StsResult

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def evaluate(
    encoder: Annotated[
        str, typer.Argument(help="The folder of an encoder, or a file of word vectors.", show_default=False)
    ],
    data: Annotated[
        str,
        typer.Argument(
            help="A folder with the files of SemEval's STS tasks, or of the STS Benchmark.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Evaluate a sentence encoder, or averaged word vectors, on semantic textual similarity (STS).

    \b
    paranmt evaluate models/avg data/sts-semeval
    paranmt evaluate glove.6B.50d.txt data/sts-benchmark --json

    The results are 100 times Pearson's and Spearman's correlation between the cosine similarities of the
    encoder and the scores that people gave.
    """
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.evaluation.sts import evaluate_sts

    if os.path.isdir(encoder):
        loaded = SentenceEncoder.load(encoder)
    elif os.path.isfile(encoder):
        loaded = SentenceEncoder.from_vectors(encoder)
    else:
        raise ModelError(f"expected an encoder's folder or a file of word vectors; {encoder} does not exist")
    results = evaluate_sts(loaded, data)
    if as_json:
        print_json(results)
    else:
        print(_sts_table(results))


def _sts_table(results: list["StsResult"]) -> str:
    rows = [
        [
            str(result["year"] or ""),
            result["dataset"],
            f"{result['pairs']:,}",
            "" if result["pearson"] is None else f"{result['pearson']:.1f}",
            "" if result["spearman"] is None else f"{result['spearman']:.1f}",
            result.get("note", ""),
        ]
        for result in results
    ]
    numbers = ["pairs", "pearson", "spearman"]
    return table(["year", "dataset", *numbers, "note"], rows, right=numbers)
