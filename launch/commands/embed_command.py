"""`paranmt embed` and `paranmt export`: the vectors of a file, and encoders for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from ...base.durations import duration
from ...base.errors import RecipeError
from ...tokens.definition import EncoderTokens
from ..display.console import progress_line, say
from ..display.progress import counted

if TYPE_CHECKING:
    from ...models.encoders.encodes import Encodes
    from ...pipeline.texts.embed_file import Embedded

Encoder = Annotated[
    str,
    typer.Argument(
        help="The folder of an encoder or of a model of sentence-transformers, or a file of word vectors; a "
        "path or a URL.",
        show_default=False,
    ),
]


def embed(
    encoder: Encoder,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A text file with one sentence per line, plain or compressed, or a Parquet file; - is the "
            "standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            help="The file to write, .npy or .parquet; it must not exist.",
            show_default=False,
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option("--column", metavar="NAME", help="The column of a Parquet file that has the sentences."),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Also write the columns of the input, to Parquet; the lines of a text as `sentence`.",
        ),
    ] = False,
    device: Annotated[str, typer.Option("--device", metavar="DEVICE", help="auto, cpu or cuda.")] = "auto",
    tokens: Annotated[
        EncoderTokens,
        typer.Option(
            "--tokens",
            help="Tokenisation of the word vectors: words, whitespace or "
            "moses; with cased_ before it if they have capitals.",
        ),
    ] = "words",
) -> None:
    """Write the vector of each sentence of a file, as a NumPy array or a column of a Parquet file.

    \b
    paranmt embed models/avg sentences.txt.gz vectors.npy
    paranmt embed models/avg pairs.parquet vectors.parquet --column reference --keep

    The file is read and written in blocks, so it may be larger than the memory.
    """
    from ...base.gpu import has_gpu
    from ...pipeline.texts.embed_file import embed_file

    if device not in ("auto", "cpu", "cuda"):
        raise RecipeError(f"--device: expected auto, cpu or cuda, got {device!r}")
    if device == "cuda" and not has_gpu():
        raise RecipeError("--device cuda: there is no GPU that torch can use; leave the option out")
    with progress_line() as show:
        embedded = embed_file(
            encoder,
            source,
            output,
            column=column,
            keep=keep,
            device=device,
            tokens=tokens,
            show=lambda so_far: show(_state(so_far)) if so_far.seconds > 1 else None,
        )
    cut = f"; tokens: {embedded.tokens}" if embedded.tokens else ""
    say(f"{output}: vectors of {embedded.dimension:,} numbers for {_state(embedded)}{cut}")


def _state(embedded: "Embedded") -> str:
    rate = embedded.sentences / embedded.seconds if embedded.seconds else 0.0
    return (
        f"{counted(embedded.sentences, 'sentence')} in {duration(embedded.seconds)} ({rate:,.0f} sentences/s)"
    )


def export(
    encoder: Encoder,
    folder: Annotated[
        Path, typer.Argument(help="The folder to write; it must not exist.", show_default=False)
    ],
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="sentence-transformers, or onnx.")
    ] = "sentence-transformers",
    precision: Annotated[
        str,
        typer.Option(
            "--precision",
            metavar="PRECISION",
            help="How the weights are stored: float32, float16 (half the size) or int8 (a quarter).",
        ),
    ] = "float32",
    run: Annotated[
        Path | None,
        typer.Option(
            "--run",
            metavar="WORKSPACE",
            help="The workspace of the run that trained the encoder: the folder gets a card with figures, "
            "data, licences and the certificate.",
        ),
    ] = None,
) -> None:
    """Write an encoder for another program, which computes the same vectors.

    \b
    paranmt export models/avg models/avg-sentence-transformers
    paranmt export models/avg models/avg-small --precision int8
    paranmt export work/train/avg models/avg-for-others --run work
    paranmt export models/word-trigram models/word-trigram-onnx --format onnx

    `sentence-transformers` takes every encoder; all but averages of words need this package beside it. `onnx`
    takes averages, and mixtures of averages.
    """
    from ...models.encoders.loading import load_encoder
    from ...models.encoders.stored_weights import Precision

    if precision not in get_args(Precision):
        choices = ", ".join(get_args(Precision))
        raise RecipeError(f"--precision: expected one of {choices}, got {precision!r}")
    stored_as, loaded = cast(Precision, precision), load_encoder(encoder, "cpu")
    others = {} if run is None else _card(run, encoder, loaded, precision)
    if format == "sentence-transformers":
        from ...models.encoders.export import export_encoder

        needs_us = export_encoder(loaded, folder, stored_as, others)
        beside = ", if this package is installed beside it" if needs_us else ""
        say(f"{folder}: a model that sentence-transformers loads{beside}")
    elif format == "onnx":
        from ...models.encoders.onnx_export import export_onnx

        export_onnx(loaded, folder, stored_as, others)
        say(f"{folder}: a graph that onnxruntime loads, and the vocabulary")
    else:
        raise RecipeError(f"--format: expected sentence-transformers or onnx, got {format!r}")


def _card(run: Path, path: str, encoder: "Encodes", precision: str) -> dict[str, bytes]:
    """The card of an encoder, and the certificates of the release that it was trained on."""
    from ...pipeline.release.encoder_card import encoder_card, encoder_run
    from ..display.evaluation_text import evaluation_text

    found = encoder_run(run, Path(path))
    figures = {
        name: evaluation_text(table, markdown=True, averages_alone=True)
        for name, table in found.results.items()
    }
    dimension = encoder.encode([""]).shape[1]
    card = encoder_card(found, dimension, precision, figures)
    return {"README.md": card.encode(), **found.certificates()}
