"""`paranmt stats`: compares references with translations, and corpora with each other, as the papers do."""

from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import RecipeError
from ...pipeline.statistics.sources import ReleaseSource, TextSource
from ...tokens.definition import Tokens
from ..display.console import folded, print_json, print_text, say
from ..display.evaluation_text import evaluation_text
from ..options.field_options import FieldOption, Given

if TYPE_CHECKING:
    from ...pipeline.statistics.sources import MeasuredPairs


def stats(
    release: Annotated[
        list[str] | None,
        typer.Argument(
            help="The folder of a release or of a workspace, or a release's Parquet files.",
            show_default=False,
        ),
    ] = None,
    selection: Annotated[
        str | None,
        typer.Option(
            "--selection",
            metavar="NAME",
            help="Only the pairs of this selection (a boolean column); by default all.",
        ),
    ] = None,
    *,
    texts: Annotated[
        Given,
        FieldOption(
            TextSource,
            "references",
            metavar="FILE",
            help="A text file of references, instead of a release.",
        ),
        FieldOption(
            TextSource,
            "translations",
            metavar="FILE",
            help="A text file of translations, line by line. Repeat it to compare several systems.",
            repeats=True,
        ),
    ],
    frequencies: Annotated[
        str | None,
        typer.Option(
            "--frequencies",
            metavar="FILE",
            help="A text whose words are counted for the IDF, such as sentences of Wikipedia, or a table of "
            "words and counts; by default the pairs themselves.",
        ),
    ] = None,
    tokens: Annotated[
        Tokens,
        typer.Option("--tokens", help="words for raw text, whitespace for text that is tokenised already."),
    ] = "words",
    candidates: Annotated[
        bool,
        typer.Option(
            "--candidates", help="Also count how different the candidates of the release's n-best lists are."
        ),
    ] = False,
    parses: Annotated[
        list[str] | None,
        typer.Option(
            "--parses",
            metavar="FILE",
            help="Parses, in CoNLL-U or as trees in brackets: their entropy, also without a release. Repeat "
            "it to compare corpora.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Compare references with translations, and corpora: length, rare words, entropy and repetition.

    \b
    paranmt stats work/release
    paranmt stats work/release --selection paraphrases --markdown
    paranmt stats --references test.en --translations google.en --translations ours.en
    paranmt stats work --candidates
    paranmt stats --parses news.mrg --parses web.mrg

    These are table 2 of ParaNMT-50M and tables 9 and 10 of the paper on back-translated bitext.
    """
    from ...papers.analysis.parses import parse_table
    from ...pipeline.statistics.measuring import measure, own_frequencies, together
    from ...pipeline.statistics.tables import correlations_table, differences_table, lists_table, texts_table
    from ...transforms.model_kinds.word_frequencies import read_frequencies

    tables = {}
    has_texts = any((release, selection, texts, frequencies, candidates))
    if has_texts or not parses:
        source = _source(release, selection, texts, candidates)
        counted = read_frequencies(frequencies, tokens) if frequencies else own_frequencies(source, tokens)
        corpora = measure(source, counted, tokens)
        everything = together(corpora, source)
        tables["texts"] = texts_table(corpora, everything)
        tables["differences"] = differences_table(corpora, everything)
        tables["correlations"] = correlations_table(corpora, everything)
        if candidates:
            tables["candidates"] = lists_table(corpora, everything)
    if parses:
        tables["parses"] = parse_table(parses)
    if as_json:
        print_json({name: results.to_json() for name, results in tables.items()})
        return
    for results in tables.values():
        if markdown:
            print_text(f"{results.caption}\n\n{evaluation_text(results, markdown=True)}\n")
        else:
            say(folded(results.caption))
            print_text(f"{evaluation_text(results)}\n")


def _source(
    release: list[str] | None,
    selection: str | None,
    texts: Given,
    candidates: bool,
) -> "MeasuredPairs":
    """The pairs to compare: those of a release or of text files."""
    from ...pipeline.release.release_pairs import release_pairs

    if release and not texts:
        return ReleaseSource(release_pairs(release, selection), candidates)
    if len(texts) == 2 and not (release or selection or candidates):
        return TextSource(**texts)  # type: ignore[arg-type]
    raise RecipeError("expected a release, or text files with --references and --translations")
