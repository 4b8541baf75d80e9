"""`paranmt paraphrase`: paraphrases a text file, line by line."""

import contextlib
import re
import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...base.durations import duration
from ...base.errors import RecipeError
from ...base.outputs import new_file
from ...models.translation.translate_options import TranslateOptions
from ...pipeline.texts.paraphrase_options import ParaphraseOptions
from ..display.console import print_json, print_text, say
from ..display.evaluation_text import evaluation_text
from ..display.progress import counted
from ..options.command_options import set_option
from ..options.field_options import FieldOption, Given, from_fields
from .translate_command import opened

if TYPE_CHECKING:
    from ...pipeline.texts.paraphrase_text import ParaphraseWriter
    from ...pipeline.texts.paraphraser import Paraphraser

_RANGE = re.compile(r"(\d+(?:\.\d+)?)?-(\d+(?:\.\d+)?)?")
_CONTROL = re.compile(r"([a-z][a-z0-9_]*)=([0-9]{1,4})")


class ParaphraseFormat(StrEnum):
    """The formats in which paraphrases are written."""

    text = "text"
    jsonl = "jsonl"
    parquet = "parquet"


def paraphrase(
    model: Annotated[str, typer.Argument(help="The folder of the paraphraser.", show_default=False)],
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
        ParaphraseFormat,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="text has an empty line after the paraphrases of each sentence.",
        ),
    ] = ParaphraseFormat.text,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder", metavar="ENCODER", help="The encoder that ranks candidates by their similarity."
        ),
    ] = None,
    *,
    options: Annotated[
        Given,
        FieldOption(ParaphraseOptions, "count", spellings=("--count", "-n")),
        FieldOption(ParaphraseOptions, "overlap", metavar="LOW-HIGH"),
        FieldOption(ParaphraseOptions, "length_ratio", metavar="LOW-HIGH"),
        FieldOption(ParaphraseOptions, "control", metavar="SCORE=DECILE", repeats=True),
        FieldOption(ParaphraseOptions, "candidates", spellings=("--beam",)),
    ],
    translation: Annotated[Given, from_fields(TranslateOptions, "device")],
    sets: Annotated[
        list[str] | None,
        set_option("Set any other key that `translate` has in a recipe, such as search.groups=5."),
    ] = None,
    evaluate: Annotated[
        str | None,
        typer.Option(
            "--evaluate",
            metavar="FOLDER",
            help="Paraphrase the sentences of this folder and compare the paraphrases with its references, "
            "instead of writing them.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="ENCODER",
            help="With --evaluate: the encoder for similarities, another one than that of --encoder.",
        ),
    ] = None,
    round_trip: Annotated[
        list[str] | None,
        typer.Option(
            "--round-trip",
            metavar="MODEL",
            help="With --evaluate: the model into another language; given again, that back into this one.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With --evaluate: print JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="With --evaluate: print Markdown.")] = False,
) -> None:
    """Paraphrase a text file or the standard input, line by line.

    \b
    paranmt paraphrase work/paraphraser/small sentences.txt -o paraphrases.txt
    paranmt paraphrase models/en-en --encoder work/train/avg --overlap 0-0.6 --format jsonl < sentences.txt
    paranmt paraphrase work/paraphraser/small sentences.txt --control trigram_overlap=1
    paranmt paraphrase work/paraphraser/small sentences.txt --set search.sampling=true --set search.top_p=0.9
    paranmt paraphrase work/paraphraser/small --evaluate captions --judge work/train/avg

    Candidates are dropped that copy the sentence or each other, or change its numbers or negations.
    """
    from ...models.paraphrasing.control import check_control
    from ...pipeline.recipe.document import Data
    from ...pipeline.recipe.section import read_section
    from ...pipeline.texts.paraphrase_text import loaded_paraphraser, paraphrase_lines
    from ...pipeline.texts.translate_text import read_sentences

    if form is ParaphraseFormat.parquet and output is None:
        raise RecipeError("--format parquet needs --output, the file to write")
    wanted = _wanted(options)
    given: dict[str, Data] = {"model": model, **translation, "beam": wanted.candidates}
    translate = read_section(TranslateOptions, given, sets or (), "translate")
    started = time.monotonic()
    paraphraser = loaded_paraphraser(translate, encoder)
    check_control(wanted.control, paraphraser.control)
    if evaluate is not None:
        if text != "-" or output is not None:
            raise RecipeError("--evaluate takes its sentences from the folder and writes no paraphrases")
        _evaluate(evaluate, paraphraser, wanted, judge, round_trip or [], as_json, markdown)
        return
    if judge or round_trip or as_json or markdown:
        raise RecipeError("--judge, --round-trip, --json and --markdown are for --evaluate")
    lines = kept = without = 0
    with _writer(output, form) as writer:
        for found in paraphrase_lines(read_sentences(text), paraphraser, wanted):
            writer.write(found)
            lines, kept = lines + 1, kept + len(found.paraphrases)
            without += not found.paraphrases
    seconds = duration(time.monotonic() - started)
    nothing = f", {without:,} without one" if without else ""
    say(f"{counted(kept, 'paraphrase')} of {counted(lines, 'sentence')} in {seconds}{nothing}")


def _evaluate(
    folder: str,
    paraphraser: "Paraphraser",
    wanted: ParaphraseOptions,
    judge: str | None,
    round_trip: Sequence[str],
    as_json: bool,
    markdown: bool,
) -> None:
    """Print how good the paraphrases of a folder's sentences are, beside what they are compared with."""
    from ...models.encoders.loading import load_encoder
    from ...pipeline.texts.paraphrase_evaluation import baselines, paraphrasing_table, read_paraphrasing
    from ...pipeline.texts.paraphrase_text import paraphrase_lines
    from ...pipeline.texts.round_trip import translated_back

    if len(round_trip) not in (0, 2):
        raise RecipeError("--round-trip: expected two models, into another language and back")
    data = read_paraphrasing(folder)
    encoder = None if judge is None else load_encoder(judge)
    systems: dict[str, list[list[str]]] = {
        "paraphraser": [
            [paraphrase.text for paraphrase in found.paraphrases]
            for found in paraphrase_lines(data.sentences, paraphraser, wanted)
        ]
    }
    if round_trip:
        systems["round trip"] = translated_back(data.sentences, *round_trip)
    systems |= baselines(data)
    results = paraphrasing_table(data, systems, encoder)
    if as_json:
        print_json(results.to_json())
        return
    say(results.caption)
    print_text(evaluation_text(results, markdown))


@contextlib.contextmanager
def _writer(output: Path | None, form: ParaphraseFormat) -> "Iterator[ParaphraseWriter]":
    from ...pipeline.texts.paraphrase_text import ParquetWriter, TextWriter

    if form is ParaphraseFormat.parquet and output is not None:
        with new_file(output) as file:
            parquet = ParquetWriter(file)
            yield parquet
            parquet.close()
        return
    with opened(output) as out:
        yield TextWriter(out, form is ParaphraseFormat.jsonl)


def _wanted(given: Given) -> ParaphraseOptions:
    """The options with the ranges and the deciles that were given as text."""
    read: dict[str, Any] = {**given}
    for name, flag in (("overlap", "--overlap"), ("length_ratio", "--length-ratio")):
        if name in given:
            read[name] = _range(flag, str(given[name]), getattr(ParaphraseOptions, name)[1])
    if "control" in given:
        read["control"] = dict(map(_controlled, read["control"]))
    return ParaphraseOptions(**read)


def _range(option: str, text: str, highest: float) -> tuple[float, float]:
    """The ends of a range such as 0.2-0.6, of which either may be left out."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or text.strip() == "-":
        raise RecipeError(f"{option}: expected a range such as 0.2-0.6 or -0.6, got {text[:40]!r}")
    return float(found[1] or 0), float(found[2] or highest)


def _controlled(text: str) -> tuple[str, int]:
    found = _CONTROL.fullmatch(text.strip())
    if found is None:
        raise RecipeError(f"--control: expected SCORE=DECILE, such as trigram_overlap=1, got {text[:40]!r}")
    return found[1], int(found[2])
