"""`paranmt judge`: a page on which people judge pairs, and what their answers say."""

from pathlib import Path
from typing import Annotated

import typer

from ...base.bounds import Bounds
from ...base.errors import RecipeError
from ..display.console import print_json, print_text, say
from ..display.evaluation_text import evaluation_text
from ..display.progress import counted
from ..options.command_options import check_number

_PAIRS = Bounds(1, 10_000, is_whole=True)


def judge(
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="PAIRS",
            help="The folder of a release, a workspace with one, or a text file with two sentences a line "
            "and a tab between.",
            show_default=False,
        ),
    ],
    answers: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[ANSWERS]...",
            help="The files that the judges saved; without them, the page is written.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE.html", help="The page to write, which must not exist."),
    ] = None,
    count: Annotated[
        int, typer.Option("--pairs", "-n", metavar="N", help="How many pairs are judged.")
    ] = 200,
    judges: Annotated[int, typer.Option("--judges", metavar="N", help="How many people judge them all.")] = 3,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="SCORE",
            help="Draw as many pairs of each decile of this score, or show the answers by its deciles.",
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help="Only pairs for which this condition is true."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed by which pairs are drawn.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Let people judge pairs, on a page that needs no network, and show what they answered.

    \b
    paranmt judge work/release --by paraphrase_similarity -o judge.html
    paranmt judge work/release judge-1.json judge-2.json judge-3.json --by paraphrase_similarity
    paranmt judge pairs.tsv --pairs 100 --judges 2 -o judge.html

    Judges rate paraphrase strength and fluency from 1 to 3, as for ParaNMT-50M (Wieting and Gimpel 2018),
    without seeing scores. Answers may be shown by the deciles of any score.
    """
    from ...pipeline.judging.judged_pairs import open_pairs

    if bool(answers) == (output is not None):
        raise RecipeError("expected either -o FILE.html, the page to write, or the files that judges saved")
    source = open_pairs(pairs)
    if output is not None:
        from ...base.outputs import new_file
        from ...pipeline.judging.answers import JUDGES
        from ...pipeline.judging.judging_page import judging_page

        check_number("--pairs", count, _PAIRS)
        check_number("--judges", judges, JUDGES)
        sample = source.sample(count, seed, where, by)
        if not sample:
            raise RecipeError(f"{pairs} has no such pairs")
        with new_file(output) as file:
            file.write(judging_page(sample, judges).encode())
        say(f"{counted(len(sample), 'pair')}: open {output} in a browser, or send it to the judges")
        return
    from ...pipeline.judging.answers import judged, read_answers

    tables = judged(source, read_answers(answers or []), by)
    if as_json:
        print_json({name: table.to_json() for name, table in tables.items()})
        return
    for table in tables.values():
        if markdown:
            print_text(f"{table.caption}\n\n{evaluation_text(table, markdown=True)}\n")
        else:
            say(table.caption)
            print_text(f"{evaluation_text(table)}\n")
