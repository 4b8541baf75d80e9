"""`paranmt analyse`: gates by part of speech, pairs that one encoder gets wrong, and chosen negatives."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...base.errors import InputError, ModelError, RecipeError
from ..display.comparison_text import distinct_names
from ..display.console import ending, print_text, say
from ..display.evaluation_text import evaluation_text
from ..display.progress import counted

if TYPE_CHECKING:
    from ...papers.analysis.disagreements import ComparedPair, Disagreements, Side

analyse = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

_FORMATS = (".json", ".tsv")
_SIDES: tuple[tuple["Side", str], ...] = (("over", "too similar"), ("under", "too different"))

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Also write the results, as .json or .tsv."),
]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")]


@analyse.callback()
def _analyse() -> None:
    """Look at what encoders have learned.

    \b
    paranmt analyse gates --help
    paranmt analyse errors --help
    paranmt analyse negatives --help
    """


def gates(
    encoder: Annotated[
        str,
        typer.Argument(
            help="The folder of an encoder of type gran or bigran, or of a mixture with one.",
            show_default=False,
        ),
    ],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Tagged and parsed sentences in the CoNLL-U format.", show_default=False
        ),
    ],
    within: Annotated[
        list[str] | None,
        typer.Option(
            "--within",
            metavar="TAG",
            help="Also give the norms by dependency label for the words with this tag. Can be repeated.",
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        typer.Option(
            "--max-words", metavar="N", help="Leave out longer sentences, which parsers get wrong more often."
        ),
    ] = None,
    minimum: Annotated[
        int, typer.Option("--minimum", metavar="N", help="Leave out tags and labels that fewer words have.")
    ] = 10,
    output: Output = None,
    markdown: Markdown = False,
) -> None:
    """Show how far the gates of a GRAN open for each part of speech and each dependency label.

    \b
    paranmt analyse gates models/gran en_ewt-ud-test.conllu --max-words 15 --within JJ
    paranmt analyse gates models/bigran parsed/*.conllu.gz --output gates.tsv

    The figures are the mean L1 norms of the gate over the words, the highest first (Wieting and Gimpel 2017,
    section 5.2).
    """
    from ...models.encoders.loading import load_encoder
    from ...papers.analysis.conllu import read_conllu

    _check_output(output)
    # imports torch, which the help does without
    from ...models.encoders.sentence_encoder import SentenceEncoder
    from ...papers.analysis.gates import gate_table, word_norms

    loaded = load_encoder(encoder)
    if not isinstance(loaded, SentenceEncoder):
        raise ModelError(
            f"{encoder} is a model of sentence-transformers, which has no gates: expected gran or bigran"
        )
    sentences = [
        sentence
        for file in files
        for sentence in read_conllu(file)
        if max_words is None or len(sentence.words) <= max_words
    ]
    table = gate_table(word_norms(loaded, sentences), within or (), minimum)
    say(table.caption)
    print_text(evaluation_text(table, markdown))
    if output is not None:
        columns = [column.name for column in table.columns]
        _write(output, table.to_json(), columns, [row.values for row in table.rows])


def errors(
    encoders: Annotated[
        list[str],
        typer.Argument(
            metavar="A B DATA",
            help="Two encoders, as `paranmt evaluate` takes them, and a folder of STS data.",
            show_default=False,
        ),
    ],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SET", help="Only the sets of this year or name. Can be repeated."),
    ] = None,
    scale: Annotated[
        str,
        typer.Option(
            "--scale",
            help="How cosines become scores from 0 to 5: `range` stretches them, `fit` takes the line that "
            "is nearest to people's scores.",
        ),
    ] = "range",
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", help="By how much a similarity that is right may differ from people's."),
    ] = 1.0,
    pairs: Annotated[
        int, typer.Option("--pairs", metavar="N", help="How many pairs to show of each kind of error.")
    ] = 5,
    output: Output = None,
    markdown: Markdown = False,
) -> None:
    """Show pairs on which one encoder agrees with the human score and the other does not.

    \b
    paranmt analyse errors models/lstm-avg models/avg data/sts-semeval --only 2014
    paranmt analyse errors models/gran models/avg data/sts-semeval --scale fit --output errors.tsv

    The table counts errors by what the pairs are like, such as the share of words that both sentences have
    (Wieting and Gimpel 2017, section 5.1). A .tsv file has every pair.
    """
    from ...models.evaluation.any_encoder import load_any

    if len(encoders) != 3:
        raise RecipeError(
            f"expected two encoders and a folder of STS data, got {counted(len(encoders), 'argument')}"
        )
    if scale not in ("range", "fit"):
        raise RecipeError(f"--scale: expected range or fit, got {scale!r}")
    *places, data = encoders
    names = distinct_names(places)
    if names[0] == names[1]:
        raise RecipeError(f"{names[0]} is given twice; name two encoders")
    _check_output(output)
    from ...papers.analysis.disagreements import disagreements

    loaded = {name: load_any(place) for name, place in zip(names, places, strict=True)}
    result = disagreements(loaded, data, only or (), scale, tolerance)  # type: ignore[arg-type]  # checked above
    table = result.table()
    say(table.caption)
    print_text(evaluation_text(table, markdown))
    kinds = [
        (f"{result.names[number]} finds them {words}, and {result.names[1 - number]} is right", number, side)
        for number in (0, 1)
        for side, words in _SIDES
    ]
    shown = {title: result.worst(number, side, pairs) for title, number, side in kinds}
    for title, chosen in shown.items():
        print_text(f"\n{title}{'' if chosen else ': no pair'}")
        for pair in chosen:
            print_text(_pair_text(pair))
    if output is not None:
        columns = ["dataset", "gold", *result.names, "left", "right"]
        _write(output, {"table": table.to_json(), "pairs": shown}, columns, _every_pair(result))


def negatives(
    encoder: Annotated[
        str, typer.Argument(help="An encoder, as `paranmt evaluate` takes it.", show_default=False)
    ],
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A tab-separated file of references and translations.", show_default=False
        ),
    ],
    mega_batch: Annotated[
        list[int] | None,
        typer.Option(
            "--mega-batch",
            metavar="N",
            min=1,
            help="How many mini-batches to choose from; by default 1, 20 and 40. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Pairs in a mini-batch.")] = 100,
    sentences: Annotated[int, typer.Option("--sentences", min=1, help="How many sentences to show.")] = 5,
    output: Output = None,
    markdown: Markdown = False,
) -> None:
    """Show which negatives an encoder finds in mega-batches of several sizes.

    \b
    paranmt analyse negatives models/bilstm pairs.tsv
    paranmt analyse negatives models/bilstm pairs.tsv --mega-batch 1 --mega-batch 100 --output negatives.tsv

    The larger the mega-batch, the more a negative is like the sentence (ParaNMT-50M, table 6). The pairs of a
    mini-batch are neighbouring lines of the file, so these should be in random order.
    """
    from ...models.evaluation.any_encoder import load_any
    from ...papers.analysis.negatives import nearest_negatives
    from ...transforms.pair_files.pair_file_options import PairFileOptions
    from ...transforms.pair_files.tsv_pairs import read_tsv

    _check_output(output)
    sizes = mega_batch or [1, 20, 40]
    blocks = read_tsv(pairs, PairFileOptions(path=pairs))
    needed = [pair for block in blocks for pair in block.pairs][: batch * max(sizes)]
    sides = [pair.first for pair in needed], [pair.second for pair in needed]
    table = nearest_negatives(load_any(encoder), *sides, sizes, batch, sentences)
    say(table.caption)
    print_text(evaluation_text(table, markdown))
    if output is not None:
        columns = [column.name for column in table.columns]
        _write(output, table.to_json(), columns, [row.values for row in table.rows])


for command, name, summary in (
    (gates, "gates", "Show how far the gates of a GRAN open for each part of speech."),
    (errors, "errors", "Show which pairs one encoder gets right and another one wrong."),
    (negatives, "negatives", "Show which negatives an encoder finds in mega-batches of several sizes."),
):
    analyse.command(name, short_help=summary)(ending(command))


def _pair_text(pair: "ComparedPair") -> str:
    similarities = "  ".join(f"{name} {value:.1f}" for name, value in pair.predicted.items())
    return f"  {pair.dataset}: people {pair.gold:.1f}  {similarities}\n    {pair.left}\n    {pair.right}"


def _every_pair(result: "Disagreements") -> Iterable[Mapping[str, object]]:
    for number in range(len(result.gold)):
        pair = result.pair(number)
        yield {
            "dataset": pair.dataset,
            "gold": pair.gold,
            **pair.predicted,
            "left": pair.left,
            "right": pair.right,
        }


def _check_output(output: Path | None) -> None:
    from ...base.outputs import check_absent

    if output is None:
        return
    if output.suffix not in _FORMATS:
        raise InputError(f"--output: expected a file that ends in {' or '.join(_FORMATS)}, got {output}")
    check_absent(output)


def _write(
    output: Path, content: Mapping[str, Any], columns: Sequence[str], rows: Iterable[Mapping[str, object]]
) -> None:
    """Write everything as JSON, or the rows with tabs between."""
    from ...base.outputs import new_file

    is_table = output.suffix == ".tsv"
    text = (
        _tsv(columns, rows) if is_table else json.dumps(content, indent=1, ensure_ascii=False, default=vars)
    )
    with new_file(output) as file:
        file.write(text.encode("utf-8"))
    say(f"{output}: written")


def _tsv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, dialect="excel-tab", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
