"""`paranmt translate`: translates a text file, line by line."""

import contextlib
import errno
import io
import os
import sys
import time
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated

import typer

from ...base.durations import duration
from ...base.errors import InputError
from ...base.outputs import new_file
from ...models.translation.translate_options import TranslateOptions
from ..display.console import say
from ..display.progress import counted
from ..options.command_options import set_option
from ..options.field_options import Given, from_fields


class TranslationFormat(StrEnum):
    """The formats in which translations are written."""

    tsv = "tsv"
    jsonl = "jsonl"
    text = "text"


def translate(
    model: Annotated[str, typer.Argument(help="The folder of the translation model.", show_default=False)],
    text: Annotated[
        str, typer.Argument(help="A text file with one sentence per line; - is the standard input.")
    ] = "-",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The file to write, which must not exist, or a pipe; by default the standard output.",
        ),
    ] = None,
    form: Annotated[
        TranslationFormat,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="The output format; text is the best translation of each line alone.",
        ),
    ] = TranslationFormat.tsv,
    n_best: Annotated[
        int,
        typer.Option(
            "--n-best", "-n", metavar="N", min=1, help="How many translations to write for each sentence."
        ),
    ] = 1,
    *,
    options: Annotated[Given, from_fields(TranslateOptions, "beam", "engine", "device")],
    sets: Annotated[
        list[str] | None, set_option("Set any other key that `translate` has in a recipe.")
    ] = None,
) -> None:
    """Translate a text file or the standard input, line by line.

    \b
    paranmt translate models/cs-en sentences.cs.gz -o translations.tsv
    paranmt translate models/cs-en --format text < sentences.cs > sentences.en
    paranmt translate models/cs-en sentences.cs --n-best 5 --format jsonl --set length_penalty=0.6

    A tsv line has the columns line number, rank, log-probability, number of tokens, and translation.
    """
    from ...pipeline.recipe.section import read_section
    from ...pipeline.texts.translate_text import read_sentences, translate_lines, write_translated

    chosen = read_section(TranslateOptions, {"model": model, **options}, sets or (), "translate")
    started = time.monotonic()
    lines = _Counted(read_sentences(text))
    with opened(output) as out:
        translated = translate_lines(lines, chosen, n_best, token_log_probs=form.value == "jsonl")
        failed = write_translated(translated, out, form.value)
    seconds = time.monotonic() - started
    failures = f", {failed:,} without a translation" if failed else ""
    say(f"{counted(lines.count, 'sentence')} in {duration(seconds)}{failures}")


class _Counted:
    """Lines that are counted while they are read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.count = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.count += 1
            yield line


@contextlib.contextmanager
def opened(output: Path | None) -> Iterator[IO[str]]:
    """The standard output, or a new file that appears once everything is written.

    Devices, pipes and the streams of this process, which have names such as /dev/stderr, are written to.
    """
    stream = sys.stdout if output is None else _own_stream(output)
    if output is None or stream is not None:
        yield stream or sys.stdout
    elif output.exists() and not (output.is_file() or output.is_dir()):
        try:
            with output.open("w", encoding="utf-8") as text:
                yield text
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            raise InputError(f"{output} cannot be written: {error}; choose another name") from None
    else:
        with new_file(output) as file, io.TextIOWrapper(file, encoding="utf-8") as text:
            yield text


def _own_stream(output: Path) -> IO[str] | None:
    """The standard output or error if this is one of its names. It may be a file, whose end is written to."""
    for stream in (sys.stdout, sys.stderr) if output.parts[:2] in (("/", "dev"), ("/", "proc")) else ():
        with contextlib.suppress(OSError, ValueError):
            if os.path.samestat(output.stat(), os.fstat(stream.fileno())):
                return stream
    return None
