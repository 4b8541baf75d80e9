"""`paranmt evaluate`: evaluates a sentence encoder, or compares several."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import RecipeError
from ...base.outputs import check_absent, new_file
from ...models.evaluation.evaluation import Evaluation
from ...models.evaluation.sts import Sts
from ...tokens.definition import EncoderTokens
from ..display.comparison_text import (
    comparison_latex,
    comparison_markdown,
    comparison_text,
    distinct_names,
    legend,
)
from ..display.console import print_json, print_text, say
from ..display.evaluation_text import evaluation_text
from ..options.command_options import set_option
from ..options.field_options import FieldOption, Given

if TYPE_CHECKING:
    from ...models.evaluation.comparison import Comparison
    from ...pipeline.recipe.document import Data

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def evaluate(
    encoders: Annotated[
        list[str],
        typer.Argument(
            metavar="ENCODER... [DATA]",
            help="Each encoder is a folder (ours or of sentence-transformers), a file of word vectors, the "
            "URL of either, or a Python function from a list of sentences to their vectors, as "
            "module:function. The data is last: for sts a folder or URL with SemEval's files, the STS "
            "Benchmark, SICK or Twitter.",
            show_default=False,
        ),
    ],
    *,
    options: Annotated[
        Given,
        FieldOption(Sts, "data", metavar="FOLDER", help="The data, if it is not the last argument."),
        FieldOption(
            Evaluation,
            "kind",
            help="The kind of evaluation: {names of models.evaluation.evaluation_kinds.EVALUATIONS}; by "
            "default sts.",
        ),
    ],
    sets: Annotated[
        list[str] | None, set_option("Set any other key that this kind of evaluation has in a recipe.")
    ] = None,
    tokens: Annotated[
        EncoderTokens,
        typer.Option(
            "--tokens",
            help="Tokenisation of the word vectors: words, whitespace or "
            "moses; with cased_ before it if they have capitals. Encoders know their own.",
        ),
    ] = "words",
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print a comparison as a LaTeX table (booktabs).")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FILE.html", help="Also write a page with the comparison and plots."),
    ] = None,
) -> None:
    """Evaluate sentence encoders side by side; by default on semantic textual similarity (STS).

    \b
    paranmt evaluate models/avg data/sts-semeval
    paranmt evaluate models/avg glove.6B.50d.txt.gz mine:encode data/sts-semeval --page sts.html
    paranmt evaluate models/avg data/senteval --kind transfer

    The results of STS are 100 times Pearson's correlation between the cosine similarities of the encoder and
    the scores that people gave, with 95 % intervals. An arrow marks an encoder whose result differs
    significantly from the first encoder's.
    """
    from ...models.evaluation.evaluation_kinds import EVALUATIONS
    from ...pipeline.recipe.section import read_section

    kind = str(options.get("kind", "sts"))
    if kind not in EVALUATIONS:
        raise RecipeError(f"no kind of evaluation {kind!r}; there are: {', '.join(EVALUATIONS)}")
    if markdown + latex + as_json > 1:
        raise RecipeError("expected only one of --json, --markdown and --latex")
    has_data = any(field.name == "data" for field in dataclasses.fields(EVALUATIONS[kind]))
    given: dict[str, Data] = {"data": options["data"]} if "data" in options else {}
    is_given = bool(given) or any(text.startswith("data=") for text in sets or ())
    if has_data and not is_given and len(encoders) > 1:
        *encoders, given["data"] = encoders
    elif has_data and not is_given:
        raise RecipeError(
            f"expected the data after the encoders: paranmt evaluate {' '.join(encoders)} DATA; "
            "docs/evaluation.md says which files each kind reads"
        )
    evaluation = read_section(EVALUATIONS[kind], given, sets or (), "evaluate")
    if page is not None:
        check_absent(page)
    comparison = _compare(encoders, evaluation, tokens)
    if len(encoders) == 1 and not latex:
        _print_single(comparison, as_json, markdown)
    elif as_json:
        print_json(comparison.to_json())
    else:
        say(comparison.table.caption)
        write = comparison_markdown if markdown else comparison_latex if latex else comparison_text
        print_text(write(comparison))
        say(legend(comparison))
        if comparison.distances is not None and not latex:
            say(comparison.distances.caption)
            print_text(evaluation_text(comparison.distances, markdown))
    if page is not None:
        _write_page(page, comparison)


def _compare(places: Sequence[str], evaluation: Evaluation, tokens: EncoderTokens) -> "Comparison":
    from ...models.evaluation.any_encoder import CountingEncoder, load_any
    from ...models.evaluation.comparison import Comparison

    measured, notes = {}, {}
    # All are loaded before any runs, so that one that cannot be loaded is known at once.
    loaded = [load_any(place, tokens) for place in places]
    for name, encoder in zip(distinct_names(places), loaded, strict=True):
        if name in measured:
            raise RecipeError(f"{name} is given twice; name each encoder once")
        counted = CountingEncoder(encoder)
        measured[name] = evaluation.measure(counted)
        notes[name] = counted.note
    return Comparison(measured, notes)


def _print_single(comparison: "Comparison", as_json: bool, markdown: bool) -> None:
    """Print the results of one encoder, and what is to be known about it."""
    if as_json:
        print_json(comparison.table.to_json())
    else:
        say(comparison.table.caption)
        print_text(evaluation_text(comparison.table, markdown))
    for note in filter(None, comparison.notes.values()):
        say(note)


def _write_page(page: Path, comparison: "Comparison") -> None:
    from ...pipeline.report.comparison_page import render_comparison

    with new_file(page) as file:
        file.write(render_comparison(comparison).encode("utf-8"))
    say(f"{page}: the results of {', '.join(comparison.names)}")
