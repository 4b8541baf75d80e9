"""`paranmt inspect`: shows random pairs of a release in the terminal."""

import re
import secrets
from typing import Annotated

import typer

from ...base.errors import RecipeError
from ..display.console import print_json, say
from ..display.progress import counted

_DECILE = re.compile(r"([a-z][a-z0-9_]*)=([0-9]+)(?:-([0-9]+))?")


def inspect(
    release: Annotated[
        str, typer.Argument(help="The folder of a release, or a workspace with one.", show_default=False)
    ],
    count: Annotated[
        int, typer.Option("--count", "-n", metavar="N", min=1, help="How many pairs to show.")
    ] = 10,
    deciles: Annotated[
        list[str] | None,
        typer.Option(
            "--decile",
            metavar="SCORE=N",
            help="Only pairs of this decile of a score, or of several: SCORE=5-9. Can be repeated.",
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help="Only pairs for which this condition is true."),
    ] = None,
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="NAME", help="Only pairs of this corpus.")
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="NAME", help="Only pairs of this domain.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Show the same pairs again; by default others each time."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with all columns.")] = False,
) -> None:
    """Show random pairs of a release with their scores; on a terminal, words that differ are coloured.

    \b
    paranmt inspect work/release
    paranmt inspect work --decile paraphrase_similarity=10 -n 5
    paranmt inspect work/release --where "trigram_overlap = 0 and translation_length > 20" --seed 7
    paranmt inspect work/release --corpus news --decile perplexity=1-3 --json
    """
    from ...pipeline.release.open_release import open_release
    from ..display.pair_text import has_colours, pair_text, scores_of

    clauses = [f"({where})"] if where else []
    clauses += [_decile_clause(given) for given in deciles or ()]
    named = (("corpus", corpus), ("domain", domain))
    clauses += [f"{name} = {_quoted(value)}" for name, value in named if value is not None]
    opened = open_release(release)
    pairs = opened.pairs(" and ".join(clauses) or None)
    if seed is None:
        seed = secrets.randbelow(10**6)
    rows = pairs.sample(count, seed).to_pylist()
    if as_json:
        print_json(rows)
    else:
        manifest, columns = opened.manifest, opened.schema.names
        names = [] if manifest is None else [score.name for score in manifest.scores]
        scores = [name for name in names if name in columns] or scores_of(columns)
        print("\n\n".join(pair_text(row, scores, has_colours()) for row in rows))
    say(f"\n{len(rows):,} of {counted(len(pairs), 'pair')}; --seed {seed} shows them again")


def _decile_clause(given: str) -> str:
    """The condition of `--decile`."""
    parts = _DECILE.fullmatch(given.strip())
    if parts is None:
        raise RecipeError(f"--decile: expected SCORE=N or SCORE=N-M, such as perplexity=1, got {given!r}")
    score, first, last = parts[1], int(parts[2]), int(parts[3] or parts[2])
    if not 1 <= first <= last <= 10:
        raise RecipeError(f"--decile: expected deciles from 1 to 10, got {given!r}")
    from ...base.dataset_columns import decile_name

    return f"{decile_name(score)} between {first} and {last}"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
